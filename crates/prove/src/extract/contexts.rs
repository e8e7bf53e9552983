//! Calls, inlined: a context is an activation of a function by the calls that led there, from a thread's start.
//!
//! A point is a place of a thread between two instructions. Points have an order in which everything comes before what
//! follows it, but for edges round a loop: call by call, the place of the outermost loop around, the round of that loop
//! (where it is unrolled), the block and the instruction. So paths that meet again meet before anything behind is
//! looked at.

use crate::system::TemplateId;
use cranelift_entity::{PrimaryMap, entity_impl};
use hashbrown::HashMap;
use selvedge_program::{BlockId, EntityRef, FuncId};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(u32);
entity_impl!(ContextId, "context");

/// An instruction in an activation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Site {
    pub block: BlockId,
    pub index: usize,
    /// How often a loop that is unrolled has been gone round.
    pub round: u32,
}

/// Place of the outermost loop, round, block, instruction.
pub type Position = (u32, u32, u32, u32);

#[derive(Clone, Debug)]
pub struct Context {
    pub template: TemplateId,
    pub function: FuncId,
    pub caller: Option<(ContextId, Site)>,
    /// The positions of the calls that led here.
    pub positions: Vec<Position>,
    /// A thread enters it once at most.
    pub is_once: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    pub context: ContextId,
    pub site: Site,
    /// Atomic sections around it.
    pub depth: u32,
    /// No other thread has been created yet.
    pub alone: bool,
}

type Key = (TemplateId, FuncId, Option<(ContextId, Site)>);

#[derive(Default)]
pub struct Contexts {
    all: PrimaryMap<ContextId, Context>,
    ids: HashMap<Key, ContextId>,
}

impl std::ops::Index<ContextId> for Contexts {
    type Output = Context;

    fn index(&self, id: ContextId) -> &Context {
        &self.all[id]
    }
}

impl Contexts {
    pub fn root(&mut self, template: TemplateId, function: FuncId) -> ContextId {
        self.intern(Context { template, function, caller: None, positions: Vec::new(), is_once: true })
    }

    pub fn enter(
        &mut self,
        caller: ContextId,
        site: Site,
        position: Position,
        is_once: bool,
        function: FuncId,
    ) -> ContextId {
        let outer = &self.all[caller];
        let mut positions = outer.positions.clone();
        positions.push(position);
        let template = outer.template;
        self.intern(Context { template, function, caller: Some((caller, site)), positions, is_once })
    }

    fn intern(&mut self, context: Context) -> ContextId {
        let key = (context.template, context.function, context.caller);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.all.push(context);
        self.ids.insert(key, id);
        id
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// An activation and all that it returns to, the innermost first. With each but the first: the call that it waits
    /// for.
    pub fn chain(&self, id: ContextId) -> impl Iterator<Item = (ContextId, Option<Site>)> + '_ {
        let mut next = Some((id, None));
        std::iter::from_fn(move || {
            let (id, waits) = next?;
            next = self.all[id].caller.map(|(caller, site)| (caller, Some(site)));
            Some((id, waits))
        })
    }

    /// Is the activation `inner` itself, or one that `inner` returns to?
    pub fn is_active(&self, context: ContextId, inner: ContextId) -> bool {
        self.chain(inner).any(|(id, _)| id == context)
    }

    /// The innermost activation that is active in both.
    pub fn common(&self, one: ContextId, other: ContextId) -> Option<ContextId> {
        self.chain(one).map(|(id, _)| id).find(|id| self.is_active(*id, other))
    }

    /// The activation of a function that is active there: at most one is, because those that it calls itself are one
    /// with it.
    pub fn activation(&self, inner: ContextId, function: FuncId) -> Option<ContextId> {
        self.chain(inner).map(|(id, _)| id).find(|id| self.all[*id].function == function)
    }
}

impl Point {
    pub fn start(context: ContextId, depth: u32, alone: bool) -> Point {
        let site = Site { block: BlockId::new(0), index: 0, round: 0 };
        Point { context, site, depth, alone }
    }
}
