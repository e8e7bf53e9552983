//! Blocks of memory that are copied or filled: one store of many bytes.

use super::{Content, Slot, Target, stored, target};
use crate::expression::Expr;
use crate::printer::Printer;
use selvedge_program::{Operand, Property};
use std::fmt::Write;

/// Larger blocks are not supported.
const LARGEST: u64 = 4096;

/// The beginning of a block: the operand, and its printed form.
pub type Start<'p> = (Operand, &'p Expr);

/// The source of a block's bytes.
pub enum Source<'p> {
    Memory(Start<'p>),
    Byte(&'p Expr),
}

impl Printer<'_, '_> {
    /// A block of memory is about to be copied (`from`) or filled. True: that is done, since it may wait, or is read
    /// from stores that do.
    pub fn block(&mut self, (dst, to): Start<'_>, len: Operand, from: &Source<'_>) -> bool {
        let own = if matches!(from, Source::Memory(_)) { self.own() } else { Vec::new() };
        let (site, to) = (self.site(), to.tight());
        if site.is_none() && own.is_empty() {
            self.in_place(|_| to.clone());
            return false;
        }
        let bytes = match len {
            Operand::Const { bits, .. } => u64::try_from(bits).ok().filter(|bytes| *bytes <= LARGEST),
            Operand::Reg(_) | Operand::Global { .. } | Operand::Func(_) => None,
        };
        let bytes = bytes.unwrap_or_else(|| {
            self.unsupported("a block of memory of unknown size, or a large one, in a store buffer");
            0
        });
        self.check_bytes(dst, &to, bytes);
        let name = match site {
            Some(site) => stored(site),
            None => format!("loaded_{}", self.cx.buffers.loaded.len()),
        };
        let mut declaration = format!("static unsigned char {name}[{}];\n", bytes.max(1));
        match from {
            Source::Memory((src, from)) => {
                let from = from.tight();
                self.check_bytes(*src, &from, bytes);
                self.flush_memory();
                self.emit(format!("memcpy({name}, {from}, {bytes});"));
                self.lay_over(&own, &name, &from);
            }
            Source::Byte(byte) => {
                self.flush_memory();
                self.emit(format!("memset({name}, {}, {bytes});", byte.text));
            }
        }
        match site {
            Some(site) => {
                let _ = writeln!(declaration, "static void *{};", target(site));
                self.emit(format!("{} = {to};", target(site)));
                self.make(site, Slot { target: Target::Address, content: Content::Block(bytes), declaration });
            }
            None => {
                self.cx.buffers.loaded.push(declaration);
                self.in_place(|_| to.clone());
                self.emit(format!("memmove({to}, {name}, {bytes});"));
            }
        }
        true
    }

    /// A store is checked when it is made.
    fn check_bytes(&mut self, operand: Operand, pointer: &str, bytes: u64) {
        let may_end = match operand {
            Operand::Global { id, .. } => self.cx.objects.get(&id).is_none_or(|object| object.mortal),
            Operand::Reg(_) | Operand::Const { .. } | Operand::Func(_) => true,
        };
        let fine = format!("READABLE({pointer}, {bytes})");
        match self.cx.checks(Property::Memory) {
            _ if !may_end && self.is_within(operand, Operand::int(64, bytes.into())) => {}
            true => self.assert(&fine, Property::Memory, "uses memory that it must not"),
            false => self.end_unless(&fine),
        }
    }
}
