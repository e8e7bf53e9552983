//! The interpreter: runs one thread from its next visible step to just before the one after.
//!
//! A call of [`Machine::step`] executes one visible step (or one atomic section) and then everything
//! that no other thread can see, according to [`Sharing`]. The caller decides which thread is stepped
//! next. A step that stops (because it blocks, is infeasible, violates a property, or is not supported)
//! leaves the state incomplete: the caller discards it.

mod access;
mod run;

use crate::code::{Code, Src};
use crate::deadlock::{Awaited, Threads};
use crate::dependence::EVERYBODY;
use crate::footprint::FootprintRecorder;
use crate::late_inputs::Narrowed;
use crate::layout::Slot;
use crate::observe::Log;
use crate::oracle::{Ended, MachineView, Note, Oracle, Stopped};
use crate::run_ends::Ends;
use crate::sharing::{Held, Sharing};
use crate::state::{FRAME_HEADER, State, Thread, pack};
use crate::store_buffer::noticed_places::NoticedPlaces;
use crate::store_buffer::{BufferEvent, HAS_STORES};
use selvedge_program::{Loc, Operand, Properties, Reason, Reg, SourceMap};
use std::collections::BTreeMap;

/// The fewest backward jumps without a visible step after which a step ends all the same, so that a loop that
/// touches nothing shared has states, and can be seen to repeat; also inside an atomic section. Large states allow
/// more: see [`Machine::enter`].
const FUEL: u32 = 2000;
/// The number of words of a state that cost about as much as a backward jump.
const WORDS_A_JUMP: usize = 16;
/// The number of calls after which a step ends, for recursion without a backward jump.
const CALLS: u32 = 1 << 16;

pub struct Machine<'p, O> {
    pub code: &'p Code<'p>,
    pub state: State,
    pub sharing: Sharing,
    pub oracle: O,
    pub max_input_values: u64,
    /// Steps of a schedule (see [`selvedge_program::schedule`]) executed by the last call of [`Machine::step`].
    pub steps: u64,
    /// Something that was not explored in full since this was last taken: nothing is proved any more.
    pub obstacle: Option<Reason>,
    /// Inputs of which only some values were tried, by the instruction that made them: [`Reason::WideInput`].
    pub sampled: BTreeMap<u32, Reason>,
    /// The ends of runs whose alternatives were all tried ([`crate::expand`]).
    pub ends: Ends,
    /// The choices of the last call of [`Machine::step`] among values of inputs that were open before it.
    pub narrowed: Vec<Narrowed>,
    pub(crate) symbols_before: usize,
    /// The position in the user's code where the last call of [`Machine::step`] stopped or ran out of fuel, if it did.
    pub stopped_at: Loc,
    /// The most stores that a buffer holds.
    pub store_buffer: usize,
    /// Was a buffer ever full?
    pub buffer_was_full: bool,
    /// Are all stores that can arrive transitions, whether somebody notices or not? See [`crate::store_buffer::flush`].
    pub offers_all_flushes: bool,
    /// Are flushes steps of their own, which a search takes care of? Then a step that drains waits until its thread's
    /// buffer is empty, and so does a store that finds no room.
    pub flushes_apart: bool,
    /// Only stores to these places wait, if not all that others can see do.
    pub(crate) noticed_places: Option<Box<NoticedPlaces>>,
    /// The changes of store buffers by the last call of [`Machine::step`].
    pub buffer_events: Vec<BufferEvent>,
    /// The accesses of an observer while it runs.
    pub(crate) log: Option<Box<Log>>,
    /// The value that the last thread to end returned.
    pub(crate) returned: Option<u64>,

    // The running thread, while it runs.
    pub(crate) thread: usize,
    pub(crate) stack: Vec<u64>,
    pub(crate) base: usize,
    pub(crate) pc: u32,
    pub(crate) depth: u32,
    pub(crate) atomic: u64,
    pub(crate) held: Held,
    /// The threads that its section waits for, if it does: see [`crate::deadlock`].
    pub(crate) awaited: Vec<Awaited>,
    /// The thread whose end this step has seen. All that thread did happened before, so that reading what it owned is
    /// like reading it in its place.
    pub(crate) sees_end_of: Option<usize>,
    /// Whether all other threads have ended and were waited for: see [`Machine::is_alone`].
    pub(crate) alone: bool,
    /// Whether stores can reach memory later than they are made.
    pub(crate) is_weak: bool,
    /// Whether its store buffer is not empty.
    pub(crate) has_stores: bool,
    /// The number of stores that the last step left in its buffer.
    pub(crate) buffered: usize,
    /// Whether any buffer was not empty at the beginning of the step.
    pub(crate) any_stores: bool,
    /// Whether one more visible step may be taken.
    pub(crate) allowance: bool,
    pub(crate) fuel: u32,
    /// The fuel at the beginning of the step.
    tank: u32,
    /// The number of calls left before the step ends.
    calls: u32,
    /// Bytes that the step has copied, filled or allocated at once.
    pub(crate) moved: usize,
    /// Whether this step made a choice. Then it ends as soon as possible, lest alternatives multiply.
    pub(crate) chose: bool,
    pub(crate) recorder: FootprintRecorder,
    /// The threads whose memory it reads: see [`crate::dependence`].
    pub(crate) looks_at: Threads,

    // Twin threads: see [`crate::symmetry`].
    /// Whether twins are looked for.
    pub symmetric: bool,
    /// A twin of the running thread.
    pub(crate) twin: Option<usize>,
    /// The thread names that the last call of [`Machine::step`] used, and the twins that they were bound to.
    pub bindings: Vec<(usize, usize)>,
    /// Whether it did anything that other threads might notice, apart from creating threads.
    pub is_loud: bool,
    /// Whether it asked, in its section, for the owner number that it writes into locks.
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
            sampled: BTreeMap::new(),
            ends: Ends::of(code),
            narrowed: Vec::new(),
            symbols_before: 0,
            stopped_at: SourceMap::NOWHERE,
            store_buffer: usize::MAX,
            buffer_was_full: false,
            offers_all_flushes: false,
            flushes_apart: false,
            noticed_places: None,
            buffer_events: Vec::new(),
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
            sees_end_of: None,
            alone: true,
            is_weak: code.program.memory_model.has_buffers(),
            has_stores: false,
            buffered: 0,
            any_stores: false,
            allowance: false,
            fuel: 0,
            tank: 0,
            calls: 0,
            moved: 0,
            chose: false,
            recorder: FootprintRecorder::default(),
            looks_at: 0,
            symmetric: false,
            twin: None,
            bindings: Vec::new(),
            is_loud: false,
            told_owner: false,
        };
        let main = machine.new_thread(code.program.entry, &[]);
        machine.ends.note_reached(main.pc());
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
            // An atomic section that was not left does not count as a step.
            self.steps = self.steps.saturating_sub(u64::from(self.atomic > 0));
        }
        // The visible part of the step has happened, whatever becomes of the rest: stop before
        // the failing instruction, and let the next step run into it.
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
        self.sees_end_of = None;
        // The rest of an atomic section belongs to the step that began it, which includes no further visible step.
        self.allowance = self.atomic == 0;
        // Large states are stored less often, so that a loop over memory takes time linear in its size.
        let words = self.state.globals.len() + self.stack.len() + self.state.threads[thread].data.len();
        self.fuel = FUEL.max(u32::try_from(words / WORDS_A_JUMP).unwrap_or(u32::MAX));
        (self.tank, self.calls, self.moved) = (self.fuel, CALLS, 0);
        self.chose = false;
        self.steps = 0;
        self.narrowed.clear();
        self.awaited.clear();
        self.recorder.begin();
        self.looks_at = 0;
        self.buffer_events.clear();
        if self.is_weak {
            self.look_at_buffers();
        }
        self.symbols_before = self.state.late_inputs.symbol_count();
        self.look_at_locks();
    }

    /// Counts a step of a schedule. An atomic section is a single one, however long it is.
    #[inline]
    pub(crate) fn count_step(&mut self) {
        self.steps += u64::from(self.atomic == 0);
    }

    pub(crate) fn leave(&mut self) {
        if self.depth > 0 {
            let stores = if self.has_stores { HAS_STORES } else { 0 };
            self.buffered = if self.has_stores { self.state.threads[self.thread].stores().len() } else { 0 };
            self.stack[0] = Thread::next_status(self.stack[0], self.atomic, self.depth) | stores;
            self.stack[1] = pack(self.pc, self.base);
            self.clear_dead_slots(self.pc, &[]);
        }
        *self.state.threads[self.thread].stack = std::mem::take(&mut self.stack);
        if self.depth == 0 {
            let this = &mut self.state.threads[self.thread];
            let keeps_locks = self.symmetric && this.locks().iter().any(|lock| *lock != 0);
            this.finish();
            if keeps_locks {
                // These locks still name it as their owner.
                Thread::note_other_locks(&mut this.stack[0], true);
            }
        }
    }

    /// Puts the state into canonical form.
    pub(crate) fn tidy(&mut self) {
        if self.state.collect(&self.code.layout, self.thread) {
            self.looks_at = EVERYBODY;
        }
        if !self.state.late_inputs.is_empty() {
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
        if !self.state.late_inputs.is_empty() {
            for at in 0..slots {
                if live[at / 64] >> (at % 64) & 1 == 0 || also.iter().any(|s| s.slot() == Some(at)) {
                    self.state.late_inputs.drop_register(self.thread, self.base + FRAME_HEADER + at);
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
            // The address is too far from its object to name it.
            Slot::Dynamic { .. } | Slot::Static(_) => address,
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: u16, value: u64) {
        self.stack[self.base + FRAME_HEADER + usize::from(slot)] = value;
    }

    /// Whether an instruction may be executed now, given whether it is visible.
    #[inline]
    pub(crate) fn may_go(&mut self, visible: bool) -> bool {
        let may = !visible || self.atomic > 0 || std::mem::take(&mut self.allowance);
        if may {
            self.is_loud |= visible;
            self.recorder.happens();
        }
        may
    }

    /// Whether this step has created inputs outside of an atomic section. An instruction that may block must not
    /// undo them: for some of their values it blocks for good.
    fn has_new_symbols(&self) -> bool {
        self.atomic == 0 && self.state.late_inputs.symbol_count() > self.symbols_before
    }

    /// Whether the last call of [`Machine::step`] ended only because it took too long.
    #[inline]
    pub fn is_out_of_fuel(&self) -> bool {
        self.fuel == 0 || self.calls == 0
    }

    pub const LEAST_EFFORT: usize = 64;

    /// Why nothing is proved, for a search whose verdict has no room for [`Machine::sampled`].
    pub fn take_obstacle(&mut self) -> Option<Reason> {
        self.obstacle.take().or_else(|| self.sampled.pop_first().map(|(_, reason)| reason))
    }

    /// The work of the last call of [`Machine::step`], roughly in instructions: merged loops may be long.
    #[inline]
    pub fn effort(&self) -> usize {
        let loops = 16 * (self.tank - self.fuel) as usize + 16 * (CALLS - self.calls) as usize;
        Self::LEAST_EFFORT + loops + self.moved / 8 + self.state.late_inputs.view_count()
    }

    /// Counts a call. Returns whether the step should end here.
    #[inline]
    pub(crate) fn has_called_enough(&mut self) -> bool {
        self.calls = self.calls.saturating_sub(1);
        self.calls == 0
    }

    // Shared by the other parts of the machine.

    pub(crate) fn note(&mut self, note: Note) {
        if self.log.is_some() {
            return;
        }
        let view = MachineView {
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
