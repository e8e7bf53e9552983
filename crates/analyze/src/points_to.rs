//! Points-to analysis: Andersen's, insensitive to control flow and to offsets.
//!
//! Every value is followed, also integers: a pointer may hide in one, and pass through memory byte by
//! byte. What an operation makes of its operands may point wherever they did.
//!
//! The constraints are few enough (one a step) that iterating over all of them until nothing changes is
//! fast; threads are unrolled, so registers are many and sets are small.

use selvedge_bound::{Bounded, StepOp, Terminator};
use selvedge_program::{EntityRef, GlobalId, Intrinsic, Op, Operand, Reg};
use std::collections::BTreeSet;

/// The objects that something may point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    pub objects: BTreeSet<GlobalId>,
}

impl Targets {
    fn add(&mut self, other: &Targets) -> bool {
        let before = self.objects.len();
        self.objects.extend(&other.objects);
        self.objects.len() > before
    }
}

pub struct PointsTo {
    /// By thread and register.
    registers: Vec<Vec<Targets>>,
    /// By object: what its bytes may point to.
    contents: Vec<Targets>,
}

impl PointsTo {
    pub fn new(bounded: &Bounded<'_>) -> PointsTo {
        let mut facts = PointsTo {
            registers: bounded.threads.iter().map(|t| vec![Targets::default(); t.regs.len()]).collect(),
            contents: vec![Targets::default(); bounded.objects.len()],
        };
        facts.initial_contents(bounded);
        while facts.pass(bounded) {}
        facts
    }

    /// What the operand may point to, in this thread.
    pub fn of(&self, thread: usize, operand: Operand) -> Targets {
        match operand {
            Operand::Reg(reg) => self.registers[thread][reg.index()].clone(),
            Operand::Global { id, .. } => Targets { objects: BTreeSet::from([id]) },
            Operand::Const { .. } | Operand::Func(_) => Targets::default(),
        }
    }

    pub fn contents(&self, object: GlobalId) -> &Targets {
        &self.contents[object.index()]
    }

    fn initial_contents(&mut self, bounded: &Bounded<'_>) {
        for (id, object) in &bounded.objects {
            let source = match object.kind {
                selvedge_bound::ObjectKind::Global => id,
                selvedge_bound::ObjectKind::ThreadLocal { of, .. } => of,
                _ => continue,
            };
            for relocation in &bounded.program.globals[source].relocations {
                if let Operand::Global { id: target, .. } = relocation.target {
                    self.contents[id.index()].objects.insert(target);
                }
            }
        }
    }

    /// All constraints once; did anything grow?
    fn pass(&mut self, bounded: &Bounded<'_>) -> bool {
        let mut grew = false;
        for (number, thread) in bounded.threads.iter().enumerate() {
            for block in thread.blocks.values() {
                for step in &block.steps {
                    grew |= match &step.op {
                        StepOp::Plain(op) => self.plain(bounded, number, op),
                        StepOp::Create { dst, object } => {
                            self.flow(number, *dst, &Targets { objects: BTreeSet::from([*object]) })
                        }
                        StepOp::Spawn { thread: created, args, .. } => {
                            let params = &bounded.threads[*created].params;
                            let mut grew = false;
                            for (param, arg) in params.iter().zip(args) {
                                let targets = self.of(number, *arg);
                                grew |= self.flow(*created, *param, &targets);
                            }
                            grew
                        }
                        StepOp::End { .. } | StepOp::Finish { .. } => false,
                    };
                }
                debug_assert!(!matches!(block.term, Terminator::Cut(n) if n >= bounded.cuts.len()));
            }
        }
        grew
    }

    fn flow(&mut self, thread: usize, reg: Reg, targets: &Targets) -> bool {
        self.registers[thread][reg.index()].add(targets)
    }

    fn plain(&mut self, bounded: &Bounded<'_>, thread: usize, op: &Op) -> bool {
        match op {
            Op::Load { dst, addr, .. } => {
                let loaded = self.behind(thread, *addr);
                self.flow(thread, *dst, &loaded)
            }
            Op::Store { addr, value, .. } => {
                let value = self.of(thread, *value);
                self.put(thread, *addr, &value)
            }
            Op::Rmw { dst, addr, value, .. } => {
                let (loaded, value) = (self.behind(thread, *addr), self.of(thread, *value));
                self.flow(thread, *dst, &loaded) | self.put(thread, *addr, &value)
            }
            Op::CmpXchg { old, addr, new, .. } => {
                let (loaded, value) = (self.behind(thread, *addr), self.of(thread, *new));
                self.flow(thread, *old, &loaded) | self.put(thread, *addr, &value)
            }
            Op::MemCopy { dst, src, .. } => {
                let copied = self.behind(thread, *src);
                self.put(thread, *dst, &copied)
            }
            Op::Compare { .. } | Op::FloatCompare { .. } => false,
            Op::Intrinsic { dst: Some(dst), which: Intrinsic::TlsOf, args } => {
                // Any thread's copy of the same thread-local.
                let mut all = Targets::default();
                for mine in self.of(thread, args[1]).objects {
                    all.objects.extend(copies_of(bounded, mine));
                }
                self.flow(thread, *dst, &all)
            }
            op => {
                let mut targets = Targets::default();
                op.for_each_use(|operand| {
                    targets.add(&self.of(thread, operand));
                });
                let mut grew = false;
                for reg in op.defs() {
                    grew |= self.flow(thread, reg, &targets);
                }
                grew
            }
        }
    }

    /// What the bytes behind an address may point to.
    fn behind(&self, thread: usize, addr: Operand) -> Targets {
        let mut all = Targets::default();
        for object in self.of(thread, addr).objects {
            all.add(&self.contents[object.index()]);
        }
        all
    }

    fn put(&mut self, thread: usize, addr: Operand, value: &Targets) -> bool {
        let into = self.of(thread, addr);
        let mut grew = false;
        for object in into.objects {
            grew |= self.contents[object.index()].add(value);
        }
        grew
    }
}

fn copies_of<'a>(bounded: &'a Bounded<'_>, mine: GlobalId) -> impl Iterator<Item = GlobalId> + 'a {
    use selvedge_bound::ObjectKind::ThreadLocal;
    let of = match bounded.objects[mine].kind {
        ThreadLocal { of, .. } => Some(of),
        _ => None,
    };
    bounded.objects.iter().filter_map(move |(id, object)| match object.kind {
        ThreadLocal { of: this, .. } if Some(this) == of => Some(id),
        _ => None,
    })
}
