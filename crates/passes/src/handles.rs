//! Handles of threads that a program compares by `==`.
//!
//! A thread that was joined leaves its number to others (POSIX.1-2017, 2.9.2). The models tell all threads apart, so
//! that whoever uses a stale handle is found to do so, and `pthread_equal` asks them whether two threads have the same
//! number. Where a program compares two handles itself, as all do whose `pthread_t` is a number to them, it is made to
//! ask the same.
//!
//! A handle is what `pthread_self` returns, what `pthread_create` has stored, and what is copied from those
//! ([`crate::flow`]).

use crate::flow::{Flow, Kind};
use crate::offsets::{Offset, OffsetsOfRegisters};
use crate::points_to::PointsTo;
use selvedge_program::{
    BlockId, Callee, Cast, CmpOp, Computation, FuncId, Inst, Op, Operand, Origin, Program, RegInfo,
    handle_models as models,
};

/// Models that store a handle through their first argument, and models that return one.
const STORE: [&str; 2] = ["pthread_create", "thrd_create"];
const RETURN: [&str; 2] = ["pthread_self", "thrd_current"];

pub fn handles(program: &mut Program) {
    let Some(number) = program.function_named(models::NUMBER) else { return };
    let compared = compared(program, number);
    if compared.is_empty() {
        return;
    }
    for global in program.globals.values_mut().filter(|global| global.name == models::COMPARED) {
        global.init = vec![1];
    }
    // From the last instruction of a function to the first, so that places stay true.
    for (id, block, index) in compared.into_iter().rev() {
        let function = &mut program.functions[id];
        let Inst { op: Op::Compute(Computation::Compare { dst, op, a, b }), loc } =
            function.blocks[block].insts[index].clone()
        else {
            continue;
        };
        let mut insts = vec![];
        let [a, b] = [a, b].map(|handle| {
            let Operand::Reg(reg) = handle else { return handle };
            let ty = function.regs[reg].ty;
            let dst = function.regs.push(RegInfo { ty, name: None, debug: None });
            let op = Op::Call { dsts: vec![dst], callee: Callee::Direct(number), args: vec![handle] };
            insts.push(Inst { op, loc });
            Operand::Reg(dst)
        });
        insts.push(Inst { op: Computation::Compare { dst, op, a, b }.into(), loc });
        function.blocks[block].insts.splice(index..=index, insts);
    }
}

/// Handles of threads.
struct Handles(OffsetsOfRegisters);

impl Kind for Handles {
    fn computes(&self, _: FuncId, computation: &Computation, is_one: &dyn Fn(&Operand) -> bool) -> bool {
        match computation {
            Computation::Copy { src, .. }
            | Computation::Cast {
                src,
                cast: Cast::PtrToInt | Cast::IntToPtr | Cast::ZeroExtend | Cast::SignExtend | Cast::Reinterpret,
                ..
            } => is_one(src),
            Computation::Select { a, b, .. } => is_one(a) || is_one(b),
            Computation::Cast { .. }
            | Computation::Binary { .. }
            | Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::Compare { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::FloatCompare { .. }
            | Computation::Field { .. }
            | Computation::Index { .. } => false,
        }
    }

    fn is_returned_by(&self, model: &str) -> bool {
        RETURN.contains(&model)
    }

    fn is_stored_by(&self, model: &str) -> bool {
        STORE.contains(&model)
    }

    fn offsets(&self, function: FuncId, address: Operand) -> Vec<Offset> {
        self.0.offsets(function, address)
    }
}

/// Comparisons of two handles.
fn compared(program: &Program, number: FuncId) -> Vec<(FuncId, BlockId, usize)> {
    let model = &program.functions[number];
    let word = model.regs[model.params[0]].ty;
    let points_to = PointsTo::of(program);
    let handles = Flow::of(Handles(OffsetsOfRegisters::of(program, &points_to)), program, &points_to);
    let mut compared = vec![];
    for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::User) {
        for (number, block) in &function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                if let Some((CmpOp::Eq | CmpOp::Ne, a, b)) = inst.op.comparison()
                    && [a, b].into_iter().all(|one| handles.contains(id, one) && program.type_of(function, one) == word)
                {
                    compared.push((id, number, index));
                }
            }
        }
    }
    compared
}
