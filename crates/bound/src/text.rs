//! The text form (`--emit bounded`): to be read by people, and not read back.
//!
//! The conventions are those of the program's text form. Objects without a name of their own are
//! called by their number: `@n#12`.

use crate::bounded::{Block, Bounded, CutKind, ObjectKind, StepOp, Terminator, Thread};
use selvedge_program::{
    Access, Callee, EntityRef, FuncId, GlobalId, Input, MemoryOrder, Op, Operand, PlaceId, Property, Reg, SourceMap, Ty,
};
use std::fmt::{self, Debug, Display, Formatter};

/// Where the source positions start, if the statement is not longer.
const LOC_COLUMN: usize = 56;

impl Display for Bounded<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let source = &self.program.source;
        for (id, object) in &self.objects {
            let kind = match object.kind {
                ObjectKind::Global if self.program.globals[id].thread_local => continue,
                ObjectKind::Global => "global".to_string(),
                ObjectKind::ThreadLocal { thread, .. } => format!("thread-local of thread {thread}"),
                ObjectKind::Stack => "stack".to_string(),
                ObjectKind::Heap => "heap".to_string(),
            };
            line(f, "", &format!("object {} {} bytes, {kind}", self.object(id), object.size), source, object.loc)?;
        }
        for (number, cut) in self.cuts.iter().enumerate() {
            let what = match cut.kind {
                CutKind::Loop(n) => format!("iterations of a loop: {n}"),
                CutKind::Recursion(n) => format!("nested activations of a function: {n}"),
                CutKind::Threads(n) => format!("threads besides main: {n}"),
            };
            line(f, "", &format!("cut {number} {what}"), source, cut.loc)?;
        }
        for (number, thread) in self.threads.iter().enumerate() {
            let params: Vec<String> = thread.params.iter().map(|reg| named(thread, *reg)).collect();
            writeln!(f, "\nthread {number} {}({}) {{", self.func(thread.start), params.join(", "))?;
            for (id, block) in &thread.blocks {
                writeln!(f, "{id}:")?;
                self.block(f, thread, block)?;
            }
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

fn line(
    f: &mut Formatter<'_>,
    indent: &str,
    text: &str,
    source: &SourceMap,
    loc: selvedge_program::Loc,
) -> fmt::Result {
    match loc.is_known() {
        true => writeln!(f, "{indent}{text:<LOC_COLUMN$} at {}", source.describe(loc)),
        false => writeln!(f, "{indent}{text}"),
    }
}

impl Bounded<'_> {
    fn block(&self, f: &mut Formatter<'_>, thread: &Thread, block: &Block) -> fmt::Result {
        let source = &self.program.source;
        for step in &block.steps {
            let text = match &step.op {
                StepOp::Plain(op) => self.op(thread, op),
                StepOp::Create { dst, object, size } => {
                    let size = size.map_or(String::new(), |size| format!(" of {} bytes", self.operand(thread, size)));
                    format!("{} = create {}{size}", named(thread, *dst), self.object(*object))
                }
                StepOp::End { objects } => format!("end {}", self.all(objects)),
                StepOp::Spawn { dst, thread: number, args } => {
                    let dst = dst.map_or(String::new(), |dst| format!("{} = ", named(thread, dst)));
                    format!("{dst}spawn thread {number}({})", self.list(thread, args))
                }
                StepOp::Finish { objects } if objects.is_empty() => "finish".to_string(),
                StepOp::Finish { objects } => format!("finish {}", self.all(objects)),
            };
            line(f, "  ", &text, source, step.origin.user)?;
        }
        if !block.proved.is_empty() {
            let properties: Vec<&str> = block.proved.iter().map(Property::name).collect();
            line(f, "  ", &format!("proved {}", properties.join(", ")), source, block.origin.user)?;
        }
        let text = match &block.term {
            Terminator::Jump(target) => format!("jump {target}"),
            Terminator::Branch { cond, then, otherwise } => {
                format!("branch {}, {then}, {otherwise}", self.operand(thread, *cond))
            }
            Terminator::Switch { value, cases, default } => {
                let cases: Vec<String> = cases.iter().map(|(case, target)| format!("{case}: {target}")).collect();
                format!("switch {} [{}], {default}", self.operand(thread, *value), cases.join(", "))
            }
            Terminator::Cut(number) => format!("cut {number}"),
            Terminator::Stop => "stop".to_string(),
        };
        line(f, "  ", &text, source, block.origin.user)
    }

    fn func(&self, id: FuncId) -> String {
        self.program.functions.get(id).map_or_else(|| format!("@{id}"), |function| format!("@{}", function.name))
    }

    fn object(&self, id: GlobalId) -> String {
        match self.objects.get(id) {
            None => format!("@{id}"),
            Some(object) => match object.kind {
                ObjectKind::Global => format!("@{}", object.name),
                ObjectKind::ThreadLocal { thread, .. } => format!("@{}#t{thread}", object.name),
                ObjectKind::Stack => format!("@{}#{}", object.name.replace(' ', "_"), id.index()),
                ObjectKind::Heap => format!("@heap#{}", id.index()),
            },
        }
    }

    fn all(&self, objects: &[GlobalId]) -> String {
        objects.iter().map(|id| self.object(*id)).collect::<Vec<_>>().join(", ")
    }

    fn operand(&self, thread: &Thread, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) => named(thread, reg),
            Operand::Const { ty: Ty::Int(1), bits } => (bits & 1 == 1).to_string(),
            Operand::Const { ty: Ty::Int(width), bits } => {
                format!("{}i{width}", selvedge_program::semantics::integers::signed(u32::from(width), bits))
            }
            Operand::Const { ty: Ty::Ptr, bits: 0 } => "null".to_string(),
            Operand::Const { ty: Ty::Ptr, bits } => format!("{bits:#x}ptr"),
            Operand::Const { ty: Ty::F32, bits } => format!("{:?}f32", f32::from_bits(bits as u32)),
            Operand::Const { ty: Ty::F64, bits } => format!("{:?}f64", f64::from_bits(bits as u64)),
            Operand::Global { id, offset: 0 } => self.object(id),
            Operand::Global { id, offset } => format!("{}{offset:+}", self.object(id)),
            Operand::Func(id) => self.func(id),
        }
    }

    fn list(&self, thread: &Thread, operands: &[Operand]) -> String {
        operands.iter().map(|operand| self.operand(thread, *operand)).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, place: Option<PlaceId>) -> String {
        place.and_then(|place| self.program.places.get(place)).map_or(String::new(), |text| format!(" {text:?}"))
    }

    fn op(&self, thread: &Thread, op: &Op) -> String {
        let list = |operands: &[Operand]| self.list(thread, operands);
        let right = match op {
            Op::Copy { src, .. } => format!("copy {}", list(&[*src])),
            Op::Binary { op, a, b, checked, .. } => {
                format!("{}{} {}", word(op), if *checked { " checked" } else { "" }, list(&[*a, *b]))
            }
            Op::Overflowing { op, signed, a, b, .. } => {
                format!("overflowing {} {} {}", if *signed { "signed" } else { "unsigned" }, word(op), list(&[*a, *b]))
            }
            Op::Unary { op, a, .. } => format!("{} {}", word(op), list(&[*a])),
            Op::Compare { op, a, b, .. } => format!("{} {}", word(op), list(&[*a, *b])),
            Op::FloatBinary { op, a, b, .. } => format!("f{} {}", word(op), list(&[*a, *b])),
            Op::FloatUnary { op, a, .. } => format!("f{} {}", word(op), list(&[*a])),
            Op::FloatCompare { op, a, b, .. } => format!("fcmp {} {}", word(op), list(&[*a, *b])),
            Op::Cast { cast, src, .. } => format!("{} {}", word(cast), list(&[*src])),
            Op::Select { cond, a, b, .. } => format!("select {}", list(&[*cond, *a, *b])),
            Op::Field { base, bytes, .. } => format!("field {}, {bytes}", list(&[*base])),
            Op::Index { base, index, stride, bound, .. } => {
                let bound = bound.map_or(String::new(), |n| format!(" bound {n}"));
                format!("index {} stride {stride}{bound}", list(&[*base, *index]))
            }
            Op::Load { addr, access, place, .. } => {
                format!("load{} {}{}", mode(*access), list(&[*addr]), self.place(*place))
            }
            Op::Store { ty, addr, value, access, place } => {
                let (value, addr) = (list(&[*value]), list(&[*addr]));
                format!("store{} {} {value} to {addr}{}", mode(*access), type_name(*ty), self.place(*place))
            }
            Op::Rmw { op, addr, value, place, .. } => {
                format!("rmw {} {}{}", word(op), list(&[*addr, *value]), self.place(*place))
            }
            Op::CmpXchg { addr, expected, new, place, .. } => {
                format!("cmpxchg {}{}", list(&[*addr, *expected, *new]), self.place(*place))
            }
            Op::Fence { .. } => "fence".to_string(),
            Op::Alloca { size, .. } => format!("alloca {}", list(&[*size])),
            Op::StackSave { .. } => "stack_save".to_string(),
            Op::StackRestore { mark } => format!("stack_restore {}", list(&[*mark])),
            Op::MemCopy { dst, src, len, may_overlap } => {
                format!("{} {}", if *may_overlap { "memmove" } else { "memcopy" }, list(&[*dst, *src, *len]))
            }
            Op::MemSet { dst, byte, len } => format!("memset {}", list(&[*dst, *byte, *len])),
            Op::Call { callee: Callee::Direct(id), args, .. } => format!("call {}({})", self.func(*id), list(args)),
            Op::Call { callee: Callee::Indirect(to), args, .. } => format!("call *{}({})", list(&[*to]), list(args)),
            Op::Nondet { range, input, .. } => {
                let (Input::Call(text) | Input::Uninitialised(text) | Input::Unmodelled(text)) = input;
                let range = range.map_or(String::new(), |(low, high)| format!(" in [{}]", list(&[low, high])));
                format!("nondet {text:?}{range}")
            }
            Op::Intrinsic { which, args, .. } => format!("{}({})", which.name(), list(args)),
            Op::Violation { property, text } => format!("violation {} {text:?}", property.name()),
            Op::Unsupported { what } => format!("unsupported {what:?}"),
        };
        match op.defs().as_slice() {
            [] => right,
            defs => {
                let defs: Vec<String> = defs.iter().map(|reg| named(thread, *reg)).collect();
                format!("{} = {right}", defs.join(", "))
            }
        }
    }
}

/// `%7.count`: its number, and the variable it holds.
fn named(thread: &Thread, reg: Reg) -> String {
    match thread.regs.get(reg).and_then(|info| info.name.as_deref()) {
        Some(name) => format!("%{}.{name}", reg.index()),
        None => format!("%{}", reg.index()),
    }
}

/// The name of a variant, as a word: `CountOnes` is `count_ones`.
fn word(variant: &dyn Debug) -> String {
    let name = format!("{variant:?}");
    let plain = !name.chars().skip(1).any(|c| c.is_lowercase()) || name.len() <= 4;
    let mut word = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 && !plain {
            word.push('_');
        }
        word.extend(c.to_lowercase());
    }
    word
}

fn mode(access: Access) -> &'static str {
    match access {
        Access::Plain => "",
        Access::Volatile => " volatile",
        Access::Atomic(MemoryOrder::SeqCst) => " atomic",
        Access::Atomic(MemoryOrder::Relaxed) => " relaxed",
        Access::Atomic(MemoryOrder::Acquire) => " acquire",
        Access::Atomic(MemoryOrder::Release) => " release",
        Access::Atomic(MemoryOrder::AcqRel) => " acq_rel",
    }
}

fn type_name(ty: Ty) -> String {
    match ty {
        Ty::Int(bits) => format!("i{bits}"),
        Ty::F32 => "f32".to_string(),
        Ty::F64 => "f64".to_string(),
        Ty::Ptr => "ptr".to_string(),
    }
}
