//! An edge, prepared to be interpreted many times: its terms in order, and which variable stands in which slot.

use super::frame::Frame;
use crate::system::{Edge, LocalId, Place, System, Template, TemplateId};
use cranelift_entity::EntityRef;
use hashbrown::HashMap;
use selvedge_formula::{Node, Term, Terms};

/// The meaning of an edge's variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variable {
    Shared(usize),
    Local(usize),
    Input(usize),
}

pub struct Block {
    /// All terms, children before parents.
    pub cells: Vec<Term>,
    position: HashMap<Term, usize>,
    /// The cells that are variables.
    pub variables: Vec<(usize, Variable)>,
    /// The widths of inputs, and of inputs extended by zeros (which are slots of their own, as thread numbers are).
    pub inputs: Vec<u32>,
    pub guard: usize,
    pub updates: Vec<(Place, usize)>,
    pub spawns: Vec<(TemplateId, Vec<(LocalId, usize)>)>,
    /// The shared variables that it writes.
    pub writes: Vec<usize>,
}

impl Block {
    pub fn new(system: &System, frame: &Frame, template: &Template, edge: &Edge) -> Block {
        let arguments = edge.spawns.iter().flat_map(|spawn| spawn.arguments.iter().map(|argument| argument.1));
        let roots = [edge.guard].into_iter().chain(edge.updates.iter().map(|update| update.1)).chain(arguments);
        let cells = system.terms.cone(roots);
        let position: HashMap<Term, usize> = cells.iter().enumerate().map(|(at, &term)| (term, at)).collect();
        let shared = frame.shared.len();
        let known: HashMap<Term, Variable> = (frame.terms.iter().enumerate())
            .map(|(at, &term)| (term, if at < shared { Variable::Shared(at) } else { Variable::Local(at - shared) }))
            .collect();
        let mut inputs = Vec::new();
        let mut variables = Vec::new();
        for (at, &cell) in cells.iter().enumerate() {
            let is_input =
                |term: Term| matches!(system.terms.node(term), Node::Var { .. }) && !known.contains_key(&term);
            let variable = known.get(&cell).copied();
            let is_free = match system.terms.node(cell) {
                Node::Var { .. } => true,
                Node::ZeroExtend { of, .. } => is_input(of),
                _ => false,
            };
            if variable.is_none() && is_free {
                inputs.push(system.terms.bits(cell));
            }
            let variable = variable.or_else(|| is_free.then(|| Variable::Input(inputs.len() - 1)));
            variables.extend(variable.map(|variable| (at, variable)));
        }
        // An update that keeps the value is none.
        let changes = |place: Place, term: Term| match place {
            Place::Shared(id) => system.shared[id].copies[0] != term,
            Place::Local(id) => template.locals[id].copies[0] != term,
        };
        let updates: Vec<(Place, usize)> = edge
            .updates
            .iter()
            .filter(|(place, term)| changes(*place, *term))
            .map(|&(place, term)| (place, position[&term]))
            .collect();
        let writes = updates.iter().filter_map(|update| match update.0 {
            Place::Shared(id) => Some(id.index()),
            Place::Local(_) => None,
        });
        Block {
            variables,
            inputs,
            guard: position[&edge.guard],
            writes: writes.collect(),
            updates,
            spawns: edge
                .spawns
                .iter()
                .map(|spawn| {
                    let arguments = spawn.arguments.iter().map(|&(local, term)| (local, position[&term]));
                    (spawn.template, arguments.collect())
                })
                .collect(),
            cells,
            position,
        }
    }

    /// A statement, as the guard of an edge that changes nothing.
    pub fn statement(system: &System, frame: &Frame, template: &Template, guard: Term) -> Block {
        let edge = Edge {
            from: crate::system::LocationId::new(0),
            to: crate::system::LocationId::new(0),
            guard,
            updates: Vec::new(),
            inputs: Vec::new(),
            spawns: Vec::new(),
            loc: template.locations[crate::system::LocationId::new(0)].loc,
        };
        Block::new(system, frame, template, &edge)
    }

    pub fn at(&self, term: Term) -> usize {
        self.position[&term]
    }

    /// The cell of a term, extended by zeros.
    pub fn extension(&self, terms: &Terms, of: Term, to: u32) -> Option<usize> {
        (0..self.cells.len()).find(|&cell| self.node(terms, cell) == Node::ZeroExtend { of, bits: to })
    }

    pub fn node(&self, terms: &Terms, cell: usize) -> Node {
        terms.node(self.cells[cell])
    }

    /// Cells whose values are wanted.
    pub fn roots(&self) -> impl Iterator<Item = usize> {
        let arguments = self.spawns.iter().flat_map(|spawn| spawn.1.iter().map(|argument| argument.1));
        [self.guard].into_iter().chain(self.updates.iter().map(|update| update.1)).chain(arguments)
    }
}
