//! Sequential checkers as engines: the program is bounded, written as sequential C, and given to a tool that
//! knows nothing of threads (Lazy-CSeq, CAV 2014, and its 2.0, TACAS 2017).
//!
//! | module | what it does |
//! |---|---|
//! | [`tools`] | the table of tools: how each is called |
//! | [`answer`], [`klee`] | what a tool said |
//! | [`turns`] | from its counterexample to how far each thread got in each round |
//! | [`instances`] | one file of C after the other, each for a few of the runs: for swarms |
//!
//! A tool is believed as little as any engine. Only the turns of its counterexample are taken; our own formula
//! finds the inputs, and the VM replays it all. If there is no such run, tool and formula disagree, and that is
//! an error with evidence. "Nothing found" counts only if the tool says so; a crash, a kill or silence never, and
//! neither does any answer beside a complaint.

mod answer;
pub mod instances;
mod klee;
#[cfg(test)]
mod tests;
mod tools;
mod turns;

pub use tools::Tool;

use crate::IntervalSource;
use crate::process::{self, Ended, Trouble};
use answer::{Answer, Claim};
use selvedge_analyze::points;
use selvedge_bound::{BlockId, Bounded, Refusal, Step, StepOp};
use selvedge_engine::{Control, Engine, Level, Outcome, Progress, Task};
use selvedge_program::Statistics;
use selvedge_program::{
    Bounds, Coverage, Cuts, DataModel, Finding, Limit, Op, Program, Properties, Property, Reason, Scope, Violation,
};
use selvedge_symbolic::bounding::{best_so_far, bound_for, cuts_of, unwindings};
use selvedge_symbolic::lazy::instances::Allowed;
use selvedge_symbolic::lazy::{Stop, capacity_limit, counterexample_from_turns};
use selvedge_to_c::{Facts, Options, Sequential, Style, reaching, sequentialize};
use std::ffi::OsString;
use std::time::Instant;
use tools::Question;

/// The engine.
#[derive(Clone, Debug)]
pub struct Outside {
    pub tool: Tool,
    pub style: Style,
    pub intervals: IntervalSource,
}

/// Writes a bounded program, for so many rounds.
type Emit<'a> = &'a dyn Fn(&Facts<'_>, u32) -> Result<Sequential, Reason>;

impl Engine for Outside {
    fn name(&self) -> &'static str {
        self.tool.name()
    }

    fn scope(&self) -> Scope {
        Scope { properties: self.tool.dialect().properties(), store_buffers: true, ..Scope::STEPS }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let (style, backend, properties) = (self.style, self.tool.dialect(), task.properties);
        let store_buffer = task.bounds.store_buffer;
        let emit = |facts: &Facts<'_>, rounds| {
            let intervals = self.intervals.compute(facts, rounds, control)?;
            let options = Options { rounds, style, backend, properties, store_buffer };
            sequentialize(facts.bounded, facts, intervals.as_ref(), &options)
        };
        self.check_with(program, task, control, &emit)
    }
}

impl Outside {
    /// In the newer style, with our own intervals.
    pub fn new(tool: Tool) -> Outside {
        Outside { tool, style: Style::Tacas17, intervals: IntervalSource::default() }
    }

    fn check_with(&self, program: &Program, task: &Task, control: &Control, emit: Emit<'_>) -> Outcome {
        Outcome::of(self.name(), |statistics| {
            Search { engine: self, program, task, control, version: 0, statistics }.run(emit)
        })
    }
}

struct Search<'a> {
    engine: &'a Outside,
    program: &'a Program,
    task: &'a Task,
    control: &'a Control,
    /// The tool's version, where it matters; else 0.
    version: u32,
    statistics: &'a mut Statistics,
}

/// The tool's answer within one pair of bounds.
struct Asked {
    answer: Answer,
    output: String,
}

/// The runs that are searched.
struct Within<'a, 'p> {
    bounded: &'a Bounded<'p>,
    level: Level,
    /// The points where threads may stop; `None`: all.
    allowed: Option<&'a Allowed>,
}

enum Found {
    /// A violation, what the tool takes for one, or what we do not follow; and the turns that it tells of.
    Something {
        finding: Finding,
        stops: Vec<Stop>,
    },
    Nothing,
}

impl Asked {
    /// A violation that the tool found; one that is not a limit of ours, if there is any.
    fn worst(&self) -> Option<&Claim> {
        let Answer::Wrong(all) = &self.answer else { return None };
        all.iter().find(|found| found.unsupported().is_none()).or(all.first())
    }
}

impl Search<'_> {
    /// Deeper and deeper, until something is found or no bound bites any more.
    fn run(&mut self, emit: Emit<'_>) -> Result<Finding, Reason> {
        self.version = self.ask_version()?;
        let mut last = None;
        for (unwind, trip_count) in unwindings(&self.task.bounds) {
            let level = Level { unwind, rounds: self.task.bounds.rounds.unwrap_or(unwind + 1) };
            let (finding, cut) = match self.level(level, trip_count, emit) {
                Ok(found) => found,
                Err(reason) => return best_so_far(last, reason),
            };
            if !cut || matches!(finding, Finding::Violation { .. } | Finding::Unfollowed { .. }) {
                return Ok(finding);
            }
            last = Some(finding);
        }
        Ok(last.unwrap_or(Finding::NoneWithin(Coverage::default())))
    }

    /// The finding within these bounds, and whether deeper ones may show more.
    fn level(&mut self, level: Level, trip_count: u32, emit: Emit<'_>) -> Result<(Finding, bool), Reason> {
        let bounded =
            match bound_for(self.program, &self.task.bounds, level.unwind, trip_count, &|| self.control.is_over()) {
                Err(Refusal::Stopped) => return Err(self.stopped(level)),
                bounded => bounded?,
            };
        let facts = Facts::new(&bounded, self.task.properties);
        self.statistics.switch_points = points::total(&facts.points);
        let emitted = emit(&facts, level.rounds)?;
        let finding = match self.find(&Within { bounded: &bounded, level, allowed: None }, &emitted)? {
            Found::Something { finding, .. } => finding,
            Found::Nothing => {
                let coverage = Search::coverage(&facts, &emitted, level, &self.task.bounds);
                match self.is_anything_checked(&facts, &emitted, level)? {
                    true => Finding::NoneWithin(coverage),
                    false => Finding::GaveUp(Reason::NothingChecked { within: Box::new(coverage) }),
                }
            }
        };
        Ok((finding, emitted.cuts))
    }

    /// The violation that the tool finds in an emitted program, if any.
    fn find(&mut self, within: &Within<'_, '_>, emitted: &Sequential) -> Result<Found, Reason> {
        let mut asked = self.ask(&emitted.text, within.level, false)?;
        if asked.worst().is_some_and(|found| found.unsupported().is_some()) {
            // Something else may be wrong too, and that counts more.
            asked = self.ask(&emitted.text, within.level, true)?;
        }
        match asked.worst() {
            Some(found) => match found.unsupported() {
                Some(what) => Ok(Found::Something { finding: Finding::GaveUp(unsupported(what)), stops: Vec::new() }),
                None => self.counterexample(within, found, emitted, &asked.output),
            },
            None => Ok(Found::Nothing),
        }
    }

    /// Does some run reach something that is checked?
    fn is_anything_checked(&mut self, facts: &Facts<'_>, emitted: &Sequential, level: Level) -> Result<bool, Reason> {
        if self.checks_everywhere(facts.bounded) || proves_something(facts) {
            return Ok(true);
        }
        Ok(matches!(self.ask(&reaching(&emitted.text), level, false)?.answer, Answer::Wrong(_)))
    }

    /// Whatever a run does: it accesses memory, or at least might wait for ever.
    fn checks_everywhere(&self, bounded: &Bounded<'_>) -> bool {
        let properties = self.task.properties;
        properties.contains(Property::Deadlock)
            || properties.contains(Property::Memory) && bounded_steps(bounded).any(uses_memory)
    }

    /// The limits are named as by the lazy engine, but whether some run needs more rounds is not asked.
    fn coverage(facts: &Facts<'_>, emitted: &Sequential, Level { unwind, rounds }: Level, bounds: &Bounds) -> Coverage {
        let unwound = Limit::Unwind { iterations: unwind, cuts: Cuts::any(emitted.cuts) };
        let full = capacity_limit(facts, bounds.store_buffer);
        let coverage = Coverage::within([unwound, Limit::Rounds(rounds)].into_iter().chain(full));
        let cuts_at = if emitted.cuts { cuts_of(facts.bounded) } else { Vec::new() };
        Coverage { cuts_at, ..coverage.with_threads(facts.bounded.threads.len()) }
    }

    /// Turns the tool's counterexample into a schedule.
    fn counterexample(
        &self,
        within: &Within<'_, '_>,
        found: &Claim,
        emitted: &Sequential,
        output: &str,
    ) -> Result<Found, Reason> {
        let Within { bounded, level, allowed } = *within;
        let stops = turns::turns(&found.values, &points::turns(bounded));
        if stops.is_empty() && bounded.threads.len() > 1 {
            let name = self.engine.name();
            return Err(Reason::Limit(format!("{name} finds `{}`, but does not say in which run", found.property)));
        }
        let follow = |task: &Task| {
            let follow = |rounds: u32| counterexample_from_turns(bounded, task, rounds, &stops, allowed, self.control);
            match follow(level.rounds)? {
                // The probed thread may fail rather than block; that violation belongs to the next round.
                None if task.properties.contains(Property::Deadlock) => follow(level.rounds + 1),
                followed => Ok(followed),
            }
        };
        let followed = follow(self.task)?;
        if followed.is_none() && !self.task.properties.contains(Property::Memory) {
            // Our runs end where memory is misused; in the emitted program, freed memory is still there.
            let with_memory = Task { properties: self.task.properties.with(Property::Memory), ..self.task.clone() };
            if let Some(own) = follow(&with_memory)?
                && own.violation.property == Property::Memory
            {
                return Err(self.goes_on_behind(&own.violation, &found.property));
            }
        }
        let finding = match followed {
            Some(found) => found.into(),
            None => Finding::Unfollowed {
                found_by: self.engine.tool.name(),
                claim: found.property.clone(),
                evidence: vec![
                    ("program", emitted.text.clone()),
                    ("output", output.to_string()),
                    ("turns", format!("{stops:?}")),
                ],
            },
        };
        Ok(Found::Something { finding, stops })
    }

    /// The tool's run misuses memory before it gets to its claim.
    fn goes_on_behind(&self, violation: &Violation, claim: &str) -> Reason {
        let (name, at) = (self.engine.name(), self.program.source.describe(violation.loc));
        Reason::Limit(format!("{name} finds `{claim}` behind a misuse of memory at {at}, which is not checked for"))
    }

    fn ask(&mut self, text: &str, level: Level, all: bool) -> Result<Asked, Reason> {
        let cannot = |error: std::io::Error| Reason::Limit(format!("cannot write a program for the checker: {error}"));
        let folder = tempfile::Builder::new().prefix("selvedge-").tempdir().map_err(cannot)?;
        let (file, out) = tools::places(folder.path());
        std::fs::write(&file, text).map_err(cannot)?;
        let wide = self.program.data_model == DataModel::Lp64;
        let (version, properties) = (self.version, self.task.properties);
        let style = self.engine.style;
        let question = Question { file: &file, folder: &out, properties, style, wide, version, all };
        let ended = self.run_tool(&self.engine.tool.words(&question), Some(level))?;
        let answer = self.engine.tool.answer(&ended, &question).map_err(|reason| match ended.ran_out_of_memory() {
            true => process::out_of_memory(self.control).unwrap_or(reason),
            false => reason,
        })?;
        Ok(Asked { answer, output: ended.output })
    }

    fn ask_version(&mut self) -> Result<u32, Reason> {
        let Some(words) = self.engine.tool.asks_version() else { return Ok(0) };
        let ended = self.run_tool(&words, None)?;
        ended.output.lines().find_map(tools::first_number).ok_or_else(|| {
            Reason::Limit(format!("{} does not report its version: {}", self.engine.tool.name(), ended.last_words))
        })
    }

    fn run_tool(&mut self, words: &[OsString], level: Option<Level>) -> Result<Ended, Reason> {
        let started = Instant::now();
        let mut progress = Progress { level, ..Progress::default() };
        let mut heard = |line: &str| {
            if let Some((variables, clauses)) = answer::size(line) {
                progress.variables = progress.variables.max(variables);
                progress.clauses = progress.clauses.max(clauses);
            }
            progress.status = line.trim().to_string();
            progress.clone()
        };
        let ended = process::run(words, self.control, &mut heard);
        self.statistics.variables = self.statistics.variables.max(progress.variables);
        self.statistics.clauses = self.statistics.clauses.max(progress.clauses);
        self.statistics.outside_seconds += started.elapsed().as_secs_f64();
        ended.map_err(|trouble| match trouble {
            Trouble::NotInstalled => Reason::Limit(self.engine.tool.is_missing()),
            Trouble::Why(reason) => reason,
        })
    }

    fn stopped(&self, level: Level) -> Reason {
        let progress = Progress { level: Some(level), ..Progress::default() };
        self.control.should_stop(&progress).unwrap_or(Reason::Interrupted)
    }
}

fn bounded_steps<'b>(bounded: &'b Bounded<'_>) -> impl Iterator<Item = &'b StepOp> {
    let blocks = bounded.threads.iter().flat_map(|thread| thread.blocks.values());
    blocks.flat_map(|block| &block.steps).map(|step| &step.op)
}

/// Has an analysis proved a check, so that it is not in the translation?
fn proves_something(facts: &Facts<'_>) -> bool {
    let reports = |step: &Step| may_report(&step.op, facts.properties);
    facts.bounded.threads.iter().enumerate().any(|(thread, body)| {
        let is_live = |block: BlockId, step: usize| facts.interference.is_live(thread, block, step);
        let is_proved = |to: &BlockId| !is_live(*to, 0) && body.blocks[*to].steps.iter().any(reports);
        body.blocks
            .iter()
            .filter(|(id, block)| is_live(*id, block.steps.len()))
            .any(|(_, block)| block.proved.overlap(facts.properties) || block.term.successors().iter().any(is_proved))
    })
}

fn uses_memory(op: &StepOp) -> bool {
    matches!(op, StepOp::Plain(op) if op.checks().contains(Property::Memory))
}

fn may_report(op: &StepOp, properties: Properties) -> bool {
    matches!(op, StepOp::Plain(Op::Violation { property, .. }) if properties.contains(*property))
}

/// `longjmp at a.c:13`.
fn unsupported(text: &str) -> Reason {
    let (what, at) = text.rsplit_once(" at ").unwrap_or((text, "an unknown place"));
    Reason::Unsupported { what: what.to_string(), at: at.to_string() }
}
