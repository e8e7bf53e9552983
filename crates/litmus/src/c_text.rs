//! A litmus test as a C program, for engines.
//!
//! Threads return their registers to `main`, which joins them all, so that nothing but the test's own accesses is
//! shared. The program asks about any set of outcomes, without being compiled again: the assertion says that the
//! outcome is in the array [`OUTCOMES`], if [`EXPECTED`] is 1, or is not there, if that is 0. Whoever asks changes the
//! initial values of the two.

use crate::{Action, Litmus, Observed, Outcome, Place, Value, WORD};
use selvedge_program::{MemoryOrder, Program};
use std::fmt::Write;

/// The array of 64-bit numbers, one for each outcome.
const OUTCOMES: &str = "outcomes";
/// The variable that says whether the outcome must be one of them.
const EXPECTED: &str = "expected";

/// The question that a program asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question<'a> {
    /// Is the outcome always one of these?
    AlwaysAmong(&'a [&'a Outcome]),
    /// Is it ever this one? A violation shows it.
    Ever(&'a Outcome),
}

/// The program with a question.
pub fn ask(test: &Litmus, program: &Program, question: Question) -> Program {
    let (outcomes, expected): (Vec<&Outcome>, u32) = match question {
        Question::AlwaysAmong(outcomes) => (outcomes.to_vec(), 1),
        Question::Ever(outcome) => (vec![outcome], 0),
    };
    let first = *outcomes.first().expect("a question is about some outcome");
    let numbers = (0..slots(test)).map(|slot| number(test, outcomes.get(slot).unwrap_or(&first)));
    let mut program = program.clone();
    set(&mut program, OUTCOMES, numbers.flat_map(u64::to_le_bytes).collect());
    set(&mut program, EXPECTED, expected.to_le_bytes().to_vec());
    program
}

fn set(program: &mut Program, variable: &str, bytes: Vec<u8>) {
    let mut globals = program.globals.values_mut();
    globals.find(|global| global.name == variable).expect("the program has this variable").init = bytes;
}

/// As many outcomes as the weakest model allows.
fn slots(test: &Litmus) -> usize {
    test.allowed.iter().map(std::collections::BTreeSet::len).max().unwrap_or(0)
}

/// An outcome as the program packs it.
fn number(test: &Litmus, outcome: &Outcome) -> u64 {
    let width = width(test.observed.len());
    let values = outcome.iter().map(|value| u64::from(*value)).enumerate();
    values.fold(0, |number, (at, value)| number | value << (width * at))
}

/// Bits for each of so many values in 64.
fn width(values: usize) -> usize {
    (64 / values.max(1)).min(32)
}

pub fn program(test: &Litmus) -> String {
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n\n");
    text += "union word { unsigned w; unsigned short h[2]; unsigned char b[4]; };\n";
    test.variables().iter().for_each(|name| _ = writeln!(text, "union word {name};"));
    test.mutexes().iter().for_each(|name| _ = writeln!(text, "pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER;"));
    _ = writeln!(text, "unsigned long {OUTCOMES}[{}];\nunsigned {EXPECTED};\n", slots(test));
    (0..test.threads.len()).for_each(|thread| text += &thread_function(test, thread));
    text + &main_function(test)
}

fn thread_function(test: &Litmus, thread: usize) -> String {
    let registers = test.registers(thread);
    let mut text = format!("void *thread{thread}(void *unused)\n{{\n");
    registers.iter().for_each(|name| _ = writeln!(text, "    unsigned {name};"));
    test.threads[thread].iter().for_each(|action| _ = writeln!(text, "    {}", statement(action)));
    let values = registers.iter().map(ToString::to_string).collect();
    text + &format!("    return (void *)({});\n}}\n\n", packed(values))
}

fn packed(values: Vec<String>) -> String {
    let width = width(values.len());
    let parts: Vec<String> =
        values.iter().enumerate().map(|(at, value)| format!("(unsigned long){value} << {}", width * at)).collect();
    if parts.is_empty() { "0".to_string() } else { parts.join(" | ") }
}

fn statement(action: &Action) -> String {
    match action {
        Action::Store { to, value, order: None } => format!("{} = {};", lvalue(to), operand(value)),
        Action::Store { to, value, order: Some(order) } => {
            format!("__atomic_store_n(&{}, {}, {});", lvalue(to), operand(value), order_name(*order))
        }
        Action::Load { register, from, order: None } => format!("{register} = {};", lvalue(from)),
        Action::Load { register, from, order: Some(order) } => {
            format!("{register} = __atomic_load_n(&{}, {});", lvalue(from), order_name(*order))
        }
        Action::Exchange { register, at, value, order } => {
            format!("{register} = __atomic_exchange_n(&{}, {}, {});", lvalue(at), operand(value), order_name(*order))
        }
        Action::CompareExchange { register, at, expected, value, order } => {
            let (at, value, order) = (lvalue(at), operand(value), order_name(*order));
            // The builtin takes what was expected from memory, and leaves there what it found.
            format!(
                "{register} = ({{ __typeof__({at}) old = {expected:#x}; __atomic_compare_exchange_n(&{at}, &old, {value}, 0, \
                 {order}, __ATOMIC_RELAXED); old; }});"
            )
        }
        Action::Fence { order } => format!("__atomic_thread_fence({});", order_name(*order)),
        Action::Lock { mutex } => format!("pthread_mutex_lock(&{mutex});"),
        Action::Unlock { mutex } => format!("pthread_mutex_unlock(&{mutex});"),
    }
}

fn lvalue(place: &Place) -> String {
    let Place { variable, offset, bytes } = place;
    match *bytes {
        WORD => format!("{variable}.w"),
        2 => format!("{variable}.h[{}]", offset / 2),
        _ => format!("{variable}.b[{offset}]"),
    }
}

fn operand(value: &Value) -> String {
    match value {
        Value::Constant(value) => format!("{value:#x}"),
        Value::Register(name) => name.clone(),
    }
}

fn order_name(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Relaxed => "__ATOMIC_RELAXED",
        MemoryOrder::Acquire => "__ATOMIC_ACQUIRE",
        MemoryOrder::Release => "__ATOMIC_RELEASE",
        MemoryOrder::AcqRel => "__ATOMIC_ACQ_REL",
        MemoryOrder::SeqCst => "__ATOMIC_SEQ_CST",
    }
}

fn main_function(test: &Litmus) -> String {
    let threads = 0..test.threads.len();
    let mut text =
        format!("int main(void)\n{{\n    pthread_t threads[{}];\n    void *results[{}];\n", threads.end, threads.end);
    for thread in threads.clone() {
        _ = writeln!(text, "    pthread_create(&threads[{thread}], 0, thread{thread}, 0);");
    }
    for thread in threads.clone() {
        _ = writeln!(text, "    pthread_join(threads[{thread}], &results[{thread}]);");
    }
    for thread in threads {
        let registers = test.registers(thread);
        let width = width(registers.len());
        for (at, name) in registers.iter().enumerate() {
            let mask = u64::MAX >> (64 - width);
            _ = writeln!(text, "    unsigned {name} = (unsigned long)results[{thread}] >> {} & {mask:#x};", width * at);
        }
    }
    let values = test.observed.iter().map(|observed| match observed {
        Observed::Register(name) => name.clone(),
        Observed::Variable(name) => format!("{name}.w"),
    });
    _ = writeln!(text, "    unsigned long outcome = {};", packed(values.collect()));
    let among: Vec<String> = (0..slots(test)).map(|slot| format!("outcome == {OUTCOMES}[{slot}]")).collect();
    _ = writeln!(text, "    unsigned among = {};", among.join(" || "));
    text + &format!("    assert(among == {EXPECTED});\n    return 0;\n}}\n")
}
