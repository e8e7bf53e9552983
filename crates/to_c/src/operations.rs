//! Operations in C, with the checks that C's own meaning does not have.

use crate::code::{Item, What};
use crate::declare::integer;
use crate::expression::{Expr, Level, binary, compare, container, is_odd, literal};
use crate::printer::{Printer, Value};
use crate::registers::Fate;
use crate::types::CType;
use selvedge_program::{
    BinOp, Cast, CmpOp, Computation, FloatBinOp, FloatCmpOp, FloatUnOp, Input, Operand, Property, Reg, Ty, UnOp,
};

impl Printer<'_, '_> {
    pub fn computation(&mut self, computation: Computation, fate: impl Fn(Reg) -> Fate) {
        let value = match computation {
            Computation::Copy { src, .. } => match src {
                Operand::Global { .. } | Operand::Reg(_) if self.ty(src) == Ty::Ptr => {
                    Value::Address(self.address(src))
                }
                src => Value::Plain(self.stored_value(src)),
            },
            Computation::Binary { op, a, b, checked, .. } => Value::Plain(self.binary(op, a, b, checked)),
            Computation::Unary { op, a, .. } => Value::Plain(self.unary(op, a)),
            Computation::Compare { op, a, b, .. } => Value::Plain(self.compare(op, a, b)),
            Computation::FloatBinary { op, a, b, .. } => Value::Plain(self.float_binary(op, a, b)),
            Computation::FloatUnary { op, a, .. } => Value::Plain(self.float_unary(op, a)),
            Computation::FloatCompare { op, a, b, .. } => Value::Plain(self.float_compare(op, a, b)),
            Computation::Cast { dst, cast, src } => Value::Plain(self.cast(dst, cast, src)),
            Computation::Select { cond, a, b, .. } => Value::Plain(self.select(cond, a, b)),
            Computation::Field { base, bytes, of, .. } => {
                let base = self.address(base);
                let bytes = self.representable(i128::from(bytes));
                Value::Address(self.cx.field(base, bytes, of))
            }
            Computation::Index { base, index, stride, bound, .. } => {
                let base = self.address(base);
                let value = self.value(index).with_sign(true);
                let may_be_outside = computation.faults().violates.contains(Property::Memory);
                if let Some(bound) = bound.filter(|_| may_be_outside && self.cx.checks(Property::Memory)) {
                    let inside = format!("(uint64_t){} < {bound}", value.tight());
                    self.assert(&inside, Property::Memory, "uses an index that its array does not have");
                }
                match index {
                    Operand::Const { bits, .. } => {
                        let index = selvedge_program::semantics::integers::signed(self.bits(index), bits);
                        let by = self.representable(index.saturating_mul(i128::from(stride)));
                        Value::Address(base.plus(by))
                    }
                    _ => Value::Address(self.cx.element(base, &value, stride)),
                }
            }
            Computation::Overflowing { dst, overflow, op, signed, a, b } => {
                let bits = self.bits(a);
                let (a, b) = (self.value(a).with_sign(signed), self.value(b).with_sign(signed));
                let wrapped = binary(op, bits, &a, &b, false);
                if fate(overflow) != Fate::default() {
                    let overflows = self.overflows(op, bits, signed, &a, &b);
                    self.assign(overflow, &overflows);
                }
                if fate(dst) != Fate::default() {
                    self.assign(dst, &wrapped);
                }
                return;
            }
        };
        let dst = computation.dst();
        self.set(dst, value, fate(dst));
    }

    pub fn assert(&mut self, condition: &str, property: Property, text: &str) {
        if self.is_probe {
            return self.emit(format!("ASSUME({condition})"));
        }
        let place = self.cx.program().source.describe(self.loc);
        let text = format!("{}: {text} at {place}", property.name()).replace('\\', "\\\\").replace('"', "\\\"");
        self.emit(format!("ASSERT({condition}, \"{text}\")"));
    }

    /// Something is wrong unless this holds; where that is not checked, the run ends silently.
    fn check(&mut self, condition: &str, property: Property, text: &str) {
        match self.cx.checks(property) {
            true => self.assert(condition, property, text),
            false => self.end_unless(condition),
        }
    }

    /// The run ends silently unless this holds: see [`selvedge_bound::bounded`].
    pub fn end_unless(&mut self, condition: &str) {
        match self.halts {
            true => {
                let end = self.cx.facts.points[self.number].count;
                self.emit(format!("HALT({condition}, {end})"));
            }
            false => self.emit(format!("ASSUME({condition})")),
        }
    }

    fn binary(&mut self, op: BinOp, a: Operand, b: Operand, checked: bool) -> Expr {
        let bits = self.bits(a);
        let (x, mut y) = (self.value(a), self.value(b));
        let constant = match b {
            Operand::Const { bits: value, .. } => Some(value),
            _ => None,
        };
        match op {
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {
                let zero = literal(bits, 0, true);
                if constant.is_none_or(|value| value == 0) {
                    let fine = compare(CmpOp::Ne, &y, &zero).text;
                    self.check(&fine, Property::Arithmetic, "divides by zero");
                }
                let minus_one = selvedge_program::semantics::integers::truncate(bits, u128::MAX);
                if matches!(op, BinOp::SDiv | BinOp::SRem) && constant.is_none_or(|value| value == minus_one) {
                    let least = compare(CmpOp::Ne, &x, &literal(bits, 1 << (bits - 1), true));
                    let other = compare(CmpOp::Ne, &y, &literal(bits, minus_one, true));
                    let fine = format!("{} || {}", least.text, other.text);
                    self.check(&fine, Property::Arithmetic, "divides the smallest integer by -1");
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr if constant.is_none_or(|value| value >= u128::from(bits)) => {
                let width = literal(bits, u128::from(bits), false);
                if self.cx.checks(Property::Arithmetic) {
                    let fine = compare(CmpOp::Ult, &y, &width).text;
                    self.assert(&fine, Property::Arithmetic, "shifts by too many bits");
                } else {
                    // The amount is taken modulo the width.
                    y = match bits.is_power_of_two() {
                        true => binary(BinOp::And, bits, &y, &literal(bits, u128::from(bits - 1), false), false),
                        false => binary(BinOp::URem, bits, &y, &width, false),
                    };
                }
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul if checked && self.cx.checks(Property::Overflow) => {
                let fine = self.overflows(op, bits, true, &x, &y).negated().text;
                self.assert(&fine, Property::Overflow, "overflows");
            }
            BinOp::Shl
            | BinOp::LShr
            | BinOp::AShr
            | BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor => {}
        }
        if op == BinOp::Shl && checked && self.cx.checks(Property::Overflow) {
            let back = binary(BinOp::AShr, bits, &binary(op, bits, &x, &y, false), &y, false);
            self.assert(&compare(CmpOp::Eq, &back, &x).text, Property::Overflow, "overflows");
        }
        binary(op, bits, &x, &y, checked && !is_odd(bits))
    }

    /// Whether the exact result is not the one that its width keeps. Some tools would find signed overflow themselves,
    /// but not in widths that C does not have, and not so that it shows whether any run gets there.
    fn overflows(&mut self, op: BinOp, bits: u32, signed: bool, a: &Expr, b: &Expr) -> Expr {
        let (a, b) = (a.with_sign(signed), b.with_sign(signed));
        if !is_odd(bits) {
            let (word, name) = (overflow_builtin(op), integer(bits, signed));
            let text =
                format!("__builtin_{word}_overflow(({name}){}, ({name}){}, &({name}){{0}})", a.tight(), b.tight());
            return Expr::new(text, Level::Primary, CType::Bool);
        }
        let wide = container(2 * bits);
        if wide > 128 {
            self.unsupported("an overflow check of more than 64 bits");
            return Expr::new("0", Level::Primary, CType::Bool);
        }
        let resized = |value: &Expr| value.resized(wide, signed);
        let exact = binary(op, wide, &resized(&a), &resized(&b), false);
        compare(CmpOp::Ne, &exact, &resized(&binary(op, bits, &a, &b, false)))
    }

    /// A distance for C's arithmetic: what is too far for that is as wrong as what is just very far.
    fn representable(&self, bytes: i128) -> i64 {
        let far = 1i128 << (self.cx.program().data_model.pointer_bits() - 2);
        bytes.clamp(-far, far) as i64
    }

    fn unary(&mut self, op: UnOp, a: Operand) -> Expr {
        let bits = self.bits(a);
        let value = self.value(a).resized(64, false);
        let wide = value.with_sign(false);
        let ty = CType::signed(bits);
        let text = match op {
            UnOp::CountOnes => format!("__builtin_popcountll({})", wide.text),
            UnOp::CountLeadingZeros => {
                format!("({} ? __builtin_clzll({}) - {} : {bits})", wide.tight(), wide.text, 64 - bits.min(64))
            }
            UnOp::CountTrailingZeros => format!("({} ? __builtin_ctzll({}) : {bits})", wide.tight(), wide.text),
            UnOp::SwapBytes if matches!(bits, 16 | 32 | 64) => {
                let name = integer(bits, false);
                return Expr::new(
                    format!("__builtin_bswap{bits}(({name}){})", wide.tight()),
                    Level::Primary,
                    CType::unsigned(bits),
                );
            }
            UnOp::SwapBytes | UnOp::ReverseBits => {
                self.unsupported("the order of bits in an integer turned around");
                "0".to_string()
            }
        };
        Expr::new(text, Level::Primary, ty)
    }

    fn compare(&mut self, op: CmpOp, a: Operand, b: Operand) -> Expr {
        if self.ty(a) != Ty::Ptr {
            let bits = self.bits(a);
            let (mut a, b) = (self.stored_value(a), self.value(b));
            // `(x > 0) != 0` is `x > 0`; anything else takes it for a number.
            let is_question = matches!(op, CmpOp::Eq | CmpOp::Ne) && matches!(b.text.as_str(), "0" | "1");
            if a.ty == CType::Bool && bits > 1 && !is_question {
                a.ty = CType::signed(bits);
            }
            return compare(op, &a, &b);
        }
        let (mut x, mut y) = (self.value(a), self.value(b));
        if matches!(op, CmpOp::Eq | CmpOp::Ne) {
            if let (CType::Pointer(Some(_)), CType::Pointer(Some(_))) = (x.ty, y.ty)
                && self.cx.type_name(x.ty) != self.cx.type_name(y.ty)
            {
                x = Expr::new(format!("(void *){}", x.tight()), Level::Unary, CType::Pointer(None));
            }
            let word = if op == CmpOp::Eq { "==" } else { "!=" };
            let text = format!("{} {word} {}", x.at(Level::Shift), y.at(Level::Shift));
            return Expr::new(text, Level::Compare, CType::Bool);
        }
        let bits = self.cx.program().data_model.pointer_bits();
        for pointer in [&mut x, &mut y] {
            *pointer = Expr::new(format!("(uintptr_t){}", pointer.tight()), Level::Unary, CType::unsigned(bits));
        }
        compare(op, &x, &y)
    }

    fn select(&mut self, cond: Operand, a: Operand, b: Operand) -> Expr {
        let (cond, x, mut y) = (self.value(cond), self.value(a), self.value(b));
        match (x.ty, y.ty) {
            (CType::Int { signed, .. }, CType::Int { .. }) => y = y.with_sign(signed),
            (CType::Pointer(to), CType::Pointer(_)) => {
                y = self.cx.pointer_as(y, to);
                if self.cx.type_name(x.ty) != self.cx.type_name(y.ty) && x.text != "0" && y.text != "0" {
                    y = Expr::new(format!("(void *){}", y.tight()), Level::Unary, CType::Pointer(None));
                }
            }
            _ => {}
        }
        let ty = if x.text == "0" && matches!(x.ty, CType::Pointer(_)) { y.ty } else { x.ty };
        let ty =
            if let (CType::Pointer(_), CType::Pointer(None), false) = (x.ty, y.ty, y.text == "0") { y.ty } else { ty };
        Expr::new(format!("{} ? {} : {}", cond.tight(), x.tight(), y.tight()), Level::Conditional, ty)
    }

    fn cast(&mut self, dst: Reg, cast: Cast, src: Operand) -> Expr {
        let to = self.reg_ty(dst);
        let model = self.cx.program().data_model;
        let bits = to.bits(model);
        let value = match cast {
            Cast::Truncate | Cast::ZeroExtend => self.stored_value(src),
            Cast::SignExtend
            | Cast::Reinterpret
            | Cast::PtrToInt
            | Cast::IntToPtr
            | Cast::FloatToSigned
            | Cast::FloatToUnsigned
            | Cast::SignedToFloat
            | Cast::UnsignedToFloat
            | Cast::FloatToFloat => self.value(src),
        };
        let cast_to =
            |value: &Expr, ty: CType, name: String| Expr::new(format!("({name}){}", value.tight()), Level::Unary, ty);
        match cast {
            Cast::ZeroExtend | Cast::Truncate => value.resized(bits, false),
            Cast::SignExtend => value.resized(bits, true),
            Cast::PtrToInt => {
                let pointer = model.pointer_bits();
                cast_to(&value, CType::unsigned(pointer), "uintptr_t".to_string()).resized(bits, false)
            }
            Cast::IntToPtr => {
                let wide = value.resized(model.pointer_bits(), false).with_sign(false);
                Expr::new(format!("(void *)(uintptr_t){}", wide.tight()), Level::Unary, CType::Pointer(None))
            }
            Cast::FloatToSigned => cast_to(&value, CType::signed(bits), integer(bits, true).to_string()),
            Cast::FloatToUnsigned => cast_to(&value, CType::unsigned(bits), integer(bits, false).to_string()),
            Cast::SignedToFloat | Cast::UnsignedToFloat | Cast::FloatToFloat => {
                let value = match cast == Cast::FloatToFloat {
                    true => value,
                    false => value.with_sign(cast == Cast::SignedToFloat),
                };
                let ty = CType::of(to);
                let name = self.cx.type_name(ty);
                cast_to(&value, ty, name)
            }
            Cast::Reinterpret => {
                let from = self.cx.type_name(value.ty);
                let ty = match CType::of(to) {
                    CType::Int { bits, .. } => CType::unsigned(bits),
                    ty => ty,
                };
                let name = self.cx.type_name(ty);
                let text = format!("((union {{ {from} from; {name} to; }}){{ .from = {} }}).to", value.text);
                Expr::new(text, Level::Primary, ty)
            }
        }
    }

    fn float_binary(&mut self, op: FloatBinOp, a: Operand, b: Operand) -> Expr {
        let (x, y) = (self.value(a), self.value(b));
        let builtin = |name: &str| {
            let suffix = if x.ty == CType::Float { "f" } else { "" };
            Expr::new(format!("__builtin_{name}{suffix}({}, {})", x.text, y.text), Level::Primary, x.ty)
        };
        let (word, level) = match op {
            FloatBinOp::Add => ("+", Level::Add),
            FloatBinOp::Sub => ("-", Level::Add),
            FloatBinOp::Mul => ("*", Level::Multiply),
            FloatBinOp::Div => ("/", Level::Multiply),
            FloatBinOp::Rem => return builtin("fmod"),
            FloatBinOp::Min => return builtin("fmin"),
            FloatBinOp::Max => return builtin("fmax"),
            FloatBinOp::CopySign => return builtin("copysign"),
        };
        Expr::new(format!("{} {word} {}", x.tight(), y.tight()), level, x.ty)
    }

    fn float_unary(&mut self, op: FloatUnOp, a: Operand) -> Expr {
        let x = self.value(a);
        let name = match op {
            FloatUnOp::Neg => return Expr::new(format!("-{}", x.at(Level::Primary)), Level::Unary, x.ty),
            FloatUnOp::Abs => "fabs",
            FloatUnOp::Sqrt => "sqrt",
            FloatUnOp::Floor => "floor",
            FloatUnOp::Ceil => "ceil",
            FloatUnOp::Trunc => "trunc",
            FloatUnOp::Round => "round",
            FloatUnOp::RoundEven => "rint",
        };
        let suffix = if x.ty == CType::Float { "f" } else { "" };
        Expr::new(format!("__builtin_{name}{suffix}({})", x.text), Level::Primary, x.ty)
    }

    fn float_compare(&mut self, op: FloatCmpOp, a: Operand, b: Operand) -> Expr {
        let (x, y) = (self.value(a), self.value(b));
        let plain = |word: &str| format!("{} {word} {}", x.tight(), y.tight());
        let unordered = format!("__builtin_isunordered({}, {})", x.text, y.text);
        let text = match op {
            FloatCmpOp::False => "0".to_string(),
            FloatCmpOp::True => "1".to_string(),
            FloatCmpOp::Oeq => plain("=="),
            FloatCmpOp::Ogt => plain(">"),
            FloatCmpOp::Oge => plain(">="),
            FloatCmpOp::Olt => plain("<"),
            FloatCmpOp::Ole => plain("<="),
            FloatCmpOp::Une => plain("!="),
            FloatCmpOp::One => format!("({} && !{unordered})", plain("!=")),
            FloatCmpOp::Ord => format!("!{unordered}"),
            FloatCmpOp::Uno => unordered,
            FloatCmpOp::Ueq => format!("({} || {unordered})", plain("==")),
            // Not the opposite.
            FloatCmpOp::Ugt => format!("!({})", plain("<=")),
            FloatCmpOp::Uge => format!("!({})", plain("<")),
            FloatCmpOp::Ult => format!("!({})", plain(">=")),
            FloatCmpOp::Ule => format!("!({})", plain(">")),
        };
        // In parentheses, so that nobody takes `<` for the opposite of `>=`.
        Expr::new(format!("({text})"), Level::Primary, CType::Bool)
    }

    pub fn input(&mut self, dst: Reg, range: Option<(Operand, Operand)>, input: &Input, fate: Fate) {
        let (Input::Call(text) | Input::Uninitialised(text) | Input::Unmodelled(text)) = input;
        let comment = format!("/* {} */", text.replace("*/", ""));
        let ty = self.reg_ty(dst);
        let Some(any) = any(ty) else {
            self.unsupported("an input of an odd width");
            return;
        };
        if fate == Fate::default() {
            self.emit(format!("(void){}; {comment}", any.text));
            return;
        }
        let mut any = any;
        if let Ty::Int(bits) = ty
            && is_odd(u32::from(bits))
            && bits != 1
        {
            any = binary(BinOp::And, u32::from(bits), &any, &literal(u32::from(bits), (1 << bits) - 1, false), false);
        }
        self.assign(dst, &any);
        if let Some((low, high)) = range {
            let (value, low, high) = (self.value(Operand::Reg(dst)), self.value(low), self.value(high));
            let (above, below) = (compare(CmpOp::Ule, &low, &value), compare(CmpOp::Ule, &value, &high));
            self.emit(format!("ASSUME({} && {})", above.text, below.text));
        }
    }

    pub fn unsupported(&mut self, what: &str) {
        if self.is_probe {
            return self.unknown();
        }
        let place = self.cx.program().source.describe(self.loc);
        let text = format!("{what} at {place}").replace('\\', "\\\\").replace('"', "\\\"");
        self.emit(format!("UNSUPPORTED(\"{text}\")"));
    }

    /// A requirement of the program, or a bound.
    pub fn require(&mut self, item: &Item, end: usize) {
        match &item.what {
            Some(What::Require { cond, holds, why, halts }) => {
                let condition = self.value(*cond).condition(*holds);
                self.requirement(&condition, why, *halts, end);
            }
            Some(What::Awaits(whom)) => self.awaits(*whom),
            Some(What::Drain) => self.drain(item.at),
            Some(What::Separate) => self.separate(),
            Some(What::Step(_)) | None => {}
        }
    }
}

/// Any value of a type, if there is a backend's function for it.
pub fn any(ty: Ty) -> Option<Expr> {
    let (name, ty) = match ty {
        Ty::Int(1) => ("bool", CType::Bool),
        Ty::Int(bits @ 2..=8) => ("u8", CType::unsigned(u32::from(bits))),
        Ty::Int(bits @ 9..=16) => ("u16", CType::unsigned(u32::from(bits))),
        Ty::Int(bits @ 17..=32) => ("u32", CType::unsigned(u32::from(bits))),
        Ty::Int(bits @ 33..=64) => ("u64", CType::unsigned(u32::from(bits))),
        Ty::Int(_) => return None,
        Ty::F32 => ("float", CType::Float),
        Ty::F64 => ("double", CType::Double),
        Ty::Ptr => ("pointer", CType::Pointer(None)),
    };
    Some(Expr::new(format!("ANY({name})"), Level::Primary, ty))
}

/// The name of the builtin that tells whether an operation overflows: `__builtin_add_overflow`.
fn overflow_builtin(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "add",
        BinOp::Sub => "sub",
        BinOp::Mul => "mul",
        BinOp::UDiv
        | BinOp::SDiv
        | BinOp::URem
        | BinOp::SRem
        | BinOp::Shl
        | BinOp::LShr
        | BinOp::AShr
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor => unreachable!("there is no builtin for the overflow of {op:?}"),
    }
}
