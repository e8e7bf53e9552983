//! The abstract value of a register, whatever the path and the thread: a number, or the places it may point to.
//!
//! An address that ends up in a value of which nothing is known has *escaped*: any pointer may be it.

use selvedge_program::{FuncId, GlobalId, Operand};
use std::collections::BTreeSet;

/// A value with more places than this is taken for anything.
const MOST_PLACES: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// No address of anything.
    Number,
    /// In an object on a stack or on the heap.
    Elsewhere,
    Func(FuncId),
    /// In a global, or in some thread's copy of it; at this offset, or anywhere.
    Global(GlobalId, Option<i64>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An `Operand::Const`.
    Constant(Operand),
    Places(BTreeSet<Place>),
    /// Any number, and any address that escaped.
    Anything,
}

/// Addresses that escaped.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Escaped {
    pub globals: BTreeSet<GlobalId>,
    pub functions: BTreeSet<FuncId>,
    /// Did any escape since this was last cleared?
    pub grew: bool,
}

impl Escaped {
    /// Its addresses may be anywhere from now on.
    pub fn add(&mut self, value: &Value) {
        let Value::Places(places) = value else { return };
        for place in places {
            self.grew |= match place {
                Place::Global(id, _) => self.globals.insert(*id),
                Place::Func(id) => self.functions.insert(*id),
                Place::Number | Place::Elsewhere => false,
            };
        }
    }
}

impl Value {
    pub fn one(place: Place) -> Value {
        Value::Places(BTreeSet::from([place]))
    }

    pub fn number() -> Value {
        Value::one(Place::Number)
    }

    /// The value of an operand that is no register.
    pub fn of(operand: Operand) -> Value {
        match operand {
            Operand::Const { .. } => Value::Constant(operand),
            Operand::Global { id, offset } => Value::one(Place::Global(id, Some(offset))),
            Operand::Func(id) => Value::one(Place::Func(id)),
            Operand::Reg(_) => Value::Anything,
        }
    }

    pub fn bits(&self) -> Option<u128> {
        match self {
            Value::Constant(Operand::Const { bits, .. }) => Some(*bits),
            _ => None,
        }
    }

    /// The globals that it may point into, besides those that escaped.
    pub fn globals(&self) -> Vec<GlobalId> {
        let Value::Places(places) = self else { return vec![] };
        let ids = places.iter().filter_map(|place| match place {
            Place::Global(id, _) => Some(*id),
            _ => None,
        });
        ids.collect()
    }

    /// The global that it certainly points into.
    pub fn only_global(&self) -> Option<GlobalId> {
        let Value::Places(places) = self else { return None };
        let mut ids = places.iter().map(|place| match place {
            Place::Global(id, _) => Some(*id),
            _ => None,
        });
        let first = ids.next()??;
        ids.all(|id| id == Some(first)).then_some(first)
    }

    /// May it be, or hold a part of, an address that did not escape?
    pub fn holds_address(&self) -> bool {
        matches!(self, Value::Places(places) if places.iter().any(|place| *place != Place::Number))
    }

    /// These pointers, moved by `bytes`; `None`: by an unknown distance.
    pub fn moved(&self, bytes: Option<i64>) -> Value {
        match self {
            Value::Places(places) => {
                let moved = places.iter().map(|place| match place {
                    Place::Global(id, offset) => {
                        Place::Global(*id, offset.zip(bytes).and_then(|(offset, bytes)| offset.checked_add(bytes)))
                    }
                    other => *other,
                });
                Value::Places(moved.collect())
            }
            Value::Constant(_) if bytes == Some(0) => self.clone(),
            Value::Constant(_) => Value::number(),
            Value::Anything => Value::Anything,
        }
    }

    /// Widens to what also holds of the other. Did that change it?
    pub fn join(&mut self, other: &Value, escaped: &mut Escaped) -> bool {
        if self == other {
            return false;
        }
        let places = |value: &Value| match value {
            Value::Constant(_) => Some(BTreeSet::from([Place::Number])),
            Value::Places(places) => Some(places.clone()),
            Value::Anything => None,
        };
        let joined = match (places(self), places(other)) {
            (Some(mine), Some(theirs)) => few(mine.union(&theirs).copied().collect()),
            _ => None,
        };
        let joined = match joined {
            Some(places) => Value::Places(places),
            None => {
                escaped.add(self);
                escaped.add(other);
                Value::Anything
            }
        };
        let changed = *self != joined;
        *self = joined;
        changed
    }
}

/// Not too many: a global at several offsets is a global anywhere. None: still too many.
fn few(mut places: BTreeSet<Place>) -> Option<BTreeSet<Place>> {
    if places.len() > MOST_PLACES / 2 {
        let anywhere = |place| match place {
            Place::Global(id, _) => Place::Global(id, None),
            other => other,
        };
        places = places.into_iter().map(anywhere).collect();
    }
    let blurred: Vec<GlobalId> = places
        .iter()
        .filter_map(|place| match place {
            Place::Global(id, None) => Some(*id),
            _ => None,
        })
        .collect();
    places.retain(|place| !matches!(place, Place::Global(id, Some(_)) if blurred.contains(id)));
    (places.len() <= MOST_PLACES).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::EntityRef;

    fn global(offset: i64) -> Value {
        Value::of(Operand::Global { id: GlobalId::new(3), offset })
    }

    #[test]
    fn what_joins_the_unknown_escapes() {
        let mut escaped = Escaped::default();
        let mut value = global(0);
        assert!(value.join(&Value::of(Operand::NULL), &mut escaped));
        assert!(!value.join(&Value::of(Operand::NULL), &mut escaped));
        assert!(escaped.globals.is_empty());
        assert!(value.join(&Value::Anything, &mut escaped));
        assert_eq!((value, escaped.globals.len()), (Value::Anything, 1));
    }

    #[test]
    fn many_offsets_are_any_offset() {
        let mut escaped = Escaped::default();
        let mut value = global(0);
        let mut changes = 0;
        for offset in 1..100 {
            changes += usize::from(value.join(&global(offset), &mut escaped));
        }
        assert!(changes < 20, "{changes}");
        assert_eq!(value, Value::one(Place::Global(GlobalId::new(3), None)));
        assert!(escaped.globals.is_empty());
    }
}
