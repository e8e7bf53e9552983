//! Clauses in linear integer arithmetic that mean what they mean over bits, or say less.
//!
//! A term of width 1 is a Boolean. Any other is *some* integer that is equal to it modulo 2ⁿ, of which we know an
//! interval: sums and differences are not brought back into their width until it matters which number it is (a
//! comparison, a division, an extension, an argument of a predicate). Then it costs nothing if the interval is within
//! the width, a choice if it can be off by one wrap-around, and a `mod` otherwise.
//!
//! Products of variables, shifts by variables and bit operations without a constant are variables that may have any
//! value of the width. They stand in the clause for "all values", so whatever satisfies the text satisfies the clause.

use super::super::writer::name;
use super::{Application, Clause, Clauses, Reading, applied, assertion};
use crate::terms::{Node, Term, Terms, mask, signed};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The widest terms that are numbers. Wider ones have any value.
const WIDEST: u32 = 96;
/// Numbers whose interval grows beyond this are brought back into their width.
const FAR: i128 = 1 << 110;
/// The most runs of ones in a mask that is written as a sum.
const RUNS: usize = 4;

/// A number, equal to a term modulo 2ⁿ, and within an interval.
#[derive(Clone, Debug)]
struct Number {
    text: String,
    low: i128,
    high: i128,
}

#[derive(Clone, Debug)]
enum Value {
    Truth(String),
    Number(Number),
}

struct Writer<'a> {
    terms: &'a Terms,
    clauses: &'a Clauses,
    values: HashMap<Term, Value, FixedState>,
    read: HashMap<(Term, Reading), Number, FixedState>,
    variables: Vec<(String, String)>,
    definitions: Vec<(String, String)>,
    facts: Vec<String>,
}

pub(super) fn clause(terms: &Terms, clauses: &Clauses, clause: &Clause) -> String {
    let mut writer = Writer {
        terms,
        clauses,
        values: HashMap::default(),
        read: HashMap::default(),
        variables: Vec::new(),
        definitions: Vec::new(),
        facts: Vec::new(),
    };
    for t in terms.cone(clause.terms()) {
        let value = writer.value(t);
        writer.values.insert(t, value);
    }
    let constraints: Vec<String> = clause.constraints.iter().map(|&t| writer.truth(t)).collect();
    let premises: Vec<String> = clause.premises.iter().map(|premise| writer.said(premise)).collect();
    let conclusion = clause.conclusion.as_ref().map_or_else(|| "false".to_owned(), |said| writer.said(said));
    let facts: Vec<String> = premises.into_iter().chain(writer.facts).chain(constraints).collect();
    assertion(&writer.variables, &writer.definitions, &facts, &conclusion)
}

impl Writer<'_> {
    fn said(&mut self, application: &Application) -> String {
        let of = &self.clauses.predicates[application.predicate].arguments;
        applied(application, |t, i| match of[i] {
            (1, _) => self.truth(t),
            (_, reading) => self.number(t, reading).text,
        })
    }

    fn truth(&self, t: Term) -> String {
        match &self.values[&t] {
            Value::Truth(text) => text.clone(),
            Value::Number(_) => unreachable!("a number is no Boolean"),
        }
    }

    /// Any number that is equal to the term modulo 2ⁿ; a Boolean is 0 or 1.
    fn raw(&self, t: Term) -> Number {
        match &self.values[&t] {
            Value::Truth(text) => Number { text: format!("(ite {text} 1 0)"), low: 0, high: 1 },
            Value::Number(number) => number.clone(),
        }
    }

    /// The number that the bits mean.
    fn number(&mut self, t: Term, reading: Reading) -> Number {
        if let Some(known) = self.read.get(&(t, reading)) {
            return known.clone();
        }
        let bits = self.terms.bits(t);
        let number = match (self.terms.as_constant(t), &self.values[&t], reading) {
            (Some(value), _, Reading::Unsigned) => exactly(value.cast_signed()),
            (Some(value), _, Reading::Signed) => exactly(signed(bits, value)),
            (None, Value::Truth(text), Reading::Unsigned) => {
                Number { text: format!("(ite {text} 1 0)"), low: 0, high: 1 }
            }
            (None, Value::Truth(text), Reading::Signed) => {
                Number { text: format!("(ite {text} (- 1) 0)"), low: -1, high: 0 }
            }
            (None, Value::Number(number), _) => {
                let number = number.clone();
                self.brought_back(t, number, bits, reading)
            }
        };
        self.read.insert((t, reading), number.clone());
        number
    }

    fn brought_back(&mut self, t: Term, number: Number, bits: u32, reading: Reading) -> Number {
        let (least, most) = limits(bits, reading);
        if bits > WIDEST || least <= number.low && number.high <= most {
            return number;
        }
        let (text, whole) = (&number.text, 1i128 << bits);
        let body = if least - whole <= number.low && number.high <= most + whole {
            let up = format!("(ite (< {text} {}) (+ {text} {whole}) {text})", show(least));
            match (number.low < least, number.high > most) {
                (true, false) => up,
                (low, _) => {
                    let rest = if low { up } else { text.clone() };
                    format!("(ite (< {} {text}) (- {text} {whole}) {rest})", show(most))
                }
            }
        } else {
            let natural = format!("(mod {text} {whole})");
            match reading {
                Reading::Unsigned => natural,
                Reading::Signed => format!("(ite (< {natural} {}) {natural} (- {natural} {whole}))", most + 1),
            }
        };
        let prefix = if reading == Reading::Signed { "s" } else { "u" };
        let text = self.define(format!("{prefix}{}", t.index()), body);
        Number { text, low: least, high: most }
    }

    fn define(&mut self, name: String, body: String) -> String {
        if !body.starts_with('(') {
            return body;
        }
        self.definitions.push((name.clone(), body));
        name
    }

    /// A variable of the clause with the values of a width.
    fn any(&mut self, name: String, bits: u32, reading: Reading) -> Value {
        if bits == 1 {
            self.variables.push((name.clone(), "Bool".to_owned()));
            return Value::Truth(name);
        }
        self.variables.push((name.clone(), "Int".to_owned()));
        if bits > WIDEST {
            return Value::Number(Number { text: name, low: -FAR, high: FAR });
        }
        let (low, high) = limits(bits, reading);
        self.facts.push(format!("(<= {} {name} {high})", show(low)));
        Value::Number(Number { text: name, low, high })
    }

    fn value(&mut self, t: Term) -> Value {
        let (terms, bits) = (self.terms, self.terms.bits(t));
        let node = terms.node(t);
        if bits == 1
            && let Some(text) = self.boolean(t, node)
        {
            return Value::Truth(self.define(name(terms, t), text));
        }
        if let Node::Var { .. } = node {
            let reading = self.clauses.readings.get(&t).copied().unwrap_or(Reading::Signed);
            return self.any(name(terms, t), bits, reading);
        }
        let number = if bits > WIDEST { None } else { self.integer(node, bits) };
        let Some(number) = number else { return self.any(name(terms, t), bits, Reading::Unsigned) };
        if bits == 1 {
            let text = format!("(= (mod {} 2) 1)", number.text);
            return Value::Truth(self.define(name(terms, t), text));
        }
        let text = self.define(name(terms, t), number.text);
        let number = Number { text, ..number };
        let far = number.low < -FAR || number.high > FAR;
        Value::Number(if far { self.brought_back(t, number, bits, Reading::Signed) } else { number })
    }

    /// The text of a term of width 1, unless it is computed as a number.
    fn boolean(&mut self, t: Term, node: Node) -> Option<String> {
        Some(match node {
            Node::Const { value, .. } => (value == 1).to_string(),
            Node::Not(a) => format!("(not {})", self.truth(a)),
            Node::And(a, b) => format!("(and {} {})", self.truth(a), self.truth(b)),
            Node::Xor(a, b) => format!("(xor {} {})", self.truth(a), self.truth(b)),
            Node::Ite(c, a, b) => format!("(ite {} {} {})", self.truth(c), self.truth(a), self.truth(b)),
            Node::Eq(a, b) => self.equal(a, b),
            Node::Ult(a, b) => {
                let of = [a, b].map(|t| self.number(t, Reading::Unsigned).text);
                format!("(< {} {})", of[0], of[1])
            }
            Node::Slt(a, b) => {
                let of = [a, b].map(|t| self.number(t, Reading::Signed).text);
                format!("(< {} {})", of[0], of[1])
            }
            Node::Extract { of, low, .. } if low + 1 == self.terms.bits(of) && self.terms.bits(of) <= WIDEST => {
                format!("(< {} 0)", self.number(of, Reading::Signed).text)
            }
            Node::Var { .. } | Node::Neg(_) | Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::Udiv(..) => {
                return None;
            }
            Node::Sdiv(..) | Node::Urem(..) | Node::Srem(..) | Node::Shl(..) | Node::Lshr(..) | Node::Ashr(..) => {
                return None;
            }
            Node::ZeroExtend { .. } | Node::SignExtend { .. } | Node::Extract { .. } | Node::Concat(..) => {
                debug_assert_eq!(self.terms.bits(t), 1);
                return None;
            }
        })
    }

    /// Both sides are read in the way that costs less.
    fn equal(&mut self, a: Term, b: Term) -> String {
        let bits = self.terms.bits(a);
        let cost = |writer: &Writer, reading: Reading| -> u32 {
            let (least, most) = limits(bits.min(WIDEST), reading);
            let cost = |t: Term| {
                let number = writer.raw(t);
                let fits = least <= number.low && number.high <= most;
                u32::from(writer.terms.as_constant(t).is_none() && !fits)
            };
            cost(a) + cost(b)
        };
        let signed = cost(self, Reading::Signed) <= cost(self, Reading::Unsigned);
        let reading = if signed { Reading::Signed } else { Reading::Unsigned };
        let of = [a, b].map(|t| self.number(t, reading).text);
        format!("(= {} {})", of[0], of[1])
    }

    /// `None` if it is not linear. Its operands have their values already.
    fn integer(&mut self, node: Node, bits: u32) -> Option<Number> {
        let terms = self.terms;
        let constant = |t: Term| terms.as_constant(t);
        let computed = |text: String, low: i128, high: i128| Some(Number { text, low, high });
        match node {
            Node::Const { value, .. } => {
                // The smaller number of the two: nearer to what sums need.
                Some(exactly(signed(bits, value)))
            }
            Node::Not(a) => {
                let a = self.raw(a);
                computed(format!("(- (- 1) {})", a.text), -1 - a.high, -1 - a.low)
            }
            Node::Neg(a) => {
                let a = self.raw(a);
                computed(format!("(- {})", a.text), -a.high, -a.low)
            }
            Node::Add(a, b) => {
                let (a, b) = (self.raw(a), self.raw(b));
                computed(format!("(+ {} {})", a.text, b.text), a.low + b.low, a.high + b.high)
            }
            Node::Sub(a, b) => {
                let (a, b) = (self.raw(a), self.raw(b));
                computed(format!("(- {} {})", a.text, b.text), a.low - b.high, a.high - b.low)
            }
            Node::Mul(a, b) => {
                let (k, a) = match (constant(a), constant(b)) {
                    (Some(k), _) => (k, b),
                    (_, Some(k)) => (k, a),
                    (None, None) => return None,
                };
                let (k, a) = (signed(bits, k), self.raw(a));
                let (one, other) = (a.low.checked_mul(k)?, a.high.checked_mul(k)?);
                computed(format!("(* {} {})", show(k), a.text), one.min(other), one.max(other))
            }
            Node::Udiv(a, b) => {
                let k = constant(b).filter(|&k| k != 0)?.cast_signed();
                let a = self.number(a, Reading::Unsigned);
                computed(format!("(div {} {k})", a.text), a.low / k, a.high / k)
            }
            Node::Urem(a, b) => {
                let k = constant(b).filter(|&k| k != 0)?.cast_signed();
                let a = self.number(a, Reading::Unsigned);
                computed(format!("(mod {} {k})", a.text), 0, a.high.min(k - 1))
            }
            Node::Sdiv(a, b) => {
                let k = signed(bits, constant(b).filter(|&k| k != 0)?);
                let a = self.number(a, Reading::Signed).text;
                let (low, high) = limits(bits + 1, Reading::Signed);
                computed(format!("(ite (<= 0 {a}) (div {a} {0}) (- (div (- {a}) {0})))", show(k)), low, high)
            }
            Node::Srem(a, b) => {
                let k = signed(bits, constant(b).filter(|&k| k != 0)?).unsigned_abs().cast_signed();
                let a = self.number(a, Reading::Signed).text;
                computed(format!("(ite (<= 0 {a}) (mod {a} {k}) (- (mod (- {a}) {k})))"), 1 - k, k - 1)
            }
            Node::And(a, b) => self.both(a, b, bits),
            Node::Xor(a, b) => {
                let (k, a) = match (constant(a), constant(b)) {
                    (Some(_), _) => (a, b),
                    (_, Some(_)) => (b, a),
                    (None, None) => return None,
                };
                let both = self.both(a, k, bits)?;
                let (a, k) = (self.raw(a), self.number(k, Reading::Unsigned));
                let text = format!("(- (+ {} {}) (* 2 {}))", a.text, k.text, both.text);
                computed(text, a.low + k.low - 2 * both.high, a.high + k.high - 2 * both.low)
            }
            Node::Shl(..) | Node::Lshr(..) | Node::Ashr(..) => None,
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.truth(c), self.raw(a), self.raw(b));
                computed(format!("(ite {c} {} {})", a.text, b.text), a.low.min(b.low), a.high.max(b.high))
            }
            Node::ZeroExtend { of, .. } => (terms.bits(of) <= WIDEST).then(|| self.number(of, Reading::Unsigned)),
            Node::SignExtend { of, .. } => (terms.bits(of) <= WIDEST).then(|| self.number(of, Reading::Signed)),
            Node::Extract { of, .. } if terms.bits(of) > WIDEST => None,
            Node::Extract { of, low: 0, .. } => Some(self.raw(of)),
            Node::Extract { of, low, .. } => {
                let (a, by) = (self.raw(of), 1i128 << low);
                computed(format!("(div {} {by})", a.text), a.low.div_euclid(by), a.high.div_euclid(by))
            }
            Node::Concat(high, low) => {
                let by = 1i128 << terms.bits(low);
                let (a, b) = (self.raw(high), self.number(low, Reading::Unsigned));
                let (least, most) = (a.low.checked_mul(by)?, a.high.checked_mul(by)?);
                computed(
                    format!("(+ (* {by} {}) {})", a.text, b.text),
                    least.checked_add(b.low)?,
                    most.checked_add(b.high)?,
                )
            }
            Node::Var { .. } | Node::Eq(..) | Node::Ult(..) | Node::Slt(..) => unreachable!("no operation on numbers"),
        }
    }

    /// Bits of a number that a constant selects, as a natural number.
    fn both(&mut self, a: Term, b: Term, bits: u32) -> Option<Number> {
        let (a, k) = match (self.terms.as_constant(a), self.terms.as_constant(b)) {
            (Some(k), _) => (b, k),
            (_, Some(k)) => (a, k),
            (None, None) => return None,
        };
        let a = self.raw(a).text;
        let (mut summands, mut rest) = (Vec::new(), k & mask(bits));
        while rest != 0 {
            let low = rest.trailing_zeros();
            let ones = (rest >> low).trailing_ones();
            rest &= !(mask(ones) << low);
            let digits = match low {
                0 => format!("(mod {a} {})", 1i128 << ones),
                _ => format!("(* {0} (mod (div {a} {0}) {1}))", 1i128 << low, 1i128 << ones),
            };
            summands.push(digits);
        }
        let text = match &summands[..] {
            [] => "0".to_owned(),
            [only] => only.clone(),
            several if several.len() <= RUNS => format!("(+ {})", several.join(" ")),
            _ => return None,
        };
        Some(Number { text, low: 0, high: k.cast_signed() })
    }
}

/// The least and the largest number of a width.
fn limits(bits: u32, reading: Reading) -> (i128, i128) {
    match reading {
        Reading::Signed => (-1 << (bits - 1), mask(bits - 1).cast_signed()),
        Reading::Unsigned => (0, mask(bits).cast_signed()),
    }
}

fn exactly(value: i128) -> Number {
    Number { text: show(value), low: value, high: value }
}

fn show(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}
