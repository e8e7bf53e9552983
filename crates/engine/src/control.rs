//! Limits, interrupts and progress of a run.

use selvedge_program::{Reason, Statistics};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// An engine's progress. Counts that it does not have stay zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    /// The number of preemptions being searched.
    pub preemptions: u32,
    /// States waiting to be expanded.
    pub frontier: u64,
    /// Bytes.
    pub memory: u64,
    /// Millionths of the search that are done, by an estimate; zero where nobody knows.
    pub done: u32,
    /// The bounds being tried.
    pub level: Option<Level>,
    /// The size of the formula for them.
    pub variables: u64,
    pub clauses: u64,
    /// The last message of an outside checker.
    pub status: String,
}

impl Progress {
    /// The statistics of work that was left behind: whatever it had reported.
    pub fn statistics(&self, started: Instant) -> Statistics {
        let mut statistics = Statistics {
            states: self.states,
            transitions: self.transitions,
            peak_memory: self.memory,
            variables: self.variables,
            clauses: self.clauses,
            ..Statistics::default()
        };
        statistics.take_time(started);
        statistics
    }
}

/// A pair of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    pub unwind: u32,
    pub rounds: u32,
}

/// Called now and then.
pub type Watcher = Arc<dyn Fn(&Progress) + Send + Sync>;

/// The file for states that wait, and how many words of it are written at once.
#[derive(Clone, Debug)]
pub struct Disk {
    pub folder: PathBuf,
    pub block: usize,
    /// Only when the search takes so many bytes of memory. Zero: in any case, and what cannot be written ends the
    /// search.
    pub from: u64,
}

impl Disk {
    /// A megabyte at once.
    pub fn new(folder: PathBuf) -> Disk {
        Disk { folder, block: 1 << 17, from: 0 }
    }

    /// When half of the memory is used up; in smaller pieces, for memory is short then.
    pub fn when_short(folder: PathBuf, memory_limit: u64) -> Disk {
        Disk { folder, block: 1 << 13, from: (memory_limit / 2).max(1) }
    }

    pub fn is_optional(&self) -> bool {
        self.from > 0
    }
}

/// Limits, a stop flag, and a watcher. Clones share the flag.
#[derive(Clone)]
pub struct Control {
    /// Set by a signal handler, or by another engine that was faster.
    pub stop: Arc<AtomicBool>,
    /// The reason why it was set, unless that was an interrupt.
    pub why: Arc<OnceLock<Reason>>,
    pub time_limit: Option<Duration>,
    /// Bytes.
    pub memory_limit: Option<u64>,
    /// A place for data that need not be in memory; only the explicit engine uses it.
    pub disk: Option<Disk>,
    pub started: Instant,
    pub watcher: Option<Watcher>,
}

impl Default for Control {
    fn default() -> Control {
        Control {
            stop: Arc::new(AtomicBool::new(false)),
            why: Arc::default(),
            time_limit: None,
            memory_limit: None,
            disk: None,
            started: Instant::now(),
            watcher: None,
        }
    }
}

impl Control {
    /// Is it time to stop? For callers without progress to report.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.limit_passed().is_some()
    }

    /// Why it is time to stop, if the flag or the clock says so.
    pub fn over(&self) -> Option<Reason> {
        if self.stop.load(Ordering::Acquire) {
            return Some(self.why.get().cloned().unwrap_or(Reason::Interrupted));
        }
        self.limit_passed().map(|limit| Reason::TimeLimit { seconds: limit.as_secs() })
    }

    /// Why something that looks at the flag and the clock has stopped.
    pub fn why_stopped(&self) -> Reason {
        self.over().unwrap_or(Reason::Interrupted)
    }

    fn limit_passed(&self) -> Option<Duration> {
        self.time_limit.filter(|limit| self.started.elapsed() >= *limit)
    }

    /// Stops all holders of this flag.
    pub fn stop_for(&self, reason: Reason) {
        // The first reason counts.
        let _ = self.why.set(reason);
        self.stop.store(true, Ordering::Release);
    }

    /// The reason to stop now, if there is one; tells the watcher the progress. Engines call this every few thousand
    /// steps.
    pub fn should_stop(&self, progress: &Progress) -> Option<Reason> {
        if let Some(watcher) = &self.watcher {
            watcher(progress);
        }
        let memory = self.memory_limit.filter(|limit| progress.memory >= *limit);
        self.over().or(memory.map(memory_limit))
    }
}

pub fn memory_limit(bytes: u64) -> Reason {
    Reason::MemoryLimit { megabytes: bytes >> 20 }
}

/// The memory that this process uses, in bytes. `None` where the system does not say.
pub fn resident_memory() -> Option<u64> {
    memory("VmRSS:")
}

/// The most that it ever had.
pub fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// The time that this thread has had on a core. `None` where the system does not say.
pub fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
