//! Which segments of different threads cannot be exchanged.
//!
//! A segment is what runs from one context-switch point to the next. Two of them depend on each other if
//! one may write what the other touches, or if one asks about the beginning or the end of a thread and the
//! other brings it about. Locks need no special treatment: they are memory. A store that has waited in a store buffer
//! arrives by itself, and depends on who touches its bytes.

use hashbrown::HashMap;
use selvedge_analyze::buffers::{effect, store_rule};
use selvedge_analyze::{Access, Interference, Points};
use selvedge_bound::{Bounded, StepOp};
use selvedge_program::{BufferEffect, EntityRef, Op, Purpose};

/// Pairs of segments that are looked at, at most; beyond, all segments depend on each other.
const MAX_PAIRS: usize = 4_000_000;

/// All that a segment may do and others can notice.
#[derive(Clone, Default, PartialEq)]
struct Effects {
    accesses: Vec<Access>,
    /// It creates or ends a thread.
    brings_about: bool,
    /// It asks whether one has been created or has ended.
    asks: bool,
}

impl Effects {
    fn add(&mut self, op: &StepOp, accesses: &[Access]) {
        for access in accesses {
            if !self.accesses.contains(access) {
                self.accesses.push(*access);
            }
        }
        match op {
            StepOp::Spawn { .. } | StepOp::Finish { .. } => self.brings_about = true,
            StepOp::Plain(Op::Intrinsic { which, .. }) => self.asks |= which.purpose() == Purpose::AsksThread,
            StepOp::Plain(_) | StepOp::Create { .. } | StepOp::End { .. } => {}
        }
    }

    fn depends_on(&self, other: &Effects) -> bool {
        let asked = self.asks && other.brings_about || self.brings_about && other.asks;
        asked || self.accesses.iter().any(|mine| other.accesses.iter().any(|theirs| mine.conflicts(theirs)))
    }
}

/// A part of a thread that is scheduled by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The code from this point to the next.
    Segment(u32),
    /// A store that may wait, by its number, reaches memory.
    Arrival(u32),
}

pub struct Dependence {
    /// By thread: how many segments it has. Arrivals are numbered behind them.
    segments: Vec<usize>,
    /// By thread and part, by other thread: the parts there on which it depends.
    on: Vec<Vec<Vec<Vec<Part>>>>,
    /// By thread and part: the thread's own stores that may have to arrive before it.
    needs: Vec<Vec<Vec<usize>>>,
}

impl Dependence {
    pub fn new(bounded: &Bounded<'_>, points: &[Points], interference: &Interference) -> Dependence {
        let (mut effects, mut needs) = (Vec::new(), Vec::new());
        for (thread, points) in points.iter().enumerate() {
            let parts = parts(bounded, thread, points, interference);
            let (of_thread, own): (Vec<Effects>, Vec<Vec<usize>>) = parts.into_iter().unzip();
            effects.push(of_thread);
            needs.push(own);
        }
        let segments: Vec<usize> = points.iter().map(|points| points.count).collect();
        let part = |thread: usize, number: usize| match number.checked_sub(segments[thread]) {
            None => Part::Segment(number as u32),
            Some(store) => Part::Arrival(store as u32),
        };
        let total: usize = effects.iter().map(Vec::len).sum();
        let all_depend = total * total > MAX_PAIRS;
        // Unwinding makes many segments that do the same.
        let mut known: HashMap<(usize, usize, usize, usize), bool> = HashMap::new();
        let mut kinds: Vec<Vec<usize>> = Vec::new();
        for of_thread in &effects {
            let mut numbers: Vec<usize> = Vec::new();
            for (point, this) in of_thread.iter().enumerate() {
                let same = (0..point).find(|other| of_thread[*other] == *this);
                numbers.push(same.map_or(point, |other| numbers[other]));
            }
            kinds.push(numbers);
        }
        let mut depends = |(t, i): (usize, usize), (u, j): (usize, usize)| {
            let (a, b) = (kinds[t][i], kinds[u][j]);
            all_depend || *known.entry((t, a, u, b)).or_insert_with(|| effects[t][a].depends_on(&effects[u][b]))
        };
        let mut on = Vec::new();
        for t in 0..effects.len() {
            let mut of_thread = Vec::new();
            for i in 0..effects[t].len() {
                let mut of_point = Vec::new();
                for (u, others) in effects.iter().enumerate() {
                    let others = (0..others.len()).filter(|j| t != u && depends((t, i), (u, *j)));
                    of_point.push(others.map(|j| part(u, j)).collect());
                }
                of_thread.push(of_point);
            }
            on.push(of_thread);
        }
        Dependence { segments, on, needs }
    }

    fn number(&self, thread: usize, part: Part) -> usize {
        match part {
            Part::Segment(point) => point as usize,
            Part::Arrival(store) => self.segments[thread] + store as usize,
        }
    }

    /// The parts of `other` on which a part of `thread` depends.
    pub fn on(&self, thread: usize, part: Part, other: usize) -> &[Part] {
        &self.on[thread][self.number(thread, part)][other]
    }

    /// The thread's own stores, by number, that may have to arrive before a part of it.
    pub fn needs(&self, thread: usize, part: Part) -> &[usize] {
        &self.needs[thread][self.number(thread, part)]
    }
}

/// By part of a thread: all that it may do, and the own stores that may have to arrive before. A step belongs to all
/// segments from which control may get to it.
fn parts(
    bounded: &Bounded<'_>,
    thread: usize,
    points: &Points,
    interference: &Interference,
) -> Vec<(Effects, Vec<usize>)> {
    let model = bounded.program.memory_model;
    let mut parts = vec![(Effects::default(), Vec::new()); points.count];
    let blocks = &bounded.threads[thread].blocks;
    let mut entries: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    entries[0].push(0);
    for (block, body) in blocks {
        let mut current = std::mem::take(&mut entries[block.index()]);
        for (step, this) in body.steps.iter().enumerate() {
            if let Some(point) = points.at(block, step) {
                current = vec![point];
            }
            let accesses = interference.accesses(thread, block, step);
            let stays = effect(model, &this.op) == BufferEffect::None && store_rule(model, &this.op).is_none();
            let needs = if stays { &[] } else { interference.waiting(thread, block, step) };
            for point in &current {
                let (effects, own) = &mut parts[*point];
                effects.add(&this.op, accesses);
                let new: Vec<usize> = needs.iter().copied().filter(|store| !own.contains(store)).collect();
                own.extend(new);
            }
        }
        for to in body.term.successors() {
            for point in &current {
                if !entries[to.index()].contains(point) {
                    entries[to.index()].push(*point);
                }
            }
        }
    }
    parts.extend(interference.buffered(thread).iter().map(|store| {
        let accesses = interference.accesses(thread, store.block, store.step).iter().filter(|access| access.write);
        let effects = Effects { accesses: accesses.copied().collect(), ..Effects::default() };
        (effects, interference.waiting(thread, store.block, store.step).to_vec())
    }));
    parts
}
