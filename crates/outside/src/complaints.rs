//! A tool that complains may have checked another program than the one it was given: a function whose body it
//! could not read is any function. So the answer of a tool that complains counts for nothing, whatever it is.
//!
//! Each tool has a rule which of its lines are messages about its progress. All others are complaints, except the few
//! that are listed here as harmless.

use crate::process::Ended;
use selvedge_program::Reason;

/// How a tool tells complaints from messages about its progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Standard error has nothing but complaints. CBMC, and what answers as CBMC does.
    StandardError,
    /// Every message is on either stream, and complaints say how severe they are: `WARNING: …`, `p.c:3: error: …`.
    Severity,
    /// Every message is on standard error and begins with `KLEE: `; complaints say how severe they are.
    Klee,
    /// Every message begins with its origin, `[eva:alarm]`; complaints say how severe they are.
    FramaC,
    /// SPIN and its verifiers: standard error has complaints and our library's messages, standard output has
    /// complaints that say how severe they are.
    Spin,
}

impl Manner {
    /// The first complaint in what a tool said.
    pub fn complaint(self, ended: &Ended) -> Option<String> {
        let mut errors = ended.errors.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut output = ended.output.lines().map(str::trim).take_while(|line| !begins_counterexample(line));
        match self {
            // The last line of a compiler's says more than "In file included from …".
            Manner::StandardError => errors.next_back().map(str::to_string),
            Manner::Severity => output.find(|line| has_severity(line)).map(str::to_string),
            Manner::Klee => errors.find(|line| !is_harmless_for_klee(line)).map(str::to_string),
            Manner::FramaC => {
                // A message goes on in lines that are indented; only the first says how severe it is.
                let output = format!("\n{}", ended.output);
                let severe = output.split("\n[").filter(|message| message.lines().next().is_some_and(has_severity));
                let mut joined = severe.map(|message| message.lines().map(str::trim).collect::<Vec<_>>().join(" "));
                joined.find(|message| !is_harmless_for_frama_c(message)).map(|message| format!("[{message}"))
            }
            Manner::Spin => errors
                .find(|line| !line.starts_with(selvedge_pan::SAYS))
                .or_else(|| output.find(|line| has_severity(line) && !is_understood_of_spin(line)))
                .map(str::to_string),
        }
    }
}

/// An answer, unless the tool complained.
pub fn unless_complained<T>(tool: &str, manner: Manner, ended: &Ended, answer: T) -> Result<T, Reason> {
    match manner.complaint(ended) {
        None => Ok(answer),
        Some(complaint) => Err(Reason::Limit(format!("{tool} complains, so its answer does not count: {complaint}"))),
    }
}

/// From this line on the output is about the program, in its own words.
fn begins_counterexample(line: &str) -> bool {
    line == "Counterexample:" || line == "[Counterexample]" || line.starts_with("Trace for ")
}

/// `**** WARNING: …`, `p.c:3:5: error: …`, `spin: p:3, Error: …`, `[kernel] p.c:3: User Error: …`. Further to the right
/// a line may quote the program.
fn has_severity(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let line = line.split_once("] ").map_or(line.as_str(), |(_, message)| message);
    line.split(": ").take(2).flat_map(|part| part.split(", ")).any(|part| {
        let first = part.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic()).split([' ', ',', ':']).next();
        matches!(first, Some("warning" | "error" | "user" | "fatal" | "failure" | "unexpected"))
    })
}

/// Errors are judged together with the tests that KLEE writes for them.
fn is_harmless_for_klee(line: &str) -> bool {
    let Some(message) = line.strip_prefix("KLEE: ") else { return false };
    match message.strip_prefix("WARNING").map(|rest| rest.trim_start_matches(" ONCE").trim_start_matches(": ")) {
        None => true,
        // The alignment of what malloc gives is not part of any property.
        Some(warning) => warning.starts_with("Alignment of memory from call"),
    }
}

/// An alarm is about a run that goes wrong, and ends there on the VM as well; and Eva may say that it loses precision.
fn is_harmless_for_frama_c(line: &str) -> bool {
    const ORIGINS: [&str; 3] = ["eva:alarm]", "eva:garbled-mix", "eva:locals-escaping]"];
    // Eva knows these by name, and needs no specification.
    const BUILT_IN: [&str; 5] = ["malloc", "free", "memcpy", "memmove", "memset"];
    let function = line.split_once("Neither code nor specification for function ");
    let function = function.and_then(|(_, rest)| rest.split(',').next());
    ORIGINS.iter().any(|origin| line.starts_with(origin))
        || line.ends_with("all target addresses were invalid. This path is assumed to be dead.")
        || function.is_some_and(|name| BUILT_IN.contains(&name))
}

/// The reader of SPIN's answers knows these.
fn is_understood_of_spin(line: &str) -> bool {
    matches!(line, "Warning: Search not completed" | "error: max search depth too small")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::ExitStatus;

    fn said(output: &str, errors: &str) -> Ended {
        let output = format!("{output}{errors}");
        Ended { status: ExitStatus::default(), output, errors: errors.to_string(), last_words: String::new() }
    }

    /// CBMC 6.6 on a machine without headers for x32, beside the answer that it gives all the same.
    #[test]
    fn cbmc_complains_on_standard_error() {
        let preprocessing = "\
In file included from /usr/include/features.h:513,
                 from /usr/include/string.h:26,
file                  from <builtin-library-memset> line 3:                  from <builtin-library-memset>:3:
file /usr/include/gnu/stubs.h line 13: /usr/include/gnu/stubs.h:13:11: fatal error: gnu/stubs-x32.h: No such file or directory
   13 | # include <gnu/stubs-x32.h>
      |           ^~~~~~~~~~~~~~~~~
compilation terminated.
GCC preprocessing failed
";
        let linking = "\
file <builtin-library-malloc> line 11: conflicting function declarations 'malloc'
typechecking main failed
Linking library function 'malloc' failed
";
        let body = "**** WARNING: no body for function memset\n";
        for (errors, complaint) in [
            ("", None),
            ("\n", None),
            (preprocessing, Some("GCC preprocessing failed")),
            (linking, Some("Linking library function 'malloc' failed")),
            (body, Some("**** WARNING: no body for function memset")),
        ] {
            let ended = said("Adding CPROVER library (i386)\nVERIFICATION SUCCESSFUL\n", errors);
            assert_eq!(Manner::StandardError.complaint(&ended).as_deref(), complaint);
        }
    }

    #[test]
    fn esbmc_says_how_severe_a_complaint_is_on_either_stream() {
        let progress = "ESBMC version 7.7.0 64-bit x86_64 linux\nTarget: 64-bit little-endian\nParsing p.c\nConverting\n\
                        Symex completed in: 0.001s (12 assignments)\nNo solver specified; defaulting to Boolector\n";
        let example = "[Counterexample]\n\nViolated property:\n  error: too many readers\n";
        for complaint in [
            "WARNING: no body for function memset",
            "ERROR: PARSING ERROR",
            "p.c:3:5: warning: implicit declaration of function 'f'",
            "p.c:1:10: fatal error: 'string.h' file not found",
        ] {
            let line = format!("{complaint}\n");
            for ended in [said(&format!("{progress}{line}"), ""), said(progress, &line)] {
                assert_eq!(Manner::Severity.complaint(&ended).as_deref(), Some(complaint));
            }
        }
        for ended in [said(progress, ""), said("", progress), said(&format!("{progress}{example}"), "")] {
            assert_eq!(Manner::Severity.complaint(&ended), None);
        }
    }

    #[test]
    fn klee_may_warn_of_alignment_only() {
        let harmless = "KLEE: output directory is \"out\"\nKLEE: Using STP solver backend\n\
                        KLEE: WARNING ONCE: Alignment of memory from call \"malloc\" is not modelled. Using alignment of 8.\n\
                        KLEE: ERROR: p.c:9: assertion: x\nKLEE: NOTE: now ignoring this error at this location\n\n\
                        KLEE: done: completed paths = 2\n";
        assert_eq!(Manner::Klee.complaint(&said("", harmless)), None);
        for complaint in [
            "KLEE: WARNING: undefined reference to function: memset",
            "KLEE: WARNING ONCE: calling external: memset(1, 2, 3) at p.c:3 5",
            "p.c:3:5: error: unknown type name 'uint'",
        ] {
            let ended = said("", &format!("{harmless}{complaint}\n"));
            assert_eq!(Manner::Klee.complaint(&ended).as_deref(), Some(complaint));
        }
    }

    #[test]
    fn frama_c_may_raise_alarms_and_knows_some_functions_by_name() {
        // Frama-C 25 says this.
        let harmless = "\
[kernel] Parsing p.c (with preprocessing)
[kernel:annot:missing-spec] p.c:2: Warning:\u{20}
  Neither code nor specification for function memcpy, generating default assigns from the prototype
[eva] Analyzing a complete application starting at main
[eva] p.c:2: Frama_C_show_each_0_1_2: {3}
[eva:alarm] p.c:2: Warning: accessing out of bounds index. assert a < 2;
[kernel] p.c:2: Warning:\u{20}
  all target addresses were invalid. This path is assumed to be dead.
[eva] p.c:2: assertion 'Eva,index_bound' got final status invalid.
[eva] ====== VALUES COMPUTED ======
[eva:final-states] Values at end of function main:
  error in {1}
[eva:summary] ====== ANALYSIS SUMMARY ======
  Some errors and warnings have been raised during the analysis:
    by the Frama-C kernel:    0 errors    2 warnings
";
        assert_eq!(Manner::FramaC.complaint(&said(harmless, "")), None);
        for complaint in [
            "[kernel:annot:missing-spec] p.c:9: Warning: Neither code nor specification for function f, generating default",
            "[kernel] User Error: cannot find entry point `main'.",
            "[kernel] p.c:3: User Error: syntax error",
        ] {
            let ended = said(&format!("{harmless}{complaint}\n"), "");
            assert_eq!(Manner::FramaC.complaint(&ended).as_deref(), Some(complaint));
        }
    }

    #[test]
    fn spin_may_say_what_its_reader_knows() {
        let harmless = "selvedge: bound\npan:1: assertion violated ( (!pan_failed()) ) (at depth 13)\n\
                        error: max search depth too small\nWarning: Search not completed\n\
                        Full statespace search for:\n\tassertion violations\t+\n\
                        State-vector 860 byte, depth reached 17, errors: 0\n";
        assert_eq!(Manner::Spin.complaint(&said(harmless, "selvedge: a state takes more\n")), None);
        for complaint in [
            "spin: driver.pml:3, Error: syntax error",
            "spin: warning, a variable is never used",
            "pan: warning, state vector too small",
            "error: hash-table full",
        ] {
            assert_eq!(Manner::Spin.complaint(&said(&format!("{complaint}\n"), "")).as_deref(), Some(complaint));
        }
        assert_eq!(Manner::Spin.complaint(&said(harmless, "cc1: no room\n")), Some("cc1: no room".to_string()));
    }
}
