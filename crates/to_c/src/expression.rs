//! C expressions: their text, how tightly it binds, and their type.
//!
//! **Invariant.** An expression of type `Int { bits, signed }` has, as a C value, just the value that these bits
//! have when they are read as signed or unsigned. So what LLVM calls an `add i8` is `(uint8_t)(a + b)`: C computes
//! it in `int`. Widths that C does not have live, unsigned, in the next larger one.

use crate::declare::integer;
use crate::types::CType;
use selvedge_program::semantics::integers::{signed, truncate};
use selvedge_program::{BinOp, CmpOp};

/// How tightly the outermost operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Conditional,
    Bitwise,
    Compare,
    Shift,
    Add,
    Multiply,
    Unary,
    Primary,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub text: String,
    pub level: Level,
    pub ty: CType,
}

impl Expr {
    pub fn new(text: impl Into<String>, level: Level, ty: CType) -> Expr {
        Expr { text: text.into(), level, ty }
    }

    /// As an operand of something that binds as tightly as a unary operator, or tighter.
    pub fn tight(&self) -> String {
        self.at(Level::Unary)
    }

    pub fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    fn cast(&self, to: &str, ty: CType) -> Expr {
        Expr::new(format!("({to}){}", self.tight()), Level::Unary, ty)
    }

    /// These bits, read as signed or unsigned.
    pub fn with_sign(&self, want: bool) -> Expr {
        match self.ty {
            CType::Int { signed, .. } if signed == want => self.clone(),
            CType::Int { bits, .. } if is_odd(bits) && want => {
                let (wide, shift) = (container(bits), container(bits) - bits);
                let text = format!("({})({} << {shift}) >> {shift}", integer(wide, true), self.tight());
                Expr::new(text, Level::Shift, CType::signed(bits))
            }
            CType::Int { bits, .. } => match literal_value(&self.text) {
                Some(value) => literal(bits, truncate(bits, value as u128), want),
                None => self.cast(integer(bits, want), CType::Int { bits, signed: want }),
            },
            // One bit.
            _ if want => Expr::new(format!("-{}", self.tight()), Level::Unary, CType::signed(1)),
            _ => self.clone(),
        }
    }

    /// Cut off, or extended with zeros (`signed`: with the sign).
    pub fn resized(&self, bits: u32, extend_sign: bool) -> Expr {
        match self.ty {
            CType::Bool if bits == 1 => self.clone(),
            // A condition is 0 or 1 in any width.
            CType::Bool if extend_sign => Expr::new(format!("-{}", self.tight()), Level::Unary, CType::signed(bits)),
            CType::Bool => self.clone(),
            CType::Int { .. } if bits == 1 => {
                let text = format!("({} & 1) != 0", self.tight());
                Expr::new(text, Level::Compare, CType::Bool)
            }
            CType::Int { bits: before, signed } if before > bits => {
                if is_odd(bits) {
                    return masked(self.with_sign(false), bits);
                }
                self.cast(integer(bits, signed), CType::Int { bits, signed })
            }
            CType::Int { .. } => {
                let value = self.with_sign(extend_sign);
                match is_odd(bits) {
                    true => masked(value, bits),
                    false => value.cast(integer(bits, extend_sign), CType::Int { bits, signed: extend_sign }),
                }
            }
            _ => self.clone(),
        }
    }

    /// As a condition, or its opposite.
    pub fn condition(&self, holds: bool) -> String {
        match holds {
            true => self.text.clone(),
            false => self.negated().text,
        }
    }

    pub fn negated(&self) -> Expr {
        // `a == b` is turned around; of floats, only equality can be.
        let parts: Vec<&str> = self.text.split(' ').collect();
        let opposite = |op: &str| match op {
            "==" => Some("!="),
            "!=" => Some("=="),
            "<" => Some(">="),
            ">=" => Some("<"),
            ">" => Some("<="),
            "<=" => Some(">"),
            _ => None,
        };
        if self.level == Level::Compare
            && self.ty == CType::Bool
            && let [a, op, b] = parts.as_slice()
            && !self.text.contains(['(', '[', '"'])
            && let Some(opposite) = opposite(op)
        {
            return Expr::new(format!("{a} {opposite} {b}"), Level::Compare, CType::Bool);
        }
        match self.text.strip_prefix('!') {
            Some(inner) if self.level == Level::Unary => Expr::new(inner, Level::Unary, CType::Bool),
            _ => Expr::new(format!("!{}", self.tight()), Level::Unary, CType::Bool),
        }
    }
}

/// C has no such width.
pub fn is_odd(bits: u32) -> bool {
    !matches!(bits, 8 | 16 | 32 | 64 | 128)
}

/// The next width that C has.
pub fn container(bits: u32) -> u32 {
    bits.next_power_of_two().max(8)
}

fn masked(value: Expr, bits: u32) -> Expr {
    let mask = literal(container(bits), (1u128 << bits) - 1, false);
    let wide = value.cast(integer(bits, false), CType::unsigned(bits));
    Expr::new(format!("{} & {}", wide.tight(), mask.tight()), Level::Bitwise, CType::unsigned(bits))
}

fn literal_value(text: &str) -> Option<i128> {
    text.trim_end_matches(['u', 'l']).parse().ok()
}

/// An integer constant.
pub fn literal(bits: u32, value: u128, as_signed: bool) -> Expr {
    let ty = CType::Int { bits, signed: as_signed };
    if bits > 64 {
        let (high, low) = ((value >> 64) as u64, value as u64);
        let name = integer(bits, as_signed);
        return match high {
            0 => Expr::new(format!("({name}){low}u"), Level::Unary, ty),
            _ => Expr::new(format!("({name})((unsigned __int128){high}u << 64 | {low}u)"), Level::Unary, ty),
        };
    }
    let suffix = if bits > 32 { "ll" } else { "" };
    match as_signed {
        true => match signed(bits, value) {
            least if least == -(1i128 << (bits - 1)) && bits >= 32 => {
                Expr::new(format!("(-{}{suffix} - 1)", -(least + 1)), Level::Primary, ty)
            }
            value if value < 0 => Expr::new(value.to_string(), Level::Unary, ty),
            value => Expr::new(value.to_string(), Level::Primary, ty),
        },
        false if value > i32::MAX as u128 => Expr::new(format!("{value}u"), Level::Primary, ty),
        false => Expr::new(value.to_string(), Level::Primary, ty),
    }
}

/// Both operands in the width of the operation, as it reads them.
pub fn binary(op: BinOp, bits: u32, a: &Expr, b: &Expr, checked: bool) -> Expr {
    if a.ty == CType::Bool && bits == 1 {
        return one_bit(op, a, b);
    }
    let both_signed = |e: &Expr| matches!(e.ty, CType::Int { signed: true, .. });
    let sign = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => checked,
        BinOp::SDiv | BinOp::SRem | BinOp::AShr => true,
        BinOp::UDiv | BinOp::URem | BinOp::Shl | BinOp::LShr => false,
        // Signedness does not change the bits.
        BinOp::And | BinOp::Or | BinOp::Xor => both_signed(a) && both_signed(b) && !is_odd(bits),
    };
    let (mut x, y) = (a.with_sign(sign), b.with_sign(if is_shift(op) { false } else { sign }));
    let (word, level, left, right) = match op {
        BinOp::Add => ("+", Level::Add, Level::Add, Level::Multiply),
        BinOp::Sub => ("-", Level::Add, Level::Add, Level::Multiply),
        BinOp::Mul => ("*", Level::Multiply, Level::Multiply, Level::Unary),
        BinOp::UDiv | BinOp::SDiv => ("/", Level::Multiply, Level::Unary, Level::Unary),
        BinOp::URem | BinOp::SRem => ("%", Level::Multiply, Level::Unary, Level::Unary),
        BinOp::Shl => ("<<", Level::Shift, Level::Unary, Level::Unary),
        BinOp::LShr | BinOp::AShr => (">>", Level::Shift, Level::Unary, Level::Unary),
        BinOp::And => ("&", Level::Bitwise, Level::Unary, Level::Unary),
        BinOp::Or => ("|", Level::Bitwise, Level::Unary, Level::Unary),
        BinOp::Xor => ("^", Level::Bitwise, Level::Unary, Level::Unary),
    };
    // C would compute in int, and an int literal has but 32 bits.
    let promotes = container(bits) < 32;
    let overflows = promotes && matches!(op, BinOp::Mul | BinOp::Shl);
    let is_literal = literal_value(&x.text).is_some();
    if overflows || (is_literal && container(bits) != 32) {
        let wide = if promotes { 32 } else { container(bits) };
        x = Expr::new(format!("({}){}", integer(wide, sign), x.tight()), Level::Unary, x.ty);
    } else if is_literal && !sign && !x.text.ends_with('u') {
        x = Expr::new(format!("{}u", x.text), Level::Primary, x.ty);
    }
    let ty = CType::Int { bits, signed: sign };
    let (word, right_text) = match (op, y.text.strip_prefix('-')) {
        (BinOp::Add, Some(rest)) if literal_value(&y.text).is_some() => ("-", rest.to_string()),
        _ => (word, y.at(right)),
    };
    let whole = Expr::new(format!("{} {word} {right_text}", x.at(left)), level, ty);
    match op {
        // These cannot leave their width.
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::UDiv | BinOp::URem | BinOp::LShr if !sign => whole,
        _ if is_odd(bits) => masked(whole, bits),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::AShr => whole,
        _ if promotes => whole.cast(integer(bits, sign), ty),
        _ => whole,
    }
}

fn is_shift(op: BinOp) -> bool {
    matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr)
}

fn one_bit(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    let word = match op {
        BinOp::Add | BinOp::Sub | BinOp::Xor => {
            match (a.text.as_str(), b.text.as_str()) {
                (_, "1") => return a.negated(),
                ("1", _) => return b.negated(),
                _ => {}
            }
            "!="
        }
        BinOp::Or => "|",
        BinOp::Mul | BinOp::And => "&",
        // By one only, which changes nothing.
        _ => return a.clone(),
    };
    let level = if word == "!=" { Level::Compare } else { Level::Bitwise };
    Expr::new(format!("{} {word} {}", a.tight(), b.tight()), level, CType::Bool)
}

pub fn compare(op: CmpOp, a: &Expr, b: &Expr) -> Expr {
    let (word, sign) = match op {
        CmpOp::Eq => ("==", None),
        CmpOp::Ne => ("!=", None),
        CmpOp::Ult => ("<", Some(false)),
        CmpOp::Ule => ("<=", Some(false)),
        CmpOp::Ugt => (">", Some(false)),
        CmpOp::Uge => (">=", Some(false)),
        CmpOp::Slt => ("<", Some(true)),
        CmpOp::Sle => ("<=", Some(true)),
        CmpOp::Sgt => (">", Some(true)),
        CmpOp::Sge => (">=", Some(true)),
    };
    if a.ty == CType::Bool && matches!(op, CmpOp::Eq | CmpOp::Ne) {
        let same = op == CmpOp::Eq;
        match b.text.as_str() {
            "0" => return if same { a.negated() } else { a.clone() },
            "1" => return if same { a.clone() } else { a.negated() },
            _ => {}
        }
    }
    // For equality any reading will do, if it is the same for both.
    let sign = sign.unwrap_or_else(|| match (literal_value(&a.text), a.ty, b.ty) {
        (None, CType::Int { signed, bits }, _) => signed && !is_odd(bits),
        (_, _, CType::Int { signed, bits }) => signed && !is_odd(bits),
        _ => false,
    });
    let (a, b) = (a.with_sign(sign), b.with_sign(sign));
    Expr::new(format!("{} {word} {}", a.at(Level::Shift), b.at(Level::Shift)), Level::Compare, CType::Bool)
}
