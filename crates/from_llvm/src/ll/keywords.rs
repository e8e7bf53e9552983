//! Words that begin types and constants.

use super::{BinaryOp, CastOp};

/// Whether a bare word begins a type. Words before a type that do not are
/// linkages, calling conventions, attributes and flags, of which new LLVM
/// versions have more than we know.
pub(super) fn begins_type(word: &str) -> bool {
    match word {
        "void" | "half" | "bfloat" | "float" | "double" | "x86_fp80" | "fp128" | "ppc_fp128" | "x86_mmx"
        | "x86_amx" | "ptr" | "label" | "token" | "metadata" | "opaque" | "target" => true,
        _ => word.strip_prefix('i').is_some_and(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit())),
    }
}

/// Whether a bare word begins a constant (or inline asm), and so ends the
/// attributes between a type and its value.
pub(super) fn begins_value(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "null"
            | "undef"
            | "poison"
            | "none"
            | "zeroinitializer"
            | "asm"
            | "getelementptr"
            | "select"
            | "icmp"
            | "fcmp"
            | "fneg"
            | "extractelement"
            | "insertelement"
            | "shufflevector"
            | "extractvalue"
            | "insertvalue"
            | "blockaddress"
            | "dso_local_equivalent"
            | "no_cfi"
            | "ptrauth"
            | "splat"
    ) || CastOp::from_name(word).is_some()
        || BinaryOp::from_name(word).is_some()
        || word.starts_with("s0x")
        || word.starts_with("u0x")
}
