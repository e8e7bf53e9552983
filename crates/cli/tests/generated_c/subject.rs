//! From generated C to a program.

#[path = "../common/compiler.rs"]
mod compiler;

use compiler::Compiler;
use selvedge_from_llvm::clang::{Clang, DataModel};
use selvedge_generate::c_text::{Ending, Source, Word};
use selvedge_program::Program;

/// For programs of both data models.
pub struct Compilers {
    bits_64: Compiler,
    bits_32: Compiler,
}

impl Compilers {
    pub fn new() -> Compilers {
        Compilers { bits_64: Compiler::new(DataModel::Lp64), bits_32: Compiler::new(DataModel::Ilp32) }
    }

    pub fn clang(&self) -> &Clang {
        &self.bits_64.clang
    }

    /// The program as engines get it.
    pub fn program(&mut self, source: &Source, ending: Ending) -> Result<Program, String> {
        let compiler = match source.word {
            Word::Bits64 => &mut self.bits_64,
            Word::Bits32 => &mut self.bits_32,
        };
        compiler.program("generated.c", &source.text(ending))
    }
}
