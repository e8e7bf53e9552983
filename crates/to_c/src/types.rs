//! C's types, as the debug information has them: how large they are, and what lies where in them.
//!
//! Types of our own (an object of which only the accesses are known) are added to the same table. A struct is
//! printed by [`crate::declare`] from the same [`Piece`]s that are looked at here, so what is found at an offset
//! is what the C compiler puts there.

use crate::names::identifier;
use selvedge_program::{DataModel, DebugType, EntityRef, Field, PrimaryMap, SourceMap, Ty, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;

/// The type of a C expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CType {
    Int {
        bits: u32,
        signed: bool,
    },
    Bool,
    Float,
    Double,
    /// To a type; or to an unknown one: `void *`.
    Pointer(Option<TypeId>),
}

impl CType {
    /// Without further knowledge.
    pub fn of(ty: Ty) -> CType {
        match ty {
            Ty::Int(1) => CType::Bool,
            Ty::Int(bits) => CType::Int { bits: u32::from(bits), signed: true },
            Ty::F32 => CType::Float,
            Ty::F64 => CType::Double,
            Ty::Ptr => CType::Pointer(None),
        }
    }

    pub fn unsigned(bits: u32) -> CType {
        CType::Int { bits, signed: false }
    }

    pub fn signed(bits: u32) -> CType {
        CType::Int { bits, signed: true }
    }

    /// Can an access of this type be made through it?
    pub fn fits(self, ty: Ty) -> bool {
        match (self, ty) {
            (CType::Int { bits, .. }, Ty::Int(width)) => bits == u32::from(width).next_multiple_of(8),
            (CType::Bool, Ty::Int(width)) => width <= 8,
            (CType::Float, Ty::F32) | (CType::Double, Ty::F64) | (CType::Pointer(_), Ty::Ptr) => true,
            _ => false,
        }
    }
}

/// Library objects are printed as the models see them: as glibc has them, each is a union of which the models
/// use a few bytes.
const SEEN_BY_MODELS: [(&str, &str); 4] = [
    ("pthread_mutex_t", "selvedge_mutex"),
    ("pthread_cond_t", "selvedge_cond"),
    ("pthread_barrier_t", "selvedge_barrier"),
    ("sem_t", "selvedge_semaphore"),
];

/// Members of a struct that lie side by side, or on top of each other.
#[derive(Clone, Debug)]
pub enum Piece {
    Member(Field),
    /// Members of unnamed structs inside an unnamed union.
    Overlay(Vec<Vec<Field>>),
    /// Bytes without a name: gaps, bit-fields.
    Bytes {
        at: u64,
        size: u64,
    },
}

/// The layout of a struct.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub pieces: Vec<Piece>,
    pub align: u64,
}

pub struct Types {
    pub source: SourceMap,
    pub model: DataModel,
    layouts: RefCell<HashMap<TypeId, Layout>>,
    added: HashMap<DebugType, TypeId>,
}

impl Types {
    pub fn new(source: &SourceMap, model: DataModel) -> Types {
        let mut types = Types {
            source: SourceMap { files: PrimaryMap::new(), types: source.types.clone() },
            model,
            layouts: RefCell::default(),
            added: HashMap::new(),
        };
        types.add_views();
        types
    }

    fn add_views(&mut self) {
        for (library, seen) in SEEN_BY_MODELS {
            let is_seen = |ty: &&DebugType| matches!(ty, DebugType::Struct { name, .. } if name == seen);
            let Some(DebugType::Struct { fields, .. }) = self.source.types.values().find(is_seen).cloned() else {
                continue;
            };
            let of_library = |ty: &DebugType| match ty {
                DebugType::Named { name, of } if name == library => Some(self.source.strip(*of)),
                _ => None,
            };
            let mut all: Vec<TypeId> = self.source.types.values().filter_map(of_library).collect();
            all.sort_unstable();
            all.dedup();
            for ty in all {
                let DebugType::Struct { size, .. } = self.source.types[ty] else { continue };
                let inside = |field: &&Field| field.bit_offset / 8 + self.size(field.ty) <= size;
                let fields = fields.iter().filter(inside).cloned().collect();
                self.source.types[ty] = DebugType::Struct { name: library.to_string(), size, fields, is_union: false };
            }
        }
    }

    /// A type of our own.
    pub fn add(&mut self, ty: DebugType) -> TypeId {
        if let Some(known) = self.added.get(&ty) {
            return *known;
        }
        let id = self.source.types.push(ty.clone());
        self.added.insert(ty, id);
        id
    }

    pub fn add_scalar(&mut self, ty: CType) -> TypeId {
        match ty {
            CType::Int { bits, signed } => self.add(DebugType::Int { name: String::new(), bits, signed }),
            CType::Bool => self.add(DebugType::Bool),
            CType::Float => self.add(DebugType::Float { name: "float".to_string(), bits: 32 }),
            CType::Double => self.add(DebugType::Float { name: "double".to_string(), bits: 64 }),
            CType::Pointer(to) => {
                let to = to.unwrap_or_else(|| self.add(DebugType::Unknown));
                self.add(DebugType::Pointer { to })
            }
        }
    }

    pub fn get(&self, ty: TypeId) -> &DebugType {
        &self.source.types[self.source.strip(ty)]
    }

    pub fn size(&self, ty: TypeId) -> u64 {
        match self.get(ty) {
            DebugType::Pointer { .. } => u64::from(self.model.pointer_bytes()),
            DebugType::Array { of, count } => self.size(*of).saturating_mul(count.unwrap_or(0)),
            _ => self.source.size(ty),
        }
    }

    pub fn align(&self, ty: TypeId) -> u64 {
        match self.get(ty) {
            DebugType::Array { of, .. } => self.align(*of),
            DebugType::Struct { .. } => self.layout(ty).align,
            DebugType::Int { bits: 64, .. } | DebugType::Float { bits: 64, .. } if self.model == DataModel::Ilp32 => 4,
            _ => self.size(ty).clamp(1, 16).next_power_of_two(),
        }
    }

    /// The type of a value, if it is one that registers can hold.
    pub fn scalar(&self, ty: TypeId) -> Option<CType> {
        match self.get(ty) {
            DebugType::Int { bits, signed, .. } if *bits > 0 => Some(CType::Int { bits: *bits, signed: *signed }),
            // Printed as integers.
            DebugType::Enum { bits, .. } => Some(CType::Int { bits: *bits, signed: true }),
            DebugType::Bool => Some(CType::Bool),
            DebugType::Float { bits: 32, .. } => Some(CType::Float),
            DebugType::Float { bits: 64, .. } => Some(CType::Double),
            DebugType::Pointer { to } => Some(CType::Pointer(self.pointee(*to))),
            _ => None,
        }
    }

    /// The type that a pointer may be printed to point to.
    pub fn pointee(&self, to: TypeId) -> Option<TypeId> {
        match self.get(to) {
            DebugType::Unknown | DebugType::Function => None,
            DebugType::Struct { fields, .. } if fields.is_empty() => None,
            DebugType::Array { .. } if self.size(to) == 0 => None,
            _ => Some(to),
        }
    }

    pub fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), DebugType::Array { .. })
    }

    /// The way from a type to what lies `offset` bytes into it and fits the access: `.a.b[3]`.
    pub fn leaf(&self, ty: TypeId, offset: u64, access: Ty) -> Option<(String, TypeId)> {
        let fits = |types: &Types, ty: TypeId| types.scalar(ty).is_some_and(|scalar| scalar.fits(access));
        self.find(ty, offset, &fits, 0)
    }

    /// The path to any part that passes the test, outermost first.
    pub fn find(
        &self,
        ty: TypeId,
        offset: u64,
        wanted: &dyn Fn(&Types, TypeId) -> bool,
        depth: u32,
    ) -> Option<(String, TypeId)> {
        if offset == 0 && wanted(self, ty) {
            return Some((String::new(), ty));
        }
        if depth > 32 {
            return None;
        }
        match self.get(ty) {
            DebugType::Array { of, count } => {
                let stride = self.size(*of);
                let index = offset.checked_div(stride)?;
                if count.is_some_and(|count| index >= count) {
                    return None;
                }
                let (rest, found) = self.find(*of, offset % stride, wanted, depth + 1)?;
                Some((format!("[{index}]{rest}"), found))
            }
            DebugType::Struct { .. } => {
                let within = |field: &Field| {
                    let start = field.bit_offset / 8;
                    if field.bits.is_some() || offset < start || offset >= start + self.size(field.ty) {
                        return None;
                    }
                    let (rest, found) = self.find(field.ty, offset - start, wanted, depth + 1)?;
                    Some((format!(".{}{rest}", identifier(&field.name)), found))
                };
                let layout = self.layout(ty);
                layout.pieces.iter().find_map(|piece| match piece {
                    Piece::Member(field) => within(field),
                    Piece::Overlay(ways) => ways.iter().flatten().find_map(within),
                    Piece::Bytes { .. } => None,
                })
            }
            _ => None,
        }
    }

    /// The layout of a struct or union. Where C's own rules would give another one, it is nothing but bytes.
    pub fn layout(&self, ty: TypeId) -> Layout {
        let ty = self.source.strip(ty);
        if let Some(known) = self.layouts.borrow().get(&ty) {
            return known.clone();
        }
        // A struct that contains itself is no C: it must not hang us.
        self.layouts.borrow_mut().insert(ty, Layout { pieces: Vec::new(), align: 1 });
        let DebugType::Struct { size, fields, is_union, .. } = self.get(ty) else {
            return Layout { pieces: Vec::new(), align: 1 };
        };
        let layout = match is_union {
            true => self.union_layout(*size, fields),
            false => self.struct_layout(*size, fields),
        };
        self.layouts.borrow_mut().insert(ty, layout.clone());
        layout
    }

    fn union_layout(&self, size: u64, fields: &[Field]) -> Layout {
        let plain: Vec<&Field> = fields.iter().filter(|field| field.bits.is_none() && field.bit_offset == 0).collect();
        let align = plain.iter().map(|field| self.align(field.ty)).max().unwrap_or(1);
        let mut pieces: Vec<Piece> = plain.iter().map(|field| Piece::Member((*field).clone())).collect();
        let largest = plain.iter().map(|field| self.size(field.ty)).max().unwrap_or(0);
        if largest.next_multiple_of(align) != size {
            pieces.push(Piece::Bytes { at: 0, size });
        }
        Layout { pieces, align: if size.is_multiple_of(align) { align } else { 1 } }
    }

    fn struct_layout(&self, size: u64, fields: &[Field]) -> Layout {
        let mut pieces = Vec::new();
        let mut at = 0;
        let mut align = 1;
        for group in self.groups(fields) {
            let start = group.iter().map(|field| field.bit_offset / 8).min().unwrap_or(0);
            let end = group.iter().map(|field| field.bit_offset / 8 + self.size(field.ty)).max().unwrap_or(0);
            let needed = group.iter().map(|field| self.align(field.ty)).max().unwrap_or(1);
            if start % needed != 0 || start < at {
                return Layout { pieces: vec![Piece::Bytes { at: 0, size }], align: 1 };
            }
            if at.next_multiple_of(needed) != start {
                pieces.push(Piece::Bytes { at, size: start - at });
            }
            pieces.push(match group.as_slice() {
                [field] => Piece::Member(field.clone()),
                several => Piece::Overlay(ascending(several)),
            });
            (at, align) = (end, align.max(needed));
        }
        if !size.is_multiple_of(align) {
            return Layout { pieces: vec![Piece::Bytes { at: 0, size }], align: 1 };
        }
        if at.next_multiple_of(align) != size && at < size {
            pieces.push(Piece::Bytes { at, size: size - at });
        }
        Layout { pieces, align }
    }

    /// Members that overlap belong together. Bit-fields are left out, and so is what has no size.
    fn groups(&self, fields: &[Field]) -> Vec<Vec<Field>> {
        let mut groups: Vec<(u64, Vec<Field>)> = Vec::new();
        for field in fields.iter().filter(|field| field.bits.is_none() && self.size(field.ty) > 0) {
            let (start, end) = (field.bit_offset / 8, field.bit_offset / 8 + self.size(field.ty));
            match groups.last_mut() {
                Some((last, group)) if start < *last => {
                    *last = end.max(*last);
                    group.push(field.clone());
                }
                _ => groups.push((end, vec![field.clone()])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// A number for a type that has no name.
    pub fn number(ty: TypeId) -> usize {
        ty.index()
    }
}

/// Runs of members, each of which is a struct of its own.
fn ascending(fields: &[Field]) -> Vec<Vec<Field>> {
    let mut runs: Vec<Vec<Field>> = Vec::new();
    for field in fields {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| last.bit_offset < field.bit_offset) => run.push(field.clone()),
            _ => runs.push(vec![field.clone()]),
        }
    }
    runs
}
