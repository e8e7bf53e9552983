//! A program as a system of threads: unboundedly many instances of finitely many templates, over shared variables.
//!
//! This is what proofs are about. A template is a thread's start function with all calls inlined, as a graph whose
//! edges are atomic: an edge takes what one thread does, from one place where others may come between to the next, in
//! one step (an atomic section is part of one edge). Loops stay loops, and nobody counts how often a template is
//! created.
//!
//! *A system has at least the runs of its program.* Whatever cannot be expressed precisely (blocks of the heap that are
//! made many times, array cells at unknown indices, variables of activations that wait for their own function) is an
//! input of the edge: any value, or one within guessed bounds, and then the system has the run up to the first step
//! that breaks a guess, which is an error. So a property that the system has, the program has. The converse does not
//! hold: what a system violates is no bug, only a proof that failed.
//!
//! *Variables are terms.* The expressions of edges are over the current values of shared variables and of the locals of
//! the thread that steps (copy 0 of [`Variable::copies`]), and over the edge's own inputs. Statements about several
//! threads at once use the other copies for the locals of the other threads: see [`System::of_copy`].
//!
//! *Thread numbers* are values of the local [`Template::number`]. Threads that are alive at the same time have
//! different ones; that is an axiom ([`System::are_different`]), and the reason why a lock's owner excludes all others.
//!
//! *Ghosts* are shared variables or locals that no guard and no update of another variable reads. They remember what
//! proofs need (who holds a lock made by hand, how many threads are somewhere) and change no run.

use crate::counters::Counters;
use cranelift_entity::{PrimaryMap, entity_impl};
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{FuncId, GlobalId, Loc, Property};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SharedId(u32);
entity_impl!(SharedId, "shared");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(u32);
entity_impl!(LocalId, "local");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TemplateId(u32);
entity_impl!(TemplateId, "template");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(u32);
entity_impl!(LocationId, "location");

/// The threads that one statement can be about: a pair, and a third that interferes with them.
pub const COPIES: usize = 3;

/// A bit-vector that the system has in every state.
#[derive(Clone, Debug)]
pub struct Variable {
    /// For people, as in C where possible: `count`, `queue.head`, `push::i`.
    pub name: String,
    pub bits: u32,
    /// Its current value, for each thread that a statement may be about. All the same for a shared variable.
    pub copies: [Term; COPIES],
    pub role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Part of the program's memory.
    Cell { global: GlobalId, offset: u64 },
    /// Part of an object that is not a global: on a stack, thread-local, or on the heap.
    Object,
    /// A register of a function, in one of its inlined calls.
    Register,
    /// The number of the thread.
    Number,
    /// Remembers something for proofs only.
    Ghost,
}

/// A variable of the thread that steps, or of all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Place {
    Shared(SharedId),
    Local(LocalId),
}

/// One step of a thread.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: LocationId,
    pub to: LocationId,
    /// A truth value: the edge can be taken. Waiting and assumptions are guards, too.
    pub guard: Term,
    /// All at the same time; what is not named keeps its value. Each place at most once.
    pub updates: Vec<(Place, Term)>,
    /// Variables in `guard`, `updates` and `spawns` that may have any value each time the edge is taken.
    pub inputs: Vec<Term>,
    /// Threads that begin, after the updates of shared variables.
    pub spawns: Vec<Spawn>,
    pub loc: Loc,
}

/// A new thread at the first location of its template.
#[derive(Clone, Debug)]
pub struct Spawn {
    pub template: TemplateId,
    /// First values of locals, over the creator's variables and inputs. All other locals begin with any value, but the
    /// number is one that no other living thread has.
    pub arguments: Vec<(LocalId, Term)>,
}

/// A place where a thread stands while others take steps.
#[derive(Clone, Debug)]
pub struct Location {
    pub kind: LocationKind,
    pub loc: Loc,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocationKind {
    /// The thread goes on from here.
    Running,
    /// The thread has ended. Its locals mean nothing.
    Ended,
    /// The process has ended: nobody takes another step.
    ProcessEnded,
    /// A violation of a property that is asked about. To be shown unreachable.
    Error { property: Property, text: String },
    /// A misuse that nobody asked about, where the run ends. A proof says which of these it could not exclude.
    Unchecked { property: Property },
}

/// All threads with the same start function (and, where that helps, the same creator).
#[derive(Clone, Debug)]
pub struct Template {
    pub name: String,
    pub function: FuncId,
    pub instances: Instances,
    pub locals: PrimaryMap<LocalId, Variable>,
    /// The local that holds the thread's number.
    pub number: LocalId,
    /// The first is where a thread begins.
    pub locations: PrimaryMap<LocationId, Location>,
    pub edges: Vec<Edge>,
}

/// How many threads of a template may be alive at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instances {
    /// One in the whole run.
    Once,
    Many,
}

/// A program as threads that step.
pub struct System {
    pub terms: Terms,
    pub shared: PrimaryMap<SharedId, Variable>,
    pub templates: PrimaryMap<TemplateId, Template>,
    /// The template of which there is one thread in the beginning. All others are spawned.
    pub main: TemplateId,
    /// Holds in the beginning, over shared variables and copy 0 of main's locals.
    pub initial: Term,
    /// Accesses that threads may make next, where data races are asked about. No two of them may race.
    pub accesses: Vec<crate::races::Access>,
    /// Ghosts that count threads, if there are any.
    pub counters: Counters,
    /// Error locations that are reached only if a guess is wrong.
    pub broken: Vec<crate::contents::Broken>,
}

impl System {
    /// All locations of all templates.
    pub fn places(&self) -> impl Iterator<Item = (TemplateId, LocationId)> {
        self.templates.iter().flat_map(|(id, template)| template.locations.keys().map(move |location| (id, location)))
    }

    /// All edges: a template, and a number in its list.
    pub fn edges(&self) -> impl Iterator<Item = (TemplateId, usize)> {
        self.templates.iter().flat_map(|(id, template)| (0..template.edges.len()).map(move |index| (id, index)))
    }

    /// The first location of a thread of this template.
    pub fn first(&self, template: TemplateId) -> LocationId {
        self.templates[template].locations.keys().next().expect("a template has a first location")
    }

    /// `term`, a statement about copy 0 of the locals of `template`, as one about another copy. Shared variables stay;
    /// inputs of edges get new names.
    pub fn of_copy(&mut self, term: Term, template: TemplateId, copy: usize) -> Term {
        let locals: Vec<(Term, Term)> =
            self.templates[template].locals.values().map(|local| (local.copies[0], local.copies[copy])).collect();
        substitute(&mut self.terms, term, &locals)
    }

    /// Two threads, each with its own copy of its locals, have different numbers.
    pub fn are_different(
        &mut self,
        (one, of_one): (TemplateId, usize),
        (other, of_other): (TemplateId, usize),
    ) -> Term {
        let number = |template: &Template, copy: usize| template.locals[template.number].copies[copy];
        let numbers = (number(&self.templates[one], of_one), number(&self.templates[other], of_other));
        let equal = self.terms.eq(numbers.0, numbers.1);
        self.terms.not(equal)
    }
}

/// `term` with variables replaced, all at the same time.
pub fn substitute(terms: &mut Terms, term: Term, replacements: &[(Term, Term)]) -> Term {
    let mut new: hashbrown::HashMap<Term, Term> = replacements.iter().copied().collect();
    for old in terms.cone([term]) {
        if new.contains_key(&old) {
            continue;
        }
        let of = |part: Term| new[&part];
        let replaced = match terms.node(old) {
            Node::Const { .. } | Node::Var { .. } => old,
            Node::Not(a) => terms.not(of(a)),
            Node::Neg(a) => terms.neg(of(a)),
            Node::And(a, b) => terms.and(of(a), of(b)),
            Node::Xor(a, b) => terms.xor(of(a), of(b)),
            Node::Add(a, b) => terms.add(of(a), of(b)),
            Node::Sub(a, b) => terms.sub(of(a), of(b)),
            Node::Mul(a, b) => terms.mul(of(a), of(b)),
            Node::Udiv(a, b) => terms.udiv(of(a), of(b)),
            Node::Sdiv(a, b) => terms.sdiv(of(a), of(b)),
            Node::Urem(a, b) => terms.urem(of(a), of(b)),
            Node::Srem(a, b) => terms.srem(of(a), of(b)),
            Node::Shl(a, b) => terms.shl(of(a), of(b)),
            Node::Lshr(a, b) => terms.lshr(of(a), of(b)),
            Node::Ashr(a, b) => terms.ashr(of(a), of(b)),
            Node::Eq(a, b) => terms.eq(of(a), of(b)),
            Node::Ult(a, b) => terms.ult(of(a), of(b)),
            Node::Slt(a, b) => terms.slt(of(a), of(b)),
            Node::Ite(c, a, b) => terms.ite(of(c), of(a), of(b)),
            Node::ZeroExtend { of: a, bits } => terms.zero_extend(of(a), bits),
            Node::SignExtend { of: a, bits } => terms.sign_extend(of(a), bits),
            Node::Extract { of: a, low, bits } => terms.extract(of(a), low, bits),
            Node::Concat(a, b) => terms.concat(of(a), of(b)),
        };
        new.insert(old, replaced);
    }
    new[&term]
}
