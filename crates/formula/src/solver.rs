//! The interface of all solvers for terms.
//!
//! A [`Solver`] takes terms, which must all come from the same [`Terms`]; the other traits are further
//! capabilities. There are two implementations: [`Blasted`], our own circuits with CaDiCaL, and [`Process`],
//! any program that speaks SMT-LIB 2. Engines hold a `Box<dyn Incremental>` and need not know which.
//!
//! Only checks and questions about their outcome can fail: if a process breaks down while it is sent assertions, the
//! next question reports it. A solver may be unable to answer (an [`Unknown`], or an error), but must not answer
//! wrongly; models of processes are therefore evaluated before they are believed.

use crate::blasted::Blasted;
use crate::limits::Limits;
use crate::smt::Process;
use crate::terms::{Term, Terms};
use std::fmt;
use std::time::Duration;

/// Whether the assertions and assumptions can hold together.
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
    /// The deadline, or the time for one check, has passed.
    OutOfTime,
    /// The solver gave up for this reason, in its own words.
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

/// How terms are interpreted.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Theory {
    /// Exactly: as bit-vectors.
    #[default]
    BitVectors,
    /// As mathematical integers: an approximation in both directions, see `smt/integers.rs`.
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

/// The work of a solver so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Work {
    pub checks: u64,
    /// Spent in checks, models and cores.
    pub time: Duration,
    /// The clauses added, or the bytes of text sent.
    pub size: usize,
    /// How often a process was started again after it was killed or died.
    pub restarts: u64,
}

/// A solver for terms. Assertions stay, assumptions hold for one check.
pub trait Solver {
    /// The name by which the user selects it.
    fn name(&self) -> &str;

    fn theory(&self) -> Theory;

    /// Sets limits from the next check on. There are none at first.
    fn set_limits(&mut self, limits: Limits);

    /// Requires a Boolean to be true until the current level is left; on the outermost level, for good.
    fn assert(&mut self, terms: &Terms, t: Term);

    /// Whether the assertions can hold together with these Booleans.
    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, SolverError>;

    /// The value of any term in a model. Variables that the solver has not seen are 0.
    ///
    /// Requires that the last check returned `Answer::Sat` and nothing was asserted, pushed or popped since.
    fn value(&mut self, terms: &Terms, t: Term) -> Result<u128, SolverError>;

    fn work(&self) -> Work;
}

/// Solvers that explain unsatisfiability.
pub trait Cores: Solver {
    /// Assumptions of the last check that cannot hold together with the assertions, in the order they were
    /// given; none if the assertions alone are unsatisfiable. Not necessarily a minimal set.
    ///
    /// Requires that the last check returned `Answer::Unsat` and nothing was asserted, pushed or popped since.
    fn core(&mut self) -> Result<Vec<Term>, SolverError>;
}

/// Solvers that can retract assertions.
pub trait Stack: Solver {
    /// Begins a level. Assertions made on it hold until it is left.
    fn push(&mut self);

    /// Leaves the innermost level. There must be one.
    fn pop(&mut self);

    /// The number of open levels.
    fn depth(&self) -> usize;
}

/// Solvers that can free memory.
pub trait Forget: Solver {
    /// Frees whatever belongs to terms other than the first `kept`, which are about to be forgotten
    /// ([`Terms::truncate`]).
    ///
    /// Requires that nothing is asserted and no level is open.
    fn forget(&mut self, kept: usize);

    /// Roughly how many bytes the solver uses for terms.
    fn held(&self) -> usize;
}

/// Solvers with all the capabilities that a search needs.
pub trait Incremental: Cores + Stack + Forget {}

impl<S: Cores + Stack + Forget> Incremental for S {}

/// Opens a solver by name: [`Blasted::NAME`] is the built-in one, for others see [`Process::start`].
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

/// Checks that such a solver exists, without starting it.
pub fn check_name(name: &str, theory: Theory) -> Result<(), SolverError> {
    match (name, theory) {
        (Blasted::NAME, Theory::BitVectors) => Ok(()),
        (Blasted::NAME, Theory::Integers) => Err(SolverError::NoSuchTheory { solver: name.to_owned(), theory }),
        _ => Process::find(name, theory).map(drop),
    }
}

/// Why a solver could not be asked. No error says anything about the formula.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    #[error("there is no solver `{name}`; use {known}, or any command line that reads SMT-LIB 2 from standard input")]
    NoSuchSolver { name: String, known: String },
    #[error("{solver} does not support {theory}")]
    NoSuchTheory { solver: String, theory: Theory },
    #[error("cannot run {solver} (`{command}`): {why}")]
    NotStarted { solver: String, command: String, why: std::io::Error },
    #[error("{solver} died: {how}")]
    Died { solver: String, how: String },
    #[error("{solver} rejected its input: {message}")]
    Refused { solver: String, message: String },
    #[error("{solver} was asked for {wanted} and replied: {said}")]
    Nonsense { solver: String, wanted: String, said: String },
    /// While computing a model or a core; a check returns [`Answer::Unknown`] instead.
    #[error("{why} ({solver})")]
    GaveUp { solver: String, why: Unknown },
    #[error("{solver} returned a model that does not satisfy the assertions")]
    WrongModel { solver: String },
}
