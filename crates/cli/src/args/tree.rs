//! The tree engine.

use clap::{Args, ValueEnum};

/// How the tree engine goes about it.
#[derive(Args)]
pub struct TreeArgs {
    /// When the solver is asked, and about what; uw also with the lazy engine [default: lazy]
    #[arg(long, value_enum, value_name = "STRATEGY", help_heading = TREE)]
    pub strategy: Option<StrategyName>,
    /// Ask the solver whether an interleaving is possible before following it
    #[arg(long, help_heading = TREE)]
    pub check_guards: bool,
    /// Follow all interleavings, also those that differ only in the order of independent steps
    #[arg(long, help_heading = TREE)]
    pub no_por: bool,
    /// Go on after the first violation, to count the interleavings that fail
    #[arg(long, help_heading = TREE)]
    pub whole_tree: bool,
    /// The solver [default: cadical]
    #[arg(long, value_name = "NAME", help_heading = TREE)]
    pub solver: Option<String>,
    /// What the solver takes integers for [default: bv]
    #[arg(long, value_enum, value_name = "THEORY", help_heading = TREE)]
    pub theory: Option<TheoryName>,
}

const TREE: &str = "The tree engine";

impl TreeArgs {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--strategy", self.strategy.is_some()),
            ("--check-guards", self.check_guards),
            ("--no-por", self.no_por),
            ("--whole-tree", self.whole_tree),
            ("--solver", self.solver.is_some()),
            ("--theory", self.theory.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StrategyName {
    /// About each interleaving, as soon as it is there
    Lazy,
    /// Once, about all interleavings in one formula
    Record,
    /// The same, beginning with few of them: under-approximation and widening
    Uw,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TheoryName {
    /// Bit-vectors: exact
    Bv,
    /// Mathematical integers: faster at times, and said in the verdict
    Int,
}
