//! Jumps: past empty blocks, and none where one block leads to one other.
//!
//! 1. A jump to a block that only jumps on goes to where that one goes. A cycle of empty blocks
//!    (`for (;;);`) is kept. So is an empty head of a loop that leads to the head of another (`for (;;) while (x) …`):
//!    they would become one loop, and whoever counts iterations would count those of both together.
//! 2. A jump to a `switch` on a register that the jumping block has just set to a constant goes to where the constant
//!    leads: so clang leaves several nested blocks of the source at once, and then nothing shows that they were left.
//! 3. Blocks that cannot be reached are removed.
//! 4. A block with one predecessor, which only jumps to it, becomes part of that predecessor.

use crate::Context;
use selvedge_program::{
    Block, BlockId, Computation, EntityRef, Function, Op, Operand, PrimaryMap, Reg, SecondaryMap, SourceMap, Terminator,
};

pub fn jumps(_: &Context, function: &mut Function) {
    thread(function);
    thread_constants(function);
    remove_unreachable(function);
    merge(function);
}

fn thread(function: &mut Function) {
    let heads = loop_heads(function);
    let mut ends: SecondaryMap<BlockId, Option<BlockId>> = SecondaryMap::new();
    let mut on_path: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    for start in function.blocks.keys() {
        let mut path = vec![];
        let mut at = start;
        while let Some(next) = only_jumps_to(&function.blocks[at])
            && ends[at].is_none()
            && !on_path[at]
        {
            on_path[at] = true;
            path.push(at);
            at = next;
        }
        let mut end = ends[at].unwrap_or(at);
        for block in path.into_iter().rev() {
            if heads[block] && heads[end] {
                end = block;
            }
            ends[block] = Some(end);
        }
    }
    for block in function.blocks.values_mut() {
        block.term.for_each_target_mut(|target| *target = ends[*target].unwrap_or(*target));
        if let Terminator::Branch { then, otherwise, .. } = block.term
            && then == otherwise
        {
            block.term = Terminator::Jump(then);
        }
    }
}

fn thread_constants(function: &mut Function) {
    let mut uses = vec![0u32; function.regs.len()];
    let mut count = |operand| {
        if let Operand::Reg(reg) = operand {
            uses[reg.index()] += 1;
        }
    };
    for block in function.blocks.values() {
        block.insts.iter().for_each(|inst| inst.op.for_each_use(&mut count));
        block.term.for_each_use(&mut count);
    }
    for id in function.blocks.keys().collect::<Vec<_>>() {
        // Each jump passes a block at most once.
        for _ in 0..function.blocks.len() {
            let Terminator::Jump(to) = function.blocks[id].term else { break };
            let Some(reg) = only_switches_on(&function.blocks[to], &uses) else { break };
            let last = function.blocks[id].insts.iter().rev().find(|inst| inst.op.defs().contains(&reg));
            let Some(Op::Compute(Computation::Copy { src: value @ Operand::Const { .. }, .. })) = last.map(|i| &i.op)
            else {
                break;
            };
            let Terminator::Switch { cases, default, .. } = &function.blocks[to].term else { break };
            let known = Terminator::Switch { value: *value, cases: cases.clone(), default: *default };
            let Some(target) = decided(&known) else { break };
            function.blocks[id].term = Terminator::Jump(target);
        }
    }
}

/// The register whose value alone a block looks at: it copies it, for itself only, and branches.
fn only_switches_on(block: &Block, uses: &[u32]) -> Option<Reg> {
    let Terminator::Switch { value: Operand::Reg(mut reg), .. } = block.term else { return None };
    for inst in block.insts.iter().rev() {
        match inst.op {
            Op::Compute(Computation::Copy { dst, src: Operand::Reg(src) }) if dst == reg && uses[dst.index()] == 1 => {
                reg = src
            }
            _ => return None,
        }
    }
    Some(reg)
}

/// Blocks that some way through the function comes back to.
fn loop_heads(function: &Function) -> SecondaryMap<BlockId, bool> {
    let mut heads = SecondaryMap::new();
    let (mut seen, mut open): (SecondaryMap<BlockId, bool>, SecondaryMap<BlockId, bool>) = Default::default();
    // Depth first; a block is entered with its successors, and left when none is there any more.
    let mut path: Vec<(BlockId, Vec<BlockId>)> = Vec::new();
    let mut next = function.blocks.keys().next();
    loop {
        if let Some(block) = next.take() {
            (seen[block], open[block]) = (true, true);
            path.push((block, function.blocks[block].term.successors()));
        }
        let Some((block, successors)) = path.last_mut() else { return heads };
        match successors.pop() {
            Some(to) if open[to] => heads[to] = true,
            Some(to) if !seen[to] => next = Some(to),
            Some(_) => {}
            None => {
                open[*block] = false;
                path.pop();
            }
        }
    }
}

fn only_jumps_to(block: &Block) -> Option<BlockId> {
    let Terminator::Jump(target) = block.term else { return None };
    block.insts.is_empty().then_some(target)
}

/// Keeps the order of the others.
pub fn remove_unreachable(function: &mut Function) {
    let Some(entry) = function.blocks.keys().next() else { return };
    let mut reached: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    reached[entry] = true;
    let mut work = vec![entry];
    while let Some(id) = work.pop() {
        for target in function.blocks[id].term.successors() {
            if !std::mem::replace(&mut reached[target], true) {
                work.push(target);
            }
        }
    }
    if function.blocks.keys().all(|id| reached[id]) {
        return;
    }
    let mut moved: SecondaryMap<BlockId, BlockId> = SecondaryMap::with_default(entry);
    let mut kept = PrimaryMap::new();
    for (id, block) in std::mem::take(&mut function.blocks) {
        if reached[id] {
            moved[id] = kept.push(block);
        }
    }
    for block in kept.values_mut() {
        block.term.for_each_target_mut(|target| *target = moved[*target]);
    }
    function.blocks = kept;
}

fn merge(function: &mut Function) {
    let mut preds: SecondaryMap<BlockId, u32> = SecondaryMap::new();
    for block in function.blocks.values() {
        block.term.successors().into_iter().for_each(|target| preds[target] += 1);
    }
    let entry = function.blocks.keys().next();
    // The block that this one takes in.
    let next = |function: &Function, id: BlockId| {
        let Terminator::Jump(target) = function.blocks[id].term else { return None };
        (preds[target] == 1 && Some(target) != entry && target != id).then_some(target)
    };
    let mut taken: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    for id in function.blocks.keys() {
        if let Some(target) = next(function, id) {
            taken[target] = true;
        }
    }
    // From the first block of each chain on, so that every instruction moves once.
    for id in function.blocks.keys().filter(|id| !taken[*id]).collect::<Vec<_>>() {
        while let Some(target) = next(function, id) {
            let gone =
                Block { name: String::new(), insts: vec![], term: Terminator::Unreachable, loc: SourceMap::NOWHERE };
            let block = std::mem::replace(&mut function.blocks[target], gone);
            let head = &mut function.blocks[id];
            head.insts.extend(block.insts);
            head.term = block.term;
            head.loc = block.loc;
        }
    }
    remove_unreachable(function);
}

/// The successor that a terminator on a constant takes.
pub(crate) fn decided(term: &Terminator) -> Option<BlockId> {
    let constant = |operand: &Operand| match operand {
        Operand::Const { bits, .. } => Some(*bits),
        _ => None,
    };
    match term {
        Terminator::Branch { cond, then, otherwise } => {
            constant(cond).map(|bits| if bits != 0 { *then } else { *otherwise })
        }
        Terminator::Switch { value, cases, default } => constant(value)
            .map(|bits| cases.iter().find(|(case, _)| *case == bits).map_or(*default, |(_, target)| *target)),
        Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => None,
    }
}
