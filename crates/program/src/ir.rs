//! The intermediate representation.
//!
//! Registers are typed, mutable and local to an activation of a function: there is no SSA form and
//! there are no phi nodes, because the VM wants neither and the symbolic engines make their own
//! versions while they unwind. Everything that another thread could ever see is in memory.
//!
//! Memory is a set of objects (globals, thread-locals, stack variables whose address is taken, heap
//! blocks, functions). A pointer is (object, offset), written as bits so that it survives casts to integers and
//! byte-wise copies: see [`crate::pointers`].
//!
//! An operation that [`Op::is_step`] reads or writes memory or synchronises. Schedules count these,
//! so every engine and the VM mean the same by "thread 1 runs 12 steps".

use crate::assumption::Assumption;
pub use crate::computation::*;
use crate::memory_model::MemoryModel;
use crate::observers::Observers;
use crate::source::{Loc, SourceMap, TypeId};
use crate::task::Property;
pub use cranelift_entity::PrimaryMap;
use cranelift_entity::entity_impl;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(u32);
entity_impl!(FuncId, "fn");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(u32);
entity_impl!(GlobalId, "global");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u32);
entity_impl!(BlockId, "b");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(u32);
entity_impl!(Reg, "r");

/// A C expression that an access came from (`p->next`, `count`), kept for people only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(u32);
entity_impl!(PlaceId, "place");

named! {
    /// The widths of C's `long` and pointers.
    pub enum DataModel {
        Ilp32 = "ilp32",
        Lp64 = "lp64",
    }
}

impl DataModel {
    pub fn pointer_bytes(self) -> u32 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    pub fn pointer_bits(self) -> u32 {
        8 * self.pointer_bytes()
    }
}

/// The type of a register or of an access: a width and how to read it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// 1 to 128 bits. In memory it takes the next whole number of bytes.
    Int(u8),
    F32,
    F64,
    Ptr,
}

impl Ty {
    pub const BOOL: Ty = Ty::Int(1);

    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            Ty::Int(bits) => u32::from(bits),
            Ty::F32 => 32,
            Ty::F64 => 64,
            Ty::Ptr => model.pointer_bits(),
        }
    }

    pub fn bytes(self, model: DataModel) -> u32 {
        self.bits(model).div_ceil(8)
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
#[rustfmt::skip]
pub enum Operand {
    Reg(Reg),
    /// The bits of an integer, of a float, or of a pointer that names no object (null).
    Const { ty: Ty, bits: u128 },
    /// The address of a global, plus an offset. Of a thread-local: of the running thread's copy.
    Global { id: GlobalId, offset: i64 },
    Func(FuncId),
}

impl Operand {
    pub fn int(bits: u8, value: u128) -> Operand {
        Operand::Const { ty: Ty::Int(bits), bits: value }
    }

    pub fn bool(value: bool) -> Operand {
        Operand::int(1, u128::from(value))
    }

    pub const NULL: Operand = Operand::Const { ty: Ty::Ptr, bits: 0 };
}

named! {
    pub enum RmwOp {
        Exchange = "exchange",
        Add = "add",
        Sub = "sub",
        And = "and",
        Nand = "nand",
        Or = "or",
        Xor = "xor",
        Max = "max",
        Min = "min",
        UMax = "umax",
        UMin = "umin",
        FAdd = "fadd",
        FSub = "fsub",
    }

    /// The order of an atomic operation or a fence, in the words of C11. Its effects are in
    /// [`crate::memory_model`].
    pub enum MemoryOrder {
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        SeqCst = "seq_cst",
    }
}

/// Whether C said `volatile`, or made the access atomic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    Plain,
    Volatile,
    Atomic(MemoryOrder),
}

/// The origin of a nondeterministic value, for messages and reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A call that returns any value: `__VERIFIER_nondet_int()`.
    Call(String),
    /// A variable read before it was written.
    Uninitialised(String),
    /// A function without a model; its call is also listed in [`Program::unmodelled`].
    Unmodelled(String),
}

impl Input {
    /// Names inputs that are outputs of inline assembly.
    pub const ASSEMBLY: &str = "inline assembly";
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
}

named! {
    /// The thread and memory primitives that the C models are written in (`selvedge.h`): their names
    /// there have the prefix `__selvedge_`.
    pub enum Intrinsic {
        /// (function, first, second) → thread number
        Spawn = "spawn",
        /// () → thread number
        SelfId = "self",
        /// () → thread number plus one, to be written into the first word of a lock that is then said to be acquired
        Owner = "owner",
        /// () → number of threads ever created
        Threads = "threads",
        /// (thread) → bool, monotone: only for use under `BlockUntil`
        Finished = "finished",
        /// (thread) → bool
        PollFinished = "poll_finished",
        /// (thread) → bool: is there a thread of this number by now?
        Created = "created",
        ThreadExit = "thread_exit",
        ProcessExit = "process_exit",
        /// (thread, pointer to this thread's copy) → pointer to that thread's copy
        TlsOf = "tls_of",
        Yield = "yield",
        AtomicBegin = "atomic_begin",
        AtomicEnd = "atomic_end",
        /// (bool): false undoes the atomic section and disables the thread
        BlockUntil = "block_until",
        /// (bool): false discards the run
        Assume = "assume",
        /// (size, align) → pointer
        Alloc = "alloc",
        /// (pointer)
        Free = "free",
        /// (pointer) → bytes
        ObjectSize = "object_size",
        /// (pointer) → bytes
        ObjectOffset = "object_offset",
        /// (pointer, bytes)
        CheckRead = "check_read",
        /// (pointer, bytes)
        CheckWrite = "check_write",
        /// (buffer) → int
        SetJmp = "setjmp",
        /// (buffer, int)
        LongJmp = "longjmp",
        /// (lock, exclusively): this thread holds it now. A promise of the model, for reductions.
        Acquired = "acquired",
        /// (lock)
        Released = "released",
        /// (object, thread): if this section waits at its next `BlockUntil`, it does so at least until that thread
        /// acts.
        WaitsFor = "waits_for",
    }
}

#[derive(Clone, PartialEq, Debug)]
#[rustfmt::skip]
pub enum Op {
    /// Its results are a function of its operands, and all that it does.
    Compute(Computation),

    Load { dst: Reg, addr: Operand, access: Access, place: Option<PlaceId> },
    Store { ty: Ty, addr: Operand, value: Operand, access: Access, place: Option<PlaceId> },
    Rmw { dst: Reg, op: RmwOp, addr: Operand, value: Operand, order: MemoryOrder, place: Option<PlaceId> },
    /// `old` gets what was there, `success` whether `new` was written. `orders`: if it was written, and if not.
    CmpXchg { old: Reg, success: Reg, addr: Operand, expected: Operand, new: Operand, orders: (MemoryOrder, MemoryOrder), place: Option<PlaceId> },
    Fence { order: MemoryOrder },
    /// A stack object, gone when the function returns. `padding`: byte ranges (start, end) that C's
    /// type leaves unused; they read as zero, all else is uninitialised.
    Alloca { dst: Reg, size: Operand, align: u32, var: Option<String>, ty: Option<TypeId>, padding: Vec<(u32, u32)> },
    /// A mark for `StackRestore`, which ends all stack objects of this activation made since.
    StackSave { dst: Reg },
    StackRestore { mark: Operand },
    MemCopy { dst: Operand, src: Operand, len: Operand, may_overlap: bool },
    MemSet { dst: Operand, byte: Operand, len: Operand },

    /// Registers get the callee's return values, in order. A call may expect fewer.
    Call { dsts: Vec<Reg>, callee: Callee, args: Vec<Operand> },
    /// Any value of the register's type, or any in `range` (both ends included, unsigned).
    Nondet { dst: Reg, range: Option<(Operand, Operand)>, input: Input },
    Intrinsic { dst: Option<Reg>, which: Intrinsic, args: Vec<Operand> },

    /// The program is wrong when this is reached. Goes on when the property is not checked.
    Violation { property: Property, text: String },
    /// We cannot go on when this is reached; names the construct.
    Unsupported { what: String },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub op: Op,
    pub loc: Loc,
}

#[derive(Clone, PartialEq, Debug)]
#[rustfmt::skip]
pub enum Terminator {
    Jump(BlockId),
    Branch { cond: Operand, then: BlockId, otherwise: BlockId },
    Switch { value: Operand, cases: Vec<(u128, BlockId)>, default: BlockId },
    Return(Vec<Operand>),
    /// Control never gets here: after a call that does not return, say.
    Unreachable,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub name: String,
    pub insts: Vec<Inst>,
    pub term: Terminator,
    /// The terminator's position.
    pub loc: Loc,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RegInfo {
    pub ty: Ty,
    /// The C variable it holds, or the front end's name for it.
    pub name: Option<String>,
    /// The type of the C variable.
    pub debug: Option<TypeId>,
}

/// The origin of a function. Traces show a model's call, not its inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    User,
    Model,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: String,
    pub origin: Origin,
    pub params: Vec<Reg>,
    pub returns: Vec<Ty>,
    pub regs: PrimaryMap<Reg, RegInfo>,
    /// The first block is the entry.
    pub blocks: PrimaryMap<BlockId, Block>,
    pub loc: Loc,
}

/// A pointer inside a global's initial bytes: `bytes` wide, at `at`, to `target`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Relocation {
    pub at: u64,
    pub bytes: u8,
    pub target: Operand,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    pub name: String,
    pub origin: Origin,
    pub size: u64,
    pub align: u32,
    /// As long as `size`, or shorter: the rest is zero.
    pub init: Vec<u8>,
    pub relocations: Vec<Relocation>,
    pub thread_local: bool,
    /// Writes to it are violations.
    pub constant: bool,
    pub ty: Option<TypeId>,
    pub loc: Loc,
}

impl Global {
    /// Each thread has a copy, which ends with the thread. What models keep for a thread is there for who joins it.
    pub fn ends_with_its_thread(&self) -> bool {
        self.thread_local && self.origin == Origin::User
    }
}

/// A function that was called but has neither definition nor model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmodelled {
    pub name: String,
    pub loc: Loc,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub data_model: DataModel,
    pub memory_model: MemoryModel,
    pub functions: PrimaryMap<FuncId, Function>,
    pub globals: PrimaryMap<GlobalId, Global>,
    pub places: PrimaryMap<PlaceId, String>,
    pub source: SourceMap,
    /// The function that thread 0 runs. It takes no arguments. Its return ends thread 0 only: what
    /// C's `main` does at its end is `Intrinsic::ProcessExit`.
    pub entry: FuncId,
    /// Assumption: each returns any value and has no other effect.
    pub unmodelled: Vec<Unmodelled>,
    /// Other assumptions that the translation made.
    pub assumptions: Vec<Assumption>,
    /// Functions that look at it from outside. No thread calls them.
    pub observers: Observers,
}

impl Program {
    /// All that a verdict on this program takes for granted.
    pub fn all_assumptions(&self) -> Vec<Assumption> {
        let unmodelled = self.unmodelled.iter().map(|function| Assumption::NoModel {
            function: function.name.clone(),
            at: self.source.describe(function.loc),
        });
        unmodelled.chain(self.assumptions.iter().cloned()).collect()
    }

    /// The type of an operand within `function`.
    pub fn type_of(&self, function: &Function, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => function.regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }
}
