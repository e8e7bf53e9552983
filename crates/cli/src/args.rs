//! The command line, as data.

mod cluster;
mod explicit;
mod spin;
mod swarm;
mod watch;

pub use cluster::{ClusterArgs, ClusterName, WorkerArgs};
pub use explicit::{ExplicitArgs, StoreName};
pub use spin::{SpinArgs, SpinOptions};
pub use swarm::{ReuseName, SwarmArgs, SwarmEngine};
pub use watch::{WatchArgs, needs_progress};

use clap::builder::ArgPredicate;
use clap::{Args, Parser, Subcommand, ValueEnum};
use selvedge_engines::Narrowing;
use selvedge_program::{Bounds, Property};
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
    /// Answer unknown if the program calls functions that have no model
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

/// Who says how many bits values need.
#[derive(Args)]
pub struct IntervalArgs {
    /// Who says what values may be, so that only the bits that they need are looked at [default: own]
    #[arg(long, value_enum, value_name = "WHO")]
    pub intervals: Option<IntervalsName>,
    /// Give every value all the bits of its type: for comparison
    #[arg(long, conflicts_with = "intervals")]
    pub no_intervals: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum IntervalsName {
    /// Our own analysis
    Own,
    /// Frama-C's Eva, on the sequential program (with --rounds)
    FramaC,
}

impl IntervalArgs {
    pub fn narrowing(&self) -> Narrowing {
        if self.no_intervals { Narrowing::None } else { self.intervals.map_or(Narrowing::Own, Narrowing::from) }
    }
}

impl From<IntervalsName> for Narrowing {
    fn from(name: IntervalsName) -> Narrowing {
        match name {
            IntervalsName::Own => Narrowing::Own,
            IntervalsName::FramaC => Narrowing::FramaC,
        }
    }
}

/// What outside checkers are given.
#[derive(Args)]
pub struct OutsideArgs {
    /// Give the program, as sequential C, to this command, in which {file} stands for it. It must answer as
    /// CBMC does: `VERIFICATION SUCCESSFUL` and exit code 0, or `VERIFICATION FAILED` after a counterexample
    #[arg(long, value_name = "COMMAND", value_parser = backend_cmd, help_heading = OUTSIDE)]
    pub backend_cmd: Option<String>,
    /// How the sequential C is written [default: tacas17]
    #[arg(long, value_enum, value_name = "STYLE", help_heading = OUTSIDE)]
    pub style: Option<StyleName>,
}

const OUTSIDE: &str = "Outside checkers";

fn backend_cmd(text: &str) -> Result<String, String> {
    match text.contains("{file}") {
        true => Ok(text.to_string()),
        false => Err("{file} must stand somewhere in it, for the program".to_string()),
    }
}

/// How the tree engine goes about it.
#[derive(Args)]
pub struct TreeArgs {
    /// When the solver is asked, and about what; uw also with the lazy engine [default: lazy]
    #[arg(long, value_enum, value_name = "STRATEGY", help_heading = TREE)]
    pub strategy: Option<StrategyName>,
    /// Ask the solver whether an interleaving is possible before following it
    #[arg(long, help_heading = TREE)]
    pub check_guards: bool,
    /// Follow all interleavings, also those that differ only in the order of independent steps
    #[arg(long, help_heading = TREE)]
    pub no_por: bool,
    /// Go on after the first violation, to count the interleavings that fail
    #[arg(long, help_heading = TREE)]
    pub whole_tree: bool,
    /// The solver [default: cadical]
    #[arg(long, value_name = "NAME", help_heading = TREE)]
    pub solver: Option<String>,
    /// What the solver takes integers for [default: bv]
    #[arg(long, value_enum, value_name = "THEORY", help_heading = TREE)]
    pub theory: Option<TheoryName>,
}

const TREE: &str = "The tree engine";

impl TreeArgs {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--strategy", self.strategy.is_some()),
            ("--check-guards", self.check_guards),
            ("--no-por", self.no_por),
            ("--whole-tree", self.whole_tree),
            ("--solver", self.solver.is_some()),
            ("--theory", self.theory.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StrategyName {
    /// About each interleaving, as soon as it is there
    Lazy,
    /// Once, about all interleavings in one formula
    Record,
    /// The same, beginning with few of them: under-approximation and widening
    Uw,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TheoryName {
    /// Bit-vectors: exact
    Bv,
    /// Mathematical integers: faster at times, and said in the verdict
    Int,
}

/// How far the engines that bound programs look. Without any of them they deepen by themselves.
#[derive(Args)]
pub struct BoundsArgs {
    /// Look only at runs of K rounds, in each of which every thread gets one turn
    #[arg(long, value_name = "K", value_parser = rounds, help_heading = BOUNDS)]
    pub rounds: Option<u32>,
    /// Look only at runs with at most C context switches; for the tree engine and the explicit one
    #[arg(long, value_name = "C", help_heading = BOUNDS)]
    pub switches: Option<u32>,
    /// Follow every loop for N iterations; more if it is evident how many it has
    #[arg(long, value_name = "N", help_heading = BOUNDS)]
    pub unwind: Option<u32>,
    /// Follow the loop at this place for N iterations; may be given several times
    #[arg(long, value_name = "FILE:LINE=N", value_parser = unwind_loop, help_heading = BOUNDS)]
    pub unwind_loop: Vec<LoopBound>,
    /// Nest the calls of a recursive function N deep [default: as --unwind]
    #[arg(long, value_name = "N", help_heading = BOUNDS)]
    pub recursion: Option<u32>,
    /// Follow N threads besides main [default: 64]
    #[arg(long, value_name = "N", help_heading = BOUNDS)]
    pub threads: Option<u32>,
}

const BOUNDS: &str = "Bounds of all engines but the explicit one";

/// `--unwind-loop FILE:LINE=N`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    pub file: String,
    pub line: u32,
    pub unwind: u32,
}

impl BoundsArgs {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--rounds", self.rounds.is_some()),
            ("--switches", self.switches.is_some()),
            ("--unwind", self.unwind.is_some()),
            ("--unwind-loop", !self.unwind_loop.is_empty()),
            ("--recursion", self.recursion.is_some()),
            ("--threads", self.threads.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    pub fn bounds(&self) -> Bounds {
        // The first that names a loop counts; of two on the command line, the last.
        let loops = self.unwind_loop.iter().rev().map(|at| ((at.file.clone(), at.line), at.unwind));
        Bounds {
            unwind: self.unwind,
            unwind_at: loops.collect(),
            recursion: self.recursion,
            rounds: self.rounds,
            switches: self.switches,
            threads: self.threads,
            ..Bounds::default()
        }
    }

    /// As they are written, for another command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
        self.rounds.iter().for_each(|n| option("--rounds", n.to_string()));
        self.switches.iter().for_each(|n| option("--switches", n.to_string()));
        self.unwind.iter().for_each(|n| option("--unwind", n.to_string()));
        self.unwind_loop.iter().for_each(|LoopBound { file, line, unwind }| {
            option("--unwind-loop", format!("{file}:{line}={unwind}"));
        });
        self.recursion.iter().for_each(|n| option("--recursion", n.to_string()));
        self.threads.iter().for_each(|n| option("--threads", n.to_string()));
        words
    }
}

fn rounds(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0) => Err("without a round nothing runs: there must be at least 1".to_string()),
        Ok(rounds) => Ok(rounds),
        Err(error) => Err(error.to_string()),
    }
}

fn unwind_loop(text: &str) -> Result<LoopBound, String> {
    let parts = || {
        let (place, unwind) = text.rsplit_once('=')?;
        let (file, line) = place.rsplit_once(':')?;
        let line = line.parse().ok().filter(|line| *line > 0)?;
        let unwind = unwind.parse().ok()?;
        (!file.is_empty()).then(|| LoopBound { file: file.to_string(), line, unwind })
    };
    parts().ok_or_else(|| "expected FILE:LINE=N, as in queue.c:42=8".to_string())
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
pub struct SequentializeArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    /// Without any: two rounds, two iterations.
    #[command(flatten)]
    pub bounds: BoundsArgs,
    /// Whose driver
    #[arg(long, value_enum, default_value = "tacas17")]
    pub style: StyleName,
    /// Who is to read it
    #[arg(long, value_enum, default_value = "generic")]
    pub backend: BackendName,
    #[command(flatten)]
    pub intervals: IntervalArgs,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Say nothing about bounds and about what is left out
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StyleName {
    /// Each context switch is guessed right before the thread runs
    Cav14,
    /// All are guessed at the start
    Tacas17,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BackendName {
    /// Portable C that can be compiled and run, at random or along given choices
    Generic,
    Cbmc,
    Esbmc,
    Klee,
    FramaC,
}

/// How a program is read. The same for every command that reads one.
#[derive(Args)]
pub struct LoadArgs {
    /// C (.c, .i) or LLVM IR (.ll, .bc); several are linked
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Add a folder to the header search
    #[arg(short = 'I', value_name = "DIR", help_heading = FRONT_END)]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = FRONT_END)]
    pub defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = FRONT_END)]
    pub undefines: Vec<String>,
    /// The C standard [default: gnu11]
    #[arg(long, value_name = "STANDARD", help_heading = FRONT_END)]
    pub std: Option<String>,
    /// Widths of int, long and pointers; also -m32, -m64
    #[arg(long, value_enum, ignore_case = true, default_value = "LP64", help_heading = FRONT_END)]
    pub data_model: DataModelName,
    /// Check what the compiler makes of the program at this level
    #[arg(long, value_enum, ignore_case = true, default_value = "O0", help_heading = FRONT_END)]
    pub opt: OptLevel,
    /// The compiler [default: clang-19, else another version on the path]
    #[arg(long, value_name = "PATH", help_heading = FRONT_END)]
    pub clang: Option<PathBuf>,
    /// Add models of functions, in C
    #[arg(long = "model", value_name = "FILE", help_heading = FRONT_END)]
    pub models: Vec<PathBuf>,
    /// Let condition variables wake up without a signal
    #[arg(long, help_heading = FRONT_END)]
    pub spurious_wakeups: bool,
    /// Let malloc and its kin return null
    #[arg(long, help_heading = FRONT_END)]
    pub malloc_may_fail: bool,
}

const FRONT_END: &str = "Reading the program";

#[derive(Args)]
pub struct PropertyArgs {
    /// What to check, of assertion, deadlock, memory, arithmetic, lock, thread, overflow, leak (lost when the
    /// process ends), cleanup (not freed when it ends) [default: all but the last three]
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

#[derive(Args)]
pub struct SuiteArgs {
    /// Folders with task definitions (.yml, or test.desc as CBMC and ESBMC have them), task definitions, or an
    /// INDEX.tsv
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only tasks whose set begins with this
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Seconds for each task
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub time_limit: u64,
    /// Megabytes for all tasks together [default: 80 % of the machine's memory]
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,
    /// Tasks at a time [default: the number of cores; half as many with --engine auto, which uses two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// How to search
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    #[command(flatten)]
    pub bounds: BoundsArgs,
    /// Give every value the bits of its type in the lazy engine's formula, whatever it may be: for comparison
    #[arg(long)]
    pub no_intervals: bool,
    /// Write all results as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Show a line for each task, as -v does
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub console: ConsoleArgs,
    /// Arguments for `selvedge check`
    #[arg(last = true, value_name = "CHECK-ARGS")]
    pub check_args: Vec<String>,
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DataModelName {
    #[value(name = "ILP32")]
    Ilp32,
    #[value(name = "LP64")]
    Lp64,
}

impl DataModelName {
    pub fn name(self) -> &'static str {
        match self {
            DataModelName::Ilp32 => "ILP32",
            DataModelName::Lp64 => "LP64",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum OptLevel {
    #[value(name = "O0")]
    O0,
    #[value(name = "O1")]
    O1,
    #[value(name = "O2")]
    O2,
    #[value(name = "O3")]
    O3,
}

impl OptLevel {
    pub fn name(self) -> &'static str {
        match self {
            OptLevel::O0 => "O0",
            OptLevel::O1 => "O1",
            OptLevel::O2 => "O2",
            OptLevel::O3 => "O3",
        }
    }
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
