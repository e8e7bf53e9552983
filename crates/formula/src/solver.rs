//! What any solver can do for us, whatever it is made of.
//!
//! A [`Solver`] is spoken to in terms, of one and the same [`Terms`]; the other traits say what it can do
//! beyond that. Two implementations: [`Blasted`], our own circuits and CaDiCaL, and [`Process`],
//! any program that speaks SMT-LIB 2. Engines hold a `Box<dyn Incremental>` and need not know which.
//!
//! Nothing but the check itself can fail: what goes wrong with a process while it is told things comes to
//! light at the next question. A solver is allowed to be unable to answer (an [`Unknown`], or an error),
//! but not to answer wrongly; models of processes are therefore evaluated before they are believed.

use crate::blasted::Blasted;
use crate::limits::Limits;
use crate::smt::Process;
use crate::terms::{Term, Terms};
use std::fmt;
use std::time::Duration;

/// Can the assertions and assumptions hold together?
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown(Unknown),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The stop flag was set.
    Interrupted,
    /// The deadline, or the time for one check.
    OutOfTime,
    /// It does not know how, in its own words.
    GaveUp(String),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unknown::Interrupted => f.write_str("the solver was interrupted"),
            Unknown::OutOfTime => f.write_str("the solver ran out of time"),
            Unknown::GaveUp(why) => write!(f, "the solver gave up: {why}"),
        }
    }
}

/// What terms are taken for.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Theory {
    /// What they are: every answer is exact.
    #[default]
    BitVectors,
    /// Mathematical integers: an approximation in both directions, see `smt/integers.rs`.
    Integers,
}

impl fmt::Display for Theory {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Theory::BitVectors => "bit-vectors",
            Theory::Integers => "integers",
        })
    }
}

/// What a solver was asked so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Work {
    pub checks: u64,
    /// In checks, and in asking for models and cores.
    pub time: Duration,
    /// Clauses that it was given, or bytes of text.
    pub size: usize,
    /// Of a process, after it had to be killed or died.
    pub restarts: u64,
}

/// Assertions stay, assumptions hold for one check.
pub trait Solver {
    /// As the user would choose it.
    fn name(&self) -> &str;

    fn theory(&self) -> Theory;

    /// From the next check on. Without this: none.
    fn set_limits(&mut self, limits: Limits);

    /// Requires a Boolean to be true: from now on, or until the level is left that it was asserted on.
    fn assert(&mut self, terms: &Terms, t: Term);

    /// Whether the assertions can hold together with these Booleans.
    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, SolverError>;

    /// The value of any term in a model. Variables that the solver was never told of are 0.
    ///
    /// Only after `Answer::Sat`, and before anything is asserted, pushed or popped.
    fn value(&mut self, terms: &Terms, t: Term) -> Result<u128, SolverError>;

    fn work(&self) -> Work;
}

/// Solvers that say why not.
pub trait Cores: Solver {
    /// Assumptions of the last check that cannot hold together with the assertions, in the order they were
    /// given; none if the assertions alone are unsatisfiable. Not necessarily a minimal set.
    ///
    /// Only after `Answer::Unsat`, and before anything is asserted, pushed or popped.
    fn core(&mut self) -> Result<Vec<Term>, SolverError>;
}

/// Solvers that can take assertions back.
pub trait Stack: Solver {
    /// Begins a level. What is asserted from now on holds until it is left.
    fn push(&mut self);

    /// Leaves the innermost level, which there must be.
    fn pop(&mut self);

    /// How many levels there are to leave.
    fn depth(&self) -> usize;
}

/// Solvers that keep no more than they must.
pub trait Forget: Solver {
    /// All terms but the first so many are about to be forgotten ([`Terms::truncate`]): gives back what it knows of them.
    ///
    /// Only while nothing is asserted, and no level is open.
    fn forget(&mut self, kept: usize);

    /// How many bytes it needs for the terms that it knows, roughly.
    fn held(&self) -> usize;
}

/// Solvers with everything that a search needs.
pub trait Incremental: Cores + Stack + Forget {}

impl<S: Cores + Stack + Forget> Incremental for S {}

/// A solver by its name: [`Blasted::NAME`] for ours, else as [`Process::start`] says.
pub fn open(name: &str, theory: Theory, limits: Limits) -> Result<Box<dyn Incremental>, SolverError> {
    match (name, theory) {
        (Blasted::NAME, Theory::BitVectors) => {
            let mut solver = Blasted::default();
            solver.set_limits(limits);
            Ok(Box::new(solver))
        }
        (Blasted::NAME, Theory::Integers) => Err(SolverError::NoSuchTheory { solver: name.to_owned(), theory }),
        _ => Ok(Box::new(Process::start(name, theory, limits)?)),
    }
}

/// Can there be such a solver? Nothing is started.
pub fn check_name(name: &str, theory: Theory) -> Result<(), SolverError> {
    match (name, theory) {
        (Blasted::NAME, Theory::BitVectors) => Ok(()),
        (Blasted::NAME, Theory::Integers) => Err(SolverError::NoSuchTheory { solver: name.to_owned(), theory }),
        _ => Process::find(name, theory).map(drop),
    }
}

/// Why a solver could not be asked. None of these says anything about the formula.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    #[error(
        "there is no solver `{name}`; known are {known}, and any command line with SMT-LIB 2 on its standard input"
    )]
    NoSuchSolver { name: String, known: String },
    #[error("{solver} knows no {theory}")]
    NoSuchTheory { solver: String, theory: Theory },
    #[error("cannot run {solver} (`{command}`): {why}")]
    NotStarted { solver: String, command: String, why: std::io::Error },
    #[error("{solver} died: {how}")]
    Died { solver: String, how: String },
    #[error("{solver} refuses what it was told: {message}")]
    Refused { solver: String, message: String },
    #[error("{solver} was asked for {wanted} and said: {said}")]
    Nonsense { solver: String, wanted: String, said: String },
    /// While it was asked for a model or a core; a check answers [`Answer::Unknown`].
    #[error("{why} ({solver})")]
    GaveUp { solver: String, why: Unknown },
    #[error("{solver} found a model that is none")]
    WrongModel { solver: String },
}
