//! The explicit engine against an interpreter that shares no code with it.
//!
//! The interpreter walks over the syntax of scalar programs, one statement of one thread at a time, and visits whatever
//! can be reached. It knows neither the IR, nor the VM, nor any reduction. Under a memory model with store buffers
//! ([`store_buffers`]) every store waits there, and every arrival is a move of its own.

#[path = "reference/store_buffers.rs"]
mod store_buffers;

use selvedge_engine::{Control, Engine, Task};
use selvedge_generate::*;
use selvedge_program::{Finding, MemoryModel, Program, Properties, Property};
use selvedge_search::explicit::Explicit;
use std::collections::{BTreeSet, HashSet};
use store_buffers::Buffer;

/// Something that a thread has yet to do.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Item {
    Stmt(Stmt),
    Unlock(u8),
    Spawn(usize),
    /// Wait for the thread's own child with this number.
    Join(usize),
    ProcessExit,
    ThreadExit,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    /// The next one last.
    pending: Vec<Item>,
    registers: [i32; 3],
    own: i32,
    children: Vec<usize>,
    alive: bool,
    buffer: Buffer,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    x: i32,
    y: i32,
    c: i8,
    array: [i8; 4],
    locks: [u8; 2],
    threads: Vec<Thread>,
}

enum Outcome {
    To(State),
    Exit(State),
    /// It waits for this thread, or for anybody.
    Blocked(Option<usize>),
    Infeasible,
    Violation(Property),
}

struct Interpreter<'a> {
    source: &'a Source,
    properties: Properties,
    model: MemoryModel,
}

/// The violations and the final values that can be reached.
#[derive(Default, PartialEq, Eq, Debug)]
struct Reached {
    violations: BTreeSet<Property>,
    finals: BTreeSet<Vec<u64>>,
}

fn items(list: &[Stmt]) -> impl DoubleEndedIterator<Item = Item> + '_ {
    list.iter().cloned().map(Item::Stmt)
}

fn compare(op: Comparison, a: i32, b: i32) -> bool {
    match op {
        Comparison::Eq => a == b,
        Comparison::Ne => a != b,
        Comparison::Slt => a < b,
        Comparison::Sge => a >= b,
        Comparison::Ult => (a as u32) < b as u32,
    }
}

impl Thread {
    fn new(todo: Vec<Item>) -> Thread {
        let pending = todo.into_iter().rev().collect();
        Thread { pending, registers: [0; 3], own: 0, children: vec![], alive: true, buffer: Buffer::default() }
    }

    fn value(&self, atom: Atom) -> i32 {
        match atom {
            Atom::Constant(value) => i32::from(value),
            Atom::Register(register) => self.registers[usize::from(register)],
        }
    }

    fn holds(&self, condition: Condition) -> bool {
        let left = self.registers[usize::from(condition.left)];
        compare(condition.comparison, left, self.value(condition.right))
    }
}

impl State {
    fn index(&self, thread: usize, index: Index) -> Option<usize> {
        let register = |r: Register| self.threads[thread].registers[usize::from(r)];
        let index = match index {
            Index::Constant(index) => i32::from(index),
            Index::Masked(r) => register(r) & 3,
            Index::Raw(r) => register(r),
        };
        usize::try_from(index).ok().filter(|index| *index < self.array.len())
    }

    /// `None`: out of bounds.
    fn read(&self, thread: usize, place: Place) -> Option<i32> {
        if let Some(value) = self.threads[thread].buffer.newest(self.cell(thread, place)?) {
            return Some(value);
        }
        Some(match place {
            Place::X => self.x,
            Place::Y => self.y,
            Place::C => i32::from(self.c),
            Place::Element(index) => i32::from(self.array[self.index(thread, index)?]),
            Place::Own => self.threads[thread].own,
            Place::Heap(_) | Place::Through | Place::Boxed => unreachable!("scalar programs only"),
        })
    }

    fn write(&mut self, thread: usize, place: Place, value: i32) -> Option<()> {
        match place {
            Place::X => self.x = value,
            Place::Y => self.y = value,
            Place::C => self.c = value as i8,
            Place::Element(index) => {
                let index = self.index(thread, index)?;
                self.array[index] = value as i8;
            }
            Place::Own => self.threads[thread].own = value,
            Place::Heap(_) | Place::Through | Place::Boxed => unreachable!("scalar programs only"),
        }
        Some(())
    }

    /// As the engine has them: x, y, then bytes, then the locks, each in a word of 32 bits.
    fn words(&self) -> Vec<u64> {
        let mut bytes = [0; 24];
        bytes[..4].copy_from_slice(&self.x.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.y.to_le_bytes());
        bytes[8] = self.c as u8;
        for (to, from) in bytes[9..].iter_mut().zip(self.array) {
            *to = from as u8;
        }
        (bytes[16], bytes[20]) = (self.locks[0], self.locks[1]);
        bytes.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))).collect()
    }
}

impl Interpreter<'_> {
    fn start(&self) -> State {
        let source = self.source;
        let mut main: Vec<Item> = items(&source.before).collect();
        main.extend((0..source.created_by_main()).map(Item::Spawn));
        main.extend(items(&source.between));
        if source.joins {
            main.extend((0..source.created_by_main()).map(Item::Join));
        }
        main.extend(items(&source.after));
        main.push(if source.end == MainEnd::Process { Item::ProcessExit } else { Item::ThreadExit });
        State { x: 0, y: 0, c: 0, array: [0; 4], locks: [0; 2], threads: vec![Thread::new(main)] }
    }

    fn body(&self, number: usize) -> Vec<Item> {
        let mut body: Vec<Item> = items(&self.source.threads[number]).collect();
        if let Some(nested) = self.source.nested.filter(|_| number == 0 && self.source.nests()) {
            let position = usize::from(nested.position).min(body.len());
            body.insert(position, Item::Spawn(self.source.threads.len() - 1));
            if nested.joins {
                body.push(Item::Join(0));
            }
        }
        body.push(Item::ThreadExit);
        body
    }

    fn reach(&self) -> Reached {
        let mut reached = Reached::default();
        let start = self.start();
        let mut seen = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            for next in store_buffers::arrivals(&state, self.model) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
            let alive: Vec<usize> = (0..state.threads.len()).filter(|t| state.threads[*t].alive).collect();
            if alive.is_empty() {
                reached.finals.insert(state.words());
                continue;
            }
            // By thread: everybody whom it waits for in some way, if it waits in all ways.
            let mut waiting: Vec<Option<Vec<Option<usize>>>> = vec![None; state.threads.len()];
            for thread in alive {
                let mut awaited = Some(Vec::new());
                for outcome in self.step(&state, thread, false) {
                    match (&mut awaited, &outcome) {
                        (Some(awaited), Outcome::Blocked(whom)) => awaited.push(*whom),
                        _ => awaited = None,
                    }
                    match outcome {
                        Outcome::To(next) => {
                            if seen.insert(next.clone()) {
                                open.push(next);
                            }
                        }
                        Outcome::Exit(last) => drop(reached.finals.insert(last.words())),
                        Outcome::Violation(property) => drop(reached.violations.insert(property)),
                        Outcome::Blocked(_) | Outcome::Infeasible => {}
                    }
                }
                waiting[thread] = awaited;
            }
            let is_quiet = state.threads.iter().all(|thread| thread.buffer.is_empty());
            if self.properties.contains(Property::Deadlock) && is_quiet && some_wait_for_ever(&state, waiting) {
                reached.violations.insert(Property::Deadlock);
            }
        }
        reached
    }

    /// All that one statement of `thread` may lead to.
    fn step(&self, before: &State, thread: usize, atomic: bool) -> Vec<Outcome> {
        let mut state = before.clone();
        if let Some(item) = state.threads[thread].pending.last()
            && store_buffers::drains(item)
        {
            store_buffers::drain(&mut state, thread);
        }
        let Some(item) = state.threads[thread].pending.pop() else { return vec![Outcome::Infeasible] };
        match item {
            Item::Unlock(lock) => state.locks[usize::from(lock)] = 0,
            Item::Spawn(number) => {
                let child = state.threads.len();
                state.threads[thread].children.push(child);
                state.threads.push(Thread::new(self.body(number)));
            }
            Item::Join(child) => {
                let child = state.threads[thread].children[child];
                if state.threads[child].alive {
                    return vec![Outcome::Blocked(Some(child).filter(|_| !atomic))];
                }
            }
            Item::ProcessExit => return vec![Outcome::Exit(state)],
            Item::ThreadExit => end(&mut state, thread),
            Item::Stmt(stmt) => return self.stmt(state, thread, stmt, atomic),
        }
        vec![Outcome::To(state)]
    }

    fn stmt(&self, mut state: State, t: usize, stmt: Stmt, atomic: bool) -> Vec<Outcome> {
        let done = match stmt {
            Stmt::Let(r, op, a, b) => {
                let (a, b) = (state.threads[t].value(a), state.threads[t].value(b));
                state.threads[t].registers[usize::from(r)] = match op {
                    Arithmetic::Add => a.wrapping_add(b),
                    Arithmetic::Sub => a.wrapping_sub(b),
                    Arithmetic::Xor => a ^ b,
                    Arithmetic::And => a & b,
                    Arithmetic::Mul => a.wrapping_mul(b),
                };
                Some(())
            }
            Stmt::Load(r, place) => {
                state.read(t, place).map(|value| state.threads[t].registers[usize::from(r)] = value)
            }
            Stmt::Store(place, value) => {
                let value = state.threads[t].value(value);
                self.store(&mut state, t, place, value, None, atomic)
            }
            Stmt::AtomicStore(place, value, order) => {
                let value = state.threads[t].value(value);
                self.store(&mut state, t, place, value, Some(order), atomic)
            }
            Stmt::Fence(Order::Release) => {
                state.threads[t].buffer.separate();
                Some(())
            }
            Stmt::Fence(Order::SeqCst) => Some(()),
            Stmt::Rmw(r, op, place, value) => self.modify(&mut state, t, r, op, place, value),
            Stmt::CmpXchg(r, place, expected, new) => {
                let (mut expected, new) = (state.threads[t].value(expected), state.threads[t].value(new));
                if matches!(place, Place::C | Place::Element(_)) {
                    expected = i32::from(expected as i8);
                }
                state.read(t, place).and_then(|old| {
                    if old == expected {
                        state.write(t, place, new)?;
                    }
                    state.threads[t].registers[usize::from(r)] = i32::from(old == expected);
                    Some(())
                })
            }
            Stmt::If(condition, then, otherwise) => {
                let list = if state.threads[t].holds(condition) { then } else { otherwise };
                state.threads[t].pending.extend(items(&list).rev());
                Some(())
            }
            Stmt::Loop(times, body) => {
                if times > 0 {
                    state.threads[t].pending.push(Item::Stmt(Stmt::Loop(times - 1, body.clone())));
                    state.threads[t].pending.extend(items(&body).rev());
                }
                Some(())
            }
            Stmt::Wait(place, comparison, constant) => match state.read(t, place) {
                Some(value) if !compare(comparison, value, i32::from(constant)) => return vec![Outcome::Blocked(None)],
                _ => Some(()),
            },
            Stmt::Spin { place, comparison, constant, .. } => match state.read(t, place) {
                Some(value) if !compare(comparison, value, i32::from(constant)) => {
                    if atomic {
                        return vec![Outcome::Blocked(None)];
                    }
                    state.threads[t].pending.push(Item::Stmt(stmt));
                    Some(())
                }
                _ => Some(()),
            },
            Stmt::Locked(lock, body) => {
                let owner = usize::from(state.locks[usize::from(lock)]);
                if owner != 0 {
                    return vec![Outcome::Blocked(Some(owner - 1).filter(|_| !atomic))];
                }
                state.locks[usize::from(lock)] = t as u8 + 1;
                state.threads[t].pending.push(Item::Unlock(lock));
                state.threads[t].pending.extend(items(&body).rev());
                Some(())
            }
            Stmt::Atomic(body) => return self.atomic(state, t, &body),
            Stmt::Input(r, Range::Small { low, count }) => {
                return (low..low + count.max(1))
                    .map(|value| {
                        let mut state = state.clone();
                        state.threads[t].registers[usize::from(r)] = i32::from(value);
                        Outcome::To(state)
                    })
                    .collect();
            }
            Stmt::Assume(condition) if !state.threads[t].holds(condition) => return vec![Outcome::Infeasible],
            Stmt::Assert(condition)
                if !state.threads[t].holds(condition) && self.properties.contains(Property::Assertion) =>
            {
                return vec![Outcome::Violation(Property::Assertion)];
            }
            Stmt::Assume(_) | Stmt::Assert(_) | Stmt::Yield => Some(()),
            Stmt::Exit => {
                end(&mut state, t);
                Some(())
            }
            Stmt::Call { .. }
            | Stmt::Input(_, Range::Wide)
            | Stmt::Point(_)
            | Stmt::SetFunction(_)
            | Stmt::Allocate(_)
            | Stmt::Free
            | Stmt::Publish
            | Stmt::Copy { .. } => unreachable!("scalar programs only"),
        };
        vec![match done {
            Some(()) => Outcome::To(state),
            None if self.properties.contains(Property::Memory) => Outcome::Violation(Property::Memory),
            None => Outcome::Infeasible,
        }]
    }

    fn modify(
        &self,
        state: &mut State,
        t: usize,
        register: Register,
        op: Modification,
        place: Place,
        value: Atom,
    ) -> Option<()> {
        let old = state.read(t, place)?;
        let mut value = state.threads[t].value(value);
        if matches!(place, Place::C | Place::Element(_)) {
            value = i32::from(value as i8);
        }
        let new = match op {
            Modification::Exchange => value,
            Modification::Add => old.wrapping_add(value),
            Modification::Sub => old.wrapping_sub(value),
            Modification::Or => old | value,
            Modification::Max => old.max(value),
        };
        state.write(t, place, new)?;
        state.threads[t].registers[usize::from(register)] = old;
        Some(())
    }

    /// The whole section, in all ways.
    fn atomic(&self, mut state: State, t: usize, body: &[Stmt]) -> Vec<Outcome> {
        let behind = state.threads[t].pending.len();
        state.threads[t].pending.extend(items(body).rev());
        let mut outcomes = Vec::new();
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            if !state.threads[t].alive || state.threads[t].pending.len() == behind {
                outcomes.push(Outcome::To(state));
                continue;
            }
            for outcome in self.step(&state, t, true) {
                match outcome {
                    Outcome::To(next) => open.push(next),
                    other => outcomes.push(other),
                }
            }
        }
        outcomes
    }
}

/// Takes away whoever does not wait, or waits for somebody who does not, until nobody is left to take away.
fn some_wait_for_ever(state: &State, mut waiting: Vec<Option<Vec<Option<usize>>>>) -> bool {
    loop {
        let lost = |thread: usize| !state.threads[thread].alive || waiting[thread].is_some();
        let all_lost = (0..waiting.len()).all(lost);
        let in_vain = |whom: &Option<usize>| whom.map_or(all_lost, lost);
        let helped = |awaited: &Option<Vec<_>>| awaited.as_ref().is_some_and(|awaited| !awaited.iter().all(in_vain));
        match waiting.iter().position(helped) {
            Some(thread) => waiting[thread] = None,
            None => return waiting.iter().any(Option::is_some),
        }
    }
}

/// The thread is over; equal ends are equal states.
fn end(state: &mut State, thread: usize) {
    state.threads[thread] = Thread { alive: false, ..Thread::new(vec![]) };
}

fn agrees(source: &Source, tally: &Tally) -> Result<(), String> {
    MemoryModel::ALL.into_iter().try_for_each(|model| agrees_under(model, source, tally))
}

fn agrees_under(model: MemoryModel, source: &Source, tally: &Tally) -> Result<(), String> {
    let program = Program { memory_model: model, ..source.program() };
    for asked in [None, Some(Property::Assertion), Some(Property::Deadlock), Some(Property::Memory)] {
        let inputs = source.any(&|s| matches!(s, Stmt::Input(..)));
        let properties: Properties = asked.into_iter().collect();
        let expected = Interpreter { source, properties, model }.reach();
        for no_reduction in [false, true] {
            let engine = Explicit { no_reduction, ..Explicit::default() };
            let task = Task { properties, ..Task::default() };
            let found = match engine.check(&program, &task, &Control::default()).finding {
                Finding::Violation { violation, .. } => BTreeSet::from([violation.property]),
                Finding::NoneWithin(coverage) if coverage.is_complete() => BTreeSet::new(),
                other => return Err(format!("{other:?}")),
            };
            tally.compared();
            if found != expected.violations {
                return Err(format!(
                    "asked for {asked:?}, {model:?}, no_reduction: {no_reduction}, found {found:?}, expected {:?}",
                    expected.violations
                ));
            }
            // While others run, the reduced search does not stop where nobody sees how far they got.
            let all_over = source.end == MainEnd::Thread || no_reduction;
            // An input that nobody looked at has no value yet, and reads as zero.
            if asked.is_none() && all_over && !inputs {
                let finals = engine.final_globals(&program, &task).ok_or("no finals")?;
                let finals: BTreeSet<Vec<u64>> = finals.into_iter().map(|words| words[..3].to_vec()).collect();
                if finals != expected.finals {
                    return Err(format!(
                        "{model:?}, no_reduction: {no_reduction}, final globals {finals:x?}, expected {:x?}",
                        expected.finals
                    ));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_engine_agrees_with_a_simple_interpreter() {
    let features = Features { spins: trial::spins(), orders: true, ..Features::SCALAR };
    Trial { cases: 40, percent: 100 }.run(features, agrees);
}
