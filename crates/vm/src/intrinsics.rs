//! The primitives of the models: threads, the heap, jumps, the end of the process.

use crate::dependence::EVERYBODY;
use crate::layout::Slot;
use crate::machine::Machine;
use crate::memory::{Fault, Spot, Target};
use crate::oracle::{Ended, Note, Oracle, Stopped};
use crate::rare_operations::{DONE, OpResult, WAIT};
use crate::state::{Kind, Object};
use selvedge_program::semantics::integers::truncate;
use selvedge_program::{Intrinsic, Op, Operand, Property, Reg};

impl<O: Oracle> Machine<'_, O> {
    pub(crate) fn intrinsic(&mut self, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) -> OpResult {
        self.check_observer(which)?;
        let arg = |number: usize| args.get(number).map_or(0, |a| self.operand(*a)) as u64;
        let result = match which {
            Intrinsic::SelfId => {
                self.show_itself();
                self.thread as u64
            }
            Intrinsic::Owner => {
                if self.atomic == 0 {
                    self.show_itself();
                }
                self.told_owner = true;
                self.thread as u64 + 1
            }
            Intrinsic::Threads => {
                self.touch_later_threads();
                self.recorder.happens();
                self.state.threads.len() as u64
            }
            Intrinsic::Spawn => {
                let (body, first, second) = (arg(0), arg(1), arg(2));
                let body = self.function_at(body)?;
                let visible = self.sharing.everything || !self.alone && self.order_of_creation_matters();
                self.touch_creation(true);
                if !self.may_go(visible || self.drains_visibly()) {
                    return WAIT;
                }
                self.count_step();
                self.drain()?;
                let (body, first) = self.stand_ins(body, first);
                self.create(body, &[first, second])? as u64
            }
            Intrinsic::Finished | Intrinsic::PollFinished => {
                let thread = arg(0) as usize;
                self.use_name(thread)?;
                let asks = which == Intrinsic::PollFinished;
                let visible = if asks && !self.alone { self.sharing.end(true) } else { true };
                self.touch_end(thread, false);
                if !self.may_go(visible || self.drains_visibly() || self.sharing.everything) {
                    return WAIT;
                }
                self.count_step();
                self.drain()?;
                let finished = self.state.threads.get(thread).is_none_or(|t| !t.stack.is_empty() && t.is_finished());
                let finished = finished && thread != self.thread;
                if finished {
                    self.sees_end_of = Some(thread);
                    self.see_end(thread);
                }
                u64::from(finished)
            }
            Intrinsic::Created => {
                let thread = arg(0) as usize;
                // The answer depends on the order of creations, as thread numbers do.
                let visible = self.sharing.everything || !self.alone && self.order_of_creation_matters();
                self.touch_creation(false);
                if !self.may_go(visible || self.drains_visibly()) {
                    return WAIT;
                }
                self.count_step();
                self.drain()?;
                u64::from(thread < self.state.threads.len())
            }
            Intrinsic::ThreadExit => return self.end_thread().map(Some),
            Intrinsic::ProcessExit => {
                self.touch_everything();
                if !self.may_go(!self.alone || self.drains_visibly() || self.sharing.everything) {
                    return WAIT;
                }
                self.count_step();
                self.drain()?;
                self.check_leaks()?;
                // The end of the process also ends the atomic section.
                self.atomic = 0;
                return Ok(Some(Ended::Exited));
            }
            Intrinsic::TlsOf => self.other_copy(arg(0), arg(1))?,
            Intrinsic::Alloc => {
                let index = self.new_object(Kind::Heap, arg(0), self.user_site(), 0, 0, true)?;
                self.state.address(&self.code.layout, self.thread, index)
            }
            Intrinsic::Free => return self.free(arg(0)),
            Intrinsic::ObjectSize => match self.target(arg(0)) {
                Ok((Target::Global { size, .. }, _)) => size,
                Ok((Target::Object { object, .. }, _)) if object.is_live() => u64::from(object.size),
                _ => 0,
            },
            Intrinsic::ObjectOffset => match self.target(arg(0)) {
                Ok((_, offset)) => offset,
                Err(_) => 0,
            },
            Intrinsic::CheckRead | Intrinsic::CheckWrite => {
                let write = which == Intrinsic::CheckWrite;
                let (pointer, len) = (arg(0), arg(1));
                if len > 0 {
                    let spot = self.locate(pointer, len, write)?;
                    let visible = self.is_visible(spot, len as usize, write);
                    if !self.may_go(visible) {
                        return WAIT;
                    }
                } else if !self.may_go(self.sharing.everything) {
                    return WAIT;
                }
                self.count_step();
                0
            }
            Intrinsic::SetJmp => {
                let buffer = arg(0);
                if !self.may_go(self.drains_visibly()) {
                    return WAIT;
                }
                self.drain()?;
                let spot = self.locate(buffer, 8, true)?;
                let mark = u128::from(self.pc) | u128::from(self.depth) << 32;
                self.write_bytes(spot, 8, mark)?;
                self.mark_jump_target();
                0
            }
            Intrinsic::LongJmp => return self.long_jump(arg(0), arg(1) as u32),
            Intrinsic::Acquired => {
                let (lock, exclusively) = (arg(0), arg(1) & 1 == 1);
                self.acquired(lock, exclusively);
                0
            }
            Intrinsic::Released => {
                let lock = arg(0);
                self.released(lock);
                0
            }
            Intrinsic::Yield
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::BlockUntil
            | Intrinsic::WaitsFor
            | Intrinsic::Assume => 0,
        };
        if let Some(dst) = dst {
            let bits = self.bits(Operand::Reg(dst));
            self.set_register(dst, truncate(bits, u128::from(result)));
        }
        DONE
    }

    /// Notes that a thread is created, or that the number of threads is asked for. Returns whether other threads can
    /// tell.
    fn order_of_creation_matters(&mut self) -> bool {
        self.sharing.create(self.thread) | self.twin.is_some_and(|twin| self.sharing.create(twin))
    }

    fn other_copy(&mut self, thread: u64, mine: u64) -> Result<u64, Stopped> {
        self.use_name(thread as usize)?;
        let layout = &self.code.layout;
        match self.state.slot(layout, mine) {
            Some(Slot::Dynamic { index, .. }) if (thread as usize) < self.state.threads.len() => {
                let start = self.state.address(layout, thread as usize, index);
                Ok(start.wrapping_add(layout.pointers.offset(mine) as u64))
            }
            _ => Err(self.violation(Property::Thread, "names a thread that does not exist".to_string())),
        }
    }

    fn free(&mut self, pointer: u64) -> OpResult {
        let freeable = self.state.freeable(&self.code.layout, pointer);
        self.looks_at |= freeable.as_ref().map_or(EVERYBODY, |(owner, ..)| 1 << owner);
        let (owner, index, object) = match freeable {
            Ok(found) => found,
            Err(Fault::Wild) => return Err(self.violation(Property::Memory, "frees a pointer to nothing".to_string())),
            Err(fault) => {
                self.come_too_late(pointer, 1, true);
                return Err(self.fault(fault, "frees", 0));
            }
        };
        let visible = self.sharing.everything
            || !self.alone
                && self.sharing.object(object.site, 0, object.size as usize, owner == self.thread, true, self.held)
            || self.sharing.is_site_watched(object.site);
        if visible || self.atomic > 0 {
            self.touch_object(owner, index, object.site);
            if self.recorder.pending.is_some() {
                self.note_pending(Spot::of_object(owner, index, object), object.size as usize, true, true);
            }
        }
        if !self.may_go(visible) {
            return WAIT;
        }
        self.count_step();
        if O::WATCHES {
            self.note(Note::Freed { owner, index });
        }
        self.is_loud = true;
        self.state.late_inputs.drop_object(owner, index);
        self.state.kill(owner, index);
        if self.any_stores || self.has_stores {
            self.drop_stores_to(owner, index);
        }
        DONE
    }

    /// Returns to the `setjmp` that filled the buffer; its function must still be active.
    fn long_jump(&mut self, buffer: u64, value: u32) -> OpResult {
        if !self.may_go(self.drains_visibly()) {
            return WAIT;
        }
        self.drain()?;
        let spot = self.locate(buffer, 8, false)?;
        let mark = self.read_bytes(spot, 8)?;
        let (pc, depth) = (mark as u32, (mark >> 32) as u32);
        let is_setjmp = matches!(
            self.code.ins.get(pc as usize).and_then(|_| self.code.op(pc)),
            Some(Op::Intrinsic { which: Intrinsic::SetJmp, .. })
        );
        if !is_setjmp || !self.is_jump_target(pc, depth) {
            return Err(self.violation(Property::Memory, "jumps to a function that has returned".to_string()));
        }
        let dying = self.stack_objects(depth + 1, 0);
        if !self.end_objects(&dying, false) {
            return WAIT;
        }
        while self.depth > depth {
            let caller = self.stack[self.base];
            self.stack.truncate(self.base);
            self.base = (caller >> 32) as usize;
            self.depth -= 1;
        }
        self.state.late_inputs.drop_frame(self.thread, self.stack.len());
        self.pc = pc;
        self.ends.note_reached(pc);
        if let Some(Op::Intrinsic { dst: Some(dst), .. }) = self.code.op(pc) {
            self.set_register(*dst, u128::from(value.max(1)));
        }
        DONE
    }

    /// Checks for heap objects that were not freed, or are unreachable, at the end of the process.
    fn check_leaks(&mut self) -> Result<(), Stopped> {
        self.looks_at = EVERYBODY;
        let properties = self.properties();
        if properties.contains(Property::Cleanup) {
            let left = self.state.threads.iter().flat_map(|thread| thread.heap_objects()).collect();
            self.refuse_leftover(left, Property::Cleanup, "not freed")?;
        }
        if !properties.contains(Property::Leak) {
            return Ok(());
        }
        // Objects that the caller of exit() still points to are not lost.
        std::mem::swap(&mut *self.state.threads[self.thread].stack, &mut self.stack);
        let lost = self.state.lost_objects(&self.code.layout);
        std::mem::swap(&mut *self.state.threads[self.thread].stack, &mut self.stack);
        self.refuse_leftover(lost.into_iter().map(|(_, object)| object).collect(), Property::Leak, "lost")
    }

    /// Names the one that is allocated first in the source. The numbers of objects say nothing: they are given anew
    /// when stack objects end, and a pass may remove a stack object.
    fn refuse_leftover(&mut self, left: Vec<Object>, property: Property, fate: &str) -> Result<(), Stopped> {
        let place = |object: &Object| (self.code.loc(object.site), object.size);
        let Some(object) = left.into_iter().min_by_key(place) else { return Ok(()) };
        let loc = self.code.loc(object.site);
        let at = self.code.program.source.describe(loc);
        let text = format!("{} bytes allocated at {at} are {fate}", object.size);
        match self.violation(property, text) {
            Stopped::Violation(mut violation) => {
                violation.loc = loc;
                Err(Stopped::Violation(violation))
            }
            other => Err(other),
        }
    }
}
