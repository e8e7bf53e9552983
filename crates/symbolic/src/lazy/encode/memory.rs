//! Symbolic memory: every object is a set of cells, each as wide as the accesses to it.
//!
//! There is one current version of each cell. Rounds and threads are encoded in the order in which a
//! round-robin schedule runs them, so a write under guard g simply makes the cell `ite(g, new, old)`:
//! the chain of versions is the term itself. An access that does not match the cells it meets
//! (unions, copies, type punning) takes them apart into bytes.

use super::address::Addresses;
use super::pointers::Pointers;
use selvedge_analyze::{Facts, Touched};
use selvedge_bound::{Bounded, ObjectKind};
use selvedge_formula::{Term, Terms};
use selvedge_program::{EntityRef, GlobalId, Program};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub bytes: u32,
    pub value: Term,
}

pub type Uninitialised = selvedge_engine::counterexample::Uninitialised<Term>;

/// An object as it is now.
#[derive(Clone, Debug)]
pub struct Contents {
    /// By offset.
    cells: BTreeMap<u32, Cell>,
    pub alive: Term,
    /// In bytes, as wide as an offset.
    pub size: Term,
}

/// All objects at some time: copies share whatever does not change.
pub type Objects = Vec<Rc<Contents>>;

pub struct Memory<'b> {
    bounded: &'b Bounded<'b>,
    pub pointers: Pointers,
    pub addresses: Addresses<'b>,
    objects: Objects,
    /// By object: the thread that is the only one to touch it ever. Its walks fill the object anew, so there is no need
    /// for versions.
    owner: Vec<Option<usize>>,
    /// In the order in which they were looked at first. No two overlap.
    uninitialised: Rc<Vec<Uninitialised>>,
    /// By object and offset: where it stands among them.
    uninitialised_at: BTreeMap<(GlobalId, u32), usize>,
}

impl<'b> Memory<'b> {
    /// `None`: an object is too large for our pointers.
    pub fn new(terms: &mut Terms, facts: &'b Facts<'b>) -> Option<Memory<'b>> {
        let bounded = facts.bounded;
        let owner = |object: GlobalId| match facts.interference.touched_by(object) {
            Touched::Only(thread) => Some(thread),
            Touched::Nobody | Touched::Several => None,
        };
        let mut memory = Memory {
            bounded,
            pointers: Pointers::new(bounded)?,
            addresses: Addresses::new(&facts.points_to),
            objects: Vec::new(),
            owner: bounded.objects.keys().map(owner).collect(),
            uninitialised: Rc::default(),
            uninitialised_at: BTreeMap::new(),
        };
        for object in bounded.objects.keys() {
            let fresh = memory.fresh(terms, object);
            memory.objects.push(Rc::new(fresh));
        }
        Some(memory)
    }

    /// Is there only one thread that ever touches it?
    pub fn is_own(&self, object: GlobalId) -> bool {
        self.owner[object.index()].is_some()
    }

    /// The thread's copies of thread-locals.
    pub fn thread_locals(&self, number: usize) -> impl Iterator<Item = GlobalId> {
        let objects = self.bounded.objects.iter();
        let own = objects.filter(
            move |(_, object)| matches!(object.kind, ObjectKind::ThreadLocal { thread, .. } if thread == number),
        );
        own.map(|(object, _)| object)
    }

    fn fresh(&self, terms: &mut Terms, object: GlobalId) -> Contents {
        let description = &self.bounded.objects[object];
        let alive = match description.kind {
            ObjectKind::Global | ObjectKind::ThreadLocal { .. } => Terms::TRUE,
            ObjectKind::Stack | ObjectKind::Heap => Terms::FALSE,
        };
        let size = terms.constant(self.pointers.offset_bits, u128::from(description.size));
        Contents { cells: BTreeMap::new(), alive, size }
    }

    /// The thread's own objects are again what they were before the program began.
    pub fn reset_own(&mut self, terms: &mut Terms, thread: usize) {
        for object in self.bounded.objects.keys() {
            if self.owner[object.index()] == Some(thread) {
                self.objects[object.index()] = Rc::new(self.fresh(terms, object));
            }
        }
    }

    pub fn object(&self, object: GlobalId) -> &Contents {
        &self.objects[object.index()]
    }

    pub fn object_mut(&mut self, object: GlobalId) -> &mut Contents {
        Rc::make_mut(&mut self.objects[object.index()])
    }

    /// Terms other than the first so many are forgotten.
    pub fn forget(&mut self, kept: usize) {
        self.addresses.forget(kept);
        // Later ones have later variables.
        let left = self.uninitialised.partition_point(|bytes| bytes.value.index() < kept);
        if left < self.uninitialised.len() {
            Rc::make_mut(&mut self.uninitialised).truncate(left);
            self.uninitialised_at.retain(|_, index| *index < left);
        }
    }

    pub fn uninitialised(&self) -> &[Uninitialised] {
        &self.uninitialised
    }

    pub fn shared_uninitialised(&self) -> Rc<Vec<Uninitialised>> {
        self.uninitialised.clone()
    }

    /// To go back to. Not what uninitialised bytes hold: that is the same in all runs.
    pub fn objects(&self) -> Objects {
        self.objects.clone()
    }

    pub fn set_objects(&mut self, objects: &Objects) {
        self.objects.clone_from(objects);
    }

    /// The cell at exactly this place; takes others apart, or makes it, if need be.
    pub fn cell(&mut self, terms: &mut Terms, object: GlobalId, at: u32, bytes: u32) -> Cell {
        if let Some(cell) = self.objects[object.index()].cells.get(&at)
            && cell.bytes == bytes
        {
            return *cell;
        }
        let cell = if self.overlapping(object, at, bytes).is_empty() {
            self.initial(terms, object, at, bytes)
        } else {
            self.gather(terms, object, at, bytes)
        };
        self.put(terms, object, at, cell);
        cell
    }

    /// Do the cells in this place consist of whole pieces of `width` bytes?
    pub fn is_uniform(&self, object: GlobalId, at: u32, bytes: u32, width: u32) -> bool {
        (at..at + bytes).step_by(width as usize).all(|piece| {
            let cells = self.overlapping(object, piece, width);
            cells.is_empty()
                || matches!(cells[..], [(start, cell)] if start <= piece && piece + width <= start + cell.bytes)
        })
    }

    /// Replaces what is at the place.
    pub fn put(&mut self, terms: &mut Terms, object: GlobalId, at: u32, cell: Cell) {
        self.take_apart(terms, object, at, cell.bytes);
        self.object_mut(object).cells.insert(at, cell);
    }

    fn overlapping(&self, object: GlobalId, at: u32, bytes: u32) -> Vec<(u32, Cell)> {
        let cells = &self.objects[object.index()].cells;
        // Cells do not overlap one another, so only the last one before can reach into the place.
        let before = cells.range(..at).next_back().filter(|(start, cell)| **start + cell.bytes > at);
        before.into_iter().chain(cells.range(at..at + bytes)).map(|(start, cell)| (*start, *cell)).collect()
    }

    /// Removes the cells that overlap a place; what sticks out stays, as bytes.
    fn take_apart(&mut self, terms: &mut Terms, object: GlobalId, at: u32, bytes: u32) {
        for (start, cell) in self.overlapping(object, at, bytes) {
            let cells = &mut self.object_mut(object).cells;
            cells.remove(&start);
            if start == at && cell.bytes == bytes {
                continue;
            }
            for byte in (start..start + cell.bytes).filter(|byte| !(at..at + bytes).contains(byte)) {
                let value = terms.extract(cell.value, 8 * (byte - start), 8);
                cells.insert(byte, Cell { bytes: 1, value });
            }
        }
    }

    fn gather(&mut self, terms: &mut Terms, object: GlobalId, at: u32, bytes: u32) -> Cell {
        let value = joined(terms, at, bytes, |terms, byte| {
            let found = self.overlapping(object, byte, 1).first().copied();
            match found {
                Some((start, cell)) => terms.extract(cell.value, 8 * (byte - start), 8),
                None => self.initial(terms, object, byte, 1).value,
            }
        });
        Cell { bytes, value }
    }

    /// Bytes that were never touched.
    fn initial(&mut self, terms: &mut Terms, object: GlobalId, at: u32, bytes: u32) -> Cell {
        let description = &self.bounded.objects[object];
        let source = match description.kind {
            ObjectKind::Global => Some(object),
            ObjectKind::ThreadLocal { of, .. } => Some(of),
            ObjectKind::Stack | ObjectKind::Heap => None,
        };
        if let Some(global) = source {
            let value = initial_bits(self.bounded.program, &self.pointers, global, at, bytes);
            return Cell { bytes, value: terms.constant(8 * bytes, value) };
        }
        let is_padding = |byte: u32| description.padding.iter().any(|(from, to)| (*from..*to).contains(&byte));
        let known = self.uninitialised_at.get(&(object, at)).map(|index| self.uninitialised[*index]);
        let value = match known {
            Some(known) if known.bytes == bytes => known.value,
            _ if (at..at + bytes).any(|byte| is_padding(byte) || self.uninitialised_around(object, byte).is_some()) => {
                joined(terms, at, bytes, |terms, byte| match self.uninitialised_around(object, byte) {
                    _ if is_padding(byte) => terms.constant(8, 0),
                    Some(known) => terms.extract(known.value, 8 * (byte - known.at), 8),
                    None => self.new_uninitialised(terms, object, byte, 1),
                })
            }
            _ => self.new_uninitialised(terms, object, at, bytes),
        };
        Cell { bytes, value }
    }

    fn uninitialised_around(&self, object: GlobalId, byte: u32) -> Option<Uninitialised> {
        let (_, index) = self.uninitialised_at.range((object, 0)..=(object, byte)).next_back()?;
        let known = self.uninitialised[*index];
        (byte < known.at + known.bytes).then_some(known)
    }

    fn new_uninitialised(&mut self, terms: &mut Terms, object: GlobalId, at: u32, bytes: u32) -> Term {
        let value = terms.variable(8 * bytes, format!("{}+{at}", self.bounded.objects[object].name));
        self.uninitialised_at.insert((object, at), self.uninitialised.len());
        Rc::make_mut(&mut self.uninitialised).push(Uninitialised { object, at, bytes, value });
        value
    }
}

/// Bytes as one term.
pub(super) fn joined(terms: &mut Terms, at: u32, bytes: u32, mut byte: impl FnMut(&mut Terms, u32) -> Term) -> Term {
    let first = byte(terms, at);
    (at + 1..at + bytes).fold(first, |low, next| {
        let high = byte(terms, next);
        terms.concat(high, low)
    })
}

fn initial_bits(program: &Program, pointers: &Pointers, global: GlobalId, at: u32, bytes: u32) -> u128 {
    let global = &program.globals[global];
    let mut value = 0u128;
    for byte in (at..at + bytes).rev() {
        let plain = global.init.get(byte as usize).copied().unwrap_or(0);
        let relocated = global.relocations.iter().find_map(|relocation| {
            let offset = u64::from(byte).checked_sub(relocation.at)?;
            let address = pointers.address(relocation.target)?;
            (offset < u64::from(relocation.bytes)).then(|| (address >> (8 * offset)) as u8)
        });
        value = value << 8 | u128::from(relocated.unwrap_or(plain));
    }
    value
}
