//! Something that a verdict takes for granted, as data; the sentences are for people and for reports.

use crate::coverage::{UncheckedEnd, places};
use crate::races::IgnoredRace;
use crate::task::{Properties, Property};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Violations that are not reported: of a property, at a line. Written `assertion@pool.c:12`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Suppression {
    pub property: Property,
    pub file: String,
    pub line: u32,
}

impl Suppression {
    /// Can violations of this property be left out, so that runs go on, or end, without a word? Those of whole states
    /// and runs cannot.
    pub fn is_possible(property: Property) -> bool {
        Properties::STEPS.contains(property) && property != Property::Deadlock
    }

    /// Is it this file? As the user names it, the path may begin anywhere.
    pub fn is_in(&self, path: &str) -> bool {
        path == self.file || path.strip_suffix(&self.file).is_some_and(|rest| rest.ends_with('/'))
    }
}

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}:{}", self.property.name(), self.file, self.line)
    }
}

impl FromStr for Suppression {
    type Err = String;

    fn from_str(text: &str) -> Result<Suppression, String> {
        let parts = text.split_once('@').and_then(|(kind, place)| Some((kind, place.rsplit_once(':')?)));
        let Some((kind, (file, line))) = parts else {
            return Err("expected KIND@FILE:LINE, as in assertion@pool.c:12".to_string());
        };
        let known = Property::all_by_name().filter(|property| Suppression::is_possible(*property));
        let Some(property) = known.clone().find(|property| property.name() == kind) else {
            let names: Vec<&str> = known.map(Property::name).collect();
            return Err(format!("`{kind}` cannot be suppressed at a place; these can: {}", names.join(", ")));
        };
        match line.parse() {
            Ok(line) if line > 0 && !file.is_empty() => Ok(Suppression { property, file: file.to_string(), line }),
            _ => Err(format!("`{file}:{line}` is no line of a file")),
        }
    }
}

/// Something that a verdict takes for granted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// A function without body and model returns any value and has no other effect.
    NoModel {
        function: String,
        at: String,
    },
    /// A function without body and model returns any value, writes anything into what it can see, and calls what it is
    /// passed.
    Havoc {
        function: String,
        at: String,
    },
    /// A function without body and model, which is passed another one, does not call it, and starts no thread that
    /// does.
    NotCalled {
        function: String,
        by: String,
    },
    /// A variable that no file defines starts as zero.
    ExternalVariable {
        name: String,
    },
    /// Inline assembly that is not understood leaves any values in its outputs and has no other effect.
    Assembly {
        text: String,
        at: String,
    },
    /// A flag of the user's build that clang does not know was left out.
    IgnoredFlag {
        flag: String,
    },
    LongDouble,
    /// The program is started with any arguments, but not with more or longer ones than this.
    Arguments {
        most: u16,
        longest: u16,
    },
    /// Nothing that is read from files and streams is longer than this.
    LongestInput {
        bytes: u16,
    },
    /// A violation that was not to be reported.
    Suppressed(Suppression),
    /// Races that were not to be reported.
    IgnoredRace(IgnoredRace),
    /// Waits on condition variables end only by a signal: as was asked for, or where runs without end are asked about.
    NoSpuriousWakeups,
    /// Accesses of several machine words are one step, as was asked for.
    WholeAggregates,
    /// Weak compare-exchanges fail only if the value is not the expected one: as for waits.
    NoSpuriousFailures,
    /// A model always gives the same answer where the real world may give others.
    Fixed(FixedInput),
    /// No run is looked at behind these places, which some runs get to.
    EndsUnchecked(Vec<UncheckedEnd>),
    /// There may be such places.
    MayEndUnchecked(Vec<Property>),
}

named! {
    /// Facts about the surroundings that every run gets in the same way.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FixedInput {
        Arguments = "no-arguments",
        Environment = "empty-environment",
        Clocks = "stopped-clocks",
        Processors = "two-processors",
        ProcessNumbers = "process-numbers",
        Terminals = "no-terminal",
        Signals = "no-signals",
        SignalsWhileWaiting = "no-signals-while-waiting",
        Files = "files-never-fail",
        TimeZone = "universal-time",
        Protection = "no-page-protection",
        Mathematics = "mathematics-by-range",
        Creation = "threads-are-created",
        Memory = "memory-suffices",
        Initialisation = "objects-are-initialised",
        Layout = "few-layouts",
        Reuse = "few-addresses-again",
    }

    /// Groups of library functions that the standard lets fail, and that do so on request (`--may-fail`).
    pub enum Fallible {
        Create = "create",
        Malloc = "malloc",
        Init = "init",
        Files = "files",
        Wait = "wait",
    }
}

impl Fallible {
    /// The assumption that the group never fails. Only a signal interrupts a wait, which is an assumption of its own.
    pub fn otherwise(self) -> Option<FixedInput> {
        match self {
            Fallible::Create => Some(FixedInput::Creation),
            Fallible::Malloc => Some(FixedInput::Memory),
            Fallible::Init => Some(FixedInput::Initialisation),
            Fallible::Files => Some(FixedInput::Files),
            Fallible::Wait => None,
        }
    }
}

impl fmt::Display for FixedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FixedInput::Arguments => "the program is run without arguments: argc is 1",
            FixedInput::Environment => "the environment is empty",
            FixedInput::Clocks => {
                "clocks stand still, or go on in at most three steps where they are read more than once"
            }
            FixedInput::Processors => "the machine has two processors",
            FixedInput::ProcessNumbers => "the process has the number 2, its parent 1",
            FixedInput::Terminals => "no file is a terminal",
            FixedInput::Signals => "no signal comes from outside",
            FixedInput::SignalsWhileWaiting => {
                "no signal interrupts a thread that waits for a lock, a condition variable, a barrier or another thread"
            }
            FixedInput::Files => "writing, closing and removing files succeeds (--may-fail files)",
            FixedInput::TimeZone => "the time zone is UTC",
            FixedInput::Protection => "pages stay readable and writable whatever mprotect says",
            FixedInput::Mathematics => "functions such as sin, exp and pow return any value of their range",
            FixedInput::Creation => "threads can always be created (--may-fail create)",
            FixedInput::Memory => "there is always enough memory (--may-fail malloc)",
            FixedInput::Initialisation => {
                "mutexes, condition variables, semaphores and their like can always be initialised (--may-fail init)"
            }
            FixedInput::Layout => {
                "where the program looks at the numbers of addresses, objects lie far apart, in one of four orders, and two of them in one of eight places each"
            }
            FixedInput::Reuse => "at most two blocks of a run lie where one of the two that were freed last did",
        })
    }
}

impl Assumption {
    /// A word for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Assumption::NoModel { .. } => "no-model",
            Assumption::Havoc { .. } => "havoc",
            Assumption::NotCalled { .. } => "not-called",
            Assumption::ExternalVariable { .. } => "external-variable",
            Assumption::Assembly { .. } => "assembly",
            Assumption::IgnoredFlag { .. } => "ignored-flag",
            Assumption::LongDouble => "long-double",
            Assumption::Arguments { .. } => "few-arguments",
            Assumption::LongestInput { .. } => "short-input",
            Assumption::Suppressed(_) => "suppressed",
            Assumption::IgnoredRace(_) => "ignored-race",
            Assumption::NoSpuriousWakeups => "no-spurious-wakeups",
            Assumption::WholeAggregates => "whole-aggregates",
            Assumption::NoSpuriousFailures => "no-spurious-failures",
            Assumption::Fixed(input) => input.name(),
            Assumption::EndsUnchecked(_) => "ends-unchecked",
            Assumption::MayEndUnchecked(_) => "may-end-unchecked",
        }
    }

    /// The details that the kind leaves open, for the text form of programs.
    pub fn details(&self) -> Vec<String> {
        match self {
            Assumption::NoModel { function, at } | Assumption::Havoc { function, at } => {
                vec![function.clone(), at.clone()]
            }
            Assumption::NotCalled { function, by } => vec![function.clone(), by.clone()],
            Assumption::ExternalVariable { name } => vec![name.clone()],
            Assumption::Assembly { text, at } => vec![text.clone(), at.clone()],
            Assumption::IgnoredFlag { flag } => vec![flag.clone()],
            Assumption::Arguments { most, longest } => vec![most.to_string(), longest.to_string()],
            Assumption::LongestInput { bytes } => vec![bytes.to_string()],
            Assumption::Suppressed(suppression) => vec![suppression.to_string()],
            Assumption::IgnoredRace(ignored) => vec![ignored.to_string()],
            Assumption::LongDouble
            | Assumption::NoSpuriousWakeups
            | Assumption::WholeAggregates
            | Assumption::NoSpuriousFailures
            | Assumption::Fixed(_) => vec![],
            // A search assumes these, never a program.
            Assumption::EndsUnchecked(_) | Assumption::MayEndUnchecked(_) => vec![],
        }
    }

    pub fn from_text(kind: &str, details: Vec<String>) -> Option<Assumption> {
        let mut details = details.into_iter();
        let assumption = match kind {
            "no-model" => Assumption::NoModel { function: details.next()?, at: details.next()? },
            "havoc" => Assumption::Havoc { function: details.next()?, at: details.next()? },
            "not-called" => Assumption::NotCalled { function: details.next()?, by: details.next()? },
            "external-variable" => Assumption::ExternalVariable { name: details.next()? },
            "assembly" => Assumption::Assembly { text: details.next()?, at: details.next()? },
            "ignored-flag" => Assumption::IgnoredFlag { flag: details.next()? },
            "long-double" => Assumption::LongDouble,
            "few-arguments" => {
                Assumption::Arguments { most: details.next()?.parse().ok()?, longest: details.next()?.parse().ok()? }
            }
            "short-input" => Assumption::LongestInput { bytes: details.next()?.parse().ok()? },
            "suppressed" => Assumption::Suppressed(details.next()?.parse().ok()?),
            "ignored-race" => Assumption::IgnoredRace(details.next()?.parse().ok()?),
            "no-spurious-wakeups" => Assumption::NoSpuriousWakeups,
            "whole-aggregates" => Assumption::WholeAggregates,
            "no-spurious-failures" => Assumption::NoSpuriousFailures,
            _ => Assumption::Fixed(FixedInput::from_name(kind)?),
        };
        details.next().is_none().then_some(assumption)
    }

    /// Does `--strict` refuse a verdict that rests on it? That threads can be created, and memory suffices, almost
    /// every program takes for granted; `--may-fail` is the way to ask.
    pub fn is_refused_by_strict(&self) -> bool {
        let is_fine = |input: &FixedInput| {
            matches!(input, FixedInput::Creation | FixedInput::Memory | FixedInput::Initialisation)
        };
        match self {
            Assumption::Suppressed(_) | Assumption::IgnoredRace(_) => false,
            Assumption::Fixed(input) => !is_fine(input),
            _ => true,
        }
    }

    /// Could a program without bugs seem to have one? Otherwise the assumption can only hide some.
    pub fn may_invent_bugs(&self) -> bool {
        match self {
            Assumption::NoModel { .. }
            | Assumption::Havoc { .. }
            | Assumption::ExternalVariable { .. }
            | Assumption::Assembly { .. }
            | Assumption::IgnoredFlag { .. }
            | Assumption::LongDouble
            | Assumption::Fixed(FixedInput::SignalsWhileWaiting | FixedInput::Mathematics) => true,
            Assumption::NoSpuriousWakeups
            | Assumption::WholeAggregates
            | Assumption::NoSpuriousFailures
            | Assumption::NotCalled { .. }
            | Assumption::Suppressed(_)
            | Assumption::IgnoredRace(_)
            | Assumption::Arguments { .. }
            | Assumption::LongestInput { .. }
            | Assumption::Fixed(_)
            | Assumption::EndsUnchecked(_)
            | Assumption::MayEndUnchecked(_) => false,
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::NoModel { function, at } => {
                write!(f, "`{function}` ({at}) has no model: it returns any value and has no other effect")
            }
            Assumption::Havoc { function, at } => write!(
                f,
                "`{function}` ({at}) has no model: it returns any value, writes at once any values into the objects that its \
                 arguments point to and into external variables, calls functions that it is passed at most twice, and does \
                 nothing later"
            ),
            Assumption::NotCalled { function, by } => {
                write!(
                    f,
                    "`{by}`, which has no body, neither calls `{function}`, which it is passed, nor starts a thread that does"
                )
            }
            Assumption::ExternalVariable { name } => write!(f, "external variable `{name}` starts as zero"),
            Assumption::Assembly { text, at } => {
                write!(f, "inline assembly `{text}` ({at}) leaves any values in its outputs and has no other effect")
            }
            Assumption::IgnoredFlag { flag } => {
                write!(f, "the flag `{flag}`, which clang does not know, does not change the program")
            }
            Assumption::LongDouble => f.write_str("long double is computed as double"),
            Assumption::Arguments { most, longest } => {
                let plural = if *most == 1 { "" } else { "s" };
                write!(f, "the program is run with at most {most} argument{plural} of at most {longest} bytes each")
            }
            Assumption::LongestInput { bytes } => {
                write!(f, "no line, word or block that the program reads is longer than {bytes} bytes")
            }
            Assumption::Suppressed(Suppression { property, file, line }) => {
                write!(f, "a violation ({} at {file}:{line}) is not reported, as was asked", property.name())
            }
            Assumption::IgnoredRace(ignored) => write!(f, "races at `{ignored}` are not reported, as was asked"),
            Assumption::NoSpuriousWakeups => f.write_str("waits on condition variables end only by a signal"),
            Assumption::WholeAggregates => {
                f.write_str("an access of several machine words is not interrupted (--aggregate-steps whole)")
            }
            Assumption::NoSpuriousFailures => {
                f.write_str("a weak compare-exchange fails only if the value is not the expected one")
            }
            Assumption::Fixed(input) => input.fmt(f),
            Assumption::EndsUnchecked(ends) => write!(f, "runs end at {}, which was not checked", places(ends)),
            Assumption::MayEndUnchecked(properties) => {
                let misuse: Vec<&str> = properties.iter().map(|property| property.misuse()).collect();
                write!(f, "runs may end at {}, which was not checked", misuse.join(", "))
            }
        }
    }
}
