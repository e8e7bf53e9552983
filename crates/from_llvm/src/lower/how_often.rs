//! How often the program calls a model, as far as the models want to know: a variable `int __selvedge_calls_NAME = 0`
//! of theirs starts as the number of calls of `NAME` in one run, where two stands for any more.
//!
//! A clock that is read once, for instance, need not go on. What counts is how often a run may come to a call: one in a
//! loop counts twice, and so does one in a function that is called twice, is reached through its address, or runs in a
//! thread.

use std::collections::HashMap;

use selvedge_program::{BlockId, Callee, EntityRef, FuncId, Function, Op, Operand, Origin, Program};

const CALLS: &str = "__selvedge_calls_";
pub const MANY: u8 = 2;

pub fn tell_how_often(program: &mut Program) {
    if !program.globals.values().any(|global| global.name.starts_with(CALLS)) {
        return;
    }
    let counts = calls_of_models(program);
    for global in program.globals.values_mut() {
        if let Some(count) = global.name.strip_prefix(CALLS).and_then(|name| counts.get(name)) {
            global.init = vec![*count];
        }
    }
}

/// By the name of the model; calls from other models do not count.
fn calls_of_models(program: &Program) -> HashMap<String, u8> {
    let runs = runs(program);
    let models = program.functions.iter().filter(|(_, function)| function.origin == Origin::Model);
    models.map(|(id, function)| (function.name.clone(), runs[id.index()])).collect()
}

/// How often each function runs, called by the program itself.
pub fn runs(program: &Program) -> Vec<u8> {
    let mut runs = vec![0; program.functions.len()];
    // Counts only grow, up to two, so this ends.
    loop {
        let mut found = vec![0; program.functions.len()];
        found[program.entry.index()] = 1;
        for (id, function) in &program.functions {
            if function.origin == Origin::Model && id != program.entry {
                continue;
            }
            for (callee, times) in calls(function) {
                found[callee.index()] = MANY.min(found[callee.index()] + times * runs[id.index()]);
            }
            addresses(function).for_each(|taken| found[taken.index()] = MANY);
        }
        let kept = program.globals.values().flat_map(|global| &global.relocations).map(|relocation| relocation.target);
        kept.filter_map(function_of).for_each(|taken| found[taken.index()] = MANY);
        if found == runs {
            return runs;
        }
        runs = found;
    }
}

fn function_of(operand: Operand) -> Option<FuncId> {
    if let Operand::Func(id) = operand { Some(id) } else { None }
}

/// The functions whose addresses are operands.
fn addresses(function: &Function) -> impl Iterator<Item = FuncId> {
    let mut taken = Vec::new();
    let mut note = |operand| taken.extend(function_of(operand));
    for block in function.blocks.values() {
        block.insts.iter().for_each(|inst| inst.op.for_each_use(&mut note));
        block.term.for_each_use(&mut note);
    }
    taken.into_iter()
}

/// Direct calls; those in loops twice.
fn calls(function: &Function) -> impl Iterator<Item = (FuncId, u8)> {
    function.blocks.iter().flat_map(move |(id, block)| {
        let times = times(function, id);
        block.insts.iter().filter_map(move |inst| match &inst.op {
            Op::Call { callee: Callee::Direct(callee), .. } => Some((*callee, times)),
            _ => None,
        })
    })
}

/// How often a block runs when its function does.
pub fn times(function: &Function, block: BlockId) -> u8 {
    if is_in_loop(function, block) { MANY } else { 1 }
}

fn is_in_loop(function: &Function, block: BlockId) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut work: Vec<BlockId> = function.blocks[block].term.successors().into_iter().collect();
    while let Some(next) = work.pop() {
        if next == block {
            return true;
        }
        if !std::mem::replace(&mut seen[next.index()], true) {
            work.extend(function.blocks[next].term.successors());
        }
    }
    false
}
