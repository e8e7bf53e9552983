//! The words of the text form, each in one table that printing and reading share.

use crate::ir::*;
use crate::memory_model::MemoryModel;

pub(super) type Words<T> = &'static [(T, &'static str)];

pub(super) fn word_for<T: PartialEq>(words: Words<T>, value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("?", |(_, word)| word)
}

pub(super) fn meaning<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(_, w)| *w == word).map(|(value, _)| *value)
}

pub(super) const BINARY: Words<BinOp> = &[
    (BinOp::Add, "add"),
    (BinOp::Sub, "sub"),
    (BinOp::Mul, "mul"),
    (BinOp::UDiv, "udiv"),
    (BinOp::SDiv, "sdiv"),
    (BinOp::URem, "urem"),
    (BinOp::SRem, "srem"),
    (BinOp::Shl, "shl"),
    (BinOp::LShr, "lshr"),
    (BinOp::AShr, "ashr"),
    (BinOp::And, "and"),
    (BinOp::Or, "or"),
    (BinOp::Xor, "xor"),
];

pub(super) const UNARY: Words<UnOp> = &[
    (UnOp::CountOnes, "count_ones"),
    (UnOp::CountLeadingZeros, "leading_zeros"),
    (UnOp::CountTrailingZeros, "trailing_zeros"),
    (UnOp::SwapBytes, "swap_bytes"),
    (UnOp::ReverseBits, "reverse_bits"),
];

pub(super) const COMPARE: Words<CmpOp> = &[
    (CmpOp::Eq, "eq"),
    (CmpOp::Ne, "ne"),
    (CmpOp::Ult, "ult"),
    (CmpOp::Ule, "ule"),
    (CmpOp::Ugt, "ugt"),
    (CmpOp::Uge, "uge"),
    (CmpOp::Slt, "slt"),
    (CmpOp::Sle, "sle"),
    (CmpOp::Sgt, "sgt"),
    (CmpOp::Sge, "sge"),
];

pub(super) const FLOAT_BINARY: Words<FloatBinOp> = &[
    (FloatBinOp::Add, "fadd"),
    (FloatBinOp::Sub, "fsub"),
    (FloatBinOp::Mul, "fmul"),
    (FloatBinOp::Div, "fdiv"),
    (FloatBinOp::Rem, "frem"),
    (FloatBinOp::Min, "fmin"),
    (FloatBinOp::Max, "fmax"),
    (FloatBinOp::CopySign, "fcopysign"),
];

pub(super) const FLOAT_UNARY: Words<FloatUnOp> = &[
    (FloatUnOp::Neg, "fneg"),
    (FloatUnOp::Abs, "fabs"),
    (FloatUnOp::Sqrt, "fsqrt"),
    (FloatUnOp::Floor, "ffloor"),
    (FloatUnOp::Ceil, "fceil"),
    (FloatUnOp::Trunc, "ftrunc"),
    (FloatUnOp::Round, "fround"),
    (FloatUnOp::RoundEven, "fround_even"),
];

/// Written after `fcmp`.
pub(super) const FLOAT_COMPARE: Words<FloatCmpOp> = &[
    (FloatCmpOp::False, "false"),
    (FloatCmpOp::Oeq, "oeq"),
    (FloatCmpOp::Ogt, "ogt"),
    (FloatCmpOp::Oge, "oge"),
    (FloatCmpOp::Olt, "olt"),
    (FloatCmpOp::Ole, "ole"),
    (FloatCmpOp::One, "one"),
    (FloatCmpOp::Ord, "ord"),
    (FloatCmpOp::Ueq, "ueq"),
    (FloatCmpOp::Ugt, "ugt"),
    (FloatCmpOp::Uge, "uge"),
    (FloatCmpOp::Ult, "ult"),
    (FloatCmpOp::Ule, "ule"),
    (FloatCmpOp::Une, "une"),
    (FloatCmpOp::Uno, "uno"),
    (FloatCmpOp::True, "true"),
];

pub(super) const CAST: Words<Cast> = &[
    (Cast::ZeroExtend, "zero_extend"),
    (Cast::SignExtend, "sign_extend"),
    (Cast::Truncate, "truncate"),
    (Cast::Reinterpret, "reinterpret"),
    (Cast::PtrToInt, "ptr_to_int"),
    (Cast::IntToPtr, "int_to_ptr"),
    (Cast::FloatToSigned, "float_to_signed"),
    (Cast::FloatToUnsigned, "float_to_unsigned"),
    (Cast::SignedToFloat, "signed_to_float"),
    (Cast::UnsignedToFloat, "unsigned_to_float"),
    (Cast::FloatToFloat, "float_to_float"),
];

/// Written after `rmw`.
pub(super) const RMW: Words<RmwOp> = &[
    (RmwOp::Exchange, "exchange"),
    (RmwOp::Add, "add"),
    (RmwOp::Sub, "sub"),
    (RmwOp::And, "and"),
    (RmwOp::Nand, "nand"),
    (RmwOp::Or, "or"),
    (RmwOp::Xor, "xor"),
    (RmwOp::Max, "max"),
    (RmwOp::Min, "min"),
    (RmwOp::UMax, "umax"),
    (RmwOp::UMin, "umin"),
    (RmwOp::FAdd, "fadd"),
    (RmwOp::FSub, "fsub"),
];

/// `Access::Plain` goes without saying.
pub(super) const ACCESS: Words<Access> = &[
    (Access::Volatile, "volatile"),
    (Access::Atomic(MemoryOrder::SeqCst), "atomic"),
    (Access::Atomic(MemoryOrder::Relaxed), "relaxed"),
    (Access::Atomic(MemoryOrder::Acquire), "acquire"),
    (Access::Atomic(MemoryOrder::Release), "release"),
    (Access::Atomic(MemoryOrder::AcqRel), "acq_rel"),
];
/// Of read-modify-writes and fences, where `MemoryOrder::SeqCst` goes without saying.
pub(super) const ORDER: Words<MemoryOrder> = &[
    (MemoryOrder::SeqCst, "seq_cst"),
    (MemoryOrder::Relaxed, "relaxed"),
    (MemoryOrder::Acquire, "acquire"),
    (MemoryOrder::Release, "release"),
    (MemoryOrder::AcqRel, "acq_rel"),
];
pub(super) const MEMORY_MODEL: Words<MemoryModel> =
    &[(MemoryModel::Sc, "sc"), (MemoryModel::Tso, "tso"), (MemoryModel::Pso, "pso")];

pub(super) const MODEL: Words<DataModel> = &[(DataModel::Ilp32, "ilp32"), (DataModel::Lp64, "lp64")];

/// Can it stand without quotes?
pub fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '$'))
        && name.chars().all(is_word_char)
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The name as a label: bare or quoted.
pub(super) fn label(name: &str) -> String {
    if is_plain(name) { name.to_string() } else { quote(name) }
}
