//! Forks of segments: blocks from which ways lead to different points, and those that may wait for another thread. One
//! pass backwards.

use hashbrown::{HashMap, HashSet};
use selvedge_analyze::liveness::live_at;
use selvedge_analyze::points::Points;
use selvedge_bound::{BlockId, StepOp, Thread};
use selvedge_program::{EntityRef, Intrinsic, Reg};

/// Facts about a thread's segments that are known beforehand.
pub(super) struct Forks {
    /// By block: do the ways out of it lead to different points?
    pub forks: Vec<bool>,
    /// By point: the registers that matter there.
    pub live: HashMap<(BlockId, usize), Vec<Reg>>,
    /// The points, and the beginning, behind which a section says whom it waits for.
    pub waits: HashSet<(BlockId, usize)>,
}

/// The points, or the end, that a way may lead to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextStops {
    Nothing,
    One((BlockId, usize)),
    Many,
}

/// No step has this number.
const END: usize = usize::MAX;

impl NextStops {
    fn or(self, other: NextStops) -> NextStops {
        match (self, other) {
            (NextStops::Nothing, ahead) | (ahead, NextStops::Nothing) => ahead,
            (one, other) if one == other => one,
            _ => NextStops::Many,
        }
    }
}

impl Forks {
    pub fn new(thread: &Thread, points: &Points, live_in: &[Vec<Reg>]) -> Forks {
        let mut ahead = vec![NextStops::Nothing; thread.blocks.len()];
        let (forks, live, waits) = (vec![false; thread.blocks.len()], HashMap::new(), HashSet::new());
        let mut segments = Forks { forks, live, waits };
        let mut waits_ahead = vec![false; thread.blocks.len()];
        for (block, body) in thread.blocks.iter().rev() {
            let out = body.term.successors().iter().fold(NextStops::Nothing, |all, to| all.or(ahead[to.index()]));
            segments.forks[block.index()] = out == NextStops::Many;
            let first = body.steps.iter().enumerate().find_map(|(step, this)| {
                let is_end = matches!(this.op, StepOp::Finish { .. });
                let end = is_end.then_some((BlockId::new(0), END));
                points.at(block, step).map(|_| (block, step)).or(end).map(NextStops::One)
            });
            ahead[block.index()] = first.unwrap_or(out);
            let at_points = (0..body.steps.len()).filter(|step| points.at(block, *step).is_some());
            for step in at_points {
                segments.live.insert((block, step), live_at(thread, block, step, live_in));
            }
            let mut waits = body.term.successors().iter().any(|to| waits_ahead[to.index()]);
            for (step, this) in body.steps.iter().enumerate().rev() {
                waits |= this.op.is(Intrinsic::WaitsFor);
                let is_point = points.at(block, step).is_some();
                if waits && (is_point || block.index() == 0 && step == 0) {
                    segments.waits.insert((block, step));
                }
                waits &= !is_point;
            }
            waits_ahead[block.index()] = waits;
        }
        segments
    }
}
