//! From the integers of a counterexample to the turns of its run: how far each thread gets in each round.
//!
//! Emitted programs keep the names of the papers. With all guesses up front (Lazy-CSeq 2.0, TACAS 2017),
//! `cs_T_R` is how many of its points thread T has passed after round R. In the older style (CAV 2014) the
//! driver sets `ct` to a thread, then `cs` to how far it gets, thread by thread and round by round; main begins,
//! and has the last turn in every round.

use selvedge_symbolic::lazy::Stop;

/// The turns, in the order in which threads take them. What the tool did not tell is not constrained.
pub fn turns(values: &[(String, u64)], order: &[usize]) -> Vec<Stop> {
    let mut stops = match up_front(values) {
        stops if stops.is_empty() => one_by_one(values, order),
        stops => stops,
    };
    let place = |stop: &Stop| (stop.round, order.iter().position(|thread| *thread == stop.thread));
    stops.sort_by_key(place);
    stops
}

fn up_front(values: &[(String, u64)]) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    for (name, value) in values {
        let Some((thread, round)) = name.strip_prefix("cs_").and_then(|name| name.split_once('_')) else { continue };
        let (Ok(thread), Ok(round), Ok(passed)) = (thread.parse(), round.parse(), usize::try_from(*value)) else {
            continue;
        };
        // Some tools show a variable twice, first as it is declared: the last value counts.
        stops.retain(|stop| (stop.round, stop.thread) != (round, thread));
        stops.push(Stop { round, thread, passed });
    }
    stops
}

fn one_by_one(values: &[(String, u64)], order: &[usize]) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    let place = |thread: usize| order.iter().position(|other| *other == thread);
    let (mut thread, mut round) = (0, 0);
    for (name, value) in values {
        let Ok(value) = usize::try_from(*value) else { continue };
        match name.as_str() {
            "ct" => {
                // A thread that is not behind the last one has its turn in the next round.
                round += u32::from(!stops.is_empty() && place(value) <= place(thread));
                thread = value;
            }
            // Main's first turn passes something: this is what `cs` is before it, which some tools show.
            "cs" if stops.is_empty() && value == 0 => {}
            "cs" => {
                stops.retain(|stop| (stop.round, stop.thread) != (round, thread));
                stops.push(Stop { round, thread, passed: value });
            }
            _ => {}
        }
    }
    stops
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(values: &[(&str, u64)]) -> Vec<(u32, usize, usize)> {
        let values: Vec<_> = values.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        turns(&values, &[2, 1, 0]).into_iter().map(|stop| (stop.round, stop.thread, stop.passed)).collect()
    }

    #[test]
    fn guesses_up_front_come_in_any_order() {
        let values =
            [("cs_0_0", 0), ("cs_0_0", 2), ("x", 7), ("cs_0_1", 3), ("cs_1_1", 4), ("cs_2_1", 5), ("cs_a_b", 1)];
        assert_eq!(told(&values), [(0, 0, 2), (1, 2, 5), (1, 1, 4), (1, 0, 3)]);
    }

    #[test]
    fn turns_one_by_one_count_their_rounds() {
        let values = [
            ("ct", 0),
            ("cs", 0),
            ("ct", 0),
            ("cs", 2),
            ("ct", 2),
            ("cs", 1),
            ("ct", 0),
            ("cs", 3),
            ("ct", 1),
            ("cs", 4),
        ];
        assert_eq!(told(&values), [(0, 0, 2), (1, 2, 1), (1, 0, 3), (2, 1, 4)]);
    }
}
