//! Hand-written IR: every instruction, every kind of constant, implicit
//! numbers, and the messages for text that is not IR.

use selvedge_from_llvm::ll::{self, *};

fn read(text: &str) -> Module {
    ll::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn refusal(text: &str) -> String {
    ll::parse(text).expect_err("should be refused").to_string()
}

/// The body of a function of no arguments, in a block of its own.
fn body(instructions: &str) -> Vec<Op> {
    let text = format!(
        "%S = type {{ i32, [2 x i8] }}\n@g = global i32 0\ndeclare i32 @v(ptr, ...)\n\
         define void @f(i32 %a, ptr %p, double %d, <4 x i32> %w) {{\n\
         entry:\n{instructions}\n  ret void\nother:\n  ret void\n}}\n"
    );
    let module = read(&text);
    let f = module.function("f").expect("just defined");
    let ops = f.blocks[0].instructions.iter().map(|i| i.op.clone());
    ops.collect()
}

#[test]
fn every_instruction_is_read() {
    let lines = [
        ("%r = fneg double %d", "fneg"),
        ("%r = add nsw nuw i32 %a, -1", "add"),
        ("%r = fdiv fast double %d, 1.0", "fdiv"),
        ("%r = ashr exact i32 %a, 2", "ashr"),
        ("%r = or disjoint i32 %a, 2", "or"),
        ("%r = extractelement <4 x i32> %w, i32 0", "extractelement"),
        ("%r = insertelement <4 x i32> %w, i32 %a, i32 1", "insertelement"),
        ("%r = shufflevector <4 x i32> %w, <4 x i32> poison, <2 x i32> <i32 0, i32 1>", "shufflevector"),
        ("%r = extractvalue %S { i32 1, [2 x i8] c\"ab\" }, 1, 0", "extractvalue"),
        ("%r = insertvalue %S undef, i32 %a, 0", "insertvalue"),
        ("%r = alloca [4 x i32], i64 3, align 16, addrspace(0)", "alloca"),
        ("%r = load atomic volatile i32, ptr %p syncscope(\"singlethread\") acquire, align 4", "load"),
        ("store volatile i32 %a, i32* @g, align 4", "store"),
        ("fence syncscope(\"singlethread\") seq_cst", "fence"),
        ("%r = cmpxchg weak volatile ptr %p, i32 0, i32 %a acq_rel monotonic, align 4", "cmpxchg"),
        ("%r = atomicrmw volatile umax ptr %p, i32 %a release", "atomicrmw"),
        ("%r = getelementptr inbounds nuw %S, ptr %p, i64 0, i32 1, i64 %i", "getelementptr"),
        ("%r = zext nneg i32 %a to i64", "zext"),
        ("%r = bitcast i32* %p to void (i8*, ...)*", "bitcast"),
        ("%r = icmp samesign ult i32 %a, 5", "icmp"),
        ("%r = fcmp nnan une double %d, 0x7FF0000000000000", "fcmp"),
        ("%r = select i1 true, i32 %a, i32 undef", "select"),
        ("%r = freeze i32 %a", "freeze"),
        ("%r = va_arg ptr %p, i32", "va_arg"),
        ("%r = landingpad { ptr, i32 } cleanup catch ptr null filter [0 x ptr] zeroinitializer", "landingpad"),
        ("%r = tail call fastcc zeroext i32 (ptr, ...) @v(ptr noundef nonnull %p, i32 5) nounwind", "call"),
    ];
    for (line, opcode) in lines {
        let line = line.replace("%i", "3");
        let ops = body(&format!("  {line}"));
        assert_eq!(ops[0].opcode(), opcode, "{line}");
        assert_eq!(ops.len(), 2, "{line}");
    }
}

#[test]
fn every_terminator_is_read() {
    let text = "
define i32 @f(i32 %a, ptr %p) personality ptr @f {
  switch i32 %a, label %other [
    i32 1, label %one
    i32 -2, label %one
  ]
one:
  indirectbr ptr blockaddress(@f, %other), [label %one, label %other]
other:
  %r = phi i32 [ 0, %2 ], [ %a, %one ]
  %c = icmp eq i32 %r, 0
  br i1 %c, label %one, label %last
last:
  invoke void @g(i32 5)
          to label %asm unwind label %pad
asm:
  callbr void asm sideeffect \"jmp ${0:l}\", \"!i\"()
          to label %end [label %pad]
pad:
  resume { ptr, i32 } undef
end:
  unreachable
}
declare void @g(i32)
";
    // The unnamed entry block takes the next number after named parameters.
    let text = text.replace("%2 ]", "%0 ]");
    let module = read(&text);
    let f = module.function("f").expect("defined");
    let names: Vec<&str> = f.blocks.iter().map(|b| &*b.name).collect();
    assert_eq!(names, ["0", "one", "other", "last", "asm", "pad", "end"]);
    let Op::Switch { default, cases, .. } = &f.blocks[0].instructions[0].op else { panic!() };
    assert_eq!(*default, BlockId(2));
    assert_eq!(cases, &[(Constant::Int(1), BlockId(1)), (Constant::Int(-2), BlockId(1))]);
    let Op::Phi { incoming, .. } = &f.blocks[2].instructions[0].op else { panic!() };
    assert_eq!(incoming[0].1, BlockId(0));
    let Op::CallBr { call, fallthrough, indirect } = &f.blocks[4].instructions[0].op else { panic!() };
    assert_eq!((*fallthrough, &indirect[..]), (BlockId(6), &[BlockId(5)][..]));
    assert!(matches!(&call.callee, Value::Asm(asm) if asm.sideeffect && asm.constraints == "!i"));
}

#[test]
fn implicit_numbers() {
    let module = read(
        "define i32 @f(i32, i32 %x) {\n  %2 = add i32 %0, %x\n  br label %3\n\n3:\n  \
         call i32 @f(i32 1, i32 2)\n  %5 = sub i32 %4, %2\n  ret i32 %5\n}\n",
    );
    let f = module.function("f").expect("defined");
    assert_eq!(&*f.blocks[0].name, "1", "the entry block counts too");
    let Op::Binary { lhs: Value::Local(four), .. } = f.blocks[1].instructions[1].op else { panic!() };
    assert_eq!(f.blocks[1].instructions[0].result, Some(four));
}

#[test]
fn constants() {
    let text = r#"
%S = type <{ i8, i32* }>
@x = external thread_local(initialexec) global i32, align 4
@s = private unnamed_addr constant [4 x i8] c"a\22\0A\00", section "ro", align 1
@p = internal global %S <{ i8 -1, i32* getelementptr inbounds ([2 x i32], [2 x i32]* bitcast (i8* @b to [2 x i32]*), i64 0, i64 1) }>
@b = weak_odr dso_local global i8 trunc (i64 sub (i64 ptrtoint (i32* @x to i64), i64 7) to i8)
@f = common local_unnamed_addr global float 0x3FB99999A0000000
@d = global <2 x double> splat (double 2.5)
@l = global x86_fp80 0xK3FFF8000000000000000
@c = global i1 icmp ne (i8* @b, i8* null)
@e = addrspace(1) global i128 -170141183460469231731687303715884105728
@n = global ptr no_cfi @fn
@a = alias i8, i8* @b
@i = ifunc void (), void ()* ()* @fn
@z = global i32 select (i1 icmp eq (ptr @b, ptr @x), i32 1, i32 2)
@h = global i16 u0xFFFF
declare extern_weak void ()* @fn()
"#;
    let module = read(text);
    let init = |name: &str| module.global(name).and_then(|g| g.init.clone()).expect("has one");
    let x = module.global("x").expect("declared");
    assert!(x.thread_local && x.init.is_none() && x.align == Some(4));
    assert_eq!(init("s"), Constant::Bytes((*b"a\"\n\0").into()));
    assert_eq!(module.global("s").and_then(|s| s.section.as_deref()), Some("ro"));
    assert!(matches!(init("p"), Constant::Struct { packed: true, fields } if fields.len() == 2));
    assert_eq!(init("f"), Constant::Float(u128::from(0.1f32.to_bits())));
    assert!(matches!(init("d"), Constant::Splat(_)));
    assert_eq!(init("e"), Constant::Int(i128::MIN));
    assert_eq!(init("h"), Constant::Int(0xffff));
    assert_eq!(module.global("b").map(|b| b.linkage), Some(Linkage::WeakOdr));
    assert!(module.alias("i").is_some_and(|i| i.ifunc));
    assert_eq!(module.alias("a").and_then(|a| a.target.value.as_global()).map(|s| &**s), Some("b"));
}

#[test]
fn attributes_that_matter_are_kept() {
    let module = read(
        "%S = type { i32 }\n\
         define void @f(ptr byval(%S) align 8 %s, ptr noalias sret(%S) align 4 %r, i8 signext %c) #0 {\n  \
         call void @exit(i32 noundef 1) #1\n  unreachable\n}\n\
         declare void @exit(i32) nounwind\n\
         attributes #0 = { noinline \"frame-pointer\"=\"all\" memory(none) allocsize(0,1) }\n\
         attributes #1 = { noreturn }\n",
    );
    let f = module.function("f").expect("defined");
    assert!(matches!(f.params[0].attrs.byval, Some(Type::Named(_))));
    assert!(f.params[1].attrs.sret.is_some() && f.params[2].attrs.signext);
    assert_eq!(f.params[0].attrs.align, Some(8));
    assert!(module.has_attribute(&f.attrs, "noinline"));
    let pointer = module.attribute(&f.attrs, "frame-pointer");
    assert_eq!(pointer.and_then(|a| a.argument.as_deref()), Some("all"));
    let Op::Call(call) = &f.blocks[0].instructions[0].op else { panic!() };
    assert!(module.has_attribute(&call.attrs, "noreturn"));
    let exit = module.function("exit").expect("declared");
    assert!(exit.is_declaration() && module.has_attribute(&exit.attrs, "nounwind"));
}

#[test]
fn both_forms_of_debug_records() {
    let metadata = "!1 = !DILocalVariable(name: \"x\", scope: !3, line: 4)\n\
                    !2 = !DILocation(line: 4, column: 7, scope: !3)\n\
                    !3 = distinct !DISubprogram(name: \"f\", file: !4, line: 3)\n\
                    !4 = !DIFile(filename: \"a.c\", directory: \".\")\n";
    let old = "call void @llvm.dbg.declare(metadata i32* %x, metadata !1, metadata !DIExpression()), !dbg !2";
    let new = "#dbg_declare(ptr %x, !1, !DIExpression(), !2)";
    for record in [old, new] {
        let module =
            read(&format!("define void @f() !dbg !3 {{\n  %x = alloca i32\n    {record}\n  ret void\n}}\n{metadata}"));
        let f = module.function("f").expect("defined");
        let declare = &f.blocks[0].instructions[1];
        let node = |id: Option<MdId>| id.and_then(|id| module.metadata.node(id)).expect("defined");
        let at = node(declare.location);
        assert_eq!((at.u32("line"), at.u32("column")), (Some(4), Some(7)));
        let Op::Debug(record) = &declare.op else { panic!("{declare:?}") };
        let alloca = f.blocks[0].instructions[0].result.expect("a register");
        assert_eq!((record.kind, &record.values[0].value), (DebugKind::Declare, &Value::Local(alloca)));
        assert_eq!(node(record.variable).str("name"), Some("x"));
    }
}

#[test]
fn metadata_of_every_shape() {
    let module = read(
        "!named = !{!0, !1}\n!0 = !{}\n\
         !1 = distinct !{!1, null, !\"s\\22\", i32 7, { i32, i32 }* undef, !DIExpression(DW_OP_deref, 8)}\n\
         !2 = !GenericDINode(tag: DW_TAG_member, header: \"h\", operands: {!0, !1})\n\
         !3 = !DIThing(flags: DIFlagA | DIFlagB, on: true, size: -4, extraData: i64 5)\n",
    );
    let node = |n: u32| module.metadata.node(MdId(n)).expect("defined");
    assert_eq!(module.metadata.named["named"], [MdId(0), MdId(1)]);
    assert!(node(1).distinct && node(1).elements[2] == MdValue::Str("s\"".into()));
    assert_eq!(module.metadata.field(node(2), "operands").map(|o| o.elements.len()), Some(2));
    let thing = node(3);
    assert_eq!(thing.word("flags"), Some("DIFlagA | DIFlagB"));
    assert_eq!((thing.bool("on"), thing.int("size")), (Some(true), Some(-4)));
    assert_eq!(thing.int("extraData"), Some(5));
}

#[test]
fn messages_say_where_and_what() {
    let with = |line: &str| format!("define void @f() {{\n  {line}\n  ret void\n}}\n");
    assert_eq!(refusal(&with("foo i32 1")), "line 2: unknown instruction `foo`");
    assert_eq!(refusal(&with("%x = add i32 %y, 1")), "line 2: `%y` is never defined");
    assert_eq!(refusal(&with("call void @g()")), "line 2: `@g` is never defined");
    assert_eq!(refusal(&with("br label %l")), "line 2: block `%l` is never defined");
    assert_eq!(refusal(&with("fence weird")), "line 2: expected a memory ordering, found `weird`");
    assert_eq!(refusal(&with("fence seq_cst, !dbg !9")), "line 2: metadata `!9` is never defined");
    assert_eq!(refusal("\n@x = global i32 frob"), "line 2: unknown constant `frob`");
    assert_eq!(refusal("@x = global"), "line 1: expected a type, but the text ends");
    assert_eq!(refusal("@x = global %T zeroinitializer"), "line 1: type `%T` is never defined");
    let deep = format!("@x = global {}", "[1 x ".repeat(100_000));
    assert!(refusal(&deep).contains("levels deep"));
}

#[test]
fn arrays_have_as_many_elements_as_their_type_says() {
    assert!(refusal("@g = global [5 x i8] c\"abc\\00\"\n").contains("an array of 5 elements has 4"));
    assert!(refusal("@g = global [1 x i32] [i32 1, i32 2]\n").contains("an array of 1 elements has 2"));
    read("@g = global [4 x i8] c\"abc\\00\"\n@h = global [2 x i32] [i32 1, i32 2]\n");
}
