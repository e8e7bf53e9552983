//! Deadlocks in the sequential program: threads that wait for ever, as `selvedge_vm::deadlock` defines them.
//!
//! Those are the largest set in which everyone waits for one that has ended or is in the set itself, or for anybody
//! while all that have not ended are in it. Behind the last round such a set is guessed (`doomed_T`), and every thread
//! in it is asked whether it waits where it stands (`probe`). The largest such set is not empty exactly if any is not.
//! A thread may end its last turn in any round, so one look at the end is enough.
//!
//! A thread stopped by a bound stands behind its last point, where nobody waits; a thread that went where it waits
//! for ever, and others saw it go, has said so (`stuck_T`).

use crate::buffers::Buffers;
use crate::code::{Code, What, Why};
use crate::driver::active;
use crate::{Options, Style};
use std::fmt::Write;

/// The threads that may wait, by number.
pub struct Waiters<'c> {
    threads: &'c [Code],
    probes: &'c [Code],
}

impl<'c> Waiters<'c> {
    pub fn new(threads: &'c [Code], probes: &'c [Code]) -> Waiters<'c> {
        Waiters { threads, probes }
    }

    pub fn probe(&self, thread: usize) -> Option<&'c Code> {
        self.probes.iter().find(|probe| probe.thread == thread)
    }

    fn may_wait(&self, thread: usize) -> bool {
        self.probe(thread).is_some() || may_be_stuck(&self.threads[thread])
    }

    fn are_none(&self) -> bool {
        (0..self.threads.len()).all(|thread| !self.may_wait(thread))
    }

    pub fn declarations(&self, options: &Options) -> String {
        if self.are_none() {
            return String::new();
        }
        let finished = match options.style {
            Style::Cav14 => "active[t] && pc[t] == size[t]",
            Style::Tacas17 => "active_##t && pc_##t == SIZE_##t",
        };
        let mut text = format!(
            "__attribute__((unused)) static _Bool probing, helpless, nobody, unsure;\n\
             #define IN_VAIN(t) (doomed_##t || ({finished}))\n\
             #define WAITS(c) if (!(c)) {{ ASSUME(helpless || nobody) goto waits; }} helpless = 0;\n"
        );
        for thread in 0..self.threads.len() {
            let stuck = if may_be_stuck(&self.threads[thread]) { format!(", stuck_{thread}") } else { String::new() };
            let _ = writeln!(text, "__attribute__((unused)) static _Bool doomed_{thread}{stuck};");
        }
        text
    }

    /// Behind the last round. `unsure_at`: a place where it cannot be told whether a thread waits.
    /// As long as a store waits in a buffer, something can happen; but it does not help those who wait for each other.
    pub fn question(&self, options: &Options, unsure_at: Option<&str>, buffers: &Buffers) -> String {
        if self.are_none() {
            return String::new();
        }
        let threads = || 0..self.threads.len();
        let waiters: Vec<usize> = threads().filter(|thread| self.may_wait(*thread)).collect();
        let mut text = "    /* does somebody wait for ever? */\n    probing = 1;\n".to_string();
        let guesses: Vec<String> = waiters.iter().map(|thread| format!("doomed_{thread} = ANY(bool);")).collect();
        let any: Vec<String> = waiters.iter().map(|thread| format!("doomed_{thread}")).collect();
        let still: Vec<String> = threads()
            .map(|thread| match self.may_wait(thread) {
                true => format!("(doomed_{thread} || FINISHED({thread}))"),
                false => format!("FINISHED({thread})"),
            })
            .chain(buffers.at_rest())
            .collect();
        let _ = writeln!(text, "    {}\n    ASSUME({})", guesses.join(" "), any.join(" || "));
        let _ = writeln!(text, "    nobody = {};", still.join(" && "));
        text.push_str(&buffers.everything());
        for thread in waiters {
            let mut ask = match self.probe(thread) {
                Some(_) => format!("helpless = 0; thread_{thread}();"),
                None => "ASSUME(0)".to_string(),
            };
            if may_be_stuck(&self.threads[thread]) {
                ask = format!("if (stuck_{thread}) {{ ASSUME(nobody) }} else {{ {ask} }}");
            }
            let active = active(options, thread);
            let _ = writeln!(text, "    if (doomed_{thread}) {{ ASSUME({active}) {ask} }}");
        }
        if let Some(place) = unsure_at {
            let what = "a section of which it cannot be told whether it waits";
            let quoted = place.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "    if (unsure) UNSUPPORTED(\"{what} at {quoted}\")");
        }
        text.push_str("    ASSERT(0, \"deadlock: threads wait for ever\")\n");
        text
    }
}

/// May the thread go where it waits for ever, and be seen to go?
fn may_be_stuck(code: &Code) -> bool {
    code.items().any(|item| matches!(item.what, Some(What::Require { why: Why::Wait, halts: true, .. })))
}
