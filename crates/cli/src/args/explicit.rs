//! How the explicit engine goes about it.

use clap::{Args, ValueEnum};
use selvedge_engine::Disk;
use selvedge_search::explicit::{Explicit, Memory, Symmetry};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct ExplicitArgs {
    /// Search with J workers at once; with an approximate store, J searches of their own [default: 1; with --engine
    /// auto all cores but one]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..), help_heading = EXPLICIT)]
    pub jobs: Option<u16>,
    /// Let a thread run on while its steps do not conflict with what the others do next, nor touch what invariants and
    /// formulas read: fewer states, but preemptions and switches are those of such supersteps. Not for formulas with X
    #[arg(long, help_heading = EXPLICIT)]
    pub supersteps: bool,
    /// Take states for one that differ only in which of several threads with the same start function (or copies of it)
    /// and argument is where. Where threads can be told apart after all, it is as without [default: where three or more
    /// threads are so alike; `--symmetry` alone: always]
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "always", help_heading = EXPLICIT)]
    pub symmetry: Option<SymmetryName>,
    /// Which of the ways to a state are left out [default: none]
    #[arg(long, value_enum, value_name = "REDUCTION", help_heading = EXPLICIT)]
    pub reduction: Option<ReductionName>,
    /// How states are told apart [default: exact]
    #[arg(long, value_enum, value_name = "STORE", help_heading = EXPLICIT)]
    pub store: Option<StoreName>,
    /// With --store bitstate: the size of the array, for each job [default: 512]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..), help_heading = EXPLICIT)]
    pub store_memory: Option<u32>,
    /// Where states wait to be expanded: in memory, in a file without a name in DIR, or there once half of the memory limit
    /// is used up [default: auto; DIR: the system's folder for temporary files]. With the exact store, only their numbers
    /// wait, which take little. With an approximate store, `disk` searches breadth first, and the states themselves are in
    /// the file: memory is for hashes only; `auto` begins anew like that when a depth-first search runs out of memory. A full
    /// disk ends the search with an unknown that says so; with `auto` what waits stays in memory then
    #[arg(long, value_name = "auto|memory|disk[=DIR]", value_parser = frontier, help_heading = EXPLICIT)]
    pub frontier: Option<Frontier>,
}

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

const EXPLICIT: &str = "The explicit engine";

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SymmetryName {
    Always,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReductionName {
    /// All are tried, fewest preemptions first
    None,
    /// Sleep sets: of two orders of steps that do not conflict one is tried, depth first, by one worker
    Sleep,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StoreName {
    /// By all that is in them, level by level: fewest preemptions first
    Exact,
    /// By 64 bits, depth first; said in the verdict
    Compact,
    /// By a few bits in one large array, depth first; said in the verdict
    Bitstate,
}

impl ExplicitArgs {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--jobs", self.jobs.is_some()),
            ("--supersteps", self.supersteps),
            ("--symmetry", self.symmetry.is_some()),
            ("--reduction", self.reduction.is_some()),
            ("--store", self.store.is_some()),
            ("--store-memory", self.store_memory.is_some()),
            ("--frontier", self.frontier.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    pub fn is_symmetric(&self) -> bool {
        self.symmetry == Some(SymmetryName::Always)
    }

    pub fn has_sleep_sets(&self) -> bool {
        self.reduction == Some(ReductionName::Sleep)
    }

    pub fn is_approximate(&self) -> bool {
        matches!(self.store, Some(StoreName::Compact | StoreName::Bitstate))
    }

    /// For what waits, if it is not to be in memory.
    pub fn disk(&self, memory_limit: Option<u64>) -> Option<Disk> {
        match &self.frontier {
            None | Some(Frontier::Auto) => memory_limit.map(|limit| Disk::when_short(std::env::temp_dir(), limit)),
            Some(Frontier::Memory) => None,
            Some(Frontier::Disk(folder)) => Some(Disk::new(folder.clone())),
        }
    }

    pub fn engine(&self, no_reduction: bool, default_jobs: usize) -> Explicit {
        let megabytes = u64::from(self.store_memory.unwrap_or(512));
        Explicit {
            no_reduction,
            jobs: self.jobs.map_or(default_jobs, usize::from),
            supersteps: self.supersteps,
            symmetry: match self.symmetry {
                _ if no_reduction => Symmetry::Never,
                None => Symmetry::WhereItPays,
                Some(SymmetryName::Always) => Symmetry::Always,
                Some(SymmetryName::Never) => Symmetry::Never,
            },
            sleep_sets: self.has_sleep_sets(),
            memory: match self.store {
                None | Some(StoreName::Exact) => Memory::Exact,
                Some(StoreName::Compact) => Memory::Compact,
                Some(StoreName::Bitstate) => Memory::Bitstate { megabytes },
            },
        }
    }
}
