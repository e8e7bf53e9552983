//! The interpreter: runs one thread from its next visible step to just before the one after.
//!
//! A call of [`Machine::step`] executes one visible step (or one atomic section) and then everything
//! that no other thread can see, by [`Sharing`]. What comes next is decided by the caller: any
//! thread may be stepped. A step that stops (because it blocks, is infeasible, violates a property,
//! or is beyond us) leaves the state in pieces: the caller drops it.

mod access;

use crate::arithmetic::sign_extend;
use crate::code::{Code, Ins, Src};
use crate::deadlock::{Awaited, Threads};
use crate::dependence::EVERYBODY;
use crate::footprint::Recorder;
use crate::lazy::{Handled, Narrowed, compare};
use crate::memory::Spot;
use crate::observe::Log;
use crate::oracle::{Ended, Note, Oracle, Stopped, View};
use crate::sharing::{Held, Sharing};
use crate::state::{FRAME_HEADER, State, Thread, pack};
use selvedge_program::{Loc, Operand, Properties, Reason, Reg, SourceMap};

/// Backward jumps without a visible step after which a step ends all the same, so that a loop that
/// touches nothing shared has states, and can be seen to repeat.
const FUEL: u32 = 2000;

pub struct Machine<'p, O> {
    pub code: &'p Code<'p>,
    pub state: State,
    pub sharing: Sharing,
    pub oracle: O,
    pub max_input_values: u64,
    /// Steps of a schedule (see [`selvedge_program::schedule`]) executed by the last call of [`Machine::step`].
    pub steps: u64,
    /// Something that was not done in full, since somebody last took it from here: no proof any more.
    pub obstacle: Option<Reason>,
    /// What the last call of [`Machine::step`] chose of inputs that were open before it.
    pub narrowed: Vec<Narrowed>,
    pub(crate) symbols_before: usize,
    /// Where in the user's code the last call of [`Machine::step`] stopped, if it did.
    pub stopped_at: Loc,
    /// While a function observes: what it touches. What the last thread to end returned.
    pub(crate) log: Option<Box<Log>>,
    pub(crate) returned: Option<u64>,

    // Of the running thread, while it runs.
    pub(crate) thread: usize,
    pub(crate) stack: Vec<u64>,
    pub(crate) base: usize,
    pub(crate) pc: u32,
    pub(crate) depth: u32,
    pub(crate) atomic: u64,
    pub(crate) held: Held,
    /// What its section waits for, if it does: see [`crate::deadlock`].
    pub(crate) awaited: Vec<Awaited>,
    /// Have all others ended, and has somebody waited for each? Then all they did came before.
    pub(crate) alone: bool,
    /// May one more visible step be taken?
    pub(crate) allowance: bool,
    pub(crate) fuel: u32,
    /// Was there a choice in this step? Then it ends as soon as it may, lest the ways multiply.
    pub(crate) chose: bool,
    pub(crate) recorder: Recorder,
    /// At whose memory it looks: see [`crate::dependence`].
    pub(crate) looks_at: Threads,

    // Of threads that are alike: see [`crate::symmetry`].
    /// Are they looked for?
    pub symmetric: bool,
    /// Another thread that could be the running one.
    pub(crate) twin: Option<usize>,
    /// The names that the last call of [`Machine::step`] used, and whose they turned out to be.
    pub bindings: Vec<(usize, usize)>,
    /// Did it do anything that others might notice, apart from creating threads?
    pub is_loud: bool,
    /// Did it ask, in its section, for what it writes into locks?
    pub(crate) told_owner: bool,
}

impl<'p, O: Oracle> Machine<'p, O> {
    /// A machine at the start of the program.
    pub fn new(code: &'p Code<'p>, sharing: Sharing, oracle: O, max_input_values: u64) -> Self {
        let mut machine = Machine {
            code,
            state: State { globals: code.layout.initial.clone().into(), ..State::default() },
            sharing,
            oracle,
            max_input_values,
            steps: 0,
            obstacle: None,
            narrowed: Vec::new(),
            symbols_before: 0,
            stopped_at: SourceMap::NOWHERE,
            log: None,
            returned: None,
            thread: 0,
            stack: Vec::new(),
            base: 0,
            pc: 0,
            depth: 0,
            atomic: 0,
            held: Held::default(),
            awaited: Vec::new(),
            alone: true,
            allowance: false,
            fuel: 0,
            chose: false,
            recorder: Recorder::default(),
            looks_at: 0,
            symmetric: false,
            twin: None,
            bindings: Vec::new(),
            is_loud: false,
            told_owner: false,
        };
        let main = machine.new_thread(code.program.entry, &[]);
        machine.state.threads.push(main);
        machine
    }

    pub fn properties(&self) -> Properties {
        self.code.properties
    }

    /// Runs `thread` from before one visible step to before its next. It must not have ended.
    pub fn step(&mut self, thread: usize) -> Result<Ended, Stopped> {
        self.enter(thread);
        let mut result = self.run();
        if result.is_err() {
            self.stopped_at = self.user_loc();
            // A section that was not left was not a step.
            self.steps = self.steps.saturating_sub(u64::from(self.atomic > 0));
        }
        // What others can see of the step has happened, whatever becomes of the rest: stop before
        // that, and let the next step run into it.
        let can_pause = !self.allowance && self.atomic == 0 && self.depth > 0;
        if can_pause && matches!(result, Err(Stopped::Infeasible | Stopped::GaveUp(_))) {
            result = Ok(Ended::Paused);
        }
        self.leave();
        if result.is_ok() {
            self.tidy();
        }
        if result == Ok(Ended::Paused) {
            self.recorder.pause();
        }
        result
    }

    pub(crate) fn enter(&mut self, thread: usize) {
        self.thread = thread;
        self.look_for_twin();
        let this = &mut self.state.threads[thread];
        self.atomic = this.atomic_depth();
        self.depth = this.depth();
        self.pc = this.pc();
        self.base = this.base();
        self.stack = std::mem::take(&mut *this.stack);
        self.alone = self.is_alone();
        self.allowance = true;
        self.fuel = FUEL;
        self.chose = false;
        self.steps = 0;
        self.narrowed.clear();
        self.awaited.clear();
        self.recorder.begin();
        self.looks_at = 0;
        self.symbols_before = self.state.lazy.symbol_count();
        self.look_at_locks();
    }

    /// A step of a schedule: an atomic section is one, however long it is.
    #[inline]
    pub(crate) fn count_step(&mut self) {
        self.steps += u64::from(self.atomic == 0);
    }

    pub(crate) fn leave(&mut self) {
        if self.depth > 0 {
            self.stack[0] = Thread::next_status(self.stack[0], self.atomic, self.depth);
            self.stack[1] = pack(self.pc, self.base);
            self.clear_dead_slots(self.pc, &[]);
        }
        *self.state.threads[self.thread].stack = std::mem::take(&mut self.stack);
        if self.depth == 0 {
            let this = &mut self.state.threads[self.thread];
            let keeps_locks = self.symmetric && this.locks().iter().any(|lock| *lock != 0);
            this.finish();
            if keeps_locks {
                // They go on saying that it owns them.
                Thread::note_other_locks(&mut this.stack[0], true);
            }
        }
    }

    /// Makes equal situations equal states.
    fn tidy(&mut self) {
        if self.state.collect(&self.code.layout, self.thread) {
            self.looks_at = EVERYBODY;
        }
        if !self.state.lazy.is_empty() {
            self.state.tidy_symbols();
        }
    }

    /// Zeroes the top frame's registers that are dead before `pc`, and `also`.
    pub(crate) fn clear_dead_slots(&mut self, pc: u32, also: &[Src]) {
        let slots = self.code.function(self.code.from[pc as usize].function).slots.count;
        let live = self.code.live_slots(pc, slots);
        let frame = &mut self.stack[self.base + FRAME_HEADER..][..slots];
        for (at, value) in frame.iter_mut().enumerate() {
            if live[at / 64] >> (at % 64) & 1 == 0 {
                *value = 0;
            }
        }
        for slot in also.iter().filter_map(|s| s.slot()) {
            frame[slot] = 0;
        }
        if !self.state.lazy.is_empty() {
            for at in 0..slots {
                if live[at / 64] >> (at % 64) & 1 == 0 || also.iter().any(|s| s.slot() == Some(at)) {
                    self.state.lazy.drop_register(self.thread, self.base + FRAME_HEADER + at);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn value(&self, source: Src) -> u64 {
        match source.slot() {
            Some(slot) => self.stack[self.base + FRAME_HEADER + slot],
            None => {
                let (at, thread_local) = source.constant();
                let value = self.code.constants[at];
                if thread_local { self.own_copy(value) } else { value }
            }
        }
    }

    /// From an address in thread 0's copy of a thread-local to the running thread's.
    pub(crate) fn own_copy(&self, address: u64) -> u64 {
        let pointers = self.code.layout.pointers;
        address.wrapping_add(pointers.dynamic(self.thread, 0).wrapping_sub(pointers.dynamic(0, 0)))
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: u16, value: u64) {
        self.stack[self.base + FRAME_HEADER + usize::from(slot)] = value;
    }

    /// May a step that is visible, or is not, be taken now?
    #[inline]
    pub(crate) fn may_go(&mut self, visible: bool) -> bool {
        let may = !visible || self.atomic > 0 || std::mem::take(&mut self.allowance);
        if may {
            self.is_loud |= visible;
            self.recorder.happens();
        }
        may
    }

    /// Are there inputs that this step made, outside of an atomic section? What may block must not
    /// take them back: for some values it blocks for good.
    fn has_new_symbols(&self) -> bool {
        self.atomic == 0 && self.state.lazy.symbol_count() > self.symbols_before
    }

    pub const LEAST_EFFORT: usize = 64;

    /// How much the last call of [`Machine::step`] had to do, roughly in instructions: merged loops may be long.
    #[inline]
    pub fn effort(&self) -> usize {
        Self::LEAST_EFFORT + 16 * (FUEL - self.fuel) as usize
    }

    pub(crate) fn run(&mut self) -> Result<Ended, Stopped> {
        loop {
            if self.chose && self.atomic == 0 {
                return Ok(Ended::Paused);
            }
            // Without reduction a step waits for its turn before anything of it is looked at: a
            // replay must not run into a fault that belongs to the next slice.
            if self.sharing.everything && !self.allowance && self.atomic == 0 && self.code.is_step[self.pc as usize] {
                return Ok(Ended::Paused);
            }
            if !self.state.lazy.is_empty()
                && let Handled::Done = self.handle_symbols()?
            {
                continue;
            }
            if O::WATCHES {
                self.note(Note::At);
            }
            match self.code.ins[self.pc as usize] {
                Ins::Move { d, s } => {
                    let value = self.value(s);
                    self.set(d, value);
                }
                Ins::Add { d, a, b, bits } => {
                    let value = self.value(a).wrapping_add(self.value(b));
                    self.set(d, truncate(value, bits));
                }
                Ins::Sub { d, a, b, bits } => {
                    let value = self.value(a).wrapping_sub(self.value(b));
                    self.set(d, truncate(value, bits));
                }
                Ins::Mul { d, a, b, bits } => {
                    let value = self.value(a).wrapping_mul(self.value(b));
                    self.set(d, truncate(value, bits));
                }
                Ins::And { d, a, b } => {
                    let value = self.value(a) & self.value(b);
                    self.set(d, value);
                }
                Ins::Or { d, a, b } => {
                    let value = self.value(a) | self.value(b);
                    self.set(d, value);
                }
                Ins::Xor { d, a, b } => {
                    let value = self.value(a) ^ self.value(b);
                    self.set(d, value);
                }
                Ins::Compare { op, d, a, b, bits } => {
                    let value = compare(op, self.value(a), self.value(b), bits);
                    self.set(d, u64::from(value));
                }
                Ins::SignExtend { d, s, from, to } => {
                    let value = sign_extend(self.value(s), from) as u64;
                    self.set(d, truncate(value, to));
                }
                Ins::Truncate { d, s, to } => {
                    let value = self.value(s);
                    self.set(d, truncate(value, to));
                }
                Ins::Select { d, c, a, b } => {
                    let value = if self.value(c) & 1 == 1 { self.value(a) } else { self.value(b) };
                    self.set(d, value);
                }
                Ins::Index { d, base, index, index_bits, constants } => {
                    let index = sign_extend(self.value(index), index_bits);
                    let stride = self.code.constants[constants as usize];
                    let bound = self.code.constants[constants as usize + 1];
                    if bound != u64::MAX && index as u64 >= bound {
                        self.index_out_of_bounds(index, bound)?;
                    }
                    let value = self.value(base).wrapping_add((index as u64).wrapping_mul(stride));
                    self.set(d, truncate(value, self.code.layout.pointers.bits as u8));
                }
                Ins::Load { d, addr, bits, bytes } => {
                    let pointer = self.value(addr);
                    let spot = self.locate(pointer, u64::from(bytes), false)?;
                    if !self.load(d, spot, bits, bytes)? {
                        return Ok(Ended::Paused);
                    }
                }
                Ins::LoadVariable { d, at, bits, bytes } => {
                    if !self.load(d, Spot::Variable { at: at as usize }, bits, bytes)? {
                        return Ok(Ended::Paused);
                    }
                }
                Ins::Store { addr, value, bytes } => {
                    let pointer = self.value(addr);
                    let spot = self.locate(pointer, u64::from(bytes), true)?;
                    if !self.store(spot, value, bytes)? {
                        return Ok(Ended::Paused);
                    }
                }
                Ins::StoreVariable { at, value, bytes } => {
                    if !self.store(Spot::Variable { at: at as usize }, value, bytes)? {
                        return Ok(Ended::Paused);
                    }
                }
                Ins::Call { function, args, dsts } => {
                    self.call(function, args, dsts, false)?;
                    continue;
                }
                Ins::CallIndirect { target, args, dsts } => {
                    let pointer = self.value(target);
                    let function = self.function_at(pointer)?;
                    self.call(function, args, dsts, true)?;
                    continue;
                }
                Ins::Return { values } => {
                    if let Some(ended) = self.return_values(values) {
                        return Ok(ended);
                    }
                    continue;
                }
                Ins::Jump { to } => {
                    if self.jump(to) {
                        return Ok(Ended::Paused);
                    }
                    continue;
                }
                Ins::Branch { c, then, otherwise } => {
                    let to = if self.value(c) & 1 == 1 { then } else { otherwise };
                    if self.jump(to) {
                        return Ok(Ended::Paused);
                    }
                    continue;
                }
                Ins::Switch { value, table } => {
                    let value = self.value(value);
                    let table = &self.code.tables[table as usize];
                    let to = table.cases.iter().find(|(case, _)| *case == value).map_or(table.default, |(_, to)| *to);
                    if self.jump(to) {
                        return Ok(Ended::Paused);
                    }
                    continue;
                }
                Ins::Unreachable => return Err(self.unsupported("code that the compiler took for unreachable")),
                Ins::AtomicBegin => {
                    let was_loud = self.is_loud;
                    if self.has_new_symbols() || !self.may_go(true) {
                        return Ok(Ended::Paused);
                    }
                    // What matters is what it does in there.
                    self.is_loud = was_loud;
                    self.told_owner &= self.atomic > 0;
                    self.count_step();
                    self.atomic += 1;
                    self.look_at_locks();
                }
                Ins::AtomicEnd => {
                    self.atomic = self.atomic.saturating_sub(1);
                    self.look_at_locks();
                }
                Ins::BlockUntil { c } => {
                    if self.has_new_symbols() || !self.may_go(true) {
                        return Ok(Ended::Paused);
                    }
                    if self.value(c) & 1 == 0 {
                        return Err(Stopped::Blocked);
                    }
                    self.awaited.clear();
                    self.count_step();
                }
                Ins::WaitsFor { object, thread } => {
                    let (object, thread) = (self.value(object), self.value(thread) as usize);
                    // What is no thread is garbage that a model has read. What a larger section waits for may depend
                    // on anything that it has read before.
                    if self.atomic == 1 && thread < self.state.threads.len() {
                        self.awaited.push((object, thread));
                    }
                }
                Ins::Assume { c } => {
                    if self.value(c) & 1 == 0 {
                        return Err(Stopped::Infeasible);
                    }
                }
                Ins::Yield => {
                    // A pause here costs nothing: it takes no allowance, it only wants a fresh one.
                    if self.atomic == 0 {
                        if !self.allowance {
                            return Ok(Ended::Paused);
                        }
                        self.allowance = !self.sharing.everything;
                    }
                    self.count_step();
                }
                Ins::Slow => match self.slow()? {
                    None => {}
                    Some(ended) => return Ok(ended),
                },
            }
            self.pc += 1;
        }
    }

    /// Goes to `to`; true when the step should end there.
    #[inline]
    fn jump(&mut self, to: u32) -> bool {
        let back = to <= self.pc;
        self.pc = to;
        if back {
            self.fuel -= 1;
            return self.fuel == 0;
        }
        false
    }

    // What the other parts of the machine share.

    pub(crate) fn note(&mut self, note: Note) {
        if self.log.is_some() {
            return;
        }
        let view = View {
            code: self.code,
            state: &self.state,
            thread: self.thread,
            pc: self.pc,
            depth: self.depth,
            stack: &self.stack,
            base: self.base,
        };
        self.oracle.note(&view, note);
    }

    /// The value of an operand of the running instruction.
    pub(crate) fn operand(&self, operand: Operand) -> u128 {
        match operand {
            Operand::Reg(reg) => {
                let function = self.code.function(self.code.from[self.pc as usize].function);
                let slot = function.slots.of[reg];
                let at = self.base + FRAME_HEADER + usize::from(slot.first);
                let high = if slot.wide { self.stack[at + 1] } else { 0 };
                u128::from(high) << 64 | u128::from(self.stack[at])
            }
            Operand::Const { bits, .. } => bits,
            Operand::Global { id, offset } if self.code.program.globals[id].thread_local => {
                let layout = &self.code.layout;
                let start = layout.pointers.dynamic(self.thread, layout.thread_local_index(id));
                u128::from(truncate(start.wrapping_add(offset as u64), layout.pointers.bits as u8))
            }
            operand => u128::from(self.code.layout.address(operand).unwrap_or(0)),
        }
    }

    /// Writes a register of the running function.
    pub(crate) fn set_register(&mut self, reg: Reg, value: u128) {
        let function = self.code.function(self.code.from[self.pc as usize].function);
        let slot = function.slots.of[reg];
        let at = self.base + FRAME_HEADER + usize::from(slot.first);
        self.stack[at] = value as u64;
        if slot.wide {
            self.stack[at + 1] = (value >> 64) as u64;
        }
    }
}

#[inline]
pub(crate) fn truncate(value: u64, bits: u8) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}
