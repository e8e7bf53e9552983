//! Checks that constants prove.
//!
//! A branch that a constant decides has one way only in the bounded program. If the other way would surely have
//! reported something (`assert(zero == 0)`, where nobody writes `zero`), the check is gone; but it was made, and holds
//! for whoever gets there. An operation that constants make harmless (`three + 4`, `x / three`) is no check any more,
//! either. The block says so ([`Block::proved`](crate::Block::proved)), so that nobody takes the program for one in
//! which nothing is checked.

use crate::expand::Expansion;
use crate::unroll::Unroller;
use selvedge_program::{BlockId, Callee, EntityRef, FuncId, Op, Operand, Properties, Terminator};

/// A way to a report is followed over so many jumps and calls.
const FARTHEST: usize = 8;

impl Unroller<'_> {
    /// The terminator is decided, and leads to `taken`: the checks that the other ways stand for hold.
    pub(crate) fn note_proved(&mut self, expansion: &Expansion<'_>, term: &Terminator, taken: BlockId) {
        let function = expansion.activation.function;
        for other in term.successors().into_iter().filter(|to| *to != taken) {
            let reported = self.surely_reported(function, other);
            self.note_settled(reported);
        }
    }

    /// Constants have settled checks of these properties, here.
    pub(crate) fn note_settled(&mut self, checks: Properties) {
        checks.iter().for_each(|property| self.body.prove(property));
    }

    /// The properties that every run to the block violates.
    fn surely_reported(&mut self, function: FuncId, block: BlockId) -> Properties {
        if let Some(known) = self.reported.get(&(function, block)) {
            return *known;
        }
        let reported = self.reported_within(function, block, FARTHEST);
        self.reported.insert((function, block), reported);
        reported
    }

    fn reported_within(&self, function: FuncId, block: BlockId, far: usize) -> Properties {
        let Some(farther) = far.checked_sub(1) else { return Properties::NONE };
        let block = &self.program.functions[function].blocks[block];
        for inst in &block.insts {
            if let Op::Violation { property, .. } = inst.op {
                return Properties::NONE.with(property);
            }
            if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                let reported = self.reported_within(callee, BlockId::new(0), farther);
                if !reported.is_empty() {
                    return reported;
                }
            }
        }
        match &block.term {
            Terminator::Jump(to) => self.reported_within(function, *to, farther),
            Terminator::Branch { cond: Operand::Const { bits, .. }, then, otherwise } => {
                let to = if bits & 1 == 1 { then } else { otherwise };
                self.reported_within(function, *to, farther)
            }
            Terminator::Branch { .. } | Terminator::Switch { .. } | Terminator::Return(_) | Terminator::Unreachable => {
                Properties::NONE
            }
        }
    }
}
