//! Objects that must really end: those that may be used when they are gone.
//!
//! All others are variables that are there from the start, which is what bounded model checkers like best. So are a
//! thread's copies of thread-locals: who may use one when its thread has ended is refused.

use crate::code::Code;
use selvedge_analyze::Facts;
use selvedge_analyze::StepRef;
use selvedge_bound::{ObjectKind, StepOp};
use selvedge_program::{EntityRef, Intrinsic, Op, Property, Reason};

/// By object: is it allocated when it is created, and freed when it ends?
pub fn mortal(facts: &Facts<'_>, codes: &[Code]) -> Result<Vec<bool>, Reason> {
    let mut mortal = vec![false; facts.bounded.objects.len()];
    // If memory is not checked, a dead object keeps its contents.
    if !facts.properties.contains(Property::Memory) {
        return Ok(mortal);
    }
    let mut ends: Vec<Vec<StepRef>> = vec![Vec::new(); facts.bounded.objects.len()];
    for code in codes {
        let thread = code.thread;
        for (item, op) in code.steps() {
            let here = StepRef { thread, block: item.at.0, step: item.at.1 };
            match op {
                StepOp::Plain(Op::Intrinsic { which: Intrinsic::Free, args, .. }) => {
                    for object in &facts.points_to.of(thread, args[0]).objects {
                        mortal[object.index()] |= facts.bounded.objects[*object].kind == ObjectKind::Heap;
                    }
                }
                StepOp::Create { object, size: Some(_), .. } => mortal[object.index()] = true,
                StepOp::End { objects } | StepOp::Finish { objects } => {
                    objects.iter().for_each(|object| ends[object.index()].push(here));
                }
                StepOp::Plain(_) | StepOp::Create { .. } | StepOp::Spawn { .. } => {}
            }
        }
    }
    let births = births(facts, codes);
    for code in codes {
        let thread = code.thread;
        for (item, op) in code.steps() {
            if matches!(op, StepOp::End { .. } | StepOp::Finish { .. }) {
                continue;
            }
            let here = StepRef { thread, block: item.at.0, step: item.at.1 };
            for access in facts.interference.accesses(thread, item.at.0, item.at.1) {
                let object = access.object.index();
                mortal[object] =
                    mortal[object] || ends[object].iter().any(|end| may_follow(facts, &births, *end, here));
            }
        }
    }
    let is_local = |kind: ObjectKind| matches!(kind, ObjectKind::ThreadLocal { .. });
    match facts.bounded.objects.iter().find(|(id, object)| mortal[id.index()] && is_local(object.kind)) {
        Some((_, object)) => Err(Reason::Unsupported {
            what: format!("the thread-local `{}`, used when its thread may have ended", object.name),
            at: facts.bounded.program.source.describe(object.loc),
        }),
        None => Ok(mortal),
    }
}

/// May the use of an object come after its end?
fn may_follow(facts: &Facts<'_>, births: &[Option<StepRef>], end: StepRef, access: StepRef) -> bool {
    if end.thread == access.thread {
        return (end.block, end.step) < (access.block, access.step);
    }
    if facts.interference.parallel(end, access) {
        return true;
    }
    // One of them surely comes first. A thread that was created before the end was then waited for.
    let mut birth = births[access.thread];
    while let Some(creation) = birth {
        if creation.thread == end.thread {
            return (end.block, end.step) < (creation.block, creation.step);
        }
        birth = births[creation.thread];
    }
    true
}

/// By thread: where it is created.
fn births(facts: &Facts<'_>, codes: &[Code]) -> Vec<Option<StepRef>> {
    let mut births = vec![None; facts.bounded.threads.len()];
    for code in codes {
        let thread = code.thread;
        for (item, op) in code.steps() {
            if let StepOp::Spawn { thread: created, .. } = op {
                births[*created] = Some(StepRef { thread, block: item.at.0, step: item.at.1 });
            }
        }
    }
    births
}
