//! Results of loads, and effects of stores.

use super::Transfer;
use crate::value::{Place, Value};
use crate::written::inside;
use selvedge_program::{Global, Program, Ty};
use std::ops::Range;

impl Transfer<'_> {
    pub(super) fn load(&mut self, addr: &Value, ty: Ty) -> Value {
        let Value::Places(places) = addr else { return Value::Anything };
        let mut result: Option<Value> = None;
        for place in places {
            let loaded = match place {
                Place::Number | Place::Func(_) => continue, // a violation
                Place::Elsewhere => Value::Anything,
                Place::Global(id, offset) => {
                    let constant = offset.and_then(|offset| self.facts.load(self.program, *id, offset, ty));
                    match constant {
                        Some(constant) => Value::of(constant),
                        None if ty == Ty::Ptr => self.facts.get(self.program, *id),
                        None => {
                            // It may be a part of an address.
                            if self.facts.contents.get(id).is_some_and(Value::holds_address) {
                                self.facts.open(*id);
                            }
                            Value::Anything
                        }
                    }
                }
            };
            match &mut result {
                None => result = Some(loaded),
                Some(result) => {
                    result.join(&loaded, &mut self.facts.escaped);
                }
            }
        }
        result.unwrap_or(Value::Anything)
    }

    /// Writes `bytes` bytes; `keeps`: a range of a global is as it was at the start afterwards.
    pub(super) fn write(
        &mut self,
        addr: &Value,
        bytes: Option<u64>,
        keeps: impl Fn(&Program, &Global, Range<u64>) -> bool,
    ) {
        let places = match addr {
            Value::Constant(_) => return,
            Value::Anything => return self.facts.store_anywhere(),
            Value::Places(places) => places,
        };
        for place in places {
            let Place::Global(id, offset) = place else { continue };
            let global = &self.program.globals[*id];
            match offset.zip(bytes) {
                None => self.facts.written.everywhere(*id),
                Some((offset, bytes)) => {
                    if let Some(range) = inside(global, offset, bytes)
                        && !keeps(self.program, global, range.clone())
                    {
                        self.facts.written.add(*id, range);
                    }
                }
            }
        }
    }

    /// The value comes to where the address points.
    pub(super) fn put(&mut self, addr: &Value, value: &Value, ty: Ty) {
        let whole = if ty == Ty::Ptr { value.clone() } else { self.blurred(std::slice::from_ref(value)) };
        match addr {
            Value::Places(places) => {
                for place in places {
                    match place {
                        Place::Global(id, _) => self.facts.put(*id, &whole),
                        Place::Elsewhere => self.facts.escaped.add(&whole),
                        Place::Number | Place::Func(_) => {} // a violation
                    }
                }
            }
            Value::Anything => self.facts.escaped.add(&whole),
            Value::Constant(_) => {}
        }
    }
}
