//! Several searches that take turns, so that together they take only a part of the time.
//!
//! Each runs on a thread of its own, and asks here, whenever it looks at the clock, whether it may go on; all others
//! wait. A turn is [`TURN`] long. The next is for the search that has had the least time for its weight. The weight
//! says how much news the search had in its turns of late: states that it had not seen, of all transitions that it
//! made. A search that only comes to what it knows gets little time, but never none, for a bug may still come. One that
//! expects to come to its end before as much time again has passed as all have had so far gets most of the time: its
//! answer is the last word.

use selvedge_engine::Progress;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least length of a turn.
const TURN: Duration = Duration::from_millis(20);
/// The main search may have ended while all of these rest.
const NAP: Duration = Duration::from_millis(10);
/// The weight of a search without news; with nothing but news it is 1 more.
const LEAST: f64 = 0.2;
/// The weight of one that expects to end soon.
const MOST: f64 = 5.0;

pub struct Turns {
    started: Instant,
    /// One part in so many of the time is for all of them together.
    share: u32,
    accounts: Mutex<Vec<Account>>,
    changed: Condvar,
}

/// The time that one search has had.
#[derive(Clone, Copy, Debug)]
struct Account {
    used: Duration,
    /// When its turn began, if it has it.
    since: Option<Instant>,
    weight: f64,
    /// When its turn began: states and transitions.
    before: [u64; 2],
    is_over: bool,
}

impl Account {
    fn new() -> Account {
        Account { used: Duration::ZERO, since: None, weight: LEAST + 1.0, before: [0; 2], is_over: false }
    }

    /// Ends its turn, if that has been long enough. Has it ended? `elapsed`: since all began.
    fn ends_turn(&mut self, progress: &Progress, elapsed: Duration) -> bool {
        let Some(took) = self.since.map(|since| since.elapsed()) else { return true };
        if took < TURN {
            return false;
        }
        (self.since, self.used) = (None, self.used + took);
        let now = [progress.states, progress.transitions];
        let [news, all] = [0, 1].map(|at| now[at].saturating_sub(self.before[at]) as f64);
        self.before = now;
        let weight = self.weight.min(LEAST + 1.0);
        let ends_soon = self.rest(progress).is_some_and(|rest| rest <= elapsed);
        self.weight = if ends_soon { MOST } else { (weight + LEAST + (news / all.max(1.0)).min(1.0)) / 2.0 };
        true
    }

    /// How much time it will still need, if it can tell.
    fn rest(&self, progress: &Progress) -> Option<Duration> {
        let done = f64::from(progress.done) / 1e6;
        Duration::try_from_secs_f64(self.used.as_secs_f64() * (1.0 - done) / done).ok()
    }

    fn so_far(&self) -> f64 {
        self.used.as_secs_f64() / self.weight
    }
}

impl Turns {
    pub fn new(searches: usize, share: u32) -> Turns {
        let accounts = Mutex::new(vec![Account::new(); searches]);
        Turns { started: Instant::now(), share, accounts, changed: Condvar::new() }
    }

    /// Returns when the search of this number may go on, or when it is over anyway.
    pub fn wait(&self, search: usize, progress: &Progress, is_over: impl Fn() -> bool) {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if !accounts[search].ends_turn(progress, self.started.elapsed()) {
            return;
        }
        self.changed.notify_all();
        while !is_over() {
            if self.next(&accounts) == Some(search) {
                accounts[search].since = Some(Instant::now());
                return;
            }
            accounts = self.changed.wait_timeout(accounts, NAP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The search has ended: its time is for the others.
    pub fn leave(&self, search: usize) {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        (accounts[search].is_over, accounts[search].since) = (true, None);
        self.changed.notify_all();
    }

    /// The search whose turn it is, if there is one.
    fn next(&self, accounts: &[Account]) -> Option<usize> {
        let used: Duration = accounts.iter().map(|account| account.used).sum();
        if accounts.iter().any(|account| account.since.is_some()) || used * self.share > self.started.elapsed() {
            return None;
        }
        let open = accounts.iter().enumerate().filter(|(_, account)| !account.is_over);
        open.min_by(|(_, a), (_, b)| a.so_far().total_cmp(&b.so_far())).map(|(search, _)| search)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(milliseconds: u64, weight: f64) -> Account {
        Account { used: Duration::from_millis(milliseconds), weight, ..Account::new() }
    }

    #[test]
    fn more_for_those_with_news() {
        let turns = Turns { started: Instant::now() - Duration::from_secs(100), ..Turns::new(3, 2) };
        // A third of the weight, and a third of the time: whoever comes first.
        assert_eq!(turns.next(&[account(300, 1.2), account(100, 0.4)]), Some(0));
        assert_eq!(turns.next(&[account(301, 1.2), account(100, 0.4)]), Some(1));
        // None while another one goes, or when the time is up.
        let running = Account { since: Some(Instant::now()), ..account(0, 1.0) };
        assert_eq!(turns.next(&[running, account(0, 1.0)]), None);
        assert_eq!(turns.next(&[account(60_000, 1.0), account(0, 1.0)]), None);
        let over = Account { is_over: true, ..account(0, 1.0) };
        assert_eq!(turns.next(&[over, account(9, 1.0)]), Some(1));
    }

    #[test]
    fn a_turn_without_news_halves_the_weight() {
        let mut account = Account { since: Some(Instant::now() - TURN), ..Account::new() };
        let began = Duration::from_secs(1);
        assert!(account.ends_turn(&Progress { states: 0, transitions: 50, ..Progress::default() }, began));
        assert!((account.weight - (LEAST + 0.5)).abs() < 1e-9, "{account:?}");
        account.since = Some(Instant::now() - TURN);
        assert!(account.ends_turn(&Progress { states: 50, transitions: 100, ..Progress::default() }, began));
        assert!((account.weight - (LEAST + 0.75)).abs() < 1e-9, "{account:?}");
        account.since = Some(Instant::now());
        assert!(!account.ends_turn(&Progress::default(), began), "it has just begun");
    }

    #[test]
    fn who_ends_soon_gets_most_of_the_time() {
        let of_progress = |done: u32| {
            let since = Some(Instant::now() - TURN);
            let mut account = Account { since, used: Duration::from_millis(500), ..Account::new() };
            assert!(account.ends_turn(&Progress { done, ..Progress::default() }, Duration::from_secs(1)));
            account.weight
        };
        // It needs about as long again; four times as long; it cannot tell.
        assert_eq!(of_progress(500_000), MOST);
        assert!(of_progress(200_000) < LEAST + 1.0);
        assert!(of_progress(0) < LEAST + 1.0);
    }
}
