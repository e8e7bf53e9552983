//! Facts about bounded programs, in print.

use crate::commands::{Words, statements};
use selvedge_analyze::{Facts, Interference, Intervals, Offset, PointsTo, Range, Reductions, Targets, Touched};
use selvedge_bound::{BlockId, Bounded};
use selvedge_program::{EntityRef, GlobalId, Operand, Properties};

/// The threads, with a note to each step for which there is one.
fn annotated(bounded: &Bounded<'_>, note: impl Fn(usize, BlockId, usize) -> String) -> String {
    let text = bounded.to_string();
    let places = statements(&text, "thread ");
    let mut printed = String::new();
    for (index, line) in text.lines().enumerate().skip_while(|(_, line)| !line.starts_with("thread ")) {
        let line = line.split(" from @").next().unwrap_or(line).trim_end();
        let place = places.iter().find(|(at, _)| *at == index).map(|(_, place)| *place);
        let is_step = |(thread, block, step): &(usize, usize, usize)| {
            *step < bounded.threads[*thread].blocks[BlockId::new(*block)].steps.len()
        };
        let note = place.filter(is_step).map(|(thread, block, step)| note(thread, BlockId::new(block), step));
        match note.filter(|note| !note.is_empty()) {
            Some(note) => printed.push_str(&format!("{line:<40} ; {note}\n")),
            None => printed.push_str(&format!("{line}\n")),
        }
    }
    printed
}

fn name<'a>(bounded: &'a Bounded<'_>, object: GlobalId) -> &'a str {
    &bounded.objects[object].name
}

pub fn points(bounded: &Bounded<'_>) -> String {
    let facts = Facts::new(bounded, Properties::NONE);
    annotated(bounded, |thread, block, step| {
        facts.points[thread].at(block, step).map_or(String::new(), |point| format!("point {point}"))
    })
}

/// Accesses, and whether others can see the step; then who touches each object.
pub fn interference(bounded: &Bounded<'_>, words: &Words<'_>) -> String {
    let reductions = match words.after(&["without"]) {
        None => Reductions::ALL,
        Some("joins") => Reductions { joins: false, ..Reductions::ALL },
        Some(_) => Reductions::NONE,
    };
    let facts = Interference::new(bounded, &PointsTo::new(bounded), reductions);
    let mut printed = annotated(bounded, |thread, block, step| {
        let accesses = facts.accesses(thread, block, step).iter();
        let mut notes: Vec<String> = accesses
            .map(|access| format!("{} {}", if access.write { "writes" } else { "reads" }, name(bounded, access.object)))
            .collect();
        if facts.visible(thread, block, step) {
            notes.push("visible".to_string());
        }
        notes.join(", ")
    });
    for object in bounded.objects.keys() {
        let who = match facts.touched_by(object) {
            Touched::Nobody => continue,
            Touched::Only(thread) => format!("thread {thread} only"),
            Touched::Several => "several threads".to_string(),
        };
        printed.push_str(&format!("{}: {who}\n", name(bounded, object)));
    }
    printed
}

pub fn reductions(bounded: &Bounded<'_>) -> String {
    let counts = Interference::counts(bounded, &PointsTo::new(bounded), Reductions::ALL);
    counts.iter().map(|(stage, count)| format!("{count} {stage}\n")).collect()
}

pub fn points_to(bounded: &Bounded<'_>) -> String {
    let facts = PointsTo::new(bounded);
    let targets = |targets: &Targets| -> String {
        let places = targets.places.iter().map(|place| match place.offset {
            Offset::At(offset) => format!("{}{offset:+}", name(bounded, place.object)),
            Offset::Any => format!("anywhere in {}", name(bounded, place.object)),
        });
        places.collect::<Vec<_>>().join(", ")
    };
    let mut printed = annotated(bounded, |thread, block, step| {
        let defs = bounded.threads[thread].blocks[block].steps[step].op.defs();
        let all = defs.iter().map(|reg| targets(facts.of(thread, Operand::Reg(*reg))));
        all.filter(|targets| !targets.is_empty()).collect::<Vec<_>>().join("; ")
    });
    for (number, thread) in bounded.threads.iter().enumerate() {
        for (index, param) in thread.params.iter().enumerate() {
            let all = targets(facts.of(number, Operand::Reg(*param)));
            if !all.is_empty() {
                printed.push_str(&format!("parameter {index} of thread {number}: {all}\n"));
            }
        }
    }
    printed
}

/// `x in 0 1`: what is known of a variable from elsewhere.
pub fn ranges(bounded: &Bounded<'_>, words: &Words<'_>) -> String {
    let facts = Facts::new(bounded, Properties::NONE);
    let known = |object: GlobalId, _, _| {
        let name = name(bounded, object);
        let low = words.after(&[name, "in"])?;
        let high = words.after(&[name, "in", low])?;
        Some(Range::wrapped(32, low.parse().ok()?, high.parse().ok()?))
    };
    let rounds = words.number("rounds").unwrap_or(2);
    let (points_to, interference) = (&facts.points_to, &facts.interference);
    let intervals = Intervals::with_cells(bounded, points_to, interference, &facts.points, rounds, known);
    let mut cells: Vec<_> = intervals.cells().collect();
    cells.sort_by_key(|(object, at, bytes, _)| (*object, *at, *bytes));
    cells
        .iter()
        .map(|(object, at, bytes, range)| format!("{} at {at}, {bytes} bytes: {range}\n", name(bounded, *object)))
        .collect()
}
