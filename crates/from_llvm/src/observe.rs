//! Observers of a program, from options on the command line.
//!
//! `--prop 'grant=owner == 1'` becomes a function `int __selvedge_proposition_0(void) { return !!(owner == 1); }`,
//! compiled after the text of the user's file: types, macros and static variables of that file are thus known, and
//! clang reports errors in its usual words. A bare name is a function that is called or a variable that is read. With
//! several files, the first one in which the text compiles is taken.

use crate::FrontEndError;
use crate::clang::{self, Clang, ClangOptions, InputKind};
use crate::lower::LowerError;
use selvedge_program::{FuncId, Observer, Observers, Program, Specification, is_own_name};
use std::path::PathBuf;

/// The observers of a program, as texts.
#[derive(Clone, Debug, Default)]
pub struct ObserverTexts {
    /// A function that runs before everything else.
    pub init: Option<String>,
    /// Names of functions or variables, or C expressions.
    pub invariants: Vec<String>,
    /// The name of a function.
    pub abstraction: Option<String>,
    /// Names, each with a C expression; without one it is a name of the program.
    pub propositions: Vec<(String, Option<String>)>,
    pub specification: Option<Specification>,
}

const INIT: &str = "__selvedge_init";
const ABSTRACTION: &str = "__selvedge_abstraction";

fn invariant(number: usize) -> String {
    format!("__selvedge_invariant_{number}")
}

fn proposition(number: usize) -> String {
    format!("__selvedge_proposition_{number}")
}

/// A function to be compiled with the program.
struct Function<'a> {
    /// The option that asked for it.
    option: String,
    /// Its declaration.
    head: String,
    body: Body<'a>,
}

enum Body<'a> {
    /// The name of a function without result that is called.
    Call(&'a str),
    /// An expression whose truth is returned.
    Truth(&'a str),
}

impl ObserverTexts {
    fn functions(&self) -> Vec<Function<'_>> {
        let mut functions = Vec::new();
        if let Some(name) = &self.init {
            functions.push(Function {
                option: format!("--init {name}"),
                head: format!("__attribute__((constructor(1))) void {INIT}(void)"),
                body: Body::Call(name),
            });
        }
        for (number, text) in self.invariants.iter().enumerate() {
            functions.push(Function {
                option: format!("--invariant {text}"),
                head: format!("int {}(void)", invariant(number)),
                body: Body::Truth(text),
            });
        }
        if let Some(name) = &self.abstraction {
            functions.push(Function {
                option: format!("--abstraction {name}"),
                head: format!("void {ABSTRACTION}(void)"),
                body: Body::Call(name),
            });
        }
        for (number, (name, text)) in self.propositions.iter().enumerate() {
            functions.push(Function {
                option: match text {
                    Some(text) => format!("--prop {name}={text}"),
                    None => format!("the proposition {name}"),
                },
                head: format!("int {}(void)", proposition(number)),
                body: Body::Truth(text.as_ref().unwrap_or(name)),
            });
        }
        functions
    }

    /// Finds the observers by the names of their functions.
    pub(crate) fn resolve(&self, find: impl Fn(&str) -> Option<FuncId>) -> Result<Observers, LowerError> {
        let observer = |name: &str, symbol: &str| match find(symbol) {
            Some(function) => Ok(Observer { name: name.to_string(), function }),
            None => Err(LowerError::NoObserver(name.to_string())),
        };
        let invariants = self.invariants.iter().enumerate().map(|(n, text)| observer(text, &invariant(n)));
        let propositions = self.propositions.iter().enumerate().map(|(n, (name, _))| observer(name, &proposition(n)));
        Ok(Observers {
            invariants: invariants.collect::<Result<_, _>>()?,
            abstraction: self.abstraction.as_ref().map(|name| observer(name, ABSTRACTION)).transpose()?,
            propositions: propositions.collect::<Result<_, _>>()?,
            specification: self.specification.clone(),
            init: self.init.clone(),
        })
    }

    /// Rejects observers that are declared but not defined: their result would be arbitrary.
    pub(crate) fn check_defined(&self, program: &Program) -> Result<(), FrontEndError> {
        for function in self.functions() {
            let name = function.body.text();
            if program.unmodelled.iter().any(|unmodelled| unmodelled.name == name) {
                return Err(function.missing());
            }
        }
        Ok(())
    }
}

impl Body<'_> {
    fn text(&self) -> &str {
        match self {
            Body::Call(text) | Body::Truth(text) => text,
        }
    }
}

impl Function<'_> {
    /// The C text, to be appended to a file of the program.
    fn text(&self) -> String {
        let body = match self.body {
            Body::Call(name) => {
                "void __selvedge_atomic_begin(void); void __selvedge_atomic_end(void); __selvedge_atomic_begin(); "
                    .to_string()
                    + &format!("\n{}\n(); __selvedge_atomic_end();", self.marked(name))
            }
            Body::Truth(text) if is_name(text) => {
                let function = |result: &str| format!("{result} (*)(void): (({result} (*)(void))(long)({text}))(), ");
                let results = ["int", "_Bool", "unsigned", "char", "long"].map(function).concat();
                format!("return !!_Generic((\n{}\n), {results}default: ({text}));", self.marked(text))
            }
            Body::Truth(text) => format!("return !!(\n{}\n);", self.marked(text)),
        };
        format!("{} {{ {body} }}\n", self.head)
    }

    /// The text on a line of its own, which clang's messages name after the option.
    fn marked(&self, text: &str) -> String {
        format!("# 1 \"{}\"\n{text}", self.option.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
    }

    /// The C text as a file of its own, in which only the name of the program's function is known.
    fn foreign_text(&self) -> Result<String, FrontEndError> {
        let text = self.body.text();
        if !is_name(text) {
            let what =
                "C expressions need C: the program is LLVM IR or C++, so only its functions can be named".to_string();
            return Err(FrontEndError::Observer { option: self.option.clone(), what });
        }
        Ok(match self.body {
            Body::Call(_) => format!("void {text}(void); {}", self.text()),
            Body::Truth(_) => format!("int {text}(void); {}", self.text()),
        })
    }

    fn missing(&self) -> FrontEndError {
        let what = match self.body {
            Body::Call(name) => format!("the program has no function `{name}`"),
            Body::Truth(name) => format!("the program has neither a function nor a variable `{name}`"),
        };
        FrontEndError::Observer { option: self.option.clone(), what }
    }

    /// Whether the error is about this function, not about the program.
    fn is_to_blame(&self, error: &clang::FrontEndError) -> bool {
        let messages = if let clang::FrontEndError::Compile { messages, .. } = error { messages } else { "" };
        messages.lines().any(|line| line.starts_with(&format!("{}:", self.option)))
    }

    /// The error, in our words if it is only a missing name.
    fn complaint(&self, error: clang::FrontEndError) -> FrontEndError {
        let clang::FrontEndError::Compile { messages, .. } = error else { return error.into() };
        let unknown = |what: &&str| messages.contains(&format!("undeclared {what} '{}'", self.body.text()));
        if is_name(self.body.text()) && ["identifier", "function"].iter().any(unknown) {
            return self.missing();
        }
        FrontEndError::Observer { option: self.option.clone(), what: format!("it does not compile:\n{messages}") }
    }
}

/// Whether it is a name that our models know, but not a file of the program.
fn is_ours(text: &str) -> bool {
    is_name(text) && is_own_name(text)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The IR of every input, with the observers in it, and of the observers that fit into none of them.
pub(crate) fn compile(
    clang: &Clang,
    inputs: &[PathBuf],
    options: &ClangOptions,
    texts: &ObserverTexts,
) -> Result<Vec<(String, String)>, FrontEndError> {
    let functions = texts.functions();
    let mut added = vec![String::new(); inputs.len()];
    let mut foreign = String::new();
    let sources: Vec<usize> =
        (0..inputs.len()).filter(|n| matches!(InputKind::of(&inputs[*n]), Ok(InputKind::C))).collect();
    for function in &functions {
        match home(clang, inputs, &sources, options, function)? {
            Some(number) => added[number] += &function.text(),
            None => foreign += &function.foreign_text()?,
        }
    }
    let blame = |error: clang::FrontEndError| match functions.iter().find(|function| function.is_to_blame(&error)) {
        Some(function) => function.complaint(error),
        None => error.into(),
    };
    let mut compiled = Vec::new();
    for (input, added) in inputs.iter().zip(&added) {
        let text = match added.is_empty() {
            true => clang.compile(input, options)?,
            false => clang.compile_with(input, added, options).map_err(blame)?,
        };
        compiled.push((input.display().to_string(), text));
    }
    if !foreign.is_empty() {
        let data_model = crate::read_data_model(&compiled)?;
        let options = ClangOptions { data_model, ..options.clone() };
        compiled.push(("observers".to_string(), clang.compile_source("observers", &foreign, &options)?));
    }
    Ok(compiled)
}

/// The file that it is compiled with: the only one, or the first in which it compiles. `None` if there is none.
fn home(
    clang: &Clang,
    inputs: &[PathBuf],
    sources: &[usize],
    options: &ClangOptions,
    function: &Function<'_>,
) -> Result<Option<usize>, FrontEndError> {
    let mut first_error = None;
    if is_ours(function.body.text()) {
        return Ok(None);
    }
    if let [only] = sources {
        return Ok(Some(*only));
    }
    for number in sources {
        match clang.compile_with(&inputs[*number], &function.text(), options) {
            Ok(_) => return Ok(Some(*number)),
            Err(error) => {
                let blamed = function.is_to_blame(&error);
                first_error.get_or_insert(if blamed { function.complaint(error) } else { error.into() });
            }
        }
    }
    first_error.map_or(Ok(None), Err)
}
