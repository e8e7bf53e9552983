//! Which integers values may be, and which steps can run at all.
//!
//! Conditional constant propagation (Wegman and Zadeck, TOPLAS 1991), with small sets instead of single
//! constants: a step counts only once some way to it is open, and a way is open only once its condition
//! may hold. Registers are taken together over all their assignments.
//!
//! Memory is followed sparsely. A load sees what its own thread may have stored last: going back
//! from the load, all stores up to the first that is on every way to it and surely writes just these bytes.
//! If there is none, going back leads on into the creator, from where it created the thread; and in
//! the end to the initial value. A load also sees what any other thread stores there, but for stores that
//! surely come too late or too early ([`Order`]).

use crate::graph::{Graph, Position};
use crate::order::Order;
use crate::places::{Offset, Targets};
use crate::points_to::PointsTo;
use crate::possible::Possible;
use crate::unassigned;
use selvedge_bound::{Bounded, ObjectKind, StepOp, Terminator, Thread};
use selvedge_program::integers::truncate;
use selvedge_program::{EntityRef, GlobalId, Intrinsic, Op, Operand, Properties, Reg, RmwOp, Ty};
use std::collections::{BTreeMap, BTreeSet};

pub struct Values {
    registers: Vec<Vec<Possible>>,
    /// By thread and block: how many of its positions can run, the terminator being the last.
    live: Vec<Vec<u32>>,
}

impl Values {
    /// `checked`: nothing behind a violation of these matters.
    pub(crate) fn new(
        bounded: &Bounded<'_>,
        graphs: &[Graph],
        points_to: &PointsTo,
        checked: Properties,
        order: Option<&Order>,
    ) -> Values {
        Solver::new(bounded, graphs, points_to, checked, order).solve()
    }

    /// Anything, everywhere.
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

    /// Can this step, or terminator, ever run?
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
        _ => block.term.successors().into_iter().map(|to| to.index()).collect(),
    }
}

/// A store that may go to a cell.
#[derive(Clone, Copy)]
struct Store {
    thread: usize,
    at: Position,
    /// It goes nowhere else.
    surely: bool,
    /// What it stores; nothing as long as it does not run.
    value: Possible,
}

/// Bytes that some store may write, just these.
#[derive(Default)]
struct Cell {
    /// By thread, then in the order of the code.
    stores: Vec<Store>,
    /// Per thread, and per set of threads that are over when it stores: all it may store.
    summary: Vec<(usize, u128, Possible)>,
    /// Blocks to look at again when this changes.
    readers: BTreeSet<(u32, u32)>,
}

/// What is stored in an object. A width of `None`: it may be any bytes from there on.
#[derive(Default)]
struct Cells {
    exact: BTreeMap<(i64, u32), usize>,
    /// Stores at unknown places, or of unknown or great length.
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
    /// By thread and register: the blocks that use it.
    users: Vec<Vec<Vec<u32>>>,
    /// By thread: its creator, the creator's creator, …, and where each created the one before.
    creators: Vec<Vec<(usize, Position)>>,
    objects: Vec<Cells>,
    cells: Vec<Cell>,
    queue: BTreeSet<(u32, u32)>,
    // Of the step that is being evaluated.
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

    /// Every store gets its place in the cells that it may go to.
    fn collect_stores(&mut self) {
        let bounded = self.bounded;
        for (number, thread) in bounded.threads.iter().enumerate() {
            for (block, body) in &thread.blocks {
                for (step, body) in body.steps.iter().enumerate() {
                    let StepOp::Plain(op) = &body.op else { continue };
                    let Some((addr, bytes)) = self.written(number, op) else { continue };
                    let at = self.graphs[number].position(block.index(), step);
                    let targets = self.points_to.of(number, addr);
                    let surely = targets.single().is_some() && bytes.is_some() && !matches!(op, Op::CmpXchg { .. });
                    for cell in self.cells_of(targets, bytes) {
                        let store = Store { thread: number, at, surely, value: Possible::NOTHING };
                        self.cells[cell].stores.push(store);
                    }
                }
            }
        }
    }

    /// Where an operation writes, and how many bytes if they are known and few.
    fn written(&self, thread: usize, op: &Op) -> Option<(Operand, Option<u32>)> {
        let model = self.bounded.program.data_model;
        let bytes = |reg: Reg| Some(self.bounded.threads[thread].regs[reg].ty.bytes(model));
        match op {
            Op::Store { ty, addr, .. } => Some((*addr, Some(ty.bytes(model)))),
            Op::Rmw { dst, addr, .. } => Some((*addr, bytes(*dst))),
            Op::CmpXchg { old, addr, .. } => Some((*addr, bytes(*old))),
            Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } => Some((*dst, None)),
            _ => None,
        }
    }

    /// The cells of a store, made where they are missing.
    fn cells_of(&mut self, targets: &Targets, bytes: Option<u32>) -> Vec<usize> {
        let mut all = Vec::new();
        for place in &targets.places {
            let next = self.cells.len();
            let cells = &mut self.objects[place.object.index()];
            let cell = match (place.offset, bytes) {
                (Offset::At(at), Some(bytes)) => *cells.exact.entry((at, bytes)).or_insert(next),
                _ => *cells.wild.get_or_insert(next),
            };
            if cell == next {
                self.cells.push(Cell::default());
            }
            if all.last() != Some(&cell) {
                all.push(cell);
            }
        }
        all
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

    /// False: nothing behind it can run.
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
            op => {
                let value = self.computed(op);
                let defs = op.defs();
                for (number, reg) in defs.into_iter().enumerate() {
                    // Only the first result is computed.
                    self.flow(self.thread, reg, if number == 0 { value } else { Possible::ANYTHING });
                }
            }
        }
        true
    }

    fn computed(&self, op: &Op) -> Possible {
        match *op {
            Op::Copy { src, .. } => self.of(src),
            Op::Binary { op, a, b, .. } | Op::Overflowing { op, a, b, .. } => {
                Possible::binary(op, self.width(a), self.of(a), self.of(b))
            }
            Op::Unary { op, a, .. } => Possible::unary(op, self.width(a), self.of(a)),
            Op::Compare { op, a, b, .. } => Possible::compare(op, self.width(a), self.of(a), self.of(b)),
            Op::Cast { dst, cast, src } => {
                Possible::cast(cast, self.width(src), self.width(Operand::Reg(dst)), self.of(src))
            }
            Op::Select { cond, a, b, .. } => {
                let cond = self.of(cond);
                let yes = if cond.may_hold() { self.of(a) } else { Possible::NOTHING };
                let no = if cond.may_fail() { self.of(b) } else { Possible::NOTHING };
                yes.join(no)
            }
            _ => Possible::ANYTHING,
        }
    }

    // Memory.

    fn store(&mut self, addr: Operand, bytes: Option<u32>, value: Possible) {
        let at = self.graphs[self.thread].position(self.block, self.step);
        let over = self.order.map_or(0, |order| order.over(self.thread, at));
        let targets = self.points_to.of(self.thread, addr);
        for cell in self.cells_of(targets, bytes) {
            let cell = &mut self.cells[cell];
            let key = (self.thread, at);
            let first = cell.stores.partition_point(|store| (store.thread, store.at) < key);
            let Some(store) = cell.stores.get_mut(first) else { continue };
            let after = store.value.join(value);
            if after == store.value {
                continue;
            }
            store.value = after;
            let known = cell.summary.iter_mut().find(|(thread, others, _)| (*thread, *others) == (self.thread, over));
            let new = match known {
                Some((_, _, summary)) => {
                    let before = std::mem::replace(summary, summary.join(value));
                    *summary != before
                }
                None => {
                    cell.summary.push((self.thread, over, value));
                    true
                }
            };
            // Others see the sum of what this thread stores; the thread itself, and those that it
            // creates, each store by itself.
            let here = (self.thread as u32, self.block as u32);
            let creators = &self.creators;
            let created =
                |reader: u32| creators[reader as usize].iter().any(|(creator, _)| *creator == here.0 as usize);
            let concerns = |reader: &&(u32, u32)| {
                if reader.0 == here.0 { **reader >= here } else { new || created(reader.0) }
            };
            self.queue.extend(cell.readers.iter().filter(concerns));
        }
    }

    fn load(&mut self, addr: Operand, width: u32) -> Possible {
        let targets = self.points_to.of(self.thread, addr);
        let bytes = width.div_ceil(8);
        if targets.places.is_empty() {
            // A violation, or an address that we know nothing of.
            return Possible::ANYTHING;
        }
        let mut all = Possible::NOTHING;
        for place in &targets.places {
            all = all.join(match place.offset {
                Offset::At(at) => self.load_at(place.object, at, bytes),
                Offset::Any => Possible::ANYTHING,
            });
        }
        all.map(|value| Some(truncate(width, value)))
    }

    fn load_at(&mut self, object: GlobalId, at: i64, bytes: u32) -> Possible {
        let here = (self.thread as u32, self.block as u32);
        let cells = &self.objects[object.index()];
        let near = cells.exact.range((at - WIDEST, 0)..(at + i64::from(bytes), 0));
        let overlapping = near.filter(|((start, width), _)| start + i64::from(*width) > at);
        let mut found: Vec<(usize, bool)> = overlapping.map(|(key, cell)| (*cell, *key == (at, bytes))).collect();
        found.extend(cells.wild.map(|cell| (cell, false)));
        let (mut all, overwritten) = self.last_stored(&found);
        if !overwritten {
            all = all.join(self.initial(object, at, bytes));
        }
        if !all.is_anything() {
            all = all.join(self.stored_meanwhile(&found));
        }
        // What may be anything will not change any more.
        if !all.is_anything() {
            for (cell, _) in &found {
                self.cells[*cell].readers.insert(here);
            }
        }
        all
    }

    /// What this thread, or its creators before they created it, may have stored last; and whether one of
    /// them surely has.
    fn last_stored(&self, found: &[(usize, bool)]) -> (Possible, bool) {
        let now = self.graphs[self.thread].position(self.block, self.step);
        let mut all = Possible::NOTHING;
        for (thread, before) in [(self.thread, now)].iter().chain(&self.creators[self.thread]) {
            let (stored, overwritten) = self.stored_before(found, *thread, *before);
            all = all.join(stored);
            if overwritten || all.is_anything() {
                return (all, overwritten);
            }
        }
        (all, false)
    }

    /// What a thread may have stored last before one of its steps, and whether it surely has.
    fn stored_before(&self, found: &[(usize, bool)], thread: usize, now: Position) -> (Possible, bool) {
        let graph = &self.graphs[thread];
        let block = graph.place(now).0;
        // In each cell, the stores before now; always take the latest of all.
        let mut cursors: Vec<(&[Store], bool)> = Vec::new();
        for (cell, same) in found {
            let stores = &self.cells[*cell].stores;
            let from = stores.partition_point(|store| store.thread < thread);
            let to = stores.partition_point(|store| (store.thread, store.at) < (thread, now));
            cursors.push((&stores[from..to], *same));
        }
        let mut all = Possible::NOTHING;
        loop {
            let latest = cursors.iter_mut().filter(|(stores, _)| !stores.is_empty());
            let Some((stores, same)) = latest.max_by_key(|(stores, _)| stores.last().map(|store| store.at)) else {
                return (all, false);
            };
            let Some((store, before)) = stores.split_last() else { return (all, false) };
            *stores = before;
            // A store that has not run has no value. Should it be on every way to here, then neither have we.
            if !store.value.is_nothing() {
                all = all.join(if *same { store.value } else { Possible::ANYTHING });
            }
            let overwrites = *same && store.surely && graph.dominates(graph.place(store.at).0, block);
            if overwrites || all.is_anything() {
                return (all, overwrites);
            }
        }
    }

    /// What other threads may store in the meantime.
    fn stored_meanwhile(&self, found: &[(usize, bool)]) -> Possible {
        let creators = &self.creators[self.thread];
        let mut all = Possible::NOTHING;
        for (cell, same) in found {
            let seen = |value: Possible| if *same || value.is_nothing() { value } else { Possible::ANYTHING };
            let cell = &self.cells[*cell];
            for (thread, over, value) in &cell.summary {
                let creator = creators.iter().any(|(creator, _)| creator == thread);
                if *thread != self.thread && !creator && self.may_precede(*thread, *over) {
                    all = all.join(seen(*value));
                }
            }
            // Of creators, only what they store after the creation.
            for (creator, created) in creators {
                let from = cell.stores.partition_point(|store| (store.thread, store.at) <= (*creator, *created));
                for store in cell.stores[from..].iter().take_while(|store| store.thread == *creator) {
                    if all.is_anything() {
                        return all;
                    }
                    let over = self.order.map_or(0, |order| order.over(*creator, store.at));
                    if self.may_precede(*creator, over) {
                        all = all.join(seen(store.value));
                    }
                }
            }
        }
        all
    }

    /// May another thread's store come before the step that is being evaluated? `over`: who has surely
    /// finished when it stores.
    fn may_precede(&self, thread: usize, over: u128) -> bool {
        let Some(order) = self.order else { return true };
        let now = self.graphs[self.thread].position(self.block, self.step);
        over & bit(self.thread) == 0 && order.may_have_begun(self.thread, now, thread)
    }

    fn initial(&self, object: GlobalId, at: i64, bytes: u32) -> Possible {
        let source = match self.bounded.objects[object].kind {
            ObjectKind::Global => object,
            ObjectKind::ThreadLocal { of, .. } => of,
            ObjectKind::Stack | ObjectKind::Heap => return Possible::ANYTHING,
        };
        let global = &self.bounded.program.globals[source];
        let Ok(from) = u64::try_from(at) else { return Possible::ANYTHING };
        let to = from + u64::from(bytes);
        if global.relocations.iter().any(|r| r.at < to && from < r.at + u64::from(r.bytes)) {
            return Possible::ANYTHING;
        }
        let byte = |at: u64| usize::try_from(at).ok().and_then(|at| global.init.get(at)).copied().unwrap_or(0);
        Possible::exactly((from..to).rev().fold(0, |bits, at| bits << 8 | u128::from(byte(at))))
    }
}

/// A set of one thread. Threads beyond the last bit are in no set: nothing is known of them.
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
            match &step.op {
                StepOp::Plain(op) => op.for_each_use(&mut note),
                StepOp::Spawn { args, .. } => args.iter().for_each(|arg| note(*arg)),
                _ => {}
            }
        }
        match &block.term {
            Terminator::Branch { cond, .. } => note(*cond),
            Terminator::Switch { value, .. } => note(*value),
            _ => {}
        }
    }
    users
}
