//! Drawing lvalues, expressions and pointers.

use super::ast::*;
use super::draw::Draw;

impl Draw {
    /// All variables in scope.
    fn variables(&self) -> Vec<(Variable, Type)> {
        let globals =
            self.program.globals.iter().zip(0..).map(|(object, number)| (Variable::Global(number), object.ty));
        let locals = self.locals.iter().zip(0..).map(|(object, number)| (Variable::Local(number), object.ty));
        locals.clone().chain(globals).chain(locals).collect()
    }

    /// Some lvalue, with its type: a variable, or part of one.
    fn any_place(&mut self) -> (Lvalue, Field) {
        let variables = self.variables();
        let (root, ty) = self.chance.pick(&variables);
        let mut place = Lvalue { root, through: None, path: Vec::new() };
        let mut field = Field { ty, bits: None };
        if let Type::Pointer(target) = ty
            && !self.chance.one_in(4)
        {
            place.through = Some(self.pointer_index(target));
            field = self.program.type_of(&self.locals, &place).unwrap_or(field);
        }
        while self.descends(field.ty) {
            match field.ty {
                Type::Record(record) => {
                    let fields = &self.program.records[record].fields;
                    let number = self.chance.below(fields.len() as u64) as usize;
                    field = fields[number];
                    place.path.push(Step::Field(number as u8));
                }
                Type::Array(element, count) => {
                    place.path.push(Step::Index(self.index(count)));
                    field = Field { ty: Type::Scalar(element), bits: None };
                }
                Type::Records(record, count) => {
                    place.path.push(Step::Index(self.index(count)));
                    field = Field { ty: Type::Record(record), bits: None };
                }
                Type::Scalar(_) | Type::Pointer(_) => break,
            }
        }
        (place, field)
    }

    fn descends(&mut self, ty: Type) -> bool {
        !matches!(ty, Type::Scalar(_) | Type::Pointer(_)) && !self.chance.one_in(4)
    }

    fn index(&mut self, count: u8) -> Index {
        match self.chance.below(if self.features.is_defined { 3 } else { 6 }) {
            0 | 1 | 3 | 4 => Index::Constant(self.chance.below(u64::from(count)) as u8),
            2 => Index::Masked(Box::new(Expr::Register(self.register())), count),
            _ => Index::Raw(Box::new(Expr::Register(self.register()))),
        }
    }

    /// Defined programs have four bytes behind every pointer to bytes.
    fn pointer_index(&mut self, target: Target) -> Index {
        match (target, self.features.is_defined) {
            (Target::Byte, true) => Index::Masked(Box::new(self.expr(0)), 4),
            (Target::Byte, false) if self.chance.one_in(2) => self.index(4),
            (_, false) if self.chance.one_in(6) => self.index(2),
            _ => Index::Constant(0),
        }
    }

    /// An lvalue whose type satisfies the test, if one is found soon.
    fn place_where(&mut self, holds: impl Fn(&Field) -> bool) -> Option<Lvalue> {
        (0..12).find_map(|_| {
            let (place, field) = self.any_place();
            holds(&field).then_some(place)
        })
    }

    pub(super) fn scalar_place(&mut self) -> Option<Lvalue> {
        self.place_where(|field| matches!(field.ty, Type::Scalar(_)))
    }

    fn pointer_place(&mut self) -> Option<Lvalue> {
        self.place_where(|field| matches!(field.ty, Type::Pointer(_)))
    }

    /// An lvalue of this record type; there is a global one.
    pub(super) fn record_place(&mut self, record: usize) -> Lvalue {
        let found = self.place_where(|field| field.ty == Type::Record(record));
        found.unwrap_or_else(|| self.global_of(Type::Record(record)))
    }

    fn global_of(&self, ty: Type) -> Lvalue {
        let number = self.program.globals.iter().position(|object| object.ty == ty).unwrap_or(0);
        Lvalue { root: Variable::Global(number as u8), through: None, path: Vec::new() }
    }

    pub(super) fn constant(&mut self) -> i32 {
        match self.chance.below(12) {
            0 => -1,
            1 => 255,
            2 if !self.features.is_defined => self.chance.pick(&[i32::MAX, i32::MIN, 1 << 16, 128]),
            _ => self.chance.below(5) as i32,
        }
    }

    pub(super) fn expr(&mut self, depth: u32) -> Expr {
        match self.chance.below(if depth == 0 { 6 } else { 12 }) {
            0 | 1 => Expr::Constant(self.constant()),
            2 | 3 => Expr::Register(self.register()),
            6..=8 => {
                let operations = [
                    Binary::Add,
                    Binary::Add,
                    Binary::Sub,
                    Binary::And,
                    Binary::Xor,
                    Binary::Or,
                    Binary::Mul,
                    Binary::Shl,
                    Binary::Shr,
                    Binary::Div,
                    Binary::Rem,
                ];
                let operation = self.chance.pick(&operations);
                Expr::Binary(operation, Box::new(self.expr(depth - 1)), Box::new(self.expr(depth - 1)))
            }
            9 => self.condition(),
            10 => Expr::Cast(
                self.chance.pick(&[Scalar::Char, Scalar::UnsignedChar, Scalar::UnsignedShort, Scalar::Unsigned]),
                Box::new(self.expr(depth - 1)),
            ),
            11 if !self.features.is_defined && self.chance.one_in(4) => Expr::StringLength(self.pointer(1)),
            11 if self.chance.one_in(2) => {
                let (condition, a, b) = (self.condition(), self.expr(depth - 1), self.expr(depth - 1));
                Expr::Choose(Box::new(condition), Box::new(a), Box::new(b))
            }
            _ => self.scalar_place().map_or(Expr::Register(0), Expr::Load),
        }
    }

    pub(super) fn condition(&mut self) -> Expr {
        if !self.features.is_defined && self.chance.one_in(5) {
            let (a, b) = (self.pointer(1), self.pointer(1));
            return match self.chance.below(5) {
                0 => Expr::PointerLess(a, b),
                1 => {
                    let distance = Box::new(Expr::Distance(a, b));
                    Expr::Binary(Binary::Eq, distance, Box::new(Expr::Constant(self.constant())))
                }
                _ => Expr::SamePointer(a, b),
            };
        }
        let comparisons = [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Ge];
        let (a, b) = (Box::new(self.expr(0)), Box::new(self.expr(0)));
        let simple = Expr::Binary(self.chance.pick(&comparisons), a, b);
        match self.chance.below(6) {
            0 => {
                let operation = self.chance.pick(&[Binary::Both, Binary::Either]);
                let other = Expr::Binary(Binary::Ne, Box::new(self.expr(0)), Box::new(Expr::Constant(0)));
                Expr::Binary(operation, Box::new(simple), Box::new(other))
            }
            _ => simple,
        }
    }

    /// A pointer to anything, valid or not.
    pub(super) fn pointer(&mut self, depth: u32) -> Pointer {
        match self.chance.below(if depth == 0 { 7 } else { 12 }) {
            0 if self.chance.one_in(2) => Pointer::Null,
            1 if self.features.made_up && self.chance.one_in(2) => Pointer::MadeUp,
            5 if self.is_thread => Pointer::Argument,
            2..=4 => self.pointer_place().map_or(Pointer::Null, Pointer::Value),
            7 | 8 => {
                let by = if self.chance.one_in(2) { self.expr(0) } else { Expr::Constant(self.chance.below(5) as i32) };
                Pointer::Offset(Box::new(self.pointer(depth - 1)), Box::new(by))
            }
            9 => Pointer::Integer(Box::new(self.pointer(depth - 1)), self.chance.pick(&[0, 1, 4, -1, 1 << 20])),
            _ => {
                let place = self.place_where(|field| field.bits.is_none());
                place.map_or(Pointer::Null, Pointer::To)
            }
        }
    }

    pub(super) fn point(&mut self) -> Vec<Stmt> {
        let variables = self.variables();
        let pointers: Vec<_> = variables
            .into_iter()
            .filter_map(|(root, ty)| match ty {
                Type::Pointer(target) => Some((root, target)),
                _ => None,
            })
            .collect();
        if pointers.is_empty() {
            return Vec::new();
        }
        let (root, target) = self.chance.pick(&pointers);
        let place = Lvalue { root, through: None, path: Vec::new() };
        let pointer = if self.features.is_defined { self.valid(target) } else { self.pointer(2) };
        vec![Stmt::Point(place, pointer)]
    }

    /// A pointer to a global or heap object that is large enough for its use.
    fn valid(&mut self, target: Target) -> Pointer {
        let place = match target {
            Target::Byte => {
                if self.chance.one_in(3) {
                    return Pointer::Calloc(Box::new(Expr::Constant(4)));
                }
                let (mut array, size) = self.byte_array();
                let first = self.chance.below(u64::from(size) - 3) as u8;
                array.path.push(Step::Index(Index::Constant(first)));
                array
            }
            Target::Int => self.global_of(Type::Scalar(Scalar::Int)),
            Target::Record(record) => self.global_of(Type::Record(record)),
        };
        Pointer::To(place)
    }

    /// The first global.
    fn byte_array(&self) -> (Lvalue, u8) {
        let place = Lvalue { root: Variable::Global(0), through: None, path: Vec::new() };
        match self.program.globals[0].ty {
            Type::Array(_, size) => (place, size),
            _ => (place, 1),
        }
    }

    pub(super) fn heap(&mut self) -> Vec<Stmt> {
        let Some(place) = self.pointer_place() else { return Vec::new() };
        let size = match self.chance.below(3) {
            0 => Expr::Register(self.register()),
            1 => Expr::Constant(self.chance.pick(&[0, 1, 4, 8, 12])),
            _ => {
                let record = self.chance.below(self.program.records.len() as u64) as usize;
                Expr::SizeOf(self.global_of(Type::Record(record)))
            }
        };
        let pointer = match self.chance.below(5) {
            0 => Pointer::Calloc(Box::new(size)),
            _ if !self.features.uninitialised => Pointer::Calloc(Box::new(size)),
            4 => Pointer::Alloca(Box::new(size)),
            1 => Pointer::Realloc(Box::new(Pointer::Value(place.clone())), Box::new(size)),
            _ => Pointer::Malloc(Box::new(size)),
        };
        vec![Stmt::Point(place, pointer)]
    }

    pub(super) fn memory_call(&mut self) -> Vec<Stmt> {
        if self.features.is_defined {
            return self.defined_memory_call();
        }
        let (to, from) = (self.pointer(1), self.pointer(1));
        let length = match self.chance.below(4) {
            0 => Length::Masked(Box::new(Expr::Register(self.register())), self.chance.pick(&[1, 3, 4, 8])),
            1 => Length::Raw(Box::new(self.expr(0))),
            2 => Length::Raw(Box::new(Expr::Constant(self.chance.pick(&[1, 2, 3, 4, 8])))),
            _ => {
                let place = self.place_where(|field| field.bits.is_none());
                place.map_or_else(|| Length::Raw(Box::new(Expr::Constant(1))), Length::SizeOf)
            }
        };
        match self.chance.below(6) {
            0 => vec![Stmt::CompareBytes(self.register(), to, from, length)],
            1 | 2 => vec![Stmt::Fill(to, self.expr(0), length)],
            3 => vec![Stmt::Transfer(Transfer::Move, to, from, length)],
            _ => vec![Stmt::Transfer(Transfer::Copy, to, from, length)],
        }
    }

    /// A memory function on whole objects of one type, or on bytes within one array.
    fn defined_memory_call(&mut self) -> Vec<Stmt> {
        let at = |array: &Lvalue, first: u8| {
            let mut place = array.clone();
            place.path.push(Step::Index(Index::Constant(first)));
            Pointer::To(place)
        };
        if self.chance.one_in(2) {
            let record = self.chance.below(self.program.records.len() as u64) as usize;
            let (to, from) = (self.record_place(record), self.record_place(record));
            let length = Length::SizeOf(from.clone());
            return match self.chance.one_in(3) {
                // Bytes of zero and one are values of every type.
                true => vec![Stmt::Fill(Pointer::To(to), Expr::Constant(self.chance.below(2) as i32), length)],
                false => vec![Stmt::Transfer(Transfer::Move, Pointer::To(to), Pointer::To(from), length)],
            };
        }
        let (array, size) = self.byte_array();
        let half = u64::from(size / 2);
        let (to, from) = (self.chance.below(half) as u8, self.chance.below(half) as u8);
        let length = Length::Masked(Box::new(self.expr(0)), size / 2);
        let to = at(&array, to);
        match self.chance.below(3) {
            0 => vec![Stmt::Fill(to, self.expr(0), length)],
            1 => vec![Stmt::CompareBytes(self.register(), to, at(&array, from), length)],
            _ => vec![Stmt::Transfer(Transfer::Move, to, at(&array, from), length)],
        }
    }
}
