//! The options that the user gave, read off clap's declarations: does the engine take them, and how are they repeated?

use crate::engines::{CONFLICTS, Capability, Entry};
use crate::failure::Failure;
use clap::builder::ArgExt;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use std::ffi::OsStr;

/// The values of an option that ask for its capability, if not all do.
#[derive(Clone, Copy, Debug)]
pub struct Asking(pub fn(&OsStr) -> bool);

impl ArgExt for Asking {}

/// The arguments of one subcommand.
pub struct Given {
    matches: ArgMatches,
    /// Those that are not in the project's file, which commands read again.
    own: ArgMatches,
    /// The capabilities that are asked for, each with the option that asks, as the user would write it.
    asked: Vec<(Capability, String)>,
}

impl Given {
    /// `command` declares the subcommand that `matches` are of; `own` are those of the command line alone.
    pub fn new(command: &Command, matches: &ArgMatches, own: &ArgMatches) -> Given {
        let (name, matches) = matches.subcommand().expect("there is always a subcommand");
        let declared = command.find_subcommand(name).expect("it is declared").get_arguments();
        let own = own.subcommand_matches(name).unwrap_or(matches);
        let mut given = Given { matches: matches.clone(), own: own.clone(), asked: Vec::new() };
        let asks = |arg: &Arg| Some((*arg.get::<Capability>()?, format!("--{}", arg.get_long()?)));
        let says_so = |arg: &&Arg| match arg.get::<Asking>() {
            Some(Asking(is_it)) => values(&given.matches, arg).any(is_it),
            None => true,
        };
        given.asked = declared.filter(|arg| given_in(&given.matches, arg)).filter(says_so).filter_map(asks).collect();
        given
    }

    /// Adds a capability that no option of its own asks for.
    pub fn ask(&mut self, capability: Capability, name: &str) {
        self.asked.push((capability, name.to_string()));
    }

    /// The first option that asks for this capability.
    pub fn asks(&self, capability: Capability) -> Option<&str> {
        self.asked.iter().find(|(asked, _)| *asked == capability).map(|(_, name)| name.as_str())
    }

    /// Refuses what the engine does not take, and what has no meaning together.
    pub fn check_engine<M>(&self, engine: &Entry<M>, all: &[Entry<M>]) -> Result<(), Failure> {
        if let Some((capability, name)) = self.asked.iter().find(|(capability, _)| !engine.takes(*capability)) {
            let (engine, others) = (engine.name, names_of_takers(all, *capability).join(", "));
            return Err(Failure::BadInput(format!(
                "--engine {engine} does not take {name}; engines that do: {others}"
            )));
        }
        self.check_conflicts()
    }

    pub fn check_conflicts(&self) -> Result<(), Failure> {
        for (one, others, why) in CONFLICTS {
            let other = others.iter().find_map(|other| self.asks(*other));
            if let (Some(one), Some(other)) = (self.asks(*one), other) {
                return Err(conflict(one, other, why));
            }
        }
        Ok(())
    }

    /// The given arguments that `T` declares, as words of another command line, apart from those behind `--`.
    pub fn words<T: clap::Args>(&self) -> Vec<String> {
        self.words_of_all::<T>(false)
    }

    /// `--` and the words behind it, if there are any.
    pub fn last_words<T: clap::Args>(&self) -> Vec<String> {
        let words = self.words_of_all::<T>(true);
        let dashes = (!words.is_empty()).then(|| "--".to_string());
        dashes.into_iter().chain(words).collect()
    }

    fn words_of_all<T: clap::Args>(&self, last: bool) -> Vec<String> {
        let declared = T::augment_args(Command::new(""));
        let given = declared.get_arguments().filter(|arg| arg.is_last_set() == last && given_in(&self.own, arg));
        given.flat_map(|arg| self.words_of(arg)).collect()
    }

    fn words_of(&self, arg: &Arg) -> Vec<String> {
        let mut values: Vec<String> =
            values(&self.own, arg).map(|value| value.to_string_lossy().into_owned()).collect();
        if let Some(delimiter) = arg.get_value_delimiter() {
            values = vec![values.join(&delimiter.to_string())];
        }
        match (arg.get_long(), arg.get_short()) {
            (Some(long), _) if !arg.get_action().takes_values() => vec![format!("--{long}")],
            (Some(long), _) => values.iter().map(|value| format!("--{long}={value}")).collect(),
            (None, Some(short)) => values.iter().map(|value| format!("-{short}{value}")).collect(),
            (None, None) => values,
        }
    }
}

/// Was it given, with another value than its default?
pub fn given_in(matches: &ArgMatches, arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    matches.try_contains_id(id).unwrap_or(false)
        && matches.value_source(id) == Some(ValueSource::CommandLine)
        && !values(matches, arg).eq(arg.get_default_values().iter().map(|value| value.as_os_str()))
}

fn values<'m>(matches: &'m ArgMatches, arg: &Arg) -> impl Iterator<Item = &'m OsStr> {
    matches.get_raw(arg.get_id().as_str()).into_iter().flatten()
}

pub fn conflict(one: &str, other: &str, why: &str) -> Failure {
    Failure::BadInput(format!("{one} cannot be combined with {other}: {why}"))
}

/// Says in the help of an option which engines take it, if not all do.
pub fn naming_engines<M>(all: &[Entry<M>]) -> impl FnMut(Arg) -> Arg {
    move |arg| {
        let takers = arg.get::<Capability>().map(|capability| names_of_takers(all, *capability));
        match (takers, arg.get_help()) {
            (Some(takers), Some(help)) if takers.len() < all.len() => {
                let help = format!("{help} [engines: {}]", takers.join(", "));
                arg.help(help)
            }
            _ => arg,
        }
    }
}

fn names_of_takers<M>(all: &[Entry<M>], capability: Capability) -> Vec<&'static str> {
    all.iter().filter(|engine| engine.takes(capability)).map(|engine| engine.name).collect()
}
