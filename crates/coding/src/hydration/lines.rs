//! The text of a record in the block: its section, its label, its content. Pure. `render` handles
//! safety.

use loci_engine::retrieval::render::{RenderedEntry, contained};
use loci_engine::strategies::episodes::episode_form::Episode;
use loci_engine::strategies::turns::data_lines::value_lines;
use loci_model::Timestamp;
use loci_model::limits;
use loci_model::record::Record;
use loci_model::tasks::outcome::Polarity;
use serde_json::Value;

use super::block_plan::ShownRecord;
use super::candidate::Candidate;
use super::kind::HydrationKind;
use super::origins::rule_sources;
use super::outcome::outcome_of;
use crate::rules::rules_list::SAID_ON;
use crate::tasks::field_checks;

/// The sections of a block, in reading order.
pub(super) const HEADINGS: &[&str] = &[
    "Team conventions from reviews (may be outdated)",
    "Repository knowledge",
    "Past tasks that worked",
    "Past tasks that did not work; do not repeat them",
    "Past tasks of which it is not known whether they worked",
    "Patterns of several tasks",
    "Preferences of whoever asks",
    "Often changed together",
];
/// The note on a record that another one contradicts.
const CONTRADICTED: &str = "another memory says otherwise, and nobody has decided";
const RULES: usize = 0;
const KNOWLEDGE: usize = 1;
const WORKED: usize = 2;
const FAILED: usize = 3;
const OPEN: usize = 4;
const PATTERNS: usize = 5;
const PREFERENCES: usize = 6;
pub(super) const TOGETHER: usize = 7;

/// Returns the text shown for a record.
pub fn shown_text(record: &Record) -> String {
    if record.kind != loci_model::record::RecordKind::Episode {
        return readable(&record.text);
    }
    // The full text of an episode is JSON of many kilobytes.
    let told = record.description.clone().or_else(|| {
        let episode: Episode = loci_json::from_str(&record.text).ok()?;
        Some(format!("{} {}", episode.intent, episode.justification).trim().to_owned())
    });
    let text = told.filter(|text| !text.is_empty()).unwrap_or_else(|| readable(&record.text));
    field_checks::cut(text, limits::TASK_SUMMARY_CHARS_MAX)
}

/// Returns a text in readable form: JSON as `key: value` in one line, other text unchanged.
fn readable(text: &str) -> String {
    let trimmed = text.trim();
    let value =
        trimmed.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(trimmed).ok()).flatten();
    let lines = value.as_ref().map(value_lines).filter(|lines| !lines.trim().is_empty());
    lines.map_or_else(|| text.to_owned(), |lines| lines.trim().replace('\n', "; "))
}

/// Returns the text of a record in a list without headings. An episode that is not an example to
/// follow states so.
pub fn listed_text(shown: &ShownRecord) -> String {
    let (candidate, text) = (&shown.candidate, &shown.text);
    if candidate.kind != HydrationKind::Episodes {
        return text.clone();
    }
    let (outcome, polarity) = outcome_of(candidate);
    let outcome = contained(&outcome).replace('_', " ");
    match polarity {
        Polarity::Positive => text.clone(),
        Polarity::Negative => format!("Did not work ({outcome}), do not repeat: {text}"),
        Polarity::Neutral => format!("Not known whether it worked ({outcome}): {text}"),
    }
}

/// Returns an entry of the block.
pub(super) fn entry(candidate: &Candidate, now: Timestamp) -> RenderedEntry {
    let record = &candidate.record;
    let text = shown_text(record);
    let text = match record.title.as_deref().filter(|title| !title.is_empty()) {
        Some(title) if candidate.kind == HydrationKind::Knowledge => format!("{title}: {text}"),
        Some(_) | None => text,
    };
    let text = match candidate.lacked_by {
        Some(tasks) => format!("{tasks} tasks lacked this: {text}"),
        None => text,
    };
    RenderedEntry {
        id: record.id.to_string(),
        section: section(candidate),
        label: label(candidate, now),
        text,
    }
}

fn section(candidate: &Candidate) -> usize {
    match candidate.kind {
        HydrationKind::Rules => RULES,
        HydrationKind::Knowledge => KNOWLEDGE,
        HydrationKind::Reflections => PATTERNS,
        HydrationKind::Preferences => PREFERENCES,
        HydrationKind::Episodes => match outcome_of(candidate).1 {
            Polarity::Positive => WORKED,
            Polarity::Negative => FAILED,
            Polarity::Neutral => OPEN,
        },
    }
}

/// Returns the label: source, outcome, scope, age, and the result of the code checks.
fn label(candidate: &Candidate, now: Timestamp) -> String {
    let source = candidate.text("source_type").unwrap_or(match candidate.kind {
        HydrationKind::Rules => "review",
        HydrationKind::Knowledge => "memory",
        HydrationKind::Episodes => "episode",
        HydrationKind::Preferences => "preference",
        HydrationKind::Reflections => "reflection",
    });
    let mut notes = vec![source.replace('_', " ")];
    notes.extend(rule_origin(candidate));
    if candidate.kind == HydrationKind::Episodes {
        notes.push(outcome_of(candidate).0.replace('_', " "));
    }
    if candidate.kind == HydrationKind::Knowledge {
        notes.extend(candidate.text("category").map(str::to_owned));
    }
    notes.extend(candidate.record.scope.as_ref().map(|scope| format!("for {scope}")));
    notes.push(match candidate.age_days(now) {
        0 => "today".to_owned(),
        1 => "1 day old".to_owned(),
        days => format!("{days} days old"),
    });
    notes.extend(candidate.cited.as_ref().map(|cited| cited.label.clone()));
    if candidate.standing.conflicts > 0 {
        notes.push(CONTRADICTED.to_owned());
    }
    notes.join("; ")
}

/// Returns the origin of a rule: the pull request, the reviewer and the day. A rule that no review
/// supports names the person who approved it.
fn rule_origin(candidate: &Candidate) -> Option<String> {
    if candidate.kind != HydrationKind::Rules {
        return None;
    }
    let day =
        candidate.text(SAID_ON).map_or_else(|| candidate.record.timestamp.date().to_string(), str::to_owned);
    let source = rule_sources(candidate).into_iter().next();
    let pr = source.as_ref().and_then(|source| source.pr).map(|pr| format!("PR #{pr} "));
    match (pr, source.and_then(|source| source.reviewer)) {
        (pr, Some(reviewer)) => Some(format!("{}by @{reviewer} on {day}", pr.unwrap_or_default())),
        (Some(pr), None) => Some(format!("{pr}on {day}")),
        (None, None) => {
            candidate.text("approved_by").map(|by| format!("approved by {} on {day}", contained(by)))
        }
    }
}

#[cfg(test)]
mod tests {
    use loci_model::record::RecordKind;
    use loci_model::record::metadata::MetadataValue;
    use loci_model::{MemoryId, Result};
    use loci_testkit_ports::samples;

    use super::*;

    #[test]
    fn a_rule_names_pull_request_reviewer_and_day() -> Result<()> {
        let check = |kind: HydrationKind, metadata: &[(&str, &str)], expect: Option<&str>| -> Result<()> {
            let mut record =
                samples::record(&MemoryId::parse("code_memory-0123456789")?, 7, "Sort imports.")?;
            record.kind = RecordKind::Rule;
            let word = |text: &str| MetadataValue::String(text.to_owned());
            record.metadata = metadata.iter().map(|(key, text)| ((*key).to_owned(), word(text))).collect();
            record.timestamp = Timestamp::EPOCH;
            let candidate = Candidate::new(kind, record, 1.0);
            assert_eq!(rule_origin(&candidate).as_deref(), expect, "{metadata:?}");
            let label = label(&candidate, Timestamp::EPOCH);
            assert!(expect.is_none_or(|origin| label.contains(origin)), "{label}");
            Ok(())
        };
        let rules = HydrationKind::Rules;
        let said = [("pr", "42"), ("reviewer", "alice"), (SAID_ON, "2026-03-02")];
        check(rules, &said, Some("PR #42 by @alice on 2026-03-02"))?;
        // A rule of an earlier version has no such day, so the timestamp of the record is used.
        check(rules, &said[..2], Some("PR #42 by @alice on 1970-01-01"))?;
        check(rules, &[("pr", "42"), (SAID_ON, "2026-03-02")], Some("PR #42 on 2026-03-02"))?;
        let by_hand = [("approved_by", "ops"), (SAID_ON, "2026-03-02")];
        check(rules, &by_hand, Some("approved by ops on 2026-03-02"))?;
        check(rules, &[], None)?;
        check(HydrationKind::Knowledge, &said, None)
    }

    #[test]
    fn json_is_read_as_a_line() {
        let check = |text: &str, expect: &str| assert_eq!(readable(text), expect, "{text}");
        check(
            r#"{"service":"cart","limits":{"cpu":2},"tags":["a","b"]}"#,
            "service: cart; limits.cpu: 2; tags: a, b",
        );
        check("{not JSON}", "{not JSON}");
        check("{}", "{}");
        check("[Auth]: tokens live 5 minutes.", "[Auth]: tokens live 5 minutes.");
    }
}
