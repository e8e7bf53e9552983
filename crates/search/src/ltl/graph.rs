//! The program's states, the propositions that hold in them, and their successors; made on demand.

use crate::explicit::end::End;
use crate::explicit::store::{Cursor, Found, Root, StateId, Store};
use crate::superstep::{Arrival, Runner, Superstep};
use foldhash::fast::FixedState;
use selvedge_engine::counterexample::{Leg, of_path};
use selvedge_engine::{Control, Progress, Task};
use selvedge_program::{Ends, Reach, Reason, Violation};
use selvedge_vm::deadlock::{Threads, Waiting};
use selvedge_vm::expand::{Expander, members};
use selvedge_vm::store_buffer::flush::Flush;
use selvedge_vm::watch::Watch;
use selvedge_vm::{Code, Ended, Sharing};
use std::collections::HashMap;

/// A node's number; 0 is the start.
pub type NodeId = u32;

/// Steps of a thread; or of none, if only inputs are chosen or nothing happens any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub to: NodeId,
    pub by: Option<u8>,
    /// Only a buffered store arrives, although the thread is the one to move.
    pub is_flush: bool,
    /// The thread whose oldest buffered store arrives.
    pub arrived: Option<u8>,
    /// Transitions: several in a superstep.
    pub length: u8,
    /// A number of [`Graph::choices`], for the first of them.
    pub choices: u32,
}

impl Edge {
    /// No thread moves.
    fn still(to: NodeId) -> Edge {
        Edge { to, by: None, is_flush: false, arrived: None, length: 1, choices: 0 }
    }
}

pub struct Node {
    pub state: StateId,
    /// Which propositions hold.
    pub letter: u64,
    pub phase: Phase,
    /// The function that comes first is not done: the run has not begun yet.
    pub before: bool,
    /// Its successors, once they are known: a range of [`Graph::edges`].
    edges: Option<(u32, u32)>,
    /// Threads that cannot go on: blocked, ended, not yet there.
    pub idle: u128,
    /// Threads whose store buffers are empty.
    pub drained: u128,
    /// The way by which it was first reached, for schedules of violations that are no cycles. The edge leads here.
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

pub struct Graph<'c> {
    pub(super) expander: Expander<'c>,
    store: Store,
    cursor: Cursor,
    pub nodes: Vec<Node>,
    numbers: HashMap<(StateId, u64, Phase), NodeId, FixedState>,
    edges: Vec<Edge>,
    /// Lists of choices; 0 is the empty one.
    choices: Vec<Vec<u32>>,
    end_bit: u64,
    counts_steps: bool,
    /// Do threads run on while that does not matter to the others, nor to the formula? Weak fairness stays what it is:
    /// whoever is blocked somewhere along a run is blocked in one of the states between supersteps, for who changes
    /// that has to stop there.
    supersteps: bool,
    control: &'c Control,
}

impl<'c> Graph<'c> {
    pub fn new(
        code: &'c Code<'c>,
        sharing: Sharing,
        task: &Task,
        control: &'c Control,
        watch: Option<Watch>,
    ) -> Graph<'c> {
        let observers = &code.program.observers;
        let mut expander =
            Expander::new(code, sharing, watch, task.max_input_values).with_store_buffer(task.bounds.store_buffer);
        // In a fair run every store arrives, even if no thread looks.
        expander.machine.offers_all_flushes = true;
        Graph {
            store: Store::new(),
            cursor: Cursor::new(&expander.machine.state, code.layout.slots),
            expander,
            nodes: Vec::new(),
            numbers: HashMap::with_hasher(FixedState::with_seed(0)),
            edges: Vec::new(),
            choices: vec![Vec::new()],
            end_bit: observers.end_bit(),
            counts_steps: observers.specification.as_ref().is_some_and(|s| s.formula.has_next()),
            supersteps: false,
            control,
        }
    }

    /// Only for formulas that do not count steps.
    pub fn with_supersteps(mut self, supersteps: bool) -> Self {
        self.supersteps = supersteps && !self.counts_steps;
        self.expander.machine.record(self.supersteps);
        self
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn begin(&mut self) -> Result<(), End> {
        let (seen, broken) = self.expander.look_at_start()?;
        let root = self.store.fold(&mut self.cursor, &mut self.expander.machine.state);
        let start = self.node(root, seen.letter.unwrap_or(0), Phase::Running, 0, Edge::still(0)).to;
        self.nodes[start as usize].before = self.expander.machine.code.program.observers.init.is_some();
        broken.map_or(Ok(()), |violation| Err(self.found(0, None, violation)))
    }

    /// The successors of a node. None: there is no such run.
    pub fn successors(&mut self, node: NodeId) -> Result<&[Edge], End> {
        if self.nodes[node as usize].edges.is_none() {
            self.expand(node)?;
        }
        Ok(self.known(node))
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
        self.expander.machine.take_obstacle().map_or(Ok(()), |reason| Err(End::Stopped(reason)))
    }

    /// The ends of runs in which nothing is wrong.
    pub fn ends(&self) -> (Ends, Reach) {
        self.expander.machine.ends.describe(self.expander.machine.code, true)
    }

    fn expand(&mut self, node: NodeId) -> Result<(), End> {
        let Node { state, letter, phase, .. } = self.nodes[node as usize];
        let edges = match phase {
            Phase::Ended => vec![Edge::still(node)],
            Phase::Ending => {
                let root = self.store.root(state);
                vec![self.node(root, letter | self.end_bit, Phase::Ended, node, Edge::still(0))]
            }
            Phase::Running => self.run_threads(node)?,
        };
        let from = self.edges.len() as u32;
        self.edges.extend(edges);
        self.nodes[node as usize].edges = Some((from, self.edges.len() as u32));
        self.pause_to_look()
    }

    /// Runs all threads of a node, and notes who waits.
    fn run_threads(&mut self, node: NodeId) -> Result<Vec<Edge>, End> {
        let root = self.store.root(self.nodes[node as usize].state);
        self.load(root);
        let (first, all) = (self.expander.machine.state.runnable(), self.expander.machine.state.unfinished());
        let mut edges = Vec::new();
        let mut waiting = Vec::new();
        if self.supersteps {
            let steps = self.runner().supersteps(root)?;
            steps.into_iter().try_for_each(|step| self.follow(node, step, &mut edges, &mut waiting))?;
        } else {
            self.run_each(node, first, &mut edges, &mut waiting)?;
            if !waiting.is_empty() {
                // The others go on while the one inside an atomic section cannot.
                self.run_each(node, all & !first, &mut edges, &mut waiting)?;
            }
        }
        let idle = waiting.iter().fold(!all, |idle, one| idle | 1 << one.thread);
        self.nodes[node as usize].idle = idle;
        self.load(root);
        let storing = self.expander.machine.state.storing().fold(0, |all, thread| all | 1 << thread);
        self.nodes[node as usize].drained = !storing;
        if let Some(violation) = self.expander.machine.wait_for_ever(&waiting, usize::MAX) {
            return Err(self.found(node, None, violation));
        }
        if idle == Threads::MAX {
            edges.push(Edge::still(node));
        }
        Ok(edges)
    }

    fn run_each(
        &mut self,
        node: NodeId,
        threads: Threads,
        edges: &mut Vec<Edge>,
        waiting: &mut Vec<Waiting>,
    ) -> Result<(), End> {
        let root = self.store.root(self.nodes[node as usize].state);
        members(threads).try_for_each(|thread| {
            let step = self.runner().transition(root, thread)?;
            self.follow(node, step, edges, waiting)
        })
    }

    fn runner(&mut self) -> Runner<'_, 'c> {
        Runner { expander: &mut self.expander, store: &self.store, cursor: &mut self.cursor, keeps_exits: true }
    }

    /// Adds the successors by one thread.
    fn follow(
        &mut self,
        from: NodeId,
        Superstep { ends, wrong, waiting, .. }: Superstep,
        edges: &mut Vec<Edge>,
        all_waiting: &mut Vec<Waiting>,
    ) -> Result<(), End> {
        edges.extend(ends.into_iter().map(|end| self.enter(from, end)));
        all_waiting.extend(waiting);
        wrong.map_or(Ok(()), |(leg, violation)| Err(self.found(from, Some(leg), *violation)))
    }

    fn enter(&mut self, from: NodeId, Arrival { root, ended, leg, steps, arrived, seen }: Arrival) -> Edge {
        if self.counts_steps && steps.is_some_and(|steps| steps != 1) {
            let why = "a long stretch of the program without a step, where X counts steps".to_string();
            self.expander.machine.obstacle.get_or_insert(Reason::Limit(why));
        }
        let Node { letter: letter_before, before, .. } = self.nodes[from as usize];
        let letter = seen.letter.unwrap_or(letter_before);
        let roll = self.store.roll(&root);
        let over = ended == Ended::Exited || roll.alive() == 0;
        let (letter, phase) = match over {
            false => (letter, Phase::Running),
            true if letter == letter_before => (letter | self.end_bit, Phase::Ended),
            true => (letter, Phase::Ending),
        };
        let edge = Edge { arrived: arrived.map(|thread| thread as u8), ..self.edge(leg) };
        let edge = self.node(root, letter, phase, from, edge);
        self.nodes[edge.to as usize].before |= before && roll.is_inside_atomic;
        edge
    }

    pub(super) fn load(&mut self, root: Root) {
        self.store.unfold(&mut self.cursor, root, &mut self.expander.machine.state);
    }

    /// Brings the machine to the start.
    pub(super) fn load_start(&mut self) {
        self.load(self.store.root(StateId(0)));
    }

    /// The edge from `parent` to the node of a state.
    fn node(&mut self, root: Root, letter: u64, phase: Phase, parent: NodeId, edge: Edge) -> Edge {
        // The node has the way by which it was found.
        let found = Found { parent: StateId(0), thread: 0, length: 0, level: 0 };
        let (state, _) = self.store.insert_root(&mut self.cursor, root, found);
        let next = self.nodes.len() as NodeId;
        let number = *self.numbers.entry((state, letter, phase)).or_insert(next);
        let edge = Edge { to: number, ..edge };
        if number == next {
            self.nodes.push(Node {
                state,
                letter,
                phase,
                before: false,
                edges: None,
                idle: u128::MAX,
                drained: u128::MAX,
                parent,
                edge,
            });
        }
        edge
    }

    /// An edge whose target is not known yet.
    fn edge(&mut self, Leg { thread, length, choices }: Leg) -> Edge {
        let is_flush = Flush::of(&choices).is_some();
        let number = if choices.is_empty() { 0 } else { self.choices.len() as u32 };
        self.choices.extend((number > 0).then_some(choices));
        Edge { to: 0, by: Some(thread as u8), is_flush, arrived: None, length: length as u8, choices: number }
    }

    /// The legs of a path along edges.
    pub(super) fn legs(&self, edges: &[Edge]) -> Vec<Leg> {
        let leg = |edge: &Edge| {
            let choices = self.choices[edge.choices as usize].clone();
            Some(Leg { thread: usize::from(edge.by?), length: usize::from(edge.length), choices })
        };
        edges.iter().filter_map(leg).collect()
    }

    /// A violation that is no cycle: in the node itself, or by what comes last, from there.
    fn found(&mut self, at: NodeId, last: Option<Leg>, violation: Violation) -> End {
        let mut edges = Vec::new();
        let mut node = at;
        while node != 0 {
            edges.push(self.nodes[node as usize].edge);
            node = self.nodes[node as usize].parent;
        }
        edges.reverse();
        let mut path = self.legs(&edges);
        path.extend(last);
        self.load_start();
        End::Found(Box::new(of_path(&mut self.expander, &path, violation)))
    }

    fn pause_to_look(&mut self) -> Result<(), End> {
        if !self.expander.is_time_to_look() {
            return Ok(());
        }
        let progress = Progress {
            states: self.nodes.len() as u64,
            transitions: self.expander.transitions,
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
