//! Lazy sequentialization, straight into a formula.
//!
//! Inverso et al. (CAV 2014) simulate all round-robin schedules of K rounds by a sequential program
//! that runs every thread once a round, from where it stopped to a guessed place. We execute that
//! program symbolically without ever writing it down: round by round, thread by thread, step by step.
//!
//! Two deviations. The guess is order-encoded: `done[i]` says that the thread has passed point i by
//! the end of this round, so there are no program counters and no comparisons. And a thread's values
//! are functions of the schedule, computed again in every round: a step's result is what it reads in
//! the one round in which it runs. What does not depend on a shared load is the same term in every
//! round, and costs nothing the second time.
//!
//! A thread may stop anywhere, so a violation needs nothing behind it; what the formula does with a
//! run after its first violation does not matter.

use super::memory::{Cell, Memory, Pointers};
use super::pointers::{ValueSets, zero_bits};
use super::points::Points;
use selvedge_analyze::{PointsTo, Shared};
use selvedge_bound::{Bounded, Origin, StepOp, Terminator};
use selvedge_formula::{Term, Terms};
use selvedge_program::{
    BinOp, Cast, CmpOp, EntityRef, GlobalId, Intrinsic, Loc, Op, Operand, Properties, Property, Reg, RmwOp, Ty, UnOp,
};

/// More places than this that one access may touch are beyond us.
const MAX_CANDIDATES: usize = 4096;

/// Something that may be wrong.
#[derive(Clone, Debug)]
pub struct Check {
    pub condition: Term,
    pub property: Property,
    pub text: String,
    pub loc: Loc,
    pub thread: usize,
}

/// What happens, in the order in which it happens.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A step of a schedule.
    Step,
    Spawn { thread: usize },
    Input { value: Term },
    /// A number of [`Encoder::checks`].
    Check(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub thread: usize,
    /// Does it happen?
    pub when: Term,
    pub what: What,
}

/// Something that the formula leaves out.
#[derive(Clone, Debug)]
pub struct Obstacle {
    pub when: Term,
    pub what: String,
    pub loc: Loc,
}

struct ThreadState {
    points: Points,
    created: Term,
    finished: Term,
    args: Vec<Term>,
    /// By point: passed by the end of the last round.
    done: Vec<Term>,
    /// By block and step: what the step gave in the round in which it ran.
    results: Vec<Vec<Vec<Term>>>,
}

pub struct Encoder<'b> {
    bounded: &'b Bounded<'b>,
    properties: Properties,
    pub terms: Terms,
    pointers: Pointers,
    memory: Memory,
    value_sets: ValueSets,
    threads: Vec<ThreadState>,
    exited: Term,
    /// Has something gone wrong in this turn?
    violated: Term,
    pub rounds: u32,
    /// All of them hold in every run.
    pub constraints: Vec<Term>,
    pub checks: Vec<Check>,
    pub log: Vec<Record>,
    pub obstacles: Vec<Obstacle>,
    /// Reaching a place where a bound bit.
    pub cuts: Vec<Term>,

    // Of the step that is being encoded.
    thread: usize,
    when: Term,
    origin: Origin,
    /// The thread's registers here.
    env: Vec<Term>,
}

/// A place that an access may touch, and when it does.
struct Candidate {
    object: GlobalId,
    at: u32,
    when: Term,
}

impl<'b> Encoder<'b> {
    pub fn new(bounded: &'b Bounded<'b>, properties: Properties) -> Option<Encoder<'b>> {
        let pointers = Pointers::new(bounded);
        if !pointers.suffice(bounded) {
            return None;
        }
        let points_to = PointsTo::new(bounded);
        let shared = Shared::new(bounded, &points_to);
        let threads = bounded.threads.iter().enumerate().map(|(number, thread)| {
            let points = Points::new(bounded, number, &points_to, &shared);
            ThreadState {
                created: if number == 0 { Terms::TRUE } else { Terms::FALSE },
                finished: Terms::FALSE,
                args: Vec::new(),
                done: vec![Terms::FALSE; points.count],
                results: thread.blocks.values().map(|block| vec![Vec::new(); block.steps.len()]).collect(),
                points,
            }
        });
        let mut terms = Terms::new();
        let threads: Vec<ThreadState> = threads.collect();
        let nowhere = bounded.threads[0].blocks.values().next()?.origin;
        let zero = terms.bool(false);
        Some(Encoder {
            bounded,
            properties,
            terms,
            pointers,
            memory: Memory::new(bounded, pointers),
            value_sets: ValueSets::default(),
            threads,
            exited: zero,
            violated: zero,
            rounds: 0,
            constraints: Vec::new(),
            checks: Vec::new(),
            log: Vec::new(),
            obstacles: Vec::new(),
            cuts: Vec::new(),
            thread: 0,
            when: Terms::FALSE,
            origin: nowhere,
            env: Vec::new(),
        })
    }

    /// Context-switch points of all threads.
    pub fn points(&self) -> usize {
        self.threads.iter().map(|thread| thread.points.count).sum()
    }

    /// One more round.
    pub fn round(&mut self) {
        self.rounds += 1;
        for thread in 0..self.threads.len() {
            if self.threads[thread].created != Terms::FALSE {
                self.turn(thread);
            }
        }
    }

    /// A thread's turn in this round.
    fn turn(&mut self, number: usize) {
        self.thread = number;
        self.violated = Terms::FALSE;
        let windows = self.guess_stop(number);
        let thread = &self.bounded.threads[number];
        let count = thread.blocks.len();
        // Ways into each block: when, and with which registers.
        let mut ways: Vec<Vec<(Term, Vec<Term>)>> = vec![Vec::new(); count];
        ways[0].push((Terms::TRUE, self.first_registers(number)));
        for (block, body) in &thread.blocks {
            let index = block.index();
            let (guard, env) = self.join(std::mem::take(&mut ways[index]));
            self.env = env;
            if guard == Terms::FALSE {
                continue;
            }
            for (step, body) in body.steps.iter().enumerate() {
                let segment = self.threads[number].points.segment(index, step);
                self.when = self.terms.and(guard, windows[segment]);
                self.origin = body.origin;
                self.step(index, step, &body.op);
            }
            let segment = self.threads[number].points.segment(index, body.steps.len());
            self.when = self.terms.and(guard, windows[segment]);
            self.origin = body.origin;
            self.leave(guard, &body.term, &mut ways);
        }
    }

    /// Where the thread stops in this round. Gives, for each segment, whether it runs in this one.
    fn guess_stop(&mut self, number: usize) -> Vec<Term> {
        let state = &mut self.threads[number];
        let may_run = {
            let not_exited = self.terms.not(self.exited);
            self.terms.and(state.created, not_exited)
        };
        let mut windows = Vec::new();
        let mut passed_before: Option<Term> = None;
        for point in 0..state.points.count {
            let before = state.done[point];
            let fresh = self.terms.variable(1, format!("done{number}.{point}.{}", self.rounds));
            let now = self.terms.or(fresh, before);
            if let Some(previous) = passed_before {
                self.constraints.push(self.terms.implies(now, previous));
            }
            let not_before = self.terms.not(before);
            let window = self.terms.and(now, not_before);
            self.constraints.push(self.terms.implies(window, may_run));
            windows.push(window);
            state.done[point] = now;
            passed_before = Some(now);
        }
        windows
    }

    fn first_registers(&mut self, number: usize) -> Vec<Term> {
        let thread = &self.bounded.threads[number];
        let model = self.bounded.program.data_model;
        let mut env: Vec<Term> =
            thread.regs.values().map(|info| self.terms.constant(info.ty.bits(model), 0)).collect();
        for (param, arg) in thread.params.iter().zip(self.threads[number].args.clone()) {
            env[param.index()] = arg;
        }
        env
    }

    fn join(&mut self, ways: Vec<(Term, Vec<Term>)>) -> (Term, Vec<Term>) {
        let mut ways = ways.into_iter().filter(|(when, _)| *when != Terms::FALSE);
        let Some((mut guard, mut env)) = ways.next() else { return (Terms::FALSE, Vec::new()) };
        for (when, other) in ways {
            for (mine, theirs) in env.iter_mut().zip(other) {
                if *mine != theirs {
                    *mine = self.terms.ite(when, theirs, *mine);
                }
            }
            guard = self.terms.or(guard, when);
        }
        (guard, env)
    }

    fn leave(&mut self, guard: Term, term: &Terminator, ways: &mut [Vec<(Term, Vec<Term>)>]) {
        match term {
            Terminator::Jump(to) => ways[to.index()].push((guard, std::mem::take(&mut self.env))),
            Terminator::Branch { cond, then, otherwise } => {
                let cond = self.value(*cond);
                let not = self.terms.not(cond);
                let (yes, no) = (self.terms.and(guard, cond), self.terms.and(guard, not));
                ways[then.index()].push((yes, self.env.clone()));
                ways[otherwise.index()].push((no, std::mem::take(&mut self.env)));
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.value(*value);
                let bits = self.terms.bits(value);
                let mut rest = guard;
                for (case, to) in cases {
                    let case = self.terms.constant(bits, *case);
                    let hit = self.terms.eq(value, case);
                    let taken = self.terms.and(rest, hit);
                    let missed = self.terms.not(hit);
                    rest = self.terms.and(rest, missed);
                    ways[to.index()].push((taken, self.env.clone()));
                }
                ways[default.index()].push((rest, std::mem::take(&mut self.env)));
            }
            Terminator::Cut(_) => self.cuts.push(self.when),
            Terminator::Stop => {}
        }
    }

    // Steps.

    fn step(&mut self, block: usize, index: usize, op: &StepOp) {
        let is_step = match op {
            StepOp::Plain(op) => op.is_step(),
            StepOp::Create { .. } => false,
            StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => true,
        };
        match op {
            StepOp::Plain(op) => {
                if let Some(results) = self.plain(block, index, op) {
                    let results = self.remember(block, index, results);
                    for (reg, value) in op.defs().into_iter().zip(results) {
                        self.env[reg.index()] = value;
                    }
                }
            }
            StepOp::Create { dst, object } => {
                self.set_alive(*object, Terms::TRUE, self.when);
                let address = self.pointers.address(Operand::Global { id: *object, offset: 0 }).unwrap_or(0);
                self.env[dst.index()] = self.terms.constant(self.pointers.bits, address);
            }
            StepOp::End { objects } => {
                objects.iter().for_each(|object| self.set_alive(*object, Terms::FALSE, self.when));
            }
            StepOp::Spawn { dst, thread, args } => {
                self.spawn(*thread, args);
                if let Some(dst) = dst {
                    let bits = self.reg_bits(*dst);
                    self.env[dst.index()] = self.terms.constant(bits, *thread as u128);
                }
            }
            StepOp::Finish { objects } => {
                objects.iter().for_each(|object| self.set_alive(*object, Terms::FALSE, self.when));
                let finished = self.threads[self.thread].finished;
                self.threads[self.thread].finished = self.terms.or(finished, self.when);
            }
        }
        // A step that fails is not counted: the replay runs on into it.
        if is_step {
            self.record(What::Step);
        }
        if let StepOp::Spawn { thread, .. } = op {
            self.record(What::Spawn { thread: *thread });
        }
    }

    fn record(&mut self, what: What) {
        if self.when != Terms::FALSE {
            self.log.push(Record { thread: self.thread, when: self.when, what });
        }
    }

    /// A step that reads what changes from round to round keeps what it read in the one it ran in.
    fn remember(&mut self, block: usize, index: usize, results: Results) -> Vec<Term> {
        let values = match results {
            Results::Always(values) => return values,
            Results::NowOnly(values) => values,
        };
        let before = &self.threads[self.thread].results[block][index];
        let before = if before.is_empty() { values.iter().map(|_| None).collect() } else { before.iter().copied().map(Some).collect::<Vec<_>>() };
        let kept: Vec<Term> = values
            .into_iter()
            .zip(before)
            .map(|(value, before)| {
                let before = before.unwrap_or_else(|| {
                    let bits = self.terms.bits(value);
                    self.terms.constant(bits, 0)
                });
                self.terms.ite(self.when, value, before)
            })
            .collect();
        self.threads[self.thread].results[block][index] = kept.clone();
        kept
    }

    fn set_alive(&mut self, object: GlobalId, alive: Term, when: Term) {
        let slot = object.index();
        self.memory.alive[slot] = self.terms.ite(when, alive, self.memory.alive[slot]);
    }

    fn spawn(&mut self, thread: usize, args: &[Operand]) {
        let values: Vec<Term> = args.iter().map(|arg| self.value(*arg)).collect();
        let before = self.threads[thread].args.clone();
        self.threads[thread].args = if before.is_empty() {
            values
        } else {
            values.into_iter().zip(before).map(|(value, before)| self.terms.ite(self.when, value, before)).collect()
        };
        let created = self.threads[thread].created;
        self.threads[thread].created = self.terms.or(created, self.when);
    }

    fn reg_bits(&self, reg: Reg) -> u32 {
        self.reg_type(reg).bits(self.bounded.program.data_model)
    }

    fn reg_type(&self, reg: Reg) -> Ty {
        self.bounded.threads[self.thread].regs[reg].ty
    }

    fn operand_type(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.reg_type(reg),
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    fn value(&mut self, operand: Operand) -> Term {
        match operand {
            Operand::Reg(reg) => self.env[reg.index()],
            operand => {
                let bits = self.operand_type(operand).bits(self.bounded.program.data_model);
                self.terms.constant(bits, self.pointers.address(operand).unwrap_or(0))
            }
        }
    }

    fn is_float(&self, op: &Op) -> bool {
        let float = |ty: Ty| matches!(ty, Ty::F32 | Ty::F64);
        match op {
            Op::FloatBinary { .. } | Op::FloatUnary { .. } | Op::FloatCompare { .. } => true,
            Op::Cast { cast, .. } => matches!(
                cast,
                Cast::FloatToSigned
                    | Cast::FloatToUnsigned
                    | Cast::SignedToFloat
                    | Cast::UnsignedToFloat
                    | Cast::FloatToFloat
            ),
            Op::Rmw { dst, op, .. } => float(self.reg_type(*dst)) && matches!(op, RmwOp::FAdd | RmwOp::FSub),
            _ => false,
        }
    }

    /// The results, in the order of the operation's definitions.
    fn plain(&mut self, _block: usize, _index: usize, op: &Op) -> Option<Results> {
        if self.is_float(op) {
            self.obstacle("floating-point arithmetic");
            let zeros = op.defs().into_iter().map(|reg| self.zero(reg)).collect();
            return Some(Results::Always(zeros));
        }
        let always = |value: Term| Some(Results::Always(vec![value]));
        match op {
            Op::Copy { src, .. } => {
                let value = self.value(*src);
                always(value)
            }
            Op::Binary { op, a, b, checked, .. } => {
                let value = self.binary(*op, *a, *b, *checked);
                always(value)
            }
            Op::Overflowing { op, signed, a, b, .. } => {
                let (a, b) = (self.value(*a), self.value(*b));
                let value = self.arithmetic(*op, a, b);
                let wrapped = self.overflows(*op, *signed, a, b);
                Some(Results::Always(vec![value, wrapped]))
            }
            Op::Unary { op, a, .. } => {
                let a = self.value(*a);
                always(match op {
                    UnOp::CountOnes => self.terms.count_ones(a),
                    UnOp::CountLeadingZeros => self.terms.leading_zeros(a),
                    UnOp::CountTrailingZeros => self.terms.trailing_zeros(a),
                    UnOp::SwapBytes => self.terms.swap_bytes(a),
                    UnOp::ReverseBits => self.terms.reverse_bits(a),
                })
            }
            Op::Compare { op, a, b, .. } => {
                let (a, b) = (self.value(*a), self.value(*b));
                let value = self.compare(*op, a, b);
                always(value)
            }
            Op::Cast { dst, cast, src } => {
                let value = self.value(*src);
                let bits = self.reg_bits(*dst);
                let value = self.convert(*cast, value, bits);
                always(value)
            }
            Op::Select { cond, a, b, .. } => {
                let (cond, a, b) = (self.value(*cond), self.value(*a), self.value(*b));
                let value = self.terms.ite(cond, a, b);
                always(value)
            }
            Op::Field { base, bytes, .. } => {
                let base = self.value(*base);
                let offset = self.terms.constant(self.pointers.bits, *bytes as u128);
                let value = self.terms.add(base, offset);
                always(value)
            }
            Op::Index { base, index, stride, bound, .. } => {
                let value = self.index(*base, *index, *stride, *bound);
                always(value)
            }
            Op::Load { dst, addr, .. } => {
                let bits = self.reg_bits(*dst);
                let addr = self.value(*addr);
                let value = self.load(addr, bits.div_ceil(8));
                let value = self.terms.extract(value, 0, bits);
                Some(Results::NowOnly(vec![value]))
            }
            Op::Store { ty, addr, value, .. } => {
                let (addr, value) = (self.value(*addr), self.value(*value));
                let bytes = ty.bytes(self.bounded.program.data_model);
                let value = self.terms.zero_extend(value, 8 * bytes);
                self.store(addr, value, bytes, Terms::TRUE);
                None
            }
            Op::Rmw { dst, op, addr, value, .. } => {
                let bits = self.reg_bits(*dst);
                let (addr, value) = (self.value(*addr), self.value(*value));
                let old = self.load(addr, bits.div_ceil(8));
                let old = self.terms.extract(old, 0, bits);
                let new = self.modify(*op, old, value);
                let new = self.terms.zero_extend(new, 8 * bits.div_ceil(8));
                self.store(addr, new, bits.div_ceil(8), Terms::TRUE);
                Some(Results::NowOnly(vec![old]))
            }
            Op::CmpXchg { old, addr, expected, new, .. } => {
                let bits = self.reg_bits(*old);
                let (addr, expected, new) = (self.value(*addr), self.value(*expected), self.value(*new));
                let found = self.load(addr, bits.div_ceil(8));
                let found = self.terms.extract(found, 0, bits);
                let success = self.terms.eq(found, expected);
                let new = self.terms.zero_extend(new, 8 * bits.div_ceil(8));
                self.store(addr, new, bits.div_ceil(8), success);
                Some(Results::NowOnly(vec![found, success]))
            }
            Op::MemCopy { dst, src, len, .. } => {
                self.copy(*dst, *src, *len);
                None
            }
            Op::MemSet { dst, byte, len } => {
                self.fill(*dst, *byte, *len);
                None
            }
            Op::Nondet { dst, range, .. } => {
                let range = range.map(|(low, high)| (self.value(low), self.value(high)));
                let value = self.input(_block, _index, *dst, range);
                always(value)
            }
            Op::Intrinsic { dst, which, args } => self.intrinsic(*dst, *which, args),
            Op::Violation { property, text } => {
                if self.properties.contains(*property) {
                    self.check(*property, text, Terms::TRUE);
                }
                None
            }
            Op::Unsupported { what } => {
                self.obstacle(what);
                None
            }
            Op::Fence => None,
            _ => {
                self.obstacle("an operation that has no place in a bounded program");
                None
            }
        }
    }

    fn zero(&mut self, reg: Reg) -> Term {
        let bits = self.reg_bits(reg);
        self.terms.constant(bits, 0)
    }

    fn intrinsic(&mut self, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) -> Option<Results> {
        match which {
            Intrinsic::BlockUntil | Intrinsic::Assume => {
                let condition = self.value(args[0]);
                self.require(condition);
                None
            }
            Intrinsic::Finished | Intrinsic::PollFinished => {
                let asked = self.value(args[0]);
                let bits = self.terms.bits(asked);
                let mut value = Terms::TRUE;
                for number in 0..self.threads.len() {
                    let this = self.terms.constant(bits, number as u128);
                    let hit = self.terms.eq(asked, this);
                    value = self.terms.ite(hit, self.threads[number].finished, value);
                }
                Some(Results::NowOnly(vec![value]))
            }
            Intrinsic::ProcessExit => {
                self.exited = self.terms.or(self.exited, self.when);
                None
            }
            Intrinsic::Free => {
                self.free(args[0]);
                None
            }
            Intrinsic::CheckRead | Intrinsic::CheckWrite => {
                let (addr, len) = (self.value(args[0]), self.value(args[1]));
                match self.terms.as_constant(len) {
                    Some(0) => {}
                    Some(len) => {
                        self.candidates(addr, len as u32);
                    }
                    None => self.obstacle("a check of a range of unknown length"),
                }
                None
            }
            Intrinsic::ObjectSize | Intrinsic::ObjectOffset => {
                let addr = self.value(args[0]);
                let bits = dst.map_or(self.pointers.bits, |dst| self.reg_bits(dst));
                let value = self.object_fact(addr, bits, which == Intrinsic::ObjectSize);
                Some(Results::NowOnly(vec![value]))
            }
            Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::Yield
            | Intrinsic::Acquired
            | Intrinsic::Released => None,
            _ => {
                self.obstacle(&format!("the intrinsic {}", which.name()));
                dst.map(|dst| Results::Always(vec![self.zero(dst)]))
            }
        }
    }

    fn object_fact(&mut self, addr: Term, bits: u32, size: bool) -> Term {
        let leaves = self.value_sets.of(&self.terms, self.pointers, addr);
        let offset = self.offset(addr);
        let mut value = self.terms.constant(bits, 0);
        for object in leaves.objects {
            let mut hit = self.points_into(addr, object);
            let fact = if size {
                hit = self.terms.and(hit, self.memory.alive[object.index()]);
                self.terms.constant(bits, u128::from(self.bounded.objects[object].size))
            } else if bits >= self.pointers.offset_bits {
                self.terms.zero_extend(offset, bits)
            } else {
                self.terms.extract(offset, 0, bits)
            };
            value = self.terms.ite(hit, fact, value);
        }
        value
    }

    // What may go wrong, and what is left out.

    fn check(&mut self, property: Property, text: &str, condition: Term) {
        let condition = self.terms.and(self.when, condition);
        if condition == Terms::FALSE {
            return;
        }
        if !self.properties.contains(property) {
            // The run ends there, silently.
            let fine = self.terms.not(condition);
            self.require(fine);
            return;
        }
        let check = Check { condition, property, text: text.to_string(), loc: self.origin.user, thread: self.thread };
        self.checks.push(check);
        self.violated = self.terms.or(self.violated, condition);
        self.log.push(Record { thread: self.thread, when: condition, what: What::Check(self.checks.len() - 1) });
    }

    fn obstacle(&mut self, what: &str) {
        if self.when != Terms::FALSE {
            self.obstacles.push(Obstacle { when: self.when, what: what.to_string(), loc: self.origin.user });
        }
    }

    /// The step is only taken if the condition holds. Behind a violation, which shares its segment
    /// with what follows, that is no longer asked.
    fn require(&mut self, condition: Term) {
        let fine = self.terms.not(self.violated);
        let when = self.terms.and(self.when, fine);
        let holds = self.terms.implies(when, condition);
        self.constraints.push(holds);
    }

    fn input(&mut self, block: usize, index: usize, dst: Reg, range: Option<(Term, Term)>) -> Term {
        let known = self.threads[self.thread].results[block][index].first().copied();
        let value = known.unwrap_or_else(|| {
            let bits = self.reg_bits(dst);
            let fresh = self.terms.variable(bits, "input");
            self.threads[self.thread].results[block][index] = vec![fresh];
            fresh
        });
        if let Some((low, high)) = range {
            let above = self.terms.ule(low, value);
            let below = self.terms.ule(value, high);
            let inside = self.terms.and(above, below);
            self.require(inside);
        }
        self.record(What::Input { value });
        value
    }

    // Arithmetic.

    fn binary(&mut self, op: BinOp, a: Operand, b: Operand, checked: bool) -> Term {
        let (a, b) = (self.value(a), self.value(b));
        let bits = self.terms.bits(a);
        match op {
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {
                let zero = self.terms.constant(bits, 0);
                let by_zero = self.terms.eq(b, zero);
                self.check(Property::Arithmetic, "divides by zero", by_zero);
                if matches!(op, BinOp::SDiv | BinOp::SRem) {
                    let least = self.terms.constant(bits, 1 << (bits - 1));
                    let minus_one = self.terms.constant(bits, u128::MAX);
                    let (least, minus_one) = (self.terms.eq(a, least), self.terms.eq(b, minus_one));
                    let overflow = self.terms.and(least, minus_one);
                    self.check(Property::Arithmetic, "divides the smallest integer by -1", overflow);
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let width = self.terms.constant(bits, u128::from(bits));
                let inside = self.terms.ult(b, width);
                let outside = self.terms.not(inside);
                if self.properties.contains(Property::Arithmetic) {
                    self.check(Property::Arithmetic, "shifts by too many bits", outside);
                } else if outside != Terms::FALSE {
                    let mask = self.terms.constant(bits, u128::from(bits - 1));
                    let amount = self.terms.and(b, mask);
                    return self.arithmetic(op, a, amount);
                }
            }
            _ if checked && self.properties.contains(Property::Overflow) => {
                let overflow = self.overflows(op, true, a, b);
                self.check(Property::Overflow, "overflows", overflow);
            }
            _ => {}
        }
        self.arithmetic(op, a, b)
    }

    fn arithmetic(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            BinOp::Add => terms.add(a, b),
            BinOp::Sub => terms.sub(a, b),
            BinOp::Mul => terms.mul(a, b),
            BinOp::UDiv => terms.udiv(a, b),
            BinOp::SDiv => terms.sdiv(a, b),
            BinOp::URem => terms.urem(a, b),
            BinOp::SRem => terms.srem(a, b),
            BinOp::Shl => terms.shl(a, b),
            BinOp::LShr => terms.lshr(a, b),
            BinOp::AShr => terms.ashr(a, b),
            BinOp::And => terms.and(a, b),
            BinOp::Or => terms.or(a, b),
            BinOp::Xor => terms.xor(a, b),
        }
    }

    /// Does the true result of add, sub or mul differ from the wrapped one? Computed wide enough.
    fn overflows(&mut self, op: BinOp, signed: bool, a: Term, b: Term) -> Term {
        let bits = self.terms.bits(a);
        let wide = if op == BinOp::Mul { 2 * bits } else { bits + 1 };
        if wide > 128 {
            self.obstacle("an overflow check of more than 64 bits");
            return Terms::FALSE;
        }
        let extend = |terms: &mut Terms, t: Term| {
            if signed { terms.sign_extend(t, wide) } else { terms.zero_extend(t, wide) }
        };
        let (wide_a, wide_b) = (extend(&mut self.terms, a), extend(&mut self.terms, b));
        let exact = self.arithmetic(op, wide_a, wide_b);
        let wrapped = self.arithmetic(op, a, b);
        let wrapped = extend(&mut self.terms, wrapped);
        self.terms.ne(exact, wrapped)
    }

    fn compare(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            CmpOp::Eq => terms.eq(a, b),
            CmpOp::Ne => terms.ne(a, b),
            CmpOp::Ult => terms.ult(a, b),
            CmpOp::Ule => terms.ule(a, b),
            CmpOp::Ugt => terms.ult(b, a),
            CmpOp::Uge => terms.ule(b, a),
            CmpOp::Slt => terms.slt(a, b),
            CmpOp::Sle => terms.sle(a, b),
            CmpOp::Sgt => terms.slt(b, a),
            CmpOp::Sge => terms.sle(b, a),
        }
    }

    fn convert(&mut self, cast: Cast, value: Term, bits: u32) -> Term {
        let from = self.terms.bits(value);
        match cast {
            Cast::SignExtend => self.terms.sign_extend(value, bits),
            _ if from < bits => self.terms.zero_extend(value, bits),
            _ if from > bits => self.terms.extract(value, 0, bits),
            _ => value,
        }
    }

    fn modify(&mut self, op: RmwOp, old: Term, value: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            RmwOp::Exchange => value,
            RmwOp::Add => terms.add(old, value),
            RmwOp::Sub => terms.sub(old, value),
            RmwOp::And => terms.and(old, value),
            RmwOp::Nand => {
                let and = terms.and(old, value);
                terms.not(and)
            }
            RmwOp::Or => terms.or(old, value),
            RmwOp::Xor => terms.xor(old, value),
            RmwOp::Max | RmwOp::Min => {
                let less = terms.slt(old, value);
                if op == RmwOp::Max { terms.ite(less, value, old) } else { terms.ite(less, old, value) }
            }
            RmwOp::UMax | RmwOp::UMin => {
                let less = terms.ult(old, value);
                if op == RmwOp::UMax { terms.ite(less, value, old) } else { terms.ite(less, old, value) }
            }
            RmwOp::FAdd | RmwOp::FSub => old,
        }
    }

    fn index(&mut self, base: Operand, index: Operand, stride: u64, bound: Option<u64>) -> Term {
        let (base, index) = (self.value(base), self.value(index));
        let bits = self.pointers.bits;
        if let Some(bound) = bound
            && self.properties.contains(Property::Memory)
        {
            let wide = self.terms.bits(index).max(64);
            let signed = self.terms.sign_extend(index, wide);
            let limit = self.terms.constant(wide, u128::from(bound));
            let inside = self.terms.ult(signed, limit);
            let outside = self.terms.not(inside);
            self.check(Property::Memory, "uses an index that its array does not have", outside);
        }
        let index = if self.terms.bits(index) < bits {
            self.terms.sign_extend(index, bits)
        } else {
            self.terms.extract(index, 0, bits)
        };
        let stride = self.terms.constant(bits, u128::from(stride));
        let offset = self.terms.mul(index, stride);
        self.terms.add(base, offset)
    }

    // Memory.

    fn offset(&mut self, addr: Term) -> Term {
        self.terms.extract(addr, 0, self.pointers.offset_bits)
    }

    fn points_into(&mut self, addr: Term, object: GlobalId) -> Term {
        let number = self.terms.extract(addr, self.pointers.offset_bits, self.pointers.bits - self.pointers.offset_bits);
        let this = self.terms.constant(self.pointers.bits - self.pointers.offset_bits, u128::from(self.pointers.number(object)));
        self.terms.eq(number, this)
    }

    /// Where an access of `bytes` bytes may go. That it goes anywhere else is checked.
    fn candidates(&mut self, addr: Term, bytes: u32) -> Vec<Candidate> {
        let leaves = self.value_sets.of(&self.terms, self.pointers, addr);
        if leaves.unknown && self.when != Terms::FALSE {
            self.obstacle("an access through a pointer that is an input");
        }
        let offset = self.offset(addr);
        let step = 1u32 << zero_bits(&self.terms, offset).min(4);
        let mut places = Vec::new();
        let mut valid = Terms::FALSE;
        for object in leaves.objects {
            let size = self.bounded.objects[object].size;
            let Some(last) = size.checked_sub(u64::from(bytes)) else { continue };
            let hit = self.points_into(addr, object);
            let hit = self.terms.and(hit, self.memory.alive[object.index()]);
            let limit = self.terms.constant(self.pointers.offset_bits, u128::from(last));
            let inside = self.terms.ule(offset, limit);
            let hit = self.terms.and(hit, inside);
            if hit == Terms::FALSE {
                continue;
            }
            valid = self.terms.or(valid, hit);
            match self.terms.as_constant(offset) {
                Some(at) => places.push(Candidate { object, at: at as u32, when: hit }),
                None => {
                    for at in (0..=last as u32).step_by(step as usize) {
                        let here = self.terms.constant(self.pointers.offset_bits, u128::from(at));
                        let here = self.terms.eq(offset, here);
                        let when = self.terms.and(hit, here);
                        if when != Terms::FALSE {
                            places.push(Candidate { object, at, when });
                        }
                    }
                }
            }
            if places.len() > MAX_CANDIDATES {
                self.obstacle("an access that may go to too many places");
                return Vec::new();
            }
        }
        let invalid = self.terms.not(valid);
        self.check(Property::Memory, "uses memory that it must not", invalid);
        places
    }

    fn load(&mut self, addr: Term, bytes: u32) -> Term {
        if self.when == Terms::FALSE {
            return self.terms.constant(8 * bytes, 0);
        }
        let mut value = None;
        for Candidate { object, at, when } in self.candidates(addr, bytes) {
            let cell = self.memory.cell(&mut self.terms, self.bounded, object, at, bytes);
            if cell.written != Terms::TRUE {
                self.read_unwritten(object, at, cell, when);
            }
            value = Some(match value {
                None => cell.value,
                Some(other) => self.terms.ite(when, cell.value, other),
            });
        }
        value.unwrap_or_else(|| self.terms.constant(8 * bytes, 0))
    }

    /// Reading what nobody wrote is an input, the first time.
    fn read_unwritten(&mut self, object: GlobalId, at: u32, cell: Cell, when: Term) {
        let unwritten = self.terms.not(cell.written);
        let read = self.terms.and(self.when, when);
        let first = self.terms.and(read, unwritten);
        if first == Terms::FALSE {
            return;
        }
        self.log.push(Record { thread: self.thread, when: first, what: What::Input { value: cell.value } });
        let written = self.terms.or(cell.written, read);
        self.memory.put(&mut self.terms, object, at, Cell { written, ..cell });
    }

    fn store(&mut self, addr: Term, value: Term, bytes: u32, only_if: Term) {
        if self.when == Terms::FALSE {
            return;
        }
        for Candidate { object, at, when } in self.candidates(addr, bytes) {
            let when = self.terms.and(when, self.when);
            let when = self.terms.and(when, only_if);
            self.write(object, at, bytes, value, when);
        }
    }

    fn write(&mut self, object: GlobalId, at: u32, bytes: u32, value: Term, when: Term) {
        let old = self.memory.cell(&mut self.terms, self.bounded, object, at, bytes);
        let value = self.terms.ite(when, value, old.value);
        let written = self.terms.or(old.written, when);
        self.memory.put(&mut self.terms, object, at, Cell { bytes, value, written });
        if self.bounded.objects[object].kind == selvedge_bound::ObjectKind::Global
            && self.bounded.program.globals[object].constant
        {
            self.check(Property::Memory, "writes in a constant", when);
        }
    }

    /// Whole objects or parts of them, at known places.
    fn copy(&mut self, dst: Operand, src: Operand, len: Operand) {
        let (dst, src, len) = (self.value(dst), self.value(src), self.value(len));
        if self.when == Terms::FALSE {
            return;
        }
        let Some(len) = self.terms.as_constant(len) else { return self.obstacle("a copy of unknown length") };
        if len == 0 {
            return;
        }
        let len = len as u32;
        let (from, to) = (self.candidates(src, len), self.candidates(dst, len));
        let ([from], [to]) = (from.as_slice(), to.as_slice()) else {
            if !from.is_empty() && !to.is_empty() {
                self.obstacle("a copy between places that are not known");
            }
            return;
        };
        let when = self.terms.and(from.when, to.when);
        let when = self.terms.and(when, self.when);
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < len {
            let fits = |bytes: u32| at + bytes <= len && (from.at + at) % bytes == 0 && (to.at + at) % bytes == 0;
            let bytes = [8, 4, 2, 1].into_iter().find(|bytes| fits(*bytes)).unwrap_or(1);
            let cell = self.memory.cell(&mut self.terms, self.bounded, from.object, from.at + at, bytes);
            if cell.written != Terms::TRUE {
                self.obstacle("a copy of memory that may be uninitialised");
            }
            pieces.push((at, bytes, cell.value));
            at += bytes;
        }
        let (object, start) = (to.object, to.at);
        for (at, bytes, value) in pieces {
            self.write(object, start + at, bytes, value, when);
        }
    }

    fn fill(&mut self, dst: Operand, byte: Operand, len: Operand) {
        let (dst, byte, len) = (self.value(dst), self.value(byte), self.value(len));
        if self.when == Terms::FALSE {
            return;
        }
        let Some(len) = self.terms.as_constant(len) else { return self.obstacle("memset of unknown length") };
        if len == 0 {
            return;
        }
        let byte = self.terms.extract(byte, 0, 8);
        for Candidate { object, at: start, when } in self.candidates(dst, len as u32) {
            let when = self.terms.and(when, self.when);
            let mut at = start;
            let end = start + len as u32;
            while at < end {
                let bytes = [8, 4, 2, 1].into_iter().find(|b| at + b <= end && at % b == 0).unwrap_or(1);
                let mut value = byte;
                for _ in 1..bytes {
                    value = self.terms.concat(value, byte);
                }
                self.write(object, at, bytes, value, when);
                at += bytes;
            }
        }
    }

    fn free(&mut self, pointer: Operand) {
        let pointer = self.value(pointer);
        if self.when == Terms::FALSE {
            return;
        }
        let leaves = self.value_sets.of(&self.terms, self.pointers, pointer);
        let mut valid = Terms::FALSE;
        for object in leaves.objects {
            if self.bounded.objects[object].kind != selvedge_bound::ObjectKind::Heap {
                continue;
            }
            let address = self.pointers.address(Operand::Global { id: object, offset: 0 }).unwrap_or(0);
            let start = self.terms.constant(self.pointers.bits, address);
            let hit = self.terms.eq(pointer, start);
            let hit = self.terms.and(hit, self.memory.alive[object.index()]);
            valid = self.terms.or(valid, hit);
            let when = self.terms.and(hit, self.when);
            self.set_alive(object, Terms::FALSE, when);
        }
        let invalid = self.terms.not(valid);
        self.check(Property::Memory, "frees what it must not", invalid);
    }
}

/// What a step gives.
enum Results {
    /// The same in whatever round it runs.
    Always(Vec<Term>),
    /// What holds in this round.
    NowOnly(Vec<Term>),
}
