//! Files that we write. They appear whole or not at all.

use crate::console::print;
use crate::failure::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `text` to `path`; `-` is standard output.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return print(text);
    }
    write_file(path, text).map_err(|error| cannot_write(path, &error))
}

/// Keeps the evidence of a bug of ours in a new file of a folder: the user's own files are no place for it. `None`: the
/// folder does not take it.
pub fn keep(evidence: &str, folder: &Path) -> Option<PathBuf> {
    let mut file =
        tempfile::Builder::new().prefix("selvedge-internal-error-").suffix(".json").tempfile_in(folder).ok()?;
    file.write_all(evidence.as_bytes()).ok()?;
    make_readable(file.as_file()).ok()?;
    file.into_temp_path().keep().ok()
}

/// Says now what would otherwise be said after a long search.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" || is_special(path) {
        return Ok(());
    }
    if path.is_dir() {
        return Err(Failure::BadInput(format!("cannot write {}: it is a folder", path.display())));
    }
    match tempfile::NamedTempFile::new_in(folder(path)) {
        Ok(_) => Ok(()),
        Err(error) => Err(cannot_write(path, &error)),
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    // tempfile adds the name of its own file, which says nothing to the user.
    let error = match error.raw_os_error() {
        Some(code) => std::io::Error::from_raw_os_error(code).to_string(),
        None => match error.get_ref().and_then(|inner| inner.source()) {
            Some(source) => source.to_string(),
            None => error.to_string(),
        },
    };
    Failure::Output(format!("cannot write {}: {error}", path.display()))
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    if is_special(path) {
        return std::fs::write(path, text);
    }
    let mut file = tempfile::Builder::new().prefix(".selvedge-").tempfile_in(folder(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    make_readable(file.as_file())?;
    file.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// Temporary files are private; results are ordinary files.
#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// A device or a pipe must not be replaced by a file.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::{InternalError, Statistics};
    use selvedge_report::{EngineUsed, json};

    #[test]
    fn evidence_is_a_file_of_its_own_and_says_what_happened() {
        let folder = tempfile::tempdir().expect("a folder");
        let schedule = Some(Box::new("v2;0*2,1*3;".parse().expect("a schedule")));
        let error =
            InternalError { what: "the replay shows something else".into(), schedule, ..InternalError::default() };
        let command_line = ["selvedge".to_string(), "check".to_string(), "a.c".to_string()];
        let engine = EngineUsed { name: "auto", answered: "lazy" };
        let text = json::evidence(&error, engine, &Statistics::default(), &["a.c".to_string()], &command_line);

        let kept = keep(&text, folder.path()).expect("a place");
        assert_eq!(kept.parent(), Some(folder.path()));
        let document = std::fs::read_to_string(&kept).expect("it was written");
        let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
        assert_eq!(document["internal_error"], "the replay shows something else");
        assert_eq!(document["schedule"], "v2;0*2,1*3;");
        assert_eq!(document["engine"], "auto (lazy)");
        assert_eq!(document["files"][0], "a.c");
        assert_eq!(document["command_line"][1], "check");
        assert_ne!(keep(&text, folder.path()).expect("a place"), kept);
        assert_eq!(keep(&text, &folder.path().join("missing")), None);
    }
}
