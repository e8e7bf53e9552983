//! Does a thread wait where it stands? A second code of a thread, made of its pieces that can wait: from a point to
//! where it waits, at most to the next point.
//!
//! It is run once, behind the last round, for threads that are guessed to wait for ever (`deadlock`). A thread that can
//! go on does not wait, so what comes behind the last possibility to wait is left out, and a run that gets there ends;
//! so does one that does something wrong, or meets a bound. Blocking undoes a section, but nothing is undone here:
//! where something was written before, or an input was given that another try might get differently, it is not known
//! whether the thread waits (`unsure`), and if that matters the answer is that it cannot be told.
//!
//! Registers that the probe writes have variables of their own. The others keep what the thread has in them.

use crate::code::{Block, Code, Item, What, Why};
use crate::driver;
use crate::lines::{Lines, Sources};
use crate::printer::Printer;
use crate::registers::Registers;
use crate::thread::{body, declarations};
use selvedge_analyze::{Facts, Inside};
use selvedge_bound::{BlockId, StepOp, Terminator};
use selvedge_program::{EntityRef, Intrinsic, Op, Operand, Reg};
use std::collections::BTreeSet;

/// From a point, or from the beginning of a block, to the next point or the end of the block.
struct Piece {
    block: usize,
    items: std::ops::Range<usize>,
}

/// The probe of a thread, of whose code nothing was taken out yet; if it can wait at all.
pub fn probe(facts: &Facts<'_>, code: &Code) -> Option<Code> {
    let may_wait = MayWait::new(code);
    let pieces: Vec<Piece> = code.blocks().flat_map(|(at, block)| may_wait.pieces(at, block)).collect();
    // Their labels are not those of the thread's own blocks.
    let first = code.blocks.len();
    let gone = BlockId::new(first + pieces.len());
    let (mut roots, mut starts) = (Vec::new(), vec![None; first]);
    for (number, piece) in pieces.iter().enumerate() {
        let begins_at = code.blocks[piece.block].as_ref()?.items.get(piece.items.start).and_then(|item| item.point);
        match begins_at {
            Some(point) => roots.push((point, first + number)),
            None => starts[piece.block] = Some(BlockId::new(first + number)),
        }
    }
    // Main has left its beginning behind.
    if let Some(start) = starts[0].filter(|_| code.thread != 0) {
        roots.push((0, start.index()));
    }
    let mut blocks: Vec<Option<Block>> = vec![None; first];
    for piece in &pieces {
        let block = code.blocks[piece.block].as_ref()?;
        let kept = piece.items.clone().filter(|index| may_wait.matters(piece.block, block, *index));
        let mut items: Vec<Item> = kept.map(|index| Item { point: None, ..block.items[index].clone() }).collect();
        items.iter_mut().for_each(|item| drop_unrecorded(facts, code.thread, item));
        let is_last = piece.items.end == block.items.len();
        let term = if is_last { ways_on(block, &starts, gone) } else { Terminator::Stop };
        blocks.push(Some(Block { items, term, origin: block.origin }));
    }
    blocks.push(Some(Block { items: Vec::new(), term: Terminator::Stop, origin: code.blocks[0].as_ref()?.origin }));
    let (thread, points, stops) = (code.thread, code.points, code.stops.clone());
    let mut probe = Code { thread, blocks, roots, is_probe: true, points, stops };
    probe.tidy(facts);
    (!probe.roots.is_empty()).then_some(probe)
}

/// A thread that a section waits for inside of another section is not recorded.
fn drop_unrecorded(facts: &Facts<'_>, thread: usize, item: &mut Item) {
    let is_nested = facts.points[thread].is_nested(item.at.0, item.at.1);
    let is_outside = facts.points[thread].inside(item.at.0, item.at.1) == Inside::Nothing;
    if matches!(item.what, Some(What::Awaits(_))) && (is_nested || is_outside) {
        item.what = None;
    }
}

/// The ways out of a block, as far as they lead to where the thread can wait.
fn ways_on(block: &Block, starts: &[Option<BlockId>], gone: BlockId) -> Terminator {
    let to = |block: &BlockId| starts[block.index()].unwrap_or(gone);
    match &block.term {
        Terminator::Jump(next) => Terminator::Jump(to(next)),
        Terminator::Branch { cond, then, otherwise } => {
            Terminator::Branch { cond: *cond, then: to(then), otherwise: to(otherwise) }
        }
        Terminator::Switch { value, cases, default } => {
            let cases = cases.iter().map(|(case, next)| (*case, to(next))).collect();
            Terminator::Switch { value: *value, cases, default: to(default) }
        }
        end @ (Terminator::Cut(_) | Terminator::Stop) => end.clone(),
    }
}

/// By block and item, and at the end of a block: can the thread wait from here on, before its next point?
struct MayWait(Vec<Vec<bool>>);

impl MayWait {
    fn new(code: &Code) -> MayWait {
        let mut may_wait = MayWait(vec![vec![false]; code.blocks.len()]);
        for (at, block) in code.blocks().rev() {
            let enters = |to: BlockId| {
                let begins = code.blocks[to.index()].as_ref().and_then(|block| block.items.first());
                begins.is_none_or(|item| item.point.is_none()) && may_wait.0[to.index()][0]
            };
            let mut here = vec![false; block.items.len() + 1];
            here[block.items.len()] = block.term.successors().into_iter().any(enters);
            may_wait.0[at] = here;
            for index in (0..block.items.len()).rev() {
                may_wait.0[at][index] = may_wait.matters(at, block, index);
            }
        }
        may_wait
    }

    /// Is this a place to wait, or does it lead to one?
    fn matters(&self, at: usize, block: &Block, index: usize) -> bool {
        let waits = match &block.items[index].what {
            Some(What::Require { cond, holds, why: Why::Wait, halts: false }) => *cond != Operand::bool(*holds),
            _ => false,
        };
        let is_over = block.items.get(index + 1).is_some_and(|next| next.point.is_some());
        waits || !is_over && self.0[at][index + 1]
    }

    /// Those of a block in which the thread can wait.
    fn pieces(&self, at: usize, block: &Block) -> Vec<Piece> {
        let points = (1..block.items.len()).filter(|index| block.items[*index].point.is_some());
        let starts: Vec<usize> = std::iter::once(0).chain(points).collect();
        let ends = starts.iter().skip(1).copied().chain([block.items.len()]);
        let pieces = starts.iter().zip(ends).filter(|(start, _)| self.0[at][**start]);
        pieces.map(|(start, end)| Piece { block: at, items: *start..end }).collect()
    }
}

/// Prints the probe behind its thread, which it may use the variables of; and the declarations of its own.
pub fn print(
    printer: &mut Printer<'_, '_>,
    lines: &mut Lines,
    sources: &mut Sources,
    probe: &Code,
    registers: Registers,
) -> String {
    let written: BTreeSet<Reg> = probe.steps().flat_map(|(_, op)| op.defs()).collect();
    let theirs = printer.variables.clone();
    let needed = registers.needed.clone();
    printer.variables.retain(|reg, _| !written.contains(reg));
    let known: BTreeSet<Reg> = printer.variables.keys().copied().collect();
    (printer.registers, printer.is_probe, printer.unbounded) = (registers, true, written.clone());
    let pc = driver::pc(printer.cx.options, printer.number);
    lines.control("return;");
    let ways: String = probe.roots.iter().map(|(point, root)| format!("if ({pc} == {point}) goto b{root}; ")).collect();
    lines.control(&format!("probe: {ways}ASSUME(0)"));
    body(printer, lines, sources, probe, String::new(), |printer, at| {
        // Registers that it writes itself begin with the thread's values.
        let Some(root) = probe.roots.iter().position(|(_, root)| *root == at) else { return };
        for reg in needed[root].iter().filter(|reg| written.contains(reg)) {
            if let Some(before) = theirs.get(reg) {
                let own = printer.variable(*reg, before.ty);
                printer.emit(format!("{} = {};", own.name, before.name));
            }
        }
    });
    lines.control("waits:;");
    declarations(printer, &known)
}

impl Printer<'_, '_> {
    /// In a probe: what a requirement comes to.
    pub fn probe_requirement(&mut self, condition: &str, why: &Why, halts: bool) {
        match why {
            Why::Wait if !halts => self.emit(format!("WAITS({condition})")),
            _ => self.emit(format!("ASSUME({condition})")),
        }
    }

    /// It is known whether it waits in vain: the threads that wait for ever were guessed before.
    pub fn awaits(&mut self, whom: Operand) {
        let threads = self.cx.facts.bounded.threads.len();
        if let Operand::Const { bits, .. } = whom {
            if let Some(thread) = usize::try_from(bits).ok().filter(|thread| *thread < threads) {
                self.emit(format!("if (IN_VAIN({thread})) helpless = 1;"));
            }
            return;
        }
        let possible = self.cx.facts.interference.values().of(self.number, whom);
        let whom = self.value(whom);
        let in_vain = (0..threads).filter(|thread| possible.may_be(*thread as u128));
        let in_vain: Vec<String> =
            in_vain.map(|thread| format!("({} == {thread} && IN_VAIN({thread}))", whom.tight())).collect();
        if !in_vain.is_empty() {
            self.emit(format!("if ({}) helpless = 1;", in_vain.join(" || ")));
        }
    }

    /// It may be that a section which did this does not wait after all.
    pub fn note_unsure(&mut self, item: &Item, op: &StepOp) {
        let is_outside = self.cx.facts.points[self.number].inside(item.at.0, item.at.1) == Inside::Nothing;
        let is_harmless = match op {
            StepOp::Plain(Op::Nondet { .. }) => is_outside,
            StepOp::Plain(op) => {
                let frees = matches!(op, Op::Intrinsic { which: Intrinsic::Free, .. });
                !frees && !op.memory().any(|access| access.writes)
            }
            StepOp::Create { .. } | StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => false,
        };
        if !is_harmless {
            self.unsure();
            self.emit("unsure = 1;".to_string());
        }
    }

    /// From here on nothing is known: as if it waited.
    pub fn unknown(&mut self) {
        self.unsure();
        self.emit("unsure = 1; goto waits;".to_string());
    }

    fn unsure(&mut self) {
        let place = self.cx.program().source.describe(self.loc);
        self.cx.unsure_at.get_or_insert(place);
    }
}
