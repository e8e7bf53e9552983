//! A program, and the state of it that SPIN is in.

#[cfg(test)]
mod tests;

use crate::buffer::{self, Header, Last, Phase};
use crate::recent::{Moment, Recent};
use crate::ways::{Arrival, Runner, Ways};
use crate::{BOUND, INCOMPLETE, NEEDS, STEP, StopCode};
use selvedge_program::{FuncId, Observer, Observers, Program, Properties, Property, Reason, Violation};
use selvedge_vm::choices::Choices;
use selvedge_vm::expand::{Expander, Stop, members};
use selvedge_vm::watch::{Watch, check_init};
use selvedge_vm::{Code, Machine, Sharing, State, Thread};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The model's own data.
pub struct Driver {
    pub program: PathBuf,
    pub sharing: PathBuf,
    pub properties: String,
    pub max_input_values: u64,
    pub threads: usize,
    pub preemptions: Option<u32>,
    pub several: bool,
}

/// Why the search cannot go on.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    Learnt,
    /// The words that would do, up to here.
    Words(usize),
    Threads(usize),
    Wrong(String),
}

impl From<Reason> for Trouble {
    fn from(reason: Reason) -> Trouble {
        Trouble::Wrong(reason.to_string())
    }
}

impl Trouble {
    pub fn code(&self) -> StopCode {
        match self {
            Trouble::Learnt => StopCode::Learnt,
            Trouble::Words(_) => StopCode::Bytes,
            Trouble::Threads(_) => StopCode::Threads,
            Trouble::Wrong(_) => StopCode::Wrong,
        }
    }

    pub fn lines(&self) -> Vec<String> {
        match self {
            Trouble::Learnt => vec!["threads share more than was known; it is written down: begin anew".to_string()],
            Trouble::Words(words) => vec![
                format!("{NEEDS} {words}"),
                format!("a state takes {} bytes, more than the model tracks: see --state-bytes", 8 * words),
            ],
            Trouble::Threads(threads) => vec![
                format!("{NEEDS} {threads}"),
                format!("there are {threads} threads, more than the model has: see --threads"),
            ],
            Trouble::Wrong(what) => vec![what.clone()],
        }
    }
}

/// SPIN's memory for the state, and for the key under an abstraction.
pub struct Tracked<'a> {
    pub state: &'a mut [u64],
    pub key: Option<&'a mut [u64]>,
}

pub struct Session {
    driver: Driver,
    runner: Runner<'static>,
    observers: Observers,
    recent: Recent,
    /// Did the bound on preemptions cut anything off?
    bitten: bool,
    incomplete: bool,
    /// Are steps told?
    pub retelling: bool,
    /// Lines to be printed.
    pub says: Vec<String>,
}

impl Session {
    /// Reads the program. It stays as long as the process does.
    pub fn new(driver: Driver, state_words: usize) -> Result<Session, Trouble> {
        let properties = properties(&driver.properties)?;
        let program: &'static Program = Box::leak(Box::new(read(&driver.program)?));
        let code = Code::new(program, properties).map_err(|error| Trouble::Wrong(error.to_string()))?;
        let code: &'static Code<'static> = Box::leak(Box::new(code));
        check_init(code)?;
        let mut sharing = read_sharing(&driver.sharing, code)?;
        sharing.frozen = driver.several;
        let observers = program.observers.clone();
        let mut expander = Expander::new(code, sharing, Watch::new(&observers), driver.max_input_values);
        expander.machine.offers_all_flushes = observers.specification.is_some();
        let runner = Runner { expander, keeps_ends: observers.specification.is_some() };
        Ok(Session {
            driver,
            runner,
            observers,
            recent: Recent::new(state_words),
            bitten: false,
            incomplete: false,
            retelling: false,
            says: Vec::new(),
        })
    }

    /// The first state.
    pub fn begin(&mut self, tracked: &mut Tracked<'_>) -> Result<(), Trouble> {
        let code = self.runner.expander.machine.code;
        let first = Machine::new(code, Sharing::everything(), Choices::default(), 0).state;
        self.change_first(tracked, |runner| {
            runner.expander.machine.state = first;
            Ok(())
        })
    }

    /// Changes the first state, before any step. What is learnt here ends no search: there is none yet.
    fn change_first(
        &mut self,
        tracked: &mut Tracked<'_>,
        change: impl FnOnce(&mut Runner<'static>) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        change(&mut self.runner)?;
        let arrival = loop {
            match self.runner.first() {
                Err(Trouble::Learnt) => self.write_learnt()?,
                first => break first?,
            }
        };
        self.write(tracked, &arrival, Last::default())
    }

    pub fn register_invariant(&mut self, name: &str) -> Result<(), Trouble> {
        let function = self.function(name)?;
        if !self.observers.invariants.iter().any(|known| known.function == function) {
            self.observers.invariants.push(Observer { name: name.to_string(), function });
            self.runner.expander.watch = Watch::new(&self.observers);
        }
        Ok(())
    }

    pub fn run_function(&mut self, tracked: &mut Tracked<'_>, name: &str) -> Result<(), Trouble> {
        let function = self.function(name)?;
        let state = self.decode(tracked.state)?.clone();
        let wrong = |does| Trouble::Wrong(format!("`{name}` cannot run before the program: {does}"));
        self.change_first(tracked, |runner| {
            runner.expander.machine.state = state;
            runner.expander.machine.oracle.reset();
            runner.expander.machine.run_function(function).map_err(wrong)
        })
    }

    pub fn start_thread(
        &mut self,
        tracked: &mut Tracked<'_>,
        thread: usize,
        name: &str,
        argument: u64,
    ) -> Result<(), Trouble> {
        let function = self.function(name)?;
        let state = self.decode(tracked.state)?.clone();
        let wrong = |does| Trouble::Wrong(format!("`{name}` cannot begin as thread {thread}: {does}"));
        self.change_first(tracked, |runner| {
            runner.expander.machine.state = state;
            runner.expander.machine.start_thread(thread, function, argument).map_err(wrong)
        })
    }

    /// Do the invariants hold at the start? Not asked if a function of the program is to make it ready first.
    pub fn look(&mut self, tracked: &mut Tracked<'_>) -> Result<(), Trouble> {
        if self.observers.init.is_some() {
            return Ok(());
        }
        self.runner.expander.machine.state = self.decode(tracked.state)?.clone();
        loop {
            match self.runner.expander.broken(0) {
                Err(Stop::Shared) => self.write_learnt()?,
                Ok(None) => return Ok(()),
                Ok(Some(violation)) => return self.fail(tracked, &violation),
                Err(stop) => return Err(stop.into()),
            }
        }
    }

    /// In how many ways can the thread go on?
    pub fn ways(&mut self, state: &[u64], thread: usize) -> Result<usize, Trouble> {
        let ways = self.all_ways(state, thread)?;
        if ways.is_empty() {
            return Ok(0);
        }
        if let Some(most) = self.driver.preemptions {
            let last = Header::of(state).last;
            if last.preemptions >= most && self.preempts(state, thread)? {
                if !std::mem::replace(&mut self.bitten, true) {
                    self.says.push(BOUND.to_string());
                }
                return Ok(0);
            }
        }
        Ok(ways.len())
    }

    /// The thread takes a step. False: something is wrong with it.
    pub fn step(&mut self, tracked: &mut Tracked<'_>, thread: usize, way: usize) -> Result<bool, Trouble> {
        let ways = self.all_ways(tracked.state, thread)?;
        let way = ways.get(way).ok_or_else(|| Trouble::Wrong(format!("thread {thread} has no way {way}")))?;
        if self.retelling {
            let choices: String = way.choices.iter().map(|choice| format!(" {choice}")).collect();
            self.says.push(format!("{STEP} {thread}{choices}"));
        }
        match &way.to {
            Ok(arrival) => {
                let last = self.last(tracked.state, thread, arrival)?;
                self.write(tracked, arrival, last)?;
                Ok(true)
            }
            Err(violation) => {
                self.fail(tracked, violation)?;
                Ok(false)
            }
        }
    }

    /// Does some thread wait for ever, though the process is not over?
    pub fn is_stuck(&mut self, state: &[u64]) -> Result<bool, Trouble> {
        if !Header::of(state).phase.goes_on() {
            return Ok(false);
        }
        let from = self.decode(state)?.clone();
        let mut waiting = Vec::new();
        for thread in members(from.unfinished()) {
            if self.all_ways(state, thread)?.is_empty() {
                let machine = &mut self.runner.expander.machine;
                waiting.extend(machine.waiting(thread, |state| state.clone_from(&from)));
            }
        }
        Ok(from.doomed(&waiting) != 0)
    }

    pub fn end(&self, tracked: &mut Tracked<'_>) {
        if Header::of(tracked.state).phase == Phase::Over {
            tracked.state[0] = Phase::Ended as u64;
            tracked.state[2] |= self.observers.end_bit();
            if let Some(key) = &mut tracked.key {
                key[..buffer::HEADER_WORDS].copy_from_slice(&tracked.state[..buffer::HEADER_WORDS]);
            }
        }
    }

    fn all_ways(&mut self, state: &[u64], thread: usize) -> Result<Ways, Trouble> {
        let header = Header::of(state);
        if !header.phase.goes_on() {
            return Ok(Rc::default());
        }
        let moment = self.recent.at(state).ok_or_else(not_ours)?;
        let Some(known) = moment.ways.get(thread) else { return Ok(Rc::default()) };
        if let Some(ways) = known {
            return Ok(Rc::clone(ways));
        }
        let can_run = !moment.state.threads[thread].is_finished();
        let inside = moment.state.inside_atomic().filter(|inside| *inside != thread);
        // A thread that stopped in the middle of an atomic section goes on, unless it is blocked there.
        let ways = match inside {
            _ if !can_run => Ways::default(),
            Some(inside) if !self.all_ways(state, inside)?.is_empty() => Ways::default(),
            _ => {
                let Moment { state: from, .. } = self.recent.at(state).ok_or_else(not_ours)?;
                match self.runner.run(from, header, thread) {
                    Err(Trouble::Learnt) => {
                        self.write_learnt()?;
                        return Err(Trouble::Learnt);
                    }
                    ways => Ways::new(ways?),
                }
            }
        };
        if let Some(reason) = self.runner.expander.machine.take_obstacle()
            && !std::mem::replace(&mut self.incomplete, true)
        {
            self.says.push(format!("{INCOMPLETE} {reason}"));
        }
        self.recent.at(state).ok_or_else(not_ours)?.ways[thread] = Some(Rc::clone(&ways));
        Ok(ways)
    }

    /// Would it preempt the thread that ran last, which could go on?
    fn preempts(&mut self, state: &[u64], thread: usize) -> Result<bool, Trouble> {
        let last = usize::from(Header::of(state).last.thread);
        if last == thread || self.all_ways(state, last)?.is_empty() {
            return Ok(false);
        }
        let at = self.decode(state)?.threads.get(last).map(Thread::pc);
        Ok(!at.is_some_and(|pc| self.runner.expander.machine.yields_at(pc)))
    }

    fn last(&mut self, state: &[u64], thread: usize, arrival: &Arrival) -> Result<Last, Trouble> {
        if self.driver.preemptions.is_none() || !arrival.phase.goes_on() {
            return Ok(Last::default());
        }
        let more = u32::from(self.preempts(state, thread)?);
        Ok(Last { thread: thread as u8, preemptions: Header::of(state).last.preemptions + more })
    }

    fn decode(&mut self, state: &[u64]) -> Result<&State, Trouble> {
        self.recent.at(state).map(|moment| &moment.state).ok_or_else(not_ours)
    }

    fn write(&mut self, tracked: &mut Tracked<'_>, arrival: &Arrival, last: Last) -> Result<(), Trouble> {
        if arrival.threads > self.driver.threads {
            return Err(Trouble::Threads(arrival.threads));
        }
        let header = Header { phase: arrival.phase, letter: arrival.letter, last };
        buffer::write(tracked.state, header, &arrival.flat).map_err(Trouble::Words)?;
        match &mut tracked.key {
            Some(key) => buffer::write_key(key, tracked.state, &arrival.key).map_err(Trouble::Words),
            None => Ok(()),
        }
    }

    fn fail(&mut self, tracked: &mut Tracked<'_>, violation: &Violation) -> Result<(), Trouble> {
        let at = self.runner.expander.machine.code.program.source.describe(violation.loc);
        self.says.push(format!(
            "violation: {} at {at}, thread {}: {}",
            violation.property.name(),
            violation.thread,
            violation.text
        ));
        let nothing = Arrival { phase: Phase::Failed, letter: 0, flat: Vec::new(), key: Vec::new(), threads: 0 };
        self.write(tracked, &nothing, Last::default())
    }

    /// For the next search, and for this one if it has not begun.
    fn write_learnt(&mut self) -> Result<(), Trouble> {
        let sharing = std::mem::take(&mut self.runner.expander.machine.sharing).widened();
        write_whole(&self.driver.sharing, &sharing.to_text())?;
        self.runner.expander.machine.sharing = sharing;
        Ok(())
    }

    fn function(&self, name: &str) -> Result<FuncId, Trouble> {
        let program = self.runner.expander.machine.code.program;
        program.function_named(name).ok_or_else(|| Trouble::Wrong(format!("the program has no function `{name}`")))
    }
}

fn not_ours() -> Trouble {
    Trouble::Wrong("the tracked state is not one of ours".to_string())
}

fn properties(list: &str) -> Result<Properties, Trouble> {
    let names = list.split(',').filter(|name| !name.is_empty());
    let wrong = |name| Trouble::Wrong(format!("there is no property `{name}`"));
    names.map(|name| Property::from_name(name).ok_or_else(|| wrong(name))).collect()
}

fn read(path: &Path) -> Result<Program, Trouble> {
    let wrong = |error: &dyn std::fmt::Display| Trouble::Wrong(format!("cannot read {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
    selvedge_program::text::parse(&text).map_err(|error| wrong(&error))
}

/// All that is known of sharing; nothing, if there is no such file.
fn read_sharing(path: &Path, code: &Code<'_>) -> Result<Sharing, Trouble> {
    match std::fs::read_to_string(path) {
        Ok(text) => text.parse().map_err(|error| Trouble::Wrong(format!("{}: {error}", path.display()))),
        Err(_) => Ok(Sharing::new(code.layout.initial.len() * 8, code.layout.variable_starts())),
    }
}

/// Other processes see the old file or the new one.
fn write_whole(path: &Path, text: &str) -> Result<(), Trouble> {
    let beside = path.with_extension(format!("{}", std::process::id()));
    std::fs::write(&beside, text)
        .and_then(|()| std::fs::rename(&beside, path))
        .map_err(|error| Trouble::Wrong(format!("cannot write {}: {error}", path.display())))
}
