//! `selvedge analyze`: what variables may hold within bounds, and how many bits that takes.

use crate::args::{AnalyzeArgs, ObserverArgs};
use crate::failure::{EXIT_UNKNOWN, Failure};
use crate::{check, console, emit, input, output, question};
use selvedge_analyze::{Facts, Intervals, Range};
use selvedge_bound::{Bounded, ObjectKind};
use selvedge_engine::Control;
use selvedge_program::{GlobalId, Origin, Program, Reason, Ty, Verdict};
use selvedge_report::headline::headline;
use selvedge_report::ranges::{Ranges, Variable};
use selvedge_symbolic::bounding::{TRIP_COUNT, bound_for};
use std::collections::BTreeMap;

pub fn analyze(args: &AnalyzeArgs) -> Result<u8, Failure> {
    args.json.iter().try_for_each(|path| output::check_writable(path))?;
    let asked = question::of_steps(&args.property)?;
    let program = input::program(&args.load, &args.property, &ObserverArgs::default())?;
    let properties = asked.supported(&program)?;
    check::check_places(&args.bounds, &program)?;
    let bounds = args.bounds.bounds(&args.load.harness.threads);
    let unwind = bounds.unwind.unwrap_or(emit::UNWIND);
    let bounded = match bound_for(&program, &bounds, unwind, TRIP_COUNT, &|| false) {
        Ok(bounded) => bounded,
        Err(refusal) => return unknown(refusal.into()),
    };
    let facts = Facts::new(&bounded, properties);
    args.source.check(bounds.rounds)?;
    let rounds = bounds.rounds.unwrap_or(u32::MAX);
    let intervals = match args.source.intervals.compute(&facts, rounds, &Control::default()) {
        Ok(intervals) => intervals.unwrap_or_default(),
        Err(reason) => return unknown(reason),
    };
    let mut variables = objects(&bounded, &intervals, args.verbose);
    variables.extend(locals(&bounded, &intervals, args.verbose));
    let files: Vec<String> = args.load.files.iter().map(|path| path.display().to_string()).collect();
    let ranges = Ranges { files: &files, unwind, rounds: bounds.rounds, variables: &variables };
    match &args.json {
        Some(path) => {
            output::write(path, &ranges.json())?;
            if path.as_os_str() != "-" {
                console::print(&ranges.table())?;
            }
        }
        None => console::print(&ranges.table())?,
    }
    Ok(0)
}

fn unknown(reason: Reason) -> Result<u8, Failure> {
    console::print(&format!("{}\n", headline(&Verdict::Unknown(reason))))?;
    Ok(EXIT_UNKNOWN)
}

/// Variables in memory, cell by cell.
fn objects(bounded: &Bounded<'_>, intervals: &Intervals, models_too: bool) -> Vec<Variable> {
    let source = &bounded.program.source;
    let shown = intervals.cells().filter(|(object, ..)| models_too || is_users(bounded, *object));
    let cell = |(object, offset, bytes, range): (GlobalId, u64, u32, Range)| {
        let object = &bounded.objects[object];
        variable(source.path(&object.name, object.ty, offset, u64::from(bytes)), None, range)
    };
    shown.map(cell).collect()
}

fn is_users(bounded: &Bounded<'_>, object: GlobalId) -> bool {
    let global = match bounded.objects[object].kind {
        ObjectKind::Global => object,
        ObjectKind::ThreadLocal { of, .. } => of,
        ObjectKind::Stack | ObjectKind::Heap => return true,
    };
    bounded.program.globals[global].origin == Origin::User
}

/// Variables in registers. Of all activations of a function, and of all threads, together.
fn locals(bounded: &Bounded<'_>, intervals: &Intervals, models_too: bool) -> Vec<Variable> {
    let program: &Program = bounded.program;
    let mut all: BTreeMap<(&str, &str, u32), Range> = BTreeMap::new();
    for (number, thread) in bounded.threads.iter().enumerate() {
        for (block, body) in &thread.blocks {
            for (index, step) in body.steps.iter().enumerate() {
                let function = &program.functions[step.origin.function];
                let Some(reg) = step.op.defs().first().map(|reg| &thread.regs[*reg]) else { continue };
                let (Some(name), Some(_), Ty::Int(_)) = (&reg.name, reg.debug, reg.ty) else { continue };
                if !models_too && function.origin == Origin::Model {
                    continue;
                }
                if let Some(range) = intervals.result(number, block, index) {
                    let known = all.entry((&function.name, name, range.width())).or_insert(range);
                    *known = known.join(range);
                }
            }
        }
    }
    all.into_iter().map(|((function, name, _), range)| variable(name.to_string(), Some(function), range)).collect()
}

fn variable(name: String, function: Option<&str>, range: Range) -> Variable {
    let needed = if range.single().is_some() { 0 } else { range.bits().count };
    let (least, greatest) =
        if range.bits().signed || range.single().is_some() { range.signed() } else { range.unsigned() };
    Variable {
        name,
        function: function.map(str::to_string),
        bits: range.width(),
        needed,
        least: least.to_string(),
        greatest: greatest.to_string(),
    }
}
