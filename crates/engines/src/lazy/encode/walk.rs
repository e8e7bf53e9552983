//! The walk through a thread: block by block in their order, with the conditions under which each is entered.

use super::forwarding::both;
use super::{Coming, Encoder, Mode, Way};
use selvedge_bound::{BlockId, Terminator};
use selvedge_formula::{Term, Terms};
use selvedge_program::EntityRef;

/// After so many blocks, somebody may want us to stop.
const LOOK_UP: usize = 64;

impl Encoder<'_> {
    /// From the thread's first step to its last, whatever of it is executed.
    pub(super) fn walk(&mut self, number: usize, mut at_point: impl FnMut(&mut Self, usize)) {
        self.begin_walk(number);
        let thread = &self.bounded.threads[number];
        let mut ways = Coming::new();
        let first = Way {
            guard: Terms::TRUE,
            active: Terms::FALSE,
            decided: Terms::FALSE,
            section: None,
            span: None,
            registers: self.first_registers(number),
        };
        ways.insert(BlockId::new(0), vec![first]);
        for (block, body) in &thread.blocks {
            self.stopped |= block.index() % LOOK_UP == 0 && (self.stop)();
            if self.stopped {
                return;
            }
            let ways_in = ways.remove(&block).unwrap_or_default();
            let decided: Vec<Term> = ways_in.iter().map(|way| way.decided).collect();
            if !self.enter(block, ways_in) {
                self.settle_checks(body, &decided);
                continue;
            }
            if block.index() == 0 {
                at_point(self, 0);
            }
            for (step, this) in body.steps.iter().enumerate() {
                if let Some(point) = self.threads[number].points.at(block, step) {
                    at_point(self, point);
                }
                self.here.step = step;
                self.here.origin = this.origin;
                self.here.inside = self.threads[number].points.inside(block, step);
                self.step(&this.op);
            }
            self.here.origin = body.origin;
            self.settle_proved(body);
            self.leave(&body.term, &mut ways);
        }
    }

    /// Own objects are filled anew by every walk.
    pub(super) fn begin_walk(&mut self, number: usize) {
        self.said.clear();
        self.here.thread = number;
        let registers = self.bounded.threads[number].regs.len();
        self.here.registers.clear();
        self.here.registers.resize(registers, Terms::FALSE);
        for index in 0..self.threads[number].own.len() {
            let object = self.threads[number].own[index];
            self.memory.reset(&mut self.terms, object);
        }
    }

    /// Of the registers that are live at the start: parameters, and others that nobody set.
    pub(super) fn first_registers(&mut self, number: usize) -> Vec<Term> {
        let thread = &self.bounded.threads[number];
        let state = &self.threads[number];
        let model = self.bounded.program.data_model;
        let mut values = Vec::new();
        for reg in &state.live_in[0] {
            let param = thread.params.iter().position(|param| param == reg);
            let value = param.and_then(|param| state.args.get(param)).copied();
            values.push(value.unwrap_or_else(|| self.terms.constant(thread.regs[*reg].ty.bits(model), 0)));
        }
        values
    }

    /// Joins the ways into a block. False: there is none.
    pub(super) fn enter(&mut self, block: BlockId, ways: Vec<Way>) -> bool {
        let mut ways = ways.into_iter().filter(|way| way.guard != Terms::FALSE);
        let Some(mut joined) = ways.next() else { return false };
        for way in ways {
            for (mine, theirs) in joined.registers.iter_mut().zip(way.registers) {
                if *mine != theirs {
                    *mine = self.terms.ite(way.guard, theirs, *mine);
                }
            }
            joined.span = match (joined.active, way.active) {
                (Terms::FALSE, _) => way.span,
                (_, Terms::FALSE) => joined.span,
                _ => both(joined.span, way.span),
            };
            joined.guard = self.terms.or(joined.guard, way.guard);
            joined.active = self.terms.or(joined.active, way.active);
            joined.decided = self.terms.or(joined.decided, way.decided);
            if joined.section != way.section {
                joined.section = None;
            }
        }
        let here = &mut self.here;
        here.block = block;
        (here.guard, here.active) = (joined.guard, joined.active);
        (here.decided, here.section, here.span) = (joined.decided, joined.section, joined.span);
        for (reg, value) in self.threads[here.thread].live_in[block.index()].iter().zip(joined.registers) {
            here.registers[reg.index()] = value;
        }
        true
    }

    pub(super) fn leave(&mut self, term: &Terminator, ways: &mut Coming) {
        if matches!(term, Terminator::Cut(_)) && self.mode == Mode::Run && self.here.active != Terms::FALSE {
            self.cut();
        }
        let decided = if matches!(term, Terminator::Jump(_)) { self.here.decided } else { self.here.active };
        for (to, condition) in self.branches(term) {
            self.go(to, condition, decided, ways);
        }
    }

    /// Where the terminator leads, and when.
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

    pub(super) fn go(&mut self, to: BlockId, cond: Term, decided: Term, ways: &mut Coming) {
        let here = &self.here;
        let guard = self.terms.and(here.guard, cond);
        if guard == Terms::FALSE {
            // Nobody goes there, but the decision was made.
            let (active, section, span) = (Terms::FALSE, None, None);
            ways.entry(to).or_default().push(Way { guard, active, decided, section, span, registers: Vec::new() });
            return;
        }
        let registers = self.threads[here.thread].live_in[to.index()].iter().map(|reg| here.registers[reg.index()]);
        let way = Way {
            guard,
            active: self.terms.and(here.active, cond),
            decided,
            section: here.section,
            span: here.span,
            registers: registers.collect(),
        };
        ways.entry(to).or_default().push(way);
    }
}
