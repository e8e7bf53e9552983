//! Do two accesses of a thread touch the same bytes? As far as it is known where they go.

use selvedge_analyze::{Access, Facts};
use selvedge_bound::{BlockId, StepOp};
use selvedge_program::{AccessSize, GlobalId, Operand};
use std::fmt::{Display, Formatter};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    Never,
    /// Just the same bytes.
    Always,
    /// Just the same if their addresses are equal, else none.
    IfEqual,
    /// Perhaps some.
    Bytes,
}

/// The bytes that a step reads or writes: so many, if that is known, in one of these places.
pub struct Bytes {
    count: Option<u64>,
    accesses: Vec<Access>,
}

impl Bytes {
    pub fn read(facts: &Facts<'_>, thread: usize, at: (BlockId, usize)) -> Bytes {
        Bytes::new(facts, thread, at, false)
    }

    pub fn written(facts: &Facts<'_>, thread: usize, at: (BlockId, usize)) -> Bytes {
        Bytes::new(facts, thread, at, true)
    }

    fn new(facts: &Facts<'_>, thread: usize, at: (BlockId, usize), write: bool) -> Bytes {
        let body = &facts.bounded.threads[thread];
        let size = match &body.blocks[at.0].steps[at.1].op {
            StepOp::Plain(op) => op.memory().find(|access| access.writes == write).map(|access| access.size),
            StepOp::Create { .. } | StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => None,
        };
        let count = size.and_then(|size| match (size.ty(&body.regs), size) {
            (Some(ty), _) => Some(u64::from(ty.bytes(facts.bounded.program.data_model))),
            (None, AccessSize::Bytes(Operand::Const { bits, .. })) => u64::try_from(bits).ok(),
            (None, _) => None,
        });
        let accesses = facts.interference.accesses(thread, at.0, at.1).iter();
        Bytes { count, accesses: accesses.filter(|access| access.write == write).copied().collect() }
    }

    pub fn objects(&self) -> impl Iterator<Item = GlobalId> {
        self.accesses.iter().map(|access| access.object)
    }

    pub fn touches(&self, object: GlobalId) -> bool {
        self.objects().any(|touched| touched == object)
    }

    pub fn overlap(&self, other: &Bytes) -> Overlap {
        let meets = |(a, b): &(&Access, &Access)| a.object == b.object && a.from < b.to && b.from < a.to;
        let pairs = self.accesses.iter().flat_map(|a| other.accesses.iter().map(move |b| (a, b)));
        let meeting: Vec<(&Access, &Access)> = pairs.filter(meets).collect();
        // An access at an unknown offset has all of its object here.
        let is_exact = |access: &Access| u64::try_from(access.to - access.from).ok() == self.count;
        let same =
            |(a, b): &(&Access, &Access)| (a.from, a.to) == (b.from, b.to) && self.count == other.count && is_exact(a);
        match meeting.as_slice() {
            [] => Overlap::Never,
            [pair] if same(pair) && self.accesses.len() == 1 && other.accesses.len() == 1 => Overlap::Always,
            all if all.iter().all(same) => Overlap::IfEqual,
            _ => Overlap::Bytes,
        }
    }
}

/// How many: of an unknown number, all that there could be.
impl Display for Bytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let most = || self.accesses.iter().map(|access| access.to - access.from).max().unwrap_or(0);
        write!(f, "{}", self.count.map_or_else(most, |count| count as i64))
    }
}
