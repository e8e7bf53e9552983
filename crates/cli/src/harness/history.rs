//! Linearizability: do concurrent calls return what they could return if they ran one after another?
//!
//! In two phases, after Line-Up (Burckhardt, Dern, Musuvathi, Tan: Line-Up: A Complete and Automatic Linearizability
//! Checker, PLDI 2010). First the calls run one after another, in all orders that keep those of each thread, and their
//! results are kept: the *outcomes*. Then the threads run, and at the end of each run their results must be those of an
//! outcome, one of whose orders keeps time: a call that had ended when another one began comes before it (Herlihy and
//! Wing: Linearizability: A Correctness Condition for Concurrent Objects, TOPLAS 1990). So no assertion has to be
//! written. Unlike Line-Up, a run that gets stuck is left to the search for deadlocks.
//!
//! Both phases are plain C, so every engine takes part in the second. Time is kept as one number for each call and each
//! other thread: how many calls of that thread had ended when the call began.

use super::code::{Statement, is_comparison};
use selvedge_engine::Task;
use selvedge_program::{EntityRef, GlobalId, Program, Properties};
use selvedge_search::explicit::Explicit;
use selvedge_vm::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// More orders than this make a harness that nobody can read, nor check.
const MOST_ORDERS: u128 = 5000;

/// A call of a thread.
pub struct Call {
    pub text: String,
    pub thread: usize,
    /// Among the calls of its thread.
    pub index: usize,
    /// Among all calls.
    pub number: usize,
    /// Assignments of variables that the thread declares before it.
    pub before: Vec<String>,
}

/// The calls of all threads, one thread after another.
pub fn calls(threads: &[Vec<Statement>]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for (statements, thread) in threads.iter().zip(0..) {
        let (mut before, mut index) = (Vec::new(), 0);
        for statement in statements {
            match statement {
                Statement::Declaration { assignments, .. } => before.extend(assignments.iter().cloned()),
                Statement::Expression(text) => {
                    let (text, before) = (text.clone(), std::mem::take(&mut before));
                    calls.push(Call { text, thread, index, number: calls.len(), before });
                    index += 1;
                }
                Statement::Other(_) => {}
            }
        }
    }
    calls
}

/// The values to compare at the end. Comparisons are none: they must hold.
pub fn finals(last: &[Statement]) -> Vec<String> {
    let values = last.iter().filter_map(|statement| match statement {
        Statement::Expression(text) if !is_comparison(text) => Some(text.clone()),
        Statement::Expression(_) | Statement::Declaration { .. } | Statement::Other(_) => None,
    });
    values.collect()
}

/// Refuses what has no orders, or too many.
pub fn check(threads: &[Vec<Statement>]) -> Result<(), String> {
    for statement in threads.iter().flatten() {
        if let Statement::Other(text) = statement {
            return Err(format!("--linearizable requires threads that are calls separated by `;`, not `{text}`"));
        }
    }
    let lengths: Vec<u128> = (0..threads.len())
        .map(|thread| calls(threads).iter().filter(|call| call.thread == thread).count() as u128)
        .collect();
    if lengths.iter().sum::<u128>() == 0 {
        return Err("--linearizable requires calls in --threads".to_string());
    }
    let mut orders: u128 = 1;
    let mut placed = 0;
    for length in lengths {
        for own in 1..=length {
            placed += 1;
            orders = orders.saturating_mul(placed) / own;
        }
    }
    match orders > MOST_ORDERS {
        true => {
            Err(format!("--linearizable: the calls have {orders} orders, more than {MOST_ORDERS}: take fewer calls"))
        }
        false => Ok(()),
    }
}

/// Results that calls have one after another, and the orders in which they have them.
pub struct Outcome {
    pub results: Vec<i64>,
    pub orders: Vec<Order>,
}

/// For each call, how many calls of each thread come before it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(Vec<Vec<usize>>);

impl Order {
    /// From the thread of each call, in order.
    fn new(threads: &[u8], calls: &[Call], count: usize) -> Order {
        let mut before = vec![Vec::new(); calls.len()];
        let mut placed = vec![0; count];
        for thread in threads {
            let thread = usize::from(*thread);
            let call = calls.iter().find(|call| call.thread == thread && call.index == placed[thread]);
            if let Some(call) = call {
                before[call.number].clone_from(&placed);
            }
            placed[thread] += 1;
        }
        Order(before)
    }

    /// Whether this keeps time in every run in which the other does.
    fn includes(&self, other: &Order) -> bool {
        let pairs = self.0.iter().flatten().zip(other.0.iter().flatten());
        pairs.into_iter().all(|(mine, others)| mine >= others)
    }

    /// The condition under which it keeps time, in C; nothing if it always does.
    pub fn condition(&self, calls: &[Call]) -> String {
        let length = |thread: usize| calls.iter().filter(|call| call.thread == thread).count();
        let mut conditions = Vec::new();
        for call in calls {
            for (thread, before) in self.0[call.number].iter().enumerate() {
                if thread != call.thread && *before < length(thread) {
                    conditions.push(format!("harness_seen[{}][{thread}] <= {before}", call.number));
                }
            }
        }
        match conditions.as_slice() {
            [] | [_] => conditions.concat(),
            _ => format!("({})", conditions.join(" && ")),
        }
    }
}

/// The outcomes of all runs of a sequential harness.
pub fn outcomes(program: &Program, threads: &[Vec<Statement>], finals: usize) -> Result<Vec<Outcome>, String> {
    let calls = calls(threads);
    let task = Task { properties: Properties::NONE, ..Task::default() };
    let unknown =
        "--linearizable: the calls, one after another, have too many outcomes, or take inputs of too many values";
    let ends = Explicit::ONE.final_globals(program, &task).ok_or(unknown)?;
    let layout = Layout::new(program).map_err(|error| error.to_string())?;
    let position = |name: &str| {
        let is_it = |id: &GlobalId| program.globals[*id].name == name;
        let found = (0..program.globals.len()).map(GlobalId::new).find(is_it);
        found.and_then(|id| layout.variable_at(id)).map(|at| at as usize)
    };
    let places = ["harness_order", "harness_result", "harness_complete"].map(position);
    let [Some(order), Some(result), Some(complete)] = places else { return Err(unknown.to_string()) };
    let mut found: BTreeMap<Vec<i64>, BTreeSet<Order>> = BTreeMap::new();
    for words in ends {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, i64::from_le_bytes)
        };
        if bytes.get(complete) == Some(&1) {
            let results = (0..calls.len() + finals).map(|at| number(result + 8 * at)).collect();
            let order = Order::new(&bytes[order..order + calls.len()], &calls, threads.len());
            found.entry(results).or_default().insert(order);
        }
    }
    if found.is_empty() {
        return Err("--linearizable: the calls do not end in any order, one after another".to_string());
    }
    let outcome = |(results, orders): (Vec<i64>, BTreeSet<Order>)| {
        let is_needed = |order: &&Order| !orders.iter().any(|other| other != *order && other.includes(order));
        let orders = orders.iter().filter(is_needed).cloned().collect();
        Outcome { results, orders }
    };
    Ok(found.into_iter().map(outcome).collect())
}
