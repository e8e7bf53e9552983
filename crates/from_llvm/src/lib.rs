//! From C, or LLVM IR, to a [`Program`]. The only crate that knows LLVM.
//!
//! [`clang`] runs the compiler, [`ll`] reads the textual IR it prints, `lower` links the modules
//! and translates them. [`load`] does all of it.
//!
//! The models are compiled for the word size of the program, in parallel with the program itself.
//! IR input determines its word size, so it is read first.

mod cache;
pub mod clang;
mod complaints;
pub mod flags;
mod library;
pub mod ll;
mod lower;
mod observe;
mod optimise;
pub mod signature;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use selvedge_program::{Assumption, Fallible, Origin, Program, Unmodelled};

use crate::clang::{Clang, ClangOptions, DataModel, InputKind, Language, OptLevel};
use crate::ll::ReadError;
pub use crate::lower::{Lifetimes, LowerError, Unit, lower};
pub use crate::observe::ObserverTexts;
pub use selvedge_models::{AnyArguments, Arguments, World};

/// Options for reading the inputs.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// For the inputs; the data model is that of the inputs if they are IR.
    pub clang: ClangOptions,
    /// The clang to use; it is searched for if absent.
    pub clang_path: Option<PathBuf>,
    /// The user's own models, which win over ours.
    pub models: Vec<PathBuf>,
    /// Initial values for the models' variables `__selvedge_option_NAME`.
    pub option_values: Vec<(String, i64)>,
    /// Library functions that may fail.
    pub may_fail: Vec<Fallible>,
    /// The program's arguments, environment and the like.
    pub world: World,
    /// Whether a return from main with a status that is not 0 may be a violation.
    pub checks_status: bool,
    /// The observers of the program.
    pub observers: ObserverTexts,
    /// Functions that are called from outside, though not by the program itself.
    pub keep: Vec<String>,
    /// The effects that functions without a body and without a model may have.
    pub unknown_functions: UnknownFunctions,
    /// Arithmetic is checked for overflow; by more than LLVM's code tells by itself.
    pub overflow: Option<Overflow>,
    /// Accept calls of functions that no file declares or defines.
    pub allow_undefined: bool,
}

/// The effects of functions without a body and without a model, beside returning any value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFunctions {
    /// Nothing.
    #[default]
    Pure,
    /// They write anything into what they can see, and call the functions that they are passed.
    Havoc,
}

/// Kinds of overflow that are checked beside that of signed arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflow {
    /// Conversions that change the value.
    pub conversions: bool,
    /// Pointers that get farther than one past the end of their object.
    pub pointers: bool,
}

impl Overflow {
    /// clang's own checks for what its code does not tell: which shifts are signed, and which conversions the C text
    /// has.
    fn flag(self) -> String {
        let conversions = "implicit-integer-truncation,implicit-integer-sign-change,float-cast-overflow".to_string();
        let more = if self.conversions { format!(",{conversions}") } else { String::new() };
        format!("-fsanitize=shift-base{more}")
    }
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum FrontEndError {
    #[error(transparent)]
    Clang(#[from] clang::FrontEndError),
    #[error("{file}, in LLVM's text, {source}")]
    Read { file: String, source: ReadError },
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// An observer cannot be created.
    #[error("{option}: {what}")]
    Observer { option: String, what: String },
    #[error(
        "{place}: `{name}` is called, but neither declared nor defined (--allow-undefined lets it return any value)"
    )]
    Undefined { place: String, name: String },
    #[error("there is no input")]
    NoInput,
}

impl LoadOptions {
    /// The options of the models that are set, by name.
    fn model_options(&self) -> impl Iterator<Item = (String, i64)> {
        let may_fail = self.may_fail.iter().map(|group| (format!("may_fail_{}", group.name()), 1));
        let longest = self.world.longest_input.map(|bytes| ("longest_input".to_string(), i64::from(bytes)));
        self.option_values.iter().cloned().chain(may_fail).chain(longest)
    }
}

/// Compiles, links and translates the inputs together with the models.
pub fn load(inputs: &[PathBuf], options: &LoadOptions) -> Result<Program, FrontEndError> {
    if inputs.is_empty() {
        return Err(FrontEndError::NoInput);
    }
    let clang = Clang::find(options.clang_path.as_deref())?;
    let mut user_options = options.clang.clone();
    user_options.headers.push(("selvedge.h".to_string(), selvedge_models::HEADER.to_string()));
    let mut of_inputs = user_options.clone();
    if let Some(overflow) = options.overflow {
        of_inputs.extra_args.extend([overflow.flag(), "-fsanitize-trap=all".to_string()]);
    }
    let mut units = compile_user(&clang, inputs, &of_inputs, &options.observers)?;
    let is_ir = |path: &PathBuf| !matches!(InputKind::of(path), Ok(InputKind::C | InputKind::Cxx));
    if inputs.iter().any(is_ir) {
        user_options.data_model = data_model(&units);
    }
    let of_user = ClangOptions { opt: OptLevel::O0, ..user_options.clone() };
    units.extend(compile(&clang, &options.models, &of_user, Origin::Model)?);
    add_cxx_models(&clang, &user_options, &mut units)?;
    units.push(models(&clang, options, &units, user_options.data_model)?);
    let mut program = lower::lower_loaded(&units, options)?;
    options.observers.check_defined(&program)?;
    if !options.allow_undefined {
        refuse_undefined(&clang, inputs, &user_options, &units, &program)?;
    }
    let ignored = clang.ignored_flags().into_iter().map(|flag| Assumption::IgnoredFlag { flag });
    program.assumptions.extend(ignored);
    Ok(program)
}

/// Refuses calls of functions that no file declares or defines, and for which there is no model: compiler and linker
/// would.
fn refuse_undefined(
    clang: &Clang,
    inputs: &[PathBuf],
    options: &ClangOptions,
    units: &[Unit],
    program: &Program,
) -> Result<(), FrontEndError> {
    let functions = || units.iter().flat_map(|unit| &unit.module.functions);
    let implicit = |name: &str| functions().any(|function| &*function.name == name && library::is_implicit(function));
    let mut suspects = program.unmodelled.iter().filter(|unmodelled| implicit(&unmodelled.name)).peekable();
    if suspects.peek().is_none() {
        return Ok(());
    }
    let undeclared: Vec<String> = inputs.iter().flat_map(|input| clang.undeclared_functions(input, options)).collect();
    match suspects.find(|unmodelled| undeclared.contains(&unmodelled.name)) {
        Some(Unmodelled { name, loc }) => {
            Err(FrontEndError::Undefined { place: program.source.describe(*loc), name: name.clone() })
        }
        None => Ok(()),
    }
}

/// Compiles the program, with the library's own types for library functions that it does not declare.
fn compile_user(
    clang: &Clang,
    inputs: &[PathBuf],
    options: &ClangOptions,
    observers: &ObserverTexts,
) -> Result<Vec<Unit>, FrontEndError> {
    let units = compile_observed(clang, inputs, options, observers)?;
    let with = |names: &[&str]| {
        let options = ClangOptions { declarations: library::declare(names), ..options.clone() };
        compile_observed(clang, inputs, &options, observers)
    };
    let undeclared = library::undeclared(&units);
    if undeclared.is_empty() {
        return Ok(units);
    }
    if let Ok(declared) = with(&undeclared) {
        return Ok(declared);
    }
    // The program may have declared some of them after all, deliberately with another type.
    let accepted: Vec<&str> = undeclared.into_iter().filter(|name| with(&[name]).is_ok()).collect();
    match accepted.is_empty() {
        true => Ok(units),
        false => with(&accepted).or(Ok(units)),
    }
}

fn compile_observed(
    clang: &Clang,
    inputs: &[PathBuf],
    options: &ClangOptions,
    observers: &ObserverTexts,
) -> Result<Vec<Unit>, FrontEndError> {
    let texts = observe::compile(clang, inputs, options, observers)?;
    texts
        .iter()
        .map(|(file, text)| Ok(Unit { lifetimes: lifetimes(file, options), ..read(file, text, Origin::User)? }))
        .collect()
}

/// Only code as clang first makes it has an object from where it is marked to begin to where it ends: optimisers move
/// accesses beyond the marks where nobody would notice on a machine.
fn lifetimes(file: &str, options: &ClangOptions) -> Lifetimes {
    match InputKind::of(Path::new(file)) {
        Ok(InputKind::C | InputKind::Cxx) if options.opt == OptLevel::O0 => Lifetimes::Blocks,
        _ => Lifetimes::Functions,
    }
}

/// The data model of the first of these IR texts.
fn read_data_model(texts: &[(String, String)]) -> Result<DataModel, FrontEndError> {
    let units =
        texts.iter().take(1).map(|(file, text)| read(file, text, Origin::User)).collect::<Result<Vec<_>, _>>()?;
    Ok(data_model(&units))
}

fn compile(
    clang: &Clang,
    inputs: &[PathBuf],
    options: &ClangOptions,
    origin: Origin,
) -> Result<Vec<Unit>, FrontEndError> {
    inputs.iter().map(|input| read(&name(input), &clang.compile(input, options)?, origin)).collect()
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

fn read(file: &str, text: &str, origin: Origin) -> Result<Unit, FrontEndError> {
    match ll::parse(text) {
        Ok(module) => Ok(Unit { module, origin, lifetimes: Lifetimes::Functions }),
        Err(source) => Err(FrontEndError::Read { file: file.to_string(), source }),
    }
}

/// Compiles the models in C++ that these units need, and those that these need in turn.
fn add_cxx_models(clang: &Clang, of_user: &ClangOptions, units: &mut Vec<Unit>) -> Result<(), FrontEndError> {
    let standard = of_user.std.clone().into_iter().chain(of_user.extra_args.iter().cloned());
    let options = ClangOptions {
        data_model: of_user.data_model,
        extra_args: standard.filter(|flag| flag.starts_with("-stdlib=")).collect(),
        ..ClangOptions::default()
    };
    let mut added = HashSet::new();
    loop {
        let undefined: HashSet<&str> = units.iter().flat_map(|unit| unit.module.undefined()).collect();
        let wanted = |part: &str| undefined.iter().any(|name| is_of_cxx(name) && name.contains(part));
        let more: Vec<_> = selvedge_models::cxx_models(wanted).filter(|model| !added.contains(model.name)).collect();
        if more.is_empty() {
            return Ok(());
        }
        for model in more {
            let text = clang.compile_source_of(Language::Cxx, model.name, model.text, &options)?;
            units.push(read(model.name, &text, Origin::Model)?);
            added.insert(model.name);
        }
    }
}

/// Whether a name is one that only C++ has.
fn is_of_cxx(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("__cxa_") || name.starts_with("__once_")
}

/// Compiles the models that these units need. They are never optimised: they are written to be checked as they stand.
fn models(clang: &Clang, options: &LoadOptions, units: &[Unit], data_model: DataModel) -> Result<Unit, FrontEndError> {
    let modules = || units.iter().map(|unit| &unit.module);
    let undefined: HashSet<&str> = modules().flat_map(ll::Module::undefined).collect();
    let has_exceptions = undefined.contains("__gxx_personality_v0");
    let wanted = |name: &str| {
        undefined.contains(name)
            || lower::ROOTS.contains(&name)
            || options.keep.iter().any(|k| k == name)
            || (options.unknown_functions == UnknownFunctions::Havoc && name == lower::HAVOC)
            || (name == lower::INITIALISES && lower::INITIALISE.iter().any(|known| undefined.contains(known)))
            || (has_exceptions && name == "__selvedge_in_flight")
    };
    let ours = ClangOptions { data_model, ..ClangOptions::default() };
    let text = clang.compile_once("models", &selvedge_models::translation_unit(&options.world, wanted), &ours)?;
    read("models", &text, Origin::Model)
}

fn data_model(units: &[Unit]) -> DataModel {
    match units.first().map(|unit| crate::lower::data_model(&unit.module)) {
        Some(selvedge_program::DataModel::Ilp32) => DataModel::Ilp32,
        _ => DataModel::Lp64,
    }
}
