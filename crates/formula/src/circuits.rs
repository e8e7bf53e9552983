//! Arithmetic circuits over gates, in their textbook form.
//!
//! Numbers are slices of literals, lowest bit first. Adders ripple their carry, which unit
//! propagation follows well; wider schemes (carry look-ahead) only add variables. Outputs are
//! functions of the inputs throughout, also for division: no free variables to be guessed.

use crate::gates::Gates;
use crate::sat::{Lit, Sat};

/// The direction of a shift, and the bits that fill the vacated positions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shift {
    Left,
    Right { fill: Lit },
}

impl<S: Sat> Gates<S> {
    /// `a + b + carry`, without the carry out.
    pub fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
        let last = a.len() - 1;
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a[..last].iter().zip(b) {
            let (bit, out) = self.full_adder(a, b, carry);
            sum.push(bit);
            carry = out;
        }
        sum.push(self.xor3(a[last], b[last], carry));
        sum
    }

    /// `a - b = a + ¬b + 1`.
    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let one = self.constant(true);
        self.add(a, &inverted(b), one)
    }

    pub fn negate(&mut self, a: &[Lit]) -> Vec<Lit> {
        let zero = vec![self.constant(false); a.len()];
        self.subtract(&zero, a)
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    pub fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(&a, &b)| self.ite(c, a, b)).collect()
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.and_all(same)
    }

    /// Whether `a < b`: the borrow of `a - b`.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let none = self.constant(false);
        a.iter().zip(b).fold(none, |borrow, (&a, &b)| self.majority(!a, b, borrow))
    }

    /// `a < b` in two's complement: compares as unsigned numbers after flipping the sign bits.
    pub fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        let top = a.len() - 1;
        std::mem::swap(&mut a[top], &mut b[top]);
        self.less(&a, &b)
    }

    /// Shift and add, a row for each bit of the factor with more constant bits; zeros have no row.
    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let constants = |lits: &[Lit]| lits.iter().filter(|&&lit| self.known(lit).is_some()).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let zero = self.constant(false);
        let mut product = vec![zero; a.len()];
        for (place, &factor) in b.iter().enumerate() {
            if self.known(factor) != Some(false) {
                let row: Vec<Lit> = a[..a.len() - place].iter().map(|&bit| self.and(bit, factor)).collect();
                let sum = self.add(&product[place..], &row, zero);
                product[place..].copy_from_slice(&sum);
            }
        }
        product
    }

    /// Quotient and remainder by restoring division, as at school: bring down a digit, subtract the
    /// divisor if it fits. After `n` digits the remainder has `n` bits at most, so only as many bits
    /// of the divisor are compared. Division by zero always fits: all ones, and the dividend.
    pub fn divide(&mut self, a: &[Lit], divisor: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let mut quotient = vec![self.constant(false); a.len()];
        let mut remainder: Vec<Lit> = Vec::with_capacity(a.len());
        for place in (0..a.len()).rev() {
            remainder.insert(0, a[place]);
            let (low, high) = divisor.split_at(remainder.len());
            let too_high = self.or_all(high.iter().copied());
            let too_low = self.less(&remainder, low);
            let fits = !self.or(too_high, too_low);
            let difference = self.subtract(&remainder, low);
            remainder = self.choose(fits, &difference, &remainder);
            quotient[place] = fits;
        }
        (quotient, remainder)
    }

    /// Signed quotient and remainder, truncated towards zero: divides the absolute values, then corrects the signs.
    pub fn signed_divide(&mut self, a: &[Lit], divisor: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let (a_sign, sign) = (a[a.len() - 1], divisor[a.len() - 1]);
        let (a, divisor) = (self.negate_if(a_sign, a), self.negate_if(sign, divisor));
        let (quotient, remainder) = self.divide(&a, &divisor);
        let differ = self.xor(a_sign, sign);
        (self.negate_if(differ, &quotient), self.negate_if(a_sign, &remainder))
    }

    /// A barrel shifter: one stage for each bit of the amount that can matter.
    pub fn shift(&mut self, a: &[Lit], amount: &[Lit], shift: Shift) -> Vec<Lit> {
        let width = a.len();
        let fill = match shift {
            Shift::Left => self.constant(false),
            Shift::Right { fill } => fill,
        };
        let stages = (0..width).take_while(|&stage| 1usize << stage < width).count();
        let mut result = a.to_vec();
        for (stage, &bit) in amount[..stages].iter().enumerate() {
            let by = 1 << stage;
            let shifted: Vec<Lit> = (0..width)
                .map(|i| match shift {
                    Shift::Left => i.checked_sub(by).map_or(fill, |from| result[from]),
                    Shift::Right { .. } => result.get(i + by).copied().unwrap_or(fill),
                })
                .collect();
            result = self.choose(bit, &shifted, &result);
        }
        let beyond = self.or_all(amount[stages..].iter().copied());
        self.choose(beyond, &vec![fill; width], &result)
    }
}

pub(crate) fn inverted(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|&lit| !lit).collect()
}
