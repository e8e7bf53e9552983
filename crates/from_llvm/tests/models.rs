//! The models' index and their includes, against what the compiler says.

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::ll::{self, Linkage, Module};
use std::collections::{BTreeMap, BTreeSet};

fn module(clang: &Clang, data_model: DataModel, wanted: impl Fn(&str) -> bool) -> Module {
    let options = ClangOptions { data_model, ..ClangOptions::default() };
    let text = clang
        .compile_source(
            "models",
            &selvedge_models::translation_unit(&selvedge_models::World::default(), wanted),
            &options,
        )
        .unwrap();
    ll::parse(&text).unwrap()
}

fn defined(module: &Module) -> BTreeSet<&str> {
    let functions = module.functions.iter().filter(|f| !f.is_declaration()).map(|f| (&*f.name, f.linkage));
    let globals = module.globals.iter().filter(|g| g.init.is_some()).map(|g| (&*g.name, g.linkage));
    let aliases = module.aliases.iter().map(|alias| (&*alias.name, alias.linkage));
    let all = functions.chain(globals).chain(aliases);
    all.filter(|(_, linkage)| !matches!(linkage, Linkage::Internal | Linkage::Private)).map(|(name, _)| name).collect()
}

#[test]
fn the_index_names_all_that_is_defined_and_nothing_else() {
    let clang = Clang::find(None).unwrap();
    let (always, all) = (module(&clang, DataModel::Lp64, |_| false), module(&clang, DataModel::Lp64, |_| true));
    let listed: BTreeSet<&str> = selvedge_models::index().flat_map(|(_, names)| names).collect();
    let defined: BTreeSet<&str> = &defined(&all) - &defined(&always);
    let missing: Vec<_> = defined.difference(&listed).collect();
    let extra: Vec<_> = listed.difference(&defined).collect();
    assert!(missing.is_empty() && extra.is_empty(), "to be added: {missing:?}, to be removed: {extra:?}");
}

/// Whatever a program wants of a file, the file and those that it includes define it, and call nothing that is defined
/// elsewhere.
#[test]
fn every_file_is_complete_with_what_it_includes() {
    let clang = Clang::find(None).unwrap();
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let homes: BTreeMap<&str, &str> =
            selvedge_models::index().flat_map(|(file, names)| names.map(move |name| (name, file))).collect();
        // Some of the names in the index are there on 64 bits only.
        let whole = module(&clang, data_model, |_| true);
        let there = defined(&whole);
        let everything: BTreeSet<&str> =
            whole.functions.iter().filter(|f| !f.is_declaration()).map(|function| &*function.name).collect();
        for (file, names) in selvedge_models::index() {
            let part = module(&clang, data_model, |name| homes.get(name) == Some(&file));
            let defined = defined(&part);
            let names: Vec<&str> = names.filter(|name| there.contains(name)).collect();
            assert!(!names.is_empty(), "{file}");
            names.iter().for_each(|name| assert!(defined.contains(name), "{file} does not define {name}"));
            let lacks: Vec<&str> =
                part.undefined().filter(|name| everything.contains(name) || homes.contains_key(name)).collect();
            assert!(lacks.is_empty(), "{file} needs files that define {lacks:?}");
        }
    }
}
