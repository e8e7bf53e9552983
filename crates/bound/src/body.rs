//! The thread that is being written: blocks in execution order, with jumps that are filled in when
//! their target begins.

use crate::bounded::{Block, BlockId, Origin, Step, StepOp, Terminator};
use selvedge_program::{EntityRef, FuncId, Operand, PrimaryMap, Properties, Property, Reg, RegInfo, SourceMap, Ty};

/// One of the targets of a terminator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    Jump,
    Then,
    Otherwise,
    Case(usize),
    Default,
}

/// A jump whose target has not begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    from: BlockId,
    slot: Slot,
}

pub struct Body {
    pub regs: PrimaryMap<Reg, RegInfo>,
    pub blocks: PrimaryMap<BlockId, Block>,
    current: BlockId,
}

impl Body {
    /// With an empty first block.
    pub fn new() -> Body {
        let mut blocks = PrimaryMap::new();
        let current = blocks.push(empty());
        Body { regs: PrimaryMap::new(), blocks, current }
    }

    pub fn reg(&mut self, ty: Ty) -> Reg {
        self.regs.push(RegInfo { ty, name: None, debug: None })
    }

    pub fn emit(&mut self, op: StepOp, origin: Origin) {
        self.blocks[self.current].steps.push(Step { op, origin });
    }

    /// A check of this property holds in the open block.
    pub fn prove(&mut self, property: Property) {
        let proved = &mut self.blocks[self.current].proved;
        *proved = proved.with(property);
    }

    /// Ends the block.
    pub fn end(&mut self, term: Terminator, origin: Origin) {
        let block = &mut self.blocks[self.current];
        block.term = term;
        block.origin = origin;
    }

    pub fn jump(&mut self, origin: Origin) -> Edge {
        self.end(Terminator::Jump(self.current), origin);
        self.edge(Slot::Jump)
    }

    /// A jump out of the block that was ended last.
    pub fn edge(&self, slot: Slot) -> Edge {
        Edge { from: self.current, slot }
    }

    pub fn branch(&mut self, cond: Operand, origin: Origin) -> (Edge, Edge) {
        self.end(Terminator::Branch { cond, then: self.current, otherwise: self.current }, origin);
        (self.edge(Slot::Then), self.edge(Slot::Otherwise))
    }

    /// A target that is not known yet.
    pub fn somewhere(&self) -> BlockId {
        self.current
    }

    /// Begins the block where these jumps lead. A single jump from right before needs none.
    pub fn begin(&mut self, edges: &[Edge]) {
        if let [Edge { from, slot: Slot::Jump }] = edges
            && *from == self.current
        {
            return;
        }
        self.current = self.blocks.push(empty());
        for edge in edges {
            let to = self.current;
            match (&mut self.blocks[edge.from].term, edge.slot) {
                (Terminator::Jump(target), Slot::Jump)
                | (Terminator::Branch { then: target, .. }, Slot::Then)
                | (Terminator::Branch { otherwise: target, .. }, Slot::Otherwise)
                | (Terminator::Switch { default: target, .. }, Slot::Default) => *target = to,
                (Terminator::Switch { cases, .. }, Slot::Case(number)) => cases[number].1 = to,
                (term, slot) => unreachable!("{term:?} has no {slot:?}"),
            }
        }
    }
}

fn empty() -> Block {
    let origin = Origin {
        function: FuncId::new(0),
        block: selvedge_program::BlockId::new(0),
        index: 0,
        user: SourceMap::NOWHERE,
    };
    Block { steps: Vec::new(), term: Terminator::Stop, origin, proved: Properties::NONE }
}
