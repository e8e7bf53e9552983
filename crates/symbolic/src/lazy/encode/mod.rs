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
//! [`RoundEncoder`] encodes rounds; [`SegmentEncoder`] encodes one segment at a time, for engines that choose schedules
//! themselves. Both have an [`Encoder`], and execute steps in a [`walk::Walk`] of one of three modes: a turn in a
//! round, a segment, a probe for waiting.
//!
//! A thread may be interrupted at its *points*. A *segment* is what it does from one point to the next, a *turn* is all
//! that it does in one *round*. A *section* is atomic: it has no points inside. A *walk* goes through the code of a
//! thread, also where nothing is executed.
//!
//! | part | modules | what it does |
//! |---|---|---|
//! | schedule | `rounds`, `turns` | rounds, and where threads stop in them |
//! | | `canonical` | one run of all that are equivalent |
//! | | `segment`, `forks`, `footprint` | one segment by itself, and what it touched |
//! | steps | `walk`, `steps` | the way through a thread, and what each step does |
//! | | `load`, `forwarding` | what a load gives |
//! | | `store`, `blocks` | what a store changes; whole blocks of memory |
//! | | `store_buffer` | stores that reach memory later than they are made |
//! | | `arithmetic`, `floats`, `ranges` | what operations on values mean, and how many bits they need |
//! | | `checks` | what may go wrong, what a run may not do, and what is left out |
//! | memory | `memory` | objects as cells, and their versions |
//! | | `pointers`, `value_sets`, `address` | addresses, and the cells that they may mean |
//! | probing | `probe`, `deadlock` | does a thread wait where it stands, and does it do so for ever? |
//! | | `races` | do two threads race where they stand? |
//! | record | `record`, `process` | what was encoded; what has become of threads |

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
mod load;
mod memory;
mod pointers;
mod probe;
mod process;
mod races;
mod ranges;
mod record;
mod rounds;
mod segment;
mod steps;
mod store;
mod store_buffer;
mod turns;
mod value_sets;
mod walk;

pub use footprint::Footprint;
pub use memory::Uninitialised;
pub use record::{Check, Extent, Record};
pub use rounds::RoundEncoder;
pub use segment::{Execution, SegmentEncoder, Stand, State, Ways};
pub use store_buffer::{StoreId, capacity_limit};

use hashbrown::HashMap;
use load::Kept;
use memory::Memory;
use process::Process;
use ranges::Ranges;
use selvedge_analyze::Facts;
use selvedge_analyze::intervals::Rounds;
use selvedge_analyze::liveness::live_in;
use selvedge_formula::{Term, Terms};
use selvedge_program::Reg;
use store_buffer::Buffers;
use walk::StepId;

/// The part that does not depend on how the schedule is chosen.
pub struct Encoder<'b> {
    pub(crate) facts: &'b Facts<'b>,
    pub terms: Terms,
    memory: Memory<'b>,
    process: Process,
    /// None if no step runs in more than one walk.
    kept: Option<Kept>,
    /// By step that asks for an input: the input.
    inputs: HashMap<StepId, Term>,
    ranges: Ranges<'b>,
    pub record: Record,
    buffers: Buffers,
    /// By thread and block: the registers that are live there.
    live_in: Vec<Vec<Vec<Reg>>>,
    interrupt: Interrupt<'b>,
}

impl<'b> Encoder<'b> {
    /// `None`: an object is too large for our pointers.
    fn new(
        facts: &'b Facts<'b>,
        mut terms: Terms,
        kept: Option<Kept>,
        ranges: Option<Rounds<'b>>,
        capacity: Option<u32>,
        stop: &'b dyn Fn() -> bool,
    ) -> Option<Encoder<'b>> {
        Some(Encoder {
            facts,
            memory: Memory::new(&mut terms, facts)?,
            terms,
            process: Process::new(facts.bounded.threads.len()),
            kept,
            inputs: HashMap::new(),
            ranges: Ranges::new(ranges),
            record: Record::default(),
            buffers: Buffers::new(facts, capacity),
            live_in: facts.bounded.threads.iter().map(live_in).collect(),
            interrupt: Interrupt { stop, stopped: false },
        })
    }

    pub fn uninitialised(&self) -> &[Uninitialised] {
        self.memory.uninitialised()
    }

    /// Is it time to stop?
    pub fn is_over(&self) -> bool {
        (self.interrupt.stop)()
    }

    /// Has it stopped? A formula that was left unfinished says nothing.
    pub fn is_unfinished(&self) -> bool {
        self.interrupt.stopped
    }
}

/// Is it time to stop, and was that noticed?
struct Interrupt<'b> {
    stop: &'b dyn Fn() -> bool,
    stopped: bool,
}

impl Interrupt<'_> {
    /// Stops if it is time. Does not ask every time.
    fn is_over(&mut self, ask: bool) -> bool {
        self.stopped |= ask && (self.stop)();
        self.stopped
    }
}
