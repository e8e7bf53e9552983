//! From LLVM modules to one [`Program`]: link, then translate everything that `main` reaches.
//!
//! Functions and globals get their ids when they are first mentioned, and are then translated from a
//! queue. Only reachable code is thus translated, in an order that depends on nothing but the input.
//!
//! | file | what it does |
//! |---|---|
//! | `link` | the definition that a name refers to |
//! | `layout` | sizes, alignments, scalar leaves |
//! | `debug` | source positions and C's types |
//! | `constants`, `globals` | constant expressions, initial values |
//! | `entry` | code before and after `main`; removal of unused functions and globals |
//! | `function`, `blocks` | one function: registers, values; control flow and phis |
//! | `instructions`, `memory`, `gep`, `vectors` | its instructions |
//! | `calls`, `adapt`, `varargs` | calls of C functions |
//! | `builtins`, `specials`, `asm` | calls that are operations: LLVM's, ours, assembly |
//! | `unknown` | functions without a body that may do anything |
//! | `inputs` | what inputs of models are called |
//! | `interrupts` | where handlers of signals run, and threads are cancelled at once |
//! | `initialised` | mutexes and their like that are initialised twice |
//! | `how_often`, `printing` | what models want to know of calls; what output functions read |
//! | `unwinding`, `names` | exceptions and names of C++ |
//! | `starts` | start functions of threads with other parameters than one |
//! | `lifetimes` | objects of blocks, which begin and end with them |
//! | `places`, `uses` | names for people; the uses of a value |

mod adapt;
mod asm;
mod blocks;
mod builtins;
mod calls;
mod constants;
mod debug;
mod entry;
mod fixed;
mod for_passes;
mod function;
mod gep;
mod globals;
mod how_often;
mod initialised;
mod inputs;
mod instructions;
mod interrupts;
mod layout;
mod lifetimes;
mod link;
mod memory;
mod names;
mod places;
mod printing;
mod specials;
mod starts;
mod unknown;
mod unwinding;
mod uses;
mod varargs;
mod vectors;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use selvedge_program::verify::verify;
use selvedge_program::{
    Assumption, DataModel, FuncId, Function, Global, GlobalId, Loc, MemoryModel, Operand, Origin, PlaceId, PrimaryMap,
    Program, SourceMap, Unmodelled, address_models, handle_models,
};

use crate::ll::Module;
use crate::{LoadOptions, UnknownFunctions, World};
use debug::Debug;
pub(crate) use initialised::{INITIALISE, INITIALISES};
use layout::Layout;
pub use lifetimes::Lifetimes;
use link::{Entity, Key, Links};
use selvedge_program::observers::PROGRESS;
pub(crate) use specials::is_special;
pub(crate) use unknown::HAVOC;

/// The prefix of variables that are options of the models.
const OPTION: &str = "__selvedge_option_";
/// Models that are needed whatever a program calls.
pub(crate) const ROOTS: [&str; 4] = [entry::MODEL_EXIT, PROGRESS, address_models::PLACE, handle_models::NUMBER];
const SPURIOUS_WAKEUPS: &str = "__selvedge_option_spurious_wakeups";

/// A module and its origin.
#[derive(Debug)]
pub struct Unit {
    pub module: Module,
    pub origin: Origin,
    pub lifetimes: Lifetimes,
}

/// Why the input cannot become a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    #[error("`{0}` is defined twice")]
    DefinedTwice(String),
    #[error(
        "there is no function `main`: start functions with --threads 'f() | g()' or --entry f, or name the file that has it"
    )]
    NoMain,
    #[error("32-bit and 64-bit inputs cannot be mixed")]
    MixedDataModels,
    #[error("the target {0} is not supported, only Linux on x86 is")]
    Target(String),
    #[error("the initial value of `{global}` uses {what}, which is not supported")]
    Initialiser { global: String, what: String },
    #[error("{place}: {what}")]
    Intrinsic { place: String, what: String },
    /// With the name of the function.
    #[error("no file defines a function `{0}`, which is to be kept")]
    NothingToKeep(String),
    #[error("there is no function for `{0}`")]
    NoObserver(String),
    #[error("no model has the option `{0}`")]
    UnknownOption(String),
    /// LLVM's own verifier rejects such code, so either it was written by hand, or the translation is wrong.
    #[error("the LLVM code is ill-typed in `{function}`: {problem}")]
    IllTyped { function: String, problem: String },
}

/// `Err` names an unsupported construct, which ends its block.
type Lowered<T> = Result<T, String>;

/// Everything that is shared between the functions being translated.
struct Context<'m> {
    units: &'m [Unit],
    layouts: Vec<Rc<Layout<'m>>>,
    links: Links,
    debug: Debug<'m>,
    functions: PrimaryMap<FuncId, Function>,
    function_ids: HashMap<Key, FuncId>,
    globals: PrimaryMap<GlobalId, Global>,
    global_ids: HashMap<Key, GlobalId>,
    /// The origins of globals; those that we created have none.
    global_keys: HashMap<GlobalId, Key>,
    queue: VecDeque<Work>,
    places: PrimaryMap<PlaceId, String>,
    place_ids: HashMap<String, PlaceId>,
    unmodelled: Vec<Unmodelled>,
    unmodelled_names: HashSet<String>,
    assumptions: Vec<Assumption>,
    /// Requested initial values, by the global's name.
    overrides: HashMap<String, i64>,
    world: &'m World,
    unknown_functions: UnknownFunctions,
    checks_overflow: bool,
    checks_pointers: bool,
    throwing: unwinding::Throwing,
    /// The numbers of types that handlers catch, by the name of their type_info.
    type_numbers: HashMap<String, u32>,
    /// The first error that makes the whole input unusable.
    error: Option<LowerError>,
}

#[derive(Clone, Copy)]
enum Work {
    Function(FuncId, Key),
    Global(GlobalId, Key),
}

/// Links the modules and translates everything that is reachable from `main`.
///
/// `options` are initial values of the models' variables `__selvedge_option_NAME`.
pub fn lower(units: &[Unit], options: &[(String, i64)]) -> Result<Program, LowerError> {
    lower_loaded(units, &LoadOptions { option_values: options.to_vec(), ..LoadOptions::default() })
}

/// Like [`lower`], but also translates everything that is reachable from observers and from functions to keep.
pub(crate) fn lower_loaded(units: &[Unit], options: &LoadOptions) -> Result<Program, LowerError> {
    let LoadOptions { observers, keep, .. } = options;
    let mut context = Context::new(units, options)?;
    context.find_throwing();
    let main = context.main_function()?;
    let entry = context.functions.push(function::empty("__selvedge_entry", Origin::Model));
    let main = context.function_id(main);
    let around = entry::Surroundings {
        constructors: context.functions_listed_in("llvm.global_ctors"),
        destructors: context.functions_listed_in("llvm.global_dtors"),
    };
    let found = std::cell::RefCell::new(&mut context);
    let observers = observers.resolve(|symbol| found.borrow_mut().defined_function(symbol))?;
    let mut keep_one =
        |name: &String| context.defined_function(name).ok_or_else(|| LowerError::NothingToKeep(name.clone()));
    let mut kept = keep.iter().map(&mut keep_one).collect::<Result<Vec<FuncId>, _>>()?;
    context.drain()?;
    context.build_entry(entry, main, &around, options.checks_status);
    context.drain()?;
    kept.extend(context.called_by_passes()?);
    let data_model = context.layouts[0].model;
    let mut program = Program {
        data_model,
        memory_model: MemoryModel::default(),
        functions: context.functions,
        globals: context.globals,
        places: context.places,
        source: context.debug.source,
        entry,
        unmodelled: context.unmodelled,
        assumptions: context.assumptions,
        observers,
    };
    initialised::note(&mut program);
    entry::prune(&mut program, &kept);
    fixed::name_fixed_inputs(&mut program, options);
    tell_what_is_reached(&mut program);
    how_often::tell_how_often(&mut program);
    starts::pass_missing_arguments(&mut program);
    inputs::name_after_callers(&mut program);
    interrupts::insert(&mut program);
    well_formed(program)
}

/// Checks the result: operands of a wrong type are translated as they stand, and found here.
fn well_formed(program: Program) -> Result<Program, LowerError> {
    let Some(problem) = verify(&program).into_iter().next() else { return Ok(program) };
    let function = problem.function.map_or_else(String::new, |id| program.functions[id].name.clone());
    Err(LowerError::IllTyped { function, problem: problem.to_string() })
}

/// Sets the models' variables `__selvedge_reached_NAME` to 1 if there is a function of that name.
fn tell_what_is_reached(program: &mut Program) {
    let names: HashSet<&str> = program.functions.values().map(|function| function.name.as_str()).collect();
    for global in program.globals.values_mut() {
        let asked = global.name.strip_prefix("__selvedge_reached_");
        if asked.is_some_and(|name| names.contains(name)) {
            global.init = vec![1];
        }
    }
}

/// Is it x86, with Linux or no system at all? Others have types and library functions of other layouts.
fn is_supported(triple: &str) -> bool {
    let x86 = ["x86_64", "amd64", "i386", "i486", "i586", "i686"];
    let mut parts = triple.split('-');
    let is_x86 = parts.next().is_some_and(|cpu| x86.contains(&cpu));
    let no_system = ["unknown", "pc", "none", "elf", "gnu", "gnux32", "musl"];
    triple.is_empty()
        || is_x86 && parts.all(|part| part.starts_with("linux") || no_system.contains(&part) || is_vendor(part))
}

/// Distributions put their name second.
fn is_vendor(part: &str) -> bool {
    ["redhat", "suse", "alpine", "generic", "amazon", "openEuler"].contains(&part)
}

/// The widths a module was compiled for.
pub fn data_model(module: &Module) -> DataModel {
    Layout::new(module).model
}

impl<'m> Context<'m> {
    fn new(units: &'m [Unit], options: &'m LoadOptions) -> Result<Context<'m>, LowerError> {
        let layouts: Vec<_> = units.iter().map(|u| Rc::new(Layout::new(&u.module))).collect();
        for unit in units {
            let triple = &unit.module.target_triple;
            if !is_supported(triple) {
                return Err(LowerError::Target(triple.clone()));
            }
        }
        if layouts.windows(2).any(|pair| pair[0].model != pair[1].model) {
            return Err(LowerError::MixedDataModels);
        }
        let links = Links::new(units)?;
        let mut overrides = HashMap::new();
        for (option, value) in options.model_options() {
            let name = format!("{OPTION}{option}");
            if !matches!(links.external(&name), Some(Entity::Global(_))) {
                return Err(LowerError::UnknownOption(option));
            }
            overrides.insert(name, value);
        }
        Ok(Context {
            units,
            layouts,
            links,
            debug: Debug::new(units),
            functions: PrimaryMap::new(),
            function_ids: HashMap::new(),
            globals: PrimaryMap::new(),
            global_ids: HashMap::new(),
            global_keys: HashMap::new(),
            queue: VecDeque::new(),
            places: PrimaryMap::new(),
            place_ids: HashMap::new(),
            unmodelled: vec![],
            unmodelled_names: HashSet::new(),
            assumptions: vec![],
            overrides,
            world: &options.world,
            unknown_functions: options.unknown_functions,
            checks_overflow: options.overflow.is_some(),
            checks_pointers: options.overflow.is_some_and(|overflow| overflow.pointers),
            throwing: unwinding::Throwing::default(),
            type_numbers: HashMap::new(),
            error: None,
        })
    }

    /// Not for no reason where waits do not end so either.
    fn weak_exchanges_fail(&mut self) -> bool {
        let fail = self.overrides.get(SPURIOUS_WAKEUPS) != Some(&0);
        if !fail {
            self.assume(Assumption::NoSpuriousFailures);
        }
        fail
    }

    fn drain(&mut self) -> Result<(), LowerError> {
        while let Some(work) = self.queue.pop_front() {
            match work {
                Work::Function(id, key) => function::lower(self, id, key),
                Work::Global(id, key) => self.lower_initialiser(id, key)?,
            }
            if let Some(error) = self.error.take() {
                return Err(error);
            }
        }
        Ok(())
    }

    fn source_function(&self, key: Key) -> &'m crate::ll::Function {
        &self.units[key.unit].module.functions[key.index]
    }

    fn function_id(&mut self, key: Key) -> FuncId {
        if let Some(id) = self.function_ids.get(&key) {
            return *id;
        }
        let unit = &self.units[key.unit];
        let source = self.source_function(key);
        let mut placeholder = function::empty(&names::readable(&source.name), unit.origin);
        if let Some(subprogram) = source.subprogram {
            placeholder.loc = self.debug.declaration(key.unit, subprogram);
        }
        if names::is_mangled(&source.name) && self.debug.is_in_library(placeholder.loc) {
            placeholder.origin = Origin::Model;
        }
        let id = self.functions.push(placeholder);
        self.function_ids.insert(key, id);
        self.queue.push_back(Work::Function(id, key));
        id
    }

    fn defined_function(&mut self, name: &str) -> Option<FuncId> {
        match self.links.external(name) {
            Some(Entity::Function(key)) if !self.source_function(key).is_declaration() => Some(self.function_id(key)),
            _ => None,
        }
    }

    /// The function that a name refers to, looking through aliases. `None` if it is no function.
    fn function_named(&self, unit: usize, name: &str) -> Option<Key> {
        let mut entity = self.links.resolve(unit, name)?;
        for _ in 0..64 {
            match entity {
                Entity::Function(key) => return Some(key),
                Entity::Global(_) => return None,
                Entity::Alias(key) => {
                    let alias = &self.units[key.unit].module.aliases[key.index];
                    entity = self.links.resolve(key.unit, alias.target.value.as_global()?)?;
                }
            }
        }
        None
    }

    /// The address of the entity that a name refers to.
    fn reference(&mut self, unit: usize, name: &str) -> Lowered<Operand> {
        match self.links.resolve(unit, name) {
            Some(Entity::Function(key)) => {
                let source = self.source_function(key);
                if source.is_declaration() && source.linkage == crate::ll::Linkage::ExternWeak {
                    return Ok(Operand::NULL);
                }
                Ok(Operand::Func(self.function_id(key)))
            }
            Some(Entity::Global(key)) => {
                let source = &self.units[key.unit].module.globals[key.index];
                if source.init.is_none() && source.linkage == crate::ll::Linkage::ExternWeak {
                    return Ok(Operand::NULL);
                }
                Ok(Operand::Global { id: self.global_id(key), offset: 0 })
            }
            Some(Entity::Alias(key)) => self.alias_target(key),
            None => Err(format!("the unknown symbol `{name}`")),
        }
    }

    /// The number by which landing pads tell the types that handlers catch apart.
    fn type_number(&mut self, name: &str) -> u32 {
        let next = self.type_numbers.len() as u32 + 1;
        *self.type_numbers.entry(name.to_string()).or_insert(next)
    }

    fn place(&mut self, text: String) -> PlaceId {
        if let Some(id) = self.place_ids.get(&text) {
            return *id;
        }
        let id = self.places.push(text.clone());
        self.place_ids.insert(text, id);
        id
    }

    fn assume(&mut self, assumption: Assumption) {
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    /// A program uses the type, not merely a model, which knows all that its callers might.
    fn assume_long_double(&mut self, unit: usize) {
        if self.units[unit].origin == Origin::User {
            self.assume(Assumption::LongDouble);
        }
    }

    fn unmodelled(&mut self, name: &str, loc: Loc) {
        if self.unmodelled_names.insert(name.to_string()) {
            self.unmodelled.push(Unmodelled { name: names::readable(name), loc });
        }
    }

    fn describe(&self, loc: Loc) -> String {
        if loc == SourceMap::NOWHERE { "an unknown line".to_string() } else { self.debug.source.describe(loc) }
    }
}
