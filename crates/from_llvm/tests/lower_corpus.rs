//! Lowers the programs of a corpus that may lie beside the project, and checks that the results are
//! well-formed. Refusals are listed with their reasons.
//!
//! By default a sample, with the clang found by itself. For all of it, with several versions:
//! `SELVEDGE_CORPUS_STEP=1 SELVEDGE_CORPUS_CLANGS=clang-14,clang-19 cargo test --test lower_corpus`

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use selvedge_c_programs::{Compiler, Source, corpus};
use selvedge_from_llvm::clang::Clang;
use selvedge_from_llvm::{LowerError, ll};
use selvedge_program::{Op, verify};
use selvedge_requires::Need;

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

fn check(compiler: &Compiler, source: &Source, tally: &Mutex<Tally>) {
    let name = source.name();
    let text = match compiler.llvm(source) {
        Ok(text) => text,
        Err(error) => {
            let first = error.lines().nth(1).unwrap_or("").to_string();
            tally.lock().expect("no test panics while it holds this").not_compiled.push(format!("{name}: {first}"));
            return;
        }
    };
    let module = ll::parse(&text).map_err(|e| e.to_string());
    let result = module.and_then(|module| compiler.lower(module, source.data_model).map_err(|e| e.to_string()));
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

fn run(compiler: &Compiler, sources: &[Source]) -> Tally {
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(compiler, source, &tally);
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
    let sources: Vec<Source> = corpus().into_iter().step_by(step).collect();
    if sources.is_empty() {
        return;
    }
    let clangs = match std::env::var("SELVEDGE_CORPUS_CLANGS") {
        Ok(names) => names.split(',').filter_map(|name| Clang::at(Path::new(name)).ok()).collect(),
        Err(_) => Clang::find(None).into_iter().collect::<Vec<_>>(),
    };
    if clangs.is_empty() {
        selvedge_requires::skip(Need::Clang);
    }
    for compiler in clangs.into_iter().map(Compiler::with) {
        let tally = run(&compiler, &sources);
        println!(
            "clang {}: {} lowered, {} refused, {} without main, {} do not compile",
            compiler.clang.version,
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
