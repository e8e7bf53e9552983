//! The `selvedge` command.

mod analyze;
mod args;
mod check;
mod cluster;
mod console;
mod doctor;
mod emit;
mod engines;
mod environment;
mod failure;
mod fences;
mod harness;
mod init;
mod input;
mod interrupt;
mod keep_going;
mod machine;
mod minimize;
mod output;
mod processes;
mod progress;
mod property_file;
mod question;
mod replay;
mod reporter;
mod reproduce;
mod sequentialize;
mod sources;
mod spin;
mod suite;
mod svcomp;
mod swarm;
mod worker;

use args::Command;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    failure::install_panic_hook();
    if let Err(message) = environment::leave_out_foreign_options() {
        return failure::bad_input(message);
    }
    let (command, given) = args::parse(std::env::args_os());
    let code = failure::on_a_large_stack(move || match command {
        Command::Check(args) => check::check(args, given),
        Command::Analyze(args) => analyze::analyze(&args),
        Command::Replay(args) => replay::replay(args, given),
        Command::Minimize(args) => minimize::minimize(args, given),
        Command::Reproduce(args) => reproduce::reproduce(args, given),
        Command::Sequentialize(args) => sequentialize::sequentialize(&args),
        Command::Spin(args) => spin::spin(args, given),
        Command::Suite(args) => suite::suite(&args, &given),
        Command::Svcomp(args) => svcomp::svcomp(&args, &given),
        Command::Swarm(args) => swarm::swarm(&Arc::from(args), &given),
        Command::Worker(args) => worker::worker(&args),
        Command::Init(args) => init::init(&args),
        Command::Doctor => doctor::doctor(),
        Command::Man { of } => match args::manual(of.as_deref()) {
            Some(page) => console::print(&page).map(|()| 0),
            None => Err(failure::Failure::BadInput("there is no such command: see selvedge help".to_string())),
        },
        Command::Completions { shell } => console::print(&args::completions(shell)).map(|()| 0),
    });
    processes::clean_up();
    code
}
