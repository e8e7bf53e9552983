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
//! | [`suite`] | the table and the JSON of many runs |

pub mod headline;
pub mod json;
pub mod sources;
pub mod statistics;
pub mod suite;
pub mod text;

use selvedge_engines::Statistics;
use selvedge_program::{Bounds, Properties, Verdict};

/// All that is known at the end of a check.
pub struct Report<'a> {
    pub verdict: &'a Verdict,
    pub files: &'a [String],
    /// As the user names it.
    pub engine: &'a str,
    pub properties: Properties,
    /// What was asked for; what bit is in the verdict.
    pub bounds: Bounds,
    /// Sentences that the verdict rests on.
    pub assumptions: &'a [String],
    pub statistics: &'a Statistics,
}
