//! The steps of a thread, by concrete values: edges are evaluated once for each kind of thread and each value of shared
//! variables.

use crate::expression::parts;
use crate::invariant::At;
use crate::system::{Edge, LocalId, LocationKind, Place, Role, SharedId, System, TemplateId};
use cranelift_entity::EntityRef;
use hashbrown::{HashMap, HashSet};
use selvedge_engine::Control;
use selvedge_formula::{Blaster, Cadical, Evaluator, Node, Solved, Term};
use std::rc::Rc;

/// The bits that are tried in all ways: inputs of an edge, and first values of a thread that anything may be.
const TRIED_BITS: u32 = 8;
/// The most ways to begin.
const BEGINNINGS: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KindId(u32);

/// Threads that are alike: a place, and the values of locals that may be read from there on. All others are 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kind {
    pub at: At,
    pub locals: Vec<u128>,
}

/// The effect of one step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Effect {
    pub shared: u32,
    pub becomes: KindId,
    pub creates: Vec<KindId>,
}

/// All that threads do, as far as it was asked for.
pub struct Behaviour {
    kinds: Vec<Kind>,
    kind_ids: HashMap<Kind, KindId>,
    shared: Vec<Vec<u128>>,
    shared_ids: HashMap<Vec<u128>, u32>,
    /// The locals that may be read before they are written.
    live: HashMap<At, HashSet<LocalId>>,
    /// Ghosts that remember numbers: nobody asks about them here.
    owners: HashSet<SharedId>,
    effects: HashMap<(u32, KindId), Option<Rc<Vec<Effect>>>>,
}

impl Behaviour {
    /// None if a thread's number matters.
    pub fn new(system: &System) -> Option<Behaviour> {
        let owners = owners(system);
        let ignores_numbers = system.edges().all(|(template, edge)| {
            let number = number(system, template);
            let edge = &system.templates[template].edges[edge];
            let numbers = new_numbers(system, edge);
            let read = variables(system, read_by(system, edge, &owners));
            !read.contains(&number) && numbers.iter().all(|number| !read.contains(number))
        });
        ignores_numbers.then(|| Behaviour {
            kinds: Vec::new(),
            kind_ids: HashMap::new(),
            shared: Vec::new(),
            shared_ids: HashMap::new(),
            live: live(system, &owners),
            owners,
            effects: HashMap::new(),
        })
    }

    pub fn kind(&self, kind: KindId) -> &Kind {
        &self.kinds[kind.0 as usize]
    }

    pub fn shared(&self, shared: u32) -> &[u128] {
        &self.shared[shared as usize]
    }

    pub fn is_live(&self, at: At, local: LocalId) -> bool {
        self.live.get(&at).is_some_and(|live| live.contains(&local))
    }

    /// Is this variable left out?
    pub fn ignores(&self, shared: SharedId) -> bool {
        self.owners.contains(&shared)
    }

    /// The ways in which main begins. None if there are too many.
    pub fn beginnings(&mut self, system: &System, control: &Control) -> Option<Vec<(u32, KindId)>> {
        let at = (system.main, system.first(system.main));
        let mut solver = Blaster::new(Cadical::with_limits(control.stop.clone(), None));
        solver.assert(&system.terms, system.initial);
        let shared: Vec<Term> = system.shared.values().map(|variable| variable.copies[0]).collect();
        let main = &system.templates[system.main];
        let locals: Vec<(LocalId, Term)> = main.locals.iter().map(|(id, local)| (id, local.copies[0])).collect();
        let live = locals.iter().filter(|(id, _)| self.is_live(at, *id)).map(|(_, term)| *term);
        let told_apart: Vec<Term> = shared.iter().copied().chain(live).collect();
        for term in &told_apart {
            solver.bits(&system.terms, *term);
        }
        let mut found = Vec::new();
        loop {
            match solver.solve(&[]) {
                Solved::Unsat => return Some(found),
                Solved::Interrupted => return None,
                Solved::Sat if found.len() >= BEGINNINGS => return None,
                Solved::Sat => {}
            }
            let values = shared.iter().map(|term| solver.value(&system.terms, *term)).collect();
            let of_main = locals.iter().map(|(_, term)| solver.value(&system.terms, *term)).collect();
            let mut another = Vec::new();
            for term in &told_apart {
                let value = solver.value(&system.terms, *term);
                let bits = solver.bits(&system.terms, *term).iter().enumerate();
                another.extend(bits.map(|(bit, lit)| lit.negated_if(value >> bit & 1 == 1)));
            }
            solver.add_clause(&another);
            found.push((self.shared_id(values), self.kind_id(at, of_main)));
        }
    }

    /// The effects of threads of this kind when shared variables have these values. None if there are too many.
    pub fn effects(&mut self, system: &System, shared: u32, kind: KindId) -> Option<Rc<Vec<Effect>>> {
        if let Some(known) = self.effects.get(&(shared, kind)) {
            return known.clone();
        }
        let found = self.evaluate(system, shared, kind).map(Rc::new);
        self.effects.insert((shared, kind), found.clone());
        found
    }

    fn evaluate(&mut self, system: &System, shared: u32, kind: KindId) -> Option<Vec<Effect>> {
        let (values, Kind { at, locals }) = (self.shared(shared).to_vec(), self.kind(kind).clone());
        let template = &system.templates[at.0];
        let mut known: HashMap<Term, u128> = HashMap::new();
        known.extend(system.shared.values().map(|variable| variable.copies[0]).zip(values.iter().copied()));
        known.extend(template.locals.values().map(|variable| variable.copies[0]).zip(locals.iter().copied()));
        let mut found: Vec<Effect> = Vec::new();
        for edge in template.edges.iter().filter(|edge| edge.from == at.1) {
            let numbers = new_numbers(system, edge);
            let (numbers, inputs): (Vec<Term>, Vec<Term>) =
                edge.inputs.iter().copied().partition(|input| numbers.contains(input));
            known.extend(numbers.into_iter().map(|number| (number, 0)));
            let in_guard = variables(system, [edge.guard]);
            if !inputs.iter().any(|input| in_guard.contains(input)) && value(system, &known, edge.guard) == 0 {
                continue;
            }
            for choice in choices(system, &inputs)? {
                known.extend(inputs.iter().copied().zip(choice));
                if value(system, &known, edge.guard) == 1 {
                    for effect in self.step(system, (&values, &locals), (at.0, edge), &known)? {
                        if !found.contains(&effect) {
                            found.push(effect);
                        }
                    }
                }
            }
        }
        Some(found)
    }

    fn step(
        &mut self,
        system: &System,
        (shared, locals): (&[u128], &[u128]),
        (template, edge): (TemplateId, &Edge),
        known: &HashMap<Term, u128>,
    ) -> Option<Vec<Effect>> {
        let (mut shared, mut locals) = (shared.to_vec(), locals.to_vec());
        for (place, term) in &edge.updates {
            match place {
                Place::Shared(id) if self.owners.contains(id) => {}
                Place::Shared(id) => shared[id.index()] = value(system, known, *term),
                Place::Local(id) => locals[id.index()] = value(system, known, *term),
            }
        }
        let shared = self.shared_id(shared);
        let becomes = self.kind_id((template, edge.to), locals);
        let mut effects = vec![Effect { shared, becomes, creates: Vec::new() }];
        for spawn in &edge.spawns {
            let new = self.first_kinds(system, spawn.template, &|local| {
                spawn.arguments.iter().find(|(id, _)| *id == local).map(|(_, term)| value(system, known, *term))
            })?;
            effects = effects
                .into_iter()
                .flat_map(|effect| {
                    new.iter().map(move |kind| {
                        let creates = effect.creates.iter().copied().chain([*kind]).collect();
                        Effect { creates, ..effect.clone() }
                    })
                })
                .collect();
        }
        Some(effects)
    }

    /// The kinds that a new thread may be of.
    fn first_kinds(
        &mut self,
        system: &System,
        template: TemplateId,
        given: &dyn Fn(LocalId) -> Option<u128>,
    ) -> Option<Vec<KindId>> {
        let at = (template, system.first(template));
        let locals = &system.templates[template].locals;
        let open: Vec<LocalId> =
            locals.keys().filter(|local| self.is_live(at, *local) && given(*local).is_none()).collect();
        let open_terms: Vec<Term> = open.iter().map(|local| locals[*local].copies[0]).collect();
        let first: Vec<u128> = locals.keys().map(|local| given(local).unwrap_or(0)).collect();
        let all = choices(system, &open_terms)?.into_iter().map(|choice| {
            let mut values = first.clone();
            open.iter().zip(choice).for_each(|(local, value)| values[local.index()] = value);
            self.kind_id(at, values)
        });
        Some(all.collect())
    }

    fn kind_id(&mut self, at: At, mut locals: Vec<u128>) -> KindId {
        let live = self.live.get(&at);
        for (index, value) in locals.iter_mut().enumerate() {
            if !live.is_some_and(|live| live.contains(&LocalId::new(index))) {
                *value = 0;
            }
        }
        let kind = Kind { at, locals };
        if let Some(id) = self.kind_ids.get(&kind) {
            return *id;
        }
        let id = KindId(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.kind_ids.insert(kind, id);
        id
    }

    fn shared_id(&mut self, values: Vec<u128>) -> u32 {
        if let Some(id) = self.shared_ids.get(&values) {
            return *id;
        }
        let id = self.shared.len() as u32;
        self.shared.push(values.clone());
        self.shared_ids.insert(values, id);
        id
    }
}

fn value(system: &System, known: &HashMap<Term, u128>, term: Term) -> u128 {
    Evaluator::new().value(&system.terms, term, &mut |term| known.get(&term).copied())
}

/// All values of these variables. None if there are too many.
fn choices(system: &System, variables: &[Term]) -> Option<Vec<Vec<u128>>> {
    let bits: u32 = variables.iter().map(|variable| system.terms.bits(*variable)).sum();
    if bits > TRIED_BITS {
        return None;
    }
    let all = (0..1u128 << bits).map(|mut choice| {
        let values = variables.iter().map(|variable| {
            let bits = system.terms.bits(*variable);
            let value = choice & ((1 << bits) - 1);
            choice >>= bits;
            value
        });
        values.collect()
    });
    Some(all.collect())
}

/// Inputs that are nothing but numbers of new threads.
fn new_numbers(system: &System, edge: &Edge) -> Vec<Term> {
    let given = edge.spawns.iter().flat_map(|spawn| {
        let number = system.templates[spawn.template].number;
        spawn.arguments.iter().filter(move |(local, _)| *local == number).map(|(_, value)| *value)
    });
    given.filter(|value| edge.inputs.contains(value)).collect()
}

fn number(system: &System, template: TemplateId) -> Term {
    system.templates[template].locals[system.templates[template].number].copies[0]
}

/// Ghosts that remember numbers of threads. Besides themselves, they decide only which numbers new threads get.
fn owners(system: &System) -> HashSet<SharedId> {
    let numbers: HashSet<Term> = system.templates.keys().map(|template| number(system, template)).collect();
    let updates = system.templates.values().flat_map(|template| &template.edges).flat_map(|edge| &edge.updates);
    let of_numbers = updates.filter_map(|(place, value)| match place {
        Place::Shared(id) => {
            let is_ghost = system.shared[*id].role == Role::Ghost;
            (is_ghost && !variables(system, [*value]).is_disjoint(&numbers)).then_some(*id)
        }
        Place::Local(_) => None,
    });
    of_numbers.collect()
}

/// Does a condition only keep the numbers of new threads apart from what ghosts remember?
fn is_of_owners(system: &System, edge: &Edge, condition: Term, owners: &HashSet<SharedId>) -> bool {
    let ghosts: HashSet<Term> = owners.iter().map(|id| system.shared[*id].copies[0]).collect();
    let numbers = new_numbers(system, edge);
    let read = variables(system, [condition]);
    !read.is_disjoint(&ghosts) && read.iter().all(|term| ghosts.contains(term) || numbers.contains(term))
}

/// The terms that the edge computes with, without the numbers that it gives to new threads.
fn read_by<'a>(system: &'a System, edge: &'a Edge, owners: &'a HashSet<SharedId>) -> impl Iterator<Item = Term> + 'a {
    let conditions = parts(&system.terms, edge.guard).into_iter();
    let conditions = conditions.filter(move |condition| !is_of_owners(system, edge, *condition, owners));
    let is_read = |place: &Place| !matches!(place, Place::Shared(id) if owners.contains(id));
    let arguments = edge.spawns.iter().flat_map(|spawn| {
        let number = system.templates[spawn.template].number;
        spawn.arguments.iter().filter(move |(local, _)| *local != number).map(|(_, value)| *value)
    });
    let updates = edge.updates.iter().filter(move |(place, _)| is_read(place)).map(|(_, value)| *value);
    updates.chain(conditions).chain(arguments)
}

fn variables(system: &System, terms: impl IntoIterator<Item = Term>) -> HashSet<Term> {
    let cone = system.terms.cone(terms).into_iter();
    cone.filter(|term| matches!(system.terms.node(*term), Node::Var { .. })).collect()
}

/// For each place the locals that may be read from there on before they are written.
fn live(system: &System, owners: &HashSet<SharedId>) -> HashMap<At, HashSet<LocalId>> {
    let mut live: HashMap<At, HashSet<LocalId>> = HashMap::new();
    for (id, template) in &system.templates {
        let names: HashMap<Term, LocalId> = template.locals.iter().map(|(id, local)| (local.copies[0], id)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for edge in &template.edges {
                let behind = match template.locations[edge.to].kind {
                    LocationKind::Running => live.get(&(id, edge.to)).cloned().unwrap_or_default(),
                    _ => HashSet::new(),
                };
                let matters = |place: &Place| match place {
                    Place::Shared(shared) => !owners.contains(shared),
                    Place::Local(local) => behind.contains(local),
                };
                let mut needed = behind.clone();
                for (place, _) in &edge.updates {
                    if let Place::Local(local) = place {
                        needed.remove(local);
                    }
                }
                let written = edge.updates.iter().filter(|(place, _)| matters(place)).map(|(_, value)| *value);
                let arguments = edge.spawns.iter().flat_map(|spawn| spawn.arguments.iter().map(|(_, value)| *value));
                let read = variables(system, written.chain([edge.guard]).chain(arguments));
                needed.extend(read.iter().filter_map(|variable| names.get(variable).copied()));
                let before = live.entry((id, edge.from)).or_default();
                let count = before.len();
                before.extend(needed);
                changed |= before.len() > count;
            }
        }
    }
    live
}
