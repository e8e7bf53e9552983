//! Whatever the VM stores is within what the intervals say of some bounded step that came from the same operation.
//!
//! The bounded program and its small machine share their makers' mistakes; the VM runs the program itself. Only
//! programs count that the bounds do not cut.

mod common;

use common::{c_programs, limits, number, written};
use selvedge_analyze::{Interference, Intervals, Points, PointsTo, Range, Reductions};
use selvedge_bound::{Bounded, StepOp, bound};
use selvedge_generate::{Tally, trial};
use selvedge_program::{BlockId, FuncId, Op, Program, Properties};
use selvedge_vm::{Code, Ended, Machine, Oracle, Sharing, Stopped};
use selvedge_vm::{MachineView, Note};
use std::collections::HashMap;

const PROGRAMS: u64 = 300;

type Place = (FuncId, BlockId, u32);

/// The values that may be stored, by operation.
fn stored(bounded: &Bounded<'_>, checked: Properties) -> HashMap<Place, Range> {
    let points_to = PointsTo::new(bounded);
    let interference = Interference::new(bounded, &points_to, Reductions::ALL.checking(checked));
    let points = Points::of_all(bounded, &interference);
    let intervals = Intervals::new(bounded, &points_to, &interference, &points, u32::MAX);
    let mut all: HashMap<Place, Range> = HashMap::new();
    for (number, thread) in bounded.threads.iter().enumerate() {
        for (block, body) in &thread.blocks {
            for (step, this) in body.steps.iter().enumerate() {
                if let Some(range) = intervals.stored(number, block, step) {
                    let place = (this.origin.function, this.origin.block, this.origin.index);
                    let known = all.entry(place).or_insert(range);
                    *known = known.join(range);
                }
            }
        }
    }
    all
}

/// Chooses at random, and compares what is written.
struct Watcher<'a> {
    name: &'a str,
    dice: fastrand::Rng,
    stored: &'a HashMap<Place, Range>,
    compared: usize,
}

impl Oracle for Watcher<'_> {
    const WATCHES: bool = true;

    fn choose(&mut self, ways: usize) -> Result<usize, Stopped> {
        Ok(self.dice.usize(..ways))
    }

    fn input(&mut self, _: usize, low: u64) -> Option<Result<u128, Stopped>> {
        Some(Ok(u128::from(low) + self.dice.u128(..2)))
    }

    fn note(&mut self, view: &MachineView<'_>, note: Note) {
        let Some(Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. }) = view.code.op(view.pc) else { return };
        if let Note::Write { value, .. } = note {
            let from = view.code.from[view.pc as usize];
            let range = self.stored.get(&(from.function, from.block, from.index));
            let name = self.name;
            assert!(range.is_some_and(|range| range.contains(value)), "{name}: {range:?} lacks {value} at {from:?}");
            self.compared += usize::from(range.is_some_and(|range| !range.is_any()));
        }
    }
}

fn runs(name: &str, program: &Program, seed: u64, count: u64, programs: &Tally) -> usize {
    let Ok(bounded) = bound(program, &limits(8)) else {
        programs.skipped("not bounded");
        return 0;
    };
    let steps = || bounded.threads.iter().flat_map(|thread| thread.blocks.values()).flat_map(|block| &block.steps);
    let unsupported = steps().any(|step| matches!(step.op, StepOp::Plain(Op::Unsupported { .. })));
    // Where others than main create threads, their numbers depend on who comes first; in the bounded program they do
    // not.
    let mut created = bounded.threads[1..].iter().flat_map(|thread| thread.blocks.values()).flat_map(|b| &b.steps);
    let numbered_by_chance = created.any(|step| matches!(step.op, StepOp::Spawn { .. }));
    if !bounded.cuts.is_empty() || unsupported || numbered_by_chance {
        programs.skipped("cut, unsupported or numbered by chance");
        return 0;
    }
    programs.compared();
    let mut compared = 0;
    for checked in [Properties::default(), Properties::NONE] {
        let stored = stored(&bounded, checked);
        let Ok(code) = Code::new(program, checked) else { return 0 };
        for run in 0..count {
            let dice = fastrand::Rng::with_seed(seed << 8 | run);
            let watcher = Watcher { name, dice, stored: &stored, compared: 0 };
            let mut machine = Machine::new(&code, Sharing::everything(), watcher, 256);
            for _ in 0..3000 {
                let alive = (0..machine.state.threads.len()).filter(|t| !machine.state.threads[*t].is_finished());
                let alive: Vec<usize> = alive.collect();
                let Some(thread) = machine.oracle.dice.choice(alive) else { break };
                let before = machine.state.clone();
                match machine.step(thread) {
                    Ok(Ended::Exited) | Err(Stopped::Violation(_) | Stopped::GaveUp(_)) => break,
                    Ok(_) => {}
                    Err(Stopped::Blocked | Stopped::Infeasible | Stopped::Unchecked { .. }) => machine.state = before,
                }
            }
            compared += machine.oracle.compared;
        }
    }
    compared
}

#[test]
fn generated_programs() {
    let programs = Tally::default();
    let all = trial::seeds(PROGRAMS).map(|seed| {
        let program = selvedge_generate::program(seed);
        runs(&format!("program {seed}"), &program, seed, 10, &programs)
    });
    let compared: usize = all.sum();
    println!("{compared} stores in a range");
    programs.require(50, PROGRAMS);
    assert!(trial::cases(PROGRAMS) < PROGRAMS || compared > 1000);
}

#[test]
fn programs_of_the_project() {
    let (mut count, mut compared, programs) = (0, 0, Tally::default());
    c_programs(number("SELVEDGE_CORPUS_STEP", 4) as usize, |name, program| {
        compared += runs(name, program, count, 5, &programs);
        count += 1;
    });
    println!("{count} programs, {compared} stores in a range");
    programs.require(50, 0);
    assert!(compared > 0);
}

#[test]
fn written_programs() {
    let programs = Tally::default();
    written(|name, _, program| {
        runs(name, program, 0, 50, &programs);
    });
    programs.require(90, 0);
}
