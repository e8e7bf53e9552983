//! From addresses to C: `p->next`, `buf[i]`, `x.a.b[3]`.
//!
//! An address is some bytes into something whose type is known. Only when it is used is the way found to what
//! lies there; where types do not fit, bytes are counted: `*(unsigned *)((char *)p + 8)`.

use crate::context::Context;
use crate::expression::{Expr, Level};
use crate::types::{CType, Types};
use selvedge_program::{DebugType, GlobalId, Ty, TypeId};

/// Something in memory.
#[derive(Clone, Debug)]
enum Base {
    /// By its name, or by a way from one: `x.buf[i]`.
    Named(String),
    /// By a way from a pointer: `p->buf`.
    Reached(String),
    /// By a pointer to it.
    Behind(Expr),
}

#[derive(Clone, Debug)]
pub enum Address {
    Typed {
        base: BaseOf,
        offset: i64,
    },
    /// An offset in bytes from a pointer of unknown type.
    Raw {
        pointer: Expr,
        offset: i64,
    },
}

#[derive(Clone, Debug)]
pub struct BaseOf {
    base: Base,
    ty: TypeId,
}

impl BaseOf {
    /// A part of it, of this type.
    fn part(&self, text: String, ty: TypeId) -> BaseOf {
        let base = match self.base {
            Base::Named(_) => Base::Named(text),
            Base::Reached(_) | Base::Behind(_) => Base::Reached(text),
        };
        BaseOf { base, ty }
    }

    /// An element of the array that lies on the way given. Behind a pointer it is one of the array's first element: of
    /// `(*p)[i]` and `p->buf[i]` CBMC does not check that the index is not negative.
    fn element(&self, path: &str, index: &str) -> String {
        let (array, _) = self.along(path);
        match self.base {
            Base::Named(_) => format!("{array}[{index}]"),
            Base::Reached(_) | Base::Behind(_) => format!("(&{array}[0])[{index}]"),
        }
    }

    /// The place at the end of a path, which begins with `.` or `[`, or is empty.
    fn along(&self, path: &str) -> (String, Level) {
        match &self.base {
            Base::Named(text) | Base::Reached(text) => (format!("{text}{path}"), Level::Primary),
            Base::Behind(pointer) => match path.strip_prefix('.') {
                Some(member) => (format!("{}->{member}", pointer.at(Level::Primary)), Level::Primary),
                None if path.is_empty() => (format!("*{}", pointer.tight()), Level::Unary),
                None => (format!("(*{}){path}", pointer.tight()), Level::Primary),
            },
        }
    }

    /// Its address, as bytes are counted.
    fn bytes(&self) -> String {
        match &self.base {
            Base::Named(text) | Base::Reached(text) => format!("(char *)&{text}"),
            Base::Behind(pointer) => format!("(char *){}", pointer.tight()),
        }
    }
}

impl Address {
    /// The pointer that it depends on.
    pub fn pointer(&self) -> Option<&Expr> {
        match self {
            Address::Typed { base: BaseOf { base: Base::Behind(pointer), .. }, .. } => Some(pointer),
            Address::Typed { .. } => None,
            Address::Raw { pointer, .. } => Some(pointer),
        }
    }

    pub fn plus(self, bytes: i64) -> Address {
        match self {
            Address::Typed { base, offset } => Address::Typed { base, offset: offset + bytes },
            Address::Raw { pointer, offset } => Address::Raw { pointer, offset: offset + bytes },
        }
    }
}

impl Context<'_> {
    pub fn address_of_object(&mut self, id: GlobalId, offset: i64) -> Address {
        let Some(object) = self.objects.get(&id) else {
            let null = Expr::new("0", Level::Primary, CType::Pointer(None));
            return Address::Raw { pointer: null, offset };
        };
        let (name, ty) = (object.name.clone(), object.ty);
        let base = match object.mortal {
            true => self.behind(Expr::new(name, Level::Primary, CType::Pointer(Some(ty))), ty),
            false => Base::Named(name),
        };
        Address::Typed { base: BaseOf { base, ty }, offset }
    }

    pub fn address_of_pointer(&mut self, pointer: Expr) -> Address {
        match pointer.ty {
            CType::Pointer(Some(ty)) if self.types.size(ty) > 0 => {
                Address::Typed { base: BaseOf { base: self.behind(pointer, ty), ty }, offset: 0 }
            }
            _ => Address::Raw { pointer, offset: 0 },
        }
    }

    /// A field of a struct of this type, which begins at the address.
    pub fn field(&mut self, address: Address, bytes: i64, of: Option<TypeId>) -> Address {
        let Some(of) = of.filter(|of| self.types.pointee(*of).is_some() && bytes >= 0) else {
            return address.plus(bytes);
        };
        let of = self.types.source.strip(of);
        if let Address::Typed { base, offset } = &address {
            let (base, offset) = self.moved(base.clone(), *offset);
            let is_it = |types: &Types, ty: TypeId| types.source.strip(ty) == of;
            if let Ok(at) = u64::try_from(offset)
                && let Some((path, ty)) = self.types.find(base.ty, at, &is_it, 0)
            {
                let base = if path.is_empty() { base } else { base.part(base.along(&path).0, ty) };
                return Address::Typed { base, offset: bytes };
            }
        }
        let pointer = self.value_of(address);
        let pointer = self.pointer_to(pointer, of);
        Address::Typed { base: BaseOf { base: self.behind(pointer, of), ty: of }, offset: bytes }
    }

    /// C must know what the pointer points to.
    fn behind(&mut self, pointer: Expr, ty: TypeId) -> Base {
        self.declare(ty, "");
        Base::Behind(pointer)
    }

    /// An element, so many of that size from the address on.
    pub fn element(&mut self, address: Address, index: &Expr, stride: u64) -> Address {
        if let Address::Typed { base, offset } = &address {
            let (base, offset) = (base.clone(), *offset);
            // A pointer to an element.
            if let Base::Behind(pointer) = &base.base
                && self.types.size(base.ty) == stride
                && offset % stride as i64 == 0
            {
                let index = sum(index, offset / stride as i64);
                let text = format!("{}[{index}]", pointer.at(Level::Primary));
                return Address::Typed { base: base.part(text, base.ty), offset: 0 };
            }
            if let Ok(at) = u64::try_from(offset)
                && let Some((path, first, ty)) = self.array_at(base.ty, at, stride, 0)
            {
                let index = sum(index, first as i64);
                let text = base.element(&path, &index);
                return Address::Typed { base: base.part(text, ty), offset: 0 };
            }
        }
        let bytes = self.raw_bytes(&address);
        let index = Expr::new(format!("(ptrdiff_t){}", index.tight()), Level::Unary, CType::signed(64));
        let text = match stride {
            1 => format!("{bytes} + {}", index.text),
            _ => format!("{bytes} + {} * {stride}", index.text),
        };
        Address::Raw { pointer: Expr::new(text, Level::Add, CType::Pointer(None)), offset: 0 }
    }

    /// The array whose elements have this size and that has one at the offset: the way to it, which element.
    fn array_at(&self, ty: TypeId, offset: u64, stride: u64, depth: u32) -> Option<(String, u64, TypeId)> {
        match self.types.get(ty) {
            DebugType::Array { of, .. } => {
                let size = self.types.size(*of);
                if size == stride && offset.is_multiple_of(stride) {
                    return Some((String::new(), offset / stride, *of));
                }
                let (path, first, ty) = self.array_at(*of, offset % size.max(1), stride, depth + 1)?;
                Some((format!("[{}]{path}", offset / size.max(1)), first, ty))
            }
            DebugType::Struct { .. } if depth < 32 => {
                let holds = |types: &Types, inner: TypeId| matches!(types.get(inner), DebugType::Array { of, .. } if types.size(*of) == stride);
                let (path, inner) = self.types.find(ty, offset, &holds, 0)?;
                let DebugType::Array { of, .. } = self.types.get(inner) else { return None };
                Some((path, 0, *of))
            }
            _ => None,
        }
    }

    /// Behind a pointer, the element of an imagined array in which the offset lies.
    fn moved(&self, base: BaseOf, offset: i64) -> (BaseOf, i64) {
        let size = self.types.size(base.ty) as i64;
        match &base.base {
            Base::Behind(pointer) if size > 0 && !(0..size).contains(&offset) => {
                let text = format!("{}[{}]", pointer.at(Level::Primary), offset.div_euclid(size));
                (base.part(text, base.ty), offset.rem_euclid(size))
            }
            _ => (base, offset),
        }
    }

    /// The place as an expression, to be read or written as a value of this type.
    pub fn access(&mut self, address: &Address, ty: Ty) -> Expr {
        if let Address::Typed { base, offset } = address {
            let (base, offset) = self.moved(base.clone(), *offset);
            if let Ok(at) = u64::try_from(offset)
                && let Some((path, found)) = self.types.leaf(base.ty, at, ty)
                && let Some(scalar) = self.types.scalar(found)
            {
                let (text, level) = base.along(&path);
                return Expr::new(text, level, scalar);
            }
        }
        let scalar = match CType::of(ty) {
            CType::Bool => CType::unsigned(8),
            CType::Int { bits, .. } => CType::unsigned(bits.next_multiple_of(8)),
            other => other,
        };
        let pointee = self.types.add_scalar(scalar);
        let name = self.type_name(CType::Pointer(Some(pointee)));
        let bytes = self.raw_bytes(address);
        let plain = bytes.strip_prefix("(char *)").filter(|rest| !rest.contains([' ', '-']));
        let text = match plain {
            Some(pointer) => format!("*({name}){pointer}"),
            None => format!("*({name})({bytes})"),
        };
        Expr::new(text, Level::Unary, scalar)
    }

    fn raw_bytes(&self, address: &Address) -> String {
        let (bytes, offset) = match address {
            Address::Typed { base, offset } => (base.bytes(), *offset),
            Address::Raw { pointer, offset } => match pointer.level {
                Level::Add => (pointer.text.clone(), *offset),
                _ => (format!("(char *){}", pointer.tight()), *offset),
            },
        };
        match offset {
            0 => bytes,
            offset if offset < 0 => format!("{bytes} - {}", -offset),
            offset => format!("{bytes} + {offset}"),
        }
    }

    /// The address itself, as a pointer.
    pub fn value_of(&mut self, address: Address) -> Expr {
        let unknown = CType::Pointer(None);
        match &address {
            Address::Raw { pointer, offset: 0 } if pointer.level != Level::Add => pointer.clone(),
            Address::Raw { .. } => Expr::new(format!("(void *)({})", self.raw_bytes(&address)), Level::Unary, unknown),
            Address::Typed { base: BaseOf { base: Base::Behind(pointer), .. }, offset: 0 } => pointer.clone(),
            Address::Typed { base, offset } => {
                let (base, offset) = self.moved(base.clone(), *offset);
                let found = u64::try_from(offset).ok().and_then(|at| self.types.find(base.ty, at, &|_, _| true, 0));
                match found {
                    Some((path, ty)) => {
                        let (text, level) = base.along(&path);
                        match self.types.get(ty) {
                            DebugType::Array { of, .. } => Expr::new(text, level, CType::Pointer(Some(*of))),
                            _ => Expr::new(format!("&{text}"), Level::Unary, CType::Pointer(self.types.pointee(ty))),
                        }
                    }
                    None => Expr::new(format!("(void *)({})", self.raw_bytes(&address)), Level::Unary, unknown),
                }
            }
        }
    }

    /// The type of what begins at the address and is so large, with the way to it.
    pub fn whole(&mut self, address: &Address, size: u64) -> Option<(String, TypeId)> {
        let Address::Typed { base, offset } = address else { return None };
        let (base, offset) = self.moved(base.clone(), *offset);
        let fits =
            |types: &Types, ty: TypeId| types.size(ty) == size && matches!(types.get(ty), DebugType::Struct { .. });
        let (path, ty) = self.types.find(base.ty, u64::try_from(offset).ok()?, &fits, 0)?;
        Some((base.along(&path).0, ty))
    }
}

fn sum(index: &Expr, more: i64) -> String {
    match more {
        0 => index.text.clone(),
        more if more < 0 => format!("{} - {}", index.at(Level::Add), -more),
        more => format!("{} + {more}", index.at(Level::Add)),
    }
}
