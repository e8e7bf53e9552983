//! The text form of a bounded program (`--emit bounded`), and how to read it back.
//!
//! ```text
//! program lp64 entry @main
//! …
//! bounded
//! object @n 4 stack type t0 at f0:4:7
//! object @errno~t1 4 copy of @errno in thread 1 at f1:9:1
//! cut 0 loop 2 at f0:7:3
//!
//! thread 0 @main() {
//!   ptr %n
//!   i32 %t
//! b0:
//!   %n = create @n                    from @main entry:0 at f0:4:7
//!   %t = spawn thread 1(null, @n)     from @main entry:1 at f0:5:3
//!   proved memory, thread
//!   jump b1                           from @main entry:2
//! b1:
//!   finish @n                         from @main end:0
//!   stop                              from @main end:0
//! }
//! ```
//!
//! The program's own text comes first, up to the line `bounded`; the conventions are those of
//! [`selvedge_program::text`], and what has a name there keeps it. Nothing is lost: what is read is what was printed,
//! for every bounded program that keeps the rules of [`mod@crate::verify`].
//!
//! - The program's globals are objects without saying so. The others are declared in order; `~t1` marks the copy of
//!   thread 1.
//! - `from` names the operation of the program that a step comes from: function, block, index. A step that does not say
//!   it comes from the beginning of its thread's function.
//! - `proved` stands before a terminator.
//! - Blocks are called by their number; in a text that is read they may have any names.

mod parse;

pub use parse::{Unreadable, parse, program};

use crate::bounded::{Block, Bounded, CutKind, ObjectKind, Origin, StepOp, Terminator, Thread};
use selvedge_program::text::printing::{Printer, Scope, at, block_labels, is_plain, labels, object_type, quote};
use selvedge_program::{EntityRef, GlobalId, Operand, Property};
use std::fmt::{self, Display, Formatter, Write};

/// The program and what bounding made of it.
pub fn print(bounded: &Bounded<'_>) -> String {
    format!("{}\n{bounded}", bounded.program)
}

/// Only what bounding made of the program.
impl Display for Bounded<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut printer = BoundedPrinter {
            bounded: self,
            printer: Printer::new(self.program, object_labels(self)),
            blocks: self.program.functions.values().map(block_labels).collect(),
        };
        printer.print()?;
        f.write_str(&printer.printer.out)
    }
}

/// Objects whose names are no plain words are called `stack` and `heap`.
fn object_labels(bounded: &Bounded<'_>) -> Vec<String> {
    let functions = &bounded.program.functions;
    let names = bounded.objects.values().map(|object| match object.kind {
        ObjectKind::Stack if !is_plain(&object.name) => "stack",
        ObjectKind::Heap if !is_plain(&object.name) => "heap",
        ObjectKind::Global | ObjectKind::ThreadLocal { .. } | ObjectKind::Stack | ObjectKind::Heap => &object.name,
    });
    let names = functions.values().map(|function| function.name.as_str()).chain(names);
    let mut labels = labels(names.map(Some)).split_off(functions.len());
    for (id, object) in &bounded.objects {
        if let ObjectKind::ThreadLocal { of, thread } = object.kind
            && let Some(original) = labels.get(of.index())
        {
            labels[id.index()] = format!("{original}~t{thread}");
        }
    }
    labels
}

struct BoundedPrinter<'a> {
    bounded: &'a Bounded<'a>,
    printer: Printer<'a>,
    /// The labels of the blocks of each function.
    blocks: Vec<Vec<String>>,
}

impl BoundedPrinter<'_> {
    fn print(&mut self) -> fmt::Result {
        let bounded = self.bounded;
        writeln!(self.printer.out, "bounded")?;
        for (id, object) in bounded.objects.iter().skip(bounded.program.globals.len()) {
            let kind = match object.kind {
                ObjectKind::Global => "global".to_string(),
                ObjectKind::ThreadLocal { of, thread } => {
                    format!("copy of {} in thread {thread}", self.printer.global_label(of))
                }
                ObjectKind::Stack => "stack".to_string(),
                ObjectKind::Heap => "heap".to_string(),
            };
            let name = if is_plain(&object.name) { String::new() } else { format!(" {}", quote(&object.name)) };
            let (label, size) = (self.printer.global_label(id), object.size);
            let rest = format!("{}{}", object_type(object.ty, &object.padding), at(object.loc, None));
            writeln!(self.printer.out, "object {label} {size} {kind}{name}{rest}")?;
        }
        for (number, cut) in bounded.cuts.iter().enumerate() {
            let (word, limit) = match cut.kind {
                CutKind::Loop(limit) => ("loop", limit),
                CutKind::Recursion(limit) => ("recursion", limit),
                CutKind::Threads(limit) => ("threads", limit),
            };
            writeln!(self.printer.out, "cut {number} {word} {limit}{}", at(cut.loc, None))?;
        }
        for (number, thread) in bounded.threads.iter().enumerate() {
            let scope = Scope::new(&thread.regs, thread.blocks.keys().map(|id| id.to_string()).collect(), None);
            let head = format!("thread {number} {}", self.printer.func(thread.start));
            self.printer.head(&scope, &head, (&thread.params, &thread.regs), "")?;
            self.blocks(thread, &scope)?;
            writeln!(self.printer.out, "}}")?;
        }
        Ok(())
    }

    fn blocks(&mut self, thread: &Thread, scope: &Scope) -> fmt::Result {
        for (id, block) in &thread.blocks {
            writeln!(self.printer.out, "{id}:")?;
            for step in &block.steps {
                let text = self.step(scope, &step.op);
                self.printer.statement(&text, &self.origin(step.origin))?;
            }
            if !block.proved.is_empty() {
                let properties: Vec<&str> = block.proved.iter().map(Property::name).collect();
                self.printer.statement(&format!("proved {}", properties.join(", ")), "")?;
            }
            self.printer.statement(&self.terminator(scope, block), &self.origin(block.origin))?;
        }
        Ok(())
    }

    fn step(&self, scope: &Scope, op: &StepOp) -> String {
        let operands = |operands: &[Operand]| self.printer.operands(scope, operands);
        match op {
            StepOp::Plain(op) => self.printer.op(scope, op),
            StepOp::Create { dst, object, size } => {
                let size = size.map_or(String::new(), |size| format!(" of {} bytes", operands(&[size])));
                format!("{} = create {}{size}", scope.reg(*dst), self.printer.global_label(*object))
            }
            StepOp::End { objects } => self.all("end", objects),
            StepOp::Spawn { dst, thread, args } => {
                let dst = dst.map_or(String::new(), |dst| format!("{} = ", scope.reg(dst)));
                format!("{dst}spawn thread {thread}({})", operands(args))
            }
            StepOp::Finish { objects } => self.all("finish", objects),
        }
    }

    fn all(&self, word: &str, objects: &[GlobalId]) -> String {
        let labels: Vec<String> = objects.iter().map(|id| self.printer.global_label(*id)).collect();
        if labels.is_empty() { word.to_string() } else { format!("{word} {}", labels.join(", ")) }
    }

    fn terminator(&self, scope: &Scope, block: &Block) -> String {
        match (&block.term, block.term.of_program()) {
            (_, Some(term)) => self.printer.terminator(scope, &term),
            (Terminator::Cut(number), None) => format!("cut {number}"),
            (_, None) => "stop".to_string(),
        }
    }

    fn origin(&self, origin: Origin) -> String {
        let block = self.blocks.get(origin.function.index()).and_then(|blocks| blocks.get(origin.block.index()));
        let block = block.cloned().unwrap_or_else(|| format!("#{}", origin.block.index()));
        format!(" from {} {block}:{}{}", self.printer.func(origin.function), origin.index, at(origin.user, None))
    }
}
