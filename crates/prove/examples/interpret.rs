//! Reads programs in text form (`selvedge check FILE --emit program`) and says what abstract interpretation proves of
//! each, how long it took, and with `-v` which states it found and which errors are open. Properties are named first,
//! separated by commas.

use selvedge_engine::Control;
use selvedge_engine::control::thread_time;
use selvedge_program::{Properties, Property, text};
use selvedge_prove::check::check;
use selvedge_prove::extract::extract;
use selvedge_prove::interpret::{Precision, interpret};
use selvedge_prove::print::print;
use selvedge_prove::system::LocationKind;
use std::time::Duration;

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let verbose = args.next_if(|arg| arg == "-v").is_some();
    let named = args.next().unwrap_or_default();
    let precision = match args.next_if(|arg| arg == "--states") {
        Some(_) => Precision::ALL[1],
        None => Precision::ALL[0],
    };
    let seconds: u64 = args.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(10);
    let properties: Properties =
        Property::all_by_name().filter(|property| named.split(',').any(|name| name == property.name())).collect();
    for file in args {
        let program = std::fs::read_to_string(&file).expect("a file that can be read");
        let program = text::parse(&program).unwrap_or_else(|error| panic!("{file}: {error}"));
        let start = seconds_used();
        let mut system = match extract(&program, properties) {
            Ok(system) => system,
            Err(reason) => {
                println!("{file}: EXTRACT {reason} in {:.2} s", (seconds_used() - start));
                continue;
            }
        };
        let extracted = seconds_used() - start;
        if verbose {
            println!("{}", print(&system, &program));
        }
        let size = format!(
            "{} shared, {} locations, {} edges, {} terms",
            system.shared.len(),
            system.places().count(),
            system.edges().count(),
            system.terms.count()
        );
        let control = Control { time_limit: Some(Duration::from_secs(seconds)), ..Control::default() };
        let start = seconds_used();
        let Some(found) = interpret(&mut system, precision, &control) else {
            println!("{file}: GAVE UP; {size}; extraction {extracted:.2} s, {:.2} s", (seconds_used() - start));
            continue;
        };
        let interpreted = seconds_used() - start;
        if verbose {
            for ((template, location), states) in &found.texts {
                println!("{} {location}", system.templates[*template].name);
                states.iter().for_each(|state| println!("    {state}"));
            }
            found.common.iter().for_each(|fact| println!("{fact}"));
        }
        let verdict = if found.proved() {
            match check(&mut system, &found.invariant, &control) {
                Ok(checked) => format!("proved, {} obligations", checked.obligations),
                Err(refuted) => format!("WRONG: {refuted}"),
            }
        } else {
            let open: Vec<String> = found
                .open
                .iter()
                .map(|&(template, location)| {
                    let location = &system.templates[template].locations[location];
                    let text = match &location.kind {
                        LocationKind::Error { text, .. } => text.as_str(),
                        _ => "",
                    };
                    format!("{} {text}", program.source.describe(location.loc))
                })
                .collect();
            format!("open: {}", open.join(", "))
        };
        println!(
            "{file}: {verdict}; {} changes; {size}; extraction {extracted:.2} s, interpretation {interpreted:.2} s, all {:.2} s",
            found.changes,
            (seconds_used() - start) + extracted
        );
    }
}

/// Processor time, which others on the machine do not stretch.
fn seconds_used() -> f64 {
    thread_time().map_or(0.0, |time| time.as_secs_f64())
}
