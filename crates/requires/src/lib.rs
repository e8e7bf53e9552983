//! For tests: tools and files that some of them need and not every machine has.
//!
//! Every skipped test is reported here, and nowhere else: it is printed, and `make test` counts it at the end. Where
//! [`REQUIRE`] is set, as in continuous integration, the test fails instead, except for needs that cannot be installed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable that requires everything that `scripts/test-tools.sh` installs.
const REQUIRE: &str = "SELVEDGE_REQUIRE_TOOLS";
/// The environment variable with the file that lists skipped tests, a line for each: the need, a tab, the test.
const LIST: &str = "SELVEDGE_SKIPPED";
/// The environment variable with the folder of a corpus with an `INDEX.tsv`; by default one beside the project.
const CORPUS: &str = "SELVEDGE_CORPUS";

/// Something that a test needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    Clang,
    CCompiler,
    Cbmc,
    Spin,
    /// Our virtual machine as a C library, as cargo builds it with the tests.
    PanLibrary,
    Slurm,
    /// An SMT solver beside our own.
    SecondSolver,
    /// The C library's headers for `-m32`.
    Headers32,
    FramaC,
    /// A browser that runs without a screen.
    Chromium,
    /// Python 3.11 or newer.
    Python,
    /// The Python package, for which `PYTHON` may name an interpreter.
    BenchExec,
    /// Programs that are not part of the project.
    Corpus,
}

impl Need {
    pub fn name(self) -> &'static str {
        match self {
            Need::Clang => "clang",
            Need::CCompiler => "cc",
            Need::Cbmc => "CBMC",
            Need::Spin => "SPIN",
            Need::PanLibrary => "libselvedge_pan.a",
            Need::Slurm => "Slurm",
            Need::SecondSolver => "a second SMT solver",
            Need::Headers32 => "32-bit headers of the C library",
            Need::FramaC => "Frama-C",
            Need::Chromium => "Chromium",
            Need::Python => "Python 3.11",
            Need::BenchExec => "BenchExec",
            Need::Corpus => "the corpus",
        }
    }

    /// Whether it must be there if [`REQUIRE`] is set.
    fn is_required(self) -> bool {
        match self {
            Need::Clang
            | Need::CCompiler
            | Need::Cbmc
            | Need::Spin
            | Need::PanLibrary
            | Need::Slurm
            | Need::SecondSolver
            | Need::Headers32
            | Need::Chromium => true,
            Need::FramaC | Need::Python | Need::BenchExec | Need::Corpus => false,
        }
    }
}

/// Whether there is CBMC, where the variable of that name says or on the search path. If not, the test is skipped.
pub fn cbmc() -> bool {
    let given = std::env::var_os("CBMC").filter(|path| !path.is_empty());
    answers(Command::new(given.unwrap_or_else(|| "cbmc".into())).arg("--version")) || skip(Need::Cbmc)
}

/// Whether there are SPIN and a C compiler for its verifiers. If not, the test is skipped.
pub fn spin() -> bool {
    let missing = [("spin", "-V", Need::Spin), ("cc", "--version", Need::CCompiler)];
    missing.into_iter().all(|(tool, option, need)| answers(Command::new(tool).arg(option)) || skip(need))
}

/// Whether there is z3. If not, the test is skipped.
pub fn z3() -> bool {
    answers(Command::new("z3").arg("--version")) || skip(Need::SecondSolver)
}

/// A browser that runs without a screen: `CHROMIUM`, or one on the search path. If there is none, the test is skipped.
pub fn chromium() -> Option<PathBuf> {
    let given = std::env::var_os("CHROMIUM").filter(|path| !path.is_empty()).map(PathBuf::from);
    let known = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
    let browser = given.into_iter().chain(known).find(|path| answers(Command::new(path).arg("--version")));
    if browser.is_none() {
        skip(Need::Chromium);
    }
    browser
}

/// A Python that reads TOML. If there is none, the test is skipped.
pub fn python() -> Option<PathBuf> {
    let given = std::env::var_os("PYTHON").filter(|path| !path.is_empty());
    let python = PathBuf::from(given.unwrap_or_else(|| "python3".into()));
    let found = answers(Command::new(&python).args(["-c", "import tomllib"])) || skip(Need::Python);
    found.then_some(python)
}

/// A Python that has BenchExec. If there is none, the test is skipped.
pub fn benchexec() -> Option<PathBuf> {
    let given = std::env::var_os("PYTHON").filter(|path| !path.is_empty());
    let python = PathBuf::from(given.unwrap_or_else(|| "python3".into()));
    let found = answers(Command::new(&python).args(["-c", "import benchexec"])) || skip(Need::BenchExec);
    found.then_some(python)
}

/// Whether there are headers for `-m32`. If not, the test is skipped.
pub fn headers_32() -> bool {
    let mut command = Command::new("cc");
    answers(command.args(["-m32", "-x", "c", "-fsyntax-only", "-include", "pthread.h", "/dev/null"]))
        || skip(Need::Headers32)
}

/// The folder of the corpus. If there is none, the test is skipped.
pub fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).map(|folder| folder.join("shared/corpus"));
    let folder = std::env::var_os(CORPUS).map(PathBuf::from).or_else(beside);
    let found = folder.filter(|folder| folder.join("INDEX.tsv").is_file());
    if found.is_none() {
        skip(Need::Corpus);
    }
    found
}

/// The value, if it was found. If not, the test is skipped.
pub fn found<T, E>(need: Need, what: Result<T, E>) -> Option<T> {
    let what = what.ok();
    if what.is_none() {
        skip(need);
    }
    what
}

/// Notes that the calling test, or a part of it, is skipped; or fails the test. Always returns false, for conditions.
pub fn skip(need: Need) -> bool {
    skip_because(need, "it is not here")
}

/// Like [`skip`], with a more precise reason.
pub fn skip_because(need: Need, why: &str) -> bool {
    let name = need.name();
    let is_required = std::env::var_os(REQUIRE).is_some_and(|value| !value.is_empty()) && need.is_required();
    assert!(!is_required, "{name} is required: {why} (scripts/test-tools.sh)");
    eprintln!("skipped for want of {name}: {why}");
    if let Some(list) = std::env::var_os(LIST).filter(|list| !list.is_empty()) {
        note(Path::new(&list), &format!("{name}\t{}\n", test_name()));
    }
    false
}

fn note(list: &Path, line: &str) {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list).expect("the list can be written");
    file.write_all(line.as_bytes()).expect("the list can be written");
}

/// The test executable, and the name of the thread, which the test runner sets.
fn test_name() -> String {
    let file = std::env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let file = file.unwrap_or_default();
    let file = file.rsplit_once('-').map_or(file.as_str(), |(name, _hash)| name);
    format!("{file} {}", std::thread::current().name().unwrap_or("(a test)"))
}

fn answers(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_is_listed() {
        let list = std::env::temp_dir().join(format!("selvedge-requires-{}", std::process::id()));
        note(&list, "CBMC\ta test\n");
        note(&list, "SPIN\ta test\n");
        assert_eq!(std::fs::read_to_string(&list).expect("a list"), "CBMC\ta test\nSPIN\ta test\n");
        std::fs::remove_file(&list).expect("it is there");
        assert_eq!(test_name(), "selvedge_requires tests::what_is_skipped_is_listed");
    }

    #[test]
    fn tools_that_are_not_there_do_not_answer() {
        assert!(!answers(&mut Command::new("/no/such/tool")));
        assert!(!answers(&mut Command::new("false")));
        assert!(answers(&mut Command::new("true")));
    }
}
