//! The folder that collector and workers share, which also contains the records of the swarm.
//!
//! | file | written by | |
//! |---|---|---|
//! | `program.txt` | collector | the program, as it is checked |
//! | `cluster.json` | collector | [`Settings`]: everything else that a worker must know |
//! | `tasks/3-17.json` | collector | [`Assignment`]: the instances of task 17 of array 3 |
//! | `results/3-17.json` | worker | [`Report`]: its results so far, about every second |
//! | `logs/3-17.log` | scheduler | its output |
//!
//! The files of a task are removed when all of it is on record.

use super::ClusterError;
use crate::records::{FolderError, hash, write_whole};
use crate::tiling::{Floor, Tiling, TilingError};
use crate::{Options, Shape};
use selvedge_engine::{MAX_INPUT_VALUES, Task};
use selvedge_outside::IntervalSource;
use selvedge_program::instances::{Name, Record};
use selvedge_program::{Bounds, Coverage, Properties, Property, Reason};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

/// A task of an array, as in `3-17`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId {
    pub array: u32,
    pub index: u32,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.array, self.index)
    }
}

impl FromStr for TaskId {
    type Err = String;

    fn from_str(text: &str) -> Result<TaskId, String> {
        let numbers = text.split_once('-').and_then(|(array, index)| Some((array.parse().ok()?, index.parse().ok()?)));
        let (array, index) = numbers.ok_or_else(|| format!("`{text}` is no task: expected something like 3-17"))?;
        Ok(TaskId { array, index })
    }
}

/// Everything that a worker must know besides the program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    pub version: String,
    /// Distinguishes the arrays of this folder from others in the queue.
    pub key: String,
    /// A hash of `program.txt`.
    pub program: String,
    /// A hash of the points that tiles consist of: point numbers must mean the same everywhere.
    pub floor: String,
    #[serde(serialize_with = "names", deserialize_with = "read_names")]
    pub properties: Properties,
    pub bounds: Bounds,
    pub seed: u64,
    pub intervals: IntervalSource,
    pub engine: String,
    pub reuse: String,
    pub tiling: SharedShape,
    pub tiles: usize,
    pub keep_going: bool,
    /// The memory limit of a worker.
    pub memory_megabytes: Option<u64>,
}

fn names<S: Serializer>(properties: &Properties, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(properties.iter())
}

fn read_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Properties, D::Error> {
    Ok(Vec::<Property>::deserialize(deserializer)?.into_iter().collect())
}

/// The tiling, as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SharedShape {
    Uniform { shift: usize },
    Given { text: String },
}

impl SharedShape {
    pub fn of(shape: &Shape) -> SharedShape {
        match shape {
            Shape::Uniform { shift, .. } | Shape::Probed { shift } => SharedShape::Uniform { shift: *shift },
            Shape::Given(tiling) => SharedShape::Given { text: tiling.text() },
        }
    }

    fn with_size(&self, size: usize, floor: &Floor) -> Result<Shape, TilingError> {
        match self {
            SharedShape::Uniform { shift } => Ok(Shape::Uniform { size, shift: *shift }),
            SharedShape::Given { text } => Tiling::parse(text, floor).map(Shape::Given),
        }
    }
}

impl Settings {
    /// The task for engines.
    pub fn task(&self) -> Task {
        let Settings { properties, seed, .. } = *self;
        Task { properties, bounds: self.bounds.clone(), seed, max_input_values: MAX_INPUT_VALUES }
    }

    /// Options of a swarm that checks the assigned instances and no others.
    pub fn options(&self, assignment: &Assignment, floor: &Floor) -> Result<Options, TilingError> {
        Ok(Options {
            shape: self.tiling.with_size(assignment.tile_size, floor)?,
            tiles: self.tiles,
            instances: Some(0),
            instance_time_limit: assignment.limit_seconds.map(Duration::from_secs_f64),
            jobs: 1,
            seed: self.seed,
            divide: false,
            keep_going: self.keep_going,
            portfolio: false,
        })
    }
}

/// A hash of the points that tiles consist of.
pub fn fingerprint(floor: &Floor) -> String {
    hash(&format!("{floor:?}"))
}

/// The instances of a task, in the order in which they are to be checked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// The size of uniform tiles; 0 for tiles given by the user.
    pub tile_size: usize,
    pub instances: Vec<Name>,
    /// The time limit of each instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_seconds: Option<f64>,
    /// Find out what limits the verdict if nothing is found. Such a task has no instances.
    #[serde(default)]
    pub limits: bool,
}

/// The results of a task.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    pub records: Vec<Record>,
    /// Whether the task has ended.
    pub done: bool,
    /// Why the task ended before everything was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Result<Coverage, Reason>>,
    /// Variables and clauses.
    #[serde(default)]
    pub size: (u64, u64),
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
}

/// An error that would occur in any other task as well.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// Bad input, as far as the worker can see.
    Refused(String),
    /// A bug of ours.
    Broken(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    path: PathBuf,
}

const PROGRAM: &str = "program.txt";
const SETTINGS: &str = "cluster.json";
const TASKS: &str = "tasks";
const RESULTS: &str = "results";
const LOGS: &str = "logs";

impl Shared {
    /// Creates the folder, or reuses an existing one. Existing files stay as they are, except for settings that may
    /// differ from run to run.
    pub fn create(path: &Path, program: &str, settings: Settings) -> Result<(Shared, Settings), ClusterError> {
        let shared = Shared::at(path);
        for folder in [TASKS, RESULTS, LOGS] {
            shared.io(std::fs::create_dir_all(path.join(folder)))?;
        }
        let settings = match shared.exists(SETTINGS)? {
            true => {
                let stored = shared.settings()?;
                shared.check_version(&stored)?;
                Settings { key: stored.key, ..settings }
            }
            false => settings,
        };
        if !shared.exists(PROGRAM)? {
            shared.io(write_whole(path, PROGRAM, program))?;
        }
        shared.check_program(&settings)?;
        shared.io(write_whole(path, SETTINGS, &pretty(&settings)))?;
        Ok((shared, settings))
    }

    /// The folder at this path, without any check.
    pub fn at(path: &Path) -> Shared {
        Shared { path: path.to_path_buf() }
    }

    /// Opens the folder for a worker: returns the program as text, and the settings.
    pub fn open(path: &Path) -> Result<(Shared, String, Settings), ClusterError> {
        let shared = Shared::at(path);
        let settings = shared.settings()?;
        shared.check_version(&settings)?;
        let program = shared.check_program(&settings)?;
        Ok((shared, program, settings))
    }

    fn settings(&self) -> Result<Settings, ClusterError> {
        self.read(SETTINGS)
    }

    fn check_version(&self, settings: &Settings) -> Result<(), ClusterError> {
        let own = crate::VERSION;
        match settings.version == own {
            true => Ok(()),
            false => Err(ClusterError::Version {
                folder: self.path.display().to_string(),
                stored: settings.version.clone(),
                own: own.to_string(),
            }),
        }
    }

    fn check_program(&self, settings: &Settings) -> Result<String, ClusterError> {
        let program = self.io(std::fs::read_to_string(self.path.join(PROGRAM)))?;
        match hash(&program) == settings.program {
            true => Ok(program),
            false => Err(ClusterError::OtherProgram { file: self.path.join(PROGRAM).display().to_string() }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn logs(&self) -> PathBuf {
        self.path.join(LOGS)
    }

    /// The last lines of a task's log.
    pub fn log_tail(&self, task: TaskId) -> String {
        let path = self.logs().join(format!("{task}.log"));
        match std::fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let lines: Vec<&str> = text.lines().rev().take(5).collect();
                let lines: Vec<&str> = lines.into_iter().rev().collect();
                format!("it said: {} ({})", lines.join("; "), path.display())
            }
            Err(_) => format!("and left no {}: do all nodes see that folder?", path.display()),
        }
    }

    pub fn assign(&self, task: TaskId, assignment: &Assignment) -> Result<(), ClusterError> {
        self.io(write_whole(&self.path.join(TASKS), &file(task), &pretty(assignment)))
    }

    pub fn assignment(&self, task: TaskId) -> Result<Assignment, ClusterError> {
        self.read(&format!("{TASKS}/{}", file(task)))
    }

    pub fn report(&self, task: TaskId, report: &Report) -> Result<(), ClusterError> {
        let text = serde_json::to_string(report).expect("reports are plain data");
        self.io(write_whole(&self.path.join(RESULTS), &file(task), &text))
    }

    /// Changes whenever a task writes its results.
    pub fn stamp(&self, task: TaskId) -> Option<Stamp> {
        let meta = std::fs::metadata(self.path.join(RESULTS).join(file(task))).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    }

    /// The results of a task so far.
    pub fn result(&self, task: TaskId) -> Result<Option<Report>, ClusterError> {
        let name = format!("{RESULTS}/{}", file(task));
        match self.exists(&name)? {
            true => self.read(&name).map(Some),
            false => Ok(None),
        }
    }

    /// All tasks that have not been removed.
    pub fn tasks(&self) -> Result<Vec<TaskId>, ClusterError> {
        self.listed(TASKS, ".json")
    }

    /// A number larger than that of any array that has left a file.
    pub fn next_array(&self) -> Result<u32, ClusterError> {
        let traces = [self.tasks()?, self.listed(RESULTS, ".json")?, self.listed(LOGS, ".log")?].concat();
        Ok(traces.iter().map(|task| task.array + 1).max().unwrap_or(0))
    }

    /// Removes the files of a task whose results are all on record. Its log stays unless it is empty.
    pub fn remove(&self, task: TaskId) -> Result<(), ClusterError> {
        // The task file comes last: without it, the others are ignored.
        let log = self.logs().join(format!("{task}.log"));
        if std::fs::metadata(&log).is_ok_and(|log| log.len() == 0) {
            self.unlink(&log)?;
        }
        self.unlink(&self.path.join(RESULTS).join(file(task)))?;
        self.unlink(&self.path.join(TASKS).join(file(task)))
    }

    fn unlink(&self, file: &Path) -> Result<(), ClusterError> {
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => self.io(Err(error)),
            _ => Ok(()),
        }
    }

    fn listed(&self, folder: &str, ending: &str) -> Result<Vec<TaskId>, ClusterError> {
        let mut tasks = Vec::new();
        for entry in self.io(std::fs::read_dir(self.path.join(folder)))? {
            let name = self.io(entry)?.file_name();
            let task = name.to_str().and_then(|name| name.strip_suffix(ending)?.parse::<TaskId>().ok());
            tasks.extend(task);
        }
        tasks.sort_unstable();
        Ok(tasks)
    }

    fn exists(&self, name: &str) -> Result<bool, ClusterError> {
        self.io(self.path.join(name).try_exists())
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, ClusterError> {
        let path = self.path.join(name);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        let text = self.io(std::fs::read_to_string(&path).map_err(named))?;
        serde_json::from_str(&text).map_err(|error| {
            let (file, line, what) = (path.display().to_string(), error.line(), error.to_string());
            FolderError::Corrupt { file, line, what }.into()
        })
    }

    fn io<T>(&self, result: io::Result<T>) -> Result<T, ClusterError> {
        result.map_err(|error| FolderError::Io { folder: self.path.display().to_string(), error }.into())
    }
}

/// Time of modification and length of a file.
pub type Stamp = (SystemTime, u64);

fn file(task: TaskId) -> String {
    format!("{task}.json")
}

fn pretty(data: &impl Serialize) -> String {
    serde_json::to_string_pretty(data).expect("it is plain data")
}
