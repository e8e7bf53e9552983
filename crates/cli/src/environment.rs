//! The environment must not change answers.
//!
//! Some libraries and tools of ours take options from variables: CaDiCaL has one for each of its options, `CADICAL_…`,
//! which may make it give up, write files or end the process. A command that finds such a variable starts itself again
//! without it, before anything else has begun; so whatever it starts later does not see them either.

use std::ffi::{OsStr, OsString};
use std::io::Error;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Prefixes of variables that CaDiCaL, Bitwuzla and ESBMC read options from.
const PREFIXES: [&str; 3] = ["CADICAL", "BZLA", "ESBMC_"];
/// By these clang rewrites its command line.
const NAMES: [&str; 2] = ["CCC_OVERRIDE_OPTIONS", "QA_OVERRIDE_GCC3_OPTIONS"];

/// Returns if there is nothing to leave out; or why that could not be done.
pub fn leave_out_foreign_options() -> Result<(), String> {
    let foreign: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).filter(|name| is_foreign(name)).collect();
    let Some(first) = foreign.first() else { return Ok(()) };
    let cannot = |error: Error| format!("unset the variable {}: {error}", first.display());
    let mut again = Command::new(std::env::current_exe().map_err(cannot)?);
    let mut words = std::env::args_os();
    if let Some(name) = words.next() {
        again.arg0(name);
    }
    again.args(words);
    for name in &foreign {
        again.env_remove(name);
    }
    Err(cannot(again.exec()))
}

fn is_foreign(name: &OsStr) -> bool {
    let begins = |prefix: &&str| name.as_encoded_bytes().starts_with(prefix.as_bytes());
    PREFIXES.iter().any(begins) || NAMES.iter().any(|known| name == *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_foreign() {
        for name in ["CADICAL_CHRONO", "CADICALAPITRACE", "BZLAVERBOSITY", "ESBMC_OPTS", "CCC_OVERRIDE_OPTIONS"] {
            assert!(is_foreign(OsStr::new(name)), "{name}");
        }
        for name in ["SELVEDGE_CLANG", "PATH", "CPATH", "NO_COLOR"] {
            assert!(!is_foreign(OsStr::new(name)), "{name}");
        }
    }
}
