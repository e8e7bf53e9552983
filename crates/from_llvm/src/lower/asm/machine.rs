//! The instructions of x86 that programs use for synchronisation, as operations of ours. Registers of the machine are
//! registers of the function, flags are truth values, labels are blocks. `None` everywhere: not understood.

use selvedge_program::{
    BinOp, BlockId, CmpOp, Computation, Input, MemoryOrder, Op, Operand, PlaceId, Reg, RmwOp, Terminator, Ty,
};
use std::collections::HashMap;

use super::super::constants::mask;
use super::flags::Flags;
use super::places::{LOAD, Location, STORE, number};
use super::text::{Line, Place};
use super::{Body, Constraint, Kind, Slot};
use crate::ll;

const LOCKED: MemoryOrder = MemoryOrder::SeqCst;

pub struct Machine<'b, 'c, 'm> {
    pub(super) body: &'b mut Body<'c, 'm>,
    pub(super) call: &'b ll::Call,
    pub(super) constraints: &'b [Constraint],
    pub(super) slots: Vec<Slot>,
    pub(super) registers: HashMap<&'static str, Reg>,
    /// Registers that are no operand, and how many of their bits the text has written.
    pub(super) scratch: HashMap<Reg, u8>,
    /// Only if something reads them.
    pub(super) flags: Option<Flags>,
    /// Targets of jumps out of the text.
    labels: &'b [BlockId],
}

/// Two operands of a kind of arithmetic.
const ARITHMETIC: [(&str, BinOp, RmwOp); 5] = [
    ("add", BinOp::Add, RmwOp::Add),
    ("sub", BinOp::Sub, RmwOp::Sub),
    ("and", BinOp::And, RmwOp::And),
    ("or", BinOp::Or, RmwOp::Or),
    ("xor", BinOp::Xor, RmwOp::Xor),
];

const OTHERS: [&str; 17] = [
    "mov", "inc", "dec", "not", "neg", "xadd", "xchg", "cmpxchg", "cmp", "test", "bt", "bts", "btr", "btc", "sbb",
    "lea", "adc",
];

/// The instruction without its suffix, and the width that the suffix says.
fn instruction(name: &str) -> Option<(&str, Option<u8>)> {
    let known = |name: &str| OTHERS.contains(&name) || ARITHMETIC.iter().any(|(known, ..)| *known == name);
    if known(name) {
        return Some((name, None));
    }
    let width = match name.chars().last()? {
        'b' => 8,
        'w' => 16,
        'l' => 32,
        'q' => 64,
        _ => return None,
    };
    let stem = &name[..name.len() - 1];
    known(stem).then_some((stem, Some(width)))
}

/// Whether the first instruction that mentions the operand replaces all of it.
pub fn written_first(lines: &[Line], number: usize, constraint: &Constraint, ty: Ty) -> bool {
    let mentions = |place: &Place| match place {
        Place::Operand { number: mentioned, .. } => *mentioned == number,
        Place::Memory { base, .. } => matches!(**base, Place::Operand { number: mentioned, .. } if mentioned == number),
        _ => false,
    };
    let Some(Line::Instruction { name, operands, .. }) = lines.iter().find(|line| match line {
        Line::Instruction { name, operands, .. } => {
            // A fixed register may be read by its name, or implicitly.
            operands.iter().any(mentions) || name.starts_with("rdtsc") || matches!(constraint.kind, Kind::Fixed(_))
        }
        Line::Label(_) => true,
    }) else {
        return false;
    };
    if name.starts_with("rdtsc") {
        return matches!(constraint.kind, Kind::Fixed("ax" | "cx" | "dx"));
    }
    let [sources @ .., Place::Operand { number: to, width: None }] = &operands[..] else { return false };
    let replaces = match name.as_str() {
        set if set.starts_with("set") => ty == Ty::Int(8),
        "mov" | "movl" | "movq" => !sources.iter().any(mentions),
        "xorl" | "xorq" | "sbbl" | "sbbq" => sources.iter().all(mentions),
        _ => false,
    };
    replaces && *to == number
}

impl<'b, 'c, 'm> Machine<'b, 'c, 'm> {
    pub fn new(
        body: &'b mut Body<'c, 'm>,
        call: &'b ll::Call,
        constraints: &'b [Constraint],
        slots: Vec<Slot>,
        registers: HashMap<&'static str, Reg>,
        labels: &'b [BlockId],
    ) -> Self {
        Machine { body, call, constraints, slots, registers, scratch: HashMap::new(), flags: None, labels }
    }

    pub fn run(&mut self, lines: &[Line]) -> Option<()> {
        let reads_flags = |line: &Line| match line {
            Line::Instruction { name, .. } => {
                name.starts_with("set") || name.starts_with('j') || name.starts_with("sbb") || name.starts_with("adc")
            }
            Line::Label(_) => false,
        };
        let flag_output = self.slots.iter().any(|slot| matches!(slot, Slot::Flag));
        if flag_output || lines.iter().any(reads_flags) {
            let [zero, carry, sign, overflow] = [(); 4].map(|()| self.body.reg(Ty::BOOL));
            for dst in [zero, carry, sign, overflow] {
                self.body.emit(Computation::Copy { dst, src: Operand::bool(false) });
            }
            self.flags = Some(Flags { zero, carry, sign, overflow });
        }
        let blocks: Vec<Option<(&str, BlockId)>> = lines
            .iter()
            .map(|line| match line {
                Line::Label(name) => Some((name.as_str(), self.body.block("asm.label"))),
                Line::Instruction { .. } => None,
            })
            .collect();
        for (at, line) in lines.iter().enumerate() {
            match line {
                Line::Label(_) => {
                    let (_, block) = blocks[at]?;
                    if self.body.open {
                        self.body.end(Terminator::Jump(block));
                    }
                    self.body.current = block;
                    self.body.open = true;
                }
                // Behind a jump, up to the next label.
                Line::Instruction { .. } if !self.body.open => {}
                Line::Instruction { locked: false, name, operands } if name.starts_with('j') => {
                    self.jump(&name[1..], operands, at, &blocks)?;
                }
                Line::Instruction { locked, name, operands } => self.step(*locked, name, operands)?,
            }
        }
        self.body.open.then_some(())
    }

    /// The values of the direct outputs.
    pub fn results(&mut self, returns: &[Ty]) -> Option<Vec<Operand>> {
        let mut results = vec![];
        let outputs = self.constraints.iter().zip(self.slots.clone()).filter(|(c, _)| c.output && !c.indirect);
        for ((constraint, slot), ty) in outputs.zip(returns) {
            let value = match (slot, &constraint.kind) {
                (Slot::Register(reg), _) => Operand::Reg(reg),
                (Slot::Flag, Kind::Flag(condition)) => self.condition(condition)?,
                _ => return None,
            };
            results.push(self.body.adapt(value, *ty).ok()?);
        }
        (results.len() == returns.len()).then_some(results)
    }

    fn jump(
        &mut self,
        condition: &str,
        operands: &[Place],
        at: usize,
        blocks: &[Option<(&str, BlockId)>],
    ) -> Option<()> {
        let [target] = operands else { return None };
        let target = match target {
            Place::Label { name, forward } => {
                let named =
                    |found: &Option<(&str, BlockId)>| found.filter(|(label, _)| label == name).map(|(_, block)| block);
                match forward {
                    true => blocks[at..].iter().find_map(named)?,
                    false => blocks[..at].iter().rev().find_map(named)?,
                }
            }
            Place::Goto(number) => {
                let before = self.slots.get(..*number)?.iter().filter(|slot| matches!(slot, Slot::Label)).count();
                matches!(self.slots.get(*number)?, Slot::Label).then(|| self.labels.get(before).copied())??
            }
            _ => return None,
        };
        if condition == "mp" {
            self.body.end(Terminator::Jump(target));
            return Some(());
        }
        let cond = self.condition(condition)?;
        let next = self.body.block("asm.next");
        self.body.end(Terminator::Branch { cond, then: target, otherwise: next });
        self.body.current = next;
        self.body.open = true;
        Some(())
    }

    fn step(&mut self, locked: bool, name: &str, operands: &[Place]) -> Option<()> {
        match (name, operands) {
            ("nop" | "pause" | "yield" | "prefetchw" | "prefetcht0" | "cld", _) if !locked => return Some(()),
            ("mfence", []) => return self.fence(MemoryOrder::SeqCst),
            ("sfence", []) => return self.fence(MemoryOrder::Release),
            ("lfence", []) => return self.fence(MemoryOrder::Acquire),
            ("rdtsc", []) => return self.time_stamp(name, &["ax", "dx"]),
            ("rdtscp", []) => return self.time_stamp(name, &["ax", "dx", "cx"]),
            ("cmpxchg8b", [memory]) => return self.compare_exchange_pair(32, locked, memory),
            ("cmpxchg16b", [memory]) => return self.compare_exchange_pair(64, locked, memory),
            _ => {}
        }
        if let (Some(condition), [to], false) = (name.strip_prefix("set"), operands, locked) {
            let truth = self.condition(condition)?;
            let to = self.location(to)?;
            let value = self.body.resize(truth, 8);
            return self.write(to, value);
        }
        if let (Some(from), [source, to], false) = (name.strip_prefix("movz"), operands, locked) {
            let from = match from {
                "bl" | "bw" | "bq" | "x" => 8,
                "wl" | "wq" => 16,
                _ => return None,
            };
            let source = self.location(source)?;
            let value = self.read(source, from)?;
            let (to, width) = (self.location(to)?, self.width_of(to)?);
            let value = self.body.resize(value, width);
            return self.write(to, value);
        }
        let (name, suffix) = instruction(name)?;
        let width = suffix.or_else(|| operands.iter().rev().find_map(|place| self.width_of(place)))?;
        let one = |width: u8| Operand::int(width, 1);
        match (name, operands) {
            ("inc", [to]) => self.arithmetic(locked, BinOp::Add, RmwOp::Add, one(width), to, false),
            ("dec", [to]) => self.arithmetic(locked, BinOp::Sub, RmwOp::Sub, one(width), to, false),
            ("not", [to]) => {
                let ones = Operand::int(width, mask(width, u128::MAX));
                let (flags, to) = (self.flags.take(), to);
                let done = self.arithmetic(locked, BinOp::Xor, RmwOp::Xor, ones, to, false);
                self.flags = flags;
                done
            }
            // A locked change of the stack by nothing: a fence.
            ("add" | "or", [Place::Number(0), Place::Memory { base, .. }])
                if locked && matches!(**base, Place::Register { name: "sp", .. }) =>
            {
                self.fence(LOCKED)
            }
            ("sbb", [same, to]) if same == to && !locked => {
                let flags = self.flags?;
                let wide = self.body.resize(Operand::Reg(flags.carry), width);
                let value = self.body.arith(BinOp::Sub, Operand::int(width, 0), wide);
                let to = self.location(to)?;
                self.write(to, value)
            }
            ("mov", [from, to]) if !locked => {
                let from = self.location(from)?;
                let to = self.location(to)?;
                let value = self.read_for(from, width, to)?;
                self.write(to, value)
            }
            ("lea", [Place::Memory { base, displacement }, to]) if !locked => {
                let from = self.location(base)?;
                let base = self.read(from, width)?;
                let value = self.body.arith(BinOp::Add, base, number(width, *displacement));
                let to = self.location(to)?;
                self.write(to, value)
            }
            ("xchg", [one, other]) => self.exchange(width, one, other),
            ("xadd", [from, to]) => self.exchange_add(locked, width, from, to),
            ("cmpxchg", [new, to]) => self.compare_exchange(locked, width, new, to),
            ("cmp" | "test", [b, a]) if !locked => {
                let (b, a) = (self.location(b)?, self.location(a)?);
                let (b, a) = (self.read(b, width)?, self.read(a, width)?);
                let op = if name == "cmp" { BinOp::Sub } else { BinOp::And };
                let result = self.body.arith(op, a, b);
                self.set_flags(op, a, b, result, true);
                Some(())
            }
            ("bt" | "bts" | "btr" | "btc", [bit, to]) => self.bit(locked, name, width, bit, to),
            (_, [from, to]) => {
                let (_, op, rmw) = ARITHMETIC.iter().find(|(known, ..)| *known == name)?;
                let from = self.location(from)?;
                let value = self.read(from, width)?;
                self.arithmetic(locked, *op, *rmw, value, to, true)
            }
            _ => None,
        }
    }

    fn fence(&mut self, order: MemoryOrder) -> Option<()> {
        self.body.emit(Op::Fence { order });
        Some(())
    }

    fn time_stamp(&mut self, name: &str, registers: &[&'static str]) -> Option<()> {
        for register in registers {
            let value = self.body.nondet(Ty::Int(32), Input::Call(name.to_string()));
            let reg = self.register(register);
            self.write(Location::Register(reg), value)?;
        }
        Some(())
    }

    fn arithmetic(
        &mut self,
        locked: bool,
        op: BinOp,
        rmw: RmwOp,
        value: Operand,
        to: &Place,
        carries: bool,
    ) -> Option<()> {
        let to = self.location(to)?;
        let Ty::Int(width) = self.body.ty(value) else { return None };
        let old = match to {
            Location::Memory { addr, place } if locked => {
                self.body.value(Ty::Int(width), |dst| Op::Rmw { dst, op: rmw, addr, value, order: LOCKED, place })
            }
            _ if locked => return None,
            _ => self.read(to, width)?,
        };
        if locked && self.flags.is_none() {
            return Some(());
        }
        let result = self.body.arith(op, old, value);
        if !locked {
            self.write(to, result)?;
        }
        self.set_flags(op, old, value, result, carries);
        Some(())
    }

    /// Always locked, if one of them is memory.
    fn exchange(&mut self, width: u8, one: &Place, other: &Place) -> Option<()> {
        let (one, other) = (self.location(one)?, self.location(other)?);
        let (register, to) = match (one, other) {
            (Location::Memory { .. }, _) => (other, one),
            _ => (one, other),
        };
        let Location::Register(reg) = register else { return None };
        let value = self.typed(reg, width)?;
        let old = match to {
            Location::Memory { addr, place } => {
                let ty = self.body.ty(value);
                self.body.value(ty, |dst| Op::Rmw { dst, op: RmwOp::Exchange, addr, value, order: LOCKED, place })
            }
            _ => self.read(to, width)?,
        };
        if !matches!(to, Location::Memory { .. }) {
            self.write(to, value)?;
        }
        self.write(register, old)
    }

    fn exchange_add(&mut self, locked: bool, width: u8, from: &Place, to: &Place) -> Option<()> {
        let (from, to) = (self.location(from)?, self.location(to)?);
        let added = self.read(from, width)?;
        // A register of its own: `from` is overwritten before the flags are set.
        let value = self.body.value(Ty::Int(width), |dst| Computation::Copy { dst, src: added });
        let old = match to {
            Location::Memory { addr, place } if locked => self.body.value(Ty::Int(width), |dst| Op::Rmw {
                dst,
                op: RmwOp::Add,
                addr,
                value,
                order: LOCKED,
                place,
            }),
            _ if locked => return None,
            _ => {
                let old = self.read(to, width)?;
                self.body.value(Ty::Int(width), |dst| Computation::Copy { dst, src: old })
            }
        };
        let sum = self.body.arith(BinOp::Add, old, value);
        self.write(from, old)?;
        if !locked {
            self.write(to, sum)?;
        }
        self.set_flags(BinOp::Add, old, value, sum, true);
        Some(())
    }

    fn compare_exchange(&mut self, locked: bool, width: u8, new: &Place, to: &Place) -> Option<()> {
        let (new, to) = (self.location(new)?, self.location(to)?);
        let accumulator = self.register("ax");
        let Location::Memory { addr, place } = to else { return None };
        let Location::Register(new) = new else { return None };
        let new = self.typed(new, width)?;
        let expected = self.read(Location::Register(accumulator), width)?;
        let expected = self.body.value(Ty::Int(width), |dst| Computation::Copy { dst, src: expected });
        let ty = self.body.ty(new);
        let typed = self.body.adapt(expected, ty).ok()?;
        let old = self.compare_and_swap(locked, addr, place, typed, new);
        let number = self.body.adapt(old, Ty::Int(width)).ok()?;
        let difference = self.body.arith(BinOp::Sub, expected, number);
        self.set_flags(BinOp::Sub, expected, number, difference, true);
        self.write(Location::Register(accumulator), old)
    }

    /// The value that was there.
    fn compare_and_swap(
        &mut self,
        locked: bool,
        addr: Operand,
        place: Option<PlaceId>,
        expected: Operand,
        new: Operand,
    ) -> Operand {
        let ty = self.body.ty(new);
        if locked {
            let (old, success) = (self.body.reg(ty), self.body.reg(Ty::BOOL));
            let orders = (LOCKED, LOCKED);
            self.body.emit(Op::CmpXchg { old, success, addr, expected, new, orders, place });
            return Operand::Reg(old);
        }
        let old = self.body.value(ty, |dst| Op::Load { dst, addr, access: LOAD, place });
        let equal = self.body.compare(CmpOp::Eq, old, expected);
        let value = self.body.select(equal, new, old);
        self.body.emit(Op::Store { ty, addr, value, access: STORE, place });
        old
    }

    /// `dx:ax` is expected, `cx:bx` is new.
    fn compare_exchange_pair(&mut self, half: u8, locked: bool, memory: &Place) -> Option<()> {
        let Location::Memory { addr, place } = self.location(memory)? else { return None };
        let expected = self.pair("dx", "ax", half)?;
        let new = self.pair("cx", "bx", half)?;
        let old = self.compare_and_swap(locked, addr, place, expected, new);
        if let Some(flags) = self.flags {
            self.body.emit(Computation::Compare { dst: flags.zero, op: CmpOp::Eq, a: old, b: expected });
        }
        let low = self.body.resize(old, half);
        let high = self.body.arith(BinOp::LShr, old, Operand::int(2 * half, u128::from(half)));
        let high = self.body.resize(high, half);
        for (name, value) in [("ax", low), ("dx", high)] {
            let reg = self.register(name);
            self.write(Location::Register(reg), value)?;
        }
        Some(())
    }

    fn pair(&mut self, high: &'static str, low: &'static str, half: u8) -> Option<Operand> {
        let (high, low) = (self.register(high), self.register(low));
        let high = self.read(Location::Register(high), half)?;
        let low = self.read(Location::Register(low), half)?;
        let high = self.body.resize(high, 2 * half);
        let high = self.body.arith(BinOp::Shl, high, Operand::int(2 * half, u128::from(half)));
        let low = self.body.resize(low, 2 * half);
        Some(self.body.arith(BinOp::Or, high, low))
    }

    /// A bit, counted from a place: in memory it may lie beyond, or before, the word that is named.
    fn bit(&mut self, locked: bool, name: &str, width: u8, bit: &Place, to: &Place) -> Option<()> {
        let (bit, mut to) = (self.location(bit)?, self.location(to)?);
        let index = self.read(bit, width)?;
        if let (Location::Memory { addr, .. }, Location::Register(_)) = (&mut to, bit) {
            let words = Operand::int(width, u128::from(width.trailing_zeros()));
            let index = self.body.arith(BinOp::AShr, index, words);
            let index = match width {
                64 => index,
                _ => self.body.cast_to(selvedge_program::Cast::SignExtend, index, self.body.layout.word()),
            };
            let (base, stride) = (*addr, u64::from(width / 8));
            *addr = self.body.value(Ty::Ptr, |dst| Computation::Index { dst, base, index, stride, bound: None });
        }
        let index = self.body.arith(BinOp::And, index, Operand::int(width, u128::from(width) - 1));
        let chosen = self.body.arith(BinOp::Shl, Operand::int(width, 1), index);
        let ones = Operand::int(width, mask(width, u128::MAX));
        let (op, rmw, value) = match name {
            "bts" => (BinOp::Or, RmwOp::Or, chosen),
            "btc" => (BinOp::Xor, RmwOp::Xor, chosen),
            "btr" => (BinOp::And, RmwOp::And, self.body.arith(BinOp::Xor, chosen, ones)),
            _ if locked => return None,
            _ => (BinOp::Or, RmwOp::Or, Operand::int(width, 0)),
        };
        let old = match to {
            Location::Memory { addr, place } if locked => {
                self.body.value(Ty::Int(width), |dst| Op::Rmw { dst, op: rmw, addr, value, order: LOCKED, place })
            }
            _ if locked => return None,
            _ => self.read(to, width)?,
        };
        let was = self.body.arith(BinOp::And, old, chosen);
        if let Some(flags) = self.flags {
            self.body.emit(Computation::Compare { dst: flags.carry, op: CmpOp::Ne, a: was, b: Operand::int(width, 0) });
        }
        if !locked && name != "bt" {
            let result = self.body.arith(op, old, value);
            self.write(to, result)?;
        }
        Some(())
    }
}
