//! Records the events of a replay, in words for people.

mod buffered;
mod calls;
mod trace;

use crate::describe;
use crate::frames::user_pc;
use crate::heap_names::HeapNames;
use crate::memory::Spot;
use crate::oracle::{MachineView, Note, Oracle, Stopped};
use crate::replay::synchronisation::Synchronisation;
use crate::store_buffer::noticed_places::NoticedPlaces;
use crate::store_buffer::numbers::StepNumbers;
use crate::unwritten::Unwritten;
use selvedge_program::Input as Source;
use selvedge_program::schedule::{Input, NewObject};
use selvedge_program::trace::{LockChange, Position, Race};
use selvedge_program::{Event, Loc, Op, Operand, Program, Reason, Schedule, SourceMap, TypeId, What, is_own_name};

/// The bytes that an event touched, to tell later whether another thread touched them, too.
type Touched = Option<(usize, usize, usize, usize)>;

/// A model's call that has not returned: (depth of its frame, index of its event).
type OpenCall = (u32, usize);

/// Answers with the schedule's inputs, and records events.
#[derive(Clone)]
pub(crate) struct Recorder {
    inputs: Vec<Input>,
    /// For each thread the number of its inputs used so far.
    used: Vec<usize>,
    objects: Option<Vec<NewObject>>,
    /// For each thread the number of objects created so far.
    made: Vec<usize>,
    events: Vec<(Event, Touched)>,
    /// For each thread the model call that it is in.
    open: Vec<Option<OpenCall>>,
    pub(crate) synchronisation: Synchronisation,
    /// The race that the run ends with.
    pub(crate) race: Option<Box<Race>>,
    pub(crate) locks: Vec<LockChange>,
    /// For each thread the events of its buffered stores, the oldest first; none of those that models make.
    buffered: Vec<Vec<Option<usize>>>,
    /// The places that threads touch, if somebody wants to know.
    pub(crate) places: Option<NoticedPlaces>,
    /// The steps in which buffered stores were made.
    pub(crate) numbers: StepNumbers,
    pub(crate) heap: HeapNames,
    unwritten: Unwritten,
    /// The last object that was used though it had been freed.
    used_too_late: Option<String>,
    threads: Vec<String>,
    /// For each thread: does it have the name of a library function, for want of a better one?
    unnamed: Vec<bool>,
    pub(crate) muted: bool,
    /// The position in the user's code of the last memory access.
    pub(crate) last_access: Loc,
    /// The number of events when the cycle began.
    pub(crate) cycle: Option<usize>,
    /// Whether the schedule has ended: further inputs of its last thread may have any value.
    pub(crate) past_the_end: bool,
}

#[derive(Clone)]
pub(crate) struct Checkpoint {
    used: Vec<usize>,
    made: Vec<usize>,
    events: usize,
    locks: usize,
    blocks: usize,
    open: Vec<Option<OpenCall>>,
    synchronisation: Synchronisation,
    buffered: Vec<Vec<Option<usize>>>,
}

impl Recorder {
    pub(crate) fn new(schedule: &Schedule) -> Recorder {
        Recorder {
            inputs: schedule.inputs.clone(),
            used: Vec::new(),
            objects: schedule.objects.clone(),
            made: Vec::new(),
            events: Vec::new(),
            open: vec![None],
            synchronisation: Synchronisation::default(),
            race: None,
            locks: Vec::new(),
            buffered: Vec::new(),
            places: None,
            numbers: StepNumbers::default(),
            heap: HeapNames::default(),
            unwritten: Unwritten::default(),
            used_too_late: None,
            threads: vec!["main".to_string()],
            unnamed: vec![false],
            muted: false,
            last_access: SourceMap::NOWHERE,
            cycle: None,
            past_the_end: false,
        }
    }

    /// The model call that the thread is in.
    pub(crate) fn open_call(&self, thread: usize) -> Option<&Event> {
        let (_, index) = self.open.get(thread).copied().flatten()?;
        self.events.get(index).map(|(event, _)| event)
    }

    pub(crate) fn event_count(&self) -> usize {
        self.events.len()
    }

    /// Stops recording while steps are only tried out. Returns the numbers of inputs used and objects created so far.
    pub(crate) fn leave_record(&mut self) -> (Vec<usize>, Vec<usize>) {
        self.muted = true;
        (self.used.clone(), self.made.clone())
    }

    pub(crate) fn back_on_record(&mut self, (used, made): (Vec<usize>, Vec<usize>)) {
        self.muted = false;
        (self.used, self.made) = (used, made);
    }

    /// How many inputs were used so far, by thread.
    pub(crate) fn inputs_taken(&self) -> Vec<usize> {
        self.used.clone()
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            used: self.used.clone(),
            made: self.made.clone(),
            events: self.events.len(),
            locks: self.locks.len(),
            blocks: self.heap.count(),
            open: self.open.clone(),
            synchronisation: self.synchronisation.clone(),
            buffered: self.buffered.clone(),
        }
    }

    /// Returns to a checkpoint after a step of the thread that did not happen. A blocked call stays on record, as
    /// begun.
    pub(crate) fn back_to(&mut self, to: Checkpoint, thread: usize) {
        self.used = to.used;
        self.made = to.made;
        self.open = to.open;
        self.buffered = to.buffered;
        self.locks.truncate(to.locks);
        self.heap.truncate(to.blocks);
        let begun = std::mem::replace(&mut self.synchronisation, to.synchronisation);
        self.synchronisation.call_again(thread, &begun);
        let mut undone = self.events.split_off(to.events);
        // The call in which it blocked is the last one that was begun.
        let last = undone.iter().rposition(|(event, _)| matches!(event.what, What::Call { .. }));
        undone.truncate(last.map_or(0, |last| last + 1));
        self.events.extend(undone);
        let index = self.events.len().wrapping_sub(1);
        let Some((event, _)) = self.events.get_mut(index).filter(|_| last.is_some()) else { return };
        if let What::Call { function, arguments, .. } = &event.what {
            event.what = What::Begin { function: function.clone(), arguments: arguments.clone() };
            self.open[event.thread as usize] = Some((event.depth, index));
        }
    }

    fn push(&mut self, view: &MachineView<'_>, what: What, touched: Touched) {
        let pc = user_pc(view.code, view.stack, view.pc, view.base, view.depth);
        if matches!(what, What::Read { .. } | What::Write { .. }) {
            self.last_access = view.code.loc(pc);
        }
        let from = view.code.from[pc as usize];
        // Below the start routine there are only models, which have no user source.
        let at =
            if view.code.is_user(pc) { position(view.code.program, view.code.loc(pc)) } else { Position::default() };
        let event = Event {
            thread: view.thread as u32,
            function: view.code.program.functions[from.function].name.clone(),
            at,
            depth: view.depth,
            what,
        };
        self.events.push((event, touched));
    }

    fn in_model(&self, view: &MachineView<'_>) -> bool {
        !view.code.is_user(view.pc)
    }

    /// Records a line on which nothing else happens, once.
    fn local_line(&mut self, view: &MachineView<'_>) {
        let loc = view.code.loc(view.pc);
        let is_new = self.events.last().is_none_or(|(e, _)| e.thread as usize != view.thread || e.at.line != loc.line);
        if loc.is_known() && is_new {
            self.push(view, What::Local, None);
        }
    }

    /// Records what the user's code reads or writes; the index of the event. Variables of ours, such as the exception
    /// in flight, are not shown.
    fn access(&mut self, view: &MachineView<'_>, spot: Spot, bytes: u64, value: u128, write: bool) -> Option<usize> {
        let label = view.code.op(view.pc).and_then(Op::place).map(|place| view.code.program.places[place].as_str());
        let (place, ty) = describe::place((view.code, view.state, &self.heap), spot, bytes, label);
        let uninitialised = !write && self.unwritten.has(spot, bytes);
        if self.in_model(view) || is_own_name(&place) {
            return None;
        }
        self.points_to(view, ty, value);
        let value = describe::value((view.code, view.state, &self.heap), value, bytes, ty);
        let touched = match spot {
            Spot::Constant { .. } => None,
            Spot::Variable { at } => Some((usize::MAX, 0, at, bytes as usize)),
            Spot::Object { thread, index, offset, .. } => Some((thread, index, offset, bytes as usize)),
        };
        // The last event of this line is a placeholder that says nothing more.
        if let Some((Event { what: What::Local, thread, .. }, _)) = self.events.last()
            && *thread as usize == view.thread
        {
            self.events.pop();
        }
        let what = if write {
            What::Write { place, value, shared: false, buffered: false }
        } else {
            What::Read { place, value, shared: false, uninitialised }
        };
        self.push(view, what, touched);
        Some(self.events.len() - 1)
    }

    /// The user's code has a pointer of this type.
    fn points_to(&mut self, view: &MachineView<'_>, ty: Option<TypeId>, value: u128) {
        if let Some(ty) = ty
            && view.code.is_user(view.pc)
        {
            self.heap.seen(view.code, view.state, ty, value as u64);
        }
    }

    fn input(&mut self, view: &MachineView<'_>, value: u128) {
        let Some(Op::Nondet { dst, input, .. }) = view.code.op(view.pc) else { return };
        let asked_by_model = self.in_model(view).then(|| self.open[view.thread]).flatten();
        let caller = asked_by_model.and_then(|(_, index)| match &self.events.get(index)?.0.what {
            What::Call { function, .. } => Some(function.clone()),
            _ => None,
        });
        if let (Some(function), true) = (&caller, wakes_by_itself(view)) {
            self.push(view, What::Wakes { function: function.clone(), early: value != 0 }, None);
            return;
        }
        let source = match input {
            // Inner functions of models are not shown.
            Source::Call(name) if caller.as_ref().is_some_and(|caller| caller != name) => {
                format!("choice of {}()", caller.unwrap_or_default())
            }
            Source::Call(name) | Source::Unmodelled(name) => format!("{name}()"),
            Source::Uninitialised(name) => format!("uninitialised {name}"),
        };
        let function = &view.code.program.functions[view.code.from[view.pc as usize].function];
        let ty = view.code.program.type_of(function, Operand::Reg(*dst));
        let bytes = u64::from(ty.bytes(view.code.program.data_model));
        let value = describe::value((view.code, view.state, &self.heap), value, bytes, function.regs[*dst].debug);
        self.push(view, What::Input { source, value }, None);
    }

    fn allocated(&mut self, view: &MachineView<'_>, index: usize, bytes: u64) {
        let Some(object) = view.state.threads[view.thread].object(index) else { return };
        if object.kind == crate::state::Kind::Heap {
            self.heap.allocated(&view.code.program.source, view.thread, index);
            let (object, _) = describe::object_name(view.code, &self.heap, view.thread, index, object);
            self.push(view, What::Allocate { object, bytes }, None);
        }
    }
}

impl Oracle for Recorder {
    const WATCHES: bool = true;

    fn choose(&mut self, _ways: usize) -> Result<usize, Stopped> {
        Err(Stopped::GaveUp(Reason::Limit("a choice that no schedule records".to_string())))
    }

    fn input(&mut self, thread: usize, low: u64) -> Option<Result<u128, Stopped>> {
        if self.used.len() <= thread {
            self.used.resize(thread + 1, 0);
        }
        let mut mine = self.inputs.iter().filter(|input| input.thread as usize == thread);
        let value = mine.nth(self.used[thread]).map(|input| input.value);
        self.used[thread] += 1;
        if value.is_none() && self.past_the_end {
            return Some(Ok(u128::from(low)));
        }
        Some(value.ok_or_else(|| Stopped::GaveUp(Reason::Limit("the schedule has too few inputs".to_string()))))
    }

    fn object(&mut self, thread: usize) -> Option<NewObject> {
        let objects = self.objects.as_ref()?;
        if self.made.len() <= thread {
            self.made.resize(thread + 1, 0);
        }
        let mut mine = objects.iter().filter(|object| object.thread as usize == thread);
        let object = mine.nth(self.made[thread]).cloned();
        self.made[thread] += 1;
        Some(object.unwrap_or_default())
    }

    fn note(&mut self, view: &MachineView<'_>, note: Note) {
        if let Some(places) = &mut self.places
            && let Note::Read { spot, bytes, .. } | Note::Write { spot, bytes, .. } | Note::Buffered { spot, bytes, .. } =
                &note
        {
            places.touch(Some(view.thread), *spot, *bytes as usize);
        }
        if self.muted {
            return;
        }
        self.unwritten.follow(view.thread, &note);
        match note {
            Note::At if !self.in_model(view) => self.local_line(view),
            Note::Read { spot, bytes, value } if !self.in_model(view) => {
                self.access(view, spot, bytes, value, false);
            }
            Note::Write { spot, bytes, value } if !self.in_model(view) => {
                self.access(view, spot, bytes, value, true);
            }
            Note::Buffered { spot, bytes, value } => {
                let event = self.access(view, spot, bytes, value, true);
                self.buffer(view.thread).push(event);
            }
            Note::Left { thread, number } => {
                let event = self.buffer(thread).remove(number);
                event.into_iter().for_each(|event| self.leaves(event));
            }
            Note::Entered { function } => self.entered(view, function),
            Note::Leaving { values } => self.leaving(view, &values),
            Note::Input { value } => self.input(view, value),
            Note::Created { thread, function } => {
                let start = describe::start_routine(view.code, view.state, thread).unwrap_or(function);
                let name = view.code.program.functions[start].name.clone();
                self.threads.push(name.clone());
                self.unnamed.push(!view.code.function(start).is_user);
                self.open.push(None);
                self.push(view, What::Create { thread: thread as u32, function: name }, None);
            }
            Note::Ended => {
                self.open[view.thread] = None;
                self.push(view, What::Exit, None);
            }
            Note::Allocated { index, size, .. } => self.allocated(view, index, size),
            // Objects that a library frees when a thread ends are not shown.
            Note::Freed { .. } if self.in_model(view) && self.open[view.thread].is_none() => {}
            Note::Freed { owner, index } => {
                if let Some(object) = view.state.threads[owner].object(index) {
                    let (object, _) = describe::object_name(view.code, &self.heap, owner, index, object);
                    self.push(view, What::Free { object }, None);
                }
            }
            Note::UsedTooLate { owner, index } => {
                let object = view.state.threads[owner].object(index);
                let name = |object| describe::object_name(view.code, &self.heap, owner, index, object).0;
                self.used_too_late = object.map(name);
            }
            Note::Write { spot, .. } => self.synchronisation.written(view, spot),
            Note::Acquired { lock } => self.lock_changes(view, lock, true),
            Note::Released { lock } => self.lock_changes(view, lock, false),
            Note::At | Note::Read { .. } => {}
        }
    }
}

/// Whether the running function decides if a wait ends by itself.
fn wakes_by_itself(view: &MachineView<'_>) -> bool {
    let from = view.code.from[view.pc as usize];
    !view.code.is_user(view.pc) && view.code.program.functions[from.function].name == "wakes_by_itself"
}

pub(crate) fn position(program: &Program, loc: Loc) -> Position {
    let file = program.source.files.get(loc.file).cloned().unwrap_or_default();
    Position { file, line: loc.line, column: loc.column }
}
