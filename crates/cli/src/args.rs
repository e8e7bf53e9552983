//! The command line, as data.

mod bounds;
mod cluster;
mod explicit;
mod intervals;
mod load;
mod outside;
mod spin;
mod suite;
mod swarm;
mod tree;
mod watch;

pub use bounds::{BoundsArgs, LoopBound};
pub use cluster::{ClusterArgs, ClusterName, WorkerArgs};
pub use explicit::{ExplicitArgs, StoreName};
pub use intervals::{IntervalArgs, IntervalsName};
pub use load::{DataModelName, LoadArgs, OptLevel};
pub use outside::{BackendName, OutsideArgs, SequentializeArgs, StyleName};
pub use spin::{SpinArgs, SpinOptions};
pub use suite::SuiteArgs;
pub use swarm::{ReuseName, SwarmArgs, SwarmEngine};
pub use tree::{StrategyName, TheoryName, TreeArgs};
pub use watch::{WatchArgs, needs_progress};

use clap::builder::ArgPredicate;
use clap::{Args, Parser, Subcommand, ValueEnum};
use selvedge_program::Property;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Parser)]
#[command(name = "selvedge", version, about = "Checks multi-threaded C programs.", after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 safe, or safe within bounds; 10 violation; 5 unknown; \
                          2 bad input or usage; 70 internal error.";

const SEQUENTIALIZE_EXIT_CODES: &str =
    "Exit codes: 0 printed; 5 the program is beyond what can be printed; 2 bad input or usage; 70 internal error.";

const SPIN_EXIT_CODES: &str =
    "Exit codes: 0 written; 5 the program is beyond what a model can have; 2 bad input or usage; 70 internal error.";

#[derive(Subcommand)]
pub enum Command {
    /// Look for a run that goes wrong, or show that there is none
    #[command(after_help = EXIT_CODES, args_override_self = true)]
    Check(Box<CheckArgs>),
    /// Show what variables may hold, and how many bits that takes
    #[command(args_override_self = true)]
    Analyze(Box<AnalyzeArgs>),
    /// Run a saved schedule again and show what happens
    Replay(Box<ReplayArgs>),
    /// Print the program within bounds as sequential C, for other tools
    #[command(after_help = SEQUENTIALIZE_EXIT_CODES, args_override_self = true)]
    Sequentialize(Box<SequentializeArgs>),
    /// Write a model of the program for SPIN, whose steps our virtual machine takes
    #[command(after_help = SPIN_EXIT_CODES, args_override_self = true)]
    Spin(Box<SpinArgs>),
    /// Check many tasks and compare with the expected verdicts
    Suite(SuiteArgs),
    /// Look for a run that goes wrong in many small instances, on all cores
    #[command(after_help = EXIT_CODES, args_override_self = true)]
    Swarm(Box<SwarmArgs>),
    /// Do one task of a swarm on a cluster: what `selvedge swarm --cluster` has nodes run
    #[command(after_help = cluster::WORKER_EXIT_CODES)]
    Worker(WorkerArgs),
}

#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
    /// How to search
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        default_value_if("backend_cmd", ArgPredicate::IsPresent, "command")
    )]
    pub engine: EngineName,
    #[command(flatten)]
    pub outside: OutsideArgs,
    #[command(flatten)]
    pub bounds: BoundsArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
    #[command(flatten)]
    pub explicit: ExplicitArgs,
    #[command(flatten)]
    pub spin: SpinOptions,
    /// Look only at runs with at most N switches away from a thread that could have gone on; for the
    /// explicit engine and SPIN
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S")]
    pub time_limit: Option<u64>,
    /// Give up at so many megabytes [default: 80 % of the machine's memory]
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,
    /// For everything that is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Inputs with more values than this are not tried one by one
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_input_values: u64,
    /// Take every memory access for a switch point: slow, for comparison
    #[arg(long)]
    pub no_merging: bool,
    #[command(flatten)]
    pub intervals: IntervalArgs,
    /// Answer unknown if "safe" would rest on an assumption, such as a function that has no model
    #[arg(long)]
    pub strict: bool,
    /// Write the result as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the schedule of a violation, for `selvedge replay`
    #[arg(long, value_name = "FILE")]
    pub schedule_out: Option<PathBuf>,
    /// Print a stage's text form, and stop
    #[arg(long, value_enum, value_name = "STAGE")]
    pub emit: Option<Stage>,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

#[derive(Args)]
pub struct AnalyzeArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub bounds: BoundsArgs,
    /// Write the result as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Who says what values may be [default: own]
    #[arg(long, value_enum, value_name = "WHO")]
    pub intervals: Option<IntervalsName>,
    /// Show also what belongs to the models of libraries
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
    /// A file with a schedule, or the schedule itself (`v2;0*12,1*5;`)
    #[arg(long, value_name = "S")]
    pub schedule: String,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

#[derive(Args)]
pub struct PropertyArgs {
    /// What to check, of assertion, deadlock, memory, arithmetic, lock, thread, overflow, leak (lost when the
    /// process ends), cleanup (not freed when it ends), termination (every run ends, also one in which a thread waits
    /// in a loop for another that never gets a turn; see --fair) [default: all but the last four]
    #[arg(long = "property", value_name = "LIST", value_delimiter = ',', value_parser = property)]
    pub properties: Vec<Property>,
    /// Read what to check from an SV-COMP property file
    #[arg(long, value_name = "FILE", conflicts_with = "properties")]
    pub property_file: Option<PathBuf>,
}

#[derive(Args)]
pub struct ConsoleArgs {
    /// Show statistics and every step of a violation (-v), and more (-vv)
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Show only the verdict
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// No colours
    #[arg(long)]
    pub no_color: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// explicit and lazy side by side: the first definite answer wins
    Auto,
    /// Explicit-state search: all states, one by one
    Explicit,
    /// Lazy sequentialization: a formula of all runs within bounds, and a SAT solver
    Lazy,
    /// The tree of all interleavings, and a solver for what is symbolic in them
    Tree,
    /// As lazy, but as sequential C for CBMC; the variable CBMC names its file, if it is not on the path
    Cbmc,
    /// For ESBMC, likewise
    Esbmc,
    /// For KLEE, likewise
    Klee,
    /// For the command that --backend-cmd gives
    Command,
    /// Our virtual machine in SPIN's search; the variable SPIN names its file, if it is not on the path
    Spin,
}

impl EngineName {
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::Explicit => "explicit",
            EngineName::Lazy => "lazy",
            EngineName::Tree => "tree",
            EngineName::Cbmc => "cbmc",
            EngineName::Esbmc => "esbmc",
            EngineName::Klee => "klee",
            EngineName::Command => "command",
            EngineName::Spin => "spin",
        }
    }

    /// A checker that is not ours.
    pub fn is_outside(self) -> bool {
        match self {
            EngineName::Auto | EngineName::Explicit | EngineName::Lazy | EngineName::Tree => false,
            EngineName::Cbmc | EngineName::Esbmc | EngineName::Klee | EngineName::Command => true,
            // It has no bounds, and runs no sequential C.
            EngineName::Spin => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The program as the engines see it
    Program,
    /// The program within the bounds: no loops, no calls (unwind 2, if nothing else is said)
    Bounded,
    /// The lazy engine's formula within the bounds, as DIMACS
    Formula,
    /// The tree of interleavings within the bounds in one formula, as SMT-LIB 2 (unwind 2, switches 2, if nothing
    /// else is said)
    Smt2,
}

fn property(name: &str) -> Result<Property, String> {
    Property::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Property::ALL.iter().map(|p| p.name()).collect();
        format!("no such property; there are {}", names.join(", "))
    })
}

/// Compilers' spellings that clap has no notion of, as our long options.
pub fn rewritten(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    arguments
        .map(|argument| match argument.to_str() {
            Some("-m32") => "--data-model=ILP32".into(),
            Some("-m64") => "--data-model=LP64".into(),
            Some(text) if text.starts_with("-std=") => format!("-{text}").into(),
            Some(level @ ("-O0" | "-O1" | "-O2" | "-O3")) => format!("--opt={}", &level[1..]).into(),
            _ => argument,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parsed(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(rewritten(line.split_whitespace().map(OsString::from)))
    }

    #[test]
    fn the_table_of_options_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_compilers_are_understood() {
        let line = "selvedge check a.c -DN=3 -Iinc -I other -m32 -std=c99 -O2 --property assertion,leak";
        let Ok(Cli { command: Command::Check(args) }) = parsed(line) else { panic!("{line}") };
        assert_eq!(args.load.defines, ["N=3"]);
        assert_eq!(args.load.include_dirs.len(), 2);
        assert_eq!(args.load.data_model, DataModelName::Ilp32);
        assert_eq!(args.load.std.as_deref(), Some("c99"));
        assert_eq!(args.load.opt, OptLevel::O2);
        assert_eq!(args.property.properties, [Property::Assertion, Property::Leak]);
    }

    #[test]
    fn the_last_of_two_wins() {
        let line = "selvedge check a.c -I a -I b --time-limit 1 -m64 --time-limit 2 -m32";
        let Ok(Cli { command: Command::Check(args) }) = parsed(line) else { panic!("{line}") };
        assert_eq!(args.time_limit, Some(2));
        assert_eq!(args.load.data_model, DataModelName::Ilp32);
        assert_eq!(args.load.include_dirs.len(), 2);
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "selvedge",
            "selvedge check",
            "selvedge check a.c --frobnicate",
            "selvedge check a.c --property speed",
            "selvedge check a.c --time-limit soon",
            "selvedge check a.c --rounds 0",
            "selvedge check a.c --rounds -1",
            "selvedge check a.c --unwind many",
            "selvedge check a.c --unwind-loop a.c=3",
            "selvedge check a.c --unwind-loop a.c:7",
            "selvedge check a.c --unwind-loop a.c:0=3",
            "selvedge check a.c --unwind-loop :7=3",
            "selvedge check a.c --engine quantum",
            "selvedge check a.c --backend-cmd cbmc",
            "selvedge check a.c --engine cbmc --style nice",
            "selvedge sequentialize",
            "selvedge sequentialize a.c --rounds 0",
            "selvedge sequentialize a.c --style cav15",
            "selvedge sequentialize a.c --backend quantum",
            "selvedge suite t --jobs 0",
            "selvedge replay a.c",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn bounds_are_read_and_written() {
        let line = "selvedge check a.c --rounds 3 --unwind 0 --unwind-loop a.c:7=1 --unwind-loop C:x=y.c:8=2 \
                    --recursion 4 --threads 0";
        let Ok(Cli { command: Command::Check(args) }) = parsed(line) else { panic!("{line}") };
        let bounds = args.bounds.bounds();
        assert_eq!(
            (bounds.rounds, bounds.unwind, bounds.recursion, bounds.threads),
            (Some(3), Some(0), Some(4), Some(0))
        );
        assert_eq!(bounds.unwind_at, [(("C:x=y.c".to_string(), 8), 2), (("a.c".to_string(), 7), 1)]);
        assert_eq!(args.bounds.given(), ["--rounds", "--unwind", "--unwind-loop", "--recursion", "--threads"]);
        let again = format!("selvedge check a.c {}", args.bounds.words().join(" "));
        let Ok(Cli { command: Command::Check(again) }) = parsed(&again) else { panic!("{again}") };
        assert_eq!(again.bounds.bounds(), bounds);
    }

    #[test]
    fn arguments_for_check_follow_two_dashes() {
        let line = "selvedge suite tasks --jobs 2 -- --strict -m32";
        let Ok(Cli { command: Command::Suite(args) }) = parsed(line) else { panic!("{line}") };
        assert_eq!(args.check_args, ["--strict", "--data-model=ILP32"]);
    }
}
