//! Reports in the formats of other tools: `--report FORMAT=FILE`, as often as wanted.

use super::choice::{Choice, named};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Html,
    Sarif,
    Junit,
    GitHub,
    /// A line for BenchExec.
    Svcomp,
    /// SV-COMP's witness of a violation.
    Witness,
    /// SV-COMP's witness of a proof.
    Invariants,
}

const FORMATS: [Choice<Format>; 7] = [
    ("html", "", Format::Html),
    ("sarif", "", Format::Sarif),
    ("junit", "", Format::Junit),
    ("github", "", Format::GitHub),
    ("svcomp", "", Format::Svcomp),
    ("witness", "", Format::Witness),
    ("invariants", "", Format::Invariants),
];

/// A report, and where it goes; `-` is standard output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportTo {
    pub format: Format,
    pub path: PathBuf,
}

#[derive(Args)]
pub struct ReportArgs {
    /// Write a report: html=FILE (a page with the run step by step), sarif=FILE (for editors and code hosts),
    /// junit=FILE (for tables of tests), witness=FILE and invariants=FILE (of a violation and of a proof, as SV-COMP
    /// has them), github (annotations of a pull request) or svcomp (a line for BenchExec). May be given several times;
    /// `-` is standard output, where the last two go by themselves
    #[arg(long = "report", value_name = "FORMAT[=FILE]", value_parser = report)]
    pub reports: Vec<ReportTo>,
}

impl ReportArgs {
    /// Whether standard output is for a document, which is to stand there alone.
    pub fn document_on_stdout(&self) -> bool {
        let is_document = |format| match format {
            Format::Html | Format::Sarif | Format::Junit | Format::Witness | Format::Invariants => true,
            Format::GitHub | Format::Svcomp => false,
        };
        self.reports.iter().any(|to| is_document(to.format) && to.path.as_os_str() == "-")
    }
}

fn report(text: &str) -> Result<ReportTo, String> {
    let (name, path) = match text.split_once('=') {
        Some((name, path)) => (name, Some(path).filter(|path| !path.is_empty())),
        None => (text, None),
    };
    let Some(format) = named(&FORMATS, name) else {
        let names: Vec<&str> = FORMATS.iter().map(|(name, ..)| *name).collect();
        return Err(format!("there is no format `{name}`: it is {}", names.join(", ")));
    };
    match (format, path) {
        (_, Some(path)) => Ok(ReportTo { format, path: path.into() }),
        (Format::GitHub | Format::Svcomp, None) => Ok(ReportTo { format, path: "-".into() }),
        (Format::Html | Format::Sarif | Format::Junit | Format::Witness | Format::Invariants, None) => {
            Err(format!("{name} requires a file: {name}=FILE"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_files() {
        let to = |format, path: &str| Ok(ReportTo { format, path: path.into() });
        assert_eq!(report("html=a=b.html"), to(Format::Html, "a=b.html"));
        assert_eq!(report("github"), to(Format::GitHub, "-"));
        assert_eq!(report("github=notes"), to(Format::GitHub, "notes"));
        assert_eq!(report("sarif"), Err("sarif requires a file: sarif=FILE".to_string()));
        assert_eq!(report("junit="), Err("junit requires a file: junit=FILE".to_string()));
        assert!(
            report("pdf=x")
                .is_err_and(|error| error.contains("html, sarif, junit, github, svcomp, witness, invariants"))
        );
    }
}
