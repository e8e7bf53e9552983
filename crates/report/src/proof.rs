//! A proof for people: what holds where, like C.

use crate::headline::one_line;
use selvedge_program::{Proof, Statement};

/// One line; and all statements and advice, if asked for.
pub fn text(proof: &Proof, with_statements: bool) -> String {
    let Proof { technique, level, obligations, statements, advice, .. } = proof;
    let threads = if *level == 1 { "each thread" } else { "pairs of threads" };
    let mut text =
        format!("proof: by {technique}, with statements about {threads}; {obligations} obligations checked\n");
    if with_statements {
        statements.iter().for_each(|statement| text.push_str(&shown(statement)));
        advice.iter().for_each(|advice| text.push_str(&format!("advice: {}\n", one_line(advice))));
    }
    text
}

fn shown(Statement { threads, at, holds }: &Statement) -> String {
    let places: Vec<String> = threads.iter().zip(at).map(|(thread, at)| format!("{thread} at {at}")).collect();
    let mut text = format!("  {}:\n", one_line(&places.join(" and ")));
    for holds in holds {
        text.push_str(&format!("    {}\n", one_line(holds)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_program::InC;

    #[test]
    fn statements_stand_under_their_places() {
        let statement = Statement {
            threads: vec!["worker".to_string()],
            at: vec!["a.c:7".to_string()],
            holds: vec!["lock == worker::number".to_string(), "count <= 3".to_string()],
        };
        let technique = "abstract interpretation";
        let proof = Proof {
            technique,
            level: 1,
            obligations: 12,
            statements: vec![statement],
            advice: vec!["locks are taken in different orders".to_string()],
            in_c: InC::default(),
            script: None,
        };
        let first = "proof: by abstract interpretation, with statements about each thread; 12 obligations checked\n";
        assert_eq!(text(&proof, false), first);
        let all = format!(
            "{first}  worker at a.c:7:\n    lock == worker::number\n    count <= 3\nadvice: locks are taken in different orders\n"
        );
        assert_eq!(text(&proof, true), all);
    }
}
