//! From a program to a system of threads.
//!
//! Threads are walked through symbolically, from one place where others may come between to the next, with all calls
//! inlined (`walk`, `operations`, `memory`, `threads`). What a walk has to know beforehand is only known afterwards:
//! which values variables may have where threads stand, what pointers point to, which cells memory is cut into, who
//! accesses them, which threads there are. So it begins with the most optimistic answer (nothing is ever written,
//! nobody accesses anything) and is repeated with what it found until it finds nothing new; only the edges of the last
//! round count. Constants are propagated and dead branches pruned on the way, as by Wegman and Zadeck (1991), but
//! across threads, calls and memory.
//!
//! | file | what it holds |
//! |---|---|
//! | `shape`, `contexts` | one function's graph; calls, inlined |
//! | `calls` | calls and returns; functions that call themselves |
//! | `targets`, `objects` | what values may point to; the objects, and the cells that become variables |
//! | `state` | what a thread has computed since the last location, and how paths merge |
//! | `walk` | from one location to the next: control flow, and where to stop |
//! | `operations`, `memory`, `fill`, `heap`, `threads` | what operations do |
//! | `calls` | calls, and functions that call themselves |
//! | `contents` | guesses about what is in objects without variables |
//! | `races`, `pools` | what threads are about to access; loops that create and join threads |
//! | `holdings` | blocks and locks that a thread has to itself |
//! | `build`, `slice` | the system; without what no guard depends on |
//!
//! Deviations from the VM, all of which only add runs, but for names: threads and objects that are created have other
//! numbers and addresses than in a run of the VM. A program that computes with the bits of such a number or address,
//! rather than comparing or following it, may tell the difference.

mod blocks;
mod build;
mod calls;
mod contents;
mod contexts;
mod fill;
mod heap;
mod holdings;
mod memory;
mod objects;
mod operations;
mod pools;
mod races;
mod shape;
mod slice;
mod state;
mod targets;
mod threads;
mod walk;
mod ways;

use crate::contents::Guesses;
use crate::system::{Instances, System, TemplateId};
use contexts::{ContextId, Contexts, Point, Site};
use cranelift_entity::PrimaryMap;
use hashbrown::{HashMap, HashSet};
use objects::{Home, Object, ObjectId, Origin};
use selvedge_formula::{Term, Terms};
use selvedge_program::{BlockId, EntityRef, FuncId, MemoryModel, Operand, Pointers, Program, Properties, Reason};
use shape::Shape;
use state::Var;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
pub use targets::Offset;
use targets::{Targets, Value, Wild};
use threads::Thread;
use walk::Graph;

/// Limits, beyond which we give up.
const ROUNDS: usize = 60;
const CONTEXTS: usize = 20_000;
const TERMS: usize = 6_000_000;

/// The program as a system of threads that has all its runs. Error locations are about `properties`.
pub fn extract(program: &Program, properties: Properties) -> Result<System, Reason> {
    extract_with(program, properties, None)
}

/// The same, with guesses about the contents of objects without variables. To write anything else is an error of the
/// system.
pub fn extract_with(program: &Program, properties: Properties, guesses: Option<&Guesses>) -> Result<System, Reason> {
    if program.memory_model != MemoryModel::Sc {
        return Err(Reason::Limit("proofs are about sequential consistency only".to_string()));
    }
    let mut loops = Loops::default();
    loop {
        let mut extraction = Extraction::new(program, (properties, guesses), loops)?;
        match extraction.rounds() {
            Ok(()) => return Ok(extraction.build()),
            Err(Stop::Limit(reason)) => return Err(reason),
            Err(Stop::Roll(function, head)) => {
                loops = extraction.loops;
                loops.rolled.insert((function, head));
            }
            Err(Stop::Recursion(function)) => {
                loops = extraction.loops;
                loops.recursive.insert(function);
            }
        }
    }
}

/// What a walk comes back to, as far as earlier ones have found out.
#[derive(Default)]
struct Loops {
    /// Loops around creations of threads that are not unrolled.
    rolled: HashSet<(FuncId, BlockId)>,
    /// Functions that call themselves, directly or by others.
    recursive: HashSet<FuncId>,
}

/// Why a walk does not go on.
enum Stop {
    Limit(Reason),
    /// This loop cannot be unrolled; begin again.
    Roll(FuncId, BlockId),
    /// This function calls itself; begin again.
    Recursion(FuncId),
}

/// The values that a variable may have where threads stand.
#[derive(Clone, Debug)]
struct Known {
    /// None: different values, or not known.
    constant: Option<u128>,
    targets: Targets,
}

/// How threads of a template access a variable while there are other threads.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Accesses {
    reads: bool,
    writes: bool,
}

struct Extraction<'p> {
    program: &'p Program,
    properties: Properties,
    space: Pointers,
    terms: Terms,
    shapes: HashMap<FuncId, Rc<Shape>>,
    /// Functions that create threads or ask about them.
    concerned: HashSet<FuncId>,
    loops: Loops,
    guesses: Option<&'p Guesses>,
    /// Of objects without variables, where there are guesses about them.
    fields: HashMap<ObjectId, contents::Fields>,
    contexts: Contexts,
    /// Activations that call themselves: the calls from which control comes back into them.
    returns: BTreeMap<ContextId, BTreeSet<(ContextId, Site)>>,
    threads: PrimaryMap<TemplateId, Thread>,
    objects: PrimaryMap<ObjectId, Object>,
    object_ids: HashMap<Origin, ObjectId>,
    by_window: BTreeMap<u64, ObjectId>,
    next_window: u64,
    known: HashMap<Var, Known>,
    accesses: HashMap<Var, BTreeMap<TemplateId, Accesses>>,
    /// How threads of a template touch an object otherwise than cell by cell, while there are other threads.
    touched: HashMap<ObjectId, BTreeMap<TemplateId, Accesses>>,
    /// Loops in atomic sections of which nobody knows beforehand how often they are gone round.
    open_loops: HashSet<(FuncId, BlockId)>,
    /// Beginnings of atomic sections in which something visible happens.
    visible_sections: HashSet<Point>,
    /// The innermost activation in which threads of a template are wherever they stop. None: they may have ended.
    lasting: HashMap<TemplateId, Option<ContextId>>,
    /// Variables that say that a thread exists or has ended, and that some operation reads.
    asked: HashSet<Var>,
    variables: HashMap<Var, [Term; crate::system::COPIES]>,
    inputs: HashMap<(Point, u32), Term>,
    /// Inputs that the instruction at hand has taken.
    taken: u32,
    graphs: Vec<Graph>,
    /// Where the thread stands that is walked through.
    standing: (TemplateId, usize),
    /// It is main, at its first location.
    is_beginning: bool,
    /// What matters where races are asked about.
    notes: races::Notes,
    found: holdings::Found,
    /// This round has found something new.
    changed: bool,
}

impl<'p> Extraction<'p> {
    fn new(
        program: &'p Program,
        (properties, guesses): (Properties, Option<&'p Guesses>),
        loops: Loops,
    ) -> Result<Extraction<'p>, Reason> {
        let space = Pointers::new(program.data_model);
        let mut extraction = Extraction {
            program,
            properties,
            space,
            terms: Terms::new(),
            shapes: HashMap::new(),
            concerned: threads::concerned_functions(program),
            loops,
            guesses,
            fields: HashMap::new(),
            contexts: Contexts::default(),
            returns: BTreeMap::new(),
            threads: PrimaryMap::new(),
            objects: PrimaryMap::new(),
            object_ids: HashMap::new(),
            by_window: BTreeMap::new(),
            next_window: 1,
            known: HashMap::new(),
            accesses: HashMap::new(),
            touched: HashMap::new(),
            open_loops: HashSet::new(),
            visible_sections: HashSet::new(),
            lasting: HashMap::new(),
            asked: HashSet::new(),
            variables: HashMap::new(),
            inputs: HashMap::new(),
            taken: 0,
            graphs: Vec::new(),
            standing: (TemplateId::new(0), 0),
            is_beginning: false,
            notes: races::Notes::default(),
            found: holdings::Found::default(),
            changed: false,
        };
        // As on the VM: null, functions, globals.
        for (id, function) in &program.functions {
            extraction.object(Origin::Function(id), || (function.name.clone(), Some(0)));
        }
        for (id, global) in program.globals.iter().filter(|(_, global)| !global.thread_local) {
            extraction.object(Origin::Global(id), || (global.name.clone(), Some(global.size)));
        }
        extraction.next_window = selvedge_vm::Slots::new(program.data_model).dynamic;
        extraction.new_thread(threads::Maker::Main, program.entry, None, Instances::Once);
        Ok(extraction)
    }

    /// Walks until nothing new is found.
    fn rounds(&mut self) -> Result<(), Stop> {
        let mut again = false;
        for _ in 0..ROUNDS {
            self.changed = false;
            self.graphs.clear();
            self.notes.begin();
            self.begin_holdings(again);
            // A variable that is a local now may have been shared before.
            if !again {
                self.variables.clear();
            }
            self.learn_initial_values();
            let mut next = 0;
            while next < self.threads.len() {
                let graph = self.graph(TemplateId::new(next))?;
                self.graphs.push(graph);
                next += 1;
            }
            again = !self.changed;
            if again && self.are_holdings_settled() {
                return Ok(());
            }
        }
        Err(Stop::Limit(Reason::Limit("what its threads share was not found out".to_string())))
    }

    fn shape(&mut self, function: FuncId) -> Rc<Shape> {
        let program = self.program;
        Rc::clone(self.shapes.entry(function).or_insert_with(|| Rc::new(Shape::new(&program.functions[function]))))
    }

    /// The object that something makes. Name and size, if it is new.
    fn object(&mut self, origin: Origin, describe: impl FnOnce() -> (String, Option<u64>)) -> ObjectId {
        if let Some(id) = self.object_ids.get(&origin) {
            return *id;
        }
        let (name, size) = describe();
        let window = self.next_window;
        self.next_window += self.space.windows(size.unwrap_or(0));
        let id = self.objects.push(Object::new(origin, name, size, self.space.start(window)));
        self.object_ids.insert(origin, id);
        self.by_window.insert(window, id);
        let owner = match origin {
            Origin::Function(_) | Origin::Global(_) => None,
            Origin::ThreadLocal(template, _) | Origin::AnyThreads(template, _) => Some(template),
            Origin::Stack(context, _) | Origin::Heap(context, _) => Some(self.contexts[context].template),
        };
        self.objects[id].owner = owner.map(|owner| (owner, self.threads[owner].instances));
        self.changed = true;
        id
    }

    /// The object whose window a pointer points into.
    fn object_at(&self, pointer: u64) -> Option<ObjectId> {
        let window = self.space.window(pointer);
        let (first, id) = self.by_window.range(..=window).next_back()?;
        let object = &self.objects[*id];
        (window < first + self.space.windows(object.size.unwrap_or(0)) && object.has_address()).then_some(*id)
    }

    /// A pointer to a byte of an object that has an address.
    fn address(&mut self, object: ObjectId, offset: i64) -> Value {
        let start = self.objects[object].address;
        let windows = self.space.windows(self.objects[object].size.unwrap_or(0));
        let first = self.space.window(start);
        let bits = self.space.moved(start, i128::from(offset), |_, to| (first..first + windows).contains(&to));
        let term = self.terms.constant(self.space.bits, u128::from(bits));
        Value { term, targets: Targets::at(object, offset) }
    }

    /// A value of which nothing is known, new each time that the instruction at hand is executed.
    fn input(&mut self, point: Point, bits: u32, name: &str) -> Term {
        self.taken += 1;
        let taken = self.taken;
        let terms = &mut self.terms;
        let input = *self.inputs.entry((point, taken)).or_insert_with(|| terms.variable(bits, name));
        if self.terms.bits(input) == bits { input } else { self.input(point, bits, name) }
    }

    /// The value of a variable where threads stand. Where main begins, nobody has written anything.
    fn current(&mut self, var: Var) -> Value {
        let bits = self.bits(var);
        if let Var::Cell(object, offset, bytes) = var
            && self.is_beginning
            && self.home(var) != Home::Unknown
            && let Some(value) = self.initial_value(object, offset, bytes)
        {
            return value;
        }
        match self.known.get(&var) {
            Some(Known { constant: Some(constant), targets }) => {
                Value { term: self.terms.constant(bits, *constant), targets: targets.clone() }
            }
            Some(Known { constant: None, targets }) => {
                let targets = targets.clone();
                Value { term: self.variable(var)[0], targets }
            }
            None => Value { term: self.variable(var)[0], targets: Targets::wild(Wild::Unwritten) },
        }
    }

    fn variable(&mut self, var: Var) -> [Term; crate::system::COPIES] {
        if let Some(copies) = self.variables.get(&var) {
            return *copies;
        }
        let (bits, name) = (self.bits(var), self.name(var));
        let first = self.terms.variable(bits, name.clone());
        let copies = match self.home(var) {
            Home::Local(_) => [first, self.terms.variable(bits, name.clone()), self.terms.variable(bits, name)],
            Home::Shared | Home::Unknown => [first; crate::system::COPIES],
        };
        self.variables.insert(var, copies);
        copies
    }

    fn home(&self, var: Var) -> Home {
        match var {
            Var::Register(context, _) => Home::Local(self.contexts[context].template),
            Var::Number(template) => Home::Local(template),
            Var::Created(_) | Var::Ended(_) => Home::Shared,
            Var::Cell(object, offset, bytes) => {
                let object = &self.objects[object];
                if object.is_clobbered((offset, bytes)) { Home::Unknown } else { object.home() }
            }
        }
    }

    fn bits(&self, var: Var) -> u32 {
        match var {
            Var::Register(context, reg) => {
                let function = &self.program.functions[self.contexts[context].function];
                function.regs[reg].ty.bits(self.program.data_model)
            }
            Var::Cell(_, _, bytes) => 8 * bytes,
            Var::Created(_) | Var::Ended(_) => 1,
            Var::Number(_) => threads::NUMBER_BITS,
        }
    }

    /// A variable has this value where some thread stands.
    fn learn(&mut self, var: Var, value: &Value) {
        let constant = self.terms.as_constant(value.term);
        match self.known.get_mut(&var) {
            None => {
                self.known.insert(var, Known { constant, targets: value.targets.clone() });
                self.changed = true;
            }
            Some(known) => {
                if known.constant.is_some() && known.constant != constant {
                    known.constant = None;
                    self.changed = true;
                }
                self.changed |= known.targets.add(&value.targets);
            }
        }
    }

    /// A thread accesses a variable while there are others. Can somebody notice, or be noticed?
    fn access(&mut self, var: Var, template: TemplateId, alone: bool, (reads, writes): (bool, bool)) -> bool {
        if alone || self.home(var) != Home::Shared {
            return false;
        }
        let of_all = self.accesses.entry(var).or_default();
        let own = of_all.entry(template).or_default();
        let new = Accesses { reads: own.reads | reads, writes: own.writes | writes };
        self.changed |= *own != new;
        *own = new;
        self.conflicts(&self.accesses[&var], template, writes)
    }

    /// Do threads other than one of this template access something in a way that matters to its own access?
    fn conflicts(&self, of_all: &BTreeMap<TemplateId, Accesses>, template: TemplateId, writes: bool) -> bool {
        let is_other = |other: TemplateId| other != template || self.threads[other].instances == Instances::Many;
        of_all.iter().any(|(other, accesses)| is_other(*other) && (accesses.writes || writes && accesses.reads))
    }

    /// A pointer is where other threads may find it.
    fn escape(&mut self, targets: &Targets) {
        let mut found = targets.objects();
        if self.asks_for_races() {
            found = self.reachable(targets);
            self.show(&found);
        }
        for object in found {
            let object = &mut self.objects[object];
            self.changed |= !object.escaped;
            object.escaped = true;
        }
    }

    /// The value of an operand that is no register.
    fn constant_operand(&mut self, template: TemplateId, operand: Operand) -> Value {
        match operand {
            Operand::Reg(_) => unreachable!("registers have values of their own"),
            Operand::Const { ty, bits } => {
                let width = ty.bits(self.program.data_model);
                Value::number(self.terms.constant(width, bits))
            }
            Operand::Global { id, offset } => {
                let object = self.global(template, id);
                self.address(object, offset)
            }
            Operand::Func(id) => {
                let object = self.object_ids[&Origin::Function(id)];
                self.address(object, 0)
            }
        }
    }
}
