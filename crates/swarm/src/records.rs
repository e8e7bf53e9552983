//! The results of a swarm in a folder, from which it can be resumed after being killed at any moment.
//!
//! `parameters.json` describes the run, and appears whole or not at all. `instances.jsonl` gets one line for each
//! instance that has ended, written at once and flushed to the disk before the next one begins; an incomplete last line
//! is cut off. An instance is therefore either on record or has to be done.

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use selvedge_program::instances::Record;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Everything that must agree for a run to be resumed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Parameters {
    /// A hash of the program and its properties.
    pub program: String,
    pub unwind: u32,
    pub rounds: u32,
    /// The tiling: a size, `probed`, or a hash of the user's own.
    pub tiling: String,
    /// The number of tiles selected in each thread.
    pub tiles: usize,
    pub seed: u64,
    pub engine: String,
    pub divide: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("cannot use the folder {folder}: {error}")]
    Io { folder: String, error: io::Error },
    #[error("{folder} is in use: another swarm keeps its records there")]
    Busy { folder: String },
    #[error("{file}, line {line}: {what}")]
    Corrupt { file: String, line: usize, what: String },
    #[error("{folder} belongs to another run: {what} {stored} there, {asked} here")]
    Mismatch { folder: String, what: &'static str, stored: String, asked: String },
}

/// Stores results as soon as they are known.
pub trait Journal: Send {
    fn append(&mut self, record: &Record) -> Result<(), FolderError>;
}

/// The folder that keeps the records.
pub struct Folder {
    path: PathBuf,
    file: File,
}

const PARAMETERS: &str = "parameters.json";
const INSTANCES: &str = "instances.jsonl";

impl Folder {
    /// Creates the folder, or opens one with the same parameters. Also returns its records.
    pub fn open(path: &Path, parameters: &Parameters) -> Result<(Folder, Vec<Record>), FolderError> {
        let failed = |error| FolderError::Io { folder: path.display().to_string(), error };
        std::fs::create_dir_all(path).map_err(failed)?;
        match std::fs::read_to_string(path.join(PARAMETERS)) {
            Ok(text) => check(path, &text, parameters)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if path.join(INSTANCES).exists() {
                    let what = format!("there is no {PARAMETERS} beside it");
                    return Err(corrupt(&path.join(INSTANCES), 1, what));
                }
                write_whole(path, PARAMETERS, &pretty(parameters)).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        let name = path.join(INSTANCES);
        let file = OpenOptions::new().append(true).create(true).open(&name).map_err(failed)?;
        // File systems without locks are accepted.
        if flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            return Err(FolderError::Busy { folder: path.display().to_string() });
        }
        let bytes = std::fs::read(&name).map_err(failed)?;
        let (records, intact) = read(&name, &bytes)?;
        if intact < bytes.len() {
            file.set_len(intact as u64).and_then(|()| file.sync_all()).map_err(failed)?;
        }
        Ok((Folder { path: path.to_path_buf(), file }, records))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Journal for Folder {
    fn append(&mut self, record: &Record) -> Result<(), FolderError> {
        let mut line = serde_json::to_string(record).expect("records are plain data");
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| FolderError::Io { folder: self.path.display().to_string(), error })
    }
}

fn pretty(parameters: &Parameters) -> String {
    serde_json::to_string_pretty(parameters).expect("parameters are plain data")
}

/// A file that appears whole or not at all.
pub fn write_whole(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(folder.join(name)).map_err(|failed| failed.error)?;
    // Flush the folder, too: it contains the new name.
    File::open(folder)?.sync_all()
}

fn corrupt(file: &Path, line: usize, what: impl ToString) -> FolderError {
    FolderError::Corrupt { file: file.display().to_string(), line, what: what.to_string() }
}

fn check(path: &Path, text: &str, asked: &Parameters) -> Result<(), FolderError> {
    let stored: Parameters =
        serde_json::from_str(text).map_err(|error| corrupt(&path.join(PARAMETERS), error.line(), error))?;
    let pairs = [
        ("the program and its properties have the hash", &stored.program, &asked.program),
        ("--unwind is", &stored.unwind.to_string(), &asked.unwind.to_string()),
        ("--rounds is", &stored.rounds.to_string(), &asked.rounds.to_string()),
        ("the tiling is", &stored.tiling, &asked.tiling),
        ("--tiles is", &stored.tiles.to_string(), &asked.tiles.to_string()),
        ("--seed is", &stored.seed.to_string(), &asked.seed.to_string()),
        ("--engine is", &stored.engine, &asked.engine),
        ("--divide is", &stored.divide.to_string(), &asked.divide.to_string()),
    ];
    match pairs.into_iter().find(|(_, stored, asked)| stored != asked) {
        Some((what, stored, asked)) => Err(FolderError::Mismatch {
            folder: path.display().to_string(),
            what,
            stored: stored.clone(),
            asked: asked.clone(),
        }),
        None => Ok(()),
    }
}

/// The records, and the length of the intact part, which ends with the last complete line.
fn read(file: &Path, bytes: &[u8]) -> Result<(Vec<Record>, usize), FolderError> {
    let intact = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = bytes[..intact].split(|byte| *byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty());
    let record =
        |(number, line): (usize, &[u8])| serde_json::from_slice(line).map_err(|error| corrupt(file, number + 1, error));
    Ok((lines.map(record).collect::<Result<_, _>>()?, intact))
}

/// FNV-1a, which detects mistakes, not attacks.
pub fn hash(text: &str) -> String {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(text.as_bytes());
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::instances::{Ended, Name};

    fn parameters() -> Parameters {
        Parameters {
            program: hash("int main(void) {}"),
            unwind: 1,
            rounds: 2,
            tiling: "probed".to_string(),
            tiles: 2,
            seed: 0,
            engine: "lazy".to_string(),
            divide: false,
        }
    }

    fn record(number: u128) -> Record {
        let ended = if number == 7 { Ended::Buggy } else { Ended::Safe };
        let schedule = (number == 7).then(|| "v2;0*1;".parse().expect("a schedule"));
        Record {
            tile_size: 4,
            instance: Name::whole(number),
            ended,
            seconds: 0.25,
            cpu_seconds: Some(0.125),
            before: 0,
            schedule,
        }
    }

    #[test]
    fn what_was_kept_is_there_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut kept, records) = Folder::open(folder.path(), &parameters()).expect("a new one");
        assert!(records.is_empty());
        kept.append(&record(3)).expect("room");
        kept.append(&record(7)).expect("room");
        drop(kept);
        let (_, records) = Folder::open(folder.path(), &parameters()).expect("the same one");
        assert_eq!(records, [record(3), record(7)]);
    }

    #[test]
    fn wherever_it_is_torn_only_the_last_record_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut kept, _) = Folder::open(folder.path(), &parameters()).expect("a new one");
        kept.append(&record(3)).expect("room");
        let file = folder.path().join(INSTANCES);
        let first = std::fs::read(&file).expect("it is there").len();
        kept.append(&record(7)).expect("room");
        let whole = std::fs::read(&file).expect("it is there");
        drop(kept);
        for end in first..whole.len() {
            std::fs::write(&file, &whole[..end]).expect("room");
            let (mut kept, records) = Folder::open(folder.path(), &parameters()).expect("the same one");
            assert_eq!(records, [record(3)], "{end}");
            kept.append(&record(7)).expect("room");
            assert_eq!(std::fs::read(&file).expect("it is there"), whole);
        }
    }

    #[test]
    fn two_at_a_time_are_one_too_many() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Folder::open(folder.path(), &parameters()).expect("a new one");
        let told = Folder::open(folder.path(), &parameters()).map(|_| ()).map_err(|error| error.to_string());
        assert!(told.is_err_and(|told| told.ends_with("is in use: another swarm keeps its records there")));
        drop(first);
        assert!(Folder::open(folder.path(), &parameters()).is_ok());
    }

    #[test]
    fn another_run_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Folder::open(folder.path(), &parameters()).expect("a new one"));
        let message = |asked: Parameters| match Folder::open(folder.path(), &asked) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("it was taken"),
        };
        let told = message(Parameters { rounds: 3, ..parameters() });
        assert!(told.ends_with("belongs to another run: --rounds is 2 there, 3 here"), "{told}");
        let told = message(Parameters { program: hash("other"), ..parameters() });
        assert!(told.contains("the program and its properties have the hash"), "{told}");
        std::fs::write(folder.path().join(INSTANCES), "{\"tile\n").expect("room");
        let told = message(parameters());
        assert!(told.contains("instances.jsonl, line 1: "), "{told}");
        std::fs::write(folder.path().join(PARAMETERS), "{").expect("room");
        assert!(message(parameters()).contains("parameters.json, line 1: "));
    }
}
