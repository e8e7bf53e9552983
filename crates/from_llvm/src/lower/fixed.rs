//! Answers of the models that are the same in every run, where the real world may give others: assumptions of the
//! program.

use super::printing;
use crate::LoadOptions;
use selvedge_program::{Assumption, Callee, Fallible, FixedInput, Function, Op, Operand, Origin, Program};
use std::collections::HashSet;

/// Functions, of libraries or of our models, whose answer is fixed.
const BY_NAME: [(FixedInput, &[&str]); 14] = [
    (FixedInput::Environment, &["getenv", "secure_getenv", "setenv", "unsetenv"]),
    (FixedInput::Clocks, &["time", "clock", "gettimeofday", "clock_gettime", "timespec_get"]),
    (FixedInput::Processors, &["get_nprocs", "get_nprocs_conf", "sysconf", "all_processors", "sched_getcpu"]),
    (FixedInput::ProcessNumbers, &["getpid", "getppid", "getuid", "geteuid"]),
    (FixedInput::Terminals, &["isatty"]),
    (FixedInput::Signals, &["signal", "sigaction"]),
    (FixedInput::SignalsWhileWaiting, &["send_signal"]),
    (FixedInput::Files, &["write", "close", "fsync", "fdatasync", "fclose", "remove", "unlink", "send"]),
    (FixedInput::TimeZone, &["localtime", "localtime_r", "mktime", "ctime", "ctime_r"]),
    (FixedInput::Protection, &["mprotect"]),
    (FixedInput::Mathematics, &["any_between", "power"]),
    (FixedInput::Creation, &["create_thread"]),
    (FixedInput::Memory, &["allocate"]),
    (
        FixedInput::Initialisation,
        &[
            "init_mutex",
            "init_cond",
            "create_key",
            "pthread_rwlock_init",
            "pthread_barrier_init",
            "pthread_spin_init",
            "sem_init",
            "sem_open",
            "pthread_attr_init",
            "pthread_mutexattr_init",
            "pthread_condattr_init",
            "pthread_rwlockattr_init",
            "pthread_barrierattr_init",
        ],
    ),
];

/// Models that read files and streams.
const READERS: [&str; 5] = ["read_line", "fread", "read", "recv", "scan_stream"];

/// Output whose result is mostly not looked at; only where it is, its success is assumed.
const OUTPUT: [&str; 14] = [
    "printf", "vprintf", "fprintf", "vfprintf", "dprintf", "vdprintf", "puts", "fputs", "putchar", "putc", "fputc",
    "fflush", "fwrite", "fseek",
];
const ENVIRONMENT: [&str; 3] = ["environ", "__environ", "_environ"];

/// Adds the assumptions of the models that are reached.
pub fn name_fixed_inputs(program: &mut Program, options: &LoadOptions) {
    let models = program.functions.values().filter(|function| function.origin == Origin::Model);
    let reached: HashSet<&str> = models.map(|function| function.name.as_str()).collect();
    let mut fixed: Vec<FixedInput> = Vec::new();
    for (input, names) in BY_NAME {
        let also = match input {
            FixedInput::Files => reads_output(program),
            FixedInput::Environment => {
                program.globals.values().any(|global| ENVIRONMENT.contains(&global.name.as_str()))
            }
            _ => false,
        };
        if (also || names.iter().any(|name| reached.contains(name))) && !is_open(input, options) {
            fixed.push(input);
        }
    }
    let reads = READERS.iter().any(|name| reached.contains(name));
    let longest = options.world.longest_input.filter(|_| reads).map(|bytes| Assumption::LongestInput { bytes });
    for assumption in fixed.into_iter().map(Assumption::Fixed).chain(longest) {
        if !program.assumptions.contains(&assumption) {
            program.assumptions.push(assumption);
        }
    }
}

/// Was it said how the world is there, or that all answers count?
fn is_open(input: FixedInput, options: &LoadOptions) -> bool {
    let may_fail = |group: &&Fallible| group.otherwise() == Some(input);
    match input {
        FixedInput::Environment => options.world.environment.is_some(),
        _ => options.may_fail.iter().any(|group| may_fail(&group)),
    }
}

fn reads_output(program: &Program) -> bool {
    let is_output = |callee: &Callee| match callee {
        Callee::Direct(id) => {
            let callee = &program.functions[*id];
            let name = callee.name.strip_prefix(printing::FULL).unwrap_or(&callee.name);
            callee.origin == Origin::Model && OUTPUT.contains(&name)
        }
        Callee::Indirect(_) => false,
    };
    let reads = |function: &Function| {
        let insts = || function.blocks.values().flat_map(|block| &block.insts);
        let results = insts().filter_map(|inst| match &inst.op {
            Op::Call { dsts, callee, .. } if is_output(callee) => dsts.first().map(|dst| Operand::Reg(*dst)),
            _ => None,
        });
        function.reads_any(&results.collect::<Vec<_>>())
    };
    program.functions.values().filter(|function| function.origin == Origin::User).any(reads)
}
