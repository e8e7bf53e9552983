//! Bounds the programs of the test suite, and of a corpus that may lie beside the project. Refusals and
//! sizes are listed.
//!
//! By default a sample. For all of it: `SELVEDGE_CORPUS_STEP=1 cargo test --release --test corpus`. To see
//! what becomes of one program: `SELVEDGE_CORPUS_SHOW=name.c`.

use selvedge_bound::{Limits, bound, text, verify};
use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::ll::{self, Module};
use selvedge_from_llvm::{Unit, lower};
use selvedge_program::Origin;
use selvedge_requires::{Need, found};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

struct Task {
    path: PathBuf,
    data_model: DataModel,
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map_or_else(PathBuf::new, Path::to_path_buf)
}

fn own_programs() -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut folders = vec![project().join("tests").join("programs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                let narrow = folder.ends_with("ilp32");
                let data_model = if narrow { DataModel::Ilp32 } else { DataModel::Lp64 };
                tasks.push(Task { path, data_model });
            }
        }
    }
    tasks.sort_by(|a, b| a.path.cmp(&b.path));
    tasks
}

fn corpus() -> Vec<Task> {
    let Some(root) = selvedge_requires::corpus() else { return Vec::new() };
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).unwrap_or_default();
    let tasks = index.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let data_model = if *columns.get(3)? == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        Some(Task { path: root.join(columns[1]), data_model })
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
fn programs_are_bounded() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<usize>().ok());
    let step = number("SELVEDGE_CORPUS_STEP").unwrap_or(60);
    let unwind = number("SELVEDGE_CORPUS_UNWIND").unwrap_or(2) as u32;
    let Some(clang) = found(Need::Clang, Clang::find(None)) else { return };
    let (narrow, wide) = (models(&clang, DataModel::Ilp32), models(&clang, DataModel::Lp64));
    let limits = Limits { unwind, recursion: 2, threads: 16, max_steps: 2_000_000, ..Limits::default() };
    let mut refusals: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut lines = Vec::new();
    let (mut bounded_count, mut total_time) = (0, Duration::ZERO);
    let show = std::env::var("SELVEDGE_CORPUS_SHOW").ok();
    let step = if show.is_some() { 1 } else { step };
    for task in own_programs().into_iter().chain(corpus()).step_by(step) {
        let name = task.path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        if show.as_ref().is_some_and(|show| *show != name) {
            continue;
        }
        let options = ClangOptions {
            data_model: task.data_model,
            include_dirs: task.path.parent().map(Path::to_path_buf).into_iter().collect(),
            ..ClangOptions::default()
        };
        let Ok(llvm) = clang.compile(&task.path, &options) else { continue };
        let Ok(module) = ll::parse(&llvm) else { continue };
        let model = if task.data_model == DataModel::Ilp32 { &narrow } else { &wide };
        let units = [Unit { module, origin: Origin::User }, Unit { module: model.clone(), origin: Origin::Model }];
        let Ok(program) = lower(&units, &[]) else { continue };
        let program = selvedge_passes::prepare(program);
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
