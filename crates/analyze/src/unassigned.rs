//! Registers that may be read before they are written: nothing is known about them.
//!
//! Nearly all registers have one assignment on every path to all their uses. For each of the few others
//! we walk back from its uses until every path has met an assignment, or one has met the entry.

use crate::graph::Graph;
use hashbrown::HashSet;
use selvedge_bound::{BlockId, Thread};
use selvedge_program::{EntityRef, Operand, Reg};

/// The longest walk; beyond it the register is assumed to be possibly unassigned.
const LONGEST_WALK: usize = 4096;

#[derive(Clone, Default)]
struct Uses {
    /// Blocks that assign it, in order.
    assigned: Vec<u32>,
    /// Blocks that read it before they assign it.
    read: Vec<u32>,
}

pub(crate) fn registers(thread: &Thread, graph: &Graph) -> Vec<Reg> {
    let uses = collect(thread);
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); thread.blocks.len()];
    for (id, block) in &thread.blocks {
        for to in block.term.successors() {
            predecessors[to.index()].push(id.index() as u32);
        }
    }
    let is_param = |reg: usize| thread.params.iter().any(|param| param.index() == reg);
    let unassigned = uses
        .iter()
        .enumerate()
        .filter(|(reg, uses)| !uses.read.is_empty() && !is_param(*reg) && reads_first(uses, graph, &predecessors));
    unassigned.map(|(reg, _)| Reg::new(reg)).collect()
}

fn reads_first(uses: &Uses, graph: &Graph, predecessors: &[Vec<u32>]) -> bool {
    let Some(first) = uses.assigned.first() else { return true };
    let mut seen: HashSet<u32> = HashSet::new();
    let dominated = |read: &u32| read != first && graph.dominates(*first as usize, *read as usize);
    let mut stack: Vec<u32> = uses.read.iter().copied().filter(|read| !dominated(read)).collect();
    while let Some(block) = stack.pop() {
        if block == 0 || seen.len() > LONGEST_WALK {
            return true;
        }
        for before in &predecessors[block as usize] {
            if uses.assigned.binary_search(before).is_err() && seen.insert(*before) {
                stack.push(*before);
            }
        }
    }
    false
}

fn collect(thread: &Thread) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); thread.regs.len()];
    for (id, block) in &thread.blocks {
        let now = id.index() as u32;
        for step in &block.steps {
            step.op.for_each_use(|operand| read(&mut uses, operand, now));
            step.op.defs().into_iter().for_each(|reg| assign(&mut uses, reg, id));
        }
        block.term.decision().into_iter().for_each(|operand| read(&mut uses, operand, now));
    }
    uses
}

fn read(uses: &mut [Uses], operand: Operand, block: u32) {
    if let Operand::Reg(reg) = operand {
        let uses = &mut uses[reg.index()];
        if uses.assigned.last() != Some(&block) && uses.read.last() != Some(&block) {
            uses.read.push(block);
        }
    }
}

fn assign(uses: &mut [Uses], reg: Reg, block: BlockId) {
    let uses = &mut uses[reg.index()];
    if uses.assigned.last() != Some(&(block.index() as u32)) {
        uses.assigned.push(block.index() as u32);
    }
}
