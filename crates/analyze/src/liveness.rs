//! Live registers of a bounded thread: one pass backwards, since jumps go forward only.

use selvedge_bound::{BlockId, Thread};
use selvedge_program::{EntityRef, Operand, Reg};
use std::collections::BTreeSet;

/// For each block the registers that are live at its start, in order.
pub fn live_in(thread: &Thread) -> Vec<Vec<Reg>> {
    live_among(thread, |reg| reg)
}

/// Like [`live_in`], with registers renamed, so that copies count as one.
pub(crate) fn live_among(thread: &Thread, name: impl Fn(Reg) -> Reg) -> Vec<Vec<Reg>> {
    let mut live: Vec<Vec<Reg>> = vec![Vec::new(); thread.blocks.len()];
    for block in thread.blocks.keys().rev() {
        live[block.index()] = live_from(thread, block, 0, &live, &name);
    }
    live
}

/// The registers that are live right before a step, given those of the blocks.
pub fn live_at(thread: &Thread, block: BlockId, step: usize, live_in: &[Vec<Reg>]) -> Vec<Reg> {
    live_from(thread, block, step, live_in, |reg| reg)
}

fn live_from(
    thread: &Thread,
    block: BlockId,
    step: usize,
    live_in: &[Vec<Reg>],
    name: impl Fn(Reg) -> Reg,
) -> Vec<Reg> {
    let body = &thread.blocks[block];
    let mut here: BTreeSet<Reg> = body.term.successors().iter().flat_map(|to| live_in[to.index()].clone()).collect();
    let used = |here: &mut BTreeSet<Reg>, operand: Operand| {
        if let Operand::Reg(reg) = operand {
            here.insert(name(reg));
        }
    };
    body.term.decision().into_iter().for_each(|operand| used(&mut here, operand));
    for step in body.steps[step..].iter().rev() {
        for reg in step.op.defs().into_iter().filter(|reg| name(*reg) == *reg) {
            here.remove(&reg);
        }
        step.op.for_each_use(|operand| used(&mut here, operand));
    }
    here.into_iter().collect()
}
