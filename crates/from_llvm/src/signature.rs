//! The types of a function's parameters, as clang's syntax tree has them.

use crate::clang::{Clang, ClangOptions, FrontEndError};
use std::path::Path;

/// The types of the parameters of a function that the file defines, without their typedefs; `None` if there is no such
/// function.
pub fn parameters(
    clang: Option<&Path>,
    input: &Path,
    function: &str,
    options: &ClangOptions,
) -> Result<Option<Vec<String>>, FrontEndError> {
    let tree = Clang::find(clang)?.syntax_tree(input, function, options)?;
    Ok(read(&tree, function))
}

/// Reads a tree: `FunctionDecl … f 'int (int, my_t)'`, with a line `ParmVarDecl … x 'my_t':'unsigned int'` for each
/// parameter. The last declaration that has a body counts.
fn read(tree: &str, function: &str) -> Option<Vec<String>> {
    let (mut found, mut current): (Option<Vec<String>>, Option<Vec<String>>) = (None, None);
    for line in tree.lines() {
        let node = line.trim_start_matches(['|', '`', '-', ' ']);
        let is_direct = line.len() - node.len() <= 2;
        match node.split_whitespace().next() {
            Some("FunctionDecl") => {
                let head = node.split('\'').next().unwrap_or_default();
                current = head.split_whitespace().any(|word| word == function).then(Vec::new);
            }
            Some("ParmVarDecl") if is_direct => {
                let types: Vec<&str> = node.split('\'').skip(1).step_by(2).collect();
                if let (Some(current), Some(last)) = (&mut current, types.last()) {
                    current.push(unqualified(last));
                }
            }
            Some("CompoundStmt") if is_direct => found = current.take().or(found),
            _ => {}
        }
    }
    found
}

fn unqualified(ty: &str) -> String {
    let words = ty.split_whitespace().filter(|word| !["const", "volatile", "register"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read() {
        let tree = "Dumping f:\nFunctionDecl 0x1 <a.c:1:1, col:12> col:5 f 'int (int)'\n`-ParmVarDecl 0x2 <col:7> col:10 'int'\n\
                    Dumping f:\nFunctionDecl 0x3 prev 0x1 <line:2:1, line:5:1> line:2:5 used f 'int (int, my_t)'\n\
                    |-ParmVarDecl 0x4 <col:7, col:11> col:11 used a 'const int'\n\
                    |-ParmVarDecl 0x5 <col:14, col:19> col:19 b 'my_t':'unsigned int'\n`-CompoundStmt 0x6 <col:22, line:5:1>\n\
                    Dumping foff:\nFunctionDecl 0x7 <line:7:1> col:5 foff 'void (char)'\n|-ParmVarDecl 0x8 <col:1> col:2 c 'char'\n\
                    `-CompoundStmt 0x9 <col:2>\n";
        assert_eq!(read(tree, "f"), Some(vec!["int".to_string(), "unsigned int".to_string()]));
        assert_eq!(read(tree, "foff"), Some(vec!["char".to_string()]));
        assert_eq!(read(tree, "g"), None);
    }
}
