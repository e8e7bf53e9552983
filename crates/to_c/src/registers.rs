//! The uses of registers: how often a value is used before the next point, and which must outlive one.
//!
//! One pass backwards, since jumps only go forward.

use crate::code::{Code, What};
use crate::types::Types;
use selvedge_bound::{StepOp, Thread};
use selvedge_program::{Computation, DebugType, EntityRef, Op, Operand, Reg, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The uses of a value before its register is written again.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Fate {
    /// How often it is read in its block before the next point.
    pub uses: u32,
    /// It is also read behind a point, or in another block.
    pub escapes: bool,
}

/// The scope of a register's variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Storage {
    /// In the piece of code that writes it.
    Scoped,
    /// In the function, but not from turn to turn.
    Local,
    /// It keeps its value from turn to turn.
    Static,
    /// A parameter, set by the thread that creates this one.
    Argument,
}

/// By point: registers.
pub type Kept = BTreeMap<usize, BTreeSet<Reg>>;

pub struct Registers {
    /// By block, item and register.
    fates: HashMap<(usize, usize, Reg), Fate>,
    pub storage: Vec<Storage>,
    /// The types that pointers in a register are used to point to.
    pub pointees: Vec<Option<TypeId>>,
    /// By root of the code: what is read there that was written before.
    pub needed: Vec<BTreeSet<Reg>>,
}

impl Registers {
    /// `kept`: what must be there when the thread stands before a point.
    pub fn new(code: &Code, thread: &Thread, types: &Types, kept: &Kept) -> Registers {
        let mut registers = Registers {
            fates: HashMap::new(),
            storage: vec![Storage::Scoped; thread.regs.len()],
            pointees: pointees(code, thread, types),
            needed: Vec::new(),
        };
        let mut live: Vec<BTreeSet<Reg>> = vec![BTreeSet::new(); code.blocks.len()];
        for (at, block) in code.blocks().rev() {
            let mut fates: BTreeMap<Reg, Fate> = BTreeMap::new();
            for reg in block.term.successors().iter().flat_map(|to| &live[to.index()]) {
                fates.insert(*reg, Fate { uses: 0, escapes: true });
            }
            let used = |fates: &mut BTreeMap<Reg, Fate>, operand: Operand| {
                if let Operand::Reg(reg) = operand {
                    fates.entry(reg).or_default().uses += 1;
                }
            };
            block.term.decision().into_iter().for_each(|operand| used(&mut fates, operand));
            for (index, item) in block.items.iter().enumerate().rev() {
                match &item.what {
                    Some(What::Step(op)) => {
                        for reg in op.defs() {
                            let fate = fates.remove(&reg).unwrap_or_default();
                            registers.fates.insert((at, index, reg), fate);
                            if fate.escapes {
                                registers.at_least(reg, Storage::Local);
                            }
                        }
                        op.for_each_use(|operand| used(&mut fates, operand));
                    }
                    Some(what) => what.for_each_use(|operand| used(&mut fates, operand)),
                    None => {}
                }
                // Registers that are needed behind a point must be kept there.
                if let Some(point) = item.point {
                    fates.extend(kept.get(&point).into_iter().flatten().map(|reg| (*reg, Fate::default())));
                    for (reg, fate) in &mut fates {
                        *fate = Fate { uses: 0, escapes: true };
                        registers.at_least(*reg, Storage::Static);
                    }
                }
            }
            live[at] = fates.into_keys().collect();
        }
        registers.needed = code.roots.iter().map(|(_, root)| live[*root].clone()).collect();
        // These are never set: they are zero.
        for reg in registers.needed.clone().iter().flatten().chain(kept.get(&0).into_iter().flatten()) {
            registers.at_least(*reg, Storage::Static);
        }
        for param in &thread.params {
            registers.storage[param.index()] = Storage::Argument;
        }
        registers
    }

    fn at_least(&mut self, reg: Reg, storage: Storage) {
        let known = &mut self.storage[reg.index()];
        *known = storage.max(*known);
    }

    pub fn fate(&self, block: usize, item: usize, reg: Reg) -> Fate {
        self.fates.get(&(block, item, reg)).copied().unwrap_or_default()
    }
}

/// The types that registers point to: from their uses, else from the variables that they hold.
fn pointees(code: &Code, thread: &Thread, types: &Types) -> Vec<Option<TypeId>> {
    let mut pointees = vec![None; thread.regs.len()];
    for (_, op) in code.steps() {
        if let StepOp::Plain(Op::Compute(Computation::Field { base: Operand::Reg(reg), of: Some(of), .. })) = op {
            pointees[reg.index()] = pointees[reg.index()].or(types.pointee(*of));
        }
    }
    for (reg, info) in &thread.regs {
        if let Some(debug) = info.debug
            && let DebugType::Pointer { to } = types.get(debug)
            && let Some(to) = types.pointee(*to)
        {
            pointees[reg.index()] = Some(to);
        }
    }
    pointees
}
