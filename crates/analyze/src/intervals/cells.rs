//! Memory, cut into cells: the bytes that accesses touch, each with its number.
//!
//! Cells may overlap (unions, copies of single bytes): a write to one of them makes the others unknown.
//! Cells at places known in advance are created at the start; for arrays that are indexed, all elements as wide as the
//! access. Others are created when they are first met; earlier writes to their bytes are then not known.

use crate::interference::{Interference, Touched};
use crate::places::Offset;
use crate::points_to::PointsTo;
use crate::range::Range;
use hashbrown::{HashMap, HashSet};
use selvedge_bound::{Bounded, ObjectKind, StepOp};
use selvedge_program::{EntityRef, GlobalId, Op, Operand};
use std::collections::BTreeMap;

/// Values of cells that are known from elsewhere.
pub type Known<'a> = Box<dyn Fn(GlobalId, u64, u32) -> Option<Range> + 'a>;

pub(super) struct Cell {
    pub object: GlobalId,
    pub at: i64,
    pub bytes: u32,
    /// The value before the program begins. `None` if the object does not exist yet.
    pub initial: Option<Range>,
    /// Whether only one thread ever touches it.
    pub own: bool,
    pub overlapping: Vec<usize>,
    /// The values known from elsewhere.
    pub limit: Option<Range>,
}

pub(super) struct Cells<'a> {
    bounded: &'a Bounded<'a>,
    own: Vec<bool>,
    pub all: Vec<Cell>,
    numbers: HashMap<(GlobalId, i64, u32), usize>,
    by_object: Vec<BTreeMap<(i64, u32), usize>>,
    /// For each object, whether bytes of it were written other than cell by cell.
    blurred: Vec<bool>,
    known: Known<'a>,
}

/// The most elements of an array that are created at the start.
const MOST_ELEMENTS: u64 = 256;
const WIDEST: i64 = 16;

impl<'a> Cells<'a> {
    pub fn new(
        bounded: &'a Bounded<'a>,
        points_to: &PointsTo,
        interference: &Interference,
        known: Known<'a>,
    ) -> Cells<'a> {
        let is_own = |object| matches!(interference.touched_by(object), Touched::Only(_));
        let mut cells = Cells {
            bounded,
            own: bounded.objects.keys().map(is_own).collect(),
            all: Vec::new(),
            numbers: HashMap::new(),
            by_object: vec![BTreeMap::new(); bounded.objects.len()],
            blurred: vec![false; bounded.objects.len()],
            known,
        };
        let mut prepared = HashSet::new();
        for (number, thread) in bounded.threads.iter().enumerate() {
            for step in thread.blocks.values().flat_map(|block| &block.steps) {
                let StepOp::Plain(op) = &step.op else { continue };
                if let Some((addr, bytes)) = cells.accessed(number, op) {
                    for place in &points_to.of(number, addr).places {
                        if prepared.insert((place.object, place.offset, bytes)) {
                            cells.prepare(place.object, place.offset, bytes);
                        }
                    }
                }
            }
        }
        cells
    }

    fn accessed(&self, thread: usize, op: &Op) -> Option<(Operand, u32)> {
        let model = self.bounded.program.data_model;
        let regs = &self.bounded.threads[thread].regs;
        Some(match op {
            Op::Load { dst, addr, .. } | Op::Rmw { dst, addr, .. } => (*addr, regs[*dst].ty.bytes(model)),
            Op::CmpXchg { old, addr, .. } => (*addr, regs[*old].ty.bytes(model)),
            Op::Store { ty, addr, .. } => (*addr, ty.bytes(model)),
            _ => return None,
        })
    }

    fn prepare(&mut self, object: GlobalId, offset: Offset, bytes: u32) {
        match offset {
            Offset::At(at) => self.make(object, at, bytes, true),
            Offset::Any if self.bounded.objects[object].size / u64::from(bytes) <= MOST_ELEMENTS => {
                let last = self.bounded.objects[object].size / u64::from(bytes);
                (0..last as i64).for_each(|element| self.make(object, element * i64::from(bytes), bytes, true));
            }
            Offset::Any => {}
        }
    }

    /// Creates a cell at a place within the object.
    fn make(&mut self, object: GlobalId, at: i64, bytes: u32, at_start: bool) {
        let size = i64::try_from(self.bounded.objects[object].size).unwrap_or(i64::MAX);
        if at < 0 || at + i64::from(bytes) > size || self.numbers.contains_key(&(object, at, bytes)) {
            return;
        }
        let number = self.all.len();
        let overlapping = self.within(object, at, at + i64::from(bytes));
        overlapping.iter().for_each(|other| self.all[*other].overlapping.push(number));
        let initial = match self.initial(object, at, bytes) {
            _ if !at_start && (self.blurred[object.index()] || !overlapping.is_empty()) => Some(Range::any(8 * bytes)),
            None if !at_start => Some(Range::any(8 * bytes)),
            initial => initial,
        };
        let limit = (self.known)(object, at as u64, bytes).filter(|range| range.width() == 8 * bytes);
        let own = self.own[object.index()];
        self.all.push(Cell { object, at, bytes, initial, own, overlapping, limit });
        self.numbers.insert((object, at, bytes), number);
        self.by_object[object.index()].insert((at, bytes), number);
    }

    pub fn find(&self, object: GlobalId, at: i64, bytes: u32) -> Option<usize> {
        self.numbers.get(&(object, at, bytes)).copied()
    }

    /// The cell at a place; `None` outside of the object.
    pub fn at(&mut self, object: GlobalId, at: i64, bytes: u32) -> Option<usize> {
        self.make(object, at, bytes, false);
        self.find(object, at, bytes)
    }

    /// Cells that touch these bytes.
    pub fn within(&self, object: GlobalId, from: i64, to: i64) -> Vec<usize> {
        let near = self.by_object[object.index()].range((from - WIDEST, 0)..(to, 0));
        near.filter(|((at, bytes), _)| at + i64::from(*bytes) > from).map(|(_, number)| *number).collect()
    }

    /// The value of a variable before the program begins.
    pub fn declared(&self, cell: usize) -> Option<Range> {
        let Cell { object, initial, .. } = self.all[cell];
        let kind = self.bounded.objects[object].kind;
        initial.filter(|_| matches!(kind, ObjectKind::Global | ObjectKind::ThreadLocal { .. }))
    }

    /// All cells of an object.
    pub fn of(&self, object: GlobalId) -> Vec<usize> {
        self.by_object[object.index()].values().copied().collect()
    }

    pub fn blur(&mut self, object: GlobalId) {
        self.blurred[object.index()] = true;
    }

    fn initial(&self, object: GlobalId, at: i64, bytes: u32) -> Option<Range> {
        let source = match self.bounded.objects[object].kind {
            ObjectKind::Global => object,
            ObjectKind::ThreadLocal { of, .. } => of,
            ObjectKind::Stack | ObjectKind::Heap => return None,
        };
        let global = &self.bounded.program.globals[source];
        let (from, to) = (at as u64, at as u64 + u64::from(bytes));
        if bytes > 8 || global.relocations.iter().any(|r| r.at < to && from < r.at + u64::from(r.bytes)) {
            return Some(Range::any(8 * bytes));
        }
        let byte = |at: u64| usize::try_from(at).ok().and_then(|at| global.init.get(at)).copied().unwrap_or(0);
        let bits = (from..to).rev().fold(0, |bits, at| bits << 8 | u128::from(byte(at)));
        Some(Range::exactly(8 * bytes, bits))
    }
}
