//! Reports for tests of the formats.

use loci_model::facts::citation::LineRange;
use loci_model::facts::verdict::{Method, Verdict};

use super::report::{CitationReport, Finding, Revision, Side, VerifyReport};

/// Returns a report in which facts with these texts are gone.
pub(super) fn report(facts: &[&str]) -> VerifyReport {
    let finding = |(number, fact): (usize, &&str)| Finding {
        memory_id: format!("id-{number}"),
        subject: "Carts".to_owned(),
        fact: (*fact).to_owned(),
        verdict: Verdict::Gone,
        verdict_since: Some(Verdict::Valid),
        citations: vec![CitationReport {
            index: 0,
            verdict: Verdict::Gone,
            method: Method::None,
            reason: Some("gone:block_gone".to_owned()),
            place: LineRange { path: "src/cart.rs".to_owned(), line_start: 10, line_end: 13 },
            side: Side::Since,
            before: Some(LineRange { path: "src/cart.rs".to_owned(), line_start: 10, line_end: 13 }),
            diff: None,
        }],
        false_claims: Vec::new(),
        other_values: Vec::new(),
    };
    let mut report = VerifyReport {
        repo: "acme/shop".to_owned(),
        rev: Revision { name: "HEAD".to_owned(), ..Revision::default() },
        since: Some(Revision { name: "main".to_owned(), ..Revision::default() }),
        invalidated: facts.iter().enumerate().map(finding).collect(),
        ..VerifyReport::default()
    };
    report.counts.facts = facts.len();
    report
}
