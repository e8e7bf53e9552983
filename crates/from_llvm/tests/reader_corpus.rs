//! Reads a whole corpus through every clang that is installed: whatever clang
//! compiles must be read. SELVEDGE_CORPUS names a folder with an `INDEX.tsv`
//! (set, path, expected verdict, data model, …); without it, nothing is done.

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel, FrontEndError};
use selvedge_from_llvm::ll;
use selvedge_requires::Need;

#[test]
fn everything_clang_compiles_is_read() {
    if std::env::var_os("SELVEDGE_CORPUS").is_none() {
        selvedge_requires::skip_because(Need::Corpus, "SELVEDGE_CORPUS is not set, for it takes long");
        return;
    }
    let Some(corpus) = selvedge_requires::corpus() else { return };
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("an INDEX.tsv");
    for clang in Clang::installed() {
        let name = format!("clang {}", clang.version);
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
