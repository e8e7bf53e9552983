//! Symbolic memory: every object is a set of cells, each as wide as the accesses to it.
//!
//! There is one current version of each cell. Rounds and threads are encoded in the order in which a
//! round-robin schedule runs them, so a write under guard g simply makes the cell `ite(g, new, old)`:
//! the chain of versions is the term itself. An access that does not match the cells it meets
//! (unions, copies, type punning) takes them apart into bytes.

use selvedge_bound::{Bounded, ObjectKind};
use selvedge_formula::{Term, Terms};
use selvedge_program::{EntityRef, GlobalId, Operand, Program};
use std::collections::BTreeMap;

/// How pointers are cut into object number and offset. 0 is null, then functions, then objects.
#[derive(Clone, Copy, Debug)]
pub struct Pointers {
    pub bits: u32,
    pub offset_bits: u32,
    functions: u64,
    objects: u64,
}

impl Pointers {
    pub fn new(bounded: &Bounded<'_>) -> Pointers {
        let bits = bounded.program.data_model.pointer_bits();
        let (functions, objects) = (bounded.program.functions.len() as u64, bounded.objects.len() as u64);
        Pointers { bits, offset_bits: bits / 2, functions, objects }
    }

    /// Do all objects fit?
    pub fn suffice(self, bounded: &Bounded<'_>) -> bool {
        let range = 1u64 << self.offset_bits;
        self.functions + self.objects + 1 < range && bounded.objects.values().all(|object| object.size < range)
    }

    pub fn number(self, object: GlobalId) -> u64 {
        1 + self.functions + object.index() as u64
    }

    pub fn object(self, number: u64) -> Option<GlobalId> {
        let index = number.checked_sub(1 + self.functions)?;
        (index < self.objects).then(|| GlobalId::new(index as usize))
    }

    /// The bits of an address.
    pub fn address(self, operand: Operand) -> Option<u128> {
        let mask = (1u128 << self.bits) - 1;
        match operand {
            Operand::Const { bits, .. } => Some(bits),
            Operand::Func(id) => Some((id.index() as u128 + 1) << self.offset_bits),
            Operand::Global { id, offset } => {
                Some((u128::from(self.number(id)) << self.offset_bits).wrapping_add(offset as u128) & mask)
            }
            Operand::Reg(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub bytes: u32,
    pub value: Term,
    /// Has somebody written it?
    pub written: Term,
}

pub struct Memory {
    /// By object, by offset.
    cells: Vec<BTreeMap<u32, Cell>>,
    pub alive: Vec<Term>,
    pointers: Pointers,
}

impl Memory {
    pub fn new(bounded: &Bounded<'_>, pointers: Pointers) -> Memory {
        let alive = bounded.objects.values().map(|object| match object.kind {
            ObjectKind::Global | ObjectKind::ThreadLocal { .. } => Terms::TRUE,
            ObjectKind::Stack | ObjectKind::Heap => Terms::FALSE,
        });
        Memory { cells: vec![BTreeMap::new(); bounded.objects.len()], alive: alive.collect(), pointers }
    }

    /// The cell at exactly this place; takes others apart, or makes it, if need be.
    pub fn cell(&mut self, terms: &mut Terms, bounded: &Bounded<'_>, object: GlobalId, at: u32, bytes: u32) -> Cell {
        if let Some(cell) = self.cells[object.index()].get(&at)
            && cell.bytes == bytes
        {
            return *cell;
        }
        let cell = if self.overlaps(object, at, bytes) {
            self.gather(terms, bounded, object, at, bytes)
        } else {
            self.initial(terms, bounded, object, at, bytes)
        };
        self.put(terms, object, at, cell);
        cell
    }

    /// Replaces what is at the place.
    pub fn put(&mut self, terms: &mut Terms, object: GlobalId, at: u32, cell: Cell) {
        self.take_apart(terms, object, at, cell.bytes);
        self.cells[object.index()].insert(at, cell);
    }

    fn overlapping(&self, object: GlobalId, at: u32, bytes: u32) -> Vec<(u32, Cell)> {
        let cells = &self.cells[object.index()];
        let before = cells.range(..at).next_back().filter(|(start, cell)| **start + cell.bytes > at);
        before.into_iter().chain(cells.range(at..at + bytes)).map(|(start, cell)| (*start, *cell)).collect()
    }

    fn overlaps(&self, object: GlobalId, at: u32, bytes: u32) -> bool {
        !self.overlapping(object, at, bytes).is_empty()
    }

    /// Removes the cells that overlap a place; what sticks out stays, as bytes.
    fn take_apart(&mut self, terms: &mut Terms, object: GlobalId, at: u32, bytes: u32) {
        for (start, cell) in self.overlapping(object, at, bytes) {
            self.cells[object.index()].remove(&start);
            if start == at && cell.bytes == bytes {
                continue;
            }
            for byte in (start..start + cell.bytes).filter(|byte| !(at..at + bytes).contains(byte)) {
                let value = terms.extract(cell.value, 8 * (byte - start), 8);
                self.cells[object.index()].insert(byte, Cell { bytes: 1, value, written: cell.written });
            }
        }
    }

    fn gather(&mut self, terms: &mut Terms, bounded: &Bounded<'_>, object: GlobalId, at: u32, bytes: u32) -> Cell {
        let mut value = None;
        let mut written = Terms::TRUE;
        for byte in at..at + bytes {
            let found = self.overlapping(object, byte, 1).first().copied();
            let (part, part_written) = match found {
                Some((start, cell)) => (terms.extract(cell.value, 8 * (byte - start), 8), cell.written),
                None => {
                    let cell = self.initial(terms, bounded, object, byte, 1);
                    (cell.value, cell.written)
                }
            };
            written = terms.and(written, part_written);
            value = Some(match value {
                None => part,
                Some(low) => terms.concat(part, low),
            });
        }
        Cell { bytes, value: value.unwrap_or(Terms::FALSE), written }
    }

    /// What bytes hold that nobody has touched.
    fn initial(&self, terms: &mut Terms, bounded: &Bounded<'_>, object: GlobalId, at: u32, bytes: u32) -> Cell {
        let description = &bounded.objects[object];
        let source = match description.kind {
            ObjectKind::Global => Some(object),
            ObjectKind::ThreadLocal { of, .. } => Some(of),
            ObjectKind::Stack | ObjectKind::Heap => None,
        };
        let bits = 8 * bytes;
        if let Some(global) = source {
            let value = self.initial_bits(bounded.program, global, at, bytes);
            return Cell { bytes, value: terms.constant(bits, value), written: Terms::TRUE };
        }
        if description.padding.iter().any(|(from, to)| *from <= at && at + bytes <= *to) {
            return Cell { bytes, value: terms.constant(bits, 0), written: Terms::TRUE };
        }
        let value = terms.variable(bits, format!("{}+{at}", description.name));
        Cell { bytes, value, written: Terms::FALSE }
    }

    fn initial_bits(&self, program: &Program, global: GlobalId, at: u32, bytes: u32) -> u128 {
        let global = &program.globals[global];
        let mut value = 0u128;
        for byte in (at..at + bytes).rev() {
            let plain = global.init.get(byte as usize).copied().unwrap_or(0);
            let relocated = global.relocations.iter().find_map(|relocation| {
                let offset = u64::from(byte).checked_sub(relocation.at)?;
                let address = self.pointers.address(relocation.target)?;
                (offset < u64::from(relocation.bytes)).then(|| (address >> (8 * offset)) as u8)
            });
            value = value << 8 | u128::from(relocated.unwrap_or(plain));
        }
        value
    }
}
