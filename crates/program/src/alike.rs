//! Functions that do the same: copies of one another under other names, as generated programs and benchmarks have them
//! (`push0`, `push1`, …).
//!
//! Two functions are alike if they have the same operations on the same things, and call functions that are alike;
//! names, places in the source and the texts of messages do not count. Recursive ones are taken for alike until
//! something else shows (the greatest bisimulation, as in the minimisation of automata).

use crate::ir::{Callee, FuncId, Function, Inst, Op, Operand, Program};
use std::collections::{BTreeSet, HashMap};

/// For functions whose address is taken: an earlier one that is alike, if there is one.
pub fn stand_ins(program: &Program) -> HashMap<FuncId, FuncId> {
    let mut stand_ins = HashMap::new();
    let mut first_of_kind: Vec<FuncId> = Vec::new();
    for function in addressed(program) {
        match first_of_kind.iter().find(|first| are_alike(program, **first, function)) {
            Some(first) => _ = stand_ins.insert(function, *first),
            None => first_of_kind.push(function),
        }
    }
    stand_ins
}

/// Functions that may be called through a pointer, or be a thread's.
fn addressed(program: &Program) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    let mut note = |operand: &Operand| {
        if let Operand::Func(function) = operand {
            found.insert(*function);
        }
    };
    for global in program.globals.values() {
        global.relocations.iter().for_each(|relocation| note(&relocation.target));
    }
    for block in program.functions.values().flat_map(|function| function.blocks.values()) {
        block.insts.iter().for_each(|inst| inst.op.for_each_use(|operand| note(&operand)));
        block.term.for_each_use(|operand| note(&operand));
    }
    found
}

fn are_alike(program: &Program, one: FuncId, other: FuncId) -> bool {
    let mut assumed = vec![(one, other)];
    let mut checked = 0;
    while let Some((one, other)) = assumed.get(checked).copied() {
        checked += 1;
        if !have_same_code(&program.functions[one], &program.functions[other], &mut assumed) {
            return false;
        }
    }
    true
}

/// As far as these two go; `assumed` gets the functions that they call.
fn have_same_code(one: &Function, other: &Function, assumed: &mut Vec<(FuncId, FuncId)>) -> bool {
    let same_shape = one.origin == other.origin
        && one.params == other.params
        && one.returns == other.returns
        && one.blocks.len() == other.blocks.len()
        && one.regs.values().map(|reg| reg.ty).eq(other.regs.values().map(|reg| reg.ty));
    same_shape
        && one.blocks.values().zip(other.blocks.values()).all(|(one, other)| {
            one.insts.len() == other.insts.len()
                && one.term == other.term
                && one.insts.iter().zip(&other.insts).all(|(one, other)| do_same(one, other, assumed))
        })
}

fn do_same(one: &Inst, other: &Inst, assumed: &mut Vec<(FuncId, FuncId)>) -> bool {
    if let (
        Op::Call { dsts, callee: Callee::Direct(one), args },
        Op::Call { dsts: other_dsts, callee: Callee::Direct(other), args: other_args },
    ) = (&one.op, &other.op)
    {
        let pair = (*one, *other);
        if one != other && !assumed.contains(&pair) {
            assumed.push(pair);
        }
        return dsts == other_dsts && args == other_args;
    }
    one.op == other.op || nameless(&one.op) == nameless(&other.op)
}

/// Without what only messages use.
fn nameless(op: &Op) -> Op {
    let mut op = op.clone();
    if let Some(place) = op.place_mut() {
        *place = None;
    }
    if let Op::Alloca { var, .. } = &mut op {
        *var = None;
    }
    if let Op::Violation { text, .. } = &mut op {
        text.clear();
    }
    op
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(bodies: &[&str]) -> Program {
        let mut text = "program lp64 entry @main\nglobal @x 4 align 4\nglobal @y 4 align 4\n".to_string();
        for (number, body) in bodies.iter().enumerate() {
            text += &format!("fn @f{number}(%p: ptr, %q: ptr) {{\n  i32 %r{number}\nentry:\n{body}  return\n}}\n");
        }
        text += "fn @main() -> i32 {\n  i32 %r\nentry:\n";
        (0..bodies.len()).for_each(|number| text += &format!("  %r = spawn(@f{number}, null, null)\n"));
        text += "  return 0i32\n}\n";
        crate::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The stand-in of each.
    fn kinds(bodies: &[&str]) -> Vec<String> {
        let program = program(bodies);
        let stand_ins = stand_ins(&program);
        let name = |id: FuncId| program.functions[*stand_ins.get(&id).unwrap_or(&id)].name.clone();
        program.functions.keys().filter(|id| *id != program.entry).map(name).collect()
    }

    #[test]
    fn copies_are_alike() {
        assert_eq!(kinds(&["  %r0 = load @x\n", "  %r1 = load @y\n", "  %r2 = load @x\n"]), ["f0", "f1", "f0"]);
    }

    #[test]
    fn so_are_those_that_call_copies() {
        let call = |number: usize| format!("  call @f{number}(%p, %q)\n");
        let (load, other) = ("  %r0 = load @x\n", "  %r1 = load @y\n");
        let same = "  %r2 = load @x\n";
        assert_eq!(kinds(&[load, other, same, &call(0), &call(1), &call(2)]), ["f0", "f1", "f0", "f3", "f4", "f3"]);
    }

    #[test]
    fn and_those_that_call_one_another() {
        let call = |number: usize| format!("  call @f{number}(%p, %q)\n");
        assert_eq!(kinds(&[&call(1), &call(0), &call(2)]), ["f0", "f0", "f0"]);
    }
}
