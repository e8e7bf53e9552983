//! Systems by hand: variables, templates and edges in a few words each.

use selvedge_formula::{Term, Terms};
use selvedge_program::{EntityRef, FuncId, Loc, Property, SourceMap};
use selvedge_prove::system::{
    COPIES, Edge, Instances, LocalId, Location, LocationId, LocationKind, Place, Role, SharedId, Spawn, System,
    Template, TemplateId, Variable,
};

/// The width of thread numbers.
pub const NUMBER_BITS: u32 = 8;
/// The width of lock words, which hold a number plus one.
pub const WORD_BITS: u32 = 32;

pub struct Hand {
    pub system: System,
}

fn loc() -> Loc {
    SourceMap::NOWHERE
}

impl Hand {
    /// A system with main only, whose number is 0.
    pub fn new() -> Hand {
        let terms = Terms::new();
        let mut hand = Hand {
            system: System {
                counters: Default::default(),
                broken: Vec::new(),
                terms,
                shared: Default::default(),
                templates: Default::default(),
                main: TemplateId::new(0),
                initial: Terms::TRUE,
                accesses: Vec::new(),
            },
        };
        let main = hand.template("main", Instances::Once);
        let number = hand.number(main);
        let first = hand.constant(NUMBER_BITS, 0);
        hand.initially(number, first);
        hand
    }

    pub fn main(&self) -> TemplateId {
        self.system.main
    }

    pub fn constant(&mut self, bits: u32, value: i128) -> Term {
        self.system.terms.constant(bits, value.cast_unsigned())
    }

    fn initially(&mut self, variable: Term, value: Term) {
        let is = self.system.terms.eq(variable, value);
        self.system.initial = self.system.terms.and(self.system.initial, is);
    }

    pub fn shared(&mut self, name: &str, bits: u32, initial: i128) -> (Place, Term) {
        let term = self.system.terms.variable(bits, name);
        let variable = Variable { name: name.to_string(), bits, copies: [term; COPIES], role: Role::Object };
        let id: SharedId = self.system.shared.push(variable);
        let initial = self.constant(bits, initial);
        self.initially(term, initial);
        (Place::Shared(id), term)
    }

    pub fn template(&mut self, name: &str, instances: Instances) -> TemplateId {
        let id = self.system.templates.push(Template {
            name: name.to_string(),
            function: FuncId::new(0),
            instances,
            locals: Default::default(),
            number: LocalId::new(0),
            locations: Default::default(),
            edges: Vec::new(),
        });
        self.local(id, "number", NUMBER_BITS);
        id
    }

    pub fn number(&self, template: TemplateId) -> Term {
        self.system.templates[template].locals[LocalId::new(0)].copies[0]
    }

    pub fn local(&mut self, template: TemplateId, name: &str, bits: u32) -> (Place, Term) {
        let copies = std::array::from_fn(|copy| self.system.terms.variable(bits, format!("{name}'{copy}")));
        let role = if name == "number" { Role::Number } else { Role::Register };
        let id = self.system.templates[template].locals.push(Variable { name: name.to_string(), bits, copies, role });
        (Place::Local(id), copies[0])
    }

    pub fn location(&mut self, template: TemplateId) -> LocationId {
        self.system.templates[template].locations.push(Location { kind: LocationKind::Running, loc: loc() })
    }

    pub fn locations<const COUNT: usize>(&mut self, template: TemplateId) -> [LocationId; COUNT] {
        std::array::from_fn(|_| self.location(template))
    }

    pub fn ended(&mut self, template: TemplateId) -> LocationId {
        self.system.templates[template].locations.push(Location { kind: LocationKind::Ended, loc: loc() })
    }

    pub fn edge(
        &mut self,
        template: TemplateId,
        (from, to): (LocationId, LocationId),
        guard: Term,
        updates: Vec<(Place, Term)>,
    ) -> &mut Edge {
        let edge = Edge { from, to, guard, updates, inputs: Vec::new(), spawns: Vec::new(), loc: loc() };
        let edges = &mut self.system.templates[template].edges;
        edges.push(edge);
        edges.last_mut().expect("an edge")
    }

    /// From here to an error unless the condition holds, else to the next location.
    pub fn assert(&mut self, template: TemplateId, (from, to): (LocationId, LocationId), condition: Term) {
        let kind = LocationKind::Error { property: Property::Assertion, text: "assertion".to_string() };
        let error = self.system.templates[template].locations.push(Location { kind, loc: loc() });
        let fails = self.system.terms.not(condition);
        self.edge(template, (from, error), fails, Vec::new());
        self.edge(template, (from, to), condition, Vec::new());
    }

    pub fn create(&mut self, template: TemplateId, at: (LocationId, LocationId), new: TemplateId) {
        let edge = self.edge(template, at, Terms::TRUE, Vec::new());
        edge.spawns.push(Spawn { template: new, arguments: Vec::new() });
    }

    pub fn lock(&mut self, template: TemplateId, at: (LocationId, LocationId), (place, word): (Place, Term)) {
        let (zero, one) = (self.constant(WORD_BITS, 0), self.constant(WORD_BITS, 1));
        let free = self.system.terms.eq(word, zero);
        let number = self.number(template);
        let number = self.system.terms.zero_extend(number, WORD_BITS);
        let mine = self.system.terms.add(number, one);
        self.edge(template, at, free, vec![(place, mine)]);
    }

    pub fn unlock(&mut self, template: TemplateId, at: (LocationId, LocationId), (place, _): (Place, Term)) {
        let zero = self.constant(WORD_BITS, 0);
        self.edge(template, at, Terms::TRUE, vec![(place, zero)]);
    }

    pub fn set(&mut self, template: TemplateId, at: (LocationId, LocationId), place: Place, value: Term) {
        self.edge(template, at, Terms::TRUE, vec![(place, value)]);
    }
}
