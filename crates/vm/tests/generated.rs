//! States met on random walks through generated programs, and the programs' text form.

use selvedge_generate::{Features, source, trial};
use selvedge_program::text::{parse, print};
use selvedge_program::verify::verify;
use selvedge_program::{Program, Properties};
use selvedge_vm::{Code, Ended, Machine, Oracle, Sharing, State, Stopped};
use std::collections::HashMap;

const STEPS: usize = 60;

/// Chooses at random.
struct Dice(fastrand::Rng);

impl Oracle for Dice {
    fn choose(&mut self, ways: usize) -> Result<usize, Stopped> {
        Ok(self.0.usize(..ways))
    }
}

/// The states of one random run, the first included.
fn walk(program: &Program, sharing: Sharing, seed: u64) -> Vec<State> {
    let code = Code::new(program, Properties::default()).expect("generated programs are small");
    let mut machine = Machine::new(&code, sharing, Dice(fastrand::Rng::with_seed(seed)), 256);
    let mut states = vec![machine.state.clone()];
    for _ in 0..STEPS {
        let alive = (0..machine.state.threads.len()).filter(|t| !machine.state.threads[*t].is_finished());
        let alive: Vec<usize> = alive.collect();
        let Some(thread) = machine.oracle.0.choice(alive) else { break };
        let before = machine.state.clone();
        match machine.step(thread) {
            Ok(Ended::Exited) | Err(Stopped::Violation(_) | Stopped::GaveUp(_)) => break,
            Ok(_) => states.push(machine.state.clone()),
            Err(Stopped::Blocked | Stopped::Infeasible | Stopped::Unchecked { .. }) => machine.state = before,
        }
    }
    states
}

fn programs(count: u64) -> impl Iterator<Item = Program> {
    trial::seeds(count).map(|seed| source(seed, Features { spins: seed % 8 == 0, ..Features::ALL }).program())
}

/// Programs have few states of equal content here: equal buffers exactly for equal states.
#[test]
fn flat_states_read_back_and_stand_for_their_state() {
    for (number, program) in programs(200).enumerate() {
        let mut seen: HashMap<Vec<u64>, State> = HashMap::new();
        for run in 0..4 {
            for mut state in walk(&program, Sharing::everything(), number as u64 * 4 + run) {
                let mut buffer = Vec::new();
                state.flatten(&mut buffer);
                let again = State::unflatten(&buffer).expect("what was flattened");
                let mut second = Vec::new();
                again.flatten(&mut second);
                assert_eq!(buffer, second, "{program}");
                // The number of an input in its run is not part of a state: `unflatten` forgets it.
                state.late_inputs = again.late_inputs.clone();
                assert_eq!(state, again, "{program}");
                if let Some(first) = seen.insert(buffer, state.clone()) {
                    assert_eq!(first, state, "{program}");
                }
            }
        }
        let mut states: Vec<&State> = seen.values().collect();
        while let Some(state) = states.pop() {
            assert!(!states.contains(&state), "two buffers for one state\n{program}");
        }
    }
}

#[test]
fn a_buffer_that_is_cut_off_is_refused() {
    for (number, program) in programs(30).enumerate() {
        for state in walk(&program, Sharing::everything(), number as u64) {
            let mut buffer = Vec::new();
            state.flatten(&mut buffer);
            buffer.pop();
            assert_eq!(State::unflatten(&buffer), None);
        }
    }
}

#[test]
fn the_same_dice_give_the_same_run() {
    for (number, program) in programs(50).enumerate() {
        let run = || walk(&program, Sharing::everything(), number as u64);
        assert_eq!(run(), run());
    }
}

#[test]
fn generated_programs_survive_their_text_form() {
    for program in programs(200) {
        assert_eq!(verify(&program), []);
        assert_eq!(parse(&print(&program)), Ok(program));
    }
}
