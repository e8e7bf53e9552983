//! Waits that a thread comes back to when it was woken up for nothing: `while (!ready) pthread_cond_wait(&c, &m);`.
//!
//! A wait may return without a signal. If the thread then only looks around and waits again, with the same values in
//! its variables, then nothing has happened, and the models discard that run (`models/c/cond.c` has the argument). This
//! pass tells them: before such a wait stands
//!
//! ```text
//! again = came && all of (saved_i == variable_i)
//! if again { __selvedge_waits_again(true) }
//! ```
//!
//! `came` says that the thread came from this very wait by way of instructions without an effect: it is set behind the
//! wait, and cleared before each first instruction on a way out of there that has one. The variables are those that are
//! written on such a way and read before they are written again.

use selvedge_program::liveness::{self, BitSet, Liveness};
use selvedge_program::{
    BinOp, Block, BlockId, Callee, CmpOp, Computation, EntityRef, FuncId, Function, Inst, Intrinsic, Op, Operand,
    Origin, Program, Reg, RegInfo, SourceMap, Terminator, Ty, WAITS_AGAIN,
};

/// The models' functions that wait on a condition variable.
const WAITS: [&str; 5] =
    ["pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"];

pub fn waits(program: &mut Program) {
    let Some(waits_again) = program.function_named(WAITS_AGAIN) else { return };
    let is_wait = |f: &Function| f.origin == Origin::Model && WAITS.contains(&f.name.as_str());
    let waits: Vec<FuncId> = program.functions.iter().filter(|(_, f)| is_wait(f)).map(|(id, _)| id).collect();
    let effects = Effects::of(program);
    for function in program.functions.values_mut().filter(|f| f.origin == Origin::User) {
        if liveness::calls_setjmp(function) {
            continue;
        }
        for place in calls_of(function, &waits).into_iter().rev() {
            if let Some(retry) = Retry::of(function, place, &effects) {
                retry.insert_comparison(function, waits_again);
            }
        }
    }
}

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    block: BlockId,
    index: usize,
}

/// In the order of places.
fn calls_of(function: &Function, callees: &[FuncId]) -> Vec<Place> {
    let mut places = Vec::new();
    for (block, body) in &function.blocks {
        for (index, inst) in body.insts.iter().enumerate() {
            if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op
                && callees.contains(callee)
            {
                places.push(Place { block, index });
            }
        }
    }
    places
}

/// Functions that do more than return a value.
pub(crate) struct Effects {
    of: Vec<Option<bool>>,
    yields: bool,
}

impl Effects {
    fn of(program: &Program) -> Effects {
        Effects::with(program, true)
    }

    /// Giving way to others is no effect.
    pub(crate) fn without_yields(program: &Program) -> Effects {
        Effects::with(program, false)
    }

    fn with(program: &Program, yields: bool) -> Effects {
        let mut effects = Effects { of: vec![None; program.functions.len()], yields };
        for id in program.functions.keys() {
            effects.visit(program, id);
        }
        effects
    }

    fn visit(&mut self, program: &Program, id: FuncId) {
        if self.of[id.index()].is_some() {
            return;
        }
        // Also for whoever asks before the answer is known: a function that calls itself.
        self.of[id.index()] = Some(true);
        let mut has_effect = false;
        for inst in program.functions[id].blocks.values().flat_map(|block| &block.insts) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op {
                self.visit(program, *callee);
            }
            has_effect |= self.has_effect(&inst.op);
        }
        self.of[id.index()] = Some(has_effect);
    }

    pub(crate) fn has_effect(&self, op: &Op) -> bool {
        match op {
            Op::Intrinsic { which: Intrinsic::Yield, .. } => self.yields,
            Op::Call { callee: Callee::Direct(callee), .. } => self.of[callee.index()] != Some(false),
            Op::Compute(_) | Op::Load { .. } | Op::Fence { .. } => false,
            Op::Call { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Nondet { .. }
            | Op::Intrinsic { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => true,
        }
    }
}

/// A wait with a way back to itself on which nothing has an effect.
struct Retry {
    wait: Place,
    /// The first instructions with an effect behind the wait.
    effects: Vec<Place>,
    /// The variables that are written on such a way, and whose values the wait or what follows it may read.
    variables: Vec<Reg>,
}

impl Retry {
    /// None: there is no such way, or it cannot be told that nothing has changed on it.
    fn of(function: &Function, wait: Place, effects: &Effects) -> Option<Retry> {
        let mut way = Way { function, wait, effects, first: Vec::new(), written: Vec::new(), returns: false };
        way.follow();
        if !way.returns {
            return None;
        }
        let live = live_before(function, wait);
        let mut variables: Vec<Reg> = way.written.into_iter().filter(|reg| liveness::is_live(&live, *reg)).collect();
        variables.sort();
        variables.dedup();
        let comparable = |reg: &Reg| matches!(function.regs[*reg].ty, Ty::Int(_) | Ty::Ptr);
        variables.iter().all(comparable).then_some(Retry { wait, effects: way.first, variables })
    }

    fn insert_comparison(mut self, function: &mut Function, waits_again: FuncId) {
        let mut new = |ty| function.regs.push(RegInfo { ty, name: None, debug: None });
        let came = new(Ty::BOOL);
        let again = new(Ty::BOOL);
        let equal = new(Ty::BOOL);
        let types: Vec<Ty> = self.variables.iter().map(|reg| function.regs[*reg].ty).collect();
        let saved: Vec<Reg> =
            types.iter().map(|ty| function.regs.push(RegInfo { ty: *ty, name: None, debug: None })).collect();

        let Some(entry) = function.blocks.keys().next() else { return };
        let clear = Op::Compute(Computation::Copy { dst: came, src: Operand::bool(false) });
        let mut inserted = vec![(Place { block: entry, index: 0 }, clear.clone())];
        for (saved, ty) in saved.iter().zip(types) {
            let zero = Operand::Const { ty, bits: 0 };
            inserted
                .push((Place { block: entry, index: 0 }, Op::Compute(Computation::Copy { dst: *saved, src: zero })));
        }
        inserted.extend(self.effects.iter().map(|place| (*place, clear.clone())));
        inserted.sort_by_key(|(place, _)| *place);
        for (place, op) in inserted.into_iter().rev() {
            if place.block == self.wait.block && place.index <= self.wait.index {
                self.wait.index += 1;
            }
            function.blocks[place.block].insts.insert(place.index, nowhere(op));
        }

        let Place { block, index } = self.wait;
        let before = &mut function.blocks[block];
        let rest = before.insts.split_off(index);
        before.insts.push(nowhere(Computation::Copy { dst: again, src: Operand::Reg(came) }));
        for (variable, saved) in self.variables.iter().zip(&saved) {
            let (a, b) = (Operand::Reg(*saved), Operand::Reg(*variable));
            before.insts.push(nowhere(Computation::Compare { dst: equal, op: CmpOp::Eq, a, b }));
            let (a, b) = (Operand::Reg(again), Operand::Reg(equal));
            before.insts.push(nowhere(Computation::Binary { dst: again, op: BinOp::And, a, b, checked: false }));
        }
        let term = std::mem::replace(&mut before.term, Terminator::Unreachable);
        let (loc, name) = (before.loc, before.name.clone());
        let mut insts: Vec<Inst> = self
            .variables
            .iter()
            .zip(&saved)
            .map(|(v, s)| nowhere(Computation::Copy { dst: *s, src: Operand::Reg(*v) }))
            .collect();
        let mut rest = rest.into_iter();
        insts.extend(rest.next());
        insts.push(nowhere(Computation::Copy { dst: came, src: Operand::bool(true) }));
        insts.extend(rest);
        let wait = function.blocks.push(Block { name: format!("{name}.wait"), insts, term, loc });
        let call = Op::Call { dsts: vec![], callee: Callee::Direct(waits_again), args: vec![Operand::bool(true)] };
        let tell = function.blocks.push(Block {
            name: format!("{name}.again"),
            insts: vec![nowhere(call)],
            term: Terminator::Jump(wait),
            loc: SourceMap::NOWHERE,
        });
        function.blocks[block].term = Terminator::Branch { cond: Operand::Reg(again), then: tell, otherwise: wait };
    }
}

fn nowhere(op: impl Into<Op>) -> Inst {
    Inst { op: op.into(), loc: SourceMap::NOWHERE }
}

fn live_before(function: &Function, place: Place) -> BitSet {
    let mut before = BitSet::new();
    Liveness::new(function).walk_back(function, place.block, |index, inst, after| {
        if index == place.index {
            before = after.clone();
            inst.op.defs().into_iter().for_each(|reg| before.set(reg.index(), false));
            inst.op.for_each_use(|operand| {
                if let Operand::Reg(reg) = operand {
                    before.insert(reg.index());
                }
            });
        }
    });
    before
}

/// All ways out of a wait, up to their first effect.
struct Way<'a> {
    function: &'a Function,
    wait: Place,
    effects: &'a Effects,
    first: Vec<Place>,
    written: Vec<Reg>,
    returns: bool,
}

impl Way<'_> {
    fn follow(&mut self) {
        let mut seen = BitSet::with_capacity(self.function.blocks.len());
        let Place { block, index } = self.wait;
        self.written.extend(self.function.blocks[block].insts[index].op.defs());
        let mut work = vec![Place { block, index: index + 1 }];
        while let Some(place) = work.pop() {
            if place.index == 0 && seen.put(place.block.index()) {
                continue;
            }
            if self.reaches_end(place) {
                let targets = self.function.blocks[place.block].term.successors();
                work.extend(targets.into_iter().map(|block| Place { block, index: 0 }));
            }
        }
    }

    /// False: there is an effect, or the wait, in this block.
    fn reaches_end(&mut self, from: Place) -> bool {
        let block = from.block;
        for (index, inst) in self.function.blocks[block].insts.iter().enumerate().skip(from.index) {
            let place = Place { block, index };
            if place == self.wait {
                self.returns = true;
                return false;
            }
            if self.effects.has_effect(&inst.op) {
                self.first.push(place);
                return false;
            }
            self.written.extend(inst.op.defs());
        }
        true
    }
}
