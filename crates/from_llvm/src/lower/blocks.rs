//! Control flow: terminators, the copies that phis become, and the order to visit blocks in.
//!
//! A phi is a register that the predecessors copy into. The copies of one edge happen at once (a
//! phi may read another), and on an edge of their own if the predecessor has several successors, so
//! that they never overwrite what its terminator or another path still reads.

use std::collections::HashMap;

use selvedge_program::{BlockId, Cast, CmpOp, Computation, Intrinsic, Operand, Reg, Terminator, Ty};

use super::Lowered;
use super::builtins::trap_of_sanitizer;
use super::function::Body;
use crate::ll::{self, Value};

impl Body<'_, '_> {
    pub fn terminator(&mut self, from: ll::BlockId, op: &ll::Op) -> Lowered<()> {
        match op {
            ll::Op::Ret(value) => {
                let values = match value {
                    Some(v) => self.leaves(&v.ty, &v.value)?,
                    None => vec![],
                };
                let types: Vec<_> = values.iter().map(|value| self.ty(*value)).collect();
                if types != self.func.returns {
                    return Err("a return of another type".to_string());
                }
                if self.atomic {
                    self.intrinsic(Intrinsic::AtomicEnd);
                }
                self.end(Terminator::Return(values));
            }
            ll::Op::Br(to) => {
                let target = self.edge(from, *to, false)?;
                self.end(Terminator::Jump(target));
            }
            ll::Op::CondBr { cond, if_true, if_false } => {
                let cond = self.operand(cond)?;
                if self.ty(cond) != Ty::BOOL {
                    return Err("a branch on more than one bit".to_string());
                }
                if let Some(check) = self.trap_in(*if_false) {
                    let fails = self.compare(CmpOp::Eq, cond, Operand::bool(false));
                    let (property, text) = trap_of_sanitizer(check);
                    self.violation_if(fails, property, text);
                    let target = self.edge(from, *if_true, false)?;
                    self.end(Terminator::Jump(target));
                    return Ok(());
                }
                let then = self.edge(from, *if_true, true)?;
                let otherwise = if if_true == if_false { then } else { self.edge(from, *if_false, true)? };
                self.end(Terminator::Branch { cond, then, otherwise });
            }
            ll::Op::Switch { value, default, cases } => {
                let operand = self.operand(value)?;
                let mut targets = HashMap::new();
                let mut lowered = Vec::with_capacity(cases.len());
                for (constant, to) in cases {
                    let Operand::Const { bits, .. } = self.scalar(&value.ty, &Value::Const(constant.clone()))? else {
                        return Err("a case that is no number".to_string());
                    };
                    lowered.push((bits, self.shared_edge(from, *to, &mut targets)?));
                }
                let default = self.shared_edge(from, *default, &mut targets)?;
                self.end(Terminator::Switch { value: operand, cases: lowered, default });
            }
            ll::Op::IndirectBr { address, targets } => {
                let address = self.operand(address)?;
                let value =
                    self.value(self.layout.word(), |dst| Computation::Cast { dst, cast: Cast::PtrToInt, src: address });
                let mut edges = HashMap::new();
                let mut cases: Vec<(u128, BlockId)> = vec![];
                for to in targets {
                    let number = u128::from(to.0) + 1;
                    if cases.iter().all(|(known, _)| *known != number) {
                        cases.push((number, self.shared_edge(from, *to, &mut edges)?));
                    }
                }
                let default = self.block("no.label");
                self.end(Terminator::Switch { value, cases, default });
                self.current = default;
                self.unsupported("a computed goto to an unknown label");
            }
            ll::Op::Unreachable => self.end(Terminator::Unreachable),
            ll::Op::CallBr { call, fallthrough, indirect } => {
                let (Value::Asm(asm), ll::Type::Void) = (&call.callee, &call.function_type.ret) else {
                    return Err("assembly that jumps and has outputs".to_string());
                };
                let mut labels = vec![];
                for to in indirect {
                    labels.push(self.edge(from, *to, true)?);
                }
                self.assembly(asm, call, &labels)?;
                let next = self.edge(from, *fallthrough, true)?;
                self.end(Terminator::Jump(next));
            }
            ll::Op::Invoke { call, normal, unwind } => self.after_invoke(call, from, *normal, *unwind)?,
            ll::Op::Resume(exception) => {
                let leaves = self.leaves(&exception.ty, &exception.value)?;
                let exception = *leaves.first().ok_or("an exception without a value")?;
                self.resume(exception)?;
            }
            other => return Err(format!("the instruction {}", other.opcode())),
        }
        Ok(())
    }

    /// The check of a sanitizer that fails in this block, which all places of a function share. So it is the branch
    /// that is the place.
    fn trap_in(&self, block: ll::BlockId) -> Option<u128> {
        let ll::Op::Call(call) = &self.source.block(block).instructions.first()?.op else { return None };
        let number = call.callee_name()?.starts_with("llvm.ubsantrap").then(|| call.args.first())??;
        match &number.value {
            Value::Const(ll::Constant::Int(check)) => u128::try_from(*check).ok(),
            _ => None,
        }
    }

    fn shared_edge(
        &mut self,
        from: ll::BlockId,
        to: ll::BlockId,
        known: &mut HashMap<ll::BlockId, BlockId>,
    ) -> Lowered<BlockId> {
        if let Some(target) = known.get(&to) {
            return Ok(*target);
        }
        let target = self.edge(from, to, true)?;
        known.insert(to, target);
        Ok(target)
    }

    /// The target of a jump to `to`, with the copies for its phis.
    pub fn edge(&mut self, from: ll::BlockId, to: ll::BlockId, split: bool) -> Lowered<BlockId> {
        let index = to.0 as usize;
        let target = self.blocks.get(index).copied().flatten().ok_or("a jump to nowhere")?;
        self.reached[index] = true;
        let source = self.source;
        let has_phis = matches!(source.blocks[index].instructions.first().map(|i| &i.op), Some(ll::Op::Phi { .. }));
        if !has_phis {
            return Ok(target);
        }
        let here = self.current;
        let edge = if split { self.block(&format!("{}.edge", source.blocks[index].name)) } else { here };
        self.current = edge;
        let copied = self.phi_copies(from, to);
        self.current = here;
        copied?;
        if split {
            self.func.blocks[edge].term = Terminator::Jump(target);
            return Ok(edge);
        }
        Ok(target)
    }

    fn phi_copies(&mut self, from: ll::BlockId, to: ll::BlockId) -> Lowered<()> {
        let source = self.source;
        let mut copies: Vec<(Reg, Operand)> = vec![];
        for inst in &source.block(to).instructions {
            let ll::Op::Phi { ty, incoming } = &inst.op else {
                if matches!(inst.op, ll::Op::Debug(_)) {
                    continue;
                }
                break;
            };
            let Some(result) = inst.result else { continue };
            let targets = self.values[result.0 as usize].clone().ok_or("a phi of an unsupported type")?;
            let (value, _) = incoming.iter().find(|(_, block)| *block == from).ok_or("a phi without this edge")?;
            for (target, value) in targets.into_iter().zip(self.leaves(ty, value)?) {
                if let Operand::Reg(dst) = target
                    && value != target
                {
                    copies.push((dst, value));
                }
            }
        }
        // A value that one of these copies overwrites is saved first.
        for i in 0..copies.len() {
            let (_, value) = copies[i];
            if let Operand::Reg(reg) = value
                && copies.iter().any(|(dst, _)| *dst == reg)
            {
                let ty = self.ty(value);
                copies[i].1 = self.value(ty, |dst| Computation::Copy { dst, src: value });
            }
        }
        for (dst, src) in copies {
            self.emit(Computation::Copy { dst, src });
        }
        Ok(())
    }
}

/// The reachable blocks; each comes after all its predecessors except for those of back edges.
pub fn reverse_postorder(function: &ll::Function) -> Vec<usize> {
    let successors = |block: usize| -> Vec<usize> {
        let mut found = vec![];
        let last = function.blocks[block].instructions.iter().find(|i| i.op.is_terminator());
        match last.map(|i| &i.op) {
            Some(ll::Op::Br(to)) => found.push(to.0 as usize),
            Some(ll::Op::CondBr { if_true, if_false, .. }) => found.extend([if_true.0 as usize, if_false.0 as usize]),
            Some(ll::Op::Switch { default, cases, .. }) => {
                found.push(default.0 as usize);
                found.extend(cases.iter().map(|(_, to)| to.0 as usize));
            }
            Some(ll::Op::IndirectBr { targets, .. }) => found.extend(targets.iter().map(|to| to.0 as usize)),
            Some(ll::Op::Invoke { normal, unwind, .. }) => found.extend([normal.0 as usize, unwind.0 as usize]),
            Some(ll::Op::CallBr { fallthrough, indirect, .. }) => {
                found.push(fallthrough.0 as usize);
                found.extend(indirect.iter().map(|to| to.0 as usize));
            }
            _ => {}
        }
        found.retain(|b| *b < function.blocks.len());
        found
    };
    let mut order = vec![];
    let mut seen = vec![false; function.blocks.len()];
    if seen.is_empty() {
        return order;
    }
    seen[0] = true;
    let mut stack = vec![(0, successors(0))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, successors(next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
