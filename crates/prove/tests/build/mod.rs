//! Systems by hand, for tests: an endless loop in main creates threads of one template.

use selvedge_formula::{Term, Terms};
use selvedge_program::{FuncId, Property, SourceMap};
use selvedge_prove::system::{
    COPIES, Edge, Instances, LocalId, Location, LocationId, LocationKind, Place, Role, SharedId, Spawn, System,
    Template, TemplateId, Variable,
};

pub struct Build {
    pub system: System,
    /// The template that main creates without end.
    pub threads: TemplateId,
}

fn variable(terms: &mut Terms, name: &str, bits: u32, role: Role, is_local: bool) -> Variable {
    let first = terms.variable(bits, name);
    let mut copies = [first; COPIES];
    if is_local {
        for (i, copy) in copies.iter_mut().enumerate().skip(1) {
            *copy = terms.variable(bits, format!("{name}'{i}"));
        }
    }
    Variable { name: name.to_owned(), bits, copies, role }
}

impl Build {
    pub fn new() -> Build {
        let system = System {
            counters: Default::default(),
            broken: Vec::new(),
            terms: Terms::new(),
            shared: Default::default(),
            templates: Default::default(),
            main: TemplateId::from_u32(0),
            initial: Terms::TRUE,
            accesses: Vec::new(),
        };
        let mut build = Build { system, threads: TemplateId::from_u32(1) };
        let main = build.template("main", Instances::Once);
        let threads = build.template("thread", Instances::Many);
        let here = build.system.first(main);
        let spawn = Spawn { template: threads, arguments: Vec::new() };
        build.edge(main, (here, here), Terms::TRUE, Vec::new());
        build.system.templates[main].edges[0].spawns.push(spawn);
        build
    }

    fn template(&mut self, name: &str, instances: Instances) -> TemplateId {
        let mut locals = cranelift_entity::PrimaryMap::new();
        let number = locals.push(variable(&mut self.system.terms, &format!("{name}::number"), 8, Role::Number, true));
        let function = FuncId::from_u32(0);
        let mut template = Template {
            name: name.to_owned(),
            function,
            instances,
            locals,
            number,
            locations: Default::default(),
            edges: Vec::new(),
        };
        template.locations.push(Location { kind: LocationKind::Running, loc: SourceMap::NOWHERE });
        self.system.templates.push(template)
    }

    pub fn shared(&mut self, name: &str, bits: u32, first: u128) -> (SharedId, Term) {
        let new = variable(&mut self.system.terms, name, bits, Role::Object, false);
        let term = new.copies[0];
        let value = self.system.terms.constant(bits, first);
        let begins = self.system.terms.eq(term, value);
        self.system.initial = self.system.terms.and(self.system.initial, begins);
        (self.system.shared.push(new), term)
    }

    pub fn local(&mut self, name: &str, bits: u32) -> (LocalId, Term) {
        let new = variable(&mut self.system.terms, name, bits, Role::Register, true);
        let term = new.copies[0];
        (self.system.templates[self.threads].locals.push(new), term)
    }

    pub fn number(&self) -> Term {
        let template = &self.system.templates[self.threads];
        template.locals[template.number].copies[0]
    }

    /// Where a thread goes on, stops for good, or shows an error.
    pub fn location(&mut self, kind: LocationKind) -> LocationId {
        self.system.templates[self.threads].locations.push(Location { kind, loc: SourceMap::NOWHERE })
    }

    pub fn running(&mut self) -> LocationId {
        self.location(LocationKind::Running)
    }

    pub fn error(&mut self) -> LocationId {
        self.location(LocationKind::Error { property: Property::Assertion, text: "assertion".to_owned() })
    }

    pub fn first(&self) -> LocationId {
        self.system.first(self.threads)
    }

    fn edge(
        &mut self,
        template: TemplateId,
        (from, to): (LocationId, LocationId),
        guard: Term,
        updates: Vec<(Place, Term)>,
    ) {
        let (inputs, spawns, loc) = (Vec::new(), Vec::new(), SourceMap::NOWHERE);
        self.system.templates[template].edges.push(Edge { from, to, guard, updates, inputs, spawns, loc });
    }

    /// A step of the threads.
    pub fn step(&mut self, from: LocationId, to: LocationId, guard: Term, updates: Vec<(Place, Term)>) {
        self.edge(self.threads, (from, to), guard, updates);
    }

    /// A step to `ok` where the condition holds, else to the error.
    pub fn assert(&mut self, from: LocationId, ok: LocationId, condition: Term) {
        let error = self.error();
        let fails = self.system.terms.not(condition);
        self.step(from, ok, condition, Vec::new());
        self.step(from, error, fails, Vec::new());
    }
}
