//! SPIN over our VM against our own searches, on generated programs: the same answers.
//! Where there is no SPIN, no C compiler or no library for it, this is skipped.
//!
//! `SELVEDGE_CASES` is the number of programs, `SELVEDGE_SEED` where they begin.

use selvedge_engine::{Control, Engine, Outcome, Task, conclude};
use selvedge_generate::{Features, Tally, Trial};
use selvedge_outside::spin::{Options, Spin};
use selvedge_program::{Bounds, Finding, Program, Verdict};
use selvedge_requires::Need;
use selvedge_search::explicit::Explicit;
use std::path::PathBuf;

/// Each takes a second, for the C compiler.
const CASES: u32 = 4;

/// The newest library beside this test.
fn library() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    let files = std::fs::read_dir(test.parent()?).ok()?.flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libselvedge_pan") && name.ends_with(".a")
    };
    let written = |path: &PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
    files.filter(is_it).max_by_key(written)
}

fn spin() -> Option<Spin> {
    if !selvedge_requires::spin() {
        return None;
    }
    let library = selvedge_requires::found(Need::PanLibrary, library().ok_or(()))?;
    Some(Spin { options: Options { library: Some(library), ..Options::default() } })
}

fn summary(outcome: &Outcome) -> String {
    match &outcome.finding {
        Finding::Violation { .. } => "violation".to_string(),
        Finding::NoneWithin(coverage) => format!("none within {coverage}"),
        Finding::GaveUp(reason) => format!("gave up: {reason}"),
        Finding::Contradiction { .. } | Finding::Unfollowed { .. } | Finding::NoProof { .. } => {
            "contradiction".to_string()
        }
    }
}

fn compare(spin: &Spin, program: &Program, preemptions: Option<u32>, tally: &Tally) -> Result<(), String> {
    let task = Task { bounds: Bounds { preemptions, ..Bounds::default() }, ..Task::default() };
    let explicit = Explicit::default().check(program, &task, &Control::default());
    if !tally.compares(&[&explicit.finding]) {
        return Ok(());
    }
    let outcome = spin.check(program, &task, &Control::default());
    // The explicit search may know that what the bound cuts off was seen otherwise; SPIN never does.
    let both_none = [&outcome, &explicit].iter().all(|one| matches!(one.finding, Finding::NoneWithin(_)));
    if summary(&outcome) != summary(&explicit) && !(preemptions.is_some() && both_none) {
        let why = format!("SPIN: {}, explicit: {}", summary(&outcome), summary(&explicit));
        // At once, for it takes long to find a smaller program.
        eprintln!("{why}\n{program}");
        return Err(why);
    }
    if let Finding::Violation { .. } = outcome.finding {
        let verdict = conclude(program, task.properties, outcome.finding).map_err(|error| error.to_string())?.verdict;
        return matches!(verdict, Verdict::Unsafe(_)).then_some(()).ok_or_else(|| format!("{verdict:?}"));
    }
    Ok(())
}

#[test]
fn spin_and_the_explicit_search_agree() {
    let Some(spin) = spin() else { return };
    Trial { cases: CASES, percent: 50 }.run(Features::ALL, |source, tally| {
        let program = source.program();
        compare(&spin, &program, None, tally)?;
        compare(&spin, &program, Some(1), tally)
    });
}
