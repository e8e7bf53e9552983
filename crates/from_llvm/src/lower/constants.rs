//! Constants and constant expressions, folded without a function around them.
//!
//! A folded constant is a number, or an address plus an offset, or such an address as an integer.
//! Expressions that do not fold are computed by operations where a function uses them, and are
//! rejected in the initial value of a global.

use selvedge_program::semantics::integers::{binary, signed, truncate};
use selvedge_program::{BinOp, Operand, Ty};

use super::link::Key;
use super::{Context, Lowered};
use crate::ll::{BinaryOp, CastOp, ConstExpr, Constant, Type, TypedConstant};

/// A scalar leaf of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Folded {
    Value(Operand),
    /// The bits of an address, as an integer at least as wide as a pointer.
    AddressBits {
        target: Operand,
        bits: u8,
    },
    Undef(Ty),
}

const MAX_DEPTH: u32 = 200;

pub fn mask(bits: u8, value: u128) -> u128 {
    truncate(u32::from(bits), value)
}

pub fn sign_extend(bits: u8, value: u128) -> i128 {
    signed(u32::from(bits), value)
}

impl Context<'_> {
    pub fn fold(&mut self, unit: usize, ty: &Type, constant: &Constant) -> Lowered<Vec<Folded>> {
        self.fold_at(unit, ty, constant, 0)
    }

    fn fold_at(&mut self, unit: usize, ty: &Type, constant: &Constant, depth: u32) -> Lowered<Vec<Folded>> {
        if depth > MAX_DEPTH {
            return Err("a very deeply nested constant".to_string());
        }
        let layout = self.layouts[unit].clone();
        let scalar = |value| Ok(vec![Folded::Value(value)]);
        match constant {
            Constant::Int(value) => match layout.scalar(ty)? {
                Ty::Int(bits) => scalar(Operand::int(bits, mask(bits, *value as u128))),
                _ => Err("an integer constant of another type".to_string()),
            },
            Constant::Float(bits) => scalar(self.float_constant(unit, ty, *bits)?),
            Constant::Null => scalar(Operand::NULL),
            Constant::Zero => {
                let leaves = layout.leaf_types(ty)?;
                Ok(leaves.into_iter().map(|ty| Folded::Value(Operand::Const { ty, bits: 0 })).collect())
            }
            Constant::Undef | Constant::Poison => Ok(layout.leaf_types(ty)?.into_iter().map(Folded::Undef).collect()),
            Constant::Global(name) | Constant::DsoLocalEquivalent(name) | Constant::NoCfi(name) => {
                scalar(self.reference(unit, name)?)
            }
            Constant::PtrAuth(inner) => self.fold_at(unit, &inner.ty, &inner.value, depth + 1),
            Constant::Array(elements) | Constant::Vector(elements) | Constant::Struct { fields: elements, .. } => {
                let mut leaves = vec![];
                for element in elements {
                    leaves.extend(self.fold_at(unit, &element.ty, &element.value, depth + 1)?);
                }
                Ok(leaves)
            }
            Constant::Splat(lane) => {
                let one = self.fold_at(unit, &lane.ty, &lane.value, depth + 1)?;
                Ok(one.repeat(layout.leaves(ty)?.len() / one.len().max(1)))
            }
            Constant::Bytes(bytes) => {
                Ok(bytes.iter().map(|b| Folded::Value(Operand::int(8, u128::from(*b)))).collect())
            }
            Constant::BlockAddress { function, block } => scalar(self.block_address(unit, function, block)?),
            Constant::Expr(expr) => self.fold_expression(unit, expr, depth + 1),
            Constant::None => Err("a token".to_string()),
        }
    }

    fn fold_one(&mut self, unit: usize, constant: &TypedConstant, depth: u32) -> Lowered<Folded> {
        match self.fold_at(unit, &constant.ty, &constant.value, depth)?.as_slice() {
            [one] => Ok(*one),
            _ => Err("a constant expression over aggregates".to_string()),
        }
    }

    pub fn alias_target(&mut self, key: Key) -> Lowered<Operand> {
        let alias = &self.units[key.unit].module.aliases[key.index];
        if alias.ifunc {
            return Err(format!("the ifunc `{}`", alias.name));
        }
        match self.fold(key.unit, &alias.target.ty, &alias.target.value)?.as_slice() {
            [Folded::Value(target)] => Ok(*target),
            _ => Err(format!("the alias `{}`", alias.name)),
        }
    }

    /// Block addresses are numbers: a computed goto only ever compares them.
    fn block_address(&mut self, unit: usize, function: &str, block: &str) -> Lowered<Operand> {
        let key = self.function_named(unit, function);
        let position = key.and_then(|key| self.source_function(key).block_named(block));
        let position = position.ok_or_else(|| format!("the address of an unknown block of `{function}`"))?;
        Ok(Operand::Const { ty: Ty::Ptr, bits: u128::from(position.0) + 1 })
    }

    fn float_constant(&mut self, unit: usize, ty: &Type, bits: u128) -> Lowered<Operand> {
        let bits = match ty {
            Type::X86Fp80 => {
                self.assume_long_double(unit);
                u128::from(fp80_to_f64(bits).to_bits())
            }
            Type::Fp128 => {
                self.assume_long_double(unit);
                u128::from(fp128_to_f64(bits).to_bits())
            }
            _ => bits,
        };
        Ok(Operand::Const { ty: self.layouts[unit].scalar(ty)?, bits })
    }

    fn fold_expression(&mut self, unit: usize, expr: &ConstExpr, depth: u32) -> Lowered<Vec<Folded>> {
        let refused = || Err("a constant expression that is computed at run time".to_string());
        let folded = match expr {
            ConstExpr::GetElementPtr { source, base, indices, .. } => {
                let Folded::Value(base) = self.fold_one(unit, base, depth)? else { return refused() };
                let offset = self.constant_offset(unit, source, indices, depth)?;
                Folded::Value(self.displace(base, offset)?)
            }
            ConstExpr::Cast { op, value, to } => {
                let value = self.fold_one(unit, value, depth)?;
                self.fold_cast(unit, *op, value, to)?
            }
            ConstExpr::Binary { op, lhs, rhs, .. } => {
                let (a, b) = (self.fold_one(unit, lhs, depth)?, self.fold_one(unit, rhs, depth)?);
                fold_binary(*op, a, b)?
            }
            _ => return refused(),
        };
        Ok(vec![folded])
    }

    /// The bytes a getelementptr with constant indices moves by.
    pub fn constant_offset(
        &mut self,
        unit: usize,
        source: &Type,
        indices: &[TypedConstant],
        depth: u32,
    ) -> Lowered<i64> {
        let layout = self.layouts[unit].clone();
        let module = &self.units[unit].module;
        let mut ty = source;
        let mut offset: i128 = 0;
        for (position, index) in indices.iter().enumerate() {
            let index = match self.fold_one(unit, index, depth)? {
                Folded::Value(Operand::Const { ty: Ty::Int(bits), bits: value }) => sign_extend(bits, value),
                _ => return Err("an index that is computed at run time".to_string()),
            };
            if position == 0 {
                offset += index * i128::from(layout.size(ty)?);
                continue;
            }
            let element = (u64::try_from(index).ok())
                .and_then(|i| module.element_type(ty, i))
                .or_else(|| module.element_type(ty, 0).filter(|_| !matches!(module.resolve(ty), Type::Struct(_))))
                .ok_or("an index outside its type")?;
            offset += match module.resolve(ty) {
                Type::Struct(body) => i128::from(layout.field_offsets(body)?[index as usize]),
                _ => index * i128::from(layout.size(element)?),
            };
            ty = element;
        }
        i64::try_from(offset).map_err(|_| "an offset larger than memory".to_string())
    }

    pub fn displace(&self, base: Operand, by: i64) -> Lowered<Operand> {
        match base {
            _ if by == 0 => Ok(base),
            Operand::Global { id, offset } => {
                let offset = offset.checked_add(by).ok_or("an offset larger than memory")?;
                Ok(Operand::Global { id, offset })
            }
            Operand::Const { ty: Ty::Ptr, bits } => {
                let width = self.layouts[0].pointer_bits();
                Ok(Operand::Const { ty: Ty::Ptr, bits: mask(width, bits.wrapping_add(i128::from(by) as u128)) })
            }
            _ => Err("an address inside a function".to_string()),
        }
    }

    fn fold_cast(&mut self, unit: usize, op: CastOp, value: Folded, to: &Type) -> Lowered<Folded> {
        let refused = || Err("a constant cast that is computed at run time".to_string());
        let to = self.layouts[unit].scalar(to)?;
        let pointer_bits = self.layouts[unit].pointer_bits();
        Ok(match (op, value, to) {
            (_, Folded::Undef(_), to) => Folded::Undef(to),
            (CastOp::BitCast | CastOp::AddrSpaceCast, Folded::Value(v), Ty::Ptr) => Folded::Value(v),
            (CastOp::BitCast, Folded::Value(Operand::Const { bits, .. }), ty) => {
                Folded::Value(Operand::Const { ty, bits })
            }
            (CastOp::PtrToInt, Folded::Value(Operand::Const { bits, .. }), Ty::Int(width)) => {
                Folded::Value(Operand::int(width, mask(width, bits)))
            }
            (CastOp::PtrToInt, Folded::Value(target), Ty::Int(bits)) if bits >= pointer_bits => {
                Folded::AddressBits { target, bits }
            }
            (CastOp::IntToPtr, Folded::AddressBits { target, .. }, _) => Folded::Value(target),
            (CastOp::IntToPtr, Folded::Value(Operand::Const { bits, .. }), _) => {
                Folded::Value(Operand::Const { ty: Ty::Ptr, bits: mask(pointer_bits, bits) })
            }
            (CastOp::Trunc | CastOp::ZExt, Folded::AddressBits { target, .. }, Ty::Int(bits))
                if bits >= pointer_bits =>
            {
                Folded::AddressBits { target, bits }
            }
            (CastOp::Trunc | CastOp::ZExt, Folded::Value(Operand::Const { bits, .. }), Ty::Int(width)) => {
                Folded::Value(Operand::int(width, mask(width, bits)))
            }
            (CastOp::SExt, Folded::Value(Operand::Const { ty: Ty::Int(from), bits }), Ty::Int(width)) => {
                Folded::Value(Operand::int(width, mask(width, sign_extend(from, bits) as u128)))
            }
            _ => return refused(),
        })
    }
}

fn fold_binary(op: BinaryOp, a: Folded, b: Folded) -> Lowered<Folded> {
    use Folded::{AddressBits, Value};
    let refused = || Err("constant arithmetic that is computed at run time".to_string());
    let BinaryOp::Integer(op) = op else { return refused() };
    let shift = |target: Operand, bits: u8, by: i128| match target {
        Operand::Global { id, offset } => {
            let offset = i64::try_from(i128::from(offset) + by).map_err(|_| "an offset larger than memory")?;
            Ok(AddressBits { target: Operand::Global { id, offset }, bits })
        }
        _ => refused(),
    };
    match (op, a, b) {
        (_, Value(Operand::Const { ty: Ty::Int(bits), bits: a }), Value(Operand::Const { bits: b, .. })) => {
            binary(op, u32::from(bits), a, b).map_or_else(refused, |result| Ok(Value(Operand::int(bits, result))))
        }
        (BinOp::Add, AddressBits { target, bits }, Value(Operand::Const { bits: by, .. }))
        | (BinOp::Add, Value(Operand::Const { bits: by, .. }), AddressBits { target, bits }) => {
            shift(target, bits, sign_extend(bits, by))
        }
        (BinOp::Sub, AddressBits { target, bits }, Value(Operand::Const { bits: by, .. })) => {
            shift(target, bits, -sign_extend(bits, by))
        }
        (
            BinOp::Sub,
            AddressBits { target: Operand::Global { id: x, offset: a }, bits },
            AddressBits { target: Operand::Global { id: y, offset: b }, .. },
        ) if x == y => Ok(Value(Operand::int(bits, mask(bits, (i128::from(a) - i128::from(b)) as u128)))),
        _ => refused(),
    }
}

/// x87's format: sign, 15 bits of exponent, 64 of significand with an explicit leading one.
fn fp80_to_f64(bits: u128) -> f64 {
    let negative = bits >> 79 & 1 == 1;
    let exponent = (bits >> 64 & 0x7fff) as i32;
    let significand = bits as u64;
    let magnitude = match exponent {
        0x7fff if significand << 1 == 0 => f64::INFINITY,
        0x7fff => f64::NAN,
        _ => scale(significand as f64, exponent - 16383 - 63),
    };
    if negative { -magnitude } else { magnitude }
}

fn fp128_to_f64(bits: u128) -> f64 {
    let negative = bits >> 127 == 1;
    let exponent = (bits >> 112 & 0x7fff) as i32;
    let fraction = bits & ((1 << 112) - 1);
    let magnitude = match exponent {
        0x7fff if fraction == 0 => f64::INFINITY,
        0x7fff => f64::NAN,
        0 => 0.0,
        _ => scale((fraction | 1 << 112) as f64, exponent - 16383 - 112),
    };
    if negative { -magnitude } else { magnitude }
}

/// `x * 2^exponent`, in steps so that the power itself never overflows.
fn scale(mut x: f64, mut exponent: i32) -> f64 {
    while exponent != 0 && x != 0.0 && x.is_finite() {
        let step = exponent.clamp(-1000, 1000);
        x *= 2f64.powi(step);
        exponent -= step;
    }
    x
}
