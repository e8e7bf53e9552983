//! The properties to check: by name, from a property file, or the usual ones.

use crate::args::{Given, ProgramArgs, PropertyArgs};
use crate::engines::Capability;
use crate::failure::Failure;
use crate::property_file::{self, Asked};
use selvedge_program::{Program, Properties, Property};

pub enum Question {
    Named(Asked),
    /// The default properties, and these.
    Usual(Properties),
}

impl Question {
    /// The properties to check of this program. The error is the formula that we cannot check.
    pub fn of(self, program: &Program) -> Result<Properties, String> {
        match self {
            Question::Named(Asked::Check(properties)) => Ok(properties),
            Question::Named(Asked::NotYet(formula)) => Err(formula),
            Question::Usual(more) => Ok(more.iter().fold(Properties::usual(program), Properties::with)),
        }
    }

    /// The properties, for commands without a verdict that could name an unsupported one.
    pub fn supported(self, program: &Program) -> Result<Properties, Failure> {
        let unsupported = |formula| Failure::BadInput(format!("the property `{formula}` is not supported"));
        self.of(program).map_err(unsupported)
    }

    /// Is it asked whether every run ends?
    fn includes_termination(&self) -> bool {
        matches!(self, Question::Named(Asked::Check(properties)) if properties.contains(Property::Termination))
    }
}

/// Is a status that is not 0 a violation?
pub fn includes_exit(args: &PropertyArgs) -> bool {
    args.fail_on_exit || args.properties.contains(&Property::Exit)
}

/// Is overflow a violation?
pub fn includes_overflow(args: &PropertyArgs) -> bool {
    let named = |question: Question| match question {
        Question::Named(Asked::Check(properties)) => properties.contains(Property::Overflow),
        _ => false,
    };
    question(args).is_ok_and(named)
}

fn question(args: &PropertyArgs) -> Result<Question, Failure> {
    if let Some(path) = &args.property_file {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", path.display())))?;
        return property_file::parse(&text)
            .map(Question::Named)
            .map_err(|error| Failure::BadInput(format!("{} is no property file: {error}", path.display())));
    }
    let exit = args.fail_on_exit.then_some(Property::Exit).into_iter();
    Ok(match args.properties.is_empty() {
        true => Question::Usual(exit.collect()),
        false => Question::Named(Asked::Check(args.properties.iter().copied().chain(exit).collect())),
    })
}

/// The question, for commands that know nothing of whole runs.
pub fn of_steps(args: &PropertyArgs) -> Result<Question, Failure> {
    let question = question(args)?;
    match question.includes_termination() {
        true => Err(Failure::BadInput("termination is about runs without end: ask `selvedge check`".to_string())),
        false => Ok(question),
    }
}

/// The question. Termination is a formula; in a property file it is meant of fair runs, since its tasks have threads
/// that wait for one another in loops.
pub fn asked(args: &mut ProgramArgs, given: &mut Given) -> Result<Question, Failure> {
    let question = question(&args.property)?;
    if question.includes_termination() {
        args.observers.termination = true;
        args.observers.fair |= args.property.property_file.is_some();
        given.ask(Capability::Temporal, "--property termination");
    }
    Ok(question)
}
