//! Facts for a person at a terminal: grouped by verdict, each with its location, its age and its
//! changes. The answer contains all texts. This module only formats them.

use loci_engine::safety::sanitise;
use loci_model::Timestamp;
use loci_model::facts::support::Assurance;
use loci_model::ports::clock::Clock as _;
use loci_model::time::DAY_MS;
use serde_json::Value;

use crate::adapters::SystemClock;
use crate::output;

/// Prints an answer: facts in groups, other answers as a line for each member.
pub(super) fn shown(answer: &Value) {
    if answer.get("memories").and_then(Value::as_array).is_none() {
        output::members(&without_warnings(answer));
    } else {
        list(answer, SystemClock::new().now()).iter().for_each(output::line);
    }
    let omitted = answer.get("omitted").and_then(Value::as_object);
    for (why, count) in omitted.into_iter().flatten() {
        output::note(format!("{count} withheld: {why}"));
    }
    answer.get("withheld").and_then(Value::as_array).into_iter().flatten().for_each(withheld);
    for warning in answer.get("warnings").and_then(Value::as_array).into_iter().flatten() {
        output::note(warning.as_str().unwrap_or_default());
    }
}

/// Returns an answer without its warnings, which are printed as notes.
fn without_warnings(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(members) = answer.as_object_mut() {
        members.remove("warnings");
    }
    answer
}

/// Returns the lines of a list.
fn list(answer: &Value, now: Timestamp) -> Vec<String> {
    let facts = answer.get("memories").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut lines = vec![looked_at(answer)];
    for assurance in Assurance::ALL {
        let mut of_group = facts.iter().filter(|fact| assurance_of(fact) == *assurance).peekable();
        if of_group.peek().is_some() {
            lines.push(String::new());
            lines.push(assurance.heading().to_owned());
        }
        of_group.for_each(|fact| lines.extend(one(fact, now)));
    }
    if let Some(hint) = answer.get("hint").and_then(Value::as_str) {
        lines.push(hint.to_owned());
    }
    lines
}

/// Returns the repository and the revision.
fn looked_at(answer: &Value) -> String {
    let commit: String = text(answer, "commit").chars().take(12).collect();
    let commit = if commit.is_empty() { String::new() } else { format!(" ({commit})") };
    format!("{} at {}{commit}", clean(text(answer, "repo")), clean(text(answer, "ref")))
}

fn assurance_of(fact: &Value) -> Assurance {
    Assurance::parse(text(fact, "assurance")).unwrap_or(Assurance::Unverified)
}

/// Returns the lines of a fact: its text, then its location and age, then its changes.
fn one(fact: &Value, now: Timestamp) -> Vec<String> {
    let words = format!("{}: {}", text(fact, "subject"), text(fact, "fact"));
    let label = match text(fact, "label") {
        "" => "not checked",
        label => label,
    };
    let mut lines = vec![
        format!("  {}  {}", text(fact, "id"), clean(&words)),
        format!("      {}; {}", clean(label), age(text(fact, "refreshed_at"), now)),
    ];
    if let Some(change) = fact.get("change") {
        let (first, last) = (change.get("line_start"), change.get("line_end"));
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or_default();
        let place = format!("{}:{}-{}", text(change, "path"), number(first), number(last));
        lines.push(format!("      {}", clean(&place)));
        let diff = text(change, "diff").lines().map(|line| format!("        {}", clean(line)));
        lines.extend(diff);
    }
    lines
}

/// Returns the age since the last confirmation.
fn age(refreshed_at: &str, now: Timestamp) -> String {
    let Ok(at) = Timestamp::parse(refreshed_at) else { return "age not known".to_owned() };
    match (now.millis() - at.millis()).max(0) / DAY_MS {
        0 => "confirmed today".to_owned(),
        1 => "confirmed 1 day ago".to_owned(),
        days => format!("confirmed {days} days ago"),
    }
}

/// Prints a withheld fact, and the reason.
fn withheld(fact: &Value) {
    let why = fact.get("why").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let why = why.collect::<Vec<_>>().join("; ");
    let (id, verdict, subject) = (text(fact, "id"), text(fact, "verdict"), clean(text(fact, "subject")));
    output::note(format!("  {id}  {verdict}  {subject}: {}", clean(&why)));
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text on one line, without control sequences of a terminal.
fn clean(text: &str) -> String {
    sanitise(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_stand_under_what_they_are_worth() {
        let fact = |id: &str, assurance: &str, label: &str| {
            json!({
                "id": id, "subject": "Carts", "fact": "\u{1b}[31mA cart is full.", "assurance": assurance,
                "label": label, "refreshed_at": "2026-01-01T00:00:00Z",
            })
        };
        let mut drifted = fact("3", "drifted", "a.rs:1-1; the cited code has changed: check it before use");
        drifted["change"] = json!({ "path": "a.rs", "line_start": 1, "line_end": 1, "diff": "-50\n+60" });
        let answer = json!({
            "repo": "acme/shop", "ref": "WORKTREE", "commit": "0123456789abcdef",
            "memories": [drifted, fact("2", "cited", "cites a.rs:2-2, not checked against it"), fact("1", "verified", "a.rs:3-3; verified")],
        });
        let now = Timestamp::parse("2026-01-13T00:00:00Z").unwrap();
        let lines = list(&answer, now);
        assert_eq!(
            lines,
            [
                "acme/shop at WORKTREE (0123456789ab)",
                "",
                "Verified facts",
                "  1  Carts: A cart is full.",
                "      a.rs:3-3; verified; confirmed 12 days ago",
                "",
                "Facts that cite code and were not checked against it",
                "  2  Carts: A cart is full.",
                "      cites a.rs:2-2, not checked against it; confirmed 12 days ago",
                "",
                "Facts whose cited code has changed",
                "  3  Carts: A cart is full.",
                "      a.rs:1-1; the cited code has changed: check it before use; confirmed 12 days ago",
                "      a.rs:1-1",
                "        -50",
                "        +60",
            ]
        );
        let empty = json!({ "repo": "acme/shop", "ref": "WORKTREE", "memories": [], "hint": "Store one." });
        assert_eq!(list(&empty, now), ["acme/shop at WORKTREE", "Store one."]);
    }
}
