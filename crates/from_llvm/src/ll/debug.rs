//! Debug information: from the IR back to the C source.
//!
//! An instruction has a `DILocation` (line, column, scope, inlinedAt). Its
//! scope is a chain of lexical blocks that ends in a `DISubprogram`; the file
//! is that of the innermost scope. After inlining, `inlinedAt` is the location
//! of the call, so a location is a small call stack, innermost first.

use std::collections::BTreeMap;

use super::{DebugKind, Function, Global, LocalId, MdId, MdValue, Module, Node, Op, Value};

/// A chain of scopes, locations or types longer than this is considered a cycle.
const MAX_CHAIN: usize = 1000;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// As the user gave it to the compiler, if debug info has it so.
    pub file: String,
    pub line: u32,
    /// 0 if not known.
    pub column: u32,
    /// The C function, by its source name.
    pub function: String,
}

/// A variable or parameter of a C function.
#[derive(Clone, Copy, Debug)]
pub struct LocalVariable<'a> {
    pub name: &'a str,
    /// 1 for the first parameter; `None` for a variable.
    pub arg: Option<u32>,
    pub line: u32,
    /// The function it is declared in, by its source name.
    pub function: &'a str,
    /// Its C type.
    pub ty: Option<MdId>,
}

/// A variable outside functions, or a static one inside.
#[derive(Clone, Debug)]
pub struct GlobalVariable<'a> {
    pub name: &'a str,
    pub file: String,
    pub line: u32,
    pub ty: Option<MdId>,
}

impl Module {
    fn node(&self, id: MdId) -> Option<&Node> {
        self.metadata.node(id)
    }

    /// The source position of an instruction: the innermost one, in the function
    /// as written, even if that was inlined.
    pub fn source_location(&self, location: MdId) -> Option<SourceLocation> {
        self.one_location(self.node(location)?)
    }

    /// The location and the calls it was inlined through, innermost first.
    pub fn inlined_stack(&self, location: MdId) -> Vec<SourceLocation> {
        let mut stack = Vec::new();
        let mut next = self.node(location);
        while let Some(node) = next.filter(|_| stack.len() < MAX_CHAIN) {
            stack.extend(self.one_location(node));
            next = self.metadata.field(node, "inlinedAt");
        }
        stack
    }

    fn one_location(&self, location: &Node) -> Option<SourceLocation> {
        if !location.is("DILocation") {
            return None;
        }
        let scope = self.metadata.field(location, "scope")?;
        Some(SourceLocation {
            file: self.file_of(scope).unwrap_or_default(),
            line: location.u32("line").unwrap_or(0),
            column: location.u32("column").unwrap_or(0),
            function: self.subprogram_of(scope)?.str("name").unwrap_or("").to_owned(),
        })
    }

    /// The function a scope is in.
    fn subprogram_of<'a>(&'a self, scope: &'a Node) -> Option<&'a Node> {
        let mut scope = scope;
        for _ in 0..MAX_CHAIN {
            if scope.is("DISubprogram") {
                return Some(scope);
            }
            scope = self.metadata.field(scope, "scope")?;
        }
        None
    }

    /// The file of a scope, variable or type.
    fn file_of(&self, node: &Node) -> Option<String> {
        self.metadata.field(node, "file").and_then(file_path)
    }

    /// The place where a function is defined.
    pub fn function_location(&self, function: &Function) -> Option<SourceLocation> {
        let subprogram = self.node(function.subprogram?)?;
        Some(SourceLocation {
            file: self.file_of(subprogram)?,
            line: subprogram.u32("line")?,
            column: 0,
            function: subprogram.str("name")?.to_owned(),
        })
    }

    /// The `DILocalVariable` with this number.
    pub fn local_variable(&self, variable: MdId) -> Option<LocalVariable<'_>> {
        let node = self.node(variable).filter(|n| n.is("DILocalVariable"))?;
        let scope = self.metadata.field(node, "scope")?;
        Some(LocalVariable {
            name: node.str("name").unwrap_or(""),
            arg: node.u32("arg").filter(|&arg| arg > 0),
            line: node.u32("line").unwrap_or(0),
            function: self.subprogram_of(scope)?.str("name").unwrap_or(""),
            ty: node.reference("type"),
        })
    }

    /// The C variable a global stands for. `None` for string literals and the
    /// like.
    pub fn global_variable(&self, global: &Global) -> Option<GlobalVariable<'_>> {
        let expression = self.node(*global.debug.first()?)?;
        let node =
            if expression.is("DIGlobalVariable") { expression } else { self.metadata.field(expression, "var")? };
        Some(GlobalVariable {
            name: node.str("name")?,
            file: self.file_of(node).unwrap_or_default(),
            line: node.u32("line").unwrap_or(0),
            ty: node.reference("type"),
        })
    }

    /// A C type as one would write it, e.g. `struct node *` or `int[3]`.
    pub fn c_type_name(&self, ty: Option<MdId>) -> String {
        self.c_type_name_within(ty, 0)
    }

    fn c_type_name_within(&self, ty: Option<MdId>, depth: usize) -> String {
        let Some(node) = ty.and_then(|id| self.node(id)) else { return "void".into() };
        if depth > 50 {
            return "…".into();
        }
        let base = || self.c_type_name_within(node.reference("baseType"), depth + 1);
        let name = node.str("name").unwrap_or("");
        match node.word("tag").unwrap_or("") {
            "DW_TAG_pointer_type" => {
                let base = base();
                let gap = if base.ends_with('*') { "" } else { " " };
                format!("{base}{gap}*")
            }
            "DW_TAG_const_type" => format!("const {}", base()),
            "DW_TAG_volatile_type" => format!("volatile {}", base()),
            "DW_TAG_restrict_type" => base(),
            "DW_TAG_atomic_type" => format!("_Atomic({})", base()),
            "DW_TAG_structure_type" => format!("struct {name}").trim_end().to_owned(),
            "DW_TAG_union_type" => format!("union {name}").trim_end().to_owned(),
            "DW_TAG_enumeration_type" => format!("enum {name}").trim_end().to_owned(),
            "DW_TAG_array_type" => format!("{}{}", base(), self.array_bounds(node)),
            _ if node.is("DISubroutineType") => "function".into(),
            _ => name.to_owned(),
        }
    }

    fn array_bounds(&self, array: &Node) -> String {
        let ranges = self.metadata.field(array, "elements");
        let bound = |range: &MdValue| match self.metadata.follow(range)?.int("count") {
            Some(count) if count >= 0 => Some(format!("[{count}]")),
            _ => Some("[]".to_owned()),
        };
        ranges.map_or_else(String::new, |r| r.elements.iter().filter_map(bound).collect())
    }
}

impl Function {
    /// The C variable that each alloca (or byval parameter) holds.
    pub fn declared_variables(&self) -> BTreeMap<LocalId, MdId> {
        let mut variables = BTreeMap::new();
        for (_, instruction) in self.instructions() {
            let Op::Debug(record) = &instruction.op else { continue };
            if record.kind != DebugKind::Declare {
                continue;
            }
            if let ([operand], Some(variable)) = (&*record.values, record.variable)
                && let Value::Local(local) = operand.value
            {
                variables.entry(local).or_insert(variable);
            }
        }
        variables
    }
}

/// The path of a `DIFile`. A relative name is relative to the directory the
/// compiler ran in; the driver calls that `.`, and text from elsewhere says.
fn file_path(file: &Node) -> Option<String> {
    let name = file.str("filename")?;
    Some(match file.str("directory") {
        Some("" | ".") | None => name.to_owned(),
        Some(_) if name.starts_with('/') => name.to_owned(),
        Some(directory) => format!("{}/{name}", directory.trim_end_matches('/')),
    })
}
