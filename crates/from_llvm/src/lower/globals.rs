//! Global variables: their names, sizes and initial values.

use selvedge_program::{Assumption, Global, GlobalId, Operand, Origin, Relocation, SourceMap, Ty};

use super::constants::Folded;
use super::link::{Entity, Key};
use super::{Context, LowerError, Lowered, Work};
use crate::ll::{Constant, Type};

/// The section of the models' variables that count as their callers' (`SELVEDGE_UNPROTECTED` in `models/c/internal.h`).
const UNPROTECTED: &str = "unprotected";

impl Context<'_> {
    pub fn global_id(&mut self, key: Key) -> GlobalId {
        if let Some(id) = self.global_ids.get(&key) {
            return *id;
        }
        let source = &self.units[key.unit].module.globals[key.index];
        let layout = self.layouts[key.unit].clone();
        let variable = self.debug.global_variable(key.unit, &source.debug);
        let name = variable.as_ref().map_or_else(|| super::names::readable(&source.name), |v| v.name.clone());
        let is_unprotected = source.section.as_ref().is_some_and(|section| &**section == UNPROTECTED);
        let align = source.align.or_else(|| layout.align(&source.ty).ok()).unwrap_or(1);
        let id = self.globals.push(Global {
            name,
            origin: if is_unprotected { Origin::User } else { self.units[key.unit].origin },
            // A variable of an undefined type can only have its address taken.
            size: layout.size(&source.ty).unwrap_or(0),
            align: u32::try_from(align).unwrap_or(1).max(1),
            init: vec![],
            relocations: vec![],
            thread_local: source.thread_local,
            constant: source.constant,
            ty: variable.as_ref().and_then(|v| v.ty),
            loc: variable.map_or(SourceMap::NOWHERE, |v| v.loc),
        });
        self.global_ids.insert(key, id);
        self.global_keys.insert(id, key);
        self.queue.push_back(Work::Global(id, key));
        id
    }

    pub fn lower_initialiser(&mut self, id: GlobalId, key: Key) -> Result<(), LowerError> {
        let source = &self.units[key.unit].module.globals[key.index];
        if let Some(value) = self.overrides.get(&*source.name) {
            let size = self.globals[id].size.min(8) as usize;
            self.globals[id].init = value.to_le_bytes()[..size].to_vec();
            return Ok(());
        }
        let Some(init) = &source.init else {
            let name = self.globals[id].name.clone();
            self.assume(Assumption::ExternalVariable { name });
            return Ok(());
        };
        let mut image = Image::default();
        self.write(key.unit, &source.ty, init, 0, &mut image, 0)
            .map_err(|what| LowerError::Initialiser { global: source.name.to_string(), what })?;
        let end = image.bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        image.bytes.truncate(end);
        self.globals[id].init = image.bytes;
        self.globals[id].relocations = image.relocations;
        Ok(())
    }

    fn write(
        &mut self,
        unit: usize,
        ty: &Type,
        constant: &Constant,
        at: u64,
        image: &mut Image,
        depth: u32,
    ) -> Lowered<()> {
        if depth > 200 {
            return Err("a very deeply nested value".to_string());
        }
        let layout = self.layouts[unit].clone();
        let module = &self.units[unit].module;
        match (constant, module.resolve(ty)) {
            // Undefined bytes of a global are zero: clang writes undef for padding and unions only.
            (Constant::Zero | Constant::Undef | Constant::Poison | Constant::Null, _) => Ok(()),
            (Constant::Bytes(bytes), _) => {
                image.put(at, bytes);
                Ok(())
            }
            (Constant::Struct { fields, .. }, Type::Struct(body)) => {
                for (offset, field) in layout.field_offsets(body)?.into_iter().zip(fields) {
                    self.write(unit, &field.ty, &field.value, at + offset, image, depth + 1)?;
                }
                Ok(())
            }
            (Constant::Array(elements) | Constant::Vector(elements), _) => {
                let mut at = at;
                for element in elements {
                    self.write(unit, &element.ty, &element.value, at, image, depth + 1)?;
                    at += layout.size(&element.ty)?;
                }
                Ok(())
            }
            // An integer wider than any register, which clang uses for bit-fields and _BitInt.
            (Constant::Int(value), Type::Int(bits)) if *bits > 128 => {
                let mut bytes = value.to_le_bytes().to_vec();
                bytes.resize(bits.div_ceil(8) as usize, if *value < 0 { 0xff } else { 0 });
                image.put(at, &bytes);
                Ok(())
            }
            _ => {
                let leaves = layout.leaves(ty)?;
                for (leaf, value) in leaves.into_iter().zip(self.fold(unit, ty, constant)?) {
                    self.write_leaf(at + leaf.offset, leaf.ty, value, image);
                }
                Ok(())
            }
        }
    }

    fn write_leaf(&self, at: u64, ty: Ty, value: Folded, image: &mut Image) {
        let model = self.layouts[0].model;
        match value {
            Folded::Undef(_) => {}
            Folded::Value(Operand::Const { bits, .. }) => {
                image.put(at, &bits.to_le_bytes()[..(ty.bytes(model) as usize).min(16)]);
            }
            Folded::Value(target) | Folded::AddressBits { target, .. } => {
                // Wider integers hold the address in their low bytes.
                image.relocations.push(Relocation { at, bytes: model.pointer_bytes() as u8, target });
            }
        }
    }

    /// The C string a constant address points to.
    pub fn string_at(&self, address: Operand) -> Option<String> {
        let Operand::Global { id, offset } = address else { return None };
        let key = self.global_keys.get(&id)?;
        let source = &self.units[key.unit].module.globals[key.index];
        let bytes: &[u8] = match source.init.as_ref()? {
            _ if !source.constant => return None,
            Constant::Bytes(bytes) => bytes,
            Constant::Zero => &[0],
            _ => return None,
        };
        let tail = bytes.get(usize::try_from(offset).ok()?..)?;
        let end = tail.iter().position(|b| *b == 0).unwrap_or(tail.len());
        Some(String::from_utf8_lossy(&tail[..end]).into_owned())
    }

    /// Functions in `llvm.global_ctors`, in the order they run, or in `llvm.global_dtors`, in the reverse of that
    /// order.
    pub fn functions_listed_in(&mut self, name: &str) -> Vec<Operand> {
        let mut found = vec![];
        for (unit, source) in self.units.iter().enumerate() {
            let list = source.module.global(name).and_then(|g| g.init.as_ref());
            let Some(Constant::Array(entries)) = list else { continue };
            for entry in entries {
                if let Constant::Struct { fields, .. } = &entry.value
                    && let [priority, function, ..] = fields.as_slice()
                    && let (Constant::Int(priority), Some(name)) = (&priority.value, function.value.as_global())
                {
                    found.push((*priority, unit, name));
                }
            }
        }
        found.sort_by_key(|(priority, ..)| *priority);
        let mut functions = vec![];
        for (_, unit, name) in found {
            if let Some(key) = self.function_named(unit, name) {
                functions.push(Operand::Func(self.function_id(key)));
            }
        }
        functions
    }

    pub fn main_function(&self) -> Result<Key, LowerError> {
        match self.links.external("main") {
            Some(Entity::Function(key)) if !self.source_function(key).is_declaration() => Ok(key),
            _ => Err(LowerError::NoMain),
        }
    }
}

/// The initial bytes of a global while they are being written.
#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Image {
    fn put(&mut self, at: u64, bytes: &[u8]) {
        if bytes.iter().all(|b| *b == 0) {
            return;
        }
        let at = at as usize;
        let end = at + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(bytes);
    }
}
