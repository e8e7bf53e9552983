//! Reads programs in text form (`selvedge check FILE --emit program`), looks for proofs of their assertions, and tells
//! which technique found one in what time: `prove SECONDS FILE…`.

use selvedge_engine::Control;
use selvedge_program::{Properties, Property, text};
use selvedge_prove::{Prove, Proved, Unproved, attempt, extract::extract};
use std::time::{Duration, Instant};

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: u64 = args.next().and_then(|first| first.parse().ok()).expect("how many seconds each may take");
    for file in args {
        let program = std::fs::read_to_string(&file).expect("a file that can be read");
        let program = text::parse(&program).unwrap_or_else(|error| panic!("{file}: {error}"));
        let start = Instant::now();
        let control = Control { time_limit: Some(Duration::from_secs(seconds)), ..Control::default() };
        let came = match extract(&program, Properties::NONE.with(Property::Assertion)) {
            Err(reason) => format!("not extracted: {reason}"),
            Ok(mut system) => match attempt(&mut system, Prove::SOLVER, &control) {
                Ok(Proved { technique, invariant, checked, .. }) => {
                    format!("proved by {technique}, level {}, {} obligations", invariant.level(), checked.obligations)
                }
                Err(Unproved::Reason(reason)) => format!("open: {reason}"),
                Err(Unproved::Wrong { technique, refuted }) => format!("WRONG: {technique}: {refuted}"),
            },
        };
        println!("{file}\t{:.2} s\t{came}", start.elapsed().as_secs_f64());
    }
}
