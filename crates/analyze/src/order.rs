//! The threads that may be alive when a step runs, by the order of creation and joining.
//!
//! A thread has not begun before its creator's `Spawn`, and has ended once another thread has waited for it.
//! For every step we find, in one pass over the code, the threads that may have begun (on some path
//! to it) and those that have surely ended (on every path). Joining a thread also includes the threads that it
//! had joined itself, and a new thread starts with the knowledge of its creator.
//!
//! Two steps can only happen in parallel if at each of them the other's thread has begun and may not have ended.

use crate::graph::{Graph, Position};
use crate::values::{Values, bit};
use hashbrown::HashMap;
use selvedge_bound::{Block, Bounded, StepOp};
use selvedge_program::{CmpOp, Computation, EntityRef, Intrinsic, Op, Operand, Reg};

/// The knowledge about the other threads when a step runs, as sets of threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Others {
    /// May have begun.
    begun: u128,
    /// Surely finished.
    over: u128,
}

pub struct Order {
    states: Vec<Others>,
    /// For each thread and position an index into `states`.
    at: Vec<Vec<u32>>,
}

/// The kinds of knowledge to use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uses {
    pub creation: bool,
    pub joins: bool,
}

impl Order {
    pub(crate) fn new(bounded: &Bounded<'_>, graphs: &[Graph], values: &Values, uses: Uses) -> Order {
        Builder::new(bounded, graphs, values, uses).build()
    }

    fn others(&self, thread: usize, at: Position) -> Others {
        self.states[self.at[thread][at as usize] as usize]
    }

    /// Threads that have surely finished.
    pub fn over(&self, thread: usize, at: Position) -> u128 {
        self.others(thread, at).over
    }

    pub fn may_have_begun(&self, thread: usize, at: Position, other: usize) -> bool {
        bit(other) == 0 || self.others(thread, at).begun & bit(other) != 0
    }

    /// The other threads that may run at that moment.
    pub fn alive(&self, thread: usize, at: Position) -> u128 {
        let others = self.others(thread, at);
        others.begun & !others.over & !bit(thread)
    }
}

struct Builder<'a, 'p> {
    bounded: &'a Bounded<'p>,
    graphs: &'a [Graph],
    values: &'a Values,
    uses: Uses,
    /// For each thread the threads that it creates.
    children: Vec<Vec<usize>>,
    /// For each thread itself and all its descendants.
    families: Vec<u128>,
    over_at_start: Vec<u128>,
    over_at_end: Vec<u128>,
    states: Vec<Others>,
    numbers: HashMap<Others, u32>,
}

/// Within one thread, the threads that it has created on some path, and those that have ended on every path.
#[derive(Clone, Copy)]
struct Passed {
    created: u128,
    over: u128,
}

/// Each pass is sound by itself; later ones know more about the threads that joined threads had joined.
const PASSES: usize = 3;

impl<'a, 'p> Builder<'a, 'p> {
    fn new(bounded: &'a Bounded<'p>, graphs: &'a [Graph], values: &'a Values, uses: Uses) -> Builder<'a, 'p> {
        let count = bounded.threads.len();
        let mut children = vec![Vec::new(); count];
        for (number, thread) in bounded.threads.iter().enumerate() {
            for step in thread.blocks.values().flat_map(|block| &block.steps) {
                if let StepOp::Spawn { thread: created, .. } = step.op {
                    children[number].push(created);
                }
            }
        }
        let mut families: Vec<u128> = (0..count).map(bit).collect();
        // A thread's number is greater than its creator's, but nothing depends on that.
        for _ in 0..count {
            let before = families.clone();
            for number in 0..count {
                for child in &children[number] {
                    families[number] |= families[*child];
                }
            }
            if families == before {
                break;
            }
        }
        Builder {
            bounded,
            graphs,
            values,
            uses,
            children,
            families,
            over_at_start: vec![0; count],
            over_at_end: vec![0; count],
            states: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    fn build(mut self) -> Order {
        let count = self.bounded.threads.len();
        let mut at = Vec::new();
        for _ in 0..PASSES {
            at = (0..count).map(|thread| self.thread(thread)).collect();
        }
        Order { states: self.states, at }
    }

    fn state(&mut self, thread: usize, passed: Passed) -> u32 {
        let mut begun = u128::MAX;
        if self.uses.creation {
            for child in &self.children[thread] {
                if bit(*child) != 0 && passed.created & bit(*child) == 0 {
                    begun &= !self.families[*child];
                }
            }
            for (other, over) in self.over_at_start.iter().enumerate() {
                if over & bit(thread) != 0 {
                    begun &= !bit(other);
                }
            }
        }
        let state = Others { begun, over: passed.over };
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.states.len() as u32 - 1
        })
    }

    fn thread(&mut self, number: usize) -> Vec<u32> {
        let thread = &self.bounded.threads[number];
        let mut ways: Vec<Option<Passed>> = vec![None; thread.blocks.len()];
        let start = Passed { created: 0, over: self.over_at_start[number] };
        if let Some(first) = ways.first_mut() {
            *first = Some(start);
        }
        let nowhere = self.state(number, start);
        let mut at = vec![nowhere; self.graphs[number].len()];
        let mut at_end: Option<u128> = None;
        for (id, block) in &thread.blocks {
            let index = id.index();
            let Some(mut passed) = ways[index] else { continue };
            let mut now = self.state(number, passed);
            let mut waits = Waits::default();
            for (step, body) in block.steps.iter().enumerate() {
                at[self.graphs[number].position(index, step) as usize] = now;
                if !self.values.is_live(number, index, step) {
                    continue;
                }
                match &body.op {
                    StepOp::Spawn { thread: created, .. } => {
                        self.over_at_start[*created] = passed.over;
                        passed.created |= bit(*created);
                        now = self.state(number, passed);
                    }
                    StepOp::Finish { .. } => {
                        at_end = Some(at_end.unwrap_or(u128::MAX) & passed.over);
                    }
                    StepOp::Plain(op) => {
                        if let Some(joined) = waits.step(self, number, op).filter(|_| self.uses.joins) {
                            passed.over |= bit(joined) | self.over_at_end[joined];
                            now = self.state(number, passed);
                        }
                    }
                    StepOp::Create { .. } | StepOp::End { .. } => {}
                }
            }
            at[self.graphs[number].position(index, block.steps.len()) as usize] = now;
            if self.values.is_live(number, index, block.steps.len()) {
                self.leave(number, block, passed, &mut ways);
            }
        }
        self.over_at_end[number] = at_end.unwrap_or(0);
        at
    }

    fn leave(&self, number: usize, block: &Block, passed: Passed, ways: &mut [Option<Passed>]) {
        for to in self.values.successors(number, block) {
            ways[to] = Some(match ways[to] {
                None => passed,
                Some(other) => Passed { created: passed.created | other.created, over: passed.over & other.over },
            });
        }
    }

    /// The single thread that a number may name. Numbers that name no thread do not count.
    fn named(&self, thread: usize, operand: Operand) -> Option<usize> {
        let possible = self.values.of(thread, operand);
        let mut named = possible.values()?.iter().filter(|value| **value < self.bounded.threads.len() as u64);
        let only = *named.next()?;
        named.next().is_none().then_some(only as usize)
    }
}

/// The registers of a block that are zero unless a thread has finished.
#[derive(Default)]
struct Waits {
    known: HashMap<Reg, usize>,
}

impl Waits {
    /// Processes a step. Returns the thread that has ended after it, if it waits for one.
    fn step(&mut self, builder: &Builder<'_, '_>, thread: usize, op: &Op) -> Option<usize> {
        let of = |this: &Waits, operand: Operand| match operand {
            Operand::Reg(reg) => this.known.get(&reg).copied(),
            _ => None,
        };
        if let Op::Intrinsic { which: Intrinsic::BlockUntil, args, .. } = op {
            return of(self, args[0]);
        }
        let told = if let Op::Intrinsic { dst: Some(_), which: Intrinsic::Finished | Intrinsic::PollFinished, args } = op {
            builder.named(thread, args[0])
        } else if let Op::Compute(
            Computation::Copy { src, .. }
            // A cast of zero is zero.
            | Computation::Cast { src, .. }
            | Computation::Compare { op: CmpOp::Ne, a: src, b: Operand::Const { bits: 0, .. }, .. },
        ) = *op
        {
            of(self, src)
        } else {
            None
        };
        for reg in op.defs() {
            self.known.remove(&reg);
            if let Some(told) = told {
                self.known.insert(reg, told);
            }
        }
        None
    }
}
