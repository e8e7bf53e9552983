//! Copies: read the original, write the final register, drop results that are never read.
//!
//! 1. *Forward*, in a block: after `t = copy x`, reads of `t` become reads of `x` until one of the
//!    two is written.
//! 2. *Backward*, in a block: `t = op …; x = copy t` becomes `x = op …` if no other read of this `t`
//!    follows and `x` is neither read nor written in between. Not in functions that call `setjmp`: a jump
//!    out of the middle would find `x` written too early.
//! 3. *Dead*, in the whole function: an operation that only computes a value goes if no path reads
//!    it. Loads stay, as schedules count them; so does whatever may be a violation.

use crate::Context;
use crate::local::EqualValues;
use selvedge_program::liveness::{Liveness, calls_setjmp, is_live};
use selvedge_program::{Block, Computation, EntityRef, Function, Input, Inst, Op, Operand, Properties, Reg};

/// A chain of dead values through many blocks needs a round for each block; few are that long.
const DEAD_ROUNDS: usize = 8;

pub fn copies(_: &Context, function: &mut Function) {
    forward(function);
    if !calls_setjmp(function) {
        backward(function);
    }
    for _ in 0..DEAD_ROUNDS {
        if !drop_dead(function) {
            break;
        }
    }
}

fn forward(function: &mut Function) {
    let mut known = EqualValues::new(function);
    for block in function.blocks.values_mut() {
        known.forget();
        for inst in &mut block.insts {
            inst.op.for_each_use_mut(|operand| known.substitute(operand));
            known.after(&inst.op);
        }
        block.term.for_each_use_mut(|operand| known.substitute(operand));
    }
}

fn backward(function: &mut Function) {
    let count = function.regs.len();
    let liveness = Liveness::new(function);
    let mut last = LastTouched { written: vec![None; count], read: vec![None; count] };
    for id in function.blocks.keys().collect::<Vec<_>>() {
        // Copies that are the last to read their source.
        let mut is_last = vec![false; function.blocks[id].insts.len()];
        liveness.walk_back(function, id, |index, inst, live| {
            is_last[index] =
                matches!(inst.op, Op::Compute(Computation::Copy { src: Operand::Reg(t), .. }) if !is_live(live, t));
        });
        backward_in(&mut function.blocks[id], &is_last, &mut last);
    }
}

/// The places in the present block at which a register was last written and read. Empty between blocks.
struct LastTouched {
    written: Vec<Option<usize>>,
    read: Vec<Option<usize>>,
}

fn backward_in(block: &mut Block, is_last: &[bool], last: &mut LastTouched) {
    let mut touched: Vec<Reg> = vec![];
    let mut dropped = vec![false; block.insts.len()];
    for (index, dropped) in dropped.iter_mut().enumerate() {
        if let Op::Compute(Computation::Copy { dst: x, src: Operand::Reg(t) }) = block.insts[index].op
            && x != t
            && is_last[index]
            && let Some(origin) = last.written[t.index()]
            && last.written[x.index()] < Some(origin)
            && last.read[x.index()] <= Some(origin)
            && last.read[t.index()] <= Some(origin)
        {
            block.insts[origin].op.for_each_def_mut(|def| *def = if *def == t { x } else { *def });
            last.written[x.index()] = Some(origin);
            last.written[t.index()] = None;
            touched.push(x);
            *dropped = true;
            continue;
        }
        let op = &block.insts[index].op;
        op.for_each_use(|operand| {
            if let Operand::Reg(reg) = operand {
                last.read[reg.index()] = Some(index);
                touched.push(reg);
            }
        });
        for reg in op.defs() {
            last.written[reg.index()] = Some(index);
            touched.push(reg);
        }
    }
    for reg in touched {
        last.written[reg.index()] = None;
        last.read[reg.index()] = None;
    }
    retain(&mut block.insts, &dropped);
}

/// Says whether anything was dropped.
fn drop_dead(function: &mut Function) -> bool {
    let liveness = Liveness::new(function);
    let mut any = false;
    for id in function.blocks.keys().collect::<Vec<_>>() {
        let mut dropped = vec![false; function.blocks[id].insts.len()];
        liveness.walk_back_keeping(function, id, |index, inst, live| {
            let to_itself =
                matches!(inst.op, Op::Compute(Computation::Copy { dst, src: Operand::Reg(src) }) if src == dst);
            let unread = || inst.op.defs().into_iter().all(|reg| !is_live(live, reg));
            dropped[index] = to_itself || only_computes(&inst.op) && unread();
            !dropped[index]
        });
        any |= dropped.contains(&true);
        retain(&mut function.blocks[id].insts, &dropped);
    }
    any
}

/// No effect but its result, whatever is checked, and nothing to check. An input is one that the program did not ask
/// for.
fn only_computes(op: &Op) -> bool {
    let is_unasked = matches!(op, Op::Nondet { input: Input::Uninitialised(_), .. });
    is_unasked || op.is_pure(Properties::ALL) && op.checks().is_empty()
}

fn retain(insts: &mut Vec<Inst>, dropped: &[bool]) {
    let mut index = 0;
    insts.retain(|_| {
        index += 1;
        !dropped[index - 1]
    });
}
