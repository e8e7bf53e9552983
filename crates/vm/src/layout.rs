//! The layout of globals, and the objects that windows of the address space belong to (`program/src/pointers.rs`).
//!
//! Slots, as windows are called here, come in two kinds:
//!
//! - static: 0 is null, then functions, then globals;
//! - dynamic: (thread, index) for what that thread allocated, on its stack or on the heap, and for
//!   its thread-locals, which come first. Allocations of different threads never compete for a
//!   number, so they commute.
//!
//! An object larger than one window takes several slots in a row.

use selvedge_program::{DataModel, EntityRef, FuncId, GlobalId, Operand, Pointers, Program, SecondaryMap};

/// The most threads that are supported.
pub const MAX_THREADS: usize = 126;

/// A slot, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Static(usize),
    Dynamic { thread: usize, index: usize },
}

/// The division of dynamic slots among threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    pub pointers: Pointers,
    /// The first dynamic slot.
    pub dynamic: u64,
    /// The number of threads that have many slots.
    rich: u64,
    rich_bits: u32,
    poor_bits: u32,
}

impl Slots {
    pub fn new(model: DataModel) -> Slots {
        let pointers = Pointers::new(model);
        match model {
            DataModel::Lp64 => {
                Slots { pointers, dynamic: 1 << 27, rich: MAX_THREADS as u64, rich_bits: 20, poor_bits: 0 }
            }
            DataModel::Ilp32 => Slots { pointers, dynamic: 1 << 14, rich: 4, rich_bits: 13, poor_bits: 7 },
        }
    }

    #[inline]
    pub fn split(self, slot: u64) -> Slot {
        let Some(number) = slot.checked_sub(self.dynamic) else { return Slot::Static(slot as usize) };
        let of_rich = self.rich << self.rich_bits;
        let (first, number, bits) =
            if number < of_rich { (0, number, self.rich_bits) } else { (self.rich, number - of_rich, self.poor_bits) };
        let thread = (first + (number >> bits)) as usize;
        Slot::Dynamic { thread, index: (number & ((1 << bits) - 1)) as usize }
    }

    #[inline]
    pub fn of(self, thread: usize, index: usize) -> u64 {
        let thread = thread as u64;
        let first = match thread.checked_sub(self.rich) {
            None => thread << self.rich_bits,
            Some(poor) => (self.rich << self.rich_bits) + (poor << self.poor_bits),
        };
        self.dynamic + first + index as u64
    }

    /// The slot that a pointer names.
    #[inline]
    pub fn named_by(self, pointer: u64) -> Slot {
        self.split(self.pointers.window(pointer))
    }

    /// Calls `look` for every word that looks like a pointer.
    pub fn for_each_pointer(self, words: &[u64], mut look: impl FnMut(u64)) {
        for word in words {
            if self.pointers.bits == 64 {
                look(*word);
            } else {
                look(*word & u64::from(u32::MAX));
                look(*word >> 32);
            }
        }
    }

    /// The number of slots of a thread.
    pub fn count(self, thread: usize) -> u64 {
        1 << if (thread as u64) < self.rich { self.rich_bits } else { self.poor_bits }
    }
}

/// The meaning of a static slot. `base` is the offset of the slot in its object.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub enum Static {
    Null,
    Func(FuncId),
    /// In [`Layout::constants`], from byte `at`.
    Constant { global: GlobalId, at: u32, size: u32, base: u32 },
    /// In the state's globals, from byte `at`.
    Variable { global: GlobalId, at: u32, size: u32, base: u32 },
}

/// A thread-local variable: its copy is object number `index` of each thread.
#[derive(Clone, Debug)]
pub struct ThreadLocal {
    pub global: GlobalId,
    pub size: u64,
    /// Initial bytes, as whole words.
    pub init: Vec<u64>,
}

pub struct Layout {
    pub pointers: Pointers,
    pub slots: Slots,
    pub statics: Vec<Static>,
    /// The bytes of globals that are never written.
    pub constants: Vec<u8>,
    /// The initial value of the state's globals.
    pub initial: Vec<u64>,
    pub thread_locals: Vec<ThreadLocal>,
    first_slot: SecondaryMap<GlobalId, u32>,
}

#[derive(Debug, thiserror::Error)]
#[error("the program's variables do not fit into the address space of the model")]
pub struct TooLarge;

impl Layout {
    pub fn new(program: &Program) -> Result<Layout, TooLarge> {
        let pointers = Pointers::new(program.data_model);
        let mut layout = Layout {
            pointers,
            slots: Slots::new(program.data_model),
            statics: vec![Static::Null],
            constants: Vec::new(),
            initial: Vec::new(),
            thread_locals: Vec::new(),
            first_slot: SecondaryMap::new(),
        };
        layout.statics.extend(program.functions.keys().map(Static::Func));
        let mut variable_bytes = 0u64;
        for (id, global) in &program.globals {
            let size = u32::try_from(global.size).map_err(|_| TooLarge)?;
            if global.thread_local {
                layout.first_slot[id] = layout.thread_locals.len() as u32;
                layout.thread_locals.push(ThreadLocal { global: id, size: global.size, init: Vec::new() });
                continue;
            }
            layout.first_slot[id] = layout.statics.len() as u32;
            let align = u64::from(global.align.clamp(1, 8));
            let at = if global.constant { layout.constants.len() as u64 } else { variable_bytes };
            let at = at.next_multiple_of(align);
            let end = u32::try_from(at + global.size).map_err(|_| TooLarge)?;
            for part in 0..pointers.windows(global.size) {
                let base = (part << pointers.offset_bits) as u32;
                let at = at as u32;
                layout.statics.push(if global.constant {
                    Static::Constant { global: id, at, size, base }
                } else {
                    Static::Variable { global: id, at, size, base }
                });
            }
            if global.constant {
                layout.constants.resize(end as usize, 0);
            } else {
                variable_bytes = u64::from(end);
            }
        }
        if layout.statics.len() as u64 >= layout.slots.dynamic {
            return Err(TooLarge);
        }
        layout.initial = vec![0; (variable_bytes as usize).div_ceil(8)];
        layout.initialise(program);
        Ok(layout)
    }

    fn initialise(&mut self, program: &Program) {
        let mut variables = vec![0u8; self.initial.len() * 8];
        for (id, global) in &program.globals {
            let mut bytes = global.init.clone();
            bytes.resize(global.size as usize, 0);
            for relocation in &global.relocations {
                let value = self.address(relocation.target).unwrap_or(0);
                let from = relocation.at as usize;
                let width = usize::from(relocation.bytes).min(8);
                if let Some(target) = bytes.get_mut(from..from + width) {
                    target.copy_from_slice(&value.to_le_bytes()[..width]);
                }
            }
            if global.thread_local {
                self.thread_locals[self.first_slot[id] as usize].init = words(&bytes);
                continue;
            }
            match self.statics[self.first_slot[id] as usize] {
                Static::Constant { at, .. } => {
                    self.constants[at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
                }
                Static::Variable { at, .. } => {
                    variables[at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
                }
                Static::Null | Static::Func(_) => {}
            }
        }
        self.initial = words(&variables);
    }

    /// The bits of an address that is the same in every thread.
    pub fn address(&self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Const { bits, .. } => Some(bits as u64),
            Operand::Func(id) => Some(self.pointers.start(id.index() as u64 + 1)),
            Operand::Global { id, offset } => {
                let slot = u64::from(self.first_slot[id]);
                let is_static = self.is_global(slot, id);
                is_static.then(|| self.moved(self.pointers.start(slot), i128::from(offset)))
            }
            Operand::Reg(_) => None,
        }
    }

    /// The address of a thread's object, unless a schedule places it elsewhere.
    pub fn dynamic(&self, thread: usize, index: usize) -> u64 {
        self.pointers.start(self.slots.of(thread, index))
    }

    /// The slot that a pointer names.
    #[inline]
    pub fn slot(&self, pointer: u64) -> Slot {
        self.slots.named_by(pointer)
    }

    /// A pointer to a function or a global, advanced by some bytes.
    fn moved(&self, base: u64, by: i128) -> u64 {
        self.pointers.moved(base, by, |from, to| self.is_one_global(from, to))
    }

    fn is_global(&self, slot: u64, id: GlobalId) -> bool {
        self.global_at(slot) == Some(id)
    }

    fn global_at(&self, slot: u64) -> Option<GlobalId> {
        match self.statics.get(slot as usize) {
            Some(Static::Constant { global, .. } | Static::Variable { global, .. }) => Some(*global),
            Some(Static::Null | Static::Func(_)) | None => None,
        }
    }

    /// Whether two slots belong to the same global.
    pub fn is_one_global(&self, one: u64, other: u64) -> bool {
        self.global_at(one).is_some_and(|global| self.global_at(other) == Some(global))
    }

    /// The position of a variable in the state's globals.
    pub fn variable_at(&self, id: GlobalId) -> Option<u32> {
        match self.statics.get(self.first_slot[id] as usize) {
            Some(Static::Variable { global, at, .. }) if *global == id => Some(*at),
            _ => None,
        }
    }

    /// The positions of all variables in the state's globals.
    pub fn variable_starts(&self) -> impl Iterator<Item = usize> {
        self.statics.iter().filter_map(|slot| match slot {
            Static::Variable { at, base: 0, .. } => Some(*at as usize),
            _ => None,
        })
    }

    /// The index of the object that holds this thread-local, in every thread.
    pub fn thread_local_index(&self, id: GlobalId) -> usize {
        self.first_slot[id] as usize
    }
}

/// Little-endian words, the last one filled up with zeros.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks(8)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
        .collect()
}
