//! The coordinator assigns instances to workers and keeps their results.
//!
//! While a tile size is being searched for ([`crate::sizes`]), the first of several workers checks everything at
//! once, for as long as it takes: the swarm can thus do whatever the lazy engine can do alone. If there is exactly
//! one more, whose solver has another profile, it begins with everything at once, too, and then tries sizes: a bug that
//! takes one solver long may be found soon by the other.

use crate::plan::Plan;
use crate::records::{FolderError, Journal};
use crate::selection::TooMany;
use crate::sizes::{SizeSearch, Step};
use crate::tiling::{Floor, Tile, Tiling};
use crate::{Options, Shape};
use selvedge_program::Finding;
use selvedge_program::instances::{Ended, Name, Record};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// An instance to be checked.
pub struct Job {
    pub tile_size: usize,
    pub name: Name,
    pub tiles: Vec<Vec<Tile>>,
    pub tiling: Tiling,
    pub limit: Option<Duration>,
}

pub enum Next {
    Job(Job),
    /// Nothing now, but running instances may be divided or put back.
    Wait,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AllAtOnce {
    NotYet,
    Running,
    Over,
}

/// When to ask what else limits the verdict, at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AskLimits {
    IfSomethingIsShown,
    Always,
    Never,
}

pub struct Coordinator<'a> {
    floor: &'a Floor,
    options: &'a Options,
    /// By tile size; 0 is the tiling given by the user.
    pub plans: BTreeMap<usize, Plan>,
    /// The search for a size, until one is found.
    sizes: Option<SizeSearch>,
    /// The tile size whose plan is worked on.
    pub current: usize,
    limit: Option<Duration>,
    journal: Option<Box<dyn Journal>>,
    pub records: Vec<Record>,
    pub running: usize,
    /// Whether a worker checks everything at once.
    all_at_once: AllAtOnce,
    pub found: Option<Finding>,
    pub failed: Option<FolderError>,
    pub ask_limits: AskLimits,
}

impl<'a> Coordinator<'a> {
    pub fn new(
        floor: &'a Floor,
        options: &'a Options,
        journal: Option<Box<dyn Journal>>,
    ) -> Result<Coordinator<'a>, TooMany> {
        let (current, sizes) = match &options.shape {
            Shape::Uniform { size, .. } => (*size, None),
            Shape::Given(_) => (0, None),
            Shape::Probed { .. } => {
                let sizes = SizeSearch::new(floor.longest(), options.tiles, options.instance_time_limit);
                let sizes = match options.jobs {
                    1 => sizes,
                    _ if both_check_everything(options) => sizes.with_head_start(),
                    _ => sizes.without_everything(),
                };
                (sizes.size(), Some(sizes))
            }
        };
        let mut coordinator = Coordinator {
            floor,
            options,
            plans: BTreeMap::new(),
            sizes,
            current,
            limit: options.instance_time_limit,
            journal,
            records: Vec::new(),
            running: 0,
            all_at_once: AllAtOnce::NotYet,
            found: None,
            failed: None,
            ask_limits: AskLimits::IfSomethingIsShown,
        };
        coordinator.plan(current)?;
        Ok(coordinator)
    }

    fn plan(&mut self, size: usize) -> Result<&mut Plan, TooMany> {
        if !self.plans.contains_key(&size) {
            let tiling = match &self.options.shape {
                Shape::Given(tiling) => tiling.clone(),
                Shape::Uniform { shift, .. } | Shape::Probed { shift } => Tiling::uniform(self.floor, size, *shift),
            };
            let Options { tiles, instances, seed, divide, .. } = self.options;
            self.plans.insert(size, Plan::new(tiling, *tiles, *instances, *seed, *divide)?);
        }
        Ok(self.plans.get_mut(&size).expect("it was put there"))
    }

    /// Takes over the records of earlier runs, in their order. Instances that timed out are tried again if there is
    /// more time now.
    pub fn resume(&mut self, records: Vec<Record>) -> Result<(), TooMany> {
        let mut shown = HashSet::new();
        for record in records {
            // Count no instance twice, whatever happened to the folder.
            if record.ended == Ended::Safe && !shown.insert((record.tile_size, record.instance.clone())) {
                continue;
            }
            self.plan(record.tile_size)?;
            self.learn(&record);
            self.records.push(record);
        }
        let limit = self.limit_now();
        self.plans.values_mut().for_each(|plan| plan.try_again(limit));
        Ok(())
    }

    /// The time limit of the next instance.
    fn limit_now(&self) -> Option<Duration> {
        self.sizes.as_ref().map(SizeSearch::limit).or(self.limit)
    }

    pub fn next(&mut self, worker: usize) -> Next {
        if self.is_over() {
            return Next::Done;
        }
        let hedges = self.options.jobs > 1 && self.sizes.is_some() && self.all_at_once == AllAtOnce::NotYet;
        if worker == 0 && hedges {
            self.all_at_once = AllAtOnce::Over;
            let job = match both_check_everything(self.options) {
                true => self.take_shared(self.everything()),
                false => self.take(self.everything(), None),
            };
            if let Some(job) = job {
                self.all_at_once = AllAtOnce::Running;
                return Next::Job(job);
            }
        }
        // After a pass through all sizes without an instance, there will be none.
        for _ in 0..=self.sizes.as_ref().map_or(0, SizeSearch::steps_through_all) {
            if let Some(job) = self.take(self.current, self.limit_now()) {
                return Next::Job(job);
            }
            if self.others_run() {
                return Next::Wait;
            }
            if let Some(sizes) = &mut self.sizes {
                let step = sizes.go_on();
                self.follow(step);
            }
        }
        Next::Done
    }

    /// Whether instances run besides the one that is everything at once.
    fn others_run(&self) -> bool {
        self.running > usize::from(self.all_at_once == AllAtOnce::Running)
    }

    /// The size of a tile that contains all points of a thread.
    fn everything(&self) -> usize {
        self.floor.longest().max(1)
    }

    fn take(&mut self, size: usize, limit: Option<Duration>) -> Option<Job> {
        // `new` rejects a first size with too many selections; later, such sizes are skipped.
        let probing = self.is_probing();
        let plan = self.plan(size).ok()?;
        let name = if probing { plan.take_old_first() } else { plan.take() }?;
        let tiles = plan.tiles(&name)?;
        let tiling = plan.tiling.clone();
        self.running += 1;
        Some(Job { tile_size: size, name, tiles, tiling, limit })
    }

    /// The first instance of this size, even if another worker has it.
    fn take_shared(&mut self, size: usize) -> Option<Job> {
        let plan = self.plan(size).ok()?;
        let name = plan.first()?;
        let (tiles, tiling) = (plan.tiles(&name)?, plan.tiling.clone());
        self.running += 1;
        Some(Job { tile_size: size, name, tiles, tiling, limit: None })
    }

    /// Whether no further instance could change the result.
    pub fn is_over(&self) -> bool {
        let known = self.found.is_some() || self.is_covered();
        self.failed.is_some() || known && !self.options.keep_going || self.asked_for_is_done()
    }

    /// Whether the requested number of instances is done; then everything at once need not be checked any more.
    fn asked_for_is_done(&self) -> bool {
        let left = self.plans.get(&self.current).map_or(0, Plan::left);
        self.options.instances.is_some() && self.sizes.is_none() && left == 0 && !self.others_run()
    }

    /// Whether all selections of some tiling have been shown to be free of bugs.
    pub fn is_covered(&self) -> bool {
        self.plans.values().any(|plan| plan.ledger.whole == plan.space.total())
    }

    pub fn has_shown_something(&self) -> bool {
        self.plans.values().any(|plan| plan.ledger.selections() > 0.0)
    }

    /// Notes the result of a job.
    pub fn note(&mut self, record: Record, found: Option<Finding>) {
        self.running -= 1;
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.append(&record)
        {
            self.failed = Some(error);
        }
        if self.found.is_none() {
            self.found = found;
        }
        // A timeout here comes from the other worker: this job has no time limit.
        if record.tile_size == self.everything() && record.ended != Ended::TimedOut {
            self.all_at_once = AllAtOnce::Over;
        }
        self.learn(&record);
        self.records.push(record);
    }

    /// Takes an interrupted job back.
    pub fn put_back(&mut self, job: Job) {
        self.lost(job.tile_size, job.name);
    }

    /// Takes an instance back that was given to a task of a cluster.
    pub fn lost(&mut self, tile_size: usize, name: Name) {
        self.running -= 1;
        if tile_size == self.everything() && self.all_at_once == AllAtOnce::Running {
            self.all_at_once = AllAtOnce::NotYet;
        }
        if let Some(plan) = self.plans.get_mut(&tile_size) {
            plan.put_back(name);
        }
    }

    /// Notes that an instance has been given away already.
    pub fn note_given(&mut self, tile_size: usize, name: &Name) -> Result<(), TooMany> {
        self.plan(tile_size)?.claim(name);
        self.running += 1;
        if tile_size == self.everything() && self.is_probing() {
            self.all_at_once = AllAtOnce::Running;
        }
        Ok(())
    }

    /// Adds instances to those that are drawn.
    pub fn assign(&mut self, names: Vec<Name>) -> Result<(), TooMany> {
        let current = self.current;
        self.plan(current)?.assign(names);
        Ok(())
    }

    /// Whether the tile size is still being searched for.
    pub fn is_probing(&self) -> bool {
        self.sizes.is_some()
    }

    /// Whether to ask what else limits the verdict, after everything is done.
    pub fn wants_limits(&self) -> bool {
        let wanted = match self.ask_limits {
            AskLimits::IfSomethingIsShown => self.has_shown_something(),
            AskLimits::Always => true,
            AskLimits::Never => false,
        };
        wanted && self.found.is_none() && self.failed.is_none()
    }

    fn learn(&mut self, record: &Record) {
        let after = Duration::from_secs_f64(record.seconds.clamp(0.0, 1e9));
        if let Some(plan) = self.plans.get_mut(&record.tile_size) {
            plan.note(&record.instance, record.ended, after);
        }
        // A timeout in an earlier run that had less time than there is now says nothing about the size.
        if let Some(sizes) = &mut self.sizes
            && sizes.size() == record.tile_size
            && (record.ended != Ended::TimedOut || after >= sizes.limit())
        {
            let step = sizes.note(record.ended != Ended::TimedOut);
            self.follow(step);
        }
    }

    fn follow(&mut self, step: Step) {
        let Some(sizes) = &self.sizes else { return };
        match step {
            Step::Stay => {}
            Step::Try => {
                self.current = sizes.size();
                let limit = sizes.limit();
                self.plans.get_mut(&self.current).into_iter().for_each(|plan| plan.try_again(Some(limit)));
            }
            Step::Take => {
                self.current = sizes.size();
                self.limit = Some(sizes.limit_then());
                self.sizes = None;
            }
        }
    }
}

/// Whether the only other worker checks everything at once as well, for a while.
fn both_check_everything(options: &Options) -> bool {
    options.portfolio && options.jobs == 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::{EntityRef, FuncId};
    use selvedge_symbolic::lazy::instances::ThreadPoints;

    fn floor(points: usize) -> Floor {
        let blocking = vec![false; points + 1];
        Floor::new(&[ThreadPoints { start: FuncId::new(0), blocking, locs: Vec::new(), segments: Vec::new() }])
    }

    fn options(jobs: usize, portfolio: bool) -> Options {
        Options {
            shape: Shape::Probed { shift: 0 },
            tiles: 1,
            instances: None,
            instance_time_limit: None,
            jobs,
            seed: 0,
            divide: false,
            keep_going: false,
            portfolio,
        }
    }

    /// Size, instance and time limit in seconds of the next job, which then times out.
    fn next_in_vain(coordinator: &mut Coordinator<'_>, worker: usize) -> (usize, String, u64) {
        let Next::Job(job) = coordinator.next(worker) else { panic!("there is something to do") };
        let limit = job.limit.expect("while a size is looked for");
        let told = (job.tile_size, job.name.to_string(), limit.as_secs());
        let (tile_size, instance, seconds) = (job.tile_size, job.name, limit.as_secs_f64());
        let ended = Ended::TimedOut;
        coordinator
            .note(Record { tile_size, instance, ended, seconds, cpu_seconds: None, before: 0, schedule: None }, None);
        told
    }

    #[test]
    fn while_a_size_is_looked_for_the_same_instances_get_more_time() {
        let (options, floor) = (options(1, false), floor(16));
        let mut coordinator = Coordinator::new(&floor, &options, None).expect("few");
        let told: Vec<(usize, String, u64)> = (0..9).map(|_| next_in_vain(&mut coordinator, 0)).collect();
        let sizes: Vec<(usize, u64)> = told.iter().map(|(size, _, limit)| (*size, *limit)).collect();
        assert_eq!(sizes, [(16, 10), (16, 20), (12, 5), (12, 5), (16, 40), (12, 10), (12, 10), (8, 5), (8, 5)]);
        let names = |range: std::ops::Range<usize>| told[range].iter().map(|(_, name, _)| name).collect::<HashSet<_>>();
        assert_eq!(names(2..4).len(), 2);
        assert_eq!(names(2..4), names(5..7));
    }

    /// The sizes that one worker tries while the other has everything at once without a limit.
    fn tried_meanwhile(portfolio: bool) -> Vec<(usize, u64)> {
        let (options, floor) = (options(2, portfolio), floor(16));
        let mut coordinator = Coordinator::new(&floor, &options, None).expect("few");
        // The order in which the workers start does not matter.
        let mut tried = vec![next_in_vain(&mut coordinator, 1)];
        let Next::Job(job) = coordinator.next(0) else { panic!("there is something to do") };
        assert_eq!((job.tile_size, job.limit), (16, None));
        tried.extend((0..4).map(|_| next_in_vain(&mut coordinator, 1)));
        let tried = tried.into_iter().map(|(size, _, limit)| (size, limit)).collect();
        coordinator.put_back(job);
        assert_eq!(coordinator.running, 0);
        tried
    }

    #[test]
    fn two_whose_solvers_differ_both_look_at_everything() {
        assert_eq!(tried_meanwhile(true), [(16, 120), (12, 5), (12, 5), (12, 10), (12, 10)]);
        assert_eq!(tried_meanwhile(false), [(12, 5), (12, 5), (12, 10), (12, 10), (8, 5)]);
    }
}
