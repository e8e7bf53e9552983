//! Key facts of the translation, on small C programs.

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::{Lifetimes, LowerError, Unit, ll, lower};
use selvedge_program::{
    Access, Assumption, Callee, Computation, DebugType, Function, Input, Intrinsic, MemoryOrder, Op, Operand, Origin,
    Program, Property, RmwOp, Terminator, Ty, verify,
};

fn unit(text: &str, data_model: DataModel, origin: Origin) -> Unit {
    let options = ClangOptions { data_model, ..ClangOptions::default() };
    let clang = Clang::find(None).expect("clang is needed for these tests");
    let ir = clang.compile_source("test.c", text, &options).expect("the C text compiles");
    Unit { module: ll::parse(&ir).expect("clang's output can be read"), origin, lifetimes: Lifetimes::Functions }
}

fn well_formed(program: Program) -> Program {
    let problems: Vec<String> = verify::verify(&program).iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{problems:#?}\n{program}");
    program
}

fn program(text: &str) -> Program {
    well_formed(lower(&[unit(text, DataModel::Lp64, Origin::User)], &[]).expect("it lowers"))
}

fn program32(text: &str) -> Program {
    well_formed(lower(&[unit(text, DataModel::Ilp32, Origin::User)], &[]).expect("it lowers"))
}

fn ir(text: &str) -> Program {
    let head = "target datalayout = \"e-m:e-i64:64-f80:128-n8:16:32:64-S128\"\n\
                target triple = \"x86_64-pc-linux-gnu\"\n";
    let module = ll::parse(&format!("{head}{text}")).expect("the text can be read");
    well_formed(
        lower(&[Unit { module, origin: Origin::User, lifetimes: Lifetimes::Functions }], &[]).expect("it lowers"),
    )
}

fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    &program.functions[program.function_named(name).unwrap_or_else(|| panic!("no {name} in\n{program}"))]
}

fn ops(function: &Function) -> impl Iterator<Item = &Op> {
    function.blocks.values().flat_map(|b| &b.insts).map(|i| &i.op)
}

fn bounds(function: &Function) -> Vec<Option<u64>> {
    ops(function)
        .filter_map(|op| if let Op::Compute(Computation::Index { bound, .. }) = op { Some(*bound) } else { None })
        .collect()
}

fn places(program: &Program, name: &str) -> Vec<String> {
    let places = ops(function(program, name)).filter_map(|op| match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } | Op::CmpXchg { place, .. } => *place,
        _ => None,
    });
    places.map(|id| program.places[id].clone()).collect()
}

#[test]
fn an_index_into_an_array_has_its_bound() {
    let program = program(
        "int a[10]; struct s { int n; int tail[1]; int mid[1]; int rows[3][4]; int flex[]; } g;
         int *keep(int i) { return &a[i]; }
         int get(int i) { return a[i]; }
         int row(int i, int j) { return g.rows[i][j]; }
         int flex(int i) { return g.flex[i]; }
         int arith(int *p, int i) { return p[i]; }
         int main(void) { return *keep(1) + get(1) + row(1, 1) + flex(1) + arith(a, 1); }",
    );
    assert_eq!(bounds(function(&program, "keep")), [Some(11)]);
    assert_eq!(bounds(function(&program, "get")), [Some(10)]);
    assert_eq!(bounds(function(&program, "row")), [Some(3), Some(4)]);
    assert_eq!(bounds(function(&program, "flex")), [None]);
    assert_eq!(bounds(function(&program, "arith")), [None]);
}

#[test]
fn a_trailing_array_of_one_element_is_flexible_and_others_are_not() {
    let program = program(
        "struct t { int n; int tail[1]; } t; struct m { int mid[1]; int n; } m;
         int tail(int i) { return t.tail[i]; }
         int mid(int i) { return m.mid[i]; }
         int main(void) { return tail(0) + mid(0); }",
    );
    assert_eq!(bounds(function(&program, "tail")), [None]);
    assert_eq!(bounds(function(&program, "mid")), [Some(1)]);
}

#[test]
fn a_constant_index_is_checked_only_if_it_is_wrong() {
    let program = program(
        "struct s { int a[2]; int b; } s;
         int right(void) { return s.a[1]; }
         int wrong(void) { return s.a[2]; }
         int local(void) { int a[3]; a[0] = 1; return a[3]; }
         int main(void) { return right() + wrong() + local(); }",
    );
    assert_eq!(bounds(function(&program, "right")), []);
    assert_eq!(bounds(function(&program, "wrong")), [Some(2)]);
    assert_eq!(bounds(function(&program, "local")), [Some(3)]);
}

#[test]
fn places_are_c_expressions() {
    let program = program(
        "struct node { int key; struct node *next; struct { int x[3]; } in[2]; } head; int count; int *table[4];
         int f(struct node *p, int i) {
             count = 1;
             p->next->key = 2;
             head.in[i].x[i + 1] = 3;
             *table[2] = 4;
             return p[i].key;
         }
         int main(void) { return f(&head, 1); }",
    );
    let places = places(&program, "f");
    for wanted in
        ["count", "p->next", "p->next->key", "head.in[i].x[i + 1]", "table[2]", "*table[2]", "p[i].key", "p", "i"]
    {
        assert!(places.iter().any(|p| p == wanted), "{wanted} is not in {places:?}");
    }
}

#[test]
fn phis_that_feed_each_other_are_copied_at_once() {
    let program = ir("define i32 @main() {
         entry:
           br label %loop
         loop:
           %a = phi i32 [ 1, %entry ], [ %b, %loop ]
           %b = phi i32 [ 2, %entry ], [ %a, %loop ]
           %n = phi i32 [ 0, %entry ], [ %m, %loop ]
           %m = add i32 %n, 1
           %c = icmp eq i32 %m, 5
           br i1 %c, label %end, label %loop
         end:
           ret i32 %a
         }");
    let main = function(&program, "main");
    // The edge back to the loop is a block of its own: its predecessor also goes to the end.
    let edge = main.blocks.values().find(|b| b.name == "loop.edge").expect("a split edge");
    let copies: Vec<_> = edge
        .insts
        .iter()
        .filter_map(|i| if let Op::Compute(Computation::Copy { dst, src }) = i.op { Some((dst, src)) } else { None })
        .collect();
    assert_eq!(copies.len(), 5, "two values saved, three phis written");
    for (i, (dst, _)) in copies.iter().enumerate() {
        assert!(copies[i + 1..].iter().all(|(_, src)| *src != Operand::Reg(*dst)) || i < 2);
    }
    assert!(matches!(edge.term, Terminator::Jump(_)));
}

#[test]
fn structs_in_registers_are_their_scalars() {
    let program = program(
        "typedef struct { double a; double b; } pair;
         pair make(void) { pair p = { 1, 2 }; return p; }
         int main(void) { pair p = make(); return p.a < p.b; }",
    );
    assert_eq!(function(&program, "make").returns, [Ty::F64, Ty::F64]);
    assert!(ops(function(&program, "main")).any(|op| matches!(op, Op::Call { dsts, .. } if dsts.len() == 2)));
}

#[test]
fn byval_arguments_are_copied_by_the_caller() {
    let program = program(
        "struct big { long a[5]; }; long f(struct big b) { b.a[0] = 1; return b.a[1]; }
         int main(void) { struct big b = { 0 }; return f(b); }",
    );
    let main = function(&program, "main");
    assert_eq!(ops(main).filter(|op| matches!(op, Op::Alloca { .. })).count(), 3);
    assert_eq!(ops(main).filter(|op| matches!(op, Op::MemCopy { .. })).count(), 1);
}

const VARIADIC: &str = "
    int sum(int n, ...) {
        __builtin_va_list ap; __builtin_va_start(ap, n);
        int s = 0; while (n--) s += __builtin_va_arg(ap, int);
        __builtin_va_end(ap); return s;
    }
    int ignore(int n, ...) { return n; }
    int main(void) { return sum(2, 3, 4L, 5.0) + ignore(1, 2); }";

#[test]
fn variadic_arguments_lie_in_the_callers_frame() {
    for (program, sizes) in [(program(VARIADIC), 24), (program32(VARIADIC), 16)] {
        assert_eq!(function(&program, "sum").params.len(), 2);
        let main = function(&program, "main");
        let area =
            ops(main).any(|op| matches!(op, Op::Alloca { size: Operand::Const { bits, .. }, .. } if *bits == sizes));
        assert!(area, "{program}");
        let calls: Vec<_> =
            ops(main).filter_map(|op| if let Op::Call { args, .. } = op { Some(args.clone()) } else { None }).collect();
        assert!(matches!(calls[0][1], Operand::Reg(_)));
        assert_eq!(calls[1][1], Operand::NULL, "nobody reads them");
    }
}

#[test]
fn a_call_without_prototype_is_made_to_fit() {
    let program = program(
        "int f(); int g(void) { return f(1, 2L, 3); } int f(a, b) long a; char b; { return a + b; }
         int main(void) { return g(); }",
    );
    let g = function(&program, "g");
    let args = ops(g).find_map(|op| if let Op::Call { args, .. } = op { Some(args) } else { None }).expect("a call");
    assert_eq!(args.len(), 2);
    assert_eq!(args[0], Operand::int(64, 1));
}

#[test]
fn atomics_and_volatile() {
    let program = program(
        "_Atomic int a; volatile int v; int *_Atomic p; int x;
         int main(void) {
             a++; v = 1; int e = 0;
             __c11_atomic_compare_exchange_strong(&a, &e, 2, 5, 5);
             __c11_atomic_exchange(&p, &x, 5);
             __c11_atomic_thread_fence(5);
             return a;
         }",
    );
    let main = function(&program, "main");
    assert!(ops(main).any(|op| matches!(op, Op::Rmw { op: RmwOp::Add, .. })));
    assert!(ops(main).any(|op| matches!(op, Op::Rmw { op: RmwOp::Exchange, .. })));
    assert!(ops(main).any(|op| matches!(op, Op::CmpXchg { .. })));
    assert!(ops(main).any(|op| matches!(op, Op::Fence { order: MemoryOrder::SeqCst })));
    assert!(ops(main).any(|op| matches!(op, Op::Store { access: Access::Volatile, .. })));
    assert!(ops(main).any(|op| matches!(op, Op::Load { access: Access::Atomic(MemoryOrder::SeqCst), .. })));
}

#[test]
fn every_order_of_c11_arrives() {
    use MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    let program = program(
        "#include <stdatomic.h>
         atomic_int a;
         int main(void) {
             int e = 0;
             atomic_load_explicit(&a, memory_order_relaxed);
             atomic_load_explicit(&a, memory_order_acquire);
             atomic_load_explicit(&a, memory_order_seq_cst);
             atomic_store_explicit(&a, 1, memory_order_relaxed);
             atomic_store_explicit(&a, 1, memory_order_release);
             atomic_store(&a, 1);
             atomic_fetch_add_explicit(&a, 1, memory_order_relaxed);
             atomic_fetch_add_explicit(&a, 1, memory_order_acquire);
             atomic_fetch_add_explicit(&a, 1, memory_order_release);
             atomic_fetch_add_explicit(&a, 1, memory_order_acq_rel);
             atomic_exchange_explicit(&a, 1, memory_order_seq_cst);
             atomic_compare_exchange_strong_explicit(&a, &e, 2, memory_order_acq_rel, memory_order_acquire);
             atomic_compare_exchange_weak_explicit(&a, &e, 2, memory_order_release, memory_order_relaxed);
             atomic_compare_exchange_strong(&a, &e, 2);
             atomic_thread_fence(memory_order_acquire);
             atomic_thread_fence(memory_order_release);
             atomic_thread_fence(memory_order_acq_rel);
             atomic_thread_fence(memory_order_seq_cst);
             __atomic_thread_fence(__ATOMIC_ACQUIRE);
             __sync_synchronize();
             atomic_signal_fence(memory_order_seq_cst);
             return 0;
         }",
    );
    let main = function(&program, "main");
    let orders = |f: fn(&Op) -> Option<MemoryOrder>| ops(main).filter_map(f).collect::<Vec<_>>();
    let loads = orders(|op| if let Op::Load { access: Access::Atomic(order), .. } = op { Some(*order) } else { None });
    // The last load is what a weak exchange does when it fails for no reason.
    assert_eq!(loads, [Relaxed, Acquire, SeqCst, Relaxed]);
    let stores =
        orders(|op| if let Op::Store { access: Access::Atomic(order), .. } = op { Some(*order) } else { None });
    assert_eq!(stores, [Relaxed, Release, SeqCst]);
    let changes = orders(|op| if let Op::Rmw { order, .. } = op { Some(*order) } else { None });
    assert_eq!(changes, [Relaxed, Acquire, Release, AcqRel, SeqCst]);
    let exchanges: Vec<_> =
        ops(main).filter_map(|op| if let Op::CmpXchg { orders, .. } = op { Some(*orders) } else { None }).collect();
    // The weak one is a choice, whose blocks come last.
    assert_eq!(exchanges, [(AcqRel, Acquire), (SeqCst, SeqCst), (Release, Relaxed)]);
    let fences = orders(|op| if let Op::Fence { order } = op { Some(*order) } else { None });
    assert_eq!(fences, [Acquire, Release, AcqRel, SeqCst, Acquire, SeqCst], "a signal fence orders no threads");
    let read = selvedge_program::text::parse(&program.to_string()).expect("the text form keeps them");
    assert_eq!(read, program);
}

#[test]
fn the_users_definition_wins_over_a_models() {
    let user = "int shared(void); int own(void) { return 1; } int main(void) { return own() + shared(); }";
    let model = "int own(void) { return 2; } int shared(void) { return 3; } int unused(void) { return 4; }";
    let units = [unit(model, DataModel::Lp64, Origin::Model), unit(user, DataModel::Lp64, Origin::User)];
    let program = well_formed(lower(&units, &[]).expect("it lowers"));
    assert_eq!(function(&program, "own").origin, Origin::User);
    assert_eq!(function(&program, "shared").origin, Origin::Model);
    assert_eq!(program.function_named("unused"), None);
}

#[test]
fn ill_typed_code_is_refused_with_its_function() {
    for (call, wrong) in [
        ("call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 1, i38 1)", "Int(38)"),
        ("add i32 1, 1\n  %b = call i32 @llvm.umax.i32(i32 %a, i8 1)", "Int(8)"),
    ] {
        let text =
            format!("target triple = \"x86_64-pc-linux-gnu\"\ndefine i32 @main() {{\n  %a = {call}\n  ret i32 0\n}}\n");
        let module = ll::parse(&text).expect("it can be read");
        let refused = lower(&[Unit { module, origin: Origin::User, lifetimes: Lifetimes::Functions }], &[]);
        let Err(LowerError::IllTyped { function, problem }) = refused else { panic!("{refused:?}") };
        assert_eq!(function, "main");
        assert!(problem.contains(wrong), "{problem}");
    }
}

#[test]
fn weak_gives_way_and_two_strong_ones_are_an_error() {
    let weak = "__attribute__((weak)) int f(void) { return 1; } int main(void) { return f(); }";
    let strong = "int f(void) { return 2; }";
    let units = |a, b| [unit(a, DataModel::Lp64, Origin::User), unit(b, DataModel::Lp64, Origin::User)];
    let program = well_formed(lower(&units(weak, strong), &[]).expect("it lowers"));
    let values: Vec<_> = function(&program, "f").blocks.values().map(|b| b.term.clone()).collect();
    assert_eq!(values, [Terminator::Return(vec![Operand::int(32, 2)])]);
    let twice = lower(&units("int f(void) { return 1; } int main(void) { return f(); }", strong), &[]);
    assert_eq!(twice, Err(LowerError::DefinedTwice("f".to_string())));
    assert_eq!(lower(&units(strong, "int x;"), &[]), Err(LowerError::NoMain));
}

#[test]
fn static_functions_stay_apart() {
    let a = "static int f(void) { return 1; } int b(void); int main(void) { return f() + b(); }";
    let b = "static int f(void) { return 2; } int b(void) { return f(); }";
    let units = [unit(a, DataModel::Lp64, Origin::User), unit(b, DataModel::Lp64, Origin::User)];
    let program = well_formed(lower(&units, &[]).expect("it lowers"));
    assert_eq!(program.functions.values().filter(|f| f.name == "f").count(), 2);
}

#[test]
fn failing_assertions_end_the_run() {
    let program = program(
        "void reach_error(void) { for (;;); }
         void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
         int main(int argc, char **argv) {
             if (argc > 5) reach_error();
             if (argc > 6) __assert_fail(\"x == y\", \"test.c\", 3, \"main\");
             return 0;
         }",
    );
    let texts: Vec<_> = ops(function(&program, "main"))
        .filter_map(
            |op| if let Op::Violation { property, text } = op { Some((*property, text.as_str())) } else { None },
        )
        .collect();
    let wanted = [(Property::Assertion, "reach_error() is called"), (Property::Assertion, "assertion `x == y` fails")];
    assert_eq!(texts, wanted);
    assert_eq!(program.function_named("reach_error"), None);
    let entry = &program.functions[program.entry];
    let args = ops(entry).find_map(|op| if let Op::Call { args, .. } = op { Some(args) } else { None });
    assert_eq!(args.map(Vec::len), Some(2));
    assert!(program.globals.values().all(|g| g.name != ".str"), "the text's own global is not needed");
}

#[test]
fn intrinsics_and_inputs() {
    let user = "int __VERIFIER_nondet_int(void); int nondet_other(void); int missing(void); void lock(void);
                int main(void) { lock(); return __VERIFIER_nondet_int() + nondet_other() + missing(); }";
    let model = format!(
        "{}\nint __VERIFIER_nondet_int(void) {{ return __selvedge_nondet_int(); }} static int held;
         void lock(void) {{
             __selvedge_atomic_begin(); __selvedge_block_until(!held); held = 1;
             if (held > 1) __selvedge_violation(\"lock\", \"held twice\");
             __selvedge_atomic_end();
         }}",
        selvedge_models::HEADER
    );
    let units = [unit(user, DataModel::Lp64, Origin::User), unit(&model, DataModel::Lp64, Origin::Model)];
    let program = well_formed(lower(&units, &[]).expect("it lowers"));
    let inputs: Vec<_> = (program.functions.values().flat_map(ops))
        .filter_map(|op| if let Op::Nondet { input, .. } = op { Some(input.clone()) } else { None })
        .collect();
    assert!(inputs.contains(&Input::Call("__VERIFIER_nondet_int".to_string())));
    assert!(inputs.contains(&Input::Call("nondet_other".to_string())));
    assert!(inputs.contains(&Input::Unmodelled("missing".to_string())));
    assert_eq!(program.unmodelled.len(), 1);
    assert_eq!(program.unmodelled[0].loc.line, 2);
    let lock = function(&program, "lock");
    for which in [Intrinsic::AtomicBegin, Intrinsic::BlockUntil, Intrinsic::AtomicEnd] {
        assert!(ops(lock).any(|op| matches!(op, Op::Intrinsic { which: w, .. } if *w == which)));
    }
    assert!(ops(lock).any(|op| matches!(op, Op::Violation { property: Property::Lock, .. })));
}

#[test]
fn a_models_option_is_overwritten() {
    let user = "int option(void); int main(void) { return option(); }";
    let model = "int __selvedge_option_eager = 0; int option(void) { return __selvedge_option_eager; }";
    let units = [unit(user, DataModel::Lp64, Origin::User), unit(model, DataModel::Lp64, Origin::Model)];
    let program = lower(&units, &[("eager".to_string(), 7)]).expect("it lowers");
    let global = program.globals.values().find(|g| g.name == "__selvedge_option_eager").expect("reachable");
    assert_eq!(global.init, [7, 0, 0, 0]);
    let unknown = lower(&units, &[("lazy".to_string(), 1)]);
    assert_eq!(unknown, Err(LowerError::UnknownOption("lazy".to_string())));
}

#[test]
fn atomic_functions_by_name() {
    let program = program(
        "int x; int __VERIFIER_atomic_inc(int c) { if (c) return 0; x++; return 1; }
         int main(void) { return __VERIFIER_atomic_inc(1); }",
    );
    let inc = function(&program, "__VERIFIER_atomic_inc");
    let begins = |op: &&Op| matches!(op, Op::Intrinsic { which: Intrinsic::AtomicBegin, .. });
    assert_eq!(ops(inc).filter(begins).count(), 1);
    let returns = inc.blocks.values().filter(|b| matches!(b.term, Terminator::Return(_)));
    for block in returns {
        assert!(block.insts.iter().any(|i| matches!(i.op, Op::Intrinsic { which: Intrinsic::AtomicEnd, .. })));
    }
}

#[test]
fn initial_values_have_relocations_and_c_names() {
    let program = program(
        "int x; struct s { char c; int *p; long d; } s = { 1, &x, (long)&x };
         int (*f)(void); int g(void) { static int counter = 5; return counter++; }
         int (*table[2])(void) = { 0, g }; extern int elsewhere;
         int main(void) { return s.c + table[1]() + elsewhere; }",
    );
    let s = program.globals.values().find(|g| g.name == "s").expect("a global s");
    assert_eq!((s.size, s.init.as_slice()), (24, &[1u8][..]));
    assert_eq!(s.relocations.iter().map(|r| (r.at, r.bytes)).collect::<Vec<_>>(), [(8, 8), (16, 8)]);
    let ty = s.ty.expect("its C type is known");
    assert!(
        matches!(&program.source.types[ty], DebugType::Struct { name, fields, .. } if name == "s" && fields.len() == 3)
    );
    assert!(program.globals.values().any(|g| g.name == "counter"));
    assert!(program.globals.values().all(|g| g.name != "f"), "unused");
    assert_eq!(program.assumptions, [Assumption::ExternalVariable { name: "elsewhere".to_string() }]);
    assert!(ops(function(&program, "main")).any(|op| matches!(op, Op::Call { callee: Callee::Indirect(_), .. })));
}

#[test]
fn padding_is_known() {
    let program = program("struct s { char c; int i; short t; }; int main(void) { struct s a[2]; return a[0].c; }");
    let padding = ops(function(&program, "main"))
        .find_map(|op| match op {
            Op::Alloca { var: Some(var), padding, .. } if var == "a" => Some(padding.clone()),
            _ => None,
        })
        .expect("the array");
    assert_eq!(padding, [(1, 4), (10, 12), (13, 16), (22, 24)]);
}

#[test]
fn only_signed_arithmetic_of_the_user_is_checked() {
    let program = program("int main(int a, char **b) { unsigned u = a; u = u + 1; return a + 1; }");
    let checked: Vec<_> = ops(function(&program, "main"))
        .filter_map(|op| if let Op::Compute(Computation::Binary { checked, .. }) = op { Some(*checked) } else { None })
        .collect();
    assert_eq!(checked, [false, true]);
}

#[test]
fn computed_goto_is_a_switch() {
    let program =
        program("int main(int n, char **v) { void *t[2] = { &&a, &&b }; goto *t[n - 1]; a: return 1; b: return 2; }");
    let main = function(&program, "main");
    assert!(main.blocks.values().any(|b| matches!(&b.term, Terminator::Switch { cases, .. } if cases.len() == 2)));
}

#[test]
fn assembly_is_a_fence_or_nothing_or_named() {
    let program = program(
        "int main(int x, char **v) {
             __asm__ volatile(\"mfence\" ::: \"memory\"); __asm__ volatile(\"\" : \"+r\"(x));
             if (x > 7) __asm__ volatile(\"cli\");
             return x;
         }",
    );
    let main = function(&program, "main");
    assert!(ops(main).any(|op| matches!(op, Op::Fence { order: MemoryOrder::SeqCst })));
    let named = |a: &Assumption| matches!(a, Assumption::Assembly { text, .. } if text == "cli");
    assert!(program.assumptions.iter().any(named));
    assert!(!ops(main).any(|op| matches!(op, Op::Nondet { .. } | Op::Unsupported { .. })));
}

#[test]
fn long_double_is_an_assumption() {
    let program = program("long double x = 1.5L; int main(void) { x += 0.25L; return x > 1; }");
    assert_eq!(program.assumptions, [Assumption::LongDouble]);
    let x = program.globals.values().find(|g| g.name == "x").expect("a global x");
    assert_eq!((x.size, x.init.as_slice()), (16, &1.5f64.to_le_bytes()[..]));
}

#[test]
fn builtins_are_operations() {
    let program = program(
        "int main(int a, char **v) {
             int r; _Bool o = __builtin_add_overflow(a, 1, &r);
             return __builtin_popcount(a) + __builtin_clz(a) + __builtin_bswap32(a) + o + r
                 + (__builtin_fabs(a) > 1) + __builtin_isnan((double)a);
         }",
    );
    let main = function(&program, "main");
    assert!(ops(main).any(|op| matches!(op, Op::Compute(Computation::Overflowing { signed: true, .. }))));
    assert!(ops(main).any(|op| matches!(op, Op::Compute(Computation::FloatUnary { .. }))));
    assert_eq!(ops(main).filter(|op| matches!(op, Op::Compute(Computation::Unary { .. }))).count(), 3);
    assert!(!ops(main).any(|op| matches!(op, Op::Unsupported { .. })), "{program}");
}
