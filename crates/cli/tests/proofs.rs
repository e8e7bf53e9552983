//! Every program below `tests/proofs` is correct, and has a twin beside it (`-DTWIN`) that differs in one line or two
//! and is wrong: the engine `prove` must prove the one, and must not prove the other.
//!
//! The property is that assertions hold, unless a program names another (`// property: race`). It may also demand words
//! that `-v` must say (`// advice: …`).
//!
//! Most have unboundedly many threads, so that no other engine can say more than "within bounds". Those that name a
//! solver (`// needs z3`) are proved where it is installed.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Seconds. A twin is refuted as soon as all means are exhausted, or never.
const FOR_PROOF: &str = "120";
const FOR_TWIN: &str = "3";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/proofs");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&root)
        .expect("programs with proofs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    programs.sort();
    assert!(programs.len() >= 30, "programs are missing");
    let trials = programs.into_iter().flat_map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let twin = path.clone();
        [
            Trial::test(format!("{name} is proved"), move || is_proved(&path).map_err(Failed::from)),
            Trial::test(format!("{name}: its twin is not"), move || is_not_proved(&twin).map_err(Failed::from)),
        ]
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn verdict(path: &Path, arguments: &[&str]) -> Result<String, String> {
    let text = told(path, arguments)?;
    let verdict = text.lines().find_map(|line| line.strip_prefix("VERDICT: "));
    verdict.map(str::to_owned).ok_or_else(|| format!("no verdict: {text}"))
}

fn told(path: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--engine", "prove", "--property", &property_of(path)?, "--memory-limit", "3000"])
        .args(arguments)
        .arg(path)
        .output()
        .map_err(|error| error.to_string())?;
    Ok(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

fn property_of(path: &Path) -> Result<String, String> {
    let text = read(path)?;
    let named = text.lines().find_map(|line| line.strip_prefix("// property: "));
    Ok(named.unwrap_or("assertion").to_owned())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

fn is_proved(path: &Path) -> Result<(), String> {
    let text = read(path)?;
    let is_there = |solver: &str| Command::new(solver).arg("--version").output().is_ok();
    let missing = text.lines().filter_map(|line| line.strip_prefix("// needs ")).any(|solver| !is_there(solver));
    let demanded: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// advice: ")).collect();
    if !demanded.is_empty() {
        let told = told(path, &["-v", "--time-limit", FOR_PROOF])?;
        let advice: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("advice: ")).collect();
        let is_same =
            advice.len() == demanded.len() && advice.iter().zip(&demanded).all(|(told, wanted)| is_at(told, wanted));
        if !is_same {
            return Err(format!("advice: {advice:?}"));
        }
    }
    match verdict(path, &["--time-limit", FOR_PROOF])?.as_str() {
        "safe" => Ok(()),
        _ if missing => Ok(()),
        other => Err(other.to_owned()),
    }
}

/// Are they the same, but for the folders of files?
fn is_at(told: &str, wanted: &str) -> bool {
    let without = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    told.split(' ').map(without).eq(wanted.split(' ').map(str::to_owned))
}

fn is_not_proved(path: &Path) -> Result<(), String> {
    match verdict(path, &["-DTWIN", "--time-limit", FOR_TWIN])?.as_str() {
        unknown if unknown.starts_with("unknown") => Ok(()),
        other => Err(other.to_owned()),
    }
}
