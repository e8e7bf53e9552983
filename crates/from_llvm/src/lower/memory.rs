//! Instructions that touch memory: stack objects, loads, stores, atomics.

use selvedge_program::{
    Access, BinOp, BlockId, CmpOp, Computation, Input, Intrinsic, MemoryOrder, Op, Operand, Origin, PlaceId, Reg,
    RmwOp, Terminator, Ty, WEAK_EXCHANGE,
};

use super::Lowered;
use super::constants::mask;
use super::function::Body;
use super::gep::constant_operand;
use super::uses::constant_gep;
use crate::ll::{self, LocalId, Type, Value};

impl Body<'_, '_> {
    pub fn alloca(
        &mut self,
        ty: &Type,
        count: Option<&ll::Operand>,
        align: Option<u64>,
        result: Option<LocalId>,
    ) -> Lowered<Vec<Operand>> {
        let size = self.layout.size(ty)?;
        let word = self.layout.pointer_bits();
        let align = align.or_else(|| self.layout.align(ty).ok()).unwrap_or(1);
        let count = match count {
            Some(count) => self.operand(count)?,
            None => Operand::int(word, 1),
        };
        let (size, single) = match self.resize(count, word) {
            Operand::Const { bits, .. } => (Operand::int(word, mask(word, bits * u128::from(size))), bits == 1),
            dynamic if size == 1 => (dynamic, false),
            dynamic => (self.arith(BinOp::Mul, dynamic, Operand::int(word, u128::from(size))), false),
        };
        let variable = result.and_then(|r| self.addresses.get(&r)).cloned();
        let padding = if single { self.layout.padding(ty) } else { vec![] };
        let dst = self.reg(Ty::Ptr);
        let object = Op::Alloca {
            dst,
            size,
            align: u32::try_from(align).unwrap_or(1),
            var: variable.as_ref().map(|v| v.name.clone()),
            ty: variable.and_then(|v| v.ty),
            padding,
        };
        if !self.is_of_block(result, &object) {
            self.emit(object);
        }
        Ok(vec![Operand::Reg(dst)])
    }

    /// The address of an access. A constant index outside of its array is computed, not folded
    /// into the address, so that the violation is found when it runs.
    pub fn address(&mut self, pointer: &ll::Operand) -> Lowered<Operand> {
        if let Value::Const(constant) = &pointer.value
            && let Some(ll::ConstExpr::GetElementPtr { source, base, indices, .. }) = constant_gep(constant)
        {
            let indices: Vec<_> = indices.iter().map(constant_operand).collect();
            if self.leaves_array(source, &indices) {
                return self.gep_accessed(source, &constant_operand(base), &indices);
            }
        }
        self.operand(pointer)
    }

    pub fn offset(&mut self, base: Operand, bytes: u64) -> Operand {
        let bytes = bytes as i64;
        match self.cx.displace(base, bytes) {
            Ok(folded) if bytes == 0 || !matches!(base, Operand::Reg(_)) => folded,
            _ => self.value(Ty::Ptr, |dst| Computation::Field { dst, base, bytes, of: None }),
        }
    }

    /// The C expression of the accessed object, for people.
    pub fn place(&mut self, pointer: &Value) -> Option<PlaceId> {
        let place = self.place_named(pointer)?;
        let text = self.accessed(&place);
        Some(self.cx.place(text))
    }

    pub fn access(&mut self, op: &ll::Op) -> Lowered<Vec<Operand>> {
        match op {
            ll::Op::Load { ty, pointer, volatile, atomic, .. } => {
                let place = self.place(&pointer.value);
                let addr = self.address(pointer)?;
                self.leaf_types(ty)?;
                let access = kind(*volatile, *atomic);
                let mut values = vec![];
                for leaf in self.layout.clone().leaves(ty)? {
                    let addr = self.offset(addr, leaf.offset);
                    values.push(self.value(leaf.ty, |dst| Op::Load { dst, addr, access, place }));
                }
                Ok(values)
            }
            ll::Op::Store { value, pointer, volatile, atomic, .. } => {
                let place = self.place(&pointer.value);
                let values = self.leaves(&value.ty, &value.value)?;
                let addr = self.address(pointer)?;
                self.leaf_types(&value.ty)?;
                let access = kind(*volatile, *atomic);
                for (leaf, value) in self.layout.clone().leaves(&value.ty)?.into_iter().zip(values) {
                    let addr = self.offset(addr, leaf.offset);
                    self.emit(Op::Store { ty: leaf.ty, addr, value, access, place });
                }
                Ok(vec![])
            }
            ll::Op::Fence(atomicity) => {
                if !atomicity.single_thread {
                    self.emit(Op::Fence { order: order(atomicity.ordering) });
                }
                Ok(vec![])
            }
            ll::Op::CmpXchg { weak, pointer, expected, new, success: written, failure, .. } => {
                let place = self.place(&pointer.value);
                let (addr, expected, new) = (self.address(pointer)?, self.operand(expected)?, self.operand(new)?);
                let old = self.reg(self.ty(expected));
                let success = self.reg(Ty::BOOL);
                let orders = (order(written.ordering), order(*failure));
                let fails = *weak && self.func.origin == Origin::User && self.cx.weak_exchanges_fail();
                let behind = fails.then(|| self.fail_for_no_reason(old, success, addr, expected, orders.1, place));
                self.emit(Op::CmpXchg { old, success, addr, expected, new, orders, place });
                if let Some(behind) = behind {
                    self.end(Terminator::Jump(behind));
                    self.current = behind;
                    self.open = true;
                }
                Ok(vec![Operand::Reg(old), Operand::Reg(success)])
            }
            ll::Op::AtomicRmw { op, pointer, value, atomic, .. } => {
                let place = self.place(&pointer.value);
                let (addr, value) = (self.address(pointer)?, self.operand(value)?);
                let ty = self.ty(value);
                let op = rmw(*op).ok_or_else(|| format!("the atomic operation {op:?}"))?;
                let order = order(atomic.ordering);
                Ok(vec![self.value(ty, |dst| Op::Rmw { dst, op, addr, value, order, place })])
            }
            other => Err(format!("the instruction {}", other.opcode())),
        }
    }
}

impl Body<'_, '_> {
    /// Where a weak compare-exchange may fail for no reason: it has read the value that it expected. Returns the block
    /// where the outcomes meet; the exchange itself is to follow. (See `passes/src/weak.rs`.)
    fn fail_for_no_reason(
        &mut self,
        old: Reg,
        success: Reg,
        addr: Operand,
        expected: Operand,
        order: MemoryOrder,
        place: Option<PlaceId>,
    ) -> BlockId {
        let (fails, exchange, behind) =
            (self.block("weak.fails"), self.block("weak.exchange"), self.block("weak.behind"));
        // A block of its own: the choice is the last of it.
        let cond = self.nondet(Ty::BOOL, Input::Call(WEAK_EXCHANGE.to_string()));
        self.end(Terminator::Branch { cond, then: fails, otherwise: exchange });
        self.current = fails;
        self.open = true;
        self.emit(Op::Load { dst: old, addr, access: Access::Atomic(order), place });
        let same = self.compare(CmpOp::Eq, Operand::Reg(old), expected);
        self.emit(Op::Intrinsic { dst: None, which: Intrinsic::Assume, args: vec![same] });
        self.emit(Computation::Copy { dst: success, src: Operand::bool(false) });
        self.end(Terminator::Jump(behind));
        self.current = exchange;
        self.open = true;
        behind
    }
}

fn kind(volatile: bool, atomic: Option<ll::Atomicity>) -> Access {
    match (atomic, volatile) {
        (Some(atomic), _) => Access::Atomic(order(atomic.ordering)),
        (None, true) => Access::Volatile,
        (None, false) => Access::Plain,
    }
}

/// LLVM's `unordered`, which C does not have, is weaker than C's weakest order; both order nothing.
fn order(ordering: ll::Ordering) -> MemoryOrder {
    match ordering {
        ll::Ordering::Unordered | ll::Ordering::Monotonic => MemoryOrder::Relaxed,
        ll::Ordering::Acquire => MemoryOrder::Acquire,
        ll::Ordering::Release => MemoryOrder::Release,
        ll::Ordering::AcqRel => MemoryOrder::AcqRel,
        ll::Ordering::SeqCst => MemoryOrder::SeqCst,
    }
}

fn rmw(op: ll::RmwOp) -> Option<RmwOp> {
    Some(match op {
        ll::RmwOp::Xchg => RmwOp::Exchange,
        ll::RmwOp::Add => RmwOp::Add,
        ll::RmwOp::Sub => RmwOp::Sub,
        ll::RmwOp::And => RmwOp::And,
        ll::RmwOp::Nand => RmwOp::Nand,
        ll::RmwOp::Or => RmwOp::Or,
        ll::RmwOp::Xor => RmwOp::Xor,
        ll::RmwOp::Max => RmwOp::Max,
        ll::RmwOp::Min => RmwOp::Min,
        ll::RmwOp::UMax => RmwOp::UMax,
        ll::RmwOp::UMin => RmwOp::UMin,
        ll::RmwOp::FAdd => RmwOp::FAdd,
        ll::RmwOp::FSub => RmwOp::FSub,
        _ => return None,
    })
}
