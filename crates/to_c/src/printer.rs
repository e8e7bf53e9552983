//! Values on their way into statements.
//!
//! A value that is used once, before anything could change it, is written where it is used. Such values wait
//! here; when something is about to change what they read, they are written into a variable first.

use crate::context::{Context, Variable};
use crate::expression::{Expr, Level};
use crate::names::Names;
use crate::places::Address;
use crate::registers::{Fate, Registers, Storage};
use crate::types::CType;
use selvedge_analyze::Bits;
use selvedge_bound::{BlockId, Thread};
use selvedge_program::{EntityRef, Loc, Operand, Reg, SourceMap, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// Something short may be written more than once.
const SHORT: usize = 24;

#[derive(Clone)]
pub enum Value {
    Plain(Expr),
    Address(Address),
}

struct Waiting {
    reg: Reg,
    value: Value,
    uses: u32,
    /// The variables it is made of.
    reads: Vec<Reg>,
    memory: bool,
    loc: Loc,
}

/// One thread's function, while it is written.
pub struct Printer<'c, 'a> {
    pub cx: &'c mut Context<'a>,
    pub number: usize,
    pub thread: &'a Thread,
    pub registers: Registers,
    pub variables: BTreeMap<Reg, Variable>,
    names: Names,
    waiting: Vec<Waiting>,
    /// The piece of code that is being written.
    pub piece: Vec<(Loc, String)>,
    declared: Vec<Reg>,
    /// The registers that the expression under construction reads.
    reads: Vec<Reg>,
    memory: bool,
    pub loc: Loc,
    /// The step that is being printed.
    pub at: (BlockId, usize),
    /// If the run ends silently in it, only the thread is over.
    pub halts: bool,
    /// Is it only asked whether the thread waits?
    pub is_probe: bool,
    /// Registers that a probe writes.
    pub unbounded: BTreeSet<Reg>,
}

impl<'c, 'a> Printer<'c, 'a> {
    pub fn new(cx: &'c mut Context<'a>, number: usize, registers: Registers) -> Printer<'c, 'a> {
        let thread = &cx.facts.bounded.threads[number];
        let names = cx.names.clone();
        Printer {
            cx,
            number,
            thread,
            registers,
            variables: BTreeMap::new(),
            names,
            waiting: Vec::new(),
            piece: Vec::new(),
            declared: Vec::new(),
            reads: Vec::new(),
            memory: false,
            loc: SourceMap::NOWHERE,
            at: (BlockId::new(0), 0),
            halts: false,
            is_probe: false,
            unbounded: BTreeSet::new(),
        }
    }

    pub fn emit(&mut self, statement: String) {
        self.piece.push((self.loc, statement));
    }

    /// The statements of the piece that ends here, and whether it declares something.
    pub fn take_piece(&mut self) -> (Vec<(Loc, String)>, bool) {
        self.waiting.clear();
        let declares = !self.declared.is_empty();
        self.declared.clear();
        (std::mem::take(&mut self.piece), declares)
    }

    pub fn reg_ty(&self, reg: Reg) -> Ty {
        self.thread.regs[reg].ty
    }

    pub fn ty(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.reg_ty(reg),
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    pub fn bits(&self, operand: Operand) -> u32 {
        self.ty(operand).bits(self.cx.program().data_model)
    }

    // Reading.

    pub fn value(&mut self, operand: Operand) -> Expr {
        let expr = self.stored_value(operand);
        match (expr.ty, self.ty(operand)) {
            (CType::Bool, Ty::Int(bits)) if bits > 1 => Expr { ty: CType::signed(u32::from(bits)), ..expr },
            _ => expr,
        }
    }

    /// As above, but a value that is always 0 or 1 is still a `_Bool`.
    pub fn stored_value(&mut self, operand: Operand) -> Expr {
        match operand {
            Operand::Reg(reg) => match self.taken(reg) {
                Some(Value::Plain(expr)) => expr,
                Some(Value::Address(address)) => self.cx.value_of(address),
                None => self.read(reg),
            },
            Operand::Global { id, offset } => {
                let address = self.cx.address_of_object(id, offset);
                self.cx.value_of(address)
            }
            constant => self.cx.constant(constant),
        }
    }

    pub fn address(&mut self, operand: Operand) -> Address {
        match operand {
            Operand::Reg(reg) => match self.taken(reg) {
                Some(Value::Address(address)) => address,
                Some(Value::Plain(expr)) => self.pointer(reg, expr),
                None => {
                    let variable = self.read(reg);
                    self.pointer(reg, variable)
                }
            },
            Operand::Global { id, offset } => self.cx.address_of_object(id, offset),
            constant => {
                let expr = self.cx.nowhere(constant);
                self.cx.address_of_pointer(expr)
            }
        }
    }

    fn pointer(&mut self, reg: Reg, expr: Expr) -> Address {
        match (expr.ty, self.registers.pointees[reg.index()]) {
            (CType::Pointer(None), Some(to)) if self.cx.types.size(to) > 0 => {
                let expr = self.cx.pointer_to(expr, to);
                self.cx.address_of_pointer(expr)
            }
            _ => self.cx.address_of_pointer(expr),
        }
    }

    fn read(&mut self, reg: Reg) -> Expr {
        self.reads.push(reg);
        let ty = CType::of(self.reg_ty(reg));
        let Variable { name, ty } = self.variable(reg, ty);
        let variable = Expr::new(name, Level::Primary, ty);
        match self.narrow(reg, ty) {
            Some(_) => self.cx.widened(variable),
            None => variable,
        }
    }

    /// How many bits a variable needs that is kept for longer, if that is fewer than it has. What a probe reads comes
    /// behind the last round, of which intervals know nothing.
    pub fn narrow(&self, reg: Reg, ty: CType) -> Option<Bits> {
        let storage = self.registers.storage[reg.index()];
        let is_kept = matches!(storage, Storage::Local | Storage::Static);
        self.cx.widths.register(self.number, reg, ty).filter(|_| is_kept && !self.unbounded.contains(&reg))
    }

    /// A value that waits, for one use.
    fn taken(&mut self, reg: Reg) -> Option<Value> {
        let index = self.waiting.iter().position(|waiting| waiting.reg == reg)?;
        let waiting = &mut self.waiting[index];
        waiting.uses -= 1;
        self.memory |= waiting.memory;
        self.reads.extend_from_slice(&waiting.reads);
        let value = waiting.value.clone();
        if waiting.uses == 0 {
            self.waiting.remove(index);
        }
        Some(value)
    }

    /// Notes that the expression under construction reads memory.
    pub fn note_memory(&mut self) {
        self.memory = true;
    }

    // Writing.

    /// The variable for a register, of the type that its debug information or its first value suggests.
    pub fn variable(&mut self, reg: Reg, suggested: CType) -> Variable {
        if let Some(known) = self.variables.get(&reg).or(self.cx.arguments.get(&(self.number, reg))) {
            return known.clone();
        }
        let info = &self.thread.regs[reg];
        let wanted = info.name.clone().unwrap_or_else(|| format!("r{}", reg.index()));
        let known = info.debug.and_then(|debug| self.cx.types.scalar(debug)).filter(|ty| same_kind(*ty, info.ty));
        let ty = known.or(same_kind(suggested, info.ty).then_some(suggested)).unwrap_or(CType::of(info.ty));
        let ty = match (ty, self.registers.pointees[reg.index()]) {
            (CType::Pointer(None), Some(to)) => CType::Pointer(Some(to)),
            (ty, _) => ty,
        };
        let variable = Variable { name: self.names.fresh(&wanted), ty };
        self.variables.insert(reg, variable.clone());
        variable
    }

    /// A register gets a value, of which this will become.
    pub fn set(&mut self, reg: Reg, value: Value, fate: Fate) {
        let (reads, memory) = (std::mem::take(&mut self.reads), std::mem::take(&mut self.memory));
        if fate == Fate::default() {
            self.waiting.retain(|waiting| waiting.reg != reg);
            return;
        }
        let is_short = match &value {
            Value::Plain(expr) => !memory && expr.level >= Level::Unary && expr.text.len() <= SHORT,
            Value::Address(_) => !memory,
        };
        let storage = self.registers.storage[reg.index()];
        if !fate.escapes && (fate.uses == 1 || is_short) && storage != Storage::Argument {
            self.waiting.retain(|waiting| waiting.reg != reg);
            self.waiting.push(Waiting { reg, value, uses: fate.uses, reads, memory, loc: self.loc });
        } else {
            let expr = match value {
                Value::Plain(expr) => expr,
                Value::Address(address) => self.cx.value_of(address),
            };
            self.assign(reg, &expr);
        }
    }

    /// The register's variable gets the value now.
    pub fn assign(&mut self, reg: Reg, expr: &Expr) {
        self.waiting.retain(|waiting| waiting.reg != reg);
        self.flush(|waiting| waiting.reads.contains(&reg));
        let variable = self.variable(reg, expr.ty);
        let value = self.converted(expr.clone(), variable.ty);
        if self.registers.storage[reg.index()] == Storage::Scoped && !self.declared.contains(&reg) {
            self.declared.push(reg);
            let declared = self.cx.variable(variable.ty, &variable.name);
            self.emit(format!("{declared} = {};", value.text));
        } else {
            self.emit(format!("{} = {};", variable.name, value.text));
        }
    }

    /// Memory is about to change.
    pub fn flush_memory(&mut self) {
        self.flush(|waiting| waiting.memory);
        self.reads.clear();
        self.memory = false;
    }

    fn flush(&mut self, which: impl Fn(&Waiting) -> bool) {
        let (out, kept): (Vec<Waiting>, Vec<Waiting>) = std::mem::take(&mut self.waiting).into_iter().partition(which);
        self.waiting = kept;
        let loc = self.loc;
        for waiting in out {
            self.loc = waiting.loc;
            let expr = match waiting.value {
                Value::Plain(expr) => expr,
                Value::Address(address) => self.cx.value_of(address),
            };
            self.assign(waiting.reg, &expr);
        }
        self.loc = loc;
    }

    /// As C's assignment to a variable of this type needs it.
    pub fn converted(&mut self, expr: Expr, to: CType) -> Expr {
        match (expr.ty, to) {
            (CType::Pointer(_), CType::Pointer(to)) => self.cx.pointer_as(expr, to),
            // Same width: C converts without loss. An odd width is unsigned.
            (CType::Int { bits, .. }, CType::Int { bits: wide, signed }) if bits != wide => expr.resized(wide, signed),
            _ => expr,
        }
    }
}

/// Can a register of this type live in such a variable?
pub fn same_kind(ty: CType, of: Ty) -> bool {
    match (ty, of) {
        (CType::Bool, Ty::Int(1)) => true,
        (CType::Int { bits, .. }, Ty::Int(width)) => bits == u32::from(width) && width > 1,
        (CType::Float, Ty::F32) | (CType::Double, Ty::F64) | (CType::Pointer(_), Ty::Ptr) => true,
        _ => false,
    }
}
