//! Cuts the text into tokens, borrowing from it.
//!
//! As in LLVM's own lexer, a word directly followed by a colon is one token
//! ([`Token::Label`]); it serves both as block label and as field name in
//! metadata. Escapes stay in until a name or string is wanted ([`Quoted`]).

use super::ReadError;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Eof,
    /// One of `( ) { } [ ] < > , = * | :` and the like.
    Punct(u8),
    /// A keyword or any other bare word.
    Word(&'a str),
    /// A number in any notation, with its sign.
    Number(&'a str),
    Label(Quoted<'a>),
    Str(Quoted<'a>),
    /// `c"..."`
    Bytes(Quoted<'a>),
    Local(Quoted<'a>),
    Global(Quoted<'a>),
    Comdat(Quoted<'a>),
    /// `!12`
    MdNumber(u32),
    /// `!dbg`, `!DILocation`, `!llvm.dbg.cu`
    MdName(Quoted<'a>),
    MdString(Quoted<'a>),
    /// `!` before a brace.
    Bang,
    /// `#0`
    AttrGroup(u32),
    /// `#dbg_declare`, without the `#`
    DebugRecord(&'a str),
    Ellipsis,
    /// `^0`, an entry of a module summary.
    Summary,
}

/// Text that may contain `\xx` escapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quoted<'a>(pub &'a str);

impl<'a> Quoted<'a> {
    pub fn bytes(self) -> Vec<u8> {
        let raw = self.0.as_bytes();
        let mut out = Vec::with_capacity(raw.len());
        let mut i = 0;
        while i < raw.len() {
            let hex = |at: usize| raw.get(at).and_then(|b| (*b as char).to_digit(16));
            match (raw[i], hex(i + 1), hex(i + 2)) {
                (b'\\', Some(high), Some(low)) => {
                    out.push((high * 16 + low) as u8);
                    i += 3;
                }
                (b'\\', ..) if raw.get(i + 1) == Some(&b'\\') => {
                    out.push(b'\\');
                    i += 2;
                }
                (byte, ..) => {
                    out.push(byte);
                    i += 1;
                }
            }
        }
        out
    }

    /// The decoded text. Where that is not UTF-8, the escapes stay, so that
    /// different names stay different.
    pub fn text(self) -> std::borrow::Cow<'a, str> {
        if !self.0.contains('\\') {
            return self.0.into();
        }
        match String::from_utf8(self.bytes()) {
            Ok(decoded) => decoded.into(),
            Err(_) => self.0.into(),
        }
    }
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    pub line: u32,
}

/// Characters of bare names and keywords.
fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'$' | b'.' | b'_')
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Lexer { text, pos: 0, line: 1 }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn byte_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + ahead).copied()
    }

    /// The position from which the next token is read.
    pub fn position(&self) -> usize {
        self.pos
    }

    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError { line: self.line, message: message.into() })
    }

    pub fn skip_space(&mut self) {
        while let Some(b) = self.byte() {
            match b {
                b'\n' => {
                    self.line += 1;
                    self.pos += 1;
                }
                b' ' | b'\t' | b'\r' | 0 => self.pos += 1,
                b';' => self.skip_to_line_end(),
                _ => break,
            }
        }
    }

    pub fn skip_to_line_end(&mut self) {
        while self.byte().is_some_and(|b| b != b'\n') {
            self.pos += 1;
        }
    }

    /// The next byte that is no space, without consuming anything but space.
    pub fn peek_byte(&mut self) -> Option<u8> {
        self.skip_space();
        self.byte()
    }

    pub fn next(&mut self) -> Result<Token<'a>, ReadError> {
        self.skip_space();
        let Some(b) = self.byte() else { return Ok(Token::Eof) };
        match b {
            b'%' => self.sigil("%").map(Token::Local),
            b'@' => self.sigil("@").map(Token::Global),
            b'!' => self.bang(),
            b'#' => self.hash(),
            b'^' => {
                self.pos += 1;
                Ok(Token::Summary)
            }
            b'"' => {
                let string = self.quoted()?;
                if self.byte() == Some(b':') {
                    self.pos += 1;
                    return Ok(Token::Label(string));
                }
                Ok(Token::Str(string))
            }
            b'c' if self.byte_at(1) == Some(b'"') => {
                self.pos += 1;
                self.quoted().map(Token::Bytes)
            }
            b'$' if self.byte_at(1) == Some(b'"') => self.sigil("$").map(Token::Comdat),
            b'+' => Ok(self.number()),
            _ if is_name_byte(b) => Ok(self.word(b)),
            _ if b.is_ascii_graphic() => {
                self.pos += 1;
                Ok(Token::Punct(b))
            }
            _ => {
                let shown = self.text[self.pos..].chars().next().unwrap_or('?');
                self.error(format!("unexpected character {shown:?}"))
            }
        }
    }

    /// A bare word, label, comdat name, number or ellipsis.
    fn word(&mut self, first: u8) -> Token<'a> {
        let run = self.name_run();
        if self.byte_at(run.len()) == Some(b':') {
            self.pos += run.len() + 1;
            return Token::Label(Quoted(run));
        }
        let starts_number =
            first.is_ascii_digit() || (first == b'-' && self.byte_at(1).is_some_and(|b| b.is_ascii_digit()));
        if starts_number {
            return self.number();
        }
        self.pos += run.len();
        match run.strip_prefix('$') {
            Some(name) => Token::Comdat(Quoted(name)),
            None if run == "..." => Token::Ellipsis,
            None => Token::Word(run),
        }
    }

    fn number(&mut self) -> Token<'a> {
        let start = self.pos;
        if matches!(self.byte(), Some(b'-' | b'+')) {
            self.pos += 1;
        }
        if self.byte() == Some(b'0') && self.byte_at(1) == Some(b'x') {
            self.skip_while(|b| b.is_ascii_alphanumeric());
        } else {
            self.skip_while(|b| b.is_ascii_digit());
            if self.byte() == Some(b'.') {
                self.pos += 1;
                self.skip_while(|b| b.is_ascii_digit());
            }
            if matches!(self.byte(), Some(b'e' | b'E')) {
                self.pos += 1;
                if matches!(self.byte(), Some(b'-' | b'+')) {
                    self.pos += 1;
                }
                self.skip_while(|b| b.is_ascii_digit());
            }
        }
        Token::Number(&self.text[start..self.pos])
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&wanted) {
            self.pos += 1;
        }
    }

    /// The run of name bytes at the current position, not consumed.
    fn name_run(&self) -> &'a str {
        let rest = &self.text[self.pos..];
        let len = rest.bytes().take_while(|&b| is_name_byte(b)).count();
        &rest[..len]
    }

    /// `%name`, `@"name"`, `%5`.
    fn sigil(&mut self, sigil: &str) -> Result<Quoted<'a>, ReadError> {
        self.pos += 1;
        if self.byte() == Some(b'"') {
            return self.quoted();
        }
        let name = self.name_run();
        if name.is_empty() {
            return self.error(format!("`{sigil}` without a name"));
        }
        self.pos += name.len();
        Ok(Quoted(name))
    }

    /// A string in double quotes; quotes inside it are always `\22`.
    fn quoted(&mut self) -> Result<Quoted<'a>, ReadError> {
        let rest = &self.text[self.pos + 1..];
        let Some(len) = rest.bytes().position(|b| b == b'"') else {
            return self.error("a string without its closing quote");
        };
        let inside = &rest[..len];
        self.pos += len + 2;
        self.line += inside.bytes().filter(|&b| b == b'\n').count() as u32;
        Ok(Quoted(inside))
    }

    fn bang(&mut self) -> Result<Token<'a>, ReadError> {
        self.pos += 1;
        match self.byte() {
            Some(b'"') => self.quoted().map(Token::MdString),
            Some(b) if b.is_ascii_digit() => self.decimal().map(Token::MdNumber),
            Some(b) if is_name_byte(b) || b == b'\\' => {
                let rest = &self.text[self.pos..];
                let len = rest.bytes().take_while(|&b| is_name_byte(b) || b == b'\\').count();
                self.pos += len;
                Ok(Token::MdName(Quoted(&rest[..len])))
            }
            _ => Ok(Token::Bang),
        }
    }

    fn hash(&mut self) -> Result<Token<'a>, ReadError> {
        self.pos += 1;
        match self.byte() {
            Some(b) if b.is_ascii_digit() => self.decimal().map(Token::AttrGroup),
            _ => {
                let name = self.name_run();
                self.pos += name.len();
                Ok(Token::DebugRecord(name))
            }
        }
    }

    fn decimal(&mut self) -> Result<u32, ReadError> {
        let start = self.pos;
        self.skip_while(|b| b.is_ascii_digit());
        let digits = &self.text[start..self.pos];
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.error(format!("the number {digits} is too large")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            match lexer.next().expect("well-formed") {
                Token::Eof => return out,
                token => out.push(token),
            }
        }
    }

    #[test]
    fn names_numbers_and_labels() {
        assert_eq!(
            tokens("%x.addr = add i32 -5, 1.5e+03 ; comment\n5: \"a b\": ... 0xK3FFF"),
            [
                Token::Local(Quoted("x.addr")),
                Token::Punct(b'='),
                Token::Word("add"),
                Token::Word("i32"),
                Token::Number("-5"),
                Token::Punct(b','),
                Token::Number("1.5e+03"),
                Token::Label(Quoted("5")),
                Token::Label(Quoted("a b")),
                Token::Ellipsis,
                Token::Number("0xK3FFF"),
            ]
        );
    }

    #[test]
    fn metadata_and_groups() {
        assert_eq!(
            tokens("!12 !dbg !\"s\" !{ #3 #dbg_value $f"),
            [
                Token::MdNumber(12),
                Token::MdName(Quoted("dbg")),
                Token::MdString(Quoted("s")),
                Token::Bang,
                Token::Punct(b'{'),
                Token::AttrGroup(3),
                Token::DebugRecord("dbg_value"),
                Token::Comdat(Quoted("f")),
            ]
        );
    }

    #[test]
    fn escapes() {
        assert_eq!(Quoted("a\\0A\\\\\\22").bytes(), b"a\n\\\"");
        assert_eq!(Quoted("\\C3\\A9").text(), "é");
        assert_eq!(Quoted("\\FF").text(), "\\FF", "not UTF-8: escapes stay");
    }

    #[test]
    fn unfinished_string_is_an_error() {
        assert_eq!(Lexer::new("\n\"abc").next().map_err(|e| e.line), Err(2));
    }
}
