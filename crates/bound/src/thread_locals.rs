//! Another thread's copy of a thread-local.

use crate::bounded::{ObjectKind, StepOp};
use crate::env::Env;
use crate::unroll::{Flow, Place, Refusal, Unroller, bits};
use selvedge_program::{CmpOp, Computation, GlobalId, Intrinsic, Op, Operand, Property, Reg, Ty};

impl Unroller<'_> {
    /// Another thread's copy of a thread-local.
    pub(crate) fn other_copy(
        &mut self,
        place: &Place<'_>,
        env: &mut Env,
        dst: Option<Reg>,
        args: &[Operand],
    ) -> Result<Flow, Refusal> {
        let origin = place.origin;
        let (Some(thread), Some(mine)) = (args.first(), args.get(1)) else { return Ok(Flow::On) };
        let home = |object: GlobalId, this: &Self| match this.objects.get(object).map(|object| object.kind) {
            Some(ObjectKind::ThreadLocal { of, .. }) => Some(of),
            // In a round with too few copies: any will do, the round is lost.
            None => this.whole_program.thread_locals.first().copied(),
            _ => None,
        };
        let site = (origin.function, origin.block, origin.index);
        let found = match self.known(env, *mine) {
            Some(Operand::Global { id, offset }) => home(id, self).map(|of| (of, offset)),
            Some(_) => None,
            None => match (self.whole_program.copied(site), dst) {
                (Some(of), Some(dst)) => return self.other_place(place, env, dst, (*thread, *mine), of),
                _ => {
                    let what = "another thread's copy of a thread-local at an unknown place".to_string();
                    return self.last(Op::Unsupported { what }, origin);
                }
            },
        };
        let Some((of, offset)) = found else { return self.last(no_thread(), origin) };
        if self.known(env, *thread).and_then(bits).is_some() {
            let Some(copy) = self.chosen_copy(place, env, *thread, of, offset)? else { return Ok(Flow::Over) };
            if let Some(dst) = dst {
                self.constant(place, env, dst, copy)?;
            }
            return Ok(Flow::On);
        }
        let Some(chosen) = self.chosen_copy(place, env, *thread, of, offset)? else { return Ok(Flow::Over) };
        if let Some(dst) = dst {
            env.set(dst, None);
            let dst = self.reg(place.activation, dst);
            self.step(Computation::Copy { dst, src: chosen }, origin)?;
        }
        Ok(Flow::On)
    }

    /// The corresponding place in another thread's copy, for a place that is not known: as far from the beginning.
    fn other_place(
        &mut self,
        place: &Place<'_>,
        env: &mut Env,
        dst: Reg,
        (thread, mine): (Operand, Operand),
        of: GlobalId,
    ) -> Result<Flow, Refusal> {
        let Some(base) = self.chosen_copy(place, env, thread, of, 0)? else { return Ok(Flow::Over) };
        let offset = self.body.reg(Ty::Int(self.program.data_model.pointer_bits() as u8));
        let args = vec![self.operand(place.activation, env, mine)];
        let which = Intrinsic::ObjectOffset;
        self.step(StepOp::Plain(Op::Intrinsic { dst: Some(offset), which, args }), place.origin)?;
        env.set(dst, None);
        let dst = self.reg(place.activation, dst);
        let index = Computation::Index { dst, base, index: Operand::Reg(offset), stride: 1, bound: None };
        self.step(index, place.origin)?;
        Ok(Flow::On)
    }

    /// The address of the copy of a thread. None: there is no such thread.
    fn chosen_copy(
        &mut self,
        place: &Place<'_>,
        env: &Env,
        thread: Operand,
        of: GlobalId,
        offset: i64,
    ) -> Result<Option<Operand>, Refusal> {
        let origin = place.origin;
        let copy = |thread: usize, this: &Self| match this.own_copy(thread, of) {
            Some(id) => Operand::Global { id, offset },
            None => Operand::NULL,
        };
        if let Some(number) = self.known(env, thread).and_then(bits) {
            // A thread created in this round is not counted yet; the round is lost then anyway.
            if number >= self.guess.max(self.created) as u128 {
                self.last(no_thread(), origin)?;
                return Ok(None);
            }
            return Ok(Some(copy(number as usize, self)));
        }
        let ty = self.ty(place.activation, thread);
        let number = self.operand(place.activation, env, thread);
        let exists = self.body.reg(Ty::BOOL);
        let count = Operand::Const { ty, bits: self.guess as u128 };
        self.step(Computation::Compare { dst: exists, op: CmpOp::Ult, a: number, b: count }, origin)?;
        let (fine, not) = self.body.branch(Operand::Reg(exists), origin);
        self.body.begin(&[not]);
        self.last(no_thread(), origin)?;
        self.body.begin(&[fine]);
        let mut chosen = copy(0, self);
        for other in 1..self.guess {
            let (is_it, next) = (self.body.reg(Ty::BOOL), self.body.reg(Ty::Ptr));
            let b = Operand::Const { ty, bits: other as u128 };
            self.step(Computation::Compare { dst: is_it, op: CmpOp::Eq, a: number, b }, origin)?;
            let select = Computation::Select { dst: next, cond: Operand::Reg(is_it), a: copy(other, self), b: chosen };
            self.step(select, origin)?;
            chosen = Operand::Reg(next);
        }
        Ok(Some(chosen))
    }
}

fn no_thread() -> Op {
    Op::Violation { property: Property::Thread, text: "names a thread that does not exist".to_string() }
}
