//! Sets of places in memory, each stored once.
//!
//! Programs that were unrolled have very many registers but few distinct sets, so sets are numbered
//! (hash-consed) and the results of operations on them are remembered: a union of two sets that met
//! before is one lookup.

use hashbrown::HashMap;
use selvedge_program::GlobalId;

/// The offset in an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Offset {
    At(i64),
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    pub object: GlobalId,
    pub offset: Offset,
}

/// The places that a value may point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Sorted, without repetitions.
    pub objects: Vec<GlobalId>,
    /// Sorted. `Any` of an object is its only place.
    pub places: Vec<Place>,
}

impl Targets {
    /// The place, if there is exactly one and its offset is known.
    pub fn single(&self) -> Option<(GlobalId, i64)> {
        match self.places[..] {
            [Place { object, offset: Offset::At(at) }] => Some((object, at)),
            _ => None,
        }
    }

    pub fn contains(&self, object: GlobalId, offset: i64) -> bool {
        let has = |offset| self.places.binary_search(&Place { object, offset }).is_ok();
        has(Offset::At(offset)) || has(Offset::Any)
    }
}

/// An index into [`Sets::sets`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct SetId(u32);

impl SetId {
    pub const EMPTY: SetId = SetId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// More offsets into one object count as any offset.
const MAX_OFFSETS: usize = 32;
/// No object is that large: an offset beyond it has wrapped around, or will.
const FARTHEST: i64 = 1 << 31;

pub(crate) struct Sets {
    sets: Vec<Targets>,
    numbers: HashMap<Vec<Place>, SetId>,
    unions: HashMap<(SetId, SetId), SetId>,
    shifts: HashMap<(SetId, i64), SetId>,
    blurs: HashMap<SetId, SetId>,
    singles: HashMap<Place, SetId>,
}

impl Sets {
    pub fn new() -> Sets {
        Sets {
            sets: vec![Targets::default()],
            numbers: HashMap::from([(Vec::new(), SetId::EMPTY)]),
            unions: HashMap::new(),
            shifts: HashMap::new(),
            blurs: HashMap::new(),
            singles: HashMap::new(),
        }
    }

    pub fn get(&self, set: SetId) -> &Targets {
        &self.sets[set.0 as usize]
    }

    /// The number of a list of places in order.
    fn intern(&mut self, places: Vec<Place>) -> SetId {
        let places = normal(places);
        if let Some(known) = self.numbers.get(&places) {
            return *known;
        }
        let number = SetId(self.sets.len() as u32);
        let mut objects: Vec<GlobalId> = places.iter().map(|place| place.object).collect();
        objects.dedup();
        self.sets.push(Targets { objects, places: places.clone() });
        self.numbers.insert(places, number);
        number
    }

    pub fn single(&mut self, object: GlobalId, at: i64) -> SetId {
        let place = Place { object, offset: within(at) };
        if let Some(known) = self.singles.get(&place) {
            return *known;
        }
        let set = self.intern(vec![place]);
        self.singles.insert(place, set);
        set
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let mut places = [&self.get(a).places[..], &self.get(b).places[..]].concat();
        places.sort_unstable();
        let union = self.intern(places);
        self.unions.insert(key, union);
        union
    }

    /// All places, moved by some bytes.
    pub fn shift(&mut self, set: SetId, by: i64) -> SetId {
        if by == 0 || set == SetId::EMPTY {
            return set;
        }
        if let Some(known) = self.shifts.get(&(set, by)) {
            return *known;
        }
        let moved = self.get(set).places.iter().map(|place| Place {
            object: place.object,
            offset: match place.offset {
                Offset::At(at) => at.checked_add(by).map_or(Offset::Any, within),
                Offset::Any => Offset::Any,
            },
        });
        let mut moved: Vec<Place> = moved.collect();
        moved.sort_unstable();
        let shifted = self.intern(moved);
        self.shifts.insert((set, by), shifted);
        shifted
    }

    /// The objects of the set, at any offset.
    pub fn blur(&mut self, set: SetId) -> SetId {
        if set == SetId::EMPTY {
            return set;
        }
        if let Some(known) = self.blurs.get(&set) {
            return *known;
        }
        let anywhere = self.get(set).objects.iter().map(|object| Place { object: *object, offset: Offset::Any });
        let blurred = self.intern(anywhere.collect());
        self.blurs.insert(set, blurred);
        blurred
    }

    pub fn into_targets(self) -> Vec<Targets> {
        self.sets
    }
}

fn within(at: i64) -> Offset {
    if at.unsigned_abs() < FARTHEST.unsigned_abs() { Offset::At(at) } else { Offset::Any }
}

/// Removes repetitions; too many offsets of an object, or an unknown one, become `Any`.
fn normal(places: Vec<Place>) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::with_capacity(places.len());
    for group in places.chunk_by(|a, b| a.object == b.object) {
        let start = kept.len();
        kept.extend_from_slice(group);
        kept.dedup();
        // `Any` sorts last.
        let any = group.last().is_some_and(|place| place.offset == Offset::Any);
        if any || kept.len() - start > MAX_OFFSETS {
            kept.truncate(start);
            kept.push(Place { object: group[0].object, offset: Offset::Any });
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::EntityRef;

    #[test]
    fn equal_sets_are_one() {
        let mut sets = Sets::new();
        let (x, y) = (GlobalId::new(1), GlobalId::new(2));
        let (a, b) = (sets.single(x, 0), sets.single(y, 4));
        let union = sets.union(a, b);
        assert_eq!(union, sets.union(b, a));
        assert_eq!(sets.union(union, a), union);
        let moved = sets.shift(union, 4);
        assert_eq!(sets.get(moved).places.len(), 2);
        assert!(sets.get(moved).contains(x, 4) && sets.get(moved).contains(y, 8));
        assert_eq!(sets.shift(moved, -4), union);
        let anywhere = sets.blur(union);
        assert_eq!(sets.union(union, anywhere), anywhere);
        assert!(sets.get(anywhere).contains(x, 99));
    }

    #[test]
    fn many_offsets_become_any() {
        let mut sets = Sets::new();
        let object = GlobalId::new(0);
        let mut all = SetId::EMPTY;
        for at in 0..MAX_OFFSETS as i64 {
            let one = sets.single(object, at);
            all = sets.union(all, one);
        }
        assert_eq!(sets.get(all).places.len(), MAX_OFFSETS);
        let as_many_again = sets.shift(all, MAX_OFFSETS as i64);
        let anywhere = sets.union(all, as_many_again);
        assert_eq!(sets.get(anywhere).places, [Place { object, offset: Offset::Any }]);
    }
}
