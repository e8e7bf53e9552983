//! Reads a tool's output. CBMC and the tools that descend from it, ESBMC among them, print their
//! counterexamples alike:
//!
//! ```text
//! State 7 file p.c function main line 4 thread 0
//! ----------------------------------------------------
//!   cs_0_0=3u (00000000 00000000 00000000 00000011)
//! …
//! Violated property:
//!   file p.c function main line 8 thread 0
//!   assertion at a.c:12: assertion `x == 1` fails
//!   x == 1
//!
//! VERIFICATION FAILED
//! ```
//!
//! An answer must be said in so many words, and the exit code must agree. All else is no answer.

use crate::process::Ended;
use selvedge_program::Reason;

/// The prefix by which emitted programs name constructs that cannot be written as C.
const UNSUPPORTED: &str = "unsupported: ";

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Nothing is wrong. Whether anything was checked is another question.
    Nothing,
    /// At least one.
    Wrong(Vec<Claim>),
}

/// A run that goes wrong, as a tool tells it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claim {
    /// The text of the property that does not hold.
    pub property: String,
    /// Integers that were assigned, in order.
    pub values: Vec<(String, u64)>,
}

impl Claim {
    /// The untranslated construct that the program reaches, if that is what was found; then it is no violation.
    pub fn unsupported(&self) -> Option<&str> {
        self.property.strip_prefix(UNSUPPORTED)
    }
}

/// The answer in a tool's output, if there is one.
pub fn answer(tool: &str, ended: &Ended) -> Result<Answer, Reason> {
    let says = |words: &str| ended.output.lines().any(|line| line.trim() == words);
    let why = match (says("VERIFICATION SUCCESSFUL"), says("VERIFICATION FAILED"), ended.badly()) {
        (true, false, None) => return Ok(Answer::Nothing),
        // Its exit code is never 0, and otherwise anything; but not a crash afterwards.
        (false, true, Some(_)) if ended.status.code().is_some() => {
            return match counterexamples(&ended.output) {
                found if found.is_empty() => {
                    Err(Reason::Limit(format!("{tool} says that something is wrong, but not what")))
                }
                found => Ok(Answer::Wrong(found)),
            };
        }
        (true, true, _) => "gave two answers".to_string(),
        (_, _, Some(badly)) => badly,
        (_, _, None) => "ended without an answer".to_string(),
    };
    let last = match ended.last_words.as_str() {
        "" => "it said nothing".to_string(),
        line => format!("its last words: {line}"),
    };
    Err(Reason::Limit(format!("{tool} {why}; {last}")))
}

/// `271 variables, 420 clauses`.
pub fn size(line: &str) -> Option<(u64, u64)> {
    let (variables, clauses) = line.trim().strip_suffix(" clauses")?.split_once(" variables, ")?;
    Some((variables.parse().ok()?, clauses.parse().ok()?))
}

fn counterexamples(output: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut current = Claim::default();
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        if is_beginning(line) {
            current = Claim::default();
        } else if line.trim() == "Violated property:" {
            // First where, then what.
            current.property = lines.nth(1).unwrap_or_default().trim().to_string();
            found.push(std::mem::take(&mut current));
        } else if let Some(value) = assignment(line) {
            current.values.push(value);
        }
    }
    found
}

fn is_beginning(line: &str) -> bool {
    let line = line.trim();
    line == "Counterexample:" || line == "[Counterexample]" || line.starts_with("Trace for ")
}

/// `  cs_1_0=5u (00000000 …)`, `  cs_1_0 = 5 (00000000 …)`.
fn assignment(line: &str) -> Option<(String, u64)> {
    let (name, rest) = line.strip_prefix("  ")?.split_once('=')?;
    let name = name.trim_end();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = rest.split_whitespace().next()?.trim_end_matches(['u', 'l', 'U', 'L']);
    is_name.then_some((name.to_string(), value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    const CBMC: &str = "\
271 variables, 420 clauses
SAT checker: instance is SATISFIABLE
Counterexample:

State 6 file p.c function main line 4 thread 0
----------------------------------------------------
  cs_0_0=0u (00000000 00000000 00000000 00000000)

State 7 file p.c function main line 4 thread 0
----------------------------------------------------
  cs_0_0=3u (00000000 00000000 00000000 00000011)

Assumption:
  file p.c line 4 function main
  cs_0_0 <= 3u

State 10 file p.c function main line 5 thread 0
----------------------------------------------------
  pc[0l]=0u (00000000 00000000 00000000 00000000)

Violated property:
  file p.c function main line 8 thread 0
  assertion at a.c:12: assertion `x == 1` fails
  x == 1


VERIFICATION FAILED
";

    const ESBMC: &str = "\
[Counterexample]


State 1 file p.c line 4 column 3 function main thread 0
----------------------------------------------------
  cs_0_0 = 3 (00000000 00000000 00000000 00000011)

State 2 file p.c line 8 column 5 function main thread 0
----------------------------------------------------
Violated property:
  file p.c line 8 column 5 function main
  assertion at a.c:12: assertion `x == 1` fails
  x == 1


VERIFICATION FAILED
";

    fn ended(output: &str, code: i32) -> Ended {
        let last_words = output.lines().last().unwrap_or_default().to_string();
        Ended { status: ExitStatus::from_raw(code), output: output.to_string(), errors: String::new(), last_words }
    }

    fn exit(code: i32) -> i32 {
        code << 8
    }

    fn said(output: &str, status: i32) -> Result<Answer, String> {
        answer("tool", &ended(output, status)).map_err(|reason| reason.to_string())
    }

    fn example(values: &[(&str, u64)]) -> Answer {
        let values = values.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        let property = "assertion at a.c:12: assertion `x == 1` fails".to_string();
        Answer::Wrong(vec![Claim { property, values }])
    }

    #[test]
    fn counterexamples_of_both_families() {
        assert_eq!(said(CBMC, exit(10)), Ok(example(&[("cs_0_0", 0), ("cs_0_0", 3)])));
        assert_eq!(said(ESBMC, exit(1)), Ok(example(&[("cs_0_0", 3)])));
    }

    #[test]
    fn several_properties_have_a_counterexample_each() {
        let text = CBMC.replace("Counterexample:", "Trace for main.assertion.1:");
        let second = text.replace("main.assertion.1", "main.assertion.2").replace("assertion at", "unsupported: at");
        let Ok(Answer::Wrong(both)) = said(&format!("{text}\n{second}"), exit(10)) else { panic!("{text}") };
        assert_eq!(
            both.iter().map(Claim::unsupported).collect::<Vec<_>>(),
            [None, Some("at a.c:12: assertion `x == 1` fails")]
        );
        assert_eq!(both[0].values, both[1].values);
    }

    #[test]
    fn an_answer_is_said_in_so_many_words() {
        assert_eq!(said("VERIFICATION SUCCESSFUL\n", exit(0)), Ok(Answer::Nothing));
        for (output, status, why) in [
            ("", exit(0), "tool ended without an answer; it said nothing"),
            ("all is well\n", exit(0), "tool ended without an answer; its last words: all is well"),
            (
                "VERIFICATION SUCCESSFUL\n",
                exit(6),
                "tool ended with exit code 6; its last words: VERIFICATION SUCCESSFUL",
            ),
            ("VERIFICATION SUCCESSFUL\n", 11, "tool was ended by signal 11; its last words: VERIFICATION SUCCESSFUL"),
            ("VERIFICATION FAILED\n", exit(10), "tool says that something is wrong, but not what"),
            (CBMC, 9, "tool was ended by signal 9; its last words: VERIFICATION FAILED"),
            (CBMC, exit(0), "tool ended without an answer; its last words: VERIFICATION FAILED"),
            (
                "VERIFICATION SUCCESSFUL\nVERIFICATION FAILED\n",
                exit(0),
                "tool gave two answers; its last words: VERIFICATION FAILED",
            ),
        ] {
            assert_eq!(said(output, status), Err(why.to_string()));
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("271 variables, 420 clauses"), Some((271, 420)));
        assert_eq!(size("many variables, 420 clauses"), None);
    }
}
