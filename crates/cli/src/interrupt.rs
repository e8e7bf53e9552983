//! Ctrl-C, SIGTERM and SIGHUP: the first one asks the command to end in order, the second one ends the process.

use crate::processes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// 128 + SIGINT, as shells count.
const EXIT_INTERRUPTED: i32 = 130;

/// A flag that the first signal sets.
pub fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    // The flag itself may be set for other reasons.
    let asked_before = AtomicBool::new(false);
    // Where no handler can be installed, a signal ends the process as it does by default.
    let _ = ctrlc::set_handler(move || {
        set.store(true, Ordering::SeqCst);
        if asked_before.swap(true, Ordering::SeqCst) {
            processes::end_descendants();
            std::process::exit(EXIT_INTERRUPTED);
        }
    });
    stop
}
