//! Every engine ends when it is told to, wherever it is: the flag is set before it begins, or while it works, by
//! whoever it tells how far it is. Nothing is measured: an engine that does not listen keeps the test from ending.

use selvedge_engine::watchdog::supervise;
use selvedge_engine::{Control, Engine, Task};
use selvedge_engines::auto::Auto;
use selvedge_program::{Finding, Program, Reason, text};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::{Explicit, Memory};
use selvedge_search::walks::Walks;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::{Strategy, Tree};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Two threads that never end, and a global that takes all values.
const ENDLESS: &str = "program lp64 entry @main
global @n 8 align 8
fn @work(%p: ptr, %q: ptr) {
  i64 %r
entry:
  jump again
again:
  %r = load @n
  %r = add %r, 1i64
  store i64 %r to @n
  jump again
}
fn @main() -> i32 {
  i32 %t
  i64 %r
entry:
  %t = spawn(@work, null, null)
  %t = spawn(@work, null, null)
  jump again
again:
  %r = load @n
  %r = mul %r, 3i64
  store i64 %r to @n
  jump again
}
";

fn engines() -> Vec<Box<dyn Engine>> {
    let explicit = |memory| Explicit { memory, ..Explicit::ONE };
    vec![
        Box::new(explicit(Memory::Exact)),
        Box::new(explicit(Memory::Compact)),
        Box::new(Explicit { sleep_sets: true, ..Explicit::ONE }),
        Box::new(Lazy::default()),
        Box::new(Auto { explicit: Explicit::ONE, ..Auto::default() }),
        Box::new(Dpor::default()),
        Box::new(Walks::default()),
        Box::new(Tree { strategy: Strategy::Lazy, ..Tree::default() }),
        Box::new(Tree { strategy: Strategy::Record, ..Tree::default() }),
    ]
}

fn program() -> Program {
    text::parse(ENDLESS).expect("a program")
}

#[test]
fn whoever_is_told_before_it_begins_does_not_begin() {
    for engine in engines() {
        let control = Control::default();
        control.stop.store(true, Ordering::Relaxed);
        let finding = engine.check(&program(), &Task::default(), &control).finding;
        assert_eq!(finding, Finding::GaveUp(Reason::Interrupted), "{}", engine.name());
    }
}

/// The flag is set by the watcher, the first time that it is told something, with a reason.
#[test]
fn whoever_is_told_while_it_works_ends_and_says_why() {
    for engine in engines() {
        let mut control = Control::default();
        let reason = Reason::MemoryLimit { megabytes: 7 };
        let (teller, why) = (control.clone(), reason.clone());
        control.watcher = Some(Arc::new(move |_| teller.stop_for(why.clone())));
        let name = engine.name();
        let finding =
            supervise(name, &Control::default(), move || engine.check(&program(), &Task::default(), &control));
        // The answer has everything that was completed, and the reason why there is no more.
        let why = match finding.expect("it ends").finding {
            Finding::GaveUp(reason) => Some(reason),
            Finding::NoneWithin(coverage) => coverage.stopped_by.map(|reason| *reason),
            _ => None,
        };
        assert_eq!(why, Some(reason), "{name}");
    }
}

/// Transitions between two looks at the clock, at the most. Each is worth at least 64 instructions.
const FAR: u64 = 5_000;

#[test]
fn searches_look_at_the_clock_again_and_again() {
    let explicit = |memory| Explicit { memory, ..Explicit::ONE };
    let searches: [Box<dyn Engine>; 4] = [
        Box::new(explicit(Memory::Exact)),
        Box::new(explicit(Memory::Compact)),
        Box::new(Dpor::default()),
        Box::new(Walks::default()),
    ];
    for engine in searches {
        let looks: Arc<Mutex<Vec<u64>>> = Arc::default();
        let mut control = Control::default();
        let (teller, noted) = (control.clone(), Arc::clone(&looks));
        control.watcher = Some(Arc::new(move |progress| {
            let mut looks = noted.lock().expect("nobody panics with it");
            looks.push(progress.transitions);
            if looks.len() == 20 {
                teller.stop_for(Reason::Interrupted);
            }
        }));
        engine.check(&program(), &Task::default(), &control);
        let looks = looks.lock().expect("nobody panics with it");
        let farthest = looks.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max();
        assert!(farthest.is_some_and(|farthest| farthest <= FAR), "{}: {looks:?}", engine.name());
    }
}
