//! From one location of a thread to the next: control flow, and where to stop.
//!
//! A thread stops where others may come between: before the second thing that they can notice since it stood still, and
//! at the heads of loops. It also stops before it waits or assumes something outside of an atomic section if it has
//! written something that they can see: what is written stays written, whether or not the thread goes on. An atomic
//! section is never interrupted, but for a loop in it that does not end within a few rounds; others may come between
//! there, which only adds runs.

use super::contexts::{ContextId, Point, Position, Site};
use super::state::{Spawned, State, Var};
use super::targets::Value;
use super::{CONTEXTS, Extraction, Home, Stop, TERMS};
use crate::contents::Guess;
use crate::system::TemplateId;
use hashbrown::HashMap;
use selvedge_formula::{Term, Terms};
use selvedge_program::{BlockId, EntityRef, FuncId, Inst, Loc, Operand, Program, Property, Reason, Reg, Terminator};
use std::collections::BTreeMap;

/// Rounds of a loop around creations of threads, and of a loop in an atomic section.
const ROUNDS: u32 = 20;
const ATOMIC_ROUNDS: u32 = 8;
/// The round of a loop in an atomic section when nobody counts any more.
const LATER: u32 = u32::MAX;

/// The target of an edge.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Target {
    At(Point),
    Ended,
    ProcessEnded,
    Error {
        property: Property,
        text: String,
        loc: Loc,
    },
    /// A guess is wrong.
    Wrong {
        guess: Guess,
        loc: Loc,
    },
    Unchecked {
        property: Property,
    },
}

/// A thread's locations and edges, while they are found.
#[derive(Default)]
pub struct Graph {
    pub locations: Vec<Target>,
    ids: HashMap<Target, usize>,
    pub edges: Vec<Step>,
}

pub struct Step {
    pub from: usize,
    pub to: usize,
    pub state: State,
}

impl Graph {
    fn location(&mut self, target: Target) -> usize {
        *self.ids.entry(target).or_insert_with_key(|target| {
            self.locations.push(target.clone());
            self.locations.len() - 1
        })
    }
}

/// All paths from one location.
#[derive(Default)]
pub struct Walk {
    /// Where paths have got to, in an order in which what they reach comes later.
    pending: BTreeMap<(Vec<Position>, Point), Vec<State>>,
    exits: BTreeMap<Target, Vec<State>>,
}

/// The continuation of a path after an instruction.
pub enum Flow {
    Next,
    /// It stops before the instruction.
    Cut,
    /// It went elsewhere, or nowhere.
    Gone,
}

impl Extraction<'_> {
    /// All locations and edges of a template.
    pub fn graph(&mut self, template: TemplateId) -> Result<Graph, Stop> {
        let mut graph = Graph::default();
        let root = self.threads[template].root;
        graph.location(Target::At(Point::start(root, 0, template == TemplateId::new(0))));
        let mut next = 0;
        while let Some(target) = graph.locations.get(next).cloned() {
            if let Target::At(point) = target {
                self.standing = (template, next);
                self.is_beginning = self.is_beginning(template, point);
                for (target, states) in self.region(point)? {
                    for state in states {
                        self.learn_at(&target, &state);
                        if let Target::At(point) = target
                            && self.asks_for_races()
                        {
                            self.arrive(point, &state);
                        }
                        let to = graph.location(target.clone());
                        graph.edges.push(Step { from: next, to, state });
                    }
                }
            }
            self.is_beginning = false;
            next += 1;
        }
        Ok(graph)
    }

    /// Is it where main begins, and never comes back to?
    fn is_beginning(&mut self, template: TemplateId, point: Point) -> bool {
        let root = self.threads[template].root;
        template == TemplateId::new(0)
            && point == Point::start(root, 0, true)
            && !self.is_recursive(root)
            && !self.shape(self.threads[template].function).is_head(point.site.block)
    }

    fn region(&mut self, from: Point) -> Result<BTreeMap<Target, Vec<State>>, Stop> {
        let mut walk = Walk::default();
        let is_start = from == Point::start(self.threads[self.standing.0].root, 0, self.standing.0.index() == 0);
        let state = self.state_at(from, is_start);
        self.push(&mut walk, from, state);
        let mut is_first = true;
        while let Some(((_, point), states)) = walk.pending.pop_first() {
            for state in states {
                if !is_first && self.stops_at(point) {
                    self.exit(&mut walk, Target::At(point), state);
                } else {
                    self.follow(&mut walk, point, state)?;
                }
                is_first = false;
            }
            if self.terms.count() > TERMS || self.contexts.len() > CONTEXTS {
                return Err(Stop::Limit(Reason::Limit("the program is too large to be walked through".to_string())));
            }
        }
        Ok(walk.exits)
    }

    /// The head of a loop that is not unrolled, or not further.
    fn stops_at(&mut self, point: Point) -> bool {
        let function = self.contexts[point.context].function;
        point.site.index == 0
            && self.shape(function).is_head(point.site.block)
            && if point.depth > 0 { point.site.round == LATER } else { !self.is_unrolled(function, point.site.block) }
    }

    /// Loops around creations and joins of threads are unrolled while that is easy: each thread is then known by
    /// itself.
    fn is_unrolled(&mut self, function: FuncId, head: BlockId) -> bool {
        if self.loops.rolled.contains(&(function, head)) {
            return false;
        }
        let shape = self.shape(function);
        let program = self.program;
        let concerned = &self.concerned;
        shape.heads().filter(|(known, _)| *known == head).any(|(_, body)| {
            let insts = body.iter().flat_map(|block| &program.functions[function].blocks[*block].insts);
            insts.into_iter().any(|inst| super::threads::is_concerned(&inst.op, concerned))
        })
    }

    /// Runs on to the end of the block, or of the path.
    fn follow(&mut self, walk: &mut Walk, mut point: Point, mut state: State) -> Result<(), Stop> {
        let program: &Program = self.program;
        let function = &program.functions[self.contexts[point.context].function];
        let block = &function.blocks[point.site.block];
        while let Some(inst) = block.insts.get(point.site.index) {
            self.taken = 0;
            match self.step(walk, &mut point, &mut state, inst)? {
                Flow::Next => {
                    point.site.index += 1;
                    self.hide_no_more(&mut state);
                    // A path on which threads are created is not merged with others, so it ends soon.
                    if point.depth == 0 && !state.spawned.is_empty() {
                        self.exit(walk, Target::At(point), state);
                        return Ok(());
                    }
                }
                Flow::Cut => {
                    self.exit(walk, Target::At(point), state);
                    return Ok(());
                }
                Flow::Gone => return Ok(()),
            }
        }
        self.taken = 0;
        match &block.term {
            Terminator::Jump(to) => self.jump(walk, point, state, *to),
            Terminator::Branch { cond, then, otherwise } => {
                let condition = self.operand(&state, point.context, *cond).term;
                let opposite = self.terms.not(condition);
                self.fork(walk, point, state, &[(condition, *then), (opposite, *otherwise)])
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.operand(&state, point.context, *value).term;
                let bits = self.terms.bits(value);
                let mut ways: Vec<(Term, BlockId)> = Vec::new();
                let mut none = Terms::TRUE;
                for (case, to) in cases {
                    let case = self.terms.constant(bits, *case);
                    let hit = self.terms.eq(value, case);
                    let miss = self.terms.not(hit);
                    none = self.terms.and(none, miss);
                    match ways.iter_mut().find(|(_, known)| known == to) {
                        Some((condition, _)) => *condition = self.terms.or(*condition, hit),
                        None => ways.push((hit, *to)),
                    }
                }
                match ways.iter_mut().find(|(_, known)| known == default) {
                    Some((condition, _)) => *condition = self.terms.or(*condition, none),
                    None => ways.push((none, *default)),
                }
                self.fork(walk, point, state, &ways)
            }
            Terminator::Return(values) => {
                let values = values.iter().map(|value| self.operand(&state, point.context, *value)).collect();
                self.return_from(walk, point, state, values)
            }
            Terminator::Unreachable => Ok(()),
        }
    }

    fn fork(&mut self, walk: &mut Walk, point: Point, state: State, ways: &[(Term, BlockId)]) -> Result<(), Stop> {
        let mut open = Vec::new();
        for (condition, to) in ways {
            let mut state = state.clone();
            if state.require(&mut self.terms, *condition) {
                open.push((state, *to));
            }
        }
        let function = self.contexts[point.context].function;
        if open.len() > 1 && point.depth == 0 {
            let shape = self.shape(function);
            let heads: Vec<BlockId> = shape.loops_of(point.site.block).collect();
            let program = self.program;
            let ends = |to: BlockId| matches!(program.functions[function].blocks[to].term, Terminator::Unreachable);
            for head in heads {
                let stays = open.iter().any(|(_, to)| shape.is_in_loop(head, *to));
                let leaves = open.iter().any(|(_, to)| !shape.is_in_loop(head, *to) && !ends(*to));
                if stays && leaves && self.is_unrolled(function, head) {
                    return Err(Stop::Roll(function, head));
                }
            }
        }
        if open.len() > 1 && point.depth > 0 {
            let shape = self.shape(function);
            for head in shape.loops_of(point.site.block).collect::<Vec<_>>() {
                let stays = open.iter().any(|(_, to)| shape.is_in_loop(head, *to));
                let leaves = open.iter().any(|(_, to)| !shape.is_in_loop(head, *to));
                if point.site.block == head && stays && leaves {
                    self.changed |= self.open_loops.insert((function, head));
                }
            }
        }
        open.into_iter().try_for_each(|(state, to)| self.jump(walk, point, state, to))
    }

    /// How often a loop in an atomic section is gone round before others may come between. A loop of a model that asks
    /// about all threads, of which there may be any number, is not unrolled at all.
    fn atomic_rounds(&self, function: FuncId, head: BlockId) -> u32 {
        let is_open = self.open_loops.contains(&(function, head));
        match self.program.functions[function].origin {
            selvedge_program::Origin::User => ATOMIC_ROUNDS,
            _ if is_open => 0,
            _ => ATOMIC_ROUNDS,
        }
    }

    fn jump(&mut self, walk: &mut Walk, mut point: Point, state: State, to: BlockId) -> Result<(), Stop> {
        let function = self.contexts[point.context].function;
        let shape = self.shape(function);
        if shape.is_retreating(point.site.block, to) {
            if point.depth > 0 {
                if point.site.round >= self.atomic_rounds(function, to) {
                    point.site = Site { block: to, index: 0, round: LATER };
                    self.exit(walk, Target::At(point), state);
                    return Ok(());
                }
                point.site.round += 1;
            } else if self.is_unrolled(function, to) {
                if point.site.round >= ROUNDS {
                    return Err(Stop::Roll(function, to));
                }
                point.site.round += 1;
            }
        } else if shape.loops_of(to).next().is_none() {
            point.site.round = 0;
        }
        point.site = Site { block: to, index: 0, round: point.site.round };
        self.push(walk, point, state);
        Ok(())
    }

    /// Can a thread be here once at most?
    pub fn is_once(&mut self, point: Point) -> bool {
        let function = self.contexts[point.context].function;
        let shape = self.shape(function);
        let heads: Vec<BlockId> = shape.loops_of(point.site.block).collect();
        self.contexts[point.context].is_once
            && !self.is_recursive(point.context)
            && heads.into_iter().all(|head| point.site.round != LATER && self.is_unrolled(function, head))
    }

    pub fn position(&mut self, point: Point) -> Position {
        let shape = self.shape(self.contexts[point.context].function);
        let Site { block, index, round } = point.site;
        (shape.anchor(block), round, shape.order(block), index as u32)
    }

    /// A path has got to a point; others that did are merged with it.
    pub fn push(&mut self, walk: &mut Walk, point: Point, mut state: State) {
        self.forget(point, &mut state);
        let mut positions = self.contexts[point.context].positions.clone();
        positions.push(self.position(point));
        let states = walk.pending.remove(&(positions.clone(), point)).unwrap_or_default();
        let states = self.join(states, state);
        walk.pending.insert((positions, point), states);
    }

    /// A path stops.
    pub fn exit(&mut self, walk: &mut Walk, target: Target, mut state: State) {
        match &target {
            Target::At(point) => {
                self.note_stop(*point);
                self.settle_all_fresh(walk, *point, &mut state);
                self.settle_words(*point, &mut state);
                self.forget(*point, &mut state);
                self.carry(&mut state);
            }
            // The thread's own variables mean nothing any more.
            Target::Ended => {
                let gone: Vec<Var> = state.changed.keys().copied().collect();
                for var in gone {
                    if matches!(self.home(var), Home::Local(_)) {
                        state.changed.remove(&var);
                    }
                }
            }
            Target::ProcessEnded | Target::Error { .. } | Target::Wrong { .. } | Target::Unchecked { .. } => {
                state.fresh.clear();
                state.changed.clear();
                state.spawned.clear();
            }
        }
        let states = walk.exits.remove(&target).unwrap_or_default();
        let states = self.join(states, state);
        walk.exits.insert(target, states);
    }

    /// Others may look while a thread stands here: activations that it has left by now do not last.
    fn note_stop(&mut self, point: Point) {
        let template = self.contexts[point.context].template;
        let innermost = match self.lasting.get(&template) {
            None => Some(point.context),
            Some(known) => known.and_then(|known| self.contexts.common(known, point.context)),
        };
        self.changed |= self.lasting.insert(template, innermost) != Some(innermost);
    }

    fn join(&mut self, mut states: Vec<State>, state: State) -> Vec<State> {
        match states.iter().position(|other| other.can_merge(&state)) {
            None => states.push(state),
            Some(index) => {
                let other = states.swap_remove(index);
                let vars: Vec<Var> = other.changed.keys().chain(state.changed.keys()).copied().collect();
                let current: HashMap<Var, Value> = vars.into_iter().map(|var| (var, self.current(var))).collect();
                states.push(other.merge(state, &mut self.terms, |_, var| current[&var].clone()));
            }
        }
        states
    }

    /// Drops registers that nobody reads again, and variables of activations that have returned.
    fn forget(&mut self, point: Point, state: &mut State) {
        let chain: Vec<(ContextId, Option<Site>)> = self.contexts.chain(point.context).collect();
        let mut live: HashMap<ContextId, (std::rc::Rc<super::Shape>, Option<Site>)> = HashMap::new();
        for (context, waits) in chain {
            let shape = self.shape(self.contexts[context].function);
            live.insert(context, (shape, waits));
        }
        let objects = &self.objects;
        let contexts = &self.contexts;
        state.changed.retain(|var, _| match var {
            Var::Register(context, reg) => live.get(context).is_some_and(|(shape, waits)| match waits {
                None => shape.is_live_before(point.site.block, point.site.index, *reg),
                Some(call) => shape.is_live_across(call.block, call.index, *reg),
            }),
            Var::Cell(object, _, _) => match objects[*object].origin {
                super::Origin::Stack(context, _) => {
                    objects[*object].home() == Home::Shared || contexts.is_active(context, point.context)
                }
                _ => true,
            },
            Var::Created(_) | Var::Ended(_) | Var::Number(_) => true,
        });
    }

    /// Learns the values that variables may have where this thread stops.
    fn learn_at(&mut self, target: &Target, state: &State) {
        if matches!(target, Target::At(_) | Target::Ended) {
            for (var, value) in &state.changed {
                if self.home(*var) != Home::Unknown && value.term != self.variable(*var)[0] {
                    self.learn(*var, value);
                }
            }
        }
        for Spawned { arguments, .. } in &state.spawned {
            for (var, term) in arguments {
                debug_assert!(self.known.contains_key(var), "arguments are learnt when they are passed: {term:?}");
            }
        }
    }

    /// Something happens here that others may notice, or notice something of. Does the thread have to stop before?
    pub fn observe(&mut self, point: Point, state: &mut State, is_visible: bool, writes: bool) -> bool {
        if !is_visible || point.alone {
            return false;
        }
        if point.depth == 0 && state.visible {
            return true;
        }
        self.make_visible(state);
        state.visible = true;
        state.wrote |= writes;
        false
    }

    /// Others can tell whether the thread is before the atomic section that it is in.
    pub fn make_visible(&mut self, state: &State) {
        for section in &state.sections {
            self.changed |= self.visible_sections.insert(*section);
        }
    }

    /// A place that cannot be walked through. Nothing is proved unless it is shown to be unreachable.
    pub fn gap(&mut self, walk: &mut Walk, point: Point, state: State, text: String) {
        let property = self.properties.iter().next().unwrap_or(Property::Assertion);
        let loc = self.user_loc(point);
        self.exit(walk, Target::Error { property, text, loc }, state);
    }

    /// As [`Extraction::gap`], where `condition` holds and nobody asks about memory; otherwise misuse of memory is
    /// reported anyway.
    pub fn gap_where(&mut self, walk: &mut Walk, point: Point, state: &State, condition: Term, text: &str) {
        let mut lost = state.clone();
        if !self.properties.contains(Property::Memory) && lost.require(&mut self.terms, condition) {
            self.gap(walk, point, lost, text.to_string());
        }
    }

    /// `condition`, that something is wrong. `fatal`: the run ends even where nobody asked. False: no path goes on.
    pub fn fault(
        &mut self,
        walk: &mut Walk,
        point: Point,
        state: &mut State,
        (condition, property, text): (Term, Property, &str),
        fatal: bool,
    ) -> bool {
        if condition == Terms::FALSE {
            return true;
        }
        let loc = self.user_loc(point);
        let asked = self.properties.contains(property) && !self.program.suppresses(property, loc);
        if !asked && !fatal {
            return true;
        }
        let mut wrong = state.clone();
        if wrong.require(&mut self.terms, condition) {
            let target = if asked {
                Target::Error { property, text: text.to_string(), loc }
            } else {
                Target::Unchecked { property }
            };
            self.exit(walk, target, wrong);
        }
        let fine = self.terms.not(condition);
        state.require(&mut self.terms, fine)
    }

    pub fn loc(&self, point: Point) -> Loc {
        let function = &self.program.functions[self.contexts[point.context].function];
        let block = &function.blocks[point.site.block];
        block.insts.get(point.site.index).map_or(block.loc, |inst: &Inst| inst.loc)
    }

    pub fn operand(&mut self, state: &State, context: ContextId, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => self.read(state, Var::Register(context, reg)),
            Operand::Const { .. } | Operand::Global { .. } | Operand::Func(_) => {
                self.constant_operand(self.contexts[context].template, operand)
            }
        }
    }

    pub fn read(&mut self, state: &State, var: Var) -> Value {
        state.changed.get(&var).cloned().unwrap_or_else(|| self.current(var))
    }

    pub fn set(&mut self, state: &mut State, context: ContextId, reg: Reg, value: Value) {
        let var = Var::Register(context, reg);
        let bits = self.bits(var);
        let value = self.resized(value, bits);
        state.changed.insert(var, value);
    }

    /// An argument or a result as a value of perhaps another width, as on the VM: bits cut off or filled up with zeros,
    /// but a truth value is compared with zero.
    pub fn passed(&mut self, value: Value, bits: u32) -> Value {
        let given = self.terms.bits(value.term);
        if bits > 1 || given == 1 {
            return self.resized(value, bits);
        }
        let zero = self.terms.constant(given, 0);
        let is_zero = self.terms.eq(value.term, zero);
        Value { term: self.terms.not(is_zero), targets: value.targets }
    }

    pub fn resized(&mut self, value: Value, bits: u32) -> Value {
        let term = selvedge_symbolic::operations::resized(&mut self.terms, value.term, bits);
        Value { term, targets: value.targets }
    }
}
