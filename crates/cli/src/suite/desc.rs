//! `test.desc`, as CBMC and ESBMC describe their tests: a level, the source, the command line, then patterns
//! that the output has to match. From the command line we take what it asks, its bounds and the compiler's flags;
//! from the patterns the verdict.
//!
//! Bounds on context switches are not taken over: ESBMC's count for each thread. All of its runs are among ours.

use super::task::{Aim, Expected, SuiteTask};
use crate::failure::Failure;
use selvedge_from_llvm::clang::DataModel;
use selvedge_program::{Properties, Property};
use std::path::{Path, PathBuf};

pub const NAME: &str = "test.desc";

pub fn read(path: &Path, set: &str) -> Result<Vec<SuiteTask>, Failure> {
    let bad = |what: &dyn std::fmt::Display| Failure::BadInput(format!("cannot read {}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| bad(&error))?;
    let mut lines = text.lines().map(str::trim);
    let (Some(level), Some(source), Some(options)) = (lines.next(), lines.next(), lines.next()) else {
        return Err(bad(&"it has no three lines: level, source, options"));
    };
    let asked = Asked::of(options);
    let aim = match (&asked.unsupported, verdict(lines)) {
        _ if level == "KNOWNBUG" => Aim::Skip("its tool is known to fail".to_string()),
        _ if !is_c(source) => Aim::Skip(format!("{source} is not C")),
        (Some(option), _) => Aim::Skip(format!("{option} is not supported")),
        (None, None) => Aim::Skip("no expected verdict".to_string()),
        (None, Some(holds)) => {
            // Models of libraries assert some of what we call misuse, not all: it counts where something is wrong.
            let misuse = [Property::Lock, Property::Thread].into_iter().filter(|_| !holds);
            let properties = misuse.fold(asked.properties, Properties::with);
            Aim::Check { properties, expected: Expected { holds, part: None } }
        }
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let inputs = std::iter::once(source).chain(asked.sources.iter().map(String::as_str));
    Ok(vec![SuiteTask {
        set: set.to_string(),
        name: folder.join(source).display().to_string(),
        inputs: inputs.map(|file| folder.join(file)).collect(),
        flags: asked.flags,
        data_model: asked.data_model,
        property: asked.named.unwrap_or("assert").to_string(),
        unwind: asked.unwind,
        aim,
    }])
}

/// The description that lies beside a source, if it is about this source.
pub fn beside(source: &Path) -> Option<PathBuf> {
    let path = source.parent()?.join(NAME);
    let text = std::fs::read_to_string(&path).ok()?;
    let named = text.lines().nth(1)?.trim();
    (source.file_name()?.to_str()? == named).then_some(path)
}

fn is_c(source: &str) -> bool {
    matches!(Path::new(source).extension().and_then(|e| e.to_str()), Some("c" | "i"))
}

fn verdict<'a>(mut patterns: impl Iterator<Item = &'a str>) -> Option<bool> {
    patterns.find_map(|pattern| match pattern.trim_start_matches('^').trim_end_matches([' ', '.', '*', '$']) {
        "VERIFICATION SUCCESSFUL" => Some(true),
        "VERIFICATION FAILED" => Some(false),
        _ => None,
    })
}

/// A command line of CBMC or ESBMC, in our words.
struct Asked {
    properties: Properties,
    /// The property that the test is named after, if not assertions.
    named: Option<&'static str>,
    unwind: Option<u32>,
    flags: Vec<String>,
    sources: Vec<String>,
    data_model: DataModel,
    /// An option that changes what the verdict is about, and that we do not have.
    unsupported: Option<String>,
}

impl Asked {
    fn of(options: &str) -> Asked {
        let unasked = [Property::Assertion, Property::Memory, Property::Arithmetic];
        let mut asked = Asked {
            properties: unasked.into_iter().collect(),
            named: None,
            unwind: None,
            flags: Vec::new(),
            sources: Vec::new(),
            data_model: DataModel::Lp64,
            unsupported: None,
        };
        let (mut lost_only, mut races_only) = (false, false);
        let mut words = options.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "--unwind" => asked.unwind = words.next().and_then(|number| number.parse().ok()),
                "--32" => asked.data_model = DataModel::Ilp32,
                "--no-assertions" => asked.drop(Property::Assertion),
                "--no-bounds-check" | "--no-pointer-check" => asked.drop(Property::Memory),
                "--no-div-by-zero-check" => asked.drop(Property::Arithmetic),
                "--deadlock-check" => asked.also(Property::Deadlock, "no-deadlock"),
                "--memory-leak-check" => asked.also(Property::Cleanup, "memleak"),
                // Memory that is still reachable does not count.
                "--no-reachable-memory-leak" => lost_only = true,
                "--overflow-check" => asked.also(Property::Overflow, "no-overflow"),
                "--data-races-check" => asked.also(Property::Race, "no-data-race"),
                "--data-races-check-only" => races_only = true,
                _ if word.starts_with("-D") || word.starts_with("-I") => asked.flags.push(word.replace('\'', "")),
                _ if UNSUPPORTED.contains(&word) => asked.unsupported = Some(word.to_string()),
                _ if is_c(word) => asked.sources.push(word.to_string()),
                // About how the tool works; the values of such options are no options.
                _ => {}
            }
        }
        if races_only {
            asked.properties = Properties::NONE;
            asked.also(Property::Race, "no-data-race");
        }
        if lost_only && asked.properties.contains(Property::Cleanup) {
            asked.drop(Property::Cleanup);
            asked.also(Property::Leak, "memleak");
        }
        asked
    }

    fn drop(&mut self, property: Property) {
        self.properties = self.properties.iter().filter(|other| *other != property).collect();
    }

    fn also(&mut self, property: Property, name: &'static str) {
        self.properties = self.properties.with(property);
        self.named = Some(name);
    }
}

const UNSUPPORTED: [&str; 9] = [
    // Memory that is left behind by `abort` does not count.
    "--no-abnormal-memory-leak",
    "--function",
    "--error-label",
    "--atomicity-check",
    "--lock-order-check",
    "--ltl",
    "--partial-loops",
    "--replace-call-with-contract",
    "--enable-unreachability-intrinsic",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<SuiteTask, Failure> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(NAME);
        std::fs::write(&path, text).expect("a file");
        read(&path, "set").map(|mut tasks| tasks.remove(0))
    }

    fn shown(text: &str) -> String {
        match read_text(text) {
            Err(_) => "refused".to_string(),
            Ok(SuiteTask { aim: Aim::Skip(why), .. }) => why,
            Ok(SuiteTask { aim: Aim::Check { properties, expected }, property, unwind, flags, .. }) => {
                let names: Vec<&str> = properties.iter().map(Property::name).collect();
                format!("{property}: {} {} {unwind:?} {}", names.join("+"), expected.holds, flags.join(" "))
            }
        }
    }

    #[test]
    fn what_is_asked() {
        let cases = [
            ("CORE\nmain.c\n\n^VERIFICATION FAILED$\n", "assert: assertion+memory+arithmetic+lock+thread false None "),
            (
                "THOROUGH\nmain.c\n--unwind 3 --deadlock-check --context-bound 8\n^EXIT=0$\n^VERIFICATION SUCCESSFUL$\n",
                "no-deadlock: assertion+deadlock+memory+arithmetic true Some(3) ",
            ),
            (
                "CORE\nmain.c\n-DN=2 --no-pointer-check --memory-leak-check\n^VERIFICATION FAILED$ .*\n",
                "memleak: assertion+arithmetic+lock+thread+cleanup false None -DN=2",
            ),
            (
                "CORE\nmain.c\n--memory-leak-check --no-abnormal-memory-leak\n^VERIFICATION FAILED$\n",
                "--no-abnormal-memory-leak is not supported",
            ),
            (
                "CORE\nmain.c\n--data-races-check\n^VERIFICATION FAILED$\n",
                "no-data-race: assertion+memory+arithmetic+lock+thread+race false None ",
            ),
            ("CORE\nmain.c\n--data-races-check-only\n^VERIFICATION SUCCESSFUL$\n", "no-data-race: race true None "),
            ("CORE\nmain.c\n--atomicity-check\n^VERIFICATION FAILED$\n", "--atomicity-check is not supported"),
            ("CORE\nmain.cpp\n\n^VERIFICATION FAILED$\n", "main.cpp is not C"),
            ("CORE\nmain.c\n--show-symbol-table\n^Symbol$\n", "no expected verdict"),
            ("CORE\nmain.c\n", "refused"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn only_beside_its_own_source() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(NAME), "CORE\nmain.c\n\n^VERIFICATION FAILED$\n").expect("a file");
        assert!(beside(&folder.path().join("main.c")).is_some());
        assert!(beside(&folder.path().join("other.c")).is_none());
        assert!(beside(&folder.path().join("below/main.c")).is_none());
    }
}
