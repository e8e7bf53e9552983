//! The engines of `selvedge check`, one entry each. What goes with what, the help and the refusals are derived from
//! the entries: an option names the capability that it needs where it is declared, an engine those that it has.

use crate::args::{CheckArgs, Choice, Given};
use crate::failure::Failure;
use crate::machine;
use Capability::{
    Abstraction, Command, Init, Interleavings, Intervals, Invariants, Merging, Preemptions, Proofs, Rounds,
    SequentialC, Solvers, States, Strategies, Switches, Temporal, Unwinding,
};
use clap::builder::ArgExt;
use selvedge_engine::Engine;
use selvedge_engines::auto::Auto;
use selvedge_outside::spin::Spin;
use selvedge_outside::{Outside, Style, Tool};
use selvedge_program::{Property, Scope};
use selvedge_prove::Prove;
use selvedge_search::ltl::Ltl;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Strategy;

/// Something that options ask of an engine. An option that asks for none goes with every engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capability {
    /// Bounds the rounds of round-robin schedules.
    Rounds,
    /// Bounds context switches.
    Switches,
    /// Bounds preemptions.
    Preemptions,
    /// Unwinds loops and recursion.
    Unwinding,
    /// Gives values the bits that their intervals need.
    Intervals,
    /// Merges steps that no other thread can see.
    Merging,
    /// Our own search of states.
    States,
    /// The tree of interleavings.
    Interleavings,
    /// Asks a solver of the user's choice.
    Solvers,
    /// Asks about few schedules first, or about one at a time.
    Strategies,
    /// Prints the program as sequential C.
    SequentialC,
    /// Runs a command of the user's.
    Command,
    /// SPIN's verifier.
    Spin,
    /// Proves that nothing goes wrong, without bounds.
    Proofs,
    /// Keeps something from one instance of a swarm to the next.
    Reuse,
    /// The observers; whether an engine has them is said by its scope.
    Invariants,
    Init,
    Abstraction,
    Temporal,
}

impl ArgExt for Capability {}

impl Capability {
    /// Whether it only bounds a search, so that nothing is lost where an engine has no such bound.
    pub fn is_bound(self) -> bool {
        match self {
            Rounds | Switches | Preemptions | Unwinding => true,
            Intervals | Merging | States | Interleavings | Solvers | Strategies | SequentialC | Command => false,
            Capability::Spin | Proofs | Capability::Reuse | Invariants | Init | Abstraction | Temporal => false,
        }
    }
}

/// An engine as the command line knows it.
pub struct Entry<Make> {
    pub name: &'static str,
    pub help: &'static str,
    /// The most that it looks for; its options may narrow it.
    pub scope: Scope,
    /// All else that options can ask of it.
    pub capabilities: &'static [Capability],
    /// Cores that it keeps busy, where nothing is said about jobs.
    pub cores: usize,
    pub make: Make,
}

impl<Make> Entry<Make> {
    /// For an option that has one of them.
    pub fn choices(all: &'static [Entry<Make>]) -> impl Iterator<Item = Choice<&'static Entry<Make>>> {
        all.iter().map(|entry| (entry.name, entry.help, entry))
    }

    pub fn takes(&self, capability: Capability) -> bool {
        match capability {
            Invariants => self.scope.properties.contains(Property::Invariant),
            Init => self.scope.init,
            Abstraction => self.scope.abstraction,
            Temporal => self.scope.properties.contains(Property::Ltl),
            capability => self.capabilities.contains(&capability),
        }
    }
}

/// From options to an engine; or why they make none.
pub type MakeEngine = fn(&CheckArgs) -> Result<Box<dyn Engine>, String>;

const OUTSIDE: &[Capability] = &[Rounds, Unwinding, Intervals, SequentialC];

pub static ENGINES: [Entry<MakeEngine>; 10] = [
    Entry {
        name: "auto",
        help: "explicit, lazy and prove side by side: the first definite answer wins",
        scope: Scope::RUNS.with(Property::Race),
        capabilities: &[Rounds, Unwinding, Intervals, Preemptions, Merging, States, Proofs, Solvers],
        cores: 2,
        make: |args| match (args.program.observers.is_temporal(), args.program.observers.observes_states()) {
            (true, _) => ltl(args),
            // The lazy engine has no observers.
            (_, true) => Ok(args.explicit.single(args.explore.no_merging, machine::cores())),
            // The lazy engine has the other core.
            _ => {
                let (jobs, no_reduction) = (machine::cores().saturating_sub(1), args.explore.no_merging);
                let explicit = args.explicit.engine(no_reduction, jobs);
                let by_conflicts = args.explicit.by_conflicts(no_reduction, jobs);
                Ok(Box::new(Auto { explicit, by_conflicts, lazy: lazy(args), prove: prove(args) }))
            }
        },
    },
    Entry {
        name: "explicit",
        help: "Explicit-state search: all states, one by one",
        scope: Scope::RUNS.with(Property::Race),
        capabilities: &[Switches, Preemptions, Merging, States],
        cores: 1,
        make: |args| match args.program.observers.is_temporal() {
            true => ltl(args),
            false => Ok(args.explicit.single(args.explore.no_merging, 1)),
        },
    },
    Entry {
        name: "lazy",
        help: "Lazy sequentialization: a formula of all runs within bounds, and a SAT solver",
        scope: Scope::STEPS.with(Property::Race),
        capabilities: &[Rounds, Unwinding, Intervals, Strategies],
        cores: 1,
        make: |args| match args.tree.strategy {
            None | Some(Strategy::Widen) => Ok(Box::new(lazy(args))),
            Some(Strategy::Lazy | Strategy::Record) => Err("--engine lazy requires --strategy uw, or none".to_string()),
        },
    },
    Entry {
        name: "prove",
        help: "Proofs without bounds on loops and threads, by invariants: finds no bugs",
        scope: Prove::SCOPE,
        capabilities: &[Proofs, Solvers],
        cores: 1,
        make: |args| Ok(Box::new(prove(args))),
    },
    Entry {
        name: "tree",
        help: "The tree of all interleavings, and a solver for what is symbolic in them",
        scope: Scope::STEPS.with(Property::Race),
        capabilities: &[Switches, Unwinding, Interleavings, Solvers, Strategies],
        cores: 1,
        make: |args| {
            let tree = args.tree.engine();
            tree.has_no_solver().map_or(Ok(Box::new(tree)), Err)
        },
    },
    Entry {
        name: "cbmc",
        help: "As lazy, but as sequential C for CBMC; the variable CBMC names its file, if it is not on the path",
        scope: Scope::STEPS,
        capabilities: OUTSIDE,
        cores: 1,
        make: |args| outside(Tool::Cbmc, args),
    },
    Entry {
        name: "esbmc",
        help: "As cbmc, for ESBMC",
        scope: Scope::STEPS,
        capabilities: OUTSIDE,
        cores: 1,
        make: |args| outside(Tool::Esbmc, args),
    },
    Entry {
        name: "klee",
        help: "As cbmc, for KLEE",
        scope: Scope::STEPS,
        capabilities: OUTSIDE,
        cores: 1,
        make: |args| match args.outside.style.style() {
            Style::Cav14 => {
                Err("--engine klee tells the values of inputs only: it requires --style tacas17".to_string())
            }
            Style::Tacas17 => outside(Tool::Klee, args),
        },
    },
    Entry {
        name: COMMAND,
        help: "As cbmc, for the command that --backend-cmd gives",
        scope: Scope::STEPS,
        capabilities: &[Rounds, Unwinding, Intervals, SequentialC, Command],
        cores: 1,
        make: |args| match args.outside.backend_cmd.clone() {
            None => Err("--engine command requires --backend-cmd".to_string()),
            Some(command) => outside(Tool::Command(command), args),
        },
    },
    Entry {
        name: "spin",
        help: "Our virtual machine in SPIN's search; the variable SPIN names its file, if it is not on the path",
        scope: Scope::RUNS,
        capabilities: &[Preemptions, Merging, Capability::Spin],
        cores: 1,
        make: |args| match args.program.observers.counts_steps()? {
            true => Err(SPIN_COUNTS_OTHERWISE.to_string()),
            false => Ok(Box::new(Spin { options: args.spin.options(None, args.explore.no_merging) })),
        },
    },
];

/// The engine that `--backend-cmd` chooses.
pub const COMMAND: &str = "command";

pub const SPIN_COUNTS_OTHERWISE: &str = "--ltl: X counts steps, and SPIN's are not the program's: say it without X";

/// Capabilities that have no meaning together, and why.
pub const CONFLICTS: &[(Capability, &[Capability], &str)] = &[
    (Switches, &[Preemptions], "switches include preemptions; choose one of the two"),
    (Temporal, &[Preemptions, Switches], "it is about whole runs"),
    (
        Temporal,
        &[Abstraction],
        "a cycle of states that only look the same to an abstraction need not be one of the program",
    ),
    (Rounds, NOT_OF_LAZY, ONLY_LAZY),
    (Unwinding, NOT_OF_LAZY, ONLY_LAZY),
];

/// Taken by --engine auto for the explicit engine only.
const NOT_OF_LAZY: &[Capability] = &[Preemptions, Invariants, Init, Abstraction, Temporal];
const ONLY_LAZY: &str = "the first is for the lazy engine, the second for the explicit one; choose one with --engine";

/// The engine that is asked for. What it would not look at is refused, rather than ignored.
pub fn engine(args: &CheckArgs, given: &Given) -> Result<Box<dyn Engine>, Failure> {
    given.check_engine(args.engine, &ENGINES)?;
    args.intervals.source.check(args.bounds.rounds)?;
    args.explicit.check(given)?;
    (args.engine.make)(args).map_err(Failure::BadInput)
}

pub fn lazy(args: &CheckArgs) -> Lazy {
    let widen = args.tree.strategy == Some(Strategy::Widen);
    Lazy { narrowing: args.intervals.source().narrowing(), widen, check_proofs: false }
}

fn prove(args: &CheckArgs) -> Prove {
    let solver = args.tree.solver.clone().unwrap_or_else(|| Prove::SOLVER.to_string());
    Prove { with_script: args.results.proof_out.is_some(), solver }
}

/// The search for cycles, in place of the explicit engine's.
fn ltl(args: &CheckArgs) -> Result<Box<dyn Engine>, String> {
    let (no_reduction, supersteps) = (args.explore.no_merging, args.explicit.supersteps);
    let refused = |why: &str| Err(format!("--ltl: X counts steps, and {why}"));
    match (args.program.observers.counts_steps()?, supersteps, no_reduction) {
        (true, true, _) => refused("supersteps make one of many: say it without X, or leave out --supersteps"),
        (true, _, false) => {
            refused("the search merges steps that no other thread can see: say it without X, or add --no-merging")
        }
        _ => Ok(Box::new(Ltl { no_reduction, supersteps })),
    }
}

fn outside(tool: Tool, args: &CheckArgs) -> Result<Box<dyn Engine>, String> {
    Ok(Box::new(Outside { tool, style: args.outside.style.style(), intervals: args.intervals.source() }))
}

#[cfg(test)]
mod tests;
