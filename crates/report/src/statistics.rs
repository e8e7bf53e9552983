//! The statistics of a run, in words.

use selvedge_program::Statistics;
use selvedge_program::Verdict;

/// One line: `1,204 states, 3,100 transitions, 400,000 states/s, 12 MB, 0.01 s`, and the number of
/// preemptions up to which the search is complete, or that a violation needs at least. If there was a formula:
/// `12,345 variables, 67,890 clauses, 31 switch points`.
pub fn summary(statistics: &Statistics, verdict: &Verdict) -> String {
    let formula = statistics.variables > 0 || statistics.interleavings.is_some();
    let mut parts = Vec::new();
    if statistics.runs > 0 {
        parts.push(counted(statistics.runs, "run"));
    }
    if statistics.states == 0 && statistics.runs > 0 {
        parts.push(counted(statistics.transitions, "transition"));
        parts.push(bytes(statistics.peak_memory));
    } else if statistics.states > 0 || !formula {
        parts.push(counted(statistics.states, "state"));
        parts.push(counted(statistics.transitions, "transition"));
        parts.push(format!("{} states/s", grouped(statistics.states_per_second)));
        parts.push(bytes(statistics.peak_memory));
    }
    if statistics.on_disk > 0 {
        parts.push(format!("{} on disk", bytes(statistics.on_disk)));
    }
    if let Some(tree) = &statistics.interleavings {
        parts.push(counted(tree.generated, "interleaving"));
        parts.push(format!("{} failed", grouped(tree.failed)));
        parts.push(counted(tree.nodes, "node"));
        parts.push(counted(tree.solver_calls, "solver call"));
    }
    if statistics.variables > 0 {
        parts.push(counted(statistics.variables, "variable"));
        parts.push(counted(statistics.clauses, "clause"));
        parts.push(counted(statistics.switch_points, "switch point"));
    }
    if statistics.iterations > 0 {
        parts.push(counted(statistics.iterations, "iteration"));
    }
    if let Some(walked) = &statistics.walked {
        let (runs, steps) = (counted(walked.runs, "random walk"), counted(walked.steps, "step"));
        parts.push(format!("{runs} ({steps}, {} kinds of switches)", grouped(walked.switches)));
    }
    parts.push(format!("{:.2} s", statistics.seconds));
    if statistics.outside_seconds > 0.0 {
        parts.push(format!("{:.2} s of it outside", statistics.outside_seconds));
    }
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

/// `120 accesses, 40 shared, 31 after locks`: the successive reductions of context-switch points.
pub fn reductions(statistics: &Statistics) -> Option<String> {
    let parts: Vec<String> =
        statistics.reductions.iter().map(|(name, left)| format!("{} {name}", grouped(*left))).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `12,345 of 67,890 bits`: the bits of values in a formula that ranges leave open.
pub fn bits(statistics: &Statistics) -> Option<String> {
    let (needed, all) = (statistics.bits_needed, statistics.bits);
    (all > 0).then(|| format!("{} of {} bits", grouped(needed), grouped(all)))
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

    #[test]
    fn formulas_have_a_size() {
        let mut statistics =
            Statistics { variables: 12_345, clauses: 1, switch_points: 31, seconds: 0.5, ..Statistics::default() };
        assert_eq!(summary(&statistics, &Verdict::Safe), "12,345 variables, 1 clause, 31 switch points, 0.50 s");
        assert_eq!(reductions(&statistics), None);
        let outside = Statistics { outside_seconds: 0.25, ..statistics.clone() };
        let text = summary(&outside, &Verdict::Safe);
        assert!(text.ends_with(", 31 switch points, 0.50 s, 0.25 s of it outside"), "{text}");
        statistics.states = 2;
        let text = summary(&statistics, &Verdict::Safe);
        assert!(text.starts_with("2 states, ") && text.contains(", 12,345 variables, "), "{text}");
        statistics.reductions = vec![("accesses".into(), 1_200), ("shared".into(), 40), ("after locks".into(), 31)];
        assert_eq!(reductions(&statistics).as_deref(), Some("1,200 accesses, 40 shared, 31 after locks"));
    }
}
