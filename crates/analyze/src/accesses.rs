//! The memory accesses of every step: which bytes of which objects it may read or write.
//!
//! An object's lifetime counts as memory, too. Ending it (a return, `free`) writes the whole object, so that it
//! conflicts with every other access; asking for its size, or whether it can be accessed, reads only its lifetime.
//! Creating an object is no access: no other thread can know its address yet, since an object is created once.

use crate::graph::Graph;
use crate::places::{Offset, Targets};
use crate::points_to::PointsTo;
use crate::values::Values;
use selvedge_bound::{Bounded, ObjectKind, StepOp};
use selvedge_program::{AccessSize, EntityRef, GlobalId, Op, Operand, Purpose};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Access {
    pub object: GlobalId,
    pub from: i64,
    /// One past the last byte.
    pub to: i64,
    pub write: bool,
}

impl Access {
    /// The place that stands for an object's lifetime; it is no byte of the object.
    pub const LIFE: i64 = i64::MIN;

    /// The end of an object.
    pub fn end(object: GlobalId) -> Access {
        Access { object, from: Access::LIFE, to: i64::MAX, write: true }
    }

    /// A test whether the object is alive.
    pub fn is_alive(object: GlobalId) -> Access {
        Access { object, from: Access::LIFE, to: Access::LIFE + 1, write: false }
    }

    pub fn ends_object(&self) -> bool {
        self.write && self.from == Access::LIFE
    }

    /// Whether both touch some byte and one of them writes.
    pub fn conflicts(&self, other: &Access) -> bool {
        self.object == other.object && (self.write || other.write) && self.from < other.to && other.from < self.to
    }
}

pub struct Accesses {
    all: Vec<Access>,
    /// For each thread and position the start of its accesses in `all`. There is one more at the end.
    starts: Vec<Vec<u32>>,
}

impl Accesses {
    /// The accesses of all steps that can run.
    pub(crate) fn new(bounded: &Bounded<'_>, graphs: &[Graph], points_to: &PointsTo, values: &Values) -> Accesses {
        let mut accesses = Accesses { all: Vec::new(), starts: Vec::new() };
        for (number, thread) in bounded.threads.iter().enumerate() {
            let mut starts = Vec::with_capacity(graphs[number].len() + 1);
            for (block, body) in &thread.blocks {
                for (step, body) in body.steps.iter().enumerate() {
                    starts.push(accesses.all.len() as u32);
                    if values.is_live(number, block.index(), step) {
                        let mut collector = Collector { bounded, points_to, thread: number, all: &mut accesses.all };
                        collector.step(&body.op);
                    }
                }
                // The end of the terminator's accesses.
                starts.push(accesses.all.len() as u32);
            }
            starts.push(accesses.all.len() as u32);
            accesses.starts.push(starts);
        }
        accesses
    }

    pub(crate) fn at(&self, thread: usize, position: u32) -> &[Access] {
        let starts = &self.starts[thread];
        &self.all[starts[position as usize] as usize..starts[position as usize + 1] as usize]
    }
}

struct Collector<'a, 'p> {
    bounded: &'a Bounded<'p>,
    points_to: &'a PointsTo,
    thread: usize,
    all: &'a mut Vec<Access>,
}

impl<'a> Collector<'a, '_> {
    fn targets(&self, operand: Operand) -> &'a Targets {
        self.points_to.of(self.thread, operand)
    }

    /// How many bytes an access touches, if that is known.
    fn bytes(&self, size: AccessSize) -> Option<i64> {
        match (size.ty(&self.bounded.threads[self.thread].regs), size) {
            (Some(ty), _) => Some(i64::from(ty.bytes(self.bounded.program.data_model))),
            (None, AccessSize::Bytes(Operand::Const { bits, .. })) => i64::try_from(bits).ok(),
            (None, _) => None,
        }
    }

    fn step(&mut self, op: &StepOp) {
        match op {
            StepOp::Plain(op) => self.plain(op),
            StepOp::End { objects } | StepOp::Finish { objects } => {
                self.all.extend(objects.iter().map(|object| Access::end(*object)));
            }
            StepOp::Create { .. } | StepOp::Spawn { .. } => {}
        }
    }

    fn plain(&mut self, op: &Op) {
        for access in op.memory() {
            self.touch(access.addr, self.bytes(access.size), access.writes);
        }
        let Op::Intrinsic { which, args, .. } = op else { return };
        match which.purpose() {
            Purpose::AsksObject | Purpose::ChecksAccess => {
                let objects = &self.targets(args[0]).objects;
                self.all.extend(objects.iter().map(|object| Access::is_alive(*object)));
            }
            Purpose::Frees => {
                let heap = |object: &&GlobalId| self.bounded.objects[**object].kind == ObjectKind::Heap;
                let objects = self.targets(args[0]).objects.iter().filter(heap);
                self.all.extend(objects.map(|object| Access::end(*object)));
            }
            Purpose::Spawns
            | Purpose::Counts
            | Purpose::AsksThread
            | Purpose::FindsCopy
            | Purpose::Exits
            | Purpose::Jumps
            | Purpose::Marks
            | Purpose::Requires
            | Purpose::Allocates => {}
        }
    }

    /// An access to `bytes` bytes from an address on; `None` if their number is unknown.
    fn touch(&mut self, addr: Operand, bytes: Option<i64>, write: bool) {
        if bytes == Some(0) {
            return;
        }
        for place in &self.targets(addr).places {
            let object = place.object;
            let size = i64::try_from(self.bounded.objects[object].size).unwrap_or(i64::MAX).max(1);
            let (from, to) = match (place.offset, bytes) {
                (Offset::At(at), Some(bytes)) => (at, at.saturating_add(bytes)),
                (Offset::At(at), None) => (at, size.max(at.saturating_add(1))),
                (Offset::Any, _) => (0, size),
            };
            self.all.push(Access { object, from, to, write });
        }
    }
}
