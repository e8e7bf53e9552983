//! Data races in a state: two threads that are both about to make accesses that race ([`selvedge_program::races`]).
//!
//! The next step of most threads can be read off: they stand before an access, whose address is in a register. If a
//! thread stands before an atomic section, or somewhere else (at its beginning, or in a loop that touches nothing
//! shared), its step is run, with all its choices, to see what it touches; and put back. A section's accesses are
//! atomic, so it is run only if somebody else is about to make a plain one. All that a section touches counts, whether
//! it comes to its end or waits: nobody else moves in the meantime.
//!
//! # Nothing is hidden by reductions
//!
//! A search visits states in which every thread stands before a step that others can notice ([`crate::sharing`]). An
//! access that it merges into the step before is to a place that one thread only touches, or all only read, or all
//! under a common lock, or in atomic sections, or while nobody else is there. In no state are two threads about to make
//! conflicting accesses of these kinds, save two atomic ones. So racing accesses are steps of their own, and whenever
//! both are next, both threads have been moved to just before them, or stand at something invisible before them, which
//! is run. Sleep sets and equal threads keep all states, up to who is who. Supersteps do not: with them races are not
//! looked for.

mod report;

use crate::choices::Choices;
use crate::code::{Code, Ins};
use crate::expand::{Expander, Stop, members};
use crate::footprint::Access;
use crate::frames::user_pc;
use crate::layout::Static;
use crate::machine::Machine;
use crate::memory::{self, Spot};
use crate::oracle::Oracle;
use crate::replay::Replayer;
use crate::state::State;
use selvedge_program::{
    AccessSize, Accesses, DataAccess, GlobalId, Intrinsic, Loc, Op, Operand, Origin, Property, Violation,
};

/// An access that a thread is about to make.
#[derive(Clone, Debug)]
pub struct Pending {
    pub thread: usize,
    pub access: DataAccess,
    pub(crate) spot: Spot,
    pub(crate) bytes: usize,
    /// All that it touches: more than its bytes, if the object dies.
    footprint: Access,
    /// Its instruction, and the one of the user's code that it belongs to.
    pub(crate) pc: u32,
    pub(crate) user_pc: u32,
    /// Steps of the thread before it. All that is inside an atomic section comes with its beginning.
    pub steps: u64,
    /// Choices of the transition that it is in.
    pub choices: Vec<u32>,
}

/// Two of them that race.
#[derive(Clone, Debug)]
pub struct FoundRace {
    pub first: Pending,
    pub second: Pending,
}

impl FoundRace {
    pub fn violation(&self, code: &Code<'_>) -> Violation {
        Violation::of_race(self.second.thread, self.second.loc(code))
    }
}

impl Pending {
    pub(crate) fn loc(&self, code: &Code<'_>) -> Loc {
        code.loc(self.user_pc)
    }

    fn races_with(&self, other: &Pending, code: &Code<'_>) -> bool {
        self.thread != other.thread
            && self.access.races_with(other.access)
            && self.footprint.conflicts(&other.footprint)
            && !self.is_of_model(code)
            && !self.is_ignored(code)
            && !other.is_ignored(code)
    }

    /// The variable that it touches, if it is one.
    pub(crate) fn global(&self, code: &Code<'_>) -> Option<GlobalId> {
        match self.spot {
            Spot::Constant { .. } => None,
            Spot::Variable { at } => code.layout.statics.iter().find_map(|slot| match slot {
                Static::Variable { global, at: from, size, .. }
                    if (*from as usize..*from as usize + *size as usize).contains(&at) =>
                {
                    Some(*global)
                }
                Static::Variable { .. } | Static::Constant { .. } | Static::Func(_) | Static::Null => None,
            }),
            Spot::Object { index, .. } => code.layout.thread_locals.get(index).map(|local| local.global),
        }
    }

    /// Is this a model's own variable? Such accesses do not race.
    fn is_of_model(&self, code: &Code<'_>) -> bool {
        self.global(code).is_some_and(|global| code.program.globals[global].origin == Origin::Model)
    }

    /// Does the user not want to hear of it?
    fn is_ignored(&self, code: &Code<'_>) -> bool {
        let program = code.program;
        let function = &program.functions[code.from[self.user_pc as usize].function].name;
        let variable = self.global(code).map(|global| program.globals[global].name.as_str());
        program.ignores_race(Some(function), variable, self.loc(code))
    }
}

/// A thread's next step, as far as it is known without running it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// An access to what others can see.
    Access(Accesses),
    /// An atomic section.
    Section,
    /// It has to be run.
    Unknown,
}

impl<O: Oracle> Machine<'_, O> {
    fn next(&self, thread: usize) -> Next {
        let this = &self.state.threads[thread];
        let pc = this.pc();
        if this.atomic_depth() > 0 || matches!(self.code.ins[pc as usize], Ins::AtomicBegin) {
            return Next::Section;
        }
        let known = self.state.late_inputs.is_empty();
        match self.code.op(pc).filter(|_| known) {
            // Whether it writes depends on what it finds.
            Some(Op::CmpXchg { .. }) | None => Next::Unknown,
            Some(op) => match op.data_access() {
                Accesses::None => Next::Unknown,
                accesses => Next::Access(accesses),
            },
        }
    }

    /// Lets `look` look through the eyes of a thread that stands somewhere.
    fn as_thread<R>(&mut self, thread: usize, look: impl FnOnce(&mut Self) -> R) -> R {
        let this = &mut self.state.threads[thread];
        (self.thread, self.atomic, self.depth) = (thread, this.atomic_depth(), this.depth());
        (self.pc, self.base, self.steps) = (this.pc(), this.base(), 0);
        self.stack = std::mem::take(&mut *this.stack);
        let result = look(self);
        *self.state.threads[thread].stack = std::mem::take(&mut self.stack);
        result
    }

    /// The accesses of a thread that stands before them. `None`: others cannot see them, so it has to be run.
    fn accesses_at(&mut self, thread: usize, pending: &mut Vec<Pending>) -> Option<()> {
        self.as_thread(thread, |machine| {
            let op = machine.code.op(machine.pc)?;
            let before = pending.len();
            if let Op::Intrinsic { which: Intrinsic::Free, args, .. } = op {
                let pointer = machine.operand(args.first().copied().unwrap_or(Operand::NULL)) as u64;
                let Ok((owner, index, object)) = machine.state.freeable(&machine.code.layout, pointer) else {
                    return Some(());
                };
                let spot = Spot::of_object(owner, index, object);
                let is_seen = machine.sharing.is_shared(spot, object.size as usize);
                pending.extend(is_seen.then(|| machine.pending(spot, object.size as usize, true, true)));
                return is_seen.then_some(());
            }
            let checked = match op {
                Op::Intrinsic { which: which @ (Intrinsic::CheckRead | Intrinsic::CheckWrite), args, .. } => {
                    let size = args.get(1).map(|size| AccessSize::Bytes(*size));
                    args.first().copied().zip(size).map(|(addr, size)| (addr, size, *which == Intrinsic::CheckWrite))
                }
                _ => None,
            };
            let accesses = op.memory().map(|access| (access.addr, access.size, access.writes)).chain(checked);
            let mut is_seen = false;
            for (addr, size, write) in accesses {
                let bytes = match size {
                    AccessSize::Register(reg) => machine.bits(Operand::Reg(reg)).div_ceil(8) as usize,
                    AccessSize::Type(ty) => ty.bytes(machine.code.program.data_model) as usize,
                    AccessSize::Bytes(bytes) => machine.operand(bytes) as usize,
                };
                let pointer = machine.operand(addr) as u64;
                let layout = &machine.code.layout;
                // Where it fails there is no access.
                let Ok(spot) = memory::locate(&machine.state, layout, pointer, bytes as u64, write) else {
                    pending.truncate(before);
                    return Some(());
                };
                if bytes > 0 {
                    is_seen |= machine.sharing.is_shared(spot, bytes);
                    pending.push(machine.pending(spot, bytes, write, false));
                }
            }
            if !is_seen {
                pending.truncate(before);
            }
            is_seen.then_some(())
        })
    }

    /// The access of the running instruction.
    fn pending(&self, spot: Spot, bytes: usize, write: bool, dies: bool) -> Pending {
        let atomic = self.atomic > 0 || self.code.op(self.pc).is_some_and(|op| op.data_access() == Accesses::Atomic);
        Pending {
            thread: self.thread,
            access: DataAccess { writes: write, atomic },
            spot,
            bytes,
            footprint: if dies { Access::to_object(spot) } else { Access::to_bytes(spot, bytes, write) },
            pc: self.pc,
            user_pc: user_pc(self.code, &self.stack, self.pc, self.base, self.depth),
            steps: self.steps.saturating_sub(u64::from(self.atomic > 0)),
            choices: Vec::new(),
        }
    }

    /// Notes an access of the running instruction, if it will happen now.
    #[cold]
    pub(crate) fn note_pending(&mut self, spot: Spot, bytes: usize, write: bool, dies: bool) {
        let happens = self.atomic > 0 || self.allowance;
        let counts = self.code.op(self.pc).is_some_and(|op| op.data_access() != Accesses::None);
        if happens && counts && !matches!(spot, Spot::Constant { .. }) {
            let access = self.pending(spot, bytes, write, dies);
            self.recorder.pending.iter_mut().for_each(|pending| pending.push(access.clone()));
        }
    }

    /// How many have been noted.
    pub(crate) fn pending_accesses(&self) -> usize {
        self.recorder.pending.as_ref().map_or(0, Vec::len)
    }

    /// All that were noted after so many only read: a compare-exchange that fails.
    pub(crate) fn will_only_read_since(&mut self, noted: usize) {
        let since = self.recorder.pending.iter_mut().flat_map(|pending| pending.iter_mut().skip(noted));
        since.for_each(|one| (one.access.writes, one.footprint) = (false, one.footprint.as_read()));
    }

    /// Runs a thread's next step for its accesses. The caller puts the state back.
    fn accesses_of_step(&mut self, thread: usize) -> Vec<Pending> {
        self.recorder.pending = Some(Vec::new());
        let _ends_somehow = self.step(thread);
        self.recorder.pending.take().unwrap_or_default()
    }

    /// A race in the machine's state. `run`: the accesses of a thread's next step, after which the state is as it was.
    fn find_race<E>(
        &mut self,
        mut run: impl FnMut(&mut Self, usize) -> Result<Vec<Pending>, E>,
    ) -> Result<Option<FoundRace>, E> {
        let threads = self.state.unfinished();
        if threads.count_ones() < 2 {
            return Ok(None);
        }
        let may_be_plain = |next: Next| matches!(next, Next::Access(Accesses::Plain) | Next::Unknown);
        if !members(threads).any(|thread| may_be_plain(self.next(thread))) {
            return Ok(None);
        }
        let (mut pending, mut sections) = (Vec::new(), Vec::new());
        for thread in members(threads) {
            match self.next(thread) {
                Next::Section => sections.push(thread),
                Next::Access(_) if self.accesses_at(thread, &mut pending).is_some() => {}
                Next::Access(_) | Next::Unknown => pending.extend(run(self, thread)?),
            }
        }
        for thread in sections {
            if pending.iter().any(|one| !one.access.atomic) {
                pending.extend(run(self, thread)?);
            }
        }
        for (number, first) in pending.iter().enumerate() {
            let second = pending[number + 1..].iter().find(|second| first.races_with(second, self.code));
            if let Some(second) = second {
                return Ok(Some(FoundRace { first: first.clone(), second: second.clone() }));
            }
        }
        Ok(None)
    }
}

impl Expander<'_> {
    pub fn asks_for_races(&self) -> bool {
        self.machine.properties().contains(Property::Race)
    }

    /// A race in a state, if races are asked about. `load`: makes the machine's state that one. Only the machine's
    /// state stays as it was, and its choices.
    pub fn race(&mut self, mut load: impl FnMut(&mut State)) -> Result<Option<FoundRace>, Stop> {
        if !self.asks_for_races() {
            return Ok(None);
        }
        let machine = &mut self.machine;
        load(&mut machine.state);
        let oracle = std::mem::take(&mut machine.oracle);
        let found = machine.find_race(|machine, thread| {
            let accesses = machine.accesses_of_ways(thread, &mut load);
            load(&mut machine.state);
            accesses
        });
        machine.oracle = oracle;
        found
    }
}

impl Machine<'_, Choices> {
    fn accesses_of_ways(&mut self, thread: usize, load: &mut impl FnMut(&mut State)) -> Result<Vec<Pending>, Stop> {
        let mut all = Vec::new();
        self.oracle.reset();
        loop {
            self.oracle.rewind();
            let accesses = self.accesses_of_step(thread);
            if self.sharing.grew {
                return Err(Stop::Shared);
            }
            let choices = self.oracle.path();
            all.extend(accesses.into_iter().map(|access| Pending { choices: choices.clone(), ..access }));
            if !self.oracle.advance() {
                return Ok(all);
            }
            load(&mut self.state);
        }
    }
}

impl Replayer<'_> {
    /// A race in the state at the end of a schedule.
    pub(crate) fn race(&mut self) -> Option<FoundRace> {
        if !self.properties().contains(Property::Race) {
            return None;
        }
        let before = self.state.clone();
        let found: Result<_, std::convert::Infallible> = self.find_race(|machine, thread| {
            let used = machine.oracle.leave_record();
            let accesses = machine.accesses_of_step(thread);
            machine.oracle.back_on_record(used);
            machine.state.clone_from(&before);
            Ok(accesses)
        });
        let Ok(found) = found;
        found
    }
}
