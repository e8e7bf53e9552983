//! `selvedge doctor`: the tools that are installed, and what each is for.

use crate::console;
use crate::failure::Failure;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A tool that Selvedge may call.
struct Tool {
    name: &'static str,
    /// The commands that it may be, the best first.
    commands: &'static [&'static str],
    /// The environment variable that names it.
    variable: Option<&'static str>,
    /// The argument that asks for its version.
    version: &'static str,
    /// The features that it makes available.
    with: &'static str,
    /// Without it nothing works.
    needed: bool,
}

const fn optional(
    name: &'static str,
    commands: &'static [&'static str],
    version: &'static str,
    with: &'static str,
) -> Tool {
    Tool { name, commands, variable: None, version, with, needed: false }
}

const TOOLS: [Tool; 10] = [
    Tool {
        needed: true,
        ..optional(
            "clang",
            &["clang-19", "clang", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"],
            "--version",
            "C is read",
        )
    },
    optional("clang++", &["clang++-19", "clang++"], "--version", "C++ is read"),
    Tool { variable: Some("CBMC"), ..optional("CBMC", &["cbmc"], "--version", "--engine cbmc") },
    optional("ESBMC", &["esbmc"], "--version", "--engine esbmc"),
    optional("SPIN", &["spin"], "-V", "--engine spin, selvedge spin"),
    optional("z3", &["z3"], "--version", "--solver z3"),
    optional("cvc5", &["cvc5"], "--version", "--solver cvc5"),
    optional("a C compiler", &["cc"], "--version", "--engine spin, make in the folder of selvedge reproduce"),
    optional("addr2line", &["addr2line"], "--version", "programs of selvedge reproduce know their lines"),
    optional("Slurm", &["sbatch"], "--version", "selvedge swarm --cluster slurm"),
];

/// Prints a line for each tool. Without what is needed it is a failure.
pub fn doctor() -> Result<u8, Failure> {
    let mut missing = Vec::new();
    let mut text = format!("selvedge {}, with the SAT solver CaDiCaL built in\n", env!("CARGO_PKG_VERSION"));
    for tool in &TOOLS {
        match tool.found() {
            Some((path, version)) => {
                text.push_str(&format!("✓ {}: {version} ({}): {}\n", tool.name, path.display(), tool.with));
            }
            None => {
                text.push_str(&format!("– {}: not found ({}); without: {}\n", tool.name, tool.commands[0], tool.with));
                missing.extend(tool.needed.then_some(tool.name));
            }
        }
    }
    console::print(&text)?;
    match missing.is_empty() {
        true => Ok(0),
        false => Err(Failure::BadInput(format!("{} is needed: install clang 14 or newer", missing.join(", ")))),
    }
}

impl Tool {
    /// The command, and the first line with a digit of what it says of its version.
    fn found(&self) -> Option<(PathBuf, String)> {
        let given = self.variable.and_then(std::env::var_os).filter(|path| !path.is_empty()).map(PathBuf::from);
        let known = self.commands.iter().map(PathBuf::from);
        given.into_iter().chain(known).find_map(|path| {
            let asked = Command::new(&path).arg(self.version).stdin(Stdio::null()).output();
            let output = asked.ok().filter(|output| output.status.success())?;
            let told = [output.stdout, output.stderr].concat();
            let told = String::from_utf8_lossy(&told).into_owned();
            let line = told.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
            Some((path, line.trim().to_string()))
        })
    }
}
