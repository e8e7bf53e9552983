use std::path::PathBuf;
fn main() {
    let path = PathBuf::from(std::env::args().nth(1).unwrap());
    let program = selvedge_from_llvm::load(&[path], &Default::default()).unwrap();
    let program = selvedge_passes::prepare(program);
    if std::env::args().nth(2).is_some() {
        println!("{program}");
    }
    match selvedge_bound::bound(&program, &Default::default()) {
        Ok(b) => print!("{b}"),
        Err(e) => println!("{e}"),
    }
}
