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

/// The number of records from which [`analyse`] uses several threads. Fewer records are analysed
/// on the calling thread.
const SHARED_MIN: usize = 256;

/// The embedding vectors of a record, each with the number of the passage that it belongs to.
pub type Vectors = Vec<(u32, StoredVector)>;

/// A function that returns the digest of the content that an index holds of a record; `None` if
/// the index does not contain the record.
pub type IndexedContent<'a> = &'a dyn Fn(&RecordId) -> Option<u64>;

/// A record as it is stored, with the columns of its row that are not members of [`Record`].
#[derive(Debug, Clone)]
pub struct StoredRecord {
    /// The record itself.
    pub record: Record,
    /// The time when the record ceased to be active; `None` for a record that is active or never
    /// was.
    pub left_at: Option<Timestamp>,
    /// True if the content of the record is erased.
    pub gone: bool,
}

/// A record that changed since the index was last updated. Only the parts that the index needs
/// are read.
#[derive(Debug)]
pub enum Changed {
    /// The text of the record is the one in the index: only the vectors may have changed.
    Vectors {
        /// The id of the changed record.
        record: RecordId,
        /// The sequence number of the change.
        sequence: u64,
    },
    /// Any part of the record may have changed.
    Record {
        /// The record in its new form.
        stored: Box<StoredRecord>,
        /// The digest of the record's content.
        content: u64,
    },
}

/// A change of one record that an index can apply without further analysis.
#[derive(Debug)]
pub enum IndexChange {
    /// Replaces the record in the index by this form.
    Apply(Box<IndexRecord>),
    /// Replaces only the vectors of the record with this id, at this sequence number of the
    /// memory.
    Attach(RecordId, u64, Vectors),
    /// Removes the record with this id, at this sequence number of the memory.
    Remove(RecordId, u64),
}

impl IndexChange {
    /// Applies the change to `index`.
    pub fn apply_to(self, index: &mut MemoryIndex) {
        match self {
            Self::Apply(record) => index.apply(*record),
            Self::Attach(record, sequence, vectors) => index.attach(&record, sequence, &vectors),
            Self::Remove(record, sequence) => index.remove(&record, sequence),
        }
    }
}

/// Returns the index changes for changed records, in the same order. Many records are analysed on
/// up to `threads` threads.
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

/// Returns the position of a record in its session: the position of the message whose text the
/// record repeats verbatim, otherwise a position from the record's own id.
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
