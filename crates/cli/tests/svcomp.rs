//! Tasks of SV-COMP, and BenchExec with our tool-info module.

mod common;

use common::Bench;
use serde_yaml_ng::Value as Yaml;
use std::path::Path;
use std::process::Command;

const UNREACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

/// A program by the conventions, wrong where `unsafe_value` is possible.
fn task(condition: &str) -> String {
    format!(
        "typedef unsigned long pthread_t;\n\
         extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         extern int pthread_join(pthread_t, void **);\n\
         extern int __VERIFIER_nondet_int(void);\n\
         void reach_error(void) {{}}\n\
         int shared;\n\
         void *worker(void *arg)\n{{\n    shared = __VERIFIER_nondet_int();\n    return 0;\n}}\n\
         int main(void)\n{{\n    pthread_t t;\n    pthread_create(&t, 0, worker, 0);\n    pthread_join(t, 0);\n    \
         if ({condition})\n        reach_error();\n    return 0;\n}}\n"
    )
}

fn bench(condition: &str) -> Bench {
    let bench = Bench::new();
    bench.file("unreach-call.prp", UNREACH);
    bench.file("task.i", &task(condition));
    bench
}

const CHECK: [&str; 6] = ["svcomp", "--property-file", "unreach-call.prp", "--data-model", "ILP32", "task.i"];

#[test]
fn a_violation_has_a_witness() {
    let bench = bench("shared == 12345");
    let run = bench.run(&CHECK);
    assert!(run.expect(10).out.contains("RESULT: false(unreach-call)\n"), "{}", run.out);
    let witness = std::fs::read_to_string(bench.path().join("witness.graphml")).expect("a witness");
    for part in ["result == 12345;", "__VERIFIER_nondet_int", "<data key=\"createThread\">1</data>", "32bit"] {
        assert!(witness.contains(part), "{part}: {witness}");
    }
}

#[test]
fn what_is_safe_is_true() {
    let bench = bench("shared != shared");
    let run = bench.run(&CHECK);
    assert!(run.expect(0).out.contains("RESULT: true\n"), "{}", run.out);
    assert!(!bench.path().join("witness.graphml").exists());
}

/// A bank that never closes, by the conventions: only a proof shows that it is safe.
fn bank() -> String {
    let program = include_str!("../../../examples/bank_open.c");
    let program = program.replace("#include <assert.h>\n", "void reach_error(void) {}\n");
    program.replace("assert(savings + current == 200);", "if (savings + current != 200)\n        reach_error();")
}

#[test]
fn a_proof_has_a_witness_by_the_rules_of_its_format() {
    let bench = bench("0");
    let text = bank();
    bench.file("task.c", &text);
    let data = ["svcomp", "--property-file", "unreach-call.prp", "--data-model", "LP64", "task.c"];
    let run = bench.run(&data);
    assert!(run.expect(0).out.contains("RESULT: true\n"), "{}", run.out);
    let witness = std::fs::read_to_string(bench.path().join("witness.yml")).expect("a witness");
    let entries: Vec<Yaml> = serde_yaml_ng::from_str(&witness).expect("YAML");
    let kinds: Vec<&str> = entries.iter().filter_map(|entry| entry["entry_type"].as_str()).collect();
    assert_eq!(kinds, ["ghost_instrumentation", "invariant_set"], "{witness}");
    for entry in &entries {
        keeps_the_rules_of_metadata(&entry["metadata"]);
        assert_eq!(entry["metadata"]["format_version"].as_str(), Some("2.1"));
    }
    let lines: Vec<&str> = text.lines().collect();
    let is_at_a_statement = |location: &Yaml, start: &str| {
        let (line, column) =
            (location["line"].as_u64().expect("a line"), location["column"].as_u64().expect("a column"));
        let text = lines[line as usize - 1];
        assert_eq!(location["file_name"].as_str(), Some("task.c"));
        assert_eq!(column as usize, text.len() - text.trim_start().len() + 1, "{text}");
        assert!(text.trim_start().starts_with(start), "{text}");
    };
    let ghosts = entries[0]["content"]["ghost_variables"].as_sequence().expect("ghosts");
    let names: Vec<&str> = ghosts.iter().filter_map(|ghost| ghost["name"].as_str()).collect();
    assert!(!names.is_empty() && names.iter().all(|name| !text.contains(name)), "{witness}");
    for ghost in ghosts {
        assert_eq!((ghost["type"].as_str(), ghost["scope"].as_str()), (Some("int"), Some("global")));
        assert_eq!(ghost["initial"]["value"].as_str(), Some("0"));
    }
    for update in entries[0]["content"]["ghost_updates"].as_sequence().expect("updates") {
        is_at_a_statement(&update["location"], "pthread_");
        for set in update["updates"].as_sequence().expect("updates") {
            assert!(names.contains(&set["variable"].as_str().expect("a name")));
        }
    }
    let invariants = entries[1]["content"].as_sequence().expect("invariants");
    let about: Vec<&Yaml> = invariants.iter().map(|entry| &entry["invariant"]).collect();
    for invariant in &about {
        is_at_a_statement(&invariant["location"], "");
        assert_eq!(invariant["type"].as_str(), Some("location_invariant"));
        assert_eq!(invariant["format"].as_str(), Some("c_expression"));
        let value = invariant["value"].as_str().expect("an expression");
        assert_eq!(value.matches('(').count(), value.matches(')').count(), "{value}");
        let mut words = value.split(|c: char| !c.is_alphanumeric() && c != '_');
        let known = ["savings", "current", "unsigned", "int"];
        let is_known =
            |word: &str| !word.starts_with(char::is_alphabetic) || known.contains(&word) || names.contains(&word);
        assert!(words.all(is_known), "{value}");
    }
    let says_it = |invariant: &&Yaml| invariant["value"].as_str().is_some_and(|value| value.contains("200U"));
    assert!(about.iter().any(says_it), "{witness}");
}

fn keeps_the_rules_of_metadata(metadata: &Yaml) {
    let text = |value: &Yaml| value.as_str().unwrap_or_else(|| panic!("{value:?}")).to_string();
    let uuid = text(&metadata["uuid"]);
    assert!(uuid.len() == 36 && uuid.split('-').count() == 5, "{uuid}");
    let time = text(&metadata["creation_time"]);
    assert!(time.len() == 20 && time.ends_with('Z') && &time[10..11] == "T", "{time}");
    assert_eq!(text(&metadata["producer"]["name"]), "Selvedge");
    let task = &metadata["task"];
    assert_eq!(text(&task["input_files"][0]), "task.c");
    let hash = text(&task["input_file_hashes"]["task.c"]);
    assert!(hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
    assert_eq!(text(&task["specification"]), UNREACH.trim());
    assert_eq!((text(&task["data_model"]), text(&task["language"])), ("LP64".to_string(), "C".to_string()));
}

#[test]
fn nothing_rests_on_an_assumption() {
    let bench = bench("0");
    bench.file("task.i", &task("0").replace("shared = ", "extern int frob(void); shared = frob() + "));
    let run = bench.run(&CHECK);
    assert!(run.expect(5).out.contains("RESULT: unknown ("), "{}", run.out);
}

#[test]
fn benchexec_runs_our_module() {
    let Some(python) = selvedge_requires::benchexec() else { return };
    let contrib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib");
    let bench = bench("shared == 1");
    for (name, expected) in [
        ("false(unreach-call)", "false(unreach-call)"),
        ("true", "true"),
        ("unknown (x)", "unknown"),
        ("unknown (time limit of 3 s)", "TIMEOUT"),
    ] {
        bench.file("output.txt", &format!("RESULT: {name}\nVERDICT: as it is\n"));
        let binary = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent().expect("a folder");
        let mut command = Command::new(&python);
        command.current_dir(bench.path()).env("PYTHONPATH", &contrib).env("PYTHONDONTWRITEBYTECODE", "1");
        command.args(["-m", "benchexec.test_tool_info", "selvedge_benchexec.selvedge", "--no-container"]);
        command.arg("--tool-directory").arg(binary).args(["--tool-output", "output.txt"]);
        let output = command.output().expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let version = format!("Version: “{}”", env!("CARGO_PKG_VERSION"));
        let result = format!("“{expected}”");
        for part in
            [version.as_str(), result.as_str(), "'svcomp', '--property-file', 'PROPERTY.PRP', '--data-model', 'ILP32'"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}
