//! Pools of threads: a loop that creates a thread in each round, and a loop behind it that joins them all.
//!
//! Threads without number share one template, which tells nothing about one of them. The loop around the call that
//! creates them does, if round `i` of `for (i = c; i < n; i++)` stores its handle at `a[i]`:
//!
//! * *Joined.* A loop that joins `a[j]` for every `j` from the same `c` to the same `n` comes to its end only when all
//!   of them have ended, provided that nobody else writes into `a`, and that none was detached.
//! * *Apart.* Arguments like `i` and `&b[i]` differ from thread to thread by as much as the counters do. All handles
//!   have their places in one array, which is smaller than half of the address space, so products with the counter do
//!   not wrap. The creator counts, too: before it creates the thread of a round, and behind the join of that thread,
//!   all threads of the pool that live belong to other rounds.
//! * *Own.* An argument that is a block allocated in the same round, and that the creator neither keeps nor touches
//!   from then on, belongs to that thread alone, unless it shows it to others. This needs no counter, no handles and no
//!   loop (`pools/own.rs`).
//!
//! Here these shapes are found in the graph of one function. Whether threads of a template come from there only, who
//! else writes and who shows what to whom is known to the extraction (`races`). What is not of this shape is left to
//! invariants.
//!
//! Rounds and handles: Schwarz and Erhard, Relational concurrent thread joins in Goblint (SV-COMP 2023); fresh blocks
//! that are handed over: Pratikakis, Foster, Hicks, Existential label flow inference (SAS 2006). Ours are shapes of
//! loops, and not a domain.

mod own;

pub use own::given_block;

use super::Shape;
use hashbrown::HashSet;
use selvedge_program::{
    BinOp, BlockId, Callee, Cast, CmpOp, Computation, EntityRef, FuncId, Function, Inst, Op, Operand, Origin, Program,
    Reg, Terminator,
};

/// An instruction: its block, and its place there.
pub type Place = (BlockId, usize);

/// A call that creates a thread in each round of a loop.
#[derive(Clone, Debug)]
pub struct Pool {
    pub create: Place,
    pub argument: Argument,
    /// Blocks to which a run comes only after all of its threads were joined.
    pub behind: HashSet<BlockId>,
    pub vacant: Vec<Vacant>,
}

/// Places where none of the threads that live belongs to the round that a counter is at.
#[derive(Clone, Debug)]
pub struct Vacant {
    pub counter: Reg,
    /// Handles have to be what they were.
    pub relies_on_handles: bool,
    places: HashSet<Place>,
}

impl Vacant {
    pub fn is_at(&self, place: Place) -> bool {
        self.places.contains(&place)
    }
}

/// The relation between the arguments of different threads of a pool.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Argument {
    /// They differ by at least and at most so much.
    Apart(Apart),
    Any,
}

/// An argument that counts: the counter, or the address of its element of an array.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Apart {
    pub least: u64,
    pub most: u64,
    pub element: Option<Element>,
    /// The counter has a sign.
    pub signed: bool,
}

/// Functions of the models, with the places of their arguments.
struct Creates {
    name: &'static str,
    attributes: Option<usize>,
    argument: usize,
}

const CREATES: [Creates; 2] = [
    Creates { name: "pthread_create", attributes: Some(1), argument: 3 },
    Creates { name: "thrd_create", attributes: None, argument: 2 },
];
const JOINS: [&str; 2] = ["pthread_join", "thrd_join"];
const DETACHES: [&str; 2] = ["pthread_detach", "thrd_detach"];

/// The pools of a function.
pub fn pools(program: &Program, function: FuncId, shape: &Shape) -> Vec<Pool> {
    let search = Search { program, function: &program.functions[function], shape };
    let loops: Vec<Counted> = shape.heads().filter_map(|(head, body)| search.counted(head, body)).collect();
    let mut found = Vec::new();
    for creating in &loops {
        for (create, creates, args) in search.creations(creating) {
            let handle = args.first().and_then(|handle| search.element(creating, *handle, create));
            // Otherwise each would overwrite a part of the one before.
            let Some(handle) = handle.filter(|handle| handle.stride >= u64::from(program.data_model.pointer_bytes()))
            else {
                continue;
            };
            let argument = args
                .get(creates.argument)
                .map_or(Argument::Any, |argument| search.argument(creating, &handle, *argument, create));
            let attributes = creates.attributes.and_then(|at| args.get(at));
            let is_joinable = attributes.is_none_or(|attributes| *attributes == Operand::NULL) && !search.may_detach();
            let (mut behind, mut vacant) = (HashSet::new(), vec![search.before(creating, create)]);
            for joining in loops.iter().filter(|joining| is_joinable && joining.follows(creating, shape)) {
                if let Some(join) = search.joins(joining, &handle) {
                    behind.extend(search.behind(joining));
                    vacant.push(search.after(joining, join));
                }
            }
            found.push(Pool { create, argument, behind, vacant });
        }
    }
    found
}

/// What is executed from its head on until it comes there again: a round of a loop, or an activation.
#[derive(Clone, Copy)]
struct Round<'a> {
    head: BlockId,
    body: &'a HashSet<BlockId>,
}

/// `for (counter = first; counter < limit; counter++)`, in no other loop.
struct Counted<'a> {
    round: Round<'a>,
    /// Where it goes on when it has counted to the end.
    exit: BlockId,
    counter: Reg,
    first: u128,
    compares: CmpOp,
    limit: Operand,
    /// Where it counts: in the only block that leads back to the head.
    counts: Place,
}

impl Counted<'_> {
    /// Does it come after another one that counts alike?
    fn follows(&self, other: &Counted<'_>, shape: &Shape) -> bool {
        shape.order(other.round.head) < shape.order(self.round.head)
            && (self.first, self.compares, self.limit) == (other.first, other.compares, other.limit)
    }
}

/// `base[counter]`, so many bytes on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Element {
    pub base: Operand,
    pub stride: u64,
    pub offset: i64,
}

struct Search<'a> {
    program: &'a Program,
    function: &'a Function,
    shape: &'a Shape,
}

impl Search<'_> {
    fn counted<'a>(&self, head: BlockId, body: &'a HashSet<BlockId>) -> Option<Counted<'a>> {
        let is_outermost = self.shape.loops_of(head).eq([head]) && !body.contains(&BlockId::new(0));
        let mut latches =
            body.iter().copied().filter(|block| self.function.blocks[*block].term.successors().contains(&head));
        let (latch, None) = (latches.next()?, latches.next()) else { return None };
        let Terminator::Jump(_) = self.function.blocks[latch].term else { return None };
        let Terminator::Branch { cond: Operand::Reg(cond), then, otherwise } = self.function.blocks[head].term else {
            return None;
        };
        if !is_outermost || !body.contains(&then) || body.contains(&otherwise) {
            return None;
        }
        let compared = self.only_definition(cond).filter(|(block, _)| *block == head)?;
        let (op, counter, limit) = match self.computation(compared)? {
            Computation::Compare { op: op @ (CmpOp::Slt | CmpOp::Ult), a: Operand::Reg(a), b, .. } => (op, a, b),
            Computation::Compare { op: CmpOp::Sgt, a, b: Operand::Reg(b), .. } => (CmpOp::Slt, b, a),
            Computation::Compare { op: CmpOp::Ugt, a, b: Operand::Reg(b), .. } => (CmpOp::Ult, b, a),
            _ => return None,
        };
        let is_fixed = match limit {
            Operand::Reg(limit) => self.is_assigned_once(limit) && !self.is_assigned_in(limit, body),
            Operand::Const { .. } => true,
            Operand::Global { .. } | Operand::Func(_) => false,
        };
        let mut within = self.definitions(counter).into_iter().filter(|(block, _)| body.contains(block));
        let (counts, None) = (within.next()?, within.next()) else { return None };
        let one = |operand| matches!(operand, Operand::Const { bits: 1, .. });
        let is_increment = matches!(self.computation(counts)?,
            Computation::Binary { op: BinOp::Add, a, b, .. } if a == Operand::Reg(counter) && one(b));
        if !is_fixed || counts.0 != latch || !is_increment {
            return None;
        }
        let first = self.value_on_entry(counter, head, body)?;
        Some(Counted { round: Round { head, body }, exit: otherwise, counter, first, compares: op, limit, counts })
    }

    /// The constant that a register holds when a loop is entered.
    fn value_on_entry(&self, reg: Reg, head: BlockId, body: &HashSet<BlockId>) -> Option<u128> {
        let mut at = head;
        for _ in 0..self.function.blocks.len() {
            let before = |block: &BlockId| self.function.blocks[*block].term.successors().contains(&at);
            let mut outside = self.function.blocks.keys().filter(|block| !body.contains(block) && before(block));
            let (entering, None) = (outside.next()?, outside.next()) else { return None };
            let insts = &self.function.blocks[entering].insts;
            if let Some(index) = insts.iter().rposition(|inst| inst.op.defs().contains(&reg)) {
                return match self.computation((entering, index))? {
                    Computation::Copy { src: Operand::Const { ty, bits }, .. } => {
                        let width = ty.bits(self.program.data_model);
                        // Not negative.
                        (width > 0 && bits >> (width - 1) == 0).then_some(bits)
                    }
                    _ => None,
                };
            }
            at = entering;
        }
        None
    }

    /// Calls that create a thread in a round, once at most.
    fn creations<'b>(
        &'b self,
        within: &'b Counted<'_>,
    ) -> impl Iterator<Item = (Place, &'static Creates, &'b [Operand])> {
        self.calls(within).filter_map(|(place, name, args)| {
            let creates = CREATES.iter().find(|creates| creates.name == name)?;
            Some((place, creates, args))
        })
    }

    /// Calls of models that a round makes once at most.
    fn calls<'b>(&'b self, within: &'b Counted<'_>) -> impl Iterator<Item = (Place, &'b str, &'b [Operand])> {
        let blocks = self.function.blocks.iter();
        let own =
            blocks.filter(|(id, _)| within.round.body.contains(id) && self.shape.loops_of(*id).eq([within.round.head]));
        own.flat_map(move |(id, block)| {
            block.insts.iter().enumerate().filter_map(move |(index, inst)| {
                let Op::Call { args, .. } = &inst.op else { return None };
                Some(((id, index), self.model(inst)?, args.as_slice()))
            })
        })
    }

    /// The name of the model's function that is called.
    fn model(&self, inst: &Inst) -> Option<&str> {
        let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op else { return None };
        let callee = &self.program.functions[*callee];
        (callee.origin == Origin::Model).then_some(callee.name.as_str())
    }

    fn may_detach(&self) -> bool {
        let mut models = self.program.functions.values().filter(|function| function.origin == Origin::Model);
        models.any(|function| DETACHES.contains(&function.name.as_str()))
    }

    /// A pointer to the element of this round, computed in this round before `user`.
    fn element(&self, within: &Counted<'_>, pointer: Operand, user: Place) -> Option<Element> {
        let Operand::Reg(pointer) = pointer else { return None };
        let at = self.only_definition(pointer)?;
        if !self.precedes(within.round, at, user) {
            return None;
        }
        match self.computation(at)? {
            Computation::Copy { src, .. } => self.element(within, src, at),
            Computation::Field { base, bytes, .. } => {
                let element = self.element(within, base, at)?;
                Some(Element { offset: element.offset.checked_add(bytes)?, ..element })
            }
            Computation::Index { base, index, stride, .. } => {
                let is_fixed = match base {
                    Operand::Reg(base) => self.is_assigned_once(base) && !self.is_assigned_in(base, within.round.body),
                    Operand::Global { id, .. } => !self.program.globals[id].thread_local,
                    Operand::Const { .. } | Operand::Func(_) => false,
                };
                // An index is extended with its sign.
                let bits = self.program.type_of(self.function, index).bits(self.program.data_model);
                let is_same = bits == self.program.data_model.pointer_bits() || within.compares == CmpOp::Slt;
                let is_element = is_fixed && is_same && self.is_counter(within, index, at);
                is_element.then_some(Element { base, stride, offset: 0 })
            }
            _ => None,
        }
    }

    /// Is a value the counter of this round, converted so that different ones stay different?
    fn is_counter(&self, within: &Counted<'_>, value: Operand, user: Place) -> bool {
        let Operand::Reg(value) = value else { return false };
        if value == within.counter {
            return self.precedes(within.round, user, within.counts);
        }
        let Some(at) = self.only_definition(value).filter(|at| self.precedes(within.round, *at, user)) else {
            return false;
        };
        match self.computation(at) {
            Some(Computation::Copy { src, .. }) => self.is_counter(within, src, at),
            Some(Computation::Cast { cast: Cast::ZeroExtend | Cast::IntToPtr, src, .. }) => {
                self.is_counter(within, src, at)
            }
            Some(Computation::Cast { cast: Cast::SignExtend, src, .. }) => {
                within.compares == CmpOp::Slt && self.is_counter(within, src, at)
            }
            _ => false,
        }
    }

    fn argument(&self, within: &Counted<'_>, handle: &Element, argument: Operand, create: Place) -> Argument {
        let pointer_bits = self.program.data_model.pointer_bits();
        let counter_bits = self.function.regs[within.counter].ty.bits(self.program.data_model);
        let signed = within.compares == CmpOp::Slt;
        // A counter with a sign is never negative.
        let counted = (1u128 << (counter_bits - u32::from(signed))) - 1;
        let rounds = ((1u128 << (pointer_bits - 1)) / u128::from(handle.stride.max(1))).min(counted);
        let apart = |least: u64, element: Option<Element>| {
            let most = rounds * u128::from(least);
            let fits = most + u128::from(least) < 1 << pointer_bits;
            let most = u64::try_from(most).ok().filter(|_| fits);
            most.map_or(Argument::Any, |most| Argument::Apart(Apart { least, most, element, signed }))
        };
        if self.is_counter(within, argument, create) {
            return apart(1, None);
        }
        match self.element(within, argument, create).filter(|element| element.stride > 0) {
            Some(element) => apart(element.stride, Some(element)),
            None => Argument::Any,
        }
    }

    /// Before a round creates its thread.
    fn before(&self, within: &Counted<'_>, create: Place) -> Vacant {
        let places = self.places(within, |place| place != create && !self.may_follow(within.round, create, place));
        Vacant { counter: within.counter, relies_on_handles: false, places }
    }

    /// After a round has joined its thread, while it has not counted on.
    fn after(&self, within: &Counted<'_>, join: Place) -> Vacant {
        let is_between =
            |place| self.precedes(within.round, join, place) && !self.may_follow(within.round, within.counts, place);
        let places = self.places(within, is_between);
        Vacant { counter: within.counter, relies_on_handles: true, places }
    }

    fn places(&self, within: &Counted<'_>, holds: impl Fn(Place) -> bool) -> HashSet<Place> {
        let numbered = |id: &BlockId| (0..self.function.blocks[*id].insts.len()).map(|index| (*id, index)).collect();
        let all = within.round.body.iter().flat_map(|id| -> Vec<Place> { numbered(id) });
        all.filter(|place| holds(*place)).collect()
    }

    /// The call by which every round joins the thread whose handle is there.
    fn joins(&self, within: &Counted<'_>, handle: &Element) -> Option<Place> {
        let leaves_early = within.round.body.iter().filter(|block| **block != within.round.head).any(|block| {
            let successors = self.function.blocks[*block].term.successors();
            let is_end = |to: &BlockId| matches!(self.function.blocks[*to].term, Terminator::Unreachable);
            successors.iter().any(|to| !within.round.body.contains(to) && !is_end(to))
                || matches!(self.function.blocks[*block].term, Terminator::Return(_))
        });
        let mut joining = self.calls(within).filter(|(place, name, args)| {
            let Some(Operand::Reg(joined)) = args.first().copied().filter(|_| JOINS.contains(name)) else {
                return false;
            };
            let Some(at) = self.only_definition(joined) else { return false };
            let Op::Load { addr, .. } = self.function.blocks[at.0].insts[at.1].op else { return false };
            let always = !self.reaches(within.round, within.round.head, within.counts.0, Some(place.0));
            always && self.precedes(within.round, at, *place) && self.element(within, addr, at) == Some(*handle)
        });
        joining.next().map(|(place, ..)| place).filter(|_| !leaves_early)
    }

    /// Blocks that are reached only through the regular end of a loop.
    fn behind(&self, joining: &Counted<'_>) -> HashSet<BlockId> {
        let (all, without) = (self.reached(None), self.reached(Some((joining.round.head, joining.exit))));
        all.difference(&without).copied().collect()
    }

    fn reached(&self, without: Option<(BlockId, BlockId)>) -> HashSet<BlockId> {
        let mut reached: HashSet<BlockId> = HashSet::new();
        let mut waiting = vec![BlockId::new(0)];
        while let Some(block) = waiting.pop() {
            if reached.insert(block) {
                let successors = self.function.blocks[block].term.successors();
                waiting.extend(successors.into_iter().filter(|to| Some((block, *to)) != without));
            }
        }
        reached
    }

    /// Has every round executed the one before it comes to the other?
    fn precedes(&self, within: Round<'_>, one: Place, other: Place) -> bool {
        if !within.body.contains(&one.0) || !within.body.contains(&other.0) {
            return false;
        }
        if one.0 == other.0 { one.1 < other.1 } else { !self.reaches(within, within.head, other.0, Some(one.0)) }
    }

    /// May a round come to an instruction after another one?
    fn may_follow(&self, within: Round<'_>, one: Place, other: Place) -> bool {
        if one.0 == other.0 { one.1 < other.1 } else { self.reaches(within, one.0, other.0, None) }
    }

    /// Is there a way within a round from a block to another one that avoids a third?
    fn reaches(&self, within: Round<'_>, from: BlockId, to: BlockId, avoided: Option<BlockId>) -> bool {
        let mut seen: HashSet<BlockId> = HashSet::new();
        let mut waiting = vec![from];
        while let Some(block) = waiting.pop() {
            if Some(block) == avoided || !seen.insert(block) {
                continue;
            }
            if block == to {
                return true;
            }
            let successors = self.function.blocks[block].term.successors();
            waiting.extend(successors.into_iter().filter(|next| *next != within.head && within.body.contains(next)));
        }
        false
    }

    fn definitions(&self, reg: Reg) -> Vec<Place> {
        let mut found = Vec::new();
        for (id, block) in &self.function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                if inst.op.defs().contains(&reg) {
                    found.push((id, index));
                }
            }
        }
        found
    }

    fn only_definition(&self, reg: Reg) -> Option<Place> {
        let found = self.definitions(reg);
        (found.len() == 1 && !self.function.params.contains(&reg)).then(|| found[0])
    }

    /// A parameter that is never assigned, or assigned once.
    fn is_assigned_once(&self, reg: Reg) -> bool {
        self.definitions(reg).len() + usize::from(self.function.params.contains(&reg)) == 1
    }

    fn is_assigned_in(&self, reg: Reg, body: &HashSet<BlockId>) -> bool {
        self.definitions(reg).iter().any(|(block, _)| body.contains(block))
    }

    fn computation(&self, (block, index): Place) -> Option<Computation> {
        match self.function.blocks[block].insts[index].op {
            Op::Compute(computation) => Some(computation),
            _ => None,
        }
    }
}
