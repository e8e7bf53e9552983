//! LLVM's own functions, `llvm.*`. Those that only help an optimiser are dropped.

use selvedge_program::{
    BinOp, Cast, CmpOp, Computation, FloatCmpOp, FloatUnOp, Input, Intrinsic, MemoryOrder, Op, Operand, Property,
    Terminator, Ty, UnOp,
};

use super::Lowered;
use super::constants::mask;
use super::function::Body;
use crate::ll;

/// Hints, marks and debugging aids, without an effect on the program's behaviour.
const DROPPED: [&str; 17] = [
    "dbg",
    "invariant.end",
    "assume",
    "va_end",
    "prefetch",
    "donothing",
    "experimental.noalias.scope.decl",
    "var.annotation",
    "sideeffect",
    "codeview.annotation",
    "pcmarker",
    "pseudoprobe",
    "instrprof",
    "clear_cache",
    "eh.unwind.init",
    "fake.use",
    "x86.sse2.pause",
];

/// Functions that return their first argument.
const TRANSPARENT: [&str; 9] = [
    "expect",
    "expect.with.probability",
    "launder.invariant.group",
    "strip.invariant.group",
    "annotation",
    "ptr.annotation",
    "threadlocal.address",
    "ssa.copy",
    "arithmetic.fence",
];

/// The trap of clang's -fsanitize-trap, by clang's number of the check.
pub fn trap_of_sanitizer(check: u128) -> (Property, &'static str) {
    match check {
        5 => (Property::Overflow, "the value does not fit the integer type that it is converted to"),
        7 => (Property::Overflow, "a conversion changes the value"),
        20 => (Property::Overflow, "a signed left shift overflows"),
        _ => (Property::Abort, "the program traps"),
    }
}

/// `memcpy.p0.p0.i64` is `memcpy`, for some types.
fn is(name: &str, stem: &str) -> bool {
    name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Body<'_, '_> {
    /// `name` without the `llvm.`
    pub fn builtin(&mut self, name: &str, call: &ll::Call) -> Lowered<Vec<Operand>> {
        if DROPPED.iter().any(|stem| is(name, stem)) {
            return Ok(vec![]);
        }
        if is(name, "lifetime.start") || is(name, "lifetime.end") {
            self.lifetime(is(name, "lifetime.start"), call);
            return Ok(vec![]);
        }
        if is(name, "eh.typeid.for") {
            let handled = call.args.first().and_then(|arg| match &arg.value {
                ll::Value::Const(constant) => constant.as_global(),
                _ => None,
            });
            let number = self.cx.type_number(handled.map_or("", |name| name));
            return Ok(vec![Operand::int(32, u128::from(number))]);
        }
        let args = self.arguments(&call.args)?;
        if TRANSPARENT.iter().any(|stem| is(name, stem))
            && let Some(first) = args.first()
        {
            return Ok(vec![*first]);
        }
        let returns = self.leaf_types(&call.function_type.ret)?;
        if let Some(result) = self.memory_builtin(name, &args)? {
            return Ok(result);
        }
        if let Some(result) = self.constant_builtin(name, &args, &returns) {
            return Ok(vec![result]);
        }
        if let Some(result) = self.overflow_builtin(name, &args) {
            return Ok(result);
        }
        // All others work on each lane of a vector.
        let lanes = returns.len();
        let operands: Vec<&[Operand]> = match args.len() {
            0 => vec![],
            n if lanes > 1 && n % lanes == 0 => args.chunks(lanes).collect(),
            _ => args.chunks(1).collect(),
        };
        let mut results = vec![];
        for lane in 0..lanes {
            let lane_args: Vec<Operand> =
                operands.iter().filter_map(|chunk| chunk.get(lane).or(chunk.first())).copied().collect();
            let result = match self.integer_builtin(name, &lane_args) {
                None => self.float_builtin(name, &lane_args),
                some => some,
            };
            results.push(result.ok_or_else(|| format!("the builtin llvm.{name}"))?);
        }
        if results.is_empty() {
            return Err(format!("the builtin llvm.{name}"));
        }
        Ok(results)
    }

    fn memory_builtin(&mut self, name: &str, args: &[Operand]) -> Lowered<Option<Vec<Operand>>> {
        let nothing = Ok(Some(vec![]));
        let atomic = name.contains("element.unordered.atomic");
        match args {
            [dst, src, len, ..] if (is(name, "memcpy") || is(name, "memmove")) && !atomic => {
                let may_overlap = is(name, "memmove");
                self.emit(Op::MemCopy { dst: *dst, src: *src, len: *len, may_overlap });
                nothing
            }
            [dst, byte, len, ..] if is(name, "memset") && !atomic => {
                self.emit(Op::MemSet { dst: *dst, byte: *byte, len: *len });
                nothing
            }
            [list] if is(name, "va_start") => {
                self.va_start(*list)?;
                nothing
            }
            [to, from] if is(name, "va_copy") => {
                self.va_copy(*to, *from);
                nothing
            }
            [mark] if is(name, "stackrestore") => {
                self.emit(Op::StackRestore { mark: *mark });
                nothing
            }
            [] if is(name, "stacksave") => Ok(Some(vec![self.value(Ty::Ptr, |dst| Op::StackSave { dst })])),
            [pointer, bits] if is(name, "ptrmask") => {
                let number = self.cast_to(Cast::PtrToInt, *pointer, self.layout.word());
                let bits = self.resize(*bits, self.layout.pointer_bits());
                let masked = self.arith(BinOp::And, number, bits);
                Ok(Some(vec![self.cast_to(Cast::IntToPtr, masked, Ty::Ptr)]))
            }
            [] if is(name, "x86.sse2.mfence") => {
                self.emit(Op::Fence { order: MemoryOrder::SeqCst });
                nothing
            }
            [] if is(name, "x86.sse2.lfence") || is(name, "x86.sse.sfence") => {
                self.emit(Op::Fence { order: MemoryOrder::AcqRel });
                nothing
            }
            [] if is(name, "readcyclecounter") || is(name, "x86.rdtsc") => {
                Ok(Some(vec![self.nondet(Ty::Int(64), Input::Call("rdtsc".to_string()))]))
            }
            _ if ["trap", "debugtrap", "ubsantrap"].iter().any(|stem| is(name, stem)) => {
                let (property, text) = match (is(name, "ubsantrap"), args) {
                    (true, [Operand::Const { bits, .. }]) => trap_of_sanitizer(*bits),
                    _ => (Property::Abort, "the program traps"),
                };
                self.emit(Op::Violation { property, text: text.to_string() });
                self.intrinsic(Intrinsic::ProcessExit);
                self.end(Terminator::Unreachable);
                nothing
            }
            _ => Ok(None),
        }
    }

    /// Queries to an optimiser, answered as by one without any knowledge.
    fn constant_builtin(&mut self, name: &str, args: &[Operand], returns: &[Ty]) -> Option<Operand> {
        let [ty] = returns else { return None };
        let constant = |bits| Some(Operand::Const { ty: *ty, bits });
        if is(name, "is.constant")
            || is(name, "frameaddress")
            || is(name, "returnaddress")
            || is(name, "invariant.start")
        {
            return constant(0);
        }
        if is(name, "get.rounding") || is(name, "flt.rounds") {
            return constant(1);
        }
        if let (true, Ty::Int(bits)) = (is(name, "objectsize"), ty) {
            let minimum = matches!(args.get(1), Some(Operand::Const { bits: 1, .. }));
            return constant(if minimum { 0 } else { mask(*bits, u128::MAX) });
        }
        None
    }

    fn overflow_builtin(&mut self, name: &str, args: &[Operand]) -> Option<Vec<Operand>> {
        let [a, b] = *args else { return None };
        let (signed, rest) = match name.as_bytes().first()? {
            b's' => (true, &name[1..]),
            b'u' => (false, &name[1..]),
            _ => return None,
        };
        let (op, rest) = match rest.get(..3)? {
            "add" => (BinOp::Add, &rest[3..]),
            "sub" => (BinOp::Sub, &rest[3..]),
            "mul" => (BinOp::Mul, &rest[3..]),
            _ => return None,
        };
        let Ty::Int(bits) = self.ty(a) else { return None };
        let saturating = is(rest, ".sat") && op != BinOp::Mul;
        if !saturating && !is(rest, ".with.overflow") {
            return None;
        }
        let (dst, overflow) = (self.reg(Ty::Int(bits)), self.reg(Ty::BOOL));
        self.emit(Computation::Overflowing { dst, overflow, op, signed, a, b });
        let (wrapped, overflow) = (Operand::Reg(dst), Operand::Reg(overflow));
        if !saturating {
            return Some(vec![wrapped, overflow]);
        }
        let all = mask(bits, u128::MAX);
        let limit = match (signed, op) {
            (false, BinOp::Add) => Operand::int(bits, all),
            (false, _) => Operand::int(bits, 0),
            (true, _) => {
                // In both directions it overflows towards the sign of `a`.
                let negative = self.compare(CmpOp::Slt, a, Operand::int(bits, 0));
                let lowest = 1u128 << (bits - 1);
                self.select(negative, Operand::int(bits, lowest), Operand::int(bits, lowest - 1))
            }
        };
        Some(vec![self.select(overflow, limit, wrapped)])
    }

    fn integer_builtin(&mut self, name: &str, args: &[Operand]) -> Option<Operand> {
        let a = *args.first()?;
        let Ty::Int(bits) = self.ty(a) else { return None };
        let unary = [
            ("ctpop", UnOp::CountOnes),
            ("ctlz", UnOp::CountLeadingZeros),
            ("cttz", UnOp::CountTrailingZeros),
            ("bswap", UnOp::SwapBytes),
            ("bitreverse", UnOp::ReverseBits),
        ];
        if let Some((_, op)) = unary.iter().find(|(stem, _)| is(name, stem)) {
            let op = *op;
            return Some(self.value(Ty::Int(bits), |dst| Computation::Unary { dst, op, a }));
        }
        let choices = [("smin", CmpOp::Slt), ("smax", CmpOp::Sgt), ("umin", CmpOp::Ult), ("umax", CmpOp::Ugt)];
        if let (Some((_, op)), Some(b)) = (choices.iter().find(|(stem, _)| is(name, stem)), args.get(1)) {
            let first = self.compare(*op, a, *b);
            return Some(self.select(first, a, *b));
        }
        if is(name, "abs") {
            let negative = self.compare(CmpOp::Slt, a, Operand::int(bits, 0));
            // Undefined for the least number, if it says so.
            let checked = matches!(args.get(1), Some(Operand::Const { bits: 1, .. }));
            let zero = Operand::int(bits, 0);
            let negated =
                self.value(Ty::Int(bits), |dst| Computation::Binary { dst, op: BinOp::Sub, a: zero, b: a, checked });
            return Some(self.select(negative, negated, a));
        }
        if let ([a, b, c], left @ (true, _) | left @ (_, true)) = (args, (is(name, "fshl"), is(name, "fshr"))) {
            return Some(self.funnel_shift(left.0, bits, *a, *b, *c));
        }
        None
    }

    /// The upper (or lower) half of `a:b` shifted. The far side is shifted in two steps, since a
    /// shift by the whole width is undefined.
    fn funnel_shift(&mut self, left: bool, bits: u8, a: Operand, b: Operand, by: Operand) -> Operand {
        let by = self.arith(BinOp::URem, by, Operand::int(bits, u128::from(bits)));
        let rest = self.arith(BinOp::Sub, Operand::int(bits, u128::from(bits) - 1), by);
        let one = Operand::int(bits, u128::from(bits > 1));
        let (high, low) = if left {
            let half = self.arith(BinOp::LShr, b, one);
            (self.arith(BinOp::Shl, a, by), self.arith(BinOp::LShr, half, rest))
        } else {
            let half = self.arith(BinOp::Shl, a, one);
            (self.arith(BinOp::Shl, half, rest), self.arith(BinOp::LShr, b, by))
        };
        self.arith(BinOp::Or, high, low)
    }

    fn float_builtin(&mut self, name: &str, args: &[Operand]) -> Option<Operand> {
        let a = *args.first()?;
        if !matches!(self.ty(a), Ty::F32 | Ty::F64) {
            return None;
        }
        if let (true, Some(Operand::Const { bits, .. })) = (is(name, "is.fpclass"), args.get(1)) {
            return self.float_class(a, *bits as u32);
        }
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        self.float_operation(stem, args)
    }

    /// Whether `x` is in one of the classes. Bits of the mask: two kinds of NaN, then negative infinity,
    /// normal, subnormal, zero, then positive zero, subnormal, normal, infinity.
    fn float_class(&mut self, x: Operand, classes: u32) -> Option<Operand> {
        let ty = self.ty(x);
        let (width, fraction) = if ty == Ty::F32 { (32, 23) } else { (64, 52) };
        let constant = |bits: u128| Operand::Const { ty, bits };
        let infinity = ((1u128 << (width - fraction - 1)) - 1) << fraction;
        let smallest_normal = 1u128 << fraction;
        let magnitude = self.float_unary(FloatUnOp::Abs, x);
        let number = self.cast_to(Cast::Reinterpret, x, Ty::Int(width));
        let negative = self.compare(CmpOp::Slt, number, Operand::int(width, 0));
        let mut result = Operand::bool(false);
        // (mask if negative, mask if positive, from this magnitude on, below that one)
        let kinds = [
            (1 << 2, 1 << 9, infinity, None),
            (1 << 3, 1 << 8, smallest_normal, Some(infinity)),
            (1 << 4, 1 << 7, 1, Some(smallest_normal)),
            (1 << 5, 1 << 6, 0, Some(1)),
        ];
        for (if_negative, if_positive, from, below) in kinds {
            let (on_negative, on_positive) = (classes & if_negative != 0, classes & if_positive != 0);
            if !on_negative && !on_positive {
                continue;
            }
            let mut test = self.value(Ty::BOOL, |dst| Computation::FloatCompare {
                dst,
                op: FloatCmpOp::Oge,
                a: magnitude,
                b: constant(from),
            });
            if let Some(below) = below {
                let less = self.value(Ty::BOOL, |dst| Computation::FloatCompare {
                    dst,
                    op: FloatCmpOp::Olt,
                    a: magnitude,
                    b: constant(below),
                });
                test = self.arith(BinOp::And, test, less);
            }
            if on_negative != on_positive {
                let side = self.compare(CmpOp::Eq, negative, Operand::bool(on_negative));
                test = self.arith(BinOp::And, test, side);
            }
            result = self.arith(BinOp::Or, result, test);
        }
        if classes & 3 != 0 {
            let nan = self.value(Ty::BOOL, |dst| Computation::FloatCompare { dst, op: FloatCmpOp::Uno, a: x, b: x });
            result = self.arith(BinOp::Or, result, nan);
        }
        Some(result)
    }
}
