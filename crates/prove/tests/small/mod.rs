//! Random systems with few values, and their meaning by enumeration. Shares no code with the checker but the values of
//! terms. Every test file uses a part of it.
#![allow(dead_code)]

use hashbrown::HashMap;
use selvedge_formula::{Term, Terms};
use selvedge_program::{FuncId, Property, SourceMap};
use selvedge_prove::invariant::{At, Invariant};
use selvedge_prove::system::{
    COPIES, Edge, Instances, LocalId, Location, LocationId, LocationKind, Place, Role, Spawn, System, Template,
    TemplateId, Variable,
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    pub at: At,
    pub locals: Vec<u128>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub shared: Vec<u128>,
    pub threads: Vec<Thread>,
}

impl World {
    pub fn has_error(&self, system: &System) -> bool {
        self.threads.iter().any(|thread| matches!(kind(system, thread.at), LocationKind::Error { .. }))
    }

    /// Numbers differ among the living, and of a template that has one thread there are no two.
    pub fn is_possible(&self, system: &System) -> bool {
        let alive = |thread: &&Thread| *kind(system, thread.at) != LocationKind::Ended;
        let living: Vec<&Thread> = self.threads.iter().filter(alive).collect();
        let numbers = living
            .iter()
            .enumerate()
            .all(|(index, thread)| living[..index].iter().all(|other| number(system, other) != number(system, thread)));
        numbers
            && self.threads.iter().enumerate().all(|(index, thread)| {
                system.templates[thread.at.0].instances == Instances::Many
                    || self.threads[..index].iter().all(|other| other.at.0 != thread.at.0)
            })
    }
}

fn kind(system: &System, at: At) -> &LocationKind {
    &system.templates[at.0].locations[at.1].kind
}

fn number(system: &System, thread: &Thread) -> u128 {
    thread.locals[system.templates[thread.at.0].number.as_u32() as usize]
}

fn index(place: LocalId) -> usize {
    place.as_u32() as usize
}

/// Values of terms, remembered.
#[derive(Default)]
pub struct Concrete {
    values: HashMap<(Term, Vec<u128>), u128>,
}

impl Concrete {
    fn value(&mut self, terms: &Terms, term: Term, variables: &[Term], values: &[u128]) -> u128 {
        *self.values.entry((term, values.to_vec())).or_insert_with(|| {
            terms.evaluate(term, &mut |variable| {
                let position = variables.iter().position(|known| *known == variable).expect("a variable in scope");
                values[position]
            })
        })
    }

    pub fn beginnings(&mut self, system: &System) -> Vec<(Thread, Vec<u128>)> {
        let main = &system.templates[system.main];
        let shared: Vec<u32> = system.shared.values().map(|variable| variable.bits).collect();
        let locals: Vec<u32> = main.locals.values().map(|variable| variable.bits).collect();
        let variables = scope(system, &[(system.main, 0)], &[]);
        let mut found = Vec::new();
        for shared in assignments(&shared) {
            for locals in assignments(&locals) {
                let values = [shared.clone(), locals.clone()].concat();
                if self.value(&system.terms, system.initial, &variables, &values) == 1 {
                    let at = (system.main, system.first(system.main));
                    found.push((Thread { at, locals }, shared.clone()));
                }
            }
        }
        found
    }

    /// Do the statements about all threads, and about all pairs of them, hold?
    pub fn holds(&mut self, system: &System, invariant: &Invariant, world: &World) -> bool {
        let over = |thread: &Thread| {
            matches!(kind(system, thread.at), LocationKind::ProcessEnded | LocationKind::Unchecked { .. })
        };
        if world.threads.iter().any(over) {
            return true;
        }
        if world.has_error(system) {
            return false;
        }
        let runs = |thread: &&Thread| *kind(system, thread.at) == LocationKind::Running;
        let threads: Vec<&Thread> = world.threads.iter().filter(runs).collect();
        threads.iter().enumerate().all(|(index, thread)| {
            let Some(statement) = invariant.single.get(&thread.at) else { return false };
            let variables = scope(system, &[(thread.at.0, 0)], &[]);
            let values = [world.shared.clone(), thread.locals.clone()].concat();
            self.value(&system.terms, *statement, &variables, &values) == 1
                && threads.iter().enumerate().all(|(other_index, other)| {
                    let statement = invariant.pairs.get(&(thread.at, other.at));
                    other_index == index
                        || statement.is_none_or(|statement| {
                            let variables = scope(system, &[(thread.at.0, 0), (other.at.0, 1)], &[]);
                            let values = [world.shared.clone(), thread.locals.clone(), other.locals.clone()].concat();
                            self.value(&system.terms, *statement, &variables, &values) == 1
                        })
                })
        })
    }

    /// All steps of all threads.
    pub fn successors(&mut self, system: &System, world: &World) -> Vec<World> {
        (0..world.threads.len()).flat_map(|thread| self.steps(system, world, thread)).collect()
    }

    /// All steps of the first thread.
    pub fn first_steps(&mut self, system: &System, world: &World) -> Vec<World> {
        self.steps(system, world, 0)
    }

    fn steps(&mut self, system: &System, world: &World, stepping: usize) -> Vec<World> {
        let thread = &world.threads[stepping];
        let is_over = world
            .threads
            .iter()
            .any(|thread| !matches!(kind(system, thread.at), LocationKind::Running | LocationKind::Ended));
        if is_over || *kind(system, thread.at) != LocationKind::Running {
            return Vec::new();
        }
        let mut found = Vec::new();
        for edge in system.templates[thread.at.0].edges.iter().filter(|edge| edge.from == thread.at.1) {
            let widths: Vec<u32> = edge.inputs.iter().map(|input| system.terms.bits(*input)).collect();
            let variables = scope(system, &[(thread.at.0, 0)], &edge.inputs);
            for inputs in assignments(&widths) {
                let values = [world.shared.clone(), thread.locals.clone(), inputs].concat();
                let mut value = |term: Term| self.value(&system.terms, term, &variables, &values);
                if value(edge.guard) == 0 {
                    continue;
                }
                let mut after = world.clone();
                after.threads[stepping].at.1 = edge.to;
                for (place, term) in &edge.updates {
                    match place {
                        Place::Shared(shared) => after.shared[shared.as_u32() as usize] = value(*term),
                        Place::Local(local) => after.threads[stepping].locals[index(*local)] = value(*term),
                    }
                }
                let mut made = vec![after];
                for spawn in &edge.spawns {
                    let template = &system.templates[spawn.template];
                    let widths: Vec<u32> = template.locals.values().map(|local| local.bits).collect();
                    let mut given: HashMap<LocalId, u128> = HashMap::new();
                    for (local, term) in &spawn.arguments {
                        given.insert(*local, value(*term));
                    }
                    let fits = |locals: &Vec<u128>| given.iter().all(|(local, value)| locals[index(*local)] == *value);
                    let new: Vec<Vec<u128>> = assignments(&widths).into_iter().filter(fits).collect();
                    let at = (spawn.template, system.first(spawn.template));
                    made = made
                        .into_iter()
                        .flat_map(|after| new.iter().map(move |locals| (after.clone(), locals.clone())))
                        .filter_map(|(mut after, locals)| {
                            // Also other than the creator's, even if it ends with this step.
                            let new = Thread { at, locals };
                            let is_taken = number(system, &new) == number(system, &world.threads[stepping]);
                            after.threads.push(new);
                            (!is_taken && after.is_possible(system)).then_some(after)
                        })
                        .collect();
                }
                found.extend(made);
            }
        }
        found
    }
}

/// All states of so many running threads; which one is first matters, the order of the others does not.
pub fn worlds(system: &System, threads: usize) -> Vec<World> {
    let mut all = Vec::new();
    for at in system.places().filter(|at| *kind(system, *at) == LocationKind::Running) {
        let widths: Vec<u32> = system.templates[at.0].locals.values().map(|local| local.bits).collect();
        all.extend(assignments(&widths).into_iter().map(|locals| Thread { at, locals }));
    }
    let mut choices: Vec<Vec<usize>> = (0..all.len()).map(|thread| vec![thread]).collect();
    for count in 1..threads {
        let more = choices.iter().flat_map(|chosen| {
            let from = if count == 1 { 0 } else { chosen[count - 1] };
            (from..all.len()).map(move |next| [chosen.clone(), vec![next]].concat())
        });
        choices = more.collect();
    }
    let widths: Vec<u32> = system.shared.values().map(|variable| variable.bits).collect();
    let mut found = Vec::new();
    for chosen in choices {
        let threads: Vec<Thread> = chosen.iter().map(|thread| all[*thread].clone()).collect();
        let world = World { shared: Vec::new(), threads };
        if world.is_possible(system) {
            found.extend(assignments(&widths).into_iter().map(|shared| World { shared, ..world.clone() }));
        }
    }
    found
}

fn assignments(widths: &[u32]) -> Vec<Vec<u128>> {
    widths.iter().fold(vec![Vec::new()], |all, bits| {
        all.into_iter()
            .flat_map(|some| (0..1u128 << bits).map(move |value| [some.clone(), vec![value]].concat()))
            .collect()
    })
}

/// Variables in the order of their values: shared ones, locals of the threads, inputs.
fn scope(system: &System, threads: &[(TemplateId, usize)], inputs: &[Term]) -> Vec<Term> {
    let mut variables: Vec<Term> = system.shared.values().map(|variable| variable.copies[0]).collect();
    for (template, copy) in threads {
        variables.extend(system.templates[*template].locals.values().map(|local| local.copies[*copy]));
    }
    variables.extend(inputs);
    variables
}

pub fn random_truth(
    system: &mut System,
    random: &mut fastrand::Rng,
    threads: &[(TemplateId, usize)],
    inputs: &[Term],
) -> Term {
    let variables = scope(system, threads, inputs);
    truth(&mut system.terms, random, &variables)
}

fn truth(terms: &mut Terms, random: &mut fastrand::Rng, variables: &[Term]) -> Term {
    let variable = variables[random.usize(..variables.len())];
    let other = value(terms, random, variables, terms.bits(variable));
    let atom = if random.bool() { terms.eq(variable, other) } else { terms.ult(variable, other) };
    match random.u32(..4) {
        0 => terms.not(atom),
        1 => {
            let more = truth(terms, random, variables);
            terms.or(atom, more)
        }
        _ => atom,
    }
}

fn value(terms: &mut Terms, random: &mut fastrand::Rng, variables: &[Term], bits: u32) -> Term {
    let same: Vec<Term> = variables.iter().copied().filter(|variable| terms.bits(*variable) == bits).collect();
    let constant = terms.constant(bits, u128::from(random.u32(..4)));
    match (same.is_empty(), random.u32(..3)) {
        (true, _) | (_, 0) => constant,
        (_, 1) => same[random.usize(..same.len())],
        _ => terms.add(same[random.usize(..same.len())], constant),
    }
}

/// One main thread and any number of workers, over a shared variable of the width of thread numbers, and one more bit.
/// `running`: places of each template besides the first.
pub fn random_system(random: &mut fastrand::Rng, running: usize) -> System {
    let mut terms = Terms::new();
    let shared = [("owner", 2), ("flag", 1)].map(|(name, bits)| {
        let variable = terms.variable(bits, name);
        Variable { name: name.to_string(), bits, copies: [variable; COPIES], role: Role::Object }
    });
    let mut system = System {
        counters: Default::default(),
        broken: Vec::new(),
        terms,
        shared: shared.into_iter().collect(),
        templates: Default::default(),
        main: TemplateId::from_u32(0),
        initial: Terms::TRUE,
        accesses: Vec::new(),
    };
    for (name, instances) in [("main", Instances::Once), ("worker", Instances::Many)] {
        let locals = [("number", 2, Role::Number), ("x", 1, Role::Register)].map(|(local, bits, role)| {
            let copies = [0, 1, 2].map(|copy| system.terms.variable(bits, format!("{name}::{local}.{copy}")));
            Variable { name: local.to_string(), bits, copies, role }
        });
        let error = LocationKind::Error { property: Property::Assertion, text: String::new() };
        let kinds = std::iter::repeat_n(LocationKind::Running, running + 1).chain([
            LocationKind::Ended,
            error,
            LocationKind::ProcessEnded,
        ]);
        system.templates.push(Template {
            name: name.to_string(),
            function: FuncId::from_u32(0),
            instances,
            locals: locals.into_iter().collect(),
            number: LocalId::from_u32(0),
            locations: kinds.map(|kind| Location { kind, loc: SourceMap::NOWHERE }).collect(),
            edges: Vec::new(),
        });
    }
    for template in [0, 1].map(TemplateId::from_u32) {
        for _ in 0..random.usize(3..7) {
            let edge = random_edge(&mut system, random, template, running);
            system.templates[template].edges.push(edge);
        }
    }
    let main = system.main;
    let (one, other) =
        (random_truth(&mut system, random, &[(main, 0)], &[]), random_truth(&mut system, random, &[(main, 0)], &[]));
    system.initial = system.terms.and(one, other);
    system
}

fn random_edge(system: &mut System, random: &mut fastrand::Rng, template: TemplateId, running: usize) -> Edge {
    let input = system.terms.variable(if random.bool() { 1 } else { 2 }, "input");
    let variables = scope(system, &[(template, 0)], &[input]);
    let location = |index: usize| LocationId::from_u32(index as u32);
    let to = match random.u32(..12) {
        0 => running + 1,
        1 => running + 2,
        2 => running + 3,
        _ => random.usize(..=running),
    };
    let first = truth(&mut system.terms, random, &variables);
    let second = truth(&mut system.terms, random, &variables);
    let guard = if random.bool() { system.terms.and(first, second) } else { first };
    let places = [
        (Place::Shared(selvedge_prove::system::SharedId::from_u32(0)), 2),
        (Place::Shared(selvedge_prove::system::SharedId::from_u32(1)), 1),
        (Place::Local(LocalId::from_u32(1)), 1),
    ];
    let mut updates = Vec::new();
    for (place, bits) in places {
        if random.bool() {
            updates.push((place, value(&mut system.terms, random, &variables, bits)));
        }
    }
    let is_main = template == system.main;
    let mut spawns = Vec::new();
    while random.u32(..if is_main { 2 } else { 5 }) == 0 && spawns.len() < 2 {
        let mut arguments = Vec::new();
        if random.bool() {
            arguments.push((LocalId::from_u32(1), value(&mut system.terms, random, &variables, 1)));
        }
        if system.terms.bits(input) == 2 && spawns.is_empty() && random.bool() {
            arguments.push((LocalId::from_u32(0), input));
        }
        spawns.push(Spawn { template: TemplateId::from_u32(1), arguments });
    }
    Edge {
        from: location(random.usize(..=running)),
        to: location(to),
        guard,
        updates,
        inputs: vec![input],
        spawns,
        loc: SourceMap::NOWHERE,
    }
}
