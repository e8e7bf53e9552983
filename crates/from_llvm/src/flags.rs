//! The flags of a build, as far as they change what C text means.
//!
//! A build compiles for gcc or clang, optimises, instruments, links. To read its program we need the header search,
//! macros, the language and its dialect, and the machine; everything else stays behind. Flags that clang does not know
//! are left out with a named assumption (see [`crate::clang`]).

use std::path::Path;

use crate::clang::DataModel;

/// Flags that are handed to clang, and the word size that they ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub words: Vec<String>,
    pub data_model: Option<DataModel>,
}

/// Options whose value is the next word, if it does not follow at once.
const WITH_PATH: [&str; 8] =
    ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot"];
const WITH_WORD: [&str; 3] = ["-D", "-U", "-target"];
/// These do not matter to us, and neither do their values.
const WITH_IRRELEVANT: [&str; 15] = [
    "-o",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "--param",
    "-dumpbase",
];

/// The beginnings of other options that change the meaning of C text.
const RELEVANT: [&str; 8] = ["-std=", "-ansi", "-nostdinc", "-f", "-m", "-pthread", "--sysroot=", "--target="];

/// Code generation, instrumentation, diagnostics: exceptions to `RELEVANT`.
const IRRELEVANT: [&str; 17] = [
    "-fsanitize",
    "-fno-sanitize",
    "-flto",
    "-fprofile",
    "-fcoverage",
    "-ftest-coverage",
    "-fdiagnostics",
    "-fcolor",
    "-fmessage-length",
    "-fstack-",
    "-fpic",
    "-fPIC",
    "-fpie",
    "-fPIE",
    "-fuse-ld",
    "-fplugin",
    "-ftime-",
];

/// The beginnings of compilers' flags on a command line that has options of its own as well.
const UNAMBIGUOUS: [&str; 17] = [
    "-f",
    "-W",
    "-m",
    "-g",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "-nostd",
    "-pthread",
    "-pipe",
    "-pedantic",
    "-ansi",
    "-l",
    "-L",
];

/// The flags of a command line `cc FLAG… FILE…`, without the compiler. Relative folders are those below `directory`.
pub fn of_build(words: &[String], directory: &Path) -> Flags {
    let mut flags = Flags::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some(option) = WITH_PATH.iter().find(|option| word.starts_with(**option)) {
            let joined = Some(&word[option.len()..]).filter(|rest| !rest.is_empty());
            let Some(path) = joined.or_else(|| words.next().map(String::as_str)) else { break };
            let path = directory.join(path.trim_start_matches('='));
            flags.words.extend([option.to_string(), path.display().to_string()]);
        } else if let Some(option) = WITH_WORD.iter().find(|option| word.starts_with(**option)) {
            let joined = Some(&word[option.len()..]).filter(|rest| !rest.is_empty());
            let Some(value) = joined.or_else(|| words.next().map(String::as_str)) else { break };
            flags.words.extend([option.to_string(), value.to_string()]);
        } else if WITH_IRRELEVANT.contains(&word.as_str()) {
            words.next();
        } else if word == "-m32" || word == "-m64" {
            flags.data_model = Some(if word == "-m32" { DataModel::Ilp32 } else { DataModel::Lp64 });
        } else if word == "-Xclang" {
            flags.words.extend(words.next().map(|value| ["-Xclang".to_string(), value.clone()]).into_iter().flatten());
        } else if RELEVANT.iter().any(|start| word.starts_with(start))
            && !IRRELEVANT.iter().any(|start| word.starts_with(start))
        {
            flags.words.push(word.clone());
        }
    }
    flags
}

/// The number of words, of the first ones of a command line, that are a flag for compilers only; 0 if the first is
/// none.
pub fn words_of_flag(first: &str) -> usize {
    match first {
        "-c" | "-w" | "-s" => 1,
        _ if WITH_PATH.contains(&first) && first != "-I" => 2,
        "-l" | "-L" | "-Xclang" => 2,
        _ => usize::from(UNAMBIGUOUS.iter().any(|start| first.starts_with(start))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn a_build_keeps_its_language() {
        let line = "-Iinclude -I /usr/x -isystem deps -DN=3 -D M -std=gnu99 -O2 -g -Wall -Werror -fwrapv -fPIC -pthread \
                    -mcx16 -MD -MF a.d -o a.o -c a.c -lm -L lib -include config.h -fsanitize=thread";
        let kept = "-I /b/include -I /usr/x -isystem /b/deps -D N=3 -D M -std=gnu99 -fwrapv -pthread -mcx16 -include \
                    /b/config.h";
        assert_eq!(of_build(&words(line), Path::new("/b")), Flags { words: words(kept), data_model: None });
        assert_eq!(of_build(&words("-m32 -D"), Path::new("/")).data_model, Some(DataModel::Ilp32));
    }

    #[test]
    fn flags_among_our_options() {
        for (word, count) in
            [("-pthread", 1), ("-isystem", 2), ("-isystemdeps", 1), ("-fwrapv", 1), ("-p", 0), ("-I", 0)]
        {
            assert_eq!(words_of_flag(word), count, "{word}");
        }
        for ours in ["-v", "-q", "-o", "-D", "-U", "--unwind", "a.c"] {
            assert_eq!(words_of_flag(ours), 0, "{ours}");
        }
    }
}
