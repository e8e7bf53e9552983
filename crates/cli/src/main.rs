//! The `selvedge` command.

mod analyze;
mod answer;
mod args;
mod check;
mod cluster;
mod console;
mod emit;
mod engine;
mod failure;
mod input;
mod interrupt;
mod machine;
mod output;
mod progress;
mod property_file;
mod replay;
mod sequentialize;
mod spin;
mod suite;
mod swarm;
mod worker;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::install_panic_hook();
    let cli = Cli::parse_from(args::rewritten(std::env::args_os()));
    failure::on_a_large_stack(move || match cli.command {
        Command::Check(args) => check::check(args),
        Command::Analyze(args) => analyze::analyze(&args),
        Command::Replay(args) => replay::replay(args),
        Command::Sequentialize(args) => sequentialize::sequentialize(&args),
        Command::Spin(args) => spin::spin(args),
        Command::Suite(args) => suite::suite(&args),
        Command::Swarm(args) => swarm::swarm(&args),
        Command::Worker(args) => worker::worker(&args),
    })
}
