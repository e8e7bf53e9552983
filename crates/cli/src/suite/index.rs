//! A table of tasks: tab-separated, with the columns set, path, expected and data_model, known by
//! their headings. `expected` is a list of `property=verdict` behind `;`, or a plain `ok` or `bad`
//! for all that is checked by default, or `-` where nothing is known. A column `note` may hold the
//! command line of the tool that the task was made for; we take the compiler's flags from it. Where a
//! `test.desc` lies beside the source, that is read instead: it says more.

use super::desc;
use super::task::{Aim, Expected, SuiteTask, part};
use crate::failure::Failure;
use crate::property_file::{Asked, by_name};
use selvedge_from_llvm::clang::DataModel;
use selvedge_program::{Properties, Property};
use std::path::Path;

pub fn read(path: &Path) -> Result<Vec<SuiteTask>, Failure> {
    let bad = |what: String| Failure::BadInput(format!("cannot read {}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    let mut lines = text.lines().enumerate();
    let headings: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    let column = |name: &str| {
        headings.iter().position(|heading| *heading == name).ok_or_else(|| bad(format!("it has no column {name}")))
    };
    let note = headings.iter().position(|heading| *heading == "note");
    let columns = [column("set")?, column("path")?, column("expected")?, column("data_model")?];
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut tasks = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |index: usize| {
            cells.get(index).copied().ok_or_else(|| bad(format!("line {} has too few columns", number + 1)))
        };
        let data_model = match cell(columns[3])? {
            "ILP32" => DataModel::Ilp32,
            _ => DataModel::Lp64,
        };
        let source = folder.join(cell(columns[1])?);
        if let Some(description) = desc::beside(&source) {
            let described = desc::read(&description, cell(columns[0])?)?;
            tasks.extend(described.into_iter().map(|task| SuiteTask { name: cells[columns[1]].to_string(), ..task }));
            continue;
        }
        let note = note.and_then(|column| cells.get(column)).copied().unwrap_or_default();
        let flags: Vec<String> =
            note.split_whitespace().filter(|word| word.starts_with("-D")).map(str::to_string).collect();
        for (property, aim) in aims(cell(columns[2])?) {
            let aim = asks_something_else(note).map_or(aim, Aim::Skip);
            tasks.push(SuiteTask {
                set: cell(columns[0])?.to_string(),
                name: cell(columns[1])?.to_string(),
                inputs: vec![source.clone()],
                flags: flags.clone(),
                data_model,
                property,
                unwind: None,
                aim,
            });
        }
    }
    Ok(tasks)
}

/// Options of other tools that change what the expected verdict is about.
fn asks_something_else(note: &str) -> Option<String> {
    let changed = note.split_whitespace().find(|word| matches!(*word, "--function" | "--error-label"))?;
    Some(format!("{changed} is not supported"))
}

fn aims(expected: &str) -> Vec<(String, Aim)> {
    expected.split(';').map(one).collect()
}

fn one(expected: &str) -> (String, Aim) {
    let whole = |holds| Aim::Check { properties: Properties::default(), expected: Expected { holds, part: None } };
    let (name, verdict) = match expected.trim() {
        "ok" => return ("default".to_string(), whole(true)),
        "bad" => return ("default".to_string(), whole(false)),
        other => other.split_once('=').unwrap_or(("default", other)),
    };
    let (verdict, subproperty) = match verdict.strip_suffix(')').and_then(|v| v.split_once('(')) {
        Some((verdict, subproperty)) => (verdict, Some(subproperty)),
        None => (verdict, None),
    };
    let aim = match (by_name(Path::new(name)), verdict) {
        (_, "-") => Aim::Skip("no expected verdict".to_string()),
        (Some(Asked::Check(properties)), "true" | "false") => {
            // Tests of other checkers: their verdict is about all that these look at unasked.
            let unasked = [Property::Memory, Property::Arithmetic];
            let more = if name == "assert" { unasked.as_slice() } else { &[] };
            let properties = more.iter().fold(properties, |all, property| all.with(*property));
            let expected = Expected { holds: verdict == "true", part: subproperty.and_then(part) };
            Aim::Check { properties, expected }
        }
        (Some(Asked::NotYet(name)), _) => Aim::Skip(format!("{name} is not supported")),
        _ => Aim::Skip(format!("the expected verdict {verdict} is not understood")),
    };
    (name.to_string(), aim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expected: &str) -> Vec<String> {
        aims(expected)
            .into_iter()
            .map(|(name, aim)| match aim {
                Aim::Skip(why) => format!("{name}: {why}"),
                Aim::Check { properties, expected } => {
                    let names: Vec<&str> = properties.iter().map(Property::name).collect();
                    format!("{name}: {} {}", names.join("+"), expected.holds)
                }
            })
            .collect()
    }

    #[test]
    fn every_form_of_expected() {
        assert_eq!(shown("unreach-call=true"), ["unreach-call: assertion true"]);
        assert_eq!(shown("assert=false"), ["assert: assertion+memory+arithmetic false"]);
        assert_eq!(
            shown("termination=true;unreach-call=true"),
            ["termination: termination true", "unreach-call: assertion true"]
        );
        assert_eq!(shown("valid-memsafety=false(valid-deref)"), ["valid-memsafety: memory+leak false"]);
        assert_eq!(shown("no-data-race=false"), ["no-data-race: race false"]);
        assert_eq!(shown("no-deadlock=false"), ["no-deadlock: deadlock false"]);
        assert_eq!(shown("memleak=true"), ["memleak: leak true"]);
        assert_eq!(shown("assert=-"), ["assert: no expected verdict"]);
        assert_eq!(shown("-"), ["default: no expected verdict"]);
        assert_eq!(shown("ok"), ["default: assertion+deadlock+memory+arithmetic+lock+thread true"]);
        assert_eq!(shown("bad"), ["default: assertion+deadlock+memory+arithmetic+lock+thread false"]);
        assert_eq!(shown("lock-order=false"), ["lock-order: lock-order is not supported"]);
    }
}
