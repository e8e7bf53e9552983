//! Bounds the programs of the test suite, and of a corpus that may lie beside the project. Refusals and
//! sizes are listed.
//!
//! By default a sample. For all of it: `SELVEDGE_CORPUS_STEP=1 cargo test --release --test corpus`. To see
//! what becomes of one program: `SELVEDGE_CORPUS_SHOW=name.c`.

use selvedge_bound::{Limits, bound, text, verify};
use selvedge_c_programs::{Compiler, corpus, own};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

#[test]
fn programs_are_bounded() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<usize>().ok());
    let step = number("SELVEDGE_CORPUS_STEP").unwrap_or(60);
    let unwind = number("SELVEDGE_CORPUS_UNWIND").unwrap_or(2) as u32;
    let Some(compiler) = Compiler::find() else { return };
    let limits = Limits { unwind, recursion: 2, threads: 16, max_steps: 2_000_000, ..Limits::default() };
    let mut refusals: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut lines = Vec::new();
    let (mut bounded_count, mut total_time) = (0, Duration::ZERO);
    let show = std::env::var("SELVEDGE_CORPUS_SHOW").ok();
    let step = if show.is_some() { 1 } else { step };
    for source in own(&["tests/programs"]).into_iter().chain(corpus()).step_by(step) {
        let name = source.name();
        if show.as_ref().is_some_and(|show| *show != name) {
            continue;
        }
        let Ok(program) = compiler.source(&source) else { continue };
        let before = Instant::now();
        let result = bound(&program, &limits);
        let time = before.elapsed();
        total_time += time;
        match result {
            Err(refusal) => {
                let text = refusal.to_string();
                let kind = text.split(" at ").next().unwrap_or("").to_string();
                refusals.entry(kind).or_default().push(format!("{name} ({:.1} s): {text}", time.as_secs_f64()));
            }
            Ok(bounded) => {
                bounded_count += 1;
                if show.is_some() {
                    println!("{bounded}");
                }
                let problems = verify(&bounded);
                assert!(problems.is_empty(), "{name}: {problems:?}");
                let read = text::program(&text::print(&bounded)).expect("a program");
                assert!(
                    text::parse(&text::print(&bounded), &read).as_ref() == Ok(&bounded),
                    "{name} does not read back"
                );
                let steps = bounded.steps();
                let blocks: usize = bounded.threads.iter().map(|t| t.blocks.len()).sum();
                let (threads, cuts) = (bounded.threads.len(), bounded.cuts.len());
                lines.push((steps, format!(
                    "{steps:8} steps {blocks:7} blocks {threads:3} threads {:6} objects {cuts:3} cuts {:7.3} s  {name}",
                    bounded.objects.len(),
                    time.as_secs_f64()
                )));
            }
        }
    }
    lines.sort();
    lines.iter().for_each(|(_, line)| println!("{line}"));
    println!("{bounded_count} bounded, {:.1} s", total_time.as_secs_f64());
    for (kind, all) in refusals {
        println!("{} refused: {kind}", all.len());
        all.iter().for_each(|text| println!("    {text}"));
    }
    assert!(bounded_count > 0);
}
