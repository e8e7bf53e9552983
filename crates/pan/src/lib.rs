//! The virtual machine as a C library, driven by SPIN (Zaks and Joshi, "Verifying multi-threaded C programs with
//! SPIN", SPIN 2008: pancam). SPIN decides which thread goes next, keeps the states and goes back to them; the machine
//! computes what a thread does. `include/selvedge_pan.h` is what C sees of it.
//!
//! | module | what it does |
//! |---|---|
//! | `abi` | the C functions: no panic gets out, trouble stops the search |
//! | `session` | a program and the state that SPIN is in |
//! | `buffer` | the state as SPIN tracks it: words of a fixed number |
//! | `ways` | all that a thread can do in a state |
//! | `recent` | what was found out lately |
//!
//! Unlike in pancam, steps that no other thread can see are merged by what was learnt of sharing
//! ([`selvedge_vm::sharing`]) rather than by comparing the next steps of all threads in each state, so nothing need be
//! kept on SPIN's stack; and the counter of preemptions is part of the state, for otherwise a state that is first
//! reached with many would hide what follows it with few.

mod abi;
mod buffer;
mod recent;
mod session;
mod ways;

/// The header that C programs include.
pub const HEADER: &str = include_str!("../include/selvedge_pan.h");

/// Why a search stops before its end; its number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCode {
    Learnt = 3,
    Bytes = 4,
    Threads = 5,
    Wrong = 6,
    Bug = 70,
}

/// Lines that the library says begin with this.
pub const SAYS: &str = "selvedge: ";
/// A step, when a trail is retold: the thread, and what it chose.
pub const STEP: &str = "step";
/// Something was not looked at, and why.
pub const INCOMPLETE: &str = "incomplete";
/// The bound on preemptions cut something off.
pub const BOUND: &str = "bound";
/// The number of words, or threads, that would have been enough up to here.
pub const NEEDS: &str = "needs";
/// The search stops, and a [`StopCode`]. Exit codes get lost where there are several processes.
pub const STOP: &str = "stop";

impl StopCode {
    pub fn from_number(number: u32) -> Option<StopCode> {
        let all = [StopCode::Learnt, StopCode::Bytes, StopCode::Threads, StopCode::Wrong, StopCode::Bug];
        all.into_iter().find(|code| *code as u32 == number)
    }
}

pub use buffer::HEADER_WORDS;
