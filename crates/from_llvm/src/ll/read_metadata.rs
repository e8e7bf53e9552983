//! Metadata nodes and references to them.

use super::lexer::Token;
use super::reader::{Reader, Result};
use super::{MdId, MdValue, Node, Symbol};

impl Reader<'_> {
    fn md_mention(&mut self, number: u32) -> MdId {
        let id = MdId(number);
        let line = self.line;
        self.mentions.metadata.entry(id).or_insert(line);
        id
    }

    /// The node after `!dbg`; a reference, or in rare cases a node in place.
    pub fn md_attachment(&mut self) -> Result<Option<MdId>> {
        match self.md_value()? {
            MdValue::Ref(id) => Ok(Some(id)),
            MdValue::Node(_) => Ok(None),
            _ => self.unexpected("a metadata node"),
        }
    }

    /// Anything that can be an operand of metadata, or the value of a field.
    pub fn md_value(&mut self) -> Result<MdValue> {
        self.nested(Self::md_value_inner)
    }

    fn md_value_inner(&mut self) -> Result<MdValue> {
        // `operands: {!1, !2}` of a generic node looks like a struct type.
        let is_list = self.is_punct(b'{') && matches!(self.lexer.peek_byte(), Some(b'!' | b'}'));
        if self.at_type() && !is_list {
            return self.operand().map(MdValue::Value);
        }
        match self.token {
            Token::MdNumber(number) => {
                let id = self.md_mention(number);
                self.advance()?;
                Ok(MdValue::Ref(id))
            }
            Token::MdString(text) | Token::Str(text) => {
                let symbol = self.intern(text);
                self.advance()?;
                Ok(MdValue::Str(symbol))
            }
            Token::Bang | Token::MdName(_) | Token::Word("distinct") | Token::Punct(b'{') => {
                self.md_node().map(|node| MdValue::Node(Box::new(node)))
            }
            Token::Number(text) => match text.parse() {
                Ok(value) => {
                    self.advance()?;
                    Ok(MdValue::Int(value))
                }
                Err(_) => self.unexpected("an integer"),
            },
            Token::Word(word) => self.md_word(word),
            _ => self.unexpected("metadata"),
        }
    }

    fn md_word(&mut self, word: &str) -> Result<MdValue> {
        self.advance()?;
        match word {
            "null" => return Ok(MdValue::Null),
            "true" => return Ok(MdValue::Bool(true)),
            "false" => return Ok(MdValue::Bool(false)),
            _ => {}
        }
        if !self.is_punct(b'|') {
            return Ok(MdValue::Word(self.symbol(word)));
        }
        let mut flags = word.to_owned();
        while self.eat(b'|')? {
            match self.advance()? {
                Token::Word(flag) | Token::Number(flag) => {
                    flags.push_str(" | ");
                    flags.push_str(flag);
                }
                _ => return self.unexpected("a flag"),
            }
        }
        Ok(MdValue::Word(self.symbol(&flags)))
    }

    /// `!{...}`, `!DIKind(...)`, or `distinct` of either.
    pub fn md_node(&mut self) -> Result<Node> {
        let distinct = self.eat_word("distinct")?;
        let mut node = Node { distinct, ..Node::default() };
        match self.token {
            Token::Bang => {
                self.advance()?;
                self.expect(b'{')?;
                self.list_until(b'}', |r| r.md_element(&mut node))?;
            }
            Token::Punct(b'{') => {
                self.advance()?;
                self.list_until(b'}', |r| r.md_element(&mut node))?;
            }
            Token::MdName(kind) => {
                node.kind = self.intern(kind);
                self.advance()?;
                self.expect(b'(')?;
                self.list_until(b')', |r| match r.token {
                    Token::Label(name) => {
                        let name: Symbol = r.intern(name);
                        r.advance()?;
                        let value = r.md_value()?;
                        node.fields.push((name, value));
                        Ok(())
                    }
                    _ => r.md_element(&mut node),
                })?;
            }
            _ => return self.unexpected("a metadata node"),
        }
        Ok(node)
    }

    fn md_element(&mut self, node: &mut Node) -> Result<()> {
        node.elements.push(self.md_value()?);
        Ok(())
    }

    /// `!12 = ...` at the top of the module, the number being consumed.
    pub fn md_definition(&mut self, number: u32) -> Result<()> {
        self.expect(b'=')?;
        // Before LLVM 3.6 a type stood here; nothing else can.
        let node = self.md_node()?;
        let known = self.module.metadata.nodes.insert(MdId(number), node);
        if known.is_some() {
            return self.error(format!("metadata `!{number}` is defined twice"));
        }
        Ok(())
    }

    /// `!llvm.dbg.cu = !{!0, !1}`, the name being consumed.
    pub fn md_named(&mut self, name: Symbol) -> Result<()> {
        self.expect(b'=')?;
        let node = self.md_node()?;
        let ids = node.elements.iter().filter_map(|element| match element {
            MdValue::Ref(id) => Some(*id),
            _ => None,
        });
        self.module.metadata.named.insert(name, ids.collect());
        Ok(())
    }
}
