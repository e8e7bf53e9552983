//! A small machine that runs bounded programs in any interleaving, and tells what each step touched.
//!
//! A *move* of a thread is one step that touches memory or synchronises, or one whole atomic section, and
//! then all that is the thread's own business. A thread that can never go on (a failed assumption, a cut, a
//! violation) stays where it is and lets the others go on: so that no order of moves hides another.

use selvedge_bound::{BlockId, Bounded, ObjectKind, StepOp, Terminator};
use selvedge_program::semantics::integers::{binary, compare, signed, truncate, unary};
use selvedge_program::{
    BinOp, Cast, Computation, EntityRef, GlobalId, Intrinsic, Op, Operand, Properties, Reg, RmwOp, Ty,
};

const OFFSET_BITS: u32 = 32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    NotBegun,
    Running,
    Finished,
    /// For ever, where it is.
    Stuck,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    pub status: Status,
    pub block: usize,
    pub step: usize,
    pub regs: Vec<u128>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub threads: Vec<Thread>,
    /// None: not alive.
    pub memory: Vec<Option<Vec<u8>>>,
    pub exited: bool,
}

/// The effects of a step.
#[derive(Clone, Debug)]
pub struct Event {
    pub thread: usize,
    pub block: BlockId,
    pub step: usize,
    /// Address operand, where it pointed, how many bytes, whether it wrote.
    pub touched: Vec<(Operand, GlobalId, i64, i64, bool)>,
    /// Registers that it set.
    pub set: Vec<(Reg, u128)>,
    /// Single values that it found or left in memory: object, offset, bytes, value, whether it wrote.
    pub values: Vec<(GlobalId, i64, u32, u128, bool)>,
    /// It is a violation that is checked.
    pub violation: bool,
}

pub struct Machine<'a> {
    pub bounded: &'a Bounded<'a>,
    pub checked: Properties,
    pub seed: u64,
}

/// Why a step did not end well.
enum Trouble {
    /// A condition does not hold yet.
    Blocked,
    /// The thread goes no further.
    Stuck,
}

struct Run<'a, 'm> {
    machine: &'m Machine<'a>,
    state: State,
    thread: usize,
    events: Vec<Event>,
}

pub fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

impl<'a> Machine<'a> {
    pub fn start(&self) -> (State, Vec<Event>) {
        let bounded = self.bounded;
        let threads = bounded.threads.iter().map(|thread| Thread {
            status: Status::NotBegun,
            block: 0,
            step: 0,
            regs: vec![0; thread.regs.len()],
        });
        let memory = bounded.objects.iter().map(|(id, object)| self.initial(id, object.kind, object.size as usize));
        let mut state = State { threads: threads.collect(), memory: memory.collect(), exited: false };
        state.threads[0].status = Status::Running;
        let mut run = Run { machine: self, state, thread: 0, events: Vec::new() };
        run.own_business();
        (run.state, run.events)
    }

    fn initial(&self, id: GlobalId, kind: ObjectKind, size: usize) -> Option<Vec<u8>> {
        let (source, thread) = match kind {
            ObjectKind::Global => (id, 0),
            ObjectKind::ThreadLocal { of, thread } => (of, thread),
            ObjectKind::Stack | ObjectKind::Heap => return None,
        };
        let global = &self.bounded.program.globals[source];
        if kind == ObjectKind::Global && global.thread_local {
            return None;
        }
        let mut bytes = global.init.clone();
        bytes.resize(size, 0);
        for relocation in &global.relocations {
            let target = match relocation.target {
                Operand::Global { id, offset } if self.bounded.program.globals[id].thread_local => {
                    let copy = ObjectKind::ThreadLocal { of: id, thread };
                    let own = self.bounded.objects.iter().find(|(_, object)| object.kind == copy);
                    own.map_or(0, |(id, _)| pointer(id, offset))
                }
                other => constant(other),
            };
            let at = relocation.at as usize;
            bytes[at..at + 8].copy_from_slice(&(target as u64).to_le_bytes());
        }
        Some(bytes)
    }

    /// Where a thread's next move begins. None: it has none.
    pub fn next(&self, state: &State, thread: usize) -> Option<(BlockId, usize)> {
        let thread = &state.threads[thread];
        (thread.status == Status::Running && !state.exited).then(|| (BlockId::new(thread.block), thread.step))
    }

    /// A thread's next move. None: it is not enabled.
    pub fn make_move(&self, state: &State, thread: usize) -> Option<(State, Vec<Event>)> {
        self.next(state, thread)?;
        let mut run = Run { machine: self, state: state.clone(), thread, events: Vec::new() };
        match run.one_move() {
            Ok(()) => run.own_business(),
            Err(Trouble::Stuck) => run.state.threads[thread].status = Status::Stuck,
            Err(Trouble::Blocked) => return None,
        }
        Some((run.state, run.events))
    }
}

fn pointer(id: GlobalId, offset: i64) -> u128 {
    // Farther away than an object can be large, it leads nowhere: not to the object whose number comes next.
    if offset.unsigned_abs() >> OFFSET_BITS != 0 {
        return 0;
    }
    u128::from(((id.index() as u64 + 1) << OFFSET_BITS).wrapping_add(offset as u64))
}

fn constant(operand: Operand) -> u128 {
    match operand {
        Operand::Const { bits, .. } => bits,
        Operand::Global { id, offset } => pointer(id, offset),
        Operand::Func(id) => (1 << 31 | id.index() as u128) << OFFSET_BITS,
        Operand::Reg(_) => unreachable!(),
    }
}

/// Does the step matter to others?
fn matters(op: &StepOp) -> bool {
    match op {
        StepOp::Plain(op) => {
            op.is_step() || matches!(op, Op::Intrinsic { .. } | Op::Violation { .. } | Op::Unsupported { .. })
        }
        StepOp::Create { .. } => false,
        StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => true,
    }
}

impl Run<'_, '_> {
    fn thread(&mut self) -> &mut Thread {
        &mut self.state.threads[self.thread]
    }

    fn here(&self) -> Option<&selvedge_bound::Step> {
        let thread = &self.state.threads[self.thread];
        let block = &self.machine.bounded.threads[self.thread].blocks[BlockId::new(thread.block)];
        block.steps.get(thread.step)
    }

    /// On to the next step that matters.
    fn own_business(&mut self) {
        loop {
            if self.state.threads[self.thread].status != Status::Running || self.state.exited {
                return;
            }
            let done = match self.here().map(|step| &step.op) {
                Some(op) if matters(op) => return,
                Some(_) => self.step(),
                None => self.leave(),
            };
            if done.is_err() {
                self.thread().status = Status::Stuck;
            }
        }
    }

    fn one_move(&mut self) -> Result<(), Trouble> {
        let mut depth = 0u32;
        loop {
            let Some(step) = self.here() else {
                self.leave()?;
                continue;
            };
            depth = match step.op {
                StepOp::Plain(Op::Intrinsic { which: Intrinsic::AtomicBegin, .. }) => depth + 1,
                StepOp::Plain(Op::Intrinsic { which: Intrinsic::AtomicEnd, .. }) => depth.saturating_sub(1),
                _ => depth,
            };
            self.step()?;
            let thread = &self.state.threads[self.thread];
            if depth == 0 || thread.status != Status::Running || self.state.exited {
                return Ok(());
            }
        }
    }

    fn leave(&mut self) -> Result<(), Trouble> {
        let thread = &self.state.threads[self.thread];
        let block = &self.machine.bounded.threads[self.thread].blocks[BlockId::new(thread.block)];
        let to = match &block.term {
            Terminator::Jump(to) => *to,
            Terminator::Branch { cond, then, otherwise } => {
                if self.value(*cond) & 1 == 1 {
                    *then
                } else {
                    *otherwise
                }
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.value(*value);
                cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, to)| *to)
            }
            Terminator::Cut(_) | Terminator::Stop => return Err(Trouble::Stuck),
        };
        let thread = self.thread();
        (thread.block, thread.step) = (to.index(), 0);
        Ok(())
    }

    fn value(&self, operand: Operand) -> u128 {
        match operand {
            Operand::Reg(reg) => self.state.threads[self.thread].regs[reg.index()],
            other => constant(other),
        }
    }

    fn width(&self, operand: Operand) -> u32 {
        let ty = match operand {
            Operand::Reg(reg) => self.machine.bounded.threads[self.thread].regs[reg].ty,
            Operand::Const { ty, .. } => ty,
            _ => Ty::Ptr,
        };
        ty.bits(self.machine.bounded.program.data_model)
    }

    fn set(&mut self, reg: Reg, value: u128) {
        let value = truncate(self.width(Operand::Reg(reg)), value);
        self.thread().regs[reg.index()] = value;
        if let Some(event) = self.events.last_mut() {
            event.set.push((reg, value));
        }
    }

    fn step(&mut self) -> Result<(), Trouble> {
        let (block, step) = (self.state.threads[self.thread].block, self.state.threads[self.thread].step);
        let block = BlockId::new(block);
        let bounded = self.machine.bounded;
        let op = &bounded.threads[self.thread].blocks[block].steps[step].op;
        let event = Event {
            thread: self.thread,
            block,
            step,
            touched: Vec::new(),
            set: Vec::new(),
            values: Vec::new(),
            violation: false,
        };
        self.events.push(event);
        match op {
            StepOp::Plain(op) => self.plain(op)?,
            StepOp::Create { dst, object, .. } => {
                let filler = if mix(self.machine.seed ^ object.index() as u64) & 1 == 0 { 0 } else { 0xf3 };
                let size = bounded.objects[*object].size as usize;
                self.state.memory[object.index()] = Some(vec![filler; size]);
                self.set(*dst, pointer(*object, 0));
            }
            StepOp::End { objects } | StepOp::Finish { objects } => {
                for object in objects {
                    self.state.memory[object.index()] = None;
                }
                if matches!(op, StepOp::Finish { .. }) {
                    self.thread().status = Status::Finished;
                }
            }
            StepOp::Spawn { dst, thread, args } => {
                let values: Vec<u128> = args.iter().map(|arg| self.value(*arg)).collect();
                if let Some(dst) = dst {
                    self.set(*dst, *thread as u128);
                }
                let mut created =
                    Run { machine: self.machine, state: self.state.clone(), thread: *thread, events: vec![] };
                created.thread().status = Status::Running;
                for (param, value) in bounded.threads[*thread].params.iter().zip(values) {
                    created.thread().regs[param.index()] = value;
                }
                created.own_business();
                self.state = created.state;
                self.events.extend(created.events);
            }
        }
        self.thread().step = step + 1;
        Ok(())
    }

    /// Where an access goes, if it is a good one.
    fn locate(&self, address: u128, bytes: i64) -> Result<(GlobalId, i64), Trouble> {
        let slot = (address as u64 >> OFFSET_BITS) as usize;
        let offset = (address as u64 & ((1 << OFFSET_BITS) - 1)) as i64;
        let object = slot.checked_sub(1).and_then(|index| self.state.memory.get(index)).and_then(Option::as_ref);
        match object {
            Some(content) if offset + bytes <= content.len() as i64 => Ok((GlobalId::new(slot - 1), offset)),
            _ => Err(Trouble::Stuck),
        }
    }

    fn touch(&mut self, addr: Operand, bytes: i64, write: bool) -> Result<&mut [u8], Trouble> {
        let (object, at) = self.locate(self.value(addr), bytes)?;
        if let Some(event) = self.events.last_mut() {
            event.touched.push((addr, object, at, bytes, write));
        }
        let content = self.state.memory[object.index()].as_mut().ok_or(Trouble::Stuck)?;
        Ok(&mut content[at as usize..(at + bytes) as usize])
    }

    fn load(&mut self, addr: Operand, bytes: u32) -> Result<u128, Trouble> {
        let content = self.touch(addr, i64::from(bytes), false)?;
        let value = content.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte));
        self.note_value(value, false);
        Ok(value)
    }

    fn store(&mut self, addr: Operand, bytes: u32, value: u128) -> Result<(), Trouble> {
        let content = self.touch(addr, i64::from(bytes), true)?;
        content.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        self.note_value(truncate(8 * bytes, value), true);
        Ok(())
    }

    /// Notes the value of the access that was just made.
    fn note_value(&mut self, value: u128, write: bool) {
        if let Some(event) = self.events.last_mut()
            && let Some((_, object, at, bytes, _)) = event.touched.last()
        {
            event.values.push((*object, *at, *bytes as u32, value, write));
        }
    }

    fn plain(&mut self, op: &Op) -> Result<(), Trouble> {
        let model = self.machine.bounded.program.data_model;
        match *op {
            Op::Compute(Computation::Copy { dst, src }) => self.set(dst, self.value(src)),
            Op::Compute(Computation::Binary { dst, op, a, b, .. }) => {
                let value = self.binary(op, a, b)?;
                self.set(dst, value);
            }
            Op::Compute(Computation::Unary { dst, op, a }) => {
                let value = unary(op, self.width(a), self.value(a));
                self.set(dst, value);
            }
            Op::Compute(Computation::Compare { dst, op, a, b }) => {
                let holds = compare(op, self.width(a), self.value(a), self.value(b));
                self.set(dst, u128::from(holds));
            }
            Op::Compute(Computation::Cast { dst, cast, src }) => {
                let value = self.value(src);
                let value = match cast {
                    Cast::SignExtend => signed(self.width(src), value) as u128,
                    Cast::ZeroExtend | Cast::Truncate | Cast::PtrToInt | Cast::IntToPtr | Cast::Reinterpret => value,
                    _ => return Err(Trouble::Stuck),
                };
                self.set(dst, value);
            }
            Op::Compute(Computation::Select { dst, cond, a, b }) => {
                let chosen = if self.value(cond) & 1 == 1 { a } else { b };
                self.set(dst, self.value(chosen));
            }
            Op::Compute(Computation::Field { dst, base, bytes, .. }) => {
                self.set(dst, self.value(base).wrapping_add(bytes as u128))
            }
            Op::Compute(Computation::Index { dst, base, index, stride, .. }) => {
                let by = signed(self.width(index), self.value(index)).wrapping_mul(i128::from(stride));
                self.set(dst, self.value(base).wrapping_add(by as u128));
            }
            Op::Load { dst, addr, .. } => {
                let value = self.load(addr, self.width(Operand::Reg(dst)).div_ceil(8))?;
                self.set(dst, value);
            }
            Op::Store { ty, addr, value, .. } => self.store(addr, ty.bytes(model), self.value(value))?,
            Op::Rmw { dst, op, addr, value, .. } => {
                let width = self.width(Operand::Reg(dst));
                let old = truncate(width, self.load(addr, width.div_ceil(8))?);
                let value = self.value(value);
                let (s_old, s_value) = (signed(width, old), signed(width, value));
                let new = match op {
                    RmwOp::Exchange => value,
                    RmwOp::Add => old.wrapping_add(value),
                    RmwOp::Sub => old.wrapping_sub(value),
                    RmwOp::And => old & value,
                    RmwOp::Nand => !(old & value),
                    RmwOp::Or => old | value,
                    RmwOp::Xor => old ^ value,
                    RmwOp::Max => {
                        if s_old < s_value {
                            value
                        } else {
                            old
                        }
                    }
                    RmwOp::Min => {
                        if s_old < s_value {
                            old
                        } else {
                            value
                        }
                    }
                    RmwOp::UMax => old.max(value),
                    RmwOp::UMin => old.min(value),
                    RmwOp::FAdd | RmwOp::FSub => return Err(Trouble::Stuck),
                };
                self.store(addr, width.div_ceil(8), truncate(width, new))?;
                self.set(dst, old);
            }
            Op::CmpXchg { old, success, addr, expected, new, .. } => {
                let width = self.width(Operand::Reg(old));
                let found = truncate(width, self.load(addr, width.div_ceil(8))?);
                let hit = found == self.value(expected);
                if hit {
                    self.store(addr, width.div_ceil(8), self.value(new))?;
                }
                self.set(old, found);
                self.set(success, u128::from(hit));
            }
            Op::MemCopy { dst, src, len, .. } => {
                let len = self.value(len) as i64;
                if len > 0 {
                    let content = self.touch(src, len, false)?.to_vec();
                    self.touch(dst, len, true)?.copy_from_slice(&content);
                }
            }
            Op::MemSet { dst, byte, len } => {
                let (byte, len) = (self.value(byte) as u8, self.value(len) as i64);
                if len > 0 {
                    self.touch(dst, len, true)?.fill(byte);
                }
            }
            Op::Nondet { dst, range, .. } => {
                // Independent of the order in which the threads run.
                let thread = &self.state.threads[self.thread];
                let place = (self.thread << 40 | thread.block << 20 | thread.step) as u64;
                let drawn = u128::from(mix(self.machine.seed ^ mix(place)) % 5);
                let value = match range {
                    Some((low, high)) => {
                        let (low, high) = (self.value(low), self.value(high));
                        if high < low {
                            return Err(Trouble::Stuck);
                        }
                        low + drawn % (high - low + 1).min(5)
                    }
                    None => drawn.wrapping_sub(1),
                };
                self.set(dst, value);
            }
            Op::Intrinsic { dst, which, ref args } => self.intrinsic(dst, which, args)?,
            Op::Violation { property, .. } => {
                if self.machine.checked.contains(property) {
                    if let Some(event) = self.events.last_mut() {
                        event.violation = true;
                    }
                    return Err(Trouble::Stuck);
                }
            }
            Op::Fence { .. } => {}
            _ => return Err(Trouble::Stuck),
        }
        Ok(())
    }

    fn binary(&self, op: BinOp, a: Operand, b: Operand) -> Result<u128, Trouble> {
        binary(op, self.width(a), self.value(a), self.value(b)).ok_or(Trouble::Stuck)
    }

    fn intrinsic(&mut self, dst: Option<Reg>, which: Intrinsic, args: &[Operand]) -> Result<(), Trouble> {
        let result = match which {
            Intrinsic::BlockUntil if self.value(args[0]) & 1 == 0 => return Err(Trouble::Blocked),
            Intrinsic::Assume if self.value(args[0]) & 1 == 0 => return Err(Trouble::Stuck),
            Intrinsic::Finished | Intrinsic::PollFinished => {
                let asked = self.state.threads.get(self.value(args[0]) as usize);
                u128::from(asked.is_none_or(|thread| thread.status == Status::Finished))
            }
            Intrinsic::Created => {
                let asked = self.state.threads.get(self.value(args[0]) as usize);
                u128::from(asked.is_some_and(|thread| thread.status != Status::NotBegun))
            }
            Intrinsic::ProcessExit => {
                self.state.exited = true;
                0
            }
            Intrinsic::Free => {
                let (object, at) = self.locate(self.value(args[0]), 0)?;
                if at != 0 || self.machine.bounded.objects[object].kind != ObjectKind::Heap {
                    return Err(Trouble::Stuck);
                }
                if let Some(event) = self.events.last_mut() {
                    event.touched.push((args[0], object, 0, 0, true));
                }
                self.state.memory[object.index()] = None;
                0
            }
            Intrinsic::ObjectSize => match self.locate(self.value(args[0]), 0) {
                Ok((object, _)) => u128::from(self.machine.bounded.objects[object].size),
                Err(_) => 0,
            },
            Intrinsic::ObjectOffset => self.locate(self.value(args[0]), 0).map_or(0, |(_, at)| at as u128),
            Intrinsic::CheckRead | Intrinsic::CheckWrite => {
                let len = self.value(args[1]) as i64;
                if len > 0 {
                    self.locate(self.value(args[0]), len)?;
                }
                0
            }
            Intrinsic::BlockUntil
            | Intrinsic::Assume
            | Intrinsic::AtomicBegin
            | Intrinsic::AtomicEnd
            | Intrinsic::Yield
            | Intrinsic::Acquired
            | Intrinsic::Released
            | Intrinsic::WaitsFor => 0,
            _ => return Err(Trouble::Stuck),
        };
        if let Some(dst) = dst {
            self.set(dst, result);
        }
        Ok(())
    }
}
