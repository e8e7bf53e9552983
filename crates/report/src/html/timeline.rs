//! The run as a table: a column for each thread and for the variables that threads share most, time running down.

use super::markup::Markup;
use super::steps::{Step, Steps, shared_access};
use crate::headline::{one_line, place};
use crate::rows::Note;
use crate::sources::Sources;
use crate::text::thread_name;
use selvedge_program::Trace;

/// With more threads all share one column, and each row names its thread.
const MOST_COLUMNS: usize = 6;

/// The number of colours for threads; the page's style has as many.
const COLOURS: u32 = 8;

/// The class that gives a thread its colour.
pub fn colour(thread: u32) -> String {
    format!("t{}", thread % COLOURS)
}

pub struct Timeline<'t> {
    pub trace: &'t Trace,
    pub steps: &'t Steps,
    /// Steps that the summary names.
    pub decisive: &'t [usize],
}

impl Timeline<'_> {
    pub fn write(&self, page: &mut Markup, sources: &mut Sources) {
        page.raw(
            "<table class=run role=table><thead role=rowgroup><tr role=row><th scope=col role=columnheader>step</th>",
        );
        match self.columns() {
            1 => page.raw("<th scope=col role=columnheader>thread and line</th>"),
            columns => (0..columns as u32).for_each(|thread| {
                let open = format!("th scope=col role=columnheader class=\"col {}\"", colour(thread));
                page.element(&open, thread_name(self.trace, thread));
            }),
        }
        for variable in self.variables() {
            page.element("th scope=col role=columnheader class=v", one_line(variable));
        }
        page.raw("</tr></thead><tbody role=rowgroup>");
        let mut folds = self.steps.folds.iter().enumerate().peekable();
        for (number, step) in self.steps.steps.iter().enumerate() {
            if let Some((fold, (_, text))) = folds.peek().filter(|(_, (fold, _))| fold.start == number) {
                let span = self.width();
                page.raw(&format!(
                    "</tbody><tbody role=rowgroup class=fold><tr role=row><td role=cell colspan={span}><button type=button \
                     aria-expanded=false aria-controls=fold{fold}>"
                ));
                page.text(text);
                page.raw(&format!(
                    "</button></td></tr></tbody><tbody role=rowgroup class=folded id=fold{fold} hidden>"
                ));
            }
            self.step(page, sources, number, step);
            if folds.next_if(|(_, (fold, _))| fold.end == number + 1).is_some() {
                page.raw("</tbody><tbody role=rowgroup>");
            }
        }
        self.steps.after.iter().for_each(|text| self.between(page, text));
        page.raw("</tbody></table>");
    }

    fn columns(&self) -> usize {
        let threads = self.trace.threads.len();
        if threads <= MOST_COLUMNS { threads } else { 1 }
    }

    /// The variables with a column; the others are beside the source.
    fn variables(&self) -> &[String] {
        let most = match self.columns() {
            0..=3 => 4,
            4 => 3,
            _ => 2,
        };
        &self.steps.places[..self.steps.places.len().min(most)]
    }

    fn width(&self) -> usize {
        1 + self.columns() + self.variables().len()
    }

    fn between(&self, page: &mut Markup, text: &str) {
        page.raw(&format!("<tr class=between role=row><td role=cell colspan={}>", self.width()));
        page.text(text);
        page.raw("</td></tr>");
    }

    fn step(&self, page: &mut Markup, sources: &mut Sources, number: usize, step: &Step) {
        step.before.iter().for_each(|text| self.between(page, text));
        let mark = if self.decisive.contains(&number) { " key" } else { "" };
        let class = colour(step.thread);
        page.raw(&format!(
            "<tr id=s{number} class=\"step {class}{mark}\" role=row tabindex=-1><th scope=row role=rowheader>{}{number}</th>",
            if mark.is_empty() { "" } else { "<abbr title=\"named in the summary\">★</abbr> " }
        ));
        let own = if self.columns() == 1 { 0 } else { step.thread as usize };
        for column in 0..self.columns() {
            match column == own {
                true => self.cell(page, sources, step),
                false => page.raw("<td role=cell class=e></td>"),
            }
        }
        for variable in self.variables() {
            self.value(page, step, variable);
        }
        page.raw("</tr>");
    }

    fn cell(&self, page: &mut Markup, sources: &mut Sources, step: &Step) {
        page.raw("<td role=cell class=own><div class=at>");
        page.element("span class=tag", format!("T{}", step.thread));
        let position = place(&step.at).unwrap_or_else(|| "an unknown line".to_string());
        page.raw("<span class=ln title=\"");
        page.text(&format!("{}, in {}", one_line(&position), one_line(&step.function)));
        page.raw("\">");
        page.text(&if step.at.line == 0 { String::new() } else { step.at.line.to_string() });
        page.raw("</span>");
        match sources.line(&step.at.file, step.at.line) {
            Some(source) => page.element("code", source),
            None => page.element("span class=in", format!("in {}", one_line(&step.function))),
        }
        page.raw("</div>");
        if !step.notes.is_empty() {
            page.raw("<ul>");
            notes(page, &step.notes);
            page.raw("</ul>");
        }
        page.raw("</td>");
    }

    fn value(&self, page: &mut Markup, step: &Step, variable: &str) {
        let events = self.trace.events[step.events.clone()].iter();
        let accesses = events.filter_map(|event| shared_access(&event.what)).filter(|(place, ..)| *place == variable);
        match accesses.reduce(|first, last| (last.0, last.1, first.2 || last.2)) {
            Some((_, value, true)) => {
                page.raw("<td role=cell class=v>");
                page.element("b title=written", format!("← {}", one_line(value)));
                page.raw("</td>");
            }
            Some((_, value, false)) => {
                page.raw("<td role=cell class=v>");
                page.element("span title=read", one_line(value));
                page.raw("</td>");
            }
            None => page.raw("<td role=cell class=\"v e\"></td>"),
        }
    }
}

/// The events of a line. Of many the middle ones are folded.
fn notes(page: &mut Markup, notes: &[Note]) {
    let folded = match notes.len() {
        0..=8 => 0..0,
        many => 3..many - 2,
    };
    for (index, note) in notes.iter().enumerate() {
        if index == folded.start && !folded.is_empty() {
            page.raw("<li><details>");
            page.element("summary", format!("{} more", folded.len()));
            page.raw("<ul>");
        }
        let times = if note.times > 1 { format!(" ({} times)", note.times) } else { String::new() };
        let open = if note.shared { "li class=shared" } else { "li" };
        page.element(open, format!("{}{times}", note.text));
        if index + 1 == folded.end {
            page.raw("</ul></details></li>");
        }
    }
}
