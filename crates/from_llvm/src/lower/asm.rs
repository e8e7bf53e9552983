//! Inline assembly. Supported are empty texts (a barrier for the compiler), memory fences, and
//! hints to the processor. Anything else is reported as unsupported.

use selvedge_program::{Input, MemoryOrder, Op, Operand};

use super::Lowered;
use super::function::Body;
use crate::ll;

#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    Nothing,
    Fence(MemoryOrder),
    Unknown,
}

impl Body<'_, '_> {
    pub fn inline_asm(&mut self, asm: &ll::InlineAsm, call: &ll::Call) -> Lowered<Vec<Operand>> {
        match meaning(&asm.text) {
            Meaning::Unknown => return Err(format!("inline assembly `{}`", asm.text.trim())),
            Meaning::Fence(order) => self.emit(Op::Fence { order }),
            Meaning::Nothing => {}
        }
        let returns = self.leaf_types(&call.function_type.ret)?;
        let mut args = vec![];
        for arg in &call.args {
            args.push(self.leaves(&arg.ty, &arg.value)?);
        }
        let tied = tied_inputs(&asm.constraints, returns.len());
        let mut results = vec![];
        for (ty, input) in returns.into_iter().zip(tied) {
            results.push(match input.and_then(|i| args.get(i)).map(Vec::as_slice) {
                Some([value]) => self.adapt(*value, ty)?,
                _ => self.nondet(ty, Input::Uninitialised("an output of inline assembly".to_string())),
            });
        }
        Ok(results)
    }
}

fn meaning(text: &str) -> Meaning {
    let mut result = Meaning::Nothing;
    let pieces = text.split(['\n', ';']).map(|p| p.split('#').next().unwrap_or("").split("//").next().unwrap_or(""));
    let mut locked = false;
    for piece in pieces {
        let piece = piece.replace("$$", "$");
        let words: Vec<&str> = piece.split(|c: char| c.is_whitespace()).filter(|w| !w.is_empty()).collect();
        match words.as_slice() {
            [] | ["pause" | "nop" | "rep" | "yield"] | ["rep", "nop"] => {}
            ["mfence"] => result = Meaning::Fence(MemoryOrder::SeqCst),
            // These are weaker; a full fence beside them includes them.
            ["sfence"] if result == Meaning::Nothing => result = Meaning::Fence(MemoryOrder::Release),
            ["lfence"] if result == Meaning::Nothing => result = Meaning::Fence(MemoryOrder::Acquire),
            ["sfence"] if result == Meaning::Fence(MemoryOrder::Acquire) => {
                result = Meaning::Fence(MemoryOrder::AcqRel);
            }
            ["lfence"] if result == Meaning::Fence(MemoryOrder::Release) => {
                result = Meaning::Fence(MemoryOrder::AcqRel);
            }
            ["lfence" | "sfence"] => {}
            ["lock"] => locked = true,
            ["lock", op, rest @ ..] if is_stack_noop(op, rest) => result = Meaning::Fence(MemoryOrder::SeqCst),
            [op, rest @ ..] if locked && is_stack_noop(op, rest) => {
                locked = false;
                result = Meaning::Fence(MemoryOrder::SeqCst);
            }
            _ => return Meaning::Unknown,
        }
    }
    if locked { Meaning::Unknown } else { result }
}

/// `addl $0, 0(%esp)`: changes nothing, but is a full fence with a lock prefix.
fn is_stack_noop(op: &str, rest: &[&str]) -> bool {
    let operands: String = rest.concat();
    let Some((value, place)) = operands.split_once(',') else { return false };
    matches!(op, "add" | "addl" | "addq" | "or" | "orl" | "orq")
        && matches!(value, "$0" | "$0x0")
        && (place.ends_with("(%esp)")
            || place.ends_with("(%rsp)")
            || place.ends_with("(%%esp)")
            || place.ends_with("(%%rsp)"))
}

/// For each output the argument with its initial value.
fn tied_inputs(constraints: &str, outputs: usize) -> Vec<Option<usize>> {
    let mut tied = vec![None; outputs];
    let mut argument = 0;
    let mut output = 0;
    // Constraint numbers count all outputs; only direct ones are results.
    let mut result_of = vec![];
    for constraint in constraints.split(',') {
        if constraint.starts_with('~') {
            continue;
        }
        if let Some(rest) = constraint.strip_prefix('=') {
            if rest.starts_with('*') {
                argument += 1;
                result_of.push(None);
            } else {
                result_of.push(Some(output));
                output += 1;
            }
            continue;
        }
        if let Ok(number) = constraint.parse::<usize>()
            && let Some(Some(result)) = result_of.get(number)
            && let Some(slot) = tied.get_mut(*result)
        {
            *slot = Some(argument);
        }
        argument += 1;
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_known() {
        for text in
            ["mfence", "lock; addl $$0,0(%esp)", "lock\n addq $$0, (%rsp)", "sfence; mfence", "lock; addl $$0,-4(%rsp)"]
        {
            assert!(meaning(text) == Meaning::Fence(MemoryOrder::SeqCst), "{text}");
        }
        let weaker = [("\tlfence\n", MemoryOrder::Acquire), ("sfence", MemoryOrder::Release)];
        for (text, order) in weaker.into_iter().chain([("sfence\nlfence", MemoryOrder::AcqRel)]) {
            assert!(meaning(text) == Meaning::Fence(order), "{text}");
        }
        for text in ["", "pause", "rep; nop", "# barrier", "nop\n\tnop"] {
            assert!(meaning(text) == Meaning::Nothing, "{text}");
        }
        for text in ["lock", "lock; xaddl %eax, (%rbx)", "cli", "addl $$0,0(%esp)"] {
            assert!(meaning(text) == Meaning::Unknown, "{text}");
        }
    }

    #[test]
    fn inputs_are_tied_by_number() {
        assert_eq!(tied_inputs("=r,0,~{memory}", 1), [Some(0)]);
        assert_eq!(tied_inputs("=*m,=r,=r,1,2,*m", 2), [Some(1), Some(2)]);
        assert_eq!(tied_inputs("=r,~{dirflag}", 1), [None]);
    }
}
