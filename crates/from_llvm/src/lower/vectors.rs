//! Vectors, lane by lane: clang uses them for small structs of floats, and `-O2` for loops.

use selvedge_program::{BinOp, Cast, CmpOp, Operand, Ty};

use super::Lowered;
use super::function::Body;
use crate::ll;

impl Body<'_, '_> {
    pub fn extract_element(&mut self, vector: &ll::Operand, index: &ll::Operand) -> Lowered<Vec<Operand>> {
        let lanes = self.leaves(&vector.ty, &vector.value)?;
        let index = self.operand(index)?;
        let first = *lanes.first().ok_or("an empty vector")?;
        if let Operand::Const { bits, .. } = index {
            return Ok(vec![*lanes.get(bits as usize).ok_or("a lane outside its vector")?]);
        }
        let Ty::Int(width) = self.ty(index) else { return Err("a lane index that is no integer".to_string()) };
        let mut result = first;
        for (i, lane) in lanes.into_iter().enumerate().skip(1) {
            let here = self.compare(CmpOp::Eq, index, Operand::int(width, i as u128));
            result = self.select(here, lane, result);
        }
        Ok(vec![result])
    }

    pub fn insert_element(
        &mut self,
        vector: &ll::Operand,
        element: &ll::Operand,
        index: &ll::Operand,
    ) -> Lowered<Vec<Operand>> {
        let mut lanes = self.aggregate_base(vector)?;
        let element = self.operand(element)?;
        let index = self.operand(index)?;
        if let Operand::Const { bits, .. } = index {
            *lanes.get_mut(bits as usize).ok_or("a lane outside its vector")? = element;
            return Ok(lanes);
        }
        let Ty::Int(width) = self.ty(index) else { return Err("a lane index that is no integer".to_string()) };
        for (i, lane) in lanes.iter_mut().enumerate() {
            let here = self.compare(CmpOp::Eq, index, Operand::int(width, i as u128));
            *lane = self.select(here, element, *lane);
        }
        Ok(lanes)
    }

    pub fn shuffle(&mut self, first: &ll::Operand, second: &ll::Operand, mask: &ll::Operand) -> Lowered<Vec<Operand>> {
        let mut lanes = self.aggregate_base(first)?;
        lanes.extend(self.aggregate_base(second)?);
        // Undefined positions of the mask select anything.
        let mask = self.aggregate_base(mask)?;
        let mut result = vec![];
        for position in mask {
            let Operand::Const { bits, .. } = position else { return Err("a shuffle by a variable".to_string()) };
            result.push(*lanes.get(bits as usize).or(lanes.first()).ok_or("an empty vector")?);
        }
        Ok(result)
    }

    /// The bits of some leaves, divided into other leaves by way of one integer of at most 128 bits.
    pub fn reshape(&mut self, leaves: &[Operand], targets: &[Ty]) -> Lowered<Vec<Operand>> {
        let model = self.layout.model;
        let total: u32 = leaves.iter().map(|leaf| self.ty(*leaf).bits(model)).sum();
        let wanted: u32 = targets.iter().map(|ty| ty.bits(model)).sum();
        if total != wanted || total > 128 || targets.contains(&Ty::Ptr) {
            return Err("a bitcast of a vector".to_string());
        }
        let whole = total as u8;
        let mut bits = Operand::int(whole, 0);
        let mut at = 0;
        for leaf in leaves {
            let ty = self.ty(*leaf);
            let width = ty.bits(model);
            let part = match ty {
                Ty::Int(_) => *leaf,
                Ty::Ptr => return Err("a bitcast of a vector".to_string()),
                Ty::F32 | Ty::F64 => self.cast_to(Cast::Reinterpret, *leaf, Ty::Int(width as u8)),
            };
            let part = self.resize(part, whole);
            let part = self.arith(BinOp::Shl, part, Operand::int(whole, u128::from(at)));
            bits = self.arith(BinOp::Or, bits, part);
            at += width;
        }
        let mut result = vec![];
        at = 0;
        for ty in targets {
            let width = ty.bits(model);
            let part = self.arith(BinOp::LShr, bits, Operand::int(whole, u128::from(at)));
            let part = self.resize(part, width as u8);
            result.push(match ty {
                Ty::Int(_) => part,
                float => self.cast_to(Cast::Reinterpret, part, *float),
            });
            at += width;
        }
        Ok(result)
    }
}
