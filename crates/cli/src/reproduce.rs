//! `selvedge reproduce`: a native program that runs a violation again.

use crate::args::{Given, LoadArgs, ReproduceArgs};
use crate::failure::Failure;
use crate::{console, harness, output, replay};
use selvedge_from_llvm::clang::DataModel;
use selvedge_report::reproduce::{Unit, files};
use selvedge_vm::replay::{Replayed, replay as run};
use std::path::Path;

pub fn reproduce(mut args: Box<ReproduceArgs>, mut given: Given) -> Result<u8, Failure> {
    let schedule = replay::schedule(&args.replay.schedule)?;
    let (program, properties) = replay::program(&mut args.replay, &mut given)?;
    let trace = match run(&program, properties, &schedule) {
        Replayed::Violation(trace) => trace,
        Replayed::Nothing { why } => {
            return Err(Failure::BadInput(format!("the schedule shows no violation: {why}")));
        }
    };
    let load = &args.replay.program.load;
    let cannot = |why| Failure::BadInput(format!("this run cannot be reproduced natively: {why}"));
    let folder = &args.output;
    let mut files = files(&trace, &units(load, folder)?, &load.world.arguments).map_err(cannot)?;
    if let Some(harness) = load.harness.made.get() {
        files.push((harness::NAME, harness.text.clone()));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Output(format!("cannot make {}: {error}", folder.display())))?;
    files.iter().try_for_each(|(name, text)| output::write(&folder.join(name), text))?;
    let folder = folder.display();
    console::print(&format!("written: {folder}\nrun it: make -C {folder} run\ndebug it: make -C {folder} gdb\n"))?;
    Ok(0)
}

/// The user's files with the flags of their build, and the harness in its place, which is to lie in the folder.
fn units(load: &LoadArgs, folder: &Path) -> Result<Vec<Unit>, Failure> {
    let sources = harness::sources(load)?;
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        path.display().to_string()
    };
    let mut common = sources.args.clone();
    common.extend(load.include_dirs.iter().map(|folder| format!("-I{}", absolute(folder))));
    common.extend(load.defines.iter().map(|define| format!("-D{define}")));
    common.extend(load.undefines.iter().map(|name| format!("-U{name}")));
    common.extend(load.std.iter().map(|standard| format!("-std={standard}")));
    common.extend((sources.data_model == DataModel::Ilp32).then(|| "-m32".to_string()));
    let units = sources.files.iter().map(|file| {
        let is_c = file.extension().is_some_and(|extension| extension == "c" || extension == "i");
        if !is_c {
            return Err(Failure::BadInput(format!("{} is no C, which a native program needs", file.display())));
        }
        let own = sources.file_args.iter().filter(|(of, _)| of == file).flat_map(|(_, flags)| flags.clone());
        let own = own.filter(|flag| !harness::is_about_names(flag));
        let is_harness = load.harness.made.get().is_some_and(|harness| harness.is_at(file));
        let path = if is_harness { absolute(&folder.join(harness::NAME)) } else { absolute(file) };
        Ok(Unit { path, flags: common.iter().cloned().chain(own).collect() })
    });
    units.collect()
}
