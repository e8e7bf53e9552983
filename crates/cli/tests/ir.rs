//! Every text below `tests/ir` is a program, or a bounded program, and what becomes of it:
//!
//! ```text
//! ; What the file shows.
//! program lp64 entry @main
//! …
//!
//! ; run: copies registers
//! fn @main() {
//! …
//! ```
//!
//! Below each `; run:` stands what that command prints. `SELVEDGE_BLESS=1` writes there what it prints now.
//!
//! | command | prints |
//! |---|---|
//! | `promote`, `copies`, … (any number of passes, or `prepare`) | the functions that they change |
//! | `verify` | nothing: `; error: …` stands at the end of each line that breaks a rule |
//! | `bound`, with `unwind 1`, `threads 2`, … | the bounded program |
//! | `points` | the bounded program, and where threads may be interrupted |
//! | `interference`, with `without joins` or `without any` | the bounded program, what its steps access and what others can see |
//! | `reductions` | how many steps are visible after each reduction |
//! | `points-to` | the bounded program, and where the results of its steps may point |
//! | `ranges`, with `rounds 2`, `x in 0 1` | what variables may hold |
//! | `formula`, with `rounds 2` | the size of the lazy engine's formula |
//! | `explicit`, `full`, `supersteps`, `conflicts` (`states`), `lazy`, `tree`, with bounds and properties | the verdict |
//!
//! Programs that are not bounded yet are bounded by the commands that need it, with `unwind 2` unless they say
//! otherwise.

#[path = "ir/commands.rs"]
mod commands;
#[path = "ir/facts.rs"]
mod facts;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const RUN: &str = "; run: ";
const ERROR: &str = "; error: ";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let bless = std::env::var("SELVEDGE_BLESS").is_ok_and(|value| value == "1");
    let mut trials = Vec::new();
    for path in files(&root) {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        trials.push(Trial::test(name, move || check(&path, bless).map_err(Failed::from)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// In the order of names, so that two runs list the same.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn check(path: &Path, bless: bool) -> Result<(), String> {
    let expected = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let found = with_outcomes(&expected)?;
    if found == expected {
        return Ok(());
    }
    if bless {
        return std::fs::write(path, found).map_err(|error| error.to_string());
    }
    let differs = expected.lines().zip(found.lines()).take_while(|(expected, found)| expected == found).count();
    Err(format!("from line {} on it is (SELVEDGE_BLESS=1 accepts it):\n{found}", differs + 1))
}

/// The file as it should be: the input, and each command with what it prints.
fn with_outcomes(file: &str) -> Result<String, String> {
    let starts: Vec<usize> = file.match_indices(&format!("\n{RUN}")).map(|(at, _)| at).collect();
    let Some(first) = starts.first() else { return Err(format!("there is no '{RUN}' in it")) };
    let mut input = file[..*first].trim_end().to_string();
    let mut outcomes = String::new();
    for start in &starts {
        let command = file[start + 1..].lines().next().and_then(|line| line.strip_prefix(RUN)).unwrap_or_default();
        let printed = if command.trim() == "verify" {
            input = with_errors(&input)?;
            String::new()
        } else {
            commands::run(command.trim(), &input)?
        };
        outcomes.push_str(&format!("\n{RUN}{}\n{}", command.trim(), commands::trimmed(&printed)));
    }
    Ok(format!("{input}\n{outcomes}"))
}

/// The input with `; error: …` at the end of all lines that break a rule, and no others.
fn with_errors(input: &str) -> Result<String, String> {
    let clean: Vec<&str> = input.lines().map(|line| line.split(ERROR).next().unwrap_or(line).trim_end()).collect();
    let problems = commands::problems(&clean.join("\n"))?;
    let lines = clean.iter().enumerate().map(|(index, line)| {
        let own: Vec<&str> =
            problems.iter().filter(|(at, _)| *at == index + 1).map(|(_, problem)| problem.as_str()).collect();
        if own.is_empty() { line.to_string() } else { format!("{line:<40} {ERROR}{}", own.join("; ")) }
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
