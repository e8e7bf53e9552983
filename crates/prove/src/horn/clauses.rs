//! The rules of thread-modular proofs as Horn clauses, made small.
//!
//! - Statements that are known to hold are constraints, and those that follow from others are left out.
//! - A condition of a guard that follows from what is known is left out: that a thread gives back only the locks that
//!   it has, say.
//! - A clause whose constraints contradict each other is left out: the interference of threads that exclude each other.
//! - A predicate speaks only of variables on which guards depend, and of locals that are live.
//!
//! All of it makes clauses weaker or fewer only by what is known anyway, so predicates that satisfy them satisfy,
//! together with what is known, the rules as they were.

use crate::candidates::classes;
use crate::expression::parts;
use crate::houdini::Statements;
use crate::live::{live_locals, relevant, variables};
use crate::rules::{Instance, Level, Rule, Subject, rules, said};
use crate::system::{System, TemplateId};
use hashbrown::{HashMap, HashSet};
use selvedge_engine::Control;
use selvedge_formula::smt::horn::{Application, Clause, Clauses, Interpretation, Predicate, Reading, votes};
use selvedge_formula::{Blaster, Cadical, Node, Solved, Term, Terms};

/// The kind of predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// One for each place, or pair of places.
    Places,
    /// One for each template, or pair of templates, with the locations as arguments.
    Counter,
}

/// The rules of a level that are left, and what is known.
pub struct Problem {
    /// All rules, as they are.
    pub rules: Vec<Rule>,
    /// Those that have to be asked about.
    asked: Vec<Rule>,
    known: Statements,
    /// Known facts, without those that follow from others.
    facts: Statements,
    /// The variables of each predicate.
    variables: HashMap<Subject, Vec<Term>>,
    readings: HashMap<Term, Reading>,
    relevant: HashSet<Term>,
}

/// Clauses, and what their predicates stand for.
pub struct Encoded {
    pub clauses: Clauses,
    /// Whether linear arithmetic cannot express all of them.
    pub is_approximate: bool,
    predicates: HashMap<Subject, usize>,
    arguments: HashMap<Subject, Vec<Term>>,
}

fn solver(control: &Control) -> Blaster<Cadical> {
    let deadline = control.time_limit.and_then(|limit| control.started.checked_add(limit));
    Blaster::new(Cadical::with_limits(control.stop.clone(), deadline))
}

impl Problem {
    /// `None` if there was no time.
    pub fn new(system: &mut System, known: &Statements, level: Level, control: &Control) -> Option<Problem> {
        let readings = readings(system);
        let facts = independent(system, known, &readings, control)?;
        let whole = rules(system, level);
        let guards = simplify_guards(system, &facts, control)?;
        let relevant = relevant(system);
        let simpler = rules(system, level);
        for ((template, index), guard) in guards {
            system.templates[template].edges[index].guard = guard;
        }
        let asked = possible(system, simpler, known, &facts, control)?;
        let mut problem =
            Problem { rules: whole, asked, known: known.clone(), facts, variables: HashMap::new(), readings, relevant };
        problem.choose_variables(system);
        Some(problem)
    }

    fn choose_variables(&mut self, system: &mut System) {
        let live = live_locals(system);
        let shared: Vec<Term> = system.shared.values().map(|variable| variable.copies[0]).collect();
        let shared: Vec<Term> = shared.into_iter().filter(|variable| self.relevant.contains(variable)).collect();
        let instances = self.asked.iter().flat_map(|rule| rule.premises.iter().chain(&rule.conclusion));
        let subjects: HashSet<Subject> = instances.map(|instance| instance.subject).collect();
        for subject in subjects.into_iter().filter(|subject| subject.runs(system)) {
            let mut spoken = shared.clone();
            for ((template, location), copy) in subject.threads() {
                for local in system.templates[template].locals.values() {
                    let variable = local.copies[0];
                    let is_live = live.get(&(template, location)).is_some_and(|live| live.contains(&variable));
                    if is_live && self.relevant.contains(&variable) {
                        spoken.push(local.copies[copy]);
                    }
                }
            }
            self.variables.insert(subject, spoken);
        }
    }

    pub fn encode(&self, system: &mut System, layout: Layout) -> Encoded {
        let mut encoded = Encoded {
            clauses: Clauses::default(),
            is_approximate: false,
            predicates: HashMap::new(),
            arguments: HashMap::new(),
        };
        encoded.clauses.readings = self.readings.iter().map(|(&variable, &reading)| (variable, reading)).collect();
        let mut subjects: Vec<Subject> = self.variables.keys().copied().collect();
        subjects.sort_unstable();
        let mut groups: HashMap<Vec<TemplateId>, usize> = HashMap::new();
        for subject in subjects {
            let arguments = match layout {
                Layout::Places => self.variables[&subject].clone(),
                Layout::Counter => self.with_counters(system, subject),
            };
            let predicate = Predicate {
                arguments: arguments.iter().map(|&term| (system.terms.bits(term), self.reading(term))).collect(),
            };
            let group = subject.threads().map(|((template, _), _)| template).collect();
            let place = match layout {
                Layout::Places => None,
                Layout::Counter => groups.get(&group).copied(),
            };
            let index = place.unwrap_or_else(|| {
                // All places of a group have the same arguments, but some of them are constants there.
                let mut predicate = predicate;
                if layout == Layout::Counter {
                    predicate.arguments = self.group(system, subject);
                    groups.insert(group, encoded.clauses.predicates.len());
                }
                encoded.clauses.predicates.push(predicate);
                encoded.clauses.predicates.len() - 1
            });
            encoded.predicates.insert(subject, index);
            encoded.arguments.insert(subject, arguments);
        }
        for rule in &self.asked {
            if let Some(clause) = self.clause(system, &encoded, rule) {
                encoded.is_approximate |= clause.constraints.iter().any(|&term| is_approximate(&system.terms, term));
                encoded.clauses.clauses.push(clause);
            }
        }
        encoded
    }

    fn reading(&self, variable: Term) -> Reading {
        self.readings.get(&variable).copied().unwrap_or(Reading::Signed)
    }

    /// All relevant variables of the threads' templates, in order.
    fn all(&self, system: &System, subject: Subject) -> Vec<Term> {
        let shared = system.shared.values().map(|variable| (variable.copies[0], variable.copies[0]));
        let locals = subject.threads().flat_map(|((template, _), copy)| {
            system.templates[template].locals.values().map(move |local| (local.copies[0], local.copies[copy]))
        });
        shared.chain(locals).filter(|(first, _)| self.relevant.contains(first)).map(|(_, variable)| variable).collect()
    }

    fn group(&self, system: &System, subject: Subject) -> Vec<(u32, Reading)> {
        let counters = subject.threads().map(|_| (COUNTER, Reading::Unsigned));
        let rest = self.all(system, subject).into_iter().map(|term| (system.terms.bits(term), self.reading(term)));
        counters.chain(rest).collect()
    }

    /// The locations, and all variables; those that nobody reads from there are zero.
    fn with_counters(&self, system: &mut System, subject: Subject) -> Vec<Term> {
        let spoken: HashSet<Term> = self.variables[&subject].iter().copied().collect();
        let places: Vec<u32> = subject.threads().map(|((_, location), _)| location.as_u32()).collect();
        let mut arguments: Vec<Term> =
            places.into_iter().map(|place| system.terms.constant(COUNTER, u128::from(place))).collect();
        for variable in self.all(system, subject) {
            let bits = system.terms.bits(variable);
            arguments.push(if spoken.contains(&variable) { variable } else { system.terms.constant(bits, 0) });
        }
        arguments
    }

    /// `None` if it says nothing.
    fn clause(&self, system: &mut System, encoded: &Encoded, rule: &Rule) -> Option<Clause> {
        let applied = |system: &mut System, instance: &Instance| {
            let predicate = encoded.predicates[&instance.subject];
            Application { predicate, arguments: said(system, instance, &encoded.arguments[&instance.subject]) }
        };
        let mut constraints = Vec::new();
        let mut premises = Vec::new();
        for premise in &rule.premises {
            if premise.subject.runs(system) {
                premises.push(applied(system, premise));
            }
            let facts = self.facts.get(&premise.subject).cloned().unwrap_or_default();
            let facts = facts.into_iter().filter(|&fact| self.is_relevant(system, premise.subject, fact));
            let facts: Vec<Term> = facts.collect();
            constraints.extend(said(system, premise, &facts));
        }
        constraints.extend(rule.constraints.iter().flat_map(|&constraint| parts(&system.terms, constraint)));
        constraints.retain(|&constraint| constraint != Terms::TRUE);
        constraints.sort_unstable();
        constraints.dedup();
        let conclusion = match &rule.conclusion {
            None => None,
            Some(concluded) if concluded.subject.is_error(system) => None,
            Some(concluded) if concluded.subject.runs(system) => Some(applied(system, concluded)),
            Some(_) => return None,
        };
        let stays = conclusion.as_ref().is_some_and(|conclusion| {
            let same = |premise: &Application| {
                premise.predicate == conclusion.predicate && premise.arguments == conclusion.arguments
            };
            premises.iter().any(same)
        });
        let said = premises.iter().chain(&conclusion).flat_map(|application| application.arguments.iter().copied());
        let spoken = variables(&system.terms, said).into_iter().collect();
        let constraints = connected(&system.terms, constraints, &spoken);
        (!stays).then_some(Clause { premises, constraints, conclusion })
    }

    fn is_relevant(&self, system: &System, subject: Subject, fact: Term) -> bool {
        let spoken = &self.variables.get(&subject).map_or(&[][..], Vec::as_slice);
        variables(&system.terms, [fact]).iter().all(|variable| spoken.contains(variable))
    }
}

/// Leaves out constraints about a variable of which nobody else speaks: that it has such a value is no condition.
fn connected(terms: &Terms, mut constraints: Vec<Term>, spoken: &HashSet<Term>) -> Vec<Term> {
    loop {
        let mut speakers: HashMap<Term, usize> = HashMap::new();
        for &constraint in &constraints {
            variables(terms, [constraint]).into_iter().for_each(|variable| *speakers.entry(variable).or_default() += 1);
        }
        let before = constraints.len();
        let is_private = |variable: &Term| !spoken.contains(variable) && speakers[variable] == 1;
        constraints.retain(|&constraint| !variables(terms, [constraint]).iter().any(is_private));
        if constraints.len() == before {
            return constraints;
        }
    }
}

/// The width of a location as an argument.
const COUNTER: u32 = 16;

impl Encoded {
    /// The known and the found statements, in parts.
    pub fn words(&self, system: &mut System, problem: &Problem, found: &[Interpretation]) -> Option<Statements> {
        let mut words = problem.known.clone();
        for (subject, &predicate) in &self.predicates {
            let statement = found[predicate].apply(&mut system.terms, &self.arguments[subject])?;
            words.entry(*subject).or_default().extend(parts(&system.terms, statement));
        }
        let errors: Vec<Subject> =
            system.places().map(Subject::One).filter(|subject| subject.is_error(system)).collect();
        errors.into_iter().for_each(|error| drop(words.insert(error, vec![Terms::FALSE])));
        Some(words)
    }
}

/// Is there something that linear arithmetic cannot express?
fn is_approximate(terms: &Terms, root: Term) -> bool {
    let constant = |term: Term| terms.as_constant(term).is_some();
    terms.cone([root]).into_iter().any(|term| match terms.node(term) {
        Node::And(a, b) | Node::Xor(a, b) => terms.bits(a) > 1 && !constant(a) && !constant(b),
        Node::Mul(a, b) => !constant(a) && !constant(b),
        Node::Udiv(_, b) | Node::Urem(_, b) | Node::Sdiv(_, b) | Node::Srem(_, b) => !constant(b),
        Node::Shl(..) | Node::Lshr(..) | Node::Ashr(..) => true,
        _ => terms.bits(term) > 64,
    })
}

/// The reading of each variable: as most comparisons of its class have it.
fn readings(system: &System) -> HashMap<Term, Reading> {
    let class = classes(system);
    let mut roots = vec![system.initial];
    for edge in system.templates.values().flat_map(|template| &template.edges) {
        roots.push(edge.guard);
        roots.extend(edge.updates.iter().map(|(_, value)| *value));
    }
    let mut of_class: HashMap<usize, i64> = HashMap::new();
    for (variable, vote) in votes(&system.terms, roots) {
        if let Some(class) = class.get(&variable) {
            *of_class.entry(*class).or_default() += vote;
        }
    }
    let mut readings = HashMap::new();
    let all = system.shared.values().chain(system.templates.values().flat_map(|template| template.locals.values()));
    for variable in all {
        let vote = class.get(&variable.copies[0]).and_then(|class| of_class.get(class)).copied().unwrap_or(0);
        let reading = if vote < 0 { Reading::Unsigned } else { Reading::Signed };
        readings.extend(variable.copies.iter().map(|&copy| (copy, reading)));
    }
    readings
}

/// Those of the statements that do not follow from the others, short ones first.
fn independent(
    system: &System,
    known: &Statements,
    readings: &HashMap<Term, Reading>,
    control: &Control,
) -> Option<Statements> {
    let mut facts = Statements::new();
    for (&subject, said) in known {
        let mut sorted = said.clone();
        // Comparisons that fit the reading of their variables first: they make the others superfluous.
        let unlike = |fact: Term| {
            votes(&system.terms, [fact]).iter().any(|(variable, vote)| {
                let signed = readings.get(variable).copied().unwrap_or(Reading::Signed) == Reading::Signed;
                (*vote < 0) == signed
            })
        };
        sorted.sort_by_key(|&fact| (unlike(fact), system.terms.cone([fact]).len(), fact));
        let mut solver = solver(control);
        let mut chosen = Vec::new();
        for fact in sorted {
            let literal = solver.literal(&system.terms, fact);
            match solver.solve(&[!literal]) {
                Solved::Unsat => {}
                Solved::Interrupted => return None,
                Solved::Sat => {
                    solver.assert(&system.terms, fact);
                    chosen.push(fact);
                }
            }
        }
        facts.insert(subject, chosen);
    }
    Some(facts)
}

type Guards = Vec<((TemplateId, usize), Term)>;

/// Leaves out of guards what is known where they stand. Returns the guards as they were.
fn simplify_guards(system: &mut System, facts: &Statements, control: &Control) -> Option<Guards> {
    let mut before = Vec::new();
    for template in system.templates.keys().collect::<Vec<_>>() {
        for index in 0..system.templates[template].edges.len() {
            let edge = &system.templates[template].edges[index];
            let (guard, from) = (edge.guard, edge.from);
            let mut solver = solver(control);
            for &fact in facts.get(&Subject::One((template, from))).into_iter().flatten() {
                solver.assert(&system.terms, fact);
            }
            let mut kept = Vec::new();
            for part in parts(&system.terms, guard) {
                let literal = solver.literal(&system.terms, part);
                match solver.solve(&[!literal]) {
                    Solved::Unsat => {}
                    Solved::Sat => kept.push(part),
                    Solved::Interrupted => return None,
                }
            }
            before.push(((template, index), guard));
            system.templates[template].edges[index].guard = system.terms.and_all(kept);
        }
    }
    Some(before)
}

/// The rules whose premises and constraints do not contradict what is known.
fn possible(
    system: &mut System,
    rules: Vec<Rule>,
    known: &Statements,
    facts: &Statements,
    control: &Control,
) -> Option<Vec<Rule>> {
    let mut solvers: HashMap<Option<(TemplateId, usize)>, Blaster<Cadical>> = HashMap::new();
    let mut kept = Vec::new();
    for rule in rules {
        let never = |instance: &Instance| known.get(&instance.subject).is_some_and(|said| said.contains(&Terms::FALSE));
        let is_settled = |conclusion: &Instance| conclusion.subject.is_error(system) && never(conclusion);
        if rule.conclusion.as_ref().is_some_and(is_settled) || rule.premises.iter().any(never) {
            continue;
        }
        let mut assumed = rule.constraints.clone();
        for premise in &rule.premises {
            let facts = facts.get(&premise.subject).cloned().unwrap_or_default();
            assumed.extend(said(system, premise, &facts));
        }
        let solver = solvers.entry(rule.step).or_insert_with(|| solver(control));
        let assumed: Vec<_> = assumed.into_iter().map(|term| solver.literal(&system.terms, term)).collect();
        match solver.solve(&assumed) {
            Solved::Unsat => {}
            Solved::Sat => kept.push(rule),
            Solved::Interrupted => return None,
        }
    }
    Some(kept)
}
