//! Library functions that a program calls without declaring them.
//!
//! C89 gives any undeclared function the type `int f()`, but compilers know `malloc`, `memcpy`, `fabs` and many more by
//! themselves, and give them the type that the library has. clang is run without builtins, so that `malloc` and its kin
//! stay calls, and then does not know their types either. A program that calls such a function is therefore compiled
//! once more, with a declaration before its text. A definition of its own, in any of its files, wins.

use std::collections::BTreeSet;

use crate::Unit;
use crate::ll::{Function, Type};

const DECLARATIONS: &str = include_str!("library.h");

/// Library functions that are called without a declaration, and have no definition.
pub fn undeclared(units: &[Unit]) -> Vec<&'static str> {
    let functions = || units.iter().flat_map(|unit| &unit.module.functions);
    let globals = units.iter().flat_map(|unit| &unit.module.globals).map(|global| global.name.to_string());
    let defined = functions().filter(|f| !f.is_declaration()).map(|f| f.name.to_string());
    let own: BTreeSet<String> = defined.chain(globals).collect();
    let called: BTreeSet<String> =
        functions().filter(|f| is_implicit(f)).map(|f| f.name.to_string()).filter(|name| !own.contains(name)).collect();
    declarations().map(|(name, _)| name).filter(|name| called.contains(*name)).collect()
}

/// The text that declares these functions.
pub fn declare(names: &[&str]) -> String {
    declarations().filter(|(name, _)| names.contains(name)).map(|(_, line)| format!("{line}\n")).collect()
}

/// Whether the type is `int f()`. The program may have declared it so itself; then it does not compile with another
/// type.
pub fn is_implicit(function: &Function) -> bool {
    function.is_declaration() && function.vararg && function.params.is_empty() && function.ret == Type::Int(32)
}

/// Each declaration with the name that it declares: the word before its first parenthesis.
fn declarations() -> impl Iterator<Item = (&'static str, &'static str)> {
    DECLARATIONS.lines().filter(|line| line.ends_with(';')).filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        let name = before.rsplit([' ', '*']).next()?;
        Some((name, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_declarations() {
        assert_eq!(
            declare(&["malloc", "exit"]),
            "void *malloc(__SIZE_TYPE__);\nvoid exit(int) __attribute__((noreturn));\n"
        );
        assert_eq!(declare(&["no_such_function"]), "");
        let names: BTreeSet<&str> = declarations().map(|(name, _)| name).collect();
        assert_eq!(names.len(), declarations().count(), "each name once");
    }
}
