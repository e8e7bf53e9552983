//! What is known of an activation at one point of its path.

use selvedge_program::{EntityRef, GlobalId, Operand, Reg};

#[derive(Clone, PartialEq, Debug)]
pub struct Env {
    /// By register of the function: its value, if that is a constant here.
    known: Vec<Option<Operand>>,
    /// Stack objects of this activation that may be alive, in the order of their creation.
    pub live: Vec<GlobalId>,
    /// Was there ever one?
    pub had_objects: bool,
}

impl Env {
    pub fn new(registers: usize) -> Env {
        Env { known: vec![None; registers], live: Vec::new(), had_objects: false }
    }

    pub fn get(&self, reg: Reg) -> Option<Operand> {
        self.known.get(reg.index()).copied().flatten()
    }

    pub fn set(&mut self, reg: Reg, value: Option<Operand>) {
        if let Some(known) = self.known.get_mut(reg.index()) {
            *known = value;
        }
    }

    /// Keeps what holds on both paths; objects of either.
    pub fn merge(&mut self, other: &Env) {
        for (mine, theirs) in self.known.iter_mut().zip(&other.known) {
            if *mine != *theirs {
                *mine = None;
            }
        }
        if self.live != other.live {
            let new: Vec<GlobalId> = other.live.iter().filter(|o| !self.live.contains(o)).copied().collect();
            self.live.extend(new);
        }
        self.had_objects |= other.had_objects;
    }
}
