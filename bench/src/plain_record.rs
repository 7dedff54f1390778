//! A plain record for an index of this process. Benchmark programs change the fields that they
//! need.

use anyhow::{Result, anyhow};
use loci_index::IndexRecord;
use loci_model::record::provenance::Position;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{RecordId, Timestamp};

/// Returns an active fact at the root, without actor, session and passages. Its number determines
/// its id and its sequence.
pub(crate) fn plain_record(number: u64, time: Timestamp) -> Result<IndexRecord> {
    Ok(IndexRecord {
        record: RecordId::compose(&format!("{number:036}")).map_err(|error| anyhow!("{error}"))?,
        version: 1,
        sequence: number + 1,
        content: 0,
        kind: RecordKind::Fact,
        state: RecordState::Active,
        namespace: "/".to_owned(),
        strategy: None,
        actor: None,
        session: None,
        branch: None,
        verbatim: false,
        role: None,
        position: Position { run: None, time, event: format!("{number:09}"), message: 0, part: (0, 0) },
        has_time: true,
        created_at: time,
        updated_at: time,
        origin: RecordOrigin::Extracted,
        valid_from: time,
        valid_to: None,
        known_to: None,
        expires_at: None,
        metadata: Default::default(),
        path: None,
        passages: Vec::new(),
    })
}
