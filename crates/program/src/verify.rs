//! Well-formedness. Every pass keeps these rules, and debug builds check after each one.
//!
//! 1. Whatever is named exists: registers, blocks, functions, globals, places, C types, files.
//! 2. Integers have 1 to 128 bits, and a constant fits its type.
//! 3. A function has a block to start in; its parameters are different registers, and so are the
//!    results of one operation.
//! 4. The types of operands and results fit the operation.
//! 5. A cast goes between types that it is for: extensions widen, truncations narrow, …
//! 6. A direct call passes what the callee takes and expects no more than it returns.
//! 7. A function returns what it says.
//! 8. A branch is on one bit; a switch is on an integer, each case fits it and stands there once.
//! 9. An intrinsic gets the arguments, and gives the result, that `selvedge.h` says.
//! 10. Initial bytes are not longer than their global; the pointers in them lie inside, do not
//!     overlap and are constants.
//! 11. Alignments are powers of two; padding lies inside of the stack object, in order.
//! 12. The entry takes no parameters, nor does a function that observes.
//!
//! Not required: that registers are assigned before they are read, or that atomic sections are
//! balanced.

mod operations;

use crate::ir::*;
use crate::source::{DebugType, Loc, TypeId};
use cranelift_entity::{EntityRef, PrimaryMap};
use std::collections::HashSet;
use std::fmt;

/// A rule that is broken, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The number of the rule.
    pub rule: u8,
    pub function: Option<FuncId>,
    pub block: Option<BlockId>,
    /// The index of the instruction in its block; of the terminator: how many there are.
    pub inst: Option<usize>,
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}", self.rule)?;
        if let Some(function) = self.function {
            write!(f, ", {function}")?;
        }
        if let Some(block) = self.block {
            write!(f, ", {block}")?;
        }
        if let Some(inst) = self.inst {
            write!(f, ", instruction {inst}")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// All violations of the rules, in program order.
pub fn verify(program: &Program) -> Vec<Problem> {
    let mut checker = Checker::new(program, program.globals.len());
    checker.debug_types();
    checker.entry();
    for global in program.globals.values() {
        checker.global(global);
    }
    for (id, function) in &program.functions {
        checker.place = (Some(id), None, None);
        checker.function(function);
    }
    checker.problems
}

/// Code that is no function of the program: a thread of the bounded program, with registers and globals of its own.
pub struct Elsewhere<'a> {
    pub program: &'a Program,
    pub regs: &'a PrimaryMap<Reg, RegInfo>,
    /// How many there are to refer to.
    pub globals: usize,
}

impl Elsewhere<'_> {
    pub fn op(&self, op: &Op) -> Vec<Problem> {
        self.check(|checker, types| checker.inst(types, op))
    }

    pub fn operand(&self, operand: Operand) -> Vec<Problem> {
        self.check(|checker, types| {
            let there = checker.operand(types, operand).is_some();
            checker.require(there, 1, "a register does not exist");
        })
    }

    /// Checks the operands that a terminator reads, not its targets.
    pub fn decision(&self, term: &Terminator) -> Vec<Problem> {
        self.check(|checker, types| checker.decision(types, &[], term))
    }

    pub fn regs(&self) -> Vec<Problem> {
        self.check(|checker, types| checker.regs(types))
    }

    /// The C type of an object, its padding, and a position.
    pub fn object(&self, size: u64, ty: Option<TypeId>, padding: &[(u32, u32)], loc: Loc) -> Vec<Problem> {
        self.check(|checker, _| {
            checker.debug(ty);
            checker.padding(Operand::int(64, u128::from(size)), padding);
            checker.loc(loc);
        })
    }

    fn check(&self, check: impl FnOnce(&mut Checker, &Types)) -> Vec<Problem> {
        let mut checker = Checker::new(self.program, self.globals);
        check(&mut checker, &Types { regs: self.regs });
        checker.problems
    }
}

struct Checker<'a> {
    program: &'a Program,
    /// How many globals there are.
    globals: usize,
    place: (Option<FuncId>, Option<BlockId>, Option<usize>),
    problems: Vec<Problem>,
}

/// The type that an operand must have.
#[derive(Clone, Copy)]
enum Kind {
    Exactly(Ty),
    Int,
    Float,
    IntOrPtr,
}

use Kind::{Exactly, Float, Int, IntOrPtr};

impl Kind {
    fn fits(self, ty: Ty) -> bool {
        match self {
            Exactly(wanted) => ty == wanted,
            Int => matches!(ty, Ty::Int(_)),
            Float => matches!(ty, Ty::F32 | Ty::F64),
            IntOrPtr => matches!(ty, Ty::Int(_) | Ty::Ptr),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exactly(ty) => write!(f, "{ty:?}"),
            Int => f.write_str("an integer"),
            Float => f.write_str("a float"),
            IntOrPtr => f.write_str("an integer or a pointer"),
        }
    }
}

const PTR: Kind = Exactly(Ty::Ptr);
const BOOL: Kind = Exactly(Ty::BOOL);

impl<'a> Checker<'a> {
    fn new(program: &'a Program, globals: usize) -> Checker<'a> {
        Checker { program, globals, place: (None, None, None), problems: vec![] }
    }

    fn problem(&mut self, rule: u8, text: impl Into<String>) {
        let (function, block, inst) = self.place;
        self.problems.push(Problem { rule, function, block, inst, text: text.into() });
    }

    fn require(&mut self, holds: bool, rule: u8, text: &str) {
        if !holds {
            self.problem(rule, text);
        }
    }

    fn loc(&mut self, loc: Loc) {
        let exists = !loc.is_known() || self.program.source.files.get(loc.file).is_some();
        self.require(exists, 1, "the position is in a file that does not exist");
    }

    fn debug(&mut self, ty: Option<TypeId>) {
        let exists = ty.is_none_or(|ty| self.program.source.types.get(ty).is_some());
        self.require(exists, 1, "the C type does not exist");
    }

    fn access(&mut self, place: Option<PlaceId>) {
        let exists = place.is_none_or(|place| self.program.places.get(place).is_some());
        self.require(exists, 1, "the place does not exist");
    }

    fn ty(&mut self, ty: Ty) {
        self.require(!matches!(ty, Ty::Int(0 | 129..)), 2, "an integer has 1 to 128 bits");
    }

    fn align(&mut self, align: u32) {
        self.require(align.is_power_of_two(), 11, "the alignment is no power of two");
    }

    fn debug_types(&mut self) {
        for ty in self.program.source.types.values() {
            match ty {
                DebugType::Pointer { to: of } | DebugType::Array { of, .. } | DebugType::Named { of, .. } => {
                    self.debug(Some(*of));
                }
                DebugType::Struct { fields, .. } => fields.iter().for_each(|f| self.debug(Some(f.ty))),
                _ => {}
            }
        }
    }

    fn entry(&mut self) {
        match self.program.functions.get(self.program.entry) {
            None => self.problem(1, "the entry does not exist"),
            Some(entry) => self.require(entry.params.is_empty(), 12, "the entry takes parameters"),
        }
        for observer in self.program.observers.all() {
            match self.program.functions.get(observer.function) {
                None => self.problem(1, format!("the observer {} does not exist", observer.name)),
                Some(function) => {
                    self.require(function.params.is_empty(), 12, &format!("{} takes parameters", observer.name));
                }
            }
        }
        for unmodelled in &self.program.unmodelled {
            self.loc(unmodelled.loc);
        }
    }

    fn global(&mut self, global: &Global) {
        let name = &global.name;
        self.loc(global.loc);
        self.debug(global.ty);
        self.align(global.align);
        if global.init.len() as u64 > global.size {
            self.problem(10, format!("the initial bytes of {name} are more than {}", global.size));
        }
        let mut ends = 0;
        let mut relocations = global.relocations.clone();
        relocations.sort_by_key(|r| r.at);
        for relocation in relocations {
            let end = relocation.at.saturating_add(u64::from(relocation.bytes));
            if end > global.size {
                self.problem(10, format!("a pointer in {name} lies outside of it"));
            }
            if relocation.at < ends {
                self.problem(10, format!("two pointers in {name} overlap"));
            }
            ends = end;
            match relocation.target {
                Operand::Reg(_) => self.problem(10, format!("a pointer in {name} is no constant")),
                target => {
                    self.operand(&Types { regs: &PrimaryMap::new() }, target);
                }
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.loc(function.loc);
        self.require(!function.blocks.is_empty(), 3, "the function has no block");
        let mut seen = HashSet::new();
        for param in &function.params {
            self.require(seen.insert(*param), 3, "a register is two parameters");
            self.require(param.index() < function.regs.len(), 1, "a parameter does not exist");
        }
        self.regs(&Types { regs: &function.regs });
        function.returns.iter().for_each(|ty| self.ty(*ty));
        for (id, block) in &function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                self.place = (self.place.0, Some(id), Some(index));
                self.loc(inst.loc);
                self.inst(&Types { regs: &function.regs }, &inst.op);
            }
            self.place = (self.place.0, Some(id), Some(block.insts.len()));
            self.loc(block.loc);
            self.terminator(function, &block.term);
        }
    }

    fn regs(&mut self, types: &Types) {
        for info in types.regs.values() {
            self.ty(info.ty);
            self.debug(info.debug);
        }
    }

    /// The operand's type, if it has one.
    fn operand(&mut self, types: &Types, operand: Operand) -> Option<Ty> {
        match operand {
            Operand::Reg(reg) => types.regs.get(reg).map(|info| info.ty),
            Operand::Const { ty, bits } => {
                self.ty(ty);
                let width = ty.bits(self.program.data_model);
                self.require(width >= 128 || bits >> width == 0, 2, "a constant does not fit its type");
                Some(ty)
            }
            Operand::Global { id, .. } => {
                self.require(id.index() < self.globals, 1, "a global does not exist");
                Some(Ty::Ptr)
            }
            Operand::Func(id) => {
                self.require(self.program.functions.get(id).is_some(), 1, "a function does not exist");
                Some(Ty::Ptr)
            }
        }
    }

    /// Whatever is named exists, results are different, and then the types.
    fn inst(&mut self, types: &Types, op: &Op) {
        let defs = op.defs();
        let mut all_there = true;
        op.for_each_use(|operand| {
            all_there &= self.operand(types, operand).is_some();
        });
        all_there &= defs.iter().all(|reg| types.regs.get(*reg).is_some());
        self.require(all_there, 1, "a register does not exist");
        let again = defs.iter().enumerate().any(|(i, reg)| defs[..i].contains(reg));
        self.require(!again, 3, "two results are one register");
        if all_there {
            self.op(types, op);
        }
    }

    fn terminator(&mut self, function: &Function, term: &Terminator) {
        for target in term.successors() {
            self.require(function.blocks.get(target).is_some(), 1, "a block does not exist");
        }
        self.decision(&Types { regs: &function.regs }, &function.returns, term);
    }

    /// The types of what a terminator reads, in code that returns these.
    fn decision(&mut self, types: &Types, returns: &[Ty], term: &Terminator) {
        let mut all_there = true;
        term.for_each_use(|operand| all_there &= self.operand(types, operand).is_some());
        if !all_there {
            return self.problem(1, "a register does not exist");
        }
        match term {
            Terminator::Branch { cond, .. } => self.expect(8, "the condition", types.of(*cond), BOOL),
            Terminator::Switch { value, cases, .. } => {
                let ty = types.of(*value);
                self.expect(8, "the value", ty, Int);
                let width = ty.bits(self.program.data_model);
                let mut seen = HashSet::new();
                for (case, _) in cases {
                    self.require(width >= 128 || case >> width == 0, 8, "a case does not fit the value");
                    self.require(seen.insert(*case), 8, "a case stands there twice");
                }
            }
            Terminator::Return(values) => {
                self.require(values.len() == returns.len(), 7, "another number of values is returned");
                for (value, ty) in values.iter().zip(returns) {
                    self.expect(7, "a returned value", types.of(*value), Exactly(*ty));
                }
            }
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
}

/// Types in code whose registers are known to exist.
struct Types<'a> {
    regs: &'a PrimaryMap<Reg, RegInfo>,
}

impl Types<'_> {
    fn reg(&self, reg: Reg) -> Ty {
        self.regs[reg].ty
    }

    fn of(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }
}
