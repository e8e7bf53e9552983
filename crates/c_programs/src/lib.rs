//! For tests: C programs, and a compiler for them. It compiles the models only once for each data model, so that a test
//! of many programs does not spend its time there.

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::ll::{self, Module};
use selvedge_from_llvm::{Lifetimes, LowerError, Unit, lower};
use selvedge_program::{Origin, Program};
use selvedge_requires::{Need, found};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A file with a program.
pub struct Source {
    pub path: PathBuf,
    pub data_model: DataModel,
}

impl Source {
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// All C programs below these folders of the project, by path. Those in folders called `ilp32` have that data model.
pub fn own(folders: &[&str]) -> Vec<Source> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/ is inside of the project");
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| project.join(folder)).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                let data_model = if folder.ends_with("ilp32") { DataModel::Ilp32 } else { DataModel::Lp64 };
                sources.push(Source { path, data_model });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// The programs of the corpus, in the order of its index; none if there is no corpus.
pub fn corpus() -> Vec<Source> {
    let Some(root) = selvedge_requires::corpus() else { return Vec::new() };
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).unwrap_or_default();
    let sources = index.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let data_model = if *columns.get(3)? == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        Some(Source { path: root.join(columns[1]), data_model })
    });
    sources.collect()
}

pub struct Compiler {
    pub clang: Clang,
    /// For 32 bits and for 64.
    models: [OnceLock<Module>; 2],
}

impl Compiler {
    /// With the clang that is found by itself. If there is none, the test is skipped.
    pub fn find() -> Option<Compiler> {
        found(Need::Clang, Clang::find(None)).map(Compiler::with)
    }

    pub fn with(clang: Clang) -> Compiler {
        Compiler { clang, models: Default::default() }
    }

    /// The program as engines get it, of this text.
    pub fn program(&self, name: &str, text: &str, data_model: DataModel) -> Result<Program, String> {
        let options = ClangOptions { data_model, ..ClangOptions::default() };
        let text = self.clang.compile_source(name, text, &options).map_err(|error| error.to_string())?;
        self.prepared(&text, data_model)
    }

    /// The program as engines get it, of this file.
    pub fn source(&self, source: &Source) -> Result<Program, String> {
        self.prepared(&self.llvm(source)?, source.data_model)
    }

    /// The file in LLVM's text.
    pub fn llvm(&self, Source { path, data_model }: &Source) -> Result<String, String> {
        let include_dirs = path.parent().map(Path::to_path_buf).into_iter().collect();
        let options = ClangOptions { data_model: *data_model, include_dirs, ..ClangOptions::default() };
        self.clang.compile(path, &options).map_err(|error| error.to_string())
    }

    /// The module with the models, as translated.
    pub fn lower(&self, module: Module, data_model: DataModel) -> Result<Program, LowerError> {
        let models = self.models(data_model).clone();
        lower(
            &[
                Unit { module, origin: Origin::User, lifetimes: Lifetimes::Functions },
                Unit { module: models, origin: Origin::Model, lifetimes: Lifetimes::Functions },
            ],
            &[],
        )
    }

    fn prepared(&self, llvm: &str, data_model: DataModel) -> Result<Program, String> {
        let module = ll::parse(llvm).map_err(|error| error.to_string())?;
        let program = self.lower(module, data_model).map_err(|error| error.to_string())?;
        Ok(selvedge_passes::prepare(program))
    }

    fn models(&self, data_model: DataModel) -> &Module {
        self.models[usize::from(data_model == DataModel::Lp64)].get_or_init(|| {
            let options = ClangOptions { data_model, ..ClangOptions::default() };
            let models = selvedge_models::translation_unit(&selvedge_models::World::default(), |_| true);
            let text = self.clang.compile_source("models", &models, &options);
            ll::parse(&text.expect("the models compile")).expect("the models can be read")
        })
    }
}
