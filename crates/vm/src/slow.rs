//! The operations that are too rare to have an instruction of their own: floats, wide integers,
//! division, atomic read-modify-write, blocks of memory, threads, the heap. They run straight from
//! the program.

use crate::layout::Slot;
use crate::machine::{Ended, Machine, Note, Oracle, Stopped};
use crate::memory::{self, Fault, Initialised, Spot, Target};
use crate::state::{FRAME_HEADER, Kind};
use selvedge_program::{
    BinOp, Cast, CmpOp, FloatBinOp, FloatCmpOp, FloatUnOp, Intrinsic, Op, Operand, Property, Reg, RmwOp, Ty, UnOp,
};

/// `Ok(None)`: done, go on behind it. `Ok(Some(…))`: the step ends here.
type Slow = Result<Option<Ended>, Stopped>;
const DONE: Slow = Ok(None);
const WAIT: Slow = Ok(Some(Ended::Paused));

impl<O: Oracle> Machine<'_, O> {
    fn ty(&self, operand: Operand) -> Ty {
        let program = self.code.program;
        program.type_of(&program.functions[self.code.from[self.pc as usize].function], operand)
    }

    fn bits(&self, operand: Operand) -> u32 {
        self.ty(operand).bits(self.code.program.data_model)
    }

    pub(crate) fn slow(&mut self) -> Slow {
        let Some(op) = self.code.op(self.pc) else { return DONE };
        match *op {
            Op::Copy { dst, src } => self.set_register(dst, self.operand(src)),
            Op::Binary { dst, op, a, b, checked } => {
                let value = self.binary(op, a, b, checked)?;
                self.set_register(dst, value);
            }
            Op::Overflowing { dst, overflow, op, signed, a, b } => {
                let bits = self.bits(a);
                let (value, wrapped) = overflowing(op, signed, self.operand(a), self.operand(b), bits);
                self.set_register(dst, value);
                self.set_register(overflow, u128::from(wrapped));
            }
            Op::Unary { dst, op, a } => {
                let value = unary(op, self.operand(a), self.bits(a));
                self.set_register(dst, value);
            }
            Op::Compare { dst, op, a, b } => {
                let value = compare(op, self.operand(a), self.operand(b), self.bits(a));
                self.set_register(dst, u128::from(value));
            }
            Op::FloatBinary { dst, op, a, b } => {
                let value = float_binary(op, self.ty(a), self.operand(a), self.operand(b));
                self.set_register(dst, value);
            }
            Op::FloatUnary { dst, op, a } => {
                let value = float_unary(op, self.ty(a), self.operand(a));
                self.set_register(dst, value);
            }
            Op::FloatCompare { dst, op, a, b } => {
                let value = float_compare(op, as_f64(self.ty(a), self.operand(a)), as_f64(self.ty(b), self.operand(b)));
                self.set_register(dst, u128::from(value));
            }
            Op::Cast { dst, cast, src } => {
                let to = self.ty(Operand::Reg(dst));
                let model = self.code.program.data_model;
                let value = convert(cast, self.operand(src), self.ty(src), to, to.bits(model), self.bits(src));
                self.set_register(dst, value);
            }
            Op::Select { dst, cond, a, b } => {
                let value = if self.operand(cond) & 1 == 1 { self.operand(a) } else { self.operand(b) };
                self.set_register(dst, value);
            }
            Op::Field { dst, base, bytes, .. } => {
                let value = (self.operand(base) as u64).wrapping_add(bytes as u64);
                self.set_register(dst, narrow(u128::from(value), self.code.layout.pointers.bits));
            }
            Op::Index { .. } => return Err(self.unsupported("an array index of more than 64 bits")),
            Op::Load { dst, addr, .. } => return self.load_wide(dst, addr),
            Op::Store { ty, addr, value, .. } => return self.store_wide(ty, addr, value),
            Op::Rmw { dst, op, addr, value, .. } => return self.rmw(dst, op, addr, value),
            Op::CmpXchg { old, success, addr, expected, new, .. } => {
                return self.compare_exchange(old, success, addr, expected, new);
            }
            Op::Fence => {}
            Op::Alloca { dst, size, ref padding, .. } => self.alloca(dst, size, padding)?,
            Op::StackSave { dst } => {
                let mark = self.stack_objects_here();
                self.set_register(dst, u128::from(mark));
            }
            Op::StackRestore { mark } => {
                let dying = self.stack_objects(self.depth, self.operand(mark) as u16);
                if !self.end_objects(&dying, false) {
                    return WAIT;
                }
            }
            Op::MemCopy { dst, src, len, may_overlap } => return self.copy_bytes(dst, src, len, may_overlap),
            Op::MemSet { dst, byte, len } => return self.set_bytes(dst, byte, len),
            Op::Call { .. } => {}
            Op::Nondet { dst, range, .. } => self.nondet(dst, range)?,
            Op::Intrinsic { dst, which, ref args } => return self.intrinsic(dst, which, args),
            Op::Violation { property, ref text } => {
                if self.properties().contains(property) {
                    return Err(self.violation(property, text.clone()));
                }
            }
            Op::Unsupported { ref what } => return Err(self.unsupported(what)),
        }
        DONE
    }

    fn binary(&mut self, op: BinOp, a: Operand, b: Operand, checked: bool) -> Result<u128, Stopped> {
        let bits = self.bits(a);
        let (a, b) = (self.operand(a), self.operand(b));
        let by_zero = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) && b == 0;
        if by_zero {
            return Err(self.violation(Property::Arithmetic, "divides by zero".to_string()));
        }
        if matches!(op, BinOp::SDiv | BinOp::SRem) && signed(b, bits) == -1 && a == 1 << (bits - 1) {
            return Err(self.violation(Property::Arithmetic, "divides the smallest integer by -1".to_string()));
        }
        if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) && b >= u128::from(bits) {
            if self.properties().contains(Property::Arithmetic) {
                let text = format!("shifts a value of {bits} bits by {}", signed(b, bits));
                return Err(self.violation(Property::Arithmetic, text));
            }
            // What the hardware does.
            return Ok(binary(op, a, b & u128::from(bits - 1), bits));
        }
        if checked && self.properties().contains(Property::Overflow) && overflowing(op, true, a, b, bits).1 {
            let sign = match op {
                BinOp::Sub => "-",
                BinOp::Mul => "*",
                _ => "+",
            };
            let text = format!("overflows: {} {sign} {} in {bits} bits", signed(a, bits), signed(b, bits));
            return Err(self.violation(Property::Overflow, text));
        }
        Ok(binary(op, a, b, bits))
    }

    fn locate_operand(&mut self, addr: Operand, bytes: usize, write: bool) -> Result<Spot, Stopped> {
        let pointer = self.operand(addr) as u64;
        self.locate(pointer, bytes as u64, write)
    }

    /// Any number of bytes; at most 16.
    fn read_bytes(&mut self, spot: Spot, bytes: usize) -> Result<u128, Stopped> {
        let mut value = 0;
        for (part, at) in (0..bytes).step_by(8).enumerate() {
            let piece = self.refreshed(advance(spot, at));
            let len = (bytes - at).min(8);
            self.initialise(piece, len)?;
            let piece = self.refreshed(piece);
            if !self.state.lazy.is_empty() {
                self.symbols_in(piece, len, false)?;
            }
            value |= u128::from(self.state.read(&self.code.layout, piece, len)) << (64 * part);
        }
        if O::WATCHES {
            self.note(Note::Read { spot, bytes: bytes as u64, value });
        }
        Ok(value)
    }

    fn write_bytes(&mut self, spot: Spot, bytes: usize, value: u128) -> Result<(), Stopped> {
        for (part, at) in (0..bytes).step_by(8).enumerate() {
            let piece = self.refreshed(advance(spot, at));
            let len = (bytes - at).min(8);
            if !self.state.lazy.is_empty() {
                self.overwrite_symbols(piece, len)?;
            }
            self.state.write(piece, len, (value >> (64 * part)) as u64);
        }
        if O::WATCHES {
            self.note(Note::Write { spot, bytes: bytes as u64, value });
        }
        Ok(())
    }

    fn load_wide(&mut self, dst: Reg, addr: Operand) -> Slow {
        let bits = self.bits(Operand::Reg(dst));
        let bytes = bits.div_ceil(8) as usize;
        let spot = self.locate_operand(addr, bytes, false)?;
        let visible = self.is_visible(spot, bytes, false);
        if !self.may_go(visible) {
            return WAIT;
        }
        self.steps += 1;
        let value = self.read_bytes(spot, bytes)?;
        self.set_register(dst, narrow(value, bits));
        DONE
    }

    fn store_wide(&mut self, ty: Ty, addr: Operand, value: Operand) -> Slow {
        let bytes = ty.bytes(self.code.program.data_model) as usize;
        let spot = self.locate_operand(addr, bytes, true)?;
        let visible = self.is_visible(spot, bytes, true);
        if !self.may_go(visible) {
            return WAIT;
        }
        self.steps += 1;
        let value = self.operand(value);
        self.write_bytes(spot, bytes, value)?;
        DONE
    }

    fn rmw(&mut self, dst: Reg, op: RmwOp, addr: Operand, value: Operand) -> Slow {
        let ty = self.ty(Operand::Reg(dst));
        let bits = self.bits(Operand::Reg(dst));
        let bytes = bits.div_ceil(8) as usize;
        let spot = self.locate_operand(addr, bytes, true)?;
        let visible = self.is_visible(spot, bytes, true);
        if !self.may_go(visible) {
            return WAIT;
        }
        self.steps += 1;
        let value = self.operand(value);
        let old = narrow(self.read_bytes(spot, bytes)?, bits);
        let spot = self.refreshed(spot);
        let pick = |left: bool| if left { old } else { value };
        let new = match op {
            RmwOp::Exchange => value,
            RmwOp::Add => old.wrapping_add(value),
            RmwOp::Sub => old.wrapping_sub(value),
            RmwOp::And => old & value,
            RmwOp::Nand => !(old & value),
            RmwOp::Or => old | value,
            RmwOp::Xor => old ^ value,
            RmwOp::Max => pick(signed(old, bits) >= signed(value, bits)),
            RmwOp::Min => pick(signed(old, bits) <= signed(value, bits)),
            RmwOp::UMax => pick(old >= value),
            RmwOp::UMin => pick(old <= value),
            RmwOp::FAdd => float_binary(FloatBinOp::Add, ty, old, value),
            RmwOp::FSub => float_binary(FloatBinOp::Sub, ty, old, value),
        };
        self.write_bytes(spot, bytes, narrow(new, bits))?;
        self.set_register(dst, old);
        DONE
    }

    fn compare_exchange(&mut self, old: Reg, success: Reg, addr: Operand, expected: Operand, new: Operand) -> Slow {
        let bits = self.bits(Operand::Reg(old));
        let bytes = bits.div_ceil(8) as usize;
        let spot = self.locate_operand(addr, bytes, true)?;
        let visible = self.is_visible(spot, bytes, true);
        if !self.may_go(visible) {
            return WAIT;
        }
        self.steps += 1;
        let (expected, new) = (self.operand(expected), self.operand(new));
        let found = narrow(self.read_bytes(spot, bytes)?, bits);
        let spot = self.refreshed(spot);
        if found == expected {
            self.write_bytes(spot, bytes, new)?;
        }
        self.set_register(old, found);
        self.set_register(success, u128::from(found == expected));
        DONE
    }

    fn alloca(&mut self, dst: Reg, size: Operand, padding: &[(u32, u32)]) -> Result<(), Stopped> {
        let size = self.operand(size) as u64;
        let index = self.stack_object(size, true)?;
        for (from, to) in padding {
            self.state.mark_initialised(self.thread, index, *from as usize, (*to - *from) as usize);
        }
        let pointer = self.code.layout.pointers.dynamic(self.thread, index);
        self.set_register(dst, u128::from(pointer));
        Ok(())
    }

    fn nondet(&mut self, dst: Reg, range: Option<(Operand, Operand)>) -> Result<(), Stopped> {
        let bits = self.bits(Operand::Reg(dst));
        let range = range.map(|(low, high)| (self.operand(low) as u64, self.operand(high) as u64));
        if let Some((low, high)) = range
            && low > high
        {
            return Err(Stopped::Infeasible);
        }
        let function = self.code.function(self.code.from[self.pc as usize].function);
        let slot = usize::from(function.slots.of[dst].first);
        self.state.lazy.drop_register(self.thread, self.base + FRAME_HEADER + slot);
        let value = self.new_input(bits, range, slot)?;
        self.set_register(dst, value);
        if O::WATCHES {
            self.note(Note::Input { value });
        }
        Ok(())
    }

    fn copy_bytes(&mut self, dst: Operand, src: Operand, len: Operand, may_overlap: bool) -> Slow {
        let len = self.operand(len) as u64;
        let (to, from) = (self.operand(dst) as u64, self.operand(src) as u64);
        if len == 0 {
            if !self.may_go(self.sharing.everything) {
                return WAIT;
            }
            self.steps += 1;
            return DONE;
        }
        let source = self.locate(from, len, false)?;
        let target = self.locate(to, len, true)?;
        let distance = to.abs_diff(from);
        if !may_overlap && distance != 0 && distance < len && self.properties().contains(Property::Memory) {
            return Err(self.violation(Property::Memory, "copies between overlapping places with memcpy".to_string()));
        }
        let len = len as usize;
        let visible = self.is_visible(source, len, false) | self.is_visible(target, len, true);
        if !self.may_go(visible) {
            return WAIT;
        }
        self.steps += 1;
        self.move_bytes(source, target, len)?;
        DONE
    }

    /// Copies what is there, also uninitialised bytes and symbols.
    fn move_bytes(&mut self, source: Spot, target: Spot, len: usize) -> Result<(), Stopped> {
        // Everything is read before anything is written, so overlap needs no care.
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < len {
            let spot = self.refreshed(advance(source, at));
            let (bytes, what) = self.piece(spot, len - at)?;
            if O::WATCHES
                && let Piece::Plain(value) = what
            {
                self.note(Note::Read { spot, bytes: bytes as u64, value: u128::from(value) });
            }
            pieces.push((at, bytes, what));
            at += bytes;
        }
        if !self.state.lazy.is_empty() {
            self.overwrite_symbols(target, len)?;
        }
        for (at, bytes, what) in pieces {
            let spot = self.refreshed(advance(target, at));
            match what {
                Piece::Plain(value) => {
                    self.state.write(spot, bytes, value);
                    if O::WATCHES {
                        self.note(Note::Write { spot, bytes: bytes as u64, value: u128::from(value) });
                    }
                }
                Piece::Symbol(view) => {
                    self.state.write(spot, bytes, 0);
                    self.put_symbol(spot, view);
                }
                Piece::Uninitialised => self.spread_uninitialised(spot, bytes)?,
            }
        }
        Ok(())
    }

    /// The next few bytes that are all of one sort.
    fn piece(&mut self, spot: Spot, left: usize) -> Result<(usize, Piece), Stopped> {
        let at = match spot {
            Spot::Constant { at } | Spot::Variable { at } => at,
            Spot::Object { offset, .. } => offset,
        };
        for bytes in [8, 4, 2, 1] {
            if bytes > left || at % bytes != 0 {
                continue;
            }
            let initialised = match spot {
                Spot::Object { thread, index, offset, .. } => self.state.initialised(thread, index, offset, bytes),
                _ => Initialised::Fully,
            };
            match initialised {
                Initialised::Not => return Ok((bytes, Piece::Uninitialised)),
                Initialised::Partly => continue,
                Initialised::Fully => {}
            }
            if let Some(view) = self.exact_symbol(spot, bytes) {
                return Ok((bytes, Piece::Symbol(view)));
            }
            if bytes > 1 && self.has_symbol(spot, bytes) {
                continue;
            }
            if bytes == 1 && !self.state.lazy.is_empty() {
                self.symbols_in(spot, 1, false)?;
            }
            return Ok((bytes, Piece::Plain(self.state.read(&self.code.layout, spot, bytes))));
        }
        Err(self.unsupported("a copy of partly uninitialised bytes"))
    }

    /// Uninitialised bytes are copied: the target's become so too, or an input where it keeps no
    /// record of that.
    fn spread_uninitialised(&mut self, spot: Spot, bytes: usize) -> Result<(), Stopped> {
        if let Spot::Object { thread, index, offset, .. } = spot
            && (offset..offset + bytes).all(|byte| self.state.mark_uninitialised(thread, index, byte))
        {
            return Ok(());
        }
        self.fill_with_input(spot, bytes)
    }

    fn set_bytes(&mut self, dst: Operand, byte: Operand, len: Operand) -> Slow {
        let len = self.operand(len) as u64;
        if len == 0 {
            if !self.may_go(self.sharing.everything) {
                return WAIT;
            }
            self.steps += 1;
            return DONE;
        }
        let target = self.locate_operand(dst, len as usize, true)?;
        let len = len as usize;
        let visible = self.is_visible(target, len, true);
        if !self.may_go(visible) {
            return WAIT;
        }
        self.steps += 1;
        let value = u64::from_le_bytes([self.operand(byte) as u8; 8]);
        if !self.state.lazy.is_empty() {
            self.overwrite_symbols(target, len)?;
        }
        for at in (0..len).step_by(8) {
            let spot = self.refreshed(advance(target, at));
            self.state.write(spot, (len - at).min(8), value);
        }
        if O::WATCHES {
            self.note(Note::Write { spot: target, bytes: len as u64, value: u128::from(value as u8) });
        }
        DONE
    }

    fn intrinsic(&mut self, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) -> Slow {
        let arg = |number: usize| args.get(number).map_or(0, |a| self.operand(*a)) as u64;
        let result = match which {
            Intrinsic::SelfId => self.thread as u64,
            Intrinsic::Threads => self.state.threads.len() as u64,
            Intrinsic::Spawn => {
                let (first, second) = (arg(1), arg(2));
                let function = self.function_at(arg(0))?;
                let visible = self.sharing.everything || !self.alone && self.sharing.create(self.thread);
                if !self.may_go(visible) {
                    return WAIT;
                }
                self.steps += 1;
                self.create(function, &[first, second])? as u64
            }
            Intrinsic::Finished | Intrinsic::PollFinished => {
                let thread = arg(0) as usize;
                let asks = which == Intrinsic::PollFinished;
                let visible = if asks && !self.alone { self.sharing.end(true) } else { true };
                if !self.may_go(visible || self.sharing.everything) {
                    return WAIT;
                }
                self.steps += 1;
                let finished = self.state.threads.get(thread).is_none_or(|t| !t.stack.is_empty() && t.is_finished());
                u64::from(finished && thread != self.thread)
            }
            Intrinsic::ThreadExit => return Ok(Some(self.end_thread())),
            Intrinsic::ProcessExit => {
                if !self.may_go(!self.alone || self.sharing.everything) {
                    return WAIT;
                }
                self.steps += 1;
                self.check_leaks()?;
                return Ok(Some(Ended::Exited));
            }
            Intrinsic::TlsOf => self.other_copy(arg(0), arg(1))?,
            Intrinsic::Alloc => {
                let index = self.new_object(Kind::Heap, arg(0), self.user_site(), 0, 0, true)?;
                self.code.layout.pointers.dynamic(self.thread, index)
            }
            Intrinsic::Free => return self.free(arg(0)),
            Intrinsic::ObjectSize => match memory::target(&self.state, &self.code.layout, arg(0)) {
                Ok((Target::Global { size, .. }, _)) => size,
                Ok((Target::Object { object, .. }, _)) if object.is_live() => u64::from(object.size),
                _ => 0,
            },
            Intrinsic::ObjectOffset => match memory::target(&self.state, &self.code.layout, arg(0)) {
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
                self.steps += 1;
                0
            }
            Intrinsic::SetJmp => {
                let buffer = arg(0);
                let spot = self.locate(buffer, 16, true)?;
                let mark = u128::from(self.pc) | u128::from(self.depth) << 32 | (self.base as u128) << 64;
                self.write_bytes(spot, 16, mark)?;
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
            | Intrinsic::Assume => 0,
        };
        if let Some(dst) = dst {
            let bits = self.bits(Operand::Reg(dst));
            self.set_register(dst, narrow(u128::from(result), bits));
        }
        DONE
    }

    fn other_copy(&mut self, thread: u64, mine: u64) -> Result<u64, Stopped> {
        let pointers = self.code.layout.pointers;
        match pointers.split(mine) {
            (Slot::Dynamic { index, .. }, offset) if (thread as usize) < self.state.threads.len() => {
                Ok(pointers.dynamic(thread as usize, index) + offset)
            }
            _ => Err(self.violation(Property::Thread, "names a thread that does not exist".to_string())),
        }
    }

    fn free(&mut self, pointer: u64) -> Slow {
        let (owner, index, object) = match self.state.freeable(&self.code.layout, pointer) {
            Ok(found) => found,
            Err(Fault::Wild) => return Err(self.violation(Property::Memory, "frees a pointer to nothing".to_string())),
            Err(fault) => {
                self.come_too_late(pointer, 1, true);
                return Err(self.fault(fault, "frees", 0));
            }
        };
        let visible = self.sharing.everything
            || !self.alone
                && self.sharing.object(object.site, 0, object.size as usize, owner == self.thread, true, self.held);
        if !self.may_go(visible) {
            return WAIT;
        }
        self.steps += 1;
        if O::WATCHES {
            self.note(Note::Freed { owner, index });
        }
        self.state.lazy.drop_object(owner, index);
        self.state.kill(owner, index);
        DONE
    }

    /// Goes back to where the buffer was filled; its function must still be active.
    fn long_jump(&mut self, buffer: u64, value: u32) -> Slow {
        let spot = self.locate(buffer, 16, false)?;
        let mark = self.read_bytes(spot, 16)?;
        let (pc, depth, base) = (mark as u32, (mark >> 32) as u32, (mark >> 64) as usize);
        let is_setjmp = matches!(
            self.code.ins.get(pc as usize).and_then(|_| self.code.op(pc)),
            Some(Op::Intrinsic { which: Intrinsic::SetJmp, .. })
        );
        if !is_setjmp || depth > self.depth || base > self.base {
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
        self.state.lazy.drop_frame(self.thread, self.stack.len());
        self.pc = pc;
        if let Some(Op::Intrinsic { dst: Some(dst), .. }) = self.code.op(pc) {
            self.set_register(*dst, u128::from(value.max(1)));
        }
        DONE
    }

    /// At the end of the process: heap objects that nothing reaches any more.
    fn check_leaks(&mut self) -> Result<(), Stopped> {
        if !self.properties().contains(Property::Leak) {
            return Ok(());
        }
        // What the caller of exit() still holds is not lost.
        std::mem::swap(&mut self.state.threads[self.thread].stack, &mut self.stack);
        let lost = self.state.lost_objects(&self.code.layout);
        std::mem::swap(&mut self.state.threads[self.thread].stack, &mut self.stack);
        match lost.first() {
            None => Ok(()),
            Some((_, object)) => {
                let loc = self.code.loc(object.site);
                let at = self.code.program.source.describe(loc);
                let text = format!("{} bytes allocated at {at} are lost", object.size);
                match self.violation(Property::Leak, text) {
                    Stopped::Violation(mut violation) => {
                        violation.loc = loc;
                        Err(Stopped::Violation(violation))
                    }
                    other => Err(other),
                }
            }
        }
    }
}

/// What a few bytes hold.
enum Piece {
    Plain(u64),
    Symbol(crate::lazy::View),
    Uninitialised,
}

fn advance(spot: Spot, by: usize) -> Spot {
    match spot {
        Spot::Constant { at } => Spot::Constant { at: at + by },
        Spot::Variable { at } => Spot::Variable { at: at + by },
        Spot::Object { thread, index, offset, at, site, uninitialised } => {
            Spot::Object { thread, index, offset: offset + by, at: at + by, site, uninitialised }
        }
    }
}

fn narrow(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// On at most 64 bits.
#[inline]
pub fn sign_extend(value: u64, bits: u8) -> i64 {
    let unused = 64 - u32::from(bits);
    ((value << unused) as i64) >> unused
}

fn signed(value: u128, bits: u32) -> i128 {
    let unused = 128 - bits;
    ((value << unused) as i128) >> unused
}

/// With wrap-around. Divisors are not zero, shifts are in range.
fn binary(op: BinOp, a: u128, b: u128, bits: u32) -> u128 {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a / b,
        BinOp::SDiv => sa.wrapping_div(sb) as u128,
        BinOp::URem => a % b,
        BinOp::SRem => sa.wrapping_rem(sb) as u128,
        BinOp::Shl => a << b,
        BinOp::LShr => a >> b,
        BinOp::AShr => (sa >> b) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    narrow(value, bits)
}

/// The wrapped result, and whether it differs from the true one. Only of add, sub and mul.
fn overflowing(op: BinOp, is_signed: bool, a: u128, b: u128, bits: u32) -> (u128, bool) {
    let value = binary(op, a, b, bits);
    let wrapped = if is_signed {
        let (a, b) = (signed(a, bits), signed(b, bits));
        let exact = match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            _ => a.checked_mul(b),
        };
        exact != Some(signed(value, bits))
    } else {
        let exact = match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            _ => a.checked_mul(b),
        };
        exact != Some(value)
    };
    (value, wrapped)
}

fn unary(op: UnOp, a: u128, bits: u32) -> u128 {
    match op {
        UnOp::CountOnes => u128::from(a.count_ones()),
        UnOp::CountLeadingZeros => u128::from(a.leading_zeros() - (128 - bits)),
        UnOp::CountTrailingZeros => u128::from(a.trailing_zeros().min(bits)),
        UnOp::SwapBytes => a.swap_bytes() >> (128 - bits),
        UnOp::ReverseBits => a.reverse_bits() >> (128 - bits),
    }
}

fn compare(op: CmpOp, a: u128, b: u128, bits: u32) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => sa < sb,
        CmpOp::Sle => sa <= sb,
        CmpOp::Sgt => sa > sb,
        CmpOp::Sge => sa >= sb,
    }
}

pub(crate) fn as_f64(ty: Ty, bits: u128) -> f64 {
    match ty {
        Ty::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

fn from_f64(ty: Ty, value: f64) -> u128 {
    match ty {
        Ty::F32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

/// Computing in double and rounding once is exact for float's +, -, *, / and sqrt (Figueroa, 1995).
fn float_binary(op: FloatBinOp, ty: Ty, a: u128, b: u128) -> u128 {
    let (a, b) = (as_f64(ty, a), as_f64(ty, b));
    let value = match op {
        FloatBinOp::Add => a + b,
        FloatBinOp::Sub => a - b,
        FloatBinOp::Mul => a * b,
        FloatBinOp::Div => a / b,
        FloatBinOp::Rem => a % b,
        FloatBinOp::Min => a.min(b),
        FloatBinOp::Max => a.max(b),
        FloatBinOp::CopySign => a.copysign(b),
    };
    from_f64(ty, value)
}

fn float_unary(op: FloatUnOp, ty: Ty, a: u128) -> u128 {
    let a = as_f64(ty, a);
    let value = match op {
        FloatUnOp::Neg => -a,
        FloatUnOp::Abs => a.abs(),
        FloatUnOp::Sqrt => a.sqrt(),
        FloatUnOp::Floor => a.floor(),
        FloatUnOp::Ceil => a.ceil(),
        FloatUnOp::Trunc => a.trunc(),
        FloatUnOp::Round => a.round(),
        FloatUnOp::RoundEven => a.round_ties_even(),
    };
    from_f64(ty, value)
}

fn float_compare(op: FloatCmpOp, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match op {
        FloatCmpOp::False => false,
        FloatCmpOp::Oeq => a == b,
        FloatCmpOp::Ogt => a > b,
        FloatCmpOp::Oge => a >= b,
        FloatCmpOp::Olt => a < b,
        FloatCmpOp::Ole => a <= b,
        FloatCmpOp::One => !unordered && a != b,
        FloatCmpOp::Ord => !unordered,
        FloatCmpOp::Ueq => unordered || a == b,
        FloatCmpOp::Ugt => unordered || a > b,
        FloatCmpOp::Uge => unordered || a >= b,
        FloatCmpOp::Ult => unordered || a < b,
        FloatCmpOp::Ule => unordered || a <= b,
        FloatCmpOp::Une => unordered || a != b,
        FloatCmpOp::Uno => unordered,
        FloatCmpOp::True => true,
    }
}

fn convert(cast: Cast, value: u128, from: Ty, to: Ty, to_bits: u32, from_bits: u32) -> u128 {
    let converted = match cast {
        Cast::ZeroExtend | Cast::Truncate | Cast::Reinterpret | Cast::PtrToInt | Cast::IntToPtr => value,
        Cast::SignExtend => signed(value, from_bits) as u128,
        Cast::FloatToSigned => as_f64(from, value) as i128 as u128,
        Cast::FloatToUnsigned => as_f64(from, value) as u128,
        Cast::SignedToFloat => match to {
            Ty::F32 => u128::from((signed(value, from_bits) as f32).to_bits()),
            _ => from_f64(to, signed(value, from_bits) as f64),
        },
        Cast::UnsignedToFloat => match to {
            Ty::F32 => u128::from((value as f32).to_bits()),
            _ => from_f64(to, value as f64),
        },
        Cast::FloatToFloat => from_f64(to, as_f64(from, value)),
    };
    narrow(converted, to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrap_around() {
        assert_eq!(binary(BinOp::Add, 0xff, 1, 8), 0);
        assert_eq!(binary(BinOp::SDiv, 0xf9, 2, 8), 0xfd, "-7 / 2 = -3");
        assert_eq!(binary(BinOp::AShr, 0x80, 3, 8), 0xf0);
        assert_eq!(overflowing(BinOp::Add, true, 0x7f, 1, 8), (0x80, true));
        assert_eq!(overflowing(BinOp::Sub, false, 0, 1, 8), (0xff, true));
        assert_eq!(overflowing(BinOp::Mul, false, 16, 15, 8), (240, false));
        assert_eq!(unary(UnOp::CountLeadingZeros, 1, 8), 7);
        assert_eq!(unary(UnOp::SwapBytes, 0x1234, 16), 0x3412);
    }

    #[test]
    fn floats() {
        let f = |x: f32| u128::from(x.to_bits());
        assert_eq!(float_binary(FloatBinOp::Add, Ty::F32, f(0.1), f(0.2)), f(0.1 + 0.2));
        assert!(float_compare(FloatCmpOp::Uno, f64::NAN, 0.0));
        assert!(!float_compare(FloatCmpOp::One, f64::NAN, 0.0));
        assert_eq!(convert(Cast::FloatToSigned, f(-1.5), Ty::F32, Ty::Int(32), 32, 32), 0xffff_ffff);
    }
}
