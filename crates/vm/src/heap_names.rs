//! Names of heap blocks for people: `node#2`, by the type of the pointers that lead to them.
//!
//! A block does not say what it holds; pointers to it do, but they are written only after it was allocated. So a run
//! with heap blocks is replayed twice: first to learn the types, and then to tell it with them.

use crate::code::Code;
use crate::memory::{Target, target};
use crate::state::{Kind, Object, State};
use selvedge_program::{DebugType, SourceMap, TypeId};
use std::collections::HashMap;

/// Longer names of types would hide what they name.
const LONGEST_TYPE: usize = 32;

#[derive(Clone, Debug, Default)]
pub(crate) struct HeapNames {
    /// The type of what each block holds, in the order of allocation, as far as it is known.
    types: Vec<Option<TypeId>>,
    /// The names of the blocks of this run so far.
    names: Vec<String>,
    /// The blocks by the object that they are, or were last.
    blocks: HashMap<(usize, usize), usize>,
}

impl HeapNames {
    /// The types that a whole run has shown, for the same run once more. `None`: it has shown none.
    pub fn learned(self) -> Option<HeapNames> {
        let known = self.types.iter().any(Option::is_some);
        known.then(|| HeapNames { types: self.types, ..HeapNames::default() })
    }

    pub fn allocated(&mut self, source: &SourceMap, thread: usize, index: usize) {
        let block = self.names.len();
        if self.types.len() <= block {
            self.types.push(None);
        }
        let kind = self.types[block].and_then(|ty| type_name(source, ty)).unwrap_or("block");
        let of_kind = self.names.iter().filter(|name| name.rsplit_once('#').is_some_and(|(of, _)| of == kind)).count();
        self.names.push(format!("{kind}#{}", of_kind + 1));
        self.blocks.insert((thread, index), block);
    }

    /// The number of blocks so far, and back to such a number.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    pub fn truncate(&mut self, count: usize) {
        self.names.truncate(count);
    }

    /// A pointer of this type was seen, with this value.
    pub fn seen(&mut self, code: &Code<'_>, state: &State, ty: TypeId, bits: u64) {
        let source = &code.program.source;
        let DebugType::Pointer { to } = &source.types[source.strip(ty)] else { return };
        let Ok((Target::Object { thread, index, object }, 0)) = target(state, &code.layout, bits) else { return };
        let Some(block) = self.blocks.get(&(thread, index)) else { return };
        if is_heap(object) && says_something(source, *to) && self.types[*block].is_none() {
            self.types[*block] = Some(*to);
        }
    }

    /// A block's name and the type of what it holds.
    pub fn name(&self, thread: usize, index: usize) -> Option<(&str, Option<TypeId>)> {
        let block = *self.blocks.get(&(thread, index))?;
        Some((self.names.get(block)?.as_str(), self.types[block]))
    }

    /// The C expression for what lies at an offset of a block, and the offset in the element of which it is a part.
    /// `None`: there is no telling.
    pub fn element(
        &self,
        source: &SourceMap,
        at: (usize, usize),
        size: u64,
        offset: u64,
    ) -> Option<(String, TypeId, u64)> {
        let (name, ty) = self.name(at.0, at.1)?;
        let ty = ty?;
        let each = match &source.types[source.strip(ty)] {
            // The size of pointers is that of the block, if there is only one.
            DebugType::Pointer { .. } => size,
            _ => source.size(ty),
        };
        match each {
            0 => None,
            each if size > each && size.is_multiple_of(each) => {
                Some((format!("{name}[{}]", offset / each), ty, offset % each))
            }
            _ => Some((name.to_string(), ty, offset)),
        }
    }
}

pub(crate) fn is_heap(object: Object) -> bool {
    matches!(object.kind, Kind::Heap | Kind::DeadHeap)
}

/// Whether the type of what a pointer leads to says what is there: `void` and bytes do not.
fn says_something(source: &SourceMap, ty: TypeId) -> bool {
    match &source.types[source.strip(ty)] {
        DebugType::Unknown | DebugType::Function | DebugType::Bool => false,
        DebugType::Int { bits, .. } => *bits > 8,
        DebugType::Float { .. } | DebugType::Pointer { .. } | DebugType::Array { .. } => true,
        DebugType::Struct { size, .. } => *size > 0,
        DebugType::Enum { .. } => true,
        // Only a cycle is left of this after stripping.
        DebugType::Named { .. } => false,
    }
}

/// The name of a struct, a union or what a typedef makes of one. Names of the C++ library explain nothing.
fn type_name(source: &SourceMap, ty: TypeId) -> Option<&str> {
    let DebugType::Struct { name, .. } = &source.types[source.strip(ty)] else { return None };
    let alias = match &source.types[ty] {
        DebugType::Named { name, .. } => name.as_str(),
        _ => "",
    };
    let name = if name.is_empty() { alias } else { name.as_str() };
    let is_short = !name.is_empty() && name.len() <= LONGEST_TYPE && !name.contains('<') && !name.starts_with("std::");
    is_short.then_some(name)
}
