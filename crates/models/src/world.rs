//! The world in which a program is started: its arguments and its environment, as C of ours that is compiled with the
//! models.
//!
//! The front end passes `__selvedge_argv` and `__selvedge_environment` to `main`, and the number of arguments, which
//! `__selvedge_arguments()` chooses where it is open.

use std::fmt::Write;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct World {
    pub arguments: Arguments,
    /// `NAME=VALUE`. `None`: nobody says, and there are none.
    pub environment: Option<Vec<String>>,
    /// The most bytes of a line, word or block that the program reads, if somebody says.
    pub longest_input: Option<u16>,
}

/// The words after the program's name on its command line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Arguments {
    /// Not given; there are none.
    #[default]
    Unsaid,
    Given(Vec<String>),
    Any(AnyArguments),
}

/// The greatest numbers of arguments, and of bytes of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnyArguments {
    pub most: u16,
    pub longest: u16,
}

impl World {
    /// Definitions in C of what `main` is passed.
    pub fn definitions(&self) -> String {
        let mut text = String::new();
        let mut given = vec![b"program".as_slice()];
        if let Arguments::Given(words) = &self.arguments {
            given.extend(words.iter().map(|word| word.as_bytes()));
        }
        let room = match self.arguments {
            Arguments::Any(AnyArguments { most, .. }) => usize::from(most),
            Arguments::Unsaid | Arguments::Given(_) => 0,
        };
        define_vector(&mut text, "argv", &given, room);
        let environment = self.environment.iter().flatten().map(|variable| variable.as_bytes());
        define_vector(&mut text, "environment", &environment.collect::<Vec<_>>(), 0);
        if let Arguments::Any(any) = self.arguments {
            text.push_str(&any.choice());
        }
        text
    }
}

impl AnyArguments {
    /// The function that chooses how many there are; their bytes are chosen where they are read.
    fn choice(self) -> String {
        let AnyArguments { most, longest } = self;
        format!(
            "static char argument[{most}][{longest} + 1];\n\
             int __selvedge_arguments(void) {{\n\
             \x20   int count = (int)__selvedge_nondet_range(0, {most});\n\
             \x20   for (int i = 0; i < count; i++) {{\n\
             \x20       fill_with_anything(argument[i], {longest});\n\
             \x20       __selvedge_argv[i + 1] = argument[i];\n\
             \x20   }}\n\
             \x20   return count + 1;\n\
             }}\n"
        )
    }
}

/// A vector of strings that ends with null, and with more room behind it. The strings can be written to.
fn define_vector(text: &mut String, name: &str, strings: &[&[u8]], room: usize) {
    for (number, string) in strings.iter().enumerate() {
        let escaped: String = string.iter().map(|byte| format!("\\{byte:03o}")).collect();
        writes(text, format_args!("static char selvedge_{name}_{number}[] = \"{escaped}\";\n"));
    }
    let size = strings.len() + room + 1;
    let entries: String = (0..strings.len()).map(|number| format!("selvedge_{name}_{number}, ")).collect();
    writes(text, format_args!("char *__selvedge_{name}[{size}] = {{ {entries}0 }};\n"));
}

fn writes(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("strings take any text");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_escaped() {
        let arguments = Arguments::Given(vec!["a\"\\?".to_string(), String::new()]);
        let world = World { arguments, environment: Some(vec!["X=1".to_string()]), ..World::default() };
        let text = world.definitions();
        assert!(text.contains("static char selvedge_argv_1[] = \"\\141\\042\\134\\077\";\n"), "{text}");
        assert!(text.contains("static char selvedge_argv_2[] = \"\";\n"), "{text}");
        assert!(text.contains("char *__selvedge_environment[2] = { selvedge_environment_0, 0 };\n"), "{text}");
    }
}
