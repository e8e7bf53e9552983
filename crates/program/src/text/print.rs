//! Printing. Total: also a program that breaks every rule has a text.

use super::words::*;
use crate::ir::*;
use crate::source::{DebugType, FileId, Loc, SourceMap, TypeId};
use cranelift_entity::{EntityRef, PrimaryMap};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The column of source positions, unless the statement is longer.
const LOC_COLUMN: usize = 56;
const DECLARATION_WIDTH: usize = 100;

pub fn print(program: &Program) -> String {
    let names =
        program.functions.values().map(|f| f.name.as_str()).chain(program.globals.values().map(|g| g.name.as_str()));
    let globals = labels(names.map(Some)).split_off(program.functions.len());
    let mut printer = Printer::new(program, globals);
    // Writing to a string does not fail.
    let _ = printer.program();
    printer.out
}

/// One unique label for each name; see the conventions in [`super`].
pub fn labels<'a>(names: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let mut seen = HashSet::new();
    names
        .enumerate()
        .map(|(index, name)| match name {
            None => index.to_string(),
            Some(name) if seen.insert(name) => label(name),
            Some(name) => format!("{}~{index}", label(name)),
        })
        .collect()
}

/// Prints operations, and collects what it printed.
pub struct Printer<'a> {
    program: &'a Program,
    functions: Vec<String>,
    /// The labels of what `Operand::Global` refers to.
    globals: Vec<String>,
    /// The number that a place's text stands for.
    places: HashMap<&'a str, PlaceId>,
    pub out: String,
}

/// The labels inside of one function or thread.
pub struct Scope {
    regs: Vec<String>,
    blocks: Vec<String>,
    /// The file whose name goes without saying.
    file: Option<FileId>,
}

/// The labels of a function's blocks.
pub fn block_labels(function: &Function) -> Vec<String> {
    labels(function.blocks.values().map(|b| Some(b.name.as_str()).filter(|n| !n.is_empty())))
}

impl Scope {
    pub fn new(regs: &PrimaryMap<Reg, RegInfo>, blocks: Vec<String>, file: Option<FileId>) -> Scope {
        Scope { regs: labels(regs.values().map(|r| r.name.as_deref())), blocks, file }
    }

    pub fn reg(&self, reg: Reg) -> String {
        match self.regs.get(reg.index()) {
            Some(label) => format!("%{label}"),
            None => format!("%#{}", reg.index()),
        }
    }

    fn regs(&self, regs: &[Reg]) -> String {
        regs.iter().map(|r| self.reg(*r)).collect::<Vec<_>>().join(", ")
    }

    pub fn block(&self, block: BlockId) -> String {
        self.blocks.get(block.index()).cloned().unwrap_or_else(|| format!("#{}", block.index()))
    }
}

impl<'a> Printer<'a> {
    pub fn new(program: &'a Program, globals: Vec<String>) -> Printer<'a> {
        let mut places = HashMap::new();
        for (id, place) in &program.places {
            places.entry(place.as_str()).or_insert(id);
        }
        let functions = labels(program.functions.values().map(|f| Some(f.name.as_str())));
        Printer { program, functions, globals, places, out: String::new() }
    }

    fn program(&mut self) -> std::fmt::Result {
        let program = self.program;
        let model = program.memory_model;
        let model = if model.has_buffers() { format!(" {}", model.name()) } else { String::new() };
        writeln!(self.out, "program {}{model} entry {}", program.data_model.name(), self.func(program.entry))?;
        for (id, path) in &program.source.files {
            writeln!(self.out, "file f{} {}", id.index(), quote(path))?;
        }
        for (id, ty) in &program.source.types {
            writeln!(self.out, "type t{} = {}", id.index(), debug_type(ty))?;
        }
        if !self.places_follow_from_use() {
            for (id, place) in &program.places {
                writeln!(self.out, "place p{} {}", id.index(), quote(place))?;
            }
        }
        for unmodelled in &program.unmodelled {
            writeln!(self.out, "unmodelled {}{}", quote(&unmodelled.name), at(unmodelled.loc, None))?;
        }
        for assumption in &program.assumptions {
            let details: String =
                assumption.details().into_iter().map(|detail| format!(" {}", quote(&detail))).collect();
            writeln!(self.out, "assumption {}{details}", quote(assumption.kind()))?;
        }
        self.observers()?;
        for (id, global) in &program.globals {
            self.global(id, global)?;
        }
        for (id, function) in &program.functions {
            self.function(id, function)?;
        }
        Ok(())
    }

    fn observers(&mut self) -> std::fmt::Result {
        let observers = &self.program.observers;
        let invariants = observers.invariants.iter().map(|o| ("invariant", o));
        let propositions = observers.propositions.iter().map(|o| ("proposition", o));
        let abstraction = observers.abstraction.iter().map(|o| ("abstraction", o));
        for (word, observer) in invariants.chain(propositions).chain(abstraction) {
            writeln!(self.out, "{word} {} {}", quote(&observer.name), self.func(observer.function))?;
        }
        if let Some(name) = &observers.init {
            writeln!(self.out, "init {}", quote(name))?;
        }
        if let Some(specification) = &observers.specification {
            let fair = if specification.fair { " fair" } else { "" };
            writeln!(self.out, "ltl {}{fair}", quote(&specification.text))?;
        }
        Ok(())
    }

    /// Does numbering places by first use give the table, nothing missing and nothing twice?
    fn places_follow_from_use(&self) -> bool {
        let mut used = HashSet::new();
        let mut texts = HashSet::new();
        for inst in self.program.functions.values().flat_map(|f| f.blocks.values()).flat_map(|b| &b.insts) {
            let Some(place) = inst.op.place() else { continue };
            if used.contains(&place) {
                continue;
            }
            let new_text = self.program.places.get(place).is_some_and(|text| texts.insert(text));
            if place.index() != used.len() || !new_text {
                return false;
            }
            used.insert(place);
        }
        used.len() == self.program.places.len()
    }

    pub fn func(&self, id: FuncId) -> String {
        self.functions.get(id.index()).map_or_else(|| format!("@#fn{}", id.index()), |label| format!("@{label}"))
    }

    pub fn global_label(&self, id: GlobalId) -> String {
        self.globals.get(id.index()).map_or_else(|| format!("@#global{}", id.index()), |label| format!("@{label}"))
    }

    fn global(&mut self, id: GlobalId, global: &Global) -> std::fmt::Result {
        let mut line = format!("global {} {} align {}", self.global_label(id), global.size, global.align);
        for (flag, word) in [
            (global.origin == Origin::Model, " model"),
            (global.thread_local, " thread_local"),
            (global.constant, " constant"),
        ] {
            line.push_str(if flag { word } else { "" });
        }
        line.push_str(&optional_type(" type ", global.ty));
        if !global.init.is_empty() {
            line.push_str(" = \"");
            for byte in &global.init {
                write!(line, "{byte:02x}")?;
            }
            line.push('"');
        }
        if !global.relocations.is_empty() {
            let no_regs = Scope { regs: vec![], blocks: vec![], file: None };
            let all: Vec<_> = global
                .relocations
                .iter()
                .map(|r| format!("{}:{} {}", r.at, r.bytes, self.operand(&no_regs, r.target)))
                .collect();
            write!(line, " pointers [{}]", all.join(", "))?;
        }
        writeln!(self.out, "{line}{}", at(global.loc, None))
    }

    fn function(&mut self, id: FuncId, function: &Function) -> std::fmt::Result {
        let scope = Scope::new(&function.regs, block_labels(function), Some(function.loc.file));
        let returns: Vec<_> = function.returns.iter().map(|t| ty(*t)).collect();
        let returns = match returns.as_slice() {
            [] => String::new(),
            [one] => format!(" -> {one}"),
            many => format!(" -> ({})", many.join(", ")),
        };
        let model = if function.origin == Origin::Model { " model" } else { "" };
        let loc = at(function.loc, None);
        let head = format!("fn {}", self.func(id));
        self.head(&scope, &head, (&function.params, &function.regs), &format!("{returns}{model}{loc}"))?;
        for (id, block) in &function.blocks {
            writeln!(self.out, "{}:", scope.block(id))?;
            for inst in &block.insts {
                let text = self.op(&scope, &inst.op);
                self.statement(&text, &at(inst.loc, scope.file))?;
            }
            let text = self.terminator(&scope, &block.term);
            self.statement(&text, &at(block.loc, scope.file))?;
        }
        writeln!(self.out, "}}")
    }

    /// The head of a function or thread, and the declarations of its registers.
    pub fn head(
        &mut self,
        scope: &Scope,
        what: &str,
        (params, regs): (&[Reg], &PrimaryMap<Reg, RegInfo>),
        rest: &str,
    ) -> std::fmt::Result {
        // Parameters are declared in the head if they are the first registers, as they nearly always are.
        let in_head = params.iter().enumerate().all(|(i, r)| r.index() == i && i < regs.len());
        let labels: Vec<_> = params
            .iter()
            .map(|reg| match regs.get(*reg) {
                Some(info) if in_head => {
                    format!("{}: {}{}", scope.reg(*reg), ty(info.ty), optional_type(" ", info.debug))
                }
                _ => scope.reg(*reg),
            })
            .collect();
        writeln!(self.out, "\n{what}({}){rest} {{", labels.join(", "))?;
        self.declarations(scope, regs, if in_head { params.len() } else { 0 })
    }

    /// Registers in order, neighbours of one type on one line.
    fn declarations(&mut self, scope: &Scope, regs: &PrimaryMap<Reg, RegInfo>, skip: usize) -> std::fmt::Result {
        let mut line = String::new();
        let mut line_ty = None;
        for (reg, info) in regs.iter().skip(skip) {
            let text = format!("{}{}", scope.reg(reg), optional_type(": ", info.debug));
            if line_ty == Some(info.ty) && line.len() + text.len() < DECLARATION_WIDTH {
                write!(line, ", {text}")?;
            } else {
                if line_ty.is_some() {
                    writeln!(self.out, "  {line}")?;
                }
                line = format!("{} {text}", ty(info.ty));
                line_ty = Some(info.ty);
            }
        }
        if line_ty.is_some() {
            writeln!(self.out, "  {line}")?;
        }
        Ok(())
    }

    /// A line of code, and where it comes from.
    pub fn statement(&mut self, text: &str, loc: &str) -> std::fmt::Result {
        if loc.is_empty() { writeln!(self.out, "  {text}") } else { writeln!(self.out, "  {text:<LOC_COLUMN$}{loc}") }
    }

    pub fn operand(&self, scope: &Scope, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) => scope.reg(reg),
            Operand::Const { ty, bits } => constant(ty, bits),
            Operand::Global { id, offset: 0 } => self.global_label(id),
            Operand::Global { id, offset } => format!("{}{offset:+}", self.global_label(id)),
            Operand::Func(id) => self.func(id),
        }
    }

    pub fn operands(&self, scope: &Scope, operands: &[Operand]) -> String {
        operands.iter().map(|o| self.operand(scope, *o)).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, place: Option<PlaceId>) -> String {
        let Some(place) = place else { return String::new() };
        match self.program.places.get(place) {
            Some(text) if self.places.get(text.as_str()) == Some(&place) => format!(" {}", quote(text)),
            _ => format!(" p{}", place.index()),
        }
    }

    fn computation(&self, scope: &Scope, computation: &Computation) -> String {
        let o = |operand: &Operand| self.operand(scope, *operand);
        let list = |operands: &[Operand]| self.operands(scope, operands);
        match computation {
            Computation::Copy { src, .. } => format!("copy {}", o(src)),
            Computation::Binary { op, a, b, checked, .. } => {
                let checked = if *checked { " checked" } else { "" };
                format!("{}{checked} {}", op.name(), list(&[*a, *b]))
            }
            Computation::Overflowing { op, signed, a, b, .. } => {
                let sign = if *signed { "signed" } else { "unsigned" };
                format!("overflowing {sign} {} {}", op.name(), list(&[*a, *b]))
            }
            Computation::Unary { op, a, .. } => format!("{} {}", op.name(), o(a)),
            Computation::Compare { op, a, b, .. } => format!("{} {}", op.name(), list(&[*a, *b])),
            Computation::FloatBinary { op, a, b, .. } => format!("{} {}", op.name(), list(&[*a, *b])),
            Computation::FloatUnary { op, a, .. } => format!("{} {}", op.name(), o(a)),
            Computation::FloatCompare { op, a, b, .. } => format!("fcmp {} {}", op.name(), list(&[*a, *b])),
            Computation::Cast { cast, src, .. } => format!("{} {}", cast.name(), o(src)),
            Computation::Select { cond, a, b, .. } => format!("select {}", list(&[*cond, *a, *b])),
            Computation::Field { base, bytes, of, .. } => {
                format!("field {}, {bytes}{}", o(base), optional_type(" of ", *of))
            }
            Computation::Index { base, index, stride, bound, .. } => {
                let bound = bound.map_or(String::new(), |n| format!(" bound {n}"));
                format!("index {} stride {stride}{bound}", list(&[*base, *index]))
            }
        }
    }

    pub fn op(&self, scope: &Scope, op: &Op) -> String {
        let o = |operand: &Operand| self.operand(scope, *operand);
        let list = |operands: &[Operand]| self.operands(scope, operands);
        let right = match op {
            Op::Compute(computation) => self.computation(scope, computation),
            Op::Load { addr, access, place, .. } => format!("load{} {}{}", mode(*access), o(addr), self.place(*place)),
            Op::Store { ty: t, addr, value, access, place } => {
                format!("store{} {} {} to {}{}", mode(*access), ty(*t), o(value), o(addr), self.place(*place))
            }
            Op::Rmw { op, addr, value, order, place, .. } => {
                let (op, order) = (op.name(), orders(&[*order]));
                format!("rmw {op}{order} {}{}", list(&[*addr, *value]), self.place(*place))
            }
            Op::CmpXchg { addr, expected, new, orders: (success, failure), place, .. } => {
                let orders = orders(&[*success, *failure]);
                format!("cmpxchg{orders} {}{}", list(&[*addr, *expected, *new]), self.place(*place))
            }
            Op::Fence { order } => format!("fence{}", orders(&[*order])),
            Op::Alloca { size, align, var, ty, padding, .. } => {
                let var = var.as_ref().map_or(String::new(), |v| format!(" var {}", quote(v)));
                format!("alloca {} align {align}{var}{}", o(size), object_type(*ty, padding))
            }
            Op::StackSave { .. } => "stack_save".to_string(),
            Op::StackRestore { mark } => format!("stack_restore {}", o(mark)),
            Op::MemCopy { dst, src, len, may_overlap } => {
                format!("{} {}", if *may_overlap { "memmove" } else { "memcopy" }, list(&[*dst, *src, *len]))
            }
            Op::MemSet { dst, byte, len } => format!("memset {}", list(&[*dst, *byte, *len])),
            Op::Call { callee, args, .. } => match callee {
                Callee::Direct(id) => format!("call {}({})", self.func(*id), list(args)),
                Callee::Indirect(target) => format!("call *{}({})", o(target), list(args)),
            },
            Op::Nondet { range, input, .. } => {
                let (word, text) = match input {
                    Input::Call(text) => ("call", text),
                    Input::Uninitialised(text) => ("uninitialised", text),
                    Input::Unmodelled(text) => ("unmodelled", text),
                };
                let range = range.map_or(String::new(), |(low, high)| format!(" in [{}]", list(&[low, high])));
                format!("nondet {word} {}{range}", quote(text))
            }
            Op::Intrinsic { which, args, .. } => format!("{}({})", which.name(), list(args)),
            Op::Violation { property, text } => format!("violation {} {}", property.name(), quote(text)),
            Op::Unsupported { what } => format!("unsupported {}", quote(what)),
        };
        match op.defs().as_slice() {
            [] => right,
            defs => format!("{} = {right}", scope.regs(defs)),
        }
    }

    pub fn terminator(&self, scope: &Scope, term: &Terminator) -> String {
        match term {
            Terminator::Jump(target) => format!("jump {}", scope.block(*target)),
            Terminator::Branch { cond, then, otherwise } => {
                format!("branch {}, {}, {}", self.operand(scope, *cond), scope.block(*then), scope.block(*otherwise))
            }
            Terminator::Switch { value, cases, default } => {
                let cases: Vec<_> = cases.iter().map(|(v, target)| format!("{v}: {}", scope.block(*target))).collect();
                format!("switch {} [{}], {}", self.operand(scope, *value), cases.join(", "), scope.block(*default))
            }
            Terminator::Return(values) if values.is_empty() => "return".to_string(),
            Terminator::Return(values) => format!("return {}", self.operands(scope, values)),
            Terminator::Unreachable => "unreachable".to_string(),
        }
    }
}

fn mode(access: Access) -> String {
    match access {
        Access::Plain => String::new(),
        Access::Volatile => " volatile".to_string(),
        Access::Atomic(MemoryOrder::SeqCst) => " atomic".to_string(),
        Access::Atomic(order) => format!(" {}", order.name()),
    }
}

/// The orders, unless all of them are the strongest.
fn orders(orders: &[MemoryOrder]) -> String {
    match orders.iter().all(|order| *order == MemoryOrder::SeqCst) {
        true => String::new(),
        false => orders.iter().map(|order| format!(" {}", order.name())).collect(),
    }
}

fn ty(ty: Ty) -> String {
    match ty {
        Ty::Int(bits) => format!("i{bits}"),
        Ty::F32 => "f32".to_string(),
        Ty::F64 => "f64".to_string(),
        Ty::Ptr => "ptr".to_string(),
    }
}

fn constant(t: Ty, bits: u128) -> String {
    let finite = match t {
        Ty::Ptr if bits == 0 => return "null".to_string(),
        Ty::Int(1) if bits <= 1 => return (bits == 1).to_string(),
        Ty::Int(width @ 1..=128) if width == 128 || bits >> width == 0 => {
            let unused = 128 - u32::from(width);
            return format!("{}i{width}", (bits << unused) as i128 >> unused);
        }
        Ty::F64 => u64::try_from(bits).ok().map(f64::from_bits).filter(|v| v.is_finite()).map(|v| format!("{v:?}")),
        Ty::F32 => u32::try_from(bits).ok().map(f32::from_bits).filter(|v| v.is_finite()).map(|v| format!("{v:?}")),
        _ => None,
    };
    finite.unwrap_or_else(|| format!("{bits:#x}")) + &ty(t)
}

/// ` at f0:3:2`, without the file if it is the expected one; nothing for nowhere.
pub fn at(loc: Loc, file: Option<FileId>) -> String {
    if loc == SourceMap::NOWHERE {
        return String::new();
    }
    let file = if file == Some(loc.file) { String::new() } else { format!("f{}:", loc.file.index()) };
    let column = if loc.column == 0 { String::new() } else { format!(":{}", loc.column) };
    format!(" at {file}{}{column}", loc.line)
}

pub fn optional_type(before: &str, ty: Option<TypeId>) -> String {
    ty.map_or(String::new(), |t| format!("{before}t{}", t.index()))
}

/// The C type of an object, and its padding.
pub fn object_type(ty: Option<TypeId>, padding: &[(u32, u32)]) -> String {
    let mut text = optional_type(" type ", ty);
    if !padding.is_empty() {
        let all: Vec<_> = padding.iter().map(|(start, end)| format!("{start}:{end}")).collect();
        text.push_str(&format!(" padding [{}]", all.join(", ")));
    }
    text
}

fn debug_type(ty: &DebugType) -> String {
    match ty {
        DebugType::Unknown => "unknown".to_string(),
        DebugType::Int { name, bits, signed } => {
            format!("int {} {bits} {}", quote(name), if *signed { "signed" } else { "unsigned" })
        }
        DebugType::Bool => "bool".to_string(),
        DebugType::Float { name, bits } => format!("float {} {bits}", quote(name)),
        DebugType::Pointer { to } => format!("pointer t{}", to.index()),
        DebugType::Function => "function".to_string(),
        DebugType::Array { of, count: Some(count) } => format!("array t{} count {count}", of.index()),
        DebugType::Array { of, count: None } => format!("array t{}", of.index()),
        DebugType::Struct { name, size, fields, is_union } => {
            let fields: Vec<_> = fields
                .iter()
                .map(|f| {
                    let bits = f.bits.map_or(String::new(), |n| format!(" bits {n}"));
                    format!("{}: t{} at {}{bits}", label(&f.name), f.ty.index(), f.bit_offset)
                })
                .collect();
            let word = if *is_union { "union" } else { "struct" };
            format!("{word} {} {size} {{ {} }}", quote(name), fields.join(", "))
        }
        DebugType::Enum { name, bits, values } => {
            let values: Vec<_> = values.iter().map(|(name, value)| format!("{} = {value}", label(name))).collect();
            format!("enum {} {bits} {{ {} }}", quote(name), values.join(", "))
        }
        DebugType::Named { name, of } => format!("named {} t{}", quote(name), of.index()),
    }
}
