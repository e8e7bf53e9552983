//! From generated C to a program.

use selvedge_c_programs::Compiler;
use selvedge_from_llvm::clang::DataModel;
use selvedge_generate::c_text::{Ending, Source, Word};
use selvedge_program::Program;

/// The program as engines get it.
pub fn program(compiler: &Compiler, source: &Source, ending: Ending) -> Result<Program, String> {
    let data_model = match source.word {
        Word::Bits64 => DataModel::Lp64,
        Word::Bits32 => DataModel::Ilp32,
    };
    compiler.program("generated.c", &source.text(ending), data_model)
}
