//! The solvers known by name.
//!
//! Any other is called by its command line; all it needs is SMT-LIB 2 on its standard input. Quirks that
//! shaped the text for all of them:
//!
//! - z3 sees through defined names in `check-sat-assuming` and then answers with formulas where names are
//!   wanted; so assumptions are constants of their own. It prints `echo`ed strings without their quotes.
//! - z3 4.8 takes cubic time to read a chain of `define-fun`s (1.4 s for 200 nested `ite`s, more than 10 for 500); by
//!   equations it reads and solves 2000 in 0.2 s. cvc5 is faster with definitions.
//! - cvc5 has models and cores only if that was said before the logic, and ends at its first error.
//! - z3 4.8 names incompleteness as the reason when it ran out of time; the clock is asked instead.
//! - cvc4 is not among them: 1.8 crashed when asked for a core, and answers nothing any more once a check
//!   ran out of time.

use super::writer::Naming;
use std::path::Path;
use std::time::Duration;

/// A solver, and how to talk to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    pub name: &'static str,
    pub command: &'static str,
    pub arguments: &'static [&'static str],
    /// The argument that limits each check, to be followed by milliseconds. A solver without one is killed
    /// when its time is up.
    pub per_check: Option<&'static str>,
    /// The argument that limits its memory, to be followed by megabytes.
    pub memory: Option<&'static str>,
    pub naming: Naming,
    pub integers: bool,
}

/// The conformance suite runs with the first two; the others are written after their manuals.
pub const KNOWN: [Dialect; 4] = [
    Dialect {
        name: "z3",
        command: "z3",
        arguments: &["-in"],
        per_check: Some("-t:"),
        memory: Some("-memory:"),
        naming: Naming::Equations,
        integers: true,
    },
    Dialect {
        name: "cvc5",
        command: "cvc5",
        arguments: &["--incremental", "--lang=smt2"],
        per_check: Some("--tlimit-per="),
        memory: None,
        naming: Naming::Functions,
        integers: true,
    },
    Dialect {
        name: "bitwuzla",
        command: "bitwuzla",
        arguments: &[],
        per_check: None,
        memory: None,
        naming: Naming::Functions,
        integers: false,
    },
    Dialect {
        name: "yices",
        command: "yices-smt2",
        arguments: &["--incremental"],
        per_check: None,
        memory: None,
        naming: Naming::Functions,
        integers: true,
    },
];

/// How to start a solver.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub name: String,
    pub command: String,
    arguments: Vec<String>,
    per_check: Option<&'static str>,
    memory: Option<&'static str>,
    pub naming: Naming,
    pub integers: bool,
}

impl Start {
    /// Accepts the name of a known solver, a path to one, or a whole command line; `None` for anything else.
    pub fn find(name: &str) -> Option<Start> {
        let mut words = name.split_whitespace();
        let command = words.next()?;
        let arguments: Vec<String> = words.map(str::to_owned).collect();
        let file = Path::new(command).file_name()?.to_str()?;
        let known = KNOWN.iter().find(|known| known.name == file || known.command == file);
        if known.is_none() && command == name {
            return None;
        }
        let usual = || known.map_or(Vec::new(), |known| known.arguments.iter().map(|&word| word.to_owned()).collect());
        Some(Start {
            name: name.to_owned(),
            command: known.filter(|known| known.name == command).map_or(command, |known| known.command).to_owned(),
            arguments: if arguments.is_empty() { usual() } else { arguments },
            per_check: known.and_then(|known| known.per_check),
            memory: known.and_then(|known| known.memory),
            naming: known.map_or(Naming::Functions, |known| known.naming),
            integers: known.is_none_or(|known| known.integers),
        })
    }

    /// Whether the solver itself enforces the time limit of a check.
    pub fn keeps_time(&self) -> bool {
        self.per_check.is_some()
    }

    /// The argument that limits its memory, if it has one.
    pub fn memory(&self, bytes: u64) -> Option<String> {
        self.memory.map(|argument| format!("{argument}{}", (bytes >> 20).max(1)))
    }

    pub fn arguments(&self, per_check: Option<Duration>) -> Vec<String> {
        let limit =
            self.per_check.zip(per_check).map(|(argument, time)| format!("{argument}{}", time.as_millis().max(1)));
        self.arguments.iter().cloned().chain(limit).collect()
    }
}
