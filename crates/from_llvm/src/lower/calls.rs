//! Calls of C functions: direct, indirect, and of functions without a definition.
//!
//! A direct call knows its callee, so arguments and results are converted to its types, whatever prototype
//! the caller used. An indirect call passes the types of the call site.

use selvedge_program::{Callee, Input, Intrinsic, Op, Operand, Origin, Reg, Terminator, Ty};

use super::function::Body;
use super::link::Key;
use super::{Context, Lowered, specials};
use crate::ll::{self, Value};

impl Context<'_> {
    /// Whether the definition reads its variadic arguments.
    pub fn reads_variadic(&self, key: Key) -> bool {
        self.source_function(key).instructions().any(|(_, inst)| match &inst.op {
            ll::Op::Call(call) => call.callee_name().is_some_and(|name| name.starts_with("llvm.va_start")),
            _ => false,
        })
    }

    pub fn parameter_types(&self, key: Key) -> Lowered<Vec<Ty>> {
        let mut types = vec![];
        for param in &self.source_function(key).params {
            types.extend(self.layouts[key.unit].leaf_types(&param.ty)?);
        }
        Ok(types)
    }
}

impl Body<'_, '_> {
    /// `used`: something depends on the result.
    pub fn call(&mut self, call: &ll::Call, used: bool) -> Lowered<Vec<Operand>> {
        let name = match &call.callee {
            Value::Asm(asm) => return self.inline_asm(asm, call),
            _ => call.callee_name().cloned(),
        };
        let Some(name) = name else { return self.indirect_call(call) };
        if let Some(rest) = name.strip_prefix("llvm.") {
            return self.builtin(rest, call);
        }
        let Some(mut key) = self.cx.function_named(self.unit, &name) else { return self.indirect_call(call) };
        if self.func.origin == Origin::User && self.cx.units[key.unit].origin == Origin::Model {
            let model = self.output_model(&name, call, used);
            key = self.cx.function_named(self.unit, &model).unwrap_or(key);
        }
        let callee = self.cx.source_function(key);
        let origin = self.cx.units[key.unit].origin;
        if specials::is_special(&callee.name) || callee.is_declaration() || specials::needs_frame(&callee.name, origin)
        {
            let returns = self.leaf_types(&call.function_type.ret)?;
            let args = self.arguments(&call.args)?;
            let results = self.special_call(&callee.name, &args, &returns)?;
            let no_return = |module: &ll::Module, attrs| module.has_attribute(attrs, "noreturn");
            if self.open
                && (no_return(self.module, &call.attrs) || no_return(&self.cx.units[key.unit].module, &callee.attrs))
            {
                self.intrinsic(Intrinsic::ProcessExit);
                self.end(Terminator::Unreachable);
            }
            return Ok(results);
        }
        self.direct_call(key, call)
    }

    /// All arguments, flattened; `byval` ones copied.
    pub fn arguments(&mut self, args: &[ll::Arg]) -> Lowered<Vec<Operand>> {
        let mut flat = vec![];
        for arg in args {
            if matches!(arg.ty, ll::Type::Metadata) {
                continue;
            }
            let leaves = self.leaves(&arg.ty, &arg.value)?;
            match (&arg.attrs.byval, leaves.as_slice()) {
                (Some(ty), [pointer]) => flat.push(self.copy_of(*pointer, ty, arg.attrs.align)?),
                _ => flat.extend(leaves),
            }
        }
        Ok(flat)
    }

    fn direct_call(&mut self, key: Key, call: &ll::Call) -> Lowered<Vec<Operand>> {
        let callee = self.cx.source_function(key);
        let wanted = self.cx.parameter_types(key)?;
        let produced = self.cx.layouts[key.unit].leaf_types(&callee.ret)?;
        let fixed = if callee.vararg { callee.params.len().min(call.args.len()) } else { call.args.len() };
        let (fixed, variadic) = call.args.split_at(fixed);
        let mut given = self.arguments(fixed)?;
        if let ([Ty::BOOL], [low, high]) = (wanted.as_slice(), given.as_slice())
            && [*low, *high].iter().all(|half| self.ty(*half) == Ty::Int(64))
        {
            given = vec![self.truth_of_halves(*low, *high)];
        }
        let mut args = vec![];
        for (i, ty) in wanted.into_iter().enumerate() {
            args.push(match given.get(i) {
                Some(value) => self.adapt(*value, ty)?,
                None => self.nondet(ty, Input::Uninitialised("a missing argument".to_string())),
            });
        }
        if callee.vararg {
            let unread = variadic.is_empty() || !self.cx.reads_variadic(key);
            args.push(if unread { Operand::NULL } else { self.variadic_area(variadic)? });
        }
        let expected = self.leaf_types(&call.function_type.ret)?;
        let dsts: Vec<Reg> = produced.iter().take(expected.len()).map(|ty| self.reg(*ty)).collect();
        let id = self.cx.function_id(key);
        self.emit(Op::Call { dsts: dsts.clone(), callee: Callee::Direct(id), args });
        let mut results = vec![];
        for (i, ty) in expected.into_iter().enumerate() {
            results.push(match dsts.get(i) {
                Some(reg) => self.adapt(Operand::Reg(*reg), ty)?,
                None => self.nondet(ty, Input::Uninitialised("the result of a void function".to_string())),
            });
        }
        Ok(results)
    }

    fn indirect_call(&mut self, call: &ll::Call) -> Lowered<Vec<Operand>> {
        let target = self.scalar(&ll::Type::Ptr(0), &call.callee)?;
        let ty = &call.function_type;
        // `int (*f)()` leaves the arguments open: they are passed as ordinary ones.
        let variadic = ty.vararg && !ty.params.is_empty();
        let fixed = if variadic { ty.params.len().min(call.args.len()) } else { call.args.len() };
        let (fixed, rest) = call.args.split_at(fixed);
        let mut args = self.arguments(fixed)?;
        if variadic {
            args.push(self.variadic_area(rest)?);
        }
        let dsts: Vec<Reg> = self.leaf_types(&ty.ret)?.into_iter().map(|ty| self.reg(ty)).collect();
        self.emit(Op::Call { dsts: dsts.clone(), callee: Callee::Indirect(target), args });
        Ok(dsts.into_iter().map(Operand::Reg).collect())
    }

    /// A body for a function without one whose address is taken: it does what a direct call of it would.
    pub fn lower_stub(&mut self) {
        let done = self.parameters().and_then(|()| {
            let fixed = self.func.params.len() - usize::from(self.source.vararg);
            let args: Vec<Operand> = self.func.params[..fixed].iter().map(|reg| Operand::Reg(*reg)).collect();
            let returns = self.func.returns.clone();
            self.special_call(&self.source.name, &args, &returns)
        });
        match done {
            Ok(values) if self.open => self.end(Terminator::Return(values)),
            Ok(_) => {}
            Err(what) => self.unsupported(&what),
        }
    }
}
