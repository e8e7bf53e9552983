//! Instances for the explicit engine: the same tiles, as locations in the program.
//!
//! A tile is a set of points of a bounded thread, and the segment from a point to the next stems from operations of
//! the program. The explicit engine may preempt a thread before these operations, in any iteration, and before
//! operations that the bounded thread never reaches. Threads correspond by number. The engine follows loops to their
//! end, so `--unwind` only determines how finely tiles are cut, and rounds do not matter.

use super::{Backend, Checked, Instance, Runner};
use selvedge_engine::instances::Place;
use selvedge_engine::{Control, Engine, Task};
use selvedge_program::{Coverage, Limit, Program, Reason, Scope};
use selvedge_search::explicit::instances::Instances;
use selvedge_symbolic::lazy::instances::{Allowed, Ground, ThreadPoints};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub struct Explicit<'a> {
    pub program: &'a Program,
    pub task: &'a Task,
    pub ground: &'a Ground<'a>,
}

impl Backend for Explicit<'_> {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn scope(&self) -> Scope {
        Engine::scope(&selvedge_search::explicit::Explicit::ONE)
    }

    fn with_runner(&self, _: usize, control: &Control, work: &mut dyn FnMut(&mut dyn Runner)) -> Result<(), Reason> {
        let instances = Instances::new(self.program, self.task, control)?;
        let places = self.ground.threads().iter().map(points_by_place).collect();
        work(&mut ExplicitRunner { instances, places, preemptions: self.task.bounds.preemptions });
        Ok(())
    }
}

/// For each operation the points of a thread at which segments with that operation begin.
type PointsByPlace = HashMap<Place, Vec<u32>>;

fn points_by_place(thread: &ThreadPoints) -> PointsByPlace {
    let mut places = PointsByPlace::new();
    for (point, segment) in thread.segments.iter().enumerate() {
        for place in segment {
            places.entry(*place).or_default().push(point as u32);
        }
    }
    places
}

struct ExplicitRunner<'a> {
    instances: Instances<'a>,
    places: Vec<PointsByPlace>,
    preemptions: Option<u32>,
}

impl ExplicitRunner<'_> {
    fn may_be_preempted(&self, allowed: &Allowed, thread: usize, place: Place) -> bool {
        let points = self.places[thread].get(&place);
        points.is_none_or(|points| points.iter().any(|point| allowed[thread][*point as usize]))
    }
}

impl Runner for ExplicitRunner<'_> {
    fn run(&mut self, instance: &Instance<'_>, deadline: Option<Instant>) -> Result<Checked, Reason> {
        let may = |thread, place| self.may_be_preempted(&instance.allowed, thread, place);
        let stops = self.instances.stops(self.places.len(), may);
        self.instances.check(&stops, deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())))
    }

    fn limits(&mut self, _stop: &Arc<AtomicBool>, _deadline: Option<Instant>) -> Result<Coverage, Reason> {
        Ok(Coverage::within(self.preemptions.map(|most| Limit::Preemptions { most, of_supersteps: false })))
    }
}
