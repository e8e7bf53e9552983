//! The condition under which one of two ways is taken that meet again.
//!
//! Where a program parts only to complain, or to choose a value, the ways together are unconditional, but their
//! conditions, one after the other, need not look like it. So the parts of conditions that no operation of logic
//! connects are taken for variables, and if they are few, a truth table tells whether the condition holds in any case.
//! Nothing else is simplified: conditions of one way are parts of those of the next, and only what stays recognisable
//! cancels out.

use selvedge_formula::{Node, Term, Terms};
use std::collections::HashMap;

/// The most variables of a table: one bit for each of their combinations fits a word, or a few.
const VARIABLES: usize = 10;
/// The most terms.
const TERMS: usize = 80;

/// Bits of a table.
type Table = [u64; WORDS];
const WORDS: usize = 1 << (VARIABLES - 6);

/// Either of two conditions.
pub fn either(terms: &mut Terms, one: Term, other: Term) -> Term {
    let either = terms.or(one, other);
    if is_always(terms, either) { Terms::TRUE } else { either }
}

/// Does a condition hold whatever its parts are?
fn is_always(terms: &Terms, condition: Term) -> bool {
    let mut tables: HashMap<Term, Table> = HashMap::new();
    let mut variables = 0;
    let mut waiting = vec![condition];
    while let Some(&term) = waiting.last() {
        if tables.contains_key(&term) {
            waiting.pop();
            continue;
        }
        if tables.len() > TERMS {
            return false;
        }
        let parts = match terms.node(term) {
            Node::Not(a) => vec![a],
            Node::And(a, b) | Node::Xor(a, b) => vec![a, b],
            Node::Ite(c, a, b) => vec![c, a, b],
            _ => Vec::new(),
        };
        let open: Vec<Term> = parts.iter().copied().filter(|part| !tables.contains_key(part)).collect();
        if !open.is_empty() {
            waiting.extend(open);
            continue;
        }
        let each = |of: &dyn Fn(usize) -> u64| -> Table { std::array::from_fn(of) };
        let table = match terms.node(term) {
            _ if term == Terms::TRUE => [u64::MAX; WORDS],
            _ if term == Terms::FALSE => [0; WORDS],
            Node::Not(a) => each(&|i| !tables[&a][i]),
            Node::And(a, b) => each(&|i| tables[&a][i] & tables[&b][i]),
            Node::Xor(a, b) => each(&|i| tables[&a][i] ^ tables[&b][i]),
            Node::Ite(c, a, b) => each(&|i| tables[&c][i] & tables[&a][i] | !tables[&c][i] & tables[&b][i]),
            _ => {
                if variables == VARIABLES {
                    return false;
                }
                variables += 1;
                each(&|i| column(variables - 1, i))
            }
        };
        tables.insert(term, table);
        waiting.pop();
    }
    tables[&condition].iter().all(|word| *word == u64::MAX)
}

/// The `word`-th word of the values of a variable, over all combinations.
fn column(variable: usize, word: usize) -> u64 {
    const WITHIN: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    match WITHIN.get(variable) {
        Some(&column) => column,
        None if word >> (variable - 6) & 1 == 1 => u64::MAX,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_that_part_meet_again() {
        let mut terms = Terms::new();
        let mut ways = vec![Terms::TRUE];
        for number in 0..3 {
            let atom = terms.variable(1, number.to_string());
            let opposite = terms.not(atom);
            ways = ways.iter().flat_map(|way| [terms.and(*way, atom), terms.and(*way, opposite)]).collect();
        }
        let (last, others) = ways.split_last().expect("there are ways");
        let others = others.iter().fold(Terms::FALSE, |all, way| either(&mut terms, all, *way));
        assert_ne!(others, Terms::TRUE, "one way is missing");
        assert_eq!(either(&mut terms, *last, others), Terms::TRUE);
    }

    #[test]
    fn parts_are_told_apart() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable(1, "a"), terms.variable(1, "b"));
        let no_b = terms.not(b);
        assert_ne!(either(&mut terms, a, no_b), Terms::TRUE);
        let number = terms.variable(8, "n");
        let (one, two) = (terms.constant(8, 1), terms.constant(8, 2));
        let (is_one, is_two) = (terms.eq(number, one), terms.eq(number, two));
        let not_two = terms.not(is_two);
        assert_ne!(either(&mut terms, is_one, not_two), Terms::TRUE);
    }
}
