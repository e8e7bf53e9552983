//! The program's states, what holds in them, and where they lead; made as far as somebody asks.

use super::tell::Step;
use crate::explicit::choices::Choices;
use crate::explicit::store::{Cursor, Found, StateId, Store};
use foldhash::fast::FixedState;
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::{Ends, Finding, Loc, Property, Reason, Violation};
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::watch::Watch;
use selvedge_vm::ways::{BlockedWay, Way, Ways};
use selvedge_vm::{Code, Ended, Machine, Sharing};
use std::collections::HashMap;

/// Effort between two looks at the clock, in words copied.
const PATIENCE: usize = 1 << 19;

/// A node's number; 0 is the start.
pub type NodeId = u32;

/// Somebody's steps, or nobody's: then only inputs are chosen, or nothing happens any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub to: NodeId,
    pub by: Option<u8>,
    /// Transitions: several in a superstep.
    pub length: u8,
    /// A number of [`Graph::choices`], for the first of them.
    pub choices: u32,
}

impl Edge {
    /// Nobody moves.
    fn still(to: NodeId) -> Edge {
        Edge { to, by: None, length: 1, choices: 0 }
    }
}

pub struct Node {
    pub state: StateId,
    /// Which propositions hold.
    pub letter: u64,
    pub phase: Phase,
    /// The function that comes first is not done: the run has not begun yet.
    pub before: bool,
    /// Where it leads, once that is known: a range of [`Graph::edges`].
    edges: Option<(u32, u32)>,
    /// Threads that cannot go on: blocked, ended, not yet there.
    pub idle: u128,
    /// How it was first reached: for the schedules of violations that are no cycles. The edge leads here.
    parent: NodeId,
    edge: Edge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Running,
    /// The last step was taken, and may have changed what holds; the next moment is the end.
    Ending,
    Ended,
}

/// Why a search ends before it is complete.
pub enum End {
    Found(Box<Finding>),
    /// Something turned out to be shared, or watched: begin anew.
    Shared,
    Stopped(Reason),
}

pub struct Graph<'c> {
    pub(super) machine: Machine<'c, Choices>,
    pub(super) watch: Watch,
    pub(super) store: Store,
    pub nodes: Vec<Node>,
    numbers: HashMap<(StateId, u64, Phase), NodeId, FixedState>,
    edges: Vec<Edge>,
    /// Lists of choices; 0 is the empty one.
    pub(super) choices: Vec<Vec<u32>>,
    pub transitions: u64,
    end_bit: u64,
    counts_steps: bool,
    /// Do threads run on while that does not matter to the others, nor to the formula?
    supersteps: bool,
    pub(super) cursor: Cursor,
    work: usize,
    control: &'c Control,
}

impl<'c> Graph<'c> {
    pub fn new(code: &'c Code<'c>, sharing: Sharing, task: &Task, control: &'c Control, watch: Watch) -> Graph<'c> {
        let observers = &code.program.observers;
        let machine = Machine::new(code, sharing, Choices::default(), task.max_input_values);
        Graph {
            watch,
            store: Store::new(),
            cursor: Cursor::new(&machine.state, code.layout.slots),
            machine,
            nodes: Vec::new(),
            numbers: HashMap::with_hasher(FixedState::with_seed(0)),
            edges: Vec::new(),
            choices: vec![Vec::new()],
            transitions: 0,
            end_bit: observers.end_bit(),
            counts_steps: observers.specification.as_ref().is_some_and(|s| s.formula.has_next()),
            supersteps: false,
            work: 0,
            control,
        }
    }

    /// Only for formulas that do not count steps.
    pub fn with_supersteps(mut self, supersteps: bool) -> Self {
        self.supersteps = supersteps && !self.counts_steps;
        self.machine.record(self.supersteps);
        self
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn begin(&mut self) -> Result<(), End> {
        let letter = self.watch.letter(&mut self.machine).map_err(End::Stopped)?;
        let has_init = self.machine.code.program.observers.init.is_some();
        let broken = if has_init { None } else { self.broken(0)? };
        self.stop_if_grown()?;
        let start = self.node(letter, Phase::Running, 0, Edge::still(0)).to;
        self.nodes[start as usize].before = has_init;
        broken.map_or(Ok(()), |violation| self.found(0, None, violation))
    }

    /// Where a node leads. None: there is no such run.
    pub fn successors(&mut self, node: NodeId) -> Result<&[Edge], End> {
        if self.nodes[node as usize].edges.is_none() {
            self.expand(node)?;
        }
        let (from, to) = self.nodes[node as usize].edges.unwrap_or_default();
        Ok(&self.edges[from as usize..to as usize])
    }

    /// Edges that are known already.
    pub fn known(&self, node: NodeId) -> &[Edge] {
        let (from, to) = self.nodes[node as usize].edges.unwrap_or_default();
        &self.edges[from as usize..to as usize]
    }

    /// All nodes, for properties that are none of runs.
    pub fn complete(&mut self) -> Result<(), End> {
        let mut next = 0;
        while next < self.nodes.len() {
            self.successors(next as NodeId)?;
            next += 1;
        }
        match self.machine.obstacle.take() {
            Some(reason) => Err(End::Stopped(reason)),
            None => Ok(()),
        }
    }

    /// How runs end in which nothing is wrong.
    pub fn ends(&self) -> Ends {
        self.machine.ends.describe(&self.machine.code.program.source)
    }

    fn expand(&mut self, node: NodeId) -> Result<(), End> {
        let mut edges = Vec::new();
        let Node { state, letter, phase, .. } = self.nodes[node as usize];
        match phase {
            Phase::Ended => edges.push(Edge::still(node)),
            Phase::Ending => {
                self.load(state);
                edges.push(self.node(letter | self.end_bit, Phase::Ended, node, Edge::still(0)));
            }
            Phase::Running => {
                self.load(state);
                let inside = self.machine.state.inside_atomic();
                let may_run = |t: &usize| inside.is_none_or(|inside| inside == *t);
                let threads = &self.machine.state.threads;
                let alive: Vec<usize> = (0..threads.len()).filter(|t| !threads[*t].is_finished()).collect();
                let mut idle = alive.iter().fold(u128::MAX, |idle, thread| idle & !(1 << thread));
                let mut waiting = Vec::new();
                if self.supersteps && inside.is_none() {
                    waiting = self.run_supersteps(node, &mut edges)?;
                } else {
                    for thread in alive.iter().copied().filter(may_run) {
                        if let Some(awaits) = self.run_thread(node, thread, &mut edges)? {
                            waiting.push((Waiting { thread, awaits }, self.machine.stopped_at));
                        }
                    }
                }
                idle = waiting.iter().fold(idle, |idle, (one, _)| idle | 1 << one.thread);
                self.nodes[node as usize].idle = idle;
                self.look_for_deadlock(node, &waiting)?;
                if idle == u128::MAX {
                    edges.push(Edge::still(node));
                }
            }
        }
        let from = self.edges.len() as u32;
        self.edges.extend(edges);
        self.nodes[node as usize].edges = Some((from, self.edges.len() as u32));
        self.pause_to_look()
    }

    /// Threads that wait, and where.
    fn look_for_deadlock(&mut self, node: NodeId, waiting: &[(Waiting, Loc)]) -> Result<(), End> {
        if waiting.is_empty() || !self.machine.properties().contains(Property::Deadlock) {
            return Ok(());
        }
        self.load(self.nodes[node as usize].state);
        let threads: Vec<Waiting> = waiting.iter().map(|(one, _)| *one).collect();
        let doomed = self.machine.state.doomed(&threads);
        match waiting.iter().find(|(one, _)| doomed >> one.thread & 1 == 1) {
            Some((one, loc)) => self.found(node, None, Violation::of_deadlock(one.thread, *loc)),
            None => Ok(()),
        }
    }

    /// All ways of a thread to go on; if there is none because it waits: for whom in any case.
    fn run_thread(&mut self, node: NodeId, thread: usize, edges: &mut Vec<Edge>) -> Result<Option<Threads>, End> {
        let state = self.nodes[node as usize].state;
        let mut ways = Ways::new(thread, &mut self.machine);
        while ways.is_left(&mut self.machine) {
            self.load(state);
            self.transitions += 1;
            match ways.run(&mut self.machine) {
                Way::Nowhere => {}
                Way::To(ended) => {
                    let edge = self.arrive(node, thread, ended)?;
                    edges.push(edge);
                }
                Way::Violation(violation) => {
                    let step = Step::new(thread, self.machine.oracle.path());
                    return self.found(node, Some(step), *violation).map(|()| None);
                }
                Way::Learnt => return Err(End::Shared),
            }
        }
        let awaits = ways.awaits();
        for way in ways.blocked() {
            let edge = self.arrive_blocked(node, thread, way);
            edges.push(edge);
        }
        Ok(awaits)
    }

    /// The machine is in a state that a step of `thread` led to.
    fn arrive(&mut self, from: NodeId, thread: usize, ended: Ended) -> Result<Edge, End> {
        if self.counts_steps && self.machine.steps != 1 {
            let why = "a long stretch of the program without a step, where X counts steps".to_string();
            self.machine.obstacle.get_or_insert(Reason::Limit(why));
        }
        let broken = self.broken(thread)?;
        // Nobody looks into an atomic section.
        let before = self.nodes[from as usize].letter;
        let letter = match self.machine.state.inside_atomic() {
            Some(_) => before,
            None => self.watch.letter(&mut self.machine).map_err(End::Stopped)?,
        };
        self.stop_if_grown()?;
        let step = Step::new(thread, self.machine.oracle.path());
        if let Some(violation) = broken {
            self.found(from, Some(step.clone()), violation)?;
        }
        Ok(self.enter(from, step, ended, letter))
    }

    /// The machine is in a state that a step led to, in which these propositions hold.
    pub(super) fn enter(&mut self, from: NodeId, step: Step, ended: Ended, letter: u64) -> Edge {
        let before = self.nodes[from as usize].letter;
        let over = ended == Ended::Exited || self.machine.state.alive() == 0;
        let (letter, phase) = match over {
            false => (letter, Phase::Running),
            true if letter == before => (letter | self.end_bit, Phase::Ended),
            true => (letter, Phase::Ending),
        };
        let before = self.nodes[from as usize].before && self.machine.state.inside_atomic().is_some();
        let edge = self.edge(step);
        let edge = self.node(letter, phase, from, edge);
        self.nodes[edge.to as usize].before |= before;
        edge
    }

    fn arrive_blocked(&mut self, from: NodeId, thread: usize, way: BlockedWay) -> Edge {
        let Node { state, letter, phase, .. } = self.nodes[from as usize];
        self.load(state);
        way.enter(&mut self.machine.state);
        let edge = self.edge(Step::new(thread, way.choices));
        self.node(letter, phase, from, edge)
    }

    fn broken(&mut self, thread: usize) -> Result<Option<Violation>, End> {
        self.watch.broken(&mut self.machine, thread).map_err(End::Stopped)
    }

    pub(super) fn load(&mut self, state: StateId) {
        self.store.unfold(&mut self.cursor, self.store.root(state), &mut self.machine.state);
    }

    /// The edge from `parent` to the node of the machine's state.
    fn node(&mut self, letter: u64, phase: Phase, parent: NodeId, edge: Edge) -> Edge {
        // How it was found is noted with the node.
        let found = Found { parent: StateId(0), thread: 0, length: 0, level: 0 };
        let (state, _) = self.store.insert(&mut self.cursor, &mut self.machine.state, found);
        let next = self.nodes.len() as NodeId;
        let number = *self.numbers.entry((state, letter, phase)).or_insert(next);
        let edge = Edge { to: number, ..edge };
        if number == next {
            self.nodes.push(Node { state, letter, phase, before: false, edges: None, idle: u128::MAX, parent, edge });
        }
        edge
    }

    /// Where it leads to is not known yet.
    fn edge(&mut self, Step { by, length, choices }: Step) -> Edge {
        let number = if choices.is_empty() { 0 } else { self.choices.len() as u32 };
        self.choices.extend((number > 0).then_some(choices));
        Edge { to: 0, by, length, choices: number }
    }

    pub(super) fn step(&self, edge: Edge) -> Step {
        Step { by: edge.by, length: edge.length, choices: self.choices[edge.choices as usize].clone() }
    }

    fn stop_if_grown(&self) -> Result<(), End> {
        if self.machine.sharing.grew { Err(End::Shared) } else { Ok(()) }
    }

    /// A violation that is no cycle: in the node itself, or by a step from there.
    pub(super) fn found(&mut self, at: NodeId, last: Option<Step>, violation: Violation) -> Result<(), End> {
        let mut path = Vec::new();
        let mut node = at;
        while node != 0 {
            let Node { parent, edge, .. } = self.nodes[node as usize];
            path.push(self.step(edge));
            node = parent;
        }
        path.reverse();
        path.extend(last);
        let schedule = self.tell(&path);
        Err(End::Found(Box::new(Finding::Violation { schedule, violation })))
    }

    fn pause_to_look(&mut self) -> Result<(), End> {
        self.work += self.machine.effort();
        if self.work < PATIENCE {
            return Ok(());
        }
        self.work = 0;
        let progress = Progress {
            states: self.nodes.len() as u64,
            transitions: self.transitions,
            memory: self.memory(),
            ..Progress::default()
        };
        self.control.should_stop(&progress).map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }

    pub fn memory(&self) -> u64 {
        let nodes = self.nodes.capacity() * size_of::<Node>();
        let numbers = self.numbers.capacity() * size_of::<((StateId, u64, Phase), NodeId)>();
        self.store.bytes() + (nodes + numbers + self.edges.capacity() * size_of::<Edge>()) as u64
    }
}
