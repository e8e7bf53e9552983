//! `selvedge init`: a `selvedge.toml` for the program in this folder.

use crate::args::{InitArgs, PROJECT_FILE, help_of};
use crate::failure::Failure;
use crate::{console, output};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Options that projects often set, each with an example of its value.
pub const EXAMPLES: [(&str, &str); 10] = [
    ("cflags", r#"["-Iinclude", "-DNDEBUG"]"#),
    ("model", r#"["my_rtos.c"]"#),
    ("property", r#"["assertion", "deadlock", "memory", "race"]"#),
    ("invariant", r#"["used <= SIZE"]"#),
    ("memory-model", r#""tso""#),
    ("suppress", r#"["assertion@pool.c:12"]"#),
    ("race-ignore", r#"["statistics"]"#),
    ("unwind", "3"),
    ("rounds", "2"),
    ("time-limit", "60"),
];

/// Folders of builds that may have a list of compile commands.
const BUILDS: [&str; 4] = [".", "build", "out", "builddir"];

/// The program that was found.
enum Found {
    Files(Vec<PathBuf>),
    /// A folder with a list of compile commands.
    Build(&'static str),
}

pub fn init(args: &InitArgs) -> Result<u8, Failure> {
    let path = Path::new(PROJECT_FILE);
    if path.exists() && !args.force {
        return Err(Failure::BadInput(format!("{PROJECT_FILE} is there already: --force replaces it")));
    }
    let found = match args.files.is_empty() {
        true => found()?,
        false => Found::Files(args.files.clone()),
    };
    output::write(path, &text(&found))?;
    let next = match &found {
        Found::Files(files) if !files.iter().any(|file| has_main(file)) => {
            "selvedge check --threads 'f() | g()'   (no file has a main: name functions of yours)"
        }
        Found::Files(_) | Found::Build(_) => "selvedge check",
    };
    console::print(&format!("written: {PROJECT_FILE}\nnext: {next}\n"))?;
    Ok(0)
}

/// A list of compile commands, or C files: those without a `main`, and the first that has one.
fn found() -> Result<Found, Failure> {
    let has_commands = |folder: &&&str| Path::new(folder).join("compile_commands.json").is_file();
    if let Some(folder) = BUILDS.iter().find(has_commands) {
        return Ok(Found::Build(folder));
    }
    let mut files: Vec<PathBuf> = [".", "src"].into_iter().flat_map(|folder| c_files(Path::new(folder))).collect();
    let others: Vec<PathBuf> = files.iter().filter(|file| has_main(file)).skip(1).cloned().collect();
    files.retain(|file| !others.contains(file));
    match files.is_empty() {
        true => Err(Failure::BadInput(
            "there is no C file here or in src: name the program's, as in selvedge init main.c".into(),
        )),
        false => Ok(Found::Files(files)),
    }
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension() == Some(OsStr::new("c"))).collect();
    files.sort();
    files.iter().map(|path| path.strip_prefix(".").unwrap_or(path).to_owned()).collect()
}

/// Whether a file seems to define `main`.
fn has_main(file: &Path) -> bool {
    let text = std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let is_main = |line: &str| {
        let before = line.split_once("main").map(|(before, after)| (before, after.trim_start().starts_with('(')));
        before.is_some_and(|(before, calls)| {
            calls && before.trim_end().chars().all(|c| c.is_ascii_alphanumeric() || c == ' ')
        }) && !line.trim_end().ends_with(';')
            && !line.starts_with([' ', '\t'])
    };
    text.lines().any(is_main)
}

fn text(found: &Found) -> String {
    let quoted = |file: &PathBuf| format!("{:?}", file.display().to_string());
    let mut text =
        "# Options of Selvedge for this program: each key is the long name of an option (selvedge help check).\n\
                    # What is said on the command line wins. A table such as [check] is for that command only.\n\n"
            .to_string();
    text += &match found {
        Found::Build(folder) => format!(
            "build = {folder:?}   # flags and files of compile_commands.json\n# files = [\"main.c\"]   # only these of them\n"
        ),
        Found::Files(files) => format!("files = [{}]\n", files.iter().map(quoted).collect::<Vec<_>>().join(", ")),
    };
    for (key, example) in EXAMPLES {
        text += "\n";
        for line in wrapped(&help_of("check", key).unwrap_or_default()) {
            text += &format!("# {line}\n");
        }
        text += &format!("# {key} = {example}\n");
    }
    text
}

/// Lines of at most 100 characters.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        match last.is_empty() || last.len() + word.len() < 100 {
            true => last.push_str(&if last.is_empty() { word.to_string() } else { format!(" {word}") }),
            false => lines.push(word.to_string()),
        }
    }
    lines
}
