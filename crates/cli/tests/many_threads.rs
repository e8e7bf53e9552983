//! States with few threads and states with many are stored differently; a search goes from one to the other and back.

mod common;

use common::Bench;
use serde_json::Value;

const COMING: &str = r#"#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *worker(void *arg)
{
    x++;
    return 0;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 8; i++)
        pthread_create(&thread, 0, worker, 0);
    return 0;
}
"#;

fn states(options: &[&str]) -> u64 {
    let bench = Bench::new();
    bench.file("threads.c", COMING);
    let arguments = ["check", "threads.c", "--engine", "explicit", "--property", "memory", "--json", "-"];
    let run = bench.run(&[&arguments, options].concat());
    let document: Value = serde_json::from_str(&run.expect(0).out).expect("JSON");
    document["statistics"]["states"].as_u64().expect("a number")
}

#[test]
fn no_state_is_counted_twice_however_it_was_reached() {
    assert_eq!(states(&["--symmetry=never"]), 511);
    assert_eq!(states(&["--symmetry=never", "--jobs", "2"]), 511);
    // There, states are compared as a whole, not by their parts; the first is not counted.
    assert_eq!(states(&["--store", "compact", "--frontier", "disk"]), 510);
    // All threads are alike.
    assert_eq!(states(&[]), 17);
    assert_eq!(states(&["--jobs", "2"]), 17);
}
