//! `selvedge.toml` and `selvedge init`.

mod common;

use common::{Bench, RACE, SAFE};

fn with(toml: &str) -> Bench {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("safe.c", SAFE);
    bench.file("selvedge.toml", toml);
    bench
}

#[test]
fn commands_take_options_from_the_folder() {
    let bench = with("files = [\"race.c\"]\nproperty = [\"assertion\", \"race\"]\n[check]\nschedule-out = \"bug\"\n");
    let run = bench.run(&["check"]);
    assert!(run.expect(10).last_line().contains("race.c:"), "{}", run.out);
    assert!(run.out.contains("replay: selvedge replay --schedule"), "{}", run.out);
    bench.run(&["replay", "--schedule", "bug", "-q"]).expect(10);
    bench.run(&["minimize", "--schedule", "bug", "-q"]).expect(10);
    // The command line wins.
    bench.run(&["check", "safe.c", "-q"]).expect(0);
    bench.run(&["check", "--property", "lock", "-q"]).expect(0);
    bench.run(&["check", "-q", "--no-project"]).expect(2);
}

#[test]
fn bounds_are_for_the_engines_that_have_them() {
    let bench = with("files = \"safe.c\"\nunwind = 2\nrounds = 3\n");
    for engine in ["auto", "explicit", "lazy", "prove"] {
        bench.run(&["check", "-q", "--engine", engine]).expect(0);
    }
    let bench = with("files = \"safe.c\"\ninvariant = \"1\"\n");
    assert!(bench.run(&["check", "--engine", "lazy"]).expect(2).err.contains("does not take --invariant"));
}

#[test]
fn what_excludes_another_option_gives_way_to_it() {
    let bench = with("files = \"safe.c\"\nproperty = \"lock\"\nverbose = true\nquiet = false\n");
    bench.file("all.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    bench.run(&["check", "-q", "--property-file", "all.prp"]).expect(0);
}

#[test]
fn mistakes_are_named_with_their_line() {
    for (toml, expected) in [
        ("files = [\"safe.c\"]\n\nunwnd = 3\n", "selvedge.toml:3: there is no option --unwnd"),
        ("strict = 3\n", "selvedge.toml:1: strict takes true or false"),
        ("unwind = true\n", "selvedge.toml:1: unwind takes a text, a number or a list"),
        ("[chek]\nunwind = 3\n", "selvedge.toml:1: there is no command `chek`"),
        ("files = [\n", "selvedge.toml: TOML parse error"),
        ("files = \"safe.c\"\nrounds = 0\n", "selvedge.toml adds: "),
    ] {
        let run = with(toml).run(&["check", "-q"]);
        assert!(run.expect(2).err.contains(expected), "{toml}: {}", run.err);
    }
}

#[test]
fn init_finds_the_program() {
    let bench = Bench::new();
    assert!(bench.run(&["init"]).expect(2).err.contains("name the program's"));
    bench.file("app.c", RACE);
    bench.file("other.c", SAFE);
    bench.file("src/part.c", "int part;\n");
    assert!(bench.run(&["init"]).expect(0).out.ends_with("next: selvedge check\n"));
    let text = std::fs::read_to_string(bench.path().join("selvedge.toml")).expect("it was written");
    assert!(text.contains("files = [\"app.c\", \"src/part.c\"]\n"), "{text}");
    assert!(text.contains("deadlock, memory, arithmetic") && text.contains("sc, tso, pso"), "{text}");
    bench.run(&["check", "-q"]).expect(10);
    assert!(bench.run(&["init"]).expect(2).err.contains("--force"));
    bench.run(&["init", "--force", "src/part.c"]).expect(0);
    assert!(bench.run(&["check"]).expect(2).err.contains("--threads"));
    let commands =
        format!("[{{\"directory\": {:?}, \"file\": \"app.c\", \"command\": \"cc -c app.c\"}}]", bench.path());
    bench.file("build/compile_commands.json", &commands);
    bench.run(&["init", "--force"]).expect(0);
    bench.run(&["check", "-q"]).expect(10);
}

/// Every example of the file that is written is an option with a good value.
#[test]
fn the_examples_of_init_can_be_used() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    bench.file("my_rtos.c", "void rtos(void) {}\n");
    bench.run(&["init", "safe.c"]).expect(0);
    let text = std::fs::read_to_string(bench.path().join("selvedge.toml")).expect("it was written");
    let examples = text.lines().filter_map(|line| line.strip_prefix("# ")).filter(|line| line.contains(" = "));
    for example in examples.filter(|example| !example.starts_with("suppress")) {
        bench.file("selvedge.toml", &format!("files = \"safe.c\"\n{example}\n"));
        let run = bench.run(&["check", "-q", "--engine", "explicit"]);
        let is_foreign = example.starts_with("invariant") && run.err.contains("undeclared");
        assert!(run.code == Some(0) || is_foreign, "{example}: {}{}", run.out, run.err);
    }
}
