//! Programs, printed and compiled.
//! Each test uses its part of it.
#![allow(dead_code)]

use selvedge_bound::{Limits, bound};
use selvedge_from_llvm::LoadOptions;
use selvedge_from_llvm::clang::{ClangOptions, DataModel};
use selvedge_passes::prepare;
use selvedge_program::{Program, Properties, Property, Reason};
use selvedge_to_c::{Backend, Facts, Options, Sequential, Style, sequentialize};
use std::path::{Path, PathBuf};
use std::process::Command;

pub const UNWIND: u32 = 2;
pub const ROUNDS: u32 = 2;

pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map_or_else(PathBuf::new, Path::to_path_buf)
}

/// All C programs below a folder of the project, in order.
pub fn programs_below(folder: &str) -> Vec<PathBuf> {
    let mut programs = Vec::new();
    let mut folders = vec![project().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|extension| extension == "c") => programs.push(path),
                false => {}
            }
        }
    }
    programs.sort();
    programs
}

pub fn is_narrow(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "ilp32")
}

pub fn load(path: &Path) -> Program {
    let data_model = if is_narrow(path) { DataModel::Ilp32 } else { DataModel::Lp64 };
    let options =
        LoadOptions { clang: ClangOptions { data_model, ..ClangOptions::default() }, ..LoadOptions::default() };
    prepare(selvedge_from_llvm::load(&[path.to_path_buf()], &options).expect("it compiles"))
}

/// The properties that sequential C can be checked for.
pub fn properties() -> Properties {
    use Property::{Arithmetic, Assertion, Deadlock, Lock, Memory, Thread};
    [Assertion, Deadlock, Memory, Arithmetic, Lock, Thread].into_iter().collect()
}

pub fn printed(program: &Program, properties: Properties, backend: Backend, style: Style) -> Sequential {
    printed_with(program, properties, backend, style, true)
}

/// `narrow`: variables have the bits that they need.
pub fn printed_with(
    program: &Program,
    properties: Properties,
    backend: Backend,
    style: Style,
    narrow: bool,
) -> Sequential {
    printed_in(ROUNDS, program, properties, backend, style, narrow)
}

/// In so many rounds.
pub fn printed_in(
    rounds: u32,
    program: &Program,
    properties: Properties,
    backend: Backend,
    style: Style,
    narrow: bool,
) -> Sequential {
    printed_or_refused(rounds, program, properties, backend, style, narrow).expect("it can be printed")
}

/// Like [`printed`], for programs that may be refused.
pub fn printed_or_refused(
    rounds: u32,
    program: &Program,
    properties: Properties,
    backend: Backend,
    style: Style,
    narrow: bool,
) -> Result<Sequential, Reason> {
    let limits = Limits { unwind: UNWIND, recursion: UNWIND, threads: 64, ..Limits::default() };
    let bounded = bound(program, &limits)?;
    let facts = Facts::new(&bounded, properties);
    let options = Options { rounds, style, backend, properties, store_buffer: None };
    let intervals = narrow.then(|| facts.intervals(rounds));
    sequentialize(&bounded, &facts, intervals.as_ref(), &options)
}

/// Compiles to an object file, or to a program if `run`; what the compiler says.
pub fn compile(compiler: &Path, text: &str, into: &Path, narrow: bool, run: bool) -> String {
    let source = into.with_extension("c");
    std::fs::write(&source, text).expect("a file");
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin", if narrow { "-m32" } else { "-m64" }]);
    if !run {
        command.arg("-c");
    }
    let output = command.arg("-o").arg(into).arg(&source).output().expect("a compiler");
    String::from_utf8_lossy(&output.stderr).into_owned()
}
