//! A system as text, for people: `--emit system`.

use crate::expression::{conjuncts, expression};
use crate::system::{Edge, Instances, LocationKind, Place, System, Template, Variable};
use std::fmt;

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, variable) in &self.shared {
            writeln!(f, "{id} {}", declared(variable))?;
        }
        writeln!(f, "initially {}", conjuncts(&self.terms, self.initial).join(" && "))?;
        for (id, template) in &self.templates {
            let main = if id == self.main { ", the first" } else { "" };
            let instances = match template.instances {
                Instances::Once => "one thread",
                Instances::Many => "any number of threads",
            };
            writeln!(f, "\n{id} {} ({instances}{main})", template.name)?;
            for (id, variable) in &template.locals {
                let number = if id == template.number { ", the number" } else { "" };
                writeln!(f, "  {id} {}{number}", declared(variable))?;
            }
            for (id, location) in &template.locations {
                let kind = match &location.kind {
                    LocationKind::Running => String::new(),
                    LocationKind::Ended => "the thread has ended".to_string(),
                    LocationKind::ProcessEnded => "the process has ended".to_string(),
                    LocationKind::Error { property, text } => format!("error: {}: {text}", property.name()),
                    LocationKind::Unchecked { property } => format!("not checked: {}", property.name()),
                };
                writeln!(f, "  {id}, line {}: {kind}", location.loc.line)?;
                for edge in template.edges.iter().filter(|edge| edge.from == id) {
                    print_edge(self, template, edge, f)?;
                }
            }
        }
        Ok(())
    }
}

fn declared(variable: &Variable) -> String {
    format!("{}: {} bits, {:?}", variable.name, variable.bits, variable.role)
}

fn print_edge(system: &System, template: &Template, edge: &Edge, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let terms = &system.terms;
    writeln!(f, "    -> {} if {}", edge.to, conjuncts(terms, edge.guard).join(" && "))?;
    for (place, value) in &edge.updates {
        let name = match place {
            Place::Shared(id) => &system.shared[*id].name,
            Place::Local(id) => &template.locals[*id].name,
        };
        writeln!(f, "         {name} = {}", expression(terms, *value))?;
    }
    for spawn in &edge.spawns {
        let new = &system.templates[spawn.template];
        let arguments = spawn.arguments.iter();
        let arguments: Vec<String> =
            arguments.map(|(local, value)| format!("{} = {}", new.locals[*local].name, expression(terms, *value))).collect();
        writeln!(f, "         create {}({})", new.name, arguments.join(", "))?;
    }
    Ok(())
}
