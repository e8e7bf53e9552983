//! Gates as clauses.
//!
//! Tseitin, "On the complexity of derivation in propositional calculus" (1968): every gate gets a
//! variable and the clauses that make it equal to its function, in both directions. The same gate
//! is made once (structural hashing); gates with constant, equal or complementary inputs are not
//! made at all. The full adder has the 14 clauses of Eén and Sörensson, "Translating Pseudo-Boolean
//! Constraints into SAT" (JSAT 2006): 8 for the sum, 6 for the carry.

use crate::sat::{Lit, Sat};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Inputs are sorted, so that equal gates are equal keys.
#[derive(PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Ite(Lit, Lit, Lit),
    Xor3([Lit; 3]),
    Majority([Lit; 3]),
    AndAll(Box<[Lit]>),
}

/// A solver, and the gates in it.
pub(crate) struct Gates<S> {
    pub solver: S,
    gates: HashMap<Gate, Lit, FixedState>,
    always: Lit,
    pub variables: usize,
    pub clauses: usize,
    /// Literals as in DIMACS, each clause closed by 0.
    pub recorded: Option<Vec<i32>>,
}

impl<S: Sat> Gates<S> {
    pub fn new(mut solver: S, record: bool) -> Gates<S> {
        let always = solver.new_var();
        let mut gates = Gates {
            solver,
            gates: HashMap::with_hasher(FixedState::default()),
            always,
            variables: 1,
            clauses: 0,
            recorded: record.then(Vec::new),
        };
        gates.clause(&[always]);
        gates
    }

    pub fn constant(&self, value: bool) -> Lit {
        self.always.negated_if(!value)
    }

    /// The value of a literal that is the same in every model by construction.
    pub fn known(&self, lit: Lit) -> Option<bool> {
        (lit.variable() == self.always.variable()).then_some(lit == self.always)
    }

    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.solver.new_var()
    }

    pub fn clause(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        if let Some(recorded) = &mut self.recorded {
            recorded.extend(clause.iter().map(|lit| lit.dimacs()));
            recorded.push(0);
        }
        self.solver.add_clause(clause);
    }

    /// The output of a gate, which is made if it is new.
    fn gate(&mut self, gate: Gate, clauses: impl FnOnce(&mut Self, Lit)) -> Lit {
        if let Some(&output) = self.gates.get(&gate) {
            return output;
        }
        let output = self.fresh();
        self.gates.insert(gate, output);
        clauses(self, output);
        output
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (self.known(a), self.known(b)) {
            (Some(false), _) | (_, Some(false)) => self.constant(false),
            (Some(true), _) => b,
            (_, Some(true)) => a,
            _ if a == b => a,
            _ if a == !b => self.constant(false),
            _ => self.gate(Gate::And(a, b), |gates, out| {
                gates.clause(&[!out, a]);
                gates.clause(&[!out, b]);
                gates.clause(&[out, !a, !b]);
            }),
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// A single wide gate, which propagates better than a tree of small ones.
    pub fn and_all(&mut self, inputs: impl IntoIterator<Item = Lit>) -> Lit {
        let mut inputs: Vec<Lit> = inputs.into_iter().filter(|&lit| self.known(lit) != Some(true)).collect();
        inputs.sort_unstable_by_key(|lit| (lit.variable(), lit.is_negated()));
        inputs.dedup();
        let clash = inputs.windows(2).any(|pair| pair[0] == !pair[1]);
        if clash || inputs.iter().any(|&lit| self.known(lit) == Some(false)) {
            return self.constant(false);
        }
        match inputs[..] {
            [] => self.constant(true),
            [a] => a,
            [a, b] => self.and(a, b),
            _ => self.gate(Gate::AndAll(inputs.clone().into()), |gates, out| {
                for &input in &inputs {
                    gates.clause(&[!out, input]);
                }
                let mut long: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
                long.push(out);
                gates.clause(&long);
            }),
        }
    }

    pub fn or_all(&mut self, inputs: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and_all(inputs.into_iter().map(|input| !input))
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if let Some(value) = self.known(a) {
            return b.negated_if(value);
        }
        if let Some(value) = self.known(b) {
            return a.negated_if(value);
        }
        if a.variable() == b.variable() {
            return self.constant(a != b);
        }
        let flip = a.is_negated() != b.is_negated();
        let (a, b) = (a.negated_if(a.is_negated()), b.negated_if(b.is_negated()));
        let (a, b) = (a.min(b), a.max(b));
        let output = self.gate(Gate::Xor(a, b), |gates, out| {
            gates.clause(&[!out, a, b]);
            gates.clause(&[!out, !a, !b]);
            gates.clause(&[out, !a, b]);
            gates.clause(&[out, a, !b]);
        });
        output.negated_if(flip)
    }

    /// Six clauses; the last two are redundant and propagate when both branches agree.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c.is_negated() {
            return self.ite(!c, b, a);
        }
        if let Some(value) = self.known(c) {
            return if value { a } else { b };
        }
        match (self.known(a), self.known(b)) {
            _ if a == b => a,
            _ if a == !b => self.xor(!c, a),
            (Some(true), _) => self.or(c, b),
            (Some(false), _) => self.and(!c, b),
            (_, Some(true)) => self.or(!c, a),
            (_, Some(false)) => self.and(c, a),
            _ if a == c => self.or(c, b),
            _ if a == !c => self.and(!c, b),
            _ if b == c => self.and(c, a),
            _ if b == !c => self.or(!c, a),
            _ => {
                let flip = a.is_negated();
                let (a, b) = (a.negated_if(flip), b.negated_if(flip));
                let output = self.gate(Gate::Ite(c, a, b), |gates, out| {
                    gates.clause(&[!c, !a, out]);
                    gates.clause(&[!c, a, !out]);
                    gates.clause(&[c, !b, out]);
                    gates.clause(&[c, b, !out]);
                    gates.clause(&[!a, !b, out]);
                    gates.clause(&[a, b, !out]);
                });
                output.negated_if(flip)
            }
        }
    }

    /// Sum and carry of three bits.
    pub fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        (self.xor3(a, b, c), self.majority(a, b, c))
    }

    pub fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable_by_key(|lit| lit.variable());
        let [a, b, c] = inputs;
        if self.known(a).is_some() || a.variable() == b.variable() || b.variable() == c.variable() {
            // Constants have the smallest variable, so that some pair always vanishes.
            let (pair, rest) = if b.variable() == c.variable() { (self.xor(b, c), a) } else { (self.xor(a, b), c) };
            return self.xor(pair, rest);
        }
        let flip = inputs.iter().filter(|lit| lit.is_negated()).count() % 2 == 1;
        let [a, b, c] = inputs.map(|lit| lit.negated_if(lit.is_negated()));
        let output = self.gate(Gate::Xor3([a, b, c]), |gates, out| {
            gates.clause(&[!out, a, b, c]);
            gates.clause(&[!out, a, !b, !c]);
            gates.clause(&[!out, !a, b, !c]);
            gates.clause(&[!out, !a, !b, c]);
            gates.clause(&[out, !a, b, c]);
            gates.clause(&[out, a, !b, c]);
            gates.clause(&[out, a, b, !c]);
            gates.clause(&[out, !a, !b, !c]);
        });
        output.negated_if(flip)
    }

    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable_by_key(|lit| lit.variable());
        let [a, b, c] = inputs;
        if let Some(value) = self.known(a) {
            return if value { self.or(b, c) } else { self.and(b, c) };
        }
        if a.variable() == b.variable() {
            return if a == b { a } else { c };
        }
        if b.variable() == c.variable() {
            return if b == c { b } else { a };
        }
        let flip = a.is_negated();
        let [a, b, c] = inputs.map(|lit| lit.negated_if(flip));
        let output = self.gate(Gate::Majority([a, b, c]), |gates, out| {
            gates.clause(&[!a, !b, out]);
            gates.clause(&[!a, !c, out]);
            gates.clause(&[!b, !c, out]);
            gates.clause(&[a, b, !out]);
            gates.clause(&[a, c, !out]);
            gates.clause(&[b, c, !out]);
        });
        output.negated_if(flip)
    }
}
