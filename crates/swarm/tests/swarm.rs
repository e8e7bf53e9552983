//! Swarms against engines that look at everything, on generated programs.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

mod common;

use common::{ROUNDS, for_all, tasks};
use selvedge_engine::instances::Checked;
use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_program::instances::{Ended, Record};
use selvedge_program::{Coverage, Covered, Finding, Limit, Program, Scope};
use selvedge_search::explicit;
use selvedge_swarm::records::{Folder, Parameters, hash};
use selvedge_swarm::runner::{Backend, explicit as explicit_runner, lazy as lazy_runner};
use selvedge_swarm::{Floor, Options, Shape, Subject, Swarmed, swarm};
use selvedge_symbolic::lazy::instances::{self, Ground, Reuse};
use selvedge_symbolic::lazy::{Lazy, Narrowing};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn options(size: usize, tiles: usize) -> Options {
    Options {
        shape: Shape::Uniform { size, shift: 0 },
        tiles,
        instances: None,
        instance_time_limit: None,
        jobs: 1,
        seed: 1,
        divide: false,
        keep_going: false,
        portfolio: true,
    }
}

/// Runs a swarm of the lazy engine.
fn run(program: &Program, task: &Task, options: &Options, control: &Control) -> Option<Result<Swarmed, String>> {
    let bounded = instances::bounded(program, task, control).ok()?;
    let ground = Ground::new(&bounded, task, Narrowing::Own, control).ok()?;
    let floor = Floor::new(ground.threads());
    let backend = lazy_runner::Lazy::new(&ground, Reuse::Solver);
    let subject = Subject { program, properties: task.properties, floor: &floor, scope: backend.scope() };
    Some(swarm(subject, &backend, options, None, control, None).map_err(|error| error.to_string()))
}

/// The first violation ends a swarm, on however many workers, and replays; without one, everything was covered.
#[test]
fn swarms_say_what_the_lazy_engine_says() {
    for_all(40, 70, |program, tally| {
        for task in tasks() {
            let alone = Lazy::default().check(program, &task, &Control::default()).finding;
            for (jobs, shape) in [(2, Shape::Probed { shift: 0 }), (1, Shape::Probed { shift: 1 })] {
                let options = Options { jobs, shape, ..options(1, ROUNDS as usize) };
                let Some(swarmed) = run(program, &task, &options, &Control::default()) else {
                    tally.skipped("not bounded");
                    continue;
                };
                let finding = swarmed?.finding;
                tally.compares(&[&alone, &finding]);
                conclude(program, task.properties, finding.clone()).map_err(|error| error.to_string())?;
                match (&alone, &finding) {
                    (Finding::Violation { .. }, Finding::Violation { .. }) => {}
                    (Finding::NoneWithin(_), Finding::NoneWithin(coverage)) => {
                        let all = |limit: &Limit| matches!(limit, Limit::Selections { covered: Covered::All, .. });
                        if !coverage.limits.iter().any(all) {
                            return Err(format!("not everything was covered: {coverage:?}"));
                        }
                    }
                    (Finding::GaveUp(_), Finding::GaveUp(_)) => {}
                    // No run needs more rounds, so it does not matter that nothing is checked.
                    (Finding::NoneWithin(_), Finding::GaveUp(reason)) if reason.kind() == "nothing-checked" => {}
                    _ => return Err(format!("alone {alone:?}, as a swarm {finding:?}")),
                }
            }
        }
        Ok(())
    });
}

/// One tile of everything is the whole search; smaller tiles find only what is there.
#[test]
fn the_explicit_engine_can_be_the_runner() {
    for_all(40, 70, |program, tally| {
        for task in tasks() {
            let control = Control::default();
            let Ok(bounded) = instances::bounded(program, &task, &control) else {
                tally.skipped("not bounded");
                continue;
            };
            let Ok(ground) = Ground::new(&bounded, &task, Narrowing::Own, &control) else {
                tally.skipped("no tiles");
                continue;
            };
            let floor = Floor::new(ground.threads());
            let whole = explicit::Explicit::default().check(program, &task, &control).finding;
            for size in [1, 1000] {
                let backend = explicit_runner::Explicit { program, task: &task, ground: &ground };
                let subject = Subject { program, properties: task.properties, floor: &floor, scope: backend.scope() };
                let options = Options { instances: Some(20), ..options(size, 1) };
                let Ok(swarmed) = swarm(subject, &backend, &options, None, &control, None) else {
                    tally.skipped("no swarm");
                    continue;
                };
                tally.compares(&[&whole, &swarmed.finding]);
                conclude(program, task.properties, swarmed.finding.clone()).map_err(|error| error.to_string())?;
                match (&whole, &swarmed.finding) {
                    (Finding::NoneWithin(_), Finding::Violation { .. }) => {
                        return Err(format!("only an instance found {:?}", swarmed.finding));
                    }
                    (Finding::Violation { .. }, Finding::NoneWithin(coverage)) if size == 1000 => {
                        return Err(format!("the whole was not searched: {coverage:?}, but {whole:?}"));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    });
}

/// Two threads that increment a counter six times each, without a lock.
const RACE: &str = include_str!("race.txt");

fn race() -> Program {
    selvedge_program::text::parse(RACE).expect("a program")
}

fn assertions() -> Task {
    tasks().swap_remove(0)
}

fn parameters(options: &Options) -> Parameters {
    Parameters {
        program: hash(RACE),
        unwind: 2,
        rounds: ROUNDS,
        tiling: options.shape.describe(),
        tiles: options.tiles,
        seed: options.seed,
        engine: "lazy".to_string(),
        divide: options.divide,
    }
}

fn in_folder(folder: &std::path::Path, options: &Options, control: &Control) -> Swarmed {
    let (program, task) = (race(), assertions());
    let bounded = instances::bounded(&program, &task, &Control::default()).expect("small");
    let ground = Ground::new(&bounded, &task, Narrowing::Own, &Control::default()).expect("small");
    let floor = Floor::new(ground.threads());
    let backend = lazy_runner::Lazy::new(&ground, Reuse::Solver);
    let subject = Subject { program: &program, properties: task.properties, floor: &floor, scope: backend.scope() };
    let opened = Folder::open(folder, &parameters(options)).expect("a folder");
    swarm(subject, &backend, options, Some(opened), control, None).expect("a swarm")
}

fn lines(folder: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("instances.jsonl")).expect("records");
    text.lines().map(str::to_string).collect()
}

fn names(swarmed: &Swarmed) -> Vec<String> {
    let mut names: Vec<String> = swarmed.records.iter().map(|record| record.instance.to_string()).collect();
    names.sort();
    names
}

#[test]
fn killed_at_any_moment_it_goes_on_where_it_was() {
    let options = Options { keep_going: true, ..options(2, 1) };
    let whole = tempfile::tempdir().expect("a folder");
    let all = in_folder(whole.path(), &options, &Control::default());
    let expected = names(&all);
    assert!(expected.len() > 10, "{}", expected.len());
    assert!(all.records.iter().any(|record| record.ended == Ended::Buggy));
    let records = std::fs::read(whole.path().join("instances.jsonl")).expect("records");
    for torn in [0, 1, records.len() / 3, records.len() / 2, records.len() - 1, records.len()] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::copy(whole.path().join("parameters.json"), folder.path().join("parameters.json")).expect("room");
        std::fs::write(folder.path().join("instances.jsonl"), &records[..torn]).expect("room");
        let intact = records[..torn].iter().filter(|byte| **byte == b'\n').count();
        let rest = in_folder(folder.path(), &options, &Control::default());
        assert_eq!(names(&rest), expected, "{torn}");
        // Those that were on record stand there still, and nothing was done twice.
        assert_eq!(lines(folder.path()).len(), expected.len());
        assert_eq!(lines(folder.path())[..intact], lines(whole.path())[..intact]);
    }
}

#[test]
fn an_interrupt_loses_nothing_that_was_done() {
    let options = Options { keep_going: true, jobs: 2, ..options(1, 2) };
    let folder = tempfile::tempdir().expect("a folder");
    let control = Control::default();
    let stop = Arc::clone(&control.stop);
    let interrupted = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(150));
            stop.store(true, Ordering::Relaxed);
        });
        in_folder(folder.path(), &options, &control)
    });
    let on_record = lines(folder.path()).len();
    assert_eq!(on_record, interrupted.records.len());
    let few = Options { instances: Some(on_record as u128 + 20), ..options };
    let rest = in_folder(folder.path(), &few, &Control::default());
    let mut all = names(&rest);
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count, "an instance was done twice");
    assert!(count >= on_record);
}

#[test]
fn a_bug_on_record_is_the_answer_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(4, 2);
    let first = in_folder(folder.path(), &options, &Control::default());
    assert!(matches!(first.finding, Finding::Violation { .. }));
    let before = lines(folder.path()).len();
    let again = in_folder(folder.path(), &options, &Control::default());
    assert_eq!(again.finding, first.finding);
    assert_eq!(lines(folder.path()).len(), before);
}

#[test]
fn what_took_too_long_is_tried_again_when_it_may_take_longer() {
    let folder = tempfile::tempdir().expect("a folder");
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let options = Options { keep_going: true, instance_time_limit: seconds(60), ..options(4, 1) };
    let all = in_folder(folder.path(), &options, &Control::default());
    let file = folder.path().join("instances.jsonl");
    // As if every one had run for seven seconds in vain.
    let slow = |record: &Record| Record { ended: Ended::TimedOut, seconds: 7.0, schedule: None, ..record.clone() };
    let text: String = all
        .records
        .iter()
        .map(|record| format!("{}\n", serde_json::to_string(&slow(record)).expect("plain data")))
        .collect();
    std::fs::write(&file, &text).expect("room");
    let with_limit = |limit| {
        let options = Options { instance_time_limit: limit, ..options.clone() };
        in_folder(folder.path(), &options, &Control::default());
        lines(folder.path()).len()
    };
    let count = all.records.len();
    assert_eq!(with_limit(seconds(7)), count);
    assert_eq!(with_limit(seconds(8)), 2 * count);
    assert_eq!(with_limit(None), 2 * count);
    std::fs::write(&file, &text).expect("room");
    assert_eq!(with_limit(None), 2 * count);
}

#[test]
fn what_takes_too_long_is_divided_until_everything_is_covered() {
    struct Slow(AtomicU64);
    use selvedge_swarm::runner::{Instance, Runner};
    impl Backend for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }
        fn scope(&self) -> Scope {
            Scope::STEPS
        }
        fn with_runner(
            &self,
            _: usize,
            _: &Control,
            work: &mut dyn FnMut(&mut dyn Runner),
        ) -> Result<(), selvedge_program::Reason> {
            work(&mut SlowRunner(&self.0));
            Ok(())
        }
    }
    /// In time only if no thread has more than two points left.
    struct SlowRunner<'a>(&'a AtomicU64);
    impl Runner for SlowRunner<'_> {
        fn run(
            &mut self,
            instance: &Instance<'_>,
            _: Option<std::time::Instant>,
        ) -> Result<Checked, selvedge_program::Reason> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let points = |tiles: &Vec<Vec<u32>>| tiles.iter().map(Vec::len).sum::<usize>();
            match instance.tiles.iter().map(points).max() {
                Some(0..=2) | None => Ok(Checked::Nothing),
                _ => Ok(Checked::TimedOut),
            }
        }
        fn limits(
            &mut self,
            _: &Arc<std::sync::atomic::AtomicBool>,
            _: Option<std::time::Instant>,
        ) -> Result<Coverage, selvedge_program::Reason> {
            Ok(Coverage::within([Limit::Rounds(2)]))
        }
    }
    let (program, task) = (race(), assertions());
    let bounded = instances::bounded(&program, &task, &Control::default()).expect("small");
    let ground = Ground::new(&bounded, &task, Narrowing::Own, &Control::default()).expect("small");
    let floor = Floor::new(ground.threads());
    let subject = Subject { program: &program, properties: task.properties, floor: &floor, scope: Scope::STEPS };
    let finding = |divide| {
        let (backend, options) = (Slow(AtomicU64::new(0)), Options { divide, jobs: 2, ..options(4, 1) });
        let swarmed = swarm(subject, &backend, &options, None, &Control::default(), None).expect("a swarm");
        (swarmed.finding, swarmed.summary.sizes[0].share)
    };
    let (whole, share) = finding(true);
    assert_eq!(share, 1.0);
    let Finding::NoneWithin(coverage) = whole else { panic!("{whole:?}") };
    assert!(matches!(coverage.limits[1], Limit::Selections { covered: Covered::All, .. }), "{coverage:?}");
    let (some, share) = finding(false);
    assert!(share < 1.0 && matches!(some, Finding::GaveUp(_) | Finding::NoneWithin(_)), "{some:?}");
}
