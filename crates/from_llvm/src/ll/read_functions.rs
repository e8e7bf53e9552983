//! Function definitions and declarations.

use super::keywords::begins_type;
use super::lexer::Token;
use super::reader::{Reader, Result};
use super::scope::Scope;
use super::{Attributes, Block, Function, Linkage, LocalId, MdId, Param, ParamAttrs, Symbol, Type};

impl<'a> Reader<'a> {
    /// `define ... { ... }`, the first word being consumed.
    pub fn definition(&mut self) -> Result<Function> {
        let mut function = self.function_header(true)?;
        self.expect(b'{')?;
        self.body(&mut function)?;
        self.expect(b'}')?;
        if function.blocks.is_empty() {
            return self.error(format!("function `{}` has no blocks", function.name));
        }
        Ok(function)
    }

    /// `declare ...`, the first word being consumed.
    pub fn declaration(&mut self) -> Result<Function> {
        let mut function = self.function_header(false)?;
        for (i, param) in (0u32..).zip(&mut function.params) {
            param.local = LocalId(i);
        }
        Ok(function)
    }

    fn function_header(&mut self, is_definition: bool) -> Result<Function> {
        self.scope = Scope::default();
        let text_line = self.line;
        // Declarations have their attachments in front.
        let mut subprogram = None;
        while let Token::MdName(_) = self.token {
            self.function_attachment(&mut subprogram)?;
        }
        let linkage = self.linkage()?;
        let ret_attrs = self.param_attrs()?;
        let ret = self.ty()?;
        let Token::Global(name) = self.token else {
            return self.unexpected("the function's name");
        };
        let name = self.intern(name);
        self.advance()?;
        let (params, vararg) = self.params(is_definition)?;
        let mut function = Function {
            name,
            linkage: linkage.unwrap_or(Linkage::External),
            ret,
            ret_attrs,
            params,
            vararg,
            attrs: Attributes::default(),
            locals: Vec::new(),
            blocks: Vec::new(),
            subprogram,
            section: None,
            text_line,
        };
        self.header_suffix(&mut function, is_definition)?;
        Ok(function)
    }

    /// Linkage, visibility and the like, as far as they are known words.
    pub fn linkage(&mut self) -> Result<Option<Linkage>> {
        let mut linkage = None;
        while let Token::Word(word) = self.token {
            if let Some(found) = Linkage::from_name(word) {
                linkage = Some(found);
            } else if !matches!(
                word,
                "dso_local" | "dso_preemptable" | "default" | "hidden" | "protected" | "dllimport" | "dllexport"
            ) {
                break;
            }
            self.advance()?;
        }
        Ok(linkage)
    }

    fn params(&mut self, is_definition: bool) -> Result<(Vec<Param>, bool)> {
        let mut params = Vec::new();
        let mut vararg = false;
        self.expect(b'(')?;
        self.list_until(b')', |r| {
            if r.token == Token::Ellipsis {
                vararg = true;
                return r.advance().map(drop);
            }
            let param = r.param(is_definition)?;
            params.push(param);
            Ok(())
        })?;
        Ok((params, vararg))
    }

    fn param(&mut self, is_definition: bool) -> Result<Param> {
        let ty = self.ty()?;
        let attrs = match ty {
            Type::Metadata => ParamAttrs::default(),
            _ => self.param_attrs()?,
        };
        let name = match self.token {
            Token::Local(name) => {
                self.advance()?;
                Some(name)
            }
            _ => None,
        };
        let local = if is_definition { self.define_local(name)? } else { LocalId(0) };
        Ok(Param { local, ty, attrs })
    }

    /// The part after the parameters, up to the body or the end of the line.
    fn header_suffix(&mut self, function: &mut Function, is_definition: bool) -> Result<()> {
        while is_definition || !self.at_line_start() {
            match self.token {
                Token::AttrGroup(group) => self.attribute_group(group, &mut function.attrs)?,
                Token::Str(_) => {
                    let attribute = self.string_attribute()?;
                    function.attrs.own.push(attribute);
                }
                Token::MdName(_) => self.function_attachment(&mut function.subprogram)?,
                Token::Word("section") => {
                    self.advance()?;
                    let section = self.string()?;
                    function.section = Some(self.intern(section));
                }
                Token::Word("gc" | "partition") => {
                    self.advance()?;
                    self.string()?;
                }
                Token::Word("prefix" | "prologue" | "personality") => {
                    self.advance()?;
                    self.typed_constant()?;
                }
                Token::Word("addrspace") => drop(self.addrspace()?),
                Token::Word(word) if !begins_type(word) => {
                    let attribute = self.word_attribute(word)?;
                    function.attrs.own.push(attribute);
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn function_attachment(&mut self, subprogram: &mut Option<MdId>) -> Result<()> {
        let name = self.advance()?;
        let reference = self.md_attachment()?;
        if matches!(name, Token::MdName(name) if name.0 == "dbg") {
            *subprogram = reference;
        }
        Ok(())
    }

    fn body(&mut self, function: &mut Function) -> Result<()> {
        // A block is open from its label, or its first instruction, to its
        // terminator.
        let mut open = false;
        while !self.is_punct(b'}') {
            match self.token {
                Token::Label(name) => {
                    if open {
                        return self.unexpected("a terminator before the next block");
                    }
                    let name = self.define_block(Some(name))?;
                    self.advance()?;
                    function.blocks.push(empty_block(name));
                    open = true;
                    continue;
                }
                // How to order uses in memory; says nothing about the program.
                Token::Word("uselistorder" | "uselistorder_bb") => {
                    self.skip_line()?;
                    continue;
                }
                Token::Eof => return self.unexpected("`}` at the end of the function"),
                _ => {}
            }
            if !open {
                let name = self.define_block(None)?;
                function.blocks.push(empty_block(name));
            }
            let instruction = self.instruction()?;
            open = !instruction.op.is_terminator();
            if let Some(block) = function.blocks.last_mut() {
                block.instructions.push(instruction);
            }
        }
        if open {
            return self.unexpected("a terminator at the end of the function");
        }
        let positions = self.scope.positions()?;
        for block in &mut function.blocks {
            for instruction in &mut block.instructions {
                instruction.op.for_each_block(|id| *id = positions[id.0 as usize]);
            }
        }
        function.locals = std::mem::take(&mut self.scope.locals);
        Ok(())
    }
}

fn empty_block(name: Symbol) -> Block {
    Block { name, instructions: Vec::new() }
}
