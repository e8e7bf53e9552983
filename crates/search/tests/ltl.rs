//! The LTL engine against a naive one, on generated programs and random formulas.
//!
//! The naive one makes the graph of all states, every step by itself, and the whole product with the automaton; whether
//! that accepts anything is asked of `crates/ltl`, whose automata are tested against the definition.
//!
//! `SELVEDGE_CASES` is the number of programs, `SELVEDGE_SEED` where they begin.

use proptest::prelude::*;
use selvedge_engine::{Control, Disk, Engine, Task, conclude};
use selvedge_generate::{Features, Source, Stmt, Tally, Trial, sources};
use selvedge_ltl::{Automaton, Transition};
use selvedge_program::{Bounds, Finding, Program, Properties, Reason, Verdict, text};
use selvedge_search::explicit::{Explicit, Memory};
use selvedge_search::ltl::Ltl;
use selvedge_vm::Writes;
use selvedge_vm::{Code, Ended, Machine, Oracle, Sharing, State, Stopped};
use std::collections::HashMap;

const MOST_NODES: usize = 1500;

/// Is `x`, or `y`, or the byte `c` something else than zero? Is the first lock taken?
fn propositions() -> String {
    let all = [("px", "x", 32), ("py", "y", 32), ("pc", "c", 8), ("pl", "lock0", 8)];
    let one = |(name, place, bits)| {
        format!(
            "proposition \"{name}\" @{name}\nfn @{name}() -> i1 {{\n  i{bits} %v\n  i1 %b\nentry:\n  \
             %v = load @{place}\n  %b = ne %v, 0i{bits}\n  return %b\n}}\n"
        )
    };
    all.map(one).concat()
}

fn formula(with_next: bool) -> impl Strategy<Value = String> {
    let atom = prop_oneof![Just("px"), Just("py"), Just("pc"), Just("pl"), Just("end")];
    let leaf = (atom, any::<bool>()).prop_map(|(atom, holds)| format!("{}{atom}", if holds { "" } else { "!" }));
    leaf.prop_recursive(3, 6, 2, move |inner| {
        let unary = if with_next { vec!["G", "F", "X"] } else { vec!["G", "F"] };
        prop_oneof![
            (proptest::sample::select(unary), inner.clone()).prop_map(|(operator, of)| format!("{operator} ({of})")),
            (inner.clone(), proptest::sample::select(vec!["&&", "||", "U", "R", "W", "->"]), inner)
                .prop_map(|(one, operator, other)| format!("({one}) {operator} ({other})")),
        ]
    })
}

fn watched(source: &Source, formula: &str, fair: bool) -> Program {
    let fair = if fair { " fair" } else { "" };
    let text = format!("{}\n{}ltl \"{formula}\"{fair}\n", source.text(), propositions());
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

struct NoChoice;

impl Oracle for NoChoice {
    fn choose(&mut self, _ways: usize) -> Result<usize, Stopped> {
        panic!("the program has no inputs")
    }
}

struct Node {
    state: State,
    ended: bool,
    letter: u64,
    idle: u64,
    /// Where to, and by whom.
    edges: Vec<(usize, Option<usize>)>,
}

/// All states; `None` if they are too many.
fn graph(program: &Program) -> Option<Vec<Node>> {
    let code = Code::new(program, Properties::NONE).ok()?;
    let mut machine = Machine::new(&code, Sharing::everything(), NoChoice, 1);
    let mut numbers: HashMap<(Vec<u64>, u64, bool), usize> = HashMap::new();
    let mut nodes: Vec<Node> = Vec::new();
    let add = |machine: &mut Machine<'_, NoChoice>,
               before: Option<u64>,
               ended: bool,
               nodes: &mut Vec<Node>,
               numbers: &mut HashMap<_, _>| {
        let ended = ended || machine.state.alive() == 0;
        let mut letter = if ended { program.observers.end_bit() } else { 0 };
        match before.filter(|_| machine.state.inside_atomic().is_some()) {
            Some(before) => letter = before,
            None => {
                for (bit, proposition) in program.observers.proposition_bits() {
                    let observation = machine.observe(proposition, Writes::Never).expect("it only looks");
                    letter |= if observation.answer.value == 0 { 0 } else { bit };
                }
            }
        }
        let mut words = Vec::new();
        machine.state.flatten(&mut words);
        let next = nodes.len();
        let number = *numbers.entry((words, letter, ended)).or_insert(next);
        if number == next {
            nodes.push(Node { state: machine.state.clone(), ended, letter, idle: u64::MAX, edges: Vec::new() });
        }
        number
    };
    add(&mut machine, None, false, &mut nodes, &mut numbers);
    let mut at = 0;
    while at < nodes.len() {
        if nodes.len() > MOST_NODES {
            return None;
        }
        let (state, ended, letter) = (nodes[at].state.clone(), nodes[at].ended, nodes[at].letter);
        if ended {
            nodes[at].edges.push((at, None));
        }
        for thread in (0..state.threads.len()).filter(|t| !ended && !state.threads[*t].is_finished()) {
            if state.inside_atomic().is_some_and(|inside| inside != thread) {
                nodes[at].idle &= !(1 << thread);
                continue;
            }
            machine.state = state.clone();
            match machine.step(thread) {
                Err(Stopped::Blocked) => {}
                Err(Stopped::GaveUp(_)) => return None,
                result => {
                    nodes[at].idle &= !(1 << thread);
                    if let Ok(ended) = result {
                        let to = add(&mut machine, Some(letter), ended == Ended::Exited, &mut nodes, &mut numbers);
                        nodes[at].edges.push((to, Some(thread)));
                    }
                }
            }
        }
        if nodes[at].idle == u64::MAX && nodes[at].edges.is_empty() {
            nodes[at].edges.push((at, None));
        }
        at += 1;
    }
    Some(nodes)
}

/// Is there a run of which the formula does not hold?
fn naive(program: &Program, nodes: &[Node]) -> bool {
    let specification = program.observers.specification.as_ref().expect("a formula");
    let automaton = Automaton::new(&specification.formula.negated()).expect("a small formula");
    // Sets for threads come behind those of the automaton.
    let threads = if specification.fair { 8 } else { 0 };
    let shift = automaton.all_sets.count_ones();
    let all = (1u64 << threads) - 1;
    let place = |node: usize, state: usize| node * automaton.states.len() + state;
    let mut states = vec![Vec::new(); nodes.len() * automaton.states.len()];
    for (number, node) in nodes.iter().enumerate() {
        for (from, transitions) in automaton.states.iter().enumerate() {
            for transition in transitions.iter().filter(|t| t.allows(node.letter)) {
                for (to, by) in &node.edges {
                    let moved = by.map_or(0, |thread| 1 << thread) | node.idle;
                    let sets = transition.sets | (moved & all) << shift;
                    let to = place(*to, transition.to);
                    states[place(number, from)].push(Transition { with: 0, without: 0, to, sets });
                }
            }
        }
    }
    Automaton { states, all_sets: automaton.all_sets | all << shift }.accepts_something()
}

/// With and without merging and supersteps; `exact`: only what counts steps.
fn engines(exact: bool) -> Vec<Ltl> {
    let reduced = [(true, true), (false, false), (false, true)].into_iter().filter(|_| !exact);
    let all = std::iter::once((true, false)).chain(reduced);
    all.map(|(no_reduction, supersteps)| Ltl { no_reduction, supersteps }).collect()
}

fn compare(source: &Source, formula: &str, fair: bool, exact: bool, tally: &Tally) -> Result<(), String> {
    if source.any(&|s| matches!(s, Stmt::Input { .. })) {
        tally.skipped("inputs");
        return Ok(());
    }
    let program = watched(source, formula, fair);
    let Some(nodes) = graph(&program) else {
        tally.skipped("too many states for the naive search");
        return Ok(());
    };
    let expected = naive(&program, &nodes);
    let task = Task { properties: Properties::NONE, ..Task::default() };
    for engine in engines(exact) {
        let finding = engine.check(&program, &task, &Control::default()).finding;
        let found = match &finding {
            Finding::Violation { .. } => true,
            Finding::NoneWithin(coverage) if coverage.is_complete() => false,
            // Atomic sections without end.
            Finding::GaveUp(Reason::Limit(_)) => {
                tally.compares(&[&finding]);
                return Ok(());
            }
            other => return Err(format!("{other:?}")),
        };
        if found != expected {
            return Err(format!("`{formula}` (fair: {fair}, {engine:?}): {found}, naive: {expected}"));
        }
        match conclude(&program, task.properties, finding).map_err(|error| error.to_string())?.verdict {
            Verdict::Unsafe(trace) if found && trace.cycle.is_some() => {}
            // All runs may end in a misuse that is not checked, which limits a verdict.
            Verdict::Safe | Verdict::SafeWithin(_) if !found => {}
            other => return Err(format!("{other:?}")),
        }
    }
    tally.compared();
    Ok(())
}

/// The name of the verdict. Whether any run was seen to end without a misuse depends on how many a search looks at,
/// so that limit, the only one there is here, is left out.
fn answer(program: &Program, finding: Finding) -> Result<&'static str, String> {
    let verdict = conclude(program, Properties::NONE, finding).map_err(|error| error.to_string())?.verdict;
    Ok(if matches!(verdict, Verdict::SafeWithin(_)) { Verdict::Safe.name() } else { verdict.name() })
}

/// The reduced search, and the one without reductions, of a program that may have inputs.
fn compare_reductions(source: &Source, formula: &str, fair: bool, tally: &Tally) -> Result<(), String> {
    let program = watched(source, formula, fair);
    let task = Task { properties: Properties::NONE, ..Task::default() };
    let mut answers = Vec::new();
    for engine in engines(false) {
        let finding = engine.check(&program, &task, &Control::default()).finding;
        if !tally.compares(&[&finding]) {
            return Ok(());
        }
        answers.push(answer(&program, finding)?);
    }
    match answers.iter().all(|answer| *answer == answers[0]) {
        true => Ok(()),
        false => Err(format!("`{formula}` (fair: {fair}): {answers:?}")),
    }
}

/// An invariant against the formula that it always holds; the explicit search with and without reductions.
fn compare_invariants(source: &Source, name: &str, tally: &Tally) -> Result<(), String> {
    let task = Task { properties: Properties::NONE, ..Task::default() };
    let always = watched(source, &format!("G {name}"), false);
    let text = format!("{}\n{}invariant \"{name}\" @{name}\n", source.text(), propositions());
    let invariant = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut answers = Vec::new();
    let full = Explicit { no_reduction: true, ..Explicit::ONE };
    let hashed = Explicit { memory: Memory::Compact, ..Explicit::ONE };
    let engines: [(&dyn Engine, &Program); 8] = [
        (&Ltl { no_reduction: true, supersteps: false }, &always),
        (&full, &invariant),
        (&Explicit::ONE, &invariant),
        (&Explicit { supersteps: true, ..full }, &invariant),
        (&Explicit { supersteps: true, ..Explicit::ONE }, &invariant),
        (&Explicit { supersteps: true, jobs: 2, ..Explicit::ONE }, &invariant),
        (&Explicit { sleep_sets: true, ..Explicit::ONE }, &invariant),
        (&hashed, &invariant),
    ];
    for (engine, program) in engines {
        let finding = engine.check(program, &task, &Control::default()).finding;
        if !tally.compares(&[&finding]) {
            return Ok(());
        }
        answers.push(answer(program, finding)?);
    }
    let control = Control { disk: Some(Disk::new(std::env::temp_dir())), ..Control::default() };
    answers.push(answer(&invariant, hashed.check(&invariant, &task, &control).finding)?);
    // A prefix may break an invariant and then have no continuation: there is no such run for the formula.
    let same = answers[1..].iter().all(|answer| *answer == answers[1]);
    match same && (answers[0] == answers[1] || answers[0] != "unsafe") {
        true => Ok(()),
        false => Err(format!("{name}: {answers:?}")),
    }
}

/// An abstraction may miss what is wrong, but says nothing wrong.
fn compare_abstractions(source: &Source, name: &str) -> Result<(), String> {
    let abstraction = "global @view 4 align 4\nabstraction \"update_abs\" @update_abs\nfn @update_abs() {\n  i32 %v\nentry:\n  \
                       %v = load @x\n  store i32 %v to @view\n  return\n}\n";
    let observers = format!("{}{abstraction}invariant \"{name}\" @{name}\n", propositions());
    let program = format!("{}\n{observers}", source.text());
    let program = text::parse(&program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    for preemptions in [None, Some(1)] {
        let bounds = Bounds { preemptions, ..Bounds::default() };
        let task = Task { bounds, ..Task::default() };
        let superstep = Explicit { supersteps: true, ..Explicit::ONE };
        let hashed = Explicit { memory: Memory::Compact, ..Explicit::ONE };
        for engine in [Explicit::ONE, superstep, hashed] {
            let finding = engine.check(&program, &task, &Control::default()).finding;
            let verdict = conclude(&program, task.properties, finding).map_err(|error| error.to_string())?.verdict;
            if verdict == Verdict::Safe {
                return Err("an abstraction proves nothing".to_string());
            }
        }
    }
    Ok(())
}

fn for_all(
    cases: u32,
    percent: u64,
    with_next: bool,
    check: impl Fn(&Source, &str, bool, &Tally) -> Result<(), String>,
) {
    let inputs = (sources(Features { size: 400, ..Features::ALL }), formula(with_next), any::<bool>());
    Trial { cases, percent }.run_on(
        inputs,
        |(source, ..)| source.text(),
        |(source, formula, fair), tally| check(source, formula, *fair, tally),
    );
}

#[test]
fn formulas_without_next_need_not_see_every_step() {
    for_all(300, 60, false, |source, formula, fair, tally| compare(source, formula, fair, false, tally));
}

#[test]
fn formulas_with_next_count_steps() {
    for_all(150, 60, true, |source, formula, fair, tally| compare(source, formula, fair, true, tally));
}

#[test]
fn inputs_are_chosen_as_the_formula_needs_it() {
    for_all(200, 90, false, compare_reductions);
}

fn first_proposition(formula: &str) -> &'static str {
    ["px", "py", "pc", "pl"].into_iter().find(|name| formula.contains(*name)).unwrap_or("px")
}

#[test]
fn invariants_always_hold() {
    for_all(100, 90, false, |source, formula, _, tally| compare_invariants(source, first_proposition(formula), tally));
}

#[test]
fn what_an_abstraction_leaves_to_be_found_is_there() {
    for_all(100, 90, false, |source, formula, _, tally| {
        tally.compared();
        compare_abstractions(source, first_proposition(formula))
    });
}
