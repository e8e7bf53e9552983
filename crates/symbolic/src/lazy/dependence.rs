//! Which segments of different threads cannot be exchanged.
//!
//! A segment is what runs from one context-switch point to the next. Two of them depend on each other if
//! one may write what the other touches, or if one asks about the beginning or the end of a thread and the
//! other brings it about. Locks need no special treatment: they are memory.

use hashbrown::HashMap;
use selvedge_analyze::{Access, Interference, Points};
use selvedge_bound::{Bounded, StepOp};
use selvedge_program::{EntityRef, Op, Purpose};

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

/// By thread and point, by other thread: the points there that begin a segment it depends on.
pub struct Dependence {
    on: Vec<Vec<Vec<Vec<u32>>>>,
}

impl Dependence {
    pub fn new(bounded: &Bounded<'_>, points: &[Points], interference: &Interference) -> Dependence {
        let effects: Vec<Vec<Effects>> =
            (0..bounded.threads.len()).map(|thread| segments(bounded, thread, &points[thread], interference)).collect();
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
                    of_point.push(others.map(|j| j as u32).collect());
                }
                of_thread.push(of_point);
            }
            on.push(of_thread);
        }
        Dependence { on }
    }

    /// The segments of `other` on which segment `point` of `thread` depends.
    pub fn on(&self, thread: usize, point: usize, other: usize) -> &[u32] {
        &self.on[thread][point][other]
    }
}

/// By segment of a thread: all that it may do. A step belongs to all segments from which control may get to it.
fn segments(bounded: &Bounded<'_>, thread: usize, points: &Points, interference: &Interference) -> Vec<Effects> {
    let mut effects = vec![Effects::default(); points.count];
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
            current.iter().for_each(|point| effects[*point].add(&this.op, accesses));
        }
        for to in body.term.successors() {
            for point in &current {
                if !entries[to.index()].contains(point) {
                    entries[to.index()].push(*point);
                }
            }
        }
    }
    effects
}
