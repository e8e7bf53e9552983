//! Operands of instructions: numbers, registers and parts of them, memory.

use selvedge_program::{Access, BinOp, Computation, MemoryOrder, Op, Operand, PlaceId, Reg, Ty};

use super::super::constants::mask;
use super::machine::Machine;
use super::text::Place;
use super::{Constraint, Kind, Slot};

/// The orders that x86 gives to plain accesses.
pub const LOAD: Access = Access::Atomic(MemoryOrder::Acquire);
pub const STORE: Access = Access::Atomic(MemoryOrder::Release);

/// A place of the text, found.
#[derive(Clone, Copy)]
pub enum Location {
    Value(i64),
    Register(Reg),
    Memory { addr: Operand, place: Option<PlaceId> },
}

impl Machine<'_, '_, '_> {
    pub(super) fn register(&mut self, name: &'static str) -> Reg {
        if let Some(reg) = self.registers.get(name) {
            return *reg;
        }
        let ty = self.body.layout.word();
        let reg = self.body.reg(ty);
        self.body.emit(Computation::Copy { dst: reg, src: Operand::Const { ty, bits: 0 } });
        self.scratch.insert(reg, 0);
        self.registers.insert(name, reg);
        reg
    }

    pub(super) fn location(&mut self, place: &Place) -> Option<Location> {
        Some(match place {
            Place::Number(value) => Location::Value(*value),
            Place::Operand { number, .. } => match *self.slots.get(*number)? {
                Slot::Register(reg) => Location::Register(reg),
                Slot::Memory { addr, argument } => {
                    let place = self.body.place(&self.call.args[argument].value);
                    Location::Memory { addr, place }
                }
                Slot::Flag | Slot::Label => return None,
            },
            Place::Register { name: "sp" | "bp", .. } => return None,
            Place::Register { name, .. } => Location::Register(self.register(name)),
            Place::Memory { base, displacement } => {
                let Location::Register(reg) = self.location(base)? else { return None };
                if self.scratch.get(&reg).is_some_and(|written| *written < self.body.layout.pointer_bits()) {
                    return None;
                }
                let addr = self.body.adapt(Operand::Reg(reg), Ty::Ptr).ok()?;
                let addr = match displacement {
                    0 => addr,
                    bytes => {
                        self.body.value(Ty::Ptr, |dst| Computation::Field { dst, base: addr, bytes: *bytes, of: None })
                    }
                };
                Location::Memory { addr, place: self.named(base) }
            }
            Place::Label { .. } | Place::Goto(_) => return None,
        })
    }

    /// The name of an operand's object, for people.
    fn named(&mut self, base: &Place) -> Option<PlaceId> {
        let Place::Operand { number, .. } = base else { return None };
        let with_argument = |c: &&Constraint| c.kind != Kind::Label && (!c.output || c.indirect);
        let argument = self.constraints[..*number].iter().filter(with_argument).count();
        let constraint = self.constraints.get(*number).filter(|constraint| !constraint.output)?;
        (constraint.kind != Kind::Label).then(|| self.body.place(&self.call.args.get(argument)?.value))?
    }

    pub(super) fn width_of(&self, place: &Place) -> Option<u8> {
        match place {
            Place::Operand { width: Some(width), .. } | Place::Register { width, .. } => Some(*width),
            Place::Operand { number, .. } => match self.slots.get(*number)? {
                Slot::Register(reg) => match self.body.func.regs[*reg].ty {
                    Ty::Int(bits) => Some(bits),
                    Ty::Ptr => Some(self.body.layout.pointer_bits()),
                    Ty::F32 | Ty::F64 => None,
                },
                Slot::Memory { argument, .. } => {
                    let ty = self.call.args[*argument].attrs.elementtype.as_ref()?;
                    let bytes = self.body.layout.size(ty).ok()?;
                    matches!(bytes, 1 | 2 | 4 | 8).then_some(bytes as u8 * 8)
                }
                Slot::Flag | Slot::Label => None,
            },
            _ => None,
        }
    }

    /// The lowest bits of a place. What the compiler left in other registers is not understood.
    pub(super) fn read(&mut self, from: Location, width: u8) -> Option<Operand> {
        if let Location::Register(reg) = from
            && self.scratch.get(&reg).is_some_and(|written| *written < width)
        {
            return None;
        }
        Some(match from {
            Location::Value(value) => number(width, value),
            Location::Register(reg) => {
                let value = self.body.adapt(Operand::Reg(reg), Ty::Int(width)).ok()?;
                match value == Operand::Reg(reg) {
                    // Later instructions may overwrite the register.
                    true => self.body.value(Ty::Int(width), |dst| Computation::Copy { dst, src: value }),
                    false => value,
                }
            }
            Location::Memory { addr, place } => {
                self.body.value(Ty::Int(width), |dst| Op::Load { dst, addr, access: LOAD, place })
            }
        })
    }

    /// A register's value; a pointer stays one.
    pub(super) fn typed(&mut self, reg: Reg, width: u8) -> Option<Operand> {
        let ty = self.body.func.regs[reg].ty;
        if ty == Ty::Ptr && width == self.body.layout.pointer_bits() {
            return Some(self.body.value(Ty::Ptr, |dst| Computation::Copy { dst, src: Operand::Reg(reg) }));
        }
        self.read(Location::Register(reg), width)
    }

    /// The value for a place of another kind: pointers stay pointers between memory and registers.
    pub(super) fn read_for(&mut self, from: Location, width: u8, to: Location) -> Option<Operand> {
        match (from, to) {
            (Location::Register(reg), Location::Memory { .. }) => self.typed(reg, width),
            (Location::Memory { addr, place }, Location::Register(reg))
                if self.body.func.regs[reg].ty == Ty::Ptr && width == self.body.layout.pointer_bits() =>
            {
                Some(self.body.value(Ty::Ptr, |dst| Op::Load { dst, addr, access: LOAD, place }))
            }
            _ => self.read(from, width),
        }
    }

    /// Replaces a place, or its lowest bits. As on the machine, 32 bits clear the upper half of a register.
    pub(super) fn write(&mut self, to: Location, value: Operand) -> Option<()> {
        match to {
            Location::Value(_) => return None,
            Location::Memory { addr, place } => {
                let ty = self.body.ty(value);
                self.body.emit(Op::Store { ty, addr, value, access: STORE, place });
            }
            Location::Register(reg) => {
                let ty = self.body.func.regs[reg].ty;
                let bits = |ty: Ty| match ty {
                    Ty::Int(bits) => bits,
                    _ => self.body.layout.pointer_bits(),
                };
                let (whole, part) = (bits(ty), bits(self.body.ty(value)));
                if let Some(written) = self.scratch.get_mut(&reg) {
                    *written = (*written).max(if part == 32 { whole } else { part });
                }
                let src = if part >= whole || part == 32 {
                    self.body.adapt(value, ty).ok()?
                } else {
                    let upper = mask(whole, !0u128 << part);
                    let old = self.body.adapt(Operand::Reg(reg), Ty::Int(whole)).ok()?;
                    let kept = self.body.arith(BinOp::And, old, Operand::int(whole, upper));
                    let value = self.body.adapt(value, Ty::Int(whole)).ok()?;
                    let merged = self.body.arith(BinOp::Or, kept, value);
                    self.body.adapt(merged, ty).ok()?
                };
                self.body.emit(Computation::Copy { dst: reg, src });
            }
        }
        Some(())
    }
}

pub fn number(width: u8, value: i64) -> Operand {
    Operand::int(width, mask(width, value as i128 as u128))
}
