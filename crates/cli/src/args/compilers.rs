//! Compilers' spellings, which clap has no notion of, as our long options.

use selvedge_from_llvm::flags::words_of_flag;
use std::ffi::OsString;

/// Words behind `--` are another command's, unless they are options of checks for `suite`.
pub fn rewritten(arguments: impl Iterator<Item = OsString>, declared: &clap::Command) -> Vec<OsString> {
    let mut words = arguments.peekable();
    let mut result: Vec<OsString> = words.next().into_iter().collect();
    let command = words.peek().and_then(|name| name.to_str()).and_then(|name| declared.find_subcommand(name));
    let reads_c = command.is_some_and(|command| command.get_arguments().any(|arg| arg.get_id() == "cflags"));
    let is_suite = command.is_some_and(|command| command.get_name() == "suite");
    while let Some(word) = words.next() {
        let Some(text) = word.to_str() else {
            result.push(word);
            continue;
        };
        if text == "--" && !is_suite {
            result.push(word);
            result.extend(words);
            break;
        }
        let takes_value = command.is_some_and(|command| takes_value(command, text));
        match (text, words_of_flag(text)) {
            ("-m32", _) => result.push("--data-model=ILP32".into()),
            ("-m64", _) => result.push("--data-model=LP64".into()),
            ("-O0" | "-O1" | "-O2" | "-O3", _) => result.push(format!("--opt={}", &text[1..]).into()),
            (_, 1) if reads_c => result.push(cflags([text])),
            (_, 2) if reads_c => {
                let value = words.next().unwrap_or_default();
                result.push(cflags([text, &value.to_string_lossy()]));
            }
            _ if text.starts_with("-std=") => result.push(format!("-{text}").into()),
            _ => result.push(word),
        }
        if takes_value {
            result.extend(words.next());
        }
    }
    result
}

fn cflags<const N: usize>(words: [&str; N]) -> OsString {
    let quoted = shlex::try_join(words).unwrap_or_else(|_| words.join(" "));
    format!("--cflags={quoted}").into()
}

/// Whether the next word is the value of this long option.
fn takes_value(command: &clap::Command, option: &str) -> bool {
    let Some(name) = option.strip_prefix("--") else { return false };
    let needs_one = |arg: &clap::Arg| arg.get_num_args().is_none_or(|number| number.min_values() > 0);
    let mut arguments = command.get_arguments();
    arguments.any(|arg| arg.get_long() == Some(name) && arg.get_action().takes_values() && needs_one(arg))
}
