//! Few interleavings are enough of all that differ only in the order of independent segments.
//!
//! The usual reductions (sleep sets, persistent sets) are wrong under a bound on context switches: what they keep
//! may need more switches than what they leave out (Musuvathi and Qadeer 2007; Coons, Musuvathi and McKinley,
//! OOPSLA 2013). We take three rearrangements that never add a switch, so that the bound does not matter:
//!
//! 1. A segment that begins a turn and depends on nothing since its thread's last turn joins that turn.
//! 2. Two neighbouring turns that do not depend on each other stand in the order of their threads' numbers.
//! 3. A turn on which nothing depends until its thread's next turn is put off and joins that one.
//!
//! Each makes a run smaller: by the number of its turns, then by the threads that have them, then by how late
//! segments stand. So every class of equivalent runs has one that cannot be made smaller, with as few switches as
//! any of the class; and of the others nothing is followed once it is seen what they are. A run that is over, or
//! stopped by the bound, is one of the others if its last two turns could change places. (Normal forms by left
//! moves: Cartier and Foata 1969; as a reduction, Kahlon, Wang and Gupta, CAV 2009.)
//!
//! A store that waits in a store buffer reaches memory in the turn of the active thread. It does so as early as it
//! can: right behind a segment on which it depends, together with others of which that is true; these stand by their
//! numbers unless one depends on another. That changes no turns, and comes last in the comparison of runs.
//!
//! A deadlock is a state at the end of a run, and is the same at the end of all equivalent ones.

use super::explore::Node;
use crate::lazy::encode::{Footprint, StoreId};

/// The turns at the end of a path.
#[derive(Clone, Copy, Default, Debug)]
pub struct Turns {
    /// The beginning of the last one, and of the one before.
    last: usize,
    before: usize,
    /// By rule 2 the last two would change places, if the last one were over.
    could_change: bool,
}

impl Turns {
    /// After another segment.
    pub fn after(path: &[Node], thread: usize, footprint: &Footprint) -> Turns {
        let Some(end) = path.last() else { return Turns::default() };
        let goes_on = end.active == thread;
        let Turns { last, before, could_change } = end.turns;
        let (last, before) = if goes_on { (last, before) } else { (path.len(), last) };
        let depends = || path[before..last].iter().any(|node| footprint.depends_on(&node.execution.footprint));
        let in_order = if goes_on { !could_change } else { end.active < thread };
        Turns { last, before, could_change: !in_order && !depends() }
    }

    /// Can runs in which the turn ends here be left out?
    pub fn is_redundant(self) -> bool {
        self.could_change
    }
}

/// Can this flush be left out, because it could stand before the last segment, or before the last flush?
pub fn could_be_flushed_earlier(path: &[Node], store: StoreId, footprint: &Footprint) -> bool {
    let depends = |node: &Node| footprint.depends_on(&node.execution.footprint);
    let Some(last) = path.last() else { return false };
    let in_order = last.flushed.is_none_or(|other| other < store) || depends(last);
    let segment = path.iter().rposition(|node| node.flushed.is_none()).unwrap_or(0);
    !in_order || !path[segment..].iter().any(depends)
}

/// Rules 1 and 3, for a thread that begins a turn with such a segment.
pub fn could_be_one_turn(path: &[Node], thread: usize, footprint: &Footprint) -> bool {
    let Some(end) = path.iter().rposition(|node| node.active == thread) else { return false };
    let (before, between) = path.split_at(end + 1);
    let depends = |footprint: &Footprint| between.iter().any(|node| footprint.depends_on(&node.execution.footprint));
    let last_turn = || before.iter().rev().take_while(|node| node.active == thread);
    !depends(footprint) || !last_turn().any(|node| depends(&node.execution.footprint))
}
