//! How results are shown. The only crate that knows report formats.
//!
//! Everything here turns values into text and does no I/O, with one exception: [`sources`] reads
//! the lines of C that a trace quotes.
//!
//! | module | what it makes |
//! |---|---|
//! | [`headline`] | the `VERDICT:` line |
//! | [`text`] | the counterexample, threads side by side |
//! | [`json`] | one JSON document a run |
//! | [`statistics`] | the numbers of a run, for `-v` |
//! | [`ranges`] | what variables may hold |
//! | [`suite`] | the table and the JSON of many runs |
//! | [`swarm`], [`plot`] | the numbers of a swarm; how long a bug takes on how many cores |

pub mod headline;
pub mod json;
pub mod plot;
pub mod ranges;
pub mod sources;
pub mod statistics;
pub mod suite;
pub mod swarm;
pub mod text;

use selvedge_program::Statistics;
use selvedge_program::{Assumption, Bounds, Properties, Verdict};
use selvedge_swarm::Summary;
use std::fmt;

/// All that is known at the end of a check.
pub struct Report<'a> {
    pub verdict: &'a Verdict,
    pub files: &'a [String],
    pub engine: EngineUsed,
    pub properties: Properties,
    /// What was asked for; what bit is in the verdict.
    pub bounds: &'a Bounds,
    /// What the verdict rests on.
    pub assumptions: &'a [Assumption],
    pub statistics: &'a Statistics,
    /// If it was one.
    pub swarm: Option<&'a Summary>,
}

/// The engine that the user asked for, and whose answer it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineUsed {
    pub name: &'static str,
    /// Of those that it ran; its own name if that is all there is to say.
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
