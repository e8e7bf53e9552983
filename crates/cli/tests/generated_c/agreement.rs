//! Every property alone and all together, in every engine: no contradiction, no internal error.

use crate::engines::{Says, Who, ask};
use crate::kind;
use crate::subject::program;
use selvedge_c_programs::Compiler;
use selvedge_generate::c_text::{Ending, Features, Source, shrink, source};
use selvedge_generate::trial;
use selvedge_program::{Program, Properties, Property};
use std::collections::BTreeMap;
use std::time::Instant;

const ENGINES: [Who; 5] = [Who::Explicit, Who::ByConflicts, Who::Lazy, Who::Tree, Who::Swarm];

/// Those of steps; whole runs are another engine's.
fn questions() -> Vec<Properties> {
    let single = Property::all_by_name().filter(|property| !property.is_of_runs());
    let all: Properties = single.clone().collect();
    single.map(|property| Properties::NONE.with(property)).chain([all]).collect()
}

fn names(properties: Properties) -> String {
    properties.iter().map(Property::name).collect::<Vec<_>>().join(",")
}

#[derive(Default, Debug)]
struct Tally {
    programs: u64,
    questions: u64,
    /// Pairs of engines that both decided the same question.
    comparisons: u64,
    answers: BTreeMap<(Who, &'static str), u64>,
    seconds: BTreeMap<Who, f64>,
}

impl Tally {
    fn count(&mut self, who: Who, says: &Says, started: Instant) {
        *self.answers.entry((who, says.word())).or_default() += 1;
        *self.seconds.entry(who).or_default() += started.elapsed().as_secs_f64();
    }

    fn decided(&self, who: Who) -> u64 {
        ["unsafe", "safe"].iter().filter_map(|word| self.answers.get(&(who, word))).sum()
    }

    /// Comparisons of answers that nobody has mean nothing.
    fn require(&self) {
        for (who, percent) in
            [(Who::Explicit, 60), (Who::ByConflicts, 50), (Who::Lazy, 40), (Who::Tree, 40), (Who::Swarm, 5)]
        {
            let (decided, questions) = (self.decided(who), self.questions);
            assert!(decided * 100 >= questions * percent, "{who:?} decides only {decided} of {questions}");
        }
        assert!(self.comparisons >= self.questions, "only {} comparisons", self.comparisons);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} programs, {} questions, {} comparisons", self.programs, self.questions, self.comparisons)?;
        for (who, seconds) in &self.seconds {
            write!(f, "{who:?} in {seconds:.0} s:")?;
            for ((_, word), count) in self.answers.iter().filter(|((by, _), _)| by == who) {
                write!(f, " {count} {word}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

type Answers = Vec<(Who, Says)>;

fn examine(program: &Program, tally: &mut Tally) -> Result<(), String> {
    let mut by_question = Vec::new();
    for properties in questions() {
        let mut answers = Answers::new();
        for who in ENGINES {
            let started = Instant::now();
            let says = ask(who, program, properties).map_err(|e| format!("{who:?} on {}: {e}", names(properties)))?;
            tally.count(who, &says, started);
            answers.push((who, says));
        }
        let decided = answers.iter().filter(|(_, says)| says.decides()).count() as u64;
        tally.comparisons += decided * decided.saturating_sub(1) / 2;
        tally.questions += 1;
        agree(&answers).map_err(|why| format!("contradiction on {}: {why}", names(properties)))?;
        by_question.push((properties, answers));
    }
    single_and_together(&by_question)?;
    tally.programs += 1;
    Ok(())
}

/// Nobody rules out what another one has found.
fn agree(answers: &Answers) -> Result<(), String> {
    for (finder, found) in answers {
        let Says::Unsafe { schedule, violation } = found else { continue };
        if let Some((other, says)) = answers.iter().find(|(_, says)| says.excludes(schedule, violation)) {
            return Err(format!("{finder:?} finds {violation:?} in {schedule}, and {other:?} says {says:?}"));
        }
    }
    Ok(())
}

/// A run that goes wrong also does so where more is asked, here or earlier; and where only that is asked at which it
/// goes wrong first.
fn single_and_together(by_question: &[(Properties, Answers)]) -> Result<(), String> {
    let Some(((_, together), singles)) = by_question.split_last() else { return Ok(()) };
    let safe = |answers: &Answers| answers.iter().find(|(_, says)| *says == Says::Safe).map(|(who, _)| *who);
    for (properties, answers) in singles {
        for (who, says) in answers {
            if let (Says::Unsafe { violation, .. }, Some(other)) = (says, safe(together)) {
                return Err(format!(
                    "contradiction of questions: {who:?} finds {violation:?}, {other:?} says safe of all"
                ));
            }
        }
        for (who, says) in together {
            match (says, safe(answers)) {
                (Says::Unsafe { violation, .. }, Some(other)) if properties.contains(violation.property) => {
                    let asked = names(*properties);
                    return Err(format!(
                        "contradiction of questions: {who:?} finds {violation:?} first, {other:?} says safe of {asked}"
                    ));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn check(compiler: &Compiler, source: &Source, tally: &mut Tally) -> Result<(), String> {
    let program = program(compiler, source, Ending::Return).map_err(|error| format!("front end: {error}"))?;
    examine(&program, tally)
}

#[test]
fn engines_agree() {
    const USUAL: u64 = 16;
    let Some(compiler) = Compiler::find() else { return };
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for seed in trial::seeds(USUAL) {
        let features = if seed % 3 == 0 { Features::TAME } else { Features::ALL };
        let source = source(seed, features);
        let Err(why) = check(&compiler, &source, &mut tally) else { continue };
        let fails = &mut |source: &Source| {
            check(&compiler, source, &mut Tally::default()).is_err_and(|other| kind(&other) == kind(&why))
        };
        let small = shrink(&source, fails);
        let again = check(&compiler, &small, &mut Tally::default()).err().unwrap_or_default();
        eprintln!("SELVEDGE_SEED={seed} SELVEDGE_CASES=1: {why}\nsmaller: {again}\n{}", small.text(Ending::Return));
        failures.push(seed);
    }
    println!("{tally}");
    assert!(failures.is_empty(), "seeds {failures:?} fail");
    if trial::cases(USUAL) >= USUAL {
        tally.require();
    }
}
