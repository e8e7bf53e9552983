//! Runs one task in a process of its own, so that nothing one task does can reach another.

use super::task::{Aim, Expected, SuiteTask};
use crate::args::{DATA_MODELS, name_of};
use crate::failure::{EXIT_BAD_INPUT, EXIT_INTERNAL, Failure};
use crate::processes;
use selvedge_report::suite::{Score, TaskResult};
use serde::Deserialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A task that has not ended so long after its limit is killed: it ends within a second, but has to be started first.
const GRACE: Duration = Duration::from_secs(5);

pub struct Limits {
    pub seconds: u64,
    pub megabytes: Option<u64>,
}

pub struct Runner {
    limits: Limits,
    /// For every task.
    arguments: Vec<String>,
    /// Does the engine unwind loops, and is nothing else said about how far?
    unwinds: bool,
    stop: Arc<AtomicBool>,
    /// Ours alone: suites that run side by side do not meet.
    folder: TempDir,
    program: PathBuf,
    counter: AtomicU64,
}

/// The parts that we need of the JSON that `check` writes.
#[derive(Deserialize)]
struct CheckJson {
    verdict: String,
    headline: String,
    property: Option<String>,
    reason: Option<Why>,
    answered_by: String,
    statistics: Numbers,
}

#[derive(Deserialize)]
struct Why {
    kind: String,
}

#[derive(Deserialize)]
struct Numbers {
    states: u64,
    variables: u64,
    clauses: u64,
}

/// The end of a process.
enum ProcessEnd {
    Exit(ExitStatus),
    Killed,
    Interrupted,
}

impl Runner {
    pub fn new(
        limits: Limits,
        arguments: Vec<String>,
        unwinds: bool,
        stop: Arc<AtomicBool>,
    ) -> Result<Runner, Failure> {
        let cannot = |error: std::io::Error| Failure::BadInput(format!("cannot start the suite: {error}"));
        let folder = tempfile::Builder::new().prefix("selvedge-suite-").tempdir().map_err(cannot)?;
        let program = std::env::current_exe().map_err(cannot)?;
        Ok(Runner { limits, arguments, unwinds, stop, folder, program, counter: AtomicU64::new(0) })
    }

    pub fn run(&self, task: &SuiteTask) -> TaskResult {
        let mut result = TaskResult {
            set: task.set.clone(),
            name: task.name.clone(),
            property: task.property.clone(),
            expected: None,
            score: Score::Skipped("interrupted".to_string()),
            seconds: 0.0,
            states: 0,
            variables: 0,
            clauses: 0,
            answered_by: None,
            detail: String::new(),
            remark: None,
        };
        match &task.aim {
            Aim::Skip(why) => result.score = Score::Skipped(why.clone()),
            Aim::Check { expected, .. } => {
                result.expected = Some(expected.holds);
                if !self.stop.load(Ordering::Relaxed) {
                    self.check(task, &[], *expected, &mut result);
                }
                if result.score == Score::WrongFalse && task.unwind.is_some() && self.unwinds {
                    // Violations beyond the task's bounds do not count, and the search of states has no bounds.
                    self.check(task, &["--engine", "lazy"], *expected, &mut result);
                }
            }
        }
        result
    }

    /// `last`: arguments that come after all others, and override them.
    fn check(&self, task: &SuiteTask, last: &[&str], expected: Expected, result: &mut TaskResult) {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let json = self.folder.path().join(format!("{number}.json"));
        let messages = self.folder.path().join(format!("{number}.err"));
        let started = Instant::now();
        let end = self.spawn(task, last, &json, &messages).and_then(|child| self.wait(child, started));
        result.seconds = started.elapsed().as_secs_f64();
        let message = std::fs::read(&messages).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        let answer = std::fs::read(&json).ok().and_then(|bytes| serde_json::from_slice::<CheckJson>(&bytes).ok());

        let unknown = |kind: &str| Score::Unknown(kind.to_string());
        (result.score, result.detail) = match (end, answer) {
            (Err(error), _) => (unknown("not-started"), error.to_string()),
            (Ok(ProcessEnd::Killed), _) => (unknown("killed"), "killed: it did not end in time".to_string()),
            (Ok(ProcessEnd::Interrupted), _) => (unknown("interrupted"), "interrupted".to_string()),
            (Ok(ProcessEnd::Exit(status)), _) if status.code() == Some(EXIT_INTERNAL.into()) => {
                (unknown("internal-error"), first_lines(&message))
            }
            (Ok(ProcessEnd::Exit(status)), _) if status.code() == Some(EXIT_BAD_INPUT.into()) => {
                (unknown("refused"), first_lines(&message))
            }
            (Ok(ProcessEnd::Exit(_)), Some(answer)) => {
                let Numbers { states, variables, clauses } = answer.statistics;
                (result.states, result.variables, result.clauses) = (states, variables, clauses);
                result.answered_by = Some(answer.answered_by);
                let reason = answer.reason.as_ref().map(|why| why.kind.as_str());
                let score = expected.score(&answer.verdict, reason);
                result.remark = expected.remark(answer.property.as_deref());
                (score.unwrap_or_else(|| unknown("internal-error")), answer.headline)
            }
            (Ok(ProcessEnd::Exit(status)), None) => {
                (unknown("crashed"), format!("{status}: {}", first_lines(&message)))
            }
        };
        for file in [json, messages] {
            // The folder goes at the end in any case.
            let _ = std::fs::remove_file(file);
        }
    }

    fn spawn(&self, task: &SuiteTask, last: &[&str], json: &Path, messages: &Path) -> std::io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(["check", "--no-project"])
            .args(&task.inputs)
            .args(&task.flags)
            .args(["--data-model", name_of(&DATA_MODELS, &task.data_model), "--json"])
            .arg(json);
        command.args(["--time-limit", &self.limits.seconds.to_string()]);
        if let Some(megabytes) = self.limits.megabytes {
            command.args(["--memory-limit", &megabytes.to_string()]);
        }
        if let Aim::Check { properties, .. } = &task.aim {
            let names: Vec<&str> = properties.iter().map(|p| p.name()).collect();
            command.args(["--property", &names.join(",")]);
            // As a property file means it.
            command.args(properties.contains(selvedge_program::Property::Termination).then_some("--fair"));
        }
        if let Some(unwind) = task.unwind.filter(|_| self.unwinds) {
            command.args(["--unwind", &unwind.to_string()]);
        }
        command.args(&self.arguments).args(last);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(messages)?).spawn()
    }

    fn wait(&self, mut child: Child, started: Instant) -> std::io::Result<ProcessEnd> {
        let deadline = Duration::from_secs(self.limits.seconds) + GRACE;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(ProcessEnd::Exit(status));
            }
            let interrupted = self.stop.load(Ordering::Relaxed);
            if interrupted || started.elapsed() > deadline {
                processes::end_with_descendants(child.id());
                child.wait()?;
                return Ok(if interrupted { ProcessEnd::Interrupted } else { ProcessEnd::Killed });
            }
            // Short tasks are the most: look often at first.
            let pause = started.elapsed().as_millis().clamp(1, 20);
            std::thread::sleep(Duration::from_millis(pause as u64));
        }
    }
}

/// Enough of a message to see what it is about.
fn first_lines(message: &str) -> String {
    let line: Vec<&str> = message.lines().filter(|line| !line.trim().is_empty()).take(2).collect();
    line.join(" ")
}
