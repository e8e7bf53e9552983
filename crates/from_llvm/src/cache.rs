//! Results of the compiler that are the same every time, kept between commands: the IR of our models, and which version
//! a clang is.
//!
//! A small check would otherwise spend most of its time on them. An entry is a file named after a hash of all that it
//! was made from: the text, the command line, and the compiler's own file with its size and time. It begins with a hash
//! of the rest, so that a damaged one is made again. The cache is only ever a shortcut: what goes wrong with it is as
//! if it were empty.
//!
//! It lies in `SELVEDGE_CACHE`, else among the user's caches. If that variable is empty there is none.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// More entries than this are not kept; the oldest go first, half of them at a time.
const MOST_ENTRIES: usize = 64;

/// The inputs of an entry.
pub(crate) struct Key(blake3::Hasher);

impl Key {
    pub(crate) fn new(kind: &str) -> Key {
        Key(blake3::Hasher::new()).with(kind.as_bytes())
    }

    pub(crate) fn with(mut self, part: &[u8]) -> Key {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// A program, found as a shell would, as it now is; `None` if it is not there.
    pub(crate) fn with_program(self, program: &Path) -> Option<Key> {
        let path = found(program)?.canonicalize().ok()?;
        let metadata = path.metadata().ok()?;
        let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let of_file = self.with(path.as_os_str().as_encoded_bytes()).with(&metadata.len().to_le_bytes());
        Some(of_file.with(&written.as_nanos().to_le_bytes()))
    }

    fn path(&self) -> Option<PathBuf> {
        Some(folder()?.join(self.0.finalize().to_hex().as_str()))
    }

    /// The entry, if there is one.
    pub(crate) fn entry(&self) -> Option<String> {
        let text = fs::read_to_string(self.path()?).ok()?;
        let (hash, text) = text.split_once('\n')?;
        (blake3::hash(text.as_bytes()).to_hex().as_str() == hash).then(|| text.to_owned())
    }

    /// Keeps an entry.
    pub(crate) fn keep(&self, text: &str) {
        // Without it the next command makes the entry again.
        let _was_kept = self.write(text);
    }

    fn write(&self, text: &str) -> Option<()> {
        let path = self.path()?;
        let folder = path.parent()?;
        fs::create_dir_all(folder).ok()?;
        let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
        write!(file, "{}\n{text}", blake3::hash(text.as_bytes()).to_hex()).ok()?;
        file.persist(&path).ok()?;
        make_room(folder)
    }
}

/// The file that the name of a program stands for.
fn found(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn folder() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable);
    let below = |folder: OsString| (!folder.is_empty()).then(|| PathBuf::from(folder));
    match (named("SELVEDGE_CACHE"), named("XDG_CACHE_HOME"), named("HOME")) {
        (Some(own), ..) => below(own),
        (None, Some(caches), _) => Some(below(caches)?.join("selvedge")),
        (None, None, home) => Some(below(home?)?.join(".cache/selvedge")),
    }
}

fn make_room(folder: &Path) -> Option<()> {
    let age =
        |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    if entries.len() > MOST_ENTRIES {
        entries.sort_by_cached_key(age);
        entries.iter().take(entries.len() - MOST_ENTRIES / 2).for_each(|path| drop(fs::remove_file(path)));
    }
    Some(())
}
