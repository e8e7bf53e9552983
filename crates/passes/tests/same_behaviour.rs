//! Random functions do the same before and after all passes: the same accesses to shared memory in
//! the same order, the same inputs asked for, the same end.
//!
//! The evaluator is independent of the passes' own arithmetic: it computes on `i128` and `i64`
//! values of few widths.

use proptest::prelude::*;
use selvedge_generate::Trial;
use selvedge_passes::prepare;
use selvedge_program::semantics::integers::{compare, defined_binary};
use selvedge_program::text::{parse, print};
use selvedge_program::*;
use std::collections::HashMap;
use std::fmt::Write;

/// Small numbers from one seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn operand(&mut self, ty: &str) -> String {
        match (ty, self.below(3)) {
            ("i1", 0) => ["true", "false"][self.below(2) as usize].to_string(),
            (_, 0) => format!("{}{ty}", self.pick(&["0", "1", "-1", "2", "7", "31", "127", "-128"])),
            _ => self.reg(ty),
        }
    }

    fn reg(&mut self, ty: &str) -> String {
        format!("%{ty}_{}", self.below(5))
    }
}

const TYPES: [&str; 3] = ["i1", "i8", "i32"];

/// Private variables v0..v3, a private struct s, a shared @g, and blocks that jump anywhere.
fn generate(seed: u64) -> String {
    let mut r = Random(seed);
    let mut text = String::from("program lp64 entry @main\nglobal @g 4 align 4\nfn @main() -> i32 {\nptr %s, %s4\n");
    for ty in TYPES {
        for i in 0..5 {
            let _ = writeln!(text, "{ty} %{ty}_{i}");
        }
    }
    for i in 0..4 {
        let _ = writeln!(text, "ptr %v{i}");
    }
    text += "entry:\n%s = alloca 8i64 align 4\n%s4 = field %s, 4\nstore i32 5i32 to %s\nstore i32 6i32 to %s4\n";
    for i in 0..4 {
        let _ = writeln!(text, "%v{i} = alloca 4i64 align 4\nstore i32 {i}i32 to %v{i}");
    }
    for ty in TYPES {
        let _ = writeln!(text, "%{ty}_0 = nondet call \"f\"\n%{ty}_1 = nondet call \"f\"");
        for i in 2..5 {
            let _ = writeln!(text, "%{ty}_{i} = copy %{ty}_{}", i - 1);
        }
    }
    let blocks = 1 + r.below(7);
    text += "jump b0\n";
    for block in 0..blocks {
        // Each round of a loop is seen, so that runs can be cut off at the same place.
        let _ = writeln!(text, "b{block}:\nstore i32 {} to @g", r.operand("i32"));
        for _ in 0..r.below(10) {
            instruction(&mut r, &mut text);
        }
        let mut target = || format!("b{}", r.below(blocks));
        let (a, b, c) = (target(), target(), target());
        match r.below(5) {
            0 => writeln!(text, "jump {a}"),
            1 => writeln!(text, "switch {} [0: {a}, 1: {b}], {c}", r.operand("i8")),
            2 => writeln!(text, "return {}", r.operand("i32")),
            _ => writeln!(text, "branch {}, {a}, {b}", r.operand("i1")),
        }
        .unwrap();
    }
    text + "}\n"
}

fn instruction(r: &mut Random, text: &mut String) {
    let ty = r.pick(&["i8", "i32"]);
    let (dst, a, b) = (r.reg(ty), r.operand(ty), r.operand(ty));
    let address = r.pick(&["%v0", "%v1", "%v2", "%v3", "%s", "%s4", "@g"]);
    let _ = match r.below(12) {
        0 => writeln!(text, "{dst} = copy {a}"),
        1 | 2 => {
            let op = r.pick(&[
                "add", "sub", "mul", "and", "or", "xor", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr",
            ]);
            let checked = if matches!(op, "add" | "sub" | "mul") { r.pick(&["", "checked"]) } else { "" };
            writeln!(text, "{dst} = {op} {checked} {a}, {b}")
        }
        3 => {
            let op = r.pick(&["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]);
            writeln!(text, "{} = {op} {a}, {b}", r.reg("i1"))
        }
        4 => writeln!(text, "{} = {} {}", r.reg("i32"), r.pick(&["zero_extend", "sign_extend"]), r.operand("i8")),
        5 => writeln!(text, "{} = truncate {}", r.reg("i8"), r.operand("i32")),
        6 => writeln!(text, "{dst} = select {}, {a}, {b}", r.operand("i1")),
        7 | 8 => writeln!(text, "{} = load {address}", r.reg("i32")),
        9 | 10 => writeln!(text, "store i32 {} to {address}", r.operand("i32")),
        _ => writeln!(text, "{dst} = nondet call \"f\""),
    };
}

/// The part of a run that is visible from outside.
#[derive(PartialEq, Debug, Default)]
struct Seen {
    events: Vec<String>,
}

const MOST_EVENTS: usize = 60;

/// The first events: where a run is ended depends on how blocks are cut.
fn evaluate(program: &Program, seed: u64) -> Seen {
    let mut seen = run(program, seed);
    seen.events.truncate(MOST_EVENTS);
    seen
}

fn run(program: &Program, seed: u64) -> Seen {
    let function = &program.functions[program.entry];
    let mut inputs = Random(seed);
    let mut regs: HashMap<Reg, i128> = HashMap::new();
    // Addresses are (object, offset) in one number; 0 is @g.
    let mut memory: HashMap<i128, i128> = HashMap::new();
    let mut seen = Seen::default();
    let mut at = BlockId::new(0);
    let mut objects = 0;
    let width = |operand: Operand| program.type_of(function, operand).bits(program.data_model);
    let wrap = |value: i128, width: u32| value << (128 - width) >> (128 - width);
    while seen.events.len() < MOST_EVENTS {
        let block = &function.blocks[at];
        let value = |regs: &HashMap<Reg, i128>, operand: Operand| match operand {
            Operand::Reg(reg) => regs.get(&reg).copied().expect("read before written"),
            Operand::Const { bits, .. } => wrap(bits as i128, width(operand)),
            Operand::Global { .. } | Operand::Func(_) => 0,
        };
        for inst in &block.insts {
            let get = |operand: &Operand| value(&regs, *operand);
            let (dst, result) = match &inst.op {
                Op::Compute(Computation::Copy { dst, src }) => (dst, get(src)),
                Op::Compute(Computation::Binary { dst, op, a, b, checked }) => {
                    match arithmetic(*op, get(a), get(b), width(*a), *checked) {
                        Some(result) => (dst, result),
                        None => {
                            seen.events.push(format!("violation of {op:?}"));
                            return seen;
                        }
                    }
                }
                Op::Compute(Computation::Compare { dst, op, a, b }) => {
                    (dst, -i128::from(ordered(*op, get(a), get(b), width(*a))))
                }
                Op::Compute(Computation::Cast { dst, cast: Cast::ZeroExtend, src }) => {
                    (dst, get(src) & ((1 << width(*src)) - 1))
                }
                Op::Compute(Computation::Cast { dst, src, .. }) => (dst, get(src)),
                Op::Compute(Computation::Select { dst, cond, a, b }) => {
                    (dst, if get(cond) != 0 { get(a) } else { get(b) })
                }
                Op::Alloca { dst, .. } => {
                    objects += 1;
                    (dst, objects * 100)
                }
                Op::Compute(Computation::Field { dst, base, bytes, .. }) => (dst, get(base) + i128::from(*bytes)),
                Op::Load { dst, addr, .. } => {
                    let result = memory.get(&get(addr)).copied().unwrap_or(0);
                    if get(addr) == 0 {
                        seen.events.push(format!("read {result}"));
                    }
                    (dst, result)
                }
                Op::Store { addr, value, .. } => {
                    memory.insert(get(addr), get(value));
                    if get(addr) == 0 {
                        seen.events.push(format!("write {}", get(value)));
                    }
                    continue;
                }
                Op::Nondet { dst, .. } => {
                    let input = inputs.below(300) as i128 - 100;
                    seen.events.push(format!("input {input}"));
                    (dst, input)
                }
                other => panic!("not generated: {other:?}"),
            };
            let result = wrap(result, width(Operand::Reg(*dst)));
            regs.insert(*dst, result);
        }
        let get = |operand: &Operand| value(&regs, *operand);
        at = match &block.term {
            Terminator::Jump(target) => *target,
            Terminator::Branch { cond, then, otherwise } => {
                if get(cond) != 0 {
                    *then
                } else {
                    *otherwise
                }
            }
            Terminator::Switch { value, cases, default } => {
                cases.iter().find(|(case, _)| *case as i128 == get(value)).map_or(*default, |(_, target)| *target)
            }
            Terminator::Return(values) => {
                seen.events.push(format!("return {:?}", values.iter().map(get).collect::<Vec<_>>()));
                return seen;
            }
            Terminator::Unreachable => return seen,
        };
    }
    seen.events.truncate(MOST_EVENTS);
    seen
}

/// On sign-extended values; none for a violation. Results are wrapped by the caller.
fn arithmetic(op: BinOp, a: i128, b: i128, width: u32, checked: bool) -> Option<i128> {
    let unsigned = |value: i128| value & ((1i128 << width) - 1);
    let least = -(1i128 << (width - 1));
    let shift = unsigned(b);
    let result = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem if b == 0 => return None,
        BinOp::SDiv | BinOp::SRem if a == least && b == -1 => return None,
        BinOp::UDiv => unsigned(a) / unsigned(b),
        BinOp::URem => unsigned(a) % unsigned(b),
        BinOp::SDiv => a / b,
        BinOp::SRem => a % b,
        BinOp::Shl | BinOp::LShr | BinOp::AShr if shift >= i128::from(width) => return None,
        BinOp::Shl => a << shift,
        BinOp::LShr => unsigned(a) >> shift,
        BinOp::AShr => a >> shift,
    };
    if checked && (result < least || result > -(least + 1)) { None } else { Some(result) }
}

fn ordered(op: CmpOp, a: i128, b: i128, width: u32) -> bool {
    let unsigned = |value: i128| value & ((1i128 << width) - 1);
    let (ua, ub) = (unsigned(a), unsigned(b));
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => ua < ub,
        CmpOp::Ule => ua <= ub,
        CmpOp::Ugt => ua > ub,
        CmpOp::Uge => ua >= ub,
        CmpOp::Slt => a < b,
        CmpOp::Sle => a <= b,
        CmpOp::Sgt => a > b,
        CmpOp::Sge => a >= b,
    }
}

/// Every operation on every two bytes.
#[test]
fn constants_are_folded_as_the_evaluator_computes() {
    use BinOp::*;
    use CmpOp::*;
    for a in i8::MIN..=i8::MAX {
        for b in i8::MIN..=i8::MAX {
            let (bits_a, bits_b) = (u128::from(a as u8), u128::from(b as u8));
            let (a, b) = (i128::from(a), i128::from(b));
            for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor] {
                for checked in [false, matches!(op, Add | Sub | Mul | Shl)] {
                    let computed = arithmetic(op, a, b, 8, checked).map(|value| value as u128 & 0xff);
                    assert_eq!(defined_binary(op, 8, bits_a, bits_b, checked), computed, "{op:?} {a} {b}");
                }
            }
            for op in [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge] {
                assert_eq!(compare(op, 8, bits_a, bits_b), ordered(op, a, b, 8), "{op:?} {a} {b}");
            }
        }
    }
}

#[test]
fn passes_change_nothing_that_can_be_seen() {
    let drawn = (any::<u64>(), any::<u64>());
    let show = |(seed, _): &(u64, u64)| generate(*seed);
    Trial { cases: 2000, percent: 100 }.run_on(drawn, show, |(seed, inputs), tally| {
        tally.compared();
        let text = generate(*seed);
        let before = parse(&text).map_err(|error| error.to_string())?;
        let after = prepare(before.clone());
        let is_alloca = |inst: &Inst| matches!(inst.op, Op::Alloca { .. });
        if after.functions[after.entry].blocks.values().any(|b| b.insts.iter().any(is_alloca)) {
            return Err(format!("stack objects are left:\n{}", print(&after)));
        }
        for inputs in [*inputs, inputs / 2, inputs / 3] {
            let (expected, found) = (evaluate(&before, inputs), evaluate(&after, inputs));
            if expected != found {
                return Err(format!("{expected:?}, then {found:?}\n{}", print(&after)));
            }
        }
        Ok(())
    });
}
