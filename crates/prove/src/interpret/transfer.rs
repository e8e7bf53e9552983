//! The effect of an edge on abstract states: of the thread that takes it, of threads that it creates, and of
//! bystanders.
//!
//! A step of another thread is interpreted on the meet of both threads' states, over the shared variables, the locals
//! of the one and those of the other, whose numbers differ. So it is excluded wherever what one of them knows
//! contradicts what the other knows, as two owners of one lock do; no lock has to be recognised for that (Miné:
//! Relational thread-modular static value analysis, VMCAI 2014, keeps interferences apart from states; here the states
//! of whoever takes the step say what they are).

use super::affine::{Contradiction, Linear, Slot};
use super::block::{Block, Variable};
use super::case::{Case, cases};
use super::common::Common;
use super::frame::Frame;
use super::state::{Order, State};
use super::value::Value;
use crate::system::{LocalId, Place, TemplateId};
use cranelift_entity::EntityRef;
use selvedge_formula::{Terms, signed};
use selvedge_program::Cast;

/// A thread after its own step, and those that it created.
pub struct Stepped {
    /// The state when the step was taken. Has further slots.
    pub before: State,
    pub after: State,
    pub created: Vec<(TemplateId, State)>,
}

/// A thread's own step, in each way in which it can be taken.
pub fn step(
    terms: &Terms,
    block: &Block,
    frame: &Frame,
    of: &dyn Fn(TemplateId) -> Frame,
    (state, common): (&State, Option<&Common>),
    budget: usize,
) -> Vec<Stepped> {
    let shared = frame.shared.len();
    let taken = cases(terms, block, state, common, shared, budget);
    taken
        .into_iter()
        .filter_map(|case| {
            let (written, new) = written(&case).ok()?;
            let after = |slot: Slot| {
                renaming(&new, slot)
                    .or_else(|| ((slot as usize) < state.values.len() && !is_written(&new, slot)).then_some(slot))
            };
            let created = block.spawns.iter().map(|(template, arguments)| {
                (*template, created(&case, &written, &new, frame, &of(*template), arguments))
            });
            let created = created.filter_map(|(template, state)| Some((template, state.ok()?))).collect();
            let after = written.renamed(&after, frame.widths());
            Some(Stepped { before: case.state, after, created })
        })
        .collect()
}

/// A state of a thread that stands by while another (in `others`, a state of its own) takes a step.
pub fn interfere(
    terms: &Terms,
    block: &Block,
    (frame, state): (&Frame, &State),
    (others_frame, others): (&Frame, &State),
    budget: usize,
) -> Vec<State> {
    let Ok(both) = beside((frame, state), (others_frame, others)) else {
        return Vec::new();
    };
    let mine = state.values.len();
    let taken = cases(terms, block, &both, None, mine, budget);
    taken
        .into_iter()
        .filter_map(|case| {
            let (written, new) = written(&case).ok()?;
            let after = |slot: Slot| {
                let to = renaming(&new, slot).or_else(|| (!is_written(&new, slot)).then_some(slot))?;
                ((to as usize) < mine).then_some(to)
            };
            Some(written.renamed(&after, frame.widths()))
        })
        .collect()
}

/// Two different threads at once: shared variables, the locals of the first, the locals of the second.
pub fn beside(
    (frame, state): (&Frame, &State),
    (others_frame, others): (&Frame, &State),
) -> Result<State, Contradiction> {
    let shared = frame.shared.len();
    for slot in 0..shared {
        others.values[slot].meet(&state.values[slot]).ok_or(Contradiction)?;
    }
    let mut both = state.clone();
    for &bits in &others_frame.locals {
        both.push(Value::any(bits));
    }
    let place = |slot: Slot| if (slot as usize) < shared { slot } else { slot + frame.locals.len() as Slot };
    for (mine, theirs) in frame.numbers_beside(others_frame) {
        both.assume_distinct(mine, place(theirs))?;
    }
    both.add(others, &place)?;
    both.normalise()?;
    Ok(both)
}

type New = Vec<(Slot, Slot)>;

/// The old position of what is now in a further slot.
fn renaming(new: &New, slot: Slot) -> Option<Slot> {
    new.iter().find(|(_, to)| *to == slot).map(|(from, _)| *from)
}

fn is_written(new: &New, slot: Slot) -> bool {
    new.iter().any(|(from, _)| *from == slot)
}

/// The state with new values in further slots, and which slot's they are.
fn written(case: &Case) -> Result<(State, New), Contradiction> {
    let mut state = case.state.clone();
    let mut new = New::new();
    let mut sums = Vec::new();
    for &(place, cell) in &case.block.updates {
        let variable = match place {
            Place::Shared(id) => Variable::Shared(id.index()),
            Place::Local(id) => Variable::Local(id.index()),
        };
        let slot = further(&mut state, case, cell)?;
        new.push((case.slot(variable), slot));
        sums.extend(case.linear[cell].clone().map(|linear| (slot, linear)));
    }
    orders(&mut state, &sums);
    state.normalise()?;
    Ok((state, new))
}

/// A further slot with the value of a cell.
fn further(state: &mut State, case: &Case, cell: usize) -> Result<Slot, Contradiction> {
    let value = &case.cells[cell];
    let slot = state.push(value.clone());
    if value.single().is_none()
        && let Some(linear) = &case.linear[cell]
    {
        state.assume_zero(&Linear::slot(value.bits(), slot).minus(linear))?;
    }
    Ok(slot)
}

/// Adds orders of new values that are old ones plus a constant, where that does not wrap around.
fn orders(state: &mut State, sums: &[(Slot, Linear)]) {
    let shifted: Vec<(Slot, Slot, i128)> = sums
        .iter()
        .filter_map(|(slot, linear)| match linear.sum.as_slice() {
            [(old, 1)] if linear.constant != 0 && linear.bits <= 64 => {
                Some((*slot, *old, signed(linear.bits, linear.constant)))
            }
            _ => None,
        })
        .collect();
    let fits = |state: &State, old: Slot, by: i128, is_signed: bool| {
        let range = state.value(old).range();
        let all = Value::any(range.width()).range();
        let ((low, high), (least, most)) =
            if is_signed { (range.signed(), all.signed()) } else { (range.unsigned(), all.unsigned()) };
        least <= low + by && high + by <= most
    };
    for is_signed in [true, false] {
        for &(new, old, by) in &shifted {
            let (of_old, bits) = (state.linear(old), state.bits(old));
            // Values strictly above are greater by one at least.
            for other in state.above(old, is_signed) {
                if by == 1 {
                    state.assume_order(Order { low: new, high: other, signed: is_signed, strict: false });
                }
            }
            for other in state.below(old, is_signed) {
                if by == -1 {
                    state.assume_order(Order { low: other, high: new, signed: is_signed, strict: false });
                }
            }
            if fits(state, old, by, is_signed) {
                let (low, high) = if by > 0 { (old, new) } else { (new, old) };
                state.assume_order(Order { low, high, signed: is_signed, strict: true });
                for &(other_new, other_old, other_by) in &shifted {
                    let other = state.linear(other_old);
                    if other_by == by
                        && other.bits == bits
                        && other_old != old
                        && fits(state, other_old, by, is_signed)
                        && state.in_order(&of_old, &other, is_signed, false)
                    {
                        let strict = state.in_order(&of_old, &other, is_signed, true);
                        state.assume_order(Order { low: new, high: other_new, signed: is_signed, strict });
                    }
                }
            }
        }
    }
}

/// A new thread, after the creator's writes.
fn created(
    case: &Case,
    written: &State,
    new: &New,
    creator: &Frame,
    frame: &Frame,
    arguments: &[(LocalId, usize)],
) -> Result<State, Contradiction> {
    let shared = frame.shared.len();
    let mut state = written.clone();
    let mut places: Vec<(Slot, Slot)> = Vec::new();
    for &(local, cell) in arguments {
        places.push((further(&mut state, case, cell)?, (shared + local.index()) as Slot));
    }
    let number = places.iter().find(|place| place.1 == frame.number_slot()).map(|place| place.0);
    let number = number.unwrap_or_else(|| {
        let slot = state.push(Value::any(frame.locals[frame.number]));
        places.push((slot, frame.number_slot()));
        slot
    });
    state.assume_distinct(number, creator.number_slot())?;
    state.normalise()?;
    let term = arguments
        .iter()
        .find(|argument| argument.0.index() == frame.number)
        .map(|argument| case.block.cells[argument.1]);
    for (bits, to) in frame.wide() {
        let extended = term.and_then(|term| case.block.extension(case.terms(), term, bits));
        let slot = match extended {
            Some(cell) => further(&mut state, case, cell)?,
            None => {
                let value = state.value(number).cast(Cast::ZeroExtend, bits);
                state.push(value)
            }
        };
        places.push((slot, to));
    }
    let to = |slot: Slot| {
        let place = places.iter().find(|place| place.0 == slot).map(|place| place.1);
        place.or_else(|| {
            renaming(new, slot)
                .or_else(|| (!is_written(new, slot)).then_some(slot))
                .filter(|&to| (to as usize) < shared)
        })
    };
    Ok(state.renamed(&to, frame.widths()))
}
