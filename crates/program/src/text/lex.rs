//! Lines of tokens, and a cursor that walks over one of them.

use super::parse::ParseError;
use super::words::{is_word_char, quote};
use crate::ir::Ty;
use crate::source::TypeId;
use std::str::FromStr;

#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// `%x`
    Reg(Label),
    /// `@x`
    Symbol(Label),
    /// May end in `~7` where it is a block's label.
    Word(String),
    Number(String),
    Text(Label),
    Punct(char),
}

/// The text after a sigil. `key` is unique for each thing, `name` is the name it was given.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    pub key: String,
    pub name: Option<String>,
}

pub struct Line {
    pub number: usize,
    pub tokens: Vec<Token>,
}

/// All lines that are not empty.
pub fn lines(text: &str) -> Result<Vec<Line>, ParseError> {
    let mut all = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let mut lexer = Lexer { rest: line, number: index + 1 };
        let mut tokens = Vec::new();
        while let Some(token) = lexer.token()? {
            tokens.push(token);
        }
        if !tokens.is_empty() {
            all.push(Line { number: index + 1, tokens });
        }
    }
    Ok(all)
}

struct Lexer<'t> {
    rest: &'t str,
    number: usize,
}

impl<'t> Lexer<'t> {
    fn error<T>(&self, expected: &str) -> Result<T, ParseError> {
        Err(ParseError {
            line: self.number,
            expected: expected.to_string(),
            found: self.rest.chars().take(20).collect(),
        })
    }

    fn take_while(&mut self, mut accept: impl FnMut(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn token(&mut self) -> Result<Option<Token>, ParseError> {
        self.rest = self.rest.trim_start();
        let mut chars = self.rest.chars();
        let Some(first) = chars.next() else { return Ok(None) };
        let after = chars.as_str();
        let token = match first {
            ';' => return Ok(None),
            '%' | '@' => {
                self.rest = after;
                let label = self.label()?;
                if first == '%' { Token::Reg(label) } else { Token::Symbol(label) }
            }
            '"' => Token::Text(self.label()?),
            '0'..='9' => Token::Number(self.take_number().to_string()),
            '-' if after.starts_with(|c: char| c.is_ascii_digit()) => {
                self.rest = after;
                Token::Number(format!("-{}", self.take_number()))
            }
            c if is_word_char(c) => Token::Word(self.take_while(|c| is_word_char(c) || c == '~').to_string()),
            c => {
                self.rest = after;
                Token::Punct(c)
            }
        };
        Ok(Some(token))
    }

    /// Digits, a type as suffix, and what floats need in between.
    fn take_number(&mut self) -> &'t str {
        let hex = self.rest.starts_with("0x");
        let mut exponent = false;
        self.take_while(|c| {
            let sign = exponent && matches!(c, '+' | '-');
            exponent = !hex && c == 'e';
            sign || c.is_ascii_alphanumeric() || c == '.'
        })
    }

    fn label(&mut self) -> Result<Label, ParseError> {
        let (mut key, name) = if self.rest.starts_with('"') {
            let text = self.text()?;
            (quote(&text), Some(text))
        } else if let Some(rest) = self.rest.strip_prefix('#') {
            self.rest = rest;
            return Ok(Label { key: format!("#{}", self.take_while(is_word_char)), name: None });
        } else {
            let word = self.take_while(is_word_char);
            let unnamed = word.starts_with(|c: char| c.is_ascii_digit());
            (word.to_string(), (!unnamed).then(|| word.to_string()))
        };
        if key.is_empty() {
            return self.error("a name");
        }
        if self.rest.starts_with('~') {
            key.push_str(self.take_while(|c| c == '~' || c.is_ascii_alphanumeric()));
        }
        Ok(Label { key, name })
    }

    fn text(&mut self) -> Result<String, ParseError> {
        let mut text = String::new();
        let mut chars = self.rest.chars();
        chars.next();
        loop {
            match chars.next() {
                Some('"') => break,
                Some('\\') => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(c @ ('"' | '\\')) => text.push(c),
                    Some('u') => {
                        let escape = chars.as_str().strip_prefix('{').and_then(|r| r.split_once('}'));
                        let decoded = escape
                            .and_then(|(hex, rest)| Some((char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, rest)));
                        let Some((c, rest)) = decoded else { return self.error("\\u{…}") };
                        text.push(c);
                        chars = rest.chars();
                    }
                    _ => return self.error("an escape: \\n, \\t, \\\", \\\\ or \\u{…}"),
                },
                Some(c) => text.push(c),
                None => return self.error("a closing quote"),
            }
        }
        self.rest = chars.as_str();
        Ok(text)
    }
}

/// Walks over the tokens of one line.
#[derive(Clone)]
pub struct Cursor<'t> {
    tokens: &'t [Token],
    line: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(line: &'t Line) -> Cursor<'t> {
        Cursor { tokens: &line.tokens, line: line.number }
    }

    pub fn error<T>(&self, expected: &str) -> Result<T, ParseError> {
        let found = match self.tokens.first() {
            None => "the end of the line".to_string(),
            Some(Token::Reg(label)) => format!("%{}", label.key),
            Some(Token::Symbol(label)) => format!("@{}", label.key),
            Some(Token::Word(text) | Token::Number(text)) => text.clone(),
            Some(Token::Text(label)) => label.key.clone(),
            Some(Token::Punct(c)) => c.to_string(),
        };
        Err(ParseError { line: self.line, expected: expected.to_string(), found })
    }

    pub fn peek(&self) -> Option<&'t Token> {
        self.tokens.first()
    }

    pub fn advance(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    pub fn eat(&mut self, punct: char) -> bool {
        let found = self.peek() == Some(&Token::Punct(punct));
        if found {
            self.advance();
        }
        found
    }

    pub fn expect(&mut self, punct: char) -> Result<(), ParseError> {
        if self.eat(punct) { Ok(()) } else { self.error(&format!("'{punct}'")) }
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(w)) if w == word);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { self.error(&format!("'{word}'")) }
    }

    /// A word that `meaning` knows.
    pub fn word<T>(&mut self, expected: &str, meaning: impl FnOnce(&str) -> Option<T>) -> Result<T, ParseError> {
        let Some(Token::Word(word)) = self.peek() else { return self.error(expected) };
        let Some(value) = meaning(word) else { return self.error(expected) };
        self.advance();
        Ok(value)
    }

    pub fn number<T: FromStr>(&mut self) -> Result<T, ParseError> {
        let Some(Token::Number(text)) = self.peek() else { return self.error("a number") };
        let Ok(value) = text.parse() else { return self.error("a number in range") };
        self.advance();
        Ok(value)
    }

    pub fn text(&mut self) -> Result<String, ParseError> {
        match self.peek() {
            Some(Token::Text(Label { name: Some(text), .. })) => {
                self.advance();
                Ok(text.clone())
            }
            _ => self.error("a quoted text"),
        }
    }

    /// A plain word, or anything in quotes.
    pub fn name(&mut self) -> Result<String, ParseError> {
        if let Some(Token::Word(word)) = self.peek() {
            self.advance();
            return Ok(word.clone());
        }
        self.text()
    }

    /// `t7` for the prefix `t`.
    pub fn numbered(&mut self, prefix: char) -> Result<u32, ParseError> {
        self.word(&format!("'{prefix}' and a number"), |word| {
            word.strip_prefix(prefix)?.parse().ok().filter(|n| *n != u32::MAX)
        })
    }

    pub fn type_id(&mut self) -> Result<TypeId, ParseError> {
        self.numbered('t').map(TypeId::from_u32)
    }

    pub fn ty(&mut self) -> Result<Ty, ParseError> {
        self.word("a type", ty)
    }

    /// `item, item, …` up to `close`, which is taken too.
    pub fn list<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(',')?;
        }
    }

    pub fn end(&self) -> Result<(), ParseError> {
        if self.tokens.is_empty() { Ok(()) } else { self.error("the end of the line") }
    }
}

pub fn ty(word: &str) -> Option<Ty> {
    match word {
        "ptr" => Some(Ty::Ptr),
        "f32" => Some(Ty::F32),
        "f64" => Some(Ty::F64),
        _ => word.strip_prefix('i')?.parse().ok().map(Ty::Int),
    }
}
