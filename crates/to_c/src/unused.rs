//! Removes code that makes no difference: registers that are never read, loads into them, stores to bytes that
//! are never read. The bookkeeping of the models goes this way, as far as a program does not need it.

use crate::code::{Code, Item, What};
use crate::objects::is_inside;
use selvedge_analyze::Facts;
use selvedge_bound::StepOp;
use selvedge_program::{EntityRef, GlobalId, Op, Operand, Property, Purpose};
use std::collections::{BTreeSet, HashSet};

/// `counts_stores`: buffers are bounded, so that every store in them matters.
pub fn remove(facts: &Facts<'_>, mortal: &[bool], counts_stores: bool, codes: &mut [Code]) {
    loop {
        let reads = Reads::new(facts, mortal, counts_stores, codes);
        let used: Vec<Vec<bool>> =
            (0..facts.bounded.threads.len()).map(|thread| used_registers(facts, thread, codes)).collect();
        let mut changed = false;
        for code in codes.iter_mut() {
            let thread = code.thread;
            for item in code.items_mut() {
                if let Some(What::Step(op)) = &item.what
                    && is_useless(facts, thread, item, op, &used[thread], &reads)
                {
                    item.what = None;
                    changed = true;
                }
            }
            code.tidy(facts);
        }
        if !changed {
            return;
        }
    }
}

/// The bytes that may be read, by object; and the objects whose addresses are used.
struct Reads<'a> {
    mortal: &'a [bool],
    counts_stores: bool,
    bytes: Vec<BTreeSet<(i64, i64)>>,
    mentioned: HashSet<GlobalId>,
}

impl<'a> Reads<'a> {
    fn new(facts: &Facts<'_>, mortal: &'a [bool], counts_stores: bool, codes: &[Code]) -> Reads<'a> {
        let mut bytes = vec![BTreeSet::new(); facts.bounded.objects.len()];
        for code in codes {
            for (item, op) in code.steps() {
                let reads = |op: &Op| op.memory().any(|access| access.reads && access.writes);
                let changes = matches!(op, StepOp::Plain(op) if reads(op));
                for access in facts.interference.accesses(code.thread, item.at.0, item.at.1) {
                    if changes || !access.write {
                        bytes[access.object.index()].insert((access.from, access.to));
                    }
                }
            }
        }
        Reads { mortal, counts_stores, bytes, mentioned: mentioned(facts, codes) }
    }

    fn any(&self, object: GlobalId, from: i64, to: i64) -> bool {
        self.bytes[object.index()].iter().any(|(start, end)| *start < to && from < *end)
    }
}

/// The objects whose addresses may be known, or that are used by name.
pub fn mentioned(facts: &Facts<'_>, codes: &[Code]) -> HashSet<GlobalId> {
    let mut mentioned = HashSet::new();
    let mut note = |operand: Operand| {
        if let Operand::Global { id, .. } = operand {
            mentioned.insert(id);
        }
    };
    for code in codes {
        code.items().filter_map(|item| item.what.as_ref()).for_each(|what| what.for_each_use(&mut note));
        code.blocks().filter_map(|(_, block)| block.term.decision()).for_each(&mut note);
    }
    for code in codes {
        let used = used_registers(facts, code.thread, codes);
        for (_, op) in code.steps() {
            if let StepOp::Create { dst, object, .. } = op
                && used[dst.index()]
            {
                mentioned.insert(*object);
            }
        }
    }
    let mut open: Vec<GlobalId> = mentioned.iter().copied().collect();
    while let Some(object) = open.pop() {
        let Some(global) = facts.bounded.program.globals.get(object) else { continue };
        for relocation in &global.relocations {
            if let Operand::Global { id, .. } = relocation.target
                && mentioned.insert(id)
            {
                open.push(id);
            }
        }
    }
    mentioned
}

/// By register: is it read?
pub fn used_registers(facts: &Facts<'_>, thread: usize, codes: &[Code]) -> Vec<bool> {
    let mut used = vec![false; facts.bounded.threads[thread].regs.len()];
    let mut note = |operand: Operand| {
        if let Operand::Reg(reg) = operand {
            used[reg.index()] = true;
        }
    };
    for code in codes.iter().filter(|code| code.thread == thread) {
        code.items().filter_map(|item| item.what.as_ref()).for_each(|what| what.for_each_use(&mut note));
        code.blocks().filter_map(|(_, block)| block.term.decision()).for_each(&mut note);
    }
    used
}

fn is_useless(facts: &Facts<'_>, thread: usize, item: &Item, op: &StepOp, used: &[bool], reads: &Reads<'_>) -> bool {
    if op.defs().iter().any(|reg| used[reg.index()]) {
        return false;
    }
    let accesses = facts.interference.accesses(thread, item.at.0, item.at.1);
    let nobody_reads = || accesses.iter().all(|access| !reads.any(access.object, access.from, access.to));
    let memory = facts.properties.contains(Property::Memory);
    match op {
        StepOp::Create { object, .. } => !reads.mentioned.contains(object),
        StepOp::Plain(Op::Load { dst, addr, .. }) => {
            let ty = facts.bounded.threads[thread].regs[*dst].ty;
            !memory
                || is_inside(facts, reads.mortal, *addr, u64::from(ty.bytes(facts.bounded.program.data_model)), false)
        }
        StepOp::Plain(Op::Store { ty, addr, .. }) => {
            let bytes = u64::from(ty.bytes(facts.bounded.program.data_model));
            is_inside(facts, reads.mortal, *addr, bytes, true)
                && nobody_reads()
                && !matters_unread(facts, thread, item, reads)
        }
        StepOp::Plain(Op::MemSet { dst, len: Operand::Const { bits, .. }, .. }) => {
            let bytes = u64::try_from(*bits).unwrap_or(u64::MAX);
            is_inside(facts, reads.mortal, *dst, bytes, true)
                && nobody_reads()
                && !matters_unread(facts, thread, item, reads)
        }
        StepOp::Plain(Op::Intrinsic { which, .. })
            if matches!(which.purpose(), Purpose::AsksThread | Purpose::Counts) =>
        {
            true
        }
        StepOp::Plain(op) => op.is_pure(facts.properties),
        StepOp::End { .. } | StepOp::Spawn { .. } | StepOp::Finish { .. } => false,
    }
}

/// Does a store that is never read decide when others arrive? Under PSO it may have bytes of two of them; and it takes
/// its room in a buffer that is bounded.
fn matters_unread(facts: &Facts<'_>, thread: usize, item: &Item, reads: &Reads<'_>) -> bool {
    let model = facts.bounded.program.memory_model;
    let orders = !model.keeps_order(false, false, false) || reads.counts_stores && model.has_buffers();
    orders && facts.interference.visible(thread, item.at.0, item.at.1)
}
