//! Combinations of options, against the table in `tests/options.txt`.

use super::*;
use crate::args::{Command, read};
use crate::question;
use std::ffi::OsString;

const TABLE: &str = include_str!("../../tests/options.txt");

/// The rows of a part of the table, cut into cells.
fn part(name: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) = TABLE.split_once(&format!("\n[{name}]")).expect("a part of the table");
    let rows = rest.lines().skip(1).take_while(|line| !line.is_empty());
    rows.map(|row| row.split('|').map(str::trim).collect()).collect()
}

/// The engine that a command line asks for; no program is loaded.
fn check(line: &str) -> Result<Option<Box<dyn Engine>>, String> {
    let words = format!("selvedge check a.c {line}");
    let (command, mut given) = read(words.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())?;
    let Command::Check(mut args) = command else { panic!("{line}") };
    let message = |failure: Failure| failure.to_string().trim_start_matches("error: ").to_string();
    question::asked(&mut args.program, &mut given).map_err(message)?;
    let made = match args.emit {
        None => Some(engine(&args, &given).map_err(message)?),
        Some(_) => None,
    };
    args.program.observers.texts().map(|_| made)
}

fn outcome(line: &str) -> String {
    check(line).map_or_else(|message| message, |_| "accepted".to_string())
}

/// The beginning of a line for an engine.
fn chosen(engine: &str) -> String {
    let command = if engine == COMMAND { "--backend-cmd {file}" } else { "" };
    format!("--engine {engine} {command}")
}

/// `--store` of `--store exact`.
fn name(option: &str) -> &str {
    option.split([' ', '=']).next().unwrap_or(option)
}

#[test]
fn every_engine_takes_what_the_table_says() {
    for row in part("taken") {
        let (option, takers) = (row[0], row[1].split_whitespace().collect::<Vec<_>>());
        // Properties are values of one option, and only some are asked of the engine.
        let shown = if option.starts_with("--property") { option } else { name(option) };
        for engine in ENGINES.iter().map(|entry| entry.name) {
            let refused = format!("--engine {engine} does not take {shown}; engines that do: {}", takers.join(", "));
            let expected = if takers.contains(&engine) { "accepted" } else { &refused };
            assert_eq!(outcome(&format!("{} {option}", chosen(engine))), expected, "--engine {engine} {option}");
        }
    }
}

#[test]
fn pairs_go_together_unless_the_table_says_otherwise() {
    let (taken, free, conflicts) = (part("taken"), part("free"), part("conflicts"));
    let has = |cell: &str, word: &str| cell.split_whitespace().any(|one| one == word);
    for engine in ENGINES.iter().map(|entry| entry.name) {
        let conflict = |one: &str, other: &str| {
            let mut rows = conflicts.iter().filter(|row| has(row[0], engine));
            rows.any(|row| row[1] == one && row[2].split("; ").any(|refused| refused == other))
        };
        let options: Vec<&str> = taken.iter().filter(|row| has(row[1], engine)).map(|row| row[0]).collect();
        for (index, one) in options.iter().enumerate() {
            let others = options[index + 1..].iter().chain(free.iter().map(|row| &row[0]));
            for other in others.filter(|other| name(other) != name(one)) {
                let said = outcome(&format!("{} {one} {other}", chosen(engine)));
                let expected = if conflict(one, other) || conflict(other, one) { " cannot be " } else { "accepted" };
                assert!(said.contains(expected), "--engine {engine} {one} {other}: {said}");
            }
        }
    }
}

#[test]
fn lines_are_answered_as_the_table_says() {
    for row in part("lines") {
        let (line, expected) = (row[0], row[1..].join("|"));
        let said = outcome(line);
        assert!(said.starts_with(&expected), "{line}: {said}");
    }
}

/// The engine made from the options looks for everything that its entry promises.
#[test]
fn entries_promise_what_their_engines_do() {
    let observers = [
        ("--invariant 1", Capability::Invariants),
        ("--init f", Capability::Init),
        ("--abstraction", Capability::Abstraction),
        ("--ltl p", Capability::Temporal),
    ];
    for entry in &ENGINES {
        let plain = check(&chosen(entry.name)).ok().flatten().unwrap_or_else(|| panic!("{}", entry.name));
        assert_eq!(plain.name(), entry.name);
        assert!(plain.scope().properties.without(entry.scope.properties).is_empty(), "{}", entry.name);
        for (option, capability) in observers.iter().filter(|(_, capability)| entry.takes(*capability)) {
            let made = check(&format!("{} {option}", chosen(entry.name))).ok().flatten().expect("it is taken");
            let scope = made.scope();
            let does = Entry { scope, name: "", help: "", capabilities: &[], cores: 1, make: () };
            assert!(does.takes(*capability), "--engine {} {option}", entry.name);
        }
    }
}
