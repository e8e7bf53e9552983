//! The calls that a thread is in, followed through the events of its run.

use crate::headline::place;
use selvedge_program::trace::{Position, Trace};
use selvedge_program::{Event, What};

/// A call of the user's code that has not returned, or of a model that others interrupt.
#[derive(Clone, Debug)]
pub struct Frame {
    pub depth: u32,
    pub function: String,
    pub at: Position,
    is_model: bool,
}

/// The calls of each thread, the innermost last.
#[derive(Default)]
pub struct Stacks(Vec<Vec<Frame>>);

impl Stacks {
    /// The calls when an event is about to come; those at the end if there is no event of that number.
    pub fn before(trace: &Trace, event: usize) -> Stacks {
        let mut stacks = Stacks::default();
        trace.events[..event.min(trace.events.len())].iter().for_each(|event| stacks.follow(event));
        stacks
    }

    pub fn of(&self, thread: u32) -> &[Frame] {
        self.0.get(thread as usize).map_or(&[], Vec::as_slice)
    }

    /// Depths count calls of models, too, which are shown while they last.
    pub fn follow(&mut self, event: &Event) {
        let thread = event.thread as usize;
        self.0.resize_with(self.0.len().max(thread + 1), Vec::new);
        follow(&mut self.0[thread], event);
    }

    /// The way to the function of the user's that a thread is in, if it was called:
    /// `lock_both, called from debit at bank.c:5, from work at bank.c:17`.
    pub fn way(&self, thread: u32) -> Option<String> {
        way(self.of(thread))
    }

    /// The same for the last call of a library that has not returned, whatever that has called back.
    pub fn way_to_call(&self, thread: u32) -> Option<String> {
        let frames = self.of(thread);
        way(&frames[..frames.iter().rposition(|frame| frame.is_model).unwrap_or(frames.len())])
    }
}

fn way(frames: &[Frame]) -> Option<String> {
    let mut users = frames.iter().rev().filter(|frame| !frame.is_model && frame.at.line != 0);
    let innermost = users.next()?;
    let callers = users.map(|frame| match place(&frame.at) {
        Some(at) => format!("{} at {at}", frame.function),
        None => frame.function.clone(),
    });
    let callers: Vec<String> = callers.collect();
    (!callers.is_empty()).then(|| format!("{}, called from {}", innermost.function, callers.join(", from ")))
}

fn follow(stack: &mut Vec<Frame>, event: &Event) {
    let is_model = match &event.what {
        What::Exit => return stack.clear(),
        What::Create { .. } | What::Allocate { .. } | What::Free { .. } | What::Input { .. } | What::Wakes { .. } => {
            return;
        }
        What::Call { .. } => return stack.retain(|frame| frame.depth < event.depth),
        What::Begin { .. } => true,
        What::Read { .. } | What::Write { .. } | What::Arrive { .. } | What::Enter { .. } | What::Leave { .. } => false,
        What::Local => false,
    };
    stack.retain(|frame| frame.depth <= event.depth);
    let function = match &event.what {
        What::Begin { function, .. } | What::Enter { function, .. } => function.clone(),
        _ => event.function.clone(),
    };
    match stack.last_mut().filter(|frame| frame.depth == event.depth && !is_model) {
        Some(frame) => (frame.function, frame.at) = (function, event.at.clone()),
        None => stack.push(Frame { depth: event.depth, function, at: event.at.clone(), is_model }),
    }
    if matches!(event.what, What::Leave { .. }) {
        stack.pop();
    }
}
