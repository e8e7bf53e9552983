//! Outside checkers through the command. ESBMC and KLEE are scripts here that print recordings of what the real
//! ones say, and so is whatever goes wrong.

mod common;

use common::{Bench, RACE, RACE_LINE, SAFE};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const ESBMC_FAILED: &str = r#"cat <<'END'
ESBMC version 7.7.0 64-bit x86_64 linux
Generated 3 VCC(s), 3 remaining after simplification (120 assignments)
Solving with solver Z3 v4.13.0
Runtime decision procedure: 0.012s
Building error trace

[Counterexample]


State 1 file sequential.c line 40 column 3 function main thread 0
----------------------------------------------------
  cs_0_0 = 2 (00000000 00000000 00000000 00000010)

State 2 file sequential.c line 41 column 3 function main thread 0
----------------------------------------------------
  cs_1_1 = 1 (00000000 00000000 00000000 00000001)

State 9 file sequential.c line 99 column 5 function main thread 0
----------------------------------------------------
Violated property:
  file sequential.c line 99 column 5 function main
  assertion: `count == 2` fails
  0


VERIFICATION FAILED
END
exit 1
"#;

const ESBMC_SUCCESSFUL: &str = "cat <<'END'
Generated 3 VCC(s), 3 remaining after simplification (120 assignments)

VERIFICATION SUCCESSFUL
END
";

/// Two integers, `cs_0_0` and `cs_1_1`, in a file as KLEE writes it.
const KLEE_FAILED: &str = r#"for word; do
    case $word in --output-dir=*) out=${word#--output-dir=};; esac
done
mkdir "$out"
printf 'KTEST\0\0\0\003\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\002' >"$out/test000001.ktest"
printf '\0\0\0\006cs_0_0\0\0\0\004\002\0\0\0' >>"$out/test000001.ktest"
printf '\0\0\0\006cs_1_1\0\0\0\004\001\0\0\0' >>"$out/test000001.ktest"
printf 'Error: assertion: `count == 2` fails\nFile: sequential.c\nLine: 99\n' >"$out/test000001.assert.err"
cat >&2 <<'END'
KLEE: output directory is "out"
KLEE: ERROR: sequential.c:99: assertion: `count == 2` fails
KLEE: NOTE: now ignoring this error at this location

KLEE: done: total instructions = 1190
KLEE: done: completed paths = 2
KLEE: done: partially completed paths = 1
KLEE: done: generated tests = 1
END
"#;

const KLEE_DONE: &str = "printf 'KLEE: done: completed paths = 6\\nKLEE: done: partially completed paths = 0\\n' >&2\n";

/// Checks a program with a tool that is this script.
fn check(program: &str, engine: &str, script: &str, arguments: &[&str]) -> (Bench, Output) {
    let bench = Bench::new();
    bench.file("a.c", program);
    let tool = bench.file("tool", &format!("#!/bin/sh\n{script}"));
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).expect("a script");
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .current_dir(bench.path())
        .args(["check", "a.c", "--engine", engine, "--unwind", "1", "--rounds", "2"])
        .args(arguments)
        .env(engine.to_uppercase(), &tool)
        .env("CLANG", "true")
        .env("TMPDIR", bench.temporary())
        .output()
        .expect("it starts");
    (bench, output)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn counterexamples_of_every_tool_are_replayed() {
    for (engine, script) in [("esbmc", ESBMC_FAILED), ("klee", KLEE_FAILED)] {
        let (_bench, output) = check(RACE, engine, script, &[]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(10), "{engine}: {said}");
        assert!(said.ends_with(&format!("VERDICT: unsafe (assertion at a.c:{RACE_LINE})\n")), "{said}");
    }
}

#[test]
fn nothing_found_is_within_bounds() {
    for (engine, script) in [("esbmc", ESBMC_SUCCESSFUL), ("klee", KLEE_DONE)] {
        let (_bench, output) = check(RACE, engine, script, &[]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(0), "{engine}: {said}");
        assert!(said.contains("VERDICT: safe within bounds (unwind 1 complete, rounds 2"), "{said}");
    }
}

#[test]
fn a_tool_that_fails_is_named_with_its_last_words() {
    for (engine, script, why) in [
        (
            "cbmc",
            "echo 6.6.0\necho 'out of coffee' >&2\nexit 6\n",
            "cbmc ended with exit code 6; its last words: out of coffee",
        ),
        ("cbmc", "echo nonsense\n", "cbmc does not report its version: nonsense"),
        ("esbmc", "kill -ABRT $$\n", "esbmc was ended by signal 6; it said nothing"),
        (
            "esbmc",
            "exec /no/such/tool\n",
            "esbmc is not installed: put it on the search path, or set ESBMC to its file",
        ),
        ("klee", "exit 0\n", "klee ended without an answer; its last words: nothing"),
    ] {
        let (_bench, output) = check(SAFE, engine, script, &[]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.ends_with(&format!("VERDICT: unknown ({why})\n")), "{said}");
    }
}

/// Whatever the tool answers: it may have checked another program.
#[test]
fn the_answer_of_a_tool_that_complains_does_not_count() {
    let preprocessing = "echo 'GCC preprocessing failed' >&2\n";
    let cbmc = |answer: &str| format!("[ \"$1\" = --version ] && echo 6.6.0 && exit\n{preprocessing}{answer}");
    let cbmc_failed = cbmc(&ESBMC_FAILED.replace("[Counterexample]", "Counterexample:"));
    let cbmc_successful = cbmc("echo 'VERIFICATION SUCCESSFUL'\n");
    let esbmc = |answer: &str| format!("echo 'WARNING: no body for function memset'\n{answer}");
    let klee = |answer: &str| format!("echo 'KLEE: WARNING: undefined reference to function: memset' >&2\n{answer}");
    for (engine, script, complaint) in [
        ("cbmc", cbmc_failed, "GCC preprocessing failed"),
        ("cbmc", cbmc_successful, "GCC preprocessing failed"),
        ("esbmc", esbmc(ESBMC_FAILED), "WARNING: no body for function memset"),
        ("esbmc", esbmc(ESBMC_SUCCESSFUL), "WARNING: no body for function memset"),
        ("klee", klee(KLEE_FAILED), "KLEE: WARNING: undefined reference to function: memset"),
        ("klee", klee(KLEE_DONE), "KLEE: WARNING: undefined reference to function: memset"),
    ] {
        let (_bench, output) = check(RACE, engine, &script, &[]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(5), "{said}");
        let why = format!("{engine} complains, so its answer does not count: {complaint}");
        assert!(said.ends_with(&format!("VERDICT: unknown ({why})\n")), "{said}");
    }
}

#[test]
fn a_violation_that_nobody_can_follow_is_an_internal_error() {
    let (bench, output) = check(SAFE, "esbmc", ESBMC_FAILED, &[]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(70), "{said}");
    assert!(said.contains("internal error: esbmc says: assertion: `count == 2` fails; but none of our runs"), "{said}");
    let evidence = |folder: &Path| {
        let files = std::fs::read_dir(folder).expect("a folder").flatten();
        files.map(|file| file.path()).find(|path| path.extension().is_some_and(|end| end == "json"))
    };
    assert_eq!(evidence(bench.path()), None, "the folder that one works in is no place for it");
    let evidence = std::fs::read_to_string(evidence(&bench.temporary()).expect("a file of evidence")).expect("text");
    let evidence: serde_json::Value = serde_json::from_str(&evidence).expect("JSON");
    assert!(evidence["texts"]["program"].as_str().is_some_and(|text| text.contains("main")));
    assert!(evidence["texts"]["output"].as_str().is_some_and(|text| text.contains("VERIFICATION FAILED")));
    assert!(evidence["texts"]["turns"].as_str().is_some_and(|text| text.contains("thread: 1")));
}

#[test]
fn any_command_will_do() {
    let command = "echo VERIFICATION SUCCESSFUL; test -s {file}";
    let (_bench, output) = check(RACE, "command", "", &["--backend-cmd", command]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn options_that_do_not_fit_are_refused() {
    for (engine, arguments, why) in [
        ("command", &[] as &[&str], "--engine command requires --backend-cmd"),
        (
            "lazy",
            &["--style", "cav14"],
            "--engine lazy does not take --style; engines that do: cbmc, esbmc, klee, command",
        ),
        (
            "esbmc",
            &["--backend-cmd", "x {file}"],
            "--engine esbmc does not take --backend-cmd; engines that do: command",
        ),
        (
            "esbmc",
            &["--no-merging"],
            "--engine esbmc does not take --no-merging; engines that do: auto, explicit, spin",
        ),
    ] {
        let (_bench, output) = check(SAFE, engine, "", arguments);
        let said = said(&output);
        assert_eq!((output.status.code(), said.as_str()), (Some(2), format!("error: {why}\n").as_str()));
    }
}
