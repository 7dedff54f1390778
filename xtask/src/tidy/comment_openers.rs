//! A doc comment opens with a noun phrase or with a verb in the third person, as those of the
//! standard library do: an opening question word names no subject, and “The same” names none at
//! all.

use super::{Finding, Tree};

/// Openings that name no subject.
const OPENERS: [&str; 11] =
    ["What", "Whose", "Who", "Whom", "Whether", "How", "Which", "When", "Where", "Why", "The same"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let mut prior: Option<(&str, &str)> = None;
        for (at, line) in file.text.lines().enumerate() {
            let Some((prefix, text)) = doc_comment(line) else {
                prior = None;
                continue;
            };
            let opens = prior.is_none_or(|(before, said)| before != prefix || said.is_empty());
            prior = Some((prefix, text));
            if let Some(opener) = OPENERS.iter().find(|opener| opens && starts_with(text, opener)) {
                found.push(Finding {
                    file: file.path.clone(),
                    line: at + 1,
                    rule: "comment-opener",
                    what: format!("a doc comment opens with “{opener}”."),
                    remedy: "Open with a noun phrase, or with a verb: “Returns …”, “True if …”.",
                });
            }
        }
    }
    found
}

/// The sign of a doc comment and its text; `None` for any other line.
fn doc_comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let sign = line.get(..3).filter(|sign| matches!(*sign, "///" | "//!"))?;
    let text = line.get(3..).unwrap_or("");
    (!text.starts_with('/')).then(|| (sign, text.trim()))
}

fn starts_with(text: &str, opener: &str) -> bool {
    text.strip_prefix(opener).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::super::tree::SourceFile;
    use super::*;

    #[test]
    fn questions_open_no_doc_comment() {
        let check = |code: &str, expect: &[usize]| {
            let files = vec![SourceFile::new("crates/a/src/a.rs", code)];
            let found = check(&Tree { files, ..Tree::default() });
            assert_eq!(found.iter().map(|one| one.line).collect::<Vec<_>>(), expect, "{code}");
        };
        check("//! What a file holds.\n", &[1]);
        check("//! The file of a\n//! memory. What it holds\n//! What goes on.\n", &[]);
        check("/// Bytes.\n///\n/// Where nobody says, 10.\nfn a() {}\n/// How many.\nfn b() {}\n", &[3, 5]);
        check("/// Whatever, Howard.\n/// The same\nfn a() {}\n// Why it is so.\n", &[]);
        check("    /// The same, for a page.\n", &[1]);
    }
}
