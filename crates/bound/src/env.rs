//! Knowledge about an activation at one point of its path.

use crate::memory::Memory;
use selvedge_program::liveness::BitSet;
use selvedge_program::{EntityRef, GlobalId, Operand, Reg};
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug)]
pub struct Env {
    /// By register of the function: its value, if that is a constant here.
    known: Vec<Option<Operand>>,
    /// Stack objects of this activation that may be alive, in the order of their creation.
    pub live: Vec<GlobalId>,
    /// Shared by the whole thread.
    pub memory: Rc<Memory>,
}

impl Env {
    pub fn new(registers: usize, memory: Rc<Memory>) -> Env {
        Env { known: vec![None; registers], live: Vec::new(), memory }
    }

    pub fn get(&self, reg: Reg) -> Option<Operand> {
        self.known.get(reg.index()).copied().flatten()
    }

    pub fn set(&mut self, reg: Reg, value: Option<Operand>) {
        if let Some(known) = self.known.get_mut(reg.index()) {
            *known = value;
        }
    }

    /// The address is no longer only where it is known to be.
    pub fn expose(&mut self, address: Option<Operand>) {
        if let Some(address) = address
            && self.memory.is_own(address)
        {
            Rc::make_mut(&mut self.memory).expose(address);
        }
    }

    /// Keeps what holds on both paths; objects of either. `live`: registers that may still be read.
    pub fn merge(&mut self, other: &Env, live: &BitSet) {
        if !Rc::ptr_eq(&self.memory, &other.memory) {
            Rc::make_mut(&mut self.memory).merge(&other.memory);
        }
        for at in 0..self.known.len() {
            let (mine, theirs) = (self.known[at], other.known[at]);
            if mine != theirs {
                self.known[at] = None;
                if live.contains(at) {
                    self.expose(mine);
                    self.expose(theirs);
                }
            }
        }
        if self.live != other.live {
            let new: Vec<GlobalId> = other.live.iter().filter(|o| !self.live.contains(o)).copied().collect();
            self.live.extend(new);
        }
    }
}
