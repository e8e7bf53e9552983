//! Commands on a program's text.

use crate::facts;
use selvedge_bound::{Bounded, Limits, bound, text as bounded_text};
use selvedge_engine::{Control, Engine, Task, conclude};
use selvedge_passes::{Context, constants, copies, jumps, prepare, promote, provenance, registers};
use selvedge_program::{Bounds, Finding, Function, Program, Properties, Property, Verdict, verify};
use selvedge_search::dpor::Dpor;
use selvedge_search::explicit::Explicit;
use selvedge_symbolic::lazy::Lazy;
use selvedge_symbolic::tree::Tree;

/// The words behind a command, in any order.
pub struct Words<'a>(Vec<&'a str>);

impl Words<'_> {
    pub fn has(&self, word: &str) -> bool {
        self.0.contains(&word)
    }

    /// The word behind these.
    pub fn after(&self, words: &[&str]) -> Option<&str> {
        let at = self.0.windows(words.len()).position(|window| window == words)?;
        self.0.get(at + words.len()).copied()
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.after(&[name])?.parse().ok()
    }

    fn limits(&self) -> Limits {
        let unwind_at = self.after(&["unwind", "at"]).and_then(|at| at.split_once(':')).map(|(file, rest)| {
            let (line, times) = rest.split_once('=').unwrap_or((rest, "1"));
            ((file.to_string(), line.parse().unwrap_or(0)), times.parse().unwrap_or(1))
        });
        Limits {
            unwind: self.number("unwind").unwrap_or(2),
            unwind_at: unwind_at.into_iter().collect(),
            recursion: self.number("recursion").unwrap_or(1),
            threads: self.number("threads").unwrap_or(4),
            max_steps: self.number("steps").unwrap_or(10_000),
            ..Limits::default()
        }
    }

    fn task(&self) -> Task {
        let named = Property::all_by_name().filter(|property| self.has(property.name()));
        let named = named.fold(Properties::NONE, Properties::with);
        let properties = if named.is_empty() { Properties::default() } else { named };
        let (unwind, rounds) = (self.number("unwind"), self.number("rounds"));
        let bounds = Bounds { unwind, rounds, switches: self.number("switches"), ..Bounds::default() };
        Task { properties, bounds, ..Task::default() }
    }
}

/// The output of a command.
pub fn run(command: &str, input: &str) -> Result<String, String> {
    let mut words = command.split_whitespace();
    let (name, rest) = (words.next().unwrap_or_default(), Words(words.collect()));
    let program = parsed(input)?;
    let bounded = || bounded(input, &program, &rest.limits());
    Ok(match name {
        "bound" => match bound(&program, &rest.limits()) {
            Ok(bounded) => bounded.to_string(),
            Err(refusal) => refusal.to_string(),
        },
        "points" => facts::points(&bounded()?),
        "interference" => facts::interference(&bounded()?, &rest),
        "reductions" => facts::reductions(&bounded()?),
        "points-to" => facts::points_to(&bounded()?),
        "ranges" => facts::ranges(&bounded()?, &rest),
        "formula" => {
            let text = Lazy::default().formula_of(&bounded()?, &rest.task()).map_err(|reason| reason.to_string())?;
            text.lines().filter(|line| line.starts_with("c ")).map(|line| format!("{}\n", &line[2..])).collect()
        }
        "explicit" => verdict(&Explicit::ONE, &program, &rest.task()),
        "full" => verdict(&Explicit { no_reduction: true, ..Explicit::ONE }, &program, &rest.task()),
        "supersteps" => verdict(&Explicit { supersteps: true, ..Explicit::ONE }, &program, &rest.task()),
        "conflicts" => {
            let keeps_states = rest.has("states");
            verdict(&Dpor { keeps_states, ..Dpor::default() }, &program, &rest.task())
        }
        "lazy" => verdict(&Lazy::default(), &program, &rest.task()),
        "tree" => verdict(&Tree::default(), &program, &rest.task()),
        _ => after_passes(command, program)?,
    })
}

/// Well-formed, too.
fn parsed(input: &str) -> Result<Program, String> {
    let program = bounded_text::program(input).map_err(|error| error.to_string())?;
    match verify::verify(&program).first() {
        None => Ok(program),
        Some(problem) => Err(problem.to_string()),
    }
}

/// Read, or made.
fn bounded<'p>(input: &str, program: &'p Program, limits: &Limits) -> Result<Bounded<'p>, String> {
    if input.lines().any(|line| line == "bounded") {
        return bounded_text::parse(input, program).map_err(|error| error.to_string());
    }
    bound(program, limits).map_err(|refusal| refusal.to_string())
}

/// The line of each broken rule.
pub fn problems(input: &str) -> Result<Vec<(usize, String)>, String> {
    let program = bounded_text::program(input).map_err(|error| error.to_string())?;
    let lines = statements(input, "fn ");
    let line = |problem: &verify::Problem| {
        let place = (problem.function?.as_u32() as usize, problem.block?.as_u32() as usize, problem.inst?);
        lines.iter().find(|(_, at)| *at == place).map(|(line, _)| line + 1)
    };
    let head = input.lines().position(|line| line.starts_with("program ")).map_or(1, |index| index + 1);
    let function = |problem: &verify::Problem| {
        let heads = input.lines().enumerate().filter(|(_, line)| line.starts_with("fn ")).map(|(index, _)| index + 1);
        heads.clone().nth(problem.function?.as_u32() as usize)
    };
    let mut problems: Vec<(usize, String)> = verify::verify(&program)
        .iter()
        .map(|p| (line(p).or_else(|| function(p)).unwrap_or(head), format!("rule {}: {}", p.rule, p.text)))
        .collect();
    if input.lines().any(|line| line == "bounded") {
        match bounded_text::parse(input, &program) {
            Ok(_) => {}
            Err(bounded_text::Unreadable::Syntax(error)) => return Err(error.to_string()),
            Err(bounded_text::Unreadable::IllFormed(all)) => {
                problems.extend(all.into_iter().map(|(line, p)| (line, format!("rule {}: {}", p.rule, p.text))));
            }
        }
    }
    Ok(problems)
}

/// The lines of code: of which function or thread, of which block, which of its statements.
pub fn statements(text: &str, head: &str) -> Vec<(usize, (usize, usize, usize))> {
    let mut found = Vec::new();
    let (mut items, mut blocks, mut inside) = (0, 0, 0);
    let mut is_open = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or(line).trim_end();
        if line.starts_with(head) {
            (items, blocks, is_open) = (items + 1, 0, true);
        } else if line == "}" {
            is_open = false;
        } else if is_open && line.ends_with(':') {
            (blocks, inside) = (blocks + 1, 0);
        } else if is_open && blocks > 0 && !line.is_empty() && !line.trim_start().starts_with("proved ") {
            found.push((index, (items - 1, blocks - 1, inside)));
            inside += 1;
        }
    }
    found
}

/// One blank line less at either end.
pub fn trimmed(text: &str) -> String {
    let text = text.trim_matches('\n');
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

type Pass = fn(&Context, &mut Function);

fn after_passes(names: &str, program: Program) -> Result<String, String> {
    let functions = |program: &Program| -> Vec<String> {
        let text = program.to_string();
        text.split("\n\nfn ").skip(1).map(|function| format!("fn {}\n", function.trim_end())).collect()
    };
    let before = functions(&program);
    let mut after = program;
    for name in names.split_whitespace() {
        let pass: Pass = match name {
            "prepare" => {
                after = prepare(after);
                continue;
            }
            "promote" => promote::promote,
            "copies" => copies::copies,
            "constants" => constants::constants,
            "jumps" => jumps::jumps,
            "provenance" => provenance::provenance,
            "registers" => registers::registers,
            _ => return Err(format!("'{name}' is no command")),
        };
        selvedge_passes::run(&mut after, name, pass);
    }
    let changed: Vec<String> =
        functions(&after).into_iter().zip(before).filter(|(after, before)| after != before).map(|(f, _)| f).collect();
    Ok(if changed.is_empty() { "unchanged".to_string() } else { changed.join("\n") })
}

/// The verdict; of a violation, what it is and how many switches lead to it; and the size of an explicit search.
fn verdict(engine: &dyn Engine, program: &Program, task: &Task) -> String {
    let outcome = engine.check(program, task, &Control::default());
    let switches = match &outcome.finding {
        Finding::Violation { schedule, violation } => format!(", {} switches", schedule.switches(violation)),
        _ => String::new(),
    };
    let (states, transitions) = (outcome.statistics.states, outcome.statistics.transitions);
    let size = if states == 0 { String::new() } else { format!("\n{states} states, {transitions} transitions") };
    match conclude(program, task.properties, outcome.finding) {
        Err(error) => error.to_string(),
        Ok(conclusion) => match conclusion.verdict {
            Verdict::Unsafe(trace) => {
                let violation = &trace.violation;
                format!("unsafe: {}: {}{switches}{size}", violation.property.name(), violation.text)
            }
            Verdict::SafeWithin(coverage) => format!("safe within {coverage}{size}"),
            Verdict::Unknown(reason) => format!("unknown: {reason}"),
            verdict @ (Verdict::Safe | Verdict::SafeUnder { .. }) => format!("{}{size}", verdict.name()),
        },
    }
}
