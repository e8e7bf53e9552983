//! Context-switch points: where a thread may be interrupted.
//!
//! Only before a step that another thread can see, and never inside an atomic section. A thread's
//! points are numbered in the order of its code; a point and everything up to the next one form a
//! segment, which runs within one round. The first visible step has no point of its own: it runs with
//! what comes before it.

use selvedge_analyze::{PointsTo, Shared, shared::accesses};
use selvedge_bound::{Bounded, StepOp, Terminator, Thread};
use selvedge_program::{EntityRef, Intrinsic, Op};

/// Of one thread.
pub struct Points {
    /// By block and step, terminator last: the segment that it belongs to.
    segments: Vec<Vec<u32>>,
    pub count: usize,
}

impl Points {
    pub fn new(bounded: &Bounded<'_>, number: usize, points_to: &PointsTo, shared: &Shared) -> Points {
        let thread = &bounded.threads[number];
        let depths = atomic_depths(thread);
        let mut points = Points { segments: Vec::new(), count: 1 };
        let mut first = true;
        for (block, body) in &thread.blocks {
            let mut depth = depths[block.index()];
            let mut segments = Vec::new();
            for step in &body.steps {
                if depth == 0 && is_visible(bounded, number, &step.op, points_to, shared) {
                    if !first {
                        points.count += 1;
                    }
                    first = false;
                }
                segments.push(points.count as u32 - 1);
                depth = after(depth, &step.op);
            }
            segments.push(points.count as u32 - 1);
            points.segments.push(segments);
        }
        points
    }

    pub fn segment(&self, block: usize, step: usize) -> usize {
        self.segments[block][step] as usize
    }
}

fn after(depth: u32, op: &StepOp) -> u32 {
    match op {
        StepOp::Plain(Op::Intrinsic { which: Intrinsic::AtomicBegin, .. }) => depth + 1,
        StepOp::Plain(Op::Intrinsic { which: Intrinsic::AtomicEnd, .. }) => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The nesting of atomic sections at the start of each block. Where ways with different nesting
/// meet, the least counts: a point too many is no harm.
fn atomic_depths(thread: &Thread) -> Vec<u32> {
    let mut depths = vec![u32::MAX; thread.blocks.len()];
    depths[0] = 0;
    for (block, body) in &thread.blocks {
        let start = depths[block.index()];
        if start == u32::MAX {
            continue;
        }
        let end = body.steps.iter().fold(start, |depth, step| after(depth, &step.op));
        let mut reach = |to: selvedge_bound::BlockId| depths[to.index()] = depths[to.index()].min(end);
        match &body.term {
            Terminator::Jump(to) => reach(*to),
            Terminator::Branch { then, otherwise, .. } => {
                reach(*then);
                reach(*otherwise);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, to)| reach(*to));
                reach(*default);
            }
            Terminator::Cut(_) | Terminator::Stop => {}
        }
    }
    depths
}

fn is_visible(bounded: &Bounded<'_>, thread: usize, op: &StepOp, points_to: &PointsTo, shared: &Shared) -> bool {
    if bounded.threads.len() == 1 {
        return false;
    }
    match op {
        StepOp::Plain(Op::Intrinsic { which, .. })
            if matches!(
                which,
                Intrinsic::AtomicBegin
                    | Intrinsic::BlockUntil
                    | Intrinsic::ProcessExit
                    | Intrinsic::Finished
                    | Intrinsic::PollFinished
            ) =>
        {
            true
        }
        StepOp::End { objects } | StepOp::Finish { objects } => objects.iter().any(|object| shared.is_shared(*object)),
        op => {
            let mut visible = false;
            accesses(op, |operand, _| {
                visible |= points_to.of(thread, operand).objects.iter().any(|object| shared.is_shared(*object));
            });
            visible
        }
    }
}
