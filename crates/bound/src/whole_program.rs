//! Whole-program constants, whatever the schedule: which functions can run at all, what pointers to
//! functions may mean, and which bytes of the globals never change.
//!
//! The models carry state for all that a program might do (cancellation, cleanup handlers, destructors of
//! thread-specific data); where it does not do it, that state keeps its initial value, and the code
//! that asks for it folds away.
//!
//! The method is conditional constant propagation (Wegman and Zadeck, 1991) over all functions at
//! once: begin with the entry and the assumption that no global is ever written, follow only branches that
//! can be taken, and take back of the assumption what a reachable store contradicts, until nothing
//! changes. Time and threads do not matter, for a byte counts as constant only if no reachable
//! operation at all writes something else there.
//!
//! Pointers are followed through registers, calls and globals ([`crate::value`]); one that is stored
//! elsewhere has escaped, and is what any pointer may be of which nothing is known. That an integer which is no
//! address becomes one of a global by accident is left out.

use crate::transfer::Transfer;
use crate::value::{Escaped, Value};
use crate::written::{Written, initial, inside};
use selvedge_program::liveness::Liveness;
use selvedge_program::{BlockId, FuncId, GlobalId, Operand, Program, Ty};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An operation of the program.
pub type Site = (FuncId, BlockId, u32);

/// The targets of calls through pointers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Targets {
    pub functions: BTreeSet<FuncId>,
    /// The pointer may be any that escaped.
    pub open: bool,
    /// It may be a number, and nothing that was computed from an address.
    pub made_up: bool,
}

/// A function that is called.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// The values that its parameters may have.
    pub params: Vec<Value>,
    /// The values that it may return, if it returns.
    pub returns: Option<Vec<Value>>,
    pub callers: BTreeSet<FuncId>,
}

pub struct WholeProgram {
    /// The thread-locals, in order.
    pub thread_locals: Vec<GlobalId>,
    /// Functions whose address is used other than to call them.
    named: BTreeSet<FuncId>,
    facts: Facts,
}

/// All that grows while the program is explored.
#[derive(Default)]
pub struct Facts {
    pub reached: BTreeMap<FuncId, Summary>,
    /// Functions to be looked at again.
    pub dirty: BTreeSet<FuncId>,
    pub written: Written,
    pub escaped: Escaped,
    /// Is there a store through a pointer of which nothing is known?
    pub wild_store: bool,
    pub targets: BTreeMap<Site, Targets>,
    /// By the places that ask for another thread's copy: of which thread-local, if that is certain.
    pub copied: BTreeMap<Site, Option<GlobalId>>,
    /// Liveness of the functions that were looked at.
    pub liveness: BTreeMap<FuncId, Rc<Liveness>>,
    /// Pointers that are stored in a global; it holds no others unless it is open.
    pub contents: BTreeMap<GlobalId, Value>,
    /// Globals that are copied, or read in other ways than pointer by pointer. Those that escaped are open too.
    pub open: BTreeSet<GlobalId>,
    /// Globals that reachable code mentions.
    pub mentioned: BTreeSet<GlobalId>,
}

impl WholeProgram {
    pub fn new(program: &Program) -> WholeProgram {
        let mut facts = Facts::default();
        facts.enter(program.entry, vec![], None);
        while let Some(function) = facts.next() {
            Transfer::new(program, &mut facts, function).run();
        }
        let thread_locals = program.globals.iter().filter(|(_, g)| g.thread_local).map(|(id, _)| id).collect();
        let named = named_functions(program, &facts);
        WholeProgram { thread_locals, named, facts }
    }

    /// The functions that a pointer may mean which is called, or given to a new thread, here.
    pub fn targets(&self, site: Site) -> BTreeSet<FuncId> {
        let mut functions = BTreeSet::new();
        let targets = self.facts.targets.get(&site);
        functions.extend(targets.iter().flat_map(|targets| &targets.functions));
        if targets.is_none_or(|targets| targets.open) {
            functions.extend(&self.facts.escaped.functions);
        }
        functions
    }

    /// Functions that are none of [`WholeProgram::targets`], but whose address a pointer that is called here may be by
    /// chance.
    pub fn by_chance(&self, site: Site) -> BTreeSet<FuncId> {
        let is_certain = self.facts.targets.get(&site).is_some_and(|targets| !targets.open && !targets.made_up);
        if is_certain { BTreeSet::new() } else { &self.named - &self.targets(site) }
    }

    /// The thread-local of which another thread's copy is asked for here.
    pub fn copied(&self, site: Site) -> Option<GlobalId> {
        self.facts.copied.get(&site).copied().flatten()
    }

    /// The value of a load from bytes of a global that never change.
    pub fn load(&self, program: &Program, id: GlobalId, offset: i64, ty: Ty) -> Option<Operand> {
        self.facts.load(program, id, offset, ty)
    }
}

fn named_functions(program: &Program, facts: &Facts) -> BTreeSet<FuncId> {
    let mut named = BTreeSet::new();
    let mut note = |operand: Operand| {
        if let Operand::Func(id) = operand {
            named.insert(id);
        }
    };
    for id in facts.reached.keys() {
        for block in program.functions[*id].blocks.values() {
            block.insts.iter().for_each(|inst| inst.op.for_each_use(&mut note));
            block.term.for_each_use(&mut note);
        }
    }
    for id in &facts.mentioned {
        program.globals[*id].relocations.iter().for_each(|relocation| note(relocation.target));
    }
    named
}

impl Facts {
    /// A function to look at. All of them again, if there is none but less is constant than before.
    fn next(&mut self) -> Option<FuncId> {
        if self.dirty.is_empty() && std::mem::take(&mut self.written.grew) | std::mem::take(&mut self.escaped.grew) {
            self.dirty.extend(self.reached.keys());
            for id in self.open.union(&self.escaped.globals.clone()) {
                self.contents.get(id).into_iter().for_each(|value| self.escaped.add(value));
            }
        }
        self.dirty.pop_first()
    }

    /// The function may be called with these arguments, as its parameters see them.
    pub fn enter(&mut self, function: FuncId, params: Vec<Value>, caller: Option<FuncId>) {
        let Some(summary) = self.reached.get_mut(&function) else {
            let callers = caller.into_iter().collect();
            self.reached.insert(function, Summary { params, returns: None, callers });
            self.dirty.insert(function);
            return;
        };
        summary.callers.extend(caller);
        for (mine, new) in summary.params.iter_mut().zip(&params) {
            if mine.join(new, &mut self.escaped) {
                self.dirty.insert(function);
            }
        }
    }

    /// The function may return these.
    pub fn leave(&mut self, function: FuncId, values: Vec<Value>) {
        let Some(summary) = self.reached.get_mut(&function) else { return };
        let changed = match &mut summary.returns {
            None => {
                summary.returns = Some(values);
                true
            }
            Some(known) => {
                let pairs = known.iter_mut().zip(&values);
                pairs.fold(false, |changed, (mine, new)| mine.join(new, &mut self.escaped) | changed)
            }
        };
        if changed {
            self.dirty.extend(&summary.callers);
        }
    }

    pub fn load(&self, program: &Program, id: GlobalId, offset: i64, ty: Ty) -> Option<Operand> {
        let global = program.globals.get(id)?;
        let bytes = inside(global, offset, u64::from(ty.bytes(program.data_model)))?;
        let constant = global.constant
            || !(self.written.touches(id, bytes.clone()) || self.wild_store && self.escaped.globals.contains(&id));
        if constant { initial(program, global, bytes, ty) } else { None }
    }

    /// Can what it holds be read by pointers or in ways that are not followed?
    fn is_open(&self, id: GlobalId) -> bool {
        self.open.contains(&id) || self.escaped.globals.contains(&id)
    }

    pub fn open(&mut self, id: GlobalId) {
        self.escaped.grew |= self.open.insert(id);
    }

    /// The value comes into the global, at any place.
    pub fn put(&mut self, id: GlobalId, value: &Value) {
        if self.is_open(id) {
            self.escaped.add(value);
        }
        let contents = self.contents.entry(id).or_insert_with(Value::number);
        self.escaped.grew |= contents.join(value, &mut self.escaped);
    }

    /// A pointer that is read from the global, at any place.
    pub fn get(&mut self, program: &Program, id: GlobalId) -> Value {
        if self.is_open(id) {
            return Value::Anything;
        }
        let mut value = self.contents.get(&id).cloned().unwrap_or_else(Value::number);
        for relocation in &program.globals[id].relocations {
            value.join(&Value::of(relocation.target), &mut self.escaped);
        }
        value
    }

    pub fn store_anywhere(&mut self) {
        // Whatever escaped is written from now on.
        self.escaped.grew |= !self.wild_store;
        self.wild_store = true;
    }
}
