//! The threads that touch a byte, encoded in one number.

use super::{FIRST_OWNED, PROTECTED, READ_BY_SEVERAL, SHARED, UNTOUCHED};

#[inline]
pub(super) fn touch_by_thread(code: u8, thread: usize, write: bool) -> u8 {
    let reads = FIRST_OWNED + 2 * thread as u8;
    let writes = reads + 1;
    if code == SHARED || code == writes {
        return code;
    }
    match (code, write) {
        (UNTOUCHED, false) => reads,
        (UNTOUCHED, true) => writes,
        (READ_BY_SEVERAL, false) => code,
        (code, _) if code == reads => {
            if write {
                writes
            } else {
                reads
            }
        }
        // Read by another thread: two readers do not conflict.
        (code, false) if code >= FIRST_OWNED && code % 2 == 0 => READ_BY_SEVERAL,
        _ => SHARED,
    }
}

/// The union of what two searches know about one place. Owners' codes are those of thread 0 here.
pub(super) fn joined(own: u8, its: u8) -> u8 {
    let is_read_by_one = |code: u8| (FIRST_OWNED..PROTECTED).contains(&code) && code.is_multiple_of(2);
    match (own, its) {
        (UNTOUCHED, code) | (code, UNTOUCHED) => code,
        (own, its) if own == its => own,
        (SHARED, _) | (_, SHARED) => SHARED,
        // One thread reads and also writes.
        (own, its) if own.max(its) == own.min(its) + 1 && is_read_by_one(own.min(its)) => own.max(its),
        (READ_BY_SEVERAL, code) | (code, READ_BY_SEVERAL) if is_read_by_one(code) => READ_BY_SEVERAL,
        (own, its) if is_read_by_one(own) && is_read_by_one(its) => READ_BY_SEVERAL,
        _ => SHARED,
    }
}

const OWNER_READS: u8 = 2;
const OWNER_WRITES: u8 = 3;

#[inline]
pub(super) fn touch_by_owner(code: u8, owner: bool, write: bool) -> u8 {
    match (code, owner, write) {
        (SHARED, ..) => SHARED,
        (UNTOUCHED | OWNER_READS, true, false) => OWNER_READS,
        (UNTOUCHED | OWNER_READS, true, true) => OWNER_WRITES,
        (OWNER_WRITES, true, _) => OWNER_WRITES,
        (READ_BY_SEVERAL, _, false) => READ_BY_SEVERAL,
        (UNTOUCHED | OWNER_READS, false, false) => READ_BY_SEVERAL,
        _ => SHARED,
    }
}
