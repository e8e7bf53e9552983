//! Knowledge about a thread's own objects, and about which threads exist.
//!
//! An object on the thread's stack or heap is *its own* as long as its address is nowhere but in registers
//! whose values are known: then nothing but accesses by known addresses can reach it. Its address gets out
//! when it is stored, passed to another thread, or lost where two paths with different values meet.

use crate::env::Env;
use crate::unroll::Unroller;
use selvedge_program::semantics::integers::truncate;
use selvedge_program::{Computation, GlobalId, Op, Operand, Ty};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Memory {
    /// Objects that are the thread's own.
    own: BTreeSet<GlobalId>,
    /// By object and offset: how many bytes, and the value they hold.
    cells: BTreeMap<(GlobalId, i64), (u32, Operand)>,
    /// Threads that have certainly been created.
    pub threads: BTreeSet<usize>,
}

impl Memory {
    pub fn created(&mut self, object: GlobalId) {
        self.own.insert(object);
    }

    /// The address may be anywhere now.
    pub fn expose(&mut self, address: Operand) {
        if let Operand::Global { id, .. } = address
            && self.own.remove(&id)
        {
            self.forget(id);
        }
    }

    pub fn is_own(&self, address: Operand) -> bool {
        matches!(address, Operand::Global { id, .. } if self.own.contains(&id))
    }

    /// It was written to.
    pub fn forget(&mut self, object: GlobalId) {
        let keys: Vec<_> = self.cells.range((object, i64::MIN)..=(object, i64::MAX)).map(|(key, _)| *key).collect();
        for key in keys {
            self.cells.remove(&key);
        }
    }

    pub fn load(&self, address: Operand, bytes: u32) -> Option<Operand> {
        let Operand::Global { id, offset } = address else { return None };
        self.cells.get(&(id, offset)).filter(|(width, _)| *width == bytes).map(|(_, value)| *value)
    }

    pub fn store(&mut self, address: Operand, bytes: u32, value: Option<Operand>) {
        let Operand::Global { id, offset } = address else { return };
        if !self.own.contains(&id) {
            return;
        }
        // No cell is wider than 16 bytes.
        let near = self.cells.range((id, offset.saturating_sub(16))..(id, offset.saturating_add(i64::from(bytes))));
        let hit: Vec<_> =
            near.filter(|((_, at), (width, _))| at + i64::from(*width) > offset).map(|(k, _)| *k).collect();
        for key in hit {
            self.cells.remove(&key);
        }
        if let Some(value) = value {
            self.cells.insert((id, offset), (bytes, value));
        }
    }

    /// Keeps what holds on both paths.
    pub fn merge(&mut self, other: &Memory) {
        self.own.retain(|id| other.own.contains(id));
        self.threads.retain(|thread| other.threads.contains(thread));
        let own = &self.own;
        self.cells.retain(|key, value| own.contains(&key.0) && other.cells.get(key) == Some(value));
    }
}

impl Unroller<'_> {
    /// The value of bytes in memory for a load of this type.
    pub(crate) fn seen_as(&self, value: Operand, ty: Ty) -> Option<Operand> {
        match value {
            Operand::Const { bits, .. } => {
                let bits = truncate(ty.bits(self.program.data_model), bits);
                (ty != Ty::Ptr || bits < 4096).then_some(Operand::Const { ty, bits })
            }
            address => (ty.bits(self.program.data_model) == self.program.data_model.pointer_bits()).then_some(address),
        }
    }

    /// The effect of an operation on the thread's own objects, and the objects that it lets out.
    pub(crate) fn remember(&self, env: &mut Env, op: &Op) {
        let known = |env: &Env, operand: &Operand| self.known(env, *operand);
        match op {
            Op::Load { .. } | Op::Compute(Computation::Compare { .. }) => {}
            Op::Store { ty, addr, value, .. } => {
                let value = known(env, value);
                env.expose(value);
                if let Some(addr) = known(env, addr)
                    && env.memory.is_own(addr)
                {
                    Rc::make_mut(&mut env.memory).store(addr, ty.bytes(self.program.data_model), value);
                }
            }
            Op::MemCopy { dst, .. }
            | Op::MemSet { dst, .. }
            | Op::Rmw { addr: dst, .. }
            | Op::CmpXchg { addr: dst, .. } => {
                if let Op::Rmw { value, .. } | Op::CmpXchg { new: value, .. } = op {
                    env.expose(known(env, value));
                }
                if let Some(Operand::Global { id, .. }) = known(env, dst) {
                    Rc::make_mut(&mut env.memory).forget(id);
                }
            }
            Op::Compute(_)
            | Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Intrinsic { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => {
                op.for_each_use(|operand| env.expose(known(env, &operand)));
            }
        }
    }
}
