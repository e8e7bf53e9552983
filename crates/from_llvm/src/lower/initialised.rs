//! Variables of the program that may be initialised twice: mutexes and their like.
//!
//! A model cannot tell an object that was initialised before from one whose memory happens to look so. So variables that
//! more than one call may initialise are noted by other models (`models/c/initialised.c`), which are called before each such call, and
//! before each call that destroys any object. Only the addresses of variables count: blocks of the heap and locals come and go
//! without a word.

use std::collections::HashMap;

use selvedge_program::{Callee, EntityRef, FuncId, GlobalId, Inst, Op, Operand, Origin, Program};

use super::how_often::{MANY, runs, times};

/// Functions that initialise what their first argument points to.
pub const INITIALISE: [&str; 6] = [
    "pthread_mutex_init",
    "pthread_cond_init",
    "pthread_rwlock_init",
    "pthread_barrier_init",
    "pthread_spin_init",
    "sem_init",
];
const DESTROY: [&str; 6] = [
    "pthread_mutex_destroy",
    "pthread_cond_destroy",
    "pthread_rwlock_destroy",
    "pthread_barrier_destroy",
    "pthread_spin_destroy",
    "sem_destroy",
];
pub const INITIALISES: &str = "__selvedge_initialises";
pub const DESTROYS: &str = "__selvedge_destroys";

/// Inserts the calls, if there is such a variable.
pub fn note(program: &mut Program) {
    let model = |name: &str| {
        program.functions.iter().find(|(_, f)| f.origin == Origin::Model && f.name == name).map(|(id, _)| id)
    };
    let (Some(initialises), Some(destroys)) = (model(INITIALISES), model(DESTROYS)) else { return };
    let callees = |names: &[&str]| names.iter().filter_map(|name| model(name)).collect::<Vec<FuncId>>();
    let (initialise, destroy) = (callees(&INITIALISE), callees(&DESTROY));
    let runs = runs(program);
    let mut counts: HashMap<(GlobalId, i64), u8> = HashMap::new();
    for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::User) {
        for (block, body) in &function.blocks {
            let objects = body.insts.iter().filter_map(|inst| variable(&inst.op, &initialise));
            for object in objects {
                let count = counts.entry(object).or_default();
                *count = MANY.min(*count + runs[id.index()] * times(function, block));
            }
        }
    }
    let is_noted = |object: (GlobalId, i64)| counts.get(&object) == Some(&MANY);
    if !counts.values().any(|count| *count == MANY) {
        return;
    }
    for function in program.functions.values_mut().filter(|f| f.origin == Origin::User) {
        for block in function.blocks.values_mut() {
            for inst in std::mem::take(&mut block.insts) {
                let noted = variable(&inst.op, &initialise).is_some_and(is_noted);
                let before = match &inst.op {
                    Op::Call { args, .. } if noted => Some((initialises, args[0])),
                    Op::Call { callee: Callee::Direct(callee), args, .. } if destroy.contains(callee) => {
                        args.first().map(|object| (destroys, *object))
                    }
                    _ => None,
                };
                if let Some((model, object)) = before {
                    let op = Op::Call { dsts: vec![], callee: Callee::Direct(model), args: vec![object] };
                    block.insts.push(Inst { op, loc: inst.loc });
                }
                block.insts.push(inst);
            }
        }
    }
}

/// The variable, and the place in it, that a call of one of these functions is about.
fn variable(op: &Op, callees: &[FuncId]) -> Option<(GlobalId, i64)> {
    match op {
        Op::Call { callee: Callee::Direct(callee), args, .. } if callees.contains(callee) => match args.first() {
            Some(Operand::Global { id, offset }) => Some((*id, *offset)),
            _ => None,
        },
        _ => None,
    }
}
