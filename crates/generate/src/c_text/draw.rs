//! Drawing programs: their declarations, and their statements.
//!
//! A *defined* program has no undefined behaviour and a single outcome, which a compiler can determine: its objects
//! begin with zero, indices are masked, pointers point to existing objects, threads are joined as soon as they
//! are created. All others may do anything; a few of their statements are likely to be wrong.

use super::ast::*;
use super::chance::Chance;

/// The features that may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    pub is_defined: bool,
    /// The most threads besides main.
    pub threads: u8,
    /// Functions without a body that return pointers.
    pub made_up: bool,
    /// Memory that has not been written yet.
    pub uninitialised: bool,
}

impl Features {
    /// Everything.
    pub const ALL: Features = Features { is_defined: false, threads: 2, made_up: true, uninitialised: true };
    /// Few values are open, so that engines have answers.
    pub const TAME: Features = Features { made_up: false, uninitialised: false, ..Features::ALL };
    /// Programs that a compiler can run.
    pub const DEFINED: Features = Features { is_defined: true, ..Features::TAME };
}

/// The program number `seed`.
pub fn source(seed: u64, features: Features) -> Source {
    let chance = Chance::new(seed);
    let mut draw = Draw {
        chance,
        features,
        program: empty(features),
        locals: Vec::new(),
        callable: 0,
        is_main: false,
        is_thread: false,
        may_lock: !features.is_defined,
    };
    draw.all();
    draw.program
}

fn empty(features: Features) -> Source {
    Source {
        word: Word::Bits64,
        is_defined: features.is_defined,
        records: Vec::new(),
        globals: Vec::new(),
        functions: Vec::new(),
        threads: Vec::new(),
        main: Body::default(),
        inputs: Vec::new(),
    }
}

pub(super) struct Draw {
    pub(super) chance: Chance,
    pub(super) features: Features,
    pub(super) program: Source,
    /// The objects of the current function.
    pub(super) locals: Vec<Object>,
    /// Functions before this one may be called.
    callable: u8,
    is_main: bool,
    pub(super) is_thread: bool,
    /// Threads of a defined program do not ask again for a lock that they hold.
    may_lock: bool,
}

impl Draw {
    fn all(&mut self) {
        if self.chance.one_in(3) {
            self.program.word = Word::Bits32;
        }
        if self.features.is_defined {
            self.program.inputs = (0..4).map(|_| self.chance.below(256) as u8).collect();
        }
        for _ in 0..self.chance.between(1, 2) {
            let record = self.structure();
            self.program.records.push(record);
        }
        if self.chance.one_in(2) {
            let record = self.union();
            self.program.records.push(record);
        }
        self.globals();
        for number in 0..self.chance.between(1, 2) as u8 {
            self.callable = number;
            let body = self.body(1, 2);
            self.program.functions.push(body);
        }
        self.callable = self.program.functions.len() as u8;
        self.may_lock = true;
        let most = u64::from(self.features.threads);
        let threads = if self.chance.one_in(2) { 0 } else { self.chance.between(1, most.max(1)).min(most) };
        self.is_thread = true;
        for _ in 0..threads {
            let body = self.body(1, 3);
            self.program.threads.push(body);
        }
        self.is_thread = false;
        self.main(threads as u8);
    }

    /// In main, threads are created at some point and joined at a later one.
    fn main(&mut self, threads: u8) {
        self.is_main = true;
        let mut body = self.body(2, if threads == 0 { 7 } else { 4 });
        for thread in 0..threads {
            let mut create = self.chance.between(0, body.statements.len() as u64) as usize;
            if self.features.is_defined && create > 0 && matches!(body.statements[create - 1], Stmt::Create(..)) {
                create += 1;
            }
            let join = match self.features.is_defined {
                true => create + 1,
                false => self.chance.between(create as u64 + 1, body.statements.len() as u64 + 1) as usize,
            };
            self.locals.clone_from(&body.locals);
            let argument = if self.features.is_defined { Pointer::Null } else { self.pointer(1) };
            body.statements.insert(create, Stmt::Create(thread, argument));
            if self.features.is_defined || !self.chance.one_in(5) {
                body.statements.insert(join, Stmt::Join(thread));
            }
        }
        self.program.main = body;
    }

    fn structure(&mut self) -> Record {
        let mut fields: Vec<Field> = (0..self.chance.between(1, 4)).map(|_| self.field()).collect();
        // An object that bytes are taken from has some padding as often as not.
        if self.chance.one_in(3) {
            fields.insert(0, Field { ty: Type::Scalar(Scalar::Char), bits: None });
        }
        Record { is_union: false, fields }
    }

    fn field(&mut self) -> Field {
        let plain = |ty| Field { ty, bits: None };
        let nested = (0..self.program.records.len()).find(|record| !self.program.records[*record].is_union);
        match self.chance.below(10) {
            0 | 1 => {
                let scalar = self.chance.pick(&[Scalar::Int, Scalar::Unsigned, Scalar::UnsignedChar, Scalar::Bool]);
                let bits = match scalar {
                    Scalar::Bool => 1,
                    Scalar::UnsignedChar => self.chance.between(1, 8) as u8,
                    _ => self.chance.between(1, 12) as u8,
                };
                Field { ty: Type::Scalar(scalar), bits: Some(bits) }
            }
            2 => plain(Type::Array(self.byte_or_short(), self.chance.between(1, 3) as u8)),
            3 => nested.map_or_else(|| plain(Type::Scalar(Scalar::Short)), |record| plain(Type::Record(record))),
            4 if !self.features.is_defined => plain(Type::Pointer(Target::Byte)),
            _ => plain(Type::Scalar(self.scalar())),
        }
    }

    fn union(&mut self) -> Record {
        let whole = [Scalar::UnsignedChar, Scalar::Short, Scalar::Int, Scalar::Unsigned, Scalar::LongLong];
        let mut fields = vec![Field { ty: Type::Array(Scalar::UnsignedChar, self.chance.pick(&[4, 8])), bits: None }];
        for _ in 0..self.chance.between(1, 2) {
            // The padding of a union is unspecified after a member was written.
            let field = match self.features.is_defined {
                true => Field { ty: Type::Scalar(self.chance.pick(&whole)), bits: None },
                false => self.field(),
            };
            fields.push(field);
        }
        Record { is_union: true, fields }
    }

    fn byte_or_short(&mut self) -> Scalar {
        self.chance.pick(&[Scalar::UnsignedChar, Scalar::UnsignedChar, Scalar::Char, Scalar::Short])
    }

    /// The value of a defined program is the same in both data models: it has no `long`.
    fn scalar(&mut self) -> Scalar {
        let scalars = [
            Scalar::Int,
            Scalar::Char,
            Scalar::UnsignedChar,
            Scalar::Short,
            Scalar::UnsignedShort,
            Scalar::Unsigned,
            Scalar::LongLong,
            Scalar::Bool,
            Scalar::Long,
        ];
        let count = if self.features.is_defined { scalars.len() - 1 } else { scalars.len() };
        self.chance.pick(&scalars[..count])
    }

    /// A byte array, an `int`, every record, and a pointer to each of these.
    fn globals(&mut self) {
        let mut types = vec![Type::Array(Scalar::UnsignedChar, self.chance.pick(&[4, 8])), Type::Scalar(Scalar::Int)];
        for record in 0..self.program.records.len() {
            types.push(Type::Record(record));
            if self.chance.one_in(3) {
                types.push(Type::Records(record, 2));
            }
        }
        for ty in types {
            let initial = if self.chance.one_in(4) { Initial::First(1) } else { Initial::None };
            self.program.globals.push(Object { ty, initial });
        }
        for _ in 0..self.chance.between(1, 2) {
            let pointer = self.pointer_object(false);
            self.program.globals.push(pointer);
        }
    }

    /// A pointer to a type that some global has.
    fn pointer_object(&mut self, may_be_open: bool) -> Object {
        let records = self.program.records.len() as u64;
        let target = match self.chance.below(2 + records) {
            0 => Target::Byte,
            1 => Target::Int,
            record => Target::Record(record as usize - 2),
        };
        let named = self.program.globals.iter().position(|object| match target {
            Target::Byte => matches!(object.ty, Type::Array(Scalar::UnsignedChar, _)),
            Target::Int => object.ty == Type::Scalar(Scalar::Int),
            Target::Record(record) => object.ty == Type::Record(record),
        });
        let initial = match named {
            _ if may_be_open && self.chance.one_in(4) => Initial::None,
            Some(global) if self.features.is_defined || !self.chance.one_in(6) => Initial::Global(global as u8),
            _ => Initial::Zero,
        };
        Object { ty: Type::Pointer(target), initial }
    }

    fn body(&mut self, least: u64, most: u64) -> Body {
        self.locals = (0..self.chance.between(0, 2)).map(|_| self.local()).collect();
        let zeroed = match !self.features.uninitialised || !self.chance.one_in(6) {
            true => REGISTERS,
            false => self.chance.below(u64::from(REGISTERS)) as u8,
        };
        let statements = self.list(least, most, 2);
        Body { locals: std::mem::take(&mut self.locals), zeroed, statements }
    }

    fn local(&mut self) -> Object {
        let record = self.chance.below(self.program.records.len() as u64) as usize;
        let may_be_open = self.features.uninitialised;
        let ty = match self.chance.below(6) {
            0 => Type::Array(Scalar::UnsignedChar, self.chance.pick(&[4, 8])),
            1 => Type::Scalar(self.scalar()),
            2 => return self.pointer_object(may_be_open),
            3 => Type::Records(record, 2),
            _ => Type::Record(record),
        };
        let initial = if !may_be_open || self.chance.one_in(3) { Initial::Zero } else { Initial::None };
        Object { ty, initial }
    }

    pub(super) fn list(&mut self, least: u64, most: u64, depth: u32) -> Vec<Stmt> {
        let mut list = Vec::new();
        for _ in 0..self.chance.between(least, most) {
            let statements = self.statements(depth);
            list.extend(statements);
        }
        list
    }

    /// One statement, or a few that make sense together.
    fn statements(&mut self, depth: u32) -> Vec<Stmt> {
        let is_defined = self.features.is_defined;
        match self.chance.below(if is_defined { 20 } else { 29 }) {
            0 | 1 => self.assignment(),
            2 => vec![Stmt::Set(self.register(), self.expr(2))],
            3 | 4 => self.copy(),
            5 | 6 => self.memory_call(),
            7 => self.point(),
            8 => {
                let (register, low) = (self.register(), self.chance.below(2) as u8);
                vec![Stmt::Input { register, low, high: low + self.chance.between(1, 3) as u8 }]
            }
            9 => self.call(),
            10 if depth > 0 => self.branch(depth),
            11 if depth > 0 => vec![Stmt::Loop(self.chance.between(1, 3) as u8, self.list(1, 2, depth - 1))],
            12 if depth > 0 && self.may_lock => {
                let depth = if is_defined { 0 } else { depth - 1 };
                vec![Stmt::Locked(self.lock(), self.list(1, 2, depth))]
            }
            13 => vec![Stmt::FetchAdd(self.register(), self.chance.between(0, 2) as i8)],
            14 => vec![Stmt::CompareExchange(self.register(), self.chance.below(2) as i8, self.chance.below(3) as i8)],
            15 => self.count_up(),
            16 if depth > 0 && self.chance.one_in(2) => {
                // A lock inside of an atomic section may wait for a thread that cannot run.
                vec![Stmt::Atomic(self.list(1, 2, 0))]
            }
            17 if !is_defined => self.claim(),
            18 if !is_defined => self.claim(),
            _ if is_defined => self.assignment(),
            19 => self.claim(),
            20 => vec![Stmt::Free(self.pointer(1))],
            21 => self.point(),
            22 => vec![Stmt::Assume(self.condition())],
            23 => self.synchronisation(),
            24 => vec![Stmt::WideInput(self.register())],
            25 => vec![Stmt::Take(self.pointer(1))],
            26 if depth > 0 => {
                let register = self.register();
                let input = Stmt::Input { register, low: 0, high: self.chance.between(1, 2) as u8 };
                vec![input, Stmt::Repeat(register, self.list(1, 2, depth - 1))]
            }
            27 => self.heap(),
            _ => self.copy(),
        }
    }

    fn branch(&mut self, depth: u32) -> Vec<Stmt> {
        let condition = self.condition();
        let (yes, no) = (self.list(1, 2, depth - 1), self.list(0, 1, depth - 1));
        match self.chance.one_in(4) {
            true => vec![Stmt::Switch(self.expr(1), yes, no, self.list(0, 1, depth - 1))],
            false => vec![Stmt::If(condition, yes, no)],
        }
    }

    fn assignment(&mut self) -> Vec<Stmt> {
        let Some(place) = self.scalar_place() else { return Vec::new() };
        vec![Stmt::Assign(place, self.expr(2))]
    }

    /// An increment, which other threads may interrupt.
    fn count_up(&mut self) -> Vec<Stmt> {
        let Some(place) = self.scalar_place() else { return Vec::new() };
        let sum = Expr::Binary(Binary::Add, Box::new(Expr::Load(place.clone())), Box::new(Expr::Constant(1)));
        vec![Stmt::Assign(place, sum)]
    }

    fn claim(&mut self) -> Vec<Stmt> {
        let condition = match self.scalar_place() {
            Some(place) if !self.chance.one_in(4) => {
                let value = Box::new(Expr::Constant(self.constant()));
                Expr::Binary(
                    self.chance.pick(&[Binary::Ne, Binary::Eq, Binary::Ge]),
                    Box::new(Expr::Load(place)),
                    value,
                )
            }
            _ => self.condition(),
        };
        vec![Stmt::Assert(condition)]
    }

    fn copy(&mut self) -> Vec<Stmt> {
        let record = self.chance.below(self.program.records.len() as u64) as usize;
        let (to, from) = (self.record_place(record), self.record_place(record));
        match self.chance.below(5) {
            0 => vec![Stmt::Pass(to, from, record)],
            1 => match self.literal(record) {
                Some((field, value)) => vec![Stmt::Literal(to, record, field, value)],
                None => vec![Stmt::Copy(to, from)],
            },
            _ => vec![Stmt::Copy(to, from)],
        }
    }

    /// A scalar field, and a value for it.
    fn literal(&mut self, record: usize) -> Option<(u8, Expr)> {
        // Bytes of a union that a literal does not name have any value.
        if self.features.is_defined && self.program.records[record].is_union {
            return None;
        }
        let fields = self.program.records[record].fields.iter();
        let field = fields.clone().position(|field| matches!(field.ty, Type::Scalar(_)))?;
        Some((field as u8, self.expr(1)))
    }

    fn call(&mut self) -> Vec<Stmt> {
        let (argument, result) = (self.expr(1), self.register());
        let known = (self.callable > 0).then(|| self.chance.below(u64::from(self.callable)) as u8);
        let call = |callee, argument| Stmt::Call { callee, argument, result };
        match known {
            Some(number) if self.features.is_defined => match self.chance.one_in(2) {
                true => {
                    vec![Stmt::SetFunction(FunctionValue::Function(number)), call(Callee::Pointer, argument)]
                }
                false => vec![call(Callee::Function(number), argument)],
            },
            None if self.features.is_defined => self.assignment(),
            Some(number) => match self.chance.below(8) {
                0 | 1 => vec![call(Callee::Function(number), argument)],
                2 => vec![call(Callee::Unknown, argument)],
                3 => vec![Stmt::SetFunction(FunctionValue::Null)],
                4 => vec![Stmt::SetFunction(FunctionValue::Cast(self.pointer(1)))],
                5 => vec![Stmt::SetFunction(FunctionValue::Function(number))],
                _ => {
                    vec![Stmt::SetFunction(FunctionValue::Function(number)), call(Callee::Pointer, argument)]
                }
            },
            None => vec![call(Callee::Unknown, argument)],
        }
    }

    /// Locks out of order, condition variables, threads.
    fn synchronisation(&mut self) -> Vec<Stmt> {
        let lock = self.lock();
        let thread = self.program.threads.len() as u64;
        let thread = (self.is_main && thread > 0).then(|| self.chance.below(thread) as u8);
        match (self.chance.below(10), thread) {
            (0, _) => vec![Stmt::Lock(lock)],
            (1, _) => vec![Stmt::Unlock(lock)],
            (2, _) => vec![Stmt::DestroyLock(lock)],
            (3, _) => vec![Stmt::Locked(0, vec![Stmt::Wait])],
            (4, _) => vec![Stmt::Wait],
            (5, _) => vec![Stmt::Signal],
            (6, _) => vec![Stmt::Broadcast],
            (7, Some(thread)) => vec![Stmt::Join(thread)],
            (8, Some(thread)) => vec![Stmt::Detach(thread)],
            (9, _) => vec![self.chance.pick(&[Stmt::EndThread, Stmt::EndProcess])],
            _ => vec![Stmt::Locked(lock, vec![Stmt::Locked(1 - lock, self.list(0, 1, 0))])],
        }
    }

    pub(super) fn register(&mut self) -> Register {
        self.chance.below(u64::from(REGISTERS)) as u8
    }

    fn lock(&mut self) -> u8 {
        self.chance.below(u64::from(LOCKS)) as u8
    }
}
