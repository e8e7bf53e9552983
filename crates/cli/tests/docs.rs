//! The book and the README: their commands are run and print what they show, and their links lead somewhere.
//!
//! A block of the kind `console` is a session: what follows `$ ` is run by a shell in a copy of the examples, all
//! blocks of a page one after the other in the same copy, and what follows it is what must be printed. A line `…`
//! stands for any lines, `…` in a line for any text. A block `console,needs-cbmc` is left out where that tool is
//! missing.
//!
//! `SELVEDGE_BLESS=1` writes what is printed into the pages, as far as it is no `…`. Commands in blocks of the kind
//! `sh` name files of the reader's; they are only parsed (`args.rs`).

#[path = "common/pan_library.rs"]
mod pan_library;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// What commands of the book may name.
const COPIED: [&str; 5] = ["examples", "tests/proofs", "bench/programs", "contrib", "bench/dpor"];

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![Path::new(ROOT).join("README.md")];
    let mut folders = vec![Path::new(ROOT).join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the book") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|kind| kind == "md") => pages.push(path),
                false => {}
            }
        }
    }
    pages.sort();
    pages
}

/// A command with the lines that it is said to print.
struct Shown {
    command: String,
    /// The numbers of the page's lines with the output.
    output: std::ops::Range<usize>,
    needs: Option<String>,
}

fn sessions(lines: &[String]) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside: Option<Option<String>> = None;
    let mut number = 0;
    while number < lines.len() {
        let line = &lines[number];
        number += 1;
        if let Some(kind) = line.strip_prefix("```") {
            inside = match (&inside, kind.strip_prefix("console")) {
                (None, Some(more)) => Some(more.strip_prefix(",needs-").map(ToString::to_string)),
                _ => None,
            };
            continue;
        }
        let Some(needs) = &inside else { continue };
        match line.strip_prefix("$ ") {
            Some(command) => {
                let mut command = command.to_string();
                while command.ends_with('\\') {
                    command.pop();
                    command.push_str(lines[number].trim_start());
                    number += 1;
                }
                shown.push(Shown { command, output: number..number, needs: needs.clone() });
            }
            None => {
                let last = shown.last_mut().unwrap_or_else(|| panic!("output without a command: {line}"));
                last.output = last.output.start..number;
            }
        }
    }
    shown
}

/// Whether `…` for any lines, and in lines for any text, makes what is shown out of what was printed.
fn is_like(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "…" => {
            (0..=printed.len()).any(|skipped| is_like(rest, &printed[skipped..]))
        }
        (Some((first, rest)), Some((line, more))) => is_like_line(first, line) && is_like(rest, more),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn is_like_line(shown: &str, line: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else { return shown == line };
    // The sign itself may be printed, where a line of a program was shortened.
    let Some(after) = line.strip_prefix(start) else { return false };
    after.char_indices().map(|(at, _)| at).chain([after.len()]).any(|at| is_like_line(rest, &after[at..]))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("it is there") {
        let path = entry.expect("an entry").path();
        let name = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy(&path, &name),
            false => {
                std::fs::copy(&path, name).expect("room");
            }
        }
    }
}

fn is_there(tool: &str) -> bool {
    match tool {
        "cbmc" => selvedge_requires::cbmc(),
        "spin" => selvedge_requires::spin() && pan_library::find().is_some(),
        "z3" => selvedge_requires::z3(),
        other => panic!("nobody knows whether there is {other}"),
    }
}

/// Runs the sessions of a page; what is not as shown.
fn wrong(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a page");
    let mut lines: Vec<String> = text.lines().map(ToString::to_string).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let shown = sessions(&lines);
    if shown.is_empty() {
        return Vec::new();
    }
    COPIED.iter().for_each(|part| copy(&Path::new(ROOT).join(part), &folder.path().join(part)));
    let binary = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent().expect("a folder").display().to_string();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap_or_default());
    let mut wrong = Vec::new();
    let mut blessed: Vec<(std::ops::Range<usize>, Vec<String>)> = Vec::new();
    let mut missing = BTreeSet::new();
    for Shown { command, output, needs } in shown {
        if let Some(tool) = &needs
            && (missing.contains(tool) || !is_there(tool))
        {
            missing.insert(tool.clone());
            continue;
        }
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).env("PATH", &path).env("LC_ALL", "C.UTF-8").env_remove("SELVEDGE_BLESS");
        if needs.as_deref() == Some("spin") {
            shell.envs(pan_library::find().map(|library| ("SELVEDGE_PAN_LIBRARY", library)));
        }
        let ran = shell.args(["-c", &format!("{command} 2>&1")]).output().expect("there is a shell");
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        let printed: Vec<String> = printed.lines().map(|line| line.trim_end().to_string()).collect();
        let expected = &lines[output.clone()];
        if !is_like(expected, &printed) {
            let name = page.strip_prefix(ROOT).unwrap_or(page).display();
            wrong.push(format!("{name}: $ {command}\n{}\n", printed.join("\n")));
            blessed.push((output.clone(), merged(expected, printed)));
        }
    }
    if std::env::var_os("SELVEDGE_BLESS").is_some() {
        for (range, output) in blessed.into_iter().rev() {
            lines.splice(range, output);
        }
        std::fs::write(page, lines.join("\n") + "\n").expect("it is ours");
    }
    wrong
}

/// What was printed, with as many lines at the beginning and at the end as are shown before and after what is left out.
fn merged(shown: &[String], printed: Vec<String>) -> Vec<String> {
    let gap = |line: &String| line == "…";
    let (Some(first), Some(last)) = (shown.iter().position(gap), shown.iter().rposition(gap)) else { return printed };
    let (head, tail) = (first.min(printed.len()), (shown.len() - last - 1).min(printed.len()));
    printed[..head].iter().cloned().chain(["…".to_string()]).chain(printed[printed.len() - tail..].to_vec()).collect()
}

fn main() {
    let arguments = libtest_mimic::Arguments::from_args();
    let name = |page: &Path| {
        let name = page.strip_prefix(ROOT).unwrap_or(page).with_extension("").display().to_string();
        name.trim_start_matches("docs/src/").replace('/', "::")
    };
    let mut trials: Vec<libtest_mimic::Trial> = pages()
        .into_iter()
        .map(|page| {
            libtest_mimic::Trial::test(name(&page), move || match wrong(&page) {
                wrong if wrong.is_empty() => Ok(()),
                wrong => Err(wrong.join("\n").into()),
            })
        })
        .collect();
    trials.push(libtest_mimic::Trial::test("links_lead_somewhere", || match broken_links() {
        broken if broken.is_empty() => Ok(()),
        broken => Err(broken.join("\n").into()),
    }));
    trials.push(libtest_mimic::Trial::test("every_page_is_in_the_summary", || match left_out() {
        pages if pages.is_empty() => Ok(()),
        pages => Err(pages.join("\n").into()),
    }));
    trials.push(libtest_mimic::Trial::test("what_is_shown_is_compared", || {
        let lines = |text: &str| text.lines().map(ToString::to_string).collect::<Vec<_>>();
        assert!(is_like(&lines("a\n…\nc"), &lines("a\nb\nb\nc")) && is_like(&lines("…"), &[]));
        assert!(is_like(&lines("a … c"), &lines("a b c")) && is_like(&lines("a …"), &lines("a b … c")));
        assert!(
            !is_like(&lines("a\nc"), &lines("a\nb\nc")) && !is_like(&lines("a"), &[]) && !is_like(&[], &lines("a"))
        );
        Ok(())
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Links between pages, to files, and to headings, that lead nowhere.
fn broken_links() -> Vec<String> {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for link in links(&text) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().expect("a folder").join(file),
            };
            let is_good = match (target.exists(), heading) {
                (false, _) => false,
                (true, "") => true,
                (true, heading) => anchors(&target).contains(heading),
            };
            if !is_good {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    broken
}

/// The targets of links and pictures that are files.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for paragraph in text.split("```").step_by(2) {
        for (at, _) in paragraph.match_indices("](") {
            let target = paragraph[at + 2..].split([')', ' ']).next().unwrap_or_default();
            if !target.contains("://") {
                links.push(target.to_string());
            }
        }
    }
    links
}

/// The headings of a page as links name them.
fn anchors(page: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(page).unwrap_or_default();
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings
        .map(|heading| {
            let kept = heading.to_lowercase();
            let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// Pages that the table of contents does not name.
fn left_out() -> Vec<String> {
    let book = Path::new(ROOT).join("docs/src");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).expect("the summary");
    let named: BTreeSet<PathBuf> = links(&summary).into_iter().map(|link| book.join(link)).collect();
    let pages = pages().into_iter().filter(|page| page.starts_with(&book) && !page.ends_with("SUMMARY.md"));
    pages.filter(|page| !named.contains(page)).map(|page| page.display().to_string()).collect()
}
