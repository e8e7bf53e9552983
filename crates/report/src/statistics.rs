//! The numbers of a run, in words.

use selvedge_engines::Statistics;

/// One line: `1,204 states, 3,100 transitions, 400,000 states/s, 12 MB, 0.01 s`.
pub fn summary(statistics: &Statistics) -> String {
    let mut parts = vec![
        format!("{} states", grouped(statistics.states)),
        format!("{} transitions", grouped(statistics.transitions)),
        format!("{} states/s", grouped(statistics.states_per_second)),
        bytes(statistics.peak_memory),
        format!("{:.2} s", statistics.seconds),
    ];
    if let Some(preemptions) = statistics.preemptions {
        parts.push(format!("complete up to {preemptions} preemptions"));
    }
    if statistics.restarts > 0 {
        parts.push(format!("{} restarts", statistics.restarts));
    }
    parts.join(", ")
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
}
