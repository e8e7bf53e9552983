//! Tasks of SV-COMP, and BenchExec with our tool-info module.

mod common;

use common::Bench;
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
