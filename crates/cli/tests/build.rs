//! Programs as their builds compile them: flags, compile_commands.json, patterns, and what compilers refuse.

mod common;

use common::Bench;

const MAIN: &str = "#include \"limits_of.h\"\n#include <assert.h>\nint helper(int);\n\
                    int main(void) { assert(helper(1) == 1 + LIMIT + N); return 0; }\n";
const HELPER: &str = "#include <limits_of.h>\nint helper(int x) { return x + LIMIT + N; }\n";

/// Two files that compile only with the flags of their build.
fn project() -> Bench {
    let bench = Bench::new();
    for folder in ["src", "include", "build"] {
        std::fs::create_dir(bench.path().join(folder)).expect("a new folder");
    }
    bench.file("src/main.c", MAIN);
    bench.file("src/helper.c", HELPER);
    bench.file("include/limits_of.h", "#define LIMIT 3\n");
    bench
}

fn with_commands(bench: &Bench) {
    let folder = bench.path().join("build").display().to_string();
    let commands = format!(
        r#"[{{"directory": "{folder}", "file": "../src/main.c",
             "command": "cc -DN=4 -I../include -pthread -O2 -g -Wall -fno-such-pass -o main.o -c ../src/main.c"}},
            {{"directory": "{folder}", "file": "../src/helper.c",
             "arguments": ["ccache", "gcc", "-D", "N=4", "-isystem", "../include", "-c", "../src/helper.c"]}}]"#
    );
    bench.file("build/compile_commands.json", &commands);
}

#[test]
fn flags_of_a_build_are_taken_as_they_are() {
    let bench = project();
    let flags = ["-pthread", "-mcx16", "-isystem", "include", "-fwrapv", "-Wall", "-g", "-lm", "-DN=4"];
    let run = bench.run(&[&["check", "src/*.c"], &flags[..]].concat());
    assert_eq!(run.expect(0).last_line(), "VERDICT: safe");
    let run = bench.run(&["check", "src/main.c", "src/helper.c", "--cflags", "-D 'N=4' -isystem include"]);
    assert_eq!(run.expect(0).last_line(), "VERDICT: safe");
}

#[test]
fn compile_commands_give_each_file_its_flags() {
    let bench = project();
    with_commands(&bench);
    let assumption = "assumption: the flag `-fno-such-pass`, which clang does not know, does not change the program";
    for files in [&[][..], &["src/*.c"][..], &["main.c", "helper.c"][..]] {
        let run = bench.run(&[&["check", "-p", "build"], files].concat());
        assert_eq!(run.expect(0).last_line(), "VERDICT: safe", "{files:?}");
        assert!(run.out.contains(assumption), "{}", run.out);
    }
    let run = bench.run(&["check", "-p", "src"]);
    assert!(run.expect(2).err.contains("cannot read src/compile_commands.json"), "{}", run.err);
    let run = bench.run(&["check", "-p", "build", "no*.c"]);
    assert_eq!(run.expect(2).err, "error: no file matches no*.c\n");
}

#[test]
fn functions_that_nobody_declares_or_defines_are_refused() {
    let bench = Bench::new();
    bench.file("a.c", "int known();\nint main(void) { known();\n    return unknown(3); }\n");
    let run = bench.run(&["check", "a.c"]);
    let message = "error: a.c:3: `unknown` is called, but neither declared nor defined (--allow-undefined lets it return \
                   any value)\n";
    assert_eq!(run.expect(2).err, message);
    let run = bench.run(&["check", "a.c", "--allow-undefined"]);
    assert!(run.expect(0).out.contains("assumption: `unknown` (a.c:3) has no model"), "{}", run.out);
}

#[test]
fn nested_functions_are_named() {
    let bench = Bench::new();
    bench.file("a.c", "int main(void) {\n    int inner(int x) { return x; }\n    return inner(0);\n}\n");
    let run = bench.run(&["check", "a.c"]);
    assert!(run.expect(2).err.contains("`inner` is a nested function, an extension of gcc"), "{}", run.err);
}
