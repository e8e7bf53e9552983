//! The files of a program and the flags of its build: patterns of names, `--cflags`, `compile_commands.json`.

use crate::args::LoadArgs;
use crate::failure::Failure;
use selvedge_from_llvm::clang::DataModel;
use selvedge_from_llvm::flags::{self, Flags};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The files to read, with what their build says of them.
#[derive(Clone)]
pub struct Sources {
    pub files: Vec<PathBuf>,
    /// Flags of single files.
    pub file_args: Vec<(PathBuf, Vec<String>)>,
    /// Flags of all files.
    pub args: Vec<String>,
    pub data_model: DataModel,
}

impl Sources {
    /// As they are named, without a harness ([`crate::harness::sources`]).
    pub fn plain(args: &LoadArgs) -> Result<Sources, Failure> {
        let mut words = Vec::new();
        for text in &args.cflags {
            let split = shlex::split(text);
            words.extend(split.ok_or_else(|| bad(format!("--cflags {text}: a quotation mark is not closed")))?);
        }
        let everywhere = flags::of_build(&words, Path::new(""));
        let build = args.build.as_deref().map(Build::read).transpose()?;
        let files = match &build {
            Some(build) if args.files.is_empty() => {
                build.entries.iter().map(|entry| shortened(&entry.path())).collect()
            }
            build => named(&args.files, build.as_ref())?,
        };
        let of_file = |file: &PathBuf| Some((file.clone(), build.as_ref()?.entry(file)?.flags()));
        let flags: Vec<(PathBuf, Flags)> = files.iter().filter_map(of_file).collect();
        let built_for = flags.iter().find_map(|(_, flags)| flags.data_model);
        Ok(Sources {
            data_model: args.data_model.or(everywhere.data_model).or(built_for).unwrap_or_default(),
            file_args: flags.into_iter().map(|(file, flags)| (file, flags.words)).collect(),
            args: everywhere.words,
            files,
        })
    }
}

fn bad(message: String) -> Failure {
    Failure::BadInput(message)
}

/// The files that the user names: as they are, by patterns, or by the end of their path in the build.
fn named(names: &[PathBuf], build: Option<&Build>) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for name in names {
        let text = name.to_string_lossy();
        let is_pattern = text.contains(['*', '?', '[']) && !name.exists();
        let mut found = match is_pattern {
            true => matching(&text)?,
            false => Vec::from_iter(name.exists().then(|| name.clone())),
        };
        if let (true, Some(build)) = (found.is_empty(), build) {
            found = build.matching(&text)?;
        }
        if found.is_empty() && is_pattern {
            return Err(bad(format!("no file matches {text}")));
        }
        // A missing file is reported when it is read.
        if found.is_empty() {
            found.push(name.clone());
        }
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let paths = glob::glob(pattern).map_err(|error| bad(format!("{pattern}: {error}")))?;
    Ok(paths.filter_map(Result::ok).filter(|path| path.is_file()).collect())
}

/// The path as seen from here, if it lies below.
fn shortened(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).to_owned()
}

/// The contents of `compile_commands.json`.
struct Build {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

impl Build {
    /// `folder` may also be the file itself.
    fn read(folder: &Path) -> Result<Build, Failure> {
        let path = if folder.is_dir() { folder.join("compile_commands.json") } else { folder.to_owned() };
        let text =
            std::fs::read_to_string(&path).map_err(|error| bad(format!("cannot read {}: {error}", path.display())))?;
        let mut entries: Vec<Entry> = serde_json::from_str(&text)
            .map_err(|error| bad(format!("{} is no list of compile commands: {error}", path.display())))?;
        // Relative to the database, where the format allows it at all.
        let base = path.parent().unwrap_or(Path::new(""));
        let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
        entries.iter_mut().for_each(|entry| entry.directory = base.join(&entry.directory));
        Ok(Build { entries })
    }

    fn entry(&self, file: &Path) -> Option<&Entry> {
        let file = file.canonicalize().ok()?;
        self.entries.iter().find(|entry| entry.path().canonicalize().is_ok_and(|path| path == file))
    }

    /// The files whose path ends like this.
    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, Failure> {
        let pattern =
            glob::Pattern::new(&format!("**/{pattern}")).map_err(|error| bad(format!("{pattern}: {error}")))?;
        let options = glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::new() };
        let paths = self.entries.iter().map(Entry::path);
        Ok(paths.filter(|path| pattern.matches_path_with(path, options)).map(|path| shortened(&path)).collect())
    }
}

impl Entry {
    fn path(&self) -> PathBuf {
        self.directory.join(&self.file)
    }

    fn flags(&self) -> Flags {
        let split = || self.command.as_deref().and_then(shlex::split);
        let words = self.arguments.clone().or_else(split).unwrap_or_default();
        // The compiler comes first, sometimes behind a launcher.
        let first = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
        flags::of_build(&words[first..], &self.directory)
    }
}
