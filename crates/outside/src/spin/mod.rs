//! SPIN as an engine, over our VM (pancam: Zaks and Joshi, SPIN 2008). SPIN searches and keeps the states, the VM says
//! what threads do; the library between them is `crates/pan`.
//!
//! | module | what it does |
//! |---|---|
//! | [`model`] | the model: PROMELA, C, the program as text, in a folder |
//! | [`library`] | finds the VM as a C library |
//! | [`answer`] | what the verifier said |
//!
//! Three guesses are made from random runs: what threads share, how large a state gets, how many threads there are.
//! The library notices when one is wrong, and the search begins anew with a better one. So does the depth of SPIN's
//! stack. "Safe" needs a search to the end over exact states; whatever else SPIN was told is named as a limit.

mod answer;
pub mod library;
mod model;

pub use model::Model;

use crate::complaints::{self, Manner};
use crate::process::{self, Ended, Trouble};
use answer::Answer;
use selvedge_engine::counterexample::of_trail;
use selvedge_engine::{Control, Engine, Outcome, Progress, Task};
use selvedge_pan::StopCode;
use selvedge_program::{Coverage, Finding, Limit, Program, Reason, Scope, SpinLimit, Statistics};
use selvedge_vm::Code;
use selvedge_vm::expand::Expander;
use selvedge_vm::watch::Watch;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The user's options for SPIN.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// For the C compiler: `-DCOLLAPSE`.
    pub cflags: Vec<String>,
    /// For the verifier: `-m100000`.
    pub pan_options: Vec<String>,
    pub state_bytes: Option<usize>,
    /// Besides main.
    pub threads: Option<usize>,
    pub library: Option<PathBuf>,
    /// Take every access for visible.
    pub no_reduction: bool,
}

/// The engine.
#[derive(Clone, Debug, Default)]
pub struct Spin {
    pub options: Options,
}

/// The first depth of SPIN's stack, and the last.
const DEPTH: u64 = 100_000;
const GREATEST_DEPTH: u64 = 100_000_000;
/// After so many restarts a search is not going to end.
const MOST_RESTARTS: u32 = 200;
/// The size of its table at first, as a power of two: it grows.
const TABLE: &str = "-w18";

impl Engine for Spin {
    fn name(&self) -> &'static str {
        "spin"
    }

    fn scope(&self) -> Scope {
        Scope::RUNS
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        Outcome::of(self.name(), |statistics| self.explore(program, task, control, statistics))
    }
}

impl Spin {
    fn explore(
        &self,
        program: &Program,
        task: &Task,
        control: &Control,
        statistics: &mut Statistics,
    ) -> Result<Finding, Reason> {
        if program.memory_model.has_buffers() && program.observers.specification.as_ref().is_some_and(|s| s.fair) {
            return Err(Reason::Limit(
                "SPIN's fairness does not cover store buffers, which must drain eventually".to_string(),
            ));
        }
        let library = library::find(self.options.library.as_deref()).map_err(Reason::Limit)?;
        let model = Model::new(program, task, &self.options, control)?;
        let folder = tempfile::Builder::new().prefix("selvedge-").tempdir().map_err(|error| cannot_write(&error))?;
        model.write(folder.path(), &self.options, &library).map_err(|error| cannot_write(&error))?;
        let depth = self.options.pan_options.iter().find_map(|option| option.strip_prefix("-m")?.parse().ok());
        let mut search = Search {
            options: &self.options,
            model,
            folder: folder.path(),
            library: &library,
            control,
            statistics,
            depth: depth.unwrap_or(DEPTH),
            deepens: depth.is_none(),
            with_claim: program.observers.specification.is_some(),
        };
        search.build(true)?;
        let found = search.run()?;
        // Under a claim SPIN looks only at runs that could break it; all other properties need all states.
        let (Finding::NoneWithin(claim), true) = (&found, search.with_claim) else { return Ok(found) };
        search.with_claim = false;
        search.build(false)?;
        match search.run()? {
            Finding::NoneWithin(mut all) => {
                all.add(claim);
                Ok(Finding::NoneWithin(all))
            }
            other => Ok(other),
        }
    }
}

struct Search<'a> {
    options: &'a Options,
    model: Model<'a>,
    folder: &'a Path,
    library: &'a Path,
    control: &'a Control,
    statistics: &'a mut Statistics,
    depth: u64,
    deepens: bool,
    /// Is the formula checked?
    with_claim: bool,
}

impl Search<'_> {
    /// From the model to the verifier.
    fn build(&mut self, anew: bool) -> Result<(), Reason> {
        if anew {
            let spin = executable("SPIN", "spin");
            let ended = self.tool(&[spin.clone(), "-a".into(), model::MODEL.into()], "SPIN", "spin")?;
            if ended.badly().is_some() || Manner::Spin.complaint(&ended).is_some() {
                return Err(Reason::Limit(format!("spin refuses the model: {}", ended.last_words)));
            }
        }
        let mut words = vec![executable("CC", "cc"), "-O1".into(), "-w".into()];
        words.extend(self.model.flags(self.with_claim).into_iter().map(OsString::from));
        // Several processes would reserve all of it at once.
        let single = !self.options.cflags.iter().any(|flag| flag.starts_with("-DNCORE"));
        let limit = self.control.memory_limit.filter(|_| single);
        words.extend(limit.map(|limit| format!("-DMEMLIM={}", limit >> 20).into()));
        words.extend(self.options.cflags.iter().map(OsString::from));
        words.extend(["-o", "pan", "pan.c"].map(OsString::from));
        words.push(self.library.into());
        words.extend(["-lpthread", "-ldl", "-lm"].map(OsString::from));
        let ended = self.tool(&words, "CC", "cc")?;
        match ended.badly() {
            None => Ok(()),
            Some(how) => Err(Reason::Limit(format!("the compiler of the verifier {how}: {}", ended.last_words))),
        }
    }

    /// Searches until no guess was wrong.
    fn run(&mut self) -> Result<Finding, Reason> {
        loop {
            let ended = self.pan()?;
            let answer = answer::read(&ended.output);
            self.statistics.states = answer.stored;
            self.statistics.transitions += answer.transitions;
            match (answer.stop, answer.needs) {
                (Some(StopCode::Learnt), _) if self.statistics.restarts < MOST_RESTARTS => {
                    self.statistics.restarts += 1
                }
                (Some(StopCode::Bytes), Some(words)) if self.options.state_bytes.is_none() => {
                    self.model.sizes.state_words = words + words / 2;
                    self.rebuild()?;
                }
                (Some(StopCode::Threads), Some(threads)) if self.options.threads.is_none() => {
                    self.model.sizes.threads = (threads + threads / 2).min(model::MOST_THREADS);
                    self.rebuild()?;
                }
                (Some(_), _) => return Err(stopped(&answer.last_words)),
                (None, _) if answer.errors.is_some_and(|errors| errors > 0) => {
                    return self.counterexample(&answer);
                }
                (None, _) if answer.out_of_memory || ended.ran_out_of_memory() => {
                    let limit = process::out_of_memory(self.control);
                    return Err(limit.unwrap_or_else(|| Reason::Limit("SPIN ran out of memory".to_string())));
                }
                (None, _) if answer.too_deep && self.deepens && self.depth < GREATEST_DEPTH => self.depth *= 10,
                (None, _) => return self.conclude(&ended, answer),
            }
        }
    }

    fn rebuild(&mut self) -> Result<(), Reason> {
        self.statistics.restarts += 1;
        self.model.write_sized(self.folder).map_err(|error| cannot_write(&error))?;
        self.build(true)
    }

    /// The finding where the verifier reported no error.
    fn conclude(&self, ended: &Ended, answer: Answer) -> Result<Finding, Reason> {
        if answer.errors.is_none() || ended.badly().is_some() {
            let how = ended.badly().unwrap_or_else(|| "does not say what it found".to_string());
            return Err(Reason::Limit(format!("the verifier {how}: {}", ended.last_words)));
        }
        complaints::unless_complained("the verifier", Manner::Spin, ended, ())?;
        if answer.claim != self.with_claim {
            return Err(Reason::Limit("the verifier does not say that it checks what it should".to_string()));
        }
        if let Some(what) = answer.incomplete {
            return Err(Reason::Limit(what));
        }
        let bound = answer.bound.then_some(self.model.task.bounds.preemptions).flatten();
        let inexact: Vec<&String> = self.options.cflags.iter().filter(|flag| !is_exact(flag)).collect();
        let not_full = !answer.exact && inexact.is_empty();
        let of_runs = self.options.pan_options.iter().filter(|o| !o.starts_with("-m") && !o.starts_with("-w"));
        let options = inexact.into_iter().chain(of_runs).map(|option| SpinLimit::Option(option.clone()));
        let own = answer.too_deep.then_some(SpinLimit::Depth(self.depth)).into_iter();
        let own = own.chain(answer.not_completed.then_some(SpinLimit::NotCompleted));
        let own = own.chain(not_full.then_some(SpinLimit::NotCalledFull)).chain(options).map(Limit::Spin);
        let preemptions = bound.map(|most| Limit::Preemptions { most, of_supersteps: false });
        Ok(Finding::NoneWithin(Coverage::within(preemptions.into_iter().chain(own))))
    }

    /// Turns SPIN's trail into a schedule.
    fn counterexample(&mut self, answer: &Answer) -> Result<Finding, Reason> {
        let claim = answer.complaint.clone().unwrap_or_else(|| "an error".to_string());
        let ended = self.tool(&["./pan".into(), "-r".into()], "", "pan")?;
        let sharing = std::fs::read_to_string(self.folder.join(model::SHARING)).ok().and_then(|text| text.parse().ok());
        let (Some(trail), Some(sharing)) = (answer::trail(&ended.output), sharing) else {
            return Err(Reason::Limit(format!("SPIN found `{claim}`, but its trail cannot be read")));
        };
        let (program, task) = (self.model.program, self.model.task);
        let code = Code::new(program, task.properties).map_err(|error| Reason::Limit(error.to_string()))?;
        let mut expander = Expander::new(&code, sharing, Watch::new(&program.observers), task.max_input_values);
        let cycle = trail.cycle.zip(program.observers.specification.as_ref());
        Ok(match of_trail(&mut expander, &trail.legs, cycle)? {
            Some(found) => found.into(),
            None => Finding::Unfollowed {
                found_by: "spin",
                claim,
                evidence: vec![("program", program.to_string()), ("output", ended.output)],
            },
        })
    }

    fn pan(&mut self) -> Result<Ended, Reason> {
        let mut words: Vec<OsString> = vec!["./pan".into(), format!("-m{}", self.depth).into(), TABLE.into()];
        let asked = if self.with_claim { self.model.run_options() } else { Vec::new() };
        words.extend(asked.into_iter().map(OsString::from));
        words.extend(self.options.pan_options.iter().map(OsString::from));
        self.tool(&words, "", "pan")
    }

    fn tool(&mut self, words: &[OsString], variable: &str, name: &str) -> Result<Ended, Reason> {
        let inside = ["sh", "-c", r#"cd "$0" && exec "$@""#].into_iter().map(OsString::from);
        let words: Vec<OsString> = inside.chain([self.folder.into()]).chain(words.iter().cloned()).collect();
        let started = Instant::now();
        let ended = process::run(&words, self.control, &mut |line| Progress {
            status: line.trim().to_string(),
            ..Progress::default()
        });
        self.statistics.outside_seconds += started.elapsed().as_secs_f64();
        ended.map_err(|trouble| match trouble {
            Trouble::NotInstalled => Reason::Limit(format!(
                "{name} is not installed: put it on the search path, or set {variable} to its file"
            )),
            Trouble::Why(reason) => reason,
        })
    }
}

/// Complaints of the library about observers are errors of the user's.
fn stopped(last_words: &str) -> Reason {
    match last_words.strip_prefix('`').and_then(|rest| rest.split_once("` cannot be used: ")) {
        Some((name, does)) => Reason::Observer { name: name.to_string(), does: does.to_string() },
        None => Reason::Limit(last_words.to_string()),
    }
}

/// Does the verifier still look at every state with this flag? An unknown flag counts as one with which it does not.
fn is_exact(flag: &str) -> bool {
    let exact = [
        "-DCOLLAPSE",
        "-DMA=",
        "-DNCORE=",
        "-DMEMLIM=",
        "-DVECTORSZ=",
        "-DSAFETY",
        "-DNOREDUCE",
        "-DNOFAIR",
        "-DNFAIR=",
    ];
    exact.iter().any(|known| flag == *known || known.ends_with('=') && flag.starts_with(known))
        || (!flag.starts_with("-D") && !flag.starts_with("-U"))
}

fn executable(variable: &str, name: &str) -> OsString {
    std::env::var_os(variable).filter(|path| !path.is_empty()).unwrap_or_else(|| name.into())
}

fn cannot_write(error: &std::io::Error) -> Reason {
    Reason::Limit(format!("cannot write a model for SPIN: {error}"))
}
