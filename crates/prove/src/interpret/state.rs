//! An abstract state: a conjunction about all variables that a thread sees.
//!
//! For each slot the possible values; affine equalities between slots; pairs of slots that differ (thread numbers and
//! the words that hold them); and pairs of which one is at most the other. Each part refines the others
//! ([`State::normalise`]).

use super::affine::{Affine, Contradiction, Linear, Slot};
use super::value::Value;
use selvedge_formula::{Term, Terms, mask};
use selvedge_program::CmpOp;

/// `low <= high`, or `<` if strict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Order {
    pub low: Slot,
    pub high: Slot,
    pub signed: bool,
    pub strict: bool,
}

impl Order {
    pub fn comparison(self) -> CmpOp {
        match (self.signed, self.strict) {
            (true, true) => CmpOp::Slt,
            (true, false) => CmpOp::Sle,
            (false, true) => CmpOp::Ult,
            (false, false) => CmpOp::Ule,
        }
    }
}

/// `one - other` is not `by`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Distinct {
    one: Slot,
    other: Slot,
    by: u128,
}

#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub values: Vec<Value>,
    pub affine: Affine,
    distinct: Vec<Distinct>,
    orders: Vec<Order>,
}

impl State {
    /// Anything.
    pub fn any(widths: impl IntoIterator<Item = u32>) -> State {
        let values = widths.into_iter().map(Value::any).collect();
        State { values, affine: Affine::default(), distinct: Vec::new(), orders: Vec::new() }
    }

    pub fn bits(&self, slot: Slot) -> u32 {
        self.values[slot as usize].bits()
    }

    pub fn value(&self, slot: Slot) -> &Value {
        &self.values[slot as usize]
    }

    pub fn linear(&self, slot: Slot) -> Linear {
        match self.value(slot).single() {
            Some(value) => Linear::constant(self.bits(slot), value),
            None => Linear::slot(self.bits(slot), slot),
        }
    }

    /// A further slot, of which only the value is known.
    pub fn push(&mut self, value: Value) -> Slot {
        self.values.push(value);
        Slot::try_from(self.values.len() - 1).expect("fewer than 2^32 slots")
    }

    /// Nothing is known about the slot.
    pub fn is_free(&self, slot: Slot) -> bool {
        self.value(slot).is_any() && !self.is_related(slot)
    }

    /// Nothing is known about the slot but single values that it does not have.
    pub fn is_open(&self, slot: Slot) -> bool {
        self.value(slot).is_any()
            && self.affine.rows().all(|row| row.coefficient(slot) == 0)
            && self.orders.iter().all(|order| order.low != slot && order.high != slot)
    }

    /// Is anything known of the slot beside its value?
    pub fn is_related(&self, slot: Slot) -> bool {
        self.affine.rows().any(|row| row.coefficient(slot) != 0)
            || self.distinct.iter().any(|pair| pair.one == slot || pair.other == slot)
            || self.orders.iter().any(|order| order.low == slot || order.high == slot)
    }

    /// Does it know more of the slot than another state does?
    pub fn says_more(&self, other: &State, slot: Slot) -> bool {
        !other.value(slot).is_within(self.value(slot))
            || self.affine.rows().any(|row| {
                let reduced = other.with_constants(row);
                row.coefficient(slot) != 0 && (!reduced.sum.is_empty() || reduced.constant != 0)
            })
            || self.distinct.iter().any(|pair| (pair.one == slot || pair.other == slot) && !other.are_apart(*pair))
            || self.orders.iter().any(|order| {
                let (low, high) = (other.linear(order.low), other.linear(order.high));
                (order.low == slot || order.high == slot) && !other.in_order(&low, &high, order.signed, order.strict)
            })
    }

    pub fn restrict(&mut self, slot: Slot, to: &Value) -> Result<(), Contradiction> {
        let value = &mut self.values[slot as usize];
        *value = value.meet(to).ok_or(Contradiction)?;
        Ok(())
    }

    pub fn assume_zero(&mut self, linear: &Linear) -> Result<bool, Contradiction> {
        self.affine.add(linear)
    }

    pub fn assume_distinct(&mut self, a: Slot, b: Slot) -> Result<(), Contradiction> {
        self.assume_apart(a, b, 0)
    }

    /// `one` is not `other + by`.
    pub fn assume_apart(&mut self, one: Slot, other: Slot, by: u128) -> Result<(), Contradiction> {
        let bits = self.bits(one);
        let pair = if one < other {
            Distinct { one, other, by }
        } else {
            Distinct { one: other, other: one, by: by.wrapping_neg() & mask(bits) }
        };
        if self.zero_where_equal(pair).is_some_and(|difference| difference.constant == 0 && difference.sum.is_empty()) {
            return Err(Contradiction);
        }
        if !self.distinct.contains(&pair) {
            self.distinct.push(pair);
        }
        Ok(())
    }

    /// A linear form that is not zero because the two are distinct.
    fn zero_where_equal(&self, pair: Distinct) -> Option<Linear> {
        let bits = self.bits(pair.one);
        let difference = self.linear(pair.one).minus(&self.linear(pair.other));
        (self.bits(pair.other) == bits)
            .then(|| self.with_constants(&difference.minus(&Linear::constant(bits, pair.by))))
    }

    fn are_apart(&self, pair: Distinct) -> bool {
        let bits = self.bits(pair.one);
        let other = self.linear(pair.other).plus(1, &Linear::constant(bits, pair.by));
        self.are_distinct(&self.linear(pair.one), &other)
    }

    pub fn assume_order(&mut self, order: Order) -> bool {
        let known = self.orders.iter().any(|other| *other == order || *other == Order { strict: true, ..order });
        if !known && order.low != order.high {
            self.orders.retain(|other| *other != Order { strict: false, ..order });
            self.orders.push(order);
        }
        !known
    }

    /// Slots that are strictly above this one.
    pub fn above(&self, slot: Slot, signed: bool) -> Vec<Slot> {
        let above = self.orders.iter().filter(|order| order.strict && order.signed == signed && order.low == slot);
        above.map(|order| order.high).collect()
    }

    /// Slots that are strictly below this one.
    pub fn below(&self, slot: Slot, signed: bool) -> Vec<Slot> {
        let below = self.orders.iter().filter(|order| order.strict && order.signed == signed && order.high == slot);
        below.map(|order| order.low).collect()
    }

    fn with_constants(&self, linear: &Linear) -> Linear {
        let mut reduced = self.affine.reduced(linear);
        for (slot, coefficient) in reduced.sum.clone() {
            if let Some(value) = self.value(slot).single() {
                let known = Linear::slot(linear.bits, slot).minus(&Linear::constant(linear.bits, value));
                reduced = reduced.plus(coefficient.wrapping_neg(), &known);
            }
        }
        reduced
    }

    pub fn are_equal(&self, a: &Linear, b: &Linear) -> bool {
        let difference = self.with_constants(&a.minus(b));
        difference.sum.is_empty() && difference.constant == 0
    }

    pub fn are_distinct(&self, a: &Linear, b: &Linear) -> bool {
        let difference = self.with_constants(&a.minus(b));
        if difference.sum.is_empty() {
            return difference.constant != 0;
        }
        let negated = difference.clone().scaled(mask(difference.bits));
        let differ = |pair: Distinct| {
            self.bits(pair.one) == difference.bits
                && self.zero_where_equal(pair).is_some_and(|known| known == difference || known == negated)
        };
        let strict = self.orders.iter().filter(|order| order.strict);
        self.distinct.iter().any(|&pair| differ(pair))
            || strict.clone().any(|order| differ(Distinct { one: order.low, other: order.high, by: 0 }))
            || !self.values_meet(a, b)
    }

    fn values_meet(&self, a: &Linear, b: &Linear) -> bool {
        a.bits > 64 || a.value(&self.values).meet(&b.value(&self.values)).is_some()
    }

    /// Whether `low <= high` (or `<`) in all states.
    pub fn in_order(&self, low: &Linear, high: &Linear, signed: bool, strict: bool) -> bool {
        if low.bits > 64 {
            return false;
        }
        if !strict && self.are_equal(low, high) {
            return true;
        }
        let comparison = Order { low: 0, high: 0, signed, strict: !strict }.comparison();
        if Value::given(comparison, &high.value(&self.values), &low.value(&self.values)).is_none() {
            return true;
        }
        let same = |slot: Slot, other: &Linear| {
            self.bits(slot) == other.bits
                && (other.as_slot() == Some(slot) || self.are_equal(&self.linear(slot), other))
        };
        self.orders.iter().any(|order| {
            order.signed == signed && (order.strict || !strict) && same(order.low, low) && same(order.high, high)
        })
    }

    /// Lets each part refine the others.
    pub fn normalise(&mut self) -> Result<(), Contradiction> {
        for _ in 0..4 {
            let mut news = self.affine.refine(&mut self.values)?;
            for position in 0..self.orders.len() {
                let order = self.orders[position];
                let (low, high) = (self.value(order.low), self.value(order.high));
                if low.bits() > 64 {
                    continue;
                }
                let (new_low, new_high) = Value::given(order.comparison(), low, high).ok_or(Contradiction)?;
                news |= new_low != *low || new_high != *high;
                self.values[order.low as usize] = new_low;
                self.values[order.high as usize] = new_high;
            }
            for position in 0..self.distinct.len() {
                let Distinct { one: a, other: b, by } = self.distinct[position];
                let difference = self.zero_where_equal(self.distinct[position]);
                if difference.is_some_and(|difference| difference.sum.is_empty() && difference.constant == 0) {
                    return Err(Contradiction);
                }
                if by != 0 {
                    continue;
                }
                let (new_a, new_b) = Value::given(CmpOp::Ne, self.value(a), self.value(b)).ok_or(Contradiction)?;
                news |= new_a != *self.value(a) || new_b != *self.value(b);
                self.values[a as usize] = new_a;
                self.values[b as usize] = new_b;
            }
            // One slot's value is where values are.
            self.affine.retain_sums();
            if !news {
                break;
            }
        }
        Ok(())
    }

    /// Only slots that have a new position, there. `widths` are those of the new state.
    pub fn renamed(&self, new: &dyn Fn(Slot) -> Option<Slot>, widths: impl IntoIterator<Item = u32>) -> State {
        let mut state = State::any(widths);
        for (slot, value) in self.values.iter().enumerate() {
            if let Some(new) = new(slot as Slot) {
                state.values[new as usize] = value.clone();
            }
        }
        let mentioned = self.affine.slots();
        let names = |slot: Slot| -> Vec<Slot> {
            let mut names: Vec<Slot> = new(slot).into_iter().collect();
            if names.is_empty() {
                let of = self.linear(slot);
                let same = |&other: &Slot| self.bits(other) == of.bits && self.are_equal(&self.linear(other), &of);
                names.extend(
                    mentioned.iter().copied().filter(|&other| new(other).is_some()).filter(same).filter_map(new),
                );
            }
            names
        };
        for pair in &self.distinct {
            for one in names(pair.one) {
                for other in names(pair.other) {
                    let _ = state.assume_apart(one, other, pair.by);
                }
            }
        }
        for order in self.orders_closed(new) {
            for low in names(order.low) {
                for high in names(order.high) {
                    state.assume_order(Order { low, high, ..order });
                }
            }
        }
        state.affine = self.affine.clone().renamed(new);
        state
    }

    /// Orders, with those that follow through slots that go.
    fn orders_closed(&self, new: &dyn Fn(Slot) -> Option<Slot>) -> Vec<Order> {
        let mut all = self.orders.clone();
        let gone: Vec<Slot> = {
            let mut ends: Vec<Slot> = all.iter().flat_map(|order| [order.low, order.high]).collect();
            ends.sort_unstable();
            ends.dedup();
            ends.into_iter().filter(|&slot| new(slot).is_none()).collect()
        };
        for between in gone {
            let below: Vec<Order> = all.iter().copied().filter(|order| order.high == between).collect();
            let above: Vec<Order> = all.iter().copied().filter(|order| order.low == between).collect();
            for below in below {
                for above in above.iter().filter(|above| above.signed == below.signed && above.high != below.low) {
                    let through = Order {
                        low: below.low,
                        high: above.high,
                        signed: below.signed,
                        strict: below.strict || above.strict,
                    };
                    if !all.contains(&through) {
                        all.push(through);
                    }
                }
            }
        }
        all
    }

    pub fn join(&self, other: &State) -> State {
        self.combine(other, |mine, others| mine.join(others))
    }

    pub fn widen(&self, grown: &State, thresholds: &[i128]) -> State {
        self.combine(grown, |mine, others| mine.widen(others, thresholds))
    }

    fn combine(&self, other: &State, of_values: impl Fn(&Value, &Value) -> Value) -> State {
        let values = self.values.iter().zip(&other.values).map(|(mine, others)| of_values(mine, others)).collect();
        let (mine, others) = (self.equalities(other), other.equalities(self));
        let affine = mine.join(&others, self.values.len() as u32);
        let mut pairs: Vec<Distinct> = self.distinct.iter().copied().filter(|pair| other.are_apart(*pair)).collect();
        pairs.extend(other.distinct.iter().filter(|pair| self.are_apart(**pair)));
        pairs.sort_unstable();
        pairs.dedup();
        let mut state = State { values, affine, distinct: pairs, orders: Vec::new() };
        for (one, another) in [(self, other), (other, self)] {
            for order in &one.orders {
                let (low, high) = (another.linear(order.low), another.linear(order.high));
                if another.in_order(&low, &high, order.signed, order.strict) {
                    state.assume_order(*order);
                } else if order.strict && another.in_order(&low, &high, order.signed, false) {
                    state.assume_order(Order { strict: false, ..*order });
                }
            }
        }
        state
    }

    /// Equalities, with those that say that a slot has one value if the other state knows something about it, too.
    fn equalities(&self, other: &State) -> Affine {
        let mut all = self.affine.clone();
        let (mine, others) = (self.affine.slots(), other.affine.slots());
        for slot in 0..self.values.len() as Slot {
            let (value, in_other) = (self.value(slot), other.value(slot));
            if let Some(known) = value.single()
                && (in_other.single().is_some_and(|other| other != known)
                    || others.contains(&slot)
                    || mine.contains(&slot))
            {
                let bits = value.bits();
                let _ = all.add(&Linear::slot(bits, slot).minus(&Linear::constant(bits, known)));
            }
        }
        all
    }

    pub fn is_within(&self, other: &State) -> bool {
        self.values.iter().zip(&other.values).all(|(mine, others)| mine.is_within(others))
            && other.affine.rows().all(|row| {
                let reduced = self.with_constants(row);
                reduced.sum.is_empty() && reduced.constant == 0
            })
            && other.distinct.iter().all(|pair| self.are_apart(*pair))
            && other.orders.iter().all(|order| {
                self.in_order(&self.linear(order.low), &self.linear(order.high), order.signed, order.strict)
            })
    }

    /// The conjunction of both.
    pub fn meet(&self, other: &State) -> Result<State, Contradiction> {
        let mut state = self.clone();
        state.add(other, &|slot| slot)?;
        state.normalise()?;
        Ok(state)
    }

    /// Adds what another state says of its slots, at their places here.
    pub fn add(&mut self, other: &State, place: &dyn Fn(Slot) -> Slot) -> Result<(), Contradiction> {
        for (slot, value) in other.values.iter().enumerate() {
            self.restrict(place(slot as Slot), value)?;
        }
        for row in other.affine.rows() {
            let mut row = row.clone();
            row.sum.iter_mut().for_each(|part| part.0 = place(part.0));
            row.sum.sort_unstable();
            self.affine.add(&row)?;
        }
        for pair in &other.distinct {
            self.assume_apart(place(pair.one), place(pair.other), pair.by)?;
        }
        for order in &other.orders {
            self.assume_order(Order { low: place(order.low), high: place(order.high), ..*order });
        }
        Ok(())
    }

    /// As a statement about the terms that are in the slots.
    pub fn says(&self, terms: &mut Terms, of: &[Term]) -> Term {
        let mut all = Vec::new();
        for (value, &term) in self.values.iter().zip(of) {
            all.push(value.says(terms, term));
        }
        for row in self.affine.rows() {
            let sum = row.term(terms, &|slot| of[slot as usize]);
            let zero = terms.constant(row.bits, 0);
            all.push(terms.eq(sum, zero));
        }
        for pair in &self.distinct {
            let by = terms.constant(self.bits(pair.one), pair.by);
            let other = terms.add(of[pair.other as usize], by);
            all.push(terms.ne(of[pair.one as usize], other));
        }
        for order in &self.orders {
            let (low, high) = (of[order.low as usize], of[order.high as usize]);
            all.push(match (order.signed, order.strict) {
                (true, true) => terms.slt(low, high),
                (true, false) => terms.sle(low, high),
                (false, true) => terms.ult(low, high),
                (false, false) => terms.ule(low, high),
            });
        }
        terms.and_all(all)
    }

    /// For people: what is known, in one line.
    pub fn describe(&self, names: &[String]) -> String {
        let name = |slot: Slot| names[slot as usize].as_str();
        let mut all = Vec::new();
        for (value, name) in self.values.iter().zip(names).filter(|(value, _)| !value.is_any()) {
            all.push(match value.few() {
                Some(few) => {
                    let few: Vec<String> =
                        few.iter().map(|&v| selvedge_formula::signed(value.bits(), v).to_string()).collect();
                    format!("{name} = {}", few.join("|"))
                }
                None => format!("{name} in {}", value.range()),
            });
        }
        for row in self.affine.rows() {
            let parts =
                row.sum.iter().map(|&(slot, coefficient)| match selvedge_formula::signed(row.bits, coefficient) {
                    1 => format!("+ {}", name(slot)),
                    -1 => format!("- {}", name(slot)),
                    other => format!("+ {other} {}", name(slot)),
                });
            let constant = selvedge_formula::signed(row.bits, row.constant.wrapping_neg() & mask(row.bits));
            all.push(format!("{} = {constant}", parts.collect::<Vec<_>>().join(" ").trim_start_matches("+ ")));
        }
        all.extend(self.distinct.iter().map(|pair| match pair.by {
            0 => format!("{} != {}", name(pair.one), name(pair.other)),
            by => format!("{} != {} + {by}", name(pair.one), name(pair.other)),
        }));
        all.extend(self.orders.iter().map(|order| {
            let sign = if order.signed { "" } else { "u" };
            format!("{} <{}{sign} {}", name(order.low), if order.strict { "" } else { "=" }, name(order.high))
        }));
        if all.is_empty() { "anything".to_string() } else { all.join(", ") }
    }
}
