//! Store buffers: the programs below `tests/weak` say in their first line under which memory models they go wrong.
//!
//! ```c
//! // wrong: tso pso              (or: pso, never)
//! ```
//!
//! CBMC says just that of the printed programs. Compiled and run with random choices they go wrong under these models
//! only; a random run that does is too rare to wait for.

mod common;

use common::{compile, load, printed_in, programs_below, properties};
use selvedge_program::{MemoryModel, Program};
use selvedge_to_c::{Backend, Style};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: u32 = 3;
/// So many random runs are tried where nothing goes wrong.
const IN_VAIN: u32 = 1_000;
/// Tries one seed after another, each in a process of its own, and prints the first that goes wrong.
const TRY_ALL: &str = r#"
#undef main
int fork(void);
int waitpid(int, int *, int);
int setenv(const char *, const char *, int);
void _exit(int);
int sprintf(char *, const char *, ...);
int main(int count, char **words)
{
    for (unsigned seed = 0; seed < strtoull(words[count - 1], 0, 0); seed++) {
        char text[20];
        int status = 1, child = fork();
        if (!child) {
            sprintf(text, "%u", seed);
            setenv("SELVEDGE_SEED", text, 1);
            sequential();
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (status) {
            dprintf(1, "%u", seed);
            return 0;
        }
    }
    return 0;
}
"#;

struct Case {
    path: PathBuf,
    program: Program,
    model: MemoryModel,
    is_wrong: bool,
}

/// Each program under each model.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in programs_below("crates/to_c/tests/weak") {
        let text = std::fs::read_to_string(&path).expect("a program");
        let first =
            text.lines().next().and_then(|line| line.strip_prefix("// wrong: ")).expect("a first line that says it");
        let program = load(&path);
        for model in MemoryModel::ALL {
            let program = Program { memory_model: model, ..program.clone() };
            let is_wrong = first.split_whitespace().any(|name| name == model.name());
            cases.push(Case { path: path.clone(), program, model, is_wrong });
        }
    }
    cases
}

fn style(case: usize) -> Style {
    if case.is_multiple_of(2) { Style::Tacas17 } else { Style::Cav14 }
}

fn cbmc_fails(text: &str, folder: &Path) -> bool {
    let source = folder.join("sequential.c");
    std::fs::write(&source, text).expect("a file");
    let checks = ["--no-standard-checks", "--stop-on-fail", "--pointer-check", "--bounds-check"];
    let cbmc = std::env::var_os("CBMC").unwrap_or_else(|| "cbmc".into());
    let output = Command::new(cbmc).arg(&source).args(checks).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains("unsupported: ") || output.status.code() == Some(0), "{said}");
    match output.status.code() {
        Some(0) => false,
        Some(10) => true,
        code => panic!("cbmc ended with {code:?}: {said}\n{text}"),
    }
}

#[test]
fn cbmc_finds_what_the_models_allow_and_nothing_else() {
    if !selvedge_requires::cbmc() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (number, case) in cases().into_iter().enumerate() {
        let text = printed_in(ROUNDS, &case.program, properties(), Backend::Cbmc, style(number), true).text;
        let (name, model) = (case.path.display(), case.model.name());
        assert_eq!(cbmc_fails(&text, folder.path()), case.is_wrong, "{name} under {model}");
    }
}

#[test]
fn random_runs_show_nothing_that_the_models_forbid() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("run");
    for (number, case) in cases().into_iter().enumerate().filter(|(_, case)| case.model.has_buffers() && !case.is_wrong)
    {
        let (name, model) = (case.path.display(), case.model.name());
        let text = printed_in(2, &case.program, properties(), Backend::Generic, style(number), true).text;
        let text = format!("#define main sequential\n{text}{TRY_ALL}");
        let said = compile("gcc".as_ref(), &text, &binary, false, true);
        assert!(said.is_empty(), "{name} under {model}: {said}");
        let run = Command::new(&binary).arg(IN_VAIN.to_string()).output().expect("it runs");
        let (seed, said) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(!said.starts_with("unsupported: "), "{name} under {model}: {said}");
        assert!(seed.is_empty(), "{name} under {model}: seed {seed}");
    }
}
