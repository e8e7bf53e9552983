//! One way through a block: the terms of an edge, interpreted forwards and refined backwards under its guard.
//!
//! Forwards the values of terms follow from those of variables; backwards a term whose value is known restricts the
//! terms that it is made of, down to variables (HC4 of Benhamou and others, ICLP 1999, on machine integers). Terms that
//! are affine are kept as such, so that equalities of the state decide comparisons. Blocks are large and full of
//! choices (`ite`, disjunctions): where one is open, the case is split, as often as the budget allows.

use super::affine::{Contradiction, Linear, Slot};
use super::block::{Block, Variable};
use super::common::Common;
use super::state::{Order, State};
use super::value::Value;
use selvedge_formula::{Node, Term, Terms, mask};
use selvedge_program::{BinOp, Cast, CmpOp};

/// Rounds of refinement; more find little.
const ROUNDS: usize = 4;

#[derive(Clone)]
pub struct Case<'a> {
    terms: &'a Terms,
    pub block: &'a Block,
    /// The state of the thread that steps and of the others in view; then a slot for each input of the block.
    pub state: State,
    /// The slot of the first local of the thread that steps.
    locals: usize,
    /// The slot of the first input.
    inputs: usize,
    pub cells: Vec<Value>,
    pub linear: Vec<Option<Linear>>,
    /// Facts about shared variables, and which of them the state has already.
    common: Option<&'a Common>,
    applied: Vec<bool>,
    /// Something was learnt in this round.
    news: bool,
}

/// All ways through a block from a state, at most `budget`.
pub fn cases<'a>(
    terms: &'a Terms,
    block: &'a Block,
    state: &State,
    common: Option<&'a Common>,
    locals: usize,
    budget: usize,
) -> Vec<Case<'a>> {
    let mut state = state.clone();
    let inputs = state.values.len();
    for &bits in &block.inputs {
        state.push(Value::any(bits));
    }
    let cells: Vec<Value> = block.cells.iter().map(|&cell| Value::any(terms.bits(cell))).collect();
    let linear = vec![None; cells.len()];
    let applied = Vec::new();
    let mut first = Case { terms, block, state, locals, inputs, cells, linear, common, applied, news: false };
    first.cells[block.guard] = Value::exactly(1, 1);
    let mut done = Vec::new();
    let mut waiting = vec![first];
    while let Some(mut case) = waiting.pop() {
        if case.refine().is_err() {
            continue;
        }
        match case.choice().filter(|_| done.len() + waiting.len() + 1 < budget) {
            Some(open) => {
                for truth in [0, 1] {
                    let mut next = case.clone();
                    next.cells[open] = Value::exactly(1, truth);
                    waiting.push(next);
                }
            }
            None => done.push(case),
        }
    }
    done
}

impl Case<'_> {
    pub fn terms(&self) -> &Terms {
        self.terms
    }

    pub fn slot(&self, variable: Variable) -> Slot {
        let slot = match variable {
            Variable::Shared(at) => at,
            Variable::Local(at) => self.locals + at,
            Variable::Input(at) => self.inputs + at,
        };
        slot as Slot
    }

    fn refine(&mut self) -> Result<(), Contradiction> {
        for _ in 0..ROUNDS {
            self.news = false;
            if let Some(common) = self.common {
                self.news = common.apply(&mut self.state, &mut self.applied)?;
            }
            self.forwards()?;
            self.backwards()?;
            for &(cell, variable) in &self.block.variables {
                let slot = self.slot(variable);
                if self.state.value(slot) != &self.cells[cell] {
                    self.news = true;
                    self.state.restrict(slot, &self.cells[cell])?;
                }
            }
            self.state.normalise()?;
            if !self.news {
                break;
            }
        }
        Ok(())
    }

    fn restrict(&mut self, cell: usize, to: &Value) -> Result<(), Contradiction> {
        let value = &mut self.cells[cell];
        if !to.is_any() {
            let met = value.meet(to).ok_or(Contradiction)?;
            if met != *value {
                self.news = true;
                *value = met;
            }
        }
        Ok(())
    }

    fn forwards(&mut self) -> Result<(), Contradiction> {
        for &(cell, variable) in &self.block.variables {
            let value = self.state.value(self.slot(variable)).clone();
            self.restrict(cell, &value)?;
        }
        let mut variables = self.block.variables.iter().peekable();
        for cell in 0..self.cells.len() {
            let value =
                Value::apply(self.terms, self.block.cells[cell], &|term| self.cells[self.block.at(term)].clone());
            self.restrict(cell, &value)?;
            if let Some(&&(at, variable)) = variables.peek()
                && at == cell
            {
                variables.next();
                self.linear[cell] = Some(self.state.linear(self.slot(variable)));
                continue;
            }
            self.linear[cell] = self.linear_form(cell);
            if let Some(value) = self.by_relations(cell) {
                self.restrict(cell, &value)?;
            }
        }
        Ok(())
    }

    fn linear_form(&self, cell: usize) -> Option<Linear> {
        let bits = self.cells[cell].bits();
        if let Some(value) = self.cells[cell].single() {
            return Some(Linear::constant(bits, value));
        }
        let of = |term: Term| self.linear[self.block.at(term)].as_ref();
        match self.block.node(self.terms, cell) {
            Node::Const { value, .. } => Some(Linear::constant(bits, value)),
            Node::Var { .. } => None,
            Node::Not(a) => Some(Linear::constant(bits, mask(bits)).minus(of(a)?)),
            Node::Neg(a) => Some(of(a)?.clone().scaled(mask(bits))),
            Node::Add(a, b) => Some(of(a)?.plus(1, of(b)?)),
            Node::Sub(a, b) => Some(of(a)?.minus(of(b)?)),
            Node::Mul(a, b) => match (of(a)?, of(b)?) {
                (a, b) if b.sum.is_empty() => Some(a.clone().scaled(b.constant)),
                (a, b) if a.sum.is_empty() => Some(b.clone().scaled(a.constant)),
                _ => None,
            },
            Node::Ite(c, a, b) => match self.cells[self.block.at(c)].truth() {
                Some(true) => of(a).cloned(),
                Some(false) => of(b).cloned(),
                None => of(a).filter(|&a| of(b) == Some(a)).cloned(),
            },
            // The low bits of what has no others.
            Node::ZeroExtend { of: a, .. } => match self.terms.node(a) {
                Node::Extract { of: whole, low: 0, bits: kept } if self.terms.bits(whole) == bits => {
                    let value = &self.cells[self.block.at(whole)];
                    let fits = bits <= 64 && value.range().unsigned().1 < 1 << kept;
                    fits.then(|| self.linear[self.block.at(whole)].clone()).flatten()
                }
                _ => None,
            },
            // A shift to the left by a constant.
            Node::Concat(high, low) if self.cells[self.block.at(low)].single() == Some(0) => {
                match self.terms.node(high) {
                    Node::Extract { of: a, low: 0, .. } if self.terms.bits(a) == bits => {
                        Some(self.linear[self.block.at(a)].clone()?.scaled(1 << self.terms.bits(low)))
                    }
                    _ => None,
                }
            }
            Node::And(..)
            | Node::Xor(..)
            | Node::Udiv(..)
            | Node::Sdiv(..)
            | Node::Urem(..)
            | Node::Srem(..)
            | Node::Shl(..)
            | Node::Lshr(..)
            | Node::Ashr(..)
            | Node::Eq(..)
            | Node::Ult(..)
            | Node::Slt(..)
            | Node::SignExtend { .. }
            | Node::Extract { .. }
            | Node::Concat(..) => None,
        }
    }

    /// The value of a cell, as far as equalities and orders of the state tell it.
    fn by_relations(&self, cell: usize) -> Option<Value> {
        let of = |term: Term| self.linear[self.block.at(term)].as_ref();
        let truth = |holds: bool, fails: bool| match (holds, fails) {
            (true, _) => Some(Value::exactly(1, 1)),
            (false, true) => Some(Value::exactly(1, 0)),
            (false, false) => None,
        };
        if self.cells[cell].single().is_some() {
            return None;
        }
        match self.block.node(self.terms, cell) {
            Node::Eq(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                truth(self.state.are_equal(a, b), self.state.are_distinct(a, b))
            }
            Node::Ult(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                truth(self.state.in_order(a, b, false, true), self.state.in_order(b, a, false, false))
            }
            Node::Slt(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                truth(self.state.in_order(a, b, true, true), self.state.in_order(b, a, true, false))
            }
            Node::Add(..) | Node::Sub(..) => self.difference(self.linear[cell].as_ref()?),
            _ => None,
        }
    }

    /// The value of `x - y + c` where the order of `x` and `y` is known.
    fn difference(&self, linear: &Linear) -> Option<Value> {
        let bits = linear.bits;
        if bits > 64 {
            return None;
        }
        let (x, y) = match linear.sum.as_slice() {
            [(x, 1), (y, minus)] | [(y, minus), (x, 1)] if *minus == mask(bits) => (*x, *y),
            _ => return None,
        };
        let (of_x, of_y) = (Linear::slot(bits, x), Linear::slot(bits, y));
        let mut known: Option<Value> = None;
        for signed in [true, false] {
            let bounds = |slot: Slot| {
                let range = self.state.value(slot).range();
                if signed { range.signed() } else { range.unsigned() }
            };
            let (mut low, mut high) = (bounds(x).0 - bounds(y).1, bounds(x).1 - bounds(y).0);
            if self.state.in_order(&of_y, &of_x, signed, false) {
                low = low.max(i128::from(self.state.in_order(&of_y, &of_x, signed, true)));
            } else if self.state.in_order(&of_x, &of_y, signed, false) {
                high = high.min(-i128::from(self.state.in_order(&of_x, &of_y, signed, true)));
            } else {
                continue;
            }
            if low <= high {
                let constant = selvedge_formula::signed(bits, linear.constant);
                let value = Value::wrapped(bits, low + constant, high + constant);
                known = Some(match known {
                    Some(other) => other.meet(&value).unwrap_or(value),
                    None => value,
                });
            }
        }
        known
    }

    fn backwards(&mut self) -> Result<(), Contradiction> {
        for cell in (0..self.cells.len()).rev() {
            let value = self.cells[cell].clone();
            if !value.is_any() {
                self.restrict_children(cell, &value)?;
            }
        }
        Ok(())
    }

    fn restrict_children(&mut self, cell: usize, value: &Value) -> Result<(), Contradiction> {
        let at = |term: Term| self.block.at(term);
        let bits = value.bits();
        match self.block.node(self.terms, cell) {
            Node::Not(a) => {
                let inverted = match value.few() {
                    Some([one]) => Value::exactly(bits, !one & mask(bits)),
                    _ => Value::binary(BinOp::Sub, &Value::exactly(bits, mask(bits)), value),
                };
                self.restrict(at(a), &inverted)
            }
            Node::Neg(a) => {
                let negated = Value::binary(BinOp::Sub, &Value::exactly(bits, 0), value);
                self.restrict(at(a), &negated)
            }
            Node::And(a, b) if bits == 1 => match value.truth() {
                Some(true) => {
                    self.restrict(at(a), value)?;
                    self.restrict(at(b), value)
                }
                Some(false) => {
                    for (one, other) in [(at(a), at(b)), (at(b), at(a))] {
                        if self.cells[one].truth() == Some(true) {
                            self.restrict(other, value)?;
                        }
                    }
                    Ok(())
                }
                None => Ok(()),
            },
            Node::Xor(a, b) if bits == 1 => {
                for (one, other) in [(at(a), at(b)), (at(b), at(a))] {
                    if let (Some(one), Some(value)) = (self.cells[one].truth(), value.truth()) {
                        self.restrict(other, &Value::exactly(1, u128::from(one != value)))?;
                    }
                }
                Ok(())
            }
            Node::Add(a, b) => {
                let rest = Value::binary(BinOp::Sub, value, &self.cells[at(b)]);
                self.restrict(at(a), &rest)?;
                let rest = Value::binary(BinOp::Sub, value, &self.cells[at(a)]);
                self.restrict(at(b), &rest)
            }
            Node::Sub(a, b) => {
                let rest = Value::binary(BinOp::Add, value, &self.cells[at(b)]);
                self.restrict(at(a), &rest)?;
                let rest = Value::binary(BinOp::Sub, &self.cells[at(a)], value);
                self.restrict(at(b), &rest)
            }
            Node::Eq(a, b) => match value.truth() {
                Some(true) => {
                    self.compared(CmpOp::Eq, at(a), at(b))?;
                    if let (Some(a), Some(b)) = (&self.linear[at(a)], &self.linear[at(b)]) {
                        let difference = a.minus(b);
                        self.news |= self.state.assume_zero(&difference)?;
                    }
                    Ok(())
                }
                Some(false) => {
                    self.compared(CmpOp::Ne, at(a), at(b))?;
                    if let (Some(a), Some(b)) = (&self.linear[at(a)], &self.linear[at(b)]) {
                        let difference = a.minus(b);
                        self.differ(&difference)?;
                    }
                    Ok(())
                }
                None => Ok(()),
            },
            Node::Ult(a, b) => self.ordered(value, at(a), at(b), false),
            Node::Slt(a, b) => self.ordered(value, at(a), at(b), true),
            Node::Ite(c, a, b) => match self.cells[at(c)].truth() {
                Some(true) => self.restrict(at(a), value),
                Some(false) => self.restrict(at(b), value),
                None => {
                    if self.cells[at(a)].meet(value).is_none() {
                        self.restrict(at(c), &Value::exactly(1, 0))?;
                    }
                    if self.cells[at(b)].meet(value).is_none() {
                        self.restrict(at(c), &Value::exactly(1, 1))?;
                    }
                    Ok(())
                }
            },
            Node::ZeroExtend { of, .. } => {
                let all = Value::any(self.terms.bits(of)).cast(Cast::ZeroExtend, bits);
                let possible = value.meet(&all).ok_or(Contradiction)?;
                self.restrict(at(of), &possible.cast(Cast::Truncate, self.terms.bits(of)))
            }
            Node::SignExtend { of, .. } => {
                let all = Value::any(self.terms.bits(of)).cast(Cast::SignExtend, bits);
                let possible = value.meet(&all).ok_or(Contradiction)?;
                self.restrict(at(of), &possible.cast(Cast::Truncate, self.terms.bits(of)))
            }
            Node::Extract { of, low: 0, .. } => {
                let whole = &self.cells[at(of)];
                for cast in [Cast::ZeroExtend, Cast::SignExtend] {
                    let fits = Value::any(bits).cast(cast, whole.bits());
                    if whole.bits() <= 64 && whole.is_within(&fits) {
                        let extended = value.cast(cast, whole.bits());
                        return self.restrict(at(of), &extended);
                    }
                }
                Ok(())
            }
            // The high bits, a sign bit say: an interval of the whole.
            Node::Extract { of, low, .. } if low + bits == self.terms.bits(of) && low + bits <= 64 => {
                let (least, most) = value.range().unsigned();
                let whole = Value::wrapped(low + bits, least << low, ((most + 1) << low) - 1);
                self.restrict(at(of), &whole)
            }
            Node::Concat(high, low) if bits <= 64 => {
                let low_bits = self.terms.bits(low);
                let (least, most) = value.range().unsigned();
                self.restrict(at(high), &Value::wrapped(bits - low_bits, least >> low_bits, most >> low_bits))?;
                self.restrict(at(low), &value.cast(Cast::Truncate, low_bits))
            }
            Node::Const { .. }
            | Node::Var { .. }
            | Node::And(..)
            | Node::Xor(..)
            | Node::Mul(..)
            | Node::Udiv(..)
            | Node::Sdiv(..)
            | Node::Urem(..)
            | Node::Srem(..)
            | Node::Shl(..)
            | Node::Lshr(..)
            | Node::Ashr(..)
            | Node::Extract { .. }
            | Node::Concat(..) => Ok(()),
        }
    }

    /// A linear form is not zero: something new if it is about two slots.
    fn differ(&mut self, linear: &Linear) -> Result<(), Contradiction> {
        match linear.sum.as_slice() {
            [(x, 1), (y, minus)] if *minus == mask(linear.bits) => {
                self.state.assume_apart(*x, *y, linear.constant.wrapping_neg() & mask(linear.bits))
            }
            [(y, minus), (x, 1)] if *minus == mask(linear.bits) => {
                self.state.assume_apart(*x, *y, linear.constant.wrapping_neg() & mask(linear.bits))
            }
            _ => Ok(()),
        }
    }

    fn as_slot(&self, cell: usize) -> Option<Slot> {
        self.linear[cell].as_ref()?.as_slot()
    }

    fn compared(&mut self, op: CmpOp, a: usize, b: usize) -> Result<(), Contradiction> {
        let (new_a, new_b) = Value::given(op, &self.cells[a], &self.cells[b]).ok_or(Contradiction)?;
        self.restrict(a, &new_a)?;
        self.restrict(b, &new_b)
    }

    fn ordered(&mut self, value: &Value, a: usize, b: usize, signed: bool) -> Result<(), Contradiction> {
        let Some(less) = value.truth() else {
            return Ok(());
        };
        let (low, high) = if less { (a, b) } else { (b, a) };
        self.compared(Order { low: 0, high: 0, signed, strict: less }.comparison(), low, high)?;
        if let (Some(low), Some(high)) = (self.as_slot(low), self.as_slot(high)) {
            self.news |= self.state.assume_order(Order { low, high, signed, strict: less });
        }
        Ok(())
    }

    /// A truth value that is open, and on which a needed term depends.
    fn choice(&self) -> Option<usize> {
        let mut needed = vec![false; self.cells.len()];
        self.block.roots().for_each(|root| needed[root] = true);
        let mut open = None;
        for cell in (0..self.cells.len()).rev() {
            if !needed[cell] {
                continue;
            }
            let truth = |term: Term| self.cells[self.block.at(term)].truth();
            let known = self.cells[cell].single().is_some();
            match self.block.node(self.terms, cell) {
                Node::Ite(c, a, b) => {
                    needed[self.block.at(c)] = true;
                    match truth(c) {
                        Some(true) => needed[self.block.at(a)] = true,
                        Some(false) => needed[self.block.at(b)] = true,
                        None => {
                            open = Some(self.block.at(c));
                            needed[self.block.at(a)] = true;
                            needed[self.block.at(b)] = true;
                        }
                    }
                }
                // A disjunction that holds, of which no part is known to.
                Node::And(a, b)
                    if self.cells[cell].truth() == Some(false)
                        && truth(a) != Some(false)
                        && truth(b) != Some(false) =>
                {
                    let part = if truth(a).is_none() { a } else { b };
                    if truth(part).is_none() {
                        open = Some(self.block.at(part));
                    }
                    needed[self.block.at(a)] = true;
                    needed[self.block.at(b)] = true;
                }
                Node::And(a, b) if self.cells[cell].bits() == 1 && self.cells[cell].truth() == Some(false) => {
                    // One part fails; the other is not needed.
                    let part = if truth(a) == Some(false) { a } else { b };
                    needed[self.block.at(part)] = true;
                }
                node if !known || self.cells[cell].bits() == 1 => {
                    node.children().for_each(|child| needed[self.block.at(child)] = true);
                }
                _ => {}
            }
        }
        open
    }
}
