//! The entry of a consolidation run in `consolidation/changelog.md`. No content can break the
//! format of an entry: every field is one line, and none begins like a heading or an item.

use loci_engine::consolidation::plan::{Action, Operation};
use loci_model::Timestamp;
use loci_text::normalise_exact;

use super::planner::PlannedAction;

/// The maximum number of characters of a field. A longer field is cut and marked.
const FIELD_CHARS_MAX: usize = 500;

/// An applied consolidation run, for the changelog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangelogEntry<'a> {
    /// The time at which the run was applied.
    pub at: Timestamp,
    /// The id of the run.
    pub run: &'a str,
    /// The name of the planner that made the plan.
    pub planner: &'a str,
    /// The operations of consolidation that were requested.
    pub operations: &'a [Operation],
    /// The actions that were applied.
    pub actions: &'a [PlannedAction],
    /// The number of actions that wait for a person.
    pub held: usize,
    /// The paths whose files could not be removed from a mirror.
    pub failed_deletes: &'a [String],
    /// The summary of the plan.
    pub summary: &'a str,
}

/// Returns the text of the changelog entry, with a line end.
#[must_use]
pub fn entry(entry: &ChangelogEntry<'_>) -> String {
    let mut operations: Vec<&Operation> = entry.operations.iter().collect();
    operations.sort();
    let operations: Vec<&str> = operations.into_iter().map(|operation| operation.as_str()).collect();
    let mut lines = vec![
        format!("## {}", minute(entry.at)),
        format!("Run: {}   Planner: {}", field(entry.run), field(entry.planner)),
        format!("Operations: {}", operations.join(", ")),
        format!("Actions ({}):", entry.actions.len()),
    ];
    lines.extend(entry.actions.iter().map(|planned| line(&planned.action)));
    lines.push(format!("Held: {}", entry.held));
    let failed: Vec<String> = entry.failed_deletes.iter().map(|path| field(path)).collect();
    lines.push(format!(
        "Failed deletes: {}",
        if failed.is_empty() { "none".to_owned() } else { failed.join(", ") }
    ));
    lines.push(format!("Summary: {}", field(entry.summary)));
    format!("{}\n", lines.join("\n"))
}

/// Returns an action as a line of the changelog.
#[must_use]
pub(crate) fn line(action: &Action) -> String {
    format!("- {}", told(action))
}

fn told(action: &Action) -> String {
    let what = match action {
        Action::Merge { sources, target, .. } => {
            let sources: Vec<String> = sources.iter().map(|source| short(source)).collect();
            format!("merge {} -> {}", sources.join(", "), short(target))
        }
        Action::Update { path, .. } => format!("update {}", short(path)),
        Action::Supersede { path, by, .. } => format!("supersede {} by {}", short(path), short(by)),
        Action::Create { path, derived_from, .. } if derived_from.is_empty() => {
            format!("create {}", short(path))
        }
        Action::Create { path, derived_from, .. } => {
            let sources: Vec<String> = derived_from.iter().map(|source| short(source)).collect();
            format!("create {} from {}", short(path), sources.join(", "))
        }
        Action::Move { from, to, .. } => format!("move {} -> {}", short(from), short(to)),
        Action::Archive { path, .. } => format!("archive {}", short(path)),
    };
    field(&format!("{what}: {}", field(action.reason())))
}

/// Returns a path without the prefix `knowledge/`.
fn short(path: &str) -> String {
    field(path.strip_prefix("knowledge/").unwrap_or(path))
}

/// Returns a text as one line without markup: it removes control characters, and escapes a `#` at
/// the start.
fn field(text: &str) -> String {
    let flat =
        normalise_exact(&text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " "));
    let mut kept = if flat.starts_with('#') { format!("\\{flat}") } else { flat };
    if kept.chars().count() > FIELD_CHARS_MAX {
        kept = kept.chars().take(FIELD_CHARS_MAX - 1).chain(['…']).collect();
    }
    kept
}

/// Formats a time to the minute, as `2026-06-22T03:00Z`.
fn minute(at: Timestamp) -> String {
    let text = at.to_rfc3339();
    format!("{}Z", text.get(..16).unwrap_or(&text))
}
