//! *Within bounds*, tested as strictly as *safe*: a simple interpreter tries all runs of generated programs within
//! small bounds, and what it finds every engine that works within bounds must find. (That they find nothing else is for
//! the replay to see: [`conclude`].)
//!
//! The interpreter knows neither the IR nor the bounded program. Its runs are those of the program itself, one access
//! at a time, with the bounds as their documentation has them:
//!
//! - *unwind*: the body of a loop runs at most so often each time the loop is entered; then it may still be left.
//! - *threads*: of the threads that the unwound program can create, so many, in the order of its code.
//! - *rounds*: main begins; in each round every thread has one turn, those created first before others, main last.
//! - *switches*: any thread may take over from the one that runs, so often.
//!
//! Under TSO and PSO, stores arrive in their thread's turns, whenever they can; where switches are counted, at any
//! time.
//!
//! A thread that comes to a bound goes no further, nor does one whose assumption fails or that misuses memory; it
//! stands before the section that it is in, if it is in one. The others go on from there.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` where they begin.

#[path = "within_bounds/buffer.rs"]
mod buffer;

use buffer::{Buffer, Entry};
use proptest::strategy::Strategy;
use proptest::test_runner::{TestCaseError, TestError};
use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_generate::endless::{Endless, Stmt, Variable, delayed, endless};
use selvedge_generate::runner;
use selvedge_outside::{Outside, Tool};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Finding, MemoryModel, Program, Properties, Property};
use selvedge_swarm::runner::{Backend, lazy as lazy_runner};
use selvedge_swarm::{Floor, Options, Shape, Subject, swarm};
use selvedge_symbolic::lazy::instances::{self, Ground, Reuse};
use selvedge_symbolic::lazy::{Lazy, Narrowing};
use selvedge_symbolic::tree::Tree;
use std::cell::Cell;
use std::collections::HashSet;

/// With more states than this, a program is left to others.
const MOST_STATES: usize = 60_000;

/// A statement that a thread has yet to execute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Item {
    /// `first`: the number, among all creations in the unwound code of the thread, of the first in the statement.
    Stmt {
        stmt: Stmt,
        first: usize,
    },
    /// A loop whose body has run so often.
    Loop {
        stmt: Stmt,
        first: usize,
        times: usize,
    },
    Store(Variable, i8),
}

/// The remaining items of a thread that has been created and has not ended.
type Pending = Vec<Item>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    variables: [i8; 3],
    /// By number; the next item last.
    threads: Vec<Option<Pending>>,
    /// By thread: its store buffer.
    buffers: Vec<Buffer>,
    exited: bool,
}

impl State {
    /// The value that the thread sees.
    fn value(&self, thread: usize, variable: Variable) -> i8 {
        self.buffers[thread].newest(variable).unwrap_or(self.variables[variable as usize])
    }

    fn arrive(&mut self, (variable, value): (Variable, i8)) {
        self.variables[variable as usize] = value;
    }

    fn drain(&mut self, thread: usize) {
        for store in self.buffers[thread].drain() {
            self.arrive(store);
        }
    }
}

enum Outcome {
    To(State),
    Violation,
}

/// A thread that the unwound program may create.
struct Copy<'a> {
    body: &'a [Stmt],
    /// The number of the first thread that it creates itself.
    first_child: usize,
}

struct Interpreter<'a> {
    model: MemoryModel,
    unwind: usize,
    copies: Vec<Copy<'a>>,
}

/// The bound on schedules.
#[derive(Clone, Copy, Debug)]
enum Turns {
    Rounds(usize),
    Switches(usize),
}

impl<'a> Interpreter<'a> {
    fn new(source: &'a Endless, model: MemoryModel, unwind: usize, threads: usize) -> Interpreter<'a> {
        let mut copies = vec![Copy { body: &source.main, first_child: 1 }];
        let mut at = 0;
        while at < copies.len() {
            copies[at].first_child = copies.len();
            let mut functions = Vec::new();
            created_by(copies[at].body, unwind, &mut functions);
            let room = threads + 1 - copies.len();
            let bodies = functions.into_iter().take(room).map(|function| &source.functions[function][..]);
            copies.extend(bodies.map(|body| Copy { body, first_child: 0 }));
            at += 1;
        }
        Interpreter { model, unwind, copies }
    }

    fn start(&self) -> State {
        let mut threads = vec![None; self.copies.len()];
        threads[0] = Some(self.items(self.copies[0].body, 0));
        let buffers = vec![Buffer::default(); self.copies.len()];
        State { variables: [0; 3], threads, buffers, exited: false }
    }

    /// The next one last.
    fn items(&self, list: &[Stmt], mut first: usize) -> Vec<Item> {
        let item = |stmt: &Stmt| {
            let item = Item::Stmt { stmt: stmt.clone(), first };
            first += creations(std::slice::from_ref(stmt), self.unwind);
            item
        };
        let mut items: Vec<Item> = list.iter().map(item).collect();
        items.reverse();
        items
    }

    /// Is there a violation within the bounds? `None`: too many states.
    fn finds(&self, turns: Turns) -> Option<bool> {
        // Beside the state: who runs; and the rounds or switches so far.
        let start = (self.start(), 0, 0);
        let mut seen = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some((state, running, so_far)) = open.pop() {
            if state.exited {
                continue;
            }
            let mut next: Vec<(State, usize, usize)> = Vec::new();
            for outcome in self.step(&state, running, false) {
                match outcome {
                    Outcome::To(to) => next.push((to, running, so_far)),
                    Outcome::Violation => return Some(true),
                }
            }
            // In rounds, stores arrive in their thread's turn; to let one arrive is no context switch.
            let owners = match turns {
                Turns::Rounds(_) => running..running + 1,
                Turns::Switches(_) => 0..self.copies.len(),
            };
            for owner in owners {
                for (store, left) in state.buffers[owner].flushes(self.model) {
                    let mut flushed = state.clone();
                    flushed.buffers[owner] = left;
                    flushed.arrive(store);
                    next.push((flushed, running, so_far));
                }
            }
            match turns {
                // Main's turn is the last of a round, and the first of all.
                Turns::Rounds(rounds) => {
                    let last = self.copies.len() - 1;
                    match running {
                        0 if so_far == rounds => {}
                        0 => next.push((state.clone(), last.min(1), so_far + 1)),
                        _ if running == last => next.push((state.clone(), 0, so_far)),
                        _ => next.push((state.clone(), running + 1, so_far)),
                    }
                }
                Turns::Switches(switches) if so_far < switches => {
                    let others = (0..self.copies.len()).filter(|other| *other != running);
                    next.extend(others.map(|other| (state.clone(), other, so_far + 1)));
                }
                Turns::Switches(_) => {}
            }
            for state in next {
                if seen.insert(state.clone()) {
                    open.push(state);
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        Some(false)
    }

    /// All that one access of a thread, with all that follows but accesses, may lead to. Nothing, if it goes no
    /// further. `inside`: in a section.
    fn step(&self, before: &State, thread: usize, inside: bool) -> Vec<Outcome> {
        let mut state = before.clone();
        let Some(pending) = &mut state.threads[thread] else { return vec![] };
        let Some(item) = pending.pop() else {
            state.threads[thread] = None;
            state.drain(thread);
            return vec![Outcome::To(state)];
        };
        let store = |mut state: State, variable: Variable, value: i8, release: bool| {
            if self.model.has_buffers() && !inside {
                state.buffers[thread].push(Entry::Store { variable, value, release });
            } else {
                state.arrive((variable, value));
            }
            vec![Outcome::To(state)]
        };
        let (stmt, first, times) = match item {
            Item::Store(variable, value) => return store(state, variable, value, false),
            Item::Stmt { stmt, first } => (stmt, first, 0),
            Item::Loop { stmt, first, times } => (stmt, first, times),
        };
        let value = |variable: Variable| before.value(thread, variable);
        match &stmt {
            Stmt::Set(variable, constant) => return store(state, *variable, *constant, false),
            Stmt::Publish(variable, constant) => return store(state, *variable, *constant, true),
            Stmt::Exchange(variable, constant) => {
                state.drain(thread);
                state.arrive((*variable, *constant));
            }
            Stmt::Fence => state.drain(thread),
            Stmt::Separate if self.model == MemoryModel::Pso => state.buffers[thread].push(Entry::Separator),
            Stmt::Separate => {}
            Stmt::Increment(variable) => {
                let value = value(*variable).wrapping_add(1);
                pending.push(Item::Store(*variable, value));
            }
            Stmt::Check(variable, constant) if value(*variable) == *constant => return vec![Outcome::Violation],
            Stmt::Assume(variable, constant) if value(*variable) == *constant => return vec![],
            Stmt::Wait(variable, constant) if value(*variable) != *constant => return vec![],
            Stmt::Check(..) | Stmt::Assume(..) => {}
            Stmt::Wait(..) => state.drain(thread),
            Stmt::If(variable, constant, body) => {
                if value(*variable) == *constant {
                    pending.extend(self.items(body, first));
                }
            }
            Stmt::While(_) => {
                let goes_on = self.iteration(&state, thread, &stmt, first, times);
                return goes_on.into_iter().chain([Outcome::To(state)]).collect();
            }
            Stmt::Until(variable, constant, _) => {
                if value(*variable) != *constant {
                    return self.iteration(&state, thread, &stmt, first, times).into_iter().collect();
                }
            }
            Stmt::Forever(_) => return self.iteration(&state, thread, &stmt, first, times).into_iter().collect(),
            Stmt::Atomic(body) => return self.section(state, thread, body, first),
            Stmt::Spawn(_) => {
                state.drain(thread);
                let child = self.copies[thread].first_child + first;
                let Some(copy) = self.copies.get(child) else { return vec![] };
                state.threads[child] = Some(self.items(copy.body, 0));
            }
            Stmt::Exit => {
                state.threads[thread] = None;
                state.drain(thread);
            }
            Stmt::ExitProcess => state.exited = true,
            Stmt::Misuse => return vec![],
        }
        vec![Outcome::To(state)]
    }

    /// A loop goes on: its body runs once more, if the bound allows it.
    fn iteration(&self, state: &State, thread: usize, stmt: &Stmt, first: usize, times: usize) -> Option<Outcome> {
        if times == self.unwind {
            return None;
        }
        let mut state = state.clone();
        let body = stmt.inner();
        let items = self.items(body, first + times * creations(body, self.unwind));
        let pending = state.threads[thread].as_mut()?;
        pending.push(Item::Loop { stmt: stmt.clone(), first, times: times + 1 });
        pending.extend(items);
        Some(Outcome::To(state))
    }

    /// The whole section, in all ways. One that is not completed has not happened.
    fn section(&self, mut state: State, thread: usize, body: &[Stmt], first: usize) -> Vec<Outcome> {
        state.drain(thread);
        let Some(pending) = &mut state.threads[thread] else { return vec![] };
        let behind = pending.len();
        pending.extend(self.items(body, first));
        let (mut outcomes, mut open) = (Vec::new(), vec![state]);
        while let Some(state) = open.pop() {
            let is_left = state.threads[thread].as_ref().is_none_or(|pending| pending.len() == behind);
            if is_left || state.exited {
                outcomes.push(Outcome::To(state));
                continue;
            }
            for outcome in self.step(&state, thread, true) {
                match outcome {
                    Outcome::To(next) => open.push(next),
                    Outcome::Violation => outcomes.push(Outcome::Violation),
                }
            }
        }
        outcomes
    }
}

/// The functions of all threads that a list creates when it is unwound, in order.
fn created_by(list: &[Stmt], unwind: usize, functions: &mut Vec<usize>) {
    for stmt in list {
        if let Stmt::Spawn(function) = stmt {
            functions.push(usize::from(*function));
        }
        for _ in 0..if stmt.is_loop() { unwind } else { 1 } {
            created_by(stmt.inner(), unwind, functions);
        }
    }
}

fn creations(list: &[Stmt], unwind: usize) -> usize {
    let mut functions = Vec::new();
    created_by(list, unwind, &mut functions);
    functions.len()
}

/// How many programs were compared, and how many of them were wrong.
#[derive(Default)]
struct Compared {
    programs: Cell<u32>,
    violations: Cell<u32>,
    /// Those among them that go wrong only because stores arrive late.
    late: Cell<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Within {
    unwind: u32,
    threads: u32,
    turns: Turns,
}

impl Within {
    fn task(self) -> Task {
        let (rounds, switches) = match self.turns {
            Turns::Rounds(rounds) => (Some(rounds as u32), None),
            Turns::Switches(switches) => (None, Some(switches as u32)),
        };
        let (unwind, threads) = (Some(self.unwind), Some(self.threads));
        let bounds = Bounds { unwind, threads, rounds, switches, ..Bounds::default() };
        Task { properties: Properties::NONE.with(Property::Assertion), bounds, ..Task::default() }
    }
}

/// Whatever the interpreter finds within the bounds, `find` has to find. Nearly all programs can be compared, and one
/// in twenty goes wrong at least.
fn finds_all(
    model: MemoryModel,
    cases: u32,
    bounds: &[Within],
    find: impl Fn(&Program, &Task) -> Result<Finding, String>,
) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let cases = number("SELVEDGE_CASES").map_or(cases, |cases| cases as u32);
    let compared = Compared::default();
    let check = |source: &Endless| -> Result<(), String> {
        let program = prepare(Program { memory_model: model, ..source.program() });
        for within in bounds {
            let interpreter = Interpreter::new(source, model, within.unwind as usize, within.threads as usize);
            let Some(expected) = interpreter.finds(within.turns) else { continue };
            let task = within.task();
            let finding = find(&program, &task)?;
            conclude(&program, task.properties, finding.clone()).map_err(|error| error.to_string())?;
            let found = matches!(finding, Finding::Violation { .. });
            if expected && !found {
                return Err(format!("{within:?}: there is a violation, but {finding:?}"));
            }
            compared.programs.set(compared.programs.get() + 1);
            compared.violations.set(compared.violations.get() + u32::from(expected));
            if model.has_buffers() && expected {
                let in_order = Interpreter { model: MemoryModel::Sc, ..interpreter }.finds(within.turns);
                compared.late.set(compared.late.get() + u32::from(in_order == Some(false)));
            }
        }
        Ok(())
    };
    let sources = if model.has_buffers() { delayed().boxed() } else { endless().boxed() };
    match runner(number("SELVEDGE_SEED").unwrap_or(0), cases)
        .run(&sources, |source| check(&source).map_err(TestCaseError::fail))
    {
        Ok(()) => {}
        Err(TestError::Fail(why, source)) => panic!("{why}\n{source:?}\n{}", source.text()),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
    let (programs, violations) = (compared.programs.get(), compared.violations.get());
    let late = compared.late.get();
    println!("{}: {programs} comparisons, {violations} violations, {late} of them by late stores", model.name());
    let all = cases * bounds.len() as u32;
    // Shares of a few programs are not meaningful.
    assert!(cases < 40 || programs * 5 >= all * 4, "only {programs} of {all} could be compared");
    assert!(cases < 40 || violations * 20 >= programs, "only {violations} of {programs} go wrong");
    let few = model.has_buffers() && late * 50 < programs;
    assert!(cases < 40 || !few, "only {late} of {programs} go wrong by late stores");
}

const ROUNDS: [Within; 4] = [
    Within { unwind: 1, threads: 2, turns: Turns::Rounds(1) },
    Within { unwind: 2, threads: 2, turns: Turns::Rounds(2) },
    Within { unwind: 1, threads: 3, turns: Turns::Rounds(3) },
    Within { unwind: 3, threads: 1, turns: Turns::Rounds(2) },
];

/// For programs of two threads whose stores arrive late.
const LATE_ROUNDS: [Within; 3] = [
    Within { unwind: 1, threads: 2, turns: Turns::Rounds(1) },
    Within { unwind: 1, threads: 2, turns: Turns::Rounds(2) },
    Within { unwind: 1, threads: 2, turns: Turns::Rounds(3) },
];

const LATE_SWITCHES: [Within; 2] = [
    Within { unwind: 1, threads: 2, turns: Turns::Switches(3) },
    Within { unwind: 1, threads: 2, turns: Turns::Switches(4) },
];

const SWITCHES: [Within; 3] = [
    Within { unwind: 1, threads: 2, turns: Turns::Switches(3) },
    Within { unwind: 2, threads: 2, turns: Turns::Switches(2) },
    Within { unwind: 3, threads: 1, turns: Turns::Switches(2) },
];

const WITH_BUFFERS: [MemoryModel; 2] = [MemoryModel::Tso, MemoryModel::Pso];

#[test]
fn the_lazy_engine_finds_what_a_simple_interpreter_finds() {
    let find = |program: &Program, task: &Task| Ok(Lazy::default().check(program, task, &Control::default()).finding);
    finds_all(MemoryModel::Sc, 1000, &ROUNDS, find);
    WITH_BUFFERS.into_iter().for_each(|model| finds_all(model, 500, &LATE_ROUNDS, find));
}

#[test]
fn the_tree_finds_what_a_simple_interpreter_finds() {
    let find = |program: &Program, task: &Task| Ok(Tree::default().check(program, task, &Control::default()).finding);
    finds_all(MemoryModel::Sc, 1000, &SWITCHES, find);
    WITH_BUFFERS.into_iter().for_each(|model| finds_all(model, 100, &LATE_SWITCHES, find));
}

#[test]
fn swarms_find_what_a_simple_interpreter_finds() {
    let find = |program: &Program, task: &Task| {
        let control = Control::default();
        let bounded = instances::bounded(program, task, &control).map_err(|reason| reason.to_string())?;
        let ground = Ground::new(&bounded, task, Narrowing::Own, &control).map_err(|reason| reason.to_string())?;
        let floor = Floor::new(ground.threads());
        let backend = lazy_runner::Lazy::new(&ground, Reuse::Solver);
        let subject = Subject { program, properties: task.properties, floor: &floor, scope: backend.scope() };
        let options = Options {
            shape: Shape::Uniform { size: 1, shift: 0 },
            tiles: task.bounds.rounds.unwrap_or(1) as usize,
            instances: None,
            instance_time_limit: None,
            jobs: 1,
            seed: 1,
            divide: false,
            keep_going: false,
            portfolio: true,
        };
        let swarmed = swarm(subject, &backend, &options, None, &control, None).map_err(|error| error.to_string())?;
        Ok(swarmed.finding)
    };
    finds_all(MemoryModel::Sc, 300, &ROUNDS[..2], find);
    WITH_BUFFERS.into_iter().for_each(|model| finds_all(model, 150, &LATE_ROUNDS[1..2], find));
}

/// The emitted C, where CBMC is installed.
#[test]
fn cbmc_finds_what_a_simple_interpreter_finds() {
    if !selvedge_requires::cbmc() {
        return;
    }
    let find = |program: &Program, task: &Task| {
        let cbmc = Outside::new(Tool::Cbmc);
        Ok(cbmc.check(program, task, &Control::default()).finding)
    };
    finds_all(MemoryModel::Sc, 40, &ROUNDS[1..2], find);
}
