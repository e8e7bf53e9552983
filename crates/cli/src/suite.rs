//! `selvedge suite`: many tasks, each in a process of its own, against what is expected of them.

mod collect;
mod desc;
mod index;
mod run;
mod task;
mod yml;

use crate::args::{CheckedArgs, Format, Given, ReportArgs, ReportTo, SuiteArgs};
use crate::engines::{Capability, ENGINES};
use crate::failure::{EXIT_VIOLATION, Failure};
use crate::{console, interrupt, machine, output, progress};
use run::{Limits, Runner};
use selvedge_report::junit;
use selvedge_report::suite::{Tally, TaskResult, document, line, table};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use task::SuiteTask;

pub fn suite(args: &SuiteArgs, given: &Given) -> Result<u8, Failure> {
    let junit = junit_files(&args.reports)?;
    args.json.iter().chain(junit.iter().copied()).try_for_each(|path| output::check_writable(path))?;
    let CheckedArgs { engine, bounds, threads: _, intervals } = &args.checked;
    given.check_engine(engine, &ENGINES)?;
    intervals.source.check(bounds.rounds)?;
    let tasks = collect::tasks(&args.paths, args.set.as_deref())?;
    let jobs = args.jobs.map_or_else(|| (machine::cores() / engine.cores).max(1), usize::from);
    let unwinds = engine.takes(Capability::Unwinding) && bounds.unwind.is_none();
    let mut arguments = given.words::<CheckedArgs>();
    arguments.extend(args.check_args.iter().cloned());
    let runner = Runner::new(limits(args, jobs), arguments.clone(), unwinds, interrupt::stop_flag())?;

    let results = run_all(args, &tasks, jobs, &runner)?;

    let json = args.json.iter().map(|path| (path, document(&results, args.time_limit, jobs, &arguments)));
    let written = json
        .chain(junit.into_iter().map(|path| (path, junit::suite(&results))))
        .try_for_each(|(path, text)| output::write(path, &text));
    console::print(&table(&results, console::look(&args.console)))?;
    written?;
    Ok(if Tally::of(&results).wrong() > 0 { EXIT_VIOLATION } else { 0 })
}

/// The files of `--report`. JUnit's is the only format that has a place for many tasks.
fn junit_files(args: &ReportArgs) -> Result<Vec<&PathBuf>, Failure> {
    let refused = || Failure::BadInput("a suite can be reported as junit=FILE only".to_string());
    let files = args.reports.iter().map(|ReportTo { format, path }| match format {
        Format::Junit => Ok(path),
        Format::Html | Format::Sarif | Format::GitHub | Format::Svcomp | Format::Witness | Format::Invariants => {
            Err(refused())
        }
    });
    files.collect()
}

fn limits(args: &SuiteArgs, jobs: usize) -> Limits {
    let memory = args.memory_limit.or_else(|| machine::default_memory_limit().map(|bytes| bytes >> 20));
    Limits { seconds: args.time_limit, megabytes: memory.map(|all| (all / jobs as u64).max(1)) }
}

/// The results, in the order of the tasks, no matter which finishes first.
fn run_all(args: &SuiteArgs, tasks: &[SuiteTask], jobs: usize, runner: &Runner) -> Result<Vec<TaskResult>, Failure> {
    let next = AtomicUsize::new(0);
    let board = Mutex::new(Board::new(args, tasks.len()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(tasks.len()) {
            scope.spawn(|| {
                while let Some((index, task)) = take(&next, tasks) {
                    let result = runner.run(task);
                    board.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).post(index, result);
                }
            });
        }
    });
    board.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).finish()
}

fn take<'a>(next: &AtomicUsize, tasks: &'a [SuiteTask]) -> Option<(usize, &'a SuiteTask)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    tasks.get(index).map(|task| (index, task))
}

/// Collects results, which arrive in any order, and shows them in the order of the tasks.
struct Board {
    list: bool,
    early: BTreeMap<usize, TaskResult>,
    results: Vec<TaskResult>,
    bar: Option<indicatif::ProgressBar>,
    all: usize,
    failure: Option<Failure>,
}

impl Board {
    fn new(args: &SuiteArgs, all: usize) -> Board {
        Board {
            list: args.list || args.console.verbose > 0,
            early: BTreeMap::new(),
            results: Vec::new(),
            bar: progress::line(args.console.quiet),
            all,
            failure: None,
        }
    }

    fn post(&mut self, index: usize, result: TaskResult) {
        self.early.insert(index, result);
        while let Some(result) = self.early.remove(&self.results.len()) {
            if self.list {
                self.show(&format!("{}\n", line(&result)));
            }
            self.results.push(result);
        }
        if let Some(bar) = &self.bar {
            let tally = Tally::of(self.results.iter().chain(self.early.values()));
            bar.set_message(format!(
                "{} of {} tasks, {} decided, {} wrong",
                self.results.len() + self.early.len(),
                self.all,
                tally.decided(),
                tally.wrong()
            ));
            bar.tick();
        }
    }

    fn show(&mut self, text: &str) {
        let printed = match &self.bar {
            Some(bar) => bar.suspend(|| console::print(text)),
            None => console::print(text),
        };
        if let Err(failure) = printed {
            self.failure.get_or_insert(failure);
        }
    }

    fn finish(self) -> Result<Vec<TaskResult>, Failure> {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.results),
        }
    }
}
