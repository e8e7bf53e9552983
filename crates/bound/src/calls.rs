//! Calls are inlined; a call through a pointer tries the functions it may mean one after the other.

use crate::body::Edge;
use crate::bounded::{CutKind, Origin};
use crate::env::Env;
use crate::fold::retyped;
use crate::memory::Memory;
use crate::operations::no_function;
use crate::unroll::{Activation, Exit, Flow, Place, Refusal, Start, Unroller};
use selvedge_program::{
    BlockId, Callee, Cast, CmpOp, Computation, EntityRef, FuncId, GlobalId, Loc, Op, Operand, Reg, RegInfo, Ty,
};
use std::rc::Rc;

/// An argument: as an operand of the thread, its type, and what is known of it.
#[derive(Clone, Copy)]
struct Argument {
    value: Operand,
    ty: Ty,
    known: Option<Operand>,
}

/// The facts about a caller that the callee's activation needs.
struct Caller {
    user: Option<Loc>,
    dsts: Option<Vec<Reg>>,
    outer: Vec<GlobalId>,
    origin: Origin,
    memory: Rc<Memory>,
}

impl Unroller<'_> {
    /// The entry of a thread; gives its parameters.
    pub(crate) fn start_thread(&mut self, start: &Start) -> Result<Vec<Reg>, Refusal> {
        let program = self.program;
        let entry = start.functions[0];
        let origin = Origin { function: entry, block: BlockId::new(0), index: 0, user: program.functions[entry].loc };
        let mut memory = Memory::default();
        memory.threads.clone_from(&start.threads);
        let caller = Caller { user: None, dsts: None, outer: vec![], origin, memory: Rc::new(memory) };
        if self.thread == 0 {
            self.enter(&caller, entry, &[])?;
            return Ok(vec![]);
        }
        let mut params = Vec::new();
        let mut pointer = None;
        if start.functions.len() > 1 {
            let reg = self.body.reg(Ty::Ptr);
            params.push(reg);
            pointer = Some(Operand::Reg(reg));
        }
        let mut args = Vec::new();
        for known in start.known {
            let reg = self.body.reg(Ty::Ptr);
            params.push(reg);
            let value = known.unwrap_or(Operand::Reg(reg));
            args.push(Argument { value, ty: Ty::Ptr, known });
        }
        // Whatever else it wants is zero.
        let most = start.functions.iter().map(|id| program.functions[*id].params.len()).max().unwrap_or(0);
        let zero = Argument { value: Operand::NULL, ty: Ty::Ptr, known: Some(Operand::NULL) };
        args.resize(most.max(2), zero);
        match pointer {
            Some(pointer) => self.dispatch(&caller, pointer, &start.functions, &args, false)?,
            None => self.enter(&caller, entry, &args)?,
        };
        Ok(params)
    }

    pub(crate) fn call(
        &mut self,
        place: &Place<'_>,
        env: &mut Env,
        dsts: &[Reg],
        callee: Callee,
        args: &[Operand],
    ) -> Result<Flow, Refusal> {
        let activation = place.activation;
        let origin = place.origin;
        let arguments: Vec<Argument> = args
            .iter()
            .map(|arg| Argument {
                value: self.operand(activation, env, *arg),
                ty: self.ty(activation, *arg),
                known: self.known(env, *arg),
            })
            .collect();
        let mut outer = activation.outer.clone();
        outer.extend(&env.live);
        let caller = Caller {
            user: Some(origin.user),
            dsts: Some(dsts.iter().map(|dst| self.reg(activation, *dst)).collect()),
            outer,
            origin,
            memory: env.memory.clone(),
        };
        let exits = match callee {
            Callee::Direct(id) => self.enter(&caller, id, &arguments)?,
            Callee::Indirect(target) => match self.known(env, target) {
                Some(Operand::Func(id)) => self.enter(&caller, id, &arguments)?,
                Some(other) => return self.last(no_function(other), origin),
                None => {
                    let pointer = self.operand(activation, env, target);
                    let functions = self.candidates(origin);
                    self.dispatch(&caller, pointer, &functions, &arguments, true)?
                }
            },
        };
        if exits.is_empty() {
            return Ok(Flow::Over);
        }
        let edges: Vec<_> = exits.iter().map(|exit| exit.edge).collect();
        self.body.begin(&edges);
        env.memory = exits[0].memory.clone();
        for exit in &exits[1..] {
            if !Rc::ptr_eq(&env.memory, &exit.memory) {
                Rc::make_mut(&mut env.memory).merge(&exit.memory);
            }
        }
        for (number, dst) in dsts.iter().enumerate() {
            let first = exits[0].known.get(number).copied().flatten();
            let same = exits.iter().all(|exit| exit.known.get(number).copied().flatten() == first);
            env.set(*dst, first.filter(|_| same));
            if !same {
                exits.iter().for_each(|exit| env.expose(exit.known.get(number).copied().flatten()));
            }
        }
        Ok(Flow::On)
    }

    /// Calls the function that a pointer points to. `open`: it may be none of these.
    fn dispatch(
        &mut self,
        caller: &Caller,
        pointer: Operand,
        functions: &[FuncId],
        args: &[Argument],
        open: bool,
    ) -> Result<Vec<Exit>, Refusal> {
        let origin = caller.origin;
        let mut exits = Vec::new();
        for (number, id) in functions.iter().enumerate() {
            if !open && number + 1 == functions.len() {
                exits.extend(self.enter(caller, *id, args)?);
                return Ok(exits);
            }
            let (yes, no) = self.is_function(pointer, *id, origin)?;
            self.body.begin(&[yes]);
            exits.extend(self.enter(caller, *id, args)?);
            self.body.begin(&[no]);
        }
        for id in self.whole_program.by_chance((origin.function, origin.block, origin.index)) {
            let (yes, no) = self.is_function(pointer, id, origin)?;
            self.body.begin(&[yes]);
            self.last(Op::Unsupported { what: "a call through a pointer that was made up".to_string() }, origin)?;
            self.body.begin(&[no]);
        }
        self.last(no_function(pointer), origin)?;
        Ok(exits)
    }

    /// The ways on where a pointer is the address of a function, and where it is not.
    fn is_function(&mut self, pointer: Operand, id: FuncId, origin: Origin) -> Result<(Edge, Edge), Refusal> {
        let is_it = self.body.reg(Ty::BOOL);
        let test = Computation::Compare { dst: is_it, op: CmpOp::Eq, a: pointer, b: Operand::Func(id) };
        self.step(test, origin)?;
        Ok(self.body.branch(Operand::Reg(is_it), origin))
    }

    /// Inlines a function.
    fn enter(&mut self, caller: &Caller, id: FuncId, args: &[Argument]) -> Result<Vec<Exit>, Refusal> {
        let program = self.program;
        let origin = caller.origin;
        let function = &program.functions[id];
        if self.open[id] > self.limits.recursion {
            self.cut(CutKind::Recursion(self.limits.recursion), function.loc, origin);
            return Ok(vec![]);
        }
        if args.len() < function.params.len() {
            let what = "a call with too few arguments".to_string();
            self.last(Op::Unsupported { what }, origin)?;
            return Ok(vec![]);
        }
        let base = self.body.regs.len();
        for info in function.regs.values() {
            self.body.regs.push(RegInfo { ty: info.ty, name: info.name.clone(), debug: info.debug });
        }
        let mut env = Env::new(function.regs.len(), caller.memory.clone());
        for (param, arg) in function.params.iter().zip(args) {
            let dst = Reg::new(base + param.index());
            let known = self.pass(arg.value, arg.ty, arg.known, dst, origin)?;
            if known.is_none() {
                env.expose(arg.known);
            }
            env.set(*param, known);
        }
        let activation = Activation {
            function: id,
            base,
            user: caller.user,
            dsts: caller.dsts.clone(),
            outer: caller.outer.clone(),
        };
        self.expand(&activation, env, origin)
    }

    /// Moves a value into a register of perhaps another type, as bits: cut off or filled up with zeros. A truth value
    /// is compared with zero. Gives what is known of it there.
    pub(crate) fn pass(
        &mut self,
        value: Operand,
        from: Ty,
        known: Option<Operand>,
        dst: Reg,
        origin: Origin,
    ) -> Result<Option<Operand>, Refusal> {
        let model = self.program.data_model;
        let to = self.body.regs[dst].ty;
        if from == to {
            self.step(Computation::Copy { dst, src: value }, origin)?;
            return Ok(known.and_then(|known| retyped(known, to)));
        }
        let (from_bits, to_bits) = (from.bits(model), to.bits(model));
        // Through an integer as wide as the source, then one as wide as the target.
        let narrow = Ty::Int(from_bits as u8);
        let wide = Ty::Int(to_bits as u8);
        let mut casts = Vec::new();
        match from {
            Ty::Int(_) => {}
            Ty::Ptr => casts.push((Cast::PtrToInt, narrow)),
            Ty::F32 | Ty::F64 => casts.push((Cast::Reinterpret, narrow)),
        }
        if to == Ty::BOOL {
            return self.pass_truth(value, &casts, from_bits as u8, known, dst, origin);
        }
        if from_bits != to_bits {
            casts.push((if from_bits > to_bits { Cast::Truncate } else { Cast::ZeroExtend }, wide));
        }
        match to {
            Ty::Int(_) => {}
            Ty::Ptr => casts.push((Cast::IntToPtr, to)),
            Ty::F32 | Ty::F64 => casts.push((Cast::Reinterpret, to)),
        }
        let mut src = value;
        for (number, (cast, ty)) in casts.iter().enumerate() {
            let last = number + 1 == casts.len();
            let next = if last { dst } else { self.body.reg(*ty) };
            self.step(Computation::Cast { dst: next, cast: *cast, src }, origin)?;
            src = Operand::Reg(next);
        }
        let unused = 128 - to_bits.clamp(1, 128);
        Ok(match known {
            Some(Operand::Const { bits, .. }) => {
                let bits = bits << unused >> unused;
                (to != Ty::Ptr || bits < 4096).then_some(Operand::Const { ty: to, bits })
            }
            Some(address) if from_bits == to_bits => Some(address),
            _ => None,
        })
    }

    /// `casts` make the value an integer of so many bits.
    fn pass_truth(
        &mut self,
        value: Operand,
        casts: &[(Cast, Ty)],
        bits: u8,
        known: Option<Operand>,
        dst: Reg,
        origin: Origin,
    ) -> Result<Option<Operand>, Refusal> {
        let mut src = value;
        for (cast, ty) in casts {
            let next = self.body.reg(*ty);
            self.step(Computation::Cast { dst: next, cast: *cast, src }, origin)?;
            src = Operand::Reg(next);
        }
        let test = Computation::Compare { dst, op: CmpOp::Ne, a: src, b: Operand::int(bits, 0) };
        self.step(test, origin)?;
        Ok(match known {
            Some(Operand::Const { bits, .. }) => Some(Operand::bool(bits != 0)),
            _ => None,
        })
    }
}
