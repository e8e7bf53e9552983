//! Weak compare-exchanges, which may fail although the value is the expected one.
//!
//! The front end makes such an exchange a choice: an input, `fails`, that leads either to the exchange or to a load of
//! the same value, with which it fails. In most programs nobody can tell: a loop tries until it succeeds, and a try
//! that fails for no reason has done nothing.
//!
//! ```text
//! restart:  …          reads, computes
//! attempt:  fails = nondet "weak compare-exchange"
//!           branch fails, spurious, exchange
//! ```
//!
//! The choice goes away if every way that the program takes behind such a failure leads to a point `restart` that it
//! has come by on every way to the attempt; if neither the ways there, nor those from there to the attempt do more than
//! read, compute and yield; and if the variables that may be read at `restart` have the values that they had when it
//! was there before. Then the thread is where it was, and a run in which it was not scheduled since then is the same
//! for all others. One write is no obstacle: into the object that the exchange is about to publish (`node->next =
//! top`). Nobody else knows it, and it is written again.

use crate::constants::fold;
use crate::waits::Effects;
use selvedge_program::liveness::{self, Liveness};
use selvedge_program::{
    BlockId, Computation, DataModel, EntityRef, Function, Input, Inst, Op, Operand, Origin, Program, Reg, Terminator,
    WEAK_EXCHANGE,
};
use std::collections::{HashMap, HashSet};

pub fn weak(program: &mut Program) {
    let is_choice =
        |inst: &Inst| matches!(&inst.op, Op::Nondet { input: Input::Call(name), .. } if name == WEAK_EXCHANGE);
    let has_choice = |f: &Function| f.blocks.values().any(|block| block.insts.last().is_some_and(is_choice));
    let choosing: Vec<_> =
        program.functions.iter().filter(|(_, f)| f.origin == Origin::User && has_choice(f)).map(|(id, _)| id).collect();
    if choosing.is_empty() {
        return;
    }
    let effects = Effects::without_yields(program);
    let model = program.data_model;
    for id in choosing {
        let function = &mut program.functions[id];
        if liveness::calls_setjmp(function) {
            continue;
        }
        let attempts: Vec<BlockId> =
            function.blocks.iter().filter(|(_, b)| b.insts.last().is_some_and(is_choice)).map(|(id, _)| id).collect();
        for block in attempts {
            let Some(attempt) = Attempt::of(function, block) else { continue };
            if (Failure { function, attempt: &attempt, effects: &effects, model }).goes_unnoticed() {
                function.blocks[block].insts.pop();
                function.blocks[block].term = Terminator::Jump(attempt.exchange);
            }
        }
        crate::jumps::remove_unreachable(function);
    }
}

/// The parts of a weak exchange.
struct Attempt {
    block: BlockId,
    exchange: BlockId,
    expected: Operand,
    new: Operand,
    /// Registers that both outcomes write.
    old: Reg,
    success: Reg,
    /// Where they meet again.
    behind: BlockId,
}

impl Attempt {
    fn of(function: &Function, block: BlockId) -> Option<Attempt> {
        let Terminator::Branch { then, otherwise: exchange, .. } = function.blocks[block].term else { return None };
        let Op::CmpXchg { old, success, expected, new, .. } = function.blocks[exchange].insts.first()?.op else {
            return None;
        };
        let Terminator::Jump(behind) = function.blocks[then].term else { return None };
        Some(Attempt { block, exchange, expected, new, old, success, behind })
    }
}

/// A failure for no reason.
struct Failure<'a> {
    function: &'a Function,
    attempt: &'a Attempt,
    effects: &'a Effects,
    model: DataModel,
}

/// Values of registers in terms of those at the attempt. A register that is missing has the value that it had then;
/// `None` is any other.
type Values = HashMap<Reg, Option<Operand>>;

impl Failure<'_> {
    fn goes_unnoticed(&self) -> bool {
        let live = Liveness::new(self.function);
        let constants = self.constants(&live);
        let restarts = self.restarts();
        let mut values = Values::new();
        values.insert(self.attempt.old, Some(self.attempt.expected));
        values.insert(self.attempt.success, Some(Operand::bool(false)));
        let mut work = vec![(self.attempt.behind, values)];
        let mut visits = 0;
        while let Some((block, mut values)) = work.pop() {
            visits += 1;
            if visits > 64 {
                return false;
            }
            if let Some(written) = restarts.get(&block) {
                let is_same = |reg: Reg| {
                    let now = values.get(&reg).copied().unwrap_or(Some(Operand::Reg(reg)));
                    let is_kept = now == Some(Operand::Reg(reg)) && !written.contains(&reg);
                    is_kept || now.is_some() && constants.get(&reg).copied() == now
                };
                let live = &live.live_in[block];
                if live.ones().all(|index| is_same(Reg::new(index))) {
                    continue;
                }
            }
            match self.follow(block, &mut values) {
                Some(targets) if !targets.is_empty() => {
                    work.extend(targets.into_iter().map(|target| (target, values.clone())));
                }
                _ => return false,
            }
        }
        true
    }

    /// Registers that have one value wherever they are read: every write is of the same constant (`expected = 0` before
    /// the loop and in each of its rounds).
    fn constants(&self, live: &Liveness) -> HashMap<Reg, Operand> {
        let read_first =
            self.function.blocks.keys().next().map(|entry| live.live_in[entry].clone()).unwrap_or_default();
        let mut values: HashMap<Reg, Option<Operand>> = read_first
            .ones()
            .map(|index| (Reg::new(index), None))
            .chain(self.function.params.iter().map(|reg| (*reg, None)))
            .collect();
        for inst in self.function.blocks.values().flat_map(|block| &block.insts) {
            let constant = match inst.op {
                Op::Compute(Computation::Copy { src: src @ Operand::Const { .. }, .. }) => Some(src),
                _ => None,
            };
            for dst in inst.op.defs() {
                let value = values.entry(dst).or_insert(constant);
                *value = value.filter(|known| Some(*known) == constant);
            }
        }
        values.into_iter().filter_map(|(reg, value)| Some((reg, value?))).collect()
    }

    /// Runs a block; where it may go on. `None`: it has an effect.
    fn follow(&self, block: BlockId, values: &mut Values) -> Option<Vec<BlockId>> {
        let body = &self.function.blocks[block];
        for inst in &body.insts {
            if self.effects.has_effect(&inst.op) {
                return None;
            }
            let computed = match &inst.op {
                Op::Compute(computation) => self.compute(*computation, values),
                _ => None,
            };
            match computed {
                Some((dst, value)) => values.extend([(dst, Some(value))]),
                None => values.extend(inst.op.defs().into_iter().map(|dst| (dst, None))),
            }
        }
        Some(match &body.term {
            Terminator::Branch { cond, then, otherwise } => match resolve(*cond, values) {
                Some(Operand::Const { bits, .. }) => vec![if bits != 0 { *then } else { *otherwise }],
                _ => vec![*then, *otherwise],
            },
            term => term.successors().into_iter().collect(),
        })
    }

    /// None: the value is not known in terms of the registers at the attempt.
    fn compute(&self, computation: Computation, values: &Values) -> Option<(Reg, Operand)> {
        let mut op = Op::Compute(computation);
        let mut is_known = true;
        op.for_each_use_mut(|operand| match resolve(*operand, values) {
            Some(value) => *operand = value,
            None => is_known = false,
        });
        let Op::Compute(computation) = op else { return None };
        match computation {
            _ if !is_known => None,
            Computation::Copy { dst, src } => Some((dst, src)),
            other => fold(self.model, &other, self.function.regs[other.dst()].ty),
        }
    }

    /// Blocks that every way to the attempt comes by, and from which it does nothing but read and compute until then,
    /// each with the registers that it writes in between.
    fn restarts(&self) -> HashMap<BlockId, HashSet<Reg>> {
        let blocks = &self.function.blocks;
        let mut found = HashMap::new();
        for candidate in blocks.keys() {
            if !self.dominates(candidate) {
                continue;
            }
            // Blocks between the two: from the candidate forwards, as far as the attempt is reached without it.
            let between = self.between(candidate);
            let insts = || between.iter().flat_map(|block| &blocks[*block].insts);
            let is_choice = |inst: &Inst| matches!(&inst.op, Op::Nondet { dst, .. } if self.is_choice(*dst));
            let quiet = |inst: &Inst| !self.effects.has_effect(&inst.op) || is_choice(inst) || self.publishes(&inst.op);
            if insts().all(quiet) {
                found.insert(candidate, insts().flat_map(|inst| inst.op.defs()).collect());
            }
        }
        found
    }

    fn is_choice(&self, dst: Reg) -> bool {
        matches!(self.function.blocks[self.attempt.block].term, Terminator::Branch { cond: Operand::Reg(cond), .. } if cond == dst)
    }

    fn dominates(&self, candidate: BlockId) -> bool {
        let Some(entry) = self.function.blocks.keys().next() else { return false };
        candidate == self.attempt.block
            || candidate == entry
            || !self.reachable(entry, Some(candidate)).contains(&self.attempt.block)
    }

    fn between(&self, candidate: BlockId) -> Vec<BlockId> {
        if candidate == self.attempt.block {
            return vec![candidate];
        }
        let leads = |from: BlockId| {
            from == self.attempt.block || self.reachable(from, Some(candidate)).contains(&self.attempt.block)
        };
        let stop = |block: BlockId| block == self.attempt.block;
        let mut seen = HashSet::from([candidate]);
        let mut work = vec![candidate];
        while let Some(block) = work.pop() {
            if stop(block) {
                continue;
            }
            for next in self.function.blocks[block].term.successors() {
                if next != candidate && leads(next) && seen.insert(next) {
                    work.push(next);
                }
            }
        }
        let mut all: Vec<BlockId> = seen.into_iter().collect();
        all.sort();
        all
    }

    /// From here without coming by `avoided`; not the start itself, unless there is a way back to it.
    fn reachable(&self, from: BlockId, avoided: Option<BlockId>) -> HashSet<BlockId> {
        let mut seen = HashSet::new();
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            for next in self.function.blocks[block].term.successors() {
                if Some(next) != avoided && seen.insert(next) {
                    work.push(next);
                }
            }
        }
        seen
    }

    /// A write into the object whose address is about to be stored by the exchange.
    fn publishes(&self, op: &Op) -> bool {
        let Op::Store { addr: Operand::Reg(addr), .. } = op else { return false };
        let defs: Vec<&Op> = self
            .function
            .blocks
            .values()
            .flat_map(|block| &block.insts)
            .map(|inst| &inst.op)
            .filter(|op| op.defs().into_iter().any(|dst| dst == *addr))
            .collect();
        let inside = |op: &&Op| match op {
            Op::Compute(Computation::Field { base, .. }) => *base == self.attempt.new,
            Op::Compute(Computation::Copy { src, .. }) => *src == self.attempt.new,
            _ => false,
        };
        Operand::Reg(*addr) == self.attempt.new || (!defs.is_empty() && defs.iter().all(inside))
    }
}

fn resolve(operand: Operand, values: &Values) -> Option<Operand> {
    match operand {
        Operand::Reg(reg) => values.get(&reg).copied().unwrap_or(Some(operand)),
        other => Some(other),
    }
}
