//! Objects of blocks, which end before their function returns. That of a variable has a mark of the stack before it,
//! which is restored at every end of the block; arrays of variable length end somewhere where the stack is restored.

use super::Extraction;
use super::contexts::{ContextId, Point, Site};
use selvedge_program::{BlockId, EntityRef, Function, Op, Operand, Reg};

impl Extraction<'_> {
    /// May the block have been left whose object this instruction of an activation makes? To another thread that is not
    /// known; and in a loop it has been, in the round before.
    pub fn may_be_left(&self, context: ContextId, site: Site, point: Point) -> bool {
        let function = &self.program.functions[self.contexts[context].function];
        let mark = match mark_of(function, site) {
            Some(mark) => Some(mark),
            None if is_of_function(function, site) => return false,
            None => None,
        };
        let here = self.contexts.chain(point.context).find(|(id, _)| *id == context);
        let here = here.map(|(_, waits)| waits.unwrap_or(point.site));
        ends(function, mark).any(|end| here.is_none_or(|here| leads_to(function, end, (here.block, here.index))))
    }
}

/// The mark that stands before an object of known size.
fn mark_of(function: &Function, site: Site) -> Option<Reg> {
    let insts = &function.blocks[site.block].insts;
    match (&insts.get(site.index.checked_sub(1)?)?.op, &insts[site.index].op) {
        (Op::StackSave { dst }, Op::Alloca { size: Operand::Const { .. }, .. }) => Some(*dst),
        _ => None,
    }
}

/// Is the object made at the beginning of its function?
fn is_of_function(function: &Function, site: Site) -> bool {
    let is_first = function.blocks.keys().next() == Some(site.block);
    is_first
        && matches!(function.blocks[site.block].insts[site.index].op, Op::Alloca { size: Operand::Const { .. }, .. })
}

/// Where the stack is restored to this mark, or to any.
fn ends(function: &Function, mark: Option<Reg>) -> impl Iterator<Item = (BlockId, usize)> {
    function.blocks.iter().flat_map(move |(id, block)| {
        let restores = move |op: &Op| matches!(op, Op::StackRestore { mark: used } if mark.is_none_or(|mark| *used == Operand::Reg(mark)));
        block.insts.iter().enumerate().filter(move |(_, inst)| restores(&inst.op)).map(move |(index, _)| (id, index))
    })
}

/// Is there a way from one instruction to another?
fn leads_to(function: &Function, from: (BlockId, usize), to: (BlockId, usize)) -> bool {
    if from.0 == to.0 && from.1 < to.1 {
        return true;
    }
    let mut seen = vec![false; function.blocks.len()];
    let mut work = function.blocks[from.0].term.successors();
    while let Some(next) = work.pop() {
        if next == to.0 {
            return true;
        }
        if !std::mem::replace(&mut seen[next.index()], true) {
            work.extend(function.blocks[next].term.successors());
        }
    }
    false
}
