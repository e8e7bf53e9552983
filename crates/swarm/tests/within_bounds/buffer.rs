//! The store buffer of a thread, straight from the table in `program/src/memory_model.rs`.

use selvedge_generate::endless::Variable;
use selvedge_program::MemoryModel;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Entry {
    Store { variable: Variable, value: i8, release: bool },
    Separator,
}

/// The oldest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Buffer(Vec<Entry>);

impl Buffer {
    pub fn push(&mut self, entry: Entry) {
        if entry != Entry::Separator || !self.0.is_empty() {
            self.0.push(entry);
        }
    }

    /// The newest value of a variable.
    pub fn newest(&self, wanted: Variable) -> Option<i8> {
        self.0.iter().rev().find_map(|entry| match entry {
            Entry::Store { variable, value, .. } if *variable == wanted => Some(*value),
            Entry::Store { .. } | Entry::Separator => None,
        })
    }

    /// The stores that can arrive next, and the buffer without each of them.
    pub fn flushes(&self, model: MemoryModel) -> Vec<((Variable, i8), Buffer)> {
        let mut all = Vec::new();
        for (index, entry) in self.0.iter().enumerate() {
            let Entry::Store { variable, value, release } = *entry else { continue };
            let waits_for = |earlier: &Entry| match *earlier {
                Entry::Separator => true,
                Entry::Store { variable: other, .. } => model.keeps_order(other == variable, false, release),
            };
            if !self.0[..index].iter().any(waits_for) {
                let mut left = self.clone();
                left.0.remove(index);
                while left.0.first() == Some(&Entry::Separator) {
                    left.0.remove(0);
                }
                all.push(((variable, value), left));
            }
        }
        all
    }

    /// Takes all stores out, the oldest first.
    pub fn drain(&mut self) -> Vec<(Variable, i8)> {
        let stores = std::mem::take(&mut self.0).into_iter();
        stores
            .filter_map(|entry| match entry {
                Entry::Store { variable, value, .. } => Some((variable, value)),
                Entry::Separator => None,
            })
            .collect()
    }
}
