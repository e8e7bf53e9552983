//! Optimised code that keeps everything a verifier looks for.
//!
//! Some functions have a meaning by their name, also if the program defines them: a call of `reach_error` is a
//! violation, `__VERIFIER_atomic_…` is one step. An optimiser would inline them, and they would be
//! gone. It therefore runs separately, over the IR of the unoptimised program in which these functions are marked.

use crate::clang::{Clang, ClangOptions, FrontEndError, OptLevel};
use std::process::Command;

impl Clang {
    /// Runs the optimiser over textual IR.
    pub(crate) fn optimise(
        &self,
        text: &str,
        level: OptLevel,
        file: &str,
        options: &ClangOptions,
    ) -> Result<String, FrontEndError> {
        let mut command = Command::new(&self.path);
        command.args(["-x", "ir", "-S", "-emit-llvm", "-o", "-", level.flag(), options.data_model.flag()]);
        // Vectors are irrelevant to threads, and hard to read in traces.
        command.args(["-fno-vectorize", "-fno-slp-vectorize", "-fno-builtin", "-Wno-everything", "-"]);
        self.run(command, file, Some(&keep_apart(text)), options)
    }
}

/// Marks the definitions of functions that are known by name. Functions that end a run are not optimised at all; atomic
/// sections are only not inlined.
fn keep_apart(text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let name = line.strip_prefix("define ").and_then(|rest| rest.split_once('@')).map(|(_, rest)| rest);
        let name = name.and_then(|rest| rest.split('(').next()).unwrap_or_default();
        let attributes = match name {
            name if crate::lower::is_special(name) => " noinline optnone",
            name if name.starts_with("__VERIFIER_atomic") => " noinline",
            _ => "",
        };
        // Attributes come after the parameters.
        let end = line.find(&format!("@{name}(")).map(|at| at + closing(&line[at..]));
        match end.filter(|_| !attributes.is_empty()) {
            Some(end) => marked.extend([&line[..end], attributes, &line[end..]]),
            None => marked.push_str(line),
        }
    }
    marked
}

/// The position just after the parenthesis that closes the first one.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_functions_are_not_looked_into() {
        let text = "define dso_local void @reach_error() #0 !dbg !7 {\n\
                    define i32 @__VERIFIER_atomic_f(ptr byval(i8) %a) #1 {\n\
                    define void @main() #0 {\n  call void @reach_error()\n";
        let marked = "define dso_local void @reach_error() noinline optnone #0 !dbg !7 {\n\
                      define i32 @__VERIFIER_atomic_f(ptr byval(i8) %a) noinline #1 {\n\
                      define void @main() #0 {\n  call void @reach_error()\n";
        assert_eq!(keep_apart(text), marked);
    }
}
