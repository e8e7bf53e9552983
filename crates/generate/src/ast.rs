//! The parts of a generated program.
//!
//! Every function has three 32-bit registers, zero at its start, and a stack object of its own.
//! Everything else is shared.

/// One of a function's three registers.
pub type Register = u8;

/// The number of registers of a function.
pub const REGISTERS: u8 = 3;
/// The number of elements of the shared array.
pub const ELEMENTS: u8 = 4;

/// Something in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Place {
    /// A 32-bit global.
    X,
    /// Another.
    Y,
    /// An 8-bit global, read with its sign.
    C,
    /// An element of a global array of [`ELEMENTS`] 8-bit elements.
    Element(Index),
    /// The running function's own stack object, 32 bits.
    Own,
    /// A 32-bit field of the heap object that the global pointer `heap` names.
    Heap(u8),
    /// The variable that the global pointer `p` points to: `x` or `y`.
    Through,
    /// The stack object of some function that the global pointer `box` points to. If it is null, nothing happens.
    Boxed,
}

/// The index of an element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Index {
    Constant(u8),
    /// The register modulo the number of elements.
    Masked(Register),
    /// The register; out of bounds is a violation.
    Raw(Register),
}

/// The beginning of a block of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Block {
    /// The 32-bit global `x`.
    X,
    /// The element of the shared array with this number.
    Array(u8),
    /// The running function's own stack object.
    Own,
    /// The second half of the first field of the heap object, and the second field.
    Heap,
}

/// How many bytes a block has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Length {
    Constant(u8),
    /// The register modulo the number of elements of the array.
    Masked(Register),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Atom {
    Constant(i8),
    Register(Register),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Arithmetic {
    Add,
    Sub,
    Xor,
    And,
    Mul,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Comparison {
    Eq,
    Ne,
    Slt,
    Sge,
    Ult,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Condition {
    pub left: Register,
    pub comparison: Comparison,
    pub right: Atom,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Modification {
    Exchange,
    Add,
    Sub,
    Or,
    Max,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[rustfmt::skip]
pub enum Range {
    /// One of `count` values from `low` on.
    Small { low: u8, count: u8 },
    /// Any 32 bits.
    Wide,
}

/// The order of an atomic store or of a fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Order {
    Release,
    SeqCst,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[rustfmt::skip]
pub enum Stmt {
    Let(Register, Arithmetic, Atom, Atom),
    Load(Register, Place),
    Store(Place, Atom),
    AtomicStore(Place, Atom, Order),
    Fence(Order),
    /// The register gets the old value.
    Rmw(Register, Modification, Place, Atom),
    /// Expected, new; the register gets 1 for success and 0 for failure.
    CmpXchg(Register, Place, Atom, Atom),
    If(Condition, Vec<Stmt>, Vec<Stmt>),
    /// A number of iterations, and the body.
    Loop(u8, Vec<Stmt>),
    /// `atomic { block_until(place ? constant) }`
    Wait(Place, Comparison, i8),
    /// `while (!(place ? constant)) yield;` Inside of an atomic section it is the same as `Wait`.
    Spin { place: Place, comparison: Comparison, constant: i8, yields: bool },
    /// Holding one of two locks.
    Locked(u8, Vec<Stmt>),
    Atomic(Vec<Stmt>),
    /// Calls one of two helpers with the argument in its first register; its result is the final value of that
    /// register. An indirect call goes to the target of the global function pointer.
    Call { helper: Option<u8>, argument: Atom, result: Register },
    Input(Register, Range),
    Assume(Condition),
    Assert(Condition),
    Yield,
    /// The thread ends.
    Exit,
    /// `p = flag ? &y : &x`
    Point(bool),
    /// Sets the function pointer to a helper.
    SetFunction(u8),
    /// A new heap object, both fields set, then published.
    Allocate(Atom),
    /// Frees the object that `heap` points to.
    Free,
    /// Stores the address of the function's own stack object in `box`.
    Publish,
    /// Copies a block of bytes; it may lie over its target if it is moved.
    Copy { to: Block, from: Block, length: Length, moves: bool },
}

/// The first thread creates the last one itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Nested {
    /// The number of the statement before which it happens; at the end if there are fewer.
    pub position: u8,
    /// Wait for it at the end.
    pub joins: bool,
}

/// The end of main.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MainEnd {
    /// The process ends, whatever the other threads do.
    Process,
    /// Only main ends.
    Thread,
}

/// A program. Main runs `before`, creates the threads, runs `between`, waits for the threads if it
/// `joins`, runs `after`, and ends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    pub before: Vec<Stmt>,
    pub between: Vec<Stmt>,
    pub joins: bool,
    pub after: Vec<Stmt>,
    pub end: MainEnd,
    pub threads: Vec<Vec<Stmt>>,
    pub nested: Option<Nested>,
    pub helpers: [Vec<Stmt>; 2],
}

impl Source {
    /// The number of threads that main creates.
    pub fn created_by_main(&self) -> usize {
        self.threads.len() - usize::from(self.nests())
    }

    /// Whether the first thread creates the last, which takes two threads.
    pub fn nests(&self) -> bool {
        self.nested.is_some() && self.threads.len() > 1
    }

    /// All lists of statements of the program, outermost only.
    pub fn bodies(&self) -> impl Iterator<Item = &Vec<Stmt>> {
        [&self.before, &self.between, &self.after].into_iter().chain(&self.threads).chain(&self.helpers)
    }

    /// Whether it has no pointers, no helpers and no wide inputs.
    pub fn is_scalar(&self) -> bool {
        self.bodies().flatten().all(Stmt::is_scalar)
    }

    /// Whether some statement, however deep, satisfies the test.
    pub fn any(&self, test: &dyn Fn(&Stmt) -> bool) -> bool {
        self.bodies().flatten().any(|stmt| stmt.any(test))
    }

    /// A rough guess at the number of states without any reduction.
    pub fn size(&self) -> u64 {
        let steps = |list: &[Stmt]| list.iter().map(|s| s.steps(&self.helpers)).sum::<u64>();
        let ways: u64 = self.bodies().flatten().map(Stmt::ways).product();
        let main = 1 + steps(&self.between) + u64::from(self.joins);
        let threads: u64 = self.threads.iter().map(|t| 2 + steps(t)).product();
        ways.saturating_mul(main).saturating_mul(threads).saturating_add(steps(&self.before) + steps(&self.after))
    }
}

impl Place {
    pub fn is_scalar(self) -> bool {
        !matches!(self, Place::Heap(_) | Place::Through | Place::Boxed)
    }

    fn steps(self) -> u64 {
        if self.is_scalar() { 1 } else { 2 }
    }
}

impl Stmt {
    /// The statements inside of it.
    pub fn inner(&self) -> impl Iterator<Item = &Stmt> {
        let (a, b): (&[Stmt], &[Stmt]) = match self {
            Stmt::If(_, a, b) => (a, b),
            Stmt::Loop(_, a) | Stmt::Locked(_, a) | Stmt::Atomic(a) => (a, &[]),
            _ => (&[], &[]),
        };
        a.iter().chain(b)
    }

    /// Whether it, or some statement inside, satisfies the test.
    pub fn any(&self, test: &dyn Fn(&Stmt) -> bool) -> bool {
        test(self) || self.inner().any(|s| s.any(test))
    }

    fn is_scalar(&self) -> bool {
        let scalar = match self {
            Stmt::Load(_, place)
            | Stmt::Store(place, _)
            | Stmt::AtomicStore(place, ..)
            | Stmt::Rmw(_, _, place, _)
            | Stmt::CmpXchg(_, place, ..)
            | Stmt::Wait(place, ..)
            | Stmt::Spin { place, .. } => place.is_scalar(),
            Stmt::Call { .. }
            | Stmt::Input(_, Range::Wide)
            | Stmt::Point(_)
            | Stmt::SetFunction(_)
            | Stmt::Allocate(_)
            | Stmt::Free
            | Stmt::Publish
            | Stmt::Copy { .. } => false,
            _ => true,
        };
        scalar && self.inner().all(Stmt::is_scalar)
    }

    /// An estimate of the most steps that it takes.
    fn steps(&self, helpers: &[Vec<Stmt>; 2]) -> u64 {
        let inside = |list: &[Stmt]| list.iter().map(|s| s.steps(helpers)).sum::<u64>();
        match self {
            Stmt::Load(_, place)
            | Stmt::Store(place, _)
            | Stmt::AtomicStore(place, ..)
            | Stmt::Rmw(_, _, place, _)
            | Stmt::CmpXchg(_, place, ..) => place.steps(),
            Stmt::If(_, a, b) => inside(a).max(inside(b)),
            Stmt::Loop(times, a) => u64::from(*times) * inside(a),
            Stmt::Locked(_, a) => 2 + inside(a),
            Stmt::Spin { .. } => 2,
            Stmt::Call { .. } => 3 + helpers.iter().map(|h| inside(h)).max().unwrap_or(0),
            Stmt::Allocate(_) => 3,
            Stmt::Free | Stmt::Copy { .. } => 2,
            Stmt::Let(..) | Stmt::Input(..) | Stmt::Assume(_) | Stmt::Assert(_) => 0,
            Stmt::Wait(..)
            | Stmt::Fence(_)
            | Stmt::Atomic(_)
            | Stmt::Yield
            | Stmt::Exit
            | Stmt::Point(_)
            | Stmt::SetFunction(_)
            | Stmt::Publish => 1,
        }
    }

    /// The factor by which its inputs multiply the states.
    fn ways(&self) -> u64 {
        let inside: u64 = self.inner().map(Stmt::ways).product();
        let own = match self {
            Stmt::Input(_, Range::Small { count, .. }) => u64::from(*count),
            Stmt::Input(_, Range::Wide) => 3,
            _ => 1,
        };
        let all = own.saturating_mul(inside);
        if let Stmt::Loop(times, _) = self { all.saturating_pow(u32::from(*times)) } else { all }
    }
}
