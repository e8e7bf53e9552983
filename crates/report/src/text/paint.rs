//! Colours, for terminals only.

use anstyle::{AnsiColor, Style};

#[derive(Clone, Copy)]
pub struct Paint {
    pub on: bool,
}

impl Paint {
    pub fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    pub fn switch(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    /// The colour of interactions between threads.
    pub fn shared(self, text: &str) -> String {
        self.with(AnsiColor::Cyan.on_default(), text)
    }

    pub fn faint(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    pub fn heading(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
