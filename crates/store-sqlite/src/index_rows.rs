//! The rows from which indexes are built, and the snapshots that avoid reading all of them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use loci_index::{MemoryIndex, StoredVector};
use loci_model::{Error, MemoryId, Result};
use loci_store_kit::change::{Changed, Vectors};
use loci_store_kit::unreadable_rows::readable;
use loci_store_kit::{IndexChange, IndexSource, IndexedContent, IndexedMemoryState, MemoryRows, analyse};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};

use crate::errors::Sql as _;
use crate::index_files::IndexFiles;
use crate::store::snapshot;
use crate::tables::records::rows::{COLUMNS, RECORDS, SEQUENCE, head, read};
use crate::tables::vectors::StoredVectorRow as VectorRow;
use crate::tx::{Column, SqlTx, limit, signed, unsigned};

/// The number of records read and analysed together during a build: enough to share among threads,
/// with little memory use.
const CHUNK: usize = 2_000;

/// The source of indexes: the tables, or a saved file.
pub(crate) struct Rows {
    pub(crate) files: Arc<IndexFiles>,
    /// The number of threads for analysing many rows.
    pub(crate) threads: usize,
}

impl IndexSource for Rows {
    type Connection = Connection;

    fn standing(&self, connection: &mut Connection, memory: &MemoryId) -> Result<IndexedMemoryState> {
        snapshot(connection, |tx| Ok(place(tx, memory)?.standing))
    }

    fn on_rows(
        &self,
        connection: &mut Connection,
        memory: &MemoryId,
        work: &mut dyn FnMut(&dyn MemoryRows) -> Result<()>,
    ) -> Result<()> {
        snapshot(connection, |tx| {
            work(&RowsOfMemory { tx, memory, place: place(tx, memory)?, threads: self.threads })
        })
    }

    fn saved(&self, memory: &MemoryId, standing: &IndexedMemoryState) -> Option<MemoryIndex> {
        self.files.load(memory, standing.erasures, standing.sequence)
    }
}

/// An existing memory.
pub(crate) struct ExistingMemory {
    number: i64,
    pub(crate) standing: IndexedMemoryState,
}

pub(crate) fn place(tx: &SqlTx<'_>, memory: &MemoryId) -> Result<ExistingMemory> {
    let sql = "SELECT num, sequence, erasures FROM memories WHERE id = ?1 AND deleted IS NULL";
    let read = |row: &Row<'_>| {
        let number = row.take(0)?;
        let (sequence, erasures) = (unsigned(row.take(1)?), unsigned(row.take(2)?));
        // Numbers are never reused.
        Ok(ExistingMemory {
            number,
            standing: IndexedMemoryState { sequence, erasures, incarnation: unsigned(number) },
        })
    };
    tx.one(sql, [memory.as_str()], read)?.ok_or_else(|| Error::not_found("the memory does not exist"))
}

struct RowsOfMemory<'a> {
    tx: &'a SqlTx<'a>,
    memory: &'a MemoryId,
    place: ExistingMemory,
    threads: usize,
}

impl MemoryRows for RowsOfMemory<'_> {
    fn standing(&self) -> Result<IndexedMemoryState> {
        Ok(self.place.standing)
    }

    fn changes(&self, after: u64, held: IndexedContent<'_>, take: &mut dyn FnMut(IndexChange)) -> Result<()> {
        let tx = self.tx;
        let models: BTreeMap<i64, Arc<str>> =
            tx.models()?.into_iter().map(|(number, id)| (number, Arc::from(id))).collect();
        let sql = format!("{RECORDS} WHERE r.mem = ?1 AND r.sequence > ?2 ORDER BY r.sequence LIMIT ?3");
        let mut last = after;
        loop {
            let rows = tx.all(&sql, params![self.place.number, signed(last), limit(CHUNK)], |row| {
                let sequence = unsigned(row.take(SEQUENCE)?);
                Ok((sequence, readable("record", found(self.memory, row, held))?))
            })?;
            let Some(end) = rows.last().map(|(sequence, _)| *sequence) else { return Ok(()) };
            let is_last = rows.len() < CHUNK;
            let rows = rows
                .into_iter()
                .filter_map(|(_, found)| found)
                .map(|(number, changed)| Ok((stored_vectors(tx.vectors_of(number)?, &models), changed)))
                .collect::<Result<Vec<_>>>()?;
            analyse(rows, self.threads).into_iter().for_each(&mut *take);
            if is_last {
                return Ok(());
            }
            last = end;
        }
    }
}

/// Returns the number of a changed row, and the change.
fn found(memory: &MemoryId, row: &Row<'_>, held: IndexedContent<'_>) -> Result<(i64, Changed)> {
    let content = content(row)?;
    let (number, record, sequence) = head(row)?;
    if held(&record) == Some(content) {
        return Ok((number, Changed::Vectors { record, sequence }));
    }
    Ok((number, Changed::Record { stored: Box::new(read(memory, row)?.into()), content }))
}

/// Returns a digest of all columns of [`RECORDS`] except the sequence, which identifies rows with
/// changed vectors only.
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

fn stored_vectors(rows: Vec<VectorRow>, models: &BTreeMap<i64, Arc<str>>) -> Vectors {
    let vector = |(part, model, scale, bytes): VectorRow| {
        let values = bytes.into_iter().map(u8::cast_signed).collect();
        Some((part, StoredVector { model: Arc::clone(models.get(&model)?), scale, values }))
    };
    rows.into_iter().filter_map(vector).collect()
}
