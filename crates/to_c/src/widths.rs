//! Variables with no more bits than their values need (Lazy-CSeq 2.0, TACAS 2017).
//!
//! An integer, or an array of them, may be narrower than C says if all that is done to it is to read and write it by
//! its name: then nobody sees how it lies in memory. Whatever is reached by an address keeps its width (an element of
//! an array whose index is computed may be, if the index is older than a point), and so does what is part of a struct.
//! In expressions C promotes narrow values to `int`; where the variable's own type is another, a cast says so.

use crate::code::{Code, What};
use crate::types::{CType, Types};
use selvedge_analyze::{Bits, Facts, Intervals, Range};
use selvedge_bound::{ObjectKind, StepOp};
use selvedge_program::{DebugType, GlobalId, Op, Operand, Reg, Ty, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub struct Widths<'a> {
    intervals: Option<&'a Intervals>,
    objects: BTreeMap<GlobalId, Bits>,
}

impl<'a> Widths<'a> {
    /// `objects`: the type of each.
    pub fn new(
        facts: &Facts<'_>,
        codes: &[Code],
        intervals: Option<&'a Intervals>,
        types: &Types,
        objects: impl Iterator<Item = (GlobalId, TypeId)>,
    ) -> Widths<'a> {
        let Some(known) = intervals else { return Widths { intervals, objects: BTreeMap::new() } };
        let names = Names::new(facts, codes);
        // New objects are filled with any values, byte by byte.
        let kind = |id: GlobalId| facts.bounded.objects[id].kind;
        let lasting = |id: GlobalId| matches!(kind(id), ObjectKind::Global | ObjectKind::ThreadLocal { .. });
        let objects = objects.filter(|(id, _)| lasting(*id));
        let objects = objects.filter_map(|(id, ty)| Some((id, names.needed(types, known, id, ty)?))).collect();
        Widths { intervals, objects }
    }

    pub fn object(&self, id: GlobalId) -> Option<Bits> {
        self.objects.get(&id).copied()
    }

    /// The width of a register's variable.
    pub fn register(&self, thread: usize, reg: Reg, ty: CType) -> Option<Bits> {
        narrower(self.intervals?.register(thread, reg), ty)
    }
}

/// In an expression it is not what its own type says.
pub fn needs_cast(ty: CType) -> bool {
    matches!(ty, CType::Int { bits, signed } if bits > 32 || bits == 32 && !signed)
}

fn narrower(range: Range, ty: CType) -> Option<Bits> {
    let CType::Int { bits, .. } = ty else { return None };
    let needed = range.bits();
    let count = needed.count.max(1);
    (count < bits && range.width() == bits).then_some(Bits { count, ..needed })
}

type Addresses = HashMap<Reg, Vec<GlobalId>>;

/// The uses of objects.
#[derive(Default)]
struct Names {
    /// Otherwise than by their names.
    reached: BTreeSet<GlobalId>,
    /// The widths in bytes of the accesses by name.
    accesses: HashMap<GlobalId, BTreeSet<u64>>,
    /// Read and written at once.
    modified: BTreeSet<GlobalId>,
}

impl Names {
    fn new(facts: &Facts<'_>, codes: &[Code]) -> Names {
        let mut names = Names::default();
        let targets = facts.bounded.program.globals.values().flat_map(|global| &global.relocations);
        targets.for_each(|relocation| names.reach(relocation.target));
        codes.iter().for_each(|code| names.thread(facts, code));
        names
    }

    fn thread(&mut self, facts: &Facts<'_>, code: &Code) {
        let model = facts.bounded.program.data_model;
        let regs = &facts.bounded.threads[code.thread].regs;
        let bytes = |ty: Ty| u64::from(ty.bytes(model));
        // Registers that hold the address of an object that came to life.
        let mut addresses = Addresses::new();
        for (_, op) in code.steps() {
            if let StepOp::Create { dst, object, .. } = op {
                addresses.entry(*dst).or_default().push(*object);
            }
        }
        for item in code.items() {
            match &item.what {
                Some(What::Step(StepOp::Plain(op))) => match op {
                    Op::Load { dst, addr, .. } => self.access(&addresses, *addr, bytes(regs[*dst].ty)),
                    Op::Store { ty, addr, value, .. } => {
                        self.access(&addresses, *addr, bytes(*ty));
                        self.value(&addresses, *value);
                    }
                    Op::Rmw { dst, addr, value, .. } => {
                        self.access(&addresses, *addr, bytes(regs[*dst].ty));
                        self.modify(*addr);
                        self.value(&addresses, *value);
                    }
                    Op::CmpXchg { old, addr, expected, new, .. } => {
                        self.access(&addresses, *addr, bytes(regs[*old].ty));
                        self.modify(*addr);
                        [*expected, *new].into_iter().for_each(|operand| self.value(&addresses, operand));
                    }
                    op => op.for_each_use(|operand| self.value(&addresses, operand)),
                },
                Some(what) => what.for_each_use(|operand| self.value(&addresses, operand)),
                None => {}
            }
        }
    }

    fn access(&mut self, addresses: &Addresses, addr: Operand, bytes: u64) {
        match addr {
            Operand::Global { id, offset } if offset >= 0 && (offset as u64).is_multiple_of(bytes) => {
                self.accesses.entry(id).or_default().insert(bytes);
            }
            other => self.value(addresses, other),
        }
    }

    fn modify(&mut self, addr: Operand) {
        if let Operand::Global { id, .. } = addr {
            self.modified.insert(id);
        }
    }

    fn value(&mut self, addresses: &Addresses, operand: Operand) {
        match operand {
            Operand::Reg(reg) => self.reached.extend(addresses.get(&reg).into_iter().flatten()),
            other => self.reach(other),
        }
    }

    fn reach(&mut self, operand: Operand) {
        if let Operand::Global { id, .. } = operand {
            self.reached.insert(id);
        }
    }

    fn needed(&self, types: &Types, intervals: &Intervals, id: GlobalId, ty: TypeId) -> Option<Bits> {
        let element = match types.get(ty) {
            DebugType::Array { of, .. } => *of,
            _ => ty,
        };
        let scalar = types.scalar(element)?;
        let bytes = types.size(element);
        let as_declared = self.accesses.get(&id)?.iter().all(|width| *width == bytes);
        let castable = !needs_cast(scalar) || !self.modified.contains(&id);
        if self.reached.contains(&id) || !as_declared || !castable {
            return None;
        }
        let cells = intervals.cells().filter(|(object, ..)| *object == id);
        let mut all: Option<Range> = None;
        for (_, _, width, range) in cells {
            if u64::from(width) != bytes {
                return None;
            }
            all = Some(all.map_or(range, |all| all.join(range)));
        }
        narrower(all?, scalar)
    }
}
