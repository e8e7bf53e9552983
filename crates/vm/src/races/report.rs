//! A race at the end of a replay, in words for people.

use super::{FoundRace, Pending};
use crate::code::Code;
use crate::describe::{self, Known};
use crate::frames::return_pc;
use crate::memory::Spot;
use crate::recorder::position;
use crate::replay::Replayer;
use crate::state::State;
use selvedge_program::trace::{Position, Race, RacingAccess};
use selvedge_program::{Intrinsic, Op, Property, Violation};

impl Replayer<'_> {
    /// The violation at the end of a schedule that leads to a race. What it is stays with the record.
    pub(crate) fn race_violation(&mut self) -> Option<Violation> {
        let race = self.race()?;
        let (code, state) = (self.code, &self.state);
        let access = |pending: &Pending| RacingAccess {
            thread: pending.thread as u32,
            access: pending.access,
            text: pending.text((code, state, &self.oracle.heap)),
            stack: pending.stack(code, state),
            locks: self.oracle.synchronisation.locks_of(pending.thread, (code, state, &self.oracle.heap)),
        };
        let FoundRace { first, second } = &race;
        let report = Race {
            place: both_touch(first, second, (code, state, &self.oracle.heap)),
            accesses: [access(first), access(second)],
        };
        let other = position(code.program, first.loc(code));
        let at = match other.line {
            0 => String::new(),
            line => format!(" at {}:{line}", other.file),
        };
        let text = format!(
            "{}, while thread {}{at} {}: nothing orders the two",
            report.accesses[1].text, first.thread, report.accesses[0].text
        );
        self.oracle.race = Some(Box::new(report));
        Some(Violation { property: Property::Race, text, loc: second.loc(code), thread: second.thread as u32 })
    }
}

impl Pending {
    /// "writes `p->count` (4 bytes)".
    fn text(&self, names: Known<'_, '_>) -> String {
        let code = names.0;
        let op = code.op(self.pc);
        let label = op.and_then(Op::place).map(|place| code.program.places[place].as_str());
        let (place, _) = describe::place(names, self.spot, self.bytes as u64, label);
        if matches!(op, Some(Op::Intrinsic { which: Intrinsic::Free, .. })) {
            return format!("frees `{place}`");
        }
        let verb = if self.access.writes { "writes" } else { "reads" };
        let how = if self.access.atomic { " atomically" } else { "" };
        let plural = if self.bytes == 1 { "" } else { "s" };
        format!("{verb} `{place}`{how} ({} byte{plural})", self.bytes)
    }

    /// The functions of the user that it is in, innermost first.
    fn stack(&self, code: &Code<'_>, state: &State) -> Vec<(String, Position)> {
        let named = |pc: u32| {
            let function = &code.program.functions[code.from[pc as usize].function].name;
            (function.clone(), position(code.program, code.loc(pc)))
        };
        let mut frames = vec![self.user_pc];
        let thread = &state.threads[self.thread];
        let (mut at, mut base) = (thread.pc(), thread.base());
        for _ in 1..thread.depth().max(1) {
            let caller = thread.stack[base];
            let is_innermost = code.from[at as usize].function == code.from[self.user_pc as usize].function;
            if code.is_user(at) && !(frames.len() == 1 && is_innermost) {
                frames.push(at);
            }
            (at, base) = (return_pc(caller) - 1, (caller >> 32) as usize);
        }
        frames.into_iter().map(named).collect()
    }
}

/// The bytes that both touch: "4 bytes of `counter`".
fn both_touch(first: &Pending, second: &Pending, names: Known<'_, '_>) -> String {
    let at = |pending: &Pending| match pending.spot {
        Spot::Constant { at } | Spot::Variable { at } => at,
        Spot::Object { offset, .. } => offset,
    };
    let (from, of) = if at(first) < at(second) { (at(second), second) } else { (at(first), first) };
    let to = (at(first) + first.bytes).min(at(second) + second.bytes);
    let bytes = to.saturating_sub(from);
    let (place, _) = describe::place(names, of.spot, bytes as u64, None);
    let plural = if bytes == 1 { "" } else { "s" };
    format!("{bytes} byte{plural} of `{place}`")
}
