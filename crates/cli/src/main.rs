//! The `selvedge` command.

mod analyze;
mod answer;
mod args;
mod check;
mod cluster;
mod console;
mod emit;
mod engine;
mod environment;
mod failure;
mod input;
mod interrupt;
mod machine;
mod output;
mod processes;
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
use std::sync::Arc;

fn main() -> ExitCode {
    failure::install_panic_hook();
    if let Err(message) = environment::leave_out_foreign_options() {
        return failure::bad_input(message);
    }
    let cli = Cli::parse_from(args::rewritten(std::env::args_os()));
    let code = failure::on_a_large_stack(move || match cli.command {
        Command::Check(args) => check::check(args),
        Command::Analyze(args) => analyze::analyze(&args),
        Command::Replay(args) => replay::replay(args),
        Command::Sequentialize(args) => sequentialize::sequentialize(&args),
        Command::Spin(args) => spin::spin(args),
        Command::Suite(args) => suite::suite(&args),
        Command::Swarm(args) => swarm::swarm(&Arc::from(args)),
        Command::Worker(args) => worker::worker(&args),
    });
    processes::clean_up();
    code
}
