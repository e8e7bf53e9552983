//! Where values of a kind may be: in which registers, and in which cells of memory.
//!
//! Values flow through computations, calls, the start of threads, and cells, without regard to the order of operations.
//! A cell is an offset in an object, if the kind tells offsets apart. Of models, only the copying of blocks is followed,
//! as in `memcpy` and `realloc`; and one that is given both a value and a function may pass the one to the other, as
//! `pthread_create` does.

use crate::offsets::{Offset, Offsets};
use crate::points_to::{Object, PointsTo};
use selvedge_program::liveness::BitSet;
use selvedge_program::{Computation, EntityRef, FuncId, Function, Op, Operand, Origin, Program, Reg, Terminator, Ty};

/// A kind of values.
pub trait Kind {
    /// Is the result of a computation in this function one, if these of its operands are?
    fn computes(&self, function: FuncId, computation: &Computation, is_one: &dyn Fn(&Operand) -> bool) -> bool;

    /// Is an operand of this type one by itself?
    fn is(&self, _operand: Operand, _ty: Ty) -> bool {
        false
    }

    /// Does this model of a function return one?
    fn is_returned_by(&self, _model: &str) -> bool {
        false
    }

    /// Does this model of a function store one through its first argument?
    fn is_stored_by(&self, _model: &str) -> bool {
        false
    }

    /// Where in the objects that it points to an address may point; anywhere if an object is one cell.
    fn offsets(&self, _function: FuncId, _address: Operand) -> Vec<Offset> {
        vec![Offset::ANYWHERE]
    }
}

/// An object and an offset in it.
type Cell = (usize, Offset);

pub struct Flow<'a, K> {
    program: &'a Program,
    points_to: &'a PointsTo,
    kind: K,
    /// By function: registers that hold one.
    registers: Vec<BitSet>,
    /// By function: it may return one.
    returned: Vec<bool>,
    /// By object: where in it some may be.
    cells: Vec<Offsets>,
    made_by_models: Vec<usize>,
    changed: bool,
}

impl<'a, K: Kind> Flow<'a, K> {
    pub fn of(kind: K, program: &'a Program, points_to: &'a PointsTo) -> Flow<'a, K> {
        let by_model = |object: &Object| match object {
            Object::Made(place) => program.functions[place.function].origin == Origin::Model,
            Object::Global(_) | Object::Function(_) => false,
        };
        let objects = points_to.objects.iter().enumerate();
        let mut flow = Flow {
            program,
            points_to,
            kind,
            registers: program.functions.values().map(|f| BitSet::with_capacity(f.regs.len())).collect(),
            returned: vec![false; program.functions.len()],
            cells: vec![Offsets::default(); points_to.objects.len()],
            made_by_models: objects.filter(|(_, object)| by_model(object)).map(|(id, _)| id).collect(),
            changed: true,
        };
        flow.initial();
        while std::mem::replace(&mut flow.changed, false) {
            for (id, function) in &program.functions {
                match function.origin {
                    Origin::User => flow.through(id, function),
                    Origin::Model => flow.copies_of(id, function),
                }
            }
        }
        flow
    }

    pub fn contains(&self, function: FuncId, operand: Operand) -> bool {
        matches!(operand, Operand::Reg(reg) if self.registers[function.index()].contains(reg.index()))
            || self.kind.is(operand, self.program.type_of(&self.program.functions[function], operand))
    }

    /// Variables hold their initial pointers when the program starts.
    fn initial(&mut self) {
        for (id, global) in &self.program.globals {
            let Some(object) = self.points_to.id(Object::Global(id)) else { continue };
            for pointer in global.relocations.iter().filter(|pointer| self.kind.is(pointer.target, Ty::Ptr)) {
                self.cells[object].insert(Offset::START.field(pointer.at as i64));
            }
        }
    }

    fn through(&mut self, id: FuncId, function: &Function) {
        for block in function.blocks.values() {
            block.insts.iter().for_each(|inst| self.operation(id, &inst.op));
            match &block.term {
                Terminator::Return(values) => {
                    if values.iter().any(|value| self.contains(id, *value)) {
                        self.changed |= !std::mem::replace(&mut self.returned[id.index()], true);
                    }
                }
                Terminator::Jump(_)
                | Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::Unreachable => {}
            }
        }
    }

    fn copies_of(&mut self, id: FuncId, model: &Function) {
        for inst in model.blocks.values().flat_map(|block| &block.insts) {
            if let Op::MemCopy { dst, src, .. } = &inst.op {
                self.copy(id, *dst, *src);
            }
        }
    }

    fn operation(&mut self, id: FuncId, op: &Op) {
        match op {
            Op::Compute(computation) => {
                if self.kind.computes(id, computation, &|operand| self.contains(id, *operand)) {
                    self.add(id, computation.dst());
                }
            }
            Op::Load { dst, addr, .. } => self.load(id, *dst, *addr),
            Op::Store { addr, value, .. } => self.store_if_one(id, *addr, *value),
            Op::Rmw { dst, addr, value, .. } => {
                self.store_if_one(id, *addr, *value);
                self.load(id, *dst, *addr);
            }
            Op::CmpXchg { old, addr, new, .. } => {
                self.store_if_one(id, *addr, *new);
                self.load(id, *old, *addr);
            }
            Op::MemCopy { dst, src, .. } => self.copy(id, *dst, *src),
            Op::Call { dsts, callee, args } => {
                for callee in self.points_to.callees(id, *callee) {
                    self.call(id, callee, args, dsts);
                }
            }
            Op::Intrinsic { args, .. } => self.pass_on(id, args),
            Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::MemSet { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    fn add(&mut self, function: FuncId, reg: Reg) {
        self.changed |= !self.registers[function.index()].put(reg.index());
    }

    fn cells(&self, id: FuncId, addr: Operand) -> Vec<Cell> {
        let offsets = self.kind.offsets(id, addr);
        let objects = self.points_to.operand(id, addr);
        objects.ones().flat_map(|object| offsets.iter().map(move |offset| (object, *offset))).collect()
    }

    fn load(&mut self, id: FuncId, dst: Reg, addr: Operand) {
        if self.cells(id, addr).into_iter().any(|(object, offset)| self.cells[object].meets(offset)) {
            self.add(id, dst);
        }
    }

    fn store_if_one(&mut self, id: FuncId, addr: Operand, value: Operand) {
        if self.contains(id, value) {
            self.store(id, addr);
        }
    }

    fn store(&mut self, id: FuncId, addr: Operand) {
        for (object, offset) in self.cells(id, addr) {
            self.changed |= self.cells[object].insert(offset);
        }
    }

    fn copy(&mut self, id: FuncId, dst: Operand, src: Operand) {
        for (source, from) in self.cells(id, src) {
            let known = self.cells[source].clone();
            for (target, to) in self.cells(id, dst) {
                for offset in known.iter() {
                    self.changed |= self.cells[target].insert(offset.copied(from, to));
                }
            }
        }
    }

    fn call(&mut self, caller: FuncId, callee: FuncId, args: &[Operand], dsts: &[Reg]) {
        let function = &self.program.functions[callee];
        let is_model = function.origin == Origin::Model;
        if is_model && self.kind.is_stored_by(&function.name) {
            args.iter().take(1).for_each(|to| self.store(caller, *to));
        }
        if is_model && self.kind.is_returned_by(&function.name) || self.returned[callee.index()] {
            dsts.iter().for_each(|dst| self.add(caller, *dst));
        }
        for (param, arg) in function.params.iter().zip(args) {
            if self.contains(caller, *arg) {
                self.add(callee, *param);
            }
        }
        if is_model {
            self.pass_on(caller, args);
            dsts.iter().for_each(|dst| self.allocated(caller, *dst));
        }
    }

    /// A block that a model returns stands for those that models allocate.
    fn allocated(&mut self, caller: FuncId, dst: Reg) {
        let is_made = |object: &usize| matches!(self.points_to.objects[*object], Object::Made(_));
        let blocks: Vec<usize> = self.points_to.operand(caller, Operand::Reg(dst)).ones().filter(is_made).collect();
        for inner in &self.made_by_models {
            for offset in self.cells[*inner].clone().iter() {
                for block in &blocks {
                    self.changed |= self.cells[*block].insert(offset);
                }
            }
        }
    }

    /// A model may call the functions among its arguments with the others.
    fn pass_on(&mut self, id: FuncId, args: &[Operand]) {
        if args.iter().any(|arg| self.contains(id, *arg)) {
            for called in args.iter().flat_map(|arg| self.points_to.functions(id, *arg)) {
                self.program.functions[called].params.iter().for_each(|param| self.add(called, *param));
            }
        }
    }
}
