//! A program as a model for SPIN: a folder with PROMELA, C headers, the program as text, what is known of sharing,
//! and a Makefile that puts them together.
//!
//! The model has a process for each thread, which lets the thread take a step whenever it can, and one that watches.
//! The threads' processes may end anywhere: what is an invalid end to SPIN is the watcher's waiting for the end of the
//! program when no thread can go on, which is a deadlock.

use super::Options;
use selvedge_engine::{Control, Task};
use selvedge_ltl::Formula;
use selvedge_pan::HEADER_WORDS;
use selvedge_program::{Program, Property, Reason};
use selvedge_search::explicit::warmup;
use selvedge_vm::watch::check_init;
use selvedge_vm::{Code, Sharing};
use std::fmt::Write;
use std::path::Path;

pub const MODEL: &str = "driver.pml";
pub const SHARING: &str = "sharing.txt";
const DRIVER: &str = "driver.h";
const LIBRARY_HEADER: &str = "selvedge_pan.h";
const PROGRAM: &str = "program.selvedge";
const MAKEFILE: &str = "Makefile";

/// SPIN numbers its processes with a byte, and ours come after `init`.
pub const MOST_THREADS: usize = 250;
/// SPIN's own part of a state, in bytes: more than it takes.
const OWN_BYTES: usize = 4096;

/// The room for parts of a state whose size varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub state_words: usize,
    pub threads: usize,
}

impl Sizes {
    /// The sizes seen in random runs, and some more.
    fn guess(words: usize, threads: usize, options: &Options) -> Sizes {
        let enough = HEADER_WORDS + words + words / 4 + 16;
        let given = options.state_bytes.map(|bytes| bytes.div_ceil(8));
        Sizes {
            state_words: given.unwrap_or(enough).max(HEADER_WORDS + 1),
            threads: options.threads.map_or(threads, |others| others + 1).clamp(1, MOST_THREADS),
        }
    }

    /// For the size of SPIN's states.
    pub fn vector_bytes(self, has_key: bool) -> usize {
        8 * self.state_words * (1 + usize::from(has_key)) + OWN_BYTES
    }
}

pub struct Model<'a> {
    pub program: &'a Program,
    pub task: &'a Task,
    pub sizes: Sizes,
    pub sharing: Sharing,
}

impl<'a> Model<'a> {
    /// Random runs tell what threads share, how large states are and how many threads there are.
    pub fn new(
        program: &'a Program,
        task: &'a Task,
        options: &Options,
        control: &Control,
    ) -> Result<Model<'a>, Reason> {
        let code = Code::new(program, task.properties).map_err(|error| Reason::Limit(error.to_string()))?;
        check_init(&code)?;
        let (mut words, mut threads) = (0, 1);
        let mut flat = Vec::new();
        let fresh = match options.no_reduction {
            true => Sharing::everything(),
            false => Sharing::new(code.layout.initial.len() * 8, code.layout.variable_starts()),
        };
        let sharing = warmup::walks(&code, fresh, task, control, &mut |state| {
            state.flatten(&mut flat);
            words = words.max(flat.len());
            threads = threads.max(state.threads.len());
        });
        // Large programs end the random runs before their first step.
        let initial = code.layout.initial.len() + 64;
        Ok(Model { program, task, sizes: Sizes::guess(words.max(initial), threads, options), sharing })
    }

    /// Writes all files but the compiler's into a folder that exists.
    pub fn write(&self, folder: &Path, options: &Options, library: &Path) -> std::io::Result<()> {
        std::fs::write(folder.join(PROGRAM), self.program.to_string())?;
        std::fs::write(folder.join(SHARING), self.sharing.to_text())?;
        std::fs::write(folder.join(LIBRARY_HEADER), selvedge_pan::HEADER)?;
        std::fs::write(folder.join(MAKEFILE), self.makefile(options, library))?;
        self.write_sized(folder)
    }

    /// Writes what depends on sizes.
    pub fn write_sized(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::write(folder.join(DRIVER), self.header())?;
        std::fs::write(folder.join(MODEL), self.promela())
    }

    fn has_abstraction(&self) -> bool {
        self.program.observers.abstraction.is_some()
    }

    /// The C compiler's flags for the model, without the user's own.
    pub fn flags(&self, with_claim: bool) -> Vec<String> {
        // Partial-order reduction would have to know what C code touches; SPIN cannot. The VM merges steps instead.
        let mut flags = vec!["-DNOREDUCE".to_string()];
        flags.push(format!("-DVECTORSZ={}", self.sizes.vector_bytes(self.has_abstraction())));
        match with_claim {
            true => flags.push(format!("-DNFAIR={}", (self.sizes.threads + 2) / 8 + 2)),
            false => flags.extend(["-DSAFETY", "-DNOCLAIM"].map(String::from)),
        }
        flags
    }

    /// The verifier's own options for this formula.
    pub fn run_options(&self) -> Vec<&'static str> {
        match &self.program.observers.specification {
            None => Vec::new(),
            Some(specification) if specification.fair => vec!["-a", "-f"],
            Some(_) => vec!["-a"],
        }
    }

    fn header(&self) -> String {
        let names: Vec<&str> = self.task.properties.iter().map(Property::name).collect();
        let preemptions = self.task.bounds.preemptions.map_or(-1, i64::from);
        let (words, threads) = (self.sizes.state_words, self.sizes.threads);
        let key_words = if self.has_abstraction() { words } else { 0 };
        let key = match self.has_abstraction() {
            true => format!("static uint64_t pan_key[{key_words}];\n"),
            false => String::new(),
        };
        let key_name = if self.has_abstraction() { "pan_key" } else { "NULL" };
        format!(
            r#"/* Written by `selvedge spin`: what the model knows of the program. */
#include <stdio.h>
#include <stdlib.h>
#include "{LIBRARY_HEADER}"

extern int readtrail; /* `pan -r` */
#if defined(NCORE) && NCORE > 1
#define PAN_SEVERAL 1 /* processes, of which each sees only a part */
extern void sudden_stop(char *);
#else
#define PAN_SEVERAL 0
#endif

static uint64_t pan_state[{words}];
{key}
static void pan_say(const char *line) {{ printf("%s\n", line); fflush(stdout); }}

static void pan_stop(int code)
{{
    fflush(stdout);
#if PAN_SEVERAL
    sudden_stop("the virtual machine cannot go on");
#endif
    exit(code);
}}

static struct pan_driver pan_driver = {{
    .state = pan_state, .state_words = {words},
    .key = {key_name}, .key_words = {key_words},
    .program = "{PROGRAM}", .sharing = "{SHARING}",
    .properties = "{properties}",
    .max_input_values = {inputs}u,
    .threads = {threads}, .preemptions = {preemptions}, .several = PAN_SEVERAL,
    .say = pan_say, .stop = pan_stop,
}};

/* Before SPIN forks, if it does: then only one process runs `init`. */
__attribute__((constructor)) static void pan_prepare(void) {{ pan_load(&pan_driver); }}
"#,
            properties = names.join(","),
            inputs = self.task.max_input_values,
        )
    }

    fn promela(&self) -> String {
        let (matched, also) = match self.has_abstraction() {
            true => ("UnMatched", "c_track \"pan_key\" \"sizeof(pan_key)\" \"Matched\";\n"),
            false => ("Matched", ""),
        };
        let mut text = format!(
            r#"/* Written by `selvedge spin`. `make check` builds the verifier and runs it. */

c_decl {{
\#include "{DRIVER}"
}}
c_track "pan_state" "sizeof(pan_state)" "{matched}";
{also}
proctype thread(byte t)
{{
    int way = 0;
end_of_thread:
    do
    :: d_step {{
            c_expr {{ (pan_ways(Pthread->t) == 1) }} -> c_code {{ pan_step(Pthread->t, 0); }};
            assert(c_expr {{ (!pan_failed()) }})
        }}
    :: atomic {{ /* it depends on inputs, which SPIN chooses */
            c_expr {{ (pan_ways(Pthread->t) > 1) }} ->
            do
            :: c_expr {{ (Pthread->way + 1 < pan_ways(Pthread->t)) }} -> way++
            :: break
            od;
            c_code {{ pan_step(Pthread->t, Pthread->way); Pthread->way = 0; }};
            assert(c_expr {{ (!pan_failed()) }})
        }}
    od
}}

"#
        );
        text.push_str(self.watcher());
        text.push_str("init {\n    atomic {\n");
        text.push_str("        c_code { pan_driver.retelling = readtrail; pan_setup(&pan_driver); pan_begin(); };\n");
        text.push_str("        assert(c_expr { (!pan_failed()) });\n");
        for thread in 0..self.sizes.threads {
            let _ = writeln!(text, "        run thread({thread});");
        }
        text.push_str("        run watcher()\n    }\n}\n");
        text.push_str(&self.claim());
        text
    }

    /// The process that knows when all is over. It looks for deadlocks, too: SPIN itself only sees those of all
    /// threads, and none under a claim.
    fn watcher(&self) -> &'static str {
        match self.task.properties.contains(Property::Deadlock) {
            false => {
                "proctype watcher()\n{\nend_waiting:\n    d_step { c_expr { (pan_over()) } -> c_code { pan_end(); } };\nend_of_all:\n    false\n}\n\n"
            }
            true => {
                "proctype watcher()\n{\n    if\n    :: d_step { c_expr { (pan_over()) } -> c_code { pan_end(); } }\n    :: c_expr { (pan_stuck()) } -> assert(false) /* deadlock */\n    fi;\nend_of_all:\n    false\n}\n\n"
            }
        }
    }

    /// The formula holds from the moment in which the program has begun; runs that an assumption ends are none.
    fn claim(&self) -> String {
        let Some(specification) = &self.program.observers.specification else { return String::new() };
        let mut text = format!("\n/* {} */\n", specification.text.replace("*/", "* /"));
        for (number, name) in specification.names.iter().enumerate() {
            let _ = writeln!(text, "#define p{number} c_expr {{ (pan_holds({number})) }} /* {name} */");
        }
        text.push_str("#define ready c_expr { (pan_ready()) }\n#define pruned c_expr { (pan_pruned()) }\n");
        let formula = spelled(&specification.formula);
        let _ = writeln!(text, "ltl property {{ (<> pruned) || ((!ready) U (ready && ({formula}))) }}");
        text
    }

    fn makefile(&self, options: &Options, library: &Path) -> String {
        let flags = self.flags(self.program.observers.specification.is_some()).join(" ");
        let run = self.run_options().join(" ");
        format!(
            r#"# Written by `selvedge spin`.
#   make check                                     search all states; again, if threads share more than was known
#   make check SPIN_CFLAGS=-DCOLLAPSE PAN_OPTIONS='{run} -m1000000'
#   make trail                                     the run that goes wrong, step by step
{also}
LIBRARY = {library}
SPIN = spin
CFLAGS = -O1 -w
SPIN_CFLAGS = {spin_cflags}
PAN_OPTIONS = {run} {pan_options}

check: pan
	while ./pan $(PAN_OPTIONS); [ $$? -eq 3 ]; do :; done

trail: pan
	./pan -r

pan: pan.c {DRIVER} {LIBRARY_HEADER} $(LIBRARY)
	$(CC) $(CFLAGS) {flags} $(SPIN_CFLAGS) -o pan pan.c $(LIBRARY) -lpthread -ldl -lm

pan.c: {MODEL}
	$(SPIN) -a {MODEL}

.PHONY: check trail
"#,
            also = match self.program.observers.specification {
                None => "",
                Some(_) => {
                    "# Under a formula SPIN looks only at what could break it. For everything else:\n\
                     #   make -B pan check SPIN_CFLAGS='-DSAFETY -DNOCLAIM' PAN_OPTIONS=\n"
                }
            },
            library = library.display(),
            spin_cflags = options.cflags.join(" "),
            pan_options = options.pan_options.join(" "),
        )
    }
}

/// As SPIN writes formulas.
fn spelled(formula: &Formula) -> String {
    match formula {
        Formula::Const(value) => value.to_string(),
        Formula::Literal { atom, holds } => format!("{}p{atom}", if *holds { "" } else { "!" }),
        Formula::And(one, other) => format!("({} && {})", spelled(one), spelled(other)),
        Formula::Or(one, other) => format!("({} || {})", spelled(one), spelled(other)),
        Formula::Next(of) => format!("X ({})", spelled(of)),
        Formula::Until(left, goal) if **left == Formula::Const(true) => format!("<> ({})", spelled(goal)),
        Formula::Until(left, goal) => format!("({} U {})", spelled(left), spelled(goal)),
        Formula::Release(left, kept) if **left == Formula::Const(false) => format!("[] ({})", spelled(kept)),
        Formula::Release(left, kept) => format!("({} V {})", spelled(left), spelled(kept)),
    }
}
