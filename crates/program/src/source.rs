//! Positions in the C source, and C's own types: for people and for readable output.
//!
//! No verdict may depend on anything in here.

use cranelift_entity::{PrimaryMap, entity_impl};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);
entity_impl!(FileId, "file");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);
entity_impl!(TypeId, "type");

/// A source position. Line 0 means unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Loc {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

impl Loc {
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}

/// A C type as the debug information describes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[rustfmt::skip]
pub enum DebugType {
    /// No information, or `void`.
    Unknown,
    Int { name: String, bits: u32, signed: bool },
    Bool,
    Float { name: String, bits: u32 },
    Pointer { to: TypeId },
    Function,
    Array { of: TypeId, count: Option<u64> },
    Struct { name: String, size: u64, fields: Vec<Field>, is_union: bool },
    Enum { name: String, bits: u32, values: Vec<(String, i128)> },
    /// A typedef, or a qualified type.
    Named { name: String, of: TypeId },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub name: String,
    pub bit_offset: u64,
    pub ty: TypeId,
    /// The width of a bit-field.
    pub bits: Option<u32>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct SourceMap {
    /// Paths as the user gave them.
    pub files: PrimaryMap<FileId, String>,
    pub types: PrimaryMap<TypeId, DebugType>,
}

impl SourceMap {
    pub const NOWHERE: Loc = Loc { file: FileId(0), line: 0, column: 0 };

    /// `file:line`, or a word for "unknown".
    pub fn describe(&self, loc: Loc) -> String {
        match self.files.get(loc.file) {
            Some(file) if loc.is_known() => format!("{file}:{}", loc.line),
            _ => "an unknown line".to_string(),
        }
    }

    /// Looks through typedefs and qualifiers.
    pub fn strip(&self, mut ty: TypeId) -> TypeId {
        // Debug information is input: a cycle in it must not hang us.
        for _ in 0..64 {
            match &self.types[ty] {
                DebugType::Named { of, .. } => ty = *of,
                _ => break,
            }
        }
        ty
    }

    /// The C expression for what lies `offset` bytes into an object called `name` of type `ty`:
    /// `stack.array[1].Next`. Stops at the innermost thing that starts there and is `bytes` long.
    pub fn path(&self, name: &str, ty: Option<TypeId>, offset: u64, bytes: u64) -> String {
        let mut path = name.to_string();
        let mut rest = offset;
        let mut current = ty;
        for _ in 0..64 {
            let Some(ty) = current else { break };
            match &self.types[self.strip(ty)] {
                DebugType::Struct { fields, size, is_union: false, .. }
                    if rest < *size && bytes < *size || rest > 0 =>
                {
                    let Some(field) = fields.iter().rev().find(|f| f.bit_offset / 8 <= rest) else { break };
                    path = format!("{path}.{}", field.name);
                    rest -= field.bit_offset / 8;
                    current = Some(field.ty);
                }
                DebugType::Array { of, .. } => {
                    let is_pointer = matches!(self.types[self.strip(*of)], DebugType::Pointer { .. });
                    let stride = match self.size(*of) {
                        // Pointers are accessed whole, and come in two widths.
                        0 if is_pointer && matches!(bytes, 4 | 8) => bytes,
                        size => size,
                    };
                    if stride == 0 {
                        break;
                    }
                    // A copy may take several elements at a time. Addresses have no size.
                    if bytes > stride && bytes != u64::MAX {
                        let last = (rest + bytes - 1) / stride;
                        return format!("{path}[{}..{last}]", rest / stride);
                    }
                    path = format!("{path}[{}]", rest / stride);
                    rest %= stride;
                    current = Some(*of);
                }
                _ => break,
            }
        }
        if rest > 0 { format!("{path}+{rest}") } else { path }
    }

    /// The size in bytes, as far as the debug information tells (pointers: unknown, 0).
    pub fn size(&self, ty: TypeId) -> u64 {
        match &self.types[self.strip(ty)] {
            DebugType::Int { bits, .. } | DebugType::Float { bits, .. } | DebugType::Enum { bits, .. } => {
                u64::from(bits.div_ceil(8))
            }
            DebugType::Bool => 1,
            DebugType::Struct { size, .. } => *size,
            DebugType::Array { of, count } => self.size(*of) * count.unwrap_or(0),
            DebugType::Unknown | DebugType::Pointer { .. } | DebugType::Function | DebugType::Named { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_arrays_are_named() {
        let mut source = SourceMap::default();
        let int = source.types.push(DebugType::Int { name: "int".into(), bits: 32, signed: true });
        let array = Some(source.types.push(DebugType::Array { of: int, count: Some(4) }));
        assert_eq!(source.path("a", array, 4, 4), "a[1]");
        assert_eq!(source.path("a", array, 6, 2), "a[1]+2");
        assert_eq!(source.path("a", array, 4, 8), "a[1..2]");
        assert_eq!(source.path("a", array, 8, u64::MAX), "a[2]");
        let pointer = source.types.push(DebugType::Pointer { to: int });
        let list = source.types.push(DebugType::Array { of: pointer, count: Some(2) });
        let field = Field { name: "list".into(), bit_offset: 64, ty: list, bits: None };
        let pool = DebugType::Struct { name: "pool".into(), size: 24, fields: vec![field], is_union: false };
        let pool = Some(source.types.push(pool));
        assert_eq!(source.path("pool", pool, 8, 8), "pool.list[0]");
        assert_eq!(source.path("pool", pool, 16, 8), "pool.list[1]");
    }
}
