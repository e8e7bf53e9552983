//! The parts of a generated C program.
//!
//! Every function has three `int` registers `r0` to `r2` and objects of its own, `l0` and so on. Global
//! objects are `g0` and so on, records `r0_t` and so on, functions `f0` and so on, threads `thread0` and so on.

/// One of a function's three `int` variables.
pub type Register = u8;

pub const REGISTERS: u8 = 3;
pub const LOCKS: u8 = 2;

/// The data model that the program is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    Bits32,
    Bits64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    Char,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    LongLong,
    Bool,
}

/// The type that a pointer variable is declared to point to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    Byte,
    Int,
    Record(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Scalar(Scalar),
    Array(Scalar, u8),
    Record(usize),
    Records(usize, u8),
    Pointer(Target),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub ty: Type,
    /// The width of a bit-field; only scalars have one.
    pub bits: Option<u8>,
}

/// A struct or union. Fields are of earlier records only.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Record {
    pub is_union: bool,
    pub fields: Vec<Field>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Initial {
    /// Locals have any value, globals are zero.
    None,
    Zero,
    /// Only the first member is named: `{ 1 }`.
    First(i8),
    /// A pointer to this global object.
    Global(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    pub ty: Type,
    pub initial: Initial,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variable {
    Global(u8),
    Local(u8),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    Constant(u8),
    /// Modulo a number of elements.
    Masked(Box<Expr>, u8),
    Raw(Box<Expr>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Field(u8),
    Index(Index),
}

/// An lvalue.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lvalue {
    pub root: Variable,
    /// If the variable is a pointer, the index of the object from the one that it points to.
    pub through: Option<Index>,
    pub path: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Ge,
    Both,
    Either,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    Constant(i32),
    Register(Register),
    Load(Lvalue),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Cast(Scalar, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    SamePointer(Pointer, Pointer),
    PointerLess(Pointer, Pointer),
    /// The number of bytes between them.
    Distance(Pointer, Pointer),
    SizeOf(Lvalue),
    StringLength(Pointer),
}

/// An expression whose value is a pointer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pointer {
    Null,
    /// `&place`
    To(Lvalue),
    /// The value of a pointer variable.
    Value(Lvalue),
    /// A pointer some bytes further on.
    Offset(Box<Pointer>, Box<Expr>),
    /// A pointer converted to an integer and back, with this added.
    Integer(Box<Pointer>, i32),
    /// The result of a function without a body.
    MadeUp,
    Malloc(Box<Expr>),
    Calloc(Box<Expr>),
    Realloc(Box<Pointer>, Box<Expr>),
    /// Memory from the stack.
    Alloca(Box<Expr>),
    /// The argument of the thread.
    Argument,
}

/// The number of bytes of a memory function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    SizeOf(Lvalue),
    /// At most this.
    Masked(Box<Expr>, u8),
    Raw(Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transfer {
    Copy,
    Move,
}

/// The function that is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    Function(u8),
    /// The target of the global function pointer.
    Pointer,
    /// A function without a body.
    Unknown,
}

/// The new value of the global function pointer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FunctionValue {
    Function(u8),
    Null,
    Cast(Pointer),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[rustfmt::skip]
pub enum Stmt {
    Set(Register, Expr),
    /// Assigns to a scalar.
    Assign(Lvalue, Expr),
    /// Copies a record to another of its type.
    Copy(Lvalue, Lvalue),
    /// Copies a record by passing it to a function and returning it.
    Pass(Lvalue, Lvalue, usize),
    /// Assigns a compound literal that names one field.
    Literal(Lvalue, usize, u8, Expr),
    Transfer(Transfer, Pointer, Pointer, Length),
    Fill(Pointer, Expr, Length),
    /// The register gets whether the bytes are the same.
    CompareBytes(Register, Pointer, Pointer, Length),
    Point(Lvalue, Pointer),
    Free(Pointer),
    SetFunction(FunctionValue),
    Call { callee: Callee, argument: Expr, result: Register },
    /// Passes the pointer to a function without a body.
    Take(Pointer),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A number of iterations, and the body.
    Loop(u8, Vec<Stmt>),
    /// Iterates as often as the register says, at most four times.
    Repeat(Register, Vec<Stmt>),
    /// Cases 0 and 1, which falls through to the default.
    Switch(Expr, Vec<Stmt>, Vec<Stmt>, Vec<Stmt>),
    /// An input between these bounds, both included.
    Input { register: Register, low: u8, high: u8 },
    WideInput(Register),
    Assume(Expr),
    Assert(Expr),
    Locked(u8, Vec<Stmt>),
    Lock(u8),
    Unlock(u8),
    DestroyLock(u8),
    /// Waits for the condition variable, with the first lock held.
    Wait,
    Signal,
    Broadcast,
    /// The statements between `__VERIFIER_atomic_begin` and its end.
    Atomic(Vec<Stmt>),
    /// Adds to the global atomic counter; the register gets the old value.
    FetchAdd(Register, i8),
    CompareExchange(Register, i8, i8),
    /// Creates a thread with this argument.
    Create(u8, Pointer),
    Join(u8),
    Detach(u8),
    EndThread,
    EndProcess,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Body {
    pub locals: Vec<Object>,
    /// The number of registers that begin with zero; the others begin with any value.
    pub zeroed: u8,
    pub statements: Vec<Stmt>,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    pub word: Word,
    /// Whether the program has no undefined behaviour and a single outcome: arithmetic is unsigned, with masks.
    pub is_defined: bool,
    pub records: Vec<Record>,
    pub globals: Vec<Object>,
    /// Their argument is their first register, which they return.
    pub functions: Vec<Body>,
    pub threads: Vec<Body>,
    pub main: Body,
    /// The values of the inputs of a defined program, one after the other.
    pub inputs: Vec<u8>,
}

impl Stmt {
    /// The lists of statements inside of it.
    pub fn blocks(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::If(_, a, b) => vec![a, b],
            Stmt::Switch(_, a, b, c) => vec![a, b, c],
            Stmt::Loop(_, a) | Stmt::Repeat(_, a) | Stmt::Locked(_, a) | Stmt::Atomic(a) => vec![a],
            Stmt::Set(..)
            | Stmt::Assign(..)
            | Stmt::Copy(..)
            | Stmt::Pass(..)
            | Stmt::Literal(..)
            | Stmt::Transfer(..)
            | Stmt::Fill(..)
            | Stmt::CompareBytes(..)
            | Stmt::Point(..)
            | Stmt::Free(_)
            | Stmt::SetFunction(_)
            | Stmt::Call { .. }
            | Stmt::Take(_)
            | Stmt::Input { .. }
            | Stmt::WideInput(_)
            | Stmt::Assume(_)
            | Stmt::Assert(_)
            | Stmt::Lock(_)
            | Stmt::Unlock(_)
            | Stmt::DestroyLock(_)
            | Stmt::Wait
            | Stmt::Signal
            | Stmt::Broadcast
            | Stmt::FetchAdd(..)
            | Stmt::CompareExchange(..)
            | Stmt::Create(..)
            | Stmt::Join(_)
            | Stmt::Detach(_)
            | Stmt::EndThread
            | Stmt::EndProcess => vec![],
        }
    }

    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If(_, a, b) => vec![a, b],
            Stmt::Switch(_, a, b, c) => vec![a, b, c],
            Stmt::Loop(_, a) | Stmt::Repeat(_, a) | Stmt::Locked(_, a) | Stmt::Atomic(a) => vec![a],
            _ => vec![],
        }
    }
}

impl Source {
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        [&mut self.main].into_iter().chain(&mut self.threads).chain(&mut self.functions)
    }

    /// The number of statements, however deep, that satisfy the test.
    fn count(&self, test: &dyn Fn(&Stmt) -> bool) -> usize {
        fn within(list: &[Stmt], test: &dyn Fn(&Stmt) -> bool) -> usize {
            let inside = |s: &Stmt| s.blocks().into_iter().map(|block| within(block, test)).sum::<usize>();
            list.iter().map(|s| usize::from(test(s)) + inside(s)).sum()
        }
        let bodies = [&self.main].into_iter().chain(&self.threads).chain(&self.functions);
        bodies.map(|body| within(&body.statements, test)).sum()
    }

    pub fn total_statements(&self) -> usize {
        self.count(&|_| true)
    }

    /// Whether a record of this type is passed as an argument.
    pub fn passes(&self, record: usize) -> bool {
        self.count(&|s| matches!(s, Stmt::Pass(_, _, passed) if *passed == record)) > 0
    }

    /// The type behind a variable and a path, and the width of a bit-field.
    pub fn type_of(&self, locals: &[Object], place: &Lvalue) -> Option<Field> {
        let object = match place.root {
            Variable::Global(number) => self.globals.get(usize::from(number))?,
            Variable::Local(number) => locals.get(usize::from(number))?,
        };
        let mut field = Field { ty: object.ty, bits: None };
        if place.through.is_some() {
            let Type::Pointer(target) = field.ty else { return None };
            field.ty = match target {
                Target::Byte => Type::Scalar(Scalar::UnsignedChar),
                Target::Int => Type::Scalar(Scalar::Int),
                Target::Record(record) => Type::Record(record),
            };
        }
        for step in &place.path {
            field = match (step, field.ty) {
                (Step::Field(number), Type::Record(record)) => {
                    *self.records.get(record)?.fields.get(usize::from(*number))?
                }
                (Step::Index(_), Type::Array(element, _)) => Field { ty: Type::Scalar(element), bits: None },
                (Step::Index(_), Type::Records(record, _)) => Field { ty: Type::Record(record), bits: None },
                _ => return None,
            };
        }
        Some(field)
    }
}
