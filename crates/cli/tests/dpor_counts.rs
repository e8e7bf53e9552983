//! Dynamic partial order reduction makes as many runs as theory says: `bench/dpor/counts.txt`.

use std::path::Path;
use std::process::Command;

#[test]
fn runs_are_as_many_as_theory_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/dpor");
    let table = std::fs::read_to_string(folder.join("counts.txt")).expect("the table");
    let mut wrong = Vec::new();
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let [program, n, runs, ..] = fields.as_slice() else { panic!("a row of the table: {row}") };
        for jobs in ["1", "3"] {
            let found = runs_of(&folder.join(format!("{program}.c")), n, jobs);
            if found.as_deref() != Some(*runs) {
                wrong.push(format!("{program} {n}, {jobs} jobs: {runs} expected, {found:?} made"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The number of runs of a search that shows the program to be safe.
fn runs_of(program: &Path, n: &str, jobs: &str) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").arg(program).args(["-D", &format!("N={n}"), "--json", "-"]);
    let output =
        command.args(["--engine", "explicit", "--reduction", "dpor", "--jobs", jobs]).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let json = text.find('{').map_or("", |start| &text[start..]);
    let result: serde_json::Value = serde_json::Deserializer::from_str(json).into_iter().next()?.ok()?;
    (result["verdict"] == "safe").then(|| result["statistics"]["runs"].to_string())
}
