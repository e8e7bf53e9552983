//! Reading formulas: `G (request -> F grant)`, `[] (request -> <> grant)`.
//!
//! | | |
//! |---|---|
//! | `! F G X`, also `~ <> []` | bind most |
//! | `U R W`, also `V` for `R` | to the right |
//! | `&&`, also `&` and `/\` | |
//! | `\|\|`, also `\|` and `\/` | |
//! | `->`, also `=>`; `<->`, also `<=>` | to the right; bind least |
//!
//! `GF p` is `G F p`. Every other word is a proposition, but for `true` and `false`.

use crate::formula::{Formula, MOST_ATOMS};

/// The text is not a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}\n  {text}\n  {:>1$}", "^", .column + 1)]
pub struct SyntaxError {
    pub what: String,
    pub text: String,
    /// The position of the first character that does not fit, from 0.
    pub column: usize,
}

/// Reads a formula. Propositions are added to `names` as they occur; a proposition's number is its index there.
pub fn parse(text: &str, names: &mut Vec<String>) -> Result<Formula, SyntaxError> {
    let tokens = tokens(text)?;
    let mut reader = Reader { text, tokens: &tokens, at: 0, names, nesting: 0 };
    if tokens.len() > LARGEST {
        return Err(reader.wrong(TOO_LARGE));
    }
    let formula = reader.implication()?;
    match reader.peek() {
        None => Ok(formula),
        Some(_) => Err(reader.wrong("an operator between two formulas is missing here")),
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Name(String),
    Open,
    Close,
    Not,
    And,
    Or,
    Implies,
    Iff,
    Finally,
    Globally,
    Next,
    Until,
    Release,
    WeakUntil,
}

/// Longest first.
const SYMBOLS: [(&str, Token); 16] = [
    ("<->", Token::Iff),
    ("<=>", Token::Iff),
    ("->", Token::Implies),
    ("=>", Token::Implies),
    ("<>", Token::Finally),
    ("[]", Token::Globally),
    ("&&", Token::And),
    ("||", Token::Or),
    ("/\\", Token::And),
    ("\\/", Token::Or),
    ("&", Token::And),
    ("|", Token::Or),
    ("!", Token::Not),
    ("~", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
];

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let column = text[..text.len() - rest.len()].chars().count();
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        if first.is_ascii_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push((column, word(&rest[..end])));
            rest = &rest[end..];
        } else if first == '1' || first == '0' {
            tokens.push((column, Token::Name(if first == '1' { "true" } else { "false" }.to_string())));
            rest = &rest[1..];
        } else if let Some((symbol, token)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            tokens.push((column, token.clone()));
            rest = &rest[symbol.len()..];
        } else {
            let what = match first {
                '=' | '<' | '>' | '+' | '-' | '*' | '%' | '.' | '0'..='9' => {
                    "C expressions do not stand in formulas: name this one with --prop NAME='…'".to_string()
                }
                other => format!("`{other}` means nothing in a formula"),
            };
            return Err(SyntaxError { what, text: text.to_string(), column });
        }
    }
}

fn word(word: &str) -> Token {
    match word {
        "G" => Token::Globally,
        "F" => Token::Finally,
        "X" => Token::Next,
        "U" => Token::Until,
        "R" | "V" => Token::Release,
        "W" => Token::WeakUntil,
        name => Token::Name(name.to_string()),
    }
}

/// Deeper nesting is rejected: it is surely a mistake.
const DEEPEST: usize = 500;
/// Larger formulas are rejected, in words and in operators. `<->` and `W` stand for formulas in which an operand occurs
/// twice, so that a short text can mean a large formula.
const LARGEST: usize = 10_000;

const TOO_LARGE: &str = "the formula is too large";

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [(usize, Token)],
    at: usize,
    names: &'a mut Vec<String>,
    nesting: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn eat(&mut self, token: &Token) -> bool {
        let is_it = self.peek() == Some(token);
        self.at += usize::from(is_it);
        is_it
    }

    fn wrong(&self, what: &str) -> SyntaxError {
        let column = self.tokens.get(self.at).map_or(self.text.trim_end().chars().count(), |(column, _)| *column);
        SyntaxError { what: what.to_string(), text: self.text.to_string(), column }
    }

    fn implication(&mut self) -> Result<Formula, SyntaxError> {
        let left = self.disjunction()?;
        if self.eat(&Token::Implies) {
            return Ok(left.implies(self.nested(Reader::implication)?));
        }
        if self.eat(&Token::Iff) {
            let right = self.nested(Reader::implication)?;
            return self.not_too_large(left.iff(right));
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Result<Formula, SyntaxError> {
        let mut formula = self.conjunction()?;
        while self.eat(&Token::Or) {
            formula = formula.or(self.conjunction()?);
        }
        Ok(formula)
    }

    fn conjunction(&mut self) -> Result<Formula, SyntaxError> {
        let mut formula = self.temporal()?;
        while self.eat(&Token::And) {
            formula = formula.and(self.temporal()?);
        }
        Ok(formula)
    }

    fn temporal(&mut self) -> Result<Formula, SyntaxError> {
        let left = self.unary()?;
        if self.eat(&Token::Until) {
            return Ok(left.until(self.nested(Reader::temporal)?));
        }
        if self.eat(&Token::Release) {
            return Ok(left.release(self.nested(Reader::temporal)?));
        }
        if self.eat(&Token::WeakUntil) {
            let right = self.nested(Reader::temporal)?;
            return self.not_too_large(left.weak_until(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, SyntaxError> {
        self.nested(Reader::operand)
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Formula, SyntaxError>) -> Result<Formula, SyntaxError> {
        self.nesting += 1;
        if self.nesting > DEEPEST {
            return Err(self.wrong("the formula is nested too deeply"));
        }
        let formula = read(self);
        self.nesting -= 1;
        formula
    }

    fn not_too_large(&self, formula: Formula) -> Result<Formula, SyntaxError> {
        if formula.operators() > LARGEST { Err(self.wrong(TOO_LARGE)) } else { Ok(formula) }
    }

    fn operand(&mut self) -> Result<Formula, SyntaxError> {
        if let Some(letters) = self.joined_operators() {
            self.at += 1;
            let mut formula = self.unary()?;
            for letter in letters.chars().rev() {
                formula = match letter {
                    'G' => formula.globally(),
                    'F' => formula.finally(),
                    _ => formula.next(),
                };
            }
            return Ok(formula);
        }
        match self.peek().cloned() {
            Some(Token::Not) => self.operator(|formula| formula.negated()),
            Some(Token::Finally) => self.operator(Formula::finally),
            Some(Token::Globally) => self.operator(Formula::globally),
            Some(Token::Next) => self.operator(Formula::next),
            Some(Token::Open) => {
                self.at += 1;
                let formula = self.implication()?;
                if !self.eat(&Token::Close) {
                    return Err(self.wrong("a `)` is missing here"));
                }
                Ok(formula)
            }
            Some(Token::Name(name)) => self.name(name),
            Some(Token::Close) => Err(self.wrong("a formula is missing before this `)`")),
            Some(_) => Err(self.wrong("a formula is missing before this operator")),
            None => Err(self.wrong("a formula is missing here")),
        }
    }

    fn operator(&mut self, apply: impl FnOnce(Formula) -> Formula) -> Result<Formula, SyntaxError> {
        self.at += 1;
        self.unary().map(apply)
    }

    /// `GF`, where an operand follows.
    fn joined_operators(&self) -> Option<String> {
        let Some(Token::Name(name)) = self.peek() else { return None };
        let operand_follows = matches!(
            self.tokens.get(self.at + 1),
            Some((_, Token::Name(_) | Token::Open | Token::Not | Token::Finally | Token::Globally | Token::Next))
        );
        (operand_follows && name.chars().all(|c| "GFX".contains(c))).then(|| name.clone())
    }

    fn name(&mut self, name: String) -> Result<Formula, SyntaxError> {
        match name.as_str() {
            "true" => {
                self.at += 1;
                return Ok(Formula::Const(true));
            }
            "false" => {
                self.at += 1;
                return Ok(Formula::Const(false));
            }
            _ => {}
        }
        let number = self.names.iter().position(|known| *known == name).unwrap_or(self.names.len());
        if number == MOST_ATOMS {
            return Err(self.wrong(&format!("there are more than {MOST_ATOMS} propositions")));
        }
        if number == self.names.len() {
            self.names.push(name);
        }
        self.at += 1;
        Ok(Formula::atom(number as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut names = vec!["p".to_string(), "q".to_string(), "r".to_string()];
        match parse(text, &mut names) {
            Ok(formula) => formula.to_string().replace("p0", "p").replace("p1", "q").replace("p2", "r"),
            Err(error) => format!("{}@{}", error.what, error.column),
        }
    }

    #[test]
    fn both_spellings() {
        assert_eq!(read("[] (p -> <> q)"), read("G(p->F q)"));
        assert_eq!(read("G (p -> F q)"), "G (!p || F q)");
        assert_eq!(read("GF p && FG q"), "(G F p && F G q)");
        assert_eq!(read("!(p U q)"), "(!p R !q)");
        assert_eq!(read("p W q"), "(q R (p || q))");
        assert_eq!(read("X !p"), "X !p");
        assert_eq!(read("1 || p"), "true");
    }

    #[test]
    fn precedence() {
        assert_eq!(read("p && q || r"), "((p && q) || r)");
        assert_eq!(read("p U q && r"), "((p U q) && r)");
        assert_eq!(read("F p U q"), "(F p U q)");
        assert_eq!(read("p U q U r"), "(p U (q U r))");
        assert_eq!(read("p -> q -> r"), "(!p || (!q || r))");
        assert_eq!(read("!p && q"), "(!p && q)");
        assert_eq!(read("p <-> q"), "((p && q) || (!p && !q))");
    }

    #[test]
    fn messages_say_where() {
        assert_eq!(read(""), "a formula is missing here@0");
        assert_eq!(read("G (p -> "), "a formula is missing here@7");
        assert_eq!(read("G (p"), "a `)` is missing here@4");
        assert_eq!(read("p q"), "an operator between two formulas is missing here@2");
        assert_eq!(read("p && )"), "a formula is missing before this `)`@5");
        assert_eq!(read("p U U q"), "a formula is missing before this operator@4");
        assert_eq!(read("G x == 1"), "C expressions do not stand in formulas: name this one with --prop NAME='…'@4");
        assert_eq!(read("G ä"), "`ä` means nothing in a formula@2");
        let error = parse("G (p", &mut Vec::new()).map_err(|error| error.to_string());
        assert_eq!(error, Err("a `)` is missing here\n  G (p\n      ^".to_string()));
    }

    #[test]
    fn short_texts_do_not_mean_huge_formulas() {
        for (operator, many) in [("<->", 60), ("W", 400), ("->", 600), ("U", 600)] {
            let said = read(&["p", "q"].repeat(many / 2).join(&format!(" {operator} ")));
            assert!(said.starts_with("the formula is "), "{operator}: {} bytes", said.len());
        }
        assert!(read(&["p"; 20_000].join(" && ")).starts_with("the formula is too large"));
    }
}
