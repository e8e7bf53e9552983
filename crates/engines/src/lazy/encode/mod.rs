//! Lazy sequentialization, straight into a formula.
//!
//! Inverso et al. (CAV 2014) simulate all round-robin schedules of K rounds by a sequential program
//! that runs every thread once a round, from where it stopped to a guessed place. We execute that
//! program symbolically without ever writing it down: round by round, thread by thread, step by step.
//!
//! Two deviations. The guess is order-encoded (`turns.rs`), so there are no program counters and no
//! comparisons. And a thread's values are functions of the schedule: a step's result is what it reads in
//! the one round in which it runs, and the thread is walked through again in every round. What does not
//! depend on a shared load is then the same term in every round, and costs nothing the second time; so
//! do the objects that only one thread ever touches, which each walk fills anew.
//!
//! A thread may stop anywhere, so a violation needs nothing behind it; what the formula does with a
//! run after its first violation does not matter.
//!
//! | module | what it does |
//! |---|---|
//! | `turns` | where threads stop |
//! | `canonical` | which schedules are worth a look |
//! | `steps` | what a step does |
//! | `arithmetic`, `floats` | what operations on values mean |
//! | `access`, `blocks` | loads and stores; whole blocks of memory |
//! | `memory`, `pointers` | objects and addresses |
//! | `known` | what a step need not ask, because it runs |
//! | `checks` | what may go wrong, and what is left out |
//! | `deadlock` | can anybody go on? |
//! | `ranges` | values that need fewer bits than their types |
//! | `segment`, `forks`, `footprint` | one thread by itself, and what it touched: for the tree of all interleavings |

mod address;
mod arithmetic;
mod blocks;
mod canonical;
mod checks;
mod deadlock;
mod floats;
mod footprint;
mod forks;
mod forwarding;
mod memory;
mod pointers;
mod ranges;
mod segment;
mod steps;
mod turns;
mod walk;

use super::dependence::Dependence;
use canonical::Turn;
pub use checks::{Check, Obstacle};
use deadlock::{Needs, Said};
pub use footprint::Footprint;
use forwarding::{Known, Passed, Span};
use hashbrown::HashMap;
pub use memory::Garbage;
use memory::Memory;
use pointers::{Pointers, ValueSets};
pub use ranges::BitCount;
use segment::Single;
pub use segment::{Passage, Run, Stand, Ways};
use selvedge_analyze::Facts;
use selvedge_analyze::intervals::Rounds;
use selvedge_analyze::liveness::live_in;
use selvedge_analyze::points::{Inside, Points};
use selvedge_analyze::{PointsTo, Touched};
use selvedge_bound::{BlockId, Bounded, Origin, StepOp};
use selvedge_formula::{Term, Terms};
use selvedge_program::{EntityRef, GlobalId, Operand, Properties, Reg, Ty};
use std::collections::BTreeMap;
use turns::Choice;

/// What happens, in the order in which it happens.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A step of a schedule.
    Step,
    Spawn {
        thread: usize,
    },
    Input {
        value: Term,
    },
    /// An object begins to exist, in this window of the address space.
    Create {
        object: GlobalId,
        window: u64,
    },
    /// A number of [`Encoder::checks`].
    Check(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub thread: usize,
    /// Does it happen?
    pub when: Term,
    pub what: What,
}

impl Record {
    /// The input that it is about.
    pub fn input(&self) -> Option<Term> {
        match self.what {
            What::Input { value } => Some(value),
            _ => None,
        }
    }
}

struct ThreadState<'b> {
    points: &'b Points,
    live_in: Vec<Vec<Reg>>,
    /// Objects that only this thread ever touches.
    own: Vec<GlobalId>,
    created: Term,
    finished: Term,
    /// It waits for ever, whatever the others do.
    stuck: Term,
    /// Whom it waits for then.
    stuck_for: Vec<Needs>,
    args: Vec<Term>,
    /// By point: passed by the end of the last round.
    done: Vec<Term>,
    /// By point: may the thread be interrupted here?
    allow: Vec<Term>,
    /// By block and step: what the step gave in the round in which it ran.
    results: HashMap<(BlockId, u32), Vec<Term>>,
}

/// Is a turn part of the run, or do we only ask whether it is possible?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Run,
    Probe,
}

/// Where the walk is.
struct Here {
    thread: usize,
    block: BlockId,
    step: usize,
    origin: Origin,
    inside: Inside,
    /// The way here is the one taken. The same in all rounds, but for what loads gave.
    guard: Term,
    /// What is here is executed in this turn.
    active: Term,
    /// The decision that led here is taken in this turn.
    decided: Term,
    /// The section that we are in, by its record.
    section: Option<usize>,
    /// The segments that we may be in, if this is a turn of a schedule.
    span: Option<Span>,
    registers: Vec<Term>,
}

/// A way into a block.
#[derive(Clone)]
struct Way {
    guard: Term,
    active: Term,
    decided: Term,
    section: Option<usize>,
    span: Option<Span>,
    /// Of the registers that are live in the block, in order.
    registers: Vec<Term>,
}

/// The ways into blocks that the walk has not come to yet.
type Coming = BTreeMap<BlockId, Vec<Way>>;

pub struct Encoder<'b> {
    bounded: &'b Bounded<'b>,
    properties: Properties,
    pub terms: Terms,
    pointers: Pointers,
    memory: Memory<'b>,
    facts: &'b PointsTo,
    /// What values may be, as far as the encoding has got; none if that is not wanted.
    ranges: Option<Rounds<'b>>,
    pub bits: BitCount,
    value_sets: ValueSets,
    low_bits: HashMap<Term, (u32, u128)>,
    /// Steps that ended their thread silently.
    failed: HashMap<(usize, BlockId, u32), Term>,
    /// By object: is there only one thread that ever touches it?
    is_own: Vec<bool>,
    threads: Vec<ThreadState<'b>>,
    /// In which threads take their turns.
    order: Vec<usize>,
    exited: Term,
    /// Has something gone wrong in this turn?
    violated: Term,
    pub rounds: u32,
    /// All turns so far, in order, with the threads that had them.
    history: Vec<(usize, Turn)>,
    turns_in_round: usize,
    dependence: Dependence,
    /// Leave out runs that are equivalent to others.
    pub canonical: bool,
    /// How many rounds there will be, as far as we know.
    pub planned: u32,
    /// Turns that are given: how many of its points the thread has passed after it.
    pub given: HashMap<(u32, usize), usize>,
    /// The variables that make a schedule.
    pub choices: Vec<Choice>,
    passed: HashMap<Term, Passed>,
    known: Known,
    /// All of them hold in every run.
    pub constraints: Vec<Term>,
    pub checks: Vec<Check>,
    pub log: Vec<Record>,
    pub obstacles: Vec<Obstacle>,
    /// Where a thread goes no further because of what is left out, or it cannot be told whether threads wait for ever.
    pub doubts: Vec<Obstacle>,
    /// Reaching a place where a bound bit.
    pub cuts: Vec<Term>,
    /// The same inside a section.
    pub section_cuts: Vec<Term>,
    /// Reaching a step at which something is checked, and found to be fine at once.
    pub settled: Vec<Term>,
    /// Does somebody want us to stop?
    stop: &'b dyn Fn() -> bool,
    pub stopped: bool,
    /// Threads are walked by themselves.
    single: Option<Single>,
    mode: Mode,
    /// Of a probe: the thread cannot complete its next section.
    waiting: Term,
    /// Of a probe: there is no telling whether it can, nor whom it waits for.
    unknown_wait: Term,
    /// Of a probe: whom it waits for then.
    waits_for: Vec<Needs>,
    /// What sections have said of whom they wait for, until they do or do not.
    said: Vec<Said>,
    /// Of a probe: where it could not be told.
    probe_doubts: Vec<Obstacle>,
    /// Of a probe: what sections were given as inputs, and which.
    asked: Vec<(Option<usize>, Term)>,
    here: Here,
}

impl<'b> Encoder<'b> {
    /// `None`: an object is too large for our pointers.
    pub fn new(facts: &'b Facts<'b>, ranges: Option<Rounds<'b>>, stop: &'b dyn Fn() -> bool) -> Option<Encoder<'b>> {
        let bounded = facts.bounded;
        let pointers = Pointers::new(bounded)?;
        let mut terms = Terms::new();
        let mut own = vec![Vec::new(); bounded.threads.len()];
        let mut is_own = vec![false; bounded.objects.len()];
        for object in bounded.objects.keys() {
            if let Touched::Only(thread) = facts.interference.touched_by(object) {
                own[thread].push(object);
                is_own[object.index()] = true;
            }
        }
        let mut threads = Vec::new();
        for (number, (thread, (points, own))) in bounded.threads.iter().zip(facts.points.iter().zip(own)).enumerate() {
            let allow = (0..points.count).map(|point| terms.variable(1, format!("allow {number} at {point}")));
            threads.push(ThreadState {
                live_in: live_in(thread),
                own,
                created: if number == 0 { Terms::TRUE } else { Terms::FALSE },
                finished: Terms::FALSE,
                stuck: Terms::FALSE,
                stuck_for: Vec::new(),
                args: Vec::new(),
                done: vec![Terms::FALSE; points.count],
                allow: allow.collect(),
                results: HashMap::new(),
                points,
            });
        }
        let memory = Memory::new(&mut terms, bounded, pointers.clone());
        let origin = bounded.threads.first()?.blocks.values().next()?.origin;
        Some(Encoder {
            bounded,
            properties: facts.properties,
            pointers,
            memory,
            facts: &facts.points_to,
            ranges,
            bits: BitCount::default(),
            value_sets: ValueSets::default(),
            low_bits: HashMap::new(),
            failed: HashMap::new(),
            is_own,
            threads,
            order: facts.turns.clone(),
            exited: Terms::FALSE,
            violated: Terms::FALSE,
            rounds: 0,
            history: Vec::new(),
            turns_in_round: 0,
            dependence: Dependence::new(bounded, &facts.points, &facts.interference),
            canonical: true,
            planned: 1,
            given: HashMap::new(),
            choices: Vec::new(),
            passed: HashMap::new(),
            known: Known::default(),
            constraints: Vec::new(),
            checks: Vec::new(),
            log: Vec::new(),
            obstacles: Vec::new(),
            doubts: Vec::new(),
            cuts: Vec::new(),
            section_cuts: Vec::new(),
            settled: Vec::new(),
            stop,
            stopped: false,
            single: None,
            mode: Mode::Run,
            waiting: Terms::FALSE,
            unknown_wait: Terms::FALSE,
            waits_for: Vec::new(),
            said: Vec::new(),
            probe_doubts: Vec::new(),
            asked: Vec::new(),
            here: Here {
                thread: 0,
                block: BlockId::new(0),
                step: 0,
                origin,
                inside: Inside::Nothing,
                guard: Terms::TRUE,
                active: Terms::FALSE,
                decided: Terms::FALSE,
                section: None,
                span: None,
                registers: Vec::new(),
            },
            terms,
        })
    }

    /// What the uninitialised bytes of objects hold.
    pub fn garbage(&self) -> &[Garbage] {
        self.memory.garbage()
    }

    /// By thread and point: may the thread be interrupted here? Free, for whoever wants to restrict it.
    pub fn allow(&self) -> impl Iterator<Item = &[Term]> {
        self.threads.iter().map(|thread| thread.allow.as_slice())
    }

    /// Says of every point, for good and before anything is encoded, whether it may be: formulas get smaller.
    pub fn restrict(&mut self, allowed: &[Vec<bool>]) {
        for (thread, allowed) in self.threads.iter_mut().zip(allowed) {
            let constant = |allowed: &bool| if *allowed { Terms::TRUE } else { Terms::FALSE };
            thread.allow = allowed.iter().map(constant).collect();
        }
    }

    /// Does somebody want us to stop?
    pub fn is_over(&self) -> bool {
        (self.stop)()
    }

    /// What main does before anybody else does something.
    pub fn begin(&mut self) {
        self.ranges.iter_mut().for_each(Rounds::begin);
        self.create_thread_locals(0, Terms::TRUE);
        self.turn(0);
    }

    /// One more round: every thread once, main last.
    pub fn round(&mut self) {
        self.rounds += 1;
        let before = self.history.len();
        self.ranges.iter_mut().for_each(Rounds::begin_round);
        for thread in self.order.clone() {
            self.ranges.iter_mut().for_each(|ranges| ranges.turn(thread));
            if self.threads[thread].created != Terms::FALSE {
                self.turn(thread);
            }
        }
        self.turns_in_round = self.history.len() - before;
    }

    // Registers and operands.

    fn set(&mut self, reg: Reg, value: Term) {
        debug_assert_eq!(self.terms.bits(value), self.reg_bits(reg), "the width of {reg}");
        self.here.registers[reg.index()] = value;
    }

    fn reg_type(&self, reg: Reg) -> Ty {
        self.bounded.threads[self.here.thread].regs[reg].ty
    }

    fn reg_bits(&self, reg: Reg) -> u32 {
        self.reg_type(reg).bits(self.bounded.program.data_model)
    }

    fn operand_type(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.reg_type(reg),
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    fn value(&mut self, operand: Operand) -> Term {
        match operand {
            Operand::Reg(reg) => self.here.registers[reg.index()],
            operand => {
                let bits = self.operand_type(operand).bits(self.bounded.program.data_model);
                self.terms.constant(bits, self.pointers.address(operand).unwrap_or(0))
            }
        }
    }

    fn record(&mut self, what: What) {
        if self.here.active != Terms::FALSE && self.mode == Mode::Run {
            self.log.push(Record { thread: self.here.thread, when: self.here.active, what });
        }
    }

    fn is_own(&self, object: GlobalId) -> bool {
        self.is_own[object.index()]
    }

    /// When a change of the object happens: an own one is filled anew by every walk.
    fn change(&mut self, object: GlobalId, condition: Term) -> Term {
        let when = if self.is_own(object) { self.here.guard } else { self.here.active };
        self.terms.and(when, condition)
    }
}

/// Does the step count in a schedule, outside of sections?
fn counts(op: &StepOp) -> bool {
    match op {
        StepOp::Plain(op) => op.is_step(),
        StepOp::Create { .. } => false,
        StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => true,
    }
}
