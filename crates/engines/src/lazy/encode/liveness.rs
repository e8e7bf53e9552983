//! Which registers a block of a bounded thread needs: one pass backwards, since jumps go forward only.

use crate::lazy::points::successors;
use selvedge_bound::{StepOp, Terminator, Thread};
use selvedge_program::{EntityRef, Operand, Reg};
use std::collections::BTreeSet;

/// By block: the registers whose values at its start matter, in order.
pub fn live_in(thread: &Thread) -> Vec<Vec<Reg>> {
    let mut live: Vec<Vec<Reg>> = vec![Vec::new(); thread.blocks.len()];
    for (block, body) in thread.blocks.iter().rev() {
        let mut here: BTreeSet<Reg> = BTreeSet::new();
        successors(&body.term, |to| here.extend(&live[to.index()]));
        match &body.term {
            Terminator::Branch { cond: operand, .. } | Terminator::Switch { value: operand, .. } => {
                used(&mut here, *operand)
            }
            Terminator::Jump(_) | Terminator::Cut(_) | Terminator::Stop => {}
        }
        for step in body.steps.iter().rev() {
            match &step.op {
                StepOp::Plain(op) => {
                    for reg in op.defs() {
                        here.remove(&reg);
                    }
                    op.for_each_use(|operand| used(&mut here, operand));
                }
                StepOp::Create { dst, size, .. } => {
                    here.remove(dst);
                    size.iter().for_each(|operand| used(&mut here, *operand));
                }
                StepOp::Spawn { dst, args, .. } => {
                    dst.iter().for_each(|reg| {
                        here.remove(reg);
                    });
                    args.iter().for_each(|operand| used(&mut here, *operand));
                }
                StepOp::End { .. } | StepOp::Finish { .. } => {}
            }
        }
        live[block.index()] = here.into_iter().collect();
    }
    live
}

fn used(live: &mut BTreeSet<Reg>, operand: Operand) {
    if let Operand::Reg(reg) = operand {
        live.insert(reg);
    }
}
