//! The reachability tree, depth first (section 3.1 of the paper).
//!
//! A node stands for everything that is the same in all runs along one interleaving of segments: who ran last,
//! how many context switches there were, the symbolic state, and for each thread where it stands and under which
//! guard it got there. A segment is what a thread does from one switch point to the next; so all the steps in
//! between are one edge, and the rules R1 to R3 of the paper come down to two: the active thread goes on, or
//! another one takes over. A segment that forks gives one child for each of its ways. Under memory models with store
//! buffers, a store that waits may reach memory at every node, which is a child of its own and no context switch.
//!
//! Only the open path is kept. What is asked about a path, and when, is up to the [`Strategy`]. Terms that were made
//! below a node are of no use any more when it goes on to its next child; if the strategy does not need them either,
//! they are forgotten when they are many, or what the solver made of them is much. (Not at once: other interleavings
//! often come to the same terms, which are then known, and so are their clauses.)

pub use super::node::Node;
use super::node::{Move, Standing};
use super::reduction::{self, Turns};
use super::trials::Trial;
use crate::lazy::encode::{Execution, SegmentEncoder, State, StoreId, Ways};
use crate::lazy::out_of_memory;
use selvedge_engine::counterexample::Counterexample;
use selvedge_engine::{Control, Progress};
use selvedge_formula::{Term, Terms};
use selvedge_program::{Property, Reason};
use std::rc::Rc;

/// The bytes of a term.
const TERM: usize = 48;

/// A way to use the tree.
pub trait Strategy {
    /// The condition under which this thread is the one chosen, where there is a choice: the paper's `ts_i = j`.
    fn choice(&mut self, _: &mut Terms, _number: usize, _thread: usize) -> Term {
        Terms::TRUE
    }

    /// Is it worth while to follow these runs? `implied`: the last segment excludes none.
    fn follows(&mut self, terms: &Terms, runs: Term, implied: bool) -> Result<bool, Reason>;

    /// Is it willing to forget all terms but the first so many?
    fn forgets(&mut self, _kept: usize) -> bool {
        false
    }

    /// Does it hold much that it could forget? Not if it is less than this, in bytes.
    fn is_burdened(&self, _spare: usize) -> bool {
        false
    }

    /// The path is an interleaving, or as much of one as the bound allows.
    fn leaf(&mut self, terms: &mut Terms, path: &mut [Node]) -> Result<Option<Counterexample>, Reason>;
}

/// Limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub switches: u32,
    /// Nodes with fewer were asked about before.
    pub known: u32,
    /// Give up if the tree has more.
    pub most_nodes: Option<u64>,
    pub reduce: bool,
    /// How many terms there are before the root.
    pub terms: usize,
    /// The bytes about other paths that are kept in any case.
    pub spare: usize,
    /// Go on after the first violation, and count them.
    pub whole: bool,
}

/// The size of a tree.
#[derive(Clone, Copy, Default, Debug)]
pub struct Explored {
    pub nodes: u64,
    pub interleavings: u64,
    pub failed: u64,
    /// The bound left out a node.
    pub left_out: bool,
    /// It was given up.
    pub too_large: bool,
    /// How many terms there were at most; and how many of them were of the path.
    pub most_terms: usize,
    pub most_needed: usize,
}

pub struct Explorer<'a, 'b> {
    segments: &'a mut SegmentEncoder<'b>,
    strategy: &'a mut dyn Strategy,
    limits: Limits,
    control: &'a Control,
    deadlocks: bool,
    races: bool,
    path: Vec<Node>,
    explored: Explored,
}

/// From the root to all leaves, or to the first violation.
pub fn explore(
    segments: &mut SegmentEncoder<'_>,
    strategy: &mut dyn Strategy,
    root: &State,
    limits: Limits,
    control: &Control,
) -> (Result<Option<Counterexample>, Reason>, Explored) {
    let asks = |property: Property| segments.properties().contains(property);
    let (deadlocks, races) = (asks(Property::Deadlock), asks(Property::Race));
    // A state in which two threads are about to race need not be on any of the runs that stand for all.
    let limits = Limits { reduce: limits.reduce && !races, ..limits };
    let path = vec![Node { terms: limits.terms, ..Node::root(root.clone(), segments.threads()) }];
    let explored = Explored::default();
    let mut explorer = Explorer { segments, strategy, limits, control, deadlocks, races, path, explored };
    (explorer.search(), explorer.explored)
}

impl Explorer<'_, '_> {
    fn search(&mut self) -> Result<Option<Counterexample>, Reason> {
        let mut first = None;
        while !self.path.is_empty() && !self.explored.too_large {
            if let Some(child) = self.next_child()? {
                self.path.push(child);
                self.explored.nodes += 1;
                self.explored.too_large = self.limits.most_nodes.is_some_and(|most| self.explored.nodes > most);
                continue;
            }
            if let Some(found) = self.leave()? {
                first.get_or_insert(found);
                if !self.limits.whole {
                    break;
                }
            }
        }
        Ok(first)
    }

    fn last(&mut self) -> &mut Node {
        self.path.last_mut().expect("a path has a node")
    }

    /// The next child of the last node.
    fn next_child(&mut self) -> Result<Option<Node>, Reason> {
        while let Some(next) = self.last().next_move() {
            let thread = match next {
                Move::Segment(thread) => thread,
                Move::Flush(store) => {
                    self.last().cursor.tried += 1;
                    match self.flush(store)? {
                        None => continue,
                        child => return Ok(child),
                    }
                }
            };
            let ways = self.last().cursor.ways.take();
            if ways.is_none() && !self.is_wanted(thread) {
                self.last().cursor.tried += 1;
                continue;
            }
            let mut ways = ways.unwrap_or_default();
            let child = self.child(thread, &mut ways)?;
            if ways.advance() {
                self.last().cursor.ways = Some(ways);
            } else {
                self.last().cursor.tried += 1;
            }
            if child.is_some() {
                return Ok(child);
            }
        }
        Ok(None)
    }

    /// Is there anything to be learnt from the thread's next segment?
    fn is_wanted(&mut self, thread: usize) -> bool {
        let (deadlocks, limits, left_out) = (self.deadlocks, self.limits, self.explored.left_out);
        let node = self.path.last_mut().expect("a path has a node");
        if thread == node.active || node.turns.is_redundant() {
            return thread == node.active;
        }
        let at_bound = node.switches == limits.switches;
        if !at_bound || !left_out || deadlocks && !node.cursor.somebody_can {
            return true;
        }
        let stand = deadlocks.then(|| node.stand(self.segments, thread)).flatten();
        stand.is_some_and(|stand| self.segments.may_wait_for_somebody(thread, &stand.0))
    }

    /// The thread takes one way through its next segment. `None`: it cannot, or need not.
    fn child(&mut self, thread: usize, ways: &mut Ways) -> Result<Option<Node>, Reason> {
        self.look_up()?;
        let others = self.forget();
        if let Some(trial) = self.last().trials.get(thread)
            && self.need_not_try(thread, &trial)
        {
            return Ok(None);
        }
        let node = self.path.last_mut().expect("a path has a node");
        self.segments.resume(&node.state);
        let Some(stand) = node.stand(self.segments, thread) else { return Ok(None) };
        let mut execution = self.segments.execute(thread, &stand.0, ways);
        node.trials.note(thread, &execution, ways, self.segments.is_stuck(thread));
        let terms = &mut self.segments.encoder.terms;
        let enabled = terms.and(node.ready[thread], execution.enabled);
        let condition = terms.and(enabled, execution.assumed);
        let mut on_the_way = terms.and(node.reach, condition);
        node.cursor.somebody_waits |= enabled != node.ready[thread];
        if on_the_way == Terms::FALSE {
            return Ok(None);
        }
        node.cursor.somebody_can |= enabled == Terms::TRUE;
        let is_switch = thread != node.active;
        let (is_choice, choices) = (node.has_choice(), node.choices);
        let switches = node.switches + u32::from(is_switch);
        let left_out = switches > self.limits.switches;
        let need_not =
            self.limits.reduce && is_switch && reduction::could_be_one_turn(&self.path, thread, &execution.footprint);
        self.last().cursor.goes_on |= need_not || !left_out;
        if need_not {
            return Ok(None);
        }
        if is_choice && !left_out {
            let chosen = self.strategy.choice(&mut self.segments.encoder.terms, choices, thread);
            on_the_way = self.segments.encoder.terms.and(on_the_way, chosen);
        }
        if left_out && self.explored.left_out
            || !self.strategy.follows(&self.segments.encoder.terms, on_the_way, condition == Terms::TRUE)?
        {
            return Ok(None);
        }
        if left_out {
            self.explored.left_out = true;
            return Ok(None);
        }
        let state = self.segments.state();
        let mut child = Node { active: thread, switches, on_the_way, ..Node::root(state, self.segments.threads()) };
        child.standing.clone_from(&self.last().standing);
        child.standing[thread] = match execution.next.take() {
            Some(next) if next.1 != Terms::FALSE => Standing::At(Rc::new(next)),
            _ => Standing::Over,
        };
        child.choices = choices + usize::from(is_choice);
        self.arrive(&mut child, execution, others);
        Ok(Some(child))
    }

    /// A store that waits reaches memory, in the turn of the active thread. `None`: it cannot, or need not.
    fn flush(&mut self, store: StoreId) -> Result<Option<Node>, Reason> {
        self.look_up()?;
        let others = self.forget();
        let node = self.path.last_mut().expect("a path has a node");
        self.segments.resume(&node.state);
        let execution = self.segments.flush(store);
        let terms = &mut self.segments.encoder.terms;
        let running = terms.not(node.state.exited());
        let condition = terms.and(execution.enabled, running);
        let mut on_the_way = terms.and(node.reach, condition);
        if on_the_way == Terms::FALSE {
            return Ok(None);
        }
        node.cursor.goes_on = true;
        let (active, switches) = (node.active, node.switches);
        let (is_choice, choices) = (node.has_choice(), node.choices);
        if self.limits.reduce && reduction::could_be_flushed_earlier(&self.path, store, &execution.footprint) {
            return Ok(None);
        }
        if is_choice {
            let number = self.segments.number_of(store);
            let chosen = self.strategy.choice(&mut self.segments.encoder.terms, choices, number);
            on_the_way = self.segments.encoder.terms.and(on_the_way, chosen);
        }
        if !self.strategy.follows(&self.segments.encoder.terms, on_the_way, condition == Terms::TRUE)? {
            return Ok(None);
        }
        let state = self.segments.state();
        let mut child = Node { active, switches, on_the_way, ..Node::root(state, self.segments.threads()) };
        child.standing.clone_from(&self.last().standing);
        child.flushed = Some(store);
        child.choices = choices + usize::from(is_choice);
        self.arrive(&mut child, execution, others);
        Ok(Some(child))
    }

    /// Does what is known of the thread's next segment show that the child is not wanted? Decides like `child`.
    fn need_not_try(&mut self, thread: usize, trial: &Trial) -> bool {
        let node = self.path.last_mut().expect("a path has a node");
        let ready = node.ready[thread];
        if ready == Terms::FALSE || trial.waits {
            node.cursor.somebody_waits |= ready != Terms::FALSE;
            return true;
        }
        if self.segments.encoder.terms.and(node.reach, ready) == Terms::FALSE {
            return true;
        }
        node.cursor.somebody_can |= ready == Terms::TRUE;
        let is_switch = thread != node.active;
        let is_beyond = node.switches + u32::from(is_switch) > self.limits.switches;
        let need_not =
            self.limits.reduce && is_switch && reduction::could_be_one_turn(&self.path, thread, &trial.footprint);
        self.last().cursor.goes_on |= need_not;
        need_not || is_beyond && self.explored.left_out
    }

    /// Forgets what was below the last node, if that is much. How many terms are left that are not of the path.
    fn forget(&mut self) -> usize {
        let node = self.path.last().expect("a path has a node");
        let count = self.segments.encoder.terms.count();
        let (needed, below) = (node.terms - node.others, count - node.terms);
        self.explored.most_terms = self.explored.most_terms.max(count);
        self.explored.most_needed = self.explored.most_needed.max(needed);
        let spare = self.limits.spare;
        let is_much = node.others + below > needed.max(spare / TERM) || self.strategy.is_burdened(spare);
        if !is_much || !self.strategy.forgets(node.terms) {
            return node.others + below;
        }
        self.segments.forget(node.terms);
        node.others
    }

    /// The segment or flush is over: which runs go on.
    fn arrive(&mut self, node: &mut Node, execution: Execution, others: usize) {
        node.asked = node.switches < self.limits.known;
        if self.limits.reduce {
            node.turns = Turns::after(&self.path, node.active, &execution.footprint);
        }
        node.trials = self.last().trials.across(node.moved(), &execution.footprint);
        let terms = &mut self.segments.encoder.terms;
        let obstacles = execution.record.obstacles.iter().map(|obstacle| obstacle.when);
        let cuts = execution.record.section_cuts.iter().copied();
        let ends: Vec<Term> = obstacles.chain(cuts).chain([execution.violated]).collect();
        let ended = terms.or_all(ends);
        let goes_on = terms.not(ended);
        node.reach = terms.and(node.on_the_way, goes_on);
        node.execution = execution;
        let running = terms.not(node.state.exited());
        for (thread, standing) in node.standing.iter().enumerate() {
            let guard = match standing {
                Standing::NotBegun => node.state.created(thread),
                Standing::At(at) => at.1,
                Standing::Over => Terms::FALSE,
            };
            node.ready[thread] = terms.and(running, guard);
        }
        (node.terms, node.others) = (terms.count(), others);
    }

    /// All children were looked at.
    fn leave(&mut self) -> Result<Option<Counterexample>, Reason> {
        let (deadlocks, known) = (self.deadlocks, self.limits.known);
        let node = self.last();
        let matters = !node.turns.is_redundant();
        let is_leaf = matters && !node.leaf_below;
        let somebody_waits = node.cursor.somebody_waits || !node.cursor.somebody_can;
        let may_be_stuck = matters && deadlocks && somebody_waits && node.switches >= known;
        let below = node.leaf_below || is_leaf;
        if may_be_stuck {
            self.look_for_deadlock();
        }
        let may_race = self.races && self.last().switches >= known && self.look_for_race();
        // The beginning of interleavings that need not be looked at is none, but what happens in it is asked about.
        let is_whole = is_leaf && !self.last().cursor.goes_on;
        let mut found = None;
        if is_leaf || may_be_stuck || may_race {
            found = self.strategy.leaf(&mut self.segments.encoder.terms, &mut self.path)?;
        }
        self.explored.interleavings += u64::from(is_whole || found.is_some());
        self.explored.failed += u64::from(found.is_some());
        if let Some(node) = self.path.pop()
            && let Some(parent) = self.path.last_mut()
        {
            parent.leaf_below |= below;
            parent.trials.join(node.trials.across(node.moved(), &node.execution.footprint));
        }
        Ok(found)
    }

    fn look_for_deadlock(&mut self) {
        let node = self.path.last_mut().expect("a path has a node");
        self.segments.resume(&node.state);
        let waits = |thread: usize| !node.trials.goes_on(thread);
        let mut stand = |thread: usize| waits(thread).then(|| node.stand(self.segments, thread)).flatten();
        let stands: Vec<_> = (0..node.standing.len()).map(&mut stand).collect();
        node.standstill.push(self.segments.deadlock(&stands));
        node.asked = false;
    }

    /// Is there anything to ask?
    fn look_for_race(&mut self) -> bool {
        let node = self.path.last_mut().expect("a path has a node");
        self.segments.resume(&node.state);
        let stands: Vec<_> = (0..node.standing.len()).map(|thread| node.stand(self.segments, thread)).collect();
        let here = self.segments.race(&stands);
        let is_open = !here.record.checks.is_empty() || !here.record.doubts.is_empty();
        node.standstill.push(here);
        node.asked = false;
        is_open
    }

    fn look_up(&self) -> Result<(), Reason> {
        if !self.explored.nodes.is_multiple_of(64) {
            return Ok(());
        }
        let over = self.control.should_stop(&Progress { states: self.explored.nodes, ..Progress::default() });
        // To ask for the memory takes a while.
        let ask = || self.explored.nodes.is_multiple_of(4096).then(|| out_of_memory(self.control)).flatten();
        over.or_else(ask).map_or(Ok(()), Err)
    }
}
