//! Large functions. What each pass does to small programs is in `tests/ir/passes`.

use selvedge_passes::prepare;
use selvedge_program::Program;
use selvedge_program::text::parse;

/// A program with `body` as its main function.
fn program(body: &str) -> Program {
    let text = format!("program lp64 entry @main\nglobal @g 4 align 4\nfn @main() {{\n{body}\n}}");
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn large_functions_are_no_problem() {
    let mut text = String::from("ptr %x\ni1 %c\n");
    let n = 5000;
    for i in 0..n {
        text += &format!("i32 %a{i}, %b{i}\n");
    }
    text += "entry:\n%x = alloca 4i64 align 4 var \"x\"\njump k0\n";
    for i in 0..n {
        text += &format!(
            "k{i}:\n%a{i} = load %x\n%b{i} = add %a{i}, 1i32\nstore i32 %b{i} to %x\n%c = nondet call \"f\"\nbranch %c, k{}, k{}\n",
            i + 1,
            i / 2
        );
    }
    text += &format!("k{n}:\nreturn\n");
    let big = program(&text);
    let start = std::time::Instant::now();
    let after = prepare(big);
    assert!(after.functions[after.entry].regs.len() <= 3);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
