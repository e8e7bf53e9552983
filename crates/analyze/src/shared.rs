//! Which objects two threads may touch, one of them writing.
//!
//! What main does before it first creates a thread cannot meet anything, so it does not count.

use crate::points_to::PointsTo;
use selvedge_bound::{Bounded, StepOp};
use selvedge_program::{EntityRef, GlobalId, Intrinsic, Op, Operand};

/// Who touches an object.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    /// The thread, if only one does.
    reader: Option<usize>,
    writer: Option<usize>,
    several: bool,
    written: bool,
}

pub struct Shared {
    shared: Vec<bool>,
}

impl Shared {
    pub fn new(bounded: &Bounded<'_>, points_to: &PointsTo) -> Shared {
        let mut uses = vec![Use::default(); bounded.objects.len()];
        for (number, thread) in bounded.threads.iter().enumerate() {
            let mut alone = number == 0;
            for block in thread.blocks.values() {
                for step in &block.steps {
                    alone &= !matches!(step.op, StepOp::Spawn { .. });
                    if alone {
                        continue;
                    }
                    accesses(&step.op, |operand, write| {
                        for object in &points_to.of(number, operand).objects {
                            note(&mut uses[object.index()], number, write);
                        }
                    });
                    if let StepOp::End { objects } | StepOp::Finish { objects } = &step.op {
                        objects.iter().for_each(|object| note(&mut uses[object.index()], number, true));
                    }
                }
            }
        }
        Shared { shared: uses.iter().map(|u| u.several && u.written).collect() }
    }

    pub fn is_shared(&self, object: GlobalId) -> bool {
        self.shared[object.index()]
    }

    pub fn count(&self) -> usize {
        self.shared.iter().filter(|shared| **shared).count()
    }
}

fn note(used: &mut Use, thread: usize, write: bool) {
    let other = |known: Option<usize>| known.is_some_and(|known| known != thread);
    used.several |= other(used.reader) || other(used.writer);
    used.written |= write;
    let slot = if write { &mut used.writer } else { &mut used.reader };
    *slot = Some(thread);
}

/// The addresses that a step reads from (false) and writes to (true).
pub fn accesses(op: &StepOp, mut visit: impl FnMut(Operand, bool)) {
    let StepOp::Plain(op) = op else { return };
    match op {
        Op::Load { addr, .. } => visit(*addr, false),
        Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CmpXchg { addr, .. } => visit(*addr, true),
        Op::MemCopy { dst, src, .. } => {
            visit(*src, false);
            visit(*dst, true);
        }
        Op::MemSet { dst, .. } => visit(*dst, true),
        Op::Intrinsic { which: Intrinsic::Free | Intrinsic::CheckWrite, args, .. } => visit(args[0], true),
        Op::Intrinsic { which: Intrinsic::CheckRead, args, .. } => visit(args[0], false),
        _ => {}
    }
}
