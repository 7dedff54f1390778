//! The text of a commit's message as people leave it: pure. Where somebody typed right above the trailers the blank line is put
//! back, by which git knows them; where nothing was typed at all our own trailers go, so that git calls the commit off as the
//! person wants.

use super::trailers::{BOTH, PROMPT, TASK};

/// Behind this nothing belongs to the message; git writes it behind a sign for comments.
const SCISSORS: &str = " ------------------------ >8 ------------------------";

/// Puts the blank line above the trailers back, where it lacks; `None` where nothing lacks.
pub(super) fn repaired(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = end(&lines);
    let at = lines.get(..end)?.iter().position(|line| is_ours(line))?;
    // Trailers of others above ours are of the same block; the first line of a message never is.
    let above = |at: usize| at.checked_sub(1).and_then(|above| lines.get(above)).map(|line| line.trim());
    let mut first = at;
    while first > 1 && above(first).is_some_and(is_trailer) {
        first -= 1;
    }
    if above(first).is_none_or(|line| line.is_empty() || line.starts_with('#')) {
        return None;
    }
    let (before, behind) = (lines.get(..first)?, lines.get(first..)?);
    Some(format!("{}\n{}", before.concat(), behind.concat()))
}

/// The message without our trailers, where there is nothing else in it; `comment`: how its comments begin, where it has any.
pub(super) fn emptied(text: &str, comment: Option<&str>) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = end(&lines);
    let message = lines.get(..end)?;
    if message.iter().any(|line| is_said(line, comment)) || !message.iter().any(|line| is_ours(line)) {
        return None;
    }
    let kept = |(at, line): &(usize, &&str)| *at >= end || !is_ours(line);
    Some(lines.iter().enumerate().filter(kept).map(|(_, line)| *line).collect())
}

/// Whether there is anything in a message that counts for git: comments and signatures do not, nor do our trailers here.
pub(super) fn says_anything(text: &str, comment: Option<&str>) -> bool {
    said(text, comment).next().is_some()
}

/// Whether a message says what another says and nothing more.
pub(super) fn says_the_same(text: &str, other: &str, comment: Option<&str>) -> bool {
    said(text, comment).eq(said(other, comment))
}

fn said<'a>(text: &'a str, comment: Option<&'a str>) -> impl Iterator<Item = &'a str> {
    let above = text.lines().take_while(|line| !line.trim_end().ends_with(SCISSORS));
    above.filter(move |line| is_said(line, comment)).map(str::trim_end)
}

fn is_said(line: &str, comment: Option<&str>) -> bool {
    let is_comment = comment.is_some_and(|comment| line.starts_with(comment));
    !(line.trim().is_empty() || is_comment || is_ours(line) || line.starts_with("Signed-off-by: "))
}

fn end(lines: &[&str]) -> usize {
    lines.iter().position(|line| line.trim_end().ends_with(SCISSORS)).unwrap_or(lines.len())
}

fn is_ours(line: &str) -> bool {
    let name = line.split_once(':').map(|(name, _)| name);
    name.is_some_and(|name| [TASK, PROMPT, BOTH].contains(&name))
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a45_a_subject_right_above_the_trailers() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(repaired(text).as_deref(), expect, "{text:?}");
        };
        check("Add pages\nTask-Id: t-1\n", Some("Add pages\n\nTask-Id: t-1\n"));
        check("fix: pages\nTask-Id: t-1\n", Some("fix: pages\n\nTask-Id: t-1\n"));
        check("Add pages\n\nTask-Id: t-1\n", None);
        check("\nTask-Id: t-1\n# Please enter", None);
        check("a\n\nbody\nTask-Id: t-1\n", Some("a\n\nbody\n\nTask-Id: t-1\n"));
        check("a\n\nbody\n\nCo-authored-by: b <c@d>\nTask-Id: t-1\n", None);
        check(
            "a\nCo-authored-by: b <c@d>\nTask-Id: t-1\n",
            Some("a\n\nCo-authored-by: b <c@d>\nTask-Id: t-1\n"),
        );
        check(&format!("a\n\n#{SCISSORS}\n+x\n+Task-Id: t-1\nTask-Id: t-1\n"), None);
        check("Task-Id: t-1\n", None);
        check("", None);
    }

    #[test]
    fn what_counts_for_git() {
        let check = |text: &str, expect: bool| assert_eq!(says_anything(text, Some("#")), expect, "{text:?}");
        check("Add pages\n", true);
        check("\n# Please enter\n", false);
        check("\nSigned-off-by: a <b@c>\n# Please enter\n", false);
        check(&format!("#{SCISSORS}\n+x\n"), false);
        assert!(says_anything("#12\n", None));
        assert!(says_the_same("Why:\n\n# x\n", "Why:\n# y\n", Some("#")));
        assert!(!says_the_same("Why: it was slow\n", "Why:\n", Some("#")));
    }

    #[test]
    fn nothing_but_our_own_trailers_is_an_empty_message() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(emptied(text, Some("#")).as_deref(), expect, "{text:?}");
        };
        check("\nTask-Id: t-1\nPrompt-Version: a\n# Please enter\n", Some("\n# Please enter\n"));
        check("a\n\nTask-Id: t-1\n", None);
        check("\nSigned-off-by: a <b@c>\nTask-Id: t-1\n", Some("\nSigned-off-by: a <b@c>\n"));
        check("# only comments\n", None);
        let scissors = format!("\nTask-Id: t-1\n#{SCISSORS}\nTask-Id: t-2\n");
        check(&scissors, Some(&format!("\n#{SCISSORS}\nTask-Id: t-2\n")));
        assert_eq!(emptied("\nTask-Id: t-1\n; x\n", Some(";")).as_deref(), Some("\n; x\n"));
        assert_eq!(emptied("#12\n\nTask-Id: t-1\n", None), None);
        assert_eq!(emptied("\nTask-Id: t-1\n", None).as_deref(), Some("\n"));
    }
}
