//! The text of inline assembly, AT&T's syntax as LLVM has it: `$0` and `${0:w}` are operands of the statement, `$$1` is
//! a number, `%eax` a register.

/// A line of assembly.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Label(String),
    Instruction { locked: bool, name: String, operands: Vec<Place> },
}

/// An operand that an instruction reads or writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    Number(i64),
    /// An operand of the statement, and the width at which it is seen.
    Operand {
        number: usize,
        width: Option<u8>,
    },
    Register {
        name: &'static str,
        width: u8,
    },
    /// Memory at a register's, or an operand's, value.
    Memory {
        base: Box<Place>,
        displacement: i64,
    },
    /// A label of the text, with the direction in which it is looked for.
    Label {
        name: String,
        forward: bool,
    },
    /// A label of the C text: the operand with this number.
    Goto(usize),
}

/// Prefixes that change nothing that can be seen here.
const IGNORED_PREFIXES: [&str; 9] = ["rep", "repz", "repe", "ds", "es", "cs", "data16", "notrack", "addr32"];

/// The lines of a text; `None` if some of it is not in this language.
pub fn lines(text: &str) -> Option<Vec<Line>> {
    let mut lines = vec![];
    let mut locked = false;
    let mut elsewhere = false;
    for piece in without_comments(text)?.split(['\n', ';']) {
        let mut rest = piece.trim();
        while let Some((label, after)) = label(rest) {
            if !elsewhere {
                lines.push(Line::Label(label.to_string()));
            }
            rest = after.trim_start();
        }
        let (mut name, mut after) = first_word(rest);
        if name.starts_with('.') {
            match name {
                // Tables for a kernel that patches its own code.
                ".pushsection" | ".section" => elsewhere = true,
                ".popsection" | ".previous" => elsewhere = false,
                ".text" | ".align" | ".balign" | ".p2align" => {}
                _ if elsewhere => {}
                _ => return None,
            }
            continue;
        }
        if elsewhere {
            continue;
        }
        while name == "lock" || IGNORED_PREFIXES.contains(&name) {
            locked |= name == "lock";
            (name, after) = first_word(after);
        }
        if name.is_empty() {
            continue;
        }
        let operands = match after.is_empty() {
            true => vec![],
            false => split_operands(after).into_iter().map(place).collect::<Option<Vec<_>>>()?,
        };
        lines.push(Line::Instruction { locked: std::mem::take(&mut locked), name: name.to_lowercase(), operands });
    }
    (!locked).then_some(lines)
}

/// The text on one line, with its operands as C writes them: `%0`, `%w1`.
pub fn as_in_c(text: &str) -> String {
    let mut written = String::new();
    let mut rest = text.split('$');
    written.push_str(rest.next().unwrap_or_default());
    while let Some(piece) = rest.next() {
        let operand = piece.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        match operand.and_then(|(inside, after)| Some((inside.split_once(':')?, after))) {
            Some(((number, modifier), after)) => written.push_str(&format!("%{modifier}{number}{after}")),
            // Two dollars are one.
            None if piece.is_empty() => written.push_str(&format!("${}", rest.next().unwrap_or_default())),
            None => written.push_str(&format!("%{piece}")),
        }
    }
    written.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes the first of two dialects, and comments out.
fn without_comments(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        plain.push_str(&rest[..start]);
        rest = rest[start..].split_once("*/")?.1;
    }
    plain.push_str(rest);
    while let Some(start) = plain.find("$(") {
        let end = start + plain[start..].find("$)")?;
        let first = plain[start + 2..end].split("$|").next()?.to_string();
        plain.replace_range(start..end + 2, &first);
    }
    let lines = plain.lines().map(|line| line.split('#').next().unwrap_or("").split("//").next().unwrap_or(""));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (text, ""),
    }
}

/// `1: …`
fn label(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.split_once(':')?;
    let good = !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    good.then_some((label, rest))
}

/// Splits at commas outside of parentheses.
fn split_operands(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0, 0);
    let mut operands = vec![];
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                operands.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    operands.push(text[start..].trim());
    operands
}

fn place(text: &str) -> Option<Place> {
    if let Some(number) = text.strip_prefix("$$") {
        return number_in(number).map(Place::Number);
    }
    if let Some(inside) = text.strip_suffix(')') {
        let (displacement, base) = inside.split_once('(')?;
        let displacement = if displacement.trim().is_empty() { 0 } else { number_in(displacement)? };
        return Some(Place::Memory { base: Box::new(place(base.trim())?), displacement });
    }
    if let Some(operand) = text.strip_prefix("${") {
        let (number, modifier) = operand.strip_suffix('}')?.split_once(':')?;
        let number = number.parse().ok()?;
        let width = match modifier {
            "b" => 8,
            "w" => 16,
            "k" => 32,
            "q" => 64,
            "l" => return Some(Place::Goto(number)),
            "P" | "c" | "n" | "a" | "h" | "z" => return None,
            _ => return None,
        };
        return Some(Place::Operand { number, width: Some(width) });
    }
    if let Some(number) = text.strip_prefix('$') {
        return Some(Place::Operand { number: number.parse().ok()?, width: None });
    }
    if let Some(register) = text.strip_prefix('%') {
        let (name, width) = register_named(register)?;
        return Some(Place::Register { name, width });
    }
    let (name, forward) = match text.strip_suffix('f') {
        Some(name) => (name, true),
        None => (text.strip_suffix('b')?, false),
    };
    let numeric = !name.is_empty() && name.bytes().all(|c| c.is_ascii_digit());
    numeric.then(|| Place::Label { name: name.to_string(), forward })
}

fn number_in(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

/// A register by the name of its lowest 16 bits, and the width of the name.
pub fn register_named(text: &str) -> Option<(&'static str, u8)> {
    const OLD: [&str; 8] = ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp"];
    const NEW: [&str; 8] = ["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    if let Some(name) = OLD.iter().find(|name| **name == text) {
        return Some((name, 16));
    }
    for name in OLD {
        match text.strip_suffix(name) {
            Some("e") => return Some((name, 32)),
            Some("r") => return Some((name, 64)),
            _ => {}
        }
        if text.strip_suffix('l') == Some(&name[..1]) && name.ends_with('x') || text.strip_suffix('l') == Some(name) {
            return Some((name, 8));
        }
    }
    for name in NEW {
        let width = match text.strip_prefix(name) {
            Some("") => 64,
            Some("d") => 32,
            Some("w") => 16,
            Some("b") => 8,
            _ => continue,
        };
        return Some((name, width));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(locked: bool, name: &str, operands: &[Place]) -> Line {
        Line::Instruction { locked, name: name.to_string(), operands: operands.to_vec() }
    }

    fn operand(number: usize) -> Place {
        Place::Operand { number, width: None }
    }

    #[test]
    fn prefixes_and_operands() {
        let expected = [instruction(true, "xaddl", &[operand(0), operand(1)])];
        for text in
            ["\n\tlock; xaddl $0, $1", "lock xaddl $0,$1", "lock\n xaddl $0, $1 # comment", "/* a */lock;xaddl $0,$1"]
        {
            assert_eq!(lines(text).as_deref(), Some(&expected[..]), "{text}");
        }
        let base = Box::new(Place::Register { name: "sp", width: 64 });
        let stack = Place::Memory { base, displacement: -4 };
        let expected = [instruction(true, "addl", &[Place::Number(0), stack])];
        assert_eq!(lines("lock; addl $$0,-4(%rsp)").as_deref(), Some(&expected[..]));
        assert_eq!(lines("rep; nop").as_deref(), Some(&[instruction(false, "nop", &[])][..]));
        assert_eq!(lines("").as_deref(), Some(&[][..]));
    }

    #[test]
    fn labels_and_tables() {
        let text =
            ".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; decb $0\n\tjns 671b";
        let back = Place::Label { name: "671".to_string(), forward: false };
        let expected = [
            Line::Label("671".to_string()),
            instruction(true, "decb", &[operand(0)]),
            instruction(false, "jns", &[back]),
        ];
        assert_eq!(lines(text).as_deref(), Some(&expected[..]));
    }

    #[test]
    fn another_language() {
        for text in ["lock", "movq %fs:0, $0", "mov eax, 1", ".byte 1"] {
            assert_eq!(lines(text), None, "{text}");
        }
    }

    #[test]
    fn for_people() {
        assert_eq!(as_in_c("fnstcw $0\n\tmov $$1, ${2:w}"), "fnstcw %0 mov $1, %w2");
    }

    #[test]
    fn registers() {
        for (name, known) in [("rax", ("ax", 64)), ("al", ("ax", 8)), ("sil", ("si", 8)), ("r8d", ("r8", 32))] {
            assert_eq!(register_named(name), Some(known));
        }
        assert_eq!(register_named("xmm0"), None);
    }
}
