//! What is known at the end, and how the user is told: for every command that checks a program.

use crate::args::{ConsoleArgs, LoadArgs, PropertyArgs, WatchArgs};
use crate::failure::Failure;
use crate::{console, input, output};
use selvedge_program::{Assumption, Bounds, Properties, Reason, Verdict};
use selvedge_program::{InternalError, Statistics};
use selvedge_report::sources::Sources;
use selvedge_report::text::counterexample;
use selvedge_report::{EngineUsed, Report, headline, json, statistics, swarm};
use selvedge_swarm::Summary;
use std::path::Path;

/// What was asked, as far as the answer repeats it, and where it goes.
pub struct Asker<'a> {
    pub load: &'a LoadArgs,
    pub property: &'a PropertyArgs,
    /// Of commands that have it.
    pub watch: Option<&'a WatchArgs>,
    pub console: &'a ConsoleArgs,
    pub bounds: Bounds,
    pub json: Option<&'a Path>,
    pub schedule_out: Option<&'a Path>,
}

/// What is known at the end.
pub struct Answer {
    pub verdict: Verdict,
    pub engine: EngineUsed,
    pub properties: Properties,
    pub assumptions: Vec<Assumption>,
    pub statistics: Statistics,
    pub swarm: Option<Summary>,
}

impl Answer {
    pub fn without_search(reason: Reason) -> Answer {
        Answer {
            verdict: Verdict::Unknown(reason),
            engine: EngineUsed { name: "none", answered: "none" },
            properties: Properties::NONE,
            assumptions: Vec::new(),
            statistics: Statistics::default(),
            swarm: None,
        }
    }

    pub fn not_yet(property: &PropertyArgs, formula: &str) -> Answer {
        let file = property.property_file.as_deref().unwrap_or(Path::new("the command line"));
        Answer::without_search(Reason::Unsupported {
            what: format!("the property `{formula}`"),
            at: file.display().to_string(),
        })
    }
}

impl Asker<'_> {
    /// The trace and what belongs to it, then the files, then the verdict: it stands last even if a
    /// file could not be written.
    pub fn report(&self, answer: &Answer) -> Result<u8, Failure> {
        let json_on_stdout = self.json.is_some_and(|path| path.as_os_str() == "-");
        let written = self.write_files(answer);
        let headline = format!("{}\n", headline::headline(&answer.verdict));
        if !json_on_stdout {
            if !self.console.quiet {
                console::print(&self.details(answer))?;
            }
            console::print(&headline)?;
        }
        written.map(|()| exit_code(&answer.verdict))
    }

    fn files(&self) -> Vec<String> {
        self.load.files.iter().map(|path| path.display().to_string()).collect()
    }

    fn write_files(&self, answer: &Answer) -> Result<(), Failure> {
        if let Some(path) = self.json {
            let report = Report {
                verdict: &answer.verdict,
                files: &self.files(),
                engine: answer.engine,
                properties: answer.properties,
                bounds: &self.bounds,
                assumptions: &answer.assumptions,
                statistics: &answer.statistics,
                swarm: answer.swarm.as_ref(),
            };
            output::write(path, &json::document(&report))?;
        }
        if let (Some(path), Verdict::Unsafe(trace)) = (self.schedule_out, &answer.verdict) {
            output::write(path, &format!("{}\n", trace.schedule))?;
        }
        Ok(())
    }

    /// All that is shown before the verdict.
    fn details(&self, answer: &Answer) -> String {
        let mut text = String::new();
        if let Verdict::Unsafe(trace) = &answer.verdict {
            text.push_str(&counterexample(trace, &mut Sources::default(), console::look(self.console)));
            let again = input::again(self.load, self.property, self.watch);
            let schedule = trace.schedule.to_string();
            match self.schedule_out {
                Some(path) => {
                    text.push_str(&format!("replay: selvedge replay {again} --schedule {}\n", path.display()));
                }
                None if schedule.len() <= LONGEST_SHOWN_SCHEDULE => {
                    text.push_str(&format!("replay: selvedge replay {again} --schedule '{schedule}'\n"));
                }
                None => text.push_str("replay: save the schedule with --schedule-out FILE\n"),
            }
        }
        for assumption in &answer.assumptions {
            text.push_str(&format!("assumption: {assumption}\n"));
        }
        if let Some(summary) = &answer.swarm {
            text.push_str(&swarm::text(summary));
        }
        if self.console.verbose > 0 || matches!(answer.verdict, Verdict::Unknown(_)) {
            text.push_str(&format!("statistics: {}\n", statistics::summary(&answer.statistics, &answer.verdict)));
        }
        if self.console.verbose > 0
            && let Some(reductions) = statistics::reductions(&answer.statistics)
        {
            text.push_str(&format!("switch points: {reductions}\n"));
        }
        if self.console.verbose > 0
            && let Some(bits) = statistics::bits(&answer.statistics)
        {
            text.push_str(&format!("values: {bits}\n"));
        }
        if self.console.verbose > 1 {
            let names: Vec<&str> = answer.properties.iter().map(|p| p.name()).collect();
            text.push_str(&format!("engine: {}\nproperties: {}\n", answer.engine, names.join(", ")));
        }
        text
    }

    /// A bug of ours: keeps what is needed to find it, among the temporary files.
    pub fn internal(&self, engine: EngineUsed, statistics: &Statistics, error: InternalError) -> Failure {
        let command_line: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let evidence = json::evidence(&error, engine, statistics, &self.files(), &command_line);
        let evidence = output::keep(&evidence, &std::env::temp_dir());
        Failure::Internal { error: Box::new(error), evidence }
    }
}

fn exit_code(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } => 0,
        Verdict::Unsafe(_) => 10,
        Verdict::Unknown(_) => 5,
    }
}

/// Longer ones are of no use on a screen; `--schedule-out` writes them to a file.
const LONGEST_SHOWN_SCHEDULE: usize = 1000;
