//! Every C program below `tests/programs` says in its own comments what Selvedge must say of it:
//!
//! ```c
//! // check: unsafe assertion      (or: safe, safe-within-bounds, unknown, unknown KIND)
//! // args: --preemptions 2        (optional)
//! …
//! assert(x == 1); //~ violation   (on each line that may be named; none: any line will do)
//! ```
//!
//! Variants of a program stand in the same file, each under options of its own, which are added to those above the
//! first variant:
//!
//! ```c
//! // check -DUNLOCKED: unsafe assertion
//! ```
//!
//! What the following lines say is about the variant, up to the next.
//!
//! An exact headline can be demanded of any number of engines, with options for these runs beside those of `args:`.
//! `swarm` stands for the command of that name; without an engine it is the default one:
//!
//! ```c
//! // headline: safe
//! // headline explicit lazy tree swarm: unsafe (assertion at program.c:12)
//! // headline lazy tree --unwind 4: safe within bounds (unwind 4 cut)
//! ```
//!
//! Assumptions that the verdict must name, all of them and in this order, can be demanded as well:
//!
//! ```c
//! // assumption: the program is run without arguments: argc is 1
//! ```
//!
//! One test a program and variant, named by path and options; and one an engine that checks every program within small
//! bounds as well, with the lazy engine, the tree engine and, where it is installed, CBMC, and one that tries to prove
//! every program; their answers must not contradict what is expected.
//!
//! ```c
//! // lazy: skip …                 (not in those; and why)
//! ```

#[path = "common/pan_library.rs"]
mod pan_library;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let cases: Arc<Vec<Case>> = Arc::new(programs(&root).iter().flat_map(|path| cases(&root, path)).collect());
    let one_by_one = (0..cases.len()).map(|number| {
        let all = Arc::clone(&cases);
        Trial::test(cases[number].name.clone(), move || check(&all[number]).map_err(Failed::from))
    });
    let mut trials: Vec<Trial> = one_by_one.collect();
    for engine in [BY_CONFLICTS, LAZY, TREE, UW, CBMC, PROVE] {
        let cases = Arc::clone(&cases);
        let all = move || never_contradicts(engine, &cases).map_err(Failed::from);
        trials.push(Trial::test(format!("{}_never_contradicts", engine.name), all));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A program, or a variant of it.
struct Case {
    name: String,
    path: PathBuf,
    /// Or what is wrong with its comments.
    expected: Result<Expected, String>,
}

fn cases(root: &Path, path: &Path) -> Vec<Case> {
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let case = |name, expected| Case { name, path: path.to_path_buf(), expected };
    let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
    match read.and_then(|text| expected(&text)) {
        Ok(all) => all
            .into_iter()
            .map(|(variant, expected)| case([name.clone(), variant].join(" ").trim_end().to_string(), Ok(expected)))
            .collect(),
        Err(wrong) => vec![case(name, Err(wrong))],
    }
}

/// In the order of names, so that two runs list the same.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path
            .extension()
            .is_some_and(|extension| ["c", "cpp", "i", "ll"].iter().any(|known| extension == *known))
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

struct Expected {
    verdict: String,
    /// The property of an `unsafe`, the kind of an `unknown`.
    detail: Option<String>,
    arguments: Vec<String>,
    lines: Vec<u64>,
    headlines: Vec<Headline>,
    /// If any are demanded.
    assumptions: Vec<String>,
    /// Not for [`never_contradicts`].
    skipped: bool,
}

/// The exact verdict line that each of these engines must print.
struct Headline {
    /// Empty: the default engine.
    engines: Vec<String>,
    arguments: Vec<String>,
    text: String,
}

impl Headline {
    fn read(line: &str) -> Result<Headline, String> {
        let (run, text) = line.split_once(": ").ok_or_else(|| format!("`// headline {line}` has no colon"))?;
        let words: Vec<String> = run.split_whitespace().map(String::from).collect();
        let first_option = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
        let (engines, arguments) = words.split_at(first_option);
        Ok(Headline { engines: engines.to_vec(), arguments: arguments.to_vec(), text: text.trim().to_string() })
    }
}

/// The program and its variants, with the options by which these differ.
fn expected(text: &str) -> Result<Vec<(String, Expected)>, String> {
    let marked = text.lines().zip(1..).filter(|(line, _)| line.contains("//~ violation"));
    let lines: Vec<u64> = marked.map(|(_, number)| number).collect();
    let mut all: Vec<(String, Expected)> = Vec::new();
    for line in text.lines().map(str::trim).take_while(|line| line.is_empty() || is_comment(line)) {
        let line = line.trim_start_matches(['/', ';', ' ']);
        if let Some((options, verdict)) = line.strip_prefix("check").and_then(|rest| rest.split_once(": "))
            && (options.is_empty() || options.starts_with(" -"))
        {
            let mut words = verdict.split_whitespace().map(String::from);
            let program = all.first().filter(|(options, _)| options.is_empty());
            let common = program.map_or(Vec::new(), |(_, program)| program.arguments.clone());
            let own: Vec<String> = options.split_whitespace().map(String::from).collect();
            let expected = Expected {
                verdict: words.next().ok_or("`// check:` names no verdict")?,
                detail: words.next(),
                arguments: joined(&common, &own),
                lines: lines.clone(),
                headlines: Vec::new(),
                assumptions: Vec::new(),
                skipped: false,
            };
            all.push((options.trim().to_string(), expected));
        } else if let Some((_, latest)) = all.last_mut() {
            latest.read(line)?;
        } else if line.starts_with("args:") || line.starts_with("headline") || line.starts_with("assumption:") {
            return Err(format!("`// {line}` stands above `// check:`"));
        }
    }
    if all.is_empty() { Err("no `// check:` comment at its top".to_string()) } else { Ok(all) }
}

impl Expected {
    /// A line below `// check:`.
    fn read(&mut self, line: &str) -> Result<(), String> {
        if let Some(rest) = line.strip_prefix("args:") {
            self.arguments.extend(rest.split_whitespace().map(String::from));
        } else if let Some(rest) = line.strip_prefix("lazy:") {
            self.skipped = rest.trim_start().starts_with("skip");
        } else if let Some(rest) = line.strip_prefix("assumption:") {
            self.assumptions.push(rest.trim().to_string());
        } else if let Some(rest) = line.strip_prefix("headline") {
            self.headlines.push(Headline::read(rest)?);
        }
        Ok(())
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") || line.starts_with(';')
}

fn check(Case { path, expected, .. }: &Case) -> Result<(), String> {
    let expected = expected.as_ref()?;
    let answer = run(path, &expected.arguments)?;
    compare(expected, &answer).map_err(|difference| format!("{difference}\n{}", answer.said))?;
    let found = assumptions(path, &answer);
    if !expected.assumptions.is_empty() && expected.assumptions != found {
        return Err(format!("assumptions: expected {:?}, found {found:?}", expected.assumptions));
    }
    expected.headlines.iter().try_for_each(|headline| check_headline(path, expected, headline))
}

/// Those of the verdict; the file is named without its folder.
fn assumptions(path: &Path, answer: &Answer) -> Vec<String> {
    let folder = format!("{}/", path.parent().unwrap_or(Path::new("")).display());
    let all = answer.document["assumptions"].as_array().into_iter().flatten();
    all.map(|text| text.as_str().unwrap_or_default().replace(&folder, "")).collect()
}

fn check_headline(path: &Path, expected: &Expected, headline: &Headline) -> Result<(), String> {
    let default = ["auto".to_string()];
    let engines = if headline.engines.is_empty() { &default[..] } else { &headline.engines };
    for engine in engines {
        let can_run = match engine.as_str() {
            "cbmc" => selvedge_requires::cbmc(),
            "spin" => selvedge_requires::spin() && pan_library::find().is_some(),
            _ => true,
        };
        if !can_run {
            continue;
        }
        let found = verdict_line(path, engine, &joined(&expected.arguments, &headline.arguments))?;
        if found != headline.text {
            return Err(format!("headline of {engine}: expected {}, found {found}", headline.text));
        }
    }
    Ok(())
}

/// Options of both, then `--` and the program's arguments of both.
fn joined(some: &[String], more: &[String]) -> Vec<String> {
    let split = |words: &[String]| {
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        (words[..end].to_vec(), words[end..].to_vec())
    };
    let ((options, arguments), (more_options, more_arguments)) = (split(some), split(more));
    [options, more_options, arguments, more_arguments].concat()
}

/// The text after `VERDICT: `. The file is named without its folder, so that headlines do not depend on it.
fn verdict_line(path: &Path, engine: &str, arguments: &[String]) -> Result<String, String> {
    let (Some(folder), Some(file)) = (path.parent(), path.file_name()) else { return Err("no file".to_string()) };
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(folder);
    if engine == "spin" {
        command.envs(pan_library::find().map(|library| ("SELVEDGE_PAN_LIBRARY", library)));
    }
    match engine {
        "swarm" => command.arg("swarm").arg(file),
        _ => command.arg("check").arg(file).args(["--engine", engine]),
    };
    let output = command.args(["-q", "--time-limit", "120"]).args(arguments).output();
    let output = output.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    let verdict = said.lines().find_map(|line| line.strip_prefix("VERDICT: "));
    let complaint = || format!("{engine} gave no verdict:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    verdict.map(String::from).ok_or_else(complaint)
}

struct Answer {
    document: Value,
    code: Option<i32>,
    said: String,
}

fn run(path: &Path, arguments: &[String]) -> Result<Answer, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let json = folder.path().join("result.json");
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .arg("check")
        .arg(path)
        .args(["--time-limit", "120"])
        .arg("--json")
        .arg(&json)
        .args(arguments)
        .output()
        .map_err(|error| error.to_string())?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let document = std::fs::read(&json).map_err(|_| format!("no JSON was written:\n{said}"))?;
    let document = serde_json::from_slice(&document).map_err(|error| error.to_string())?;
    Ok(Answer { document, code: output.status.code(), said })
}

fn compare(expected: &Expected, Answer { document, code, .. }: &Answer) -> Result<(), String> {
    let same = |what: &str, expected: &str, found: &Value| match found.as_str() == Some(expected) {
        true => Ok(()),
        false => Err(format!("{what}: expected {expected}, found {found}")),
    };
    same("verdict", &expected.verdict, &document["verdict"])?;
    let wanted_code = match expected.verdict.as_str() {
        "unsafe" => 10,
        "unknown" => 5,
        _ => 0,
    };
    if *code != Some(wanted_code) {
        return Err(format!("exit code: expected {wanted_code}, found {code:?}"));
    }
    match (expected.verdict.as_str(), &expected.detail) {
        ("unsafe", detail) => {
            if let Some(property) = detail {
                same("property", property, &document["property"])?;
            }
            if document["replayed"] != Value::Bool(true) {
                return Err("the violation was not replayed".to_string());
            }
            let line = document["location"]["line"].as_u64();
            if !expected.lines.is_empty() && !line.is_some_and(|line| expected.lines.contains(&line)) {
                return Err(format!("line: expected one of {:?}, found {line:?}", expected.lines));
            }
        }
        ("unknown", Some(kind)) => same("reason", kind, &document["reason"]["kind"])?,
        _ => {}
    }
    Ok(())
}

/// An engine and bounds for all programs.
#[derive(Clone, Copy)]
struct Small {
    name: &'static str,
    arguments: &'static str,
    /// The least percentage of unsafe programs that must be found.
    found_percent: usize,
    /// Options that it refuses, beside those that say how to search.
    never_with: &'static [&'static str],
    /// Reading the standard library's headers takes most of the time of a program in C++: two engines go over those.
    reads_cxx: bool,
}

const LAZY: Small = Small {
    name: "lazy",
    arguments: "--engine lazy --unwind 2 --rounds 2 --time-limit 4",
    found_percent: 90,
    never_with: &[],
    reads_cxx: true,
};
const CBMC: Small = Small {
    name: "cbmc",
    arguments: "--engine cbmc --unwind 2 --rounds 2 --time-limit 4",
    found_percent: 50,
    never_with: &[],
    reads_cxx: false,
};
const BY_CONFLICTS: Small = Small {
    name: "dpor",
    arguments: "--engine explicit --reduction dpor --time-limit 4",
    found_percent: 80,
    never_with: &["--unwind", "--rounds"],
    reads_cxx: true,
};
const TREE: Small = Small {
    name: "tree",
    arguments: "--engine tree --unwind 2 --switches 5 --time-limit 4",
    found_percent: 90,
    never_with: &[],
    reads_cxx: false,
};
const UW: Small = Small {
    name: "uw",
    arguments: "--engine tree --strategy uw --unwind 2 --switches 3 --time-limit 4",
    found_percent: 85,
    never_with: &[],
    reads_cxx: false,
};
/// Finds nothing; asked about the violated property alone, it must not prove that there is none.
const PROVE: Small = Small {
    name: "prove",
    arguments: "--engine prove --time-limit 1",
    found_percent: 0,
    never_with: &["--unwind"],
    reads_cxx: false,
};
/// They say how to search, in other ways.
const CONFLICTING: [&str; 4] = ["--engine", "--preemptions", "--no-merging", "--emit"];

/// Every program with one engine within small bounds. It may find less than is expected, but nothing else, and
/// must not take for safe what is not.
fn never_contradicts(engine: Small, cases: &[Case]) -> Result<(), String> {
    if engine.name == CBMC.name && !selvedge_requires::cbmc() {
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut outcomes = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = within_small_bounds(engine, case).map_err(|why| format!("{}: {why}", case.name));
            outcomes.push(outcome);
        }
        outcomes
    };
    let outcomes: Vec<Result<Shown, String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("it does not panic")).collect()
    });
    let count = |which: Shown| outcomes.iter().filter(|outcome| **outcome == Ok(which)).count();
    let (found, missed) = (count(Shown::Found), count(Shown::Missed));
    let mut wrong: Vec<String> = outcomes.iter().filter_map(|outcome| outcome.clone().err()).collect();
    wrong.sort();
    if found * 100 < engine.found_percent * (found + missed) {
        wrong.push(format!("it finds only {found} of {} violations", found + missed));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The answer about a program within small bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Found,
    Missed,
    /// There is nothing to find, or nothing that could be compared.
    None,
}

fn within_small_bounds(engine: Small, Case { path, expected, .. }: &Case) -> Result<Shown, String> {
    let expected = expected.as_ref()?;
    let conflicts = |argument: &String| [&CONFLICTING[..], engine.never_with].concat().contains(&argument.as_str());
    let too_long_to_read = path.extension().is_some_and(|extension| extension == "cpp") && !engine.reads_cxx;
    // An unknown contradicts nothing, and what only proves does not say that a safe program is unsafe.
    let contradictable = match expected.verdict.as_str() {
        "unsafe" => true,
        "unknown" => false,
        _ => engine.name != PROVE.name,
    };
    if expected.skipped || too_long_to_read || !contradictable || expected.arguments.iter().any(conflicts) {
        return Ok(Shown::None);
    }
    let mut small: Vec<String> = engine.arguments.split(' ').map(String::from).collect();
    let asks_already = expected.arguments.iter().any(|argument| argument.starts_with("--property"));
    if let (true, false, "unsafe", Some(violated)) =
        (engine.name == PROVE.name, asks_already, expected.verdict.as_str(), &expected.detail)
    {
        small.extend(["--property".to_string(), violated.clone()]);
    }
    let answer = run(path, &joined(&expected.arguments, &small))?;
    let contradiction = |what: &str| format!("{what}\n{}", answer.said);
    match (expected.verdict.as_str(), answer.document["verdict"].as_str().unwrap_or_default()) {
        ("unsafe", "unsafe") => compare(expected, &answer).map(|()| Shown::Found).map_err(|why| contradiction(&why)),
        ("unsafe", "safe") => Err(contradiction("expected unsafe, found safe")),
        ("unsafe", _) => Ok(Shown::Missed),
        ("safe", "unsafe") => Err(contradiction("expected safe, found unsafe")),
        _ => Ok(Shown::None),
    }
}
