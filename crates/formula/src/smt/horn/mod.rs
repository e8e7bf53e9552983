//! Constrained Horn clauses, and solvers that find predicates which satisfy them.
//!
//! ```text
//! Clauses ──integers.rs, bitvectors.rs──▶ text ──▶ z3 (Spacer), any reader of SMT-LIB's HORN logic
//!                                                    │
//! Interpretation ◀────────── read.rs ◀── model ◀─────┘
//! ```
//!
//! A clause says: where its premises (predicates, said of terms) and its constraints hold, its conclusion holds;
//! without a conclusion, they never hold together. Horn clauses are how verification conditions with unknown invariants
//! look (Grebenshchikov, Lopes, Popeea, Rybalchenko, "Synthesizing software verifiers from proof rules", PLDI 2012),
//! and Spacer finds the unknowns (Komuravelli, Gurfinkel, Chaki, "SMT-based model checking for recursive programs", CAV
//! 2014).
//!
//! In the theory of integers every argument of a predicate is the number that its bits mean, signed or not as the
//! caller chooses. Numbers wrap around where they would in bits; what linear arithmetic cannot express has any value.
//! The clauses as text imply the clauses as given, but solvers have been wrong before, and so may we be: who needs
//! certainty checks the interpretation against the clauses.
//!
//! Each question has a process of its own. One that had answered others did not answer what it solves at once when
//! asked first.

mod integers;
mod read;

pub use read::Interpretation;

use super::bitvectors;
use super::pipe::{Pipe, Received};
use super::process::refusal;
use super::sexp::Sexp;
use super::writer::name;
use crate::limits::Limits;
use crate::solver::{SolverError, Theory, Unknown};
use crate::terms::{Node, Term, Terms};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// The meaning of the bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reading {
    Signed,
    Unsigned,
}

/// An unknown, by the widths of its arguments and how they are read where they are integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    pub arguments: Vec<(u32, Reading)>,
}

/// A predicate, by its place among all, said of terms.
#[derive(Clone, Debug)]
pub struct Application {
    pub predicate: usize,
    pub arguments: Vec<Term>,
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub premises: Vec<Application>,
    pub constraints: Vec<Term>,
    pub conclusion: Option<Application>,
}

#[derive(Clone, Default, Debug)]
pub struct Clauses {
    pub predicates: Vec<Predicate>,
    pub clauses: Vec<Clause>,
    /// How variables are read that stand in clauses; signed, if they are not named.
    pub readings: HashMap<Term, Reading, FixedState>,
}

/// How a solver is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// A name or a command line, as for [`crate::open`].
    pub solver: String,
    pub theory: Theory,
    /// Further arguments of the command: options of the solver's.
    pub options: Vec<String>,
    /// The most bytes of memory, for solvers that can be told.
    pub memory: Option<u64>,
    pub limits: Limits,
}

#[derive(Clone, Debug)]
pub enum HornAnswer {
    /// Predicates that satisfy all clauses.
    Solved(Vec<Interpretation>),
    /// There are none.
    Refuted,
    Unknown(Unknown),
}

impl Clauses {
    /// Asks a solver for predicates that satisfy all clauses.
    pub fn solve(&self, terms: &Terms, question: &Question) -> Result<HornAnswer, SolverError> {
        let start = super::Process::find(&question.solver, question.theory)?;
        let limits = question.limits.of_one_check();
        if let Some(why) = limits.reached() {
            return Ok(HornAnswer::Unknown(why));
        }
        let mut arguments = start.arguments(None);
        arguments.extend(question.options.iter().cloned());
        arguments.extend(question.memory.and_then(|bytes| start.memory(bytes)));
        let solver = start.name.clone();
        let pipe = Pipe::start(&start.command, &arguments).map_err(|why| SolverError::NotStarted {
            solver: solver.clone(),
            command: [std::slice::from_ref(&start.command), &arguments[..]].concat().join(" "),
            why,
        })?;
        let mut asked = Asked { solver, pipe: Some(pipe), limits };
        asked.send(self.script(terms, question.theory) + "(check-sat)\n");
        let answer = match asked.receive("sat, unsat or unknown") {
            Err(SolverError::GaveUp { why, .. }) => return Ok(HornAnswer::Unknown(why)),
            answer => answer?,
        };
        match answer.atom() {
            Some("sat") => {}
            Some("unsat") => return Ok(HornAnswer::Refuted),
            Some("unknown" | "timeout") => {
                return Ok(HornAnswer::Unknown(Unknown::GaveUp("without a reason".to_owned())));
            }
            _ => return Err(asked.nonsense("sat, unsat or unknown", &answer)),
        }
        asked.send("(get-model)\n".to_owned());
        let model = match asked.receive("a model") {
            Err(SolverError::GaveUp { why, .. }) => return Ok(HornAnswer::Unknown(why)),
            model => model?,
        };
        Ok(match read::interpretations(&model, &self.predicates, question.theory) {
            Some(found) => HornAnswer::Solved(found),
            None => HornAnswer::Unknown(Unknown::GaveUp("a model that cannot be read".to_owned())),
        })
    }

    /// All clauses, as text.
    pub fn script(&self, terms: &Terms, theory: Theory) -> String {
        let mut text = "(set-logic HORN)\n".to_owned();
        for (i, predicate) in self.predicates.iter().enumerate() {
            let sorts: Vec<String> = predicate.arguments.iter().map(|&(bits, _)| sort(bits, theory)).collect();
            text += &format!("(declare-fun p{i} ({}) Bool)\n", sorts.join(" "));
        }
        for clause in &self.clauses {
            text += &match theory {
                Theory::Integers => integers::clause(terms, self, clause),
                Theory::BitVectors => in_bits(terms, clause),
            };
        }
        text
    }
}

fn sort(bits: u32, theory: Theory) -> String {
    match (bits, theory) {
        (1, _) => "Bool".to_owned(),
        (_, Theory::Integers) => "Int".to_owned(),
        (_, Theory::BitVectors) => format!("(_ BitVec {bits})"),
    }
}

/// `variables`, `definitions` (each over those before) and `facts` of a clause, put together.
fn assertion(
    variables: &[(String, String)],
    definitions: &[(String, String)],
    facts: &[String],
    conclusion: &str,
) -> String {
    let mut text = "(assert ".to_owned();
    if !variables.is_empty() {
        let declared: Vec<String> = variables.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
        text += &format!("(forall ({}) ", declared.join(" "));
    }
    for (name, body) in definitions {
        text += &format!("(let (({name} {body})) ");
    }
    text += &match facts {
        [] => conclusion.to_owned(),
        _ => format!("(=> (and {}) {conclusion})", facts.join(" ")),
    };
    text += &")".repeat(definitions.len() + usize::from(!variables.is_empty()) + 1);
    text + "\n"
}

fn in_bits(terms: &Terms, clause: &Clause) -> String {
    let (mut variables, mut definitions) = (Vec::new(), Vec::new());
    for t in terms.cone(clause.terms()) {
        match terms.node(t) {
            Node::Const { .. } => {}
            Node::Var { bits, .. } => variables.push((name(terms, t), sort(bits, Theory::BitVectors))),
            _ => definitions.push((name(terms, t), bitvectors::meaning(terms, t).body.expect("no variable"))),
        }
    }
    let said = |application: &Application| applied(application, |t, _| bitvectors::atom(terms, t));
    let facts = clause.constraints.iter().map(|&t| bitvectors::atom(terms, t));
    let facts: Vec<String> = facts.chain(clause.premises.iter().map(said)).collect();
    let conclusion = clause.conclusion.as_ref().map_or_else(|| "false".to_owned(), said);
    assertion(&variables, &definitions, &facts, &conclusion)
}

fn applied(application: &Application, mut argument: impl FnMut(Term, usize) -> String) -> String {
    let arguments = application.arguments.iter().enumerate().map(|(i, &t)| argument(t, i));
    let arguments: Vec<String> = arguments.collect();
    match &arguments[..] {
        [] => format!("p{}", application.predicate),
        _ => format!("(p{} {})", application.predicate, arguments.join(" ")),
    }
}

impl Clause {
    fn terms(&self) -> impl Iterator<Item = Term> {
        let said = self.premises.iter().chain(&self.conclusion);
        self.constraints.iter().copied().chain(said.flat_map(|application| application.arguments.iter().copied()))
    }
}

/// A process that answers one question after the other.
struct Asked {
    solver: String,
    pipe: Option<Pipe>,
    limits: Limits,
}

impl Asked {
    fn send(&self, text: String) {
        if let Some(pipe) = &self.pipe {
            pipe.send(text);
        }
    }

    fn receive(&mut self, wanted: &str) -> Result<Sexp, SolverError> {
        let solver = self.solver.clone();
        let Some(pipe) = &mut self.pipe else {
            return Err(SolverError::Died { solver, how: "before it was asked".to_owned() });
        };
        match pipe.receive(&self.limits) {
            Received::Reply(reply) => match refusal(&reply) {
                Some(message) => Err(SolverError::Refused { solver, message }),
                None => Ok(reply),
            },
            Received::Nonsense(said) => Err(SolverError::Nonsense { solver, wanted: wanted.to_owned(), said }),
            Received::Over(why) => Err(SolverError::GaveUp { solver, why }),
            Received::End => {
                let how = self.pipe.take().map(Pipe::obituary).unwrap_or_default();
                Err(SolverError::Died { solver, how })
            }
        }
    }

    fn nonsense(&self, wanted: &str, said: &Sexp) -> SolverError {
        SolverError::Nonsense { solver: self.solver.clone(), wanted: wanted.to_owned(), said: said.to_string() }
    }
}

/// How often the comparisons in some terms read each variable as signed, less how often they do not.
pub fn votes(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> HashMap<Term, i64, FixedState> {
    let mut votes: HashMap<Term, i64, FixedState> = HashMap::default();
    for t in terms.cone(roots) {
        let (weight, operands) = match terms.node(t) {
            Node::Ult(a, b) | Node::Udiv(a, b) | Node::Urem(a, b) => (-1, [a, b]),
            Node::Slt(a, b) | Node::Sdiv(a, b) | Node::Srem(a, b) => (1, [a, b]),
            Node::ZeroExtend { of, .. } => (-1, [of, of]),
            Node::SignExtend { of, .. } => (1, [of, of]),
            _ => continue,
        };
        let mut seen = HashSet::with_hasher(FixedState::default());
        let mut waiting = operands.to_vec();
        while let Some(t) = waiting.pop() {
            if !seen.insert(t) {
                continue;
            }
            match terms.node(t) {
                Node::Var { .. } => *votes.entry(t).or_default() += weight,
                Node::Add(a, b) | Node::Sub(a, b) | Node::Ite(_, a, b) => waiting.extend([a, b]),
                Node::Neg(a) => waiting.push(a),
                _ => {}
            }
        }
    }
    votes
}
