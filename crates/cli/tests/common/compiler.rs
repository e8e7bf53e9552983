//! From C text to a program, quickly: the models are compiled once for each data model.

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::{Unit, ll, lower};
use selvedge_program::{Origin, Program};

pub struct Compiler {
    pub clang: Clang,
    data_model: DataModel,
    /// The models; while a program is read it comes before them.
    units: Vec<Unit>,
}

impl Compiler {
    pub fn new(data_model: DataModel) -> Compiler {
        let clang = Clang::find(None).unwrap_or_else(|error| panic!("{error}"));
        let models = selvedge_models::translation_unit(&selvedge_models::World::default(), |_| true);
        let models = unit(&clang, "models", &models, data_model, Origin::Model);
        Compiler { clang, data_model, units: vec![models.unwrap_or_else(|error| panic!("{error}"))] }
    }

    /// The program as engines get it.
    pub fn program(&mut self, name: &str, text: &str) -> Result<Program, String> {
        let user = unit(&self.clang, name, text, self.data_model, Origin::User)?;
        self.units.insert(0, user);
        let program = lower(&self.units, &[]);
        self.units.remove(0);
        Ok(selvedge_passes::prepare(program.map_err(|error| error.to_string())?))
    }
}

fn unit(clang: &Clang, name: &str, text: &str, data_model: DataModel, origin: Origin) -> Result<Unit, String> {
    let options = ClangOptions { data_model, ..ClangOptions::default() };
    let ir = clang.compile_source(name, text, &options).map_err(|error| error.to_string())?;
    let module = ll::parse(&ir).map_err(|error| error.to_string())?;
    Ok(Unit { module, origin })
}
