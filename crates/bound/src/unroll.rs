//! Inlining and unwinding: one thread after the other, activation by activation.
//!
//! The number of threads is visible to the threads themselves, so it is guessed, and all is done again
//! when the guess was too small. If constants make loops too long to be written down, the loops that are
//! unwound for their sake are limited.

use crate::body::{Body, Edge};
use crate::bounded::{Bounded, Cut, CutKind, Object, ObjectKind, Origin, StepOp, Terminator as Term, Thread};
use crate::memory::Memory;
use crate::shape::Shape;
use crate::trim::trim;
use crate::whole_program::WholeProgram;
use selvedge_program::{
    BlockId, EntityRef, FuncId, GlobalId, Loc, Op, Operand, PrimaryMap, Program, Properties, Reason, Reg, SecondaryMap,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// How much of the program to write down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How often a loop's body may run.
    pub unwind: u32,
    /// Iterations of single loops, by file and line.
    pub unwind_at: Vec<((String, u32), u32)>,
    /// How many activations of a function may be nested inside its first.
    pub recursion: u32,
    /// The largest trip count, known from constants, that is followed instead of `unwind`.
    pub trip_count: u32,
    /// Fewer of these will not do.
    pub exactly: bool,
    /// Threads besides main.
    pub threads: u32,
    /// More steps than this are refused.
    pub max_steps: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            unwind: 2,
            unwind_at: Vec::new(),
            recursion: 2,
            trip_count: u32::MAX,
            exactly: false,
            threads: 16,
            max_steps: 2_000_000,
        }
    }
}

/// Why a program cannot be bounded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the bounded program has more than {0} steps")]
    TooLarge(usize),
    #[error("interrupted")]
    Stopped,
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Reason {
        match refusal {
            Refusal::TooLarge(_) => Reason::Limit(refusal.to_string()),
            Refusal::Stopped => Reason::Interrupted,
        }
    }
}

/// How many counted iterations a loop may have, tried until the result is small enough.
const TRIP_COUNTS: [u32; 2] = [256, 0];
/// How often the number of threads is guessed from what the last guess led to.
const GUESSES: usize = 8;

/// The number of steps between two looks at the clock.
const LOOK_UP: usize = 1024;

/// Writes the program down within the limits. If it gets too large, the loops that are unwound because constants
/// tell how often they run are limited, too.
pub fn bound<'p>(program: &'p Program, limits: &Limits) -> Result<Bounded<'p>, Refusal> {
    bound_unless(program, limits, &|| false)
}

/// Bounds the program, unless `stop` holds in the meantime.
pub fn bound_unless<'p>(
    program: &'p Program,
    limits: &Limits,
    stop: &dyn Fn() -> bool,
) -> Result<Bounded<'p>, Refusal> {
    let whole_program = WholeProgram::new(program);
    let mut shapes = SecondaryMap::new();
    let fewer = TRIP_COUNTS.into_iter().filter(|trip_count| *trip_count < limits.trip_count);
    let mut result = settle(program, limits, &whole_program, &mut shapes, limits.trip_count, stop);
    for trip_count in fewer.take_while(|_| !limits.exactly) {
        if !matches!(result, Err(Refusal::TooLarge(_))) {
            break;
        }
        result = settle(program, limits, &whole_program, &mut shapes, trip_count, stop);
    }
    if cfg!(debug_assertions)
        && let Ok(bounded) = &result
    {
        let problems = crate::verify::verify(bounded);
        assert!(problems.is_empty(), "bounding broke its rules: {}", problems[0]);
    }
    result
}

/// Threads see how many there are, so that number has to be guessed first.
fn settle<'p>(
    program: &'p Program,
    limits: &Limits,
    whole_program: &WholeProgram,
    shapes: &mut SecondaryMap<FuncId, Option<Rc<Shape>>>,
    trip_count: u32,
    stop: &dyn Fn() -> bool,
) -> Result<Bounded<'p>, Refusal> {
    let mut guess = 1;
    for round in 1.. {
        let mut unroller =
            Unroller::new(program, limits, whole_program, std::mem::take(shapes), guess, trip_count, stop);
        let threads = unroller.threads();
        *shapes = std::mem::take(&mut unroller.shapes);
        if let Some(mut threads) = threads? {
            threads.iter_mut().for_each(trim);
            return Ok(Bounded { program, threads, objects: unroller.objects, cuts: unroller.cuts });
        }
        // A number that depends on itself may never settle; there are no more than the limit allows.
        guess = if round < GUESSES { unroller.created } else { limits.threads as usize + 1 };
    }
    unreachable!("no round has more threads than the limit allows")
}

/// A thread that was created and is still to be written.
pub(crate) struct Start {
    /// The functions that it may run; if several, its first parameter selects one.
    pub functions: Vec<FuncId>,
    /// Its two arguments, where they are known.
    pub known: [Option<Operand>; 2],
    /// Those that are there when it begins, itself included.
    pub threads: BTreeSet<usize>,
}

/// One call of a function, inlined.
pub(crate) struct Activation {
    pub function: FuncId,
    /// Its register n is the thread's register base + n.
    pub base: usize,
    /// The place in the user's code from which it was called, if it is a model or called by one.
    pub user: Option<Loc>,
    /// The registers that its caller wants to have; `None`: it is not called, the thread begins with it.
    pub dsts: Option<Vec<Reg>>,
    /// Stack objects of the activations around it.
    pub outer: Vec<GlobalId>,
}

/// An inlined function returns here.
pub(crate) struct Exit {
    pub edge: Edge,
    /// The results, where they are known.
    pub known: Vec<Option<Operand>>,
    pub memory: Rc<Memory>,
}

/// The place of an activation.
pub(crate) struct Place<'a> {
    pub activation: &'a Activation,
    pub origin: Origin,
}

/// May the block be continued?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    On,
    Over,
}

pub(crate) struct Unroller<'a> {
    pub program: &'a Program,
    pub limits: &'a Limits,
    pub whole_program: &'a WholeProgram,
    shapes: SecondaryMap<FuncId, Option<Rc<Shape>>>,
    /// The guessed number of threads.
    pub guess: usize,
    pub trip_count: u32,
    stop: &'a dyn Fn() -> bool,
    pub objects: PrimaryMap<GlobalId, Object>,
    /// Objects whose size is only limited.
    pub of_unknown_size: BTreeSet<GlobalId>,
    cuts: Vec<Cut>,
    /// Properties that every run to a block of the program violates.
    pub reported: BTreeMap<(FuncId, BlockId), Properties>,
    pub queue: VecDeque<Start>,
    /// Threads so far, main included.
    pub created: usize,
    /// The thread that is being written.
    pub thread: usize,
    pub body: Body,
    /// Activations of each function that are open.
    pub open: SecondaryMap<FuncId, u32>,
    pub depth: usize,
    work: usize,
}

impl<'a> Unroller<'a> {
    fn new(
        program: &'a Program,
        limits: &'a Limits,
        whole_program: &'a WholeProgram,
        shapes: SecondaryMap<FuncId, Option<Rc<Shape>>>,
        guess: usize,
        trip_count: u32,
        stop: &'a dyn Fn() -> bool,
    ) -> Unroller<'a> {
        let mut objects = PrimaryMap::new();
        for global in program.globals.values() {
            objects.push(Object::declared(global, ObjectKind::Global));
        }
        for thread in 0..guess {
            for of in &whole_program.thread_locals {
                objects.push(Object::declared(&program.globals[*of], ObjectKind::ThreadLocal { of: *of, thread }));
            }
        }
        Unroller {
            program,
            limits,
            whole_program,
            shapes,
            guess,
            trip_count,
            stop,
            objects,
            of_unknown_size: BTreeSet::new(),
            cuts: Vec::new(),
            reported: BTreeMap::new(),
            queue: VecDeque::new(),
            created: 1,
            thread: 0,
            body: Body::new(),
            open: SecondaryMap::new(),
            depth: 0,
            work: 0,
        }
    }

    /// Main, and then every thread that was created, in that order. `None`: they are more than was guessed,
    /// which shows as soon as the one that creates them is written; mostly that is main.
    fn threads(&mut self) -> Result<Option<Vec<Thread>>, Refusal> {
        let mut threads = Vec::new();
        self.queue.push_back(Start {
            functions: vec![self.program.entry],
            known: [None; 2],
            threads: BTreeSet::from([0]),
        });
        while let Some(start) = self.queue.pop_front() {
            self.thread = threads.len();
            self.body = Body::new();
            let params = self.start_thread(&start)?;
            let body = std::mem::replace(&mut self.body, Body::new());
            threads.push(Thread { start: start.functions[0], params, regs: body.regs, blocks: body.blocks });
            if self.created > self.guess {
                return Ok(None);
            }
        }
        Ok(Some(threads))
    }

    /// A thread's copy of a thread-local.
    pub fn own_copy(&self, thread: usize, of: GlobalId) -> Option<GlobalId> {
        let number = self.whole_program.thread_locals.binary_search(&of).ok()?;
        Some(GlobalId::new(self.program.globals.len() + thread * self.whole_program.thread_locals.len() + number))
    }

    /// The end of the thread that is written, with its stack and its copies of thread-locals.
    pub(crate) fn finish(&mut self, mut objects: Vec<GlobalId>, origin: Origin) -> Result<(), Refusal> {
        let mortal =
            self.whole_program.thread_locals.iter().filter(|of| self.program.globals[**of].ends_with_its_thread());
        objects.extend(mortal.filter_map(|of| self.own_copy(self.thread, *of)));
        self.step(StepOp::Finish { objects }, origin)?;
        self.body.end(Term::Stop, origin);
        Ok(())
    }

    pub fn step(&mut self, op: impl Into<StepOp>, origin: Origin) -> Result<(), Refusal> {
        self.body.emit(op.into(), origin);
        self.effort()
    }

    pub fn effort(&mut self) -> Result<(), Refusal> {
        self.work += 1;
        if self.work > self.limits.max_steps {
            return Err(Refusal::TooLarge(self.limits.max_steps));
        }
        if self.work.is_multiple_of(LOOK_UP) && (self.stop)() {
            return Err(Refusal::Stopped);
        }
        Ok(())
    }

    /// Ends the block with an operation after which nothing comes.
    pub fn last(&mut self, op: Op, origin: Origin) -> Result<Flow, Refusal> {
        self.step(StepOp::Plain(op), origin)?;
        self.body.end(Term::Stop, origin);
        Ok(Flow::Over)
    }

    /// Ends the block with a cut.
    pub fn cut(&mut self, kind: CutKind, loc: Loc, origin: Origin) {
        let cut = Cut { kind, loc };
        let number = self.cuts.iter().position(|c| *c == cut).unwrap_or_else(|| {
            self.cuts.push(cut);
            self.cuts.len() - 1
        });
        self.body.end(Term::Cut(number), origin);
    }

    pub fn origin(&self, activation: &Activation, block: BlockId, index: usize, loc: Loc) -> Origin {
        let is_user = self.program.functions[activation.function].origin == selvedge_program::Origin::User;
        let user = if is_user { loc } else { activation.user.unwrap_or(loc) };
        Origin { function: activation.function, block, index: index as u32, user }
    }

    pub fn shape(&mut self, function: FuncId) -> Rc<Shape> {
        let program = self.program;
        self.shapes[function].get_or_insert_with(|| Shape::of(&program.functions[function])).clone()
    }
}

pub(crate) fn bits(operand: Operand) -> Option<u128> {
    match operand {
        Operand::Const { bits, .. } => Some(bits),
        _ => None,
    }
}
