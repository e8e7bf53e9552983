//! Programs without undefined behaviour end with the values that a compiler's code ends with.

use crate::engines::{Says, Who, ask};
use crate::kind;
use crate::subject::program;
use selvedge_c_programs::Compiler;
use selvedge_generate::c_text::{Ending, Features, Source, Word, shrink, source};
use selvedge_generate::trial;
use selvedge_program::{Properties, Property};
use std::path::Path;
use std::process::Command;

const ENGINES: [Who; 4] = [Who::Explicit, Who::Lazy, Who::Tree, Who::Swarm];

/// The checksum that the program prints, compiled in this way.
fn checksum(compiler: &[&str], text: &str) -> Result<u32, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (file, binary) = (folder.path().join("generated.c"), folder.path().join("generated"));
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let compiled =
        run(Command::new(compiler[0]).args(&compiler[1..]).args(["-w", "-pthread", "-o"]).arg(&binary).arg(&file));
    compiled.map_err(|error| format!("does not compile: {error}"))?;
    let said = run(&mut Command::new(&binary))?;
    said.trim().parse().map_err(|_| format!("no number: {said}"))
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

/// All that a defined program keeps to; what it allocates it does not free.
fn properties() -> Properties {
    let is_kept = |p: &Property| !p.is_of_runs() && !matches!(p, Property::Leak | Property::Cleanup);
    Property::all_by_name().filter(is_kept).collect()
}

#[derive(Default, Debug)]
struct Tally {
    programs: u64,
    /// Answers of each engine that decided; two are asked for each program and data model.
    decided: [u64; ENGINES.len()],
}

/// Right and wrong checksums, with 64 and with 32 bits.
fn check(compiler: &Compiler, source: &Source, tally: &mut Tally) -> Result<(), String> {
    let clang = compiler.clang.path.to_string_lossy().into_owned();
    let text = source.text(Ending::Print);
    let sum = checksum(&[&clang, "-O0"], &text)?;
    let other = if has_gcc() { "gcc" } else { &clang };
    let optimised = checksum(&[other, "-O2"], &text)?;
    if sum != optimised {
        return Err(format!("undefined after all: {sum} or {optimised}"));
    }
    for word in [Word::Bits64, Word::Bits32] {
        let source = Source { word, ..source.clone() };
        for (expected, is_right) in [(sum, true), (sum.wrapping_add(1), false)] {
            let program =
                program(compiler, &source, Ending::Expect(expected)).map_err(|e| format!("front end: {e}"))?;
            for (number, who) in ENGINES.into_iter().enumerate() {
                let says = ask(who, &program, properties()).map_err(|error| format!("{who:?}: {error}"))?;
                match says {
                    Says::Safe if !is_right => return Err(format!("{who:?} {word:?}: safe, but the sum is {sum}")),
                    Says::Unsafe { violation, .. } if is_right || violation.property != Property::Assertion => {
                        let property = violation.property;
                        return Err(format!("{who:?} finds {property:?}: {violation:?}, {word:?}, the sum is {sum}"));
                    }
                    Says::Safe | Says::Unsafe { .. } => tally.decided[number] += 1,
                    Says::Within(_) | Says::Unknown => {}
                }
            }
        }
    }
    tally.programs += 1;
    Ok(())
}

fn has_gcc() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| Path::new(&folder).join("gcc").exists())
}

#[test]
fn engines_see_what_compilers_make() {
    const USUAL: u64 = 16;
    let Some(compiler) = Compiler::find() else { return };
    let mut tally = Tally::default();
    for seed in trial::seeds(USUAL) {
        let source = source(seed, Features::DEFINED);
        let Err(why) = check(&compiler, &source, &mut tally) else { continue };
        let small = shrink(&source, &mut |source| {
            check(&compiler, source, &mut Tally::default()).is_err_and(|other| kind(&other) == kind(&why))
        });
        let again = check(&compiler, &small, &mut Tally::default()).err().unwrap_or_default();
        panic!("SELVEDGE_SEED={seed} SELVEDGE_CASES=1: {why}\n{again}\n{}", small.text(Ending::Print));
    }
    println!("{tally:?}");
    let questions = 4 * tally.programs;
    assert!(tally.decided[0] * 10 >= questions * 9, "the explicit engine decides nearly all: {tally:?}");
    assert!(tally.decided[1] * 2 >= questions, "lazy sequentialization decides most: {tally:?}");
}
