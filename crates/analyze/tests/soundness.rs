//! Whatever a run does is within the facts, and what they call invisible commutes.

mod common;
mod machine;

use common::{c_programs, limits, number, written};
use machine::{Event, Machine, State, Status, mix};
use selvedge_analyze::{Interference, PointsTo, Possible, Reductions};
use selvedge_bound::{Bounded, StepOp, bound};
use selvedge_generate::{Tally, trial};
use selvedge_program::{Intrinsic, Op, Operand, Program, Properties, Property};
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

const PROGRAMS: u64 = 300;

/// Everything that is known of a program.
struct Facts<'a> {
    bounded: &'a Bounded<'a>,
    points_to: &'a PointsTo,
    interference: Interference,
    name: &'a str,
}

impl Facts<'_> {
    /// Is there to be a context switch before this move?
    fn switches_before(&self, thread: usize, block: selvedge_bound::BlockId, step: usize) -> bool {
        let op = &self.bounded.threads[thread].blocks[block].steps[step].op;
        match op {
            StepOp::Plain(Op::Intrinsic { which: Intrinsic::AtomicBegin, .. }) => {
                self.interference.section_visible(thread, block, step)
            }
            _ => self.interference.visible(thread, block, step),
        }
    }

    fn check(&self, event: &Event) {
        let Event { thread, block, step, .. } = *event;
        let context =
            || format!("{} {event:?} {:?}", self.name, self.bounded.threads[thread].blocks[block].steps[step].op);
        assert!(self.interference.is_live(thread, block, step), "not live: {}", context());
        let accesses = self.interference.accesses(thread, block, step);
        for (addr, object, at, bytes, write) in &event.touched {
            let targets = self.points_to.of(thread, *addr);
            assert!(targets.contains(*object, *at), "{targets:?} lacks {object} {at}: {}", context());
            let covers = |a: &selvedge_analyze::Access| {
                a.object == *object && a.from <= *at && at + bytes <= a.to && (a.write || !write)
            };
            assert!(accesses.iter().any(covers), "{accesses:?}: {}", context());
        }
        for (reg, value) in &event.set {
            let possible: Possible = self.interference.values().of(thread, Operand::Reg(*reg));
            assert!(possible.may_be(*value), "{possible:?} lacks {value}: {}", context());
        }
    }
}

/// A random run. Every invisible move is also made one move earlier.
fn random_run(facts: &Facts<'_>, machine: &Machine<'_>, seed: u64, moves: usize) -> usize {
    let (mut state, events) = machine.start();
    events.iter().for_each(|event| facts.check(event));
    let mut previous: Option<(usize, State)> = None;
    let mut commuted = 0;
    for number in 0..moves {
        let choices: Vec<(usize, State, Vec<Event>)> = (0..state.threads.len())
            .filter_map(|thread| machine.make_move(&state, thread).map(|(after, events)| (thread, after, events)))
            .collect();
        if choices.is_empty() {
            break;
        }
        let chosen = mix(seed ^ mix(number as u64)) as usize % choices.len();
        let (thread, after, events) = &choices[chosen];
        events.iter().for_each(|event| facts.check(event));
        // Nothing behind a violation matters.
        if events.iter().any(|event| event.violation) {
            break;
        }
        if let Some((other, before)) = &previous
            && other != thread
            && before.threads[*thread].status == Status::Running
            && let Some((block, step)) = machine.next(&state, *thread)
            && !facts.switches_before(*thread, block, step)
        {
            let op = &facts.bounded.threads[*thread].blocks[block].steps[step].op;
            let context = format!("{} thread {thread} {block} step {step}: {op:?} behind thread {other}", facts.name);
            let (first, _) = machine.make_move(before, *thread).unwrap_or_else(|| panic!("enabled late: {context}"));
            let (both, _) = machine.make_move(&first, *other).unwrap_or_else(|| panic!("disables: {context}"));
            assert!(both == *after, "does not commute: {context}");
            commuted += 1;
        }
        previous = Some((*thread, state));
        state = after.clone();
    }
    commuted
}

/// The findings of a search.
#[derive(Default)]
struct Found {
    /// How it can end without a violation.
    ends: BTreeSet<u64>,
    violation: bool,
    states: usize,
}

/// All that can happen, with switches before every move or only where the facts want them. None: too much.
fn explore(machine: &Machine<'_>, facts: Option<&Facts<'_>>, most: usize) -> Option<Found> {
    let digest = |state: &State| {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        hasher.finish()
    };
    let mut found = Found::default();
    let mut seen: HashSet<u64> = HashSet::new();
    let mut stack = vec![machine.start().0];
    while let Some(state) = stack.pop() {
        if !seen.insert(digest(&state)) {
            continue;
        }
        if seen.len() > most {
            return None;
        }
        let mut moved = false;
        for thread in 0..state.threads.len() {
            let Some((mut after, events)) = machine.make_move(&state, thread) else { continue };
            moved = true;
            // Nothing behind a violation matters.
            let mut violated = |events: &[Event]| {
                let violated = events.iter().any(|event| event.violation);
                found.violation |= violated;
                violated
            };
            if violated(&events) {
                continue;
            }
            let mut over = false;
            while let Some(facts) = facts
                && let Some((block, step)) = machine.next(&after, thread)
                && !facts.switches_before(thread, block, step)
                && let Some((next, events)) = machine.make_move(&after, thread)
            {
                after = next;
                over = violated(&events);
                if over {
                    break;
                }
            }
            if !over {
                stack.push(after);
            }
        }
        if !moved && !state.exited {
            found.ends.insert(digest(&state));
        }
    }
    found.states = seen.len();
    Some(found)
}

fn check(
    name: &str,
    bounded: &Bounded<'_>,
    seed: u64,
    runs: u64,
    most: usize,
    searches: &Tally,
) -> (usize, usize, usize) {
    let points_to = PointsTo::new(bounded);
    let (mut commuted, mut all, mut reduced) = (0, 0, 0);
    for checked in [Properties::NONE, Properties::default(), [Property::Assertion].into_iter().collect()] {
        let interference = Interference::new(bounded, &points_to, Reductions::ALL.checking(checked));
        let facts = Facts { bounded, points_to: &points_to, interference, name };
        for run in 0..runs {
            let machine = Machine { bounded, checked, seed: mix(seed ^ run << 32) };
            commuted += random_run(&facts, &machine, mix(machine.seed), 2000);
        }
        let machine = Machine { bounded, checked, seed };
        if most > 0
            && let Some(full) = explore(&machine, None, most)
            && let Some(fewer) = explore(&machine, Some(&facts), most)
        {
            searches.compared();
            assert_eq!(full.violation, fewer.violation, "{name}: a violation is lost");
            // One violation may hide others, and what would have followed.
            if !full.violation {
                assert_eq!(full.ends, fewer.ends, "{name}: not all ends are reached");
            }
            all += full.states;
            reduced += fewer.states;
        } else {
            searches.skipped("too many states");
        }
    }
    (commuted, all, reduced)
}

#[test]
fn generated_programs() {
    let (mut commuted, mut full, mut reduced) = (0, 0, 0);
    let (programs, searches) = (Tally::default(), Tally::default());
    for seed in trial::seeds(PROGRAMS) {
        let program: Program = selvedge_generate::program(seed);
        let Ok(bounded) = bound(&program, &limits(2 + seed as u32 % 2)) else {
            programs.skipped("not bounded");
            continue;
        };
        programs.compared();
        let (c, all, few) = check(&format!("program {seed}"), &bounded, seed, 20, 3000, &searches);
        commuted += c;
        full += all;
        reduced += few;
    }
    println!("{commuted} moves commuted; {full} states, {reduced} with fewer switches");
    programs.require(90, PROGRAMS);
    searches.require(75, PROGRAMS);
    assert!(trial::cases(PROGRAMS) < PROGRAMS || commuted > 1000 && reduced < full);
}

/// The models' locks, condition variables, joins, and pointers of all kinds.
#[test]
fn programs_of_the_project() {
    let (mut count, mut commuted, programs) = (0, 0, Tally::default());
    c_programs(number("SELVEDGE_CORPUS_STEP", 10) as usize, |name, program| {
        let Ok(bounded) = bound(program, &limits(2)) else {
            programs.skipped("not bounded");
            return;
        };
        programs.compared();
        let (c, ..) = check(name, &bounded, count, 10, 0, &Tally::default());
        commuted += c;
        count += 1;
    });
    println!("{count} programs, {commuted} moves commuted");
    programs.require(80, 0);
    assert!(commuted > 0);
}

#[test]
fn written_programs() {
    let searches = Tally::default();
    written(|name, _, program| {
        let bounded = bound(program, &limits(2)).unwrap();
        for seed in 0..2 {
            check(name, &bounded, seed, 50, 20_000, &searches);
        }
    });
    searches.require(85, 0);
}
