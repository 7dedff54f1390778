//! Documents for tests of the planner.

use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot};
use loci_model::record::TrustTier;
use loci_model::record::metadata::Metadata;
use loci_model::{Namespace, RecordId, Timestamp};

pub(super) const DAY_MS: i64 = 24 * 3_600_000;

/// Returns the time of a numbered day in the tests.
pub(super) fn day(number: i64) -> Timestamp {
    Timestamp::EPOCH.plus_millis((20_000 + number) * DAY_MS)
}

/// Returns a document with this path and body, written on this day.
pub(super) fn document(path: &str, body: &str, written: i64) -> PlanDocument {
    let path = if path.contains('/') { path.to_owned() } else { format!("knowledge/facts/{path}.md") };
    PlanDocument {
        id: RecordId::parse(format!("mem-{:0>40}", written.unsigned_abs())).unwrap(),
        namespace: Namespace::parse("/repo/").unwrap(),
        strategy: None,
        scope: None,
        strict: Metadata::new(),
        text: body.to_owned(),
        title: None,
        description: Some(format!("what {path} says")),
        key: None,
        tags: Vec::new(),
        tier: TrustTier::Agent,
        pinned: false,
        priority: 0,
        uses: 0,
        expires_at: None,
        valid_from: day(written),
        observed_at: day(written),
        sequence: written.unsigned_abs(),
        hash: [0; 32],
        is_new: false,
        reference: path,
    }
}

/// Returns a tree of documents `a`, `b`, `c` … with these bodies, each a day newer than the one
/// before.
pub(super) fn tree(bodies: &[&str]) -> Snapshot {
    let names = "abcdefghijklmnopqrstuvwxyz";
    let documents = names.chars().zip(bodies).zip(1..);
    let documents =
        documents.map(|((name, body), written)| document(&name.to_string(), body, written)).collect();
    Snapshot { sequence: 99, documents, ..Snapshot::default() }
}
