//! Lines of C before which a statement can be inserted.
//!
//! A lexer is enough: such a line begins, in a block and outside of all parentheses, behind `;`, `{` or `}`. The heads
//! of `if`, `for` and `while` end with a parenthesis and `else` with a word, so what they govern is never separated
//! from them.

/// The numbers of these lines, counted from 1.
pub fn beginnings(text: &str) -> Vec<u32> {
    let mut lexer = Lexer { last: Last::Other, open: Vec::new(), in_comment: false, directive_goes_on: false };
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let is_boundary = lexer.is_boundary();
        let is_code = lexer.read(line);
        if is_boundary && is_code && !is_else(line) {
            found.push(number);
        }
    }
    found
}

fn is_else(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("else");
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The last token, as far as it matters.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Semicolon,
    OpenBrace,
    CloseBrace,
    /// The end of a head (`if (…)`), a parameter list, a cast.
    CloseParenthesis,
    Else,
    Do,
    Colon,
    Other,
}

/// An open bracket or statement.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Block,
    /// The block of a `do`, which `while` follows.
    Do,
    /// The braces of an initialiser or of a type.
    List,
    Parenthesis,
}

struct Lexer {
    last: Last,
    open: Vec<Open>,
    in_comment: bool,
    directive_goes_on: bool,
}

impl Lexer {
    fn is_boundary(&self) -> bool {
        !self.in_comment
            && matches!(self.open.last(), Some(Open::Block | Open::Do))
            && matches!(self.last, Last::Semicolon | Last::OpenBrace | Last::CloseBrace)
    }

    /// Reads a line; whether it begins with code.
    fn read(&mut self, line: &str) -> bool {
        let is_directive = self.directive_goes_on || !self.in_comment && line.trim_start().starts_with('#');
        self.directive_goes_on = is_directive && line.ends_with('\\');
        if is_directive {
            return false;
        }
        let mut rest = line.trim_start();
        let begins_with_code =
            !self.in_comment && !rest.is_empty() && !rest.starts_with("//") && !rest.starts_with("/*");
        while !rest.is_empty() {
            rest = self.token(rest).trim_start();
        }
        begins_with_code
    }

    /// Reads a token, or the rest of a comment; what follows.
    fn token<'a>(&mut self, text: &'a str) -> &'a str {
        if self.in_comment {
            let end = text.find("*/");
            self.in_comment = end.is_none();
            return end.map_or("", |end| &text[end + 2..]);
        }
        if text.starts_with("//") {
            return "";
        }
        if let Some(rest) = text.strip_prefix("/*") {
            self.in_comment = true;
            return rest;
        }
        let first = text.chars().next().unwrap_or(' ');
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if is_word(first) {
            let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
            self.last = match &text[..end] {
                "else" => Last::Else,
                "do" => Last::Do,
                _ => Last::Other,
            };
            return &text[end..];
        }
        if matches!(first, '"' | '\'') {
            self.last = Last::Other;
            return &text[literal(text)..];
        }
        self.punctuation(first);
        &text[first.len_utf8()..]
    }

    fn punctuation(&mut self, character: char) {
        self.last = match character {
            '{' => {
                self.open.push(self.brace());
                Last::OpenBrace
            }
            '(' | '[' => {
                self.open.push(Open::Parenthesis);
                Last::Other
            }
            '}' => match self.open.pop() {
                Some(Open::Block) => Last::CloseBrace,
                _ => Last::Other,
            },
            ')' | ']' => {
                self.open.pop();
                if character == ')' { Last::CloseParenthesis } else { Last::Other }
            }
            ';' => Last::Semicolon,
            ':' => Last::Colon,
            _ => Last::Other,
        };
    }

    /// A block follows a head, another statement or a label; an initialiser `=`, a type its name.
    fn brace(&self) -> Open {
        let in_list = self.open.last() == Some(&Open::List);
        match self.last {
            Last::Do => Open::Do,
            Last::CloseParenthesis | Last::Else | Last::Colon => Open::Block,
            Last::Semicolon | Last::OpenBrace | Last::CloseBrace if !in_list => Open::Block,
            Last::Semicolon | Last::OpenBrace | Last::CloseBrace | Last::Other => Open::List,
        }
    }
}

/// The length of a string or character literal.
fn literal(text: &str) -> usize {
    let quote = text.chars().next();
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if Some(character) == quote => return at + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines where a statement can be inserted are marked by a `+`, which is not part of the text.
    #[test]
    fn statements_are_separated_only_where_c_allows_it() {
        let marked = r#"
 #include <pthread.h>
 #define SET(x) \
     x = 1;
 struct s {
     int a;
     int b;
 };
 int table[] = {
     1,
     2 };
 /* f;
 */
 void f(void)
 {
+    int local[2] = {
         1, 2
     };
     // a comment;
+    x = 1; /* {
 */
+    if (x)
         y = 1;
     else
         y = 2;
+    if (x) {
+        y = ';';
+    } else if (y)
         x = g("{",
               1);
+    for (int i = 0;
          i < 3;
          i++)
         x = i;
+    do {
+        x--;
+    } while (x);
+    do {
+        x++;
+    }
     while (x);
+    while (y);
+    y = 3;
+    switch (x) {
+    case 1:
         y = 1;
+        break;
+    }
 #ifdef DEBUG
+    x = 2;
 #endif
+    while (x == 1)
         ;
+}
"#;
        let marked: Vec<&str> = marked.trim_start_matches('\n').lines().collect();
        let text: String = marked.iter().map(|line| format!("{}\n", &line[1.min(line.len())..])).collect();
        let expected: Vec<u32> =
            (1..).zip(&marked).filter(|(_, line)| line.starts_with('+')).map(|(number, _)| number).collect();
        assert_eq!(beginnings(&text), expected);
    }
}
