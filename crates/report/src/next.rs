//! Hints where a verdict leaves something open: which loop, thread or input is too much, and which option or
//! smaller instance would help.

use selvedge_program::coverage::{Coverage, CutAt};
use selvedge_program::{Assumption, FixedInput, Limit, Reason, Vacuity, Verdict};

/// All that advice depends on.
pub struct Situation<'a> {
    pub verdict: &'a Verdict,
    pub vacuity: Option<&'a Vacuity>,
    pub stopped_by: Option<&'a Reason>,
    pub assumptions: &'a [Assumption],
    /// Besides main, if that is known.
    pub threads: Option<u32>,
    /// Loops that runs got to, as `file:line`.
    pub loops: &'a [String],
    /// A call that reads a file or a stream, as in `fgets at a.c:7`, if runs got to one.
    pub reads: Option<&'a str>,
}

/// The most loops that are named.
const MOST_LOOPS: usize = 3;

impl Situation<'_> {
    /// In plain words, or nothing if nothing is left open.
    pub fn next(&self) -> Option<String> {
        let within = match self.verdict {
            Verdict::SafeWithin(within) | Verdict::SafeUnder { within, .. } => Some(within),
            Verdict::Safe | Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        };
        let reason = match self.verdict {
            Verdict::Unknown(reason) => Some(reason),
            _ => self.stopped_by,
        };
        let empty = self.vacuity.and_then(|_| self.want_of_arguments());
        empty.or_else(|| reason.and_then(|reason| self.after(reason))).or_else(|| within.and_then(beyond))
    }

    fn want_of_arguments(&self) -> Option<String> {
        let unsaid = self.assumptions.contains(&Assumption::Fixed(FixedInput::Arguments));
        unsaid.then(|| {
            "the program is run without arguments, and reads them: add `-- ARGUMENT …`, or leave them open (--arg-any 2)"
                .to_string()
        })
    }

    fn after(&self, reason: &Reason) -> Option<String> {
        match reason {
            Reason::TimeLimit { seconds } => Some(format!(
                "{} more runs than fit into {seconds} s; {}{SMALLER}; --preemptions 2 looks only at runs with few switches, \
                 --time-limit gives more time",
                self.too_much(),
                self.shorter_input()
            )),
            Reason::MemoryLimit { megabytes } => Some(format!(
                "{} more states than fit into {megabytes} MB; {}{SMALLER}; --engine explicit --store compact keeps fewer bytes \
                 of each, --frontier disk=DIR writes them to disk, --memory-limit gives more memory",
                self.too_much(),
                self.shorter_input()
            )),
            Reason::WideInput { input, at } => Some(all_values(input, at)),
            Reason::Unsupported { what, at } => Some(format!(
                "{what}, at {at}, is beyond us: a model of your own in C stands in for a function (--model FILE), and -D can \
                 leave out code that does not matter"
            )),
            Reason::NothingChecked { within } => beyond(within),
            Reason::Each(reasons) => reasons.iter().find_map(|(_, reason)| self.after(reason)),
            Reason::Interrupted
            | Reason::NotLookedFor { .. }
            | Reason::Vacuous(_)
            | Reason::Assumed { .. }
            | Reason::Observer { .. }
            | Reason::Limit(_) => None,
        }
    }

    fn shorter_input(&self) -> String {
        let said = self.assumptions.iter().any(|assumption| matches!(assumption, Assumption::LongestInput { .. }));
        match self.reads.filter(|_| !said) {
            Some(read) => format!("{read} may read any text: --longest-input 4 leaves out longer ones; "),
            None => String::new(),
        }
    }

    /// `3 threads and the loops at a.c:7, a.c:9 make`.
    fn too_much(&self) -> String {
        let threads = self.threads.filter(|threads| *threads > 0);
        let threads =
            threads.map(|threads| format!("{threads} thread{} besides main", if threads == 1 { "" } else { "s" }));
        let named = self.loops.iter().take(MOST_LOOPS).map(String::as_str).collect::<Vec<_>>().join(", ");
        let loops = match self.loops.len() {
            0 => None,
            1 => Some(format!("the loop at {named}")),
            2..=MOST_LOOPS => Some(format!("the loops at {named}")),
            _ => Some(format!("the loops at {named} and elsewhere")),
        };
        let parts: Vec<String> = threads.into_iter().chain(loops).collect();
        let one = self.loops.len() == 1 && parts.len() == 1 || parts.is_empty();
        let who = if parts.is_empty() { "the program".to_string() } else { parts.join(" and ") };
        format!("{who} make{}", if one { "s" } else { "" })
    }
}

const SMALLER: &str = "an instance with fewer threads or iterations (-DN=2, where a constant says how many) can be looked at \
                       whole, and shows most bugs";

fn all_values(input: &str, at: &str) -> String {
    format!(
        "the input {input} at {at} has too many values to try one by one: --engine lazy takes all of them at once; an \
         assumption that narrows it, or --max-input-values, lets them be tried"
    )
}

/// A hint how to look beyond the bounds.
fn beyond(within: &Coverage) -> Option<String> {
    let wide = within.limits.iter().find_map(|limit| match limit {
        Limit::SomeValues { input, at } => Some(all_values(input, at)),
        _ => None,
    });
    beyond_cuts(within).or(wide)
}

/// A hint how to look beyond bounds that end runs.
fn beyond_cuts(within: &Coverage) -> Option<String> {
    let unwind = within.limits.iter().find_map(|limit| match limit {
        Limit::Unwind { iterations, .. } if within.may_be_cut() => Some(*iterations),
        _ => None,
    })?;
    Some(match within.cuts_at.first()? {
        CutAt::Loop(at) => format!(
            "the loop at {at} goes on after {unwind} iterations: --unwind-loop {at}=N looks further, a smaller constant ends \
             it earlier, and --engine explicit has no such bound"
        ),
        CutAt::Recursion(at) => {
            format!(
                "the recursion at {at} goes deeper: --recursion N looks further, and --engine explicit has no such bound"
            )
        }
        CutAt::Threads(at) => {
            format!(
                "more threads are created at {at}: --threads N looks further, and --engine explicit has no such bound"
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::Cuts;

    fn advice(verdict: &Verdict, stopped_by: Option<&Reason>, loops: &[&str]) -> Option<String> {
        let loops: Vec<String> = loops.iter().map(|at| at.to_string()).collect();
        Situation {
            verdict,
            vacuity: None,
            stopped_by,
            assumptions: &[],
            threads: Some(3),
            loops: &loops,
            reads: Some("fgets at a.c:5"),
        }
        .next()
    }

    #[test]
    fn what_is_open_is_named() {
        let late = Reason::TimeLimit { seconds: 30 };
        let text = advice(&Verdict::Unknown(late.clone()), None, &["a.c:7", "a.c:9"]).expect("advice");
        assert!(text.starts_with("3 threads besides main and the loops at a.c:7, a.c:9 make more runs than"), "{text}");
        assert!(text.contains("fgets at a.c:5 may read any text: --longest-input 4 leaves out longer ones"), "{text}");
        assert!(text.contains("30 s") && text.contains("--preemptions 2"), "{text}");
        let cut = Limit::Unwind { iterations: 4, cuts: Cuts::Some };
        let within = Coverage { cuts_at: vec![CutAt::Loop("a.c:7".to_string())], ..Coverage::within([cut]) };
        let text = advice(&Verdict::SafeWithin(within.clone()), None, &[]).expect("advice");
        assert!(text.starts_with("the loop at a.c:7 goes on after 4 iterations: --unwind-loop a.c:7=N"), "{text}");
        let text = advice(&Verdict::SafeWithin(within), Some(&late), &[]).expect("advice");
        assert!(text.starts_with("3 threads besides main make more runs"), "{text}");
        assert_eq!(advice(&Verdict::Safe, None, &["a.c:7"]), None);
        assert_eq!(advice(&Verdict::Unknown(Reason::Interrupted), None, &[]), None);
    }

    #[test]
    fn who_wants_arguments_is_told() {
        let vacuity = Vacuity::NoThread { at: "pthread_create at a.c:9".to_string() };
        let assumptions = [Assumption::Fixed(FixedInput::Arguments)];
        let (verdict, vacuity) = (&Verdict::Safe, Some(&vacuity));
        let situation = Situation {
            verdict,
            vacuity,
            stopped_by: None,
            assumptions: &assumptions,
            threads: Some(0),
            loops: &[],
            reads: None,
        };
        assert!(situation.next().is_some_and(|text| text.contains("--arg-any")));
    }
}
