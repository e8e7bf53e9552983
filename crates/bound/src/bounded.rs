//! The bounded program.
//!
//! **Invariants.** Jumps go to later blocks of the same thread only. Every operation runs at most
//! once in a run. There is no `Call`, `Alloca`, `StackSave`, `StackRestore`, `SetJmp` or `LongJmp`; an
//! address of a stack object, of a heap object or of a thread-local is `Operand::Global` with the
//! number of an [`Object`]. The numbers of the program's own globals stay as they are.
//!
//! # Where a run ends
//!
//! *Every beginning of a run is a run.* Some steps end or hold up the thread that comes to them: a bound cuts it off
//! ([`Terminator::Cut`]), an assumption fails, memory is misused where that is not checked, `BlockUntil` waits, the
//! process exits, an operation is unsupported. That thread goes no further; all that was done before still happened,
//! and the other threads go on from there, and from any point before. So whoever merges steps, to run them as one, must
//! not lose what the earlier ones did because of how a later one ends. There are two cases.
//!
//! 1. *Outside atomic sections* the thread simply stands still in front of the step. What it did in the same merged
//!    piece stays done. (An engine may instead drop the run if nothing in the piece can be noticed by others: then the
//!    run in which the thread stands still before the piece shows the same.)
//! 2. *Inside an atomic section* the thread stands still in front of the section, for nobody may see half of one. The
//!    section is undone, and nothing before it. So a section that may not be completed must not be merged with what
//!    comes before it: it begins with a switch point, at which the thread can stay (`Interference::section_visible`).
//!    Two sections need none: one that is the first thing a thread does, which waits at its beginning instead; and
//!    one before main creates its first thread, for nobody else is there to go on. An engine that can undo a section
//!    whose effects nobody can notice (`take_back_section`) may do that instead.
//!
//! Violations are no exception: they are reported where they happen, whatever becomes of the piece.
//!
//! | who merges | how the rule is kept |
//! |---|---|
//! | passes, bounding | never move or join steps that others could see, and end a block at a step that ends its thread |
//! | `analyze::points` | sections that may not be completed are points |
//! | `symbolic::lazy`, `symbolic::tree` | case 1: the guard of what follows is false; case 2: no run enters such a section, but may stand before it |
//! | `to_c` | case 1: `HALT`, or `BOUND` and `ASSUME` if nothing in the piece can be noticed; case 2: `BOUND`, `ASSUME` |
//! | swarms | a point before a section that may be cut off is allowed in every instance |
//! | `vm`, `search::explicit` | a step that stops is dropped, the state before it stays and others run from it; what was visible is a step of its own (`Machine::step`) |

use selvedge_program::{
    FuncId, Global, GlobalId, Loc, Op, Operand, PrimaryMap, Program, Properties, Reg, RegInfo, TypeId, entity_impl,
};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u32);
entity_impl!(BlockId, "b");

/// The place of an operation in the program it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub function: FuncId,
    pub block: selvedge_program::BlockId,
    /// Index of the operation; one past the last is the terminator.
    pub index: u32,
    /// The position in the innermost function that is the user's, for reports.
    pub user: Loc,
}

/// One operation of a thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    pub op: StepOp,
    pub origin: Origin,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StepOp {
    /// Registers are the thread's, objects the bounded program's. `Intrinsic::Spawn` and
    /// `Intrinsic::Alloc` do not occur: see below.
    Plain(Op),
    /// An object comes to life, uninitialised but for its padding; `dst` is its address. For a heap
    /// object this is `Intrinsic::Alloc`. `size`: how many bytes it has, where that is known only at run
    /// time; [`Object::size`] is then the most it can be.
    Create { dst: Reg, object: GlobalId, size: Option<Operand> },
    /// Stack objects end: a return, or the restoring of the stack. Counts as a step of a schedule if the frame
    /// had objects, or is the thread's first.
    End { objects: Vec<GlobalId> },
    /// The thread with this number (in [`Bounded::threads`]) begins; its parameters get these values.
    Spawn { dst: Option<Reg>, thread: usize, args: Vec<Operand> },
    /// The thread is over, and with it its stack and its copies of thread-locals: its first function returns, or
    /// `Intrinsic::ThreadExit`. Nothing follows.
    Finish { objects: Vec<GlobalId> },
}

impl<O: Into<Op>> From<O> for StepOp {
    fn from(op: O) -> StepOp {
        StepOp::Plain(op.into())
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    Jump(BlockId),
    Branch {
        cond: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Operand,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
    },
    /// A bound ends the run here: an index into [`Bounded::cuts`].
    Cut(usize),
    /// Nothing follows: the thread or the process has ended, or the code is unreachable.
    Stop,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub steps: Vec<Step>,
    pub term: Terminator,
    /// The terminator's origin.
    pub origin: Origin,
    /// Checks of these properties were made in the block, and constants prove that they hold.
    pub proved: Properties,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Thread {
    pub start: FuncId,
    pub params: Vec<Reg>,
    pub regs: PrimaryMap<Reg, RegInfo>,
    /// In execution order: jumps only go forward. The first is the entry.
    pub blocks: PrimaryMap<BlockId, Block>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A global of the program.
    Global,
    /// A thread's copy of a thread-local: of this global, of this thread.
    ThreadLocal {
        of: GlobalId,
        thread: usize,
    },
    Stack,
    Heap,
}

/// Everything that a pointer can point to, besides functions.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    pub kind: ObjectKind,
    pub name: String,
    /// In bytes. An upper limit if the step that creates it has a size of its own.
    pub size: u64,
    /// In a stack object: bytes that read as zero though they were never written.
    pub padding: Vec<(u32, u32)>,
    /// C's type, where it is known.
    pub ty: Option<TypeId>,
    /// The place at which it is created.
    pub loc: Loc,
}

impl Object {
    /// The object of a global; `kind` is `Global`, or `ThreadLocal` for a thread's copy.
    pub fn declared(global: &Global, kind: ObjectKind) -> Object {
        Object { kind, name: global.name.clone(), size: global.size, padding: vec![], ty: global.ty, loc: global.loc }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutKind {
    /// Iterations of this loop.
    Loop(u32),
    /// Activations of this function.
    Recursion(u32),
    /// Threads.
    Threads(u32),
}

/// A place at which a bound ends runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    pub kind: CutKind,
    pub loc: Loc,
}

/// A program without loops, calls and dynamic threads.
#[derive(Clone, PartialEq, Debug)]
pub struct Bounded<'p> {
    pub program: &'p Program,
    /// Thread 0 is main; a thread is created by one of the `Spawn` steps.
    pub threads: Vec<Thread>,
    /// The program's globals first, under their own numbers.
    pub objects: PrimaryMap<GlobalId, Object>,
    pub cuts: Vec<Cut>,
}
