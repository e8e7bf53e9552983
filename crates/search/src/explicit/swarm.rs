//! Several searches at once that share nothing, each with a seed of its own, depth first or with a disk breadth first;
//! the first violation ends them all.
//!
//! If a disk may be used once memory is short, a worker whose depth-first stack has used up its memory begins anew
//! breadth first, which takes memory for hashes only.

use super::Explicit;
use super::approximate::Hashed;
use super::breadth::Breadth;
use super::depth_first::DepthFirst;
use super::disk::Blocks;
use super::end::End;
use super::sleep::SleepSets;
use selvedge_engine::counterexample::Counterexample;
use selvedge_engine::{Control, Disk, Task};
use selvedge_program::Statistics;
use selvedge_program::{Coverage, Finding, Reason};
use selvedge_vm::{Code, Sharing};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A search that is one of the swarm.
pub trait Member {
    fn run(&mut self) -> Result<Coverage, End>;
    fn states(&self) -> u64;
    fn transitions(&self) -> u64;
    /// Bytes.
    fn memory(&self) -> u64;
    /// All that was learnt about who touches what. The search is over then.
    fn sharing(&mut self) -> Sharing;
}

/// The result of one of the swarm.
struct Report {
    result: Result<Coverage, Reason>,
    found: Option<Counterexample>,
    statistics: Statistics,
}

pub fn search(
    engine: Explicit,
    code: &Code<'_>,
    sharing: Sharing,
    task: &Task,
    control: &Control,
) -> (Finding, Statistics) {
    let members = if engine.sleep_sets { 1 } else { engine.jobs.max(1) as u64 };
    let over = Arc::new(AtomicBool::new(false));
    let reports: Vec<Report> = std::thread::scope(|scope| {
        let member = |number: u64| {
            let (over, sharing) = (Arc::clone(&over), sharing.clone());
            move || {
                let report = one(engine, code, sharing, task, &inner(control, &over, number), number);
                // The others need not go on for what they cannot add to.
                if report.found.is_some() {
                    over.store(true, Ordering::Relaxed);
                }
                report
            }
        };
        let others: Vec<_> = (1..members).map(|number| scope.spawn(member(number))).collect();
        let first = member(0)();
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    });
    combined(reports)
}

/// The first of them is the one that is watched. All hear of an interrupt when they look at the clock.
fn inner(control: &Control, over: &Arc<AtomicBool>, number: u64) -> Control {
    let (outer, over) = (control.clone(), Arc::clone(over));
    let watcher = control.watcher.clone().filter(|_| number == 0);
    Control {
        stop: Arc::clone(&over),
        watcher: Some(Arc::new(move |progress| {
            if outer.stop.load(Ordering::Relaxed) {
                over.store(true, Ordering::Release);
            }
            watcher.iter().for_each(|watcher| watcher(progress));
        })),
        ..control.clone()
    }
}

fn one(engine: Explicit, code: &Code<'_>, sharing: Sharing, task: &Task, control: &Control, number: u64) -> Report {
    let mut sharing = sharing;
    let mut statistics = Statistics::default();
    let (at_once, if_short) = match control.disk.as_ref().filter(|_| !engine.sleep_sets) {
        Some(disk) if disk.is_optional() => (None, Some(Disk { from: 0, ..disk.clone() })),
        disk => (disk.cloned(), None),
    };
    let mut blocks = match at_once.as_ref().map(Blocks::new).transpose() {
        Ok(blocks) => blocks,
        Err(reason) => return Report { result: Err(reason), found: None, statistics },
    };
    loop {
        let hashed = || Hashed::new(engine.memory, task, number);
        let mut search: Box<dyn Member + '_> = match &blocks {
            Some(blocks) => Box::new(Breadth::new(code, sharing, task, control, hashed(), blocks)),
            None if engine.sleep_sets => Box::new(DepthFirst::new(code, sharing, task, control, SleepSets::default())),
            None => Box::new(DepthFirst::new(code, sharing, task, control, hashed())),
        };
        let result = search.run();
        statistics.transitions += search.transitions();
        statistics.states = search.states();
        statistics.peak_memory = statistics.peak_memory.max(search.memory());
        statistics.on_disk = blocks.as_ref().map_or(0, |blocks| blocks.bytes());
        let report = |result, found, statistics| Report { result, found, statistics };
        match result {
            Ok(coverage) => return report(Ok(coverage), None, statistics),
            Err(End::Found(found)) => return report(Ok(Coverage::default()), Some(*found), statistics),
            Err(End::Stopped(reason)) => {
                let short = matches!(reason, Reason::MemoryLimit { .. }) && blocks.is_none();
                let Some(disk) = if_short.as_ref().filter(|_| short) else {
                    return report(Err(reason), None, statistics);
                };
                statistics.restarts += 1;
                sharing = search.sharing();
                blocks = Blocks::new(disk).ok();
                if blocks.is_none() {
                    return report(Err(reason), None, statistics);
                }
            }
            Err(End::Shared) => {
                statistics.restarts += 1;
                sharing = search.sharing().widened();
            }
        }
    }
}

/// A violation, else what one of them covered, else the first reason to give up.
fn combined(reports: Vec<Report>) -> (Finding, Statistics) {
    let mut statistics = Statistics::default();
    let mut finding = Finding::GaveUp(Reason::Interrupted);
    let mut best = 0;
    for Report { result, found, statistics: own } in reports {
        statistics.states = statistics.states.max(own.states);
        statistics.transitions += own.transitions;
        statistics.peak_memory += own.peak_memory;
        statistics.on_disk += own.on_disk;
        statistics.restarts += own.restarts;
        let (rank, news) = match (found, result) {
            (Some(found), _) => (3, found.into()),
            (None, Ok(coverage)) => (2, Finding::NoneWithin(coverage)),
            (None, Err(reason)) => (1, Finding::GaveUp(reason)),
        };
        if rank > best {
            (best, finding) = (rank, news);
        }
    }
    (finding, statistics)
}
