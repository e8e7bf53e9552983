//! Exceptions of C++: what `invoke`, `landingpad` and `resume` become.
//!
//! Our programs know calls and returns only. So an exception is a value in flight, `__selvedge_in_flight`, a
//! thread-local of the models (`models/c/cxxabi.c`): whoever throws sets it and returns, and behind every call that may
//! throw it is looked at. If it is set, an `invoke` goes on at its landing pad, and a plain call makes the function
//! return as well, with values that nobody looks at. A landing pad takes the exception out of the air, so that
//! destructors can run, and `resume` puts it back.
//!
//! Which calls may throw is known from the whole program: those of `__cxa_throw` and its like, of functions with such a
//! call, and calls through pointers; never where the compiler says `nounwind`, which is all that was written in C. An
//! exception that gets to C nevertheless, in a function that a library calls back, ends the process.

use std::collections::HashSet;

use selvedge_program::{Access, Callee, CmpOp, Computation, Intrinsic, Op, Operand, Terminator, Ty};

use super::function::Body;
use super::link::{Entity, Key};
use super::{Context, Lowered};
use crate::ll::{self, LandingPadClause, Value};

const IN_FLIGHT: &str = "__selvedge_in_flight";
const CATCHES: &str = "__selvedge_catches";
const UNCAUGHT: &str = "__selvedge_uncaught";
/// Models after whose call an exception is in flight.
const THROW: [&str; 3] = ["__cxa_throw", "__cxa_rethrow", "__selvedge_throw_kept"];

/// Whether a call may leave an exception in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Throws {
    Never,
    Maybe,
    Always,
}

/// The functions that may throw. Empty for a program without exceptions.
#[derive(Debug, Default)]
pub struct Throwing {
    functions: HashSet<Key>,
    exceptions: bool,
}

impl Context<'_> {
    /// Finds the functions that may throw: the least set that contains the callers of its members.
    pub fn find_throwing(&mut self) {
        let Some(Entity::Global(_)) = self.links.external(IN_FLIGHT) else { return };
        self.throwing.exceptions = true;
        loop {
            let before = self.throwing.functions.len();
            for (unit, source) in self.units.iter().enumerate() {
                for (index, function) in source.module.functions.iter().enumerate() {
                    let key = Key { unit, index };
                    let throws = !self.throwing.functions.contains(&key)
                        && !source.module.has_attribute(&function.attrs, "nounwind")
                        && function.instructions().any(|(_, inst)| match &inst.op {
                            ll::Op::Call(call) | ll::Op::Invoke { call, .. } => {
                                self.throws(unit, call, has_nounwind(&source.module, call)) != Throws::Never
                            }
                            _ => false,
                        });
                    if throws {
                        self.throwing.functions.insert(key);
                    }
                }
            }
            if self.throwing.functions.len() == before {
                return;
            }
        }
    }

    fn throws(&self, unit: usize, call: &ll::Call, promised_not_to: bool) -> Throws {
        if !self.throwing.exceptions || promised_not_to {
            return Throws::Never;
        }
        let Some(name) = call.callee_name() else {
            return if matches!(call.callee, Value::Asm(_)) { Throws::Never } else { Throws::Maybe };
        };
        match self.function_named(unit, name) {
            Some(key) if THROW.contains(&&*self.source_function(key).name) => Throws::Always,
            Some(key) if self.throwing.functions.contains(&key) => Throws::Maybe,
            Some(_) | None => Throws::Never,
        }
    }
}

fn has_nounwind(module: &ll::Module, call: &ll::Call) -> bool {
    module.has_attribute(&call.attrs, "nounwind")
}

impl Body<'_, '_> {
    fn throws(&self, call: &ll::Call) -> Throws {
        self.cx.throws(self.unit, call, !self.is_c() && has_nounwind(self.module, call))
    }

    /// Whether the function was written in C: the compiler takes for granted that nothing throws there.
    fn is_c(&self) -> bool {
        !self.source.name.starts_with("_Z") && self.module.has_attribute(&self.source.attrs, "nounwind")
    }

    /// Follows up a plain call: if it may throw, this function returns where it has.
    pub fn after_call(&mut self, call: &ll::Call) -> Lowered<()> {
        if !self.open {
            return Ok(());
        }
        match self.throws(call) {
            Throws::Never => {}
            Throws::Always => {
                let away = self.leaving()?;
                self.end(Terminator::Jump(away));
            }
            Throws::Maybe => {
                let cond = self.is_in_flight()?;
                let (then, otherwise) = (self.leaving()?, self.block("call.returned"));
                self.end(Terminator::Branch { cond, then, otherwise });
                self.current = otherwise;
                self.open = true;
            }
        }
        Ok(())
    }

    /// The end of an invoke, whose call was made.
    pub fn after_invoke(
        &mut self,
        call: &ll::Call,
        from: ll::BlockId,
        normal: ll::BlockId,
        unwind: ll::BlockId,
    ) -> Lowered<()> {
        if !self.open {
            return Ok(());
        }
        match self.throws(call) {
            Throws::Never => {
                let next = self.edge(from, normal, false)?;
                self.end(Terminator::Jump(next));
            }
            Throws::Always => {
                let pad = self.edge(from, unwind, false)?;
                self.end(Terminator::Jump(pad));
            }
            Throws::Maybe => {
                let cond = self.is_in_flight()?;
                let (then, otherwise) = (self.edge(from, unwind, true)?, self.edge(from, normal, true)?);
                self.end(Terminator::Branch { cond, then, otherwise });
            }
        }
        Ok(())
    }

    /// The exception, and the number of the handler's type, as the code behind compares it with `llvm.eh.typeid.for`; 0
    /// for a cleanup. Where neither a handler nor a cleanup is meant, the exception stays in flight.
    pub fn landing_pad(&mut self, cleanup: bool, clauses: &[LandingPadClause]) -> Lowered<Vec<Operand>> {
        let in_flight = self.in_flight()?;
        let exception = self.load_pointer(in_flight);
        self.store_pointer(in_flight, Operand::NULL);
        let number = self.reg(Ty::Int(32));
        let entered = self.block("pad.entered");
        for clause in clauses {
            let LandingPadClause::Catch(handled) = clause else {
                return Err("a dynamic exception specification".to_string());
            };
            let handled_type = self.operand(handled)?;
            let id = match handled.value {
                Value::Const(ref constant) => self.cx.type_number(constant.as_global().map_or("", |name| name)),
                _ => return Err("a handler of an unknown type".to_string()),
            };
            let catches = self.model(CATCHES)?;
            let answer = self.reg(Ty::Int(32));
            let args = vec![exception, handled_type];
            self.emit(Op::Call { dsts: vec![answer], callee: Callee::Direct(catches), args });
            let cond = self.value(Ty::BOOL, |dst| Computation::Compare {
                dst,
                op: CmpOp::Ne,
                a: Operand::Reg(answer),
                b: Operand::int(32, 0),
            });
            let (then, otherwise) = (self.block("pad.caught"), self.block("pad.next"));
            self.end(Terminator::Branch { cond, then, otherwise });
            self.current = then;
            self.emit(Computation::Copy { dst: number, src: Operand::int(32, u128::from(id)) });
            self.end(Terminator::Jump(entered));
            self.current = otherwise;
        }
        if cleanup {
            self.emit(Computation::Copy { dst: number, src: Operand::int(32, 0) });
            self.end(Terminator::Jump(entered));
        } else {
            self.resume(exception)?;
        }
        self.current = entered;
        self.open = true;
        Ok(vec![exception, Operand::Reg(number)])
    }

    /// Puts an exception back into the air, and leaves the function.
    pub fn resume(&mut self, exception: Operand) -> Lowered<()> {
        let in_flight = self.in_flight()?;
        self.store_pointer(in_flight, exception);
        let away = self.leaving()?;
        self.end(Terminator::Jump(away));
        Ok(())
    }

    /// The block that leaves the function with an exception in flight.
    fn leaving(&mut self) -> Lowered<selvedge_program::BlockId> {
        if let Some(block) = self.leaving {
            return Ok(block);
        }
        let (here, open) = (self.current, self.open);
        let block = self.block("leaving");
        self.current = block;
        if self.is_c() || &*self.source.name == "main" {
            let uncaught = self.model(UNCAUGHT)?;
            self.emit(Op::Call { dsts: vec![], callee: Callee::Direct(uncaught), args: vec![] });
            self.end(Terminator::Unreachable);
        } else {
            if self.atomic {
                self.intrinsic(Intrinsic::AtomicEnd);
            }
            let nothing = self.func.returns.iter().map(|ty| Operand::Const { ty: *ty, bits: 0 }).collect();
            self.end(Terminator::Return(nothing));
        }
        (self.current, self.open, self.leaving) = (here, open, Some(block));
        Ok(block)
    }

    fn is_in_flight(&mut self) -> Lowered<Operand> {
        let in_flight = self.in_flight()?;
        let exception = self.load_pointer(in_flight);
        Ok(self.value(Ty::BOOL, |dst| Computation::Compare { dst, op: CmpOp::Ne, a: exception, b: Operand::NULL }))
    }

    fn in_flight(&mut self) -> Lowered<Operand> {
        match self.cx.links.external(IN_FLIGHT) {
            Some(Entity::Global(key)) => Ok(Operand::Global { id: self.cx.global_id(key), offset: 0 }),
            _ => Err("exceptions without the models of C++".to_string()),
        }
    }

    fn model(&mut self, name: &str) -> Lowered<selvedge_program::FuncId> {
        self.cx.defined_function(name).ok_or_else(|| "exceptions without the models of C++".to_string())
    }

    fn load_pointer(&mut self, addr: Operand) -> Operand {
        self.value(Ty::Ptr, |dst| Op::Load { dst, addr, access: Access::Plain, place: None })
    }

    fn store_pointer(&mut self, addr: Operand, value: Operand) {
        self.emit(Op::Store { ty: Ty::Ptr, addr, value, access: Access::Plain, place: None });
    }
}
