//! The text form of a program (`--emit program`), and how to read it back.
//!
//! ```text
//! program lp64 entry @main
//! file f0 "examples/bank.c"
//! type t0 = int "int" 32 signed
//! global @count 4 align 4 type t0 at f0:3:5
//! fn @main() -> i32 at f0:10:1 {
//!   i32 %old, %new
//! entry:
//!   %old = load @count "count"       at 12:5
//!   %new = add checked %old, 1i32    at 12:10
//!   store i32 %new to @count "count" at 12:8
//!   return 0i32                      at 13:3
//! }
//! ```
//!
//! Nothing is lost: `parse(print(p)) == p`, also for programs that break the rules of
//! [`crate::verify`]. The conventions:
//!
//! - A statement is a line; `;` starts a comment.
//! - `%x` is a register, `@x` a function or a global, a bare word a block. A thing without a name
//!   is written by its number (`%7`); a name that is taken already gets its number (`%x~7`); a name
//!   that is no plain word is quoted (`%"a b"`). `%#99`, `@#fn9`, `@#global9` and `#9` are bare
//!   numbers, for what does not exist.
//! - A function's registers are declared before its first block, parameters in its head.
//! - Constants carry their type: `-1i32`, `true`, `1.5f64`, `null`.
//! - An atomic operation is `seq_cst` unless it says another order: `load acquire @x`, `rmw add relaxed @x, 1i32`,
//!   `cmpxchg acq_rel acquire …` (if it succeeds, if it fails), `fence release`. A load or store that is `seq_cst` is
//!   `atomic`.
//! - `program lp64 tso entry @main`: the memory model, where it is not sequential consistency.
//! - `at line:column` is in the file of the function; other files are named: `at f1:3:2`.
//! - `invariant "n" @f`, `proposition "n" @f`, `abstraction "n" @f`, `init "n"` and `ltl "formula" fair` are what
//!   looks at the program from outside.
//! - Places are written where they are used. Only if that does not give back their table is there
//!   a table of its own (`place p0 "count"`).

mod lex;
mod parse;
mod parse_op;
mod print;
mod scope;
mod words;

pub use parse::{ParseError, parse};
pub use print::print;

/// The parts of the reader, for text forms that contain operations.
pub mod reading {
    pub use super::lex::{Cursor, Line, Token, lines};
    pub use super::parse::{Reader, body, is_word, loc, symbol_name};
    pub use super::parse_op::{block, object_type};
    pub use super::scope::{BlockLines, Scope};
}

/// The parts of the printer, for text forms that contain operations.
pub mod printing {
    pub use super::print::{Printer, Scope, at, block_labels, labels, object_type};
    pub use super::words::{is_plain, quote};
}

use crate::ir::Program;

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(self))
    }
}
