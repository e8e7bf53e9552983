//! The walk through a thread: block by block in their order, with the conditions under which each is entered.

use super::forks::Forks;
use super::forwarding::Forwarding;
use super::load::Kept;
use super::memory::Memory;
use super::probe::{Announced, Probe};
use super::process::Process;
use super::ranges::Ranges;
use super::record::{Event, EventKind, Record};
use super::segment::Segment;
use super::store_buffer::Buffers;
use super::turns::Span;
use super::{Encoder, Interrupt};
use hashbrown::HashMap;
use selvedge_analyze::Facts;
use selvedge_analyze::points::{Inside, Points};
use selvedge_bound::{BlockId, Bounded, Origin, Terminator};
use selvedge_formula::{Term, Terms};
use selvedge_program::{EntityRef, Operand, Reg, Ty};
use std::collections::BTreeMap;

/// The number of blocks between two looks at the clock.
const LOOK_UP: usize = 64;

/// A step of the bounded program: its thread, block and number.
pub(super) type StepId = (usize, BlockId, usize);

/// The purpose of a walk, with what it finds out.
pub(super) enum Mode<'e> {
    /// A turn in a round: the whole thread is walked through, and what lies between its stops happens.
    Round(Forwarding<'e>),
    /// A single segment, in one state.
    Segment(&'e Forks, &'e mut Segment),
    /// Does the thread wait where it stands? Nothing of what it would do happens.
    Probe(&'e mut Probe),
}

/// The position of the walk.
pub(super) struct Here {
    pub thread: usize,
    pub block: BlockId,
    pub step: usize,
    pub origin: Origin,
    pub inside: Inside,
    /// The way here is the one taken. It is the same in all rounds, but for what loads gave.
    pub guard: Term,
    /// The step here is executed in this turn.
    pub active: Term,
    /// The decision that led here is taken in this turn.
    pub decided: Term,
    /// The section that we are in, by its event.
    pub section: Option<usize>,
    /// The segments that we may be in, if this is a turn of a schedule.
    pub span: Option<Span>,
    pub registers: Vec<Term>,
}

impl Here {
    pub fn id(&self) -> StepId {
        (self.thread, self.block, self.step)
    }
}

/// An edge into a block.
pub(super) struct Edge {
    guard: Term,
    active: Term,
    pub decided: Term,
    section: Option<usize>,
    span: Option<Span>,
    /// The values of registers that are live in the block, in order.
    registers: Vec<Term>,
}

/// The edges into blocks that the walk has not come to yet.
pub(super) type Edges = BTreeMap<BlockId, Vec<Edge>>;

/// One walk through a thread, or a part of it, and all that it may change.
pub(super) struct Walk<'e, 'b> {
    pub facts: &'b Facts<'b>,
    pub terms: &'e mut Terms,
    pub memory: &'e mut Memory<'b>,
    pub process: &'e mut Process,
    pub kept: Option<&'e mut Kept>,
    pub inputs: &'e mut HashMap<StepId, Term>,
    pub ranges: &'e mut Ranges<'b>,
    pub record: &'e mut Record,
    pub buffers: &'e mut Buffers,
    pub interrupt: &'e mut Interrupt<'b>,
    /// By block of the thread.
    pub live_in: &'e [Vec<Reg>],
    pub points: &'b Points,
    pub mode: Mode<'e>,
    pub here: Here,
    /// Has something gone wrong in this walk?
    pub violated: Term,
    /// Has the step made a store that others may see, outside of sections? Only under memory models with store buffers.
    pub stored: Term,
    /// The threads that sections say they wait for, until they do or do not.
    pub announced: Vec<Announced>,
}

impl<'b> Encoder<'b> {
    /// Begins a walk before the thread's first step, which it does not execute yet.
    pub(super) fn walk<'e>(&'e mut self, thread: usize, mode: Mode<'e>) -> Walk<'e, 'b> {
        let body = &self.facts.bounded.threads[thread];
        let here = Here {
            thread,
            block: BlockId::new(0),
            step: 0,
            origin: body.blocks[BlockId::new(0)].origin,
            inside: Inside::Nothing,
            guard: Terms::TRUE,
            active: Terms::FALSE,
            decided: Terms::FALSE,
            section: None,
            span: None,
            registers: vec![Terms::FALSE; body.regs.len()],
        };
        Walk {
            facts: self.facts,
            terms: &mut self.terms,
            memory: &mut self.memory,
            process: &mut self.process,
            kept: self.kept.as_mut(),
            inputs: &mut self.inputs,
            ranges: &mut self.ranges,
            record: &mut self.record,
            buffers: &mut self.buffers,
            interrupt: &mut self.interrupt,
            live_in: &self.live_in[thread],
            points: &self.facts.points[thread],
            mode,
            here,
            violated: Terms::FALSE,
            stored: Terms::FALSE,
            announced: Vec::new(),
        }
    }

    /// The values of registers that are live at the start of a thread: parameters, and registers that were never set.
    pub(super) fn first_registers(&mut self, number: usize) -> Vec<Term> {
        let thread = &self.facts.bounded.threads[number];
        let model = self.facts.bounded.program.data_model;
        let mut values = Vec::new();
        for reg in &self.live_in[number][0] {
            let param = thread.params.iter().position(|param| param == reg);
            let value = param.and_then(|param| self.process.threads[number].args.get(param)).copied();
            values.push(value.unwrap_or_else(|| self.terms.constant(thread.regs[*reg].ty.bits(model), 0)));
        }
        values
    }
}

impl<'b> Walk<'_, 'b> {
    pub(super) fn bounded(&self) -> &'b Bounded<'b> {
        self.facts.bounded
    }

    pub(super) fn is_probe(&self) -> bool {
        matches!(self.mode, Mode::Probe(_))
    }

    /// From the thread's first step to its last, whatever of it is executed.
    pub(super) fn whole_thread(&mut self, registers: Vec<Term>, mut at_point: impl FnMut(&mut Self, usize)) {
        self.memory.reset_own(self.terms, self.here.thread);
        let mut edges = Edges::new();
        let (guard, active, decided) = (Terms::TRUE, Terms::FALSE, Terms::FALSE);
        let first = Edge { guard, active, decided, section: None, span: None, registers };
        edges.insert(BlockId::new(0), vec![first]);
        for (block, body) in &self.bounded().threads[self.here.thread].blocks {
            if self.interrupt.is_over(block.index() % LOOK_UP == 0) {
                return;
            }
            let edges_in = edges.remove(&block).unwrap_or_default();
            let decided: Vec<Term> = edges_in.iter().map(|edge| edge.decided).collect();
            if !self.enter(block, edges_in) {
                self.settle_checks(body, &decided);
                continue;
            }
            if block.index() == 0 {
                at_point(self, 0);
            }
            for step in 0..body.steps.len() {
                if let Some(point) = self.points.at(block, step) {
                    at_point(self, point);
                }
                self.step(step);
            }
            self.end_block();
            self.leave(&body.term, &mut edges);
        }
    }

    /// Joins the edges into a block. False: there is none.
    pub(super) fn enter(&mut self, block: BlockId, edges: Vec<Edge>) -> bool {
        let mut edges = edges.into_iter().filter(|edge| edge.guard != Terms::FALSE);
        let Some(mut joined) = edges.next() else { return false };
        for edge in edges {
            for (mine, theirs) in joined.registers.iter_mut().zip(edge.registers) {
                if *mine != theirs {
                    *mine = self.terms.ite(edge.guard, theirs, *mine);
                }
            }
            joined.span = match (joined.active, edge.active) {
                (Terms::FALSE, _) => edge.span,
                (_, Terms::FALSE) => joined.span,
                _ => both(joined.span, edge.span),
            };
            joined.guard = self.terms.or(joined.guard, edge.guard);
            joined.active = self.terms.or(joined.active, edge.active);
            joined.decided = self.terms.or(joined.decided, edge.decided);
            if joined.section != edge.section {
                joined.section = None;
            }
        }
        let here = &mut self.here;
        here.block = block;
        (here.guard, here.active) = (joined.guard, joined.active);
        (here.decided, here.section, here.span) = (joined.decided, joined.section, joined.span);
        for (reg, value) in self.live_in[block.index()].iter().zip(joined.registers) {
            here.registers[reg.index()] = value;
        }
        true
    }

    pub(super) fn leave(&mut self, term: &Terminator, edges: &mut Edges) {
        if matches!(term, Terminator::Cut(_)) && !self.is_probe() && self.here.active != Terms::FALSE {
            self.cut();
        }
        let decided = if matches!(term, Terminator::Jump(_)) { self.here.decided } else { self.here.active };
        for (to, condition) in self.branches(term) {
            self.go(to, condition, decided, edges);
        }
    }

    /// The terminator's targets, each with its condition.
    pub(super) fn branches(&mut self, term: &Terminator) -> Vec<(BlockId, Term)> {
        match term {
            Terminator::Jump(to) => vec![(*to, Terms::TRUE)],
            Terminator::Branch { cond, then, otherwise } => {
                let cond = self.value(*cond);
                vec![(*then, cond), (*otherwise, self.terms.not(cond))]
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.value(*value);
                let bits = self.terms.bits(value);
                let mut rest = Terms::TRUE;
                let mut branches = Vec::with_capacity(cases.len() + 1);
                for (case, to) in cases {
                    let case = self.terms.constant(bits, *case);
                    let hit = self.terms.eq(value, case);
                    let taken = self.terms.and(rest, hit);
                    let missed = self.terms.not(hit);
                    rest = self.terms.and(rest, missed);
                    branches.push((*to, taken));
                }
                branches.push((*default, rest));
                branches
            }
            Terminator::Cut(_) | Terminator::Stop => Vec::new(),
        }
    }

    pub(super) fn go(&mut self, to: BlockId, cond: Term, decided: Term, edges: &mut Edges) {
        let here = &self.here;
        let guard = self.terms.and(here.guard, cond);
        let edge = if guard == Terms::FALSE {
            // No run goes there, but the decision was made.
            let (active, section, span) = (Terms::FALSE, None, None);
            Edge { guard, active, decided, section, span, registers: Vec::new() }
        } else {
            let registers = self.live_in[to.index()].iter().map(|reg| here.registers[reg.index()]).collect();
            let active = self.terms.and(here.active, cond);
            Edge { guard, active, decided, section: here.section, span: here.span, registers }
        };
        edges.entry(to).or_default().push(edge);
    }

    // Registers, operands and events.

    pub(super) fn set(&mut self, reg: Reg, value: Term) {
        debug_assert_eq!(self.terms.bits(value), self.reg_bits(reg), "the width of {reg}");
        self.here.registers[reg.index()] = value;
    }

    pub(super) fn reg_type(&self, reg: Reg) -> Ty {
        self.bounded().threads[self.here.thread].regs[reg].ty
    }

    pub(super) fn reg_bits(&self, reg: Reg) -> u32 {
        self.reg_type(reg).bits(self.bounded().program.data_model)
    }

    pub(super) fn operand_type(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.reg_type(reg),
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    pub(super) fn value(&mut self, operand: Operand) -> Term {
        match operand {
            Operand::Reg(reg) => self.here.registers[reg.index()],
            Operand::Const { .. } | Operand::Global { .. } | Operand::Func(_) => {
                let bits = self.operand_type(operand).bits(self.bounded().program.data_model);
                self.terms.constant(bits, self.memory.pointers.address(operand).unwrap_or(0))
            }
        }
    }

    /// Records an event of the step, if it is executed.
    pub(super) fn happens(&mut self, kind: EventKind) {
        if self.here.active != Terms::FALSE && !self.is_probe() {
            self.record.events.push(Event { thread: self.here.thread, when: self.here.active, kind });
        }
    }
}

/// The span where two edges meet.
fn both(a: Option<Span>, b: Option<Span>) -> Option<Span> {
    a.zip(b).map(|((a_first, a_last), (b_first, b_last))| (a_first.min(b_first), a_last.max(b_last)))
}
