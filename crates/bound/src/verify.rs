//! Well-formedness of bounded programs. Debug builds check what bounding made; everybody checks what was read.
//!
//! 1. Whatever is named exists: registers, blocks, objects, functions, threads, cuts, C types, files, the operation of
//!    the program that a step comes from.
//! 2. Operations and decisions keep the program's own rules ([`selvedge_program::verify`]).
//! 3. There is no operation that bounding resolves: calls, stack allocation, the creation and the numbers of threads, …
//! 4. A thread has a block to start in, and jumps go to later blocks.
//! 5. `Finish` is the last step of its block, and `Stop` follows.
//! 6. No step creates thread 0; every other thread is created by one step, with values for its parameters, which are
//!    different registers.
//! 7. The program's globals come first, as they are declared. A copy of a thread-local is declared as that is, and is
//!    the only one of its thread.
//! 8. A thread-local is referred to by its copies only.
//! 9. An object on the stack or heap is created at most once, and no other object is; objects that end are on the
//!    stack.

use crate::bounded::{Block, BlockId, Bounded, Object, ObjectKind, Origin, Step, StepOp, Terminator, Thread};
use selvedge_program::verify::Elsewhere;
use selvedge_program::{EntityRef, GlobalId, Intrinsic, Op, Operand, Purpose, Ty};
use std::collections::HashSet;
use std::fmt;

/// A rule that is broken, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The number of the rule.
    pub rule: u8,
    pub thread: Option<usize>,
    pub block: Option<BlockId>,
    /// The index of the step in its block; of the terminator: how many there are.
    pub step: Option<usize>,
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}", self.rule)?;
        if let Some(thread) = self.thread {
            write!(f, ", thread {thread}")?;
        }
        if let Some(block) = self.block {
            write!(f, ", {block}")?;
        }
        if let Some(step) = self.step {
            write!(f, ", step {step}")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// All violations of the rules, in order.
pub fn verify(bounded: &Bounded<'_>) -> Vec<Problem> {
    let mut checker = Checker {
        bounded,
        place: (None, None, None),
        spawned: vec![0; bounded.threads.len()],
        created: HashSet::new(),
        problems: vec![],
    };
    checker.objects();
    for (number, thread) in bounded.threads.iter().enumerate() {
        checker.place = (Some(number), None, None);
        checker.thread(thread);
    }
    checker.place = (None, None, None);
    checker.require(!bounded.threads.is_empty(), 1, "there is no thread 0");
    for (thread, times) in checker.spawned.clone().into_iter().enumerate() {
        checker.place = (Some(thread), None, None);
        checker.require(times == usize::from(thread != 0), 6, format!("the number of steps that create it is {times}"));
    }
    checker.problems
}

struct Checker<'a> {
    bounded: &'a Bounded<'a>,
    place: (Option<usize>, Option<BlockId>, Option<usize>),
    /// How often each thread is created.
    spawned: Vec<usize>,
    created: HashSet<GlobalId>,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    fn require(&mut self, holds: bool, rule: u8, text: impl Into<String>) {
        if !holds {
            let (thread, block, step) = self.place;
            self.problems.push(Problem { rule, thread, block, step, text: text.into() });
        }
    }

    /// Reports violations of the program's own rules; a name that does not exist breaks the first rule here, too.
    fn keeps(&mut self, problems: Vec<selvedge_program::verify::Problem>) {
        for problem in problems {
            self.require(false, if problem.rule == 1 { 1 } else { 2 }, problem.text);
        }
    }

    fn code(&self, thread: &'a Thread) -> Elsewhere<'a> {
        Elsewhere { program: self.bounded.program, regs: &thread.regs, globals: self.bounded.objects.len() }
    }

    fn objects(&mut self) {
        let bounded = self.bounded;
        let globals = &bounded.program.globals;
        let all_there = globals.len() <= bounded.objects.len();
        self.require(all_there, 7, "a global of the program is missing");
        let no_regs = selvedge_program::PrimaryMap::new();
        let code = Elsewhere { program: bounded.program, regs: &no_regs, globals: bounded.objects.len() };
        let mut copies = HashSet::new();
        for (id, object) in &bounded.objects {
            let Object { name, size, padding, ty, loc, kind } = object;
            let expected = match *kind {
                ObjectKind::Global => globals.get(id),
                ObjectKind::ThreadLocal { of, thread } => {
                    let is_first = copies.insert((of, thread));
                    self.require(is_first, 7, format!("{name} has two copies for thread {thread}"));
                    globals.get(of).filter(|global| global.thread_local && globals.get(id).is_none())
                }
                ObjectKind::Stack | ObjectKind::Heap => {
                    self.require(globals.get(id).is_none(), 7, format!("{name} stands in for a global"));
                    self.keeps(code.object(*size, *ty, padding, *loc));
                    continue;
                }
            };
            let is_declared = expected.is_some_and(|global| Object::declared(global, *kind) == *object);
            self.require(is_declared, 7, format!("{name} is not what the program declares"));
        }
        for cut in &bounded.cuts {
            self.keeps(code.object(0, None, &[], cut.loc));
        }
    }

    fn thread(&mut self, thread: &'a Thread) {
        let start = self.bounded.program.functions.get(thread.start);
        self.require(start.is_some(), 1, "the function that it starts with does not exist");
        self.require(!thread.blocks.is_empty(), 4, "it has no block");
        self.keeps(self.code(thread).regs());
        let mut seen = HashSet::new();
        for param in &thread.params {
            self.require(seen.insert(*param), 6, "a register is two parameters");
            self.require(thread.regs.get(*param).is_some(), 1, "a parameter does not exist");
        }
        for (id, block) in &thread.blocks {
            for (index, step) in block.steps.iter().enumerate() {
                self.place = (self.place.0, Some(id), Some(index));
                self.origin(thread, step.origin);
                self.step(thread, step);
            }
            self.place = (self.place.0, Some(id), Some(block.steps.len()));
            self.origin(thread, block.origin);
            self.terminator(thread, id, block);
        }
    }

    fn origin(&mut self, thread: &'a Thread, origin: Origin) {
        let function = self.bounded.program.functions.get(origin.function);
        let block = function.and_then(|function| function.blocks.get(origin.block));
        let exists = block.is_some_and(|block| origin.index as usize <= block.insts.len());
        self.require(exists, 1, "the operation that it comes from does not exist");
        self.keeps(self.code(thread).object(0, None, &[], origin.user));
    }

    fn object(&mut self, id: GlobalId) -> Option<ObjectKind> {
        let object = self.bounded.objects.get(id);
        self.require(object.is_some(), 1, "an object does not exist");
        let is_original = self.bounded.program.globals.get(id).is_some_and(|global| global.thread_local);
        self.require(!is_original, 8, "a thread-local is referred to, and not one of its copies");
        object.map(|object| object.kind)
    }

    fn operand(&mut self, operand: Operand) {
        if let Operand::Global { id, .. } = operand
            && id.index() < self.bounded.objects.len()
        {
            self.object(id);
        }
    }

    fn ty(&self, thread: &Thread, operand: Operand) -> Option<Ty> {
        match operand {
            Operand::Reg(reg) => thread.regs.get(reg).map(|info| info.ty),
            Operand::Const { ty, .. } => Some(ty),
            Operand::Global { .. } | Operand::Func(_) => Some(Ty::Ptr),
        }
    }

    fn step(&mut self, thread: &'a Thread, step: &Step) {
        step.op.for_each_use(|operand| self.operand(operand));
        if let StepOp::Plain(op) = &step.op {
            self.require(!is_resolved(op), 3, "the operation is no step");
            return self.keeps(self.code(thread).op(op));
        }
        step.op.for_each_use(|operand| self.keeps(self.code(thread).operand(operand)));
        let all_there = step.op.defs().iter().all(|reg| thread.regs.get(*reg).is_some());
        self.require(all_there, 1, "a register does not exist");
        match &step.op {
            StepOp::Plain(_) => {}
            StepOp::Create { dst, object, size } => {
                let kind = self.object(*object);
                self.require(
                    matches!(kind, Some(ObjectKind::Stack | ObjectKind::Heap)),
                    9,
                    "only stack and heap objects are created",
                );
                let is_first = self.created.insert(*object);
                self.require(is_first, 9, "the object is created twice");
                let is_pointer = self.ty(thread, Operand::Reg(*dst)) == Some(Ty::Ptr);
                self.require(is_pointer, 2, "the address of an object is a pointer");
                let is_size = size.is_none_or(|size| matches!(self.ty(thread, size), Some(Ty::Int(_))));
                self.require(is_size, 2, "the size of an object is an integer");
            }
            StepOp::End { objects } => {
                for object in objects {
                    let kind = self.object(*object);
                    self.require(kind == Some(ObjectKind::Stack), 9, "only objects on the stack end");
                }
            }
            StepOp::Finish { objects } => {
                for object in objects {
                    let ends = matches!(self.object(*object), Some(ObjectKind::Stack | ObjectKind::ThreadLocal { .. }));
                    self.require(ends, 9, "only a thread's stack and thread-locals end with it");
                }
            }
            StepOp::Spawn { dst, thread: number, args } => {
                let is_number = dst.is_none_or(|dst| matches!(self.ty(thread, Operand::Reg(dst)), Some(Ty::Int(_))));
                self.require(is_number, 2, "the number of a thread is an integer");
                let Some(spawned) = self.bounded.threads.get(*number) else {
                    return self.require(false, 1, format!("thread {number} does not exist"));
                };
                self.spawned[*number] += 1;
                let types = |operands: &[Operand], of: &Thread| -> Vec<_> {
                    operands.iter().map(|operand| self.ty(of, *operand)).collect()
                };
                let params: Vec<Operand> = spawned.params.iter().map(|param| Operand::Reg(*param)).collect();
                let fit = types(args, thread) == types(&params, spawned);
                self.require(fit, 6, format!("thread {number} takes other arguments"));
            }
        }
    }

    fn terminator(&mut self, thread: &'a Thread, id: BlockId, block: &Block) {
        block.term.decision().into_iter().for_each(|operand| self.operand(operand));
        match block.term.of_program() {
            Some(term) => self.keeps(self.code(thread).decision(&term)),
            None => {
                let exists = !matches!(block.term, Terminator::Cut(number) if number >= self.bounded.cuts.len());
                self.require(exists, 1, "the cut does not exist");
            }
        }
        for target in block.term.successors() {
            let exists = thread.blocks.get(target).is_some();
            self.require(exists, 1, "a block does not exist");
            self.require(!exists || target.index() > id.index(), 4, format!("it jumps back to {target}"));
        }
        let finishes = |step: &Step| matches!(step.op, StepOp::Finish { .. });
        let ends = match block.steps.split_last() {
            None => true,
            Some((last, steps)) => !steps.iter().any(finishes) && (!finishes(last) || block.term == Terminator::Stop),
        };
        self.require(ends, 5, "it goes on behind the end of the thread");
    }
}

/// Bounding leaves none of these.
fn is_resolved(op: &Op) -> bool {
    match op {
        Op::Call { .. } | Op::Alloca { .. } | Op::StackSave { .. } | Op::StackRestore { .. } => true,
        Op::Intrinsic { which, .. } => match which.purpose() {
            Purpose::Exits => *which != Intrinsic::ProcessExit,
            Purpose::Spawns | Purpose::Counts | Purpose::FindsCopy | Purpose::Jumps | Purpose::Allocates => true,
            Purpose::AsksThread
            | Purpose::Marks
            | Purpose::Requires
            | Purpose::Frees
            | Purpose::AsksObject
            | Purpose::ChecksAccess => false,
        },
        Op::Compute(_)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Rmw { .. }
        | Op::CmpXchg { .. }
        | Op::Fence { .. }
        | Op::MemCopy { .. }
        | Op::MemSet { .. }
        | Op::Nondet { .. }
        | Op::Violation { .. }
        | Op::Unsupported { .. } => false,
    }
}
