//! The sets of outcomes in `tests/litmus` are those that the axioms allow. `SELVEDGE_BLESS=1` writes them anew.

use selvedge_litmus::text::printed_sets;
use selvedge_litmus::{all, axioms, folder};

#[test]
fn outcomes_are_those_of_the_axioms() {
    let bless = std::env::var_os("SELVEDGE_BLESS").is_some_and(|value| !value.is_empty());
    let mut wrong = Vec::new();
    for test in all() {
        let allowed = axioms::outcomes(&test);
        if allowed == test.allowed {
            continue;
        }
        let path = folder().join(format!("{}.litmus", test.name));
        let text = std::fs::read_to_string(&path).expect("it was read before");
        let program = text.lines().filter(|line| !["sc", "tso", "pso"].contains(&line.split(' ').next().unwrap_or("")));
        let expected = program.map(|line| format!("{line}\n")).collect::<String>() + &printed_sets(&allowed);
        match bless {
            true => std::fs::write(&path, expected).expect("the folder can be written"),
            false => wrong.push(format!("{}: the axioms say\n{expected}", test.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every model must differ from its neighbour somewhere, and no test may be empty.
#[test]
fn the_tests_tell_the_models_apart() {
    let tests = all();
    assert!(tests.len() >= 60, "only {} tests", tests.len());
    let differ = |a: usize, b: usize| tests.iter().filter(|test| test.allowed[a] != test.allowed[b]).count();
    assert!(differ(0, 1) >= 20, "{} tests tell TSO from SC", differ(0, 1));
    assert!(differ(1, 2) >= 20, "{} tests tell PSO from TSO", differ(1, 2));
    assert!(tests.iter().all(|test| !test.allowed[0].is_empty()), "every test has an outcome");
}
