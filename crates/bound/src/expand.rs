//! One activation of a function: its blocks, copied once for every iteration of the loops around them.
//!
//! A copy of a block is told apart by how often the loops around it have come round. Copies are made in
//! the order of [positions of the loops, their counts, position of the block], in which everything
//! that leads to a copy comes before it; so what is constant there is known when it is made, and a
//! branch that a constant decides has one way only.
//!
//! Iterations that are [counted](crate::trip_count) cost nothing of the bound.

use crate::body::{Edge, Slot};
use crate::bounded::{CutKind, Origin, StepOp, Terminator as Term};
use crate::env::Env;
use crate::shape::{Shape, is_in_file};
use crate::trip_count::Iterations;
use crate::unroll::{Activation, Exit, Flow, Place, Refusal, Unroller, bits};
use selvedge_program::{BlockId, EntityRef, Inst, Loc, Op, Operand, SourceMap, Terminator};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Calls nested deeper than this are not supported: our own stack is not endless either.
const MAX_DEPTH: usize = 400;

/// A copy of a block that is still to be made.
struct Copy {
    block: BlockId,
    /// How often each loop around it came round.
    counts: Vec<u32>,
    incoming: Vec<(Edge, Rc<Env>)>,
}

type Pending = BTreeMap<Vec<u32>, Copy>;

impl Unroller<'_> {
    /// Writes an activation, from the open block on. Its parameters are set.
    pub fn expand(&mut self, activation: &Activation, env: Env, origin: Origin) -> Result<Vec<Exit>, Refusal> {
        if self.depth >= MAX_DEPTH {
            let what = format!("more than {MAX_DEPTH} nested calls");
            self.last(Op::Unsupported { what }, origin)?;
            return Ok(vec![]);
        }
        self.depth += 1;
        self.open[activation.function] += 1;
        let shape = self.shape(activation.function);
        let mut expansion = Expansion {
            activation,
            shape: &shape,
            pending: Pending::new(),
            iterations: Iterations::default(),
            exits: vec![],
        };
        let entry = BlockId::new(0);
        let edge = self.body.jump(origin);
        expansion.arrive(entry, None, edge, Rc::new(env));
        while let Some((key, copy)) = expansion.pending.pop_first() {
            self.effort()?;
            self.copy(&mut expansion, key, copy)?;
        }
        self.open[activation.function] -= 1;
        self.depth -= 1;
        Ok(expansion.exits)
    }

    fn copy(&mut self, expansion: &mut Expansion<'_>, key: Vec<u32>, copy: Copy) -> Result<(), Refusal> {
        let edges: Vec<Edge> = copy.incoming.iter().map(|(edge, _)| *edge).collect();
        self.body.begin(&edges);
        let mut envs = copy.incoming.into_iter().map(|(_, env)| env);
        let Some(mut env) = envs.next() else { return Ok(()) };
        for other in envs {
            if !Rc::ptr_eq(&env, &other) {
                Rc::make_mut(&mut env).merge(&other, &expansion.shape.live.live_in[copy.block]);
            }
        }
        let activation = expansion.activation;
        let function = &self.program.functions[activation.function];
        let block = &function.blocks[copy.block];
        if expansion.shape.order.is_head(copy.block)
            && let Some(bound) = self.come_round(expansion, &key, copy.block)
        {
            let origin = self.origin(activation, copy.block, 0, block.loc);
            let loc = expansion.loop_at(copy.block);
            self.cut(CutKind::Loop(bound), loc, origin);
            return Ok(());
        }
        for (index, Inst { op, loc }) in block.insts.iter().enumerate() {
            let origin = self.origin(activation, copy.block, index, *loc);
            let place = Place { activation, origin };
            if self.operation(&place, Rc::make_mut(&mut env), op)? == Flow::Over {
                return Ok(());
            }
        }
        let origin = self.origin(activation, copy.block, block.insts.len(), block.loc);
        self.terminator(expansion, &key, (copy.block, &copy.counts), env, &block.term, origin)
    }

    /// A head begins an iteration. Some: the bound that forbids it.
    fn come_round(&self, expansion: &mut Expansion<'_>, key: &[u32], head: BlockId) -> Option<u32> {
        let this = &key[..key.len() - 1];
        let count = *this.last()?;
        if count == 0 {
            return None;
        }
        let previous = expansion.iterations.before(this);
        let counted = previous.is_counted() && count - previous.used <= self.trip_count;
        let used = previous.used + u32::from(!counted);
        let only_head = previous.only_head;
        let bound = self.bound_of(expansion, head);
        let level = expansion.shape.order.chain(head).len() - 1;
        let function = &self.program.functions[expansion.activation.function];
        let mut leaves = function.blocks[head].term.successors().into_iter();
        let can_leave = leaves.any(|target| !expansion.shape.order.is_inside(target, head, level));
        if only_head || used > bound || used == bound && !can_leave {
            return Some(bound);
        }
        let this = expansion.iterations.at(this);
        this.used = used;
        this.only_head = used == bound;
        None
    }

    fn bound_of(&self, expansion: &Expansion<'_>, head: BlockId) -> u32 {
        let Some((_, places)) = expansion.shape.loops.get(&head) else { return self.limits.unwind };
        let named =
            |file: &str, line: u32| places.iter().any(|loc| loc.line == line && is_in_file(self.program, *loc, file));
        let special = self.limits.unwind_at.iter().find(|((file, line), _)| named(file, *line));
        special.map_or(self.limits.unwind, |(_, bound)| *bound)
    }

    fn terminator(
        &mut self,
        expansion: &mut Expansion<'_>,
        key: &[u32],
        (block, counts): (BlockId, &[u32]),
        mut env: Rc<Env>,
        term: &Terminator,
        origin: Origin,
    ) -> Result<(), Refusal> {
        let activation = expansion.activation;
        let here = Some((block, counts));
        let decision = match term {
            Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => self.decided(term, &env),
            Terminator::Return(values) => return self.return_from(expansion, Rc::make_mut(&mut env), values, origin),
            Terminator::Unreachable => {
                let what = "code that the compiler took for unreachable".to_string();
                return self.last(Op::Unsupported { what }, origin).map(|_| ());
            }
        };
        let mut out: Vec<(Edge, BlockId, Rc<Env>)> = Vec::new();
        if let Some(target) = decision {
            let exits = self.other_exits(expansion, block, term, target, &env);
            expansion.iterations.note(expansion.shape, key, block, (target, &exits), &env);
            self.note_proved(expansion, term, target);
            out.push((self.body.jump(origin), target, env));
        } else {
            match term {
                Terminator::Branch { cond, then, otherwise } => {
                    let (yes, no) = self.body.branch(self.operand(activation, &env, *cond), origin);
                    out.push((yes, *then, with(&env, *cond, Operand::bool(true))));
                    out.push((no, *otherwise, with(&env, *cond, Operand::bool(false))));
                }
                Terminator::Switch { value, cases, default } => {
                    let ty = self.ty(activation, *value);
                    let somewhere = self.body.somewhere();
                    let open = cases.iter().map(|(case, _)| (*case, somewhere)).collect();
                    let value_here = self.operand(activation, &env, *value);
                    self.body.end(Term::Switch { value: value_here, cases: open, default: somewhere }, origin);
                    for (number, (case, target)) in cases.iter().enumerate() {
                        let env = with(&env, *value, Operand::Const { ty, bits: *case });
                        out.push((self.body.edge(Slot::Case(number)), *target, env));
                    }
                    out.push((self.body.edge(Slot::Default), *default, env));
                }
                Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => {}
            }
        }
        let mut cut = Vec::new();
        for (edge, target, env) in out {
            let target = self.threaded(expansion, key, block, target, &env);
            if expansion.is_forbidden(key, block, target) {
                cut.push(edge);
            } else {
                expansion.arrive(target, here, edge, env);
            }
        }
        if !cut.is_empty() {
            self.body.begin(&cut);
            let bound = self.bound_of(expansion, block);
            let loc = expansion.loop_at(block);
            self.cut(CutKind::Loop(bound), loc, origin);
        }
        Ok(())
    }

    /// The target of a terminator, if it is certain.
    pub(crate) fn decided(&self, term: &Terminator, env: &Env) -> Option<BlockId> {
        match term {
            Terminator::Jump(target) => Some(*target),
            Terminator::Branch { cond, then, otherwise } => {
                let bits = self.known(env, *cond).and_then(bits)?;
                Some(if bits & 1 == 1 { *then } else { *otherwise })
            }
            Terminator::Switch { value, cases, default } => {
                let bits = self.known(env, *value).and_then(bits)?;
                Some(cases.iter().find(|(case, _)| *case == bits).map_or(*default, |(_, target)| *target))
            }
            Terminator::Return(_) | Terminator::Unreachable => None,
        }
    }

    fn return_from(
        &mut self,
        expansion: &mut Expansion<'_>,
        env: &mut Env,
        values: &[Operand],
        origin: Origin,
    ) -> Result<(), Refusal> {
        let activation = expansion.activation;
        let Some(dsts) = &activation.dsts else {
            return self.finish(env.live.clone(), origin);
        };
        let mut known = Vec::new();
        for (number, dst) in dsts.iter().enumerate() {
            let to = self.body.regs[*dst].ty;
            // A result that the callee does not have is zero.
            let (value, from, constant) = match values.get(number) {
                Some(value) => {
                    (self.operand(activation, env, *value), self.ty(activation, *value), self.known(env, *value))
                }
                None => {
                    let zero = Operand::Const { ty: to, bits: 0 };
                    (zero, to, Some(zero))
                }
            };
            let passed = self.pass(value, from, constant, *dst, origin)?;
            if passed.is_none() {
                env.expose(constant);
            }
            known.push(passed);
        }
        if expansion.shape.makes_objects {
            self.step(StepOp::End { objects: env.live.clone() }, origin)?;
        }
        expansion.exits.push(Exit { edge: self.body.jump(origin), known, memory: env.memory.clone() });
        Ok(())
    }
}

/// An activation while it is being written.
pub(crate) struct Expansion<'a> {
    pub activation: &'a Activation,
    pub shape: &'a Shape,
    pending: Pending,
    pub iterations: Iterations,
    exits: Vec<Exit>,
}

impl Expansion<'_> {
    fn loop_at(&self, head: BlockId) -> Loc {
        self.shape.loops.get(&head).map_or(SourceMap::NOWHERE, |(loc, _)| *loc)
    }

    /// A jump to a block, from a copy of another or from outside.
    fn arrive(&mut self, target: BlockId, from: Option<(BlockId, &[u32])>, edge: Edge, env: Rc<Env>) {
        let order = &self.shape.order;
        let mut counts: Vec<u32> = Vec::new();
        let mut key = Vec::new();
        let mut common = true;
        for (level, head) in order.chain(target).iter().enumerate() {
            let mut count = 0;
            if let Some((block, around)) = from {
                common &= order.is_inside(block, *head, level);
                if common {
                    count = around[level] + u32::from(*head == target);
                }
            }
            key.extend([order.position(*head), count]);
            counts.push(count);
        }
        key.push(order.position(target));
        let copy = self.pending.entry(key).or_insert(Copy { block: target, counts, incoming: Vec::new() });
        copy.incoming.push((edge, env));
    }

    /// Is this a jump into a loop of whose iteration only the head may run?
    fn is_forbidden(&self, key: &[u32], block: BlockId, target: BlockId) -> bool {
        let order = &self.shape.order;
        order.is_head(block)
            && order.is_inside(target, block, order.chain(block).len() - 1)
            && self.iterations.get(&key[..key.len() - 1]).is_some_and(|iteration| iteration.only_head)
    }
}

/// The environment behind a branch on `operand`.
fn with(env: &Rc<Env>, operand: Operand, value: Operand) -> Rc<Env> {
    let mut env = env.clone();
    if let Operand::Reg(reg) = operand {
        Rc::make_mut(&mut env).set(reg, Some(value));
    }
    env
}
