//! `selvedge spin`: a model of the program for SPIN, to be checked with any of its options.

use crate::args::SpinArgs;
use crate::failure::Failure;
use crate::property_file::Asked;
use crate::{check, console, engine, input};
use selvedge_engine::Task;
use selvedge_outside::spin::{Model, library};
use selvedge_program::{Bounds, Reason};

/// As of `check`, when it has no answer.
const EXIT_UNKNOWN: u8 = 5;

pub fn spin(mut args: Box<SpinArgs>) -> Result<u8, Failure> {
    let asked = input::properties(&args.property)?;
    args.watch.termination = asked.includes_termination();
    engine::check_spin_watch(&args.watch, args.preemptions)?;
    let program = input::kept_program(&args.load, &args.watch, &args.keep)?;
    let properties = match asked {
        Asked::Check(properties) => check::with_own(properties, &program),
        Asked::NotYet(formula) => {
            return Err(Failure::BadInput(format!("the property `{formula}` is not supported")));
        }
    };
    let options = args.spin.options(args.threads, args.no_merging);
    let library = library::find(options.library.as_deref()).map_err(Failure::BadInput)?;
    let task = Task {
        properties,
        bounds: Bounds { preemptions: args.preemptions, ..Bounds::default() },
        seed: args.seed,
        max_input_values: args.max_input_values,
    };
    let model = match Model::new(&program, &task, &options) {
        Ok(model) => model,
        Err(reason @ Reason::Observer { .. }) => return Err(Failure::BadInput(reason.to_string())),
        Err(reason) => {
            eprintln!("no model can be made: {reason}");
            return Ok(EXIT_UNKNOWN);
        }
    };
    let folder = &args.output;
    std::fs::create_dir_all(folder)
        .and_then(|()| model.write(folder, &options, &library))
        .map_err(|error| Failure::Output(format!("cannot write {}: {error}", folder.display())))?;
    let (threads, bytes) = (model.sizes.threads, 8 * model.sizes.state_words);
    let plural = if threads == 1 { "" } else { "s" };
    let folder = folder.display();
    console::print(&format!(
        "{folder}/driver.pml: {threads} thread{plural}, {bytes} bytes of state\ncheck it: make -C {folder} check\n"
    ))?;
    Ok(0)
}
