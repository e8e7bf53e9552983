//! The analysis of the programs of the test suite, and of a corpus that may lie beside the project: how long
//! it takes, and how many visible steps each reduction leaves.
//!
//! By default a sample. For all of it: `SELVEDGE_CORPUS_STEP=1 cargo test --release --test corpus`.

use selvedge_analyze::{Interference, PointsTo, Reductions};
use selvedge_bound::{Limits, bound};
use selvedge_c_programs::{Compiler, corpus, own};
use selvedge_program::{Properties, Property};
use std::time::{Duration, Instant};

#[test]
fn reductions_only_ever_remove_visible_steps() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<usize>().ok());
    let step = number("SELVEDGE_CORPUS_STEP").unwrap_or(60);
    let unwind = number("SELVEDGE_CORPUS_UNWIND").unwrap_or(2) as u32;
    let filter = std::env::var("SELVEDGE_CORPUS_ONLY").unwrap_or_default();
    let Some(compiler) = Compiler::find() else { return };
    let limits = Limits { unwind, recursion: 2, threads: 16, max_steps: 400_000, ..Limits::default() };
    let checked: Properties = [Property::Assertion].into_iter().collect();
    let mut lines = Vec::new();
    let mut slowest = Duration::ZERO;
    for source in own(&["tests/programs", "examples"]).into_iter().chain(corpus()).step_by(step) {
        let name = source.name();
        if !name.contains(&filter) {
            continue;
        }
        let Ok(program) = compiler.source(&source) else { continue };
        let Ok(bounded) = bound(&program, &limits) else { continue };
        let steps = bounded.steps();
        if std::env::var("SELVEDGE_CORPUS_VERBOSE").is_ok() {
            println!("{name}: {steps} steps, {} threads, {} objects", bounded.threads.len(), bounded.objects.len());
        }
        let before = Instant::now();
        let points_to = PointsTo::new(&bounded);
        let pointers = before.elapsed();
        if std::env::var("SELVEDGE_CORPUS_VERBOSE").is_ok() {
            println!("  points to {pointers:?}");
        }
        let facts = Interference::new(&bounded, &points_to, Reductions::ALL.checking(checked));
        let time = before.elapsed();
        slowest = slowest.max(time);
        if std::env::var("SELVEDGE_CORPUS_VERBOSE").is_ok() {
            println!("  all {time:?}");
        }
        let counts = Interference::counts(&bounded, &points_to, Reductions::ALL.checking(checked));
        assert!(counts.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{name}: {counts:?}");
        assert_eq!(counts.last().map(|last| last.1), Some(facts.count()), "{name}");
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count:6}")).collect();
        let line = format!(
            "{steps:7} steps {:3} threads {:6.3} s {:6.3} s  {}  {name}",
            bounded.threads.len(),
            pointers.as_secs_f64(),
            time.as_secs_f64(),
            counts.join(" "),
        );
        lines.push((steps, line));
        if std::env::var("SELVEDGE_CORPUS_SHOW").is_ok() {
            show(&bounded, &facts);
        }
    }
    lines.sort();
    lines.iter().for_each(|(_, line)| println!("{line}"));
    println!("{} programs, slowest {:.3} s", lines.len(), slowest.as_secs_f64());
    assert!(!lines.is_empty());
}

/// The visible steps, for people who look at precision.
fn show(bounded: &selvedge_bound::Bounded<'_>, facts: &Interference) {
    for (number, thread) in bounded.threads.iter().enumerate() {
        for (block, body) in &thread.blocks {
            println!("thread {number} {block} live to {}", facts.is_live(number, block, body.steps.len()));
            for (step, body) in body.steps.iter().enumerate() {
                let mark = if !facts.is_live(number, block, step) {
                    "dead"
                } else if facts.visible(number, block, step) {
                    "VIS "
                } else {
                    "    "
                };
                println!(
                    "{mark} {} {:?} {:?}",
                    bounded.program.source.describe(body.origin.user),
                    body.op,
                    facts.accesses(number, block, step)
                );
            }
            println!("     {:?}", body.term);
        }
    }
}
