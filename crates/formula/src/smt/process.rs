//! Any solver that speaks SMT-LIB 2, as a process of its own.
//!
//! Declarations and assertions are sent without waiting; only questions wait for an answer. Each question is followed
//! by an `echo` with a number: exactly one answer must come before it, so that an error, a warning or a surplus
//! answer cannot be taken for the answer to something else. An answer does not count if anything was written to
//! standard error. Whatever goes wrong, the process is killed, and the next check starts another one and sends it all
//! assertions. The time limit therefore does not depend on the solver, but if the solver enforces it (see
//! `known.rs`), the process survives.
//!
//! While nothing is asserted, names are declared on levels of our own, a new one whenever the last has many: terms are
//! forgotten by leaving the levels on which they were named.
//!
//! Only variables are asked for their values. All else is evaluated from these, and the model is believed
//! only if everything asserted and assumed is true in it (but for integers, which are an approximation).

use super::known::{KNOWN, Start};
use super::model::{Model, read_value};
use super::pipe::{Pipe, Received};
use super::sexp::Sexp;
use super::writer::{Writer, name};
use crate::blasted::Blasted;
use crate::limits::Limits;
use crate::solver::{Answer, Cores, Forget, Solver, SolverError, Stack, Theory, Unknown, Work};
use crate::terms::{Term, Terms};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// Text is sent when this much has accumulated, at the latest.
const CHUNK: usize = 1 << 16;
/// Estimated bytes of a named term in the solver, at least.
const NAME: usize = 512;
/// The fewest names on a level.
const NAMES: usize = 256;
/// How late a solver may be that enforces the time limit itself.
const LATE: Duration = Duration::from_millis(300);

/// The last answer, as long as no assertion or level has changed since.
enum Last {
    Nothing,
    /// With the model, once a value has been asked for.
    Sat(Option<Model>),
    Unsat,
}

pub struct Process {
    start: Start,
    theory: Theory,
    limits: Limits,
    /// `None` if the process has to be started again.
    pipe: Option<Pipe>,
    writer: Writer,
    unsent: String,
    asserted: Vec<Term>,
    /// The number of assertions when each level began.
    levels: Vec<usize>,
    /// The number of levels that serve names only. If there are any, there are no others.
    for_names: usize,
    assumptions: Vec<Term>,
    last: Last,
    questions: u64,
    work: Work,
}

impl Process {
    /// The name of one of the [`KNOWN`] solvers, a path to one, or any command line.
    pub fn start(name: &str, theory: Theory, limits: Limits) -> Result<Process, SolverError> {
        let start = Process::find(name, theory)?;
        let writer = Writer::new(theory, start.naming);
        let mut process = Process {
            start,
            theory,
            limits,
            pipe: None,
            writer,
            unsent: String::new(),
            asserted: Vec::new(),
            levels: Vec::new(),
            for_names: 0,
            assumptions: Vec::new(),
            last: Last::Nothing,
            questions: 0,
            work: Work::default(),
        };
        process.run(&Terms::new())?;
        Ok(process)
    }

    /// How the solver would be started.
    pub(crate) fn find(name: &str, theory: Theory) -> Result<Start, SolverError> {
        let Some(start) = Start::find(name) else {
            let known: Vec<&str> = [Blasted::NAME].into_iter().chain(KNOWN.map(|known| known.name)).collect();
            return Err(SolverError::NoSuchSolver { name: name.to_owned(), known: known.join(", ") });
        };
        if theory == Theory::Integers && !start.integers {
            return Err(SolverError::NoSuchTheory { solver: start.name, theory });
        }
        Ok(start)
    }

    /// Starts the process, if it is not running, and sends it all assertions.
    fn run(&mut self, terms: &Terms) -> Result<(), SolverError> {
        if self.pipe.is_some() {
            return Ok(());
        }
        let arguments = self.start.arguments(self.limits.per_check);
        let pipe = Pipe::start(&self.start.command, &arguments).map_err(|why| SolverError::NotStarted {
            solver: self.start.name.clone(),
            command: [std::slice::from_ref(&self.start.command), &arguments[..]].concat().join(" "),
            why,
        })?;
        self.pipe = Some(pipe);
        let logic = if self.theory == Theory::BitVectors { "QF_BV" } else { "QF_NIA" };
        let options = ["print-success false", "produce-models true", "produce-unsat-assumptions true"];
        self.unsent = options.map(|option| format!("(set-option :{option})\n")).concat();
        self.unsent += &format!("(set-logic {logic})\n");
        self.writer = Writer::new(self.theory, self.start.naming);
        self.for_names = 0;
        let mut levels = self.levels.iter().peekable();
        for place in 0..=self.asserted.len() {
            while levels.next_if(|&&level| level == place).is_some() {
                self.writer.push(&mut self.unsent);
            }
            if let Some(&t) = self.asserted.get(place) {
                self.writer.assert(terms, t, &mut self.unsent);
            }
        }
        Ok(())
    }

    fn leave_names(&mut self) {
        (0..std::mem::take(&mut self.for_names)).for_each(|_| self.writer.pop(&mut self.unsent));
    }

    fn send(&mut self) {
        if let Some(pipe) = &self.pipe {
            self.work.size += self.unsent.len();
            pipe.send(std::mem::take(&mut self.unsent));
        }
    }

    fn send_if_much(&mut self) {
        if self.unsent.len() >= CHUNK {
            self.send();
        }
    }

    /// Ends a process that misbehaved or ran out of time.
    fn kill(&mut self) {
        if self.pipe.take().is_some() {
            self.work.restarts += 1;
        }
    }

    /// The answer to one question. If there is none, the process has been killed.
    fn ask(&mut self, question: &str, wanted: &str, limits: &Limits) -> Result<Sexp, SolverError> {
        let started = Instant::now();
        self.questions += 1;
        let marker = format!("selvedge-{}", self.questions);
        self.unsent += &format!("{question}\n(echo \"{marker}\")\n");
        self.send();
        let answer = self.receive_until(&marker, wanted, limits);
        self.work.time += started.elapsed();
        if answer.is_err() {
            self.kill();
        }
        answer
    }

    fn receive_until(&mut self, marker: &str, wanted: &str, limits: &Limits) -> Result<Sexp, SolverError> {
        let pipe = self.pipe.as_mut().expect("it is running");
        let solver = || self.start.name.clone();
        let nonsense = |said| SolverError::Nonsense { solver: solver(), wanted: wanted.to_owned(), said };
        let mut answer = None;
        loop {
            match pipe.receive(limits) {
                Received::Reply(reply) if reply.atom() == Some(marker) => {
                    let complaints = pipe.complaints();
                    if !complaints.is_empty() {
                        return Err(SolverError::Refused { solver: solver(), message: shortened(&complaints) });
                    }
                    return answer.ok_or_else(|| nonsense("nothing".to_owned()));
                }
                Received::Reply(reply) => {
                    if let Some(message) = refusal(&reply) {
                        return Err(SolverError::Refused { solver: solver(), message });
                    }
                    if let Some(answer) = answer.replace(reply) {
                        return Err(nonsense(shortened(&format!("{answer}, and more"))));
                    }
                }
                Received::Nonsense(why) => return Err(nonsense(why)),
                Received::Over(why) => return Err(SolverError::GaveUp { solver: solver(), why }),
                Received::End => {
                    let how = self.pipe.take().map(Pipe::obituary).unwrap_or_default();
                    self.work.restarts += 1;
                    if let Some(why @ Unknown::Interrupted) = limits.reached() {
                        return Err(SolverError::GaveUp { solver: self.start.name.clone(), why });
                    }
                    return Err(SolverError::Died { solver: self.start.name.clone(), how });
                }
            }
        }
    }

    fn nonsense(&mut self, wanted: &str, said: &Sexp) -> SolverError {
        self.kill();
        SolverError::Nonsense {
            solver: self.start.name.clone(),
            wanted: wanted.to_owned(),
            said: shortened(&said.to_string()),
        }
    }

    /// The limits of a question that is asked now.
    fn limits_now(&self) -> Limits {
        let late = if self.start.keeps_time() { LATE } else { Duration::ZERO };
        let per_check = self.limits.per_check.map(|time| time + late);
        Limits { per_check, ..self.limits.clone() }.of_one_check()
    }

    fn solve(&mut self, terms: &Terms) -> Result<Answer, SolverError> {
        let (started, limits) = (Instant::now(), self.limits_now());
        if let Some(why) = limits.reached() {
            return Ok(Answer::Unknown(why));
        }
        self.run(terms)?;
        let is_free = self.asserted.is_empty() && self.levels.is_empty();
        if is_free && (self.for_names == 0 || self.writer.names_on_level() >= NAMES) {
            self.writer.push(&mut self.unsent);
            self.for_names += 1;
        }
        let names = self.assumptions.iter().map(|&t| self.writer.assume(terms, t, &mut self.unsent));
        let names = names.collect::<Vec<_>>().join(" ");
        let question =
            if names.is_empty() { "(check-sat)".to_owned() } else { format!("(check-sat-assuming ({names}))") };
        let wanted = "sat, unsat or unknown";
        let answer = match self.ask(&question, wanted, &limits) {
            Err(SolverError::GaveUp { why, .. }) => return Ok(Answer::Unknown(why)),
            answer => answer?,
        };
        match answer.atom() {
            Some("sat") => {
                self.last = Last::Sat(None);
                Ok(Answer::Sat)
            }
            Some("unsat") => {
                self.last = Last::Unsat;
                Ok(Answer::Unsat)
            }
            Some("unknown" | "timeout") => {
                let is_over = self.limits.per_check.is_some_and(|time| started.elapsed() >= time);
                let why = if is_over { Unknown::OutOfTime } else { Unknown::GaveUp(self.reason(&limits)) };
                Ok(Answer::Unknown(why))
            }
            _ => Err(self.nonsense(wanted, &answer)),
        }
    }

    fn reason(&mut self, limits: &Limits) -> String {
        match self.ask("(get-info :reason-unknown)", "a reason", limits).as_ref().map(Sexp::list) {
            Ok(Some([_, reason])) => reason.to_string(),
            _ => "without a reason".to_owned(),
        }
    }

    fn model(&mut self, terms: &Terms) -> Result<Model, SolverError> {
        let declared: Vec<Term> = self.writer.variables(terms).collect();
        let mut variables = HashMap::with_hasher(FixedState::default());
        if !declared.is_empty() {
            let names: Vec<String> = declared.iter().map(|&t| name(terms, t)).collect();
            let wanted = "the values of variables";
            let question = format!("(get-value ({}))", names.join(" "));
            let answer = self.ask(&question, wanted, &self.limits_now())?;
            let pairs = answer.list().filter(|pairs| pairs.len() == names.len()).unwrap_or_default();
            for ((pair, name), &t) in pairs.iter().zip(&names).zip(&declared) {
                if let Some([variable, value]) = pair.list()
                    && variable.atom() == Some(name)
                    && let Some(value) = read_value(value, terms.bits(t))
                {
                    variables.insert(t, value);
                }
            }
            if variables.len() != declared.len() {
                return Err(self.nonsense(wanted, &answer));
            }
        }
        let mut model = Model::new(variables);
        let mut claimed = self.asserted.iter().chain(&self.assumptions);
        if self.theory == Theory::BitVectors && claimed.any(|&t| model.value(terms, t) == 0) {
            self.kill();
            return Err(SolverError::WrongModel { solver: self.start.name.clone() });
        }
        Ok(model)
    }
}

impl Solver for Process {
    fn name(&self) -> &str {
        &self.start.name
    }

    fn theory(&self) -> Theory {
        self.theory
    }

    fn set_limits(&mut self, limits: Limits) {
        // The time for a check is part of the command line.
        if limits.per_check != self.limits.per_check && self.start.keeps_time() {
            self.kill();
        }
        self.limits = limits;
    }

    fn assert(&mut self, terms: &Terms, t: Term) {
        self.last = Last::Nothing;
        self.leave_names();
        self.asserted.push(t);
        if self.pipe.is_some() {
            self.writer.assert(terms, t, &mut self.unsent);
            self.send_if_much();
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, SolverError> {
        self.work.checks += 1;
        self.last = Last::Nothing;
        let mut seen = HashSet::with_hasher(FixedState::default());
        self.assumptions = assumptions.iter().copied().filter(|&t| seen.insert(t)).collect();
        self.solve(terms)
    }

    fn value(&mut self, terms: &Terms, t: Term) -> Result<u128, SolverError> {
        let mut model = match std::mem::replace(&mut self.last, Last::Nothing) {
            Last::Sat(Some(model)) => model,
            Last::Sat(None) => self.model(terms)?,
            Last::Nothing | Last::Unsat => panic!("values are asked for right after Sat"),
        };
        let value = model.value(terms, t);
        self.last = Last::Sat(Some(model));
        Ok(value)
    }

    fn work(&self) -> Work {
        self.work
    }
}

impl Cores for Process {
    fn core(&mut self) -> Result<Vec<Term>, SolverError> {
        assert!(matches!(self.last, Last::Unsat), "a core is asked for right after Unsat");
        if self.assumptions.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = "assumptions that cannot hold together";
        let answer = self.ask("(get-unsat-assumptions)", wanted, &self.limits_now())?;
        let mut named: HashSet<&str> = answer.list().unwrap_or_default().iter().filter_map(Sexp::atom).collect();
        let count = named.len();
        let core = self.assumptions.iter().copied().filter(|t| named.remove(format!("a{}", t.index()).as_str()));
        let core: Vec<Term> = core.collect();
        let is_whole = answer.list().is_some_and(|all| all.len() == count) && named.is_empty();
        if is_whole { Ok(core) } else { Err(self.nonsense(wanted, &answer)) }
    }
}

impl Forget for Process {
    fn forget(&mut self, kept: usize) {
        assert!(self.asserted.is_empty() && self.levels.is_empty(), "what is asserted cannot be forgotten");
        self.last = Last::Nothing;
        self.assumptions.clear();
        if self.pipe.is_some() {
            self.for_names -= self.writer.forget(kept, &mut self.unsent);
        }
    }

    fn held(&self) -> usize {
        self.writer.names() * NAME
    }
}

impl Stack for Process {
    fn push(&mut self) {
        self.last = Last::Nothing;
        self.leave_names();
        self.levels.push(self.asserted.len());
        if self.pipe.is_some() {
            self.writer.push(&mut self.unsent);
        }
    }

    fn pop(&mut self) {
        self.last = Last::Nothing;
        let level = self.levels.pop().expect("a level to leave");
        self.asserted.truncate(level);
        if self.pipe.is_some() {
            self.writer.pop(&mut self.unsent);
        }
    }

    fn depth(&self) -> usize {
        self.levels.len()
    }
}

pub(super) fn refusal(reply: &Sexp) -> Option<String> {
    match reply {
        Sexp::Atom(text) if text == "unsupported" => Some(text.clone()),
        Sexp::List(items) if items.first().and_then(Sexp::atom) == Some("error") => {
            Some(items[1..].iter().map(Sexp::to_string).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() > 200 { text.chars().take(200).chain("…".chars()).collect() } else { text.to_owned() }
}
