//! Metadata: numbered nodes with named fields, kept generic.
//!
//! Only debug information matters to us, and of it only names, places and
//! types. New LLVM versions add node kinds and fields freely, so a node is its
//! kind and a list of fields rather than one struct for each kind; `debug.rs`
//! interprets them.

use std::collections::BTreeMap;

use super::{Operand, Symbol};

/// The number of a metadata node, the 12 of `!12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MdId(pub u32);

#[derive(Clone, Debug, PartialEq)]
pub enum MdValue {
    Null,
    Ref(MdId),
    Str(Symbol),
    Int(i128),
    Bool(bool),
    /// A symbolic constant such as `DW_TAG_member`, or several joined by ` | `
    /// (flags).
    Word(Symbol),
    /// A node written in place.
    Node(Box<Node>),
    /// An IR value with its type, e.g. `i32 7` or `ptr @f`.
    Value(Operand),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// `DILocation`, `DISubprogram`, …; empty for a tuple `!{...}`.
    pub kind: Symbol,
    pub distinct: bool,
    /// Named fields: `line: 5`.
    pub fields: Vec<(Symbol, MdValue)>,
    /// Positional fields of tuples, `DIExpression` and `DIArgList`.
    pub elements: Vec<MdValue>,
}

/// All metadata of a module.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    pub nodes: BTreeMap<MdId, Node>,
    /// `!llvm.dbg.cu = !{!0}` and the like.
    pub named: BTreeMap<Symbol, Vec<MdId>>,
}

impl Metadata {
    pub fn node(&self, id: MdId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    /// The node a field points to or contains.
    pub fn field<'a>(&'a self, node: &'a Node, name: &str) -> Option<&'a Node> {
        self.follow(node.get(name)?)
    }

    /// The node a value points to or is.
    pub fn follow<'a>(&'a self, value: &'a MdValue) -> Option<&'a Node> {
        match value {
            MdValue::Ref(id) => self.node(*id),
            MdValue::Node(node) => Some(node),
            _ => None,
        }
    }
}

impl Node {
    pub fn get(&self, name: &str) -> Option<&MdValue> {
        self.fields.iter().find(|(n, _)| &**n == name).map(|(_, v)| v)
    }

    pub fn str(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            MdValue::Str(s) => Some(s),
            _ => None,
        }
    }

    pub fn int(&self, name: &str) -> Option<i128> {
        match self.get(name)? {
            MdValue::Int(i) => Some(*i),
            // Where a count or offset may also be an expression, LLVM prints
            // the plain number as `i64 5`.
            MdValue::Value(operand) => match operand.value {
                super::Value::Const(super::Constant::Int(i)) => Some(i),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn u32(&self, name: &str) -> Option<u32> {
        u32::try_from(self.int(name)?).ok()
    }

    /// A symbolic constant such as a tag, encoding or set of flags.
    pub fn word(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            MdValue::Word(w) => Some(w),
            _ => None,
        }
    }

    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            MdValue::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn reference(&self, name: &str) -> Option<MdId> {
        match self.get(name)? {
            MdValue::Ref(id) => Some(*id),
            _ => None,
        }
    }

    pub fn is(&self, kind: &str) -> bool {
        &*self.kind == kind
    }
}
