//! Points where signals interrupt the program, and where threads of asynchronous type are cancelled.
//!
//! A handler runs in the thread that it interrupts, to its end, so it is a call in that thread, before any step that
//! others, or the handler, could notice: an access to memory that may be shared, or a call of a model. If the program
//! sends signals, the models' function that decides whether one comes is called at all these places. Nothing is
//! inserted elsewhere: no handler can tell between which two of a thread's own steps it runs. Only an empty loop has
//! one as well, so that it can be left. Nor can anybody tell between which of these steps a thread takes note that it
//! is cancelled.

use std::collections::HashSet;

use selvedge_program::{CANCELLATION, Callee, FuncId, Function, INTERRUPTION, Inst, Op, Operand, Origin, Program, Reg};

pub struct Interruption {
    /// The models' function that is called at these places.
    pub function: &'static str,
    /// Models without which there is nothing that could interrupt.
    pub needs: &'static [&'static str],
}

pub const INTERRUPTIONS: [Interruption; 2] = [
    Interruption { function: INTERRUPTION, needs: &["send_signal"] },
    Interruption { function: CANCELLATION, needs: &["pthread_setcanceltype", "pthread_cancel"] },
];

/// Inserts the calls, if the program has the functions.
pub fn insert(program: &mut Program) {
    for interruption in &INTERRUPTIONS {
        insert_one(program, interruption.function);
    }
}

fn insert_one(program: &mut Program, name: &str) {
    let named = |(id, f): (FuncId, &Function)| (f.origin == Origin::Model && f.name == name).then_some(id);
    let Some(interruption) = program.functions.iter().find_map(named) else { return };
    let models: HashSet<FuncId> =
        program.functions.iter().filter(|(_, f)| f.origin == Origin::Model).map(|(id, _)| id).collect();
    let observers: HashSet<FuncId> = program.observers.all().map(|observer| observer.function).collect();
    for (id, function) in program.functions.iter_mut() {
        if models.contains(&id) || observers.contains(&id) {
            continue;
        }
        let own = unshared(function);
        for (number, block) in function.blocks.iter_mut() {
            let insts = std::mem::take(&mut block.insts);
            let goes_round = block.term.successors().contains(&number);
            if goes_round && !insts.iter().any(|inst| is_noticeable(&inst.op, &own, &models)) {
                let op = Op::Call { dsts: vec![], callee: Callee::Direct(interruption), args: vec![] };
                block.insts.push(Inst { op, loc: block.loc });
            }
            for inst in insts {
                if is_noticeable(&inst.op, &own, &models) {
                    let op = Op::Call { dsts: vec![], callee: Callee::Direct(interruption), args: vec![] };
                    block.insts.push(Inst { op, loc: inst.loc });
                }
                block.insts.push(inst);
            }
        }
    }
}

/// Stack objects whose address goes nowhere but into loads and stores.
fn unshared(function: &Function) -> HashSet<Reg> {
    let insts = || function.blocks.values().flat_map(|block| &block.insts).map(|inst| &inst.op);
    let mut own: HashSet<Reg> =
        insts().filter_map(|op| if let Op::Alloca { dst, .. } = op { Some(*dst) } else { None }).collect();
    for op in insts() {
        match op {
            Op::Load { .. } => {}
            Op::Store { value, .. } => {
                if let Operand::Reg(reg) = value {
                    own.remove(reg);
                }
            }
            other => other.for_each_use(|used| {
                if let Operand::Reg(reg) = used {
                    own.remove(&reg);
                }
            }),
        }
    }
    own
}

fn is_noticeable(op: &Op, own: &HashSet<Reg>, models: &HashSet<FuncId>) -> bool {
    let shared = |addr: &Operand| !matches!(addr, Operand::Reg(reg) if own.contains(reg));
    match op {
        Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CmpXchg { addr, .. } => {
            shared(addr)
        }
        Op::MemCopy { .. } | Op::MemSet { .. } => true,
        Op::Call { callee: Callee::Direct(id), .. } => models.contains(id),
        Op::Call { callee: Callee::Indirect(_), .. } => true,
        Op::Compute(_)
        | Op::Fence { .. }
        | Op::Alloca { .. }
        | Op::StackSave { .. }
        | Op::StackRestore { .. }
        | Op::Nondet { .. }
        | Op::Intrinsic { .. }
        | Op::Violation { .. }
        | Op::Unsupported { .. } => false,
    }
}
