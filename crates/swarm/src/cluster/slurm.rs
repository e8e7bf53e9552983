//! Slurm: `sbatch`, `squeue`, `scancel`, `scontrol`, and how to read their output. No other file knows Slurm.
//!
//! `sacct` is not used: many sites keep no accounts, and the result files say all that matters. Account, QOS, time
//! and the like are set by sbatch's own variables (`SBATCH_ACCOUNT`, `SBATCH_QOS`, `SBATCH_TIMELIMIT`).

use super::scheduler::{Array, JobId, Scheduler, SchedulerError, Seen, State};
use super::shared::TaskId;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The time limit of a Slurm command. The commands themselves give up an unresponsive controller well before.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(120);
/// Array job, task, state, name. `|` cannot be part of the first three.
const FORMAT: &str = "--format=%F|%K|%T|%j";

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slurm {
    pub partition: Option<String>,
}

impl Scheduler for Slurm {
    fn largest_array(&self) -> Result<u32, SchedulerError> {
        largest_array(&run(Command::new("scontrol").args(["show", "config"]), "")?)
    }

    fn submit(&self, array: &Array) -> Result<JobId, SchedulerError> {
        let mut command = Command::new("sbatch");
        command.args(self.options(array)).arg(format!("--output={}", output(array)));
        job_id(&run(&mut command, &script(array))?)
    }

    fn tasks(&self, key: &str) -> Result<Vec<Seen>, SchedulerError> {
        let options = ["--me", "--noheader", "--array", "--states=all", FORMAT];
        Ok(tasks(&run(Command::new("squeue").args(options), "")?, key))
    }

    fn cancel(&self, jobs: &[JobId]) -> Result<(), SchedulerError> {
        run(Command::new("scancel").args(jobs), "").map(|_| ())
    }

    fn cancel_by_hand(&self, job: &JobId) -> String {
        format!("scancel {job}")
    }
}

impl Slurm {
    fn options(&self, array: &Array) -> Vec<String> {
        let mut options = vec![
            "--parsable".to_string(),
            format!("--job-name={}", name(&array.key, array.number)),
            format!("--array=0-{}", array.tasks - 1),
            "--ntasks=1".to_string(),
            "--cpus-per-task=1".to_string(),
            // Its remaining instances are given to another task instead.
            "--no-requeue".to_string(),
        ];
        options.extend(self.partition.iter().map(|partition| format!("--partition={partition}")));
        // Leave a margin: a worker that reaches its own limit ends by itself and reports it.
        options.extend(array.megabytes.map(|megabytes| format!("--mem={}M", megabytes + megabytes.div_ceil(4))));
        options
    }
}

fn name(key: &str, number: u32) -> String {
    format!("selvedge-{key}.{number}")
}

fn script(array: &Array) -> String {
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let (command, folder) = (quoted(&array.command), quoted(&array.folder));
    let number = array.number;
    format!(
        "#!/bin/sh\n\
         memory=${{SLURM_MEM_PER_NODE:-${{SLURM_MEM_PER_CPU:-0}}}}\n\
         [ \"$memory\" -eq 0 ] || set -- --memory-limit $((memory * 4 / 5))\n\
         exec {command} worker {folder} {number}-\"$SLURM_ARRAY_TASK_ID\" \"$@\"\n"
    )
}

/// A file name pattern, in which `%` must be doubled.
fn output(array: &Array) -> String {
    format!("{}/{}-%a.log", array.logs.display().to_string().replace('%', "%%"), array.number)
}

/// The indices of an array are below `MaxArraySize`.
fn largest_array(config: &str) -> Result<u32, SchedulerError> {
    let values = config.lines().filter_map(|line| line.split_once('='));
    let size =
        values.filter(|(name, _)| name.trim() == "MaxArraySize").find_map(|(_, value)| value.trim().parse().ok());
    match size {
        Some(0 | 1) => Err(SchedulerError::Refused("this Slurm has no job arrays (MaxArraySize)".to_string())),
        Some(size) => Ok(size),
        None => Err(SchedulerError::Refused("scontrol says nothing of MaxArraySize".to_string())),
    }
}

/// `12`, or `12;cluster`.
fn job_id(said: &str) -> Result<JobId, SchedulerError> {
    let id = said.lines().last().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    match !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(id.to_string()),
        false => Err(SchedulerError::Refused(format!("sbatch gives no job number, but `{}`", said.trim()))),
    }
}

/// Lines about other jobs are skipped.
fn tasks(listing: &str, key: &str) -> Vec<Seen> {
    let seen = |line: &str| {
        let mut fields = line.trim().splitn(4, '|');
        let (job, index, state, name) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let number = name.strip_prefix(&format!("selvedge-{key}."))?.parse().ok()?;
        let task = TaskId { array: number, index: index.parse().ok()? };
        Some(Seen { job: job.to_string(), task, state: state_of(state) })
    };
    listing.lines().filter_map(seen).collect()
}

fn state_of(state: &str) -> State {
    let ended = |by_cluster| State::Ended { how: state.to_string(), by_cluster };
    match state {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => State::Waiting,
        "NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED" | "CANCELLED" | "REVOKED" => ended(true),
        "COMPLETED" | "FAILED" | "TIMEOUT" | "DEADLINE" | "OUT_OF_MEMORY" => ended(false),
        // Configuring, suspended, completing and so on: the task exists.
        _ => State::Running,
    }
}

fn run(command: &mut Command, input: &str) -> Result<String, SchedulerError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = answer(command, input).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            SchedulerError::Refused(format!("{name} is not installed here: is this Slurm?"))
        }
        std::io::ErrorKind::TimedOut => SchedulerError::Unreachable(format!("{name} does not answer")),
        _ => SchedulerError::Refused(format!("cannot start {name}: {error}")),
    })?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(failure(&name, &complaint)),
    }
}

/// An error that shows an unreachable or busy controller is temporary.
fn failure(name: &str, complaint: &str) -> SchedulerError {
    let passing =
        ["Unable to contact", "Socket timed out", "connect failure", "temporarily", "Communication", "Zero Bytes"];
    let said: Vec<&str> = complaint.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let said = if said.is_empty() { format!("{name} failed") } else { said.join("; ") };
    match passing.iter().any(|words| complaint.contains(words)) {
        true => SchedulerError::Unreachable(said),
        false => SchedulerError::Refused(said),
    }
}

/// Runs a command in a process group of its own: Ctrl-C must reach only us, to cancel what has just been submitted.
fn answer(command: &mut Command, input: &str) -> std::io::Result<Output> {
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.env("LC_ALL", "C").spawn()?;
    let stdin = child.stdin.take();
    let outputs = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        // A command that does not read the script fails with an error of its own.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let stdout = scope.spawn(move || read(outputs.0));
        let stderr = scope.spawn(move || read(outputs.1));
        let end = Instant::now() + COMMAND_TIMEOUT;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break Some(status),
                None if Instant::now() >= end => break None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        if status.is_none() {
            child.kill()?;
            child.wait()?;
        }
        let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
        let status = status.ok_or(std::io::ErrorKind::TimedOut)?;
        Ok(Output { status, stdout, stderr })
    })
}

fn read(from: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // On an error, use the output up to there.
    let _ = from.map(|mut from| from.read_to_end(&mut bytes));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_limits_arrays() {
        let config = "Configuration data as of 2024-01-01\nMaxArraySize            = 1001\nMaxDBDMsgs = 2\n";
        assert_eq!(largest_array(config), Ok(1001));
        assert!(largest_array("MaxArraySize = 0\n").is_err());
        assert!(largest_array("").is_err());
    }

    #[test]
    fn numbers_of_jobs() {
        assert_eq!(job_id("12\n"), Ok("12".to_string()));
        assert_eq!(job_id("sbatch: lua: welcome\n123;big\n"), Ok("123".to_string()));
        assert!(job_id("\n").is_err());
        assert!(job_id("Submitted batch job\n").is_err());
    }

    #[test]
    fn of_all_jobs_ours() {
        let listing = "7|0|RUNNING|selvedge-ab.3\n7|1|PENDING|selvedge-ab.3\n8|N/A|RUNNING|mine\n\
                       9|0|FAILED|selvedge-ab.4\n9|1|NODE_FAIL|selvedge-ab.4\n5|0|RUNNING|selvedge-ac.3\nnonsense\n\
                       9|2|COMPLETING|selvedge-ab.4\n6|0|RUNNING|a|b\n";
        let seen = |job: &str, array, index, state| Seen { job: job.to_string(), task: TaskId { array, index }, state };
        let ended = |how: &str, by_cluster| State::Ended { how: how.to_string(), by_cluster };
        assert_eq!(
            tasks(listing, "ab"),
            [
                seen("7", 3, 0, State::Running),
                seen("7", 3, 1, State::Waiting),
                seen("9", 4, 0, ended("FAILED", false)),
                seen("9", 4, 1, ended("NODE_FAIL", true)),
                seen("9", 4, 2, State::Running),
            ]
        );
    }

    #[test]
    fn what_passes_is_not_a_refusal() {
        let gone = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n";
        assert!(matches!(failure("squeue", gone), SchedulerError::Unreachable(_)));
        let refused = "sbatch: error: invalid partition specified: x\nsbatch: error: Batch job submission failed\n";
        let told = "sbatch: error: invalid partition specified: x; sbatch: error: Batch job submission failed";
        assert_eq!(failure("sbatch", refused), SchedulerError::Refused(told.to_string()));
        assert_eq!(failure("scancel", ""), SchedulerError::Refused("scancel failed".to_string()));
    }

    #[test]
    fn a_task_is_a_worker() {
        let array = Array {
            key: "ab".to_string(),
            number: 3,
            tasks: 5,
            command: "/opt/sel vedge".into(),
            folder: "/shared/it's".into(),
            logs: "/shared/100%".into(),
            megabytes: Some(500),
        };
        let script = script(&array);
        let last = "exec '/opt/sel vedge' worker '/shared/it'\\''s' 3-\"$SLURM_ARRAY_TASK_ID\" \"$@\"\n";
        assert!(script.starts_with("#!/bin/sh\nmemory=${SLURM_MEM_PER_NODE:-${SLURM_MEM_PER_CPU:-0}}\n"), "{script}");
        assert!(script.ends_with(last), "{script}");
        assert_eq!(output(&array), "/shared/100%%/3-%a.log");
        let options = Slurm { partition: Some("long".to_string()) }.options(&array);
        for expected in ["--array=0-4", "--job-name=selvedge-ab.3", "--partition=long", "--mem=625M"] {
            assert!(options.iter().any(|option| option == expected), "{expected} in {options:?}");
        }
    }
}
