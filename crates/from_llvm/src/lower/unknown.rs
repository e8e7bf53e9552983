//! Functions without a body and without a model, where they are taken for the worst (`--unknown-functions havoc`).
//!
//! Such a function may write anything into the objects that its arguments point to, unless they point to `const`, and
//! into external variables, for it may be in the same program; and it may call functions that it is passed. It does all
//! of that during the call, and returns any value. Locks and their like keep their state: who has a lock is known to
//! the models only.

use selvedge_program::{Assumption, Callee, EntityRef, FuncId, GlobalId, Input, Op, Operand, Terminator, Ty};

use super::function::Body;
use super::link::Entity;
use super::{Context, Lowered, names};
use crate::ll::Type;

pub const HAVOC: &str = "__selvedge_havoc";

/// Parts of the names of types whose objects are the models' own.
const OF_THE_MODELS: [&str; 10] =
    ["pthread_", "sem_t", "mtx_t", "cnd_t", "__once_flag", "_IO_FILE", "sigset_t", "spinlock", "rwlock", "jmp_buf"];

impl Body<'_, '_> {
    pub fn havoc(&mut self, name: &str, args: &[Operand]) -> Lowered<()> {
        let at = self.cx.describe(self.loc);
        self.cx.assume(Assumption::Havoc { function: names::readable(name), at });
        let Some(havoc) = self.cx.defined_function(HAVOC) else { return Ok(()) };
        let reads_only = self.cx.constant_parameters(name);
        let given = args.iter().enumerate().filter(|(i, _)| !reads_only.get(*i).copied().unwrap_or(false));
        let mut written: Vec<Operand> = given.map(|(_, arg)| *arg).filter(|arg| self.is_writable(*arg)).collect();
        for global in self.cx.external_variables() {
            let operand = Operand::Global { id: global, offset: 0 };
            if !written.contains(&operand) {
                written.push(operand);
            }
        }
        let write = |body: &mut Body| {
            for object in &written {
                body.emit(Op::Call { dsts: vec![], callee: Callee::Direct(havoc), args: vec![*object] });
            }
        };
        write(self);
        for (position, arg) in args.iter().enumerate() {
            if let Operand::Func(callback) = arg {
                // Data for the callback mostly comes behind it.
                let data: Vec<Operand> = args[position + 1..]
                    .iter()
                    .chain(&args[..position])
                    .copied()
                    .filter(|a| self.is_writable(*a))
                    .collect();
                self.call_back(*callback, &data)?;
                self.call_back(*callback, &data)?;
            }
        }
        if args.iter().any(|arg| matches!(arg, Operand::Func(_))) {
            write(self);
        }
        Ok(())
    }

    /// Whether the operand may be the address of an object that can be written.
    fn is_writable(&self, operand: Operand) -> bool {
        match operand {
            Operand::Global { id, .. } => !self.cx.globals[id].constant,
            Operand::Func(_) | Operand::Const { .. } => false,
            Operand::Reg(_) => self.ty(operand) == Ty::Ptr,
        }
    }

    /// Calls it, or not.
    fn call_back(&mut self, callback: FuncId, data: &[Operand]) -> Lowered<()> {
        let key = self.cx.function_ids.iter().find(|(_, id)| **id == callback).map(|(key, _)| *key);
        let Some(key) = key else { return Ok(()) };
        let types = self.cx.parameter_types(key)?;
        let returns = self.cx.layouts[key.unit].leaf_types(&self.cx.source_function(key).ret)?;
        let cond = self.nondet(Ty::BOOL, Input::Unmodelled("whether it calls back".to_string()));
        let (then, otherwise) = (self.block("calls.back"), self.block("goes.on"));
        self.end(Terminator::Branch { cond, then, otherwise });
        self.current = then;
        self.open = true;
        let mut data = data.iter().copied();
        let args = types
            .into_iter()
            .map(|ty| match ty {
                Ty::Ptr => data.next().unwrap_or(Operand::NULL),
                Ty::Int(_) | Ty::F32 | Ty::F64 => self.nondet(ty, Input::Unmodelled("an argument".to_string())),
            })
            .collect();
        let dsts = returns.into_iter().map(|ty| self.reg(ty)).collect();
        self.emit(Op::Call { dsts, callee: Callee::Direct(callback), args });
        self.end(Terminator::Jump(otherwise));
        self.current = otherwise;
        self.open = true;
        Ok(())
    }
}

impl Context<'_> {
    /// Which parameters of a declared function are pointers to `const`, as far as debug information tells.
    fn constant_parameters(&self, name: &str) -> Vec<bool> {
        let declarations = self.units.iter().enumerate().flat_map(|(unit, source)| {
            source.module.functions.iter().filter(|f| *f.name == *name).map(move |f| (unit, f.subprogram))
        });
        let known = declarations.filter_map(|(unit, subprogram)| self.debug.constant_parameters(unit, subprogram?));
        known.max_by_key(Vec::len).unwrap_or_default()
    }

    /// Variables of the program that other files can name.
    fn external_variables(&mut self) -> Vec<GlobalId> {
        let mut found = vec![];
        for (unit, source) in self.units.iter().enumerate() {
            for global in &source.module.globals {
                let is_visible = source.origin == selvedge_program::Origin::User
                    && global.linkage == crate::ll::Linkage::External
                    && !global.constant
                    && !global.thread_local
                    && global.init.is_some()
                    && !self.is_of_the_models(unit, &global.ty, 0);
                if is_visible && let Some(Entity::Global(key)) = self.links.resolve(unit, &global.name) {
                    found.push(key);
                }
            }
        }
        let mut ids: Vec<GlobalId> = found.into_iter().map(|key| self.global_id(key)).collect();
        ids.sort_by_key(|id| id.index());
        ids.dedup();
        ids
    }

    fn is_of_the_models(&self, unit: usize, ty: &Type, depth: u32) -> bool {
        if depth > 20 {
            return true;
        }
        let module = &self.units[unit].module;
        if let Type::Named(id) = ty
            && OF_THE_MODELS.iter().any(|part| module.types[id.0 as usize].name.contains(part))
        {
            return true;
        }
        match module.resolve(ty) {
            Type::Struct(body) => body.fields.iter().any(|field| self.is_of_the_models(unit, field, depth + 1)),
            Type::Array(_, element) => self.is_of_the_models(unit, element, depth + 1),
            _ => false,
        }
    }
}
