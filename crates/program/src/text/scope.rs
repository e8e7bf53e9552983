//! The labels inside of one function or thread, as they are read.

use super::lex::{Cursor, Label, Line, Token};
use super::parse::ParseError;
use super::print::block_labels;
use crate::ir::*;
use crate::source::FileId;
use cranelift_entity::{EntityRef, PrimaryMap};
use std::collections::HashMap;

#[derive(Default)]
pub struct Scope {
    pub infos: PrimaryMap<Reg, RegInfo>,
    regs: HashMap<String, Reg>,
    pub(super) blocks: HashMap<String, BlockId>,
    /// The file of positions that name none.
    pub(super) file: Option<FileId>,
}

/// The lines of one block; the last is its terminator.
pub struct BlockLines<'l> {
    pub label: Label,
    pub lines: Vec<&'l Line>,
    pub last: &'l Line,
}

impl Scope {
    /// A scope for labels of a function's blocks.
    pub fn of_blocks(function: &Function) -> Scope {
        Scope { blocks: block_labels(function).into_iter().zip(function.blocks.keys()).collect(), ..Scope::default() }
    }

    /// `(%a: i32, %b)`: a parameter with a type is declared here, one without is declared below.
    pub fn params<'t>(&mut self, cursor: &mut Cursor<'t>) -> Result<Vec<&'t Label>, ParseError> {
        cursor.expect('(')?;
        cursor.list(')', |cursor| {
            let Some(Token::Reg(label)) = cursor.peek() else { return cursor.error("a register") };
            let mut ahead = cursor.clone();
            ahead.advance();
            if ahead.eat(':') {
                let ty = ahead.ty()?;
                let debug = if matches!(ahead.peek(), Some(Token::Word(_))) { Some(ahead.type_id()?) } else { None };
                self.declare(cursor, RegInfo { ty, name: label.name.clone(), debug }, label)?;
            }
            *cursor = ahead;
            Ok(label)
        })
    }

    /// The registers that parameters are.
    pub fn declared(&self, head: &Line, params: &[&Label]) -> Result<Vec<Reg>, ParseError> {
        let reg = |label: &&Label| match self.find(label) {
            Some(reg) => Ok(reg),
            None => Cursor::new(head).error(&format!("a declaration of %{}", label.key)),
        };
        params.iter().map(reg).collect()
    }

    /// Declares the registers of a body, and divides the rest into blocks.
    pub fn blocks<'l>(&mut self, body: &[&'l Line]) -> Result<Vec<BlockLines<'l>>, ParseError> {
        let start = body.iter().position(|line| block_label(line).is_some()).unwrap_or(body.len());
        let (declarations, code) = body.split_at(start);
        for line in declarations {
            self.declarations(&mut Cursor::new(line))?;
        }
        let mut blocks: Vec<BlockLines> = Vec::new();
        for chunk in code.chunk_by(|_, line| block_label(line).is_none()) {
            let [head, lines @ .., last] = chunk else {
                return Cursor::new(chunk[0]).error("a terminator at the end of this block");
            };
            let Some(label) = block_label(head) else { continue };
            if self.blocks.insert(label.key.clone(), BlockId::new(blocks.len())).is_some() {
                return Cursor::new(head).error("a new label");
            }
            blocks.push(BlockLines { label, lines: lines.to_vec(), last });
        }
        Ok(blocks)
    }

    fn declare(&mut self, cursor: &Cursor, info: RegInfo, label: &Label) -> Result<(), ParseError> {
        let reg = self.infos.push(info);
        match self.regs.insert(label.key.clone(), reg) {
            None => Ok(()),
            Some(_) => cursor.error("a register not declared before"),
        }
    }

    /// `i32 %a, %b: t3`
    fn declarations(&mut self, cursor: &mut Cursor) -> Result<(), ParseError> {
        let ty = cursor.ty()?;
        loop {
            let Some(Token::Reg(label)) = cursor.peek() else { return cursor.error("a register") };
            let mut ahead = cursor.clone();
            ahead.advance();
            let debug = if ahead.eat(':') { Some(ahead.type_id()?) } else { None };
            self.declare(cursor, RegInfo { ty, name: label.name.clone(), debug }, label)?;
            *cursor = ahead;
            if !cursor.eat(',') {
                return cursor.end();
            }
        }
    }

    pub(super) fn find(&self, label: &Label) -> Option<Reg> {
        match label.key.strip_prefix('#') {
            Some(raw) => raw.parse().ok().filter(|n| *n != u32::MAX).map(Reg::from_u32),
            None => self.regs.get(&label.key).copied(),
        }
    }
}

/// The label of a line that is nothing but `label:`.
fn block_label(line: &Line) -> Option<Label> {
    match line.tokens.as_slice() {
        [token, Token::Punct(':')] => label_of(token),
        _ => None,
    }
}

/// A block's label, as it is defined and as it is used.
pub(super) fn label_of(token: &Token) -> Option<Label> {
    match token {
        Token::Word(word) => {
            let name = word.split('~').next().map(str::to_string);
            Some(Label { key: word.clone(), name })
        }
        Token::Number(number) => Some(Label { key: number.clone(), name: None }),
        Token::Text(label) => Some(label.clone()),
        _ => None,
    }
}
