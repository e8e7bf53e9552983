//! Steps that were taken before need not be run again.
//!
//! A state is a combination of its threads and its globals, and a step depends on, and changes, little but one thread
//! and the globals ([`selvedge_vm::dependence`]). Of these there are far fewer than of states: most transitions of a
//! search are ones that it has taken already, from a state that differs only in threads that do not matter. Since the
//! store has numbers for the parts of a state, such a transition replaces two numbers in its root: nothing is loaded,
//! run or stored. This is the local transition cache of LTSmin (Blom, van de Pol, Weber, CAV 2010), with dependences
//! seen while running instead of declared.
//!
//! The cache is exact. Steps may be forgotten: a set holds the last two that fell into it. Where steps are seldom taken
//! twice, because every one leads to other globals, it is left alone most of the time ([`super::adaptive`]).

use super::adaptive::Adaptive;
use super::pool::Item;
use super::store::{BASE, DIRECT, Root, Slab};
use selvedge_program::Loc;
use selvedge_vm::Ended;
use selvedge_vm::deadlock::Threads;

/// Sets, as powers of two.
const FEWEST: u32 = 8;
const MOST: u32 = 17;
/// More places than these, in which threads can be blocked, are not told apart.
const PLACES: usize = 256;

/// An earlier step of a thread, from a state that agrees on all that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It led there; the thread is at `pc` now.
    To { root: Root, ended: Ended, pc: u32 },
    /// With the number of the place.
    Blocked(u32),
}

/// A place where threads are blocked, and the thread that they wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub awaits: Threads,
    pub loc: Loc,
}

pub struct StepCache {
    /// Steps that look at no more than one other thread: two fit into a line of the cache.
    near: Sets<1>,
    far: Sets<5>,
    /// For each number of a thread: the others that any of its steps so far looked at, a bit each.
    looks_at: Vec<u8>,
    places: Vec<Place>,
    adaptive: Adaptive,
}

/// Steps that look at `N` others at most.
struct Sets<const N: usize> {
    sets: Slab<Set<N>>,
    /// Steps that were forgotten since there were last more sets.
    forgotten: usize,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Set<const N: usize>([Slot<N>; 2]);

#[derive(Clone, Copy)]
struct Slot<const N: usize> {
    from: Parts<N>,
    to: Parts<N>,
    /// Where the thread is now; or which place it is blocked in.
    pc: u32,
    by: By,
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct By {
    thread: u8,
    /// Others, a bit each.
    looks_at: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Parts<const N: usize> {
    own: u32,
    base: u32,
    others: [u32; N],
}

const NOBODY: By = By { thread: u8::MAX, looks_at: 0 };

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Paused,
    Finished,
    Blocked,
}

impl By {
    #[inline]
    fn is_near(self) -> bool {
        self.looks_at & self.looks_at.wrapping_sub(1) == 0
    }
}

impl<const N: usize> Parts<N> {
    const NONE: Parts<N> = Parts { own: 0, base: 0, others: [0; N] };

    #[inline]
    fn of(root: &Root, by: By) -> Parts<N> {
        let mut parts = Parts { own: root[usize::from(by.thread) + 1], base: root[BASE], ..Parts::NONE };
        threads(by.looks_at).zip(&mut parts.others).for_each(|(other, part)| *part = root[other + 1]);
        parts
    }

    /// `root` with these.
    #[inline]
    fn put_into(&self, root: &Root, by: By) -> Root {
        let mut root = *root;
        (root[usize::from(by.thread) + 1], root[BASE]) = (self.own, self.base);
        threads(by.looks_at).zip(self.others).for_each(|(other, part)| root[other + 1] = part);
        root
    }
}

/// The threads of a set of few.
#[inline]
fn threads(mut set: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then_some(set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        next
    })
}

impl<const N: usize> Sets<N> {
    const NOTHING: Slot<N> = Slot { from: Parts::NONE, to: Parts::NONE, pc: 0, by: NOBODY, outcome: Outcome::Paused };

    fn new(sets: usize) -> Sets<N> {
        Sets { sets: Slab::filled(sets, || Set([Self::NOTHING; 2])), forgotten: 0 }
    }

    #[inline]
    fn at(&self, from: &Parts<N>, by: By) -> usize {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let first = u64::from(from.own) << 32 | u64::from(from.base);
        let mut hash = (first ^ u64::from(by.thread) << 56).wrapping_mul(FACTOR);
        for other in from.others {
            hash = (hash ^ hash >> 32 ^ u64::from(other)).wrapping_mul(FACTOR);
        }
        (hash >> 32) as usize & (self.sets.len() - 1)
    }

    #[inline]
    fn find(&self, root: &Root, by: By) -> Option<(Root, Outcome, u32)> {
        let from = Parts::of(root, by);
        let Set(slots) = &self.sets[self.at(&from, by)];
        let slot = slots.iter().find(|slot| slot.from == from && slot.by == by)?;
        Some((slot.to.put_into(root, by), slot.outcome, slot.pc))
    }

    fn put(&mut self, slot: Slot<N>) {
        let at = self.at(&slot.from, slot.by);
        let Set(slots) = &mut self.sets[at];
        self.forgotten += usize::from(slots[1].by != NOBODY);
        *slots = [slot, slots[0]];
        if self.forgotten > self.sets.len() / 4 && self.sets.len() < 1 << MOST {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let more = Sets::new(2 * self.sets.len());
        let old = std::mem::replace(self, more);
        let slots = old.sets.iter().flat_map(|Set([new, old])| [old, new]);
        slots.filter(|slot| slot.by != NOBODY).for_each(|slot| self.put(*slot));
    }
}

impl StepCache {
    pub fn new() -> StepCache {
        StepCache {
            near: Sets::new(1 << FEWEST),
            far: Sets::new(1),
            looks_at: Vec::new(),
            places: Vec::new(),
            adaptive: Adaptive::new(),
        }
    }

    /// Is it of no use at the moment?
    #[inline]
    pub fn rests(&self) -> bool {
        self.adaptive.rests()
    }

    /// A step that was not looked for.
    #[inline]
    pub fn rest(&mut self) {
        self.adaptive.rest();
    }

    /// Looks up a step of `thread`, and counts how often it is found. The thread must not have ended.
    #[inline]
    pub fn look_for(&mut self, root: &Root, thread: usize) -> Option<Step> {
        let step = self.find(root, thread);
        if thread != usize::from(Item::ALL) {
            self.adaptive.note(step.is_some());
        }
        step
    }

    /// At whom `thread`'s steps looked so far, if it was ever run from such a state.
    #[inline]
    fn by(&self, root: &Root, thread: usize) -> Option<By> {
        let own = root.get(thread + 1).filter(|_| thread < DIRECT)?;
        Some(By { thread: thread as u8, looks_at: *self.looks_at.get(*own as usize)? })
    }

    #[inline]
    fn find(&self, root: &Root, thread: usize) -> Option<Step> {
        let by = self.by(root, thread)?;
        let (root, outcome, pc) = if by.is_near() { self.near.find(root, by)? } else { self.far.find(root, by)? };
        Some(match outcome {
            Outcome::Paused => Step::To { root, ended: Ended::Paused, pc },
            Outcome::Finished => Step::To { root, ended: Ended::Finished, pc },
            Outcome::Blocked => Step::Blocked(pc),
        })
    }

    /// `thread` was run from a state with at most [`DIRECT`] threads, and looked at others.
    pub fn note(&mut self, from: &Root, thread: usize, looks_at: Threads, step: Step) {
        let own = from[thread + 1] as usize;
        if self.looks_at.len() <= own {
            self.looks_at.resize(own + 1, 0);
        }
        // Steps that were noted with fewer threads are not found any more, until they are taken again.
        self.looks_at[own] |= looks_at as u8;
        let by = By { thread: thread as u8, looks_at: self.looks_at[own] };
        let (to, outcome, pc) = match step {
            Step::To { root, ended, pc } => {
                let may_change = u32::from(by.looks_at) << 1 | 1 << (thread + 1) | 1 << BASE;
                let is_same = |at: usize| from[at] == root[at];
                debug_assert!((0..from.len()).all(|at| may_change >> at & 1 == 1 || is_same(at)), "{from:?} {root:?}");
                (root, if ended == Ended::Finished { Outcome::Finished } else { Outcome::Paused }, pc)
            }
            Step::Blocked(place) => (*from, Outcome::Blocked, place),
        };
        if by.is_near() {
            self.near.put(Slot { from: Parts::of(from, by), to: Parts::of(&to, by), pc, by, outcome });
        } else if by.looks_at.count_ones() <= 5 {
            self.far.put(Slot { from: Parts::of(from, by), to: Parts::of(&to, by), pc, by, outcome });
        }
    }

    pub fn place(&self, number: u32) -> Place {
        self.places[number as usize]
    }

    /// A place's number, if there is one left.
    pub fn number(&mut self, place: Place) -> Option<u32> {
        let known = self.places.iter().position(|known| *known == place);
        if known.is_none() && self.places.len() < PLACES {
            self.places.push(place);
            return Some(self.places.len() as u32 - 1);
        }
        known.map(|number| number as u32)
    }

    pub fn bytes(&self) -> u64 {
        let sets = size_of_val(&*self.near.sets) + size_of_val(&*self.far.sets);
        (sets + self.looks_at.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::Explicit;
    use super::super::search::{End, Order, Search};
    use super::*;
    use selvedge_engine::{Control, Task};
    use selvedge_program::{Coverage, Program, Properties, Property};
    use selvedge_vm::Code;

    /// How a search ends, after how many states and transitions.
    fn search(program: &Program, task: &Task, is_cached: bool) -> (String, u64, u64) {
        let (code, control) = (Code::new(program, task.properties).unwrap(), Control::default());
        let mut sharing = Explicit::ONE.sharing(&code, task, &control);
        loop {
            let mut search = Search::new(&code, sharing, task, &control, Order::DepthFirst, 1);
            if !is_cached {
                search.workers[0].step_cache = None;
            }
            let end = match search.run() {
                Err(End::Shared) => {
                    sharing = search.into_sharing().widened();
                    continue;
                }
                // Which of several is found, and when, depends on the order.
                Err(End::Found(evidence)) => {
                    return (format!("{} {}", evidence.violation.property.name(), search.level()), 0, 0);
                }
                Err(End::Stopped(reason)) => format!("{reason:?}"),
                // Ends of runs are counted where steps are taken, not where they are looked up.
                Ok(coverage) => format!("{:?}", Coverage { reach: None, ..coverage }),
            };
            return (end, search.states(), search.transitions());
        }
    }

    #[test]
    fn a_search_with_a_step_cache_is_the_same_search() {
        for seed in 0..120 {
            let program = selvedge_generate::program(seed);
            for property in [Property::Assertion, Property::Deadlock, Property::Memory] {
                let task = Task { properties: Properties::NONE.with(property), ..Task::default() };
                assert_eq!(search(&program, &task, true), search(&program, &task, false), "program {seed}");
            }
        }
    }

    #[test]
    fn only_what_a_step_looks_at_matters() {
        let mut step_cache = StepCache::new();
        let (from, to) = ([10, 20, 30, 40, 0, 0, 0, 0], [11, 20, 31, 40, 0, 0, 0, 0]);
        step_cache.note(&from, 1, 0, Step::To { root: to, ended: Ended::Paused, pc: 7 });
        let elsewhere = [10, 21, 30, 41, 0, 0, 0, 0];
        let there = [11, 21, 31, 41, 0, 0, 0, 0];
        assert_eq!(step_cache.find(&elsewhere, 1), Some(Step::To { root: there, ended: Ended::Paused, pc: 7 }));
        assert_eq!(step_cache.find(&elsewhere, 0), None);
        assert_eq!(step_cache.find(&[12, 20, 30, 40, 0, 0, 0, 0], 1), None, "other globals");
        // Now it looks at thread 2, and changes that; then at thread 0, too.
        step_cache.note(
            &from,
            1,
            1 << 2,
            Step::To { root: [11, 20, 31, 42, 0, 0, 0, 0], ended: Ended::Finished, pc: 0 },
        );
        assert_eq!(step_cache.find(&elsewhere, 1), None);
        let step = Step::To { root: [11, 25, 31, 42, 0, 0, 0, 0], ended: Ended::Finished, pc: 0 };
        assert_eq!(step_cache.find(&[10, 25, 30, 40, 0, 0, 0, 0], 1), Some(step));
        step_cache.note(&from, 1, 1, Step::To { root: [11, 22, 31, 40, 0, 0, 0, 0], ended: Ended::Finished, pc: 0 });
        assert_eq!(step_cache.find(&[10, 25, 30, 40, 0, 0, 0, 0], 1), None);
        let step = Step::To { root: [11, 22, 31, 40, 5, 0, 0, 0], ended: Ended::Finished, pc: 0 };
        assert_eq!(step_cache.find(&[10, 20, 30, 40, 5, 0, 0, 0], 1), Some(step));
    }

    #[test]
    fn a_blocked_thread_is_cached_until_there_are_too_many() {
        let mut step_cache = StepCache::new();
        let from = |number: u32| [1, number, 0, 0, 0, 0, 0, 0];
        let place = Place { awaits: 2, loc: selvedge_program::SourceMap::NOWHERE };
        let blocked = Step::Blocked(step_cache.number(place).unwrap());
        assert_eq!((step_cache.number(place), step_cache.place(0)), (Some(0), place));
        for number in 0..1 << 20 {
            step_cache.note(&from(number), 0, 0, blocked);
            assert_eq!(step_cache.find(&from(number), 0), Some(blocked));
        }
        assert_eq!(step_cache.near.sets.len(), 1 << MOST);
        assert_eq!(size_of_val(&step_cache.near.sets[0]), 64);
        let kept = (0..1 << 20).filter(|number| step_cache.find(&from(*number), 0).is_some()).count();
        assert!((1 << MOST..=2 << MOST).contains(&kept), "{kept}");
    }
}
