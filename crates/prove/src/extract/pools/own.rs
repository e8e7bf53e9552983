//! Blocks that are made for one thread: what the creator does with the pointer.

use super::{Counted, Place, Search};
use selvedge_program::{Computation, Op, Operand, Reg};

/// Functions of the models.
const ALLOCATES: [&str; 3] = ["malloc", "calloc", "aligned_alloc"];

impl Search<'_> {
    /// The call that makes the block, if this round makes it before it creates the thread, and uses it only until then.
    pub(super) fn own_block(&self, within: &Counted<'_>, argument: Operand, create: Place) -> Option<Place> {
        let Operand::Reg(mut block) = argument else { return None };
        let mut at = self.only_definition(block)?;
        while let Some(Computation::Copy { src: Operand::Reg(src), .. }) = self.computation(at) {
            block = src;
            at = self.only_definition(block)?;
        }
        let inst = &self.function.blocks[at.0].insts[at.1];
        let makes = self.model(inst).is_some_and(|name| ALLOCATES.contains(&name));
        (makes && self.precedes(within, at, create) && self.is_used_only_before(within, block, create)).then_some(at)
    }

    /// Is a pointer only followed, in its own round, and passed to the call that creates the thread?
    fn is_used_only_before(&self, within: &Counted<'_>, pointer: Reg, create: Place) -> bool {
        let Some(made) = self.only_definition(pointer) else { return false };
        let uses = |operand: Operand| operand == Operand::Reg(pointer);
        for (id, block) in &self.function.blocks {
            let mut is_in_terminator = false;
            block.term.for_each_use(|operand| is_in_terminator |= uses(operand));
            if is_in_terminator {
                return false;
            }
            for (index, inst) in block.insts.iter().enumerate() {
                let mut is_used = false;
                inst.op.for_each_use(|operand| is_used |= uses(operand));
                if !is_used {
                    continue;
                }
                let at = (id, index);
                if at == create {
                    let Op::Call { args, .. } = &inst.op else { return false };
                    if args.iter().filter(|arg| uses(**arg)).count() != 1 {
                        return false;
                    }
                    continue;
                }
                if !self.precedes(within, made, at) || self.may_follow(within, create, at) {
                    return false;
                }
                let is_fine = match &inst.op {
                    Op::Load { .. } => true,
                    Op::Store { value, .. } => !uses(*value),
                    Op::MemSet { dst, byte, len } => uses(*dst) && !uses(*byte) && !uses(*len),
                    Op::Compute(Computation::Compare { .. }) => true,
                    Op::Compute(
                        Computation::Copy { dst, .. } | Computation::Field { dst, .. } | Computation::Index { dst, .. },
                    ) => self.is_used_only_before(within, *dst, create),
                    _ => false,
                };
                if !is_fine {
                    return false;
                }
            }
        }
        true
    }
}
