//! Every C program below `tests/programs` says in its own comments what Selvedge must say of it:
//!
//! ```c
//! // check: unsafe assertion      (or: safe, safe-within-bounds, unknown, unknown KIND)
//! // args: --preemptions 2        (optional)
//! …
//! assert(x == 1); //~ violation   (on each line that may be named; none: any line will do)
//! ```
//!
//! One test a program, named by its path.

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let trials = programs(&root)
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || check(&path).map_err(Failed::from))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// In the order of names, so that two runs list the same.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i" || extension == "ll") {
            found.push(path);
        }
    }
    found.sort();
    found
}

struct Expected {
    verdict: String,
    /// The property of an `unsafe`, the kind of an `unknown`.
    detail: Option<String>,
    arguments: Vec<String>,
    lines: Vec<u64>,
}

fn expected(text: &str) -> Result<Expected, String> {
    let mut check = None;
    let mut arguments = Vec::new();
    for line in text.lines().map(str::trim).take_while(|line| line.is_empty() || is_comment(line)) {
        let line = line.trim_start_matches(['/', ';', ' ']);
        if let Some(rest) = line.strip_prefix("check:") {
            check = Some(rest.split_whitespace().map(String::from).collect::<Vec<_>>());
        } else if let Some(rest) = line.strip_prefix("args:") {
            arguments.extend(rest.split_whitespace().map(String::from));
        }
    }
    let mut words = check.ok_or("no `// check:` comment at its top")?.into_iter();
    let verdict = words.next().ok_or("`// check:` names no verdict")?;
    let marked = text.lines().zip(1..).filter(|(line, _)| line.contains("//~ violation"));
    let lines = marked.map(|(_, number)| number).collect();
    Ok(Expected { verdict, detail: words.next(), arguments, lines })
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") || line.starts_with(';')
}

fn check(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let expected = expected(&text)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let json = folder.path().join("result.json");
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .arg("check")
        .arg(path)
        .args(["--time-limit", "120"])
        .args(&expected.arguments)
        .arg("--json")
        .arg(&json)
        .output()
        .map_err(|error| error.to_string())?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let document = std::fs::read(&json).map_err(|_| format!("no JSON was written:\n{said}"))?;
    let document: Value = serde_json::from_slice(&document).map_err(|error| error.to_string())?;
    compare(&expected, &document, output.status.code()).map_err(|difference| format!("{difference}\n{said}"))
}

fn compare(expected: &Expected, document: &Value, code: Option<i32>) -> Result<(), String> {
    let same = |what: &str, expected: &str, found: &Value| match found.as_str() == Some(expected) {
        true => Ok(()),
        false => Err(format!("{what}: expected {expected}, found {found}")),
    };
    same("verdict", &expected.verdict, &document["verdict"])?;
    let wanted_code = match expected.verdict.as_str() {
        "unsafe" => 10,
        "unknown" => 5,
        _ => 0,
    };
    if code != Some(wanted_code) {
        return Err(format!("exit code: expected {wanted_code}, found {code:?}"));
    }
    match (expected.verdict.as_str(), &expected.detail) {
        ("unsafe", detail) => {
            if let Some(property) = detail {
                same("property", property, &document["property"])?;
            }
            if document["replayed"] != Value::Bool(true) {
                return Err("the violation was not replayed".to_string());
            }
            let line = document["location"]["line"].as_u64();
            if !expected.lines.is_empty() && !line.is_some_and(|line| expected.lines.contains(&line)) {
                return Err(format!("line: expected one of {:?}, found {line:?}", expected.lines));
            }
        }
        ("unknown", Some(kind)) => same("reason", kind, &document["reason"]["kind"])?,
        _ => {}
    }
    Ok(())
}
