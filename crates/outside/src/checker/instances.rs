//! One bounded program, given to a tool again and again: each time threads may stop at some of their points only.
//!
//! For swarms, as VeriSmart has them (Nguyen, Schrammel, Fischer, La Torre, Parlato, ASE 2017): an instance is a
//! file of sequential C, in which a turn may end only where that is allowed or a thread can block, and what is
//! between two such points is one piece. Points have the numbers that they have for the lazy engine.

use super::{Found, Outside, Search, Within};
use selvedge_engine::instances::Checked;
use selvedge_engine::{Control, Level, Task};
use selvedge_program::Statistics;
use selvedge_program::{Coverage, Finding, Reason};
use selvedge_symbolic::lazy::Stop;
use selvedge_symbolic::lazy::instances::{Allowed, Ground};
use selvedge_to_c::{Intervals, Options, Sequential, sequentialize_within};
use std::time::Instant;

pub struct Instances<'g> {
    engine: Outside,
    ground: &'g Ground<'g>,
    task: &'g Task,
    control: &'g Control,
    intervals: Option<Intervals>,
    version: u32,
    /// Where turns ended in the violation that was found last, according to the tool.
    pub stops: Vec<Stop>,
    pub statistics: Statistics,
}

impl<'g> Instances<'g> {
    pub fn new(
        engine: Outside,
        ground: &'g Ground<'g>,
        task: &'g Task,
        control: &'g Control,
    ) -> Result<Instances<'g>, Reason> {
        let intervals = engine.intervals.compute(ground.facts(), ground.rounds, control)?;
        let (stops, statistics) = (Vec::new(), Statistics::default());
        let mut instances = Instances { engine, ground, task, control, intervals, version: 0, stops, statistics };
        instances.version = instances.ask(control, |search| search.ask_version())?;
        Ok(instances)
    }

    /// Looks for a violation in runs that are interrupted only where it is allowed, or where a thread can block.
    pub fn check(&mut self, allowed: &Allowed, deadline: Option<Instant>) -> Result<Checked, Reason> {
        let allowed = self.ground.with_blocking(allowed);
        let emitted = self.emit(&allowed)?;
        let within = Within { bounded: self.ground.facts().bounded, level: self.level(), allowed: Some(&allowed) };
        let control = until(self.control, deadline);
        match self.ask(&control, |search| search.find(&within, &emitted)) {
            Ok(Found::Something { finding: Finding::Violation { schedule, violation }, stops }) => {
                self.stops = stops;
                Ok(Checked::Violation(schedule, violation))
            }
            Ok(Found::Something { finding: Finding::GaveUp(reason), .. }) => Err(reason),
            Ok(Found::Something { finding, .. }) => Ok(Checked::Disagreement(finding)),
            Ok(Found::Nothing) => Ok(Checked::Nothing),
            Err(Reason::TimeLimit { .. }) if !self.control.is_over() => Ok(Checked::TimedOut),
            Err(reason) => Err(reason),
        }
    }

    /// The coverage when nothing was found, if anything is checked in some run.
    pub fn coverage(&mut self, control: &Control) -> Result<Coverage, Reason> {
        let everywhere: Allowed = self.ground.threads().iter().map(|thread| vec![true; thread.count()]).collect();
        let nowhere: Allowed = everywhere.iter().map(|points| vec![false; points.len()]).collect();
        let level = self.level();
        // A check that these few runs reach is reached by all runs together.
        for allowed in [self.ground.with_blocking(&nowhere), everywhere] {
            let emitted = self.emit(&allowed)?;
            let facts = self.ground.facts();
            if self.ask(control, |search| search.is_anything_checked(facts, &emitted, level))? {
                return Ok(self.within(&emitted));
            }
        }
        let within = self.within(&self.emit(&nowhere)?);
        Err(Reason::NothingChecked { within: Box::new(within) })
    }

    fn within(&self, emitted: &Sequential) -> Coverage {
        Search::coverage(self.ground.facts(), emitted, self.level(), &self.task.bounds)
    }

    fn level(&self) -> Level {
        Level { unwind: self.ground.unwind, rounds: self.ground.rounds }
    }

    fn emit(&self, allowed: &Allowed) -> Result<Sequential, Reason> {
        let (style, backend, properties) = (self.engine.style, self.engine.tool.dialect(), self.task.properties);
        let store_buffer = self.task.bounds.store_buffer;
        let options = Options { rounds: self.ground.rounds, style, backend, properties, store_buffer };
        sequentialize_within(self.ground.facts(), self.intervals.as_ref(), &options, allowed)
    }

    /// Has the tool asked something.
    fn ask<T>(&mut self, control: &Control, question: impl FnOnce(&mut Search<'_>) -> T) -> T {
        let mut statistics = Statistics::default();
        let mut search = Search {
            engine: &self.engine,
            program: self.ground.facts().bounded.program,
            task: self.task,
            control,
            version: self.version,
            statistics: &mut statistics,
        };
        let answer = question(&mut search);
        let Statistics { variables, clauses, outside_seconds, .. } = statistics;
        self.statistics.variables = self.statistics.variables.max(variables);
        self.statistics.clauses = self.statistics.clauses.max(clauses);
        self.statistics.outside_seconds += outside_seconds;
        answer
    }
}

/// This control, with its time limited by the deadline.
fn until(outer: &Control, deadline: Option<Instant>) -> Control {
    let limit = deadline.map(|deadline| deadline.saturating_duration_since(outer.started));
    let time_limit = [outer.time_limit, limit].into_iter().flatten().min();
    Control { time_limit, disk: None, watcher: None, ..outer.clone() }
}
