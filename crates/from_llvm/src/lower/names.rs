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
    demangled.unwrap_or_else(|| name.to_string())
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
        assert!(is_of_standard_library("_ZNSt6thread4joinEv"));
        assert!(!is_of_standard_library("_ZN5StackIiE3popEv"));
    }
}
