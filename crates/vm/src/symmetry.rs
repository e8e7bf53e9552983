//! Threads that nobody can tell apart.
//!
//! Threads that were created one after the other with the same function (or copies of it: [`selvedge_program::alike`])
//! and the same arguments, before any of them
//! took a step, are *twins*: whatever one of them does, another could have done in its place. So of the states that
//! differ only in which twin is where, all are reachable if one is, and a search needs one (Ip and Dill, "Better
//! verification through symmetry", CHDL 1993; Clarke et al., CAV 1993): the one in which their parts are sorted.
//!
//! In contrast to those papers nothing is declared. A thread's number occurs
//!
//! - as the *name* that its creator got. Names are not renamed: while nobody has used one, it may belong to any of the
//!   twins. When one is used (to join, say), all different twins are tried: from then on it is *bound*, and its thread
//!   is no twin of anybody's. So a creator that keeps all names in an array, and joins one after the other, is no
//!   obstacle.
//! - as the owner of locks that it says it holds ([`selvedge_program::Intrinsic::Owner`]): there it is renamed.
//! - anywhere else: a twin asks for its own number or uses another's name, an address of something that is a twin's
//!   own is stored, a twin has objects of its own, or more locks than are known. Then [`Sharing::expose`] says so,
//!   and the search begins anew without any of this.
//!
//! What several twins touch counts as touched by two of them ([`Machine`]'s `twin`): in the search both may be seen in
//! the same place.
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

/// Where a state's threads went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sorted {
    /// Nowhere.
    Same,
    /// By old number, the new one.
    Moved(Vec<usize>),
    /// Somebody can tell them apart.
    Exposed,
}

/// The bits of a lock's first word that say who owns it.
const OWNER: u64 = 0x7fff;

// Bits of a thread's status, beside those in `state.rs`; all 0 where twins are not looked for.

/// It has not taken a step.
const FRESH: u64 = 4;
/// It is a twin of the thread before.
const TWIN: u64 = 8;
/// Somebody has called it by its number.
const BOUND: u64 = 16;
/// There are locks that say it owns them, where that is not known to be so.
const OTHER_LOCKS: u64 = 32;
/// What a step does not change.
pub(crate) const LASTING: u64 = TWIN | BOUND | OTHER_LOCKS;
/// What belongs to the number rather than to what the thread does.
const OF_PLACE: u64 = TWIN | BOUND;

/// Can threads of this program be twins at all? Thread-locals of its own have addresses, which may be anywhere; the
/// owner of a robust mutex is looked at by others.
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

    /// It has another number now, to which this belongs; all of it counts as changed.
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

/// The same parts, wherever they are?
fn order(one: &Thread, other: &Thread) -> Ordering {
    let stacks = one.status_of_content().cmp(&other.status_of_content());
    let rest = || one.stack[1..].cmp(&other.stack[1..]);
    stacks.then_with(rest).then_with(|| one.objects.cmp(&other.objects)).then_with(|| one.data.cmp(&other.data))
}

impl State {
    /// The twins of a thread, itself included, that nobody has named; none if it has a name itself.
    pub fn twins(&self, thread: usize) -> Vec<usize> {
        if self.threads.get(thread).is_none_or(|t| t.has(BOUND)) {
            return Vec::new();
        }
        let first = (0..=thread).rev().find(|t| !self.threads[*t].has(TWIN)).unwrap_or(0);
        let end = (thread + 1..self.threads.len()).find(|t| !self.threads[*t].has(TWIN)).unwrap_or(self.threads.len());
        (first..end).filter(|t| !self.threads[*t].has(BOUND)).collect()
    }

    /// All twins that have others.
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

    /// In how many ways twins could change places.
    pub fn permutations(&self) -> u64 {
        let factorial = |n: usize| (1..=n as u64).fold(1, u64::saturating_mul);
        self.families().iter().map(|family| factorial(family.len())).fold(1, u64::saturating_mul)
    }

    /// Of a new thread, which becomes the last: it is a twin of those before it that are as new.
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

    /// Does anything look like an address of something that belongs to one of them?
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

    /// Is all known of where its number stands?
    fn can_move(&self, layout: &Layout, thread: usize) -> bool {
        let number = thread as u32;
        let own = &self.threads[thread];
        !self.lazy.mentions(number)
            && !own.has(OTHER_LOCKS)
            && own.atomic_depth() == 0
            && own.locks().iter().all(|lock| *lock == 0 || owner_word(self, layout, *lock).is_some())
    }

    /// Puts the parts of threads into other places; all of them are free for that.
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

    /// Whoever has this number is called by it from now on: it is given to `twin`. False if that cannot be done.
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

/// Where a lock says who owns it.
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
    /// Before a step: another thread that could be the running one.
    pub(crate) fn look_for_twin(&mut self) {
        self.twin = None;
        self.bindings.clear();
        (self.is_loud, self.told_owner) = (false, false);
        if self.symmetric {
            let thread = self.thread;
            self.twin = self.state.twins(thread).into_iter().find(|twin| *twin != thread);
        }
    }

    /// The running thread does something by which it could be told from its twins, if it has any.
    #[inline]
    pub(crate) fn show_itself(&mut self) {
        if self.twin.is_some() {
            self.sharing.expose();
        }
    }

    /// A question about all threads, the running one included.
    fn with_all_threads<T>(&mut self, ask: impl FnOnce(&State) -> T) -> T {
        std::mem::swap(&mut self.stack, &mut self.state.threads[self.thread].stack);
        let answer = ask(&self.state);
        std::mem::swap(&mut self.stack, &mut self.state.threads[self.thread].stack);
        answer
    }

    /// Is a thread that the running one creates a twin of those before?
    pub(crate) fn look_at_new(&mut self, new: &mut Thread) {
        if self.symmetric {
            self.with_all_threads(|state| state.mark_new(new));
        }
    }

    /// What a new thread runs, and its first argument, which is what a model runs there: functions that are alike are
    /// one, so that threads that run them can be twins.
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

    /// Somebody uses the name of a thread: whose is it?
    pub(crate) fn use_name(&mut self, name: usize) -> Result<(), Stopped> {
        if !self.symmetric {
            return Ok(());
        }
        let twins = self.with_all_threads(|state| state.twins(name));
        if twins.len() < 2 {
            return Ok(());
        }
        // Inputs that are open are not part of what is compared.
        if self.twin.is_some() || twins.iter().any(|twin| self.state.lazy.mentions(*twin as u32)) {
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
        // Of equals, the one that has the name already.
        let same = order(&self.state.threads[different[chosen]], &self.state.threads[name]).is_eq();
        let twin = if same { name } else { different[chosen] };
        if !self.state.bind(&self.code.layout, name, twin) {
            self.sharing.expose();
        }
        self.bindings.push((name, twin));
        Ok(())
    }
}
