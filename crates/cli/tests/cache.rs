//! Compiled models are kept between commands.

mod common;

use common::{Bench, RACE, Run};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A compiler that notes each of its calls.
fn compiler(bench: &Bench) -> String {
    let log = bench.path().join("log").display().to_string();
    let real = selvedge_from_llvm::clang::Clang::find(None).expect("clang").path;
    let script = format!("#!/bin/sh\necho call >> '{log}'\nexec '{}' \"$@\"\n", real.display());
    let path = bench.file("compiler", &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    path.display().to_string()
}

fn check(bench: &Bench, compiler: &str, cache: &Path) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(bench.path()).env("SELVEDGE_CACHE", cache);
    Run::of(command.args(["check", "-q", "race.c", "--clang", compiler]).output().expect("it starts"))
}

fn calls(bench: &Bench) -> usize {
    let log = bench.path().join("log");
    let calls = std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    let _was_there = std::fs::remove_file(log);
    calls
}

#[test]
fn only_the_program_is_compiled_again() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let (compiler, cache) = (compiler(&bench), bench.path().join("cache"));
    let first = check(&bench, &compiler, &cache).expect(10).out.clone();
    // For the version, the program and the models.
    assert_eq!(calls(&bench), 3);
    assert_eq!(check(&bench, &compiler, &cache).expect(10).out, first);
    assert_eq!(calls(&bench), 1);
    // A damaged entry is made again.
    for entry in std::fs::read_dir(&cache).expect("the cache") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, text.replace("define", "declare").replace("19", "15")).expect("it is ours");
    }
    assert_eq!(check(&bench, &compiler, &cache).expect(10).out, first);
    assert!(calls(&bench) > 1);
    assert_eq!(check(&bench, &compiler, Path::new("")).expect(10).out, first);
    assert_eq!(calls(&bench), 3);
    // A folder that cannot be used is none.
    assert_eq!(check(&bench, &compiler, &bench.path().join("race.c")).expect(10).out, first);
    assert_eq!(calls(&bench), 3);
}
