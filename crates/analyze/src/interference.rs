//! The steps that other threads can see.
//!
//! A context switch is needed before a step only if the step does not commute with a step that another
//! thread may take meanwhile. Accesses conflict if they touch the same bytes and one of them writes; a
//! conflict does not count if the two cannot happen in parallel ([`crate::order`]) or if a lock keeps
//! the other thread away ([`crate::locks`]).
//!
//! Besides memory, threads see each other end. Waiting for a thread (`Finished`) is visible unless it has surely ended.
//! Ending only ever lets others go on, so it commutes to the left, and is visible only if a thread asks for it without
//! waiting (`PollFinished`). Ending the process is visible. Creating a thread commutes to the left as well, unless
//! another thread asks whether it exists (`Created`). Under memory models with store buffers, a step that drains is
//! visible if a store may be waiting then ([`crate::buffers`]).
//!
//! Steps are first grouped by everything that matters (object, bytes, thread, locks, threads alive), so that
//! pairs of groups are compared, not pairs of steps.

use crate::accesses::{Access, Accesses};
use crate::buffers::{self, Buffers, Waiting};
use crate::graph::Graph;
use crate::locks::{Held, Locks};
use crate::order::{Order, Uses};
use crate::points_to::PointsTo;
use crate::values::{Values, bit};
use hashbrown::HashMap;
use selvedge_bound::{BlockId, Bounded, StepOp, Terminator};
use selvedge_program::{BufferEffect, EntityRef, GlobalId, Intrinsic, Op, Properties, Purpose};

/// The arguments that may be used to show that a step is invisible. Each of them is sound by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Only accesses that conflict with another thread's are visible.
    pub own: bool,
    /// Steps that cannot run do not count.
    pub dead: bool,
    /// A thread has not begun before it is created.
    pub alone: bool,
    /// A thread has ended once another one has waited for it.
    pub joins: bool,
    /// Locks keep other threads away, and releasing them commutes to the left.
    pub locks: bool,
    /// A store that could wait in a store buffer is made in place where nothing that its thread does before it drains
    /// can tell the difference. A run may need more context switches then, since a thread stops in front of the store
    /// instead.
    pub in_place: bool,
    /// Nothing after a violation of these matters: it will be reported.
    pub checked: Properties,
}

impl Reductions {
    pub const ALL: Reductions = Reductions {
        own: true,
        dead: true,
        alone: true,
        joins: true,
        locks: true,
        in_place: true,
        checked: Properties::NONE,
    };
    /// All that need no more context switches than without them.
    pub const SAME_SWITCHES: Reductions = Reductions { in_place: false, ..Reductions::ALL };
    /// Every access is visible.
    pub const NONE: Reductions = Reductions {
        own: false,
        dead: false,
        alone: false,
        joins: false,
        locks: false,
        in_place: false,
        checked: Properties::NONE,
    };

    #[must_use]
    pub fn checking(self, checked: Properties) -> Reductions {
        Reductions { checked, ..self }
    }

    /// From no reductions to these, adding one at a time. A name completes "31 switch points …".
    pub fn stages(self) -> Vec<(&'static str, Reductions)> {
        let none = Reductions { in_place: self.in_place, ..Reductions::NONE.checking(self.checked) };
        let own = Reductions { own: self.own, ..none };
        let dead = Reductions { dead: self.dead, ..own };
        let alone = Reductions { alone: self.alone, ..dead };
        let joins = Reductions { joins: self.joins, ..alone };
        let locks = Reductions { locks: self.locks, ..joins };
        let mut stages = vec![("at all accesses", none)];
        let more = [
            ("in conflict", own),
            ("that can run", dead),
            ("after creation", alone),
            ("before joins", joins),
            ("not protected by locks", locks),
        ];
        for (name, reductions) in more {
            if stages.last().is_none_or(|(_, before)| *before != reductions) {
                stages.push((name, reductions));
            }
        }
        stages
    }
}

/// The threads that touch an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touched {
    Nobody,
    Only(usize),
    Several,
}

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StepRef {
    pub thread: usize,
    pub block: BlockId,
    pub step: usize,
}

pub struct Interference {
    graphs: Vec<Graph>,
    values: Values,
    order: Order,
    accesses: Accesses,
    locks: Locks,
    /// By thread and position.
    visible: Vec<Vec<bool>>,
    /// For each thread and position, whether there is a visible step before the atomic section ends.
    section: Vec<Vec<bool>>,
    touched: Vec<Touched>,
    buffers: Buffers,
}

impl Interference {
    pub fn new(bounded: &Bounded<'_>, points_to: &PointsTo, reductions: Reductions) -> Interference {
        let graphs: Vec<Graph> = bounded.threads.iter().map(Graph::new).collect();
        let (values, order) = facts(bounded, &graphs, points_to, reductions);
        let accesses = Accesses::new(bounded, &graphs, points_to, &values);
        let locks = if reductions.locks {
            Locks::new(bounded, &graphs, points_to, &values, &accesses, &order)
        } else {
            Locks::none(&graphs)
        };
        let visible = graphs.iter().map(|graph| vec![false; graph.len()]).collect();
        let section = graphs.iter().map(|graph| vec![false; graph.len()]).collect();
        let touched = touched(bounded, &graphs, &accesses);
        let buffers = Buffers::default();
        let mut facts = Interference { graphs, values, order, accesses, locks, visible, section, touched, buffers };
        facts.find_visible_accesses(reductions);
        let Interference { graphs, values, accesses, visible, .. } = &facts;
        facts.buffers = Buffers::new(bounded, graphs, values, accesses, visible, reductions.in_place);
        facts.find_visible_drains(bounded);
        facts.find_visible_ends(bounded);
        facts.find_visible_sections(bounded);
        facts
    }

    /// Whether the effect of this step depends on its order with steps that may happen in parallel. If not, no
    /// context switch is needed right before it.
    pub fn visible(&self, thread: usize, block: BlockId, step: usize) -> bool {
        self.visible[thread][self.position(thread, block, step)]
    }

    /// For a step that begins an outermost atomic section: whether anything in the section is visible, or the section
    /// may not be completed, because it waits, ends its run, or is cut off by a bound. Then everything before it must
    /// be possible without it ([`selvedge_bound::bounded`] has the argument). For any other step: whether this holds of
    /// the rest of its section.
    pub fn section_visible(&self, thread: usize, block: BlockId, step: usize) -> bool {
        self.section[thread][self.position(thread, block, step)]
    }

    /// The accesses of a step; none if it cannot run.
    pub fn accesses(&self, thread: usize, block: BlockId, step: usize) -> &[Access] {
        self.accesses.at(thread, self.position(thread, block, step) as u32)
    }

    /// Whether some run may get to this step (one past the last is the terminator).
    pub fn is_live(&self, thread: usize, block: BlockId, step: usize) -> bool {
        self.values.is_live(thread, block.index(), step)
    }

    /// The integers that operands may be.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Whether two steps of different threads may happen in parallel.
    pub fn parallel(&self, a: StepRef, b: StepRef) -> bool {
        let sees = |a: StepRef, b: StepRef| {
            let alive = self.order.alive(a.thread, self.position(a.thread, a.block, a.step) as u32);
            bit(b.thread) == 0 || alive & bit(b.thread) != 0
        };
        a.thread != b.thread && sees(a, b) && sees(b, a)
    }

    /// The threads with accesses to an object in any run, in parallel or not; creating and ending it count.
    pub fn touched_by(&self, object: GlobalId) -> Touched {
        self.touched[object.index()]
    }

    /// The stores of a thread that may wait in its store buffer, in the order of the code.
    pub fn buffered(&self, thread: usize) -> &[Waiting] {
        self.buffers.stores(thread)
    }

    /// The stores, as numbers of [`Interference::buffered`], that may be waiting right before a step.
    pub fn waiting(&self, thread: usize, block: BlockId, step: usize) -> &[usize] {
        self.buffers.waiting(thread, self.position(thread, block, step))
    }

    /// The number of visible steps.
    pub fn count(&self) -> usize {
        self.visible.iter().flatten().filter(|visible| **visible).count()
    }

    /// The number of visible steps as reductions are added one after another. The first row has none.
    pub fn counts(bounded: &Bounded<'_>, points_to: &PointsTo, reductions: Reductions) -> Vec<(&'static str, usize)> {
        let count = |reductions| Interference::new(bounded, points_to, reductions).count();
        reductions.stages().into_iter().map(|(name, reductions)| (name, count(reductions))).collect()
    }

    fn position(&self, thread: usize, block: BlockId, step: usize) -> usize {
        self.graphs[thread].position(block.index(), step) as usize
    }

    fn find_visible_accesses(&mut self, reductions: Reductions) {
        let mut groups = Groups::default();
        for thread in 0..self.graphs.len() {
            for position in 0..self.graphs[thread].len() as u32 {
                let accesses = self.accesses.at(thread, position);
                if !reductions.own {
                    self.visible[thread][position as usize] = !accesses.is_empty();
                    continue;
                }
                for access in accesses {
                    let held = self.locks.held(thread, position);
                    let alive = self.order.alive(thread, position);
                    groups.add(Group { access: *access, thread, alive, held }, position);
                }
            }
        }
        for (thread, position) in groups.in_conflict() {
            self.visible[thread][position as usize] = true;
        }
    }

    fn find_visible_drains(&mut self, bounded: &Bounded<'_>) {
        let model = bounded.program.memory_model;
        for (number, thread) in bounded.threads.iter().enumerate() {
            for (block, body) in &thread.blocks {
                for (step, body) in body.steps.iter().enumerate() {
                    let position = self.position(number, block, step);
                    let arrives = !self.buffers.waiting(number, position).is_empty();
                    self.visible[number][position] |=
                        arrives && buffers::effect(model, &body.op) == BufferEffect::Drain;
                }
            }
        }
    }

    /// Marks visible ends of threads and of the process.
    fn find_visible_ends(&mut self, bounded: &Bounded<'_>) {
        let several = bounded.threads.len() > 1;
        let asking = |which: Intrinsic| -> Vec<usize> {
            let asks = |thread: &usize| self.has_live(bounded, *thread, |op| op.is(which));
            (0..bounded.threads.len()).filter(asks).collect()
        };
        let (poll, look) = (asking(Intrinsic::PollFinished), asking(Intrinsic::Created));
        for (number, thread) in bounded.threads.iter().enumerate() {
            let polled = poll.iter().any(|other| *other != number);
            let looked_for = look.iter().any(|other| *other != number);
            for (block, body) in &thread.blocks {
                for (step, body) in body.steps.iter().enumerate() {
                    if !self.values.is_live(number, block.index(), step) {
                        continue;
                    }
                    let position = self.position(number, block, step);
                    self.visible[number][position] |= match &body.op {
                        StepOp::Finish { .. } => polled,
                        StepOp::Spawn { .. } => looked_for,
                        StepOp::Plain(Op::Intrinsic { which, args, .. }) => match which.purpose() {
                            Purpose::AsksThread if *which == Intrinsic::Created => several,
                            Purpose::AsksThread => !self.is_over(number, position as u32, args[0]),
                            Purpose::Exits => several,
                            Purpose::Spawns
                            | Purpose::Counts
                            | Purpose::FindsCopy
                            | Purpose::Jumps
                            | Purpose::Marks
                            | Purpose::Requires
                            | Purpose::Allocates
                            | Purpose::Frees
                            | Purpose::AsksObject
                            | Purpose::ChecksAccess => false,
                        },
                        StepOp::Plain(_) | StepOp::Create { .. } | StepOp::End { .. } => false,
                    };
                }
            }
        }
    }

    /// Whether all threads that the number may name have surely ended.
    fn is_over(&self, thread: usize, position: u32, number: selvedge_program::Operand) -> bool {
        let over = self.order.over(thread, position);
        let named = self.values.of(thread, number);
        let threads = self.graphs.len() as u64;
        named.values().is_some_and(|all| all.iter().all(|named| *named >= threads || over & bit(*named as usize) != 0))
    }

    fn has_live(&self, bounded: &Bounded<'_>, thread: usize, what: impl Fn(&StepOp) -> bool) -> bool {
        bounded.threads[thread].blocks.iter().any(|(block, body)| {
            let live = |step: usize| self.values.is_live(thread, block.index(), step);
            body.steps.iter().enumerate().any(|(step, body)| what(&body.op) && live(step))
        })
    }

    /// Finds, going backwards, whether the rest of a section is visible or may not be completed.
    fn find_visible_sections(&mut self, bounded: &Bounded<'_>) {
        for (number, thread) in bounded.threads.iter().enumerate() {
            let depths = depths(thread, &self.graphs[number]);
            for (id, block) in thread.blocks.iter().rev() {
                let graph = &self.graphs[number];
                let ways = self.values.successors(number, block);
                let mut ahead = ways.iter().any(|to| self.section[number][graph.position(*to, 0) as usize]);
                for step in (0..=block.steps.len()).rev() {
                    let position = graph.position(id.index(), step) as usize;
                    // At depth 0 the section has surely ended.
                    if depths[position] == 0 {
                        let begins = block.steps.get(step).is_some_and(|s| s.op.is(Intrinsic::AtomicBegin));
                        ahead &= begins;
                    }
                    let live = self.values.is_live(number, id.index(), step);
                    ahead |= live
                        && match block.steps.get(step) {
                            Some(step) => may_not_complete(&step.op),
                            None => depths[position] > 0 && matches!(block.term, Terminator::Cut(_)),
                        };
                    ahead |= self.visible[number][position];
                    self.section[number][position] = ahead;
                }
            }
        }
    }
}

/// Whether a section may end, or wait for ever, at this step. An unchecked misuse ends it, too, but then the encoder of
/// the step undoes its hidden section: most accesses could be misuse, and few are.
fn may_not_complete(op: &StepOp) -> bool {
    match op {
        StepOp::Plain(op) => op.may_stop(),
        StepOp::Create { .. } | StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => false,
    }
}

/// The steps that can run and the threads alive then, computed together since each helps to find the other.
fn facts(bounded: &Bounded<'_>, graphs: &[Graph], points_to: &PointsTo, reductions: Reductions) -> (Values, Order) {
    let uses = Uses { creation: reductions.alone, joins: reductions.joins };
    let with = |order: Option<&Order>| {
        if reductions.dead {
            Values::new(bounded, graphs, points_to, reductions.checked, order)
        } else {
            Values::unknown(bounded)
        }
    };
    let mut values = with(None);
    let mut order = Order::new(bounded, graphs, &values, uses);
    if reductions.dead && bounded.threads.len() > 1 {
        values = with(Some(&order));
        order = Order::new(bounded, graphs, &values, uses);
    }
    (values, order)
}

/// For each position the maximal depth in atomic sections, so that no section is left too early.
fn depths(thread: &selvedge_bound::Thread, graph: &Graph) -> Vec<u32> {
    let mut at_start = vec![0; thread.blocks.len()];
    let mut depths = vec![0; graph.len()];
    for (id, block) in &thread.blocks {
        let mut depth = at_start[id.index()];
        for (step, body) in block.steps.iter().enumerate() {
            depths[graph.position(id.index(), step) as usize] = depth;
            depth = body.op.nesting(depth);
        }
        depths[graph.position(id.index(), block.steps.len()) as usize] = depth;
        for to in block.term.successors() {
            at_start[to.index()] = at_start[to.index()].max(depth);
        }
    }
    depths
}

fn touched(bounded: &Bounded<'_>, graphs: &[Graph], accesses: &Accesses) -> Vec<Touched> {
    let mut touched = vec![Touched::Nobody; bounded.objects.len()];
    let mut note = |object: GlobalId, thread: usize| {
        let known = &mut touched[object.index()];
        *known = match *known {
            Touched::Nobody => Touched::Only(thread),
            Touched::Only(other) if other == thread => Touched::Only(thread),
            _ => Touched::Several,
        };
    };
    for (number, thread) in bounded.threads.iter().enumerate() {
        for step in thread.blocks.values().flat_map(|block| &block.steps) {
            if let StepOp::Create { object, .. } = step.op {
                note(object, number);
            }
        }
        for position in 0..graphs[number].len() as u32 {
            accesses.at(number, position).iter().for_each(|access| note(access.object, number));
        }
    }
    touched
}

/// Accesses that agree in everything that matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Group {
    access: Access,
    thread: usize,
    alive: u128,
    held: Held,
}

impl Group {
    /// Whether it is visible because of the other.
    fn sees(&self, other: &Group) -> bool {
        let alive = |set: u128, thread: usize| bit(thread) == 0 || set & bit(thread) != 0;
        self.thread != other.thread
            && self.access.conflicts(&other.access)
            && alive(self.alive, other.thread)
            && alive(other.alive, self.thread)
            && !self.held.protected_from(&other.held)
    }
}

#[derive(Default)]
struct Groups {
    numbers: HashMap<Group, usize>,
    /// Each group with the positions of its steps.
    all: Vec<(Group, Vec<u32>)>,
}

impl Groups {
    fn add(&mut self, group: Group, position: u32) {
        let number = *self.numbers.entry(group).or_insert_with(|| {
            self.all.push((group, Vec::new()));
            self.all.len() - 1
        });
        self.all[number].1.push(position);
    }

    /// The thread and position of every visible access.
    fn in_conflict(self) -> Vec<(usize, u32)> {
        let Groups { mut all, .. } = self;
        all.sort_by_key(|(group, _)| (group.access.object, group.access.from, group.access.to, group.thread));
        let mut visible = vec![false; all.len()];
        let mut start = 0;
        for object in all.chunk_by(|(a, _), (b, _)| a.access.object == b.access.object) {
            compare(object, &mut visible[start..start + object.len()]);
            start += object.len();
        }
        let seen = all.iter().zip(visible).filter(|(_, visible)| *visible);
        seen.flat_map(|((group, positions), _)| positions.iter().map(|at| (group.thread, *at))).collect()
    }
}

/// Compares all pairs of one object's groups whose bytes overlap; `groups` is sorted by first byte.
fn compare(groups: &[(Group, Vec<u32>)], visible: &mut [bool]) {
    let first = groups[0].0.thread;
    if groups.iter().all(|(group, _)| group.thread == first) || groups.iter().all(|(group, _)| !group.access.write) {
        return;
    }
    for (a, (one, _)) in groups.iter().enumerate() {
        for (b, (other, _)) in groups.iter().enumerate().skip(a + 1) {
            if other.access.from >= one.access.to {
                break;
            }
            visible[a] = visible[a] || one.sees(other);
            visible[b] = visible[b] || other.sees(one);
        }
    }
}
