//! The C functions. No panic gets out of them: it stops the search, as all other trouble does.

use crate::buffer::{Header, Phase};
use crate::session::{Driver, Session, Tracked, Trouble};
use crate::{SAYS, STOP, StopCode};
use std::cell::RefCell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// `struct pan_driver`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PanDriver {
    state: *mut u64,
    state_words: usize,
    key: *mut u64,
    key_words: usize,
    program: *const c_char,
    sharing: *const c_char,
    properties: *const c_char,
    max_input_values: u64,
    threads: c_int,
    preemptions: c_int,
    retelling: c_int,
    several: c_int,
    say: extern "C" fn(*const c_char),
    stop: extern "C" fn(c_int),
}

thread_local! {
    static SESSION: RefCell<Option<(PanDriver, Session)>> = const { RefCell::new(None) };
}

/// Reads the program, the first time.
///
/// # Safety
/// `driver` and all that it points to must stay as they are while the library is used; its buffers must have the
/// lengths that it says, and be used by nobody else during a call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pan_load(driver: *const PanDriver) {
    // SAFETY: the caller's promise.
    let driver = unsafe { *driver };
    guard(&driver, || {
        SESSION.with_borrow_mut(|session| {
            if session.is_none() {
                // SAFETY: the caller's promise.
                let described = unsafe { described(&driver) };
                *session = Some((driver, Session::new(described, driver.state_words)?));
            }
            Ok(())
        })
    });
}

/// The program's first state.
///
/// # Safety
/// As [`pan_load`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pan_setup(driver: *const PanDriver) {
    // SAFETY: the caller's promise.
    let retelling = unsafe {
        pan_load(driver);
        (*driver).retelling != 0
    };
    with(|session, tracked| {
        session.retelling = retelling;
        session.begin(tracked)
    });
}

/// # Safety
/// `name` must be a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pan_register_invariant(name: *const c_char) {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    with(|session, _| session.register_invariant(&name));
}

/// # Safety
/// `name` must be a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pan_run_function(name: *const c_char) {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    with(|session, tracked| session.run_function(tracked, &name));
}

/// # Safety
/// `name` must be a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pan_start_thread(thread: c_int, name: *const c_char, argument: u64) {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    with(|session, tracked| session.start_thread(tracked, number(thread), &name, argument));
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_begin() {
    with(|session, tracked| session.look(tracked));
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_ways(thread: c_int) -> c_int {
    with(|session, tracked| session.ways(tracked.state, number(thread)).map(|ways| ways as c_int))
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_enabled(thread: c_int) -> c_int {
    c_int::from(pan_ways(thread) > 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_step(thread: c_int, way: c_int) -> c_int {
    with(|session, tracked| session.step(tracked, number(thread), number(way)).map(c_int::from))
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_ready() -> c_int {
    c_int::from(SESSION.with_borrow(Option::is_some) && !matches!(header().phase, Phase::None | Phase::Beginning))
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_failed() -> c_int {
    c_int::from(header().phase == Phase::Failed)
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_over() -> c_int {
    c_int::from(matches!(header().phase, Phase::Over | Phase::Failed | Phase::Pruned))
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_end() {
    with(|session, tracked| {
        session.end(tracked);
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_stuck() -> c_int {
    with(|session, tracked| session.is_stuck(tracked.state).map(c_int::from))
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_pruned() -> c_int {
    c_int::from(SESSION.with_borrow(Option::is_some) && header().phase == Phase::Pruned)
}

#[unsafe(no_mangle)]
pub extern "C" fn pan_holds(proposition: c_int) -> c_int {
    let ready = pan_ready() != 0;
    c_int::from(ready && header().letter >> number(proposition).min(63) & 1 == 1)
}

fn header() -> Header {
    with(|_, tracked| Ok(Header::of(tracked.state)))
}

/// Negative numbers are nobody's.
fn number(value: c_int) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// # Safety
/// As [`pan_load`].
unsafe fn described(driver: &PanDriver) -> Driver {
    // SAFETY: the caller's promise.
    let (program, sharing, properties) =
        unsafe { (path(driver.program), path(driver.sharing), text(driver.properties)) };
    Driver {
        program,
        sharing,
        properties,
        max_input_values: driver.max_input_values,
        threads: number(driver.threads),
        preemptions: u32::try_from(driver.preemptions).ok(),
        several: driver.several != 0,
    }
}

/// # Safety
/// It must be a C string.
unsafe fn text(text: *const c_char) -> String {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// It must be a C string.
unsafe fn path(path: *const c_char) -> PathBuf {
    // SAFETY: the caller's promise.
    PathBuf::from(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()))
}

/// Does something in the session, on the tracked state.
fn with<T>(work: impl FnOnce(&mut Session, &mut Tracked<'_>) -> Result<T, Trouble>) -> T {
    let Some(driver) = SESSION.with_borrow(|session| session.as_ref().map(|(driver, _)| *driver)) else {
        eprintln!("{SAYS}pan_setup must come first");
        std::process::abort();
    };
    let (result, says) = guard(&driver, || {
        SESSION.with_borrow_mut(|session| {
            let Some((_, session)) = session else { return Err(Trouble::Wrong("there is no program".to_string())) };
            // SAFETY: promised by the caller of `pan_load`.
            let mut tracked = unsafe {
                Tracked {
                    state: std::slice::from_raw_parts_mut(driver.state, driver.state_words),
                    key: (!driver.key.is_null()).then(|| std::slice::from_raw_parts_mut(driver.key, driver.key_words)),
                }
            };
            let result = work(session, &mut tracked);
            Ok((result, std::mem::take(&mut session.says)))
        })
    });
    says.iter().for_each(|line| say(&driver, line));
    result.unwrap_or_else(|trouble| stop(&driver, &trouble))
}

fn guard<T>(driver: &PanDriver, work: impl FnOnce() -> Result<T, Trouble>) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => value,
        Ok(Err(trouble)) => stop(driver, &trouble),
        // The panic has said what is wrong, on standard error.
        Err(_) => leave(driver, StopCode::Bug),
    }
}

fn stop(driver: &PanDriver, trouble: &Trouble) -> ! {
    trouble.lines().iter().for_each(|line| say(driver, line));
    leave(driver, trouble.code())
}

fn leave(driver: &PanDriver, code: StopCode) -> ! {
    say(driver, &format!("{STOP} {}", code as c_int));
    (driver.stop)(code as c_int);
    // It should not have come back, and there is nothing to come back to.
    std::process::abort();
}

fn say(driver: &PanDriver, line: &str) {
    let line = CString::new(format!("{SAYS}{line}").replace('\0', " ")).unwrap_or_default();
    (driver.say)(line.as_ptr());
}
