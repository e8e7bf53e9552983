//! The models: pthreads, C11 threads, semaphores and the parts of libc that programs call, written in C
//! over the intrinsics of `selvedge.h`, and carried inside the binary as text.
//!
//! Those that a program needs are compiled with it, for its word size, as one translation unit: one start of the
//! compiler instead of twenty. A file includes the files that it needs itself. Functions and objects that a program
//! does not reach are dropped by the front end. A definition in the program wins over a model of the same name; so the
//! models call one another only through static functions.

#![forbid(unsafe_code)]

mod cxx;
mod world;

pub use cxx::{CxxModel, cxx_models};
pub use world::{AnyArguments, Arguments, World};

/// `selvedge.h`: the intrinsics, also for models that users write.
pub static HEADER: &str = include_str!("../c/selvedge.h");

/// File names and texts, in the order of inclusion; the headers first.
pub static FILES: &[(&str, &str)] = &[
    ("selvedge.h", HEADER),
    ("internal.h", include_str!("../c/internal.h")),
    ("threads.c", include_str!("../c/threads.c")),
    ("attributes.c", include_str!("../c/attributes.c")),
    ("mutex.c", include_str!("../c/mutex.c")),
    ("cond.c", include_str!("../c/cond.c")),
    ("rwlock.c", include_str!("../c/rwlock.c")),
    ("initialised.c", include_str!("../c/initialised.c")),
    ("barrier.c", include_str!("../c/barrier.c")),
    ("spin.c", include_str!("../c/spin.c")),
    ("once.c", include_str!("../c/once.c")),
    ("keys.c", include_str!("../c/keys.c")),
    ("semaphore.c", include_str!("../c/semaphore.c")),
    ("c11threads.c", include_str!("../c/c11threads.c")),
    ("futex.c", include_str!("../c/futex.c")),
    ("math.c", include_str!("../c/math.c")),
    ("complex.c", include_str!("../c/complex.c")),
    ("decimals.c", include_str!("../c/decimals.c")),
    ("memory.c", include_str!("../c/memory.c")),
    ("addresses.c", include_str!("../c/addresses.c")),
    ("mman.c", include_str!("../c/mman.c")),
    ("string.c", include_str!("../c/string.c")),
    ("search.c", include_str!("../c/search.c")),
    ("ctype.c", include_str!("../c/ctype.c")),
    ("stdlib.c", include_str!("../c/stdlib.c")),
    ("floats.c", include_str!("../c/floats.c")),
    ("format.c", include_str!("../c/format.c")),
    ("streams.c", include_str!("../c/streams.c")),
    ("stream_locks.c", include_str!("../c/stream_locks.c")),
    ("scan.c", include_str!("../c/scan.c")),
    ("stdio.c", include_str!("../c/stdio.c")),
    ("time.c", include_str!("../c/time.c")),
    ("calendar.c", include_str!("../c/calendar.c")),
    ("atomics.c", include_str!("../c/atomics.c")),
    ("system.c", include_str!("../c/system.c")),
    ("files.c", include_str!("../c/files.c")),
    ("poll.c", include_str!("../c/poll.c")),
    ("queues.c", include_str!("../c/queues.c")),
    ("network.c", include_str!("../c/network.c")),
    ("filesystem.c", include_str!("../c/filesystem.c")),
    ("fortify.c", include_str!("../c/fortify.c")),
    ("signals.c", include_str!("../c/signals.c")),
    ("timers.c", include_str!("../c/timers.c")),
    ("getopt.c", include_str!("../c/getopt.c")),
    ("err.c", include_str!("../c/err.c")),
    ("progress.c", include_str!("../c/progress.c")),
    ("unknown.c", include_str!("../c/unknown.c")),
    ("verifier.c", include_str!("../c/verifier.c")),
    ("cxxabi.c", include_str!("../c/cxxabi.c")),
    ("iostream.c", include_str!("../c/iostream.c")),
];

/// The names that each file defines for others. A test of the front end compares it with what the compiler says.
static INDEX: &str = include_str!("../c/INDEX");

/// Each file with the names that it defines for others.
pub fn index() -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    INDEX.lines().filter_map(|line| line.split_once(':')).map(|(file, names)| (file, names.split_whitespace()))
}

/// The models that define these names, with all that they include, and with the world of the program, as one C text.
/// `#line` directives keep the models' own file names in debug information; it needs no include path and no file
/// besides itself.
pub fn translation_unit(world: &World, wanted: impl Fn(&str) -> bool) -> String {
    let mut chosen: Vec<&str> = index().filter_map(|(file, mut names)| names.any(&wanted).then_some(file)).collect();
    let mut looked_at = 0;
    while let Some(&file) = chosen.get(looked_at) {
        looked_at += 1;
        let more: Vec<&str> = included(file).filter(|other| !chosen.contains(other)).collect();
        chosen.extend(more);
    }
    let is_header = |name: &str| name.ends_with(".h");
    let models = text_of(FILES.iter().filter(|(name, _)| is_header(name) || chosen.contains(name)));
    format!("{models}#line 1 \"world.c\"\n{}", world.definitions())
}

/// The models that a file includes.
fn included(file: &str) -> impl Iterator<Item = &'static str> {
    let text = FILES.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| text);
    text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'))
}

fn text_of<'f>(files: impl Iterator<Item = &'f (&'static str, &'static str)>) -> String {
    let mut text = String::new();
    for (name, body) in files {
        text.push_str(&format!("#line 1 \"{name}\"\n"));
        for line in body.lines() {
            // Included text is already there; an empty line keeps the line numbers right.
            if !line.starts_with("#include") {
                text.push_str(line);
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_there_once_and_in_order() {
        let text = translation_unit(&World::default(), |_| true);
        let places: Vec<usize> = FILES
            .iter()
            .map(|(name, _)| {
                let line = format!("#line 1 \"{name}\"\n");
                assert_eq!(text.matches(&line).count(), 1, "{name}");
                text.find(&line).unwrap()
            })
            .collect();
        assert!(places.is_sorted());
        assert!(!text.contains("#include"));
    }
}
