//! Accesses that threads are about to make, where data races are asked about ([`crate::races`]).
//!
//! Every access that may race is something that others can notice, so a thread stops before it unless it is the first
//! such thing since the thread stood still: then nothing that matters lies between the location and the access.
//! Accesses inside an atomic section belong to the location before the section, and are atomic.
//!
//! Left out are accesses of a thread that is alone, or to what only one thread can reach; to what models keep for
//! themselves; and those of which the user does not want to hear.
//!
//! While threads are walked through, it is noted which calls create them, who writes into which object, and who shows
//! pointers to others: that decides in the end what the loops of `pools` tell about an access.

use super::contexts::{ContextId, Point};
use super::holdings::Protected;
use super::objects::{Home, ObjectId, Origin};
use super::pools::{Apart as Counting, Argument, Place, Pool, given_block, pools};
use super::state::{State, Var};
use super::targets::{Offset, Value};
use super::{Accesses, Extraction};
use crate::races::{Access, Apart};
use crate::system::{Instances, LocationId, TemplateId};
use hashbrown::{HashMap, HashSet};
use selvedge_formula::Term;
use selvedge_program::{
    Accesses as Kind, DataAccess, EntityRef, FuncId, Op, Operand, Origin as Written, Property, Reg,
};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The place of the thread's argument among the parameters of the models' start functions.
const ARGUMENT: usize = 1;

/// How many bytes, and whether they are read or written.
#[derive(Clone, Copy)]
pub struct Touch {
    /// None: not known.
    pub bytes: Option<u64>,
    pub writes: bool,
}

/// A pool of threads, by the activation that creates it and its number in the function.
type PoolId = (ContextId, usize);

/// A call that makes blocks, in an activation.
type Gift = (ContextId, Place);

/// An access, and what its place says of pools.
pub struct Noted {
    access: Access,
    /// Those behind which it is made.
    behind: Vec<PoolId>,
    /// Those of which no living thread has this argument, and whether that relies on their handles.
    vacant: Vec<(PoolId, Term, bool)>,
    /// The locks under which it may be made.
    locks: Protected,
}

/// So many bytes are written, by the creation of a thread in a pool or by something else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Write {
    by: Option<PoolId>,
    at: Offset,
    /// None: not known.
    bytes: Option<u64>,
}

impl Write {
    fn meets(&self, other: &Write) -> bool {
        match (self.bytes, other.bytes) {
            (Some(mine), Some(others)) => self.at.meets(mine, other.at, others),
            (None, _) | (_, None) => true,
        }
    }
}

/// Facts about calls and objects that tell what is known of threads in pools.
#[derive(Default)]
pub struct Notes {
    accesses: Vec<Noted>,
    /// The pools of functions.
    pools: HashMap<FuncId, Rc<Vec<Pool>>>,
    /// The pools that threads of a template come from; none: one of them comes from elsewhere.
    creators: HashMap<TemplateId, BTreeSet<Option<PoolId>>>,
    /// The origins of blocks that threads of a template are given for themselves; none: one of them gets something else.
    gifts: HashMap<TemplateId, BTreeSet<Option<Gift>>>,
    /// The writes into an object while there are several threads.
    writes: HashMap<ObjectId, BTreeSet<Write>>,
    /// Objects to which a pointer is, or was, in memory that others may read.
    published: HashSet<ObjectId>,
}

impl Notes {
    /// A new round: only what is noted in the last one counts. A pointer that was shown once may have been followed.
    pub fn begin(&mut self) {
        self.accesses.clear();
        self.creators.clear();
        self.gifts.clear();
        self.writes.clear();
    }
}

impl Extraction<'_> {
    pub fn asks_for_races(&self) -> bool {
        self.properties.contains(Property::Race)
    }

    /// May an access there race, though no variable tells? The thread has to stop before.
    pub fn may_race_unseen(&self, addr: &Value, point: Point, writes: bool) -> bool {
        let template = self.contexts[point.context].template;
        self.asks_for_races()
            && !point.alone
            && addr.targets.objects().into_iter().any(|object| {
                let is_touched = self.touched.get(&object).is_some_and(|by| self.conflicts(by, template, writes));
                let is_unknown = self.objects[object].home() == Home::Unknown || self.is_clobbered(object);
                self.may_race_in(object) && (is_touched || is_unknown)
            })
    }

    /// Bytes are accessed that need not be in any cell: freed, copied, or looked at by a model.
    pub fn touch_bytes(&mut self, pointer: &Value, point: Point, writes: bool) {
        if !self.asks_for_races() || point.alone {
            return;
        }
        let template = self.contexts[point.context].template;
        for object in pointer.targets.objects() {
            self.note_foreign(object, template);
            let own = self.touched.entry(object).or_default().entry(template).or_default();
            let new = Accesses { reads: own.reads | !writes, writes: own.writes | writes };
            self.changed |= *own != new;
            *own = new;
        }
    }

    /// The thread is about to make an access.
    pub fn note_access(&mut self, point: Point, state: &State, addr: &Value, Touch { bytes, writes }: Touch) {
        if !self.asks_for_races() || point.alone {
            return;
        }
        let how = self.op_at(point).map_or(Kind::Plain, Op::data_access);
        let atomic = point.depth > 0 || how == Kind::Atomic;
        let loc = self.user_loc(point);
        let targets: Vec<(ObjectId, Offset)> = addr.targets.iter().collect();
        for (object, offset) in targets {
            if !self.may_race_in(object) || self.is_ignored(object, loc) {
                continue;
            }
            let known = &self.objects[object];
            let has_address = known.has_address() || matches!(known.origin, Origin::Heap(..));
            let address = has_address.then_some(addr.term);
            let locks = self.locks_until(state, addr.term);
            let condition = state.guard(&mut self.terms);
            let (template, from) = self.standing;
            let access = DataAccess { writes, atomic };
            let at = (template, LocationId::new(from));
            let object = object.as_u32();
            let access = Access {
                at,
                condition,
                object,
                offset,
                address,
                bytes,
                access,
                loc,
                ended: Vec::new(),
                apart: Vec::new(),
                protectors: Vec::new(),
            };
            let (behind, vacant) = (self.pools_behind(point), self.vacant_rounds(point, state));
            self.notes.accesses.push(Noted { access, behind, vacant, locks });
        }
    }

    /// The whole objects are freed.
    pub fn note_free(&mut self, point: Point, state: &State, pointer: &Value) {
        let objects = pointer.targets.objects();
        let all: Vec<Value> = objects
            .into_iter()
            .map(|object| Value { term: pointer.term, targets: super::Targets::at(object, 0).indexed(1, None) })
            .collect();
        all.iter().for_each(|one| self.note_access(point, state, one, Touch { bytes: None, writes: true }));
    }

    fn op_at(&self, point: Point) -> Option<&Op> {
        let function = &self.program.functions[self.contexts[point.context].function];
        function.blocks[point.site.block].insts.get(point.site.index).map(|inst| &inst.op)
    }

    fn is_clobbered(&self, object: ObjectId) -> bool {
        !self.objects[object].clobbered.is_empty()
    }

    /// Can several threads reach it, and is it the user's?
    fn may_race_in(&self, object: ObjectId) -> bool {
        let known = &self.objects[object];
        let is_own = matches!(known.home(), Home::Local(_)) && !self.is_clobbered(object)
            || known.home() == Home::Unknown && known.owner.is_some() && !known.escaped && !known.foreign;
        self.is_of_user(object) && !is_own
    }

    fn is_ignored(&self, object: ObjectId, loc: selvedge_program::Loc) -> bool {
        let variable = match self.objects[object].origin {
            Origin::Global(id) | Origin::ThreadLocal(_, id) | Origin::AnyThreads(_, id) => {
                Some(self.program.globals[id].name.as_str())
            }
            Origin::Function(_) | Origin::Stack(..) | Origin::Heap(..) => None,
        };
        self.program.ignores_race(None, variable, loc)
    }

    /// A pointer is stored where other threads may find it.
    pub fn publish(&mut self, targets: &super::Targets) {
        self.escape(targets);
        let found = if self.asks_for_races() { self.reachable(targets) } else { targets.objects() };
        self.notes.published.extend(found);
    }

    pub fn note_creation(&mut self, point: Point, template: TemplateId) {
        if self.asks_for_races() {
            let pool = self.pool_around(point);
            self.notes.creators.entry(template).or_default().insert(pool);
            let gift = self.gift_around(point);
            self.notes.gifts.entry(template).or_default().insert(gift);
        }
    }

    pub fn note_write(&mut self, point: Point, addr: &Value, bytes: Option<u64>) {
        if self.asks_for_races() && !point.alone {
            let by = self.pool_around(point);
            for (object, at) in addr.targets.iter() {
                self.notes.writes.entry(object).or_default().insert(Write { by, at, bytes });
            }
        }
    }

    fn pools_of(&mut self, function: FuncId) -> Rc<Vec<Pool>> {
        if let Some(known) = self.notes.pools.get(&function) {
            return Rc::clone(known);
        }
        let found = match self.program.functions[function].origin {
            Written::User => pools(self.program, function, &self.shape(function)),
            Written::Model => Vec::new(),
        };
        let found = Rc::new(found);
        self.notes.pools.insert(function, Rc::clone(&found));
        found
    }

    /// Is there one activation in the whole run?
    fn is_single(&self, context: ContextId) -> bool {
        let known = &self.contexts[context];
        known.is_once && !self.is_recursive(context) && self.threads[known.template].instances == Instances::Once
    }

    /// The origin of the block that the thread which is being created here is given for itself.
    fn gift_around(&mut self, point: Point) -> Option<Gift> {
        let chain: Vec<_> = self.contexts.chain(point.context).collect();
        chain.into_iter().find_map(|(context, waits)| {
            let call = waits.filter(|_| !self.is_recursive(context))?;
            let function = self.contexts[context].function;
            let shape = self.shape(function);
            let made = given_block(self.program, function, &shape, (call.block, call.index))?;
            Some((context, made))
        })
    }

    /// The pool whose thread is being created here.
    fn pool_around(&mut self, point: Point) -> Option<PoolId> {
        let chain: Vec<_> = self.contexts.chain(point.context).collect();
        chain.into_iter().find_map(|(context, waits)| {
            let call = waits.filter(|_| self.is_single(context))?;
            let pools = self.pools_of(self.contexts[context].function);
            let number = pools.iter().position(|pool| pool.create == (call.block, call.index))?;
            Some((context, number))
        })
    }

    /// The pools whose threads were joined before a thread gets here, if their handles are still what they were.
    fn pools_behind(&mut self, point: Point) -> Vec<PoolId> {
        let chain: Vec<_> = self.contexts.chain(point.context).collect();
        let mut behind = Vec::new();
        for (context, waits) in chain {
            let site = waits.unwrap_or(point.site);
            if self.is_single(context) {
                let pools = self.pools_of(self.contexts[context].function);
                let numbered = pools.iter().enumerate().filter(|(_, pool)| pool.behind.contains(&site.block));
                behind.extend(numbered.map(|(number, _)| (context, number)));
            }
        }
        behind
    }

    /// Pools of which no living thread belongs to the round of a counter here, and the argument of such a thread.
    fn vacant_rounds(&mut self, point: Point, state: &State) -> Vec<(PoolId, Term, bool)> {
        let chain: Vec<_> = self.contexts.chain(point.context).collect();
        let mut found = Vec::new();
        for (context, waits) in chain {
            if !self.is_single(context) {
                continue;
            }
            let site = waits.unwrap_or(point.site);
            let pools = self.pools_of(self.contexts[context].function);
            for (number, pool) in pools.iter().enumerate() {
                let Argument::Apart(apart) = pool.argument else { continue };
                for vacant in pool.vacant.iter().filter(|vacant| vacant.is_at((site.block, site.index))) {
                    let argument = self.argument_of_round(state, context, vacant.counter, &apart);
                    found.push(((context, number), argument, vacant.relies_on_handles));
                }
            }
        }
        found
    }

    fn argument_of_round(&mut self, state: &State, context: ContextId, counter: Reg, apart: &Counting) -> Term {
        let counter = self.operand(state, context, Operand::Reg(counter)).term;
        let bits = self.space.bits;
        let counter = match (self.terms.bits(counter) < bits, apart.signed) {
            (true, true) => self.terms.sign_extend(counter, bits),
            (true, false) => self.terms.zero_extend(counter, bits),
            (false, _) => self.terms.extract(counter, 0, bits),
        };
        let Some(element) = apart.element else { return counter };
        let base = self.operand(state, context, element.base).term;
        let stride = self.terms.constant(bits, u128::from(element.stride));
        let offset = self.terms.constant(bits, u128::from(element.offset.cast_unsigned()));
        let distance = self.terms.mul(counter, stride);
        let at = self.terms.add(base, distance);
        self.terms.add(at, offset)
    }

    fn pool(&self, (context, number): PoolId) -> &Pool {
        &self.notes.pools[&self.contexts[context].function][number]
    }

    /// Does nobody but the creation of its threads write where their handles are?
    fn keeps_handles(&self, pool: PoolId) -> bool {
        let of_user = self.notes.writes.iter().filter(|(object, _)| self.is_of_user(**object));
        of_user.into_iter().all(|(_, writes)| {
            let handles = writes.iter().filter(|write| write.by == Some(pool));
            let mut others = writes.iter().filter(|write| write.by != Some(pool));
            let handles: Vec<&Write> = handles.collect();
            others.all(|other| !handles.iter().any(|handle| handle.meets(other)))
        })
    }

    /// All accesses, with what pools tell about them.
    pub fn accesses_with_pools(&mut self) -> Vec<Access> {
        let noted = std::mem::take(&mut self.notes.accesses);
        let templates: Vec<TemplateId> = self.threads.keys().collect();
        let apart: HashMap<TemplateId, Apart> =
            templates.iter().filter_map(|template| Some((*template, self.arguments_apart(*template)?))).collect();
        let owned: HashSet<u32> =
            templates.iter().flat_map(|template| self.owned_by_threads(*template)).map(ObjectId::as_u32).collect();
        let is_left = |noted: &Noted| !owned.contains(&noted.access.object);
        let with_pools = |Noted { access, behind, vacant, locks }: Noted| {
            let is_joined = |pool: &Option<PoolId>| pool.is_some_and(|p| behind.contains(&p) && self.keeps_handles(p));
            let has_ended = |template: &TemplateId| {
                self.notes.creators.get(template).is_some_and(|pools| pools.iter().all(is_joined))
            };
            let ended = templates.iter().copied().filter(has_ended).collect();
            let in_rounds = vacant.into_iter().filter_map(|(pool, argument, relies_on_handles)| {
                let is_sure = !relies_on_handles || self.keeps_handles(pool);
                let from = *templates.iter().find(|template| self.only_pool(**template) == Some(pool))?;
                let known = apart.get(&from).filter(|_| is_sure)?;
                Some(Apart { argument, ..*known })
            });
            let apart = apart.get(&access.at.0).copied().into_iter().chain(in_rounds).collect();
            let protectors = self.protectors(locks);
            Access { ended, apart, protectors, ..access }
        };
        noted.into_iter().filter(is_left).map(with_pools).collect()
    }

    /// The only pool from which all threads of a template come.
    fn only_pool(&self, template: TemplateId) -> Option<PoolId> {
        let mut pools = self.notes.creators.get(&template)?.iter();
        let (Some(pool), None) = (pools.next()?, pools.next()) else { return None };
        Some(*pool)
    }

    /// The variable that holds a thread's argument from its beginning to its end.
    fn argument(&self, template: TemplateId) -> Option<Var> {
        let thread = &self.threads[template];
        let function = &self.program.functions[thread.function];
        let argument = *function.params.get(ARGUMENT)?;
        let is_assigned = |reg: Reg| {
            let mut insts = function.blocks.values().flat_map(|block| &block.insts);
            insts.any(|inst| inst.op.defs().contains(&reg))
        };
        let is_kept = !is_assigned(argument) && !self.is_recursive(thread.root);
        is_kept.then_some(Var::Register(thread.root, argument))
    }

    fn arguments_apart(&mut self, template: TemplateId) -> Option<Apart> {
        let Argument::Apart(apart) = self.pool(self.only_pool(template)?).argument else { return None };
        let argument = self.argument(template)?;
        let argument = self.variable(argument)[0];
        Some(Apart { from: template, argument, least: apart.least, most: apart.most })
    }

    /// Blocks of the heap of which each thread of a template has one for itself.
    fn owned_by_threads(&self, template: TemplateId) -> Vec<ObjectId> {
        let gifts: Option<Vec<Gift>> =
            self.notes.gifts.get(&template).and_then(|gifts| gifts.iter().copied().collect());
        let is_given_to = |template: TemplateId, object: ObjectId| {
            let argument = self.argument(template).and_then(|argument| self.known.get(&argument));
            argument.is_some_and(|known| known.targets.objects().contains(&object))
        };
        let is_owned = |object: &ObjectId| {
            let Origin::Heap(innermost, _) = self.objects[*object].origin else { return false };
            let is_made_by = |(context, made): &Gift| {
                let is_call = |site: super::contexts::Site| (site.block, site.index) == *made;
                self.contexts.chain(innermost).any(|(other, waits)| other == *context && waits.is_some_and(is_call))
            };
            let others = self.threads.keys().filter(|other| *other != template);
            gifts.iter().flatten().any(is_made_by)
                && !self.notes.published.contains(object)
                && is_given_to(template, *object)
                && others.into_iter().all(|other| !is_given_to(other, *object))
        };
        self.objects.keys().filter(is_owned).collect()
    }

    fn is_of_user(&self, object: ObjectId) -> bool {
        match self.objects[object].origin {
            Origin::Function(_) => false,
            Origin::Global(id) | Origin::ThreadLocal(_, id) | Origin::AnyThreads(_, id) => {
                self.program.globals[id].origin == Written::User
            }
            Origin::Stack(..) | Origin::Heap(..) => true,
        }
    }

    /// The terms that tell whether accesses from this location race.
    pub fn terms_of_accesses(accesses: &[Access], template: TemplateId) -> Vec<(usize, Term)> {
        let own = accesses.iter().filter(|access| access.at.0 == template);
        own.flat_map(|access| access.terms().map(|term| (access.at.1.index(), term))).collect()
    }
}
