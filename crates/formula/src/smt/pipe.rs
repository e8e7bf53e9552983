//! A process with pipes to and from it, which can be stopped at any time.
//!
//! Two threads carry its input and output, so that the caller only ever waits for a channel and can check the clock
//! and the stop flag meanwhile: a solver that neither reads nor answers blocks nobody, and one that writes
//! endlessly fills no memory. Standard error is read without waiting, so everything written to it before an
//! answer is seen with the answer. Dropping the value ends the process. It stays in our process group,
//! so it ends with the group; Ctrl-C therefore reaches it as well as us.

use super::sexp::{Sexp, read};
use crate::limits::Limits;
use crate::solver::Unknown;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two checks of the limits.
const TICK: Duration = Duration::from_millis(10);
/// The time that a process gets to end after it has closed its output.
const GRACE: Duration = Duration::from_millis(200);
/// The most bytes of standard error that are kept.
const COMPLAINTS: usize = 2000;
/// Standard error is read in parts of this size, at most [`PARTS`] at a time.
const PART: usize = 4096;
const PARTS: u32 = 16;

/// The outcome of waiting for a reply.
pub(super) enum Received {
    Reply(Sexp),
    /// Malformed output.
    Nonsense(String),
    /// The process ended.
    End,
    Over(Unknown),
}

pub(super) struct Pipe {
    child: Child,
    to: Sender<String>,
    from: Receiver<io::Result<Sexp>>,
    errors: ChildStderr,
    /// The beginning of its standard error.
    complaints: Vec<u8>,
}

impl Pipe {
    pub fn start(command: &str, arguments: &[String]) -> io::Result<Pipe> {
        let mut process = Command::new(command);
        process.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let errors = child.stderr.take().expect("piped");
        fcntl_setfl(&errors, fcntl_getfl(&errors)? | OFlags::NONBLOCK)?;
        let (to, texts) = channel::<String>();
        let (replies, from) = sync_channel(16);
        thread::spawn(move || carry(texts, stdin.expect("piped")));
        thread::spawn(move || listen(stdout.expect("piped"), replies));
        Ok(Pipe { child, to, from, errors, complaints: Vec::new() })
    }

    /// Sends text without waiting until it is read.
    pub fn send(&self, text: String) {
        // If the process has ended, the next reply shows it.
        let _ = self.to.send(text);
    }

    /// Its standard error so far.
    pub fn complaints(&mut self) -> String {
        let mut part = [0; PART];
        // A process that writes endlessly must not keep us here.
        for _ in 0..PARTS {
            // End of file, an error and "nothing yet" mean the same here: there is nothing more to read now.
            let Ok(read @ 1..) = self.errors.read(&mut part) else { break };
            self.complaints.extend(&part[..read.min(COMPLAINTS - self.complaints.len())]);
        }
        String::from_utf8_lossy(&self.complaints).trim().to_owned()
    }

    pub fn receive(&mut self, limits: &Limits) -> Received {
        loop {
            let heard = self.from.recv_timeout(TICK);
            // Read in any case: a full pipe would block the solver.
            self.complaints();
            match heard {
                Ok(Ok(reply)) => return Received::Reply(reply),
                Ok(Err(why)) if why.kind() == io::ErrorKind::UnexpectedEof => return Received::End,
                Ok(Err(why)) => return Received::Nonsense(why.to_string()),
                Err(RecvTimeoutError::Disconnected) => return Received::End,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(why) = limits.reached() {
                        return Received::Over(why);
                    }
                }
            }
        }
    }

    /// How the process ended: its exit status and its standard error. Waits a moment, also because Ctrl-C ends the
    /// process and sets the stop flag in either order.
    pub fn obituary(mut self) -> String {
        let since = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && since.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(5 * TICK);
        let status = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => "it closed its output".to_owned(),
        };
        let complaints = self.complaints();
        if complaints.is_empty() { status } else { format!("{status}: {complaints}") }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn carry(texts: Receiver<String>, mut stdin: impl Write) {
    for text in texts {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn listen(stdout: impl Read, replies: SyncSender<io::Result<Sexp>>) {
    let mut stdout = BufReader::new(stdout);
    while let Some(reply) = read(&mut stdout).transpose() {
        let is_the_last = reply.is_err();
        if replies.send(reply).is_err() || is_the_last {
            return;
        }
    }
}
