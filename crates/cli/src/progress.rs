//! The progress line: on a terminal only, and never in the way of an engine.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge_engine::control::Watcher;
use selvedge_engine::{Level, Progress};
use selvedge_report::statistics::{bytes, counted, grouped};
use std::io::IsTerminal;
use std::sync::Arc;
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
pub fn watcher(bar: ProgressBar) -> Watcher {
    let started = Instant::now();
    let last = std::sync::Mutex::new(None::<Instant>);
    Arc::new(move |progress| {
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

/// Shows what a swarm tells.
pub fn swarm_watcher(bar: ProgressBar) -> selvedge_swarm::Watcher {
    Arc::new(move |progress| {
        bar.set_message(swarm_message(progress));
        bar.tick();
    })
}

/// How many instances of how many, how they ended, how long they take, how long it will take.
fn swarm_message(progress: &selvedge_swarm::Progress) -> String {
    let selvedge_program::instances::Counts { safe, buggy, timed_out } = progress.counts;
    let left = u64::try_from(progress.left).map_or_else(|_| "very many".to_string(), grouped);
    let time_left = progress.time_left.map_or(String::new(), |time| format!(", about {}", duration(time)));
    format!(
        "tiles of {}: {} safe, {} buggy, {} timed out, {} running, {left} left{time_left}; {}{:.0} s",
        progress.tile_size,
        grouped(safe),
        grouped(buggy),
        grouped(timed_out),
        progress.running,
        histogram(&progress.histogram),
        progress.elapsed.as_secs_f64()
    )
}

/// Times of instances, from short to long, each bar those that took up to twice as long as the last.
fn histogram(buckets: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (Some(first), Some(most)) = (buckets.iter().position(|count| *count > 0), buckets.iter().max()) else {
        return String::new();
    };
    let height = |count: &u64| if *count == 0 { ' ' } else { BARS[((*count * 8 - 1) / most).min(7) as usize] };
    let bars: String = buckets[first..].iter().map(height).collect();
    let milliseconds = |bucket: usize| duration(Duration::from_millis(1 << bucket.min(40)));
    format!("{} {bars} {}, ", milliseconds(first), milliseconds(buckets.len()))
}

fn duration(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86400),
    }
}

/// One engine in full, two engines in short.
fn message(progress: &Progress, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let Progress { states, preemptions, variables, clauses, .. } = *progress;
    let searched = format!("{}, {}", counted(states, "state"), counted(preemptions.into(), "preemption"));
    let memory = bytes(progress.memory);
    match progress.level {
        Some(Level { unwind, rounds }) => {
            let other = if states > 0 { format!("{searched}, {memory} | ") } else { String::new() };
            let formula = match progress.status.as_str() {
                "" => format!("{}, {}", counted(variables, "variable"), counted(clauses, "clause")),
                status => status.to_string(),
            };
            format!("{other}unwind {unwind}, rounds {rounds}: {formula}, {seconds:.0} s")
        }
        None => {
            let speed = grouped((states as f64 / seconds) as u64);
            let waiting = grouped(progress.frontier);
            format!("{searched}, {speed} states/s, {waiting} waiting, {memory}, {seconds:.0} s")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swarm() {
        let progress = selvedge_swarm::Progress {
            tile_size: 12,
            counts: selvedge_program::instances::Counts { safe: 1200, buggy: 0, timed_out: 3 },
            running: 2,
            left: 7000,
            histogram: vec![0, 0, 4, 8, 1, 0, 2],
            elapsed: Duration::from_secs(61),
            time_left: Some(Duration::from_secs(360)),
        };
        let told = "tiles of 12: 1,200 safe, 0 buggy, 3 timed out, 2 running, 7,000 left, about 6 min; \
                    4 ms ▄█▁ ▂ 128 ms, 61 s";
        assert_eq!(swarm_message(&progress), told);
    }

    #[test]
    fn one_engine_or_both() {
        let ten = Duration::from_secs(10);
        let explicit = Progress { states: 12_000, preemptions: 1, frontier: 7, memory: 3 << 20, ..Progress::default() };
        let text = "12,000 states, 1 preemption, 1,200 states/s, 7 waiting, 3 MB, 10 s";
        assert_eq!(message(&explicit, ten), text);
        let level = Some(Level { unwind: 2, rounds: 3 });
        let lazy = Progress { level, variables: 12_345, clauses: 67_890, ..Progress::default() };
        let text = "unwind 2, rounds 3: 12,345 variables, 67,890 clauses, 10 s";
        assert_eq!(message(&lazy, ten), text);
        let outside = Progress { level, status: "converting SSA".to_string(), ..Progress::default() };
        assert_eq!(message(&outside, ten), "unwind 2, rounds 3: converting SSA, 10 s");
        let both = Progress { level, variables: 12_345, clauses: 67_890, ..explicit };
        assert_eq!(message(&both, ten), format!("12,000 states, 1 preemption, 3 MB | {text}"));
    }
}
