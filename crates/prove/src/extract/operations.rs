//! The effects of single operations on a state, other than those of memory and of threads.

use super::contexts::Point;
use super::races::Touch;
use super::state::State;
use super::targets::{Targets, Value, Wild};
use super::walk::{Flow, Target, Walk};
use super::{Extraction, Stop};
use selvedge_formula::{Term, Terms};
use selvedge_program::{
    BinOp, Callee, Cast, CmpOp, Computation, FuncId, Input, Inst, Intrinsic, Op, Operand, Property, Ty,
};
use selvedge_symbolic::operations as meaning;

impl Extraction<'_> {
    pub fn step(&mut self, walk: &mut Walk, point: &mut Point, state: &mut State, inst: &Inst) -> Result<Flow, Stop> {
        let context = point.context;
        Ok(match &inst.op {
            Op::Compute(computation) => self.compute(walk, *point, state, *computation),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Alloca { .. } => self.memory(walk, *point, state, &inst.op),
            Op::Fence { .. } | Op::StackRestore { .. } => Flow::Next,
            Op::StackSave { dst } => {
                let mark = self.input(*point, self.space.bits, "mark");
                self.set(state, context, *dst, Value::number(mark));
                Flow::Next
            }
            Op::Call { callee, args, .. } => {
                let arguments: Vec<Value> = args.iter().map(|arg| self.operand(state, context, *arg)).collect();
                for (condition, callee) in self.callees(walk, *point, state, *callee) {
                    let mut state = state.clone();
                    if state.require(&mut self.terms, condition) {
                        self.call(walk, *point, state, callee, arguments.clone())?;
                    }
                }
                Flow::Gone
            }
            Op::Nondet { dst, range, input } => {
                let bits = self.bits(super::Var::Register(context, *dst));
                let (name, wild) = match input {
                    Input::Call(name) | Input::Unmodelled(name) => (name.clone(), Wild::MadeUp),
                    Input::Uninitialised(name) => (name.clone(), Wild::Unwritten),
                };
                let value = self.input(*point, bits, &name);
                let mut possible = true;
                if let Some((low, high)) = range {
                    let (low, high) = (self.operand(state, context, *low), self.operand(state, context, *high));
                    let (low, high) = (self.resized(low, bits).term, self.resized(high, bits).term);
                    let (above, below) = (self.terms.ule(low, value), self.terms.ule(value, high));
                    possible = state.require(&mut self.terms, above) && state.require(&mut self.terms, below);
                }
                self.set(state, context, *dst, Value { term: value, targets: Targets::wild(wild) });
                if possible { Flow::Next } else { Flow::Gone }
            }
            Op::Intrinsic { dst, which, args } => {
                let arguments: Vec<Value> = args.iter().map(|arg| self.operand(state, context, *arg)).collect();
                self.intrinsic(walk, point, state, (*dst, *which, &arguments))
            }
            Op::Violation { property, text } => {
                let loc = self.user_loc(*point);
                if self.properties.contains(*property) && !self.program.suppresses(*property, loc) {
                    let target = Target::Error { property: *property, text: text.clone(), loc };
                    self.exit(walk, target, std::mem::take(state));
                    Flow::Gone
                } else {
                    Flow::Next
                }
            }
            Op::Unsupported { what } => {
                self.gap(walk, *point, std::mem::take(state), format!("{what} is not modelled"));
                Flow::Gone
            }
        })
    }

    /// The functions that may be called, and when.
    fn callees(&mut self, walk: &mut Walk, point: Point, state: &mut State, callee: Callee) -> Vec<(Term, FuncId)> {
        match callee {
            Callee::Direct(function) => vec![(Terms::TRUE, function)],
            Callee::Indirect(target) => {
                let target = self.operand(state, point.context, target);
                let functions = self.functions(&target);
                let any = functions.iter().fold(Terms::FALSE, |any, (hit, _)| self.terms.or(any, *hit));
                let none = self.terms.not(any);
                if target.targets.wild == Wild::MadeUp {
                    self.gap_where(walk, point, state, none, "calls a function by a pointer that was made up");
                }
                let wrong = (none, Property::Memory, "calls something that is not a function");
                if self.fault(walk, point, state, wrong, true) { functions } else { Vec::new() }
            }
        }
    }

    /// The functions that a value may point to, and when it does.
    pub fn functions(&mut self, target: &Value) -> Vec<(Term, FuncId)> {
        let mut functions = Vec::new();
        for object in target.targets.objects() {
            if let super::Origin::Function(function) = self.objects[object].origin {
                let address = self.address(object, 0).term;
                let hit = self.terms.eq(target.term, address);
                if hit != Terms::FALSE {
                    functions.push((hit, function));
                }
            }
        }
        functions
    }

    fn compute(&mut self, walk: &mut Walk, point: Point, state: &mut State, computation: Computation) -> Flow {
        let context = point.context;
        let value = match computation {
            Computation::Copy { src, .. } => self.operand(state, context, src),
            Computation::Binary { op, a, b, checked, .. } => {
                let (a, b) = (self.operand(state, context, a), self.operand(state, context, b));
                match self.binary(walk, point, state, (op, a, b, checked)) {
                    Some(value) => value,
                    None => return Flow::Gone,
                }
            }
            Computation::Overflowing { overflow, op, signed, a, b, .. } => {
                let (a, b) = (self.operand(state, context, a), self.operand(state, context, b));
                let value = meaning::arithmetic(&mut self.terms, op, a.term, b.term);
                let wrapped = match meaning::overflow(&mut self.terms, op, signed, a.term, b.term) {
                    Some(wrapped) => wrapped,
                    None => self.input(point, 1, "overflow"),
                };
                self.set(state, context, overflow, Value::number(wrapped));
                Value { term: value, targets: mixed(&a, &b) }
            }
            Computation::Unary { op, a, .. } => {
                let a = self.operand(state, context, a);
                Value { term: meaning::unary(&mut self.terms, op, a.term), targets: mixed(&a, &a) }
            }
            Computation::Compare { op, a, b, .. } => {
                let (a, b) = (self.operand(state, context, a), self.operand(state, context, b));
                Value::number(self.comparison(point, op, &a, &b))
            }
            Computation::FloatBinary { op, a, b, dst } => {
                let ty = self.operand_type(point, a);
                let (a, b) = (self.operand(state, context, a).term, self.operand(state, context, b).term);
                let bits = self.bits(super::Var::Register(context, dst));
                Value::number(match meaning::float_binary(&mut self.terms, op, ty, a, b) {
                    Some(value) => value,
                    None => self.input(point, bits, "float"),
                })
            }
            Computation::FloatUnary { op, a, .. } => {
                let ty = self.operand_type(point, a);
                let a = self.operand(state, context, a).term;
                Value::number(meaning::float_unary(&mut self.terms, op, ty, a))
            }
            Computation::FloatCompare { op, a, b, .. } => {
                let ty = self.operand_type(point, a);
                let (a, b) = (self.operand(state, context, a).term, self.operand(state, context, b).term);
                Value::number(meaning::float_compare(&mut self.terms, op, ty, a, b))
            }
            Computation::Cast { dst, cast, src } => {
                let function = &self.program.functions[self.contexts[context].function];
                let (from, to) = (self.program.type_of(function, src), function.regs[dst].ty);
                let bits = to.bits(self.program.data_model);
                let src = self.operand(state, context, src);
                let term = meaning::convert(&mut self.terms, cast, from, to, bits, src.term);
                let targets = if cast.is_of_float() { Targets::none() } else { src.targets };
                self.pointer(cast, Value { term, targets })
            }
            Computation::Select { cond, a, b, .. } => {
                let condition = self.operand(state, context, cond).term;
                let (a, b) = (self.operand(state, context, a), self.operand(state, context, b));
                super::state::choose(&mut self.terms, condition, a, b)
            }
            Computation::Field { base, bytes, .. } => {
                let base = self.operand(state, context, base);
                let by = self.terms.constant(127, i128::from(bytes).cast_unsigned());
                let term = self.moved(&base, by);
                Value { term, targets: base.targets.moved(bytes) }
            }
            Computation::Index { base, index, stride, bound, .. } => {
                let (base, index) = (self.operand(state, context, base), self.operand(state, context, index).term);
                let mut times = None;
                if let Some(bound) = bound {
                    let wide = self.terms.bits(index).max(64);
                    let (signed, limit) =
                        (self.terms.sign_extend(index, wide), self.terms.constant(wide, u128::from(bound)));
                    let inside = self.terms.ult(signed, limit);
                    let outside = self.terms.not(inside);
                    let wrong = (outside, Property::Memory, "uses an index that its array does not have");
                    if !self.fault(walk, point, state, wrong, false) {
                        return Flow::Gone;
                    }
                    // Only whoever asks about such indices ends the run there.
                    if inside == Terms::TRUE || state.path.contains(&inside) {
                        times = bound.checked_sub(1);
                    } else if self.is_guessed_inside(point) {
                        if !self.require_inside(walk, point, state, inside) {
                            return Flow::Gone;
                        }
                        times = bound.checked_sub(1);
                    }
                }
                self.indexed(&base, index, stride, times)
            }
        };
        self.set(state, context, computation.dst(), value);
        Flow::Next
    }

    fn operand_type(&self, point: Point, operand: Operand) -> Ty {
        self.program.type_of(&self.program.functions[self.contexts[point.context].function], operand)
    }

    /// An integer that becomes a pointer may name an object by its bits.
    fn pointer(&mut self, cast: Cast, mut value: Value) -> Value {
        if cast == Cast::IntToPtr {
            match self.terms.as_constant(value.term) {
                None if value.targets.is_empty() => value.targets.wild = Wild::MadeUp,
                None => {}
                Some(bits) => {
                    if let Some(object) = self.object_at(bits as u64) {
                        let offset = bits as i64 - self.objects[object].address as i64;
                        value.targets.add(&Targets::at(object, offset));
                    }
                }
            }
        }
        value
    }

    /// Which of two objects comes first in memory is not known, unless they are one.
    fn comparison(&mut self, point: Point, op: CmpOp, a: &Value, b: &Value) -> Term {
        let is_order = !matches!(op, CmpOp::Eq | CmpOp::Ne);
        let objects = a.targets.clone().with(&b.targets).objects();
        if is_order && objects.len() > 1 {
            self.input(point, 1, "order")
        } else {
            meaning::compare(&mut self.terms, op, a.term, b.term)
        }
    }

    fn binary(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (op, a, b, checked): (BinOp, Value, Value, bool),
    ) -> Option<Value> {
        let targets = mixed(&a, &b);
        let (a, mut b) = (a.term, b.term);
        let is_shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        for (text, undefined) in meaning::undefined(&mut self.terms, op, a, b) {
            if !self.fault(walk, point, state, (undefined, Property::Arithmetic, text), !is_shift) {
                return None;
            }
            if is_shift && undefined != Terms::FALSE {
                b = meaning::shift_amount(&mut self.terms, b);
            }
        }
        let term = meaning::arithmetic(&mut self.terms, op, a, b);
        if checked && self.properties.contains(Property::Overflow) {
            let overflow = match meaning::overflow(&mut self.terms, op, true, a, b) {
                Some(overflow) => overflow,
                None => self.input(point, 1, "overflow"),
            };
            if !self.fault(walk, point, state, (overflow, Property::Overflow, "overflows"), false) {
                return None;
            }
        }
        Some(Value { term, targets })
    }

    fn intrinsic(
        &mut self,
        walk: &mut Walk,
        point: &mut Point,
        state: &mut State,
        (dst, which, args): (Option<selvedge_program::Reg>, Intrinsic, &[Value]),
    ) -> Flow {
        let result = match which {
            Intrinsic::Spawn => return self.spawn(walk, point, state, dst, args),
            Intrinsic::ThreadExit => return self.thread_exit(walk, point, state),
            Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created => {
                match self.ask_thread(*point, state, which, args[0].term) {
                    Some(answer) => Value::number(answer),
                    None => return Flow::Cut,
                }
            }
            Intrinsic::TlsOf => match self.copy_of(walk, *point, state, &args[0], &args[1]) {
                Ok(copy) => copy,
                Err(flow) => return flow,
            },
            Intrinsic::SelfId => self.own_number(*point, 0),
            Intrinsic::Owner => self.own_number(*point, 1),
            Intrinsic::Threads => match self.thread_count(*point, state) {
                Some(count) => Value::number(count),
                None => return Flow::Cut,
            },
            Intrinsic::ProcessExit => {
                if self.observe(*point, state, true, true) {
                    return Flow::Cut;
                }
                self.exit(walk, Target::ProcessEnded, std::mem::take(state));
                return Flow::Gone;
            }
            Intrinsic::AtomicBegin => {
                if point.depth == 0 {
                    let is_visible = self.visible_sections.contains(point);
                    state.sections.clear();
                    if self.observe(*point, state, is_visible, false) {
                        return Flow::Cut;
                    }
                    state.sections.insert(*point);
                }
                point.depth += 1;
                return Flow::Next;
            }
            Intrinsic::AtomicEnd => {
                point.depth = point.depth.saturating_sub(1);
                if point.depth == 0 {
                    state.sections.clear();
                    self.settle_words(*point, state);
                }
                return Flow::Next;
            }
            Intrinsic::BlockUntil | Intrinsic::Assume => {
                let holds = args[0].term;
                if holds != Terms::TRUE && !point.alone {
                    if point.depth == 0 && state.wrote {
                        return Flow::Cut;
                    }
                    // A section that waits is undone as a whole, and what was written before it is not: a stop in
                    // between.
                    self.make_visible(state);
                }
                return if state.require(&mut self.terms, holds) { Flow::Next } else { Flow::Gone };
            }
            Intrinsic::Acquired => {
                self.acquired(state, &args[0], args[1].term);
                return Flow::Next;
            }
            Intrinsic::Released => {
                self.released(state, &args[0]);
                return Flow::Next;
            }
            Intrinsic::Yield | Intrinsic::WaitsFor => return Flow::Next,
            Intrinsic::Alloc => self.allocate(walk, *point, state, &args[0]),
            Intrinsic::Free => return self.free(walk, *point, state, &args[0]),
            Intrinsic::ObjectSize => self.object_fact(*point, &args[0], true),
            Intrinsic::ObjectOffset => self.object_fact(*point, &args[0], false),
            Intrinsic::CheckRead | Intrinsic::CheckWrite => {
                let writes = which == Intrinsic::CheckWrite;
                let is_own = self.is_own(state, &args[0]);
                if !is_own {
                    self.touch_bytes(&args[0], *point, writes);
                }
                if self.asks_for_races() && !point.alone && !is_own {
                    if self.observe(*point, state, true, writes) {
                        return Flow::Cut;
                    }
                    let bytes = self.terms.as_constant(args[1].term).and_then(|bytes| u64::try_from(bytes).ok());
                    self.note_access(*point, state, &args[0], Touch { bytes, writes });
                }
                return self.check_access(walk, *point, state, (&args[0], args[1].term, writes));
            }
            Intrinsic::SetJmp | Intrinsic::LongJmp => {
                self.gap(walk, *point, std::mem::take(state), format!("{} is not modelled", which.name()));
                return Flow::Gone;
            }
        };
        if let Some(dst) = dst {
            self.set(state, point.context, dst, result);
        }
        Flow::Next
    }
}

/// The targets of a value that is computed from both: those of either, moved by an unknown distance.
fn mixed(a: &Value, b: &Value) -> Targets {
    let both = a.targets.clone().with(&b.targets);
    if both.is_empty() { both } else { both.indexed(1, None) }
}
