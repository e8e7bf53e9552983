//! Functions with a special meaning to a verifier: the intrinsics of `selvedge.h`, failing
//! assertions, nondeterministic inputs, the mathematics library, and functions without a definition.

use selvedge_program::{
    Assumption, Computation, FloatBinOp, FloatUnOp, Input, Intrinsic, OWN_PREFIX, Op, Operand, Origin, Property,
    SourceMap, Terminator, Ty,
};

use super::function::Body;
use super::{LowerError, Lowered, names};
use crate::UnknownFunctions;

/// Functions that end a run because an assertion failed, and the argument that is its text.
const FAILED_ASSERTIONS: [(&str, Option<usize>); 5] = [
    ("__assert_fail", Some(0)),
    ("__assert", Some(0)),
    ("__assert_rtn", Some(3)),
    ("__assert_func", Some(3)),
    ("__assert_perror_fail", None),
];

/// Functions whose calls are operations even if the program defines them.
pub fn is_special(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
        || FAILED_ASSERTIONS.iter().any(|(known, _)| *known == name)
        || name.strip_prefix(OWN_PREFIX).is_some_and(|rest| {
            matches!(rest, "violation" | "unsupported")
                || rest.starts_with("nondet_")
                || Intrinsic::from_name(rest).is_some()
        })
}

/// Functions that act on the frame of their caller, which a model in C cannot do.
pub fn needs_frame(name: &str, origin: Origin) -> bool {
    origin == Origin::Model && (is_setjmp(name) || name == "alloca")
}

fn is_setjmp(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "__setjmp" | "sigsetjmp" | "__sigsetjmp")
}

impl Body<'_, '_> {
    /// A call of a function that is special or has no definition.
    pub fn special_call(&mut self, name: &str, args: &[Operand], returns: &[Ty]) -> Lowered<Vec<Operand>> {
        if name.starts_with("__CPROVER_uninterpreted") {
            // Equal arguments must give equal values, so the result is not an arbitrary value.
            return Err(format!("the uninterpreted function `{name}`"));
        }
        if matches!(name, "reach_error" | "__VERIFIER_error") {
            self.fail(Property::Assertion, "reach_error() is called".to_string());
            return Ok(self.anything(returns));
        }
        if let Some((_, position)) = FAILED_ASSERTIONS.iter().find(|(known, _)| *known == name) {
            let text = position.and_then(|p| args.get(p)).and_then(|arg| self.cx.string_at(*arg));
            self.fail(
                Property::Assertion,
                text.map_or_else(|| "an assertion fails".to_string(), |text| format!("assertion `{text}` fails")),
            );
            return Ok(self.anything(returns));
        }
        if let Some(rest) = name.strip_prefix(OWN_PREFIX)
            && is_special(name)
        {
            return self.selvedge_call(rest, args, returns);
        }
        if name.starts_with("__VERIFIER_nondet_") || name == "nondet" || name.starts_with("nondet_") {
            return Ok(returns.iter().map(|ty| self.nondet(*ty, Input::Call(name.to_string()))).collect());
        }
        if is_setjmp(name)
            && let ([buffer, ..], [ty]) = (args, returns)
        {
            let args = vec![*buffer];
            return Ok(vec![self.value(*ty, |dst| Op::Intrinsic { dst: Some(dst), which: Intrinsic::SetJmp, args })]);
        }
        if matches!(name, "longjmp" | "_longjmp" | "siglongjmp")
            && let [buffer, value, ..] = args
        {
            let args = vec![*buffer, *value];
            self.emit(Op::Intrinsic { dst: None, which: Intrinsic::LongJmp, args });
            self.end(Terminator::Unreachable);
            return Ok(self.anything(returns));
        }
        if name == "alloca"
            && let ([size], [Ty::Ptr]) = (args, returns)
        {
            let size = self.adapt(*size, self.layout.word())?;
            let object = |dst| Op::Alloca { dst, size, align: 16, var: None, ty: None, padding: vec![] };
            return Ok(vec![self.value(Ty::Ptr, object)]);
        }
        if let ("assert", [condition]) = (name, args) {
            // `assert` without its header is a function without a definition.
            let cond = self.truth(*condition);
            let (holds, fails) = (self.block("assert.holds"), self.block("assert.fails"));
            self.end(Terminator::Branch { cond, then: holds, otherwise: fails });
            self.current = fails;
            self.fail(Property::Assertion, "an assertion fails".to_string());
            self.current = holds;
            self.open = true;
            return Ok(self.anything(returns));
        }
        if let Some(value) = self.mathematics(name, args, returns) {
            return Ok(vec![value]);
        }
        if names::is_of_standard_library(name) {
            return Err(format!("`{}` of the C++ library", names::readable(name)));
        }
        let loc = self.loc;
        if self.cx.unknown_functions == UnknownFunctions::Havoc {
            self.havoc(name, args)?;
            return Ok(returns.iter().map(|ty| self.nondet(*ty, Input::Unmodelled(names::readable(name)))).collect());
        }
        self.cx.unmodelled(name, loc);
        for operand in args {
            if let Operand::Func(id) = operand {
                let function = self.cx.functions[*id].name.clone();
                self.cx.assume(Assumption::NotCalled { function, by: names::readable(name) });
            }
        }
        Ok(returns.iter().map(|ty| self.nondet(*ty, Input::Unmodelled(names::readable(name)))).collect())
    }

    /// Results that nothing can depend on: those of a call that does not return, or returns nothing in C.
    fn anything(&self, returns: &[Ty]) -> Vec<Operand> {
        returns.iter().map(|ty| Operand::Const { ty: *ty, bits: 0 }).collect()
    }

    /// A violation, and the end of the run where the property is not checked.
    fn fail(&mut self, property: Property, text: String) {
        self.emit(Op::Violation { property, text });
        self.intrinsic(Intrinsic::ProcessExit);
        self.end(Terminator::Unreachable);
    }

    fn literal(&mut self, call: &str, arg: Option<&Operand>) -> Lowered<String> {
        if let Some(text) = arg.and_then(|arg| self.cx.string_at(*arg)) {
            return Ok(text);
        }
        Err(self.misuse(format!("`{OWN_PREFIX}{call}` needs string literals")))
    }

    /// A wrong use of an intrinsic is an error in a model, found before anything runs.
    fn misuse(&mut self, what: String) -> String {
        let place = if self.loc == SourceMap::NOWHERE { self.func.name.clone() } else { self.cx.describe(self.loc) };
        self.cx.error.get_or_insert(LowerError::Intrinsic { place, what: what.clone() });
        what
    }

    fn selvedge_call(&mut self, name: &str, args: &[Operand], returns: &[Ty]) -> Lowered<Vec<Operand>> {
        match name {
            "violation" => {
                let property = self.literal(name, args.first())?;
                let text = self.literal(name, args.get(1))?;
                match Property::all_by_name().find(|known| known.name() == property) {
                    Some(property) => self.emit(Op::Violation { property, text }),
                    None => return Err(self.misuse(format!("there is no property `{property}`"))),
                }
                return Ok(vec![]);
            }
            "unsupported" => {
                let what = self.literal(name, args.first())?;
                self.unsupported(&what);
                return Ok(vec![]);
            }
            _ => {}
        }
        if name.starts_with("nondet_") {
            // Models wrap these functions; the user knows the wrapper's name.
            let input = match self.func.origin {
                Origin::Model => Input::Call(self.func.name.clone()),
                Origin::User => Input::Call(format!("{OWN_PREFIX}{name}")),
            };
            let [ty] = returns else { return Err(self.misuse(format!("`{OWN_PREFIX}{name}` returns a value"))) };
            let range = match (name, args) {
                ("nondet_range", [low, high]) => Some((self.adapt(*low, *ty)?, self.adapt(*high, *ty)?)),
                _ => None,
            };
            return Ok(vec![self.value(*ty, |dst| Op::Nondet { dst, range, input })]);
        }
        let Some(which) = Intrinsic::from_name(name) else { return Err(format!("`{OWN_PREFIX}{name}`")) };
        if args.len() != which.arity() {
            return Err(self.misuse(format!("`{OWN_PREFIX}{name}` takes {} arguments", which.arity())));
        }
        let mut args = args.to_vec();
        if matches!(which, Intrinsic::BlockUntil | Intrinsic::Assume) {
            args[0] = self.truth(args[0]);
        }
        let gives_truth = matches!(which, Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created);
        let ends = matches!(which, Intrinsic::ThreadExit | Intrinsic::ProcessExit | Intrinsic::LongJmp);
        let result = match returns {
            [ty] if gives_truth => {
                let truth = self.value(Ty::BOOL, |dst| Op::Intrinsic { dst: Some(dst), which, args });
                vec![self.adapt(truth, *ty)?]
            }
            [ty] => vec![self.value(*ty, |dst| Op::Intrinsic { dst: Some(dst), which, args })],
            _ => {
                self.emit(Op::Intrinsic { dst: None, which, args });
                vec![]
            }
        };
        if ends {
            self.end(Terminator::Unreachable);
        }
        Ok(result)
    }

    /// `fabs`, `floorf`, `sqrtl`, … are operations.
    fn mathematics(&mut self, name: &str, args: &[Operand], returns: &[Ty]) -> Option<Operand> {
        let [ty @ (Ty::F32 | Ty::F64)] = returns else { return None };
        if args.is_empty() || args.iter().any(|arg| self.ty(*arg) != *ty) {
            return None;
        }
        let stem = name.strip_suffix(['f', 'l']).filter(|stem| float_operation(stem).is_some()).unwrap_or(name);
        self.float_operation(stem, args)
    }

    /// An operation on floats by C's name for it.
    pub fn float_operation(&mut self, name: &str, args: &[Operand]) -> Option<Operand> {
        match (float_operation(name)?, args) {
            (FloatOperation::Unary(op), [a]) => Some(self.float_unary(op, *a)),
            (FloatOperation::Binary(op), [a, b]) => {
                let (a, b, ty) = (*a, *b, self.ty(*a));
                Some(self.value(ty, |dst| Computation::FloatBinary { dst, op, a, b }))
            }
            (FloatOperation::MulAdd, [a, b, c]) => {
                let (a, b, c, ty) = (*a, *b, *c, self.ty(*a));
                let product = self.value(ty, |dst| Computation::FloatBinary { dst, op: FloatBinOp::Mul, a, b });
                Some(self.value(ty, |dst| Computation::FloatBinary { dst, op: FloatBinOp::Add, a: product, b: c }))
            }
            _ => None,
        }
    }
}

enum FloatOperation {
    Unary(FloatUnOp),
    Binary(FloatBinOp),
    MulAdd,
}

fn float_operation(name: &str) -> Option<FloatOperation> {
    use FloatOperation::{Binary, MulAdd, Unary};
    Some(match name {
        "fabs" => Unary(FloatUnOp::Abs),
        "sqrt" => Unary(FloatUnOp::Sqrt),
        "floor" => Unary(FloatUnOp::Floor),
        "ceil" => Unary(FloatUnOp::Ceil),
        "trunc" => Unary(FloatUnOp::Trunc),
        "round" => Unary(FloatUnOp::Round),
        "roundeven" | "rint" | "nearbyint" => Unary(FloatUnOp::RoundEven),
        "fmin" | "minnum" => Binary(FloatBinOp::Min),
        "fmax" | "maxnum" => Binary(FloatBinOp::Max),
        "fmod" => Binary(FloatBinOp::Rem),
        "copysign" => Binary(FloatBinOp::CopySign),
        "fma" | "fmuladd" => MulAdd,
        _ => return None,
    })
}
