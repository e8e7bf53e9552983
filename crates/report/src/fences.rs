//! Fences that make a program safe, for people and for programs.

use crate::headline::headline;
use selvedge_program::{Reason, Verdict};
use serde::Serialize;

/// The effect of fences on an unsafe program.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fences {
    /// `found | none | unknown`.
    pub result: &'static str,
    /// The result as a sentence.
    pub text: String,
    /// The lines before which they stand.
    pub lines: Vec<Line>,
    /// As a unified diff.
    pub patch: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Line {
    pub file: String,
    pub line: u32,
}

impl Fences {
    /// These are enough for this verdict, and no fewer.
    pub fn found(lines: Vec<Line>, patch: String, verdict: &Verdict) -> Fences {
        let headline = headline(verdict);
        let claim = headline.strip_prefix("VERDICT: ").unwrap_or(&headline);
        let text = match lines.len() {
            1 => format!("one fence is enough: {claim}"),
            count => format!("{count} fences are enough, and no fewer: {claim}"),
        };
        Fences { result: "found", text, lines, patch }
    }

    pub fn none(needs_buffers: bool) -> Fences {
        let text = match needs_buffers {
            true => "no fence between two lines prevents a violation",
            false => "none helps: there is a violation without store buffers, too",
        };
        Fences { result: "none", text: text.to_string(), lines: Vec::new(), patch: String::new() }
    }

    pub fn unknown(reason: &Reason) -> Fences {
        Fences { result: "unknown", text: format!("unknown ({reason})"), lines: Vec::new(), patch: String::new() }
    }

    /// The sentence, then the patch.
    pub fn shown(&self) -> String {
        format!("fences: {}\n{}", self.text, self.patch)
    }
}
