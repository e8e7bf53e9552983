//! Verdicts in the words of SV-COMP, as BenchExec reads them.

use crate::Report;
use crate::headline::{full, one_line};
use selvedge_program::{Property, Verdict, Violation};

/// `RESULT: true | false(unreach-call) | unknown (why)`. Only what was shown without bounds is true.
pub fn line(report: &Report<'_>) -> String {
    let claim = match report.verdict {
        Verdict::Unsafe(trace) if !trace.assumed.is_empty() => {
            format!("unknown (resting on the assumed result of {})", trace.assumed.join(", "))
        }
        Verdict::Unsafe(trace) => match violated(&trace.violation) {
            Some(property) => format!("false({property})"),
            None => format!("unknown ({}: SV-COMP has no such property)", trace.violation.property.name()),
        },
        Verdict::Safe if report.vacuity.is_none() => "true".to_string(),
        Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } => {
            let headline = full(report.verdict, report.vacuity, &report.others);
            format!("unknown ({})", headline.trim_start_matches("VERDICT: "))
        }
        Verdict::Unknown(reason) => format!("unknown ({reason})"),
    };
    format!("RESULT: {}\n", one_line(&claim))
}

/// SV-COMP's name of the violated property, or of the part of it.
fn violated(violation: &Violation) -> Option<&'static str> {
    match violation.property {
        Property::Assertion => Some("unreach-call"),
        Property::Memory if violation.text.starts_with("frees") => Some("valid-free"),
        Property::Memory => Some("valid-deref"),
        Property::Leak => Some("valid-memtrack"),
        Property::Cleanup => Some("valid-memcleanup"),
        Property::Overflow => Some("no-overflow"),
        Property::Deadlock => Some("no-deadlock"),
        Property::Termination => Some("termination"),
        Property::Arithmetic | Property::Lock | Property::Thread | Property::Abort | Property::Exit => None,
        Property::Invariant | Property::Ltl => None,
    }
}

/// The formula by which SV-COMP's property files ask for it.
pub fn formula(property: Property) -> Option<&'static str> {
    match property {
        Property::Assertion => Some("G ! call(reach_error())"),
        Property::Memory => Some("G valid-deref"),
        Property::Leak => Some("G valid-memtrack"),
        Property::Cleanup => Some("G valid-memcleanup"),
        Property::Overflow => Some("G ! overflow"),
        Property::Deadlock => Some("G ! deadlock"),
        Property::Termination => Some("F end"),
        Property::Arithmetic | Property::Lock | Property::Thread | Property::Abort | Property::Exit => None,
        Property::Invariant | Property::Ltl => None,
    }
}
