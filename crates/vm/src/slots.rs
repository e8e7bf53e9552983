//! Register allocation for the VM: registers that are never live together share a slot of the frame.
//!
//! Frames are part of every stored state, so they should be short: a function with sixty
//! temporaries needs six slots. Linear scan over live intervals (Poletto and Sarkar, 1999), where an
//! interval is the hull of all places at which the register is live in layout order. There is no
//! spilling: a frame may have as many slots as it likes.

use selvedge_passes::liveness::Liveness;
use selvedge_program::{DataModel, EntityRef, Function, Operand, Reg, SecondaryMap};

/// The slots of each register: one, or two for more than 64 bits.
pub struct Slots {
    pub of: SecondaryMap<Reg, Assigned>,
    pub count: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assigned {
    pub first: u16,
    pub wide: bool,
}

#[derive(Clone, Copy)]
struct Interval {
    start: u32,
    end: u32,
}

pub fn assign(function: &Function, liveness: &Liveness, model: DataModel) -> Slots {
    let mut intervals: Vec<Option<Interval>> = vec![None; function.regs.len()];
    let mut touch = |reg: Reg, at: u32| {
        let interval = intervals[reg.index()].get_or_insert(Interval { start: at, end: at });
        interval.start = interval.start.min(at);
        interval.end = interval.end.max(at);
    };
    for param in &function.params {
        touch(*param, 0);
    }
    let mut position = 1;
    for (id, block) in &function.blocks {
        liveness.live_in[id].ones().for_each(|reg| touch(Reg::new(reg), position));
        for inst in &block.insts {
            inst.op.for_each_use(|operand| {
                if let Operand::Reg(reg) = operand {
                    touch(reg, position);
                }
            });
            // A result must not share its slot with anything that the operation still reads, since it could be
            // written first. Nor may two results share a slot.
            inst.op.defs().into_iter().for_each(|reg| {
                touch(reg, position);
                touch(reg, position + 1);
            });
            position += 1;
        }
        block.term.for_each_use(|operand| {
            if let Operand::Reg(reg) = operand {
                touch(reg, position);
            }
        });
        liveness.live_out[id].ones().for_each(|reg| touch(Reg::new(reg), position + 1));
        position += 2;
    }

    let mut order: Vec<Reg> = function.regs.keys().filter(|r| intervals[r.index()].is_some()).collect();
    order.sort_by_key(|r| (intervals[r.index()].map(|i| i.start), r.index()));
    let mut slots = Slots { of: SecondaryMap::new(), count: 0 };
    let mut busy_until: Vec<u32> = Vec::new();
    for reg in order {
        let Some(interval) = intervals[reg.index()] else { continue };
        let wide = function.regs[reg].ty.bits(model) > 64;
        let width = if wide { 2 } else { 1 };
        let first = (0..)
            .find(|&first| {
                (first..first + width).all(|slot| busy_until.get(slot).is_none_or(|end| *end < interval.start))
            })
            .unwrap_or(0);
        busy_until.resize(busy_until.len().max(first + width), 0);
        busy_until[first..first + width].fill(interval.end);
        slots.of[reg] = Assigned { first: first as u16, wide };
    }
    slots.count = busy_until.len();
    slots
}
