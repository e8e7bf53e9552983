//! A swarm in a few lines.

use crate::statistics::{counted, grouped};
use selvedge_program::instances::{OfSize, Summary, Times};
use std::fmt::Write;

/// The number of instances, their results and times, with a line for each tile size.
pub fn text(summary: &Summary) -> String {
    let counts = summary.counts;
    let mut text = format!(
        "swarm: {} on {} in {:.2} s ({:.2} s of computing): {} safe, {} buggy, {} timed out\n",
        counted(counts.total(), "instance"),
        counted(summary.jobs as u64, "worker"),
        summary.wall_seconds,
        summary.cpu_seconds,
        grouped(counts.safe),
        grouped(counts.buggy),
        grouped(counts.timed_out),
    );
    for of in &summary.sizes {
        writeln!(text, "{}", of_size(of)).expect("a string takes everything");
    }
    text
}

fn of_size(of: &OfSize) -> String {
    let selections = of.selections.parse().map_or_else(|_| of.selections.clone(), grouped);
    let mut line = format!(
        "  {} {}: {} of {selections} selections free of bugs ({})",
        counted(of.tiles as u64, "tile"),
        of.kind,
        decimal(of.covered),
        percent(of.share),
    );
    if let Some(Times { least, median, most, .. }) = of.seconds {
        write!(line, "; {least:.2} to {most:.2} s, median {median:.2} s").expect("a string takes everything");
    }
    if let (Some([soon, sure]), true) = (of.expected, of.counts.total() > 1) {
        let share = of.counts.buggy as f64 / of.counts.total() as f64;
        write!(
            line,
            "; {} buggy, so {} find a bug in {:.2} s with 95 %, {} in {:.2} s with 99 %",
            percent(share),
            counted(soon.cores, "core"),
            soon.seconds,
            counted(sure.cores, "core"),
            sure.seconds
        )
        .expect("a string takes everything");
    }
    line
}

fn decimal(number: f64) -> String {
    if number.fract() == 0.0 && number < 1e15 { grouped(number as u64) } else { format!("{number:.2}") }
}

/// A percentage with enough digits for small shares.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0 %".to_string(),
        _ if percent >= 100.0 => "100 %".to_string(),
        _ if percent >= 1.0 => format!("{percent:.1} %"),
        _ if percent >= 0.001 => format!("{percent:.4} %"),
        _ => format!("{percent:.1e} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::instances::{Counts, Expected};

    #[test]
    fn in_words() {
        let counts = Counts { safe: 3, buggy: 1, timed_out: 0 };
        let expected = |cores, probability| Expected { cores, seconds: 2.0, probability };
        let of = OfSize {
            tile_size: 12,
            kind: "of size 12".to_string(),
            tiles: 2,
            selections: "1234567".to_string(),
            covered: 3.0,
            share: 3.0 / 1_234_567.0,
            counts,
            seconds: Times::of([0.5, 1.0, 2.0]),
            seconds_of_buggy: Times::of([2.0]),
            cpu_seconds_of_buggy: Times::of([1.5]),
            expected: Some([expected(11, 0.95), expected(17, 0.99)]),
        };
        let summary = Summary {
            jobs: 2,
            wall_seconds: 2.0,
            instances_per_second: 2.0,
            cpu_seconds: 3.5,
            peak_megabytes: Some(200),
            counts,
            sizes: vec![of],
        };
        let told = "swarm: 4 instances on 2 workers in 2.00 s (3.50 s of computing): 3 safe, 1 buggy, 0 timed out\n  \
                    2 tiles of size 12: 3 of 1,234,567 selections free of bugs (2.4e-4 %); 0.50 to 2.00 s, median \
                    1.00 s; 25.0 % buggy, so 11 cores find a bug in 2.00 s with 95 %, 17 cores in 2.00 s with 99 %\n";
        assert_eq!(text(&summary), told);
    }

    #[test]
    fn shares() {
        assert_eq!([0.0, 1.0, 0.5, 0.005].map(percent), ["0 %", "100 %", "50.0 %", "0.5000 %"]);
    }
}
