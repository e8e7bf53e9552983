//! Running the command, for the tests of it.

#![allow(dead_code, reason = "every test file uses its own part")]

use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

pub const RACE: &str = r#"#include <assert.h>
#include <pthread.h>
int count;
void *worker(void *arg)
{
    count++;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
"#;

/// The line of the assertion in [`RACE`].
pub const RACE_LINE: u32 = 16;

/// More states than anybody has memory for, and more rounds than anybody has time for.
pub const ENDLESS: &str = r#"#include <pthread.h>
unsigned long n[4];
void *worker(void *p)
{
    while (1)
        ++*(unsigned long *)p;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 4; i++)
        pthread_create(&t, 0, worker, &n[i]);
    pthread_join(t, 0);
}
"#;

pub const SAFE: &str = "int main(void)\n{\n    return 0;\n}\n";

/// Sends a signal. Minimal systems have no `kill` program.
pub fn signal(process: u32, signal: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(process, signal).expect("it is there");
}

/// Sends a signal as soon as the process listens to it.
pub fn signal_when_heard(child: &Child, number: Signal) {
    while !listens(child.id(), number) {
        std::thread::yield_now();
    }
    signal(child.id(), number);
}

fn listens(process: u32, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// A folder of its own for each test.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// For temporary files of the command, which go with the test.
    pub fn temporary(&self) -> PathBuf {
        let folder = self.path().join("tmp");
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).expect("a folder");
        }
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Runs on its own, with its output kept.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.current_dir(self.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        Run::of(command.current_dir(self.path()).args(arguments).output().expect("it starts"))
    }
}

pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(output: Output) -> Run {
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }

    pub fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }

    #[track_caller]
    pub fn expect(&self, code: i32) -> &Run {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }
}

/// Two threads that count so many times, and lose some; what main claims of the sum.
pub fn two_counters(times: u32, claim: &str) -> String {
    format!(
        r#"#include <assert.h>
#include <pthread.h>
int count;
void *work(void *arg) {{
    for (int i = 0; i < {times}; i++) {{
        int old = count;
        count = old + 1;
    }}
    return 0;
}}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert({claim});
    return 0;
}}
"#
    )
}
