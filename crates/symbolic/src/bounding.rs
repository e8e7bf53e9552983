//! Bounding, shared by all engines that need it.

use selvedge_bound::{Bounded, CutKind, Limits, Refusal, bound_unless};
use selvedge_program::coverage::CutAt;
use selvedge_program::{Bounds, Finding, Program, Reason};

/// How far loops are unwound, one after the other, if nothing else is said; and how far if constants tell
/// how often their bodies run: all the way would make a large formula of what a small one shows as well.
const UNWINDINGS: [(u32, u32); 12] = [
    (1, 8),
    (2, 16),
    (3, 32),
    (4, 64),
    (6, 256),
    (8, u32::MAX),
    (12, u32::MAX),
    (16, u32::MAX),
    (24, u32::MAX),
    (32, u32::MAX),
    (64, u32::MAX),
    (128, u32::MAX),
];
/// The second for an unwinding that was asked for.
pub const TRIP_COUNT: u32 = 256;
const MAX_THREADS: u32 = 64;
const MAX_STEPS: usize = 400_000;
const MAX_STEPS_OF_WHOLE_LOOPS: usize = 10_000;

/// The unwindings to try, one after the other: the one that was asked for, or deeper and deeper.
pub fn unwindings(bounds: &Bounds) -> Vec<(u32, u32)> {
    bounds.unwind.map_or_else(|| UNWINDINGS.to_vec(), |unwind| vec![(unwind, TRIP_COUNT)])
}

/// The places where its bounds end runs.
pub fn cuts_of(bounded: &Bounded<'_>) -> Vec<CutAt> {
    let mut places = Vec::new();
    for cut in bounded.cuts.iter().filter(|cut| cut.loc.is_known()) {
        let at = bounded.program.source.describe(cut.loc);
        let place = match cut.kind {
            CutKind::Loop(_) => CutAt::Loop(at),
            CutKind::Recursion(_) => CutAt::Recursion(at),
            CutKind::Threads(_) => CutAt::Threads(at),
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// The finding when a limit ends the search: that of the last completed level, if there is one.
pub fn best_so_far(last: Option<Finding>, reason: Reason) -> Result<Finding, Reason> {
    match last {
        Some(Finding::NoneWithin(coverage)) if reason.is_limit_of_search() => {
            Ok(Finding::NoneWithin(coverage.stopped_by(reason)))
        }
        _ => Err(reason),
    }
}

/// `trip_count`: how far loops are unwound if constants tell how often their bodies run.
fn limits(bounds: &Bounds, unwind: u32, trip_count: u32) -> Limits {
    Limits {
        unwind,
        unwind_at: bounds.unwind_at.clone(),
        recursion: bounds.recursion.unwrap_or(unwind),
        trip_count,
        exactly: false,
        threads: bounds.threads.unwrap_or(MAX_THREADS),
        max_steps: MAX_STEPS,
    }
}

/// Loops that constants end are unwound all the way if the result is small. If they create more threads than we can
/// have, and nobody asked for so many, they are unwound only as far as all other loops: few threads show as much as
/// dozens, in a formula that can be solved.
pub fn bound_for<'p>(
    program: &'p Program,
    bounds: &Bounds,
    unwind: u32,
    trip_count: u32,
    stop: &dyn Fn() -> bool,
) -> Result<Bounded<'p>, Refusal> {
    let limits = limits(bounds, unwind, trip_count);
    let small = MAX_STEPS_OF_WHOLE_LOOPS;
    let whole = Limits { trip_count: u32::MAX, exactly: true, max_steps: small, ..limits.clone() };
    let too_many = |bounded: &Bounded<'_>| bounds.threads.is_none() && bounded.has_too_many_threads();
    let bounded = match bound_unless(program, &whole, stop) {
        Err(Refusal::TooLarge(_)) => bound_unless(program, &limits, stop)?,
        Ok(bounded) if too_many(&bounded) => bound_unless(program, &limits, stop)?,
        bounded => bounded?,
    };
    if !too_many(&bounded) {
        return Ok(bounded);
    }
    let fewer = bound_unless(program, &Limits { trip_count: 0, ..limits }, stop)?;
    Ok(if too_many(&fewer) { bounded } else { fewer })
}
