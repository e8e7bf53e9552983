//! The top level of a module: one definition after another, in any order.

use super::lexer::Token;
use super::reader::{Reader, Result};
use super::{Alias, Attribute, Function, Global, Linkage, Module, ReadError, Symbol, Type};

impl Reader<'_> {
    pub fn module(mut self) -> Result<Module> {
        while self.token != Token::Eof {
            self.top_level_entity()?;
        }
        self.check_everything_is_defined()?;
        Ok(self.module)
    }

    fn top_level_entity(&mut self) -> Result<()> {
        match self.token {
            Token::Word(word) => self.top_level_word(word),
            Token::Global(name) => {
                let name = self.intern(name);
                self.advance()?;
                self.expect(b'=')?;
                self.global_or_alias(name)
            }
            Token::Local(name) => {
                let id = self.named_type(name);
                self.advance()?;
                self.expect(b'=')?;
                self.expect_word("type")?;
                let body = self.ty()?;
                self.module.types[id.0 as usize].body = body;
                self.mentions.types.remove(&id);
                Ok(())
            }
            Token::MdNumber(number) => {
                self.advance()?;
                self.md_definition(number)
            }
            Token::MdName(name) => {
                let name = self.intern(name);
                self.advance()?;
                self.md_named(name)
            }
            // `$name = comdat any`: how to merge copies when linking.
            Token::Comdat(_) => {
                self.advance()?;
                self.expect(b'=')?;
                self.expect_word("comdat")?;
                self.advance().map(drop)
            }
            Token::Summary => self.skip_line(),
            _ => self.unexpected("a definition"),
        }
    }

    fn top_level_word(&mut self, word: &str) -> Result<()> {
        match word {
            "define" => {
                self.advance()?;
                let function = self.definition()?;
                self.add_function(function)
            }
            "declare" => {
                self.advance()?;
                let function = self.declaration()?;
                self.add_function(function)
            }
            "attributes" => self.attribute_group_definition(),
            "source_filename" => {
                self.advance()?;
                self.expect(b'=')?;
                self.module.source_file = self.string()?.text().into_owned();
                Ok(())
            }
            "target" => {
                self.advance()?;
                let which = self.advance()?;
                self.expect(b'=')?;
                let value = self.string()?.text().into_owned();
                match which {
                    Token::Word("triple") => self.module.target_triple = value,
                    Token::Word("datalayout") => self.module.datalayout = value,
                    _ => return self.error("unknown property of the target"),
                }
                Ok(())
            }
            "module" => {
                self.advance()?;
                self.expect_word("asm")?;
                let line = self.string()?.text().into_owned();
                self.module.asm.push(line);
                Ok(())
            }
            "uselistorder" | "uselistorder_bb" => self.skip_line(),
            _ => self.unexpected("a definition"),
        }
    }

    fn add_function(&mut self, function: Function) -> Result<()> {
        let name = function.name.clone();
        self.check_new(&name, function.text_line)?;
        self.module.function_index.insert(name, self.module.functions.len());
        self.module.functions.push(function);
        Ok(())
    }

    fn check_new(&self, name: &Symbol, line: u32) -> Result<()> {
        let m = &self.module;
        let known = m.function(name).is_some() || m.global(name).is_some() || m.alias(name).is_some();
        if known {
            return Err(ReadError { line, message: format!("`@{name}` is defined twice") });
        }
        Ok(())
    }

    /// `attributes #0 = { ... }`
    fn attribute_group_definition(&mut self) -> Result<()> {
        self.advance()?;
        let Token::AttrGroup(group) = self.advance()? else {
            return self.unexpected("the number of an attribute group");
        };
        self.expect(b'=')?;
        self.expect(b'{')?;
        let mut attributes: Vec<Attribute> = Vec::new();
        while !self.eat(b'}')? {
            attributes.push(match self.token {
                Token::Str(_) => self.string_attribute()?,
                Token::Word(word) => self.word_attribute(word)?,
                _ => return self.unexpected("an attribute"),
            });
        }
        self.module.attribute_groups.insert(group, attributes);
        Ok(())
    }

    /// The part after `@name =`.
    fn global_or_alias(&mut self, name: Symbol) -> Result<()> {
        let text_line = self.line;
        self.check_new(&name, text_line)?;
        let linkage = self.linkage()?;
        let (mut thread_local, mut addrspace) = (false, 0);
        loop {
            let Token::Word(word) = self.token else { return self.unexpected("`global`") };
            match word {
                "addrspace" => {
                    addrspace = self.addrspace()?;
                    continue;
                }
                "thread_local" => {
                    thread_local = true;
                    self.advance()?;
                    if self.is_punct(b'(') {
                        self.parenthesised_text()?;
                    }
                    continue;
                }
                "unnamed_addr" | "local_unnamed_addr" | "externally_initialized" => {}
                "global" | "constant" => {
                    self.advance()?;
                    let constant = word == "constant";
                    // Only these say that there is no initialiser.
                    let declared = matches!(linkage, Some(Linkage::External | Linkage::ExternWeak));
                    let ty = self.ty()?;
                    let init = if declared { None } else { Some(self.constant(&ty)?) };
                    let linkage = linkage.unwrap_or(Linkage::External);
                    let mut global = Global {
                        name,
                        linkage,
                        thread_local,
                        constant,
                        addrspace,
                        ty,
                        init,
                        align: None,
                        section: None,
                        debug: Vec::new(),
                        text_line,
                    };
                    self.global_suffix(&mut global)?;
                    let index = self.module.globals.len();
                    self.module.global_index.insert(global.name.clone(), index);
                    self.module.globals.push(global);
                    return Ok(());
                }
                "alias" | "ifunc" => {
                    self.advance()?;
                    let linkage = linkage.unwrap_or(Linkage::External);
                    return self.alias(name, linkage, word == "ifunc");
                }
                _ => return self.unexpected("`global`, `constant`, `alias` or `ifunc`"),
            }
            self.advance()?;
        }
    }

    fn alias(&mut self, name: Symbol, linkage: Linkage, ifunc: bool) -> Result<()> {
        let ty = self.ty()?;
        self.expect(b',')?;
        // An expression may stand here without a type of its own.
        let target = if self.at_type() {
            self.typed_constant()?
        } else {
            let value = self.constant(&Type::Ptr(0))?;
            super::TypedConstant { ty: Type::Ptr(0), value }
        };
        while self.eat(b',')? {
            match self.advance()? {
                Token::Word("partition") => drop(self.string()?),
                Token::MdName(_) => drop(self.md_attachment()?),
                _ => return self.unexpected("a property of the alias"),
            }
        }
        self.module.alias_index.insert(name.clone(), self.module.aliases.len());
        self.module.aliases.push(Alias { name, linkage, ifunc, ty, target });
        Ok(())
    }

    /// `, section "s", align 4, !dbg !5 #0`
    fn global_suffix(&mut self, global: &mut Global) -> Result<()> {
        while self.eat(b',')? {
            match self.token {
                Token::MdName(name) => {
                    self.advance()?;
                    let reference = self.md_attachment()?;
                    if name.0 == "dbg" {
                        global.debug.extend(reference);
                    }
                }
                Token::Word("section") => {
                    self.advance()?;
                    let section = self.string()?;
                    global.section = Some(self.intern(section));
                }
                Token::Word("partition" | "code_model") => {
                    self.advance()?;
                    self.string()?;
                }
                Token::Word("align") => {
                    self.advance()?;
                    global.align = Some(self.unsigned()?);
                }
                // `comdat($f)`, and sanitizer settings.
                Token::Word(word) => drop(self.word_attribute(word)?),
                _ => return self.unexpected("a property of the global"),
            }
        }
        let mut attrs = super::Attributes::default();
        while let Token::AttrGroup(group) = self.token {
            self.attribute_group(group, &mut attrs)?;
        }
        Ok(())
    }

    /// Rejects undefined names: a truncated text may well be grammatical, but then
    /// a definition is missing.
    fn check_everything_is_defined(&self) -> Result<()> {
        let (mentions, m) = (&self.mentions, &self.module);
        let metadata = (mentions.metadata.iter())
            .filter(|(id, _)| m.metadata.node(**id).is_none())
            .map(|(id, line)| (*line, format!("metadata `!{}` is never defined", id.0)));
        let groups = (mentions.groups.iter())
            .filter(|(group, _)| !m.attribute_groups.contains_key(group))
            .map(|(group, line)| (*line, format!("attributes `#{group}` are never defined")));
        let types = (mentions.types.iter()).map(|(id, line)| {
            let name = &m.types[id.0 as usize].name;
            (*line, format!("type `%{name}` is never defined"))
        });
        let is_missing = |name: &Symbol| {
            // Newer LLVM declares its intrinsics by itself.
            let known = m.function(name).is_some()
                || m.global(name).is_some()
                || m.alias(name).is_some()
                || name.starts_with("llvm.");
            !known
        };
        let globals = (mentions.globals.iter())
            .filter(|(name, _)| is_missing(name))
            .map(|(name, line)| (*line, format!("`@{name}` is never defined")));
        match metadata.chain(groups).chain(types).chain(globals).min() {
            Some((line, message)) => Err(ReadError { line, message }),
            None => Ok(()),
        }
    }
}
