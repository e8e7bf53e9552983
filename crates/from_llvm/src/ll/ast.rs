//! An LLVM module after reading: types, constants, globals, functions.
//!
//! The tree mirrors the language reference, with three simplifications that
//! every user of it would otherwise have to make:
//!
//! * Names inside a function are resolved. A register is a [`LocalId`], a
//!   block a [`BlockId`] (its position in [`Function::blocks`]), also where the
//!   text numbers them implicitly.
//! * Pointers have no pointee. Up to LLVM 14 the text has typed pointers, yet
//!   whatever matters (what a load reads, what a getelementptr steps over, what
//!   function type is called) is spelled out beside them in every version.
//! * Debug intrinsics and debug records are one thing, see
//!   [`DebugRecord`](super::DebugRecord).
//!
//! Instructions are in `instructions.rs`, metadata in `metadata.rs`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use selvedge_program::{BinOp, CmpOp, FloatBinOp, FloatCmpOp, named};

use super::{Instruction, MdId, Metadata};

/// A name: cheap to clone, compared by content. Escapes are decoded and the
/// sigil (`@`, `%`, `!`) is gone.
pub type Symbol = Arc<str>;

/// A register or parameter of one function: an index into [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// A basic block of one function: an index into [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A named type: an index into [`Module::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
    X86Mmx,
    /// A pointer into the given address space (0 for everything C usually has).
    Ptr(u32),
    Array(u64, Arc<Type>),
    Vector {
        len: u64,
        scalable: bool,
        element: Arc<Type>,
    },
    Struct(Arc<StructType>),
    Named(TypeId),
    Function(Arc<FunctionType>),
    Label,
    Metadata,
    Token,
    /// The body of a named type that is declared only.
    Opaque,
    /// `target("...")`, kept as its name.
    Target(Symbol),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    pub packed: bool,
    pub fields: Vec<Type>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub ret: Type,
    pub params: Vec<Type>,
    pub vararg: bool,
}

#[derive(Clone, Debug)]
pub struct NamedType {
    /// `struct.foo`, or the number of an unnamed type.
    pub name: Symbol,
    /// [`Type::Opaque`] if the module only declares it.
    pub body: Type,
}

/// A constant with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedConstant {
    pub ty: Type,
    pub value: Constant,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// The value as in the text, that is, signed; `true` is 1. The bits are the value truncated to the width.
    Int(i128),
    /// The bits, in the format of the constant's own type. (The text writes a
    /// `float` with the bits of a `double`; that is already undone.)
    Float(u128),
    Null,
    Undef,
    Poison,
    /// `zeroinitializer`
    Zero,
    /// The `none` token.
    None,
    /// The address of a global variable, function or alias.
    Global(Symbol),
    Array(Vec<TypedConstant>),
    Struct {
        packed: bool,
        fields: Vec<TypedConstant>,
    },
    Vector(Vec<TypedConstant>),
    /// A vector with the same value in every lane.
    Splat(Box<TypedConstant>),
    /// `c"..."`, an array of i8; includes the final NUL where there is one.
    Bytes(Arc<[u8]>),
    Expr(Box<ConstExpr>),
    /// The address of a block; look it up with [`Function::block_named`].
    BlockAddress {
        function: Symbol,
        block: Symbol,
    },
    DsoLocalEquivalent(Symbol),
    NoCfi(Symbol),
    /// `ptrauth (...)`: the signed pointer without its signature.
    PtrAuth(Box<TypedConstant>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ConstExpr {
    GetElementPtr {
        inbounds: bool,
        /// The type that the indices step over.
        source: Type,
        base: TypedConstant,
        indices: Vec<TypedConstant>,
    },
    Cast {
        op: CastOp,
        value: TypedConstant,
        to: Type,
    },
    Binary {
        op: BinaryOp,
        flags: ArithFlags,
        lhs: TypedConstant,
        rhs: TypedConstant,
    },
    FNeg(TypedConstant),
    Icmp {
        pred: CmpOp,
        lhs: TypedConstant,
        rhs: TypedConstant,
    },
    Fcmp {
        pred: FloatCmpOp,
        lhs: TypedConstant,
        rhs: TypedConstant,
    },
    Select {
        cond: TypedConstant,
        if_true: TypedConstant,
        if_false: TypedConstant,
    },
    ExtractElement {
        vector: TypedConstant,
        index: TypedConstant,
    },
    InsertElement {
        vector: TypedConstant,
        element: TypedConstant,
        index: TypedConstant,
    },
    ShuffleVector {
        first: TypedConstant,
        second: TypedConstant,
        mask: TypedConstant,
    },
    ExtractValue {
        aggregate: TypedConstant,
        indices: Vec<u32>,
    },
    InsertValue {
        aggregate: TypedConstant,
        element: TypedConstant,
        indices: Vec<u32>,
    },
}

named! {
    pub enum CastOp {
        Trunc = "trunc",
        ZExt = "zext",
        SExt = "sext",
        FpTrunc = "fptrunc",
        FpExt = "fpext",
        FpToUi = "fptoui",
        FpToSi = "fptosi",
        UiToFp = "uitofp",
        SiToFp = "sitofp",
        PtrToInt = "ptrtoint",
        IntToPtr = "inttoptr",
        BitCast = "bitcast",
        AddrSpaceCast = "addrspacecast",
    }
}

/// Our names of these operations, and of predicates, are LLVM's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Integer(BinOp),
    Float(FloatBinOp),
}

impl BinaryOp {
    pub(super) fn from_name(name: &str) -> Option<BinaryOp> {
        let float = || FloatBinOp::from_name(name).filter(|op| is_instruction(*op)).map(BinaryOp::Float);
        BinOp::from_name(name).map(BinaryOp::Integer).or_else(float)
    }

    pub fn name(self) -> &'static str {
        match self {
            BinaryOp::Integer(op) => op.name(),
            BinaryOp::Float(op) => op.name(),
        }
    }
}

/// The others are calls of intrinsics.
fn is_instruction(op: FloatBinOp) -> bool {
    match op {
        FloatBinOp::Add | FloatBinOp::Sub | FloatBinOp::Mul | FloatBinOp::Div | FloatBinOp::Rem => true,
        FloatBinOp::Min | FloatBinOp::Max | FloatBinOp::CopySign => false,
    }
}

/// Flags that make a result poison when the operation is not what they claim.
/// Fast-math flags are read and dropped: they only ever permit rewrites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArithFlags {
    pub nsw: bool,
    pub nuw: bool,
    /// `exact` of divisions and right shifts.
    pub exact: bool,
    /// `disjoint` of `or`.
    pub disjoint: bool,
    /// `nneg` of `zext` and `uitofp`.
    pub nneg: bool,
}

named! {
    pub enum Linkage {
        External = "external",
        Private = "private",
        Internal = "internal",
        AvailableExternally = "available_externally",
        LinkOnce = "linkonce",
        LinkOnceOdr = "linkonce_odr",
        Weak = "weak",
        WeakOdr = "weak_odr",
        Common = "common",
        Appending = "appending",
        ExternWeak = "extern_weak",
    }
}

/// An attribute of a function or call, e.g. `noreturn` or `allocsize(0)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub name: Symbol,
    /// The text between the parentheses or after the `=`.
    pub argument: Option<Symbol>,
}

/// Attributes of a function or call site. Ask with [`Module::has_attribute`],
/// which also looks into the groups (`#0`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    pub own: Vec<Attribute>,
    pub groups: Vec<u32>,
}

/// Attributes of a parameter, argument or return value that change the meaning of a call. The others (`noundef`,
/// `nocapture`, …) are read and dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamAttrs {
    /// The callee gets a copy of this type, not the caller's object.
    pub byval: Option<Type>,
    /// The callee writes its result of this type here.
    pub sret: Option<Type>,
    pub zeroext: bool,
    pub signext: bool,
    pub align: Option<u64>,
    /// The pointee, where inline asm or an intrinsic needs one.
    pub elementtype: Option<Type>,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub local: LocalId,
    pub ty: Type,
    pub attrs: ParamAttrs,
}

/// A register or parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name in the text, or the decimal number of an unnamed one.
    pub name: Symbol,
}

#[derive(Clone, Debug)]
pub struct Block {
    /// The label, or the decimal number of an unnamed block.
    pub name: Symbol,
    pub instructions: Vec<Instruction>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Symbol,
    pub linkage: Linkage,
    pub ret: Type,
    pub ret_attrs: ParamAttrs,
    pub params: Vec<Param>,
    pub vararg: bool,
    pub attrs: Attributes,
    /// Names of the registers and parameters; empty for a declaration.
    pub locals: Vec<Local>,
    /// Empty for a declaration; otherwise the first is the entry.
    pub blocks: Vec<Block>,
    /// The `!dbg` attachment, a `DISubprogram`.
    pub subprogram: Option<MdId>,
    pub section: Option<Symbol>,
    /// Line of the header in the text that was read.
    pub text_line: u32,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: Symbol,
    pub linkage: Linkage,
    pub thread_local: bool,
    /// `constant` rather than `global`: may not be written.
    pub constant: bool,
    pub addrspace: u32,
    pub ty: Type,
    /// Absent for a declaration.
    pub init: Option<Constant>,
    pub align: Option<u64>,
    pub section: Option<Symbol>,
    /// The `!dbg` attachments, each a `DIGlobalVariableExpression`.
    pub debug: Vec<MdId>,
    pub text_line: u32,
}

/// A second name for a global or function, or (`ifunc`) a function that returns the address to use.
#[derive(Clone, Debug)]
pub struct Alias {
    pub name: Symbol,
    pub linkage: Linkage,
    pub ifunc: bool,
    /// The type of the aliased value.
    pub ty: Type,
    pub target: TypedConstant,
}

/// One `.ll` file. Vectors keep the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub source_file: String,
    pub target_triple: String,
    pub datalayout: String,
    /// Module-level inline assembly, one entry a line.
    pub asm: Vec<String>,
    pub types: Vec<NamedType>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    pub aliases: Vec<Alias>,
    pub attribute_groups: BTreeMap<u32, Vec<Attribute>>,
    pub metadata: Metadata,
    pub(super) function_index: HashMap<Symbol, usize>,
    pub(super) global_index: HashMap<Symbol, usize>,
    pub(super) alias_index: HashMap<Symbol, usize>,
}

impl Module {
    /// The function of this name, defined or only declared.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.function_index.get(name).map(|&i| &self.functions[i])
    }

    /// The functions and objects that are declared and not defined here, or only copied from elsewhere.
    pub fn undefined(&self) -> impl Iterator<Item = &str> {
        let elsewhere = |f: &&Function| f.is_declaration() || f.linkage == Linkage::AvailableExternally;
        let functions = self.functions.iter().filter(elsewhere).map(|function| &*function.name);
        functions.chain(self.globals.iter().filter(|global| global.init.is_none()).map(|global| &*global.name))
    }

    pub fn global(&self, name: &str) -> Option<&Global> {
        self.global_index.get(name).map(|&i| &self.globals[i])
    }

    pub fn alias(&self, name: &str) -> Option<&Alias> {
        self.alias_index.get(name).map(|&i| &self.aliases[i])
    }

    /// The type behind a name; any other type is itself.
    pub fn resolve<'a>(&'a self, ty: &'a Type) -> &'a Type {
        let mut ty = ty;
        // A chain of names longer than there are names is a cycle.
        for _ in 0..=self.types.len() {
            match ty {
                Type::Named(id) => ty = &self.types[id.0 as usize].body,
                _ => return ty,
            }
        }
        &Type::Opaque
    }

    /// Whether a function or call site carries an attribute, itself or through
    /// a group.
    pub fn has_attribute(&self, attrs: &Attributes, name: &str) -> bool {
        self.attribute(attrs, name).is_some()
    }

    pub fn attribute<'a>(&'a self, attrs: &'a Attributes, name: &str) -> Option<&'a Attribute> {
        let groups = attrs.groups.iter().filter_map(|g| self.attribute_groups.get(g));
        (attrs.own.iter()).chain(groups.flatten()).find(|a| &*a.name == name)
    }

    /// The type `extractvalue`, or a constant-index `getelementptr` step,
    /// reaches in an aggregate. `None` if the index does not exist.
    pub fn element_type<'a>(&'a self, aggregate: &'a Type, index: u64) -> Option<&'a Type> {
        match self.resolve(aggregate) {
            Type::Struct(s) => s.fields.get(usize::try_from(index).ok()?),
            Type::Array(_, element) | Type::Vector { element, .. } => Some(element),
            _ => None,
        }
    }
}

impl Function {
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn function_type(&self) -> FunctionType {
        FunctionType {
            ret: self.ret.clone(),
            params: self.params.iter().map(|p| p.ty.clone()).collect(),
            vararg: self.vararg,
        }
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// The block with this label (or number, as text).
    pub fn block_named(&self, name: &str) -> Option<BlockId> {
        let position = self.blocks.iter().position(|b| &*b.name == name)?;
        u32::try_from(position).ok().map(BlockId)
    }

    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    /// All instructions with the block they are in, in text order.
    pub fn instructions(&self) -> impl Iterator<Item = (BlockId, &Instruction)> {
        (0u32..).zip(&self.blocks).flat_map(|(i, b)| b.instructions.iter().map(move |inst| (BlockId(i), inst)))
    }
}
