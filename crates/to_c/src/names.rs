//! Names that C allows, each given once.

use std::collections::{HashMap, HashSet};

/// Words of C and of the tools, and what the control code calls its own.
const TAKEN: &str = "auto break case char const continue default do double else enum extern float for goto if inline \
    int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile \
    while _Bool _Complex _Imaginary _Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local asm \
    typeof true false bool NULL main abort exit getenv strtoull dprintf malloc free memcpy memmove memset \
    int8_t uint8_t int16_t uint16_t int64_t uint64_t uintptr_t ptrdiff_t size_t fmod fmin fmax fabs sqrt floor ceil \
    trunc round rint copysign \
    J G L ASSUME ASSERT CHECK BITS ANY HAVOC FILL TURN READABLE BOUND HALT END FIRST FINISHED UNSUPPORTED INPUT PC CS SIZE \
    begun active pc cs ct size probing helpless nobody unsure IN_VAIN WAITS selvedge_fail selvedge_random selvedge_given selvedge_turn selvedge_input \
    selvedge_havoc unix linux i386 assert";

#[derive(Clone)]
pub struct Names {
    taken: HashSet<String>,
    next: HashMap<String, usize>,
}

impl Default for Names {
    fn default() -> Names {
        Names { taken: TAKEN.split_whitespace().map(String::from).collect(), next: HashMap::new() }
    }
}

impl Names {
    pub fn is_free(&self, name: &str) -> bool {
        !self.taken.contains(name) && !name.starts_with("__builtin") && !name.starts_with("__CPROVER")
    }

    pub fn take(&mut self, name: &str) {
        self.taken.insert(name.to_string());
    }

    /// The name, with a number behind it if it is taken.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let wanted = self.clean(wanted);
        let mut name = wanted.clone();
        while !self.taken.insert(name.clone()) {
            let next = self.next.entry(wanted.clone()).or_insert(2);
            name = format!("{wanted}_{next}");
            *next += 1;
        }
        name
    }

    /// An identifier. What looks like a name of the control code gets an underscore.
    pub fn clean(&self, name: &str) -> String {
        let mut clean = identifier(name);
        let control =
            ["cs_", "pc_", "active_", "doomed_", "stuck_", "SIZE_", "any_", "nondet_", "__CPROVER", "__builtin"];
        let label = |prefix: char| clean.strip_prefix(prefix).is_some_and(|rest| rest.parse::<u32>().is_ok());
        if control.iter().any(|prefix| clean.starts_with(prefix)) || label('L') || label('b') {
            clean.push('_');
        }
        clean
    }
}

/// Letters, digits, underscores.
pub fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let mut clean: String = name.chars().map(plain).collect();
    if clean.is_empty() || clean.starts_with(|c: char| c.is_ascii_digit()) {
        clean.insert(0, '_');
    }
    clean
}
