//! The violations that steps report, and their positions in the user's program.

use crate::Machine;
use crate::dependence::EVERYBODY;
use crate::frames::user_pc;
use crate::memory::{self, Fault, Target};
use crate::oracle::{Note, Oracle, Stopped};
use selvedge_program::{FuncId, Loc, Property, Reason, Violation};

impl<O: Oracle> Machine<'_, O> {
    #[cold]
    pub(crate) fn cannot_locate(&mut self, fault: Fault, pointer: u64, bytes: u64, write: bool) -> Stopped {
        self.looks_at = EVERYBODY;
        self.come_too_late(pointer, bytes, write);
        self.fault(fault, if write { "writes" } else { "reads" }, bytes)
    }

    /// Records an access to an object that is gone: it conflicts with the end of the object, which must therefore be a
    /// step of its own.
    pub(crate) fn come_too_late(&mut self, pointer: u64, bytes: u64, write: bool) {
        if let Ok((Target::Object { thread, index, object }, offset)) =
            memory::target(&self.state, &self.code.layout, pointer)
            && object.is_dead()
        {
            if O::WATCHES {
                self.note(Note::UsedTooLate { owner: thread, index });
            }
            if self.alone {
                return;
            }
            self.touch_object(thread, index, object.site);
            let owner = thread == self.thread;
            let offset = offset.min(u64::from(object.size)) as usize;
            self.sharing.object(object.site, offset, bytes as usize, owner, write, self.held);
        }
    }

    pub(crate) fn fault(&self, fault: Fault, verb: &str, bytes: u64) -> Stopped {
        let plural = if bytes == 1 { "" } else { "s" };
        self.violation(Property::Memory, fault.describe(&format!("{verb} {bytes} byte{plural}")))
    }

    pub(crate) fn index_out_of_bounds(&self, index: i64, bound: u64) -> Result<(), Stopped> {
        if self.properties().contains(Property::Memory) {
            let text = format!("uses index {index} of an array of {bound} elements");
            return Err(self.violation(Property::Memory, text));
        }
        Ok(())
    }

    pub(crate) fn function_at(&mut self, pointer: u64) -> Result<FuncId, Stopped> {
        match self.target(pointer) {
            Ok((Target::Function(id), 0)) => Ok(id),
            Err(Fault::Null) => Err(self.violation(Property::Memory, "calls through a null pointer".to_string())),
            _ => Err(self.violation(Property::Memory, "calls through a pointer to no function".to_string())),
        }
    }

    /// The position in the innermost user function.
    pub fn user_loc(&self) -> Loc {
        self.code.loc(user_pc(self.code, &self.stack, self.pc, self.base, self.depth))
    }

    pub(crate) fn user_site(&self) -> u32 {
        user_pc(self.code, &self.stack, self.pc, self.base, self.depth)
    }

    pub(crate) fn violation(&self, property: Property, text: String) -> Stopped {
        if !self.properties().contains(property) || self.is_suppressed(property) {
            return Stopped::Unchecked { misuse: property, at: self.user_loc() };
        }
        Stopped::Violation(Box::new(Violation { property, text, loc: self.user_loc(), thread: self.thread as u32 }))
    }

    /// Is a violation here not to be reported?
    pub(crate) fn is_suppressed(&self, property: Property) -> bool {
        self.code.program.suppresses(property, self.user_loc())
    }

    pub(crate) fn unsupported(&self, what: &str) -> Stopped {
        let at = self.code.program.source.describe(self.user_loc());
        Stopped::GaveUp(Reason::Unsupported { what: what.to_string(), at })
    }
}
