//! Points-to analysis: Andersen's (PhD thesis, 1994), insensitive to control flow, sensitive to offsets.
//!
//! Every value is tracked, also integers: a pointer may hide in one, and pass through memory byte by
//! byte. The result of an operation may point wherever its operands did; offsets stay known only when constants are
//! added, and when bytes are read as they were written.
//!
//! Two assumptions, both guaranteed by the VM's pointers: an address that was computed from the
//! address of an object names that object or nothing, and one that was computed from inputs alone,
//! or from memory that was never written, names nothing. (The encoder of an access through such a pointer
//! has to report it as unknown.)
//!
//! Steps are evaluated from a worklist: first all of them in the order of the code, then those whose
//! registers or memory have grown.

use crate::places::{Offset, SetId, Sets, Targets};
use hashbrown::HashMap;
use selvedge_bound::{Bounded, ObjectKind, StepOp};
use selvedge_program::semantics::integers::signed;
use selvedge_program::{BinOp, Computation, EntityRef, GlobalId, Op, Operand, Reg, RmwOp, Ty};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub struct PointsTo {
    /// By thread and register.
    registers: Vec<Vec<SetId>>,
    sets: Vec<Targets>,
    /// For each object and offset the target of `Operand::Global`.
    constants: HashMap<(GlobalId, i64), Targets>,
    /// For each object the targets of its bytes.
    contents: Vec<SetId>,
    nothing: Targets,
}

impl PointsTo {
    pub fn new(bounded: &Bounded<'_>) -> PointsTo {
        Solver::new(bounded).solve()
    }

    /// The targets of an operand in this thread.
    pub fn of(&self, thread: usize, operand: Operand) -> &Targets {
        match operand {
            Operand::Reg(reg) => self.set(self.registers[thread][reg.index()]),
            Operand::Global { id, offset } => self.constants.get(&(id, offset)).unwrap_or(&self.nothing),
            Operand::Const { .. } | Operand::Func(_) => &self.nothing,
        }
    }

    /// The targets of the bytes of an object.
    pub fn contents(&self, object: GlobalId) -> &Targets {
        self.set(self.contents[object.index()])
    }

    fn set(&self, set: SetId) -> &Targets {
        &self.sets[set.index()]
    }
}

/// Pointers in an object's bytes, by the offset and width at which they were stored.
#[derive(Clone, Default)]
struct Contents {
    cells: BTreeMap<(i64, u32), SetId>,
    /// Pointers stored at unknown offsets, by width.
    anywhere: BTreeMap<u32, SetId>,
    /// All pointers, by width.
    all: BTreeMap<u32, SetId>,
    /// Steps that read the object.
    readers: BTreeSet<u32>,
}

/// Copies put pointers anywhere in an object that has more cells: one that is copied onto itself, with a shift, gets new
/// cells each time.
const MOST_CELLS: usize = 1024;

/// The widest access; blocks are copied cell by cell.
const WIDEST: i64 = 16;

struct Solver<'a, 'p> {
    bounded: &'a Bounded<'p>,
    pointer_bytes: u32,
    sets: Sets,
    /// All threads' steps, in the order of their code.
    steps: Vec<(u32, &'a StepOp)>,
    /// The registers of all threads are numbered one after another; this is the first of each.
    first_register: Vec<usize>,
    registers: Vec<SetId>,
    /// For each register the steps that use it.
    users: Vec<Vec<u32>>,
    contents: Vec<Contents>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    // The step that is being evaluated.
    now: u32,
    thread: usize,
}

impl<'a, 'p> Solver<'a, 'p> {
    fn new(bounded: &'a Bounded<'p>) -> Solver<'a, 'p> {
        let mut first_register = vec![0];
        for thread in &bounded.threads {
            first_register.push(first_register.last().copied().unwrap_or(0) + thread.regs.len());
        }
        let registers = first_register.last().copied().unwrap_or(0);
        let mut solver = Solver {
            bounded,
            pointer_bytes: bounded.program.data_model.pointer_bytes(),
            sets: Sets::new(),
            steps: Vec::new(),
            first_register,
            registers: vec![SetId::EMPTY; registers],
            users: vec![Vec::new(); registers],
            contents: vec![Contents::default(); bounded.objects.len()],
            queue: VecDeque::new(),
            queued: Vec::new(),
            now: 0,
            thread: 0,
        };
        solver.collect_steps();
        solver.initial_contents();
        solver
    }

    fn collect_steps(&mut self) {
        for (number, thread) in self.bounded.threads.iter().enumerate() {
            for step in thread.blocks.values().flat_map(|block| &block.steps) {
                let index = self.steps.len() as u32;
                self.steps.push((number as u32, &step.op));
                let mut uses = |operand: Operand| {
                    if let Operand::Reg(reg) = operand {
                        self.users[self.first_register[number] + reg.index()].push(index);
                    }
                };
                match &step.op {
                    StepOp::Plain(op) => op.for_each_use(uses),
                    StepOp::Spawn { args, .. } => args.iter().for_each(|arg| uses(*arg)),
                    StepOp::Create { .. } | StepOp::End { .. } | StepOp::Finish { .. } => {}
                }
            }
        }
        self.queue = (0..self.steps.len() as u32).collect();
        self.queued = vec![true; self.steps.len()];
    }

    fn initial_contents(&mut self) {
        for (id, object) in &self.bounded.objects {
            let source = match object.kind {
                ObjectKind::Global => id,
                ObjectKind::ThreadLocal { of, .. } => of,
                ObjectKind::Stack | ObjectKind::Heap => continue,
            };
            for relocation in &self.bounded.program.globals[source].relocations {
                if let Operand::Global { id: target, offset } = relocation.target {
                    for target in self.copies_of(target) {
                        let set = self.sets.single(target, offset);
                        self.put(id, Offset::At(relocation.at as i64), u32::from(relocation.bytes), set);
                    }
                }
            }
        }
    }

    /// The objects that an address in initial bytes may name: for a thread-local, any of its copies.
    fn copies_of(&self, target: GlobalId) -> Vec<GlobalId> {
        if !self.bounded.program.globals.get(target).is_some_and(|global| global.thread_local) {
            return vec![target];
        }
        let is_copy = |kind: ObjectKind| matches!(kind, ObjectKind::ThreadLocal { of, .. } if of == target);
        self.bounded.objects.iter().filter(|(_, object)| is_copy(object.kind)).map(|(id, _)| id).collect()
    }

    fn solve(mut self) -> PointsTo {
        while let Some(step) = self.queue.pop_front() {
            self.queued[step as usize] = false;
            self.now = step;
            let (thread, op) = self.steps[step as usize];
            self.thread = thread as usize;
            self.evaluate(op);
        }
        self.finish()
    }

    fn finish(mut self) -> PointsTo {
        let mut contents = Vec::new();
        for object in std::mem::take(&mut self.contents) {
            let mut all = SetId::EMPTY;
            for set in object.all.values() {
                all = self.sets.union(all, *set);
            }
            contents.push(all);
        }
        let mut constants = HashMap::new();
        for (_, op) in &self.steps {
            let mut note = |operand: Operand| {
                if let Operand::Global { id, offset } = operand {
                    constants.entry((id, offset)).or_insert_with(|| self.sets.single(id, offset));
                }
            };
            op.for_each_use(&mut note);
        }
        let registers = self.first_register.windows(2).map(|w| self.registers[w[0]..w[1]].to_vec()).collect();
        let sets = self.sets.into_targets();
        let constants = constants.into_iter().map(|(key, set)| (key, sets[set.index()].clone())).collect();
        PointsTo { registers, sets, constants, contents, nothing: Targets::default() }
    }

    // Values.

    fn of(&mut self, operand: Operand) -> SetId {
        match operand {
            Operand::Reg(reg) => self.registers[self.first_register[self.thread] + reg.index()],
            Operand::Global { id, offset } => self.sets.single(id, offset),
            Operand::Const { .. } | Operand::Func(_) => SetId::EMPTY,
        }
    }

    fn bits(&self, operand: Operand) -> u32 {
        let ty = match operand {
            Operand::Reg(reg) => self.bounded.threads[self.thread].regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        };
        ty.bits(self.bounded.program.data_model)
    }

    fn bytes(&self, reg: Reg) -> u32 {
        self.bits(Operand::Reg(reg)).div_ceil(8)
    }

    fn flow(&mut self, thread: usize, reg: Reg, set: SetId) {
        let index = self.first_register[thread] + reg.index();
        let joined = self.sets.union(self.registers[index], set);
        if joined != self.registers[index] {
            self.registers[index] = joined;
            for at in 0..self.users[index].len() {
                enqueue(&mut self.queue, &mut self.queued, self.users[index][at]);
            }
        }
    }

    // Memory.

    /// Notes a store. One that goes beyond the object writes nothing.
    fn put(&mut self, object: GlobalId, offset: Offset, bytes: u32, set: SetId) {
        if set == SetId::EMPTY || !self.has_room(object, offset, bytes) {
            return;
        }
        let set = if bytes < self.pointer_bytes { self.sets.blur(set) } else { set };
        let contents = &mut self.contents[object.index()];
        let cell = match offset {
            Offset::At(at) => contents.cells.entry((at, bytes)).or_insert(SetId::EMPTY),
            Offset::Any => contents.anywhere.entry(bytes).or_insert(SetId::EMPTY),
        };
        let joined = self.sets.union(*cell, set);
        if joined != *cell {
            *cell = joined;
            let all = contents.all.entry(bytes).or_insert(SetId::EMPTY);
            *all = self.sets.union(*all, set);
            for reader in &contents.readers {
                enqueue(&mut self.queue, &mut self.queued, *reader);
            }
        }
    }

    fn has_room(&self, object: GlobalId, offset: Offset, bytes: u32) -> bool {
        match offset {
            Offset::At(at) => {
                let end = at.checked_add(i64::from(bytes)).and_then(|end| u64::try_from(end).ok());
                at >= 0 && end.is_some_and(|end| end <= self.bounded.objects[object].size)
            }
            Offset::Any => true,
        }
    }

    fn store(&mut self, addr: Operand, bytes: u32, set: SetId) {
        if set != SetId::EMPTY {
            let into = self.of(addr);
            for place in self.sets.get(into).places.clone() {
                self.put(place.object, place.offset, bytes, set);
            }
        }
    }

    fn load(&mut self, addr: Operand, bytes: u32) -> SetId {
        let from = self.of(addr);
        let mut all = SetId::EMPTY;
        for place in self.sets.get(from).places.clone() {
            let contents = &mut self.contents[place.object.index()];
            contents.readers.insert(self.now);
            let somewhere = match place.offset {
                Offset::At(wanted) => {
                    let (low, high) = (wanted - WIDEST, wanted + i64::from(bytes));
                    for ((at, width), set) in contents.cells.range((low, 0)..(high, 0)) {
                        if at + i64::from(*width) > wanted {
                            let whole = *at == wanted && *width == bytes;
                            let seen = if whole { *set } else { self.sets.blur(*set) };
                            all = self.sets.union(all, seen);
                        }
                    }
                    &contents.anywhere
                }
                Offset::Any => &contents.all,
            };
            for (width, set) in somewhere {
                let seen = if *width == bytes { *set } else { self.sets.blur(*set) };
                all = self.sets.union(all, seen);
            }
        }
        if bytes < self.pointer_bytes { self.sets.blur(all) } else { all }
    }

    fn copy(&mut self, dst: Operand, src: Operand, len: Operand) {
        let (from, to) = (self.of(src), self.of(dst));
        let len = match len {
            Operand::Const { bits, .. } => i64::try_from(bits).unwrap_or(i64::MAX),
            _ => i64::MAX,
        };
        let (from, to) = (self.sets.get(from).places.clone(), self.sets.get(to).places.clone());
        for source in from {
            self.contents[source.object.index()].readers.insert(self.now);
            let contents = &self.contents[source.object.index()];
            // The pointers there, by their distance from the first byte copied.
            let mut copied: Vec<(Offset, u32, SetId)> =
                contents.anywhere.iter().map(|(width, set)| (Offset::Any, *width, *set)).collect();
            for ((at, width), set) in &contents.cells {
                match source.offset {
                    Offset::Any => copied.push((Offset::Any, *width, *set)),
                    Offset::At(start) => {
                        let end = start.saturating_add(len);
                        if at + i64::from(*width) > start && *at < end {
                            let whole = *at >= start && at + i64::from(*width) <= end;
                            let set = if whole { *set } else { self.sets.blur(*set) };
                            copied.push((Offset::At(at - start), *width, set));
                        }
                    }
                }
            }
            for target in &to {
                let is_crowded = self.contents[target.object.index()].cells.len() > MOST_CELLS;
                for (distance, width, set) in &copied {
                    let offset = match (target.offset, *distance) {
                        (Offset::At(start), Offset::At(distance)) if !is_crowded => {
                            Offset::At(start.saturating_add(distance))
                        }
                        (Offset::At(_) | Offset::Any, Offset::At(_) | Offset::Any) => Offset::Any,
                    };
                    self.put(target.object, offset, *width, *set);
                }
            }
        }
    }

    // Steps.

    fn evaluate(&mut self, op: &StepOp) {
        let thread = self.thread;
        match op {
            StepOp::Plain(op) => self.plain(op),
            StepOp::Create { dst, object, .. } => {
                let set = self.sets.single(*object, 0);
                self.flow(thread, *dst, set);
            }
            StepOp::Spawn { thread: created, args, .. } => {
                let params = &self.bounded.threads[*created].params;
                for (param, arg) in params.iter().zip(args) {
                    let set = self.of(*arg);
                    self.flow(*created, *param, set);
                }
            }
            StepOp::End { .. } | StepOp::Finish { .. } => {}
        }
    }

    fn plain(&mut self, op: &Op) {
        let thread = self.thread;
        let result = match *op {
            Op::Load { dst, addr, .. } => self.load(addr, self.bytes(dst)),
            Op::Store { ty, addr, value, .. } => {
                let value = self.of(value);
                return self.store(addr, ty.bytes(self.bounded.program.data_model), value);
            }
            Op::Rmw { dst, op, addr, value, .. } => {
                let bytes = self.bytes(dst);
                let loaded = self.load(addr, bytes);
                self.flow(thread, dst, loaded);
                let stored = match (op, value) {
                    (RmwOp::Exchange, value) => self.of(value),
                    (RmwOp::Add | RmwOp::Sub, Operand::Const { bits, .. }) => {
                        let by = signed(8 * bytes, bits);
                        let by = if op == RmwOp::Add { by } else { by.wrapping_neg() };
                        self.moved(loaded, by)
                    }
                    (_, value) => {
                        let value = self.of(value);
                        self.mixed(loaded, value)
                    }
                };
                return self.store(addr, bytes, stored);
            }
            Op::CmpXchg { old, addr, new, .. } => {
                let bytes = self.bytes(old);
                let loaded = self.load(addr, bytes);
                self.flow(thread, old, loaded);
                let value = self.of(new);
                return self.store(addr, bytes, value);
            }
            Op::MemCopy { dst, src, len, .. } => return self.copy(dst, src, len),
            Op::MemSet { dst, byte, .. } => {
                let byte = self.of(byte);
                let set = self.sets.blur(byte);
                let into = self.of(dst);
                for object in self.sets.get(into).objects.clone() {
                    self.put(object, Offset::Any, 1, set);
                }
                return;
            }
            Op::Compute(Computation::Copy { src, .. }) => self.of(src),
            Op::Compute(Computation::Select { a, b, .. }) => {
                let (a, b) = (self.of(a), self.of(b));
                self.sets.union(a, b)
            }
            Op::Compute(Computation::Field { base, bytes, .. }) => {
                let base = self.of(base);
                self.sets.shift(base, bytes)
            }
            Op::Compute(Computation::Index { base, index: Operand::Const { ty, bits }, stride, .. }) => {
                let base = self.of(base);
                let index = signed(ty.bits(self.bounded.program.data_model), bits);
                let by = index.checked_mul(i128::from(stride)).unwrap_or(i128::MAX);
                self.moved(base, by)
            }
            Op::Compute(Computation::Cast { dst, cast, src }) => {
                let set = self.of(src);
                let narrowest = self.bits(src).min(self.bits(Operand::Reg(dst)));
                if !cast.is_of_float() && narrowest >= 8 * self.pointer_bytes { set } else { self.sets.blur(set) }
            }
            Op::Compute(
                Computation::Binary { op: BinOp::Add, a, b: Operand::Const { ty, bits }, .. }
                | Computation::Binary { op: BinOp::Add, a: Operand::Const { ty, bits }, b: a, .. },
            ) => {
                let a = self.of(a);
                self.moved(a, signed(ty.bits(self.bounded.program.data_model), bits))
            }
            Op::Compute(Computation::Binary { op: BinOp::Sub, a, b: Operand::Const { ty, bits }, .. }) => {
                let a = self.of(a);
                self.moved(a, signed(ty.bits(self.bounded.program.data_model), bits).wrapping_neg())
            }
            Op::Compute(
                Computation::Binary { .. }
                | Computation::Overflowing { .. }
                | Computation::Unary { .. }
                | Computation::FloatBinary { .. }
                | Computation::FloatUnary { .. }
                | Computation::Index { .. },
            )
            | Op::Nondet { .. } => {
                let mut operands = Vec::new();
                op.for_each_use(|operand| operands.push(operand));
                let mut all = SetId::EMPTY;
                for operand in operands {
                    let set = self.of(operand);
                    all = self.sets.union(all, set);
                }
                self.sets.blur(all)
            }
            // A comparison of pointers, or a number that an intrinsic returns for one, is no pointer.
            Op::Compute(Computation::Compare { .. } | Computation::FloatCompare { .. }) | Op::Intrinsic { .. } => {
                return;
            }
            // The first four do not occur in bounded programs.
            Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Call { .. }
            | Op::Fence { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => return,
        };
        if result != SetId::EMPTY {
            op.defs().into_iter().for_each(|reg| self.flow(thread, reg, result));
        }
    }

    fn moved(&mut self, set: SetId, by: i128) -> SetId {
        match i64::try_from(by) {
            Ok(by) => self.sets.shift(set, by),
            Err(_) => self.sets.blur(set),
        }
    }

    fn mixed(&mut self, a: SetId, b: SetId) -> SetId {
        let both = self.sets.union(a, b);
        self.sets.blur(both)
    }
}

fn enqueue(queue: &mut VecDeque<u32>, queued: &mut [bool], step: u32) {
    if !std::mem::replace(&mut queued[step as usize], true) {
        queue.push_back(step);
    }
}
