//! A node of the tree: what is the same in all runs along one interleaving of segments.

use super::reduction::Turns;
use super::trials::Trials;
use crate::lazy::encode::{Execution, Record, SegmentEncoder, Stand, State, StoreId, Uninitialised, Ways};
use selvedge_engine::counterexample::{Counterexample, of_model, terms};
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
    /// The thread that ran last.
    pub active: usize,
    pub switches: u32,
    pub(super) state: State,
    /// By thread.
    pub(super) standing: Vec<Standing>,
    /// By thread: it exists and has not ended, and neither has the process.
    pub(super) ready: Vec<Term>,
    /// The store that was flushed on the way here from the node above, if there was no segment.
    pub(super) flushed: Option<StoreId>,
    /// The segment, or flush, on the way here from the node above.
    pub execution: Execution,
    /// The runs that were on that way.
    pub(super) on_the_way: Term,
    /// Those that got here.
    pub(super) reach: Term,
    /// The violations of threads that stand where they are: they wait for ever, or are about to race.
    pub(super) standstill: Vec<Execution>,
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
    /// The number of those that were made on other paths.
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
            flushed: None,
            execution: Execution::default(),
            on_the_way: Terms::TRUE,
            reach: Terms::TRUE,
            standstill: Vec::new(),
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

    /// The executions that the node stands for, in order, and the runs that they are about.
    fn executions(&self) -> impl Iterator<Item = (Term, &Execution)> {
        [(self.on_the_way, &self.execution)].into_iter().chain(self.standstill.iter().map(|here| (self.reach, here)))
    }

    /// Their records.
    pub fn records(&self) -> impl Iterator<Item = (Term, &Record)> {
        self.executions().map(|(runs, execution)| (runs, &execution.record))
    }

    pub(super) fn stand(&self, segments: &mut SegmentEncoder<'_>, thread: usize) -> Option<Rc<(Stand, Term)>> {
        match &self.standing[thread] {
            _ if self.ready[thread] == Terms::FALSE => None,
            Standing::At(at) => Some(Rc::clone(at)),
            Standing::NotBegun => Some(Rc::new((segments.beginning(thread), Terms::TRUE))),
            Standing::Over => None,
        }
    }

    pub(super) fn has_choice(&self) -> bool {
        self.ready.iter().filter(|ready| **ready != Terms::FALSE).count() + self.state.waiting().len() > 1
    }

    /// The thread whose segment led here.
    pub(super) fn moved(&self) -> Option<usize> {
        self.flushed.is_none().then_some(self.active)
    }
}

/// A step down the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Move {
    /// The thread's next segment.
    Segment(usize),
    /// A store that waits reaches memory. That is no context switch.
    Flush(StoreId),
}

/// Which children were looked at.
#[derive(Default)]
pub(super) struct Cursor {
    /// How many moves.
    pub(super) tried: usize,
    /// The ways of the next one that are left.
    pub(super) ways: Option<Ways>,
    /// Some thread can go on, whatever the inputs are.
    pub(super) somebody_can: bool,
    /// Some thread may have to wait.
    pub(super) somebody_waits: bool,
    /// Some thread may be able to go on, even if that is not followed; but not if the bound forbids it.
    pub(super) goes_on: bool,
}

impl Node {
    /// The active thread first, then the others by number, then stores that wait.
    pub(super) fn next_move(&self) -> Option<Move> {
        match self.cursor.tried {
            tried if tried >= self.standing.len() => {
                self.state.waiting().get(tried - self.standing.len()).copied().map(Move::Flush)
            }
            0 => Some(Move::Segment(self.active)),
            tried if tried <= self.active => Some(Move::Segment(tried - 1)),
            tried => Some(Move::Segment(tried)),
        }
    }
}

/// The counterexample along the path that a model describes, if there is one.
pub fn counterexample(path: &[Node], value: impl FnMut(Term) -> u128) -> Option<Counterexample> {
    of_model(records(path).map(Record::evidence), uninitialised(path), value)
}

/// All terms whose values make the counterexample.
pub fn counterexample_terms(path: &[Node]) -> Vec<Term> {
    terms(records(path).flat_map(|record| &record.events), uninitialised(path))
}

fn records(path: &[Node]) -> impl Iterator<Item = &Record> {
    path.iter().flat_map(Node::records).map(|(_, record)| record)
}

/// The latest execution has seen all of it.
fn uninitialised(path: &[Node]) -> &[Uninitialised] {
    let last = path.iter().flat_map(Node::executions).last();
    last.map_or(&[], |(_, execution)| execution.uninitialised.as_slice())
}
