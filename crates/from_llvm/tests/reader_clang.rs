//! The reader against what clang prints: counts of every opcode, debug
//! information, and damaged text. Uses every clang that is installed.

use std::collections::BTreeMap;

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel, OptLevel};
use selvedge_from_llvm::ll::{self, MdId, Op};

/// A program with something of everything that C makes of LLVM.
const PROGRAM: &str = r#"
#include "shared.h"
struct point { int x, y; char name[8]; };
struct big { long a[20]; };
union word { int i; float f; };
enum colour { RED, GREEN = 5 };
struct bits { unsigned low : 3, high : 5; };

static _Thread_local int mine = 3;
_Atomic int counter;
int table[3][4] = { { 1, 2 }, { [3] = 7 } };
const char *text = "tab\t\"quote\" \x01";
int *inside = &table[1][2];
double pi = 3.14159;
float third = 1.0f / 3;
long double wide = 0.1L;
struct point origin = { 0, -1, "origin" };
static int twice(int n) { return 2 * n; }
int (*pointer)(int) = twice;
void external(const char *, ...);
void nothing();

struct big by_value(struct big b, struct point p) { b.a[3] += p.x; return b; }

int choose(int n) {
    switch (n) {
    case RED: return 1;
    case GREEN: case -7: return 2;
    default: break;
    }
    for (int i = 0; i < n; i++) {
        if (i & 1 && n > 5 || i == 9) continue;
        mine += i % 3;
    }
    do { n >>= 1; } while (n);
    goto end;
end:
    return n ? -n : ~n;
}

int atomics(int *plain) {
    int expected = 0;
    __atomic_store_n(plain, 1, __ATOMIC_RELEASE);
    counter++;
    __atomic_fetch_add(&counter, 2, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(plain, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
    __asm__ volatile ("mfence" ::: "memory");
    return __sync_lock_test_and_set(plain, 3) + counter;
}

int sum(int n, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, n);
    int total = __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return total;
}

int jump(int n) {
    static void *targets[] = { &&first, &&second };
    goto *targets[n & 1];
first: return 1;
second: return SHARED_CONSTANT;
}

double floats(float f, double d, int n, unsigned u) {
    union word w = { .f = -f };
    struct bits b = { .high = n };
    int lengths[n];
    lengths[0] = (int)d + (unsigned)f + w.i + b.high;
    return f < d ? (double)n / u : -(double)(float)d + lengths[0] * (f != f);
}

int main(int argc, char **argv) {
    struct point local = origin;
    struct big b = { { 1 } };
    b = by_value(b, local);
    external("%d %s", pointer(local.y), argv[0]);
    nothing(argc);
    if (!argv) __builtin_unreachable();
    return choose(argc) + atomics(&local.x) + sum(1, 2) + jump(argc) + (int)floats(1, 2, 3, 4);
}
"#;

fn clangs() -> Vec<Clang> {
    let found = Clang::installed();
    if found.is_empty() {
        selvedge_requires::skip(selvedge_requires::Need::Clang);
    }
    found
}

fn options(data_model: DataModel, opt: OptLevel) -> ClangOptions {
    let header = ("shared.h".to_owned(), "#define SHARED_CONSTANT 2\n".to_owned());
    ClangOptions { data_model, opt, headers: vec![header], ..ClangOptions::default() }
}

/// The text for every combination of compiler, width and level.
fn compiled() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for clang in clangs() {
        for data_model in [DataModel::Lp64, DataModel::Ilp32] {
            for opt in [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3] {
                let title = format!("clang {} {data_model:?} {opt:?}", clang.version);
                let text = clang.compile_source("program.c", PROGRAM, &options(data_model, opt));
                texts.push((title.clone(), text.unwrap_or_else(|e| panic!("{title}: {e}"))));
            }
        }
    }
    texts
}

/// Opcodes counted without a parser: inside functions, instructions are on
/// lines indented by exactly two spaces, and start with the opcode or a result.
fn independent_counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("define ") {
            inside = true;
        } else if line == "}" {
            inside = false;
        }
        let is_record = line.trim_start().starts_with("#dbg_");
        let Some(line) = line.strip_prefix("  ").filter(|_| inside) else { continue };
        if !is_record && line.starts_with([' ', ']']) {
            continue;
        }
        let line = match line.split_once(" = ") {
            Some((result, rest)) if result.starts_with('%') && !result.contains(' ') => rest,
            _ => line,
        };
        let opcode = match line.split([' ', ',']).next().unwrap_or("") {
            _ if is_record || line.contains("@llvm.dbg.") => "debug record",
            "tail" | "musttail" | "notail" => "call",
            opcode => opcode,
        };
        *counts.entry(opcode.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn opcode_counts_agree_with_the_text() {
    for (title, text) in compiled() {
        let module = ll::parse(&text).unwrap_or_else(|e| panic!("{title}: {e}"));
        let mut counts = BTreeMap::new();
        for (_, instruction) in module.functions.iter().flat_map(|f| f.instructions()) {
            *counts.entry(instruction.op.opcode().to_owned()).or_default() += 1;
        }
        assert_eq!(counts, independent_counts(&text), "{title}");
        assert!(counts.len() > 15, "{title}: a varied program");
    }
}

#[test]
fn names_and_places_come_back() {
    for clang in clangs() {
        let text = clang
            .compile_source("dir/program.c", PROGRAM, &options(DataModel::Lp64, OptLevel::O0))
            .unwrap_or_else(|e| panic!("{e}"));
        let module = ll::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let line_of = |what: &str| PROGRAM.lines().position(|l| l.contains(what)).expect("in the program") as u32 + 1;

        let choose = module.function("choose").expect("defined");
        let node = |id: Option<MdId>| id.and_then(|id| module.metadata.node(id)).expect("has debug info");
        assert_eq!(node(choose.subprogram).u32("line"), Some(line_of("int choose")));
        let declared = choose.instructions().filter_map(|(_, i)| match &i.op {
            // Labels have such records, too.
            Op::Debug(record) => Some(node(record.variable)).filter(|node| node.is("DILocalVariable"))?.str("name"),
            _ => None,
        });
        assert_eq!(declared.collect::<Vec<_>>(), ["n", "i"]);
        let (_, rem) = choose.instructions().find(|(_, i)| i.op.opcode() == "srem").expect("i % 3");
        assert_eq!(node(rem.location).u32("line"), Some(line_of("i % 3")));
        for name in ["table", "counter", "text", "origin"] {
            let variable = module.global(name).and_then(|global| global.debug.first()).copied();
            let variable = module.metadata.field(node(variable), "var").expect("a variable");
            assert_eq!(variable.str("name"), Some(name));
        }

        // A call without a prototype is still a call by name.
        let main = module.function("main").expect("defined");
        let calls_nothing = main.instructions().any(|(_, i)| match &i.op {
            Op::Call(call) => call.callee_name().is_some_and(|n| &**n == "nothing"),
            _ => false,
        });
        assert!(calls_nothing, "clang {}", clang.version);
    }
}

#[test]
fn damaged_text_is_refused_without_panic() {
    // Sparse for the sake of time; the levels differ in what they contain.
    for (title, text) in compiled().iter().step_by(3) {
        let complete = text.trim_end().len();
        for end in (0..complete).step_by(50).filter(|&end| text.is_char_boundary(end)) {
            let cut = ll::parse(&text[..end]);
            // Cut before the first definition that mentions another, there is
            // nothing to miss.
            let complete_prefix = !text[..end].contains("define ");
            assert!(cut.is_err() || complete_prefix, "{title}: cut at {end} was taken");
        }
        // Replace, drop or double one byte here and there: anything but a panic.
        let mut state = 12345u64;
        for _ in 0..500 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize % text.len();
            let mut bytes = text.clone().into_bytes();
            match state >> 20 & 3 {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, bytes[at]),
                2 => bytes[at] = b"(){}[]<>,=*!%@\"#0\n"[(state >> 8) as usize % 18],
                _ => bytes.swap(at, text.len() - 1 - at),
            }
            if let Ok(damaged) = String::from_utf8(bytes) {
                let _ = ll::parse(&damaged);
            }
        }
    }
}

#[test]
fn messages_of_clang_are_handed_on() {
    for clang in clangs() {
        let options = ClangOptions::default();
        let error = clang.compile_source("bad.c", "int f( {\n", &options).expect_err("bad C");
        assert!(error.to_string().contains("bad.c:1:"), "{error}");
        let falls_off = clang.compile_source("m.c", "int main() {}", &options).expect("good C");
        assert!(falls_off.contains("ret i32 0"), "main returns 0 by itself");
        let twice = ["_Float64 x;", "_Float64 x;"]
            .map(|text| clang.compile_source("m.c", text, &options).expect("the bridge knows it"));
        assert_eq!(twice[0], twice[1], "no temporary names in the output");
        let odd = clang.compile_source("m.c", "int main(int c, char *v) { return c; }", &options);
        assert!(odd.is_ok(), "an unusual main");
    }
}

#[test]
fn bitcode_and_text_are_read_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let source = dir.path().join("a.c");
    std::fs::write(&source, "int f(int x) { return x + 1; }\n").expect("written");
    for clang in clangs() {
        let bitcode = dir.path().join(format!("{}.bc", clang.version));
        let status =
            std::process::Command::new(&clang.path).args(["-c", "-emit-llvm", "-o"]).args([&bitcode, &source]).status();
        assert!(status.is_ok_and(|s| s.success()));
        let text = clang.compile(&bitcode, &ClangOptions::default()).expect("readable");
        let ll_file = bitcode.with_extension("ll");
        std::fs::write(&ll_file, &text).expect("written");
        let again = clang.compile(&ll_file, &ClangOptions::default()).expect("readable");
        let module = ll::parse(&again).expect("IR");
        assert!(module.function("f").is_some());
    }
}
