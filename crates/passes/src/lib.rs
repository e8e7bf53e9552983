//! Passes over a program before any engine sees it.
//!
//! At `-O0`, clang keeps every local variable in memory. The passes move what no
//! other thread can see into registers and drop what computes nothing.
//!
//! **Invariant.** A pass neither removes, adds nor reorders an access to memory that another thread might reach, a
//! synchronisation, a call, an input that the program asks for, or an operation that may be a violation. So schedules
//! mean the same for every engine, and no bug is lost. Four passes add something: `waits` tells the models of condition
//! variables where a thread waits again for nothing, `words` splits accesses of several machine words where others may
//! come between, and `addresses` and `handles` let the models decide where objects lie, and which number a thread has,
//! if the program looks. One takes away an input: `weak`, where a weak compare-exchange that fails for no reason makes
//! no difference.

mod addresses;
pub mod constants;
pub mod copies;
mod flow;
mod handles;
pub mod jumps;
mod local;
mod offsets;
pub mod points_to;
pub mod promote;
pub mod provenance;
pub mod registers;
pub mod waits;
pub mod weak;
pub mod words;

pub use words::AggregateSteps;

use selvedge_program::{DataModel, Function, Program, SourceMap};

/// Facts about the program around a function, for its passes.
pub struct Context<'a> {
    pub data_model: DataModel,
    pub source: &'a SourceMap,
}

/// All passes, in order.
pub fn prepare(program: Program) -> Program {
    prepare_with(program, AggregateSteps::default())
}

/// All passes, with steps of this size where an access takes several machine words.
pub fn prepare_with(mut program: Program, steps: AggregateSteps) -> Program {
    run(&mut program, "promote", promote::promote);
    run(&mut program, "jumps", jumps::jumps);
    run(&mut program, "copies", copies::copies);
    run(&mut program, "constants", constants::constants);
    run(&mut program, "jumps", jumps::jumps);
    run(&mut program, "provenance", provenance::provenance);
    run(&mut program, "copies", copies::copies);
    weak::weak(&mut program);
    run(&mut program, "weak", jumps::jumps);
    addresses::addresses(&mut program);
    check(&program, "addresses");
    handles::handles(&mut program);
    check(&program, "handles");
    words::words(&mut program, steps);
    check(&program, "words");
    waits::waits(&mut program);
    check(&program, "waits");
    run(&mut program, "registers", registers::registers);
    program
}

/// One pass over every function. Debug builds check the rules afterwards.
pub fn run(program: &mut Program, name: &str, pass: fn(&Context, &mut Function)) {
    let context = Context { data_model: program.data_model, source: &program.source };
    for function in program.functions.values_mut() {
        pass(&context, function);
    }
    check(program, name);
}

fn check(program: &Program, name: &str) {
    if cfg!(debug_assertions) {
        let problems = selvedge_program::verify::verify(program);
        let list: Vec<_> = problems.iter().take(10).map(ToString::to_string).collect();
        assert!(problems.is_empty(), "after {name}: {}", list.join("; "));
    }
}
