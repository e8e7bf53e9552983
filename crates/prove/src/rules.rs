//! The rules of thread-modular proofs with unknown statements, as data: for those who look for an invariant.
//!
//! A rule says: where the premises and the constraints hold, the conclusion holds. The premises are statements about
//! threads that stand somewhere, the conclusion is a statement about the state after one step. Techniques that search
//! for statements (`houdini.rs`, `horn`) all work on this list, so that they need to know nothing of steps, new threads
//! and interference. `check` does not use it: it has the conditions on its own, with the statements in them.
//!
//! Level 1 has statements about one thread, and interference by a second one. Level 2 has statements about pairs in
//! addition: whoever is in view is then known in pairs, too. See `invariant.rs` for the rules; here they have these
//! forms, where the threads in view have the copies 0, 1, 2 of their locals.
//!
//! | rule | premises | conclusion |
//! |---|---|---|
//! | first | `initial` | main at its first location |
//! | own step | 0 (with 1) | 0 behind the edge (with 1) |
//! | new thread | 0 (with 1) | the new one (with 0 behind the edge, with 1) |
//! | interference | 0 (with 1), and another | 0 (with 1), as before |
//! | symmetry | two threads at the same location | the same with copies exchanged |
//! | race | 0 and 1, both about to make accesses that race | false |

use crate::counters;
use crate::invariant::At;
use crate::races::{Pair, pairs};
use crate::system::{Edge, Instances, LocationKind, Place, System, TemplateId, substitute};
use hashbrown::HashMap;
use selvedge_formula::Term;
use std::rc::Rc;

/// The thread or threads that a statement is about. In a pair, the first has copy 0 of its locals, the second copy 1;
/// the smaller place stands first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Subject {
    One(At),
    Two(At, At),
}

/// How many threads the statements are about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    One,
    Two,
}

/// A statement, said about certain threads before or after a step.
#[derive(Clone, Debug)]
pub struct Instance {
    pub subject: Subject,
    /// The copies that the threads have here.
    copies: [usize; 2],
    /// The new values of variables that a step has changed, by the terms of their old values.
    after: Rc<HashMap<Term, Term>>,
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub premises: Vec<Instance>,
    pub constraints: Vec<Term>,
    /// None: false, for this must not be.
    pub conclusion: Option<Instance>,
    /// The edge that is taken, if any.
    pub step: Option<(TemplateId, usize)>,
}

impl Subject {
    /// The places, each with the copy of the locals that statements use for it.
    pub fn threads(self) -> impl Iterator<Item = (At, usize)> {
        let (one, two) = match self {
            Subject::One(at) => (at, None),
            Subject::Two(first, second) => (first, Some(second)),
        };
        [Some((one, 0)), two.map(|at| (at, 1))].into_iter().flatten()
    }

    /// The variables that a statement about it may have.
    pub fn variables(self, system: &System) -> Vec<Term> {
        let shared = system.shared.values().map(|variable| variable.copies[0]);
        let locals = self.threads().flat_map(|((template, _), copy)| {
            system.templates[template].locals.values().map(move |variable| variable.copies[copy])
        });
        shared.chain(locals).collect()
    }

    pub fn is_error(self, system: &System) -> bool {
        self.threads().any(|(at, _)| matches!(kind(system, at), LocationKind::Error { .. }))
    }

    /// All threads take further steps.
    pub fn runs(self, system: &System) -> bool {
        self.threads().all(|(at, _)| runs(system, at))
    }
}

impl Instance {
    fn new(threads: &[(At, usize)], after: &Rc<HashMap<Term, Term>>) -> Instance {
        let (subject, copies) = match *threads {
            [(at, copy)] => (Subject::One(at), [copy, copy]),
            [(one, a), (other, b)] if one <= other => (Subject::Two(one, other), [a, b]),
            [(one, a), (other, b)] => (Subject::Two(other, one), [b, a]),
            _ => unreachable!("statements are about one thread or two"),
        };
        Instance { subject, copies, after: after.clone() }
    }

    /// The values of the statement's variables here.
    pub fn values(&self, system: &System) -> Vec<(Term, Term)> {
        let now = |term: Term| self.after.get(&term).copied().unwrap_or(term);
        let shared = system.shared.values().map(|variable| (variable.copies[0], now(variable.copies[0])));
        let locals = self.subject.threads().flat_map(|((template, _), copy)| {
            let locals = system.templates[template].locals.values();
            locals.map(move |variable| (variable.copies[copy], now(variable.copies[self.copies[copy]])))
        });
        shared.chain(locals).collect()
    }
}

fn kind(system: &System, (template, location): At) -> &LocationKind {
    &system.templates[template].locations[location].kind
}

/// Whether a statement about a thread there matters: it takes further steps, or should never get there.
pub fn matters(system: &System, at: At) -> bool {
    match kind(system, at) {
        LocationKind::Running | LocationKind::Error { .. } | LocationKind::Unchecked { .. } => true,
        LocationKind::Ended | LocationKind::ProcessEnded => false,
    }
}

/// Whether a thread there takes further steps.
pub fn runs(system: &System, at: At) -> bool {
    *kind(system, at) == LocationKind::Running
}

/// An edge as taken by the thread that has a certain copy.
struct Step {
    template: TemplateId,
    index: usize,
    from: At,
    to: At,
    copy: usize,
    guard: Term,
    changes: Rc<HashMap<Term, Term>>,
    shares: bool,
    spawns: Vec<(TemplateId, Vec<(Term, Term)>)>,
}

/// The places of a system where statements matter.
pub fn places(system: &System) -> Vec<At> {
    let all = system.templates.iter();
    let all = all.flat_map(|(id, template)| template.locations.keys().map(move |location| (id, location)));
    all.filter(|&at| matters(system, at)).collect()
}

/// All subjects that statements of a level are about.
pub fn subjects(system: &System, level: Level) -> Vec<Subject> {
    let places = places(system);
    let mut subjects: Vec<Subject> = places.iter().map(|&at| Subject::One(at)).collect();
    if level == Level::Two {
        for (i, &one) in places.iter().enumerate() {
            for &other in &places[i..] {
                let alone = one.0 == other.0 && system.templates[one.0].instances == Instances::Once;
                if !alone && runs(system, one) && runs(system, other) {
                    subjects.push(Subject::Two(one, other));
                }
            }
        }
    }
    subjects
}

/// All rules of a level. Of those that hold whatever the statements say, most are left out.
pub fn rules(system: &mut System, level: Level) -> Vec<Rule> {
    let mut list = List { found: Vec::new(), nothing: Rc::default() };
    list.first(system);
    let places: Vec<At> = places(system).into_iter().filter(|&at| runs(system, at)).collect();
    for template in system.templates.keys().collect::<Vec<_>>() {
        for index in 0..system.templates[template].edges.len() {
            if runs(system, (template, system.templates[template].edges[index].from)) {
                list.of_edge(system, level, &places, template, index);
            }
        }
    }
    if level == Level::Two {
        for &at in &places {
            if system.templates[at.0].instances == Instances::Many {
                list.symmetry(at);
            }
        }
    }
    list.races(system, level);
    list.found
}

struct List {
    found: Vec<Rule>,
    nothing: Rc<HashMap<Term, Term>>,
}

impl List {
    fn first(&mut self, system: &System) {
        let first = system.templates[system.main].locations.keys().next().expect("a first location");
        let conclusion = Instance::new(&[((system.main, first), 0)], &self.nothing);
        self.found.push(Rule {
            premises: Vec::new(),
            constraints: vec![system.initial],
            conclusion: Some(conclusion),
            step: None,
        });
    }

    /// Everything that a thread's step has to keep: about itself, about new threads, about those that stand still.
    fn of_edge(&mut self, system: &mut System, level: Level, places: &[At], template: TemplateId, index: usize) {
        let own = step(system, template, index, 0);
        self.own(system, level, &own, None);
        if !runs(system, own.to) && *kind(system, own.to) != LocationKind::Ended {
            // The run is over: nothing has to hold for those who stand still.
            return;
        }
        let beside: Vec<At> = places.iter().copied().filter(|&at| can_be_with(system, at, own.from)).collect();
        if level == Level::Two {
            beside.iter().for_each(|&at| self.own(system, level, &own, Some(at)));
        }
        let other = step(system, template, index, 1);
        if other.shares {
            beside.iter().for_each(|&at| self.interference(system, level, &other, &[(at, 0)]));
        }
        let third = step(system, template, index, 2);
        if level == Level::Two && third.shares {
            for (i, &one) in beside.iter().enumerate() {
                for &another in &beside[i..] {
                    if can_be_with(system, one, another) {
                        self.interference(system, level, &third, &[(one, 0), (another, 1)]);
                    }
                }
            }
        }
    }

    /// The step's thread has copy 0, one that stands still, copy 1, and a new one, copy 2.
    fn own(&mut self, system: &mut System, level: Level, step: &Step, beside: Option<At>) {
        let mut view = vec![(step.from, 0)];
        view.extend(beside.map(|at| (at, 1)));
        let premises = self.known(&view, &self.nothing.clone());
        let mut constraints = vec![step.guard];
        constraints.extend(differences(system, &view));
        constraints.extend(counters::about(system, view.iter().map(|&(at, _)| at)));
        let mut moved = view.clone();
        moved[0].0 = step.to;
        if matters(system, step.to) && (beside.is_none() || runs(system, step.to)) {
            self.add(premises.clone(), constraints.clone(), Instance::new(&moved, &step.changes), step);
        }
        for (template, arguments) in &step.spawns {
            let first = system.templates[*template].locations.keys().next().expect("a first location");
            let new = ((*template, first), 2);
            let mut after = (*step.changes).clone();
            after.extend(arguments.iter().copied());
            let after = Rc::new(after);
            let mut all = view.clone();
            all.push(new);
            // The new number differs also from that of its creator, which the step has not changed.
            let numbers = differences(system, &all);
            let numbers = numbers.into_iter().map(|term| substitute(&mut system.terms, term, arguments));
            let constraints: Vec<Term> = constraints.iter().copied().chain(numbers).collect();
            let alone = Instance::new(&[new], &after);
            match beside {
                None => self.add(premises.clone(), constraints.clone(), alone, step),
                Some(at) if can_be_with(system, at, new.0) => {
                    self.add(premises.clone(), constraints.clone(), Instance::new(&[(at, 1), new], &after), step);
                }
                Some(_) => {}
            }
            let both = level == Level::Two && beside.is_none() && runs(system, step.to);
            if both && can_be_with(system, step.to, new.0) {
                self.add(premises.clone(), constraints, Instance::new(&[(step.to, 0), new], &after), step);
            }
        }
    }

    fn interference(&mut self, system: &mut System, level: Level, step: &Step, still: &[(At, usize)]) {
        let mut view = still.to_vec();
        view.push((step.from, step.copy));
        let mut premises = Vec::new();
        for (i, &one) in view.iter().enumerate() {
            premises.push(Instance::new(&[one], &self.nothing));
            if level == Level::Two {
                premises.extend(view[..i].iter().map(|&other| Instance::new(&[other, one], &self.nothing)));
            }
        }
        let mut constraints = vec![step.guard];
        constraints.extend(differences(system, &view));
        constraints.extend(counters::about(system, view.iter().map(|&(at, _)| at)));
        self.add(premises, constraints, Instance::new(still, &step.changes), step);
    }

    fn symmetry(&mut self, at: At) {
        let premises = self.known(&[(at, 0), (at, 1)], &self.nothing.clone());
        let conclusion = Instance::new(&[(at, 1), (at, 0)], &self.nothing);
        self.found.push(Rule { premises, constraints: Vec::new(), conclusion: Some(conclusion), step: None });
    }

    fn races(&mut self, system: &mut System, level: Level) {
        for Pair { about: [one, other], condition } in pairs(system) {
            if !runs(system, one) || !runs(system, other) || !can_be_with(system, one, other) {
                continue;
            }
            let view = [(one, 0), (other, 1)];
            let mut premises: Vec<Instance> = view.iter().map(|&at| Instance::new(&[at], &self.nothing)).collect();
            if level == Level::Two {
                premises.push(Instance::new(&view, &self.nothing));
            }
            let mut constraints = vec![condition];
            constraints.extend(differences(system, &view));
            constraints.extend(counters::about(system, [one, other]));
            self.found.push(Rule { premises, constraints, conclusion: None, step: None });
        }
    }

    /// The knowledge about one thread or two.
    fn known(&self, view: &[(At, usize)], after: &Rc<HashMap<Term, Term>>) -> Vec<Instance> {
        let mut known: Vec<Instance> = view.iter().map(|&one| Instance::new(&[one], after)).collect();
        if view.len() == 2 {
            known.push(Instance::new(view, after));
        }
        known
    }

    fn add(&mut self, premises: Vec<Instance>, constraints: Vec<Term>, conclusion: Instance, step: &Step) {
        let step = Some((step.template, step.index));
        self.found.push(Rule { premises, constraints, conclusion: Some(conclusion), step });
    }
}

fn can_be_with(system: &System, one: At, other: At) -> bool {
    one.0 != other.0 || system.templates[one.0].instances == Instances::Many
}

/// The axiom of numbers, for all in view.
fn differences(system: &mut System, view: &[(At, usize)]) -> Vec<Term> {
    let mut found = Vec::new();
    for (i, &(one, copy)) in view.iter().enumerate() {
        for &(other, its) in &view[..i] {
            found.push(system.are_different((other.0, its), (one.0, copy)));
        }
    }
    found
}

fn step(system: &mut System, template: TemplateId, index: usize, copy: usize) -> Step {
    let Edge { from, to, guard, updates, spawns, .. } = system.templates[template].edges[index].clone();
    let guard = system.of_copy(guard, template, copy);
    let mut changes = HashMap::new();
    let mut shares = false;
    for (place, value) in updates {
        let value = system.of_copy(value, template, copy);
        let old = match place {
            Place::Shared(id) => system.shared[id].copies[0],
            Place::Local(id) => system.templates[template].locals[id].copies[copy],
        };
        shares |= matches!(place, Place::Shared(_)) && old != value;
        changes.insert(old, value);
    }
    let mut begun = Vec::new();
    for spawn in spawns {
        let mut arguments = Vec::new();
        for (local, value) in spawn.arguments {
            let value = system.of_copy(value, template, copy);
            arguments.push((system.templates[spawn.template].locals[local].copies[2], value));
        }
        begun.push((spawn.template, arguments));
    }
    let (from, to, changes) = ((template, from), (template, to), Rc::new(changes));
    Step { template, index, from, to, copy, guard, changes, shares, spawns: begun }
}

/// Statements about a subject, said about the threads of an instance.
pub fn said(system: &mut System, instance: &Instance, statements: &[Term]) -> Vec<Term> {
    let values = instance.values(system);
    statements.iter().map(|&statement| substitute(&mut system.terms, statement, &values)).collect()
}
