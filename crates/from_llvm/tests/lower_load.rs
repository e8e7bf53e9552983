//! Files in, program out.

use std::path::{Path, PathBuf};

use selvedge_from_llvm::clang::{Clang, ClangOptions, DataModel};
use selvedge_from_llvm::{FrontEndError, LoadOptions, LowerError, load};
use selvedge_program::{Origin, Program, verify};

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("the directory is ours");
    path
}

fn checked(program: Program) -> Program {
    let problems: Vec<String> = verify::verify(&program).iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    program
}

const THREADS: &str = "
    #include <pthread.h>
    #include <stdlib.h>
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int count;
    static void *work(void *arg) { pthread_mutex_lock(&m); count++; pthread_mutex_unlock(&m); return arg; }
    int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); free(malloc(count)); return 0; }";

#[test]
fn a_threaded_program_needs_only_the_models() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let input = write(dir.path(), "threads.c", THREADS);
    let program = checked(load(&[input], &LoadOptions::default()).expect("it loads"));
    assert!(program.unmodelled.is_empty(), "{:?}", program.unmodelled);
    for name in ["pthread_create", "pthread_mutex_lock", "malloc"] {
        let id = program.function_named(name).unwrap_or_else(|| panic!("{name} is a model"));
        assert_eq!(program.functions[id].origin, Origin::Model);
    }
    assert_eq!(program.function_named("pthread_cond_wait"), None, "nothing reaches it");
}

#[test]
fn ir_brings_its_own_word_size() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let text = "void *malloc(__SIZE_TYPE__); int main(void) { return malloc(sizeof(long)) == 0; }";
    let source = write(dir.path(), "small.c", text);
    let options = ClangOptions { data_model: DataModel::Ilp32, ..ClangOptions::default() };
    let clang = Clang::find(None).expect("clang is needed for these tests");
    let ir = clang.compile(&source, &options).expect("it compiles");
    let input = write(dir.path(), "small.ll", &ir);
    let program = checked(load(&[input], &LoadOptions::default()).expect("it loads"));
    assert_eq!(program.data_model, selvedge_program::DataModel::Ilp32);
}

#[test]
fn several_inputs_and_a_model_of_the_users() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let a = write(dir.path(), "a.c", "int take(void); int other(void); int main(void) { return take() + other(); }");
    let b = write(dir.path(), "b.c", "int other(void) { return 2; }");
    let model = write(
        dir.path(),
        "rtos.c",
        "#include \"selvedge.h\"\nint take(void) { __selvedge_atomic_begin(); __selvedge_atomic_end(); return 0; }",
    );
    let options = LoadOptions { models: vec![model], ..LoadOptions::default() };
    let program = checked(load(&[a.clone(), b.clone()], &options).expect("it loads"));
    let take = program.function_named("take").expect("the user's model");
    assert_eq!(program.functions[take].origin, Origin::Model);
    assert!(program.source.files.values().any(|f| *f == b.display().to_string()));
    let error = load(&[b], &LoadOptions::default()).expect_err("there is no main");
    assert!(matches!(error, FrontEndError::Lower(LowerError::NoMain)), "{error}");
}
