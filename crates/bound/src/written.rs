//! Bytes of the globals that may ever hold something else than at the start.

use selvedge_program::{Global, GlobalId, Operand, Program, Ty};
use std::collections::BTreeMap;
use std::ops::Range;

/// A global with more written ranges than this is written everywhere.
const MOST_RANGES: usize = 64;
const EVERYWHERE: Range<u64> = 0..u64::MAX;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Written {
    /// Sorted, and apart from each other.
    ranges: BTreeMap<GlobalId, Vec<Range<u64>>>,
    /// Did any byte come in since this was last cleared?
    pub grew: bool,
}

impl Written {
    pub fn everywhere(&mut self, id: GlobalId) {
        self.add(id, EVERYWHERE);
    }

    pub fn add(&mut self, id: GlobalId, bytes: Range<u64>) {
        let ranges = self.ranges.entry(id).or_default();
        if bytes.is_empty() || ranges.iter().any(|range| range.start <= bytes.start && bytes.end <= range.end) {
            return;
        }
        self.grew = true;
        let mut all = bytes;
        ranges.retain(|range| {
            let apart = range.end < all.start || all.end < range.start;
            if !apart {
                all = range.start.min(all.start)..range.end.max(all.end);
            }
            apart
        });
        ranges.push(all);
        ranges.sort_by_key(|range| range.start);
        if ranges.len() > MOST_RANGES {
            ranges.clear();
            ranges.push(EVERYWHERE);
        }
    }

    pub fn touches(&self, id: GlobalId, bytes: Range<u64>) -> bool {
        self.ranges.get(&id).is_some_and(|ranges| ranges.iter().any(|r| r.start < bytes.end && bytes.start < r.end))
    }
}

/// The bytes that an access of so many bytes at this offset means, if they are the global's.
pub fn inside(global: &Global, offset: i64, bytes: u64) -> Option<Range<u64>> {
    let from = u64::try_from(offset).ok()?;
    (from <= global.size && bytes <= global.size - from).then_some(from..from + bytes)
}

/// The initial value of a part of a global, in this type. A pointer to a thread-local means another
/// object in every thread, so it is none.
pub fn initial(program: &Program, global: &Global, at: Range<u64>, ty: Ty) -> Option<Operand> {
    if let Some(relocation) = relocations(global, &at).next() {
        let whole = relocation.at == at.start && u64::from(relocation.bytes) == at.end - at.start && ty == Ty::Ptr;
        let shared = match relocation.target {
            Operand::Global { id, .. } => !program.globals[id].thread_local,
            _ => true,
        };
        return (whole && shared).then_some(relocation.target);
    }
    let bits = at.clone().fold(0, |bits, n| bits | u128::from(byte(global, n)) << (8 * (n - at.start)));
    let unused = 128 - ty.bits(program.data_model);
    Some(Operand::Const { ty, bits: bits << unused >> unused })
}

/// Does it hold nothing but this byte there?
pub fn is_filled(global: &Global, mut at: Range<u64>, with: u8) -> bool {
    relocations(global, &at).next().is_none() && at.all(|n| byte(global, n) == with)
}

fn byte(global: &Global, at: u64) -> u8 {
    global.init.get(at as usize).copied().unwrap_or(0)
}

fn relocations<'g>(global: &'g Global, at: &Range<u64>) -> impl Iterator<Item = &'g selvedge_program::Relocation> {
    let at = at.clone();
    global.relocations.iter().filter(move |r| r.at < at.end && at.start < r.at + u64::from(r.bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::EntityRef;

    #[test]
    fn ranges_grow_together() {
        let mut written = Written::default();
        let id = GlobalId::new(0);
        for start in [0, 8, 4, 2] {
            written.add(id, start..start + 2);
        }
        assert!(written.grew);
        assert_eq!(written.ranges[&id], [0..6, 8..10]);
        assert!(!written.touches(id, 6..8));
        assert!(written.touches(id, 5..7));
        written.grew = false;
        written.add(id, 1..5);
        assert!(!written.grew);
    }
}
