//! The lines of C that a trace quotes.

use std::collections::BTreeMap;

/// Source files by path, read when first asked for. A file that cannot be read has no lines: a
/// trace without its source text is still a trace.
#[derive(Default)]
pub struct Sources {
    files: BTreeMap<String, Vec<String>>,
}

impl Sources {
    /// Sets the text of a path, instead of reading it from the disk.
    pub fn add(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_string(), lines(text));
    }

    /// Line `number` (from 1), without indentation.
    pub fn line(&mut self, path: &str, number: u32) -> Option<&str> {
        if !self.files.contains_key(path) {
            let bytes = std::fs::read(path).unwrap_or_default();
            self.files.insert(path.to_string(), lines(&String::from_utf8_lossy(&bytes)));
        }
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.files.get(path)?.get(index).map(String::as_str).filter(|line| !line.is_empty())
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| crate::headline::one_line(line.trim())).collect()
}
