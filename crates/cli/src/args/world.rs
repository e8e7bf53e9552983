//! The world in which the program is started.

use super::choice::{Choice, one_of};
use clap::Args;
use selvedge_from_llvm::{AnyArguments, Arguments, World};
use selvedge_program::Fallible;

const WORLD: &str = "The world of the program";

/// Arguments, environment, and what may fail.
#[derive(Args)]
pub struct WorldArgs {
    /// Start the program with these arguments: `selvedge check prog.c -- 2 hello`
    #[arg(last = true, value_name = "ARGUMENT", help_heading = WORLD)]
    pub arguments: Vec<String>,
    /// Leave up to N arguments open: any number of them, of any LENGTH bytes or fewer
    #[arg(long, value_name = "N[:LENGTH]", value_parser = any_arguments, conflicts_with = "arguments",
          help_heading = WORLD)]
    pub arg_any: Option<AnyArguments>,
    /// Start the program with this variable in its environment, and no others but those that are named so
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, help_heading = WORLD)]
    pub env: Vec<String>,
    /// Let calls of these groups fail, as the standard says, separated by commas; otherwise they succeed
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = one_of(Fallible::ALL.map(fallible)),
          help_heading = WORLD)]
    pub may_fail: Vec<Fallible>,
    /// Short for --may-fail malloc
    #[arg(long, hide = true)]
    pub malloc_may_fail: bool,
}

impl WorldArgs {
    pub fn world(&self) -> World {
        let arguments = match (self.arg_any, self.arguments.is_empty()) {
            (Some(any), _) => Arguments::Any(any),
            (None, true) => Arguments::Unsaid,
            (None, false) => Arguments::Given(self.arguments.clone()),
        };
        World { arguments, environment: (!self.env.is_empty()).then(|| self.env.clone()) }
    }

    pub fn may_fail(&self) -> Vec<Fallible> {
        let malloc = self.malloc_may_fail.then_some(Fallible::Malloc);
        self.may_fail.iter().copied().chain(malloc).collect()
    }
}

fn fallible(group: Fallible) -> Choice<Fallible> {
    let help = match group {
        Fallible::Create => "pthread_create, thrd_create",
        Fallible::Malloc => {
            "malloc, calloc, realloc, aligned_alloc, strdup, asprintf, mmap and all else that allocates"
        }
        Fallible::Init => {
            "pthread_mutex_init, cond, rwlock, barrier, spin and attribute _init, mtx_init, cnd_init, sem_init, sem_open, \
             pthread_key_create, tss_create"
        }
        Fallible::Files => "write, send, close, fsync, unlink, remove, fclose, fwrite, fflush, printf and other output",
        Fallible::Wait => "sem_wait, sem_timedwait: interrupted by a signal",
    };
    (group.name(), help, group)
}

/// How long open arguments are unless it is said.
const LENGTH: u16 = 4;
/// The most of each that there may be.
const MOST: u16 = 1000;

fn any_arguments(text: &str) -> Result<AnyArguments, String> {
    let (most, longest) = text.split_once(':').map_or((text, None), |(most, longest)| (most, Some(longest)));
    let number = |text: &str| match text.parse() {
        Ok(number @ 1..=MOST) => Ok(number),
        _ => Err(format!("expected N or N:LENGTH, each from 1 to {MOST}")),
    };
    Ok(AnyArguments { most: number(most)?, longest: longest.map_or(Ok(LENGTH), number)? })
}

fn variable(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_string()),
        _ => Err("expected NAME=VALUE".to_string()),
    }
}
