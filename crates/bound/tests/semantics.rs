//! A bounded program does what the program does, until a bound ends the run: both are run by small
//! interpreters, on random programs with loops of any shape, calls and recursion.

use selvedge_bound::{Bounded, Limits, Refusal, StepOp, Terminator as Term, bound, verify};
use selvedge_generate::{Tally, trial};
use selvedge_program::{
    Access, BinOp, Block, BlockId, Callee, Cast, CmpOp, Computation, DataModel, EntityRef, FuncId, Function, Global,
    GlobalId, Input, Inst, Op, Operand, Origin, PrimaryMap, Program, Reg, RegInfo, SourceMap, Terminator, Ty,
};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Bits(u128),
    Address(GlobalId, i64),
    Function(FuncId),
}

impl Value {
    fn bits(self) -> u128 {
        match self {
            Value::Bits(bits) => bits,
            other => panic!("{other:?} is no number"),
        }
    }
}

/// State that both interpreters share: memory, inputs, and what is visible from outside.
#[derive(Default)]
struct World {
    memory: BTreeMap<(GlobalId, i64), Value>,
    inputs: u64,
    seed: u64,
    /// Writes to the program's own globals.
    seen: Vec<(GlobalId, i64, Value)>,
    globals: usize,
}

impl World {
    fn operand(&self, regs: &[Value], operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => regs[reg.index()],
            Operand::Const { bits, .. } => Value::Bits(bits),
            Operand::Global { id, offset } => Value::Address(id, offset),
            Operand::Func(id) => Value::Function(id),
        }
    }

    /// Any operation but calls and stack objects.
    fn run(&mut self, regs: &mut [Value], ty: &dyn Fn(Operand) -> u32, op: &Op) {
        let get = |operand: Operand, this: &World| this.operand(regs, operand);
        let cut = |bits: u128, width: u32| bits & ((1 << width) - 1);
        match *op {
            Op::Compute(Computation::Copy { dst, src }) => regs[dst.index()] = get(src, self),
            Op::Compute(Computation::Binary { dst, op, a, b, .. }) => {
                let (x, y, width) = (get(a, self).bits(), get(b, self).bits(), ty(a));
                let value = match op {
                    BinOp::Add => x.wrapping_add(y),
                    BinOp::Sub => x.wrapping_sub(y),
                    BinOp::Mul => x.wrapping_mul(y),
                    BinOp::Xor => x ^ y,
                    BinOp::And => x & y,
                    BinOp::Or => x | y,
                    other => panic!("{other:?}"),
                };
                regs[dst.index()] = Value::Bits(cut(value, width));
            }
            Op::Compute(Computation::Compare { dst, op, a, b }) => {
                let (x, y) = (get(a, self), get(b, self));
                let result = match op {
                    CmpOp::Eq => x == y,
                    CmpOp::Ne => x != y,
                    CmpOp::Ult => x.bits() < y.bits(),
                    CmpOp::Slt => {
                        let signed = |v: Value| (v.bits() as i128) << (128 - ty(a)) >> (128 - ty(a));
                        signed(x) < signed(y)
                    }
                    other => panic!("{other:?}"),
                };
                regs[dst.index()] = Value::Bits(u128::from(result));
            }
            Op::Compute(Computation::Cast { dst, cast, src }) => {
                let width = ty(Operand::Reg(dst));
                regs[dst.index()] = match (cast, get(src, self)) {
                    (Cast::ZeroExtend | Cast::Truncate, Value::Bits(bits)) => Value::Bits(cut(bits, width)),
                    other => panic!("{other:?}"),
                };
            }
            Op::Compute(Computation::Select { dst, cond, a, b }) => {
                let chosen = if get(cond, self).bits() == 1 { a } else { b };
                regs[dst.index()] = get(chosen, self);
            }
            Op::Compute(Computation::Field { dst, base, bytes, .. }) => {
                let Value::Address(id, offset) = get(base, self) else { panic!("no address") };
                regs[dst.index()] = Value::Address(id, offset + bytes);
            }
            Op::Compute(Computation::Index { dst, base, index, stride, .. }) => {
                let Value::Address(id, offset) = get(base, self) else { panic!("no address") };
                let by = get(index, self).bits() as i64 * stride as i64;
                regs[dst.index()] = Value::Address(id, offset + by);
            }
            Op::Load { dst, addr, .. } => {
                let Value::Address(id, offset) = get(addr, self) else { panic!("no address") };
                regs[dst.index()] = self.memory.get(&(id, offset)).copied().unwrap_or(Value::Bits(0));
            }
            Op::Store { addr, value, .. } => {
                let (Value::Address(id, offset), value) = (get(addr, self), get(value, self)) else { panic!() };
                self.memory.insert((id, offset), value);
                if id.index() < self.globals {
                    self.seen.push((id, offset, value));
                }
            }
            Op::Nondet { dst, .. } => {
                self.inputs += 1;
                let value = mix(self.seed ^ self.inputs.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                regs[dst.index()] = Value::Bits(cut(u128::from(value), ty(Operand::Reg(dst))));
            }
            ref other => panic!("{other:?}"),
        }
    }
}

fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x.wrapping_mul(0xc4ce_b9fe_1a85_ec53) >> 7
}

/// Runs the program itself. False: the fuel ran out.
struct Reference<'p> {
    program: &'p Program,
    world: World,
    fuel: u32,
    objects: usize,
}

impl Reference<'_> {
    fn call(&mut self, id: FuncId, args: &[Value], depth: usize) -> Option<Vec<Value>> {
        let program = self.program;
        let function = &program.functions[id];
        let mut regs = vec![Value::Bits(0); function.regs.len()];
        for (param, arg) in function.params.iter().zip(args) {
            regs[param.index()] = *arg;
        }
        let ty = |operand: Operand| program.type_of(function, operand).bits(program.data_model);
        let mut at = BlockId::new(0);
        loop {
            let block = &function.blocks[at];
            for inst in &block.insts {
                self.fuel = self.fuel.checked_sub(1)?;
                match &inst.op {
                    Op::Call { dsts, callee, args } => {
                        if depth > 60 {
                            return None;
                        }
                        let args: Vec<Value> = args.iter().map(|arg| self.world.operand(&regs, *arg)).collect();
                        let target = match callee {
                            Callee::Direct(id) => *id,
                            Callee::Indirect(pointer) => match self.world.operand(&regs, *pointer) {
                                Value::Function(id) => id,
                                other => panic!("{other:?}"),
                            },
                        };
                        let values = self.call(target, &args, depth + 1)?;
                        for (dst, value) in dsts.iter().zip(values) {
                            regs[dst.index()] = value;
                        }
                    }
                    Op::Alloca { dst, .. } => {
                        self.objects += 1;
                        regs[dst.index()] = Value::Address(GlobalId::new(1000 + self.objects), 0);
                    }
                    op => self.world.run(&mut regs, &ty, op),
                }
            }
            self.fuel = self.fuel.checked_sub(1)?;
            at = match &block.term {
                Terminator::Jump(target) => *target,
                Terminator::Branch { cond, then, otherwise } => {
                    if self.world.operand(&regs, *cond).bits() == 1 {
                        *then
                    } else {
                        *otherwise
                    }
                }
                Terminator::Switch { value, cases, default } => {
                    let value = self.world.operand(&regs, *value).bits();
                    cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, target)| *target)
                }
                Terminator::Return(values) => {
                    return Some(values.iter().map(|value| self.world.operand(&regs, *value)).collect());
                }
                Terminator::Unreachable => panic!("reached"),
            };
        }
    }
}

/// Runs thread 0 of the bounded program. False: it was cut.
fn run_bounded(bounded: &Bounded<'_>, world: &mut World) -> bool {
    let thread = &bounded.threads[0];
    let model = bounded.program.data_model;
    let ty = |operand: Operand| match operand {
        Operand::Reg(reg) => thread.regs[reg].ty.bits(model),
        Operand::Const { ty, .. } => ty.bits(model),
        _ => 64,
    };
    let mut regs = vec![Value::Bits(0); thread.regs.len()];
    let mut at = selvedge_bound::BlockId::new(0);
    loop {
        let block = &thread.blocks[at];
        for step in &block.steps {
            match &step.op {
                StepOp::Plain(op) => world.run(&mut regs, &ty, op),
                StepOp::Create { dst, object, .. } => regs[dst.index()] = Value::Address(*object, 0),
                StepOp::End { .. } => {}
                StepOp::Finish { .. } => return true,
                StepOp::Spawn { .. } => panic!("one thread only"),
            }
        }
        let next = match &block.term {
            Term::Jump(target) => *target,
            Term::Branch { cond, then, otherwise } => {
                if world.operand(&regs, *cond).bits() == 1 {
                    *then
                } else {
                    *otherwise
                }
            }
            Term::Switch { value, cases, default } => {
                let value = world.operand(&regs, *value).bits();
                cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, target)| *target)
            }
            Term::Cut(_) => return false,
            Term::Stop => panic!("stopped"),
        };
        assert!(next.index() > at.index());
        at = next;
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.0) >> 8) as usize % n
    }
}

const NUMBERS: usize = 6;
const FLAGS: usize = 2;
const POINTER: usize = NUMBERS + FLAGS;
/// Three more pointers, to stack objects.
const FIRST_OBJECT: usize = POINTER + 1;
const OBJECTS: usize = 3;
const FUNCTIONS: usize = 3;
/// Globals for numbers; the first two are also written by their names. After them comes one for a pointer.
const CELLS: usize = 4;

fn slot() -> Operand {
    Operand::Global { id: GlobalId::new(CELLS), offset: 0 }
}

fn number(random: &mut Random) -> Operand {
    match random.below(3) {
        0 => Operand::int(8, random.below(5) as u128),
        _ => Operand::Reg(Reg::new(random.below(NUMBERS))),
    }
}

fn operation(random: &mut Random) -> Op {
    let dst = Reg::new(random.below(NUMBERS));
    let flag = Reg::new(NUMBERS + random.below(FLAGS));
    let global = |random: &mut Random| Operand::Global { id: GlobalId::new(random.below(2)), offset: 0 };
    let pointer = |random: &mut Random| Reg::new(FIRST_OBJECT + random.below(OBJECTS));
    match random.below(26) {
        22 => Op::Compute(Computation::Copy {
            dst: pointer(random),
            src: Operand::Global { id: GlobalId::new(random.below(CELLS)), offset: 0 },
        }),
        23 => {
            let value = Operand::Reg(pointer(random));
            Op::Store { ty: Ty::Ptr, addr: slot(), value, access: Access::Plain, place: None }
        }
        24 => Op::Load { dst: pointer(random), addr: slot(), access: Access::Plain, place: None },
        25 => {
            let addr = Operand::Global { id: GlobalId::new(random.below(CELLS)), offset: 0 };
            Op::Load { dst, addr, access: Access::Plain, place: None }
        }
        16 | 17 => {
            let addr = Operand::Reg(pointer(random));
            Op::Store { ty: Ty::Int(8), addr, value: number(random), access: Access::Plain, place: None }
        }
        18 | 19 => Op::Load { dst, addr: Operand::Reg(pointer(random)), access: Access::Plain, place: None },
        20 => Op::Compute(Computation::Copy { dst: pointer(random), src: Operand::Reg(pointer(random)) }),
        21 => {
            let (a, b) = (Operand::Reg(pointer(random)), Operand::Reg(pointer(random)));
            Op::Compute(Computation::Select { dst: pointer(random), cond: Operand::Reg(flag), a, b })
        }
        0 | 1 => Op::Compute(Computation::Copy { dst, src: number(random) }),
        2..=4 => {
            let op = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Xor][random.below(4)];
            Op::Compute(Computation::Binary { dst, op, a: number(random), b: number(random), checked: false })
        }
        5..=7 => {
            let op = [CmpOp::Eq, CmpOp::Ne, CmpOp::Ult, CmpOp::Slt][random.below(4)];
            Op::Compute(Computation::Compare { dst: flag, op, a: number(random), b: number(random) })
        }
        8 => Op::Compute(Computation::Select { dst, cond: Operand::Reg(flag), a: number(random), b: number(random) }),
        9 => Op::Load { dst, addr: global(random), access: Access::Plain, place: None },
        10 | 11 => Op::Store {
            ty: Ty::Int(8),
            addr: global(random),
            value: number(random),
            access: Access::Plain,
            place: None,
        },
        12 => Op::Nondet { dst, range: None, input: Input::Call("any".to_string()) },
        13 => Op::Compute(Computation::Cast { dst, cast: Cast::ZeroExtend, src: Operand::Reg(flag) }),
        14 => Op::Compute(Computation::Copy {
            dst: Reg::new(POINTER),
            src: Operand::Func(FuncId::new(1 + random.below(FUNCTIONS - 1))),
        }),
        _ => {
            let callee = match random.below(2) {
                0 => Callee::Direct(FuncId::new(1 + random.below(FUNCTIONS - 1))),
                _ => Callee::Indirect(Operand::Reg(Reg::new(POINTER))),
            };
            let dsts = vec![dst, pointer(random)];
            Op::Call { dsts, callee, args: vec![number(random), Operand::Reg(pointer(random))] }
        }
    }
}

fn function(random: &mut Random, id: usize) -> Function {
    let mut regs = PrimaryMap::new();
    for ty in (0..NUMBERS).map(|_| Ty::Int(8)).chain((0..FLAGS).map(|_| Ty::BOOL)).chain([Ty::Ptr; 1 + OBJECTS]) {
        regs.push(RegInfo { ty, name: None, debug: None });
    }
    let count = 2 + random.below(6);
    let mut blocks = PrimaryMap::new();
    for number_of_block in 0..count {
        let mut insts = Vec::new();
        if number_of_block == 0 {
            let src = Operand::Func(FuncId::new(1 + random.below(FUNCTIONS - 1)));
            insts.push(Op::Compute(Computation::Copy { dst: Reg::new(POINTER), src }));
            if id == 0 {
                let value = Operand::Global { id: GlobalId::new(0), offset: 0 };
                insts.push(Op::Store { ty: Ty::Ptr, addr: slot(), value, access: Access::Plain, place: None });
            }
            // The last pointer of a function is its caller's.
            for object in 0..if id == 0 { OBJECTS } else { OBJECTS - 1 } {
                let dst = Reg::new(FIRST_OBJECT + object);
                let size = Operand::int(64, 1);
                insts.push(Op::Alloca { dst, size, align: 1, var: None, ty: None, padding: vec![] });
                let addr = Operand::Reg(dst);
                let value = Operand::int(8, object as u128);
                insts.push(Op::Store { ty: Ty::Int(8), addr, value, access: Access::Plain, place: None });
            }
        }
        insts.extend((0..random.below(5)).map(|_| operation(random)));
        let target = |random: &mut Random| BlockId::new(random.below(count));
        let term = match random.below(6) {
            0 => Terminator::Return(if id == 0 {
                vec![]
            } else {
                vec![number(random), Operand::Reg(Reg::new(FIRST_OBJECT + OBJECTS - 1))]
            }),
            1 => Terminator::Jump(target(random)),
            2 => Terminator::Switch {
                value: number(random),
                cases: vec![(0, target(random)), (1, target(random))],
                default: target(random),
            },
            _ => Terminator::Branch {
                cond: Operand::Reg(Reg::new(NUMBERS + random.below(FLAGS))),
                then: target(random),
                otherwise: target(random),
            },
        };
        let insts = insts.into_iter().map(|op| Inst { op, loc: SourceMap::NOWHERE }).collect();
        blocks.push(Block { name: String::new(), insts, term, loc: SourceMap::NOWHERE });
    }
    Function {
        name: format!("f{id}"),
        origin: Origin::User,
        params: if id == 0 { vec![] } else { vec![Reg::new(0), Reg::new(FIRST_OBJECT + OBJECTS - 1)] },
        returns: if id == 0 { vec![] } else { vec![Ty::Int(8), Ty::Ptr] },
        regs,
        blocks,
        loc: SourceMap::NOWHERE,
    }
}

fn program(random: &mut Random) -> Program {
    let mut globals = PrimaryMap::new();
    for (name, size) in [("x", 1), ("y", 1), ("z", 1), ("w", 1), ("slot", 8)] {
        globals.push(Global {
            name: name.to_string(),
            origin: Origin::User,
            size,
            align: size as u32,
            init: vec![],
            relocations: vec![],
            thread_local: false,
            constant: false,
            ty: None,
            loc: SourceMap::NOWHERE,
        });
    }
    let mut functions = PrimaryMap::new();
    for id in 0..FUNCTIONS {
        functions.push(function(random, id));
    }
    Program {
        data_model: DataModel::Lp64,
        memory_model: Default::default(),
        functions,
        globals,
        places: PrimaryMap::new(),
        source: Default::default(),
        entry: FuncId::new(0),
        unmodelled: vec![],
        assumptions: vec![],
        observers: Default::default(),
    }
}

const PROGRAMS: u64 = 1000;

#[test]
fn random_programs_do_the_same() {
    let (mut whole, mut cut, programs) = (0, 0, Tally::default());
    for number in trial::seeds(PROGRAMS) {
        let mut random = Random(number);
        let program = program(&mut random);
        let limits = Limits {
            unwind: 1 + random.below(4) as u32,
            recursion: random.below(2) as u32,
            max_steps: 60_000,
            ..Limits::default()
        };
        let bounded = match bound(&program, &limits) {
            Ok(bounded) => bounded,
            Err(Refusal::TooLarge(_)) => {
                programs.skipped("too large");
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        programs.compared();
        assert_eq!(verify(&bounded), []);
        for seed in 0..4 {
            let world = || World { seed, globals: CELLS, ..World::default() };
            let mut reference = Reference { program: &program, world: world(), fuel: 20_000, objects: 0 };
            let done = reference.call(program.entry, &[], 0).is_some();
            let mut mine = world();
            let finished = run_bounded(&bounded, &mut mine);
            let (expected, found) = (&reference.world.seen, &mine.seen);
            let shown = || format!("program {number}, seed {seed}\n{program}\n{bounded}");
            if finished {
                assert!(done, "{}", shown());
                assert_eq!(expected, found, "{}", shown());
                assert_eq!(reference.world.inputs, mine.inputs, "{}", shown());
                whole += 1;
            } else {
                let common = found.len().min(expected.len());
                assert!(found.len() <= expected.len() || !done, "{}", shown());
                assert_eq!(expected[..common], found[..common], "{}", shown());
                cut += 1;
            }
        }
    }
    println!("{whole} runs to the end, {cut} cut");
    programs.require(95, PROGRAMS);
    assert!(trial::cases(PROGRAMS) < PROGRAMS || whole > 500 && cut > 500, "{whole} {cut}");
}

#[test]
fn pointers_and_stack_objects() {
    let text = "program lp64 entry @main
global @out 64 align 4
global @table 16 align 8 constant pointers [0:8 @double, 8:8 @next]

fn @double(%x: i32) -> i32 {
  i32 %y
entry:
  %y = add %x, %x
  return %y
}
fn @next(%x: i32) -> i32 {
  ptr %p
  i32 %y
entry:
  %p = alloca 8i64 align 4
  store i32 %x to %p
  %y = load %p
  %y = add %y, 1i32
  return %y
}
fn @main() {
  i32 %i, %v
  i64 %wide
  ptr %p, %f, %q
  i1 %c
entry:
  %p = alloca 40i64 align 4
  %i = copy 0i32
  jump head
head:
  %c = slt %i, 10i32
  branch %c, body, done
body:
  %wide = zero_extend %i
  %q = index %p, %wide stride 4
  store i32 %i to %q
  %wide = and %wide, 1i64
  %q = index @table, %wide stride 8
  %f = load %q
  %v = call *%f(%i)
  %q = index @out, %i stride 4
  store i32 %v to %q
  %i = add checked %i, 1i32
  jump head
done:
  %q = field %p, 12
  %v = load %q
  store i32 %v to @out+40
  return
}";
    let program = selvedge_program::text::parse(text).unwrap();
    let bounded = bound(&program, &Limits::default()).unwrap();
    assert_eq!(bounded.cuts, vec![], "{bounded}");
    let world = || {
        let mut world = World { globals: program.globals.len(), ..World::default() };
        for (at, name) in [(0, "double"), (8, "next")] {
            let id = program.function_named(name).unwrap();
            world.memory.insert((GlobalId::new(1), at), Value::Function(id));
        }
        world
    };
    let mut reference = Reference { program: &program, world: world(), fuel: 10_000, objects: 0 };
    assert!(reference.call(program.entry, &[], 0).is_some());
    let mut mine = world();
    assert!(run_bounded(&bounded, &mut mine));
    assert_eq!(reference.world.seen, mine.seen, "{bounded}");
    assert_eq!(mine.seen.len(), 11);
    assert_eq!(mine.seen[10].2, Value::Bits(3));
    // All is constant: one block, and the only objects are main's and the five of `next`.
    assert_eq!(bounded.threads[0].blocks.len(), 1, "{bounded}");
    assert_eq!(bounded.objects.len(), 2 + 6);
}

#[test]
fn an_address_that_two_paths_lose_gets_out() {
    // After the join %p is either object: what it writes may be in either.
    let text = "program lp64 entry @main
global @out 1 align 1
fn @main() {
  ptr %a, %b, %p
  i8 %n, %v
  i1 %c
entry:
  %a = alloca 1i64 align 1
  %b = alloca 1i64 align 1
  store i8 1i8 to %a
  store i8 2i8 to %b
  %n = nondet call \"n\"
  %c = ult %n, 128i8
  branch %c, left, right
left:
  %p = copy %a
  jump both
right:
  %p = copy %b
  jump both
both:
  store i8 7i8 to %p
  %v = load %a
  store i8 %v to @out
  %v = load %b
  store i8 %v to @out
  return
}";
    let program = selvedge_program::text::parse(text).unwrap();
    let bounded = bound(&program, &Limits::default()).unwrap();
    let mut results = Vec::new();
    for seed in 0..8 {
        let world = || World { seed, globals: 1, ..World::default() };
        let mut reference = Reference { program: &program, world: world(), fuel: 1000, objects: 0 };
        assert!(reference.call(program.entry, &[], 0).is_some());
        let mut mine = world();
        assert!(run_bounded(&bounded, &mut mine));
        assert_eq!(reference.world.seen, mine.seen, "{bounded}");
        results.push(mine.seen[0].2);
    }
    assert!(results.contains(&Value::Bits(1)) && results.contains(&Value::Bits(7)), "both paths are taken");
}
