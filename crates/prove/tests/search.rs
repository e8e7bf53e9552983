//! Systems whose proofs need a lock, a relation, a lock made by hand, distinct tickets; and the same with a bug, which
//! nothing may prove.

mod build;

use build::Build;
use selvedge_engine::Control;
use selvedge_formula::Terms;
use selvedge_prove::check::check;
use selvedge_prove::houdini::Statements;
use selvedge_prove::owners::name_owners;
use selvedge_prove::search::{Means, Searched, search};
use selvedge_prove::system::{Place, System};

/// Is there an invariant, and does the checker agree?
fn is_proved(mut system: System, solver: Option<&str>) -> Option<Means> {
    let control = Control { time_limit: Some(std::time::Duration::from_secs(600)), ..Control::default() };
    let locks = name_owners(&mut system);
    let found = search(&mut system, &locks, Statements::new(), solver.unwrap_or("no-such-solver"), &control);
    let Searched::Found(invariant, means) = found else { return None };
    check(&mut system, &invariant, &control).expect("what is found is inductive");
    eprintln!("{means:?} in {:?}", control.started.elapsed());
    Some(means)
}

/// A counter under a lock that has its owner's number: it grows. `forgets`: without the test for the largest value.
fn counter_under_lock(forgets: bool) -> System {
    let mut b = Build::new();
    let (lock, lock_now) = b.shared("lock", 8, 0);
    let (value, value_now) = b.shared("value", 32, 0);
    let (v, v_now) = b.local("v", 32);
    let me = b.number();
    let t = &mut b.system.terms;
    let (zero, most, one) = (t.constant(8, 0), t.constant(32, 0xffff_ffff), t.constant(32, 1));
    let (free, some) = (t.eq(lock_now, zero), t.ne(me, zero));
    let can_take = t.and(free, some);
    let may = if forgets { Terms::TRUE } else { t.ne(value_now, most) };
    let more = t.add(v_now, one);
    let grows = t.ult(v_now, value_now);
    let (l0, l1, l2, l3, l4) = (b.first(), b.running(), b.running(), b.running(), b.running());
    b.step(l0, l1, can_take, vec![(Place::Shared(lock), me)]);
    b.step(l1, l2, may, vec![(Place::Local(v), value_now)]);
    b.step(l2, l3, Terms::TRUE, vec![(Place::Shared(value), more)]);
    b.step(l3, l4, Terms::TRUE, vec![(Place::Shared(lock), zero)]);
    b.assert(l4, l0, grows);
    b.system
}

/// A counter by compare-and-swap: it grows.
fn counter_by_swap(forgets: bool) -> System {
    let mut b = Build::new();
    let (value, value_now) = b.shared("value", 32, 0);
    let (v, v_now) = b.local("v", 32);
    let t = &mut b.system.terms;
    let (most, one) = (t.constant(32, 0xffff_ffff), t.constant(32, 1));
    let may = if forgets { Terms::TRUE } else { t.ne(value_now, most) };
    let same = t.eq(value_now, v_now);
    let other = t.not(same);
    let more = t.add(v_now, one);
    let grows = t.ult(v_now, value_now);
    let (l0, l1, l2) = (b.first(), b.running(), b.running());
    b.step(l0, l1, may, vec![(Place::Local(v), value_now)]);
    b.step(l1, l2, same, vec![(Place::Shared(value), more)]);
    b.step(l1, l0, other, Vec::new());
    b.assert(l2, l0, grows);
    b.system
}

/// A test-and-set lock around a variable that is 0 outside. `unlocked`: some thread goes past the lock.
fn test_and_set(unlocked: bool) -> System {
    let mut b = Build::new();
    let (lock, lock_now) = b.shared("lock", 32, 0);
    let (c, c_now) = b.shared("c", 32, 0);
    let (r, r_now) = b.local("r", 32);
    let t = &mut b.system.terms;
    let (zero, one) = (t.constant(32, 0), t.constant(32, 1));
    let won = t.eq(r_now, zero);
    let lost = t.not(won);
    let enter = if unlocked { Terms::TRUE } else { won };
    let (more, less) = (t.add(c_now, one), t.sub(c_now, one));
    let alone = t.eq(c_now, one);
    let (l0, l1, l2, l3, l4, l5) = (b.first(), b.running(), b.running(), b.running(), b.running(), b.running());
    b.step(l0, l1, Terms::TRUE, vec![(Place::Shared(lock), one), (Place::Local(r), lock_now)]);
    b.step(l1, l0, lost, Vec::new());
    b.step(l1, l2, enter, Vec::new());
    b.step(l2, l3, Terms::TRUE, vec![(Place::Shared(c), more)]);
    b.assert(l3, l4, alone);
    b.step(l4, l5, Terms::TRUE, vec![(Place::Shared(c), less)]);
    b.step(l5, l0, Terms::TRUE, vec![(Place::Shared(lock), zero)]);
    b.system
}

/// A ticket lock of wide integers. `late`: the ticket is read, and the next one made, in two steps.
fn tickets(late: bool) -> System {
    let mut b = Build::new();
    let (next, next_now) = b.shared("next", 32, 0);
    let (served, served_now) = b.shared("served", 32, 0);
    let (c, c_now) = b.shared("c", 32, 0);
    let (mine, mine_now) = b.local("mine", 32);
    let t = &mut b.system.terms;
    let (zero, one, most) = (t.constant(32, 0), t.constant(32, 1), t.constant(32, 0xffff_ffff));
    let room = t.ne(next_now, most);
    let (more, after, is_next) = (t.add(next_now, one), t.add(served_now, one), t.eq(mine_now, served_now));
    let own = t.add(mine_now, one);
    let alone = t.eq(c_now, zero);
    let (l0, l1, l2, l3, l4) = (b.first(), b.running(), b.running(), b.running(), b.running());
    if late {
        let between = b.running();
        b.step(l0, between, room, vec![(Place::Local(mine), next_now)]);
        b.step(between, l1, Terms::TRUE, vec![(Place::Shared(next), own)]);
    } else {
        b.step(l0, l1, room, vec![(Place::Local(mine), next_now), (Place::Shared(next), more)]);
    }
    b.step(l1, l2, is_next, Vec::new());
    b.assert(l2, l3, alone);
    b.step(l3, l4, Terms::TRUE, vec![(Place::Shared(c), one)]);
    let l5 = b.running();
    b.step(l4, l5, Terms::TRUE, vec![(Place::Shared(c), zero)]);
    b.step(l5, l0, Terms::TRUE, vec![(Place::Shared(served), after)]);
    b.system
}

#[test]
fn locks_with_owners() {
    assert!(is_proved(counter_under_lock(false), Some("z3")).is_some());
}

#[test]
fn relations() {
    assert!(is_proved(counter_by_swap(false), Some("z3")).is_some());
}

#[test]
fn locks_by_hand() {
    assert!(is_proved(test_and_set(false), Some("z3")).is_some());
}

#[test]
fn nothing_proves_what_is_wrong() {
    for system in [counter_under_lock(true), counter_by_swap(true), test_and_set(true), tickets(true)] {
        assert!(is_proved(system, None).is_none());
    }
}
