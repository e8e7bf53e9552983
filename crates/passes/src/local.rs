//! Values that registers are known to equal at a point of a block.
//!
//! Each register has a version, counted up whenever it is written. "t equals x" is remembered with
//! x's version, so that writing x forgets it without a search.

use selvedge_program::{Computation, EntityRef, Function, Intrinsic, Op, Operand, Reg};

pub(crate) struct EqualValues {
    version: Vec<u32>,
    facts: Vec<Option<Fact>>,
    epoch: u32,
}

#[derive(Clone, Copy)]
struct Fact {
    value: Operand,
    /// The version of the register that `value` is.
    version: u32,
    epoch: u32,
}

impl EqualValues {
    pub fn new(function: &Function) -> EqualValues {
        EqualValues { version: vec![0; function.regs.len()], facts: vec![None; function.regs.len()], epoch: 0 }
    }

    /// At the start of a block.
    pub fn forget(&mut self) {
        self.epoch += 1;
    }

    pub fn value(&self, reg: Reg) -> Option<Operand> {
        let fact = self.facts[reg.index()].filter(|fact| fact.epoch == self.epoch)?;
        match fact.value {
            Operand::Reg(source) if self.version[source.index()] != fact.version => None,
            value => Some(value),
        }
    }

    /// Replaces a register by what it is known to equal.
    pub fn substitute(&self, operand: &mut Operand) {
        if let Operand::Reg(reg) = operand {
            *operand = self.value(*reg).unwrap_or(*operand);
        }
    }

    /// The operation is done: what it wrote is new, what it copied is known.
    pub fn after(&mut self, op: &Op) {
        if matches!(op, Op::Intrinsic { which: Intrinsic::SetJmp, .. }) {
            // It may return again, with other values in the registers.
            self.forget();
        }
        for reg in op.defs() {
            self.version[reg.index()] += 1;
            self.facts[reg.index()] = None;
        }
        if let Op::Compute(Computation::Copy { dst, src }) = op
            && *src != Operand::Reg(*dst)
        {
            let version = if let Operand::Reg(source) = src { self.version[source.index()] } else { 0 };
            self.facts[dst.index()] = Some(Fact { value: *src, version, epoch: self.epoch });
        }
    }
}
