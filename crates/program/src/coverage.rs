//! The strength of a search that found nothing: its limits and its assumptions.
//!
//! Both are data. Whoever decides anything matches on variants; the sentences are for people and for reports.

use crate::assumption::Assumption;
use crate::proof::Proof;
use crate::reach::Reach;
use crate::task::Property;
use crate::verdict::Reason;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The runs that were looked at when nothing was found. All-default means everything.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// In the order in which they are named.
    pub limits: Vec<Limit>,
    /// Those that the search made; the program has others ([`crate::Program::all_assumptions`]).
    #[serde(default)]
    pub assumptions: Vec<Assumption>,
    /// The ends of runs, if they are known. Code behind an unchecked misuse was not looked at.
    #[serde(default)]
    pub ends: Option<Ends>,
    /// The code that runs reached, if that is known.
    #[serde(skip)]
    pub reach: Option<Box<Reach>>,
    /// Threads besides main that the bounds leave room for, if there are bounds.
    #[serde(default)]
    pub threads: Option<u32>,
    /// The places at which bounds end runs, if they do and it is known.
    #[serde(default)]
    pub cuts_at: Vec<CutAt>,
    /// Why nothing can go wrong, if that was proved.
    #[serde(skip)]
    pub proof: Option<Box<Proof>>,
    /// Why the search went no further; `None`: it did not want to.
    #[serde(default)]
    pub stopped_by: Option<Box<Reason>>,
}

/// A place at which a bound ends runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutAt {
    Loop(String),
    Recursion(String),
    Threads(String),
}

/// The ends of runs that violate nothing which was asked about.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ends {
    /// In the order of the program.
    pub unchecked: Vec<UncheckedEnd>,
    /// Some run was seen to come to its end.
    pub normally: bool,
    /// Places where no run was seen to end, but which a proof does not exclude.
    #[serde(default)]
    pub possible: Vec<UncheckedEnd>,
}

/// A misuse that is not checked ends a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UncheckedEnd {
    pub misuse: Property,
    pub at: String,
}

impl Coverage {
    pub fn within(limits: impl IntoIterator<Item = Limit>) -> Coverage {
        Coverage { limits: limits.into_iter().collect(), ..Coverage::default() }
    }

    #[must_use]
    pub fn with_ends(self, (ends, reach): (Ends, Reach)) -> Coverage {
        Coverage { ends: Some(ends), reach: Some(Box::new(reach)), ..self }
    }

    /// `all`: also counts main.
    #[must_use]
    pub fn with_threads(self, all: usize) -> Coverage {
        Coverage { threads: Some(all.saturating_sub(1) as u32), ..self }
    }

    #[must_use]
    pub fn stopped_by(self, reason: Reason) -> Coverage {
        Coverage { stopped_by: Some(Box::new(reason)), ..self }
    }

    pub fn is_complete(&self) -> bool {
        self.limits.is_empty()
    }

    /// Can a bound on loops, recursion or threads have ended a run?
    pub fn may_be_cut(&self) -> bool {
        self.limits.iter().any(|limit| matches!(limit, Limit::Unwind { cuts: Cuts::Some | Cuts::Perhaps, .. }))
    }

    /// Adds what the other one has beyond this.
    pub fn add(&mut self, other: &Coverage) {
        for limit in &other.limits {
            if !self.limits.contains(limit) {
                self.limits.push(limit.clone());
            }
        }
        for assumption in &other.assumptions {
            if !self.assumptions.contains(assumption) {
                self.assumptions.push(assumption.clone());
            }
        }
    }
}

/// The limits, as in "unwind 2 cut, rounds 3".
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, limit) in self.limits.iter().enumerate() {
            write!(f, "{}{limit}", if number == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// One limit of a search. Its words complete "safe within …".
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[rustfmt::skip]
pub enum Limit {
    /// Iterations of loops; recursion and threads, if they are bounded too.
    Unwind { iterations: u32, cuts: Cuts },
    /// Rounds of a round-robin schedule.
    Rounds(u32),
    /// Context switches of an interleaving.
    Switches(u32),
    /// Transitions to another thread in a search of states.
    ContextSwitches { most: u32, of_supersteps: bool },
    Preemptions { most: u32, of_supersteps: bool },
    /// Times that a round-robin scheduler passes over a thread that could go on.
    Delays(u32),
    /// The chance that some state was taken for another one.
    HashCompaction { chance: f64 },
    /// An estimate of the share of states that were missed.
    Bitstate { missed: f64 },
    /// States up to this depth.
    Depth(u64),
    /// A step took so long that runs behind it were not, or not all, looked at.
    LongStep { at: String },
    /// The input has too many values to try them all.
    SomeValues { input: String, at: String },
    /// Mathematical integers instead of machine words.
    IntegersWithoutOverflow,
    /// The property was asked for.
    NotLookedFor(Property),
    /// A function that looks at states was given, and not asked.
    NotAsked(Role),
    Spin(SpinLimit),
    /// Only sequentially consistent runs were looked at, though another memory model was asked for, or races where C11
    /// has other runs.
    OnlySequentiallyConsistent,
    /// Races were looked for in states, which misses those between accesses that a run orders only by chance.
    OrderedByRelaxedAtomics,
    /// A thread's store buffer held so many stores at most.
    StoreBuffer(u32),
    /// No run was seen to end but at a misuse that is not checked.
    EndsUnchecked(Vec<UncheckedEnd>),
    /// Selections of tiles in which threads may be interrupted.
    Selections { covered: Covered, total: u128, tiles: u64, kind: String },
}

/// Do bounds end runs?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cuts {
    None,
    Some,
    /// There was no time to tell.
    Perhaps,
}

impl Cuts {
    pub fn any(any: bool) -> Cuts {
        if any { Cuts::Some } else { Cuts::None }
    }
}

/// The role of an observer, apart from properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Abstraction,
    Init,
}

/// The runs that SPIN's verifier leaves out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpinLimit {
    Depth(u64),
    NotCompleted,
    NotCalledFull,
    /// An option of the user's that may leave out states.
    Option(String),
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covered {
    All,
    /// This many; a part of a selection counts as a fraction.
    Some(f64),
}

impl Limit {
    /// A word for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Limit::Unwind { .. } => "unwind",
            Limit::Rounds(_) => "rounds",
            Limit::Switches(_) | Limit::ContextSwitches { .. } => "switches",
            Limit::Preemptions { .. } => "preemptions",
            Limit::Delays(_) => "delays",
            Limit::HashCompaction { .. } => "hash-compaction",
            Limit::Bitstate { .. } => "bitstate",
            Limit::Depth(_) => "depth",
            Limit::LongStep { .. } => "long-step",
            Limit::SomeValues { .. } => "some-values",
            Limit::IntegersWithoutOverflow => "integers-without-overflow",
            Limit::NotLookedFor(_) => "not-looked-for",
            Limit::NotAsked(_) => "observer-not-asked",
            Limit::Spin(_) => "spin",
            Limit::OnlySequentiallyConsistent => "only-sequentially-consistent",
            Limit::OrderedByRelaxedAtomics => "ordered-by-relaxed-atomics",
            Limit::StoreBuffer(_) => "store-buffer",
            Limit::EndsUnchecked(_) => "ends-unchecked",
            Limit::Selections { .. } => "selections",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Unwind { iterations, cuts } => {
                let cuts = match cuts {
                    Cuts::None => "complete",
                    Cuts::Some => "cut",
                    Cuts::Perhaps => "perhaps cut",
                };
                write!(f, "unwind {iterations} {cuts}")
            }
            Limit::Rounds(rounds) => write!(f, "rounds {rounds}"),
            Limit::Switches(switches) => write!(f, "switches {switches}"),
            Limit::ContextSwitches { most, of_supersteps } => {
                let plural = if *most == 1 { "" } else { "es" };
                write!(f, "{most} context switch{plural}{}", supersteps(*of_supersteps))
            }
            Limit::Preemptions { most, of_supersteps } => {
                write!(f, "{most} preemption{}{}", plural(u128::from(*most)), supersteps(*of_supersteps))
            }
            Limit::Delays(delays) => write!(f, "{delays} delay{}", plural(u128::from(*delays))),
            Limit::HashCompaction { chance } => {
                write!(f, "hash compaction, a chance of {} that states were missed", percent(*chance))
            }
            Limit::Bitstate { missed } => {
                write!(f, "bitstate hashing, by estimate {} of the states missed", percent(*missed))
            }
            Limit::Depth(states) => write!(f, "{states} states deep"),
            Limit::LongStep { at } => write!(f, "a step without end at {at}"),
            Limit::SomeValues { input, at } => write!(f, "some values of the input {input} at {at}"),
            Limit::IntegersWithoutOverflow => f.write_str("integers without overflow"),
            Limit::NotLookedFor(property) => write!(f, "{} not looked for", property.misuse()),
            Limit::NotAsked(Role::Abstraction) => f.write_str("the abstraction not used"),
            Limit::NotAsked(Role::Init) => f.write_str("the initial function not run"),
            Limit::Spin(SpinLimit::Depth(depth)) => write!(f, "SPIN's depth {depth}"),
            Limit::Spin(SpinLimit::NotCompleted) => f.write_str("a search that SPIN did not complete"),
            Limit::Spin(SpinLimit::NotCalledFull) => f.write_str("a search that SPIN does not call full"),
            Limit::Spin(SpinLimit::Option(option)) => write!(f, "SPIN's {option}"),
            Limit::OnlySequentiallyConsistent => f.write_str("sequentially consistent runs"),
            Limit::OrderedByRelaxedAtomics => {
                f.write_str("races other than between accesses that relaxed atomics keep apart")
            }
            Limit::StoreBuffer(stores) => {
                write!(f, "store buffers of {stores} store{}", plural(u128::from(*stores)))
            }
            Limit::EndsUnchecked(ends) => {
                write!(f, "runs were seen to end only at {}, which was not checked", places(ends))
            }
            Limit::Selections { covered, total, tiles, kind } => {
                match covered {
                    Covered::All => write!(f, "all ")?,
                    Covered::Some(covered) if covered.fract() == 0.0 => write!(f, "{covered:.0} of ")?,
                    Covered::Some(covered) => write!(f, "{covered:.2} of ")?,
                }
                let (of_total, of_tiles) = (plural(*total), plural(u128::from(*tiles)));
                write!(f, "{total} selection{of_total} of {tiles} tile{of_tiles} {kind}")
            }
        }
    }
}

fn plural(number: u128) -> &'static str {
    if number == 1 { "" } else { "s" }
}

fn supersteps(of_supersteps: bool) -> &'static str {
    if of_supersteps { " of supersteps" } else { "" }
}

fn percent(part: f64) -> String {
    match part * 100.0 {
        tiny if tiny < 0.0001 => "less than 0.0001 %".to_string(),
        small if small < 1.0 => format!("{small:.4} %"),
        large => format!("{large:.1} %"),
    }
}

/// The most places that are named.
const MOST_PLACES: usize = 4;

/// "the misuse of memory at a.c:3, a.c:4 and 2 other places".
pub(crate) fn places(ends: &[UncheckedEnd]) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut last = None;
    for UncheckedEnd { misuse, at } in ends.iter().take(MOST_PLACES) {
        texts.push(match last.replace(*misuse) == Some(*misuse) {
            true => at.clone(),
            false if *misuse == Property::Abort => format!("abort() at {at}"),
            false => format!("the {} at {at}", misuse.misuse()),
        });
    }
    let others = ends.len().saturating_sub(MOST_PLACES);
    let others = (others > 0).then(|| format!(" and {others} other place{}", plural(others as u128)));
    texts.join(", ") + &others.unwrap_or_default()
}
