//! The formulas that have to hold for an invariant to be a proof: one for each use of each condition of `invariant.rs`.
//!
//! An obligation is stated as its violation, which must be unsatisfiable: *the threads in view satisfy all statements
//! about them, one of them takes an edge, and afterwards a statement does not hold*. The threads in view are the one
//! that steps (copy 0 of its locals) and as many others as the statement behind the step is about (copies 1 and 2); new
//! threads take a copy that is left. Three threads are enough for statements about two.
//!
//! Only threads that run are looked at. Who has ended takes no step and has no statement; and when the process has
//! ended, or a misuse that nobody asked about ended the run, nothing has to hold any more.

use crate::counters;
use crate::invariant::{At, Invariant};
use crate::races::{Pair, pairs};
use crate::system::{Edge, Instances, LocationKind, Place, System, TemplateId, substitute};
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms};
use std::fmt;

/// One use of one condition.
#[derive(Clone, Debug)]
pub struct Obligation {
    pub condition: Condition,
    /// The edge that is taken: a template, and a number in its list. None in the beginning.
    pub edge: Option<(TemplateId, usize)>,
    /// The positions of the threads about which something has to hold after the step.
    pub about: Vec<At>,
    /// Must be unsatisfiable.
    pub violation: Term,
}

/// The conditions of `invariant.rs`, by what they keep true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// The initial condition implies main's first statement.
    Beginning,
    /// The thread that steps: its statement behind the edge.
    Step,
    /// A new thread: its template's first statement.
    NewThread,
    /// A thread that stands still: its statement.
    Interference,
    /// Two threads: the one that steps, and one that stands still.
    StepInPair,
    /// Two threads, at least one of them new.
    NewThreadInPair,
    /// Two threads that stand still.
    InterferenceWithPair,
    /// The statement of an error is false.
    NoError,
    /// Two threads are not about to race.
    NoRace,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::Beginning => "the first statement of main",
            Condition::Step => "the statement of the thread that steps",
            Condition::NewThread => "the first statement of a new thread",
            Condition::Interference => "the statement of a thread that stands still",
            Condition::StepInPair => "the statement about the thread that steps and another one",
            Condition::NewThreadInPair => "the statement about a new thread and another one",
            Condition::InterferenceWithPair => "the statement about two threads that stand still",
            Condition::NoError => "no thread comes to an error",
            Condition::NoRace => "no two threads race",
        })
    }
}

/// A thread in view: where it stands, and the values of its locals.
#[derive(Clone)]
struct Thread {
    at: At,
    locals: Vec<Term>,
}

/// The requirements of a place in view on a thread that comes to it.
enum Required {
    Nothing,
    /// No thread comes there.
    Impossible,
    Statement(Term),
}

/// Makes the obligations of an invariant, edge by edge.
pub struct Obligations<'a> {
    pub system: &'a mut System,
    pub invariant: &'a Invariant,
    /// Places where threads may stand while others step.
    standing: Vec<At>,
    /// The shared variables that a statement mentions.
    mentions: HashMap<Term, HashSet<Term>>,
}

impl<'a> Obligations<'a> {
    pub fn new(system: &'a mut System, invariant: &'a Invariant) -> Obligations<'a> {
        let runs = |(template, location): &At| {
            let kind = &system.templates[*template].locations[*location].kind;
            matches!(kind, LocationKind::Running)
        };
        let is_possible = |at: &At| invariant.single.get(at).is_some_and(|statement| *statement != Terms::FALSE);
        let standing = system.places().filter(runs).filter(is_possible).collect();
        Obligations { system, invariant, standing, mentions: HashMap::new() }
    }

    /// Before the first step.
    pub fn of_beginning(&mut self) -> Vec<Obligation> {
        let main = self.system.main;
        let at = (main, self.system.first(main));
        let thread = self.standing_at(at, 0);
        let goal = self.single(&thread, &[]);
        let initial = self.system.initial;
        let mut all = Vec::new();
        self.add(&mut all, Condition::Beginning, None, &[&thread], (initial, goal));
        for at in self.system.places().collect::<Vec<_>>() {
            let (template, location) = at;
            let is_error =
                matches!(self.system.templates[template].locations[location].kind, LocationKind::Error { .. });
            if let Some(&violation) = self.invariant.single.get(&at)
                && is_error
                && violation != Terms::FALSE
            {
                all.push(Obligation { condition: Condition::NoError, edge: None, about: vec![at], violation });
            }
        }
        all
    }

    /// No two threads stand before accesses that race.
    pub fn of_races(&mut self) -> Vec<Obligation> {
        let mut all = Vec::new();
        for Pair { about, condition } in pairs(self.system) {
            if !about.iter().all(|at| self.standing.contains(at)) {
                continue;
            }
            let (one, other) = (self.standing_at(about[0], 0), self.standing_at(about[1], 1));
            let premise = self.premise(&[&one, &other]);
            let violation = self.system.terms.and(premise, condition);
            if violation != Terms::FALSE {
                all.push(Obligation { condition: Condition::NoRace, edge: None, about: about.to_vec(), violation });
            }
        }
        all
    }

    /// When a thread takes this edge. None if nothing has to hold behind it.
    pub fn of_edge(&mut self, template: TemplateId, index: usize) -> Vec<Obligation> {
        let edge = self.system.templates[template].edges[index].clone();
        let from = (template, edge.from);
        let mut all = Vec::new();
        if !self.standing.contains(&from) {
            return all;
        }
        let step = Step::new(self, template, index, edge);
        self.alone(&step, &mut all);
        if step.ends_run {
            return all;
        }
        for at in self.standing.clone() {
            if self.may_meet(&[from, at]) {
                self.beside_one(&step, at, &mut all);
            }
        }
        for (one, other) in self.pairs_of_standing() {
            if self.may_meet(&[from, one, other]) {
                self.beside_two(&step, (one, other), &mut all);
            }
        }
        all
    }

    /// The condition under which an edge is taken, in a state that the invariant allows.
    pub fn taken(&mut self, template: TemplateId, index: usize) -> Term {
        let edge = self.system.templates[template].edges[index].clone();
        if !self.standing.contains(&(template, edge.from)) {
            return Terms::FALSE;
        }
        let step = Step::new(self, template, index, edge);
        let premise = self.premise(&[&step.before]);
        self.system.terms.and(premise, step.edge.guard)
    }

    /// The thread that steps, and those that it creates.
    fn alone(&mut self, step: &Step, all: &mut Vec<Obligation>) {
        let premise = self.premise_of_step(step, &[], &[]);
        let goal = self.single(&step.after, &step.writes);
        self.add(all, Condition::Step, Some(step), &[&step.after], (premise, goal));
        if step.ends_run {
            return;
        }
        for spawn in 0..step.edge.spawns.len() {
            let new = self.new_thread(step, spawn, 1);
            let premise = self.premise_of_step(step, &[], &[&new]);
            let goal = self.single(&new, &step.writes);
            self.add(all, Condition::NewThread, Some(step), &[&new], (premise, goal));
            let goal = self.pair(&step.after, &new, &step.writes);
            self.add(all, Condition::NewThreadInPair, Some(step), &[&step.after, &new], (premise, goal));
            for earlier in 0..spawn {
                let earlier = self.new_thread(step, earlier, 2);
                let goal = self.pair(&earlier, &new, &step.writes);
                if self.may_meet(&[earlier.at, new.at]) && !goal.is_trivial() {
                    let premise = self.premise_of_step(step, &[], &[&earlier, &new]);
                    self.add(all, Condition::NewThreadInPair, Some(step), &[&earlier, &new], (premise, goal));
                }
            }
        }
    }

    /// The thread that steps and one other, at `at`.
    fn beside_one(&mut self, step: &Step, at: At, all: &mut Vec<Obligation>) {
        let other = self.standing_at(at, 1);
        let statement = self.invariant.single[&at];
        if self.may_change(statement, step) {
            let goal = self.single(&other, &step.writes);
            let premise = self.premise_of_step(step, &[&other], &[]);
            self.add(all, Condition::Interference, Some(step), &[&other], (premise, goal));
        }
        if self.invariant.pairs.is_empty() {
            return;
        }
        let goal = self.pair(&step.after, &other, &step.writes);
        if !goal.is_trivial() {
            let premise = self.premise_of_step(step, &[&other], &[]);
            self.add(all, Condition::StepInPair, Some(step), &[&step.after, &other], (premise, goal));
        }
        for spawn in 0..step.edge.spawns.len() {
            let new = self.new_thread(step, spawn, 2);
            let goal = self.pair(&other, &new, &step.writes);
            if self.may_meet(&[at, new.at]) && !goal.is_trivial() {
                let premise = self.premise_of_step(step, &[&other], &[&new]);
                self.add(all, Condition::NewThreadInPair, Some(step), &[&other, &new], (premise, goal));
            }
        }
    }

    /// Two that stand still beside the thread that steps.
    fn beside_two(&mut self, step: &Step, (one, other): (At, At), all: &mut Vec<Obligation>) {
        let (one, other) = (self.standing_at(one, 1), self.standing_at(other, 2));
        let statement = self.pair(&one, &other, &[]);
        if let Required::Statement(statement) = statement
            && self.may_change(statement, step)
        {
            let goal = self.pair(&one, &other, &step.writes);
            let premise = self.premise_of_step(step, &[&one, &other], &[]);
            self.add(all, Condition::InterferenceWithPair, Some(step), &[&one, &other], (premise, goal));
        }
    }

    fn add(
        &mut self,
        all: &mut Vec<Obligation>,
        condition: Condition,
        step: Option<&Step>,
        about: &[&Thread],
        (premise, goal): (Term, Required),
    ) {
        let violation = match goal {
            Required::Nothing => return,
            Required::Impossible => premise,
            Required::Statement(goal) => {
                let fails = self.system.terms.not(goal);
                self.system.terms.and(premise, fails)
            }
        };
        if violation != Terms::FALSE {
            let about = about.iter().map(|thread| thread.at).collect();
            all.push(Obligation { condition, edge: step.map(|step| (step.before.at.0, step.index)), about, violation });
        }
    }

    /// All that is known when the thread takes the edge beside these others. New threads have numbers that nobody else
    /// has: those in view, and those of which the edge itself speaks.
    fn premise_of_step(&mut self, step: &Step, others: &[&Thread], new: &[&Thread]) -> Term {
        let mut standing = vec![&step.before];
        standing.extend(others);
        let mut numbers = step.new_numbers.clone();
        numbers.extend(new.iter().map(|thread| self.number(thread)));
        let mut known = HashSet::new();
        numbers.retain(|number| known.insert(*number));
        let taken: Vec<Term> = standing.iter().map(|thread| self.number(thread)).collect();
        let mut premise = self.premise(&standing);
        premise = self.system.terms.and(premise, step.edge.guard);
        for (index, &number) in numbers.iter().enumerate() {
            for &other in taken.iter().chain(&numbers[..index]) {
                let different = self.are_different(number, other);
                premise = self.system.terms.and(premise, different);
            }
        }
        premise
    }

    /// Before a step: threads with different numbers, and every statement about one or two of them.
    fn premise(&mut self, threads: &[&Thread]) -> Term {
        let counted = counters::about(self.system, threads.iter().map(|thread| thread.at));
        let mut premise = self.system.terms.and_all(counted);
        for (index, thread) in threads.iter().enumerate() {
            let mut facts = vec![self.single(thread, &[])];
            for other in &threads[..index] {
                let numbers = (self.number(thread), self.number(other));
                facts.push(Required::Statement(self.are_different(numbers.0, numbers.1)));
                facts.push(self.pair(other, thread, &[]));
            }
            for fact in facts {
                let fact = match fact {
                    Required::Nothing => Terms::TRUE,
                    Required::Impossible => Terms::FALSE,
                    Required::Statement(statement) => statement,
                };
                premise = self.system.terms.and(premise, fact);
            }
        }
        premise
    }

    /// The statement about a thread, after these writes to shared variables.
    fn single(&mut self, thread: &Thread, writes: &[(Term, Term)]) -> Required {
        let (template, location) = thread.at;
        match self.system.templates[template].locations[location].kind {
            LocationKind::Ended | LocationKind::ProcessEnded | LocationKind::Unchecked { .. } => Required::Nothing,
            LocationKind::Error { .. } => Required::Impossible,
            LocationKind::Running => {
                let statement = self.invariant.at(self.system, thread.at);
                let mut values = writes.to_vec();
                values.extend(self.locals_as(template, 0, thread));
                Required::Statement(substitute(&mut self.system.terms, statement, &values))
            }
        }
    }

    /// The additional statement about two threads, after these writes.
    fn pair(&mut self, one: &Thread, other: &Thread, writes: &[(Term, Term)]) -> Required {
        if ![one, other].iter().all(|thread| self.runs_at(thread.at)) {
            return Required::Nothing;
        }
        let mut statements = Vec::new();
        for (first, second) in [(one, other), (other, one)] {
            if let Some(&statement) = self.invariant.pairs.get(&(first.at, second.at)) {
                let mut values = writes.to_vec();
                values.extend(self.locals_as(first.at.0, 0, first));
                values.extend(self.locals_as(second.at.0, 1, second));
                statements.push(substitute(&mut self.system.terms, statement, &values));
            }
        }
        match statements.into_iter().reduce(|all, statement| self.system.terms.and(all, statement)) {
            None => Required::Nothing,
            Some(statement) => Required::Statement(statement),
        }
    }

    fn locals_as(&self, template: TemplateId, copy: usize, thread: &Thread) -> Vec<(Term, Term)> {
        let names = self.system.templates[template].locals.values().map(|local| local.copies[copy]);
        names.zip(thread.locals.iter().copied()).filter(|(name, value)| name != value).collect()
    }

    fn standing_at(&self, at: At, copy: usize) -> Thread {
        let locals = self.system.templates[at.0].locals.values().map(|local| local.copies[copy]).collect();
        Thread { at, locals }
    }

    /// A thread that the edge creates. What it is not given is any value: of this copy.
    fn new_thread(&self, step: &Step, spawn: usize, copy: usize) -> Thread {
        let spawn = &step.edge.spawns[spawn];
        let mut thread = self.standing_at((spawn.template, self.system.first(spawn.template)), copy);
        for (local, value) in &spawn.arguments {
            thread.locals[local.as_u32() as usize] = *value;
        }
        thread
    }

    fn number(&self, thread: &Thread) -> Term {
        thread.locals[self.system.templates[thread.at.0].number.as_u32() as usize]
    }

    fn are_different(&mut self, one: Term, other: Term) -> Term {
        let equal = self.system.terms.eq(one, other);
        self.system.terms.not(equal)
    }

    fn runs_at(&self, (template, location): At) -> bool {
        self.system.templates[template].locations[location].kind == LocationKind::Running
    }

    /// A template that has one thread in the whole run has no pairs.
    fn may_meet(&self, threads: &[At]) -> bool {
        threads.iter().enumerate().all(|(index, (template, _))| {
            self.system.templates[*template].instances == Instances::Many
                || threads[..index].iter().all(|(other, _)| other != template)
        })
    }

    /// Pairs about which something is said, of places where threads may stand.
    fn pairs_of_standing(&self) -> Vec<(At, At)> {
        let mut pairs: Vec<(At, At)> = self.invariant.pairs.keys().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.retain(|(one, other)| self.standing.contains(one) && self.standing.contains(other));
        pairs
    }

    fn may_change(&mut self, statement: Term, step: &Step) -> bool {
        let terms = &self.system.terms;
        let mentioned = self.mentions.entry(statement).or_insert_with(|| {
            let variables = terms.cone([statement]).into_iter();
            variables.filter(|t| matches!(terms.node(*t), Node::Var { .. })).collect()
        });
        step.writes.iter().any(|(variable, _)| mentioned.contains(variable))
    }
}

impl Required {
    fn is_trivial(&self) -> bool {
        matches!(self, Required::Nothing | Required::Statement(Terms::TRUE))
    }
}

/// An edge that is taken by a thread with copy 0 of its locals.
struct Step {
    index: usize,
    edge: Edge,
    before: Thread,
    after: Thread,
    /// Shared variables, and their new values.
    writes: Vec<(Term, Term)>,
    /// Numbers of new threads that are values of the edge's.
    new_numbers: Vec<Term>,
    /// No thread takes another step.
    ends_run: bool,
}

impl Step {
    fn new(all: &Obligations<'_>, template: TemplateId, index: usize, edge: Edge) -> Step {
        let system = &all.system;
        let before = all.standing_at((template, edge.from), 0);
        let mut after = Thread { at: (template, edge.to), locals: before.locals.clone() };
        let mut writes = Vec::new();
        for (place, value) in &edge.updates {
            match place {
                Place::Shared(shared) => writes.push((system.shared[*shared].copies[0], *value)),
                Place::Local(local) => after.locals[local.as_u32() as usize] = *value,
            }
        }
        let ends_run = match system.templates[template].locations[edge.to].kind {
            LocationKind::Running | LocationKind::Ended => false,
            LocationKind::ProcessEnded | LocationKind::Error { .. } | LocationKind::Unchecked { .. } => true,
        };
        let given = edge.spawns.iter().filter_map(|spawn| {
            let number = system.templates[spawn.template].number;
            spawn.arguments.iter().find(|(local, _)| *local == number).map(|(_, value)| *value)
        });
        let new_numbers = given.collect();
        Step { index, edge, before, after, writes, new_numbers, ends_run }
    }
}
