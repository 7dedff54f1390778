//! Loads records of a large memory with their vectors into an index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_index::MemoryIndex;
use loci_model::{RecordId, Result};
use loci_store_kit::change::{Changed, Vectors};
use loci_store_kit::codes::id_of;
use loci_store_kit::{IndexChange, analyse};

use super::words::known_among;
use crate::digests::model_number;
use crate::half_vectors::Halves;
use crate::tables::records::rows::{RECORDS, read};
use crate::tx::{Column, PgTx, uint, unsigned};

/// Returns an index of these records with their vectors of these models, and with names known in
/// the whole memory.
pub(super) fn load(
    tx: &PgTx<'_>,
    memory: i64,
    keys: &[Vec<u8>],
    models: &[&str],
    (names, threads): (&[String], usize),
) -> Result<MemoryIndex> {
    let records = format!("{RECORDS} WHERE r.mem = $1 AND r.key = ANY($2)");
    let vectors =
        "SELECT key, part, model, vector FROM vectors WHERE mem = $1 AND key = ANY($2) AND model = ANY($3)";
    let models: BTreeMap<i64, Arc<str>> =
        models.iter().map(|model| (model_number(model), Arc::from(*model))).collect();
    let numbers: Vec<i64> = models.keys().copied().collect();
    let (records, vectors) = tx.two((&records, &[&memory, &keys]), (vectors, &[&memory, &keys, &numbers]))?;
    let mut of_records: BTreeMap<RecordId, Vectors> = BTreeMap::new();
    for row in &vectors {
        let Some(model) = models.get(&row.take::<i64>(2)?) else { continue };
        let vector = row.take::<Halves>(3)?.stored(Arc::clone(model));
        of_records.entry(id_of(row.take(0)?)?).or_default().push((uint(row.take::<i32>(1)?), vector));
    }
    let mut rows = Vec::with_capacity(records.len());
    for row in &records {
        let stored = Box::new(read(row)?);
        let vectors = of_records.remove(&stored.record.id).unwrap_or_default();
        rows.push((vectors, Changed::Record { stored, content: unsigned(row.take(2)?) }));
    }
    let changes = analyse(rows, threads);
    let names: BTreeSet<&str> =
        names.iter().map(String::as_str).chain(changes.iter().flat_map(names_in)).collect();
    let known = known_among(tx, memory, names.into_iter().map(ToOwned::to_owned).collect())?;
    let mut index = MemoryIndex::of_part(known.iter().map(String::as_str));
    changes.into_iter().for_each(|change| change.apply_to(&mut index));
    Ok(index)
}

fn names_in(change: &IndexChange) -> impl Iterator<Item = &str> {
    let passages = match change {
        IndexChange::Apply(record) => record.passages.as_slice(),
        IndexChange::Attach(..) | IndexChange::Remove(..) => &[],
    };
    passages.iter().filter_map(|passage| Some(passage.analysis.prefix.as_ref()?.name.as_str()))
}
