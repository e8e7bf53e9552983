//! The slots of a thread's state: shared variables, then its locals, then its number once more for each width in which
//! edges use it.
//!
//! Lock words hold thread numbers in their own width. Equalities are between slots of one width, so the number gets a
//! slot for each; it never changes.

use super::affine::Slot;
use super::state::State;
use crate::system::{Place, System, TemplateId};
use cranelift_entity::EntityRef;
use selvedge_formula::{Node, Term};
use selvedge_program::Cast;

#[derive(Clone, Debug)]
pub struct Frame {
    /// The widths of shared variables.
    pub shared: Vec<u32>,
    /// The widths of locals, and of extensions of the number.
    pub locals: Vec<u32>,
    /// The position of its number among the locals.
    pub number: usize,
    /// The terms in the slots.
    pub terms: Vec<Term>,
    pub names: Vec<String>,
    /// Locals that are extensions of the number.
    extensions: usize,
}

impl Frame {
    pub fn new(system: &System, id: TemplateId) -> Frame {
        let template = &system.templates[id];
        let number = template.locals[template.number].copies[0];
        let edges = template
            .edges
            .iter()
            .flat_map(|edge| [edge.guard].into_iter().chain(edge.updates.iter().map(|update| update.1)));
        let extended = system.terms.cone(edges).into_iter().filter_map(|term| match system.terms.node(term) {
            Node::ZeroExtend { of, bits } if of == number => Some((bits, term)),
            _ => None,
        });
        let extended: Vec<(u32, Term)> = extended.collect();
        let all = || system.shared.values().chain(template.locals.values());
        Frame {
            shared: system.shared.values().map(|variable| variable.bits).collect(),
            locals: template
                .locals
                .values()
                .map(|variable| variable.bits)
                .chain(extended.iter().map(|e| e.0))
                .collect(),
            number: template.number.index(),
            terms: all().map(|variable| variable.copies[0]).chain(extended.iter().map(|e| e.1)).collect(),
            names: all()
                .map(|variable| variable.name.clone())
                .chain(extended.iter().map(|_| "number".to_string()))
                .collect(),
            extensions: extended.len(),
        }
    }

    pub fn widths(&self) -> impl Iterator<Item = u32> {
        self.shared.iter().chain(&self.locals).copied()
    }

    pub fn slot(&self, place: Place) -> Slot {
        let slot = match place {
            Place::Shared(id) => id.index(),
            Place::Local(id) => self.shared.len() + id.index(),
        };
        slot as Slot
    }

    pub fn number_slot(&self) -> Slot {
        (self.shared.len() + self.number) as Slot
    }

    /// The slots of the number in other widths.
    pub fn wide(&self) -> impl Iterator<Item = (u32, Slot)> {
        let first = self.locals.len() - self.extensions;
        (first..self.locals.len()).map(|local| (self.locals[local], (self.shared.len() + local) as Slot))
    }

    /// The slot of the number in this width.
    pub fn number_of_width(&self, bits: u32) -> Option<Slot> {
        if self.locals[self.number] == bits {
            return Some(self.number_slot());
        }
        self.wide().find(|(width, _)| *width == bits).map(|(_, slot)| slot)
    }

    /// Slots of this thread's number and of another's, in each width that both have.
    pub fn numbers_beside(&self, other: &Frame) -> Vec<(Slot, Slot)> {
        let mut found = vec![(self.number_slot(), other.number_slot())];
        found.extend(self.wide().filter_map(|(bits, slot)| Some((slot, other.number_of_width(bits)?))));
        found
    }

    /// A state of which nothing is known.
    pub fn any(&self) -> State {
        let mut state = State::any(self.widths());
        for (bits, slot) in self.wide() {
            let value = state.value(self.number_slot()).cast(Cast::ZeroExtend, bits);
            // Both have the same width, so they meet.
            let _ = state.restrict(slot, &value);
        }
        state
    }
}
