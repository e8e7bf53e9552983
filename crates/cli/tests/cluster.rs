//! Swarms on a cluster whose scheduler is a shell script that does what goes wrong with real ones.

mod common;

use common::{Bench, RACE, RACE_LINE, Run, signal, two_counters};
use rustix::process::Signal;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Child, Command, Stdio};

const FAKE: &str = include_str!("common/fake-slurm.sh");
/// In two rounds, some increments are lost, but not all.
fn count() -> String {
    two_counters(3, "2 <= count && count <= 6")
}
/// Nine instances, all safe.
const HERE: [&str; 6] = ["swarm", "count.c", "--unwind", "3", "--tile-size", "2"];
const CLUSTER: [&str; 6] = ["--cluster", "slurm", "--dir", "shared", "--poll", "0.02"];
const INSTANCES: usize = 9;

fn there(options: &[&'static str]) -> Vec<&'static str> {
    [&HERE[..], &CLUSTER, options].concat()
}

/// A bench with a cluster.
struct Cluster {
    bench: Bench,
}

impl Cluster {
    fn new() -> Cluster {
        let bench = Bench::new();
        bench.file("race.c", RACE);
        bench.file("count.c", &count());
        let fake = bench.file("bin/fake", FAKE);
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        for name in ["sbatch", "squeue", "scancel", "scontrol"] {
            symlink("fake", bench.path().join("bin").join(name)).expect("a link");
        }
        Cluster { bench }
    }

    /// Adds a file that makes a command of the site fail; its text may be empty.
    fn with(self, what: &str, text: &str) -> Cluster {
        self.bench.file(what, text);
        self
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        let path = std::env::var("PATH").expect("a path");
        let path = format!("{}:{path}", self.bench.path().join("bin").display());
        command.current_dir(self.bench.path()).env("FAKE", self.bench.path()).env("PATH", path);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.start(arguments).wait_with_output().expect("it ends"))
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.bench.path().join(file)).unwrap_or_default()
    }

    /// The verdict of a swarm on this machine.
    fn verdict_here(&self) -> String {
        self.bench.run(&HERE).expect(0).last_line().to_string()
    }

    /// All instances are on record once.
    #[track_caller]
    fn expect_all_once(&self) {
        let records = self.read("shared/instances.jsonl");
        let record = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        let mut names: Vec<String> = records.lines().map(|line| record(line)["instance"].to_string()).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!((names.len(), count), (count, INSTANCES), "{records}");
    }
}

#[test]
fn it_is_the_same_swarm_whatever_the_scheduler_does() {
    for (what, text, told) in [
        ("fine", "", ""),
        ("twice", "", ""),
        ("gone", "3", "note: the cluster does not answer, trying again: squeue: error: Unable to contact slurm"),
        ("lose", "2", "note: 2 tasks were lost (TIMEOUT): 4 instances are given to others\n"),
    ] {
        let cluster = Cluster::new().with(what, text);
        let run = cluster.run(&there(&["--task-instances", "2"]));
        assert_eq!(run.expect(0).last_line(), cluster.verdict_here(), "{what}");
        assert!(if told.is_empty() { run.err.is_empty() } else { run.err.contains(told) }, "{what}: {}", run.err);
        cluster.expect_all_once();
        let calls = cluster.read("calls");
        let arrays = || calls.lines().filter(|call| call.starts_with("sbatch"));
        assert!(arrays().any(|call| call.contains("--array=0-3 ")), "{calls}");
        assert!(!arrays().any(|call| call.contains("--array=0-4 ")), "{calls}");
        assert_eq!(cluster.read("shared/tasks"), "");
        // The folder is that of any swarm.
        let here = cluster.bench.run(&[&HERE[..], &["--resume", "shared"]].concat());
        assert_eq!(here.expect(0).last_line(), run.last_line());
    }
}

#[test]
fn the_first_violation_cancels_the_rest() {
    for stuck in [false, true] {
        let cluster = Cluster::new().with("hold", "0-0\n");
        let cluster = if stuck { cluster.with("stuck", "") } else { cluster };
        let there = [&["swarm", "race.c", "--tile-size", "100", "--tiles", "1"][..], &CLUSTER].concat();
        let run = cluster.run(&there);
        assert_eq!(run.expect(10).last_line(), format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})"));
        // The verdict does not depend on tasks that could not be cancelled.
        let note = "note: tasks could not be cancelled (scancel: error: Kill job error on job id 2: Access/permission \
                    denied): they run on, until you `scancel 2`\n";
        assert_eq!(run.err, if stuck { note } else { "" });
        assert_eq!(cluster.read("queue").contains("CANCELLED"), !stuck, "{}", cluster.read("queue"));
        // The answer is on record.
        assert_eq!(cluster.run(&there).expect(10).last_line(), run.last_line());
    }
}

#[test]
fn whatever_a_swarm_can_do_it_can_do_there() {
    let cluster = Cluster::new();
    let shown = cluster.bench.run(&["swarm", "race.c", "--tile-size", "2", "--show-tiling"]);
    cluster.bench.file("tiles.txt", &shown.expect(0).out);
    for (folder, options) in [
        ("probed", &["--property", "assertion"][..]),
        ("explicit", &["--engine", "explicit", "--tile-size", "100"]),
        ("by-hand", &["--tiling", "tiles.txt", "--reuse", "formula", "--rounds", "3"]),
        ("limited", &["--divide", "--tile-size", "2", "--instance-time-limit", "60", "--memory-limit", "4000"]),
    ] {
        let there = ["--cluster", "slurm", "--poll", "0.02", "--dir", folder];
        let run = cluster.run(&[&["swarm", "race.c"], options, &there].concat());
        let verdict = format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})");
        assert_eq!(run.expect(10).last_line(), verdict, "{options:?}");
        assert_eq!(run.err, "", "{options:?}");
    }
    assert!(cluster.read("calls").contains(" --mem=5000M "), "{}", cluster.read("calls"));
}

#[test]
fn an_interrupt_cancels_and_leaves_what_can_be_gone_on_with() {
    let cluster = Cluster::new().with("hold", "0-1\n");
    let mut collector = cluster.start(&there(&["--task-instances", "2"]));
    while cluster.read("shared/instances.jsonl").is_empty() {
        assert!(collector.try_wait().expect("its state").is_none(), "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    signal(collector.id(), Signal::INT);
    let run = Run::of(collector.wait_with_output().expect("it ends"));
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (interrupted)");
    assert!(!cluster.read("queue").contains("RUNNING"), "{}", cluster.read("queue"));

    std::fs::remove_file(cluster.bench.path().join("hold")).expect("it is there");
    let run = cluster.run(&there(&[]));
    assert_eq!(run.expect(0).last_line(), cluster.verdict_here());
    cluster.expect_all_once();
}

#[test]
fn what_breaks_every_task_is_given_up_and_not_covered() {
    let cluster = Cluster::new().with("hopeless", "\"3\"\n");
    let run = cluster.run(&there(&["--task-instances", "1"]));
    let all = cluster.verdict_here();
    let covered = format!(", {} of {INSTANCES} selections", INSTANCES - 1);
    assert_eq!(run.expect(0).last_line(), all.replace(&format!(", all {INSTANCES} selections"), &covered));
    let note = "note: 3 tasks broke down with instance 3, which counts as timed out now; the last one as FAILED: \
                it said: no more memory";
    assert!(run.err.contains(note), "{}", run.err);
    cluster.expect_all_once();
}

#[test]
fn what_cannot_work_is_said() {
    let spoiled = "echo '; another' >>\"$1/program.txt\"";
    let aged = "sed -i 's/\"version\": \".*\"/\"version\": \"0.0.1\"/' \"$1/cluster.json\"";
    for (what, text, told) in [
        ("refuse", "Invalid account", "error: the cluster refused: sbatch: error: Invalid account\n"),
        (
            "hopeless",
            "instances\n",
            "error: 10 tasks in a row ended without a result, the last one as FAILED; it said: ",
        ),
        ("before", spoiled, "shared/program.txt has changed since the swarm was started\n"),
        ("before", aged, "refuses to work: "),
    ] {
        let cluster = Cluster::new().with(what, text);
        let run = cluster.run(&there(&[]));
        run.expect(2);
        assert!(run.err.contains(told), "{}", run.err);
    }
    let bench = Bench::new();
    bench.file("count.c", &count());
    // Neither is there a compiler.
    let clang = Command::new("sh").args(["-c", "command -v clang-19 || command -v clang"]).output().expect("a shell");
    let clang = String::from_utf8(clang.stdout).expect("text");
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(bench.path()).env("PATH", "/nowhere").args(there(&[])).args(["--clang", clang.trim()]);
    let run = Run::of(command.output().expect("it starts"));
    run.expect(2);
    assert_eq!(run.err, "error: the cluster refused: squeue is not installed here: is this Slurm?\n");
}

#[test]
fn workers_refuse_what_is_not_theirs() {
    let cluster = Cluster::new();
    cluster.run(&there(&[])).expect(0);
    let worker = |task: &str| cluster.bench.run(&["worker", "shared", task]);
    let run = worker("7-0");
    run.expect(2);
    assert!(run.err.starts_with("error: cannot use the folder shared: tasks/7-0.json: "), "{}", run.err);
    assert!(worker("seven").expect(2).err.contains("`seven` is no task: expected something like 3-17"));
    let settings = cluster.read("shared/cluster.json");
    let version = env!("CARGO_PKG_VERSION");
    cluster.bench.file("shared/cluster.json", &settings.replace(version, "0.0.1"));
    let told = format!("error: shared was made by version 0.0.1, this is version {version}\n");
    assert_eq!(worker("0-0").expect(2).err, told);
    // Nor does a collector go on with it.
    let run = cluster.run(&there(&["--keep-going"]));
    assert!(run.expect(2).err.contains("was made by version 0.0.1"), "{}", run.err);
    assert!(cluster.bench.run(&["worker", "nowhere", "0-0"]).expect(2).err.contains("cannot use the folder nowhere"));
}

#[test]
fn nonsense_is_refused() {
    let cluster = Cluster::new();
    for (options, told) in [
        (&["--cluster", "slurm"][..], "--resume <DIR>"),
        (&["--cluster", "quantum", "--dir", "d"], "invalid value 'quantum'"),
        (&["--cluster", "slurm", "--dir", "d", "--jobs", "2"], "cannot be used with"),
        (&["--cluster", "slurm", "--dir", "d", "--array-size", "0"], "0 is not in 1.."),
        (&["--cluster", "slurm", "--dir", "d", "--poll", "0"], "expected seconds, from 0.01 to 3600"),
        (&["--partition", "p"], "--cluster <SCHEDULER>"),
    ] {
        let run = cluster.run(&[&["swarm", "count.c"], options].concat());
        assert!(run.expect(2).err.contains(told), "{options:?}: {}", run.err);
    }
}
