//! How a run is limited, interrupted and watched from outside.

use selvedge_program::Reason;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What an engine tells while it works.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    /// The number of preemptions being searched.
    pub preemptions: u32,
    /// States waiting to be expanded.
    pub frontier: u64,
    /// Bytes.
    pub memory: u64,
}

/// Called now and then.
pub type Watcher = Box<dyn Fn(&Progress) + Send + Sync>;

/// Limits, a stop flag, and somebody who watches.
pub struct Control {
    /// Set from a signal handler, or by another engine that was first.
    pub stop: Arc<AtomicBool>,
    pub time_limit: Option<Duration>,
    /// Bytes.
    pub memory_limit: Option<u64>,
    pub started: Instant,
    pub watcher: Option<Watcher>,
}

impl Default for Control {
    fn default() -> Control {
        Control {
            stop: Arc::new(AtomicBool::new(false)),
            time_limit: None,
            memory_limit: None,
            started: Instant::now(),
            watcher: None,
        }
    }
}

impl Control {
    /// To be asked every few thousand steps: why to stop now, if at all. Tells the watcher.
    pub fn should_stop(&self, progress: &Progress) -> Option<Reason> {
        if let Some(watcher) = &self.watcher {
            watcher(progress);
        }
        if self.stop.load(Ordering::Relaxed) {
            return Some(Reason::Interrupted);
        }
        if let Some(limit) = self.time_limit
            && self.started.elapsed() >= limit
        {
            return Some(Reason::TimeLimit { seconds: limit.as_secs() });
        }
        if let Some(limit) = self.memory_limit
            && progress.memory >= limit
        {
            return Some(Reason::MemoryLimit { megabytes: limit >> 20 });
        }
        None
    }
}
