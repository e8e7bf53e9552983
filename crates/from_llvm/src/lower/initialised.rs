//! Variables of the program that may be initialised twice: mutexes and their like.
//!
//! A model cannot tell an object that was initialised before from one whose memory happens to look so. So variables
//! that more than one call may initialise are noted by other models (`models/c/initialised.c`), which are called before
//! each such call, and before each call that destroys any object. Before a mutex is initialised, one asks whether it is
//! locked, unless no thread can have locked anything by then. Only the addresses of variables count: blocks of the heap
//! and locals come and go without a word.

use std::collections::HashMap;

use selvedge_program::{BlockId, Callee, EntityRef, FuncId, Function, GlobalId, Inst, Op, Operand, Origin, Program};

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
/// Functions that lock a mutex, or let others do so.
const LOCK: [&str; 9] = [
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_create",
    "thrd_create",
    "mtx_lock",
    "mtx_trylock",
    "mtx_timedlock",
];
pub const INITIALISES: &str = "__selvedge_initialises";
pub const INITIALISES_MUTEX: &str = "__selvedge_initialises_mutex";
pub const DESTROYS: &str = "__selvedge_destroys";

/// Inserts the calls, if there is such a variable.
pub fn note(program: &mut Program) {
    let model = |name: &str| {
        program.functions.iter().find(|(_, f)| f.origin == Origin::Model && f.name == name).map(|(id, _)| id)
    };
    let (Some(initialises), Some(destroys)) = (model(INITIALISES), model(DESTROYS)) else { return };
    let asks = model(INITIALISES_MUTEX);
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
    let locking = Locking::of(program, &callees(&LOCK));
    let mutexes = callees(&INITIALISE[..1]);
    let mut before: Vec<(FuncId, BlockId, usize, FuncId, Operand)> = vec![];
    for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::User) {
        for (number, block) in &function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                let Op::Call { callee: Callee::Direct(callee), args, .. } = &inst.op else { continue };
                let (Some(first), known) = (args.first(), variable(&inst.op, &initialise)) else { continue };
                if known.is_some_and(is_noted) {
                    before.push((id, number, index, initialises, *first));
                } else if known.is_some() && mutexes.contains(callee) && locking.may_precede(program, id, number, index)
                {
                    before.extend(asks.map(|asks| (id, number, index, asks, *first)));
                } else if destroy.contains(callee) && counts.values().any(|count| *count == MANY) {
                    before.push((id, number, index, destroys, *first));
                }
            }
        }
    }
    // The last one first, so that places stay true.
    for (function, block, index, model, object) in before.into_iter().rev() {
        let block = &mut program.functions[function].blocks[block];
        let op = Op::Call { dsts: vec![], callee: Callee::Direct(model), args: vec![object] };
        block.insts.insert(index, Inst { op, loc: block.insts[index].loc });
    }
}

/// The functions of the program in which something may be locked.
struct Locking {
    models: Vec<FuncId>,
    locks: Vec<bool>,
}

impl Locking {
    fn of(program: &Program, models: &[FuncId]) -> Locking {
        let mut locking = Locking { models: models.to_vec(), locks: vec![false; program.functions.len()] };
        loop {
            let before = locking.locks.clone();
            for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::User) {
                let mut insts = function.blocks.values().flat_map(|block| &block.insts);
                locking.locks[id.index()] = insts.any(|inst| locking.does(&inst.op));
            }
            if locking.locks == before {
                return locking;
            }
        }
    }

    fn does(&self, op: &Op) -> bool {
        let Op::Call { callee, .. } = op else { return false };
        match callee {
            Callee::Direct(callee) => self.models.contains(callee) || self.locks[callee.index()],
            Callee::Indirect(_) => true,
        }
    }

    /// May something be locked before this instruction? Nothing is before `main` begins.
    fn may_precede(&self, program: &Program, function: FuncId, block: BlockId, index: usize) -> bool {
        let mut at = (function, block, index);
        // A function that calls itself has two callers, or is never called.
        for _ in 0..program.functions.len() {
            let (function, block, index) = at;
            let blocks = &program.functions[function].blocks;
            let earlier = blocks.iter().filter(|(id, _)| leads_to(&program.functions[function], *id, block));
            let mut insts = earlier.flat_map(|(_, earlier)| &earlier.insts).chain(&blocks[block].insts[..index]);
            if insts.any(|inst| self.does(&inst.op)) {
                return true;
            }
            let mut callers = calls_of(program, function).into_iter();
            match (callers.next(), callers.next()) {
                (Some((caller, ..)), None) if caller == program.entry => return false,
                (Some(caller), None) => at = caller,
                _ => return true,
            }
        }
        true
    }
}

fn calls_of(program: &Program, called: FuncId) -> Vec<(FuncId, BlockId, usize)> {
    let mut found = vec![];
    for (id, function) in &program.functions {
        for (number, block) in &function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                if matches!(&inst.op, Op::Call { callee: Callee::Direct(callee), .. } if *callee == called) {
                    found.push((id, number, index));
                }
            }
        }
    }
    found
}

/// Is there a way from the end of one block to the beginning of another?
fn leads_to(function: &Function, from: BlockId, to: BlockId) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut work: Vec<BlockId> = function.blocks[from].term.successors();
    while let Some(next) = work.pop() {
        if next == to {
            return true;
        }
        if !std::mem::replace(&mut seen[next.index()], true) {
            work.extend(function.blocks[next].term.successors());
        }
    }
    false
}

/// The variable, and the place in it, that a call of one of these functions is about.
fn variable(op: &Op, callees: &[FuncId]) -> Option<(GlobalId, i64)> {
    let Op::Call { callee: Callee::Direct(callee), args, .. } = op else { return None };
    let Some(Operand::Global { id, offset }) = args.first() else { return None };
    callees.contains(callee).then_some((*id, *offset))
}
