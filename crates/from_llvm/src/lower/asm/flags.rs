//! The flags that instructions leave, and the conditions on them.

use selvedge_program::{BinOp, CmpOp, Computation, Operand, Reg, Ty};

use super::machine::Machine;

#[derive(Clone, Copy)]
pub struct Flags {
    pub zero: Reg,
    pub carry: Reg,
    pub sign: Reg,
    pub overflow: Reg,
}

impl Machine<'_, '_, '_> {
    pub(super) fn set_flags(&mut self, op: BinOp, a: Operand, b: Operand, result: Operand, carries: bool) {
        let (Some(flags), Ty::Int(width)) = (self.flags, self.body.ty(result)) else { return };
        let nothing = Operand::int(width, 0);
        self.body.emit(Computation::Compare { dst: flags.zero, op: CmpOp::Eq, a: result, b: nothing });
        self.body.emit(Computation::Compare { dst: flags.sign, op: CmpOp::Slt, a: result, b: nothing });
        let adds = matches!(op, BinOp::Add | BinOp::Sub);
        if adds {
            let dst = self.body.reg(Ty::Int(width));
            self.body.emit(Computation::Overflowing { dst, overflow: flags.overflow, op, signed: true, a, b });
        } else {
            self.body.emit(Computation::Copy { dst: flags.overflow, src: Operand::bool(false) });
        }
        if !carries {
            return;
        }
        if adds {
            let dst = self.body.reg(Ty::Int(width));
            self.body.emit(Computation::Overflowing { dst, overflow: flags.carry, op, signed: false, a, b });
        } else {
            self.body.emit(Computation::Copy { dst: flags.carry, src: Operand::bool(false) });
        }
    }

    pub(super) fn condition(&mut self, name: &str) -> Option<Operand> {
        let flags = self.flags?;
        let [zero, carry, sign, overflow] = [flags.zero, flags.carry, flags.sign, flags.overflow].map(Operand::Reg);
        let (negated, positive) = match name {
            "nz" | "ne" => (true, "z"),
            "nc" | "ae" | "nb" => (true, "c"),
            "ns" => (true, "s"),
            "no" => (true, "o"),
            "a" | "nbe" => (true, "be"),
            "ge" | "nl" => (true, "l"),
            "g" | "nle" => (true, "le"),
            _ => (false, name),
        };
        let truth = match positive {
            "z" | "e" => zero,
            "c" | "b" | "nae" => carry,
            "s" => sign,
            "o" => overflow,
            "be" | "na" => self.body.arith(BinOp::Or, carry, zero),
            "l" | "nge" => self.body.compare(CmpOp::Ne, sign, overflow),
            "le" | "ng" => {
                let less = self.body.compare(CmpOp::Ne, sign, overflow);
                self.body.arith(BinOp::Or, less, zero)
            }
            _ => return None,
        };
        Some(match negated {
            true => self.body.compare(CmpOp::Eq, truth, Operand::bool(false)),
            false => truth,
        })
    }
}
