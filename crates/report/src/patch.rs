//! Lines that are inserted into a file, as a unified diff that `patch -p0` applies.

use std::collections::BTreeMap;

/// Lines shown around each change.
const CONTEXT: usize = 3;

/// New lines by the line before which each stands, counted from 1.
pub type Insertions = BTreeMap<u32, String>;

pub fn diff(path: &str, text: &str, insertions: &Insertions) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut patch = format!("--- {path}\n+++ {path}\n");
    let mut inserted = 0;
    for hunk in hunks(insertions) {
        let at = |line: &u32| *line as usize - 1;
        let (first, last) = (at(&hunk[0]), at(&hunk[hunk.len() - 1]));
        let (begin, end) = (first.saturating_sub(CONTEXT), (last + CONTEXT).min(lines.len()));
        let (old, new) = (begin + 1, begin + 1 + inserted);
        patch += &format!("@@ -{old},{} +{new},{} @@\n", end - begin, end - begin + hunk.len());
        for (number, line) in lines.iter().enumerate().take(end).skip(begin) {
            if let Some(new) = insertions.get(&(number as u32 + 1)) {
                patch += &format!("+{new}\n");
            }
            patch += &format!(" {line}");
            if !line.ends_with('\n') {
                patch += "\n\\ No newline at end of file\n";
            }
        }
        inserted += hunk.len();
    }
    patch
}

/// Insertions whose surroundings touch belong to one hunk.
fn hunks(insertions: &Insertions) -> Vec<Vec<u32>> {
    let mut hunks: Vec<Vec<u32>> = Vec::new();
    for line in insertions.keys() {
        match hunks.last_mut().filter(|hunk| hunk.last().is_some_and(|last| line - last <= 2 * CONTEXT as u32)) {
            Some(hunk) => hunk.push(*line),
            None => hunks.push(vec![*line]),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_have_their_surroundings() {
        let text: String = (1..=20).map(|line| format!("{line}\n")).collect();
        let insertions = [(2, "a"), (4, "b"), (20, "c")].map(|(line, text)| (line, text.to_string())).into();
        let expected = "--- f.c\n+++ f.c\n@@ -1,6 +1,8 @@\n 1\n+a\n 2\n 3\n+b\n 4\n 5\n 6\n\
                        @@ -17,4 +19,5 @@\n 17\n 18\n 19\n+c\n 20\n";
        assert_eq!(diff("f.c", &text, &insertions), expected);
        let last = [(1, "a".to_string())].into();
        let expected = "--- f.c\n+++ f.c\n@@ -1,1 +1,2 @@\n+a\n }\n\\ No newline at end of file\n";
        assert_eq!(diff("f.c", "}", &last), expected);
    }
}
