//! Intrinsics: the state of other threads, and the rest.

use crate::driver::active;
use crate::expression::{Expr, Level};
use crate::printer::{Printer, Value};
use crate::registers::Fate;
use crate::types::CType;
use selvedge_program::{GlobalId, Intrinsic, Operand, Property, Reg};

impl Printer<'_, '_> {
    pub fn spawn(&mut self, thread: usize, args: &[Operand]) {
        self.flush_memory();
        let params = self.cx.facts.bounded.threads[thread].params.clone();
        for (param, arg) in params.iter().zip(args) {
            let known = self.cx.arguments.get(&(thread, *param)).cloned();
            if known.is_none() && !matches!(arg, Operand::Reg(_)) {
                continue;
            }
            // Values that wait for this use must not wait longer.
            let value = self.value(*arg);
            if let Some(variable) = known {
                let value = self.converted(value, variable.ty);
                self.emit(format!("{} = {};", variable.name, value.text));
            }
        }
        let active = active(self.cx.options, thread);
        self.emit(format!("{active} = 1;"));
    }

    pub fn intrinsic(&mut self, dst: Option<Reg>, which: Intrinsic, args: &[Operand], fate: impl Fn(Reg) -> Fate) {
        let result = match which {
            Intrinsic::Finished | Intrinsic::PollFinished | Intrinsic::Created => {
                Some(self.thread_fact(which, args[0]))
            }
            // Its block stops behind it.
            Intrinsic::ProcessExit => None,
            Intrinsic::Free => {
                let pointer = self.value(args[0]);
                if self.cx.checks(Property::Memory) {
                    self.flush_memory();
                    for object in &self.cx.facts.points_to.of(self.number, args[0]).objects {
                        let known = self.cx.objects.get(object).filter(|known| known.mortal);
                        if let Some(name) = known.map(|known| known.name.clone()) {
                            self.drop_stores(*object, &name, Some(&pointer.tight()));
                        }
                    }
                    self.emit(format!("free({});", pointer.text));
                }
                None
            }
            Intrinsic::CheckRead | Intrinsic::CheckWrite => {
                let (pointer, bytes) = (self.value(args[0]), self.value(args[1]));
                if !self.is_within(args[0], args[1]) && self.cx.checks(Property::Memory) {
                    let fine = format!("{} == 0 || READABLE({}, {})", bytes.tight(), pointer.text, bytes.text);
                    self.assert(&fine, Property::Memory, "uses memory that it must not");
                }
                None
            }
            Intrinsic::ObjectSize | Intrinsic::ObjectOffset => self.object_fact(which, args[0], dst),
            Intrinsic::Spawn
            | Intrinsic::SelfId
            | Intrinsic::Owner
            | Intrinsic::Threads
            | Intrinsic::ThreadExit
            | Intrinsic::TlsOf
            | Intrinsic::Yield
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::BlockUntil
            | Intrinsic::Assume
            | Intrinsic::Alloc
            | Intrinsic::SetJmp
            | Intrinsic::LongJmp
            | Intrinsic::Acquired
            | Intrinsic::Released
            | Intrinsic::WaitsFor => {
                args.iter().for_each(|arg| drop(self.value(*arg)));
                self.unsupported(&format!("the intrinsic {}", which.name()));
                dst.map(|dst| self.cx.constant(Operand::Const { ty: self.thread.regs[dst].ty, bits: 0 }))
            }
        };
        if let (Some(dst), Some(result)) = (dst, result) {
            self.set(dst, Value::Plain(result), fate(dst));
        }
    }

    /// Are these certainly bytes of an object?
    pub fn is_within(&self, pointer: Operand, bytes: Operand) -> bool {
        match (pointer, bytes) {
            (Operand::Global { id, offset }, Operand::Const { bits, .. }) => {
                let size = u128::from(self.cx.facts.bounded.objects[id].size);
                u128::try_from(offset).is_ok_and(|offset| bits <= size && offset <= size - bits)
            }
            _ => false,
        }
    }

    /// Is the thread with this number finished, created?
    fn thread_fact(&mut self, which: Intrinsic, number: Operand) -> Expr {
        self.note_memory();
        let threads = self.cx.facts.bounded.threads.len();
        let fact = |this: &Self, thread: usize| match (which == Intrinsic::Created, thread == this.number) {
            (true, _) => active(this.cx.options, thread),
            (false, true) => "0".to_string(),
            (false, false) => format!("FINISHED({thread})"),
        };
        if let Operand::Const { bits, .. } = number {
            let text = match usize::try_from(bits) {
                Ok(thread) if thread < threads => fact(self, thread),
                _ => String::from(if which == Intrinsic::Created { "0" } else { "1" }),
            };
            return Expr::new(text, Level::Primary, CType::Bool);
        }
        let possible = self.cx.facts.interference.values().of(self.number, number);
        let asked = self.value(number);
        let mut text = String::new();
        for thread in (0..threads).filter(|thread| possible.may_be(*thread as u128)) {
            text.push_str(&format!("{} == {thread} ? {} : ", asked.tight(), fact(self, thread)));
        }
        text.push_str(if which == Intrinsic::Created { "0" } else { "1" });
        Expr::new(format!("({text})"), Level::Primary, CType::Bool)
    }

    /// Folds it if it does not depend on the run.
    fn object_fact(&mut self, which: Intrinsic, pointer: Operand, dst: Option<Reg>) -> Option<Expr> {
        let dst = dst?;
        let ty = self.reg_ty(dst);
        self.value(pointer);
        let targets = self.cx.facts.points_to.of(self.number, pointer);
        let size = |object: &GlobalId| match self.cx.sized.contains(object) {
            true => None,
            false => Some(u128::from(self.cx.facts.bounded.objects[*object].size)),
        };
        let bits = match (which, targets.single(), targets.objects.as_slice()) {
            (Intrinsic::ObjectOffset, Some((_, at)), _) => u128::try_from(at).ok(),
            (Intrinsic::ObjectSize, _, [object]) if self.cx.sized.contains(object) => {
                let name = format!("size_of_{}", self.cx.objects.get(object)?.name);
                self.note_memory();
                return Some(Expr::new(name, Level::Primary, CType::unsigned(64)));
            }
            (Intrinsic::ObjectSize, _, [first, rest @ ..]) => {
                size(first).filter(|known| rest.iter().all(|other| size(other) == Some(*known)))
            }
            _ => None,
        };
        if bits.is_none() {
            self.unsupported("the size of an object that is not known");
        }
        Some(self.cx.constant(Operand::Const { ty, bits: bits.unwrap_or(0) }))
    }
}
