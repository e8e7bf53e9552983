//! Options about SPIN, and the command that writes a model for it.

use super::{ExploreArgs, ProgramArgs};
use crate::engines::Capability;
use clap::Args;
use selvedge_outside::spin::Options;
use std::path::PathBuf;

const SPIN: &str = "SPIN";

/// Options of SPIN's verifier, and the library that it is linked with.
#[derive(Args, Default)]
pub struct SpinOptions {
    /// Compile SPIN's verifier with this, too: -DCOLLAPSE, -DBITSTATE, -DNCORE=4. May be given several times
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, add = Capability::Spin, help_heading = SPIN)]
    pub spin_cflags: Vec<String>,
    /// Run SPIN's verifier with this, too: -m1000000. May be given several times
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, add = Capability::Spin, help_heading = SPIN)]
    pub pan_options: Vec<String>,
    /// Track so many bytes of a state [default: what random runs need, and some more]
    #[arg(long, value_name = "N", add = Capability::Spin, help_heading = SPIN)]
    pub state_bytes: Option<usize>,
    /// Selvedge's library for SPIN [default: beside this program; or as SELVEDGE_PAN_LIBRARY says]
    #[arg(long, value_name = "FILE", add = Capability::Spin, help_heading = SPIN)]
    pub pan_library: Option<PathBuf>,
}

impl SpinOptions {
    pub fn options(&self, threads: Option<u32>, no_reduction: bool) -> Options {
        let words =
            |texts: &[String]| texts.iter().flat_map(|text| text.split_whitespace()).map(String::from).collect();
        Options {
            cflags: words(&self.spin_cflags),
            pan_options: words(&self.pan_options),
            state_bytes: self.state_bytes,
            threads: threads.map(|threads| threads as usize),
            library: self.pan_library.clone(),
            no_reduction,
        }
    }
}

#[derive(Args)]
pub struct SpinArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The folder for the model; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Keep this C function though nobody calls it: for a model of your own, with pan_run_function or
    /// pan_start_thread. May be given several times
    #[arg(long, value_name = "NAME")]
    pub keep: Vec<String>,
    #[command(flatten)]
    pub explore: ExploreArgs,
    #[command(flatten)]
    pub spin: SpinOptions,
}
