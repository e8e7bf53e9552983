//! Functions that look at a program from outside: invariants, propositions of a temporal formula, a data abstraction.
//!
//! Each is a function of the program without parameters that is evaluated in a state, all at once, and leaves the
//! state as it is. They come with the program, so that a replay checks the same as the search did.

use crate::ir::FuncId;
use crate::task::Property;
use selvedge_ltl::{Formula, SyntaxError, parse};

/// A function that looks at states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observer {
    /// The user's name for it.
    pub name: String,
    pub function: FuncId,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Observers {
    /// Each must return true at the beginning and after every step.
    pub invariants: Vec<Observer>,
    /// Writes what is to be told apart of a state to variables of its own.
    pub abstraction: Option<Observer>,
    /// Those of the formula, but for `end`.
    pub propositions: Vec<Observer>,
    pub specification: Option<Specification>,
    /// The function that is the first step: it makes the program ready to be looked at.
    pub init: Option<String>,
}

/// A formula that must hold of every run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// As the user wrote it.
    pub text: String,
    /// Its propositions are numbered as in `names`.
    pub formula: Formula,
    pub names: Vec<String>,
    /// Only of runs in which every thread that can always go on does so at some time.
    pub fair: bool,
}

/// The proposition that the process has ended.
pub const END: &str = "end";

/// Every run ends. Whether that includes one in which somebody waits in a loop for a thread that never gets a turn is
/// a question of its own ([`Specification::fair`]).
pub const TERMINATION: &str = "F end";

/// Every run ends, or makes progress again and again: [`PROGRESS`] changes with each progress.
pub const NO_LIVELOCK: &str = "F end || G F __selvedge_progressed && G F !__selvedge_progressed";
pub const PROGRESS: &str = "__selvedge_progressed";

impl Specification {
    /// The complaint about a run that violates it.
    pub fn complaint(&self) -> String {
        match self.text.as_str() {
            NO_LIVELOCK => "goes on for ever without progress".to_string(),
            TERMINATION => "the process never ends".to_string(),
            text => format!("`{text}` does not hold"),
        }
    }

    /// The property of a run that violates it.
    pub fn property(&self) -> Property {
        if self.text == TERMINATION { Property::Termination } else { Property::Ltl }
    }

    pub fn new(text: &str, fair: bool) -> Result<Specification, SyntaxError> {
        let mut names = Vec::new();
        let formula = parse(text, &mut names)?;
        Ok(Specification { text: text.to_string(), formula, names, fair })
    }
}

impl Observers {
    pub fn is_empty(&self) -> bool {
        *self == Observers::default()
    }

    pub fn all(&self) -> impl Iterator<Item = &Observer> {
        self.invariants.iter().chain(&self.abstraction).chain(&self.propositions)
    }

    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Observer> {
        self.invariants.iter_mut().chain(&mut self.abstraction).chain(&mut self.propositions)
    }

    /// The bit of a letter that stands for `end`, if the formula has it.
    pub fn end_bit(&self) -> u64 {
        let number = self.specification.iter().flat_map(|s| &s.names).position(|name| name == END);
        number.map_or(0, |number| 1 << number)
    }

    /// The propositions with their bits.
    pub fn proposition_bits(&self) -> impl Iterator<Item = (u64, &Observer)> {
        let names = self.specification.iter().flat_map(|s| &s.names);
        let bit = |name: &str| self.propositions.iter().find(|p| p.name == name);
        names.enumerate().filter_map(move |(number, name)| bit(name).map(|p| (1 << number, p)))
    }
}
