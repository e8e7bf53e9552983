//! The walk through a thread: once a turn, from its first step to its last.

use super::Rounds;
use super::value::Value;
use crate::points::Inside;
use crate::range::Range;
use selvedge_bound::{Block, BlockId, Terminator};
use selvedge_program::{CmpOp, EntityRef, Operand, Ty};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Cells whose values differ from those at the beginning of the walk.
pub(super) type Changes = Rc<BTreeMap<usize, Range>>;

/// The position of the walk.
pub(super) struct Here {
    pub thread: usize,
    pub block: BlockId,
    pub step: usize,
    pub inside: Inside,
    /// By register.
    pub registers: Vec<Option<Value>>,
    /// The values of registers before they were refined by a condition.
    pub undo: Vec<(usize, Option<Value>)>,
    pub flow: Flow,
}

impl Default for Here {
    fn default() -> Here {
        Here {
            thread: 0,
            block: BlockId::new(0),
            step: 0,
            inside: Inside::Nothing,
            registers: Vec::new(),
            undo: Vec::new(),
            flow: Flow::default(),
        }
    }
}

/// The state that flows from step to step besides registers.
#[derive(Clone, Default)]
pub(super) struct Flow {
    /// Cells that several threads touch.
    pub shared: Changes,
    pub own: Changes,
    /// Whether main has created a thread.
    pub spawned: bool,
    /// Whether main has not met a point yet.
    pub first: bool,
    /// Whether objects have been created that are not visible to other threads yet.
    pub pending: bool,
}

/// The state that flows into a block.
struct Inflow {
    /// The values of the registers that are live in the block, in order.
    registers: Vec<Option<Value>>,
    flow: Flow,
}

/// The state of main at its first point.
pub(super) struct Saved {
    registers: Vec<Option<Value>>,
    own: Changes,
}

impl Rounds<'_> {
    pub(super) fn walk(&mut self, number: usize) {
        let thread = &self.bounded.threads[number];
        let mut ways: Vec<Option<Inflow>> = thread.blocks.keys().map(|_| None).collect();
        self.here.thread = number;
        self.here.registers.clear();
        self.here.registers.resize(thread.regs.len(), None);
        // The part of main before its first point was walked in its first turn.
        if number != 0 || self.beginning {
            let registers = self.code[number].live_in[0].iter().map(|_| None).collect();
            ways[0] = Some(Inflow { registers, flow: Flow { first: self.beginning, ..Flow::default() } });
        }
        for (block, body) in &thread.blocks {
            self.here.block = block;
            let mut goes_on = match ways[block.index()].take() {
                Some(way) => self.enter(block, way),
                None => false,
            };
            if block.index() == 0 && goes_on {
                self.take_args();
            }
            for (step, this) in body.steps.iter().enumerate() {
                if let Some(point) = self.points[number].at(block, step) {
                    goes_on = self.point(point, goes_on);
                }
                if goes_on {
                    self.here.step = step;
                    self.here.inside = self.points[number].inside(block, step);
                    self.work += 1;
                    goes_on = self.interference.is_live(number, block, step) && self.step(&this.op);
                }
            }
            if goes_on {
                self.here.step = body.steps.len();
                self.leave(body, &mut ways);
            }
        }
    }

    fn take_args(&mut self) {
        let params = &self.bounded.threads[self.here.thread].params;
        let args = self.args[self.here.thread].clone().unwrap_or_default();
        for (param, value) in params.iter().zip(args) {
            self.here.registers[param.index()] = Some(value);
        }
    }

    fn enter(&mut self, block: BlockId, way: Inflow) -> bool {
        let live = &self.code[self.here.thread].live_in[block.index()];
        for (reg, value) in live.iter().zip(way.registers) {
            self.here.registers[reg.index()] = value;
        }
        self.here.flow = way.flow;
        true
    }

    /// The thread may stop here, or may have stopped here before.
    fn point(&mut self, point: usize, goes_on: bool) -> bool {
        if goes_on {
            self.show();
            if self.beginning {
                if self.here.flow.first {
                    let saved = Saved { registers: self.here.registers.clone(), own: self.here.flow.own.clone() };
                    self.work += saved.registers.len() as u64;
                    self.saved.insert(point, saved);
                    self.here.flow.first = false;
                }
                return true;
            }
            self.waited();
        }
        let Some(saved) = self.saved.get(&point).filter(|_| self.here.thread == 0) else { return goes_on };
        self.work += saved.registers.len() as u64;
        if goes_on {
            for (mine, saved) in self.here.registers.iter_mut().zip(&saved.registers) {
                *mine = join_values(mine.take(), saved);
            }
            let own = saved.own.clone();
            let mine = std::mem::take(&mut self.here.flow.own);
            self.here.flow.own = self.joined(mine, own);
        } else {
            self.here.registers.clone_from(&saved.registers);
            self.here.flow = Flow { own: saved.own.clone(), spawned: true, ..Flow::default() };
        }
        true
    }

    /// Joins with the state at the beginning of the turn, since other threads may have run.
    fn waited(&mut self) {
        if self.here.flow.shared.is_empty() {
            return;
        }
        self.work += self.here.flow.shared.len() as u64;
        let mut changes = std::mem::take(&mut self.here.flow.shared);
        let shared = &self.shared;
        Rc::make_mut(&mut changes).retain(|cell, range| {
            let before = shared[*cell];
            *range = before.map_or(*range, |before| before.join(*range));
            before != Some(*range)
        });
        self.here.flow.shared = changes;
    }

    fn leave(&mut self, body: &Block, ways: &mut [Option<Inflow>]) {
        match &body.term {
            Terminator::Jump(to) => self.go(*to, ways),
            Terminator::Branch { cond, then, otherwise } => {
                for (holds, to) in [(true, *then), (false, *otherwise)] {
                    self.supposing(ways, to, |this| this.suppose(*cond, holds));
                }
            }
            Terminator::Switch { value, cases, default } => {
                let width = self.width(*value);
                let is = |op, case: u128| {
                    move |this: &mut Self| {
                        this.compare_holds(op, *value, Operand::Const { ty: Ty::Int(width as u8), bits: case })
                    }
                };
                for (case, to) in cases {
                    self.supposing(ways, *to, is(CmpOp::Eq, *case));
                }
                self.supposing(ways, *default, |this| cases.iter().all(|(case, _)| is(CmpOp::Ne, *case)(this)));
            }
            Terminator::Cut(_) | Terminator::Stop => self.show(),
        }
    }

    /// Propagates the state, refined by `suppose`, to another block; the state here stays as it is.
    fn supposing(&mut self, ways: &mut [Option<Inflow>], to: BlockId, suppose: impl FnOnce(&mut Self) -> bool) {
        let flow = self.here.flow.clone();
        self.here.undo.clear();
        if suppose(self) {
            self.go(to, ways);
        }
        for (reg, value) in std::mem::take(&mut self.here.undo).into_iter().rev() {
            self.here.registers[reg] = value;
        }
        self.here.flow = flow;
    }

    fn go(&mut self, to: BlockId, ways: &mut [Option<Inflow>]) {
        let live = &self.code[self.here.thread].live_in[to.index()];
        self.work += live.len() as u64;
        let registers: Vec<Option<Value>> = live.iter().map(|reg| self.here.registers[reg.index()].clone()).collect();
        let flow = self.here.flow.clone();
        ways[to.index()] = Some(match ways[to.index()].take() {
            None => Inflow { registers, flow },
            Some(way) => {
                let registers = way.registers.into_iter().zip(&registers).map(|(a, b)| join_values(a, b)).collect();
                let flow = Flow {
                    shared: self.joined(way.flow.shared, flow.shared),
                    own: self.joined(way.flow.own, flow.own),
                    spawned: way.flow.spawned || flow.spawned,
                    first: way.flow.first || flow.first,
                    pending: way.flow.pending || flow.pending,
                };
                Inflow { registers, flow }
            }
        });
    }

    /// The join of two sets of changes.
    fn joined(&mut self, a: Changes, b: Changes) -> Changes {
        if Rc::ptr_eq(&a, &b) || *a == *b {
            return a;
        }
        self.work += (a.len() + b.len()) as u64;
        let mut all = BTreeMap::new();
        for cell in a.keys().chain(b.keys()) {
            let (one, other) = (a.get(cell), b.get(cell));
            if one.is_none() || other.is_none() || !all.contains_key(cell) {
                let before = self.before(*cell);
                let both = [one.copied().or(before), other.copied().or(before)];
                if let Some(range) = both.into_iter().flatten().reduce(Range::join) {
                    all.insert(*cell, range);
                }
            }
        }
        Rc::new(all)
    }

    /// The value of a cell at the beginning of the walk.
    pub(super) fn before(&self, cell: usize) -> Option<Range> {
        if self.cells.all[cell].own { self.cells.all[cell].initial } else { self.shared[cell] }
    }

    /// Makes all changes so far visible to other threads.
    pub(super) fn show(&mut self) {
        let changes = self.here.flow.shared.clone();
        if self.beginning && !self.here.flow.spawned {
            return;
        }
        self.here.flow.pending = false;
        self.work += changes.len() as u64;
        match self.shown.take() {
            None => self.shown = Some((*changes).clone()),
            Some(shown) if self.beginning => {
                let all = self.joined(Rc::new(shown), changes);
                self.shown = Some(Rc::unwrap_or_clone(all));
            }
            Some(shown) => {
                self.shown = Some(shown);
                changes.iter().for_each(|(cell, range)| self.show_cell(*cell, *range));
            }
        }
    }

    /// Makes the change of one cell visible.
    pub(super) fn show_cell(&mut self, cell: usize, range: Range) {
        if self.beginning && !self.here.flow.spawned {
            return;
        }
        let before = if self.beginning { self.shared[cell] } else { None };
        match &mut self.shown {
            Some(shown) if !self.here.flow.pending => {
                let known = shown.get(&cell).copied().or(before);
                shown.insert(cell, known.map_or(range, |known| known.join(range)));
            }
            _ => self.show(),
        }
    }
}

fn join_values(a: Option<Value>, b: &Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) if a == *b => Some(a),
        (Some(a), Some(b)) => Some(a.join(b)),
        _ => None,
    }
}
