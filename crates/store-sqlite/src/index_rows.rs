//! From rows to what the index takes in: a record's place in its conversation, its passages, their analysis.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use loci_index::{IndexPassage, IndexRecord, MemoryIndex, StoredVector};
use loci_model::provenance::Position;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{MemoryId, RecordId, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Row, params};

use crate::errors::Sql as _;
use crate::tables::record_passages::passages;
use crate::tables::record_rows::{COLUMNS, RECORDS, SEQUENCE, Stored, head, read};
use crate::tables::vectors::Row as VectorRow;
use crate::tx::{SqlTx, limit, signed};

/// Records read and analysed at once while an index is built: enough to share among threads, little to hold.
const CHUNK: usize = 2_000;
/// Fewer records than this are analysed on the thread at hand.
const SHARED_MIN: usize = 256;

/// A change of one record, ready to be applied.
pub(crate) enum Change {
    Apply(Box<IndexRecord>),
    /// Nothing but the vectors, which these are, by part.
    Attach(RecordId, u64, Vec<(u32, StoredVector)>),
    Remove(RecordId, u64),
}

impl Change {
    pub(crate) fn apply_to(self, index: &mut MemoryIndex) {
        match self {
            Self::Apply(record) => index.apply(*record),
            Self::Attach(record, sequence, vectors) => index.attach(&record, sequence, &vectors),
            Self::Remove(record, sequence) => index.remove(&record, sequence),
        }
    }
}

/// What the index already holds of a record: its `content`.
pub(crate) type Held<'a> = &'a dyn Fn(&RecordId) -> Option<u64>;

/// Hands every record of a memory that changed after `after` to `take`, in the order of the changes.
pub(crate) fn changes(
    tx: &SqlTx<'_>,
    (memory, number): (&MemoryId, i64),
    after: u64,
    threads: usize,
    held: Held<'_>,
    take: &mut dyn FnMut(Change),
) -> Result<()> {
    let models: BTreeMap<i64, Arc<str>> =
        tx.models()?.into_iter().map(|(number, id)| (number, Arc::from(id))).collect();
    let sql = format!("{RECORDS} WHERE r.mem = ?1 AND r.sequence > ?2 ORDER BY r.sequence LIMIT ?3");
    let mut last = after;
    loop {
        let rows =
            tx.all(&sql, params![number, signed(last), limit(CHUNK)], |row| found(memory, row, held))?;
        let Some(end) = rows.last().map(Found::sequence) else { return Ok(()) };
        let is_last = rows.len() < CHUNK;
        let rows = rows
            .into_iter()
            .map(|found| Ok((stored_vectors(tx.vectors_of(found.number())?, &models), found)))
            .collect::<Result<Vec<_>>>()?;
        analyse(rows, threads).into_iter().for_each(&mut *take);
        if is_last {
            return Ok(());
        }
        last = end;
    }
}

/// A row that changed, as far as it has to be read.
enum Found {
    /// Its vectors changed at most.
    Same { number: i64, record: RecordId, sequence: u64 },
    /// Anything may have changed. With what stands for its content.
    Other(Box<Stored>, u64),
}

impl Found {
    fn number(&self) -> i64 {
        match self {
            Self::Same { number, .. } => *number,
            Self::Other(stored, _) => stored.number,
        }
    }

    fn sequence(&self) -> u64 {
        match self {
            Self::Same { sequence, .. } => *sequence,
            Self::Other(stored, _) => stored.record.sequence,
        }
    }
}

fn found(memory: &MemoryId, row: &Row<'_>, held: Held<'_>) -> Result<Found> {
    let content = content(row)?;
    let (number, record, sequence) = head(row)?;
    if held(&record) == Some(content) {
        return Ok(Found::Same { number, record, sequence });
    }
    Ok(Found::Other(Box::new(read(memory, row)?), content))
}

/// One number for all columns of [`RECORDS`] but the sequence, so that a row of which only the vectors changed is known.
fn content(row: &Row<'_>) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for column in (0..COLUMNS).filter(|column| *column != SEQUENCE) {
        match row.get_ref(column).sql()? {
            ValueRef::Null => hasher.write_u8(0),
            ValueRef::Integer(number) => hasher.write_i64(number),
            ValueRef::Real(number) => hasher.write_u64(number.to_bits()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.hash(&mut hasher),
        }
    }
    Ok(hasher.finish())
}

type Vectors = Vec<(u32, StoredVector)>;

fn stored_vectors(rows: Vec<VectorRow>, models: &BTreeMap<i64, Arc<str>>) -> Vectors {
    let vector = |(part, model, scale, bytes): VectorRow| {
        let values = bytes.into_iter().map(u8::cast_signed).collect();
        Some((part, StoredVector { model: Arc::clone(models.get(&model)?), scale, values }))
    };
    rows.into_iter().filter_map(vector).collect()
}

/// The changes of these rows, in their order.
fn analyse(mut rows: Vec<(Vectors, Found)>, threads: usize) -> Vec<Change> {
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

fn change((vectors, found): (Vectors, Found)) -> Change {
    let (stored, content) = match found {
        Found::Same { record, sequence, .. } => return Change::Attach(record, sequence, vectors),
        Found::Other(stored, content) => (stored, content),
    };
    if stored.gone || stored.record.state == RecordState::Erased {
        return Change::Remove(stored.record.id, stored.record.sequence);
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
    Change::Apply(Box::new(IndexRecord {
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

/// Where a record stands in its session: at the message it holds word for word, else at its own id.
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
