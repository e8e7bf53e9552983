//! Options about functions that look at the program from outside.

use crate::engines::Capability;
use clap::Args;
use selvedge_from_llvm::ObserverTexts;
use selvedge_program::observers::{END, NO_LIVELOCK, PROGRESS, Specification, TERMINATION};

const OWN: &str = "Properties of your own";

#[derive(Args, Default)]
pub struct ObserverArgs {
    /// Check that this holds after every step: a C function `int NAME(void)`, a variable, or a C expression
    /// over what the program declares. It must only look. May be given several times
    #[arg(long, value_name = "NAME", add = Capability::Invariants, help_heading = OWN)]
    pub invariant: Vec<String>,
    /// Run this C function first, as a single step
    #[arg(long, value_name = "NAME", value_parser = name, add = Capability::Init, help_heading = OWN)]
    pub init: Option<String>,
    /// Take states for the same if this C function `void NAME(void)` writes the same to its variables, and all
    /// threads are at the same place. It may use any global variables as its buffer: they are put back.
    /// Fewer states, but the verdict is never more than "safe under the abstraction" [default: update_abs]
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "update_abs", value_parser = name,
          add = Capability::Abstraction, help_heading = OWN)]
    pub abstraction: Option<String>,
    /// Check that a formula of temporal logic holds of every run: G F X U R W, or [] <>, and ! && || -> <->.
    /// Its propositions are named by --prop, or are C functions `int NAME(void)` or variables of the program;
    /// `end` holds when the process has ended. A run that ends stays in its last state
    #[arg(long, value_name = "FORMULA", add = Capability::Temporal, help_heading = OWN)]
    pub ltl: Option<String>,
    /// Name a C expression over what the program declares, for --ltl
    #[arg(long, value_name = "NAME=EXPRESSION", value_parser = proposition, requires = "ltl",
          add = Capability::Temporal, help_heading = OWN)]
    pub prop: Vec<(String, String)>,
    /// Check that every run ends or calls `selvedge_progress()` again and again
    #[arg(long, conflicts_with = "ltl", add = Capability::Temporal, help_heading = OWN)]
    pub livelock: bool,
    /// With --ltl, --livelock or --property termination: only runs in which no thread that could always go on is left
    /// out for ever
    #[arg(long, add = Capability::Temporal, help_heading = OWN)]
    pub fair: bool,
    /// Among the properties is termination, which is a formula, too.
    #[arg(skip)]
    pub termination: bool,
}

impl ObserverArgs {
    pub fn is_temporal(&self) -> bool {
        self.ltl.is_some() || self.livelock || self.termination
    }

    /// Does anything look at single states?
    pub fn observes_states(&self) -> bool {
        !self.invariant.is_empty() || self.init.is_some() || self.abstraction.is_some()
    }

    /// Does the formula count steps? The error says what is wrong with it.
    pub fn counts_steps(&self) -> Result<bool, String> {
        Ok(self.texts()?.specification.is_some_and(|specification| specification.formula.has_next()))
    }

    /// The observers as the front end takes them. The error says what does not fit together.
    pub fn texts(&self) -> Result<ObserverTexts, String> {
        if self.prop.iter().any(|(name, _)| name == END) {
            return Err(format!("--prop {END}=…: `{END}` always means that the process has ended"));
        }
        if self.fair && !self.is_temporal() {
            return Err("--fair requires --ltl, --livelock or --property termination".to_string());
        }
        if self.termination && (self.ltl.is_some() || self.livelock) {
            let why = "termination is a formula of its own (F end), and there can be only one";
            return Err(format!("--property termination cannot be combined with --ltl or --livelock: {why}"));
        }
        let text = match (self.livelock, self.termination) {
            (true, _) => Some(NO_LIVELOCK),
            (_, true) => Some(TERMINATION),
            _ => self.ltl.as_deref(),
        };
        let specification = text.map(|text| Specification::new(text, self.fair)).transpose();
        let specification = specification.map_err(|error| format!("--ltl: {error}"))?;
        let names = specification.iter().flat_map(|s| &s.names).filter(|name| *name != END);
        let expression =
            |name: &str| self.prop.iter().rev().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        let propositions: Vec<_> = names.map(|name| (name.clone(), expression(name))).collect();
        let unused = |name: &String| !propositions.iter().any(|(used, _)| used == name);
        if let Some((name, _)) = self.prop.iter().find(|(name, _)| unused(name)) {
            return Err(format!("--prop {name}=…: the formula has no proposition `{name}`"));
        }
        Ok(ObserverTexts {
            init: self.init.clone(),
            invariants: self.invariant.clone(),
            abstraction: self.abstraction.clone(),
            propositions,
            specification,
        })
    }
}

/// `--livelock` needs the bit of the models that changes with each progress.
pub fn needs_progress(texts: &ObserverTexts) -> bool {
    texts.propositions.iter().any(|(name, _)| name == PROGRESS)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn name(text: &str) -> Result<String, String> {
    if is_name(text) { Ok(text.to_string()) } else { Err("not the name of a C function".to_string()) }
}

fn proposition(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, expression)| (name.trim(), expression.trim()));
    match parts {
        Some((name, expression)) if is_name(name) && !expression.is_empty() => {
            match matches!(name, "G" | "F" | "X" | "U" | "R" | "V" | "W" | "true" | "false") {
                true => Err(format!("`{name}` means something else in formulas")),
                false => Ok((name.to_string(), expression.to_string())),
            }
        }
        _ => Err("expected NAME=EXPRESSION, as in 'grant=owner == 1'".to_string()),
    }
}
