//! The reachability tree of all interleavings, with a solver for what is symbolic in them (Cordeiro and
//! Fischer, "Verifying Multi-threaded Software using SMT-based Context-Bounded Model Checking", ICSE 2011).
//!
//! | module | what it does |
//! |---|---|
//! | [`explore`], [`node`] | the tree, depth first |
//! | [`reduction`] | which interleavings need not be looked at |
//! | [`trials`] | what threads would do next, if that is known already |
//! | [`goals`] | what is asked about a path, and its run |
//! | [`oracle`] | the solver |
//! | [`each`] | the lazy way: ask at every leaf |
//! | [`record`] | schedule recording, under-approximation and widening: ask once, about all of them |
//!
//! Steps do the same as in lazy sequentialization, and the code is the same: `lazy/encode`. But here a
//! segment is executed in one state only, where most values are constants.
//!
//! Trees of 0, 1, 2, … context switches are explored, up to the bound or until one leaves nothing out, so that a
//! violation is shown with as few of them as there can be; a tree asks nothing again that a smaller one has
//! answered. As long as a bound on loops bites, that goes on only until the trees become large.

mod each;
mod explore;
mod goals;
mod node;
mod oracle;
mod record;
mod reduction;
mod trials;

use crate::bounding::{TRIP_COUNT, best_so_far, bound_for, unwindings};
use crate::lazy::encode::{SegmentEncoder, State, capacity_limit};
use crate::lazy::{objects_too_large, why_stopped};
use each::Each;
use explore::{Explored, Limits, explore};
use goals::Reservations;
use oracle::Oracle;
use record::{Choices, Guided, Recorder};
use selvedge_analyze::{Facts, Reductions, points};
use selvedge_bound::Refusal;
use selvedge_engine::counterexample::Counterexample;
use selvedge_engine::{Control, Engine, Outcome, Task};
pub use selvedge_formula::Theory;
use selvedge_formula::smt::script;
use selvedge_program::{Coverage, Cuts, Finding, Limit, Program, Property, Reason, Scope};
use selvedge_program::{Interleavings, Statistics};

/// How large a tree may become before loops are unwound further; twice that the next time.
const LARGE: u64 = 5_000;

/// The bytes about other interleavings that are kept: these often come to the same terms.
const SPARE: usize = 64 << 20;

/// The questions to the solver, and when they are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// At every leaf.
    #[default]
    Lazy,
    /// Once, about all interleavings.
    Record,
    /// About one of them, and then about more.
    Widen,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Tree {
    pub strategy: Strategy,
    /// As the user names it.
    pub solver: String,
    pub theory: Theory,
    /// Ask the solver about conditions that constants do not decide, before they are followed.
    pub check_guards: bool,
    /// Follow equivalent interleavings, too.
    pub no_reduction: bool,
    /// Go on after the first violation, to count them.
    pub whole: bool,
    /// The bytes about interleavings that the lazy strategy keeps for others.
    pub spare: usize,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            strategy: Strategy::default(),
            solver: "cadical".to_string(),
            theory: Theory::default(),
            check_guards: false,
            no_reduction: false,
            whole: false,
            spare: SPARE,
        }
    }
}

impl Engine for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn scope(&self) -> Scope {
        Scope { store_buffers: true, ..Scope::STEPS.with(Property::Race) }
    }

    fn search(&self, program: &Program, task: &Task, control: &Control) -> Outcome {
        Outcome::of(self.name(), |statistics| {
            let counts = Interleavings::default();
            let mut search = Deepening { options: self, program, task, control, statistics, counts };
            let finding = search.run();
            search.statistics.interleavings = Some(search.counts);
            finding
        })
    }
}

impl Tree {
    /// Why there can be no such solver, if that is so.
    pub fn has_no_solver(&self) -> Option<String> {
        selvedge_formula::check_name(&self.solver, self.theory).err().map(|error| error.to_string())
    }

    /// The tree within the bounds of a task as one formula in SMT-LIB 2. It can be satisfied if and only if
    /// something is wrong within the bounds.
    pub fn script(&self, program: &Program, task: &Task) -> Result<String, Reason> {
        let unwind = task.bounds.unwind.unwrap_or(2);
        let switches = task.bounds.switches.unwrap_or(2);
        let bounded = bound_for(program, &task.bounds, unwind, TRIP_COUNT, &|| false)?;
        let facts = Facts::with(&bounded, task.properties, Reductions::SAME_SWITCHES);
        let mut segments =
            SegmentEncoder::new(&facts, task.bounds.store_buffer, &|| false).ok_or_else(objects_too_large)?;
        let root = segments.state();
        let reduce = !self.no_reduction;
        let terms = segments.encoder.terms.count();
        let limits = Limits { switches, known: 0, most_nodes: None, reduce, terms, spare: SPARE, whole: false };
        let control = Control::default();
        let mut oracle = Oracle::new(&Tree::default().solver, Theory::BitVectors, &control)?;
        let mut choices = Choices::new(&segments, false);
        let mut recorder = Recorder::new(&mut choices, &mut oracle, false);
        let (recorded, explored) = explore(&mut segments, &mut recorder, &root, limits, &control);
        recorded?;
        let wrong = segments.encoder.terms.or_all(recorder.goals.wrong);
        let size = format!("; {} interleavings, {} nodes\n", explored.interleavings, explored.nodes);
        Ok(format!(
            "; unwind {unwind}, switches {switches}\n{size}{}",
            script(&segments.encoder.terms, self.theory, &[wrong])
        ))
    }
}

/// The result of one unwinding.
enum Unwound {
    Found(Counterexample),
    Nothing(Reservations, Within),
}

/// The bounds of a search that found nothing.
struct Within {
    unwind: u32,
    /// If that left something out.
    switches: Option<u32>,
    /// The bound on store buffers, if they can ever be full.
    store_buffer: Option<Limit>,
    /// Threads, main included.
    threads: usize,
}

struct Deepening<'a> {
    options: &'a Tree,
    program: &'a Program,
    task: &'a Task,
    control: &'a Control,
    statistics: &'a mut Statistics,
    counts: Interleavings,
}

impl Deepening<'_> {
    fn run(&mut self) -> Result<Finding, Reason> {
        let unwindings = unwindings(&self.task.bounds);
        let mut finding = None;
        for (number, (unwind, trip_count)) in unwindings.iter().enumerate() {
            let is_last = number + 1 == unwindings.len();
            let most_nodes = (!is_last && !self.options.whole).then_some(LARGE << number);
            let (known, within) = match self.unwound(*unwind, *trip_count, most_nodes) {
                Ok(Unwound::Found(found)) => return Ok(found.into()),
                Ok(Unwound::Nothing(known, within)) => (known, within),
                Err(reason) => return best_so_far(finding, reason),
            };
            finding = Some(self.nothing_found(&known, &within));
            if !known.cut {
                break;
            }
        }
        Ok(finding.unwrap_or(Finding::NoneWithin(Coverage::default())))
    }

    fn nothing_found(&self, known: &Reservations, within: &Within) -> Finding {
        let complete = !known.cut && within.switches.is_none();
        let unwound = Limit::Unwind { iterations: within.unwind, cuts: Cuts::any(known.cut) };
        let switches = within.switches.map(Limit::Switches);
        let bounds = Coverage::within([unwound].into_iter().chain(switches));
        if let Some((what, loc)) = &known.left_out {
            return Finding::GaveUp(Reason::Unsupported { what: what.clone(), at: self.program.source.describe(*loc) });
        }
        if !known.checked && !complete {
            return Finding::GaveUp(Reason::NothingChecked { within: Box::new(bounds) });
        }
        let mut coverage = if complete { Coverage::default() } else { bounds };
        coverage.limits.extend(within.store_buffer.clone());
        if self.options.theory == Theory::Integers {
            coverage.limits.push(Limit::IntegersWithoutOverflow);
        }
        Finding::NoneWithin(coverage.with_threads(within.threads))
    }

    /// All trees at one unwinding.
    fn unwound(&mut self, unwind: u32, trip_count: u32, most_nodes: Option<u64>) -> Result<Unwound, Reason> {
        let control = self.control;
        let stop = || control.is_over();
        let bounded = match bound_for(self.program, &self.task.bounds, unwind, trip_count, &stop) {
            Err(Refusal::Stopped) => return Err(why_stopped(control)),
            bounded => bounded?,
        };
        let counted = self.task.bounds.switches.is_some();
        let reductions = if counted { Reductions::SAME_SWITCHES } else { Reductions::ALL };
        let facts = Facts::with(&bounded, self.task.properties, reductions);
        self.statistics.switch_points = points::total(&facts.points);
        let store_buffer = capacity_limit(&facts, self.task.bounds.store_buffer);
        let threads = bounded.threads.len();
        let mut segments =
            SegmentEncoder::new(&facts, self.task.bounds.store_buffer, &stop).ok_or_else(objects_too_large)?;
        let root = segments.state();
        let mut oracle = Oracle::new(&self.options.solver, self.options.theory, self.control)?;
        let mut known = Reservations::default();
        let mut most_nodes = if bounded.cuts.is_empty() { None } else { most_nodes };
        // To count the interleavings of one tree, smaller ones are of no use.
        let most = self.task.bounds.switches.unwrap_or(u32::MAX);
        let mut switches = if self.options.whole && most < u32::MAX { most } else { 0 };
        let first = switches;
        let calls = self.counts.solver_calls;
        let terms = segments.encoder.terms.count();
        loop {
            let limits = Limits {
                switches,
                known: if switches == first { 0 } else { switches },
                most_nodes,
                reduce: !self.options.no_reduction,
                terms,
                spare: self.options.spare,
                whole: self.options.whole,
            };
            let (found, explored) = self.tree(&mut segments, &root, limits, &mut oracle, &mut known);
            self.count(&explored, calls + oracle.calls());
            if let Some(found) = found? {
                return Ok(Unwound::Found(found));
            }
            match (explored.too_large, known.cut) {
                (true, true) => {
                    return Ok(Unwound::Nothing(
                        known,
                        Within { unwind, switches: switches.checked_sub(1), store_buffer, threads },
                    ));
                }
                // To unwind further would change nothing.
                (true, false) => most_nodes = None,
                (false, _) if explored.left_out && switches < most => switches += 1,
                (false, _) => {
                    let switches = explored.left_out.then_some(switches);
                    return Ok(Unwound::Nothing(known, Within { unwind, switches, store_buffer, threads }));
                }
            }
        }
    }

    /// One tree.
    fn tree(
        &mut self,
        segments: &mut SegmentEncoder<'_>,
        root: &State,
        limits: Limits,
        oracle: &mut Oracle,
        known: &mut Reservations,
    ) -> (Result<Option<Counterexample>, Reason>, Explored) {
        let control = self.control;
        let Tree { strategy, check_guards, whole, .. } = *self.options;
        if strategy == Strategy::Lazy {
            let mut each = Each { oracle, known, check_guards, whole };
            return explore(segments, &mut each, root, limits, control);
        }
        let mut choices = Choices::new(segments, strategy == Strategy::Widen);
        let mut recorder = Recorder::new(&mut choices, oracle, check_guards);
        let (recorded, mut explored) = explore(segments, &mut recorder, root, limits, control);
        let settled = recorded.and_then(|_| recorder.settle(&mut segments.encoder.terms, known));
        let found = settled.and_then(|(model, iterations)| {
            self.statistics.iterations += iterations;
            let Some(model) = model else { return Ok(None) };
            explored.failed = 1;
            let mut guided = Guided { choices: &mut choices, model };
            explore(segments, &mut guided, root, limits, control).0
        });
        (found, explored)
    }

    fn count(&mut self, explored: &Explored, solver_calls: u64) {
        self.counts.nodes += explored.nodes;
        self.counts.generated = explored.interleavings;
        self.counts.failed = explored.failed;
        self.counts.solver_calls = solver_calls;
        self.counts.most_terms = self.counts.most_terms.max(explored.most_terms as u64);
        self.counts.most_needed = self.counts.most_needed.max(explored.most_needed as u64);
    }
}
