//! Whatever the VM stores, in runs of few turns, is within what Frama-C says of some step that came from the same
//! operation. Without Frama-C there is nothing to compare.

use selvedge_analyze::{Facts, Range};
use selvedge_bound::{Limits, StepOp, bound};
use selvedge_engine::Control;
use selvedge_generate::{Tally, trial};
use selvedge_outside::IntervalSource;
use selvedge_program::{BlockId, FuncId, Op, Program, Properties, Property, Reason};
use selvedge_requires::Need;
use selvedge_vm::{Code, Ended, Machine, Oracle, Sharing, Stopped};
use selvedge_vm::{MachineView, Note};
use std::collections::HashMap;

const ROUNDS: u32 = 4;
const PROGRAMS: u64 = 24;
const RUNS: u64 = 20;

type Place = (FuncId, BlockId, u32);

/// Chooses at random, and compares what is written.
struct Watcher<'a> {
    program: u64,
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
        let Some(Op::Store { .. }) = view.code.op(view.pc) else { return };
        if let Note::Write { value, .. } = note {
            let from = view.code.from[view.pc as usize];
            let Some(range) = self.stored.get(&(from.function, from.block, from.index)) else { return };
            assert!(range.contains(value), "program {}: {range:?} lacks {value} at {from:?}", self.program);
            self.compared += usize::from(!range.is_any());
        }
    }
}

/// The values that each operation may store. `None`: there is no Frama-C.
fn stored(program: &Program, checked: Properties) -> Result<HashMap<Place, Range>, Reason> {
    let limits = Limits { unwind: 8, recursion: 8, threads: 16, ..Limits::default() };
    let mut all: HashMap<Place, Range> = HashMap::new();
    let bounded = bound(program, &limits)?;
    let steps = || bounded.threads.iter().flat_map(|thread| thread.blocks.values()).flat_map(|block| &block.steps);
    let unsupported = steps().any(|step| matches!(step.op, StepOp::Plain(Op::Unsupported { .. })));
    if !bounded.cuts.is_empty() || unsupported {
        return Ok(all);
    }
    let facts = Facts::new(&bounded, checked);
    let known = IntervalSource::FramaC.compute(&facts, ROUNDS, &Control::default())?.unwrap_or_default();
    for (number, thread) in bounded.threads.iter().enumerate() {
        for (block, body) in &thread.blocks {
            for (step, this) in body.steps.iter().enumerate() {
                if let Some(range) = known.stored(number, block, step) {
                    let place = (this.origin.function, this.origin.block, this.origin.index);
                    let before = all.entry(place).or_insert(range);
                    *before = before.join(range);
                }
            }
        }
    }
    Ok(all)
}

/// A run of at most so many turns; how many stores were compared.
fn run(code: &Code, watcher: Watcher<'_>) -> usize {
    let mut machine = Machine::new(code, Sharing::everything(), watcher, 256);
    let (mut current, mut turns) = (0, 0);
    for _ in 0..2000 {
        let alive = (0..machine.state.threads.len()).filter(|t| !machine.state.threads[*t].is_finished());
        let alive: Vec<usize> = alive.collect();
        if !alive.contains(&current) || machine.oracle.dice.u8(..8) == 0 {
            let Some(next) = machine.oracle.dice.choice(alive) else { break };
            turns += u32::from(next != current);
            current = next;
        }
        if turns == ROUNDS {
            break;
        }
        let before = machine.state.clone();
        match machine.step(current) {
            Ok(Ended::Exited) | Err(Stopped::Violation(_) | Stopped::GaveUp(_)) => break,
            Ok(_) => {}
            Err(Stopped::Blocked | Stopped::Infeasible | Stopped::Unchecked { .. }) => machine.state = before,
        }
    }
    machine.oracle.compared
}

#[test]
fn the_vm_stays_within_frama_cs_intervals() {
    let checked: Properties = [Property::Assertion, Property::Memory].into_iter().collect();
    let (mut compared, programs) = (0, Tally::default());
    for seed in trial::seeds(PROGRAMS) {
        let program = selvedge_generate::program(seed);
        let stored = match stored(&program, checked) {
            Ok(stored) => stored,
            Err(Reason::Limit(why)) if why.contains("not installed") => {
                selvedge_requires::skip(Need::FramaC);
                return;
            }
            Err(why) => {
                programs.skipped(why.kind());
                continue;
            }
        };
        let Ok(code) = Code::new(&program, checked) else {
            programs.skipped("no code");
            continue;
        };
        programs.compared();
        for number in 0..RUNS {
            let dice = fastrand::Rng::with_seed(seed << 8 | number);
            compared += run(&code, Watcher { program: seed, dice, stored: &stored, compared: 0 });
        }
    }
    println!("{compared} stores in a range");
    programs.require(50, PROGRAMS);
    assert!(trial::cases(PROGRAMS) < PROGRAMS || compared > 100);
}
