//! The command line, as data.

mod bounds;
mod choice;
mod cluster;
mod compilers;
mod explicit;
mod given;
mod harness;
mod intervals;
mod load;
mod observers;
mod outside;
mod project;
mod reports;
mod spin;
mod suite;
mod svcomp;
mod swarm;
mod tree;
mod world;

pub use bounds::{BoundsArgs, LoopBound};
pub use choice::{Choice, name_of, named};
pub use cluster::{ClusterArgs, MakeScheduler, WorkerArgs};
pub use given::Given;
pub use harness::HarnessArgs;
pub use load::{DATA_MODELS, LoadArgs, OverflowAlso};
pub use observers::{ObserverArgs, needs_progress};
pub use outside::SequentializeArgs;
pub use project::FILE as PROJECT_FILE;
pub use reports::{Format, ReportArgs, ReportTo};
pub use spin::SpinArgs;
pub use suite::{CheckedArgs, SuiteArgs};
pub use svcomp::SvcompArgs;
pub use swarm::{REUSES, SwarmArgs};

use crate::engines::{COMMAND, Capability, ENGINES, Entry, MakeEngine};
use crate::swarm::SWARM_ENGINES;
use choice::one_of;
use clap::builder::ArgPredicate;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use explicit::ExplicitArgs;
use given::naming_engines;
use intervals::{IntervalArgs, IntervalSourceArgs};
use outside::OutsideArgs;
use project::Project;
use selvedge_formula::Cadical;
use selvedge_formula::smt::KNOWN;
use selvedge_program::{IgnoredRace, Property, Suppression};
use spin::SpinOptions;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;
use tree::TreeArgs;

#[derive(Parser)]
#[command(name = "selvedge", version, long_version = LONG_VERSION.as_str(), about = "Checks multi-threaded C programs.", after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The version, and the solvers that formulas are given to.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let (own, others) = (Cadical::signature(), KNOWN.map(|dialect| dialect.name).join(", "));
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}\nbuilt with {own}\ncalls {others} where they are installed: see selvedge doctor")
});

const EXIT_CODES: &str = "Exit codes: 0 safe, or safe within bounds; 10 violation; 5 unknown; \
                          2 bad input or usage; 70 internal error.";

const SEQUENTIALIZE_EXIT_CODES: &str =
    "Exit codes: 0 printed; 5 the program is beyond what can be printed; 2 bad input or usage; 70 internal error.";

const SPIN_EXIT_CODES: &str =
    "Exit codes: 0 written; 5 the program is beyond what a model can have; 2 bad input or usage; 70 internal error.";

#[derive(Subcommand)]
pub enum Command {
    /// Look for a run that goes wrong, or show that there is none
    #[command(after_help = EXIT_CODES, args_override_self = true, mut_args = naming_engines(&ENGINES))]
    Check(Box<CheckArgs>),
    /// Show what variables may hold, and how many bits that takes
    #[command(args_override_self = true)]
    Analyze(Box<AnalyzeArgs>),
    /// Run a saved schedule again and show what happens
    #[command(args_override_self = true)]
    Replay(Box<ReplayArgs>),
    /// Make a schedule shorter: fewer switches, fewer steps, simpler inputs, and the same violation
    #[command(args_override_self = true)]
    Minimize(Box<MinimizeArgs>),
    /// Write a native program of your own files that runs a saved schedule again: `make run`, `make gdb`
    #[command(args_override_self = true)]
    Reproduce(Box<ReproduceArgs>),
    /// Print the program within bounds as sequential C, for other tools
    #[command(after_help = SEQUENTIALIZE_EXIT_CODES, args_override_self = true)]
    Sequentialize(Box<SequentializeArgs>),
    /// Write a model of the program for SPIN, whose steps our virtual machine takes
    #[command(after_help = SPIN_EXIT_CODES, args_override_self = true)]
    Spin(Box<SpinArgs>),
    /// Check many tasks and compare with the expected verdicts
    #[command(mut_args = naming_engines(&ENGINES))]
    Suite(Box<SuiteArgs>),
    /// Check one task by the rules of SV-COMP: prints `RESULT: true`, `false(…)` or `unknown (…)`
    #[command(after_help = EXIT_CODES, args_override_self = true)]
    Svcomp(Box<SvcompArgs>),
    /// Look for a run that goes wrong in many small instances, on all cores
    #[command(after_help = EXIT_CODES, args_override_self = true, mut_args = naming_engines(&SWARM_ENGINES))]
    Swarm(Box<SwarmArgs>),
    /// Write a selvedge.toml for the program in this folder: what it says need not be given to commands
    Init(InitArgs),
    /// Do one task of a swarm on a cluster; `selvedge swarm --cluster` runs this on its nodes
    #[command(after_help = cluster::WORKER_EXIT_CODES)]
    Worker(WorkerArgs),
    /// Say which tools are installed, and what each is for
    Doctor,
    /// Print the manual page, of all or of one command: `selvedge man check | man -l -`
    Man {
        #[arg(value_name = "COMMAND")]
        of: Option<String>,
    },
    /// Print a script that completes our options, for a shell to read
    Completions {
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
}

#[derive(Args)]
pub struct InitArgs {
    /// The program's files [default: those of compile_commands.json, or *.c and src/*.c]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Replace a selvedge.toml that is there
    #[arg(long)]
    pub force: bool,
}

/// The program and the question: all that a replay repeats.
#[derive(Args)]
pub struct ProgramArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub observers: ObserverArgs,
}

#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// How to search
    #[arg(
        long,
        value_parser = one_of(Entry::choices(&ENGINES)),
        default_value = "auto",
        default_value_if("backend_cmd", ArgPredicate::IsPresent, COMMAND)
    )]
    pub engine: &'static Entry<MakeEngine>,
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
    #[command(flatten)]
    pub explore: ExploreArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub intervals: IntervalArgs,
    #[command(flatten)]
    pub results: ResultArgs,
    /// After a violation look for others, each at another place
    #[arg(long, conflicts_with = "fences")]
    pub keep_going: bool,
    /// If the program is unsafe under --memory-model tso or pso: find the fewest seq_cst fences that make it safe, and
    /// print them as a patch
    #[arg(long)]
    pub fences: bool,
    /// Print a stage's text form, and stop
    #[arg(long, value_parser = one_of(STAGES), value_name = "STAGE")]
    pub emit: Option<Emitted>,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Options for trying steps and inputs.
#[derive(Args)]
pub struct ExploreArgs {
    /// Look only at runs with at most N switches away from a thread that could have gone on
    #[arg(long, value_name = "N", add = Capability::Preemptions)]
    pub preemptions: Option<u32>,
    #[command(flatten)]
    pub random: RandomArgs,
    /// Try only some values of inputs that have more than this, which the verdict names
    #[arg(long, value_name = "N", default_value_t = selvedge_engine::MAX_INPUT_VALUES)]
    pub max_input_values: u64,
    /// Take every memory access for a switch point: slow, for comparison
    #[arg(long, add = Capability::Merging)]
    pub no_merging: bool,
}

#[derive(Args)]
pub struct RandomArgs {
    /// The seed of everything that is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Args)]
pub struct LimitArgs {
    /// Give up after so many seconds
    #[arg(long, value_name = "S")]
    pub time_limit: Option<u64>,
    /// Give up at so many megabytes; on a cluster, each task for itself [default: half of the machine's memory]
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,
}

/// When a verdict counts, and where it is written.
#[derive(Args)]
pub struct ResultArgs {
    /// Answer unknown if "safe" would rest on an assumption, such as a function that has no model
    #[arg(long)]
    pub strict: bool,
    /// Write the result as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Where nothing is found, write the functions and lines that runs got to, as lcov does, for editors; `-` is
    /// standard output
    #[arg(long, value_name = "FILE")]
    pub coverage: Option<PathBuf>,
    /// Write the schedule of a violation, for `selvedge replay`
    #[arg(long, value_name = "FILE")]
    pub schedule_out: Option<PathBuf>,
    /// Write the proof, if one is found that needs no bounds, as SMT-LIB 2: each of its queries must be unsat
    #[arg(long, value_name = "FILE", add = Capability::Proofs)]
    pub proof_out: Option<PathBuf>,
}

impl ResultArgs {
    /// All that is written at the end; it is better to know at the beginning that it cannot be.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let ResultArgs { strict: _, json, reports, coverage, schedule_out, proof_out } = self;
        let reports = reports.reports.iter().map(|report| &report.path);
        [json, coverage, schedule_out, proof_out].into_iter().flatten().chain(reports)
    }
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
    #[command(flatten)]
    pub source: IntervalSourceArgs,
    /// Show also what belongs to the models of libraries
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// A file with a schedule, or the schedule itself (`v2;0*12,1*5;`)
    #[arg(long, value_name = "S")]
    pub schedule: String,
    #[command(flatten)]
    pub reports: ReportArgs,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

#[derive(Args)]
pub struct MinimizeArgs {
    #[command(flatten)]
    pub replay: ReplayArgs,
    /// Write the schedule that was found
    #[arg(long, short = 'o', value_name = "FILE")]
    pub schedule_out: Option<PathBuf>,
    /// Take what was found after so many seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub time_limit: u64,
}

#[derive(Args)]
pub struct ReproduceArgs {
    #[command(flatten)]
    pub replay: ReplayArgs,
    /// The folder of the program
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(Args, Default)]
pub struct PropertyArgs {
    /// Properties to check, separated by commas [default: all but the last six; abort only where the program does not
    /// follow SV-COMP's conventions, by which it ends runs that do not count]
    #[arg(long = "property", value_name = "LIST", value_delimiter = ',',
          value_parser = one_of(Property::all_by_name().map(property)))]
    pub properties: Vec<Property>,
    /// Take an exit with a status that is not 0 for a failure, also main's return: add `exit` to what is checked
    #[arg(long, conflicts_with = "property_file")]
    pub fail_on_exit: bool,
    /// Do not report this violation, as in `assertion@pool.c:12`: the run goes on, or ends without a word. The verdict
    /// lists it. May be given several times
    #[arg(long, value_name = "KIND@FILE:LINE")]
    pub suppress: Vec<Suppression>,
    /// Report no data race with an access in this function, to this variable, or on this line. The verdict lists it.
    /// May be given several times
    #[arg(long, value_name = "FUNC|VAR|FILE:LINE")]
    pub race_ignore: Vec<IgnoredRace>,
    /// Read what to check from an SV-COMP property file
    #[arg(long, value_name = "FILE", conflicts_with = "properties")]
    pub property_file: Option<PathBuf>,
}

#[derive(Args)]
pub struct ConsoleArgs {
    /// Show statistics, every step of a violation, and what a proof says (-v); more (-vv)
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Show only the verdict
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// No colours
    #[arg(long)]
    pub no_color: bool,
    /// Show only the last N lines of the program that ran before a violation
    #[arg(long, value_name = "N")]
    pub last: Option<usize>,
}

#[derive(Clone, Copy)]
pub enum Emitted {
    /// The C file that is made of options, before anything is read.
    Harness,
    Of(Stage),
}

#[derive(Clone, Copy)]
pub enum Stage {
    Program,
    Bounded,
    Formula,
    Smt2,
    System,
}

const STAGES: [Choice<Emitted>; 6] = [
    ("harness", "The C file that --threads or --entry make, to be kept and changed", Emitted::Harness),
    ("program", "The program as the engines see it", Emitted::Of(Stage::Program)),
    (
        "bounded",
        "The program within the bounds: no loops, no calls (unwind 2, if nothing else is said)",
        Emitted::Of(Stage::Bounded),
    ),
    ("formula", "The lazy engine's formula within the bounds, as DIMACS", Emitted::Of(Stage::Formula)),
    (
        "smt2",
        "The tree of interleavings within the bounds in one formula, as SMT-LIB 2 (unwind 2, switches 2, if nothing \
         else is said)",
        Emitted::Of(Stage::Smt2),
    ),
    ("system", "The threads and their steps as proofs see them: loops stay loops", Emitted::Of(Stage::System)),
];

fn property(property: Property) -> Choice<Property> {
    let help = match property {
        Property::Assertion => "assert, reach_error and their kin",
        Property::Deadlock => "Some thread is unfinished and none can ever run",
        Property::Memory => "Null, dangling and stray pointers, bad frees, stack overflow",
        Property::Arithmetic => "Division by zero, shifts out of range",
        Property::Lock => "Misuse of mutexes, condition variables and the like",
        Property::Thread => "Misuse of threads, as joining twice",
        Property::Abort => "Calls of abort()",
        Property::Overflow => "Signed integer overflow",
        Property::Leak => "Memory that is lost when the process ends",
        Property::Cleanup => "Memory that is not freed when the process ends",
        Property::Exit => "The process ends with a status that is not 0",
        Property::Race => "Accesses of two threads to the same bytes, one a write, that nothing orders",
        Property::Termination => {
            "Every run ends, also one in which a thread waits in a loop for another that never gets a turn; see --fair"
        }
        Property::Invariant | Property::Ltl => "",
    };
    (property.name(), help, property)
}

/// Reads a command line; a wrong one ends the process with a message.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> (Command, Given) {
    let read = read(arguments);
    read.unwrap_or_else(|error| error.exit())
}

pub fn read(arguments: impl Iterator<Item = OsString>) -> Result<(Command, Given), clap::Error> {
    let mut declared = Cli::command();
    declared.build();
    let words = compilers::rewritten(arguments, &declared);
    // The project may give the missing ones.
    let own = Cli::command().ignore_errors(true).try_get_matches_from(&words);
    let mut project = match &own {
        Ok(own) => Project::here(&declared, own).map_err(|what| declared.error(ErrorKind::InvalidValue, what))?,
        // Help, or nothing that could be read.
        Err(_) => Project::default(),
    };
    let (mut command, mut matches) = parsed(&mut declared, &words, &project)?;
    if let Command::Check(args) = &command
        && let Some(check) = declared.find_subcommand("check")
        && project.leave_out_bounds(check, args.engine)
    {
        (command, matches) = parsed(&mut declared, &words, &project)?;
    }
    let given =
        Given::new(&declared, &matches, if project.is_empty() { &matches } else { own.as_ref().unwrap_or(&matches) });
    Ok((command, given))
}

/// Reads words, with those of the project before the user's.
fn parsed(
    declared: &mut clap::Command,
    words: &[OsString],
    project: &Project,
) -> Result<(Command, ArgMatches), clap::Error> {
    // The program and the command come first, and then a project.
    let (head, rest) = words.split_at(words.len().min(2));
    let added = project.words();
    let all = head.iter().cloned().chain(added).chain(rest.iter().cloned());
    let matches = declared.try_get_matches_from_mut(all).map_err(|error| match project.is_empty() {
        true => error,
        false => project.mentioned_in(&error, declared),
    })?;
    let command = Cli::from_arg_matches(&matches).map_err(|error| error.format(declared))?.command;
    Ok((command, matches))
}

/// The help of an option and its possible values, without the engines that take it.
pub fn help_of(command: &str, long: &str) -> Option<String> {
    let declared = Cli::command();
    let command = declared.find_subcommand(command)?;
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(long))?;
    let help = arg.get_help()?.to_string();
    let help = help.split(" [engines:").next().unwrap_or(&help);
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
    Some(if values.is_empty() { help.to_string() } else { format!("{help}: {}", values.join(", ")) })
}

/// A script for a shell.
pub fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "selvedge", &mut script);
    String::from_utf8(script).expect("scripts are text")
}

/// The manual page of a command, or of all together. `None`: there is no such command.
pub fn manual(of: Option<&str>) -> Option<String> {
    let mut declared = Cli::command();
    declared.build();
    let command = match of {
        Some(name) => declared.find_subcommand(name)?.clone(),
        None => declared,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).expect("memory takes any text");
    Some(String::from_utf8(page).expect("pages are text"))
}

#[cfg(test)]
mod tests;
