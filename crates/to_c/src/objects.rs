//! Objects as C variables: what they are called, and which types they have.
//!
//! Globals and stack variables have the types of the debug information. Heap objects have none: they get what
//! pointers to them are used as. What nobody knows anything of is looked at through the widths of its accesses,
//! or is nothing but bytes.

use crate::code::Code;
use crate::names::Names;
use crate::types::{CType, Types};
use crate::unused::mentioned;
use selvedge_analyze::Facts;
use selvedge_analyze::Offset;
use selvedge_bound::{ObjectKind, StepOp};
use selvedge_program::{Computation, DebugType, EntityRef, GlobalId, Op, Operand, Reg, Ty, TypeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub struct Object {
    pub name: String,
    pub ty: TypeId,
    /// The variable is a pointer to it: it is allocated when it is created, and may be freed.
    pub mortal: bool,
}

/// Those that are used.
pub type Objects = BTreeMap<GlobalId, Object>;

pub fn objects(facts: &Facts<'_>, codes: &[Code], mortal: &[bool], types: &mut Types, names: &mut Names) -> Objects {
    let used: BTreeSet<GlobalId> = mentioned(facts, codes).into_iter().collect();
    let sized = sized(codes);
    let guesses = Guesses::new(facts, codes, types);
    let mut objects = Objects::new();
    let mut blocks = 0;
    for id in used {
        let object = &facts.bounded.objects[id];
        let wanted = match object.kind {
            ObjectKind::Global | ObjectKind::Stack => object.name.clone(),
            ObjectKind::ThreadLocal { thread, .. } => format!("{}_t{thread}", object.name),
            ObjectKind::Heap => {
                blocks += 1;
                format!("heap_{blocks}")
            }
        };
        let mut ty = guesses.of(facts, types, id);
        // A pointer to an array of open length points to its first element.
        if let DebugType::Array { of, .. } = types.get(ty)
            && mortal[id.index()]
            && sized.contains(&id)
        {
            ty = *of;
        }
        objects.insert(id, Object { name: names.fresh(&wanted), ty, mortal: mortal[id.index()] });
    }
    objects
}

/// Objects whose size is known only at run time.
pub fn sized(codes: &[Code]) -> BTreeSet<GlobalId> {
    let sized = |op: &StepOp| if let StepOp::Create { object, size: Some(_), .. } = op { Some(*object) } else { None };
    codes.iter().flat_map(Code::steps).filter_map(|(_, op)| sized(op)).collect()
}

/// An access to these bytes by the object's name cannot go wrong.
pub fn is_inside(facts: &Facts<'_>, mortal: &[bool], addr: Operand, bytes: u64, write: bool) -> bool {
    let Operand::Global { id, offset } = addr else { return false };
    let object = &facts.bounded.objects[id];
    let constant = object.kind == ObjectKind::Global && facts.bounded.program.globals[id].constant;
    let end = u64::try_from(offset).ok().and_then(|offset| offset.checked_add(bytes));
    let may_fail = mortal[id.index()] || write && constant;
    !may_fail && end.is_some_and(|end| end <= object.size)
}

/// Evidence about objects without a type.
struct Guesses {
    /// The types that pointers to their first byte point to.
    pointees: HashMap<GlobalId, BTreeSet<TypeId>>,
    /// The accesses: from where, which type.
    accesses: HashMap<GlobalId, BTreeSet<(i64, u32, bool)>>,
    /// Some access could not be told.
    unclear: BTreeSet<GlobalId>,
}

impl Guesses {
    fn new(facts: &Facts<'_>, codes: &[Code], types: &Types) -> Guesses {
        let mut guesses = Guesses { pointees: HashMap::new(), accesses: HashMap::new(), unclear: BTreeSet::new() };
        for code in codes {
            let thread = code.thread;
            let regs = &facts.bounded.threads[thread].regs;
            let mut fields = HashMap::new();
            for (item, op) in code.steps() {
                guesses.note_field(facts, types, thread, op, &mut fields);
                if let StepOp::Plain(Op::Compute(Computation::Field { base, of: Some(of), .. })) = op {
                    guesses.note_pointee(facts, thread, *base, *of);
                }
                for reg in op.defs() {
                    if let Some(debug) = regs[reg].debug
                        && let DebugType::Pointer { to } = types.get(debug)
                    {
                        guesses.note_pointee(facts, thread, Operand::Reg(reg), *to);
                    }
                }
                let accessed = |op: &Op| op.memory().next().and_then(|access| access.size.ty(regs));
                let ty = if let StepOp::Plain(op) = op { accessed(op) } else { None };
                let plain = matches!(op, StepOp::Plain(_));
                for access in facts.interference.accesses(thread, item.at.0, item.at.1) {
                    match ty {
                        Some(ty) => guesses.note_access(facts, thread, op, access.object, ty),
                        None if plain && access.from >= 0 => drop(guesses.unclear.insert(access.object)),
                        None => {}
                    }
                }
            }
        }
        guesses
    }

    /// A field that holds a pointer says what it points to, whoever puts it there or takes it.
    fn note_field(
        &mut self,
        facts: &Facts<'_>,
        types: &Types,
        thread: usize,
        op: &StepOp,
        fields: &mut HashMap<Reg, (TypeId, i64)>,
    ) {
        let place = |addr: &Operand| match addr {
            Operand::Reg(reg) => fields.get(reg).copied(),
            Operand::Global { id, offset } => facts.bounded.objects[*id].ty.map(|ty| (ty, *offset)),
            _ => None,
        };
        let StepOp::Plain(op) = op else { return };
        if let Op::Compute(Computation::Field { dst, bytes, of: Some(of), .. }) = op {
            fields.insert(*dst, (*of, *bytes));
            return;
        }
        let (addr, pointer) = if let Op::Load { dst, addr, .. } = op {
            (addr, Operand::Reg(*dst))
        } else if let Op::Store { ty: Ty::Ptr, addr, value, .. }
        | Op::Rmw { addr, value, .. }
        | Op::CmpXchg { addr, new: value, .. } = op
        {
            (addr, *value)
        } else {
            return;
        };
        if let Some((ty, offset)) = place(addr)
            && let Ok(offset) = u64::try_from(offset)
            && let Some((_, leaf)) = types.leaf(ty, offset, Ty::Ptr)
            && let DebugType::Pointer { to } = types.get(leaf)
        {
            self.note_pointee(facts, thread, pointer, *to);
        }
    }

    fn note_pointee(&mut self, facts: &Facts<'_>, thread: usize, pointer: Operand, to: TypeId) {
        for place in &facts.points_to.of(thread, pointer).places {
            let object = &facts.bounded.objects[place.object];
            if object.ty.is_none() && matches!(place.offset, Offset::At(0) | Offset::Any) {
                self.pointees.entry(place.object).or_default().insert(to);
            }
        }
    }

    fn note_access(&mut self, facts: &Facts<'_>, thread: usize, op: &StepOp, object: GlobalId, ty: Ty) {
        if facts.bounded.objects[object].ty.is_some() {
            return;
        }
        let StepOp::Plain(
            Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CmpXchg { addr, .. },
        ) = op
        else {
            return;
        };
        let bits = ty.bits(facts.bounded.program.data_model).next_multiple_of(8);
        for place in facts.points_to.of(thread, *addr).places.iter().filter(|place| place.object == object) {
            let at = match place.offset {
                Offset::At(at) => at,
                Offset::Any => 0,
            };
            self.accesses.entry(object).or_default().insert((at, bits, ty == Ty::Ptr));
        }
    }

    fn of(&self, facts: &Facts<'_>, types: &mut Types, id: GlobalId) -> TypeId {
        let object = &facts.bounded.objects[id];
        if let Some(ty) = object.ty
            && types.size(ty) == object.size
        {
            return ty;
        }
        let fits = |ty: &&TypeId| {
            let size = types.size(**ty);
            size > 1 && object.size.is_multiple_of(size) && types.pointee(**ty).is_some()
        };
        let known = self.pointees.get(&id).into_iter().flatten().filter(fits).max_by_key(|ty| types.size(**ty));
        if let Some(ty) = known.copied() {
            return repeated(types, ty, object.size);
        }
        let element = match only_pointers(facts, id) {
            true => CType::Pointer(None),
            false => self.same_width(id, object.size).unwrap_or(CType::unsigned(8)),
        };
        let element = types.add_scalar(element);
        repeated(types, element, object.size)
    }

    /// All accesses have one width, and are aligned.
    fn same_width(&self, id: GlobalId, size: u64) -> Option<CType> {
        let mut accesses = self.accesses.get(&id)?.iter();
        let (_, bits, pointer) = *accesses.next()?;
        let bytes = u64::from(bits / 8);
        let alike = |(at, b, p): &(i64, u32, bool)| (*b, *p) == (bits, pointer) && at.rem_euclid(bytes as i64) == 0;
        let all = self.accesses[&id].iter().all(alike) && size.is_multiple_of(bytes);
        let whole = matches!(bits, 8 | 16 | 32 | 64) && all && !self.unclear.contains(&id);
        whole.then_some(if pointer { CType::Pointer(None) } else { CType::signed(bits) })
    }
}

/// Does it begin as an array of addresses?
fn only_pointers(facts: &Facts<'_>, id: GlobalId) -> bool {
    let program = facts.bounded.program;
    let Some(global) = program.globals.get(id) else { return false };
    let bytes = u64::from(program.data_model.pointer_bytes());
    let whole = global.relocations.iter().all(|r| r.at % bytes == 0 && u64::from(r.bytes) == bytes);
    !global.relocations.is_empty() && whole && global.size % bytes == 0
}

/// The type, or an array of it that is so large.
fn repeated(types: &mut Types, ty: TypeId, size: u64) -> TypeId {
    match size / types.size(ty).max(1) {
        1 => ty,
        count => types.add(DebugType::Array { of: ty, count: Some(count.max(1)) }),
    }
}
