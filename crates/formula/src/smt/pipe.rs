//! A process that is talked to, and can be stopped at any time.
//!
//! Three threads carry what is said in and out, so that whoever asks only ever waits for a channel, and can
//! look at the clock and the stop flag meanwhile: a solver that neither reads nor answers blocks nobody, and
//! one that talks without end fills no memory. The process ends when this value does. It stays in our group,
//! so that what ends the group ends it too; Ctrl-C therefore reaches it as well as us.

use super::sexp::{Sexp, read};
use crate::limits::Limits;
use crate::solver::Unknown;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at the limits.
const TICK: Duration = Duration::from_millis(10);
/// For a process that has closed its output to end by itself.
const GRACE: Duration = Duration::from_millis(200);
/// The part of its complaints that is kept.
const COMPLAINTS: u64 = 2000;

/// What came back.
pub(super) enum Heard {
    Reply(Sexp),
    /// No parentheses that match.
    Nonsense(String),
    /// The process ended.
    End,
    Over(Unknown),
}

pub(super) struct Pipe {
    child: Child,
    to: Sender<String>,
    from: Receiver<io::Result<Sexp>>,
    complaints: Receiver<String>,
}

impl Pipe {
    pub fn start(command: &str, arguments: &[String]) -> io::Result<Pipe> {
        let mut process = Command::new(command);
        process.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (to, texts) = channel::<String>();
        let (replies, from) = sync_channel(16);
        let (last_words, complaints) = sync_channel(1);
        thread::spawn(move || carry(texts, stdin.expect("piped")));
        thread::spawn(move || listen(stdout.expect("piped"), replies));
        thread::spawn(move || last_words.send(beginning(stderr.expect("piped"))));
        Ok(Pipe { child, to, from, complaints })
    }

    /// Does not wait until it is read.
    pub fn say(&self, text: String) {
        // If there is nobody to hear it, that shows when an answer is wanted.
        let _ = self.to.send(text);
    }

    pub fn hear(&self, limits: &Limits) -> Heard {
        loop {
            match self.from.recv_timeout(TICK) {
                Ok(Ok(reply)) => return Heard::Reply(reply),
                Ok(Err(why)) if why.kind() == io::ErrorKind::UnexpectedEof => return Heard::End,
                Ok(Err(why)) => return Heard::Nonsense(why.to_string()),
                Err(RecvTimeoutError::Disconnected) => return Heard::End,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(why) = limits.reached() {
                        return Heard::Over(why);
                    }
                }
            }
        }
    }

    /// How it ended, in its words and in the system's. Takes a moment, also for the sake of the stop flag: Ctrl-C
    /// ends the process and sets the flag, in whatever order.
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
        let complaints = self.complaints.recv_timeout(GRACE).unwrap_or_default();
        if complaints.trim().is_empty() { status } else { format!("{status}: {}", complaints.trim()) }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // It may have ended already; there is nothing more to do about it either way.
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

/// The first part, once all of it is there.
fn beginning(mut from: impl Read) -> String {
    let mut text = Vec::new();
    let _ = from.by_ref().take(COMPLAINTS).read_to_end(&mut text);
    let _ = io::copy(&mut from, &mut io::sink());
    String::from_utf8_lossy(&text).into_owned()
}
