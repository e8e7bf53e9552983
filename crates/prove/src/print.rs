//! A system as text: variables, and for each template its locations and edges, as C-like lines.
//!
//! ```text
//! shared m: 32 = 0
//! template thr1 many
//!   L0  14_spin2003.c:686
//!     when m == 0 goto L1  m := 1
//! ```

use crate::system::{Edge, Instances, LocationKind, Place, System, Template};
use selvedge_formula::{Node, Term, Terms};
use selvedge_program::{EntityRef, Program};
use std::fmt::Write;

/// Terms with more operators than this are cut.
const LONG: usize = 4000;

pub fn print(system: &System, program: &Program) -> String {
    let mut text = String::new();
    for variable in system.shared.values() {
        let _ = writeln!(text, "shared {}: {} bits, {:?}", variable.name, variable.bits, variable.role);
    }
    let _ = writeln!(text, "initially {}", term(&system.terms, system.initial));
    for template in system.templates.values() {
        print_template(&mut text, system, program, template);
    }
    text
}

fn print_template(text: &mut String, system: &System, program: &Program, template: &Template) {
    let many = match template.instances {
        Instances::Once => "once",
        Instances::Many => "many",
    };
    let _ = writeln!(text, "\ntemplate {} {many}", template.name);
    for local in template.locals.values() {
        let _ = writeln!(text, "  local {}: {} bits", local.name, local.bits);
    }
    for (id, location) in &template.locations {
        let kind = match &location.kind {
            LocationKind::Running => String::new(),
            LocationKind::Ended => "ended".to_string(),
            LocationKind::ProcessEnded => "the process has ended".to_string(),
            LocationKind::Error { property, text } => format!("error: {} ({text})", property.name()),
            LocationKind::Unchecked { property } => format!("unchecked: {}", property.name()),
        };
        let place = if location.loc.is_known() { program.source.describe(location.loc) } else { String::new() };
        let _ = writeln!(text, "  L{} {place} {kind}", id.index());
        for edge in template.edges.iter().filter(|edge| edge.from == id) {
            print_edge(text, system, template, edge);
        }
    }
}

fn print_edge(text: &mut String, system: &System, template: &Template, edge: &Edge) {
    let guard =
        if edge.guard == Terms::TRUE { String::new() } else { format!("when {} ", term(&system.terms, edge.guard)) };
    let _ = writeln!(text, "    {guard}goto L{}", edge.to.index());
    for (place, value) in &edge.updates {
        let name = match place {
            Place::Shared(id) => &system.shared[*id].name,
            Place::Local(id) => &template.locals[*id].name,
        };
        let _ = writeln!(text, "      {name} := {}", term(&system.terms, *value));
    }
    for spawn in &edge.spawns {
        let created = &system.templates[spawn.template];
        let argument =
            |(id, value): &(_, Term)| format!("{} = {}", created.locals[*id].name, term(&system.terms, *value));
        let arguments: Vec<String> = spawn.arguments.iter().map(argument).collect();
        let _ = writeln!(text, "      spawn {}({})", created.name, arguments.join(", "));
    }
}

/// A term as a C-like expression. What is too long ends in dots.
pub fn term(terms: &Terms, root: Term) -> String {
    let mut text = String::new();
    expression(terms, root, &mut text);
    if text.len() > LONG {
        let end = (0..=LONG).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

fn expression(terms: &Terms, root: Term, text: &mut String) {
    if text.len() > LONG {
        return;
    }
    let binary = |a: Term, sign: &str, b: Term, text: &mut String| {
        text.push('(');
        expression(terms, a, text);
        let _ = write!(text, " {sign} ");
        expression(terms, b, text);
        text.push(')');
    };
    match terms.node(root) {
        Node::Const { bits: 1, value } => text.push_str(if value == 1 { "true" } else { "false" }),
        Node::Const { bits, value } => {
            let signed = selvedge_formula::signed(bits, value);
            let _ = if signed.unsigned_abs() < 1 << 16 { write!(text, "{signed}") } else { write!(text, "{value:#x}") };
        }
        Node::Var { .. } => {
            let name = terms.name(root).unwrap_or("?");
            let _ = write!(text, "{name}");
        }
        Node::Not(a) => match terms.node(a) {
            Node::And(x, y) if terms.bits(a) == 1 && is_not(terms, x) && is_not(terms, y) => {
                binary(inner(terms, x), "||", inner(terms, y), text);
            }
            Node::Eq(x, y) => binary(x, "!=", y, text),
            Node::Ult(x, y) => binary(y, "<=u", x, text),
            Node::Slt(x, y) => binary(y, "<=", x, text),
            _ => {
                text.push(if terms.bits(a) == 1 { '!' } else { '~' });
                expression(terms, a, text);
            }
        },
        Node::Neg(a) => {
            text.push('-');
            expression(terms, a, text);
        }
        Node::And(a, b) => binary(a, if terms.bits(root) == 1 { "&&" } else { "&" }, b, text),
        Node::Xor(a, b) => binary(a, "^", b, text),
        Node::Add(a, b) => binary(a, "+", b, text),
        Node::Sub(a, b) => binary(a, "-", b, text),
        Node::Mul(a, b) => binary(a, "*", b, text),
        Node::Udiv(a, b) => binary(a, "/u", b, text),
        Node::Sdiv(a, b) => binary(a, "/", b, text),
        Node::Urem(a, b) => binary(a, "%u", b, text),
        Node::Srem(a, b) => binary(a, "%", b, text),
        Node::Shl(a, b) => binary(a, "<<", b, text),
        Node::Lshr(a, b) => binary(a, ">>u", b, text),
        Node::Ashr(a, b) => binary(a, ">>", b, text),
        Node::Eq(a, b) => binary(a, "==", b, text),
        Node::Ult(a, b) => binary(a, "<u", b, text),
        Node::Slt(a, b) => binary(a, "<", b, text),
        Node::Ite(c, a, b) => {
            text.push('(');
            expression(terms, c, text);
            text.push_str(" ? ");
            expression(terms, a, text);
            text.push_str(" : ");
            expression(terms, b, text);
            text.push(')');
        }
        Node::ZeroExtend { of, bits } => {
            let _ = write!(text, "u{bits}(");
            expression(terms, of, text);
            text.push(')');
        }
        Node::SignExtend { of, bits } => {
            let _ = write!(text, "i{bits}(");
            expression(terms, of, text);
            text.push(')');
        }
        Node::Extract { of, low, bits } => {
            expression(terms, of, text);
            let _ = write!(text, "[{low}..{}]", low + bits);
        }
        Node::Concat(a, b) => binary(a, "@", b, text),
    }
}

fn is_not(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Not(_))
}

fn inner(terms: &Terms, term: Term) -> Term {
    match terms.node(term) {
        Node::Not(inner) => inner,
        _ => term,
    }
}
