//! Questions about a whole program that its text answers.

use crate::assumption::Assumption;
use crate::ir::{Function, Input, Op, Operand, Program};
use crate::source::Loc;
use crate::task::Property;
use crate::trace::{Event, What};

impl Program {
    /// Does it use SV-COMP's functions? `abort()` then means that the run breaks an assumption.
    pub fn follows_sv_comp(&self) -> bool {
        let mut names = self.functions.values().map(|function| function.name.as_str());
        names.any(|name| name == "reach_error" || name.starts_with("__VERIFIER_"))
    }

    /// Is a violation there not to be reported?
    pub fn suppresses(&self, property: Property, loc: Loc) -> bool {
        let Some(path) = self.source.files.get(loc.file) else { return false };
        self.assumptions.iter().any(|assumption| match assumption {
            Assumption::Suppressed(place) => place.property == property && place.line == loc.line && place.is_in(path),
            _ => false,
        })
    }

    /// Functions without a body, and assembly that is not understood, whose result was an input of a run, and is read.
    pub fn results_assumed_in(&self, run: &[Event]) -> Vec<String> {
        let is_input = |name: &str| {
            let called = format!("{name}()");
            run.iter().any(|event| matches!(&event.what, What::Input { source, .. } if *source == called))
        };
        let assembly = self.assumptions.iter().any(|assumption| matches!(assumption, Assumption::Assembly { .. }));
        let names = self.unmodelled.iter().map(|unmodelled| unmodelled.name.as_str());
        let names = names.chain(assembly.then_some(Input::ASSEMBLY));
        names.filter(|name| is_input(name) && self.reads_result_of(name)).map(str::to_string).collect()
    }

    /// Does anything depend on what this function without a body returns, or such assembly?
    fn reads_result_of(&self, assumed: &str) -> bool {
        let is_its = |input: &Input| match input {
            Input::Unmodelled(name) => name == assumed,
            Input::Call(name) => name == Input::ASSEMBLY && name == assumed,
            Input::Uninitialised(_) => false,
        };
        self.functions.values().any(|function| {
            let results = function.blocks.values().flat_map(|block| &block.insts).filter_map(|inst| match &inst.op {
                Op::Nondet { dst, input, .. } if is_its(input) => Some(Operand::Reg(*dst)),
                _ => None,
            });
            let results: Vec<Operand> = results.collect();
            function.reads_any(&results)
        })
    }
}

impl Function {
    /// Is one of these used anywhere?
    pub fn reads_any(&self, operands: &[Operand]) -> bool {
        let mut read = false;
        for block in self.blocks.values() {
            block.insts.iter().for_each(|inst| inst.op.for_each_use(|used| read |= operands.contains(&used)));
            block.term.for_each_use(|used| read |= operands.contains(&used));
        }
        read
    }

    /// Can it make stack objects? Then its return is a step, in which they end.
    pub fn makes_stack_objects(&self) -> bool {
        let mut ops = self.blocks.values().flat_map(|block| &block.insts).map(|inst| &inst.op);
        ops.any(|op| matches!(op, Op::Alloca { .. }))
    }
}
