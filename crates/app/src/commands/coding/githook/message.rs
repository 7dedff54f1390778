//! The text of a commit's message as people leave it: pure. Where somebody typed right above the trailers the blank line is put
//! back, by which git knows them; where nothing was typed at all our own trailers go, so that git calls the commit off as the
//! person wants. Prose is never touched, whatever it speaks of.

use super::trailers::{BOTH, PROMPT, TASK, is_value};

/// Behind this nothing belongs to the message; git writes it behind a sign for comments.
const SCISSORS: &str = " ------------------------ >8 ------------------------";
/// What comments begin with where nobody set anything else.
const USUAL: &str = "#";
/// What they may begin with where git chooses: the first by which no line begins.
const CHOICE: [&str; 10] = ["#", ";", "@", "!", "$", "%", "^", "&", "|", ":"];

/// How git tells comments in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comments {
    /// What the lines begin with that git takes out; `None`: it takes none out, or nobody can tell.
    pub(super) sign: Option<String>,
    /// What they would begin with.
    likely: String,
    /// Lines are taken out though nobody edits.
    is_stripped: bool,
    is_edited: bool,
}

impl Comments {
    /// In the text of a message; `set` and `cleanup`: what git's configuration says of them. A message that nobody edits has comments
    /// only where git wrote some into it: an editor that does nothing looks like none.
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
            // Git writes comments for whoever edits alone.
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
        // Nobody can tell whether git takes it out. A reference to an issue (`#12`) is written without a blank, a comment with one.
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

/// Whether a message ends in what git writes for whoever edits it: several lines, one of them bare.
fn has_block(text: &str, sign: &str) -> bool {
    let lines = text.lines().rev().map(str::trim_end).skip_while(|line| line.is_empty());
    let bare = sign.trim_end();
    let block: Vec<&str> = lines.take_while(|line| line.starts_with(sign) || *line == bare).collect();
    block.len() > 1 && block.contains(&bare)
}

/// Puts the blank line above the trailers back, where it lacks; `None` where nothing lacks.
pub(super) fn repaired(text: &str, comments: &Comments) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_nothing = |line: &str| {
        line.trim().is_empty() || comments.sign.as_ref().is_some_and(|sign| line.starts_with(sign.as_str()))
    };
    let message = lines.get(..end(&lines))?;
    let last = message.iter().rposition(|line| !is_nothing(line))?;
    // Trailers of others beside ours are of the same block; the first line of a message never is.
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

/// The message without our trailers, where there is nothing else in what somebody edited.
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

/// Whether there is anything in a message that counts for git: comments and signatures do not, nor do our trailers here.
pub(super) fn says_anything(text: &str, comments: &Comments) -> bool {
    said(text, comments).next().is_some()
}

/// Whether a message says what another says and nothing more.
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

/// A trailer of ours, by its name and by what may stand behind it.
fn is_ours(line: &str) -> bool {
    let parts = line.split_once(':');
    parts.is_some_and(|(name, value)| [TASK, PROMPT, BOTH].contains(&name) && is_value(value.trim()))
}

/// A trailer of anybody, or what goes on with one.
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
