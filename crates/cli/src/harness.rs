//! Harnesses: a `main` around functions that have none, generated from `--threads`, `--setup`, `--final`, `--entry` and
//! `--linearizable`.
//!
//! A harness is a C file that includes the user's. So it sees all that this declares, also what is `static`, and the
//! rest of the way through Selvedge is that of any program. `--emit harness` prints it, to be kept and changed.

mod code;
mod history;
mod text;

use crate::args::{HarnessArgs, LoadArgs};
use crate::failure::Failure;
use crate::input;
use crate::sources::Sources;
use selvedge_from_llvm::signature;
use selvedge_report::sources::Sources as Quoted;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use text::Plan;

/// Under this name positions in a harness are shown.
pub const NAME: &str = "harness.c";
/// The folder of a harness begins with this.
const FOLDER: &str = "selvedge-harness-";

/// A harness in a file.
#[derive(Debug)]
pub struct Harness {
    pub text: String,
    /// The user's file that it includes.
    home: PathBuf,
    folder: TempDir,
}

impl Harness {
    fn new(text: String, home: &Path) -> Result<Harness, Failure> {
        let cannot = |error: std::io::Error| Failure::BadInput(format!("cannot write a harness: {error}"));
        let folder = TempDir::with_prefix(FOLDER).map_err(cannot)?;
        std::fs::write(folder.path().join(NAME), format!("# 1 \"{NAME}\"\n{text}")).map_err(cannot)?;
        Ok(Harness { text, home: home.to_owned(), folder })
    }

    pub fn is_at(&self, path: &Path) -> bool {
        path == self.folder.path().join(NAME)
    }

    /// These files with the harness in the place of the one that it includes, and without a `main` in the others.
    pub fn around(&self, plain: &Sources) -> Sources {
        let mut sources = plain.clone();
        let file = self.folder.path().join(NAME);
        let here = std::env::current_dir().unwrap_or_default().display().to_string();
        let mut own = vec!["-iquote".to_string(), here.clone(), format!("-ffile-prefix-map={here}/=")];
        for (number, path) in sources.files.iter_mut().enumerate() {
            let flags = sources.file_args.iter().position(|(of, _)| of == path);
            if *path == self.home {
                own.extend(flags.map(|at| sources.file_args.remove(at).1).into_iter().flatten());
                path.clone_from(&file);
            } else if is_c(path) {
                let other_main = format!("-Dmain={}_{number}", text::MAIN);
                match flags {
                    Some(at) => sources.file_args[at].1.push(other_main),
                    None => sources.file_args.push((path.clone(), vec![other_main])),
                }
            }
        }
        sources.file_args.push((file, own));
        sources
    }
}

/// A message about a harness, which is not a file that the user knows.
pub fn without_folder(message: &str) -> String {
    let named = |line: &str| match line.split_once(FOLDER) {
        Some((_, rest)) => match rest.split_once(NAME) {
            Some((_, rest)) => format!("the harness (see --emit harness){rest}"),
            None => line.to_string(),
        },
        None => line.to_string(),
    };
    message.lines().map(named).collect::<Vec<_>>().join("\n")
}

/// Whether a flag only serves to name positions, which a native build has no need of.
pub fn is_about_names(flag: &str) -> bool {
    flag.starts_with("-ffile-prefix-map=")
}

impl HarnessArgs {
    pub fn is_wanted(&self) -> bool {
        let HarnessArgs { threads, setup, finally, entry, linearizable, made: _ } = self;
        let texts = [setup, finally, entry];
        threads.running().is_some() || texts.into_iter().any(Option::is_some) || linearizable.is_some()
    }

    /// Refuses options that do not go together, as far as that shows without the program.
    fn check(&self) -> Result<(), Failure> {
        let running = self.threads.running();
        let refusal = match self {
            HarnessArgs { entry: Some(_), .. } if running.is_some() => {
                "--entry cannot be combined with --threads: call the function in a thread, or in --setup"
            }
            HarnessArgs { linearizable: Some(_), .. } if running.is_none() => {
                "--linearizable requires --threads, whose calls it compares"
            }
            HarnessArgs { entry: None, .. } if running.is_none() => {
                "--setup and --final require --threads or --entry, for the program's own main does not run"
            }
            _ => return Ok(()),
        };
        Err(Failure::BadInput(refusal.to_string()))
    }
}

/// The files of the program, with a harness if one is asked for.
pub fn sources(load: &LoadArgs) -> Result<Sources, Failure> {
    let plain = Sources::plain(load)?;
    Ok(match of(load, &plain)? {
        Some(harness) => harness.around(&plain),
        None => plain,
    })
}

/// The sources that reports quote: files, and the harness if there is one by now.
pub fn quoted(load: &LoadArgs) -> Quoted {
    let mut quoted = Quoted::default();
    if let Some(harness) = load.harness.made.get() {
        quoted.add(NAME, &harness.text);
    }
    quoted
}

/// The name of the harness, if there is one by now.
pub fn generated(load: &LoadArgs) -> Option<&'static str> {
    load.harness.made.get().map(|_| NAME)
}

/// The harness, made when first asked for.
pub fn of<'a>(load: &'a LoadArgs, plain: &Sources) -> Result<Option<&'a Harness>, Failure> {
    let asked = &load.harness;
    if !asked.is_wanted() || asked.made.get().is_some() {
        return Ok(asked.made.get());
    }
    asked.check()?;
    let home = home(load, plain)?;
    let harness = Harness::new(generate(load, plain, &home)?, &home)?;
    Ok(Some(asked.made.get_or_init(|| harness)))
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == OsStr::new("c") || kind == OsStr::new("i"))
}

/// The file that the harness includes: the only one in C, or the first that has the function or in which the harness
/// compiles.
fn home(load: &LoadArgs, plain: &Sources) -> Result<PathBuf, Failure> {
    let candidates: Vec<&PathBuf> = plain.files.iter().filter(|path| is_c(path)).collect();
    candidates.iter().try_for_each(|path| input::check_readable(path))?;
    let mut first_error = None;
    for candidate in &candidates {
        let fits = match &load.harness.entry {
            _ if candidates.len() == 1 => Ok(()),
            Some(function) => parameters(load, plain, candidate, function).map(drop),
            None => Harness::new(plan(load, candidate)?.plain(), candidate).and_then(|harness| {
                input::compiles(load, &harness.around(plain), harness.folder.path().join(NAME).as_path())
            }),
        };
        match fits {
            Ok(()) => return Ok((*candidate).clone()),
            Err(error) => drop(first_error.get_or_insert(error)),
        }
    }
    let none = || {
        let what = "a harness requires a C file (.c, .i) to be around; C++ and LLVM IR need a main";
        Failure::BadInput(what.to_string())
    };
    Err(first_error.unwrap_or_else(none))
}

fn plan(load: &LoadArgs, home: &Path) -> Result<Plan, Failure> {
    let HarnessArgs { threads, setup, finally, .. } = &load.harness;
    let refused = |option: &str| {
        let option = option.to_string();
        move |why: String| Failure::BadInput(format!("{option}: {why}"))
    };
    // The file's own `main` has another name.
    let of_program = |code: &str| code::renamed(code, "main", text::MAIN);
    let statements = |option: &str, code: &Option<String>| {
        code::statements(&of_program(code.as_deref().unwrap_or_default())).map_err(refused(option))
    };
    let included = std::fs::read(home).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    Ok(Plan {
        home: home.display().to_string(),
        prefix: text::prefix(&included),
        setup: statements("--setup", setup)?,
        threads: match threads.running() {
            Some(code) => code::threads(&of_program(code)).map_err(refused("--threads"))?,
            None => Vec::new(),
        },
        last: statements("--final", finally)?,
    })
}

fn generate(load: &LoadArgs, plain: &Sources, home: &Path) -> Result<String, Failure> {
    let plan = plan(load, home)?;
    match (&load.harness.entry, &load.harness.linearizable) {
        (Some(function), _) => Ok(plan.entry(function, &parameters(load, plain, home, function)?)),
        (None, None) => Ok(plan.plain()),
        (None, Some(spec)) => {
            history::check(&plan.threads).map_err(Failure::BadInput)?;
            let is_itself = spec.as_os_str() == "itself";
            let spec = if is_itself { home } else { spec };
            input::check_readable(spec)?;
            let sequential = Harness::new(plan.sequential(&spec.display().to_string()), spec)?;
            let files = match is_itself {
                true => plain.clone(),
                false => Sources { files: vec![spec.to_owned()], ..plain.clone() },
            };
            let program = input::program_of(load, &sequential.around(&files))?;
            let finals = history::finals(&plan.last).len();
            let outcomes = history::outcomes(&program, &plan.threads, finals).map_err(Failure::BadInput)?;
            Ok(plan.linearizable(&outcomes))
        }
    }
}

/// The types of a function's parameters, of which any value can be made.
fn parameters(load: &LoadArgs, plain: &Sources, home: &Path, function: &str) -> Result<Vec<String>, Failure> {
    let refused = |why: String| Failure::BadInput(format!("--entry {function}: {why}"));
    let options = input::clang_options(load, plain);
    let found = signature::parameters(load.clang.as_deref(), home, function, &options);
    let found = found.map_err(|error| refused(error.to_string()))?;
    let parameters = found.ok_or_else(|| refused(format!("{} has no function of that name", home.display())))?;
    for parameter in &parameters {
        if text::input_of(parameter).is_none() {
            let advice = "call it with arguments of your own, as in --threads 'f(&x)', and make them in --setup";
            return Err(refused(format!("there are no inputs of the type `{parameter}`: {advice}")));
        }
    }
    Ok(parameters)
}
