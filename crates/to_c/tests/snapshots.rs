//! Small programs, as they are printed: threads and driver.

mod common;

use common::{load, printed, project, properties};
use selvedge_to_c::{Backend, Style};

/// Without the prelude, and with the project's folder left out.
fn shown(path: &str, style: Style) -> String {
    let program = load(&project().join(path));
    let text = printed(&program, properties(), Backend::Cbmc, style).text;
    let from = text.find("/* ---- types").unwrap_or(0);
    text[from..].replace(&format!("{}/", project().display()), "")
}

#[test]
fn a_race_on_a_balance() {
    insta::assert_snapshot!(shown("examples/bank_transfer.c", Style::Tacas17));
}

#[test]
fn lazy_initialisation_in_the_style_of_cav14() {
    insta::assert_snapshot!(shown("examples/lazy_init.c", Style::Cav14));
}
