//! The program's objects, declared, with their initial contents.

use crate::context::Context;
use crate::types::{CType, Piece};
use selvedge_bound::ObjectKind;
use selvedge_program::{DebugType, Field, Global, GlobalId, Operand, Relocation, TypeId};

/// Declarations of all objects, in order.
pub fn objects(cx: &mut Context<'_>) -> String {
    let ids: Vec<GlobalId> = cx.objects.keys().copied().collect();
    let mut text = String::new();
    let mut defined = String::new();
    for id in ids {
        let object = &cx.objects[&id];
        let (name, ty) = (object.name.clone(), object.ty);
        if object.mortal {
            let declared = cx.variable(CType::Pointer(Some(ty)), &name);
            text.push_str(&format!("static {declared};\n"));
            if cx.sized.contains(&id) {
                text.push_str(&format!("static uint64_t size_of_{name};\n"));
            }
            continue;
        }
        let declared = declared(cx, id, ty, &name);
        // An object of bytes may hold anything, at its place.
        let aligned = match cx.types.get(ty) {
            DebugType::Array { of, .. } if cx.types.size(*of) == 1 => " __attribute__((aligned(16)))",
            _ => "",
        };
        text.push_str(&format!("static {declared}{aligned};\n"));
        if let Some(initial) = initial(cx, id) {
            defined.push_str(&format!("static {declared}{aligned} = {initial};\n"));
        }
    }
    text + &defined
}

/// With its own type, or with fewer bits.
fn declared(cx: &mut Context<'_>, id: GlobalId, ty: TypeId, name: &str) -> String {
    let size = 8 * cx.types.size(ty);
    let (element, count) = match *cx.types.get(ty) {
        DebugType::Array { of, count } => (of, count),
        _ => (ty, None),
    };
    match (cx.widths.object(id), cx.types.scalar(element)) {
        (Some(bits), Some(scalar)) => {
            cx.count_bits(size, u64::from(bits.count) * count.unwrap_or(1));
            let brackets = count.map_or_else(String::new, |count| format!("[{count}]"));
            cx.narrow(scalar, bits, &format!("{name}{brackets}"))
        }
        _ => {
            cx.count_bits(size, size);
            cx.declare(ty, name)
        }
    }
}

fn initial(cx: &mut Context<'_>, id: GlobalId) -> Option<String> {
    let bounded = cx.facts.bounded;
    let from = match bounded.objects[id].kind {
        ObjectKind::Global => id,
        ObjectKind::ThreadLocal { of, .. } => of,
        ObjectKind::Stack | ObjectKind::Heap => return None,
    };
    let global = &bounded.program.globals[from];
    if global.relocations.is_empty() && global.init.iter().all(|byte| *byte == 0) {
        return None;
    }
    let ty = cx.objects[&id].ty;
    let is_bytes = matches!(cx.types.get(ty), DebugType::Array { of, .. } if cx.types.size(*of) == 1);
    if is_bytes && cx.widths.object(id).is_some() && global.relocations.is_empty() {
        // Text cannot initialise elements of less than a byte.
        return Some(numbers(&global.init));
    }
    contents(cx, global, ty, 0)
}

/// The contents at an offset, as an initialiser; none if they are all zero.
fn contents(cx: &mut Context<'_>, global: &Global, ty: TypeId, at: u64) -> Option<String> {
    let size = cx.types.size(ty);
    let byte = |at: u64| usize::try_from(at).ok().and_then(|at| global.init.get(at)).copied().unwrap_or(0);
    let relocated: Vec<Relocation> =
        global.relocations.iter().filter(|r| r.at < at + size && at < r.at + u64::from(r.bytes)).copied().collect();
    if relocated.is_empty() && (at..at + size).all(|at| byte(at) == 0) {
        return None;
    }
    match cx.types.get(ty).clone() {
        DebugType::Array { of, count } => {
            let stride = cx.types.size(of).max(1);
            if stride == 1 && relocated.is_empty() {
                return Some(bytes((at..at + size).map(byte).collect()));
            }
            let elements: Vec<Option<String>> =
                (0..count.unwrap_or(0)).map(|index| contents(cx, global, of, at + index * stride)).collect();
            let given: Vec<String> = elements
                .into_iter()
                .enumerate()
                .filter_map(|(index, element)| Some(format!("[{index}] = {}", element?)))
                .collect();
            Some(format!("{{ {} }}", given.join(", ")))
        }
        DebugType::Struct { is_union, .. } => {
            let mut given = Vec::new();
            for (number, piece) in cx.types.layout(ty).pieces.into_iter().enumerate() {
                match piece {
                    Piece::Member(field) => given.extend(member(cx, global, &field, at)),
                    Piece::Overlay(ways) => {
                        // One way is enough: the longest.
                        let longest =
                            ways.into_iter().max_by_key(|way| way.iter().map(|f| cx.types.size(f.ty)).sum::<u64>());
                        given.extend(longest.into_iter().flatten().filter_map(|field| member(cx, global, &field, at)));
                    }
                    Piece::Bytes { at: start, size } => {
                        let inside: Vec<u8> = (at + start..at + start + size).map(byte).collect();
                        if inside.iter().any(|byte| *byte != 0) {
                            given.push(format!(".bytes_{number} = {}", bytes(inside)));
                        }
                    }
                }
            }
            if is_union {
                given.truncate(1);
            }
            Some(format!("{{ {} }}", given.join(", ")))
        }
        DebugType::Pointer { .. } => match relocated.as_slice() {
            [relocation] if relocation.at == at => Some(address(cx, relocation.target)),
            _ => {
                let bits = (at..at + size).rev().fold(0u64, |bits, at| bits << 8 | u64::from(byte(at)));
                Some(format!("(void *){bits}u"))
            }
        },
        _ => {
            let bits = (at..at + size).rev().fold(0u128, |bits, at| bits << 8 | u128::from(byte(at)));
            if let [relocation] = relocated.as_slice() {
                return Some(format!("(uintptr_t){}", address(cx, relocation.target)));
            }
            let ty = match cx.types.scalar(ty)? {
                CType::Float => selvedge_program::Ty::F32,
                CType::Double => selvedge_program::Ty::F64,
                CType::Bool => selvedge_program::Ty::Int(1),
                CType::Int { bits, .. } => selvedge_program::Ty::Int(bits as u8),
                CType::Pointer(_) => selvedge_program::Ty::Ptr,
            };
            Some(cx.constant(Operand::Const { ty, bits }).text)
        }
    }
}

fn member(cx: &mut Context<'_>, global: &Global, field: &Field, at: u64) -> Option<String> {
    let value = contents(cx, global, field.ty, at + field.bit_offset / 8)?;
    Some(format!(".{} = {value}", crate::names::identifier(&field.name)))
}

/// C wants constants here: no element of anything behind a pointer.
fn address(cx: &mut Context<'_>, target: Operand) -> String {
    match target {
        Operand::Global { id, offset } => {
            let address = cx.address_of_object(id, offset);
            format!("(void *){}", cx.value_of(address).tight())
        }
        other => cx.constant(other).text,
    }
}

/// Text, if it is.
fn bytes(all: Vec<u8>) -> String {
    let used = all.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let plain = |byte: &u8| (0x20..0x7f).contains(byte) || *byte == b'\n' || *byte == b'\t';
    if used < all.len() && all[..used].iter().all(plain) {
        let mut text = String::from("\"");
        for byte in &all[..used] {
            match byte {
                b'\n' => text.push_str("\\n"),
                b'\t' => text.push_str("\\t"),
                b'"' => text.push_str("\\\""),
                b'\\' => text.push_str("\\\\"),
                b'?' => text.push_str("\\?"),
                byte => text.push(char::from(*byte)),
            }
        }
        text.push('"');
        return text;
    }
    numbers(&all[..used])
}

fn numbers(all: &[u8]) -> String {
    let all: Vec<String> = all.iter().map(u8::to_string).collect();
    format!("{{ {} }}", all.join(", "))
}
