//! Handles of threads that a program compares by `==`.
//!
//! A thread that was joined leaves its number to others (POSIX.1-2017, 2.9.2). The models tell all threads apart, so
//! that whoever uses a stale handle is found to do so, and `pthread_equal` asks them whether two threads have the same
//! number. Where a program compares two handles itself, as all do whose `pthread_t` is a number to them, it is made to
//! ask the same.
//!
//! A handle is what `pthread_self` returns, what `pthread_create` has stored, and what is copied from those: through
//! registers, calls, and cells, which are an object and an offset in it. Elements of an array are one cell.

use crate::points_to::PointsTo;
use selvedge_program::liveness::BitSet;
use selvedge_program::{
    BlockId, Callee, Cast, CmpOp, Computation, EntityRef, FuncId, Function, Inst, Op, Operand, Origin, Program, Reg,
    RegInfo, Terminator, handle_models as models,
};
use std::collections::HashSet;

/// Models that store a handle through their first argument, and models that return one.
const STORE: [&str; 2] = ["pthread_create", "thrd_create"];
const RETURN: [&str; 2] = ["pthread_self", "thrd_current"];

pub fn handles(program: &mut Program) {
    let Some(number) = program.function_named(models::NUMBER) else { return };
    let compared = Handles::of(program).compared();
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

/// Objects, and the offset in each.
struct Cells {
    objects: BitSet,
    offset: i64,
}

struct Handles<'a> {
    program: &'a Program,
    points_to: PointsTo,
    /// By function and register: the address's offset in the object that it points to.
    offsets: Vec<Vec<i64>>,
    /// By function: registers that hold a handle.
    registers: Vec<BitSet>,
    /// By function: it may return one.
    returned: Vec<bool>,
    cells: HashSet<(usize, i64)>,
    changed: bool,
}

impl<'a> Handles<'a> {
    fn of(program: &'a Program) -> Handles<'a> {
        let mut handles = Handles {
            program,
            points_to: PointsTo::of(program),
            offsets: program.functions.values().map(offsets).collect(),
            registers: program.functions.values().map(|f| BitSet::with_capacity(f.regs.len())).collect(),
            returned: vec![false; program.functions.len()],
            cells: HashSet::new(),
            changed: true,
        };
        while std::mem::replace(&mut handles.changed, false) {
            for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::User) {
                handles.flow(id, function);
            }
        }
        handles
    }

    fn contain(&self, id: FuncId, operand: Operand) -> bool {
        matches!(operand, Operand::Reg(reg) if self.registers[id.index()].contains(reg.index()))
    }

    fn add(&mut self, id: FuncId, reg: Reg) {
        self.changed |= !self.registers[id.index()].put(reg.index());
    }

    fn cells(&self, id: FuncId, addr: Operand) -> Cells {
        let offset = match addr {
            Operand::Reg(reg) => self.offsets[id.index()][reg.index()],
            Operand::Global { offset, .. } => offset,
            Operand::Const { .. } | Operand::Func(_) => 0,
        };
        Cells { objects: self.points_to.operand(id, addr), offset }
    }

    fn store(&mut self, id: FuncId, addr: Operand) {
        let Cells { objects, offset } = self.cells(id, addr);
        for object in objects.ones() {
            self.changed |= self.cells.insert((object, offset));
        }
    }

    fn holds_one(&self, id: FuncId, addr: Operand) -> bool {
        let Cells { objects, offset } = self.cells(id, addr);
        objects.ones().any(|object| self.cells.contains(&(object, offset)))
    }

    fn flow(&mut self, id: FuncId, function: &Function) {
        for block in function.blocks.values() {
            for inst in &block.insts {
                match &inst.op {
                    Op::Compute(
                        Computation::Copy { dst, src }
                        | Computation::Cast {
                            dst,
                            src,
                            cast: Cast::PtrToInt | Cast::IntToPtr | Cast::ZeroExtend | Cast::SignExtend,
                        },
                    ) if self.contain(id, *src) => self.add(id, *dst),
                    Op::Compute(Computation::Select { dst, a, b, .. })
                        if self.contain(id, *a) || self.contain(id, *b) =>
                    {
                        self.add(id, *dst);
                    }
                    Op::Load { dst, addr, .. } if self.holds_one(id, *addr) => self.add(id, *dst),
                    Op::Store { addr, value, .. } if self.contain(id, *value) => self.store(id, *addr),
                    Op::CmpXchg { old, addr, new, .. } => {
                        if self.contain(id, *new) {
                            self.store(id, *addr);
                        }
                        if self.holds_one(id, *addr) {
                            self.add(id, *old);
                        }
                    }
                    Op::Rmw { dst, addr, value, .. } => {
                        if self.contain(id, *value) {
                            self.store(id, *addr);
                        }
                        if self.holds_one(id, *addr) {
                            self.add(id, *dst);
                        }
                    }
                    Op::Call { dsts, callee, args } => {
                        for callee in self.points_to.callees(id, *callee) {
                            self.call(id, callee, args, dsts);
                        }
                    }
                    _ => {}
                }
            }
            if let Terminator::Return(values) = &block.term
                && values.iter().any(|value| self.contain(id, *value))
            {
                self.changed |= !std::mem::replace(&mut self.returned[id.index()], true);
            }
        }
    }

    fn call(&mut self, caller: FuncId, callee: FuncId, args: &[Operand], dsts: &[Reg]) {
        let function = &self.program.functions[callee];
        let is_model = function.origin == Origin::Model;
        if is_model && STORE.contains(&function.name.as_str()) {
            args.iter().take(1).for_each(|handle| self.store(caller, *handle));
        }
        if is_model && RETURN.contains(&function.name.as_str()) || self.returned[callee.index()] {
            dsts.iter().for_each(|dst| self.add(caller, *dst));
        }
        for (param, arg) in function.params.iter().zip(args) {
            if self.contain(caller, *arg) {
                self.add(callee, *param);
            }
        }
    }

    /// Comparisons of two handles.
    fn compared(&self) -> Vec<(FuncId, BlockId, usize)> {
        let mut compared = vec![];
        for (id, function) in self.program.functions.iter().filter(|(_, f)| f.origin == Origin::User) {
            for (number, block) in &function.blocks {
                for (index, inst) in block.insts.iter().enumerate() {
                    if let Op::Compute(Computation::Compare { op: CmpOp::Eq | CmpOp::Ne, a, b, .. }) = &inst.op
                        && self.contain(id, *a)
                        && self.contain(id, *b)
                    {
                        compared.push((id, number, index));
                    }
                }
            }
        }
        compared
    }
}

/// By register: how many bytes behind the start of something it points, as far as the one operation that writes it
/// shows. Which element of an array it is does not count.
fn offsets(function: &Function) -> Vec<i64> {
    let mut offsets = vec![0i64; function.regs.len()];
    let insts = || function.blocks.values().flat_map(|block| &block.insts);
    let base_of = |offsets: &[i64], operand: &Operand| match operand {
        Operand::Reg(reg) => offsets[reg.index()],
        Operand::Global { offset, .. } => *offset,
        Operand::Const { .. } | Operand::Func(_) => 0,
    };
    // Addresses are computed from earlier ones: as often as fields are nested.
    for _ in 0..4 {
        for inst in insts() {
            match &inst.op {
                Op::Compute(Computation::Field { dst, base, bytes, .. }) => {
                    offsets[dst.index()] = base_of(&offsets, base).wrapping_add(*bytes);
                }
                Op::Compute(Computation::Index { dst, base, .. } | Computation::Copy { dst, src: base }) => {
                    offsets[dst.index()] = base_of(&offsets, base);
                }
                _ => {}
            }
        }
    }
    offsets
}
