//! Steps, above all those that touch memory.

use crate::buffers::{Source, Start};
use crate::code::{Code, Item, What};
use crate::expression::{Expr, Level, binary, compare};
use crate::operations::any;
use crate::places::Address;
use crate::printer::{Printer, Value};
use crate::registers::Fate;
use crate::types::CType;
use selvedge_bound::StepOp;
use selvedge_program::{BinOp, CmpOp, EntityRef, GlobalId, Op, Operand, Property, Reg, RmwOp, Ty};

impl Printer<'_, '_> {
    pub fn step(&mut self, code: &Code, block: usize, index: usize, item: &Item) {
        let Some(What::Step(op)) = &item.what else { return };
        if self.is_probe {
            self.note_unsure(item, op);
        }
        let fates: Vec<(Reg, Fate)> =
            op.defs().into_iter().map(|reg| (reg, self.registers.fate(block, index, reg))).collect();
        let fate = |reg: Reg| fates.iter().find(|(known, _)| *known == reg).map_or(Fate::default(), |(_, fate)| *fate);
        match op {
            StepOp::Plain(op) => {
                self.at = item.at;
                self.operation(op, fate);
            }
            StepOp::Create { dst, object, size } => {
                self.create(code, block, index, *object, *size);
                let address = self.cx.address_of_object(*object, 0);
                self.set(*dst, Value::Address(address), fate(*dst));
            }
            StepOp::End { objects } | StepOp::Finish { objects } => self.end(objects),
            StepOp::Spawn { dst, thread, args } => {
                self.spawn(*thread, args);
                if let Some(dst) = dst {
                    let number = Operand::Const { ty: self.reg_ty(*dst), bits: *thread as u128 };
                    let number = self.cx.constant(number);
                    self.set(*dst, Value::Plain(number), fate(*dst));
                }
            }
        }
    }

    fn operation(&mut self, op: &Op, fate: impl Fn(Reg) -> Fate) {
        match op {
            Op::Compute(computation) => self.computation(*computation, fate),
            Op::Nondet { dst, range, input } => self.input(*dst, *range, input, fate(*dst)),
            Op::Load { dst, addr, .. } => {
                let place = self.place(*addr, self.reg_ty(*dst));
                let place = self.whole(*addr, place);
                self.note_memory();
                let place = self.own_or_memory(place);
                let place = self.as_register(place, self.reg_ty(*dst));
                if fate(*dst) == Fate::default() {
                    self.emit(format!("(void){};", place.tight()));
                }
                self.set(*dst, Value::Plain(place), fate(*dst));
            }
            Op::Store { ty, addr, value, .. } => {
                let value = self.stored_value(*value);
                if self.is_constant(*addr) {
                    self.assert("0", Property::Memory, "writes to a constant");
                }
                let place = self.place(*addr, *ty);
                self.store(&place, value);
                self.show(&place);
            }
            Op::Rmw { dst, op, addr, value, .. } => self.modify(*dst, *op, *addr, *value, fate(*dst)),
            Op::CmpXchg { old, success, addr, expected, new, .. } => {
                let ty = self.reg_ty(*old);
                let (expected, new) = (self.value(*expected), self.value(*new));
                let place = self.place(*addr, ty);
                self.flush_memory();
                let mut found = self.as_number(&place, ty);
                if fate(*old) != Fate::default() {
                    self.assign(*old, &found);
                    found = self.value_again(*old);
                }
                let mut hit = self.equal(&found, &expected);
                if fate(*success) != Fate::default() {
                    self.assign(*success, &hit);
                    hit = self.value_again(*success);
                }
                let new = self.converted(new, place.ty);
                self.emit(format!("if ({}) {} = {};", hit.text, place.text, new.text));
                self.show(&place);
            }
            Op::MemCopy { dst, src, len, may_overlap } => self.copy(*dst, *src, *len, *may_overlap),
            Op::MemSet { dst, byte, len } => self.fill(*dst, *byte, *len),
            Op::Intrinsic { dst, which, args } => self.intrinsic(*dst, *which, args, fate),
            Op::Unsupported { what } => self.unsupported(what),
            Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Call { .. }
            | Op::Violation { .. } => {
                self.unsupported("an operation that has no place in a bounded program");
            }
        }
    }

    /// Shows the stored value to a tool that collects values.
    fn show(&mut self, place: &Expr) {
        if self.cx.options.backend.is_shown_stores() && matches!(place.ty, CType::Int { .. }) {
            let (block, step) = self.at;
            self.emit(format!("SHOW({}_{}_{step}, {})", self.number, block.index(), place.text));
        }
    }

    /// The place of an access, after the checks that tools do not make themselves.
    fn place(&mut self, addr: Operand, ty: Ty) -> Expr {
        let address = self.address(addr);
        self.check_pointer(&address);
        let place = self.cx.access(&address, ty);
        self.refuse_made_up(addr, &place);
        if self.ends_at_faults() && !is_surely_there(&place.text) {
            self.end_unless(&format!("READABLE(&{0}, sizeof({0}))", place.tight()));
        }
        place
    }

    /// An integer that was not computed from an address may be that of an object nevertheless; but a tool that follows
    /// pointers from where they come from does not find it there.
    fn refuse_made_up(&mut self, addr: Operand, place: &Expr) {
        let comes_from_nowhere = self.cx.facts.points_to.of(self.number, addr).objects.is_empty();
        if comes_from_nowhere && matches!(addr, Operand::Reg(_)) {
            self.emit(format!("if (READABLE(&{}, 1)) {{", place.tight()));
            self.unsupported("an access through a pointer that was made up");
            self.emit("}".to_string());
        }
    }

    /// Without memory among the properties, a run ends with a wrong access; a tool that would go on has to be told.
    fn ends_at_faults(&self) -> bool {
        self.cx.options.backend.checks_memory() && !self.cx.checks(Property::Memory)
    }

    /// As above, for a block of bytes.
    fn assume_bytes(&mut self, pointer: &Expr, len: &Expr) {
        if self.ends_at_faults() {
            let (pointer, len) = (pointer.text.clone(), len.tight());
            self.end_unless(&format!("{len} == 0 || READABLE({pointer}, {len})"));
        }
    }

    /// The value of a variable that has fewer bits than its type says.
    fn whole(&mut self, addr: Operand, place: Expr) -> Expr {
        match addr {
            Operand::Global { id, .. } if self.cx.widths.object(id).is_some() => self.cx.widened(place),
            _ => place,
        }
    }

    /// It surely must not be written, and that is checked.
    fn is_constant(&self, addr: Operand) -> bool {
        let objects = &self.cx.facts.points_to.of(self.number, addr).objects;
        let globals = &self.cx.program().globals;
        let constant = |object: &GlobalId| globals.get(*object).is_some_and(|global| global.constant);
        self.cx.checks(Property::Memory) && !objects.is_empty() && objects.iter().all(constant)
    }

    fn check_pointer(&mut self, address: &Address) {
        let Some(pointer) = address.pointer() else { return };
        if self.cx.options.backend.checks_memory() || pointer.level != Level::Primary {
            return;
        }
        let condition = format!("{} != 0", pointer.text);
        match self.cx.checks(Property::Memory) {
            true => self.assert(&condition, Property::Memory, "uses a null pointer"),
            false => self.end_unless(&condition),
        }
    }

    /// A value in memory, in the form that a register has.
    fn as_register(&self, place: Expr, ty: Ty) -> Expr {
        match (place.ty, ty) {
            (CType::Int { bits, .. }, Ty::Int(width)) if bits != u32::from(width) => {
                place.resized(u32::from(width), false)
            }
            _ => place,
        }
    }

    /// As above, for computing with it: a byte that holds a `_Bool` is a number.
    fn as_number(&self, place: &Expr, ty: Ty) -> Expr {
        match (place.ty, ty) {
            (CType::Bool, Ty::Int(bits)) if bits > 1 => Expr { ty: CType::signed(u32::from(bits)), ..place.clone() },
            _ => self.as_register(place.clone(), ty),
        }
    }

    fn value_again(&mut self, reg: Reg) -> Expr {
        let variable = self.variable(reg, CType::of(self.reg_ty(reg)));
        Expr::new(variable.name, Level::Primary, variable.ty)
    }

    fn equal(&mut self, a: &Expr, b: &Expr) -> Expr {
        match a.ty {
            CType::Pointer(_) => {
                Expr::new(format!("(void *){} == {}", a.tight(), b.tight()), Level::Compare, CType::Bool)
            }
            _ => compare(CmpOp::Eq, a, b),
        }
    }

    fn modify(&mut self, dst: Reg, op: RmwOp, addr: Operand, value: Operand, fate: Fate) {
        let ty = self.reg_ty(dst);
        let bits = ty.bits(self.cx.program().data_model);
        let value = self.value(value);
        let place = self.place(addr, ty);
        self.flush_memory();
        let mut old = self.as_number(&place, ty);
        if fate != Fate::default() {
            self.assign(dst, &old);
            old = self.value_again(dst);
        }
        let choose = |op: CmpOp, sign: bool| {
            let (a, b) = (old.with_sign(sign), value.with_sign(sign));
            let text = format!("{} ? {} : {}", compare(op, &a, &b).text, a.tight(), b.tight());
            Expr::new(text, Level::Conditional, a.ty)
        };
        let sum = |word: &str| Expr::new(format!("{} {word} {}", old.tight(), value.tight()), Level::Add, old.ty);
        let new = match op {
            RmwOp::Exchange => value.clone(),
            RmwOp::Add => binary(BinOp::Add, bits, &old, &value, false),
            RmwOp::Sub => binary(BinOp::Sub, bits, &old, &value, false),
            RmwOp::And => binary(BinOp::And, bits, &old, &value, false),
            RmwOp::Or => binary(BinOp::Or, bits, &old, &value, false),
            RmwOp::Xor => binary(BinOp::Xor, bits, &old, &value, false),
            RmwOp::Nand => {
                let both = binary(BinOp::And, bits, &old, &value, false);
                Expr::new(format!("~{}", both.tight()), Level::Unary, both.ty)
            }
            RmwOp::Max => choose(CmpOp::Sgt, true),
            RmwOp::Min => choose(CmpOp::Slt, true),
            RmwOp::UMax => choose(CmpOp::Ugt, false),
            RmwOp::UMin => choose(CmpOp::Ult, false),
            RmwOp::FAdd => sum("+"),
            RmwOp::FSub => sum("-"),
        };
        let new = self.converted(new, place.ty);
        self.emit(format!("{} = {};", place.text, new.text));
        self.show(&place);
    }

    /// As an assignment where both sides are of one type.
    fn copy(&mut self, dst: Operand, src: Operand, len: Operand, may_overlap: bool) {
        let (to, from, length) = (self.address(dst), self.address(src), self.value(len));
        let (start, source) = (self.cx.value_of(to.clone()), self.cx.value_of(from.clone()));
        if !may_overlap {
            self.check_overlap((dst, &start), (src, &source), &length);
        }
        if self.block((dst, &start), len, &Source::Memory((src, &source))) {
            return;
        }
        self.flush_memory();
        if let Operand::Const { bits, .. } = len
            && let Ok(size) = u64::try_from(bits)
            && let (Some((left, a)), Some((right, b))) = (self.cx.whole(&to, size), self.cx.whole(&from, size))
            && self.cx.declare(a, "") == self.cx.declare(b, "")
        {
            self.emit(format!("{left} = {right};"));
            return;
        }
        self.assume_bytes(&start, &length);
        self.assume_bytes(&source, &length);
        self.for_some_bytes(len, &length, &format!("memmove({}, {}, {});", start.text, source.text, length.text));
    }

    /// No byte may be anywhere, but not for tools.
    fn for_some_bytes(&mut self, len: Operand, length: &Expr, text: &str) {
        match len {
            Operand::Const { bits: 1.., .. } => self.emit(text.to_string()),
            Operand::Const { .. } | Operand::Reg(_) | Operand::Global { .. } | Operand::Func(_) => {
                self.emit(format!("if ({} != 0) {text}", length.tight()));
            }
        }
    }

    /// A block may be copied to where it is, and nowhere else within its own length. Tools that know `memcpy` do not
    /// know the first, and that is how structs are assigned to themselves.
    fn check_overlap(&mut self, (dst, to): Start<'_>, (src, from): Start<'_>, length: &Expr) {
        let points_to = &self.cx.facts.points_to;
        let targets = &points_to.of(self.number, dst).objects;
        let may_meet = points_to.of(self.number, src).objects.iter().any(|object| targets.contains(object));
        if may_meet && self.cx.checks(Property::Memory) {
            let distance = |a: &Expr, b: &Expr| format!("(uintptr_t){} - (uintptr_t){}", a.tight(), b.tight());
            let (up, down, length) = (distance(to, from), distance(from, to), length.tight());
            let apart = format!("{up} == 0 || ({up} >= {length} && {down} >= {length})");
            self.assert(&apart, Property::Memory, "copies between overlapping blocks with memcpy");
        }
    }

    /// All zero is a value of every struct.
    fn fill(&mut self, dst: Operand, byte: Operand, len: Operand) {
        let (to, byte_value, length) = (self.address(dst), self.value(byte), self.value(len));
        let start = self.cx.value_of(to.clone());
        if self.block((dst, &start), len, &Source::Byte(&byte_value)) {
            return;
        }
        self.flush_memory();
        if let (Operand::Const { bits: 0, .. }, Operand::Const { bits, .. }) = (byte, len)
            && let Ok(size) = u64::try_from(bits)
            && let Some((place, ty)) = self.cx.whole(&to, size)
        {
            let name = self.cx.declare(ty, "");
            self.emit(format!("{place} = ({name}){{0}};"));
            return;
        }
        self.assume_bytes(&start, &length);
        self.for_some_bytes(len, &length, &format!("memset({}, {}, {});", start.text, byte_value.text, length.text));
    }

    // Objects.

    fn create(&mut self, code: &Code, block: usize, index: usize, object: GlobalId, size: Option<Operand>) {
        let Some(known) = self.cx.objects.get(&object) else { return };
        let (name, mortal) = (known.name.clone(), known.mortal);
        let size = size.map(|size| self.value(size).text);
        self.flush_memory();
        let unset = !self.is_set_at_once(code, block, index, object);
        if mortal {
            let size = match size {
                Some(size) => {
                    self.emit(format!("size_of_{name} = {size};"));
                    format!("size_of_{name}")
                }
                None => format!("sizeof *{name}"),
            };
            self.emit(format!("{name} = malloc({size}); ASSUME({name} != 0)"));
            if unset {
                self.emit(format!("FILL({name}, {size})"));
            }
        } else if unset {
            self.havoc(object, &name);
        }
    }

    /// Any contents.
    fn havoc(&mut self, object: GlobalId, place: &str) {
        let Some(known) = self.cx.objects.get(&object) else { return };
        match self.cx.types.scalar(known.ty) {
            Some(ty) => {
                let ty = match ty {
                    CType::Bool => Ty::Int(1),
                    CType::Int { bits, .. } => Ty::Int(bits as u8),
                    CType::Float => Ty::F32,
                    CType::Double => Ty::F64,
                    CType::Pointer(_) => Ty::Ptr,
                };
                match any(ty) {
                    Some(any) => self.emit(format!("{place} = {};", any.text)),
                    None => self.emit(format!("HAVOC({place})")),
                }
            }
            None => self.emit(format!("HAVOC({place})")),
        }
    }

    /// Is the first thing that happens to it a store to all of it?
    fn is_set_at_once(&self, code: &Code, block: usize, index: usize, object: GlobalId) -> bool {
        let Some(block) = &code.blocks[block] else { return false };
        let size = self.cx.facts.bounded.objects[object].size;
        let model = self.cx.program().data_model;
        for item in &block.items[index + 1..] {
            let Some(What::Step(op)) = &item.what else { continue };
            let mut mentions = false;
            op.for_each_use(|operand| mentions |= matches!(operand, Operand::Global { id, .. } if id == object));
            let accesses = self.cx.facts.interference.accesses(self.number, item.at.0, item.at.1);
            if !mentions && accesses.iter().all(|access| access.object != object) {
                continue;
            }
            // A thread that knows the address may look before a store arrives.
            if self.cx.site(self.number, item.at).is_some() {
                return false;
            }
            let whole = Operand::Global { id: object, offset: 0 };
            if let StepOp::Plain(Op::Store { ty, addr, value, .. }) = op {
                let itself = matches!(value, Operand::Global { id, .. } if *id == object);
                return *addr == whole && u64::from(ty.bytes(model)) == size && !itself;
            }
            return matches!(
                op,
                StepOp::Plain(Op::MemSet { dst, len: Operand::Const { bits, .. }, .. })
                    if *dst == whole && *bits == u128::from(size)
            );
        }
        false
    }

    fn end(&mut self, objects: &[GlobalId]) {
        for object in objects {
            if let Some(known) = self.cx.objects.get(object)
                && known.mortal
            {
                let name = known.name.clone();
                self.flush_memory();
                self.drop_stores(*object, &name, None);
                self.emit(format!("free({name});"));
            }
        }
    }
}

/// `state.queue[3]`: a variable, or a part of one, without pointers and computed indices.
pub fn is_surely_there(place: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.[]".contains(c);
    let is_number = |index: &str| index.starts_with(|c: char| c.is_ascii_digit());
    place.chars().all(is_plain) && place.split('[').skip(1).all(is_number)
}
