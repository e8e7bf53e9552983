//! The few accesses that decide a run, as sentences.
//!
//! A run goes wrong at a place that reads shared variables, so the places that the last lines read come first, with
//! whatever the writers of these values had read themselves. Of the accesses to them, those of one thread are named
//! between which another thread's access fits into no serial order: the four patterns of Lu, Tucek, Qin and Zhou (AVIO:
//! Detecting Atomicity Violations via Access Interleaving Invariants, ASPLOS 2006). Unlike there no invariant is
//! learned: the run is known to be wrong. Then comes where the last values read came from.

use crate::headline::one_line;
use crate::text::{racing, sentence, thread_name};
use selvedge_program::trace::RacingAccess;
use selvedge_program::{Event, Trace, What};
use std::collections::{BTreeMap, BTreeSet};

/// More of a kind would hide the others.
const MOST_OF_A_KIND: usize = 3;
/// The number of times that values are followed to those from which they were computed.
const STEPS_BACK: usize = 3;

/// A sentence about a run, and the events that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    pub text: String,
    pub events: Vec<usize>,
}

/// The events that a person should look at first, in the order of the run.
pub fn remarks(trace: &Trace) -> Vec<Remark> {
    if !trace.waiting.is_empty() {
        return trace.waiting.iter().map(|wait| waits(trace, wait)).collect();
    }
    if let Some(race) = &trace.race {
        return race.accesses.iter().map(|access| races(trace, access)).collect();
    }
    if let Some(cycle) = trace.cycle {
        return vec![repeats(trace, cycle)];
    }
    let run = Run::of(trace);
    let last = run.last_reads();
    let places = run.places_behind(&last);
    let mut remarks = run.interrupted(&places);
    let froms = last.iter().filter_map(|read| run.source_of(*read));
    remarks.extend(froms.take(MOST_OF_A_KIND));
    remarks.extend(run.freed());
    remarks
}

fn waits(trace: &Trace, wait: &selvedge_program::trace::Wait) -> Remark {
    let own = |event: &Event| event.thread == wait.thread && event.at == wait.at;
    let begun = trace.events.iter().rposition(own);
    let taken = wait.held_by.iter().filter_map(|holder| {
        let since = holder.since.as_ref()?;
        trace.events.iter().rposition(|event| event.thread == holder.thread && event.at == *since)
    });
    Remark { text: sentence(trace, wait), events: taken.chain(begun).collect() }
}

/// An access of a race is about to be made: the last event of its thread is the nearest.
fn races(trace: &Trace, access: &RacingAccess) -> Remark {
    let last = trace.events.iter().rposition(|event| event.thread == access.thread);
    Remark { text: one_line(&racing(trace, access)), events: last.into_iter().collect() }
}

/// The threads that run for ever, and their lines.
fn repeats(trace: &Trace, cycle: usize) -> Remark {
    let mut lines: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for event in trace.events[cycle.min(trace.events.len())..].iter().filter(|event| event.at.line != 0) {
        lines.entry(event.thread).or_default().insert(event.at.line);
    }
    let runs = lines.iter().map(|(thread, lines)| {
        let plural = if lines.len() == 1 { "line" } else { "lines" };
        let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
        format!("{} at {plural} {}", thread_name(trace, *thread), numbers.join(", "))
    });
    let runs: Vec<String> = runs.collect();
    let text = match runs.as_slice() {
        [] => "in the end nothing happens any more, for ever".to_string(),
        [one] => format!("the end of the run repeats for ever, and in it only {one} runs"),
        many => format!("the end of the run repeats for ever: {}", many.join("; ")),
    };
    let events = if runs.is_empty() { Vec::new() } else { vec![cycle, trace.events.len() - 1] };
    Remark { text: one_line(&text), events }
}

/// An access to memory that other threads touch, too.
struct Access<'t> {
    event: usize,
    thread: u32,
    place: &'t str,
    value: &'t str,
    writes: bool,
}

struct Run<'t> {
    trace: &'t Trace,
    accesses: Vec<Access<'t>>,
    /// The accesses to each place, by their number.
    by_place: BTreeMap<&'t str, Vec<usize>>,
}

/// A thread's access, another thread's, and the first one's next.
type Interrupted = (usize, usize, usize);

impl<'t> Run<'t> {
    fn of(trace: &'t Trace) -> Run<'t> {
        let mut accesses = Vec::new();
        let mut by_place: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (event, Event { thread, what, .. }) in trace.events.iter().enumerate() {
            let (place, value, writes) = match what {
                What::Read { place, value, shared: true, .. } => (place, value, false),
                What::Write { place, value, shared: true, buffered: false }
                | What::Arrive { place, value, shared: true } => (place, value, true),
                What::Read { .. } | What::Write { .. } | What::Arrive { .. } => continue,
                What::Enter { .. } | What::Leave { .. } | What::Call { .. } | What::Begin { .. } => continue,
                What::Input { .. } | What::Wakes { .. } | What::Create { .. } | What::Exit | What::Local => continue,
                What::Allocate { .. } | What::Free { .. } => continue,
            };
            by_place.entry(place).or_default().push(accesses.len());
            accesses.push(Access { event, thread: *thread, place, value, writes });
        }
        Run { trace, accesses, by_place }
    }

    /// The reads on the last line of the thread that fails; if there are none, on the last that has any.
    fn last_reads(&self) -> Vec<usize> {
        let thread = self.trace.violation.thread;
        let own = (0..self.accesses.len()).rev().filter(|index| self.accesses[*index].thread == thread);
        let mut reads = own.filter(|index| !self.accesses[*index].writes).peekable();
        let Some(last) = reads.peek().map(|index| self.line(*index)) else { return Vec::new() };
        self.one_a_place(reads.take_while(|index| self.line(*index) == last))
    }

    /// The first of these accesses to each place, in the order of the run. A thread that spins reads one many times.
    fn one_a_place(&self, accesses: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut places = BTreeSet::new();
        let mut kept: Vec<usize> = accesses.filter(|index| places.insert(self.accesses[*index].place)).collect();
        kept.sort_unstable();
        kept
    }

    fn line(&self, access: usize) -> (&str, u32, u32) {
        let event = &self.trace.events[self.accesses[access].event];
        (&event.function, event.depth, event.at.line)
    }

    /// The places read, and those from which their values were computed: what the writer read on that line.
    fn places_behind(&self, reads: &[usize]) -> BTreeSet<&'t str> {
        let mut places: BTreeSet<&str> = reads.iter().map(|read| self.accesses[*read].place).collect();
        let mut newest = reads.to_vec();
        for _ in 0..STEPS_BACK {
            let writers: Vec<usize> = newest.iter().filter_map(|read| self.writer(*read)).collect();
            let behind = writers.into_iter().flat_map(|write| {
                let thread = self.accesses[write].thread;
                let own = (0..write).rev().filter(move |index| self.accesses[*index].thread == thread);
                own.take_while(move |index| self.line(*index) == self.line(write))
            });
            newest = self.one_a_place(behind.filter(|index| !self.accesses[*index].writes));
            places.extend(newest.iter().map(|read| self.accesses[*read].place));
        }
        places
    }

    /// The write whose value an access sees.
    fn writer(&self, read: usize) -> Option<usize> {
        let of_place = &self.by_place[self.accesses[read].place];
        let before = &of_place[..of_place.partition_point(|index| *index < read)];
        before.iter().rev().copied().find(|index| self.accesses[*index].writes)
    }

    /// Accesses of a thread between which another thread's fits into no serial order.
    fn interrupted(&self, places: &BTreeSet<&str>) -> Vec<Remark> {
        let mut found: Vec<Interrupted> = places.iter().flat_map(|place| self.interrupted_at(place)).collect();
        // Two accesses of one call belong together more likely than others; later ones are nearer to the failure.
        let same_call = |(first, _, second): &Interrupted| {
            let ((one, depth, _), (other, other_depth, _)) = (self.line(*first), self.line(*second));
            one == other && depth == other_depth
        };
        found.sort_by_key(|pair| (!same_call(pair), std::cmp::Reverse(pair.2)));
        let mut lines = BTreeSet::new();
        found.retain(|(first, between, second)| {
            lines.insert((self.line(*first), self.line(*between), self.line(*second)))
        });
        found.truncate(MOST_OF_A_KIND);
        found.sort_unstable();
        found.into_iter().map(|pair| self.remark(pair)).collect()
    }

    fn interrupted_at(&self, place: &str) -> Vec<Interrupted> {
        let of_place = &self.by_place[place];
        let mut found = Vec::new();
        let mut latest: BTreeMap<u32, usize> = BTreeMap::new();
        for (number, second) in of_place.iter().enumerate() {
            let Some(before) = latest.insert(self.accesses[*second].thread, number) else { continue };
            let between = &of_place[before + 1..number];
            let first = of_place[before];
            let wanted = |index: &&usize| {
                let (one, other, two) = (&self.accesses[first], &self.accesses[**index], &self.accesses[*second]);
                match (one.writes, two.writes) {
                    (false, false) => other.writes && one.value != two.value,
                    (true, true) => !other.writes,
                    (true, false) | (false, true) => other.writes,
                }
            };
            // The write that counts is the last.
            found.extend(between.iter().rev().find(wanted).map(|other| (first, *other, *second)));
        }
        found
    }

    fn remark(&self, (first, between, second): Interrupted) -> Remark {
        let [one, other, two] = [first, between, second].map(|index| &self.accesses[index]);
        let (at_first, at_other, at_second) = (self.place(first), self.place(between), self.place(second));
        let (thread, stranger, place) = (self.name(one), self.name(other), one.place);
        let (before, foreign, after) = (one.value, other.value, two.value);
        let text = match (one.writes, two.writes) {
            (false, false) => format!(
                "{thread} read `{place}` as {before} at {at_first}, then {stranger} wrote {foreign} at {at_other}, so \
                 that {thread} read {after} at {at_second}"
            ),
            (false, true) => format!(
                "{thread} read `{place}` as {before} at {at_first} before {stranger} wrote {foreign} at {at_other}, \
                 which {thread} then overwrote with {after} at {at_second}"
            ),
            (true, false) => format!(
                "{thread} wrote {before} to `{place}` at {at_first}, but {stranger} wrote {foreign} at {at_other}, and \
                 that is what {thread} read at {at_second}"
            ),
            (true, true) => format!(
                "{stranger} read `{place}` as {foreign} at {at_other}, after {thread} wrote {before} at {at_first} and \
                 before it wrote {after} at {at_second}"
            ),
        };
        Remark { text: one_line(&text), events: [one, other, two].map(|access| access.event).to_vec() }
    }

    /// Where the value of a read came from, if from another thread or from nobody.
    fn source_of(&self, read: usize) -> Option<Remark> {
        let access = &self.accesses[read];
        let (thread, place, value) = (self.name(access), access.place, access.value);
        let at = self.place(read);
        let (text, events) = match self.writer(read) {
            Some(write) if self.accesses[write].thread == access.thread => return None,
            Some(write) => {
                let writer = &self.accesses[write];
                let (from, whence) = (self.name(writer), self.place(write));
                let text = format!("{thread} read `{place}` as {value} at {at}, which {from} had written at {whence}");
                (text, vec![writer.event, access.event])
            }
            None => {
                let later = self.by_place[place].iter().copied().find(|index| self.accesses[*index].writes)?;
                let (who, where_to) = (self.name(&self.accesses[later]), self.place(later));
                let text = format!("{thread} read `{place}` as {value} at {at} before {who} wrote it at {where_to}");
                (text, vec![access.event, self.accesses[later].event])
            }
        };
        Some(Remark { text: one_line(&text), events })
    }

    /// The release of an object that the violation names.
    fn freed(&self) -> Option<Remark> {
        let events = &self.trace.events;
        let (index, object) = events.iter().enumerate().rev().find_map(|(index, event)| match &event.what {
            What::Free { object } if self.trace.violation.text.contains(object) => Some((index, object)),
            _ => None,
        })?;
        let (who, at) = (thread_name(self.trace, events[index].thread), self.place_of(index));
        Some(Remark { text: one_line(&format!("{who} freed `{object}` at {at}")), events: vec![index] })
    }

    fn name(&self, access: &Access<'_>) -> String {
        thread_name(self.trace, access.thread)
    }

    fn place(&self, access: usize) -> String {
        self.place_of(self.accesses[access].event)
    }

    /// `line 12`, with the file if it is not that of the violation.
    fn place_of(&self, event: usize) -> String {
        let at = &self.trace.events[event].at;
        match at.file == self.trace.at.file {
            true => format!("line {}", at.line),
            false => format!("{}:{}", at.file.rsplit('/').next().unwrap_or(&at.file), at.line),
        }
    }
}
