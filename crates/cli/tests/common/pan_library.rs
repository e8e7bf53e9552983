//! The virtual machine as a C library, for SPIN: the newest that was built with the command.

use selvedge_requires::Need;
use std::path::{Path, PathBuf};

/// If there is none, the test is skipped.
pub fn find() -> Option<PathBuf> {
    selvedge_requires::found(Need::PanLibrary, newest().ok_or(()))
}

fn newest() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent()?;
    let files = [folder.to_path_buf(), folder.join("deps")].into_iter().flat_map(std::fs::read_dir);
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libselvedge_pan") && name.ends_with(".a")
    };
    let written = |path: &PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
    files.flatten().flatten().map(|entry| entry.path()).filter(is_it).max_by_key(written)
}
