//! Names inside a function.
//!
//! Registers and blocks may be used before they are defined, and both may be
//! unnamed; unnamed ones share one count, starting with the parameters. A
//! register gets its id when first mentioned. A block does too, but blocks are
//! to be known by their position, so the branches are renumbered at the end
//! of the function.

use std::collections::HashMap;

use super::lexer::Quoted;
use super::reader::{Reader, Result};
use super::{BlockId, Local, LocalId, Op, ReadError, Symbol};

#[derive(Default)]
pub(super) struct Scope {
    pub locals: Vec<Local>,
    /// Line of the first mention, until the definition is seen.
    undefined: Vec<Option<u32>>,
    ids: HashMap<Symbol, LocalId>,
    /// In order of first mention: position among the blocks once defined.
    labels: Vec<Label>,
    label_ids: HashMap<Symbol, u32>,
    blocks_defined: u32,
    next_number: u32,
}

struct Label {
    name: Symbol,
    position: Option<u32>,
    mentioned: u32,
}

impl Reader<'_> {
    /// The register of this name, which may be defined later.
    pub fn local_mention(&mut self, name: Quoted<'_>) -> LocalId {
        let symbol = self.intern(name);
        self.local_id(symbol)
    }

    fn local_id(&mut self, symbol: Symbol) -> LocalId {
        let line = self.line;
        let scope = &mut self.scope;
        *scope.ids.entry(symbol).or_insert_with_key(|symbol| {
            scope.locals.push(Local { name: symbol.clone() });
            scope.undefined.push(Some(line));
            LocalId(scope.locals.len() as u32 - 1)
        })
    }

    /// Defines a register: of this name, or with the next number.
    pub fn define_local(&mut self, name: Option<Quoted<'_>>) -> Result<LocalId> {
        let symbol = self.name_or_number(name);
        let id = self.local_id(symbol);
        if self.scope.undefined[id.0 as usize].take().is_none() {
            let name = &self.scope.locals[id.0 as usize].name;
            return self.error(format!("`%{name}` is defined twice"));
        }
        Ok(id)
    }

    fn name_or_number(&mut self, name: Option<Quoted<'_>>) -> Symbol {
        let Some(name) = name else {
            let number = self.scope.next_number;
            self.scope.next_number += 1;
            return self.symbol(&number.to_string());
        };
        if let Ok(number) = name.0.parse::<u32>() {
            self.scope.next_number = number.saturating_add(1);
        }
        self.intern(name)
    }

    /// The block of this label, by order of mention; see [`Scope::positions`].
    pub fn block_mention(&mut self, name: Quoted<'_>) -> BlockId {
        let symbol = self.intern(name);
        BlockId(self.label_id(symbol))
    }

    fn label_id(&mut self, symbol: Symbol) -> u32 {
        let mentioned = self.line;
        let scope = &mut self.scope;
        *scope.label_ids.entry(symbol).or_insert_with_key(|name| {
            scope.labels.push(Label { name: name.clone(), position: None, mentioned });
            scope.labels.len() as u32 - 1
        })
    }

    /// The next block begins: with this label, or with the next number.
    pub fn define_block(&mut self, name: Option<Quoted<'_>>) -> Result<Symbol> {
        let symbol = self.name_or_number(name);
        let id = self.label_id(symbol.clone());
        let position = self.scope.blocks_defined;
        let known = self.scope.labels[id as usize].position.replace(position);
        if known.is_some() {
            return self.error(format!("block `{symbol}` is defined twice"));
        }
        self.scope.blocks_defined += 1;
        Ok(symbol)
    }
}

impl Scope {
    /// The position of each block, by order of mention. Rejects a function in
    /// which a name is used and never defined.
    pub fn positions(&self) -> Result<Vec<BlockId>> {
        for (local, undefined) in self.locals.iter().zip(&self.undefined) {
            if let Some(line) = *undefined {
                let message = format!("`%{}` is never defined", local.name);
                return Err(ReadError { line, message });
            }
        }
        let position = |label: &Label| {
            label.position.map(BlockId).ok_or_else(|| ReadError {
                line: label.mentioned,
                message: format!("block `%{}` is never defined", label.name),
            })
        };
        self.labels.iter().map(position).collect()
    }
}

impl Op {
    /// Every mention of a block in a terminator or phi.
    pub(super) fn for_each_block(&mut self, mut visit: impl FnMut(&mut BlockId)) {
        match self {
            Op::Br(target) => visit(target),
            Op::CondBr { if_true, if_false, .. } => {
                visit(if_true);
                visit(if_false);
            }
            Op::Switch { default, cases, .. } => {
                visit(default);
                cases.iter_mut().for_each(|(_, block)| visit(block));
            }
            Op::IndirectBr { targets, .. } => targets.iter_mut().for_each(visit),
            Op::Invoke { normal, unwind, .. } => {
                visit(normal);
                visit(unwind);
            }
            Op::CallBr { fallthrough, indirect, .. } => {
                visit(fallthrough);
                indirect.iter_mut().for_each(visit);
            }
            Op::Phi { incoming, .. } => incoming.iter_mut().for_each(|(_, block)| visit(block)),
            _ => {}
        }
    }
}
