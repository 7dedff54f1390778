//! A run for people, for programs, and as the description of a pull request. No text of a document
//! can open a heading or close a fence.

use anyhow::Result;
use loci_api::documents::consolidation::{ConsolidationAction, ConsolidationRun};
use serde_json::Value;

use super::Format;
use crate::output;

/// The maximum number of bytes of differences in a pull request, whose description is limited.
const DIFFERENCES_BYTES_MAX: usize = 48_000;

pub(super) fn show(run: &ConsolidationRun, format: Format) -> Result<()> {
    match format {
        Format::Json => output::json(run)?,
        Format::Text => output::text(&text(run)),
        Format::Markdown => output::text(&markdown(run)),
    }
    Ok(())
}

fn text(run: &ConsolidationRun) -> String {
    let id = if run.id.is_empty() { String::new() } else { format!("{}  ", run.id) };
    let mut lines = vec![format!("{id}{}  {}", run.status, one_line(&run.summary))];
    for one in &run.plan {
        lines.push(format!("{:<4} {:<8} {}: {}", one.id, one.status, told(one), one_line(&one.reason)));
        lines.extend(one.held.iter().map(|held| format!("     held: {}", one_line(held))));
    }
    for review in &run.reviews {
        lines.push(format!("look: {} ({})", review.paths.join(", "), one_line(&review.reason)));
    }
    lines.extend(left_to_model(run).iter().map(|one| format!("left to a model: {}", one_line(one))));
    lines.extend(run.violations.iter().map(|one| {
        format!("rule {}: {} {}", one.code, one.action.as_deref().unwrap_or("-"), one_line(&one.message))
    }));
    lines.extend(run.conflicts.iter().map(|one| format!("in the way: {}", one_line(one))));
    if let Some((name, before, after)) = gain(run, "listing_tokens") {
        lines.push(format!("{name}: {before} before, {after} after"));
    }
    lines.extend(run.failure.iter().map(|why| format!("why: {}", one_line(why))));
    lines.push(String::new());
    lines.join("\n")
}

fn markdown(run: &ConsolidationRun) -> String {
    let mut out = format!("## Consolidation\n\n{}\n", inert(&run.summary));
    for name in ["documents", "listing_tokens", "duplicates"] {
        if let Some((name, before, after)) = gain(run, name) {
            out.push_str(&format!("\n- {name}: {before} before, {after} after"));
        }
    }
    out.push_str("\n\n| | action | why |\n|---|---|---|\n");
    for one in &run.plan {
        let held = one.held.as_ref().map(|held| format!(" (held: {held})")).unwrap_or_default();
        let why = format!("{}{held}", one.reason);
        out.push_str(&format!("| {} {} | {} | {} |\n", one.id, one.status, inert(&told(one)), inert(&why)));
    }
    for review in &run.reviews {
        out.push_str(&format!(
            "\n- to look at: {}: {}",
            inert(&review.paths.join(", ")),
            inert(&review.reason)
        ));
    }
    for one in left_to_model(run) {
        out.push_str(&format!("\n- left to a model: {}", inert(one)));
    }
    for one in &run.violations {
        out.push_str(&format!("\n- breaks {}: {}", one.code, inert(&one.message)));
    }
    let (mut bytes, mut left_out) = (0, 0);
    for one in run.differences.iter().filter_map(|one| one.unified.as_deref()).filter(|one| !one.is_empty()) {
        bytes += one.len();
        if bytes > DIFFERENCES_BYTES_MAX {
            left_out += 1;
            continue;
        }
        let fence = fence(one);
        out.push_str(&format!("\n\n{fence}diff\n{}{fence}", ended(one)));
    }
    if left_out > 0 {
        out.push_str(&format!("\n\n{left_out} differences are left out for want of room."));
    }
    out.push('\n');
    out
}

fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Returns a fence that is longer than any in a text.
fn fence(text: &str) -> String {
    let mut longest = 0;
    for run in text.split(|c| c != '`') {
        longest = longest.max(run.len());
    }
    "`".repeat(longest.max(2) + 1)
}

/// Describes an action in a few words.
fn told(one: &ConsolidationAction) -> String {
    let member = |name: &str| one.action.get(name).and_then(Value::as_str).unwrap_or_default();
    let list = |name: &str| {
        let items = one.action.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
    };
    let kind = member("type");
    let what = match kind {
        "merge" => format!("merge {} -> {}", list("sources"), member("target")),
        "supersede" => format!("supersede {} by {}", member("path"), member("by")),
        "move" => format!("move {} -> {}", member("from"), member("to")),
        "create" => format!("create {} from {}", member("path"), list("derived_from")),
        _ => format!("{kind} {}", member("path")),
    };
    one_line(&what)
}

/// Returns the sentences of the report about cases that rules leave to a model.
fn left_to_model(run: &ConsolidationRun) -> Vec<&str> {
    let left = run.report.as_ref().and_then(|report| report.get("left_to_model")).and_then(Value::as_array);
    left.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn gain<'a>(run: &ConsolidationRun, name: &'a str) -> Option<(&'a str, u64, u64)> {
    let change = run.report.as_ref()?.get(name)?;
    Some((name, change.get("before")?.as_u64()?, change.get("after")?.as_u64()?))
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Escapes text in a table or a list, so that it has no meaning in Markdown or for a forge.
fn inert(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        if matches!(c, '|' | '<' | '>' | '[' | ']' | '*' | '_' | '`' | '#' | '@' | '\\' | '!') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_api::documents::consolidation::ConsolidationDifference;
    use serde_json::json;

    #[test]
    fn nothing_ends_a_fence_or_opens_a_heading() {
        let run = ConsolidationRun {
            summary: "1 merge\n# x".to_owned(),
            plan: vec![ConsolidationAction {
                id: "a1".to_owned(),
                status: "planned".to_owned(),
                action: json!({"type": "merge", "sources": ["a.md", "b|.md"], "target": "a.md"}),
                reason: "| @all\n## forged".to_owned(),
                ..ConsolidationAction::default()
            }],
            differences: vec![ConsolidationDifference {
                unified: Some("+```\n+## forged\n+````\n".to_owned()),
                ..ConsolidationDifference::default()
            }],
            ..ConsolidationRun::default()
        };
        let shown = markdown(&run);
        assert!(shown.contains("`````diff\n"), "{shown}");
        assert!(!shown.contains("\n## forged") && !shown.contains("\n# x"), "{shown}");
        assert!(shown.contains("merge a.md, b\\|.md -\\> a.md"), "{shown}");
    }
}
