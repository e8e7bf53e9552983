//! Swarms on a real Slurm, which the tests start themselves, where it is installed.

mod common;
#[path = "common/site.rs"]
mod site;

use common::{Bench, RACE, RACE_LINE, Run, SAFE, signal, two_counters};
use rustix::process::Signal;
use site::Site;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Some instances are buggy; each takes a while.
fn slow(claim: &str) -> String {
    two_counters(12, claim)
}
/// 36 instances.
const SLOWLY: [&str; 13] = [
    "swarm",
    "slow.c",
    "--property",
    "assertion",
    "--rounds",
    "4",
    "--tile-size",
    "4",
    "--tiles",
    "1",
    "--reuse",
    "nothing",
    "--keep-going",
];
const CLUSTER: [&str; 6] = ["--cluster", "slurm", "--poll", "0.2", "--dir", "shared"];

/// Runs on its own, with its output kept.
fn start(bench: &Bench, site: &Site, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(bench.path()).args(arguments).env("SLURM_CONF", site.configuration());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn run(bench: &Bench, site: &Site, arguments: &[&str]) -> Run {
    ended(start(bench, site, arguments))
}

fn ended(child: Child) -> Run {
    Run::of(child.wait_with_output().expect("it ends"))
}

/// Waits until something is there, as long as the collector works on.
#[track_caller]
fn until<T>(collector: &mut Child, mut look: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(there) = look() {
            return there;
        }
        assert!(collector.try_wait().expect("its state").is_none(), "the collector has ended");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The processes that work in the folder, but for these.
fn worker(bench: &Bench, but: &[u32]) -> Option<u32> {
    let folder = bench.path().join("shared").display().to_string();
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| !but.contains(id)).find(|id| {
        let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = words.split(|byte| *byte == 0).collect();
        words.get(1) == Some(&&b"worker"[..]) && words.get(2) == Some(&folder.as_bytes())
    })
}

/// The instances on record, with how they ended, in order; none stands there twice.
fn instances(bench: &Bench, folder: &str) -> Vec<String> {
    let text = std::fs::read_to_string(bench.path().join(folder).join("instances.jsonl")).unwrap_or_default();
    let records = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let mut all: Vec<String> = records.map(|record| format!("{} {}", record["instance"], record["ended"])).collect();
    all.sort();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count, "an instance was done twice");
    all
}

/// Runs the swarm on this machine.
fn locally(bench: &Bench, program: &str, code: i32) -> Vec<String> {
    bench.file("slow.c", program);
    bench.run(&[&SLOWLY[..], &["--resume", "here"]].concat()).expect(code);
    let all = instances(bench, "here");
    assert_eq!(all.len(), 36);
    all
}

#[test]
fn the_verdict_is_that_of_a_local_run() {
    let Some(site) = Site::start() else { return };
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("safe.c", SAFE);
    let options = [&CLUSTER[..], &["--partition", "p", "--array-size", "8"]].concat();
    // The tile size is for the swarm to find.
    let run_there = run(&bench, &site, &[&["swarm", "race.c"], &options[..]].concat());
    let verdict = format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})");
    assert_eq!(run_there.expect(10).last_line(), verdict);

    let swarm = ["swarm", "safe.c", "--tile-size", "1"];
    let here = bench.run(&swarm);
    std::fs::remove_dir_all(bench.path().join("shared")).expect("a folder");
    let there = run(&bench, &site, &[&swarm[..], &options].concat());
    assert_eq!(there.expect(0).last_line(), here.expect(0).last_line());
    assert!(site.becomes_idle(), "{:?}", site.queue());

    let refused =
        run(&bench, &site, &[&["swarm", "race.c", "--partition", "nowhere"], &CLUSTER[..4], &["--dir", "d"]].concat());
    refused.expect(2);
    assert!(refused.err.contains("invalid partition specified: nowhere"), "{}", refused.err);
}

#[test]
fn whatever_happens_to_tasks_everything_is_done_once() {
    let Some(site) = Site::start() else { return };
    let bench = Bench::new();
    let all = locally(&bench, &slow("count > 2"), 10);
    ["n1", "n2"].iter().for_each(|node| site.set(node, "drain"));
    let options = ["--task-instances", "6", "--array-size", "6"];
    let mut collector = start(&bench, &site, &[&SLOWLY[..], &CLUSTER, &options].concat());
    // Nobody can begin. No array has more than three tasks.
    let waiting = until(&mut collector, || Some(site.queue()).filter(|queue| queue.len() == 6));
    let arrays: std::collections::BTreeSet<&str> = waiting.iter().filter_map(|task| task.split(' ').next()).collect();
    assert_eq!(arrays.len(), 2, "{waiting:?}");

    site.set("n1", "resume");
    let first = until(&mut collector, || worker(&bench, &[]));
    signal(first, Signal::KILL);
    until(&mut collector, || worker(&bench, &[first]));
    site.set("n1", "down");
    // The other node does what is left.
    site.set("n2", "resume");
    let run = ended(collector);
    run.expect(10);
    assert_eq!(instances(&bench, "shared"), all);
    assert!(["lost (", "FAILED", "NODE_FAIL"].iter().all(|words| run.err.contains(words)), "{}", run.err);
    assert!(site.becomes_idle(), "{:?}", site.queue());
}

#[test]
fn a_collector_that_was_stopped_or_killed_goes_on() {
    let Some(site) = Site::start() else { return };
    let bench = Bench::new();
    // A bug would be the answer of a collector that was stopped.
    let all = locally(&bench, &slow("count > 1"), 0);
    let command = [&SLOWLY[..], &CLUSTER, &["--task-instances", "4", "--array-size", "6"]].concat();
    let some = |collector: &mut Child, most: usize| {
        until(collector, || Some(instances(&bench, "shared")).filter(|known| known.len() > most))
    };

    let mut collector = start(&bench, &site, &command);
    some(&mut collector, 0);
    signal(collector.id(), Signal::INT);
    let run = ended(collector);
    assert_eq!(run.expect(5).last_line(), "VERDICT: unknown (interrupted)");
    let known = instances(&bench, "shared");

    // Its tasks are gone, or about to be. Those of a collector that is killed are not.
    let mut collector = start(&bench, &site, &command);
    let more = some(&mut collector, known.len());
    assert!(known.iter().all(|instance| more.contains(instance)));
    until(&mut collector, || worker(&bench, &[]));
    signal(collector.id(), Signal::KILL);
    collector.wait().expect("it ends");
    assert!(more.len() < all.len());

    let run = ended(start(&bench, &site, &command));
    run.expect(0);
    assert_eq!(instances(&bench, "shared"), all);
    assert!(!run.err.contains("TIMEOUT") && !run.err.contains("error"), "{}", run.err);
}
