//! An engine's answer ([`Finding`]) and the user's ([`Verdict`]).
//!
//! The two differ on purpose: a finding becomes `Unsafe` only after its schedule was replayed on the
//! VM, and `Safe` only when nothing limited the search.

use crate::assumption::Assumption;
use crate::coverage::Coverage;
use crate::observers::Specification;
use crate::reach::Vacuity;
use crate::schedule::Schedule;
use crate::source::{Loc, SourceMap};
use crate::task::Property;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A property that is violated, and the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub property: Property,
    /// A clause for people: "writes 4 bytes past the end of `buf`".
    pub text: String,
    /// In the innermost function that is not a model.
    pub loc: Loc,
    /// The thread that does it; of a deadlock, one that waits.
    pub thread: u32,
}

impl Violation {
    pub fn of_invariant(name: &str, loc: Loc, thread: usize) -> Violation {
        let text = format!("the invariant `{name}` does not hold");
        Violation { property: Property::Invariant, text, loc, thread: thread as u32 }
    }

    /// Threads wait for ever; who and where is for the replay to say.
    pub fn of_deadlock(thread: usize, loc: Loc) -> Violation {
        let text = "threads wait for ever".to_string();
        Violation { property: Property::Deadlock, text, loc, thread: thread as u32 }
    }

    /// Two threads are about to make racing accesses; which they are is for the replay to say.
    pub fn of_race(thread: usize, loc: Loc) -> Violation {
        let text = "two threads race".to_string();
        Violation { property: Property::Race, text, loc, thread: thread as u32 }
    }

    /// A run without end; no single place is to blame.
    pub fn of_specification(specification: &Specification) -> Violation {
        let (property, text) = (specification.property(), specification.complaint());
        Violation { property, text, loc: SourceMap::NOWHERE, thread: 0 }
    }
}

/// Why there is no answer. Limits of ours, never bugs of the program or of ours.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[rustfmt::skip]
pub enum Reason {
    /// A construct we do not handle was reached.
    Unsupported { what: String, at: String },
    /// An input has too many values for this engine to try them all.
    WideInput { input: String, at: String },
    TimeLimit { seconds: u64 },
    MemoryLimit { megabytes: u64 },
    Interrupted,
    /// No check can be reached within the bounds, so that "safe" would mean nothing.
    NothingChecked { within: Box<Coverage> },
    /// Nothing of what was asked is looked for.
    NotLookedFor { properties: Vec<Property> },
    /// `--strict`: "safe" would mean little.
    Vacuous(Vacuity),
    /// `--strict`: the verdict would rest on these.
    Assumed { assumptions: Vec<Assumption> },
    /// A function that should only look at states, or make them ready, does something else.
    Observer { name: String, does: String },
    /// Any other limit, in a clause.
    Limit(String),
    /// The reasons of several engines, by name.
    #[serde(skip)]
    Each(Vec<(&'static str, Reason)>),
}

impl Reason {
    /// Would there be more to say with more time or memory?
    pub fn is_limit_of_search(&self) -> bool {
        matches!(self, Reason::TimeLimit { .. } | Reason::MemoryLimit { .. } | Reason::Interrupted)
    }

    /// One word for tables.
    pub fn kind(&self) -> &'static str {
        match self {
            Reason::Unsupported { .. } => "unsupported",
            Reason::WideInput { .. } => "wide-input",
            Reason::TimeLimit { .. } => "time",
            Reason::MemoryLimit { .. } => "memory",
            Reason::Interrupted => "interrupted",
            Reason::NothingChecked { .. } => "nothing-checked",
            Reason::NotLookedFor { .. } => "not-looked-for",
            Reason::Vacuous(_) => "vacuous",
            Reason::Assumed { assumptions } => match assumptions.first() {
                Some(Assumption::NoModel { .. }) => "unmodelled",
                _ => "assumption",
            },
            Reason::Observer { .. } => "observer",
            Reason::Limit(_) => "limit",
            // More time or memory is what the user can give.
            Reason::Each(reasons) => {
                let mut kinds = reasons.iter().map(|(_, reason)| reason.kind());
                let first = kinds.clone().next().unwrap_or("limit");
                kinds.find(|kind| matches!(*kind, "time" | "memory" | "interrupted")).unwrap_or(first)
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unsupported { what, at } => write!(f, "not supported: {what} at {at}"),
            Reason::WideInput { input, at } => write!(f, "too many values to try for the input {input} at {at}"),
            Reason::TimeLimit { seconds } => write!(f, "time limit of {seconds} s"),
            Reason::MemoryLimit { megabytes } => write!(f, "memory limit of {megabytes} MB"),
            Reason::Interrupted => write!(f, "interrupted"),
            Reason::NothingChecked { within } => {
                write!(f, "nothing was checked: no check is reachable within {within}")
            }
            Reason::NotLookedFor { properties } => {
                let names: Vec<&str> = properties.iter().map(|property| property.name()).collect();
                write!(f, "the engine does not look for what was asked: {}", names.join(", "))
            }
            Reason::Vacuous(vacuity) => vacuity.fmt(f),
            Reason::Assumed { assumptions } => assumed(assumptions, f),
            Reason::Observer { name, does } => write!(f, "`{name}` cannot be used: {does}"),
            Reason::Limit(what) => f.write_str(what),
            Reason::Each(reasons) => {
                let texts: Vec<String> = reasons.iter().map(|(engine, reason)| format!("{engine}: {reason}")).collect();
                f.write_str(&texts.join("; "))
            }
        }
    }
}

fn assumed(assumptions: &[Assumption], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let unmodelled = assumptions.iter().filter_map(|assumption| match assumption {
        Assumption::NoModel { function, at } => Some(format!("{function} at {at}")),
        _ => None,
    });
    let unmodelled: Vec<String> = unmodelled.collect();
    let functions = (!unmodelled.is_empty()).then(|| format!("functions without a model: {}", unmodelled.join(", ")));
    let others = assumptions.iter().filter(|assumption| !matches!(assumption, Assumption::NoModel { .. }));
    let others: Vec<String> = others.map(Assumption::to_string).collect();
    let others = (!others.is_empty()).then(|| format!("assumed: {}", others.join("; ")));
    f.write_str(&functions.into_iter().chain(others).collect::<Vec<_>>().join("; "))
}

/// An engine's answer, not yet checked by anyone.
#[derive(Clone, PartialEq, Debug)]
#[rustfmt::skip]
pub enum Finding {
    Violation { schedule: Schedule, violation: Violation },
    NoneWithin(Coverage),
    GaveUp(Reason),
    /// Two engines, and both cannot be right: one has a violation, the other one looked at everything
    /// and has none.
    Contradiction { found_by: &'static str, schedule: Schedule, violation: Violation, safe_by: &'static str },
    /// An outside checker has a violation that is in no run of ours; what it says, and texts that show it, by
    /// name.
    Unfollowed { found_by: &'static str, claim: String, evidence: Vec<(&'static str, String)> },
    /// Our own check refuses what a technique takes for a proof. The evidence is texts by name.
    NoProof { technique: &'static str, claim: String, evidence: Vec<(&'static str, String)> },
}

/// The answer for the user.
#[derive(Clone, PartialEq, Debug)]
#[rustfmt::skip]
pub enum Verdict {
    Unsafe(Box<Trace>),
    Safe,
    SafeWithin(Coverage),
    /// Only one of several states that the abstraction identifies was looked at.
    SafeUnder { abstraction: String, within: Coverage },
    Unknown(Reason),
}

impl Verdict {
    /// As in JSON output.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Safe => "safe",
            Verdict::SafeWithin(_) => "safe-within-bounds",
            Verdict::SafeUnder { .. } => "safe-under-abstraction",
            Verdict::Unknown(_) => "unknown",
        }
    }
}
