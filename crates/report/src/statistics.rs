//! The numbers of a run, in words.

use selvedge_engines::Statistics;
use selvedge_program::Verdict;

/// One line: `1,204 states, 3,100 transitions, 400,000 states/s, 12 MB, 0.01 s`, and how far the
/// search got in preemptions; with a violation, how many it takes at least.
pub fn summary(statistics: &Statistics, verdict: &Verdict) -> String {
    let mut parts = vec![
        counted(statistics.states, "state"),
        counted(statistics.transitions, "transition"),
        format!("{} states/s", grouped(statistics.states_per_second)),
        bytes(statistics.peak_memory),
        format!("{:.2} s", statistics.seconds),
    ];
    match (statistics.preemptions, verdict) {
        (Some(fewest), Verdict::Unsafe(_)) => parts.push(format!("fewest preemptions: {fewest}")),
        (Some(most), _) => parts.push(format!("complete up to {}", counted(most.into(), "preemption"))),
        (None, _) => {}
    }
    if statistics.restarts > 0 {
        parts.push(counted(statistics.restarts.into(), "restart"));
    }
    parts.join(", ")
}

/// `1 state`, `2 states`.
pub fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub fn bytes(count: u64) -> String {
    const MEGABYTE: u64 = 1 << 20;
    match count {
        0..MEGABYTE => format!("{} kB", count >> 10),
        _ => format!("{} MB", grouped(count >> 20)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn preemptions_mean_what_the_verdict_makes_of_them() {
        let mut statistics = Statistics { states: 1, preemptions: Some(1), restarts: 2, ..Statistics::default() };
        let text = summary(&statistics, &Verdict::Safe);
        assert!(text.starts_with("1 state, 0 transitions, "), "{text}");
        assert!(text.ends_with(", complete up to 1 preemption, 2 restarts"), "{text}");
        statistics.preemptions = Some(2);
        let reason = selvedge_program::Reason::Interrupted;
        let text = summary(&statistics, &Verdict::Unknown(reason));
        assert!(text.contains("complete up to 2 preemptions"), "{text}");
        statistics.preemptions = None;
        assert!(!summary(&statistics, &Verdict::Safe).contains("preemption"));
    }
}
