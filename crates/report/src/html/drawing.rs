//! A drawing of who waits for whom, or who races with whom: threads are boxes, what they wait for or touch is round.

use super::markup::{Markup, escaped};
use super::timeline::colour;
use crate::headline::one_line;
use selvedge_program::Trace;
use selvedge_program::trace::{Race, Wait};
use std::f64::consts::TAU;

const WIDTH: f64 = 440.0;
const BOX: (f64, f64) = (104.0, 34.0);
/// Longer names do not fit into a box.
const LONGEST: usize = 13;

struct Node {
    text: String,
    title: String,
    /// `None`: not a thread.
    thread: Option<u32>,
    at: (f64, f64),
}

/// The waiting cycle; if there is none, a row for each wait. Of a race, the two accesses.
pub fn violation(page: &mut Markup, trace: &Trace) {
    let cycle = cycle(&trace.waiting);
    let (label, (nodes, edges, height)) = match &trace.race {
        Some(race) => ("The two accesses that nothing orders", accesses(trace, race)),
        None if trace.waiting.is_empty() => return,
        None if cycle.is_empty() => ("Who waits for what", rows(trace)),
        None => ("The cycle of waiting threads", circle(trace, &cycle)),
    };
    page.raw(&format!(
        "<svg class=waits viewBox=\"0 0 {WIDTH} {height:.0}\" width={WIDTH} height={height:.0} role=img aria-label=\"{label}\">\
         <defs><marker id=head viewBox=\"0 0 10 10\" refX=9 refY=5 markerWidth=8 markerHeight=8 orient=auto-start-reverse>\
         <path d=\"M0 0 10 5 0 10z\"/></marker></defs>"
    ));
    for (from, to, text) in edges {
        edge(page, &nodes[from], &nodes[to], text);
    }
    nodes.iter().for_each(|node| draw(page, node));
    page.raw("</svg>");
}

/// Waits of which each is for the thread of the next, and the last for that of the first.
fn cycle(waiting: &[Wait]) -> Vec<&Wait> {
    let next = |wait: &Wait| {
        let holders = || wait.held_by.iter().filter(|holder| !holder.ended);
        waiting.iter().find(|other| holders().any(|holder| holder.thread == other.thread))
    };
    for start in waiting {
        let mut path = vec![start];
        while let Some(following) = path.last().and_then(|last| next(last)) {
            if let Some(first) = path.iter().position(|wait| wait.thread == following.thread) {
                return path.split_off(first);
            }
            path.push(following);
        }
    }
    Vec::new()
}

type Drawing = (Vec<Node>, Vec<(usize, usize, &'static str)>, f64);

fn circle(trace: &Trace, cycle: &[&Wait]) -> Drawing {
    let count = 2 * cycle.len();
    let height = (90.0 + 62.0 * cycle.len() as f64).max(180.0);
    let place = |index: usize| {
        let angle = TAU * (index as f64 / count as f64) - TAU / 4.0;
        let (x, y) = (WIDTH / 2.0, height / 2.0);
        (x + angle.cos() * (x - BOX.0 / 2.0 - 2.0), y + angle.sin() * (y - BOX.1 / 2.0 - 2.0))
    };
    let nodes = cycle
        .iter()
        .enumerate()
        .flat_map(|(index, wait)| [thread(trace, wait.thread, place(2 * index)), object(wait, place(2 * index + 1))]);
    let edges = (0..count).map(|from| (from, (from + 1) % count, if from % 2 == 0 { "waits for" } else { "held by" }));
    (nodes.collect(), edges.collect(), height)
}

fn rows(trace: &Trace) -> Drawing {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let columns = [BOX.0 / 2.0 + 2.0, WIDTH / 2.0, WIDTH - BOX.0 / 2.0 - 2.0];
    let step = BOX.1 + 18.0;
    for (row, wait) in trace.waiting.iter().enumerate() {
        let y = step * (row as f64 + 0.5);
        let first = nodes.len();
        nodes.push(thread(trace, wait.thread, (columns[0], y)));
        nodes.push(object(wait, (columns[1], y)));
        edges.push((first, first + 1, ""));
        match wait.held_by.first() {
            Some(holder) => {
                let mut node = thread(trace, holder.thread, (columns[2], y));
                if holder.ended {
                    node.text = format!("T{} has ended", holder.thread);
                }
                nodes.push(node);
                edges.push((first + 1, first + 2, ""));
            }
            None => {
                let text = "nobody acts".to_string();
                nodes.push(Node { title: text.clone(), text, thread: None, at: (columns[2], y) });
                edges.push((first + 1, first + 2, ""));
            }
        }
    }
    (nodes, edges, step * trace.waiting.len() as f64)
}

fn accesses(trace: &Trace, race: &Race) -> Drawing {
    let y = BOX.1;
    let columns = [BOX.0 / 2.0 + 2.0, WIDTH - BOX.0 / 2.0 - 2.0];
    let name = race.place.split('`').nth(1).unwrap_or(&race.place);
    let touched = Node { text: one_line(name), title: one_line(&race.place), thread: None, at: (WIDTH / 2.0, y) };
    let threads = race.accesses.iter().zip(columns).map(|(access, x)| thread(trace, access.thread, (x, y)));
    let nodes = [touched].into_iter().chain(threads).collect();
    let verbs = race.accesses.iter().map(|access| if access.access.writes { "write" } else { "read" });
    (nodes, verbs.enumerate().map(|(number, verb)| (number + 1, 0, verb)).collect(), 2.0 * y)
}

fn thread(trace: &Trace, number: u32, at: (f64, f64)) -> Node {
    let routine = usize::try_from(number).ok().and_then(|index| trace.threads.get(index)).cloned().unwrap_or_default();
    Node {
        text: format!("T{number} {}", one_line(&routine)),
        title: format!("thread {number}"),
        thread: Some(number),
        at,
    }
}

fn object(wait: &Wait, at: (f64, f64)) -> Node {
    let title = one_line(wait.what.as_ref().unwrap_or(&wait.call));
    // "mutex `forks[1]`" is a mutex by its shape.
    let name = title.split('`').nth(1).unwrap_or(title.split('(').next().unwrap_or(&title)).to_string();
    Node { text: name, title, thread: None, at }
}

fn draw(page: &mut Markup, node: &Node) {
    let ((x, y), (width, height)) = (node.at, BOX);
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let (class, round) = match node.thread {
        Some(thread) => (colour(thread), 4.0),
        None => ("lock".to_string(), height / 2.0),
    };
    let text: String = match node.text.chars().count() > LONGEST {
        true => node.text.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => node.text.clone(),
    };
    page.raw(&format!(
        "<g class=\"{class}\"><title>{}</title><rect x={left:.1} y={top:.1} width={width} height={height} rx={round} />\
         <text x={x:.1} y={:.1}>{}</text></g>",
        escaped(&node.title),
        y + 4.0,
        escaped(&text)
    ));
}

/// An arrow from border to border.
fn edge(page: &mut Markup, from: &Node, to: &Node, text: &str) {
    let (start, end) = (border(from.at, to.at), border(to.at, from.at));
    let (x, y) = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
    page.raw(&format!(
        "<line x1={:.1} y1={:.1} x2={:.1} y2={:.1} marker-end=\"url(#head)\" /><text class=edge x={x:.1} y={:.1}>{text}</text>",
        start.0,
        start.1,
        end.0,
        end.1,
        y - 4.0
    ));
}

/// Where the way from one box to another leaves it.
fn border(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let reach = |half: f64, way: f64| if way == 0.0 { f64::INFINITY } else { half / way.abs() };
    let share = reach(BOX.0 / 2.0, dx).min(reach(BOX.1 / 2.0, dy)).min(0.5);
    (from.0 + dx * share, from.1 + dy * share)
}
