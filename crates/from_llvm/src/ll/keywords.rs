//! The words of the language that stand for a variant of an enum, each given
//! once and usable in both directions.

use super::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Linkage, Ordering, RmwOp, TailKind};

/// Pairs every variant with its keyword.
macro_rules! keywords {
    ($($type:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl $type {
            pub(super) fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The keyword of the textual IR.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    )+};
}

keywords! {
    BinaryOp {
        Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem",
        SRem = "srem", Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or",
        Xor = "xor", FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FRem = "frem",
    }
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp",
        PtrToInt = "ptrtoint", IntToPtr = "inttoptr", BitCast = "bitcast",
        AddrSpaceCast = "addrspacecast",
    }
    IntPredicate {
        Eq = "eq", Ne = "ne", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
        Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
    }
    FloatPredicate {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole",
        One = "one", Ord = "ord", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult",
        Ule = "ule", Une = "une", Uno = "uno", True = "true",
    }
    Ordering {
        Unordered = "unordered", Monotonic = "monotonic", Acquire = "acquire",
        Release = "release", AcqRel = "acq_rel", SeqCst = "seq_cst",
    }
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or",
        Xor = "xor", Max = "max", Min = "min", UMax = "umax", UMin = "umin", FAdd = "fadd",
        FSub = "fsub", FMax = "fmax", FMin = "fmin", UIncWrap = "uinc_wrap",
        UDecWrap = "udec_wrap", USubCond = "usub_cond", USubSat = "usub_sat",
        FMaximum = "fmaximum", FMinimum = "fminimum",
    }
    Linkage {
        External = "external", Private = "private", Internal = "internal",
        AvailableExternally = "available_externally", LinkOnce = "linkonce",
        LinkOnceOdr = "linkonce_odr", Weak = "weak", WeakOdr = "weak_odr", Common = "common",
        Appending = "appending", ExternWeak = "extern_weak",
    }
    TailKind { None = "", Tail = "tail", MustTail = "musttail", NoTail = "notail" }
}

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
    ) || CastOp::from_word(word).is_some()
        || BinaryOp::from_word(word).is_some()
        || word.starts_with("s0x")
        || word.starts_with("u0x")
}
