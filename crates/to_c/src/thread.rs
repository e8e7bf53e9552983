//! One thread's function: labels, the guards of lazy sequentialization, and the program's code in between.
//!
//! Before the code of point i stands `J(i, j)`, which leads to the next point j when that code ran in an earlier
//! turn, or will run in a later one. Behind a jump over points stands `G(j)`: a turn that was guessed to end at
//! a point that was jumped over is none (CAV 2014, section 3). What is kept from turn to turn is `static`.

use crate::code::{Block, Code, What, Why};
use crate::context::Context;
use crate::lines::{Lines, Sources};
use crate::printer::Printer;
use crate::probe;
use crate::registers::{Kept, Registers, Storage};
use selvedge_bound::{BlockId, CutKind, StepOp, Terminator};
use selvedge_program::{EntityRef, Operand, Reg, SourceMap};
use std::collections::BTreeSet;

/// The places of a thread's points.
struct Labels {
    /// By block: so many points are printed before it. One more at the end.
    before: Vec<usize>,
    /// Those that are printed, in order; the last is the thread's end.
    printed: Vec<usize>,
}

impl Labels {
    fn new(code: &Code) -> Labels {
        let (mut before, mut printed) = (Vec::new(), vec![0]);
        for block in &code.blocks {
            before.push(printed.len());
            let points = block.iter().flat_map(|block| &block.items).filter_map(|item| item.point);
            printed.extend(points.filter(|point| *point != 0));
        }
        before.push(printed.len());
        printed.push(code.points);
        Labels { before, printed }
    }

    fn after(&self, point: usize) -> usize {
        let index = self.printed.partition_point(|printed| *printed <= point);
        self.printed.get(index).copied().unwrap_or(0)
    }
}

/// The function that simulates a thread, as text.
pub fn thread(cx: &mut Context<'_>, sources: &mut Sources, code: &Code, probe: Option<&Code>) -> String {
    let number = code.thread;
    let bounded = &cx.facts.bounded.threads[number];
    let probe = probe.map(|probe| (probe, Registers::new(probe, bounded, &cx.types, &Kept::new())));
    let kept = probe.as_ref().map_or(Kept::new(), |(probe, registers)| {
        probe.roots.iter().zip(&registers.needed).map(|((point, _), needed)| (*point, needed.clone())).collect()
    });
    let registers = Registers::new(code, bounded, &cx.types, &kept);
    let mut printer = Printer::new(cx, number, registers);
    let mut lines = Lines::default();
    let probing = if probe.is_some() { "if (probing) goto probe;\n" } else { "" };
    let first = Labels::new(code).after(0);
    let prefix = match number {
        0 => format!("FIRST({first})"),
        _ => format!("J(0, {first})"),
    };
    body(&mut printer, &mut lines, sources, code, prefix, |_, _| {});
    let mut variables = declarations(&mut printer, &BTreeSet::new());
    let end = match code.halts() {
        true => format!("END({})", code.points),
        false => format!("G({})", code.points),
    };
    let label = if lines.text.contains("goto end;") { "end: " } else { "" };
    lines.control(&format!("{label}{end}"));
    lines.control(&format!("L{}:;", code.points));
    if let Some((probe, registers)) = probe {
        variables.push_str(&probe::print(&mut printer, &mut lines, sources, probe, registers));
    }
    let (flush, turn) = (cx.flush(number), cx.buffers.turn(number));
    format!("{flush}static void thread_{number}(void)\n{{\n{variables}{probing}{turn}{}}}\n", lines.text)
}

/// All blocks, in order. `prefix` stands before the first; `begin` may say something first in each.
pub fn body(
    printer: &mut Printer<'_, '_>,
    lines: &mut Lines,
    sources: &mut Sources,
    code: &Code,
    mut prefix: String,
    begin: impl Fn(&mut Printer<'_, '_>, usize),
) {
    let labels = Labels::new(code);
    let (jumped, guarded) = (jumped_to(code), guarded(code, &labels));
    let order: Vec<usize> = code.blocks().map(|(at, _)| at).collect();
    let source: &SourceMap = &printer.cx.program().source;
    for (position, (at, block)) in code.blocks().enumerate() {
        if at != 0 {
            prefix.clear();
        }
        if jumped[at] {
            prefix = format!("b{at}:");
            let next = labels.printed[labels.before[at]];
            prefix.push_str(&if guarded[at] { format!(" G({next})") } else { ";".to_string() });
        }
        begin(printer, at);
        for (index, item) in block.items.iter().enumerate() {
            if let Some(point) = item.point.filter(|point| *point != 0) {
                let (statements, braces) = printer.take_piece();
                lines.piece(source, sources, &prefix, &statements, braces);
                prefix = format!("L{point}: J({point}, {})", labels.after(point));
            }
            printer.loc = item.origin.user;
            printer.halts = item.halts && !printer.is_probe;
            printer.require(item, code.points);
            printer.step(code, at, index, item);
        }
        printer.loc = block.origin.user;
        printer.terminator(code, block, order.get(position + 1).copied());
        let (statements, braces) = printer.take_piece();
        lines.piece(source, sources, &prefix, &statements, braces);
        prefix.clear();
    }
    // A thread that never runs.
    if order.is_empty() {
        lines.control(&prefix);
    }
}

/// Blocks that are not reached by falling into them only.
fn jumped_to(code: &Code) -> Vec<bool> {
    let mut jumped = vec![false; code.blocks.len()];
    code.roots.iter().for_each(|(_, root)| jumped[*root] = code.is_probe);
    let order: Vec<usize> = code.blocks().map(|(at, _)| at).collect();
    for (position, (_, block)) in code.blocks().enumerate() {
        let next = order.get(position + 1).copied();
        let falls = |to: &BlockId| Some(to.index()) == next;
        match &block.term {
            Terminator::Switch { .. } => block.term.successors().iter().for_each(|to| jumped[to.index()] = true),
            term => term.successors().iter().filter(|to| !falls(to)).for_each(|to| jumped[to.index()] = true),
        }
    }
    jumped
}

/// Blocks into which some jump leads over points.
fn guarded(code: &Code, labels: &Labels) -> Vec<bool> {
    let mut guarded = vec![false; code.blocks.len()];
    for (from, block) in code.blocks() {
        for to in block.term.successors() {
            guarded[to.index()] |= labels.before[from + 1] != labels.before[to.index()];
        }
    }
    guarded
}

/// Declares the variables that are neither declared where they are used, nor known.
pub fn declarations(printer: &mut Printer<'_, '_>, known: &BTreeSet<Reg>) -> String {
    let mut text = String::new();
    for (reg, variable) in printer.variables.clone() {
        if known.contains(&reg) {
            continue;
        }
        let word = match printer.registers.storage[reg.index()] {
            Storage::Static => "static ",
            Storage::Local => "",
            Storage::Scoped | Storage::Argument => continue,
        };
        let narrow = printer.narrow(reg, variable.ty);
        if word == "static " {
            let declared = u64::from(printer.bits(Operand::Reg(reg)));
            printer.cx.count_bits(declared, narrow.map_or(declared, |bits| u64::from(bits.count)));
        }
        let declared = match narrow {
            Some(bits) => printer.cx.narrow(variable.ty, bits, &variable.name),
            None => printer.cx.variable(variable.ty, &variable.name),
        };
        text.push_str(&format!("    {word}{declared};\n"));
    }
    text
}

impl Printer<'_, '_> {
    fn terminator(&mut self, code: &Code, block: &Block, next: Option<usize>) {
        let is_next = |to: &BlockId| Some(to.index()) == next;
        match &block.term {
            Terminator::Jump(to) if is_next(to) => {}
            Terminator::Jump(to) => self.emit(format!("goto b{};", to.index())),
            Terminator::Branch { cond, then, otherwise } => {
                let cond = self.value(*cond);
                if is_next(then) {
                    self.emit(format!("if ({}) goto b{};", cond.condition(false), otherwise.index()));
                } else {
                    self.emit(format!("if ({}) goto b{};", cond.text, then.index()));
                    if !is_next(otherwise) {
                        self.emit(format!("goto b{};", otherwise.index()));
                    }
                }
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.value(*value).with_sign(false);
                let mut text = format!("switch ({}) {{ ", value.text);
                // Unreachable targets have no code.
                let exists = |to: &BlockId| code.blocks[to.index()].is_some();
                for (case, to) in cases.iter().filter(|(_, to)| exists(to)) {
                    text.push_str(&format!("case {case}u: goto b{}; ", to.index()));
                }
                let otherwise = match exists(default) {
                    true => format!("goto b{};", default.index()),
                    false => "ASSUME(0)".to_string(),
                };
                self.emit(format!("{text}default: {otherwise} }}"));
            }
            Terminator::Cut(_) | Terminator::Stop => match block.items.last().and_then(|item| item.what.as_ref()) {
                Some(What::Step(StepOp::Finish { .. })) if next.is_none() => {}
                Some(What::Step(StepOp::Finish { .. })) => self.emit("goto end;".to_string()),
                // It has said so itself.
                Some(What::Require { cond, holds, .. }) if *cond == Operand::bool(!holds) => {}
                _ => self.emit("ASSUME(0)".to_string()),
            },
        }
    }

    /// Nothing follows unless the condition holds.
    pub fn requirement(&mut self, condition: &str, why: &Why, halts: bool, end: usize) {
        if self.is_probe {
            return self.probe_requirement(condition, why, halts);
        }
        let comment = match why {
            Why::Bound(cut) => {
                let cut = self.cx.facts.bounded.cuts[*cut];
                let place = self.cx.program().source.describe(cut.loc);
                match cut.kind {
                    CutKind::Loop(n) => format!(" /* the loop at {place}: {n} iterations */"),
                    CutKind::Recursion(n) => format!(" /* the call at {place}: {n} deep */"),
                    CutKind::Threads(n) => format!(" /* {place}: {n} threads */"),
                }
            }
            _ => String::new(),
        };
        match why {
            Why::Violation(property, text) => self.assert(condition, *property, text),
            Why::Wait if halts && self.cx.options.asks_for_deadlocks() => {
                self.emit(format!(
                    "if ({}) stuck_{} = 1; HALT({condition}, {end})",
                    format_args!("!({condition})"),
                    self.number
                ));
            }
            _ if halts => self.emit(format!("HALT({condition}, {end}){comment}")),
            Why::Wait | Why::Assumed => self.emit(format!("ASSUME({condition})")),
            Why::Bound(_) => self.emit(format!("BOUND({condition}){comment}")),
        }
    }
}
