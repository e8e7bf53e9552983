//! The coverage of a verdict: threads, functions and lines that runs got to, and how runs ended.

use selvedge_program::Program;
use selvedge_program::reach::{Reach, RunsEnded};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How far runs got, with names instead of numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Covered {
    /// Whether every run of the verdict was looked at for this; else some at random were.
    pub exact: bool,
    /// Besides main: the most of one run, or those that the bounds leave room for.
    pub threads: Option<u32>,
    /// Transitions that ended a run, by how.
    pub runs_ended: RunsEnded,
    pub functions: Vec<FunctionCovered>,
    /// For each file the lines that have code, and whether they were reached.
    pub lines: BTreeMap<String, BTreeMap<u32, bool>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FunctionCovered {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub reached: bool,
}

impl Covered {
    pub fn of(program: &Program, reach: &Reach) -> Covered {
        let functions = reach.functions_of(program).into_iter().map(|function| FunctionCovered {
            name: function.name.to_string(),
            file: program.source.files.get(function.loc.file).cloned().unwrap_or_default(),
            line: function.loc.line,
            reached: function.is_reached,
        });
        let lines = reach.lines_of(program).into_iter().map(|(file, lines)| (file.to_string(), lines));
        Covered {
            exact: reach.is_exact,
            threads: reach.threads,
            runs_ended: reach.ended,
            functions: functions.collect(),
            lines: lines.collect(),
        }
    }

    /// One line, as in `2 threads besides main; never reached: 1 of 3 functions, 7 of 41 lines`.
    pub fn summary(&self) -> String {
        let threads = match self.threads {
            None => "threads not counted".to_string(),
            Some(0) => "no thread besides main".to_string(),
            Some(1) => "1 thread besides main".to_string(),
            Some(threads) => format!("{threads} threads besides main"),
        };
        let unreached = |all: usize, reached: usize, what: &str| {
            let plural = if all == 1 { "" } else { "s" };
            (reached < all).then(|| format!("{} of {all} {what}{plural}", all - reached))
        };
        let functions = self.functions.iter().filter(|function| function.reached).count();
        let lines = self.lines.values().flat_map(BTreeMap::values);
        let parts = [
            unreached(self.functions.len(), functions, "function"),
            unreached(lines.clone().count(), lines.filter(|reached| **reached).count(), "line"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        match (parts.is_empty(), self.exact) {
            (true, _) => format!("{threads}; every line reached"),
            (false, true) => format!("{threads}; never reached: {}", parts.join(", ")),
            (false, false) => format!("{threads}; not reached by runs at random: {}", parts.join(", ")),
        }
    }

    /// How runs ended, in words; a run may end in many states, and each of them counts.
    pub fn runs_ended(&self) -> String {
        let RunsEnded { normally, by_assumption, by_misuse } = self.runs_ended;
        let runs = if self.exact { "" } else { " of runs at random" };
        format!(
            "{normally} normally, {by_assumption} at an assumption, {by_misuse} at a misuse that was not checked{runs}"
        )
    }

    pub fn is_whole(&self) -> bool {
        self.lines.values().flat_map(BTreeMap::values).all(|reached| *reached)
            && self.functions.iter().all(|function| function.reached)
    }

    /// The functions and lines that were not reached, a line of text for each function and file.
    pub fn unreached(&self) -> String {
        let mut text = String::new();
        for function in self.functions.iter().filter(|function| !function.reached) {
            let FunctionCovered { name, file, line, .. } = function;
            writes(&mut text, format_args!("not reached: function {name} at {file}:{line}\n"));
        }
        for (file, lines) in &self.lines {
            let ranges = ranges(lines);
            if !ranges.is_empty() {
                writes(&mut text, format_args!("not reached: {file}:{}\n", ranges.join(", ")));
            }
        }
        text
    }

    /// In the format of lcov's tracefiles, which editors show beside the source.
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for (file, lines) in &self.lines {
            writes(&mut text, format_args!("TN:selvedge\nSF:{file}\n"));
            let functions = || self.functions.iter().filter(|function| function.file == *file);
            for FunctionCovered { name, line, reached, .. } in functions() {
                writes(&mut text, format_args!("FN:{line},{name}\nFNDA:{},{name}\n", u8::from(*reached)));
            }
            for (line, reached) in lines {
                writes(&mut text, format_args!("DA:{line},{}\n", u8::from(*reached)));
            }
            let (hit, all) = (lines.values().filter(|reached| **reached).count(), lines.len());
            let (called, known) = (functions().filter(|function| function.reached).count(), functions().count());
            writes(&mut text, format_args!("FNF:{known}\nFNH:{called}\nLF:{all}\nLH:{hit}\nend_of_record\n"));
        }
        text
    }
}

/// Unreached lines, neighbours in one; lines without code between them do not count.
fn ranges(lines: &BTreeMap<u32, bool>) -> Vec<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut was_reached = true;
    for (line, reached) in lines {
        match (reached, was_reached, ranges.last_mut()) {
            (false, false, Some(last)) => last.1 = *line,
            (false, ..) => ranges.push((*line, *line)),
            (true, ..) => {}
        }
        was_reached = *reached;
    }
    let shown = |(first, last): (u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.into_iter().map(shown).collect()
}

fn writes(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("strings take any text");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered() -> Covered {
        let function = |name: &str, line, reached| FunctionCovered {
            name: name.to_string(),
            file: "a.c".to_string(),
            line,
            reached,
        };
        let lines = [(3, true), (4, false), (6, false), (8, true), (9, false)];
        Covered {
            exact: true,
            threads: Some(2),
            runs_ended: RunsEnded::default(),
            functions: vec![function("main", 2, true), function("helper", 8, false)],
            lines: BTreeMap::from([("a.c".to_string(), BTreeMap::from(lines))]),
        }
    }

    #[test]
    fn in_words() {
        let some = covered();
        assert_eq!(some.summary(), "2 threads besides main; never reached: 1 of 2 functions, 3 of 5 lines");
        assert_eq!(some.unreached(), "not reached: function helper at a.c:8\nnot reached: a.c:4-6, 9\n");
        assert_eq!(some.runs_ended(), "0 normally, 0 at an assumption, 0 at a misuse that was not checked");
        let random = Covered { exact: false, threads: None, ..covered() };
        assert!(random.summary().starts_with("threads not counted; not reached by runs at random: "));
        let all = Covered { threads: Some(0), functions: Vec::new(), lines: BTreeMap::new(), ..covered() };
        assert_eq!(
            (all.summary().as_str(), all.unreached().as_str()),
            ("no thread besides main; every line reached", "")
        );
    }

    #[test]
    fn as_a_tracefile() {
        let text = "TN:selvedge\nSF:a.c\nFN:2,main\nFNDA:1,main\nFN:8,helper\nFNDA:0,helper\nDA:3,1\nDA:4,0\nDA:6,0\n\
                    DA:8,1\nDA:9,0\nFNF:2\nFNH:1\nLF:5\nLH:2\nend_of_record\n";
        assert_eq!(covered().lcov(), text);
    }
}
