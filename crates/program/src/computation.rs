//! Computations: operations whose results are a function of their operands, and all that they do. Some are undefined
//! for some operands ([`Computation::faults`]). What they mean on concrete values is in [`crate::semantics`].

use crate::ir::{Op, Operand, Reg};
use crate::source::TypeId;

named! {
    pub enum BinOp {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        UDiv = "udiv",
        SDiv = "sdiv",
        URem = "urem",
        SRem = "srem",
        Shl = "shl",
        LShr = "lshr",
        AShr = "ashr",
        And = "and",
        Or = "or",
        Xor = "xor",
    }

    pub enum UnOp {
        CountOnes = "count_ones",
        /// Leading and trailing zeros; of zero: the width.
        CountLeadingZeros = "leading_zeros",
        CountTrailingZeros = "trailing_zeros",
        SwapBytes = "swap_bytes",
        ReverseBits = "reverse_bits",
    }

    pub enum CmpOp {
        Eq = "eq",
        Ne = "ne",
        Ult = "ult",
        Ule = "ule",
        Ugt = "ugt",
        Uge = "uge",
        Slt = "slt",
        Sle = "sle",
        Sgt = "sgt",
        Sge = "sge",
    }

    pub enum FloatBinOp {
        Add = "fadd",
        Sub = "fsub",
        Mul = "fmul",
        Div = "fdiv",
        Rem = "frem",
        Min = "fmin",
        Max = "fmax",
        CopySign = "fcopysign",
    }

    pub enum FloatUnOp {
        Neg = "fneg",
        Abs = "fabs",
        Sqrt = "fsqrt",
        Floor = "ffloor",
        Ceil = "fceil",
        Trunc = "ftrunc",
        /// Half away from zero, as C's `round`.
        Round = "fround",
        /// Half to even, as C's `rint` in the default mode.
        RoundEven = "fround_even",
    }

    /// LLVM's sixteen float predicates: ordered and unordered.
    pub enum FloatCmpOp {
        False = "false",
        Oeq = "oeq",
        Ogt = "ogt",
        Oge = "oge",
        Olt = "olt",
        Ole = "ole",
        One = "one",
        Ord = "ord",
        Ueq = "ueq",
        Ugt = "ugt",
        Uge = "uge",
        Ult = "ult",
        Ule = "ule",
        Une = "une",
        Uno = "uno",
        True = "true",
    }

    pub enum Cast {
        ZeroExtend = "zero_extend",
        SignExtend = "sign_extend",
        Truncate = "truncate",
        /// Same bits, other type: int ↔ float of one width.
        Reinterpret = "reinterpret",
        /// As with an unsigned integer of the pointer's width.
        PtrToInt = "ptr_to_int",
        IntToPtr = "int_to_ptr",
        FloatToSigned = "float_to_signed",
        FloatToUnsigned = "float_to_unsigned",
        SignedToFloat = "signed_to_float",
        UnsignedToFloat = "unsigned_to_float",
        FloatToFloat = "float_to_float",
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
#[rustfmt::skip]
pub enum Computation {
    Copy { dst: Reg, src: Operand },
    /// `checked`: C calls signed overflow of this operation undefined.
    Binary { dst: Reg, op: BinOp, a: Operand, b: Operand, checked: bool },
    /// The overflow builtins: the wrapped result and whether it wrapped.
    Overflowing { dst: Reg, overflow: Reg, op: BinOp, signed: bool, a: Operand, b: Operand },
    Unary { dst: Reg, op: UnOp, a: Operand },
    Compare { dst: Reg, op: CmpOp, a: Operand, b: Operand },
    FloatBinary { dst: Reg, op: FloatBinOp, a: Operand, b: Operand },
    FloatUnary { dst: Reg, op: FloatUnOp, a: Operand },
    FloatCompare { dst: Reg, op: FloatCmpOp, a: Operand, b: Operand },
    Cast { dst: Reg, cast: Cast, src: Operand },
    Select { dst: Reg, cond: Operand, a: Operand, b: Operand },

    /// `dst = base + bytes`: a field, or an element at a known index. `of`: the struct it is a field of.
    Field { dst: Reg, base: Operand, bytes: i64, of: Option<TypeId> },
    /// `dst = base + index * stride`, index signed. `bound`: C's array has that many elements here,
    /// so any other index is a violation (one more where only the address is taken).
    Index { dst: Reg, base: Operand, index: Operand, stride: u64, bound: Option<u64> },
}

impl From<Computation> for Op {
    fn from(computation: Computation) -> Op {
        Op::Compute(computation)
    }
}

impl Computation {
    /// The register of its result; of the wrapped one, if it also tells whether it wrapped.
    pub fn dst(mut self) -> Reg {
        *self.dst_mut()
    }

    fn dst_mut(&mut self) -> &mut Reg {
        match self {
            Computation::Copy { dst, .. }
            | Computation::Binary { dst, .. }
            | Computation::Overflowing { dst, .. }
            | Computation::Unary { dst, .. }
            | Computation::Compare { dst, .. }
            | Computation::FloatBinary { dst, .. }
            | Computation::FloatUnary { dst, .. }
            | Computation::FloatCompare { dst, .. }
            | Computation::Cast { dst, .. }
            | Computation::Select { dst, .. }
            | Computation::Field { dst, .. }
            | Computation::Index { dst, .. } => dst,
        }
    }

    /// Calls `f` on every register it writes, to be replaced in place.
    pub fn for_each_def_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        f(self.dst_mut());
        if let Computation::Overflowing { overflow, .. } = self {
            f(overflow);
        }
    }

    /// Calls `f` on every operand it reads, to be rewritten in place.
    pub fn for_each_use_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            Computation::Copy { src: a, .. }
            | Computation::Cast { src: a, .. }
            | Computation::Unary { a, .. }
            | Computation::FloatUnary { a, .. }
            | Computation::Field { base: a, .. } => f(a),
            Computation::Binary { a, b, .. }
            | Computation::Overflowing { a, b, .. }
            | Computation::Compare { a, b, .. }
            | Computation::FloatBinary { a, b, .. }
            | Computation::FloatCompare { a, b, .. }
            | Computation::Index { base: a, index: b, .. } => {
                f(a);
                f(b);
            }
            Computation::Select { cond, a, b, .. } => {
                f(cond);
                f(a);
                f(b);
            }
        }
    }

    /// Calls `f` on every operand it reads.
    pub fn for_each_use(mut self, mut f: impl FnMut(Operand)) {
        self.for_each_use_mut(|operand| f(*operand));
    }
}

impl Cast {
    /// Does it compute with floats? The other casts keep the low bits, as far as both types have them.
    pub fn is_of_float(self) -> bool {
        match self {
            Cast::FloatToSigned
            | Cast::FloatToUnsigned
            | Cast::SignedToFloat
            | Cast::UnsignedToFloat
            | Cast::FloatToFloat => true,
            Cast::ZeroExtend
            | Cast::SignExtend
            | Cast::Truncate
            | Cast::Reinterpret
            | Cast::PtrToInt
            | Cast::IntToPtr => false,
        }
    }
}
