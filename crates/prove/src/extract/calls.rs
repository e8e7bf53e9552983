//! Calls and returns.
//!
//! A call is inlined: it leads into a context of its own. A function that calls itself is different. All its
//! activations that a call from elsewhere leads to are one context: a call of itself goes back to where it begins, as
//! round a loop, and its end may lead behind any of these calls as well as out of it. Nobody counts, and nobody knows
//! which of them it was (a pushdown system without its stack; call strings of length 0: Sharir and Pnueli, 1981).
//!
//! The registers of activations that wait meanwhile have one variable for all of them, which the inner ones use. Behind
//! the call they have any value within guessed bounds (`contents`), and point to what they pointed to before some call.
//! Objects on the stack of a recursive function are many that are alive at the same time.
//!
//! Threads stop before such a call and behind it, so that walks end. As nobody counts, any such call may be one too
//! deep for the stack: where memory is asked about, that is a violation which cannot be excluded.

use super::contexts::{ContextId, Point, Site};
use super::state::{State, Var};
use super::targets::Value;
use super::walk::{Flow, Target, Walk};
use super::{Extraction, Known, Stop};
use selvedge_program::{EntityRef, FuncId, Op, Property, Reg};

impl Extraction<'_> {
    /// Enters a function. The state is at the call.
    pub fn call(
        &mut self,
        walk: &mut Walk,
        point: Point,
        mut state: State,
        callee: FuncId,
        arguments: Vec<Value>,
    ) -> Result<(), Stop> {
        let function = &self.program.functions[callee];
        if arguments.len() < function.params.len() {
            self.gap(walk, point, state, format!("{} is called with too few arguments", function.name));
            return Ok(());
        }
        if let Some(again) = self.contexts.activation(point.context, callee) {
            return self.call_again(walk, point, state, again, arguments);
        }
        let is_once = self.is_once(point);
        let position = self.position(point);
        let context = self.contexts.enter(point.context, point.site, position, is_once, callee);
        self.pass(&mut state, context, arguments);
        self.push(walk, Point::start(context, point.depth, point.alone), state);
        Ok(())
    }

    /// The arguments of a call become the parameters of an activation.
    fn pass(&mut self, state: &mut State, context: ContextId, arguments: Vec<Value>) {
        let program = self.program;
        let function = &program.functions[self.contexts[context].function];
        for (param, argument) in function.params.iter().zip(arguments) {
            let bits = self.bits(Var::Register(context, *param));
            let argument = self.passed(argument, bits);
            self.set(state, context, *param, argument);
        }
    }

    pub fn return_from(
        &mut self,
        walk: &mut Walk,
        point: Point,
        mut state: State,
        values: Vec<Value>,
    ) -> Result<(), Stop> {
        self.return_again(walk, point, &state, &values);
        let Some((caller, site)) = self.contexts[point.context].caller else {
            let mut point = point;
            return match self.thread_exit(walk, &mut point, &mut state) {
                Flow::Cut => {
                    self.exit(walk, Target::At(point), state);
                    Ok(())
                }
                Flow::Next | Flow::Gone => Ok(()),
            };
        };
        self.hand_back(&mut state, (caller, site), &values);
        let site = Site { index: site.index + 1, ..site };
        self.push(walk, Point { context: caller, site, ..point }, state);
        Ok(())
    }

    /// What a function returns becomes the results of the call.
    fn hand_back(&mut self, state: &mut State, (caller, site): (ContextId, Site), values: &[Value]) {
        let program = self.program;
        let block = &program.functions[self.contexts[caller].function].blocks[site.block];
        if let Op::Call { dsts, .. } = &block.insts[site.index].op {
            for (dst, value) in dsts.iter().zip(values) {
                let bits = self.bits(Var::Register(caller, *dst));
                let value = self.passed(value.clone(), bits);
                self.set(state, caller, *dst, value);
            }
        }
    }

    /// May there be several such activations at the same time?
    pub fn is_recursive(&self, context: ContextId) -> bool {
        let recursive = &self.loops.recursive;
        !recursive.is_empty()
            && self.contexts.chain(context).any(|(id, _)| recursive.contains(&self.contexts[id].function))
    }

    /// Calls a function of which there is an activation, `again`. The state is at the call.
    fn call_again(
        &mut self,
        walk: &mut Walk,
        point: Point,
        mut state: State,
        again: ContextId,
        arguments: Vec<Value>,
    ) -> Result<(), Stop> {
        let function = self.contexts[again].function;
        if !self.loops.recursive.contains(&function) {
            return Err(Stop::Recursion(function));
        }
        if self.properties.contains(Property::Memory) {
            // Nobody counts how deep calls nest.
            let overflows = self.input(point, 1, "overflows");
            let wrong = (overflows, Property::Memory, "calls may nest too deep");
            if !self.fault(walk, point, &mut state, wrong, true) {
                return Ok(());
            }
        }
        self.changed |= self.returns.entry(again).or_default().insert((point.context, point.site));
        for (context, reg) in self.waiting(again, (point.context, point.site)) {
            let var = Var::Register(context, reg);
            let value = self.read(&state, var);
            self.learn(var, &value);
            self.keep_within_bounds(walk, point, &state, var, value.term);
        }
        self.pass(&mut state, again, arguments);
        self.exit(walk, Target::At(Point::start(again, point.depth, point.alone)), state);
        Ok(())
    }

    /// An activation ends that may have been called by itself. The state is at the end.
    fn return_again(&mut self, walk: &mut Walk, point: Point, state: &State, values: &[Value]) {
        let calls = self.returns.get(&point.context).cloned().unwrap_or_default();
        for (caller, site) in calls {
            let mut state = state.clone();
            for (context, reg) in self.waiting(point.context, (caller, site)) {
                let var = Var::Register(context, reg);
                let value = self.kept(point, &mut state, var);
                state.changed.insert(var, value);
            }
            self.hand_back(&mut state, (caller, site), values);
            let site = Site { index: site.index + 1, ..site };
            self.exit(walk, Target::At(Point { context: caller, site, ..point }), state);
        }
    }

    /// The registers that are needed behind a call, in all activations from `again` to the one that calls.
    fn waiting(&mut self, again: ContextId, (caller, site): (ContextId, Site)) -> Vec<(ContextId, Reg)> {
        let chain: Vec<(ContextId, Option<Site>)> = self.contexts.chain(caller).collect();
        let mut found = Vec::new();
        for (context, waits) in chain {
            let call = waits.unwrap_or(site);
            let function = self.contexts[context].function;
            let shape = self.shape(function);
            let regs = (0..self.program.functions[function].regs.len()).map(Reg::new);
            let needed = regs.filter(|reg| shape.is_live_across(call.block, call.index, *reg));
            found.extend(needed.map(|reg| (context, reg)));
            if context == again {
                break;
            }
        }
        found
    }

    /// The value that a register had before some call.
    fn kept(&mut self, point: Point, state: &mut State, var: Var) -> Value {
        let bits = self.bits(var);
        let known = self.known.get(&var).cloned();
        if let Some(Known { constant: Some(constant), targets }) = known {
            return Value { term: self.terms.constant(bits, constant), targets };
        }
        let term = self.input(point, bits, "kept");
        let holds = self.was_within_bounds(var, term);
        // An input has a value within any bounds.
        let _ = state.require(&mut self.terms, holds);
        Value { term, targets: known.map(|known| known.targets).unwrap_or_default() }
    }
}
