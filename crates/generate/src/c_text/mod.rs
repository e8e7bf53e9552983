//! Random C programs, as text: structs, unions, padding, bit-fields, uninitialised memory, memory functions with
//! lengths from inputs, pointers into the middle of objects, function pointers, threads and locks around them.
//!
//! [`ast`] has the parts of programs, [`mod@draw`] and [`draw_values`] draw them from a seed, [`print`] turns them into
//! C, [`mod@shrink`] reduces a failing program. Programs are small: searching all their interleavings takes a moment.
//!
//! ```
//! use selvedge_generate::c_text::{Ending, Features, source};
//! let program = source(7, Features::ALL);
//! assert_eq!(program.text(Ending::Return), source(7, Features::ALL).text(Ending::Return));
//! ```

pub mod ast;
mod chance;
pub mod draw;
mod draw_values;
pub mod print;
pub mod shrink;

pub use ast::{Source, Word};
pub use draw::{Features, source};
pub use print::Ending;
pub use shrink::shrink;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_occurs() {
        let all: String = (0..400).map(|seed| source(seed, Features::ALL).text(Ending::Return)).collect();
        for part in [
            "union ",
            " : ",
            "memcpy(",
            "memmove(",
            "memset(",
            "memcmp(",
            "malloc(",
            "calloc(",
            "realloc(",
            "free(",
            "make()",
            "unknown(",
            "take(",
            "function(",
            "pass0(",
            ".f0 =",
            "pthread_create",
            "pthread_join",
            "pthread_detach",
            "pthread_cond_wait",
            "pthread_mutex_destroy",
            "__VERIFIER_atomic_begin",
            "atomic_compare_exchange_strong",
            "switch (",
            "(unsigned long)",
            "sizeof ",
            "exit(0)",
            "pthread_exit(0)",
            "alloca(",
            "strlen(",
            "thread0, (void *)&",
        ] {
            assert!(all.contains(part), "{part}");
        }
    }

    #[test]
    fn defined_programs_have_no_misuse() {
        for seed in 0..400 {
            let text = source(seed, Features::DEFINED).text(Ending::Return);
            for part in ["make()", "free(", "take(", "unknown(", "pthread_detach", "pthread_cond_wait"] {
                assert!(!text.contains(part), "{part}\n{text}");
            }
        }
    }

    /// Shrinking leaves only what makes a program fail.
    #[test]
    fn shrinking_keeps_what_fails() {
        let mut fails = |source: &Source| source.text(Ending::Return).contains("memmove(");
        let failing = (0..).map(|seed| source(seed, Features::ALL)).find(|source| fails(source));
        let Some(failing) = failing else { unreachable!("memmove occurs") };
        let small = shrink(&failing, &mut fails);
        // Statements do not move: a thread with a statement that is kept stays.
        assert_eq!((small.functions.len(), small.total_statements()), (0, 1));
        assert!(fails(&small) && small.threads.len() <= 1);
    }
}
