//! Converts a stored record to the input of the index: its position in its conversation, its
//! passages, and their analysis.
//!
//! Each store reads its own rows.

use std::borrow::Cow;
use std::collections::HashMap;

use loci_index::{IndexPassage, IndexRecord, MemoryIndex, StoredVector};
use loci_model::record::provenance::Position;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{RecordId, Timestamp};

use crate::passages::passages;

/// The minimum number of records for parallel analysis.
const SHARED_MIN: usize = 256;

/// The vectors of a record, each with its part.
pub type Vectors = Vec<(u32, StoredVector)>;

/// Returns the `content` of a record that the index contains.
pub type IndexedContent<'a> = &'a dyn Fn(&RecordId) -> Option<u64>;

/// A stored record with the further data of its row.
#[derive(Debug, Clone)]
pub struct StoredRecord {
    /// The record.
    pub record: Record,
    /// The time when it ceased to be active.
    pub left_at: Option<Timestamp>,
    /// True if its content is erased.
    pub gone: bool,
}

/// A changed record, read as far as necessary.
#[derive(Debug)]
pub enum Changed {
    /// Only its vectors may have changed.
    Vectors {
        /// The record.
        record: RecordId,
        /// The sequence number of the change.
        sequence: u64,
    },
    /// Any part may have changed.
    Record {
        /// The record.
        stored: Box<StoredRecord>,
        /// The digest of its content.
        content: u64,
    },
}

/// A change of one record, ready to be applied.
#[derive(Debug)]
pub enum IndexChange {
    /// The record has this state.
    Apply(Box<IndexRecord>),
    /// Only the vectors changed, given by part.
    Attach(RecordId, u64, Vectors),
    /// The record was removed.
    Remove(RecordId, u64),
}

impl IndexChange {
    /// Applies the change.
    pub fn apply_to(self, index: &mut MemoryIndex) {
        match self {
            Self::Apply(record) => index.apply(*record),
            Self::Attach(record, sequence, vectors) => index.attach(&record, sequence, &vectors),
            Self::Remove(record, sequence) => index.remove(&record, sequence),
        }
    }
}

/// Returns the changes of these records in order. Many records are analysed with up to `threads`
/// threads.
pub fn analyse(mut rows: Vec<(Vectors, Changed)>, threads: usize) -> Vec<IndexChange> {
    if rows.len() < SHARED_MIN || threads < 2 {
        return rows.into_iter().map(change).collect();
    }
    let share = rows.len().div_ceil(threads);
    let mut shares = Vec::with_capacity(threads);
    while !rows.is_empty() {
        shares.push(rows.split_off(rows.len().saturating_sub(share)));
    }
    shares.reverse();
    std::thread::scope(|scope| {
        let work: Vec<_> = shares
            .into_iter()
            .map(|share| scope.spawn(move || share.into_iter().map(change).collect::<Vec<_>>()))
            .collect();
        work.into_iter()
            .flat_map(|thread| match thread.join() {
                Ok(changes) => changes,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}

fn change((vectors, changed): (Vectors, Changed)) -> IndexChange {
    let (stored, content) = match changed {
        Changed::Vectors { record, sequence } => return IndexChange::Attach(record, sequence, vectors),
        Changed::Record { stored, content } => (stored, content),
    };
    if stored.gone || stored.record.state == RecordState::Erased {
        return IndexChange::Remove(stored.record.id, stored.record.sequence);
    }
    let mut vectors: HashMap<u32, StoredVector> = vectors.into_iter().collect();
    let passages = (0..)
        .zip(passages(&stored.record))
        .map(|(part, text): (u32, Cow<'_, str>)| IndexPassage {
            part,
            analysis: loci_text::analyse_turn(&text),
            vector: vectors.remove(&part),
        })
        .collect();
    let position = position(&stored.record);
    let record = stored.record;
    let provenance = record.provenance;
    IndexChange::Apply(Box::new(IndexRecord {
        version: record.version,
        sequence: record.sequence,
        content,
        kind: record.kind,
        state: record.state,
        namespace: record.namespace.normal(),
        strategy: record.strategy,
        has_time: !provenance.sources.is_empty() || record.origin == RecordOrigin::BatchCreated,
        actor: provenance.actor,
        session: provenance.session,
        branch: provenance.branch,
        verbatim: provenance.verbatim,
        role: provenance.role,
        position,
        created_at: record.created_at,
        updated_at: record.updated_at,
        origin: record.origin,
        valid_from: record.valid_from,
        valid_to: record.valid_to,
        known_to: stored.left_at,
        expires_at: record.expires_at,
        metadata: record.metadata,
        path: record.path,
        record: record.id,
        passages,
    }))
}

/// Returns the position of a record in its session: that of the message it contains verbatim,
/// otherwise that of its own id.
fn position(record: &Record) -> Position {
    let held = record.provenance.sources.first().filter(|_| record.provenance.verbatim);
    Position {
        run: record
            .provenance
            .run
            .as_ref()
            .filter(|_| held.is_some())
            .map(|run| (run.run.clone(), run.first)),
        time: record.timestamp,
        event: held.map_or_else(|| record.id.to_string(), |source| source.event.to_string()),
        message: held.map_or(0, |source| source.message),
        part: (held.map_or(0, |source| source.part), 0),
    }
}
