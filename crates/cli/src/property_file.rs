//! SV-COMP property files. They are known by their content; file names only help where a task
//! definition names a file that is not there.

use selvedge_program::{Properties, Property};
use std::path::Path;

/// The question of a property file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    Check(Properties),
    /// We cannot check this yet; as the file says it.
    NotYet(String),
}

/// Every line is `CHECK( init(main()), LTL(formula) )`. The error says what is wrong.
pub fn parse(text: &str) -> Result<Asked, String> {
    let mut properties = Properties::NONE;
    let mut rest = text;
    while let Some(start) = rest.find("LTL(") {
        let formula = balanced(&rest[start + "LTL(".len()..]).ok_or("a parenthesis is not closed")?;
        rest = &rest[start + "LTL(".len() + formula.len()..];
        match one(formula) {
            Some(found) => properties = found.into_iter().fold(properties, Properties::with),
            None => return Ok(Asked::NotYet(formula.trim().to_string())),
        }
    }
    match properties == Properties::NONE {
        true => Err("it has no line of the form CHECK( init(main()), LTL(…) )".to_string()),
        false => Ok(Asked::Check(properties)),
    }
}

/// Up to, not including, the parenthesis that closes the one before `text`.
fn balanced(text: &str) -> Option<&str> {
    let mut depth = 1;
    for (index, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[..index]);
        }
    }
    None
}

fn one(formula: &str) -> Option<Vec<Property>> {
    let formula: String = formula.chars().filter(|c| !c.is_whitespace()).collect();
    Some(match formula.as_str() {
        "G!call(reach_error())" | "G!call(__VERIFIER_error())" | "G!call(__assert_fail())" => vec![Property::Assertion],
        "Gvalid-free" | "Gvalid-deref" => vec![Property::Memory],
        "Gvalid-memtrack" => vec![Property::Leak],
        "Gvalid-memcleanup" => vec![Property::Cleanup],
        "G!overflow" => vec![Property::Overflow],
        "G!deadlock" => vec![Property::Deadlock],
        "G!data-race" => vec![Property::Race],
        "Fend" => vec![Property::Termination],
        _ => return None,
    })
}

/// By the name that SV-COMP gives the file, and the corpus's index the property.
pub fn by_name(path: &Path) -> Option<Asked> {
    let name = path.file_stem()?.to_str()?;
    let properties = match name {
        "unreach-call" | "assert" => vec![Property::Assertion],
        "valid-memsafety" => vec![Property::Memory, Property::Leak],
        "valid-memcleanup" => vec![Property::Cleanup],
        "memleak" => vec![Property::Leak],
        "no-overflow" => vec![Property::Overflow],
        "no-deadlock" => vec![Property::Deadlock],
        "no-data-race" => vec![Property::Race],
        "termination" => vec![Property::Termination],
        other => return Some(Asked::NotYet(other.to_string())),
    };
    Some(Asked::Check(properties.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(properties: &[Property]) -> Result<Asked, String> {
        Ok(Asked::Check(properties.iter().copied().collect()))
    }

    #[test]
    fn content_decides() {
        assert_eq!(parse("CHECK( init(main()), LTL(G ! call(reach_error())) )\n"), asked(&[Property::Assertion]));
        assert_eq!(parse("CHECK( init(main()), LTL(G ! overflow) )"), asked(&[Property::Overflow]));
        assert_eq!(parse("CHECK( init(main()), LTL(G ! data-race) )"), asked(&[Property::Race]));
        assert_eq!(parse("CHECK( init(main()), LTL(F end) )"), asked(&[Property::Termination]));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\n\
                      CHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )\n";
        assert_eq!(parse(memory), asked(&[Property::Memory, Property::Leak]));
    }

    #[test]
    fn what_we_cannot_check_is_named() {
        assert_eq!(parse("CHECK( init(main()), LTL(G F end) )"), Ok(Asked::NotYet("G F end".into())));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(parse("").is_err());
        assert!(parse("CHECK( init(main()), LTL(G ! call(").is_err());
    }
}
