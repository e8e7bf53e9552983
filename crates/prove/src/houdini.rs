//! Houdini: of many candidates, those that hold together.
//!
//! Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java" (FME 2001). At first every subject is said to
//! satisfy all its candidates, `false` among them. Whenever a rule fails, the model shows a state that contradicts some
//! of the candidates of its conclusion; these are dropped. What is left when nothing fails any more is the strongest
//! statement that the candidates can express and that the rules prove: there is only one, whatever the order.
//!
//! It needs no solver but the bit-blaster, it is exact over bit-vectors, and its cost is known: each failing query
//! drops a candidate. Since `false` is a candidate everywhere, a location that stays `false` is unreachable, and
//! nothing is asked about it: the work follows the threads from where they begin.
//!
//! There is one SAT solver for each edge of the system, which all rules about its step share. Candidates are
//! assumptions, so that clauses are added once; the conclusion is a clause of literals that the dropped candidates
//! switch off.

use crate::invariant::Invariant;
use crate::rules::{Instance, Rule, Subject, said};
use crate::system::{System, TemplateId};
use hashbrown::{HashMap, HashSet};
use selvedge_engine::Control;
use selvedge_formula::{Blaster, Cadical, Lit, Solved, Term, Terms};
use std::collections::VecDeque;

/// Statements by subject: candidates, or what is left of them.
pub type Statements = HashMap<Subject, Vec<Term>>;

type Step = Option<(TemplateId, usize)>;

/// A rule as literals.
struct Compiled {
    /// Constraints, what was known before, and a literal that says "some candidate of the conclusion is false".
    always: Vec<Lit>,
    /// By subject: its candidates here.
    premises: Vec<(Subject, Vec<Lit>)>,
    /// For each candidate of the conclusion that the premises do not already have: its number, its value after the
    /// step, and the literal that blames it.
    blames: Vec<(usize, Lit, Lit)>,
}

struct Houdini<'a> {
    system: &'a mut System,
    rules: &'a [Rule],
    /// Statements that are known to hold, of a proof that came before.
    known: &'a Statements,
    candidates: &'a Statements,
    /// Which candidates are left.
    left: HashMap<Subject, Vec<bool>>,
    solvers: HashMap<Step, Blaster<Cadical>>,
    compiled: HashMap<usize, Compiled>,
    control: &'a Control,
}

/// Statements as an invariant. What has none holds anywhere.
pub fn invariant(system: &mut System, statements: &Statements) -> Invariant {
    let mut found = Invariant::default();
    for at in system.places().collect::<Vec<_>>() {
        let said = statements.get(&Subject::One(at)).cloned().unwrap_or_default();
        if !said.contains(&Terms::FALSE) {
            found.single.insert(at, system.terms.and_all(said));
        }
    }
    for (&subject, said) in statements {
        if let Subject::Two(one, other) = subject
            && !said.is_empty()
        {
            found.pairs.insert((one, other), system.terms.and_all(said.iter().copied()));
        }
    }
    found
}

/// Whether statements exclude every error, and whatever else the rules say must not be. `None` if there was no time.
pub fn excludes_errors(
    system: &mut System,
    rules: &[Rule],
    statements: &Statements,
    control: &Control,
) -> Option<bool> {
    let is_never = |subject: Subject| statements.get(&subject).is_some_and(|said| said.contains(&Terms::FALSE));
    if !system.places().map(Subject::One).filter(|place| place.is_error(system)).all(is_never) {
        return Some(false);
    }
    let mut solver = solver(control);
    for rule in rules.iter().filter(|rule| rule.conclusion.is_none()) {
        let mut assumed = rule.constraints.clone();
        for premise in &rule.premises {
            let known = statements.get(&premise.subject).map_or(&[][..], Vec::as_slice);
            assumed.extend(said(system, premise, known));
        }
        if assumed.contains(&Terms::FALSE) {
            continue;
        }
        let assumed: Vec<Lit> = assumed.into_iter().map(|term| solver.literal(&system.terms, term)).collect();
        match solver.solve(&assumed) {
            Solved::Unsat => {}
            Solved::Sat => return Some(false),
            Solved::Interrupted => return None,
        }
    }
    Some(true)
}

fn solver(control: &Control) -> Blaster<Cadical> {
    let deadline = control.time_limit.and_then(|limit| control.started.checked_add(limit));
    Blaster::new(Cadical::with_limits(control.stop.clone(), deadline))
}

/// The candidates that hold together with what is known. `None` if there was no time.
///
/// Subjects without candidates are without a statement: anything may hold there.
pub fn houdini(
    system: &mut System,
    rules: &[Rule],
    known: &Statements,
    candidates: &Statements,
    control: &Control,
) -> Option<Statements> {
    let left = candidates.iter().map(|(&subject, all)| (subject, vec![true; all.len()])).collect();
    let (solvers, compiled) = (HashMap::new(), HashMap::new());
    let mut houdini = Houdini { system, rules, known, candidates, left, solvers, compiled, control };
    houdini.run()?;
    let left = houdini.left;
    let kept = candidates.iter().map(|(subject, all)| {
        let kept = all.iter().zip(&left[subject]).filter(|(_, left)| **left);
        (*subject, kept.map(|(&candidate, _)| candidate).collect())
    });
    Some(kept.collect())
}

impl Houdini<'_> {
    fn run(&mut self) -> Option<()> {
        let mut users: HashMap<Subject, Vec<usize>> = HashMap::new();
        for (i, rule) in self.rules.iter().enumerate() {
            let subjects: HashSet<Subject> = rule.premises.iter().map(|premise| premise.subject).collect();
            subjects.into_iter().for_each(|subject| users.entry(subject).or_default().push(i));
        }
        let mut waiting: VecDeque<usize> = (0..self.rules.len()).collect();
        let mut is_waiting = vec![true; self.rules.len()];
        while let Some(i) = waiting.pop_front() {
            is_waiting[i] = false;
            let Some(conclusion) = self.rules[i].conclusion.as_ref().map(|conclusion| conclusion.subject) else {
                continue;
            };
            if self.drop_contradicted(i, conclusion)? {
                for &user in users.get(&conclusion).into_iter().flatten() {
                    if !std::mem::replace(&mut is_waiting[user], true) {
                        waiting.push_back(user);
                    }
                }
            }
        }
        Some(())
    }

    /// Drops candidates until the rule holds. Whether there were any.
    fn drop_contradicted(&mut self, i: usize, conclusion: Subject) -> Option<bool> {
        if self.is_idle(i, conclusion) {
            return Some(false);
        }
        self.compile(i);
        let mut dropped = false;
        loop {
            let compiled = &self.compiled[&i];
            let mut assumed = compiled.always.clone();
            for (subject, lits) in &compiled.premises {
                let left = self.left.get(subject).into_iter().flatten();
                assumed.extend(lits.iter().zip(left).filter(|(_, left)| **left).map(|(lit, _)| *lit));
            }
            let left = &self.left[&conclusion];
            assumed.extend(compiled.blames.iter().filter(|(candidate, ..)| !left[*candidate]).map(|blame| !blame.2));
            let solver = self.solvers.get_mut(&self.rules[i].step).expect("compiled");
            match solver.solve(&assumed) {
                Solved::Unsat => return Some(dropped),
                Solved::Interrupted => return None,
                Solved::Sat => {}
            }
            let values: Vec<(usize, bool)> =
                compiled.blames.iter().map(|&(number, value, _)| (number, literal_value(solver, value))).collect();
            let left = self.left.get_mut(&conclusion).expect("it has candidates");
            for (number, value) in values {
                dropped |= !value && std::mem::replace(&mut left[number], false);
            }
        }
    }

    /// Nothing to be shown, or a premise is `false`.
    fn is_idle(&self, i: usize, conclusion: Subject) -> bool {
        let rule = &self.rules[i];
        let is_false = |premise: &Instance| {
            let all = self.candidates.get(&premise.subject).into_iter().flatten();
            let mut left = all.zip(self.left.get(&premise.subject).into_iter().flatten());
            left.any(|(&candidate, &left)| left && candidate == Terms::FALSE)
                || self.known.get(&premise.subject).is_some_and(|known| known.contains(&Terms::FALSE))
        };
        let concluded = self.left.get(&conclusion);
        concluded.is_none_or(|left| !left.contains(&true)) || rule.premises.iter().any(is_false)
    }

    fn compile(&mut self, i: usize) {
        if self.compiled.contains_key(&i) {
            return;
        }
        let rule = &self.rules[i];
        let Some(concluded) = &rule.conclusion else { return };
        let mut always = rule.constraints.clone();
        let mut premises = Vec::new();
        for premise in &rule.premises {
            let subject = premise.subject;
            always.extend(said(self.system, premise, self.known.get(&subject).map_or(&[], Vec::as_slice)));
            if let Some(candidates) = self.candidates.get(&subject) {
                premises.push((subject, said(self.system, premise, candidates)));
            }
        }
        let conclusion = concluded.subject;
        let concluded = said(self.system, concluded, &self.candidates[&conclusion]);
        let stays = |number: usize, term: Term| {
            premises.iter().any(|(subject, terms)| *subject == conclusion && terms[number] == term)
        };
        let changed: Vec<(usize, Term)> =
            concluded.iter().copied().enumerate().filter(|&(number, term)| !stays(number, term)).collect();
        let terms = &self.system.terms;
        let solver = self.solvers.entry(rule.step).or_insert_with(|| solver(self.control));
        let mut always: Vec<Lit> = always.into_iter().map(|term| solver.literal(terms, term)).collect();
        let premises = premises.into_iter().map(|(subject, said)| {
            let lits: Vec<Lit> = said.into_iter().map(|term| solver.literal(terms, term)).collect();
            (subject, lits)
        });
        let premises: Vec<(Subject, Vec<Lit>)> = premises.collect();
        let fails = solver.fresh();
        let mut clause = vec![!fails];
        let mut blames = Vec::new();
        for (number, term) in changed {
            let (value, blame) = (solver.literal(terms, term), solver.fresh());
            solver.add_clause(&[!blame, !value]);
            clause.push(blame);
            blames.push((number, value, blame));
        }
        solver.add_clause(&clause);
        always.push(fails);
        self.compiled.insert(i, Compiled { always, premises, blames });
    }
}

fn literal_value(solver: &Blaster<Cadical>, literal: Lit) -> bool {
    use selvedge_formula::Sat;
    solver.solver().value(literal)
}
