//! The checker against explicit enumeration: on random systems with few values, it accepts exactly the invariants that
//! are inductive and exclude errors, and an accepted invariant means that no run goes wrong.

mod small;

use hashbrown::HashMap;
use selvedge_engine::Control;
use selvedge_formula::{Term, Terms};
use selvedge_prove::check::{Refuted, check};
use selvedge_prove::invariant::{At, Invariant};
use selvedge_prove::system::{LocationKind, System};
use small::{Concrete, Thread, World, random_system, worlds};

/// The statement that holds for these values of shared variables and locals.
fn any_of(system: &mut System, at: At, values: &[(Vec<u128>, Vec<u128>)]) -> Term {
    let mut all = Terms::FALSE;
    for (shared, locals) in values {
        let variables: Vec<(Term, u32)> = (system.shared.values().map(|variable| (variable.copies[0], variable.bits)))
            .chain(system.templates[at.0].locals.values().map(|variable| (variable.copies[0], variable.bits)))
            .collect();
        let mut this = Terms::TRUE;
        for ((variable, bits), value) in variables.into_iter().zip(shared.iter().chain(locals)) {
            let value = system.terms.constant(bits, *value);
            let equal = system.terms.eq(variable, value);
            this = system.terms.and(this, equal);
        }
        all = system.terms.or(all, this);
    }
    all
}

/// Values of shared variables, and of a thread's locals.
type Values = (Vec<u128>, Vec<u128>);

/// The strongest statements about single threads that are inductive, by closure. Errors count as places.
fn strongest(system: &mut System) -> Invariant {
    let mut sets: HashMap<At, Vec<Values>> = HashMap::new();
    let mut concrete = Concrete::default();
    let mut views: Vec<(Thread, Vec<u128>)> = concrete.beginnings(system);
    let mut next = 0;
    while next < views.len() {
        let (thread, shared) = views[next].clone();
        next += 1;
        let before = views[..next].to_vec();
        let mut found = Vec::new();
        for (other, other_shared) in before {
            let world = World { shared: shared.clone(), threads: vec![thread.clone(), other.clone()] };
            if other_shared == shared && world.is_possible(system) {
                found.extend(concrete.successors(system, &world));
            }
        }
        found.extend(concrete.successors(system, &World { shared, threads: vec![thread] }));
        for world in found {
            for thread in world.threads {
                let view = (thread, world.shared.clone());
                if !views.contains(&view) {
                    views.push(view);
                }
            }
        }
    }
    for (thread, shared) in views {
        sets.entry(thread.at).or_default().push((shared, thread.locals));
    }
    let mut single = HashMap::new();
    for (at, values) in sets {
        let statement = any_of(system, at, &values);
        single.insert(at, statement);
    }
    Invariant { single, ..Invariant::default() }
}

/// By enumeration: inductive, and without errors.
fn is_inductive(system: &System, invariant: &Invariant) -> bool {
    let mut concrete = Concrete::default();
    let starts = concrete.beginnings(system).into_iter();
    for (thread, shared) in starts {
        if !concrete.holds(system, invariant, &World { shared, threads: vec![thread] }) {
            return false;
        }
    }
    let errors =
        system.places().filter(|(t, l)| matches!(system.templates[*t].locations[*l].kind, LocationKind::Error { .. }));
    if errors.into_iter().any(|at| invariant.single.get(&at).is_some_and(|statement| *statement != Terms::FALSE)) {
        // The mutations below make no statement that is false in disguise.
        return false;
    }
    for threads in 1..=invariant.level() as usize + 1 {
        for world in worlds(system, threads) {
            if !concrete.holds(system, invariant, &world) {
                continue;
            }
            for after in concrete.first_steps(system, &world) {
                if !concrete.holds(system, invariant, &after) {
                    return false;
                }
            }
        }
    }
    true
}

fn agrees(system: &mut System, invariant: &Invariant, what: &str) -> bool {
    let expected = is_inductive(system, invariant);
    match check(system, invariant, &Control::default()) {
        Ok(_) => assert!(expected, "{what}: accepted, but not inductive"),
        Err(Refuted::Violated(why)) => {
            assert!(!expected, "{what}: refused, but inductive: {}", Refuted::Violated(why));
        }
        Err(other) => panic!("{what}: {other}"),
    }
    expected
}

#[test]
fn statements_about_single_threads() {
    let (mut inductive, mut not) = (0, 0);
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut system = random_system(&mut random, 2);
        let right = strongest(&mut system);
        let mut candidates = vec![(right.clone(), "strongest".to_string())];
        let mut places: Vec<At> = right.single.keys().copied().collect();
        places.sort_unstable();
        if places.is_empty() {
            // Nothing begins.
            continue;
        }
        for number in 0..6 {
            let mut mutant = right.clone();
            let at = places[random.usize(..places.len())];
            let atom = small::random_truth(&mut system, &mut random, &[(at.0, 0)], &[]);
            let statement = mutant.single[&at];
            let statement = match number % 3 {
                0 => system.terms.and(statement, atom),
                1 => system.terms.or(statement, atom),
                _ => atom,
            };
            mutant.single.insert(at, statement);
            candidates.push((mutant, format!("mutant {number} at {at:?}")));
        }
        for (candidate, name) in candidates {
            match agrees(&mut system, &candidate, &format!("seed {seed}, {name}")) {
                true => inductive += 1,
                false => not += 1,
            }
        }
    }
    assert!(inductive > 40 && not > 100, "both are met often: {inductive}, {not}");
}

#[test]
fn statements_about_pairs() {
    let (mut inductive, mut not) = (0, 0);
    for seed in 0..25 {
        let mut random = fastrand::Rng::with_seed(1000 + seed);
        let mut system = random_system(&mut random, 1);
        let single = strongest(&mut system);
        let mut places: Vec<At> = single.single.keys().copied().collect();
        places.sort_unstable();
        if places.is_empty() {
            // Nothing begins.
            continue;
        }
        for number in 0..4 {
            let mut candidate = single.clone();
            for at in &places {
                // Weaker single statements leave something for the pairs to say.
                if random.bool() && *at != (system.main, system.first(system.main)) {
                    let kind = &system.templates[at.0].locations[at.1].kind;
                    candidate
                        .single
                        .insert(*at, if *kind == LocationKind::Running { Terms::TRUE } else { Terms::FALSE });
                }
            }
            for _ in 0..2 {
                let (one, other) = (places[random.usize(..places.len())], places[random.usize(..places.len())]);
                let atom = small::random_truth(&mut system, &mut random, &[(one.0, 0), (other.0, 1)], &[]);
                candidate.pairs.insert((one, other), atom);
            }
            match agrees(&mut system, &candidate, &format!("seed {seed}, pairs {number}")) {
                true => inductive += 1,
                false => not += 1,
            }
        }
    }
    assert!(inductive > 10 && not > 30, "both are met often: {inductive}, {not}");
}

#[test]
fn what_is_accepted_excludes_errors() {
    let mut accepted = 0;
    for seed in 0..60 {
        let mut random = fastrand::Rng::with_seed(2000 + seed);
        let mut system = random_system(&mut random, 2);
        let invariant = strongest(&mut system);
        if check(&mut system, &invariant, &Control::default()).is_err() {
            continue;
        }
        accepted += 1;
        let mut concrete = Concrete::default();
        let mut worlds: Vec<World> = concrete
            .beginnings(&system)
            .into_iter()
            .map(|(thread, shared)| World { shared, threads: vec![thread] })
            .collect();
        let mut next = 0;
        while next < worlds.len() && worlds.len() < 3000 {
            let world = worlds[next].clone();
            next += 1;
            for after in concrete.successors(&system, &world) {
                assert!(!after.has_error(&system), "seed {seed}: an error is reached");
                if after.threads.len() <= 3 && !worlds.contains(&after) {
                    worlds.push(after);
                }
            }
        }
    }
    assert!(accepted > 10, "{accepted}");
}
