//! Ranges of memory cells, computed by Frama-C's Eva (Lazy-CSeq 2.0, TACAS 2017).
//!
//! Eva runs over the sequential program, in which every store is shown to it, and prints what it may store each time it
//! gets there. (The paper looks at the end of the program only; but what a variable holds at the end need not be all
//! that it ever held.) A cell holds its initial value or what some store puts there; nothing is known of a cell that is
//! written otherwise or begins uninitialised. Signed overflow wraps around here, as on the VM.

use crate::complaints::{self, Manner};
use crate::process::{Trouble, run};
use hashbrown::HashMap;
use selvedge_analyze::{Facts, Range};
use selvedge_bound::{BlockId, ObjectKind, StepOp};
use selvedge_engine::{Control, Progress};
use selvedge_program::{DataModel, EntityRef, GlobalId, Op, Reason};
use selvedge_symbolic::lazy::narrowing::KnownCells;
use selvedge_to_c::{Backend, Options, Style, sequentialize};
use std::collections::BTreeMap;

/// Loads only what Eva needs. Behaviour that C leaves undefined and the VM defines is no alarm.
const COMMAND: [&str; 13] = [
    "frama-c",
    "-no-autoload-plugins",
    "-load-module",
    "eva,inout,scope",
    "-eva",
    "-eva-precision",
    "2",
    "-no-warn-signed-overflow",
    "-no-warn-left-shift-negative",
    "-no-warn-right-shift-negative",
    "-no-warn-invalid-bool",
    "-warn-special-float",
    "none",
];

/// A step that stores: thread, block, step.
type Place = (usize, usize, usize);
/// Lowest and highest; `None`: anything.
type Shown = HashMap<Place, Option<(i128, i128)>>;

/// The values that cells may hold in so many rounds.
struct Cells {
    /// By object: from where to where something is stored, and what. `None`: anything.
    written: BTreeMap<GlobalId, Vec<(i64, i64, Option<Range>)>>,
    initial: BTreeMap<GlobalId, Vec<u8>>,
}

/// Asks Eva for the values that memory may hold in this many rounds.
pub fn known_cells(facts: &Facts<'_>, rounds: u32, control: &Control) -> Result<Box<dyn KnownCells>, Reason> {
    let (style, backend, properties) = (Style::Tacas17, Backend::FramaC, facts.properties);
    let options = Options { rounds, style, backend, properties, store_buffer: None };
    let text = sequentialize(facts.bounded, facts, None, &options)?.text;
    Ok(Box::new(Cells::read(facts, &shown(&eva(&text, facts.bounded.program.data_model, control)?))))
}

impl Cells {
    fn read(facts: &Facts<'_>, shown: &Shown) -> Cells {
        let mut cells = Cells { written: BTreeMap::new(), initial: BTreeMap::new() };
        for (id, object) in &facts.bounded.objects {
            let from = match object.kind {
                ObjectKind::Global => id,
                ObjectKind::ThreadLocal { of, .. } => of,
                ObjectKind::Stack | ObjectKind::Heap => continue,
            };
            let global = &facts.bounded.program.globals[from];
            if global.relocations.is_empty() {
                let mut bytes = global.init.clone();
                bytes.resize(object.size as usize, 0);
                cells.initial.insert(id, bytes);
            }
        }
        for (thread, body) in facts.bounded.threads.iter().enumerate() {
            for (block, body) in &body.blocks {
                for (step, this) in body.steps.iter().enumerate() {
                    cells.note(facts, (thread, block, step), &this.op, shown);
                }
            }
        }
        cells
    }

    fn note(&mut self, facts: &Facts<'_>, (thread, block, step): (usize, BlockId, usize), op: &StepOp, shown: &Shown) {
        let regs = &facts.bounded.threads[thread].regs;
        let written = |op: &Op| op.memory().find(|access| access.writes).and_then(|access| access.size.ty(regs));
        let ty = if let StepOp::Plain(op) = op { written(op) } else { None };
        let value = shown.get(&(thread, block.index(), step)).copied().flatten();
        for access in facts.interference.accesses(thread, block, step).iter().filter(|access| access.write) {
            let width = ty.map(|ty| 8 * ty.bytes(facts.bounded.program.data_model));
            let range = width.zip(value).map(|(width, (low, high))| Range::wrapped(width, low, high));
            self.written.entry(access.object).or_default().push((access.from, access.to, range));
        }
    }
}

impl KnownCells for Cells {
    fn get(&self, object: GlobalId, at: u64, bytes: u32) -> Option<Range> {
        let (start, end) = (at as i64, at as i64 + i64::from(bytes));
        let initial = self.initial.get(&object)?.get(at as usize..end as usize)?;
        let bits = initial.iter().rev().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
        let mut all = (bytes <= 8).then(|| Range::exactly(8 * bytes, bits))?;
        for (from, to, range) in self.written.get(&object).into_iter().flatten() {
            if *from < end && start < *to {
                all = all.join((*range).filter(|range| range.width() == 8 * bytes && from % i64::from(bytes) == 0)?);
            }
        }
        Some(all)
    }
}

/// Runs it and returns its output.
fn eva(text: &str, model: DataModel, control: &Control) -> Result<String, Reason> {
    let cannot = |error: std::io::Error| Reason::Limit(format!("the program cannot be written for Frama-C: {error}"));
    let folder = tempfile::tempdir().map_err(cannot)?;
    let file = folder.path().join("sequential.c");
    std::fs::write(&file, text).map_err(cannot)?;
    let machine = match model {
        DataModel::Ilp32 => ["-machdep", "gcc_x86_32", "-cpp-extra-args=-m32"],
        DataModel::Lp64 => ["-machdep", "gcc_x86_64", "-cpp-extra-args=-m64"],
    };
    let file = file.to_string_lossy();
    let words: Vec<&str> = COMMAND.into_iter().chain(machine).chain([file.as_ref()]).collect();
    let ended = match run(&words, control, &mut |_| Progress::default()) {
        Ok(ended) => ended,
        Err(Trouble::NotInstalled) => return Err(Reason::Limit("frama-c is not installed".to_string())),
        Err(Trouble::Why(reason)) => return Err(reason),
    };
    match ended.badly() {
        Some(how) => Err(Reason::Limit(format!("frama-c {how}; its last words: {}", ended.last_words))),
        None if !ended.output.contains("VALUES COMPUTED") => {
            Err(Reason::Limit("frama-c did not get to the end of its analysis".to_string()))
        }
        None => {
            complaints::unless_complained("frama-c", Manner::FramaC, &ended, ())?;
            Ok(ended.output)
        }
    }
}

/// From `[eva] f.c:3: Frama_C_show_each_1_4_2: {0; 1}`; what is long stands on lines of its own.
fn shown(output: &str) -> Shown {
    const MARK: &str = "Frama_C_show_each_";
    let mut shown = Shown::new();
    let joined = output.replace("\n  ", " ");
    for line in joined.lines() {
        let Some((_, said)) = line.split_once(MARK) else { continue };
        let Some((place, value)) = said.split_once(':') else { continue };
        let numbers: Vec<usize> = place.split('_').filter_map(|number| number.parse().ok()).collect();
        let [thread, block, step] = numbers[..] else { continue };
        let new = interval(value.trim());
        let known = shown.entry((thread, block, step)).or_insert(new);
        *known = known.zip(new).map(|(known, new)| (known.0.min(new.0), known.1.max(new.1)));
    }
    shown
}

/// `{0; 1}`, or `[0..12]`, perhaps with a remainder behind it.
fn interval(text: &str) -> Option<(i128, i128)> {
    if let Some(values) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        let values: Option<Vec<i128>> = values.split(';').map(|value| value.trim().parse().ok()).collect();
        let values = values?;
        return Some((*values.iter().min()?, *values.iter().max()?));
    }
    let (ends, rest) = text.strip_prefix('[')?.split_once(']')?;
    let (low, high) = ends.split_once("..")?;
    let plain = rest.is_empty() || rest.starts_with(',');
    Some((low.parse().ok()?, high.parse().ok()?)).filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        assert_eq!(interval("{-1; 7; 3}"), Some((-1, 7)));
        assert_eq!(interval("[2..40]"), Some((2, 40)));
        assert_eq!(interval("[2..40],0%2"), Some((2, 40)));
        for anything in ["[--..--]", "[0..--]", "{{ &x }}", "[0. .. 1.]", ""] {
            assert_eq!(interval(anything), None, "{anything}");
        }
    }

    #[test]
    fn all_that_is_shown_of_a_place_is_joined() {
        let output = "[eva] a.c:1: Frama_C_show_each_0_1_2: {0}\n[eva] a.c:1:\n  Frama_C_show_each_0_1_2: {3; 5}\n\
                      [eva] a.c:2: Frama_C_show_each_1_0_0: {1}\n[eva] a.c:2: Frama_C_show_each_1_0_0: [--..--]\n";
        let shown = shown(output);
        assert_eq!(shown[&(0, 1, 2)], Some((0, 5)));
        assert_eq!(shown[&(1, 0, 0)], None);
    }
}
