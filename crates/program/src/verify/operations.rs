//! Rules 3 to 6, 9 and 11, of single operations.

use super::Kind::{self, Exactly, Float, Int, IntOrPtr};
use super::{BOOL, Checker, PTR, Types};
use crate::ir::*;

impl Checker<'_> {
    pub(super) fn op(&mut self, types: &Types, op: &Op) {
        let reg = |reg: Reg| types.reg(reg);
        let of = |operand: &Operand| types.of(*operand);
        match op {
            Op::Compute(computation) => self.computation(types, computation),
            Op::Load { addr, place, .. } => {
                self.access(*place);
                self.expect(4, "the address", of(addr), PTR);
            }
            Op::Store { ty, addr, value, place, .. } => {
                self.access(*place);
                self.ty(*ty);
                self.expect(4, "the address", of(addr), PTR);
                self.expect(4, "the value", of(value), Exactly(*ty));
            }
            Op::Rmw { dst, op, addr, value, place, .. } => {
                self.access(*place);
                self.expect(4, "the address", of(addr), PTR);
                let kind = match op {
                    RmwOp::Exchange => Exactly(reg(*dst)),
                    RmwOp::FAdd | RmwOp::FSub => Float,
                    RmwOp::Add
                    | RmwOp::Sub
                    | RmwOp::And
                    | RmwOp::Nand
                    | RmwOp::Or
                    | RmwOp::Xor
                    | RmwOp::Max
                    | RmwOp::Min
                    | RmwOp::UMax
                    | RmwOp::UMin => Int,
                };
                self.alike(types, *dst, &[value], kind);
            }
            Op::CmpXchg { old, success, addr, expected, new, place, .. } => {
                self.access(*place);
                self.expect(4, "the address", of(addr), PTR);
                self.alike(types, *old, &[expected, new], IntOrPtr);
                self.expect(4, "the success", reg(*success), BOOL);
            }
            Op::Alloca { dst, size, align, ty, padding, .. } => {
                self.debug(*ty);
                self.align(*align);
                self.expect(4, "the result", reg(*dst), PTR);
                self.expect(4, "the size", of(size), Int);
                self.padding(*size, padding);
            }
            Op::StackSave { dst } => self.expect(4, "the mark", reg(*dst), IntOrPtr),
            Op::StackRestore { mark } => self.expect(4, "the mark", of(mark), IntOrPtr),
            Op::MemCopy { dst, src, len, .. } => {
                self.expect(4, "the destination", of(dst), PTR);
                self.expect(4, "the source", of(src), PTR);
                self.expect(4, "the length", of(len), Int);
            }
            Op::MemSet { dst, byte, len } => {
                self.expect(4, "the destination", of(dst), PTR);
                self.expect(4, "the byte", of(byte), Exactly(Ty::Int(8)));
                self.expect(4, "the length", of(len), Int);
            }
            Op::Call { dsts, callee: Callee::Direct(id), args } => self.call(types, dsts, *id, args),
            Op::Call { callee: Callee::Indirect(target), .. } => self.expect(4, "the callee", of(target), PTR),
            Op::Nondet { dst, range, .. } => {
                if let Some((low, high)) = range {
                    self.alike(types, *dst, &[low, high], Int);
                }
            }
            Op::Intrinsic { dst, which, args } => self.intrinsic(types, *dst, *which, args),
            Op::Fence { .. } | Op::Violation { .. } | Op::Unsupported { .. } => {}
        }
    }

    fn computation(&mut self, types: &Types, computation: &Computation) {
        let reg = |reg: Reg| types.reg(reg);
        let of = |operand: &Operand| types.of(*operand);
        match computation {
            Computation::Copy { dst, src } => self.expect(4, "the source", of(src), Exactly(reg(*dst))),
            Computation::Binary { dst, a, b, .. } => self.alike(types, *dst, &[a, b], Int),
            Computation::Overflowing { dst, overflow, op, a, b, .. } => {
                self.require(matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul), 4, "only +, -, * can overflow here");
                self.alike(types, *dst, &[a, b], Int);
                self.expect(4, "the overflow", reg(*overflow), BOOL);
            }
            Computation::Unary { dst, a, .. } => self.alike(types, *dst, &[a], Int),
            Computation::Compare { dst, a, b, .. } => {
                self.expect(4, "the result", reg(*dst), BOOL);
                self.expect(4, "an operand", of(a), IntOrPtr);
                self.expect(4, "an operand", of(b), Exactly(of(a)));
            }
            Computation::FloatBinary { dst, a, b, .. } => self.alike(types, *dst, &[a, b], Float),
            Computation::FloatUnary { dst, a, .. } => self.alike(types, *dst, &[a], Float),
            Computation::FloatCompare { dst, a, b, .. } => {
                self.expect(4, "the result", reg(*dst), BOOL);
                self.expect(4, "an operand", of(a), Float);
                self.expect(4, "an operand", of(b), Exactly(of(a)));
            }
            Computation::Cast { dst, cast, src } => self.cast(*cast, of(src), reg(*dst)),
            Computation::Select { dst, cond, a, b } => {
                self.expect(4, "the condition", of(cond), BOOL);
                self.alike(types, *dst, &[a, b], Exactly(reg(*dst)));
            }
            Computation::Field { dst, base, of: ty, .. } => {
                self.debug(*ty);
                self.alike(types, *dst, &[base], PTR);
            }
            Computation::Index { dst, base, index, .. } => {
                self.alike(types, *dst, &[base], PTR);
                self.expect(4, "the index", of(index), Int);
            }
        }
    }

    /// Operands and a result of one type.
    fn alike(&mut self, types: &Types, dst: Reg, operands: &[&Operand], kind: Kind) {
        self.expect(4, "the result", types.reg(dst), kind);
        for operand in operands {
            self.expect(4, "an operand", types.of(**operand), Exactly(types.reg(dst)));
        }
    }

    pub(super) fn padding(&mut self, size: Operand, padding: &[(u32, u32)]) {
        let mut end = 0;
        for range in padding {
            self.require(end <= range.0 && range.0 < range.1, 11, "padding is empty or out of order");
            end = range.1;
        }
        if let Operand::Const { bits, .. } = size {
            self.require(u128::from(end) <= bits, 11, "padding lies outside of the object");
        }
    }

    pub(super) fn cast(&mut self, cast: Cast, from: Ty, to: Ty) {
        let bits = |ty: Ty| ty.bits(self.program.data_model);
        let int = |ty| Int.fits(ty);
        let float = |ty| Float.fits(ty);
        let legal = match cast {
            Cast::ZeroExtend | Cast::SignExtend => int(from) && int(to) && bits(from) < bits(to),
            Cast::Truncate => int(from) && int(to) && bits(from) > bits(to),
            Cast::Reinterpret => from != Ty::Ptr && to != Ty::Ptr && bits(from) == bits(to),
            Cast::PtrToInt => from == Ty::Ptr && int(to),
            Cast::IntToPtr => int(from) && to == Ty::Ptr,
            Cast::FloatToSigned | Cast::FloatToUnsigned => float(from) && int(to),
            Cast::SignedToFloat | Cast::UnsignedToFloat => int(from) && float(to),
            Cast::FloatToFloat => float(from) && float(to),
        };
        if !legal {
            self.problem(5, format!("{cast:?} from {from:?} to {to:?}"));
        }
    }

    pub(super) fn call(&mut self, types: &Types, dsts: &[Reg], id: FuncId, args: &[Operand]) {
        let Some(callee) = self.program.functions.get(id) else {
            return self.problem(1, "the callee does not exist");
        };
        if args.len() != callee.params.len() {
            self.problem(6, format!("{} takes {} arguments, not {}", callee.name, callee.params.len(), args.len()));
        }
        for (arg, param) in args.iter().zip(&callee.params) {
            if let Some(info) = callee.regs.get(*param) {
                self.expect(6, "an argument", types.of(*arg), Exactly(info.ty));
            }
        }
        self.require(dsts.len() <= callee.returns.len(), 6, "the call expects more than the callee returns");
        for (dst, ty) in dsts.iter().zip(&callee.returns) {
            self.expect(6, "a result", types.reg(*dst), Exactly(*ty));
        }
    }

    pub(super) fn intrinsic(&mut self, types: &Types, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) {
        let (wanted, result) = signature(which);
        if args.len() != wanted.len() {
            self.problem(9, format!("{} takes {} arguments, not {}", which.name(), wanted.len(), args.len()));
        }
        for (arg, kind) in args.iter().zip(wanted) {
            self.expect(9, "an argument", types.of(*arg), *kind);
        }
        match (dst, result) {
            (Some(_), None) => self.problem(9, format!("{} has no result", which.name())),
            (Some(dst), Some(kind)) => self.expect(9, "the result", types.reg(dst), kind),
            (None, _) => {}
        }
    }

    pub(super) fn expect(&mut self, rule: u8, what: &str, found: Ty, wanted: Kind) {
        if !wanted.fits(found) {
            self.problem(rule, format!("{what} is {found:?}, not {wanted}"));
        }
    }
}

impl Intrinsic {
    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        signature(self).0.len()
    }
}

/// The arguments and the result of an intrinsic.
fn signature(which: Intrinsic) -> (&'static [Kind], Option<Kind>) {
    match which {
        Intrinsic::Spawn => (&[PTR, PTR, PTR], Some(Int)),
        Intrinsic::SelfId | Intrinsic::Owner | Intrinsic::Threads => (&[], Some(Int)),
        Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created => (&[Int], Some(BOOL)),
        Intrinsic::ThreadExit
        | Intrinsic::ProcessExit
        | Intrinsic::Yield
        | Intrinsic::AtomicBegin
        | Intrinsic::AtomicEnd => (&[], None),
        Intrinsic::TlsOf => (&[Int, PTR], Some(PTR)),
        Intrinsic::BlockUntil | Intrinsic::Assume => (&[BOOL], None),
        Intrinsic::Alloc => (&[Int, Int], Some(PTR)),
        Intrinsic::Free => (&[PTR], None),
        Intrinsic::ObjectSize | Intrinsic::ObjectOffset | Intrinsic::SetJmp => (&[PTR], Some(Int)),
        Intrinsic::CheckRead | Intrinsic::CheckWrite => (&[PTR, Int], None),
        Intrinsic::LongJmp => (&[PTR, Int], None),
        Intrinsic::Acquired => (&[PTR, BOOL], None),
        Intrinsic::Released => (&[PTR], None),
        Intrinsic::WaitsFor => (&[PTR, Int], None),
    }
}
