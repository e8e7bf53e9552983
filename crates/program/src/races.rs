//! Data races: which accesses race, and what orders them.
//!
//! Two accesses *conflict* if they are of different threads, share a byte, and one of them writes. They *race* if they
//! conflict, are not both atomic, and neither happens before the other (C11, 5.1.2.4). Everybody who looks for races
//! asks this file which accesses there are ([`Op::data_access`]) and which pairs race ([`DataAccess::races_with`]).
//!
//! # Accesses
//!
//! | what | is |
//! |---|---|
//! | load, store; `volatile`, or a bit-field's storage unit, too | plain |
//! | block of memory copied or set; what a model asks to be readable or writable | plain |
//! | `free` | a plain write of the whole object |
//! | C11 atomics, `__atomic`, `__sync`, `atomic_flag` | atomic |
//! | anything inside an atomic section, of the user's (`__VERIFIER_atomic_*`) or of a model | atomic |
//! | the end of a variable's life | no access |
//!
//! So atomic sections exclude one another and atomic accesses, as SV-COMP has it, but not plain accesses outside.
//! Accesses that a model makes for its caller outside of sections (`memcpy`, `strlen`, `snprintf`) are the caller's;
//! what `printf` prints is not looked at. A model's accesses to variables of its own are nobody's, but for those that the
//! standards leave unprotected, as the results of `strtok`, `localtime` and `getenv`: these are the caller's. A mutex is the
//! user's: to overwrite it while others lock it is a race with the section that locks.
//!
//! # What orders them
//!
//! Creation, join, and every operation of mutexes, read-write locks, spin locks, condition variables, semaphores,
//! barriers and once objects: all are atomic sections over the bytes of the object, and a section that reads what
//! another one wrote comes after it. A try that fails orders, too, as POSIX allows. C11 atomics order by their memory
//! order.
//!
//! # Why states suffice
//!
//! Suppose that whoever reads an atomic value happens after whoever wrote it: loads acquire, stores release, updates do
//! both ([`Orders::SeqCst`], [`Orders::ReleaseAcquire`]). Then a program has a race in some sequentially consistent run
//! iff it has a reachable state in which two threads are *both about to make* racing accesses (Boehm and Adve,
//! Foundations of the C++ concurrency memory model, PLDI 2008, section 7). One direction is clear: nothing orders the
//! two there. For the other, take a run with a race (a, b), b as early as possible, and of it only what happens before
//! a or b. Every read left in it reads what it did: its writer is still there, else the two would race, with an access
//! before b, or not be ordered though one reads what the other wrote. So this is a run, and at its end a and b are both
//! next.
//!
//! With sequentially consistent atomics alone, that is all: without a race there, all runs of C11 are sequentially
//! consistent. With release and acquire C11 has more runs, and a verdict names that only sequentially consistent ones
//! were looked at. With relaxed atomics ([`Orders::Relaxed`]) a run may order by chance what C11 does not order. A race
//! in a state is one all the same; that there is none in any state is not enough, and the verdict says so.

use crate::assumption::Assumption;
use crate::intrinsics::Purpose;
use crate::ir::{Access, Function, MemoryOrder, Op, Origin, Program};
use crate::source::Loc;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How an access takes part in races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DataAccess {
    pub writes: bool,
    pub atomic: bool,
}

impl DataAccess {
    /// Do two unordered accesses of different threads to the same byte race?
    pub fn races_with(self, other: DataAccess) -> bool {
        (self.writes || other.writes) && !(self.atomic && other.atomic)
    }
}

/// The accesses of an operation, as far as races are concerned. Inside an atomic section all are atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accesses {
    None,
    Plain,
    Atomic,
}

impl Op {
    pub fn data_access(&self) -> Accesses {
        match self {
            Op::Load { access, .. } | Op::Store { access, .. } => match access {
                Access::Plain | Access::Volatile => Accesses::Plain,
                Access::Atomic(_) => Accesses::Atomic,
            },
            Op::Rmw { .. } | Op::CmpXchg { .. } => Accesses::Atomic,
            Op::MemCopy { .. } | Op::MemSet { .. } => Accesses::Plain,
            Op::Intrinsic { which, .. } => match which.purpose() {
                Purpose::Frees | Purpose::ChecksAccess => Accesses::Plain,
                Purpose::Spawns
                | Purpose::Counts
                | Purpose::AsksThread
                | Purpose::FindsCopy
                | Purpose::Exits
                | Purpose::Jumps
                | Purpose::Marks
                | Purpose::Requires
                | Purpose::Allocates
                | Purpose::AsksObject => Accesses::None,
            },
            Op::Compute(_)
            | Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => Accesses::None,
        }
    }

    /// The weakest orders that a program with this operation needs to be understood with.
    fn orders(&self) -> Orders {
        use MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        match self {
            Op::Load { access: Access::Atomic(order), .. } => match order {
                SeqCst => Orders::SeqCst,
                Acquire | AcqRel => Orders::ReleaseAcquire,
                Relaxed | Release => Orders::Relaxed,
            },
            Op::Store { access: Access::Atomic(order), .. } => match order {
                SeqCst => Orders::SeqCst,
                Release | AcqRel => Orders::ReleaseAcquire,
                Relaxed | Acquire => Orders::Relaxed,
            },
            Op::Rmw { order, .. } | Op::CmpXchg { orders: (order, SeqCst | Acquire), .. } => match order {
                SeqCst => Orders::SeqCst,
                AcqRel => Orders::ReleaseAcquire,
                Relaxed | Acquire | Release => Orders::Relaxed,
            },
            Op::CmpXchg { orders: (_, Relaxed | Release | AcqRel), .. } => Orders::Relaxed,
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Compute(_)
            | Op::Fence { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Call { .. }
            | Op::Nondet { .. }
            | Op::Intrinsic { .. }
            | Op::Violation { .. }
            | Op::Unsupported { .. } => Orders::SeqCst,
        }
    }
}

/// The order that all atomics of a program guarantee.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Orders {
    /// All are sequentially consistent, or there are none.
    SeqCst,
    /// A read of a value comes after its write.
    ReleaseAcquire,
    /// Some order nothing, or only together with fences.
    Relaxed,
}

impl Program {
    /// The weakest orders of the user's atomics. Models order by their sections.
    pub fn orders(&self) -> Orders {
        let functions = self.functions.values().filter(|function| function.origin == Origin::User);
        let blocks = functions.flat_map(|function| function.blocks.values());
        blocks.flat_map(|block| &block.insts).map(|inst| inst.op.orders()).max().unwrap_or(Orders::SeqCst)
    }

    /// Does the user not want to hear of races with an access there? `function`: if it is known.
    pub fn ignores_race(&self, function: Option<&str>, variable: Option<&str>, loc: Loc) -> bool {
        let mut ignored = self.ignored_races().peekable();
        if ignored.peek().is_none() {
            return false;
        }
        let function = function.or_else(|| self.user_function_at(loc));
        let path = self.source.files.get(loc.file);
        ignored.any(|one| {
            let is_named = [function, variable].into_iter().flatten().any(|name| one.is_named(name));
            is_named || path.is_some_and(|path| one.is_at(path, loc.line))
        })
    }

    fn user_function_at(&self, loc: Loc) -> Option<&str> {
        let mut functions = self.functions.values().filter(|function| function.origin == Origin::User);
        let is_there = |function: &&Function| {
            function.loc == loc || function.blocks.values().flat_map(|block| &block.insts).any(|inst| inst.loc == loc)
        };
        functions.find(is_there).map(|function| function.name.as_str())
    }

    /// Races that the user knows and does not want to hear of.
    pub fn ignored_races(&self) -> impl Iterator<Item = &IgnoredRace> {
        self.assumptions.iter().filter_map(|assumption| match assumption {
            Assumption::IgnoredRace(ignored) => Some(ignored),
            _ => None,
        })
    }
}

/// Accesses that take part in no race: those in a function, to a variable, or of a line. Written `worker`, `counter`,
/// `pool.c:12`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IgnoredRace {
    /// A function or a variable.
    Name(String),
    Line {
        file: String,
        line: u32,
    },
}

impl IgnoredRace {
    /// Does it name this line? The path may begin anywhere, as the user names it.
    pub fn is_at(&self, path: &str, at: u32) -> bool {
        match self {
            IgnoredRace::Name(_) => false,
            IgnoredRace::Line { file, line } => {
                let is_file = path == file || path.strip_suffix(file.as_str()).is_some_and(|rest| rest.ends_with('/'));
                is_file && *line == at
            }
        }
    }

    pub fn is_named(&self, name: &str) -> bool {
        matches!(self, IgnoredRace::Name(ignored) if ignored == name)
    }
}

impl fmt::Display for IgnoredRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IgnoredRace::Name(name) => f.write_str(name),
            IgnoredRace::Line { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

impl FromStr for IgnoredRace {
    type Err = String;

    fn from_str(text: &str) -> Result<IgnoredRace, String> {
        match text.rsplit_once(':') {
            None if text.is_empty() => Err("expected a function, a variable, or FILE:LINE".to_string()),
            None => Ok(IgnoredRace::Name(text.to_string())),
            Some((file, line)) => match line.parse() {
                Ok(line) if line > 0 && !file.is_empty() => Ok(IgnoredRace::Line { file: file.to_string(), line }),
                _ => Err(format!("`{text}` is no line of a file")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_reads_and_two_atomics_never_race() {
        let access = |writes, atomic| DataAccess { writes, atomic };
        for (a, b, expected) in [
            (access(true, false), access(true, false), true),
            (access(true, false), access(false, false), true),
            (access(false, false), access(false, false), false),
            (access(true, true), access(true, true), false),
            (access(true, true), access(false, false), true),
            (access(false, true), access(true, false), true),
            (access(false, true), access(false, false), false),
        ] {
            assert_eq!((a.races_with(b), b.races_with(a)), (expected, expected), "{a:?} {b:?}");
        }
    }

    #[test]
    fn what_is_ignored_is_a_name_or_a_line() {
        assert_eq!("counter".parse(), Ok(IgnoredRace::Name("counter".to_string())));
        let line: IgnoredRace = "src/pool.c:12".parse().unwrap();
        assert!(line.is_at("/tmp/src/pool.c", 12) && !line.is_at("/tmp/src/pool.c", 13) && !line.is_at("ol.c", 12));
        for wrong in ["", "pool.c:", "pool.c:x", ":3", "pool.c:0"] {
            assert!(wrong.parse::<IgnoredRace>().is_err(), "{wrong}");
        }
    }
}
