//! Random litmus tests: two or three threads on two variables, with the outcomes that the axioms allow.
//!
//! Few places and many kinds of accesses: most stores can be overtaken by something, and most loads can tell.

use crate::text::parse;
use crate::{Litmus, Observed, axioms};
use fastrand::Rng;

pub fn litmus(seed: u64) -> Litmus {
    let mut draw = Draw { rng: Rng::with_seed(seed), registers: 0, mixed: false };
    draw.mixed = draw.rng.u32(..4) == 0;
    let threads = if draw.rng.u32(..3) == 0 { 3 } else { 2 };
    let longest = if threads == 3 { 3 } else { 4 };
    let columns: Vec<Vec<String>> = (0..threads).map(|thread| draw.thread(thread, longest)).collect();
    let rows = (0..longest).map(|row| {
        let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
        cells.join(" | ")
    });
    let text = rows.collect::<Vec<_>>().join("\n");
    let mut test = parse(&format!("random{seed}"), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let registers = (0..draw.registers).map(|number| Observed::Register(format!("r{number}")));
    test.observed =
        registers.chain(test.variables().into_iter().map(|name| Observed::Variable(name.to_string()))).collect();
    test.allowed = axioms::outcomes(&test);
    test
}

struct Draw {
    rng: Rng,
    registers: u32,
    /// Accesses of several sizes.
    mixed: bool,
}

impl Draw {
    /// Begins with one variable and ends with the other, threads in different orders: such accesses can be told apart.
    fn thread(&mut self, number: usize, longest: usize) -> Vec<String> {
        let (first, last) = if number.is_multiple_of(2) { ("x", "y") } else { ("y", "x") };
        let between = self.rng.usize(..=longest - 2);
        let mut actions = vec![self.access(first)];
        actions.extend((0..between).map(|_| self.action()));
        actions.push(self.access(last));
        actions
    }

    fn access(&mut self, variable: &str) -> String {
        let place = self.part_of(variable);
        match self.rng.u32(..5) {
            0..3 => format!("{place} ={} {}", self.store_order(), self.rng.u32(1..=2)),
            _ => format!("{} = {place}", self.register()),
        }
    }

    fn action(&mut self) -> String {
        let variable = self.one_of(&["x", "y"]);
        let place = self.part_of(variable);
        match self.rng.u32(..12) {
            0..8 => self.access(variable),
            8 => format!("{} =rlx xchg {place} {}", self.register(), self.rng.u32(1..=2)),
            9 => format!("{} = cas {place} {} 3", self.register(), self.rng.u32(..=1)),
            10 => "fence sc".to_string(),
            _ => format!("fence {}", self.one_of(&["rel", "acq", "acq_rel"])),
        }
    }

    fn register(&mut self) -> String {
        self.registers += 1;
        format!("r{}", self.registers - 1)
    }

    fn part_of(&mut self, variable: &str) -> String {
        let part = if self.mixed { self.one_of(&["", "", ".0", ".1", ".lo"]) } else { "" };
        format!("{variable}{part}")
    }

    fn store_order(&mut self) -> &'static str {
        self.one_of(&["", "", "", "rlx", "rel", "sc"])
    }

    fn one_of(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.rng.usize(..choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_tell_the_models_apart() {
        let tests: Vec<Litmus> = (0..100).map(litmus).collect();
        let differ = |a: usize, b: usize| tests.iter().filter(|test| test.allowed[a] != test.allowed[b]).count();
        assert!(differ(0, 1) >= 20 && differ(1, 2) >= 15, "{} and {}", differ(0, 1), differ(1, 2));
        assert!(tests.iter().all(|test| !test.allowed[0].is_empty()));
    }
}
