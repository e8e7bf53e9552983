//! KLEE tells its answer in other words than the family of CBMC, and its counterexamples in files:
//! `testN.TYPE.err` says what is wrong, `testN.ktest` has the values, by the names that the program gave them.
//!
//! It executes path by path, so nothing is wrong only if every path came to its end.

use super::answer::{Answer, Claim};
use crate::process::Ended;
use selvedge_program::Reason;
use std::path::Path;

/// The answer of a run whose files are in this folder.
pub fn answer(ended: &Ended, folder: &Path) -> Result<Answer, Reason> {
    let done = |what: &str| {
        let mut lines = ended.output.lines().filter_map(|line| line.trim().strip_prefix("KLEE: done: "));
        lines.find_map(|line| line.strip_prefix(what)?.trim_start().strip_prefix('=')?.trim().parse::<u64>().ok())
    };
    let found = counterexamples(folder);
    match (found.is_empty(), ended.badly()) {
        (false, _) => Ok(Answer::Wrong(found)),
        (true, None) if complains(&ended.output) => Err(no_answer("met errors, and wrote no test for them", ended)),
        (true, None) => match (done("completed paths"), done("partially completed paths")) {
            (Some(_), None | Some(0)) => Ok(Answer::Nothing),
            (_, Some(partial)) => Err(no_answer(&format!("left {partial} paths unfinished"), ended)),
            (None, None) => Err(no_answer("ended without an answer", ended)),
        },
        (true, Some(badly)) => Err(no_answer(&badly, ended)),
    }
}

fn complains(output: &str) -> bool {
    output.lines().any(|line| line.starts_with("KLEE: ERROR:") || line.contains("HaltTimer invoked"))
}

fn no_answer(why: &str, ended: &Ended) -> Reason {
    let last = if ended.last_words.is_empty() { "nothing" } else { ended.last_words.as_str() };
    Reason::Limit(format!("klee {why}; its last words: {last}"))
}

fn counterexamples(folder: &Path) -> Vec<Claim> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut errors: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "err")).collect();
    errors.sort();
    let tell = |error: &std::path::PathBuf| {
        let property = std::fs::read_to_string(error).ok()?.lines().next()?.trim_start_matches("Error: ").to_string();
        // test000001.assert.err, test000001.ktest
        let test = error.with_extension("").with_extension("ktest");
        Some(Claim { property, values: values(&std::fs::read(test).ok()?)? })
    };
    errors.iter().filter_map(tell).collect()
}

/// The integers in a `.ktest` file. All its numbers are big-endian, but what they describe is memory.
fn values(file: &[u8]) -> Option<Vec<(String, u64)>> {
    let mut reader = Reader(file.strip_prefix(b"KTEST").or_else(|| file.strip_prefix(b"BOUT\n"))?);
    let version = reader.number()?;
    for _ in 0..reader.number()? {
        reader.bytes()?;
    }
    if version >= 2 {
        // Symbolic arguments: how many, and how long.
        reader.number()?;
        reader.number()?;
    }
    let mut values = Vec::new();
    for _ in 0..reader.number()? {
        let name = String::from_utf8_lossy(reader.bytes()?).into_owned();
        let bytes = reader.bytes()?;
        if bytes.len() <= 8 {
            values.push((name, bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))));
        }
    }
    Some(values)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*first))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()? as usize;
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    const KTEST: &[u8] = b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x04p.bc\0\0\0\0\0\0\0\0\0\0\0\x02\
        \0\0\0\x06cs_0_0\0\0\0\x04\x03\0\0\0\0\0\0\x06cs_1_1\0\0\0\x02\x01\x02";

    fn said(output: &str, code: i32, folder: &Path) -> Result<Answer, String> {
        let last_words = output.lines().last().unwrap_or_default().to_string();
        let ended = Ended {
            status: ExitStatus::from_raw(code << 8),
            output: output.to_string(),
            errors: String::new(),
            last_words,
        };
        answer(&ended, folder).map_err(|reason| reason.to_string())
    }

    #[test]
    fn a_test_that_fails_is_a_counterexample() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("a file");
        put("test000001.ktest", b"KTEST");
        put("test000002.ktest", KTEST);
        put("test000002.assert.err", b"Error: ASSERTION FAIL: 0 && \"assertion: x\"\nFile: p.c\n");
        let values = vec![("cs_0_0".to_string(), 3), ("cs_1_1".to_string(), 513)];
        let property = "ASSERTION FAIL: 0 && \"assertion: x\"".to_string();
        let output = "KLEE: ERROR: p.c:8: ASSERTION FAIL: 0 && \"assertion: x\"\nKLEE: done: completed paths = 3\n";
        assert_eq!(said(output, 0, folder.path()), Ok(Answer::Wrong(vec![Claim { property, values }])));
    }

    #[test]
    fn all_paths_must_come_to_their_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let done = |complete: u32, partial: u32| {
            format!("KLEE: done: completed paths = {complete}\nKLEE: done: partially completed paths = {partial}\n")
        };
        assert_eq!(said(&done(3, 0), 0, folder.path()), Ok(Answer::Nothing));
        assert_eq!(said(&done(0, 0), 0, folder.path()), Ok(Answer::Nothing));
        for (output, code, why) in [
            (done(3, 2), 0, "klee left 2 paths unfinished; its last words: KLEE: done: partially completed paths = 2"),
            (done(3, 0), 1, "klee ended with exit code 1; its last words: KLEE: done: partially completed paths = 0"),
            (String::new(), 0, "klee ended without an answer; its last words: nothing"),
            (
                "KLEE: ERROR: p.c:3: external call".to_string(),
                0,
                "klee met errors, and wrote no test for them; its last words: KLEE: ERROR: p.c:3: external call",
            ),
        ] {
            assert_eq!(said(&output, code, folder.path()), Err(why.to_string()));
        }
    }
}
