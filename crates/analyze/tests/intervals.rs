//! Whatever a run of K rounds reads, computes and stores is within the intervals for K rounds; and whatever any run
//! does, within those for as many rounds as there may be.

mod common;
mod machine;

use common::{c_programs, limits, number, written};
use machine::{Event, Machine, mix};
use selvedge_analyze::points::turns;
use selvedge_analyze::{Interference, Intervals, Points, PointsTo, Reductions};
use selvedge_bound::{Bounded, StepOp, bound};
use selvedge_generate::{Tally, trial};
use selvedge_program::{Op, Properties, Property};

const PROGRAMS: u64 = 300;
/// More than there will ever be.
const ENDLESS: u32 = 1000;

struct Facts<'a> {
    name: &'a str,
    bounded: &'a Bounded<'a>,
    points: &'a [Points],
    intervals: Intervals,
    values: usize,
    /// The number of these that are known to be less than anything.
    narrow: usize,
}

impl Facts<'_> {
    fn check(&mut self, event: &Event) {
        let Event { thread, block, step, .. } = *event;
        let op = &self.bounded.threads[thread].blocks[block].steps[step].op;
        let context = format!("{} {event:?} {op:?}", self.name);
        for (number, (reg, value)) in event.set.iter().enumerate() {
            let range = self.intervals.register(thread, *reg);
            assert!(range.contains(*value), "{range:?} of the register lacks {value}: {context}");
            if number == 0 && op.defs().first() == Some(reg) {
                let range = self.intervals.result(thread, block, step);
                assert!(range.is_some_and(|range| range.contains(*value)), "{range:?} lacks {value}: {context}");
            }
            self.values += 1;
            self.narrow += usize::from(!range.is_any());
        }
        for (object, at, bytes, value, write) in &event.values {
            let range = self.intervals.cell(*object, *at as u64, *bytes);
            assert!(range.contains(*value), "{range:?} of the cell lacks {value}: {context}");
            if let StepOp::Plain(Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. }) = op
                && *write
            {
                let range = self.intervals.stored(thread, block, step);
                assert!(range.is_some_and(|range| range.contains(*value)), "{range:?} lacks {value}: {context}");
            }
        }
    }

    /// A thread's turn: a few moves, to one of its points or as far as it gets. False: a violation ended the run.
    fn turn(&mut self, machine: &Machine<'_>, state: &mut machine::State, thread: usize, seed: u64) -> bool {
        for number in 0.. {
            let Some((block, step)) = machine.next(state, thread) else { return true };
            let may_stop = self.points[thread].at(block, step).is_some();
            if may_stop && mix(seed ^ number).is_multiple_of(4) {
                return true;
            }
            let Some((after, events)) = machine.make_move(state, thread) else { return true };
            events.iter().for_each(|event| self.check(event));
            if events.iter().any(|event| event.violation) {
                return false;
            }
            *state = after;
        }
        true
    }

    fn rounds(&mut self, machine: &Machine<'_>, rounds: u32, seed: u64) {
        let (mut state, events) = machine.start();
        events.iter().for_each(|event| self.check(event));
        let mut turns_taken = vec![0];
        (0..rounds).for_each(|_| turns_taken.extend(turns(self.bounded)));
        for (number, thread) in turns_taken.into_iter().enumerate() {
            if !self.turn(machine, &mut state, thread, mix(seed ^ (number as u64) << 20)) {
                return;
            }
        }
    }
}

fn check(name: &str, bounded: &Bounded<'_>, seed: u64, runs: u64) -> (usize, usize) {
    let points_to = PointsTo::new(bounded);
    let (mut values, mut narrow) = (0, 0);
    for checked in [Properties::NONE, Properties::default(), [Property::Assertion].into_iter().collect()] {
        let interference = Interference::new(bounded, &points_to, Reductions::ALL.checking(checked));
        let points = Points::of_all(bounded, &interference);
        for rounds in [1, 2, 3, ENDLESS] {
            let intervals = Intervals::new(bounded, &points_to, &interference, &points, rounds);
            let mut facts = Facts { name, bounded, points: &points, intervals, values: 0, narrow: 0 };
            for run in 0..runs {
                let machine = Machine { bounded, checked, seed: mix(seed ^ run << 32) };
                facts.rounds(&machine, rounds.min(20), mix(machine.seed));
                if rounds == ENDLESS {
                    any_run(&mut facts, &machine, mix(machine.seed));
                }
            }
            values += facts.values;
            narrow += facts.narrow;
        }
    }
    (values, narrow)
}

/// With switches before every move.
fn any_run(facts: &mut Facts<'_>, machine: &Machine<'_>, seed: u64) {
    let (mut state, events) = machine.start();
    events.iter().for_each(|event| facts.check(event));
    for number in 0..2000 {
        let moves = (0..state.threads.len()).filter_map(|thread| machine.make_move(&state, thread));
        let moves: Vec<_> = moves.collect();
        let Some((after, events)) = moves.get(mix(seed ^ mix(number)) as usize % moves.len().max(1)) else { return };
        events.iter().for_each(|event| facts.check(event));
        if events.iter().any(|event| event.violation) {
            return;
        }
        state = after.clone();
    }
}

#[test]
fn generated_programs() {
    let (mut values, mut narrow) = (0, 0);
    let programs = Tally::default();
    for seed in trial::seeds(PROGRAMS) {
        let program = selvedge_generate::program(seed);
        let Ok(bounded) = bound(&program, &limits(2 + seed as u32 % 2)) else {
            programs.skipped("not bounded");
            continue;
        };
        programs.compared();
        let (v, n) = check(&format!("program {seed}"), &bounded, seed, 10);
        values += v;
        narrow += n;
    }
    println!("{values} values, {narrow} of them in a range");
    programs.require(90, PROGRAMS);
    assert!(trial::cases(PROGRAMS) < PROGRAMS || narrow > 1000);
}

/// The models' locks, condition variables, joins, and pointers of all kinds.
#[test]
fn programs_of_the_project() {
    let (mut count, programs) = (0, Tally::default());
    let (mut values, mut narrow) = (0, 0);
    c_programs(number("SELVEDGE_CORPUS_STEP", 4) as usize, |name, program| {
        let Ok(bounded) = bound(program, &limits(2)) else {
            programs.skipped("not bounded");
            return;
        };
        programs.compared();
        let (v, n) = check(name, &bounded, count, 5);
        values += v;
        narrow += n;
        count += 1;
    });
    println!("{count} programs, {values} values, {narrow} of them in a range");
    programs.require(80, 0);
    assert!(narrow > 0);
}

/// The comments at the head of each program: how many steps are visible as one reduction after the other is added, and
/// what cells of memory may hold, the first of each object.
#[test]
fn facts_are_as_written() {
    let mut different = Vec::new();
    written(|name, source, program| {
        let bounded = bound(program, &limits(2)).unwrap();
        let points_to = PointsTo::new(&bounded);
        let counts = Interference::counts(&bounded, &points_to, Reductions::ALL);
        let counts: Vec<String> = counts.iter().map(|(_, count)| count.to_string()).collect();
        let interference = Interference::new(&bounded, &points_to, Reductions::ALL);
        let points = Points::of_all(&bounded, &interference);
        let intervals = Intervals::new(&bounded, &points_to, &interference, &points, ENDLESS);
        assert!(bounded.objects.keys().all(|id| intervals.cell(id, 0, 4).width() == 32));
        let mut cells: Vec<_> = intervals.cells().filter(|(_, at, ..)| *at < 24).collect();
        cells.sort_by_key(|(object, at, bytes, _)| (*object, *at, *bytes));
        let cells = cells.into_iter().map(|(object, at, bytes, range)| {
            format!("; @{}+{at} i{}: {range}", bounded.objects[object].name, 8 * bytes)
        });
        let found: Vec<String> = [format!("; visible: {}", counts.join(" "))].into_iter().chain(cells).collect();
        let found = found.join("\n");
        if !source.contains(&format!("\n{found}\nprogram ")) {
            different.push(format!("{name}\n{found}"));
        }
    });
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}

#[test]
fn written_programs() {
    written(|name, _, program| {
        check(name, &bound(program, &limits(2)).unwrap(), 0, 50);
    });
}
