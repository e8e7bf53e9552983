//! The state as SPIN tracks it: a fixed number of words, of which the last are zero.
//!
//! Word 0 says how far the run is, word 1 the length of the flat state, word 2 which propositions hold, word 3 who ran
//! last and the preemptions so far (zero without a bound). Then comes the flat state. Equal situations have
//! equal words.

use selvedge_vm::State;

/// Words before the flat state.
pub const HEADER_WORDS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before `pan_setup`: all is zero.
    None,
    Running,
    /// The last step was taken, and may have changed what holds; the next moment is the end.
    Over,
    Ended,
    /// An assumption failed: there is no such run.
    Pruned,
    Failed,
    /// The function that comes first is not done: the run has not begun yet.
    Beginning,
}

const PHASES: [Phase; 7] =
    [Phase::None, Phase::Running, Phase::Over, Phase::Ended, Phase::Pruned, Phase::Failed, Phase::Beginning];

impl Phase {
    /// Can threads go on?
    pub fn goes_on(self) -> bool {
        matches!(self, Phase::Running | Phase::Beginning)
    }
}

/// The contents of a buffer, without the flat state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub phase: Phase,
    pub letter: u64,
    pub last: Last,
}

/// The thread that ran last, and how many threads were preempted so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Last {
    pub thread: u8,
    pub preemptions: u32,
}

impl Header {
    pub fn of(words: &[u64]) -> Header {
        let phase = PHASES.get(words[0] as usize).copied().unwrap_or(Phase::None);
        let last = Last { thread: words[3] as u8, preemptions: (words[3] >> 8) as u32 };
        Header { phase, letter: words[2], last }
    }
}

/// The flat state in a buffer.
pub fn flat(words: &[u64]) -> &[u64] {
    let length = usize::try_from(words[1]).unwrap_or(usize::MAX);
    words[HEADER_WORDS..].get(..length).unwrap_or_default()
}

/// Writes a whole buffer. The error is the number of words that it would take.
pub fn write(words: &mut [u64], header: Header, flat: &[u64]) -> Result<(), usize> {
    let needed = HEADER_WORDS + flat.len();
    if needed > words.len() {
        return Err(needed);
    }
    let (head, rest) = words.split_at_mut(HEADER_WORDS);
    let last = u64::from(header.last.thread) | u64::from(header.last.preemptions) << 8;
    head.copy_from_slice(&[header.phase as u64, flat.len() as u64, header.letter, last]);
    rest[..flat.len()].copy_from_slice(flat);
    rest[flat.len()..].fill(0);
    Ok(())
}

/// Writes the key under an abstraction: the header and the words that are told apart.
pub fn write_key(key: &mut [u64], state: &[u64], abstract_words: &[u64]) -> Result<(), usize> {
    let needed = HEADER_WORDS + abstract_words.len();
    if needed > key.len() {
        return Err(needed);
    }
    key[..HEADER_WORDS].copy_from_slice(&state[..HEADER_WORDS]);
    key[1] = abstract_words.len() as u64;
    key[HEADER_WORDS..needed].copy_from_slice(abstract_words);
    key[needed..].fill(0);
    Ok(())
}

pub fn flattened(state: &State) -> Vec<u64> {
    let mut words = Vec::new();
    state.flatten(&mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_the_rest_is_zero() {
        let mut words = [7; 10];
        let header = Header { phase: Phase::Over, letter: 5, last: Last { thread: 3, preemptions: 300 } };
        assert_eq!(write(&mut words, header, &[1, 2, 3]), Ok(()));
        assert_eq!(Header::of(&words), header);
        assert_eq!(flat(&words), [1, 2, 3]);
        assert_eq!(words[HEADER_WORDS + 3..], [0; 3]);
    }

    #[test]
    fn what_does_not_fit_is_said_and_nothing_is_cut() {
        let mut words = [7; 6];
        let header = Header { phase: Phase::Running, letter: 0, last: Last::default() };
        assert_eq!(write(&mut words, header, &[1, 2, 3]), Err(7));
        assert_eq!(words, [7; 6]);
    }
}
