//! Start functions of threads with more than one parameter.
//!
//! This is undefined in C; on a machine the function runs with arbitrary values for the other parameters. The
//! models' calls of start functions therefore pass indeterminate values for as many parameters as a start function may
//! have. The calls go through a pointer, so every function counts whose address is taken, other than for a model that
//! creates no threads (`qsort`, `atexit`).

use selvedge_program::{Callee, FuncId, Function, Input, Inst, Op, Operand, Origin, Program, RegInfo, Ty};
use std::collections::BTreeSet;

/// The models' functions that run a thread's start function.
const BODIES: [&str; 2] = ["posix_thread_body", "c11_thread_body"];
/// The models' functions that take a start function.
const CREATES: [&str; 2] = ["pthread_create", "thrd_create"];

pub fn pass_missing_arguments(program: &mut Program) {
    let is_body = |f: &Function| f.origin == Origin::Model && BODIES.contains(&f.name.as_str());
    let bodies: Vec<FuncId> = program.functions.iter().filter(|(_, f)| is_body(f)).map(|(id, _)| id).collect();
    if bodies.is_empty() {
        return;
    }
    let missing = missing_types(program);
    for body in bodies {
        let function = &mut program.functions[body];
        for block in function.blocks.values_mut() {
            let mut insts = Vec::with_capacity(block.insts.len() + missing.len());
            for mut inst in std::mem::take(&mut block.insts) {
                if let Op::Call { callee: Callee::Indirect(_), args, .. } = &mut inst.op {
                    for ty in &missing {
                        let dst = function.regs.push(RegInfo { ty: *ty, name: None, debug: None });
                        let input = Input::Uninitialised("a missing argument".to_string());
                        insts.push(Inst { op: Op::Nondet { dst, range: None, input }, loc: inst.loc });
                        args.push(Operand::Reg(dst));
                    }
                }
                insts.push(inst);
            }
            block.insts = insts;
        }
    }
}

/// The types of a start function's parameters without the first; a word where functions differ.
fn missing_types(program: &Program) -> Vec<Ty> {
    let mut missing: Vec<Ty> = Vec::new();
    for id in start_functions(program) {
        let function = &program.functions[id];
        for (number, param) in function.params.iter().skip(1).enumerate() {
            let ty = function.regs[*param].ty;
            match missing.get_mut(number) {
                Some(known) if *known != ty => *known = Ty::Int(64),
                Some(_) => {}
                None => missing.push(ty),
            }
        }
    }
    missing
}

fn start_functions(program: &Program) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    let mut note = |operand: Operand| {
        if let Operand::Func(id) = operand
            && program.functions[id].origin == Origin::User
        {
            found.insert(id);
        }
    };
    for block in program.functions.values().flat_map(|function| function.blocks.values()) {
        for inst in block.insts.iter().filter(|inst| !is_given_to_model(program, &inst.op)) {
            inst.op.for_each_use(&mut note);
        }
        block.term.for_each_use(&mut note);
    }
    program.globals.values().flat_map(|global| &global.relocations).for_each(|relocation| note(relocation.target));
    found
}

/// A call of a model that creates no thread.
fn is_given_to_model(program: &Program, op: &Op) -> bool {
    let Op::Call { callee: Callee::Direct(callee), .. } = op else { return false };
    let callee = &program.functions[*callee];
    callee.origin == Origin::Model && !CREATES.contains(&callee.name.as_str())
}
