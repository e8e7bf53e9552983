//! Round by round: main begins; then come the rounds, in each of which every thread has one turn, and main the last.
//! For main to look at what the others have left behind takes no further round.

use super::Encoder;
use super::canonical::Turn;
use super::forwarding::Forwarding;
use super::load::Kept;
use super::probe::Probe;
use super::ranges::BitCount;
use super::turns::Turns;
use super::walk::Mode;
use selvedge_analyze::Facts;
use selvedge_analyze::intervals::Rounds;
use selvedge_formula::{Term, Terms};

/// All schedules of so many rounds.
pub struct RoundEncoder<'b> {
    pub encoder: Encoder<'b>,
    pub turns: Turns,
}

impl<'b> RoundEncoder<'b> {
    /// `None`: an object is too large for our pointers. `ranges`: none if values have the bits of their types.
    /// `capacity`: how many stores may wait in a store buffer.
    pub fn new(
        facts: &'b Facts<'b>,
        ranges: Option<Rounds<'b>>,
        capacity: Option<u32>,
        stop: &'b dyn Fn() -> bool,
    ) -> Option<RoundEncoder<'b>> {
        let mut terms = Terms::new();
        let turns = Turns::new(&mut terms, facts);
        Some(RoundEncoder {
            encoder: Encoder::new(facts, terms, Some(Kept::default()), ranges, capacity, stop)?,
            turns,
        })
    }

    /// Main's first turn, before anybody else does something.
    pub fn begin(&mut self) {
        let Encoder { ranges, record, memory, .. } = &mut self.encoder;
        ranges.advance(Rounds::begin);
        record.create_thread_locals(memory, 0, Terms::TRUE);
        self.turn(0);
    }

    /// One more round: every thread once, main last.
    pub fn round(&mut self) {
        self.turns.rounds += 1;
        let before = self.turns.history.len();
        self.encoder.ranges.advance(Rounds::begin_round);
        for thread in &self.encoder.facts.turns {
            self.encoder.ranges.advance(|ranges| ranges.turn(*thread));
            if self.encoder.process.threads[*thread].created != Terms::FALSE {
                self.turn(*thread);
            }
        }
        self.turns.end_round(before);
    }

    /// The beginning, so many rounds, and the checks of where threads stand at their end.
    pub fn all_rounds(&mut self, rounds: u32) {
        self.begin();
        for _ in 0..rounds {
            if !self.encoder.is_unfinished() {
                self.round();
            }
        }
        self.at_the_end();
    }

    /// A thread's turn in this round.
    fn turn(&mut self, thread: usize) {
        let RoundEncoder { encoder, turns } = self;
        let before = turns.done[thread].clone();
        let not_exited = encoder.terms.not(encoder.process.exited);
        let could_run = encoder.terms.and(encoder.process.threads[thread].created, not_exited);
        let arrivals = encoder.arrive(thread, could_run);
        let now = turns.guess_stop(&mut encoder.terms, &mut encoder.record, thread, could_run);
        let mut on_the_way = vec![Terms::FALSE; now.len()];
        let mut ran = vec![Terms::FALSE; now.len()];
        let registers = encoder.first_registers(thread);
        encoder.walk(thread, Mode::Round(Forwarding::new(turns))).whole_thread(registers, |walk, point| {
            let not_before = walk.terms.not(before[point]);
            let window = walk.terms.and(now[point], not_before);
            on_the_way[point] = walk.here.guard;
            walk.here.active = walk.terms.and(walk.here.guard, window);
            walk.here.span = Some((point, point));
            ran[point] = walk.here.active;
        });
        encoder.keep_order(thread);
        let turn = Turn { ran, before, could_run, arrivals };
        turns.end_turn(&mut encoder.terms, &mut encoder.record, thread, now, &on_the_way, turn);
    }

    /// Does anybody take a step in the newest round, or a store arrive?
    pub fn somebody_moves(&mut self) -> Term {
        self.turns.somebody_moves(&mut self.encoder.terms)
    }

    /// Adds checks: after this round somebody waits for ever, or two threads race.
    pub fn at_the_end(&mut self) {
        let RoundEncoder { encoder, turns } = self;
        encoder.deadlock(|encoder, thread, probe| encoder.probe_round(thread, &turns.done[thread], probe));
        encoder.races(|encoder, thread, probe| encoder.probe_round(thread, &turns.done[thread], probe));
    }

    /// How many bits results have, and how many of them they need.
    pub fn bits(&self) -> BitCount {
        self.encoder.ranges.bits
    }
}

impl Encoder<'_> {
    /// Probes a thread after a round by the end of which it has passed these points.
    fn probe_round(&mut self, thread: usize, done: &[Term], probe: Probe) -> Probe {
        self.ranges.advance(|ranges| ranges.probe(thread));
        let registers = self.first_registers(thread);
        self.probe(thread, probe, |walk| {
            walk.whole_thread(registers, |walk, point| {
                let not_yet = walk.terms.not(done[point]);
                let before = point.checked_sub(1).map_or(Terms::TRUE, |before| done[before]);
                let stands_here = walk.terms.and(before, not_yet);
                walk.here.active = walk.terms.and(walk.here.guard, stands_here);
            });
        })
    }
}
