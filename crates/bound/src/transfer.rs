//! One function under the assumptions of the whole-program analysis: what its registers may hold, which of its blocks
//! can be reached, and what that adds to the facts.

mod accesses;
mod calls;

use crate::fold::{self, fold};
use crate::value::{Place, Value};
use crate::whole_program::{Facts, Site};
use crate::written::{initial, is_filled};
use selvedge_program::liveness::Liveness;
use selvedge_program::semantics::integers::{signed, truncate};
use selvedge_program::{
    BlockId, Callee, Cast, Computation, EntityRef, FuncId, Function, GlobalId, Op, Operand, Program, Reg, Terminator,
    Ty,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// By register.
type State = Vec<Value>;

pub struct Transfer<'a> {
    program: &'a Program,
    facts: &'a mut Facts,
    id: FuncId,
    function: &'a Function,
    live: Rc<Liveness>,
    states: BTreeMap<BlockId, State>,
    work: BTreeSet<BlockId>,
}

/// Does anything come after the operation?
#[derive(PartialEq, Eq)]
enum Then {
    On,
    Over,
}

impl<'a> Transfer<'a> {
    pub fn new(program: &'a Program, facts: &'a mut Facts, id: FuncId) -> Transfer<'a> {
        let function = &program.functions[id];
        let live = facts.liveness.entry(id).or_insert_with(|| Rc::new(Liveness::along_edges(function))).clone();
        Transfer { program, facts, id, function, live, states: BTreeMap::new(), work: BTreeSet::new() }
    }

    pub fn run(mut self) {
        let mut state = vec![Value::Anything; self.function.regs.len()];
        if let Some(summary) = self.facts.reached.get(&self.id) {
            for (param, value) in self.function.params.iter().zip(&summary.params) {
                state[param.index()] = value.clone();
            }
        }
        self.arrive(BlockId::new(0), &state);
        while let Some(block) = self.work.pop_first() {
            self.block(block);
        }
    }

    fn arrive(&mut self, target: BlockId, state: &State) {
        let changed = match self.states.get_mut(&target) {
            None => {
                self.states.insert(target, state.clone());
                true
            }
            Some(known) => {
                // The value of a dead register is never asked for.
                let mut changed = false;
                for reg in self.live.live_in[target].ones() {
                    changed |= known[reg].join(&state[reg], &mut self.facts.escaped);
                }
                changed
            }
        };
        if changed {
            self.work.insert(target);
        }
    }

    fn block(&mut self, id: BlockId) {
        let block = &self.function.blocks[id];
        let Some(mut state) = self.states.get(&id).cloned() else { return };
        for (index, inst) in block.insts.iter().enumerate() {
            if self.operation(&mut state, (self.id, id, index as u32), &inst.op) == Then::Over {
                return;
            }
        }
        match &block.term {
            Terminator::Branch { cond, then, otherwise } => match self.value(&state, *cond).bits() {
                Some(bits) => self.arrive(if bits & 1 == 1 { *then } else { *otherwise }, &state),
                None => {
                    self.arrive(*then, &state);
                    self.arrive(*otherwise, &state);
                }
            },
            Terminator::Switch { value, cases, default } => match self.value(&state, *value).bits() {
                Some(bits) => {
                    let hit = cases.iter().find(|(case, _)| *case == bits);
                    self.arrive(hit.map_or(*default, |(_, target)| *target), &state);
                }
                None => block.term.successors().into_iter().for_each(|target| self.arrive(target, &state)),
            },
            Terminator::Jump(target) => self.arrive(*target, &state),
            Terminator::Return(values) => {
                let pairs = values.iter().zip(&self.function.returns);
                let values = pairs.map(|(value, ty)| self.passed(&state, *value, *ty)).collect();
                self.facts.leave(self.id, values);
            }
            Terminator::Unreachable => {}
        }
    }

    fn ty(&self, operand: Operand) -> Ty {
        self.program.type_of(self.function, operand)
    }

    fn value(&mut self, state: &State, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => state[reg.index()].clone(),
            Operand::Global { id, .. } => {
                self.mention(id);
                Value::of(operand)
            }
            other => Value::of(other),
        }
    }

    /// The addresses that a global holds from the start can be loaded from it, or copied.
    fn mention(&mut self, id: GlobalId) {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            if !self.facts.mentioned.insert(id) {
                continue;
            }
            for relocation in &self.program.globals[id].relocations {
                self.facts.escaped.add(&Value::of(relocation.target));
                if let Operand::Global { id, .. } = relocation.target {
                    todo.push(id);
                }
            }
        }
    }

    /// The value as a register of this type gets it, as bits.
    fn passed(&mut self, state: &State, operand: Operand, to: Ty) -> Value {
        let value = self.value(state, operand);
        let from = self.ty(operand);
        self.converted(value, from, to)
    }

    fn converted(&mut self, value: Value, from: Ty, to: Ty) -> Value {
        if from == to {
            return value;
        }
        let model = self.program.data_model;
        match value {
            Value::Constant(Operand::Const { bits, .. }) => {
                let bits = if to == Ty::BOOL { u128::from(bits != 0) } else { truncate(to.bits(model), bits) };
                if to == Ty::Ptr && bits >= fold::NULL_PAGE {
                    return Value::number();
                }
                Value::Constant(Operand::Const { ty: to, bits })
            }
            value if from.bits(model) == to.bits(model) => value,
            value => self.blurred(&[value]),
        }
    }

    /// The result of an operation that is not looked into.
    fn blurred(&mut self, values: &[Value]) -> Value {
        let plain = values.iter().all(|value| !value.holds_address() && *value != Value::Anything);
        if plain {
            return Value::number();
        }
        values.iter().for_each(|value| self.facts.escaped.add(value));
        Value::Anything
    }

    /// As an operand that can be computed with. A thread-local's address is no constant.
    fn known(&mut self, state: &State, operand: Operand) -> Option<Operand> {
        match self.value(state, operand) {
            Value::Constant(constant) => Some(constant),
            Value::Places(places) if places.len() == 1 => match places.first()? {
                Place::Global(id, Some(offset)) if !self.program.globals[*id].thread_local => {
                    Some(Operand::Global { id: *id, offset: *offset })
                }
                Place::Func(id) => Some(Operand::Func(*id)),
                _ => None,
            },
            _ => None,
        }
    }

    fn operation(&mut self, state: &mut State, site: Site, op: &Op) -> Then {
        match op {
            Op::Call { dsts, callee, args } => {
                let functions = match callee {
                    Callee::Direct(id) => BTreeSet::from([*id]),
                    Callee::Indirect(pointer) => self.pointed(state, site, *pointer),
                };
                return self.call(state, &functions, dsts, args, true);
            }
            Op::Intrinsic { dst, which, args } => {
                let (result, then) = self.intrinsic(state, site, *which, args);
                if let Some(dst) = dst {
                    state[dst.index()] = result;
                }
                return then;
            }
            Op::Unsupported { .. } => return Then::Over,
            Op::Store { ty, addr, value, .. } => {
                let value = self.value(state, *value);
                let addr = self.value(state, *addr);
                let bytes = u64::from(ty.bytes(self.program.data_model));
                self.write(&addr, Some(bytes), |program, global, at| match &value {
                    Value::Constant(new) => initial(program, global, at, *ty).is_some_and(|old| old == *new),
                    _ => false,
                });
                self.put(&addr, &value, *ty);
            }
            Op::MemSet { dst, byte, len } => {
                let byte = self.value(state, *byte).bits();
                let len = self.value(state, *len).bits().and_then(|len| u64::try_from(len).ok());
                let dst = self.value(state, *dst);
                self.write(&dst, len, |_, global, at| byte.is_some_and(|byte| is_filled(global, at, byte as u8)));
            }
            Op::MemCopy { dst, src, len, .. } => {
                let len = self.value(state, *len).bits().and_then(|len| u64::try_from(len).ok());
                let src = self.value(state, *src);
                let dst = self.value(state, *dst);
                self.write(&dst, len, |_, _, _| false);
                for id in src.globals() {
                    self.facts.open(id);
                }
                for id in dst.globals() {
                    self.facts.put(id, &Value::Anything);
                }
            }
            Op::Rmw { addr, value, .. } | Op::CmpXchg { addr, new: value, .. } => {
                let ty = self.ty(*value);
                let value = self.value(state, *value);
                let addr = self.value(state, *addr);
                self.write(&addr, Some(u64::from(ty.bytes(self.program.data_model))), |_, _, _| false);
                self.put(&addr, &value, ty);
                addr.globals().into_iter().for_each(|id| self.facts.open(id));
                op.defs().into_iter().for_each(|reg| state[reg.index()] = Value::Anything);
            }
            Op::Load { dst, addr, .. } => {
                let addr = self.value(state, *addr);
                state[dst.index()] = self.load(&addr, self.function.regs[*dst].ty);
            }
            Op::Compute(computation) => {
                let results: Vec<(usize, Value)> =
                    op.defs().into_iter().map(|dst| (dst.index(), self.computed(state, *computation, dst))).collect();
                results.into_iter().for_each(|(dst, value)| state[dst] = value);
            }
            Op::Alloca { dst, .. } => state[dst.index()] = Value::one(Place::Elsewhere),
            Op::Nondet { dst, .. } | Op::StackSave { dst } => state[dst.index()] = Value::number(),
            Op::Fence { .. } | Op::StackRestore { .. } | Op::Violation { .. } => {}
        }
        Then::On
    }

    /// A result of a computation.
    fn computed(&mut self, state: &State, computation: Computation, dst: Reg) -> Value {
        let to = self.function.regs[dst].ty;
        match computation {
            Computation::Copy { src, .. } => return self.passed(state, src, to),
            Computation::Cast { cast: Cast::PtrToInt | Cast::IntToPtr | Cast::Reinterpret, src, .. } => {
                let same = self.ty(src).bits(self.program.data_model) == to.bits(self.program.data_model);
                let value = self.value(state, src);
                if same && value.bits().is_none() {
                    return value;
                }
            }
            Computation::Field { base, bytes, .. } => {
                let base = self.value(state, base);
                if base.bits().is_none() {
                    return base.moved(Some(bytes));
                }
            }
            Computation::Index { base, index, stride, .. } => {
                let base = self.value(state, base);
                if base.bits().is_none() {
                    let width = self.ty(index).bits(self.program.data_model);
                    let index = self.value(state, index).bits();
                    let by = index.and_then(|bits| {
                        let index = signed(width, bits);
                        i64::try_from(index.checked_mul(i128::from(stride))?).ok()
                    });
                    return base.moved(by);
                }
            }
            Computation::Select { cond, a, b, .. } => {
                let (mut a, b) = (self.value(state, a), self.value(state, b));
                return match self.value(state, cond).bits() {
                    Some(cond) if cond & 1 == 1 => a,
                    Some(_) => b,
                    None => {
                        a.join(&b, &mut self.facts.escaped);
                        a
                    }
                };
            }
            Computation::Compare { .. } | Computation::FloatCompare { .. } => {
                return self.folded(state, computation, to).unwrap_or_else(Value::number);
            }
            Computation::Binary { .. }
            | Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::Cast { .. } => {}
        }
        if let Some(constant) = self.folded(state, computation, to) {
            return constant;
        }
        let mut operands = Vec::new();
        computation.for_each_use(|operand| operands.push(operand));
        let values: Vec<Value> = operands.into_iter().map(|operand| self.value(state, operand)).collect();
        self.blurred(&values)
    }

    fn folded(&mut self, state: &State, computation: Computation, to: Ty) -> Option<Value> {
        let mut known = Vec::new();
        computation.for_each_use(|operand| known.push((operand, None)));
        for (operand, value) in &mut known {
            *value = Some(self.known(state, *operand)?);
        }
        let context = fold::Context {
            model: self.program.data_model,
            value: &|operand| known.iter().find(|(o, _)| *o == operand).and_then(|(_, value)| *value),
            size: &|id| self.program.globals[id].size,
            ty: &|operand| self.ty(operand),
        };
        fold(&context, computation, to).map(Value::of)
    }
}
