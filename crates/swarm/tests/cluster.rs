//! Swarms on a cluster where anything may happen to tasks, to answers and to the collector.

use selvedge_engine::instances::Checked;
use selvedge_engine::{Control, Task};
use selvedge_outside::IntervalSource;
use selvedge_program::{Bounds, Coverage, Finding, Properties, Property, Reason, Scope};
use selvedge_swarm::cluster::collector::{self, Cluster, ClusterOptions};
use selvedge_swarm::cluster::scheduler::{Array, JobId, Scheduler, SchedulerError, Seen, State};
use selvedge_swarm::cluster::shared::{Settings, Shared, SharedShape, TaskId, fingerprint};
use selvedge_swarm::cluster::worker::work;
use selvedge_swarm::records::{Folder, Parameters, hash};
use selvedge_swarm::runner::{Backend, Instance, Runner, lazy};
use selvedge_swarm::{Floor, Options, Shape, Subject, Swarmed, VERSION, swarm, swarm_by};
use selvedge_symbolic::lazy::Narrowing;
use selvedge_symbolic::lazy::instances::{self, Ground, Reuse};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Two threads that increment a counter six times each, without a lock.
const RACE: &str = include_str!("race.txt");

struct Dice(RefCell<fastrand::Rng>);

impl Dice {
    fn below(&self, n: u64) -> u64 {
        self.0.borrow_mut().u64(..n)
    }
}

/// A backend that is told to stop after so many instances.
struct Weary<'a> {
    backend: &'a dyn Backend,
    left: AtomicU64,
}

impl Backend for Weary<'_> {
    fn name(&self) -> &'static str {
        "weary"
    }

    fn scope(&self) -> Scope {
        self.backend.scope()
    }

    fn with_runner(
        &self,
        worker: usize,
        control: &Control,
        work: &mut dyn FnMut(&mut dyn Runner),
    ) -> Result<(), Reason> {
        self.backend.with_runner(worker, control, &mut |runner| work(&mut WearyRunner { runner, left: &self.left }))
    }
}

struct WearyRunner<'a> {
    runner: &'a mut dyn Runner,
    left: &'a AtomicU64,
}

impl Runner for WearyRunner<'_> {
    fn run(&mut self, instance: &Instance<'_>, deadline: Option<Instant>) -> Result<Checked, Reason> {
        match self.left.load(Ordering::Relaxed) {
            0 => Err(Reason::Interrupted),
            left => {
                self.left.store(left - 1, Ordering::Relaxed);
                self.runner.run(instance, deadline)
            }
        }
    }

    fn limits(&mut self, stop: &Arc<AtomicBool>, deadline: Option<Instant>) -> Result<Coverage, Reason> {
        self.runner.limits(stop, deadline)
    }
}

/// Runs tasks while they are submitted, or does not.
struct Chaos<'a> {
    dice: &'a Dice,
    shared: &'a Shared,
    settings: &'a Settings,
    floor: &'a Floor,
    backend: &'a dyn Backend,
    queue: &'a RefCell<Vec<Seen>>,
    /// The collector is stopped after so many looks at the queue.
    looks: Cell<u64>,
    stop: Arc<AtomicBool>,
}

impl Chaos<'_> {
    fn work(&self, task: TaskId, instances: u64) {
        let weary = Weary { backend: self.backend, left: AtomicU64::new(instances) };
        work(self.shared, self.settings, task, self.floor, &weary, &Control::default()).expect("a task");
    }

    /// Runs a task, or lets it fail, at random.
    fn run(&self, task: TaskId) -> State {
        let ended = |how: &str, by_cluster| State::Ended { how: how.to_string(), by_cluster };
        match self.dice.below(6) {
            0 => ended("NODE_FAIL", true),
            1 => {
                self.work(task, self.dice.below(3));
                ended("PREEMPTED", true)
            }
            2 => {
                // Begun again where it was.
                self.work(task, 1);
                self.work(task, u64::MAX);
                State::Running
            }
            3 => {
                self.work(task, u64::MAX);
                self.work(task, u64::MAX);
                ended("COMPLETED", false)
            }
            _ => {
                self.work(task, u64::MAX);
                ended("COMPLETED", false)
            }
        }
    }

    fn answer(&self) -> Result<(), SchedulerError> {
        match self.dice.below(5) {
            0 => Err(SchedulerError::Unreachable("busy".to_string())),
            _ => Ok(()),
        }
    }
}

impl Scheduler for Chaos<'_> {
    fn largest_array(&self) -> Result<u32, SchedulerError> {
        self.answer().map(|()| 3)
    }

    fn submit(&self, array: &Array) -> Result<JobId, SchedulerError> {
        assert!(array.tasks <= 3 && array.key == self.settings.key);
        self.answer()?;
        for index in 0..array.tasks {
            let task = TaskId { array: array.number, index };
            let state = self.run(task);
            self.queue.borrow_mut().push(Seen { job: array.number.to_string(), task, state });
        }
        // It is there, but who knows?
        self.answer().map(|()| array.number.to_string())
    }

    fn tasks(&self, key: &str) -> Result<Vec<Seen>, SchedulerError> {
        assert_eq!(key, self.settings.key);
        self.looks.set(self.looks.get().saturating_sub(1));
        self.stop.store(self.looks.get() == 0, Ordering::Relaxed);
        self.answer()?;
        // Some are forgotten soon.
        Ok(self.queue.borrow().iter().filter(|_| self.dice.below(8) > 0).cloned().collect())
    }

    fn cancel(&self, jobs: &[JobId]) -> Result<(), SchedulerError> {
        self.answer()?;
        self.queue.borrow_mut().retain(|seen| !jobs.contains(&seen.job));
        Ok(())
    }

    fn cancel_by_hand(&self, job: &JobId) -> String {
        format!("end {job}")
    }
}

fn options() -> Options {
    Options {
        shape: Shape::Uniform { size: 3, shift: 0 },
        tiles: 1,
        instances: None,
        instance_time_limit: None,
        jobs: 5,
        seed: 1,
        divide: false,
        keep_going: true,
        portfolio: false,
    }
}

fn parameters(options: &Options) -> Parameters {
    Parameters {
        program: hash(RACE),
        unwind: 2,
        rounds: 2,
        tiling: options.shape.describe(),
        tiles: options.tiles,
        seed: options.seed,
        engine: "lazy".to_string(),
        divide: options.divide,
    }
}

fn instances_of(swarmed: &Swarmed) -> Vec<String> {
    let name = |record: &selvedge_program::instances::Record| format!("{} {:?}", record.instance, record.ended);
    let mut all: Vec<String> = swarmed.records.iter().map(name).collect();
    all.sort();
    all
}

/// One swarm, by as many collectors as it takes.
fn on_a_cluster(seed: u64, path: &Path, subject: Subject<'_>, task: &Task, backend: &dyn Backend) -> Swarmed {
    let (dice, queue, options) =
        (Dice(RefCell::new(fastrand::Rng::with_seed(seed))), RefCell::new(Vec::new()), options());
    loop {
        let settings = Settings {
            version: VERSION.to_string(),
            key: format!("key{}", dice.below(1000)),
            program: hash(RACE),
            floor: fingerprint(subject.floor),
            properties: task.properties,
            bounds: task.bounds.clone(),
            seed: task.seed,
            intervals: IntervalSource::Own,
            engine: "lazy".to_string(),
            reuse: "solver".to_string(),
            tiling: SharedShape::of(&options.shape),
            tiles: options.tiles,
            keep_going: options.keep_going,
            memory_megabytes: None,
        };
        let folder = Folder::open(path, &parameters(&options)).expect("a folder");
        let (shared, settings) = Shared::create(path, RACE, settings).expect("a folder");
        let control = Control::default();
        let (stop, looks) = (Arc::clone(&control.stop), Cell::new(1 + dice.below(12)));
        let (floor, dice, queue) = (subject.floor, &dice, &queue);
        let chaos = Chaos { dice, shared: &shared, settings: &settings, floor, backend, queue, looks, stop };
        let cluster = Cluster {
            scheduler: &chaos,
            shared: &shared,
            settings: &settings,
            options: &ClusterOptions { tasks: 5, instances: Some(2), poll: Duration::ZERO, command: "selvedge".into() },
            notes: &|_| {},
        };
        let swarmed = swarm_by(subject, &options, Some(folder), |coordinator| {
            collector::run(coordinator, subject, &cluster, &control, None)
        });
        let swarmed = swarmed.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if !control.stop.load(Ordering::Relaxed) {
            return swarmed;
        }
    }
}

fn everything_is_done_once(property: Property) -> Finding {
    let program = selvedge_program::text::parse(RACE).expect("a program");
    let bounds = Bounds { unwind: Some(2), rounds: Some(2), ..Bounds::default() };
    let task = Task { properties: Properties::NONE.with(property), bounds, ..Task::default() };
    let bounded = instances::bounded(&program, &task, &Control::default()).expect("small");
    let ground = Ground::new(&bounded, &task, Narrowing::Own, &Control::default()).expect("small");
    let floor = Floor::new(ground.threads());
    let subject = Subject { program: &program, properties: task.properties, floor: &floor, scope: Scope::STEPS };
    let backend = lazy::Lazy::new(&ground, Reuse::Solver);
    let here = swarm(subject, &backend, &options(), None, &Control::default(), None).expect("a swarm");
    let all = instances_of(&here);
    assert!(all.len() > 10, "{}", all.len());
    for seed in 0..8 {
        let folder = tempfile::tempdir().expect("a folder");
        let there = on_a_cluster(seed, folder.path(), subject, &task, &backend);
        assert_eq!(instances_of(&there), all, "seed {seed}");
        match (&here.finding, &there.finding) {
            // Any of several bugs may come first.
            (Finding::Violation { .. }, Finding::Violation { .. }) => {}
            (here, there) => assert_eq!(here, there, "seed {seed}"),
        }
    }
    here.finding
}

#[test]
fn whatever_happens_bugs_are_found() {
    assert!(matches!(everything_is_done_once(Property::Assertion), Finding::Violation { .. }));
}

#[test]
fn whatever_happens_what_is_safe_is_shown_to_be() {
    let finding = everything_is_done_once(Property::Memory);
    assert!(matches!(&finding, Finding::NoneWithin(coverage) if coverage.limits.len() == 3), "{finding:?}");
}
