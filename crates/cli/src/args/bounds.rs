//! How far to look.

use super::harness::ThreadsArg;
use crate::engines::Capability;
use clap::Args;
use selvedge_program::Bounds;

/// How far the engines that bound programs look. Without any of them they deepen by themselves.
#[derive(Args)]
pub struct BoundsArgs {
    /// Look only at runs of K rounds, in each of which every thread gets one turn
    #[arg(long, value_name = "K", value_parser = rounds, add = Capability::Rounds, help_heading = BOUNDS)]
    pub rounds: Option<u32>,
    /// Look only at runs with at most C context switches. Finding threads that wait for ever takes no switch
    #[arg(long, value_name = "C", add = Capability::Switches, help_heading = BOUNDS)]
    pub switches: Option<u32>,
    /// Follow every loop for N iterations; more if constants say how many it has
    #[arg(long, value_name = "N", add = Capability::Unwinding, help_heading = BOUNDS)]
    pub unwind: Option<u32>,
    /// Follow the loop at this place for N iterations; may be given several times
    #[arg(long, value_name = "FILE:LINE=N", value_parser = unwind_loop, add = Capability::Unwinding,
          help_heading = BOUNDS)]
    pub unwind_loop: Vec<LoopBound>,
    /// Nest the calls of a recursive function N deep [default: as --unwind]
    #[arg(long, value_name = "N", add = Capability::Unwinding, help_heading = BOUNDS)]
    pub recursion: Option<u32>,
    /// Look only at runs in which a thread's store buffer holds at most N stores; for --memory-model tso and pso
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = BOUNDS)]
    pub store_buffer: Option<u32>,
}

const BOUNDS: &str = "Bounds";

/// `--unwind-loop FILE:LINE=N`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    pub file: String,
    pub line: u32,
    pub unwind: u32,
}

impl BoundsArgs {
    /// Together with the bound on threads.
    pub fn bounds(&self, threads: &ThreadsArg) -> Bounds {
        // The first that names a loop counts; of two on the command line, the last.
        let loops = self.unwind_loop.iter().rev().map(|at| ((at.file.clone(), at.line), at.unwind));
        Bounds {
            unwind: self.unwind,
            unwind_at: loops.collect(),
            recursion: self.recursion,
            rounds: self.rounds,
            switches: self.switches,
            threads: threads.at_most(),
            store_buffer: self.store_buffer,
            ..Bounds::default()
        }
    }
}

fn rounds(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0) => Err("without a round nothing runs: there must be at least 1".to_string()),
        Ok(rounds) => Ok(rounds),
        Err(error) => Err(error.to_string()),
    }
}

fn unwind_loop(text: &str) -> Result<LoopBound, String> {
    let parts = || {
        let (place, unwind) = text.rsplit_once('=')?;
        let (file, line) = place.rsplit_once(':')?;
        let line = line.parse().ok().filter(|line| *line > 0)?;
        let unwind = unwind.parse().ok()?;
        (!file.is_empty()).then(|| LoopBound { file: file.to_string(), line, unwind })
    };
    parts().ok_or_else(|| "expected FILE:LINE=N, as in queue.c:42=8".to_string())
}
