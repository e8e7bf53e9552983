//! Registers that no operation mentions any more are removed, the others keep their order: every
//! register costs the VM bytes in each frame and each stored state.

use crate::Context;
use selvedge_program::{EntityRef, Function, Operand, PrimaryMap, Reg};

pub fn registers(_: &Context, function: &mut Function) {
    let mut used = vec![false; function.regs.len()];
    function.params.iter().for_each(|reg| used[reg.index()] = true);
    for_each_reg_mut(function, |reg| used[reg.index()] = true);
    let mut kept = PrimaryMap::new();
    let mut moved = vec![None; used.len()];
    for (reg, info) in std::mem::take(&mut function.regs) {
        if used[reg.index()] {
            moved[reg.index()] = Some(kept.push(info));
        }
    }
    function.regs = kept;
    let new = |reg: &mut Reg| *reg = moved[reg.index()].unwrap_or(*reg);
    function.params.iter_mut().for_each(new);
    for_each_reg_mut(function, new);
}

fn for_each_reg_mut(function: &mut Function, mut f: impl FnMut(&mut Reg)) {
    for block in function.blocks.values_mut() {
        let mut in_operand = |operand: &mut Operand| {
            if let Operand::Reg(reg) = operand {
                f(reg);
            }
        };
        block.insts.iter_mut().for_each(|inst| inst.op.for_each_use_mut(&mut in_operand));
        block.term.for_each_use_mut(&mut in_operand);
        block.insts.iter_mut().for_each(|inst| inst.op.for_each_def_mut(&mut f));
    }
}
