//! Which registers a block of a bounded thread needs: one pass backwards, since jumps go forward only.

use selvedge_bound::{BlockId, Step, Thread};
use selvedge_program::{EntityRef, Operand, Reg};
use std::collections::BTreeSet;

/// The registers whose values matter right before a step.
pub fn live_at(thread: &Thread, block: BlockId, step: usize, live_in: &[Vec<Reg>]) -> Vec<Reg> {
    let body = &thread.blocks[block];
    let mut live: BTreeSet<Reg> =
        body.term.successors().into_iter().flat_map(|to| live_in[to.index()].iter().copied()).collect();
    body.term.decision().into_iter().for_each(|operand| used(&mut live, operand));
    body.steps[step..].iter().rev().for_each(|step| before(&mut live, step));
    live.into_iter().collect()
}

/// By block: the registers whose values at its start matter, in order.
pub fn live_in(thread: &Thread) -> Vec<Vec<Reg>> {
    let mut live: Vec<Vec<Reg>> = vec![Vec::new(); thread.blocks.len()];
    for block in thread.blocks.keys().rev() {
        live[block.index()] = live_at(thread, block, 0, &live);
    }
    live
}

fn before(live: &mut BTreeSet<Reg>, step: &Step) {
    for reg in step.op.defs() {
        live.remove(&reg);
    }
    step.op.for_each_use(|operand| used(live, operand));
}

fn used(live: &mut BTreeSet<Reg>, operand: Operand) {
    if let Operand::Reg(reg) = operand {
        live.insert(reg);
    }
}
