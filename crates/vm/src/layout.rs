//! Where globals live, and how (object, offset) is written in the bits of a pointer.
//!
//! A pointer is `slot << OFFSET_BITS | offset`. As plain bits it survives casts, arithmetic, unions
//! and byte-wise copies, with no shadow memory. Slots come in two kinds:
//!
//! - static: 0 is null, then functions, then globals;
//! - dynamic: (thread, index) for what that thread allocated, on its stack or on the heap, and for
//!   its thread-locals, which come first. Allocations of different threads never compete for a
//!   number, so they commute.
//!
//! An object larger than one slot's range takes several slots in a row, and always at least one
//! byte more than its size, so that stepping out of an object never lands in the next one.

use selvedge_program::{DataModel, EntityRef, FuncId, GlobalId, Operand, Program, SecondaryMap};

/// More threads than this are a limit of ours.
pub const MAX_THREADS: usize = 126;

/// How pointers are cut into slot and offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointers {
    pub bits: u32,
    pub offset_bits: u32,
    /// Of a dynamic slot: how many bits number the objects of one thread.
    index_bits: u32,
    dynamic_bit: u64,
}

/// A slot, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Static(usize),
    Dynamic { thread: usize, index: usize },
}

impl Pointers {
    pub fn new(model: DataModel) -> Pointers {
        match model {
            DataModel::Lp64 => Pointers { bits: 64, offset_bits: 32, index_bits: 20, dynamic_bit: 1 << 30 },
            DataModel::Ilp32 => Pointers { bits: 32, offset_bits: 12, index_bits: 12, dynamic_bit: 1 << 19 },
        }
    }

    #[inline]
    pub fn split(self, pointer: u64) -> (Slot, u64) {
        let slot = pointer >> self.offset_bits;
        let offset = pointer & ((1 << self.offset_bits) - 1);
        if slot & self.dynamic_bit == 0 {
            (Slot::Static(slot as usize), offset)
        } else {
            let number = slot ^ self.dynamic_bit;
            let thread = (number >> self.index_bits) as usize;
            (Slot::Dynamic { thread, index: (number & self.max_index()) as usize }, offset)
        }
    }

    pub fn dynamic(self, thread: usize, index: usize) -> u64 {
        (self.dynamic_bit | (thread as u64) << self.index_bits | index as u64) << self.offset_bits
    }

    /// All that looks like a pointer to a thread's object.
    pub fn find_in(self, words: &[u64], found: &mut impl FnMut(usize, usize)) {
        let mut look = |value: u64| {
            if let (Slot::Dynamic { thread, index }, _) = self.split(value) {
                found(thread, index);
            }
        };
        for word in words {
            if self.bits == 64 {
                look(*word);
            } else {
                look(*word & u64::from(u32::MAX));
                look(*word >> 32);
            }
        }
    }

    pub fn max_index(self) -> u64 {
        (1 << self.index_bits) - 1
    }

    /// How many slots an object of `size` bytes takes.
    pub fn slots_for(self, size: u64) -> u64 {
        (size >> self.offset_bits) + 1
    }
}

/// What a static slot stands for. `base`: where in the object this slot begins.
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
    pub statics: Vec<Static>,
    /// Of globals that are never written.
    pub constants: Vec<u8>,
    /// What the state's globals begin as.
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
            for part in 0..pointers.slots_for(global.size) {
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
        if layout.statics.len() as u64 >= pointers.dynamic_bit {
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
        let mask = if self.pointers.bits == 32 { u64::from(u32::MAX) } else { u64::MAX };
        match operand {
            Operand::Const { bits, .. } => Some(bits as u64),
            Operand::Func(id) => Some((id.index() as u64 + 1) << self.pointers.offset_bits),
            Operand::Global { id, offset } => {
                let slot = u64::from(self.first_slot[id]);
                let is_static = matches!(
                    self.statics.get(slot as usize),
                    Some(Static::Constant { global, .. } | Static::Variable { global, .. }) if *global == id
                );
                is_static.then(|| (slot << self.pointers.offset_bits).wrapping_add(offset as u64) & mask)
            }
            Operand::Reg(_) => None,
        }
    }

    /// Where a variable begins in the state's globals.
    pub fn variable_at(&self, id: GlobalId) -> Option<u32> {
        match self.statics.get(self.first_slot[id] as usize) {
            Some(Static::Variable { global, at, .. }) if *global == id => Some(*at),
            _ => None,
        }
    }

    /// Where the variables in the state's globals begin.
    pub fn variable_starts(&self) -> impl Iterator<Item = usize> {
        self.statics.iter().filter_map(|slot| match slot {
            Static::Variable { at, base: 0, .. } => Some(*at as usize),
            _ => None,
        })
    }

    /// Which object of each thread holds this thread-local.
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
