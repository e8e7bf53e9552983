//! The terminal: standard output, its width and colours.

use crate::args::ConsoleArgs;
use crate::failure::Failure;
use selvedge_report::text::Look;
use std::io::{ErrorKind, IsTerminal, Write};

/// The width of the page, where it is unknown.
const PIPED_WIDTH: usize = 120;

pub fn look(args: &ConsoleArgs) -> Look {
    let on_terminal = std::io::stdout().is_terminal();
    let wanted = !args.no_color
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let width = match terminal_size::terminal_size() {
        Some((width, _)) if on_terminal => usize::from(width.0),
        _ => PIPED_WIDTH,
    };
    Look { width, colour: on_terminal && wanted, everything: args.verbose > 0, last: args.last }
}

/// Writes to standard output. A reader who has seen enough (`| head`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Output(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
