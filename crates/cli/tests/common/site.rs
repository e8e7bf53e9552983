//! A Slurm for a test, on this machine: munged, slurmctld and two slurmd, in a folder of their own.

use rustix::process::Signal;
use selvedge_requires::Need;
use std::fs::{Permissions, create_dir, set_permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const CONFIGURATION: &str = include_str!("slurm.conf");
/// Looks at daemons that come up, before they are given up: half a minute.
const PATIENCE: u32 = 600;
const BLINK: Duration = Duration::from_millis(50);

pub struct Site {
    folder: tempfile::TempDir,
    daemons: Vec<Child>,
}

impl Site {
    /// `None`, and a message: there is no Slurm to be had here.
    pub fn start() -> Option<Site> {
        let skipped = |why: &str| {
            selvedge_requires::skip_because(Need::Slurm, why);
            None
        };
        let missing = ["munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue"]
            .into_iter()
            .find(|tool| find(tool).is_none());
        if let Some(tool) = missing {
            return skipped(&format!("there is no {tool}"));
        }
        if !std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
            return skipped("only root can start it");
        }
        let mut site = Site { folder: tempfile::tempdir().expect("a folder"), daemons: Vec::new() };
        match site.come_up() {
            true => Some(site),
            false => skipped(&format!("it does not start here:\n{}", site.logs())),
        }
    }

    fn come_up(&mut self) -> bool {
        let folder = self.path().to_path_buf();
        let name = |name: &str| folder.join(name).display().to_string();
        // munged wants a folder that others can pass through, but not write to.
        set_permissions(&folder, Permissions::from_mode(0o755)).expect("it is ours");
        ["state", "spool-n1", "spool-n2"].iter().for_each(|part| create_dir(folder.join(part)).expect("room"));
        let ports = [0; 3].map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"));
        let mut text = CONFIGURATION.replace("@DIR@", &folder.display().to_string());
        for (number, port) in ports.iter().enumerate() {
            let port = port.local_addr().expect("it is bound").port();
            text = text.replace(&format!("@PORT{number}@"), &port.to_string());
        }
        drop(ports);
        std::fs::write(self.configuration(), text).expect("room");
        let key = Command::new(find("mungekey").expect("it is there")).args(["-c", "-k", &name("key")]).status();
        if !key.is_ok_and(|status| status.success()) {
            return false;
        }
        let paths = ["key-file", "socket", "pid-file", "log-file", "seed-file"].into_iter().zip([
            "key",
            "munge.socket",
            "munged.pid",
            "munged.log",
            "munged.seed",
        ]);
        let options: Vec<String> = paths.map(|(option, file)| format!("--{option}={}", name(file))).collect();
        self.daemon(
            "munged",
            &[&["--force", "--foreground"][..], &options.iter().map(String::as_str).collect::<Vec<_>>()].concat(),
        );
        if !eventually(|| folder.join("munge.socket").exists()) {
            return false;
        }
        self.daemon("slurmctld", &["-D"]);
        self.daemon("slurmd", &["-D", "-N", "n1"]);
        self.daemon("slurmd", &["-D", "-N", "n2"]);
        eventually(|| self.ask("sinfo", &["--noheader", "--Node", "--format=%t"]) == "idle\nidle\n")
    }

    fn daemon(&mut self, tool: &str, arguments: &[&str]) {
        let log = std::fs::File::create(self.path().join(format!("{tool}-{}.log", self.daemons.len()))).expect("room");
        let mut command = Command::new(find(tool).expect("it is there"));
        command.args(arguments).env("SLURM_CONF", self.configuration());
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a file")).stderr(log);
        self.daemons.push(command.spawn().expect("it starts"));
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// For the environment of Slurm's commands, as `SLURM_CONF`.
    pub fn configuration(&self) -> PathBuf {
        self.path().join("slurm.conf")
    }

    /// The output of one of Slurm's commands.
    pub fn ask(&self, tool: &str, arguments: &[&str]) -> String {
        let output = Command::new(tool).args(arguments).env("SLURM_CONF", self.configuration()).output().expect(tool);
        String::from_utf8(output.stdout).expect("text")
    }

    /// Sets the state of a node.
    pub fn set(&self, node: &str, state: &str) {
        let (node, state) = (format!("nodename={node}"), format!("state={state}"));
        self.ask("scontrol", &["update", &node, &state, "reason=test"]);
    }

    /// Tasks that wait or run.
    pub fn queue(&self) -> Vec<String> {
        let listed = self.ask("squeue", &["--noheader", "--array", "--format=%F %K %T %j"]);
        listed.lines().map(str::to_string).collect()
    }

    /// Does everything leave the queue by itself? A task has told its results a moment before it ends.
    pub fn becomes_idle(&self) -> bool {
        eventually(|| self.queue().is_empty())
    }

    fn logs(&self) -> String {
        let files = std::fs::read_dir(self.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
        let text = |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_default();
        logs.map(text).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // While there is somebody to obey.
        if self.daemons.len() > 1 {
            self.ask("scancel", &["--me"]);
            self.becomes_idle();
        }
        for daemon in self.daemons.iter_mut().rev() {
            crate::common::signal(daemon.id(), Signal::TERM);
            let _ = daemon.wait();
        }
    }
}

fn eventually(condition: impl Fn() -> bool) -> bool {
    (0..PATIENCE).any(|_| {
        let holds = condition();
        if !holds {
            std::thread::sleep(BLINK);
        }
        holds
    })
}

/// Daemons are not on everybody's path.
fn find(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(tool)).find(|file| file.is_file())
}
