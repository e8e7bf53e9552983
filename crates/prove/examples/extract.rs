//! Reads programs in text form (`selvedge check FILE --emit program`) and prints their systems, or with `--sizes` how
//! large these are. Properties are named first, separated by commas.

use selvedge_program::{Properties, Property, text};
use selvedge_prove::{extract::extract, print::print, system::System};
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let sizes = args.next_if(|arg| arg == "--sizes").is_some();
    let named = args.next().unwrap_or_default();
    let properties: Properties =
        Property::all_by_name().filter(|property| named.split(',').any(|name| name == property.name())).collect();
    for file in args {
        let program = std::fs::read_to_string(&file).expect("a file that can be read");
        let program = text::parse(&program).unwrap_or_else(|error| panic!("{file}: {error}"));
        let start = Instant::now();
        match extract(&program, properties) {
            Ok(system) if sizes => println!("{file}: {} in {:.2} s", size(&system), start.elapsed().as_secs_f64()),
            Ok(system) => println!("{}", print(&system, &program)),
            Err(reason) => println!("{file}: {reason} in {:.2} s", start.elapsed().as_secs_f64()),
        }
    }
}

fn size(system: &System) -> String {
    let templates: Vec<String> = system
        .templates
        .values()
        .map(|template| {
            format!(
                "{} {:?} {} locals {} locations {} edges",
                template.name,
                template.instances,
                template.locals.len(),
                template.locations.len(),
                template.edges.len()
            )
        })
        .collect();
    format!("{} shared; {}", system.shared.len(), templates.join("; "))
}
