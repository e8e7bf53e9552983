//! Lists of words on disk, for what does not fit into memory: written once, read once.
//!
//! They are in one file without a name, which is gone with the process, however that ends. If it is to be used only
//! when memory is short, nothing is made before; and if it cannot be written then, everything stays in memory.

use selvedge_engine::control::Disk;
use selvedge_program::Reason;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A list of words in the file: it cannot be read twice.
#[derive(Debug)]
pub struct Block {
    /// In words, as are the others.
    at: u64,
    length: usize,
    /// The room it takes: at least its length.
    room: usize,
}

pub struct Blocks {
    file: OnceLock<File>,
    folder: PathBuf,
    /// Bytes of memory from which on it is used.
    from: u64,
    is_wanted: AtomicBool,
    is_refused: AtomicBool,
    /// Words after which a list is worth a block.
    pub size: usize,
    /// Places that are free again: position and length.
    free: Mutex<Vec<(u64, usize)>>,
    end: AtomicU64,
}

impl Blocks {
    pub fn new(disk: &Disk) -> Result<Arc<Blocks>, Reason> {
        let blocks = Blocks::in_file(OnceLock::new(), disk);
        if !disk.is_optional() {
            blocks.file()?;
        }
        Ok(Arc::new(blocks))
    }

    pub fn in_file(file: OnceLock<File>, disk: &Disk) -> Blocks {
        Blocks {
            file,
            folder: disk.folder.clone(),
            from: disk.from,
            is_wanted: AtomicBool::new(!disk.is_optional()),
            is_refused: AtomicBool::new(false),
            size: disk.block.max(1),
            free: Mutex::default(),
            end: AtomicU64::new(0),
        }
    }

    /// Makes it if there is none yet.
    fn file(&self) -> Result<&File, Reason> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = tempfile::tempfile_in(&self.folder).map_err(|error| failure("make", &self.folder, &error))?;
        Ok(self.file.get_or_init(|| file))
    }

    /// Should what waits be written now?
    #[inline]
    pub fn are_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }

    /// Notes how much memory is used.
    pub fn look_at_memory(&self, bytes: u64) {
        if bytes >= self.from && !self.is_refused.load(Ordering::Relaxed) {
            self.is_wanted.store(true, Ordering::Relaxed);
        }
    }

    /// Something could not be written. May everything stay in memory from now on?
    pub fn can_do_without(&self) -> bool {
        let is_optional = self.from > 0;
        if is_optional {
            self.is_refused.store(true, Ordering::Relaxed);
            self.is_wanted.store(false, Ordering::Relaxed);
        }
        is_optional
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.file.get().and_then(|file| file.metadata().ok()).map_or(0, |file| file.len())
    }

    fn free(&self) -> MutexGuard<'_, Vec<(u64, usize)>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn write(&self, words: &[u64]) -> Result<Block, Reason> {
        let mut free = self.free();
        let old = free.iter().position(|(_, room)| *room >= words.len()).map(|place| free.swap_remove(place));
        drop(free);
        let (at, room) =
            old.unwrap_or_else(|| (self.end.fetch_add(words.len() as u64, Ordering::Relaxed), words.len()));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.file()?.write_all_at(&bytes, at * 8).map_err(|error| failure("write", &self.folder, &error))?;
        Ok(Block { at, length: words.len(), room })
    }

    pub fn read(&self, block: Block) -> Result<Vec<u64>, Reason> {
        let words = self.words(block.at, block.length)?;
        self.free().push((block.at, block.room));
        Ok(words)
    }

    fn words(&self, at: u64, length: usize) -> Result<Vec<u64>, Reason> {
        let mut bytes = vec![0; length * 8];
        self.file()?.read_exact_at(&mut bytes, at * 8).map_err(|error| failure("read", &self.folder, &error))?;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Ok(bytes.chunks_exact(8).map(word).collect())
    }
}

fn failure(what: &str, folder: &std::path::Path, error: &io::Error) -> Reason {
    Reason::Limit(format!("cannot {what} the file for waiting states in {}: {error}", folder.display()))
}

/// Words that are only ever appended, with the last ones in memory.
pub struct Log {
    blocks: Arc<Blocks>,
    written: Vec<Block>,
    last: Vec<u64>,
}

impl Log {
    pub fn new(blocks: Arc<Blocks>) -> Log {
        Log { blocks, written: Vec::new(), last: Vec::new() }
    }

    /// Appends words, which are never parted, and returns the position of the first.
    pub fn append(&mut self, words: &[u64]) -> Result<u64, Reason> {
        if self.last.len() >= self.blocks.size {
            self.written.push(self.blocks.write(&self.last)?);
            self.last.clear();
        }
        let at = (self.written.len() as u64) << 32 | self.last.len() as u64;
        self.last.extend_from_slice(words);
        Ok(at)
    }

    /// `length` words from there.
    pub fn get(&self, at: u64, length: usize) -> Result<Vec<u64>, Reason> {
        let (block, offset) = ((at >> 32) as usize, at & u64::from(u32::MAX));
        match self.written.get(block) {
            Some(block) => self.blocks.words(block.at + offset, length),
            None => Ok(self.last[offset as usize..][..length].to_vec()),
        }
    }

    pub fn bytes(&self) -> u64 {
        (self.last.capacity() * 8 + self.written.capacity() * size_of::<Block>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(size: usize) -> Arc<Blocks> {
        Blocks::new(&Disk { block: size, ..Disk::new(std::env::temp_dir()) }).expect("a file")
    }

    #[test]
    fn what_is_read_makes_room() {
        let blocks = blocks(2);
        let (one, other) = (blocks.write(&[1, u64::MAX]).expect("written"), blocks.write(&[3, 4, 5]).expect("written"));
        assert_eq!(blocks.read(one), Ok(vec![1, u64::MAX]));
        let third = blocks.write(&[6]).expect("written");
        assert_eq!(third.at, 0);
        assert_eq!(blocks.read(other), Ok(vec![3, 4, 5]));
        assert_eq!(blocks.read(third), Ok(vec![6]));
        assert_eq!(blocks.end.load(Ordering::Relaxed), 5);
    }

    #[test]
    fn a_log_is_read_anywhere() {
        let mut log = Log::new(blocks(3));
        let places: Vec<u64> = (0..10).map(|n| log.append(&[n, n + 100]).expect("written")).collect();
        assert!(log.written.len() > 1);
        for (n, at) in places.into_iter().enumerate() {
            assert_eq!(log.get(at, 2), Ok(vec![n as u64, n as u64 + 100]));
        }
    }

    #[test]
    fn a_full_disk_is_named() {
        let file = File::options().write(true).open("/dev/full").expect("a device");
        let blocks = Blocks::in_file(file.into(), &Disk { block: 2, ..Disk::new("/scratch".into()) });
        let error = blocks.write(&[1, 2]).expect_err("it is full").to_string();
        assert!(error.contains("cannot write the file for waiting states in /scratch: No space left"), "{error}");
    }
}
