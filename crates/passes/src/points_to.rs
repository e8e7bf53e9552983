//! The objects that pointers of a whole program may point to.
//!
//! Inclusion constraints over registers and the contents of objects (Andersen, 1994), without regard to the order of
//! operations, to offsets and to calling contexts. One thing is told apart by its caller: a block that a model
//! allocates, so that the blocks of two calls of `malloc` are two. Integers carry pointers along, as the bits of memory
//! do.

use selvedge_program::liveness::BitSet;
use selvedge_program::{
    BlockId, Callee, Computation, EntityRef, FuncId, GlobalId, Intrinsic, Op, Operand, Origin, Program, Purpose, Reg,
    Terminator,
};
use std::collections::{HashMap, HashSet};

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    pub function: FuncId,
    pub block: BlockId,
    pub index: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    /// A thread-local stands for all threads' copies.
    Global(GlobalId),
    Function(FuncId),
    /// Made by this instruction: a stack object, a block, or a block that the model called here allocates.
    Made(Place),
}

/// The alignment that `malloc` promises.
const ALIGNMENT_OF_BLOCKS: u32 = 16;

impl Object {
    /// The alignment that the object was given.
    pub fn alignment(self, program: &Program) -> u32 {
        match self {
            Object::Global(id) => program.globals[id].align,
            Object::Function(_) => 1,
            Object::Made(place) => {
                let made = &program.functions[place.function].blocks[place.block].insts[place.index].op;
                if let Op::Alloca { align, .. } = made { *align } else { ALIGNMENT_OF_BLOCKS }
            }
        }
    }
}

/// The number of an object.
pub type ObjectId = usize;
type Node = usize;

pub struct PointsTo {
    pub objects: Vec<Object>,
    ids: HashMap<Object, ObjectId>,
    /// By object: the node of its contents.
    contents: Vec<Node>,
    /// By function: the node of its first register.
    first: Vec<Node>,
    sets: Vec<BitSet>,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        let mut solver = Solver::new(program);
        solver.constrain();
        solver.solve();
        solver.result
    }

    pub fn id(&self, object: Object) -> Option<ObjectId> {
        self.ids.get(&object).copied()
    }

    /// The objects that an operand of the function may point to.
    pub fn operand(&self, function: FuncId, operand: Operand) -> BitSet {
        let one = |object| {
            let mut set = BitSet::with_capacity(self.objects.len());
            set.extend(self.id(object));
            set
        };
        match operand {
            Operand::Reg(reg) => self.sets[self.register(function, reg)].clone(),
            Operand::Global { id, .. } => one(Object::Global(id)),
            Operand::Func(id) => one(Object::Function(id)),
            Operand::Const { .. } => BitSet::new(),
        }
    }

    /// The objects that pointers within an object may point to.
    pub fn held_by(&self, object: ObjectId) -> &BitSet {
        &self.sets[self.contents[object]]
    }

    /// The functions that a call may run.
    pub fn callees(&self, caller: FuncId, callee: Callee) -> Vec<FuncId> {
        match callee {
            Callee::Direct(id) => vec![id],
            Callee::Indirect(target) => self.functions(caller, target),
        }
    }

    /// The functions that an operand may be.
    pub fn functions(&self, function: FuncId, operand: Operand) -> Vec<FuncId> {
        let function_of = |object: usize| match self.objects[object] {
            Object::Function(id) => Some(id),
            Object::Global(_) | Object::Made(_) => None,
        };
        self.operand(function, operand).ones().filter_map(function_of).collect()
    }

    fn register(&self, function: FuncId, reg: Reg) -> Node {
        self.first[function.index()] + reg.index()
    }
}

/// A constraint on what the objects that a node points to hold.
#[derive(Clone)]
enum Through {
    /// The node gets what they hold.
    Load(Node),
    /// They get what the node holds.
    Store(Node),
    /// They are called with these arguments, and leave their results here.
    Call(Vec<Operand>, Vec<Reg>, FuncId),
    /// The node gets them, and this block in place of those that models allocate; it holds what they hold.
    Renamed(ObjectId, Node),
}

struct Solver<'a> {
    program: &'a Program,
    result: PointsTo,
    /// By node: the nodes that include it.
    edges: Vec<Vec<Node>>,
    known_edges: HashSet<(Node, Node)>,
    through: Vec<Vec<Through>>,
    /// By function: the nodes of its results.
    returns: Vec<Node>,
    /// Models that may allocate what they return.
    allocates: Vec<bool>,
    work: Vec<Node>,
}

impl<'a> Solver<'a> {
    fn new(program: &'a Program) -> Solver<'a> {
        let (mut first, mut returns) = (vec![], vec![]);
        let mut nodes = 0;
        for function in program.functions.values() {
            first.push(nodes);
            nodes += function.regs.len();
            returns.push(nodes);
            nodes += function.returns.len();
        }
        let result = PointsTo {
            objects: vec![],
            ids: HashMap::new(),
            contents: vec![],
            first,
            sets: vec![BitSet::new(); nodes],
        };
        let mut solver = Solver {
            program,
            result,
            edges: vec![vec![]; nodes],
            known_edges: HashSet::new(),
            through: vec![vec![]; nodes],
            returns,
            allocates: allocating_models(program),
            work: vec![],
        };
        for id in program.globals.keys() {
            solver.object(Object::Global(id));
        }
        for (id, global) in &program.globals {
            for relocation in &global.relocations {
                let object = solver.object(Object::Global(id));
                let contents = solver.result.contents[object];
                solver.flow(None, relocation.target, contents);
            }
        }
        solver
    }

    fn node(&mut self) -> Node {
        self.result.sets.push(BitSet::new());
        self.edges.push(vec![]);
        self.through.push(vec![]);
        self.edges.len() - 1
    }

    fn object(&mut self, object: Object) -> ObjectId {
        if let Some(id) = self.result.ids.get(&object) {
            return *id;
        }
        let contents = self.node();
        self.result.contents.push(contents);
        self.result.objects.push(object);
        let id = self.result.objects.len() - 1;
        self.result.ids.insert(object, id);
        id
    }

    fn put(&mut self, node: Node, object: ObjectId) {
        let set = &mut self.result.sets[node];
        set.grow(object + 1);
        if !set.put(object) {
            self.work.push(node);
        }
    }

    fn edge(&mut self, from: Node, to: Node) {
        if from != to && self.known_edges.insert((from, to)) {
            self.edges[from].push(to);
            if !self.result.sets[from].is_clear() {
                self.work.push(from);
            }
        }
    }

    /// The node includes the operand.
    fn flow(&mut self, function: Option<FuncId>, operand: Operand, to: Node) {
        match operand {
            Operand::Reg(reg) => {
                if let Some(function) = function {
                    self.edge(self.result.register(function, reg), to);
                }
            }
            Operand::Global { id, .. } => {
                let object = self.object(Object::Global(id));
                self.put(to, object);
            }
            Operand::Func(id) => {
                let object = self.object(Object::Function(id));
                self.put(to, object);
            }
            Operand::Const { .. } => {}
        }
    }

    /// A node that is what the operand is.
    fn node_of(&mut self, function: FuncId, operand: Operand) -> Node {
        if let Operand::Reg(reg) = operand {
            return self.result.register(function, reg);
        }
        let node = self.node();
        self.flow(Some(function), operand, node);
        node
    }

    fn load(&mut self, function: FuncId, addr: Operand, to: Node) {
        let addr = self.node_of(function, addr);
        self.through[addr].push(Through::Load(to));
        self.work.push(addr);
    }

    fn store(&mut self, function: FuncId, addr: Operand, from: Node) {
        let addr = self.node_of(function, addr);
        self.through[addr].push(Through::Store(from));
        self.work.push(addr);
    }

    fn constrain(&mut self) {
        for (id, function) in &self.program.functions {
            for (block, body) in &function.blocks {
                for (index, inst) in body.insts.iter().enumerate() {
                    self.operation(Place { function: id, block, index }, &inst.op);
                }
                if let Terminator::Return(values) = &body.term {
                    for (number, value) in values.iter().enumerate().take(function.returns.len()) {
                        self.flow(Some(id), *value, self.returns[id.index()] + number);
                    }
                }
            }
        }
    }

    fn operation(&mut self, place: Place, op: &Op) {
        let id = place.function;
        let register = |solver: &Self, reg: Reg| solver.result.register(id, reg);
        match op {
            Op::Compute(computation) => self.compute(id, op, computation),
            Op::Load { dst, addr, .. } => self.load(id, *addr, register(self, *dst)),
            Op::Store { addr, value, .. } => {
                let value = self.node_of(id, *value);
                self.store(id, *addr, value);
            }
            Op::Rmw { dst, addr, value, .. } => {
                self.load(id, *addr, register(self, *dst));
                let value = self.node_of(id, *value);
                self.store(id, *addr, value);
            }
            Op::CmpXchg { old, addr, new, .. } => {
                self.load(id, *addr, register(self, *old));
                let new = self.node_of(id, *new);
                self.store(id, *addr, new);
            }
            Op::MemCopy { dst, src, .. } => {
                let moved = self.node();
                self.load(id, *src, moved);
                self.store(id, *dst, moved);
            }
            Op::Alloca { dst, .. } => {
                let object = self.object(Object::Made(place));
                self.put(register(self, *dst), object);
            }
            Op::Call { dsts, callee, args } => match callee {
                Callee::Direct(callee) => self.call(Some(place), id, *callee, args, dsts),
                Callee::Indirect(target) => {
                    let target = self.node_of(id, *target);
                    self.through[target].push(Through::Call(args.clone(), dsts.clone(), id));
                    self.work.push(target);
                }
            },
            Op::Intrinsic { dst, which, args } => match (which.purpose(), dst, args.as_slice()) {
                (Purpose::Spawns, _, [target, args @ ..]) => {
                    let target = self.node_of(id, *target);
                    self.through[target].push(Through::Call(args.to_vec(), vec![], id));
                    self.work.push(target);
                }
                (Purpose::Allocates, Some(dst), _) => {
                    let object = self.object(Object::Made(place));
                    self.put(register(self, *dst), object);
                }
                (Purpose::FindsCopy, Some(dst), [_, mine]) => self.flow(Some(id), *mine, register(self, *dst)),
                (Purpose::Spawns | Purpose::Allocates | Purpose::FindsCopy, ..) => {}
                // They take and give numbers.
                (
                    Purpose::Counts
                    | Purpose::AsksThread
                    | Purpose::Exits
                    | Purpose::Jumps
                    | Purpose::Marks
                    | Purpose::Requires
                    | Purpose::Frees
                    | Purpose::AsksObject
                    | Purpose::ChecksAccess,
                    ..,
                ) => {}
            },
            Op::MemSet { .. }
            | Op::Fence { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    fn compute(&mut self, id: FuncId, op: &Op, computation: &Computation) {
        let to = self.result.register(id, computation.dst());
        match computation {
            // Neither truth values, nor an index, are addresses.
            Computation::Compare { .. } | Computation::FloatCompare { .. } => {}
            Computation::Index { base, .. } => self.flow(Some(id), *base, to),
            Computation::Copy { .. }
            | Computation::Binary { .. }
            | Computation::Overflowing { .. }
            | Computation::Unary { .. }
            | Computation::FloatBinary { .. }
            | Computation::FloatUnary { .. }
            | Computation::Cast { .. }
            | Computation::Select { .. }
            | Computation::Field { .. } => op.for_each_use(|operand| self.flow(Some(id), operand, to)),
        }
    }

    /// `place`: of the call, if it names its callee.
    fn call(&mut self, place: Option<Place>, caller: FuncId, callee: FuncId, args: &[Operand], dsts: &[Reg]) {
        let function = &self.program.functions[callee];
        for (param, arg) in function.params.iter().zip(args) {
            let param = self.result.register(callee, *param);
            self.flow(Some(caller), *arg, param);
        }
        let is_user = self.program.functions[caller].origin == Origin::User;
        let allocating = place.filter(|_| is_user && self.allocates[callee.index()]);
        for (number, dst) in dsts.iter().enumerate().take(function.returns.len()) {
            let dst = self.result.register(caller, *dst);
            let returned = self.returns[callee.index()] + number;
            match allocating {
                None => self.edge(returned, dst),
                Some(place) => {
                    let block = self.object(Object::Made(place));
                    self.through[returned].push(Through::Renamed(block, dst));
                    self.work.push(returned);
                }
            }
        }
    }

    fn solve(&mut self) {
        while let Some(node) = self.work.pop() {
            let set = self.result.sets[node].clone();
            for number in 0..self.edges[node].len() {
                let to = self.edges[node][number];
                let target = &mut self.result.sets[to];
                if !set.is_subset(target) {
                    target.grow(set.len());
                    target.union_with(&set);
                    self.work.push(to);
                }
            }
            for through in self.through[node].clone() {
                for object in set.ones() {
                    self.go_through(&through, object);
                }
            }
        }
    }

    fn go_through(&mut self, through: &Through, object: ObjectId) {
        let contents = self.result.contents[object];
        match through {
            Through::Load(to) => self.edge(contents, *to),
            Through::Store(from) => self.edge(*from, contents),
            Through::Call(args, dsts, caller) => {
                if let Object::Function(callee) = self.result.objects[object] {
                    self.call(None, *caller, callee, args, dsts);
                }
            }
            Through::Renamed(block, to) => match self.result.objects[object] {
                Object::Made(place) if self.program.functions[place.function].origin == Origin::Model => {
                    let own = self.result.contents[*block];
                    self.edge(contents, own);
                    self.edge(own, contents);
                    self.put(*to, *block);
                }
                Object::Made(_) | Object::Global(_) | Object::Function(_) => self.put(*to, object),
            },
        }
    }
}

/// By function: is it a model that allocates, itself or through what it calls?
fn allocating_models(program: &Program) -> Vec<bool> {
    let mut allocates = vec![false; program.functions.len()];
    loop {
        let before = allocates.clone();
        for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Model) {
            for inst in function.blocks.values().flat_map(|block| &block.insts) {
                if let Op::Intrinsic { which: Intrinsic::Alloc, .. } = inst.op {
                    allocates[id.index()] = true;
                } else if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                    allocates[id.index()] |= before[callee.index()];
                }
            }
        }
        if allocates == before {
            return allocates;
        }
    }
}
