//! A reader of LLVM's textual IR, without the LLVM library.
//!
//! Linking LLVM would pin one version of it and a library of more than 100 MB.
//! The text changes little from version to version, and the language reference
//! defines it, so it is read by hand-written recursive descent, one token
//! ahead, straight into the tree of `ast.rs`. Read LLVM 14 to 19 output with
//! confidence; newer as long as it adds only attributes and metadata.
//!
//! The files: `ast`, `instructions`, `metadata` define a module; `lexer` cuts
//! the text into tokens, `reader` has the parsing state, `read_*` one part of
//! the grammar each, `scope` resolves the names inside a function, and
//! `keywords` knows which words begin types and constants.
//!
//! ```
//! let module = selvedge_from_llvm::ll::parse(
//!     "define i32 @three() {\n  %x = add nsw i32 1, 2\n  ret i32 %x\n}\n",
//! )?;
//! let three = module.function("three").expect("defined above");
//! assert_eq!(three.instructions().count(), 2);
//! # Ok::<(), selvedge_from_llvm::ll::ReadError>(())
//! ```

mod ast;
mod instructions;
mod keywords;
mod lexer;
mod metadata;
mod read_calls;
mod read_constants;
mod read_floats;
mod read_functions;
mod read_instructions;
mod read_metadata;
mod read_module;
mod read_types;
mod reader;
mod scope;

pub use ast::*;
pub use instructions::*;
pub use metadata::*;

/// Text that is not the LLVM IR we know: where, and what was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// 1-based line of the text.
    pub line: u32,
    pub message: String,
}

/// Reads one module. Never panics, whatever the text.
pub fn parse(text: &str) -> Result<Module, ReadError> {
    reader::Reader::new(text)?.module()
}
