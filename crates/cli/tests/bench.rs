//! `bench/peers.py`: tools side by side.

mod common;

use common::Bench;
use std::path::Path;
use std::process::Command;

const TOOLS: &str = r#"
seconds = 20
quick_seconds = 20
unwind = 1
rounds = 2
jobs = 1
property = "assertion"

[answers.selvedge]
unsafe = '^VERDICT: unsafe'
bounded = '^VERDICT: safe (within|under)'
safe = '^VERDICT: safe'

[tool.auto]
command = "selvedge check -q {file} {defines} --property {property} --time-limit {seconds}"
answers = "selvedge"
grows = ["threads"]

[tool.lazy]
command = "selvedge check -q {file} {defines} --time-limit {seconds} --engine lazy --unwind {unwind} --rounds {rounds}"
answers = "selvedge"
grows = ["rounds"]

[tool.optimist]
properties = ["assertion"]
command = "echo all is well with {file}"
[tool.optimist.answers]
safe = 'all is well'

[tool.missing]
needs = "no-such-tool-anywhere"
command = "no-such-tool-anywhere {file}"
answers = "selvedge"

[[program]]
file = "examples/bank_transfer.c"
expect = "unsafe"

[[program]]
file = "examples/dining_philosophers.c"
property = "deadlock"
expect = "unsafe"

[grow.threads]
file = "bench/programs/counter.c"
defines = { ROUNDS = 1 }
define = "THREADS"
values = [1, 2]

[grow.rounds]
file = "examples/bank_transfer.c"
values = [1, 2]
"#;

#[test]
fn tools_are_compared() {
    let Some(python) = selvedge_requires::python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/peers.py");
    let bench = Bench::new();
    let tools = bench.file("tools.toml", TOOLS);
    let mut command = Command::new(&python);
    command.arg(script).arg(env!("CARGO_BIN_EXE_selvedge")).arg("--tools").arg(&tools).arg("-o").arg(bench.path());
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = std::fs::read_to_string(bench.path().join("table.md")).expect("a table");
    let row = |start: &str| table.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{table}"));
    let transfer: Vec<&str> = row("| bank_transfer.c").split('|').map(str::trim).collect();
    assert!(transfer[3].starts_with("unsafe ") && transfer[4].starts_with("unsafe "), "{table}");
    assert!(transfer[5].starts_with("**wrong: safe**"), "{table}");
    let philosophers: Vec<&str> = row("| dining_philosophers.c").split('|').map(str::trim).collect();
    assert!(philosophers[3].starts_with("unsafe ") && philosophers[5].is_empty(), "{table}");
    assert_eq!(row("| **right**"), "| **right** |  | 2 | 2 | 0 |");
    assert!(table.contains("Not installed, and left out: missing."), "{table}");
    for plot in ["quantile", "scatter-lazy", "scatter-optimist", "growth-threads", "growth-rounds"] {
        let mut parse = Command::new(&python);
        parse.args(["-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])"]);
        let parsed = parse.arg(bench.path().join(format!("{plot}.svg"))).status().expect("it starts");
        assert!(parsed.success(), "{plot}");
    }
}

/// Every tool of the table has what the script asks for, and every program is there.
#[test]
fn the_table_of_peers_is_consistent() {
    let Some(python) = selvedge_requires::python() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let check = "import sys, re, tomllib, pathlib\n\
                 table = tomllib.load(open('bench/peers.toml', 'rb'))\n\
                 for name, tool in table['tool'].items():\n    \
                     answers = tool['answers']\n    \
                     answers = table['answers'][answers] if isinstance(answers, str) else answers\n    \
                     assert answers and all(re.compile(pattern) for pattern in answers.values()), name\n    \
                     assert '{file}' in tool['command'] and set(tool.get('grows', [])) <= set(table['grow']), name\n\
                 for program in [*table['program'], *table['grow'].values()]:\n    \
                     assert pathlib.Path(program['file']).exists(), program\n";
    let ran = Command::new(&python).current_dir(root).args(["-c", check]).output().expect("it starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
