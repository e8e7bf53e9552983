//! C expressions for values, such as `count`, `p->next`, `stack.array[i].Next`. For people only.
//!
//! Names follow the values: the address of a variable is named after the variable, a field's address
//! adds `.field`, a value loaded from `p` is named `p`, and its target `*p`.

use selvedge_program::{BinOp, DebugType, TypeId};

use super::constants::{Folded, sign_extend};
use super::function::Body;
use super::link::Entity;
use crate::ll::{ConstExpr, Constant, Type, Value};

/// Longer expressions are not useful.
const MAX_TEXT: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// The value of the expression.
    Value,
    /// The address of the expression.
    Address,
    /// The address that the expression, a pointer, holds.
    Pointer,
    /// The address of the first element of the expression, an array.
    Array,
}

/// The contents of a register, in C's terms.
#[derive(Clone, Debug)]
pub struct Named {
    text: String,
    form: Form,
    /// The type of the expression, or of its target for `Pointer` and `Array`.
    ty: Option<TypeId>,
}

/// An index of a getelementptr: its value if constant, and how to write it.
pub type IndexName = (Option<i64>, String);

impl Named {
    pub fn lvalue(text: String, ty: Option<TypeId>) -> Named {
        Named { text, form: Form::Address, ty }
    }

    pub fn value(text: String, ty: Option<TypeId>) -> Named {
        Named { text, form: Form::Value, ty }
    }

    fn short(self) -> Option<Named> {
        (self.text.len() <= MAX_TEXT).then_some(self)
    }
}

impl Body<'_, '_> {
    fn types(&self) -> &selvedge_program::SourceMap {
        &self.cx.debug.source
    }

    fn pointee(&self, ty: Option<TypeId>) -> Option<TypeId> {
        match &self.types().types[self.types().strip(ty?)] {
            DebugType::Pointer { to } => Some(*to),
            _ => None,
        }
    }

    pub fn name_of(&mut self, value: &Value) -> Option<Named> {
        match value {
            Value::Local(id) => self.names.get(id.0 as usize)?.clone(),
            Value::Const(constant) => self.constant_name(constant),
            _ => None,
        }
    }

    fn constant_name(&mut self, constant: &Constant) -> Option<Named> {
        if let Some(name) = constant.as_global() {
            let Entity::Global(key) = self.cx.links.resolve(self.unit, name)? else { return None };
            let id = self.cx.global_id(key);
            let global = &self.cx.globals[id];
            return Some(Named::lvalue(global.name.clone(), global.ty));
        }
        let Constant::Expr(expr) = constant else { return None };
        match &**expr {
            ConstExpr::GetElementPtr { source, base, indices, .. } => {
                let base = self.constant_name(&base.value)?;
                let indices: Vec<_> = indices.iter().map(|i| self.index_name(&Value::Const(i.value.clone()))).collect();
                self.gep_name(source, base, &indices)
            }
            ConstExpr::Cast { value, .. } => self.constant_name(&value.value),
            _ => None,
        }
    }

    pub fn index_name(&mut self, value: &Value) -> IndexName {
        match value {
            Value::Const(Constant::Int(i)) => (i64::try_from(*i).ok(), i.to_string()),
            Value::Const(Constant::Zero) => (Some(0), "0".to_string()),
            Value::Const(constant) => {
                let folded = self.cx.fold(self.unit, &Type::Int(64), constant).ok();
                match folded.as_deref() {
                    Some([Folded::Value(selvedge_program::Operand::Const { bits, .. })]) => {
                        let i = sign_extend(64, *bits);
                        (i64::try_from(i).ok(), i.to_string())
                    }
                    _ => (None, "..".to_string()),
                }
            }
            value => match self.name_of(value) {
                Some(Named { text, form: Form::Value, .. }) => (None, text),
                _ => (None, "..".to_string()),
            },
        }
    }

    /// `i + 1`, for use as an index.
    pub fn arithmetic_name(&mut self, op: BinOp, lhs: &Value, rhs: &Value) -> Option<Named> {
        let name = |body: &mut Self, value: &Value| match body.index_name(value) {
            (_, text) if text == ".." => None,
            (constant, text) => Some((constant.is_none(), text)),
        };
        let (left_varies, left) = name(self, lhs)?;
        let (right_varies, right) = name(self, rhs)?;
        if !left_varies && !right_varies {
            return None;
        }
        let wrap = |text: String| if text.contains(' ') { format!("({text})") } else { text };
        let text = match (op, right.strip_prefix('-')) {
            (BinOp::Add, Some(positive)) => format!("{left} - {positive}"),
            (BinOp::Add, None) => format!("{left} + {right}"),
            (BinOp::Sub, _) => format!("{left} - {}", wrap(right)),
            _ => format!("{} * {}", wrap(left), wrap(right)),
        };
        Named::value(text, None).short()
    }

    /// The place that an access through this pointer touches.
    pub fn place_named(&mut self, pointer: &Value) -> Option<Named> {
        let name = self.name_of(pointer)?;
        Some(self.as_address(name))
    }

    fn as_address(&self, name: Named) -> Named {
        match name.form {
            Form::Value => Named { ty: self.pointee(name.ty), form: Form::Pointer, text: name.text },
            _ => name,
        }
    }

    pub fn accessed(&self, place: &Named) -> String {
        match place.form {
            Form::Value | Form::Address => place.text.clone(),
            Form::Pointer => format!("*{}", parenthesise(&place.text)),
            Form::Array => format!("{}[0]", place.text),
        }
    }

    /// The name of the value read at a place.
    pub fn loaded(&self, place: Named) -> Named {
        Named { text: self.accessed(&place), form: Form::Value, ty: place.ty }
    }

    pub fn gep_name(&mut self, source: &Type, base: Named, indices: &[IndexName]) -> Option<Named> {
        let mut name = self.as_address(base);
        let module = self.module;
        let mut ty = source;
        for (position, (constant, text)) in indices.iter().enumerate() {
            if position == 0 {
                if *constant == Some(0) {
                    continue;
                }
                if let (Type::Int(8), Some(bytes)) = (source, constant)
                    && let Some(inner) = self.at_offset(&name, *bytes)
                {
                    name = inner;
                    continue;
                }
                name = match name.form {
                    Form::Pointer | Form::Array => {
                        Named::lvalue(format!("{}[{text}]", parenthesise(&name.text)), name.ty)
                    }
                    _ => Named::lvalue(format!("(&{})[{text}]", name.text), name.ty),
                };
                continue;
            }
            match module.resolve(ty) {
                Type::Struct(body) => {
                    let field = usize::try_from((*constant)?).ok()?;
                    let offset = *self.layout.field_offsets(body).ok()?.get(field)?;
                    let by_name = match ty {
                        Type::Named(id) => self.cx.debug.struct_named(self.unit, &module.types[id.0 as usize].name),
                        _ => None,
                    };
                    name = self.field_name(&name, by_name.or(name.ty)?, offset)?;
                    ty = &body.fields[field];
                }
                Type::Array(_, element) => {
                    let last = position + 1 == indices.len();
                    let element_ty = name.ty.and_then(|ty| match &self.types().types[self.types().strip(ty)] {
                        DebugType::Array { of, .. } => Some(*of),
                        _ => None,
                    });
                    let array = match name.form {
                        Form::Pointer => format!("(*{})", name.text),
                        Form::Array => format!("{}[0]", name.text),
                        _ => name.text,
                    };
                    name = if last && *constant == Some(0) {
                        Named { text: array, form: Form::Array, ty: element_ty }
                    } else {
                        Named::lvalue(format!("{array}[{text}]"), element_ty)
                    };
                    ty = element;
                }
                _ => return None,
            }
        }
        name.short()
    }

    fn field_name(&self, base: &Named, of: TypeId, offset: u64) -> Option<Named> {
        let DebugType::Struct { fields, .. } = &self.types().types[self.types().strip(of)] else { return None };
        let field = fields.iter().find(|f| f.bit_offset / 8 == offset)?;
        let text = match base.form {
            Form::Pointer => format!("{}->{}", parenthesise(&base.text), field.name),
            Form::Array => format!("{}[0].{}", base.text, field.name),
            _ => format!("{}.{}", base.text, field.name),
        };
        Some(Named::lvalue(text, Some(field.ty)))
    }

    /// The part of an object at a byte offset, which optimised code uses, by the debug type.
    fn at_offset(&self, base: &Named, bytes: i64) -> Option<Named> {
        let mut rest = u64::try_from(bytes).ok()?;
        let mut name = base.clone();
        for _ in 0..32 {
            let ty = self.types().strip(name.ty?);
            match &self.types().types[ty] {
                DebugType::Struct { fields, size, .. } if rest < *size => {
                    let field = fields.iter().filter(|f| f.bit_offset / 8 <= rest).max_by_key(|f| f.bit_offset / 8)?;
                    rest -= field.bit_offset / 8;
                    name = self.field_name(&name, ty, field.bit_offset / 8)?;
                }
                DebugType::Array { of, .. } => {
                    let stride = self.debug_size(*of);
                    if stride == 0 {
                        return None;
                    }
                    name = Named::lvalue(format!("{}[{}]", self.accessed(&name), rest / stride), Some(*of));
                    rest %= stride;
                }
                _ => break,
            }
        }
        (rest == 0).then_some(name)
    }

    fn debug_size(&self, ty: TypeId) -> u64 {
        match &self.types().types[self.types().strip(ty)] {
            DebugType::Pointer { .. } => u64::from(self.layout.model.pointer_bytes()),
            DebugType::Array { of, count } => self.debug_size(*of).saturating_mul(count.unwrap_or(0)),
            _ => self.types().size(ty),
        }
    }
}

/// `*p` binds less tightly than `->` and `[]`.
fn parenthesise(text: &str) -> String {
    if text.starts_with('*') || text.contains(' ') { format!("({text})") } else { text.to_string() }
}
