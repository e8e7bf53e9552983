//! State that all parts of a file share while it is printed: types, names, objects.

use crate::Options;
use crate::buffers::Buffers;
use crate::code::Code;
use crate::declare::Declarations;
use crate::expression::{Expr, Level, literal};
use crate::names::Names;
use crate::objects::{Object, Objects, objects, sized};
use crate::printer::same_kind;
use crate::types::{CType, Types};
use crate::unused::used_registers;
use crate::widths::{Widths, needs_cast};
use selvedge_analyze::{Bits, Facts, Intervals};
use selvedge_program::{EntityRef, FuncId, GlobalId, Operand, Program, Property, Reg, Ty, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// The variable for a register.
#[derive(Clone)]
pub struct Variable {
    pub name: String,
    pub ty: CType,
}

pub struct Context<'a> {
    pub facts: &'a Facts<'a>,
    pub options: &'a Options,
    pub types: Types,
    pub names: Names,
    pub declarations: Declarations,
    pub objects: Objects,
    /// Functions whose addresses are used.
    pub functions: BTreeMap<FuncId, String>,
    /// The parameters of threads that are used.
    pub arguments: BTreeMap<(usize, Reg), Variable>,
    /// Objects whose size is known only at run time.
    pub sized: BTreeSet<GlobalId>,
    /// A pointer to nothing is used.
    pub uses_nowhere: bool,
    /// A place at which it cannot be told whether a thread waits, if there is one.
    pub unsure_at: Option<String>,
    pub widths: Widths<'a>,
    pub buffers: Buffers,
    /// Widths of the variables declared so far.
    pub bits: u64,
    pub bits_needed: u64,
}

impl<'a> Context<'a> {
    pub fn new(
        facts: &'a Facts<'a>,
        intervals: Option<&'a Intervals>,
        options: &'a Options,
        codes: &[Code],
        mortal: &[bool],
    ) -> Context<'a> {
        let program = facts.bounded.program;
        let mut types = Types::new(&program.source, program.data_model);
        let mut names = Names::default();
        let objects = objects(facts, codes, mortal, &mut types, &mut names);
        let intervals = intervals.filter(|_| options.backend.has_narrow_integers());
        let buffers = Buffers::new(facts, codes);
        // Slots may need the addresses of what they go to.
        let is_plain = |id: GlobalId, object: &Object| !object.mortal && !buffers.waits_for(facts, id);
        let lasting = objects.iter().filter(|(id, object)| is_plain(**id, object)).map(|(id, object)| (*id, object.ty));
        let widths = Widths::new(facts, codes, intervals, &types, lasting);
        let mut context = Context {
            facts,
            options,
            types,
            names,
            declarations: Declarations::default(),
            objects,
            functions: BTreeMap::new(),
            arguments: BTreeMap::new(),
            sized: sized(codes),
            uses_nowhere: false,
            unsure_at: None,
            widths,
            buffers,
            bits: 0,
            bits_needed: 0,
        };
        (0..facts.bounded.threads.len()).for_each(|thread| context.add_arguments(thread, codes));
        context
    }

    fn add_arguments(&mut self, thread: usize, codes: &[Code]) {
        let used = used_registers(self.facts, thread, codes);
        for param in &self.facts.bounded.threads[thread].params {
            if !used[param.index()] {
                continue;
            }
            let info = &self.facts.bounded.threads[thread].regs[*param];
            let known = info.debug.and_then(|debug| self.types.scalar(debug)).filter(|ty| same_kind(*ty, info.ty));
            let wanted = format!("{}_of_{thread}", info.name.as_deref().unwrap_or("argument"));
            let variable = Variable { name: self.names.fresh(&wanted), ty: known.unwrap_or(CType::of(info.ty)) };
            self.arguments.insert((thread, *param), variable);
        }
    }

    /// A pointer to nothing, for an access that must fail: a plain 0 would be refused.
    pub fn nowhere(&mut self, constant: Operand) -> Expr {
        match constant {
            Operand::Const { .. } => {
                self.uses_nowhere = true;
                Expr::new("nowhere", Level::Primary, CType::Pointer(None))
            }
            other => self.constant(other),
        }
    }

    pub fn program(&self) -> &'a Program {
        self.facts.bounded.program
    }

    pub fn checks(&self, property: Property) -> bool {
        self.options.properties.contains(property)
    }

    /// The name of a type.
    pub fn type_name(&mut self, ty: CType) -> String {
        self.declarations.scalar(&self.types, &mut self.names, ty, "")
    }

    /// A variable of a type, declared.
    pub fn variable(&mut self, ty: CType, name: &str) -> String {
        self.declarations.scalar(&self.types, &mut self.names, ty, name)
    }

    /// A variable of a type, with just so many bits.
    pub fn narrow(&mut self, ty: CType, bits: Bits, name: &str) -> String {
        let own = self.type_name(ty);
        let word = if bits.signed { "SIGNED" } else { "UNSIGNED" };
        format!("{word}({}, {own}) {name}", bits.count)
    }

    /// A variable with fewer bits than its type says, as a value of its type.
    pub fn widened(&mut self, expr: Expr) -> Expr {
        if !needs_cast(expr.ty) {
            return expr;
        }
        let name = self.type_name(expr.ty);
        Expr::new(format!("({name}){}", expr.tight()), Level::Unary, expr.ty)
    }

    /// For the record.
    pub fn count_bits(&mut self, declared: u64, needed: u64) {
        self.bits += declared;
        self.bits_needed += needed;
    }

    pub fn declare(&mut self, ty: TypeId, name: &str) -> String {
        self.declarations.declare(&self.types, &mut self.names, ty, name)
    }

    pub fn function(&mut self, id: FuncId) -> String {
        if let Some(name) = self.functions.get(&id) {
            return name.clone();
        }
        let wanted = format!("function_{}", self.program().functions[id].name);
        let name = self.names.fresh(&wanted);
        self.functions.insert(id, name.clone());
        name
    }

    pub fn constant(&mut self, operand: Operand) -> Expr {
        match operand {
            Operand::Const { ty: Ty::Int(1), bits } => Expr::new((bits & 1).to_string(), Level::Primary, CType::Bool),
            Operand::Const { ty: Ty::Int(bits), bits: value } => literal(u32::from(bits), value, bits < 128),
            Operand::Const { ty: Ty::F32, bits } => float(f64::from(f32::from_bits(bits as u32)), CType::Float),
            Operand::Const { ty: Ty::F64, bits } => float(f64::from_bits(bits as u64), CType::Double),
            Operand::Const { ty: Ty::Ptr, bits: 0 } => Expr::new("0", Level::Primary, CType::Pointer(None)),
            Operand::Const { ty: Ty::Ptr, bits } => {
                Expr::new(format!("(void *){bits}u"), Level::Unary, CType::Pointer(None))
            }
            Operand::Func(id) => {
                let name = self.function(id);
                Expr::new(format!("&{name}"), Level::Unary, CType::Pointer(None))
            }
            Operand::Reg(_) | Operand::Global { .. } => Expr::new("0", Level::Primary, CType::Pointer(None)),
        }
    }

    /// A pointer as one of another type. Nothing is needed where C converts by itself.
    pub fn pointer_as(&mut self, expr: Expr, to: Option<TypeId>) -> Expr {
        let CType::Pointer(from) = expr.ty else { return expr };
        let ty = CType::Pointer(to);
        if from.is_none() || to.is_none() || self.type_name(expr.ty) == self.type_name(ty) {
            return expr;
        }
        let name = self.type_name(ty);
        Expr::new(format!("({name}){}", expr.tight()), Level::Unary, ty)
    }

    /// As above, where C must know the type before it is used.
    pub fn pointer_to(&mut self, expr: Expr, to: TypeId) -> Expr {
        let ty = CType::Pointer(Some(to));
        if self.type_name(expr.ty) == self.type_name(ty) {
            return expr;
        }
        let name = self.type_name(ty);
        Expr::new(format!("({name}){}", expr.tight()), Level::Unary, ty)
    }
}

/// Exactly, whatever the number.
fn float(value: f64, ty: CType) -> Expr {
    let suffix = if ty == CType::Float { "f" } else { "" };
    let text = match value {
        value if value.is_nan() => format!("__builtin_nan{suffix}(\"\")"),
        value if value.is_infinite() => format!("__builtin_inf{suffix}()"),
        value => format!("{:?}{suffix}", value.abs()),
    };
    match value.is_sign_negative() && !value.is_nan() {
        true => Expr::new(format!("-{text}"), Level::Unary, ty),
        false => Expr::new(text, Level::Primary, ty),
    }
}
