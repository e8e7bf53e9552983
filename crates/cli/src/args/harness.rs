//! Code without a `main` of its own: what to run around given functions.

use super::given::Asking;
use crate::engines::Capability;
use crate::harness::Harness;
use clap::Args;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

pub const HARNESS: &str = "Code without main";

#[derive(Args, Default)]
pub struct HarnessArgs {
    #[command(flatten)]
    pub threads: ThreadsArg,
    /// Run this C code first: statements separated by `;`. Variables that it declares are known to all threads
    #[arg(long, value_name = "CODE", help_heading = HARNESS)]
    pub setup: Option<String>,
    /// Run this C code when the threads have ended. A condition in it, such as `count == 2`, must hold
    #[arg(long = "final", value_name = "CODE", help_heading = HARNESS)]
    pub finally: Option<String>,
    /// Start at this C function instead of main; its parameters may have any value
    #[arg(long, value_name = "FUNCTION", help_heading = HARNESS)]
    pub entry: Option<String>,
    /// Check that the calls of --threads return what they could if they ran one after another, in an order that keeps a
    /// call which ended before another one began before it: `itself` runs the program's own functions so, a C file has
    /// others of the same names
    #[arg(long, value_name = "itself|FILE", help_heading = HARNESS)]
    pub linearizable: Option<PathBuf>,
    /// The harness, once it has been asked for.
    #[arg(skip)]
    pub made: OnceLock<Harness>,
}

#[derive(Args, Default)]
pub struct ThreadsArg {
    /// Start these threads instead of main: calls separated by `;`, threads by `|`, as in 'push(s, 1); push(s, 2) |
    /// pop(s)'. A number is a bound instead: follow the first N threads besides main that the program can create
    /// [default: 64]
    #[arg(long, value_name = "CALLS|N", help_heading = HARNESS, value_parser = threads,
          add = Capability::Unwinding, add = Asking(is_number))]
    pub threads: Option<Threads>,
}

/// `--threads`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Threads {
    /// A bound.
    AtMost(u32),
    /// The code of each thread.
    Running(String),
}

impl ThreadsArg {
    pub fn at_most(&self) -> Option<u32> {
        match &self.threads {
            Some(Threads::AtMost(most)) => Some(*most),
            Some(Threads::Running(_)) | None => None,
        }
    }

    pub fn running(&self) -> Option<&str> {
        match &self.threads {
            Some(Threads::Running(code)) => Some(code),
            Some(Threads::AtMost(_)) | None => None,
        }
    }
}

fn is_number(text: &OsStr) -> bool {
    !text.is_empty() && text.as_encoded_bytes().iter().all(u8::is_ascii_digit)
}

fn threads(text: &str) -> Result<Threads, String> {
    match text.parse() {
        Ok(most) => Ok(Threads::AtMost(most)),
        Err(error) if is_number(OsStr::new(text)) => Err(error.to_string()),
        Err(_) if text.starts_with('-') || text.trim().is_empty() => {
            Err("expected a number, or calls as in 'push(s, 1) | pop(s)'".to_string())
        }
        Err(_) => Ok(Threads::Running(text.to_string())),
    }
}
