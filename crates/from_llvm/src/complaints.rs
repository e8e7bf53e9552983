//! Conclusions from clang's messages about the program, its flags and the machine.

use crate::clang::DataModel;

/// Flags that clang does not know.
pub fn unknown_flags(messages: &str) -> impl Iterator<Item = String> {
    messages.lines().filter_map(|line| {
        let (_, rest) = line.split_once("unknown argument").or_else(|| line.split_once("unsupported option"))?;
        rest.split('\'').nth(1).map(str::to_owned)
    })
}

/// The functions that are called without a declaration, where that was made an error.
pub fn undeclared_functions(messages: &str) -> Vec<String> {
    let errors = messages.lines().filter(|line| line.contains("-Wimplicit-function-declaration]"));
    errors.filter_map(|line| line.split('\'').nth(1)).map(str::to_owned).collect()
}

/// Lines that help where clang's own words do not.
pub fn advice(messages: &str, data_model: DataModel) -> Vec<String> {
    let nested = |name| {
        format!("`{name}` is a nested function, an extension of gcc that clang does not have: define it at file level")
    };
    let mut advice: Vec<String> = nested_functions(messages).into_iter().map(nested).collect();
    if lacks_32_bit_headers(messages, data_model) {
        let missing = "32-bit headers of the C library seem to be missing (on Debian: apt install libc6-dev-i386)";
        advice.push(missing.to_owned());
    }
    advice
}

fn lacks_32_bit_headers(messages: &str, data_model: DataModel) -> bool {
    data_model == DataModel::Ilp32
        && ["gnu/stubs-32.h' file not found", "'bits/", "'sys/cdefs.h' file not found"]
            .iter()
            .any(|sign| messages.contains(sign) && messages.contains("file not found"))
}

/// The functions that are defined inside of others, by clang's messages: each quotes the line, and its last line has a
/// caret below the brace.
fn nested_functions(messages: &str) -> Vec<String> {
    let lines: Vec<&str> = messages.lines().collect();
    let named = lines.windows(3).filter(|lines| lines[0].contains("function definition is not allowed here"));
    let name = |lines: &[&str]| {
        let before: String = lines[1].chars().take(lines[2].chars().position(|c| c == '^')?).collect();
        let mut depth = 0;
        let open = before.char_indices().rev().find(|(_, c)| {
            depth += i32::from(*c == ')') - i32::from(*c == '(');
            *c == '(' && depth == 0
        });
        let name = before[..open?.0].trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        Some(name.to_owned())
    };
    named.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_functions_are_named() {
        let messages = "a.c:2:9: error: function definition is not allowed here\n\
                        \x20   2 | int inner(int (*y)(int)) { return 1; }\n\
                        \x20     |                          ^\n";
        assert_eq!(nested_functions(messages), ["inner"]);
        assert!(nested_functions("a.c:1:1: error: function definition is not allowed here").is_empty());
    }

    #[test]
    fn flags_and_functions_are_named() {
        let messages = "clang: error: unknown argument: '-fgcse'\nclang: error: unsupported option '-mx' for target";
        assert!(unknown_flags(messages).eq(["-fgcse".to_owned(), "-mx".to_owned()]));
        let messages = "a.c:1:2: error: call to undeclared function 'f'; ISO C99 [-Wimplicit-function-declaration]";
        assert_eq!(undeclared_functions(messages), ["f"]);
    }
}
