//! The uses of each register of a function: only to access memory, or others as well.
//!
//! `a[i]` that is read or written needs `i < n`; `&a[i]` whose address is kept may also be one past
//! the end.

use crate::ll::{CastOp, ConstExpr, Constant, Function, LocalId, Op, Value};

#[derive(Debug)]
pub struct Uses {
    kept: Vec<bool>,
    pub va_start: bool,
}

impl Uses {
    pub fn of(function: &Function) -> Uses {
        let mut uses = Uses { kept: vec![false; function.locals.len()], va_start: false };
        // The uses of a cast count as uses of its operand; they come later in the text.
        for block in function.blocks.iter().rev() {
            for inst in block.instructions.iter().rev() {
                uses.visit(&inst.op, inst.result);
            }
        }
        uses
    }

    /// Whether the value is used only as the address of memory accesses.
    pub fn only_accessed(&self, local: LocalId) -> bool {
        self.kept.get(local.0 as usize) == Some(&false)
    }

    fn keep(&mut self, value: &Value) {
        if let Value::Local(id) = value
            && let Some(kept) = self.kept.get_mut(id.0 as usize)
        {
            *kept = true;
        }
    }

    fn visit(&mut self, op: &Op, result: Option<LocalId>) {
        match op {
            Op::Ret(Some(v)) | Op::FNeg(v) | Op::Freeze(v) | Op::Resume(v) => self.keep(&v.value),
            Op::CondBr { cond: v, .. } | Op::Switch { value: v, .. } | Op::IndirectBr { address: v, .. } => {
                self.keep(&v.value);
            }
            Op::Binary { lhs, rhs, .. } | Op::Icmp { lhs, rhs, .. } | Op::Fcmp { lhs, rhs, .. } => {
                self.keep(lhs);
                self.keep(rhs);
            }
            Op::Cast { op: CastOp::BitCast | CastOp::AddrSpaceCast, .. }
                if result.is_some_and(|r| self.only_accessed(r)) => {}
            Op::Cast { value, .. } => self.keep(&value.value),
            Op::Select { cond, if_true, if_false } => {
                [cond, if_true, if_false].into_iter().for_each(|v| self.keep(&v.value));
            }
            Op::Phi { incoming, .. } => incoming.iter().for_each(|(v, _)| self.keep(v)),
            Op::ExtractElement { vector: a, index: b } => [a, b].into_iter().for_each(|v| self.keep(&v.value)),
            Op::InsertElement { vector, element, index } => {
                [vector, element, index].into_iter().for_each(|v| self.keep(&v.value));
            }
            Op::ShuffleVector { first: a, second: b, .. } | Op::InsertValue { aggregate: a, element: b, .. } => {
                [a, b].into_iter().for_each(|v| self.keep(&v.value));
            }
            Op::ExtractValue { aggregate, .. } => self.keep(&aggregate.value),
            Op::Alloca { count: Some(count), .. } => self.keep(&count.value),
            Op::Store { value, .. } | Op::AtomicRmw { value, .. } => self.keep(&value.value),
            Op::CmpXchg { expected, new, .. } => {
                self.keep(&expected.value);
                self.keep(&new.value);
            }
            Op::GetElementPtr { indices, .. } => indices.iter().for_each(|i| self.keep(&i.value)),
            Op::Call(call) | Op::Invoke { call, .. } | Op::CallBr { call, .. } => {
                let name = call.callee_name().map_or("", |n| n);
                self.va_start |= name.starts_with("llvm.va_start");
                let accesses = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|p| name.starts_with(p));
                if !accesses {
                    call.args.iter().for_each(|arg| self.keep(&arg.value));
                    self.keep(&call.callee);
                }
            }
            _ => {}
        }
    }
}

/// The getelementptr expression that a constant is, if any.
pub fn constant_gep(constant: &Constant) -> Option<&ConstExpr> {
    match constant {
        Constant::Expr(expr) => match &**expr {
            ConstExpr::GetElementPtr { .. } => Some(expr),
            ConstExpr::Cast { op: CastOp::BitCast, value, .. } => constant_gep(&value.value),
            _ => None,
        },
        _ => None,
    }
}
