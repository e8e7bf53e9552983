//! Text as HTML.

use std::fmt::{Display, Write};

/// A page, or a part of one.
#[derive(Default)]
pub struct Markup {
    text: String,
}

impl Markup {
    /// Adds markup as it is.
    pub fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) {
        self.text.push_str(&escaped(text));
    }

    /// Adds a sentence in which names stand between backquotes.
    pub fn prose(&mut self, text: &str) {
        for (index, part) in text.split('`').enumerate() {
            match index % 2 {
                0 => self.text(part),
                _ => self.element("code", part),
            }
        }
    }

    /// Adds an element with text in it. `open` is its name and attributes.
    pub fn element(&mut self, open: &str, text: impl Display) {
        let name = open.split(' ').next().unwrap_or(open);
        write!(self.text, "<{open}>{}</{name}>", escaped(&text.to_string())).expect("strings take any text");
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// Names and values come from the program: nothing of them may be taken for markup, or for a control character.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() => escaped.push('·'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A value as JSON that can stand inside a `script` element.
pub fn embedded(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).expect("documents are plain data");
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_program_is_markup() {
        assert_eq!(escaped("<b a='\"'>&\u{1b}"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;·");
        assert_eq!(embedded(&"</script>"), "\"\\u003c/script>\"");
    }
}
