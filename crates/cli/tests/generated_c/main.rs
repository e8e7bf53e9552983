//! Generated C programs: what engines say of them does not contradict, and what a compiler makes of those without
//! undefined behaviour is what the engines see.
//!
//! `SELVEDGE_CASES` is the number of programs for each test, `SELVEDGE_SEED` the number of the first.

mod agreement;
mod engines;
mod native;
mod subject;

/// The words before the first colon, so that shrinking does not go from one kind of failure to another.
fn kind(why: &str) -> &str {
    why.split(':').next().unwrap_or_default()
}
