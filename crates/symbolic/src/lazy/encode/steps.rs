//! What a step does.

use super::{Encoder, Inside, Mode, Record, What, counts};
use selvedge_analyze::Range;
use selvedge_bound::{ObjectKind, StepOp};
use selvedge_formula::{Term, Terms};
use selvedge_program::{Cast, EntityRef, FloatBinOp, GlobalId, Intrinsic, Op, Operand, Reg, RmwOp, UnOp};

/// What a step gives, in the order of the operation's definitions.
pub(super) enum Results {
    None,
    /// The same in whatever round it runs.
    Always(Vec<Term>),
    /// What holds in this round.
    NowOnly(Vec<Term>),
}

impl Results {
    fn one(value: Term) -> Results {
        Results::Always(vec![value])
    }
}

impl Encoder<'_> {
    pub(super) fn step(&mut self, op: &StepOp) {
        match op {
            StepOp::Plain(op) => self.plain_step(op),
            StepOp::Create { dst, object, size } => self.create(*dst, *object, *size),
            StepOp::End { objects } => self.end(objects),
            StepOp::Spawn { dst, thread, args } => {
                self.spawn(*thread, args);
                if let Some(dst) = dst {
                    let bits = self.reg_bits(*dst);
                    let number = self.terms.constant(bits, *thread as u128);
                    self.set(*dst, number);
                }
            }
            StepOp::Finish { objects } => {
                self.end(objects);
                if self.mode == Mode::Run {
                    let finished = self.threads[self.here.thread].finished;
                    self.threads[self.here.thread].finished = self.terms.or(finished, self.here.active);
                    self.note_thread(self.here.thread, true);
                }
            }
        }
        // A step that fails is not counted: the replay runs on into it.
        if counts(op) && self.here.inside == Inside::Nothing {
            self.record(What::Step);
        }
        if let StepOp::Spawn { thread, .. } = op {
            self.record(What::Spawn { thread: *thread });
            self.create_thread_locals(*thread, self.here.active);
        }
    }

    /// A thread's copies of thread-locals begin to exist with it.
    pub(super) fn create_thread_locals(&mut self, number: usize, when: Term) {
        if self.mode == Mode::Probe || when == Terms::FALSE {
            return;
        }
        for (object, description) in &self.bounded.objects {
            if matches!(description.kind, ObjectKind::ThreadLocal { thread, .. } if thread == number) {
                let what = What::Create { window: self.pointers.number(object), object };
                self.log.push(Record { thread: number, when, what });
            }
        }
    }

    fn plain_step(&mut self, op: &Op) {
        if let Op::Intrinsic { which: Intrinsic::AtomicBegin, .. } = op {
            self.begin_section();
        }
        let defs = op.defs();
        // What is not executed in this turn, and gives only what it finds, need not be looked at.
        let range = self.range_of_result(defs.first());
        let values = if self.here.active == Terms::FALSE && reads_shared_state(op) && !self.may_touch_own(op) {
            self.remembered(&defs)
        } else {
            match self.plain(op) {
                Results::None => Vec::new(),
                Results::Always(mut values) => {
                    values.iter_mut().take(1).for_each(|value| *value = self.narrowed(*value, range));
                    values
                }
                Results::NowOnly(values) => self.remember(values, range),
            }
        };
        values.iter().take(1).for_each(|value| self.count_bits(*value, range));
        for (reg, value) in defs.into_iter().zip(values) {
            self.set(reg, value);
        }
    }

    /// An outermost section is one step of a schedule.
    fn begin_section(&mut self) {
        let outermost = self.threads[self.here.thread].points.is_outermost(self.here.block, self.here.step);
        if outermost {
            self.record(What::Step);
            self.here.section = match self.mode {
                Mode::Run => self.log.len().checked_sub(1),
                // Any number that no other section of this walk has.
                Mode::Probe => Some(self.here.block.index() << 32 | self.here.step),
            };
        }
    }

    fn remembered(&mut self, defs: &[Reg]) -> Vec<Term> {
        let key = (self.here.block, self.here.step as u32);
        if let Some(before) = self.threads[self.here.thread].results.get(&key) {
            return before.clone();
        }
        defs.iter().map(|reg| self.zero(*reg)).collect()
    }

    /// A step that reads what changes from round to round keeps what it read in the one it ran in.
    /// `range`: of the first of them.
    fn remember(&mut self, values: Vec<Term>, range: Option<Range>) -> Vec<Term> {
        if self.single.is_some() {
            return values;
        }
        let key = (self.here.block, self.here.step as u32);
        let before = self.threads[self.here.thread].results.get(&key).cloned();
        let mut kept = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            let bits = self.terms.bits(value);
            // What it would have read in rounds before the first in which it may run does not matter.
            let otherwise = before.as_ref().map_or(value, |before| before[index]);
            kept.push(match range.filter(|range| index == 0 && range.width() == bits) {
                None => self.terms.ite(self.here.active, value, otherwise),
                Some(range) => {
                    let low = self.bits_in(value, range).zip(self.bits_in(otherwise, range));
                    let low = low.map(|(value, otherwise)| self.terms.ite(self.here.active, value, otherwise));
                    self.widened(low, range)
                }
            });
        }
        if self.mode == Mode::Run {
            self.threads[self.here.thread].results.insert(key, kept.clone());
        }
        kept
    }

    fn create(&mut self, dst: Reg, object: GlobalId, size: Option<Operand>) {
        let when = self.change(object, Terms::TRUE);
        if let Some(size) = size {
            let size = self.value(size);
            let size = self.resized(size, self.pointers.offset_bits);
            let before = self.memory.object(object).size;
            self.memory.object_mut(object).size = self.terms.ite(when, size, before);
        }
        self.set_alive(object, Terms::TRUE, when);
        let address = self.pointers.address(Operand::Global { id: object, offset: 0 }).unwrap_or(0);
        let address = self.terms.constant(self.pointers.bits, address);
        self.set(dst, address);
        self.record(What::Create { window: self.pointers.number(object), object });
    }

    fn end(&mut self, objects: &[GlobalId]) {
        for object in objects {
            let when = self.change(*object, Terms::TRUE);
            self.set_alive(*object, Terms::FALSE, when);
        }
    }

    pub(super) fn set_alive(&mut self, object: GlobalId, alive: Term, when: Term) {
        let before = self.memory.object(object).alive;
        if alive == Terms::FALSE && when != Terms::FALSE {
            self.note_end(object);
        }
        self.memory.object_mut(object).alive = self.terms.ite(when, alive, before);
    }

    fn spawn(&mut self, thread: usize, args: &[Operand]) {
        if self.mode == Mode::Probe {
            return;
        }
        let values: Vec<Term> = args.iter().map(|arg| self.value(*arg)).collect();
        let before = std::mem::take(&mut self.threads[thread].args);
        self.threads[thread].args = if before.is_empty() {
            values
        } else {
            values.into_iter().zip(before).map(|(new, old)| self.terms.ite(self.here.active, new, old)).collect()
        };
        let created = self.threads[thread].created;
        self.threads[thread].created = self.terms.or(created, self.here.active);
        self.note_thread(thread, true);
    }

    fn plain(&mut self, op: &Op) -> Results {
        if let Some(value) = self.float_operation(op) {
            return Results::one(value);
        }
        let model = self.bounded.program.data_model;
        match op {
            Op::Copy { src, .. } => Results::one(self.value(*src)),
            Op::Binary { op, a, b, checked, .. } => Results::one(self.binary(*op, *a, *b, *checked)),
            Op::Overflowing { op, signed, a, b, .. } => {
                let (a, b) = (self.value(*a), self.value(*b));
                let value = self.arithmetic(*op, a, b);
                let wrapped = self.overflows(*op, *signed, a, b);
                Results::Always(vec![value, wrapped])
            }
            Op::Unary { op, a, .. } => {
                let a = self.value(*a);
                Results::one(match op {
                    UnOp::CountOnes => self.terms.count_ones(a),
                    UnOp::CountLeadingZeros => self.terms.leading_zeros(a),
                    UnOp::CountTrailingZeros => self.terms.trailing_zeros(a),
                    UnOp::SwapBytes => self.terms.swap_bytes(a),
                    UnOp::ReverseBits => self.terms.reverse_bits(a),
                })
            }
            Op::Compare { op, a, b, .. } => {
                let (a, b) = (self.value(*a), self.value(*b));
                Results::one(self.compare(*op, a, b))
            }
            Op::Cast { dst, cast, src } => {
                let value = self.value(*src);
                let bits = self.reg_bits(*dst);
                Results::one(match cast {
                    Cast::SignExtend => self.terms.sign_extend(value, bits),
                    _ => self.resized(value, bits),
                })
            }
            Op::Select { cond, a, b, .. } => {
                let (cond, a, b) = (self.value(*cond), self.value(*a), self.value(*b));
                Results::one(self.terms.ite(cond, a, b))
            }
            Op::Field { base, bytes, .. } => {
                let base = self.value(*base);
                let needed = u64::BITS - bytes.unsigned_abs().leading_zeros() + 1;
                let by = self.terms.constant(needed, *bytes as u128);
                Results::one(self.moved(base, by))
            }
            Op::Index { base, index, stride, bound, .. } => Results::one(self.index(*base, *index, *stride, *bound)),
            Op::Load { dst, addr, .. } => {
                let bits = self.reg_bits(*dst);
                let (value, own) = self.load(*addr, bits.div_ceil(8));
                let value = self.terms.extract(value, 0, bits);
                if own { Results::one(value) } else { Results::NowOnly(vec![value]) }
            }
            Op::Store { ty, addr, value, .. } => {
                let value = self.value(*value);
                let bytes = ty.bytes(model);
                let value = self.terms.zero_extend(value, 8 * bytes);
                self.store(*addr, value, bytes, Terms::TRUE);
                Results::None
            }
            Op::Rmw { dst, op, addr, value, .. } => {
                let bits = self.reg_bits(*dst);
                let value = self.value(*value);
                let (old, own) = self.load(*addr, bits.div_ceil(8));
                let old = self.terms.extract(old, 0, bits);
                let ty = self.reg_type(*dst);
                let new = match op {
                    RmwOp::FAdd => self.float_modify(FloatBinOp::Add, ty, old, value),
                    RmwOp::FSub => self.float_modify(FloatBinOp::Sub, ty, old, value),
                    op => self.modify(*op, old, value),
                };
                let new = self.narrowed(new, self.range_of_store());
                let new = self.terms.zero_extend(new, 8 * bits.div_ceil(8));
                self.store(*addr, new, bits.div_ceil(8), Terms::TRUE);
                if own { Results::one(old) } else { Results::NowOnly(vec![old]) }
            }
            Op::CmpXchg { old, addr, expected, new, .. } => {
                let bits = self.reg_bits(*old);
                let (expected, new) = (self.value(*expected), self.value(*new));
                let (found, own) = self.load(*addr, bits.div_ceil(8));
                let found = self.terms.extract(found, 0, bits);
                let success = self.terms.eq(found, expected);
                let new = self.terms.zero_extend(new, 8 * bits.div_ceil(8));
                self.store(*addr, new, bits.div_ceil(8), success);
                if own { Results::Always(vec![found, success]) } else { Results::NowOnly(vec![found, success]) }
            }
            Op::MemCopy { dst, src, len, may_overlap } => {
                self.copy(*dst, *src, *len, *may_overlap);
                Results::None
            }
            Op::MemSet { dst, byte, len } => {
                self.fill(*dst, *byte, *len);
                Results::None
            }
            Op::Nondet { dst, range, .. } => {
                let range = range.map(|(low, high)| (self.value(low), self.value(high)));
                Results::one(self.input(*dst, range))
            }
            Op::Intrinsic { dst, which, args } => self.intrinsic(*dst, *which, args),
            Op::Violation { property, text } => {
                // Goes on where that is not checked.
                if self.properties.contains(*property) {
                    self.check(*property, text, Terms::TRUE);
                }
                Results::None
            }
            Op::Unsupported { what } => {
                self.end_unsupported(what);
                Results::None
            }
            Op::Fence => Results::None,
            _ => {
                self.obstacle("an operation that has no place in a bounded program");
                Results::Always(op.defs().into_iter().map(|reg| self.zero(reg)).collect())
            }
        }
    }

    pub(super) fn zero(&mut self, reg: Reg) -> Term {
        let bits = self.reg_bits(reg);
        self.terms.constant(bits, 0)
    }

    fn intrinsic(&mut self, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) -> Results {
        match which {
            Intrinsic::Assume => {
                let condition = self.value(args[0]);
                self.assume(condition);
                Results::None
            }
            Intrinsic::BlockUntil => {
                let condition = self.value(args[0]);
                self.block_until(condition);
                Results::None
            }
            Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created => {
                let asked = self.value(args[0]);
                Results::NowOnly(vec![self.thread_fact(asked, which)])
            }
            Intrinsic::ProcessExit => {
                if self.mode == Mode::Run {
                    self.exited = self.terms.or(self.exited, self.here.active);
                    self.note_exit();
                }
                Results::None
            }
            Intrinsic::Free => {
                self.free(args[0]);
                Results::None
            }
            Intrinsic::CheckRead | Intrinsic::CheckWrite => {
                self.check_range(args[0], args[1], which == Intrinsic::CheckWrite);
                Results::None
            }
            Intrinsic::ObjectSize | Intrinsic::ObjectOffset => {
                let bits = dst.map_or(self.pointers.bits, |dst| self.reg_bits(dst));
                Results::NowOnly(vec![self.object_fact(args[0], bits, which == Intrinsic::ObjectSize)])
            }
            Intrinsic::WaitsFor => {
                self.say_for_whom(args[1]);
                Results::None
            }
            Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::Yield
            | Intrinsic::Acquired
            | Intrinsic::Released => Results::None,
            _ => {
                self.obstacle(&format!("the intrinsic {}", which.name()));
                dst.map_or(Results::None, |dst| Results::one(self.zero(dst)))
            }
        }
    }

    /// Blocking undoes a section, which is to say that the thread waits in front of it.
    fn block_until(&mut self, condition: Term) {
        let not = self.terms.not(condition);
        let blocked = self.terms.and(self.here.active, not);
        let needs = self.needs_if(blocked);
        if self.mode == Mode::Probe {
            self.wait_in_probe(blocked);
            self.waits_for.extend(needs);
            self.here.active = self.terms.and(self.here.active, condition);
            return;
        }
        if self.here.inside == Inside::Section {
            self.require(condition);
            return;
        }
        // Nobody else can change what it waits for.
        self.take_back_section(blocked);
        let stuck = self.threads[self.here.thread].stuck;
        self.threads[self.here.thread].stuck = self.terms.or(stuck, blocked);
        self.threads[self.here.thread].stuck_for.extend(needs);
        self.stop_unless(condition);
    }

    /// Is the thread with this number finished, created?
    fn thread_fact(&mut self, asked: Term, which: Intrinsic) -> Term {
        let bits = self.terms.bits(asked);
        let created = which == Intrinsic::Created;
        let mut value = self.terms.bool(!created);
        for number in 0..self.threads.len() {
            let this = self.terms.constant(bits, number as u128);
            let hit = self.terms.eq(asked, this);
            if hit == Terms::FALSE {
                continue;
            }
            self.note_thread(number, false);
            let state = &self.threads[number];
            let fact = if created {
                state.created
            } else if number == self.here.thread {
                Terms::FALSE
            } else {
                let not_created = self.terms.not(state.created);
                self.terms.or(not_created, state.finished)
            };
            value = self.terms.ite(hit, fact, value);
        }
        value
    }

    fn input(&mut self, dst: Reg, range: Option<(Term, Term)>) -> Term {
        let key = (self.here.block, self.here.step as u32);
        let known = self.threads[self.here.thread].results.get(&key).map(|values| values[0]);
        let value = match known {
            Some(value) => value,
            None => {
                let bits = self.reg_bits(dst);
                let fresh = self.terms.variable(bits, "input");
                self.threads[self.here.thread].results.insert(key, vec![fresh]);
                fresh
            }
        };
        let inside = range.map_or(Terms::TRUE, |(low, high)| {
            let above = self.terms.ule(low, value);
            let below = self.terms.ule(value, high);
            self.terms.and(above, below)
        });
        if self.mode == Mode::Probe {
            // In a section the range is left out: whether that waits must not seem to depend on the input because of it.
            if self.here.inside == Inside::Nothing {
                self.here.active = self.terms.and(self.here.active, inside);
            } else if self.here.active != Terms::FALSE {
                self.asked.push((self.here.section, value));
            }
            return value;
        }
        self.require(inside);
        self.record(What::Input { value });
        self.note_input(value);
        value
    }

    /// Only zeros are added, or high bits cut off.
    pub(super) fn resized(&mut self, value: Term, bits: u32) -> Term {
        if self.terms.bits(value) < bits {
            self.terms.zero_extend(value, bits)
        } else {
            self.terms.extract(value, 0, bits)
        }
    }

    /// May the operation change or read an object that every walk of this thread fills anew?
    fn may_touch_own(&mut self, op: &Op) -> bool {
        let mut touches = false;
        let mut addresses = Vec::new();
        match op {
            Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CmpXchg { addr, .. } => {
                addresses.push(*addr);
            }
            Op::MemCopy { dst, src, .. } => addresses.extend([*dst, *src]),
            Op::MemSet { dst, .. } => addresses.push(*dst),
            Op::Intrinsic { which: Intrinsic::Free, args, .. } => addresses.push(args[0]),
            _ => {}
        }
        for address in addresses {
            touches |= self.targets(address).iter().any(|(object, _)| self.is_own(*object));
        }
        touches
    }
}

/// Does it give nothing but what it finds in memory or of other threads, and change nothing else?
fn reads_shared_state(op: &Op) -> bool {
    match op {
        Op::Load { .. } | Op::Store { .. } | Op::MemCopy { .. } | Op::MemSet { .. } => true,
        Op::Rmw { .. } | Op::CmpXchg { .. } => true,
        Op::Intrinsic { which, .. } => matches!(
            which,
            Intrinsic::Free
                | Intrinsic::CheckRead
                | Intrinsic::CheckWrite
                | Intrinsic::Finished
                | Intrinsic::PollFinished
                | Intrinsic::Created
                | Intrinsic::ObjectSize
                | Intrinsic::ObjectOffset
        ),
        _ => false,
    }
}
