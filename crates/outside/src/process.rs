//! Runs a tool and listens to it. It gets what is left of the time and the memory, and nothing of it outlives
//! the run: it has a process group of its own, which is killed as a whole, whatever the reason for the end.
//!
//! The limits are the system's too, set by the shell that starts it, so that even a tool whose Selvedge was
//! killed comes to an end.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use selvedge_engine::control::{memory_limit, resident_memory};
use selvedge_engine::{Control, Progress};
use selvedge_program::Reason;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// How long an interrupt may go unnoticed.
const PERIOD: Duration = Duration::from_millis(20);
/// The most output that is read, in bytes.
const MOST_OUTPUT: usize = 1 << 30;
/// Lines that a fast tool may be ahead of us.
const LINES: usize = 1024;
/// A tool gets this at least, in bytes: less than it needs to say that it has too little.
const LEAST_MEMORY: u64 = 256 << 20;
/// For a tool that has to clean up.
const EXTRA_SECONDS: u64 = 5;
/// Tools tend to say what is wrong, and then that something is.
const LAST_LINES: usize = 2;
/// The exit code of a shell that does not find the command.
const NOT_FOUND: i32 = 127;

/// The end of a tool's run, with its output.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// All that it said, line by line: first what it printed, then its complaints, whichever came first.
    pub output: String,
    /// The part of it that came on standard error.
    pub errors: String,
    /// The last lines of its complaints; of all, if there are none.
    pub last_words: String,
}

impl Ended {
    /// How it ended, in words; nothing if in order.
    pub fn badly(&self) -> Option<String> {
        match (self.status.code(), self.status.signal()) {
            (Some(0), _) => None,
            (Some(code), _) => Some(format!("ended with exit code {code}")),
            (None, Some(signal)) => Some(format!("was ended by signal {signal}")),
            (None, None) => Some(format!("ended with {}", self.status)),
        }
    }

    /// Did it say that it has too little memory, in one of the usual ways?
    pub fn ran_out_of_memory(&self) -> bool {
        let last: String = self.output.lines().rev().take(20).collect::<Vec<_>>().join("\n").to_lowercase();
        ["out of memory", "bad_alloc", "cannot allocate", "memory exhausted"].iter().any(|words| last.contains(words))
    }
}

/// Why a tool did not run to its end.
#[derive(Debug)]
pub enum Trouble {
    NotInstalled,
    Why(Reason),
}

/// Runs a command, given as words. `heard` gets every line, and says how far the tool is.
pub fn run<S: AsRef<OsStr>>(
    words: &[S],
    control: &Control,
    heard: &mut dyn FnMut(&str) -> Progress,
) -> Result<Ended, Trouble> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{}exec \"$@\"", limits(control))).arg("sh").args(words);
    command.env("LC_ALL", "C").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child =
        command.spawn().map_err(|error| Trouble::Why(Reason::Limit(format!("cannot start a shell: {error}"))))?;
    let mut group = Group::new(child);
    let mut ear = Ear { lines: group.lines(), said: [String::new(), String::new()] };
    let mut progress = Progress::default();
    let mut status: Option<ExitStatus> = None;
    loop {
        if let Some(reason) = control.should_stop(&progress) {
            return Err(Trouble::Why(reason));
        }
        if ear.said_so_much() > MOST_OUTPUT {
            return Err(Trouble::Why(Reason::Limit("the tool prints too much".to_string())));
        }
        match ear.lines.recv_timeout(PERIOD) {
            Ok((stream, line)) => {
                progress = heard(&line);
                ear.note(stream, &line);
            }
            Err(RecvTimeoutError::Disconnected) => match status {
                Some(status) if status.code() == Some(NOT_FOUND) => return Err(Trouble::NotInstalled),
                Some(status) => return Ok(ear.ended(status)),
                // It has closed its streams, and goes on.
                None => std::thread::sleep(PERIOD),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        if status.is_none() && group.has_ended() {
            status = Some(group.end().map_err(|error| Trouble::Why(Reason::Limit(error.to_string())))?);
        }
    }
}

/// Shell commands that set what remains of the limits. A limit that cannot be set there is still enforced by us.
fn limits(control: &Control) -> String {
    let memory = control.memory_limit.map(|limit| {
        let left = limit.saturating_sub(resident_memory().unwrap_or(0)).max(LEAST_MEMORY);
        format!("ulimit -v {} 2>/dev/null; ", left >> 10)
    });
    let seconds = control.time_limit.map(|limit| {
        let left = limit.saturating_sub(control.started.elapsed()).as_secs() + EXTRA_SECONDS;
        format!("ulimit -t {left} 2>/dev/null; ")
    });
    memory.into_iter().chain(seconds).collect()
}

/// The reason to give for a tool that ran out of memory.
pub fn out_of_memory(control: &Control) -> Option<Reason> {
    control.memory_limit.map(memory_limit)
}

#[derive(Clone, Copy)]
enum Stream {
    Output,
    Complaints,
}

struct Ear {
    lines: Receiver<(Stream, String)>,
    /// By stream.
    said: [String; 2],
}

impl Ear {
    fn note(&mut self, stream: Stream, line: &str) {
        let said = &mut self.said[stream as usize];
        said.push_str(line);
        said.push('\n');
    }

    fn said_so_much(&self) -> usize {
        self.said.iter().map(String::len).sum()
    }

    fn ended(self, status: ExitStatus) -> Ended {
        let [output, complaints] = self.said;
        let telling = if complaints.trim().is_empty() { &output } else { &complaints };
        let mut last: Vec<&str> =
            telling.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(LAST_LINES).collect();
        last.reverse();
        Ended { status, last_words: last.join("; "), output: output + &complaints, errors: complaints }
    }
}

/// A process and all that it starts.
struct Group {
    child: Child,
    /// Its number, which is the group's too. `None` once there is nothing left to kill.
    leader: Option<Pid>,
}

impl Group {
    fn new(child: Child) -> Group {
        let leader = Some(Pid::from_child(&child));
        Group { child, leader }
    }

    /// Its output line by line; each stream is read by a thread of its own, which ends with the stream.
    fn lines(&mut self) -> Receiver<(Stream, String)> {
        let (sender, lines) = sync_channel(LINES);
        if let Some(output) = self.child.stdout.take() {
            let sender = sender.clone();
            std::thread::spawn(move || read(output, Stream::Output, &sender));
        }
        if let Some(complaints) = self.child.stderr.take() {
            std::thread::spawn(move || read(complaints, Stream::Complaints, &sender));
        }
        lines
    }

    /// It may still be asked for its status: its number is not free before.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(leader) = self.leader else { return true };
        !matches!(waitid(WaitId::Pid(leader), options), Ok(None))
    }

    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(leader) = self.leader.take() {
            let _ = kill_process_group(leader, Signal::KILL);
        }
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn read(stream: impl Read, which: Stream, sender: &SyncSender<(Stream, String)>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string();
        line.clear();
        if sender.send((which, text)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    fn run_quietly(script: &str, control: &Control) -> Result<Ended, Trouble> {
        run(&["sh", "-c", script], control, &mut |_| Progress::default())
    }

    #[test]
    fn both_streams_are_heard_and_the_end_is_told() {
        let mut heard = 0;
        let ended = run(&["sh", "-c", "echo one; echo two >&2; exit 7"], &Control::default(), &mut |_| {
            heard += 1;
            Progress::default()
        });
        let ended = ended.expect("it runs");
        assert_eq!(heard, 2);
        assert_eq!(ended.badly().as_deref(), Some("ended with exit code 7"));
        assert_eq!(ended.last_words, "two");
        assert!(ended.output.contains("one\n") && ended.output.contains("two\n"));
    }

    #[test]
    fn a_crash_is_named() {
        let ended = run_quietly("kill -SEGV $$", &Control::default()).expect("it runs");
        assert_eq!(ended.badly().as_deref(), Some("was ended by signal 11"));
    }

    #[test]
    fn what_does_not_exist_is_not_installed() {
        let missing = run(&["/no/such/tool"], &Control::default(), &mut |_| Progress::default());
        assert!(matches!(missing, Err(Trouble::NotInstalled)));
    }

    /// The tool starts another process, and says its number; both would run for ever.
    #[test]
    fn an_interrupt_ends_the_tool_and_all_that_it_started() {
        let control = Control::default();
        let stop = Arc::clone(&control.stop);
        let mut inner = String::new();
        let result = run(&["sh", "-c", "sleep 1000 & echo $!; wait"], &control, &mut |line| {
            inner = line.to_string();
            stop.store(true, Ordering::Relaxed);
            Progress::default()
        });
        assert!(matches!(result, Err(Trouble::Why(Reason::Interrupted))), "{result:?}");
        // A killed process takes a moment to go.
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_alive(&inner) {
            assert!(Instant::now() < deadline, "process {inner} lives on");
            std::thread::yield_now();
        }
    }

    fn is_alive(process: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let state = status.lines().find_map(|line| line.strip_prefix("State:"));
        state.is_some_and(|state| !state.trim().starts_with(['Z', 'X']))
    }

    #[test]
    fn what_a_tool_leaves_behind_does_not_keep_us() {
        let ended = run_quietly("sleep 1000 & echo done", &Control::default()).expect("it runs");
        assert_eq!(ended.output, "done\n");
    }

    #[test]
    fn the_time_limit_ends_a_tool() {
        let control = Control { time_limit: Some(Duration::from_millis(50)), ..Control::default() };
        let result = run_quietly("while :; do :; done", &control);
        assert!(matches!(result, Err(Trouble::Why(Reason::TimeLimit { .. }))), "{result:?}");
    }

    #[test]
    fn the_memory_limit_is_the_systems() {
        let control = Control { memory_limit: Some(1), ..Control::default() };
        let ended = run_quietly("ulimit -v", &control).expect("it runs");
        assert_eq!(ended.output.trim(), (LEAST_MEMORY >> 10).to_string());
    }
}
