//! The names that identify an imported item after its erasure: its id in the source, all its
//! content there, and its text. A second export may give it another id and other members. A text
//! counts together with the owners that the item names, because others write the same few words.
//! Pure.

use std::collections::BTreeSet;

use loci_model::RecordId;
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;

use super::forgotten_text;
use super::owner_keys::NamedOwners;
use super::tombstones::{ErasureReach, IMPORT_ID, SRE_FORMAT, SRE_IMPORT_ID, Source, TextOwner};

/// Metadata key of imported records: the format.
const IMPORT_FORMAT: &str = "import_format";
/// Metadata key of imported records: the digest of the item's id and content without its namespace.
const IMPORT_CONTENT: &str = "import_content";

/// The names by which an imported record is recognized after its erasure.
#[derive(Debug)]
pub(super) struct ItemNames<'a> {
    pub(super) format: &'a str,
    pub(super) id: &'a str,
    pub(super) namespace: String,
    /// The digest of the complete item in the program from which it was imported.
    pub(super) content: Option<&'a str>,
    /// The id of the Loci record from which the item was exported; `None` if it comes from
    /// another program.
    exported: Option<RecordId>,
    texts: BTreeSet<String>,
    owners: BTreeSet<String>,
}

impl<'a> ItemNames<'a> {
    /// Returns the names of an imported record. Lines of operations memory are identified by their
    /// id only.
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

    /// Returns the names under which the item may have been erased.
    pub(super) fn sources(&self) -> Vec<Source<'_>> {
        let item = |namespace| Source::Item { format: self.format, id: self.id, namespace };
        let mut sources = vec![item(Some(self.namespace.as_str())), item(None)];
        sources.extend(self.content.map(|content| Source::ItemContent { format: self.format, content }));
        sources.extend(self.exported.as_ref().map(Source::Record));
        // An item without an owner may match any erased owner; an item with owners matches only
        // them.
        let unnamed = [TextOwner::Anybody, TextOwner::Nobody, TextOwner::Somebody];
        let count = if self.owners.is_empty() { unnamed.len() } else { 1 };
        sources.extend(self.texts_of(unnamed.into_iter().take(count)));
        sources.extend(self.texts_of(self.named()));
        sources
    }

    /// Returns the names of the item's texts for its tombstones. An item without an owner, when
    /// deleted, counts as nobody's. When erased permanently it may have been a person's, and a copy
    /// may name that person.
    pub(super) fn erased_texts(&self, reach: ErasureReach<'_>) -> Vec<Source<'_>> {
        let unnamed = match reach {
            _ if !self.owners.is_empty() => TextOwner::Somebody,
            ErasureReach::Deleted => TextOwner::Nobody,
            ErasureReach::Forgotten(_) => TextOwner::Anybody,
        };
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

    use super::super::erased_texts::ErasedTexts;
    use super::*;

    fn item(text: &str, owner: Option<&str>) -> Record {
        let memory = MemoryId::compose("notes", "0123456789").unwrap();
        let mut record = loci_testkit_ports::samples::record(&memory, 1, text).unwrap();
        let said = [(IMPORT_FORMAT, Some("mem0")), (IMPORT_ID, Some("m-1")), ("user_id", owner)];
        for (key, value) in said {
            let value = value.map(|value| MetadataValue::String(value.to_owned()));
            record.metadata.extend(value.map(|value| (key.to_owned(), value)));
        }
        record
    }

    #[test]
    fn a_text_is_known_with_its_owner() {
        let (texts, tea) = (ErasedTexts::default(), "Likes tea.");
        let (deleted, forgotten) = (ErasureReach::Deleted, ErasureReach::Forgotten(&texts));
        let check =
            |reach: ErasureReach<'_>, erased: Option<&str>, later: (&str, Option<&str>), expect: bool| {
                let (erased, later) = (item(tea, erased), item(later.0, later.1));
                let (erased, later) = (ItemNames::of(&erased).unwrap(), ItemNames::of(&later).unwrap());
                let known = erased.erased_texts(reach);
                let is_known = later.sources().iter().any(|source| known.contains(source));
                assert_eq!(is_known, expect, "{reach:?} {erased:?} {later:?}");
            };
        for reach in [deleted, forgotten] {
            check(reach, Some("ann"), (tea, Some("ann")), true);
            check(reach, Some("Ann"), (" Likes\n tea. ", Some("ann")), true);
            check(reach, Some("ann"), (tea, None), true);
            check(reach, None, (tea, None), true);
            check(reach, Some("ann"), (tea, Some("ben")), false);
            check(reach, Some("ann"), ("Likes milk.", Some("ann")), false);
            check(reach, None, ("Likes milk.", None), false);
        }
        // Others have their own item with the same words.
        check(deleted, None, (tea, Some("ann")), false);
        // A person's item may return with the person's name.
        check(forgotten, None, (tea, Some("ann")), true);
    }

    #[test]
    fn an_empty_text_is_known_to_nobody() {
        let empty = item(" ", Some("ann"));
        assert!(ItemNames::of(&empty).unwrap().erased_texts(ErasureReach::Deleted).is_empty());
    }

    #[test]
    fn every_version_of_a_text_is_known() {
        let (first, last) = (item("Likes tea.", None), item("Likes milk.", None));
        let mut names = ItemNames::of(&last).unwrap();
        names.add_text(&first);
        assert_eq!(names.erased_texts(ErasureReach::Deleted).len(), 2);
        assert!(ItemNames::of(&Record { metadata: Default::default(), ..first }).is_none());
    }
}
