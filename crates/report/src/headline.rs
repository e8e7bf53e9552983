//! The line that every check ends with. Scripts match on it, so its form is fixed.

use selvedge_program::trace::Position;
use selvedge_program::{Trace, Vacuity, Verdict};

/// `VERDICT: unsafe (assertion at file:line) | safe | safe within bounds (…) | safe under the abstraction (…) |
/// unknown (reason)`.
pub fn headline(verdict: &Verdict) -> String {
    full(verdict, None, &[])
}

/// The headline, with a warning: `VERDICT: safe (warning: no thread was created: …)`; or with violations beyond the
/// first: `VERDICT: unsafe (lock at a.c:3; also memory at a.c:7)`.
pub fn full(verdict: &Verdict, vacuity: Option<&Vacuity>, others: &[&Trace]) -> String {
    let warning = vacuity.map(|vacuity| format!("warning: {vacuity}"));
    let also = warning.as_ref().map(|warning| format!("; {warning}")).unwrap_or_default();
    let claim = match verdict {
        Verdict::Unsafe(trace) => {
            let more: Vec<String> = others.iter().map(|other| violated(other)).collect();
            let more = if more.is_empty() { String::new() } else { format!("; also {}", more.join(", ")) };
            format!("unsafe ({}{more})", violated(trace))
        }
        Verdict::Safe => warning.map_or("safe".to_string(), |warning| format!("safe ({warning})")),
        Verdict::SafeWithin(coverage) => format!("safe within bounds ({coverage}{also})"),
        Verdict::SafeUnder { abstraction, within } => match within.is_complete() {
            true => format!("safe under the abstraction ({abstraction}{also})"),
            false => format!("safe under the abstraction ({abstraction}, {within}{also})"),
        },
        Verdict::Unknown(reason) => format!("unknown ({reason})"),
    };
    format!("VERDICT: {}", one_line(&claim))
}

/// `assertion at a.c:12`.
fn violated(trace: &Trace) -> String {
    let at = place(&trace.at).map(|place| format!(" at {place}")).unwrap_or_default();
    format!("{}{at}{}", trace.violation.property.name(), resting_on(&trace.assumed))
}

/// Names the functions without a body that a violation needs.
fn resting_on(assumed: &[String]) -> String {
    let names: Vec<String> = assumed.iter().map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(", resting on the assumed result of {}", names.join(", ")),
    }
}

/// `file:line`, if the line is known.
pub fn place(at: &Position) -> Option<String> {
    (at.line != 0).then(|| format!("{}:{}", at.file, at.line))
}

/// Replaces control characters: names come from the program, and must neither break the line nor reach the terminal as
/// escape codes.
pub(crate) fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() => '·',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::{Coverage, Cuts, Limit, Property, Reason};

    #[test]
    fn forms() {
        assert_eq!(headline(&Verdict::Safe), "VERDICT: safe");
        let preemptions = Limit::Preemptions { most: 2, of_supersteps: false };
        let within = Coverage::within([preemptions.clone(), Limit::NotLookedFor(Property::Leak)]);
        let line = headline(&Verdict::SafeWithin(within));
        assert_eq!(line, "VERDICT: safe within bounds (2 preemptions, leaks not looked for)");
        let within = Coverage::within([Limit::Unwind { iterations: 2, cuts: Cuts::None }, Limit::Rounds(3)]);
        let line = headline(&Verdict::SafeWithin(within));
        assert_eq!(line, "VERDICT: safe within bounds (unwind 2 complete, rounds 3)");
        let under = |limits| Verdict::SafeUnder { abstraction: "update_abs".into(), within: Coverage::within(limits) };
        assert_eq!(headline(&under(vec![])), "VERDICT: safe under the abstraction (update_abs)");
        let line = headline(&under(vec![preemptions]));
        assert_eq!(line, "VERDICT: safe under the abstraction (update_abs, 2 preemptions)");
        let within = Coverage::within([Limit::Unwind { iterations: 1, cuts: Cuts::Some }, Limit::Rounds(2)]);
        let reason = Reason::NothingChecked { within: Box::new(within) };
        assert_eq!(
            headline(&Verdict::Unknown(reason)),
            "VERDICT: unknown (nothing was checked: no check is reachable within unwind 1 cut, rounds 2)"
        );
        let wide = Reason::WideInput { input: "`n`".into(), at: "a.c:3".into() };
        let each = Reason::Each(vec![("explicit", wide), ("lazy", Reason::TimeLimit { seconds: 3 })]);
        assert_eq!(
            headline(&Verdict::Unknown(each)),
            "VERDICT: unknown (explicit: too many values to try for the input `n` at a.c:3; lazy: time limit of 3 s)"
        );
        let reason = Reason::TimeLimit { seconds: 30 };
        assert_eq!(headline(&Verdict::Unknown(reason)), "VERDICT: unknown (time limit of 30 s)");
        let reason = Reason::Limit("two\nlines \u{1b}[31m".into());
        assert_eq!(headline(&Verdict::Unknown(reason)), "VERDICT: unknown (two lines ·[31m)");
    }
}
