//! `--keep-going`: after a violation the search begins anew with that place suppressed, until nothing else is found.
//!
//! Each violation is at another place, and its run has passed those that were found before; its replay leaves them
//! out, too. A violation of a whole state or run, such as a deadlock, cannot be left out, and is the last one.

use selvedge_engine::Conclusion;
use selvedge_program::{Assumption, InternalError, Program, Suppression, Trace, Verdict};

/// The greatest number of violations.
const MOST: usize = 20;

/// Violations beyond the first.
#[derive(Default)]
pub struct Others {
    pub found: Vec<Other>,
    /// The verdict on runs beyond all of them, if that was asked for.
    pub beyond: Option<Verdict>,
}

pub struct Other {
    pub trace: Box<Trace>,
    /// The violations that its run leaves out.
    pub suppressed: Vec<Suppression>,
}

/// Looks for more than the first violation.
pub fn others(
    program: &Program,
    first: &Trace,
    mut check: impl FnMut(Program) -> Result<Conclusion, InternalError>,
) -> Result<Others, InternalError> {
    let mut others = Others::default();
    let (mut program, mut suppressed) = (program.clone(), Vec::new());
    let mut next = place(&program, first);
    while let Some(place_found) = next.take().filter(|_| others.found.len() < MOST) {
        program.assumptions.push(Assumption::Suppressed(place_found.clone()));
        suppressed.push(place_found);
        match check(program.clone())?.verdict {
            Verdict::Unsafe(trace) => {
                next = place(&program, &trace);
                others.found.push(Other { trace, suppressed: suppressed.clone() });
            }
            rest => others.beyond = Some(rest),
        }
    }
    Ok(others)
}

fn place(program: &Program, trace: &Trace) -> Option<Suppression> {
    let (property, loc) = (trace.violation.property, trace.violation.loc);
    let file = program.source.files.get(loc.file).filter(|_| loc.is_known() && Suppression::is_possible(property))?;
    Some(Suppression { property, file: file.clone(), line: loc.line })
}
