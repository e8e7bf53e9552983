//! `selvedge spin`: a model of the program for SPIN, to be checked with any of its options.

use crate::args::{Given, SpinArgs};
use crate::engines::SPIN_COUNTS_OTHERWISE;
use crate::failure::{EXIT_UNKNOWN, Failure};
use crate::{check, console, input, question};
use selvedge_engine::{Control, Task};
use selvedge_outside::spin::{Model, library};
use selvedge_program::{Bounds, Reason};

pub fn spin(mut args: Box<SpinArgs>, mut given: Given) -> Result<u8, Failure> {
    let asked = question::asked(&mut args.program, &mut given)?;
    given.check_conflicts()?;
    if args.program.observers.counts_steps().map_err(Failure::BadInput)? {
        return Err(Failure::BadInput(SPIN_COUNTS_OTHERWISE.to_string()));
    }
    let program = input::program_with(&args.program.load, &args.program.property, &args.program.observers, &args.keep)?;
    let properties = check::with_own(asked.supported(&program)?, &program);
    let options = args.spin.options(args.program.load.harness.threads.at_most(), args.explore.no_merging);
    let library = library::find(options.library.as_deref()).map_err(Failure::BadInput)?;
    let task = Task {
        properties,
        bounds: Bounds { preemptions: args.explore.preemptions, ..Bounds::default() },
        seed: args.explore.random.seed,
        max_input_values: args.explore.max_input_values,
    };
    let model = match Model::new(&program, &task, &options, &Control::default()) {
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
