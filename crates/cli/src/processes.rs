//! The processes that we have started: compilers, solvers, checkers. None of them outlives us.

use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;

/// For threads that waited for a process to remove its temporary files.
const TO_CLEAN_UP: Duration = Duration::from_millis(100);

/// At the end of a command: whatever was started by a thread that was left behind ends now.
pub fn clean_up() {
    if end_descendants() {
        std::thread::sleep(TO_CLEAN_UP);
    }
}

/// Ends all processes below this one. False: there were none.
pub fn end_descendants() -> bool {
    let all = descendants("self");
    end_all(&all);
    !all.is_empty()
}

/// Ends a process of ours and all below it.
pub fn end_with_descendants(process: u32) {
    let below = descendants(&process.to_string());
    let own = i32::try_from(process).ok().and_then(Pid::from_raw);
    // It goes first, so that it starts no more of them.
    end_all(&own.into_iter().chain(below).collect::<Vec<_>>());
}

fn end_all(processes: &[Pid]) {
    for pid in processes {
        // It may have ended already.
        let _ = kill_process(*pid, Signal::KILL);
    }
}

/// Parents before their children. None where the system does not say.
fn descendants(process: &str) -> Vec<Pid> {
    let mut all = Vec::new();
    for child in children(process) {
        all.extend(Pid::from_raw(child));
        all.extend(descendants(&child.to_string()));
    }
    all
}

fn children(process: &str) -> Vec<i32> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let texts = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    texts.flat_map(|text| text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_ends_with_all_that_it_started() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 1000 & echo; wait"]).stdout(Stdio::piped());
        let mut shell = shell.spawn().expect("a shell");
        let mut output = shell.stdout.take().expect("piped");
        // It says so when there is a second process.
        std::io::Read::read_exact(&mut output, &mut [0]).expect("a line");
        let below = descendants(&shell.id().to_string());
        assert_eq!(below.len(), 1, "{below:?}");
        end_with_descendants(shell.id());
        assert_eq!(shell.wait().expect("a status").signal(), Some(9));
        // The output is closed when both have gone.
        std::io::copy(&mut output, &mut std::io::sink()).expect("its end");
    }
}
