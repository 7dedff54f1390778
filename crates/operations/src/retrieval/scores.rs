//! Confidence, recency, and the score that combines both with similarity. Pure.

use std::collections::HashMap;

use loci_api::operations::knowledge::SreScoreParts;
use loci_model::Timestamp;
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;
use loci_model::services::knowledge::{KnowledgeType, SreSource, SreType};
use loci_model::time::DAY_MS;
use serde_json::Value;

use super::retrieve::SreFound;
use crate::records::precedence::{source, word};

/// The investigations that confirmed a record, and those that refuted it: lists of incidents.
/// Clients cannot write system keys.
pub(crate) const CONFIRMED_BY: &str = "x-amz-agentcore-memory-confirmedBy";
pub(crate) const REFUTED_BY: &str = "x-amz-agentcore-memory-refutedBy";

/// The declared confidence of a record that states none.
const DECLARED_DEFAULT: f64 = 0.8;
/// The maximum declared confidence without evidence.
const CAP_WITHOUT_EVIDENCE: f64 = 0.6;
const FOR_EACH_CONFIRMATION: f64 = 0.1;
const FOR_EACH_REFUTATION: f64 = 0.2;
const LEAST: f64 = 0.05;
const MOST: f64 = 0.99;

/// The member that marks evidence naming no call reported for its investigation.
pub(crate) const UNVERIFIED: &str = "unverified";

/// The member of content or metadata that marks text that outsiders can write.
pub(crate) const TRUST: &str = "trust";
pub(crate) const UNTRUSTED: &str = "untrusted";

/// The weights of the score components. Their sum is 1.
const SIMILARITY_WEIGHT: f64 = 0.6;
const RECENCY_WEIGHT: f64 = 0.15;
const CONFIDENCE_WEIGHT: f64 = 0.25;
/// The half-life of the recency of a baseline, in days; the next constant is for other records.
const BASELINE_HALF_LIFE_DAYS: f64 = 14.0;
const HALF_LIFE_DAYS: f64 = 90.0;

/// Returns the effective confidence: the declared one, limited without evidence, and adjusted by
/// confirmations and refutations of investigations.
pub(super) fn confidence(record: &Record, content: &Value) -> f64 {
    let declared = content.get("confidence").and_then(Value::as_f64).unwrap_or(DECLARED_DEFAULT);
    let cap = if has_evidence(content) { 1.0 } else { CAP_WITHOUT_EVIDENCE };
    let count = |key: &str| match record.metadata.get(key) {
        Some(MetadataValue::StringList(names)) => names.len() as f64,
        Some(_) | None => 0.0,
    };
    effective(declared, cap, count(CONFIRMED_BY), count(REFUTED_BY))
}

fn effective(declared: f64, cap: f64, confirmed: f64, refuted: f64) -> f64 {
    let sure = declared.min(cap) + FOR_EACH_CONFIRMATION * confirmed - FOR_EACH_REFUTATION * refuted;
    sure.clamp(LEAST, MOST)
}

/// True if the content or one of its findings has evidence that names a tool call and is not marked
/// as unverified.
pub(crate) fn has_evidence(content: &Value) -> bool {
    let names_call = |evidence: &Value| {
        let named = |item: &Value| match item {
            // Findings name only the call.
            Value::String(call) => !call.trim().is_empty(),
            item if is_unverified(item) => false,
            item => {
                item.get("tool_call_id").and_then(Value::as_str).is_some_and(|call| !call.trim().is_empty())
            }
        };
        evidence.as_array().is_some_and(|items| items.iter().any(named))
    };
    let of_finding = |finding: &Value| finding.get("evidence").is_some_and(names_call);
    content.get("evidence").is_some_and(names_call)
        || content.get("key_findings").and_then(Value::as_array).is_some_and(|all| all.iter().any(of_finding))
}

/// True for evidence that names no call reported for its investigation. It is kept, but does not
/// raise the confidence.
pub(crate) fn is_unverified(evidence: &Value) -> bool {
    evidence.get(UNVERIFIED) == Some(&Value::Bool(true))
}

/// Returns the score components of a record at `now`.
pub(crate) fn parts(
    record: &Record,
    content: &Value,
    now: Timestamp,
    (similarity, lexical): (f64, f64),
) -> SreScoreParts {
    let half_life = if is_baseline(content) { BASELINE_HALF_LIFE_DAYS } else { HALF_LIFE_DAYS };
    SreScoreParts {
        similarity: similarity.clamp(0.0, 1.0),
        lexical: lexical.clamp(0.0, 1.0),
        recency: recency(age_ms(record, now), half_life),
        confidence: confidence(record, content),
    }
}

/// Returns the combined score.
pub(super) fn score(parts: &SreScoreParts) -> f64 {
    SIMILARITY_WEIGHT * parts.similarity
        + RECENCY_WEIGHT * parts.recency
        + CONFIDENCE_WEIGHT * parts.confidence
}

/// True for text that outsiders can write, unless another source has stated it.
pub(super) fn is_untrusted(record: &Record, content: &Value) -> bool {
    let says_so = |holder: Option<&Value>| {
        holder.and_then(|holder| holder.get(TRUST)).and_then(Value::as_str) == Some(UNTRUSTED)
    };
    // An agent's finding about an alert is trusted; the text of the alert is only a part of it.
    let is_marked = word(record, TRUST) == Some(UNTRUSTED) || says_so(Some(content));
    // The source is read last, because that computes a digest of the whole text.
    is_marked || (says_so(content.get("alert")) && source(record) == SreSource::Webhook)
}

/// Limits the score of an untrusted result to the lowest score of trusted results with equal
/// similarity, so that it never ranks above them.
pub(super) fn below_trusted(results: &mut [SreFound]) {
    let key = |result: &SreFound| result.parts.similarity.to_bits();
    let mut least: HashMap<u64, f64> = HashMap::new();
    for result in results.iter().filter(|result| !is_untrusted(&result.record, &result.content)) {
        let score = least.entry(key(result)).or_insert(result.score);
        *score = score.min(result.score);
    }
    for result in results.iter_mut().filter(|result| is_untrusted(&result.record, &result.content)) {
        let most = least.get(&key(result)).copied().unwrap_or(result.score);
        result.score = result.score.min(most);
    }
}

fn recency(age_ms: i64, half_life_days: f64) -> f64 {
    let days = age_ms as f64 / DAY_MS as f64;
    (-days / half_life_days).exp2()
}

/// Returns the age since observation or confirmation, in milliseconds; at least 0.
fn age_ms(record: &Record, now: Timestamp) -> i64 {
    (now.millis() - record.timestamp.millis()).max(0)
}

/// Returns the age in whole days.
pub(crate) fn age_days(record: &Record, now: Timestamp) -> i64 {
    age_ms(record, now) / DAY_MS
}

/// True for a baseline that may be outdated: past its window, or older than half its retention
/// without a confirmation.
pub(super) fn is_stale(kind: SreType, record: &Record, content: &Value, now: Timestamp) -> bool {
    if kind != SreType::Infrastructure || !is_baseline(content) {
        return false;
    }
    let half_time = record.expiry_days.map(|days| i64::from(days) * DAY_MS / 2);
    is_past_window(content, now) || half_time.is_some_and(|half| age_ms(record, now) > half)
}

fn is_past_window(content: &Value, now: Timestamp) -> bool {
    let Some(window) = content.get("valid_window") else { return false };
    let recurs = window.get("recurrence").is_some_and(|one| !one.is_null());
    // A recurring window has no end.
    let to = window.get("to").and_then(Value::as_str).and_then(|text| Timestamp::parse(text).ok());
    !recurs && to.is_some_and(|to| to <= now)
}

fn is_baseline(content: &Value) -> bool {
    content.get("knowledge_type").and_then(Value::as_str) == Some(KnowledgeType::Baseline.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::precedence::seal;
    use loci_model::MemoryId;
    use loci_testkit_ports::samples;
    use serde_json::json;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn what_is_declared_is_an_input() {
        let check = |declared: f64, cap: f64, c: f64, r: f64, expect: f64| {
            let got = effective(declared, cap, c, r);
            assert!(close(got, expect), "{declared} {cap} {c} {r}: {got} is not {expect}");
        };
        check(1.0, 0.6, 0.0, 0.0, 0.6);
        check(0.7, 1.0, 0.0, 0.0, 0.7);
        check(0.3, 0.6, 0.0, 0.0, 0.3);
        check(0.8, 0.6, 2.0, 0.0, 0.8);
        check(0.8, 1.0, 5.0, 0.0, 0.99);
        check(0.8, 0.6, 0.0, 2.0, 0.2);
        check(0.1, 0.6, 0.0, 3.0, 0.05);
    }

    #[test]
    fn evidence_names_a_call() {
        let check = |content: Value, expect: bool| assert_eq!(has_evidence(&content), expect, "{content}");
        check(json!({}), false);
        check(json!({"evidence": []}), false);
        check(json!({"evidence": [{"tool": "get_pods"}]}), false);
        check(json!({"evidence": [{"tool_call_id": " "}]}), false);
        check(json!({"evidence": [{"tool_call_id": "tc_1"}]}), true);
        let marked = json!({"tool_call_id": "tc_1", "unverified": true});
        check(json!({"evidence": [marked]}), false);
        check(json!({"evidence": [marked, {"tool_call_id": "tc_2", "unverified": false}]}), true);
        check(json!({"key_findings": ["plain", {"text": "x", "evidence": ["tc_1"]}]}), true);
        check(json!({"key_findings": [{"text": "x", "evidence": []}]}), false);
    }

    #[test]
    fn freshness_halves() {
        assert!(close(recency(0, 14.0), 1.0));
        assert!(close(recency(14 * DAY_MS, 14.0), 0.5));
        assert!(close(recency(28 * DAY_MS, 14.0), 0.25));
        assert!(close(recency(90 * DAY_MS, 90.0), 0.5));
    }

    #[test]
    fn the_sum_is_one_at_most() {
        let one = SreScoreParts { similarity: 1.0, lexical: 0.0, recency: 1.0, confidence: 1.0 };
        assert!(close(score(&one), 1.0));
        let example = SreScoreParts { similarity: 0.78, lexical: 0.6, recency: 0.9, confidence: 0.66 };
        assert!(close(score(&example), 0.768));
    }

    fn found(content: Value, said_by: SreSource, (similarity, score): (f64, f64)) -> SreFound {
        let memory = MemoryId::parse("sre-0123456789").unwrap();
        let mut record = samples::record(&memory, 1, &content.to_string()).unwrap();
        seal(&mut record, said_by);
        SreFound {
            kind: SreType::Investigations,
            parts: SreScoreParts { similarity, ..SreScoreParts::default() },
            score,
            confidence: 0.8,
            age_days: 0,
            stale: false,
            conflict: false,
            namespaces: Vec::new(),
            content,
            record,
        }
    }

    #[test]
    fn what_outsiders_could_write_is_not_above_what_is_as_like() {
        let check = |content: Value, said_by: SreSource, similarity: f64, expect: f64| {
            let trusted = |score: f64| found(json!({"query": "q"}), SreSource::Agent, (0.5, score));
            let mut all =
                vec![trusted(0.6), found(content.clone(), said_by, (similarity, 0.9)), trusted(0.4)];
            below_trusted(&mut all);
            let scores: Vec<f64> = all.iter().map(|one| one.score).collect();
            assert_eq!(scores, [0.6, expect, 0.4], "{content} {said_by:?}");
        };
        let of_alert = || json!({"query": "q", "alert": {"trust": "untrusted"}});
        check(of_alert(), SreSource::Webhook, 0.5, 0.4);
        check(of_alert(), SreSource::Webhook, 0.6, 0.9);
        // An agent has investigated it.
        check(of_alert(), SreSource::Agent, 0.5, 0.9);
        check(json!({"query": "q", "trust": "untrusted"}), SreSource::Agent, 0.5, 0.4);
        check(json!({"query": "q"}), SreSource::Webhook, 0.5, 0.9);
        // An imported record has the mark in its metadata, regardless of the author in its content.
        let mut all = vec![
            found(json!({"query": "q"}), SreSource::Agent, (0.5, 0.6)),
            found(of_alert(), SreSource::Imported, (0.5, 0.9)),
        ];
        let untrusted = MetadataValue::String(UNTRUSTED.to_owned());
        all[1].record.metadata.insert(TRUST.to_owned(), untrusted);
        below_trusted(&mut all);
        assert_eq!(all[1].score, 0.6);
    }

    #[test]
    fn what_may_not_hold_any_more() {
        let now = Timestamp::parse("2026-11-21T12:00:00Z").unwrap();
        let check = |content: Value, age_days: u32, expect: bool| {
            let memory = MemoryId::parse("sre-0123456789").unwrap();
            let mut record = samples::record(&memory, 1, "x").unwrap();
            record.timestamp = now.minus_days(age_days);
            record.expiry_days = Some(30);
            assert_eq!(
                is_stale(SreType::Infrastructure, &record, &content, now),
                expect,
                "{content} {age_days}"
            );
            assert!(!is_stale(SreType::Investigations, &record, &content, now));
        };
        let baseline = |window: Value| json!({"knowledge_type": "baseline", "valid_window": window});
        check(baseline(Value::Null), 15, false);
        check(baseline(Value::Null), 16, true);
        check(baseline(json!({"to": "2026-11-20"})), 1, true);
        check(baseline(json!({"to": "2026-11-22"})), 1, false);
        check(baseline(json!({"to": "2026-11-20", "recurrence": "weekly"})), 1, false);
        check(baseline(json!({"from": "08:00", "to": "18:00"})), 1, false);
        check(json!({"knowledge_type": "config"}), 29, false);
    }
}
