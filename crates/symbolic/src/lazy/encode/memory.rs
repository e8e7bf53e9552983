//! Symbolic memory: every object is a set of cells, each as wide as the accesses to it.
//!
//! There is one current version of each cell. Rounds and threads are encoded in the order in which a
//! round-robin schedule runs them, so a write under guard g simply makes the cell `ite(g, new, old)`:
//! the chain of versions is the term itself. An access that does not match the cells it meets
//! (unions, copies, type punning) takes them apart into bytes.

use super::pointers::Pointers;
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

/// What uninitialised bytes hold. It is the same in all runs in which the object begins to exist, and a copy is equal to
/// what it was copied from.
#[derive(Clone, Copy, Debug)]
pub struct Garbage {
    pub object: GlobalId,
    pub at: u32,
    pub bytes: u32,
    /// A variable.
    pub value: Term,
}

/// An object as it is now.
#[derive(Clone, Debug)]
pub struct Contents {
    /// By offset.
    cells: BTreeMap<u32, Cell>,
    pub alive: Term,
    /// In bytes, as wide as an offset.
    pub size: Term,
}

/// All objects at some time: a copy shares what nobody changes.
pub type Objects = Vec<Rc<Contents>>;

pub struct Memory<'b> {
    bounded: &'b Bounded<'b>,
    pointers: Pointers,
    objects: Objects,
    /// In the order in which they were looked at first. No two overlap.
    garbage: Rc<Vec<Garbage>>,
    /// By object and offset: where it stands among them.
    garbage_at: BTreeMap<(GlobalId, u32), usize>,
}

impl<'b> Memory<'b> {
    pub fn new(terms: &mut Terms, bounded: &'b Bounded<'b>, pointers: Pointers) -> Memory<'b> {
        let mut memory =
            Memory { bounded, pointers, objects: Vec::new(), garbage: Rc::default(), garbage_at: BTreeMap::new() };
        for object in bounded.objects.keys() {
            let fresh = memory.fresh(terms, object);
            memory.objects.push(Rc::new(fresh));
        }
        memory
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

    /// Back to what it was before the program began.
    pub fn reset(&mut self, terms: &mut Terms, object: GlobalId) {
        self.objects[object.index()] = Rc::new(self.fresh(terms, object));
    }

    pub fn object(&self, object: GlobalId) -> &Contents {
        &self.objects[object.index()]
    }

    pub fn object_mut(&mut self, object: GlobalId) -> &mut Contents {
        Rc::make_mut(&mut self.objects[object.index()])
    }

    /// Terms other than the first so many are forgotten.
    pub fn forget(&mut self, kept: usize) {
        // Later ones have later variables.
        let left = self.garbage.partition_point(|garbage| garbage.value.index() < kept);
        if left < self.garbage.len() {
            Rc::make_mut(&mut self.garbage).truncate(left);
            self.garbage_at.retain(|_, index| *index < left);
        }
    }

    pub fn garbage(&self) -> &[Garbage] {
        &self.garbage
    }

    pub fn shared_garbage(&self) -> Rc<Vec<Garbage>> {
        self.garbage.clone()
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

    /// What bytes hold that nobody has touched.
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
        let known = self.garbage_at.get(&(object, at)).map(|index| self.garbage[*index]);
        let value = match known {
            Some(garbage) if garbage.bytes == bytes => garbage.value,
            _ if (at..at + bytes).any(|byte| is_padding(byte) || self.garbage_around(object, byte).is_some()) => {
                joined(terms, at, bytes, |terms, byte| match self.garbage_around(object, byte) {
                    _ if is_padding(byte) => terms.constant(8, 0),
                    Some(garbage) => terms.extract(garbage.value, 8 * (byte - garbage.at), 8),
                    None => self.new_garbage(terms, object, byte, 1),
                })
            }
            _ => self.new_garbage(terms, object, at, bytes),
        };
        Cell { bytes, value }
    }

    fn garbage_around(&self, object: GlobalId, byte: u32) -> Option<Garbage> {
        let (_, index) = self.garbage_at.range((object, 0)..=(object, byte)).next_back()?;
        let garbage = self.garbage[*index];
        (byte < garbage.at + garbage.bytes).then_some(garbage)
    }

    fn new_garbage(&mut self, terms: &mut Terms, object: GlobalId, at: u32, bytes: u32) -> Term {
        let value = terms.variable(8 * bytes, format!("{}+{at}", self.bounded.objects[object].name));
        self.garbage_at.insert((object, at), self.garbage.len());
        Rc::make_mut(&mut self.garbage).push(Garbage { object, at, bytes, value });
        value
    }
}

/// Bytes as one term.
fn joined(terms: &mut Terms, at: u32, bytes: u32, mut byte: impl FnMut(&mut Terms, u32) -> Term) -> Term {
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
