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

use crate::ir::*;
use crate::source::{DebugType, Loc, TypeId};
use cranelift_entity::EntityRef;
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
    let mut checker = Checker { program, place: (None, None, None), problems: vec![] };
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

struct Checker<'a> {
    program: &'a Program,
    place: (Option<FuncId>, Option<BlockId>, Option<usize>),
    problems: Vec<Problem>,
}

/// What an operand's type must be.
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

/// The arguments and the result of an intrinsic.
fn signature(which: Intrinsic) -> (&'static [Kind], Option<Kind>) {
    match which {
        Intrinsic::Spawn => (&[PTR, PTR, PTR], Some(Int)),
        Intrinsic::SelfId | Intrinsic::Owner | Intrinsic::Threads => (&[], Some(Int)),
        Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created => (&[Int], Some(BOOL)),
        Intrinsic::ThreadExit
        | Intrinsic::ProcessExit
        | Intrinsic::Yield
        | Intrinsic::AtomicBegin
        | Intrinsic::AtomicEnd => (&[], None),
        Intrinsic::TlsOf => (&[Int, PTR], Some(PTR)),
        Intrinsic::BlockUntil | Intrinsic::Assume => (&[BOOL], None),
        Intrinsic::Alloc => (&[Int, Int], Some(PTR)),
        Intrinsic::Free => (&[PTR], None),
        Intrinsic::ObjectSize | Intrinsic::ObjectOffset | Intrinsic::SetJmp => (&[PTR], Some(Int)),
        Intrinsic::CheckRead | Intrinsic::CheckWrite => (&[PTR, Int], None),
        Intrinsic::LongJmp => (&[PTR, Int], None),
        Intrinsic::Acquired => (&[PTR, BOOL], None),
        Intrinsic::Released => (&[PTR], None),
        Intrinsic::WaitsFor => (&[PTR, Int], None),
    }
}

impl Checker<'_> {
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
                    self.operand(None, target);
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
        for info in function.regs.values() {
            self.ty(info.ty);
            self.debug(info.debug);
        }
        function.returns.iter().for_each(|ty| self.ty(*ty));
        for (id, block) in &function.blocks {
            for (index, inst) in block.insts.iter().enumerate() {
                self.place = (self.place.0, Some(id), Some(index));
                self.loc(inst.loc);
                self.inst(function, &inst.op);
            }
            self.place = (self.place.0, Some(id), Some(block.insts.len()));
            self.loc(block.loc);
            self.terminator(function, &block.term);
        }
    }

    /// The operand's type, if it has one.
    fn operand(&mut self, function: Option<&Function>, operand: Operand) -> Option<Ty> {
        match operand {
            Operand::Reg(reg) => function.and_then(|f| f.regs.get(reg)).map(|info| info.ty),
            Operand::Const { ty, bits } => {
                self.ty(ty);
                let width = ty.bits(self.program.data_model);
                self.require(width >= 128 || bits >> width == 0, 2, "a constant does not fit its type");
                Some(ty)
            }
            Operand::Global { id, .. } => {
                self.require(self.program.globals.get(id).is_some(), 1, "a global does not exist");
                Some(Ty::Ptr)
            }
            Operand::Func(id) => {
                self.require(self.program.functions.get(id).is_some(), 1, "a function does not exist");
                Some(Ty::Ptr)
            }
        }
    }

    /// Whatever is named exists, results are different, and then the types.
    fn inst(&mut self, function: &Function, op: &Op) {
        let defs = op.defs();
        let mut all_there = true;
        op.for_each_use(|operand| {
            self.operand(Some(function), operand);
            all_there &= !matches!(operand, Operand::Reg(reg) if function.regs.get(reg).is_none());
        });
        all_there &= defs.iter().all(|reg| function.regs.get(*reg).is_some());
        self.require(all_there, 1, "a register does not exist");
        let again = defs.iter().enumerate().any(|(i, reg)| defs[..i].contains(reg));
        self.require(!again, 3, "two results are one register");
        if all_there {
            self.op(&Types { program: self.program, function }, op);
        }
    }

    fn expect(&mut self, rule: u8, what: &str, found: Ty, wanted: Kind) {
        if !wanted.fits(found) {
            self.problem(rule, format!("{what} is {found:?}, not {wanted}"));
        }
    }

    fn op(&mut self, types: &Types, op: &Op) {
        let reg = |reg: Reg| types.reg(reg);
        let of = |operand: &Operand| types.of(*operand);
        // Two operands and a result of one type.
        let alike = |checker: &mut Self, dst: Reg, operands: &[&Operand], kind: Kind| {
            checker.expect(4, "the result", reg(dst), kind);
            for operand in operands {
                checker.expect(4, "an operand", of(operand), Exactly(reg(dst)));
            }
        };
        match op {
            Op::Copy { dst, src } => self.expect(4, "the source", of(src), Exactly(reg(*dst))),
            Op::Binary { dst, a, b, .. } => alike(self, *dst, &[a, b], Int),
            Op::Overflowing { dst, overflow, op, a, b, .. } => {
                self.require(matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul), 4, "only +, -, * can overflow here");
                alike(self, *dst, &[a, b], Int);
                self.expect(4, "the overflow", reg(*overflow), BOOL);
            }
            Op::Unary { dst, a, .. } => alike(self, *dst, &[a], Int),
            Op::Compare { dst, a, b, .. } => {
                self.expect(4, "the result", reg(*dst), BOOL);
                self.expect(4, "an operand", of(a), IntOrPtr);
                self.expect(4, "an operand", of(b), Exactly(of(a)));
            }
            Op::FloatBinary { dst, a, b, .. } => alike(self, *dst, &[a, b], Float),
            Op::FloatUnary { dst, a, .. } => alike(self, *dst, &[a], Float),
            Op::FloatCompare { dst, a, b, .. } => {
                self.expect(4, "the result", reg(*dst), BOOL);
                self.expect(4, "an operand", of(a), Float);
                self.expect(4, "an operand", of(b), Exactly(of(a)));
            }
            Op::Cast { dst, cast, src } => self.cast(*cast, of(src), reg(*dst)),
            Op::Select { dst, cond, a, b } => {
                self.expect(4, "the condition", of(cond), BOOL);
                alike(self, *dst, &[a, b], Exactly(reg(*dst)));
            }
            Op::Field { dst, base, of: ty, .. } => {
                self.debug(*ty);
                alike(self, *dst, &[base], PTR);
            }
            Op::Index { dst, base, index, .. } => {
                alike(self, *dst, &[base], PTR);
                self.expect(4, "the index", of(index), Int);
            }
            Op::Load { addr, place, .. } => {
                self.access(*place);
                self.expect(4, "the address", of(addr), PTR);
            }
            Op::Store { ty, addr, value, place, .. } => {
                self.access(*place);
                self.ty(*ty);
                self.expect(4, "the address", of(addr), PTR);
                self.expect(4, "the value", of(value), Exactly(*ty));
            }
            Op::Rmw { dst, op, addr, value, place } => {
                self.access(*place);
                self.expect(4, "the address", of(addr), PTR);
                let kind = match op {
                    RmwOp::Exchange => Exactly(reg(*dst)),
                    RmwOp::FAdd | RmwOp::FSub => Float,
                    _ => Int,
                };
                alike(self, *dst, &[value], kind);
            }
            Op::CmpXchg { old, success, addr, expected, new, place } => {
                self.access(*place);
                self.expect(4, "the address", of(addr), PTR);
                alike(self, *old, &[expected, new], IntOrPtr);
                self.expect(4, "the success", reg(*success), BOOL);
            }
            Op::Alloca { dst, size, align, ty, padding, .. } => {
                self.debug(*ty);
                self.align(*align);
                self.expect(4, "the result", reg(*dst), PTR);
                self.expect(4, "the size", of(size), Int);
                self.padding(*size, padding);
            }
            Op::StackSave { dst } => self.expect(4, "the mark", reg(*dst), IntOrPtr),
            Op::StackRestore { mark } => self.expect(4, "the mark", of(mark), IntOrPtr),
            Op::MemCopy { dst, src, len, .. } => {
                self.expect(4, "the destination", of(dst), PTR);
                self.expect(4, "the source", of(src), PTR);
                self.expect(4, "the length", of(len), Int);
            }
            Op::MemSet { dst, byte, len } => {
                self.expect(4, "the destination", of(dst), PTR);
                self.expect(4, "the byte", of(byte), Exactly(Ty::Int(8)));
                self.expect(4, "the length", of(len), Int);
            }
            Op::Call { dsts, callee: Callee::Direct(id), args } => self.call(types, dsts, *id, args),
            Op::Call { callee: Callee::Indirect(target), .. } => self.expect(4, "the callee", of(target), PTR),
            Op::Nondet { dst, range, .. } => {
                if let Some((low, high)) = range {
                    alike(self, *dst, &[low, high], Int);
                }
            }
            Op::Intrinsic { dst, which, args } => self.intrinsic(types, *dst, *which, args),
            Op::Fence | Op::Violation { .. } | Op::Unsupported { .. } => {}
        }
    }

    fn padding(&mut self, size: Operand, padding: &[(u32, u32)]) {
        let mut end = 0;
        for range in padding {
            self.require(end <= range.0 && range.0 < range.1, 11, "padding is empty or out of order");
            end = range.1;
        }
        if let Operand::Const { bits, .. } = size {
            self.require(u128::from(end) <= bits, 11, "padding lies outside of the object");
        }
    }

    fn cast(&mut self, cast: Cast, from: Ty, to: Ty) {
        let bits = |ty: Ty| ty.bits(self.program.data_model);
        let int = |ty| Int.fits(ty);
        let float = |ty| Float.fits(ty);
        let legal = match cast {
            Cast::ZeroExtend | Cast::SignExtend => int(from) && int(to) && bits(from) < bits(to),
            Cast::Truncate => int(from) && int(to) && bits(from) > bits(to),
            Cast::Reinterpret => from != Ty::Ptr && to != Ty::Ptr && bits(from) == bits(to),
            Cast::PtrToInt => from == Ty::Ptr && int(to),
            Cast::IntToPtr => int(from) && to == Ty::Ptr,
            Cast::FloatToSigned | Cast::FloatToUnsigned => float(from) && int(to),
            Cast::SignedToFloat | Cast::UnsignedToFloat => int(from) && float(to),
            Cast::FloatToFloat => float(from) && float(to),
        };
        if !legal {
            self.problem(5, format!("{cast:?} from {from:?} to {to:?}"));
        }
    }

    fn call(&mut self, types: &Types, dsts: &[Reg], id: FuncId, args: &[Operand]) {
        let Some(callee) = self.program.functions.get(id) else {
            return self.problem(1, "the callee does not exist");
        };
        if args.len() != callee.params.len() {
            self.problem(6, format!("{} takes {} arguments, not {}", callee.name, callee.params.len(), args.len()));
        }
        for (arg, param) in args.iter().zip(&callee.params) {
            if let Some(info) = callee.regs.get(*param) {
                self.expect(6, "an argument", types.of(*arg), Exactly(info.ty));
            }
        }
        self.require(dsts.len() <= callee.returns.len(), 6, "the call expects more than the callee returns");
        for (dst, ty) in dsts.iter().zip(&callee.returns) {
            self.expect(6, "a result", types.reg(*dst), Exactly(*ty));
        }
    }

    fn intrinsic(&mut self, types: &Types, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) {
        let (wanted, result) = signature(which);
        if args.len() != wanted.len() {
            self.problem(9, format!("{} takes {} arguments, not {}", which.name(), wanted.len(), args.len()));
        }
        for (arg, kind) in args.iter().zip(wanted) {
            self.expect(9, "an argument", types.of(*arg), *kind);
        }
        match (dst, result) {
            (Some(_), None) => self.problem(9, format!("{} has no result", which.name())),
            (Some(dst), Some(kind)) => self.expect(9, "the result", types.reg(dst), kind),
            (None, _) => {}
        }
    }

    fn terminator(&mut self, function: &Function, term: &Terminator) {
        for target in term.successors() {
            self.require(function.blocks.get(target).is_some(), 1, "a block does not exist");
        }
        let mut all_there = true;
        term.for_each_use(|operand| all_there &= self.operand(Some(function), operand).is_some());
        if !all_there {
            return self.problem(1, "a register does not exist");
        }
        let types = Types { program: self.program, function };
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
                self.require(values.len() == function.returns.len(), 7, "another number of values is returned");
                for (value, ty) in values.iter().zip(&function.returns) {
                    self.expect(7, "a returned value", types.of(*value), Exactly(*ty));
                }
            }
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
}

/// Types in a function whose registers are known to exist.
struct Types<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Types<'_> {
    fn reg(&self, reg: Reg) -> Ty {
        self.function.regs[reg].ty
    }

    fn of(&self, operand: Operand) -> Ty {
        self.program.type_of(self.function, operand)
    }
}
