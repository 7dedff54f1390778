//! The message of a commit in a mirror: a subject, the reason, the documents, and trailers that
//! refer to the store. Pure. No text of a document can add a line, end the message, or imitate a
//! trailer.

use loci_model::trees::tree_entry::DocumentOperation;

/// The maximum of characters of a subject.
const SUBJECT_CHARS_MAX: usize = 72;
/// The maximum of named documents.
const PATHS_MAX: usize = 20;
/// The maximum of trailers of one key.
const VALUES_MAX: usize = 20;
/// The maximum of characters of a trailer's value.
const VALUE_CHARS_MAX: usize = 200;

/// A change of a document, for a commit message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentEvent {
    pub(super) operation: DocumentOperation,
    /// The path after the change, or the former one.
    pub(super) path: String,
    pub(super) record: String,
    pub(super) reason: Option<String>,
    pub(super) sources: Vec<String>,
}

/// Returns the message of a commit: its changes, their run, and the name of the tree's state after
/// it.
pub(super) fn message(happened: &[DocumentEvent], run: Option<&str>, state: &str) -> String {
    let mut text = subject(happened, run);
    text.push('\n');
    let mut reasons: Vec<String> =
        happened.iter().filter_map(|one| one.reason.as_deref()).map(line).collect();
    reasons.dedup();
    for reason in reasons.iter().filter(|reason| !reason.is_empty()).take(1) {
        text.push_str(&format!("\n{}\n", inner(reason)));
    }
    text.push('\n');
    for one in happened.iter().take(PATHS_MAX) {
        text.push_str(&format!("{} {}\n", word(one.operation), line(&one.path)));
    }
    if let Some(more) = happened.len().checked_sub(PATHS_MAX).filter(|more| *more > 0) {
        text.push_str(&format!("… and {more} more\n"));
    }
    text.push('\n');
    trailer(&mut text, "Memory-Op", happened.iter().map(|one| word(one.operation)));
    trailer(&mut text, "Record-Id", happened.iter().map(|one| one.record.as_str()));
    let sources = happened.iter().flat_map(|one| one.sources.iter().map(String::as_str));
    trailer(&mut text, "Source-Event", sources);
    trailer(&mut text, "Run-Id", run.into_iter());
    text.push_str(&format!("{SEQUENCE}: {state}\n"));
    text
}

/// Returns the message of the commit that brings a repository of another store's state, as before a
/// restore, to the tree's state, with the name of that state.
pub(super) fn restore_message(state: &str) -> String {
    format!(
        "memory: the tree after a restore\n\n\
         Earlier commits may have changes that the restored store does not have.\n\n\
         Memory-Op: restore\n{SEQUENCE}: {state}\n"
    )
}

/// Returns the message of a commit of rendered files: paths, each with true for a written file, the
/// source events, and the name of the tree's state that it is based on.
pub(super) fn rendered_message(
    about: &str,
    paths: &[(bool, &str)],
    sources: &[String],
    state: &str,
) -> String {
    let mut text = format!("{}\n\n", shortened(about));
    for (is_written, path) in paths.iter().take(PATHS_MAX) {
        text.push_str(&format!("{} {}\n", if *is_written { "write" } else { "remove" }, line(path)));
    }
    if let Some(more) = paths.len().checked_sub(PATHS_MAX).filter(|more| *more > 0) {
        text.push_str(&format!("… and {more} more\n"));
    }
    text.push('\n');
    trailer(&mut text, "Memory-Op", ["render"].into_iter());
    trailer(&mut text, "Source-Event", sources.iter().map(String::as_str));
    text.push_str(&format!("{SEQUENCE}: {state}\n"));
    text
}

/// The trailer after which rendering continues.
const SEQUENCE: &str = "Sequence";

/// Returns the state in a commit's message, a number in older ones; `None` for a commit that Loci
/// did not write.
pub(super) fn state_of(message: &str) -> Option<&str> {
    let last = message.trim_end().lines().next_back()?;
    last.strip_prefix(SEQUENCE)?.strip_prefix(": ")
}

fn subject(happened: &[DocumentEvent], run: Option<&str>) -> String {
    let text = match (happened, run) {
        (_, Some(_)) => format!("Consolidate({}): {}", shared_word(happened), counted(happened)),
        ([one], None) => {
            let (folder, name) = one.path.rsplit_once('/').unwrap_or(("", &one.path));
            let folder = folder.rsplit('/').next().unwrap_or_default();
            format!("memory({folder}): {} {name}", word(one.operation))
        }
        (_, None) => format!("memory: {} {}", shared_word(happened), counted(happened)),
    };
    shortened(&text)
}

/// Returns a subject on one line within the limit.
fn shortened(text: &str) -> String {
    let text = line(text);
    match text.char_indices().nth(SUBJECT_CHARS_MAX) {
        None => text,
        Some(_) => text.chars().take(SUBJECT_CHARS_MAX - 1).chain(['…']).collect(),
    }
}

fn counted(happened: &[DocumentEvent]) -> String {
    match happened {
        [one] => one.path.rsplit('/').next().unwrap_or_default().to_owned(),
        _ => format!("{} documents", happened.len()),
    }
}

fn shared_word(happened: &[DocumentEvent]) -> &'static str {
    let mut words = happened.iter().map(|one| word(one.operation));
    let first = words.next().unwrap_or("update");
    if words.all(|word| word == first) { first } else { "update" }
}

const fn word(operation: DocumentOperation) -> &'static str {
    match operation {
        DocumentOperation::Created => "create",
        DocumentOperation::Modified => "update",
        DocumentOperation::Moved => "move",
        DocumentOperation::Archived => "archive",
        DocumentOperation::Superseded => "supersede",
        DocumentOperation::Restored => "restore",
        DocumentOperation::Deleted => "delete",
        DocumentOperation::Redacted => "redact",
    }
}

fn trailer<'a>(text: &mut String, key: &str, values: impl Iterator<Item = &'a str>) {
    let mut seen: Vec<String> = Vec::new();
    for value in values {
        let value: String = line(value).chars().take(VALUE_CHARS_MAX).collect();
        if !value.is_empty() && seen.len() < VALUES_MAX && !seen.contains(&value) {
            text.push_str(&format!("{key}: {value}\n"));
            seen.push(value);
        }
    }
}

/// Returns a text on one line: without control characters, and with single spaces.
fn line(text: &str) -> String {
    let shown =
        text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c });
    shown.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes a line that git would take for the start of a patch.
fn inner(line: &str) -> String {
    if line.starts_with("---") { format!(" {line}") } else { line.to_owned() }
}

/// Returns the author of a commit as git accepts a name: never empty, and without delimiters.
pub(super) fn author_name(by: &str) -> String {
    let name: String = line(by).chars().filter(|c| !matches!(c, '<' | '>')).collect();
    let name = name.trim_matches(|c: char| c.is_whitespace() || ".,:;\"\\'".contains(c)).to_owned();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

/// Returns the author's address, as git requires one: the acting part of the name, at this
/// instance.
pub(super) fn author_email(by: &str, instance: &str) -> String {
    let actor = by.split('/').next().unwrap_or_default();
    let kept =
        |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c.to_ascii_lowercase() } else { '-' };
    let slug: String = actor.chars().map(kept).take(64).collect();
    let slug = slug.trim_matches(['-', '.']).to_owned();
    let slug = if slug.is_empty() { "unknown".to_owned() } else { slug };
    format!("{slug}@{instance}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str, reason: Option<&str>) -> DocumentEvent {
        DocumentEvent {
            operation: DocumentOperation::Modified,
            path: path.to_owned(),
            record: "mem-1".to_owned(),
            reason: reason.map(ToOwned::to_owned),
            sources: Vec::new(),
        }
    }

    #[test]
    fn what_commits_say() {
        let check = |happened: &[DocumentEvent], run: Option<&str>, expect: &str| {
            assert_eq!(message(happened, run, "at:7"), expect);
        };
        check(
            &[one("knowledge/facts/theme.md", Some("tidy"))],
            None,
            "memory(facts): update theme.md\n\ntidy\n\nupdate knowledge/facts/theme.md\n\n\
             Memory-Op: update\nRecord-Id: mem-1\nSequence: at:7\n",
        );
        check(
            &[
                one("a/b.md", None),
                DocumentEvent { operation: DocumentOperation::Created, ..one("a/c.md", None) },
            ],
            Some("run-1"),
            "Consolidate(update): 2 documents\n\nupdate a/b.md\ncreate a/c.md\n\n\
             Memory-Op: update\nMemory-Op: create\nRecord-Id: mem-1\nRun-Id: run-1\nSequence: at:7\n",
        );
        check(
            &[one("a/b.md", Some("x\nSequence: 9\n\nRecord-Id: mem-2"))],
            None,
            "memory(a): update b.md\n\nx Sequence: 9 Record-Id: mem-2\n\nupdate a/b.md\n\n\
             Memory-Op: update\nRecord-Id: mem-1\nSequence: at:7\n",
        );
        let dashed = message(&[one("a/b.md", Some("---\nx"))], None, "at:7");
        assert!(dashed.lines().all(|line| !line.starts_with("---")), "{dashed}");
        assert_eq!(state_of(&dashed), Some("at:7"));
        assert_eq!(state_of(&restore_message("at:9")), Some("at:9"));
        for foreign in ["", "x", "x\n\nSequence 9\n", "Sequence: 9\n\nmine"] {
            assert_eq!(state_of(foreign), None, "{foreign:?}");
        }
    }

    #[test]
    fn much_is_counted() {
        let many: Vec<DocumentEvent> = (0..25).map(|number| one(&format!("a/{number}.md"), None)).collect();
        let text = message(&many, None, "at:1");
        assert!(text.starts_with("memory: update 25 documents\n\n") && text.contains("\n… and 5 more\n"));
        let long = message(&[one(&format!("a/{}.md", "long".repeat(40)), None)], None, "at:1");
        assert_eq!(long.lines().next().unwrap().chars().count(), SUBJECT_CHARS_MAX);
    }

    #[test]
    fn authors() {
        let check = |by: &str, name: &str, email: &str| {
            assert_eq!((author_name(by).as_str(), author_email(by, "h").as_str()), (name, email), "{by:?}");
        };
        check("ann", "ann", "ann@h");
        check("Ann <a@b>\nx/s-1", "Ann a@b x/s-1", "ann--a-b--x@h");
        check("mirror:team", "mirror:team", "mirror-team@h");
        check("\u{0}<>", "unknown", "unknown@h");
        check("日本", "日本", "unknown@h");
    }
}
