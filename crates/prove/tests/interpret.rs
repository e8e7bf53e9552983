//! Abstract interpretation of systems made by hand: what it proves the checker confirms, and planted bugs are not
//! proved.

mod hand;
mod small;

use hand::Hand;
use selvedge_engine::Control;
use selvedge_formula::{Term, Terms};
use selvedge_prove::check::check;
use selvedge_prove::interpret::{Precision, interpret};
use selvedge_prove::owners::name_owners;
use selvedge_prove::system::{Instances, LocationKind, Place, System, TemplateId};

/// Whether the system is proved, in both ways. A proof must pass the checker.
fn proved(system: &mut System) -> bool {
    name_owners(system);
    let proved = Precision::ALL.map(|precision| proved_with(system, precision));
    assert_eq!(proved[0], proved[1], "either both ways prove it, or none");
    proved[0]
}

fn proved_with(system: &mut System, precision: Precision) -> bool {
    let control = Control::default();
    let found = interpret(system, precision, &control).expect("within the limits");
    if !found.proved() {
        for ((template, location), states) in &found.texts {
            println!("{template} {location}");
            states.iter().for_each(|state| println!("    {state}"));
        }
    }
    if found.proved() {
        check(system, &found.invariant, &control).unwrap_or_else(|why| panic!("a proof that does not hold: {why}"));
    }
    found.proved()
}

/// Main creates workers without end, and then asserts something while it holds the lock.
struct Workers {
    hand: Hand,
    lock: (Place, Term),
    worker: TemplateId,
}

fn workers(shared: impl FnOnce(&mut Hand) -> Term) -> Workers {
    let mut hand = Hand::new();
    let lock = hand.shared("lock", hand::WORD_BITS, 0);
    let worker = hand.template("worker", Instances::Many);
    let main = hand.main();
    let claim = shared(&mut hand);
    let [start, held, done] = hand.locations(main);
    hand.create(main, (start, start), worker);
    hand.lock(main, (start, held), lock);
    hand.assert(main, (held, done), claim);
    Workers { hand, lock, worker }
}

/// `while (1) { lock; x = 1; x = 0; unlock; }`, with or without the lock.
fn toggles(with_lock: bool) -> System {
    let mut x = None;
    let Workers { mut hand, lock, worker } = workers(|hand| {
        let variable = hand.shared("x", 32, 0);
        x = Some(variable);
        let zero = hand.constant(32, 0);
        hand.system.terms.eq(variable.1, zero)
    });
    let (x, _) = x.expect("a variable");
    let [start, held, one, zero] = hand.locations(worker);
    let (zero_value, one_value) = (hand.constant(32, 0), hand.constant(32, 1));
    if with_lock {
        hand.lock(worker, (start, held), lock);
    } else {
        hand.edge(worker, (start, held), Terms::TRUE, Vec::new());
    }
    hand.set(worker, (held, one), x, one_value);
    hand.set(worker, (one, zero), x, zero_value);
    if with_lock {
        hand.unlock(worker, (zero, start), lock);
    } else {
        hand.edge(worker, (zero, start), Terms::TRUE, Vec::new());
    }
    hand.system
}

#[test]
fn what_a_lock_protects_holds_while_it_is_held() {
    assert!(proved(&mut toggles(true)));
    assert!(!proved(&mut toggles(false)));
}

/// `lock; if (x < limit) x++; unlock;` and main claims `x <= claimed`.
fn counts(limit: i128, claimed: i128) -> System {
    let mut x = None;
    let Workers { mut hand, lock, worker } = workers(|hand| {
        let variable = hand.shared("x", 32, 0);
        x = Some(variable);
        let claimed = hand.constant(32, claimed);
        hand.system.terms.sle(variable.1, claimed)
    });
    let (place, x) = x.expect("a variable");
    let [start, held, done] = hand.locations(worker);
    hand.lock(worker, (start, held), lock);
    let (limit, one) = (hand.constant(32, limit), hand.constant(32, 1));
    let less = hand.system.terms.slt(x, limit);
    let more = hand.system.terms.add(x, one);
    let next = hand.system.terms.ite(less, more, x);
    hand.set(worker, (held, done), place, next);
    hand.unlock(worker, (done, start), lock);
    hand.system
}

#[test]
fn counters_stop_where_their_guards_do() {
    assert!(proved(&mut counts(100, 100)));
    assert!(!proved(&mut counts(100, 99)));
}

/// Transfers of any amount between two accounts, under a lock: `a` may not get negative, and the sum stays.
fn accounts(guarded: bool, returned: bool) -> System {
    let mut variables = None;
    let Workers { mut hand, lock, worker } = workers(|hand| {
        let (a, b) = (hand.shared("a", 32, 600), hand.shared("b", 32, 400));
        variables = Some((a, b));
        let (zero, all) = (hand.constant(32, 0), hand.constant(32, 1000));
        let terms = &mut hand.system.terms;
        let sum = terms.add(a.1, b.1);
        let parts = [terms.sle(zero, a.1), terms.sle(zero, b.1), terms.eq(sum, all)];
        terms.and_all(parts)
    });
    let (a, b) = variables.expect("variables");
    let (place, amount) = hand.local(worker, "amount", 32);
    let [start, chosen, held, taken, given] = hand.locations(worker);
    let input = hand.system.terms.variable(32, "any");
    let zero = hand.constant(32, 0);
    let guard = hand.system.terms.sle(zero, input);
    hand.edge(worker, (start, chosen), guard, vec![(place, input)]).inputs.push(input);
    hand.lock(worker, (chosen, held), lock);
    let terms = &mut hand.system.terms;
    let enough = if guarded { terms.sle(amount, a.1) } else { Terms::TRUE };
    let less = terms.sub(a.1, amount);
    let more = terms.add(b.1, amount);
    hand.edge(worker, (held, taken), enough, vec![(a.0, less)]);
    let second = if returned { vec![(b.0, more)] } else { Vec::new() };
    hand.edge(worker, (taken, given), Terms::TRUE, second);
    hand.unlock(worker, (given, start), lock);
    hand.system
}

#[test]
fn sums_stay_under_a_lock() {
    assert!(proved(&mut accounts(true, true)));
    assert!(!proved(&mut accounts(false, true)));
    assert!(!proved(&mut accounts(true, false)));
}

/// A lock made by hand: `taken` goes from 0 to 1 in one step, or is looked at and set in two.
fn flag(atomic: bool) -> System {
    let mut hand = Hand::new();
    let taken = hand.shared("taken", 32, 0);
    let x = hand.shared("x", 32, 0);
    let main = hand.main();
    let worker = hand.template("worker", Instances::Many);
    let [start] = hand.locations(main);
    hand.create(main, (start, start), worker);
    let [begin, seen, held, set, over] = hand.locations(worker);
    let (zero, one) = (hand.constant(32, 0), hand.constant(32, 1));
    let free = hand.system.terms.eq(taken.1, zero);
    if atomic {
        hand.edge(worker, (begin, held), free, vec![(taken.0, one)]);
    } else {
        hand.edge(worker, (begin, seen), free, Vec::new());
        hand.set(worker, (seen, held), taken.0, one);
    }
    hand.set(worker, (held, set), x.0, one);
    let alone = hand.system.terms.eq(x.1, one);
    hand.assert(worker, (set, over), alone);
    let cleared = hand.location(worker);
    hand.set(worker, (over, cleared), x.0, zero);
    hand.set(worker, (cleared, begin), taken.0, zero);
    hand.system
}

#[test]
fn locks_made_by_hand_have_owners() {
    assert!(proved(&mut flag(true)));
    assert!(!proved(&mut flag(false)));
}

/// Main writes, creates a thread, waits for its end, and claims what that left. `joined`: it does wait.
fn joined(joined: bool) -> System {
    let mut hand = Hand::new();
    let x = hand.shared("x", 32, 0);
    let created_ghost = hand.shared("created", 1, 0);
    let ended = hand.shared("ended", 1, 0);
    let main = hand.main();
    let child = hand.template("child", Instances::Once);
    let [start, wrote, created, waited, done] = hand.locations(main);
    let (five, seven) = (hand.constant(32, 5), hand.constant(32, 7));
    hand.set(main, (start, wrote), x.0, five);
    hand.create(main, (wrote, created), child);
    hand.system.templates[main].edges.last_mut().expect("an edge").updates.push((created_ghost.0, Terms::TRUE));
    let over = if joined { ended.1 } else { Terms::TRUE };
    hand.edge(main, (created, waited), over, Vec::new());
    let is_seven = hand.system.terms.eq(x.1, seven);
    hand.assert(main, (waited, done), is_seven);
    let [begin, written] = hand.locations(child);
    let end = hand.ended(child);
    let two = hand.constant(32, 2);
    let sum = hand.system.terms.add(x.1, two);
    hand.set(child, (begin, written), x.0, sum);
    hand.edge(child, (written, end), Terms::TRUE, vec![(ended.0, Terms::TRUE)]);
    hand.system
}

#[test]
fn who_has_ended_has_done_what_it_does() {
    assert!(proved(&mut joined(true)));
    assert!(!proved(&mut joined(false)));
}

/// The statements that are found are inductive on systems that nobody designed; those by common facts nearly always.
#[test]
fn statements_about_random_systems_are_inductive() {
    let (mut proofs, mut guesses) = (0, 0);
    for seed in 0..400 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut system = small::random_system(&mut random, 2);
        if seed % 2 == 0 {
            name_owners(&mut system);
        }
        // Only in a system without errors every statement that is inductive is a proof.
        if seed % 4 < 3 {
            let locations = system.templates.values_mut().flat_map(|template| template.locations.values_mut());
            for location in locations.filter(|location| matches!(location.kind, LocationKind::Error { .. })) {
                location.kind = LocationKind::Ended;
            }
        }
        let control = Control::default();
        let precision = Precision::ALL[seed as usize / 2 % 2];
        let found = interpret(&mut system, precision, &control).expect("within the limits");
        if found.proved() {
            match check(&mut system, &found.invariant, &control) {
                Ok(_) => proofs += 1,
                // A guess, by what the engine says of this technique.
                Err(_) if precision == Precision::LARGE => guesses += 1,
                Err(why) => panic!("seed {seed}: {why}\n{:#?}", found.texts),
            }
        }
    }
    assert!(proofs > 300 && guesses < 20, "{proofs}, {guesses}");
}
