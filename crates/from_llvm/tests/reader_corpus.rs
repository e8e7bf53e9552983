//! Reads a whole corpus through every clang that is installed: whatever clang
//! compiles must be read. SELVEDGE_CORPUS names a folder with an `INDEX.tsv`
//! (set, path, expected verdict, data model, …); without it, nothing is done.

use std::path::{Path, PathBuf};

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel, FrontEndError};
use selvedge_from_llvm::ll;

#[test]
fn everything_clang_compiles_is_read() {
    let Some(corpus) = std::env::var_os("SELVEDGE_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: SELVEDGE_CORPUS is not set");
        return;
    };
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("an INDEX.tsv");
    for name in ["clang-14", "clang-16", "clang-19"] {
        let Ok(clang) = Clang::at(Path::new(name)) else {
            eprintln!("skipped: no {name}");
            continue;
        };
        let (mut read, mut not_c) = (0, 0);
        let (mut refused, mut unread) = (Vec::new(), Vec::new());
        for line in index.lines().skip(1) {
            let mut columns = line.split('\t').skip(1);
            let (Some(path), Some(model)) = (columns.next(), columns.nth(1)) else { continue };
            let data_model = if model == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
            let options = ClangOptions { data_model, ..ClangOptions::default() };
            match clang.compile(&corpus.join(path), &options) {
                Ok(text) => match ll::parse(&text) {
                    Ok(_) => read += 1,
                    Err(error) => unread.push(format!("{path}: {error}")),
                },
                Err(FrontEndError::Unsupported { .. }) => not_c += 1,
                Err(error) => {
                    let message = error.to_string();
                    let reason = message.lines().find(|l| l.contains("error:"));
                    refused.push(reason.unwrap_or(&message).to_owned());
                }
            }
        }
        let missing = refused.iter().filter(|r| r.contains("file not found")).count();
        eprintln!(
            "{name}: {read} read, {not_c} not C, {missing} include a missing file, {} refused:",
            refused.len() - missing
        );
        refused.iter().filter(|r| !r.contains("file not found")).for_each(|r| eprintln!("  {r}"));
        assert!(unread.is_empty(), "{name}: {unread:#?}");
    }
}
