//! Facts about one function's graph that extraction needs: an order of its blocks, its loops, and which registers are
//! live where.

use hashbrown::{HashMap, HashSet};
use selvedge_program::liveness::{BitSet, Liveness, is_live};
use selvedge_program::{BlockId, EntityRef, Function, Intrinsic, Op, Reg, SecondaryMap};

pub struct Shape {
    /// Reverse postorder: edges that do not go up are loops.
    order: SecondaryMap<BlockId, u32>,
    /// By head: all blocks of the loop.
    loops: Vec<(BlockId, HashSet<BlockId>)>,
    /// Live before each instruction, and before the terminator.
    live: HashMap<(BlockId, usize), BitSet>,
    /// Live behind an instruction, without what it writes.
    across: HashMap<(BlockId, usize), BitSet>,
}

impl Shape {
    pub fn new(function: &Function) -> Shape {
        let order = reverse_postorder(function);
        let mut predecessors: SecondaryMap<BlockId, Vec<BlockId>> = SecondaryMap::new();
        for (id, block) in &function.blocks {
            block.term.successors().into_iter().for_each(|to| predecessors[to].push(id));
        }
        let mut loops: Vec<(BlockId, HashSet<BlockId>)> = Vec::new();
        for (id, block) in &function.blocks {
            for head in block.term.successors().into_iter().filter(|to| order[*to] <= order[id]) {
                let mut body: HashSet<BlockId> = [head].into();
                let mut waiting = vec![id];
                while let Some(block) = waiting.pop() {
                    if body.insert(block) {
                        waiting.extend(&predecessors[block]);
                    }
                }
                match loops.iter_mut().find(|(known, _)| *known == head) {
                    Some((_, known)) => known.extend(body),
                    None => loops.push((head, body)),
                }
            }
        }
        let liveness = Liveness::new(function);
        let (mut live, mut across) = (HashMap::new(), HashMap::new());
        for (id, block) in &function.blocks {
            let mut before = liveness.live_out[id].clone();
            block.term.for_each_use(|operand| insert(&mut before, operand));
            live.insert((id, block.insts.len()), before);
            liveness.walk_back(function, id, |index, inst, after| {
                let mut set = after.clone();
                inst.op.defs().into_iter().for_each(|reg| set.set(reg.index(), false));
                across.insert((id, index), set.clone());
                inst.op.for_each_use(|operand| insert(&mut set, operand));
                live.insert((id, index), set);
            });
        }
        Shape { order, loops, live, across }
    }

    pub fn order(&self, block: BlockId) -> u32 {
        self.order[block]
    }

    /// Does an edge of the graph lead round a loop?
    pub fn is_retreating(&self, from: BlockId, to: BlockId) -> bool {
        self.order[to] <= self.order[from]
    }

    pub fn is_head(&self, block: BlockId) -> bool {
        self.loops.iter().any(|(head, _)| *head == block)
    }

    /// The loops that a block is in, by their heads.
    pub fn loops_of(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.loops.iter().filter(move |(_, body)| body.contains(&block)).map(|(head, _)| *head)
    }

    pub fn heads(&self) -> impl Iterator<Item = (BlockId, &HashSet<BlockId>)> {
        self.loops.iter().map(|(head, body)| (*head, body))
    }

    pub fn is_in_loop(&self, head: BlockId, block: BlockId) -> bool {
        self.loops.iter().any(|(known, body)| *known == head && body.contains(&block))
    }

    /// The place in the order of the outermost loop around a block, or of itself.
    pub fn anchor(&self, block: BlockId) -> u32 {
        self.loops_of(block).map(|head| self.order[head]).min().unwrap_or(self.order[block]).min(self.order[block])
    }

    pub fn is_live_before(&self, block: BlockId, index: usize, reg: Reg) -> bool {
        self.live.get(&(block, index)).is_none_or(|live| is_live(live, reg))
    }

    /// Does a register keep a value that is still needed while this call runs?
    pub fn is_live_across(&self, block: BlockId, index: usize, reg: Reg) -> bool {
        self.across.get(&(block, index)).is_none_or(|live| is_live(live, reg))
    }
}

fn insert(set: &mut BitSet, operand: selvedge_program::Operand) {
    if let selvedge_program::Operand::Reg(reg) = operand {
        set.insert(reg.index());
    }
}

fn reverse_postorder(function: &Function) -> SecondaryMap<BlockId, u32> {
    let mut post = Vec::new();
    let mut seen: HashSet<BlockId> = HashSet::new();
    let mut stack: Vec<(BlockId, usize)> = vec![(BlockId::new(0), 0)];
    seen.insert(BlockId::new(0));
    while let Some((block, next)) = stack.pop() {
        match function.blocks[block].term.successors().get(next) {
            Some(to) => {
                stack.push((block, next + 1));
                if seen.insert(*to) {
                    stack.push((*to, 0));
                }
            }
            None => post.push(block),
        }
    }
    let mut order = SecondaryMap::with_default(u32::MAX);
    for (number, block) in post.into_iter().rev().enumerate() {
        order[block] = number as u32;
    }
    order
}

/// Does it create threads, or ask whether they have ended?
pub fn concerns_threads(op: &Op) -> bool {
    matches!(
        op,
        Op::Intrinsic {
            which: Intrinsic::Spawn | Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created,
            ..
        }
    )
}
