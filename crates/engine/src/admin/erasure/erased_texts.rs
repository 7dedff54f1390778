//! Digests of the texts of documents that an erasure is about to remove permanently. It reads them
//! document by document before the write, because every version counts and would block the single
//! writer. It omits texts that a live document of others also contains, because those files stay.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::ports::store::{ReadTx, RecordPage, StoreExt};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind};
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::forgotten_text;
use crate::Engine;
use crate::document_text::DocumentContent;

/// The number of records in one read, so few that other reads and writes can run in between.
const PAGE_ROWS: usize = 200;

/// The digests of the texts of documents that an erasure removes, by record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasedTexts(BTreeMap<RecordId, Versions>);

/// The texts of a document's versions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Versions {
    /// The number of the last version whose text was read.
    last: u32,
    digests: BTreeSet<String>,
}

impl ErasedTexts {
    /// Returns the digests of a document. If it changed since they were read, adds the digest of
    /// its current text.
    pub(super) fn of(&self, record: &Record) -> BTreeSet<String> {
        let read = self.0.get(&record.id);
        let mut digests = read.map(|versions| versions.digests.clone()).unwrap_or_default();
        if read.is_none_or(|versions| versions.last != record.version) {
            digests.extend(digest_of(record));
        }
        digests
    }

    fn all(&self) -> BTreeSet<String> {
        self.0.values().flat_map(|versions| versions.digests.iter().cloned()).collect()
    }

    fn leave(&mut self, others: &BTreeSet<String>) {
        for versions in self.0.values_mut() {
            versions.digests.retain(|digest| !others.contains(digest));
        }
    }
}

impl Engine {
    /// Reads the texts of the documents among those records.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn erased_texts(&self, memory: &MemoryId, records: &BTreeSet<RecordId>) -> Result<ErasedTexts> {
        let mut texts = ErasedTexts::default();
        let ids: Vec<RecordId> = records.iter().cloned().collect();
        for some in ids.chunks(PAGE_ROWS) {
            let (of, some) = (memory.clone(), some.to_vec());
            let documents = self.store.read(move |tx| documents_among(tx, &of, &some)).await?;
            for id in documents {
                let (of, read) = (memory.clone(), id.clone());
                let versions = self.store.read(move |tx| versions_of(tx, &of, &read)).await?;
                texts.0.extend(versions.map(|versions| (id, versions)));
            }
        }
        let said = texts.all();
        if !said.is_empty() {
            let others = self.texts_of_others(memory, records, said).await?;
            texts.leave(&others);
        }
        Ok(texts)
    }

    /// Returns those of the texts that live documents outside these records contain.
    async fn texts_of_others(
        &self,
        memory: &MemoryId,
        records: &BTreeSet<RecordId>,
        said: BTreeSet<String>,
    ) -> Result<BTreeSet<String>> {
        let (mut others, mut after): (BTreeSet<String>, Option<(Timestamp, RecordId)>) = Default::default();
        loop {
            let whole = RecordScope::whole(memory.clone(), self.clock.now());
            let scope = RecordScope { kinds: vec![RecordKind::Document], ..whole };
            let page = RecordPage { scope, after, limit: PAGE_ROWS };
            let read = self.store.read(move |tx| {
                let digest = |record: Record| (digest_of(&record), record.created_at, record.id);
                Ok(tx.records().list(&page)?.into_iter().map(digest).collect::<Vec<_>>())
            });
            let read = read.await?;
            let Some((_, at, id)) = read.last() else { return Ok(others) };
            after = Some((*at, id.clone()));
            let of_others = read.into_iter().filter(|(_, _, id)| !records.contains(id));
            others.extend(of_others.filter_map(|(digest, ..)| digest).filter(|digest| said.contains(digest)));
        }
    }
}

/// Returns the digest of a document's text; `None` for records of other kinds, because others may
/// write the same fact in the same words.
fn digest_of(record: &Record) -> Option<String> {
    let is_document = record.kind == RecordKind::Document;
    is_document.then(|| forgotten_text::digest(&DocumentContent::of(record))).flatten()
}

/// Returns the documents among the records that still have content.
fn documents_among(tx: &dyn ReadTx, memory: &MemoryId, ids: &[RecordId]) -> Result<Vec<RecordId>> {
    let records = tx.records().get_many(memory, ids)?.into_iter();
    let documents = records.filter(|record| record.kind == RecordKind::Document && record.has_content());
    Ok(documents.map(|record| record.id).collect())
}

fn versions_of(tx: &dyn ReadTx, memory: &MemoryId, id: &RecordId) -> Result<Option<Versions>> {
    let Some(record) = tx.records().get(memory, id)? else { return Ok(None) };
    let earlier = tx.records().history(memory, id)?;
    let digests = earlier.iter().chain([&record]).filter_map(digest_of).collect();
    Ok(Some(Versions { last: record.version, digests }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_came_since_is_known_too() {
        let memory = MemoryId::compose("notes", "0123456789").unwrap();
        let words = |word: &str| format!("{word} ").repeat(100);
        let fact = loci_testkit_ports::samples::record(&memory, 1, &words("old")).unwrap();
        let document = Record { kind: RecordKind::Document, ..fact.clone() };
        let later = Record { version: 2, text: words("new"), ..document.clone() };
        let digests = |records: &[&Record]| -> BTreeSet<String> {
            records.iter().filter_map(|record| digest_of(record)).collect()
        };
        let old = digests(&[&document]);
        assert_eq!((old.len(), digests(&[&fact]).len()), (1, 0));
        let versions = Versions { last: 1, digests: old.clone() };
        let mut texts = ErasedTexts(BTreeMap::from([(document.id.clone(), versions)]));
        assert_eq!(texts.of(&document), old);
        assert_eq!(texts.of(&later), digests(&[&document, &later]));
        texts.leave(&old);
        assert!(texts.of(&document).is_empty());
        assert_eq!(ErasedTexts::default().of(&document), old);
        assert!(ErasedTexts::default().of(&fact).is_empty());
    }
}
