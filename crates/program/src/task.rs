//! The question about a program: which properties, within which bounds.

use crate::ir::Program;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

named! {
    /// A kind of error in a program.
    #[derive(PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Property {
        /// `assert`, `reach_error` and their kin.
        Assertion = "assertion",
        /// Some thread is unfinished and none can ever run.
        Deadlock = "deadlock",
        /// Null, dangling, out of bounds, bad free, stack overflow, invalid indirect call.
        Memory = "memory",
        /// Division by zero, shift out of range.
        Arithmetic = "arithmetic",
        /// Misuse of mutexes, condition variables, …
        Lock = "lock",
        /// Misuse of threads: joining twice, …
        Thread = "thread",
        /// `abort()` is called, and not as an assumption.
        Abort = "abort",
        /// Signed integer overflow.
        Overflow = "overflow",
        /// Heap memory that is still allocated, and lost, when the process ends.
        Leak = "leak",
        /// Heap memory that is still allocated when the process ends, lost or not.
        Cleanup = "cleanup",
        /// The process ends with a status that is not 0.
        Exit = "exit",
        /// Accesses of two threads to the same bytes, one of them a write, that nothing orders ([`crate::races`]).
        Race = "race",
        /// Some run does not end: it goes on for ever, or nobody can go on.
        Termination = "termination",
        /// A condition of the user's own; checked whenever there is one.
        Invariant = "invariant",
        /// A temporal formula of the user's own; likewise.
        Ltl = "ltl",
    }
}

/// The reason for which a property is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// Unless other properties are named.
    ByDefault,
    /// Without being named, in programs that do not follow SV-COMP's conventions ([`Program::follows_sv_comp`]).
    ByConvention,
    /// If it is named.
    OnRequest,
    /// Whenever the user gives a condition of his own.
    WithCondition,
}

impl Property {
    fn asked(self) -> Asked {
        match self {
            Property::Assertion
            | Property::Deadlock
            | Property::Memory
            | Property::Arithmetic
            | Property::Lock
            | Property::Thread => Asked::ByDefault,
            Property::Abort => Asked::ByConvention,
            Property::Overflow
            | Property::Leak
            | Property::Cleanup
            | Property::Exit
            | Property::Race
            | Property::Termination => Asked::OnRequest,
            Property::Invariant | Property::Ltl => Asked::WithCondition,
        }
    }

    /// Those that can be asked for by name.
    pub fn all_by_name() -> impl Iterator<Item = Property> + Clone {
        Property::ALL.into_iter().filter(|property| property.asked() != Asked::WithCondition)
    }

    /// Is it about whole runs, rather than about a step or a state?
    pub fn is_of_runs(self) -> bool {
        matches!(self, Property::Ltl | Property::Termination)
    }

    /// The name of its violations, as in "leaks not looked for".
    pub fn misuse(self) -> &'static str {
        match self {
            Property::Assertion => "assertions",
            Property::Deadlock => "deadlocks",
            Property::Memory => "misuse of memory",
            Property::Arithmetic => "undefined arithmetic",
            Property::Lock => "misuse of locks",
            Property::Thread => "misuse of threads",
            Property::Abort => "calls of abort",
            Property::Exit => "statuses other than 0",
            Property::Overflow => "overflow",
            Property::Race => "data races",
            Property::Leak | Property::Cleanup => "leaks",
            Property::Termination => "runs without end",
            Property::Invariant => "broken invariants",
            Property::Ltl => "violations of the formula",
        }
    }
}

/// A set of properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties(u16);

impl Properties {
    pub const NONE: Properties = Properties(0);
    pub const ALL: Properties = Properties::of(&Property::ALL);
    /// Properties that a step violates, or a state in which threads wait.
    pub const STEPS: Properties = Properties::of(&[
        Property::Assertion,
        Property::Deadlock,
        Property::Memory,
        Property::Arithmetic,
        Property::Lock,
        Property::Thread,
        Property::Abort,
        Property::Overflow,
        Property::Exit,
    ]);
    /// An unchecked violation of one of these ends the run: there is no telling how a program would go on.
    const FATAL: Properties = Properties::of(&[Property::Memory, Property::Arithmetic, Property::Thread]);
    /// Properties that are checked state by state: those of steps, objects left behind at the end of the process, and
    /// invariants.
    pub const STATES: Properties =
        Properties::STEPS.with(Property::Leak).with(Property::Cleanup).with(Property::Invariant);

    const fn of(properties: &[Property]) -> Properties {
        let (mut all, mut next) = (Properties::NONE, 0);
        while next < properties.len() {
            all = all.with(properties[next]);
            next += 1;
        }
        all
    }

    pub fn contains(self, property: Property) -> bool {
        self.0 & (1 << property as u16) != 0
    }

    #[must_use]
    pub const fn with(self, property: Property) -> Properties {
        Properties(self.0 | 1 << property as u16)
    }

    /// Is one of them among the others?
    pub fn overlap(self, others: Properties) -> bool {
        self.0 & others.0 != 0
    }

    /// Those that are not among the others.
    #[must_use]
    pub fn without(self, others: Properties) -> Properties {
        Properties(self.0 & !others.0)
    }

    /// Misuse that ends runs unseen if these properties are checked. Whether runs end does not depend on how they do.
    #[must_use]
    pub fn unasked_misuse(self) -> Properties {
        match self == Properties::NONE.with(Property::Termination) {
            true => Properties::NONE,
            false => Properties::FATAL.without(self),
        }
    }

    /// The properties that are checked by default: where the program does not follow SV-COMP's conventions, `abort()`
    /// is a failure, too.
    pub fn usual(program: &Program) -> Properties {
        let follows = program.follows_sv_comp();
        let is_usual = |property: &Property| property.asked() == Asked::ByConvention && !follows;
        Property::ALL.into_iter().filter(is_usual).fold(Properties::default(), Properties::with)
    }

    pub fn is_empty(self) -> bool {
        self == Properties::NONE
    }

    pub fn iter(self) -> impl Iterator<Item = Property> {
        Property::ALL.into_iter().filter(move |property| self.contains(*property))
    }
}

impl FromIterator<Property> for Properties {
    fn from_iter<I: IntoIterator<Item = Property>>(properties: I) -> Properties {
        properties.into_iter().fold(Properties::NONE, Properties::with)
    }
}

impl Default for Properties {
    fn default() -> Properties {
        Property::ALL.into_iter().filter(|property| property.asked() == Asked::ByDefault).collect()
    }
}

/// All that an engine looks for; whatever else is asked limits its verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scope {
    pub properties: Properties,
    /// Does it run the function that makes the program ready to be looked at?
    pub init: bool,
    /// Does it take states for the same if the abstraction does?
    pub abstraction: bool,
    /// Does it look at the runs of memory models with store buffers?
    pub store_buffers: bool,
}

impl Scope {
    #[must_use]
    pub const fn with(self, property: Property) -> Scope {
        Scope { properties: self.properties.with(property), ..self }
    }

    /// Violations in a step, or in a state in which threads wait.
    pub const STEPS: Scope =
        Scope { properties: Properties::STEPS, init: false, abstraction: false, store_buffers: false };
    /// All that there is: also what goes wrong in runs without end, and every observer.
    pub const RUNS: Scope = Scope {
        properties: Properties::STATES.with(Property::Termination).with(Property::Ltl),
        init: true,
        abstraction: true,
        store_buffers: true,
    };
}

/// The bounds of a search. `None`: as far as it takes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Iterations of each loop.
    pub unwind: Option<u32>,
    /// Iterations of single loops, by file and line; the first entry that names a loop counts.
    #[serde(serialize_with = "loops", deserialize_with = "read_loops")]
    pub unwind_at: Vec<LoopBound>,
    /// Activations of a function nested inside its first.
    pub recursion: Option<u32>,
    /// Rounds of a round-robin schedule.
    pub rounds: Option<u32>,
    /// Context switches of any kind. To look at a thread that waits for ever is none.
    pub switches: Option<u32>,
    /// Switches away from a thread that could have gone on.
    pub preemptions: Option<u32>,
    /// Threads besides main.
    pub threads: Option<u32>,
    /// Stores in a thread's buffer, under memory models that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_buffer: Option<u32>,
}

/// File and line, and how many iterations.
pub type LoopBound = ((String, u32), u32);

#[derive(Serialize, Deserialize)]
struct Loop {
    file: String,
    line: u32,
    unwind: u32,
}

fn loops<S: Serializer>(bounds: &[LoopBound], serializer: S) -> Result<S::Ok, S::Error> {
    let loops = bounds.iter().map(|((file, line), unwind)| Loop { file: file.clone(), line: *line, unwind: *unwind });
    serializer.collect_seq(loops)
}

fn read_loops<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LoopBound>, D::Error> {
    let loops = Vec::<Loop>::deserialize(deserializer)?;
    Ok(loops.into_iter().map(|Loop { file, line, unwind }| ((file, line), unwind)).collect())
}
