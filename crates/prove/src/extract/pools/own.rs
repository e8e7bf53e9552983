//! Blocks that are made for one thread: what the creator does with the pointer.

use super::{CREATES, Place, Round, Search};
use crate::extract::Shape;
use hashbrown::HashSet;
use selvedge_program::{BlockId, Computation, EntityRef, FuncId, Op, Operand, Program, Reg};

/// Functions of the models.
const ALLOCATES: [&str; 3] = ["malloc", "calloc", "aligned_alloc"];

/// The call that makes the block which a call passes to the thread that it creates, if nobody but that thread uses the
/// block from then on.
pub fn given_block(program: &Program, function: FuncId, shape: &Shape, create: Place) -> Option<Place> {
    let search = Search { program, function: &program.functions[function], shape };
    let inst = search.function.blocks[create.0].insts.get(create.1)?;
    let creates = CREATES.iter().find(|creates| search.model(inst) == Some(creates.name))?;
    let Op::Call { args, .. } = &inst.op else { return None };
    let argument = *args.get(creates.argument)?;
    let all: HashSet<BlockId> = search.function.blocks.keys().collect();
    let around = shape.heads().filter(|(_, body)| body.contains(&create.0));
    let innermost = around.min_by_key(|(_, body)| body.len());
    let round = innermost.map_or(Round { head: BlockId::new(0), body: &all }, |(head, body)| Round { head, body });
    search.own_block(round, argument, create)
}

impl Search<'_> {
    /// The call that makes the block, if this round makes it before it creates the thread, and uses it only until then.
    fn own_block(&self, within: Round<'_>, argument: Operand, create: Place) -> Option<Place> {
        let Operand::Reg(mut block) = argument else { return None };
        let mut at = self.only_definition(block)?;
        while let Some(Computation::Copy { src: Operand::Reg(src), .. }) = self.computation(at) {
            block = src;
            at = self.only_definition(block)?;
        }
        let inst = &self.function.blocks[at.0].insts[at.1];
        let makes = self.model(inst).is_some_and(|name| ALLOCATES.contains(&name));
        let after = self.function.blocks[create.0].term.successors();
        let is_repeated = after.into_iter().any(|next| {
            next != within.head && within.body.contains(&next) && self.reaches(within, next, create.0, None)
        });
        (makes && !is_repeated && self.precedes(within, at, create) && self.is_used_only_before(within, block, create))
            .then_some(at)
    }

    /// Is a pointer only followed, in its own round, and passed to the call that creates the thread?
    fn is_used_only_before(&self, within: Round<'_>, pointer: Reg, create: Place) -> bool {
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
