//! A task of SV-COMP.

use super::{DATA_MODELS, LimitArgs, choice::one_of};
use clap::Args;
use selvedge_from_llvm::clang::DataModel;
use std::path::PathBuf;

#[derive(Args)]
pub struct SvcompArgs {
    /// The program, preprocessed C
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The property to check
    #[arg(long, value_name = "FILE")]
    pub property_file: PathBuf,
    /// Widths of int, long and pointers
    #[arg(long, value_parser = one_of(DATA_MODELS), ignore_case = true, default_value = "ILP32")]
    pub data_model: DataModel,
    /// Where to write the witness of a violation
    #[arg(long, value_name = "FILE", default_value = "witness.graphml")]
    pub witness: PathBuf,
    /// Where to write the witness of a proof
    #[arg(long, value_name = "FILE", default_value = "witness.yml")]
    pub invariants: PathBuf,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Arguments for `selvedge check`
    #[arg(last = true, value_name = "CHECK-ARGS")]
    pub check_args: Vec<String>,
}
