use selvedge_engines::lazy::Lazy;
use selvedge_engines::explicit::Explicit;
use selvedge_engines::{Control, Engine, Task, judge};
use selvedge_passes::prepare;
use selvedge_program::{Bounds, Finding, Program, Properties, Property, text};

#[test]
fn tmp() {
    let file = std::env::var("PROG").unwrap();
    let program: Program = text::parse(&std::fs::read_to_string(file).unwrap()).expect("a program");
    let program = prepare(program);
    if std::env::var("SHOW").is_ok() { println!("{program}"); }
    let properties = Properties::NONE.with(Property::Assertion);
    for rounds in 1..=4 {
        let bounds = Bounds { unwind: Some(4), rounds: Some(rounds), ..Bounds::default() };
        let f = Lazy.check(&program, &Task { properties, bounds, ..Task::default() }, &Control::default()).finding;
        if let Finding::Violation { schedule, .. } = &f { println!("{schedule}"); } else { println!("{f:?}"); }
        match judge(&program, properties, f) { Ok(v) => println!("R{rounds} {}", v.name()), Err(e) => println!("R{rounds} MISMATCH {e}") }
    }
    let f = Explicit::default().check(&program, &Task { properties, ..Task::default() }, &Control::default()).finding;
    println!("explicit {f:?}");
}
