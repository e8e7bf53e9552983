//! The form of litmus tests.
//!
//! ```text
//! # Store buffering: each thread misses the store of the other.
//! x = 1      | y = 1
//! r0 = y     | r1 = x
//! observe r0 r1
//! sc   0,1 1,0 1,1
//! tso  0,0
//! pso
//! ```
//!
//! Every column is a thread. Each model's line has the outcomes that it allows beyond those of the line before:
//! whatever a model allows, so do those that follow it.
//!
//! | action | meaning |
//! |---|---|
//! | `x = 1`, `x = r0`, `x =rel 1` | a store: plain, or of an order (`rlx`, `acq`, `rel`, `acq_rel`, `sc`) |
//! | `r0 = x`, `r0 =acq x` | a load |
//! | `r0 = xchg x 1`, `r0 =rlx xchg x 1` | an exchange, seq_cst unless it says otherwise; the register gets what was there |
//! | `r0 = cas x 0 1` | a compare-exchange: 1 is written where 0 was |
//! | `fence sc` | a fence of any order |
//! | `lock m`, `unlock m` | of a mutex |
//!
//! Variables are words of four bytes that begin as zero; `x.0` to `x.3` are single bytes, lowest first, and `x.lo`,
//! `x.hi` halves. Registers are called `r0`, `r1` and so on; each is written once, in one thread. A variable that is
//! observed is what memory holds at the end.

use crate::{Action, Litmus, MODELS, Observed, Outcome, Place, Value, WORD};
use selvedge_program::{MemoryModel, MemoryOrder};
use std::collections::BTreeSet;

pub fn parse(name: &str, text: &str) -> Result<Litmus, String> {
    let mut test =
        Litmus { name: name.to_string(), threads: Vec::new(), observed: Vec::new(), allowed: Default::default() };
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if !line.is_empty() && !line.starts_with('#') {
            parse_line(&mut test, line).map_err(|error| format!("line {number}: {error}"))?;
        }
    }
    check(&test)?;
    let [sc, tso, pso] = &mut test.allowed;
    tso.extend(sc.iter().cloned());
    pso.extend(tso.iter().cloned());
    Ok(test)
}

fn parse_line(test: &mut Litmus, line: &str) -> Result<(), String> {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let model = MemoryModel::ALL.iter().position(|model| model.name() == first);
    match (first, model) {
        ("observe", _) => test.observed = rest.split_whitespace().map(observed).collect(),
        (_, Some(model)) => test.allowed[model] = rest.split_whitespace().map(outcome).collect::<Result<_, _>>()?,
        _ => {
            for (thread, cell) in line.split('|').map(str::trim).enumerate() {
                if test.threads.len() == thread {
                    test.threads.push(Vec::new());
                }
                if !cell.is_empty() {
                    test.threads[thread].push(action(cell)?);
                }
            }
        }
    }
    Ok(())
}

/// Every register is written once, and every outcome has as many values as are observed.
fn check(test: &Litmus) -> Result<(), String> {
    let registers: Vec<&str> = test.actions().filter_map(Action::register).collect();
    let distinct: BTreeSet<&str> = registers.iter().copied().collect();
    if distinct.len() != registers.len() {
        return Err("a register is written twice".to_string());
    }
    for observed in &test.observed {
        match observed {
            Observed::Register(name) if !distinct.contains(name.as_str()) => {
                return Err(format!("nobody writes {name}"));
            }
            Observed::Variable(name) if !test.variables().contains(name.as_str()) => {
                return Err(format!("nobody accesses {name}"));
            }
            Observed::Register(_) | Observed::Variable(_) => {}
        }
    }
    let wrong = test.allowed.iter().flatten().find(|outcome| outcome.len() != test.observed.len());
    wrong.map_or(Ok(()), |outcome| Err(format!("{} has not as many values as are observed", printed(outcome))))
}

fn is_register(name: &str) -> bool {
    name.strip_prefix('r').is_some_and(|number| number.parse::<u32>().is_ok())
}

fn observed(name: &str) -> Observed {
    if is_register(name) { Observed::Register(name.to_string()) } else { Observed::Variable(name.to_string()) }
}

fn outcome(text: &str) -> Result<Outcome, String> {
    text.split(',').map(number).collect()
}

fn number(text: &str) -> Result<u32, String> {
    let read = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    read.map_err(|_| format!("`{text}` is not a number"))
}

fn action(text: &str) -> Result<Action, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["fence", order] => Ok(Action::Fence { order: self::order(order)? }),
        ["lock", mutex] => Ok(Action::Lock { mutex: mutex.to_string() }),
        ["unlock", mutex] => Ok(Action::Unlock { mutex: mutex.to_string() }),
        [register, assign, "xchg", at, value] => Ok(Action::Exchange {
            register: register.to_string(),
            at: place(at)?,
            value: self::value(value)?,
            order: assigned(assign)?.unwrap_or(MemoryOrder::SeqCst),
        }),
        [register, assign, "cas", at, expected, value] => Ok(Action::CompareExchange {
            register: register.to_string(),
            at: place(at)?,
            expected: number(expected)?,
            value: self::value(value)?,
            order: assigned(assign)?.unwrap_or(MemoryOrder::SeqCst),
        }),
        [register, assign, from] if is_register(register) => {
            Ok(Action::Load { register: register.to_string(), from: place(from)?, order: assigned(assign)? })
        }
        [to, assign, value] => {
            Ok(Action::Store { to: place(to)?, value: self::value(value)?, order: assigned(assign)? })
        }
        _ => Err(format!("`{text}` is no action")),
    }
}

fn assigned(assign: &str) -> Result<Option<MemoryOrder>, String> {
    match assign.strip_prefix('=') {
        Some("") => Ok(None),
        Some(order) => self::order(order).map(Some),
        None => Err(format!("`{assign}` is not `=` with an order")),
    }
}

fn order(name: &str) -> Result<MemoryOrder, String> {
    match name {
        "rlx" => Ok(MemoryOrder::Relaxed),
        "acq" => Ok(MemoryOrder::Acquire),
        "rel" => Ok(MemoryOrder::Release),
        "acq_rel" => Ok(MemoryOrder::AcqRel),
        "sc" => Ok(MemoryOrder::SeqCst),
        _ => Err(format!("`{name}` is no order")),
    }
}

fn place(text: &str) -> Result<Place, String> {
    let (variable, part) = text.split_once('.').unwrap_or((text, ""));
    let (offset, bytes) = match part {
        "" => (0, WORD),
        "lo" => (0, WORD / 2),
        "hi" => (WORD / 2, WORD / 2),
        byte => (number(byte)?, 1),
    };
    match variable.chars().all(char::is_alphanumeric) && !is_register(variable) && offset + bytes <= WORD {
        true => Ok(Place { variable: variable.to_string(), offset, bytes }),
        false => Err(format!("`{text}` is no place")),
    }
}

fn value(text: &str) -> Result<Value, String> {
    if is_register(text) { Ok(Value::Register(text.to_string())) } else { number(text).map(Value::Constant) }
}

/// An outcome as tests have it.
pub fn printed(outcome: &Outcome) -> String {
    let values = outcome.iter().map(|value| if *value < 10 { value.to_string() } else { format!("{value:#x}") });
    values.collect::<Vec<_>>().join(",")
}

/// The lines of the models.
pub fn printed_sets([sc, tso, pso]: &[BTreeSet<Outcome>; MODELS]) -> String {
    let line = |name: &str, new: Vec<&Outcome>| {
        let outcomes: Vec<String> = new.into_iter().map(printed).collect();
        format!("{name:<4} {}", outcomes.join(" ")).trim_end().to_string() + "\n"
    };
    let lines = [
        line("sc", sc.iter().collect()),
        line("tso", tso.difference(sc).collect()),
        line("pso", pso.difference(tso).collect()),
    ];
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_test_is_refused() {
        for (text, why) in [
            ("x 1", "`x 1` is no action"),
            ("x =strong 1", "`strong` is no order"),
            ("x.4 = 1", "`x.4` is no place"),
            ("r0 = x | r0 = y", "a register is written twice"),
            ("r0 = x\nobserve r1", "nobody writes r1"),
            ("r0 = x\nobserve z", "nobody accesses z"),
            ("r0 = x\nobserve r0\nsc 0,1", "0,1 has not as many values as are observed"),
        ] {
            let error = parse("test", text).expect_err(text);
            assert!(error.ends_with(why), "{text}: {error}");
        }
    }

    #[test]
    fn later_models_allow_what_earlier_ones_do() {
        let text = "x = 1 | r0 = x\nobserve r0 x\nsc   0,1 1,1\ntso\npso  0x10,1\n";
        let test = parse("test", text).expect("a test");
        assert_eq!(test.allowed(MemoryModel::Pso).len(), 3);
        assert_eq!(test.allowed(MemoryModel::Tso), test.allowed(MemoryModel::Sc));
        assert!(text.ends_with(&printed_sets(&test.allowed)));
    }
}
