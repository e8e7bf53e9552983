//! A node of the tree: what is the same in all runs along one interleaving of segments.

use super::reduction::Turns;
use super::trials::Trials;
use crate::counterexample::{self, Counterexample};
use crate::lazy::encode::{Passage, Record, SegmentEncoder, Stand, State, Uninitialised, Ways};
use selvedge_formula::{Term, Terms};
use std::rc::Rc;

/// How far a thread has come.
#[derive(Clone)]
pub enum Standing {
    NotBegun,
    /// And under which guard it got there.
    At(Rc<(Stand, Term)>),
    Over,
}

pub struct Node {
    /// Who ran last.
    pub active: usize,
    pub switches: u32,
    pub(super) state: State,
    /// By thread.
    pub(super) standing: Vec<Standing>,
    /// By thread: it exists and has not ended, and neither has the process.
    pub(super) ready: Vec<Term>,
    /// What happened on the way here from the node above.
    pub passage: Passage,
    /// The runs that were on that way.
    pub(super) on_the_way: Term,
    /// Those that got here.
    pub(super) reach: Term,
    /// Nobody can go on from here.
    pub(super) deadlock: Option<Passage>,
    /// Everything has been asked about this node.
    pub asked: bool,
    /// How often there was a choice of threads on the way here.
    pub(super) choices: usize,
    pub turns: Turns,
    pub(super) trials: Trials,
    pub(super) cursor: Cursor,
    /// There is an interleaving below.
    pub(super) leaf_below: bool,
    /// All terms of the path up to here are among the first so many.
    pub(super) terms: usize,
    /// Of those, made on other paths.
    pub(super) others: usize,
}

impl Node {
    /// Before main's first step.
    pub(super) fn root(state: State, threads: usize) -> Node {
        let mut ready = vec![Terms::FALSE; threads];
        ready[0] = Terms::TRUE;
        Node {
            active: 0,
            switches: 0,
            state,
            standing: vec![Standing::NotBegun; threads],
            ready,
            passage: Passage::default(),
            on_the_way: Terms::TRUE,
            reach: Terms::TRUE,
            deadlock: None,
            asked: false,
            choices: 0,
            turns: Turns::default(),
            trials: Trials::none(threads),
            cursor: Cursor::default(),
            leaf_below: false,
            terms: 0,
            others: 0,
        }
    }

    /// What happened, in order, and in which runs.
    fn passages(&self) -> impl Iterator<Item = (Term, &Passage)> {
        [(self.on_the_way, &self.passage)].into_iter().chain(self.deadlock.iter().map(|dead| (self.reach, dead)))
    }

    /// What was encoded of that.
    pub fn records(&self) -> impl Iterator<Item = (Term, &Record)> {
        self.passages().map(|(runs, passage)| (runs, &passage.record))
    }

    pub(super) fn stand(&self, encoder: &mut SegmentEncoder<'_>, thread: usize) -> Option<Rc<(Stand, Term)>> {
        match &self.standing[thread] {
            _ if self.ready[thread] == Terms::FALSE => None,
            Standing::At(at) => Some(Rc::clone(at)),
            Standing::NotBegun => Some(Rc::new((encoder.beginning(thread), Terms::TRUE))),
            Standing::Over => None,
        }
    }

    pub(super) fn has_choice(&self) -> bool {
        self.ready.iter().filter(|ready| **ready != Terms::FALSE).count() > 1
    }
}

/// Which children were looked at.
#[derive(Default)]
pub(super) struct Cursor {
    /// How many threads.
    pub(super) tried: usize,
    /// Of the next one, those ways that are left.
    pub(super) ways: Option<Ways>,
    /// Somebody can go on, whatever the inputs are.
    pub(super) somebody_can: bool,
    /// Somebody may have to wait.
    pub(super) somebody_waits: bool,
    /// Somebody may be able to go on, whether that is followed or not; not if it is the bound that forbids it.
    pub(super) goes_on: bool,
}

impl Node {
    /// The active one first, then the others by number.
    pub(super) fn next_thread(&self) -> Option<usize> {
        match self.cursor.tried {
            tried if tried == self.standing.len() => None,
            0 => Some(self.active),
            tried if tried <= self.active => Some(tried - 1),
            tried => Some(tried),
        }
    }
}

/// The counterexample along the path that a model describes, if there is one.
pub fn counterexample(path: &[Node], value: impl FnMut(Term) -> u128) -> Option<Counterexample> {
    counterexample::from_model(records(path), uninitialised(path), value)
}

/// All terms whose values make the counterexample.
pub fn counterexample_terms(path: &[Node]) -> Vec<Term> {
    counterexample::terms(records(path), uninitialised(path))
}

fn records(path: &[Node]) -> impl Iterator<Item = &Record> {
    path.iter().flat_map(Node::records).map(|(_, record)| record)
}

/// The latest passage has seen all of it.
fn uninitialised(path: &[Node]) -> &[Uninitialised] {
    let last = path.iter().flat_map(Node::passages).last();
    last.map_or(&[], |(_, passage)| passage.uninitialised.as_slice())
}
