//! `selvedge swarm --cluster`: the same swarm, with workers elsewhere.

use crate::args::{ClusterArgs, MakeScheduler, REUSES, SwarmArgs, name_of};
use indicatif::ProgressBar;
use selvedge_engine::{Control, Task};
use selvedge_program::instances::Record;
use selvedge_swarm::cluster::collector::{self, Cluster, ClusterOptions};
use selvedge_swarm::cluster::shared::{Settings, Shared, SharedShape, fingerprint};
use selvedge_swarm::{Folder, FolderError, Options, Subject, SwarmError, Swarmed, VERSION, Watcher, records, swarm_by};
use std::io::Write;
use std::time::{Duration, SystemTime};

/// At a time, if there is a cluster.
pub fn tasks(args: &ClusterArgs) -> Option<usize> {
    args.cluster.map(|_| args.array_size.min(args.nodes.unwrap_or(u32::MAX)) as usize)
}

/// Has tasks check the instances. The folder is there: without one, there is no cluster.
pub fn swarm(
    scheduler: MakeScheduler,
    args: &SwarmArgs,
    subject: Subject<'_>,
    task: &Task,
    options: &Options,
    folder: Option<(Folder, Vec<Record>)>,
    (control, bar, watcher): (&Control, Option<&ProgressBar>, Option<&Watcher>),
) -> Result<Swarmed, SwarmError> {
    let path = folder.as_ref().map_or_else(Default::default, |(folder, _)| folder.path().to_path_buf());
    let failed = |error| SwarmError::Folder(FolderError::Io { folder: path.display().to_string(), error });
    // Nodes have working directories of their own.
    let path = std::path::absolute(&path).map_err(failed)?;
    let command = std::env::current_exe().map_err(failed)?;
    let program = selvedge_program::text::print(subject.program);
    let settings = Settings {
        version: VERSION.to_string(),
        key: key(&path),
        program: records::hash(&program),
        floor: fingerprint(subject.floor),
        properties: subject.properties,
        bounds: task.bounds.clone(),
        seed: task.seed,
        intervals: args.intervals.source(),
        engine: args.engine.name.to_string(),
        reuse: name_of(&REUSES, &args.reuse).to_string(),
        tiling: SharedShape::of(&options.shape),
        tiles: options.tiles,
        keep_going: options.keep_going,
        memory_megabytes: args.limits.memory_limit,
    };
    let (shared, settings) = Shared::create(&path, &program, settings)?;
    let scheduler = scheduler(args.cluster.partition.clone());
    let cluster = Cluster {
        scheduler: scheduler.as_ref(),
        shared: &shared,
        settings: &settings,
        options: &ClusterOptions {
            tasks: options.jobs,
            instances: args.cluster.task_instances.map(|instances| instances as usize),
            poll: Duration::from_secs_f64(args.cluster.poll),
            command,
        },
        notes: &|note| tell(note, bar, args.console.quiet),
    };
    swarm_by(subject, options, folder, |coordinator| collector::run(coordinator, subject, &cluster, control, watcher))
}

/// No two folders have the same, nor does a folder that was removed and made again.
fn key(path: &std::path::Path) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    records::hash(&format!("{} {now:?} {}", path.display(), std::process::id()))[..8].to_string()
}

/// On standard error, above the progress line.
fn tell(note: &str, bar: Option<&ProgressBar>, quiet: bool) {
    if quiet {
        return;
    }
    // Nothing is left to be done about a closed standard error.
    let write = || drop(writeln!(std::io::stderr(), "note: {note}"));
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
