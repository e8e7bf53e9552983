//! Ctrl-C: the first one asks the search to end in order, the second one ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// 128 + SIGINT, as shells count.
const EXIT_INTERRUPTED: i32 = 130;

/// A flag that the first interrupt sets.
pub fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    // Where no handler can be installed, an interrupt ends the process as it does by default.
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::SeqCst) {
            std::process::exit(EXIT_INTERRUPTED);
        }
    });
    stop
}
