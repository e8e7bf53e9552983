//! Debug information: source positions, C's types, names of variables.
//!
//! Types refer to each other in cycles, so an id is handed out at once and the type behind it is
//! filled in from a queue; nothing recurses along pointers. Only types that something mentions are
//! translated.

use std::collections::HashMap;

use selvedge_program::{DebugType, Field, FileId, Loc, SourceMap, TypeId};

use super::Unit;
use crate::ll::{MdId, MdValue, Metadata, Node};

#[derive(Debug)]
pub struct Debug<'m> {
    units: Vec<&'m Metadata>,
    pub source: SourceMap,
    files: HashMap<String, FileId>,
    locations: HashMap<(usize, MdId), Loc>,
    types: HashMap<(usize, MdId), TypeId>,
    queue: Vec<(usize, MdId, TypeId)>,
    /// For each module the debug types of structs, by LLVM's name.
    structs: Vec<HashMap<String, MdId>>,
    unknown: TypeId,
}

/// A C variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Option<TypeId>,
    pub loc: Loc,
    /// It is declared in a block within its function.
    pub in_block: bool,
}

impl<'m> Debug<'m> {
    pub fn new(units: &'m [Unit]) -> Debug<'m> {
        let mut source = SourceMap::default();
        let unknown = source.types.push(DebugType::Unknown);
        let mut debug = Debug {
            units: units.iter().map(|u| &u.module.metadata).collect(),
            source,
            files: HashMap::new(),
            locations: HashMap::new(),
            types: HashMap::new(),
            queue: vec![],
            structs: units.iter().map(|u| struct_names(&u.module.metadata)).collect(),
            unknown,
        };
        // The first file also stands for "nowhere", see `SourceMap::NOWHERE`.
        debug.file(units.first().map_or("", |u| &u.module.source_file));
        debug
    }

    fn file(&mut self, path: &str) -> FileId {
        if let Some(id) = self.files.get(path) {
            return *id;
        }
        let id = self.source.files.push(path.to_string());
        self.files.insert(path.to_string(), id);
        id
    }

    /// Whether this is a place in a header of the C++ library.
    pub fn is_in_library(&self, loc: Loc) -> bool {
        let is_library =
            |path: &str| path.split_once("/include/").is_some_and(|(_, rest)| format!("/{rest}").contains("/c++/"));
        loc != SourceMap::NOWHERE && is_library(&self.source.files[loc.file])
    }

    fn node(&self, unit: usize, id: MdId) -> Option<&'m Node> {
        self.units[unit].node(id)
    }

    /// The file a scope, variable or subprogram is in, by walking out through its scopes.
    fn file_of(&mut self, unit: usize, node: &'m Node) -> Option<FileId> {
        let metadata = self.units[unit];
        let mut node = node;
        for _ in 0..64 {
            if node.is("DIFile") {
                return Some(self.file(node.str("filename")?));
            }
            node = metadata.field(node, "file").or_else(|| metadata.field(node, "scope"))?;
        }
        None
    }

    /// The place a `DILocation` names.
    pub fn location(&mut self, unit: usize, id: MdId) -> Option<Loc> {
        if let Some(known) = self.locations.get(&(unit, id)) {
            return Some(*known);
        }
        let node = self.node(unit, id)?;
        let scope = self.units[unit].field(node, "scope")?;
        let loc = Loc {
            file: self.file_of(unit, scope)?,
            line: node.u32("line").unwrap_or(0),
            column: node.u32("column").unwrap_or(0),
        };
        self.locations.insert((unit, id), loc);
        Some(loc)
    }

    /// The place a subprogram or variable is declared.
    pub fn declaration(&mut self, unit: usize, id: MdId) -> Loc {
        let Some(node) = self.node(unit, id) else { return SourceMap::NOWHERE };
        match self.file_of(unit, node) {
            Some(file) => Loc { file, line: node.u32("line").unwrap_or(0), column: 0 },
            None => SourceMap::NOWHERE,
        }
    }

    /// For each parameter of a subprogram: is it a pointer to `const`?
    pub fn constant_parameters(&self, unit: usize, subprogram: MdId) -> Option<Vec<bool>> {
        let signature = self.node(unit, subprogram)?.reference("type")?;
        let types = self.node(unit, signature)?.reference("types")?;
        let points_to_constant = |item: &MdValue| {
            let pointer = self.node(unit, self.unqualified(unit, item)?)?;
            let MdValue::Ref(pointee) = pointer.get("baseType")? else { return None };
            let is_pointer = pointer.word("tag") == Some("DW_TAG_pointer_type");
            Some(is_pointer && self.node(unit, *pointee)?.word("tag") == Some("DW_TAG_const_type"))
        };
        // The first one is the result.
        Some(
            self.node(unit, types)?
                .elements
                .iter()
                .skip(1)
                .map(|item| points_to_constant(item).unwrap_or(false))
                .collect(),
        )
    }

    /// The variable of a `DILocalVariable` or `DIGlobalVariable`.
    pub fn variable(&mut self, unit: usize, id: MdId) -> Option<Variable> {
        let node = self.node(unit, id)?;
        let name = node.str("name")?.to_string();
        let ty = node.get("type").map(|t| self.type_of(unit, t));
        Some(Variable { name, ty, loc: self.declaration(unit, id), in_block: self.is_in_block(unit, node) })
    }

    fn is_in_block(&self, unit: usize, variable: &'m Node) -> bool {
        let scope_of = |node| self.units[unit].field(node, "scope");
        let mut scope = scope_of(variable);
        // A change of files within a block is no block.
        while let Some(file) = scope.filter(|scope| scope.is("DILexicalBlockFile")) {
            scope = scope_of(file);
        }
        scope.is_some_and(|scope| scope.is("DILexicalBlock"))
    }

    /// The variable of a global's `!dbg` attachments.
    pub fn global_variable(&mut self, unit: usize, attachments: &[MdId]) -> Option<Variable> {
        attachments.iter().find_map(|id| {
            let node = self.node(unit, *id)?;
            let variable = if node.is("DIGlobalVariableExpression") { node.reference("var")? } else { *id };
            self.variable(unit, variable)
        })
    }

    /// The debug type of LLVM's `struct.foo`.
    pub fn struct_named(&mut self, unit: usize, llvm_name: &str) -> Option<TypeId> {
        let name = strip_number(llvm_name);
        let id = *self.structs[unit].get(llvm_name).or_else(|| self.structs[unit].get(name))?;
        Some(self.type_of(unit, &MdValue::Ref(id)))
    }

    fn type_of(&mut self, unit: usize, value: &MdValue) -> TypeId {
        let id = self.enqueue(unit, value);
        while let Some((unit, md, id)) = self.queue.pop() {
            if let Some(node) = self.node(unit, md) {
                let ty = self.translate(unit, node);
                self.source.types[id] = ty;
            }
        }
        id
    }

    /// An id for a type that may be filled in later.
    fn enqueue(&mut self, unit: usize, value: &MdValue) -> TypeId {
        let Some(md) = self.unqualified(unit, value) else { return self.unknown };
        if let Some(id) = self.types.get(&(unit, md)) {
            return *id;
        }
        let id = self.source.types.push(DebugType::Unknown);
        self.types.insert((unit, md), id);
        self.queue.push((unit, md, id));
        id
    }

    /// Looks through `const`, `volatile` and the like.
    fn unqualified(&self, unit: usize, value: &MdValue) -> Option<MdId> {
        let &MdValue::Ref(mut id) = value else { return None };
        for _ in 0..64 {
            let node = self.node(unit, id)?;
            match node.word("tag") {
                Some("DW_TAG_const_type" | "DW_TAG_volatile_type" | "DW_TAG_restrict_type" | "DW_TAG_atomic_type") => {
                    id = node.reference("baseType")?
                }
                _ => return Some(id),
            }
        }
        None
    }

    fn base(&mut self, unit: usize, node: &Node) -> TypeId {
        match node.get("baseType") {
            Some(base) => self.enqueue(unit, base),
            None => self.unknown,
        }
    }

    fn translate(&mut self, unit: usize, node: &'m Node) -> DebugType {
        let name = || node.str("name").unwrap_or("").to_string();
        let size = node.int("size").and_then(|s| u64::try_from(s).ok()).unwrap_or(0);
        let bits = u32::try_from(size).unwrap_or(0);
        if node.is("DIBasicType") {
            return match node.word("encoding") {
                Some("DW_ATE_boolean") => DebugType::Bool,
                Some("DW_ATE_float") => DebugType::Float { name: name(), bits },
                Some(encoding) => DebugType::Int { name: name(), bits, signed: encoding.starts_with("DW_ATE_signed") },
                None => DebugType::Unknown,
            };
        }
        if node.is("DISubroutineType") {
            return DebugType::Function;
        }
        match node.word("tag") {
            Some("DW_TAG_pointer_type") => DebugType::Pointer { to: self.base(unit, node) },
            Some("DW_TAG_typedef") => DebugType::Named { name: name(), of: self.base(unit, node) },
            Some(tag @ ("DW_TAG_structure_type" | "DW_TAG_union_type" | "DW_TAG_class_type")) => {
                let mut fields = vec![];
                self.fields(unit, node, 0, &mut fields, 0);
                DebugType::Struct { name: name(), size: size / 8, fields, is_union: tag == "DW_TAG_union_type" }
            }
            Some("DW_TAG_enumeration_type") => {
                let bits = if bits == 0 { 32 } else { bits };
                DebugType::Enum { name: name(), bits, values: self.enumerators(unit, node) }
            }
            Some("DW_TAG_array_type") => self.array(unit, node),
            _ => DebugType::Unknown,
        }
    }

    /// Members; those of unnamed structs and unions count as the outer one's own, as they do in C.
    fn fields(&mut self, unit: usize, node: &'m Node, base: u64, fields: &mut Vec<Field>, depth: u32) {
        let metadata = self.units[unit];
        let Some(elements) = metadata.field(node, "elements") else { return };
        for member in elements.elements.iter().filter_map(|e| metadata.follow(e)) {
            if member.word("tag") != Some("DW_TAG_member") {
                continue;
            }
            let offset = member.int("offset").and_then(|o| u64::try_from(o).ok()).unwrap_or(0);
            let bit_offset = base + offset;
            let Some(name) = member.str("name") else {
                if let Some(inner) = metadata.field(member, "baseType")
                    && depth < 32
                {
                    self.fields(unit, inner, bit_offset, fields, depth + 1);
                }
                continue;
            };
            let is_bit_field = member.word("flags").is_some_and(|f| f.contains("DIFlagBitField"));
            let bits = if is_bit_field { member.u32("size") } else { None };
            let ty = self.base(unit, member);
            fields.push(Field { name: name.to_string(), bit_offset, ty, bits });
        }
    }

    fn enumerators(&self, unit: usize, node: &Node) -> Vec<(String, i128)> {
        let metadata = self.units[unit];
        let Some(elements) = metadata.field(node, "elements") else { return vec![] };
        (elements.elements.iter())
            .filter_map(|e| metadata.follow(e))
            .filter_map(|e| Some((e.str("name")?.to_string(), e.int("value")?)))
            .collect()
    }

    /// `int a[2][3]` is one node with two subranges, outermost first.
    fn array(&mut self, unit: usize, node: &'m Node) -> DebugType {
        let metadata = self.units[unit];
        let mut of = self.base(unit, node);
        let ranges = metadata.field(node, "elements").map_or(&[][..], |e| &e.elements);
        let counts: Vec<Option<u64>> = (ranges.iter())
            .filter_map(|r| metadata.follow(r))
            .map(|r| {
                let upper = || Some(r.int("upperBound")? + 1 - r.int("lowerBound").unwrap_or(0));
                r.int("count").or_else(upper).and_then(|c| u64::try_from(c).ok())
            })
            .collect();
        let (outer, inner) = match counts.split_first() {
            Some((outer, inner)) => (*outer, inner),
            None => (None, &[][..]),
        };
        for count in inner.iter().rev() {
            of = self.source.types.push(DebugType::Array { of, count: *count });
        }
        DebugType::Array { of, count: outer }
    }
}

/// `struct.foo.12` is `struct.foo`, made different from another by LLVM.
fn strip_number(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, number)) if stem.contains('.') && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// clang names a struct type by its tag, or by the typedef that names it.
fn struct_names(metadata: &Metadata) -> HashMap<String, MdId> {
    let mut names = HashMap::new();
    for (id, node) in &metadata.nodes {
        let composite = match node.word("tag") {
            Some("DW_TAG_structure_type" | "DW_TAG_union_type") => Some(node),
            Some("DW_TAG_typedef") => metadata.field(node, "baseType").filter(|base| base.str("name").is_none()),
            _ => None,
        };
        let prefix = match composite.and_then(|c| c.word("tag")) {
            Some("DW_TAG_structure_type") => "struct",
            Some("DW_TAG_union_type") => "union",
            _ => continue,
        };
        let complete = composite.is_some_and(|c| c.get("elements").is_some());
        if let (Some(name), true) = (node.str("name"), complete) {
            names.entry(format!("{prefix}.{name}")).or_insert(*id);
        }
    }
    names
}
