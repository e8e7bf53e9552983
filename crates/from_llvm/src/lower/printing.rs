//! The memory that output functions read.
//!
//! The models of `printf`, `puts` and their like do nothing with their texts, so that output costs nothing. What they
//! would read they have to read all the same: `printf("%s", p)` is a use of what `p` points to. So before the call of
//! such a function stands one of a model that reads each text, unless that is a literal. Where somebody looks at the
//! number of characters that were printed, or the format is not a literal, a model of another name is called that makes
//! the whole text.

use selvedge_program::{Callee, Op, Operand, Ty};

use super::function::Body;
use crate::ll;

const READS: &str = "__selvedge_reads_text";
const PRINTS: &str = "__selvedge_prints_text";
/// The prefix of the models that make the whole text.
pub const FULL: &str = "__selvedge_full_";

/// Functions with a format, and its position among the arguments.
const FORMATS: [(&str, usize); 6] =
    [("printf", 0), ("fprintf", 1), ("dprintf", 1), ("__printf_chk", 1), ("__fprintf_chk", 2), ("__dprintf_chk", 2)];

/// Functions that take the arguments of another function, and read them if nobody looks at the number of characters.
const FORMATS_OF_LISTS: [&str; 3] = ["vprintf", "vfprintf", "vdprintf"];

/// Functions that print a text, or take it for the name of something, and the positions of such texts.
const TEXTS: [(&str, &[usize]); 27] = [
    ("puts", &[0]),
    ("fputs", &[0]),
    ("fputs_unlocked", &[0]),
    ("perror", &[0]),
    ("fopen", &[0, 1]),
    ("freopen", &[1]),
    ("open", &[0]),
    ("open64", &[0]),
    ("creat", &[0]),
    ("remove", &[0]),
    ("unlink", &[0]),
    ("rename", &[0, 1]),
    ("link", &[0, 1]),
    ("symlink", &[0, 1]),
    ("stat", &[0]),
    ("lstat", &[0]),
    ("stat64", &[0]),
    ("lstat64", &[0]),
    ("access", &[0]),
    ("readlink", &[0]),
    ("chmod", &[0]),
    ("truncate", &[0]),
    ("opendir", &[0]),
    ("mkdir", &[0]),
    ("rmdir", &[0]),
    ("chdir", &[0]),
    ("system", &[0]),
];

/// A conversion of a format that reads memory or takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    /// Takes an argument, which is not read through.
    Value,
    /// A text of at most so many characters.
    Text(Limit),
    /// Stores how many characters were printed, or is not known here.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    None,
    Fixed(u32),
    /// An argument says so.
    Argument,
}

impl Body<'_, '_> {
    /// The name of the model that is to be called for a library function, with what it reads read before.
    /// `counted`: somebody looks at the result.
    pub fn output_model(&mut self, name: &str, call: &ll::Call, counted: bool) -> String {
        if let Some((_, positions)) = TEXTS.iter().find(|(known, _)| *known == name) {
            for position in *positions {
                if let Some(text) = call.args.get(*position) {
                    self.reads(READS, text, self.no_limit());
                }
            }
            return name.to_string();
        }
        let full = || format!("{FULL}{name}");
        if FORMATS_OF_LISTS.contains(&name) {
            return if counted { full() } else { name.to_string() };
        }
        let Some((_, position)) = FORMATS.iter().find(|(known, _)| *known == name) else { return name.to_string() };
        let format = call.args.get(*position).and_then(|arg| self.literal_text(arg));
        let conversions = format.map(|format| conversions(&format)).filter(|list| !list.contains(&Conversion::Other));
        match conversions {
            Some(conversions) if !counted => self
                .reads_arguments(&conversions, call.args.get(position + 1..).unwrap_or_default(), full)
                .unwrap_or_else(|| name.to_string()),
            _ => full(),
        }
    }

    /// The name of another model if an argument is missing.
    fn reads_arguments(
        &mut self,
        conversions: &[Conversion],
        args: &[ll::Arg],
        full: impl Fn() -> String,
    ) -> Option<String> {
        let long = Ty::Int(self.layout.pointer_bits());
        let mut args = args.iter();
        for conversion in conversions {
            let limit = match conversion {
                Conversion::Text(Limit::Argument) => {
                    let Some(limit) = args.next() else { return Some(full()) };
                    let limit = self.leaves(&limit.ty, &limit.value).ok().and_then(|leaves| leaves.first().copied());
                    limit.and_then(|limit| self.sign_extend(limit, long))
                }
                Conversion::Text(Limit::Fixed(most)) => {
                    Some(Operand::int(self.layout.pointer_bits(), u128::from(*most)))
                }
                Conversion::Text(Limit::None) | Conversion::Value | Conversion::Other => None,
            };
            let Some(arg) = args.next() else { return Some(full()) };
            if matches!(conversion, Conversion::Text(_)) {
                self.reads(PRINTS, arg, limit.unwrap_or(self.no_limit()));
            }
        }
        None
    }

    /// The greatest number of bytes, and -1.
    fn no_limit(&self) -> Operand {
        let bits = self.layout.pointer_bits();
        Operand::int(bits, super::constants::mask(bits, u128::MAX))
    }

    fn sign_extend(&mut self, value: Operand, to: Ty) -> Option<Operand> {
        match (self.ty(value), to) {
            (Ty::Int(from), Ty::Int(bits)) if from < bits => {
                Some(self.cast_to(selvedge_program::Cast::SignExtend, value, to))
            }
            (Ty::Int(from), Ty::Int(bits)) => (from == bits).then_some(value),
            _ => None,
        }
    }

    fn literal_text(&mut self, arg: &ll::Arg) -> Option<String> {
        let leaves = self.leaves(&arg.ty, &arg.value).ok()?;
        self.cx.string_at(*leaves.first()?)
    }

    /// Calls a model that reads a text, unless it is a literal.
    fn reads(&mut self, model: &str, text: &ll::Arg, most: Operand) {
        let Ok(leaves) = self.leaves(&text.ty, &text.value) else { return };
        let (Some(&text), Some(model)) = (leaves.first(), self.cx.defined_function(model)) else { return };
        if self.ty(text) == Ty::Ptr && self.cx.string_at(text).is_none() {
            self.emit(Op::Call { dsts: vec![], callee: Callee::Direct(model), args: vec![text, most] });
        }
    }
}

/// The conversions of a format, in order, with an entry for each argument that is taken.
fn conversions(format: &str) -> Vec<Conversion> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some((_, conversion)) = rest.split_once('%') {
        let flags = conversion.trim_start_matches(['-', '+', ' ', '#', '0', '\'']);
        let after_width = match flags.strip_prefix('*') {
            Some(after) => {
                found.push(Conversion::Value);
                after
            }
            None => flags.trim_start_matches(|c: char| c.is_ascii_digit()),
        };
        let (limit, after) = precision(after_width);
        let kind = after.trim_start_matches(['h', 'l', 'z', 't', 'j', 'q', 'L']);
        let is_wide = after.starts_with('l');
        let mut letters = kind.chars();
        let letter = letters.next();
        rest = letters.as_str();
        let takes = match letter {
            Some('%' | 'm') | None => continue,
            Some('s') if !is_wide => Conversion::Text(limit),
            Some('s' | 'S' | 'n') => Conversion::Other,
            Some(_) => Conversion::Value,
        };
        if limit == Limit::Argument && takes == Conversion::Value {
            found.push(Conversion::Value);
        }
        found.push(takes);
    }
    found
}

fn precision(text: &str) -> (Limit, &str) {
    let Some(digits) = text.strip_prefix('.') else { return (Limit::None, text) };
    if let Some(rest) = digits.strip_prefix('*') {
        return (Limit::Argument, rest);
    }
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    (Limit::Fixed(digits[..digits.len() - rest.len()].parse().unwrap_or(0)), rest)
}

#[cfg(test)]
mod tests {
    use super::Conversion::{Other, Text, Value};
    use super::{Limit, conversions};

    #[test]
    fn conversions_of_formats() {
        let text = Text(Limit::None);
        assert_eq!(conversions("a %d %-5s%% %lu\n"), [Value, text, Value]);
        assert_eq!(
            conversions("%*d %.3s %.*s %.*f"),
            [Value, Value, Text(Limit::Fixed(3)), Text(Limit::Argument), Value, Value]
        );
        assert_eq!(conversions("%ls %n %m 100%"), [Other, Other]);
        assert_eq!(conversions("%08.3lf%s"), [Value, text]);
    }
}
