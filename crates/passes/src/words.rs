//! Accesses of more than a machine word become accesses of single words.
//!
//! C promises no more than that an object of an atomic type is read and written at once (C11 5.1.2.4p4, 7.17.5), and
//! hardware no more than that one naturally aligned machine word is. Between the words of a struct that is assigned, of
//! a block that is copied or filled, of a 128-bit integer, and of a 64-bit number on a machine of 32 bits, another
//! thread or a signal's handler may come. Such accesses are split here, into as many as it takes, where threads may
//! meet ([`Meeting`]); everywhere else they stay one operation. A word lies where the object's alignment promises it
//! to: a struct of two ints has two. Copying from one such place to another reads a word before it writes it.
//!
//! A function of the models that accesses its caller's memory (`memcpy`) has a copy in which these accesses are split,
//! and which is called where threads may meet in that memory. Inside of atomic sections nothing is split.

mod meeting;
mod split;

pub(crate) use meeting::Meeting;
use selvedge_program::{
    Access, Assumption, BlockId, CANCELLATION, Callee, Computation, EntityRef, FuncId, Function, INTERRUPTION, Op,
    Operand, Origin, Program, Ty,
};
use std::collections::HashMap;

/// The size of the steps in which an access of several words is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AggregateSteps {
    #[default]
    Words,
    Whole,
}

/// An access that others may interrupt: how what is read lies, and what is written, where threads meet.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Torn {
    reads: Option<Alignment>,
    writes: Option<Alignment>,
}

/// By place in a function.
type Plan = HashMap<(BlockId, usize), Torn>;

pub fn words(program: &mut Program, steps: AggregateSteps) {
    let Some(meeting) = Meeting::of(program).filter(|meeting| !meeting.is_empty()) else { return };
    let plans: Vec<(FuncId, Plan)> = program
        .functions
        .iter()
        .map(|(id, function)| (id, plan(program, &meeting, id, function)))
        .filter(|(_, plan)| !plan.is_empty())
        .collect();
    if plans.is_empty() {
        return;
    }
    if steps == AggregateSteps::Whole {
        program.assumptions.push(Assumption::WholeAggregates);
        return;
    }
    let models = plans.iter().map(|(id, _)| *id).filter(|id| program.functions[*id].origin == Origin::Model);
    let first = program.functions.len();
    let copies: HashMap<FuncId, FuncId> =
        models.enumerate().map(|(number, id)| (id, FuncId::new(first + number))).collect();
    call_copies(program, &meeting, &copies);
    let is_interruption =
        |f: &Function| f.origin == Origin::Model && [INTERRUPTION, CANCELLATION].contains(&f.name.as_str());
    let interruptions: Vec<FuncId> =
        program.functions.iter().filter(|(_, f)| is_interruption(f)).map(|(id, _)| id).collect();
    for (id, plan) in plans {
        let mut target = id;
        if copies.contains_key(&id) {
            let copy = program.functions[id].clone();
            target = program.functions.push(copy);
        }
        split::split(program.data_model, &mut program.functions[target], &plan, &interruptions);
    }
}

/// The accesses of a function that are to be split.
fn plan(program: &Program, meeting: &Meeting, id: FuncId, function: &Function) -> Plan {
    let mut plan = Plan::new();
    let alignments = Alignments::of(program, meeting, id, function);
    meeting.for_each_accompanied(id, function, |block, index, op| {
        let mut torn = Torn { reads: None, writes: None };
        for access in op.memory().filter(|access| meeting.at(id, access.addr)) {
            let lies = Some(alignments.of_operand(access.addr));
            torn.reads = if access.reads { lies } else { torn.reads };
            torn.writes = if access.writes { lies } else { torn.writes };
        }
        if is_wide(program, function, op, torn) {
            plan.insert((block, index), torn);
        }
    });
    plan
}

/// Is it more than one step of the hardware?
fn is_wide(program: &Program, function: &Function, op: &Op, torn: Torn) -> bool {
    let model = program.data_model;
    let word = model.pointer_bytes();
    let is_wide_value = |ty: Ty, access: Access| {
        let met = torn.reads.or(torn.writes);
        !matches!(access, Access::Atomic(_)) && met.is_some_and(|lies| lies.may_cross(ty.bytes(model), word))
    };
    match op {
        Op::Load { dst, access, .. } => is_wide_value(function.regs[*dst].ty, *access),
        Op::Store { ty, access, .. } => is_wide_value(*ty, *access),
        Op::MemCopy { len, .. } | Op::MemSet { len, .. } => match (torn.reads, torn.writes) {
            (None, None) => false,
            (Some(_), Some(_)) => true,
            (Some(lies), None) | (None, Some(lies)) => {
                !matches!(len, Operand::Const { bits, .. } if *bits <= u128::from(lies.grain(word)))
            }
        },
        Op::Rmw { .. }
        | Op::CmpXchg { .. }
        | Op::Compute(_)
        | Op::Fence { .. }
        | Op::Alloca { .. }
        | Op::StackSave { .. }
        | Op::StackRestore { .. }
        | Op::Call { .. }
        | Op::Nondet { .. }
        | Op::Intrinsic { .. }
        | Op::Violation { .. }
        | Op::Unsupported { .. } => false,
    }
}

/// Lets calls that hand over memory where threads meet, and all others whose target is computed, go to the copies.
fn call_copies(program: &mut Program, meeting: &Meeting, copies: &HashMap<FuncId, FuncId>) {
    let mut calls = vec![];
    for (id, function) in &program.functions {
        meeting.for_each_accompanied(id, function, |block, index, op| {
            if let Op::Call { callee: Callee::Direct(callee), args, .. } = op
                && let Some(copy) = copies.get(callee)
                && args.iter().any(|arg| meeting.at(id, *arg))
            {
                calls.push((id, block, index, *copy));
            }
        });
    }
    for (id, block, index, copy) in calls {
        if let Op::Call { callee, .. } = &mut program.functions[id].blocks[block].insts[index].op {
            *callee = Callee::Direct(copy);
        }
    }
    let rename = |operand: &mut Operand| {
        if let Operand::Func(id) = operand {
            *id = copies.get(id).copied().unwrap_or(*id);
        }
    };
    for block in program.functions.values_mut().flat_map(|function| function.blocks.values_mut()) {
        block.insts.iter_mut().for_each(|inst| inst.op.for_each_use_mut(rename));
        block.term.for_each_use_mut(rename);
    }
    for relocation in program.globals.values_mut().flat_map(|global| &mut global.relocations) {
        rename(&mut relocation.target);
    }
}

/// The alignment of addresses, as far as a function shows it.
struct Alignments<'a> {
    program: &'a Program,
    meeting: &'a Meeting,
    id: FuncId,
    /// By register: the one operation that writes it.
    written_by: Vec<Option<&'a Computation>>,
}

/// How many operations an address is followed back.
const FAR: usize = 16;

impl<'a> Alignments<'a> {
    fn of(program: &'a Program, meeting: &'a Meeting, id: FuncId, function: &'a Function) -> Alignments<'a> {
        let mut written_by = vec![None; function.regs.len()];
        let mut written = vec![0u32; function.regs.len()];
        function.params.iter().for_each(|reg| written[reg.index()] += 1);
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            for reg in inst.op.defs() {
                written[reg.index()] += 1;
                written_by[reg.index()] =
                    if let Op::Compute(computation) = &inst.op { Some(computation) } else { None };
            }
        }
        for (by, written) in written_by.iter_mut().zip(written) {
            *by = by.filter(|_| written == 1);
        }
        Alignments { program, meeting, id, written_by }
    }

    fn of_operand(&self, operand: Operand) -> Alignment {
        self.within(operand, FAR)
    }

    fn within(&self, operand: Operand, far: usize) -> Alignment {
        match operand {
            Operand::Global { id, offset } => Alignment::of_object(self.program.globals[id].align).behind(offset),
            Operand::Reg(reg) => match self.written_by[reg.index()].filter(|_| far > 0) {
                Some(Computation::Copy { src, .. }) => self.within(*src, far - 1),
                Some(Computation::Field { base, bytes, .. }) => self.within(*base, far - 1).behind(*bytes),
                Some(Computation::Index { base, index, stride, .. }) => {
                    let base = self.within(*base, far - 1);
                    match index {
                        Operand::Const { bits, .. } => base.behind((*bits as i64).wrapping_mul(*stride as i64)),
                        _ => base.every(*stride as i64),
                    }
                }
                _ => Alignment::of_object(self.meeting.alignment(self.program, self.id, operand)),
            },
            Operand::Const { .. } | Operand::Func(_) => Alignment::of_object(1),
        }
    }
}

/// Addresses that leave a remainder when they are divided by a power of two.
#[derive(Clone, Copy, PartialEq)]
struct Alignment {
    modulus: u32,
    remainder: u32,
    /// The modulus for a number there: elements of an array whose index is not known lie as the first one does.
    of_numbers: u32,
}

impl Alignment {
    fn of_object(align: u32) -> Alignment {
        let align = align.max(1);
        Alignment { modulus: align, remainder: 0, of_numbers: align }
    }

    fn behind(self, bytes: i64) -> Alignment {
        let remainder = (i64::from(self.remainder) + bytes).rem_euclid(i64::from(self.of_numbers)) as u32;
        Alignment { remainder, ..self }
    }

    /// Any number of steps of so many bytes further on.
    fn every(self, bytes: i64) -> Alignment {
        Alignment { modulus: self.modulus.min(lowest_bit(bytes)), ..self }
    }

    /// The length of pieces that each lie within a word.
    fn grain(self, word: u32) -> u32 {
        self.modulus.min(lowest_bit(i64::from(self.remainder))).min(word)
    }

    /// May a number of so many bytes lie in more than one word?
    fn may_cross(self, bytes: u32, word: u32) -> bool {
        let step = self.of_numbers.min(word);
        (self.remainder % step..word).step_by(step as usize).any(|at| at + bytes > word)
    }

    /// The pieces of a number that hardware reads and writes, by offset, with their lengths.
    fn pieces(self, bytes: u32, word: u32) -> Vec<(u32, u32)> {
        let is_known = self.of_numbers >= word;
        let (first, step) = match is_known {
            true => (word - self.remainder % word, word),
            false if bytes > word => (word, word),
            false => (self.grain(word), self.grain(word)),
        };
        let ends = std::iter::once(first).chain((first + step..).step_by(step as usize));
        let mut at = 0;
        let mut pieces = vec![];
        for end in ends {
            pieces.push((at, end.min(bytes) - at));
            at = end;
            if at >= bytes {
                break;
            }
        }
        pieces
    }
}

/// The greatest power of two that divides it.
fn lowest_bit(bytes: i64) -> u32 {
    if bytes == 0 { 1 << 31 } else { 1 << bytes.trailing_zeros().min(31) }
}
