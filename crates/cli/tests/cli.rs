//! The command as its users meet it: exit codes, messages, files.

mod common;

use common::{Bench, ENDLESS, RACE, RACE_LINE, Run, SAFE, signal_when_heard};
use rustix::process::Signal;

#[test]
fn a_race_is_found_and_shown() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c"]);
    run.expect(10);
    assert_eq!(run.last_line(), format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})"));
    assert!(run.out.contains("switch to thread"), "{}", run.out);
    assert!(run.out.contains("replay: selvedge replay race.c --schedule"), "{}", run.out);
}

#[test]
fn a_safe_program_is_safe() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let run = bench.run(&["check", "safe.c"]);
    assert_eq!(run.expect(0).last_line(), "VERDICT: safe");
}

#[test]
fn output_that_is_piped_has_no_progress_and_no_escapes() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "-vv"]);
    run.expect(10);
    assert!(!run.out.contains('\u{1b}'), "{}", run.out);
    assert_eq!(run.err, "");
    assert!(run.out.contains("statistics: "), "{}", run.out);
}

#[test]
fn quiet_is_one_line() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "-q"]);
    assert_eq!(run.expect(10).out.lines().count(), 1);
}

#[test]
fn the_same_input_gives_the_same_output() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = || bench.run(&["check", "race.c", "--engine", "explicit"]).out;
    assert_eq!(run(), run());
}

#[test]
fn a_missing_file_is_one_line() {
    let run = Bench::new().run(&["check", "nowhere.c"]);
    run.expect(2);
    assert!(run.err.starts_with("error: cannot read nowhere.c: "), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1);
}

#[test]
fn a_folder_is_no_program() {
    let bench = Bench::new();
    let run = bench.run(&["check", "."]);
    assert_eq!(run.expect(2).err, "error: cannot read .: it is a folder\n");
}

#[test]
fn c_that_does_not_compile_is_shown_with_its_line() {
    let bench = Bench::new();
    bench.file("broken.c", "int main(void)\n{\n    return frob +;\n}\n");
    let run = bench.run(&["check", "broken.c"]);
    run.expect(2);
    assert!(run.err.contains("broken.c:3"), "{}", run.err);
}

#[test]
fn an_unknown_option_is_named() {
    let run = Bench::new().run(&["check", "a.c", "--frobnicate"]);
    run.expect(2);
    assert!(run.err.contains("--frobnicate"), "{}", run.err);
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let run = bench.run(&["check", "safe.c", "--clang", "./no-such-clang"]);
    run.expect(2);
    assert!(run.err.contains("no-such-clang"), "{}", run.err);
}

#[test]
fn a_path_that_cannot_be_written_is_said_before_the_search() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "--json", "no/such/folder/x.json"]);
    run.expect(2);
    assert!(run.err.starts_with("error: cannot write no/such/folder/x.json: "), "{}", run.err);
    assert_eq!(run.out, "");
}

#[test]
fn json_says_what_the_text_says() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.run(&["check", "race.c", "--json", "race.json"]).expect(10);
    let text = std::fs::read_to_string(bench.path().join("race.json")).expect("it was written");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["verdict"], "unsafe");
    assert_eq!(document["property"], "assertion");
    assert_eq!(document["location"]["line"], RACE_LINE);
    assert_eq!(document["replayed"], true);
    assert!(document["trace"]["events"].as_array().is_some_and(|events| !events.is_empty()));
    assert_eq!(std::fs::read_dir(bench.path()).expect("a folder").count(), 2, "temporary files are left");
}

#[test]
fn json_on_standard_output_is_alone_there() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let run = bench.run(&["check", "safe.c", "--json", "-"]);
    let document: serde_json::Value = serde_json::from_str(&run.expect(0).out).expect("JSON");
    assert_eq!(document["verdict"], "safe");
}

#[test]
fn a_saved_schedule_shows_the_violation_again() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let first = bench.run(&["check", "race.c", "--schedule-out", "race.schedule"]);
    let again = bench.run(&["replay", "race.c", "--schedule", "race.schedule"]);
    assert_eq!(first.expect(10).last_line(), again.expect(10).last_line());
    let schedule = std::fs::read_to_string(bench.path().join("race.schedule")).expect("it was written");
    let pasted = bench.run(&["replay", "race.c", "--schedule", schedule.trim()]);
    assert_eq!(pasted.expect(10).out, again.out);
}

#[test]
fn corrupt_schedules_are_refused() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("bad.schedule", "v2;0*x;");
    for schedule in ["bad.schedule", "v2;0*x;", "v9;;", "no-such-file"] {
        let run = bench.run(&["replay", "race.c", "--schedule", schedule]);
        run.expect(2);
        assert!(run.err.starts_with("error: "), "{}", run.err);
    }
}

#[test]
fn property_files_are_known_by_content() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    bench.run(&["check", "race.c", "--property-file", "p.prp"]).expect(10);
    bench.file("q.prp", "CHECK( init(main()), LTL(G ! data-race) )\n");
    let run = bench.run(&["check", "race.c", "--property-file", "q.prp"]);
    assert!(run.expect(10).last_line().starts_with("VERDICT: unsafe (race at race.c:"));
    bench.file("s.prp", "CHECK( init(main()), LTL(G F end) )\n");
    let run = bench.run(&["check", "race.c", "--property-file", "s.prp"]);
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (not supported: the property `G F end` at s.prp)");
    bench.file("end.prp", "CHECK( init(main()), LTL(F end) )\n");
    let run = bench.run(&["check", "race.c", "--property-file", "end.prp"]);
    assert_eq!(run.expect(0).last_line(), "VERDICT: safe");
    bench.file("r.prp", "nonsense\n");
    bench.run(&["check", "race.c", "--property-file", "r.prp"]).expect(2);
}

/// The compiler that the command would use itself.
fn clang(bench: &Bench, arguments: &[&str]) {
    let clang = selvedge_from_llvm::clang::Clang::find(None).expect("a clang");
    let status = std::process::Command::new(clang.path).current_dir(bench.path()).args(arguments).status();
    assert!(status.is_ok_and(|status| status.success()), "clang {arguments:?}");
}

#[test]
fn ir_as_text_and_as_bitcode_is_checked_like_its_source() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    clang(&bench, &["-O0", "-g", "-S", "-emit-llvm", "race.c", "-o", "race.ll"]);
    clang(&bench, &["-O0", "-g", "-c", "-emit-llvm", "race.c", "-o", "race.bc"]);
    for file in ["race.ll", "race.bc"] {
        let run = bench.run(&["check", file, "-q"]);
        assert_eq!(run.expect(10).last_line(), format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})"), "{file}");
    }
}

#[test]
fn optimised_ir_without_debug_information_is_checked() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    clang(&bench, &["-O2", "-c", "-emit-llvm", "race.c", "-o", "race.bc"]);
    let run = bench.run(&["check", "race.bc", "--schedule-out", "race.schedule"]);
    assert_eq!(run.expect(10).last_line(), "VERDICT: unsafe (assertion)");
    bench.run(&["replay", "race.bc", "--schedule", "race.schedule"]).expect(10);
}

#[test]
fn ir_and_c_are_linked() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("main.c", "int start(void);\nint main(void)\n{\n    return start();\n}\n");
    clang(&bench, &["-O0", "-g", "-S", "-emit-llvm", "-Dmain=start", "race.c", "-o", "race.ll"]);
    let run = bench.run(&["check", "main.c", "race.ll", "-q"]);
    assert_eq!(run.expect(10).last_line(), format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})"));
}

#[test]
fn broken_ir_is_refused_by_name() {
    let bench = Bench::new();
    bench.file("broken.ll", "define i32 @main() {\n  frobnicate\n}\n");
    bench.file("broken.bc", "this is no bitcode");
    for file in ["broken.ll", "broken.bc"] {
        let run = bench.run(&["check", file]);
        run.expect(2);
        assert!(run.err.contains(file), "{}", run.err);
    }
}

#[test]
fn a_solver_that_nobody_knows_is_refused() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "--engine", "tree", "--solver", "z33"]);
    run.expect(2);
    assert!(run.err.contains("`z33`") && run.err.contains("cadical, z3, cvc5"), "{}", run.err);
    bench.run(&["check", "race.c", "--engine", "tree", "--theory", "int"]).expect(2);
}

/// With every engine that looks for deadlocks: the same sentences.
#[test]
fn a_deadlock_names_owners_and_signals_that_came_too_early() {
    let bench = Bench::new();
    let owners = "#include <pthread.h>\npthread_mutex_t a, b;\nvoid *worker(void *arg)\n{\n    \
                  pthread_mutex_lock(&b);\n    pthread_mutex_lock(&a);\n    pthread_mutex_unlock(&a);\n    pthread_mutex_unlock(&b);\n    return arg;\n}\n\
                  int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, worker, 0);\n    \
                  pthread_mutex_lock(&a);\n    pthread_mutex_lock(&b);\n    pthread_mutex_unlock(&b);\n    pthread_mutex_unlock(&a);\n    return 0;\n}\n";
    let signal = "#include <pthread.h>\npthread_mutex_t m;\npthread_cond_t c;\nvoid *worker(void *arg)\n{\n    \
                  pthread_cond_signal(&c);\n    return arg;\n}\n\
                  int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, worker, 0);\n    \
                  pthread_mutex_lock(&m);\n    pthread_cond_wait(&c, &m);\n    return 0;\n}\n";
    bench.file("owners.c", owners);
    bench.file("signal.c", signal);
    for engine in ["explicit", "lazy", "tree"] {
        let run = bench.run(&["check", "owners.c", "--engine", engine]);
        run.expect(10);
        for line in [
            "  thread 0 (main) waits for mutex `b` at owners.c:16, held by thread 1 (worker) since owners.c:5\n",
            "  thread 1 (worker) waits for mutex `a` at owners.c:6, held by thread 0 (main) since owners.c:15\n",
        ] {
            assert!(run.out.contains(line), "{}", run.out);
        }
        let run = bench.run(&["check", "signal.c", "--engine", engine]);
        run.expect(10);
        let line = "  thread 0 (main) waits for condition variable `c` at signal.c:14; \
                    the signal at signal.c:6 came before anybody waited\n";
        assert!(run.out.contains(line) && run.out.contains("(a lost wake-up)"), "{}", run.out);
    }
}

#[test]
fn words_can_have_32_bits() {
    let bench = Bench::new();
    let text = "void __assert_fail(const char *, const char *, unsigned, const char *);\nint main(void)\n{\n    \
                if (sizeof(long) != 4 || sizeof(void *) != 4)\n        __assert_fail(\"words\", \"w.c\", 5, \"main\");\n    \
                return 0;\n}\n";
    bench.file("words.c", text);
    bench.run(&["check", "words.c", "-q"]).expect(10);
    bench.run(&["check", "words.c", "-q", "-m32"]).expect(0);
}

#[test]
fn c_with_system_headers_can_have_words_of_32_bits() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "-q", "-m32"]);
    if !selvedge_requires::headers_32() {
        assert!(run.expect(2).err.contains("libc6-dev-i386"), "{}", run.err);
        return;
    }
    assert_eq!(run.expect(10).last_line(), format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})"));
}

#[test]
fn without_merging_the_answer_is_the_same() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let states = |arguments: &[&str]| {
        let run = bench.run(arguments);
        let document: serde_json::Value = serde_json::from_str(&run.expect(10).out).expect("JSON");
        assert_eq!(document["location"]["line"], RACE_LINE);
        assert_eq!(document["statistics"]["preemptions"], 1);
        document["statistics"]["states"].as_u64().expect("a number")
    };
    let merged = states(&["check", "race.c", "--engine", "explicit", "--json", "-"]);
    let single = states(&["check", "race.c", "--engine", "explicit", "--json", "-", "--no-merging"]);
    assert!(merged < single, "{merged} states with merging, {single} without");
}

#[test]
fn statistics_say_how_far_the_search_got() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "-v", "--engine", "explicit"]);
    assert!(run.expect(10).out.contains(", fewest preemptions: 1"), "{}", run.out);
    let run = bench.run(&["check", "race.c", "-v", "--preemptions", "0"]);
    assert!(run.expect(0).out.contains(", complete up to 0 preemptions"), "{}", run.out);
    assert_eq!(run.last_line(), "VERDICT: safe within bounds (0 preemptions)");
}

#[test]
fn a_call_that_others_interrupt_returns_after_them() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&["check", "race.c", "--engine", "explicit"]);
    let position = |text: &str| run.expect(10).out.find(text).unwrap_or_else(|| panic!("no {text}:\n{}", run.out));
    assert!(position("calls pthread_join(thread 1,") < position("thread ends"));
    assert!(position("thread ends") < position(" pthread_join(thread 1, NULL)"));
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let bench = Bench::new();
    let text =
        RACE.replace("count++", "pthread_mutex_lock(&m)").replace("int count;", "int count;\npthread_mutex_t m;");
    bench.file("twice.c", &text);
    let run = bench.run(&["check", "twice.c"]);
    assert!(run.expect(10).last_line().starts_with("VERDICT: unsafe (deadlock at twice.c:"), "{}", run.out);
    assert!(run.out.contains("waits for mutex `m` at twice.c:7, held by thread "), "{}", run.out);
}

#[test]
fn strict_refuses_functions_without_a_model() {
    let bench = Bench::new();
    bench.file("call.c", "int frobnicate(int);\nint main(void)\n{\n    frobnicate(1);\n    return 0;\n}\n");
    let run = bench.run(&["check", "call.c"]);
    assert!(run.expect(0).out.contains("assumption: `frobnicate` (call.c:4)"), "{}", run.out);
    let run = bench.run(&["check", "call.c", "--strict"]);
    assert!(run.expect(5).last_line().contains("frobnicate"), "{}", run.out);
}

#[test]
fn the_time_limit_ends_a_run() {
    let bench = Bench::new();
    bench.file("long.c", ENDLESS);
    let run = bench.run(&["check", "long.c", "--engine", "explicit", "--time-limit", "1"]);
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (time limit of 1 s)");
    assert!(run.out.contains("statistics: "), "{}", run.out);
}

#[test]
fn an_interrupt_ends_a_run_in_order() {
    let bench = Bench::new();
    bench.file("long.c", ENDLESS);
    let run = interrupted(&bench, &["check", "long.c", "--engine", "explicit", "--json", "long.json"]);
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (interrupted)");
    let text = std::fs::read_to_string(bench.path().join("long.json")).expect("it was written");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["reason"]["kind"], "interrupted");
}

/// The command, interrupted as soon as it listens.
fn interrupted(bench: &Bench, arguments: &[&str]) -> Run {
    let child = bench.start(&[arguments, &["--time-limit", "60"]].concat());
    signal_when_heard(&child, Signal::INT);
    Run::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn an_interrupt_reaches_both_engines() {
    let bench = Bench::new();
    bench.file("long.c", ENDLESS);
    let started = std::time::Instant::now();
    let run = interrupted(&bench, &["check", "long.c", "--engine", "auto"]);
    assert!(started.elapsed().as_secs() < 20, "it took {:?}", started.elapsed());
    let verdict = run.last_line();
    let interrupted = verdict == "VERDICT: unknown (interrupted)" || verdict.starts_with("VERDICT: safe within bounds");
    assert!(interrupted, "{verdict}");
}

#[test]
fn each_engine_finds_the_race_and_auto_says_which_one_did() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    for engine in ["auto", "explicit", "lazy"] {
        let run = bench.run(&["check", "race.c", "--engine", engine, "--json", "-"]);
        let document: serde_json::Value = serde_json::from_str(&run.expect(10).out).expect("JSON");
        assert_eq!(document["location"]["line"], RACE_LINE, "{engine}");
        assert_eq!(document["engine"], engine);
        let by = document["answered_by"].as_str().expect("a name");
        assert!(by == engine || engine == "auto" && ["explicit", "lazy"].contains(&by), "{engine}: {by}");
    }
    let run = bench.run(&["check", "race.c", "-vv"]);
    assert!(run.expect(10).out.contains("\nengine: auto ("), "{}", run.out);
}

#[test]
fn bounds_that_make_no_sense_are_refused() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    for (arguments, said) in [
        (&["--rounds", "0"][..], "there must be at least 1"),
        (&["--unwind-loop", "race.c:4"], "expected FILE:LINE=N, as in queue.c:42=8"),
        (&["--unwind-loop", "rice.c:4=2"], "the program has no source file rice.c"),
        (&["--engine", "explicit", "--rounds", "3"], "--engine explicit does not take --rounds; engines that do: auto"),
        (&["--engine", "lazy", "--strategy", "record"], "--engine lazy requires --strategy uw, or none"),
        (&["--preemptions", "1", "--unwind", "2"], "choose one with --engine"),
        (&["--engine", "explicit", "--switches", "1", "--preemptions", "1"], "choose one of the two"),
        (&["--reduction", "sleep", "--jobs", "2"], "--reduction sleep cannot be combined with --jobs"),
        (&["--engine", "explicit", "--store-memory", "9"], "--store-memory requires --store bitstate"),
        (&["--engine", "explicit", "--frontier", "disk=nowhere"], "there is no folder nowhere"),
        (&["--engine", "explicit", "--frontier", "tape"], "it is auto, memory, disk or disk=DIR"),
    ] {
        let run = bench.run(&[&["check", "race.c"], arguments].concat());
        run.expect(2);
        assert!(run.err.contains(said), "{arguments:?}: {}", run.err);
        assert_eq!(run.out, "");
    }
}

#[test]
fn ways_of_the_explicit_engine_are_named_in_its_verdict() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    for (options, verdict) in [
        (&["--store", "bitstate", "--store-memory", "1"][..], "safe within bounds (bitstate hashing, by estimate "),
        (&["--store", "compact", "--jobs", "2"], "safe within bounds (hash compaction, a chance of "),
        (&["--supersteps", "--preemptions", "0"], "safe within bounds (0 preemptions of supersteps)"),
        (&["--switches", "1"], "safe within bounds (1 context switch)"),
        (&["--supersteps", "--switches", "1"], "safe within bounds (1 context switch of supersteps)"),
        (&["--supersteps", "--jobs", "2"], "safe"),
        (&["--symmetry", "--jobs", "2"], "safe"),
        (&["--frontier", "disk"], "safe"),
        (&["--frontier", "disk", "--store", "compact"], "safe within bounds (hash compaction, a chance of "),
        (&["--reduction", "sleep"], "safe"),
    ] {
        let run =
            bench.run(&[&["check", "race.c", "--engine", "explicit", "--property", "deadlock"], options].concat());
        assert!(run.expect(0).last_line().starts_with(&format!("VERDICT: {verdict}")), "{options:?}: {}", run.out);
    }
}

/// Whatever decides what the program means is in the line that replays a violation.
#[test]
fn the_line_that_replays_a_violation_does() {
    let bench = Bench::new();
    bench.file("inc dir/limit.h", "#define LIMIT 2\n");
    bench.file("race.c", &format!("#include <limit.h>\n{}", RACE.replace("count == 2", "count == LIMIT + LESS")));
    let meaning =
        ["-I", "inc dir", "-DLESS=0", "-O1", "--std=gnu11", "--no-spurious-wakeups", "--property", "assertion,lock"];
    let search = ["--engine", "lazy", "--rounds", "2", "--unwind", "1"];
    let run = bench.run(&[&["check", "race.c"], &meaning[..], &search].concat());
    let line =
        run.expect(10).out.lines().find_map(|line| line.strip_prefix("replay: selvedge replay ")).expect("a line");
    let words =
        "race.c '-Iinc dir' -DLESS=0 --std=gnu11 --opt=O1 --no-spurious-wakeups --property=assertion,lock --schedule";
    assert!(line.starts_with(words), "{line}");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("{} replay {line}", env!("CARGO_BIN_EXE_selvedge"))]).current_dir(bench.path());
    assert_eq!(Run::of(shell.output().expect("a shell")).expect(10).last_line(), run.last_line());
}

#[test]
fn reports_are_written_in_every_format() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let run = bench.run(&[
        "check",
        "race.c",
        "--report",
        "html=race.html",
        "--report",
        "sarif=race.sarif",
        "--report",
        "junit=race.xml",
        "--report",
        "github",
        "--schedule-out",
        "race.schedule",
    ]);
    let annotation = format!("::error file=race.c,line={RACE_LINE},");
    assert!(run.expect(10).out.contains(&annotation), "{}", run.out);
    let read = |name: &str| std::fs::read_to_string(bench.path().join(name)).expect("it was written");
    let page = read("race.html");
    assert!(
        page.contains("read <code>count</code> as 0 at line 6") && page.contains("selvedge replay race.c"),
        "{page}"
    );
    let log: serde_json::Value = serde_json::from_str(&read("race.sarif")).expect("JSON");
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "assertion");
    assert!(read("race.xml").contains("<failure type=\"assertion\""));

    let again = bench.run(&["replay", "race.c", "--schedule", "race.schedule", "--report", "html=again.html"]);
    again.expect(10);
    assert!(read("again.html").contains("read <code>count</code> as 0 at line 6"));
    let alone = bench.run(&["replay", "race.c", "--schedule", "race.schedule", "--report", "sarif=-"]);
    assert!(serde_json::from_str::<serde_json::Value>(&alone.expect(10).out).is_ok(), "{}", alone.out);
}

#[test]
fn a_report_that_cannot_be_is_refused() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let cases = [
        (&["check", "safe.c", "--report", "html"][..], "html requires a file"),
        (&["check", "safe.c", "--report", "html=no/such/folder/x"], "cannot write no/such/folder/x"),
        (&["suite", ".", "--report", "sarif=x"], "a suite can be reported as junit=FILE only"),
    ];
    for (arguments, message) in cases {
        let run = bench.run(arguments);
        assert!(run.expect(2).err.contains(message), "{}", run.err);
    }
}
