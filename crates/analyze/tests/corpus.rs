//! The analysis of the programs of the test suite, and of a corpus that may lie beside the project: how long
//! it takes, and how many visible steps each reduction leaves.
//!
//! By default a sample. For all of it: `SELVEDGE_CORPUS_STEP=1 cargo test --release --test corpus`.

use selvedge_analyze::{Interference, PointsTo, Reductions};
use selvedge_bound::{Limits, bound};
use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::ll::{self, Module};
use selvedge_from_llvm::{Unit, lower};
use selvedge_program::{Origin, Properties, Property};
use selvedge_requires::{Need, found};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map_or_else(PathBuf::new, Path::to_path_buf)
}

fn own_programs() -> Vec<(PathBuf, DataModel)> {
    let mut tasks = Vec::new();
    let mut folders = vec![project().join("tests").join("programs"), project().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                let data_model = if folder.ends_with("ilp32") { DataModel::Ilp32 } else { DataModel::Lp64 };
                tasks.push((path, data_model));
            }
        }
    }
    tasks.sort_by(|a, b| a.0.cmp(&b.0));
    tasks
}

fn corpus() -> Vec<(PathBuf, DataModel)> {
    let Some(root) = selvedge_requires::corpus() else { return Vec::new() };
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).unwrap_or_default();
    let tasks = index.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let data_model = if *columns.get(3)? == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        Some((root.join(columns[1]), data_model))
    });
    tasks.collect()
}

fn models(clang: &Clang, data_model: DataModel) -> Module {
    let options = ClangOptions { data_model, ..ClangOptions::default() };
    let text = clang
        .compile_source(
            "models",
            &selvedge_models::translation_unit(&selvedge_models::World::default(), |_| true),
            &options,
        )
        .unwrap();
    ll::parse(&text).unwrap()
}

#[test]
fn reductions_only_ever_remove_visible_steps() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<usize>().ok());
    let step = number("SELVEDGE_CORPUS_STEP").unwrap_or(60);
    let unwind = number("SELVEDGE_CORPUS_UNWIND").unwrap_or(2) as u32;
    let filter = std::env::var("SELVEDGE_CORPUS_ONLY").unwrap_or_default();
    let Some(clang) = found(Need::Clang, Clang::find(None)) else { return };
    let (narrow, wide) = (models(&clang, DataModel::Ilp32), models(&clang, DataModel::Lp64));
    let limits = Limits { unwind, recursion: 2, threads: 16, max_steps: 400_000, ..Limits::default() };
    let checked: Properties = [Property::Assertion].into_iter().collect();
    let mut lines = Vec::new();
    let mut slowest = Duration::ZERO;
    for (path, data_model) in own_programs().into_iter().chain(corpus()).step_by(step) {
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        if !name.contains(&filter) {
            continue;
        }
        let options = ClangOptions {
            data_model,
            include_dirs: path.parent().map(Path::to_path_buf).into_iter().collect(),
            ..ClangOptions::default()
        };
        let Ok(text) = clang.compile(&path, &options) else { continue };
        let Ok(module) = ll::parse(&text) else { continue };
        let model = if data_model == DataModel::Ilp32 { &narrow } else { &wide };
        let units = [Unit { module, origin: Origin::User }, Unit { module: model.clone(), origin: Origin::Model }];
        let Ok(program) = lower(&units, &[]) else { continue };
        let program = selvedge_passes::prepare(program);
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
