//! The tree engine.

use super::choice::{Choice, one_of};
use crate::engines::Capability;
use clap::Args;
use selvedge_symbolic::tree::{Strategy, Theory, Tree};

/// Options of the tree engine.
#[derive(Args)]
pub struct TreeArgs {
    /// When the solver is asked, and about what; the lazy engine has only uw [default: lazy]
    #[arg(long, value_parser = one_of(STRATEGIES), value_name = "STRATEGY", add = Capability::Strategies,
          help_heading = TREE)]
    pub strategy: Option<Strategy>,
    /// Ask the solver whether an interleaving is possible before following it
    #[arg(long, add = Capability::Interleavings, help_heading = TREE)]
    pub check_guards: bool,
    /// Follow all interleavings, also those that differ only in the order of independent steps
    #[arg(long, add = Capability::Interleavings, help_heading = TREE)]
    pub no_por: bool,
    /// Go on after the first violation, to count the interleavings that fail
    #[arg(long, add = Capability::Interleavings, help_heading = TREE)]
    pub whole_tree: bool,
    /// The solver: a name or a command; of prove and auto the one for Horn clauses [default: cadical; z3 for Horn
    /// clauses]
    #[arg(long, value_name = "NAME", add = Capability::Solvers, help_heading = TREE)]
    pub solver: Option<String>,
    /// The theory of integers that the solver uses [default: bv]
    #[arg(long, value_parser = one_of(THEORIES), value_name = "THEORY", add = Capability::Interleavings,
          help_heading = TREE)]
    pub theory: Option<Theory>,
}

const TREE: &str = "The tree engine";

const STRATEGIES: [Choice<Strategy>; 3] = [
    ("lazy", "About each interleaving, as soon as it is there", Strategy::Lazy),
    ("record", "Once, about all interleavings in one formula", Strategy::Record),
    ("uw", "The same, beginning with few of them: under-approximation and widening", Strategy::Widen),
];

const THEORIES: [Choice<Theory>; 2] = [
    ("bv", "Bit-vectors: exact", Theory::BitVectors),
    ("int", "Mathematical integers: faster at times, and said in the verdict", Theory::Integers),
];

impl TreeArgs {
    pub fn engine(&self) -> Tree {
        let default = Tree::default();
        Tree {
            strategy: self.strategy.unwrap_or_default(),
            solver: self.solver.clone().unwrap_or(default.solver),
            theory: self.theory.unwrap_or_default(),
            check_guards: self.check_guards,
            no_reduction: self.no_por,
            whole: self.whole_tree,
            ..Tree::default()
        }
    }
}
