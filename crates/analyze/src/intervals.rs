//! Intervals: the values that every step may read, compute and store in K rounds.
//!
//! Lazy-CSeq 2.0 (Inverso, Nguyen, Fischer, La Torre, Parlato; SV-COMP) runs Frama-C's Eva over the sequentialized
//! program, and gives every variable just the bits that its interval needs. This is that analysis, on the bounded
//! program itself: an abstract interpretation of all round-robin schedules.
//!
//! Shared memory has a state between turns. In its turn a thread is walked from its first step to its last: at a switch
//! point the incoming state is joined with the state at the beginning of the turn, since the thread may have waited
//! there; and the incoming state becomes visible to other threads, since the thread may stop there. So does everything
//! that it writes outside of a section, since a thread may end anywhere. Registers, and objects that only one thread
//! touches, flow as in a sequential program.
//!
//! The state between turns only grows, so a walk covers all earlier ones: its result for a step holds in whatever round
//! the step ran. The exception is the part of main before its first point: it runs once, before everything else, and
//! later walks begin where it ended. A thread that may be created later in the run is walked as soon as it may have
//! been created.
//!
//! Stores that arrive later than they are made (TSO, PSO): a store is shown in the turn in which it is made, and what
//! was shown is never taken back, so whoever sees it arrive later expects it. What a cell held before is shown as well,
//! also that of a new object, whose address may arrive before its first values. The thread itself sees
//! its newest store to a cell as long as nobody else changes the cell, whether it has arrived or not.
//!
//! There are no loops, so a walk ends. After [`EXACT`] rounds, values that still grow are given up; a round in which
//! nothing changes is the last one.
//!
//! | module | |
//! |---|---|
//! | `value`, `cells` | abstract values; memory, cut into cells |
//! | `code` | a thread's copies and definitions |
//! | `walk` | the walk through a thread, once a turn |
//! | `steps`, `memory` | the effects of steps |
//! | `conditions` | refinement by a condition that holds |
//! | `counters` | bounds of `x++` |

mod cells;
mod code;
mod conditions;
mod counters;
mod memory;
mod steps;
mod value;
mod walk;

use crate::interference::Interference;
use crate::points::{self, Points};
use crate::points_to::PointsTo;
use crate::range::Range;
use cells::Cells;
pub use cells::Known;
use code::Code;
use counters::Counter;
use selvedge_bound::{BlockId, Bounded};
use selvedge_program::{EntityRef, GlobalId, Reg};
use std::collections::BTreeMap;
use value::Value;
use walk::{Here, Saved};

/// The number of rounds after which values that still grow may be anything.
pub const EXACT: u32 = 8;
/// The amount of work after which everything may be anything: the analysis must not cost more than it saves.
const MOST_WORK: u64 = 40_000_000;

/// The result of the analysis.
#[derive(Default)]
pub struct Intervals {
    /// By thread, then position.
    results: Vec<Vec<Option<Range>>>,
    stored: Vec<Vec<Option<Range>>>,
    /// By thread, then register.
    registers: Vec<Vec<Option<Range>>>,
    widths: Vec<Vec<u32>>,
    /// For each thread and block its first position.
    starts: Vec<Vec<u32>>,
    cells: BTreeMap<(GlobalId, u64, u32), Range>,
    /// Whether the analysis was given up, because it would have been too much work.
    unknown: bool,
}

impl Intervals {
    /// Analyses all schedules of a number of rounds.
    pub fn new(
        bounded: &Bounded<'_>,
        points_to: &PointsTo,
        interference: &Interference,
        points: &[Points],
        rounds: u32,
    ) -> Intervals {
        Intervals::with_cells(bounded, points_to, interference, points, rounds, |_, _, _| None)
    }

    /// Like [`Intervals::new`], with the values that cells (object, offset, number of bytes) may hold known from
    /// elsewhere.
    pub fn with_cells(
        bounded: &Bounded<'_>,
        points_to: &PointsTo,
        interference: &Interference,
        points: &[Points],
        rounds: u32,
        known: impl Fn(GlobalId, u64, u32) -> Option<Range>,
    ) -> Intervals {
        let mut all = Rounds::with_cells(bounded, points_to, interference, points, Box::new(known));
        all.begin();
        for _ in 0..rounds {
            all.round();
            if all.stable {
                break;
            }
        }
        all.facts
    }

    fn position(&self, thread: usize, block: BlockId, step: usize) -> usize {
        self.starts[thread][block.index()] as usize + step
    }

    /// The first result of a step, in whatever round it runs. `None` if it has no result, never runs, or nothing is
    /// known.
    pub fn result(&self, thread: usize, block: BlockId, step: usize) -> Option<Range> {
        self.results.get(thread)?[self.position(thread, block, step)].filter(|_| !self.unknown)
    }

    /// The value that the step writes to memory, if it writes a single one.
    pub fn stored(&self, thread: usize, block: BlockId, step: usize) -> Option<Range> {
        self.stored.get(thread)?[self.position(thread, block, step)].filter(|_| !self.unknown)
    }

    /// The values that the register may hold, by any of its assignments.
    pub fn register(&self, thread: usize, reg: Reg) -> Range {
        let known = self.registers[thread][reg.index()].filter(|_| !self.unknown);
        known.unwrap_or(Range::any(self.widths[thread][reg.index()]))
    }

    /// The values that a load of these bytes may give.
    pub fn cell(&self, object: GlobalId, offset: u64, bytes: u32) -> Range {
        let known = self.cells.get(&(object, offset, bytes)).copied().filter(|_| !self.unknown);
        known.unwrap_or(Range::any(8 * bytes))
    }

    /// All cells that are accessed: object, offset, bytes, and the values that they may hold.
    pub fn cells(&self) -> impl Iterator<Item = (GlobalId, u64, u32, Range)> {
        let known = |range: Range, bytes: u32| if self.unknown { Range::any(8 * bytes) } else { range };
        self.cells.iter().map(move |((object, at, bytes), range)| (*object, *at, *bytes, known(*range, *bytes)))
    }
}

/// The analysis, turn by turn: after each turn the results so far can be used.
pub struct Rounds<'a> {
    bounded: &'a Bounded<'a>,
    points_to: &'a PointsTo,
    interference: &'a Interference,
    points: &'a [Points],
    order: Vec<usize>,
    code: Vec<Code>,
    cells: Cells<'a>,
    counters: Vec<Counter>,
    /// For each cell its values between turns. `None` if the object does not exist yet.
    shared: Vec<Option<Range>>,
    /// For each thread its arguments. `None` if it has not been created.
    args: Vec<Option<Vec<Value>>>,
    /// For each point of main the state in which main reaches it for the first time.
    saved: BTreeMap<usize, Saved>,
    /// Cells that other threads may find changed after this turn. `None` if nothing of main's first turn is visible
    /// yet.
    shown: Option<BTreeMap<usize, Range>>,
    beginning: bool,
    round: u32,
    changed: bool,
    /// Whether nothing changes any more.
    stable: bool,
    work: u64,
    here: Here,
    pub facts: Intervals,
}

impl<'a> Rounds<'a> {
    pub fn new(
        bounded: &'a Bounded<'a>,
        points_to: &'a PointsTo,
        interference: &'a Interference,
        points: &'a [Points],
    ) -> Rounds<'a> {
        Rounds::with_cells(bounded, points_to, interference, points, Box::new(|_, _, _| None))
    }

    pub fn with_cells(
        bounded: &'a Bounded<'a>,
        points_to: &'a PointsTo,
        interference: &'a Interference,
        points: &'a [Points],
        known: Known<'a>,
    ) -> Rounds<'a> {
        let code: Vec<Code> = bounded.threads.iter().map(Code::new).collect();
        let model = bounded.program.data_model;
        let positions = || code.iter().map(|code| vec![None; code.positions()]).collect();
        let starts = bounded.threads.iter().zip(&code);
        let facts = Intervals {
            results: positions(),
            stored: positions(),
            registers: bounded.threads.iter().map(|thread| vec![None; thread.regs.len()]).collect(),
            widths: bounded.threads.iter().map(|t| t.regs.values().map(|reg| reg.ty.bits(model)).collect()).collect(),
            starts: starts.map(|(t, code)| t.blocks.keys().map(|block| code.position(block, 0)).collect()).collect(),
            cells: BTreeMap::new(),
            unknown: false,
        };
        let mut args = vec![None; bounded.threads.len()];
        args[0] = Some(Vec::new());
        let mut rounds = Rounds {
            bounded,
            points_to,
            interference,
            points,
            order: points::turns(bounded),
            code,
            cells: Cells::new(bounded, points_to, interference, known),
            counters: Vec::new(),
            shared: Vec::new(),
            args,
            saved: BTreeMap::new(),
            shown: None,
            beginning: false,
            round: 0,
            changed: false,
            stable: false,
            work: 0,
            here: Here::default(),
            facts,
        };
        rounds.keep_up();
        rounds
    }

    /// Main's first turn.
    pub fn begin(&mut self) {
        self.beginning = true;
        self.shown = None;
        self.walk(0);
        for (cell, range) in self.shown.take().unwrap_or_default() {
            self.shared[cell] = Some(range);
        }
        self.beginning = false;
    }

    /// All turns of a round, main's last.
    pub fn round(&mut self) {
        self.begin_round();
        for thread in self.order.clone() {
            self.turn(thread);
        }
    }

    /// To be called at the beginning of a round if turns are taken one by one.
    pub fn begin_round(&mut self) {
        self.stable |= self.round > 0 && !self.changed;
        self.changed = false;
        self.round += 1;
    }

    pub fn turn(&mut self, thread: usize) {
        for (cell, range) in self.look_at(thread) {
            let before = self.shared[cell];
            let after = before.map_or(range, |before| before.join(range));
            if before != Some(after) {
                self.changed = true;
                let given_up = Range::any(after.width());
                self.shared[cell] = Some(if self.round > EXACT { given_up } else { after });
            }
        }
    }

    /// Analyses a turn of the thread without keeping its effects on memory.
    pub fn probe(&mut self, thread: usize) {
        self.look_at(thread);
    }

    fn look_at(&mut self, thread: usize) -> BTreeMap<usize, Range> {
        if self.stable || self.args[thread].is_none() {
            return BTreeMap::new();
        }
        self.shown = Some(BTreeMap::new());
        self.walk(thread);
        if self.work > MOST_WORK {
            self.stable = true;
            self.facts.unknown = true;
        }
        self.shown.take().unwrap_or_default()
    }

    /// Gives new cells their initial values.
    fn keep_up(&mut self) {
        for cell in &self.cells.all[self.shared.len()..] {
            self.shared.push(cell.initial);
            let mut counter = Counter::default();
            cell.initial.into_iter().for_each(|range| counter.fresh(range));
            self.counters.push(counter);
        }
    }
}
