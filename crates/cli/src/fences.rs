//! `selvedge check --fences`: the fewest fences that make an unsafe program safe, as a patch.
//!
//! Copies of the sources get a mark before every statement that begins a line, on the same line, so that lines keep
//! their numbers. [`selvedge_engines::fences`] searches, with the engine of the check; a fence becomes a line of its
//! own before its statement.

mod statements;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::input;
use crate::sources::Sources;
use selvedge_engines::fences::{Fences as Sites, Marked, Repair};
use selvedge_from_llvm::clang::OptLevel;
use selvedge_program::{InternalError, Program, Verdict};
use selvedge_report::fences::{Fences, Line};
use selvedge_report::patch::{Insertions, diff};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The variable whose reads are marks.
const MARK: &str = "_selvedge_fence_site";

/// Refuses what fences have no meaning for.
pub fn refuse(args: &CheckArgs) -> Result<(), Failure> {
    let load = &args.program.load;
    let is_c = |path: &PathBuf| path.extension() == Some(OsStr::new("c"));
    let why = match () {
        () if !load.memory_model.has_buffers() => {
            "requires --memory-model tso or pso: without store buffers fences do nothing"
        }
        () if load.opt != OptLevel::O0 => "cannot be combined with --opt: optimisers move accesses across lines",
        () if args.program.observers.is_temporal() => "looks at runs that end, not at formulas",
        () if load.harness.is_wanted() => {
            "cannot be combined with --threads or --entry: keep the harness with --emit harness"
        }
        () if !load.files.iter().all(is_c) => "requires C sources (.c)",
        () => return Ok(()),
    };
    Err(Failure::BadInput(format!("--fences {why}")))
}

/// The program with marks, and the texts of its sources.
pub struct Prepared {
    marked: Marked,
    sources: BTreeMap<String, String>,
}

pub fn prepare(args: &CheckArgs) -> Result<Prepared, Failure> {
    let load = &args.program.load;
    let folder = tempfile::tempdir().map_err(|error| Failure::BadInput(format!("cannot make a folder: {error}")))?;
    let (mut copies, mut sources) = (Vec::new(), BTreeMap::new());
    for (number, path) in Sources::plain(load)?.files.iter().enumerate() {
        let cannot = |error| Failure::BadInput(format!("cannot read {}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(cannot)?;
        let copy = folder.path().join(format!("{number}.c"));
        std::fs::write(&copy, with_marks(path, &text)).map_err(cannot)?;
        copies.push(copy);
        sources.insert(path.display().to_string(), text);
    }
    let program = input::program_in_place_of(&args.program, &copies)?;
    Ok(Prepared { marked: Marked::new(program, MARK), sources })
}

fn with_marks(path: &Path, text: &str) -> String {
    let beginnings = statements::beginnings(text);
    let mut marked = format!("static volatile char {MARK};\n#line 1 {:?}\n", path.display().to_string());
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        if beginnings.binary_search(&number).is_ok() {
            marked += &format!("(void){MARK}; ");
        }
        marked += line;
    }
    marked
}

impl Prepared {
    /// Searches; `check` judges a program.
    pub fn repair(
        &self,
        check: &mut dyn FnMut(Program) -> Result<Verdict, InternalError>,
    ) -> Result<Fences, InternalError> {
        let mut needs_buffers = true;
        let repair = self.marked.repair(&mut |program| {
            let has_buffers = program.memory_model.has_buffers();
            let verdict = check(program)?;
            needs_buffers &= has_buffers || !matches!(verdict, Verdict::Unsafe(_));
            Ok(verdict)
        });
        Ok(match repair? {
            Repair::Fences { fences, verdict } => self.found(&fences, &verdict),
            Repair::None(_) => Fences::none(needs_buffers),
            Repair::Unknown(reason) => Fences::unknown(&reason),
        })
    }

    fn found(&self, fences: &Sites, verdict: &Verdict) -> Fences {
        let positions = fences.iter().map(|site| self.marked.position(*site));
        let mut lines: Vec<Line> = positions.map(|at| Line { file: at.file, line: at.line }).collect();
        lines.sort();
        let patches = self.sources.iter().map(|(path, text)| {
            let here = lines.iter().filter(|line| line.file == *path);
            let insertions: Insertions = here.map(|line| (line.line, fence_before(text, line.line))).collect();
            if insertions.is_empty() { String::new() } else { diff(path, text, &insertions) }
        });
        let patch = patches.collect();
        Fences::found(lines, patch, verdict)
    }
}

/// A fence, indented like the statement that it stands before.
fn fence_before(text: &str, line: u32) -> String {
    let statement = text.lines().nth(line as usize - 1).unwrap_or_default();
    let mut indent: String = statement.chars().take_while(|c| c.is_whitespace()).collect();
    if statement.trim_start().starts_with('}') {
        // Before the end of a block, as deep as what is in it.
        indent += if indent.ends_with('\t') { "\t" } else { "    " };
    }
    let fence = match text.contains("<stdatomic.h>") {
        true => "atomic_thread_fence(memory_order_seq_cst);",
        false => "__sync_synchronize();",
    };
    indent + fence
}
