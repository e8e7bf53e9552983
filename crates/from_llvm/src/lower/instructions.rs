//! Instructions that compute: arithmetic, comparisons, casts, choices. They work leaf by leaf, which
//! covers vectors as well.

use selvedge_program::{BinOp, Cast, CmpOp, Computation, FloatUnOp, Op, Operand, Origin, Property, Terminator, Ty};

use super::Lowered;
use super::function::Body;
use super::gep::constant_operand;
use super::places::Named;
use crate::ll::{self, ArithFlags, BinaryOp, CastOp, ConstExpr, Constant, Type, TypedConstant, Value};

impl Body<'_, '_> {
    /// Translates an instruction that is no terminator, and returns the leaves of its result.
    pub fn instruction(&mut self, inst: &ll::Instruction) -> Lowered<Vec<Operand>> {
        let name = self.name_of_result(&inst.op);
        if let (Some(result), Some(name)) = (inst.result, name) {
            self.names[result.0 as usize].get_or_insert(name);
        }
        match &inst.op {
            ll::Op::Debug(_) => Ok(vec![]),
            // Its register exists already; the predecessors write it.
            ll::Op::Phi { .. } => Ok(vec![]),
            ll::Op::Alloca { ty, count, align, .. } => self.alloca(ty, count.as_ref(), *align, inst.result),
            ll::Op::GetElementPtr { source, base, indices, .. } => {
                let address = self.gep(source, base, indices, inst.result)?;
                Ok(vec![address])
            }
            ll::Op::Call(call) => {
                let used = inst.result.is_some_and(|result| !self.uses.only_accessed(result));
                self.call(call, used)
            }
            op => self.compute(op),
        }
    }

    pub fn compute(&mut self, op: &ll::Op) -> Lowered<Vec<Operand>> {
        match op {
            ll::Op::Binary { op, flags, ty, lhs, rhs } => {
                let (a, b) = (self.leaves(ty, lhs)?, self.leaves(ty, rhs)?);
                if matches!(ty, Type::X86Fp80 | Type::Fp128) {
                    self.cx.assume_long_double(self.unit);
                }
                if a.iter().any(|a| {
                    matches!(self.ty(*a), Ty::Int(_)) == matches!(op, BinaryOp::Float(_)) || self.ty(*a) == Ty::Ptr
                }) {
                    return Err("arithmetic on another type than it is for".to_string());
                }
                Ok(a.into_iter().zip(b).map(|(a, b)| self.binary(*op, *flags, a, b)).collect())
            }
            ll::Op::FNeg(v) => {
                let leaves = self.leaves(&v.ty, &v.value)?;
                Ok(leaves.into_iter().map(|a| self.float_unary(FloatUnOp::Neg, a)).collect())
            }
            ll::Op::Icmp { pred, ty, lhs, rhs } => {
                let (a, b) = (self.leaves(ty, lhs)?, self.leaves(ty, rhs)?);
                if a.iter().any(|a| matches!(self.ty(*a), Ty::F32 | Ty::F64)) {
                    return Err("a comparison of other types than it is for".to_string());
                }
                Ok(a.into_iter().zip(b).map(|(a, b)| self.compare(*pred, a, b)).collect())
            }
            ll::Op::Fcmp { pred, ty, lhs, rhs } => {
                let (a, b) = (self.leaves(ty, lhs)?, self.leaves(ty, rhs)?);
                let op = *pred;
                Ok((a.into_iter().zip(b))
                    .map(|(a, b)| self.value(Ty::BOOL, |dst| Computation::FloatCompare { dst, op, a, b }))
                    .collect())
            }
            ll::Op::Cast { op, value, to, .. } => self.cast(*op, &value.ty, &value.value, to),
            ll::Op::Select { cond, if_true, if_false } => {
                let conds = self.leaves(&cond.ty, &cond.value)?;
                let a = self.leaves(&if_true.ty, &if_true.value)?;
                let b = self.leaves(&if_false.ty, &if_false.value)?;
                let conds = conds.iter().cycle();
                Ok((a.into_iter().zip(b).zip(conds)).map(|((a, b), cond)| self.select(*cond, a, b)).collect())
            }
            ll::Op::Freeze(v) => self.leaves(&v.ty, &v.value),
            ll::Op::LandingPad { cleanup, clauses, .. } => self.landing_pad(*cleanup, clauses),
            ll::Op::ExtractValue { aggregate, indices } => {
                let leaves = self.leaves(&aggregate.ty, &aggregate.value)?;
                let (first, count) = self.layout.leaf_range(&aggregate.ty, indices)?;
                Ok(leaves.get(first..first + count).ok_or("an index outside its value")?.to_vec())
            }
            ll::Op::InsertValue { aggregate, element, indices } => {
                let mut leaves = self.aggregate_base(aggregate)?;
                let element = self.leaves(&element.ty, &element.value)?;
                let (first, count) = self.layout.leaf_range(&aggregate.ty, indices)?;
                let slots = leaves.get_mut(first..first + count).ok_or("an index outside its value")?;
                slots.iter_mut().zip(element).for_each(|(slot, leaf)| *slot = leaf);
                Ok(leaves)
            }
            ll::Op::ExtractElement { vector, index } => self.extract_element(vector, index),
            ll::Op::InsertElement { vector, element, index } => self.insert_element(vector, element, index),
            ll::Op::ShuffleVector { first, second, mask } => self.shuffle(first, second, mask),
            ll::Op::Load { .. }
            | ll::Op::Store { .. }
            | ll::Op::Fence(_)
            | ll::Op::CmpXchg { .. }
            | ll::Op::AtomicRmw { .. } => self.access(op),
            ll::Op::VaArg { list, ty } => self.va_arg(list, ty),
            other => Err(format!("the instruction {}", other.opcode())),
        }
    }

    /// The leaves of an aggregate that is being assembled: undefined ones will be overwritten.
    pub fn aggregate_base(&mut self, aggregate: &ll::Operand) -> Lowered<Vec<Operand>> {
        match &aggregate.value {
            Value::Const(Constant::Undef | Constant::Poison) => {
                self.leaves(&aggregate.ty, &Value::Const(Constant::Zero))
            }
            value => self.leaves(&aggregate.ty, value),
        }
    }

    fn binary(&mut self, op: BinaryOp, flags: ArithFlags, a: Operand, b: Operand) -> Operand {
        let ty = self.ty(a);
        let op = match op {
            BinaryOp::Integer(op) => op,
            BinaryOp::Float(op) => {
                return self.value(ty, |dst| Computation::FloatBinary { dst, op, a, b });
            }
        };
        if self.cx.checks_overflow && self.func.origin == Origin::User && matches!(op, BinOp::SDiv | BinOp::SRem) {
            self.check_quotient(a, b);
        }
        let may_overflow = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl);
        let checked = flags.nsw && may_overflow && self.func.origin == Origin::User;
        self.value(ty, |dst| Computation::Binary { dst, op, a, b, checked })
    }

    /// The least number divided by -1 has no representable quotient. (That the division is undefined is found as well,
    /// where it is asked about arithmetic.)
    fn check_quotient(&mut self, a: Operand, b: Operand) {
        let Ty::Int(bits) = self.ty(a) else { return };
        let minus_one = super::constants::mask(bits, u128::MAX);
        if matches!(b, Operand::Const { bits, .. } if bits != minus_one) {
            return;
        }
        let is_least = self.compare(CmpOp::Eq, a, Operand::int(bits, 1 << (bits - 1)));
        let is_minus_one = self.compare(CmpOp::Eq, b, Operand::int(bits, minus_one));
        let cond = self.arith(BinOp::And, is_least, is_minus_one);
        self.violation_if(cond, Property::Overflow, "a signed division overflows");
    }

    /// Goes on behind it where the violation is not reported.
    pub fn violation_if(&mut self, cond: Operand, property: Property, text: &str) {
        let (then, otherwise) = (self.block("violation"), self.block("goes.on"));
        self.end(Terminator::Branch { cond, then, otherwise });
        self.current = then;
        self.emit(Op::Violation { property, text: text.to_string() });
        self.end(Terminator::Jump(otherwise));
        self.current = otherwise;
        self.open = true;
    }

    /// Arithmetic of our own, which may wrap.
    pub fn arith(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        let ty = self.ty(a);
        self.value(ty, |dst| Computation::Binary { dst, op, a, b, checked: false })
    }

    pub fn compare(&mut self, op: CmpOp, a: Operand, b: Operand) -> Operand {
        self.value(Ty::BOOL, |dst| Computation::Compare { dst, op, a, b })
    }

    pub fn select(&mut self, cond: Operand, a: Operand, b: Operand) -> Operand {
        let ty = self.ty(a);
        self.value(ty, |dst| Computation::Select { dst, cond, a, b })
    }

    pub fn float_unary(&mut self, op: FloatUnOp, a: Operand) -> Operand {
        let ty = self.ty(a);
        self.value(ty, |dst| Computation::FloatUnary { dst, op, a })
    }

    pub fn cast_to(&mut self, cast: Cast, src: Operand, ty: Ty) -> Operand {
        self.value(ty, |dst| Computation::Cast { dst, cast, src })
    }

    /// An integer, zero-extended or truncated to a width.
    pub fn resize(&mut self, value: Operand, bits: u8) -> Operand {
        let Ty::Int(from) = self.ty(value) else { return value };
        if let Operand::Const { bits: constant, .. } = value {
            return Operand::int(bits, super::constants::mask(bits, constant));
        }
        match from.cmp(&bits) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.cast_to(Cast::ZeroExtend, value, Ty::Int(bits)),
            std::cmp::Ordering::Greater => self.cast_to(Cast::Truncate, value, Ty::Int(bits)),
        }
    }

    fn cast(&mut self, op: CastOp, from: &Type, value: &Value, to: &Type) -> Lowered<Vec<Operand>> {
        let leaves = self.leaves(from, value)?;
        let targets = self.leaf_types(to)?;
        if leaves.len() != targets.len() {
            return match op {
                CastOp::BitCast => self.reshape(&leaves, &targets),
                _ => Err("a cast between shapes".to_string()),
            };
        }
        leaves.into_iter().zip(targets).map(|(leaf, to)| self.cast_leaf(op, leaf, to)).collect()
    }

    fn cast_leaf(&mut self, op: CastOp, src: Operand, to: Ty) -> Lowered<Operand> {
        let from = self.ty(src);
        let word = self.layout.pointer_bits();
        if !fits(op, from, to) {
            return Err("a cast between other types than it is for".to_string());
        }
        let cast = match op {
            CastOp::Trunc => Cast::Truncate,
            CastOp::ZExt => Cast::ZeroExtend,
            CastOp::SExt => Cast::SignExtend,
            CastOp::FpToUi => Cast::FloatToUnsigned,
            CastOp::FpToSi => Cast::FloatToSigned,
            CastOp::UiToFp => Cast::UnsignedToFloat,
            CastOp::SiToFp => Cast::SignedToFloat,
            CastOp::FpTrunc | CastOp::FpExt | CastOp::BitCast | CastOp::AddrSpaceCast if from == to => return Ok(src),
            CastOp::FpTrunc | CastOp::FpExt => Cast::FloatToFloat,
            CastOp::BitCast | CastOp::AddrSpaceCast => {
                let model = self.layout.model;
                if from.bits(model) != to.bits(model) || from == Ty::Ptr || to == Ty::Ptr {
                    return Err("a bitcast of long double".to_string());
                }
                Cast::Reinterpret
            }
            CastOp::PtrToInt => {
                let address = self.cast_to(Cast::PtrToInt, src, Ty::Int(word));
                return match to {
                    Ty::Int(bits) => Ok(self.resize(address, bits)),
                    Ty::Ptr | Ty::F32 | Ty::F64 => Err("ptrtoint to what is no integer".to_string()),
                };
            }
            CastOp::IntToPtr => {
                let bits = self.resize(src, word);
                return Ok(match bits {
                    Operand::Const { bits, .. } => Operand::Const { ty: Ty::Ptr, bits },
                    bits => self.cast_to(Cast::IntToPtr, bits, Ty::Ptr),
                });
            }
        };
        Ok(self.cast_to(cast, src, to))
    }

    /// A constant expression that does not fold, translated as an instruction. `None` if there is no such instruction.
    pub fn computed_constant(&mut self, constant: &Constant) -> Option<Lowered<Vec<Operand>>> {
        let operand = constant_operand;
        let value = |c: &TypedConstant| Value::Const(c.value.clone());
        let expr = match constant {
            Constant::Expr(expr) => expr,
            Constant::Array(elements) | Constant::Vector(elements) | Constant::Struct { fields: elements, .. } => {
                let mut leaves = vec![];
                for element in elements {
                    match self.leaves(&element.ty, &value(element)) {
                        Ok(more) => leaves.extend(more),
                        Err(what) => return Some(Err(what)),
                    }
                }
                return Some(Ok(leaves));
            }
            _ => return None,
        };
        let op = match &**expr {
            ConstExpr::GetElementPtr { source, base, indices, .. } => {
                let indices: Vec<_> = indices.iter().map(operand).collect();
                return Some(self.gep(source, &operand(base), &indices, None).map(|address| vec![address]));
            }
            ConstExpr::Cast { op, value, to } => {
                ll::Op::Cast { op: *op, flags: ArithFlags::default(), value: operand(value), to: to.clone() }
            }
            ConstExpr::Binary { op, flags, lhs, rhs } => {
                ll::Op::Binary { op: *op, flags: *flags, ty: lhs.ty.clone(), lhs: value(lhs), rhs: value(rhs) }
            }
            ConstExpr::FNeg(v) => ll::Op::FNeg(operand(v)),
            ConstExpr::Icmp { pred, lhs, rhs } => {
                ll::Op::Icmp { pred: *pred, ty: lhs.ty.clone(), lhs: value(lhs), rhs: value(rhs) }
            }
            ConstExpr::Fcmp { pred, lhs, rhs } => {
                ll::Op::Fcmp { pred: *pred, ty: lhs.ty.clone(), lhs: value(lhs), rhs: value(rhs) }
            }
            ConstExpr::Select { cond, if_true, if_false } => {
                ll::Op::Select { cond: operand(cond), if_true: operand(if_true), if_false: operand(if_false) }
            }
            ConstExpr::ExtractValue { aggregate, indices } => {
                ll::Op::ExtractValue { aggregate: operand(aggregate), indices: indices.clone() }
            }
            ConstExpr::InsertValue { aggregate, element, indices } => ll::Op::InsertValue {
                aggregate: operand(aggregate),
                element: operand(element),
                indices: indices.clone(),
            },
            ConstExpr::ExtractElement { vector, index } => {
                ll::Op::ExtractElement { vector: operand(vector), index: operand(index) }
            }
            ConstExpr::InsertElement { vector, element, index } => {
                ll::Op::InsertElement { vector: operand(vector), element: operand(element), index: operand(index) }
            }
            ConstExpr::ShuffleVector { first, second, mask } => {
                ll::Op::ShuffleVector { first: operand(first), second: operand(second), mask: operand(mask) }
            }
        };
        Some(self.compute(&op))
    }

    /// The C expression of the result, where it is known statically.
    fn name_of_result(&mut self, op: &ll::Op) -> Option<Named> {
        match op {
            ll::Op::Load { pointer, .. } => {
                let place = self.place_named(&pointer.value)?;
                Some(self.loaded(place))
            }
            ll::Op::GetElementPtr { source, base, indices, .. } => {
                let indices: Vec<_> = indices.iter().map(|i| self.index_name(&i.value)).collect();
                let base = self.name_of(&base.value)?;
                self.gep_name(source, base, &indices)
            }
            ll::Op::Cast { op, value, .. } if !matches!(op, CastOp::PtrToInt | CastOp::IntToPtr) => {
                self.name_of(&value.value)
            }
            ll::Op::Binary { op: BinaryOp::Integer(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul)), lhs, rhs, .. } => {
                self.arithmetic_name(*op, lhs, rhs)
            }
            ll::Op::Call(call) if call.callee_name().is_some_and(|n| n.starts_with("llvm.threadlocal.address")) => {
                self.name_of(&call.args.first()?.value)
            }
            _ => None,
        }
    }
}

/// Whether the cast applies to these types.
fn fits(op: CastOp, from: Ty, to: Ty) -> bool {
    let float = |ty| matches!(ty, Ty::F32 | Ty::F64);
    match (op, from, to) {
        (CastOp::Trunc, Ty::Int(a), Ty::Int(b)) => a > b,
        (CastOp::ZExt | CastOp::SExt, Ty::Int(a), Ty::Int(b)) => a < b,
        (CastOp::FpToUi | CastOp::FpToSi, a, Ty::Int(_)) => float(a),
        (CastOp::UiToFp | CastOp::SiToFp, Ty::Int(_), b) => float(b),
        (CastOp::FpTrunc | CastOp::FpExt, a, b) => float(a) && float(b),
        (CastOp::PtrToInt, Ty::Ptr, Ty::Int(_)) | (CastOp::IntToPtr, Ty::Int(_), Ty::Ptr) => true,
        (CastOp::BitCast | CastOp::AddrSpaceCast, ..) => true,
        _ => false,
    }
}
