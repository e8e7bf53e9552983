//! The functions of the models that only passes call, as far as a program needs them.

use super::{Context, LowerError, SPURIOUS_WAKEUPS, initialised, interrupts};
use selvedge_program::{
    Assumption, BinOp, Cast, CmpOp, Computation, FuncId, Function, Op, Operand, Origin, Ty, WAITS_AGAIN,
    address_models, handle_models,
};

/// The models' function that waits on a condition variable, and the option that allows it to return without a signal.
const WAIT: &str = "wait_cond";
/// The models' functions that may return without a signal.
const WAITS: [&str; 2] = [WAIT, "futex_wait"];
/// All threads are created by this one.
const CREATES: &str = "create_thread";

impl Context<'_> {
    /// Translates them, after the program and what it calls.
    pub(super) fn called_by_passes(&mut self) -> Result<Vec<FuncId>, LowerError> {
        let mut called: Vec<FuncId> = self.early_wakeups().into_iter().collect();
        for interruption in &interrupts::INTERRUPTIONS {
            if interruption.needs.iter().all(|name| self.reaches_model(name)) {
                called.extend(self.defined_function(interruption.function));
            }
        }
        if initialised::INITIALISE.iter().any(|name| self.reaches_model(name)) {
            self.defined_function(initialised::INITIALISES);
            self.defined_function(initialised::DESTROYS);
            self.defined_function(initialised::INITIALISES_MUTEX);
        }
        self.drain()?;
        called.extend(self.models_of_addresses());
        called.extend(self.model_of_handles());
        self.drain()?;
        Ok(called)
    }

    fn reaches_model(&self, name: &str) -> bool {
        self.functions.values().any(|function| function.origin == Origin::Model && function.name == name)
    }

    /// The function that passes call if threads wait on condition variables. If such waits do not end without a signal,
    /// this is recorded as an assumption.
    fn early_wakeups(&mut self) -> Option<FuncId> {
        let (any, on_condition) = (WAITS.iter().any(|name| self.reaches_model(name)), self.reaches_model(WAIT));
        if any && self.overrides.get(SPURIOUS_WAKEUPS) == Some(&0) {
            self.assume(Assumption::NoSpuriousWakeups);
            return None;
        }
        on_condition.then(|| self.defined_function(WAITS_AGAIN))?
    }

    /// The functions that passes call if the program looks at addresses.
    fn models_of_addresses(&mut self) -> Vec<FuncId> {
        let users = self.functions.values().filter(|function| function.origin == Origin::User);
        let word = Ty::Int(self.layouts[0].pointer_bits());
        if !users.into_iter().any(|function| looks_at_addresses(function, word)) {
            return vec![];
        }
        address_models::ALL.iter().filter_map(|name| self.defined_function(name)).collect()
    }

    /// The function that a pass calls if the program compares handles of threads, which are words.
    fn model_of_handles(&mut self) -> Option<FuncId> {
        let word = Ty::Int(self.layouts[0].pointer_bits());
        let is_word =
            |function: &Function, operand| matches!(operand, Operand::Reg(reg) if function.regs[reg].ty == word);
        let mut users = self.functions.values().filter(|function| function.origin == Origin::User);
        let compares = users.any(|function| {
            let mut compared =
                function.blocks.values().flat_map(|block| &block.insts).filter_map(|i| i.op.comparison());
            compared
                .any(|(op, a, b)| matches!(op, CmpOp::Eq | CmpOp::Ne) && is_word(function, a) && is_word(function, b))
        });
        (compares && self.reaches_model(CREATES)).then(|| self.defined_function(handle_models::NUMBER))?
    }
}

/// May it look at an address: compare or exchange words, or take one apart?
fn looks_at_addresses(function: &Function, word: Ty) -> bool {
    let is_wide = |operand| match operand {
        Operand::Reg(reg) => [word, Ty::Ptr].contains(&function.regs[reg].ty),
        Operand::Global { .. } | Operand::Func(_) => true,
        Operand::Const { .. } => false,
    };
    function.blocks.values().flat_map(|block| &block.insts).any(|inst| {
        if let Some((_, a, b)) = inst.op.comparison() {
            return is_wide(a) && is_wide(b);
        }
        matches!(inst.op, Op::CmpXchg { .. })
            || inst.op.computation().is_some_and(|computation| match *computation {
                Computation::Cast { cast: Cast::PtrToInt, .. } => true,
                Computation::Cast { cast: Cast::Truncate, src, .. } => is_wide(src),
                Computation::Binary { op, a, b, .. } => {
                    op != BinOp::Add && op != BinOp::Sub && (is_wide(a) || is_wide(b))
                }
                Computation::Cast { .. }
                | Computation::Compare { .. }
                | Computation::Overflowing { .. }
                | Computation::Unary { .. }
                | Computation::FloatBinary { .. }
                | Computation::FloatUnary { .. }
                | Computation::FloatCompare { .. }
                | Computation::Copy { .. }
                | Computation::Select { .. }
                | Computation::Field { .. }
                | Computation::Index { .. } => false,
            })
    })
}
