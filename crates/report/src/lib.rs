//! Results as text, JSON and the like. The only crate that knows report formats.
//!
//! Everything here turns values into text and does no I/O, with one exception: [`sources`] reads
//! the lines of C that a trace quotes.
//!
//! | module | what it makes |
//! |---|---|
//! | [`headline`] | the `VERDICT:` line |
//! | [`covered`] | what a verdict covers: threads, functions, lines; also for editors |
//! | [`text`] | the counterexample, threads side by side |
//! | [`proof`] | why nothing can go wrong |
//! | [`next`] | what to try next |
//! | [`json`] | one JSON document for each run |
//! | [`html`] | the counterexample as a page: threads and variables over time, source, stacks, locks |
//! | [`sarif`], [`junit`], [`github`] | results for editors, for tables of tests, for annotations of pull requests |
//! | [`reproduce`] | a native program that runs a violation again |
//! | [`svcomp`], [`witness`] | verdicts in the words of SV-COMP; violations in its witness format |
//! | [`statistics`] | the statistics of a run, for `-v` |
//! | [`ranges`] | the values that variables may hold |
//! | [`fences`], [`patch`] | fences that make a program safe; lines to insert, as a diff |
//! | [`suite`] | the table and the JSON of many runs |
//! | [`swarm`], [`plot`] | the statistics of a swarm; the time to a bug over the number of cores |

pub mod correctness;
pub mod covered;
mod decisive;
pub mod fences;
pub mod github;
pub mod headline;
pub mod html;
pub mod json;
pub mod junit;
pub mod next;
pub mod patch;
pub mod plot;
pub mod proof;
pub mod ranges;
pub mod reproduce;
mod rows;
pub mod sarif;
pub mod sources;
mod stacks;
pub mod statistics;
pub mod suite;
pub mod svcomp;
pub mod swarm;
pub mod text;
pub mod witness;

use selvedge_program::Statistics;
use selvedge_program::instances::Summary;
use selvedge_program::trace::Position;
use selvedge_program::{Assumption, Bounds, DataModel, Proof, Properties, Reason, Trace, Vacuity, Verdict};
use std::fmt;

/// Everything that is known at the end of a check.
pub struct Report<'a> {
    pub verdict: &'a Verdict,
    pub files: &'a [String],
    /// The file of the program that is nowhere on the disk, if there is one: a harness that was made for it.
    pub generated: Option<&'a str>,
    pub data_model: DataModel,
    pub engine: EngineUsed,
    pub properties: Properties,
    /// The bounds that the user asked for; the limits that were reached are in the verdict.
    pub bounds: &'a Bounds,
    /// The assumptions that the verdict rests on.
    pub assumptions: &'a [Assumption],
    /// If nothing was found: how far runs got, if that is known.
    pub covered: Option<&'a covered::Covered>,
    /// Why "safe" may mean nothing.
    pub vacuity: Option<&'a Vacuity>,
    /// Why nothing can go wrong, if that was proved.
    pub proof: Option<&'a Proof>,
    /// Violations beyond the first, if they were asked for; and what there is beyond them all.
    pub others: Vec<&'a Trace>,
    pub beyond: Option<&'a Verdict>,
    /// Why the search went no further.
    pub stopped_by: Option<&'a Reason>,
    /// A hint: options to try next.
    pub next: Option<&'a str>,
    pub statistics: &'a Statistics,
    /// Only for swarms.
    pub swarm: Option<&'a Summary>,
    /// Only if they were asked for.
    pub fences: Option<&'a fences::Fences>,
}

impl Report<'_> {
    /// The position of a violation in a file that the user can open. A violation in the harness is told where its
    /// thread, or else any thread, was last in such a file.
    pub fn position<'t>(&self, trace: &'t Trace) -> &'t Position {
        let is_on_disk = |at: &&Position| at.line != 0 && Some(at.file.as_str()) != self.generated;
        let events = || trace.events.iter().rev();
        let own = events().filter(|event| event.thread == trace.violation.thread);
        let mut positions = std::iter::once(&trace.at).chain(own.chain(events()).map(|event| &event.at));
        positions.find(is_on_disk).unwrap_or(&trace.at)
    }
}

/// The engine that the user asked for, and the one that answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineUsed {
    pub name: &'static str,
    /// The engine that answered, if the one asked for ran several; otherwise its own name.
    pub answered: &'static str,
}

impl fmt::Display for EngineUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.answered == self.name || self.answered == "none" {
            true => f.write_str(self.name),
            false => write!(f, "{} ({})", self.name, self.answered),
        }
    }
}
