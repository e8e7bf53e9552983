//! Operations on constants, exactly as the VM computes them.
//!
//! A constant is an operand: bits, or the address of an object or of a function. A register of integer
//! type may hold an address too (`(uintptr_t)p`); that is known here, but no operand of the bounded
//! program, whose integers are bits.
//!
//! Folded is only what certainly is no violation.

use selvedge_program::semantics::casts;
use selvedge_program::semantics::integers::{compare, defined_binary, signed, truncate, unary};
use selvedge_program::{BinOp, Cast, CmpOp, Computation, DataModel, GlobalId, Operand, Pointers, Ty};

/// Integers below this name no object when they become pointers: an offset from null.
pub const NULL_PAGE: u128 = 4096;

/// The facts that folding needs.
pub struct Context<'a> {
    pub model: DataModel,
    /// The value of an operand, if it is known.
    pub value: &'a dyn Fn(Operand) -> Option<Operand>,
    pub size: &'a dyn Fn(GlobalId) -> u64,
    pub ty: &'a dyn Fn(Operand) -> Ty,
}

/// The first result of a computation, as a constant of type `to`.
pub fn fold(context: &Context<'_>, computation: Computation, to: Ty) -> Option<Operand> {
    let value = context.value;
    let width = |operand: Operand| (context.ty)(operand).bits(context.model);
    let pointer = context.model.pointer_bits();
    match computation {
        Computation::Copy { src, .. } => retyped(value(src)?, to),
        Computation::Binary { op, a, b, checked, .. } => {
            let w = width(a);
            match (value(a)?, value(b)?) {
                (Operand::Const { bits: x, .. }, Operand::Const { bits: y, .. }) => {
                    Some(Operand::Const { ty: to, bits: defined_binary(op, w, x, y, checked)? })
                }
                (a, b) if w == pointer => address_arithmetic(context.model, op, w, a, b, to),
                _ => None,
            }
        }
        Computation::Unary { op, a, .. } => match value(a)? {
            Operand::Const { bits, .. } => Some(Operand::Const { ty: to, bits: unary(op, width(a), bits) }),
            _ => None,
        },
        Computation::Compare { op, a, b, .. } => {
            let result = match (value(a)?, value(b)?) {
                (Operand::Const { bits: x, .. }, Operand::Const { bits: y, .. }) => compare(op, width(a), x, y),
                (a, b) => compare_addresses(context, op, a, b)?,
            };
            Some(Operand::Const { ty: to, bits: u128::from(result) })
        }
        Computation::Cast { cast, src, .. } => {
            convert(cast, width(src), to.bits(context.model), pointer, value(src)?, to)
        }
        Computation::Select { cond, a, b, .. } => match value(cond)? {
            Operand::Const { bits, .. } => retyped(value(if bits & 1 == 1 { a } else { b })?, to),
            _ => None,
        },
        Computation::Field { base, bytes, .. } => moved(context.model, value(base)?, i128::from(bytes)),
        Computation::Index { base, index, stride, bound, .. } => {
            let Operand::Const { bits, .. } = value(index)? else { return None };
            let index = signed(width(index), bits);
            let fine = bound.is_none_or(|bound| (0..i128::from(bound)).contains(&index));
            if !fine {
                return None;
            }
            moved(context.model, value(base)?, index.checked_mul(i128::from(stride))?)
        }
        Computation::Overflowing { .. }
        | Computation::FloatBinary { .. }
        | Computation::FloatUnary { .. }
        | Computation::FloatCompare { .. } => None,
    }
}

/// The constant under the type of the register that holds it.
pub fn retyped(value: Operand, to: Ty) -> Option<Operand> {
    Some(match value {
        Operand::Const { bits, .. } => Operand::Const { ty: to, bits },
        other => other,
    })
}

/// A pointer some bytes further. Where it leaves its object's window, nothing is known of it.
fn moved(model: DataModel, base: Operand, bytes: i128) -> Option<Operand> {
    match base {
        Operand::Global { id, offset } => {
            let pointers = Pointers::new(model);
            let start = pointers.start(1);
            let stays = |offset: i64| pointers.window(pointers.moved(start, i128::from(offset), |_, _| false)) == 1;
            let moved = i64::try_from(i128::from(offset).checked_add(bytes)?).ok()?;
            (stays(offset) && stays(moved)).then_some(Operand::Global { id, offset: moved })
        }
        Operand::Const { bits, .. } => {
            let sum = u128::try_from((bits as i128).checked_add(bytes)?).ok()?;
            (bits < NULL_PAGE && sum < NULL_PAGE).then_some(Operand::Const { ty: Ty::Ptr, bits: sum })
        }
        Operand::Func(_) if bytes == 0 => Some(base),
        Operand::Func(_) | Operand::Reg(_) => None,
    }
}

/// On integers that are addresses.
fn address_arithmetic(model: DataModel, op: BinOp, width: u32, a: Operand, b: Operand, to: Ty) -> Option<Operand> {
    match (op, a, b) {
        (BinOp::Add, address @ Operand::Global { .. }, Operand::Const { bits, .. })
        | (BinOp::Add, Operand::Const { bits, .. }, address @ Operand::Global { .. }) => {
            moved(model, address, signed(width, bits))
        }
        (BinOp::Sub, address @ Operand::Global { .. }, Operand::Const { bits, .. }) => {
            moved(model, address, signed(width, bits).checked_neg()?)
        }
        (BinOp::Sub, Operand::Global { id: x, offset: m }, Operand::Global { id: y, offset: n }) if x == y => {
            let bits = truncate(width, m.checked_sub(n)? as i128 as u128);
            Some(Operand::Const { ty: to, bits })
        }
        _ => None,
    }
}

fn compare_addresses(context: &Context<'_>, op: CmpOp, a: Operand, b: Operand) -> Option<bool> {
    // An offset into the object, or just behind it, keeps its distance from every other object.
    let within = |id, offset| u64::try_from(offset).is_ok_and(|at: u64| at <= (context.size)(id));
    let same = match (a, b) {
        (Operand::Global { id: x, offset: m }, Operand::Global { id: y, offset: n }) => {
            if !within(x, m) || !within(y, n) {
                return None;
            }
            if x == y {
                return match op {
                    CmpOp::Eq | CmpOp::Ne | CmpOp::Ult | CmpOp::Ule | CmpOp::Ugt | CmpOp::Uge => {
                        Some(compare(op, 64, m as u128, n as u128))
                    }
                    CmpOp::Slt | CmpOp::Sle | CmpOp::Sgt | CmpOp::Sge => None,
                };
            }
            false
        }
        (Operand::Func(x), Operand::Func(y)) => x == y,
        (Operand::Func(_), Operand::Global { id, offset }) | (Operand::Global { id, offset }, Operand::Func(_)) => {
            if !within(id, offset) {
                return None;
            }
            false
        }
        (Operand::Const { bits, .. }, Operand::Func(_)) | (Operand::Func(_), Operand::Const { bits, .. })
            if bits < NULL_PAGE =>
        {
            false
        }
        (Operand::Const { bits, .. }, Operand::Global { id, offset })
        | (Operand::Global { id, offset }, Operand::Const { bits, .. })
            if bits < NULL_PAGE && within(id, offset) =>
        {
            false
        }
        _ => return None,
    };
    match op {
        CmpOp::Eq => Some(same),
        CmpOp::Ne => Some(!same),
        CmpOp::Ult | CmpOp::Ule | CmpOp::Ugt | CmpOp::Uge | CmpOp::Slt | CmpOp::Sle | CmpOp::Sgt | CmpOp::Sge => None,
    }
}

fn convert(cast: Cast, from: u32, to_bits: u32, pointer: u32, value: Operand, to: Ty) -> Option<Operand> {
    let Operand::Const { bits, .. } = value else {
        // An address keeps its identity in an integer of its own width.
        let whole = from == pointer && to_bits == pointer;
        let keeps = matches!(cast, Cast::PtrToInt | Cast::IntToPtr | Cast::Reinterpret);
        return (whole && keeps).then_some(value);
    };
    let fits = cast != Cast::IntToPtr || bits < NULL_PAGE;
    let bits = casts::integer(cast, from, to_bits, bits).filter(|_| fits)?;
    Some(Operand::Const { ty: to, bits })
}
