//! Random thread programs, for testing engines against each other.
//!
//! A [`Source`] is a small multi-threaded program as data, defined in [`ast`]. It is drawn
//! by a proptest strategy ([`strategy`]), so that a failing one shrinks, and is translated into a
//! [`Program`] by way of the text form ([`lower`]).
//!
//! Programs are small enough to search all interleavings without any reduction: a few hundred
//! to some ten thousand states. Every program ends or blocks, except for those with a [`Stmt::Spin`], which
//! have finitely many states nevertheless.
//!
//! ```
//! let program = selvedge_generate::program(7);
//! assert_eq!(program, selvedge_generate::program(7));
//! ```

pub mod ast;
pub mod c_text;
pub mod endless;
pub mod lower;
pub mod strategy;
pub mod trial;
pub mod twins;

pub use ast::*;
pub use strategy::{Features, sources};
pub use trial::{Tally, Trial};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use selvedge_program::Program;

/// A runner whose draws depend on `seed` alone, and that writes no files.
pub fn runner(seed: u64, cases: u32) -> TestRunner {
    let mut bytes = [0x5e; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// The program number `seed`, as data.
///
/// # Panics
///
/// If no program is small enough in very many tries, which does not happen.
pub fn source(seed: u64, features: Features) -> Source {
    match sources(features).new_tree(&mut runner(seed, 1)) {
        Ok(tree) => tree.current(),
        Err(reason) => panic!("no program is small enough: {reason}"),
    }
}

/// The program number `seed`, with all features.
pub fn program(seed: u64) -> Program {
    source(seed, Features::ALL).program()
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::verify::verify;

    #[test]
    fn programs_are_well_formed_and_fixed() {
        for seed in 0..200 {
            let source = source(seed, Features::ALL);
            let program = source.program();
            let problems = verify(&program);
            assert!(problems.is_empty(), "{}\n{}", problems[0], source.text());
            assert_eq!(program, super::program(seed));
        }
    }

    #[test]
    fn scalar_programs_have_no_pointers() {
        for seed in 0..100 {
            assert!(source(seed, Features::SCALAR).is_scalar());
        }
    }

    #[test]
    fn all_statements_occur() {
        let all: String = (0..300).map(|seed| format!("{:?}", source(seed, Features::ALL))).collect();
        for name in [
            "Let",
            "Load",
            "Store",
            "Rmw",
            "CmpXchg",
            "If",
            "Loop",
            "Wait",
            "Spin",
            "Locked",
            "Atomic",
            "Call",
            "Input",
            "Assume",
            "Assert",
            "Yield",
            "Exit",
            "Point",
            "SetFunction",
            "Allocate",
            "Free",
            "Publish",
            "Copy",
            "Nested",
        ] {
            assert!(all.contains(name), "{name}");
        }
    }
}
