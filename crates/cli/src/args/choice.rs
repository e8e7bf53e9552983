//! Options with one of several values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A name, a line of help (or none), and what it stands for.
pub type Choice<T> = (&'static str, &'static str, T);

/// Reads a name as what it stands for.
pub fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = Choice<T>>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<Choice<T>> = choices.into_iter().collect();
    let values = choices.iter().map(|(name, help, _)| match *help {
        "" => PossibleValue::new(*name),
        help => PossibleValue::new(*name).help(help),
    });
    PossibleValuesParser::new(values).map(move |given| named(&choices, &given).expect("clap takes no other name"))
}

/// Whether case matters is for clap to decide.
pub fn named<T: Clone>(choices: &[Choice<T>], given: &str) -> Option<T> {
    choices.iter().find(|(name, ..)| name.eq_ignore_ascii_case(given)).map(|(.., value)| value.clone())
}

pub fn name_of<T: PartialEq>(choices: &[Choice<T>], value: &T) -> &'static str {
    choices.iter().find(|(.., known)| known == value).expect("every value has a name").0
}
