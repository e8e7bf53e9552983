//! Against CBMC, where it is installed: on generated programs it finds a violation exactly when the lazy engine
//! does, within the same bounds.

mod common;

use common::{ROUNDS, UNWIND, printed, properties};
use selvedge_engines::lazy::Lazy;
use selvedge_engines::{Control, Engine, Task};
use selvedge_program::{Bounds, Finding, Program};
use selvedge_to_c::{Backend, Style};
use std::path::Path;
use std::process::{Command, Stdio};

/// `SELVEDGE_CASES` for more.
const CASES: u64 = 30;

fn is_installed() -> bool {
    Command::new("cbmc").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// What CBMC says: is something wrong? None: it met what is not supported.
fn cbmc(program: &Program, style: Style, folder: &Path) -> Option<(bool, String)> {
    let source = folder.join("sequential.c");
    let text = printed(program, properties(), Backend::Cbmc, style).text;
    std::fs::write(&source, &text).expect("a file");
    let checks = ["--no-standard-checks", "--pointer-check", "--bounds-check", "--stop-on-fail"];
    let output = Command::new("cbmc").arg(&source).args(checks).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if said.contains("unsupported: ") && output.status.code() == Some(10) {
        return None;
    }
    match output.status.code() {
        Some(0) => Some((false, said)),
        Some(10) => Some((true, said)),
        code => panic!("cbmc ended with {code:?}: {said}\n{text}"),
    }
}

#[test]
fn generated_programs_get_the_same_verdicts() {
    if !is_installed() {
        eprintln!("there is no cbmc: nothing is compared");
        return;
    }
    let cases = std::env::var("SELVEDGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let first = std::env::var("SELVEDGE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let folder = tempfile::tempdir().expect("a folder");
    let bounds = Bounds { unwind: Some(UNWIND), rounds: Some(ROUNDS), ..Bounds::default() };
    let task = Task { properties: properties(), bounds, ..Task::default() };
    let mut compared = 0;
    for seed in first..first + cases {
        let program = selvedge_passes::prepare(selvedge_generate::program(seed));
        let style = if seed % 2 == 0 { Style::Tacas17 } else { Style::Cav14 };
        let ours = Lazy.check(&program, &task, &Control::default()).finding;
        let theirs = cbmc(&program, style, folder.path());
        match (&ours, &theirs) {
            (Finding::GaveUp(_), _) | (_, None) => continue,
            (Finding::Violation { .. }, Some((true, _))) | (Finding::NoneWithin(_), Some((false, _))) => compared += 1,
            _ => panic!(
                "program {seed}: {ours:?}\n{}\n{}",
                theirs.map_or(String::new(), |(_, said)| said),
                selvedge_generate::source(seed, selvedge_generate::Features::ALL).text()
            ),
        }
    }
    assert!(compared * 2 > cases, "only {compared} of {cases} programs were compared");
}
