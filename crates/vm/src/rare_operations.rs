//! Operations that are too rare to have an instruction of their own: floats, wide integers,
//! division, atomic read-modify-write, blocks of memory. They are interpreted straight from the program.

use crate::machine::Machine;
use crate::memory::{Initialised, Spot};
use crate::oracle::{Ended, Note, Oracle, Stopped};
use crate::state::FRAME_HEADER;
use crate::store_buffer::StoreWay;
use selvedge_program::semantics::casts::convert;
use selvedge_program::semantics::integers::{binary, compare, overflows, shift_amount, signed, truncate, unary};
use selvedge_program::semantics::{floats, modify};
use selvedge_program::{BinOp, Computation, Op, Operand, Property, Reg, RmwOp, Ty};

/// `Ok(None)` goes on with the next instruction; with `Ok(Some(…))` the step ends here.
pub(crate) type OpResult = Result<Option<Ended>, Stopped>;
pub(crate) const DONE: OpResult = Ok(None);
pub(crate) const WAIT: OpResult = Ok(Some(Ended::Paused));

impl<O: Oracle> Machine<'_, O> {
    fn ty(&self, operand: Operand) -> Ty {
        let program = self.code.program;
        program.type_of(&program.functions[self.code.from[self.pc as usize].function], operand)
    }

    pub(crate) fn bits(&self, operand: Operand) -> u32 {
        self.ty(operand).bits(self.code.program.data_model)
    }

    pub(crate) fn rare_operation(&mut self) -> OpResult {
        let Some(op) = self.code.op(self.pc) else { return DONE };
        match *op {
            Op::Compute(computation) => self.compute(computation)?,
            Op::Load { dst, addr, .. } => return self.load_wide(dst, addr),
            Op::Store { ty, addr, value, .. } => return self.store_wide(ty, addr, value),
            Op::Rmw { dst, op, addr, value, .. } => return self.rmw(dst, op, addr, value),
            Op::CmpXchg { old, success, addr, expected, new, .. } => {
                return self.compare_exchange(old, success, addr, expected, new);
            }
            Op::Fence { .. } => {
                if !self.fence(op)? {
                    return WAIT;
                }
            }
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
                if self.properties().contains(property) && !self.is_suppressed(property) {
                    return Err(self.violation(property, text.clone()));
                }
                if property == Property::Abort {
                    self.ends.note_unchecked(property, self.user_loc());
                }
            }
            Op::Unsupported { ref what } => return Err(self.unsupported(what)),
        }
        DONE
    }

    fn compute(&mut self, computation: Computation) -> Result<(), Stopped> {
        match computation {
            Computation::Copy { dst, src } => self.set_register(dst, self.operand(src)),
            Computation::Binary { dst, op, a, b, checked } => {
                let value = self.binary(op, a, b, checked)?;
                self.set_register(dst, value);
            }
            Computation::Overflowing { dst, overflow, op, signed, a, b } => {
                let bits = self.bits(a);
                let (a, b) = (self.operand(a), self.operand(b));
                self.set_register(dst, binary(op, bits, a, b).unwrap_or(0));
                self.set_register(overflow, u128::from(overflows(op, signed, bits, a, b)));
            }
            Computation::Unary { dst, op, a } => {
                let value = unary(op, self.bits(a), self.operand(a));
                self.set_register(dst, value);
            }
            Computation::Compare { dst, op, a, b } => {
                let value = compare(op, self.bits(a), self.operand(a), self.operand(b));
                self.set_register(dst, u128::from(value));
            }
            Computation::FloatBinary { dst, op, a, b } => {
                let value = floats::binary(op, self.ty(a), self.operand(a), self.operand(b));
                self.set_register(dst, value);
            }
            Computation::FloatUnary { dst, op, a } => {
                let value = floats::unary(op, self.ty(a), self.operand(a));
                self.set_register(dst, value);
            }
            Computation::FloatCompare { dst, op, a, b } => {
                let value = floats::compare(op, self.ty(a), self.operand(a), self.operand(b));
                self.set_register(dst, u128::from(value));
            }
            Computation::Cast { dst, cast, src } => {
                let to = self.ty(Operand::Reg(dst));
                let value = convert(cast, self.code.program.data_model, self.ty(src), to, self.operand(src));
                self.set_register(dst, value);
            }
            Computation::Select { dst, cond, a, b } => {
                let value = if self.operand(cond) & 1 == 1 { self.operand(a) } else { self.operand(b) };
                self.set_register(dst, value);
            }
            Computation::Field { dst, base, bytes, .. } => {
                let value = self.state.moved(&self.code.layout, self.operand(base) as u64, i128::from(bytes));
                self.set_register(dst, u128::from(value));
            }
            Computation::Index { .. } => {
                return Err(self.unsupported("an array index of more than 64 bits"));
            }
        }
        Ok(())
    }

    fn binary(&mut self, op: BinOp, a: Operand, b: Operand, checked: bool) -> Result<u128, Stopped> {
        let bits = self.bits(a);
        let (a, mut b) = (self.operand(a), self.operand(b));
        let is_shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        if is_shift && !self.properties().contains(Property::Arithmetic) {
            b = shift_amount(bits, b);
        }
        if checked && self.properties().contains(Property::Overflow) && overflows(op, true, bits, a, b) {
            return Err(self.violation(Property::Overflow, overflow(op, bits, a, b)));
        }
        binary(op, bits, a, b).ok_or_else(|| {
            let text = match b {
                _ if is_shift => format!("shifts a value of {bits} bits by {}", signed(bits, b)),
                0 => "divides by zero".to_string(),
                _ => "divides the smallest integer by -1".to_string(),
            };
            self.violation(Property::Arithmetic, text)
        })
    }

    fn locate_operand(&mut self, addr: Operand, bytes: usize, write: bool) -> Result<Spot, Stopped> {
        let pointer = self.operand(addr) as u64;
        self.locate(pointer, bytes as u64, write)
    }

    /// Reads at most 16 bytes.
    pub(crate) fn read_bytes(&mut self, spot: Spot, bytes: usize) -> Result<u128, Stopped> {
        let mut value = 0;
        for (part, at) in (0..bytes).step_by(8).enumerate() {
            let piece = self.refreshed(spot.advanced(at));
            let len = (bytes - at).min(8);
            let is_own = self.overlaps_own(piece, len);
            let word = if is_own { self.read_through(piece, len)? } else { self.read_memory(piece, len)? };
            value |= u128::from(word) << (64 * part);
        }
        if O::WATCHES {
            self.note(Note::Read { spot, bytes: bytes as u64, value });
        }
        Ok(value)
    }

    pub(crate) fn write_bytes(&mut self, spot: Spot, bytes: usize, value: u128) -> Result<(), Stopped> {
        for (part, at) in (0..bytes).step_by(8).enumerate() {
            let piece = self.refreshed(spot.advanced(at));
            let len = (bytes - at).min(8);
            if !self.state.late_inputs.is_empty() {
                self.overwrite_symbols(piece, len)?;
            }
            self.state.write(piece, len, (value >> (64 * part)) as u64);
        }
        if O::WATCHES {
            self.note(Note::Write { spot, bytes: bytes as u64, value });
        }
        Ok(())
    }

    /// Checks a load and counts it as a step; `None` if it must wait for its turn.
    fn begin_load(&mut self, addr: Operand, bytes: usize) -> Result<Option<Spot>, Stopped> {
        let spot = self.locate_operand(addr, bytes, false)?;
        let visible = self.is_visible(spot, bytes, false);
        if !self.may_go(visible) {
            return Ok(None);
        }
        self.count_step();
        Ok(Some(spot))
    }

    /// Checks a read-modify-write and counts it as a step; `None` if it must wait for its turn. The store buffer is
    /// empty then.
    fn begin_update(&mut self, addr: Operand, bytes: usize) -> Result<Option<Spot>, Stopped> {
        let spot = self.locate_operand(addr, bytes, true)?;
        let visible = self.is_visible(spot, bytes, true);
        if !self.may_go(visible || self.drains_visibly()) {
            return Ok(None);
        }
        self.count_step();
        self.drain()?;
        Ok(Some(self.refreshed(spot)))
    }

    fn load_wide(&mut self, dst: Reg, addr: Operand) -> OpResult {
        let bits = self.bits(Operand::Reg(dst));
        let bytes = bits.div_ceil(8) as usize;
        let Some(spot) = self.begin_load(addr, bytes)? else { return WAIT };
        let value = self.read_bytes(spot, bytes)?;
        self.set_register(dst, truncate(bits, value));
        DONE
    }

    fn store_wide(&mut self, ty: Ty, addr: Operand, value: Operand) -> OpResult {
        let bytes = ty.bytes(self.code.program.data_model) as usize;
        let spot = self.locate_operand(addr, bytes, true)?;
        let visible = self.is_visible(spot, bytes, true);
        let value = self.operand(value);
        match self.begin_store(spot, bytes, visible)? {
            StoreWay::Wait => return WAIT,
            StoreWay::Direct => self.write_bytes(self.refreshed(spot), bytes, value)?,
            StoreWay::Late => self.append_value(spot, bytes, value),
        }
        DONE
    }

    fn rmw(&mut self, dst: Reg, op: RmwOp, addr: Operand, value: Operand) -> OpResult {
        let ty = self.ty(Operand::Reg(dst));
        let bits = self.bits(Operand::Reg(dst));
        let bytes = bits.div_ceil(8) as usize;
        let Some(spot) = self.begin_update(addr, bytes)? else { return WAIT };
        let value = self.operand(value);
        let old = truncate(bits, self.read_bytes(spot, bytes)?);
        let spot = self.refreshed(spot);
        self.write_bytes(spot, bytes, modify(op, ty, bits, old, value))?;
        self.set_register(dst, old);
        DONE
    }

    fn compare_exchange(&mut self, old: Reg, success: Reg, addr: Operand, expected: Operand, new: Operand) -> OpResult {
        let bits = self.bits(Operand::Reg(old));
        let bytes = bits.div_ceil(8) as usize;
        let (before, pending, drains) = (self.touches(), self.pending_accesses(), self.has_stores);
        let Some(spot) = self.begin_update(addr, bytes)? else { return WAIT };
        let update = before..self.touches();
        let (expected, new) = (self.operand(expected), self.operand(new));
        let found = truncate(bits, self.read_bytes(spot, bytes)?);
        let spot = self.refreshed(spot);
        if found == expected {
            self.write_bytes(spot, bytes, new)?;
        } else {
            self.will_only_read_since(pending);
            if !drains {
                self.only_read(update);
            }
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
        let pointer = self.state.address(&self.code.layout, self.thread, index);
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
        self.state.late_inputs.drop_register(self.thread, self.base + FRAME_HEADER + slot);
        let value = self.new_input(bits, range, slot)?;
        self.set_register(dst, value);
        if O::WATCHES {
            self.note(Note::Input { value });
        }
        Ok(())
    }

    fn copy_bytes(&mut self, dst: Operand, src: Operand, len: Operand, may_overlap: bool) -> OpResult {
        let len = self.operand(len) as u64;
        let (to, from) = (self.operand(dst) as u64, self.operand(src) as u64);
        if len == 0 {
            if !self.may_go(self.sharing.everything) {
                return WAIT;
            }
            self.count_step();
            return DONE;
        }
        let source = self.locate(from, len, false)?;
        let target = self.locate(to, len, true)?;
        let distance = to.abs_diff(from);
        if !may_overlap && distance != 0 && distance < len && self.properties().contains(Property::Memory) {
            return Err(self.violation(Property::Memory, "copies between overlapping places with memcpy".to_string()));
        }
        let len = len as usize;
        self.moved += len;
        let reads = self.is_visible(source, len, false);
        let writes = self.is_visible(target, len, true);
        match self.begin_copy(target, len, reads, writes)? {
            StoreWay::Wait => return WAIT,
            StoreWay::Late => self.move_late(source, target, len)?,
            StoreWay::Direct if self.overlaps_own(source, len) => self.move_through(source, target, len)?,
            StoreWay::Direct => self.move_bytes(source, target, len)?,
        }
        DONE
    }

    /// Copies bytes, including symbols. Uninitialised bytes get a value, or a symbol, first, so that the copy equals
    /// the original.
    fn move_bytes(&mut self, source: Spot, target: Spot, len: usize) -> Result<(), Stopped> {
        // Everything is read before anything is written, so overlap is harmless.
        if !O::WATCHES
            && self.state.late_inputs.is_empty()
            && let Some(words) = self.state.read_all(&self.code.layout, source, len)
        {
            self.state.write_all(target, len, |from| words[from / 8]);
            return Ok(());
        }
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < len {
            let spot = self.refreshed(source.advanced(at));
            let (bytes, what) = self.piece(spot, len - at)?;
            let spot = self.refreshed(spot);
            if O::WATCHES
                && let Piece::Plain(value) = what
            {
                self.note(Note::Read { spot, bytes: bytes as u64, value: u128::from(value) });
            }
            pieces.push((at, bytes, what));
            at += bytes;
        }
        if !self.state.late_inputs.is_empty() {
            self.overwrite_symbols(target, len)?;
        }
        for (at, bytes, what) in pieces {
            let spot = self.refreshed(target.advanced(at));
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
            }
        }
        Ok(())
    }

    /// The next few bytes that are all of one kind. The object's bytes may have moved afterwards.
    fn piece(&mut self, mut spot: Spot, left: usize) -> Result<(usize, Piece), Stopped> {
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
                Initialised::Not => {
                    self.fill_with_input(spot, bytes)?;
                    spot = self.refreshed(spot);
                }
                Initialised::Partly => continue,
                Initialised::Fully => {}
            }
            if !self.state.late_inputs.is_empty() {
                self.split_at_edges(spot, bytes);
            }
            if let Some(view) = self.exact_symbol(spot, bytes) {
                return Ok((bytes, Piece::Symbol(view)));
            }
            if bytes > 1 && self.has_symbol(spot, bytes) {
                continue;
            }
            if bytes == 1 && !self.state.late_inputs.is_empty() {
                self.symbols_in(spot, 1, false)?;
            }
            return Ok((bytes, Piece::Plain(self.state.read(&self.code.layout, spot, bytes))));
        }
        unreachable!("a single byte is initialised or not")
    }

    fn set_bytes(&mut self, dst: Operand, byte: Operand, len: Operand) -> OpResult {
        let len = self.operand(len) as u64;
        if len == 0 {
            if !self.may_go(self.sharing.everything) {
                return WAIT;
            }
            self.count_step();
            return DONE;
        }
        let len = len as usize;
        let target = self.locate_operand(dst, len, true)?;
        self.moved += len;
        let visible = self.is_visible(target, len, true);
        let value = u64::from_le_bytes([self.operand(byte) as u8; 8]);
        match self.begin_store(target, len, visible)? {
            StoreWay::Wait => return WAIT,
            StoreWay::Late => {
                self.append_bytes(target, &vec![value as u8; len]);
                return DONE;
            }
            StoreWay::Direct => {}
        }
        if !self.state.late_inputs.is_empty() {
            self.overwrite_symbols(target, len)?;
        }
        self.state.write_all(target, len, |_| value);
        if O::WATCHES {
            self.note(Note::Write { spot: target, bytes: len as u64, value: u128::from(value as u8) });
        }
        DONE
    }
}

fn overflow(op: BinOp, bits: u32, a: u128, b: u128) -> String {
    let sign = [(BinOp::Add, "+"), (BinOp::Sub, "-"), (BinOp::Mul, "*"), (BinOp::Shl, "<<")];
    let sign = sign.into_iter().find(|(one, _)| *one == op).map_or_else(|| op.name(), |(_, sign)| sign);
    format!("overflows: {} {sign} {} in {bits} bits", signed(bits, a), signed(bits, b))
}

/// The contents of a few bytes.
enum Piece {
    Plain(u64),
    Symbol(crate::late_inputs::View),
}
