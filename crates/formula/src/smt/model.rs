//! A solver's model: values of variables, and of terms over them.

use super::sexp::Sexp;
use crate::evaluate::Evaluator;
use crate::terms::{Node, Term, Terms, mask};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

pub(super) struct Model {
    variables: HashMap<Term, u128, FixedState>,
    computed: Evaluator,
}

impl Model {
    pub fn new(variables: HashMap<Term, u128, FixedState>) -> Model {
        Model { variables, computed: Evaluator::new() }
    }

    /// The value of any term; other variables are 0.
    pub fn value(&mut self, terms: &Terms, t: Term) -> u128 {
        let variables = &self.variables;
        let variable = |t| matches!(terms.node(t), Node::Var { .. }).then(|| variables.get(&t).copied().unwrap_or(0));
        self.computed.value(terms, t, &mut { variable })
    }
}

/// `true`, `#b101`, `#x1f`, `(_ bv5 32)`, `5` or `(- 5)`, at a width.
pub(super) fn read_value(text: &Sexp, bits: u32) -> Option<u128> {
    let natural = |text: &str, radix| u128::from_str_radix(text, radix).ok().filter(|&value| value <= mask(bits));
    match text {
        Sexp::Atom(text) => match (text.as_str(), text.get(..2)) {
            ("true", _) => Some(1),
            ("false", _) => Some(0),
            (_, Some("#b")) => natural(&text[2..], 2),
            (_, Some("#x")) => natural(&text[2..], 16),
            _ => natural(text, 10),
        },
        Sexp::List(items) => match &items[..] {
            [sign, number] if sign.atom() == Some("-") => {
                Some(natural(number.atom()?, 10)?.wrapping_neg() & mask(bits))
            }
            [_, value, _] => natural(value.atom()?.strip_prefix("bv")?, 10),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::sexp::read;

    #[test]
    fn values_as_solvers_write_them() {
        let value = |text: &str, bits| read(&mut text.as_bytes()).unwrap().and_then(|sexp| read_value(&sexp, bits));
        assert_eq!((value("true", 1), value("false", 1)), (Some(1), Some(0)));
        assert_eq!((value("#b101", 3), value("#b101", 2)), (Some(5), None));
        assert_eq!((value("#xff", 8), value("#xfg", 8), value("#x", 8)), (Some(255), None, None));
        assert_eq!((value("(_ bv7 3)", 3), value("(_ bv8 3)", 3), value("(_ 7 3)", 3)), (Some(7), None, None));
        assert_eq!((value("12", 8), value("(- 12)", 8), value("(- x)", 8)), (Some(12), Some(244), None));
        assert_eq!((value("x", 8), value("()", 8), value("é", 8)), (None, None, None));
    }
}
