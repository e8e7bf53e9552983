//! The registers, memory and blocks that steps and terminators of a bounded program read, write and reach.

use crate::bounded::{BlockId, Bounded, CutKind, StepOp, Terminator};
use selvedge_program::{EntityRef, Intrinsic, Op, Operand, Properties, Reg, Terminator as Theirs};

impl StepOp {
    pub fn is(&self, wanted: Intrinsic) -> bool {
        matches!(self, StepOp::Plain(Op::Intrinsic { which, .. }) if *which == wanted)
    }

    /// How deep in atomic sections a thread is behind it.
    pub fn nesting(&self, before: u32) -> u32 {
        if self.is(Intrinsic::AtomicEnd) {
            return before.saturating_sub(1);
        }
        before + u32::from(self.is(Intrinsic::AtomicBegin))
    }

    /// Can it be left out if nobody reads its results, whatever is checked?
    pub fn is_pure(&self) -> bool {
        match self {
            StepOp::Plain(op) => op.is_pure(Properties::ALL),
            StepOp::Create { .. } | StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => false,
        }
    }

    /// The registers it writes.
    pub fn defs(&self) -> Vec<Reg> {
        match self {
            StepOp::Plain(op) => op.defs(),
            StepOp::Create { dst, .. } => vec![*dst],
            StepOp::Spawn { dst, .. } => dst.iter().copied().collect(),
            StepOp::End { .. } | StepOp::Finish { .. } => Vec::new(),
        }
    }

    /// Calls `f` on every register it writes, to be replaced in place.
    pub fn for_each_def_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        match self {
            StepOp::Plain(op) => op.for_each_def_mut(f),
            StepOp::Create { dst, .. } => f(dst),
            StepOp::Spawn { dst, .. } => dst.iter_mut().for_each(f),
            StepOp::End { .. } | StepOp::Finish { .. } => {}
        }
    }

    /// Calls `f` on every operand it reads.
    pub fn for_each_use(&self, mut f: impl FnMut(Operand)) {
        match self {
            StepOp::Plain(op) => op.for_each_use(f),
            StepOp::Create { size, .. } => size.iter().copied().for_each(f),
            StepOp::Spawn { args, .. } => args.iter().for_each(|arg| f(*arg)),
            StepOp::End { .. } | StepOp::Finish { .. } => {}
        }
    }

    /// Calls `f` on every operand it reads, to be replaced in place.
    pub fn for_each_use_mut(&mut self, f: impl FnMut(&mut Operand)) {
        match self {
            StepOp::Plain(op) => op.for_each_use_mut(f),
            StepOp::Create { size, .. } => size.iter_mut().for_each(f),
            StepOp::Spawn { args, .. } => args.iter_mut().for_each(f),
            StepOp::End { .. } | StepOp::Finish { .. } => {}
        }
    }
}

impl Terminator {
    /// The blocks it may lead to.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(to) => vec![*to],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => cases.iter().map(|(_, to)| *to).chain([*default]).collect(),
            Terminator::Cut(_) | Terminator::Stop => Vec::new(),
        }
    }

    /// The operand that selects the target.
    pub fn decision(&self) -> Option<Operand> {
        match self {
            Terminator::Branch { cond: operand, .. } | Terminator::Switch { value: operand, .. } => Some(*operand),
            Terminator::Jump(_) | Terminator::Cut(_) | Terminator::Stop => None,
        }
    }

    pub fn decision_mut(&mut self) -> Option<&mut Operand> {
        match self {
            Terminator::Branch { cond: operand, .. } | Terminator::Switch { value: operand, .. } => Some(operand),
            Terminator::Jump(_) | Terminator::Cut(_) | Terminator::Stop => None,
        }
    }

    /// The program's terminator that does the same, if there is one.
    pub(crate) fn of_program(&self) -> Option<selvedge_program::Terminator> {
        let block = |id: &BlockId| selvedge_program::BlockId::new(id.index());
        match self {
            Terminator::Jump(to) => Some(Theirs::Jump(block(to))),
            Terminator::Branch { cond, then, otherwise } => {
                Some(Theirs::Branch { cond: *cond, then: block(then), otherwise: block(otherwise) })
            }
            Terminator::Switch { value, cases, default } => {
                let cases = cases.iter().map(|(case, to)| (*case, block(to))).collect();
                Some(Theirs::Switch { value: *value, cases, default: block(default) })
            }
            Terminator::Cut(_) | Terminator::Stop => None,
        }
    }

    pub(crate) fn from_program(term: selvedge_program::Terminator) -> Option<Terminator> {
        let block = |id: selvedge_program::BlockId| BlockId::new(id.index());
        match term {
            Theirs::Jump(to) => Some(Terminator::Jump(block(to))),
            Theirs::Branch { cond, then, otherwise } => {
                Some(Terminator::Branch { cond, then: block(then), otherwise: block(otherwise) })
            }
            Theirs::Switch { value, cases, default } => {
                let cases = cases.into_iter().map(|(case, to)| (case, block(to))).collect();
                Some(Terminator::Switch { value, cases, default: block(default) })
            }
            Theirs::Return(_) | Theirs::Unreachable => None,
        }
    }
}

impl Bounded<'_> {
    /// Does the limit on threads cut off a run?
    pub fn has_too_many_threads(&self) -> bool {
        self.cuts.iter().any(|cut| matches!(cut.kind, CutKind::Threads(_)))
    }

    /// How many steps all threads have.
    pub fn steps(&self) -> usize {
        self.threads.iter().flat_map(|thread| thread.blocks.values()).map(|block| block.steps.len()).sum()
    }
}
