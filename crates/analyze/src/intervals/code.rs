//! A thread's code as the analysis looks at it: copies, definitions, live registers.

use crate::graph::{Graph, Position};
use crate::liveness::live_among;
use crate::unassigned;
use selvedge_bound::{BlockId, StepOp, Thread};
use selvedge_program::{EntityRef, Op, Operand, Reg};

pub(super) struct Code {
    graph: Graph,
    /// By register: the one that it is a copy of for good, or itself. What is learnt of one is learnt of all.
    roots: Vec<Reg>,
    /// By register: where it is assigned, if that is at one place, before every use.
    assigned: Vec<Option<Position>>,
    /// By block: the registers that matter at its start, but for copies.
    pub live_in: Vec<Vec<Reg>>,
}

impl Code {
    pub fn new(thread: &Thread) -> Code {
        let graph = Graph::new(thread);
        let mut assigned: Vec<Option<Position>> = vec![None; thread.regs.len()];
        let mut several = vec![false; thread.regs.len()];
        thread.params.iter().for_each(|reg| several[reg.index()] = true);
        unassigned::registers(thread, &graph).iter().for_each(|reg| several[reg.index()] = true);
        for (block, body) in &thread.blocks {
            for (step, this) in body.steps.iter().enumerate() {
                for reg in this.op.defs() {
                    let before = assigned[reg.index()].replace(graph.position(block.index(), step));
                    several[reg.index()] |= before.is_some();
                }
            }
        }
        assigned.iter_mut().zip(&several).filter(|(_, several)| **several).for_each(|(at, _)| *at = None);
        let mut roots: Vec<Reg> = thread.regs.keys().collect();
        for step in thread.blocks.values().flat_map(|block| &block.steps) {
            if let StepOp::Plain(Op::Copy { dst, src: Operand::Reg(src) }) = &step.op
                && assigned[dst.index()].is_some()
                && assigned[src.index()].is_some()
                && thread.regs[*dst].ty == thread.regs[*src].ty
            {
                roots[dst.index()] = roots[src.index()];
            }
        }
        let live_in = live_among(thread, |reg| roots[reg.index()]);
        Code { graph, roots, assigned, live_in }
    }

    pub fn root(&self, reg: Reg) -> Reg {
        self.roots[reg.index()]
    }

    pub fn positions(&self) -> usize {
        self.graph.len()
    }

    pub fn position(&self, block: BlockId, step: usize) -> Position {
        self.graph.position(block.index(), step)
    }

    /// The operation that gave a register the value it has right before a step, if what it was computed from has
    /// not changed since; and whether it stands in the same block, where.
    pub fn definition<'t>(
        &self,
        thread: &'t Thread,
        reg: Reg,
        here: (BlockId, usize),
    ) -> Option<(&'t Op, Option<usize>)> {
        let steps = &thread.blocks[here.0].steps;
        let nearby = steps[..here.1].iter().rposition(|step| step.op.defs().contains(&reg));
        let (op, at) = match (nearby, self.assigned[reg.index()]) {
            (Some(at), _) => (&steps[at].op, Some(at)),
            (None, Some(at)) => {
                let (block, step) = self.graph.place(at);
                (&thread.blocks[BlockId::new(block)].steps[step].op, None)
            }
            (None, None) => return None,
        };
        let StepOp::Plain(op) = op else { return None };
        let mut same = true;
        op.for_each_use(|operand| {
            if let Operand::Reg(used) = operand {
                let changed = |at: usize| steps[at..here.1].iter().any(|step| step.op.defs().contains(&used));
                same &= self.assigned[used.index()].is_some() || at.is_some_and(|at| !changed(at));
            }
        });
        same.then_some((op, at))
    }

    /// Registers that got the value of another one before a step of the same block, and still have it.
    pub fn copies_nearby(&self, thread: &Thread, root: Reg, here: (BlockId, usize)) -> Vec<Reg> {
        let steps = &thread.blocks[here.0].steps[..here.1];
        let copies = steps.iter().enumerate().filter_map(|(at, step)| {
            let StepOp::Plain(Op::Copy { dst, src: Operand::Reg(src) }) = &step.op else { return None };
            let is_copy = self.root(*src) == root && self.root(*dst) == *dst && *dst != root;
            let changed = |reg: Reg| steps[at + 1..].iter().any(|step| step.op.defs().contains(&reg));
            (is_copy && !changed(*dst) && !changed(*src) && !changed(root)).then_some(*dst)
        });
        copies.collect()
    }
}
