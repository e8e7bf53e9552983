//! Frames: calls, returns, stack objects, threads.

use crate::code::{Code, Ins, List, Src};
use crate::dependence::EVERYBODY;
use crate::late_inputs::View;
use crate::layout::MAX_THREADS;
use crate::machine::Machine;
use crate::oracle::{Ended, Note, Oracle, Stopped};
use crate::state::{FRAME_HEADER, Kind, Object, STACK_HEADER, Thread, pack};
use selvedge_program::semantics::narrow;
use selvedge_program::{FuncId, Property, Reason};

/// Calls nested deeper than this overflow the stack: 8 MiB, the usual size, have room for as many frames of 32 bytes.
pub const MAX_DEPTH: u32 = 1 << 18;

/// A flag in a frame's header: the function can make stack objects. Its return is a step then, in which they end,
/// whether this run has made any or none: so bounded programs have it, where paths meet.
const MAKES_OBJECTS: u64 = 1 << 31;
/// A flag in a frame's header: `setjmp` was called in it.
const HAS_JUMP_TARGET: u64 = 1 << 30;

impl<O: Oracle> Machine<'_, O> {
    pub(crate) fn new_thread(&self, function: FuncId, args: &[u64]) -> Thread {
        let body = self.code.function(function);
        let stack = vec![Thread::status(0, 1), pack(body.entry, STACK_HEADER), 0, 0];
        let mut thread = Thread { stack: stack.into(), ..Thread::default() };
        thread.stack.resize(STACK_HEADER + FRAME_HEADER + body.slots.count, 0);
        for ((slot, bits), value) in body.params.iter().zip(&body.param_bits).zip(args) {
            thread.stack[STACK_HEADER + FRAME_HEADER + usize::from(*slot)] = narrow::truncate(*bits, *value);
        }
        for (number, local) in self.code.layout.thread_locals.iter().enumerate() {
            let at = thread.data.len() as u32;
            thread.data.extend(&local.init);
            let object = Object {
                kind: Kind::ThreadLocal,
                at,
                size: local.size as u32,
                site: self.local_site(number),
                ..Object::UNUSED
            };
            thread.objects.extend([0, 0]);
            thread.set_object(number, object);
        }
        thread
    }

    /// Sites of thread-locals are numbered after all instructions.
    fn local_site(&self, number: usize) -> u32 {
        (self.code.ins.len() + number) as u32
    }

    pub(crate) fn call(&mut self, function: FuncId, args: List, dsts: List, indirect: bool) -> Result<(), Stopped> {
        let code = self.code;
        let body = code.function(function);
        if self.depth >= MAX_DEPTH {
            return Err(self.violation(Property::Memory, format!("overflows the stack: {MAX_DEPTH} nested calls")));
        }
        let args = code.list(args);
        if args.len() < body.params.len() {
            return Err(self.unsupported("a call with too few arguments"));
        }
        if indirect && !self.state.late_inputs.is_empty() {
            self.choose_converted(args, &body.param_bits)?;
        }
        let new_base = self.stack.len();
        self.stack.resize(new_base + FRAME_HEADER + body.slots.count, 0);
        for ((slot, bits), arg) in body.params.iter().zip(&body.param_bits).zip(args) {
            let value = self.value(*arg);
            let at = new_base + FRAME_HEADER + usize::from(*slot);
            self.stack[at] = if indirect { passed(value, *bits) } else { value };
            if !self.state.late_inputs.is_empty() {
                let view = self.view_of_source(*arg).map(|view| View { bits: view.bits.min(*bits), ..view });
                self.set_view(at, view);
            }
        }
        self.clear_dead_slots(self.pc + 1, code.list(dsts));
        self.stack[new_base] = pack(self.pc + 1, self.base) | if body.makes_objects { MAKES_OBJECTS } else { 0 };
        self.base = new_base;
        self.pc = body.entry;
        self.ends.note_reached(self.pc);
        self.depth += 1;
        if O::WATCHES {
            self.note(Note::Entered { function });
        }
        Ok(())
    }

    /// Chooses values for open inputs among the arguments or results of an indirect call whose conversion is not a mere
    /// truncation.
    fn choose_converted(&mut self, args: &[Src], bits: &[u8]) -> Result<(), Stopped> {
        for (arg, bits) in args.iter().zip(bits) {
            if let Some(view) = self.view_of_source(*arg)
                && (view.bits < *bits || *bits == 1 && view.bits > 1)
            {
                self.choose_value(view)?;
            }
        }
        Ok(())
    }

    /// Returns from a function. `None` means that the caller goes on; otherwise the step ends, by a pause or with the
    /// thread.
    pub(crate) fn return_values(&mut self, values: List) -> Result<Option<Ended>, Stopped> {
        if self.depth == 1 {
            self.returned = self.code.list(values).first().map(|value| self.value(*value));
            return self.end_thread().map(Some);
        }
        let code = self.code;
        let values = code.list(values);
        let call = return_pc(self.stack[self.base]) - 1;
        let (dsts, result_bits) = match code.ins[call as usize] {
            Ins::Call { dsts, .. } => (code.list(dsts), None),
            Ins::CallIndirect { dsts, .. } => (code.list(dsts), Some(code.result_bits(call))),
            _ => (&[][..], None),
        };
        if let Some(bits) = &result_bits
            && !self.state.late_inputs.is_empty()
        {
            self.choose_converted(values, bits)?;
        }
        if self.stack[self.base] & MAKES_OBJECTS != 0 {
            let dying = self.stack_objects(self.depth, 0);
            if !self.end_objects(&dying, false) {
                return Ok(Some(Ended::Paused));
            }
        }
        let mut moved = [(0, None); 8];
        let mut more = Vec::new();
        for (number, source) in values.iter().enumerate() {
            let view = if self.state.late_inputs.is_empty() { None } else { self.view_of_source(*source) };
            match moved.get_mut(number) {
                Some(entry) => *entry = (self.value(*source), view),
                None => more.push((self.value(*source), view)),
            }
        }
        if O::WATCHES {
            let values = values.iter().map(|s| self.value(*s)).collect();
            self.note(Note::Leaving { values });
        }
        let caller = self.stack[self.base];
        if !self.state.late_inputs.is_empty() {
            self.state.late_inputs.drop_frame(self.thread, self.base);
        }
        self.stack.truncate(self.base);
        self.pc = return_pc(caller);
        self.ends.note_reached(self.pc);
        self.base = (caller >> 32) as usize;
        self.depth -= 1;
        for (number, slot) in dsts.iter().filter_map(|s| s.slot()).enumerate().take(values.len()) {
            let (value, view) = if number < 8 { moved[number] } else { more[number - 8] };
            let at = self.base + FRAME_HEADER + slot;
            let bits = result_bits.as_ref().map(|bits| bits[number]);
            self.stack[at] = bits.map_or(value, |bits| passed(value, bits));
            let view = view.map(|view| View { bits: bits.map_or(view.bits, |bits| view.bits.min(bits)), ..view });
            if view.is_some() || !self.state.late_inputs.is_empty() {
                self.set_view(at, view);
            }
        }
        Ok(None)
    }

    /// Makes the running function a target of `longjmp` until it returns.
    pub(crate) fn mark_jump_target(&mut self) {
        self.stack[self.base] |= HAS_JUMP_TARGET;
    }

    /// Whether the function that contains `pc` is active at this depth and has called `setjmp` in that activation.
    pub(crate) fn is_jump_target(&self, pc: u32, depth: u32) -> bool {
        if depth == 0 || depth > self.depth {
            return false;
        }
        let (mut at, mut base) = (self.pc, self.base);
        for _ in depth..self.depth {
            let header = self.stack[base];
            at = return_pc(header) - 1;
            base = (header >> 32) as usize;
        }
        let function = |pc: u32| self.code.from[pc as usize].function;
        function(at) == function(pc) && self.stack[base] & HAS_JUMP_TARGET != 0
    }

    /// The running thread's stack objects in frames from `depth` on, from number `from` on.
    pub(crate) fn stack_objects(&self, depth: u32, from: u16) -> Vec<(usize, Object)> {
        let thread = &self.state.threads[self.thread];
        (self.code.layout.thread_locals.len()..thread.object_count())
            .filter_map(|index| thread.object(index).map(|object| (index, object)))
            .filter(|(_, o)| o.kind == Kind::Stack && o.depth >= depth && o.sequence >= from)
            .collect()
    }

    /// The running thread's copies of thread-locals that end with it.
    fn mortal_thread_locals(&self) -> impl Iterator<Item = (usize, Object)> {
        let (program, thread) = (self.code.program, &self.state.threads[self.thread]);
        let locals = self.code.layout.thread_locals.iter().enumerate();
        let mortal = locals.filter(|(_, local)| program.globals[local.global].ends_with_its_thread());
        mortal.filter_map(|(index, _)| thread.object(index).map(|object| (index, object)))
    }

    /// Ends objects of the running thread, as one step; false if it must wait for its turn. With `seen`, the step is
    /// visible to other threads in any case.
    pub(crate) fn end_objects(&mut self, dying: &[(usize, Object)], seen: bool) -> bool {
        let mut visible = seen || self.sharing.everything;
        for (index, object) in dying {
            let seen = self.sharing.everything
                || !self.alone && self.sharing.object(object.site, 0, object.size as usize, true, true, self.held)
                || self.sharing.is_site_watched(object.site);
            if seen || self.atomic > 0 {
                self.touch_object(self.thread, *index, object.site);
            }
            visible |= seen;
        }
        if !self.may_go(visible) {
            return false;
        }
        self.count_step();
        self.is_loud |= !dying.is_empty();
        for (index, _) in dying {
            self.state.late_inputs.drop_object(self.thread, *index);
            self.state.kill(self.thread, *index);
            if self.any_stores || self.has_stores {
                self.drop_stores_to(self.thread, *index);
            }
        }
        true
    }

    /// A new stack object of the running function.
    pub(crate) fn stack_object(&mut self, size: u64, uninitialised: bool) -> Result<usize, Stopped> {
        let sequence = self.stack_objects_here();
        self.new_object(Kind::Stack, size, self.pc, self.depth, sequence, uninitialised)
    }

    /// The number of stack objects of the running function.
    pub(crate) fn stack_objects_here(&self) -> u16 {
        self.stack_objects(self.depth, 0).len() as u16
    }

    pub(crate) fn new_object(
        &mut self,
        kind: Kind,
        size: u64,
        site: u32,
        depth: u32,
        sequence: u16,
        uninitialised: bool,
    ) -> Result<usize, Stopped> {
        self.show_itself();
        let too_large =
            || Stopped::GaveUp(Reason::Limit("more memory is allocated than the model's address space has".into()));
        let size = u32::try_from(size).ok().filter(|size| *size < 1 << 28).ok_or_else(too_large)?;
        let given = self.oracle.object(self.thread);
        let unwritten = uninitialised;
        let uninitialised = uninitialised && size > 0 && given.is_none();
        let object = Object { kind, at: 0, size, site, depth, sequence, uninitialised };
        self.moved += size as usize;
        let index = self.state.allocate(&self.code.layout, self.thread, object).ok_or_else(too_large)?;
        if let Some(given) = given {
            self.state.place(self.thread, index, given.window);
            self.state.fill(self.thread, index, &given.contents);
        }
        if O::WATCHES {
            self.note(Note::Allocated { index, size: u64::from(size), uninitialised: unwritten });
        }
        Ok(index)
    }

    /// Ends the thread: its start function returned, or it called for its end.
    pub(crate) fn end_thread(&mut self) -> Result<Ended, Stopped> {
        let seen = self.drains_visibly() || !self.alone && self.sharing.end(false);
        let mut dying = self.stack_objects(0, 0);
        dying.extend(self.mortal_thread_locals());
        self.touch_end(self.thread, true);
        if !self.end_objects(&dying, seen) {
            return Ok(Ended::Paused);
        }
        self.drain()?;
        if O::WATCHES {
            self.note(Note::Ended);
        }
        self.state.late_inputs.drop_frame(self.thread, 0);
        self.depth = 0;
        self.atomic = 0;
        Ok(Ended::Finished)
    }

    /// Notes that the running thread has seen the end of another: everything that one did happened before what follows.
    pub(crate) fn see_end(&mut self, thread: usize) {
        if let Some(other) = self.state.threads.get_mut(thread)
            && !other.is_joined()
        {
            other.join();
            self.looks_at |= 1 << thread;
            self.alone = self.is_alone();
        }
    }

    /// Whether all other threads have ended and each end was seen by some thread. Each of those has ended, too, or is
    /// the running one; so everything that other threads did happened before.
    pub(crate) fn is_alone(&self) -> bool {
        self.state.threads.iter().enumerate().all(|(number, thread)| number == self.thread || thread.is_joined())
    }

    /// Places a new thread's copies of thread-locals where the schedule says.
    pub(crate) fn place_thread_locals(&mut self, thread: usize) {
        for index in 0..self.code.layout.thread_locals.len() {
            if let Some(given) = self.oracle.object(thread) {
                self.state.place(thread, index, given.window);
            }
        }
    }

    /// Creates a thread and returns its number.
    pub(crate) fn create(&mut self, function: FuncId, args: &[u64]) -> Result<usize, Stopped> {
        let Some(number) = self.next_place() else {
            return Err(Stopped::GaveUp(Reason::Limit(format!("more than {MAX_THREADS} threads"))));
        };
        let mut thread = self.new_thread(function, args);
        self.ends.note_threads(number);
        self.ends.note_reached(thread.pc());
        self.look_at_new(&mut thread);
        match self.state.threads.get_mut(number) {
            Some(ended) => *ended = thread,
            None => self.state.threads.push(thread),
        }
        self.place_thread_locals(number);
        self.looks_at = EVERYBODY;
        self.alone = false;
        // If the next visible step blocks, the new thread must not be undone with it.
        self.allowance = false;
        if O::WATCHES {
            self.note(Note::Created { thread: number, function });
        }
        Ok(number)
    }
}

/// An argument converted to the width of its parameter, or a result to that of its destination: truncated, unless it is
/// a truth value.
fn passed(value: u64, bits: u8) -> u64 {
    if bits == 1 { u64::from(value != 0) } else { narrow::truncate(bits, value) }
}

/// The pc at which a frame's caller goes on, from the frame's header.
pub(crate) fn return_pc(header: u64) -> u32 {
    header as u32 & !((MAKES_OBJECTS | HAS_JUMP_TARGET) as u32)
}

/// The innermost instruction in user code: the one at `pc`, or the call that led there.
pub fn user_pc(code: &Code<'_>, stack: &[u64], pc: u32, base: usize, depth: u32) -> u32 {
    let (mut at, mut frame) = (pc, base);
    for _ in 1..depth.max(1) {
        if code.is_user(at) {
            return at;
        }
        let caller = stack[frame];
        at = return_pc(caller) - 1;
        frame = (caller >> 32) as usize;
    }
    at
}
