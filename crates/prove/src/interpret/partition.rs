//! Control variables: finite ones, by whose values states are kept apart.
//!
//! A conjunction cannot say "where the lock is free, the sum is 1000"; one state for each value of the lock can (trace
//! partitioning: Mauborgne and Rival, ESOP 2005; here by values, not by paths). Control variables are words that hold
//! thread numbers (free, mine, another's) and variables that are only ever assigned few constants: flags, phases,
//! ghosts of creation and ending.

use super::affine::{Contradiction, Linear, Slot};
use super::frame::Frame;
use super::state::State;
use super::value::Value;
use crate::owners::{function_of_number, leaves};
use crate::system::{Place, System, TemplateId};
use hashbrown::HashSet;
use selvedge_formula::{Node, Term, Terms};

/// The most constants of a control variable.
const CONSTANTS: usize = 5;

/// Knowledge about a control variable in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    Constant(u128),
    /// The thread's own number.
    Mine,
    /// None of the above.
    Rest,
    /// Not kept apart.
    Any,
}

pub type Key = Vec<Class>;

#[derive(Clone, Debug)]
pub struct Variable {
    pub slot: Slot,
    constants: Vec<u128>,
    /// Holds thread numbers: the slot of the thread's own, and what is added to it.
    pub owner: Option<(Slot, u128)>,
}

/// The control variables of a template's states.
pub fn variables(system: &System, template: TemplateId, frame: &Frame) -> Vec<Variable> {
    let mut all = Vec::new();
    let of_template = &system.templates[template];
    let read = decisive(system);
    let places = system.shared.iter().map(|(id, variable)| (Place::Shared(id), variable));
    let locals = of_template.locals.iter().map(|(id, variable)| (Place::Local(id), variable));
    for (place, variable) in places.chain(locals) {
        if place == Place::Local(of_template.number) || !read.contains(&variable.copies[0]) {
            continue;
        }
        let mut is_finite = true;
        let mut owner = None;
        let (mut constants, mut own) = (Vec::new(), Vec::new());
        let mut has_owners = false;
        for (id, other) in &system.templates {
            if matches!(place, Place::Local(_)) && id != template {
                continue;
            }
            let number = other.locals[other.number].copies[0];
            for update in other.edges.iter().flat_map(|edge| &edge.updates).filter(|update| update.0 == place) {
                for leaf in leaves(&system.terms, update.1) {
                    let of_number = function_of_number(&system.terms, leaf, number);
                    let offset = of_number.map(|function| function.sum(variable.bits));
                    match system.terms.node(leaf) {
                        _ if leaf == variable.copies[0] => {}
                        _ if offset.is_some() => {
                            has_owners = true;
                            if id == template {
                                owner = frame.number_of_width(variable.bits).zip(offset);
                            }
                        }
                        Node::Const { value, .. } => {
                            constants.push(value);
                            own.extend((id == template).then_some(value));
                        }
                        Node::ZeroExtend { of, .. } if system.terms.bits(of) == 1 => constants.extend([0, 1]),
                        // A count in a lock word that goes up and down is none of its values of interest.
                        _ if is_of(&system.terms, leaf, variable.copies[0]) => {}
                        _ => is_finite &= variable.bits == 1 && matches!(place, Place::Local(_)),
                    }
                }
            }
        }
        if variable.bits == 1 {
            constants.extend([0, 1]);
        }
        let initial = initial(system, variable.copies[0]);
        constants.extend(initial);
        own.extend(initial);
        sort(&mut constants);
        sort(&mut own);
        // If there are many, as of words with the numbers of many threads, those count that this template assigns.
        if constants.len() > CONSTANTS || has_owners {
            constants = own;
        }
        if is_finite && constants.len() <= CONSTANTS && (has_owners || constants.len() > 1) {
            all.push(Variable { slot: frame.slot(place), constants, owner });
        }
    }
    all
}

/// Does a term depend on this variable, and on no other?
fn is_of(terms: &Terms, term: Term, variable: Term) -> bool {
    let mut variables = terms.cone([term]).into_iter().filter(|term| matches!(terms.node(*term), Node::Var { .. }));
    variables.next() == Some(variable) && variables.next().is_none()
}

/// The values of shared control variables with which the program compares them.
pub fn conditions<'a>(
    system: &System,
    all: impl Iterator<Item = &'a Variable>,
    terms_of: &[Term],
) -> Vec<(Slot, u128)> {
    let terms = &system.terms;
    let edges = system.templates.values().flat_map(|template| &template.edges);
    let roots = edges.flat_map(|edge| [edge.guard].into_iter().chain(edge.updates.iter().map(|update| update.1)));
    let mut compared: HashSet<(Term, u128)> = HashSet::new();
    for term in terms.cone(roots) {
        if let Node::Eq(a, b) = terms.node(term) {
            compared.extend(terms.as_constant(b).map(|value| (a, value)));
            compared.extend(terms.as_constant(a).map(|value| (b, value)));
        }
    }
    let mut found: Vec<(Slot, u128)> = Vec::new();
    for variable in all.filter(|variable| (variable.slot as usize) < system.shared.len()) {
        let term = terms_of[variable.slot as usize];
        for &constant in &variable.constants {
            if terms.bits(term) == 1 || compared.contains(&(term, constant)) {
                found.push((variable.slot, constant));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn sort(values: &mut Vec<u128>) {
    values.sort_unstable();
    values.dedup();
}

/// Variables on which a guard or a choice depends directly: those in comparisons and truth values.
fn decisive(system: &System) -> HashSet<Term> {
    let mut read = HashSet::new();
    let terms = &system.terms;
    for edge in system.templates.values().flat_map(|template| &template.edges) {
        let roots = [edge.guard].into_iter().chain(edge.updates.iter().map(|update| update.1));
        for term in terms.cone(roots) {
            match terms.node(term) {
                Node::Eq(a, b) | Node::Ult(a, b) | Node::Slt(a, b) => read.extend(terms.cone([a, b])),
                Node::Ite(c, ..) => drop(read.insert(c)),
                node if terms.bits(term) == 1 => read.extend(node.children()),
                _ => {}
            }
        }
        read.insert(edge.guard);
    }
    read
}

/// The constant to which the first state sets a variable, if it says so plainly.
fn initial(system: &System, variable: Term) -> Option<u128> {
    let terms = &system.terms;
    terms.cone([system.initial]).into_iter().find_map(|term| match terms.node(term) {
        Node::Eq(a, b) if a == variable => terms.as_constant(b),
        Node::Eq(a, b) if b == variable => terms.as_constant(a),
        _ => None,
    })
}

/// The parts of a state in which each control variable that is `wanted` has one class. Variables by which there would
/// be more parts than `most` are not told apart; they are the second result.
pub fn partition(
    state: State,
    variables: &[Variable],
    wanted: &dyn Fn(usize) -> bool,
    most: usize,
) -> (Vec<(Key, State)>, Vec<usize>) {
    let mut parts = vec![(Key::new(), state)];
    let mut given_up = Vec::new();
    for (position, variable) in variables.iter().enumerate() {
        let of_part = |part: &(Key, State)| match wanted(position) {
            true => classes(&part.1, variable),
            false => vec![(Class::Any, part.1.clone())],
        };
        let with = |key: &Key, class: Class| key.iter().copied().chain([class]).collect::<Key>();
        let split: Vec<(Key, State)> = parts
            .iter()
            .flat_map(|part| of_part(part).into_iter().map(|(class, state)| (with(&part.0, class), state)))
            .collect();
        if split.len() > most {
            given_up.push(position);
            parts.iter_mut().for_each(|part| part.0.push(Class::Any));
        } else {
            parts = split;
        }
    }
    (parts, given_up)
}

fn classes(state: &State, variable: &Variable) -> Vec<(Class, State)> {
    let slot = variable.slot;
    let mut found = Vec::new();
    let mut rest = Ok(state.clone());
    if let Some((number, offset)) = variable.owner {
        let mine = state.linear(number).plus(1, &Linear::constant(state.bits(slot), offset));
        if state.are_equal(&state.linear(slot), &mine) {
            return vec![(Class::Mine, state.clone())];
        }
        if !state.are_distinct(&state.linear(slot), &mine) {
            let is_mine = state.linear(slot).minus(&mine);
            let part = given(state, |state| state.assume_zero(&is_mine).map(drop));
            found.extend(part.map(|part| (Class::Mine, part)));
            rest = rest.and_then(|mut rest| rest.assume_apart(slot, number, offset).map(|()| rest));
        }
    }
    for &constant in &variable.constants {
        let value = Value::exactly(state.bits(slot), constant);
        let Ok(others) = &rest else { break };
        if !others.value(slot).contains(constant) {
            continue;
        }
        found.extend(given(others, |state| state.restrict(slot, &value)).map(|part| (Class::Constant(constant), part)));
        rest = match others.value(slot).without(constant) {
            Some(left) => {
                let mut others = others.clone();
                others.restrict(slot, &left).map(|()| others)
            }
            None => Err(Contradiction),
        };
    }
    if let Ok(mut rest) = rest
        && rest.normalise().is_ok()
    {
        found.push((Class::Rest, rest));
    }
    found
}

fn given(state: &State, assume: impl Fn(&mut State) -> Result<(), Contradiction>) -> Option<State> {
    let mut part = state.clone();
    assume(&mut part).ok()?;
    part.normalise().ok()?;
    Some(part)
}
