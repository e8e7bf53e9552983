//! One task of a suite, and when an answer to it is right.

use selvedge_from_llvm::clang::DataModel;
use selvedge_program::{Properties, Property};
use selvedge_report::suite::Score;
use std::path::PathBuf;

pub struct SuiteTask {
    pub set: String,
    /// For people: the path as the suite has it.
    pub name: String,
    pub inputs: Vec<PathBuf>,
    /// For the compiler: `-DNAME` and the like.
    pub flags: Vec<String>,
    pub data_model: DataModel,
    /// As the task names it.
    pub property: String,
    /// How far the task's own verdict unwinds loops, if it says so.
    pub unwind: Option<u32>,
    pub aim: Aim,
}

pub enum Aim {
    Check {
        properties: Properties,
        expected: Expected,
    },
    /// Not ours to check; why.
    Skip(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// Does the property hold?
    pub holds: bool,
    /// If it does not: which part of it is broken, where the task says so. Another part may be broken
    /// as well.
    pub part: Option<Property>,
}

impl Expected {
    /// The score of a verdict as JSON names it, with the kind of reason of an unknown.
    /// `None`: there is no such verdict.
    pub fn score(self, verdict: &str, reason: Option<&str>) -> Option<Score> {
        Some(match verdict {
            "safe" if self.holds => Score::CorrectTrue,
            "safe" => Score::WrongTrue,
            "unsafe" if self.holds => Score::WrongFalse,
            "unsafe" => Score::CorrectFalse,
            "safe-within-bounds" => Score::Bounded,
            "unknown" => Score::Unknown(reason.unwrap_or("unknown").to_string()),
            _ => return None,
        })
    }

    /// A remark on a violation of another part than the task names. The question is about all parts
    /// together, so the answer is right; but the bug that the task is about may not have been found.
    pub fn remark(self, violated: Option<&str>) -> Option<String> {
        let violated = violated.filter(|name| self.part.is_some_and(|part| part.name() != *name))?;
        (!self.holds).then(|| format!("another part: {violated}"))
    }
}

/// SV-COMP's names for the parts of `valid-memsafety`.
pub fn part(subproperty: &str) -> Option<Property> {
    match subproperty {
        "valid-deref" | "valid-free" => Some(Property::Memory),
        "valid-memtrack" => Some(Property::Leak),
        "valid-memcleanup" => Some(Property::Cleanup),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        let yes = Expected { holds: true, part: None };
        let no = Expected { holds: false, part: None };
        let deref = Expected { holds: false, part: part("valid-deref") };
        assert_eq!(yes.score("safe", None), Some(Score::CorrectTrue));
        assert_eq!(no.score("safe", None), Some(Score::WrongTrue));
        assert_eq!(yes.score("unsafe", None), Some(Score::WrongFalse));
        assert_eq!(no.score("unsafe", None), Some(Score::CorrectFalse));
        assert_eq!(deref.score("unsafe", None), Some(Score::CorrectFalse));
        assert_eq!(deref.remark(Some("memory")), None);
        assert_eq!(deref.remark(Some("leak")).as_deref(), Some("another part: leak"));
        assert_eq!(no.remark(Some("leak")), None);
        assert_eq!(yes.score("safe-within-bounds", None), Some(Score::Bounded));
        assert_eq!(no.score("unknown", Some("time")), Some(Score::Unknown("time".into())));
        assert_eq!(no.score("perhaps", None), None);
    }
}
