//! The interpreter's loop: one arm for each frequent instruction; the others are in [`crate::rare_operations`].

use super::Machine;
use crate::code::Ins;
use crate::late_inputs::Handled;
use crate::memory::Spot;
use crate::oracle::{Ended, Note, Oracle, Stopped};
use selvedge_program::semantics::narrow;

impl<O: Oracle> Machine<'_, O> {
    pub(crate) fn run(&mut self) -> Result<Ended, Stopped> {
        loop {
            if self.chose && self.atomic == 0 {
                return Ok(Ended::Paused);
            }
            // Without reduction a step waits for its turn before any part of it is examined: a
            // replay must not run into a fault that belongs to the next slice.
            if self.sharing.everything && !self.allowance && self.atomic == 0 && self.code.is_step[self.pc as usize] {
                return Ok(Ended::Paused);
            }
            if !self.state.late_inputs.is_empty()
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
                    let value = narrow::add(bits, self.value(a), self.value(b));
                    self.set(d, value);
                }
                Ins::Sub { d, a, b, bits } => {
                    let value = narrow::sub(bits, self.value(a), self.value(b));
                    self.set(d, value);
                }
                Ins::Mul { d, a, b, bits } => {
                    let value = narrow::mul(bits, self.value(a), self.value(b));
                    self.set(d, value);
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
                    let value = narrow::compare(op, bits, self.value(a), self.value(b));
                    self.set(d, u64::from(value));
                }
                Ins::SignExtend { d, s, from, to } => {
                    let value = narrow::sign_extend(from, to, self.value(s));
                    self.set(d, value);
                }
                Ins::Truncate { d, s, to } => {
                    let value = narrow::truncate(to, self.value(s));
                    self.set(d, value);
                }
                Ins::Select { d, c, a, b } => {
                    let value = if self.value(c) & 1 == 1 { self.value(a) } else { self.value(b) };
                    self.set(d, value);
                }
                Ins::Field { d, base, bytes } => {
                    let by = self.code.constants[bytes as usize] as i64;
                    let value = self.state.moved(&self.code.layout, self.value(base), i128::from(by));
                    self.set(d, value);
                }
                Ins::Index { d, base, index, index_bits, constants } => {
                    let index = narrow::signed(index_bits, self.value(index));
                    let stride = self.code.constants[constants as usize];
                    let bound = self.code.constants[constants as usize + 1];
                    if bound != u64::MAX && index as u64 >= bound {
                        self.index_out_of_bounds(index, bound)?;
                    }
                    let by = i128::from(index) * i128::from(stride);
                    let value = self.state.moved(&self.code.layout, self.value(base), by);
                    self.set(d, value);
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
                    if self.has_called_enough() {
                        return Ok(Ended::Paused);
                    }
                    continue;
                }
                Ins::CallIndirect { target, args, dsts } => {
                    let pointer = self.value(target);
                    let function = self.function_at(pointer)?;
                    self.call(function, args, dsts, true)?;
                    if self.has_called_enough() {
                        return Ok(Ended::Paused);
                    }
                    continue;
                }
                Ins::Return { values } => {
                    if let Some(ended) = self.return_values(values)? {
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
                    // Entering the section is not noticed by others, only its accesses are.
                    self.is_loud = was_loud;
                    self.told_owner &= self.atomic > 0;
                    self.count_step();
                    self.drain()?;
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
                    self.drain()?;
                    self.awaited.clear();
                    self.count_step();
                }
                Ins::WaitsFor { object, thread } => {
                    let (object, thread) = (self.value(object), self.value(thread) as usize);
                    // A number that is no thread's is garbage that a model has read. In a nested section the
                    // awaited thread may depend on anything that was read before.
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
                    // Pausing here is free: it does not use the allowance, it only requires a fresh one.
                    if self.atomic == 0 {
                        if !self.allowance {
                            return Ok(Ended::Paused);
                        }
                        self.allowance = !self.sharing.everything;
                    }
                    self.recorder.yielded = true;
                    self.count_step();
                }
                Ins::Rare => match self.rare_operation()? {
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
        self.ends.note_reached(to);
        if back {
            self.fuel -= 1;
            return self.fuel == 0;
        }
        false
    }
}
