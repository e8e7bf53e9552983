//! The computation of a thread since it left its location: the condition of its path, and the changes.
//!
//! Where paths meet, their states are merged: values become `ite` over what distinguishes the paths (state merging, as
//! in large-block encoding: Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, FMCAD 2009).

use super::contents::{FreshBlocks, Loaded, merge_fresh};
use super::contexts::{ContextId, Point};
use super::holdings::{Holdings, Words};
use super::objects::ObjectId;
use super::targets::Value;
use super::ways::either;
use crate::system::TemplateId;
use selvedge_formula::{Term, Terms};
use selvedge_program::Reg;
use std::collections::{BTreeMap, BTreeSet};

/// A variable, register or other place with a value while a thread stands somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Var {
    Register(ContextId, Reg),
    /// So many bytes at an offset.
    Cell(ObjectId, u64, u32),
    /// The only thread of this template exists, or has ended.
    Created(TemplateId),
    Ended(TemplateId),
    Number(TemplateId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spawned {
    pub template: TemplateId,
    pub number: Term,
    pub arguments: Vec<(Var, Term)>,
}

#[derive(Clone, Debug, Default)]
pub struct State {
    /// All of these hold.
    pub path: Vec<Term>,
    /// The changes.
    pub changed: BTreeMap<Var, Value>,
    pub spawned: Vec<Spawned>,
    /// It has done something that others may notice, or noticed something that others do.
    pub visible: bool,
    /// It has written something that others may notice.
    pub wrote: bool,
    /// Blocks without variables that it has made.
    pub fresh: FreshBlocks,
    /// What it has read of blocks that nobody writes any more, by address.
    pub loaded: Loaded,
    /// The points where its atomic section may have begun.
    pub sections: BTreeSet<Point>,
    /// What the thread has to itself.
    pub holdings: Holdings,
    /// What its atomic section has done to words.
    pub words: Words,
}

impl State {
    /// Goes on only where `condition` holds. False: it cannot.
    #[must_use]
    pub fn require(&mut self, terms: &mut Terms, condition: Term) -> bool {
        if condition == Terms::TRUE || self.path.contains(&condition) {
            return true;
        }
        let opposite = terms.not(condition);
        if condition == Terms::FALSE || self.path.contains(&opposite) {
            return false;
        }
        self.path.push(condition);
        true
    }

    pub fn guard(&self, terms: &mut Terms) -> Term {
        terms.and_all(self.path.iter().copied())
    }

    pub fn can_merge(&self, other: &State) -> bool {
        self.spawned == other.spawned
    }

    /// Either. `unchanged`: the value of a variable that only one of them has changed.
    pub fn merge(
        mut self,
        other: State,
        terms: &mut Terms,
        mut unchanged: impl FnMut(&mut Terms, Var) -> Value,
    ) -> State {
        let common = self.path.iter().zip(&other.path).take_while(|(a, b)| a == b).count();
        let mine = terms.and_all(self.path[common..].iter().copied());
        let theirs = terms.and_all(other.path[common..].iter().copied());
        let either = either(terms, mine, theirs);
        self.path.truncate(common);
        if either != Terms::TRUE {
            self.path.push(either);
        }
        let mut changed = BTreeMap::new();
        let vars: BTreeSet<Var> = self.changed.keys().chain(other.changed.keys()).copied().collect();
        for var in vars {
            let mut of = |state: &State, terms: &mut Terms| match state.changed.get(&var) {
                Some(value) => value.clone(),
                None => unchanged(terms, var),
            };
            let (a, b) = (of(&self, terms), of(&other, terms));
            changed.insert(var, choose(terms, mine, a, b));
        }
        self.changed = changed;
        self.loaded.retain(|address, value| other.loaded.get(address) == Some(value));
        self.fresh = merge_fresh(self.fresh, other.fresh);
        self.visible |= other.visible;
        self.wrote |= other.wrote;
        self.sections.extend(other.sections);
        self.holdings = self.holdings.common(&other.holdings);
        self.words.merge(other.words);
        self
    }
}

pub fn choose(terms: &mut Terms, condition: Term, a: Value, b: Value) -> Value {
    if condition == Terms::TRUE || a == b {
        return a;
    }
    if condition == Terms::FALSE {
        return b;
    }
    Value { term: terms.ite(condition, a.term, b.term), targets: a.targets.with(&b.targets) }
}
