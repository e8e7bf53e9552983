//! Targets of calls and intrinsics, their arguments and results.

use super::{State, Then, Transfer};
use crate::value::{Place, Value};
use crate::whole_program::{Site, Targets};
use selvedge_program::{EntityRef, FuncId, Intrinsic, Operand, Reg};
use std::collections::BTreeSet;

impl Transfer<'_> {
    /// The functions that a pointer may mean here.
    pub(super) fn pointed(&mut self, state: &State, site: Site, pointer: Operand) -> BTreeSet<FuncId> {
        let value = self.value(state, pointer);
        let made_up = matches!(&value, Value::Places(places) if places.contains(&Place::Number));
        let (functions, open) = match value {
            Value::Constant(_) => (BTreeSet::new(), false),
            Value::Anything => (BTreeSet::new(), true),
            Value::Places(places) => {
                let functions = places.iter().filter_map(|place| match place {
                    Place::Func(id) => Some(*id),
                    _ => None,
                });
                (functions.collect(), false)
            }
        };
        let targets: &mut Targets = self.facts.targets.entry(site).or_default();
        targets.functions.extend(&functions);
        targets.open |= open;
        targets.made_up |= made_up;
        if open { self.facts.escaped.functions.clone() } else { functions }
    }

    /// `strict`: a function that wants more arguments is not called; else they are zero.
    pub(super) fn call(
        &mut self,
        state: &mut State,
        functions: &BTreeSet<FuncId>,
        dsts: &[Reg],
        args: &[Operand],
        strict: bool,
    ) -> Then {
        let mut results: Option<Vec<Value>> = None;
        for id in functions {
            let callee = &self.program.functions[*id];
            if strict && callee.params.len() > args.len() {
                continue;
            }
            let mut params = Vec::new();
            for (number, param) in callee.params.iter().enumerate() {
                let to = callee.regs[*param].ty;
                params.push(match args.get(number) {
                    Some(arg) => self.passed(state, *arg, to),
                    None => Value::Constant(Operand::Const { ty: to, bits: 0 }),
                });
            }
            self.facts.enter(*id, params, Some(self.id));
            let Some(returned) = self.facts.reached.get(id).and_then(|summary| summary.returns.clone()) else {
                continue;
            };
            let mut values = Vec::new();
            for (number, dst) in dsts.iter().enumerate() {
                let to = self.function.regs[*dst].ty;
                values.push(match (returned.get(number), callee.returns.get(number)) {
                    (Some(value), Some(from)) => self.converted(value.clone(), *from, to),
                    _ => Value::Constant(Operand::Const { ty: to, bits: 0 }),
                });
            }
            match &mut results {
                None => results = Some(values),
                Some(results) => {
                    for (mine, new) in results.iter_mut().zip(&values) {
                        mine.join(new, &mut self.facts.escaped);
                    }
                }
            }
        }
        let Some(results) = results else { return Then::Over };
        for (dst, value) in dsts.iter().zip(results) {
            state[dst.index()] = value;
        }
        Then::On
    }

    pub(super) fn intrinsic(
        &mut self,
        state: &mut State,
        site: Site,
        which: Intrinsic,
        args: &[Operand],
    ) -> (Value, Then) {
        let values: Vec<Value> = args.iter().map(|arg| self.value(state, *arg)).collect();
        let result = match which {
            Intrinsic::Spawn => {
                let functions = match args.first() {
                    Some(target) => self.pointed(state, site, *target),
                    None => BTreeSet::new(),
                };
                self.call(state, &functions, &[], args.get(1..).unwrap_or(&[]), false);
                Value::number()
            }
            Intrinsic::TlsOf => {
                let mine = values.get(1).cloned().unwrap_or(Value::Anything);
                let known = self.facts.copied.entry(site).or_insert_with(|| mine.only_global());
                *known = known.filter(|id| mine.only_global() == Some(*id));
                mine
            }
            Intrinsic::Alloc => Value::one(Place::Elsewhere),
            Intrinsic::SetJmp => {
                // It returns once, see the unroller.
                let two_words = 16;
                values.iter().for_each(|buffer| self.write(buffer, Some(two_words), |_, _, _| false));
                return (Value::Constant(Operand::int(32, 0)), Then::On);
            }
            Intrinsic::ThreadExit | Intrinsic::ProcessExit | Intrinsic::LongJmp => {
                return (Value::number(), Then::Over);
            }
            Intrinsic::Assume | Intrinsic::BlockUntil if values.first().and_then(Value::bits) == Some(0) => {
                return (Value::number(), Then::Over);
            }
            Intrinsic::SelfId
            | Intrinsic::Owner
            | Intrinsic::Threads
            | Intrinsic::Finished
            | Intrinsic::PollFinished
            | Intrinsic::Created
            | Intrinsic::Yield
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::BlockUntil
            | Intrinsic::Assume
            | Intrinsic::Free
            | Intrinsic::ObjectSize
            | Intrinsic::ObjectOffset
            | Intrinsic::CheckRead
            | Intrinsic::CheckWrite
            | Intrinsic::Acquired
            | Intrinsic::Released
            | Intrinsic::WaitsFor => Value::number(),
        };
        (result, Then::On)
    }
}
