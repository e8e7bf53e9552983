//! The reach of a search's runs: threads, functions, lines, and how runs ended.
//!
//! Code that no run reached was not checked, however complete the search was.

use crate::ir::{Block, BlockId, Callee, FuncId, Function, Inst, Intrinsic, Op, Origin, Program};
use crate::source::{FileId, Loc};
use crate::task::Property;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The threads, functions and lines that runs reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// Was every run looked at, rather than some at random?
    pub is_exact: bool,
    /// Threads besides main: the most that one run had, or had room for within bounds. `None`: that is not known.
    pub threads: Option<u32>,
    /// Functions that were called.
    pub functions: BTreeSet<FuncId>,
    /// Lines of which something was executed.
    pub lines: BTreeSet<(FileId, u32)>,
    pub ended: RunsEnded,
}

/// How many transitions ended a run, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RunsEnded {
    /// The process ended, or all its threads did.
    pub normally: u64,
    /// It broke an assumption: `__VERIFIER_assume` and its kin.
    pub by_assumption: u64,
    /// At a misuse that is not checked.
    pub by_misuse: u64,
}

impl RunsEnded {
    pub fn add(&mut self, other: RunsEnded) {
        self.normally += other.normally;
        self.by_assumption += other.by_assumption;
        self.by_misuse += other.by_misuse;
    }
}

/// Why a verdict may mean nothing: a warning, which `--strict` takes for an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vacuity {
    /// The program creates threads, but no run got there: to this call, for instance.
    NoThread { at: String },
    /// The program has assertions, but no run got to one, or created a thread.
    NoAssertion { at: String },
}

impl fmt::Display for Vacuity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Vacuity::NoThread { at } => write!(f, "no thread was created: no run got to {at}"),
            Vacuity::NoAssertion { at } => write!(f, "nothing was asserted: no run got to {at}"),
        }
    }
}

/// A function of the program's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionReached<'p> {
    pub name: &'p str,
    pub loc: Loc,
    pub is_reached: bool,
}

impl Reach {
    /// The lines of the program's own functions, and whether they were reached.
    pub fn lines_of<'p>(&self, program: &'p Program) -> BTreeMap<&'p str, BTreeMap<u32, bool>> {
        let mut lines: BTreeMap<&str, BTreeMap<u32, bool>> = BTreeMap::new();
        for loc in own_functions(program).flat_map(|(_, function)| locations(function)) {
            if let Some(file) = program.source.files.get(loc.file) {
                let is_reached = self.lines.contains(&(loc.file, loc.line));
                lines.entry(file).or_default().insert(loc.line, is_reached);
            }
        }
        lines
    }

    pub fn functions_of<'p>(&self, program: &'p Program) -> Vec<FunctionReached<'p>> {
        let reached = own_functions(program).map(|(id, function)| FunctionReached {
            name: &function.name,
            loc: function.loc,
            is_reached: self.functions.contains(&id),
        });
        reached.collect()
    }

    /// Did all runs miss what the program is about?
    pub fn vacuity(&self, program: &Program) -> Option<Vacuity> {
        if self.threads != Some(0) {
            return None;
        }
        let spawns = |op: &Op| matches!(op, Op::Intrinsic { which: Intrinsic::Spawn, .. });
        if let Some(first) = places(program, &spawns).first() {
            return Some(Vacuity::NoThread { at: first.describe(program) });
        }
        let asserts = |op: &Op| matches!(op, Op::Violation { property: Property::Assertion, .. });
        let assertions = places(program, &asserts);
        let reached = |loc: &Loc| self.lines.contains(&(loc.file, loc.line));
        let is_missed = |place: &Place<'_>| !place.tested_at.is_empty() && !place.tested_at.iter().any(reached);
        match assertions.first() {
            Some(first) if self.is_exact && assertions.iter().all(is_missed) => {
                Some(Vacuity::NoAssertion { at: first.describe(program) })
            }
            _ => None,
        }
    }
}

/// A place at which the program itself, or a model that it calls, does something.
struct Place<'p> {
    /// The model.
    callee: Option<&'p str>,
    loc: Loc,
    /// The decision whether that happens: the call of a model, or the branches before an operation.
    tested_at: Vec<Loc>,
}

impl Place<'_> {
    fn describe(&self, program: &Program) -> String {
        let at = program.source.describe(self.loc);
        self.callee.map_or(format!("the assertion at {at}"), |callee| format!("{callee} at {at}"))
    }
}

/// All places where one of these operations is done.
fn places<'p>(program: &'p Program, is_it: &dyn Fn(&Op) -> bool) -> Vec<Place<'p>> {
    let models = models_that(program, is_it);
    let mut found = Vec::new();
    for (_, function) in own_functions(program) {
        for (id, block) in &function.blocks {
            for inst in block.insts.iter().filter(|inst| inst.loc.is_known()) {
                let callee = called(&inst.op).filter(|callee| models.contains(callee));
                if callee.is_none() && !is_it(&inst.op) {
                    continue;
                }
                let tested_at = match callee {
                    Some(_) => vec![inst.loc],
                    None => branches_to(function, id),
                };
                let callee = callee.map(|callee| program.functions[callee].name.as_str());
                found.push(Place { callee, loc: inst.loc, tested_at });
            }
        }
    }
    found
}

/// Models that do one of these operations, or call one that does.
fn models_that(program: &Program, is_it: &dyn Fn(&Op) -> bool) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (id, model) in program.functions.iter().filter(|(_, function)| function.origin == Origin::Model) {
            let does = |inst: &Inst| is_it(&inst.op) || called(&inst.op).is_some_and(|callee| found.contains(&callee));
            // The entry calls main, which is not a model.
            if id != program.entry && model.blocks.values().any(|block| block.insts.iter().any(does)) {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn called(op: &Op) -> Option<FuncId> {
    match op {
        Op::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
        _ => None,
    }
}

fn branches_to(function: &Function, to: BlockId) -> Vec<Loc> {
    let leads_there = |block: &&Block| block.term.successors().contains(&to);
    function.blocks.values().filter(leads_there).map(|block| block.loc).filter(|loc| loc.is_known()).collect()
}

fn own_functions(program: &Program) -> impl Iterator<Item = (FuncId, &Function)> {
    program.functions.iter().filter(|(_, function)| function.origin == Origin::User)
}

fn locations(function: &Function) -> impl Iterator<Item = Loc> {
    let insts = function.blocks.values().flat_map(|block| block.insts.iter().map(|inst| inst.loc).chain([block.loc]));
    insts.filter(|loc| loc.is_known())
}
