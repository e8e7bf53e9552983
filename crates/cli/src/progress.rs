//! The progress line: on a terminal only, and never in the way of an engine.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge_engines::Progress;
use selvedge_report::statistics::{bytes, grouped};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Terminals do not need to be told more often than this.
const PERIOD: Duration = Duration::from_millis(100);

/// `None` if standard error is no terminal.
pub fn line(quiet: bool) -> Option<ProgressBar> {
    if quiet || !std::io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    Some(bar)
}

/// Shows what an engine tells.
pub fn watcher(bar: ProgressBar) -> Box<dyn Fn(&Progress) + Send + Sync> {
    let started = Instant::now();
    let last = std::sync::Mutex::new(None::<Instant>);
    Box::new(move |progress| {
        // Two threads at once: one of them shows, the other one has better things to do.
        let Ok(mut last) = last.try_lock() else { return };
        if last.is_some_and(|last| last.elapsed() < PERIOD) {
            return;
        }
        *last = Some(Instant::now());
        bar.set_message(message(progress, started.elapsed()));
        bar.tick();
    })
}

fn message(progress: &Progress, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    format!(
        "{} states, {} preemptions, {} states/s, {} waiting, {}, {:.0} s",
        grouped(progress.states),
        progress.preemptions,
        grouped((progress.states as f64 / seconds) as u64),
        grouped(progress.frontier),
        bytes(progress.memory),
        seconds,
    )
}
