//! A thread as it will be printed: what can run, without what only leads to an end.
//!
//! Steps that no run reaches are gone, and with them the ways to them. A branch to a block that only reports a
//! violation, waits for ever or meets a bound is a requirement: `ASSERT`, `ASSUME`, `BOUND`. Blocks that follow
//! each other in any case are one. Of what a thread does where it might wait there is a second code: [`crate::probe`].

use selvedge_analyze::Facts;
use selvedge_analyze::{Inside, Touched, buffers};
use selvedge_bound::{BlockId, ObjectKind, Origin, StepOp, Terminator};
use selvedge_program::{
    self as program, AccessSize, BufferEffect, EntityRef, Intrinsic, MemoryAccess, Op, Operand, Properties, Property,
    Purpose, Ty,
};

/// Why a run does not go on unless a condition holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    Violation(Property, String),
    Wait,
    /// The program assumes it.
    Assumed,
    /// A number of `Bounded::cuts`.
    Bound(usize),
}

#[derive(Clone, Debug)]
pub enum What {
    Step(StepOp),
    /// The operand is `holds`, or nothing follows. `halts`: only this thread is over then, for others may
    /// have seen what it did since its last point.
    Require {
        cond: Operand,
        holds: bool,
        why: Why,
        halts: bool,
    },
    /// If the thread waits next, then for the one with this number.
    Awaits(Operand),
    /// The thread's store buffer is empty.
    Drain,
    /// Stores before it arrive before stores after it.
    Separate,
}

impl What {
    pub fn for_each_use(&self, mut note: impl FnMut(Operand)) {
        match self {
            What::Step(op) => op.for_each_use(note),
            What::Require { cond, .. } => note(*cond),
            What::Awaits(whom) => note(*whom),
            What::Drain | What::Separate => {}
        }
    }
}

#[derive(Clone, Debug)]
pub struct Item {
    /// The point right before it.
    pub point: Option<usize>,
    /// Nothing is left of some items but their point.
    pub what: Option<What>,
    pub origin: Origin,
    /// Its place in the bounded thread.
    pub at: (BlockId, usize),
    /// If the run ends here silently, only this thread is over: others may have noticed what it did since its last
    /// point.
    pub halts: bool,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub items: Vec<Item>,
    pub term: Terminator,
    pub origin: Origin,
}

/// The code of one thread. Blocks that are gone are `None`; jumps go forward.
pub struct Code {
    pub thread: usize,
    pub blocks: Vec<Option<Block>>,
    /// By point at which the thread stands: the block in which this begins.
    pub roots: Vec<(usize, usize)>,
    /// Is it only asked whether the thread waits there?
    pub is_probe: bool,
    /// The number of points, printed or not.
    pub points: usize,
    /// By point: may the thread stop here?
    pub stops: Vec<bool>,
}

impl Code {
    /// All that can run, step by step.
    pub fn new(facts: &Facts<'_>, thread: usize) -> Code {
        let blocks = facts.bounded.threads[thread].blocks.keys();
        let blocks = blocks.map(|block| live_block(facts, thread, block)).collect();
        let points = facts.points[thread].count;
        let roots = vec![(0, 0)];
        let mut code = Code { thread, blocks, roots, is_probe: false, points, stops: vec![true; points] };
        code.find_requirements(facts);
        code
    }

    /// Removes declarations of awaited threads, which nothing asks for once all turns are over.
    pub fn without_awaiting(mut self, facts: &Facts<'_>) -> Code {
        for item in self.items_mut().filter(|item| matches!(item.what, Some(What::Awaits(_)))) {
            item.what = None;
        }
        self.fold_ends(facts);
        self
    }

    /// Cleans up after something was taken out.
    pub fn tidy(&mut self, facts: &Facts<'_>) {
        if !self.is_probe {
            self.fold_ends(facts);
        }
        self.skip_empty_blocks();
        self.remove_unreachable();
        self.join_blocks();
    }

    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = (usize, &Block)> {
        self.blocks.iter().enumerate().filter_map(|(number, block)| Some((number, block.as_ref()?)))
    }

    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.blocks.iter().flatten().flat_map(|block| &block.items)
    }

    pub fn items_mut(&mut self) -> impl Iterator<Item = &mut Item> {
        self.blocks.iter_mut().flatten().flat_map(|block| &mut block.items)
    }

    pub fn steps(&self) -> impl Iterator<Item = (&Item, &StepOp)> {
        self.items().filter_map(|item| match &item.what {
            Some(What::Step(op)) => Some((item, op)),
            _ => None,
        })
    }

    /// Does some requirement end this thread only?
    pub fn halts(&self) -> bool {
        self.items().any(|item| match &item.what {
            Some(What::Require { halts, .. }) => *halts,
            Some(What::Step(_)) => item.halts,
            Some(What::Awaits(_) | What::Drain | What::Separate) | None => false,
        })
    }

    /// How many ways lead into each block.
    pub fn entries(&self) -> Vec<usize> {
        let mut entries = vec![0; self.blocks.len()];
        self.roots.iter().for_each(|(_, root)| entries[*root] += 1);
        for to in self.blocks().flat_map(|(_, block)| block.term.successors()) {
            entries[to.index()] += 1;
        }
        entries
    }

    /// Waiting, assumptions, violations and bounds ([`selvedge_bound::bounded`]). In order, to know what was done since
    /// the last point. What main does before its first one comes first in every run: it cannot wait in front of that.
    fn find_requirements(&mut self, facts: &Facts<'_>) {
        let thread = self.thread;
        let mut entry = vec![false; self.blocks.len()];
        let mut begins = vec![false; self.blocks.len()];
        // Has the section created a thread? Then it cannot be undone.
        let mut creating = vec![false; self.blocks.len()];
        begins[0] = thread == 0 && facts.properties.contains(Property::Deadlock);
        for at in 0..self.blocks.len() {
            let Some(block) = &mut self.blocks[at] else { continue };
            let (mut dirty, mut first) = (entry[at], begins[at]);
            let mut creates = creating[at];
            for item in &mut block.items {
                dirty &= item.point.is_none();
                first &= item.point.is_none();
                let Some(What::Step(op)) = &item.what else { continue };
                let inside = facts.points[thread].inside(item.at.0, item.at.1);
                // Others go on from before a section, never from the middle of one. A hidden one that may wait is
                // main's, before it has created anybody.
                let halts = dirty && inside == Inside::Nothing;
                let stuck = first && inside != Inside::Section;
                let require = |cond: Operand, why: Why, halts: bool| What::Require { cond, holds: true, why, halts };
                let what = if let StepOp::Plain(Op::Violation { property, text }) = op
                    && facts.properties.contains(*property)
                {
                    Some(require(Operand::bool(false), Why::Violation(*property, text.clone()), false))
                } else if let StepOp::Plain(Op::Intrinsic { which, args, .. }) = op {
                    let waits = || What::Awaits(args[1]);
                    match which.purpose() {
                        Purpose::Requires if *which == Intrinsic::Assume => Some(require(args[0], Why::Assumed, halts)),
                        Purpose::Requires => Some(require(args[0], Why::Wait, halts || stuck)),
                        Purpose::Marks => (*which == Intrinsic::WaitsFor).then(waits),
                        Purpose::Spawns
                        | Purpose::Counts
                        | Purpose::AsksThread
                        | Purpose::FindsCopy
                        | Purpose::Exits
                        | Purpose::Jumps
                        | Purpose::Allocates
                        | Purpose::Frees
                        | Purpose::AsksObject
                        | Purpose::ChecksAccess => None,
                    }
                } else {
                    None
                };
                creates &= inside != Inside::Nothing;
                let hidden = inside == Inside::HiddenSection && dirty && !creates;
                item.halts = (halts || hidden) && may_end_silently(facts, op);
                creates |= inside != Inside::Nothing && matches!(op, StepOp::Spawn { .. });
                dirty |= is_seen(facts, thread, item, op);
                if what.is_some() {
                    item.what = what;
                }
            }
            if let Terminator::Cut(cut) = block.term {
                let (id, steps) =
                    (BlockId::new(at), facts.bounded.threads[thread].blocks[BlockId::new(at)].steps.len());
                let halts = dirty && facts.points[thread].inside(id, steps) == Inside::Nothing;
                let what = What::Require { cond: Operand::bool(false), holds: true, why: Why::Bound(cut), halts };
                block.items.push(Item { point: None, what: Some(what), origin: block.origin, at: (id, steps), halts });
                block.term = Terminator::Stop;
            }
            for to in block.term.successors() {
                entry[to.index()] |= dirty;
                begins[to.index()] |= first;
                creating[to.index()] |= creates;
            }
        }
    }

    /// Branches to blocks that end at once become requirements.
    fn fold_ends(&mut self, facts: &Facts<'_>) {
        let mut ends: Vec<Option<(Why, bool)>> = vec![None; self.blocks.len()];
        for at in (0..self.blocks.len()).rev() {
            let Some(block) = &mut self.blocks[at] else { continue };
            while let Terminator::Branch { cond, then, otherwise } = block.term {
                let (end, to, holds) = match (&ends[then.index()], &ends[otherwise.index()]) {
                    (Some(end), None) | (Some(end @ (Why::Violation(..), _)), Some(_)) => (end, otherwise, false),
                    (Some(_), Some(end @ (Why::Violation(..), _))) => (end, then, true),
                    (None, Some(end)) => (end, then, true),
                    _ => break,
                };
                let (why, halts) = end.clone();
                let what = Some(What::Require { cond, holds, why, halts });
                let at = (BlockId::new(at), usize::MAX);
                block.items.push(Item { point: None, what, origin: block.origin, at, halts });
                block.term = Terminator::Jump(to);
            }
            ends[at] = end_of(facts, block, &ends);
        }
    }

    /// Jumps to blocks that do nothing but jump lead on at once.
    fn skip_empty_blocks(&mut self) {
        for at in (0..self.blocks.len()).rev() {
            let Some(mut block) = self.blocks[at].take() else { continue };
            let lead_on = |to: &mut BlockId| {
                if let Some(Block { items, term: Terminator::Jump(next), .. }) = &self.blocks[to.index()]
                    && items.iter().all(|item| item.point.is_none() && item.what.is_none())
                {
                    *to = *next;
                }
            };
            match &mut block.term {
                Terminator::Jump(to) => lead_on(to),
                Terminator::Branch { then, otherwise, .. } => [then, otherwise].into_iter().for_each(lead_on),
                Terminator::Switch { cases, default, .. } => {
                    cases.iter_mut().map(|(_, to)| to).chain([default]).for_each(lead_on);
                }
                Terminator::Cut(_) | Terminator::Stop => {}
            }
            if let Terminator::Branch { then, otherwise, .. } = block.term
                && then == otherwise
            {
                block.term = Terminator::Jump(then);
            }
            self.blocks[at] = Some(block);
        }
    }

    fn remove_unreachable(&mut self) {
        let mut reached = vec![false; self.blocks.len()];
        self.roots.iter().for_each(|(_, root)| reached[*root] = true);
        for at in 0..self.blocks.len() {
            match &self.blocks[at] {
                Some(block) if reached[at] => {
                    block.term.successors().into_iter().for_each(|to| reached[to.index()] = true);
                }
                _ => self.blocks[at] = None,
            }
        }
    }

    /// From now on the thread stops only there: what is between two such points is one piece.
    pub fn stop_only(&mut self, allowed: &[bool]) {
        for item in self.items_mut() {
            item.point = item.point.filter(|point| *point == 0 || allowed[*point]);
        }
        self.stops = allowed.to_vec();
    }

    /// A point before nothing but another point makes no difference.
    pub fn drop_idle_points(&mut self) {
        for block in self.blocks.iter_mut().flatten() {
            let points: Vec<bool> = block.items.iter().map(|item| item.point.is_some()).collect();
            let mut index = 0;
            block.items.retain(|item| {
                index += 1;
                item.what.is_some() || points.get(index).is_some_and(|next| !next) || index == points.len()
            });
            block.items.retain(|item| item.point.is_some() || item.what.is_some());
        }
    }

    /// A block that follows only one, which stands right before it, is part of that one.
    fn join_blocks(&mut self) {
        let entries = self.entries();
        let mut last: Option<usize> = None;
        for (at, entries) in entries.into_iter().enumerate() {
            if self.blocks[at].is_none() {
                continue;
            }
            if let Some(before) = last
                && entries == 1
                && let Some(Block { term: Terminator::Jump(to), .. }) = &self.blocks[before]
                && to.index() == at
                && let Some(next) = self.blocks[at].take()
                && let Some(block) = &mut self.blocks[before]
            {
                block.items.extend(next.items);
                (block.term, block.origin) = (next.term, next.origin);
            } else {
                last = Some(at);
            }
        }
    }
}

/// The part of a block that can run, without operations that mean nothing in a sequential program; points stay.
fn live_block(facts: &Facts<'_>, thread: usize, id: BlockId) -> Option<Block> {
    let is_live = |step: usize| facts.interference.is_live(thread, id, step);
    if !is_live(0) {
        return None;
    }
    let block = &facts.bounded.threads[thread].blocks[id];
    let mut items = Vec::new();
    for (step, this) in block.steps.iter().enumerate().take_while(|(step, _)| is_live(*step)) {
        let mut point = facts.points[thread].at(id, step);
        if let Some(what) = to_buffer(facts, thread, (id, step), &this.op) {
            let point = point.take();
            items.push(Item { point, what: Some(what), origin: this.origin, at: (id, step), halts: false });
        }
        let what = (!is_silent(facts, &this.op)).then(|| What::Step(with_constants(facts, thread, &this.op)));
        if point.is_some() || what.is_some() {
            items.push(Item { point, what, origin: this.origin, at: (id, step), halts: false });
        }
    }
    let term = if is_live(block.steps.len()) { open_ways(facts, thread, &block.term) } else { Terminator::Stop };
    Some(Block { items, term, origin: block.origin })
}

/// The step's effect on the thread's store buffer before it acts, if anything may be in it.
fn to_buffer(facts: &Facts<'_>, thread: usize, at: (BlockId, usize), op: &StepOp) -> Option<What> {
    if facts.interference.waiting(thread, at.0, at.1).is_empty() {
        return None;
    }
    match buffers::effect(facts.bounded.program.memory_model, op) {
        BufferEffect::None => None,
        BufferEffect::Separate => Some(What::Separate),
        BufferEffect::Drain => Some(What::Drain),
    }
}

/// Registers that can have one value only are that value.
fn with_constants(facts: &Facts<'_>, thread: usize, op: &StepOp) -> StepOp {
    let mut op = op.clone();
    op.for_each_use_mut(|operand| *operand = constant(facts, thread, *operand));
    op
}

fn constant(facts: &Facts<'_>, thread: usize, operand: Operand) -> Operand {
    let Operand::Reg(reg) = operand else { return operand };
    let ty = facts.bounded.threads[thread].regs[reg].ty;
    match (ty, facts.interference.values().of(thread, operand).single()) {
        (Ty::Int(_), Some(value)) | (Ty::Ptr, Some(value @ 0)) => Operand::Const { ty, bits: u128::from(value) },
        _ => operand,
    }
}

fn is_silent(facts: &Facts<'_>, op: &StepOp) -> bool {
    let StepOp::Plain(op) = op else { return false };
    match op {
        Op::Intrinsic { which, .. } => which.purpose() == Purpose::Marks && *which != Intrinsic::WaitsFor,
        Op::Violation { property, .. } => !facts.properties.contains(*property),
        Op::Fence { .. } => true,
        Op::Compute(_)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Rmw { .. }
        | Op::CmpXchg { .. }
        | Op::Alloca { .. }
        | Op::StackSave { .. }
        | Op::StackRestore { .. }
        | Op::MemCopy { .. }
        | Op::MemSet { .. }
        | Op::Call { .. }
        | Op::Nondet { .. }
        | Op::Unsupported { .. } => false,
    }
}

/// The terminator, with the ways that may be taken only.
fn open_ways(facts: &Facts<'_>, thread: usize, term: &Terminator) -> Terminator {
    let values = facts.interference.values();
    match term {
        Terminator::Branch { cond, then, otherwise } => {
            let cond = values.of(thread, *cond);
            match (cond.may_hold(), cond.may_fail()) {
                (true, false) => Terminator::Jump(*then),
                (false, true) => Terminator::Jump(*otherwise),
                _ => term.clone(),
            }
        }
        Terminator::Switch { value, cases, default } => {
            let possible = values.of(thread, *value);
            let open: Vec<(u128, BlockId)> = cases.iter().filter(|(case, _)| possible.may_be(*case)).copied().collect();
            let is_case = |value: &u64| open.iter().any(|(case, _)| *case == u128::from(*value));
            match (open.as_slice(), possible.values()) {
                ([], _) => Terminator::Jump(*default),
                ([(_, to)], Some(values)) if values.iter().all(is_case) => Terminator::Jump(*to),
                _ => Terminator::Switch { value: *value, cases: open, default: *default },
            }
        }
        Terminator::Jump(_) | Terminator::Cut(_) | Terminator::Stop => term.clone(),
    }
}

/// Does the step change something that another thread may look at?
fn is_seen(facts: &Facts<'_>, thread: usize, item: &Item, op: &StepOp) -> bool {
    let shared = |object| facts.interference.touched_by(object) == Touched::Several;
    let accesses = facts.interference.accesses(thread, item.at.0, item.at.1);
    matches!(op, StepOp::Spawn { .. }) || accesses.iter().any(|access| access.write && shared(access.object))
}

/// May the step be an unchecked misuse?
fn may_end_silently(facts: &Facts<'_>, op: &StepOp) -> bool {
    let StepOp::Plain(op) = op else { return false };
    // An access to a global by its name; the others are not there all the time.
    let is_there = |addr: Operand| match addr {
        Operand::Global { id, .. } => facts.bounded.objects[id].kind == ObjectKind::Global,
        Operand::Reg(_) | Operand::Const { .. } | Operand::Func(_) => false,
    };
    let is_certain = |access: MemoryAccess| is_there(access.addr) && !matches!(access.size, AccessSize::Bytes(_));
    let accesses_well = op.memory().next().is_some_and(is_certain);
    !accesses_well && !op.faults().ends.without(facts.properties).is_empty()
}

/// The end of a block that does nothing else.
fn end_of(facts: &Facts<'_>, block: &Block, ends: &[Option<(Why, bool)>]) -> Option<(Why, bool)> {
    for item in &block.items {
        if item.point.is_some() {
            return None;
        }
        match &item.what {
            Some(What::Require { cond, holds, why, halts }) if *cond == Operand::bool(!holds) => {
                return Some((why.clone(), *halts));
            }
            Some(What::Step(StepOp::Plain(op))) if is_harmless(facts, item, op) => {}
            Some(_) => return None,
            None => {}
        }
    }
    // Wherever it goes, it waits in the same way.
    let mut successors = block.term.successors().into_iter().map(|to| ends[to.index()].as_ref());
    let first = successors.next()?.filter(|(why, _)| matches!(why, Why::Wait | Why::Assumed))?;
    successors.all(|end| end == Some(first)).then(|| first.clone())
}

/// No harm if it is left out of a run that ends at once.
fn is_harmless(facts: &Facts<'_>, item: &Item, op: &Op) -> bool {
    let of_model = facts.bounded.program.functions[item.origin.function].origin == program::Origin::Model;
    let is_fine = matches!(op, Op::Load { addr, .. } if of_model || matches!(addr, Operand::Global { .. }));
    is_fine || op.is_pure(Properties::ALL)
}
