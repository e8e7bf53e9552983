//! The interpreter: runs one thread from its next visible step to just before the one after.
//!
//! A call of [`Machine::step`] executes one visible step (or one atomic section) and then everything
//! that no other thread can see, by [`Sharing`]. What comes next is decided by the caller: any
//! thread may be stepped. A step that stops (because it blocks, is infeasible, violates a property,
//! or is beyond us) leaves the state in pieces: the caller drops it.

mod access;
mod run;

use crate::code::{Code, Src};
use crate::deadlock::{Awaited, Threads};
use crate::dependence::EVERYBODY;
use crate::ends::Ends;
use crate::footprint::Recorder;
use crate::layout::Slot;
use crate::lazy::Narrowed;
use crate::observe::Log;
use crate::oracle::{Ended, Note, Oracle, Stopped, View};
use crate::sharing::{Held, Sharing};
use crate::state::{FRAME_HEADER, State, Thread, pack};
use selvedge_program::{Loc, Operand, Properties, Reason, Reg, SourceMap};

/// Backward jumps without a visible step after which a step ends all the same, so that a loop that
/// touches nothing shared has states, and can be seen to repeat. That may be inside an atomic section. At least so many:
/// see [`Machine::enter`].
const FUEL: u32 = 2000;
/// Words of a state that cost about what a backward jump does.
const WORDS_A_JUMP: usize = 4;
/// Calls after which a step ends, for recursion that goes on without a backward jump.
const CALLS: u32 = 1 << 16;

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
    /// How runs ended that were tried in all ways ([`crate::expand`]).
    pub ends: Ends,
    /// What the last call of [`Machine::step`] chose of inputs that were open before it.
    pub narrowed: Vec<Narrowed>,
    pub(crate) symbols_before: usize,
    /// Where in the user's code the last call of [`Machine::step`] stopped or ran out of fuel, if it did.
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
    /// What it began with.
    tank: u32,
    /// How many calls are left before the step ends.
    calls: u32,
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
            ends: Ends::default(),
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
            tank: 0,
            calls: 0,
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
        if result.is_err() || self.is_out_of_fuel() {
            self.stopped_at = self.user_loc();
        }
        if result.is_err() {
            // A section that was not left was not a step.
            self.steps = self.steps.saturating_sub(u64::from(self.atomic > 0));
        }
        // What others can see of the step has happened, whatever becomes of the rest: stop before
        // that, and let the next step run into it.
        let can_pause = !self.allowance && self.atomic == 0 && self.depth > 0;
        if can_pause && matches!(result, Err(Stopped::Infeasible | Stopped::Unchecked { .. } | Stopped::GaveUp(_))) {
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
        // The rest of a section belongs to the step that began it: another visible one is not part of it.
        self.allowance = self.atomic == 0;
        // A large state is stored less often, so that a loop over memory takes time in proportion to it.
        let words = self.state.globals.len() + self.stack.len() + self.state.threads[thread].data.len();
        self.fuel = FUEL.max(u32::try_from(words / WORDS_A_JUMP).unwrap_or(u32::MAX));
        (self.tank, self.calls) = (self.fuel, CALLS);
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
        let layout = &self.code.layout;
        match layout.slot(address) {
            Slot::Dynamic { index, .. } if layout.pointers.window(address) != layout.pointers.nowhere() => {
                let start = self.state.address(layout, self.thread, index);
                start.wrapping_add(layout.pointers.offset(address) as u64)
            }
            // So far from its start that it is nowhere.
            Slot::Dynamic { .. } | Slot::Static(_) => address,
        }
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

    /// Did the last call of [`Machine::step`] end only because it took too long?
    #[inline]
    pub fn is_out_of_fuel(&self) -> bool {
        self.fuel == 0 || self.calls == 0
    }

    pub const LEAST_EFFORT: usize = 64;

    /// How much the last call of [`Machine::step`] had to do, roughly in instructions: merged loops may be long.
    #[inline]
    pub fn effort(&self) -> usize {
        Self::LEAST_EFFORT + 16 * (self.tank - self.fuel) as usize + 16 * (CALLS - self.calls) as usize
    }

    /// After a call: should the step end here?
    #[inline]
    pub(crate) fn has_called_enough(&mut self) -> bool {
        self.calls = self.calls.saturating_sub(1);
        self.calls == 0
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
                let start = self.state.address(layout, self.thread, layout.thread_local_index(id));
                u128::from(layout.pointers.moved(start, i128::from(offset), |_, _| false))
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
