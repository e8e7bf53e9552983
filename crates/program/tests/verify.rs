//! Messages about broken rules. Programs that break each rule are in `tests/ir/verify`.

use selvedge_program::text::parse;
use selvedge_program::verify::verify;

#[test]
fn a_problem_says_where() {
    let text = "program lp64 entry @main\nfn @main() {\n  i32 %a\nb:\n  fence\n  %a = copy 1i64\n  return\n}";
    let problems = verify(&parse(text).unwrap());
    assert_eq!(problems[0].to_string(), "rule 4, fn0, b0, instruction 1: the source is Int(64), not Int(32)");
}
