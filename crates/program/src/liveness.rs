//! Registers that may still be read: the classic backward dataflow over bit sets.
//!
//! `longjmp` is an edge that the control flow graph does not show: it returns to a `setjmp` from
//! anywhere, with the registers as they are by then. In a function with `setjmp` every register that
//! is read at all therefore counts as live everywhere.

use crate::ir::{BlockId, Function, Inst, Intrinsic, Op, Operand, Reg};
use cranelift_entity::{EntityRef, SecondaryMap};

pub use fixedbitset::FixedBitSet as BitSet;

pub struct Liveness {
    pub live_in: SecondaryMap<BlockId, BitSet>,
    pub live_out: SecondaryMap<BlockId, BitSet>,
    /// With `setjmp`: what is live everywhere.
    always: Option<BitSet>,
}

impl Liveness {
    pub fn new(function: &Function) -> Liveness {
        let mut liveness = Liveness::along_edges(function);
        if calls_setjmp(function) {
            let mut read = BitSet::with_capacity(function.regs.len());
            for block in function.blocks.values() {
                block.insts.iter().for_each(|inst| inst.op.for_each_use(|operand| insert(&mut read, operand)));
                block.term.for_each_use(|operand| insert(&mut read, operand));
            }
            for block in function.blocks.keys() {
                liveness.live_in[block] = read.clone();
                liveness.live_out[block] = read.clone();
            }
            liveness.always = Some(read);
        }
        liveness
    }

    /// As if `longjmp` did not exist: what may be read before it is written on a path through the graph.
    pub fn along_edges(function: &Function) -> Liveness {
        let count = function.regs.len();
        let empty = BitSet::with_capacity(count);
        let mut live_in = SecondaryMap::with_default(empty.clone());
        let mut live_out = SecondaryMap::with_default(empty.clone());
        // The registers that the block writes; `live_in` starts as those that it reads before.
        let mut defs: SecondaryMap<BlockId, BitSet> = SecondaryMap::with_default(empty.clone());
        let mut preds: SecondaryMap<BlockId, Vec<BlockId>> = SecondaryMap::new();
        for (id, block) in &function.blocks {
            let (read, written) = (&mut live_in[id], &mut defs[id]);
            block.term.for_each_use(|operand| insert(read, operand));
            for inst in block.insts.iter().rev() {
                step_back(read, inst);
                written.extend(inst.op.defs().into_iter().map(EntityRef::index));
            }
            for target in block.term.successors() {
                preds[target].push(id);
            }
        }
        // Later blocks first: most edges go forward.
        let mut work: Vec<BlockId> = function.blocks.keys().collect();
        let mut waiting = BitSet::with_capacity(work.len());
        waiting.insert_range(..);
        while let Some(id) = work.pop() {
            waiting.set(id.index(), false);
            let mut out = empty.clone();
            for target in function.blocks[id].term.successors() {
                out.union_with(&live_in[target]);
            }
            if out == live_out[id] {
                continue;
            }
            let mut new_in = out.clone();
            new_in.difference_with(&defs[id]);
            live_out[id] = out;
            if !new_in.is_subset(&live_in[id]) {
                live_in[id].union_with(&new_in);
                for pred in &preds[id] {
                    if !waiting.put(pred.index()) {
                        work.push(*pred);
                    }
                }
            }
        }
        Liveness { live_in, live_out, always: None }
    }

    /// From the last instruction to the first, each with what is live after it.
    pub fn walk_back(&self, function: &Function, block: BlockId, mut visit: impl FnMut(usize, &Inst, &BitSet)) {
        self.walk_back_keeping(function, block, |index, inst, live| {
            visit(index, inst, live);
            true
        });
    }

    /// Like `walk_back`, for a caller that removes instructions: those that `keep` refuses read nothing.
    pub fn walk_back_keeping(
        &self,
        function: &Function,
        block: BlockId,
        mut keep: impl FnMut(usize, &Inst, &BitSet) -> bool,
    ) {
        let block_data = &function.blocks[block];
        let mut live = self.live_out[block].clone();
        block_data.term.for_each_use(|operand| insert(&mut live, operand));
        for (index, inst) in block_data.insts.iter().enumerate().rev() {
            if keep(index, inst, &live) && self.always.is_none() {
                step_back(&mut live, inst);
            }
        }
    }
}

/// From the set after an instruction to the set before it.
fn step_back(live: &mut BitSet, inst: &Inst) {
    inst.op.defs().into_iter().for_each(|reg| live.set(reg.index(), false));
    inst.op.for_each_use(|operand| insert(live, operand));
}

fn insert(set: &mut BitSet, operand: Operand) {
    if let Operand::Reg(reg) = operand {
        set.insert(reg.index());
    }
}

pub fn is_live(live: &BitSet, reg: Reg) -> bool {
    live.contains(reg.index())
}

pub fn calls_setjmp(function: &Function) -> bool {
    let is_setjmp = |inst: &Inst| matches!(inst.op, Op::Intrinsic { which: Intrinsic::SetJmp, .. });
    function.blocks.values().any(|block| block.insts.iter().any(is_setjmp))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn liveness_follows_loops() {
        let text = "program lp64 entry @main
            global @g 4 align 4
            fn @main() {
              i32 %i, %n, %dead
            entry:
              %n = load @g
              %i = copy 0i32
              jump loop
            loop:
              %i = add %i, %n
              %dead = copy %i
              branch true, loop, end
            end:
              return
            }";
        let program = crate::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let function = &program.functions[program.entry];
        let liveness = Liveness::new(function);
        let live = |set: &BitSet| set.ones().collect::<Vec<_>>();
        let blocks: Vec<_> = function.blocks.keys().collect();
        assert_eq!(live(&liveness.live_in[blocks[0]]), []);
        assert_eq!(live(&liveness.live_out[blocks[0]]), [0, 1]);
        assert_eq!(live(&liveness.live_out[blocks[1]]), [0, 1]);
        let mut seen = vec![];
        liveness.walk_back(function, blocks[0], |index, _, set| seen.push((index, live(set))));
        assert_eq!(seen, [(1, vec![0, 1]), (0, vec![1])]);
    }
}
