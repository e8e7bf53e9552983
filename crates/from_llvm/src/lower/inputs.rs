//! Names of inputs: a model's input is called after the function that the user calls, not after the part of the model
//! that happens to make it.

use std::collections::{BTreeSet, HashMap};

use selvedge_program::{Callee, FuncId, Function, Input, Op, Operand, Origin, Program};

pub fn name_after_callers(program: &mut Program) {
    let is_model = |id: FuncId| program.functions[id].origin == Origin::Model;
    let users = program.functions.values().filter(|function| function.origin == Origin::User);
    let entries: BTreeSet<FuncId> = users.flat_map(mentioned).filter(|id| is_model(*id)).collect();
    // The entries from which each part of the models is reached.
    let mut callers: HashMap<FuncId, Vec<FuncId>> = HashMap::new();
    for entry in entries {
        let mut reached = BTreeSet::from([entry]);
        let mut stack = vec![entry];
        while let Some(id) = stack.pop() {
            callers.entry(id).or_default().push(entry);
            stack.extend(
                mentioned(&program.functions[id]).filter(|next| is_model(*next)).filter(|next| reached.insert(*next)),
            );
        }
    }
    for (id, callers) in callers {
        let names: BTreeSet<&str> = callers.iter().map(|caller| program.functions[*caller].name.as_str()).collect();
        let own = program.functions[id].name.clone();
        let name = names.into_iter().collect::<Vec<_>>().join("() or ");
        for block in program.functions[id].blocks.values_mut() {
            for inst in &mut block.insts {
                if let Op::Nondet { input: Input::Call(called), .. } = &mut inst.op
                    && *called == own
                {
                    called.clone_from(&name);
                }
            }
        }
    }
}

/// The functions that a function calls or names.
fn mentioned(function: &Function) -> impl Iterator<Item = FuncId> {
    let mut found = BTreeSet::new();
    for inst in function.blocks.values().flat_map(|block| &block.insts) {
        inst.op.for_each_use(|used| {
            if let Operand::Func(id) = used {
                found.insert(id);
            }
        });
        if let Op::Call { callee: Callee::Direct(id), .. } = &inst.op {
            found.insert(*id);
        }
    }
    found.into_iter()
}
