//! The trailers of a commit message: their names, their values and the git arguments that add them.
//! A trailer is only a hint, because an author can write any. Reported commits are authoritative.

use super::worktree_task::TaskHere;

/// The maximum number of characters in the value of a trailer.
const VALUE_CHARS_MAX: usize = 160;

/// A comment sign for messages without comments: no line begins with it.
const NO_SIGN: &str = "\u{1}";

/// The name of the trailer that contains the task.
pub(crate) const TASK: &str = "Task-Id";
/// The name of the trailer that contains the version of the prompt.
pub(crate) const PROMPT: &str = "Prompt-Version";
/// The trailer with both, for messages that several tasks changed.
pub(crate) const BOTH: &str = "Prompted-by";

/// The name and value of a trailer.
pub(super) type Trailer = (&'static str, String);

/// Returns the trailers of a task, and an error for each value that is not allowed.
pub(super) fn of(task: &TaskHere) -> (Vec<Trailer>, Vec<String>) {
    let mut wanted = vec![(TASK, task.task.clone())];
    if let Some(version) = &task.prompt_version {
        wanted.push((PROMPT, version.clone()));
        wanted.push((BOTH, format!("{}/{version}", task.task)));
    }
    let (good, bad): (Vec<Trailer>, Vec<Trailer>) =
        wanted.into_iter().partition(|(_, value)| is_value(value));
    let refused = bad.into_iter().map(|(name, _)| {
        format!("{name} is left out: its value must be 1 to {VALUE_CHARS_MAX} of A-Z, a-z, 0-9 and . _ : / -")
    });
    (good, refused.collect())
}

/// True if the text cannot end a line or begin another trailer.
pub(super) fn is_value(text: &str) -> bool {
    (1..=VALUE_CHARS_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:/-".contains(&b))
}

/// Returns the git arguments that add missing trailers to the message in a file, above its
/// comments. `None` means that it has no comments.
pub(super) fn arguments(trailers: &[Trailer], file: &str, comments: Option<&str>) -> Vec<String> {
    let sign = format!("core.commentChar={}", comments.unwrap_or(NO_SIGN));
    let mut all = vec!["-c".to_owned(), sign, "interpret-trailers".to_owned()];
    all.extend(["--in-place", "--no-divider", "--where", "end"].map(str::to_owned));
    all.extend(["--if-exists", "addIfDifferent", "--if-missing", "add"].map(str::to_owned));
    for (name, value) in trailers {
        all.extend(["--trailer".to_owned(), format!("{name}: {value}")]);
    }
    all.extend(["--".to_owned(), file.to_owned()]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(task: &str, version: Option<&str>) -> TaskHere {
        TaskHere { task: task.to_owned(), prompt_version: version.map(str::to_owned), ..TaskHere::default() }
    }

    #[test]
    fn a47_values_that_would_break_out_are_refused() {
        let check = |text: &str, expect: bool| assert_eq!(is_value(text), expect, "{text:?}");
        check("t-001", true);
        check("jira:A.1/2_b-c", true);
        check("", false);
        check("t-001\nReviewed-by: root", false);
        check("t-001\r", false);
        check("t 1", false);
        check("größe", false);
        check(&"a".repeat(160), true);
        check(&"a".repeat(161), false);
    }

    #[test]
    fn what_is_said_of_a_task() {
        let names =
            |of: &TaskHere| self::of(of).0.into_iter().map(|(name, value)| format!("{name}: {value}"));
        let all: Vec<_> = names(&task("t-1", Some("3f2a"))).collect();
        assert_eq!(all, ["Task-Id: t-1", "Prompt-Version: 3f2a", "Prompted-by: t-1/3f2a"]);
        assert_eq!(names(&task("t-1", None)).collect::<Vec<_>>(), ["Task-Id: t-1"]);
        let (good, refused) = of(&task("t-1", Some("a\nb")));
        assert_eq!((good.len(), refused.len()), (1, 2), "{refused:?}");
    }
}
