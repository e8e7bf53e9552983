//! Predicates that a solver found, as terms.
//!
//! A solver for integers says things about numbers without a width. Here every number has an interval, from those of
//! the arguments upwards, and its term is as wide as the interval needs: no operation wraps around, so the term means
//! over bits what the text means over integers. A predicate whose numbers need more than 128 bits, or that has words we
//! do not know (quantifiers, say), is no answer.

use super::super::model::read_value;
use super::super::sexp::Sexp;
use super::{Predicate, Reading};
use crate::solver::Theory;
use crate::terms::{Term, Terms, mask, signed};
use hashbrown::HashMap;

/// The meaning of a predicate.
#[derive(Clone, Debug)]
pub struct Interpretation {
    parameters: Vec<String>,
    arguments: Vec<(u32, Reading)>,
    body: Sexp,
    theory: Theory,
}

/// The meaning of each predicate; one that the model does not name is true. `None` if it is no model.
pub(super) fn interpretations(model: &Sexp, predicates: &[Predicate], theory: Theory) -> Option<Vec<Interpretation>> {
    let mut found = HashMap::new();
    for definition in model.list()?.iter().filter_map(Sexp::list) {
        if let [keyword, name, parameters, _, body] = definition
            && keyword.atom() == Some("define-fun")
        {
            let parameters =
                parameters.list()?.iter().map(|parameter| Some(parameter.list()?.first()?.atom()?.to_owned()));
            found.insert(name.atom()?.to_owned(), (parameters.collect::<Option<Vec<String>>>()?, body.clone()));
        }
    }
    let each = predicates.iter().enumerate().map(|(i, predicate)| {
        let arguments = predicate.arguments.clone();
        let (parameters, body) = found.remove(&format!("p{i}")).unwrap_or_else(|| {
            let names = (0..arguments.len()).map(|i| format!("x{i}"));
            (names.collect(), Sexp::Atom("true".to_owned()))
        });
        (parameters.len() == arguments.len()).then_some(Interpretation { parameters, arguments, body, theory })
    });
    each.collect()
}

/// A part of a predicate's text.
#[derive(Clone, Copy, Debug)]
enum Value {
    Truth(Term),
    /// In two's complement; the term is wide enough for the interval.
    Number {
        term: Term,
        low: i128,
        high: i128,
    },
    Bits(Term),
}

impl Interpretation {
    /// The predicate, said of terms. `None` if that cannot be expressed.
    pub fn apply(&self, terms: &mut Terms, arguments: &[Term]) -> Option<Term> {
        let mut names = HashMap::new();
        for ((name, &(bits, reading)), &term) in self.parameters.iter().zip(&self.arguments).zip(arguments) {
            assert_eq!(terms.bits(term), bits, "an argument of another width");
            let value = match (bits, self.theory, reading) {
                (1, ..) => Value::Truth(term),
                (_, Theory::BitVectors, _) => Value::Bits(term),
                (127.., ..) => return None,
                (_, Theory::Integers, Reading::Signed) => {
                    Value::Number { term, low: -1 << (bits - 1), high: mask(bits - 1).cast_signed() }
                }
                (_, Theory::Integers, Reading::Unsigned) => {
                    let term = terms.zero_extend(term, bits + 1);
                    Value::Number { term, low: 0, high: mask(bits).cast_signed() }
                }
            };
            names.insert(name.clone(), value);
        }
        let mut reader = Reader { terms, names: vec![names] };
        match reader.read(&self.body)? {
            Value::Truth(term) => Some(term),
            Value::Number { .. } | Value::Bits(_) => None,
        }
    }
}

struct Reader<'a> {
    terms: &'a mut Terms,
    /// Innermost last.
    names: Vec<HashMap<String, Value>>,
}

impl Reader<'_> {
    fn read(&mut self, text: &Sexp) -> Option<Value> {
        match text {
            Sexp::Atom(atom) => self.atom(text, atom),
            Sexp::List(items) => {
                let (head, rest) = items.split_first()?;
                match (head.atom(), rest) {
                    (Some("let"), [bindings, body]) => self.bound(bindings, body),
                    (Some("_"), [_, width]) => {
                        let bits: u32 = width.atom()?.parse().ok().filter(|bits| (1..=128).contains(bits))?;
                        Some(self.constant(bits, read_value(text, bits)?))
                    }
                    (Some(word), _) => {
                        let parts: Vec<Value> = rest.iter().map(|part| self.read(part)).collect::<Option<_>>()?;
                        self.operation(word, &parts)
                    }
                    (None, [of]) => {
                        let indexed: Vec<&str> = head.list()?.iter().map(Sexp::atom).collect::<Option<_>>()?;
                        let Value::Bits(of) = self.read(of)? else { return None };
                        self.indexed(&indexed, of)
                    }
                    (None, _) => None,
                }
            }
        }
    }

    fn atom(&mut self, text: &Sexp, atom: &str) -> Option<Value> {
        match atom {
            "true" => return Some(Value::Truth(Terms::TRUE)),
            "false" => return Some(Value::Truth(Terms::FALSE)),
            _ => {}
        }
        if let Some(&value) = self.names.iter().rev().find_map(|names| names.get(atom)) {
            return Some(value);
        }
        if let Some(digits) = atom.strip_prefix("#x") {
            let bits = u32::try_from(4 * digits.len()).ok().filter(|bits| (1..=128).contains(bits))?;
            return Some(self.constant(bits, read_value(text, bits)?));
        }
        if let Some(digits) = atom.strip_prefix("#b") {
            let bits = u32::try_from(digits.len()).ok().filter(|bits| (1..=128).contains(bits))?;
            return Some(self.constant(bits, read_value(text, bits)?));
        }
        let value: i128 = atom.parse().ok()?;
        self.exactly(value)
    }

    fn constant(&mut self, bits: u32, value: u128) -> Value {
        let term = self.terms.constant(bits, value);
        if bits == 1 { Value::Truth(term) } else { Value::Bits(term) }
    }

    fn bound(&mut self, bindings: &Sexp, body: &Sexp) -> Option<Value> {
        let mut names = HashMap::new();
        for binding in bindings.list()? {
            let [name, value] = binding.list()? else { return None };
            names.insert(name.atom()?.to_owned(), self.read(value)?);
        }
        self.names.push(names);
        let value = self.read(body);
        self.names.pop();
        value
    }

    fn operation(&mut self, word: &str, parts: &[Value]) -> Option<Value> {
        match (word, parts) {
            ("not", [a]) => {
                let a = truth(*a)?;
                Some(Value::Truth(self.terms.not(a)))
            }
            ("and", _) => {
                let parts = parts.iter().map(|&part| truth(part)).collect::<Option<Vec<Term>>>()?;
                Some(Value::Truth(self.terms.and_all(parts)))
            }
            ("or", _) => {
                let parts = parts.iter().map(|&part| truth(part)).collect::<Option<Vec<Term>>>()?;
                Some(Value::Truth(self.terms.or_all(parts)))
            }
            ("=>", [a, b]) => {
                let (a, b) = (truth(*a)?, truth(*b)?);
                Some(Value::Truth(self.terms.implies(a, b)))
            }
            ("xor", [a, b]) => {
                let (a, b) = (truth(*a)?, truth(*b)?);
                Some(Value::Truth(self.terms.xor(a, b)))
            }
            ("=", [a, b]) => self.equal(*a, *b).map(Value::Truth),
            ("distinct", [a, b]) => {
                let equal = self.equal(*a, *b)?;
                Some(Value::Truth(self.terms.not(equal)))
            }
            ("ite", [c, a, b]) => self.choice(truth(*c)?, *a, *b),
            _ if word.starts_with("bv") || word == "concat" => self.on_bits(word, parts),
            _ => self.on_numbers(word, parts),
        }
    }

    fn equal(&mut self, a: Value, b: Value) -> Option<Term> {
        match (a, b) {
            (Value::Truth(a), Value::Truth(b)) | (Value::Bits(a), Value::Bits(b)) => {
                (self.terms.bits(a) == self.terms.bits(b)).then(|| self.terms.eq(a, b))
            }
            (Value::Number { .. }, Value::Number { .. }) => {
                let (a, b) = self.of_one_width(a, b)?;
                Some(self.terms.eq(a, b))
            }
            _ => None,
        }
    }

    fn choice(&mut self, c: Term, a: Value, b: Value) -> Option<Value> {
        match (a, b) {
            (Value::Truth(a), Value::Truth(b)) => Some(Value::Truth(self.terms.ite(c, a, b))),
            (Value::Bits(a), Value::Bits(b)) if self.terms.bits(a) == self.terms.bits(b) => {
                Some(Value::Bits(self.terms.ite(c, a, b)))
            }
            (Value::Number { low, high, .. }, Value::Number { low: least, high: most, .. }) => {
                let (a, b) = self.of_one_width(a, b)?;
                Some(Value::Number { term: self.terms.ite(c, a, b), low: low.min(least), high: high.max(most) })
            }
            _ => None,
        }
    }

    fn on_numbers(&mut self, word: &str, parts: &[Value]) -> Option<Value> {
        let compared = |reader: &mut Self, a: Value, b: Value, or_equal: bool| {
            let (a, b) = reader.of_one_width(a, b)?;
            Some(Value::Truth(if or_equal { reader.terms.sle(a, b) } else { reader.terms.slt(a, b) }))
        };
        match (word, parts) {
            ("<", [a, b]) => compared(self, *a, *b, false),
            ("<=", [a, b]) => compared(self, *a, *b, true),
            (">", [a, b]) => compared(self, *b, *a, false),
            (">=", [a, b]) => compared(self, *b, *a, true),
            ("-", [a]) => {
                let zero = self.exactly(0)?;
                self.sum(zero, *a, -1)
            }
            ("+", [first, rest @ ..]) => rest.iter().try_fold(*first, |sum, &part| self.sum(sum, part, 1)),
            ("-", [first, rest @ ..]) => rest.iter().try_fold(*first, |sum, &part| self.sum(sum, part, -1)),
            ("*", [first, rest @ ..]) => rest.iter().try_fold(*first, |product, &part| self.product(product, part)),
            ("div" | "mod", [a, b]) => {
                let Value::Number { low: k, high, .. } = *b else { return None };
                if k != high || k <= 0 { None } else { self.division(word, *a, k) }
            }
            _ => None,
        }
    }

    fn exactly(&mut self, value: i128) -> Option<Value> {
        let bits = width(value, value)?;
        let term = self.terms.constant(bits, value.cast_unsigned());
        Some(Value::Number { term, low: value, high: value })
    }

    /// `a` plus or minus `b`.
    fn sum(&mut self, a: Value, b: Value, sign: i128) -> Option<Value> {
        let (Value::Number { term: a, low, high }, Value::Number { term: b, low: least, high: most }) = (a, b) else {
            return None;
        };
        let (low, high) = if sign > 0 {
            (low.checked_add(least)?, high.checked_add(most)?)
        } else {
            (low.checked_sub(most)?, high.checked_sub(least)?)
        };
        let bits = width(low, high)?.max(self.terms.bits(a)).max(self.terms.bits(b));
        let (a, b) = (self.terms.sign_extend(a, bits), self.terms.sign_extend(b, bits));
        let term = if sign > 0 { self.terms.add(a, b) } else { self.terms.sub(a, b) };
        Some(Value::Number { term, low, high })
    }

    fn product(&mut self, a: Value, b: Value) -> Option<Value> {
        let (Value::Number { term: a, low, high }, Value::Number { term: b, low: least, high: most }) = (a, b) else {
            return None;
        };
        let corners = [(low, least), (low, most), (high, least), (high, most)].map(|(a, b)| a.checked_mul(b));
        let corners = corners.into_iter().collect::<Option<Vec<i128>>>()?;
        let (low, high) = (*corners.iter().min()?, *corners.iter().max()?);
        let bits = width(low, high)?.max(self.terms.bits(a)).max(self.terms.bits(b));
        let (a, b) = (self.terms.sign_extend(a, bits), self.terms.sign_extend(b, bits));
        Some(Value::Number { term: self.terms.mul(a, b), low, high })
    }

    /// Rounded downwards, as SMT-LIB does for positive divisors: our own division rounds towards zero.
    fn division(&mut self, word: &str, a: Value, k: i128) -> Option<Value> {
        let Value::Number { term: a, low, high } = a else { return None };
        let bits = width(low.min(-k), high.max(k))?.max(self.terms.bits(a));
        let (a, by) = (self.terms.sign_extend(a, bits), self.terms.constant(bits, k.cast_unsigned()));
        let (zero, one) = (self.terms.constant(bits, 0), self.terms.constant(bits, 1));
        let rest = self.terms.srem(a, by);
        let is_below = self.terms.slt(rest, zero);
        let (term, low, high) = if word == "mod" {
            let raised = self.terms.add(rest, by);
            (self.terms.ite(is_below, raised, rest), 0, k - 1)
        } else {
            let quotient = self.terms.sdiv(a, by);
            let lowered = self.terms.sub(quotient, one);
            (self.terms.ite(is_below, lowered, quotient), low.div_euclid(k), high.div_euclid(k))
        };
        Some(Value::Number { term, low, high })
    }

    fn of_one_width(&mut self, a: Value, b: Value) -> Option<(Term, Term)> {
        let (Value::Number { term: a, .. }, Value::Number { term: b, .. }) = (a, b) else { return None };
        let bits = self.terms.bits(a).max(self.terms.bits(b));
        Some((self.terms.sign_extend(a, bits), self.terms.sign_extend(b, bits)))
    }

    fn indexed(&mut self, word: &[&str], of: Term) -> Option<Value> {
        let bits = self.terms.bits(of);
        let number = |text: &str| text.parse::<u32>().ok();
        let term = match *word {
            ["_", "extract", high, low] => {
                let (high, low) = (number(high)?, number(low)?);
                if low > high || high >= bits {
                    return None;
                }
                self.terms.extract(of, low, high - low + 1)
            }
            ["_", "zero_extend", by] => {
                let wide = bits.checked_add(number(by)?).filter(|&bits| bits <= 128)?;
                self.terms.zero_extend(of, wide)
            }
            ["_", "sign_extend", by] => {
                let wide = bits.checked_add(number(by)?).filter(|&bits| bits <= 128)?;
                self.terms.sign_extend(of, wide)
            }
            _ => return None,
        };
        Some(if self.terms.bits(term) == 1 { Value::Truth(term) } else { Value::Bits(term) })
    }

    fn on_bits(&mut self, word: &str, parts: &[Value]) -> Option<Value> {
        // A bit is a Boolean here, wherever it comes from.
        let parts = parts.iter().map(|&part| match part {
            Value::Bits(term) | Value::Truth(term) => Some(term),
            Value::Number { .. } => None,
        });
        let parts: Vec<Term> = parts.collect::<Option<_>>()?;
        let terms = &mut *self.terms;
        let same = parts.iter().all(|&part| terms.bits(part) == terms.bits(parts[0]));
        if !same && word != "concat" {
            return None;
        }
        let term = match (word, &parts[..]) {
            ("bvnot", &[a]) => terms.not(a),
            ("bvneg", &[a]) => terms.neg(a),
            ("bvand", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &part| terms.and(all, part)),
            ("bvor", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &part| terms.or(all, part)),
            ("bvxor", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &part| terms.xor(all, part)),
            ("bvadd", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &part| terms.add(all, part)),
            ("bvmul", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &part| terms.mul(all, part)),
            ("bvsub", &[a, b]) => terms.sub(a, b),
            ("bvudiv" | "bvudiv_i", &[a, b]) => terms.udiv(a, b),
            ("bvurem" | "bvurem_i", &[a, b]) => terms.urem(a, b),
            ("bvsdiv" | "bvsdiv_i", &[a, b]) => terms.sdiv(a, b),
            ("bvsrem" | "bvsrem_i", &[a, b]) => terms.srem(a, b),
            ("bvult", &[a, b]) => return Some(Value::Truth(terms.ult(a, b))),
            ("bvule", &[a, b]) => return Some(Value::Truth(terms.ule(a, b))),
            ("bvugt", &[a, b]) => return Some(Value::Truth(terms.ult(b, a))),
            ("bvuge", &[a, b]) => return Some(Value::Truth(terms.ule(b, a))),
            ("bvslt", &[a, b]) => return Some(Value::Truth(terms.slt(a, b))),
            ("bvsle", &[a, b]) => return Some(Value::Truth(terms.sle(a, b))),
            ("bvsgt", &[a, b]) => return Some(Value::Truth(terms.slt(b, a))),
            ("bvsge", &[a, b]) => return Some(Value::Truth(terms.sle(b, a))),
            ("concat", &[first, ref rest @ ..]) => {
                let bits: u32 = parts.iter().map(|&part| terms.bits(part)).sum();
                if bits > 128 {
                    return None;
                }
                rest.iter().fold(first, |all, &part| terms.concat(all, part))
            }
            _ => return None,
        };
        Some(if self.terms.bits(term) == 1 { Value::Truth(term) } else { Value::Bits(term) })
    }
}

fn truth(value: Value) -> Option<Term> {
    match value {
        Value::Truth(term) => Some(term),
        Value::Number { .. } | Value::Bits(_) => None,
    }
}

/// The bits that two's complement needs for an interval; none if there are not enough.
fn width(low: i128, high: i128) -> Option<u32> {
    (2..=127).find(|&bits| signed(bits, low.cast_unsigned()) == low && signed(bits, high.cast_unsigned()) == high)
}
