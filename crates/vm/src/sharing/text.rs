//! The knowledge about sharing as text, for searches in another process.
//!
//! Each part is a line: a word, then items. Bytes are written as `code.locks*count`, in order.

use super::{Byte, LockSet, Sharing};
use std::fmt::Write;
use std::str::FromStr;

const TITLE: &str = "selvedge-sharing 1";

impl Sharing {
    /// The knowledge so far, without the places that grew since the search began: see [`Sharing::widened`].
    pub fn to_text(&self) -> String {
        let mut text = format!("{TITLE}\neverything {}\n", u8::from(self.everything));
        let _ = writeln!(text, "threads {} {}", self.creation, self.ending);
        line(&mut text, "broken", self.broken.iter().map(u64::to_string));
        line(&mut text, "sets", self.sets.iter().map(|[a, b, c]| format!("{a}.{b}.{c}")));
        line(&mut text, "variables", self.variables.iter().map(|(start, ended)| format!("{start}.{ended}")));
        line(&mut text, "globals", runs(&self.globals));
        let watched = self.watched.iter().enumerate().filter(|(_, watched)| **watched);
        line(&mut text, "watched", watched.map(|(at, _)| at.to_string()));
        line(&mut text, "watched-objects", self.watched_objects.iter().map(|(site, at)| format!("{site}.{at}")));
        for (site, (bytes, ended)) in self.objects.iter().enumerate().filter(|(_, (bytes, _))| !bytes.is_empty()) {
            line(&mut text, "object", [site.to_string(), ended.to_string()].into_iter().chain(runs(bytes)));
        }
        text
    }
}

fn line(text: &mut String, word: &str, items: impl Iterator<Item = String>) {
    text.push_str(word);
    items.for_each(|item| {
        text.push(' ');
        text.push_str(&item);
    });
    text.push('\n');
}

fn runs(bytes: &[Byte]) -> impl Iterator<Item = String> {
    bytes.chunk_by(|a, b| a == b).map(|run| format!("{}.{}*{}", run[0].code, run[0].locks, run.len()))
}

/// The text is not a result of [`Sharing::to_text`]; contains the line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a table of what threads share: line {0}")]
pub struct NotSharing(usize);

impl FromStr for Sharing {
    type Err = NotSharing;

    fn from_str(text: &str) -> Result<Sharing, NotSharing> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, title)| title != TITLE) {
            return Err(NotSharing(1));
        }
        let mut sharing = Sharing::default();
        for (number, line) in lines {
            sharing.read(line).ok_or(NotSharing(number + 1))?;
        }
        let sets = sharing.sets.len();
        let all = sharing.globals.iter().chain(sharing.objects.iter().flat_map(|(bytes, _)| bytes));
        match sets > 0 && all.clone().all(|byte| usize::from(byte.locks) < sets) {
            true => Ok(sharing),
            false => Err(NotSharing(text.lines().count())),
        }
    }
}

impl Sharing {
    fn read(&mut self, line: &str) -> Option<()> {
        let mut words = line.split(' ');
        let word = words.next()?;
        match word {
            "everything" => self.everything = words.next()? == "1",
            "threads" => (self.creation, self.ending) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?),
            "broken" => self.broken = words.map(|lock| lock.parse().ok()).collect::<Option<_>>()?,
            "sets" => self.sets = words.map(lock_set).collect::<Option<_>>()?,
            "variables" => self.variables = words.map(pair).collect::<Option<_>>()?,
            "globals" => {
                // `watched` names some of these bytes, and comes later.
                self.watched.is_empty().then_some(())?;
                self.globals = bytes(words)?;
            }
            "watched" => {
                for at in words {
                    self.watched.resize(self.globals.len(), false);
                    *self.watched.get_mut(at.parse::<usize>().ok()?)? = true;
                }
            }
            "watched-objects" => self.watched_objects = words.map(pair).collect::<Option<_>>()?,
            "object" => {
                let (site, ended): (usize, u8) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
                // A program has fewer instructions than this.
                (site < 1 << 24).then(|| self.objects.resize(self.objects.len().max(site + 1), Default::default()))?;
                self.objects[site] = (bytes(words)?, ended);
            }
            _ => return None,
        }
        Some(())
    }
}

fn pair<A: FromStr, B: FromStr>(text: &str) -> Option<(A, B)> {
    let (a, b) = text.split_once('.')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

fn lock_set(text: &str) -> Option<LockSet> {
    let (a, (b, c)) = text.split_once('.').and_then(|(a, rest)| Some((a.parse().ok()?, pair(rest)?)))?;
    Some([a, b, c])
}

fn bytes<'t>(runs: impl Iterator<Item = &'t str>) -> Option<Vec<Byte>> {
    let mut bytes = Vec::new();
    for run in runs {
        let (byte, count) = run.split_once('*')?;
        let (code, locks) = pair(byte)?;
        let count: u32 = count.parse().ok()?;
        bytes.extend(std::iter::repeat_n(Byte { code, locks }, count as usize));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Spot;
    use crate::sharing::FOR_READING;

    fn learnt() -> Sharing {
        let mut sharing = Sharing::new(64, [0, 8, 40]);
        let none = sharing.held(&[], false);
        let reader = sharing.held(&[16 | FOR_READING, 32], false);
        sharing.global(0, 4, 1, true, none);
        sharing.global(8, 8, 1, false, reader);
        sharing.global(8, 8, 2, false, none);
        sharing.object(5, 4, 8, true, true, reader);
        sharing.object(7, 0, 1, false, true, none);
        sharing.break_lock(48);
        sharing.watch(Spot::Variable { at: 40 }, 4);
        sharing.create(0);
        sharing.end(true);
        sharing.widened()
    }

    #[test]
    fn it_reads_back() {
        for sharing in [learnt(), Sharing::new(0, []), Sharing::everything()] {
            let text = sharing.to_text();
            let again: Sharing = text.parse().expect("our own text");
            assert_eq!(again.to_text(), text);
            assert!(again.is_watched(Spot::Variable { at: 43 }, 1) == sharing.is_watched(Spot::Variable { at: 43 }, 1));
        }
    }

    #[test]
    fn what_it_is_not_is_refused() {
        let text = learnt().to_text();
        assert!("".parse::<Sharing>().is_err());
        for (from, to) in
            [("sharing 1", "sharing 2"), ("globals", "locals"), ("sets 0", "sets x"), ("object 5", "object 5 5")]
        {
            assert!(text.contains(from), "{text}");
            assert!(text.replacen(from, to, 1).parse::<Sharing>().is_err(), "{to}");
        }
    }

    #[test]
    fn frozen_means_that_any_news_is_growth() {
        let mut sharing = Sharing { frozen: true, ..learnt() };
        let none = sharing.held(&[], false);
        sharing.global(0, 4, 1, false, none);
        assert!(!sharing.grew, "thread 1 is known to write there");
        sharing.global(4, 1, 1, false, none);
        assert!(sharing.grew, "nobody was known to read there");
    }
}
