//! Facts about a thread's code that the analysis needs: copies, definitions, live registers.

use crate::graph::{Graph, Position};
use crate::liveness::live_among;
use crate::unassigned;
use selvedge_bound::{BlockId, StepOp, Thread};
use selvedge_program::{Computation, EntityRef, Op, Operand, Reg};

pub(super) struct Code {
    graph: Graph,
    /// For each register the one that it always is a copy of, or itself. A refinement of one applies to all copies.
    roots: Vec<Reg>,
    /// For each register the position of its assignment, if there is a single one, before every use.
    assigned: Vec<Option<Position>>,
    /// For each block the registers that are live at its start, without copies.
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
            if let StepOp::Plain(Op::Compute(Computation::Copy { dst, src: Operand::Reg(src) })) = &step.op
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

    /// The operation that computed the value of a register right before a step, if its operands have not changed
    /// since; and its position, if it is in the same block.
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

    /// Registers that are copies of another one, made earlier in the same block and unchanged since.
    pub fn copies_nearby(&self, thread: &Thread, root: Reg, here: (BlockId, usize)) -> Vec<Reg> {
        let steps = &thread.blocks[here.0].steps[..here.1];
        let copies = steps.iter().enumerate().filter_map(|(at, step)| {
            let StepOp::Plain(Op::Compute(Computation::Copy { dst, src: Operand::Reg(src) })) = &step.op else {
                return None;
            };
            let is_copy = self.root(*src) == root && self.root(*dst) == *dst && *dst != root;
            let changed = |reg: Reg| steps[at + 1..].iter().any(|step| step.op.defs().contains(&reg));
            (is_copy && !changed(*dst) && !changed(*src) && !changed(root)).then_some(*dst)
        });
        copies.collect()
    }
}
