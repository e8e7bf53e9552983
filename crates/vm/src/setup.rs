//! Setting up a run before its first step, for programs that embed the machine: running a function, starting threads.
//! (pancam, SPIN 2008, has `pan_run_function` and `pan_start_thread`.)

use crate::layout::MAX_THREADS;
use crate::machine::Machine;
use crate::oracle::{Ended, Oracle, Stopped};
use crate::state::Thread;
use selvedge_program::FuncId;

/// The number of parts, each of some thousand iterations, after which an initial function is considered endless.
pub(crate) const PARTS: usize = 500;

impl<O: Oracle> Machine<'_, O> {
    /// Runs a function without parameters to its end, in place of thread 0, which has not begun. Its changes to
    /// memory stay, and its allocations belong to thread 0.
    pub fn run_function(&mut self, function: FuncId) -> Result<(), String> {
        let waiting = std::mem::take(&mut self.state.threads[0].stack);
        self.state.threads[0].stack = self.new_thread(function, &[]).stack;
        // Nothing is interrupted inside an atomic section.
        self.state.threads[0].stack[0] = Thread::status(1, 1);
        for _ in 0..PARTS {
            let result = self.step(0);
            let at = || self.code.program.source.describe(self.stopped_at);
            match result {
                Ok(Ended::Paused) => {}
                Ok(Ended::Finished) => {
                    self.state.threads[0].stack = waiting;
                    return Ok(());
                }
                Ok(Ended::Exited) => return Err("it ends the process".to_string()),
                Err(Stopped::Blocked) => return Err(format!("it blocks, at {}", at())),
                Err(Stopped::Infeasible | Stopped::Unchecked { .. }) => {
                    return Err(format!("it cannot go on, at {}", at()));
                }
                Err(Stopped::Violation(violation)) => return Err(format!("it {}, at {}", violation.text, at())),
                Err(Stopped::GaveUp(reason)) => return Err(reason.to_string()),
            }
        }
        Err("it does not come to an end".to_string())
    }

    /// Starts a thread with this function: thread 0, in place of `main`, or the next new one.
    pub fn start_thread(&mut self, thread: usize, function: FuncId, argument: u64) -> Result<(), String> {
        let next = self.state.threads.len();
        let parameters = self.code.program.functions[function].params.len();
        if parameters > 1 {
            return Err(format!("it takes {parameters} arguments, and a thread has one"));
        }
        if next >= MAX_THREADS {
            return Err(format!("more than {MAX_THREADS} threads"));
        }
        let fresh = self.new_thread(function, &[argument]);
        match thread {
            0 => self.state.threads[0].stack = fresh.stack,
            _ if thread == next => self.state.threads.push(fresh),
            _ => return Err(format!("threads begin in order, and {next} is the next one")),
        }
        Ok(())
    }
}
