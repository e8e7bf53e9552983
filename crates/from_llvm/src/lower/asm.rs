//! Inline assembly, understood from its text: compiler barriers, hints, fences, time stamps, and the instructions by
//! which programs for x86 build locks, counters and flags of their own (see `machine`). They become operations on
//! memory, atomic and sequentially consistent if the instruction is locked; without the lock prefix a load and a store,
//! between which other threads run.
//!
//! Any other text leaves any values in its outputs, which is an assumption that names it.

mod flags;
mod machine;
mod places;
mod text;

use selvedge_program::{Assumption, BlockId, Computation, Input, Op, Operand, Reg, Terminator, Ty};
use std::collections::HashMap;

use super::Lowered;
use super::function::Body;
use crate::ll;
use machine::Machine;

/// An operand of the statement, by its constraint.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Register(Reg),
    Memory {
        addr: Operand,
        argument: usize,
    },
    /// A truth value that is read off the flags at the end.
    Flag,
    Label,
}

/// One constraint, without clobbers: `=&{ax}`, `*m`, `0`.
#[derive(Clone, Debug, PartialEq)]
struct Constraint {
    output: bool,
    indirect: bool,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Any register, or a number.
    Any,
    /// The register with this name for its lowest 16 bits.
    Fixed(&'static str),
    /// Tied to the register of that output.
    Tied(usize),
    /// A condition on the flags: `@ccz` without `@cc`.
    Flag(String),
    Label,
}

fn constraints(text: &str) -> Option<Vec<Constraint>> {
    let parts = text.split(',').filter(|part| !part.is_empty() && !part.starts_with('~'));
    parts.map(constraint).collect()
}

fn constraint(text: &str) -> Option<Constraint> {
    let (output, text) = text.strip_prefix('=').map_or((false, text), |rest| (true, rest));
    let text = text.trim_start_matches(['&', '%']);
    let (indirect, text) = text.strip_prefix('*').map_or((false, text), |rest| (true, rest));
    let kind = if let Some(condition) = text.strip_prefix("{@cc") {
        Kind::Flag(condition.trim_end_matches('}').to_string())
    } else if let Some(name) = text.strip_prefix('{') {
        Kind::Fixed(text::register_named(name.trim_end_matches('}'))?.0)
    } else if let Ok(number) = text.parse() {
        Kind::Tied(number)
    } else if text.starts_with('!') {
        Kind::Label
    } else if text.contains(['A', 'x', 'f', 't']) {
        // Pairs of registers, and registers for floats.
        return None;
    } else {
        Kind::Any
    };
    Some(Constraint { output, indirect, kind })
}

impl Body<'_, '_> {
    pub fn inline_asm(&mut self, asm: &ll::InlineAsm, call: &ll::Call) -> Lowered<Vec<Operand>> {
        self.assembly(asm, call, &[])
    }

    /// `labels`: where the text may jump to.
    pub fn assembly(&mut self, asm: &ll::InlineAsm, call: &ll::Call, labels: &[BlockId]) -> Lowered<Vec<Operand>> {
        let (start, length) = (self.current, self.func.blocks[self.current].insts.len());
        if let Some(results) = self.understood(asm, call, labels) {
            return Ok(results);
        }
        // Whatever was translated before the first unknown word is taken back; new blocks are not reached.
        self.current = start;
        self.func.blocks[start].insts.truncate(length);
        self.open = true;
        self.unknown_assembly(asm, call, labels)
    }

    fn understood(&mut self, asm: &ll::InlineAsm, call: &ll::Call, labels: &[BlockId]) -> Option<Vec<Operand>> {
        if asm.intel_dialect {
            return None;
        }
        let lines = text::lines(&asm.text)?;
        let constraints = constraints(&asm.constraints)?;
        let returns = self.leaf_types(&call.function_type.ret).ok()?;
        let (slots, registers) = self.slots(&constraints, &returns, call, &lines)?;
        let mut machine = Machine::new(self, call, &constraints, slots, registers, labels);
        machine.run(&lines)?;
        machine.results(&returns)
    }

    /// A place for each operand, and the machine's registers that are already in use. Registers that several
    /// constraints share are as wide as the widest of them.
    #[allow(clippy::type_complexity)]
    fn slots(
        &mut self,
        constraints: &[Constraint],
        returns: &[Ty],
        call: &ll::Call,
        lines: &[text::Line],
    ) -> Option<(Vec<Slot>, HashMap<&'static str, Reg>)> {
        // The type of each operand, and its initial value.
        let (mut types, mut values): (Vec<Option<Ty>>, Vec<Option<Operand>>) = (vec![], vec![]);
        let (mut outputs, mut arguments) = (returns.iter(), call.args.iter().enumerate());
        let mut places = vec![];
        for constraint in constraints {
            let argument = match constraint {
                Constraint { kind: Kind::Label, .. } => None,
                Constraint { output: true, indirect: false, .. } => None,
                _ => Some(arguments.next()?),
            };
            let value = match argument {
                Some((_, arg)) => Some(self.scalar(&arg.ty, &arg.value).ok()?),
                None => None,
            };
            places.push(argument.map(|(number, _)| number));
            types.push(match (constraint.output && !constraint.indirect, value) {
                (true, _) => Some(*outputs.next()?),
                (false, value) => value.map(|value| self.ty(value)),
            });
            values.push(value);
        }
        if types.iter().flatten().any(|ty| !matches!(ty, Ty::Int(_) | Ty::Ptr)) {
            return None;
        }
        // Each operand in a register has a group: those that share it.
        let group = |number: usize| match &constraints[number].kind {
            Kind::Tied(output) => *output,
            Kind::Fixed(name) => {
                let same = |other: &Constraint| other.kind == Kind::Fixed(name) && !other.indirect;
                constraints.iter().position(same).unwrap_or(number)
            }
            Kind::Any | Kind::Flag(_) | Kind::Label => number,
        };
        let group = |number: usize| group(group(number));
        let mut homes: HashMap<usize, Reg> = HashMap::new();
        let (mut slots, mut registers) = (vec![], HashMap::new());
        for (number, constraint) in constraints.iter().enumerate() {
            slots.push(match (&constraint.kind, places[number], values[number]) {
                (Kind::Label, ..) => Slot::Label,
                (Kind::Flag(_), ..) => Slot::Flag,
                (_, Some(argument), Some(addr)) if constraint.indirect => Slot::Memory { addr, argument },
                _ => {
                    let leader = group(number);
                    let members: Vec<usize> = (0..constraints.len())
                        .filter(|other| !constraints[*other].indirect && group(*other) == leader)
                        .collect();
                    let member_types: Vec<Ty> = members.iter().filter_map(|member| types[*member]).collect();
                    let reg = match homes.get(&leader) {
                        Some(reg) => *reg,
                        None => {
                            let ty = widest(&member_types, self.layout.pointer_bits())?;
                            let reg = self.reg(ty);
                            let initial = members.iter().find_map(|member| values[*member]);
                            let src = match initial {
                                Some(value) => self.adapt(value, ty).ok()?,
                                None if machine::written_first(lines, leader, &constraints[leader], ty) => {
                                    Operand::Const { ty, bits: 0 }
                                }
                                None => {
                                    self.nondet(ty, Input::Uninitialised("an output of inline assembly".to_string()))
                                }
                            };
                            self.emit(Computation::Copy { dst: reg, src });
                            homes.insert(leader, reg);
                            reg
                        }
                    };
                    if let Kind::Fixed(name) = constraint.kind {
                        registers.insert(name, reg);
                    }
                    Slot::Register(reg)
                }
            });
        }
        Some((slots, registers))
    }

    /// Any values in the outputs, and any of the jumps.
    fn unknown_assembly(&mut self, asm: &ll::InlineAsm, call: &ll::Call, labels: &[BlockId]) -> Lowered<Vec<Operand>> {
        let text = text::as_in_c(&asm.text);
        let at = self.cx.describe(self.loc);
        self.cx.assume(Assumption::Assembly { text, at });
        let input = || Input::Call(Input::ASSEMBLY.to_string());
        let parts = asm.constraints.split(',').filter(|part| !part.starts_with('~') && !part.starts_with('!'));
        let in_memory = |part: &&str| part.starts_with("=*") || part.starts_with("=&*");
        let direct = |part: &&str| part.starts_with('=') && !in_memory(part);
        let parts: Vec<&str> = parts.filter(|part| !direct(part)).collect();
        for (arg, _) in call.args.iter().zip(&parts).filter(|(_, part)| in_memory(part)) {
            let Some(ty) = &arg.attrs.elementtype else { continue };
            let (addr, place) = (self.scalar(&arg.ty, &arg.value)?, self.place(&arg.value));
            for leaf in self.layout.clone().leaves(ty)? {
                let (addr, value) = (self.offset(addr, leaf.offset), self.nondet(leaf.ty, input()));
                self.emit(Op::Store { ty: leaf.ty, addr, value, access: places::STORE, place });
            }
        }
        for label in labels {
            let next = self.block("asm.next");
            let cond = self.nondet(Ty::BOOL, input());
            self.end(Terminator::Branch { cond, then: *label, otherwise: next });
            self.current = next;
            self.open = true;
        }
        let returns = self.leaf_types(&call.function_type.ret)?;
        Ok(returns.iter().map(|ty| self.nondet(*ty, input())).collect())
    }
}

/// A pointer if all are, else an integer with room for all.
fn widest(types: &[Ty], word: u8) -> Option<Ty> {
    let bits = |ty: &Ty| match ty {
        Ty::Int(bits) => Some((*bits).max(8)),
        Ty::Ptr => Some(word),
        Ty::F32 | Ty::F64 => None,
    };
    match types.iter().all(|ty| *ty == Ty::Ptr) {
        true => Some(Ty::Ptr),
        false => types.iter().map(bits).collect::<Option<Vec<u8>>>()?.into_iter().max().map(Ty::Int),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_read() {
        let one = |text| constraint(text).unwrap();
        assert_eq!(one("=&{ax}"), Constraint { output: true, indirect: false, kind: Kind::Fixed("ax") });
        assert_eq!(one("*m"), Constraint { output: false, indirect: true, kind: Kind::Any });
        assert_eq!(one("2"), Constraint { output: false, indirect: false, kind: Kind::Tied(2) });
        assert_eq!(one("={@ccz}").kind, Kind::Flag("z".to_string()));
        assert_eq!(constraints("=r,0,~{memory},~{flags}").map(|all| all.len()), Some(2));
        assert_eq!(constraints("=x,x"), None);
    }
}
