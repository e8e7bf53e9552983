//! Race freedom: no two threads are ever both about to make racing accesses ([`selvedge_program::races`], where it is argued
//! that this is enough).
//!
//! An invariant says what holds where a thread stands, whoever else there is. So two threads that stand before accesses to the
//! same bytes satisfy both statements, with different numbers. If these contradict each other, the two never stand
//! there at the same time. This is how all the reasons for race freedom come to be one: a common lock is owned by both
//! numbers, which are different (Eraser's locksets, as statements about the word of the lock); creation and join set
//! ghosts that tell who has begun and ended; indices and flags are values like any other. It holds for unboundedly many
//! threads, as the invariant does. Thread-modular race detection by locksets and thread ids goes back to Goblint
//! (Vojdani et al., ASE 2016); here the checker of proofs is asked about every pair, with its own solver.

use crate::invariant::At;
use crate::system::{Instances, System, TemplateId, substitute};
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{DataAccess, Loc};

/// An access that a thread may make next from a location.
#[derive(Clone, Debug)]
pub struct Access {
    pub at: At,
    /// It makes it if this holds, over the variables and inputs of an edge from there.
    pub condition: Term,
    /// Objects with different numbers share no bytes.
    pub object: u32,
    pub extent: Extent,
    pub access: DataAccess,
    pub loc: Loc,
}

impl Access {
    /// The terms that tell whether and where it is made.
    pub fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        let address = match self.extent {
            Extent::At { address, .. } => Some(address),
            Extent::Bytes { .. } | Extent::All => None,
        };
        address.into_iter().chain([self.condition])
    }
}

/// The bytes of an object that are accessed.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// From the byte with this address on.
    At { address: Term, bytes: u64 },
    /// From one offset to another. It may be any of several objects.
    Bytes { from: u64, to: u64 },
    /// Any of them.
    All,
}

/// Two accesses, of different threads, that race if both threads are about to make them; the condition under which that is so is
/// over copies 0 and 1 of their locals.
pub struct Pair {
    pub about: [At; 2],
    pub condition: Term,
}

/// All pairs of accesses that nothing but an invariant keeps apart.
pub fn pairs(system: &mut System) -> Vec<Pair> {
    let accesses = system.accesses.clone();
    let mut pairs = Vec::new();
    for (number, one) in accesses.iter().enumerate() {
        for other in &accesses[number..] {
            if one.object != other.object || !one.access.races_with(other.access) || !may_meet(system, one.at, other.at)
            {
                continue;
            }
            let their_condition = of_second(system, other.at.0, other.condition);
            let overlap = overlap(system, one, other);
            let both = system.terms.and(one.condition, their_condition);
            let condition = system.terms.and(both, overlap);
            if condition != Terms::FALSE {
                pairs.push(Pair { about: [one.at, other.at], condition });
            }
        }
    }
    pairs
}

/// May two threads be at these places? A template with a single thread in the whole run has no two.
fn may_meet(system: &System, (one, _): At, (other, _): At) -> bool {
    one != other || system.templates[one].instances == Instances::Many
}

fn overlap(system: &mut System, one: &Access, other: &Access) -> Term {
    match (one.extent, other.extent) {
        (Extent::At { address, bytes }, Extent::At { address: theirs, bytes: their_bytes }) => {
            let theirs = of_second(system, other.at.0, theirs);
            let ours = is_below(system, address, theirs, their_bytes);
            let its = is_below(system, theirs, address, bytes);
            system.terms.and(ours, its)
        }
        (Extent::Bytes { from, to }, Extent::Bytes { from: other_from, to: other_to }) => {
            system.terms.bool(from < other_to && other_from < to)
        }
        (Extent::All, _) | (_, Extent::All) | (Extent::At { .. } | Extent::Bytes { .. }, _) => Terms::TRUE,
    }
}

/// Is an address below the end of a range?
fn is_below(system: &mut System, address: Term, start: Term, bytes: u64) -> Term {
    let terms = &mut system.terms;
    let bits = terms.bits(start) + 1;
    let (address, start) = (terms.zero_extend(address, bits), terms.zero_extend(start, bits));
    let bytes = terms.constant(bits, u128::from(bytes));
    let end = terms.add(start, bytes);
    terms.ult(address, end)
}

/// A term over copy 0 of a template's locals and inputs of an edge, as one about copy 1 and other inputs.
fn of_second(system: &mut System, template: TemplateId, term: Term) -> Term {
    let shared: Vec<Term> = system.shared.values().map(|variable| variable.copies[0]).collect();
    let locals = system.templates[template].locals.values();
    let mut new: Vec<(Term, Term)> = locals.map(|local| (local.copies[0], local.copies[1])).collect();
    let known = |term: Term, new: &[(Term, Term)]| shared.contains(&term) || new.iter().any(|(old, _)| *old == term);
    for variable in system.terms.cone([term]) {
        if matches!(system.terms.node(variable), Node::Var { .. }) && !known(variable, &new) {
            let (bits, name) =
                (system.terms.bits(variable), system.terms.name(variable).unwrap_or_default().to_string());
            let fresh = system.terms.variable(bits, name);
            new.push((variable, fresh));
        }
    }
    substitute(&mut system.terms, term, &new)
}
