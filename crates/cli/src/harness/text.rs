//! The text of a harness: C that any compiler takes, with the program's file included and its `main` put aside.

use super::code::{Statement, is_comparison, is_condition};
use super::history::{Call, Outcome, calls, finals};
use std::fmt::{Display, Write};

/// The code that the harness runs.
pub struct Plan {
    /// The file of the program that it includes: what that declares, it may use.
    pub home: String,
    pub setup: Vec<Statement>,
    pub threads: Vec<Vec<Statement>>,
    pub last: Vec<Statement>,
    /// Before names that traces show; nothing, where the file has no such names.
    pub prefix: &'static str,
}

/// The prefix of names, for a harness around this text.
pub fn prefix(text: &str) -> &'static str {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_taken = |word: &str| ["thread_", "returned_", "is_linearizable"].iter().any(|name| word.starts_with(name));
    if words.any(is_taken) { "harness_" } else { "" }
}

/// Under this name a file keeps its own `main`.
pub const MAIN: &str = "main_of_the_program";

/// Gathers lines.
struct Text(String);

impl Text {
    fn line(&mut self, line: impl Display) {
        writeln!(self.0, "{line}").expect("strings take any text");
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Declaration { variables, assignments } => {
                self.line(format_args!("    {variables};"));
                self.assignments(assignments);
            }
            Statement::Expression(text) => self.line(format_args!("    {text};")),
            Statement::Other(text) if text.ends_with('}') => self.line(format_args!("    {text}")),
            Statement::Other(text) => self.line(format_args!("    {text};")),
        }
    }

    fn assignments(&mut self, assignments: &[String]) {
        assignments.iter().for_each(|assignment| self.line(format_args!("    {assignment};")));
    }
}

impl Plan {
    /// Whether the file is preprocessed: its headers cannot be included once more.
    fn is_preprocessed(&self) -> bool {
        self.home.ends_with(".i")
    }

    /// The file, what the harness needs of libraries, and the variables of the set-up.
    fn head(&self, why: &str) -> Text {
        let mut text = Text(String::new());
        text.line(format_args!("/* {why} */"));
        text.line(format_args!("#define main {MAIN}\n#include {:?}\n#undef main", self.home));
        text.line(match self.is_preprocessed() {
            true => {
                "int pthread_create(), pthread_join();\nvoid __assert_fail();\n#undef assert\n#define assert(condition) \
                 ((condition) ? (void)0 : __assert_fail(#condition, \"harness.c\", __LINE__, __func__))\n\
                 typedef unsigned long harness_thread;\n"
            }
            false => "#undef NDEBUG\n#include <assert.h>\n#include <pthread.h>\ntypedef pthread_t harness_thread;\n",
        });
        for statement in &self.setup {
            if let Statement::Declaration { variables, .. } = statement {
                text.line(static_variable(variables));
            }
        }
        text
    }

    fn set_up(&self, text: &mut Text) {
        for statement in &self.setup {
            match statement {
                Statement::Declaration { assignments, .. } => text.assignments(assignments),
                Statement::Expression(_) | Statement::Other(_) => text.statement(statement),
            }
        }
    }

    /// Starts the threads and waits for them.
    fn run(&self, text: &mut Text) {
        for number in 0..self.threads.len() {
            let name = number + 1;
            text.line(format_args!(
                "    if (pthread_create(&harness_threads[{number}], 0, {}thread_{name}, 0)) return 0;",
                self.prefix
            ));
        }
        for number in 0..self.threads.len() {
            text.line(format_args!("    pthread_join(harness_threads[{number}], 0);"));
        }
    }

    fn main(&self, text: &mut Text, finish: impl FnOnce(&mut Text)) {
        text.line("int main(void)\n{");
        if !self.threads.is_empty() {
            text.line(format_args!("    harness_thread harness_threads[{}];", self.threads.len()));
        }
        self.set_up(text);
        self.run(text);
        finish(text);
        text.line("    return 0;\n}");
    }

    /// Runs the threads, then what comes last, in which conditions must hold.
    pub fn plain(&self) -> String {
        let mut text = self.head("A harness: threads around the functions of a program.");
        for (statements, number) in self.threads.iter().zip(1..) {
            text.line(format_args!("\nstatic void *{}thread_{number}(void *unused)\n{{", self.prefix));
            statements.iter().for_each(|statement| text.statement(statement));
            text.line("    return unused;\n}");
        }
        text.line("");
        self.main(&mut text, |text| self.finish(text));
        text.0
    }

    fn finish(&self, text: &mut Text) {
        for statement in &self.last {
            match statement {
                Statement::Expression(condition) if is_condition(condition) => {
                    text.line(format_args!("    assert({condition});"));
                }
                Statement::Expression(_) | Statement::Declaration { .. } | Statement::Other(_) => {
                    text.statement(statement);
                }
            }
        }
    }

    /// Calls a function with any arguments, of these types.
    pub fn entry(&self, function: &str, parameters: &[String]) -> String {
        let mut text = self.head("A harness: a program that starts at one of its functions.");
        let mut arguments = Vec::new();
        for (parameter, number) in parameters.iter().zip(1..) {
            let input = input_of(parameter).expect("refused before");
            text.line(format_args!("extern {} {}(void);", input.1, input.0));
            arguments.push((format!("harness_argument_{number}"), parameter, input.0));
        }
        text.line("\nint main(void)\n{");
        self.set_up(&mut text);
        for (argument, parameter, input) in &arguments {
            text.line(format_args!("    __typeof__({parameter}) {argument} = (__typeof__({parameter})){input}();"));
        }
        let function = if function == "main" { MAIN } else { function };
        let names: Vec<&str> = arguments.iter().map(|(argument, ..)| argument.as_str()).collect();
        text.line(format_args!("    {function}({});", names.join(", ")));
        self.finish(&mut text);
        text.line("    return 0;\n}");
        text.0
    }

    /// Runs the calls one after another, in every order; for each run the order and the results are left in variables.
    pub fn sequential(&self, spec: &str) -> String {
        let of_spec = Plan {
            home: spec.to_string(),
            setup: self.setup.clone(),
            threads: Vec::new(),
            last: Vec::new(),
            prefix: self.prefix,
        };
        let (calls, finals) = (calls(&self.threads), finals(&self.last));
        let mut text = of_spec.head("The calls of a harness, one after another.");
        text.line(VALUE);
        let steps = calls.len();
        let results = steps + finals.len();
        text.line(format_args!(
            "unsigned long long __selvedge_nondet_range(unsigned long long low, unsigned long long high);\n\
             void __selvedge_assume(_Bool condition);\n\
             volatile unsigned char harness_order[{}];\nvolatile long long harness_result[{}];\n\
             volatile unsigned char harness_complete;\n",
            steps.max(1),
            results.max(1)
        ));
        for (statements, number) in self.threads.iter().zip(0..) {
            text.line(format_args!("static void harness_call_{number}(int which)\n{{"));
            for statement in statements {
                if let Statement::Declaration { variables, .. } = statement {
                    text.line(format_args!("    {}", static_variable(variables)));
                }
            }
            text.line("    switch (which) {");
            for call in calls.iter().filter(|call| call.thread == number) {
                text.line(format_args!("    case {}:", call.index));
                text.assignments(&call.before);
                text.line(format_args!(
                    "    harness_result[{}] = HARNESS_VALUE({});\n    break;",
                    call.number, call.text
                ));
            }
            text.line("    default: __selvedge_assume(0);\n    }\n}\n");
        }
        let threads = self.threads.len();
        text.line(format_args!("int main(void)\n{{\n    int harness_next[{}] = {{0}};", threads.max(1)));
        of_spec.set_up(&mut text);
        text.line(format_args!(
            "    for (int step = 0; step < {steps}; step++) {{\n        \
             int thread = (int)__selvedge_nondet_range(0, {});\n        harness_order[step] = (unsigned char)thread;\n        \
             switch (thread) {{",
            threads.saturating_sub(1)
        ));
        for number in 0..threads {
            text.line(format_args!("        case {number}: harness_call_{number}(harness_next[{number}]++); break;"));
        }
        text.line("        }\n    }");
        for (value, number) in finals.iter().zip(steps..) {
            text.line(format_args!("    harness_result[{number}] = HARNESS_VALUE({value});"));
        }
        text.line("    harness_complete = 1;\n    return 0;\n}");
        text.0
    }

    /// Runs the threads, keeps what each call returns and which calls had ended before it, and compares with what the
    /// calls return one after another.
    pub fn linearizable(&self, outcomes: &[Outcome]) -> String {
        let (calls, finals) = (calls(&self.threads), finals(&self.last));
        let mut text = self.head("A harness: do concurrent calls return what they could return one after another?");
        text.line(VALUE);
        let texts: Vec<&str> =
            calls.iter().map(|call| call.text.as_str()).chain(finals.iter().map(String::as_str)).collect();
        let results = self.results(&texts);
        for (result, call) in results.iter().zip(&texts) {
            text.line(format_args!("static long long {result}; /* {} */", in_comment(call)));
        }
        let threads = self.threads.len();
        text.line(format_args!(
            "static int harness_done[{threads}]; /* so many calls of each thread have ended */\n\
             static int harness_seen[{}][{threads}]; /* so many had, when each call began */\n",
            calls.len()
        ));
        for (statements, number) in self.threads.iter().zip(0..) {
            text.line(format_args!("static void *{}thread_{}(void *unused)\n{{", self.prefix, number + 1));
            let mut of_thread = calls.iter().filter(|call| call.thread == number);
            for statement in statements {
                match statement {
                    Statement::Expression(_) => {
                        let call = of_thread.next().expect("an expression is a call");
                        recorded(&mut text, call, &results[call.number], threads);
                    }
                    Statement::Declaration { .. } | Statement::Other(_) => text.statement(statement),
                }
            }
            text.line("    return unused;\n}\n");
        }
        self.allowed(&mut text, &calls, (&texts, &results), outcomes);
        self.main(&mut text, |text| {
            for (value, result) in finals.iter().zip(&results[calls.len()..]) {
                text.line(format_args!("    {result} = HARNESS_VALUE({value});"));
            }
            for statement in &self.last {
                match statement {
                    Statement::Expression(condition) if is_comparison(condition) => {
                        text.line(format_args!("    assert({condition});"));
                    }
                    Statement::Expression(_) => {}
                    Statement::Declaration { .. } | Statement::Other(_) => text.statement(statement),
                }
            }
            text.line(format_args!("    assert({}is_linearizable());", self.prefix));
        });
        text.0
    }

    /// The variables that keep what calls return, named after them.
    fn results(&self, calls: &[&str]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for call in calls {
            let words = call.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            let name: String = words.collect::<Vec<_>>().join("_").chars().take(LONGEST_NAME).collect();
            let name = format!("{}returned_{name}", self.prefix);
            let others = (2..).map(|number| format!("{name}__{number}"));
            let mut candidates = std::iter::once(name.clone()).chain(others);
            names.push(candidates.find(|name| !names.contains(name)).expect("there is no end of numbers"));
        }
        names
    }

    /// Whether the results are those of some order in which no call comes before one that had ended when it began.
    fn allowed(&self, text: &mut Text, calls: &[Call], (texts, results): (&[&str], &[String]), outcomes: &[Outcome]) {
        text.line(format_args!("static int {}is_linearizable(void)\n{{", self.prefix));
        for outcome in outcomes {
            let shown = texts.iter().zip(&outcome.results).map(|(call, result)| format!("{call} = {result}"));
            text.line(format_args!("    /* {} */", in_comment(&shown.collect::<Vec<_>>().join(", "))));
            let values = results.iter().zip(&outcome.results);
            let equal: Vec<String> = values.map(|(name, value)| format!("{name} == {}", literal(*value))).collect();
            let orders: Vec<String> = outcome.orders.iter().map(|order| order.condition(calls)).collect();
            let in_time = match orders.iter().any(String::is_empty) {
                true => String::new(),
                false => format!(" && ({})", orders.join(" || ")),
            };
            text.line(format_args!("    if ({}{in_time})\n        return 1;", equal.join(" && ")));
        }
        text.line("    return 0;\n}\n");
    }
}

/// Longer names of variables are harder to read than the line that they stand on.
const LONGEST_NAME: usize = 24;

/// A call between two notes about time.
fn recorded(text: &mut Text, call: &Call, result: &str, threads: usize) {
    let Call { thread, number, index, .. } = call;
    for other in (0..threads).filter(|other| other != thread) {
        text.line(format_args!(
            "    harness_seen[{number}][{other}] = __atomic_load_n(&harness_done[{other}], __ATOMIC_RELAXED);"
        ));
    }
    text.line(format_args!("    {result} = HARNESS_VALUE({});", call.text));
    text.line(format_args!("    __atomic_store_n(&harness_done[{thread}], {}, __ATOMIC_RELAXED);", index + 1));
}

fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

fn literal(value: i64) -> String {
    match value {
        i64::MIN => "(-9223372036854775807ll - 1)".to_string(),
        value if i32::try_from(value).is_ok() => value.to_string(),
        value => format!("{value}ll"),
    }
}

fn static_variable(variables: &str) -> String {
    format!("static {};", variables.trim_start_matches("static "))
}

/// The value of a call as a number: none is 0, and of a pointer only whether it is null.
const VALUE: &str = "#define HARNESS_RESULT(...) \\\n    \
    _Generic((__typeof__(__VA_ARGS__) *)0, void *: ((__VA_ARGS__), 0), default: (__VA_ARGS__))\n\
    #define HARNESS_VALUE(...) __builtin_choose_expr(__builtin_classify_type(HARNESS_RESULT(__VA_ARGS__)) == 5, \\\n    \
    (long long)(HARNESS_RESULT(__VA_ARGS__) != 0), (long long)(HARNESS_RESULT(__VA_ARGS__)))\n";

/// The function that returns any value of this type, and its own type. The type is as clang spells it.
pub fn input_of(ty: &str) -> Option<(&'static str, &'static str)> {
    Some(match ty {
        "_Bool" | "bool" => ("__VERIFIER_nondet_bool", "_Bool"),
        "char" | "signed char" => ("__VERIFIER_nondet_char", "char"),
        "unsigned char" => ("__VERIFIER_nondet_uchar", "unsigned char"),
        "short" => ("__VERIFIER_nondet_short", "short"),
        "unsigned short" => ("__VERIFIER_nondet_ushort", "unsigned short"),
        "int" => ("__VERIFIER_nondet_int", "int"),
        "unsigned int" => ("__VERIFIER_nondet_uint", "unsigned int"),
        "long" => ("__VERIFIER_nondet_long", "long"),
        "unsigned long" => ("__VERIFIER_nondet_ulong", "unsigned long"),
        "long long" => ("__VERIFIER_nondet_longlong", "long long"),
        "unsigned long long" => ("__VERIFIER_nondet_ulonglong", "unsigned long long"),
        _ if ty.starts_with("enum ") => ("__VERIFIER_nondet_int", "int"),
        _ => return None,
    })
}
