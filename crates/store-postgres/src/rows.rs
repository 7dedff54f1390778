//! Reading of the rows from which in-process indexes are built.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use loci_index::StoredVector;
use loci_model::{Error, MemoryId, RecordId, Result};
use loci_store_kit::change::{Changed, Vectors};
use loci_store_kit::codes::id_of;
use loci_store_kit::unreadable_rows::readable;
use loci_store_kit::{IndexChange, IndexSource, IndexedContent, IndexedMemoryState, MemoryRows, analyse};

use tokio_postgres::Row;

use crate::connection::Connection;
use crate::digests::memory_number;
use crate::half_vectors::Halves;
use crate::tables::records::rows::{RECORDS, read};
use crate::transaction_retry;
use crate::tx::{Column, PgTx, limit, signed, uint, unsigned};

/// The number of records in the first batches. While one batch is analysed the database sends the
/// next, so that a memory of usual size loads fast.
const CHUNK: usize = 250;
/// The number of records in later batches.
const CHUNK_LATER: usize = 2_000;

/// The minimum number of rows for parallel reading.
const SHARED_MIN: usize = 256;

/// The source of indexes.
pub(crate) struct Rows {
    /// The number of threads for analysing many rows.
    pub(crate) threads: usize,
}

impl IndexSource for Rows {
    type Connection = Connection;

    fn standing(&self, connection: &mut Connection, memory: &MemoryId) -> Result<IndexedMemoryState> {
        transaction_retry::ask(connection, |tx| standing(tx, memory))
    }

    fn on_rows(
        &self,
        connection: &mut Connection,
        memory: &MemoryId,
        work: &mut dyn FnMut(&dyn MemoryRows) -> Result<()>,
    ) -> Result<()> {
        transaction_retry::read(connection, |tx| {
            let standing = standing(tx, memory)?;
            work(&RowsOfMemory { tx, memory, standing, threads: self.threads })
        })
    }
}

fn standing(tx: &PgTx<'_>, memory: &MemoryId) -> Result<IndexedMemoryState> {
    let sql = "SELECT c.sequence, c.erasures, c.born FROM counters c JOIN memories m ON m.mem = c.mem \
               WHERE c.mem = $1 AND m.id = $2 AND m.deleted IS NULL";
    let found = tx.one(sql, &[&memory_number(memory), &memory.as_str()], |row| {
        let (sequence, erasures) = (unsigned(row.take(0)?), unsigned(row.take(1)?));
        Ok(IndexedMemoryState { sequence, erasures, incarnation: unsigned(row.take(2)?) })
    })?;
    found.ok_or_else(|| Error::not_found("the memory does not exist"))
}

struct RowsOfMemory<'a, 'c> {
    tx: &'a PgTx<'c>,
    memory: &'a MemoryId,
    standing: IndexedMemoryState,
    threads: usize,
}

impl MemoryRows for RowsOfMemory<'_, '_> {
    fn standing(&self) -> Result<IndexedMemoryState> {
        Ok(self.standing)
    }

    fn changes(&self, after: u64, held: IndexedContent<'_>, take: &mut dyn FnMut(IndexChange)) -> Result<()> {
        let models: Models =
            self.tx.models()?.into_iter().map(|(number, id)| (number, Arc::from(id))).collect();
        let (models, threads) = (&models, self.threads);
        let (mut last, mut size, mut read) = (after, CHUNK, 0);
        std::thread::scope(|scope| {
            let mut under_way: Option<ScopedJoinHandle<'_, Result<Vec<IndexChange>>>> = None;
            loop {
                let chunk = self.chunk(last, size, held)?;
                let end = chunk.places.last().map(|place| place.sequence);
                let is_last = chunk.places.len() < size;
                read += chunk.places.len();
                if is_last {
                    // The current thread would be idle otherwise.
                    if let Some(before) = under_way {
                        joined(before)?.into_iter().for_each(&mut *take);
                    }
                    chunk.changes(models, threads)?.into_iter().for_each(&mut *take);
                    return Ok(());
                }
                let next = scope.spawn(move || chunk.changes(models, threads));
                if let Some(before) = under_way.replace(next) {
                    joined(before)?.into_iter().for_each(&mut *take);
                }
                let Some(end) = end else { return Ok(()) };
                last = end;
                size = if read < CHUNK_LATER { CHUNK } else { CHUNK_LATER };
            }
        })
    }
}

/// Returns the result of a thread, or resumes its panic.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The names of embedding models, by their numbers.
type Models = BTreeMap<i64, Arc<str>>;

/// A changed record as a row, without its body.
struct ChangedRecordRow {
    record: RecordId,
    sequence: u64,
    content: u64,
    /// True if the index already has this content of the record.
    is_same: bool,
}

/// A batch of changed records in order, with their vectors.
struct Chunk {
    records: Vec<Row>,
    vectors: Vec<Row>,
    places: Vec<ChangedRecordRow>,
}

impl RowsOfMemory<'_, '_> {
    /// Reads the next changed records, with their vectors.
    fn chunk(&self, after: u64, count: usize, held: IndexedContent<'_>) -> Result<Chunk> {
        let number = memory_number(self.memory);
        let records = format!("{RECORDS} WHERE r.mem = $1 AND r.sequence > $2 ORDER BY r.sequence LIMIT $3");
        let vectors = "SELECT r.sequence, v.part, v.model, v.vector FROM (SELECT key, sequence FROM records \
                       WHERE mem = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) r \
                       JOIN vectors v ON v.mem = $1 AND v.key = r.key ORDER BY r.sequence, v.part";
        let (after, count) = (signed(after), limit(count));
        let values: crate::connection::Values<'_> = &[&number, &after, &count];
        let (records, vectors) = self.tx.two((&records, values), (vectors, values))?;
        let mut places = Vec::with_capacity(records.len());
        for row in &records {
            let record: RecordId = id_of(row.take::<&[u8]>(0)?)?;
            let (sequence, content) = (unsigned(row.take(1)?), unsigned(row.take(2)?));
            let is_same = held(&record) == Some(content);
            places.push(ChangedRecordRow { record, sequence, content, is_same });
        }
        Ok(Chunk { records, vectors, places })
    }
}

impl Chunk {
    /// Returns the changes for the index.
    fn changes(self, models: &Models, threads: usize) -> Result<Vec<IndexChange>> {
        let vector = |row: &Row| {
            let Some(model) = models.get(&row.take::<i64>(2)?) else { return Ok(None) };
            let vector: StoredVector = row.take::<Halves>(3)?.stored(Arc::clone(model));
            Ok(Some((unsigned(row.take(0)?), uint(row.take::<i32>(1)?), vector)))
        };
        let mut of_records: BTreeMap<u64, Vectors> = BTreeMap::new();
        for (sequence, part, vector) in decoded(&self.vectors, threads, vector)?.into_iter().flatten() {
            of_records.entry(sequence).or_default().push((part, vector));
        }
        let with_places = self.records.iter().zip(&self.places);
        let changed: Vec<&Row> =
            with_places.filter(|(_, place)| !place.is_same).map(|(row, _)| row).collect();
        let mut changed = decoded(&changed, threads, |row| readable("record", read(row)))?.into_iter();
        let mut out = Vec::with_capacity(self.places.len());
        for ChangedRecordRow { record, sequence, content, is_same } in self.places {
            let changed = match if is_same { None } else { changed.next() } {
                None => Changed::Vectors { record, sequence },
                Some(Some(stored)) => Changed::Record { stored: Box::new(stored), content },
                // A record that cannot be parsed is left out of the index.
                Some(None) => continue,
            };
            out.push((of_records.remove(&sequence).unwrap_or_default(), changed));
        }
        Ok(analyse(out, threads))
    }
}

/// Reads rows, in parallel if there are many.
fn decoded<R: Sync, T: Send>(
    rows: &[R],
    threads: usize,
    read: impl Fn(&R) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if rows.len() < SHARED_MIN || threads < 2 {
        return rows.iter().map(read).collect();
    }
    let share = rows.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let work: Vec<_> = rows
            .chunks(share)
            .map(|share| scope.spawn(|| share.iter().map(&read).collect::<Result<Vec<T>>>()))
            .collect();
        let mut out = Vec::with_capacity(rows.len());
        for thread in work {
            out.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(out)
    })
}
