//! Litmus tests: programs of a few accesses each, with all outcomes that memory models allow.
//!
//! A test is a file of `tests/litmus`, whose form [`text`] describes. [`axioms`] finds its outcomes from the axioms of
//! the models, without any machine, and [`c_text`] makes a C program of it, so that engines can be asked about the same
//! outcomes. [`random`] makes more tests.

pub mod axioms;
pub mod c_text;
pub mod random;
pub mod text;

use selvedge_program::{MemoryModel, MemoryOrder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The number of memory models.
const MODELS: usize = MemoryModel::ALL.len();

/// Values of what a test observes, in its order.
pub type Outcome = Vec<u32>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Litmus {
    pub name: String,
    pub threads: Vec<Vec<Action>>,
    pub observed: Vec<Observed>,
    /// By model, in the order of [`MemoryModel::ALL`].
    pub allowed: [BTreeSet<Outcome>; MODELS],
}

impl Litmus {
    pub fn allowed(&self, model: MemoryModel) -> &BTreeSet<Outcome> {
        let place = MemoryModel::ALL.iter().position(|known| *known == model).expect("every model is in the list");
        &self.allowed[place]
    }

    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.threads.iter().flatten()
    }

    /// The variables that threads access, without mutexes.
    pub fn variables(&self) -> BTreeSet<&str> {
        self.actions().filter_map(Action::place).map(|place| place.variable.as_str()).collect()
    }

    pub fn mutexes(&self) -> BTreeSet<&str> {
        self.actions().filter_map(Action::mutex).collect()
    }

    /// The registers of a thread, in the order in which they are written.
    pub fn registers(&self, thread: usize) -> Vec<&str> {
        self.threads[thread].iter().filter_map(Action::register).collect()
    }
}

/// One thing that a thread does.
#[derive(Clone, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub enum Action {
    /// Without an order: plain.
    Store { to: Place, value: Value, order: Option<MemoryOrder> },
    Load { register: String, from: Place, order: Option<MemoryOrder> },
    /// The register gets what was there.
    Exchange { register: String, at: Place, value: Value, order: MemoryOrder },
    /// The register gets what was there.
    CompareExchange { register: String, at: Place, expected: u32, value: Value, order: MemoryOrder },
    Fence { order: MemoryOrder },
    Lock { mutex: String },
    Unlock { mutex: String },
}

impl Action {
    pub fn place(&self) -> Option<&Place> {
        match self {
            Action::Store { to: place, .. }
            | Action::Load { from: place, .. }
            | Action::Exchange { at: place, .. }
            | Action::CompareExchange { at: place, .. } => Some(place),
            Action::Fence { .. } | Action::Lock { .. } | Action::Unlock { .. } => None,
        }
    }

    fn mutex(&self) -> Option<&str> {
        match self {
            Action::Lock { mutex } | Action::Unlock { mutex } => Some(mutex),
            Action::Store { .. }
            | Action::Load { .. }
            | Action::Exchange { .. }
            | Action::CompareExchange { .. }
            | Action::Fence { .. } => None,
        }
    }

    /// The register that it writes.
    pub fn register(&self) -> Option<&str> {
        match self {
            Action::Load { register, .. }
            | Action::Exchange { register, .. }
            | Action::CompareExchange { register, .. } => Some(register),
            Action::Store { .. } | Action::Fence { .. } | Action::Lock { .. } | Action::Unlock { .. } => None,
        }
    }
}

/// Some bytes of a variable, all of which have four.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub variable: String,
    pub offset: u32,
    pub bytes: u32,
}

pub const WORD: u32 = 4;

impl Place {
    pub fn word(variable: &str) -> Place {
        Place { variable: variable.to_string(), offset: 0, bytes: WORD }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Constant(u32),
    Register(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observed {
    Register(String),
    /// The variable's value at the end.
    Variable(String),
}

/// The folder of all tests.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

/// All tests, by name. A file that cannot be read as one is an error of whoever wrote it.
pub fn all() -> Vec<Litmus> {
    let entries = std::fs::read_dir(folder()).expect("the folder of litmus tests is there");
    let paths: BTreeSet<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.iter().map(|path| read(path)).collect()
}

pub fn read(path: &Path) -> Litmus {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text::parse(&name, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
