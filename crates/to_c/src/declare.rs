//! Declarations: types as C writes them, and their definitions in the order in which C needs them.

use crate::names::{Names, identifier};
use crate::types::{CType, Layout, Piece, Types};
use selvedge_program::{DebugType, Field, TypeId};
use std::collections::{BTreeSet, HashMap};

/// The declarations needed so far, and their names.
#[derive(Default)]
pub struct Declarations {
    /// Definitions, in order.
    pub text: String,
    tags: HashMap<TypeId, String>,
    /// By tag: what is called so.
    called: HashMap<String, TypeId>,
    typedefs: HashMap<String, TypeId>,
    defined: BTreeSet<TypeId>,
    announced: BTreeSet<String>,
    open: BTreeSet<TypeId>,
}

/// The names of the integers, by width: signed, unsigned.
pub fn integer(bits: u32, signed: bool) -> &'static str {
    match (bits, signed) {
        (0..=8, true) => "int8_t",
        (0..=8, false) => "uint8_t",
        (9..=16, true) => "int16_t",
        (9..=16, false) => "uint16_t",
        (17..=32, true) => "int",
        (17..=32, false) => "unsigned",
        (33..=64, true) => "int64_t",
        (33..=64, false) => "uint64_t",
        (_, true) => "__int128",
        (_, false) => "unsigned __int128",
    }
}

impl Declarations {
    /// The type of an expression, with the name of a variable if there is one.
    pub fn scalar(&mut self, types: &Types, names: &mut Names, ty: CType, name: &str) -> String {
        let space = if name.is_empty() { "" } else { " " };
        match ty {
            CType::Int { bits, signed } => format!("{}{space}{name}", integer(bits, signed)),
            CType::Bool => format!("_Bool{space}{name}"),
            CType::Float => format!("float{space}{name}"),
            CType::Double => format!("double{space}{name}"),
            CType::Pointer(None) => format!("void *{name}"),
            CType::Pointer(Some(to)) => {
                let inner = if types.is_array(to) { format!("(*{name})") } else { format!("*{name}") };
                self.pointer(types, names, to, &inner)
            }
        }
    }

    /// A struct need not be complete if only a pointer to it is declared.
    fn pointer(&mut self, types: &Types, names: &mut Names, to: TypeId, declarator: &str) -> String {
        if types.pointee(to).is_none() {
            return format!("void {declarator}");
        }
        match types.get(to) {
            DebugType::Struct { is_union, .. } => {
                let tag = self.tag(types, names, to);
                let word = if *is_union { "union" } else { "struct" };
                if self.announced.insert(tag.clone()) {
                    self.text.push_str(&format!("{word} {tag};\n"));
                }
                format!("{word} {tag} {declarator}")
            }
            DebugType::Pointer { to: next } => {
                let inner = if types.is_array(*next) { format!("(*{declarator})") } else { format!("*{declarator}") };
                self.pointer(types, names, *next, &inner)
            }
            DebugType::Array { of, count } => {
                let count = count.map_or(String::new(), |count| count.to_string());
                self.pointer(types, names, *of, &format!("{declarator}[{count}]"))
            }
            _ => self.declare(types, names, to, declarator),
        }
    }

    /// A variable or member of a type, which is then complete.
    pub fn declare(&mut self, types: &Types, names: &mut Names, ty: TypeId, name: &str) -> String {
        if let DebugType::Named { name: known, of } = &types.source.types[ty]
            && let Some(typedef) = self.typedef(types, names, known, *of)
        {
            return spaced(&typedef, name);
        }
        match types.get(ty) {
            DebugType::Int { bits: 0, .. } | DebugType::Unknown | DebugType::Function => spaced("void", name),
            DebugType::Int { name: known, bits, signed } => {
                // A name without the width of its type is none.
                let is_name = !known.is_empty() && !known.contains("_BitInt");
                spaced(if is_name { known } else { integer(*bits, *signed) }, name)
            }
            DebugType::Enum { bits, .. } => spaced(integer(*bits, true), name),
            DebugType::Bool => spaced("_Bool", name),
            DebugType::Float { name: known, .. } => spaced(known, name),
            DebugType::Pointer { to } => {
                let inner = if types.is_array(*to) { format!("(*{name})") } else { format!("*{name}") };
                self.pointer(types, names, *to, &inner)
            }
            DebugType::Array { of, count } => {
                let count = count.map_or(String::new(), |count| count.to_string());
                self.declare(types, names, *of, &format!("{name}[{count}]"))
            }
            DebugType::Struct { is_union, .. } => {
                self.define(types, names, ty);
                let tag = self.tag(types, names, ty);
                spaced(&format!("{} {tag}", if *is_union { "union" } else { "struct" }), name)
            }
            DebugType::Named { .. } => spaced("int", name),
        }
    }

    /// The name of a typedef, unless another one has it.
    fn typedef(&mut self, types: &Types, names: &mut Names, name: &str, of: TypeId) -> Option<String> {
        let target = types.source.strip(of);
        if let Some(known) = self.typedefs.get(name) {
            return (*known == target || self.same(types, *known, target)).then(|| name.to_string());
        }
        if !names.is_free(name) || matches!(types.get(of), DebugType::Unknown | DebugType::Function) {
            return None;
        }
        let declared = self.declare(types, names, of, name);
        names.take(name);
        self.typedefs.insert(name.to_string(), target);
        self.text.push_str(&format!("typedef {declared};\n"));
        Some(name.to_string())
    }

    fn same(&self, types: &Types, a: TypeId, b: TypeId) -> bool {
        match (types.get(a), types.get(b)) {
            (
                DebugType::Struct { name, size, fields, .. },
                DebugType::Struct { name: other, size: others, fields: their, .. },
            ) => {
                let alike = |(mine, theirs): (&Field, &Field)| {
                    (&mine.name, mine.bit_offset, types.size(mine.ty))
                        == (&theirs.name, theirs.bit_offset, types.size(theirs.ty))
                };
                name == other && size == others && fields.len() == their.len() && fields.iter().zip(their).all(alike)
            }
            (a, b) => a == b,
        }
    }

    /// Two structs of one name are one if they look the same.
    fn tag(&mut self, types: &Types, names: &mut Names, ty: TypeId) -> String {
        let ty = types.source.strip(ty);
        if let Some(tag) = self.tags.get(&ty) {
            return tag.clone();
        }
        let DebugType::Struct { name, .. } = types.get(ty) else { return "nothing".to_string() };
        let wanted = if name.is_empty() { format!("unnamed_{}", Types::number(ty)) } else { names.clean(name) };
        let mut tag = wanted.clone();
        let mut number = 2;
        while let Some(other) = self.called.get(&tag) {
            if self.same(types, *other, ty) {
                break;
            }
            tag = format!("{wanted}_{number}");
            number += 1;
        }
        self.called.entry(tag.clone()).or_insert(ty);
        self.tags.insert(ty, tag.clone());
        tag
    }

    fn define(&mut self, types: &Types, names: &mut Names, ty: TypeId) {
        let tag = self.tag(types, names, ty);
        let ty = self.called[&tag];
        if self.defined.contains(&ty) || !self.open.insert(ty) {
            return;
        }
        let DebugType::Struct { is_union, .. } = types.get(ty) else { return };
        let Layout { pieces, align } = types.layout(ty);
        let mut body = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            // A struct of nothing but bytes has the alignment of what it stands for.
            match piece {
                Piece::Member(field) => body.push_str(&format!("    {};\n", self.member(types, names, field))),
                Piece::Bytes { size, .. } => body.push_str(&format!("    unsigned char bytes_{number}[{size}];\n")),
                Piece::Overlay(ways) => {
                    body.push_str("    union {\n");
                    for way in ways {
                        let members: Vec<String> =
                            way.iter().map(|field| format!("{};", self.member(types, names, field))).collect();
                        match members.as_slice() {
                            [one] => body.push_str(&format!("        {one}\n")),
                            several => body.push_str(&format!("        struct {{ {} }};\n", several.join(" "))),
                        }
                    }
                    body.push_str("    };\n");
                }
            }
        }
        let word = if *is_union { "union" } else { "struct" };
        let align = if align > 1 && pieces.iter().all(|piece| matches!(piece, Piece::Bytes { .. })) {
            format!(" __attribute__((aligned({align})))")
        } else {
            String::new()
        };
        self.text.push_str(&format!("{word} {tag} {{\n{body}}}{align};\n"));
        self.announced.insert(tag);
        self.defined.insert(ty);
    }

    fn member(&mut self, types: &Types, names: &mut Names, field: &Field) -> String {
        let name = identifier(&field.name);
        self.declare(types, names, field.ty, &name)
    }
}

fn spaced(ty: &str, name: &str) -> String {
    if name.is_empty() { ty.to_string() } else { format!("{ty} {name}") }
}
