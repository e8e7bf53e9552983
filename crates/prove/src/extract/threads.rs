//! Threads: which templates there are, and what threads ask about one another.
//!
//! A thread that is created once at most, by a thread of which there is one, has a template of its own: it has a number
//! that is known, and whether it exists and has ended are variables. All others with the same functions share one.
//! Threads are called by other numbers than on the VM, where they are numbered in the order of their creation.

use super::Extraction;
use super::contexts::{ContextId, Point, Site};
use super::objects::Origin;
use super::shape::concerns_threads;
use super::state::{Spawned, State, Var};
use super::targets::{Offset, Targets, Value};
use super::walk::{Flow, Target, Walk};
use crate::system::{Instances, TemplateId};
use hashbrown::HashSet;
use selvedge_formula::{Term, Terms};
use selvedge_program::{Callee, EntityRef, FuncId, Intrinsic, Op, Operand, Program, Property, Reg};

/// Bits of a thread's number. Models keep it, plus one, in 15 bits; never have more threads lived at the same time.
pub const NUMBER_BITS: u32 = 14;
/// Templates with one thread; their numbers are smaller than those of all other threads.
const ONCE: u32 = 32;

/// The origin of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    Main,
    At(ContextId, Site),
    Anybody,
}

pub struct Thread {
    pub name: String,
    pub function: FuncId,
    /// The function that is called with the thread's argument, if the model's function gets one.
    pub start: Option<FuncId>,
    pub maker: Maker,
    pub instances: Instances,
    /// If there is one thread only.
    pub number: Option<u32>,
    pub root: ContextId,
}

/// Functions that create threads or ask about them, themselves or by direct calls.
pub fn concerned_functions(program: &Program) -> HashSet<FuncId> {
    let mut concerned = HashSet::new();
    loop {
        let before = concerned.len();
        for (id, function) in &program.functions {
            let mut insts = function.blocks.values().flat_map(|block| &block.insts);
            if insts.any(|inst| is_concerned(&inst.op, &concerned)) {
                concerned.insert(id);
            }
        }
        if concerned.len() == before {
            return concerned;
        }
    }
}

pub fn is_concerned(op: &Op, concerned: &HashSet<FuncId>) -> bool {
    concerns_threads(op)
        || matches!(op, Op::Call { callee: Callee::Direct(callee), .. } if concerned.contains(callee))
        || matches!(op, Op::Call { args, .. } if args.iter().any(|arg| matches!(arg, Operand::Func(f) if concerned.contains(f))))
}

impl Extraction<'_> {
    pub fn new_thread(
        &mut self,
        maker: Maker,
        function: FuncId,
        start: Option<FuncId>,
        instances: Instances,
    ) -> TemplateId {
        let id = TemplateId::new(self.threads.len());
        let root = self.contexts.root(id, function);
        let base = &self.program.functions[start.unwrap_or(function)].name;
        let alike = self.threads.values().filter(|thread| (thread.function, thread.start) == (function, start)).count();
        let name = match maker {
            Maker::Main => "main".to_string(),
            Maker::At(..) | Maker::Anybody if alike == 0 => base.clone(),
            Maker::At(..) | Maker::Anybody => format!("{base}#{}", alike + 1),
        };
        let number = (instances == Instances::Once).then_some(id.as_u32());
        self.threads.push(Thread { name, function, start, maker, instances, number, root });
        for (var, value) in [(Var::Created(id), maker == Maker::Main), (Var::Ended(id), false)] {
            let value = Value::number(self.terms.bool(value));
            self.learn(var, &value);
        }
        self.changed = true;
        id
    }

    /// The template of a thread that is created here.
    fn made_here(&mut self, point: Point, function: FuncId, start: Option<FuncId>) -> TemplateId {
        let creator = self.contexts[point.context].template;
        let known = self.threads.iter().find(|(_, thread)| {
            (thread.function, thread.start, thread.maker) == (function, start, Maker::At(point.context, point.site))
        });
        if let Some((id, _)) = known {
            return id;
        }
        let is_once = self.threads[creator].instances == Instances::Once
            && self.is_once(point)
            && self.threads.len() < ONCE as usize
            && !self.descends_from(creator, function, start);
        if is_once {
            return self.new_thread(Maker::At(point.context, point.site), function, start, Instances::Once);
        }
        let is_same =
            |thread: &super::Thread| (thread.function, thread.start, thread.maker) == (function, start, Maker::Anybody);
        match self.threads.iter().find(|(_, thread)| is_same(thread)) {
            Some((id, _)) => id,
            None => self.new_thread(Maker::Anybody, function, start, Instances::Many),
        }
    }

    /// Has a thread like this created the creator, or its creator?
    fn descends_from(&self, mut creator: TemplateId, function: FuncId, start: Option<FuncId>) -> bool {
        loop {
            let thread = &self.threads[creator];
            if (thread.function, thread.start) == (function, start) {
                return true;
            }
            match thread.maker {
                Maker::At(context, _) => creator = self.contexts[context].template,
                Maker::Main | Maker::Anybody => return false,
            }
        }
    }

    pub fn spawn(
        &mut self,
        walk: &mut Walk,
        point: &mut Point,
        state: &mut State,
        dst: Option<Reg>,
        args: &[Value],
    ) -> Flow {
        let functions = self.functions(&args[0]);
        let [(hit, function)] = functions[..] else {
            self.gap(
                walk,
                *point,
                std::mem::take(state),
                "a thread with a start function that is not known".to_string(),
            );
            return Flow::Gone;
        };
        let miss = self.terms.not(hit);
        if !self.fault(walk, *point, state, (miss, Property::Memory, "starts something that is not a function"), true) {
            return Flow::Gone;
        }
        let start = match self.functions(&args[1])[..] {
            [(Terms::TRUE, start)] => Some(start),
            _ => None,
        };
        let template = self.made_here(*point, function, start);
        self.note_creation(*point, template);
        let is_asked = self.asked.contains(&Var::Created(template));
        if self.observe(*point, state, is_asked, true) {
            return Flow::Cut;
        }
        let number = match self.threads[template].number {
            Some(number) => self.terms.constant(NUMBER_BITS, u128::from(number)),
            None => {
                let number = self.input(*point, NUMBER_BITS, "number");
                let first = self.terms.constant(NUMBER_BITS, u128::from(ONCE));
                let is_of_many = self.terms.ule(first, number);
                if !state.require(&mut self.terms, is_of_many) {
                    return Flow::Gone;
                }
                number
            }
        };
        let root = self.threads[template].root;
        let mut arguments = Vec::new();
        for (param, arg) in self.program.functions[function].params.iter().zip(&args[1..]) {
            let var = Var::Register(root, *param);
            let bits = self.bits(var);
            let value = self.passed(arg.clone(), bits);
            self.escape(&value.targets);
            self.learn(var, &value);
            arguments.push((var, value.term));
        }
        state.spawned.push(Spawned { template, number, arguments });
        let yes = Value::number(Terms::TRUE);
        state.changed.insert(Var::Created(template), yes);
        if let Some(dst) = dst {
            self.set(state, point.context, dst, Value::number(number));
        }
        point.alone = false;
        Flow::Next
    }

    pub fn thread_exit(&mut self, walk: &mut Walk, point: &mut Point, state: &mut State) -> Flow {
        let template = self.contexts[point.context].template;
        let ended = Var::Ended(template);
        let is_asked = self.asked.contains(&ended);
        if self.observe(*point, state, is_asked, true) {
            return Flow::Cut;
        }
        if self.threads[template].instances == Instances::Once {
            state.changed.insert(ended, Value::number(Terms::TRUE));
        }
        self.changed |= self.lasting.insert(template, None) != Some(None);
        self.settle_all_fresh(walk, *point, state);
        self.exit(walk, Target::Ended, std::mem::take(state));
        Flow::Gone
    }

    pub fn own_number(&mut self, point: Point, plus: u128) -> Value {
        let template = self.contexts[point.context].template;
        // Beside threads whose numbers are not known it is a name like theirs, so that all words with numbers are read
        // in one way.
        let number = match self.threads[template].number {
            Some(number) if !self.has_many() => self.terms.constant(NUMBER_BITS, u128::from(number)),
            Some(_) | None => self.variable(Var::Number(template))[0],
        };
        let (number, plus) = (self.terms.zero_extend(number, 32), self.terms.constant(32, plus));
        Value::number(self.terms.add(number, plus))
    }

    /// The templates with one thread, with the condition that a number is its.
    fn by_number(&mut self, number: Term) -> Vec<(Term, TemplateId)> {
        let bits = self.terms.bits(number);
        let mut found = Vec::new();
        for template in self.threads.keys().collect::<Vec<_>>() {
            if let Some(known) = self.threads[template].number {
                let known = self.terms.constant(bits, u128::from(known));
                let hit = self.terms.eq(number, known);
                if hit != Terms::FALSE {
                    found.push((hit, template));
                }
            }
        }
        found
    }

    fn has_many(&self) -> bool {
        self.threads.values().any(|thread| thread.instances == Instances::Many)
    }

    /// A variable about another thread is read here. False: the thread has to stop before.
    fn ask(&mut self, point: Point, state: &mut State, vars: &[Var]) -> bool {
        for var in vars {
            self.changed |= self.asked.insert(*var);
        }
        !self.observe(point, state, !vars.is_empty(), false)
    }

    /// Has a thread ended, or does it exist? None: the thread has to stop before.
    pub fn ask_thread(&mut self, point: Point, state: &mut State, which: Intrinsic, number: Term) -> Option<Term> {
        let asks_created = which == Intrinsic::Created;
        let found = self.by_number(number);
        let own = self.contexts[point.context].template;
        let others: Vec<TemplateId> =
            found.iter().map(|(_, template)| *template).filter(|other| *other != own).collect();
        let vars: Vec<Var> = others.iter().flat_map(|other| [Var::Created(*other), Var::Ended(*other)]).collect();
        if !self.ask(point, state, &vars) {
            return None;
        }
        let is_certain = found.iter().any(|(hit, _)| *hit == Terms::TRUE);
        let mut answer = if is_certain { Terms::FALSE } else { self.input(point, 1, "answer") };
        for (hit, template) in found {
            let created = self.read(state, Var::Created(template)).term;
            let fact = if asks_created {
                created
            } else if template == own {
                Terms::FALSE
            } else {
                let ended = self.read(state, Var::Ended(template)).term;
                let missing = self.terms.not(created);
                self.terms.or(missing, ended)
            };
            answer = self.terms.ite(hit, fact, answer);
        }
        Some(answer)
    }

    /// How many threads there have been: more than the number of any that exists. None: the thread has to stop before.
    pub fn thread_count(&mut self, point: Point, state: &mut State) -> Option<Term> {
        if point.alone {
            return Some(self.terms.constant(32, 1));
        }
        let own = self.contexts[point.context].template;
        let vars: Vec<Var> = self.threads.keys().filter(|id| *id != own).map(Var::Created).collect();
        if !self.ask(point, state, &vars) {
            return None;
        }
        let count = self.input(point, 32, "threads");
        let limit = self.terms.constant(32, 1 << NUMBER_BITS);
        let few = self.terms.ule(count, limit);
        let mut possible = state.require(&mut self.terms, few);
        for template in self.threads.keys().collect::<Vec<_>>() {
            let Some(number) = self.threads[template].number else { continue };
            let number = self.terms.constant(32, u128::from(number));
            let above = self.terms.ult(number, count);
            let created = if template == own { Terms::TRUE } else { self.read(state, Var::Created(template)).term };
            let above = self.terms.implies(created, above);
            possible &= state.require(&mut self.terms, above);
        }
        debug_assert!(possible, "an input has a value");
        Some(count)
    }

    /// Another thread's copy of a thread-local.
    pub fn copy_of(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        number: &Value,
        mine: &Value,
    ) -> Result<Value, Flow> {
        let found: Vec<_> = mine.targets.iter().collect();
        let (global, offset) = match found[..] {
            [(object, Offset { start, stride: 0, .. })] => match self.objects[object].origin {
                Origin::ThreadLocal(_, global) => (global, start),
                _ => return self.no_copy(walk, point, state),
            },
            _ => return self.no_copy(walk, point, state),
        };
        let found = self.by_number(number.term);
        let is_certain = found.iter().any(|(hit, _)| *hit == Terms::TRUE);
        let mut any = found.iter().fold(Terms::FALSE, |any, (hit, _)| self.terms.or(any, *hit));
        if self.properties.contains(Property::Thread) {
            let vars: Vec<Var> = found.iter().map(|(_, template)| Var::Created(*template)).collect();
            if !self.ask(point, state, &vars) {
                return Err(Flow::Cut);
            }
            any = Terms::FALSE;
            for (hit, template) in &found {
                let created = self.read(state, Var::Created(*template)).term;
                let exists = self.terms.and(*hit, created);
                any = self.terms.or(any, exists);
            }
        }
        let mut missing = self.terms.not(any);
        let many: Vec<TemplateId> =
            self.threads.keys().filter(|id| self.threads[*id].instances == Instances::Many).collect();
        let mut value = Value::number(self.terms.constant(self.space.bits, 0));
        if !is_certain && self.has_many() {
            value.term = self.input(point, self.space.bits, "copy");
            for template in many {
                let object = self.any_threads_local(template, global);
                value.targets.add(&Targets::at(object, offset));
            }
            let nobody = self.input(point, 1, "nobody");
            missing = self.terms.and(missing, nobody);
        }
        for (hit, template) in found {
            let object = self.thread_local(template, global);
            let copy = self.address(object, offset);
            value = super::state::choose(&mut self.terms, hit, copy, value);
        }
        let wrong = (missing, Property::Thread, "looks for what belongs to a thread that does not exist");
        if self.fault(walk, point, state, wrong, true) { Ok(value) } else { Err(Flow::Gone) }
    }

    fn no_copy(&mut self, walk: &mut Walk, point: Point, state: &mut State) -> Result<Value, Flow> {
        self.gap(walk, point, std::mem::take(state), "another thread's copy of an unknown variable".to_string());
        Err(Flow::Gone)
    }
}
