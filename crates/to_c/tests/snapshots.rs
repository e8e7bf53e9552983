//! Small programs, as they are printed: threads and driver.

mod common;

use common::{load, printed, project, properties};
use selvedge_program::{Properties, Property};
use selvedge_to_c::{Backend, Style};

/// Without the prelude, and with the project's folder left out.
fn shown(path: &str, asked: Properties, style: Style) -> String {
    let program = load(&project().join(path));
    let text = printed(&program, asked, Backend::Cbmc, style).text;
    let from = text.find("/* ---- types").unwrap_or(0);
    text[from..].replace(&format!("{}/", project().display()), "")
}

fn but_for_deadlocks() -> Properties {
    properties().iter().filter(|property| *property != Property::Deadlock).collect()
}

#[test]
fn a_race_on_a_balance() {
    insta::assert_snapshot!(shown("examples/bank_transfer.c", but_for_deadlocks(), Style::Tacas17));
}

#[test]
fn lazy_initialisation_in_the_style_of_cav14() {
    insta::assert_snapshot!(shown("examples/lazy_init.c", but_for_deadlocks(), Style::Cav14));
}

#[test]
fn two_locks_in_both_orders() {
    let asked = [Property::Deadlock].into_iter().collect();
    insta::assert_snapshot!(shown("tests/programs/lazy/deadlock_two_locks.c", asked, Style::Tacas17));
}
