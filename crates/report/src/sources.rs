//! The lines of C that a trace quotes.

use crate::headline::one_line;
use std::collections::BTreeMap;

/// Source files by path, read when first asked for. A file that cannot be read has no lines: a
/// trace without its source text is still a trace.
#[derive(Default)]
pub struct Sources {
    files: BTreeMap<String, Source>,
}

struct Source {
    bytes: Vec<u8>,
    lines: Vec<String>,
}

impl Sources {
    /// Sets the text of a path, instead of reading it from the disk.
    pub fn add(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_string(), Source::new(text.as_bytes().to_vec()));
    }

    /// Line `number` (from 1), without indentation.
    pub fn line(&mut self, path: &str, number: u32) -> Option<String> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let line = one_line(self.lines(path).get(index)?.trim());
        Some(line).filter(|line| !line.is_empty())
    }

    /// All lines, as they are.
    pub fn lines(&mut self, path: &str) -> &[String] {
        &self.source(path).lines
    }

    /// The file as it is; nothing if it cannot be read.
    pub fn bytes(&mut self, path: &str) -> &[u8] {
        &self.source(path).bytes
    }

    fn source(&mut self, path: &str) -> &Source {
        let read = || Source::new(std::fs::read(path).unwrap_or_default());
        self.files.entry(path.to_string()).or_insert_with(read)
    }
}

impl Source {
    fn new(bytes: Vec<u8>) -> Source {
        let lines = String::from_utf8_lossy(&bytes).lines().map(String::from).collect();
        Source { bytes, lines }
    }
}
