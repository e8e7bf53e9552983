//! Formulas over few operators: `F a` is `true U a`, `a -> b` is `!a || b`.

use std::fmt;

/// A proposition, by its number: its bit in a letter.
pub type Atom = u8;

/// The number of propositions that fit into a letter.
pub const MOST_ATOMS: usize = 64;

/// A property of a run, from some moment on.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[rustfmt::skip]
pub enum Formula {
    Const(bool),
    /// The proposition holds now, or does not.
    Literal { atom: Atom, holds: bool },
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    /// The second holds eventually, and until then the first.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds, for ever or up to and including a moment at which the first holds, too.
    Release(Box<Formula>, Box<Formula>),
}

use Formula::{And, Const, Literal, Next, Or, Release, Until};

impl Formula {
    /// The number of operators.
    pub fn operators(&self) -> usize {
        match self {
            Const(_) | Literal { .. } => 0,
            Next(inner) => 1 + inner.operators(),
            And(a, b) | Or(a, b) | Until(a, b) | Release(a, b) => 1 + a.operators() + b.operators(),
        }
    }

    pub fn atom(atom: Atom) -> Formula {
        Literal { atom, holds: true }
    }

    #[must_use]
    pub fn and(self, other: Formula) -> Formula {
        match (self, other) {
            (Const(false), _) | (_, Const(false)) => Const(false),
            (Const(true), other) | (other, Const(true)) => other,
            (one, other) if one == other => one,
            (one, other) => And(Box::new(one), Box::new(other)),
        }
    }

    #[must_use]
    pub fn or(self, other: Formula) -> Formula {
        match (self, other) {
            (Const(true), _) | (_, Const(true)) => Const(true),
            (Const(false), other) | (other, Const(false)) => other,
            (one, other) if one == other => one,
            (one, other) => Or(Box::new(one), Box::new(other)),
        }
    }

    #[must_use]
    pub fn next(self) -> Formula {
        match self {
            Const(value) => Const(value),
            other => Next(Box::new(other)),
        }
    }

    #[must_use]
    pub fn until(self, goal: Formula) -> Formula {
        match (self, goal) {
            (_, Const(value)) => Const(value),
            (Const(false), goal) => goal,
            // F F a
            (Const(true), goal @ Until(..)) if matches!(&goal, Until(left, _) if **left == Const(true)) => goal,
            (left, goal) => Until(Box::new(left), Box::new(goal)),
        }
    }

    #[must_use]
    pub fn release(self, kept: Formula) -> Formula {
        match (self, kept) {
            (_, Const(value)) => Const(value),
            (Const(true), kept) => kept,
            // G G a
            (Const(false), kept @ Release(..)) if matches!(&kept, Release(left, _) if **left == Const(false)) => kept,
            (left, kept) => Release(Box::new(left), Box::new(kept)),
        }
    }

    #[must_use]
    pub fn weak_until(self, goal: Formula) -> Formula {
        goal.clone().release(self.or(goal))
    }

    #[must_use]
    pub fn finally(self) -> Formula {
        Const(true).until(self)
    }

    #[must_use]
    pub fn globally(self) -> Formula {
        Const(false).release(self)
    }

    #[must_use]
    pub fn implies(self, other: Formula) -> Formula {
        self.negated().or(other)
    }

    #[must_use]
    pub fn iff(self, other: Formula) -> Formula {
        let neither = self.negated().and(other.negated());
        self.and(other).or(neither)
    }

    /// The formula that holds of exactly the other runs. Negations occur only before propositions.
    #[must_use]
    pub fn negated(&self) -> Formula {
        match self {
            Const(value) => Const(!value),
            Literal { atom, holds } => Literal { atom: *atom, holds: !holds },
            And(one, other) => one.negated().or(other.negated()),
            Or(one, other) => one.negated().and(other.negated()),
            Next(of) => of.negated().next(),
            Until(left, goal) => left.negated().release(goal.negated()),
            Release(left, kept) => left.negated().until(kept.negated()),
        }
    }

    /// Whether it refers to the next moment, and thus counts steps.
    pub fn has_next(&self) -> bool {
        match self {
            Const(_) | Literal { .. } => false,
            Next(_) => true,
            And(one, other) | Or(one, other) | Until(one, other) | Release(one, other) => {
                one.has_next() || other.has_next()
            }
        }
    }
}

/// With numbers for propositions: for tests and debugging.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Const(value) => write!(f, "{value}"),
            Literal { atom, holds } => write!(f, "{}p{atom}", if *holds { "" } else { "!" }),
            And(one, other) => write!(f, "({one} && {other})"),
            Or(one, other) => write!(f, "({one} || {other})"),
            Next(of) => write!(f, "X {of}"),
            Until(left, goal) if **left == Const(true) => write!(f, "F {goal}"),
            Until(left, goal) => write!(f, "({left} U {goal})"),
            Release(left, kept) if **left == Const(false) => write!(f, "G {kept}"),
            Release(left, kept) => write!(f, "({left} R {kept})"),
        }
    }
}
