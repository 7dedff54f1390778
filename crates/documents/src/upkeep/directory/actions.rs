//! The documents of a directory after the actions of a plan: merged, reworded, created, moved or
//! archived. The directory derives the changed files from them.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::consolidation::plan::{Action, Words};
use loci_engine::consolidation::relate::rank;
use loci_engine::consolidation::snapshot::reference_key;
use loci_engine::document_text::content::{DocumentContent, TRUST};
use loci_engine::document_text::frontmatter::Value;
use loci_engine::document_text::path::DocumentPath;
use loci_model::record::RecordKind;
use loci_model::{Error, RecordId, Result, Timestamp};

use super::super::document_builder::{EXPIRES_AT, MergedDocumentPart, united, worded};
use super::{Directory, record_of, tier_of};
use crate::mirror::layouts::LaidDocument;

/// A directory while actions are applied.
pub(super) struct DirectoryEdit {
    pub(super) documents: Vec<LaidDocument>,
    /// The documents with an action.
    pub(super) touched: BTreeSet<RecordId>,
    /// The former file of each moved document.
    pub(super) moved_from: BTreeMap<RecordId, String>,
    /// The time of a document's text.
    pub(super) said_at: BTreeMap<RecordId, Timestamp>,
}

impl Directory {
    pub(super) fn carry(&self, changing: &mut DirectoryEdit, action: &Action) -> Result<()> {
        let DirectoryEdit { documents, touched, moved_from, said_at } = changing;
        match action {
            Action::Merge { sources, target, words, .. } => {
                let mut merged = Vec::new();
                for source in sources {
                    merged.push(taken(documents, source)?);
                }
                touched.extend(merged.iter().map(|one| one.record.clone()));
                let newest = merged.iter().map(|one| self.modified_at(&one.record)).max();
                let said: Vec<MergedDocumentPart> = merged.iter().map(|one| self.said(one)).collect();
                let trust = trust_of(&merged, words);
                let own = merged.into_iter().find(|one| is_at(one, target));
                let base = match own {
                    Some(own) => own,
                    None => new_at(target, touched)?,
                };
                let mut content = united(worded(base.content, words), &said);
                if let Some(trust) = trust {
                    set_trust(&mut content, trust);
                }
                said_at.extend(newest.map(|newest| (base.record.clone(), newest)));
                documents.push(LaidDocument { content, ..base });
            }
            Action::Update { path, words, .. } => {
                let one = taken(documents, path)?;
                touched.insert(one.record.clone());
                said_at.insert(one.record.clone(), self.modified_at(&one.record));
                let content = worded(one.content, words);
                documents.push(LaidDocument { content, ..one });
            }
            Action::Create { path, words, .. } => {
                let one = new_at(path, touched)?;
                let content = worded(one.content, words);
                documents.push(LaidDocument { content, ..one });
            }
            Action::Move { from, to, .. } => {
                let one = taken(documents, from)?;
                touched.insert(one.record.clone());
                let moved = new_at(to, touched)?;
                said_at.insert(moved.record.clone(), self.modified_at(&one.record));
                if let Some(file) = self.of.get(&one.record) {
                    moved_from.insert(moved.record.clone(), file.clone());
                }
                let LaidDocument { content, kind, reads, .. } = one;
                documents.push(LaidDocument { content, kind, reads, ..moved });
            }
            Action::Supersede { path, .. } | Action::Archive { path, .. } => {
                touched.insert(taken(documents, path)?.record);
            }
        }
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(())
    }

    fn said(&self, one: &LaidDocument) -> MergedDocumentPart {
        let expires_at = one.content.head.text(EXPIRES_AT).and_then(|text| Timestamp::parse(text).ok());
        MergedDocumentPart { content: one.content.clone(), at: self.modified_at(&one.record), expires_at }
    }
}

/// Returns the trust in the head of a merged file: that of the most trusted file with its text.
fn trust_of(merged: &[LaidDocument], words: &Words) -> Option<Option<Value>> {
    let has_text = |one: &&LaidDocument| words.body.as_ref() == Some(&one.content.body);
    let of_text = merged.iter().filter(has_text).max_by_key(|one| (rank(tier_of(&one.content)), &one.record));
    of_text.map(|one| one.content.head.get(TRUST).cloned())
}

fn set_trust(content: &mut DocumentContent, trust: Option<Value>) {
    match trust {
        _ if content.is_raw => {}
        Some(trust) => content.head.set(TRUST, trust),
        None => drop(content.head.remove(TRUST)),
    }
}

/// Removes a document from the list and returns it.
fn taken(documents: &mut Vec<LaidDocument>, path: &str) -> Result<LaidDocument> {
    let place = documents.iter().position(|one| is_at(one, path));
    let missing = || Error::invalid("actions", format!("no document lies at {path}"));
    place.map(|place| documents.remove(place)).ok_or_else(missing)
}

fn is_at(one: &LaidDocument, path: &str) -> bool {
    reference_key(one.path.as_str()) == reference_key(path)
}

fn new_at(path: &str, touched: &mut BTreeSet<RecordId>) -> Result<LaidDocument> {
    let record = record_of(path)?;
    touched.insert(record.clone());
    let path = DocumentPath::parse(path)?;
    Ok(LaidDocument {
        path,
        record,
        kind: RecordKind::Document,
        content: DocumentContent::default(),
        reads: 0,
    })
}
