//! Engines side by side, the explicit one, the lazy one and the prover: the first definite answer wins.
//!
//! They are good at different things. The explicit engine follows long runs and ends when nothing is left to search;
//! the lazy one does not mind wide inputs and many threads. So neither is asked first: each has a thread of its own,
//! and what one cannot do is left to the other. (Beside the explicit one there is the search by conflicts, if it takes
//! long: [`crate::states`].)
//!
//! The prover says nothing about bugs, and most programs that have any, or are small, are decided at once. So it begins
//! when the others have no answer after [`HEAD_START`], and when they have come to their end without one it gets as
//! long as they took. Its proof covers all runs, but not everything that may be asked: where that is all that is left
//! open, it says more than any bounds do.
//!
//! *Definite* is a violation, or nothing within a coverage that is complete. The other is
//! stopped, and gets a moment to come back. If it has a definite answer by then and the two contradict each other,
//! that is what is returned ([`Finding::Contradiction`]): one of our engines is wrong. If it does not come back, it is
//! left behind, and ends with the process.
//!
//! The explicit engine's counterexamples have the fewest preemptions there are. When the lazy one has
//! one first, the other gets a moment more, so that short searches show the same run every time.

use crate::states::States;
use selvedge_engine::control::{memory_limit, resident_memory};
use selvedge_engine::verdict::confirms;
use selvedge_engine::watchdog::{GRACE, PERIOD, STACK_BYTES};
use selvedge_engine::{Control, Engine, Outcome, Progress, Task};
use selvedge_program::Statistics;
use selvedge_program::{Coverage, Finding, Intrinsic, Limit, Op, Program, Reason, Scope, Violation};
use selvedge_prove::Prove;
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::Explicit;
use selvedge_symbolic::lazy::Lazy;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The wait for a better counterexample: as long as the first took, within these limits.
const MOMENT: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(200)];

/// The time that the others have the cores for themselves.
const HEAD_START: Duration = Duration::from_millis(500);
/// The time that the prover has left when the others have ended; more, if they took longer.
const AFTER: Duration = Duration::from_secs(5);

const EXPLICIT: usize = 0;
const LAZY: usize = 1;
const PROVE: usize = 2;
const SIDES: [usize; 3] = [EXPLICIT, LAZY, PROVE];

/// All engines.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    pub explicit: Explicit,
    /// Search by conflicts only, in place of the explicit search.
    pub by_conflicts: Option<Dpor>,
    pub lazy: Lazy,
    pub prove: Prove,
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    /// Findings of the engines come with their own limits.
    fn scope(&self) -> Scope {
        self.explicit.scope()
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        // Who is told before it begins does not begin: the engines would hear of it only after a moment.
        if let Some(reason) = control.over() {
            return Outcome { finding: Finding::GaveUp(reason), statistics: Statistics::default(), by: self.name() };
        }
        if task.bounds.preemptions.is_some() {
            // The lazy engine does not count them.
            return self.explicit.check(program, task, control);
        }
        let states: Contestant = match self.by_conflicts {
            Some(by_conflicts) => Arc::new(by_conflicts),
            None => Arc::new(States { explicit: self.explicit }),
        };
        side_by_side([states, Arc::new(self.lazy)], Some(Arc::new(self.prove.clone())), program, task, control)
    }
}

type Contestant = Arc<dyn Engine>;
/// The number of an engine, and its outcome or panic.
type Answer = (usize, Result<Outcome, Box<dyn Any + Send>>);

/// The prover begins later, if there is one.
fn side_by_side(
    engines: [Contestant; 2],
    prover: Option<Contestant>,
    program: &Program,
    task: &Task,
    control: &Control,
) -> Outcome {
    let started = Instant::now();
    let view = Arc::new(View::default());
    let controls = SIDES.map(|side| inner(control, &view, side));
    let names = [engines[EXPLICIT].name(), engines[LAZY].name(), "prove"];
    let (sender, answers) = channel();
    let race = Race { program: Arc::new(program.clone()), task: task.clone(), sender };
    for (side, engine) in engines.into_iter().enumerate() {
        race.start(side, engine, &controls[side]);
    }
    let referee = Referee {
        control,
        controls: &controls,
        names,
        view: &view,
        started,
        race,
        outcomes: [None, None, prover.is_none().then(|| not_asked("prove"))],
        prover,
        over: None,
        told: [None; 3],
    };
    let [explicit, lazy, prove] = referee.watch(&answers);
    let interrupted = matches!(control.over(), Some(Reason::Interrupted));
    let findings = [(explicit.by, explicit.finding), (lazy.by, lazy.finding), (prove.by, prove.finding)];
    let (finding, by) = combined(program, task, interrupted, findings);
    let mut statistics = merged(explicit.statistics, lazy.statistics);
    statistics.seconds = started.elapsed().as_secs_f64();
    if matches!(finding, Finding::Violation { .. }) && by != names[EXPLICIT] {
        // The explicit search's progress says nothing about the preemptions of this run.
        statistics.preemptions = None;
    }
    Outcome { finding, statistics, by }
}

/// The input of every contestant.
struct Race {
    program: Arc<Program>,
    task: Task,
    sender: Sender<Answer>,
}

impl Race {
    /// Starts it on a thread of its own, which owns all that it needs because nobody waits for it.
    fn start(&self, side: usize, engine: Contestant, control: &Control) {
        let (to_referee, name) = (self.sender.clone(), engine.name());
        let (program, task, control) = (Arc::clone(&self.program), self.task.clone(), control.clone());
        let run = move || {
            let answer = catch_unwind(AssertUnwindSafe(|| engine.check(&program, &task, &control)));
            // The referee may have gone.
            let _ = to_referee.send((side, answer));
        };
        let thread = std::thread::Builder::new().name(name.to_string()).stack_size(STACK_BYTES);
        if let Err(error) = thread.spawn(run) {
            let _ = self.sender.send((side, Ok(not_started(name, &error))));
        }
    }
}

/// The outcome of an engine that did not have to begin.
fn not_asked(by: &'static str) -> Outcome {
    let finding = Finding::GaveUp(Reason::Limit("it was not asked".to_string()));
    Outcome { finding, statistics: Statistics::default(), by }
}

fn not_started(by: &'static str, error: &std::io::Error) -> Outcome {
    let finding = Finding::GaveUp(Reason::Limit(format!("cannot start a thread: {error}")));
    Outcome { finding, statistics: Statistics::default(), by }
}

/// The limits of the whole, and a stop flag of its own.
fn inner(outer: &Control, view: &Arc<View>, side: usize) -> Control {
    let (view, watcher) = (Arc::clone(view), outer.watcher.clone());
    Control {
        time_limit: outer.time_limit,
        // The referee looks after what all take together; the lazy engine would take it all for its own.
        memory_limit: outer.memory_limit.filter(|_| side == EXPLICIT),
        disk: outer.disk.clone(),
        started: outer.started,
        watcher: Some(Arc::new(move |progress| {
            let all = view.note(side, progress);
            if let Some(watcher) = &watcher {
                watcher(&all);
            }
        })),
        ..Control::default()
    }
}

/// The last progress of every engine.
#[derive(Default)]
struct View {
    latest: Mutex<[Progress; 3]>,
}

impl View {
    /// Records the progress of one side, and returns that of all together.
    fn note(&self, side: usize, progress: &Progress) -> Progress {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest[side] = progress.clone();
        let [explicit, lazy, prove] = &*latest;
        Progress {
            memory: explicit.memory + lazy.memory + prove.memory,
            level: lazy.level,
            variables: lazy.variables,
            clauses: lazy.clauses,
            ..explicit.clone()
        }
    }

    fn of(&self, side: usize) -> Progress {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)[side].clone()
    }
}

/// Decides when it is over.
struct Referee<'a> {
    /// The control of the whole.
    control: &'a Control,
    controls: &'a [Control; 3],
    names: [&'static str; 3],
    view: &'a View,
    started: Instant,
    race: Race,
    outcomes: [Option<Outcome>; 3],
    /// Has not begun yet.
    prover: Option<Contestant>,
    /// When to stop all others: there is a definite answer, or only the prover is left.
    over: Option<Instant>,
    /// When each was told to stop.
    told: [Option<Instant>; 3],
}

impl Referee<'_> {
    /// Waits for all, but only a moment for those that were told to stop. A panic of any is passed on.
    fn watch(mut self, answers: &Receiver<Answer>) -> [Outcome; 3] {
        loop {
            self.look_around();
            self.let_prover_begin();
            self.leave_behind();
            if let [Some(explicit), Some(lazy), Some(prove)] = self.outcomes {
                return [explicit, lazy, prove];
            }
            match answers.recv_timeout(self.pause()) {
                Ok((side, Ok(outcome))) => self.note(side, outcome),
                Ok((_, Err(panic))) => {
                    self.stop_all();
                    resume_unwind(panic);
                }
                Err(_nothing_new) => {}
            }
        }
    }

    fn let_prover_begin(&mut self) {
        let others_ended = self.outcomes[..PROVE].iter().all(Option::is_some);
        if (others_ended || self.started.elapsed() >= HEAD_START)
            && let Some(prover) = self.prover.take()
        {
            self.race.start(PROVE, prover, &self.controls[PROVE]);
        }
        if others_ended && self.over.is_none() {
            self.over = Some(Instant::now() + self.started.elapsed().max(AFTER));
        }
    }

    /// An engine that does not come back has no answer.
    fn leave_behind(&mut self) {
        for side in SIDES {
            if self.told[side].is_some_and(|told| told.elapsed() >= GRACE) {
                let reason = self.controls[side].why_stopped();
                let statistics = self.view.of(side).statistics(self.started);
                let absent = Outcome { finding: Finding::GaveUp(reason), statistics, by: self.names[side] };
                self.outcomes[side].get_or_insert(absent);
            }
        }
    }

    fn pause(&self) -> Duration {
        let left = self.over.map(|over| over.saturating_duration_since(Instant::now()));
        left.filter(|left| !left.is_zero()).map_or(PERIOD, |left| left.min(PERIOD))
    }

    fn note(&mut self, side: usize, outcome: Outcome) {
        if is_definite(&outcome.finding) {
            let better_may_come = side == LAZY && matches!(outcome.finding, Finding::Violation { .. });
            let moment = match better_may_come {
                true => self.started.elapsed().clamp(MOMENT[0], MOMENT[1]),
                false => Duration::ZERO,
            };
            let stop = Instant::now() + moment;
            self.over = Some(self.over.map_or(stop, |over| over.min(stop)));
        }
        self.outcomes[side] = Some(outcome);
    }

    fn look_around(&mut self) {
        let over = self.over.is_some_and(|over| Instant::now() >= over);
        if over || self.control.is_over() {
            self.stop_all();
        }
        if let (Some(limit), Some(used)) = (self.control.memory_limit, resident_memory())
            && used >= limit
        {
            // The explicit engine knows what it takes; most of the rest is the lazy one's.
            let side = match self.view.of(EXPLICIT).memory > used / 2 {
                true => EXPLICIT,
                false if self.outcomes[LAZY].is_none() => LAZY,
                false => PROVE,
            };
            self.stop_side(side, memory_limit(limit));
        }
    }

    fn stop_all(&mut self) {
        let reason = self.control.why_stopped();
        SIDES.into_iter().for_each(|side| self.stop_side(side, reason.clone()));
        if self.prover.take().is_some() {
            self.outcomes[PROVE] = Some(not_asked(self.names[PROVE]));
        }
    }

    fn stop_side(&mut self, side: usize, reason: Reason) {
        self.told[side].get_or_insert_with(Instant::now);
        self.controls[side].stop_for(reason);
    }
}

pub(crate) fn is_definite(finding: &Finding) -> bool {
    match finding {
        Finding::Violation { .. } | Finding::Contradiction { .. } | Finding::Unfollowed { .. } => true,
        Finding::NoneWithin(coverage) => coverage.is_complete(),
        Finding::GaveUp(_) | Finding::NoProof { .. } => false,
    }
}

/// One of the findings, with the engine that it is of.
fn combined(
    program: &Program,
    task: &Task,
    interrupted: bool,
    [explicit, lazy, (prove, third)]: [(&'static str, Finding); 3],
) -> (Finding, &'static str) {
    let (finding, by) = of_searches(program, task, interrupted, [explicit, lazy]);
    match (finding, third) {
        (Finding::Violation { schedule, violation }, Finding::NoneWithin(proved)) if excludes(&proved, &violation) => {
            (Finding::Contradiction { found_by: by, schedule, violation, safe_by: prove }, "auto")
        }
        (finding, _) if is_definite(&finding) => (finding, by),
        (_, third @ Finding::NoProof { .. }) => (third, prove),
        // Whatever was looked for was looked for in all runs.
        (_, Finding::NoneWithin(proved)) if is_about_all_runs(&proved) => (Finding::NoneWithin(proved), prove),
        (finding, _) => (finding, by),
    }
}

fn is_about_all_runs(proved: &Coverage) -> bool {
    proved.limits.iter().all(|limit| matches!(limit, Limit::NotLookedFor(_)))
}

/// Is a proof wrong if there is this violation?
fn excludes(proved: &Coverage, violation: &Violation) -> bool {
    let not_looked_for =
        |limit: &Limit| matches!(limit, Limit::NotLookedFor(property) if *property == violation.property);
    is_about_all_runs(proved) && proved.assumptions.is_empty() && !proved.limits.iter().any(not_looked_for)
}

/// One of two findings, the explicit engine's and the lazy one's, with the engine that it is of.
fn of_searches(
    program: &Program,
    task: &Task,
    interrupted: bool,
    [(explicit, first), (lazy, second)]: [(&'static str, Finding); 2],
) -> (Finding, &'static str) {
    match (first, second) {
        (first @ Finding::Violation { .. }, Finding::Violation { schedule, violation }) => {
            // The first is the nicer one, but an error of ours must not hide behind it.
            match confirms(program, task.properties, &schedule, &violation) {
                true => (first, explicit),
                false => (Finding::Violation { schedule, violation }, lazy),
            }
        }
        (Finding::Violation { schedule, violation }, second) if is_definite(&second) => {
            (Finding::Contradiction { found_by: explicit, schedule, violation, safe_by: lazy }, "auto")
        }
        (first, Finding::Violation { schedule, violation }) if is_definite(&first) => {
            (Finding::Contradiction { found_by: lazy, schedule, violation, safe_by: explicit }, "auto")
        }
        (first, _) if is_definite(&first) => (first, explicit),
        (_, second) if is_definite(&second) => (second, lazy),
        // The bounds of a search say more than those of a formula that loops do not fit into, or no thread at all.
        (first @ Finding::NoneWithin(_), Finding::NoneWithin(second)) if says_little(&second) => (first, explicit),
        // Nothing is known of a program with threads where bounds end all runs before there is one.
        (Finding::GaveUp(first), Finding::NoneWithin(second))
            if first.is_limit_of_search() && second.threads == Some(0) && creates_threads(program) =>
        {
            (Finding::GaveUp(first), explicit)
        }
        // "Nothing within bounds" says less than "nothing at all", but more than no answer.
        (_, second) if !matches!(second, Finding::GaveUp(_)) => (second, lazy),
        (first @ Finding::NoneWithin(_), _) => (first, explicit),
        (Finding::GaveUp(first), Finding::GaveUp(second)) => {
            let (reason, by) = both(interrupted, (explicit, first), (lazy, second));
            (Finding::GaveUp(reason), by)
        }
        (first, _) => (first, explicit),
    }
}

fn creates_threads(program: &Program) -> bool {
    let blocks = program.functions.values().flat_map(|function| function.blocks.values());
    blocks.flat_map(|block| &block.insts).any(|inst| matches!(inst.op, Op::Intrinsic { which: Intrinsic::Spawn, .. }))
}

/// Do bounds on loops end runs, perhaps before there are threads?
fn says_little(within: &Coverage) -> bool {
    within.may_be_cut() || within.threads == Some(0)
}

/// Why neither has an answer.
fn both(
    interrupted: bool,
    (explicit, first): (&'static str, Reason),
    (lazy, second): (&'static str, Reason),
) -> (Reason, &'static str) {
    match &first {
        _ if interrupted => (Reason::Interrupted, "auto"),
        Reason::TimeLimit { .. } | Reason::MemoryLimit { .. } => (first, explicit),
        _ if first == second => (first, "auto"),
        _ => (Reason::Each(vec![(explicit, first), (lazy, second)]), "auto"),
    }
}

/// The numbers of both: states of the one, formulas of the other.
fn merged(explicit: Statistics, lazy: Statistics) -> Statistics {
    Statistics {
        peak_memory: explicit.peak_memory + lazy.peak_memory,
        variables: lazy.variables,
        clauses: lazy.clauses,
        switch_points: lazy.switch_points,
        reductions: lazy.reductions,
        ..explicit
    }
}

#[cfg(test)]
mod tests;
