//! The fewest fences that make a program safe under a memory model with store buffers.
//!
//! *Sites* are places where a fence may stand. The program marks each by a volatile read of a variable that nobody
//! writes, so a trace shows which sites a run passes; a fence is put at a site by replacing its mark.
//!
//! A violating run yields a *clause*: the sites that a thread passes while one of its stores waits in the buffer and
//! others act. With fences at none of them the run is still possible: the fences that are passed otherwise find either
//! an empty buffer, or stores whose arrival nobody else can tell from an earlier one. So every set of fences that makes
//! the program safe has a site of every clause. The next set to try is a smallest one that has (an implicit hitting
//! set; for fences: Kuperstein, Vechev, Yahav: Automatic inference of memory fences, FMCAD 2010; Liu et al.: Dynamic
//! synthesis for relaxed memory models, PLDI 2012). Fences end the waiting of all stores of their thread, hence a run
//! of the program with some set of fences has none of these in its clause, and no set is tried twice. The first set
//! that is found safe is as small as any: every safe one hits all clauses, and this is a smallest that does.

use selvedge_program::trace::{Event, Position};
use selvedge_program::{
    Access, Global, GlobalId, Inst, Loc, MemoryModel, MemoryOrder, Op, Operand, Program, Reason, Trace, Verdict, What,
};
use std::collections::BTreeSet;

/// A place where a fence may stand, by the position of its mark.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site(usize);

/// A set of sites.
pub type Fences = BTreeSet<Site>;

/// A program with marks.
pub struct Marked {
    program: Program,
    marks: Vec<GlobalId>,
    /// By site.
    locs: Vec<Loc>,
}

/// The effect that fences can have.
#[derive(Clone, PartialEq, Debug)]
pub enum Repair {
    /// These fences, and no fewer, make the program safe, as far as the verdict says.
    Fences {
        fences: Fences,
        verdict: Verdict,
    },
    /// This run stays, whatever the fences: it needs no store buffer, or the stores wait where there are no sites.
    None(Box<Trace>),
    Unknown(Reason),
}

impl Marked {
    /// `mark`: the variable whose reads are marks; every file has its own.
    pub fn new(program: Program, mark: &str) -> Marked {
        let is_mark = |(id, global): (GlobalId, &Global)| (global.name == mark).then_some(id);
        let marks: Vec<GlobalId> = program.globals.iter().filter_map(is_mark).collect();
        let mut marked = Marked { program, marks, locs: Vec::new() };
        let insts = marked
            .program
            .functions
            .values()
            .flat_map(|function| function.blocks.values())
            .flat_map(|block| &block.insts);
        let mut locs: Vec<Loc> = insts.filter(|inst| marked.is_mark(inst)).map(|inst| inst.loc).collect();
        locs.sort();
        locs.dedup();
        marked.locs = locs;
        marked
    }

    pub fn sites(&self) -> usize {
        self.locs.len()
    }

    pub fn position(&self, site: Site) -> Position {
        let Loc { file, line, column } = self.locs[site.0];
        let file = self.program.source.files.get(file).cloned().unwrap_or_default();
        Position { file, line, column }
    }

    /// The program with fences at some sites.
    pub fn with(&self, fences: &Fences) -> Program {
        let mut program = self.program.clone();
        let blocks = program.functions.values_mut().flat_map(|function| function.blocks.values_mut());
        for inst in blocks.flat_map(|block| &mut block.insts) {
            if self.is_mark(inst) && fences.iter().any(|site| self.locs[site.0] == inst.loc) {
                inst.op = Op::Fence { order: MemoryOrder::SeqCst };
            }
        }
        program
    }

    fn is_mark(&self, inst: &Inst) -> bool {
        match inst.op {
            Op::Load { addr: Operand::Global { id, .. }, access: Access::Volatile, .. } => self.marks.contains(&id),
            _ => false,
        }
    }

    /// Finds the fewest fences. `check` judges a program.
    pub fn repair<E>(&self, check: &mut dyn FnMut(Program) -> Result<Verdict, E>) -> Result<Repair, E> {
        let without_buffers = Program { memory_model: MemoryModel::Sc, ..self.program.clone() };
        if let Verdict::Unsafe(trace) = check(without_buffers)? {
            return Ok(Repair::None(trace));
        }
        let mut clauses: Vec<Fences> = Vec::new();
        loop {
            let fences = hitting_set(&clauses);
            match check(self.with(&fences))? {
                Verdict::Unsafe(trace) => match self.clause(&trace) {
                    clause if clause.is_empty() => return Ok(Repair::None(trace)),
                    clause => clauses.push(clause),
                },
                Verdict::Unknown(reason) => return Ok(Repair::Unknown(reason)),
                verdict @ (Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. }) => {
                    return Ok(Repair::Fences { fences, verdict });
                }
            }
        }
    }

    /// The sites that threads pass while others act and a store of theirs waits.
    fn clause(&self, trace: &Trace) -> Fences {
        let positions: Vec<Position> = (0..self.sites()).map(|site| self.position(Site(site))).collect();
        let mut waiting: Vec<(u32, &str, &str)> = Vec::new();
        let mut clause = Fences::new();
        for Event { thread, at, what, .. } in &trace.events {
            match what {
                What::Write { place, value, buffered: true, .. } => waiting.push((*thread, place, value)),
                What::Arrive { place, value, .. } => {
                    let arrived = waiting.iter().position(|store| *store == (*thread, place, value));
                    arrived.map(|store| waiting.remove(store));
                }
                What::Read { .. } if waiting.iter().any(|(waits, ..)| waits == thread) => {
                    clause.extend(positions.iter().position(|site| site == at).map(Site));
                }
                _ => {}
            }
        }
        clause
    }
}

/// A smallest set that has an element of every clause, none of which is empty.
fn hitting_set(clauses: &[Fences]) -> Fences {
    (0..=clauses.len())
        .find_map(|size| extended(clauses, &Fences::new(), size))
        .expect("one element for each clause is enough")
}

/// The set with at most so many elements more, so that it has an element of every clause.
fn extended(clauses: &[Fences], chosen: &Fences, more: usize) -> Option<Fences> {
    let Some(missed) = clauses.iter().find(|clause| clause.is_disjoint(chosen)) else { return Some(chosen.clone()) };
    let more = more.checked_sub(1)?;
    missed.iter().find_map(|site| {
        let mut chosen = chosen.clone();
        chosen.insert(*site);
        extended(clauses, &chosen, more)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(sites: &[usize]) -> Fences {
        sites.iter().copied().map(Site).collect()
    }

    #[test]
    fn hitting_sets_are_smallest() {
        assert_eq!(hitting_set(&[]), set(&[]));
        assert_eq!(hitting_set(&[set(&[1, 2]), set(&[2, 3])]), set(&[2]));
        assert_eq!(hitting_set(&[set(&[1, 2]), set(&[3, 4])]), set(&[1, 3]));
        let clauses = [set(&[1, 5]), set(&[2, 5]), set(&[3, 6]), set(&[4, 6])];
        assert_eq!(hitting_set(&clauses), set(&[5, 6]));
    }
}
