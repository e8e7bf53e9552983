//! The parsing state, and the basic operations that the whole grammar uses.
//!
//! One token of lookahead. Line breaks are not part of the grammar, except
//! that attributes after a call or declaration, of which we cannot know all,
//! end where the line ends ([`Reader::at_line_start`]).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::lexer::{Lexer, Quoted, Token};
use super::scope::Scope;
use super::{MdId, Module, ReadError, Symbol, TypeId};

pub(super) type Result<T> = std::result::Result<T, ReadError>;

/// The deepest nesting of types, constants and metadata; deeper text is rejected
/// so that the stack is not exhausted.
const MAX_DEPTH: u32 = 200;

pub(super) struct Reader<'a> {
    pub lexer: Lexer<'a>,
    /// The token to look at next, where it starts and on which line.
    pub token: Token<'a>,
    pub token_start: usize,
    pub line: u32,
    /// Line on which the token before this one ended.
    previous_line: u32,
    depth: u32,
    pub module: Module,
    names: HashSet<Symbol>,
    pub type_index: HashMap<Symbol, TypeId>,
    pub scope: Scope,
    pub mentions: Mentions,
}

/// The names mentioned, with the line of their first mention. All of them must be
/// defined in the end, or the text is incomplete.
#[derive(Default)]
pub(super) struct Mentions {
    pub globals: HashMap<Symbol, u32>,
    pub metadata: BTreeMap<MdId, u32>,
    pub groups: BTreeMap<u32, u32>,
    /// Types mentioned and not yet defined.
    pub types: BTreeMap<TypeId, u32>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Result<Self> {
        let mut reader = Reader {
            lexer: Lexer::new(text),
            token: Token::Eof,
            token_start: 0,
            line: 1,
            previous_line: 0,
            depth: 0,
            module: Module::default(),
            names: HashSet::new(),
            type_index: HashMap::new(),
            scope: Scope::default(),
            mentions: Mentions::default(),
        };
        reader.advance()?;
        Ok(reader)
    }

    /// Consumes the current token and returns it.
    pub fn advance(&mut self) -> Result<Token<'a>> {
        self.previous_line = self.lexer.line;
        self.lexer.skip_space();
        self.token_start = self.lexer.position();
        self.line = self.lexer.line;
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// Whether the current token is the first of its line.
    pub fn at_line_start(&self) -> bool {
        self.line > self.previous_line
    }

    /// Drops the rest of the current token's line.
    pub fn skip_line(&mut self) -> Result<()> {
        // The lexer is already past the token; go on from there, unless the
        // line has ended with it.
        self.lexer.skip_to_line_end();
        self.advance().map(drop)
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ReadError { line: self.line, message: message.into() })
    }

    /// An error with the expected and the actual token.
    pub fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let end = self.lexer.position();
        let there: String = self.lexer.slice(self.token_start, end).chars().take(60).collect();
        if self.token == Token::Eof {
            return self.error(format!("expected {wanted}, but the text ends"));
        }
        self.error(format!("expected {wanted}, found `{}`", there.trim_end()))
    }

    pub fn is_punct(&self, punct: u8) -> bool {
        self.token == Token::Punct(punct)
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word(word)
    }

    /// Consumes this punctuation if it is next.
    pub fn eat(&mut self, punct: u8) -> Result<bool> {
        let found = self.is_punct(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub fn eat_word(&mut self, word: &str) -> Result<bool> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub fn expect(&mut self, punct: u8) -> Result<()> {
        if self.eat(punct)? { Ok(()) } else { self.unexpected(&format!("`{}`", punct as char)) }
    }

    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word)? { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    /// Consumes a comma, unless a metadata attachment (`, !dbg !7`) follows it.
    pub fn eat_comma_before_operand(&mut self) -> Result<bool> {
        if self.is_punct(b',') && self.lexer.peek_byte() != Some(b'!') {
            self.advance()?;
            return Ok(true);
        }
        Ok(false)
    }

    pub fn unsigned(&mut self) -> Result<u64> {
        let Token::Number(digits) = self.token else { return self.unexpected("a number") };
        let Ok(number) = digits.parse() else { return self.unexpected("a 64-bit number") };
        self.advance()?;
        Ok(number)
    }

    pub fn unsigned32(&mut self) -> Result<u32> {
        let line = self.line;
        let number = self.unsigned()?;
        u32::try_from(number).map_err(|_| ReadError { line, message: format!("the number {number} is too large") })
    }

    /// A word that stands for something.
    pub fn keyword<T>(&mut self, from_word: fn(&str) -> Option<T>, wanted: &str) -> Result<T> {
        let Token::Word(word) = self.token else { return self.unexpected(wanted) };
        let Some(meaning) = from_word(word) else { return self.unexpected(wanted) };
        self.advance()?;
        Ok(meaning)
    }

    pub fn string(&mut self) -> Result<Quoted<'a>> {
        match self.token {
            Token::Str(s) => {
                self.advance()?;
                Ok(s)
            }
            _ => self.unexpected("a string"),
        }
    }

    /// `(N)`
    pub fn parenthesised_unsigned(&mut self) -> Result<u64> {
        self.expect(b'(')?;
        let number = self.unsigned()?;
        self.expect(b')')?;
        Ok(number)
    }

    /// Consumes a parenthesised text, whatever it contains, and returns the text
    /// between the parentheses.
    pub fn parenthesised_text(&mut self) -> Result<&'a str> {
        if !self.is_punct(b'(') {
            return self.unexpected("`(`");
        }
        let start = self.lexer.position();
        let mut open = 0u32;
        loop {
            match self.token {
                Token::Punct(b'(') => open += 1,
                Token::Punct(b')') => open -= 1,
                Token::Eof => return self.unexpected("`)`"),
                _ => {}
            }
            let at = self.token_start;
            self.advance()?;
            if open == 0 {
                return Ok(self.lexer.slice(start, at));
            }
        }
    }

    /// The shared copy of a name.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let new: Symbol = text.into();
        self.names.insert(new.clone());
        new
    }

    pub fn intern(&mut self, name: Quoted<'_>) -> Symbol {
        self.symbol(&name.text())
    }

    /// The name of a global that is being referred to.
    pub fn global_mention(&mut self, name: Quoted<'_>) -> Symbol {
        let symbol = self.intern(name);
        let line = self.line;
        self.mentions.globals.entry(symbol.clone()).or_insert(line);
        symbol
    }

    /// Runs a recursive part of the grammar one level deeper.
    pub fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// `item, item, …` up to a closing punctuation, which is consumed.
    pub fn list_until(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.eat(close)? {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close)? {
                return Ok(());
            }
            if !self.eat(b',')? {
                return self.unexpected(&format!("`,` or `{}`", close as char));
            }
        }
    }
}
