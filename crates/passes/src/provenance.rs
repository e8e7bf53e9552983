//! Pointers that come from pointers by way of integers.
//!
//! `(char *)((uintptr_t)p + n)` is `p + n` for whoever wrote it. As bits the sum may hit another object, though:
//! windows of the address space lie side by side (`program/src/pointers.rs`). Where a block shows what a pointer was
//! computed from, it becomes pointer arithmetic, which never leaves its window. Sums in integers stay what they are.

use crate::Context;
use selvedge_program::semantics::integers::signed;
use selvedge_program::{BinOp, Cast, Computation, EntityRef, Function, Intrinsic, Op, Operand, Reg, Ty};

/// An integer is this pointer plus some bytes.
#[derive(Clone, Copy)]
struct Derived {
    base: Operand,
    /// The version of `base`, if it is a register.
    version: u32,
    bytes: Bytes,
}

#[derive(Clone, Copy)]
enum Bytes {
    Constant(i128),
    /// With its version.
    Register(Reg, u32),
}

pub fn provenance(context: &Context, function: &mut Function) {
    let width = context.data_model.pointer_bits();
    let is_address = |ty: Ty| ty == Ty::Int(width as u8);
    let regs = &function.regs;
    let mut known = Derivations { version: vec![0; regs.len()], facts: vec![None; regs.len()], width };
    for block in function.blocks.values_mut() {
        known.facts.fill(None);
        for inst in &mut block.insts {
            if let Op::Compute(Computation::Cast { dst, cast: Cast::IntToPtr, src: Operand::Reg(src) }) = inst.op
                && is_address(regs[src].ty)
                && let Some(pointer) = known.pointer(dst, src)
            {
                inst.op = pointer;
            }
            known.after(&inst.op, |reg| is_address(regs[reg].ty));
        }
    }
}

struct Derivations {
    /// By register: counted up whenever it is written.
    version: Vec<u32>,
    facts: Vec<Option<Derived>>,
    width: u32,
}

impl Derivations {
    fn version_of(&self, operand: Operand) -> u32 {
        if let Operand::Reg(reg) = operand { self.version[reg.index()] } else { 0 }
    }

    fn fact(&self, operand: Operand) -> Option<Derived> {
        let Operand::Reg(reg) = operand else { return None };
        let fact = self.facts[reg.index()].filter(|fact| self.version_of(fact.base) == fact.version)?;
        match fact.bytes {
            Bytes::Register(reg, version) if self.version[reg.index()] != version => None,
            Bytes::Register(..) | Bytes::Constant(_) => Some(fact),
        }
    }

    fn pointer(&self, dst: Reg, src: Reg) -> Option<Op> {
        let Derived { base, bytes, .. } = self.fact(Operand::Reg(src))?;
        Some(match bytes {
            Bytes::Constant(0) => Op::Compute(Computation::Copy { dst, src: base }),
            Bytes::Constant(bytes) => {
                Op::Compute(Computation::Field { dst, base, bytes: i64::try_from(bytes).ok()?, of: None })
            }
            Bytes::Register(reg, _) => {
                Op::Compute(Computation::Index { dst, base, index: Operand::Reg(reg), stride: 1, bound: None })
            }
        })
    }

    /// Learns from an operation whose result is as wide as an address.
    fn after(&mut self, op: &Op, is_address: impl Fn(Reg) -> bool) {
        let fact = if let Op::Compute(computation) = op { self.derived(*computation) } else { None };
        if matches!(op, Op::Intrinsic { which: Intrinsic::SetJmp, .. }) {
            // It may return again, with other values in the registers.
            self.facts.fill(None);
        }
        for reg in op.defs() {
            self.version[reg.index()] += 1;
            self.facts[reg.index()] = None;
        }
        if let Some((dst, fact)) = fact
            && is_address(dst)
        {
            self.facts[dst.index()] = Some(fact);
        }
    }

    /// The fact that the computation establishes about its result.
    fn derived(&self, computation: Computation) -> Option<(Reg, Derived)> {
        if let Computation::Copy { dst, src } = computation {
            self.fact(src).map(|fact| (dst, fact))
        } else if let Computation::Cast { dst, cast: Cast::PtrToInt, src } = computation {
            Some((dst, Derived { base: src, version: self.version_of(src), bytes: Bytes::Constant(0) }))
        } else if let Computation::Binary { dst, op: BinOp::Add, a, b, .. } = computation {
            let sum = self.sum(a, b, 1).or_else(|| self.sum(b, a, 1));
            sum.map(|fact| (dst, fact))
        } else if let Computation::Binary { dst, op: BinOp::Sub, a, b, .. } = computation {
            self.sum(a, b, -1).map(|fact| (dst, fact))
        } else {
            None
        }
    }

    fn sum(&self, a: Operand, b: Operand, sign: i128) -> Option<Derived> {
        let fact = self.fact(a)?;
        let bytes = match (fact.bytes, b) {
            (Bytes::Constant(bytes), Operand::Const { bits, .. }) => {
                Bytes::Constant(bytes.checked_add(sign * signed(self.width, bits))?)
            }
            (Bytes::Constant(0), Operand::Reg(reg)) if sign == 1 && self.fact(b).is_none() => {
                Bytes::Register(reg, self.version[reg.index()])
            }
            _ => return None,
        };
        Some(Derived { bytes, ..fact })
    }
}
