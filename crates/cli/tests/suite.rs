//! `selvedge suite`: generated task definitions, and the corpus where it is there.

mod common;

use common::{Bench, RACE, SAFE};

fn task(input: &str, property: &str, verdict: bool) -> String {
    format!(
        "format_version: '2.0'\ninput_files: '{input}'\nproperties:\n  - property_file: ../p/{property}.prp\n    \
         expected_verdict: {verdict}\noptions:\n  language: C\n  data_model: LP64\n"
    )
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("tasks/one/race.c", RACE);
    bench.file("tasks/one/race.yml", &task("race.c", "unreach-call", false));
    bench.file("tasks/two/safe.c", SAFE);
    bench.file("tasks/two/safe.yml", &task("safe.c", "unreach-call", true));
    bench.file("tasks/two/race.yml", &task("safe.c", "no-data-race", true));
    bench.file("tasks/two/other.yml", "name: none of ours\n");
    bench
}

#[test]
fn folders_are_searched() {
    let bench = bench();
    let run = bench.run(&["suite", "tasks", "--list", "--json", "out.json"]);
    assert_eq!(run.expect(0).last_line(), "SUITE: 3 decided, 0 wrong, 0 unknown, 0 skipped");
    let text = std::fs::read_to_string(bench.path().join("out.json")).expect("it was written");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["all"]["correct_true"], 2);
    assert_eq!(document["all"]["correct_false"], 1);
    assert_eq!(document["tasks"].as_array().map(Vec::len), Some(3));
}

#[test]
fn sets_can_be_chosen() {
    let run = bench().run(&["suite", "tasks", "--set", "one"]);
    assert_eq!(run.expect(0).last_line(), "SUITE: 1 decided, 0 wrong, 0 unknown, 0 skipped");
}

#[test]
fn a_wrong_verdict_is_listed_and_changes_the_exit_code() {
    let bench = bench();
    bench.file("tasks/one/liar.yml", &task("race.c", "unreach-call", true));
    let run = bench.run(&["suite", "tasks/one", "--jobs", "1"]);
    run.expect(10);
    assert!(run.out.contains("liar.yml (unreach-call, expected true): unsafe"), "{}", run.out);
    assert_eq!(run.last_line(), "SUITE: 2 decided, 1 wrong, 0 unknown, 0 skipped");
}

#[test]
fn a_violation_of_another_part_is_one_of_the_whole() {
    let bench = Bench::new();
    bench.file("t/leak.c", "#include <stdlib.h>\nint main(void)\n{\n    malloc(1);\n    return 0;\n}\n");
    let text = task("leak.c", "valid-memsafety", false);
    bench.file("t/leak.yml", &text.replace("false\n", "false\n    subproperty: valid-deref\n"));
    let run = bench.run(&["suite", "t", "--list"]);
    assert!(run.expect(0).out.contains("(another part: leak)"), "{}", run.out);
    assert_eq!(run.last_line(), "SUITE: 1 decided, 0 wrong, 0 unknown, 0 skipped");
}

#[test]
fn termination_is_checked_as_every_run_ends() {
    let bench = Bench::new();
    bench.file("t/ends.c", "int main(void) { for (int i = 0; i < 9; i++); return 0; }\n");
    bench.file("t/ends.yml", &task("ends.c", "termination", true));
    bench.file("t/goes_on.c", "int main(void) { for (volatile unsigned char i = 1; i; i += 2); return 0; }\n");
    bench.file("t/goes_on.yml", &task("goes_on.c", "termination", false));
    // A thread that waits in a loop waits for another that runs some time.
    bench.file(
        "t/polls.c",
        "#include <pthread.h>\n#include <stdatomic.h>\natomic_int go;\nvoid *t(void *p) { go = 1; return p; }\n\
         int main(void) { pthread_t u; pthread_create(&u, 0, t, 0); while (!go); return 0; }\n",
    );
    bench.file("t/polls.yml", &task("polls.c", "termination", true));
    let run = bench.run(&["suite", "t"]);
    assert_eq!(run.expect(0).last_line(), "SUITE: 3 decided, 0 wrong, 0 unknown, 0 skipped");
}

#[test]
fn a_program_that_does_not_load_is_refused_not_decided() {
    let bench = Bench::new();
    bench.file("t/broken.c", "int main(void) { return frob +; }\n");
    bench.file("t/broken.yml", &task("broken.c", "unreach-call", true));
    let run = bench.run(&["suite", "t/broken.yml"]);
    assert!(run.expect(0).out.contains("unknown: refused 1"), "{}", run.out);
}

#[test]
fn arguments_reach_check() {
    let run = bench().run(&["suite", "tasks/one", "--", "--no-such-option"]);
    assert!(run.expect(0).out.contains("refused 1"), "{}", run.out);
}

#[test]
fn engines_and_bounds_reach_check() {
    let bench = bench();
    let bounds = ["--rounds", "3", "--unwind", "2"];
    let run = bench.run(&[&["suite", "tasks/one", "--engine", "lazy", "--json", "-", "-q"], &bounds[..]].concat());
    let (text, _) = run.expect(0).out.rsplit_once('}').expect("JSON");
    let document: serde_json::Value = serde_json::from_str(&format!("{text}}}")).expect("JSON");
    assert_eq!(document["arguments"], serde_json::json!(["--engine=lazy", "--rounds=3", "--unwind=2"]));
    assert_eq!(document["tasks"][0]["answered_by"], "lazy");
    let run = bench.run(&[&["suite", "tasks/one", "--engine", "explicit"], &bounds[..]].concat());
    assert!(run.expect(2).err.contains("--engine explicit does not take --rounds"), "{}", run.err);
}

#[test]
fn nothing_to_do_is_an_error() {
    let bench = bench();
    bench.run(&["suite", "tasks", "--set", "nine"]).expect(2);
    bench.run(&["suite", "nowhere"]).expect(2);
    bench.run(&["suite", "tasks/one/race.c"]).expect(2);
    bench.file("bad.tsv", "set\tpath\n");
    bench.run(&["suite", "bad.tsv"]).expect(2);
}

/// The corpus is not part of the project; where it lies beside it, a few of its tasks are run.
#[test]
fn the_corpus_has_no_wrong_verdict() {
    let Some(corpus) = selvedge_requires::corpus() else { return };
    let index = corpus.join("INDEX.tsv").display().to_string();
    let run = Bench::new().run(&["suite", &index, "--set", "sv-benchmarks/ldv-races", "--time-limit", "5", "--list"]);
    run.expect(0);
    assert!(run.last_line().contains(" 0 wrong"), "{}", run.out);
}
