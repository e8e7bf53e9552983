//! A bounded program as sequential C: lazy sequentialization, written down.
//!
//! Inverso et al. (CAV 2014) simulate all round-robin schedules of K rounds of a bounded multi-threaded program by a
//! sequential one, which any tool for sequential C can check; Inverso et al. (TACAS 2017) guess all context
//! switches at the start. The switch points, their numbers and the order of turns are those of the lazy engine
//! ([`selvedge_analyze::points`]), so both cover the same runs.
//!
//! | module | what it does |
//! |---|---|
//! | `code`, `unused` | what of a thread is printed |
//! | `registers`, `printer` | which values become variables, and which are written where they are used |
//! | `operations`, `expression` | operations as C expressions |
//! | `memory`, `places`, `lifetimes` | accesses: from addresses to `p->next`; objects that end |
//! | `buffers` | stores that arrive later, under memory models with store buffers |
//! | `intrinsics` | what threads know of each other |
//! | `objects`, `initial` | objects as C variables, with their contents |
//! | `types`, `declare`, `names` | C's types, from debug information; names |
//! | `thread`, `driver` | the functions of threads; who runs when, and how far |
//! | `probe`, `deadlock` | whether a thread waits where it stands; who waits for ever |
//! | `lines` | source lines as comments and `#line` |
//! | [`backend`] | all that backends do differently |

pub mod backend;
mod buffers;
mod code;
mod context;
mod deadlock;
mod declare;
mod driver;
mod expression;
mod initial;
mod intrinsics;
mod lifetimes;
mod lines;
mod memory;
mod names;
mod objects;
mod operations;
mod places;
mod printer;
mod probe;
mod registers;
mod thread;
mod types;
mod unused;
mod widths;

pub use backend::{Backend, reaching};
pub use selvedge_analyze::{Facts, Intervals};

use code::Code;
use context::Context;
use deadlock::Waiters;
use lines::Sources;
use selvedge_bound::{Bounded, Step, StepOp};
use selvedge_program::{DataModel, Operand, Properties, Property, Reason};

/// The paper that the driver follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Each context switch is guessed right before the thread runs.
    Cav14,
    /// All are guessed at the start.
    Tacas17,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub rounds: u32,
    pub style: Style,
    pub backend: Backend,
    pub properties: Properties,
    /// Under memory models with store buffers: at most so many stores wait in one.
    pub store_buffer: Option<u32>,
}

impl Options {
    pub fn asks_for_deadlocks(&self) -> bool {
        self.properties.contains(Property::Deadlock) && self.backend.properties().contains(Property::Deadlock)
    }
}

/// The sequential program.
#[derive(Clone, Debug)]
pub struct Sequential {
    pub text: String,
    pub lines: usize,
    /// Some bound on loops, recursion or threads may bite.
    pub cuts: bool,
    /// Widths of the program's variables that are kept from turn to turn: as C declares them, and as they are declared
    /// here.
    pub bits: u64,
    pub bits_needed: u64,
    /// By thread: how many points it has. A turn that ends there ends the thread.
    pub sizes: Vec<usize>,
    /// By thread: may it also halt, at one more than its size?
    pub halts: Vec<bool>,
}

/// Prints the program. `facts` are those of the same program and properties, `intervals` of so many rounds: with them,
/// variables get just the bits they need, if the backend has such types.
pub fn sequentialize(
    bounded: &Bounded<'_>,
    facts: &Facts<'_>,
    intervals: Option<&Intervals>,
    options: &Options,
) -> Result<Sequential, Reason> {
    print(bounded, facts, intervals, options, None)
}

/// As above, but threads stop only where it is allowed, by thread and point (VeriSmart, ASE 2017). Points keep their
/// numbers.
pub fn sequentialize_within(
    facts: &Facts<'_>,
    intervals: Option<&Intervals>,
    options: &Options,
    allowed: &[Vec<bool>],
) -> Result<Sequential, Reason> {
    print(facts.bounded, facts, intervals, options, Some(allowed))
}

fn print(
    bounded: &Bounded<'_>,
    facts: &Facts<'_>,
    intervals: Option<&Intervals>,
    options: &Options,
    allowed: Option<&[Vec<bool>]>,
) -> Result<Sequential, Reason> {
    if bounded.threads.is_empty() || bounded.threads[0].blocks.is_empty() {
        return Err(Reason::Limit("a program without a main thread".to_string()));
    }
    let threads = bounded.threads.len();
    let codes: Vec<Code> = (0..threads).map(|thread| Code::new(facts, thread)).collect();
    let probes = codes.iter().filter(|_| options.asks_for_deadlocks()).filter_map(|code| probe::probe(facts, code));
    let probes: Vec<Code> = probes.collect();
    let codes = codes.into_iter().map(|code| code.without_awaiting(facts));
    // Each thread's own, then the probes.
    let mut codes: Vec<Code> = codes.chain(probes).collect();
    let mortal = lifetimes::mortal(facts, &codes)?;
    unused::remove(facts, &mortal, options.store_buffer.is_some(), &mut codes);
    for (code, allowed) in codes.iter_mut().zip(allowed.into_iter().flatten()) {
        code.stop_only(allowed);
    }
    codes.iter_mut().for_each(Code::drop_idle_points);
    let mut context = Context::new(facts, intervals, options, &codes, &mortal);
    let mut sources = Sources::default();
    let objects = initial::objects(&mut context);
    let (codes, probes) = codes.split_at(threads);
    let waiters = Waiters::new(codes, probes);
    let threads: Vec<String> = codes
        .iter()
        .map(|code| {
            let title = title(facts, code.thread);
            let guards = driver::guards(options, code.thread);
            let probe = waiters.probe(code.thread);
            format!("{title}{guards}{}", thread::thread(&mut context, &mut sources, code, probe))
        })
        .collect();
    let mut text = header(bounded, options);
    text.push_str(&section("the backend"));
    text.push_str(&options.backend.prelude());
    let has_buffers = bounded.program.memory_model.has_buffers();
    text.push_str(&if has_buffers { options.backend.store_buffers() } else { String::new() });
    text.push_str(&section("types"));
    text.push_str(&context.declarations.text);
    text.push_str(&section("control: where threads are, and where they stop"));
    text.push_str(&driver::declarations(options, codes));
    let asks = options.asks_for_deadlocks();
    text.push_str(&if asks { waiters.declarations(options) } else { String::new() });
    text.push_str(&section("the program's objects"));
    text.push_str(&functions(&context));
    text.push_str(&objects);
    text.push_str(&arguments(&mut context));
    let waiting = context.buffers.declarations();
    if !waiting.is_empty() {
        text.push_str(&section("stores that may wait"));
        text.push_str(&waiting);
    }
    for thread in threads {
        text.push_str(&thread);
    }
    text.push_str(&section("control: the rounds"));
    text.push_str("#line 1 \"driver\"\n");
    let unsure_at = context.unsure_at.as_deref();
    let question = if asks { waiters.question(options, unsure_at, &context.buffers) } else { String::new() };
    text.push_str(&driver::main(options, &facts.turns, codes, &question));
    Ok(Sequential {
        lines: text.lines().count(),
        cuts: !bounded.cuts.is_empty(),
        bits: context.bits,
        bits_needed: context.bits_needed,
        sizes: codes.iter().map(|code| code.points).collect(),
        halts: codes.iter().map(Code::halts).collect(),
        text,
    })
}

fn section(title: &str) -> String {
    format!("\n/* ---- {title} ---- */\n")
}

fn header(bounded: &Bounded<'_>, options: &Options) -> String {
    let bytes = bounded.program.data_model.pointer_bytes();
    let option = if bounded.program.data_model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    format!(
        "/* {} threads in {} rounds, as a sequential program; printed by Selvedge for the backend {}. */\n\
         /* compile with {option} */\n\
         extern char pointers_have_{bytes}_bytes[sizeof(void *) == {bytes} ? 1 : -1];\n",
        bounded.threads.len(),
        options.rounds,
        options.backend.name()
    )
}

/// The name of the function that a thread runs: the user's, where a model starts it.
fn title(facts: &Facts<'_>, number: usize) -> String {
    let program = facts.bounded.program;
    let user =
        |arg: &Operand| if let Operand::Func(id) = arg { Some(program.functions[*id].name.clone()) } else { None };
    let started = |step: &Step| match &step.op {
        StepOp::Spawn { thread, args, .. } if *thread == number => Some(args.iter().find_map(user)),
        StepOp::Spawn { .. }
        | StepOp::Plain(_)
        | StepOp::Create { .. }
        | StepOp::End { .. }
        | StepOp::Finish { .. } => None,
    };
    let steps = facts.bounded.threads.iter().flat_map(|thread| thread.blocks.values()).flat_map(|block| &block.steps);
    let name = match number {
        0 => "main".to_string(),
        _ => {
            let own = || program.functions[facts.bounded.threads[number].start].name.clone();
            steps.into_iter().find_map(started).flatten().unwrap_or_else(own)
        }
    };
    section(&format!("thread {number}: {name}"))
}

/// A function is its address.
fn functions(context: &Context<'_>) -> String {
    let mut text: String = context.functions.values().map(|name| format!("static char {name};\n")).collect();
    if context.uses_nowhere {
        text.push_str("static void *nowhere;\n");
    }
    text
}

/// The arguments of threads, set by their creators.
fn arguments(context: &mut Context<'_>) -> String {
    let all: Vec<context::Variable> = context.arguments.values().cloned().collect();
    all.iter().map(|variable| format!("static {};\n", context.variable(variable.ty, &variable.name))).collect()
}
