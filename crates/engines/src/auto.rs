//! Two engines side by side, the explicit one and the lazy one: the first definite answer wins.
//!
//! They are good at different things. The explicit engine follows long runs and ends when nothing is
//! left to search; the lazy one does not mind wide inputs and many threads. So neither is asked first:
//! each has a thread of its own, and what one cannot do is left to the other.
//!
//! *Definite* is a violation, or nothing within a coverage that is complete. Whoever comes second is
//! stopped and waited for. If it has a definite answer by then and the two contradict each other, that
//! is what is returned ([`Finding::Contradiction`]): one of our engines is wrong.
//!
//! The explicit engine's counterexamples have the fewest preemptions there are. When the lazy one has
//! one first, the other gets a moment more, so that short searches show the same run every time.

use crate::control::{memory_limit, resident_memory};
use crate::explicit::Explicit;
use crate::judge::confirms;
use crate::lazy::Lazy;
use crate::{Control, Engine, Outcome, Progress, Statistics, Task};
use selvedge_program::{Finding, Program, Reason};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Formulas are deep, and so is the recursion over them.
const STACK_BYTES: usize = 512 << 20;
/// How long an interrupt may go unnoticed.
const PERIOD: Duration = Duration::from_millis(20);
/// How long to wait for a better counterexample: as long as the first took, within these limits.
const MOMENT: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(200)];

const EXPLICIT: usize = 0;
const LAZY: usize = 1;

/// Both engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auto(pub Explicit);

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn check(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        let explicit = self.0;
        if task.bounds.preemptions.is_some() {
            // The lazy engine does not count them.
            return explicit.check(program, task, control);
        }
        side_by_side([&explicit, &Lazy], program, task, control)
    }
}

type Contestant<'a> = &'a (dyn Engine + Sync);
/// By whom, and what: an outcome or a panic.
type Answer = (usize, Result<Outcome, Box<dyn Any + Send>>);

fn side_by_side(engines: [Contestant<'_>; 2], program: &Program, task: &Task, control: &Control) -> Outcome {
    let started = Instant::now();
    let view = Arc::new(View::default());
    let controls = [EXPLICIT, LAZY].map(|side| inner(control, &view, side));
    let outcomes = std::thread::scope(|scope| {
        let (sender, answers) = channel();
        for (side, (engine, control)) in engines.into_iter().zip(&controls).enumerate() {
            let to_referee = sender.clone();
            let run = move || {
                let answer = catch_unwind(AssertUnwindSafe(|| engine.check(program, task, control)));
                // The referee stays until both have answered.
                let _ = to_referee.send((side, answer));
            };
            let thread = std::thread::Builder::new().name(engine.name().to_string()).stack_size(STACK_BYTES);
            if let Err(error) = thread.spawn_scoped(scope, run) {
                let _ = sender.send((side, Ok(not_started(engine, &error))));
            }
        }
        let referee = Referee {
            control,
            controls: &controls,
            view: &view,
            started,
            outcomes: [None, None],
            starved: [false; 2],
            over: None,
        };
        referee.watch(&answers)
    });
    let interrupted = control.stop.load(Ordering::Relaxed);
    let [explicit, lazy] = outcomes;
    let findings = [(explicit.by, explicit.finding), (lazy.by, lazy.finding)];
    let (finding, by) = combined(program, task, interrupted, findings);
    let mut statistics = merged(explicit.statistics, lazy.statistics);
    statistics.seconds = started.elapsed().as_secs_f64();
    if matches!(finding, Finding::Violation { .. }) && by != engines[EXPLICIT].name() {
        // How far the explicit search got is not how many preemptions this run has.
        statistics.preemptions = None;
    }
    Outcome { finding, statistics, by }
}

fn not_started(engine: Contestant<'_>, error: &std::io::Error) -> Outcome {
    let finding = Finding::GaveUp(Reason::Limit(format!("cannot start a thread: {error}")));
    Outcome { finding, statistics: Statistics::default(), by: engine.name() }
}

/// The limits of the whole, and a stop flag of its own.
fn inner(outer: &Control, view: &Arc<View>, side: usize) -> Control {
    let (view, watcher) = (Arc::clone(view), outer.watcher.clone());
    Control {
        time_limit: outer.time_limit,
        // The referee looks after what both take together; the lazy engine would take it all for its own.
        memory_limit: outer.memory_limit.filter(|_| side == EXPLICIT),
        disk: outer.disk.clone(),
        started: outer.started,
        watcher: Some(Arc::new(move |progress| {
            let both = view.note(side, progress);
            if let Some(watcher) = &watcher {
                watcher(&both);
            }
        })),
        ..Control::default()
    }
}

/// What both engines told last.
#[derive(Default)]
struct View {
    latest: Mutex<[Progress; 2]>,
}

impl View {
    /// Takes note of one side's, and has both in one.
    fn note(&self, side: usize, progress: &Progress) -> Progress {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest[side] = progress.clone();
        let [explicit, lazy] = &*latest;
        Progress {
            memory: explicit.memory + lazy.memory,
            level: lazy.level,
            variables: lazy.variables,
            clauses: lazy.clauses,
            ..explicit.clone()
        }
    }

    /// Bytes that the explicit engine counted.
    fn explicit_memory(&self) -> u64 {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)[EXPLICIT].memory
    }
}

/// Who decides when it is over.
struct Referee<'a> {
    /// Of the whole.
    control: &'a Control,
    controls: &'a [Control; 2],
    view: &'a View,
    started: Instant,
    outcomes: [Option<Outcome>; 2],
    /// Stopped because memory was short.
    starved: [bool; 2],
    /// There is a definite answer: when to stop the other engine.
    over: Option<Instant>,
}

impl Referee<'_> {
    /// Waits for both. A panic of either is passed on.
    fn watch(mut self, answers: &Receiver<Answer>) -> [Outcome; 2] {
        loop {
            match self.outcomes {
                [Some(explicit), Some(lazy)] => return [explicit, lazy],
                _ => self.look_around(),
            }
            match answers.recv_timeout(self.pause()) {
                Ok((side, Ok(outcome))) => self.note(side, outcome),
                Ok((_, Err(panic))) => {
                    self.stop_both();
                    resume_unwind(panic);
                }
                Err(_nothing_new) => {}
            }
        }
    }

    fn pause(&self) -> Duration {
        let left = self.over.map(|over| over.saturating_duration_since(Instant::now()));
        left.filter(|left| !left.is_zero()).map_or(PERIOD, |left| left.min(PERIOD))
    }

    fn note(&mut self, side: usize, mut outcome: Outcome) {
        if let (true, Finding::GaveUp(reason @ Reason::Interrupted), Some(limit)) =
            (self.starved[side], &mut outcome.finding, self.control.memory_limit)
        {
            *reason = memory_limit(limit);
        }
        if is_definite(&outcome.finding) {
            let better_may_come = side == LAZY && matches!(outcome.finding, Finding::Violation { .. });
            let moment = match better_may_come {
                true => self.started.elapsed().clamp(MOMENT[0], MOMENT[1]),
                false => Duration::ZERO,
            };
            self.over.get_or_insert(Instant::now() + moment);
        }
        self.outcomes[side] = Some(outcome);
    }

    fn look_around(&mut self) {
        let over = self.over.is_some_and(|over| Instant::now() >= over);
        if over || self.control.stop.load(Ordering::Relaxed) {
            self.stop_both();
        }
        if let (Some(limit), Some(used)) = (self.control.memory_limit, resident_memory())
            && used >= limit
        {
            // The explicit engine knows what it takes; the rest is the lazy one's.
            let side = if self.view.explicit_memory() > used / 2 { EXPLICIT } else { LAZY };
            self.starved[side] = true;
            self.controls[side].stop.store(true, Ordering::Relaxed);
        }
    }

    fn stop_both(&self) {
        self.controls.iter().for_each(|control| control.stop.store(true, Ordering::Relaxed));
    }
}

fn is_definite(finding: &Finding) -> bool {
    match finding {
        Finding::Violation { .. } | Finding::Contradiction { .. } | Finding::Unfollowed { .. } => true,
        Finding::NoneWithin(coverage) => coverage.is_complete(),
        Finding::GaveUp(_) => false,
    }
}

/// One of two findings, the explicit engine's and the lazy one's, and whose it is.
fn combined(
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
        // Within bounds of its own is less than everything, but more than nothing.
        (_, second) if !matches!(second, Finding::GaveUp(_)) => (second, lazy),
        (first @ Finding::NoneWithin(_), _) => (first, explicit),
        (Finding::GaveUp(first), Finding::GaveUp(second)) => {
            let (reason, by) = both(interrupted, (explicit, first), (lazy, second));
            (Finding::GaveUp(reason), by)
        }
        (first, _) => (first, explicit),
    }
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
mod tests {
    use super::*;
    use crate::{Level, judge};
    use selvedge_program::{Coverage, Loc, Property, SourceMap, Violation};

    const WRONG: &str = "program lp64 entry @main\nfn @main() -> i32 {\nentry:\n  violation assertion \"a claim\"\n  \
                         return 0i32\n}\n";

    /// Says what it was told to, or waits until it is stopped.
    struct Puppet(&'static str, Option<Finding>);

    impl Engine for Puppet {
        fn name(&self) -> &'static str {
            self.0
        }

        fn check(&self, _: &Program, _: &Task, control: &Control) -> Outcome {
            let finding = self.1.clone().unwrap_or_else(|| {
                loop {
                    if let Some(reason) = control.should_stop(&Progress::default()) {
                        break Finding::GaveUp(reason);
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            Outcome { finding, statistics: Statistics { states: 1, clauses: 2, ..Statistics::default() }, by: self.0 }
        }
    }

    fn race(first: Option<Finding>, second: Option<Finding>, control: &Control) -> (Program, Outcome) {
        let program = selvedge_program::text::parse(WRONG).expect("a program");
        let (first, second) = (Puppet("explicit", first), Puppet("lazy", second));
        let outcome = side_by_side([&first, &second], &program, &Task::default(), control);
        (program, outcome)
    }

    fn answer(first: Option<Finding>, second: Option<Finding>) -> (Finding, &'static str) {
        let (_, outcome) = race(first, second, &Control::default());
        (outcome.finding, outcome.by)
    }

    /// Of [`WRONG`]; `line` 0 is where it is.
    fn violation(line: u32) -> Finding {
        let loc = Loc { line, ..SourceMap::NOWHERE };
        let violation = Violation { property: Property::Assertion, text: "a claim".into(), loc, thread: 0 };
        Finding::Violation { schedule: "v2;0*0;".parse().expect("a schedule"), violation }
    }

    fn nothing(limits: &[&str]) -> Finding {
        Finding::NoneWithin(Coverage { limits: limits.iter().map(ToString::to_string).collect() })
    }

    fn gave_up(reason: Reason) -> Finding {
        Finding::GaveUp(reason)
    }

    fn limit(what: &str) -> Reason {
        Reason::Limit(what.to_string())
    }

    #[test]
    fn the_first_definite_answer_ends_the_other_search() {
        assert_eq!(answer(Some(nothing(&[])), None), (nothing(&[]), "explicit"));
        assert_eq!(answer(None, Some(nothing(&[]))), (nothing(&[]), "lazy"));
        assert_eq!(answer(Some(violation(0)), None), (violation(0), "explicit"));
        assert_eq!(answer(None, Some(violation(0))), (violation(0), "lazy"));
    }

    #[test]
    fn what_one_cannot_do_is_left_to_the_other() {
        let wide = || Some(gave_up(limit("too wide")));
        assert_eq!(answer(wide(), Some(violation(0))), (violation(0), "lazy"));
        assert_eq!(answer(Some(nothing(&[])), wide()), (nothing(&[]), "explicit"));
        assert_eq!(answer(wide(), Some(nothing(&["rounds 2"]))), (nothing(&["rounds 2"]), "lazy"));
        assert_eq!(answer(Some(nothing(&[])), Some(nothing(&["rounds 2"]))), (nothing(&[]), "explicit"));
    }

    #[test]
    fn of_two_violations_the_explicit_engines_is_shown_unless_the_other_is_false() {
        assert_eq!(answer(Some(violation(0)), Some(violation(0))), (violation(0), "explicit"));
        assert_eq!(answer(Some(violation(0)), Some(violation(7))), (violation(7), "lazy"));
    }

    #[test]
    fn reasons_of_both_are_told() {
        let both = Reason::Each(vec![("explicit", limit("too wide")), ("lazy", limit("too large"))]);
        assert_eq!(both.to_string(), "explicit: too wide; lazy: too large");
        let told = answer(Some(gave_up(limit("too wide"))), Some(gave_up(limit("too large"))));
        assert_eq!(told, (gave_up(both), "auto"));
        let time = || Reason::TimeLimit { seconds: 1 };
        assert_eq!(answer(Some(gave_up(time())), Some(gave_up(limit("too large")))), (gave_up(time()), "explicit"));
        let told = answer(Some(gave_up(limit("too wide"))), Some(gave_up(time()))).0;
        assert!(matches!(told, Finding::GaveUp(reason) if reason.kind() == "time"));
    }

    #[test]
    fn a_contradiction_is_an_error_with_both_sides() {
        for (first, second, found_by) in
            [(violation(0), nothing(&[]), "explicit"), (nothing(&[]), violation(0), "lazy")]
        {
            // Neither waits for the other: both answers are in, or the first one won.
            let findings = [("explicit", first), ("lazy", second)];
            let program = selvedge_program::text::parse(WRONG).expect("a program");
            let (finding, _) = combined(&program, &Task::default(), false, findings);
            let error = judge(&program, Task::default().properties, finding).expect_err("an error");
            assert!(error.what.starts_with("two engines contradict each other"), "{error}");
            assert_eq!(error.claims.len(), 2);
            assert_eq!(error.claims[0].engine, found_by);
            assert!(error.claims[0].schedule.is_some());
        }
    }

    #[test]
    fn a_false_violation_is_no_contradiction() {
        let program = selvedge_program::text::parse(WRONG).expect("a program");
        let findings = [("explicit", nothing(&[])), ("lazy", violation(7))];
        let (finding, _) = combined(&program, &Task::default(), false, findings);
        let error = judge(&program, Task::default().properties, finding).expect_err("an error");
        assert!(error.what.starts_with("the engine found"), "{error}");
    }

    #[test]
    fn an_interrupt_reaches_both() {
        let control = Control::default();
        let stop = Arc::clone(&control.stop);
        let outcome = std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                stop.store(true, Ordering::Relaxed);
            });
            race(None, None, &control).1
        });
        assert_eq!(outcome.finding, gave_up(Reason::Interrupted));
    }

    #[test]
    fn the_time_limit_is_that_of_both() {
        let control = Control { time_limit: Some(Duration::from_millis(50)), ..Control::default() };
        let outcome = race(None, None, &control).1;
        assert_eq!(outcome.finding, gave_up(Reason::TimeLimit { seconds: 0 }));
    }

    #[test]
    fn memory_that_is_short_stops_one_and_then_the_other() {
        let control = Control { memory_limit: Some(1), ..Control::default() };
        let outcome = race(Some(gave_up(limit("too wide"))), None, &control).1;
        let reason =
            Reason::Each(vec![("explicit", limit("too wide")), ("lazy", Reason::MemoryLimit { megabytes: 0 })]);
        assert_eq!(outcome.finding, gave_up(reason));
    }

    #[test]
    fn progress_and_numbers_are_those_of_both() {
        let seen = Arc::new(Mutex::new(None));
        let sink = Arc::clone(&seen);
        let watcher: crate::control::Watcher =
            Arc::new(move |progress| *sink.lock().expect("no panic") = Some(progress.clone()));
        let control = Control { watcher: Some(watcher), ..Control::default() };
        let view = Arc::new(View::default());
        let controls = [EXPLICIT, LAZY].map(|side| inner(&control, &view, side));
        controls[EXPLICIT].should_stop(&Progress { states: 5, memory: 10, ..Progress::default() });
        let level = Some(Level { unwind: 1, rounds: 2 });
        controls[LAZY].should_stop(&Progress { level, clauses: 7, memory: 1, ..Progress::default() });
        let expected = Progress { states: 5, memory: 11, level, clauses: 7, ..Progress::default() };
        assert_eq!(*seen.lock().expect("no panic"), Some(expected));

        let statistics = race(Some(nothing(&[])), Some(nothing(&[])), &Control::default()).1.statistics;
        assert_eq!((statistics.states, statistics.clauses), (1, 2));
    }
}
