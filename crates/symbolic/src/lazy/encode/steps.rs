//! Steps: one function for each kind of operation.

use super::load::Results;
use super::ranges::narrowed;
use super::record::EventKind;
use super::walk::{Mode, Walk};
use crate::operations::{arithmetic, compare, resized, unary};
use selvedge_analyze::points::Inside;
use selvedge_bound::StepOp;
use selvedge_formula::{Term, Terms};
use selvedge_program::{Computation, EntityRef, GlobalId, Intrinsic, Op, Operand, Reg};

impl Walk<'_, '_> {
    /// The next step of the block.
    pub(super) fn step(&mut self, step: usize) {
        let this = &self.bounded().threads[self.here.thread].blocks[self.here.block].steps[step];
        self.here.step = step;
        self.here.origin = this.origin;
        self.here.inside = self.points.inside(self.here.block, step);
        let waits = this.op.is(Intrinsic::BlockUntil);
        if !waits {
            self.before_acting(&this.op);
        }
        match &this.op {
            StepOp::Plain(op) => self.plain_step(op),
            StepOp::Create { dst, object, size } => self.create(*dst, *object, *size),
            StepOp::End { objects } => self.end(objects),
            StepOp::Spawn { dst, thread, args } => self.spawn(*dst, *thread, args),
            StepOp::Finish { objects } => self.finish(objects),
        }
        if waits {
            self.before_acting(&this.op);
        }
        // A step that fails is not counted: the replay runs on into it.
        if counts(&this.op) && self.here.inside == Inside::Nothing {
            self.happens(EventKind::Step);
        }
        self.after_acting();
        self.stop_behind_first_access(&this.op);
        if let StepOp::Spawn { thread, .. } = &this.op {
            self.happens(EventKind::Spawn { thread: *thread });
            if !self.is_probe() {
                self.record.create_thread_locals(self.memory, *thread, self.here.active);
            }
        }
    }

    /// Behind the last step of the block.
    pub(super) fn end_block(&mut self) {
        let block = &self.bounded().threads[self.here.thread].blocks[self.here.block];
        self.here.origin = block.origin;
        self.settle_proved(block);
    }

    fn plain_step(&mut self, op: &Op) {
        if let Op::Intrinsic { which: Intrinsic::AtomicBegin, .. } = op {
            self.begin_section();
        }
        let defs = op.defs();
        let range = self.range_of_result(defs.first());
        let values = self.kept_only(op, &defs).unwrap_or_else(|| match self.plain(op) {
            Results::None => Vec::new(),
            Results::Always(mut values) => {
                values.iter_mut().take(1).for_each(|value| *value = narrowed(self.terms, *value, range));
                values
            }
            Results::NowOnly(values) => self.keep(values, range),
        });
        values.iter().take(1).for_each(|value| self.count_bits(*value, range));
        for (reg, value) in defs.into_iter().zip(values) {
            self.set(reg, value);
        }
    }

    /// An outermost section is one step of a schedule.
    fn begin_section(&mut self) {
        if self.points.is_outermost(self.here.block, self.here.step) {
            self.happens(EventKind::Step);
            self.here.section = match self.mode {
                Mode::Round(_) | Mode::Segment(..) => self.record.events.len().checked_sub(1),
                // Any number that no other section of this walk has.
                Mode::Probe(_) => Some(self.here.block.index() << 32 | self.here.step),
            };
        }
    }

    fn spawn(&mut self, dst: Option<Reg>, thread: usize, args: &[Operand]) {
        if !self.is_probe() {
            let values: Vec<Term> = args.iter().map(|arg| self.value(*arg)).collect();
            let life = &mut self.process.threads[thread];
            if life.args.is_empty() {
                life.args = values;
            } else {
                for (old, new) in life.args.iter_mut().zip(values) {
                    *old = self.terms.ite(self.here.active, new, *old);
                }
            }
            life.created = self.terms.or(life.created, self.here.active);
            self.note_thread(thread, true);
        }
        if let Some(dst) = dst {
            let bits = self.reg_bits(dst);
            let number = self.terms.constant(bits, thread as u128);
            self.set(dst, number);
        }
    }

    fn finish(&mut self, objects: &[GlobalId]) {
        self.end(objects);
        if !self.is_probe() {
            let life = &mut self.process.threads[self.here.thread];
            life.finished = self.terms.or(life.finished, self.here.active);
            self.note_thread(self.here.thread, true);
        }
    }

    fn plain(&mut self, op: &Op) -> Results {
        match op {
            Op::Compute(computation) => self.compute(computation),
            Op::Load { dst, addr, .. } => {
                let loaded = self.load(*addr, self.reg_bits(*dst));
                loaded.gives(vec![loaded.value])
            }
            Op::Store { addr, value, .. } => {
                let value = self.value(*value);
                self.store(*addr, value, Terms::TRUE);
                Results::None
            }
            Op::Rmw { dst, op, addr, value, .. } => self.read_modify_write(*dst, *op, *addr, *value),
            Op::CmpXchg { old, addr, expected, new, .. } => self.compare_exchange(*old, *addr, *expected, *new),
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
                if self.facts.properties.contains(*property) {
                    self.check(*property, text, Terms::TRUE);
                }
                Results::None
            }
            Op::Unsupported { what } => {
                self.end_unsupported(what);
                Results::None
            }
            // Its effect on the store buffer was encoded before.
            Op::Fence { .. } => Results::None,
            Op::Alloca { .. } | Op::StackSave { .. } | Op::StackRestore { .. } | Op::Call { .. } => {
                self.obstacle("an operation that has no place in a bounded program");
                Results::Always(op.defs().into_iter().map(|reg| self.zero(reg)).collect())
            }
        }
    }

    fn compute(&mut self, computation: &Computation) -> Results {
        match computation {
            Computation::Copy { src, .. } => Results::one(self.value(*src)),
            Computation::Binary { op, a, b, checked, .. } => Results::one(self.binary(*op, *a, *b, *checked)),
            Computation::Overflowing { op, signed, a, b, .. } => {
                let (a, b) = (self.value(*a), self.value(*b));
                let value = arithmetic(self.terms, *op, a, b);
                let wrapped = self.overflows(*op, *signed, a, b);
                Results::Always(vec![value, wrapped])
            }
            Computation::Unary { op, a, .. } => {
                let a = self.value(*a);
                Results::one(unary(self.terms, *op, a))
            }
            Computation::Compare { op, a, b, .. } => {
                let (a, b) = (self.value(*a), self.value(*b));
                Results::one(compare(self.terms, *op, a, b))
            }
            Computation::FloatBinary { op, a, b, .. } => Results::one(self.float_binary(*op, *a, *b)),
            Computation::FloatUnary { op, a, .. } => Results::one(self.float_unary(*op, *a)),
            Computation::FloatCompare { op, a, b, .. } => Results::one(self.float_compare(*op, *a, *b)),
            Computation::Cast { dst, cast, src } => Results::one(self.cast(*dst, *cast, *src)),
            Computation::Select { cond, a, b, .. } => {
                let (cond, a, b) = (self.value(*cond), self.value(*a), self.value(*b));
                Results::one(self.terms.ite(cond, a, b))
            }
            Computation::Field { base, bytes, .. } => {
                let base = self.value(*base);
                let needed = u64::BITS - bytes.unsigned_abs().leading_zeros() + 1;
                let by = self.terms.constant(needed, *bytes as u128);
                Results::one(self.memory.pointers.moved(self.terms, base, by))
            }
            Computation::Index { base, index, stride, bound, .. } => {
                Results::one(self.index(*base, *index, *stride, *bound))
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
                if !self.is_probe() {
                    self.process.exited = self.terms.or(self.process.exited, self.here.active);
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
                let bits = dst.map_or(self.memory.pointers.bits, |dst| self.reg_bits(dst));
                Results::NowOnly(vec![self.object_fact(args[0], bits, which == Intrinsic::ObjectSize)])
            }
            Intrinsic::WaitsFor => {
                self.announce(args[1]);
                Results::None
            }
            Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::Yield
            | Intrinsic::Acquired
            | Intrinsic::Released => Results::None,
            Intrinsic::Spawn
            | Intrinsic::SelfId
            | Intrinsic::Owner
            | Intrinsic::Threads
            | Intrinsic::ThreadExit
            | Intrinsic::TlsOf
            | Intrinsic::Alloc
            | Intrinsic::SetJmp
            | Intrinsic::LongJmp => {
                self.obstacle(&format!("the intrinsic {}", which.name()));
                dst.map_or(Results::None, |dst| Results::one(self.zero(dst)))
            }
        }
    }

    /// Is the thread with this number finished, created?
    fn thread_fact(&mut self, asked: Term, which: Intrinsic) -> Term {
        let bits = self.terms.bits(asked);
        let created = which == Intrinsic::Created;
        let mut value = self.terms.bool(!created);
        for number in 0..self.process.threads.len() {
            let this = self.terms.constant(bits, number as u128);
            let hit = self.terms.eq(asked, this);
            if hit == Terms::FALSE {
                continue;
            }
            self.note_thread(number, false);
            let state = &self.process.threads[number];
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
        let value = match self.inputs.get(&self.here.id()) {
            Some(value) => *value,
            None => {
                let fresh = self.terms.variable(self.reg_bits(dst), "input");
                self.inputs.insert(self.here.id(), fresh);
                fresh
            }
        };
        let inside = range.map_or(Terms::TRUE, |(low, high)| {
            let above = self.terms.ule(low, value);
            let below = self.terms.ule(value, high);
            self.terms.and(above, below)
        });
        if let Mode::Probe(probe) = &mut self.mode {
            // In a section the range is left out: whether that waits must not seem to depend on the input because of
            // it.
            if self.here.inside == Inside::Nothing {
                self.here.active = self.terms.and(self.here.active, inside);
            } else if self.here.active != Terms::FALSE {
                probe.input(self.here.section, value);
            }
            return value;
        }
        self.require(inside);
        self.happens(EventKind::Input { value });
        self.note_input(value);
        value
    }

    /// Only zeros are added, or high bits cut off.
    pub(super) fn resized(&mut self, value: Term, bits: u32) -> Term {
        resized(self.terms, value, bits)
    }
}

/// Does the step count in a schedule, outside of sections?
pub(super) fn counts(op: &StepOp) -> bool {
    match op {
        StepOp::Plain(op) => op.is_step(),
        StepOp::Create { .. } => false,
        StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => true,
    }
}
