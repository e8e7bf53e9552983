//! Lines of C, each with where it came from: the C text as a comment, and a `#line` for tools.
//!
//! Code from one line of the program stands in one line here, if it is not too long.

use selvedge_program::{Loc, SourceMap};
use std::collections::HashMap;

/// Beyond this a line is broken.
const WIDTH: usize = 100;

#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    /// The text of a line, as a comment may hold it; or where it is.
    fn quote(&mut self, source: &SourceMap, loc: Loc) -> String {
        let Some(path) = source.files.get(loc.file) else { return String::new() };
        let lines = self.files.entry(path.clone()).or_insert_with(|| {
            let text = std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            text.unwrap_or_default().lines().map(|line| line.trim().to_string()).collect()
        });
        match lines.get(loc.line as usize - 1).filter(|line| !line.is_empty()) {
            Some(line) => line.replace("*/", "* /").replace("/*", "/ *"),
            None => source.describe(loc),
        }
    }
}

/// The lines of a function.
#[derive(Default)]
pub struct Lines {
    pub text: String,
    last: Option<Loc>,
}

impl Lines {
    /// Control code: it belongs to no line.
    pub fn control(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        self.last = None;
    }

    /// Statements that belong together, each with its line; `prefix` stands before the first, and braces hold
    /// them together if they declare something.
    pub fn piece(
        &mut self,
        source: &SourceMap,
        sources: &mut Sources,
        prefix: &str,
        statements: &[(Loc, String)],
        braces: bool,
    ) {
        let mut line = prefix.to_string();
        let mut at: Option<Loc> = None;
        if braces {
            line.push_str(if line.is_empty() { "{ " } else { " { " });
        } else if !line.is_empty() {
            line.push(' ');
        }
        for (loc, statement) in statements {
            let same = at.is_none_or(|at| (at.file, at.line) == (loc.file, loc.line) || !loc.is_known());
            if !same || line.len() + statement.len() > WIDTH && at.is_some() {
                self.line(source, sources, at, line.trim_end());
                line = "    ".to_string();
                at = None;
            }
            if at.is_none() && loc.is_known() {
                at = Some(*loc);
            }
            line.push_str(statement);
            line.push(' ');
        }
        if braces {
            line.push('}');
        }
        if !line.trim().is_empty() {
            self.line(source, sources, at, line.trim_end());
        }
    }

    fn line(&mut self, source: &SourceMap, sources: &mut Sources, at: Option<Loc>, text: &str) {
        let Some(loc) = at.filter(|loc| loc.is_known()) else {
            self.text.push_str(text);
            self.text.push('\n');
            return;
        };
        let file = source.files.get(loc.file).map_or("", String::as_str);
        self.text.push_str(&format!("#line {} \"{}\"\n", loc.line, file.replace('\\', "\\\\").replace('"', "\\\"")));
        self.text.push_str(text);
        // Quoted once for all lines in a row that come from it.
        let new = self.last.is_none_or(|last| (last.file, last.line) != (loc.file, loc.line));
        if new {
            self.text.push_str(&format!("  /* {} */", sources.quote(source, loc)));
        }
        self.text.push('\n');
        self.last = Some(loc);
    }
}
