//! Facts about a function that are computed once, before it is unrolled.

use crate::order::Order;
use selvedge_program::liveness::Liveness;
use selvedge_program::{BlockId, Function, Loc, Operand, Program, Reg, SourceMap};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The lines at which the program has loops, in this file; also of parts of a path.
pub fn loop_lines(program: &Program, file: &str) -> BTreeSet<u32> {
    let places = program.functions.values().flat_map(|function| Shape::of(function).loops.clone().into_values());
    let here = places.flat_map(|(_, places)| places).filter(|loc| is_in_file(program, *loc, file));
    here.map(|loc| loc.line).collect()
}

/// Is this what the user calls the file?
pub(crate) fn is_in_file(program: &Program, loc: Loc, file: &str) -> bool {
    let path = program.source.files.get(loc.file).map_or("", String::as_str);
    path == file || path.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'))
}

/// One function, looked at once.
pub struct Shape {
    pub order: Order,
    pub live: Liveness,
    /// Per block of a loop that branches: the registers its decision is computed from.
    pub slices: BTreeMap<BlockId, Vec<Reg>>,
    /// Per head of a loop: where it is, and all places that a user may take for it.
    pub loops: BTreeMap<BlockId, (Loc, Vec<Loc>)>,
    pub makes_objects: bool,
}

impl Shape {
    pub fn of(function: &Function) -> Rc<Shape> {
        let order = Order::new(function);
        let mut slices = BTreeMap::new();
        let mut inside = Sources::new();
        let mut loops: BTreeMap<BlockId, (Loc, Vec<Loc>)> = BTreeMap::new();
        for id in order.line() {
            let block = &function.blocks[*id];
            let successors = block.term.successors();
            if successors.len() > 1 && !order.chain(*id).is_empty() {
                slices.insert(*id, slice(function, &order, *id, &mut inside));
            }
            for target in successors.into_iter().filter(|t| order.chain(*id).contains(t)) {
                // The jump back stands at the loop's keyword.
                loops.entry(target).or_insert((SourceMap::NOWHERE, Vec::new())).1.push(block.loc);
            }
        }
        for (head, (loc, places)) in &mut loops {
            let block = &function.blocks[*head];
            places.extend(block.insts.iter().map(|inst| inst.loc).find(|loc| loc.is_known()));
            places.push(block.loc);
            places.retain(|loc| loc.is_known());
            *loc = places.first().copied().unwrap_or(function.loc);
        }
        Rc::new(Shape {
            order,
            live: Liveness::along_edges(function),
            slices,
            loops,
            makes_objects: function.makes_stack_objects(),
        })
    }
}

/// The registers that decide a block's terminator, through the operations of the innermost loop around it.
fn slice(function: &Function, order: &Order, block: BlockId, inside: &mut Sources) -> Vec<Reg> {
    let head = order.chain(block).last().copied();
    let sources = inside.entry(head).or_insert_with(|| sources(function, order, head));
    let mut regs = BTreeSet::new();
    let mut todo = Vec::new();
    let mut add = |operand: Operand| {
        if let Operand::Reg(reg) = operand {
            todo.push(reg);
        }
    };
    function.blocks[block].term.for_each_use(&mut add);
    while let Some(reg) = todo.pop() {
        if regs.insert(reg) {
            todo.extend(sources.get(&reg).into_iter().flatten());
        }
    }
    regs.into_iter().collect()
}

/// By the head of a loop: what the registers that are written in it are computed from there.
type Sources = BTreeMap<Option<BlockId>, BTreeMap<Reg, Vec<Reg>>>;

fn sources(function: &Function, order: &Order, head: Option<BlockId>) -> BTreeMap<Reg, Vec<Reg>> {
    let mut sources: BTreeMap<Reg, Vec<Reg>> = BTreeMap::new();
    let Some(head) = head else { return sources };
    let blocks = order.line().iter().filter(|block| order.chain(**block).contains(&head));
    for inst in blocks.flat_map(|block| &function.blocks[*block].insts) {
        for dst in inst.op.defs() {
            let from = sources.entry(dst).or_default();
            inst.op.for_each_use(|operand| {
                if let Operand::Reg(reg) = operand {
                    from.push(reg);
                }
            });
        }
    }
    sources
}
