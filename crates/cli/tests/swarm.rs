//! `selvedge swarm` as its users meet it.

mod common;

use common::{Bench, RACE, RACE_LINE, SAFE};

fn read(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path().join(name)).expect(name)
}

#[test]
fn a_race_is_found_without_parameters_and_with_some() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let verdict = format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})");
    for options in [
        &[][..],
        &["--jobs", "1"],
        &["--tile-size", "1", "--tiles", "3", "--shift", "0"],
        &["--engine", "explicit"],
        &["--reuse", "nothing", "--rounds", "3"],
        &["--no-intervals"],
    ] {
        let run = bench.run(&[&["swarm", "race.c"], options].concat());
        assert_eq!(run.expect(10).last_line(), verdict, "{options:?}");
        assert!(run.out.contains("replay: selvedge replay race.c --schedule"), "{}", run.out);
        assert!(run.out.contains("\nswarm: "), "{}", run.out);
    }
}

const ATOMIC: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *thread(void *arg) { x++; x++; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    x++;
    pthread_join(t, 0);
    assert(x == 3);
}
";

/// An instance is a file of sequential C; the verdicts, the records and their names are those of the lazy engine.
#[test]
fn cbmc_checks_instances_too() {
    if !selvedge_requires::cbmc() {
        return;
    }
    let bench = Bench::new();
    bench.file("race.c", RACE);
    bench.file("atomic.c", ATOMIC);
    let options = ["--property", "assertion", "--tile-size", "2"];
    let names = |engine: &str| {
        let own = ["--engine", engine, "--keep-going", "--resume", engine];
        let run = bench.run(&[&["swarm", "race.c"], &options[..], &own].concat());
        assert_eq!(run.expect(10).last_line(), format!("VERDICT: unsafe (assertion at race.c:{RACE_LINE})"));
        let records = read(&bench, &format!("{engine}/instances.jsonl"));
        let mut ended: Vec<(String, String)> = records
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .map(|record| (record["instance"].to_string(), record["ended"].to_string()))
            .collect();
        ended.sort();
        ended
    };
    assert_eq!(names("cbmc"), names("lazy"));
    let run = bench.run(&[&["swarm", "atomic.c", "--engine", "cbmc"], &options[..]].concat());
    let told = run.expect(0).last_line();
    assert!(told.contains(", rounds 2, all ") && told.ends_with("of 2 tiles of size 2)"), "{told}");
}

#[test]
fn a_safe_program_is_safe_in_all_selections() {
    let bench = Bench::new();
    bench.file("safe.c", SAFE);
    let run = bench.run(&["swarm", "safe.c", "--tile-size", "1"]);
    let told = run.expect(0).last_line();
    assert!(told.starts_with("VERDICT: safe within bounds (unwind 2 "), "{told}");
    assert!(told.contains(", rounds 2, all ") && told.ends_with("of 2 tiles of size 1)"), "{told}");
}

#[test]
fn records_json_and_plot() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let options = ["--tile-size", "1", "--keep-going", "--resume", "run", "--json", "r.json", "--plot", "p.svg"];
    let first = bench.run(&[&["swarm", "race.c"][..], &options].concat());
    first.expect(10);
    let document: serde_json::Value = serde_json::from_str(&read(&bench, "r.json")).expect("JSON");
    assert_eq!(document["engine"], "swarm");
    assert_eq!(document["answered_by"], "lazy");
    let instances = document["swarm"]["safe"].as_u64().unwrap_or(0) + document["swarm"]["buggy"].as_u64().unwrap_or(0);
    assert_eq!(read(&bench, "run/instances.jsonl").lines().count() as u64, instances);
    assert!(read(&bench, "p.svg").contains("tile size 1: "));

    // All is on record: the second run has nothing to do.
    let second = bench.run(&[&["swarm", "race.c"][..], &options].concat());
    second.expect(10);
    assert_eq!(read(&bench, "run/instances.jsonl").lines().count() as u64, instances);

    let other = bench.run(&["swarm", "race.c", "--tile-size", "2", "--resume", "run"]);
    other.expect(2);
    assert!(other.err.starts_with("error: run belongs to another run: the tiling is of size 1"), "{}", other.err);
}

#[test]
fn a_tiling_is_shown_and_taken_back() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    let shown = bench.run(&["swarm", "race.c", "--tile-size", "2", "--show-tiling"]);
    shown.expect(0);
    bench.file("tiles.txt", &shown.out);
    let run = bench.run(&["swarm", "race.c", "--tiling", "tiles.txt"]);
    run.expect(10);
    assert!(run.out.contains("2 tiles given by hand: "), "{}", run.out);

    bench.file("wrong.txt", "# mine\nthread 1: 1-x\n");
    let run = bench.run(&["swarm", "race.c", "--tiling", "wrong.txt"]);
    run.expect(2);
    let told = "error: wrong.txt is no tiling: line 2: `1-x` is neither a point nor a range of points like 1-12\n";
    assert_eq!(run.err, told);
}

#[test]
fn nonsense_is_refused() {
    let bench = Bench::new();
    bench.file("race.c", RACE);
    for (options, told) in [
        (&["--tile-size", "0"][..], "0 is not in 1.."),
        (&["--instances", "0"], "there must be at least 1, or all"),
        (&["--instances", "some"], "expected a number, or all"),
        (&["--tiles", "0"], "0 is not in 1.."),
        (
            &["--engine", "explicit", "--rounds", "2"],
            "--engine explicit does not take --rounds; engines that do: lazy, cbmc",
        ),
        (
            &["--engine", "explicit", "--reuse", "formula"],
            "--engine explicit does not take --reuse; engines that do: lazy",
        ),
        (&["--engine", "cbmc", "--reuse", "formula"], "--engine cbmc does not take --reuse"),
        (&["--engine", "explicit", "--no-intervals"], "--engine explicit does not take --no-intervals"),
        (&["--intervals", "frama-c"], "--intervals frama-c requires --rounds"),
        (&["--instance-time-limit", "0"], "expected a positive number of seconds"),
        (&["--tiling", "nowhere.txt"], "cannot read nowhere.txt"),
        (&["--tiling", "race.c", "--tile-size", "3"], "cannot be used with"),
    ] {
        let run = bench.run(&[&["swarm", "race.c"], options].concat());
        run.expect(2);
        assert!(run.err.contains(told), "{options:?}: {}", run.err);
    }
}
