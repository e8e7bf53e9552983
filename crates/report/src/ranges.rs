//! The values that variables may hold, as a table and as JSON.

use crate::statistics::grouped;
use serde::Serialize;
use std::fmt::Write;

/// A variable, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Variable {
    /// As C names it: `stack.array[1].next`.
    pub name: String,
    /// The function of a local variable.
    pub function: Option<String>,
    /// The bits of its type; `needed` is how many of them its values need.
    pub bits: u32,
    pub needed: u32,
    /// The least and the greatest value, signed or unsigned, whichever needs fewer bits. They may exceed the range of
    /// numbers in JSON.
    pub least: String,
    pub greatest: String,
}

/// The ranges of all variables of a program.
#[derive(Serialize)]
pub struct Ranges<'a> {
    pub files: &'a [String],
    pub unwind: u32,
    /// `None` stands for any number.
    pub rounds: Option<u32>,
    pub variables: &'a [Variable],
}

impl Ranges<'_> {
    fn totals(&self) -> (u64, u64) {
        let sum = |bits: fn(&Variable) -> u32| self.variables.iter().map(|v| u64::from(bits(v))).sum();
        (sum(|variable| variable.bits), sum(|variable| variable.needed))
    }

    pub fn table(&self) -> String {
        let label = |variable: &Variable| match &variable.function {
            Some(function) => format!("{} in {function}", variable.name),
            None => variable.name.clone(),
        };
        let labels: Vec<String> = self.variables.iter().map(label).collect();
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max("variable".len());
        let mut text = format!("{:width$}  bits  needed  values\n", "variable");
        for (label, variable) in labels.iter().zip(self.variables) {
            let values = match (variable.needed == variable.bits, variable.least == variable.greatest) {
                (true, _) => "any".to_string(),
                (_, true) => variable.least.clone(),
                _ => format!("{} to {}", variable.least, variable.greatest),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{label:width$}  {:4}  {:6}  {values}", variable.bits, variable.needed);
        }
        let (bits, needed) = self.totals();
        let rounds = self.rounds.map_or("any number of rounds".to_string(), |rounds| format!("rounds {rounds}"));
        let _ =
            writeln!(text, "{} of {} bits needed (unwind {}, {rounds})", grouped(needed), grouped(bits), self.unwind);
        text
    }

    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Document<'a> {
            tool: &'static str,
            version: &'static str,
            #[serde(flatten)]
            ranges: &'a Ranges<'a>,
            bits: u64,
            needed: u64,
        }
        let (bits, needed) = self.totals();
        let document = Document { tool: "selvedge", version: env!("CARGO_PKG_VERSION"), ranges: self, bits, needed };
        let text = serde_json::to_string_pretty(&document).expect("strings and numbers");
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_with_totals() {
        let variable = |name: &str, function: Option<&str>, needed, least: &str, greatest: &str| Variable {
            name: name.to_string(),
            function: function.map(str::to_string),
            bits: 32,
            needed,
            least: least.to_string(),
            greatest: greatest.to_string(),
        };
        let variables = [
            variable("s.top", None, 3, "-1", "2"),
            variable("i", Some("main"), 32, "0", "4294967295"),
            variable("n", None, 0, "7", "7"),
        ];
        let ranges = Ranges { files: &[], unwind: 2, rounds: Some(3), variables: &variables };
        let expected = "variable   bits  needed  values\n\
                        s.top        32       3  -1 to 2\n\
                        i in main    32      32  any\n\
                        n            32       0  7\n\
                        35 of 96 bits needed (unwind 2, rounds 3)\n";
        assert_eq!(ranges.table(), expected);
        assert!(ranges.json().contains("\"needed\": 35"));
    }
}
