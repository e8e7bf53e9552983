//! Translation into a [`Program`], by way of its text form.
//!
//! A lock is a byte, its owner's number plus one: taking it waits in an atomic section until it is zero. Every
//! statement has a line of its own in a file that does not exist, so that violations can be told apart.

use crate::ast::*;
use selvedge_program::{Program, text};
use std::fmt::Write;

const GLOBALS: &str = "\
program lp64 entry @main
file f0 \"generated.c\"
global @x 4 align 4
global @y 4 align 4
global @c 1 align 1
global @array 4 align 1
global @lock0 1 align 4
global @lock1 1 align 4
global @p 8 align 8 pointers [0:8 @x]
global @heap 8 align 8
global @box 8 align 8
global @function 8 align 8 pointers [0:8 @helper0]
";

impl Source {
    /// Translates it into a program.
    ///
    /// # Panics
    ///
    /// If the translation is wrong.
    pub fn program(&self) -> Program {
        let text = self.text();
        text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The program in text form.
    pub fn text(&self) -> String {
        let mut line = 0;
        let mut out = GLOBALS.to_string();
        for (number, helper) in self.helpers.iter().enumerate() {
            let mut function = Function::new(&mut line);
            function.list(helper);
            function.close(&mut out, &format!("helper{number}(%r0: i32) -> i32"), "return %r0");
        }
        for (number, body) in self.threads.iter().enumerate() {
            let mut function = Function::new(&mut line);
            self.thread(&mut function, number, body);
            function.close(&mut out, &format!("thread{number}(%first: ptr, %second: ptr)"), "return");
        }
        let mut main = Function::new(&mut line);
        self.main(&mut main);
        main.close(&mut out, "main() -> i32", "return 0i32");
        out
    }

    fn thread(&self, function: &mut Function, number: usize, body: &[Stmt]) {
        let Some(nested) = self.nested.filter(|_| number == 0 && self.nests()) else {
            return function.list(body);
        };
        let (before, behind) = body.split_at(usize::from(nested.position).min(body.len()));
        function.list(before);
        let last = self.threads.len() - 1;
        let child = function.spawn(last);
        function.list(behind);
        if nested.joins {
            function.join(&child);
        }
    }

    fn main(&self, main: &mut Function) {
        // Reading through `heap` is only wrong after it was freed.
        if self.any(&|s| s.uses_heap()) {
            main.stmt(&Stmt::Allocate(Atom::Constant(0)));
        }
        main.list(&self.before);
        let threads: Vec<String> = (0..self.created_by_main()).map(|number| main.spawn(number)).collect();
        main.list(&self.between);
        if self.joins {
            threads.iter().for_each(|thread| main.join(thread));
        }
        main.list(&self.after);
        match self.end {
            MainEnd::Process => main.statement("process_exit()"),
            MainEnd::Thread => main.statement("thread_exit()"),
        }
    }
}

impl Stmt {
    fn uses_heap(&self) -> bool {
        matches!(
            self,
            Stmt::Load(_, Place::Heap(_))
                | Stmt::Store(Place::Heap(_), _)
                | Stmt::Rmw(_, _, Place::Heap(_), _)
                | Stmt::CmpXchg(_, Place::Heap(_), ..)
                | Stmt::Free
        )
    }
}

/// A function being written.
struct Function<'a> {
    /// The number of the last statement in the whole program.
    line: &'a mut u32,
    body: String,
    /// The types of the temporaries.
    temporaries: Vec<&'static str>,
    blocks: u32,
    /// Nesting of atomic sections.
    atomic: u32,
}

/// An address, the type of its target, and the block to go to if there is no target.
struct Address {
    pointer: String,
    ty: &'static str,
    nothing: Option<String>,
}

impl Function<'_> {
    fn new(line: &mut u32) -> Function<'_> {
        Function { line, body: String::new(), temporaries: Vec::new(), blocks: 0, atomic: 0 }
    }

    /// Writes the whole function to `out`.
    fn close(mut self, out: &mut String, head: &str, end: &str) {
        *self.line += 1;
        self.emit(end);
        let _ = writeln!(out, "\nfn @{head} at f0:{}:1 {{", *self.line);
        let declared = if head.contains("%r0") { 1 } else { 0 };
        for register in declared..REGISTERS {
            let _ = writeln!(out, "  i32 %r{register}");
        }
        out.push_str("  ptr %own\n");
        for (number, ty) in self.temporaries.iter().enumerate() {
            let _ = writeln!(out, "  {ty} %t{number}");
        }
        out.push_str("entry:\n");
        for register in declared..REGISTERS {
            let _ = writeln!(out, "  %r{register} = copy 0i32");
        }
        if self.body.contains("%own") {
            out.push_str("  %own = alloca 4i64 align 4 var \"own\"\n  store i32 0i32 to %own\n");
        }
        out.push_str(&self.body);
        out.push_str("}\n");
    }

    fn emit(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text} at {}:1", *self.line);
    }

    /// Emits a statement on a line of its own.
    fn statement(&mut self, text: &str) {
        *self.line += 1;
        self.emit(text);
    }

    fn temporary(&mut self, ty: &'static str) -> String {
        self.temporaries.push(ty);
        format!("%t{}", self.temporaries.len() - 1)
    }

    /// A new temporary with this value.
    fn compute(&mut self, ty: &'static str, text: &str) -> String {
        let temporary = self.temporary(ty);
        self.emit(&format!("{temporary} = {text}"));
        temporary
    }

    fn block(&mut self) -> String {
        self.blocks += 1;
        format!("b{}", self.blocks)
    }

    fn begin(&mut self, block: &str) {
        let _ = writeln!(self.body, "{block}:");
    }

    /// Ends the block with a branch, and begins the one for "true".
    fn branch(&mut self, condition: &str, then: &str, otherwise: &str) {
        self.emit(&format!("branch {condition}, {then}, {otherwise}"));
        self.begin(then);
    }

    fn jump(&mut self, block: &str) {
        self.emit(&format!("jump {block}"));
    }

    fn list(&mut self, list: &[Stmt]) {
        list.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn spawn(&mut self, number: usize) -> String {
        *self.line += 1;
        self.compute("i32", &format!("spawn(@thread{number}, null, null)"))
    }

    fn join(&mut self, thread: &str) {
        *self.line += 1;
        self.emit("atomic_begin()");
        let finished = self.compute("i1", &format!("finished({thread})"));
        self.emit(&format!("waits_for(null, {thread})"));
        self.emit(&format!("block_until({finished})"));
        self.emit("atomic_end()");
    }

    fn condition(&mut self, condition: Condition) -> String {
        let word = comparison(condition.comparison);
        self.compute("i1", &format!("{word} %r{}, {}", condition.left, atom(condition.right)))
    }

    fn address(&mut self, place: Place) -> Address {
        let known = |pointer: &str, ty| Address { pointer: pointer.to_string(), ty, nothing: None };
        match place {
            Place::X => known("@x", "i32"),
            Place::Y => known("@y", "i32"),
            Place::C => known("@c", "i8"),
            Place::Own => known("%own", "i32"),
            Place::Element(Index::Constant(0)) => known("@array", "i8"),
            Place::Element(Index::Constant(n)) => known(&format!("@array+{n}"), "i8"),
            Place::Element(Index::Masked(register)) => {
                let index = self.compute("i32", &format!("and %r{register}, {}i32", ELEMENTS - 1));
                known(&self.element(&index), "i8")
            }
            Place::Element(Index::Raw(register)) => known(&self.element(&format!("%r{register}")), "i8"),
            Place::Heap(field) => {
                let object = self.compute("ptr", "load @heap");
                known(&self.compute("ptr", &format!("field {object}, {}", 4 * field)), "i32")
            }
            Place::Through => known(&self.compute("ptr", "load @p"), "i32"),
            Place::Boxed => {
                let pointer = self.compute("ptr", "load @box");
                let is_null = self.compute("i1", &format!("eq {pointer}, null"));
                let (nothing, something) = (self.block(), self.block());
                self.emit(&format!("branch {is_null}, {nothing}, {something}"));
                self.begin(&something);
                Address { pointer, ty: "i32", nothing: Some(nothing) }
            }
        }
    }

    fn element(&mut self, index: &str) -> String {
        self.compute("ptr", &format!("index @array, {index} stride 1 bound {ELEMENTS}"))
    }

    fn start(&mut self, block: Block) -> String {
        match block {
            Block::X => "@x".to_string(),
            Block::Array(first) => self.address(Place::Element(Index::Constant(first))).pointer,
            Block::Own => "%own".to_string(),
            Block::Heap => {
                let object = self.compute("ptr", "load @heap");
                self.compute("ptr", &format!("field {object}, 2"))
            }
        }
    }

    /// Ends an access; the path without a target continues here, too.
    fn done(&mut self, address: Address) {
        if let Some(nothing) = address.nothing {
            self.jump(&nothing);
            self.begin(&nothing);
        }
    }

    /// Moves a temporary of the target's type into a register.
    fn widen(&mut self, register: Register, ty: &str, value: &str) {
        let word = if ty == "i8" { "sign_extend" } else { "copy" };
        self.emit(&format!("%r{register} = {word} {value}"));
    }

    fn narrow(&mut self, value: Atom, ty: &'static str) -> String {
        match (value, ty) {
            (Atom::Constant(value), _) => format!("{value}{ty}"),
            (Atom::Register(register), "i8") => self.compute("i8", &format!("truncate %r{register}")),
            (Atom::Register(register), _) => format!("%r{register}"),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        *self.line += 1;
        match stmt {
            Stmt::Let(register, operation, a, b) => {
                let word = match operation {
                    Arithmetic::Add => "add",
                    Arithmetic::Sub => "sub",
                    Arithmetic::Xor => "xor",
                    Arithmetic::And => "and",
                    Arithmetic::Mul => "mul",
                };
                self.emit(&format!("%r{register} = {word} {}, {}", atom(*a), atom(*b)));
            }
            Stmt::Load(register, place) => {
                let address = self.address(*place);
                let value = self.compute(address.ty, &format!("load {}", address.pointer));
                self.widen(*register, address.ty, &value);
                self.done(address);
            }
            Stmt::Store(place, value) => {
                let address = self.address(*place);
                let value = self.narrow(*value, address.ty);
                self.emit(&format!("store {} {value} to {}", address.ty, address.pointer));
                self.done(address);
            }
            Stmt::AtomicStore(place, value, order) => {
                let address = self.address(*place);
                let value = self.narrow(*value, address.ty);
                let mode = if *order == Order::SeqCst { "atomic" } else { "release" };
                self.emit(&format!("store {mode} {} {value} to {}", address.ty, address.pointer));
                self.done(address);
            }
            Stmt::Fence(order) => self.emit(if *order == Order::SeqCst { "fence" } else { "fence release" }),
            Stmt::Rmw(register, modification, place, value) => {
                let word = match modification {
                    Modification::Exchange => "exchange",
                    Modification::Add => "add",
                    Modification::Sub => "sub",
                    Modification::Or => "or",
                    Modification::Max => "max",
                };
                let address = self.address(*place);
                let value = self.narrow(*value, address.ty);
                let old = self.compute(address.ty, &format!("rmw {word} {}, {value}", address.pointer));
                self.widen(*register, address.ty, &old);
                self.done(address);
            }
            Stmt::CmpXchg(register, place, expected, new) => {
                let address = self.address(*place);
                let (expected, new) = (self.narrow(*expected, address.ty), self.narrow(*new, address.ty));
                let (old, success) = (self.temporary(address.ty), self.temporary("i1"));
                self.emit(&format!("{old}, {success} = cmpxchg {}, {expected}, {new}", address.pointer));
                self.emit(&format!("%r{register} = zero_extend {success}"));
                self.done(address);
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.condition(*condition);
                let (yes, no, end) = (self.block(), self.block(), self.block());
                self.branch(&condition, &yes, &no);
                self.list(then);
                self.jump(&end);
                self.begin(&no);
                self.list(otherwise);
                self.jump(&end);
                self.begin(&end);
            }
            Stmt::Loop(times, body) => self.repeat(*times, body),
            Stmt::Wait(place, comparison, constant) => self.wait(*place, *comparison, *constant),
            Stmt::Spin { place, comparison, constant, .. } if self.atomic > 0 => {
                self.wait(*place, *comparison, *constant);
            }
            Stmt::Spin { place, comparison, constant, yields } => {
                let (head, again, end) = (self.block(), self.block(), self.block());
                self.jump(&head);
                self.begin(&head);
                let condition = self.test(*place, *comparison, *constant);
                self.emit(&format!("branch {condition}, {end}, {again}"));
                self.begin(&again);
                if *yields {
                    self.emit("yield()");
                }
                self.jump(&head);
                self.begin(&end);
            }
            Stmt::Locked(lock, body) => {
                self.emit("atomic_begin()");
                let value = self.compute("i8", &format!("load @lock{lock}"));
                let free = self.compute("i1", &format!("eq {value}, 0i8"));
                let owner = self.compute("i8", &format!("sub {value}, 1i8"));
                self.emit(&format!("waits_for(@lock{lock}, {owner})"));
                self.emit(&format!("block_until({free})"));
                let me = self.compute("i32", "owner()");
                let me = self.compute("i8", &format!("truncate {me}"));
                self.emit(&format!("store i8 {me} to @lock{lock}"));
                self.emit(&format!("acquired(@lock{lock}, true)"));
                self.emit("atomic_end()");
                self.list(body);
                self.statement("atomic_begin()");
                self.emit(&format!("store i8 0i8 to @lock{lock}"));
                self.emit(&format!("released(@lock{lock})"));
                self.emit("atomic_end()");
            }
            Stmt::Atomic(body) => {
                self.emit("atomic_begin()");
                self.atomic += 1;
                self.list(body);
                self.atomic -= 1;
                self.emit("atomic_end()");
            }
            Stmt::Call { helper, argument, result } => {
                let callee = match helper {
                    Some(number) => format!("@helper{number}"),
                    None => format!("*{}", self.compute("ptr", "load @function")),
                };
                self.emit(&format!("%r{result} = call {callee}({})", atom(*argument)));
            }
            Stmt::Input(register, Range::Small { low, count }) => {
                let high = low + count.saturating_sub(1);
                self.emit(&format!("%r{register} = nondet call \"small\" in [{low}i32, {high}i32]"));
            }
            Stmt::Input(register, Range::Wide) => self.emit(&format!("%r{register} = nondet call \"wide\"")),
            Stmt::Assume(condition) => {
                let condition = self.condition(*condition);
                self.emit(&format!("assume({condition})"));
            }
            Stmt::Assert(condition) => {
                let condition = self.condition(*condition);
                let (holds, fails) = (self.block(), self.block());
                self.emit(&format!("branch {condition}, {holds}, {fails}"));
                self.begin(&fails);
                self.emit("violation assertion \"the claim fails\"");
                self.jump(&holds);
                self.begin(&holds);
            }
            Stmt::Yield => self.emit("yield()"),
            Stmt::Exit => self.emit("thread_exit()"),
            Stmt::Point(to_y) => {
                self.emit(if *to_y { "store ptr @y to @p" } else { "store ptr @x to @p" });
            }
            Stmt::SetFunction(helper) => self.emit(&format!("store ptr @helper{helper} to @function")),
            Stmt::Allocate(value) => {
                let object = self.compute("ptr", "alloc(8i64, 4i64)");
                let value = atom(*value);
                self.emit(&format!("store i32 {value} to {object}"));
                let second = self.compute("ptr", &format!("field {object}, 4"));
                self.emit(&format!("store i32 {value} to {second}"));
                self.emit(&format!("store ptr {object} to @heap"));
            }
            Stmt::Free => {
                let object = self.compute("ptr", "load @heap");
                self.emit(&format!("free({object})"));
            }
            Stmt::Publish => self.emit("store ptr %own to @box"),
            Stmt::Copy { to, from, length, moves } => {
                let (to, from) = (self.start(*to), self.start(*from));
                let length = match length {
                    Length::Constant(bytes) => format!("{bytes}i32"),
                    Length::Masked(register) => self.compute("i32", &format!("and %r{register}, {}i32", ELEMENTS - 1)),
                };
                self.emit(&format!("{} {to}, {from}, {length}", if *moves { "memmove" } else { "memcopy" }));
            }
        }
    }

    fn repeat(&mut self, times: u8, body: &[Stmt]) {
        let counter = self.temporary("i8");
        let (head, again, end) = (self.block(), self.block(), self.block());
        self.emit(&format!("{counter} = copy 0i8"));
        self.jump(&head);
        self.begin(&head);
        let more = self.compute("i1", &format!("ult {counter}, {times}i8"));
        self.branch(&more, &again, &end);
        self.list(body);
        self.emit(&format!("{counter} = add {counter}, 1i8"));
        self.jump(&head);
        self.begin(&end);
    }

    fn wait(&mut self, place: Place, comparison: Comparison, constant: i8) {
        self.emit("atomic_begin()");
        let condition = self.test(place, comparison, constant);
        self.emit(&format!("block_until({condition})"));
        self.emit("atomic_end()");
    }

    /// Loads and compares. Only plain variables are waited for.
    fn test(&mut self, place: Place, op: Comparison, constant: i8) -> String {
        let address = self.address(place);
        let value = self.compute(address.ty, &format!("load {}", address.pointer));
        let condition = self.compute("i1", &format!("{} {value}, {constant}{}", comparison(op), address.ty));
        self.done(address);
        condition
    }
}

fn atom(atom: Atom) -> String {
    match atom {
        Atom::Constant(value) => format!("{value}i32"),
        Atom::Register(register) => format!("%r{register}"),
    }
}

fn comparison(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => "eq",
        Comparison::Ne => "ne",
        Comparison::Slt => "slt",
        Comparison::Sge => "sge",
        Comparison::Ult => "ult",
    }
}
