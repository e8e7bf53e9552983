//! Facts that a replay collects to explain a deadlock: the owners of locks and when they took them, and lost signals.

use crate::code::Code;
use crate::describe::{self, Known};
use crate::frames::user_pc;
use crate::memory::Spot;
use crate::oracle::MachineView;
use crate::recorder::{Recorder, position};
use crate::replay::ending::Stuck;
use crate::state::{FRAME_HEADER, State};
use selvedge_program::trace::{Holder, LockChange, Wait};
use selvedge_program::{FuncId, Loc, What};

/// Calls of the models that wake waiting threads, and are lost if there are none.
const SIGNALS: [&str; 4] = ["pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal", "cnd_broadcast"];

/// The kind of object that a call waits for, by a part of its name.
const KINDS: [(&str, &str); 9] = [
    ("mutex_", "mutex"),
    ("mtx_", "mutex"),
    ("rwlock_", "read-write lock"),
    ("spin_", "spin lock"),
    ("cond_", "condition variable"),
    ("cnd_", "condition variable"),
    ("sem_", "semaphore"),
    ("barrier_", "barrier"),
    ("once", "once object"),
];

/// A call of a model that has not returned.
#[derive(Clone, Copy)]
struct Call {
    function: FuncId,
    depth: u32,
    /// Its first argument.
    object: u64,
    at: Loc,
    /// Whether it changed an object of another thread.
    reached_another: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Synchronisation {
    /// Threads, the locks that they hold, and where they took them.
    held: Vec<(usize, u64, Loc)>,
    /// For each thread its open calls, the innermost last: a model may call a routine of the user.
    calls: Vec<Vec<Call>>,
    /// Lost signals: the condition variable, and the position of the signal.
    missed: Vec<(u64, Loc)>,
    /// The threads that wait for ever, in the end.
    pub stuck: Vec<Stuck>,
}

impl Synchronisation {
    fn calls(&mut self, thread: usize) -> &mut Vec<Call> {
        if self.calls.len() <= thread {
            self.calls.resize(thread + 1, Vec::new());
        }
        &mut self.calls[thread]
    }

    /// Notes that the user's code calls a model.
    pub fn called(&mut self, view: &MachineView<'_>, function: FuncId) {
        let callee = &view.code.program.functions[function];
        let slots = &view.code.function(function).slots;
        let first = callee.params.first().map(|param| usize::from(slots.of[*param].first));
        let object = first.map_or(0, |slot| view.stack[view.base + FRAME_HEADER + slot]);
        let calls = self.calls(view.thread);
        calls.retain(|call| call.depth < view.depth);
        calls.push(Call { function, depth: view.depth, object, at: here(view), reached_another: false });
    }

    /// Restores the thread's calls after its step was undone, because they were begun.
    pub fn call_again(&mut self, thread: usize, begun: &Synchronisation) {
        *self.calls(thread) = begun.calls.get(thread).cloned().unwrap_or_default();
    }

    /// Notes that a function returns.
    pub fn leaving(&mut self, view: &MachineView<'_>) {
        let Some(call) = self.calls(view.thread).pop_if(|call| call.depth == view.depth) else { return };
        let is_signal = SIGNALS.contains(&view.code.program.functions[call.function].name.as_str());
        if is_signal && !call.reached_another {
            self.missed.push((call.object, call.at));
        }
    }

    /// Notes that a model writes. It wakes a thread by changing that thread's record.
    pub fn written(&mut self, view: &MachineView<'_>, spot: Spot) {
        let is_of_another = matches!(spot, Spot::Object { thread, .. } if thread != view.thread);
        if let Some(call) = self.calls(view.thread).last_mut() {
            call.reached_another |= is_of_another;
        }
    }

    /// A model may declare this again for a lock that was never released.
    pub fn acquired(&mut self, view: &MachineView<'_>, lock: u64) {
        if !self.held.iter().any(|held| held.0 == view.thread && held.1 == lock) {
            self.held.push((view.thread, lock, here(view)));
        }
    }

    pub fn released(&mut self, view: &MachineView<'_>, lock: u64) {
        let is_own = |held: &(usize, u64, Loc)| held.0 == view.thread && held.1 == lock;
        let own = self.held.iter().any(is_own);
        self.held.retain(|held| if own { !is_own(held) } else { held.1 != lock });
    }

    /// The names of the locks that a thread holds.
    pub fn locks_of(&self, thread: usize, names: Known<'_, '_>) -> Vec<String> {
        let own = self.held.iter().filter(|(holder, ..)| *holder == thread);
        let named = own.map(|(_, lock, _)| describe::pointer(names, *lock));
        named.map(|name| name.strip_prefix('&').unwrap_or(&name).to_string()).collect()
    }

    fn since(&self, holder: usize, lock: u64) -> Option<Loc> {
        self.held.iter().find(|(thread, held, _)| *thread == holder && *held == lock).map(|held| held.2)
    }
}

/// The position in the user's code.
fn here(view: &MachineView<'_>) -> Loc {
    view.code.loc(user_pc(view.code, view.stack, view.pc, view.base, view.depth))
}

impl Recorder {
    /// Records that the running thread takes a lock, or gives it back.
    pub(crate) fn lock_changes(&mut self, view: &MachineView<'_>, lock: u64, taken: bool) {
        match taken {
            true => self.synchronisation.acquired(view, lock),
            false => self.synchronisation.released(view, lock),
        }
        let name = describe::pointer((view.code, view.state, &self.heap), lock);
        let lock = name.strip_prefix('&').unwrap_or(&name).to_string();
        self.locks.push(LockChange { thread: view.thread as u32, lock, taken, after: self.event_count() });
    }

    /// The threads that wait for ever, and why.
    pub(crate) fn waits(&self, code: &Code<'_>, state: &State) -> Vec<Wait> {
        self.synchronisation.stuck.iter().filter_map(|stuck| self.wait(code, state, stuck)).collect()
    }

    fn wait(&self, code: &Code<'_>, state: &State, stuck: &Stuck) -> Option<Wait> {
        let known = &self.synchronisation;
        let call = known.calls.get(stuck.thread)?.last()?;
        let function = &code.program.functions[call.function].name;
        let at = |loc: Loc| loc.is_known().then(|| position(code.program, loc));
        let mut held_by = Vec::<Holder>::new();
        for (object, thread) in &stuck.awaited {
            let since = known.since(*thread, *object).and_then(at);
            held_by.push(Holder { thread: *thread as u32, since, ended: state.threads[*thread].is_finished() });
        }
        let kind = KINDS.iter().find(|(part, _)| function.contains(part)).map(|(_, kind)| *kind);
        // A thread that was woken waits for the mutex.
        let (kind, object) = match stuck.awaited.first() {
            Some((object, _)) if kind == Some("condition variable") => (Some("mutex"), *object),
            Some((object, _)) => (kind, *object),
            None => (kind, call.object),
        };
        let what = kind.filter(|_| object != 0).map(|kind| {
            let name = describe::pointer((code, state, &self.heap), object);
            format!("{kind} `{}`", name.strip_prefix('&').unwrap_or(&name))
        });
        let missed = known.missed.iter().rev().find(|(signalled, _)| stuck.awaited.is_empty() && *signalled == object);
        Some(Wait {
            thread: stuck.thread as u32,
            at: position(code.program, stuck.at),
            call: self.text_of(stuck.thread).unwrap_or_else(|| format!("{function}(…)")),
            what,
            held_by,
            missed_signal: missed.and_then(|(_, loc)| at(*loc)),
        })
    }
    /// The call of a model that a thread is in.
    fn text_of(&self, thread: usize) -> Option<String> {
        let event = self.open_call(thread)?;
        match &event.what {
            What::Begin { function, arguments } => Some(format!("{function}({})", arguments.join(", "))),
            _ => None,
        }
    }
}
