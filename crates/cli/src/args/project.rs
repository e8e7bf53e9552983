//! `selvedge.toml`: options that all commands which read a program take from the folder they are started in.
//!
//! A key is the long name of an option, `files` are the files; a table is for the command of its name only. What is
//! given on the command line comes later, so it wins, or is added where an option may be given several times. Nothing
//! is declared here: which options there are, what they take and what excludes them is read off clap's declarations.

use super::given::given_in;
use crate::engines::{Capability, Entry};
use clap::{Arg, ArgMatches, Command};
use std::ffi::OsString;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub const FILE: &str = "selvedge.toml";

/// The option that says not to read it. Only commands that read a program have it.
const WITHOUT: &str = "no_project";

/// An option of the project's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Setting {
    key: String,
    values: Vec<String>,
}

/// The settings of a project for one command.
#[derive(Debug, Default)]
pub struct Project {
    settings: Vec<Setting>,
}

impl Project {
    /// The project of the folder that the command is started in. `own`: what is given on the command line.
    pub fn here(declared: &Command, own: &ArgMatches) -> Result<Project, String> {
        let Some((name, own)) = own.subcommand() else { return Ok(Project::default()) };
        let Some(command) = declared.find_subcommand(name).filter(|command| reads(command)) else {
            return Ok(Project::default());
        };
        let Ok(text) = std::fs::read_to_string(Path::new(FILE)) else { return Ok(Project::default()) };
        match own.try_get_one::<bool>(WITHOUT) {
            Ok(Some(true)) => Ok(Project::default()),
            _ => Project::read(&text, declared, command, own),
        }
    }

    fn read(text: &str, declared: &Command, command: &Command, own: &ArgMatches) -> Result<Project, String> {
        let table = DeTable::parse(text).map_err(|error| format!("{FILE}: {error}"))?;
        let mut project = Project::default();
        for (key, value) in table.get_ref() {
            let at = |what: String| format!("{FILE}:{}: {what}", line(text, key));
            match value.get_ref() {
                DeValue::Table(inner) => {
                    let of = declared.find_subcommand(&**key.get_ref()).filter(|of| reads(of));
                    let of =
                        of.ok_or_else(|| at(format!("there is no command `{}` that reads a program", key.get_ref())))?;
                    for (key, value) in inner {
                        let at = |what: String| format!("{FILE}:{}: {what}", line(text, key));
                        let setting = setting(&[of], key, value).map_err(at)?;
                        project.settings.extend(setting.filter(|_| of.get_name() == command.get_name()));
                    }
                }
                _ => {
                    let all: Vec<&Command> = declared.get_subcommands().filter(|command| reads(command)).collect();
                    let setting = setting(&all, key, value).map_err(at)?;
                    project.settings.extend(setting.filter(|setting| argument(command, &setting.key).is_some()));
                }
            }
        }
        project.settings.retain(|setting| !is_replaced(setting, command, own));
        Ok(project)
    }

    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// The settings as words of a command line, to stand before those of the user.
    pub fn words(&self) -> impl Iterator<Item = OsString> {
        self.settings.iter().flat_map(Setting::words).map(OsString::from)
    }

    /// The error, with what the project has to do with it.
    pub fn mentioned_in(&self, error: &clap::Error, declared: &mut Command) -> clap::Error {
        let text = error.render().to_string();
        let text = text.trim_start_matches("error: ").trim_end();
        let added: Vec<String> = self.words().map(|word| word.to_string_lossy().into_owned()).collect();
        declared.error(error.kind(), format!("{text}\n\n{FILE} adds: {}", added.join(" ")))
    }

    /// Leaves out bounds that are for other engines than the one that was chosen. Was there any?
    pub fn leave_out_bounds<M>(&mut self, command: &Command, engine: &Entry<M>) -> bool {
        let before = self.settings.len();
        self.settings.retain(|setting| {
            let capability = argument(command, &setting.key).and_then(|arg| arg.get::<Capability>().copied());
            capability.is_none_or(|capability| !capability.is_bound() || engine.takes(capability))
        });
        self.settings.len() < before
    }
}

/// Reads the command a program, and hence a project?
fn reads(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == WITHOUT)
}

fn argument<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| match key {
        "files" => arg.get_id() == "files",
        _ => arg.get_long() == Some(key) && arg.get_id() != WITHOUT,
    })
}

fn line(text: &str, key: &Spanned<impl Sized>) -> usize {
    text[..key.span().start].matches('\n').count() + 1
}

/// A setting, or nothing if it is off.
fn setting(
    commands: &[&Command],
    key: &Spanned<impl AsRef<str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<Option<Setting>, String> {
    let key = key.get_ref().as_ref();
    let arg = commands.iter().find_map(|command| argument(command, key));
    let arg = arg.ok_or_else(|| format!("there is no option --{key}: see selvedge help check"))?;
    let is_flag = !arg.get_action().takes_values();
    let expected = if is_flag { "true or false" } else { "a text, a number or a list of them" };
    let wrong = || format!("{key} takes {expected}");
    let scalar = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.to_string()),
        DeValue::Float(number) => Ok(number.to_string()),
        _ => Err(wrong()),
    };
    let values = match value.get_ref() {
        DeValue::Boolean(true) if is_flag => Vec::new(),
        DeValue::Boolean(false) if is_flag => return Ok(None),
        _ if is_flag => return Err(wrong()),
        DeValue::Array(values) => values.iter().map(|value| scalar(value.get_ref())).collect::<Result<Vec<_>, _>>()?,
        value => vec![scalar(value)?],
    };
    if values.is_empty() && !is_flag {
        return Ok(None);
    }
    let values = match arg.get_value_delimiter() {
        Some(delimiter) => vec![values.join(&delimiter.to_string())],
        None => values,
    };
    Ok(Some(Setting { key: key.to_string(), values }))
}

/// Whether the command line says something else in the place of this setting.
fn is_replaced(setting: &Setting, command: &Command, own: &ArgMatches) -> bool {
    let Some(arg) = argument(command, &setting.key) else { return true };
    if setting.key == "files" {
        return given_in(own, arg)
            || command.get_arguments().any(|other| other.get_id() == "build" && given_in(own, other));
    }
    // A list between commas is one value.
    if arg.get_value_delimiter().is_some() && given_in(own, arg) {
        return true;
    }
    let excludes = |one: &Arg, other: &Arg| {
        let excluded = command.get_arg_conflicts_with(one);
        excluded.iter().any(|excluded| excluded.get_id() == other.get_id())
    };
    let mut others = command.get_arguments().filter(|other| other.get_id() != arg.get_id() && given_in(own, other));
    others.any(|other| excludes(arg, other) || excludes(other, arg))
}

impl Setting {
    fn words(&self) -> Vec<String> {
        match self.key.as_str() {
            "files" => self.values.clone(),
            key if self.values.is_empty() => vec![format!("--{key}")],
            key => self.values.iter().map(|value| format!("--{key}={value}")).collect(),
        }
    }
}
