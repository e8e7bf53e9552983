//! The objects at which threads may meet: one writes while another looks, or writes as well.
//!
//! Code runs in the main thread, in threads that were created, or in both; a signal's handler counts as a thread of its
//! own. An object is shared if the code of created threads names it, if a thread is given its address when it is
//! created, or if a shared object leads to it. Before the first thread there is nobody to meet.

use crate::points_to::{ObjectId, PointsTo};
use selvedge_program::liveness::BitSet;
use selvedge_program::{
    BlockId, EntityRef, FuncId, Function, INTERRUPTION, Intrinsic, Op, Operand, Origin, Program, Terminator,
};

pub struct Meeting {
    pub points_to: PointsTo,
    /// The objects at which threads may meet.
    objects: BitSet,
    /// By function: others may be there from its first operation on.
    accompanied: Vec<bool>,
    /// By function: it creates threads, itself or through what it calls.
    spawns: Vec<bool>,
    /// By function: a call enters so many atomic sections more than it leaves, at least.
    sections: Vec<i32>,
}

/// Of nested atomic sections so many are told apart, and so many that a function leaves but has not entered.
const MOST_SECTIONS: i32 = 8;

impl Meeting {
    /// None: there are no other threads.
    pub fn of(program: &Program) -> Option<Meeting> {
        let interruption = program
            .functions
            .iter()
            .find_map(|(id, f)| (f.origin == Origin::Model && f.name == INTERRUPTION).then_some(id));
        let mut spawning = program.functions.values().flat_map(|f| f.blocks.values()).flat_map(|block| &block.insts);
        if interruption.is_none() && !spawning.any(|inst| is_spawn(&inst.op)) {
            return None;
        }
        let points_to = PointsTo::of(program);
        let mut meeting = Meeting {
            objects: BitSet::with_capacity(points_to.objects.len()),
            points_to,
            accompanied: vec![false; program.functions.len()],
            spawns: vec![false; program.functions.len()],
            sections: vec![0; program.functions.len()],
        };
        meeting.find_sections(program);
        let mut others: Vec<FuncId> = interruption.into_iter().collect();
        let mut given = BitSet::with_capacity(meeting.points_to.objects.len());
        for (id, function) in &program.functions {
            for inst in function.blocks.values().flat_map(|block| &block.insts) {
                let Op::Intrinsic { which, args, .. } = &inst.op else { continue };
                if *which == Intrinsic::Spawn {
                    others.extend(args.first().map(|body| meeting.points_to.functions(id, *body)).unwrap_or_default());
                }
                if matches!(which, Intrinsic::Spawn | Intrinsic::TlsOf) {
                    args.iter().for_each(|arg| given.union_with(&meeting.points_to.operand(id, *arg)));
                }
            }
        }
        let in_main = meeting.reached(program, vec![program.entry]);
        let in_others = meeting.reached(program, others.clone());
        meeting.find_company(program, &others, interruption.is_some());
        let shared = meeting.shared(program, given, &in_others);
        meeting.find_objects(program, &shared, &in_main, &in_others);
        Some(meeting)
    }

    /// May others look at, or change, one of the objects that the operand points to?
    pub fn at(&self, function: FuncId, operand: Operand) -> bool {
        !self.points_to.operand(function, operand).is_disjoint(&self.objects)
    }

    /// The least alignment of the objects that the operand points to and at which threads meet.
    pub fn alignment(&self, program: &Program, function: FuncId, operand: Operand) -> u32 {
        let met = self.points_to.operand(function, operand);
        met.intersection(&self.objects)
            .map(|object| self.points_to.objects[object].alignment(program))
            .min()
            .unwrap_or(1)
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_clear()
    }

    /// By block: others may be there when it begins.
    pub fn company(&self, id: FuncId, function: &Function) -> Vec<bool> {
        let mut before = vec![false; function.blocks.len()];
        if self.accompanied[id.index()] {
            before.fill(true);
            return before;
        }
        let mut work: Vec<BlockId> = function.blocks.keys().filter(|block| self.brings(id, function, *block)).collect();
        while let Some(block) = work.pop() {
            for target in function.blocks[block].term.successors() {
                if !std::mem::replace(&mut before[target.index()], true) {
                    work.push(target);
                }
            }
        }
        before
    }

    /// Calls `f` with each operation outside of atomic sections before which others may be there.
    pub fn for_each_accompanied(&self, id: FuncId, function: &Function, mut f: impl FnMut(BlockId, usize, &Op)) {
        let (company, depths) = (self.company(id, function), self.section_depths(id, function));
        for (number, block) in &function.blocks {
            let (mut alone, Some(mut depth)) = (!company[number.index()], depths[number.index()]) else { continue };
            for (index, inst) in block.insts.iter().enumerate() {
                if !alone && depth <= 0 {
                    f(number, index, &inst.op);
                }
                alone &= !self.is_joined(id, &inst.op);
                depth = self.depth_after(id, depth, &inst.op);
            }
        }
    }

    /// A function may enter a section for its caller, as `__VERIFIER_atomic_begin` does.
    fn find_sections(&mut self, program: &Program) {
        // As many rounds as such functions call one another.
        for _ in 0..MOST_SECTIONS {
            let before = self.sections.clone();
            for (id, function) in &program.functions {
                let depths = self.section_depths(id, function);
                let returns = function.blocks.iter().filter(|(_, block)| matches!(block.term, Terminator::Return(_)));
                let at_return = returns.filter_map(|(number, block)| {
                    let before = depths[number.index()]?;
                    Some(block.insts.iter().fold(before, |depth, inst| self.depth_after(id, depth, &inst.op)))
                });
                self.sections[id.index()] = at_return.min().unwrap_or(0);
            }
            if self.sections == before {
                break;
            }
        }
    }

    /// By block: in how many atomic sections it begins, at least. None: it is not reached.
    fn section_depths(&self, id: FuncId, function: &Function) -> Vec<Option<i32>> {
        let mut depths = vec![None; function.blocks.len()];
        let mut work: Vec<BlockId> = function.blocks.keys().take(1).collect();
        work.iter().for_each(|entry| depths[entry.index()] = Some(0));
        while let Some(block) = work.pop() {
            let before = depths[block.index()].unwrap_or(0);
            let insts = &function.blocks[block].insts;
            let after = insts.iter().fold(before, |depth, inst| self.depth_after(id, depth, &inst.op));
            for target in function.blocks[block].term.successors() {
                let least = depths[target.index()].map_or(after, |known: i32| known.min(after));
                if depths[target.index()].replace(least) != Some(least) {
                    work.push(target);
                }
            }
        }
        depths
    }

    fn depth_after(&self, id: FuncId, depth: i32, op: &Op) -> i32 {
        let change = if let Op::Call { callee, .. } = op {
            let callees = self.points_to.callees(id, *callee);
            callees.iter().map(|callee| self.sections[callee.index()]).min().unwrap_or(0)
        } else {
            let is = |asked: Intrinsic| matches!(op, Op::Intrinsic { which, .. } if *which == asked);
            i32::from(is(Intrinsic::AtomicBegin)) - i32::from(is(Intrinsic::AtomicEnd))
        };
        (depth + change).clamp(-MOST_SECTIONS, MOST_SECTIONS)
    }

    /// May others be there after this operation, though they were not before?
    pub fn is_joined(&self, id: FuncId, op: &Op) -> bool {
        match op {
            Op::Call { callee, .. } => self.points_to.callees(id, *callee).iter().any(|id| self.spawns[id.index()]),
            op => is_spawn(op),
        }
    }

    fn brings(&self, id: FuncId, function: &Function, block: BlockId) -> bool {
        function.blocks[block].insts.iter().any(|inst| self.is_joined(id, &inst.op))
    }

    fn reached(&self, program: &Program, mut work: Vec<FuncId>) -> Vec<bool> {
        let mut reached = vec![false; program.functions.len()];
        work.iter().for_each(|id| reached[id.index()] = true);
        while let Some(id) = work.pop() {
            for inst in program.functions[id].blocks.values().flat_map(|block| &block.insts) {
                let Op::Call { callee, .. } = inst.op else { continue };
                for callee in self.points_to.callees(id, callee) {
                    if !std::mem::replace(&mut reached[callee.index()], true) {
                        work.push(callee);
                    }
                }
            }
        }
        reached
    }

    /// Where others may be: in all that runs in created threads, and in what is called after one was created.
    fn find_company(&mut self, program: &Program, others: &[FuncId], always: bool) {
        loop {
            let before = self.spawns.clone();
            for (id, function) in &program.functions {
                self.spawns[id.index()] = function.blocks.keys().any(|block| self.brings(id, function, block));
            }
            if self.spawns == before {
                break;
            }
        }
        self.accompanied.fill(always);
        others.iter().for_each(|id| self.accompanied[id.index()] = true);
        loop {
            let before = self.accompanied.clone();
            for (id, function) in &program.functions {
                self.each_operation(id, function, |meeting, alone, op| {
                    if let (false, Op::Call { callee, .. }) = (alone, op) {
                        for callee in meeting.points_to.callees(id, *callee) {
                            meeting.accompanied[callee.index()] = true;
                        }
                    }
                });
            }
            if self.accompanied == before {
                break;
            }
        }
    }

    /// Calls `f` with each operation, and whether the thread is alone before it.
    fn each_operation(&mut self, id: FuncId, function: &Function, mut f: impl FnMut(&mut Meeting, bool, &Op)) {
        let company = self.company(id, function);
        for (number, block) in &function.blocks {
            let mut alone = !company[number.index()];
            for inst in &block.insts {
                f(self, alone, &inst.op);
                alone &= !self.is_joined(id, &inst.op);
            }
        }
    }

    fn shared(&self, program: &Program, mut shared: BitSet, in_others: &[bool]) -> BitSet {
        for (id, function) in program.functions.iter().filter(|(id, _)| in_others[id.index()]) {
            let mut name = |operand: Operand| {
                // Each thread has its own copy of a thread-local, unless it lets others have the address.
                if let Operand::Global { id: global, .. } = operand
                    && (!program.globals[global].thread_local || program.globals[global].origin == Origin::Model)
                {
                    shared.union_with(&self.points_to.operand(id, operand));
                }
            };
            for block in function.blocks.values() {
                block.insts.iter().for_each(|inst| inst.op.for_each_use(&mut name));
                block.term.for_each_use(&mut name);
            }
        }
        let mut work: Vec<ObjectId> = shared.ones().collect();
        while let Some(object) = work.pop() {
            for held in self.points_to.held_by(object).ones() {
                if !shared.put(held) {
                    work.push(held);
                }
            }
        }
        shared
    }

    fn find_objects(&mut self, program: &Program, shared: &BitSet, in_main: &[bool], in_others: &[bool]) {
        let none = BitSet::with_capacity(self.points_to.objects.len());
        let [mut by_main, mut written_by_main, mut by_others, mut written_by_others] =
            [none.clone(), none.clone(), none.clone(), none];
        for (id, function) in &program.functions {
            self.each_operation(id, function, |meeting, alone, op| {
                for access in op.memory().filter(|_| !alone) {
                    let objects = meeting.points_to.operand(id, access.addr);
                    if in_main[id.index()] {
                        by_main.union_with(&objects);
                        written_by_main.union_with(&filtered(&objects, access.writes));
                    }
                    if in_others[id.index()] {
                        by_others.union_with(&objects);
                        written_by_others.union_with(&filtered(&objects, access.writes));
                    }
                }
            });
        }
        written_by_main.intersect_with(&by_others);
        written_by_others.union_with(&written_by_main);
        self.objects = written_by_others;
        self.objects.intersect_with(shared);
    }
}

fn filtered(objects: &BitSet, keep: bool) -> BitSet {
    if keep { objects.clone() } else { BitSet::new() }
}

fn is_spawn(op: &Op) -> bool {
    matches!(op, Op::Intrinsic { which: Intrinsic::Spawn, .. })
}
