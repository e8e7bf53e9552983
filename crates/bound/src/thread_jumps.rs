//! Jump threading: where a block does nothing but branch, and the branch is decided on one of the ways that
//! lead to it, that way goes straight on.
//!
//! C's `a && b` becomes such a block: it comes with false from `a`, and with the value of `b` otherwise.

use crate::env::Env;
use crate::expand::Expansion;
use crate::unroll::Unroller;
use selvedge_program::{BlockId, Properties};

/// How many blocks in a row may be jumped over.
const FARTHEST: usize = 8;

impl Unroller<'_> {
    /// The real target of a jump from a copy of `block` to `target`.
    pub(crate) fn threaded(
        &mut self,
        expansion: &mut Expansion<'_>,
        key: &[u32],
        block: BlockId,
        mut target: BlockId,
        env: &Env,
    ) -> BlockId {
        for _ in 0..FARTHEST {
            let Some(next) = self.beyond(expansion, block, target, env) else { break };
            let program = self.program;
            let term = &program.functions[expansion.activation.function].blocks[target].term;
            let exits = self.other_exits(expansion, target, term, next, env);
            expansion.iterations.note(expansion.shape, key, target, (next, &exits), env);
            self.note_proved(expansion, term, next);
            target = next;
        }
        target
    }

    /// The successor of a block of the same loop that decides nothing and leaves nothing behind.
    fn beyond(&self, expansion: &Expansion<'_>, from: BlockId, through: BlockId, env: &Env) -> Option<BlockId> {
        let (order, live) = (&expansion.shape.order, &expansion.shape.live.live_in);
        if order.is_head(through) || order.chain(through) != order.chain(from) {
            return None;
        }
        let data = &self.program.functions[expansion.activation.function].blocks[through];
        if data.term.successors().len() < 2 || !data.insts.iter().all(|inst| inst.op.is_pure(Properties::ALL)) {
            return None;
        }
        let next = if data.insts.is_empty() {
            self.decided(&data.term, env)?
        } else {
            self.followed(expansion, through, &mut env.clone())?
        };
        let mut written = data.insts.iter().flat_map(|inst| inst.op.defs());
        (!written.any(|reg| live[next].contains(selvedge_program::EntityRef::index(reg)))).then_some(next)
    }
}
