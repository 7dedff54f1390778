//! The line of a past investigation in the block of a start: date, investigator, status, causes
//! and other findings. Pure.

use loci_engine::access::segment;
use loci_model::Timestamp;
use loci_model::services::knowledge::FindingCategory;
use serde_json::Value;

use super::rendering::doubts;
use crate::retrieval::retrieve::SreFound;

/// The maximum number of findings in a line that are not a root cause. The line states the number
/// of the others.
const FINDINGS_SHOWN_MAX: usize = 5;

/// Returns the line of one investigation.
pub(super) fn past_line(found: &SreFound) -> String {
    let content = &found.content;
    let word = |name: &str| content.get(name).and_then(Value::as_str).unwrap_or_default();
    let at = Timestamp::parse(word("started_at")).unwrap_or(found.record.timestamp);
    let by = found.record.provenance.actor.as_ref().map(|actor| segment::decode(actor.as_str()));
    let status =
        if word("resolution_status").is_empty() { "status unknown" } else { word("resolution_status") };
    let mut notes =
        vec![at.civil().strftime("%Y-%m-%d").to_string(), by.unwrap_or_default(), status.to_owned()];
    notes.extend(match cause_confirmed(content) {
        Some(true) => Some("root cause confirmed".to_owned()),
        Some(false) => Some("root cause refuted".to_owned()),
        None => None,
    });
    notes.extend(doubts(found));
    let said = said(content);
    let said = if said.is_empty() { "no root cause known".to_owned() } else { said.join("; ") };
    format!("{} {}: {said} ({})", word("incident_id"), word("query"), notes.join(", "))
}

/// Returns the verdict of the outcome on the cause, if an outcome was reported.
fn cause_confirmed(content: &Value) -> Option<bool> {
    content.get("outcome")?.get("root_cause_confirmed")?.as_bool()
}

/// A finding, as a text or as an object.
struct Finding<'a> {
    text: &'a str,
    is_cause: bool,
    is_refuted: bool,
    is_unverified: bool,
}

impl<'a> Finding<'a> {
    /// Returns the finding of an entry of `key_findings`. A text carries no evidence, so it is
    /// unverified.
    fn of(entry: &'a Value) -> Option<Self> {
        if let Some(text) = entry.as_str() {
            return Some(Self { text, is_cause: false, is_refuted: false, is_unverified: true });
        }
        let category = entry.get("category").and_then(Value::as_str).and_then(FindingCategory::parse);
        Some(Self {
            text: entry.get("text")?.as_str()?,
            is_cause: category == Some(FindingCategory::RootCause),
            is_refuted: is_set(entry, "refuted"),
            is_unverified: is_set(entry, "unverified"),
        })
    }

    fn line(&self) -> String {
        let mark = match (self.is_refuted, self.is_cause) {
            (true, _) => "refuted finding",
            (false, true) => "finding",
            (false, false) => "found",
        };
        let unverified = if self.is_unverified { "[unverified] " } else { "" };
        format!("{mark}: {unverified}{}", self.text)
    }
}

/// Returns causes first, then other findings. A refuted statement is marked as refuted.
fn said(content: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let cause = content.get("root_cause").and_then(Value::as_str);
    if let Some(cause) = cause {
        let mark = if is_set(content, "root_cause_refuted") { "refuted root cause" } else { "root cause" };
        lines.push(format!("{mark}: {cause}"));
    }
    let entries = content.get("key_findings").and_then(Value::as_array).into_iter().flatten();
    let findings = entries.filter_map(Finding::of).filter(|finding| cause != Some(finding.text));
    let (causes, mut others): (Vec<Finding<'_>>, Vec<Finding<'_>>) = findings.partition(|one| one.is_cause);
    // If no cause is named, an outcome that refutes the cause refutes all findings as an
    // explanation.
    let all_refuted = cause.is_none() && causes.is_empty() && cause_confirmed(content) == Some(false);
    others.iter_mut().for_each(|one| one.is_refuted |= all_refuted);
    lines.extend(causes.iter().map(Finding::line));
    lines.extend(others.iter().take(FINDINGS_SHOWN_MAX).map(Finding::line));
    let more = others.len().saturating_sub(FINDINGS_SHOWN_MAX);
    if more > 0 {
        lines.push(format!("{more} more findings"));
    }
    lines
}

fn is_set(of: &Value, name: &str) -> bool {
    of.get(name).and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn causes_and_findings_are_shown() {
        let check = |content: Value, expect: &[&str]| assert_eq!(said(&content), expect, "{content}");
        let limit = "Pod memory limit (512Mi) is too low";
        check(json!({}), &[]);
        check(
            json!({ "key_findings": [limit] }),
            &["found: [unverified] Pod memory limit (512Mi) is too low"],
        );
        check(
            json!({"root_cause": "a leak", "key_findings": ["a leak", {"text": "it restarts", "category": "observation"}]}),
            &["root cause: a leak", "found: it restarts"],
        );
        check(
            json!({"key_findings": ["b", {"text": "a", "category": "root_cause", "unverified": true}]}),
            &["finding: [unverified] a", "found: [unverified] b"],
        );
        let refuted = json!({"root_cause_confirmed": false});
        check(
            json!({ "key_findings": [limit], "outcome": refuted }),
            &["refuted finding: [unverified] Pod memory limit (512Mi) is too low"],
        );
        check(
            json!({"root_cause": "a", "root_cause_refuted": true, "key_findings": ["b"], "outcome": refuted}),
            &["refuted root cause: a", "found: [unverified] b"],
        );
        let many: Vec<String> = (0..8).map(|n| format!("f{n}")).collect();
        let shown = said(&json!({ "key_findings": many }));
        assert_eq!((shown.len(), shown.last().unwrap().as_str()), (6, "3 more findings"));
    }
}
