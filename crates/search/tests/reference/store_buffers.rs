//! Store buffers of the simple interpreter: one list a thread, in which all stores wait for their arrival.

use super::{Interpreter, Item, State};
use selvedge_generate::{Order, Place, Stmt};
use selvedge_program::MemoryModel;

/// A variable of its own. None of them overlap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cell {
    X,
    Y,
    C,
    Element(usize),
    Own,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Store {
    cell: Cell,
    value: i32,
    release: bool,
    /// The number of fences before it, since the buffer was last empty.
    epoch: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Buffer {
    stores: Vec<Store>,
    epoch: u32,
}

impl Buffer {
    pub fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    pub fn newest(&self, cell: Cell) -> Option<i32> {
        self.stores.iter().rfind(|store| store.cell == cell).map(|store| store.value)
    }

    pub fn separate(&mut self) {
        self.epoch += u32::from(!self.stores.is_empty());
    }

    fn can_arrive(&self, model: MemoryModel, number: usize) -> bool {
        let store = &self.stores[number];
        let waits_for = |earlier: &Store| match model {
            MemoryModel::Sc | MemoryModel::Tso => true,
            MemoryModel::Pso => earlier.cell == store.cell || store.release || earlier.epoch < store.epoch,
        };
        !self.stores[..number].iter().any(waits_for)
    }
}

impl State {
    pub fn cell(&self, thread: usize, place: Place) -> Option<Cell> {
        Some(match place {
            Place::X => Cell::X,
            Place::Y => Cell::Y,
            Place::C => Cell::C,
            Place::Element(index) => Cell::Element(self.index(thread, index)?),
            Place::Own => Cell::Own,
            Place::Heap(_) | Place::Through | Place::Boxed => unreachable!("scalar programs only"),
        })
    }

    fn arrive(&mut self, thread: usize, number: usize) {
        let Store { cell, value, .. } = self.threads[thread].buffer.stores.remove(number);
        match cell {
            Cell::X => self.x = value,
            Cell::Y => self.y = value,
            Cell::C => self.c = value as i8,
            Cell::Element(index) => self.array[index] = value as i8,
            Cell::Own => self.threads[thread].own = value,
        }
        let buffer = &mut self.threads[thread].buffer;
        if buffer.is_empty() {
            buffer.epoch = 0;
        }
    }
}

/// Where the arrival of one store leads.
pub fn arrivals(state: &State, model: MemoryModel) -> Vec<State> {
    let mut next = Vec::new();
    for (thread, of) in state.threads.iter().enumerate() {
        for number in (0..of.buffer.stores.len()).filter(|number| of.buffer.can_arrive(model, *number)) {
            let mut state = state.clone();
            state.arrive(thread, number);
            next.push(state);
        }
    }
    next
}

pub fn drain(state: &mut State, thread: usize) {
    while !state.threads[thread].buffer.is_empty() {
        state.arrive(thread, 0);
    }
}

pub fn drains(item: &Item) -> bool {
    match item {
        Item::Unlock(_) | Item::Spawn(_) | Item::Join(_) | Item::ProcessExit | Item::ThreadExit => true,
        Item::Stmt(stmt) => matches!(
            stmt,
            Stmt::Rmw(..)
                | Stmt::CmpXchg(..)
                | Stmt::Wait(..)
                | Stmt::Locked(..)
                | Stmt::Atomic(_)
                | Stmt::Fence(Order::SeqCst)
                | Stmt::Exit
        ),
    }
}

impl Interpreter<'_> {
    /// `None`: out of bounds.
    pub fn store(
        &self,
        state: &mut State,
        thread: usize,
        place: Place,
        value: i32,
        order: Option<Order>,
        atomic: bool,
    ) -> Option<()> {
        let cell = state.cell(thread, place)?;
        if order == Some(Order::SeqCst) {
            drain(state, thread);
        }
        if self.model == MemoryModel::Sc || atomic || order == Some(Order::SeqCst) {
            return state.write(thread, place, value);
        }
        let value = if matches!(cell, Cell::C | Cell::Element(_)) { i32::from(value as i8) } else { value };
        let buffer = &mut state.threads[thread].buffer;
        buffer.stores.push(Store { cell, value, release: order == Some(Order::Release), epoch: buffer.epoch });
        Some(())
    }
}
