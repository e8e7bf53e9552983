//! S-expressions, the replies of solvers: symbols and lists, as they come out of a pipe.
//!
//! A misbehaving solver must not exhaust our memory or stack, so length and nesting are limited; proper answers
//! stay far below the limits.

use std::fmt;
use std::io::{self, BufRead};

const DEPTH: usize = 500;
const LENGTH: usize = 1 << 28;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Sexp {
    /// A symbol, a number or a string, the latter without its quotes.
    Atom(String),
    List(Vec<Sexp>),
}

impl Sexp {
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(text) => Some(text),
            Sexp::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::Atom(_) => None,
            Sexp::List(items) => Some(items),
        }
    }
}

impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Sexp::Atom(text) => f.write_str(text),
            Sexp::List(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { " " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The next expression; none at the end.
pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Sexp>> {
    let mut open: Vec<Vec<Sexp>> = Vec::new();
    let mut length = 0;
    loop {
        let Some(byte) = next(from, &mut length)? else {
            return if open.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        };
        let item = match byte {
            _ if byte.is_ascii_whitespace() => continue,
            b';' => {
                while next(from, &mut length)?.is_some_and(|byte| byte != b'\n') {}
                continue;
            }
            b'(' => {
                open.push(Vec::new());
                if open.len() > DEPTH {
                    return Err(io::Error::other("parentheses nested too deeply"));
                }
                continue;
            }
            b')' => Sexp::List(open.pop().ok_or_else(|| io::Error::other("a closing parenthesis too many"))?),
            b'"' | b'|' => Sexp::Atom(quoted(from, byte, &mut length)?),
            _ => Sexp::Atom(symbol(from, byte, &mut length)?),
        };
        match open.last_mut() {
            Some(list) => list.push(item),
            None => return Ok(Some(item)),
        }
    }
}

fn peek(from: &mut impl BufRead) -> io::Result<Option<u8>> {
    Ok(from.fill_buf()?.first().copied())
}

fn next(from: &mut impl BufRead, length: &mut usize) -> io::Result<Option<u8>> {
    let byte = peek(from)?;
    if byte.is_some() {
        from.consume(1);
        *length += 1;
        if *length > LENGTH {
            return Err(io::Error::other("an endless answer"));
        }
    }
    Ok(byte)
}

/// Up to the closing quote. Twice the quote stands for itself.
fn quoted(from: &mut impl BufRead, quote: u8, length: &mut usize) -> io::Result<String> {
    let mut text = Vec::new();
    loop {
        match next(from, length)? {
            Some(byte) if byte != quote => text.push(byte),
            Some(_) if quote == b'"' && peek(from)? == Some(quote) => {
                next(from, length)?;
                text.push(quote);
            }
            Some(_) => return Ok(String::from_utf8_lossy(&text).into_owned()),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn symbol(from: &mut impl BufRead, first: u8, length: &mut usize) -> io::Result<String> {
    let mut text = vec![first];
    while let Some(byte) = peek(from)? {
        if byte.is_ascii_whitespace() || b"();\"|".contains(&byte) {
            break;
        }
        next(from, length)?;
        text.push(byte);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut text: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            match read(&mut text) {
                Ok(Some(sexp)) => found.push(sexp.to_string()),
                Ok(None) => return found,
                Err(why) => {
                    found.push(format!("! {why}"));
                    return found;
                }
            }
        }
    }

    #[test]
    fn expressions_as_they_come() {
        assert_eq!(
            all(b"sat\n((v0 #b01)\n (|a b| (- 5))) ; (\n\"say \"\"hi\"\"\"()"),
            ["sat", "((v0 #b01) (a b (- 5)))", "say \"hi\"", "()"]
        );
    }

    #[test]
    fn nonsense_is_an_error() {
        assert_eq!(all(b"sat )"), ["sat", "! a closing parenthesis too many"]);
        assert_eq!(all(&[b'('; 1_000_000]), ["! parentheses nested too deeply"]);
        assert_eq!(all(b"(sat"), ["! unexpected end of file"]);
        assert_eq!(all(b"\"sat"), ["! unexpected end of file"]);
    }
}
