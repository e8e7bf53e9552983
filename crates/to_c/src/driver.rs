//! The control code: who runs when, and how far.
//!
//! Main begins; then come the rounds, in each of which every thread that exists has one turn, main the last. A
//! turn goes from where the thread stopped (`pc`) to a point that is guessed (`cs`). In the style of CAV 2014
//! (figure 4) a turn is guessed right before it is taken. In that of TACAS 2017 all are guessed at the start, in
//! variables of their own, each with as many bits as its thread's points need.
//!
//! A thread of n points ends at n. It may also halt, at n + 1: it waits for ever, or has met a bound, where
//! others have seen what it did since its last point. If it may stop at some points only, nothing else is guessed.

use crate::code::Code;
use crate::{Options, Style};
use std::fmt::Write;

/// The declarations before the threads' functions.
pub fn declarations(options: &Options, codes: &[Code]) -> String {
    match options.style {
        Style::Cav14 => cav14_declarations(codes),
        Style::Tacas17 => tacas17_declarations(codes),
    }
}

/// The guards of a thread's function.
pub fn guards(options: &Options, thread: usize) -> String {
    match options.style {
        Style::Cav14 => String::new(),
        Style::Tacas17 => format!(
            "#undef J\n#undef G\n#undef END\n#undef HALT\n\
             #define J(i, j) if (pc_{thread} > i || i >= cs_{thread}) goto L##j;\n\
             #define G(j) ASSUME(cs_{thread} >= j)\n\
             #define END(j) ASSUME(cs_{thread} == j)\n\
             #define HALT(c, j) if (!(c)) {{ ASSUME(cs_{thread} > j) goto L##j; }}\n"
        ),
    }
}

/// `then` follows the last round.
pub fn main(options: &Options, turns: &[usize], codes: &[Code], then: &str) -> String {
    let rounds = match options.style {
        Style::Cav14 => cav14_rounds(options, turns, codes),
        Style::Tacas17 => tacas17_rounds(options, turns, codes),
    };
    format!("int main(void)\n{{\n{rounds}{then}    return 0;\n}}\n")
}

/// The variable that says where a thread stands.
pub fn pc(options: &Options, thread: usize) -> String {
    match options.style {
        Style::Cav14 => format!("pc[{thread}]"),
        Style::Tacas17 => format!("pc_{thread}"),
    }
}

/// Was it created?
pub fn active(options: &Options, thread: usize) -> String {
    match options.style {
        Style::Cav14 => format!("active[{thread}]"),
        Style::Tacas17 => format!("active_{thread}"),
    }
}

/// The last point at which a turn may end.
fn last(code: &Code) -> usize {
    code.points + usize::from(code.halts())
}

/// The guess at where a turn ends.
fn guess(name: &str, low: &str, code: &Code) -> String {
    let turn = format!("TURN({name}, {low}, {})", last(code));
    match ends(name, code) {
        Some(condition) => format!("{turn} ASSUME({condition})"),
        None => turn,
    }
}

/// The constraint on a guess, if there are points at which the thread may not stop.
fn ends(name: &str, code: &Code) -> Option<String> {
    let may = |point: usize| point == 0 || code.stops.get(point).copied().unwrap_or(true);
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for point in (0..=last(code)).filter(|point| may(*point)) {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == point => *end = point,
            _ => ranges.push((point, point)),
        }
    }
    let text = |(first, end): &(usize, usize)| match first == end {
        true => format!("{name} == {first}"),
        false => format!("({name} >= {first} && {name} <= {end})"),
    };
    (ranges.len() > 1).then(|| ranges.iter().map(text).collect::<Vec<_>>().join(" || "))
}

fn cav14_declarations(codes: &[Code]) -> String {
    let sizes: Vec<String> = codes.iter().map(|code| code.points.to_string()).collect();
    let threads = codes.len();
    format!(
        "static _Bool begun;\n\
         static _Bool active[{threads}] = {{ 1 }};\n\
         static unsigned pc[{threads}], ct, cs;\n\
         __attribute__((unused)) static const unsigned size[{threads}] = {{ {} }};\n\
         #define FIRST(j) if (begun) goto L##j;\n\
         #define J(i, j) if (pc[ct] > i || i >= cs) goto L##j;\n\
         #define G(j) ASSUME(cs >= j)\n\
         #define END(j) ASSUME(cs == j)\n\
         #define HALT(c, j) if (!(c)) {{ ASSUME(cs > j) goto L##j; }}\n\
         #define FINISHED(t) (!active[t] || pc[t] == size[t])\n",
        sizes.join(", ")
    )
}

fn cav14_rounds(options: &Options, turns: &[usize], codes: &[Code]) -> String {
    let mut text = String::new();
    let turn = |text: &mut String, thread: usize, low: &str, indent: &str| {
        let _ = writeln!(text, "{indent}{}", guess("cs", low, &codes[thread]));
        let _ = writeln!(text, "{indent}thread_{thread}();");
        let _ = writeln!(text, "{indent}pc[ct] = cs;");
    };
    text.push_str("    /* main begins */\n    ct = 0;\n");
    turn(&mut text, 0, "1", "    ");
    text.push_str("    begun = 1;\n");
    for round in 1..=options.rounds {
        let _ = writeln!(text, "    /* round {round} */");
        for thread in turns {
            let _ = writeln!(text, "    ct = {thread};\n    if (active[ct]) {{");
            turn(&mut text, *thread, "pc[ct]", "        ");
            text.push_str("    }\n");
        }
    }
    text
}

fn tacas17_declarations(codes: &[Code]) -> String {
    let mut text = "static _Bool begun;\n#define FIRST(j) if (begun) goto L##j;\n".to_string();
    text.push_str("#define FINISHED(t) (!active_##t || pc_##t == SIZE_##t)\n");
    for (thread, code) in codes.iter().enumerate() {
        let bits = usize::BITS - last(code).leading_zeros();
        let _ = writeln!(text, "#define SIZE_{thread} {}", code.points);
        let _ = writeln!(text, "static BITS({bits}) pc_{thread}, cs_{thread};");
        let active = if thread == 0 { " = 1" } else { "" };
        let _ = writeln!(text, "__attribute__((unused)) static _Bool active_{thread}{active};");
    }
    text
}

fn tacas17_rounds(options: &Options, turns: &[usize], codes: &[Code]) -> String {
    let mut text = "    /* where each turn ends: all guesses */\n".to_string();
    let bits = |thread: usize| usize::BITS - last(&codes[thread]).leading_zeros();
    let _ = writeln!(text, "    BITS({}) cs_0_0; {}", bits(0), guess("cs_0_0", "1", &codes[0]));
    for round in 1..=options.rounds {
        for thread in turns {
            let before = match (round, thread) {
                (1, 0) | (2.., _) => format!("cs_{thread}_{}", round - 1),
                _ => "0".to_string(),
            };
            let name = format!("cs_{thread}_{round}");
            let guess = guess(&name, &before, &codes[*thread]);
            let _ = writeln!(text, "    BITS({}) {name}; {guess}", bits(*thread));
        }
    }
    text.push_str("    /* main begins */\n    cs_0 = cs_0_0; thread_0(); pc_0 = cs_0;\n    begun = 1;\n");
    for round in 1..=options.rounds {
        let _ = writeln!(text, "    /* round {round} */");
        for thread in turns {
            let run = format!("cs_{thread} = cs_{thread}_{round}; thread_{thread}(); pc_{thread} = cs_{thread};");
            let _ = match thread {
                0 => writeln!(text, "    {run}"),
                _ => writeln!(text, "    if (active_{thread}) {{ {run} }} else {{ ASSUME(cs_{thread}_{round} == 0) }}"),
            };
        }
    }
    text
}
