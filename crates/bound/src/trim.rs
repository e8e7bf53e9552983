//! Removes registers that are never read.
//!
//! Constants are written into the operations that use them, and arguments into the callee's registers, so
//! most copies are never looked at. Nothing goes that a schedule counts, that could be a violation, or that
//! another thread could see; the registers that are left get new numbers.

use crate::bounded::Thread;
use selvedge_program::{Operand, PrimaryMap, Reg, SecondaryMap};

pub fn trim(thread: &mut Thread) {
    remove_unread(thread);
    renumber(thread);
}

fn remove_unread(thread: &mut Thread) {
    let mut reads: SecondaryMap<Reg, u32> = SecondaryMap::new();
    let mut count = |operand: Operand| {
        if let Operand::Reg(reg) = operand {
            reads[reg] += 1;
        }
    };
    for block in thread.blocks.values() {
        block.steps.iter().for_each(|step| step.op.for_each_use(&mut count));
        block.term.decision().into_iter().for_each(&mut count);
    }
    // Most of what an operation reads was written before it, so one way back finds nearly all.
    let mut again = true;
    while again {
        again = false;
        let mut passed: SecondaryMap<Reg, bool> = SecondaryMap::new();
        for block in thread.blocks.values_mut().rev() {
            let mut kept = Vec::with_capacity(block.steps.len());
            for step in std::mem::take(&mut block.steps).into_iter().rev() {
                let unread = step.op.is_pure() && step.op.defs().iter().all(|reg| reads[*reg] == 0);
                if !unread {
                    step.op.defs().into_iter().for_each(|reg| passed[reg] = true);
                    kept.push(step);
                    continue;
                }
                step.op.for_each_use(|operand| {
                    if let Operand::Reg(reg) = operand {
                        reads[reg] -= 1;
                        again |= reads[reg] == 0 && passed[reg];
                    }
                });
            }
            kept.reverse();
            block.steps = kept;
        }
    }
}

fn renumber(thread: &mut Thread) {
    let mut numbers: SecondaryMap<Reg, Option<Reg>> = SecondaryMap::new();
    let mut regs = PrimaryMap::new();
    let old = std::mem::replace(&mut thread.regs, PrimaryMap::new());
    let mut rename = |reg: &mut Reg| {
        *reg = *numbers[*reg].get_or_insert_with(|| regs.push(old[*reg].clone()));
    };
    let rename_use = |operand: &mut Operand, rename: &mut dyn FnMut(&mut Reg)| {
        if let Operand::Reg(reg) = operand {
            rename(reg);
        }
    };
    thread.params.iter_mut().for_each(&mut rename);
    for block in thread.blocks.values_mut() {
        for step in &mut block.steps {
            step.op.for_each_use_mut(|operand| rename_use(operand, &mut rename));
            step.op.for_each_def_mut(&mut rename);
        }
        block.term.decision_mut().into_iter().for_each(|operand| rename_use(operand, &mut rename));
    }
    thread.regs = regs;
}
