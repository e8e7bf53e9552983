//! Single operations: constants are folded, registers renumbered, objects created and ended.

use crate::bounded::{CutKind, Object, ObjectKind, Origin, StepOp};
use crate::env::Env;
use crate::fold::{self, fold};
use crate::unroll::{Activation, Flow, Place, Refusal, Start, Unroller, bits};
use selvedge_program::liveness::calls_setjmp;
use selvedge_program::semantics::integers::{binary, overflows};
use selvedge_program::{
    BinOp, CmpOp, Computation, EntityRef, FuncId, GlobalId, Intrinsic, Op, Operand, Property, Reg, Ty,
};
use std::rc::Rc;

/// A larger object is beyond the VM too.
const MAX_OBJECT: u64 = 1 << 28;
/// An object whose size is known only at run time has at most so many bytes.
pub(crate) const MAX_UNKNOWN_SIZE: u64 = 4096;

impl Unroller<'_> {
    pub(crate) fn ty(&self, activation: &Activation, operand: Operand) -> Ty {
        self.program.type_of(&self.program.functions[activation.function], operand)
    }

    /// A register of an activation as the thread's.
    pub(crate) fn reg(&self, activation: &Activation, reg: Reg) -> Reg {
        Reg::new(activation.base + reg.index())
    }

    /// The value of an operand of the running function, if it is known.
    pub(crate) fn known(&self, env: &Env, operand: Operand) -> Option<Operand> {
        match operand {
            Operand::Reg(reg) => env.get(reg),
            Operand::Global { id, offset } => match self.own_copy(self.thread, id) {
                Some(id) => Some(Operand::Global { id, offset }),
                None => Some(operand),
            },
            Operand::Const { .. } | Operand::Func(_) => Some(operand),
        }
    }

    /// The operand as it stands in the bounded program.
    pub(crate) fn operand(&self, activation: &Activation, env: &Env, operand: Operand) -> Operand {
        let Some(value) = self.known(env, operand) else {
            return match operand {
                Operand::Reg(reg) => Operand::Reg(self.reg(activation, reg)),
                other => other,
            };
        };
        match (operand, value) {
            (Operand::Reg(reg), Operand::Global { .. } | Operand::Func(_))
                if self.ty(activation, operand) != Ty::Ptr =>
            {
                Operand::Reg(self.reg(activation, reg))
            }
            _ => value,
        }
    }

    pub(crate) fn operation(&mut self, place: &Place<'_>, env: &mut Env, op: &Op) -> Result<Flow, Refusal> {
        match op {
            Op::Call { dsts, callee, args } => return self.call(place, env, dsts, *callee, args),
            Op::Intrinsic { dst, which, args } => return self.intrinsic(place, env, *dst, *which, args),
            Op::Alloca { dst, size, var, padding, ty, .. } => {
                let name = var.clone().unwrap_or_else(|| "stack object".to_string());
                let object = Object {
                    kind: ObjectKind::Stack,
                    name,
                    size: 0,
                    padding: padding.clone(),
                    ty: *ty,
                    loc: place.origin.user,
                };
                let Some(object) = self.create(place, env, Some(*dst), object, *size)? else { return Ok(Flow::Over) };
                env.live.push(object);
            }
            Op::StackSave { dst } => {
                let ty = self.ty(place.activation, Operand::Reg(*dst));
                let mark = Operand::Const { ty, bits: env.live.len() as u128 };
                self.constant(place, env, *dst, mark)?;
            }
            Op::StackRestore { mark } => {
                let Some(mark) = self.known(env, *mark).and_then(bits) else {
                    let what = "a stack that is restored to an unknown place".to_string();
                    return self.last(Op::Unsupported { what }, place.origin);
                };
                let objects = env.live.split_off(env.live.len().min(mark as usize));
                self.step(StepOp::End { objects }, place.origin)?;
            }
            Op::Unsupported { .. } => return self.last(op.clone(), place.origin),
            Op::Compute(computation) => self.compute(place, env, *computation)?,
            Op::Load { dst, addr, .. } => {
                let ty = self.ty(place.activation, Operand::Reg(*dst));
                let value = self.known(env, *addr).and_then(|addr| {
                    let bytes = ty.bytes(self.program.data_model);
                    let held = env.memory.load(addr, bytes).and_then(|value| self.seen_as(value, ty));
                    held.or_else(|| self.unchanged(addr, ty))
                });
                self.plain(place, env, op)?;
                env.set(*dst, value);
            }
            Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::Fence { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. } => self.plain(place, env, op)?,
        }
        Ok(Flow::On)
    }

    fn compute(&mut self, place: &Place<'_>, env: &mut Env, computation: Computation) -> Result<(), Refusal> {
        if let Computation::Overflowing { dst, overflow, op, signed, a, b } = computation
            && let Some((a_bits, b_bits)) = self.known(env, a).and_then(bits).zip(self.known(env, b).and_then(bits))
        {
            let width = self.ty(place.activation, a).bits(self.program.data_model);
            if let Some(value) = binary(op, width, a_bits, b_bits) {
                let ty = self.ty(place.activation, Operand::Reg(dst));
                self.constant(place, env, dst, Operand::Const { ty, bits: value })?;
                let wrapped = overflows(op, signed, width, a_bits, b_bits);
                return self.constant(place, env, overflow, Operand::bool(wrapped));
            }
        }
        let dst = computation.dst();
        match self.folded(place, env, computation) {
            // An address in an integer: known to us, but no operand.
            Some(value @ (Operand::Global { .. } | Operand::Func(_) | Operand::Reg(_)))
                if self.ty(place.activation, Operand::Reg(dst)) != Ty::Ptr =>
            {
                self.plain(place, env, &Op::Compute(computation))?;
                env.set(dst, Some(value));
                Ok(())
            }
            Some(value) => {
                self.note_settled(computation.checks());
                self.constant(place, env, dst, value)
            }
            None => self.plain(place, env, &Op::Compute(computation)),
        }
    }

    /// The value of a load from what keeps its initial value.
    fn unchanged(&self, address: Operand, ty: Ty) -> Option<Operand> {
        let Operand::Global { id, offset } = address else { return None };
        let id = match self.objects.get(id)?.kind {
            ObjectKind::Global => id,
            ObjectKind::ThreadLocal { of, .. } => of,
            ObjectKind::Stack | ObjectKind::Heap => return None,
        };
        self.whole_program.load(self.program, id, offset, ty)
    }

    /// The first result of a computation, if it is known.
    pub(crate) fn folded(&self, place: &Place<'_>, env: &Env, computation: Computation) -> Option<Operand> {
        let context = fold::Context {
            model: self.program.data_model,
            value: &|operand| self.known(env, operand),
            size: &|id| self.certain_size(id),
            ty: &|operand| self.ty(place.activation, operand),
        };
        fold(&context, computation, self.ty(place.activation, Operand::Reg(computation.dst())))
    }

    /// A register gets a constant.
    pub(crate) fn constant(
        &mut self,
        place: &Place<'_>,
        env: &mut Env,
        dst: Reg,
        value: Operand,
    ) -> Result<(), Refusal> {
        env.set(dst, Some(value));
        let dst = self.reg(place.activation, dst);
        self.step(Computation::Copy { dst, src: value }, place.origin)
    }

    /// The operation itself, over the thread's registers.
    fn plain(&mut self, place: &Place<'_>, env: &mut Env, op: &Op) -> Result<(), Refusal> {
        self.remember(env, op);
        let mut copy = op.clone();
        if let Op::Compute(Computation::Select { dst, cond, a, b }) = &copy
            && let Some(cond) = self.known(env, *cond).and_then(bits)
        {
            copy = Op::Compute(Computation::Copy { dst: *dst, src: if cond & 1 == 1 { *a } else { *b } });
        }
        copy.for_each_use_mut(|operand| *operand = self.operand(place.activation, env, *operand));
        copy.for_each_def_mut(|reg| *reg = self.reg(place.activation, *reg));
        self.note_settled(op.checks().without(copy.faults().violates));
        for reg in op.defs() {
            env.set(reg, None);
        }
        self.step(copy, place.origin)
    }

    /// The bytes that an object has at least.
    fn certain_size(&self, id: GlobalId) -> u64 {
        let certain = self.objects.get(id).filter(|_| !self.of_unknown_size.contains(&id));
        certain.map_or(0, |object| object.size)
    }

    /// An object comes to life. None: it is too large.
    fn create(
        &mut self,
        place: &Place<'_>,
        env: &mut Env,
        dst: Option<Reg>,
        object: Object,
        size: Operand,
    ) -> Result<Option<GlobalId>, Refusal> {
        let (size, at_run_time) = match self.known(env, size).and_then(bits) {
            Some(size) => {
                let Some(size) = u64::try_from(size).ok().filter(|size| *size < MAX_OBJECT) else {
                    let what = format!("an object of {size} bytes");
                    self.last(Op::Unsupported { what }, place.origin)?;
                    return Ok(None);
                };
                (size, None)
            }
            None => (MAX_UNKNOWN_SIZE, Some(self.limited_size(place, env, size)?)),
        };
        let id = self.objects.push(Object { size, ..object });
        if at_run_time.is_some() {
            self.of_unknown_size.insert(id);
        }
        Rc::make_mut(&mut env.memory).created(id);
        let reg = match dst {
            Some(dst) => {
                env.set(dst, Some(Operand::Global { id, offset: 0 }));
                self.reg(place.activation, dst)
            }
            None => self.body.reg(Ty::Ptr),
        };
        self.step(StepOp::Create { dst: reg, object: id, size: at_run_time }, place.origin)?;
        Ok(Some(id))
    }

    /// A size that is known only at run time: larger ones than we allow end here.
    fn limited_size(&mut self, place: &Place<'_>, env: &Env, size: Operand) -> Result<Operand, Refusal> {
        let origin = place.origin;
        let ty = self.ty(place.activation, size);
        let size = self.operand(place.activation, env, size);
        if ty.bits(self.program.data_model) > MAX_UNKNOWN_SIZE.ilog2() {
            let too_large = self.body.reg(Ty::BOOL);
            let limit = Operand::Const { ty, bits: u128::from(MAX_UNKNOWN_SIZE) };
            let test = Computation::Compare { dst: too_large, op: CmpOp::Ugt, a: size, b: limit };
            self.step(test, origin)?;
            let (yes, no) = self.body.branch(Operand::Reg(too_large), origin);
            self.body.begin(&[yes]);
            let what = format!("an object of unknown size, larger than {MAX_UNKNOWN_SIZE} bytes");
            self.last(Op::Unsupported { what }, origin)?;
            self.body.begin(&[no]);
        }
        Ok(size)
    }

    fn intrinsic(
        &mut self,
        place: &Place<'_>,
        env: &mut Env,
        dst: Option<Reg>,
        which: Intrinsic,
        args: &[Operand],
    ) -> Result<Flow, Refusal> {
        let op = Op::Intrinsic { dst, which, args: args.to_vec() };
        let number = |dst: Reg, value: usize, this: &Self| {
            let ty = this.ty(place.activation, Operand::Reg(dst));
            Operand::Const { ty, bits: value as u128 }
        };
        let first = args.first().and_then(|arg| self.known(env, *arg));
        match which {
            Intrinsic::SelfId | Intrinsic::Owner | Intrinsic::Threads => {
                let value = if which == Intrinsic::Threads { self.guess } else { self.thread };
                let value = value + usize::from(which == Intrinsic::Owner);
                if let Some(dst) = dst {
                    let value = number(dst, value, self);
                    self.constant(place, env, dst, value)?;
                }
            }
            Intrinsic::Created => {
                let is_there = first.and_then(bits).is_some_and(|n| env.memory.threads.contains(&(n as usize)));
                self.plain(place, env, &op)?;
                if let Some(dst) = dst.filter(|_| is_there) {
                    env.set(dst, Some(Operand::bool(true)));
                }
            }
            Intrinsic::Spawn => return self.spawn(place, env, dst, args),
            Intrinsic::TlsOf => return self.other_copy(place, env, dst, args),
            Intrinsic::Alloc => {
                let name = format!("heap object of {}", self.program.source.describe(place.origin.user));
                let object =
                    Object { kind: ObjectKind::Heap, name, size: 0, padding: vec![], ty: None, loc: place.origin.user };
                let size = args.first().copied().unwrap_or(Operand::int(64, 0));
                if self.create(place, env, dst, object, size)?.is_none() {
                    return Ok(Flow::Over);
                }
            }
            Intrinsic::ThreadExit => {
                let mut objects = place.activation.outer.clone();
                objects.extend(&env.live);
                self.finish(objects, place.origin)?;
                return Ok(Flow::Over);
            }
            Intrinsic::ProcessExit => return self.last(op, place.origin),
            // It returns once, directly: the second return is a jump, and that is not supported.
            Intrinsic::SetJmp => {
                self.remember(env, &op);
                if let Some(dst) = dst {
                    let value = number(dst, 0, self);
                    self.constant(place, env, dst, value)?;
                }
            }
            Intrinsic::LongJmp => {
                let jump = match self.can_be_jumped_to() {
                    true => Op::Unsupported { what: which.name().to_string() },
                    false => {
                        let text = "jumps to a function that has returned".to_string();
                        Op::Violation { property: Property::Memory, text }
                    }
                };
                return self.last(jump, place.origin);
            }
            Intrinsic::Assume | Intrinsic::BlockUntil if first.and_then(bits) == Some(0) => {
                let never = Op::Intrinsic { dst: None, which, args: vec![Operand::bool(false)] };
                return self.last(never, place.origin);
            }
            Intrinsic::ObjectOffset => {
                let inside = match first {
                    Some(Operand::Global { id, offset }) => {
                        u64::try_from(offset).ok().filter(|offset| *offset <= self.certain_size(id))
                    }
                    _ => None,
                };
                match (dst, inside) {
                    (Some(dst), Some(offset)) => {
                        let value = number(dst, offset as usize, self);
                        self.constant(place, env, dst, value)?;
                    }
                    _ => self.plain(place, env, &op)?,
                }
            }
            Intrinsic::ObjectSize => {
                let size = match first {
                    Some(Operand::Global { id, offset }) => self.objects.get(id).and_then(|object| {
                        let for_ever = matches!(object.kind, ObjectKind::Global | ObjectKind::ThreadLocal { .. });
                        let inside = u64::try_from(offset).is_ok_and(|offset| offset <= object.size);
                        (for_ever && inside).then_some(object.size)
                    }),
                    _ => None,
                };
                match (dst, size) {
                    (Some(dst), Some(size)) => {
                        let value = number(dst, size as usize, self);
                        self.constant(place, env, dst, value)?;
                    }
                    _ => self.plain(place, env, &op)?,
                }
            }
            Intrinsic::Assume
            | Intrinsic::BlockUntil
            | Intrinsic::Finished
            | Intrinsic::PollFinished
            | Intrinsic::Yield
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::Free
            | Intrinsic::CheckRead
            | Intrinsic::CheckWrite
            | Intrinsic::Acquired
            | Intrinsic::Released
            | Intrinsic::WaitsFor => self.plain(place, env, &op)?,
        }
        Ok(Flow::On)
    }

    /// Does a function that is active here call `setjmp`?
    fn can_be_jumped_to(&self) -> bool {
        let active = self.program.functions.iter().filter(|(id, _)| self.open[*id] > 0);
        active.into_iter().any(|(_, function)| calls_setjmp(function))
    }

    fn spawn(&mut self, place: &Place<'_>, env: &mut Env, dst: Option<Reg>, args: &[Operand]) -> Result<Flow, Refusal> {
        let origin = place.origin;
        let operand = |this: &Self, number: usize| match args.get(number) {
            Some(arg) => (this.operand(place.activation, env, *arg), this.known(env, *arg)),
            None => (Operand::NULL, Some(Operand::NULL)),
        };
        let ((target, known), first, second) = (operand(self, 0), operand(self, 1), operand(self, 2));
        env.expose(first.1);
        env.expose(second.1);
        let mut values = vec![first.0, second.0];
        let functions: Vec<FuncId> = match known {
            Some(Operand::Func(id)) => vec![id],
            Some(known) => return self.last(no_function(known), origin),
            None => {
                // A thread's start takes what it needs of two arguments.
                let functions = self.candidates(origin);
                let mut any = Operand::bool(false);
                for id in &functions {
                    let (this, sum) = (self.body.reg(Ty::BOOL), self.body.reg(Ty::BOOL));
                    let test = Computation::Compare { dst: this, op: CmpOp::Eq, a: target, b: Operand::Func(*id) };
                    self.step(test, origin)?;
                    let or =
                        Computation::Binary { dst: sum, op: BinOp::Or, a: any, b: Operand::Reg(this), checked: false };
                    self.step(or, origin)?;
                    any = Operand::Reg(sum);
                }
                let (fine, wrong) = self.body.branch(any, origin);
                self.body.begin(&[wrong]);
                self.last(no_function(target), origin)?;
                if functions.is_empty() {
                    return Ok(Flow::Over);
                }
                self.body.begin(&[fine]);
                if functions.len() > 1 {
                    values.insert(0, target);
                }
                functions
            }
        };
        if self.created > self.limits.threads as usize {
            self.cut(CutKind::Threads(self.limits.threads), origin.user, origin);
            return Ok(Flow::Over);
        }
        let thread = self.created;
        self.created += 1;
        let memory = Rc::make_mut(&mut env.memory);
        memory.threads.insert(thread);
        let threads = memory.threads.clone();
        self.queue.push_back(Start { functions, known: [first.1, second.1], threads });
        let reg = dst.map(|dst| self.reg(place.activation, dst));
        self.step(StepOp::Spawn { dst: reg, thread, args: values }, origin)?;
        if let Some(dst) = dst {
            let ty = self.ty(place.activation, Operand::Reg(dst));
            env.set(dst, Some(Operand::Const { ty, bits: thread as u128 }));
        }
        Ok(Flow::On)
    }

    /// The functions that a pointer may mean which is called or given to a new thread here.
    pub(crate) fn candidates(&self, origin: Origin) -> Vec<FuncId> {
        self.whole_program.targets((origin.function, origin.block, origin.index)).into_iter().collect()
    }
}

/// The VM's violation for a call through this pointer.
pub(crate) fn no_function(pointer: Operand) -> Op {
    let null = matches!(pointer, Operand::Const { bits, .. } if bits < 4096);
    let text = if null { "calls through a null pointer" } else { "calls through a pointer to no function" };
    Op::Violation { property: Property::Memory, text: text.to_string() }
}
