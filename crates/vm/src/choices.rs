//! Enumerates the alternatives of one step that makes choices, one after another.
//!
//! The step is run from its beginning for each alternative, with the choices of the last run as a prefix and
//! the last choice that has an alternative advanced, like an odometer. A random run has [dice](Choices::dice) instead.

use crate::oracle::{Oracle, Stopped};

/// An input and the values that are left for it.
#[derive(Clone, Copy, Debug)]
pub struct OpenInput {
    pub thread: u32,
    pub low: u64,
    pub high: u64,
    /// If it is a part of another input, the number of that input and the position of its lowest bit there.
    pub part_of: Option<(u32, u8)>,
}

#[derive(Default, Debug)]
pub struct Choices {
    /// (chosen, out of)
    taken: Vec<(u32, u32)>,
    next: usize,
    /// The indices of choices among threads in the last run.
    of_threads: Vec<usize>,
    /// The inputs of the run so far; only kept when a path is turned into a schedule.
    pub events: Option<Vec<OpenInput>>,
    /// Draws choices that are not fixed, in random runs.
    pub dice: Option<Dice>,
}

/// Draws alternatives at random, with a habit: some dice often show the first one, for in many programs rare things
/// must not happen all the time if anything is to happen.
#[derive(Clone, Debug)]
pub struct Dice {
    random: fastrand::Rng,
    /// Out of [`Dice::SIDES`], how often the first alternative is taken before anything is drawn.
    first: u32,
}

impl Dice {
    const SIDES: u32 = 16;
    const HABITS: [u32; 4] = [0, 8, 15, 16];
    /// A range is wide if it has more values than this. Half of all draws from it are close to its ends, where programs
    /// go wrong more often.
    const WIDE: usize = 16;

    pub fn new(mut random: fastrand::Rng) -> Dice {
        let first = Dice::HABITS[random.usize(..Dice::HABITS.len())];
        Dice { random, first }
    }

    fn draw(&mut self, ways: usize) -> usize {
        match ways {
            _ if self.random.u32(..Dice::SIDES) < self.first => 0,
            _ if ways > Dice::WIDE && self.random.bool() => {
                (self.random.usize(..Dice::WIDE) + ways - Dice::WIDE / 2) % ways
            }
            _ => self.random.usize(..ways),
        }
    }
}

impl Choices {
    /// Makes exactly these choices again, with the events of the run so far.
    pub fn again(choices: &[u32], events: Vec<OpenInput>) -> Choices {
        Choices { taken: choices.iter().map(|c| (*c, c + 1)).collect(), events: Some(events), ..Choices::default() }
    }

    /// Makes the next run take exactly these choices.
    pub fn fix(&mut self, choices: &[u32]) {
        self.taken.clear();
        self.taken.extend(choices.iter().map(|choice| (*choice, choice + 1)));
        self.rewind();
    }

    /// Returns to the first alternative.
    pub fn reset(&mut self) {
        self.taken.clear();
        self.next = 0;
    }

    /// Goes to the next alternative; false if there is none.
    pub fn advance(&mut self) -> bool {
        self.taken.truncate(self.next);
        self.next = 0;
        while let Some((chosen, of)) = self.taken.pop() {
            if chosen + 1 < of {
                self.taken.push((chosen + 1, of));
                return true;
            }
        }
        false
    }

    pub fn rewind(&mut self) {
        self.next = 0;
        self.of_threads.clear();
    }

    /// The choices of the last run, without those among threads.
    pub fn path_of_program(&self) -> Vec<u32> {
        let path = self.path().into_iter().enumerate();
        path.filter(|(at, _)| !self.of_threads.contains(at)).map(|(_, choice)| choice).collect()
    }

    /// Whether the last run made any choice.
    pub fn has_chosen(&self) -> bool {
        self.next > 0
    }

    /// The choices of the last run.
    pub fn path(&self) -> Vec<u32> {
        self.taken[..self.next].iter().map(|(chosen, _)| *chosen).collect()
    }
}

impl Oracle for Choices {
    fn choose(&mut self, ways: usize) -> Result<usize, Stopped> {
        if self.next == self.taken.len() {
            let first = self.dice.as_mut().map_or(0, |dice| dice.draw(ways));
            self.taken.push((first as u32, ways as u32));
        }
        let (chosen, _) = self.taken[self.next];
        self.next += 1;
        Ok(chosen as usize)
    }

    fn choose_thread(&mut self, ways: usize) -> Result<usize, Stopped> {
        self.of_threads.push(self.next);
        self.choose(ways)
    }

    fn new_event(&mut self, thread: usize, low: u64, high: u64) -> u32 {
        match &mut self.events {
            Some(events) => {
                events.push(OpenInput { thread: thread as u32, low, high, part_of: None });
                events.len() as u32 - 1
            }
            None => u32::MAX,
        }
    }

    fn split(&mut self, event: u32, low_bits: u8) -> (u32, u32) {
        let Some(events) = &mut self.events else { return (u32::MAX, u32::MAX) };
        let Some(whole) = events.get(event as usize).copied() else { return (u32::MAX, u32::MAX) };
        let low = (1 << low_bits) - 1;
        events.push(OpenInput { low: 0, high: low, part_of: Some((event, 0)), ..whole });
        events.push(OpenInput { low: 0, high: whole.high >> low_bits, part_of: Some((event, low_bits)), ..whole });
        (events.len() as u32 - 2, events.len() as u32 - 1)
    }

    fn narrow(&mut self, event: u32, low: u64, high: u64) {
        if let Some(entry) = self.events.as_mut().and_then(|events| events.get_mut(event as usize)) {
            (entry.low, entry.high) = (low, high);
        }
    }
}
