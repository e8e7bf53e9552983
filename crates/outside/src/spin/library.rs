//! Finds the VM as a C library, which SPIN's verifiers are linked with.

use std::path::{Path, PathBuf};

pub const FILE: &str = "libselvedge_pan.a";
/// Names it, wherever it is.
pub const VARIABLE: &str = "SELVEDGE_PAN_LIBRARY";

/// The library: as it is given, as the variable says, or near this program.
pub fn find(given: Option<&Path>) -> Result<PathBuf, String> {
    let named = given.map(PathBuf::from).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
    if let Some(path) = named {
        return match path.is_file() {
            true => Ok(absolute(path)),
            false => Err(format!("{} is not there: it should be Selvedge's library for SPIN", path.display())),
        };
    }
    let program = std::env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    // Beside it, as it is built or unpacked; where the system's packages have libraries; beside tests.
    let places = ["", "../lib/selvedge", ".."].map(|place| folder.join(place).join(FILE));
    places.into_iter().find(|path| path.is_file()).map(absolute).ok_or_else(|| {
        format!(
            "{FILE} is not beside {}: build it (cargo build --release -p selvedge-pan), or name it with \
             --pan-library or {VARIABLE}",
            program.display()
        )
    })
}

fn absolute(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}
