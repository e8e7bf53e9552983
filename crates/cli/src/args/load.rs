//! Options for reading a program.

use super::choice::{Choice, one_of};
use super::harness::HarnessArgs;
use super::world::WorldArgs;
use clap::Args;
use selvedge_from_llvm::UnknownFunctions;
use selvedge_from_llvm::clang::{DataModel, OptLevel};
use selvedge_passes::AggregateSteps;
use selvedge_program::MemoryModel;
use std::path::PathBuf;

/// Options for reading a program, of every command that reads one.
#[derive(Args)]
pub struct LoadArgs {
    /// C (.c, .i) or LLVM IR (.ll, .bc); several, or a pattern such as 'src/*.c', are linked
    #[arg(required_unless_present = "build", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Compile each file with its flags of the compile_commands.json in this folder; without FILE, all of its files
    #[arg(short = 'p', long = "build", value_name = "DIR", help_heading = FRONT_END)]
    pub build: Option<PathBuf>,
    /// Flags of the program's build, separated as by a shell; -pthread, -f…, -W…, -m…, -isystem and their like can also
    /// be given as they are
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = FRONT_END)]
    pub cflags: Vec<String>,
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
    /// Widths of int, long and pointers; also -m32, -m64 [default: the build's, or LP64]
    #[arg(long, value_parser = one_of(DATA_MODELS), ignore_case = true, help_heading = FRONT_END)]
    pub data_model: Option<DataModel>,
    /// Check what the compiler makes of the program at this level
    #[arg(long, value_parser = one_of(OPT_LEVELS), ignore_case = true, default_value = "O0", help_heading = FRONT_END)]
    pub opt: OptLevel,
    /// The compiler [default: clang-19, else another version on the path]
    #[arg(long, value_name = "PATH", help_heading = FRONT_END)]
    pub clang: Option<PathBuf>,
    /// Add models of functions, in C
    #[arg(long = "model", value_name = "FILE", help_heading = FRONT_END)]
    pub models: Vec<PathBuf>,
    /// Let functions that are neither declared nor defined return any value
    #[arg(long, help_heading = FRONT_END)]
    pub allow_undefined: bool,
    /// The effects of functions without a body and without a model, beside returning any value
    #[arg(long, value_parser = one_of(UNKNOWN_FUNCTIONS), ignore_case = true, default_value = "pure",
           help_heading = FRONT_END)]
    pub unknown_functions: UnknownFunctions,
    /// With --property overflow, find these as well
    #[arg(long, value_parser = one_of(OVERFLOW_ALSO), ignore_case = true, value_delimiter = ',', value_name = "KINDS",
           help_heading = FRONT_END)]
    pub overflow_also: Vec<OverflowAlso>,
    /// Let waits on condition variables end only by a signal; otherwise they may end by themselves, as POSIX says,
    /// except where runs without end are asked about
    #[arg(long, help_heading = FRONT_END)]
    pub no_spurious_wakeups: bool,
    /// The steps of an access that takes several machine words: an assignment of a struct, memcpy, a 128-bit integer
    #[arg(long, value_parser = one_of(AGGREGATE_STEPS), ignore_case = true, default_value = "words",
           help_heading = FRONT_END)]
    pub aggregate_steps: AggregateSteps,
    /// When stores reach memory
    #[arg(long, value_parser = one_of(MemoryModel::ALL.map(memory_model)), ignore_case = true, default_value = "sc",
           help_heading = FRONT_END)]
    pub memory_model: MemoryModel,
    /// Do not read selvedge.toml
    #[arg(long, help_heading = FRONT_END)]
    pub no_project: bool,
    #[command(flatten)]
    pub harness: HarnessArgs,
    #[command(flatten)]
    pub world: WorldArgs,
}

const FRONT_END: &str = "Reading the program";

const UNKNOWN_FUNCTIONS: [Choice<UnknownFunctions>; 2] = [
    ("pure", "Nothing", UnknownFunctions::Pure),
    (
        "havoc",
        "They write anything to where their arguments point, and to external variables, and call functions that they are given",
        UnknownFunctions::Havoc,
    ),
];

/// Kinds of overflow that can be checked beside that of signed arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverflowAlso {
    Conversions,
    Pointers,
}

const OVERFLOW_ALSO: [Choice<OverflowAlso>; 2] = [
    ("conversions", "Conversions that change the value", OverflowAlso::Conversions),
    ("pointers", "Pointers farther than one past the end of their object", OverflowAlso::Pointers),
];

pub const DATA_MODELS: [Choice<DataModel>; 2] = [("ILP32", "", DataModel::Ilp32), ("LP64", "", DataModel::Lp64)];

fn memory_model(model: MemoryModel) -> Choice<MemoryModel> {
    let help = match model {
        MemoryModel::Sc => "At once: sequential consistency",
        MemoryModel::Tso => "In order, through a store buffer of the thread: x86",
        MemoryModel::Pso => "In order for each location: SPARC",
    };
    (model.name(), help, model)
}

const AGGREGATE_STEPS: [Choice<AggregateSteps>; 2] = [
    ("words", "One for each word, where threads may meet; atomic types are one step", AggregateSteps::Words),
    ("whole", "One for all", AggregateSteps::Whole),
];

const OPT_LEVELS: [Choice<OptLevel>; 4] =
    [("O0", "", OptLevel::O0), ("O1", "", OptLevel::O1), ("O2", "", OptLevel::O2), ("O3", "", OptLevel::O3)];
