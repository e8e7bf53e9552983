//! The results of a swarm: many small instances of one check.

mod expect;

pub use expect::{Expected, Sample};

use crate::schedule::Schedule;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The name of an instance of a tiling, `17` or `17.3.0`: the number of its selection, and which part of which part.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name {
    pub selection: u128,
    pub parts: Vec<u32>,
}

impl Name {
    pub fn whole(selection: u128) -> Name {
        Name { selection, parts: Vec::new() }
    }

    pub fn part(&self, number: u32) -> Name {
        Name { selection: self.selection, parts: self.parts.iter().copied().chain([number]).collect() }
    }

    pub fn parent(&self) -> Option<Name> {
        let (_, parts) = self.parts.split_last()?;
        Some(Name { selection: self.selection, parts: parts.to_vec() })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.selection)?;
        self.parts.iter().try_for_each(|part| write!(f, ".{part}"))
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        let wrong = || format!("`{text}` is not the name of an instance");
        let mut numbers = text.split('.');
        let selection = numbers.next().and_then(|number| number.parse().ok()).ok_or_else(wrong)?;
        let parts = numbers.map(|number| number.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        Ok(Name { selection, parts })
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The end of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    Safe,
    Buggy,
    TimedOut,
}

/// The result of one instance.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The size of uniform tiles; 0 for tiles given by the user.
    pub tile_size: usize,
    pub instance: Name,
    pub ended: Ended,
    pub seconds: f64,
    /// CPU time, where the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// The number of instances that the same solver checked before.
    pub before: u64,
    /// The schedule of a bug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
}

/// The number of instances by their result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    pub safe: u64,
    pub buggy: u64,
    pub timed_out: u64,
}

impl Counts {
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Counts {
        let mut counts = Counts::default();
        for record in records {
            match record.ended {
                Ended::Safe => counts.safe += 1,
                Ended::Buggy => counts.buggy += 1,
                Ended::TimedOut => counts.timed_out += 1,
            }
        }
        counts
    }

    pub fn total(self) -> u64 {
        self.safe + self.buggy + self.timed_out
    }
}

/// The times that instances took.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Times {
    pub least: f64,
    pub median: f64,
    pub most: f64,
    pub mean: f64,
    pub deviation: f64,
}

impl Times {
    pub fn of(seconds: impl IntoIterator<Item = f64>) -> Option<Times> {
        let mut seconds: Vec<f64> = seconds.into_iter().collect();
        seconds.sort_by(f64::total_cmp);
        let (least, most) = (*seconds.first()?, *seconds.last()?);
        let count = seconds.len() as f64;
        let mean = seconds.iter().sum::<f64>() / count;
        let variance = seconds.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / count;
        Some(Times { least, median: seconds[seconds.len() / 2], most, mean, deviation: variance.sqrt() })
    }
}

/// The statistics of one tile size.
#[derive(Clone, Debug, Serialize)]
pub struct OfSize {
    pub tile_size: usize,
    /// The shape of its tiles.
    pub kind: String,
    /// The number of tiles selected in each thread.
    pub tiles: usize,
    /// The number of all selections. A string, since it may exceed the exact range of JSON numbers.
    pub selections: String,
    /// The number of selections free of bugs, including fractions of divided ones.
    pub covered: f64,
    pub share: f64,
    #[serde(flatten)]
    pub counts: Counts,
    pub seconds: Option<Times>,
    pub seconds_of_buggy: Option<Times>,
    /// CPU time, where the system reports it.
    pub cpu_seconds_of_buggy: Option<Times>,
    /// The cores and the time needed to find a bug with probability 0.95 and 0.99.
    pub expected: Option<[Expected; 2]>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub jobs: usize,
    pub wall_seconds: f64,
    pub instances_per_second: f64,
    /// The CPU time of all instances, where the system reports it.
    pub cpu_seconds: f64,
    /// The peak memory of the whole process, where the system reports it: instances share it.
    pub peak_megabytes: Option<u64>,
    #[serde(flatten)]
    pub counts: Counts,
    /// By tile size, including sizes that were only tried.
    pub sizes: Vec<OfSize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(Times::of([]), None);
        let times = Times::of([3.0, 1.0, 5.0]).expect("three");
        assert_eq!((times.least, times.median, times.most, times.mean), (1.0, 3.0, 5.0, 3.0));
        assert!((times.deviation - (8.0f64 / 3.0).sqrt()).abs() < 1e-9);
    }
}
