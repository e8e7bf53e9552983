//! Calls on record: the user's functions, and the model calls that they make, each with its result once it has
//! returned.

use super::Recorder;
use crate::describe;
use crate::frames::return_pc;
use crate::oracle::MachineView;
use selvedge_program::{Op, TypeId, What, is_own_name};

impl Recorder {
    pub(super) fn entered(&mut self, view: &MachineView<'_>, function: selvedge_program::FuncId) {
        let callee = &view.code.program.functions[function];
        let body = view.code.function(function);
        for param in &callee.params {
            let slot = body.slots.of[*param];
            self.points_to(view, callee.regs[*param].debug, view.stack[view.base + 1 + usize::from(slot.first)].into());
        }
        let known = (view.code, view.state, &self.heap);
        let arguments = callee.params.iter().map(|param| {
            let slot = body.slots.of[*param];
            let value = view.stack[view.base + 1 + usize::from(slot.first)];
            let info = &callee.regs[*param];
            // The models name the handle of a thread like this.
            let is_handle = !body.is_user && info.name.as_deref() == Some("handle");
            is_handle
                .then(|| describe::handle(view.state, u128::from(value)))
                .flatten()
                .unwrap_or_else(|| describe::register(known, value, info.ty, info.debug))
        });
        let arguments: Vec<String> = arguments.collect();
        let name = callee.name.clone();
        if body.is_user {
            self.starts_with(view.thread, &name);
            self.push(view, What::Enter { function: name, arguments }, None);
        } else if self.open[view.thread].is_none() && calls_from_user(view) && !is_own_name(&name) {
            let index = self.events.len();
            self.push(view, What::Call { function: name, arguments, result: None }, None);
            self.open[view.thread] = Some((view.depth, index));
        }
        if !body.is_user && calls_from_user(view) {
            self.synchronisation.called(view, function);
        }
    }

    /// A thread that a library started is called after the first function of the user's that it enters.
    fn starts_with(&mut self, thread: usize, name: &str) {
        if !self.unnamed.get_mut(thread).is_some_and(std::mem::take) {
            return;
        }
        self.threads[thread] = name.to_string();
        for (event, _) in &mut self.events {
            match &mut event.what {
                What::Create { thread: created, function } if *created as usize == thread => {
                    *function = name.to_string()
                }
                _ => {}
            }
        }
    }

    pub(super) fn leaving(&mut self, view: &MachineView<'_>, values: &[u64]) {
        self.synchronisation.leaving(view);
        let from = view.code.from[view.pc as usize];
        let function = &view.code.program.functions[from.function];
        let value = values.first().zip(function.returns.first());
        if let (Some((bits, _)), Some(ty)) = (value, result_type(view)) {
            self.points_to(view, Some(ty), (*bits).into());
        }
        let known = (view.code, view.state, &self.heap);
        let value = value.map(|(bits, ty)| describe::register(known, *bits, *ty, None));
        match self.open[view.thread] {
            Some((depth, index)) if depth == view.depth => {
                self.open[view.thread] = None;
                self.returned(view, index, value);
            }
            None if view.code.is_user(view.pc) => self.push(view, What::Leave { value }, None),
            _ => {}
        }
    }

    /// Records that the model call of event `index` returns. Events in between must not appear to have happened
    /// after it.
    fn returned(&mut self, view: &MachineView<'_>, index: usize, result: Option<String>) {
        let Some((event, _)) = self.events.get(index) else { return };
        let (What::Call { function, arguments, .. } | What::Begin { function, arguments }) = event.what.clone() else {
            return;
        };
        let alone = self.events[index..].iter().all(|(event, _)| event.thread as usize == view.thread);
        if alone {
            self.events[index].0.what = What::Call { function, arguments, result };
        } else {
            self.events[index].0.what = What::Begin { function: function.clone(), arguments: arguments.clone() };
            self.push(view, What::Call { function, arguments, result }, None);
        }
    }

    /// Marks calls that did not return as begun.
    pub(super) fn close_calls(&mut self) {
        for (_, index) in self.open.iter().flatten() {
            let Some((event, _)) = self.events.get_mut(*index) else { continue };
            if let What::Call { function, arguments, .. } = event.what.clone() {
                event.what = What::Begin { function, arguments };
            }
        }
    }
}

/// The C type of what the running function returns, as its caller calls it.
fn result_type(view: &MachineView<'_>) -> Option<TypeId> {
    let call = return_pc(view.stack[view.base]).checked_sub(1).filter(|_| view.depth > 1)?;
    let Op::Call { dsts, .. } = view.code.op(call)? else { return None };
    view.code.program.functions[view.code.from[call as usize].function].regs[*dsts.first()?].debug
}

/// Whether the running function was called by the user's code.
fn calls_from_user(view: &MachineView<'_>) -> bool {
    let caller = return_pc(view.stack[view.base]);
    view.depth > 1 && view.code.is_user(caller - 1)
}
