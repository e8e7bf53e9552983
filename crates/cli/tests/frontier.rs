//! The frontier goes to disk when memory is short.

mod common;

use common::Bench;
use serde_json::Value;

/// The JSON document of a check of Peterson's filter lock, which has many states.
fn check(options: &[&str], code: i32) -> Value {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/programs/peterson_filter.c");
    let arguments = ["check", program, "--engine", "explicit", "--json", "-"];
    let run = Bench::new().run(&[&arguments, options].concat());
    serde_json::from_str(&run.expect(code).out).expect("JSON")
}

fn number(document: &Value, name: &str) -> u64 {
    document["statistics"][name].as_u64().unwrap_or_default()
}

#[test]
fn a_search_that_is_short_of_memory_is_the_same_search() {
    let at_ease = check(&[], 0);
    assert_eq!((number(&at_ease, "states"), number(&at_ease, "on_disk")), (154_199, 0));
    let limit = ((number(&at_ease, "peak_memory") >> 20) + 4).to_string();
    for options in [&["--memory-limit", &limit][..], &["--memory-limit", &limit, "--jobs", "2", "--frontier", "auto"]] {
        let short = check(options, 0);
        assert_eq!(short["verdict"], "safe");
        assert_eq!((number(&short, "states"), number(&short, "transitions")), (154_199, 616_197));
        assert!(number(&short, "on_disk") > 0, "{options:?}: {}", short["statistics"]);
    }
    assert_eq!(number(&check(&["--memory-limit", &limit, "--frontier", "memory"], 0), "on_disk"), 0);
}

#[test]
fn with_hashes_only_the_disk_is_for_the_states_themselves() {
    let compact = |options: &[&str], code| check(&[&["--store", "compact"], options].concat(), code);
    let (memory, disk) = (compact(&[], 0), compact(&["--frontier", "disk"], 0));
    assert_eq!(number(&memory, "states"), number(&disk, "states"));
    assert!(2 * number(&disk, "peak_memory") < number(&memory, "peak_memory"));
    assert!(number(&disk, "on_disk") > number(&disk, "peak_memory"));
    // A search that runs out of memory depth first begins anew breadth first.
    let short = compact(&["--memory-limit", "4"], 0);
    assert_eq!((number(&short, "states"), number(&short, "restarts")), (number(&disk, "states"), 1));
    assert!(number(&short, "on_disk") > 0 && number(&short, "peak_memory") < 5 << 20, "{}", short["statistics"]);
    let unknown = compact(&["--memory-limit", "4", "--frontier", "memory"], 5);
    assert_eq!((number(&unknown, "on_disk"), number(&unknown, "restarts")), (0, 0));
}
