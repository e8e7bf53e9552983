//! How far to look.

use clap::Args;
use selvedge_program::Bounds;

/// How far the engines that bound programs look. Without any of them they deepen by themselves.
#[derive(Args)]
pub struct BoundsArgs {
    /// Look only at runs of K rounds, in each of which every thread gets one turn
    #[arg(long, value_name = "K", value_parser = rounds, help_heading = BOUNDS)]
    pub rounds: Option<u32>,
    /// Look only at runs with at most C context switches; for the tree engine and the explicit one. That threads are
    /// found to wait for ever takes no switch
    #[arg(long, value_name = "C", help_heading = BOUNDS)]
    pub switches: Option<u32>,
    /// Follow every loop for N iterations; more if it is evident how many it has
    #[arg(long, value_name = "N", help_heading = BOUNDS)]
    pub unwind: Option<u32>,
    /// Follow the loop at this place for N iterations; may be given several times
    #[arg(long, value_name = "FILE:LINE=N", value_parser = unwind_loop, help_heading = BOUNDS)]
    pub unwind_loop: Vec<LoopBound>,
    /// Nest the calls of a recursive function N deep [default: as --unwind]
    #[arg(long, value_name = "N", help_heading = BOUNDS)]
    pub recursion: Option<u32>,
    /// Follow the first N threads besides main that the unwound program can create [default: 64]
    #[arg(long, value_name = "N", help_heading = BOUNDS)]
    pub threads: Option<u32>,
}

const BOUNDS: &str = "Bounds (of the explicit engine only --switches)";

/// `--unwind-loop FILE:LINE=N`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    pub file: String,
    pub line: u32,
    pub unwind: u32,
}

impl BoundsArgs {
    /// The options that were given.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--rounds", self.rounds.is_some()),
            ("--switches", self.switches.is_some()),
            ("--unwind", self.unwind.is_some()),
            ("--unwind-loop", !self.unwind_loop.is_empty()),
            ("--recursion", self.recursion.is_some()),
            ("--threads", self.threads.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    pub fn bounds(&self) -> Bounds {
        // The first that names a loop counts; of two on the command line, the last.
        let loops = self.unwind_loop.iter().rev().map(|at| ((at.file.clone(), at.line), at.unwind));
        Bounds {
            unwind: self.unwind,
            unwind_at: loops.collect(),
            recursion: self.recursion,
            rounds: self.rounds,
            switches: self.switches,
            threads: self.threads,
            ..Bounds::default()
        }
    }

    /// As they are written, for another command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
        self.rounds.iter().for_each(|n| option("--rounds", n.to_string()));
        self.switches.iter().for_each(|n| option("--switches", n.to_string()));
        self.unwind.iter().for_each(|n| option("--unwind", n.to_string()));
        self.unwind_loop.iter().for_each(|LoopBound { file, line, unwind }| {
            option("--unwind-loop", format!("{file}:{line}={unwind}"));
        });
        self.recursion.iter().for_each(|n| option("--recursion", n.to_string()));
        self.threads.iter().for_each(|n| option("--threads", n.to_string()));
        words
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
