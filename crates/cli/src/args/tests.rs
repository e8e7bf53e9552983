//! Command lines: those of the documentation, and those that are refused.

use super::*;
use selvedge_from_llvm::clang::{DataModel, OptLevel};

fn parsed(line: &str) -> Result<Command, clap::Error> {
    read(line.split_whitespace().map(OsString::from)).map(|(command, _)| command)
}

#[test]
fn the_table_of_options_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn commands_that_are_shown_can_be_given() {
    let texts = [
        include_str!("../../../../README.md"),
        include_str!("../../../../docs/src/reference.md"),
        include_str!("../../../../docs/src/programs.md"),
        include_str!("../../../../docs/src/svcomp.md"),
        include_str!("../../../../docs/src/engines/swarm.md"),
        include_str!("../../../../docs/src/engines/spin.md"),
        include_str!("../../../../docs/src/engines/outside.md"),
        include_str!("../../../../contrib/github/selvedge.yml"),
    ];
    let mut seen = 0;
    for line in texts.iter().flat_map(|text| text.lines()) {
        let line = line.trim().trim_start_matches("- run: ").trim_start_matches("$ ");
        if !line.starts_with("selvedge ") || line.contains('…') || line.ends_with('\\') {
            continue;
        }
        let words = shlex::split(line).unwrap_or_else(|| panic!("{line}"));
        let parsed = read(words.into_iter().map(OsString::from));
        assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|error| error.to_string()).unwrap_or_default());
        seen += 1;
    }
    assert!(seen > 60, "{seen} lines are commands");
}

#[test]
fn options_of_compilers_are_understood() {
    let line = "selvedge check a.c -DN=3 -Iinc -I other -m32 -std=c99 -O2 --property assertion,leak";
    let Ok(Command::Check(args)) = parsed(line) else { panic!("{line}") };
    assert_eq!(args.program.load.defines, ["N=3"]);
    assert_eq!(args.program.load.include_dirs.len(), 2);
    assert_eq!(args.program.load.data_model, Some(DataModel::Ilp32));
    assert_eq!(args.program.load.std.as_deref(), Some("c99"));
    assert_eq!(args.program.load.opt, OptLevel::O2);
    assert_eq!(args.program.property.properties, [Property::Assertion, Property::Leak]);
}

#[test]
fn flags_of_builds_are_understood() {
    let line = "selvedge check -pthread a.c -mcx16 -isystem deps -fwrapv -Wall -g -lm -p build --spin-cflags -fx -q";
    let Ok(Command::Check(args)) = parsed(line) else { panic!("{line}") };
    let load = &args.program.load;
    assert_eq!(load.cflags, ["-pthread", "-mcx16", "-isystem deps", "-fwrapv", "-Wall", "-g", "-lm"]);
    assert_eq!((load.files.len(), load.build.as_deref()), (1, Some(std::path::Path::new("build"))));
    assert!(args.console.quiet);
    let Ok(Command::Check(args)) = parsed("selvedge check -p build --cflags -fwrapv") else { panic!() };
    assert_eq!(args.program.load.cflags, ["-fwrapv"]);
}

#[test]
fn the_last_of_two_wins() {
    let line = "selvedge check a.c -I a -I b --time-limit 1 -m64 --time-limit 2 -m32";
    let Ok(Command::Check(args)) = parsed(line) else { panic!("{line}") };
    assert_eq!(args.limits.time_limit, Some(2));
    assert_eq!(args.program.load.data_model, Some(DataModel::Ilp32));
    assert_eq!(args.program.load.include_dirs.len(), 2);
}

#[test]
fn nonsense_is_refused() {
    for line in [
        "selvedge",
        "selvedge check",
        "selvedge check a.c --frobnicate",
        "selvedge check a.c --property speed",
        "selvedge check a.c --time-limit soon",
        "selvedge check a.c --rounds 0",
        "selvedge check a.c --rounds -1",
        "selvedge check a.c --unwind many",
        "selvedge check a.c --unwind-loop a.c=3",
        "selvedge check a.c --unwind-loop a.c:7",
        "selvedge check a.c --unwind-loop a.c:0=3",
        "selvedge check a.c --unwind-loop :7=3",
        "selvedge check a.c --engine quantum",
        "selvedge check a.c --backend-cmd cbmc",
        "selvedge check a.c --engine cbmc --style nice",
        "selvedge sequentialize",
        "selvedge sequentialize a.c --rounds 0",
        "selvedge sequentialize a.c --style cav15",
        "selvedge sequentialize a.c --backend quantum",
        "selvedge suite t --jobs 0",
        "selvedge replay a.c",
    ] {
        assert!(parsed(line).is_err(), "{line}");
    }
}

#[test]
fn bounds_are_read() {
    let line = "selvedge check a.c --rounds 3 --unwind 0 --unwind-loop a.c:7=1 --unwind-loop C:x=y.c:8=2 \
                --recursion 4 --threads 0";
    let Ok(Command::Check(args)) = parsed(line) else { panic!("{line}") };
    let bounds = args.bounds.bounds(&args.program.load.harness.threads);
    assert_eq!((bounds.rounds, bounds.unwind, bounds.recursion, bounds.threads), (Some(3), Some(0), Some(4), Some(0)));
    assert_eq!(bounds.unwind_at, [(("C:x=y.c".to_string(), 8), 2), (("a.c".to_string(), 7), 1)]);
}

#[test]
fn arguments_for_check_follow_two_dashes() {
    let line = "selvedge suite tasks --jobs 2 -- --strict -m32";
    let Ok(Command::Suite(args)) = parsed(line) else { panic!("{line}") };
    assert_eq!(args.check_args, ["--strict", "--data-model=ILP32"]);
}
