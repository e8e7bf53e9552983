//! Race freedom: no two threads are ever both about to make racing accesses ([`selvedge_program::races`], where it is
//! argued that this is enough).
//!
//! An invariant says what holds where a thread stands, whoever else there is. So two threads that stand before accesses
//! to the same bytes satisfy both statements, with different numbers. If these contradict each other, the two never
//! stand there at the same time. This is how all the reasons for race freedom come to be one: a common lock is owned by
//! both numbers, which are different (Eraser's locksets, as statements about the word of the lock); creation and join
//! set ghosts that tell who has begun and ended; indices and flags are values like any other. It holds for unboundedly
//! many threads, as the invariant does. Thread-modular race detection by locksets and thread ids goes back to Goblint
//! (Vojdani et al., ASE 2016); here the checker of proofs is asked about every pair, with its own solver.
//!
//! An access may also name threads that have ended by then, and a local in which threads differ: what no invariant of
//! two threads could say of loops that create and join any number of them, extraction knows (`extract/pools.rs`).

use crate::extract::Offset;
use crate::invariant::At;
use crate::system::{Instances, System, TemplateId, substitute};
use selvedge_formula::{Node, Term, Terms, mask};
use selvedge_program::{DataAccess, Loc};

/// An access that a thread may make next from a location.
#[derive(Clone, Debug)]
pub struct Access {
    pub at: At,
    /// It makes it if this holds, over the variables and inputs of an edge from there.
    pub condition: Term,
    /// Objects with different numbers share no bytes.
    pub object: u32,
    /// Of its first byte in the object.
    pub offset: Offset,
    /// Of its first byte, where the address of the object is known.
    pub address: Option<Term>,
    /// None: any number.
    pub bytes: Option<u64>,
    pub access: DataAccess,
    pub loc: Loc,
    /// Templates whose threads have all ended when it is made.
    pub ended: Vec<TemplateId>,
    pub apart: Vec<Apart>,
    pub protectors: Vec<Protector>,
}

/// A lock that a thread has when it makes an access: no other thread has the lock at this address, unless both have it
/// for reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protector {
    pub lock: Term,
    pub exclusively: bool,
}

/// A number that no other thread of a template has: theirs differ from it by at least and at most so much. Threads of
/// that template have their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart {
    pub from: TemplateId,
    pub argument: Term,
    pub least: u64,
    pub most: u64,
}

impl Access {
    /// The terms that tell whether and where it is made.
    pub fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        let arguments: Vec<Term> = self.apart.iter().map(|apart| apart.argument).collect();
        let locks: Vec<Term> = self.protectors.iter().map(|protector| protector.lock).collect();
        self.address.into_iter().chain(arguments).chain(locks).chain([self.condition])
    }
}

/// Two accesses, of different threads, that race if both threads are about to make them; the condition under which that
/// is so is over copies 0 and 1 of their locals.
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
            if one.object != other.object || !one.access.races_with(other.access) || !may_meet(system, one, other) {
                continue;
            }
            let their_condition = of_second(system, other.at.0, other.condition);
            let overlap = overlap(system, one, other);
            let both = system.terms.and(one.condition, their_condition);
            let both = system.terms.and(both, overlap);
            let apart = are_apart(system, one, other);
            let both = system.terms.and(both, apart);
            let locks = have_other_locks(system, one, other);
            let condition = system.terms.and(both, locks);
            if condition != Terms::FALSE {
                pairs.push(Pair { about: [one.at, other.at], condition });
            }
        }
    }
    pairs
}

/// May two threads be about to make these at the same time? A template with a single thread in the whole run has no
/// two.
fn may_meet(system: &System, one: &Access, other: &Access) -> bool {
    let (mine, theirs) = (one.at.0, other.at.0);
    let has_ended = one.ended.contains(&theirs) || other.ended.contains(&mine);
    !has_ended && (mine != theirs || system.templates[mine].instances == Instances::Many)
}

/// What is known of the two threads beforehand.
fn are_apart(system: &mut System, one: &Access, other: &Access) -> Term {
    let is_of = |access: &Access, from: TemplateId| access.apart.iter().copied().find(|apart| apart.from == from);
    let both = |from: TemplateId| Some((is_of(one, from)?, is_of(other, from)?));
    let Some((apart, theirs)) = both(other.at.0).or_else(|| both(one.at.0)) else { return Terms::TRUE };
    let (mine, theirs) = (apart.argument, of_second(system, other.at.0, theirs.argument));
    let terms = &mut system.terms;
    let bits = terms.bits(mine);
    let (least, most) = (terms.constant(bits, apart.least.into()), terms.constant(bits, apart.most.into()));
    let (further, nearer) = (terms.sub(mine, theirs), terms.sub(theirs, mine));
    let is_before = terms.ult(mine, theirs);
    let distance = terms.ite(is_before, nearer, further);
    let (not_less, not_more) = (terms.ule(least, distance), terms.ule(distance, most));
    terms.and(not_less, not_more)
}

/// No lock is one that both threads have.
fn have_other_locks(system: &mut System, one: &Access, other: &Access) -> Term {
    let mut all = Terms::TRUE;
    for mine in &one.protectors {
        for theirs in other.protectors.iter().filter(|theirs| mine.exclusively || theirs.exclusively) {
            let theirs = of_second(system, other.at.0, theirs.lock);
            let same = system.terms.eq(mine.lock, theirs);
            let apart = system.terms.not(same);
            all = system.terms.and(all, apart);
        }
    }
    all
}

fn overlap(system: &mut System, one: &Access, other: &Access) -> Term {
    let (Some(bytes), Some(their_bytes)) = (one.bytes, other.bytes) else { return Terms::TRUE };
    if !one.offset.meets(bytes, other.offset, their_bytes) {
        return Terms::FALSE;
    }
    let (Some(address), Some(theirs)) = (one.address, other.address) else { return Terms::TRUE };
    let theirs = of_second(system, other.at.0, theirs);
    if let Some(distances) = one.offset.distances(bytes, other.offset, their_bytes) {
        let terms = &mut system.terms;
        let distance = terms.sub(theirs, address);
        let bits = terms.bits(distance);
        return distances.into_iter().fold(Terms::FALSE, |any, by| {
            let by = terms.constant(bits, by.cast_unsigned() & mask(bits));
            let hit = terms.eq(distance, by);
            terms.or(any, hit)
        });
    }
    let ours = is_below(system, address, theirs, their_bytes);
    let its = is_below(system, theirs, address, bytes);
    system.terms.and(ours, its)
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
