//! Reads the output of a verifier of SPIN's, with the messages of our library in it.

use selvedge_engine::counterexample::Leg;
use selvedge_pan::{BOUND, INCOMPLETE, NEEDS, SAYS, STEP, STOP, StopCode};

/// The result of a search, as the verifier and our library print it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The number of errors, if the search came to an end.
    pub errors: Option<u64>,
    /// The first of them, in SPIN's words.
    pub complaint: Option<String>,
    pub stored: u64,
    pub transitions: u64,
    /// Was a formula checked?
    pub claim: bool,
    /// Is every state kept as it is?
    pub exact: bool,
    pub not_completed: bool,
    pub too_deep: bool,
    pub out_of_memory: bool,
    /// The library's words for anything that was not looked at.
    pub incomplete: Option<String>,
    pub bound: bool,
    pub needs: Option<usize>,
    pub stop: Option<StopCode>,
    /// Its last words.
    pub last_words: String,
}

pub fn read(output: &str) -> Answer {
    let mut answer = Answer::default();
    for line in output.lines() {
        if let Some(said) = line.strip_prefix(SAYS) {
            answer.read_message(said);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["never", "claim", "+", ..] => answer.claim = true,
            ["Full", "statespace", "search", ..] => answer.exact = true,
            [stored, "states,", "stored", ..] => answer.stored = number(stored),
            [transitions, "transitions", ..] => answer.transitions = number(transitions),
            _ => {}
        }
        if let Some((_, errors)) = line.split_once("errors: ") {
            answer.errors = errors.trim().parse().ok();
        }
        if let Some((_, complaint)) = line.split_once("pan:1: ") {
            answer.complaint.get_or_insert(complaint.trim().to_string());
        }
        answer.not_completed |= line.contains("Search not completed");
        answer.too_deep |= line.contains("max search depth too small");
        answer.out_of_memory |= line.contains("out of memory") || line.contains("reached -DMEMLIM bound");
    }
    answer
}

impl Answer {
    fn read_message(&mut self, said: &str) {
        let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
        match word {
            INCOMPLETE => self.incomplete = Some(rest.to_string()),
            BOUND => self.bound = true,
            NEEDS => self.needs = rest.parse().ok(),
            STOP => self.stop = rest.parse().ok().and_then(StopCode::from_number),
            _ => self.last_words = said.to_string(),
        }
    }
}

/// SPIN writes large ones as `1.5e+06`.
fn number(text: &str) -> u64 {
    text.parse::<f64>().map_or(0, |number| number as u64)
}

/// A run as `pan -r` tells it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// A transition each.
    pub legs: Vec<Leg>,
    /// The first transition that repeats, if the run has no end.
    pub cycle: Option<usize>,
}

pub fn trail(output: &str) -> Option<Trail> {
    let mut trail = Trail::default();
    for line in output.lines() {
        if line.contains("START OF CYCLE") {
            trail.cycle = Some(trail.legs.len());
        } else if let Some(step) = line.strip_prefix(SAYS).and_then(|said| said.strip_prefix(STEP)) {
            let mut numbers = step.split_whitespace().map(str::parse::<u32>);
            let thread = numbers.next()?.ok()?;
            trail.legs.push(Leg::new(thread as usize, numbers.collect::<Result<_, _>>().ok()?));
        }
    }
    Some(trail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
	never claim         	- (none specified)
	assertion violations	+
	cycle checks       	- (disabled by -DSAFETY)
	invalid end states	+

State-vector 100 byte, depth reached 16, errors: 0
  1.5e+06 states, stored
       23 states, matched
       49 transitions (= stored+matched)
       39 atomic steps
";

    #[test]
    fn a_search_to_the_end() {
        let answer = read(FULL);
        assert_eq!((answer.errors, answer.stored, answer.transitions), (Some(0), 1_500_000, 49));
        assert!(answer.exact && !answer.not_completed && !answer.too_deep && !answer.claim);
        assert!(read("\tnever claim         \t+ (property)\n").claim);
        assert_eq!(answer.complaint, None);
    }

    #[test]
    fn limits_are_heard() {
        let cut = FULL
            .replace("Full statespace", "Bit statespace")
            .replace("errors: 0", "errors: 0\nerror: max search depth too small");
        let answer = read(&cut);
        assert!(!answer.exact && answer.too_deep);
        assert!(read("selvedge: bound\n").bound);
        let stopped = read("selvedge: needs 77\nselvedge: a state takes …\nselvedge: stop 4\n");
        assert_eq!((stopped.needs, stopped.stop), (Some(77), Some(StopCode::Bytes)));
        assert_eq!(read("selvedge: incomplete too wide\n").incomplete.as_deref(), Some("too wide"));
        assert_eq!(read("nothing").errors, None);
    }

    #[test]
    fn a_trail_is_read() {
        let text = "  1:\tproc 0\nselvedge: step 0\nselvedge: step 2 1 0\n<<<<<START OF CYCLE>>>>>\nselvedge: step 1\n";
        let legs = vec![Leg::new(0, vec![]), Leg::new(2, vec![1, 0]), Leg::new(1, vec![])];
        assert_eq!(trail(text), Some(Trail { legs, cycle: Some(2) }));
        assert_eq!(trail("selvedge: step x\n"), None);
    }
}
