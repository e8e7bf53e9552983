//! The system, from the edges of the last round.

use super::contexts::{ContextId, Point};
use super::objects::Origin;
use super::slice::{RawEdge, Variables, drop_dead, needed, noticed};
use super::state::Var;
use super::walk::{Graph, Target};
use super::{Extraction, Home, Known};
use crate::contents::Broken;
use crate::system::{
    Edge, Instances, LocalId, Location, LocationId, LocationKind, Place, Role, SharedId, Spawn, System, Template,
    TemplateId, Variable,
};
use cranelift_entity::PrimaryMap;
use hashbrown::{HashMap, HashSet};
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{EntityRef, Loc, Origin as Written, Property};

impl Extraction<'_> {
    pub fn build(mut self) -> System {
        let mut graphs = std::mem::take(&mut self.graphs);
        let mut edges: Vec<Vec<RawEdge>> = graphs.iter().map(|graph| self.raw_edges(graph)).collect();
        for template in self.threads.keys().collect::<Vec<_>>() {
            self.variable(Var::Number(template));
        }
        let accesses = self.accesses_with_pools();
        for ((template, graph), edges) in self.threads.keys().zip(&mut graphs).zip(&mut edges) {
            let is_noticed = |var: Var| self.home(var) == Home::Shared;
            let before = Self::terms_of_accesses(&accesses, template).into_iter().map(|(location, _)| location);
            let kept = noticed(graph, edges, before, is_noticed);
            let mut of_steps = kept.iter();
            graph.edges.retain(|_| of_steps.next() == Some(&true));
            let mut of_edges = kept.iter();
            edges.retain(|_| of_edges.next() == Some(&true));
        }
        let of: HashMap<Term, Var> = self.variables.iter().map(|(var, copies)| (copies[0], *var)).collect();
        let mut variables = Variables::new(&self.terms, of);
        let asked: Vec<Vec<(usize, Term)>> =
            self.threads.keys().map(|template| Self::terms_of_accesses(&accesses, template)).collect();
        let mut kept = needed(&mut variables, &edges, asked.iter().flatten().map(|(_, term)| *term));
        for ((graph, edges), asked) in graphs.iter().zip(&mut edges).zip(&asked) {
            edges.iter_mut().for_each(|edge| edge.keep(&kept));
            let is_local = |var: Var| matches!(self.home(var), Home::Local(_));
            drop_dead(&mut variables, graph.locations.len(), (edges, asked), is_local);
        }
        let of = variables.of;
        // Whether threads exist is of use to proofs even where no guard asks.
        let ghosts: Vec<Var> = self.ghosts().into_iter().filter(|var| !kept.contains(var)).collect();
        kept.extend(ghosts.iter().copied());
        for (graph, edges) in graphs.iter().zip(&mut edges) {
            self.keep_ghosts(graph, edges, &ghosts);
        }
        let system = self.system(&graphs, edges, &kept, &ghosts, &of);
        System { accesses, ..system }
    }

    /// Whether a template's thread, or one of them, exists; whether the only one has ended.
    fn ghosts(&self) -> Vec<Var> {
        let mut ghosts = Vec::new();
        for (id, thread) in &self.threads {
            if id.index() != 0 {
                ghosts.push(Var::Created(id));
            }
            if thread.instances == Instances::Once {
                ghosts.push(Var::Ended(id));
            }
        }
        ghosts
    }

    fn keep_ghosts(&mut self, graph: &Graph, edges: &mut [RawEdge], ghosts: &[Var]) {
        for (step, edge) in graph.edges.iter().zip(edges) {
            for ghost in ghosts {
                if let Some(value) = step.state.changed.get(ghost) {
                    edge.updates.push((*ghost, value.term));
                }
            }
        }
    }

    fn raw_edges(&mut self, graph: &Graph) -> Vec<RawEdge> {
        let mut edges = Vec::new();
        for step in &graph.edges {
            let guard = step.state.guard(&mut self.terms);
            let mut updates = Vec::new();
            for (var, value) in &step.state.changed {
                let is_constant = matches!(self.known.get(var), Some(Known { constant: Some(_), .. }));
                if self.home(*var) != Home::Unknown && !is_constant && value.term != self.variable(*var)[0] {
                    updates.push((*var, value.term));
                }
            }
            let spawns = step.state.spawned.iter();
            let spawns = spawns.map(|spawned| (spawned.template, spawned.number, spawned.arguments.clone())).collect();
            let loc = match &graph.locations[step.from] {
                Target::At(point) => self.user_loc(*point),
                _ => Loc { file: selvedge_program::FileId::new(0), line: 0, column: 0 },
            };
            edges.push(RawEdge { from: step.from, to: step.to, guard, updates, spawns, loc });
        }
        edges
    }

    fn system(
        mut self,
        graphs: &[Graph],
        edges: Vec<Vec<RawEdge>>,
        kept: &HashSet<Var>,
        ghosts: &[Var],
        of: &HashMap<Term, Var>,
    ) -> System {
        let mut sorted: Vec<Var> = kept.iter().copied().collect();
        sorted.sort();
        let mut shared: PrimaryMap<SharedId, Variable> = PrimaryMap::new();
        let mut shared_ids: HashMap<Var, SharedId> = HashMap::new();
        let mut local_ids: HashMap<Var, LocalId> = HashMap::new();
        let mut locals: Vec<PrimaryMap<LocalId, Variable>> = Vec::new();
        for template in self.threads.keys().collect::<Vec<_>>() {
            let number = self.described(Var::Number(template), Role::Number);
            let mut own = PrimaryMap::new();
            local_ids.insert(Var::Number(template), own.push(number));
            locals.push(own);
        }
        for var in &sorted {
            let role = if ghosts.contains(var) { Role::Ghost } else { self.role(*var) };
            let variable = self.described(*var, role);
            match self.home(*var) {
                Home::Shared => {
                    let variable = renamed(variable, shared.values().map(|other| &other.name));
                    shared_ids.insert(*var, shared.push(variable));
                }
                Home::Local(template) if !local_ids.contains_key(var) => {
                    let own = &mut locals[template.index()];
                    let variable = renamed(variable, own.values().map(|other| &other.name));
                    local_ids.insert(*var, own.push(variable));
                }
                Home::Local(_) | Home::Unknown => {}
            }
        }
        let place = |var: &Var| match shared_ids.get(var) {
            Some(id) => Some(Place::Shared(*id)),
            None => local_ids.get(var).map(|id| Place::Local(*id)),
        };
        let initial = self.initial(&sorted);
        let first_values = self.first_values(&sorted);
        let mut templates: PrimaryMap<TemplateId, Template> = PrimaryMap::new();
        for ((graph, edges), locals) in graphs.iter().zip(edges).zip(locals) {
            let id = TemplateId::new(templates.len());
            let locations = graph.locations.iter().map(|target| self.location(target)).collect();
            let mut built = Vec::new();
            for edge in edges {
                let updates: Vec<(Place, Term)> =
                    edge.updates.iter().filter_map(|(var, term)| Some((place(var)?, *term))).collect();
                let mut spawns = Vec::new();
                for (template, number, arguments) in &edge.spawns {
                    let mut all = vec![(local_ids[&Var::Number(*template)], *number)];
                    let first = first_values.iter().filter(|(var, _)| self.home(*var) == Home::Local(*template));
                    for (var, term) in arguments.iter().chain(first) {
                        all.extend(local_ids.get(var).map(|id| (*id, *term)));
                    }
                    spawns.push(Spawn { template: *template, arguments: all });
                }
                let roots = updates.iter().map(|(_, term)| *term).chain([edge.guard]);
                let roots = roots.chain(spawns.iter().flat_map(|spawn| spawn.arguments.iter().map(|(_, term)| *term)));
                let is_input =
                    |term: &Term| matches!(self.terms.node(*term), Node::Var { .. }) && !of.contains_key(term);
                let inputs = self.terms.cone(roots).into_iter().filter(is_input).collect();
                let (from, to) = (LocationId::new(edge.from), LocationId::new(edge.to));
                built.push(Edge { from, to, guard: edge.guard, updates, inputs, spawns, loc: edge.loc });
            }
            let thread = &self.threads[id];
            templates.push(Template {
                name: thread.name.clone(),
                function: thread.start.unwrap_or(thread.function),
                instances: thread.instances,
                locals,
                number: LocalId::new(0),
                locations,
                edges: built,
            });
        }
        let (main, counters) = (TemplateId::new(0), Default::default());
        let broken = graphs.iter().enumerate().flat_map(|(template, graph)| broken(TemplateId::new(template), graph));
        let broken = broken.collect();
        System { terms: self.terms, shared, templates, main, initial, counters, accesses: Vec::new(), broken }
    }

    fn described(&mut self, var: Var, role: Role) -> Variable {
        let copies = self.variable(var);
        Variable { name: self.name(var), bits: self.bits(var), copies, role }
    }

    fn role(&self, var: Var) -> Role {
        match var {
            Var::Register(..) => Role::Register,
            Var::Number(_) => Role::Number,
            Var::Created(_) | Var::Ended(_) => Role::Object,
            Var::Cell(object, offset, _) => match self.objects[object].origin {
                Origin::Global(global) => Role::Cell { global, offset },
                Origin::Function(_)
                | Origin::ThreadLocal(..)
                | Origin::AnyThreads(..)
                | Origin::Stack(..)
                | Origin::Heap(..) => Role::Object,
            },
        }
    }

    pub fn name(&self, var: Var) -> String {
        match var {
            Var::Register(context, reg) => {
                let function = &self.program.functions[self.contexts[context].function];
                let name = function.regs[reg].name.clone().unwrap_or_else(|| reg.index().to_string());
                format!("{}::{name}", function.name)
            }
            Var::Cell(object, offset, _) => {
                let object = &self.objects[object];
                let is_whole = offset == 0 && object.cells().len() == 1;
                if is_whole { object.name.clone() } else { format!("{}+{offset}", object.name) }
            }
            Var::Created(template) => format!("created({})", self.threads[template].name),
            Var::Ended(template) => format!("ended({})", self.threads[template].name),
            Var::Number(_) => "number".to_string(),
        }
    }

    /// The initial values of shared variables and of main's own.
    fn initial(&mut self, vars: &[Var]) -> Term {
        let main = TemplateId::new(0);
        let mut all = Vec::new();
        let number = self.variable(Var::Number(main))[0];
        let zero = self.terms.constant(super::threads::NUMBER_BITS, 0);
        all.push(self.terms.eq(number, zero));
        for var in vars {
            if matches!(self.home(*var), Home::Local(template) if template != main) {
                continue;
            }
            let value = match *var {
                Var::Cell(object, offset, bytes) => self.initial_value(object, offset, bytes).map(|value| value.term),
                Var::Created(_) | Var::Ended(_) => Some(Terms::FALSE),
                Var::Register(..) | Var::Number(_) => None,
            };
            if let Some(value) = value {
                let variable = self.variable(*var)[0];
                all.push(self.terms.eq(variable, value));
            }
        }
        self.terms.and_all(all)
    }

    /// The initial values of a new thread's copies of thread-locals.
    fn first_values(&mut self, vars: &[Var]) -> Vec<(Var, Term)> {
        let mut values = Vec::new();
        for var in vars {
            if let Var::Cell(object, offset, bytes) = *var
                && matches!(self.home(*var), Home::Local(_))
                && let Some(value) = self.initial_value(object, offset, bytes)
            {
                values.push((*var, value.term));
            }
        }
        values
    }

    fn location(&self, target: &Target) -> Location {
        let unknown = Loc { file: selvedge_program::FileId::new(0), line: 0, column: 0 };
        let (kind, loc) = match target {
            Target::At(point) => (LocationKind::Running, self.user_loc(*point)),
            Target::Ended => (LocationKind::Ended, unknown),
            Target::ProcessEnded => (LocationKind::ProcessEnded, unknown),
            Target::Error { property, text, loc } => {
                (LocationKind::Error { property: *property, text: text.clone() }, *loc)
            }
            Target::Wrong { guess, loc } => {
                let property = self.properties.iter().next().unwrap_or(Property::Assertion);
                (LocationKind::Error { property, text: guess.to_string() }, *loc)
            }
            Target::Unchecked { property } => (LocationKind::Unchecked { property: *property }, unknown),
        };
        Location { kind, loc }
    }

    /// The position in the innermost function of the user's, rather than of a model.
    pub fn user_loc(&self, point: Point) -> Loc {
        let mut found: Option<Loc> = None;
        for (context, waits) in self.contexts.chain(point.context) {
            let site = waits.unwrap_or(point.site);
            let loc = self.loc(Point { context, site, ..point });
            found.get_or_insert(loc);
            if self.is_users(context) && loc.is_known() {
                return loc;
            }
        }
        found.unwrap_or(Loc { file: selvedge_program::FileId::new(0), line: 0, column: 0 })
    }

    fn is_users(&self, context: ContextId) -> bool {
        self.program.functions[self.contexts[context].function].origin == Written::User
    }
}

impl RawEdge {
    fn keep(&mut self, kept: &HashSet<Var>) {
        self.updates.retain(|(var, _)| kept.contains(var));
        for (_, _, arguments) in &mut self.spawns {
            arguments.retain(|(var, _)| kept.contains(var));
        }
    }
}

/// The locations of a template that are reached if a guess is wrong.
fn broken(template: TemplateId, graph: &Graph) -> impl Iterator<Item = Broken> + '_ {
    graph.locations.iter().enumerate().filter_map(move |(location, target)| match target {
        Target::Wrong { guess, .. } => Some(Broken { at: (template, LocationId::new(location)), guess: guess.clone() }),
        Target::At(_) | Target::Ended | Target::ProcessEnded | Target::Error { .. } | Target::Unchecked { .. } => None,
    })
}

/// Names that are used already get a number.
fn renamed<'a>(mut variable: Variable, names: impl Iterator<Item = &'a String>) -> Variable {
    let names: HashSet<&String> = names.collect();
    let base = variable.name.clone();
    for number in 2.. {
        if !names.contains(&variable.name) {
            break;
        }
        variable.name = format!("{base}~{number}");
    }
    variable
}
