//! Lowers the programs of a corpus that may lie beside the project, and checks that the results are
//! well-formed. Refusals are listed with their reasons.
//!
//! By default a sample, with the clang found by itself. For all of it, with several versions:
//! `SELVEDGE_CORPUS_STEP=1 SELVEDGE_CORPUS_CLANGS=clang-14,clang-19 cargo test --test lower_corpus`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::ll::{self, Module};
use selvedge_from_llvm::{LowerError, Unit, lower};
use selvedge_program::{Op, Origin, verify};
use selvedge_requires::Need;

struct Task {
    path: PathBuf,
    data_model: DataModel,
}

#[derive(Default)]
struct Tally {
    not_compiled: Vec<String>,
    /// Parts of programs.
    without_main: usize,
    lowered: usize,
    refused: Vec<String>,
    malformed: Vec<String>,
    /// Reachable unsupported constructs, and calls without a model: how many programs have them.
    unsupported: BTreeMap<String, usize>,
    unmodelled: BTreeMap<String, usize>,
}

fn corpus(step: usize) -> Option<Vec<Task>> {
    let root = selvedge_requires::corpus()?;
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).ok()?;
    let tasks = index.lines().skip(1).step_by(step).filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let data_model = if *columns.get(3)? == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        Some(Task { path: root.join(columns[1]), data_model })
    });
    Some(tasks.collect())
}

fn models(clang: &Clang, data_model: DataModel) -> Module {
    let options = ClangOptions { data_model, ..ClangOptions::default() };
    let text = clang
        .compile_source(
            "models",
            &selvedge_models::translation_unit(&selvedge_models::World::default(), |_| true),
            &options,
        )
        .unwrap_or_else(|e| panic!("the models do not compile: {e}"));
    ll::parse(&text).unwrap_or_else(|e| panic!("the models cannot be read: {e}"))
}

fn check(clang: &Clang, task: &Task, model: &Module, tally: &Mutex<Tally>) {
    let name = task.path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let dir = task.path.parent().map(Path::to_path_buf);
    let options = ClangOptions {
        data_model: task.data_model,
        include_dirs: dir.into_iter().collect(),
        ..ClangOptions::default()
    };
    let text = match clang.compile(&task.path, &options) {
        Ok(text) => text,
        Err(error) => {
            let first = error.to_string().lines().nth(1).unwrap_or("").to_string();
            tally.lock().expect("no test panics while it holds this").not_compiled.push(format!("{name}: {first}"));
            return;
        }
    };
    let result = ll::parse(&text).map_err(|e| e.to_string()).and_then(|module| {
        let units = [Unit { module, origin: Origin::User }, Unit { module: model.clone(), origin: Origin::Model }];
        lower(&units, &[]).map_err(|e| e.to_string())
    });
    if result.as_ref().is_err_and(|e| *e == LowerError::NoMain.to_string()) {
        tally.lock().expect("no test panics while it holds this").without_main += 1;
        return;
    }
    let problems = result.as_ref().map_or(vec![], verify::verify);
    let mut tally = tally.lock().expect("no test panics while it holds this");
    match result {
        Ok(program) => {
            tally.lowered += 1;
            for problem in problems.iter().take(3) {
                let function = problem.function.map_or("", |f| &program.functions[f].name);
                tally.malformed.push(format!("{name}: {function}: {problem}"));
            }
            let ops = program.functions.values().flat_map(|f| f.blocks.values()).flat_map(|b| &b.insts);
            for inst in ops {
                if let Op::Unsupported { what } = &inst.op {
                    *tally.unsupported.entry(what.chars().take(100).collect()).or_default() += 1;
                }
            }
            for function in &program.unmodelled {
                *tally.unmodelled.entry(function.name.clone()).or_default() += 1;
            }
        }
        Err(reason) => tally.refused.push(format!("{name}: {reason}")),
    }
}

fn run(clang: &Clang, tasks: &[Task]) -> Tally {
    let narrow = models(clang, DataModel::Ilp32);
    let wide = models(clang, DataModel::Lp64);
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let model = if task.data_model == DataModel::Ilp32 { &narrow } else { &wide };
                    check(clang, task, model, &tally);
                }
            });
        }
    });
    tally.into_inner().expect("no test panics while it holds this")
}

fn print_counts(what: &str, counts: &BTreeMap<String, usize>) {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    println!("  {what}: {}", sorted.len());
    for (name, count) in sorted.into_iter().take(40) {
        println!("    {count:5} {name}");
    }
}

#[test]
fn the_corpus_is_lowered() {
    let step = std::env::var("SELVEDGE_CORPUS_STEP").ok().and_then(|s| s.parse().ok()).unwrap_or(40);
    let Some(tasks) = corpus(step) else { return };
    let clangs = match std::env::var("SELVEDGE_CORPUS_CLANGS") {
        Ok(names) => names.split(',').filter_map(|name| Clang::at(Path::new(name)).ok()).collect(),
        Err(_) => Clang::find(None).into_iter().collect::<Vec<_>>(),
    };
    if clangs.is_empty() {
        selvedge_requires::skip(Need::Clang);
    }
    for clang in clangs {
        let tally = run(&clang, &tasks);
        println!(
            "clang {}: {} lowered, {} refused, {} without main, {} do not compile",
            clang.version,
            tally.lowered,
            tally.refused.len(),
            tally.without_main,
            tally.not_compiled.len()
        );
        tally.not_compiled.iter().for_each(|message| println!("  does not compile: {message}"));
        tally.refused.iter().for_each(|refusal| println!("  refused: {refusal}"));
        tally.malformed.iter().take(60).for_each(|problem| println!("  malformed: {problem}"));
        print_counts("unsupported", &tally.unsupported);
        print_counts("unmodelled", &tally.unmodelled);
        assert!(tally.malformed.is_empty(), "{} rules broken", tally.malformed.len());
        let total = tally.lowered + tally.refused.len();
        assert!(tally.lowered * 100 >= total * 97, "only {} of {total} lowered", tally.lowered);
    }
}
