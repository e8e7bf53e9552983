//! Addresses inside objects: one LLVM getelementptr becomes a chain of [`Computation::Field`] and
//! [`Computation::Index`], constant parts merged.
//!
//! C knows the length of an array that is a field or a row, and indexing past it is undefined even
//! if the object goes on. An index into `[n x T]` therefore carries its bound. The first index is pointer
//! arithmetic and has none, and neither do arrays used as flexible members.

use selvedge_program::{BinOp, Cast, CmpOp, Computation, Intrinsic, Op, Operand, Origin, Property, Ty, TypeId};

use super::Lowered;
use super::constants::sign_extend;
use super::function::Body;
use super::uses::constant_gep;
use crate::ll::{self, LocalId, Type, Value};

/// A chain being built.
struct Path {
    base: Operand,
    /// Constant bytes not yet emitted.
    bytes: i64,
    of: Option<TypeId>,
}

impl Body<'_, '_> {
    pub fn gep(
        &mut self,
        source: &Type,
        base: &ll::Operand,
        indices: &[ll::Operand],
        result: Option<LocalId>,
    ) -> Lowered<Operand> {
        let accessed = result.is_some_and(|r| self.uses.only_accessed(r));
        let ends_struct = self.ends_with_last_field(source, indices);
        if let Some(result) = result {
            self.last_fields[result.0 as usize] = ends_struct;
        }
        let address = self.gep_steps(source, base, indices, accessed)?;
        let moves =
            |index: &ll::Operand| !matches!(index.value, Value::Const(ll::Constant::Int(0) | ll::Constant::Zero));
        if self.cx.checks_pointers && self.func.origin == Origin::User && indices.first().is_some_and(moves) {
            let base = self.operand(base)?;
            self.check_within(base, address);
        }
        Ok(address)
    }

    /// Pointer arithmetic ends in the object that it begins in, or one past its end.
    fn check_within(&mut self, base: Operand, address: Operand) {
        let word = self.layout.word();
        let mut ask = |which| self.value(word, |dst| Op::Intrinsic { dst: Some(dst), which, args: vec![base] });
        let (size, offset) = (ask(Intrinsic::ObjectSize), ask(Intrinsic::ObjectOffset));
        let (from, to) = (self.cast_to(Cast::PtrToInt, base, word), self.cast_to(Cast::PtrToInt, address, word));
        let moved = self.arith(BinOp::Sub, to, from);
        let at = self.arith(BinOp::Add, offset, moved);
        let outside = self.compare(CmpOp::Ugt, at, size);
        self.violation_if(outside, Property::Overflow, "a pointer leaves its object");
    }

    pub fn gep_accessed(&mut self, source: &Type, base: &ll::Operand, indices: &[ll::Operand]) -> Lowered<Operand> {
        self.gep_steps(source, base, indices, true)
    }

    fn gep_steps(
        &mut self,
        source: &Type,
        base: &ll::Operand,
        indices: &[ll::Operand],
        accessed: bool,
    ) -> Lowered<Operand> {
        let mut flexible = match &base.value {
            Value::Local(id) => self.last_fields[id.0 as usize],
            Value::Const(constant) => match constant_gep(constant) {
                Some(ll::ConstExpr::GetElementPtr { source, indices, .. }) => {
                    self.ends_with_last_field(source, &indices.iter().map(constant_operand).collect::<Vec<_>>())
                }
                _ => false,
            },
            _ => false,
        };
        let base = self.operand(base)?;
        let module = self.module;
        let layout = self.layout.clone();
        let mut path = Path { base, bytes: 0, of: None };
        let mut ty = source;
        for (position, index) in indices.iter().enumerate() {
            if matches!(index.ty, Type::Vector { .. }) {
                return Err("a vector of addresses".to_string());
            }
            let index = self.operand(index)?;
            if !matches!(self.ty(index), Ty::Int(_)) {
                return Err("an index that is no integer".to_string());
            }
            let constant = match index {
                Operand::Const { ty: Ty::Int(bits), bits: value } => i64::try_from(sign_extend(bits, value)).ok(),
                _ => None,
            };
            if position == 0 {
                self.step(&mut path, index, constant, layout.size(ty)?, None)?;
                continue;
            }
            match module.resolve(ty) {
                Type::Struct(body) => {
                    let field = constant.and_then(|c| usize::try_from(c).ok()).filter(|c| *c < body.fields.len());
                    let field = field.ok_or("a field that does not exist")?;
                    if let Type::Named(id) = ty {
                        let name = &module.types[id.0 as usize].name;
                        path.of = self.cx.debug.struct_named(self.unit, name);
                    }
                    let offset = layout.field_offsets(body)?[field];
                    path.bytes = add(path.bytes, offset as i64)?;
                    flexible = field + 1 == body.fields.len();
                    ty = &body.fields[field];
                }
                Type::Array(count, element) => {
                    let limit = if accessed { *count } else { count.saturating_add(1) };
                    let bounded = *count > 1 || *count == 1 && !flexible;
                    let in_range = constant.is_some_and(|c| u64::try_from(c).is_ok_and(|c| c < limit));
                    let bound = (bounded && !in_range).then_some(limit);
                    self.step(&mut path, index, constant, layout.size(element)?, bound)?;
                    flexible = false;
                    ty = element;
                }
                Type::Vector { element, .. } => {
                    self.step(&mut path, index, constant, layout.size(element)?, None)?;
                    ty = element;
                }
                _ => return Err("an index into a scalar".to_string()),
            }
        }
        Ok(self.flush(&mut path))
    }

    fn step(
        &mut self,
        path: &mut Path,
        index: Operand,
        constant: Option<i64>,
        stride: u64,
        bound: Option<u64>,
    ) -> Lowered<()> {
        if let (Some(constant), None) = (constant, bound) {
            let bytes = i64::try_from(stride).ok().and_then(|s| s.checked_mul(constant));
            path.bytes = add(path.bytes, bytes.ok_or("an offset larger than memory")?)?;
            return Ok(());
        }
        let base = self.flush(path);
        path.base = self.value(Ty::Ptr, |dst| Computation::Index { dst, base, index, stride, bound });
        Ok(())
    }

    fn flush(&mut self, path: &mut Path) -> Operand {
        let bytes = std::mem::take(&mut path.bytes);
        let of = path.of.take();
        let base = path.base;
        if bytes != 0 {
            path.base = match base {
                Operand::Global { .. } | Operand::Const { .. } if self.cx.displace(base, bytes).is_ok() => {
                    self.cx.displace(base, bytes).unwrap_or(base)
                }
                base => self.value(Ty::Ptr, |dst| Computation::Field { dst, base, bytes, of }),
            };
        }
        path.base
    }

    /// Whether the last index selects the last field of a struct.
    fn ends_with_last_field(&self, source: &Type, indices: &[ll::Operand]) -> bool {
        let mut ty = source;
        let mut last = false;
        for index in indices.iter().skip(1) {
            let constant = match &index.value {
                Value::Const(ll::Constant::Int(i)) => u64::try_from(*i).unwrap_or(0),
                _ => 0,
            };
            last = matches!(self.module.resolve(ty), Type::Struct(body) if constant + 1 == body.fields.len() as u64);
            match self.module.element_type(ty, constant) {
                Some(element) => ty = element,
                None => return false,
            }
        }
        last
    }

    /// Whether a constant index leads outside of its array.
    pub fn leaves_array(&self, source: &Type, indices: &[ll::Operand]) -> bool {
        let mut ty = source;
        for index in indices.iter().skip(1) {
            let Value::Const(ll::Constant::Int(index)) = &index.value else { return false };
            if let Type::Array(count, _) = self.module.resolve(ty)
                && *count > 1
                && !u64::try_from(*index).is_ok_and(|i| i < *count)
            {
                return true;
            }
            match self.module.element_type(ty, u64::try_from(*index).unwrap_or(0)) {
                Some(element) => ty = element,
                None => return false,
            }
        }
        false
    }
}

/// A constant, as an operand of the instruction it could also be in.
pub fn constant_operand(constant: &ll::TypedConstant) -> ll::Operand {
    ll::Operand { ty: constant.ty.clone(), value: Value::Const(constant.value.clone()) }
}

fn add(a: i64, b: i64) -> Lowered<i64> {
    a.checked_add(b).ok_or_else(|| "an offset larger than memory".to_string())
}
