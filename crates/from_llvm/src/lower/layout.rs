//! Sizes, alignments and scalar leaves of LLVM types, according to the module's `datalayout`.
//!
//! A first-class aggregate has no register to live in: it is the list of its scalar *leaves*, each
//! with its byte offset. Everything that moves values (loads, calls, phis) works leaf by leaf, so a
//! struct returned in registers and a vector need no code of their own.

use std::cell::RefCell;
use std::collections::HashMap;

use selvedge_program::{DataModel, Ty};

use crate::ll::{Module, StructType, Type};

/// First-class values with more leaves than this are rejected: clang moves such values by `memcpy`.
const MAX_LEAVES: usize = 4096;
/// A struct that contains itself is not a type; such input must not overflow our stack.
const MAX_DEPTH: u32 = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaf {
    pub ty: Ty,
    pub offset: u64,
}

/// The contents of the `datalayout` string; alignments are in bytes.
#[derive(Debug)]
pub struct Layout<'m> {
    module: &'m Module,
    pub model: DataModel,
    pointer_align: u64,
    ints: Vec<(u32, u64)>,
    floats: Vec<(u32, u64)>,
    vectors: Vec<(u32, u64)>,
    named: RefCell<HashMap<u32, (u64, u64)>>,
}

impl<'m> Layout<'m> {
    pub fn new(module: &'m Module) -> Layout<'m> {
        let triple = &module.target_triple;
        let narrow = ["i386", "i486", "i586", "i686"].iter().any(|cpu| triple.starts_with(cpu));
        let mut layout = Layout {
            module,
            model: if narrow { DataModel::Ilp32 } else { DataModel::Lp64 },
            pointer_align: if narrow { 4 } else { 8 },
            // The language reference's defaults.
            ints: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)],
            floats: vec![(16, 2), (32, 4), (64, 8), (128, 16)],
            vectors: vec![(64, 8), (128, 16)],
            named: RefCell::default(),
        };
        module.datalayout.split('-').for_each(|part| layout.read(part));
        layout.ints.sort_unstable();
        layout
    }

    /// One part of the string: `i64:32:64`, `p:32:32`, `f80:128`.
    fn read(&mut self, part: &str) {
        let mut fields = part.split(':');
        let Some(head) = fields.next() else { return };
        let numbers: Vec<u32> = fields.map_while(|f| f.parse().ok()).collect();
        let (Some(kind), Some(&first)) = (head.chars().next(), numbers.first()) else { return };
        let width: Option<u32> = head[kind.len_utf8()..].parse().ok();
        let bytes = |bits: u32| u64::from(bits.div_ceil(8).max(1));
        match (kind, width) {
            ('p', None | Some(0)) => {
                self.model = if first == 32 { DataModel::Ilp32 } else { DataModel::Lp64 };
                self.pointer_align = bytes(numbers.get(1).copied().unwrap_or(first));
            }
            ('i', Some(width)) => set(&mut self.ints, width, bytes(first)),
            ('f', Some(width)) => set(&mut self.floats, width, bytes(first)),
            ('v', Some(width)) => set(&mut self.vectors, width, bytes(first)),
            _ => {}
        }
    }

    pub fn pointer_bits(&self) -> u8 {
        self.model.pointer_bits() as u8
    }

    /// The type of a register that can count bytes.
    pub fn word(&self) -> Ty {
        Ty::Int(self.pointer_bits())
    }

    fn int_align(&self, bits: u32) -> u64 {
        let exact_or_next = self.ints.iter().find(|(width, _)| *width >= bits);
        exact_or_next.or(self.ints.last()).map_or(1, |(_, align)| *align)
    }

    /// The distance of two array elements of this type.
    pub fn size(&self, ty: &Type) -> Result<u64, String> {
        Ok(self.size_align(ty, 0)?.0)
    }

    pub fn align(&self, ty: &Type) -> Result<u64, String> {
        Ok(self.size_align(ty, 0)?.1)
    }

    fn size_align(&self, ty: &Type, depth: u32) -> Result<(u64, u64), String> {
        if depth > MAX_DEPTH {
            return Err("a type that contains itself".to_string());
        }
        let scalar = |bytes: u64, align: u64| Ok((bytes.next_multiple_of(align.max(1)), align.max(1)));
        let float = |bits: u32| {
            let bytes = u64::from(bits / 8);
            let align = self.floats.iter().find(|(w, _)| *w == bits).map_or(bytes.next_power_of_two(), |(_, a)| *a);
            scalar(bytes, align)
        };
        match ty {
            Type::Int(bits) => scalar(u64::from(bits.div_ceil(8)), self.int_align(*bits)),
            Type::Half | Type::BFloat => float(16),
            Type::Float => float(32),
            Type::Double | Type::X86Mmx => float(64),
            Type::X86Fp80 => float(80),
            Type::Fp128 | Type::PpcFp128 => float(128),
            Type::Ptr(_) => scalar(u64::from(self.model.pointer_bytes()), self.pointer_align),
            Type::Array(count, element) => {
                let (size, align) = self.size_align(element, depth + 1)?;
                let total = size.checked_mul(*count).ok_or("an array larger than memory")?;
                Ok((total, align))
            }
            Type::Vector { len, element, scalable: false } => {
                let bits = self.lane_bits(element)?.checked_mul(*len).ok_or("a vector larger than memory")?;
                let bytes = bits.div_ceil(8);
                let align = self.vectors.iter().find(|(w, _)| u64::from(*w) == bits).map(|(_, a)| *a);
                scalar(bytes, align.unwrap_or(bytes.checked_next_power_of_two().unwrap_or(1)))
            }
            Type::Struct(body) => {
                let (_, size, align) = self.fields(body, depth + 1)?;
                Ok((size, align))
            }
            Type::Named(id) => {
                if let Some(known) = self.named.borrow().get(&id.0) {
                    return Ok(*known);
                }
                let body = self.module.types.get(id.0 as usize).map(|t| &t.body);
                let result = self.size_align(body.unwrap_or(&Type::Opaque), depth + 1)?;
                self.named.borrow_mut().insert(id.0, result);
                Ok(result)
            }
            Type::Function(_) => Ok((1, 1)),
            Type::Opaque => Err("a type without a definition".to_string()),
            other => Err(format!("the type {other:?}")),
        }
    }

    fn lane_bits(&self, element: &Type) -> Result<u64, String> {
        match element {
            Type::Int(bits) => Ok(u64::from(*bits)),
            other => Ok(8 * self.size(other)?),
        }
    }

    /// Offsets of the fields, the size, the alignment.
    fn fields(&self, body: &StructType, depth: u32) -> Result<(Vec<u64>, u64, u64), String> {
        let (mut at, mut align) = (0u64, 1u64);
        let mut offsets = Vec::with_capacity(body.fields.len());
        for field in &body.fields {
            let (size, field_align) = self.size_align(field, depth)?;
            if !body.packed {
                at = at.checked_next_multiple_of(field_align).ok_or("a struct larger than memory")?;
                align = align.max(field_align);
            }
            offsets.push(at);
            at = at.checked_add(size).ok_or("a struct larger than memory")?;
        }
        Ok((offsets, at.next_multiple_of(align), align))
    }

    pub fn field_offsets(&self, body: &StructType) -> Result<Vec<u64>, String> {
        Ok(self.fields(body, 0)?.0)
    }

    /// The type of a register for a scalar type. `long double` is computed as `double`.
    pub fn scalar(&self, ty: &Type) -> Result<Ty, String> {
        match self.module.resolve(ty) {
            Type::Int(bits @ 1..=128) => Ok(Ty::Int(*bits as u8)),
            Type::Int(bits) => Err(format!("an integer of {bits} bits")),
            Type::Float => Ok(Ty::F32),
            Type::Double | Type::X86Fp80 | Type::Fp128 => Ok(Ty::F64),
            Type::Ptr(_) => Ok(Ty::Ptr),
            Type::Half => Err("the type half".to_string()),
            Type::BFloat => Err("the type bfloat".to_string()),
            other => Err(format!("a value of type {other:?}")),
        }
    }

    /// The scalars a value of this type consists of, in order.
    pub fn leaves(&self, ty: &Type) -> Result<Vec<Leaf>, String> {
        let mut leaves = Vec::new();
        self.collect_leaves(ty, 0, &mut leaves, 0)?;
        Ok(leaves)
    }

    fn collect_leaves(&self, ty: &Type, at: u64, leaves: &mut Vec<Leaf>, depth: u32) -> Result<(), String> {
        if leaves.len() > MAX_LEAVES || depth > MAX_DEPTH {
            return Err("a value of a very large aggregate type".to_string());
        }
        match self.module.resolve(ty) {
            Type::Void => {}
            Type::Struct(body) => {
                for (offset, field) in self.field_offsets(body)?.into_iter().zip(&body.fields) {
                    self.collect_leaves(field, at + offset, leaves, depth + 1)?;
                }
            }
            Type::Array(count, element) | Type::Vector { len: count, element, scalable: false } => {
                let stride = self.size(element)?;
                for i in 0..*count {
                    self.collect_leaves(element, at + i * stride, leaves, depth + 1)?;
                }
            }
            scalar => leaves.push(Leaf { ty: self.scalar(scalar)?, offset: at }),
        }
        Ok(())
    }

    pub fn leaf_types(&self, ty: &Type) -> Result<Vec<Ty>, String> {
        Ok(self.leaves(ty)?.into_iter().map(|leaf| leaf.ty).collect())
    }

    /// The leaves that an index path of `extractvalue` selects, as (first, count).
    pub fn leaf_range(&self, ty: &Type, indices: &[u32]) -> Result<(usize, usize), String> {
        let mut first = 0;
        let mut ty = ty;
        for &index in indices {
            for before in 0..index {
                let element = self.module.element_type(ty, u64::from(before)).ok_or("an index outside its type")?;
                first += self.leaves(element)?.len();
            }
            ty = self.module.element_type(ty, u64::from(index)).ok_or("an index outside its type")?;
        }
        Ok((first, self.leaves(ty)?.len()))
    }

    /// Byte ranges of an object of this type that no scalar of it covers. Empty if there are too
    /// many to be worth carrying.
    pub fn padding(&self, ty: &Type) -> Vec<(u32, u32)> {
        const MAX_RANGES: usize = 64;
        let mut ranges = Vec::new();
        let mut at = 0;
        if self.collect_padding(ty, 0, &mut at, &mut ranges, 0).is_none() || ranges.len() > MAX_RANGES {
            return vec![];
        }
        match self.size(ty) {
            Ok(size) if at < size => push_range(&mut ranges, at, size),
            _ => Some(()),
        };
        if ranges.len() > MAX_RANGES { vec![] } else { ranges }
    }

    /// Everything before `at` has been processed. `None` if there is too much padding.
    fn collect_padding(
        &self,
        ty: &Type,
        start: u64,
        at: &mut u64,
        ranges: &mut Vec<(u32, u32)>,
        depth: u32,
    ) -> Option<()> {
        if depth > MAX_DEPTH || ranges.len() > 64 {
            return None;
        }
        match self.module.resolve(ty) {
            Type::Struct(body) => {
                for (offset, field) in self.field_offsets(body).ok()?.into_iter().zip(&body.fields) {
                    self.collect_padding(field, start + offset, at, ranges, depth + 1)?;
                }
            }
            Type::Array(count, element) => {
                let stride = self.size(element).ok()?;
                let mut inner = Vec::new();
                let mut inner_at = 0;
                self.collect_padding(element, 0, &mut inner_at, &mut inner, depth + 1)?;
                if *count > 0 && inner.is_empty() && inner_at == stride {
                    // Solid elements: the array is one solid piece.
                    push_range(ranges, *at, start)?;
                    *at = start + count * stride;
                } else {
                    for i in 0..*count {
                        self.collect_padding(element, start + i * stride, at, ranges, depth + 1)?;
                    }
                }
            }
            scalar => {
                let size = match scalar {
                    Type::X86Fp80 | Type::Fp128 => 8,
                    Type::Int(bits) => u64::from(bits.div_ceil(8)),
                    other => self.size(other).ok()?,
                };
                push_range(ranges, *at, start)?;
                *at = start + size;
            }
        }
        Some(())
    }
}

fn set(table: &mut Vec<(u32, u64)>, width: u32, align: u64) {
    match table.iter_mut().find(|(w, _)| *w == width) {
        Some(entry) => entry.1 = align,
        None => table.push((width, align)),
    }
}

fn push_range(ranges: &mut Vec<(u32, u32)>, from: u64, to: u64) -> Option<()> {
    if from >= to {
        return Some(());
    }
    let (from, to) = (u32::try_from(from).ok()?, u32::try_from(to).ok()?);
    match ranges.last_mut() {
        Some(last) if last.1 == from => last.1 = to,
        _ => ranges.push((from, to)),
    }
    Some(())
}
