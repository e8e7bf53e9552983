//! Conversions where C's types are looser than ours: calls through wrong prototypes, and
//! truth values that arrive as wider integers.

use selvedge_program::{Cast, CmpOp, Computation, FloatCmpOp, Operand, Ty};

use super::Lowered;
use super::function::Body;

impl Body<'_, '_> {
    /// The value as an argument, or as a result, of another type: its bits, zero-extended or truncated. A truth value
    /// is compared with zero instead, as C converts to `_Bool`.
    pub fn adapt(&mut self, value: Operand, to: Ty) -> Lowered<Operand> {
        let word = self.layout.pointer_bits();
        Ok(match (self.ty(value), to) {
            (from, to) if from == to => value,
            (_, Ty::BOOL) => self.truth(value),
            (Ty::Int(_), Ty::Int(bits)) => self.resize(value, bits),
            (Ty::Ptr, Ty::Int(bits)) => {
                let number = self.cast_to(Cast::PtrToInt, value, Ty::Int(word));
                self.resize(number, bits)
            }
            (Ty::Int(_), Ty::Ptr) => match self.resize(value, word) {
                Operand::Const { bits, .. } => Operand::Const { ty: Ty::Ptr, bits },
                number => self.cast_to(Cast::IntToPtr, number, Ty::Ptr),
            },
            (Ty::F32 | Ty::F64, Ty::F32 | Ty::F64) => self.cast_to(Cast::FloatToFloat, value, to),
            (Ty::F32, _) => {
                let bits = self.cast_to(Cast::Reinterpret, value, Ty::Int(32));
                self.adapt(bits, to)?
            }
            (Ty::F64, _) => {
                let bits = self.cast_to(Cast::Reinterpret, value, Ty::Int(64));
                self.adapt(bits, to)?
            }
            (_, Ty::F32) => {
                let bits = self.adapt(value, Ty::Int(32))?;
                self.cast_to(Cast::Reinterpret, bits, to)
            }
            (_, Ty::F64) => {
                let bits = self.adapt(value, Ty::Int(64))?;
                self.cast_to(Cast::Reinterpret, bits, to)
            }
            (Ty::Ptr, Ty::Ptr) => value,
        })
    }

    /// Whether an integer of 128 bits is not zero, which clang passes as its two halves.
    pub fn truth_of_halves(&mut self, low: Operand, high: Operand) -> Operand {
        let (low, high) = (self.truth(low), self.truth(high));
        self.select(low, Operand::bool(true), high)
    }

    /// Whether the value is not zero.
    pub fn truth(&mut self, value: Operand) -> Operand {
        match self.ty(value) {
            Ty::Int(1) => value,
            Ty::Int(bits) => self.compare(CmpOp::Ne, value, Operand::int(bits, 0)),
            Ty::Ptr => self.compare(CmpOp::Ne, value, Operand::NULL),
            // Unordered: a NaN is true in C.
            ty @ (Ty::F32 | Ty::F64) => {
                let zero = Operand::Const { ty, bits: 0 };
                self.value(Ty::BOOL, |dst| Computation::FloatCompare { dst, op: FloatCmpOp::Une, a: value, b: zero })
            }
        }
    }
}
