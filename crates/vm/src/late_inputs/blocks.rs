//! Remainders and quotients of open inputs, as in `rand() % n`.
//!
//! A known divisor `n` cuts the numbers into blocks, from one multiple of `n` to the next. Within a block the remainder
//! is the number plus a constant, and the quotient is constant. So an input of which a block is left stays open. Where
//! it has a few blocks, one is chosen. Where it has many, and nothing else will ever be known of the input than this
//! remainder, all whole blocks are alike, and the first of them is as good as any: `usleep(rand() % 1000)` leaves
//! nothing to choose.

use super::{Holder, Symbol, View, mask};
use crate::machine::Machine;
use crate::oracle::{Oracle, Stopped};
use crate::state::FRAME_HEADER;
use selvedge_program::semantics::narrow;
use selvedge_program::{BinOp, Operand, Reg};

/// An operation by a known number: what a block is, and what becomes of the numbers in it.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    length: u64,
    is_signed: bool,
    result: InBlock,
}

#[derive(Clone, Copy)]
enum InBlock {
    Remainder,
    Quotient,
}

impl Blocks {
    pub fn of(op: BinOp, bits: u8, by: u64) -> Option<Blocks> {
        use InBlock::{Quotient, Remainder};
        let (length, is_signed, result) = match op {
            BinOp::URem => (by, false, Remainder),
            BinOp::SRem => (by, true, Remainder),
            BinOp::UDiv => (by, false, Quotient),
            BinOp::SDiv => (by, true, Quotient),
            BinOp::And => (by.checked_add(1).filter(|length| length.is_power_of_two())?, false, Remainder),
            BinOp::LShr if by < u64::from(bits) => (1 << by, false, Quotient),
            _ => return None,
        };
        (length != 0 && (!is_signed || narrow::signed(bits, length) > 0)).then_some(Blocks {
            length,
            is_signed,
            result,
        })
    }
}

impl<O: Oracle> Machine<'_, O> {
    /// Gives `dst` the result for a block of the values that are left. False if there are too many blocks.
    pub(super) fn blockwise(&mut self, dst: Reg, view: View, blocks: Blocks) -> Result<bool, Stopped> {
        // Numbers that neither wrap around nor change their sign.
        let sign = 1 << (view.bits - 1);
        let edges = [sign];
        self.cut(view, if blocks.is_signed { &edges } else { &[] })?;
        // A multiple has its value by now, which may have been one of a few samples.
        let Symbol { low, high, .. } = self.state.late_inputs.symbols[view.symbol as usize];
        let (from, to) = (view.of(low), view.of(high));
        let length = blocks.length;
        // A signed division rounds towards zero: blocks of negative numbers are mirrored.
        let is_negative = blocks.is_signed && from & sign != 0;
        let magnitude = |value: u64| if is_negative { value.wrapping_neg() & mask(view.bits) } else { value };
        let (least, most) = if is_negative { (magnitude(to), magnitude(from)) } else { (from, to) };
        let (first, last) = (least / length, most / length);
        if first != last {
            let whole = least.div_ceil(length);
            let has_whole =
                whole.checked_mul(length).and_then(|at| at.checked_add(length - 1)).is_some_and(|end| end <= most);
            if matches!(blocks.result, InBlock::Remainder) && has_whole && self.is_last_use(view, dst) {
                let (a, b) = (whole * length, whole * length + (length - 1));
                let (a, b) = if is_negative { (magnitude(b), magnitude(a)) } else { (a, b) };
                self.narrow(view.symbol, low + a.wrapping_sub(from), low + b.wrapping_sub(from));
            } else if last - first < self.max_input_values {
                let after = u64::from(is_negative);
                let points: Vec<u64> = (first + 1..=last).map(|n| magnitude(n * length).wrapping_add(after)).collect();
                self.cut(view, &points)?;
            } else {
                return Ok(false);
            }
        }
        let Symbol { low, .. } = self.state.late_inputs.symbols[view.symbol as usize];
        let at = view.of(low);
        let quotient = magnitude(at) / length;
        match blocks.result {
            InBlock::Remainder if view.factor == 1 => {
                self.give(dst, View { add: view.add.wrapping_sub(magnitude(quotient * length)), ..view });
            }
            InBlock::Remainder => {
                self.forget(dst);
                self.set_register(dst, u128::from(at.wrapping_sub(magnitude(quotient * length)) & mask(view.bits)));
            }
            InBlock::Quotient => {
                self.forget(dst);
                self.set_register(dst, u128::from(magnitude(quotient)));
            }
        }
        Ok(true)
    }

    /// Whether nothing is left of the input once `dst` has the result. An atomic section may be undone as long as
    /// it blocks, and then this use was not the last one.
    fn is_last_use(&self, view: View, dst: Reg) -> bool {
        let is_undone = self.atomic > 0 && (view.symbol as usize) < self.symbols_before;
        let overwritten = self.slot_of(Operand::Reg(dst));
        let frame = (self.base + FRAME_HEADER) as u32;
        let slots = self.code.function(self.code.from[self.pc as usize].function).slots.count;
        let live = self.code.live_slots(self.pc + 1, slots);
        let is_dead = |holder: Holder| match holder {
            Holder::Register { thread, at } if thread as usize == self.thread && at >= frame => {
                let slot = (at - frame) as usize;
                Some(slot) == overwritten || slot < slots && live[slot / 64] >> (slot % 64) & 1 == 0
            }
            _ => false,
        };
        !is_undone && self.state.late_inputs.views_of(view.symbol).all(|(holder, _)| is_dead(holder))
    }
}
