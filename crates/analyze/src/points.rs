//! Context-switch points: where a thread may be interrupted.
//!
//! Points are needed only before steps that another thread can observe, and never inside an atomic section. A
//! thread's points are numbered in the order of its code. The steps from one point to the next
//! run in one turn; the first point is the thread's beginning, and the first observable step needs no point
//! of its own, unless the thread has created another one before it, for which it must be able to wait, or has
//! been given an input, which it keeps while it waits. (In main it always has one: the part of main before it comes
//! first in every run, which keeps formulas small.)
//!
//! A section is a point if something in it can be observed, or if it can block: then everything before it
//! must be possible without it. Before main creates its first thread it is alone, and needs no points.
//!
//! A round-robin schedule gives every thread one turn a round, in the order of [`turns`].

use crate::Interference;
use hashbrown::HashSet;
use selvedge_bound::{BlockId, Bounded, StepOp, Thread};
use selvedge_program::{EntityRef, Intrinsic, Op, Operand};
use std::cmp::Reverse;

/// The kind of atomic section that a step is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inside {
    #[default]
    Nothing,
    /// A section that begins with a point: the thread can wait before it.
    Section,
    /// A section that runs together with the steps before it.
    HiddenSection,
}

/// The points of one thread.
pub struct Points {
    /// For each block and step the point right before it.
    at: Vec<Vec<Option<u32>>>,
    /// For each block and step the kind of section that it is in before it is executed.
    inside: Vec<Vec<Inside>>,
    /// The beginnings of outermost sections.
    outermost: HashSet<(BlockId, usize)>,
    /// Declarations of awaited threads in nested sections.
    nested: HashSet<(BlockId, usize)>,
    pub count: usize,
}

/// The number of points of all threads together.
pub fn total(points: &[Points]) -> u64 {
    points.iter().map(|points| points.count as u64).sum()
}

impl Points {
    pub fn of_all(bounded: &Bounded<'_>, interference: &Interference) -> Vec<Points> {
        (0..bounded.threads.len()).map(|thread| Points::new(bounded, thread, interference)).collect()
    }

    fn new(bounded: &Bounded<'_>, number: usize, interference: &Interference) -> Points {
        let thread = &bounded.threads[number];
        let started = started_before(thread);
        let (outermost, nested) = (HashSet::new(), HashSet::new());
        let mut points = Points { at: Vec::new(), inside: Vec::new(), outermost, nested, count: 1 };
        let mut first = number != 0;
        let mut entries: Vec<Option<(u32, Inside)>> = vec![None; thread.blocks.len()];
        entries[0] = Some((0, Inside::Nothing));
        for (block, body) in &thread.blocks {
            let (mut depth, mut inside) = entries[block.index()].unwrap_or_default();
            let (mut at, mut insides) = (Vec::new(), Vec::new());
            for (step, this) in body.steps.iter().enumerate() {
                let begins = this.op.is(Intrinsic::AtomicBegin);
                let alone = number == 0 && !started[block.index()][step].spawned;
                let noticed = match begins {
                    true => interference.section_visible(number, block, step),
                    false => interference.visible(number, block, step),
                };
                let is_point = depth == 0 && !alone && noticed;
                first &= !started[block.index()][step].busy;
                at.push((is_point && !first).then_some(points.count as u32));
                points.count += usize::from(is_point && !first);
                first &= !is_point;
                if depth == 0 && begins {
                    points.outermost.insert((block, step));
                    inside = if is_point { Inside::Section } else { Inside::HiddenSection };
                }
                if depth > 1 && this.op.is(Intrinsic::WaitsFor) {
                    points.nested.insert((block, step));
                }
                insides.push(inside);
                depth = this.op.nesting(depth);
                if depth == 0 {
                    inside = Inside::Nothing;
                }
            }
            insides.push(inside);
            points.at.push(at);
            points.inside.push(insides);
            for to in body.term.successors() {
                let entry = &mut entries[to.index()];
                // Where paths of different nesting meet, the least counts: a superfluous point does no harm.
                *entry =
                    Some(entry.map_or((depth, inside), |known| if known.0 <= depth { known } else { (depth, inside) }));
            }
        }
        points
    }

    pub fn at(&self, block: BlockId, step: usize) -> Option<usize> {
        self.at[block.index()][step].map(|point| point as usize)
    }

    pub fn is_outermost(&self, block: BlockId, step: usize) -> bool {
        self.outermost.contains(&(block, step))
    }

    /// Whether the declaration of an awaited thread at this step is in a nested section.
    pub fn is_nested(&self, block: BlockId, step: usize) -> bool {
        self.nested.contains(&(block, step))
    }

    pub fn inside(&self, block: BlockId, step: usize) -> Inside {
        self.inside[block.index()][step]
    }
}

/// The actions that a thread may have taken so far.
#[derive(Clone, Copy, Default)]
struct Started {
    /// It may have created another thread.
    spawned: bool,
    /// It may have created a thread or been given an input.
    busy: bool,
}

/// For each block and step the actions that may have happened before.
fn started_before(thread: &Thread) -> Vec<Vec<Started>> {
    let mut entries = vec![Started::default(); thread.blocks.len()];
    let mut all = Vec::new();
    for (block, body) in &thread.blocks {
        let mut started = entries[block.index()];
        let mut steps = Vec::new();
        for step in &body.steps {
            steps.push(started);
            started.spawned |= matches!(step.op, StepOp::Spawn { .. });
            started.busy |= started.spawned || matches!(step.op, StepOp::Plain(Op::Nondet { .. }));
        }
        all.push(steps);
        for to in body.term.successors() {
            let entry = &mut entries[to.index()];
            entry.spawned |= started.spawned;
            entry.busy |= started.busy;
        }
    }
    all
}

/// The order in which threads take their turns within a round: by creator; among the threads that one thread creates,
/// functions with most copies first, so that the odd one out sees their effects; main last.
pub fn turns(bounded: &Bounded<'_>) -> Vec<usize> {
    let mut born: Vec<Birth> = vec![Birth::default(); bounded.threads.len()];
    for (creator, thread) in bounded.threads.iter().enumerate() {
        for step in thread.blocks.values().flat_map(|block| &block.steps) {
            if let StepOp::Spawn { thread, args, .. } = &step.op {
                // The models pass the user's function to a start routine of their own.
                let function = args.iter().copied().find(|arg| matches!(arg, Operand::Func(_)));
                born[*thread] = Birth { creator, function };
            }
        }
    }
    let copies = |thread: usize| born.iter().skip(1).filter(|other| **other == born[thread]).count();
    let mut order: Vec<usize> = (1..bounded.threads.len()).collect();
    order.sort_by_key(|thread| (born[*thread].creator, Reverse(copies(*thread)), *thread));
    order.push(0);
    order
}

/// The creator of a thread, and its function.
#[derive(Clone, Copy, PartialEq, Default)]
struct Birth {
    creator: usize,
    function: Option<Operand>,
}
