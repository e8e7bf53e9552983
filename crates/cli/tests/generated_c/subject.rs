//! From C text to a program, quickly: the models are compiled once for each data model.

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::{Unit, ll, lower};
use selvedge_generate::c_text::{Ending, Source, Word};
use selvedge_program::{Origin, Program};

pub struct Compiler {
    pub clang: Clang,
    /// The models for 64 and for 32 bits; while a program is read it comes before them.
    units: [Vec<Unit>; 2],
}

impl Compiler {
    pub fn new() -> Compiler {
        let clang = Clang::find(None).unwrap_or_else(|error| panic!("{error}"));
        let units = [Word::Bits64, Word::Bits32].map(|word| {
            let options = ClangOptions { data_model: data_model(word), ..ClangOptions::default() };
            let models = selvedge_models::translation_unit();
            let models = unit(&clang, "models", &models, &options, Origin::Model);
            vec![models.unwrap_or_else(|error| panic!("{error}"))]
        });
        Compiler { clang, units }
    }

    /// The program as engines get it.
    pub fn program(&mut self, source: &Source, ending: Ending) -> Result<Program, String> {
        let options = ClangOptions { data_model: data_model(source.word), ..ClangOptions::default() };
        let user = unit(&self.clang, "generated.c", &source.text(ending), &options, Origin::User)?;
        let units = &mut self.units[usize::from(source.word == Word::Bits32)];
        units.insert(0, user);
        let program = lower(units, &[]);
        units.remove(0);
        Ok(selvedge_passes::prepare(program.map_err(|error| error.to_string())?))
    }
}

fn data_model(word: Word) -> DataModel {
    match word {
        Word::Bits32 => DataModel::Ilp32,
        Word::Bits64 => DataModel::Lp64,
    }
}

fn unit(clang: &Clang, name: &str, text: &str, options: &ClangOptions, origin: Origin) -> Result<Unit, String> {
    let ir = clang.compile_source(name, text, options).map_err(|error| error.to_string())?;
    let module = ll::parse(&ir).map_err(|error| error.to_string())?;
    Ok(Unit { module, origin })
}
