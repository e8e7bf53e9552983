//! Clause sharing between solvers of the same formula, as in ManySAT (Hamadi, Jabbour, Sais 2009): learnt clauses of
//! limited length, the shortest first, and lemmas that the user of a solver adds. Clauses are exchanged between two
//! calls of `solve`, so that each solver stays on its thread.
//!
//! Clauses learnt on the way to a model are not shared: they ruled out a few wrong turns of one search, other searches
//! take other turns, and shared clauses are never deleted. (On 2,400 instances of a swarm that are all buggy two
//! workers are 1.6 to 1.9 times as fast as one when they share everything, and 1.8 to 2.2 times with this rule.)
//!
//! Soundness: a learnt clause follows from the formula alone, because assumptions are decisions to CaDiCaL and stay in
//! the clause, and its inprocessing only removes clauses or adds consequences. A learnt clause may therefore be added
//! to any solver *of the same clauses over the same variables*. Members compare the BLAKE3 hash of everything they were
//! given before their first call of `solve`, and a member that is later given anything but lemmas leaves the exchange.

use cadical_sys::Learner;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest clause that is shared; longer ones are many and prune little. Clauses of swarms contain assumptions,
/// which most instances have in common.
const LONGEST: usize = 30;
/// The most clauses that one solver shares with all others together after one call of `solve`.
const MOST: usize = 10_000;
/// The most clauses in the inbox of a solver that does not fetch them.
const WAITING: usize = 20_000;

/// DIMACS literals.
type Clause = Arc<[i32]>;

/// Connects the solvers of one formula.
#[derive(Clone, Default)]
pub struct Exchange(Arc<Mutex<Board>>);

#[derive(Default)]
struct Board {
    /// The hash of the formula that all members have, once one of them has been asked.
    formula: Option<blake3::Hash>,
    /// For each member the clauses that it has not fetched yet.
    inboxes: Vec<Vec<Clause>>,
}

/// One solver's membership.
pub struct Member {
    exchange: Exchange,
    number: usize,
    learnt: Rc<RefCell<Vec<Clause>>>,
    formula: Formula,
}

enum Formula {
    /// Not compared yet: the hash of the clauses so far.
    Growing(Box<blake3::Hasher>),
    /// Known to be that of the other members.
    Shared,
}

/// Collects the clauses that a solver learns.
pub struct ClauseListener {
    learnt: Rc<RefCell<Vec<Clause>>>,
    clause: Vec<i32>,
}

impl Learner for ClauseListener {
    fn learning(&mut self, size: i32) -> bool {
        usize::try_from(size).is_ok_and(|size| (1..=LONGEST).contains(&size))
    }

    fn learn(&mut self, lit: i32) {
        match lit {
            0 => {
                let mut learnt = self.learnt.borrow_mut();
                learnt.push(std::mem::take(&mut self.clause).into());
                if learnt.len() >= 2 * MOST {
                    keep_shortest(&mut learnt, MOST);
                }
            }
            lit => self.clause.push(lit),
        }
    }
}

/// Keeps the shortest clauses, and among equally long ones the older.
fn keep_shortest(clauses: &mut Vec<Clause>, most: usize) {
    clauses.sort_by_key(|clause| clause.len());
    clauses.truncate(most);
}

impl Member {
    pub fn new(exchange: &Exchange) -> Member {
        let number = {
            let mut board = exchange.0.lock().unwrap_or_else(PoisonError::into_inner);
            board.inboxes.push(Vec::new());
            board.inboxes.len() - 1
        };
        let (exchange, formula) = (exchange.clone(), Formula::Growing(Box::default()));
        Member { exchange, number, learnt: Rc::default(), formula }
    }

    pub fn listener(&self) -> ClauseListener {
        ClauseListener { learnt: Rc::clone(&self.learnt), clause: Vec::new() }
    }

    /// Notes clauses that the solver is given, each terminated by 0. Returns false if the solver must leave, because it
    /// now has more clauses than the others.
    #[must_use]
    pub fn note_given(&mut self, clauses: &[i32]) -> bool {
        match &mut self.formula {
            Formula::Growing(hasher) => {
                let bytes: Vec<u8> = clauses.iter().flat_map(|lit| lit.to_le_bytes()).collect();
                hasher.update(&bytes);
                true
            }
            Formula::Shared => false,
        }
    }

    /// Fetches the clauses that others have shared since the last call of `solve`. `None`: the solver must leave,
    /// because its formula differs from that of the others.
    pub fn receive(&mut self) -> Option<Vec<Clause>> {
        let mut board = self.exchange.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Formula::Growing(hasher) = &self.formula {
            let hash = hasher.finalize();
            if *board.formula.get_or_insert(hash) != hash {
                return None;
            }
            self.formula = Formula::Shared;
        }
        Some(std::mem::take(&mut board.inboxes[self.number]))
    }

    /// Adds a consequence of the formula to the clauses that are to be published.
    pub fn share(&self, clause: &[i32]) {
        self.learnt.borrow_mut().push(clause.into());
    }

    /// Drops the clauses learnt on the way to a model.
    pub fn discard(&self) {
        self.learnt.borrow_mut().clear();
    }

    /// Sends all learnt clauses to the others, after a call of `solve` without a model.
    pub fn publish(&self) {
        let mut learnt = std::mem::take(&mut *self.learnt.borrow_mut());
        let mut board = self.exchange.0.lock().unwrap_or_else(PoisonError::into_inner);
        keep_shortest(&mut learnt, MOST / (board.inboxes.len() - 1).max(1));
        let others = board.inboxes.iter_mut().enumerate().filter(|(number, _)| *number != self.number);
        for (_, inbox) in others {
            let room = WAITING.saturating_sub(inbox.len());
            inbox.extend(learnt.iter().take(room).cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Member;
    use crate::{Cadical, Exchange, Lit, Sat, Solved};

    /// A chain of implications from the first variable to the last.
    fn chain(exchange: &Exchange, length: usize) -> (Cadical, Vec<Lit>) {
        let mut solver = Cadical::new();
        solver.join(exchange);
        let lits: Vec<Lit> = (0..length).map(|_| solver.new_var()).collect();
        lits.windows(2).for_each(|pair| solver.add_clause(&[!pair[0], pair[1]]));
        (solver, lits)
    }

    #[test]
    fn a_lemma_reaches_the_other_solver() {
        let exchange = Exchange::default();
        let ((mut one, lits), (mut other, _)) = (chain(&exchange, 5), chain(&exchange, 5));
        assert_eq!(one.solve(&[lits[0]]), Solved::Sat);
        // Not a consequence of the formula, so that its effect can be seen.
        one.add_lemma(&[!lits[0]]);
        assert_eq!(other.solve(&[lits[0]]), Solved::Unsat);
    }

    /// Six pigeons, each in one of six holes; the returned literal closes the sixth hole.
    fn pigeons(exchange: &Exchange) -> (Cadical, Lit, Member) {
        const HOLES: usize = 6;
        let mut solver = Cadical::new();
        solver.join(exchange);
        let closed = solver.new_var();
        let lits: Vec<Vec<Lit>> = (0..HOLES).map(|_| (0..HOLES).map(|_| solver.new_var()).collect()).collect();
        let mut clauses = lits.clone();
        for (number, pigeon) in lits.iter().enumerate() {
            clauses.push(vec![!closed, !pigeon[HOLES - 1]]);
            for other in &lits[..number] {
                clauses.extend(pigeon.iter().zip(other).map(|(one, other)| vec![!*one, !*other]));
            }
        }
        clauses.iter().for_each(|clause| solver.add_clause(clause));
        let mut listener = Member::new(exchange);
        let given = clauses.iter().flat_map(|clause| clause.iter().map(|lit| lit.dimacs()).chain([0]));
        assert!(listener.note_given(&given.collect::<Vec<i32>>()));
        (solver, closed, listener)
    }

    #[test]
    fn clauses_learnt_on_the_way_to_a_model_are_not_shared() {
        let (mut solver, closed, mut listener) = pigeons(&Exchange::default());
        assert_eq!(solver.solve(&[!closed]), Solved::Sat);
        assert!(solver.statistics().conflicts > 0, "it has learnt something");
        assert_eq!(listener.receive(), Some(Vec::new()));
        assert_eq!(solver.solve(&[closed]), Solved::Unsat);
        assert_ne!(listener.receive(), Some(Vec::new()));
    }

    #[test]
    fn the_shortest_clauses_are_kept() {
        let clause = |length: i32| (1..=length).collect::<Vec<i32>>().into();
        let mut clauses = [3, 1, 2, 5, 1].map(clause).to_vec();
        super::keep_shortest(&mut clauses, 3);
        assert_eq!(clauses.iter().map(|clause| clause.len()).collect::<Vec<_>>(), [1, 1, 2]);
    }

    #[test]
    fn a_solver_of_another_formula_receives_nothing() {
        let exchange = Exchange::default();
        let ((mut one, lits), (mut other, _)) = (chain(&exchange, 5), chain(&exchange, 6));
        assert_eq!(one.solve(&[lits[0]]), Solved::Sat);
        one.add_lemma(&[!lits[0]]);
        assert_eq!(other.solve(&[lits[0]]), Solved::Sat);
    }

    #[test]
    fn a_solver_that_is_given_more_than_lemmas_leaves() {
        let exchange = Exchange::default();
        let ((mut one, lits), (mut other, _)) = (chain(&exchange, 5), chain(&exchange, 5));
        assert_eq!((one.solve(&[lits[0]]), other.solve(&[lits[0]])), (Solved::Sat, Solved::Sat));
        one.add_clause(&[!lits[1]]);
        assert_eq!(one.solve(&[lits[1]]), Solved::Unsat);
        one.add_lemma(&[!lits[0]]);
        assert_eq!(other.solve(&[lits[0]]), Solved::Sat);
    }
}
