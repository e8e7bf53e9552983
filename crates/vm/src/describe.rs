//! Names for places and values, for people.

use crate::code::Code;
use crate::heap_names::{HeapNames, is_heap};
use crate::memory::{Spot, Target, target};
use crate::state::{Kind, Object, State};
use selvedge_program::{DebugType, EntityRef, FuncId, Op, Ty, TypeId};

/// The facts that names are made from.
pub type Known<'a, 'p> = (&'a Code<'p>, &'a State, &'a HeapNames);

/// The name of the bytes at `spot` in C, and their type if it is known. `label`: what the program calls them, for heap
/// blocks of which nothing is known.
pub fn place(
    (code, state, heap): Known<'_, '_>,
    spot: Spot,
    bytes: u64,
    label: Option<&str>,
) -> (String, Option<TypeId>) {
    let source = &code.program.source;
    match spot {
        Spot::Constant { at } | Spot::Variable { at } => {
            let constant = matches!(spot, Spot::Constant { .. });
            match global_at(code, at, constant) {
                Some((name, ty, start)) => {
                    let offset = (at - start) as u64;
                    (source.path(name, ty, offset, bytes), ty.and_then(|ty| part(code, ty, offset, bytes)))
                }
                None => (label.unwrap_or("memory").to_string(), None),
            }
        }
        Spot::Object { thread, index, offset, .. } => {
            let Some(object) = state.threads[thread].object(index) else { return ("memory".to_string(), None) };
            let offset = offset as u64;
            if is_heap(object)
                && let Some((name, ty, offset)) = heap.element(source, (thread, index), object.size.into(), offset)
            {
                return (source.path(&name, Some(ty), offset, bytes), part(code, ty, offset, bytes));
            }
            let (name, ty) = object_name(code, heap, thread, index, object);
            match (object.kind, label) {
                (Kind::Heap, Some(label)) => (label.to_string(), None),
                _ => (source.path(&name, ty, offset, bytes), ty.and_then(|ty| part(code, ty, offset, bytes))),
            }
        }
    }
}

fn global_at<'c>(code: &'c Code<'_>, at: usize, constant: bool) -> Option<(&'c str, Option<TypeId>, usize)> {
    use crate::layout::Static;
    code.layout.statics.iter().find_map(|slot| {
        let (global, start, size) = match slot {
            Static::Constant { global, at, size, base: 0 } if constant => (*global, *at as usize, *size as usize),
            Static::Variable { global, at, size, base: 0 } if !constant => (*global, *at as usize, *size as usize),
            _ => return None,
        };
        let global = &code.program.globals[global];
        (start..start + size.max(1)).contains(&at).then_some((global.name.as_str(), global.ty, start))
    })
}

/// A variable's C name and type; a heap block's name alone.
pub fn object_name(
    code: &Code<'_>,
    heap: &HeapNames,
    thread: usize,
    index: usize,
    object: Object,
) -> (String, Option<TypeId>) {
    if let Some(local) = code.layout.thread_locals.get(index) {
        let global = &code.program.globals[local.global];
        return (global.name.clone(), global.ty);
    }
    match object.kind {
        Kind::Stack | Kind::DeadStack => match code.op(object.site) {
            Some(Op::Alloca { var, ty, .. }) => (var.clone().unwrap_or_else(|| "a local".to_string()), *ty),
            _ => ("a local".to_string(), None),
        },
        _ => match heap.name(thread, index) {
            Some((name, _)) => (name.to_string(), None),
            None => (format!("a block of line {}", code.loc(object.site).line), None),
        },
    }
}

/// The type of the part of `ty` at `offset` that is `bytes` long.
fn part(code: &Code<'_>, ty: TypeId, offset: u64, bytes: u64) -> Option<TypeId> {
    let source = &code.program.source;
    let pointer_bytes = u64::from(code.program.data_model.pointer_bytes());
    let (mut ty, mut offset) = (ty, offset);
    for _ in 0..64 {
        match &source.types[source.strip(ty)] {
            DebugType::Struct { fields, is_union: false, .. } => {
                let field = fields.iter().rev().find(|f| f.bit_offset / 8 <= offset)?;
                if field.bits.is_some() {
                    return None;
                }
                offset -= field.bit_offset / 8;
                ty = field.ty;
            }
            DebugType::Array { of, .. } => {
                let stride = match &source.types[source.strip(*of)] {
                    DebugType::Pointer { .. } => pointer_bytes,
                    _ => source.size(*of),
                };
                offset = offset.checked_rem(stride)?;
                ty = *of;
            }
            DebugType::Pointer { .. } => return (offset == 0 && bytes == pointer_bytes).then_some(ty),
            _ => return (offset == 0 && source.size(ty) == bytes).then_some(ty),
        }
    }
    None
}

/// A value as C would write it.
pub fn value((code, state, heap): Known<'_, '_>, value: u128, bytes: u64, ty: Option<TypeId>) -> String {
    let bits = (8 * bytes).clamp(8, 128) as u32;
    let source = &code.program.source;
    let signed = ((value << (128 - bits)) as i128) >> (128 - bits);
    if ty.is_some_and(|ty| is_handle(code, ty))
        && let Some(thread) = handle(state, value)
    {
        return thread;
    }
    match ty.map(|ty| &source.types[source.strip(ty)]) {
        Some(DebugType::Int { signed: false, .. }) => value.to_string(),
        Some(DebugType::Bool) => (value != 0).to_string(),
        Some(DebugType::Float { bits: 32, .. }) => f32::from_bits(value as u32).to_string(),
        Some(DebugType::Float { bits: 64, .. }) => f64::from_bits(value as u64).to_string(),
        Some(DebugType::Enum { values, .. }) => {
            values.iter().find(|(_, v)| *v == signed).map_or_else(|| signed.to_string(), |(name, _)| name.clone())
        }
        Some(DebugType::Pointer { .. }) => pointer((code, state, heap), value as u64),
        None if bytes == u64::from(code.program.data_model.pointer_bytes())
            && looks_like_pointer(code, state, value as u64) =>
        {
            pointer((code, state, heap), value as u64)
        }
        _ => signed.to_string(),
    }
}

/// The value of a register: an argument, a result.
pub fn register(names: Known<'_, '_>, bits: u64, ty: Ty, debug: Option<TypeId>) -> String {
    match (ty, debug) {
        (Ty::Ptr, None) => pointer(names, bits),
        _ => value(names, u128::from(bits), u64::from(ty.bytes(names.0.program.data_model)), debug),
    }
}

/// Handles of threads are their numbers plus one (`threads.c` of the models).
pub fn handle(state: &State, value: u128) -> Option<String> {
    let thread = usize::try_from(value).ok()?.checked_sub(1)?;
    (thread < state.threads.len()).then(|| format!("thread {thread}"))
}

fn is_handle(code: &Code<'_>, ty: TypeId) -> bool {
    let mut ty = ty;
    // Debug information is untrusted input: a cycle in it must not cause an endless loop.
    for _ in 0..64 {
        match &code.program.source.types[ty] {
            DebugType::Named { name, .. } if name == "pthread_t" || name == "thrd_t" => return true,
            DebugType::Named { of, .. } => ty = *of,
            _ => return false,
        }
    }
    false
}

/// Two small integers side by side can look like a pointer, but rarely like one into a function.
fn looks_like_pointer(code: &Code<'_>, state: &State, bits: u64) -> bool {
    match target(state, &code.layout, bits) {
        Ok((Target::Function(_), offset)) => offset == 0,
        other => other.is_ok(),
    }
}

/// A pointer by what it points to.
pub fn pointer((code, state, heap): Known<'_, '_>, bits: u64) -> String {
    let source = &code.program.source;
    if bits == 0 {
        return "NULL".to_string();
    }
    match target(state, &code.layout, bits) {
        Ok((Target::Function(id), _)) => code.program.functions[id].name.clone(),
        Ok((Target::Global { id, .. }, offset)) => {
            let global = &code.program.globals[id];
            format!("&{}", source.path(&global.name, global.ty, offset, u64::MAX))
        }
        Ok((Target::Object { thread, index, object }, offset)) => {
            if is_heap(object)
                && let Some((name, ty, offset)) = heap.element(source, (thread, index), object.size.into(), offset)
            {
                return format!("&{}", source.path(&name, Some(ty), offset, u64::MAX));
            }
            let (name, ty) = object_name(code, heap, thread, index, object);
            match object.kind {
                Kind::Heap | Kind::DeadHeap if offset == 0 => name,
                Kind::Heap | Kind::DeadHeap => format!("{name} + {offset}"),
                _ => format!("&{}", source.path(&name, ty, offset, u64::MAX)),
            }
        }
        Err(_) if bits < 4096 => bits.to_string(),
        Err(_) => format!("{bits:#x}"),
    }
}

/// The start routine of a thread whose first frame runs a model's trampoline.
pub fn start_routine(code: &Code<'_>, state: &State, thread: usize) -> Option<FuncId> {
    let this = state.threads.get(thread)?;
    let words = this.stack.get(crate::state::STACK_HEADER..)?;
    words.iter().find_map(|word| match target(state, &code.layout, *word) {
        Ok((Target::Function(id), 0)) if id.index() < code.program.functions.len() => Some(id),
        _ => None,
    })
}
