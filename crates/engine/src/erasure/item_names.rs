//! The names by which an item that an import brought is known again after its erasure: its id in
//! the source, all that the source says of it, and its text. A second export may give it another id
//! and other members. A text counts with the owners that the item names, because others write the
//! same few words. Pure.

use std::collections::BTreeSet;

use loci_model::RecordId;
use loci_model::metadata::MetadataValue;
use loci_model::record::Record;

use super::forgotten_text;
use super::owner_keys::NamedOwners;
use super::tombstones::{IMPORT_ID, SRE_FORMAT, SRE_IMPORT_ID, Source, TextOwner};

/// Metadata of imported records: the format.
const IMPORT_FORMAT: &str = "import_format";
/// Metadata of imported records: the item's id and content, without its namespace, as a digest.
const IMPORT_CONTENT: &str = "import_content";

/// The names of an imported record.
#[derive(Debug)]
pub(super) struct ItemNames<'a> {
    pub(super) format: &'a str,
    pub(super) id: &'a str,
    pub(super) namespace: String,
    /// The digest of all that the source says of it.
    pub(super) content: Option<&'a str>,
    /// The record of which the item is an export, if it is one.
    exported: Option<RecordId>,
    texts: BTreeSet<String>,
    owners: BTreeSet<String>,
}

impl<'a> ItemNames<'a> {
    /// Returns the names of a record that an import brought. Lines of operations memory are known
    /// by their id alone.
    pub(super) fn of(record: &'a Record) -> Option<Self> {
        let (format, id) = match (word(record, IMPORT_FORMAT), word(record, IMPORT_ID)) {
            (Some(format), Some(id)) => (format, id),
            _ => (SRE_FORMAT, word(record, SRE_IMPORT_ID)?),
        };
        let mut names = Self {
            format,
            id,
            namespace: record.namespace.normal(),
            content: word(record, IMPORT_CONTENT),
            exported: RecordId::parse(id).ok(),
            texts: BTreeSet::new(),
            owners: NamedOwners::of(record, |_| false).owners().map(str::to_lowercase).collect(),
        };
        names.add_text(record);
        Some(names)
    }

    /// Adds the text of another version of the record.
    pub(super) fn add_text(&mut self, version: &Record) {
        if self.format != SRE_FORMAT && version.has_content() {
            self.texts.extend(forgotten_text::item_digest(&version.text));
        }
    }

    /// The names under which the item may have been erased.
    pub(super) fn sources(&self) -> Vec<Source<'_>> {
        let item = |namespace| Source::Item { format: self.format, id: self.id, namespace };
        let mut sources = vec![item(Some(self.namespace.as_str())), item(None)];
        sources.extend(self.content.map(|content| Source::ItemContent { format: self.format, content }));
        sources.extend(self.exported.as_ref().map(Source::Record));
        // An item that named nobody is anybody's, and one that names nobody now was anybody's.
        let unnamed = [TextOwner::Nobody, TextOwner::Somebody];
        let count = if self.owners.is_empty() { unnamed.len() } else { 1 };
        sources.extend(self.texts_of(unnamed.into_iter().take(count)));
        sources.extend(self.texts_of(self.named()));
        sources
    }

    /// The names of the item's texts, under which its erasure is noted.
    pub(super) fn erased_texts(&self) -> Vec<Source<'_>> {
        let unnamed = if self.owners.is_empty() { TextOwner::Nobody } else { TextOwner::Somebody };
        self.texts_of(self.named().chain([unnamed]))
    }

    fn named(&self) -> impl Iterator<Item = TextOwner<'_>> {
        self.owners.iter().map(|owner| TextOwner::Named(owner))
    }

    fn texts_of<'b>(&'b self, owners: impl Iterator<Item = TextOwner<'b>>) -> Vec<Source<'b>> {
        let mut found = Vec::new();
        for owner in owners {
            found.extend(self.texts.iter().map(|text| Source::ItemText { text, owner }));
        }
        found
    }
}

fn word<'a>(record: &'a Record, key: &str) -> Option<&'a str> {
    match record.metadata.get(key) {
        Some(MetadataValue::String(text)) => Some(text),
        Some(MetadataValue::StringList(_) | MetadataValue::Number(_) | MetadataValue::DateTime(_)) | None => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;

    use super::*;

    fn item(text: &str, owner: Option<&str>) -> Record {
        let memory = MemoryId::compose("notes", "0123456789").unwrap();
        let mut record = loci_testkit::samples::record(&memory, 1, text).unwrap();
        let said = [(IMPORT_FORMAT, Some("mem0")), (IMPORT_ID, Some("m-1")), ("user_id", owner)];
        for (key, value) in said {
            let value = value.map(|value| MetadataValue::String(value.to_owned()));
            record.metadata.extend(value.map(|value| (key.to_owned(), value)));
        }
        record
    }

    #[test]
    fn a_text_is_known_with_its_owner() {
        let check = |erased: (&str, Option<&str>), later: (&str, Option<&str>), expect: bool| {
            let (erased, later) = (item(erased.0, erased.1), item(later.0, later.1));
            let (erased, later) = (ItemNames::of(&erased).unwrap(), ItemNames::of(&later).unwrap());
            let known = erased.erased_texts();
            let is_known = later.sources().iter().any(|source| known.contains(source));
            assert_eq!(is_known, expect, "{erased:?} {later:?}");
        };
        check(("Likes tea.", Some("ann")), ("Likes tea.", Some("ann")), true);
        check(("Likes tea.", Some("Ann")), (" Likes\n tea. ", Some("ann")), true);
        check(("Likes tea.", Some("ann")), ("Likes tea.", None), true);
        check(("Likes tea.", None), ("Likes tea.", Some("ann")), true);
        check(("Likes tea.", None), ("Likes tea.", None), true);
        check(("Likes tea.", Some("ann")), ("Likes tea.", Some("ben")), false);
        check(("Likes tea.", Some("ann")), ("Likes milk.", Some("ann")), false);
        check((" ", Some("ann")), (" ", Some("ann")), false);
    }

    #[test]
    fn every_version_of_a_text_is_known() {
        let (first, last) = (item("Likes tea.", None), item("Likes milk.", None));
        let mut names = ItemNames::of(&last).unwrap();
        names.add_text(&first);
        assert_eq!(names.erased_texts().len(), 2);
        assert!(ItemNames::of(&Record { metadata: Default::default(), ..first }).is_none());
    }
}
