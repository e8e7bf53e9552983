//! Accesses to memory: their targets and their visibility.

use super::Machine;
use crate::code::Src;
use crate::dependence::EVERYBODY;
use crate::memory::{self, Fault, Spot, Target};
use crate::oracle::{Note, Oracle, Stopped};
use crate::state::{FRAME_HEADER, Kind};
use crate::store_buffer::StoreWay;
use selvedge_program::semantics::narrow;

impl<O: Oracle> Machine<'_, O> {
    /// Whether another thread can tell that this access happens.
    #[inline]
    pub(crate) fn is_visible(&mut self, spot: Spot, bytes: usize, write: bool) -> bool {
        let visible = self.is_seen(spot, bytes, write);
        if self.recorder.is_wanted() {
            self.recorder.in_user_code |= !matches!(spot, Spot::Constant { .. }) && self.code.is_user(self.pc);
            self.recorder.worked |= write && !visible && !self.is_on_own_stack(spot);
        }
        visible
    }

    fn is_on_own_stack(&self, spot: Spot) -> bool {
        let Spot::Object { thread, index, .. } = spot else { return false };
        let object = self.state.threads[thread].object(index);
        thread == self.thread && object.is_some_and(|object| object.kind == Kind::Stack)
    }

    #[inline]
    fn is_seen(&mut self, spot: Spot, bytes: usize, write: bool) -> bool {
        if self.sharing.everything {
            self.log_access(spot, bytes, write);
            self.touch(spot, bytes, write);
            return true;
        }
        if self.alone {
            let watched = write && self.sharing.is_watched(spot, bytes);
            if watched {
                self.touch(spot, bytes, write);
            }
            return watched;
        }
        let visible = match spot {
            Spot::Constant { .. } => false,
            Spot::Variable { at } => {
                let visible = self.sharing.global(at, bytes, self.thread, write, self.held);
                visible | self.twin.is_some_and(|twin| self.sharing.global(at, bytes, twin, write, self.held))
            }
            Spot::Object { thread, site, offset, .. } => {
                let is_owner = thread == self.thread || !write && self.sees_end_of == Some(thread);
                self.sharing.object(site, offset, bytes, is_owner, write, self.held)
            }
        };
        // Atomic sections protect their accesses, but conflict with one another.
        if visible || self.atomic > 0 {
            self.is_loud |= self.symmetric && !self.sharing.is_quiet(spot, bytes);
            self.touch(spot, bytes, write);
        }
        visible
    }

    /// Loads into a register; false if it must wait for its turn.
    #[inline]
    pub(super) fn load(&mut self, d: u16, spot: Spot, bits: u8, bytes: u8) -> Result<bool, Stopped> {
        let visible = self.is_visible(spot, usize::from(bytes), false);
        if !self.may_go(visible) {
            return Ok(false);
        }
        self.count_step();
        if self.overlaps_own(spot, usize::from(bytes)) {
            return self.load_through(d, spot, bits, bytes).map(|()| true);
        }
        if let Spot::Object { uninitialised: true, .. } = spot {
            self.initialise(spot, usize::from(bytes))?;
            // Initialising may have moved the object's bytes.
            let spot = self.refreshed(spot);
            return self.finish_load(d, spot, bits, bytes).map(|()| true);
        }
        self.finish_load(d, spot, bits, bytes).map(|()| true)
    }

    #[inline]
    pub(super) fn finish_load(&mut self, d: u16, spot: Spot, bits: u8, bytes: u8) -> Result<(), Stopped> {
        if !self.state.late_inputs.is_empty() {
            self.state.late_inputs.drop_register(self.thread, self.base + FRAME_HEADER + usize::from(d));
            if let Some(view) = self.symbols_in(spot, usize::from(bytes), true)? {
                self.give_slot(usize::from(d), view, bits);
            }
        }
        let value = narrow::truncate(bits, self.state.read(&self.code.layout, spot, usize::from(bytes)));
        self.set(d, value);
        if O::WATCHES {
            self.note(Note::Read { spot, bytes: u64::from(bytes), value: u128::from(value) });
        }
        Ok(())
    }

    /// Loads bytes of which some are in the thread's store buffer.
    #[cold]
    fn load_through(&mut self, d: u16, spot: Spot, bits: u8, bytes: u8) -> Result<(), Stopped> {
        self.state.late_inputs.drop_register(self.thread, self.base + FRAME_HEADER + usize::from(d));
        let value = narrow::truncate(bits, self.read_through(spot, usize::from(bytes))?);
        self.set(d, value);
        if O::WATCHES {
            self.note(Note::Read { spot, bytes: u64::from(bytes), value: u128::from(value) });
        }
        Ok(())
    }

    /// Updates a place after the object table may have changed.
    pub(crate) fn refreshed(&self, spot: Spot) -> Spot {
        let Spot::Object { thread, index, offset, site, .. } = spot else { return spot };
        match self.state.threads[thread].object(index) {
            Some(object) => Spot::Object {
                thread,
                index,
                offset,
                site,
                at: object.at as usize * 8 + offset,
                uninitialised: object.uninitialised,
            },
            None => spot,
        }
    }

    /// Stores a value; false if it must wait for its turn.
    #[inline]
    pub(super) fn store(&mut self, spot: Spot, value: Src, bytes: u8) -> Result<bool, Stopped> {
        let visible = self.is_visible(spot, usize::from(bytes), true);
        if self.is_weak {
            match self.begin_store(spot, usize::from(bytes), visible)? {
                StoreWay::Wait => return Ok(false),
                StoreWay::Late => {
                    if let Some(view) = self.view_of_source(value) {
                        self.choose_value(view)?;
                    }
                    let value = self.value(value);
                    self.append_value(spot, usize::from(bytes), u128::from(value));
                    return Ok(true);
                }
                StoreWay::Direct => {}
            }
        } else {
            if !self.may_go(visible) {
                return Ok(false);
            }
            self.count_step();
        }
        let spot = if self.is_weak { self.refreshed(spot) } else { spot };
        if !self.state.late_inputs.is_empty() {
            self.overwrite_symbols(spot, usize::from(bytes))?;
            if let Some(view) = self.view_of_source(value) {
                self.put_symbol(spot, view);
            }
        }
        let value = self.value(value);
        self.state.write(spot, usize::from(bytes), value);
        if O::WATCHES {
            self.note(Note::Write { spot, bytes: u64::from(bytes), value: u128::from(value) });
        }
        Ok(true)
    }

    pub(crate) fn locate(&mut self, pointer: u64, bytes: u64, write: bool) -> Result<Spot, Stopped> {
        match memory::locate(&self.state, &self.code.layout, pointer, bytes, write) {
            Ok(spot) => {
                if let Spot::Object { thread, .. } = spot {
                    self.looks_at |= 1 << thread;
                }
                Ok(spot)
            }
            Err(fault) => Err(self.cannot_locate(fault, pointer, bytes, write)),
        }
    }

    /// The object that a pointer points into, and the offset.
    pub(crate) fn target(&mut self, pointer: u64) -> Result<(Target, u64), Fault> {
        let target = memory::target(&self.state, &self.code.layout, pointer);
        self.looks_at |= match target {
            Ok((Target::Object { thread, .. }, _)) => 1 << thread,
            Ok(_) => 0,
            Err(_) => EVERYBODY,
        };
        target
    }
}
