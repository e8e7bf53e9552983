//! The function that thread 0 runs: constructors, `main`, the end of the process. Also removes unreferenced
//! functions and globals after the translation.

use crate::{AnyArguments, Arguments};
use selvedge_program::{
    Assumption, Callee, EntityRef, FixedInput, FuncId, Function, GlobalId, Inst, Intrinsic, OWN_PREFIX, Op, Operand,
    PrimaryMap, Program, Terminator, Ty,
};

use super::Context;
use super::function::{Body, empty};
use super::link::Entity;

pub const MODEL_EXIT: &str = "__selvedge_model_exit";
/// Checks the status with which the process ends.
const MODEL_STATUS: &str = "__selvedge_model_status";
/// The arguments of `main`; the first name is a function that chooses how many there are.
const ARGUMENTS: &str = "__selvedge_arguments";
const ARGV: &str = "__selvedge_argv";
const ENVIRONMENT: &str = "__selvedge_environment";
/// Functions after whose call `main`'s return runs more code of the program.
const REGISTERS_EXIT: [&str; 4] = ["atexit", "on_exit", "__cxa_atexit", "__cxa_thread_atexit"];
/// Registers a destructor. They run after all handlers of `atexit`, so they are registered before everything else.
const REGISTERS_DESTRUCTOR: &str = "__selvedge_registers_destructor";

/// Functions that run before `main` and behind it.
pub struct Surroundings {
    pub constructors: Vec<Operand>,
    /// In the order in which they are registered; they run in the reverse order.
    pub destructors: Vec<Operand>,
}

impl Context<'_> {
    pub fn build_entry(&mut self, entry: FuncId, main: FuncId, around: &Surroundings, checks_status: bool) {
        let destroys = !around.destructors.is_empty();
        let register = if destroys { self.defined_function(REGISTERS_DESTRUCTOR) } else { None };
        let registers = destroys || self.functions.values().any(|f| REGISTERS_EXIT.contains(&f.name.as_str()));
        let exit = match self.links.external(MODEL_EXIT) {
            Some(Entity::Function(key)) if registers && !self.source_function(key).is_declaration() => {
                Some(self.function_id(key))
            }
            _ => None,
        };
        let status = if checks_status { self.defined_function(MODEL_STATUS) } else { None };
        // Handlers may end the process with another one.
        let mut status = status.filter(|_| exit.is_none());
        if exit.is_none() && self.end_with_return(main, status) {
            status = None;
        }
        let (chosen, mut args) = self.main_arguments(main);
        let returns = self.functions[main].returns.clone();
        let key = match self.links.external("main") {
            Some(Entity::Function(key)) => key,
            _ => return,
        };
        let placeholder = std::mem::replace(&mut self.functions[entry], empty("", selvedge_program::Origin::Model));
        let mut body = Body::new(self, key, placeholder);
        for destructor in &around.destructors {
            if let Some(register) = register {
                let args = vec![*destructor];
                body.emit(Op::Call { dsts: vec![], callee: Callee::Direct(register), args });
            }
        }
        for constructor in &around.constructors {
            if let Operand::Func(id) = constructor {
                body.emit(Op::Call { dsts: vec![], callee: Callee::Direct(*id), args: vec![] });
            }
        }
        if let (Some(chosen), Some(count)) = (chosen, args.first_mut())
            && let Ty::Int(bits) = body.ty(*count)
        {
            let dst = body.reg(Ty::Int(32));
            body.emit(Op::Call { dsts: vec![dst], callee: Callee::Direct(chosen), args: vec![] });
            *count = body.resize(Operand::Reg(dst), bits);
        }
        let dsts: Vec<_> = returns.iter().map(|ty| body.reg(*ty)).collect();
        let code = dsts.first().map(|reg| Operand::Reg(*reg));
        body.emit(Op::Call { dsts, callee: Callee::Direct(main), args });
        if let Some(exit) = exit.or(status) {
            let code = match code {
                Some(code) if matches!(body.ty(code), Ty::Int(_)) => body.resize(code, 32),
                _ => Operand::int(32, 0),
            };
            body.emit(Op::Call { dsts: vec![], callee: Callee::Direct(exit), args: vec![code] });
        }
        body.intrinsic(Intrinsic::ProcessExit);
        body.end(Terminator::Unreachable);
        let function = body.func;
        self.functions[entry] = function;
    }

    /// Makes the return from main and the end of the process one step: no thread must find main's variables gone while
    /// the process still runs. Says whether `status` is told what main returns.
    fn end_with_return(&mut self, main: FuncId, status: Option<FuncId>) -> bool {
        let is_main = |callee: &Callee| matches!(callee, Callee::Direct(id) if *id == main);
        let calls = |op: &Op| {
            let mut mentions = matches!(op, Op::Call { callee, .. } if is_main(callee));
            op.for_each_use(|operand| mentions |= matches!(operand, Operand::Func(id) if id == main));
            mentions
        };
        let mut all = self.functions.values().flat_map(|function| function.blocks.values());
        if all.any(|block| block.insts.iter().any(|inst| calls(&inst.op))) {
            return false;
        }
        let has_status = self.functions[main].returns.first() == Some(&Ty::Int(32));
        let status = status.filter(|_| has_status);
        for block in self.functions[main].blocks.values_mut() {
            if let Terminator::Return(values) = &block.term {
                if let (Some(status), Some(value)) = (status, values.first()) {
                    let op = Op::Call { dsts: vec![], callee: Callee::Direct(status), args: vec![*value] };
                    block.insts.push(Inst { op, loc: block.loc });
                }
                let op = Op::Intrinsic { dst: None, which: Intrinsic::AtomicBegin, args: vec![] };
                block.insts.push(Inst { op, loc: block.loc });
            }
        }
        has_status
    }

    /// `argc`, `argv`, `envp`, as the models define them.
    fn main_arguments(&mut self, main: FuncId) -> (Option<FuncId>, Vec<Operand>) {
        self.assume_arguments(main);
        let function = &self.functions[main];
        let types: Vec<Ty> = function.params.iter().map(|reg| function.regs[*reg].ty).collect();
        let count = match &self.world.arguments {
            Arguments::Unsaid | Arguments::Any(_) => 1,
            Arguments::Given(words) => words.len() as u128 + 1,
        };
        let is_open = matches!(self.world.arguments, Arguments::Any(_)) && !types.is_empty();
        let chosen = if is_open { self.defined_function(ARGUMENTS) } else { None };
        let passed = types.into_iter().enumerate().map(|(position, ty)| match (position, ty) {
            (1, Ty::Ptr) => self.model_variable(ARGV),
            (2, Ty::Ptr) => self.model_variable(ENVIRONMENT),
            (0, Ty::Int(bits)) => Operand::int(bits, count),
            (_, ty) => Operand::Const { ty, bits: 0 },
        });
        (chosen, passed.collect())
    }

    fn model_variable(&mut self, name: &str) -> Operand {
        match self.links.external(name) {
            Some(Entity::Global(key)) => {
                let id = self.global_id(key);
                // As the program knows it.
                self.globals[id].name = name.trim_start_matches(OWN_PREFIX).to_string();
                Operand::Global { id, offset: 0 }
            }
            _ => Operand::NULL,
        }
    }

    fn assume_arguments(&mut self, main: FuncId) {
        let reads = |position| reads_parameter(&self.functions[main], position);
        let (arguments, environment) = (reads(0) || reads(1), reads(2));
        let assumed = match (&self.world.arguments, arguments) {
            (Arguments::Unsaid, true) => Some(Assumption::Fixed(FixedInput::Arguments)),
            (Arguments::Any(AnyArguments { most, longest }), true) => {
                Some(Assumption::Arguments { most: *most, longest: *longest })
            }
            (Arguments::Given(_), _) | (_, false) => None,
        };
        let empty = environment && self.world.environment.is_none();
        for assumption in assumed.into_iter().chain(empty.then_some(Assumption::Fixed(FixedInput::Environment))) {
            self.assume(assumption);
        }
    }
}

/// Whether the function reads this parameter. Keeping it on the stack does not count.
fn reads_parameter(function: &Function, position: usize) -> bool {
    let Some(parameter) = function.params.get(position).map(|reg| Operand::Reg(*reg)) else { return false };
    let insts = || function.blocks.values().flat_map(|block| &block.insts).map(|inst| &inst.op);
    let stored = |op: &Op| {
        let Op::Store { addr, value, .. } = op else { return None };
        (*value == parameter).then_some(*addr)
    };
    let home = insts().find_map(stored);
    let home =
        home.filter(|home| insts().any(|op| matches!(op, Op::Alloca { dst, .. } if *home == Operand::Reg(*dst))));
    let reads = |op: &Op| match op {
        Op::Store { addr, value, .. } if Some(*addr) == home => Some(*value) == home,
        op => {
            let mut reads = false;
            op.for_each_use(|used| reads |= used == parameter || Some(used) == home);
            reads
        }
    };
    let mut at_ends = false;
    function.blocks.values().for_each(|block| block.term.for_each_use(|used| at_ends |= used == parameter));
    at_ends || insts().any(reads)
}

/// Keeps only functions and globals that the entry, an observer, or one of `more` reaches through calls, addresses and
/// initial values, and renumbers them.
pub fn prune(program: &mut Program, more: &[FuncId]) {
    let mut functions = vec![false; program.functions.len()];
    let mut globals = vec![false; program.globals.len()];
    let mut stack = vec![Operand::Func(program.entry)];
    stack.extend(program.observers.all().map(|observer| Operand::Func(observer.function)));
    stack.extend(more.iter().map(|function| Operand::Func(*function)));
    while let Some(operand) = stack.pop() {
        match operand {
            Operand::Func(id) if !std::mem::replace(&mut functions[id.index()], true) => {
                for block in program.functions[id].blocks.values() {
                    for inst in &block.insts {
                        inst.op.for_each_use(|used| stack.push(used));
                        if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op {
                            stack.push(Operand::Func(*callee));
                        }
                    }
                    block.term.for_each_use(|used| stack.push(used));
                }
            }
            Operand::Global { id, .. } if !std::mem::replace(&mut globals[id.index()], true) => {
                stack.extend(program.globals[id].relocations.iter().map(|r| r.target));
            }
            _ => {}
        }
    }
    let mut new_functions = vec![FuncId::new(0); functions.len()];
    let mut kept = PrimaryMap::new();
    for (id, function) in std::mem::take(&mut program.functions) {
        if functions[id.index()] {
            new_functions[id.index()] = kept.push(function);
        }
    }
    program.functions = kept;
    let mut new_globals = vec![GlobalId::new(0); globals.len()];
    let mut kept = PrimaryMap::new();
    for (id, global) in std::mem::take(&mut program.globals) {
        if globals[id.index()] {
            new_globals[id.index()] = kept.push(global);
        }
    }
    program.globals = kept;
    let renumber = |operand: &mut Operand| match operand {
        Operand::Func(id) => *id = new_functions[id.index()],
        Operand::Global { id, .. } => *id = new_globals[id.index()],
        _ => {}
    };
    for function in program.functions.values_mut() {
        for block in function.blocks.values_mut() {
            for inst in &mut block.insts {
                inst.op.for_each_use_mut(renumber);
                if let Op::Call { callee: Callee::Direct(callee), .. } = &mut inst.op {
                    *callee = new_functions[callee.index()];
                }
            }
            block.term.for_each_use_mut(renumber);
        }
    }
    for global in program.globals.values_mut() {
        global.relocations.iter_mut().for_each(|r| renumber(&mut r.target));
    }
    program.entry = new_functions[program.entry.index()];
    for observer in program.observers.all_mut() {
        observer.function = new_functions[observer.function.index()];
    }
}
