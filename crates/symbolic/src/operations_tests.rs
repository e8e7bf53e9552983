//! Terms against the meaning of operations: on random operands both say the same.

use super::*;
use proptest::prelude::*;
use selvedge_program::semantics::{casts, integers};
use selvedge_program::{Cast, DataModel, Ty};

const WIDTHS: [u32; 7] = [1, 7, 8, 16, 32, 64, 128];

/// A width and a value of it: any, small, or close to an end.
fn operand(width: u32) -> impl Strategy<Value = u128> {
    let top = 1u128 << (width - 1);
    let near = prop_oneof![Just(0), Just(top), Just(top.wrapping_sub(1)), Just(u128::MAX), Just(u128::from(width))];
    let values = prop_oneof![any::<u128>(), 0..10u128, near];
    values.prop_map(move |bits| integers::truncate(width, bits))
}

fn pair() -> impl Strategy<Value = (u32, u128, u128)> {
    proptest::sample::select(WIDTHS.to_vec()).prop_flat_map(|width| (Just(width), operand(width), operand(width)))
}

/// The value of a term over two variables, and of the same term over constants.
fn values(width: u32, a: u128, b: u128, build: impl Fn(&mut Terms, Term, Term) -> Term) -> [u128; 2] {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(width, "a"), terms.variable(width, "b"));
    let open = build(&mut terms, x, y);
    let open = terms.evaluate(open, &mut |variable| if variable == x { a } else { b });
    let (x, y) = (terms.constant(width, a), terms.constant(width, b));
    let closed = build(&mut terms, x, y);
    [open, terms.evaluate(closed, &mut |_| unreachable!("nothing is variable"))]
}

proptest! {
    #[test]
    fn terms_mean_what_operations_do((width, a, b) in pair()) {
        for op in BinOp::ALL {
            if let Some(value) = integers::binary(op, width, a, b) {
                let terms = values(width, a, b, |terms, a, b| arithmetic(terms, op, a, b));
                prop_assert_eq!(terms, [value; 2], "{:?}", op);
            }
        }
        let amount = integers::shift_amount(width, b);
        prop_assert_eq!(values(width, a, b, |terms, _, b| shift_amount(terms, b)), [amount; 2]);
        for op in BinOp::ALL {
            let build = |terms: &mut Terms, a, b| {
                let conditions = undefined(terms, op, a, b);
                conditions.into_iter().fold(Terms::FALSE, |any, (_, condition)| terms.or(any, condition))
            };
            let value = u128::from(integers::binary(op, width, a, b).is_none());
            prop_assert_eq!(values(width, a, b, build), [value; 2], "{:?}", op);
        }
        for (op, signed) in BinOp::ALL.into_iter().flat_map(|op| [(op, false), (op, true)]) {
            let value = u128::from(integers::overflows(op, signed, width, a, b));
            if width <= 64 && integers::binary(op, width, a, b).is_some() {
                let build = |terms: &mut Terms, a, b| overflow(terms, op, signed, a, b).expect("wide enough");
                prop_assert_eq!(values(width, a, b, build), [value; 2], "{:?} {}", op, signed);
            }
        }
        for op in UnOp::ALL.into_iter().filter(|op| *op != UnOp::SwapBytes || width.is_multiple_of(8)) {
            let value = integers::unary(op, width, a);
            prop_assert_eq!(values(width, a, b, |terms, a, _| unary(terms, op, a)), [value; 2], "{:?}", op);
        }
        for op in CmpOp::ALL {
            let value = u128::from(integers::compare(op, width, a, b));
            prop_assert_eq!(values(width, a, b, |terms, a, b| compare(terms, op, a, b)), [value; 2], "{:?}", op);
        }
        for op in RmwOp::ALL.into_iter().filter(|op| !matches!(op, RmwOp::FAdd | RmwOp::FSub)) {
            let value = selvedge_program::semantics::modify(op, Ty::Int(width as u8), width, a, b);
            prop_assert_eq!(values(width, a, b, |terms, a, b| modify(terms, op, a, b)), [value; 2], "{:?}", op);
        }
    }

    #[test]
    fn terms_convert_as_casts_do((width, a, _) in pair(), to in proptest::sample::select(WIDTHS.to_vec())) {
        let (from, wanted) = (Ty::Int(width as u8), Ty::Int(to as u8));
        let casts = [
            (Cast::ZeroExtend, wanted, to >= width),
            (Cast::SignExtend, wanted, to >= width),
            (Cast::Truncate, wanted, to <= width),
            (Cast::SignedToFloat, Ty::F32, true),
            (Cast::UnsignedToFloat, Ty::F64, true),
        ];
        for (cast, to, _) in casts.into_iter().filter(|(_, _, legal)| *legal) {
            let value = casts::convert(cast, DataModel::Lp64, from, to, a);
            let build = |terms: &mut Terms, a, _| convert(terms, cast, from, to, to.bits(DataModel::Lp64), a);
            prop_assert_eq!(values(width, a, 0, build), [value; 2], "{:?} to {:?}", cast, to);
        }
        let from = match width {
            32 => Ty::F32,
            64 => Ty::F64,
            _ => return Ok(()),
        };
        for (cast, to) in [(Cast::FloatToSigned, wanted), (Cast::FloatToUnsigned, wanted), (Cast::FloatToFloat, Ty::F32)] {
            let value = casts::convert(cast, DataModel::Lp64, from, to, a);
            let build = |terms: &mut Terms, a, _| convert(terms, cast, from, to, to.bits(DataModel::Lp64), a);
            prop_assert_eq!(values(width, a, 0, build), [value; 2], "{:?} to {:?}", cast, to);
        }
    }
}
