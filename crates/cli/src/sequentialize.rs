//! `selvedge sequentialize`: the program within bounds, as sequential C.

use crate::args::{ObserverArgs, SequentializeArgs};
use crate::failure::{EXIT_UNKNOWN, Failure};
use crate::{check, emit, input, output, question};
use selvedge_engine::Control;
use selvedge_program::{Assumption, Limit, Program, Properties, Property, Reason};
use selvedge_symbolic::bounding::{TRIP_COUNT, bound_for};
use selvedge_to_c::{Facts, Options, Sequential};
use std::path::Path;

/// Without bounds given; enough to see what becomes of threads.
const ROUNDS: u32 = 2;

pub fn sequentialize(args: &SequentializeArgs) -> Result<u8, Failure> {
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    output::check_writable(path)?;
    let asked = question::of_steps(&args.property)?;
    let program = input::program(&args.load, &args.property, &ObserverArgs::default())?;
    let properties = asked.supported(&program)?;
    check::check_places(&args.bounds, &program)?;
    match printed(args, &program, properties) {
        Ok(sequential) => {
            output::write(path, &sequential.text)?;
            if !args.quiet {
                remarks(args, &program, properties, &sequential);
            }
            Ok(0)
        }
        Err(reason) => {
            eprintln!("cannot be printed: {reason}");
            Ok(EXIT_UNKNOWN)
        }
    }
}

fn printed(args: &SequentializeArgs, program: &Program, properties: Properties) -> Result<Sequential, Reason> {
    let bounds = args.bounds.bounds(&args.load.harness.threads);
    let unwind = bounds.unwind.unwrap_or(emit::UNWIND);
    let bounded = bound_for(program, &bounds, unwind, TRIP_COUNT, &|| false)?;
    let options = Options {
        rounds: bounds.rounds.unwrap_or(ROUNDS),
        style: args.style.style(),
        backend: args.backend,
        properties,
        store_buffer: bounds.store_buffer,
    };
    let facts = Facts::new(&bounded, properties);
    let intervals = args.intervals.source().compute(&facts, options.rounds, &Control::default())?;
    selvedge_to_c::sequentialize(&bounded, &facts, intervals.as_ref(), &options)
}

/// On standard error, so that they do not mix with the output.
fn remarks(args: &SequentializeArgs, program: &Program, properties: Properties, sequential: &Sequential) {
    let unasked: Vec<Property> = properties.unasked_misuse().iter().collect();
    let unasked = (!unasked.is_empty()).then_some(Assumption::MayEndUnchecked(unasked));
    for assumption in program.all_assumptions().into_iter().chain(unasked) {
        eprintln!("note: {assumption}");
    }
    for property in properties.without(args.backend.properties()).iter() {
        eprintln!("note: {}", Limit::NotLookedFor(property));
    }
    if sequential.bits_needed < sequential.bits {
        eprintln!("note: {} of {} bits of state", sequential.bits_needed, sequential.bits);
    }
    if sequential.cuts {
        eprintln!("note: some bound may cut runs short");
    }
}
