//! The part of an invariant that other tools can read: expressions of C over globals and ghosts, by line.
//!
//! *Where.* A statement holds whenever a thread stands before a step. Main takes several steps at once while it is
//! alone, so only functions that main does not call are spoken of; and of several steps of a line, which may stand for
//! several moments of its statement, only what all of them say.
//!
//! *What.* A conjunct that cannot be said in C is left out, and so is what is weaker without it: in a conjunction the
//! part, of a disjunction all. Sums wrap around, which in C is only so for unsigned types, hence the casts. The word of
//! a mutex is a ghost, "locked", if it is only compared with 0; so is whether threads of a kind were created.

use crate::expression::parts;
use crate::invariant::Invariant;
use crate::system::{LocationKind, Place, Role, SharedId, System, TemplateId};
use selvedge_formula::{Node, Term, Terms, signed};
use selvedge_program::{
    Callee, DebugType, FuncId, Ghost, GhostOf, GlobalId, InC, LineInvariant, Loc, Op, Origin, Program, SourceMap,
    TypeId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Longer expressions help nobody.
const LONGEST: usize = 400;

pub fn part(program: &Program, system: &System, invariant: &Invariant) -> InC {
    let mut writer = Writer { program, system, names: names(program, system), ghosts: BTreeMap::new() };
    let of_main = called_from(program, system.templates[system.main].function);
    let functions = functions_by_line(program);
    let mut by_line: BTreeMap<(String, u32), Option<BTreeSet<Said>>> = BTreeMap::new();
    for ((template, location), statement) in &invariant.single {
        let place = &system.templates[*template].locations[*location];
        if *template == system.main || place.kind != LocationKind::Running || *statement == Terms::FALSE {
            continue;
        }
        let Some(line) = line(program, place.loc) else { continue };
        let said: BTreeSet<Said> =
            parts(&system.terms, *statement).into_iter().filter_map(|part| writer.truth(part, false)).collect();
        let known = by_line.entry(line).or_default();
        *known = Some(match known.take() {
            None => said,
            Some(others) => others.intersection(&said).cloned().collect(),
        });
    }
    let numbers: BTreeMap<GhostKey, usize> = writer.ghosts.keys().cloned().zip(0..).collect();
    let lines = by_line.into_iter().filter_map(|((file, line), holds)| {
        let function = *functions.get(&(file.clone(), line))?.first().filter(|of| !of_main.contains(of))?;
        let holds = holds.unwrap_or_default().into_iter().filter(|said| said.text.len() <= LONGEST);
        let holds: Vec<_> =
            holds.map(|said| (said.text, said.ghosts.iter().map(|ghost| numbers[ghost]).collect())).collect();
        let function = program.functions[function].name.clone();
        (!holds.is_empty()).then_some(LineInvariant { function, file, line, holds })
    });
    InC { lines: lines.collect(), ghosts: writer.ghosts.into_values().collect() }
}

/// What a ghost is about: threads of a template, or a mutex.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum GhostKey {
    Created(TemplateId),
    Locked(GlobalId),
}

/// An expression and the ghosts in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    text: String,
    ghosts: BTreeSet<GhostKey>,
}

impl Said {
    fn plain(text: String) -> Said {
        Said { text, ghosts: BTreeSet::new() }
    }

    fn with(self, operator: &str, other: Said) -> Said {
        let ghosts = self.ghosts.union(&other.ghosts).cloned().collect();
        Said { text: format!("({} {operator} {})", self.text, other.text), ghosts }
    }
}

/// What a shared variable is in C.
enum Name {
    /// An integer, and its expression.
    Integer(String),
    Mutex(GlobalId),
    Created(TemplateId),
}

struct Writer<'a> {
    program: &'a Program,
    system: &'a System,
    names: BTreeMap<Term, (SharedId, Name)>,
    ghosts: BTreeMap<GhostKey, Ghost>,
}

impl Writer<'_> {
    /// A truth value, or its negation, in C; or something that follows from it. `None`: nothing does.
    fn truth(&mut self, term: Term, negated: bool) -> Option<Said> {
        let terms = &self.system.terms;
        match terms.node(term) {
            Node::Const { .. } => None,
            Node::Not(inner) => self.truth(inner, !negated),
            Node::And(a, b) => match (self.truth(a, negated), self.truth(b, negated)) {
                (Some(a), Some(b)) => Some(a.with(if negated { "||" } else { "&&" }, b)),
                (one, other) if !negated => one.or(other),
                _ => None,
            },
            Node::Eq(a, b) if terms.bits(a) > 1 => {
                self.locked(a, b, negated).or_else(|| self.compared(a, if negated { "!=" } else { "==" }, b, false))
            }
            // Not (a < b) is b <= a.
            Node::Ult(a, b) => self.compared(a, if negated { ">=" } else { "<" }, b, false),
            Node::Slt(a, b) => self.compared(a, if negated { ">=" } else { "<" }, b, true),
            Node::Var { .. } => {
                let (shared, Name::Created(template)) = self.names.get(&term)? else { return None };
                let said = self.ghost(GhostKey::Created(*template), *shared)?;
                Some(if negated { Said { text: format!("!{}", said.text), ..said } } else { said })
            }
            Node::Eq(..) | Node::Xor(..) | Node::Ite(..) | Node::Extract { .. } => None,
            Node::Neg(_) | Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::Udiv(..) | Node::Sdiv(..) => None,
            Node::Urem(..) | Node::Srem(..) | Node::Shl(..) | Node::Lshr(..) | Node::Ashr(..) => None,
            Node::ZeroExtend { .. } | Node::SignExtend { .. } | Node::Concat(..) => None,
        }
    }

    /// The comparison of a mutex's word with 0.
    fn locked(&mut self, a: Term, b: Term, negated: bool) -> Option<Said> {
        let zero = |term: Term| matches!(self.system.terms.node(term), Node::Const { value: 0, .. });
        let word = if zero(b) { a } else { Some(b).filter(|_| zero(a))? };
        let (shared, Name::Mutex(global)) = self.names.get(&word)? else { return None };
        let said = self.ghost(GhostKey::Locked(*global), *shared)?;
        Some(if negated { said } else { Said { text: format!("!{}", said.text), ..said } })
    }

    fn compared(&mut self, a: Term, operator: &str, b: Term, is_signed: bool) -> Option<Said> {
        let bits = self.system.terms.bits(a);
        let ty = match (bits, is_signed) {
            (32, false) => "unsigned",
            (32, true) => "int",
            (64, false) => "unsigned long long",
            (64, true) => "long long",
            _ => return None,
        };
        let side = |said: Said| if is_signed { Said { text: format!("({ty})({})", said.text), ..said } } else { said };
        Some(side(self.number(a)?).with(operator, side(self.number(b)?)))
    }

    /// A number modulo two to the power of its bits, as an unsigned expression.
    fn number(&mut self, term: Term) -> Option<Said> {
        let terms = &self.system.terms;
        let bits = terms.bits(term);
        let (cast, suffix) = match bits {
            32 => ("unsigned", "U"),
            64 => ("unsigned long long", "ULL"),
            _ => return None,
        };
        match terms.node(term) {
            Node::Const { value, .. } => Some(Said::plain(match signed(bits, value) {
                negative if negative < 0 => format!("-{}{suffix}", negative.unsigned_abs()),
                value => format!("{value}{suffix}"),
            })),
            Node::Var { .. } => match self.names.get(&term)? {
                (_, Name::Integer(name)) => Some(Said::plain(format!("({cast}){name}"))),
                (_, Name::Mutex(_) | Name::Created(_)) => None,
            },
            Node::Add(a, b) => Some(self.number(a)?.with("+", self.number(b)?)),
            Node::Sub(a, b) => Some(self.number(a)?.with("-", self.number(b)?)),
            Node::Mul(a, b) => Some(self.number(a)?.with("*", self.number(b)?)),
            Node::Not(_) | Node::Neg(_) | Node::And(..) | Node::Xor(..) | Node::Udiv(..) | Node::Sdiv(..) => None,
            Node::Urem(..) | Node::Srem(..) | Node::Shl(..) | Node::Lshr(..) | Node::Ashr(..) | Node::Eq(..) => None,
            Node::Ult(..) | Node::Slt(..) | Node::Ite(..) | Node::ZeroExtend { .. } | Node::SignExtend { .. } => None,
            Node::Extract { .. } | Node::Concat(..) => None,
        }
    }

    /// The ghost as an expression. `None`: it changes where no line says so.
    fn ghost(&mut self, key: GhostKey, shared: SharedId) -> Option<Said> {
        if !self.ghosts.contains_key(&key) {
            let ghost = match &key {
                GhostKey::Created(template) => self.creation(*template)?,
                GhostKey::Locked(global) => self.lock(*global, shared)?,
            };
            self.ghosts.insert(key.clone(), ghost);
        }
        Some(Said { text: self.ghosts[&key].name.clone(), ghosts: BTreeSet::from([key]) })
    }

    fn creation(&self, template: TemplateId) -> Option<Ghost> {
        let mut updates = BTreeSet::new();
        for edge in self.system.templates.values().flat_map(|of| &of.edges) {
            if edge.spawns.iter().any(|spawn| spawn.template == template) {
                let (file, line) = line(self.program, edge.loc)?;
                updates.insert((file, line, 1));
            }
        }
        let name = format!("{}_created", word(&self.system.templates[template].name));
        Some(Ghost { name, of: GhostOf::Creation, updates: updates.into_iter().collect() })
    }

    fn lock(&self, global: GlobalId, shared: SharedId) -> Option<Ghost> {
        let mut updates = BTreeSet::new();
        for edge in self.system.templates.values().flat_map(|of| &of.edges) {
            for (_, value) in edge.updates.iter().filter(|(place, _)| *place == Place::Shared(shared)) {
                let is_free = matches!(self.system.terms.node(*value), Node::Const { value: 0, .. });
                let (file, line) = line(self.program, edge.loc)?;
                updates.insert((file, line, u32::from(!is_free)));
            }
        }
        let name = format!("{}_locked", word(&self.program.globals[global].name));
        Some(Ghost { name, of: GhostOf::Lock, updates: updates.into_iter().collect() })
    }
}

/// A name of which identifiers can be made.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn names(program: &Program, system: &System) -> BTreeMap<Term, (SharedId, Name)> {
    let created = |name: &str| {
        let template = name.strip_prefix("created(")?.strip_suffix(')')?;
        system.templates.keys().find(|id| system.templates[*id].name == template)
    };
    let mut names = BTreeMap::new();
    for (shared, variable) in &system.shared {
        let name = match variable.role {
            Role::Cell { global, offset } => cell(program, global, offset, variable.bits),
            Role::Ghost if variable.bits == 1 => created(&variable.name).map(Name::Created),
            Role::Ghost | Role::Object | Role::Register | Role::Number => None,
        };
        if let Some(name) = name {
            names.insert(variable.copies[0], (shared, name));
        }
    }
    names
}

/// What lies at an offset of a global, if that is an integer or a mutex.
fn cell(program: &Program, global: GlobalId, offset: u64, bits: u32) -> Option<Name> {
    let source = &program.source;
    let variable = &program.globals[global];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // Variables of functions have the function before their name.
    if variable.origin != Origin::User || variable.thread_local || !variable.name.chars().all(is_word) {
        return None;
    }
    let ty = variable.ty?;
    let is_mutex = matches!(&source.types[ty], DebugType::Named { name, .. } if name == "pthread_mutex_t");
    if is_mutex {
        return (offset == 0 && variable.init.iter().all(|byte| *byte == 0)).then_some(Name::Mutex(global));
    }
    let is_integer = integer_at(source, ty, offset) == Some(bits);
    is_integer.then(|| Name::Integer(source.path(&variable.name, Some(ty), offset, u64::from(bits / 8))))
}

/// The width of the integer that begins at an offset.
fn integer_at(source: &SourceMap, mut ty: TypeId, mut offset: u64) -> Option<u32> {
    for _ in 0..64 {
        match &source.types[source.strip(ty)] {
            DebugType::Int { bits, .. } | DebugType::Enum { bits, .. } => return (offset == 0).then_some(*bits),
            DebugType::Struct { fields, is_union: false, .. } => {
                let field = fields.iter().rev().find(|field| field.bit_offset / 8 <= offset)?;
                if field.bits.is_some() {
                    return None;
                }
                offset -= field.bit_offset / 8;
                ty = field.ty;
            }
            DebugType::Array { of, .. } => {
                offset = offset.checked_rem(source.size(*of))?;
                ty = *of;
            }
            DebugType::Unknown | DebugType::Bool | DebugType::Float { .. } | DebugType::Pointer { .. } => return None,
            DebugType::Function | DebugType::Struct { .. } | DebugType::Named { .. } => return None,
        }
    }
    None
}

fn line(program: &Program, loc: Loc) -> Option<(String, u32)> {
    loc.is_known().then(|| (program.source.files[loc.file].clone(), loc.line))
}

/// The functions that run if this one does, without those that its threads run.
fn called_from(program: &Program, start: FuncId) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::from([start]);
    let mut waiting = vec![start];
    while let Some(id) = waiting.pop() {
        for inst in program.functions[id].blocks.values().flat_map(|block| &block.insts) {
            let Op::Call { callee, .. } = &inst.op else { continue };
            match callee {
                Callee::Direct(called) if found.insert(*called) => waiting.push(*called),
                Callee::Direct(_) => {}
                // It may call any.
                Callee::Indirect(_) if program.functions[id].origin == Origin::User => {
                    return program.functions.keys().collect();
                }
                Callee::Indirect(_) => {}
            }
        }
    }
    found
}

/// The functions of the user that have code on each line.
fn functions_by_line(program: &Program) -> BTreeMap<(String, u32), Vec<FuncId>> {
    let mut by_line: BTreeMap<(String, u32), Vec<FuncId>> = BTreeMap::new();
    for (id, function) in &program.functions {
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            if let Some(line) = line(program, inst.loc).filter(|_| function.origin == Origin::User) {
                let known = by_line.entry(line).or_default();
                if !known.contains(&id) {
                    known.push(id);
                }
            }
        }
    }
    by_line.retain(|_, functions| functions.len() == 1);
    by_line
}
