//! The solvers that tests run with: ours, and every process that is installed.

use selvedge_formula::smt::KNOWN;
use selvedge_formula::{Incremental, Limits, SolverError, Theory, open};
use selvedge_requires::Need;

/// More of them, by command line, separated by semicolons: other versions, say.
const MORE: &str = "SELVEDGE_TEST_SOLVERS";

pub fn names(theory: Theory) -> Vec<String> {
    let more = std::env::var(MORE).unwrap_or_default();
    let more = more.split(';').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let known = KNOWN.iter().map(|known| known.name.to_owned());
    let all = ["cadical".to_owned()].into_iter().chain(known).chain(more);
    let found: Vec<String> = all
        .filter(|name| match open(name, theory, Limits::default()) {
            Ok(_) => true,
            Err(why @ (SolverError::NotStarted { .. } | SolverError::NoSuchTheory { .. })) => {
                eprintln!("left out: {why}");
                false
            }
            Err(why) => panic!("{name}: {why}"),
        })
        .collect();
    // Our own knows bit vectors only.
    if found.iter().all(|name| name == "cadical") {
        selvedge_requires::skip(Need::SecondSolver);
    }
    found
}

/// Does it with every solver, and says with which.
pub fn with_each(theory: Theory, mut run: impl FnMut(Box<dyn Incremental>)) {
    for name in names(theory) {
        eprintln!("{name}");
        run(open(&name, theory, Limits::default()).expect("it could be opened before"));
    }
}
