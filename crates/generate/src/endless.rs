//! Programs that exceed bounds: loops whose end cannot be foreseen, or that have none, and threads created in them;
//! inside and outside of atomic sections. Fences, release stores and atomic exchanges matter where stores arrive late.
//!
//! All of them use few variables only, so that a simple interpreter can try all their runs within small bounds. Every
//! function has a register of its own.

use proptest::collection::vec;
use proptest::prelude::*;
use selvedge_program::{Program, text};
use std::fmt::Write;

/// The number of functions for threads.
pub const FUNCTIONS: u8 = 2;

/// A variable that all threads share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Variable {
    X,
    Y,
    Z,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Stmt {
    Set(Variable, i8),
    /// A release store.
    Publish(Variable, i8),
    /// An atomic exchange.
    Exchange(Variable, i8),
    /// A seq_cst fence.
    Fence,
    /// A release fence.
    Separate,
    /// Reads, then writes: outside of sections other threads may interfere in between.
    Increment(Variable),
    /// `assert(variable != constant)`
    Check(Variable, i8),
    /// `assume(variable != constant)`
    Assume(Variable, i8),
    /// `atomic { block_until(variable == constant) }`
    Wait(Variable, i8),
    /// `if (variable == constant) …`
    If(Variable, i8, Vec<Stmt>),
    /// `while (input) …`
    While(Vec<Stmt>),
    /// `while (variable != constant) …`
    Until(Variable, i8, Vec<Stmt>),
    /// `for (;;) …`
    Forever(Vec<Stmt>),
    Atomic(Vec<Stmt>),
    /// Creates a thread that runs this function.
    Spawn(u8),
    /// The thread ends.
    Exit,
    /// The process ends.
    ExitProcess,
    /// Writes through a null pointer: where memory is not checked, the run ends here.
    Misuse,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Endless {
    pub main: Vec<Stmt>,
    pub functions: Vec<Vec<Stmt>>,
}

impl Stmt {
    /// The statements inside of it.
    pub fn inner(&self) -> &[Stmt] {
        match self {
            Stmt::If(_, _, body)
            | Stmt::While(body)
            | Stmt::Until(_, _, body)
            | Stmt::Forever(body)
            | Stmt::Atomic(body) => body,
            Stmt::Set(..)
            | Stmt::Publish(..)
            | Stmt::Exchange(..)
            | Stmt::Fence
            | Stmt::Separate
            | Stmt::Increment(_)
            | Stmt::Check(..)
            | Stmt::Assume(..)
            | Stmt::Wait(..)
            | Stmt::Spawn(_)
            | Stmt::Exit
            | Stmt::ExitProcess
            | Stmt::Misuse => &[],
        }
    }

    pub fn is_loop(&self) -> bool {
        matches!(self, Stmt::While(_) | Stmt::Until(..) | Stmt::Forever(_))
    }
}

/// Draws such programs. Simple alternatives come first: proptest shrinks towards them.
pub fn endless() -> impl Strategy<Value = Endless> {
    let function = || vec(stmt(2), 1..4);
    let creates = (stmt(1), 0..FUNCTIONS, stmt(2), stmt(2)).prop_map(|(a, f, b, c)| vec![a, Stmt::Spawn(f), b, c]);
    let main = prop_oneof![1 => function(), 3 => creates];
    (main, vec(function(), usize::from(FUNCTIONS)..=usize::from(FUNCTIONS)))
        .prop_map(|(main, functions)| Endless { main, functions })
}

/// Draws programs of two threads that store and then look at other variables, without loops. Half of them are store
/// buffering or message passing with something in between, which go wrong only if stores arrive late.
pub fn delayed() -> impl Strategy<Value = Endless> {
    use Variable::{X, Y};
    let free = (stores_and_looks(X, Y), stores_and_looks(Y, X));
    let pairs = prop_oneof![store_buffering(), message_passing(), free.clone(), free];
    pairs.prop_map(|(one, other)| Endless { main: vec![Stmt::Spawn(0), Stmt::Spawn(1)], functions: vec![one, other] })
}

/// Draws programs that are correct more often: threads without end and without number that do something in sections, or
/// while they hold a lock made by hand, `z`; and a main that does so as well, and checks what it finds.
pub fn guarded() -> impl Strategy<Value = Endless> {
    let guards = || prop_oneof![3 => Just(true), 1 => Just(false)];
    let worker = || {
        (guards(), critical(), any::<bool>()).prop_map(|(locks, body, leaves_as_it_was)| {
            let mut body = body;
            if leaves_as_it_was {
                body.extend([Stmt::Set(Variable::X, 0), Stmt::Set(Variable::Y, 0)]);
            }
            vec![Stmt::Forever(under_a_lock(locks, body))]
        })
    };
    let main = (any::<bool>(), guards(), variable(), 1..3i8).prop_map(|(many, locks, checked, constant)| {
        let creates = if many { Stmt::While(vec![Stmt::Spawn(0)]) } else { Stmt::Spawn(0) };
        let mut main = vec![creates, Stmt::Spawn(1)];
        main.extend(under_a_lock(locks, vec![Stmt::Check(checked, constant)]));
        main
    });
    (main, vec(worker(), usize::from(FUNCTIONS)..=usize::from(FUNCTIONS)))
        .prop_map(|(main, functions)| Endless { main, functions })
}

fn under_a_lock(locks: bool, body: Vec<Stmt>) -> Vec<Stmt> {
    if !locks {
        return vec![Stmt::Atomic(body)];
    }
    let mut all = vec![Stmt::Atomic(vec![Stmt::Wait(Variable::Z, 0), Stmt::Set(Variable::Z, 1)])];
    all.extend(body);
    all.push(Stmt::Set(Variable::Z, 0));
    all
}

fn critical() -> impl Strategy<Value = Vec<Stmt>> {
    let simple = || {
        prop_oneof![
            3 => (variable(), 0..3i8).prop_map(|(v, n)| Stmt::Set(v, n)),
            1 => variable().prop_map(Stmt::Increment),
            1 => (variable(), 1..3i8).prop_map(|(v, n)| Stmt::Check(v, n)),
        ]
    };
    let guarded = (variable(), 0..3i8, simple()).prop_map(|(v, n, inner)| Stmt::If(v, n, vec![inner]));
    vec(prop_oneof![3 => simple(), 1 => guarded], 0..3)
}

/// Both threads store, and then find the other's variable as it was.
fn store_buffering() -> impl Strategy<Value = (Vec<Stmt>, Vec<Stmt>)> + Clone {
    use Variable::{X, Y, Z};
    let thread = |mine, other| {
        let both = vec![Stmt::Atomic(vec![Stmt::Increment(Z), Stmt::Check(Z, 2)])];
        (1..3i8, between(mine, other)).prop_map(move |(n, between)| {
            [vec![Stmt::Set(mine, n)], between, vec![Stmt::If(other, 0, both.clone())]].concat()
        })
    };
    (thread(X, Y), thread(Y, X))
}

/// One thread stores data and then a flag; the other finds the flag set, and the data as they were.
fn message_passing() -> impl Strategy<Value = (Vec<Stmt>, Vec<Stmt>)> + Clone {
    use Variable::{X, Y};
    let sender = between(X, Y).prop_map(|between| [vec![Stmt::Set(X, 1)], between, vec![Stmt::Set(Y, 1)]].concat());
    (sender, Just(vec![Stmt::If(Y, 1, vec![Stmt::Check(X, 0)])]))
}

/// A thread that mostly stores to one variable and looks at the other.
fn stores_and_looks(mine: Variable, other: Variable) -> impl Strategy<Value = Vec<Stmt>> + Clone {
    let last = prop_oneof![3 => look(mine, other), 1 => set(mine).boxed()];
    let parts = (between(mine, other), set(mine), between(mine, other), last, between(mine, other));
    parts.prop_map(|(before, set, between, look, after)| [before, vec![set], between, vec![look], after].concat())
}

fn mostly(which: Variable) -> impl Strategy<Value = Variable> + Clone {
    prop_oneof![4 => Just(which), 1 => variable()]
}

fn set(mine: Variable) -> impl Strategy<Value = Stmt> + Clone {
    (mostly(mine), 1..3i8).prop_map(|(v, n)| Stmt::Set(v, n))
}

/// Both threads get there, or one finds a variable as it should not be any more.
fn look(mine: Variable, other: Variable) -> BoxedStrategy<Stmt> {
    let claim = prop_oneof![
        2 => Just(vec![Stmt::Atomic(vec![Stmt::Increment(Variable::Z), Stmt::Check(Variable::Z, 2)])]),
        1 => mostly(mine).prop_map(|v| vec![Stmt::Check(v, 0)]),
    ];
    let expected = prop_oneof![2 => Just(0), 2 => Just(1), 1 => Just(2)];
    (mostly(other), expected, claim).prop_map(|(v, n, claim)| Stmt::If(v, n, claim)).boxed()
}

/// Nothing, another store, or something that keeps stores in order.
fn between(mine: Variable, other: Variable) -> BoxedStrategy<Vec<Stmt>> {
    let order = prop_oneof![
        Just(Stmt::Fence),
        Just(Stmt::Separate),
        (mostly(mine), 1..3i8).prop_map(|(v, n)| Stmt::Publish(v, n)),
        (mostly(mine), 1..3i8).prop_map(|(v, n)| Stmt::Exchange(v, n)),
        mostly(mine).prop_map(Stmt::Increment),
        look(mine, other).prop_map(|look| Stmt::Atomic(vec![look])),
    ];
    let store = (mostly(other), 1..3i8).prop_map(|(v, n)| vec![Stmt::Set(v, n)]);
    prop_oneof![3 => Just(Vec::new()), 1 => store, 1 => order.prop_map(|order| vec![order])].boxed()
}

fn variable() -> impl Strategy<Value = Variable> + Clone {
    prop_oneof![2 => Just(Variable::X), 1 => Just(Variable::Y)]
}

fn stmt(depth: u32) -> BoxedStrategy<Stmt> {
    let constant = || 0..3i8;
    let mut ways: Vec<(u32, BoxedStrategy<Stmt>)> = vec![
        (4, (variable(), constant()).prop_map(|(v, n)| Stmt::Set(v, n)).boxed()),
        (4, variable().prop_map(Stmt::Increment).boxed()),
        (6, (variable(), 1..3i8).prop_map(|(v, n)| Stmt::Check(v, n)).boxed()),
        (3, (0..FUNCTIONS).prop_map(Stmt::Spawn).boxed()),
        (1, (variable(), constant()).prop_map(|(v, n)| Stmt::Assume(v, n)).boxed()),
        (1, (variable(), constant()).prop_map(|(v, n)| Stmt::Wait(v, n)).boxed()),
        (1, Just(Stmt::Fence).boxed()),
        (1, (variable(), constant()).prop_map(|(v, n)| Stmt::Publish(v, n)).boxed()),
        (1, (variable(), constant()).prop_map(|(v, n)| Stmt::Exchange(v, n)).boxed()),
        (1, Just(Stmt::Separate).boxed()),
        (1, Just(Stmt::Misuse).boxed()),
        (1, Just(Stmt::Exit).boxed()),
        (1, Just(Stmt::ExitProcess).boxed()),
    ];
    if depth > 0 {
        let list = || vec(stmt(depth - 1), 1..3);
        ways.extend([
            (6, list().prop_map(Stmt::Atomic).boxed()),
            (3, list().prop_map(Stmt::While).boxed()),
            (3, (variable(), constant(), list()).prop_map(|(v, n, body)| Stmt::Until(v, n, body)).boxed()),
            (3, list().prop_map(Stmt::Forever).boxed()),
            (2, (variable(), constant(), list()).prop_map(|(v, n, body)| Stmt::If(v, n, body)).boxed()),
        ]);
    }
    proptest::strategy::Union::new_weighted(ways).boxed()
}

impl Endless {
    /// Translates it into a program.
    ///
    /// # Panics
    ///
    /// If the translation is wrong.
    pub fn program(&self) -> Program {
        let text = self.text();
        text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The program in text form. Main ends as a thread, so that others may go on.
    pub fn text(&self) -> String {
        let mut out =
            "program lp64 entry @main\nglobal @x 4 align 4\nglobal @y 4 align 4\nglobal @z 4 align 4\n".to_string();
        for (number, body) in self.functions.iter().enumerate() {
            Function::default().write(&mut out, &format!("thread{number}(%first: ptr, %second: ptr)"), body, false);
        }
        Function::default().write(&mut out, "main() -> i32", &self.main, true);
        out
    }
}

/// A function being written.
#[derive(Default)]
struct Function {
    body: String,
    blocks: u32,
}

impl Function {
    fn write(mut self, out: &mut String, head: &str, body: &[Stmt], is_main: bool) {
        if is_main {
            // The initial values must not be known when the program is unwound.
            self.emit("%r = nondet call \"zero\" in [0i32, 0i32]");
            self.emit("store i32 %r to @x");
            self.emit("store i32 %r to @y");
            self.emit("store i32 %r to @z");
        }
        self.list(body);
        self.emit("thread_exit()");
        self.emit(if is_main { "return 0i32" } else { "return" });
        let registers = "  i32 %r\n  i1 %b\n";
        let _ = write!(out, "\nfn @{head} {{\n{registers}entry:\n{}}}\n", self.body);
    }

    fn emit(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    fn block(&mut self) -> String {
        self.blocks += 1;
        format!("b{}", self.blocks)
    }

    fn begin(&mut self, block: &str) {
        let _ = writeln!(self.body, "{block}:");
    }

    /// Ends a block with a jump to the next one.
    fn begin_next(&mut self, block: &str) {
        self.emit(&format!("jump {block}"));
        self.begin(block);
    }

    fn list(&mut self, list: &[Stmt]) {
        list.iter().for_each(|stmt| self.stmt(stmt));
    }

    /// Computes a comparison into `%b`.
    fn compare(&mut self, word: &str, variable: Variable, constant: i8) {
        self.emit(&format!("%r = load {}", name(variable)));
        self.emit(&format!("%b = {word} %r, {constant}i32"));
    }

    /// A loop that goes on while `%b` holds after `head`.
    fn repeat(&mut self, head: impl FnOnce(&mut Self), body: &[Stmt]) {
        let (again, inside, end) = (self.block(), self.block(), self.block());
        self.begin_next(&again);
        head(self);
        self.emit(&format!("branch %b, {inside}, {end}"));
        self.begin(&inside);
        self.list(body);
        self.emit(&format!("jump {again}"));
        self.begin(&end);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Set(variable, constant) => self.emit(&format!("store i32 {constant}i32 to {}", name(*variable))),
            Stmt::Publish(variable, constant) => {
                self.emit(&format!("store release i32 {constant}i32 to {}", name(*variable)));
            }
            Stmt::Exchange(variable, constant) => {
                self.emit(&format!("%r = rmw exchange relaxed {}, {constant}i32", name(*variable)));
            }
            Stmt::Fence => self.emit("fence"),
            Stmt::Separate => self.emit("fence release"),
            Stmt::Increment(variable) => {
                self.emit(&format!("%r = load {}", name(*variable)));
                self.emit("%r = add %r, 1i32");
                self.emit(&format!("store i32 %r to {}", name(*variable)));
            }
            Stmt::Check(variable, constant) => {
                let (holds, fails) = (self.block(), self.block());
                self.compare("ne", *variable, *constant);
                self.emit(&format!("branch %b, {holds}, {fails}"));
                self.begin(&fails);
                self.emit("violation assertion \"the claim fails\"");
                self.begin_next(&holds);
            }
            Stmt::Assume(variable, constant) => {
                self.compare("ne", *variable, *constant);
                self.emit("assume(%b)");
            }
            Stmt::Wait(variable, constant) => {
                self.emit("atomic_begin()");
                self.compare("eq", *variable, *constant);
                self.emit("block_until(%b)");
                self.emit("atomic_end()");
            }
            Stmt::If(variable, constant, body) => {
                let (then, end) = (self.block(), self.block());
                self.compare("eq", *variable, *constant);
                self.emit(&format!("branch %b, {then}, {end}"));
                self.begin(&then);
                self.list(body);
                self.begin_next(&end);
            }
            Stmt::While(body) => {
                let input = |this: &mut Self| {
                    this.emit("%r = nondet call \"more\" in [0i32, 1i32]");
                    this.emit("%b = eq %r, 1i32");
                };
                self.repeat(input, body);
            }
            Stmt::Until(variable, constant, body) => {
                self.repeat(|this| this.compare("ne", *variable, *constant), body);
            }
            Stmt::Forever(body) => {
                let (again, end) = (self.block(), self.block());
                self.begin_next(&again);
                self.list(body);
                self.emit(&format!("jump {again}"));
                self.begin(&end);
            }
            Stmt::Atomic(body) => {
                self.emit("atomic_begin()");
                self.list(body);
                self.emit("atomic_end()");
            }
            Stmt::Spawn(function) => self.emit(&format!("%r = spawn(@thread{function}, null, null)")),
            Stmt::Exit => self.emit("thread_exit()"),
            Stmt::ExitProcess => self.emit("process_exit()"),
            Stmt::Misuse => self.emit("store i32 0i32 to null"),
        }
    }
}

fn name(variable: Variable) -> &'static str {
    match variable {
        Variable::X => "@x",
        Variable::Y => "@y",
        Variable::Z => "@z",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner;
    use proptest::strategy::ValueTree;
    use selvedge_program::verify::verify;

    #[test]
    fn programs_are_well_formed() {
        let mut runner = runner(0, 1);
        for _ in 0..200 {
            let endless = endless().new_tree(&mut runner).expect("a program").current();
            let delayed = delayed().new_tree(&mut runner).expect("a program").current();
            for source in [endless, delayed] {
                let problems = verify(&source.program());
                assert!(problems.is_empty(), "{}\n{}", problems[0], source.text());
            }
        }
    }
}
