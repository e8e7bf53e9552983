//! Options of the explicit engine.

use super::choice::{Choice, one_of};
use super::given::{Given, conflict};
use crate::engines::Capability::{self, Abstraction, Init, Invariants, Preemptions, Switches, Temporal};
use crate::failure::Failure;
use clap::Args;
use selvedge_engine::{Disk, Engine};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::{Explicit, Memory, Symmetry};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct ExplicitArgs {
    /// Search with J workers at once; with an approximate store, J searches of their own [default: 1; with --engine
    /// auto all cores but one]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..), add = Capability::States,
          help_heading = EXPLICIT)]
    pub jobs: Option<u16>,
    /// Let a thread run on while its steps do not conflict with what the others do next, nor touch what invariants and
    /// formulas read: fewer states, but preemptions and switches are those of such supersteps. Not for formulas with X
    #[arg(long, add = Capability::States, help_heading = EXPLICIT)]
    pub supersteps: bool,
    /// Treat states as equal if they differ only in which of several threads with the same start function (or copies of
    /// it) and argument is where. If threads can be told apart after all, search without [default: where three or more
    /// threads are so alike; `--symmetry` alone: always]
    #[arg(long, value_parser = one_of(SYMMETRIES), value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", add = Capability::States, help_heading = EXPLICIT)]
    pub symmetry: Option<Symmetry>,
    /// Which of the ways to a state are left out [default: none]
    #[arg(long = "reduction", value_parser = one_of(REDUCTIONS), value_name = "REDUCTION", add = Capability::States,
          help_heading = EXPLICIT)]
    pub reduction: Option<Reduction>,
    /// How states are told apart [default: exact]
    #[arg(long, value_parser = one_of(STORES), value_name = "STORE", add = Capability::States, help_heading = EXPLICIT)]
    pub store: Option<Memory>,
    /// With --store bitstate: the size of the array, for each job [default: 512]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..), add = Capability::States,
          help_heading = EXPLICIT)]
    pub store_memory: Option<u32>,
    /// Where states wait to be expanded: in memory, in a file without a name in DIR, or there once half of the memory
    /// limit is used up [default: auto; DIR: the system's folder for temporary files]. With the exact store, only their
    /// numbers wait, which take little. With an approximate store, `disk` searches breadth first, and the states
    /// themselves are in the file: memory is for hashes only; `auto` begins anew like that when a depth-first search
    /// runs out of memory. A full disk ends the search with an unknown that says so; with `auto` what waits stays in
    /// memory then
    #[arg(long, value_name = "auto|memory|disk[=DIR]", value_parser = frontier, add = Capability::States,
          help_heading = EXPLICIT)]
    pub frontier: Option<Frontier>,
}

const EXPLICIT: &str = "The explicit engine";

const SYMMETRIES: [Choice<Symmetry>; 2] = [("always", "", Symmetry::Always), ("never", "", Symmetry::Never)];

/// Which ways to a state are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    None,
    Sleep,
    Dpor,
}

const REDUCTIONS: [Choice<Reduction>; 3] = [
    ("none", "All are tried, fewest preemptions first", Reduction::None),
    (
        "sleep",
        "Sleep sets: of two orders of steps that do not conflict one is tried, depth first, by one worker",
        Reduction::Sleep,
    ),
    (
        "dpor",
        "Dynamic partial order reduction: one run for each order of the steps that conflict. With --store exact, states are \
         stored, and what follows a state is searched only once",
        Reduction::Dpor,
    ),
];

const STORES: [Choice<Memory>; 3] = [
    ("exact", "By all that is in them, level by level: fewest preemptions first", Memory::Exact),
    ("compact", "By 64 bits, depth first; said in the verdict", Memory::Compact),
    (
        "bitstate",
        "By a few bits in one large array, depth first; said in the verdict",
        Memory::Bitstate { megabytes: 512 },
    ),
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frontier {
    Auto,
    Memory,
    Disk(PathBuf),
}

fn frontier(text: &str) -> Result<Frontier, String> {
    match text.split_once('=') {
        None if text == "auto" => Ok(Frontier::Auto),
        None if text == "memory" => Ok(Frontier::Memory),
        None if text == "disk" => Ok(Frontier::Disk(std::env::temp_dir())),
        Some(("disk", folder)) if Path::new(folder).is_dir() => Ok(Frontier::Disk(folder.into())),
        Some(("disk", folder)) => Err(format!("there is no folder {folder}")),
        _ => Err("it is auto, memory, disk or disk=DIR".to_string()),
    }
}

/// A setting that may have been chosen, as messages name it.
type Setting = (&'static str, fn(&ExplicitArgs) -> bool);

const SLEEP: Setting = ("--reduction sleep", |args| args.reduction == Some(Reduction::Sleep));
const DPOR: Setting = ("--reduction dpor", |args| args.reduction == Some(Reduction::Dpor));
const APPROXIMATE: Setting = ("an approximate --store", |args| args.store.is_some_and(|store| store != Memory::Exact));
const SYMMETRY: Setting = ("--symmetry", |args| args.symmetry == Some(Symmetry::Always));
const SUPERSTEPS: Setting = ("--supersteps", |args| args.supersteps);
const FRONTIER: Setting = ("--frontier", |args| args.frontier.is_some());
const JOBS: Setting = ("--jobs", |args| args.jobs.is_some_and(|jobs| jobs > 1));
const DPOR_WITH_STATES: Setting = ("--reduction dpor --store exact", ExplicitArgs::keeps_states_of_runs);

/// A setting, the others and the capabilities that it has no meaning with, and why.
type Conflict = (Setting, &'static [Setting], &'static [Capability], &'static str);

const CONFLICTS: [Conflict; 5] = [
    (
        SLEEP,
        &[APPROXIMATE, SUPERSTEPS, SYMMETRY, FRONTIER, JOBS],
        &[Switches, Preemptions, Abstraction, Temporal],
        "sleep sets are for a plain search by one worker",
    ),
    (
        DPOR,
        &[APPROXIMATE, SUPERSTEPS, SYMMETRY, FRONTIER],
        &[Switches, Preemptions, Abstraction, Temporal],
        "partial order reduction makes runs",
    ),
    (DPOR_WITH_STATES, &[JOBS], &[], "what follows a state is kept by one worker"),
    (
        APPROXIMATE,
        &[SUPERSTEPS, SYMMETRY],
        &[Switches, Invariants, Init, Abstraction, Temporal],
        "approximate stores are for a plain search",
    ),
    (SYMMETRY, &[SUPERSTEPS], &[Invariants, Init, Abstraction, Temporal], "symmetry is for a plain search"),
];

impl ExplicitArgs {
    /// Refuses settings that have no meaning together.
    pub fn check(&self, given: &Given) -> Result<(), Failure> {
        for ((name, _), settings, capabilities, why) in CONFLICTS.iter().filter(|((_, holds), ..)| holds(self)) {
            let setting = settings.iter().find(|(_, holds)| holds(self)).map(|(name, _)| *name);
            let other = setting.or_else(|| capabilities.iter().find_map(|capability| given.asks(*capability)));
            if let Some(other) = other {
                return Err(conflict(name, other, why));
            }
        }
        match (self.store_memory, self.store) {
            (None, _) | (Some(_), Some(Memory::Bitstate { .. })) => Ok(()),
            (Some(_), _) => Err(Failure::BadInput("--store-memory requires --store bitstate".to_string())),
        }
    }

    /// For what waits, if it is not to be in memory.
    pub fn disk(&self, memory_limit: Option<u64>) -> Option<Disk> {
        match &self.frontier {
            None | Some(Frontier::Auto) => memory_limit.map(|limit| Disk::when_short(std::env::temp_dir(), limit)),
            Some(Frontier::Memory) => None,
            Some(Frontier::Disk(folder)) => Some(Disk::new(folder.clone())),
        }
    }

    /// The search by conflicts, if it is asked for.
    pub fn by_conflicts(&self, no_reduction: bool, default_jobs: usize) -> Option<Dpor> {
        let keeps_states = self.keeps_states_of_runs();
        let jobs = if keeps_states { 1 } else { self.jobs(default_jobs) };
        let dpor = Dpor { no_reduction, keeps_states, jobs, ..Dpor::default() };
        (self.reduction == Some(Reduction::Dpor)).then_some(dpor)
    }

    fn keeps_states_of_runs(&self) -> bool {
        self.reduction == Some(Reduction::Dpor) && self.store == Some(Memory::Exact)
    }

    fn jobs(&self, default_jobs: usize) -> usize {
        self.jobs.map_or(default_jobs, usize::from)
    }

    /// The engine that is asked for, if only one is to work.
    pub fn single(&self, no_reduction: bool, default_jobs: usize) -> Box<dyn Engine> {
        match self.by_conflicts(no_reduction, default_jobs) {
            Some(dpor) => Box::new(dpor),
            None => Box::new(self.engine(no_reduction, default_jobs)),
        }
    }

    pub fn engine(&self, no_reduction: bool, default_jobs: usize) -> Explicit {
        Explicit {
            no_reduction,
            jobs: self.jobs(default_jobs),
            supersteps: self.supersteps,
            symmetry: if no_reduction { Symmetry::Never } else { self.symmetry.unwrap_or_default() },
            sleep_sets: self.reduction == Some(Reduction::Sleep),
            memory: match (self.store.unwrap_or_default(), self.store_memory) {
                (Memory::Bitstate { .. }, Some(megabytes)) => Memory::Bitstate { megabytes: megabytes.into() },
                (store, _) => store,
            },
        }
    }
}
