//! Texts about the command itself: help, completions, the manual, the doctor.

mod common;

use common::Bench;

#[test]
fn help_and_completions_know_the_engines_and_their_options() {
    let bench = Bench::new();
    let help = bench.run(&["help", "check"]);
    let text = help.expect(0).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("- tree: The tree of all interleavings"), "{text}");
    assert!(text.contains(
        "at most C context switches. Finding threads that wait for ever takes no switch [engines: explicit, tree]"
    ));
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.run(&["completions", shell]);
        for word in ["store-memory", "bitstate", "sequentialize", "esbmc"] {
            assert!(script.expect(0).out.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn help_has_the_bounds_under_a_heading_of_their_own() {
    let run = Bench::new().run(&["check", "--help"]);
    let (_, bounds) = run.expect(0).out.split_once("\nBounds:\n").expect("the heading");
    for option in ["--rounds <K>", "--unwind <N>", "--unwind-loop <FILE:LINE=N>", "--recursion <N>"] {
        assert!(bounds.contains(option), "{option}: {bounds}");
    }
}

#[test]
fn the_version_names_the_solvers() {
    let run = Bench::new().run(&["--version"]);
    assert!(run.expect(0).out.contains("built with cadical-") && run.out.contains("z3"), "{}", run.out);
    assert_eq!(Bench::new().run(&["-V"]).expect(0).out.lines().count(), 1);
}

#[test]
fn the_manual_has_every_option() {
    let bench = Bench::new();
    let page = bench.run(&["man", "check"]).expect(0).out.clone();
    for option in ["memory\\-limit", "report", "schedule\\-out"] {
        assert!(page.contains(option), "{option}: {page}");
    }
    assert!(bench.run(&["man"]).expect(0).out.contains("reproduce"));
    assert!(bench.run(&["man", "frobnicate"]).expect(2).err.contains("no such command"));
}

#[test]
fn the_doctor_knows_the_compiler() {
    let run = Bench::new().run(&["doctor"]);
    assert!(run.expect(0).out.contains("✓ clang: ") && run.out.contains("--engine cbmc"), "{}", run.out);
}
