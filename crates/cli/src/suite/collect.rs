//! Finds the tasks below the paths that the user gave.

use super::task::SuiteTask;
use super::{desc, index, yml};
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// All tasks, in the order of the paths, within a folder in the order of names.
pub fn tasks(paths: &[PathBuf], set: Option<&str>) -> Result<Vec<SuiteTask>, Failure> {
    let mut tasks = Vec::new();
    for path in paths {
        let found = match kind(path) {
            Kind::Folder => {
                let files = task_files(path)?;
                let read = |file: &PathBuf| match kind(file) {
                    Kind::Desc => desc::read(file, &set_of(path, file)),
                    _ => yml::read(file, &set_of(path, file)),
                };
                let found: Result<Vec<_>, _> = files.iter().map(read).collect();
                found?.into_iter().flatten().collect()
            }
            Kind::Yml => yml::read(path, &set_of(Path::new(""), path))?,
            Kind::Desc => desc::read(path, &set_of(Path::new(""), path))?,
            Kind::Tsv => index::read(path)?,
            Kind::Other => {
                let message = "it is no folder, no .yml, no test.desc and no .tsv";
                return Err(Failure::BadInput(format!("{} has no tasks: {message}", path.display())));
            }
        };
        tasks.extend(found);
    }
    tasks.retain(|task: &SuiteTask| set.is_none_or(|set| task.set.starts_with(set)));
    match tasks.is_empty() {
        true => Err(Failure::BadInput("there are no such tasks".to_string())),
        false => Ok(tasks),
    }
}

enum Kind {
    Folder,
    Yml,
    Desc,
    Tsv,
    Other,
}

fn kind(path: &Path) -> Kind {
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if path.is_dir() => Kind::Folder,
        _ if path.file_name().is_some_and(|name| name == desc::NAME) => Kind::Desc,
        Some("yml" | "yaml") => Kind::Yml,
        Some("tsv") => Kind::Tsv,
        _ => Kind::Other,
    }
}

/// The folder that a task is in, seen from where the search began.
fn set_of(root: &Path, file: &Path) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    let below = folder.strip_prefix(root).unwrap_or(folder);
    let named = if below.as_os_str().is_empty() { root.file_name().map_or(root, Path::new) } else { below };
    let text = named.display().to_string();
    if text.is_empty() { ".".to_string() } else { text }
}

fn task_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let cannot = |error: std::io::Error| Failure::BadInput(format!("cannot read {}: {error}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let path = entry.path();
            // Links to folders are not followed: they may lead in circles.
            if entry.file_type().map_err(cannot)?.is_dir() {
                folders.push(path);
            } else if matches!(kind(&path), Kind::Desc) || matches!(kind(&path), Kind::Yml) && yml::is_task(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
