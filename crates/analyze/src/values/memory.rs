//! The values that loads may find: stores of the own thread, of its creators, of others meanwhile, or initial values.

use super::{Cell, Solver, Store, WIDEST, bit};
use crate::graph::Position;
use crate::places::{Offset, Targets};
use crate::possible::Possible;
use selvedge_bound::{ObjectKind, StepOp};
use selvedge_program::semantics::integers::truncate;
use selvedge_program::{EntityRef, GlobalId, MemoryAccess, Op, Operand};

impl Solver<'_, '_> {
    pub(super) fn store(&mut self, addr: Operand, bytes: Option<u32>, value: Possible) {
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
            // Other threads see the union of this thread's stores; the thread itself, and those that it
            // creates, see each store by itself.
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

    pub(super) fn load(&mut self, addr: Operand, width: u32) -> Possible {
        let targets = self.points_to.of(self.thread, addr);
        let bytes = width.div_ceil(8);
        if targets.places.is_empty() {
            // A violation, or an unknown address.
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

    pub(super) fn load_at(&mut self, object: GlobalId, at: i64, bytes: u32) -> Possible {
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
        // A value that may be anything cannot change any more.
        if !all.is_anything() {
            for (cell, _) in &found {
                self.cells[*cell].readers.insert(here);
            }
        }
        all
    }

    /// The values that this thread, or its creators before they created it, may have stored last; and whether one of
    /// them surely has stored.
    pub(super) fn last_stored(&self, found: &[(usize, bool)]) -> (Possible, bool) {
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

    /// The values that a thread may have stored last before one of its steps, and whether it surely has stored.
    pub(super) fn stored_before(&self, found: &[(usize, bool)], thread: usize, now: Position) -> (Possible, bool) {
        let graph = &self.graphs[thread];
        let block = graph.place(now).0;
        // The earlier stores of each cell; always take the latest of all.
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
            // A store that has not run has no value. If it is on every path to here, then neither has this load run.
            if !store.value.is_nothing() {
                all = all.join(if *same { store.value } else { Possible::ANYTHING });
            }
            let overwrites = *same && store.surely && graph.dominates(graph.place(store.at).0, block);
            if overwrites || all.is_anything() {
                return (all, overwrites);
            }
        }
    }

    /// The values that other threads may store in the meantime.
    pub(super) fn stored_meanwhile(&self, found: &[(usize, bool)]) -> Possible {
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
            // Creators count only with their stores after the creation.
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

    /// Whether another thread's store may come before the step that is being evaluated. `over` are the threads that
    /// have surely finished when it stores.
    pub(super) fn may_precede(&self, thread: usize, over: u128) -> bool {
        let Some(order) = self.order else { return true };
        let now = self.graphs[self.thread].position(self.block, self.step);
        over & bit(self.thread) == 0 && order.may_have_begun(self.thread, now, thread)
    }

    pub(super) fn initial(&self, object: GlobalId, at: i64, bytes: u32) -> Possible {
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

    /// Enters every store in the cells that it may go to.
    pub(super) fn collect_stores(&mut self) {
        let bounded = self.bounded;
        for (number, thread) in bounded.threads.iter().enumerate() {
            for (block, body) in &thread.blocks {
                for (step, body) in body.steps.iter().enumerate() {
                    let StepOp::Plain(op) = &body.op else { continue };
                    let Some((access, bytes)) = self.written(number, op) else { continue };
                    let at = self.graphs[number].position(block.index(), step);
                    let targets = self.points_to.of(number, access.addr);
                    let surely = targets.single().is_some() && bytes.is_some() && !access.conditional;
                    for cell in self.cells_of(targets, bytes) {
                        let store = Store { thread: number, at, surely, value: Possible::NOTHING };
                        self.cells[cell].stores.push(store);
                    }
                }
            }
        }
    }

    /// An operation's write, and the number of bytes if it is known and small.
    pub(super) fn written(&self, thread: usize, op: &Op) -> Option<(MemoryAccess, Option<u32>)> {
        let regs = &self.bounded.threads[thread].regs;
        let access = op.memory().find(|access| access.writes)?;
        Some((access, access.size.ty(regs).map(|ty| ty.bytes(self.bounded.program.data_model))))
    }

    /// The cells of a store, made where they are missing.
    pub(super) fn cells_of(&mut self, targets: &Targets, bytes: Option<u32>) -> Vec<usize> {
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
}
