//! Names of C++, for people: `_ZN5StackIiE3popEv` is `Stack<int>::pop`.

use cpp_demangle::{DemangleOptions, Symbol};

pub fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z")
}

/// The name as the program has it, without parameters; a name of C is itself.
pub fn readable(name: &str) -> String {
    if !is_mangled(name) {
        return name.to_string();
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let demangled = Symbol::new(name).ok().and_then(|symbol| symbol.demangle(&options).ok());
    demangled.map_or_else(|| name.to_string(), |text| as_written(&text))
}

/// Template arguments that nobody writes, because the standard library has them by default.
const DEFAULTS: [&str; 6] =
    ["std::allocator<", "std::default_delete<", "std::less<", "std::hash<", "std::equal_to<", "std::char_traits<"];

/// A demangled name without default template arguments and parameters of enclosing functions, with lambdas by number:
/// `f(int)::$_0::operator()` is `f::lambda#1`, `std::vector<int, std::allocator<int> >` is `std::vector<int>`.
fn as_written(demangled: &str) -> String {
    let mut out = String::new();
    let mut rest = demangled;
    while let Some(next) = rest.chars().next() {
        let after_operator = out.ends_with("operator");
        let group = match next {
            '<' | '(' | '{' if !after_operator => group(rest),
            _ => None,
        };
        match group {
            Some((inside, after)) => {
                match next {
                    '<' => out.push_str(&template_arguments(&out, inside)),
                    '{' => {
                        out.push_str(&inside.rfind('#').map_or(String::new(), |at| format!("lambda{}", &inside[at..])))
                    }
                    _ if inside == "anonymous namespace" => {
                        rest = after.strip_prefix("::").unwrap_or(after);
                        continue;
                    }
                    _ if after.starts_with("::") => {}
                    _ => out.push_str(&format!("({})", as_written(inside))),
                }
                rest = after;
            }
            None if after_operator && !next.is_alphanumeric() && next != '_' => {
                let symbols = rest.find(|c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | ':'));
                let (operator, after) = rest.split_at(symbols.unwrap_or(rest.len()).max(next.len_utf8()));
                out.push_str(operator);
                rest = after;
            }
            None => match rest.strip_prefix("$_").map(|number| number.split_at(digits(number))) {
                Some((number, after)) => {
                    out.push_str(&format!("lambda#{}", number.parse().map_or(1, |n: u64| n + 1)));
                    rest = after;
                }
                None => {
                    out.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            },
        }
    }
    for (long, short) in [
        ("std::__cxx11::", "std::"),
        ("std::basic_string<char>", "std::string"),
        ("std::basic_ostream<char>", "std::ostream"),
    ] {
        out = out.replace(long, short);
    }
    let out = out.strip_suffix(" const").map_or(out.clone(), str::to_string);
    match out.strip_suffix("::operator()") {
        Some(lambda) if lambda.rsplit("::").next().is_some_and(|last| last.starts_with("lambda#")) => {
            lambda.to_string()
        }
        _ => out,
    }
}

fn digits(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())
}

/// The arguments of `of` in angle brackets; nothing if none is left.
fn template_arguments(of: &str, inside: &str) -> String {
    let is_adaptor = ["std::queue", "std::stack", "std::priority_queue"].iter().any(|name| of.ends_with(name));
    let is_default = |(number, argument): &(usize, &str)| {
        let container = is_adaptor && *number > 0;
        *number > 0 && (container || DEFAULTS.iter().any(|default| argument.starts_with(default)))
    };
    let arguments = top_level(inside).into_iter().enumerate().filter(|argument| !is_default(argument));
    let shown: Vec<String> =
        arguments.map(|(_, argument)| as_written(argument)).filter(|text| !text.is_empty()).collect();
    if shown.is_empty() { String::new() } else { format!("<{}>", shown.join(", ")) }
}

/// The parts between commas that stand in no brackets.
fn top_level(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, vec![]);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// A text that begins with a bracket: what is inside, and what follows. `None` if it is never closed.
fn group(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' => depth += 1,
            '>' | ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[1..at], &text[at + 1..]));
        }
    }
    None
}

/// Whether the standard library defines it: if there is no model, nobody knows what it does to its objects.
pub fn is_of_standard_library(name: &str) -> bool {
    [
        "_ZSt",
        "_ZNSt",
        "_ZNKSt",
        "_ZNVSt",
        "_ZNSs",
        "_ZNKSs",
        "_ZNSo",
        "_ZNSi",
        "_ZNSd",
        "_ZNSa",
        "_ZN9__gnu_cxx",
        "__cxa_",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_programs_have_them() {
        assert_eq!(readable("main"), "main");
        assert_eq!(readable("_ZN5StackIiE3popEv"), "Stack<int>::pop");
        assert_eq!(readable("_ZNSt6thread4joinEv"), "std::thread::join");
        assert_eq!(readable("_Zwrong"), "_Zwrong");
        assert_eq!(readable("_ZZ4mainENK3$_0clEv"), "main::lambda#1");
        assert_eq!(readable("_ZNSt5queueIiSt5dequeIiSaIiEEE4pushERKi"), "std::queue<int>::push");
        assert_eq!(readable("_ZNSt6vectorISt6threadSaIS0_EE5beginEv"), "std::vector<std::thread>::begin");
    }

    #[test]
    fn what_nobody_writes_is_left_out() {
        for (demangled, written) in [
            ("f(std::unique_ptr<int, std::default_delete<int> >, void (*)())::$_2::__invoke", "f::lambda#3::__invoke"),
            ("run<int>(int)::{lambda(int, char)#2}::operator()", "run<int>::lambda#2"),
            ("(anonymous namespace)::Pool::stop", "Pool::stop"),
            ("std::operator<< <std::char_traits<char> >", "std::operator<< <std::char_traits<char>>"),
            ("main::$_0::operator() const", "main::lambda#1"),
            ("Box::operator()", "Box::operator()"),
            ("Box::operator->", "Box::operator->"),
            (
                "std::map<int, int, std::less<int>, std::allocator<std::pair<int const, int> > >::at",
                "std::map<int, int>::at",
            ),
            (
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size",
                "std::string::size",
            ),
            ("a < b", "a < b"),
        ] {
            assert_eq!(as_written(demangled), written);
        }
        assert!(is_of_standard_library("_ZNSt6thread4joinEv"));
        assert!(!is_of_standard_library("_ZN5StackIiE3popEv"));
    }
}
