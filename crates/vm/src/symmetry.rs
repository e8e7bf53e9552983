//! Symmetry: threads that cannot be told apart.
//!
//! Threads that were created one after another with the same function (or copies of it: [`selvedge_program::alike`])
//! and the same arguments, before any of them took a step, are *twins*: whatever one of them does, another could have
//! done in its place. If one of the states that differ only by a permutation of twins is reachable, all of them are,
//! and a search needs only one (Ip and Dill, "Better verification through symmetry", CHDL 1993; Clarke et al., CAV
//! 1993): the one in which the twins' parts are sorted.
//!
//! In contrast to those papers nothing is declared. A thread's number occurs
//!
//! - as the *name* that its creator got. Names are not renamed: as long as a name has not been used, it may belong to
//!   any of the twins. When it is used (to join, say), all different twins are tried: from then on it is *bound*, and
//!   its thread is no longer a twin. A creator may therefore keep all names in an array, and join one after another.
//! - as the owner of locks that it declares to hold ([`selvedge_program::Intrinsic::Owner`]): there it is renamed.
//! - anywhere else: a twin asks for its own number or uses another's name, an address of a twin's own object is stored,
//!   a twin has objects of its own, or more locks than are recorded. This is reported by [`Sharing::expose`], and the
//!   search begins anew without symmetry.
//!
//! An access by one twin counts as an access by two of them ([`Machine`]'s `twin`), because the search may represent
//! both by the same one.
//!
//! [`Sharing::expose`]: crate::Sharing::expose

use crate::layout::{Layout, Slot};
use crate::machine::Machine;
use crate::memory::{self, Spot, Target};
use crate::oracle::{Oracle, Stopped};
use crate::sharing::FOR_READING;
use crate::state::{State, Thread};
use selvedge_program::{FuncId, Operand, Program};
use std::cmp::Ordering;

/// The effect of sorting on a state's threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sorted {
    /// Nothing changed.
    Same,
    /// The new number for each old one.
    Moved(Vec<usize>),
    /// The threads can be told apart.
    Exposed,
}

/// The bits of a lock's first word that contain its owner.
const OWNER: u64 = 0x7fff;

// Bits of a thread's status, beside those in `state.rs`; all 0 if twins are not looked for.

/// It has not taken a step.
const FRESH: u64 = 4;
/// It is a twin of the thread before.
const TWIN: u64 = 8;
/// Its number has been used as a name.
const BOUND: u64 = 16;
/// Locks name it as their owner in places that are not known.
const OTHER_LOCKS: u64 = 32;
/// The bits that a step does not change.
pub(crate) const LASTING: u64 = TWIN | BOUND | OTHER_LOCKS;
/// The bits that belong to the number rather than to the thread's behaviour.
const OF_PLACE: u64 = TWIN | BOUND;

/// Whether threads of this program can be twins at all: not if it has observers, thread-locals of its own, whose
/// addresses may be stored anywhere, or robust mutexes, whose owners others examine.
pub fn is_possible(program: &Program) -> bool {
    let watched = !program.observers.is_empty();
    let own_locals = program.globals.values().any(|g| g.thread_local && !g.name.starts_with("selvedge_"));
    let robust = program
        .globals
        .values()
        .any(|g| g.name.starts_with("__selvedge_reached_selvedge_set_robust") && g.init.iter().any(|byte| *byte != 0));
    !watched && !own_locals && !robust
}

impl Thread {
    fn has(&self, bit: u64) -> bool {
        self.stack[0] & bit != 0
    }

    fn status_of_content(&self) -> u64 {
        self.stack[0] & !OF_PLACE
    }

    fn status_of_place(&self) -> u64 {
        self.stack[0] & OF_PLACE
    }

    /// Gives it the bits of its new number; all of it counts as changed.
    fn move_to(&mut self, status_of_place: u64) {
        self.stack[0] = self.status_of_content() | status_of_place;
        self.objects.unsettle();
        self.data.unsettle();
    }

    /// Notes whether there are locks whose owner cannot be renamed.
    pub(crate) fn note_other_locks(status: &mut u64, are_there: bool) {
        *status = *status & !OTHER_LOCKS | if are_there { OTHER_LOCKS } else { 0 };
    }
}

/// Compares the parts of two threads, apart from the bits of their numbers.
fn order(one: &Thread, other: &Thread) -> Ordering {
    let stacks = one.status_of_content().cmp(&other.status_of_content());
    let rest = || one.stack[1..].cmp(&other.stack[1..]);
    stacks.then_with(rest).then_with(|| one.objects.cmp(&other.objects)).then_with(|| one.data.cmp(&other.data))
}

impl State {
    /// The unbound twins of a thread, itself included; none if it is bound itself.
    pub fn twins(&self, thread: usize) -> Vec<usize> {
        if self.threads.get(thread).is_none_or(|t| t.has(BOUND)) {
            return Vec::new();
        }
        let first = (0..=thread).rev().find(|t| !self.threads[*t].has(TWIN)).unwrap_or(0);
        let end = (thread + 1..self.threads.len()).find(|t| !self.threads[*t].has(TWIN)).unwrap_or(self.threads.len());
        (first..end).filter(|t| !self.threads[*t].has(BOUND)).collect()
    }

    /// All sets of two or more twins.
    fn families(&self) -> Vec<Vec<usize>> {
        let mut families = Vec::new();
        let mut at = 1;
        while at < self.threads.len() {
            let first = at - 1;
            while at < self.threads.len() && self.threads[at].has(TWIN) {
                at += 1;
            }
            if at - first > 1 {
                let family: Vec<usize> = (first..at).filter(|t| !self.threads[*t].has(BOUND)).collect();
                families.extend((family.len() > 1).then_some(family));
            }
            at += 1;
        }
        families
    }

    /// The number of permutations of twins.
    pub fn permutations(&self) -> u64 {
        let factorial = |n: usize| (1..=n as u64).fold(1, u64::saturating_mul);
        self.families().iter().map(|family| factorial(family.len())).fold(1, u64::saturating_mul)
    }

    /// Marks a new thread, which becomes the last, as a twin of those before it if they are equally new.
    fn mark_new(&self, new: &mut Thread) {
        new.stack[0] |= FRESH;
        let Some(last) = self.threads.len().checked_sub(1) else { return };
        let family = self.twins(last);
        if !family.is_empty() && family.iter().all(|t| order(&self.threads[*t], new).is_eq()) {
            new.stack[0] |= TWIN;
        }
    }

    /// Sorts twins.
    pub fn sort_twins(&mut self, layout: &Layout) -> Sorted {
        let families = self.families();
        if families.is_empty() {
            return Sorted::Same;
        }
        if self.is_exposed(layout, &families) {
            return Sorted::Exposed;
        }
        let mut moves = Vec::new();
        for family in families {
            let places: Vec<usize> = family.into_iter().filter(|t| self.can_move(layout, *t)).collect();
            let mut sorted = places.clone();
            sorted.sort_by(|a, b| order(&self.threads[*a], &self.threads[*b]));
            moves.extend(sorted.into_iter().zip(places).filter(|(from, to)| from != to));
        }
        if moves.is_empty() {
            return Sorted::Same;
        }
        let mut whither: Vec<usize> = (0..self.threads.len()).collect();
        moves.iter().for_each(|(from, to)| whither[*from] = *to);
        self.permute(layout, &moves);
        Sorted::Moved(whither)
    }

    /// Whether anything looks like an address of an object of one of them.
    fn is_exposed(&self, layout: &Layout, families: &[Vec<usize>]) -> bool {
        let twins = families.iter().flatten().fold(0u128, |all, twin| all | 1 << twin);
        let names = |value: u64| match layout.slot(value) {
            Slot::Dynamic { thread, .. } => thread < 128 && twins >> thread & 1 == 1,
            Slot::Static(_) => false,
        };
        let is_address = |word: &u64| {
            let mut found = false;
            layout.slots.for_each_pointer(&[*word], |value| found |= names(value));
            found
        };
        self.globals.iter().any(is_address)
            || self.threads.iter().any(|t| t.stack.iter().skip(2).any(is_address) || t.data.iter().any(is_address))
    }

    /// Whether all places that contain its number are known.
    fn can_move(&self, layout: &Layout, thread: usize) -> bool {
        let number = thread as u32;
        let own = &self.threads[thread];
        !self.late_inputs.mentions(number)
            && !own.has(OTHER_LOCKS)
            && own.atomic_depth() == 0
            && own.locks().iter().all(|lock| *lock == 0 || owner_word(self, layout, *lock).is_some())
    }

    /// Gives threads other numbers; `moves` is a permutation.
    fn permute(&mut self, layout: &Layout, moves: &[(usize, usize)]) {
        let mut owners = Vec::new();
        for (from, to) in moves {
            for lock in self.threads[*from].locks().iter().filter(|lock| **lock != 0 && **lock & FOR_READING == 0) {
                let Some((spot, bytes)) = owner_word(self, layout, *lock) else { continue };
                let word = self.read(layout, spot, bytes);
                let mask = OWNER & low_bits(bytes);
                if word & mask == *from as u64 + 1 {
                    owners.push((spot, bytes, word & !mask | (*to as u64 + 1)));
                }
            }
        }
        owners.into_iter().for_each(|(spot, bytes, word)| self.write(spot, bytes, word));
        let status: Vec<u64> = moves.iter().map(|(_, to)| self.threads[*to].status_of_place()).collect();
        let parts: Vec<Thread> = moves.iter().map(|(from, _)| std::mem::take(&mut self.threads[*from])).collect();
        for ((part, (_, to)), status) in parts.into_iter().zip(moves).zip(status) {
            self.threads[*to] = part;
            self.threads[*to].move_to(status);
        }
    }

    /// Binds a name to a twin, which gets this number. False if that is impossible.
    #[must_use]
    pub fn bind(&mut self, layout: &Layout, name: usize, twin: usize) -> bool {
        if name != twin {
            if !self.can_move(layout, name) || !self.can_move(layout, twin) {
                return false;
            }
            self.permute(layout, &[(name, twin), (twin, name)]);
        }
        self.threads[name].stack[0] |= BOUND;
        true
    }
}

/// The place of the word that contains a lock's owner, and its size in bytes.
fn owner_word(state: &State, layout: &Layout, lock: u64) -> Option<(Spot, usize)> {
    [4, 1].into_iter().find_map(|bytes| {
        let spot = memory::locate(state, layout, lock & !FOR_READING, bytes, true).ok()?;
        Some((spot, bytes as usize))
    })
}

fn low_bits(bytes: usize) -> u64 {
    (1 << (8 * bytes)) - 1
}

impl<O: Oracle> Machine<'_, O> {
    /// Looks for a twin of the running thread before a step.
    pub(crate) fn look_for_twin(&mut self) {
        self.twin = None;
        self.bindings.clear();
        (self.is_loud, self.told_owner) = (false, false);
        if self.symmetric {
            let thread = self.thread;
            self.twin = self.state.twins(thread).into_iter().find(|twin| *twin != thread);
        }
    }

    /// Notes that the running thread does something that distinguishes it from its twins, if it has any.
    #[inline]
    pub(crate) fn show_itself(&mut self) {
        if self.twin.is_some() {
            self.sharing.expose();
        }
    }

    /// Evaluates a function of all threads, with the running one put back into the state.
    fn with_all_threads<T>(&mut self, ask: impl FnOnce(&State) -> T) -> T {
        std::mem::swap(&mut self.stack, &mut self.state.threads[self.thread].stack);
        let answer = ask(&self.state);
        std::mem::swap(&mut self.stack, &mut self.state.threads[self.thread].stack);
        answer
    }

    /// Notes whether a new thread is a twin of those before.
    pub(crate) fn look_at_new(&mut self, new: &mut Thread) {
        if self.symmetric {
            self.with_all_threads(|state| state.mark_new(new));
        }
    }

    /// The function of a new thread and its first argument, which is the function that a model calls there. Copies of a
    /// function are replaced by the first copy, so that threads that run them can be twins.
    pub(crate) fn stand_ins(&self, body: FuncId, first: u64) -> (FuncId, u64) {
        let code = self.code;
        if !self.symmetric || code.stand_ins.is_empty() {
            return (body, first);
        }
        let start = match memory::target(&self.state, &code.layout, first) {
            Ok((Target::Function(start), 0)) if !code.function(body).is_user => code.stand_ins.get(&start),
            _ => None,
        };
        let first = start.and_then(|start| code.layout.address(Operand::Func(*start))).unwrap_or(first);
        (code.stand_ins.get(&body).copied().unwrap_or(body), first)
    }

    /// Binds the name of a thread when it is used.
    pub(crate) fn use_name(&mut self, name: usize) -> Result<(), Stopped> {
        if !self.symmetric {
            return Ok(());
        }
        let twins = self.with_all_threads(|state| state.twins(name));
        if twins.len() < 2 {
            return Ok(());
        }
        // Open inputs are not part of the comparison.
        if self.twin.is_some() || twins.iter().any(|twin| self.state.late_inputs.mentions(*twin as u32)) {
            self.sharing.expose();
            return Ok(());
        }
        let mut different: Vec<usize> = Vec::new();
        for twin in twins {
            if different.iter().all(|other| order(&self.state.threads[*other], &self.state.threads[twin]).is_ne()) {
                different.push(twin);
            }
        }
        let chosen = if different.len() > 1 { self.oracle.choose_thread(different.len())? } else { 0 };
        // Among equal twins, prefer the one that has the name already.
        let same = order(&self.state.threads[different[chosen]], &self.state.threads[name]).is_eq();
        let twin = if same { name } else { different[chosen] };
        if !self.state.bind(&self.code.layout, name, twin) {
            self.sharing.expose();
        }
        self.bindings.push((name, twin));
        Ok(())
    }
}
