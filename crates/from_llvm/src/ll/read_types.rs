//! Types, and the attributes that stand between a type and its value.

use std::sync::Arc;

use super::keywords::{begins_type, begins_value};
use super::lexer::{Quoted, Token};
use super::reader::{Reader, Result};
use super::{Attribute, Attributes, FunctionType, NamedType, ParamAttrs, StructType, Type, TypeId};

impl<'a> Reader<'a> {
    pub fn at_type(&self) -> bool {
        match self.token {
            Token::Word(word) => begins_type(word),
            Token::Local(_) => true,
            Token::Punct(p) => matches!(p, b'{' | b'[' | b'<'),
            _ => false,
        }
    }

    pub fn ty(&mut self) -> Result<Type> {
        self.nested(Self::type_with_suffixes)
    }

    /// A type and its suffixes: `*`, `addrspace(1)*`, `(i32, ...)`.
    fn type_with_suffixes(&mut self) -> Result<Type> {
        let mut ty = self.base_type()?;
        loop {
            match self.token {
                Token::Punct(b'*') => {
                    self.advance()?;
                    ty = Type::Ptr(0);
                }
                Token::Word("addrspace") => {
                    let space = self.addrspace()?;
                    self.eat(b'*')?;
                    ty = Type::Ptr(space);
                }
                Token::Punct(b'(') => {
                    self.advance()?;
                    let (params, vararg) = self.function_type_params()?;
                    ty = Type::Function(Arc::new(FunctionType { ret: ty, params, vararg }));
                }
                _ => return Ok(ty),
            }
        }
    }

    fn function_type_params(&mut self) -> Result<(Vec<Type>, bool)> {
        let mut params = Vec::new();
        let mut vararg = false;
        self.list_until(b')', |r| {
            if r.token == Token::Ellipsis {
                vararg = true;
                return r.advance().map(drop);
            }
            let param = r.ty()?;
            params.push(param);
            r.param_attrs().map(drop)
        })?;
        Ok((params, vararg))
    }

    /// `addrspace(N)`
    pub fn addrspace(&mut self) -> Result<u32> {
        self.expect_word("addrspace")?;
        self.expect(b'(')?;
        // Since LLVM 18 also the letters of the data layout.
        let space = match self.token {
            Token::Str(Quoted("A" | "G" | "P")) => {
                self.advance()?;
                0
            }
            _ => self.unsigned32()?,
        };
        self.expect(b')')?;
        Ok(space)
    }

    fn base_type(&mut self) -> Result<Type> {
        match self.token {
            Token::Word(word) => self.word_type(word),
            Token::Local(name) => {
                let id = self.named_type(name);
                self.advance()?;
                Ok(Type::Named(id))
            }
            Token::Punct(b'{') => self.struct_type(false),
            Token::Punct(b'[') => {
                self.advance()?;
                let len = self.unsigned()?;
                self.expect_word("x")?;
                let element = Arc::new(self.ty()?);
                self.expect(b']')?;
                Ok(Type::Array(len, element))
            }
            Token::Punct(b'<') => {
                self.advance()?;
                if self.is_punct(b'{') {
                    let ty = self.struct_type(true)?;
                    self.expect(b'>')?;
                    return Ok(ty);
                }
                let scalable = self.eat_word("vscale")?;
                if scalable {
                    self.expect_word("x")?;
                }
                let len = self.unsigned()?;
                self.expect_word("x")?;
                let element = Arc::new(self.ty()?);
                self.expect(b'>')?;
                Ok(Type::Vector { len, scalable, element })
            }
            _ => self.unexpected("a type"),
        }
    }

    fn struct_type(&mut self, packed: bool) -> Result<Type> {
        self.expect(b'{')?;
        let mut fields = Vec::new();
        self.list_until(b'}', |r| {
            fields.push(r.ty()?);
            Ok(())
        })?;
        Ok(Type::Struct(Arc::new(StructType { packed, fields })))
    }

    fn word_type(&mut self, word: &str) -> Result<Type> {
        let ty = match word {
            "void" => Type::Void,
            "half" => Type::Half,
            "bfloat" => Type::BFloat,
            "float" => Type::Float,
            "double" => Type::Double,
            "x86_fp80" => Type::X86Fp80,
            "fp128" => Type::Fp128,
            "ppc_fp128" => Type::PpcFp128,
            "x86_mmx" => Type::X86Mmx,
            "ptr" => Type::Ptr(0),
            "label" => Type::Label,
            "token" => Type::Token,
            "metadata" => Type::Metadata,
            "opaque" => Type::Opaque,
            "x86_amx" => Type::Target(self.symbol("x86_amx")),
            "target" => {
                self.advance()?;
                let text = self.parenthesised_text()?;
                return Ok(Type::Target(self.symbol(text)));
            }
            _ if begins_type(word) => match word[1..].parse() {
                Ok(width) if (1..=1 << 23).contains(&width) => Type::Int(width),
                _ => return self.error(format!("no integer type is called `{word}`")),
            },
            _ => return self.unexpected("a type"),
        };
        self.advance()?;
        Ok(ty)
    }

    /// The type of this name, which may be defined later.
    pub fn named_type(&mut self, name: Quoted<'_>) -> TypeId {
        let symbol = self.intern(name);
        let (types, line) = (&mut self.module.types, self.line);
        let mentions = &mut self.mentions.types;
        *self.type_index.entry(symbol).or_insert_with_key(|name| {
            let id = TypeId(types.len() as u32);
            types.push(NamedType { name: name.clone(), body: Type::Opaque });
            mentions.insert(id, line);
            id
        })
    }

    /// Attributes of a parameter, argument or result, up to something that
    /// begins a type or value. Also swallows flags and calling conventions.
    pub fn param_attrs(&mut self) -> Result<ParamAttrs> {
        let mut attrs = ParamAttrs::default();
        loop {
            let word = match self.token {
                Token::Word(word) if !begins_type(word) && !begins_value(word) => word,
                Token::Str(_) => {
                    self.string_attribute()?;
                    continue;
                }
                _ => return Ok(attrs),
            };
            if word == "addrspace" {
                self.addrspace()?;
                continue;
            }
            self.advance()?;
            match word {
                "byval" | "sret" | "elementtype" if self.is_punct(b'(') => {
                    self.advance()?;
                    let ty = Some(self.ty()?);
                    self.expect(b')')?;
                    match word {
                        "byval" => attrs.byval = ty,
                        "sret" => attrs.sret = ty,
                        _ => attrs.elementtype = ty,
                    }
                }
                "byval" | "sret" => {
                    return self.error(format!("`{word}` without a type (LLVM before 12)"));
                }
                "inalloca" | "preallocated" => {
                    return self.error(format!("the parameter attribute `{word}` is not supported"));
                }
                "align" => {
                    let parenthesised = self.is_punct(b'(');
                    attrs.align = Some(if parenthesised { self.parenthesised_unsigned()? } else { self.unsigned()? });
                }
                // Calling convention by number.
                "cc" => drop(self.unsigned()?),
                "zeroext" => attrs.zeroext = true,
                "signext" => attrs.signext = true,
                _ if self.is_punct(b'(') => drop(self.parenthesised_text()?),
                _ => {}
            }
        }
    }

    /// `"key"` or `"key"="value"`
    pub fn string_attribute(&mut self) -> Result<Attribute> {
        let name = self.string()?;
        let argument = if self.eat(b'=')? { Some(self.string()?) } else { None };
        Ok(Attribute { name: self.intern(name), argument: argument.map(|a| self.intern(a)) })
    }

    /// `word`, `word(argument)` or `word=N`
    pub fn word_attribute(&mut self, word: &'a str) -> Result<Attribute> {
        self.advance()?;
        let argument = match self.token {
            Token::Punct(b'(') => Some(self.parenthesised_text()?),
            Token::Punct(b'=') => {
                self.advance()?;
                match self.advance()? {
                    Token::Number(number) => Some(number),
                    _ => return self.unexpected("a number"),
                }
            }
            // `align 16` of a function.
            Token::Number(number) if word == "align" => {
                self.advance()?;
                Some(number)
            }
            _ => None,
        };
        Ok(Attribute { name: self.symbol(word), argument: argument.map(|a| self.symbol(a)) })
    }

    /// `#0`, known to be next.
    pub fn attribute_group(&mut self, group: u32, attrs: &mut Attributes) -> Result<()> {
        let line = self.line;
        self.mentions.groups.entry(group).or_insert(line);
        attrs.groups.push(group);
        self.advance().map(drop)
    }
}
