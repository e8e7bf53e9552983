//! Every reader of text, called with arbitrary bytes.
//!
//! A reader refuses what it cannot read; it never panics, and what it accepts it prints and reads back unchanged.
//! `fuzz/` gives these functions to libFuzzer (`make fuzz`, or `cargo fuzz run NAME`); the tests of this crate run
//! them over the corpus in `fuzz/corpus` and random edits of it.

use selvedge_analyze::Facts;
use selvedge_bound::text as bound;
use selvedge_from_llvm::{Lifetimes, Unit, ll, lower};
use selvedge_passes::prepare;
use selvedge_program::instances::Record;
use selvedge_program::verify::verify;
use selvedge_program::{EntityRef, FuncId, Origin, Properties, Schedule, text};
use selvedge_swarm::records::Parameters;
use selvedge_swarm::{Floor, Tiling};
use selvedge_symbolic::lazy::instances::ThreadPoints;
use selvedge_vm::Sharing;

/// The name of a corpus, and the reader that it is for.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: [Target; 8] = [
    ("ll", ll),
    ("program", program),
    ("schedule", schedule),
    ("formula", formula),
    ("sharing", sharing),
    ("tiling", tiling),
    ("records", records),
    ("bounded", bounded),
];

/// LLVM's textual IR: read, linked, translated and simplified; what comes out is well-formed.
pub fn ll(bytes: &[u8]) {
    let Ok(module) = ll::parse(&String::from_utf8_lossy(bytes)) else { return };
    let Ok(program) = lower(&[Unit { module, origin: Origin::User, lifetimes: Lifetimes::Functions }], &[]) else {
        return;
    };
    let prepared = prepare(program);
    let problems = verify(&prepared);
    assert!(problems.is_empty(), "{}\n{}", problems[0], text::print(&prepared));
}

/// The text form of programs.
pub fn program(bytes: &[u8]) {
    let Ok(program) = text::parse(&String::from_utf8_lossy(bytes)) else { return };
    let printed = text::print(&program);
    match text::parse(&printed) {
        Ok(again) => assert_eq!(again, program, "{printed}"),
        Err(error) => panic!("{error}\n{printed}"),
    }
    if verify(&program).is_empty() {
        let prepared = prepare(program);
        let problems = verify(&prepared);
        assert!(problems.is_empty(), "{}\n{}", problems[0], text::print(&prepared));
    }
}

/// The text form of bounded programs. What is read can be analysed.
pub fn bounded(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(program) = bound::program(&text) else { return };
    if !verify(&program).is_empty() {
        return;
    }
    let Ok(bounded) = bound::parse(&text, &program) else { return };
    let printed = bound::print(&bounded);
    match bound::parse(&printed, &program) {
        Ok(again) => assert_eq!(again, bounded, "{printed}"),
        Err(error) => panic!("{error}\n{printed}"),
    }
    Facts::new(&bounded, Properties::default());
}

pub fn schedule(bytes: &[u8]) {
    let Ok(schedule) = String::from_utf8_lossy(bytes).parse::<Schedule>() else { return };
    assert_eq!(schedule.to_string().parse(), Ok(schedule));
}

/// LTL.
pub fn formula(bytes: &[u8]) {
    let _ = selvedge_ltl::parse(&String::from_utf8_lossy(bytes), &mut Vec::new());
}

/// The text form of knowledge about sharing.
pub fn sharing(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // Counts are as large as the memory that they describe.
    if text.split('*').skip(1).any(|after| after.bytes().take_while(u8::is_ascii_digit).count() > 6) {
        return;
    }
    let Ok(sharing) = text.parse::<Sharing>() else { return };
    let printed = sharing.to_text();
    match printed.parse::<Sharing>() {
        Ok(again) => assert_eq!(again.to_text(), printed),
        Err(error) => panic!("{error}\n{printed}"),
    }
}

/// Tilings of a program with two threads and a main thread that waits for them.
pub fn tiling(bytes: &[u8]) {
    let points = |count: usize| ThreadPoints {
        start: FuncId::new(0),
        blocking: (0..count).map(|point| point % 7 == 6).collect(),
        locs: Vec::new(),
        segments: Vec::new(),
    };
    let floor = Floor::new(&[points(3), points(40), points(25)]);
    let Ok(tiling) = Tiling::parse(&String::from_utf8_lossy(bytes), &floor) else { return };
    floor.allowed(&tiling.threads);
    assert_eq!(Tiling::parse(&tiling.text(), &floor).as_ref().map(|again| &again.threads), Ok(&tiling.threads));
}

/// The lines of a swarm's records, and what they are about.
pub fn records(bytes: &[u8]) {
    if let Ok(record) = serde_json::from_slice::<Record>(bytes) {
        let line = serde_json::to_string(&record).expect("records are plain data");
        assert_eq!(serde_json::from_str::<Record>(&line).ok().map(|again| again.instance), Some(record.instance));
    }
    let _ = serde_json::from_slice::<Parameters>(bytes);
}
