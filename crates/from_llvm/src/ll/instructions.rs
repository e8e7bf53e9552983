//! Instructions: one [`Op`] for each opcode of the language, plus debug records,
//! which stand among the instructions they describe.
//!
//! Operands of the same type share it where the text writes it once (`add i32
//! %a, %b`); everywhere else an operand carries its own ([`Operand`]).

use std::sync::Arc;

use selvedge_program::{CmpOp, FloatCmpOp, named};

use super::{
    ArithFlags, Attributes, BinaryOp, BlockId, CastOp, Constant, FunctionType, LocalId, MdId, MdValue, Module,
    ParamAttrs, Symbol, Type,
};

#[derive(Clone, Debug)]
pub struct Instruction {
    /// The register it defines; `None` for void calls, stores and the like.
    pub result: Option<LocalId>,
    pub op: Op,
    /// The `!dbg` attachment, a `DILocation`.
    pub location: Option<MdId>,
    /// Line in the text that was read, for messages about IR input.
    pub text_line: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Local(LocalId),
    Const(Constant),
    /// Only as a callee.
    Asm(Arc<InlineAsm>),
    /// Only as an argument of type `metadata`.
    Metadata(Box<MdValue>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub ty: Type,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct InlineAsm {
    pub text: String,
    pub constraints: String,
    pub sideeffect: bool,
    pub alignstack: bool,
    pub intel_dialect: bool,
    pub unwind: bool,
}

named! {
    #[derive(PartialOrd, Ord)]
    pub enum Ordering {
        Unordered = "unordered",
        Monotonic = "monotonic",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        SeqCst = "seq_cst",
    }
}

/// The ordering of an atomic access, and its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomicity {
    pub ordering: Ordering,
    /// `syncscope("singlethread")`: orders against signal handlers of the same
    /// thread only (`atomic_signal_fence`). Any other scope counts as false,
    /// that is, as the whole system.
    pub single_thread: bool,
}

named! {
    pub enum RmwOp {
        Xchg = "xchg",
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
        FMax = "fmax",
        FMin = "fmin",
        UIncWrap = "uinc_wrap",
        UDecWrap = "udec_wrap",
        USubCond = "usub_cond",
        USubSat = "usub_sat",
        FMaximum = "fmaximum",
        FMinimum = "fminimum",
    }
}

named! {
    #[derive(Default)]
    pub enum TailKind {
        #[default]
        None = "",
        Tail = "tail",
        MustTail = "musttail",
        NoTail = "notail",
    }
}

#[derive(Clone, Debug)]
pub struct Arg {
    pub ty: Type,
    pub attrs: ParamAttrs,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub tail: TailKind,
    pub ret_attrs: ParamAttrs,
    /// The type the callee is called at. The text spells it out for variadic
    /// callees; otherwise it is put together from the arguments.
    pub function_type: FunctionType,
    pub callee: Value,
    pub args: Vec<Arg>,
    pub attrs: Attributes,
    pub bundles: Vec<(Symbol, Vec<Operand>)>,
}

impl Call {
    /// The function called, if it is called by name. A callee behind a constant
    /// bitcast (K&R prototypes under typed pointers) counts as called by name;
    /// compare [`Call::function_type`] with the function's own then.
    pub fn callee_name(&self) -> Option<&Symbol> {
        match &self.callee {
            Value::Const(c) => c.as_global(),
            _ => None,
        }
    }
}

impl Constant {
    /// The global this constant is the address of, looking through casts from
    /// pointer to pointer.
    pub fn as_global(&self) -> Option<&Symbol> {
        use super::ConstExpr::Cast;
        match self {
            Constant::Global(name) | Constant::DsoLocalEquivalent(name) | Constant::NoCfi(name) => Some(name),
            Constant::Expr(e) => match &**e {
                Cast { op: CastOp::BitCast | CastOp::AddrSpaceCast, value, .. } => value.value.as_global(),
                _ => None,
            },
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum LandingPadClause {
    Catch(Operand),
    Filter(Operand),
}

/// The kind of statement that a debug record makes about a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DebugKind {
    /// The variable lives at this address from here on.
    Declare,
    /// The variable has this value from here on.
    Value,
    /// A store to the variable, linked to a `Value` (assignment tracking).
    Assign,
    Label,
}

/// `call void @llvm.dbg.declare(...)` and `#dbg_declare(...)` alike.
#[derive(Clone, Debug)]
pub struct DebugRecord {
    pub kind: DebugKind,
    /// The address or value: empty if it was optimised away, several if the
    /// expression combines them (`DIArgList`).
    pub values: Vec<Operand>,
    /// The `DILocalVariable`, or the `DILabel`.
    pub variable: Option<MdId>,
    /// The `DIExpression` has operations: `values` is not simply the address
    /// or value of the whole variable.
    pub has_expression: bool,
}

#[derive(Clone, Debug)]
pub enum Op {
    // Terminators.
    Ret(Option<Operand>),
    Br(BlockId),
    CondBr {
        cond: Operand,
        if_true: BlockId,
        if_false: BlockId,
    },
    Switch {
        value: Operand,
        default: BlockId,
        cases: Vec<(Constant, BlockId)>,
    },
    IndirectBr {
        address: Operand,
        targets: Vec<BlockId>,
    },
    Invoke {
        call: Box<Call>,
        normal: BlockId,
        unwind: BlockId,
    },
    /// `asm goto`
    CallBr {
        call: Box<Call>,
        fallthrough: BlockId,
        indirect: Vec<BlockId>,
    },
    Resume(Operand),
    Unreachable,

    // Arithmetic.
    FNeg(Operand),
    Binary {
        op: BinaryOp,
        flags: ArithFlags,
        ty: Type,
        lhs: Value,
        rhs: Value,
    },
    Icmp {
        pred: CmpOp,
        /// The type of the operands.
        ty: Type,
        lhs: Value,
        rhs: Value,
    },
    Fcmp {
        pred: FloatCmpOp,
        ty: Type,
        lhs: Value,
        rhs: Value,
    },
    Cast {
        op: CastOp,
        flags: ArithFlags,
        value: Operand,
        to: Type,
    },
    Select {
        cond: Operand,
        if_true: Operand,
        if_false: Operand,
    },
    Freeze(Operand),
    Phi {
        ty: Type,
        incoming: Vec<(Value, BlockId)>,
    },

    // Vectors and aggregates.
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        element: Operand,
        index: Operand,
    },
    ShuffleVector {
        first: Operand,
        second: Operand,
        mask: Operand,
    },
    ExtractValue {
        aggregate: Operand,
        indices: Vec<u32>,
    },
    InsertValue {
        aggregate: Operand,
        element: Operand,
        indices: Vec<u32>,
    },

    // Memory.
    Alloca {
        ty: Type,
        /// How many of `ty`; one if absent.
        count: Option<Operand>,
        align: Option<u64>,
        addrspace: u32,
    },
    Load {
        ty: Type,
        pointer: Operand,
        volatile: bool,
        atomic: Option<Atomicity>,
        align: Option<u64>,
    },
    Store {
        value: Operand,
        pointer: Operand,
        volatile: bool,
        atomic: Option<Atomicity>,
        align: Option<u64>,
    },
    Fence(Atomicity),
    CmpXchg {
        weak: bool,
        volatile: bool,
        pointer: Operand,
        expected: Operand,
        new: Operand,
        success: Atomicity,
        failure: Ordering,
        align: Option<u64>,
    },
    AtomicRmw {
        op: RmwOp,
        volatile: bool,
        pointer: Operand,
        value: Operand,
        atomic: Atomicity,
        align: Option<u64>,
    },
    GetElementPtr {
        inbounds: bool,
        /// The type that the indices step over; the first index counts whole
        /// ones of it.
        source: Type,
        base: Operand,
        indices: Vec<Operand>,
    },

    // The rest.
    Call(Box<Call>),
    VaArg {
        list: Operand,
        ty: Type,
    },
    LandingPad {
        ty: Type,
        cleanup: bool,
        clauses: Vec<LandingPadClause>,
    },
    Debug(DebugRecord),
}

impl Op {
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Op::Ret(_)
                | Op::Br(_)
                | Op::CondBr { .. }
                | Op::Switch { .. }
                | Op::IndirectBr { .. }
                | Op::Invoke { .. }
                | Op::CallBr { .. }
                | Op::Resume(_)
                | Op::Unreachable
        )
    }

    /// The opcode as LLVM writes it, for messages.
    pub fn opcode(&self) -> &'static str {
        match self {
            Op::Ret(_) => "ret",
            Op::Br(_) | Op::CondBr { .. } => "br",
            Op::Switch { .. } => "switch",
            Op::IndirectBr { .. } => "indirectbr",
            Op::Invoke { .. } => "invoke",
            Op::CallBr { .. } => "callbr",
            Op::Resume(_) => "resume",
            Op::Unreachable => "unreachable",
            Op::FNeg(_) => "fneg",
            Op::Binary { op, .. } => op.name(),
            Op::Icmp { .. } => "icmp",
            Op::Fcmp { .. } => "fcmp",
            Op::Cast { op, .. } => op.name(),
            Op::Select { .. } => "select",
            Op::Freeze(_) => "freeze",
            Op::Phi { .. } => "phi",
            Op::ExtractElement { .. } => "extractelement",
            Op::InsertElement { .. } => "insertelement",
            Op::ShuffleVector { .. } => "shufflevector",
            Op::ExtractValue { .. } => "extractvalue",
            Op::InsertValue { .. } => "insertvalue",
            Op::Alloca { .. } => "alloca",
            Op::Load { .. } => "load",
            Op::Store { .. } => "store",
            Op::Fence(_) => "fence",
            Op::CmpXchg { .. } => "cmpxchg",
            Op::AtomicRmw { .. } => "atomicrmw",
            Op::GetElementPtr { .. } => "getelementptr",
            Op::Call(_) => "call",
            Op::VaArg { .. } => "va_arg",
            Op::LandingPad { .. } => "landingpad",
            Op::Debug(_) => "debug record",
        }
    }

    /// The type of the register this defines; [`Type::Void`] if it defines
    /// none. The module is needed to look into named types.
    pub fn result_type(&self, module: &Module) -> Type {
        match self {
            Op::Binary { ty, .. } | Op::Phi { ty, .. } | Op::Load { ty, .. } => ty.clone(),
            Op::VaArg { ty, .. } | Op::LandingPad { ty, .. } => ty.clone(),
            Op::FNeg(v) | Op::Freeze(v) => v.ty.clone(),
            Op::Icmp { ty, .. } | Op::Fcmp { ty, .. } => like_lanes_of(ty, Type::Int(1)),
            Op::Cast { to, .. } => to.clone(),
            Op::Select { if_true, .. } => if_true.ty.clone(),
            Op::ExtractElement { vector, .. } => module.element_type(&vector.ty, 0).cloned().unwrap_or(Type::Void),
            Op::InsertElement { vector, .. } => vector.ty.clone(),
            Op::ShuffleVector { first, mask, .. } => {
                let element = module.element_type(&first.ty, 0).cloned();
                like_lanes_of(&mask.ty, element.unwrap_or(Type::Void))
            }
            Op::ExtractValue { aggregate, indices } => (indices.iter())
                .try_fold(&aggregate.ty, |ty, &i| module.element_type(ty, u64::from(i)))
                .cloned()
                .unwrap_or(Type::Void),
            Op::InsertValue { aggregate, .. } => aggregate.ty.clone(),
            Op::Alloca { addrspace, .. } => Type::Ptr(*addrspace),
            Op::CmpXchg { expected, .. } => Type::Struct(Arc::new(super::StructType {
                packed: false,
                fields: vec![expected.ty.clone(), Type::Int(1)],
            })),
            Op::AtomicRmw { value, .. } => value.ty.clone(),
            Op::GetElementPtr { base, indices, .. } => (indices.iter())
                .map(|i| &i.ty)
                .find(|ty| matches!(ty, Type::Vector { .. }))
                .map_or_else(|| base.ty.clone(), |ty| like_lanes_of(ty, base.ty.clone())),
            Op::Call(call) | Op::Invoke { call, .. } | Op::CallBr { call, .. } => call.function_type.ret.clone(),
            Op::Ret(_)
            | Op::Br(_)
            | Op::CondBr { .. }
            | Op::Switch { .. }
            | Op::IndirectBr { .. }
            | Op::Resume(_)
            | Op::Unreachable
            | Op::Store { .. }
            | Op::Fence(_)
            | Op::Debug(_) => Type::Void,
        }
    }
}

/// `lane`, or a vector of it with as many lanes as `shape` has.
fn like_lanes_of(shape: &Type, lane: Type) -> Type {
    match shape {
        Type::Vector { len, scalable, .. } if !matches!(lane, Type::Vector { .. }) => {
            Type::Vector { len: *len, scalable: *scalable, element: Arc::new(lane) }
        }
        _ => lane,
    }
}
