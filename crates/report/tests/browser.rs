//! The page in a real browser: it steps, searches, folds, is legible and accessible, at any width.
//!
//! A driver is added to the page, which presses keys, looks, and writes down what is not as it should be.

mod runs;

use runs::*;
use selvedge_program::{Trace, Verdict};
use selvedge_report::html;
use std::path::Path;
use std::process::Command;

const DRIVER: &str = include_str!("driver.js");

/// Opens the page, with the driver's checks for such a run, and returns its complaints.
fn complaints(browser: &Path, page: &str, kind: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("page.html");
    std::fs::write(&inner, page).expect("a file");
    let (start, end) = page.split_once("</body>").expect("it has an end");
    let driven = format!("{start}<script>const KIND = \"{kind}\";\n{DRIVER}</script></body>{end}");
    let outer = folder.path().join("driven.html");
    std::fs::write(&outer, driven).expect("a file");
    let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
    let mut command = Command::new(browser);
    let options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"];
    command.args(options).args(["--window-size=1280,900", "--virtual-time-budget=20000", &profile]).arg(&outer);
    let output = command.output().expect("it starts");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = dom.split_once("<pre id=\"complaints\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    match told {
        Some((told, _)) => told.to_string(),
        None => panic!("the driver did not end: {}\n{dom}", String::from_utf8_lossy(&output.stderr)),
    }
}

fn check(run: Trace, kind: &str) {
    let Some(browser) = selvedge_requires::chromium() else { return };
    let page = report(run, |report| html::page(report, &mut sources(), Some("selvedge replay count.c")));
    assert_eq!(complaints(&browser, &page, kind), "done");
}

#[test]
fn an_assertion() {
    check(lost_update(), "assertion");
}

#[test]
fn a_deadlock() {
    check(circle(), "deadlock");
}

#[test]
fn a_long_run() {
    check(long(), "long");
}

#[test]
fn many_threads_share_a_column() {
    check(many_threads(), "many");
}

#[test]
fn a_page_without_a_run() {
    let Some(browser) = selvedge_requires::chromium() else { return };
    let page = with_report(&Verdict::Safe, |report| html::page(report, &mut sources(), None));
    assert_eq!(complaints(&browser, &page, "safe"), "done");
}

#[test]
fn a_page_needs_nothing_else() {
    let page = report(long(), |report| html::page(report, &mut sources(), None));
    for elsewhere in ["http:", "https:", "src=", "@import", "url(http"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    assert!(!page.contains("<script>alert") && !page.contains("<b>more"), "text of the program is markup");
}
