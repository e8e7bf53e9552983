//! Options about SPIN, and the command that writes a model for it.

use super::{LoadArgs, PropertyArgs, WatchArgs};
use clap::Args;
use selvedge_outside::spin::Options;
use std::path::PathBuf;

const SPIN: &str = "SPIN (with --engine spin)";

/// What SPIN's verifier is told, and what it is linked with.
#[derive(Args, Default)]
pub struct SpinOptions {
    /// Compile SPIN's verifier with this, too: -DCOLLAPSE, -DBITSTATE, -DNCORE=4. May be given several times
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = SPIN)]
    pub spin_cflags: Vec<String>,
    /// Run SPIN's verifier with this, too: -m1000000. May be given several times
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, help_heading = SPIN)]
    pub pan_options: Vec<String>,
    /// Track so many bytes of a state [default: what random runs need, and some more]
    #[arg(long, value_name = "N", help_heading = SPIN)]
    pub state_bytes: Option<usize>,
    /// Selvedge's library for SPIN [default: beside this program; or as SELVEDGE_PAN_LIBRARY says]
    #[arg(long, value_name = "FILE", help_heading = SPIN)]
    pub pan_library: Option<PathBuf>,
}

impl SpinOptions {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--spin-cflags", !self.spin_cflags.is_empty()),
            ("--pan-options", !self.pan_options.is_empty()),
            ("--state-bytes", self.state_bytes.is_some()),
            ("--pan-library", self.pan_library.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    pub fn options(&self, threads: Option<usize>, no_reduction: bool) -> Options {
        let words =
            |texts: &[String]| texts.iter().flat_map(|text| text.split_whitespace()).map(String::from).collect();
        Options {
            cflags: words(&self.spin_cflags),
            pan_options: words(&self.pan_options),
            state_bytes: self.state_bytes,
            threads,
            library: self.pan_library.clone(),
            no_reduction,
        }
    }
}

#[derive(Args)]
pub struct SpinArgs {
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
    /// The folder for the model; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Look only at runs with at most N switches away from a thread that could have gone on
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Make processes for N threads besides main [default: as many as random runs have]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Keep this C function though nobody calls it: for a model of your own, with pan_run_function or
    /// pan_start_thread. May be given several times
    #[arg(long, value_name = "NAME")]
    pub keep: Vec<String>,
    /// Take every memory access for a switch point: slow, for comparison
    #[arg(long)]
    pub no_merging: bool,
    /// For everything that is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Inputs with more values than this are not tried one by one
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_input_values: u64,
    #[command(flatten)]
    pub spin: SpinOptions,
}
