//! A native program that runs a violation again: the user's own files, and a scheduler that lets one thread run at a
//! time.
//!
//! The scheduler (`scheduler.c`) stops threads at *points*: accesses to memory that threads share, which the compiler
//! announces to it, and calls that synchronise, which the linker sends through it. Both are known by thread and source
//! line, in the order of the run. What this cannot force is refused: a program that fails for another reason would
//! mislead.

use selvedge_program::{Event, Property, Trace, What};
use std::collections::BTreeMap;
use std::fmt::Write;

const SCHEDULER: &str = include_str!("reproduce/scheduler.c");

/// Calls that the linker sends through the scheduler.
const WRAPPED: [&str; 16] = [
    "pthread_create",
    "pthread_join",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_unlock",
    "pthread_spin_lock",
    "pthread_spin_unlock",
    "sem_wait",
    "sem_trywait",
    "sem_post",
];

/// A file of the user's, and how it is compiled.
pub struct Unit {
    /// An absolute path.
    pub path: String,
    pub flags: Vec<String>,
}

/// A file of the program: its name, and its text.
pub type File = (&'static str, String);

/// The files of the program, or why there are none. `arguments`: those that the program is started with.
pub fn files(trace: &Trace, units: &[Unit], arguments: &[String]) -> Result<Vec<File>, String> {
    refuse(trace)?;
    Ok(vec![
        ("scheduler.c", SCHEDULER.to_string()),
        ("schedule.h", schedule(trace)?),
        ("Makefile", makefile(units, arguments)?),
    ])
}

fn refuse(trace: &Trace) -> Result<(), String> {
    match trace.violation.property {
        Property::Assertion | Property::Deadlock | Property::Memory | Property::Arithmetic | Property::Abort => {}
        Property::Lock
        | Property::Thread
        | Property::Overflow
        | Property::Leak
        | Property::Cleanup
        | Property::Race
        | Property::Exit => {
            let name = trace.violation.property.name();
            return Err(format!("a native program does not notice a violation of {name}"));
        }
        Property::Termination | Property::Invariant | Property::Ltl => {
            return Err("a property of states or of whole runs cannot be seen in a native run".to_string());
        }
    }
    if trace.cycle.is_some() {
        return Err("the run has no end".to_string());
    }
    if trace.violation.property == Property::Deadlock && trace.waiting.is_empty() {
        return Err("threads that spin are not stopped by the scheduler".to_string());
    }
    if let Some(name) = trace.assumed.first() {
        return Err(format!("the run rests on the assumed result of `{name}`"));
    }
    if trace.schedule.objects.iter().flatten().any(|object| !object.contents.is_empty()) {
        return Err("the run reads uninitialised memory".to_string());
    }
    for event in &trace.events {
        match &event.what {
            What::Write { buffered: true, .. } | What::Arrive { .. } => {
                return Err("a store that waits in a buffer cannot be forced on a processor".to_string());
            }
            What::Begin { function, .. } if !WRAPPED.contains(&function.as_str()) => {
                return Err(format!("the scheduler does not know `{function}`, in which a thread waits"));
            }
            What::Input { source, .. } if source.starts_with("uninitialised ") => {
                return Err(format!("the run reads {source}"));
            }
            What::Read { .. } | What::Write { .. } | What::Begin { .. } | What::Input { .. } => {}
            What::Enter { .. } | What::Leave { .. } | What::Call { .. } | What::Create { .. } => {}
            What::Wakes { .. } | What::Exit | What::Allocate { .. } | What::Free { .. } | What::Local => {}
        }
    }
    Ok(())
}

/// The points and inputs, as C.
fn schedule(trace: &Trace) -> Result<String, String> {
    let mut text = format!(
        "/* {} */\n#define FAILING {}\n#define IS_DEADLOCK {}\n\
         static const struct {{ int thread; char kind; int line; const char *file, *call; }} points[] = {{\n",
        trace.schedule.to_string().replace("*/", "* /"),
        trace.violation.thread,
        u8::from(trace.violation.property == Property::Deadlock)
    );
    for event in &trace.events {
        let Some((kind, call)) = point(event) else { continue };
        let file = quoted(event.at.file.rsplit('/').next().unwrap_or(&event.at.file));
        put(&mut text, format_args!("    {{{}, '{kind}', {}, {file}, \"{call}\"}},\n", event.thread, event.at.line));
    }
    text.push_str(
        "    {-1, 0, 0, \"\", \"\"}};\nstatic const struct { int thread; unsigned long long value; } inputs[] = {\n",
    );
    for (thread, value) in inputs(trace)? {
        put(&mut text, format_args!("    {{{thread}, {value}ull}},\n"));
    }
    text.push_str("    {-1, 0}};\n");
    Ok(text)
}

/// Where the scheduler stops a thread: reads and writes of shared memory, calls that begin or return.
fn point(event: &Event) -> Option<(char, &str)> {
    let is_wrapped = |function: &str| WRAPPED.contains(&function) && event.at.line != 0;
    match &event.what {
        What::Read { shared: true, .. } => Some(('R', "")),
        What::Write { shared: true, .. } => Some(('W', "")),
        What::Call { function, .. } if is_wrapped(function) => Some(('C', function)),
        What::Begin { function, .. } if is_wrapped(function) => Some(('B', function)),
        What::Read { .. } | What::Write { .. } | What::Arrive { .. } | What::Call { .. } | What::Begin { .. } => None,
        What::Enter { .. } | What::Leave { .. } | What::Input { .. } | What::Create { .. } | What::Exit => None,
        What::Wakes { .. } | What::Allocate { .. } | What::Free { .. } | What::Local => None,
    }
}

/// The inputs that the program asks for itself. Choices of models, such as a wait that ends by itself, are in the
/// points.
fn inputs(trace: &Trace) -> Result<Vec<(u32, u64)>, String> {
    let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
    let mut inputs = Vec::new();
    for event in &trace.events {
        let source = match &event.what {
            What::Input { source, .. } => source.as_str(),
            // The points say when a wait ends.
            What::Wakes { .. } => "choice of a wait",
            What::Read { .. } | What::Write { .. } | What::Arrive { .. } | What::Enter { .. } | What::Leave { .. } => {
                continue;
            }
            What::Call { .. } | What::Begin { .. } | What::Create { .. } | What::Exit | What::Allocate { .. } => {
                continue;
            }
            What::Free { .. } | What::Local => continue,
        };
        let index = taken.entry(event.thread).or_default();
        let mut own = trace.schedule.inputs.iter().filter(|input| input.thread == event.thread);
        let value = own.nth(*index).map_or(0, |input| input.value);
        *index += 1;
        if source.starts_with("__VERIFIER_nondet_") {
            let value = u64::try_from(value).map_err(|_| format!("the input {source} has more than 64 bits"))?;
            inputs.push((event.thread, value));
        } else if !source.starts_with("choice of ") {
            return Err(format!("the run rests on the result of {source}, which cannot be forced"));
        }
    }
    Ok(inputs)
}

/// DWARF 4, because addr2line takes lines of included files for those of the including one in DWARF 5.
fn makefile(units: &[Unit], arguments: &[String]) -> Result<String, String> {
    let mut text = "# make run: fails as the schedule says. make gdb: stops there in the debugger.\n\
                    CC ?= cc\nOWN = -gdwarf-4 -O0 -fno-pie -fsanitize=thread -w\n"
        .to_string();
    let wraps: Vec<String> = WRAPPED.iter().chain(&["free"]).map(|name| format!("-Wl,--wrap={name}")).collect();
    let arguments: Vec<String> = arguments.iter().map(|argument| word(argument)).collect::<Result<_, _>>()?;
    let objects: Vec<String> = (0..units.len()).map(|number| format!("unit{number}.o")).collect();
    let modes: Vec<&str> =
        units.iter().flat_map(|unit| &unit.flags).filter(|flag| *flag == "-m32").map(String::as_str).take(1).collect();
    let mode = modes.concat();
    put(
        &mut text,
        format_args!(
            "WRAPS = {}\n\nprogram: scheduler.o {objects}\n\t$(CC) {mode} -no-pie -o $@ $^ $(WRAPS) -lpthread -lm\n\n\
         scheduler.o: scheduler.c schedule.h\n\t$(CC) {mode} -g -fno-pie -w -c -o $@ scheduler.c\n\n",
            wraps.join(" "),
            objects = objects.join(" ")
        ),
    );
    for (object, unit) in objects.iter().zip(units) {
        let flags: Vec<String> = unit.flags.iter().map(|flag| word(flag)).collect::<Result<_, _>>()?;
        let path = word(&unit.path)?;
        put(&mut text, format_args!("{object}: {path}\n\t$(CC) {} $(OWN) -c -o $@ {path}\n\n", flags.join(" ")));
    }
    let arguments = arguments.join(" ");
    put(
        &mut text,
        format_args!(
            ".PHONY: run gdb clean\nrun: program\n\t./program {arguments}\n\ngdb: program\n\tgdb -ex run --args ./program {arguments}\n\n\
         clean:\n\trm -f program scheduler.o {}\n",
            objects.join(" ")
        ),
    );
    Ok(text)
}

/// A word of a makefile's recipe, and of the shell's.
fn word(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    match text.contains(['\n', '\r', '#', '$', '\'']) {
        true => Err(format!("a makefile has no place for the word {text:?}")),
        false if !text.is_empty() && text.chars().all(plain) => Ok(text.to_string()),
        false => Ok(format!("'{text}'")),
    }
}

/// A string of C.
fn quoted(text: &str) -> String {
    let plain = |c: char| if c == '"' || c == '\\' { format!("\\{c}") } else { c.to_string() };
    format!("\"{}\"", text.chars().map(plain).collect::<String>())
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("strings take any text");
}
