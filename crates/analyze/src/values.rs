//! The integers that values may be, and the steps that can run at all.
//!
//! Conditional constant propagation (Wegman and Zadeck, TOPLAS 1991), with small sets instead of single
//! constants: a step counts only once some path to it is open, and a path is open only once its condition
//! may hold. A register has one set for all its assignments.
//!
//! Memory is tracked sparsely. A load sees the last stores of its own thread: going back
//! from the load, all stores up to the first that is on every path to it and surely writes just these bytes.
//! If there is none, the search goes on in the creator, from where it created the thread; and ends
//! with the initial value. A load also sees the stores of all other threads, except for those that
//! surely come too late or too early ([`Order`]).

mod memory;

use crate::graph::{Graph, Position};
use crate::order::Order;
use crate::points_to::PointsTo;
use crate::possible::Possible;
use crate::unassigned;
use selvedge_bound::{Bounded, StepOp, Terminator, Thread};
use selvedge_program::{Computation, EntityRef, Intrinsic, Op, Operand, Properties, Reg, RmwOp, Ty};
use std::collections::{BTreeMap, BTreeSet};

pub struct Values {
    registers: Vec<Vec<Possible>>,
    /// For each thread and block the number of its positions that can run, the terminator being the last.
    live: Vec<Vec<u32>>,
}

impl Values {
    /// Nothing after a violation of a property in `checked` matters.
    pub(crate) fn new(
        bounded: &Bounded<'_>,
        graphs: &[Graph],
        points_to: &PointsTo,
        checked: Properties,
        order: Option<&Order>,
    ) -> Values {
        Solver::new(bounded, graphs, points_to, checked, order).solve()
    }

    /// No knowledge: every value may be anything.
    pub(crate) fn unknown(bounded: &Bounded<'_>) -> Values {
        let registers = bounded.threads.iter().map(|thread| vec![Possible::ANYTHING; thread.regs.len()]);
        let live = bounded.threads.iter().map(|thread| vec![u32::MAX; thread.blocks.len()]);
        Values { registers: registers.collect(), live: live.collect() }
    }

    pub fn of(&self, thread: usize, operand: Operand) -> Possible {
        match operand {
            Operand::Reg(reg) => self.registers[thread][reg.index()],
            Operand::Const { bits, .. } => Possible::exactly(bits),
            Operand::Global { .. } | Operand::Func(_) => Possible::ANYTHING,
        }
    }

    /// Whether this step, or terminator, can ever run.
    pub fn is_live(&self, thread: usize, block: usize, step: usize) -> bool {
        (step as u32) < self.live[thread][block]
    }

    /// Blocks that the end of this one may lead to.
    pub(crate) fn successors(&self, thread: usize, block: &selvedge_bound::Block) -> Vec<usize> {
        open_ways(block, |operand| self.of(thread, operand))
    }
}

/// Successors whose condition may hold.
fn open_ways(block: &selvedge_bound::Block, of: impl Fn(Operand) -> Possible) -> Vec<usize> {
    match &block.term {
        Terminator::Branch { cond, then, otherwise } => {
            let cond = of(*cond);
            let yes = cond.may_hold().then_some(then.index());
            yes.into_iter().chain(cond.may_fail().then_some(otherwise.index())).collect()
        }
        Terminator::Switch { value, cases, default } => {
            let value = of(*value);
            let mut ways: Vec<usize> =
                cases.iter().filter(|(case, _)| value.may_be(*case)).map(|(_, to)| to.index()).collect();
            let other = |value: &u64| cases.iter().all(|(case, _)| *case != u128::from(*value));
            if value.values().is_none_or(|values| values.iter().any(other)) {
                ways.push(default.index());
            }
            ways
        }
        Terminator::Jump(_) | Terminator::Cut(_) | Terminator::Stop => {
            block.term.successors().into_iter().map(|to| to.index()).collect()
        }
    }
}

/// A store that may go to a cell.
#[derive(Clone, Copy)]
struct Store {
    thread: usize,
    at: Position,
    /// Whether it surely goes to this cell.
    surely: bool,
    /// The stored value; nothing as long as the store does not run.
    value: Possible,
}

/// Bytes that some store may write as a whole.
#[derive(Default)]
struct Cell {
    /// Sorted by thread, then in the order of the code.
    stores: Vec<Store>,
    /// For each thread, and each set of threads that have ended when it stores, all values that it may store.
    summary: Vec<(usize, u128, Possible)>,
    /// Blocks to evaluate again when this changes.
    readers: BTreeSet<(u32, u32)>,
}

/// The stores to an object. A width of `None` stands for any bytes from there on.
#[derive(Default)]
struct Cells {
    exact: BTreeMap<(i64, u32), usize>,
    /// Stores at unknown places, or of unknown or large length.
    wild: Option<usize>,
}

struct Solver<'a, 'p> {
    bounded: &'a Bounded<'p>,
    graphs: &'a [Graph],
    points_to: &'a PointsTo,
    order: Option<&'a Order>,
    checked: Properties,
    registers: Vec<Vec<Possible>>,
    live: Vec<Vec<u32>>,
    open: Vec<Vec<bool>>,
    /// For each thread and register the blocks that use it.
    users: Vec<Vec<Vec<u32>>>,
    /// For each thread its creator, the creator's creator, …, and where each created the one before.
    creators: Vec<Vec<(usize, Position)>>,
    objects: Vec<Cells>,
    cells: Vec<Cell>,
    queue: BTreeSet<(u32, u32)>,
    // The step that is being evaluated.
    thread: usize,
    block: usize,
    step: usize,
}

const WIDEST: i64 = 16;

impl<'a, 'p> Solver<'a, 'p> {
    fn new(
        bounded: &'a Bounded<'p>,
        graphs: &'a [Graph],
        points_to: &'a PointsTo,
        checked: Properties,
        order: Option<&'a Order>,
    ) -> Solver<'a, 'p> {
        let per_block = |thread: &Thread| vec![0; thread.blocks.len()];
        let mut solver = Solver {
            bounded,
            graphs,
            points_to,
            order,
            checked,
            registers: bounded.threads.iter().map(|t| vec![Possible::NOTHING; t.regs.len()]).collect(),
            live: bounded.threads.iter().map(per_block).collect(),
            open: bounded.threads.iter().map(|t| vec![false; t.blocks.len()]).collect(),
            users: bounded.threads.iter().map(users).collect(),
            creators: creators(bounded, graphs),
            objects: bounded.objects.values().map(|_| Cells::default()).collect(),
            cells: Vec::new(),
            queue: BTreeSet::new(),
            thread: 0,
            block: 0,
            step: 0,
        };
        solver.collect_stores();
        for (number, thread) in bounded.threads.iter().enumerate() {
            for reg in unassigned::registers(thread, &graphs[number]) {
                solver.registers[number][reg.index()] = Possible::ANYTHING;
            }
        }
        solver
    }

    fn solve(mut self) -> Values {
        if !self.bounded.threads.is_empty() {
            self.reach(0, 0);
        }
        while let Some((thread, block)) = self.queue.pop_first() {
            self.thread = thread as usize;
            self.block = block as usize;
            self.evaluate_block();
        }
        Values { registers: self.registers, live: self.live }
    }

    fn reach(&mut self, thread: usize, block: usize) {
        if !self.open[thread].is_empty() && !std::mem::replace(&mut self.open[thread][block], true) {
            self.queue.insert((thread as u32, block as u32));
        }
    }

    fn evaluate_block(&mut self) {
        let thread = self.thread;
        let body = &self.bounded.threads[thread].blocks[selvedge_bound::BlockId::new(self.block)];
        for (step, body) in body.steps.iter().enumerate() {
            self.step = step;
            self.live[thread][self.block] = self.live[thread][self.block].max(step as u32 + 1);
            if !self.evaluate(&body.op) {
                return;
            }
        }
        self.live[thread][self.block] = body.steps.len() as u32 + 1;
        for to in open_ways(body, |operand| self.of(operand)) {
            self.reach(thread, to);
        }
    }

    fn of(&self, operand: Operand) -> Possible {
        match operand {
            Operand::Reg(reg) => self.registers[self.thread][reg.index()],
            Operand::Const { bits, .. } => Possible::exactly(bits),
            Operand::Global { .. } | Operand::Func(_) => Possible::ANYTHING,
        }
    }

    fn width(&self, operand: Operand) -> u32 {
        let ty = match operand {
            Operand::Reg(reg) => self.bounded.threads[self.thread].regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        };
        ty.bits(self.bounded.program.data_model)
    }

    fn flow(&mut self, thread: usize, reg: Reg, value: Possible) {
        let before = self.registers[thread][reg.index()];
        let after = before.join(value);
        if after != before {
            self.registers[thread][reg.index()] = after;
            for block in &self.users[thread][reg.index()] {
                if self.open[thread][*block as usize] {
                    self.queue.insert((thread as u32, *block));
                }
            }
        }
    }

    /// Evaluates a step. False if nothing after it can run.
    fn evaluate(&mut self, op: &StepOp) -> bool {
        let thread = self.thread;
        match op {
            StepOp::Plain(op) => return self.plain(op),
            StepOp::Create { dst, .. } => self.flow(thread, *dst, Possible::ANYTHING),
            StepOp::Spawn { dst, thread: created, args } => {
                if let Some(dst) = dst {
                    self.flow(thread, *dst, Possible::exactly(*created as u128));
                }
                let params = &self.bounded.threads[*created].params;
                for (param, arg) in params.iter().zip(args) {
                    self.flow(*created, *param, self.of(*arg));
                }
                self.reach(*created, 0);
            }
            StepOp::End { .. } | StepOp::Finish { .. } => {}
        }
        true
    }

    fn plain(&mut self, op: &Op) -> bool {
        match op {
            Op::Intrinsic { which: Intrinsic::BlockUntil | Intrinsic::Assume, args, .. } => {
                return self.of(args[0]).may_hold();
            }
            Op::Violation { property, .. } => return !self.checked.contains(*property),
            Op::Unsupported { .. } => return false,
            Op::Store { ty, addr, value, .. } => {
                self.store(*addr, Some(ty.bytes(self.bounded.program.data_model)), self.of(*value));
            }
            Op::Rmw { dst, op, addr, value, .. } => {
                let width = self.width(Operand::Reg(*dst));
                let old = self.load(*addr, width);
                self.flow(self.thread, *dst, old);
                let new = if *op == RmwOp::Exchange { self.of(*value) } else { Possible::ANYTHING };
                self.store(*addr, Some(width.div_ceil(8)), new);
            }
            Op::CmpXchg { old, success, addr, new, .. } => {
                let width = self.width(Operand::Reg(*old));
                let found = self.load(*addr, width);
                self.flow(self.thread, *old, found);
                self.flow(self.thread, *success, Possible::ANYTHING);
                self.store(*addr, Some(width.div_ceil(8)), self.of(*new));
            }
            Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } => self.store(*dst, None, Possible::ANYTHING),
            Op::Load { dst, addr, .. } => {
                let value = self.load(*addr, self.width(Operand::Reg(*dst)));
                self.flow(self.thread, *dst, value);
            }
            Op::Compute(computation) => self.compute(computation),
            Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Intrinsic { .. } => {
                op.defs().into_iter().for_each(|reg| self.flow(self.thread, reg, Possible::ANYTHING));
            }
        }
        true
    }

    fn compute(&mut self, computation: &Computation) {
        match computation {
            Computation::Copy { dst, src } => self.flow(self.thread, *dst, self.of(*src)),
            Computation::Binary { dst, op, a, b, .. } => {
                let value = Possible::binary(*op, self.width(*a), self.of(*a), self.of(*b));
                self.flow(self.thread, *dst, value);
            }
            Computation::Overflowing { dst, overflow, op, a, b, .. } => {
                let value = Possible::binary(*op, self.width(*a), self.of(*a), self.of(*b));
                self.flow(self.thread, *dst, value);
                self.flow(self.thread, *overflow, Possible::ANYTHING);
            }
            Computation::Unary { dst, op, a } => {
                self.flow(self.thread, *dst, Possible::unary(*op, self.width(*a), self.of(*a)));
            }
            Computation::Compare { dst, op, a, b } => {
                let value = Possible::compare(*op, self.width(*a), self.of(*a), self.of(*b));
                self.flow(self.thread, *dst, value);
            }
            Computation::Cast { dst, cast, src } => {
                let value = Possible::cast(*cast, self.width(*src), self.width(Operand::Reg(*dst)), self.of(*src));
                self.flow(self.thread, *dst, value);
            }
            Computation::Select { dst, cond, a, b } => {
                let cond = self.of(*cond);
                let yes = if cond.may_hold() { self.of(*a) } else { Possible::NOTHING };
                let no = if cond.may_fail() { self.of(*b) } else { Possible::NOTHING };
                self.flow(self.thread, *dst, yes.join(no));
            }
            Computation::FloatBinary { dst, .. }
            | Computation::FloatUnary { dst, .. }
            | Computation::FloatCompare { dst, .. }
            | Computation::Field { dst, .. }
            | Computation::Index { dst, .. } => self.flow(self.thread, *dst, Possible::ANYTHING),
        }
    }
}

/// The set of one thread. Threads beyond the last bit are in no set: nothing is known about them.
pub(crate) fn bit(thread: usize) -> u128 {
    1u128.checked_shl(thread as u32).unwrap_or(0)
}

fn creators(bounded: &Bounded<'_>, graphs: &[Graph]) -> Vec<Vec<(usize, Position)>> {
    let mut created_by = vec![None; bounded.threads.len()];
    for (number, thread) in bounded.threads.iter().enumerate() {
        for (block, body) in &thread.blocks {
            for (step, body) in body.steps.iter().enumerate() {
                if let StepOp::Spawn { thread: created, .. } = body.op {
                    created_by[created] = Some((number, graphs[number].position(block.index(), step)));
                }
            }
        }
    }
    let chain = |thread: usize| std::iter::successors(created_by[thread], |(creator, _)| created_by[*creator]);
    (0..bounded.threads.len()).map(|thread| chain(thread).take(bounded.threads.len()).collect()).collect()
}

fn users(thread: &Thread) -> Vec<Vec<u32>> {
    let mut users = vec![Vec::new(); thread.regs.len()];
    for (id, block) in &thread.blocks {
        let block_number = id.index() as u32;
        let mut note = |operand: Operand| {
            if let Operand::Reg(reg) = operand {
                let list: &mut Vec<u32> = &mut users[reg.index()];
                if list.last() != Some(&block_number) {
                    list.push(block_number);
                }
            }
        };
        for step in &block.steps {
            step.op.for_each_use(&mut note);
        }
        block.term.decision().into_iter().for_each(note);
    }
    users
}
