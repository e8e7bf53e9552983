//! Failures that are no verdict, and how the user hears of them.
//!
//! Three things are kept apart: bad input (exit code 2), output that cannot be written (2 as well,
//! the verdict is printed all the same), and bugs of our own (70). A panic is always a bug of ours.

use selvedge_engine::watchdog::STACK_BYTES;
use selvedge_program::InternalError;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// A violation, or a wrong verdict in a suite.
pub const EXIT_VIOLATION: u8 = 10;
/// No answer.
pub const EXIT_UNKNOWN: u8 = 5;
pub const EXIT_BAD_INPUT: u8 = 2;
pub const EXIT_INTERNAL: u8 = 70;

pub enum Failure {
    /// The message says what, and where.
    BadInput(String),
    /// Something could not be written.
    Output(String),
    /// A bug in Selvedge; where the evidence was put, if it could be.
    Internal { error: Box<InternalError>, evidence: Option<PathBuf> },
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Failure::BadInput(_) | Failure::Output(_) => EXIT_BAD_INPUT,
            Failure::Internal { .. } => EXIT_INTERNAL,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::BadInput(message) | Failure::Output(message) => write!(f, "error: {}", message.trim_end()),
            Failure::Internal { error, evidence } => {
                write!(f, "internal error: {error}\n{PLEASE_REPORT}")?;
                match evidence {
                    Some(path) => write!(f, " Please attach {} and the program.", path.display()),
                    None => write!(f, " Please attach the program and the command line."),
                }
            }
        }
    }
}

const PLEASE_REPORT: &str = "This is a bug in Selvedge, not in your program: please report it.";

/// One message for a panic, whichever thread it is on.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let payload = panic.payload();
        let what = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let what = what.unwrap_or("panic");
        let mut message =
            format!("internal error: {what}{place}\n{PLEASE_REPORT} Please attach the program and the command line.\n");
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            message.push_str(&backtrace.to_string());
        }
        // Nothing is left to be done about a closed standard error.
        let _ = std::io::stderr().write_all(message.as_bytes());
    }));
}

/// Before any command has begun.
pub fn bad_input(message: String) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{}", Failure::BadInput(message));
    ExitCode::from(EXIT_BAD_INPUT)
}

/// Runs a command and turns what it says into an exit code. Deeply nested C makes deep recursion in readers; the main
/// thread's stack is the system's choice.
pub fn on_a_large_stack(command: impl FnOnce() -> Result<u8, Failure> + Send + 'static) -> ExitCode {
    let thread = std::thread::Builder::new().name("selvedge".into()).stack_size(STACK_BYTES).spawn(command);
    let code = match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(code))) => code,
        Ok(Ok(Err(failure))) => {
            let _ = writeln!(std::io::stderr(), "{failure}");
            failure.exit_code()
        }
        // The hook has spoken.
        Ok(Err(_panic)) => EXIT_INTERNAL,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: cannot start a thread: {error}");
            EXIT_INTERNAL
        }
    };
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(command: impl FnOnce() -> Result<u8, Failure> + Send + 'static) -> String {
        format!("{:?}", on_a_large_stack(command))
    }

    fn code(code: u8) -> String {
        format!("{:?}", ExitCode::from(code))
    }

    fn internal() -> Failure {
        let error = InternalError { what: "the replay did not show it".to_string(), ..InternalError::default() };
        Failure::Internal { error: Box::new(error), evidence: Some("e.json".into()) }
    }

    #[test]
    fn a_bug_of_ours_has_an_exit_code_of_its_own() {
        assert_eq!(ended(|| Err(internal())), code(70));
        assert_eq!(ended(|| panic!("a test of panics: never mind")), code(70));
        assert_eq!(ended(|| Err(Failure::BadInput("no such file".to_string()))), code(2));
        assert_eq!(ended(|| Ok(10)), code(10));
    }

    #[test]
    fn a_bug_of_ours_says_so_and_where_the_evidence_is() {
        let text = internal().to_string();
        assert!(text.starts_with("internal error: the replay did not show it\n"), "{text}");
        assert!(text.contains("not in your program") && text.contains("attach e.json"), "{text}");
    }
}
