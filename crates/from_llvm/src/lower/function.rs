//! One function: blocks in reverse postorder, so that every value is known before it is used.
//!
//! A construct that is not supported ends its block with [`Op::Unsupported`]; code that is reachable
//! only through it is not translated.

use std::collections::HashMap;
use std::rc::Rc;

use selvedge_program::{
    Block, BlockId, Computation, EntityRef, FuncId, Function, Input, Inst, Intrinsic, Loc, Op, Operand, Origin,
    PrimaryMap, Reg, RegInfo, SourceMap, Terminator, Ty,
};

use super::blocks::reverse_postorder;
use super::constants::Folded;
use super::debug::Variable;
use super::layout::Layout;
use super::lifetimes::OfBlocks;
use super::link::Key;
use super::places::Named;
use super::uses::Uses;
use super::{Context, Lowered, specials};
use crate::ll::{self, Constant, DebugKind, LocalId, Module, Type, Value};

/// CBMC alone takes the statement after such a label for a thread of its own.
const ASYNC_LABEL: &str = "__CPROVER_ASYNC";

pub fn empty(name: &str, origin: Origin) -> Function {
    Function {
        name: name.to_string(),
        origin,
        params: vec![],
        returns: vec![],
        regs: PrimaryMap::new(),
        blocks: PrimaryMap::new(),
        loc: SourceMap::NOWHERE,
    }
}

/// A function being translated.
pub struct Body<'c, 'm> {
    pub cx: &'c mut Context<'m>,
    pub unit: usize,
    pub module: &'m Module,
    pub layout: Rc<Layout<'m>>,
    pub source: &'m ll::Function,
    pub func: Function,
    /// The leaves of each LLVM register.
    pub values: Vec<Option<Vec<Operand>>>,
    /// The C expression of each LLVM register.
    pub names: Vec<Option<Named>>,
    /// C variables by the register that holds their address, or their value.
    pub addresses: HashMap<LocalId, Variable>,
    pub uses: Uses,
    /// Registers that point to the last field of a struct.
    pub last_fields: Vec<bool>,
    pub blocks: Vec<Option<BlockId>>,
    pub reached: Vec<bool>,
    pub current: BlockId,
    /// The current block has no terminator yet.
    pub open: bool,
    pub loc: Loc,
    /// Instructions that precede everything else in the entry block.
    pub prologue: Vec<Inst>,
    /// The address of the variadic arguments.
    pub variadic: Option<Reg>,
    pub atomic: bool,
    /// The block that leaves with an exception in flight.
    pub leaving: Option<BlockId>,
    pub of_blocks: OfBlocks,
}

/// Translates the function behind `key` into its placeholder.
pub fn lower(cx: &mut Context<'_>, id: FuncId, key: Key) {
    let function = std::mem::replace(&mut cx.functions[id], empty("", Origin::Model));
    let mut body = Body::new(cx, key, function);
    if body.source.is_declaration() || specials::is_special(&body.source.name) {
        body.lower_stub();
    } else {
        body.lower_blocks();
    }
    let function = body.finish();
    cx.functions[id] = function;
}

impl<'c, 'm> Body<'c, 'm> {
    pub fn new(cx: &'c mut Context<'m>, key: Key, mut func: Function) -> Body<'c, 'm> {
        let unit = &cx.units[key.unit];
        let source = cx.source_function(key);
        let loc = func.loc;
        let entry =
            func.blocks.push(Block { name: "entry".to_string(), insts: vec![], term: Terminator::Unreachable, loc });
        let atomic = unit.origin == Origin::User
            && source.name.starts_with("__VERIFIER_atomic")
            && !matches!(&*source.name, "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end");
        Body {
            unit: key.unit,
            module: &unit.module,
            layout: cx.layouts[key.unit].clone(),
            source,
            func,
            values: vec![None; source.locals.len()],
            names: vec![None; source.locals.len()],
            addresses: HashMap::new(),
            uses: Uses::of(source),
            last_fields: vec![false; source.locals.len()],
            blocks: vec![None; source.blocks.len()],
            reached: vec![false; source.blocks.len()],
            current: entry,
            open: true,
            loc,
            prologue: vec![],
            variadic: None,
            atomic,
            leaving: None,
            of_blocks: OfBlocks::default(),
            cx,
        }
    }

    /// Drops blocks that nothing jumps to any more, and puts the prologue in place.
    fn finish(mut self) -> Function {
        self.hoist_unmarked();
        let entry = BlockId::new(0);
        let prologue = std::mem::take(&mut self.prologue);
        self.func.blocks[entry].insts.splice(0..0, prologue);
        let mut live = vec![false; self.func.blocks.len()];
        let mut stack = vec![entry];
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut live[block.index()], true) {
                stack.extend(self.func.blocks[block].term.successors());
            }
        }
        let mut kept = PrimaryMap::new();
        let mut renumbered = vec![entry; live.len()];
        for (id, block) in std::mem::take(&mut self.func.blocks) {
            if live[id.index()] {
                renumbered[id.index()] = kept.push(block);
            }
        }
        for block in kept.values_mut() {
            block.term.for_each_target_mut(|target| *target = renumbered[target.index()]);
        }
        self.func.blocks = kept;
        self.func
    }

    // Registers, operations, blocks.

    pub fn reg(&mut self, ty: Ty) -> Reg {
        self.func.regs.push(RegInfo { ty, name: None, debug: None })
    }

    pub fn emit(&mut self, op: impl Into<Op>) {
        let loc = self.loc;
        self.func.blocks[self.current].insts.push(Inst { op: op.into(), loc });
    }

    /// Emits an operation with one result.
    pub fn value<O: Into<Op>>(&mut self, ty: Ty, op: impl FnOnce(Reg) -> O) -> Operand {
        let dst = self.reg(ty);
        self.emit(op(dst));
        Operand::Reg(dst)
    }

    pub fn end(&mut self, term: Terminator) {
        let loc = self.loc;
        let block = &mut self.func.blocks[self.current];
        block.term = term;
        block.loc = loc;
        self.open = false;
    }

    pub fn block(&mut self, name: &str) -> BlockId {
        let loc = self.loc;
        let block = Block { name: name.to_string(), insts: vec![], term: Terminator::Unreachable, loc };
        self.func.blocks.push(block)
    }

    pub fn ty(&self, operand: Operand) -> Ty {
        match operand {
            Operand::Reg(reg) => self.func.regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            Operand::Global { .. } | Operand::Func(_) => Ty::Ptr,
        }
    }

    pub fn intrinsic(&mut self, which: Intrinsic) {
        self.emit(Op::Intrinsic { dst: None, which, args: vec![] });
    }

    pub fn unsupported(&mut self, what: &str) {
        self.emit(Op::Unsupported { what: what.to_string() });
        self.end(Terminator::Unreachable);
    }

    pub fn nondet(&mut self, ty: Ty, input: Input) -> Operand {
        self.value(ty, |dst| Op::Nondet { dst, range: None, input })
    }

    pub fn undef(&mut self, ty: Ty) -> Operand {
        self.nondet(ty, Input::Uninitialised("undef".to_string()))
    }

    pub fn leaf_types(&mut self, ty: &Type) -> Lowered<Vec<Ty>> {
        if matches!(ty, Type::X86Fp80 | Type::Fp128) {
            self.cx.assume_long_double(self.unit);
        }
        self.layout.leaf_types(ty)
    }

    // Values.

    /// The leaves of an operand. IR may be user input, so their types are checked.
    pub fn leaves(&mut self, ty: &Type, value: &Value) -> Lowered<Vec<Operand>> {
        let leaves = match value {
            Value::Local(id) => (self.values.get(id.0 as usize).cloned().flatten())
                .ok_or_else(|| "a value that is used before it is defined".to_string())?,
            Value::Const(constant) => self.constant(ty, constant)?,
            Value::Asm(_) => return Err("inline assembly as a value".to_string()),
            Value::Metadata(_) => return Err("metadata as a value".to_string()),
        };
        let types = self.layout.leaf_types(ty)?;
        if types.len() != leaves.len() || types.iter().zip(&leaves).any(|(ty, leaf)| *ty != self.ty(*leaf)) {
            return Err("a value that is used at another type".to_string());
        }
        Ok(leaves)
    }

    /// The one leaf of a scalar operand.
    pub fn scalar(&mut self, ty: &Type, value: &Value) -> Lowered<Operand> {
        match self.leaves(ty, value)?.as_slice() {
            [one] => Ok(*one),
            _ => Err("an aggregate where a scalar is needed".to_string()),
        }
    }

    pub fn operand(&mut self, operand: &ll::Operand) -> Lowered<Operand> {
        self.scalar(&operand.ty, &operand.value)
    }

    fn constant(&mut self, ty: &Type, constant: &Constant) -> Lowered<Vec<Operand>> {
        let folded = match self.cx.fold(self.unit, ty, constant) {
            Ok(folded) => folded,
            Err(what) => return self.computed_constant(constant).unwrap_or(Err(what)),
        };
        let word = self.layout.pointer_bits();
        let mut leaves = Vec::with_capacity(folded.len());
        for leaf in folded {
            leaves.push(match leaf {
                Folded::Value(operand) => operand,
                Folded::Undef(ty) => self.undef(ty),
                Folded::AddressBits { target, bits } => {
                    let address = self.value(Ty::Int(word), |dst| Computation::Cast {
                        dst,
                        cast: selvedge_program::Cast::PtrToInt,
                        src: target,
                    });
                    self.resize(address, bits)
                }
            });
        }
        Ok(leaves)
    }

    // Blocks.

    fn lower_blocks(&mut self) {
        if let Err(what) = self.parameters() {
            self.unsupported(&what);
            return;
        }
        self.find_variables();
        self.find_objects_of_blocks();
        if self.atomic {
            self.intrinsic(Intrinsic::AtomicBegin);
        }
        for (index, block) in self.source.blocks.iter().enumerate() {
            // Our first block contains the prologue and LLVM's first block.
            let id = if index == 0 { self.current } else { self.block(&block.name) };
            self.blocks[index] = Some(id);
        }
        if !self.source.blocks.is_empty() {
            self.func.blocks[self.current].name = self.source.blocks[0].name.to_string();
            self.reached[0] = true;
        }
        self.allocate_phis();
        for index in reverse_postorder(self.source) {
            if let (true, Some(block)) = (self.reached[index], self.blocks[index]) {
                self.current = block;
                self.open = true;
                if self.source.blocks[index].name.starts_with(ASYNC_LABEL) {
                    self.unsupported("a thread started by one of CBMC's labels");
                    continue;
                }
                self.lower_block(ll::BlockId(index as u32));
            }
        }
    }

    /// Parameters are flattened; a variadic function has one more, the address of the rest.
    pub fn parameters(&mut self) -> Lowered<()> {
        self.func.returns = self.leaf_types(&self.source.ret)?;
        for param in &self.source.params {
            let name = match self.source.locals.get(param.local.0 as usize) {
                Some(local) => local.name.to_string(),
                None => param.local.0.to_string(),
            };
            let mut regs = vec![];
            for ty in self.leaf_types(&param.ty)? {
                regs.push(self.func.regs.push(RegInfo { ty, name: Some(name.clone()), debug: None }));
            }
            self.func.params.extend(&regs);
            if let Some(slot) = self.values.get_mut(param.local.0 as usize) {
                *slot = Some(regs.into_iter().map(Operand::Reg).collect());
            }
        }
        if self.source.vararg {
            let name = Some("...".to_string());
            let reg = self.func.regs.push(RegInfo { ty: Ty::Ptr, name, debug: None });
            self.func.params.push(reg);
            self.variadic = Some(reg);
        }
        Ok(())
    }

    fn find_variables(&mut self) {
        for (_, inst) in self.source.instructions() {
            let ll::Op::Debug(record) = &inst.op else { continue };
            let [ll::Operand { value: Value::Local(local), .. }] = record.values.as_slice() else { continue };
            let Some(variable) = record.variable.and_then(|v| self.cx.debug.variable(self.unit, v)) else { continue };
            match record.kind {
                DebugKind::Declare if !record.has_expression => {
                    self.names[local.0 as usize] = Some(Named::lvalue(variable.name.clone(), variable.ty));
                    self.addresses.insert(*local, variable);
                }
                DebugKind::Value if !record.has_expression => {
                    let name = Named::value(variable.name, variable.ty);
                    self.names[local.0 as usize].get_or_insert(name);
                }
                _ => {}
            }
        }
    }

    fn allocate_phis(&mut self) {
        for (_, inst) in self.source.instructions() {
            let (ll::Op::Phi { ty, .. }, Some(result)) = (&inst.op, inst.result) else { continue };
            // A phi of an unsupported type stays undefined; its uses are reported.
            let Ok(types) = self.leaf_types(ty) else { continue };
            let regs = types.into_iter().map(|ty| Operand::Reg(self.reg(ty))).collect();
            self.set(result, regs);
        }
    }

    fn set(&mut self, local: LocalId, leaves: Vec<Operand>) {
        let name = &self.source.local(local).name;
        if !name.bytes().all(|b| b.is_ascii_digit()) {
            for leaf in &leaves {
                if let Operand::Reg(reg) = leaf {
                    self.func.regs[*reg].name.get_or_insert_with(|| name.to_string());
                }
            }
        }
        self.values[local.0 as usize] = Some(leaves);
    }

    fn lower_instruction(&mut self, block: ll::BlockId, inst: &'m ll::Instruction) -> Lowered<()> {
        if let ll::Op::Invoke { call, .. } = &inst.op {
            let used = inst.result.is_some_and(|result| !self.uses.only_accessed(result));
            let leaves = self.call(call, used)?;
            if let Some(result) = inst.result {
                self.set(result, leaves);
            }
        }
        if inst.op.is_terminator() {
            return self.terminator(block, &inst.op);
        }
        let leaves = self.instruction(inst)?;
        if let (Some(result), false) = (inst.result, matches!(inst.op, ll::Op::Phi { .. })) {
            self.set(result, leaves);
        }
        match &inst.op {
            ll::Op::Call(call) => self.after_call(call),
            _ => Ok(()),
        }
    }

    fn lower_block(&mut self, id: ll::BlockId) {
        let source = self.source;
        for inst in &source.block(id).instructions {
            if let Some(location) = inst.location
                && let Some(loc) = self.cx.debug.location(self.unit, location)
            {
                self.loc = loc;
            }
            if let Err(what) = self.lower_instruction(id, inst) {
                self.unsupported(&what);
            }
            if !self.open {
                return;
            }
        }
        // A block without a terminator is no LLVM IR.
        self.unsupported("a block without an end");
    }
}
