//! `doctor --telemetry`: checks that the events of facts agree with the facts, by each rule, over
//! all memories. `loci_verified` has the rules.

use loci_api::admin::Finding;
use loci_model::{Result, limits};
use loci_verified::{TelemetryRule, TelemetryViolation};

use crate::v1::protocol::call::Call;

/// The maximum number of ids in a finding.
const IDS_MAX: usize = 100;
/// The maximum number of violations that a finding describes.
const SAID_MAX: usize = 5;

/// Returns a finding for each rule.
pub(in crate::v1) async fn report(call: &Call) -> Result<Vec<Finding>> {
    let engine = &call.doors.engine;
    engine.info(&call.caller, false).await?; // Only who may look at the server.
    let (mut after, mut records, mut cut, mut violations) = (None, 0, 0, Vec::new());
    loop {
        let page = engine.memory_list(&call.caller, after, limits::PAGE_ITEMS_MAX).await?;
        for memory in &page.items {
            let found = engine.verified.telemetry_check(&call.caller, &memory.id).await?;
            records += found.records;
            cut += found.cut;
            violations.extend(found.violations);
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let mut findings: Vec<Finding> =
        TelemetryRule::ALL.iter().map(|rule| of_rule(*rule, &violations)).collect();
    let rows = if cut > 0 {
        format!("; of {cut} only the newest 10000 rows were looked at one by one")
    } else {
        String::new()
    };
    let detail = format!("{records} records were looked at{rows}");
    findings.push(Finding { name: "telemetry".to_owned(), ok: true, detail, ids: Vec::new() });
    Ok(findings)
}

fn of_rule(rule: TelemetryRule, violations: &[TelemetryViolation]) -> Finding {
    let of: Vec<&TelemetryViolation> = violations.iter().filter(|one| one.rule == rule).collect();
    let ids = of.iter().filter_map(|one| id(one)).take(IDS_MAX).collect();
    let said: Vec<String> = of.iter().take(SAID_MAX).map(|one| said(one)).collect();
    let more = of.len().saturating_sub(SAID_MAX);
    let detail = match (of.len(), more) {
        (0, _) => rule.says().to_owned(),
        (_, 0) => said.join("; "),
        (all, _) => format!("{}; and {more} more of {all}", said.join("; ")),
    };
    Finding { name: rule.as_str().to_owned(), ok: of.is_empty(), detail, ids }
}

fn id(violation: &TelemetryViolation) -> Option<String> {
    violation.record.as_ref().map(ToString::to_string).or_else(|| violation.event.clone())
}

fn said(violation: &TelemetryViolation) -> String {
    let event = violation.event.as_ref().map(|event| format!(" (row {event})")).unwrap_or_default();
    match &violation.record {
        Some(record) => format!("{record}: {}{event}", violation.what),
        None => format!("{}{event}", violation.what),
    }
}

/// Returns a finding on repositories whose default branch, which changes states, is unknown.
pub(in crate::v1) async fn default_branches(call: &Call) -> Result<Finding> {
    let untold = call.doors.engine.verified.repositories_untold(&call.caller).await?;
    let (ok, detail) = match untold.as_slice() {
        [] => (true, "each repository's is known".to_owned()),
        lines => (false, lines.join("; ")),
    };
    Ok(Finding { name: "default branches".to_owned(), ok, detail, ids: Vec::new() })
}
