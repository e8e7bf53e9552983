//! Reports of a check to the user, for every command that checks a program.

use crate::args::{ConsoleArgs, Format, Given, LoadArgs, PropertyArgs, ReportArgs, ReportTo, ResultArgs};
use crate::failure::{EXIT_UNKNOWN, EXIT_VIOLATION, Failure};
use crate::keep_going::{Other, Others};
use crate::{console, harness, input, output};
use selvedge_engine::Conclusion;
use selvedge_program::instances::Summary;
use selvedge_program::{
    Assumption, Bounds, DataModel, Program, Proof, Properties, Reach, Reason, Suppression, Trace, Vacuity, Verdict,
};
use selvedge_program::{InternalError, Statistics};
use selvedge_report::covered::Covered;
use selvedge_report::fences::Fences;
use selvedge_report::next::Situation;
use selvedge_report::sources::Sources;
use selvedge_report::text::counterexample;
use selvedge_report::{
    EngineUsed, Report, correctness, github, headline, html, json, junit, proof, sarif, statistics, svcomp, swarm,
    witness,
};
use std::path::Path;
use std::time::SystemTime;

/// The settings that reports repeat, and where reports go.
pub struct Reporter<'a> {
    pub load: &'a LoadArgs,
    pub given: &'a Given,
    pub console: &'a ConsoleArgs,
    pub bounds: Bounds,
    pub results: &'a ResultArgs,
}

/// All that a check found.
pub struct CheckResult {
    pub verdict: Verdict,
    pub data_model: DataModel,
    pub engine: EngineUsed,
    pub properties: Properties,
    pub assumptions: Vec<Assumption>,
    /// If nothing was found: how far runs got, if that is known.
    pub covered: Option<Covered>,
    /// Why "safe" may mean nothing.
    pub vacuity: Option<Vacuity>,
    /// Why nothing can go wrong, if that was proved.
    pub proof: Option<Proof>,
    /// Why the search went no further.
    pub stopped_by: Option<Reason>,
    /// A suggestion for the next try.
    pub next: Option<String>,
    pub statistics: Statistics,
    pub swarm: Option<Summary>,
    /// If they were asked for, and there is a violation.
    pub fences: Option<Fences>,
    /// Violations beyond the first, if they were asked for.
    pub others: Others,
}

impl CheckResult {
    /// A conclusion, with numbers of the search.
    pub fn of(
        conclusion: Conclusion,
        program: &Program,
        (engine, properties, statistics): (EngineUsed, Properties, Statistics),
    ) -> CheckResult {
        let Conclusion { verdict, assumptions, reach, vacuity, proof, stopped_by } = conclusion;
        let loops = reach.as_ref().map(|reach| loops(program, reach)).unwrap_or_default();
        let reads = reach.as_ref().and_then(|reach| reach.first_call(program, &READERS));
        let next = Situation {
            verdict: &verdict,
            vacuity: vacuity.as_ref(),
            stopped_by: stopped_by.as_ref(),
            assumptions: &assumptions,
            threads: reach.as_ref().and_then(|reach| reach.threads),
            loops: &loops,
            reads: reads.as_deref(),
        }
        .next();
        let covered = reach.map(|reach| Covered::of(program, &reach));
        let (swarm, fences, others) = (None, None, Others::default());
        CheckResult {
            verdict,
            data_model: program.data_model,
            engine,
            properties,
            assumptions,
            covered,
            vacuity,
            proof,
            stopped_by,
            next,
            statistics,
            swarm,
            fences,
            others,
        }
    }

    pub fn without_search(reason: Reason) -> CheckResult {
        CheckResult {
            verdict: Verdict::Unknown(reason),
            data_model: DataModel::Lp64,
            engine: EngineUsed { name: "none", answered: "none" },
            properties: Properties::NONE,
            assumptions: Vec::new(),
            covered: None,
            vacuity: None,
            proof: None,
            stopped_by: None,
            next: None,
            statistics: Statistics::default(),
            swarm: None,
            fences: None,
            others: Others::default(),
        }
    }

    pub fn not_yet(property: &PropertyArgs, formula: &str) -> CheckResult {
        let file = property.property_file.as_deref().unwrap_or(Path::new("the command line"));
        CheckResult::without_search(Reason::Unsupported {
            what: format!("the property `{formula}`"),
            at: file.display().to_string(),
        })
    }
}

/// Functions of the library that read files and streams.
const READERS: [&str; 15] = [
    "fgets",
    "fread",
    "getline",
    "getdelim",
    "read",
    "recv",
    "scanf",
    "fscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "getchar",
    "fgetc",
    "getc",
];

/// The loops that runs got to.
fn loops(program: &Program, reach: &Reach) -> Vec<String> {
    let mut found = Vec::new();
    for (file, lines) in reach.lines_of(program) {
        let is_reached = |line: &u32| lines.get(line) == Some(&true);
        let lines = selvedge_bound::loop_lines(program, file).into_iter().filter(is_reached);
        found.extend(lines.map(|line| format!("{file}:{line}")));
    }
    found
}

impl Reporter<'_> {
    /// The trace and what belongs to it, then the files, then the verdict: it stands last even if a
    /// file could not be written.
    pub fn report(&self, result: &CheckResult) -> Result<u8, Failure> {
        let json_on_stdout = self.results.json.as_ref().is_some_and(|path| path.as_os_str() == "-");
        let written = self.write_files(result);
        let traces: Vec<&Trace> = result.others.found.iter().map(|other| other.trace.as_ref()).collect();
        let headline = format!("{}\n", headline::full(&result.verdict, result.vacuity.as_ref(), &traces));
        if !json_on_stdout && !self.results.reports.document_on_stdout() {
            if !self.console.quiet {
                console::print(&self.details(result))?;
            }
            console::print(&headline)?;
        }
        written.map(|()| exit_code(&result.verdict))
    }

    fn files(&self) -> Vec<String> {
        self.load.files.iter().map(|path| path.display().to_string()).collect()
    }

    fn write_files(&self, result: &CheckResult) -> Result<(), Failure> {
        if self.results.json.is_some() || !self.results.reports.reports.is_empty() {
            let report = Report {
                verdict: &result.verdict,
                files: &self.files(),
                generated: harness::generated(self.load),
                data_model: result.data_model,
                engine: result.engine,
                properties: result.properties,
                bounds: &self.bounds,
                assumptions: &result.assumptions,
                covered: result.covered.as_ref(),
                vacuity: result.vacuity.as_ref(),
                proof: result.proof.as_ref(),
                others: result.others.found.iter().map(|other| other.trace.as_ref()).collect(),
                beyond: result.others.beyond.as_ref(),
                stopped_by: result.stopped_by.as_ref(),
                next: result.next.as_deref(),
                statistics: &result.statistics,
                swarm: result.swarm.as_ref(),
                fences: result.fences.as_ref(),
            };
            self.results.json.iter().try_for_each(|path| output::write(path, &json::document(&report)))?;
            let replay = match &result.verdict {
                Verdict::Unsafe(trace) => Some(self.replay_line(trace, &[], None)),
                Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } | Verdict::Unknown(_) => None,
            };
            let quoted = || harness::quoted(self.load);
            write_reports(&self.results.reports, &report, quoted, replay.flatten().as_deref())?;
        }
        if let (Some(path), Some(covered)) = (&self.results.coverage, &result.covered) {
            output::write(path, &covered.lcov())?;
        }
        if let (Some(path), Verdict::Unsafe(trace)) = (&self.results.schedule_out, &result.verdict) {
            output::write(path, &format!("{}\n", trace.schedule))?;
        }
        let script = result.proof.as_ref().and_then(|proof| proof.script.as_ref());
        if let (Some(path), Some(script)) = (&self.results.proof_out, script) {
            output::write(path, script)?;
        }
        Ok(())
    }

    /// All that is shown before the verdict.
    fn details(&self, result: &CheckResult) -> String {
        let mut text = String::new();
        if let Verdict::Unsafe(trace) = &result.verdict {
            let saved = self.results.schedule_out.as_ref().map(|path| path.display().to_string());
            text.push_str(&self.violation(trace, &[], saved));
        }
        for Other { trace, suppressed } in &result.others.found {
            text.push_str(&self.violation(trace, suppressed, None));
        }
        if let Some(beyond) = &result.others.beyond {
            let beyond = headline::headline(beyond);
            text.push_str(&format!("beyond these: {}\n", beyond.trim_start_matches("VERDICT: ")));
        }
        text.extend(result.fences.as_ref().map(Fences::shown));
        for assumption in &result.assumptions {
            text.push_str(&format!("assumption: {assumption}\n"));
        }
        if let Some(proof) = &result.proof {
            text.push_str(&proof::text(proof, self.console.verbose > 0));
        }
        if let Some(covered) = &result.covered {
            let lists = self.console.verbose > 0;
            let hint = if lists || covered.is_whole() { "" } else { " (-v lists them)" };
            text.push_str(&format!("coverage: {}{hint}\n", covered.summary()));
            if lists {
                text.push_str(&format!("{}runs ended: {}\n", covered.unreached(), covered.runs_ended()));
            }
        }
        if let Some(summary) = &result.swarm {
            text.push_str(&swarm::text(summary));
        }
        if self.console.verbose > 0 || matches!(result.verdict, Verdict::Unknown(_)) {
            text.push_str(&format!("statistics: {}\n", statistics::summary(&result.statistics, &result.verdict)));
        }
        if self.console.verbose > 0 {
            let (points, bits) = (statistics::reductions(&result.statistics), statistics::bits(&result.statistics));
            text.extend(points.map(|points| format!("switch points: {points}\n")));
            text.extend(bits.map(|bits| format!("values: {bits}\n")));
        }
        if let Some(reason) = &result.stopped_by {
            text.push_str(&format!("stopped by: {reason}\n"));
        }
        text.extend(result.next.iter().map(|next| format!("what next: {next}\n")));
        if self.console.verbose > 1 {
            let names: Vec<&str> = result.properties.iter().map(|p| p.name()).collect();
            text.push_str(&format!("engine: {}\nproperties: {}\n", result.engine, names.join(", ")));
        }
        text
    }

    /// A run that goes wrong, and how to see it again. `saved`: the file that has its schedule.
    fn violation(&self, trace: &Trace, suppressed: &[Suppression], saved: Option<String>) -> String {
        let mut text = counterexample(trace, &mut harness::quoted(self.load), console::look(self.console));
        text.push_str(&match self.replay_line(trace, suppressed, saved) {
            Some(line) => format!("replay: {line}\n"),
            None => "replay: save the schedule with --schedule-out FILE\n".to_string(),
        });
        text
    }

    /// The command that shows a violation again, if it is not too long to be pasted.
    fn replay_line(&self, trace: &Trace, suppressed: &[Suppression], saved: Option<String>) -> Option<String> {
        let shown = Some(trace.schedule.to_string()).filter(|text| text.len() <= LONGEST_SHOWN_SCHEDULE);
        Some(input::replay_line(self.given, suppressed, saved.or(shown)?))
    }

    /// A bug of ours: keeps what is needed to find it, among the temporary files.
    pub fn internal(&self, engine: EngineUsed, statistics: &Statistics, error: InternalError) -> Failure {
        let command_line: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let evidence = json::evidence(&error, engine, statistics, &self.files(), &command_line);
        let evidence = output::keep(&evidence, &std::env::temp_dir());
        Failure::Internal { error: Box::new(error), evidence }
    }
}

/// Writes what `--report` asks for.
/// `quoted`: the sources.
pub fn write_reports(
    args: &ReportArgs,
    report: &Report<'_>,
    quoted: impl Fn() -> Sources,
    replay: Option<&str>,
) -> Result<(), Failure> {
    args.reports.iter().try_for_each(|ReportTo { format, path }| {
        let mut sources = quoted();
        let text = match format {
            Format::Html => html::page(report, &mut sources, replay),
            Format::Sarif => sarif::log(report),
            Format::Junit => junit::check(report, &mut sources),
            Format::GitHub => github::annotations(report),
            Format::Svcomp => svcomp::line(report),
            // There is not always something to witness.
            Format::Witness => match witness::graphml(report, &mut sources, SystemTime::now()) {
                Some(text) => text,
                None => return Ok(()),
            },
            Format::Invariants => match correctness::yaml(report, &mut sources, SystemTime::now()) {
                Some(text) => text,
                None => return Ok(()),
            },
        };
        output::write(path, &text)
    })
}

fn exit_code(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Safe | Verdict::SafeWithin(_) | Verdict::SafeUnder { .. } => 0,
        Verdict::Unsafe(_) => EXIT_VIOLATION,
        Verdict::Unknown(_) => EXIT_UNKNOWN,
    }
}

/// Longer ones are of no use on a screen; `--schedule-out` writes them to a file.
const LONGEST_SHOWN_SCHEDULE: usize = 1000;
