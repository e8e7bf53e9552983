//! A state of a run, and what is left to be explored from it.

use super::attempt::Way;
use super::known::Futures;
use super::run::Event;
use super::step::{Initial, Step};
use super::wakeup::{Branch, Tree};
use selvedge_vm::State;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The branches of a node. Workers that are below the same node share it.
pub struct Plan {
    /// Steps whose continuations are explored elsewhere: the first ones by branches of earlier nodes, then those with
    /// which branches of this node begin that have been begun.
    pub sleep: Vec<Step>,
    /// The number of steps that slept at first.
    slept: usize,
    /// Have the steps that slept at first been explored with all that follows?
    is_in_order: bool,
    /// The branches that nobody has begun.
    pub tree: Tree,
    /// The number of branches that have been begun.
    pub begun: usize,
}

impl Plan {
    pub fn sleeps(&self, thread: usize, choices: &[u32]) -> bool {
        self.sleep.iter().any(|sleeper| sleeper.is_same(thread, choices))
    }

    /// Plans a sequence of steps, unless it is covered.
    pub fn insert(&mut self, sequence: Vec<Step>) {
        let (elsewhere, here) = self.sleep.split_at(self.slept);
        let is_covered = here.iter().any(|step| !matches!(step.initial(&sequence), Initial::No))
            || elsewhere.iter().any(|step| match step.initial(&sequence) {
                Initial::At(_) => true,
                Initial::Apart => self.is_in_order,
                Initial::No => false,
            });
        if !is_covered {
            self.tree.insert(sequence);
        }
    }

    /// Is every sequence covered that begins with these steps and goes on with an unknown one?
    pub fn covers(&self, known: &[Step]) -> bool {
        self.sleep.iter().any(|step| matches!(step.initial(known), Initial::At(_))) || self.tree.covers(known)
    }
}

/// A branch that is being begun.
pub struct Begun {
    pub branch: Branch,
    /// How many of the steps of the plan sleep in it, unless they depend on its first step.
    pub sleepers: usize,
}

pub struct Node {
    pub state: State,
    plan: Arc<Mutex<Plan>>,
    /// The step from here that is being explored.
    pub current: Option<Arc<Event>>,
    /// Has it been decided what to explore? A node that is not, and has no tree, stands for everything that can follow.
    pub is_started: bool,
    /// Ways that have been run already.
    pub ready: Vec<Way>,
    /// Has the process ended with the last step?
    pub has_ended: bool,
    /// If states are kept: the words by which it is known, unless it was planned.
    pub key: Option<Arc<[u64]>>,
    /// The first node to whose state a cycle leads back from here.
    pub first_reached: usize,
    /// All that has followed it so far, if states are kept.
    pub futures: Futures,
    /// Is everything that can go on from it among the branches?
    pub is_widened: bool,
}

impl Node {
    /// `is_in_order`: the branches of a node are explored one after another.
    pub fn new(state: State, sleep: Vec<Step>, tree: Tree, is_in_order: bool) -> Node {
        let plan = Plan { slept: sleep.len(), sleep, is_in_order, tree, begun: 0 };
        Node::with_plan(state, Arc::new(Mutex::new(plan)))
    }

    fn with_plan(state: State, plan: Arc<Mutex<Plan>>) -> Node {
        Node {
            state,
            plan,
            current: None,
            is_started: false,
            ready: Vec::new(),
            has_ended: false,
            key: None,
            first_reached: usize::MAX,
            futures: Futures::default(),
            is_widened: false,
        }
    }

    /// The same node for another worker, who goes on with other branches of its plan.
    pub fn shared(&self) -> Node {
        let node = Node::with_plan(self.state.clone(), Arc::clone(&self.plan));
        Node { current: self.current.clone(), is_started: true, ..node }
    }

    pub fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it stand for everything that can follow?
    pub fn is_open(&self) -> bool {
        !self.is_started && self.plan().tree.is_empty()
    }

    /// Takes the next branch. Others leave out its first step from now on, if it `sleeps` there.
    pub fn begin(&self, sleeps: bool) -> Option<Begun> {
        let mut plan = self.plan();
        let branch = plan.tree.pop()?;
        plan.begun += 1;
        let sleepers = plan.sleep.len();
        if sleeps {
            plan.sleep.push(branch.step.clone());
        }
        Some(Begun { branch, sleepers })
    }

    /// Explores this step, too, if it has not been planned yet.
    pub fn branch_to(&self, step: &Step) {
        let mut plan = self.plan();
        if !plan.sleeps(step.thread, &step.choices) && !plan.tree.begins_with(step) {
            plan.tree.push_leaf(step.clone());
        }
    }

    /// The steps that slept at first.
    pub fn slept(&self) -> Vec<Step> {
        let plan = self.plan();
        plan.sleep[..plan.slept].to_vec()
    }

    pub fn sleeps(&self, step: &Step) -> bool {
        self.plan().sleeps(step.thread, &step.choices)
    }

    /// Does the only way of the thread sleep?
    pub fn sleeps_entirely(&self, thread: usize) -> bool {
        self.plan().sleeps(thread, &[])
    }
}
