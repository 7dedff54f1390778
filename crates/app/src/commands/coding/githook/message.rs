//! The text of a commit message after editing. Pure. If a person typed directly above the trailers,
//! the module restores the blank line by which git recognizes them. If a person typed nothing, it
//! removes Loci's trailers, so that git aborts the commit as intended. It never changes prose, even
//! prose about trailers.

use super::trailers::{BOTH, PROMPT, TASK, is_value};

/// The end of a message. Git writes it after a comment sign.
const SCISSORS: &str = " ------------------------ >8 ------------------------";
/// The default comment sign.
const USUAL: &str = "#";
/// The signs that git chooses from. It takes the first one that begins no line.
const CHOICE: [&str; 10] = ["#", ";", "@", "!", "$", "%", "^", "&", "|", ":"];

/// The way git recognizes comments in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comments {
    /// The prefix of the lines that git removes. `None` if git removes none or if that is unknown.
    pub(super) sign: Option<String>,
    /// The probable prefix of comments.
    likely: String,
    /// True if git removes comments even without an editor.
    is_stripped: bool,
    is_edited: bool,
}

impl Comments {
    /// Returns the comment rules for a message. `set` and `cleanup` are values of git's
    /// configuration. A message that nobody edits has comments only if git wrote some into it,
    /// because an editor that changes nothing is indistinguishable from no editor.
    pub(super) fn of(text: &str, set: Option<&str>, cleanup: Option<&str>, is_edited: bool) -> Self {
        let chosen = set.filter(|set| !set.is_empty() && *set != "auto");
        let cut = text.lines().find_map(|line| line.trim_end().strip_suffix(SCISSORS));
        let written = |sign: &&str| has_block(text, sign);
        let sign = match (cut, chosen, set) {
            (Some(cut), ..) if !cut.is_empty() => Some(cut),
            (_, Some(chosen), _) => Some(chosen).filter(|sign| is_edited || written(sign)),
            (_, None, Some("auto")) => CHOICE.into_iter().find(written),
            _ => Some(USUAL).filter(|sign| is_edited || written(sign)),
        };
        Self {
            // Git writes comments only for a person who edits.
            is_edited: is_edited || sign.is_some(),
            sign: sign.map(str::to_owned),
            likely: chosen.unwrap_or(USUAL).to_owned(),
            is_stripped: cleanup == Some("strip"),
        }
    }

    fn is_comment(&self, line: &str) -> bool {
        if let Some(sign) = &self.sign {
            return line.starts_with(sign.as_str());
        }
        // It is unknown if git removes the line. A reference to an issue (`#12`) has no space after
        // the sign, a comment has one.
        line.strip_prefix(self.likely.as_str())
            .is_some_and(|rest| self.is_stripped || rest.is_empty() || rest.starts_with(char::is_whitespace))
    }

    fn says(&self, line: &str) -> bool {
        !(line.trim().is_empty()
            || self.is_comment(line)
            || is_ours(line)
            || line.starts_with("Signed-off-by: "))
    }
}

/// True if a message ends in the comment block that git writes for an editor: several lines, one of
/// them bare.
fn has_block(text: &str, sign: &str) -> bool {
    let lines = text.lines().rev().map(str::trim_end).skip_while(|line| line.is_empty());
    let bare = sign.trim_end();
    let block: Vec<&str> = lines.take_while(|line| line.starts_with(sign) || *line == bare).collect();
    block.len() > 1 && block.contains(&bare)
}

/// Restores the missing blank line above the trailers. Returns `None` if it is present.
pub(super) fn repaired(text: &str, comments: &Comments) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_nothing = |line: &str| {
        line.trim().is_empty() || comments.sign.as_ref().is_some_and(|sign| line.starts_with(sign.as_str()))
    };
    let message = lines.get(..end(&lines))?;
    let last = message.iter().rposition(|line| !is_nothing(line))?;
    // Foreign trailers next to Loci's belong to the same block. The first line of a message never
    // does.
    let mut first = last + 1;
    while first > 1 && lines.get(first - 1).is_some_and(|line| is_of_block(line)) {
        first -= 1;
    }
    if !lines.get(first..=last)?.iter().any(|line| is_ours(line))
        || is_nothing(lines.get(first.checked_sub(1)?)?)
    {
        return None;
    }
    let (before, behind) = (lines.get(..first)?, lines.get(first..)?);
    Some(format!("{}\n{}", before.concat(), behind.concat()))
}

/// Returns the message without Loci's trailers if an edited message contains nothing else.
pub(super) fn emptied(text: &str, comments: &Comments) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = end(&lines);
    let message = lines.get(..end)?;
    let is_said = message.iter().any(|line| comments.says(line));
    if !comments.is_edited || is_said || !message.iter().any(|line| is_ours(line)) {
        return None;
    }
    let kept = |(at, line): &(usize, &&str)| *at >= end || !is_ours(line);
    Some(lines.iter().enumerate().filter(kept).map(|(_, line)| *line).collect())
}

/// True if a message contains text that counts for git. Comments, signatures and Loci's trailers do
/// not count.
pub(super) fn says_anything(text: &str, comments: &Comments) -> bool {
    said(text, comments).next().is_some()
}

/// True if two messages contain the same counting lines.
pub(super) fn says_the_same(text: &str, other: &str, comments: &Comments) -> bool {
    said(text, comments).eq(said(other, comments))
}

fn said<'a>(text: &'a str, comments: &'a Comments) -> impl Iterator<Item = &'a str> {
    let above = text.lines().take_while(|line| !line.trim_end().ends_with(SCISSORS));
    above.filter(|line| comments.says(line)).map(str::trim_end)
}

fn end(lines: &[&str]) -> usize {
    lines.iter().position(|line| line.trim_end().ends_with(SCISSORS)).unwrap_or(lines.len())
}

/// True for a trailer of Loci, by its name and its allowed values.
fn is_ours(line: &str) -> bool {
    let parts = line.split_once(':');
    parts.is_some_and(|(name, value)| [TASK, PROMPT, BOTH].contains(&name) && is_value(value.trim()))
}

/// True for any trailer or its continuation line.
fn is_of_block(line: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let goes_on = line.starts_with([' ', '\t']) && !line.trim().is_empty();
    goes_on || is_ours(line) || line.split_once(": ").is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str) -> Comments {
        Comments::of(text, None, None, true)
    }

    #[test]
    fn what_comments_begin_with() {
        let check = |text: &str, set: Option<&str>, is_edited: bool, expect: Option<&str>| {
            let found = Comments::of(text, set, None, is_edited).sign;
            assert_eq!(found.as_deref(), expect, "{text:?} {set:?} {is_edited}");
        };
        let block = |sign: &str| {
            format!("a\n\n# x\n\n{sign} Please enter\n{sign}\n{sign} On branch main\n{sign}\tb\n")
        };
        check("a\n", None, true, Some("#"));
        check("a\n", None, false, None);
        check("a\n\n# heading\n", None, false, None);
        check(&block("#"), None, false, Some("#"));
        check(&block("//"), Some("//"), true, Some("//"));
        check(&block("% "), Some("% "), false, Some("% "));
        check(&block(";"), Some("auto"), true, Some(";"));
        check(&block(";"), Some("auto"), false, Some(";"));
        check("a\n\n# heading\n", Some("auto"), false, None);
        check(&format!("a\n; x\n;{SCISSORS}\n; y\ndiff\n"), Some("auto"), true, Some(";"));
    }

    #[test]
    fn a45_a_subject_right_above_the_trailers() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(repaired(text, &edited(text)).as_deref(), expect, "{text:?}");
        };
        check("Add pages\nTask-Id: t-1\n", Some("Add pages\n\nTask-Id: t-1\n"));
        check("fix: pages\nTask-Id: t-1\n", Some("fix: pages\n\nTask-Id: t-1\n"));
        check("Add pages\n\nTask-Id: t-1\n", None);
        check("\nTask-Id: t-1\n# Please enter", None);
        check("a\n\nbody\nTask-Id: t-1\n# Please enter", Some("a\n\nbody\n\nTask-Id: t-1\n# Please enter"));
        check("a\n\nbody\n\nCo-authored-by: b <c@d>\nTask-Id: t-1\n", None);
        check("a\n\nbody\n\nNote: b\n  goes on\nTask-Id: t-1\n", None);
        check(
            "a\nCo-authored-by: b <c@d>\nTask-Id: t-1\n",
            Some("a\n\nCo-authored-by: b <c@d>\nTask-Id: t-1\n"),
        );
        check(&format!("a\n\n#{SCISSORS}\n+x\n+Task-Id: t-1\nTask-Id: t-1\n"), None);
        check("Task-Id: t-1\n", None);
        check("", None);
    }

    #[test]
    fn a45_prose_that_speaks_of_trailers() {
        let check = |text: &str| assert_eq!(repaired(text, &edited(text)), None, "{text:?}");
        check("a\n\nWe write\nTask-Id: t-1\ninto every message.\n");
        check("a\n\nBehind\nTask-Id: is the task\n");
        check("a\n\nWe write\nTask-Id: t-1\ninto every message.\n\nTask-Id: t-1\n");
        assert_eq!(emptied("Task-Id: rename it\n\nTask-Id: t-1\n", &edited("")), None);
    }

    #[test]
    fn what_counts_for_git() {
        let check = |text: &str, expect: bool| {
            assert_eq!(says_anything(text, &edited(text)), expect, "{text:?}");
        };
        check("Add pages\n", true);
        check("\n# Please enter\n", false);
        check("\nSigned-off-by: a <b@c>\n# Please enter\n", false);
        check(&format!("#{SCISSORS}\n+x\n"), false);
        assert!(says_the_same("Why:\n\n# x\n", "Why:\n# y\n", &edited("")));
        assert!(!says_the_same("Why: it was slow\n", "Why:\n", &edited("")));
        let alone = |text: &str, cleanup: Option<&str>| {
            says_anything(text, &Comments::of(text, None, cleanup, false))
        };
        assert!(alone("#12\n", None) && !alone("#12\n", Some("strip")));
        assert!(!alone("# only comments\n#\n", None), "nobody can tell whether git takes it out");
    }

    #[test]
    fn nothing_but_our_own_trailers_is_an_empty_message() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(emptied(text, &edited(text)).as_deref(), expect, "{text:?}");
        };
        check("\nTask-Id: t-1\nPrompt-Version: a\n# Please enter\n", Some("\n# Please enter\n"));
        check("a\n\nTask-Id: t-1\n", None);
        check("\nSigned-off-by: a <b@c>\nTask-Id: t-1\n", Some("\nSigned-off-by: a <b@c>\n"));
        check("# only comments\n", None);
        let scissors = format!("\nTask-Id: t-1\n#{SCISSORS}\nTask-Id: t-2\n");
        check(&scissors, Some(&format!("\n#{SCISSORS}\nTask-Id: t-2\n")));
        let other = Comments::of("", Some(";"), None, true);
        assert_eq!(emptied("\nTask-Id: t-1\n; x\n", &other).as_deref(), Some("\n; x\n"));
        let unedited = Comments::of("", None, None, false);
        assert_eq!(emptied("# x\n\nTask-Id: t-1\n", &unedited), None);
    }
}
