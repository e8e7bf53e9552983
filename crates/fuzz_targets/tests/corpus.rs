//! The kept corpus, and random edits of it. `SELVEDGE_CASES` is the number of edits for each file, `SELVEDGE_SEED`
//! selects them.

use selvedge_fuzz_targets::TARGETS;
use selvedge_generate::trial;
use std::panic::catch_unwind;
use std::path::Path;

const EDITS: u64 = 200;

fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a file").path())
        .map(|path| (path.display().to_string(), std::fs::read(&path).expect("a file that can be read")))
        .collect();
    files.sort();
    files
}

/// A few random edits: bytes and lines are changed, removed, repeated, and taken from another file.
fn edit(mut bytes: Vec<u8>, other: &[u8], dice: &mut fastrand::Rng) -> Vec<u8> {
    const LETTERS: &[u8] = b"0123456789-+*.,:;|()[]{}<>%@!#\"\\ \n=xij\0\xff";
    for _ in 0..dice.usize(1..4) {
        let at = dice.usize(..=bytes.len());
        let end = bytes.len().min(at + dice.usize(..20));
        let line_end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |line| at + line + 1);
        let letter = dice.choice(LETTERS).copied().unwrap_or(0);
        match dice.u8(..6) {
            0 => bytes.insert(at, letter),
            1 if at < bytes.len() => bytes[at] = letter,
            2 => drop(bytes.drain(at..end)),
            3 => drop(bytes.drain(at..line_end)),
            4 => bytes.extend_from_within(at..line_end),
            _ => {
                let from = dice.usize(..=other.len());
                let to = other.len().min(from + dice.usize(..40));
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
        }
    }
    bytes
}

fn run(number: usize) {
    let (name, target) = TARGETS[number];
    let files = corpus(name);
    assert!(!files.is_empty());
    let check = |what: &str, bytes: Vec<u8>| {
        if catch_unwind(|| target(&bytes)).is_err() {
            panic!("{what}: {:?}", String::from_utf8_lossy(&bytes));
        }
    };
    for (path, bytes) in &files {
        check(path, bytes.clone());
        for seed in trial::seeds(EDITS) {
            let mut dice = fastrand::Rng::with_seed(seed);
            let other = dice.choice(&files).map_or(bytes, |(_, other)| other);
            check(&format!("{path}, SELVEDGE_SEED={seed}"), edit(bytes.clone(), other, &mut dice));
        }
    }
}

#[test]
fn llvm_ir() {
    run(0);
}

#[test]
fn programs() {
    run(1);
}

#[test]
fn schedules() {
    run(2);
}

#[test]
fn formulas() {
    run(3);
}

#[test]
fn tables_of_sharing() {
    run(4);
}

#[test]
fn tilings() {
    run(5);
}

#[test]
fn records() {
    run(6);
}

#[test]
fn bounded_programs() {
    run(7);
}
