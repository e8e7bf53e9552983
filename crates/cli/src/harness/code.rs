//! Cuts C code into threads, statements and declarations; knows no more of C's syntax than that takes.

/// A statement of a thread, of the set-up or of the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// The variables without their initial values, and the assignments of these.
    Declaration { variables: String, assignments: Vec<String> },
    /// A call, an assignment, a condition.
    Expression(String),
    /// A loop, an `if`, a block.
    Other(String),
}

const CONTROL: [&str; 10] = ["if", "for", "while", "do", "switch", "return", "goto", "break", "continue", "else"];

/// Words that only begin declarations.
const TYPES: [&str; 22] = [
    "struct",
    "union",
    "enum",
    "void",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "float",
    "double",
    "_Bool",
    "bool",
    "const",
    "volatile",
    "static",
    "register",
    "_Atomic",
    "typeof",
    "__typeof__",
    "_Complex",
];

/// The threads of `a(); b() | c()`, each a list of statements.
pub fn threads(code: &str) -> Result<Vec<Vec<Statement>>, String> {
    split(code, '|')?.into_iter().map(statements).collect()
}

pub fn statements(code: &str) -> Result<Vec<Statement>, String> {
    let mut found = Vec::new();
    for piece in split(code, ';')? {
        // A block needs no semicolon behind it.
        let mut rest = piece.trim();
        while let Some(end) = end_of_block(rest) {
            found.push(Statement::Other(rest[..end].trim().to_string()));
            rest = rest[end..].trim_start();
        }
        if !rest.is_empty() {
            found.push(statement(rest));
        }
    }
    Ok(found)
}

/// Where the first block ends, if the text begins with a block or a statement that has one, and more follows.
fn end_of_block(text: &str) -> Option<usize> {
    let begins = text.starts_with('{') || CONTROL.contains(&first_word(text)) && first_word(text) != "do";
    let mut ends = Scan::new(text).filter(|(_, c, depth)| *c == '}' && *depth == 0).map(|(at, ..)| at + 1);
    let end = ends.next().filter(|_| begins)?;
    let rest = text[end..].trim_start();
    (!rest.is_empty() && first_word(rest) != "else").then_some(end)
}

fn statement(text: &str) -> Statement {
    if text.starts_with('{') || CONTROL.contains(&first_word(text)) {
        return Statement::Other(text.to_string());
    }
    if !is_declaration(text) {
        return Statement::Expression(text.to_string());
    }
    let (mut variables, mut assignments) = (Vec::new(), Vec::new());
    for declarator in split(text, ',').unwrap_or_default() {
        match initial_value(declarator) {
            Some((variable, value)) if !value.starts_with('{') && !variable.trim_end().ends_with(']') => {
                variables.push(variable.trim());
                assignments.push(format!("{} = {value}", name_of(variable)));
            }
            _ => variables.push(declarator.trim()),
        }
    }
    Statement::Declaration { variables: variables.join(", "), assignments }
}

/// `struct s *p = …`, `node_t *p`, `int i, j`: two words in a row, or a word, stars and a word that is all, or has a
/// value.
fn is_declaration(text: &str) -> bool {
    let first = first_word(text);
    let behind = text[first.len()..].trim_start();
    let second = first_word(behind.trim_start_matches(|c: char| c == '*' || c.is_whitespace()));
    let is_pointer = behind.starts_with('*');
    let rest = behind.split_once(second).map_or("", |(_, rest)| rest).trim_start();
    let goes_on = rest.is_empty() || rest.starts_with(['=', ',', '[']) && !rest.starts_with("==");
    !first.is_empty()
        && (TYPES.contains(&first) || !second.is_empty() && (!is_pointer || goes_on) && is_word_next(behind))
}

/// Whether a word follows, or stars and a word.
fn is_word_next(text: &str) -> bool {
    text.trim_start_matches(|c: char| c == '*' || c.is_whitespace()).starts_with(|c: char| is_of_word(c))
}

/// `x` and `3` of `int x = 3`.
fn initial_value(declarator: &str) -> Option<(&str, &str)> {
    let at = assignment(declarator)?;
    Some((&declarator[..at], declarator[at + 1..].trim()))
}

/// The name that a declarator declares: its last word, or the one behind `(*`.
fn name_of(declarator: &str) -> &str {
    let text = declarator.split_once("(*").map_or(declarator, |(_, inner)| inner.trim_start());
    match declarator.contains("(*") {
        true => first_word(text),
        false => text.rsplit(|c: char| !is_of_word(c)).find(|word| !word.is_empty()).unwrap_or_default(),
    }
}

/// Whether the value of an expression is all that matters of it: a comparison, a negation, a name.
pub fn is_condition(expression: &str) -> bool {
    let is_pure = assignment(expression).is_none() && !expression.contains(['(', ',']) && !has_changes(expression);
    is_pure || is_comparison(expression)
}

/// Whether an expression compares, negates, or joins such conditions.
pub fn is_comparison(expression: &str) -> bool {
    let outer = outside_of_brackets(expression).replace("->", "  ").replace("<<=", "   ").replace(">>=", "   ");
    let compares = ["==", "!=", "<=", ">=", "<", ">", "&&", "||"].iter().any(|operator| outer.contains(operator));
    let changes = assignment(expression).is_some() || has_changes(expression) || outer.contains(',');
    !changes && (compares || expression.starts_with('!'))
}

fn has_changes(expression: &str) -> bool {
    let outer = outside_of_brackets(expression);
    let signs = ["++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "<<=", ">>="];
    signs.iter().any(|sign| outer.contains(sign))
}

fn outside_of_brackets(expression: &str) -> String {
    Scan::new(expression).filter(|(.., depth)| *depth == 0).map(|(_, c, _)| c).collect()
}

/// Where an expression or a declarator assigns, outside of brackets.
fn assignment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_alone = |at: usize| {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        !b"=!<>+-*/%&|^".contains(&before) && bytes.get(at + 1) != Some(&b'=')
    };
    Scan::new(text).find(|(at, c, depth)| *c == '=' && *depth == 0 && is_alone(*at)).map(|(at, ..)| at)
}

/// The code with another name in the place of this one, wherever it stands as a word outside of strings.
pub fn renamed(code: &str, name: &str, other: &str) -> String {
    let mut result = String::new();
    let mut rest = 0;
    for (at, ..) in Scan::new(code).filter(|(_, c, _)| is_of_word(*c)) {
        let begins = !code[..at].ends_with(is_of_word);
        if begins && first_word(&code[at..]) == name {
            result += &code[rest..at];
            result += other;
            rest = at + name.len();
        }
    }
    result + &code[rest..]
}

fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| !is_of_word(c)).unwrap_or(text.len())]
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Cuts at a sign outside of brackets, strings and comments; `|` is cut at only where it is no part of another
/// operator.
fn split(text: &str, sign: char) -> Result<Vec<&str>, String> {
    let bytes = text.as_bytes();
    let is_operator = |at: usize| {
        sign == '|' && (bytes.get(at + 1).is_some_and(|next| b"|=".contains(next)) || at > 0 && bytes[at - 1] == b'|')
    };
    let mut scan = Scan::new(text);
    let (mut pieces, mut start) = (Vec::new(), 0);
    for (at, c, depth) in scan.by_ref() {
        if c == sign && depth == 0 && !is_operator(at) {
            pieces.push(&text[start..at]);
            start = at + 1;
        }
    }
    pieces.push(&text[start..]);
    match scan.is_balanced() {
        true => Ok(pieces),
        false => Err(format!("a bracket or a quotation mark is not closed in `{}`", text.trim())),
    }
}

/// The characters of C code outside of strings and comments, with their position and the number of brackets around
/// them. A bracket itself counts as outside.
struct Scan<'t> {
    text: &'t str,
    at: usize,
    open: Vec<char>,
    is_broken: bool,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Scan<'t> {
        Scan { text, at: 0, open: Vec::new(), is_broken: false }
    }

    fn is_balanced(&self) -> bool {
        self.open.is_empty() && !self.is_broken
    }

    /// Behind the quotation mark that closes a string.
    fn end_of_string(&self, quote: char) -> Option<usize> {
        let mut escaped = false;
        let mut rest = self.text[self.at + 1..].char_indices();
        let end = rest.find(|(_, c)| {
            let closes = !escaped && *c == quote;
            escaped = !escaped && *c == '\\';
            closes
        });
        end.map(|(at, _)| self.at + 1 + at + 1)
    }
}

impl Iterator for Scan<'_> {
    type Item = (usize, char, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.at;
            let c = self.text[at..].chars().next()?;
            if self.text[at..].starts_with("/*") {
                self.at = self.text[at..].find("*/").map_or(self.text.len(), |end| at + end + 2);
                continue;
            }
            if c == '"' || c == '\'' {
                let end = self.end_of_string(c);
                self.is_broken |= end.is_none();
                self.at = end.unwrap_or(self.text.len());
                // A string is something, though no sign that anybody looks for.
                return Some((at, '"', self.open.len() + 1));
            }
            self.at = at + c.len_utf8();
            match c {
                '(' => self.open.push(')'),
                '[' => self.open.push(']'),
                '{' => self.open.push('}'),
                ')' | ']' | '}' => self.is_broken |= self.open.pop() != Some(c),
                _ => return Some((at, c, self.open.len())),
            }
            let outside = self.open.len() - usize::from(matches!(c, '(' | '[' | '{'));
            return Some((at, c, outside));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(text: &str) -> Statement {
        Statement::Expression(text.to_string())
    }

    fn declaration(variables: &str, assignments: &[&str]) -> Statement {
        let assignments = assignments.iter().map(ToString::to_string).collect();
        Statement::Declaration { variables: variables.to_string(), assignments }
    }

    #[test]
    fn threads_and_statements() {
        let found = threads("push(s, 'a|b'); push(s, (1 | 2)) | pop(s) || give_up();").expect("C");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], [expression("push(s, 'a|b')"), expression("push(s, (1 | 2))")]);
        assert_eq!(found[1], [expression("pop(s) || give_up()")]);
        assert_eq!(threads("f() /* | g() */ |").expect("C")[1], []);
        for wrong in ["f(", "f())", "f(\"x)", "f(]"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn blocks() {
        let found = statements("for (int i = 0; i < 2; i++) { f(i); } g(); if (x) a(); else { b(); }").expect("C");
        let other = |text: &str| Statement::Other(text.to_string());
        assert_eq!(found[0], other("for (int i = 0; i < 2; i++) { f(i); }"));
        assert_eq!(found[1], expression("g()"));
        assert_eq!(found[2], other("if (x) a()"));
    }

    #[test]
    fn declarations() {
        let one = |text: &str| statement(text);
        assert_eq!(one("struct stack *s = new()"), declaration("struct stack *s", &["s = new()"]));
        assert_eq!(one("stack_t *s = new(), t"), declaration("stack_t *s, t", &["s = new()"]));
        assert_eq!(one("int a[2] = {1, 2}"), declaration("int a[2] = {1, 2}", &[]));
        assert_eq!(one("stack_t s"), declaration("stack_t s", &[]));
        assert_eq!(one("void (*f)(int) = g"), declaration("void (*f)(int)", &["f = g"]));
        for text in ["push(s, 1)", "*p = 3", "a * b == 2", "s->top = 0", "x = y", "n++", "count == 2", "count"] {
            assert_eq!(one(text), expression(text));
        }
    }

    #[test]
    fn names_are_renamed() {
        assert_eq!(renamed("main(); domain(\"main\", &main)", "main", "m"), "m(); domain(\"main\", &m)");
    }

    #[test]
    fn conditions() {
        for text in ["count == 2", "size(s) <= 3 && ok", "!is_empty(s)", "ok", "p->n != 0"] {
            assert!(is_condition(text), "{text}");
        }
        for text in ["assert(x == 1)", "n = a == b", "free(s)", "n++", "x <<= 1", "f(), x == 1", "s->destroy(s)"] {
            assert!(!is_condition(text), "{text}");
        }
    }
}
