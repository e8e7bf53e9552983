//! Constant trip counts: `for (i = 0; i < 10; i++)` is unwound ten times whatever the bound.
//!
//! An iteration is *counted* if a constant decided to stay in the loop where it could have left, and if
//! something was decided by other values than in the iteration before: then constants lead to the
//! end, sooner or later.
//!
//! In `for (i = 0; i < 10 && x; i++)` both ways of the first test stay, but the other one leads to a
//! second test that leaves for certain. So the way that was not taken is followed as far as constants
//! decide it.

use crate::env::Env;
use crate::expand::Expansion;
use crate::shape::Shape;
use crate::unroll::{Place, Unroller};
use selvedge_program::{BlockId, Op, Operand, Terminator};
use std::collections::BTreeMap;

/// How many blocks of a way not taken are looked at.
const FORESIGHT: usize = 8;
/// How many ways not taken are looked at.
const MOST_WAYS: usize = 4;

/// One iteration of a loop.
#[derive(Default)]
pub struct Iteration {
    /// How many before it were not counted.
    pub used: u32,
    /// A constant decided against leaving.
    stays: bool,
    /// Something was decided by other values than in the iteration before.
    progress: bool,
    /// The values that decided, by block and the way taken.
    decided: BTreeMap<(BlockId, BlockId), Vec<Option<Operand>>>,
    /// Only the head may run, to see whether the loop ends here.
    pub only_head: bool,
}

impl Iteration {
    pub fn is_counted(&self) -> bool {
        self.stays && self.progress
    }
}

/// By the positions of the loops around, and how often each came round.
#[derive(Default)]
pub struct Iterations(BTreeMap<Vec<u32>, Iteration>);

impl Iterations {
    pub fn get(&self, key: &[u32]) -> Option<&Iteration> {
        self.0.get(key)
    }

    pub fn at(&mut self, key: &[u32]) -> &mut Iteration {
        self.0.entry(key.to_vec()).or_default()
    }

    /// The iteration before this one, which is not the first.
    pub fn before(&mut self, key: &[u32]) -> &mut Iteration {
        self.0.entry(previous(key).unwrap_or_default()).or_default()
    }

    /// A constant decided the branch of a block; `exits`: where it could have gone.
    pub fn note(
        &mut self,
        shape: &Shape,
        key: &[u32],
        block: BlockId,
        (taken, exits): (BlockId, &[BlockId]),
        env: &Env,
    ) {
        let Some(slice) = shape.slices.get(&block) else { return };
        let order = &shape.order;
        let chain = order.chain(block);
        for (level, head) in chain.iter().enumerate() {
            let this = &key[..2 * level + 2];
            let could_leave = exits.iter().any(|target| !order.is_inside(*target, *head, level));
            let innermost = level + 1 == chain.len();
            let stays = could_leave && order.is_inside(taken, *head, level);
            if !stays && !innermost {
                continue;
            }
            let values: Vec<Option<Operand>> = slice.iter().map(|reg| env.get(*reg)).collect();
            let same = previous(this)
                .and_then(|before| self.0.get(&before))
                .is_some_and(|iteration| iteration.decided.get(&(block, taken)) == Some(&values));
            let iteration = self.at(this);
            iteration.stays |= stays;
            iteration.progress |= !same;
            iteration.decided.insert((block, taken), values);
        }
    }
}

fn previous(key: &[u32]) -> Option<Vec<u32>> {
    let mut before = key.to_vec();
    let count = before.last_mut()?;
    *count = count.checked_sub(1)?;
    Some(before)
}

impl Unroller<'_> {
    /// The blocks to which the branch would have led, had the constant that decided it been another.
    pub(crate) fn other_exits(
        &self,
        expansion: &Expansion<'_>,
        block: BlockId,
        term: &Terminator,
        taken: BlockId,
        env: &Env,
    ) -> Vec<BlockId> {
        let order = &expansion.shape.order;
        let Some(level) = order.chain(block).len().checked_sub(1) else { return vec![] };
        let head = order.chain(block)[level];
        let mut exits = Vec::new();
        for target in term.successors().into_iter().filter(|target| *target != taken).take(MOST_WAYS) {
            if !order.is_inside(target, head, level) {
                exits.push(target);
                continue;
            }
            let mut env = env.clone();
            if let Terminator::Branch { cond: Operand::Reg(reg), then, .. } = term {
                env.set(*reg, Some(Operand::bool(target == *then)));
            }
            let mut at = target;
            for _ in 0..FORESIGHT {
                if at == head || !order.is_inside(at, head, level) {
                    break;
                }
                match self.followed(expansion, at, &mut env) {
                    Some(next) => at = next,
                    None => break,
                }
            }
            exits.push(at);
        }
        exits
    }

    /// The successor of a block, if constants decide it.
    pub(crate) fn followed(&self, expansion: &Expansion<'_>, block: BlockId, env: &mut Env) -> Option<BlockId> {
        let activation = expansion.activation;
        let data = &self.program.functions[activation.function].blocks[block];
        let origin = self.origin(activation, block, 0, data.loc);
        let place = Place { activation, origin };
        for inst in &data.insts {
            let computation = if let Op::Compute(computation) = inst.op { Some(computation) } else { None };
            let result = computation.and_then(|computation| self.folded(&place, env, computation));
            inst.op.defs().into_iter().for_each(|reg| env.set(reg, None));
            if let Some(computation) = computation {
                env.set(computation.dst(), result);
            }
        }
        self.decided(&data.term, env)
    }
}
