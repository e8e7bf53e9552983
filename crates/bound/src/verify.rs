//! The rules of [`crate::bounded`], checked.

use crate::bounded::{Block, BlockId, Bounded, Step, StepOp, Terminator, Thread};
use selvedge_program::{EntityRef, Intrinsic, Op, Operand, Purpose, Reg, Ty};

/// Every broken rule, in a sentence. At most a few from each thread.
pub fn verify(bounded: &Bounded<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut spawned = vec![0; bounded.threads.len()];
    for (number, thread) in bounded.threads.iter().enumerate() {
        let mut checker = Checker { bounded, thread, problems: Vec::new() };
        for (id, block) in &thread.blocks {
            for step in &block.steps {
                checker.step(step);
                if let StepOp::Spawn { thread, .. } = step.op {
                    match spawned.get_mut(thread) {
                        Some(times) => *times += 1,
                        None => checker.problems.push(format!("spawns thread {thread}, which does not exist")),
                    }
                }
            }
            checker.terminator(id, block);
        }
        for param in &thread.params {
            checker.reg(*param);
        }
        problems.extend(checker.problems.into_iter().take(10).map(|problem| format!("thread {number}: {problem}")));
    }
    for (thread, times) in spawned.into_iter().enumerate() {
        if times != usize::from(thread != 0) {
            problems.push(format!("thread {thread} is spawned {times} times"));
        }
    }
    problems
}

struct Checker<'a> {
    bounded: &'a Bounded<'a>,
    thread: &'a Thread,
    problems: Vec<String>,
}

impl Checker<'_> {
    fn reg(&mut self, reg: Reg) {
        if reg.index() >= self.thread.regs.len() {
            self.problems.push(format!("{reg} does not exist"));
        }
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Global { id, .. } => self.object(id),
            Operand::Func(id) if id.index() >= self.bounded.program.functions.len() => {
                self.problems.push(format!("{id} does not exist"));
            }
            _ => {}
        }
    }

    fn object(&mut self, id: selvedge_program::GlobalId) {
        if id.index() >= self.bounded.objects.len() {
            self.problems.push(format!("object {id} does not exist"));
        } else if self.bounded.program.globals.get(id).is_some_and(|global| global.thread_local) {
            self.problems.push(format!("{} is thread-local and no copy is named", self.bounded.objects[id].name));
        }
    }

    fn ty(&self, operand: Operand) -> Option<Ty> {
        match operand {
            Operand::Reg(reg) => self.thread.regs.get(reg).map(|info| info.ty),
            Operand::Const { ty, .. } => Some(ty),
            Operand::Global { .. } | Operand::Func(_) => Some(Ty::Ptr),
        }
    }

    fn same_type(&mut self, a: Operand, b: Operand, what: &dyn std::fmt::Debug) {
        if self.ty(a) != self.ty(b) {
            self.problems.push(format!("operands of two types in {what:?}"));
        }
    }

    fn step(&mut self, step: &Step) {
        match &step.op {
            StepOp::Plain(op) => {
                op.for_each_use(|operand| self.operand(operand));
                op.defs().into_iter().for_each(|reg| self.reg(reg));
                self.plain(op);
            }
            StepOp::Create { dst, object, size } => {
                self.reg(*dst);
                self.object(*object);
                size.iter().for_each(|size| self.operand(*size));
                if size.is_some_and(|size| !matches!(self.ty(size), Some(Ty::Int(_)))) {
                    self.problems.push(format!("the size of {object} is no integer"));
                }
            }
            StepOp::End { objects } | StepOp::Finish { objects } => {
                objects.iter().for_each(|object| self.object(*object));
            }
            StepOp::Spawn { dst, thread, args } => {
                dst.iter().for_each(|reg| self.reg(*reg));
                args.iter().for_each(|arg| self.operand(*arg));
                let params = self.bounded.threads.get(*thread).map_or(0, |t| t.params.len());
                if params != args.len() {
                    self.problems.push(format!("thread {thread} has {params} parameters, not {}", args.len()));
                }
            }
        }
    }

    fn plain(&mut self, op: &Op) {
        match op {
            Op::Call { .. } | Op::Alloca { .. } | Op::StackSave { .. } | Op::StackRestore { .. } => {
                self.problems.push(format!("{op:?} is no step"));
            }
            Op::Intrinsic { which, .. } => match which.purpose() {
                Purpose::Exits if *which == Intrinsic::ProcessExit => {}
                Purpose::Spawns
                | Purpose::Counts
                | Purpose::FindsCopy
                | Purpose::Exits
                | Purpose::Jumps
                | Purpose::Allocates => self.problems.push(format!("{} is no step", which.name())),
                Purpose::AsksThread
                | Purpose::Marks
                | Purpose::Requires
                | Purpose::Frees
                | Purpose::AsksObject
                | Purpose::ChecksAccess => {}
            },
            Op::Copy { dst, src } => self.same_type(Operand::Reg(*dst), *src, op),
            Op::Binary { a, b, .. } | Op::Compare { a, b, .. } | Op::Select { a, b, .. } => self.same_type(*a, *b, op),
            Op::Overflowing { .. }
            | Op::Unary { .. }
            | Op::FloatBinary { .. }
            | Op::FloatUnary { .. }
            | Op::FloatCompare { .. }
            | Op::Cast { .. }
            | Op::Field { .. }
            | Op::Index { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::CmpXchg { .. }
            | Op::Fence { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    fn terminator(&mut self, id: BlockId, block: &Block) {
        block.term.decision().into_iter().for_each(|operand| self.operand(operand));
        if let Terminator::Cut(number) = block.term
            && number >= self.bounded.cuts.len()
        {
            self.problems.push(format!("cut {number} does not exist"));
        }
        for target in block.term.successors() {
            if target.index() <= id.index() || target.index() >= self.thread.blocks.len() {
                self.problems.push(format!("{id} jumps to {target}"));
            }
        }
        let finishes = |step: &Step| matches!(step.op, StepOp::Finish { .. });
        let last = block.steps.len().saturating_sub(1);
        if block.steps.iter().enumerate().any(|(at, step)| finishes(step) && at != last)
            || block.steps.last().is_some_and(finishes) && block.term != Terminator::Stop
        {
            self.problems.push(format!("{id} goes on behind the end of the thread"));
        }
    }
}
