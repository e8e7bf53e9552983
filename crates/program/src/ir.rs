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

use crate::coverage::Assumption;
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

/// The widths of C's `long` and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    Ilp32,
    Lp64,
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

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    CountOnes,
    /// Leading and trailing zeros; of zero: the width.
    CountLeadingZeros,
    CountTrailingZeros,
    SwapBytes,
    ReverseBits,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatBinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    CopySign,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatUnOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Half away from zero, as C's `round`.
    Round,
    /// Half to even, as C's `rint` in the default mode.
    RoundEven,
}

/// LLVM's sixteen float predicates: ordered and unordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatCmpOp {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cast {
    ZeroExtend,
    SignExtend,
    Truncate,
    /// Same bits, other type: int ↔ float of one width.
    Reinterpret,
    /// As with an unsigned integer of the pointer's width.
    PtrToInt,
    IntToPtr,
    FloatToSigned,
    FloatToUnsigned,
    SignedToFloat,
    UnsignedToFloat,
    FloatToFloat,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
}

/// How an atomic operation or a fence is ordered, in the words of C11. What follows from it is in
/// [`crate::memory_model`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// Whether C said `volatile`, or made the access atomic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    Plain,
    Volatile,
    Atomic(MemoryOrder),
}

/// Where a nondeterministic value comes from, for messages and reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A call that returns any value: `__VERIFIER_nondet_int()`.
    Call(String),
    /// A variable read before it was written.
    Uninitialised(String),
    /// A function without a model; its call is also listed in [`Program::unmodelled`].
    Unmodelled(String),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
}

/// The thread and memory primitives that the C models are written in (`selvedge.h`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// (function, first, second) → thread number
    Spawn,
    /// () → thread number
    SelfId,
    /// () → thread number plus one, to be written into the first word of a lock that is then said to be acquired
    Owner,
    /// () → number of threads ever created
    Threads,
    /// (thread) → bool, monotone: only for use under `BlockUntil`
    Finished,
    /// (thread) → bool
    PollFinished,
    /// (thread) → bool: is there a thread of this number by now?
    Created,
    ThreadExit,
    ProcessExit,
    /// (thread, pointer to this thread's copy) → pointer to that thread's copy
    TlsOf,
    Yield,
    AtomicBegin,
    AtomicEnd,
    /// (bool): false undoes the atomic section and disables the thread
    BlockUntil,
    /// (bool): false discards the run
    Assume,
    /// (size, align) → pointer
    Alloc,
    /// (pointer)
    Free,
    /// (pointer) → bytes
    ObjectSize,
    /// (pointer) → bytes
    ObjectOffset,
    /// (pointer, bytes)
    CheckRead,
    /// (pointer, bytes)
    CheckWrite,
    /// (buffer) → int
    SetJmp,
    /// (buffer, int)
    LongJmp,
    /// (lock, exclusively): this thread holds it now. A promise of the model, for reductions.
    Acquired,
    /// (lock)
    Released,
    /// (object, thread): if this section waits at its next `BlockUntil`, it does so at least until that thread acts.
    WaitsFor,
}

#[derive(Clone, PartialEq, Debug)]
#[rustfmt::skip]
pub enum Op {
    Copy { dst: Reg, src: Operand },
    /// `checked`: C calls signed overflow of this operation undefined.
    Binary { dst: Reg, op: BinOp, a: Operand, b: Operand, checked: bool },
    /// The overflow builtins: the wrapped result and whether it wrapped.
    Overflowing { dst: Reg, overflow: Reg, op: BinOp, signed: bool, a: Operand, b: Operand },
    Unary { dst: Reg, op: UnOp, a: Operand },
    Compare { dst: Reg, op: CmpOp, a: Operand, b: Operand },
    FloatBinary { dst: Reg, op: FloatBinOp, a: Operand, b: Operand },
    FloatUnary { dst: Reg, op: FloatUnOp, a: Operand },
    FloatCompare { dst: Reg, op: FloatCmpOp, a: Operand, b: Operand },
    Cast { dst: Reg, cast: Cast, src: Operand },
    Select { dst: Reg, cond: Operand, a: Operand, b: Operand },

    /// `dst = base + bytes`: a field, or an element at a known index. `of`: the struct it is a field of.
    Field { dst: Reg, base: Operand, bytes: i64, of: Option<TypeId> },
    /// `dst = base + index * stride`, index signed. `bound`: C's array has that many elements here,
    /// so any other index is a violation (one more where only the address is taken).
    Index { dst: Reg, base: Operand, index: Operand, stride: u64, bound: Option<u64> },

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
    /// Of the terminator.
    pub loc: Loc,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RegInfo {
    pub ty: Ty,
    /// The C variable it holds, or the front end's name for it.
    pub name: Option<String>,
    /// Of the C variable.
    pub debug: Option<TypeId>,
}

/// Where a function came from. Traces show a model's call, not its inside.
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
    /// What looks at it from outside. None of these functions is called by a thread.
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
